// When somebody is to be stopped on a path through the step, and where it meets what.
//
// What counts is the motion of two relative to each other in the step, also after one of them was stopped,
// beyond what contacts can deal with at the step's end: half of the body's size, less what it overlaps by at
// the start; where both move, the size of the smaller one, and where they overlap, half of what is left
// between their middles. Who touches at the start what cannot move is stopped with its core alone, a disk of
// half its size: sliding and resting are the solver's.
//
// A mover that runs away from the one that meets it is not stopped by it, and the other comes as far as that
// gets. It would always come too late otherwise: stopped where they meet, it stands while the other goes on,
// in every step, and never touches it. It also comes as far as a surface that turns away; but who only turns
// away is stopped, for what turns away with one end may come with all the rest.
//
// Two movers that touch may press each other (rigid/ccd_press.c); large bodies drive small ones
// (rigid/ccd_drive.c).

#include "sim/rigid/ccd_stop.h"

#include "core/math/larger.h"
#include "sim/world/pose.h"
#include "sim/world/walls.h"
#include "sim/world/world_impl.h"

#include <math.h>

/// A gap that is none, per size: what was stopped on its way ends this near.
static const double met_gap = 3e-6;
/// Part of a body's size: relative motion that is followed.
static const double followed_part = 0.5;
/// Part of both sizes that one that runs after another is to overlap it by, to be sure of the contact.
static const double caught_part = 0.01;
/// Part of both sizes by which a surface may turn away in a step, and be followed: further it comes round
/// again.
static const double turned_part = 0.25;
/// Rounds in which those that run away are not stopped. They are over soon after that.
enum { FLEEING = 4 };

double qdi_ccd_stop_of(const qdi_ccd *ccd, uint32_t row) {
    const uint64_t bits = atomic_load_explicit(&ccd->stops[row], memory_order_relaxed);
    double time;
    memcpy(&time, &bits, sizeof time);
    return time;
}

/// Stops of ccd: puts a body on a worker's list of those that it has stopped in the round.
static void note_lowered(const qdi_step *step, uint32_t row, int worker) {
    qdi_meets *meets = &step->ccd->meets[worker];
    qd_status status = qdi_reserve(step->world->allocator, &meets->lowered, &meets->lowered_room,
                                   meets->lowered_count, meets->lowered_count + 1, sizeof *meets->lowered);
    if (status == QD_OK)
        meets->lowered[meets->lowered_count++] = row;
    else
        meets->status = status;
}

/// Stops of ccd: lowers the time at which a body is to stop, from below the step's end on. Whoever does that
/// first in a round lists it.
static void lower(const qdi_step *step, uint32_t row, double time, int worker) {
    if (step->carrying) return;
    const uint64_t bits = qdi_time_bits(time);
    _Atomic uint64_t *stop = &step->ccd->stops[row];
    uint64_t seen = atomic_load_explicit(stop, memory_order_relaxed);
    while (bits < seen) {
        if (!atomic_compare_exchange_weak_explicit(stop, &seen, bits, memory_order_relaxed,
                                                   memory_order_relaxed))
            continue;
        if (seen == qdi_time_bits(step->ccd->stopped[row])) note_lowered(step, row, worker);
        return;
    }
}

/// Stops of ccd: how far turning moves a point of a body in the step, also when it has been stopped.
static inline double turn_of(const qdi_step *step, uint32_t row, double spin) {
    if (row == QDI_NO_ROW || step->world->shape[row] == 0) return 0;
    const double stop = qdi_ccd_time_of(step, row);
    double turn = fabs(spin) * (stop > 0 ? stop : step->dt);
    if (stop < step->dt && step->ccd->carried[row] < step->dt)
        turn += fabs(step->ccd->along[row].spin) * (step->dt - step->ccd->carried[row]);
    return turn * step->world->radius[row];
}

/// Stops of ccd: the length of a difference of two velocities.
static inline double speed_between(qd_vec2 a, qd_vec2 b) {
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y));
}

/// Stops of ccd: a velocity that a body has on its path.
static inline qdi_twist velocity_of(const qdi_path_segment *segment) {
    return (qdi_twist){segment->vx, segment->vy, segment->spin};
}

/// Stops of ccd: how far a point of one of two moves in the step, seen from the other, with the velocities
/// that they have on their paths: also when that has been stopped. row_b QDI_NO_ROW: what stands.
static inline double relative_way(const qdi_step *step, uint32_t row_a, qdi_twist u, uint32_t row_b,
                                  qdi_twist v) {
    const double time_a = qdi_ccd_time_of(step, row_a), time_b = qdi_ccd_time_of(step, row_b);
    const qd_vec2 va = {u.x, u.y}, vb = {v.x, v.y};
    double way = speed_between(va, vb) * (time_a < time_b ? time_a : time_b);
    if (time_a < time_b || time_b < step->dt) {
        const qd_vec2 wa = qdi_ccd_velocity_after(step, row_a), wb = qdi_ccd_velocity_after(step, row_b);
        if (time_a < time_b) way += speed_between(wa, vb) * (time_b - time_a);
        if (time_b < time_a) way += speed_between(va, wb) * (time_a - time_b);
        way += speed_between(wa, wb) * (step->dt - (time_a < time_b ? time_b : time_a));
    }
    return way + turn_of(step, row_a, u.spin) + turn_of(step, row_b, v.spin);
}

/// Stops of ccd: how far an arc leaves the straight line of its first chord at most.
static double bend_of(const qdi_step *step, const qdi_path_segment *segment) {
    if (segment->parts == 0) return 0;
    return sqrt(segment->vx * segment->vx + segment->vy * segment->vy) * step->dt * fabs(segment->spin) *
           step->dt;
}

/// Stops of ccd: how far a point of one of two moves in the step on their paths, seen from the other.
static double way_between(const qdi_step *step, uint32_t row_a, const qdi_path_segment *a, uint32_t row_b,
                          const qdi_path_segment *b) {
    return relative_way(step, row_a, velocity_of(a), row_b, velocity_of(b)) + bend_of(step, a) +
           bend_of(step, b);
}

/// Stops of ccd: relative motion from which on two are looked at, `gap` apart at the start. An overlap is
/// part of the path that is left to contacts.
static double followed_way(double size, double gap, bool both) {
    const double overlap = gap < 0 ? -gap : 0;
    return both ? followed_part * (size - overlap) : followed_part * size - overlap;
}

/// Stops of ccd: makes cores of those of two that move. No edge of a polyline leaves these to its neighbour:
/// that may have let the body pass for its own part, as it touches it.
static void make_cores(const qdi_step *step, const qdi_movers *m, qdi_party *a, qdi_party *b) {
    const uint8_t *kind = step->world->kind;
    if (kind[m->row_a] == QD_BODY_DYNAMIC) *a = qdi_ccd_core_of(a);
    if (kind[m->row_b] == QD_BODY_DYNAMIC) *b = qdi_ccd_core_of(b);
    a->form.ghost = b->form.ghost = NULL;
}

/// True for a body that may be stopped: any, or where impacts are followed, one whose cluster was given up.
static bool may_stop(const qdi_step *step, uint32_t row) {
    return step->world->kind[row] == QD_BODY_DYNAMIC &&
           (!step->following || qdi_ccd_given_up(step->ccd, row));
}

/// A body met what no body moves, which may have to carry it, or keep its ground from carrying it.
static void note_carrier(const qdi_step *step, uint32_t row, uint32_t carrier, double time, int worker) {
    if (carrier == QDI_NO_ROW && !step->ccd->carriers && !step->world->walls_move) return;
    if (step->ccd->flags[row] & QDI_GROUNDED && carrier == step->ccd->carrier[row]) return;
    qdi_meets *meets = &step->ccd->meets[worker];
    qd_status status = qdi_reserve(step->world->allocator, &meets->hits, &meets->hit_room, meets->hit_count,
                                   meets->hit_count + 1, sizeof *meets->hits);
    if (status == QD_OK)
        meets->hits[meets->hit_count++] = (qdi_hit){time, row, carrier};
    else
        meets->status = status;
}

/// Stops of ccd: how fast a body comes towards another one that it meets: its centroid, and its surface
/// there.
typedef struct oncoming {
    double centre, surface;
} oncoming;

/// Stops of ccd: how fast one that is met at `arm` comes along `n`.
static oncoming oncoming_of(const qdi_party *party, qd_vec2 arm, qd_vec2 n) {
    return (oncoming){qdi_ccd_speed_along(party, n), qdi_ccd_speed_at(party, arm, n)};
}

/// Stops of ccd: the time at which the first of two is to be stopped that meet at a time; infinity: it runs
/// away.
static double stop_of_mover(const qdi_step *step, const qdi_movers *m, bool first, double time) {
    if (m->touching || step->round >= FLEEING) return time;
    const qd_vec2 n = m->met.normal;
    const oncoming of_a = oncoming_of(m->a, m->met.arm_a, n),
                   of_b = oncoming_of(m->b, m->met.arm_b, (qd_vec2){-n.x, -n.y});
    const oncoming own = first ? of_a : of_b, other = first ? of_b : of_a;
    if (own.centre < 0 && other.centre > 0) return (double)INFINITY;
    // How long the other one goes on; and how far, or its surface.
    const double left = qdi_ccd_time_of(step, first ? m->row_b : m->row_a) - time,
                 size = m->a->inner + m->b->inner, gone = qdi_larger(left * -other.centre, 0),
                 away = qdi_smaller(left * -other.surface, gone + turned_part * size);
    double stop = time;
    if (left > 0 && other.centre < 0 && own.centre > 0) stop += (gone + caught_part * size) / own.centre;
    if (left > 0 && other.surface < 0 && own.surface > 0)
        stop = qdi_larger(stop, time + (away + caught_part * size) / own.surface);
    return stop;
}

/// Stops of ccd: true where another mover may stop a body, `full`: that is as near as it may come. What is
/// driven and touches it has been solved with it.
static bool stops_for(const qdi_step *step, uint32_t row, uint32_t other, bool touching, bool full) {
    const uint8_t *flags = step->ccd->flags;
    if ((!(flags[row] & QDI_FOLLOWED) && !full) || !may_stop(step, row)) return false;
    const double own = qdi_inner_of_row(step->world, row), its = qdi_inner_of_row(step->world, other);
    if (flags[row] & QDI_DRIVEN) return !touching && QDI_DRIVING_PART * its > own;
    if (step->following || !(QDI_DRIVING_PART * own > its) || qdi_is_bullet(step->world, row)) return true;
    return !(flags[other] & QDI_DRIVEN) && qdi_ccd_way(step, row) > own + its;
}

/// Stops of ccd: stops two movers that meet, where they are followed.
static void stop_movers(const qdi_step *step, const qdi_movers *m, double time, int worker) {
    const double stop_a = stop_of_mover(step, m, true, time), stop_b = stop_of_mover(step, m, false, time);
    if (stop_a < step->dt && stops_for(step, m->row_a, m->row_b, m->touching, m->full))
        lower(step, m->row_a, stop_a, worker);
    if (stop_b < step->dt && stops_for(step, m->row_b, m->row_a, m->touching, m->full))
        lower(step, m->row_b, stop_b, worker);
}

/// Stops of ccd: true where two that move like this relative to each other are looked at.
static bool is_followed(double way, double size, double gap, bool both, bool bullet) {
    return bullet || way > followed_way(size, gap, both);
}

/// Stops of ccd: a body at a glance, in worlds of disks alone, which do not turn, for all that can be seen.
static qdi_glance glance_at_disk(const qdi_step *step, uint32_t row) {
    const qd_world *world = step->world;
    const qdi_path_segment path = qdi_segment_make(step, row);
    return (qdi_glance){.way_x = path.vx * step->dt,
                        .way_y = path.vy * step->dt,
                        .inner = world->radius[row],
                        .radius = world->radius[row],
                        .moves = world->kind[row] == QD_BODY_DYNAMIC,
                        .bullet = path.parts > 0};
}

/// Stops of ccd: the mean velocity of a body that nothing stops.
static qdi_twist velocity_at_glance(const qdi_step *step, const qdi_glance *glance) {
    const double rate = 1 / step->dt;
    return (qdi_twist){glance->way_x * rate, glance->way_y * rate, glance->turn * rate};
}

/// Stops of ccd: true for two that go their first ways, as long as nothing stops them: what is said of these
/// is true. Where impacts are followed, others may have met somebody.
static bool go_their_ways(const qdi_step *step, uint32_t a, uint32_t b) {
    const qdi_ccd *ccd = step->ccd;
    if (ccd->trajectory_count == 0) return true;
    const uint32_t one = ccd->trajectory_of[a], two = ccd->trajectory_of[b];
    return !(one != QDI_NONE_YET && ccd->trajectories[one].hit) &&
           !(two != QDI_NONE_YET && ccd->trajectories[two].hit);
}

bool qdi_ccd_comes_to_nothing(const qdi_step *step, uint32_t a, uint32_t b, const qdi_glance *one,
                              const qdi_glance *two, qd_vec2 shift, double way) {
    if (one->bullet || two->bullet) return false;
    if (!(way > QDI_UNSEEN_PART * qdi_glance_size(one, two))) return true;
    const double more = QDI_GLANCE_ROUNDING * qdi_smaller(one->radius, two->radius),
                 least = qdi_ccd_least_gap(step->world, a, b, shift);
    return least > way + more ||
           !(way + more > followed_way(qdi_glance_size(one, two), least, one->moves && two->moves));
}

/// Stops of ccd: the same of two that have not been seen at a glance. It says so of most pairs, for a
/// fraction of the work.
static bool is_nothing(const qdi_step *step, uint32_t a, uint32_t b, qd_vec2 shift) {
    const qdi_glance *one, *two;
    qdi_glance disk_a, disk_b;
    if (step->world->shaped > 0) {
        one = &step->ccd->glances[a];
        two = &step->ccd->glances[b];
    } else {
        disk_a = glance_at_disk(step, a);
        disk_b = glance_at_disk(step, b);
        one = &disk_a;
        two = &disk_b;
    }
    const double way = relative_way(step, a, velocity_at_glance(step, one), b, velocity_at_glance(step, two));
    return qdi_ccd_comes_to_nothing(step, a, b, one, two, shift, (1 + QDI_GLANCE_ROUNDING) * way);
}

/// Stops of ccd: how far a body has come at a time.
static qd_vec2 way_until(const qdi_step *step, const qdi_party *party, uint32_t row, double time) {
    const qdi_ccd *ccd = step->ccd;
    const double stop = ccd->stopped[row], carried = ccd->carried[row], first = qdi_smaller(time, stop);
    qd_vec2 way = {party->segment.vx * first, party->segment.vy * first};
    if (!(time > carried)) return way;
    return (qd_vec2){way.x + ccd->along[row].x * (time - carried),
                     way.y + ccd->along[row].y * (time - carried)};
}

/// Stops of ccd: true where two are apart at the start, and stay so on the ways that they have by now: a side
/// of one of them is between them all the time. That is so of many that only slide along each other; of two
/// disks their meeting says it as soon.
static bool stay_apart(const qdi_step *step, uint32_t row_a, const qdi_party *a, uint32_t row_b,
                       const qdi_party *b, qd_vec2 shift, double reach) {
    const qdi_ccd *ccd = step->ccd;
    const qdi_path_segment *p = &a->segment, *q = &b->segment;
    if (p->parts > 0 || q->parts > 0) return false;
    if (a->form.kind == QD_SHAPE_DISK && b->form.kind == QD_SHAPE_DISK) return false;
    const double times[5] = {ccd->stopped[row_a], ccd->carried[row_a], ccd->stopped[row_b],
                             ccd->carried[row_b], step->dt};
    qdi_passage by = {.from = {q->x + shift.x - p->x, q->y + shift.y - p->y}, .count = 5};
    by.more = reach + 1e-9 * (a->reach + b->reach) + turn_of(step, row_a, p->spin) +
              turn_of(step, row_b, q->spin);
    for (int k = 0; k < 5; ++k) {
        const qd_vec2 to_a = way_until(step, a, row_a, times[k]), to_b = way_until(step, b, row_b, times[k]);
        by.way[k] = (qd_vec2){to_b.x - to_a.x, to_b.y - to_a.y};
    }
    return qdi_ccd_passes_by(a, b, &by);
}

/// Stops of ccd: false where one of two is carried along, and their own paths are not near each other: who is
/// beside a way that a body is carried is found in some steps and not in others, by how candidates are found.
static bool own_paths_near(const qdi_step *step, uint32_t a, uint32_t b, qd_vec2 shift) {
    const double *carried = step->ccd->carried;
    if (!(carried[a] < step->dt) && !(carried[b] < step->dt)) return true;
    if (step->rest.holds) return qd_box_overlap(qdi_ccd_seen_box(step, a), qdi_ccd_seen_box(step, b));
    qd_vec2 low_a, high_a, low_b, high_b;
    qdi_path_own_bounds(step, a, &low_a, &high_a);
    qdi_path_own_bounds(step, b, &low_b, &high_b);
    return low_a.x <= high_b.x + shift.x && low_b.x + shift.x <= high_a.x && low_a.y <= high_b.y + shift.y &&
           low_b.y + shift.y <= high_a.y;
}

/// Stops of ccd: true for two movers on their first ways, neither of which has been stopped, that do not meet
/// on these, or an edge would say so, and do not touch at the start.
static bool never_meet(const qdi_step *step, uint32_t a, uint32_t b, qd_vec2 shift, double reach) {
    const qdi_ccd *ccd = step->ccd;
    if (!step->following || ccd->stopped[a] < step->dt || ccd->stopped[b] < step->dt) return false;
    const double rounding = 1e-9 * qdi_smaller(step->world->radius[a], step->world->radius[b]);
    return qdi_ccd_least_gap(step->world, a, b, shift) > reach + rounding && !qdi_ccd_edge_of(step, a, b);
}

void qdi_ccd_stop_pair(const qdi_step *step, uint32_t a, uint32_t b, qd_image image, int worker) {
    const qd_world *world = step->world;
    const bool moves_a = world->kind[a] == QD_BODY_DYNAMIC, moves_b = world->kind[b] == QD_BODY_DYNAMIC;
    const bool both = moves_a && moves_b;
    qd_vec2 shift = {0, 0};
    if (step->periodic) shift = qdi_image_shift(world, image);
    const bool full = both && qdi_ccd_are_full(step, a, b, shift);
    if (both ? !stops_for(step, a, b, false, full) && !stops_for(step, b, a, false, full)
             : !may_stop(step, moves_a ? a : b))
        return;
    const bool bullet = qdi_is_bullet(world, a) || qdi_is_bullet(world, b), looked_at = bullet || full;
    const bool first_ways = go_their_ways(step, a, b);
    if (!looked_at && first_ways && !qdi_ccd_glances(step) && is_nothing(step, a, b, shift)) return;
    const double reach = step->reach * qdi_smaller_inner(world, moves_a ? a : b, moves_a ? b : a);
    if (both && first_ways && never_meet(step, a, b, shift, reach)) return;
    const qdi_path_segment segment_a = qdi_path_begin(step, a), segment_b = qdi_path_begin(step, b);
    qdi_party one = qdi_party_of(step, a, &segment_a), two = qdi_party_of(step, b, &segment_b);
    const qdi_party *mover = moves_a ? &one : &two;
    const double size = both ? qdi_ccd_size_of_both(step, a, b) : mover->inner,
                 way = way_between(step, a, &segment_a, b, &segment_b);
    if (!looked_at && !(way > QDI_UNSEEN_PART * size)) return;
    const double least = qdi_ccd_least_gap(world, a, b, shift), rounding = 1e-9 * (way + mover->reach);
    if (first_ways && least > way + rounding) return;
    if (!is_followed(way + rounding, size, least, both, looked_at)) return;
    if (first_ways && !step->following && stay_apart(step, a, &one, b, &two, shift, reach)) return;
    qdi_manifold manifold = {.count = 0};
    const double gap = least > reach + rounding ? (double)INFINITY
                                                : qdi_ccd_gap(&one, &two, shift, reach, &manifold);
    if (!is_followed(way, size, gap, both, looked_at)) return;
    qdi_movers m = {
        a, b, &one, &two, {.normal = manifold.normal}, both && !bullet && gap < (double)INFINITY, full};
    const bool cores = gap <= met_gap * mover->inner && !m.touching;
    if (cores) make_cores(step, &m, &one, &two);
    // Two movers do nothing to each other after both were stopped.
    const double last = both && !step->following
                            ? qdi_larger(qdi_ccd_stop_of(step->ccd, a), qdi_ccd_stop_of(step->ccd, b))
                            : step->dt;
    double time = m.touching ? qdi_ccd_pressed_at(step, &m, &manifold, shift, gap, last)
                             : qdi_meeting_of(step, a, &one, b, &two, shift, last, !cores, &m.met);
    if (one.form.ghost || two.form.ghost) {
        make_cores(step, &m, &one, &two);
        time = qdi_smaller(time, qdi_meeting_of(step, a, &one, b, &two, shift, last, false, &m.met));
    }
    if (!(time < step->dt) || !own_paths_near(step, a, b, shift)) return;
    if (both) {
        stop_movers(step, &m, time, worker);
        return;
    }
    const uint32_t row = moves_a ? a : b, other = moves_a ? b : a;
    const bool passed = qdi_ccd_is_passed(step, row, other, time);
    if (!passed) lower(step, row, time, worker);
    const uint32_t carrier = qdi_ccd_carries(world, other) ? other : QDI_NO_ROW;
    note_carrier(step, row, passed ? QDI_PASSED : carrier, time, worker);
}

/// Stops of ccd: the same of a body and a wall.
static bool own_path_reaches(const qdi_step *step, uint32_t row, int wall) {
    if (!(step->ccd->carried[row] < step->dt)) return true;
    const qd_vec2 centre = step->world->centre;
    qd_vec2 low, high;
    qdi_path_own_bounds(step, row, &low, &high);
    const qd_box own = qdi_box_of(-centre.x, -centre.y, (qdi_extent){low.x, high.x},
                                  (qdi_extent){low.y, high.y});
    return qdi_ccd_walls_near(step, own) >> wall & 1U;
}

void qdi_ccd_stop_at_wall(const qdi_step *step, uint32_t row, int wall, int worker) {
    const qd_world *world = step->world;
    if (!may_stop(step, row)) return;
    const qdi_path_segment segment = qdi_path_begin(step, row);
    qdi_party party = qdi_party_of(step, row, &segment);
    const double way = relative_way(step, row, velocity_of(&segment), QDI_NO_ROW, (qdi_twist){0, 0, 0}) +
                       fabs(qdi_wall_speed(world, wall)) * step->dt;
    const double gap = qdi_ccd_gap_to_wall(step, &party, wall);
    if (!qdi_is_bullet(world, row) && !(way > followed_way(party.inner, gap, false))) return;
    if (gap <= met_gap * party.inner) party = qdi_ccd_core_of(&party);
    const double time = qdi_meeting_with_wall(step, row, &party, wall);
    if (!(time < step->dt) || !own_path_reaches(step, row, wall)) return;
    lower(step, row, time, worker);
    const bool moves = qdi_wall_speed(world, wall) != 0;
    note_carrier(step, row, moves ? qdi_carrier_of_wall(wall) : QDI_NO_ROW, time, worker);
}

bool qdi_ccd_core_passes(const qdi_step *step, uint32_t row_a, uint32_t row_b, int wall, qd_image image) {
    const qd_world *world = step->world;
    const qdi_path_segment segment_a = qdi_path_begin(step, row_a);
    qdi_party a = qdi_party_of(step, row_a, &segment_a);
    if (row_b == QDI_NO_ROW) {
        if (a.form.kind == QD_SHAPE_DISK) return false;
        a = qdi_ccd_core_of(&a);
        return qdi_meeting_with_wall(step, row_a, &a, wall) < step->dt;
    }
    const bool moves_a = world->kind[row_a] == QD_BODY_DYNAMIC,
               moves_b = world->kind[row_b] == QD_BODY_DYNAMIC;
    if (moves_a == moves_b) return false;
    const qdi_path_segment segment_b = qdi_path_begin(step, row_b);
    qdi_party b = qdi_party_of(step, row_b, &segment_b), *mover = moves_a ? &a : &b;
    const qd_vec2 shift = qdi_image_shift(world, image);
    const double way = way_between(step, row_a, &segment_a, row_b, &segment_b);
    if (!(way > followed_part * mover->inner)) {
        qdi_manifold manifold;
        if (!(way > followed_way(mover->inner, qdi_ccd_least_gap(world, row_a, row_b, shift), false)) ||
            !(way > followed_way(mover->inner, qdi_ccd_gap(&a, &b, shift, 0, &manifold), false)))
            return false;
    }
    *mover = qdi_ccd_core_of(mover);
    a.form.ghost = b.form.ghost = NULL;
    qdi_met met;
    return qdi_meeting_of(step, row_a, &a, row_b, &b, shift, step->dt, false, &met) < step->dt;
}
