#pragma once

#include <quadrille/world.h>

/// Who takes a saved world: how long it is going to be is said first, then it comes piece by piece. Both may
/// fail with any status, which is then that of the saving.
typedef struct qdi_saved_sink {
    void *context;
    qd_status (*begin)(void *context, uint64_t bytes);
    qd_status (*take)(void *context, const void *data, size_t bytes);
} qdi_saved_sink;

/// What qd_world_save writes, piece by piece: nothing of it is in memory as a whole. Errors: QD_ERR_MEMORY,
/// the sink's.
QD_MUST_USE qd_status qdi_world_save_to(const qd_world *world, const qdi_saved_sink *sink);

/// The size that a world has when it is saved.
size_t qdi_saved_bytes(const qd_world *world);
