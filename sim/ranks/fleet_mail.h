#pragma once

#include "core/parallel/ranks.h"
#include "sim/world/world_impl.h"

/// Bodies and contacts on their way from rank to rank. Each message has them in the order of names, so what
/// all ranks have sent is put in order by taking the least of as many as there are messages, where it lies.

/// A body on its way.
typedef struct qdi_body_mail {
    uint64_t name, label;
    uint64_t needed; ///< by whom, by bit: see fleet_needs.h
    uint32_t generation;
    uint32_t
        look; ///< 1 more than the place of its look in the message; 0: a disk for which nothing was given
    double radius, mass, inertia;
    qd_vec2 position, turn, velocity;
    double spin;
    uint8_t owner;
    bool moved; ///< it had another owner
} qdi_body_mail;

/// What bodies have that are no disks or have traits; neighbours in a message that have the same share it.
typedef struct qdi_look_mail {
    qd_shape shape;
    qdi_trait trait;
} qdi_look_mail;

/// Fleet's mail: gives a body its look.
void qdi_look_put(const qdi_look_mail *look, qd_body_state *state);

/// A message of bodies that is being written; `body` NULL: only counted.
typedef struct qdi_body_letter {
    uint64_t bodies, looks;
    uint32_t shape, trait; ///< of the last look
    qdi_body_mail *body;
    qdi_look_mail *look;
} qdi_body_letter;

/// Fleet's mail: adds the body of a row.
void qdi_letter_add(qdi_body_letter *letter, const qd_world *world, uint32_t row, uint64_t needed, int owner,
                    bool moved);
/// Memory of what is sent to all ranks, rank by rank.
typedef struct qdi_post {
    unsigned char *memory;
    size_t room;
} qdi_post;

/// Fleet's mail: makes room for the letters to all ranks, which were counted, and begins to write them.
/// Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_letters_begin(const qd_allocator *allocator, qdi_post *post,
                                        qdi_body_letter *letters, int ranks, qdi_message *to);
void qdi_post_release(const qd_allocator *allocator, qdi_post *post);

/// Messages that were received, of which the first bodies have been taken.
typedef struct qdi_body_pile {
    int count; ///< of messages that are not empty
    struct {
        const qdi_body_mail *next, *end;
        const qdi_look_mail *looks;
    } from[QDI_RANKS_MAX];
} qdi_body_pile;

/// Fleet's mail: the messages of bodies that all ranks have sent.
qdi_body_pile qdi_pile_of(const qdi_message *from, int ranks);
/// Fleet's mail: bodies that are left.
size_t qdi_pile_count(const qdi_body_pile *pile);
/// Fleet's mail: whether the names of these are the first ones: 0, 1, 2 and so on.
bool qdi_pile_is_indexed(const qdi_body_pile *pile);
/// Fleet's mail: takes the body of the lowest name; `state` gets all but its id. NULL: none is left.
const qdi_body_mail *qdi_pile_take(qdi_body_pile *pile, qd_body_state *state);

/// A contact on its way; its bodies are names, and b perhaps a wall.
typedef struct qdi_contact_mail {
    uint64_t a, b;
    bool near; ///< it is a speculative one
    uint8_t persists;
    qd_contact contact;
    qdi_warm_start warm_start;
    qdi_contact_force force;
    qdi_thin_force thin_force; ///< of a thin one of two disks
} qdi_contact_mail;

/// Messages of contacts, of which the first have been taken; the same.
typedef struct qdi_contact_pile {
    int count;
    struct {
        const qdi_contact_mail *next, *end;
    } from[QDI_RANKS_MAX];
} qdi_contact_pile;

/// Fleet's mail: the messages of contacts that all ranks have sent; contacts that are left.
qdi_contact_pile qdi_contacts_of(const qdi_message *from, int ranks);
size_t qdi_contacts_left(const qdi_contact_pile *pile);
/// Fleet's mail: takes the first contact: those that touch come first, then by their bodies.
const qdi_contact_mail *qdi_contacts_take(qdi_contact_pile *pile);
