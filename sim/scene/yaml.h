#pragma once

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A YAML document as a tree that can be changed: what a scene's file says, before anybody asked whether it
/// makes sense. Read through libyaml's events, one by one, because its document loader takes time that grows
/// with the square of the nesting (half a minute for 100 kB of opening brackets).

/// A node's place in its document; 0 is none.
typedef uint32_t qdi_yaml_ref;

typedef enum qdi_yaml_kind {
    QDI_YAML_VALUE,
    QDI_YAML_LIST,
    QDI_YAML_MAP,
} qdi_yaml_kind;

typedef struct qdi_yaml_node {
    qdi_yaml_kind kind;
    bool plain;            ///< of a value: written without quotes
    uint32_t line;         ///< from 1; of the key where there is one
    uint32_t source;       ///< as given to qdi_yaml_read
    size_t text, bytes;    ///< of a value, in `chars`
    size_t key, key_bytes; ///< of a map's child, in `chars`
    qdi_yaml_ref first, last, next;
    uint32_t count; ///< children
} qdi_yaml_node;

typedef struct qdi_yaml {
    const qd_allocator *allocator;
    qdi_yaml_node *nodes; ///< [0] is not used
    size_t node_count, node_room;
    char *chars;
    size_t char_count, char_room;
} qdi_yaml;

/// What is wrong with a text, for a message.
typedef struct qdi_yaml_fault {
    uint32_t line; ///< from 1; 0 where unknown
    char text[200];
} qdi_yaml_fault;

/// Limits that no scene of people's comes near, and that keep hostile ones from taking all time and memory.
#define QDI_YAML_DEEPEST    32
#define QDI_YAML_MOST_NODES 1000000

/// Reads one document; `*root` is 0 where the text holds none. `source` is noted in every node.
/// Errors: QD_ERR_INVALID (the reason in `fault`), QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_yaml_read(qdi_yaml *yaml, const char *text, size_t bytes, uint32_t source,
                                    qdi_yaml_ref *root, qdi_yaml_fault *fault);

void qdi_yaml_release(qdi_yaml *yaml);

/// The first child of a map with this key, or 0.
qdi_yaml_ref qdi_yaml_find(const qdi_yaml *yaml, qdi_yaml_ref map, const char *key, size_t key_bytes);

/// Child number `number` of a list or map, or 0.
qdi_yaml_ref qdi_yaml_child(const qdi_yaml *yaml, qdi_yaml_ref parent, size_t number);

/// Appends a child to a map or list: `*child` is an empty map, to be changed by qdi_yaml_become. `key` NULL:
/// no key. Errors: QD_ERR_MEMORY, QD_ERR_LIMIT (QDI_YAML_MOST_NODES).
QD_MUST_USE qd_status qdi_yaml_append(qdi_yaml *yaml, qdi_yaml_ref parent, const char *key, size_t key_bytes,
                                      uint32_t source, qdi_yaml_ref *child);

/// Gives `node` the content of `content`, which nobody else may use afterwards; its key and place stay.
void qdi_yaml_become(qdi_yaml *yaml, qdi_yaml_ref node, qdi_yaml_ref content);

/// Takes a child out of a map or list.
void qdi_yaml_remove(qdi_yaml *yaml, qdi_yaml_ref parent, qdi_yaml_ref child);

/// Makes `node` an empty map.
void qdi_yaml_clear(qdi_yaml *yaml, qdi_yaml_ref node, uint32_t source);
