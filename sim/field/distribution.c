// Distributions, see distribution.h. What is added up are whole numbers, whose order decides nothing: each
// worker counts in bins of its own.
#include <quadrille/distribution.h>

#include "core/base/arithmetic.h"
#include "core/base/bytes.h"
#include "core/base/memory.h"
#include "core/math/outward.h"
#include "core/parallel/parallel.h"
#include "sim/world/grain.h"
#include "sim/world/hexatic.h"
#include "sim/world/pose.h"
#include "sim/world/world_team.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

struct qd_distributions {
    const qd_allocator *allocator;
    qd_distribution_def def;
    uint64_t step;
    double time;
    uint64_t moments, bodies; ///< of the mean on its way: how many, and how many bodies in all of them
    double reach, speed;      ///< its ranges
    uint64_t *counts;         ///< kind by kind
    double *expected;         ///< pairs by distance, if there were no order
    double *values;           ///< kind by kind
    uint64_t *hits;           ///< of workers
    size_t hit_room;
};

static const struct {
    const char *name, *unit, *over;
} kinds[QD_DISTRIBUTION_KINDS] = {
    [QD_DISTRIBUTION_G] = {"g", "1", "length"},
    [QD_DISTRIBUTION_SPEED] = {"speed", "time / length", "length / time"},
    [QD_DISTRIBUTION_VELOCITY_X] = {"velocity_x", "time / length", "length / time"},
    [QD_DISTRIBUTION_VELOCITY_Y] = {"velocity_y", "time / length", "length / time"},
};

const char *qd_distribution_name(qd_distribution kind) {
    return (unsigned)kind < QD_DISTRIBUTION_KINDS ? kinds[kind].name : NULL;
}

const char *qd_distribution_unit(qd_distribution kind) {
    return (unsigned)kind < QD_DISTRIBUTION_KINDS ? kinds[kind].unit : NULL;
}

const char *qd_distribution_unit_over(qd_distribution kind) {
    return (unsigned)kind < QD_DISTRIBUTION_KINDS ? kinds[kind].over : NULL;
}

// The def of distributions where nothing is asked for.
qd_distribution_def qd_distribution_def_default(void) {
    return (qd_distribution_def){.bins = 100, .reach = (double)NAN, .speed = (double)NAN};
}

// ---- distributions ----

/// Distributions: whether a range can be asked for.
static bool is_range(double value) {
    return isnan(value) || (value > 0 && isfinite(value));
}

qd_status qd_distributions_create(const qd_distribution_def *def, const qd_allocator *allocator,
                                  qd_distributions **all) {
    if (!def || !all) return QD_ERR_ARGUMENT;
    if (def->bins < 1 || def->bins > QD_DISTRIBUTION_BINS_MAX || !is_range(def->reach) ||
        !is_range(def->speed))
        return QD_ERR_VALUE;
    allocator = qdi_allocator_or_default(allocator);
    qd_distributions *made = qdi_allocate(allocator, 1, sizeof *made);
    if (!made) return QD_ERR_MEMORY;
    const size_t numbers = (size_t)def->bins * QD_DISTRIBUTION_KINDS;
    *made = (qd_distributions){.allocator = allocator, .def = *def};
    made->counts = qdi_allocate(allocator, numbers, sizeof *made->counts);
    made->values = qdi_allocate(allocator, numbers, sizeof *made->values);
    made->expected = qdi_allocate(allocator, def->bins, sizeof *made->expected);
    if (made->counts && made->values && made->expected) {
        memset(made->values, 0, numbers * sizeof *made->values);
        *all = made;
        return QD_OK;
    }
    qd_distributions_destroy(made);
    return QD_ERR_MEMORY;
}

void qd_distributions_destroy(qd_distributions *all) {
    if (!all) return;
    const qd_allocator *allocator = all->allocator;
    const size_t numbers = (size_t)all->def.bins * QD_DISTRIBUTION_KINDS;
    qdi_release(allocator, all->counts, numbers, sizeof *all->counts);
    qdi_release(allocator, all->values, numbers, sizeof *all->values);
    qdi_release(allocator, all->expected, all->def.bins, sizeof *all->expected);
    qdi_release(allocator, all->hits, all->hit_room, sizeof *all->hits);
    qdi_release(allocator, all, 1, sizeof *all);
}

uint64_t qd_distributions_step(const qd_distributions *all) {
    return all->step;
}

double qd_distributions_time(const qd_distributions *all) {
    return all->time;
}

qd_curve qd_distributions_curve(const qd_distributions *all, qd_distribution kind) {
    const uint32_t bins = all->def.bins;
    qd_curve curve = {.bins = bins, .values = all->values + (size_t)kind * bins};
    switch (kind) {
    case QD_DISTRIBUTION_G: curve.width = all->reach / bins; break;
    case QD_DISTRIBUTION_SPEED: curve.width = all->speed / bins; break;
    default:
        curve.first = -all->speed;
        curve.width = 2 * all->speed / bins;
        break;
    }
    return curve;
}

// ---- a moment ----

/// A moment that is looked at.
typedef struct moment {
    qd_distributions *all;
    const qd_world *world;
    qd_vec2 period;
    double told;        ///< distances up to here can be told
    uint64_t *hits;     ///< the bins of each worker, one worker's after the other's
    uint64_t *counted;  ///< and how many bodies, of these how many between the world's sides
    atomic_bool failed; ///< a retrieve could not be done
} moment;

/// A body while those about it are looked at.
typedef struct neighbourhood {
    const moment *of;
    uint32_t row;
    uint64_t *hits;
} neighbourhood;

/// Distributions: true for a body between the world's sides; it can only be beyond open ones.
static bool is_inside(const qd_world *world, uint32_t row) {
    for (int k = 0; k < 2; ++k) {
        const double x = k == 0 ? world->now.x[row] : world->now.y[row];
        if (world->axis[k].boundary == QD_BOUNDARY_OPEN &&
            (x < world->axis[k].low || x > world->axis[k].high))
            return false;
    }
    return true;
}

/// Distributions: the bin of a number; `bins` where it is in none.
static uint32_t bin_of(double value, double first, double width, uint32_t bins) {
    const double at = (value - first) / width;
    return at >= 0 && at < bins ? (uint32_t)at : bins;
}

/// Distributions: counts a pair of bodies; each is seen from both sides.
static bool count_pair(void *context, qd_body_index body, qd_image image) {
    (void)image;
    neighbourhood *here = context;
    const moment *of = here->of;
    const qd_world *world = of->world;
    const uint32_t a = here->row, b = world->row_of_index[body];
    if (!qdi_hexatic_counts(world, b) || !is_inside(world, b)) return true;
    const double x = qdi_nearest_difference(world->now.x[b] - world->now.x[a], of->period.x),
                 y = qdi_nearest_difference(world->now.y[b] - world->now.y[a], of->period.y);
    const uint32_t bins = of->all->def.bins;
    const uint32_t bin = bin_of(sqrt(x * x + y * y), 0, of->all->reach / bins, bins);
    if (bin < bins) here->hits[bin] += 1;
    return true;
}

/// Distributions: counts the velocity of a body.
static void count_velocity(const qd_distributions *all, const qd_world *world, uint32_t row, uint64_t *hits) {
    const uint32_t bins = all->def.bins;
    const double vx = world->now.vx[row], vy = world->now.vy[row], most = all->speed;
    const double value[3] = {sqrt(vx * vx + vy * vy), vx, vy};
    for (size_t k = 0; k < 3; ++k) {
        const uint32_t bin = k == 0 ? bin_of(value[k], 0, most / bins, bins)
                                    : bin_of(value[k], -most, 2 * most / bins, bins);
        if (bin < bins) hits[(1 + k) * bins + bin] += 1;
    }
}

// Distributions: counts a range of bodies, and the pairs that they are in.
static void count_range(void *context, size_t begin, size_t end, int worker) {
    moment *of = context;
    const qd_world *world = of->world;
    const size_t numbers = (size_t)of->all->def.bins * QD_DISTRIBUTION_KINDS;
    uint64_t *hits = of->hits + (size_t)worker * numbers, *counted = of->counted + (size_t)worker * 2;
    const double far = of->all->reach < of->told ? of->all->reach : of->told;
    for (uint32_t r = (uint32_t)begin; r < end; ++r) {
        if (!qdi_hexatic_counts(world, r)) continue;
        counted[0] += 1;
        count_velocity(of->all, world, r, hits);
        if (!is_inside(world, r)) continue;
        counted[1] += 1;
        if (!(far > 0)) continue;
        const qd_box box = qdi_outward_disk(world->now.x[r] - world->centre.x,
                                            world->now.y[r] - world->centre.y, far);
        neighbourhood here = {.of = of, .row = r, .hits = hits};
        if (qd_tree_retrieve(world->tree, box, world->index[r], count_pair, &here) != QD_OK)
            atomic_store_explicit(&of->failed, true, memory_order_relaxed);
    }
}

/// Distributions: up to which distance pairs can be told. In a periodic world a body must not be met through
/// two images of its box; along other axes no distance is longer than the world.
static double told_distance(const qd_world *world, qd_vec2 period) {
    double half = 0, told = (double)INFINITY;
    const qd_box *boxes = world->margin.held ? world->fat : world->boxes;
    for (size_t r = 0; r < world->count; ++r) {
        const double x = 0.5 * ((double)boxes[r].max_x - (double)boxes[r].min_x),
                     y = 0.5 * ((double)boxes[r].max_y - (double)boxes[r].min_y);
        if (x > half) half = x;
        if (y > half) half = y;
    }
    for (int k = 0; k < 2; ++k) {
        const double most = (k == 0 ? period.x : period.y) > 0 ? 0.5 * world->axis[k].length - half
                                                               : world->axis[k].length;
        if (most < told) told = most;
    }
    return told;
}

/// Distributions: the ranges of a mean that begins, where they were not asked for.
static void choose_ranges(qd_distributions *all, const qd_world *world) {
    const double pi = 3.14159265358979323846;
    double area = 0, squared = 0, count = 0;
    for (size_t i = 0; i < world->index_count; ++i) { // in an order that a saved world keeps
        const uint32_t r = world->row_of_index[i];
        if (r == QDI_NO_ROW || !qdi_hexatic_counts(world, r)) continue;
        const uint32_t shape = world->shaped > 0 ? world->shape[r] : 0;
        area += shape ? qd_shape_area(world->shapes.shape[shape]) : pi * world->radius[r] * world->radius[r];
        squared += world->now.vx[r] * world->now.vx[r] + world->now.vy[r] * world->now.vy[r];
        count += 1;
    }
    if (!(count > 0)) count = 1;
    all->reach = !isnan(all->def.reach) ? all->def.reach : 10 * sqrt(area / count / pi);
    all->speed = !isnan(all->def.speed) ? all->def.speed : 5 * sqrt(0.5 * squared / count);
    if (!(all->reach > 0)) all->reach = 1; // of nothing, or of bodies without area
    if (!(all->speed > 0)) all->speed = 1; // of bodies at rest
}

/// Distributions: adds how many pairs there would be in each bin if the places of `count` bodies did not
/// depend on each other. Of a way of length r in any direction from a place in a rectangle, a part ends
/// outside of sides that are no periodic ones.
static void expect_pairs(qd_distributions *all, const qd_world *world, qd_vec2 period, double told,
                         double count) {
    const double pi = 3.14159265358979323846, wide = world->axis[0].length, high = world->axis[1].length,
                 area = wide * high;
    const double once = 2 / pi * ((period.x > 0 ? 0 : high) + (period.y > 0 ? 0 : wide)),
                 twice = period.x > 0 || period.y > 0 ? 0 : 1 / pi;
    const double pairs = 0.5 * count * (count - 1) / (area * area), width = all->reach / all->def.bins;
    for (uint32_t i = 0; i < all->def.bins; ++i) {
        const double low = i * width, top = (i + 1) * width;
        if (top > told) break;
        const double ring = pi * area * (top * top - low * low) -
                            2 * pi / 3 * once * (top * top * top - low * low * low) +
                            pi / 2 * twice * (top * top * top * top - low * low * low * low);
        all->expected[i] += pairs * ring;
    }
}

/// Distributions: adds what the workers counted to the mean.
static void gather_hits(const moment *of, size_t workers) {
    qd_distributions *all = of->all;
    const uint32_t bins = all->def.bins;
    const size_t numbers = (size_t)bins * QD_DISTRIBUTION_KINDS;
    uint64_t bodies[2] = {0, 0};
    for (size_t w = 0; w < workers; ++w) {
        for (size_t i = 0; i < numbers; ++i) {
            // Where a bin reaches beyond what can be told, nothing is.
            if (i < bins && (double)(i + 1) * (all->reach / bins) > of->told) continue;
            all->counts[i] += of->hits[w * numbers + i];
        }
        bodies[0] += of->counted[2 * w];
        bodies[1] += of->counted[2 * w + 1];
    }
    all->bodies += bodies[0];
    expect_pairs(all, of->world, of->period, of->told, (double)bodies[1]);
}

qd_status qd_distributions_add(qd_distributions *all, const qd_world *world) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!all || !world) return QD_ERR_ARGUMENT;
    if (qdi_world_is_behind(world)) return QD_ERR_STATE;
    const size_t numbers = (size_t)all->def.bins * QD_DISTRIBUTION_KINDS,
                 workers = (size_t)qd_team_threads(world->team), room = workers * (numbers + 2);
    const qd_status status = qdi_reserve(all->allocator, &all->hits, &all->hit_room, 0, room,
                                         sizeof *all->hits);
    if (status != QD_OK) return status;
    if (all->moments == 0) {
        memset(all->counts, 0, numbers * sizeof *all->counts);
        for (uint32_t i = 0; i < all->def.bins; ++i) all->expected[i] = 0;
        all->bodies = 0;
        choose_ranges(all, world);
    }
    memset(all->hits, 0, room * sizeof *all->hits);
    moment of = {.all = all,
                 .world = world,
                 .period = qdi_world_period(world),
                 .hits = all->hits,
                 .counted = all->hits + workers * numbers};
    of.told = told_distance(world, of.period);
    qdi_team_for_workers(world->team, world->count, QDI_BODY_GRAIN, count_range, &of);
    if (atomic_load_explicit(&of.failed, memory_order_relaxed)) return QD_ERR_MEMORY;
    gather_hits(&of, workers);
    all->moments += 1;
    all->step = qd_world_steps(world);
    all->time = qd_world_time(world);
    return QD_OK;
}

// ---- means ----

qd_status qd_distributions_average(qd_distributions *all) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!all) return QD_ERR_ARGUMENT;
    if (all->moments == 0) return QD_ERR_STATE;
    const uint32_t bins = all->def.bins;
    for (int kind = 0; kind < QD_DISTRIBUTION_KINDS; ++kind) {
        const uint64_t *counts = all->counts + (size_t)kind * bins;
        double *values = all->values + (size_t)kind * bins;
        const double share = (double)all->bodies * qd_distributions_curve(all, (qd_distribution)kind).width;
        for (uint32_t i = 0; i < bins; ++i) {
            // Of distances each pair was counted twice.
            const double number = (double)counts[i] * (kind == QD_DISTRIBUTION_G ? 0.5 : 1),
                         all_of = kind == QD_DISTRIBUTION_G ? all->expected[i] : share;
            values[i] = all_of > 0 ? number / all_of : (double)NAN;
        }
    }
    all->moments = 0;
    return QD_OK;
}

size_t qd_distributions_save(const qd_distributions *all, unsigned char *bytes) {
    if (!all || all->moments == 0) return 0;
    const size_t numbers = (size_t)all->def.bins * QD_DISTRIBUTION_KINDS;
    if (bytes) {
        qdi_put_u64(&bytes, all->moments);
        qdi_put_u64(&bytes, all->bodies);
        qdi_put_f64(&bytes, all->reach);
        qdi_put_f64(&bytes, all->speed);
        for (size_t i = 0; i < numbers; ++i) qdi_put_u64(&bytes, all->counts[i]);
        for (size_t i = 0; i < all->def.bins; ++i) qdi_put_f64(&bytes, all->expected[i]);
    }
    return (4 + numbers + all->def.bins) * 8;
}

qd_status qd_distributions_load(qd_distributions *all, const unsigned char *bytes, size_t size) {
    if (!all || (!bytes && size > 0)) return QD_ERR_ARGUMENT;
    const size_t numbers = (size_t)all->def.bins * QD_DISTRIBUTION_KINDS;
    all->moments = 0;
    if (size == 0) return QD_OK;
    if (size != (4 + numbers + all->def.bins) * 8) return QD_ERR_CORRUPT;
    const uint64_t moments = qdi_get_u64(&bytes);
    all->bodies = qdi_get_u64(&bytes);
    all->reach = qdi_get_f64(&bytes);
    all->speed = qdi_get_f64(&bytes);
    if (moments == 0 || isnan(all->reach) || isnan(all->speed) || !is_range(all->reach) ||
        !is_range(all->speed))
        return QD_ERR_CORRUPT;
    for (size_t i = 0; i < numbers; ++i) all->counts[i] = qdi_get_u64(&bytes);
    for (size_t i = 0; i < all->def.bins; ++i) all->expected[i] = qdi_get_f64(&bytes);
    all->moments = moments;
    return QD_OK;
}
