// Energies and momenta of all bodies, by fixed blocks of indices that are combined in order.

#include <quadrille/world.h>

#include "core/base/arithmetic.h"
#include "sim/world/forces.h"
#include "sim/world/grain.h"
#include "sim/world/world_impl.h"

#include <math.h>

/// Rows lie in another order than indices: one that is needed soon is asked for ahead.
enum { AHEAD = 12 };
// Sums of a world: prefetches a body that comes later in the loop over a block.
static inline void prefetch_body(const qd_world *world, size_t index) {
    uint32_t r = world->row_of_index[index];
    if (r == QDI_NO_ROW) return;
    const qdi_motion *now = &world->now;
    __builtin_prefetch(&world->kind[r]);
    __builtin_prefetch(&world->mass[r]);
    __builtin_prefetch(&world->radius[r]);
    __builtin_prefetch(&now->x[r]);
    __builtin_prefetch(&now->y[r]);
    __builtin_prefetch(&now->vx[r]);
    __builtin_prefetch(&now->vy[r]);
    if (world->shaped > 0) __builtin_prefetch(&world->shape[r]);
    if (!world->turning) return;
    __builtin_prefetch(&now->spin[r]);
    __builtin_prefetch(&world->inertia[r]);
}

// Sums of a world: adds up energies and momenta of one block of bodies.
static void sum_body_block(void *context, size_t begin, size_t end) {
    const double pi = 3.14159265358979323846;
    const qd_world *world = context;
    const qd_vec2 gravity = world->def.gravity, origin = world->def.origin;
    const bool pulls = world->def.attraction.strength != 0;
    qd_world_sums sums = {0};
    for (size_t i = begin; i < end; ++i) {
        uint32_t r = world->row_of_index[i];
        if (i + AHEAD < end) prefetch_body(world, i + AHEAD);
        if (r == QDI_NO_ROW || world->kind[r] != QD_BODY_DYNAMIC) continue;
        double mass = world->mass[r], vx = world->now.vx[r], vy = world->now.vy[r];
        double squared = vx * vx + vy * vy, speed = sqrt(squared);
        double spin = world->turning ? world->now.spin[r] : 0;
        double turning = spin != 0 && isfinite(world->inertia[r]) ? world->inertia[r] * spin : 0;
        qd_vec2 arm = {world->now.x[r] - world->centre.x, world->now.y[r] - world->centre.y};
        sums.kinetic += 0.5 * mass * squared + 0.5 * turning * spin;
        sums.translation += 0.5 * mass * squared;
        sums.rotation += 0.5 * turning * spin;
        sums.angular += mass * (arm.x * vy - arm.y * vx) + turning;
        sums.potential -= mass * (gravity.x * (world->now.x[r] - origin.x) +
                                  gravity.y * (world->now.y[r] - origin.y));
        if (pulls)
            sums.potential += mass * qdi_attraction_energy(&world->def.attraction, world->axis,
                                                           world->now.x[r], world->now.y[r]);
        sums.momentum.x += mass * vx;
        sums.momentum.y += mass * vy;
        sums.momentum_scale += mass * speed;
        sums.mass += mass;
        uint32_t shape = world->shaped > 0 ? world->shape[r] : 0;
        sums.area += shape ? qd_shape_area(world->shapes.shape[shape])
                           : pi * world->radius[r] * world->radius[r];
        if (speed > sums.fastest) sums.fastest = speed;
    }
    world->block_sums[begin / QDI_BLOCK] = sums;
}

// Sums of a world: adds up energies and momenta of all bodies, block by block in order.
static qd_world_sums sum_bodies(const qd_world *world) {
    qdi_team_for(world->team, world->index_count, QDI_BLOCK, sum_body_block, (void *)(uintptr_t)world);
    qd_world_sums sums = {0};
    for (size_t b = 0; b < qdi_range_count(world->index_count, QDI_BLOCK); ++b) {
        const qd_world_sums *block = &world->block_sums[b];
        sums.kinetic += block->kinetic;
        sums.translation += block->translation;
        sums.rotation += block->rotation;
        sums.potential += block->potential;
        sums.momentum.x += block->momentum.x;
        sums.momentum.y += block->momentum.y;
        sums.momentum_scale += block->momentum_scale;
        sums.angular += block->angular;
        sums.mass += block->mass;
        sums.area += block->area;
        if (block->fastest > sums.fastest) sums.fastest = block->fastest;
    }
    return sums;
}

qd_world_sums qd_world_sum(const qd_world *world) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    qd_world_sums result = sum_bodies(world);
    QDI_SETTLE(result);
    return result;
}
