#include "sim/step/mirrored.h"

#include "sim/world/energy_balance.h"
#include "sim/world/grain.h"
#include "sim/world/sum.h"

typedef struct mirror_job {
    const uint8_t *mask;
    const size_t *first; ///< per range: place of its first mirrored body
    uint32_t *rows;      ///< theirs
} mirror_job;

// Lists the bodies that a wall mirrored in this step.
static void gather_mirrored_rows(void *context, size_t begin, size_t end) {
    const mirror_job *job = context;
    size_t place = job->first[begin / QDI_BODY_GRAIN];
    for (size_t r = begin; r < end; ++r)
        if (job->mask[r]) job->rows[place++] = (uint32_t)r;
}

/// A step's numbers, for the sums over mirrored bodies.
typedef struct mirror_sums {
    const qd_world *world;
    const qdi_mirrored *step;
    const uint32_t *rows; ///< of the mirrored bodies
} mirror_sums;

// Term of a sum: work of a moving wall on a mirrored body.
static qd_vec2 mirrored_work_term(const void *context, size_t i) {
    const mirror_sums *sums = context;
    return (qd_vec2){sums->step->gains[sums->rows[i]].work, 0};
}

// Term of a sum: impulse of a wall on a mirrored body.
static qd_vec2 mirrored_impulse_term(const void *context, size_t i) {
    const mirror_sums *sums = context;
    const qd_world *world = sums->world;
    uint32_t r = sums->rows[i];
    if (world->walls_move) return sums->step->gains[r].impulse;
    unsigned turned = sums->step->mask[r];
    double twice = 2 * world->mass[r];
    return (qd_vec2){turned & QDI_MIRRORED_X ? twice * world->next.vx[r] : 0,
                     turned & QDI_MIRRORED_Y ? twice * world->next.vy[r] : 0};
}

/// Term of a sum: a wall pushes to its own side.
static qd_vec2 mirrored_aside(const void *context, size_t i) {
    double push = mirrored_impulse_term(context, i).x;
    return push > 0 ? (qd_vec2){push, 0} : (qd_vec2){0, -push};
}

// Term of a sum: impulses of the lower and the upper wall apart.
static qd_vec2 mirrored_upright_term(const void *context, size_t i) {
    double push = mirrored_impulse_term(context, i).y;
    return push > 0 ? (qd_vec2){push, 0} : (qd_vec2){0, -push};
}

/// Term of a sum: gravity acts as if no wall had been there: its work belongs to another place than where
/// the body is.
static qd_vec2 mirrored_drift(const void *context, size_t i) {
    const mirror_sums *sums = context;
    const qd_world *world = sums->world;
    uint32_t r = sums->rows[i];
    const qdi_motion *now = &world->now, *next = &world->next;
    qd_vec2 impulse = mirrored_impulse_term(context, i), g = world->def.gravity;
    const qd_vec2 kick = sums->step->half_kick;
    double mass = world->mass[r], dt = sums->step->dt, x = (next->vx[r] - impulse.x / mass - kick.x) * dt,
           y = (next->vy[r] - impulse.y / mass - kick.y) * dt;
    if (world->scratch.flown) {
        x = world->scratch.flights[r].dx;
        y = world->scratch.flights[r].dy;
    }
    unsigned turned = sums->step->mask[r];
    double drift = turned & QDI_MIRRORED_X ? g.x * (now->x[r] + x - next->x[r]) : 0;
    if (turned & QDI_MIRRORED_Y) drift += g.y * (now->y[r] + y - next->y[r]);
    return (qd_vec2){mass * drift, 0};
}

// Term of a sum: what there is no sum of.
static qd_vec2 nothing(const void *context, size_t i) {
    (void)context;
    (void)i;
    return (qd_vec2){0, 0};
}

qd_status qdi_mirrored_sum(qd_world *world, const qdi_mirrored *step, qdi_wall_gain *sum) {
    size_t *counts = step->counts;
    size_t count = qdi_exclusive_scan(counts, qdi_range_count(world->count, QDI_BODY_GRAIN));
    mirror_job job = {.mask = step->mask,
                      .first = counts,
                      .rows = qdi_arena_take(&world->scratch.arena, count, sizeof *job.rows)};
    if (!job.rows) return QD_ERR_MEMORY;
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, gather_mirrored_rows, &job);
    mirror_sums sums = {world, step, job.rows};
    enum { IMPULSE, ASIDE, UPRIGHT, DRIFT, WORK, TERMS };
    const bool pulled = step->half_kick.x != 0 || step->half_kick.y != 0;
    const qdi_sum_term terms[TERMS] = {[IMPULSE] = {mirrored_impulse_term, &sums},
                                       [ASIDE] = {mirrored_aside, &sums},
                                       [UPRIGHT] = {mirrored_upright_term, &sums},
                                       [DRIFT] = {pulled ? mirrored_drift : nothing, &sums},
                                       [WORK] = {world->walls_move ? mirrored_work_term : nothing, &sums}};
    qd_vec2 all[TERMS];
    const qd_status status = qdi_sum_each(world->team, &world->scratch.arena, count, terms, TERMS, all);
    if (status != QD_OK) return status;
    *sum = (qdi_wall_gain){.impulse = all[IMPULSE], .work = all[WORK].x};
    qdi_balance_pushes(world, all[ASIDE], all[UPRIGHT]);
    world->scratch.balance.sums.drift += all[DRIFT].x;
    return QD_OK;
}
