#pragma once

#include "tools/bench/method.h"

#include <quadrille/alloc.h>

/// The bodies that the methods are measured with. The smallest diameter is 1; places are random and may
/// overlap; the order of the bodies is random too.

/// One of the bench's scenes.
typedef struct qdi_bench_scene {
    const char *name;
    const char *about; ///< one line
    double fill;       ///< area of the bodies over that of the world
    double speed;      ///< standard deviation of each component of the velocities, in diameters per step
    bool sizes;        ///< radii from .5 to 50, the small ones most
    bool clusters;     ///< places crowd around 64 centres
} qdi_bench_scene;

/// Scene number `number`, NULL past the last; the first is the default.
const qdi_bench_scene *qdi_bench_scene_at(size_t number);

/// Bodies, with their memory.
typedef struct qdi_bench_setting {
    qdi_bench_bodies bodies;
    const qd_allocator *allocator;
    double *block;
} qdi_bench_setting;

/// Makes the bodies of a scene, `speed` times as fast as it says: a function of scene, speed, count and seed
/// alone. Errors: QD_ERR_MEMORY, nothing to free then.
QD_MUST_USE qd_status qdi_bench_setting_make(const qdi_bench_scene *scene, double speed, size_t count,
                                             uint64_t seed, const qd_allocator *allocator,
                                             qdi_bench_setting *setting);
void qdi_bench_setting_free(qdi_bench_setting *setting);
