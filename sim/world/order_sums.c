// Sums of displacements and hexatic order, see order_sums.h: by fixed blocks of indices that are combined in
// order.
#include "sim/world/order_sums.h"

#include "sim/world/bodies.h"
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
} order_job;

// Metrics of order: adds up one block of bodies.
static void sum_order_block(void *context, size_t begin, size_t end) {
    order_job *job = context;
    const qd_world *world = job->hexatic.world;
    qdi_order_sums sums = {.count = 0};
    for (size_t i = begin; i < end; ++i) {
        const uint32_t row = world->row_of_index[i];
        if (row == QDI_NO_ROW || !qdi_hexatic_counts(world, row)) continue;
        const qd_vec2 way = qdi_displacement_of_row(world, row);
        const double xx = way.x * way.x, yy = way.y * way.y;
        qd_vec2 psi6 = {0, 0};
        if (job->known && !qdi_hexatic_of_row(&job->hexatic, row, &psi6))
            atomic_store_explicit(&job->untold, true, memory_order_relaxed);
        sums.count += 1;
        sums.xx += xx;
        sums.yy += yy;
        sums.fourth += (xx + yy) * (xx + yy);
        sums.psi6 += sqrt(psi6.x * psi6.x + psi6.y * psi6.y);
        sums.re += psi6.x;
        sums.im += psi6.y;
    }
    world->block_order[begin / QDI_BLOCK] = sums;
}

qdi_order_sums qdi_sum_order(const qd_world *world) {
    order_job job = {.known = !qdi_world_is_behind(world)};
    job.hexatic = qdi_hexatic_begin(world, QD_HEXATIC_REACH);
    qdi_team_for(world->team, world->index_count, QDI_BLOCK, sum_order_block, &job);
    qdi_order_sums all = {.count = 0};
    for (size_t b = 0; b < qdi_range_count(world->index_count, QDI_BLOCK); ++b) {
        const qdi_order_sums *sums = &world->block_order[b];
        all.count += sums->count;
        all.xx += sums->xx;
        all.yy += sums->yy;
        all.fourth += sums->fourth;
        all.psi6 += sums->psi6;
        all.re += sums->re;
        all.im += sums->im;
    }
    if (atomic_load_explicit(&job.untold, memory_order_relaxed)) all.psi6 = all.re = all.im = 0;
    return all;
}
