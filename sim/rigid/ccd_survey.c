// Who of all bodies is followed, and how far the others move. A range of rows writes its own.

#include "sim/rigid/ccd.h"
#include "sim/rigid/ccd_disks.h"
#include "sim/world/contact_state.h"
#include "sim/world/grain.h"
#include "sim/world/pose.h"
#include "sim/world/reach.h"
#include "sim/world/scratch.h"
#include "sim/world/world_impl.h"

#include <math.h>

/// Survey of ccd: a body at the step's start. All that is noted of it could be in the memory it is read from,
/// for all that a compiler knows: so it is read once.
typedef struct seen {
    uint32_t row;
    uint8_t kind;
    bool disk, bullet;
    double x, y, inner, radius;
} seen;

/// Survey of ccd: sees a body.
static inline seen see(const qd_world *world, uint32_t row) {
    return (seen){.row = row,
                  .kind = world->kind[row],
                  .disk = world->shape[row] == 0,
                  .bullet = qdi_is_bullet(world, row),
                  .x = world->now.x[row],
                  .y = world->now.y[row],
                  .inner = qdi_inner_of_row(world, row),
                  .radius = world->radius[row]};
}

/// Survey of ccd: notes a body on its way through the step. `bends`: that is an arc, and a glance not enough.
/// Field by field: a structure that is copied at once waits for what has just been written of it.
static inline qdi_glance *note_glance(const qdi_step *step, const seen *body, qd_vec2 way, double turn,
                                      bool bends) {
    qdi_glance *glance = &step->ccd->glances[body->row];
    glance->x = body->x;
    glance->y = body->y;
    glance->way_x = way.x;
    glance->way_y = way.y;
    glance->turn = turn;
    glance->inner = body->inner;
    glance->radius = body->radius;
    glance->moves = body->kind == QD_BODY_DYNAMIC;
    glance->bullet = bends || body->bullet;
    glance->known = false;
    return glance;
}

/// Survey of ccd: how far any point of a body moves at most.
static double way_of(const qdi_step *step, uint32_t row, const qdi_path_segment *segment) {
    double far = sqrt(segment->vx * segment->vx + segment->vy * segment->vy) * step->dt;
    if (step->world->shape[row]) far += fabs(segment->spin) * step->dt * step->world->radius[row];
    return far;
}

double qdi_ccd_way(const qdi_step *step, uint32_t row) {
    const qdi_path_segment segment = qdi_segment_of_row(step, row);
    return way_of(step, row, &segment);
}

/// Survey of ccd: whether a body is followed; if not, `way` is how far any point of it moves, squared.
static bool followed(const qdi_step *step, const seen *body, double *way) {
    const uint32_t row = body->row;
    const qdi_path_segment segment = qdi_segment_make(step, row);
    const double far = way_of(step, row, &segment);
    const bool is = qdi_segment_followed(step, row, &segment);
    *way = far * far;
    if (step->world->shaped == 0) return is;
    qdi_glance *glance = note_glance(step, body, (qd_vec2){segment.vx * step->dt, segment.vy * step->dt},
                                     body->disk ? 0 : segment.spin * step->dt, segment.parts > 0);
    glance->known = !body->disk;
    if (glance->known) step->ccd->free[row] = segment;
    return is;
}

/// What is plain of a body without its path: that its points move by much less than what is followed, or by
/// more.
typedef enum speed { SLOW, FAST, UNSURE } speed;

/// Survey of ccd: how fast a body plainly is, as most are the one or the other; `way` is how far its centroid
/// moves, and then any point of it, squared, and `turn` gets how far it turns.
static inline speed plain_speed(const qdi_step *step, const seen *body, double *way, double *turn) {
    const double part = step->part * body->inner, least = 0.99 * part, most = 1.01 * part;
    *turn = 0;
    if (body->kind == QD_BODY_KINEMATIC || body->bullet) return UNSURE; // its way may be an arc
    if (body->disk) return *way <= least * least && step->world->bullets == 0 ? SLOW : UNSURE;
    if (step->periodic) return UNSURE;
    *turn = qdi_motion_turn(step->world, body->row, step->dt);
    const double far = sqrt(*way) + fabs(*turn) * body->radius;
    if (far > least && (step->following || !(far > most))) return UNSURE;
    *way = far * far;
    return far > least ? FAST : SLOW;
}

/// Survey of ccd: the same as `followed`, for most bodies with less work: few ask for their segments later.
static inline bool is_followed(const qdi_step *step, const seen *body, double *way) {
    const qdi_motion *next = &step->world->next;
    const qd_vec2 moved = {next->x[body->row] - body->x, next->y[body->row] - body->y};
    double turn;
    *way = moved.x * moved.x + moved.y * moved.y;
    const speed plain = plain_speed(step, body, way, &turn);
    if (plain == UNSURE) return followed(step, body, way);
    if (step->world->shaped > 0) note_glance(step, body, moved, turn, false);
    return plain == FAST;
}

/// Survey of ccd: marks the bodies that a range of contacts presses into what cannot move.
static void mark_pressed(void *context, size_t begin, size_t end) {
    const qdi_step *step = context;
    for (size_t i = begin; i < end; ++i) {
        const qdi_link *link = &step->world->scratch.links[i];
        if (!link->pressed) continue;
        uint8_t *flag = &step->ccd->flags[link->moves_a ? link->row_a : link->row_b];
        __atomic_store_n(flag, QDI_FOLLOWED, __ATOMIC_RELAXED); // several contacts may press it
    }
}

/// Survey of ccd: marks those that are pressed: they are followed however little they move.
static void find_pressed(qdi_step *step) {
    qd_world *world = step->world;
    if (world->scratch.pressed == 0) return;
    qdi_team_zero(world->team, step->ccd->flags, world->count);
    qdi_team_for(world->team, qdi_constraint_count(&world->present), QDI_CONTACT_GRAIN, mark_pressed, step);
}

/// Survey of ccd: finds out who of a range of plain disks is followed.
static void survey_disks(void *context, size_t begin, size_t end) {
    const qdi_step *step = context;
    const qd_world *world = step->world;
    qdi_ccd *ccd = step->ccd;
    const qdi_ccd_disks disks = {.x = world->now.x,
                                 .y = world->now.y,
                                 .to_x = world->next.x,
                                 .to_y = world->next.y,
                                 .radius = world->radius,
                                 .part = step->part,
                                 .pressed = world->scratch.pressed > 0,
                                 .flags = ccd->flags,
                                 .rows = ccd->followed_rows};
    qdi_ccd_disks_survey_of(world->def.simd)(&disks, begin, end, &ccd->ways[begin / QDI_BODY_GRAIN]);
}

/// Survey of ccd: finds out who of a range of bodies is followed, and how far the others move.
static void survey(void *context, size_t begin, size_t end) {
    const qdi_step *step = context;
    const qd_world *world = step->world;
    qdi_ccd *ccd = step->ccd;
    qdi_ways ways = {.least = (double)INFINITY};
    bool carries = false, misses = false;
    const bool marked = world->scratch.pressed > 0;
    for (uint32_t row = (uint32_t)begin; row < end; ++row) {
        const seen body = see(world, row);
        double way;
        bool is = is_followed(step, &body, &way);
        const bool pressed = marked && ccd->flags[row] == QDI_FOLLOWED;
        is = is || pressed;
        if (world->shaped > 0) ccd->glances[row].drifts = pressed;
        qd_box box;
        const bool missed = is && step->periodic && !qdi_path_box(step, row, &box);
        misses = misses || missed;
        ccd->flags[row] = (uint8_t)((is ? QDI_FOLLOWED : 0) | (missed ? QDI_MISSED : 0));
        if (missed) ccd->flags[row] = QDI_LOST | QDI_MISSED;
        ccd->followed_rows[begin + ways.followed] = row;
        ways.followed += is;
        qdi_note_way(&ways, way, body.inner, is, body.kind == QD_BODY_DYNAMIC);
        carries = carries || (body.kind == QD_BODY_KINEMATIC && way > 0);
    }
    if (carries) atomic_store_explicit(&ccd->carriers, true, memory_order_relaxed);
    if (misses) atomic_store_explicit(&ccd->misses, true, memory_order_relaxed);
    ccd->ways[begin / QDI_BODY_GRAIN] = ways;
}

/// Survey of ccd: nobody of a range of bodies has a trajectory; from the first row on of which that is not
/// known.
static void forget_range(void *context, size_t begin, size_t end) {
    const qdi_step *step = context;
    for (size_t r = begin + step->ccd->plain_count; r < end + step->ccd->plain_count; ++r)
        step->ccd->trajectory_of[r] = QDI_NONE_YET;
}

/// Survey of ccd: makes room for what is kept of each body.
static qd_status reserve(const qdi_step *step, size_t ranges) {
    qdi_ccd *ccd = step->ccd;
    const qd_allocator *allocator = step->world->allocator;
    const size_t count = step->world->count, before = ccd->trajectory_of_room;
    qd_status status = qdi_reserve(allocator, &ccd->trajectory_of, &ccd->trajectory_of_room, 0, count,
                                   sizeof *ccd->trajectory_of);
    if (ccd->trajectory_of_room != before || status != QD_OK) ccd->plain_count = 0;
    if (status == QD_OK) status = qdi_reserve(allocator, &ccd->flags, &ccd->flag_room, 0, count, 1);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &ccd->followed_rows, &ccd->followed_rows_room, 0, count,
                             sizeof *ccd->followed_rows);
    if (status == QD_OK && step->world->shaped > 0)
        status = qdi_reserve(allocator, &ccd->free, &ccd->free_room, 0, count, sizeof *ccd->free);
    if (status == QD_OK && step->world->shaped > 0)
        status = qdi_reserve(allocator, &ccd->glances, &ccd->glance_room, 0, count, sizeof *ccd->glances);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &ccd->ways, &ccd->ways_room, 0, ranges, sizeof *ccd->ways);
    return status;
}

qd_status qdi_ccd_survey(const qdi_step *step, qdi_ways *ways) {
    qdi_ccd *ccd = step->ccd;
    const qd_world *world = step->world;
    const size_t ranges = qdi_range_count(world->count, QDI_BODY_GRAIN);
    qd_status status = reserve(step, ranges);
    if (status != QD_OK) return status;
    qdi_step job = *step;
    if (ccd->plain_count < world->count) {
        qdi_team_for(world->team, world->count - ccd->plain_count, QDI_BODY_GRAIN, forget_range, &job);
        ccd->plain_count = world->count;
    }
    find_pressed(&job);
    atomic_store_explicit(&ccd->carriers, false, memory_order_relaxed);
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, qdi_ccd_plain(step) ? survey_disks : survey,
                 &job);
    *ways = ccd->ways[0];
    for (size_t k = 1; k < ranges; ++k) qdi_add_ways(ways, &ccd->ways[k]);
    return QD_OK;
}
