// Hexatic order, see hexatic.h. The sum over neighbours comes in the order of the tree, which may be any: so
// it is one of whole numbers, whose order decides nothing.
#include "sim/world/hexatic.h"

#include "core/base/arithmetic.h"
#include "core/math/outward.h"
#include "sim/world/grain.h"
#include "sim/world/pose.h"
#include "sim/world/reach.h"
#include "sim/world/world_impl.h"
#include "sim/world/world_team.h"

#include <math.h>
#include <stdatomic.h>

/// Parts of 1 in which terms are added up: 5e-14 is the error of one, and half a million neighbours have
/// room.
static const double unit = 0x1p44;

/// A body while its neighbours are looked at.
typedef struct neighbourhood {
    const qdi_hexatic *all;
    uint32_t row;
    int64_t x, y; ///< sums, in units
    int64_t count;
} neighbourhood;

bool qdi_hexatic_counts(const qd_world *world, uint32_t row) {
    return world->kind[row] == QD_BODY_DYNAMIC && !world->traits.trait[world->trait[row]].sensor;
}

/// Hexatic order: a number in whole units.
static int64_t in_units(double value) {
    return (int64_t)(value * unit + (value < 0 ? -0.5 : 0.5));
}

/// Hexatic order: adds what a neighbour gives.
static bool look_at(void *context, qd_body_index body, qd_image image) {
    (void)image; // of a box that may be larger than the body's
    neighbourhood *here = context;
    const qd_world *world = here->all->world;
    const uint32_t a = here->row, b = world->row_of_index[body];
    if (!qdi_hexatic_counts(world, b)) return true;
    const double x = qdi_nearest_difference(world->now.x[b] - world->now.x[a], here->all->period.x),
                 y = qdi_nearest_difference(world->now.y[b] - world->now.y[a], here->all->period.y);
    const double squared = x * x + y * y, most = here->all->reach * (world->radius[a] + world->radius[b]);
    if (!(squared <= most * most) || !(squared > 0)) return true;
    // (x + i y)^2 / r^2, and that to the third power.
    const double re = (x * x - y * y) / squared, im = 2 * x * y / squared;
    here->x += in_units(re * (re * re - 3 * im * im));
    here->y += in_units(im * (3 * re * re - im * im));
    here->count += 1;
    return true;
}

/// Hexatic order: true where no neighbour of a body is so far that it would be one through two images.
static bool within_period(const qdi_hexatic *all, double radius) {
    const double twice = 2 * all->reach * (radius + all->largest);
    return (all->period.x == 0 || twice <= all->period.x) && (all->period.y == 0 || twice <= all->period.y);
}

bool qdi_hexatic_of_row(const qdi_hexatic *all, uint32_t row, qd_vec2 *psi6) {
    const qd_world *world = all->world;
    const double far = all->reach * world->radius[row] + all->beyond;
    const qd_box box = qdi_outward_disk(world->now.x[row] - world->centre.x,
                                        world->now.y[row] - world->centre.y, far);
    neighbourhood here = {.all = all, .row = row};
    const qd_status status = qd_tree_retrieve(world->tree, box, world->index[row], look_at, &here);
    *psi6 = (qd_vec2){0, 0};
    if (here.count > 0)
        *psi6 = (qd_vec2){(double)here.x / unit / (double)here.count,
                          (double)here.y / unit / (double)here.count};
    return status == QD_OK && within_period(all, world->radius[row]);
}

qdi_hexatic qdi_hexatic_begin(const qd_world *world, double reach) {
    qdi_hexatic all = {.world = world, .period = qdi_world_period(world), .reach = reach};
    for (uint32_t r = 0; r < world->count; ++r) {
        if (!qdi_hexatic_counts(world, r)) continue;
        const double beyond = reach * world->radius[r] - qdi_inner_of_row(world, r);
        if (world->radius[r] > all.largest) all.largest = world->radius[r];
        if (beyond > all.beyond) all.beyond = beyond;
    }
    return all;
}

// ---- of all bodies ----

typedef struct hexatic_job {
    qdi_hexatic all;
    qd_vec2 *psi6;
    atomic_bool untold;
} hexatic_job;

/// Hexatic order: works out that of a range of bodies.
static void measure_range(void *context, size_t begin, size_t end) {
    hexatic_job *job = context;
    const qd_world *world = job->all.world;
    for (uint32_t r = (uint32_t)begin; r < end; ++r) {
        job->psi6[r] = (qd_vec2){0, 0};
        if (qdi_hexatic_counts(world, r) && !qdi_hexatic_of_row(&job->all, r, &job->psi6[r]))
            atomic_store_explicit(&job->untold, true, memory_order_relaxed);
    }
}

qd_status qd_hexatic_measure(const qd_world *world, double reach, qd_vec2 *psi6) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!world || (!psi6 && world->count > 0)) return QD_ERR_ARGUMENT;
    if (!(reach > 0) || !isfinite(reach)) return QD_ERR_VALUE;
    if (qdi_world_is_behind(world)) return QD_ERR_STATE;
    hexatic_job job = {.all = qdi_hexatic_begin(world, reach), .psi6 = psi6};
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, measure_range, &job);
    return atomic_load_explicit(&job.untold, memory_order_relaxed) ? QD_ERR_VALUE : QD_OK;
}
