// Drift, boundaries and boxes. A range writes the rows that it was given and its own slots; nothing is
// shared.

#include "core/outward.h"
#include "sim/world_impl.h"

#include <math.h>

enum { MIRRORED_X = 1, MIRRORED_Y = 2 };

/// What holds for every body of a step along one axis.
typedef struct course {
    const qdi_axis *axis;
    double low, high; ///< where something happens: an infinity where nothing does
    double inset;     ///< 1 where the body's side counts, 0 where its centre does
} course;

typedef struct move_job {
    qd_world *world;
    double dt;
    course x, y;
    double distance, speed_squared;
    uint32_t *lowest_bad; ///< per range: lowest index that breaks a limit, or QD_NO_BODY
    size_t *mirrored;     ///< per range: bodies mirrored; NULL where no wall mirrors
} move_job;

double qdi_axis_wrap(const qdi_axis *axis, double x) {
    if (axis->boundary != QD_BOUNDARY_PERIODIC || (x >= axis->low && x < axis->high)) return x;
    x -= axis->length * floor((x - axis->low) / axis->length);
    // Rounding may leave it on the far side, or a hair outside the near one: both are the same place.
    if (x >= axis->high || x < axis->low) return axis->low;
    return x;
}

/// Mirrors the body's box at the walls, as often as it takes, by unfolding: the room for the centre has width
/// w, and a straight path through copies of it side by side is the reflected path. True where the velocity
/// turns round.
static bool mirror(const qdi_axis *axis, double radius, double *x, double velocity) {
    double low = axis->low + radius, width = axis->length - 2 * radius;
    double way = *x - low;
    // A body put down across a wall, on its way in, is left to come in.
    if (way < 0 ? velocity >= 0 : velocity <= 0) return false;
    if (!(width > 0)) {
        *x = axis->low + 0.5 * axis->length;
        return false;
    }
    double hits = floor(way / width);
    double rest = way - hits * width;
    bool odd = hits - 2 * floor(0.5 * hits) != 0;
    if (odd) rest = width - rest;
    if (rest < 0) rest = 0;
    if (rest > width) rest = width;
    *x = low + rest;
    return odd;
}

/// The boundary's work for a body that went past `low` or `high`.
static bool cross(const course *c, double radius, double *x, double *velocity) {
    if (c->axis->boundary == QD_BOUNDARY_PERIODIC) {
        *x = qdi_axis_wrap(c->axis, *x);
        return false;
    }
    if (!mirror(c->axis, radius, x, *velocity)) return false;
    *velocity = -*velocity;
    return true;
}

static inline bool beyond(const course *c, double x, double radius) {
    double inset = c->inset * radius;
    return x - inset < c->low || x + inset >= c->high;
}

static void move_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const move_job *job = context;
    const qd_world *world = job->world;
    const qdi_motion now = world->now, next = world->next;
    const double *radius = world->radius;
    uint8_t *mask = job->mirrored ? world->scratch.wall_mask : NULL;
    uint32_t bad = QD_NO_BODY;
    size_t mirrored = 0;
    for (size_t r = begin; r < end; ++r) {
        double x = now.x[r] + next.vx[r] * job->dt, y = now.y[r] + next.vy[r] * job->dt;
        unsigned turned = 0;
        if (beyond(&job->x, x, radius[r]) && cross(&job->x, radius[r], &x, &next.vx[r])) turned |= MIRRORED_X;
        if (beyond(&job->y, y, radius[r]) && cross(&job->y, radius[r], &y, &next.vy[r])) turned |= MIRRORED_Y;
        if (mask) mask[r] = (uint8_t)turned;
        mirrored += turned != 0;
        next.x[r] = x;
        next.y[r] = y;
        double from_x = x - world->centre.x, from_y = y - world->centre.y;
        world->boxes[r] = qdi_outward_disk(from_x, from_y, radius[r]);
        double vx = next.vx[r], vy = next.vy[r];
        bool fine = fabs(from_x) <= job->distance && fabs(from_y) <= job->distance && // false for NaN
                    vx * vx + vy * vy <= job->speed_squared;
        if (!fine && world->index[r] < bad) bad = world->index[r];
    }
    job->lowest_bad[begin / QDI_BODY_GRAIN] = bad;
    if (mask) job->mirrored[begin / QDI_BODY_GRAIN] = mirrored;
}

static course course_of(const qd_world *world, int axis) {
    const qdi_axis *a = &world->axis[axis];
    bool mirrors = a->boundary == QD_BOUNDARY_REFLECT && world->def.contact == QD_CONTACT_NONE;
    if (a->boundary == QD_BOUNDARY_PERIODIC || mirrors) return (course){a, a->low, a->high, mirrors ? 1 : 0};
    return (course){a, -HUGE_VAL, HUGE_VAL, 0};
}

// ---- what mirroring walls give to the bodies ----

typedef struct mirror_job {
    const qd_world *world;
    const size_t *first; ///< per range: place of its first mirrored body
} mirror_job;

static void gather_mirrored(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const mirror_job *job = context;
    const qd_world *world = job->world;
    const qdi_keys *keys = &world->scratch.keys;
    size_t place = job->first[begin / QDI_BODY_GRAIN];
    for (size_t r = begin; r < end; ++r) {
        if (!world->scratch.wall_mask[r]) continue;
        keys->key[place] = world->index[r];
        keys->value[place++] = (uint32_t)r;
    }
}

static qd_vec2 mirrored_impulse(const void *context, size_t i) {
    const qd_world *world = context;
    uint32_t r = world->scratch.keys.value[i];
    unsigned turned = world->scratch.wall_mask[r];
    double twice = 2 * world->mass[r];
    return (qd_vec2){turned & MIRRORED_X ? twice * world->next.vx[r] : 0,
                     turned & MIRRORED_Y ? twice * world->next.vy[r] : 0};
}

static qd_status sum_mirrored(qd_world *world, size_t *counts, size_t ranges, qd_vec2 *sum) {
    size_t count = qdi_exclusive_scan(counts, ranges);
    qdi_keys *keys = &world->scratch.keys;
    qd_status status = qdi_keys_reserve(world->allocator, keys, count);
    if (status != QD_OK) return status;
    mirror_job job = {world, counts};
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, gather_mirrored, &job);
    status = qdi_team_sort(world->team, keys->key, keys->value, keys->key_spare, keys->value_spare, count,
                           28);
    return status == QD_OK ? qdi_sum(world, count, mirrored_impulse, world, sum) : status;
}

static bool limits_hold(qd_world *world, const uint32_t *lowest_bad, size_t ranges) {
    uint32_t bad = QD_NO_BODY;
    for (size_t k = 0; k < ranges; ++k)
        if (lowest_bad[k] < bad) bad = lowest_bad[k];
    if (bad != QD_NO_BODY) qdi_limit_report_body(world, world->row_of_index[bad]);
    return bad == QD_NO_BODY;
}

qd_status qdi_motion_move(qd_world *world, double dt, qd_vec2 *mirrored) {
    qdi_scratch *scratch = &world->scratch;
    size_t ranges = qdi_range_count(world->count, QDI_BODY_GRAIN);
    course x = course_of(world, 0), y = course_of(world, 1);
    bool mirrors = x.inset > 0 || y.inset > 0;
    qd_status status = qdi_reserve(world->allocator, &scratch->range_count, &scratch->range_room, 0, ranges,
                                   sizeof *scratch->range_count);
    if (status == QD_OK)
        status = qdi_reserve(world->allocator, &scratch->order, &scratch->order_room, 0, ranges,
                             sizeof *scratch->order);
    if (status == QD_OK && mirrors)
        status = qdi_reserve(world->allocator, &scratch->wall_mask, &scratch->wall_room, 0, world->count, 1);
    if (status != QD_OK) return status;
    move_job job = {world,
                    dt,
                    x,
                    y,
                    qdi_limit_distance(world),
                    qdi_limit_speed_squared(world),
                    scratch->order,
                    mirrors ? scratch->range_count : NULL};
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, move_range, &job);
    *mirrored = (qd_vec2){0, 0};
    if (!limits_hold(world, scratch->order, ranges)) return QD_ERR_LIMIT;
    return mirrors ? sum_mirrored(world, scratch->range_count, ranges, mirrored) : QD_OK;
}

static void boxes_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    qd_world *world = context;
    for (size_t r = begin; r < end; ++r)
        world->boxes[r] = qdi_outward_disk(world->now.x[r] - world->centre.x,
                                           world->now.y[r] - world->centre.y, world->radius[r]);
}

void qdi_motion_boxes(qd_world *world) {
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, boxes_range, world);
}
