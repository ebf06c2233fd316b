#pragma once

#include "sim/world/contact_state.h"
#include "sim/world/population.h"

#include <stdbool.h>
#include <stddef.h>

/// The fields of a world by table: what is saved and loaded, compared between two worlds and, but for bodies
/// and contacts, hashed has a line there, in the order of a saved world. Any thread.

typedef enum qdi_field_kind {
    QDI_FIELD_REAL,  ///< double
    QDI_FIELD_FLOAT, ///< float
    QDI_FIELD_U64,
    QDI_FIELD_U32,
    QDI_FIELD_I32,
    QDI_FIELD_I16,
    QDI_FIELD_U8,
    QDI_FIELD_BOOL,
    QDI_FIELD_WORD, ///< an enum with a word for each value
    QDI_FIELD_PART, ///< a struct with a table of its own, or several one after the other
} qdi_field_kind;

typedef struct qdi_fields qdi_fields;

typedef struct qdi_field {
    const char *name; ///< NULL of a part: its fields have no name in front
    qdi_field_kind kind;
    bool work;      ///< changes no result
    bool elsewhere; ///< saved by other means
    uint8_t bytes;  ///< of a saved one, little-endian; 0: as many as the member has
    size_t offset;
    const char *const *words; ///< ends with NULL
    const qdi_fields *part;
    size_t count, stride; ///< of a part: 0 = there is one, without a number in its name
} qdi_field;

struct qdi_fields {
    const qdi_field *field;
    size_t count;
};

/// A contact with its warm-start impulses and the force of its spring.
typedef struct qdi_held_contact {
    qd_contact contact;
    qdi_warm_start warm_start;
    qdi_contact_force force; ///< 0 where there are no springs
} qdi_held_contact;

/// A world's own: qd_world; and the parts of that: qd_world_def, what became of a qd_world, qdi_margin.
extern const qdi_fields qdi_fields_world, qdi_fields_def, qdi_fields_past, qdi_fields_margin;
/// qdi_compress.
extern const qdi_fields qdi_fields_compress;
/// qd_body_state.
extern const qdi_fields qdi_fields_body;
/// qd_material.
extern const qdi_fields qdi_fields_material;
/// A body's fat box: qd_box.
extern const qdi_fields qdi_fields_fat;
/// qdi_held_contact; qd_contact but for its touches, qd_touch, qdi_contact_force.
extern const qdi_fields qdi_fields_contact, qdi_fields_pair_of_bodies, qdi_fields_touch,
    qdi_fields_contact_force;
/// qdi_emitter and qdi_sink; qd_emitter_def, qd_emitter_counts.
extern const qdi_fields qdi_fields_emitter, qdi_fields_sink, qdi_fields_source, qdi_fields_done;

/// A double.
extern const qdi_fields qdi_fields_number;

/// World's fields: bytes of a member.
size_t qdi_field_size(const qdi_field *field);
/// Bytes of a saved struct.
size_t qdi_fields_bytes(const qdi_fields *fields);
/// World's fields: writes a struct, or reads one; `at` moves on. False where a member cannot hold what was
/// read.
void qdi_fields_put(const qdi_fields *fields, const void *from, unsigned char **at);
QD_MUST_USE bool qdi_fields_get(const qdi_fields *fields, const unsigned char **at, void *to);

/// Records to be written or read, one of each struct of a list, so many bytes apart.
typedef struct qdi_records {
    unsigned char *at; ///< in the first
    size_t bytes, count;
} qdi_records;
typedef struct qdi_saved_records {
    const unsigned char *at;
    size_t bytes, count;
} qdi_saved_records;
/// World's fields: the same for many structs, `stride` bytes apart, each in its own record: member after
/// member, so that the cost per struct is that of its bytes.
void qdi_fields_put_each(const qdi_fields *fields, const void *from, size_t stride, qdi_records *to);
QD_MUST_USE bool qdi_fields_get_each(const qdi_fields *fields, qdi_saved_records *from, void *to,
                                     size_t stride);
