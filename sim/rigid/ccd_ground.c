// Grounds. A body that is stopped on its way through a step must not stand still in a heap that moves: in a
// lift, a drum or a box that is pushed the others would run into it, one after the other, and be stopped as
// well. It goes on as the ground of its heap does, so that a heap in a box that moves evenly behaves as in
// one that stands.
//
// A heap is an island (rigid/island.h). Its grounds are the first and the last, by index, of the
// kinematic bodies and walls that touch it and move. A body takes that one whose motion, where the body is,
// is nearest to its own; where something touches the heap that does not move, only one that is near it.
//
// Where there is a rest frame (rigid/ccd_rest.c), nobody asks for heaps: it is the ground of all that go
// along with it.
//
// Shared between ranges: maxima.

#include "core/parallel/atomic_extreme.h"
#include "sim/rigid/ccd_stop.h"
#include "sim/rigid/island.h"
#include "sim/world/contact_state.h"
#include "sim/world/grain.h"
#include "sim/world/pose.h"
#include "sim/world/reach.h"
#include "sim/world/scratch.h"
#include "sim/world/walls.h"
#include "sim/world/world_impl.h"

#include <math.h>

/// What of its speed, squared, a body may have relative to a ground that is near its own motion.
static const double with_part = 0.25;
/// How far, in parts of its size, a body may be carried beyond where it would have gone.
static const double overhang_part = 0.5;

qdi_twist qdi_ccd_carry(const qdi_step *step, uint32_t carrier, double from, const qdi_pose *pose) {
    const qd_world *world = step->world;
    if (qdi_carrier_is_wall(carrier)) {
        const int wall = (int)(QDI_NO_ROW - 1 - carrier);
        const double way = qdi_wall_speed(world, wall) * (step->dt - from);
        return wall / 2 == 0 ? (qdi_twist){way, 0, 0} : (qdi_twist){0, way, 0};
    }
    const qdi_path_segment segment = qdi_segment_at(step, carrier, from),
                           last = qdi_segment_at(step, carrier, step->dt);
    const qdi_pose then = qdi_segment_pose(&segment, from), end = qdi_segment_pose(&last, step->dt);
    const qd_vec2 arm = qdi_pivot_arm(world->axis, (qd_vec2){then.x, then.y}, pose->x, pose->y);
    const double c = then.c * end.c + then.s * end.s, s = then.c * end.s - then.s * end.c;
    return (qdi_twist){end.x - then.x - arm.x + arm.x * c - arm.y * s,
                       end.y - then.y - arm.y + arm.x * s + arm.y * c, segment.spin * (step->dt - from)};
}

qdi_twist qdi_ccd_carried(const qdi_step *step, uint32_t row, const qdi_pose *pose) {
    const double from = step->ccd->carried[row], span = step->dt - from;
    if (!(span > 0) || step->ccd->carrier[row] == QDI_NO_ROW) return (qdi_twist){0, 0, 0};
    const qdi_twist way = qdi_ccd_carry(step, step->ccd->carrier[row], from, pose);
    const bool turned = step->ccd->stopped[row] > 0 && step->world->shape[row] != 0;
    return (qdi_twist){way.x / span, way.y / span, turned ? way.spin / span : 0};
}

bool qdi_ccd_carries(const qd_world *world, uint32_t row) {
    const qdi_motion *now = &world->now, *next = &world->next;
    return world->kind[row] == QD_BODY_KINEMATIC &&
           (next->x[row] != now->x[row] || next->y[row] != now->y[row] || now->spin[row] != 0);
}

/// The name of the carrier that a contact with what no body moves has, or QDI_NO_ROW where that stands.
static uint32_t carrier_of(const qdi_step *step, const qdi_link *link) {
    const qd_world *world = step->world;
    if (link->row_b == QDI_NO_ROW) {
        const int wall = (int)world->present.spots[link->place].wall;
        return qdi_wall_speed(world, wall) != 0 ? qdi_carrier_of_wall(wall) : QDI_NO_ROW;
    }
    const uint32_t row = link->moves_a ? link->row_b : link->row_a;
    return qdi_ccd_carries(world, row) ? world->index[row] : QDI_NO_ROW;
}

/// Ground of ccd: notes what a range of contacts gives their heaps as grounds.
static void ground_range(void *context, size_t begin, size_t end) {
    const qdi_step *step = context;
    for (size_t i = begin; i < end; ++i) {
        const qdi_link *link = &step->world->scratch.links[i];
        if (link->moves_a == link->moves_b) continue;
        qdi_grounds *grounds =
            &step->ccd->grounds[qdi_island_of(step->ccd->heap, link->moves_a ? link->row_a : link->row_b)];
        const uint32_t carrier = carrier_of(step, link);
        if (carrier == QDI_NO_ROW) {
            atomic_store_explicit(&grounds->fixed, true, memory_order_relaxed);
            continue;
        }
        qdi_atomic_max_u32(&grounds->before, ~carrier);
        qdi_atomic_max_u32(&grounds->last, carrier);
    }
}

qd_status qdi_ccd_find_heaps(const qdi_step *step) {
    qd_world *world = step->world;
    qdi_ccd *ccd = step->ccd;
    if (ccd->heap) return QD_OK;
    ccd->heap = qdi_arena_take(&world->scratch.arena, world->count, sizeof *ccd->heap);
    if (!ccd->heap) return QD_ERR_MEMORY;
    qdi_islands_join(world, world->scratch.links, qdi_constraint_count(&world->present), ccd->heap);
    return QD_OK;
}

qd_status qdi_ccd_find_grounds(const qdi_step *step) {
    qd_world *world = step->world;
    qdi_ccd *ccd = step->ccd;
    ccd->grounds = NULL;
    if ((!ccd->carriers && !world->walls_move) || step->rest.holds) return QD_OK;
    ccd->grounds = qdi_arena_take(&world->scratch.arena, world->count, sizeof *ccd->grounds);
    if (!ccd->grounds) return QD_ERR_MEMORY;
    const qd_status status = qdi_ccd_find_heaps(step);
    if (status != QD_OK) return status;
    qdi_step job = *step;
    qdi_team_zero(world->team, ccd->grounds, world->count * sizeof *ccd->grounds);
    qdi_team_for(world->team, qdi_constraint_count(&world->present), QDI_CONTACT_GRAIN, ground_range, &job);
    return QD_OK;
}

uint32_t qdi_ccd_name_of_carrier(const qdi_step *step, uint32_t carrier) {
    return qdi_carrier_is_wall(carrier) ? carrier : step->world->index[carrier];
}

/// Ground of ccd: true for a coordinate that a path comes by, or nearly.
static bool comes_by(double at, double from, double to, double more) {
    return at >= (from < to ? from : to) - more && at <= (from < to ? to : from) + more;
}

/// Ground of ccd: true where a body that is stopped is not carried further than to where its path was looked
/// at.
static bool stays_near(const qdi_step *step, uint32_t row, const qdi_path_segment *path, double stop,
                       uint32_t carrier) {
    const qdi_pose pose = qdi_segment_pose(path, stop);
    const qdi_twist way = qdi_ccd_carry(step, carrier, stop, &pose);
    const double more = overhang_part * qdi_inner_of_row(step->world, row);
    return comes_by(pose.x + way.x, path->x, path->x + path->vx * step->dt, more) &&
           comes_by(pose.y + way.y, path->y, path->y + path->vy * step->dt, more);
}

/// Ground of ccd: the ground of a body in a rest frame: that of all who go along with it. Where the world has
/// walls something may stand upon these: there it is nearer to the body's own motion, or none.
static uint32_t ground_at_rest(const qdi_step *step, uint32_t row) {
    const uint32_t carrier = step->rest.carrier;
    if (!qdi_has_walls(step->world)) return carrier;
    const qdi_path_segment path = qdi_path_begin(step, row);
    const qdi_pose pose = qdi_segment_pose(&path, 0);
    const qdi_twist way = qdi_ccd_carry(step, carrier, 0, &pose);
    const double x = path.vx * step->dt, y = path.vy * step->dt;
    const bool along = 2 * (x * way.x + y * way.y) > way.x * way.x + way.y * way.y;
    return along ? carrier : QDI_NO_ROW;
}

uint32_t qdi_ccd_ground_of(const qdi_step *step, uint32_t row, double stop) {
    if (step->rest.holds) return ground_at_rest(step, row);
    if (!step->ccd->grounds) return QDI_NO_ROW;
    const qdi_grounds *grounds = &step->ccd->grounds[qdi_island_of(step->ccd->heap, row)];
    const uint32_t names[2] = {~atomic_load_explicit(&grounds->before, memory_order_relaxed),
                               atomic_load_explicit(&grounds->last, memory_order_relaxed)};
    if (names[0] == QDI_NO_ROW) return QDI_NO_ROW;
    const qdi_path_segment path = qdi_path_begin(step, row);
    const qdi_pose pose = qdi_segment_pose(&path, 0);
    uint32_t ground = QDI_NO_ROW;
    double least = atomic_load_explicit(&grounds->fixed, memory_order_relaxed)
                       ? with_part * (path.vx * path.vx + path.vy * path.vy)
                       : (double)INFINITY;
    for (int k = 0; k < 2; ++k) {
        const uint32_t carrier = qdi_carrier_is_wall(names[k]) ? names[k]
                                                               : step->world->row_of_index[names[k]];
        const qdi_twist way = qdi_ccd_carry(step, carrier, 0, &pose);
        const double x = path.vx - way.x / step->dt, y = path.vy - way.y / step->dt;
        if (!(x * x + y * y < least) || !stays_near(step, row, &path, stop, carrier)) continue;
        least = x * x + y * y;
        ground = carrier;
    }
    return ground;
}
