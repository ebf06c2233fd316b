#pragma once

#include "sim/world/world_impl.h"

#include <stddef.h>
#include <stdint.h>

/// Names of bodies.
///
/// What a body is called in a world is its index: the handle by which the tree, contacts and events know it.
/// A world that holds a part of the bodies of a larger one knows besides what each is called there: its name,
/// of 64 bits, which nobody else has in any part. State hash, random numbers and the colouring of contacts go
/// by names, so they are those of the whole. All else that has an order goes by indices; as indices are given
/// in the order of names, that order is the same in every part.
///
/// Where the two coincide, as in a world by itself and in the part of a rank that is the only one, there is
/// no memory for names.

/// Names: that of the body with an index.
static inline uint64_t qdi_name_of(const qd_world *world, qd_body_index index) {
    return world->names ? world->names[index] : index;
}
/// Names: that of one end of a contact; walls have the same in all parts.
static inline uint64_t qdi_name_of_id(const qd_world *world, qd_id id) {
    return qd_id_is_wall(id) ? id.index : qdi_name_of(world, id.index);
}

/// Names: gives its name to every index of a world, or, where `names` is NULL, makes names and indices the
/// same again. Bodies that are added later need names, too. Errors: QD_ERR_VALUE: they do not grow from index
/// to index; QD_ERR_MEMORY. Nothing changes then.
QD_MUST_USE qd_status qdi_names_give(qd_world *world, const uint64_t *names);
/// Names: the first index whose name is not below `name`; `index_count` where all are.
size_t qdi_names_from(const qd_world *world, uint64_t name);
/// Names: which of `count` names, which grow, is `name`; QDI_NO_ROW where none is. NULL: they are the
/// indices.
uint32_t qdi_names_find(const uint64_t *names, size_t count, uint64_t name);
/// Names: frees.
void qdi_names_release(qd_world *world);
