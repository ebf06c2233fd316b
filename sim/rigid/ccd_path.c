// Paths through a step, and the boxes that contain them. Nothing here writes.

#include "core/math/outward.h"
#include "core/tree/image.h"
#include "sim/rigid/ccd.h"
#include "sim/rigid/rigid_step.h"
#include "sim/world/bodies.h"
#include "sim/world/energy_balance_state.h"
#include "sim/world/forces.h"
#include "sim/world/limits.h"
#include "sim/world/pose.h"
#include "sim/world/reach.h"
#include "sim/world/scratch.h"
#include "sim/world/world_impl.h"

#include <quadrille/math.h>

#include <math.h>

double qdi_ccd_part(const qd_world *world) {
    if (world->def.contact != QD_CONTACT_IMPULSE || world->def.continuous == QD_CONTINUOUS_OFF)
        return (double)INFINITY;
    return world->def.continuous == QD_CONTINUOUS_ON ? 0 : 0.5;
}

/// Paths of ccd: how far a body goes in the step along axis `k`, which may be periodic and have wrapped it.
/// Where contacts moved it, that may be far from what its speed in the end would say.
static double displacement(const qdi_step *step, uint32_t row, int k) {
    const qd_world *world = step->world;
    const qdi_axis *axis = &world->axis[k];
    const qdi_motion *now = &world->now, *next = &world->next;
    const double way = k == 0 ? next->x[row] - now->x[row] : next->y[row] - now->y[row];
    if (axis->boundary != QD_BOUNDARY_PERIODIC) return way;
    double expected = (k == 0 ? next->vx[row] : next->vy[row]) * step->dt;
    const qdi_mover *mover = world->kind[row] == QD_BODY_DYNAMIC ? qdi_mover_of_row(world, row) : NULL;
    if (mover) expected = k == 0 ? mover->dx : mover->dy;
    return way - axis->length * floor((way - expected) / axis->length + 0.5);
}

/// Paths of ccd: the mean velocity; that of the step's end, where it gives the path exactly, so that nothing
/// is rounded.
static double mean_velocity(double from, double to, double way, double last, double dt) {
    return from + last * dt == to ? last : way / dt;
}

/// A chord may leave its arc by this part of the body's size, or of the arc's radius where that is more.
static const double chord_size_part = 0.05, chord_radius_part = 1e-3;
enum { CHORDS = 64 };

/// Paths of ccd: from its pivot to a body that turns about one, at the step's start; (0, 0) for the others.
static qd_vec2 pivot_arm(const qd_world *world, uint32_t row) {
    if (world->kind[row] != QD_BODY_KINEMATIC) return (qd_vec2){0, 0};
    const qd_vec2 pivot = world->traits.trait[world->trait[row]].pivot;
    if (isnan(pivot.x)) return (qd_vec2){0, 0};
    return qdi_pivot_arm(world->axis, pivot, world->now.x[row], world->now.y[row]);
}

/// Paths of ccd: chords for an arc: of an angle t a chord leaves it by radius * t^2 / 8.
static int chords_of(const qd_world *world, uint32_t row, qd_vec2 arm, double turn) {
    const double radius = sqrt(arm.x * arm.x + arm.y * arm.y), inner = qdi_inner_of_row(world, row);
    double most = chord_size_part * inner;
    if (most < chord_radius_part * radius) most = chord_radius_part * radius;
    if (!(radius > 0)) return 1;
    const double parts = ceil(fabs(turn) * sqrt(radius / (8 * most)));
    return parts < CHORDS ? (parts > 1 ? (int)parts : 1) : CHORDS;
}

/// Paths of ccd: a vector turned by an angle's cosine and sine.
static qd_vec2 turned(qd_vec2 arm, double angle) {
    double s, c;
    qd_sincos(angle, &s, &c);
    return (qd_vec2){arm.x * c - arm.y * s, arm.x * s + arm.y * c};
}

/// Ccd: makes a segment the chord `part` of its arc. `segment` has the whole path.
static void cut_chord(const qdi_step *step, qdi_path_segment *segment, uint32_t row, int part, int parts) {
    const qd_world *world = step->world;
    const double x = segment->x, y = segment->y, to_x = x + segment->vx * step->dt,
                 to_y = y + segment->vy * step->dt;
    const double turn = segment->spin * step->dt, from = turn * part / parts, span = step->dt / parts;
    const qd_vec2 arm = pivot_arm(world, row), begin = turned(arm, from),
                  end = turned(arm, turn * (part + 1) / parts);
    const qd_vec2 pose = qdi_motion_turned(segment->c, segment->s, from);
    const bool last = part + 1 == parts; // it ends where the body is
    if (part > 0) {
        segment->x = x - arm.x + begin.x;
        segment->y = y - arm.y + begin.y;
        segment->c = pose.x;
        segment->s = pose.y;
    }
    segment->start = step->dt * part / parts;
    segment->vx = ((last ? to_x : x - arm.x + end.x) - segment->x) / span;
    segment->vy = ((last ? to_y : y - arm.y + end.y) - segment->y) / span;
    segment->row = row;
    segment->part = (uint8_t)part;
    segment->parts = (uint8_t)parts;
}

/// Ccd: the whole path of a body that nothing stops, as one segment.
static qdi_path_segment whole_way(const qdi_step *step, uint32_t row) {
    const qd_world *world = step->world;
    const qdi_motion *now = &world->now, *next = &world->next;
    double dt = step->dt, x = now->x[row], y = now->y[row], vx = next->vx[row], vy = next->vy[row];
    double way_x = displacement(step, row, 0), way_y = displacement(step, row, 1);
    double turn = qdi_motion_turn(world, row, dt);
    qdi_path_segment segment = {.x = x,
                                .y = y,
                                .c = now->c[row],
                                .s = now->s[row],
                                .vx = mean_velocity(x, next->x[row], way_x, vx, dt),
                                .vy = mean_velocity(y, next->y[row], way_y, vy, dt),
                                .next = QDI_NONE_YET};
    if (turn != 0) segment.spin = turn == next->spin[row] * dt ? next->spin[row] : turn / dt;
    return segment;
}

qdi_path_segment qdi_segment_make(const qdi_step *step, uint32_t row) {
    qdi_path_segment segment = whole_way(step, row);
    if (step->world->kind[row] != QD_BODY_KINEMATIC || segment.spin == 0) return segment;
    const int parts = chords_of(step->world, row, pivot_arm(step->world, row), segment.spin * step->dt);
    if (parts > 1) cut_chord(step, &segment, row, 0, parts);
    return segment;
}

qdi_path_segment qdi_segment_at(const qdi_step *step, uint32_t row, double time) {
    qdi_path_segment segment = qdi_segment_of_row(step, row);
    if (segment.parts == 0 || !(time > qdi_segment_end(step, &segment))) return segment;
    const int parts = segment.parts, part = (int)(time / step->dt * parts);
    segment = whole_way(step, row);
    cut_chord(step, &segment, row, part < parts ? part : parts - 1, parts);
    return segment;
}

qdi_path_segment qdi_path_begin(const qdi_step *step, uint32_t row) {
    if (step->ccd->trajectory_count == 0) return qdi_segment_of_row(step, row);
    uint32_t trajectory = step->ccd->trajectory_of[row];
    if (trajectory == QDI_NONE_YET || step->ccd->trajectories[trajectory].first == QDI_NONE_YET)
        return qdi_segment_of_row(step, row);
    return step->ccd->segments[step->ccd->trajectories[trajectory].first];
}

bool qdi_path_next(const qdi_step *step, qdi_path_segment *segment) {
    if (segment->part + 1 < segment->parts) {
        const uint32_t row = segment->row;
        const int part = segment->part + 1, parts = segment->parts;
        *segment = whole_way(step, row);
        cut_chord(step, segment, row, part, parts);
        return true;
    }
    if (segment->next == QDI_NONE_YET) return false;
    *segment = step->ccd->segments[segment->next];
    return true;
}

bool qdi_segment_followed(const qdi_step *step, uint32_t row, const qdi_path_segment *segment) {
    const qd_world *world = step->world;
    double speed = sqrt(segment->vx * segment->vx + segment->vy * segment->vy);
    if (world->shape[row]) speed += fabs(segment->spin) * world->radius[row];
    if (qdi_is_bullet(world, row)) return speed > 0;
    return speed > 0 && speed * step->dt > step->part * qdi_inner_of_row(world, row);
}

qdi_party qdi_party_of(const qdi_step *step, uint32_t row, const qdi_path_segment *segment) {
    return (qdi_party){qdi_form_of_row(step->world, row), *segment, qdi_inner_of_row(step->world, row),
                       step->world->radius[row]};
}

qdi_pose qdi_segment_pose(const qdi_path_segment *segment, double time) {
    double gone = time - segment->start;
    qdi_pose pose = {segment->x + segment->vx * gone, segment->y + segment->vy * gone, segment->c,
                     segment->s};
    if (segment->spin == 0 || gone == 0) return pose;
    double c, s;
    qd_sincos(segment->spin * gone, &s, &c);
    pose.c = segment->c * c - segment->s * s;
    pose.s = segment->s * c + segment->c * s;
    return pose;
}

// ---- boxes ----

/// Paths of ccd: makes the bounds of a path contain a point.
static void include(const qd_world *world, uint32_t row, const qdi_pose *pose, double more, qd_vec2 *low,
                    qd_vec2 *high) {
    qd_vec2 below, above;
    qdi_motion_extents(world, row, pose->c, pose->s, &below, &above);
    if (pose->x + below.x - more < low->x) low->x = pose->x + below.x - more;
    if (pose->y + below.y - more < low->y) low->y = pose->y + below.y - more;
    if (pose->x + above.x + more > high->x) high->x = pose->x + above.x + more;
    if (pose->y + above.y + more > high->y) high->y = pose->y + above.y + more;
}

/// Paths of ccd: a point of a body that turns by an angle comes at most radius * (1 - cos(angle / 2)) further
/// than at both ends.
static double arc_height(const qdi_step *step, uint32_t row, const qdi_path_segment *segment, double until) {
    const double turn = fabs(segment->spin) * (until - segment->start);
    return step->world->shape[row] ? (turn < 2 ? 0.125 * turn * turn : 2) * step->world->radius[row] : 0;
}

/// Ccd: makes the bounds of a path contain a segment until a time, when the body is in pose `end`.
static void include_segment(const qdi_step *step, uint32_t row, const qdi_path_segment *segment, double until,
                            const qdi_pose *end, qd_vec2 *low, qd_vec2 *high) {
    const double more = arc_height(step, row, segment, until);
    const qdi_pose begin = {segment->x, segment->y, segment->c, segment->s};
    include(step->world, row, &begin, more, low, high);
    include(step->world, row, end, more, low, high);
}

/// Ccd: the bounds of all segments.
static void segments_bounds(const qdi_step *step, uint32_t row, qd_vec2 *low, qd_vec2 *high) {
    *low = (qd_vec2){HUGE_VAL, HUGE_VAL};
    *high = (qd_vec2){-HUGE_VAL, -HUGE_VAL};
    qdi_path_segment segment = qdi_path_begin(step, row), after = segment;
    if (step->ccd->trajectory_of[row] == QDI_NONE_YET && segment.parts == 0) { // the pose at its end is known
        const qdi_motion *next = &step->world->next;
        const bool turning = step->world->turning;
        const qdi_pose end = {segment.x + segment.vx * step->dt, segment.y + segment.vy * step->dt,
                              turning ? next->c[row] : segment.c, turning ? next->s[row] : segment.s};
        include_segment(step, row, &segment, step->dt, &end, low, high);
        return;
    }
    do {
        segment = after;
        const double until = qdi_segment_end(step, &segment);
        const qdi_pose end = qdi_segment_pose(&segment, until);
        include_segment(step, row, &segment, until, &end, low, high);
    } while (qdi_path_next(step, &after));
}

/// Paths of ccd: the same for a disk that has met nobody and goes straight, where no edge of the world wraps
/// it.
static void disk_bounds(const qdi_step *step, uint32_t row, qd_vec2 *low, qd_vec2 *high) {
    const qdi_motion *now = &step->world->now, *next = &step->world->next;
    double radius = step->world->radius[row];
    *low = (qd_vec2){(now->x[row] < next->x[row] ? now->x[row] : next->x[row]) - radius,
                     (now->y[row] < next->y[row] ? now->y[row] : next->y[row]) - radius};
    *high = (qd_vec2){(now->x[row] > next->x[row] ? now->x[row] : next->x[row]) + radius,
                      (now->y[row] > next->y[row] ? now->y[row] : next->y[row]) + radius};
}

void qdi_path_own_bounds(const qdi_step *step, uint32_t row, qd_vec2 *low, qd_vec2 *high) {
    bool plain = step->world->shape[row] == 0 && !step->periodic &&
                 step->world->kind[row] != QD_BODY_KINEMATIC && step->ccd->trajectory_of[row] == QDI_NONE_YET;
    if (plain)
        disk_bounds(step, row, low, high);
    else
        segments_bounds(step, row, low, high);
}

void qdi_path_bounds(const qdi_step *step, uint32_t row, qd_vec2 *low, qd_vec2 *high) {
    qdi_path_own_bounds(step, row, low, high);
    // Positions are worked out in more than one way, each with its own rounding; who comes this near has met
    // (rigid/ccd_meet.c); and two touch that are in reach of each other.
    double more = step->reach * qdi_inner_of_row(step->world, row) + 1e-9 * step->world->radius[row] +
                  1e-12 * (fabs(low->x) + fabs(low->y) + fabs(high->x) + fabs(high->y));
    *low = (qd_vec2){low->x - more, low->y - more};
    *high = (qd_vec2){high->x + more, high->y + more};
}

/// Paths of ccd: a box relative to the world's centre, by whole periods where its middle is in the world.
static qd_box box_between(const qd_world *world, qd_vec2 low, qd_vec2 high) {
    double x = 0.5 * (low.x + high.x), y = 0.5 * (low.y + high.y);
    double shift_x = qdi_axis_wrap(&world->axis[0], x) - x - world->centre.x;
    double shift_y = qdi_axis_wrap(&world->axis[1], y) - y - world->centre.y;
    return qdi_box_of(shift_x, shift_y, (qdi_extent){low.x, high.x}, (qdi_extent){low.y, high.y});
}

bool qdi_path_box(const qdi_step *step, uint32_t row, qd_box *box) {
    qd_vec2 low, high;
    qdi_path_bounds(step, row, &low, &high);
    *box = box_between(step->world, low, high);
    if (qdi_box_acceptable(*box, qdi_world_period(step->world))) return true;
    const qd_world *world = step->world; // nothing comes of it, but it must be one that the tree takes
    *box = qdi_outward_disk(world->now.x[row] - world->centre.x, world->now.y[row] - world->centre.y, 0);
    return false;
}

/// Paths of ccd: the image along an axis in which b's path lies beside a's.
static int image_of(double from, double to, double period) {
    return period > 0 ? -(int)floor((to - from) / period + 0.5) : 0;
}

/// Paths of ccd: the middle of a body's box in the tree along an axis, beside where its path begins.
static double filed_middle(double from, double low, double high, double period) {
    const double middle = 0.5 * (low + high);
    return period > 0 ? middle - period * floor((middle - from) / period + 0.5) : middle;
}

/// Paths of ccd: the image of two whose paths are in their boxes in the tree.
static qd_image image_of_filed(const qdi_step *step, uint32_t row_a, uint32_t row_b, qd_vec2 period) {
    const qd_world *world = step->world;
    const uint32_t row[2] = {row_a, row_b};
    double x[2], y[2];
    for (int k = 0; k < 2; ++k) {
        const qd_box box = world->fat[row[k]];
        x[k] = filed_middle(world->now.x[row[k]] - world->centre.x, (double)box.min_x, (double)box.max_x,
                            period.x);
        y[k] = filed_middle(world->now.y[row[k]] - world->centre.y, (double)box.min_y, (double)box.max_y,
                            period.y);
    }
    return (qd_image){(int16_t)image_of(x[0], x[1], period.x), (int16_t)image_of(y[0], y[1], period.y)};
}

// Paths of ccd: both paths' boxes are at most half a period long, so if they overlap, then through the image
// whose middle is nearest. Boxes in the tree are no longer than that, and hold the paths.
bool qdi_path_image(const qdi_step *step, uint32_t row_a, uint32_t row_b, qd_image *image) {
    const qd_vec2 period = qdi_world_period(step->world);
    *image = (qd_image){0, 0};
    if (step->following) {
        *image = image_of_filed(step, row_a, row_b, period);
        return true;
    }
    qd_vec2 low[2], high[2];
    qdi_path_bounds(step, row_a, &low[0], &high[0]);
    qdi_path_bounds(step, row_b, &low[1], &high[1]);
    for (int k = 0; k < 2; ++k)
        if ((period.x > 0 && high[k].x - low[k].x > 0.5 * period.x) ||
            (period.y > 0 && high[k].y - low[k].y > 0.5 * period.y))
            return false;
    image->x = (int16_t)image_of(0.5 * (low[0].x + high[0].x), 0.5 * (low[1].x + high[1].x), period.x);
    image->y = (int16_t)image_of(0.5 * (low[0].y + high[0].y), 0.5 * (low[1].y + high[1].y), period.y);
    return true;
}

qdi_twist qdi_ccd_forces(const qdi_step *step, uint32_t row) {
    const qd_world *world = step->world;
    if (world->scratch.flown) {
        const qdi_flight *flight = &world->scratch.flights[row];
        return (qdi_twist){flight->ax * step->dt, flight->ay * step->dt, flight->turn * step->dt};
    }
    return (qdi_twist){world->def.gravity.x * step->dt, world->def.gravity.y * step->dt, 0};
}

double qdi_ccd_energy(const qd_world *world, uint32_t row, qd_vec2 way) {
    const qdi_motion *next = &world->next;
    qd_vec2 pull = world->def.gravity;
    if (world->def.attraction.strength != 0) {
        qd_vec2 more = qdi_attraction_at(&world->def.attraction, world->axis, world->now.x[row],
                                         world->now.y[row]);
        pull = (qd_vec2){pull.x + more.x, pull.y + more.y};
    }
    double vx = next->vx[row], vy = next->vy[row];
    double energy = world->mass[row] * (0.5 * (vx * vx + vy * vy) - pull.x * way.x - pull.y * way.y);
    if (world->turning && isfinite(world->inertia[row]))
        energy += 0.5 * world->inertia[row] * next->spin[row] * next->spin[row];
    return energy;
}

double qdi_ccd_wrap_error(const qd_world *world, uint32_t row, qd_vec2 way, double dt) {
    const qdi_motion *now = &world->now, *next = &world->next;
    const double from[2] = {now->x[row], now->y[row]}, to[2] = {next->x[row], next->y[row]};
    const double guess[2] = {0.5 * (now->vx[row] + next->vx[row]) * dt,
                             0.5 * (now->vy[row] + next->vy[row]) * dt};
    const double gone[2] = {way.x, way.y}, pull[2] = {world->def.gravity.x, world->def.gravity.y};
    double work = 0;
    for (int k = 0; k < 2; ++k) {
        const qdi_axis *axis = &world->axis[k];
        if (axis->boundary != QD_BOUNDARY_PERIODIC || pull[k] == 0) continue;
        const double taken = floor((from[k] + guess[k] - to[k]) / axis->length + 0.5);
        const double true_one = floor((from[k] + gone[k] - to[k]) / axis->length + 0.5);
        work += pull[k] * axis->length * (taken - true_one);
    }
    return world->mass[row] * work;
}

bool qdi_within_limits(const qd_world *world, uint32_t row) {
    const qdi_motion *next = &world->next;
    double far = qdi_limit_distance(&world->def.limits), vx = next->vx[row], vy = next->vy[row];
    return fabs(next->x[row] - world->centre.x) <= far && fabs(next->y[row] - world->centre.y) <= far &&
           vx * vx + vy * vy <= qdi_limit_speed_squared(&world->def.limits) &&
           (!world->turning || qdi_is_sane(next->spin[row]));
}
