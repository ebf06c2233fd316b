#ifndef QD_SIM_SAVE_H
#define QD_SIM_SAVE_H

#include <quadrille/world.h>

/// qd_world_save into an array of the caller's, as qdi_reserve makes it grow, with room for `extra` bytes
/// behind.
QD_MUST_USE qd_status qdi_world_save_into(const qd_world *world, size_t extra, const qd_allocator *allocator,
                                          unsigned char **data, size_t *room, size_t *bytes);

/// The size that a world has when it is saved.
size_t qdi_saved_bytes(const qd_world *world);

#endif
