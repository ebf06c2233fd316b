// Rest frames. In a drum, a lift or a box that is pushed nearly all goes where the drum goes: fast, as the
// world sees it, and next to still for each other. What is fast is followed, so all of it would be, with
// boxes of its whole way. But only motion relative to each other matters. So where all that no body moves
// goes along with one rigid motion, it is asked who is fast in a frame that goes along as well; if those are
// fewer, they alone are followed, and boxes hold ways as that frame sees them, which end where the body ends.
//
// In such a frame, whose origin moves evenly from `from` to `to` and which turns evenly by `turn`, a way that
// is straight in the world bends: a point p goes the way R(turn (1 - t)) (p(t) - o(t)), the second derivative
// of which is turn^2 |p - o| + 2 |turn| |p' - o'| at most; and so it leaves its chord by an eighth of that.
//
// The world's own walls stand. Who may reach one of these is followed where the world sees him as fast.
// Whoever is stopped goes on as the frame does, since nobody is looked for who runs into him otherwise.

#include "core/math/larger.h"
#include "core/parallel/atomic_extreme.h"
#include "sim/rigid/ccd_stop.h"
#include "sim/world/grain.h"
#include "sim/world/pose.h"
#include "sim/world/reach.h"
#include "sim/world/scratch.h"
#include "sim/world/walls.h"
#include "sim/world/world_impl.h"

#include <math.h>

/// A frame that turns further in a step is not worth it: ways bend too much.
#define MOST_TURN 0.5
/// What all that no body moves may be beside the one motion, as a part of its size.
static const double beside_part = 1e-6;
/// A frame is asked for where more than one in so many is fast, and used where at most this part of those is
/// fast in it.
enum { MANY = 4 };
static const double worth_part = 0.8;

/// What a range of bodies does in the frame.
typedef struct rest_ways {
    qdi_ways ways;
    double behind;      ///< see qdi_rest
    double radius, way; ///< the largest one, and the longest one in the world
} rest_ways;

typedef struct rest_job {
    qdi_step *step;
    _Atomic uint32_t first; ///< index of a kinematic body that moves: the lowest, whatever the order of rows
    atomic_bool stands;     ///< something does that no body moves, or moves in another way
    rest_ways *ways;        ///< per range
} rest_job;

/// Rest frame of ccd: looks for what no body moves in a range of bodies.
static void find_range(void *context, size_t begin, size_t end) {
    rest_job *job = context;
    const qd_world *world = job->step->world;
    for (uint32_t r = (uint32_t)begin; r < end; ++r) {
        if (world->kind[r] == QD_BODY_DYNAMIC) continue;
        if (!qdi_ccd_carries(world, r)) {
            atomic_store_explicit(&job->stands, true, memory_order_relaxed);
            return;
        }
        qdi_atomic_min_u32(&job->first, world->index[r]);
    }
}

/// Rest frame of ccd: the frame that goes along with a body.
static qdi_rest frame_of(const qdi_step *step, uint32_t row) {
    const qdi_motion *now = &step->world->now, *next = &step->world->next;
    qdi_rest rest = {.carrier = row,
                     .from = {now->x[row], now->y[row]},
                     .to = {next->x[row], next->y[row]},
                     .c = 1,
                     .turn = qdi_motion_turn(step->world, row, step->dt)};
    if (!step->world->turning) return rest;
    rest.c = now->c[row] * next->c[row] + now->s[row] * next->s[row];
    rest.s = now->c[row] * next->s[row] - now->s[row] * next->c[row];
    return rest;
}

qdi_seen_way qdi_ccd_seen_way(const qdi_rest *rest, const qdi_glance *glance) {
    const double x = glance->x - rest->from.x, y = glance->y - rest->from.y,
                 at_x = rest->to.x + rest->c * x - rest->s * y, at_y = rest->to.y + rest->s * x + rest->c * y;
    const double even = fabs(glance->way_x - (rest->to.x - rest->from.x)) +
                        fabs(glance->way_y - (rest->to.y - rest->from.y));
    const double turn = fabs(rest->turn), far = fabs(x) + fabs(y) + even;
    const bool disk = !(glance->radius > glance->inner);
    const double arc = glance->moves ? 0 : turn * (fabs(glance->way_x) + fabs(glance->way_y)); // bends itself
    return (qdi_seen_way){.x = glance->x + glance->way_x - at_x,
                          .y = glance->y + glance->way_y - at_y,
                          .turn = disk ? 0 : fabs(glance->turn - rest->turn) * glance->radius,
                          .bend = 0.125 * turn * (turn * far + 2 * even) + arc,
                          .from = {at_x - glance->x, at_y - glance->y}};
}

/// Rest frame of ccd: how far any point of a body moves at most, as far as it goes straight.
static inline double length_of(const qdi_seen_way *way) {
    return sqrt(way->x * way->x + way->y * way->y) + way->turn;
}

/// Rest frame of ccd: how far any point of a body is, at the start, from where the frame sees it then, at
/// most.
static inline double behind_of(const qdi_rest *rest, const qdi_glance *glance, const qdi_seen_way *way) {
    const bool disk = !(glance->radius > glance->inner);
    return fabs(way->from.x) + fabs(way->from.y) + (disk ? 0 : fabs(rest->turn) * glance->radius);
}

/// Rest frame of ccd: looks whether all that no body moves in a range of bodies goes along.
static void check_range(void *context, size_t begin, size_t end) {
    rest_job *job = context;
    const qdi_step *step = job->step;
    for (uint32_t r = (uint32_t)begin; r < end; ++r) {
        if (step->world->kind[r] == QD_BODY_DYNAMIC) continue;
        const qdi_glance *glance = &step->ccd->glances[r];
        const qdi_seen_way way = qdi_ccd_seen_way(&step->rest, glance);
        if (length_of(&way) > beside_part * glance->inner)
            atomic_store_explicit(&job->stands, true, memory_order_relaxed);
    }
}

/// Rest frame of ccd: the walls of the world that a body may reach in the step, a bit each; all of them
/// stand.
static unsigned walls_near(const qd_world *world, const qdi_wall_sides *sides, const qdi_glance *glance) {
    const double reach = (1 + 1e-6) * (glance->radius + fabs(glance->way_x) + fabs(glance->way_y));
    const qd_vec2 at = {glance->x - world->centre.x, glance->y - world->centre.y};
    return qdi_walls_near(sides, (qd_vec2){at.x - reach, at.y - reach},
                          (qd_vec2){at.x + reach, at.y + reach});
}

/// Rest frame of ccd: finds out who of a range of bodies is fast in the frame. Which are, no processor
/// foresees, so there is no branch.
static void survey_range(void *context, size_t begin, size_t end) {
    const rest_job *job = context;
    const qdi_step *step = job->step;
    const qd_world *world = step->world;
    const qdi_rest rest = step->rest;
    const double part = step->part;
    const unsigned walls = qdi_wall_bits(world);
    const qdi_wall_sides sides = qdi_wall_sides_of(world, step->dt);
    qdi_glance *glances = step->ccd->glances;
    rest_ways found = {.ways = {.least = (double)INFINITY}};
    for (uint32_t r = (uint32_t)begin; r < end; ++r) {
        qdi_glance *glance = &glances[r];
        const qdi_seen_way seen = qdi_ccd_seen_way(&rest, glance);
        const double far = length_of(&seen) + seen.bend;
        bool is = (far > part * glance->inner) | glance->drifts; // pressed
        is = is | qdi_is_bullet(world, r);
        if (walls && !is && step->ccd->flags[r] & QDI_FOLLOWED)
            is = walls_near(world, &sides, glance) & walls;
        glance->drifts = is = is & glance->moves;
        found.ways.followed += is;
        found.behind = qdi_larger(found.behind, behind_of(&rest, glance, &seen));
        found.radius = qdi_larger(found.radius, glance->moves ? glance->radius : 0);
        found.way = qdi_larger(found.way, fabs(glance->way_x) + fabs(glance->way_y));
        qdi_note_way(&found.ways, far * far, glance->inner, is, glance->moves);
    }
    job->ways[begin / QDI_BODY_GRAIN] = found;
}

/// Rest frame of ccd: adds up what ranges do.
static rest_ways sum_of(const rest_job *job, size_t ranges) {
    rest_ways all = {.ways = {.least = (double)INFINITY}};
    for (size_t k = 0; k < ranges; ++k) {
        qdi_add_ways(&all.ways, &job->ways[k].ways);
        all.behind = qdi_larger(all.behind, job->ways[k].behind);
        all.radius = qdi_larger(all.radius, job->ways[k].radius);
        all.way = qdi_larger(all.way, job->ways[k].way);
    }
    return all;
}

/// Rest frame of ccd: marks and lists those of a range of bodies that are fast in the frame.
static void mark_range(void *context, size_t begin, size_t end) {
    const rest_job *job = context;
    qdi_ccd *ccd = job->step->ccd;
    size_t count = 0;
    for (uint32_t r = (uint32_t)begin; r < end; ++r) {
        const bool drifts = ccd->glances[r].drifts;
        ccd->flags[r] = drifts ? QDI_FOLLOWED : 0;
        ccd->followed_rows[begin + count] = r;
        count += drifts;
    }
    ccd->ways[begin / QDI_BODY_GRAIN].followed = count;
}

/// Rest frame of ccd: true where there is a frame to be asked for.
static bool may_rest(const qdi_step *step, const qdi_ways *ways) {
    const qd_world *world = step->world;
    return ways->followed * MANY > world->count && world->shaped > 0 && world->fixed > 0 &&
           step->ccd->carriers && !step->following && !step->periodic && !world->walls_move;
}

/// Rest frame of ccd: finds the frame; true where there is one.
static bool find_frame(rest_job *job) {
    qdi_step *step = job->step;
    qd_world *world = step->world;
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, find_range, job);
    if (job->stands || job->first == QD_NO_BODY) return false;
    step->rest = frame_of(step, world->row_of_index[job->first]);
    if (!(fabs(step->rest.turn) <= MOST_TURN)) return false;
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, check_range, job);
    return !job->stands;
}

qd_status qdi_ccd_rest(qdi_step *step, qdi_ways *ways) {
    qd_world *world = step->world;
    step->rest.holds = false;
    if (!may_rest(step, ways)) return QD_OK;
    rest_job job = {.step = step, .first = QD_NO_BODY};
    if (!find_frame(&job)) return QD_OK;
    const size_t ranges = qdi_range_count(world->count, QDI_BODY_GRAIN);
    job.ways = qdi_arena_take(&world->scratch.arena, ranges, sizeof *job.ways);
    if (!job.ways) return QD_ERR_MEMORY;
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, survey_range, &job);
    const rest_ways all = sum_of(&job, ranges);
    if ((double)all.ways.followed > worth_part * (double)ways->followed) return QD_OK;
    step->rest.holds = true;
    step->rest.behind = all.behind * (1 + 1e-6);
    step->rest.nearby = all.radius + 2 * all.way;
    *ways = all.ways;
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, mark_range, &job);
    return QD_OK;
}
