#include "sim/world/pose.h"

#include "sim/world/grain.h"
#include "sim/world/reach.h"
#include "sim/world/world_impl.h"

#include <quadrille/math.h>

#include <math.h>

qd_vec2 qdi_world_period(const qd_world *world) {
    return (qd_vec2){world->axis[0].boundary == QD_BOUNDARY_PERIODIC ? world->axis[0].length : 0,
                     world->axis[1].boundary == QD_BOUNDARY_PERIODIC ? world->axis[1].length : 0};
}

qdi_reach qdi_world_reach(const qd_world *world) {
    qdi_reach reach = {qdi_speculative(world), qdi_adhesive_range(world), HUGE_VAL};
    qd_vec2 period = qdi_world_period(world);
    if (period.x > 0) reach.most = 0.225 * period.x;
    if (period.y > 0 && 0.225 * period.y < reach.most) reach.most = 0.225 * period.y;
    return reach;
}

double qdi_axis_wrap(const qdi_axis *axis, double x) {
    if (axis->boundary != QD_BOUNDARY_PERIODIC || (x >= axis->low && x < axis->high)) return x;
    x -= axis->length * floor((x - axis->low) / axis->length);
    // Rounding may leave it on the far side, or a hair outside the near one: both are the same place.
    if (x >= axis->high || x < axis->low) return axis->low;
    return x;
}

double qdi_axis_wraps(const qdi_axis *axis, double from, double to, double expected) {
    if (axis->boundary != QD_BOUNDARY_PERIODIC) return 0;
    return floor((from + expected - to) / axis->length + 0.5);
}

qd_vec2 qdi_pivot_arm(const qdi_axis axis[2], qd_vec2 pivot, double x, double y) {
    double arm[2] = {x - pivot.x, y - pivot.y};
    for (int k = 0; k < 2; ++k)
        if (axis[k].boundary == QD_BOUNDARY_PERIODIC)
            arm[k] -= axis[k].length * floor(arm[k] / axis[k].length + 0.5);
    return (qd_vec2){arm[0], arm[1]};
}

qd_vec2 qdi_motion_turned(double c, double s, double angle) {
    double sine, cosine;
    qd_sincos(angle, &sine, &cosine);
    double x = c * cosine - s * sine, y = s * cosine + c * sine;
    double length = sqrt(x * x + y * y);
    return (qd_vec2){x / length, y / length};
}

void qdi_motion_box(qd_world *world, uint32_t row) {
    const qdi_motion *next = &world->next;
    qdi_extent wide, high;
    qdi_extents_of(world, row, next->c[row], next->s[row], &wide, &high);
    world->boxes[row] = qdi_box_of(next->x[row] - world->centre.x, next->y[row] - world->centre.y, wide,
                                   high);
}

typedef struct box_job {
    const qd_world *world;
    const qdi_motion *motion;
} box_job;

// Makes the boxes of a range of bodies.
static void make_row_boxes(void *context, size_t begin, size_t end) {
    const box_job *job = context;
    const qd_world *world = job->world;
    const qdi_motion *m = job->motion;
    for (size_t r = begin; r < end; ++r) {
        double x = m->x[r] - world->centre.x, y = m->y[r] - world->centre.y;
        qdi_extent wide, high;
        qdi_extents_of(world, r, m->c[r], m->s[r], &wide, &high);
        world->boxes[r] = qdi_box_of(x, y, wide, high);
    }
}

void qdi_motion_boxes(qd_world *world, const qdi_motion *motion) {
    box_job job = {world, motion};
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, make_row_boxes, &job);
}

void qdi_motion_extents(const qd_world *world, size_t row, double c, double s, qd_vec2 *low, qd_vec2 *high) {
    qdi_extent x, y;
    qdi_extents_of(world, row, c, s, &x, &y);
    *low = (qd_vec2){x.low, y.low};
    *high = (qd_vec2){x.high, y.high};
}
