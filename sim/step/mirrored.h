#pragma once

#include "sim/world/world_impl.h"

/// What mirroring walls give to the bodies of a step.

enum { QDI_MIRRORED_X = 1, QDI_MIRRORED_Y = 2 };

typedef struct qdi_mirrored {
    const uint8_t *mask;        ///< by row: axes along which it was mirrored
    size_t *counts;             ///< per range of QDI_BODY_GRAIN: bodies mirrored; becomes their first places
    const qdi_wall_gain *gains; ///< by row: what moving walls gave; NULL where none does
    qd_vec2 half_kick;          ///< half of what gravity gave to every dynamic body
    double dt;
} qdi_mirrored;

/// Adds up what the walls gave to mirrored bodies: in `sum`, and in the world's pushes and drift. On the
/// world's team; errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_mirrored_sum(qd_world *world, const qdi_mirrored *step, qdi_wall_gain *sum);
