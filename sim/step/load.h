#pragma once

#include "sim/world/save_impl.h"

#include <stdbool.h>

/// Loading a saved world (sim/world/save.c) piece by piece, for those who never have all of its bytes. That
/// its checksum is right is for them to find out.

/// Loading: bytes of a saved world up to its materials, which go on to qdi_saved_head_bytes.
size_t qdi_load_head_bytes(void);
/// Loading: from the head of a saved world of `bytes` bytes makes a world that has neither bodies nor
/// materials yet, and says how many there are of each. `def` has the allocator and the number of threads.
/// Errors: QD_ERR_CORRUPT, with the reason; QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_load_head(const unsigned char *head, uint64_t bytes, qd_world_def *def,
                                    qd_world **world, qdi_saved *n, qd_error *error);
/// Loading: gives the world its materials. Errors: QD_ERR_CORRUPT, QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_load_materials(const unsigned char **at, qd_world *world, const qdi_saved *n);

/// Loading: reads and checks a shape, or a trait. Errors: QD_ERR_CORRUPT.
QD_MUST_USE qd_status qdi_load_shape(const unsigned char **at, qd_shape *shape);
QD_MUST_USE qd_status qdi_load_trait(const unsigned char **at, const qd_world *world, qdi_trait *trait);

/// A body as it is saved; shape and trait are numbers, 0 of disks and of the default.
typedef struct qdi_saved_row {
    uint64_t label;
    uint32_t index, shape, trait;
    double radius, mass, inertia;
    qd_vec2 position, turn, velocity;
    double spin, lean;
} qdi_saved_row;
/// Loading: reads a body; nothing is checked.
void qdi_load_row(const unsigned char **at, qdi_saved_row *row);

/// Loading: reads some contacts with their warm starts; false where a number does not fit its member.
QD_MUST_USE bool qdi_load_contacts(const unsigned char **at, qd_contact *contact, qdi_warm_start *warm_start,
                                   size_t count);
/// Loading: whether the numbers of a contact are possible, whoever its bodies are.
bool qdi_load_contact_fits(const qd_contact *contact, const qdi_warm_start *warm_start);
/// Loading: reads the force of a spring; false where it cannot be.
QD_MUST_USE bool qdi_load_force(const unsigned char **at, qdi_contact_force *force);
