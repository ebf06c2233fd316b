// Energies and momenta of all bodies. The sums are exact (tally.h), so bodies are taken as they lie: a first
// pass finds the largest terms of each block, a second one adds; blocks fill their own slots.

#include "sim/world/body_sums.h"

#include "core/base/arithmetic.h"
#include "sim/world/forces.h"
#include "sim/world/grain.h"
#include "sim/world/part.h"
#include "sim/world/world_impl.h"

#include <math.h>

enum { TRANSLATION, ROTATION, POTENTIAL, ANGULAR, MOMENTUM_X, MOMENTUM_Y, MOMENTUM_SCALE, MASS, AREA };

typedef struct body_terms {
    double lane[QDI_BODY_TALLIES * QDI_TALLY_LANES];
} body_terms;

// Sums of a world: what a body adds to them.
static inline body_terms terms_of_row(const qd_world *world, size_t r) {
    const double pi = 3.14159265358979323846;
    const qd_vec2 gravity = world->def.gravity, origin = world->def.origin;
    body_terms terms = {{0}};
    if (world->kind[r] != QD_BODY_DYNAMIC) return terms;
    double mass = world->mass[r], x = world->now.x[r], y = world->now.y[r], vx = world->now.vx[r],
           vy = world->now.vy[r];
    double squared = vx * vx + vy * vy, spin = world->turning ? world->now.spin[r] : 0;
    double turning = spin != 0 && isfinite(world->inertia[r]) ? world->inertia[r] * spin : 0;
    double depth = gravity.x * (x - origin.x) + gravity.y * (y - origin.y);
    if (world->def.attraction.strength != 0)
        depth -= qdi_attraction_energy(&world->def.attraction, world->axis, x, y);
    uint32_t shape = world->shaped > 0 ? world->shape[r] : 0;
    terms.lane[TRANSLATION] = 0.5 * mass * squared;
    terms.lane[ROTATION] = 0.5 * turning * spin;
    terms.lane[POTENTIAL] = -mass * depth;
    terms.lane[ANGULAR] = mass * ((x - world->centre.x) * vy - (y - world->centre.y) * vx) + turning;
    terms.lane[MOMENTUM_X] = mass * vx;
    terms.lane[MOMENTUM_Y] = mass * vy;
    terms.lane[MOMENTUM_SCALE] = mass * sqrt(squared);
    terms.lane[MASS] = mass;
    terms.lane[AREA] = shape ? qd_shape_area(world->shapes.shape[shape])
                             : pi * world->radius[r] * world->radius[r];
    return terms;
}

// Sums of a world: how large the terms of a block are, and how fast its bodies.
static void see_block(void *context, size_t begin, size_t end) {
    const qd_world *world = context;
    qdi_body_sizes sizes = {.fastest = 0};
    for (size_t r = begin; r < end; ++r) {
        if (qdi_is_ghost(world, r)) continue;
        sizes.bodies += 1;
        const body_terms terms = terms_of_row(world, r);
        for (int t = 0; t < QDI_BODY_TALLIES; ++t)
            qdi_tally_see(&sizes.most[t], terms.lane + t * QDI_TALLY_LANES);
        if (world->kind[r] != QD_BODY_DYNAMIC) continue;
        sizes.dynamic += 1;
        double vx = world->now.vx[r], vy = world->now.vy[r], speed = sqrt(vx * vx + vy * vy);
        if (speed > sizes.fastest) sizes.fastest = speed;
    }
    world->block_sums[begin / QDI_BLOCK].sizes = sizes;
}

typedef struct cut_job {
    const qd_world *world;
    qdi_tally_cut cut[QDI_BODY_TALLIES];
} cut_job;

// Sums of a world: adds up a block.
static void add_block(void *context, size_t begin, size_t end) {
    const cut_job *job = context;
    qdi_body_tallies all = {{{{0}, {0}}}};
    for (size_t r = begin; r < end; ++r) {
        if (qdi_is_ghost(job->world, r)) continue;
        const body_terms terms = terms_of_row(job->world, r);
        for (int t = 0; t < QDI_BODY_TALLIES; ++t)
            qdi_tally_add(&all.tally[t], &job->cut[t], terms.lane + t * QDI_TALLY_LANES);
    }
    job->world->block_sums[begin / QDI_BLOCK].tallies = all;
}

void qdi_body_sizes_merge(qdi_body_sizes *all, const qdi_body_sizes *other) {
    for (int t = 0; t < QDI_BODY_TALLIES; ++t) qdi_tally_see(&all->most[t], other->most[t].lane);
    if (other->fastest > all->fastest) all->fastest = other->fastest;
    all->bodies += other->bodies;
    all->dynamic += other->dynamic;
}

qdi_body_sizes qdi_see_bodies(const qd_world *world) {
    qdi_body_sizes all = {.fastest = 0};
    // The team's verbs take a plain pointer; these functions write nothing but the blocks' slots.
    qdi_team_for(world->team, world->count, QDI_BLOCK, see_block, (void *)(uintptr_t)world);
    for (size_t b = 0; b < qdi_range_count(world->count, QDI_BLOCK); ++b)
        qdi_body_sizes_merge(&all, &world->block_sums[b].sizes);
    return all;
}

void qdi_body_tallies_merge(qdi_body_tallies *all, const qdi_body_tallies *other) {
    for (int t = 0; t < QDI_BODY_TALLIES; ++t) qdi_tally_merge(&all->tally[t], &other->tally[t]);
}

qdi_body_tallies qdi_add_bodies(const qd_world *world, const qdi_body_sizes *sizes) {
    qdi_body_tallies all = {{{{0}, {0}}}};
    cut_job job = {.world = world};
    for (int t = 0; t < QDI_BODY_TALLIES; ++t)
        job.cut[t] = qdi_tally_cut_for(&sizes->most[t], (size_t)sizes->bodies);
    qdi_team_for(world->team, world->count, QDI_BLOCK, add_block, &job);
    for (size_t b = 0; b < qdi_range_count(world->count, QDI_BLOCK); ++b)
        qdi_body_tallies_merge(&all, &world->block_sums[b].tallies);
    return all;
}

qd_world_sums qdi_body_sums_of(const qdi_body_sizes *sizes, const qdi_body_tallies *tallies) {
    double sum[QDI_BODY_TALLIES * QDI_TALLY_LANES];
    for (int t = 0; t < QDI_BODY_TALLIES; ++t)
        for (int k = 0; k < QDI_TALLY_LANES; ++k)
            sum[t * QDI_TALLY_LANES + k] = tallies->tally[t].first[k] + tallies->tally[t].second[k];
    return (qd_world_sums){.kinetic = sum[TRANSLATION] + sum[ROTATION],
                           .translation = sum[TRANSLATION],
                           .rotation = sum[ROTATION],
                           .potential = sum[POTENTIAL],
                           .momentum = {sum[MOMENTUM_X], sum[MOMENTUM_Y]},
                           .momentum_scale = sum[MOMENTUM_SCALE],
                           .angular = sum[ANGULAR],
                           .mass = sum[MASS],
                           .area = sum[AREA],
                           .fastest = sizes->fastest};
}

qd_world_sums qd_world_sum(const qd_world *world) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    const qdi_body_sizes sizes = qdi_see_bodies(world);
    const qdi_body_tallies tallies = qdi_add_bodies(world, &sizes);
    qd_world_sums result = qdi_body_sums_of(&sizes, &tallies);
    QDI_SETTLE(result);
    return result;
}
