// Solves the contacts that neither bounce nor part: stacks, slides, rolling. The step is cut into sub-steps
// of h = dt / substeps (a projected Gauss-Seidel over the colours, after E. Catto, "Solver2D", 2024):
//
//   push     the first time, velocities get their part of what forces give, and every touch gives again what
//            held it in the step before; later, what changed a velocity in the sub-step before does so again,
//            which is push and warm start at once, without a sweep
//   solve    the normal: no approach; an overlap is taken back softly, as far as the load of the touch
//            explains it, and the rest of it by positions; then friction
//   move     positions and angles of the movers
//   relax    the normal again, without taking back, so that what parted the bodies leaves no speed behind;
//            then friction, which so has the normal's last word to measure itself by
//
// A push-out that is limited by the load keeps piles quiet and gives no speed to what overlaps without one. A
// touch that is still apart (gap > 0) may close: it only has to keep an approach of gap / h. All lengths are
// relative to the smaller body and all times to the sub-step, so units do not matter.
//
// The smaller of the last and the mean impulse of a sub-step is what the next step starts from, where the
// contact persists (by its feature): so a blow in the last sub-step does not come again.
//
// rigid/solver_groups.c has put the contacts into groups of eight (rigid/solver.h); the sweeps over these are
// in solver_kernel.h.

#include "sim/rigid/solver.h"

#include "sim/rigid/solver_job.h"
#include "sim/world/energy_balance.h"
#include "sim/world/energy_balance_state.h"
#include "sim/world/grain.h"
#include "sim/world/scratch.h"
#include "sim/world/stop.h"
#include "sim/world/world_impl.h"

#include <math.h>

// ---- colours ----

void qdi_solver_over_colours(qdi_solver_job *job, const qdi_solver_colours *solved,
                             qdi_range_function function, size_t shared) {
    qd_world *world = job->world;
    job->groups = world->scratch.groups + solved->first_group;
    job->second = world->scratch.second + solved->first_second;
    job->kernels = qdi_solver_kernels_of(world->def.simd);
    for (size_t c = 0; c < solved->count; ++c) {
        job->inside_count[0] = solved->twos[c];
        job->inside_count[1] = solved->start[c + 1] - solved->start[c] - solved->twos[c];
        job->inside[0] = job->list + solved->start[c];
        job->inside[1] = job->inside[0] + solved->twos[c];
        job->twos_groups = qdi_solver_groups_of(job->inside_count[0]);
        size_t groups = job->twos_groups + qdi_solver_groups_of(job->inside_count[1]);
        const bool serial = c + 1 == solved->count && solved->last_is_serial;
        if (serial) job->kernels = &qdi_solver_portable;
        if (serial || job->alone) {
            if (groups > 0) function(job, 0, groups);
        } else {
            size_t grain = groups < shared ? groups
                                           : qdi_fine_grain(world->team, groups, FEW_GROUPS,
                                                            QDI_CONTACT_GRAIN / QDI_SOLVER_LANES);
            qdi_team_for(world->team, groups, grain, function, job);
        }
        job->groups += groups;
        job->second += job->twos_groups;
    }
}

typedef struct over_units {
    const qdi_solver_job *job;
    const qdi_solver_units *units;
    qdi_range_function function;
} over_units;

/// Contact solver: does something to the groups of a range of units, of which the first one is not counted.
static void over_units_range(void *context, size_t begin, size_t end) {
    const over_units *over = context;
    qdi_solver_job job = *over->job;
    job.alone = true;
    for (size_t u = begin; u < end; ++u)
        qdi_solver_over_colours(&job, &over->units->unit[u + 1].colours, over->function, 0);
}

void qdi_solver_over_units(qdi_solver_job *job, const qdi_solver_units *units, qdi_range_function function,
                           size_t shared) {
    over_units over = {job, units, function};
    qdi_solver_over_colours(job, &units->unit[0].colours, function, shared);
    qdi_team_for(job->world->team, units->count - 1, 1, over_units_range, &over);
}

// ---- sub-steps ----

/// Contact solver: adds what forces give in a sub-step to the velocities of a range of movers.
static void push_range(void *context, size_t begin, size_t end) {
    const qdi_solver_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        qdi_mover *mover = &job->movers[i];
        job->began[i] = (qdi_push){mover->vx, mover->vy, mover->spin, 0};
        mover->vx += job->pushes[i].x;
        mover->vy += job->pushes[i].y;
        mover->spin += job->pushes[i].spin;
    }
}

/// Contact solver: what changed a mover's velocity in the sub-step before, forces and all that its touches
/// hold it with, does so again: that is push and warm start at once, without a sweep over the touches.
static void repeat_range(void *context, size_t begin, size_t end) {
    const qdi_solver_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        qdi_mover *mover = &job->movers[i];
        const qdi_push began = job->began[i];
        job->began[i] = (qdi_push){mover->vx, mover->vy, mover->spin, began.spin_change};
        mover->vx += mover->vx - began.x;
        mover->vy += mover->vy - began.y;
        mover->spin += mover->spin - began.spin;
    }
}

/// Most that what touches something turns in a sub-step: beyond it levers mean nothing.
#define MOST_TURN 0.78539816339744831

/// Contact solver: moves a range of movers by a sub-step.
static void move_range(void *context, size_t begin, size_t end) {
    const qdi_solver_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        qdi_mover *mover = &job->movers[i];
        mover->dx += mover->vx * job->h;
        mover->dy += mover->vy * job->h;
        double turn = mover->spin * job->h;
        if (fabs(turn) > MOST_TURN) {
            turn = turn > 0 ? MOST_TURN : -MOST_TURN;
            const double change = turn / job->h - mover->spin;
            mover->spin += change;
            job->began[i].spin_change += change;
            job->began[i].spin += change; // not to be repeated
        }
        mover->angle += turn;
    }
}

/// A sweep over groups [begin, end) of the colour in work, of which the first ones have second touches.
static void sweep_groups(const qdi_solver_job *job, qdi_solver_sweep sweep, size_t begin, size_t end) {
    size_t both = end < job->twos_groups ? end : job->twos_groups;
    if (begin < both) sweep(job->movers, job->groups + begin, job->second + begin, both - begin, &job->rules);
    if (begin < both) begin = both;
    if (begin < end) sweep(job->movers, job->groups + begin, NULL, end - begin, &job->rules);
}

/// Gives a range of groups the impulses that they start from.
static void warm_range(void *context, size_t begin, size_t end) {
    const qdi_solver_job *job = context;
    sweep_groups(job, job->kernels->warm, begin, end);
}

/// Contact solver: solves a range of groups with the push out of overlaps.
static void solve_range(void *context, size_t begin, size_t end) {
    const qdi_solver_job *job = context;
    sweep_groups(job, job->kernels->solve, begin, end);
}

/// Contact solver: solves a range of groups without that push.
static void relax_range(void *context, size_t begin, size_t end) {
    const qdi_solver_job *job = context;
    sweep_groups(job, job->kernels->relax, begin, end);
}

// ---- into the step and out of it ----

/// Contact solver: takes over the velocities of a range of bodies as movers.
static void open_range(void *context, size_t begin, size_t end) {
    const qdi_solver_job *job = context;
    const qd_world *world = job->world;
    qdi_push *pushes = world->scratch.pushes;
    double part = 1.0 / job->substeps;
    for (size_t r = begin; r < end; ++r) {
        uint32_t slot = qdi_slot_of(world, (uint32_t)r);
        if (!slot) continue;
        const qdi_mover *mover = &job->movers[slot];
        double spin = world->turning ? world->next.spin[r] : 0;
        pushes[slot] = (qdi_push){(world->next.vx[r] - mover->vx) * part,
                                  (world->next.vy[r] - mover->vy) * part, (spin - mover->spin) * part, 0};
    }
}

/// Contact solver: puts the velocities of a range of movers back to their bodies.
static void close_range(void *context, size_t begin, size_t end) {
    const qdi_solver_job *job = context;
    const qd_world *world = job->world;
    for (size_t r = begin; r < end; ++r) {
        uint32_t slot = qdi_slot_of(world, (uint32_t)r);
        if (!slot || world->kind[r] != QD_BODY_DYNAMIC) continue;
        const qdi_mover *mover = &job->movers[slot];
        const qdi_push *push = &job->pushes[slot];
        qdi_twist change = {push->x * job->substeps, push->y * job->substeps, push->spin * job->substeps};
        qdi_balance_mover(world, (uint32_t)r, slot, change, job->dt);
        world->next.vx[r] = mover->vx;
        world->next.vy[r] = mover->vy;
        if (world->turning) world->next.spin[r] = mover->spin;
    }
}

/// Contact solver: the spring of an overlap has an eighth of the sub-steps' frequency, and a quarter against
/// what does not move. Stiffer ones never come to rest under a high pile; this one lets it sink by the square
/// of the sub-step. A touch may push out as far as its load loses to softness in a sub-step, and little more:
/// what is left over loads two touches that push against each other (a body between two that do not move)
/// until their springs are full, and throws it when one of them lets go. Less than that lets piles sink.
static qdi_solver_spring spring_of(double h, double part) {
    const double ratio = 10, margin = 1.15, w = 2 * 3.14159265358979324 * part / h;
    double a = 2 * ratio + h * w, b = h * w * a;
    return (qdi_solver_spring){
        .rate = w / a, .per_rate = a / w, .mass = b / (1 + b), .impulse = 1 / (1 + b), .carried = margin / b};
}

/// Contact solver: the stiffness and damping of contacts for a sub-step.
static qdi_solver_rules rules_of(double dt, int substeps) {
    double h = dt / substeps;
    return (qdi_solver_rules){.per_h = substeps / dt,
                              .free = spring_of(h, 0.125),
                              .fixed = spring_of(h, 0.25),
                              .out = 0.1 / dt,
                              .shift = 0.1};
}

/// Contact solver: does something to the movers of a unit.
static void over_movers(qdi_solver_job *job, const qdi_solver_unit *unit, qdi_range_function function) {
    if (job->alone)
        function(job, unit->first_mover, unit->end_mover);
    else // its first mover is number 0
        qdi_team_for(job->world->team, unit->end_mover, QDI_BODY_GRAIN, function, job);
}

/// Contact solver: all sub-steps of a unit.
static void solve_unit(qdi_solver_job *job, const qdi_solver_unit *unit) {
    const qdi_solver_colours *colours = &unit->colours;
    const size_t taken = colours->start[colours->count] - colours->start[0],
                 sweep = taken < SHARED_SWEEPS ? SIZE_MAX : FEW_GROUPS;
    if (unit->first_mover == unit->end_mover) return;
    for (int k = 0; k < job->substeps && !qdi_stopping(job->world); ++k) {
        over_movers(job, unit, k == 0 ? push_range : repeat_range);
        if (k == 0) qdi_solver_over_colours(job, colours, warm_range, sweep);
        qdi_solver_over_colours(job, colours, solve_range, sweep);
        over_movers(job, unit, move_range);
        qdi_solver_over_colours(job, colours, relax_range, sweep);
    }
}

/// Contact solver: all sub-steps of a range of units, of which the first one is not counted.
static void solve_units_range(void *context, size_t begin, size_t end) {
    const over_units *over = context;
    qdi_solver_job job = *over->job;
    job.alone = true;
    for (size_t u = begin; u < end; ++u) solve_unit(&job, &over->units->unit[u + 1]);
}

void qdi_solver_run(qd_world *world, const qdi_solver_units *units, double dt, bool bounced) {
    qdi_scratch *scratch = &world->scratch;
    if (scratch->mover_count == 0) return;
    qdi_solver_job job = {.world = world,
                          .links = scratch->coloured,
                          .bounced = bounced,
                          .dt = dt,
                          .h = dt / world->def.substeps,
                          .rules = rules_of(dt, world->def.substeps),
                          .substeps = world->def.substeps,
                          .slides = (qdi_lanes *)scratch->slides,
                          .began = scratch->began,
                          .list = units->list,
                          .movers = scratch->movers,
                          .pushes = scratch->pushes};
    job.rules.groups = scratch->groups;
    job.rules.slides = (const qdi_lanes *)job.slides;
    over_units over = {.job = &job, .units = units};
    scratch->pushes[0] = (qdi_push){0, 0, 0, 0};
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, open_range, &job);
    solve_unit(&job, &units->unit[0]);
    qdi_team_for(world->team, units->count - 1, 1, solve_units_range, &over);
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, close_range, &job);
    qdi_solver_over_units(&job, units, qdi_solver_report,
                          SHARED_GROUPS); // with the means that the movers have by now
}
