#pragma once

#include "sim/rigid/ccd.h"

#include <math.h>
#include <string.h>

/// When somebody is stopped in a step (rigid/ccd_stop.c), for the rounds of that (rigid/ccd_clamp.c).

/// Stops of ccd: a positive time, so that it can be compared by its bits.
static inline uint64_t qdi_time_bits(double time) {
    uint64_t bits;
    memcpy(&bits, &time, sizeof bits);
    return bits;
}

/// Stops of ccd: relative motion, as a part of the size of what moves, that nothing comes of.
#define QDI_UNSEEN_PART 0.1
/// Stops of ccd: what two movers may come nearer while they touch, as a part of both sizes.
#define QDI_PRESSED_PART 0.25
/// Stops of ccd: what each number here is rounded by, at most.
#define QDI_GLANCE_ROUNDING 1e-8

/// Stops of ccd: the size that the relative motion of two is compared with.
static inline double qdi_glance_size(const qdi_glance *a, const qdi_glance *b) {
    if (!a->moves || !b->moves) return a->moves ? a->inner : b->inner;
    return 2 * (a->inner < b->inner ? a->inner : b->inner);
}

/// Stops of ccd: how far the points of b move at most as seen from a, `d` away from it: from a frame that
/// turns with a, where their centroids move by `w` relative to each other. What is left when turning carries
/// along, and of second order.
static inline double qdi_glance_beside(const qdi_glance *a, const qdi_glance *b, qd_vec2 w, qd_vec2 d) {
    const double turn = a->turn, x = w.x + turn * d.y, y = w.y - turn * d.x;
    return sqrt(x * x + y * y) + fabs(b->turn - turn) * b->radius +
           fabs(turn) * (fabs(w.x) + fabs(w.y) + 0.5 * fabs(turn) * (fabs(d.x) + fabs(d.y)));
}

/// Stops of ccd: how far two move at most relative to each other, as seen from the one or the other; b's
/// image is `d` away at the start.
static inline double qdi_glance_way(const qdi_glance *a, const qdi_glance *b, qd_vec2 d) {
    const qd_vec2 w = {b->way_x - a->way_x, b->way_y - a->way_y};
    const double from_a = qdi_glance_beside(a, b, w, d), from_b = qdi_glance_beside(b, a, w, d);
    return (1 + QDI_GLANCE_ROUNDING) * (from_a < from_b ? from_a : from_b);
}

/// Stops of ccd: more than two move relative to each other, in whatever way.
static inline double qdi_glance_most(const qdi_glance *a, const qdi_glance *b) {
    return (1 + QDI_GLANCE_ROUNDING) * (fabs(b->way_x - a->way_x) + fabs(b->way_y - a->way_y) +
                                        fabs(a->turn) * a->radius + fabs(b->turn) * b->radius);
}

/// Stops of ccd: true where nothing comes of two, as long as neither has been stopped: they plainly move
/// little relative to each other.
static inline bool qdi_glance_still(const qdi_glance *a, const qdi_glance *b) {
    const bool little = !(qdi_glance_most(a, b) > QDI_UNSEEN_PART * qdi_glance_size(a, b));
    return little & !a->bullet & !b->bullet;
}

/// Stops of ccd: the same where two that move by `way` at most, b's image `d` away at the start, move little
/// or are far apart.
static inline bool qdi_glance_passes(const qdi_glance *a, const qdi_glance *b, qd_vec2 d, double way) {
    const double far = (1 + QDI_GLANCE_ROUNDING) * (way + a->radius + b->radius);
    return (!(way > QDI_UNSEEN_PART * qdi_glance_size(a, b)) | (d.x * d.x + d.y * d.y > far * far)) &
           !a->bullet & !b->bullet;
}

// ---- rigid/ccd_gap.c ----

/// The gap of two at the step's start and the normal there; or infinity, where it is more than `reach`. Also
/// where an edge of a polyline leaves the contact to its neighbour, as in a corner: it must not be passed
/// either, but the normal is nobody's then. `shift` is added to b's position.
double qdi_ccd_gap(const qdi_party *a, const qdi_party *b, qd_vec2 shift, double reach,
                   qdi_manifold *manifold);
/// No more than that, for much less work.
double qdi_ccd_least_gap(const qd_world *world, uint32_t a, uint32_t b, qd_vec2 shift);
/// The gap between a wall, where it was then, and a body.
double qdi_ccd_gap_to_wall(const qdi_step *step, const qdi_party *party, int wall);

// ---- rigid/ccd_walk.c ----

// A body's path goes on where it was stopped in a round before: it stands there, and from `carried` on it
// goes along with what carries it.

/// Where two meet: the normal, and the point from the centroid of either.
typedef struct qdi_met {
    qd_vec2 normal, arm_a, arm_b;
} qdi_met;

/// The first time before `last` at which two meet on their paths, or infinity or a later one. `edges`: where
/// impacts are followed, two on their first ways have an edge if they meet on these, which is asked then.
double qdi_meeting_of(const qdi_step *step, uint32_t row_a, qdi_party *a, uint32_t row_b, qdi_party *b,
                      qd_vec2 shift, double last, bool edges, qdi_met *met);
/// The first time at which a body meets a wall on its path, or infinity.
double qdi_meeting_with_wall(const qdi_step *step, uint32_t row, qdi_party *party, int wall);

// ---- rigid/ccd_press.c ----

/// Two movers that touch, or meet.
typedef struct qdi_movers {
    uint32_t row_a, row_b;
    const qdi_party *a, *b;
    qdi_met met;   ///< of two that touch at the start only the normal
    bool touching; ///< at the start
    bool full;     ///< as near as they may come, one of them stopped (qdi_ccd_are_full)
} qdi_movers;

/// The size that the motion of two movers is compared with: twice the smaller one, or a small body would sink
/// into a large one. Where impacts are followed exactly only bodies that were given up come here, and a press
/// that is stopped by each of many small ones would push them through what they lie on.
double qdi_ccd_size_of_both(const qdi_step *step, uint32_t a, uint32_t b);
/// The mean velocity of a body from when it was stopped until the step's end.
qd_vec2 qdi_ccd_velocity_after(const qdi_step *step, uint32_t row);
/// The speed along a normal of a body's centroid, and of a point of it, from there.
double qdi_ccd_speed_along(const qdi_party *party, qd_vec2 n);
double qdi_ccd_speed_at(const qdi_party *party, qd_vec2 arm, qd_vec2 n);
/// When two movers that touch at the start, `gap` apart, have come too near to each other. `last`: see
/// qdi_meeting_of.
double qdi_ccd_pressed_at(const qdi_step *step, const qdi_movers *m, const qdi_manifold *manifold,
                          qd_vec2 shift, double gap, double last);
/// True for two movers whose middles are as near as they may come, of which one was stopped: the other must
/// not come nearer, not even by as little as the solver is left with otherwise, and though it is too slow to
/// be followed. That is so in each step where walls stop both and one later than the other, and they came
/// through each other.
bool qdi_ccd_are_full(const qdi_step *step, uint32_t a, uint32_t b, qd_vec2 shift);

// ---- rigid/ccd_stop.c ----

/// Stops of ccd: how long somebody is on the path, and a wall or what nothing stops the whole step.
static inline double qdi_ccd_time_of(const qdi_step *step, uint32_t row) {
    return row != QDI_NO_ROW && step->ccd->stops_hold ? step->ccd->stopped[row] : step->dt;
}

/// Stops of ccd: a body's core: a disk of half its size.
static inline qdi_party qdi_ccd_core_of(const qdi_party *party) {
    qdi_party core = *party;
    core.inner = core.reach = 0.5 * party->inner;
    core.form = qdi_form_disk(core.inner);
    return core;
}

/// Stops of ccd: the time at which a body stops, as found so far.
double qdi_ccd_stop_of(const qdi_ccd *ccd, uint32_t row);

/// Stops of ccd: true where nothing comes of two that go their first ways and move by `way` at most relative
/// to each other: that is little, or they are too far apart.
bool qdi_ccd_comes_to_nothing(const qdi_step *step, uint32_t a, uint32_t b, const qdi_glance *one,
                              const qdi_glance *two, qd_vec2 shift, double way);
/// Visitors (qdi_ccd_visitor): lower the times in `stops` at which two, or a body at a wall, are stopped, and
/// note whom a kinematic body may have to carry.
void qdi_ccd_stop_pair(const qdi_step *step, uint32_t a, uint32_t b, qd_image image, int worker);
void qdi_ccd_stop_at_wall(const qdi_step *step, uint32_t row, int wall, int worker);

// ---- rigid/ccd_ground.c ----

// What a body that is stopped on its way is carried along with. A carrier is the row of
// a kinematic body, a wall that moves, or QDI_NO_ROW: nothing, the body stands.

/// The carrier that is a wall.
static inline uint32_t qdi_carrier_of_wall(int wall) {
    return QDI_NO_ROW - 1 - (uint32_t)wall;
}
/// True for a wall.
static inline bool qdi_carrier_is_wall(uint32_t carrier) {
    return QDI_NO_ROW - 1 - carrier < QDI_WALLS;
}
/// True for a kinematic body that moves in the step.
bool qdi_ccd_carries(const qd_world *world, uint32_t row);
/// A number by which carriers are in order, whatever their rows.
uint32_t qdi_ccd_name_of_carrier(const qdi_step *step, uint32_t carrier);
/// How far a carrier moves and turns what stands in a pose, from a time to the end of the step.
qdi_twist qdi_ccd_carry(const qdi_step *step, uint32_t carrier, double from, const qdi_pose *pose);
/// The mean velocity at which a stopped body is carried, from where it stands; zeros where nothing does. What
/// was stopped at once turns by itself.
qdi_twist qdi_ccd_carried(const qdi_step *step, uint32_t row, const qdi_pose *pose);
/// Finds the heaps of all bodies, once in a step. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_ccd_find_heaps(const qdi_step *step);
/// Finds the grounds of all bodies, in worlds where walls or kinematic bodies move. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_ccd_find_grounds(const qdi_step *step);
/// The ground of a body: what it moves along with when it is stopped at a time.
uint32_t qdi_ccd_ground_of(const qdi_step *step, uint32_t row, double stop);

// ---- rigid/ccd_plough.c ----

/// Said as the carrier of a body that a plough passes.
#define QDI_PASSED (QDI_NO_ROW - 1 - QDI_WALLS)

/// Forgets who is a plough, before anybody asks in a step.
void qdi_ccd_forget_ploughs(qdi_step *step);
/// True where a mover and what no body moves pass each other where they meet, at a time: that is a plough,
/// which moves by more than the mover's size, and there is no room ahead, as the start of the step says; or
/// it would carry the mover through what stands, and shuts nobody in who is as wide. Wants the boxes of whole
/// ways in the world's tree. Cost: a retrieve of what lies ahead or two; and once in a step for each body
/// that may be a plough, one of all about it.
bool qdi_ccd_is_passed(const qdi_step *step, uint32_t mover, uint32_t by, double time);
