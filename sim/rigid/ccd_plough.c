// Ploughs. A kinematic body takes along all that it meets, however fast it is; but in a heap those further
// ahead do not make way within a step, and what moves by more than their size in each would press more and
// more of them into one place. And where something stands ahead there is no room at all: what is taken along
// would end on its other side. So it passes a body where those ahead need more room than there is, or which
// it would take through what stands; that goes on as if it had not met it.
//
// That must let nobody out of anything. What is apart by more than a body's size from all else that no body
// moves, or is near to it in one place alone, shuts nobody in: all shapes are convex, so whoever it passes
// could have gone around it. Only such a kinematic body is a plough; the walls of a drum, a piston and the
// side of a box that is made of several are near to others at two places or all around.

#include "sim/rigid/ccd_stop.h"

#include "core/math/larger.h"
#include "core/math/outward.h"
#include "sim/contact/narrow.h"
#include "sim/shape/collide.h"
#include "sim/world/grain.h"
#include "sim/world/pose.h"
#include "sim/world/reach.h"
#include "sim/world/surface.h"
#include "sim/world/world_impl.h"

#include <math.h>

/// How wide one place may be at most, as a part of a plough's reach.
static const double place_part = 0.25;
/// What counts as ahead goes so many reaches of a body further than a plough's way: else two that happen to
/// overlap would fill it.
static const double more_reaches = 2;

/// A kinematic body, while what is near it is looked at: nearer than `width`.
typedef struct yard {
    const qdi_step *step;
    qdi_party by;
    double width;
    int others;        ///< bodies and walls that are near
    qd_vec2 low, high; ///< where that is, from where the body is; low.x > high.x: nowhere
} yard;

/// Ploughs of ccd: takes note of a place that is near.
static void note_place(yard *here, qd_vec2 at) {
    here->low = (qd_vec2){qdi_smaller(here->low.x, at.x), qdi_smaller(here->low.y, at.y)};
    here->high = (qd_vec2){qdi_larger(here->high.x, at.x), qdi_larger(here->high.y, at.y)};
}

/// Ploughs of ccd: true where all places are one, or of one other: two that are convex shut nobody in.
static bool is_one_place(const yard *here) {
    if (here->others < 2) return true;
    const double most = place_part * here->by.reach;
    return !(here->high.x - here->low.x > most) && !(here->high.y - here->low.y > most);
}

/// Ploughs of ccd: takes note of where another body that no body moves is near; false: that is enough.
static bool look_at_fixed(void *context, qd_body_index body, qd_image image) {
    (void)image; // of a box, not of where the body is
    yard *here = context;
    const qd_world *world = here->step->world;
    const uint32_t row = world->row_of_index[body];
    if (world->kind[row] == QD_BODY_DYNAMIC) return true;
    const qdi_path_segment path = qdi_segment_of_row(here->step, row), *own = &here->by.segment;
    const qd_vec2 period = qdi_world_period(world);
    qdi_party other = qdi_party_of(here->step, row, &path);
    other.form.ghost = NULL;
    const qdi_pose here_pose = {0, 0, own->c, own->s},
                   pose = {qdi_nearest_difference(path.x - own->x, period.x),
                           qdi_nearest_difference(path.y - own->y, period.y), path.c, path.s};
    qdi_manifold manifold;
    const int count = qdi_collide(&here->by.form, &here_pose, &other.form, &pose, here->width, &manifold);
    for (int k = 0; k < count; ++k) note_place(here, manifold.at[k].point);
    here->others += count > 0;
    return is_one_place(here);
}

/// Ploughs of ccd: takes note of the corners that are near a wall of the world.
static void look_at_walls(yard *here) {
    const qdi_step *step = here->step;
    const qdi_path_segment *own = &here->by.segment;
    const qdi_pose pose = {0, 0, own->c, own->s};
    qdi_core core;
    qdi_core_make(&here->by.form, &pose, &core);
    for (int wall = 0; wall < QDI_WALLS; ++wall) {
        if (step->world->axis[wall / 2].boundary != QD_BOUNDARY_REFLECT) continue;
        bool near = false;
        for (int k = 0; k < core.count; ++k) {
            qdi_party corner = here->by;
            corner.form = qdi_form_disk(here->by.form.radius);
            corner.segment.x += core.point[k].x;
            corner.segment.y += core.point[k].y;
            if (!(qdi_ccd_gap_to_wall(step, &corner, wall) < here->width)) continue;
            note_place(here, core.point[k]);
            near = true;
        }
        here->others += near;
    }
}

/// Ploughs of ccd: true for a kinematic body that shuts nobody in who is so wide or less.
static bool is_open(const qdi_step *step, uint32_t row, double width) {
    const qd_world *world = step->world;
    const qdi_path_segment path = qdi_segment_of_row(step, row);
    const double far = (double)INFINITY;
    yard here = {step, qdi_party_of(step, row, &path), width, 0, {far, far}, {-far, -far}};
    here.by.form.ghost = NULL;
    const double reach = here.by.reach + width + qdi_ccd_behind(step);
    const qd_vec2 period = qdi_world_period(world);
    if ((period.x > 0 && !(2 * reach < period.x)) || (period.y > 0 && !(2 * reach < period.y))) return false;
    const qd_box near = qdi_outward_disk(path.x - world->centre.x, path.y - world->centre.y, reach);
    look_at_walls(&here);
    const qd_status status = qd_tree_retrieve(world->tree, near, world->index[row], look_at_fixed, &here);
    return status == QD_OK && is_one_place(&here);
}

/// Ploughs of ccd: forgets what is known of those in a range of bodies.
static void forget_range(void *context, size_t begin, size_t end) {
    const qdi_step *step = context;
    for (uint32_t row = (uint32_t)begin; row < end; ++row)
        if (step->world->kind[row] == QD_BODY_KINEMATIC)
            atomic_store_explicit(&step->ccd->ploughs[row], QDI_UNASKED, memory_order_relaxed);
}

void qdi_ccd_forget_ploughs(qdi_step *step) {
    if (step->ccd->carriers)
        qdi_team_for(step->world->team, step->world->count, QDI_BODY_GRAIN, forget_range, step);
}

/// Ploughs of ccd: true for a kinematic body that may pass others: it moves, and shuts nobody in who is less
/// wide than its way. Several threads may ask at once; each finds the same.
static bool is_plough(const qdi_step *step, uint32_t row, double way) {
    _Atomic uint8_t *known = &step->ccd->ploughs[row];
    const uint8_t before = atomic_load_explicit(known, memory_order_relaxed);
    if (before != QDI_UNASKED) return before == QDI_PLOUGH;
    const bool is = is_open(step, row, way);
    atomic_store_explicit(known, is ? QDI_PLOUGH : QDI_NO_PLOUGH, memory_order_relaxed);
    return is;
}

/// A mover, while those ahead of it are looked at: in the half of a circle about it that a plough drives it
/// into.
typedef struct crowd {
    const qd_world *world;
    uint32_t row;
    qd_vec2 ahead;
    double wide; ///< the circle's radius
    double room; ///< area that is left in that half, divided by pi
} crowd;

/// Ploughs of ccd: takes the room of a mover, of the circle in it, from that which there is; false: there is
/// no more.
static bool take_room(void *context, qd_body_index body, qd_image image) {
    (void)image; // of a box, not of where the body is
    crowd *here = context;
    const qd_world *world = here->world;
    const uint32_t row = world->row_of_index[body];
    if (world->kind[row] != QD_BODY_DYNAMIC) return true;
    const qd_vec2 period = qdi_world_period(world);
    const double x = qdi_nearest_difference(world->now.x[row] - world->now.x[here->row], period.x),
                 y = qdi_nearest_difference(world->now.y[row] - world->now.y[here->row], period.y),
                 size = qdi_inner_of_row(world, row);
    if (x * x + y * y < here->wide * here->wide && x * here->ahead.x + y * here->ahead.y >= 0)
        here->room -= size * size;
    return here->room > 0;
}

/// Ploughs of ccd: true where those ahead of a mover need more room than there is, as the start of the step
/// says.
static bool is_crowded(const qdi_step *step, uint32_t mover, uint32_t by, double way) {
    const qd_world *world = step->world;
    const double size = qdi_inner_of_row(world, mover);
    const qdi_motion *now = &world->now;
    const qdi_pose pose = {now->x[mover], now->y[mover], 1, 0};
    const qdi_twist along = qdi_ccd_carry(step, by, 0, &pose);
    const double wide = way + more_reaches * world->radius[mover], near = wide + qdi_ccd_behind(step);
    crowd here = {world, mover, {along.x, along.y}, wide, 0.5 * wide * wide - size * size};
    const qd_box box = qdi_outward_disk(pose.x - world->centre.x, pose.y - world->centre.y, near);
    const qd_status status = qd_tree_retrieve(world->tree, box, world->index[mover], take_room, &here);
    return status == QD_OK && !(here.room > 0);
}

/// The core of a mover, while what stands is looked for on the way that it is to be carried.
typedef struct drag {
    const qdi_step *step;
    uint32_t row;
    qdi_party core;
    bool barred;
} drag;

/// Ploughs of ccd: looks whether something stands on a mover's way; false: that is enough.
static bool look_at_way(void *context, qd_body_index body, qd_image image) {
    (void)image; // of a box, not of where the body is
    drag *here = context;
    const qd_world *world = here->step->world;
    const uint32_t row = world->row_of_index[body];
    if (world->kind[row] == QD_BODY_DYNAMIC || qdi_ccd_carries(world, row)) return true;
    if (!qdi_may_touch(world, here->row, row) || qdi_trait_of_row(world, row)->sensor) return true;
    const qdi_path_segment path = qdi_segment_of_row(here->step, row), *own = &here->core.segment;
    const qd_vec2 period = qdi_world_period(world), d = {path.x - own->x, path.y - own->y},
                  shift = {qdi_nearest_difference(d.x, period.x) - d.x,
                           qdi_nearest_difference(d.y, period.y) - d.y};
    qdi_party other = qdi_party_of(here->step, row, &path);
    other.form.ghost = NULL;
    qdi_encounter meeting;
    here->barred = qdi_segments_meet(here->step, &here->core, &other, shift, own->start, here->step->dt,
                                     &meeting);
    return !here->barred;
}

/// Ploughs of ccd: the way of a mover that is carried by somebody from a time on.
static qdi_path_segment way_with(const qdi_step *step, uint32_t mover, uint32_t by, double time) {
    const qdi_ccd *ccd = step->ccd;
    const qdi_path_segment path = qdi_path_begin(step, mover);
    qdi_pose pose = qdi_segment_pose(&path, qdi_smaller(time, ccd->stopped[mover]));
    if (time > ccd->carried[mover]) {
        pose.x += ccd->along[mover].x * (time - ccd->carried[mover]);
        pose.y += ccd->along[mover].y * (time - ccd->carried[mover]);
    }
    const qdi_twist way = qdi_ccd_carry(step, by, time, &pose);
    const double left = step->dt - time;
    return (qdi_path_segment){.start = time,
                              .x = pose.x,
                              .y = pose.y,
                              .c = 1,
                              .vx = way.x / left,
                              .vy = way.y / left,
                              .next = QDI_NONE_YET};
}

/// Ploughs of ccd: true where that leads its core through what stands.
static bool is_barred(const qdi_step *step, uint32_t mover, const qdi_path_segment *way) {
    const qd_world *world = step->world;
    const qdi_party party = qdi_party_of(step, mover, way);
    drag here = {step, mover, qdi_ccd_core_of(&party), false};
    qdi_encounter meeting;
    for (int wall = 0; wall < QDI_WALLS; ++wall)
        if (world->axis[wall / 2].boundary == QD_BOUNDARY_REFLECT &&
            qdi_segment_meets_wall(step, &here.core, wall, way->start, step->dt, &meeting))
            return true;
    const double far = sqrt(way->vx * way->vx + way->vy * way->vy) * (step->dt - way->start);
    const qd_box near = qdi_outward_disk(way->x - world->centre.x, way->y - world->centre.y,
                                         here.core.reach + far);
    const qd_status status = qd_tree_retrieve(world->tree, near, world->index[mover], look_at_way, &here);
    return status == QD_OK && here.barred;
}

bool qdi_ccd_is_passed(const qdi_step *step, uint32_t mover, uint32_t by, double time) {
    if (!qdi_ccd_carries(step->world, by)) return false;
    const double way = qdi_ccd_way(step, by), wide = 2 * step->world->radius[mover];
    const qdi_path_segment along = way_with(step, mover, by, time);
    if (wide < way)
        return is_plough(step, by, way) &&
               (is_crowded(step, mover, by, way) || is_barred(step, mover, &along));
    // What is near to a large body is looked for last: next to nobody is barred.
    return is_barred(step, mover, &along) && is_plough(step, by, way) && is_open(step, by, wide);
}
