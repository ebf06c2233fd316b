// Sums of displacements and hexatic order, see order_sums.h. They are exact (tally.h), so bodies are taken as
// they lie; blocks of them fill their own slots.
#include "sim/world/order_sums.h"

#include "sim/world/displacement.h"
#include "sim/world/grain.h"
#include "sim/world/hexatic.h"
#include "sim/world/world_team.h"

#include <math.h>
#include <stdatomic.h>

typedef struct order_job {
    qdi_hexatic hexatic;
    bool known; ///< the tree is up to date
    atomic_bool untold;
    qdi_tally_cut way, psi6;
} order_job;

// Metrics of order: squares of a body's displacement, and the fourth power.
static void put_way(const qd_world *world, uint32_t row, double lanes[QDI_TALLY_LANES]) {
    const qd_vec2 way = qdi_displacement_of_row(world, row);
    lanes[0] = way.x * way.x;
    lanes[1] = way.y * way.y;
    lanes[2] = (lanes[0] + lanes[1]) * (lanes[0] + lanes[1]);
    lanes[3] = 0;
}

// Metrics of order: how far the bodies of a block have gone at most.
static void see_order_block(void *context, size_t begin, size_t end) {
    const order_job *job = context;
    const qd_world *world = job->hexatic.world;
    qdi_tally_most most = {{0}};
    for (uint32_t row = (uint32_t)begin; row < end; ++row) {
        double lanes[QDI_TALLY_LANES];
        if (!qdi_hexatic_counts(world, row)) continue;
        put_way(world, row, lanes);
        qdi_tally_see(&most, lanes);
    }
    world->block_order[begin / QDI_BLOCK].most = most;
}

// Metrics of order: adds up one block of bodies.
static void sum_order_block(void *context, size_t begin, size_t end) {
    order_job *job = context;
    const qd_world *world = job->hexatic.world;
    qdi_order_block sums = {.count = 0};
    for (uint32_t row = (uint32_t)begin; row < end; ++row) {
        double lanes[QDI_TALLY_LANES];
        if (!qdi_hexatic_counts(world, row)) continue;
        qd_vec2 psi6 = {0, 0};
        if (job->known && !qdi_hexatic_of_row(&job->hexatic, row, &psi6))
            atomic_store_explicit(&job->untold, true, memory_order_relaxed);
        sums.count += 1;
        put_way(world, row, lanes);
        qdi_tally_add(&sums.way, &job->way, lanes);
        const double order[QDI_TALLY_LANES] = {sqrt(psi6.x * psi6.x + psi6.y * psi6.y), psi6.x, psi6.y};
        qdi_tally_add(&sums.psi6, &job->psi6, order);
    }
    world->block_order[begin / QDI_BLOCK] = sums;
}

qdi_order_sums qdi_sum_order(const qd_world *world) {
    const size_t blocks = qdi_range_count(world->count, QDI_BLOCK);
    order_job job = {.known = !qdi_world_is_behind(world)};
    job.hexatic = qdi_hexatic_begin(world, QD_HEXATIC_REACH);
    qdi_team_for(world->team, world->count, QDI_BLOCK, see_order_block, &job);
    qdi_tally_most far = {{0}};
    const qdi_tally_most one = {{1, 1, 1, 1}}; // nobody is more in order than in a perfect lattice
    for (size_t b = 0; b < blocks; ++b) qdi_tally_see(&far, world->block_order[b].most.lane);
    job.way = qdi_tally_cut_for(&far, world->count);
    job.psi6 = qdi_tally_cut_for(&one, world->count);
    qdi_team_for(world->team, world->count, QDI_BLOCK, sum_order_block, &job);
    qdi_order_block all = {.count = 0};
    for (size_t b = 0; b < blocks; ++b) {
        all.count += world->block_order[b].count;
        qdi_tally_merge(&all.way, &world->block_order[b].way);
        qdi_tally_merge(&all.psi6, &world->block_order[b].psi6);
    }
    double way[QDI_TALLY_LANES], psi6[QDI_TALLY_LANES];
    for (int k = 0; k < QDI_TALLY_LANES; ++k) {
        way[k] = all.way.first[k] + all.way.second[k];
        psi6[k] = all.psi6.first[k] + all.psi6.second[k];
    }
    qdi_order_sums sums = {.count = all.count, .xx = way[0], .yy = way[1], .fourth = way[2]};
    if (atomic_load_explicit(&job.untold, memory_order_relaxed)) return sums;
    sums.psi6 = psi6[0];
    sums.re = psi6[1];
    sums.im = psi6[2];
    return sums;
}
