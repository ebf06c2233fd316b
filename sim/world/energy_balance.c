// Sums of what contacts and forces did to the energy, see energy_balance.h.

#include "sim/world/energy_balance.h"

#include "sim/world/energy_balance_state.h"
#include "sim/world/feature.h"
#include "sim/world/forces.h"
#include "sim/world/grain.h"
#include "sim/world/limits.h"
#include "sim/world/part.h"
#include "sim/world/pose.h"
#include "sim/world/scratch.h"
#include "sim/world/sum.h"
#include "sim/world/world_impl.h"

qd_status qdi_balance_begin(qd_world *world, size_t count) {
    qdi_balance_scratch *balance = &world->scratch.balance;
    balance->contact_balances = qdi_arena_take(&world->scratch.arena, count,
                                               sizeof *balance->contact_balances);
    return balance->contact_balances ? QD_OK : QD_ERR_MEMORY;
}

// Releases what the energy balance works with.
void qdi_balance_release(const qd_allocator *allocator, qdi_balance_scratch *balance) {
    qdi_release(allocator, balance->means, balance->mean_room, sizeof *balance->means);
    qdi_release(allocator, balance->drag, balance->drag_room, sizeof *balance->drag);
    qdi_release(allocator, balance->force, balance->force_room, sizeof *balance->force);
}

// ---- one constraint ----

double qdi_balance_work(const qdi_constraint *constraint, const qdi_motion *m) {
    double push = constraint->impulse[0] + constraint->impulse[1],
           tangent = constraint->tangent_impulse[0] + constraint->tangent_impulse[1];
    double x = push * constraint->nx - tangent * constraint->ny,
           y = push * constraint->ny + tangent * constraint->nx;
    uint32_t row = constraint->moves_b ? constraint->row_a : constraint->row_b;
    double work = x * m->vx[row] + y * m->vy[row];
    if (constraint->plain) return (constraint->moves_b ? work : -work) + 0;
    const double *across = constraint->moves_b ? constraint->rest->across_a : constraint->rest->across_b;
    const double *along = constraint->moves_b ? constraint->rest->along_a : constraint->rest->along_b;
    for (int k = 0; k < 2; ++k)
        work += m->spin[row] *
                (across[k] * constraint->impulse[k] + along[k] * constraint->tangent_impulse[k]);
    return (constraint->moves_b ? work : -work) + tangent * constraint->rest->slide;
}

// ---- movers ----

void qdi_balance_mover(const qd_world *world, uint32_t row, uint32_t slot, qdi_twist change, double dt) {
    const qdi_balance_scratch *balance = &world->scratch.balance;
    const qdi_mover *mover = &world->scratch.movers[slot];
    qdi_mean_twist *mean = &balance->means[slot]; // so far the velocity before the forces
    *mean = (qdi_mean_twist){0.5 * (mean->x + mover->vx), 0.5 * (mean->y + mover->vy),
                             0.5 * (mean->spin + mover->spin), 0};
    double mass = world->mass[row];
    qd_vec2 pull = world->def.gravity;
    if (world->scratch.flown) {
        const qdi_flight *flight = &world->scratch.flights[row];
        double fx = 0, fy = 0, turning = isfinite(world->inertia[row]) ? world->inertia[row] * mean->spin : 0;
        if (world->force) {
            fx = world->scratch.force[0][row] / mass;
            fy = world->scratch.force[1][row] / mass;
            balance->force[row] = mass * (fx * mean->x + fy * mean->y) * dt + turning * flight->turn * dt;
        }
        balance->drag[row] = mass * ((flight->ax * dt - change.x) * mean->x +
                                     (flight->ay * dt - change.y) * mean->y) +
                             turning * (flight->turn * dt - change.spin);
        pull = (qd_vec2){flight->ax - fx, flight->ay - fy};
    }
    const double spin_change = world->scratch.began[slot].spin_change;
    const bool turns = spin_change != 0 && isfinite(world->inertia[row]); // else its turning has no energy
    const double slowed = turns ? world->inertia[row] * spin_change * mean->spin : 0;
    balance->drift[slot] = slowed +
                           mass * (pull.x * (mean->x * dt - mover->dx) + pull.y * (mean->y * dt - mover->dy));
}

// ---- sums ----

/// Room for `count` values that qdi_sum_values can add up.
static qd_status reserve_array(const qd_allocator *allocator, double **values, size_t *room, size_t count) {
    return qdi_reserve(allocator, values, room, 0, count + QDI_TALLY_LANES, sizeof **values);
}

qd_status qdi_balance_movers(qd_world *world, size_t count) {
    qdi_balance_scratch *balance = &world->scratch.balance;
    qd_status status = qdi_reserve(world->allocator, &balance->means, &balance->mean_room, 0, count,
                                   sizeof *balance->means);
    balance->drift = qdi_arena_take(&world->scratch.arena, count + QDI_TALLY_LANES, sizeof *balance->drift);
    return balance->drift ? status : QD_ERR_MEMORY;
}

// Term of a sum: energy that one contact with a wall lost.
static qd_vec2 wall_lost_term(const void *context, size_t i) {
    const qdi_contact_balance *contact_balance = (const qdi_contact_balance *)context + i;
    return (qd_vec2){contact_balance->lane[QDI_LOST_NORMAL], contact_balance->lane[QDI_LOST_FRICTION]};
}

void qdi_energy_balance_add_contacts(qdi_energy_balance *all, const double lanes[QDI_TALLY_LANES],
                                     qd_vec2 wall_lost) {
    all->lost[0][0] += lanes[QDI_LOST_NORMAL];
    all->lost[0][1] += lanes[QDI_LOST_FRICTION];
    all->lost[1][0] += wall_lost.x;
    all->lost[1][1] += wall_lost.y;
    all->virial += lanes[QDI_VIRIAL];
    all->kinematic += lanes[QDI_WORK];
}

qd_status qdi_balance_constraints(qd_world *world, size_t count, size_t first_wall) {
    qdi_balance_scratch *balance = &world->scratch.balance;
    qd_vec2 lost = {0, 0};
    qdi_contact_balance *on_walls = balance->contact_balances + first_wall;
    qd_status status = qdi_sum(world->team, &world->scratch.arena, count - first_wall, wall_lost_term,
                               on_walls, &lost);
    if (status != QD_OK) return status;
    for (size_t i = 0; i < count - first_wall; ++i) on_walls[i] = (qdi_contact_balance){{0}};
    double sums[QDI_TALLY_LANES];
    status = qdi_balance_sum(world->team, &world->scratch.arena, balance->contact_balances, count, count,
                             sums);
    if (status != QD_OK) return status;
    qdi_energy_balance_add_contacts(&balance->sums, sums, lost);
    return qdi_sum_values(world->team, &world->scratch.arena, balance->drift, world->scratch.mover_count,
                          &balance->sums.drift);
}

// ---- forces ----

qd_status qdi_balance_sum(qd_team *team, qdi_arena *arena, const qdi_contact_balance *contact_balances,
                          size_t count, size_t terms, double sums[4]) {
    return qdi_sum_lanes(team, arena, count > 0 ? contact_balances->lane : NULL, count, terms, sums);
}

qd_status qdi_balance_fly(qd_world *world) {
    qdi_balance_scratch *balance = &world->scratch.balance;
    qd_status status = reserve_array(world->allocator, &balance->drag, &balance->drag_room, world->count);
    if (status == QD_OK && world->force)
        status = reserve_array(world->allocator, &balance->force, &balance->force_room, world->count);
    return status;
}

qd_status qdi_balance_flights(qd_world *world) {
    qdi_balance_scratch *balance = &world->scratch.balance;
    const qd_drag *drag = &world->def.drag;
    bool drags = drag->linear > 0 || drag->quadratic > 0 || drag->spin > 0;
    qd_status status = QD_OK;
    if (drags)
        status = qdi_sum_few(world->team, &world->scratch.arena, balance->drag, world->count,
                             qdi_part_clear_rows(world, balance->drag), &balance->sums.drag);
    if (status == QD_OK && world->force)
        status = qdi_sum_few(world->team, &world->scratch.arena, balance->force, world->count,
                             qdi_part_clear_rows(world, balance->force), &balance->sums.force);
    return status;
}

qd_status qdi_balance_rows(qdi_arena *arena, size_t rows, double **values) {
    *values = qdi_arena_take(arena, rows + QDI_TALLY_LANES, sizeof **values);
    return *values ? QD_OK : QD_ERR_MEMORY;
}

typedef struct wrap_job {
    const qd_world *world;
    double dt;
    double *work; ///< by row
} wrap_job;

// Adds up potential energy that bodies gain by wrapping around a periodic axis.
static void sum_wraps(void *context, size_t begin, size_t end) {
    const wrap_job *job = context;
    const qd_world *world = job->world;
    const qdi_motion *now = &world->now, *next = &world->next;
    for (size_t r = begin; r < end; ++r) {
        bool free = world->kind[r] == QD_BODY_DYNAMIC;
        double x = qdi_axis_wraps(&world->axis[0], now->x[r], next->x[r],
                                  0.5 * (now->vx[r] + next->vx[r]) * job->dt);
        double y = qdi_axis_wraps(&world->axis[1], now->y[r], next->y[r],
                                  0.5 * (now->vy[r] + next->vy[r]) * job->dt);
        job->work[r] = free ? world->mass[r] * (world->def.gravity.x * x * world->axis[0].length +
                                                world->def.gravity.y * y * world->axis[1].length)
                            : 0;
    }
}

// Enters the potential energy of wrapped bodies into the energy balance.
static qd_status balance_wraps(qd_world *world, qdi_step_context *step) {
    qd_vec2 gravity = world->def.gravity, period = qdi_world_period(world);
    if (gravity.x * period.x == 0 && gravity.y * period.y == 0) return QD_OK;
    wrap_job job = {.world = world, .dt = step->dt};
    qd_status status = qdi_balance_rows(&world->scratch.arena, world->count, &job.work);
    if (status != QD_OK) return status;
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, sum_wraps, &job);
    return qdi_sum_few(world->team, &world->scratch.arena, job.work, world->count,
                       qdi_part_clear_rows(world, job.work), &world->scratch.balance.sums.force);
}

const qdi_feature qdi_wraps_feature = {.at = {[QDI_STAGE_CHANGE] = balance_wraps}};

// ---- the world's sums ----

void qdi_energy_balance_add(qdi_energy_balance *all, const qdi_energy_balance *part) {
    for (int k = 0; k < 2; ++k)
        for (int n = 0; n < 2; ++n) all->lost[k][n] += part->lost[k][n];
    all->virial += part->virial;
    all->kinematic += part->kinematic;
    all->drag += part->drag;
    all->force += part->force;
    all->compression += part->compression;
    all->drift += part->drift;
    for (int wall = 0; wall < QDI_WALLS; ++wall) all->push[wall] += part->push[wall];
}

// Virial and wall force of a step, as rates.
static qdi_rates balance_rates(const qdi_energy_balance *step, double dt) {
    double push = step->push[0] + step->push[1] + step->push[2] + step->push[3];
    return (qdi_rates){step->virial / dt, push / dt};
}

// Whether sums of the energy balance are finite and not too large.
static bool sums_sane(const double *sums, size_t count) {
    bool hold = true;
    for (size_t i = 0; i < count; ++i) hold = qdi_is_sane_sum(sums[i]) && hold;
    return hold;
}

// Whether the energy balance after a step can be kept.
static bool balance_holds(const qdi_energy_balance *all, qdi_rates rates, const qd_world_totals *totals,
                          double entered) {
    const double sums[] = {all->lost[0][0],
                           all->lost[0][1],
                           all->lost[1][0],
                           all->lost[1][1],
                           all->virial,
                           all->kinematic,
                           all->drag,
                           all->force,
                           all->compression,
                           all->drift,
                           all->push[0],
                           all->push[1],
                           all->push[2],
                           all->push[3],
                           rates.virial,
                           rates.push,
                           totals->wall_impulse.x,
                           totals->wall_impulse.y,
                           totals->wall_work,
                           entered};
    return sums_sane(sums, sizeof sums / sizeof sums[0]);
}

bool qdi_sums_hold(const qd_world *world) {
    return balance_holds(&world->balance, world->rates, &world->totals, world->entered);
}

// Hook of the step: empties the energy balance of the step.
static qd_status balance_reset(qd_world *world, qdi_step_context *step) {
    (void)step;
    world->scratch.balance.sums = (qdi_energy_balance){.drift = 0};
    return QD_OK;
}

/// Adds what walls gave in a step.
static void add_gains(qd_world_totals *totals, const qdi_wall_gain gains[2]) {
    totals->wall_impulse.x += gains[0].impulse.x + gains[1].impulse.x;
    totals->wall_impulse.y += gains[0].impulse.y + gains[1].impulse.y;
    totals->wall_work += gains[0].work + gains[1].work;
}

// Hook of the step: refuses a step whose energy balance is beyond what numbers hold.
static qd_status balance_check(qd_world *world, qdi_step_context *step) {
    const qdi_energy_balance *part = &world->scratch.balance.sums;
    qdi_energy_balance all = world->balance;
    qd_world_totals totals = world->totals;
    qdi_energy_balance_add(&all, part);
    add_gains(&totals, step->gains);
    if (balance_holds(&all, balance_rates(part, step->dt), &totals, world->entered)) return QD_OK;
    qdi_limit_report_sums(&world->report, world->clock.step + 1);
    return QD_ERR_LIMIT;
}

// Hook of the step: adds the step's energy balance to that of the run.
static void balance_commit(qd_world *world, const qdi_step_context *step) {
    const qdi_energy_balance *part = &world->scratch.balance.sums;
    qdi_energy_balance_add(&world->balance, part);
    world->rates = balance_rates(part, step->dt);
    add_gains(&world->totals, step->gains);
}

const qdi_feature qdi_balance_feature = {
    .at = {[QDI_STAGE_BEGIN] = balance_reset, [QDI_STAGE_FINISH] = balance_check}, .commit = balance_commit};

double qdi_energy_of_row(const qd_world *world, uint32_t row) {
    if (world->kind[row] != QD_BODY_DYNAMIC) return 0;
    const qdi_motion *now = &world->now;
    const qd_vec2 gravity = world->def.gravity, origin = world->def.origin;
    double x = now->x[row], y = now->y[row], vx = now->vx[row], vy = now->vy[row], spin = now->spin[row];
    double energy = 0.5 * (vx * vx + vy * vy) - gravity.x * (x - origin.x) - gravity.y * (y - origin.y);
    if (world->def.attraction.strength != 0)
        energy += qdi_attraction_energy(&world->def.attraction, world->axis, x, y);
    energy *= world->mass[row];
    return isfinite(world->inertia[row]) ? energy + 0.5 * world->inertia[row] * spin * spin : energy;
}
