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

#include "core/base/memory.h"
#include "core/parallel/stages.h"
#include "sim/rigid/lean.h"
#include "sim/rigid/solver_job.h"
#include "sim/world/energy_balance.h"
#include "sim/world/energy_balance_state.h"
#include "sim/world/grain.h"
#include "sim/world/pose.h"
#include "sim/world/scratch.h"
#include "sim/world/stop.h"
#include "sim/world/world_impl.h"

#include <math.h>

// ---- colours ----

/// Does something to all `groups` of the colour in work.
typedef void (*colour_function)(const qdi_solver_job *job, size_t groups);

/// Contact solver: does something to a colour of a unit.
static void over_colour(qdi_solver_job *job, const qdi_solver_unit *unit, size_t c,
                        colour_function function) {
    const qd_world *world = job->world;
    const qdi_solver_colours *colours = &unit->colours;
    if (colours->taken[c] == 0) return;
    const bool serial = c + 1 == colours->count && colours->last_is_serial;
    job->kernels = serial ? &qdi_solver_portable : qdi_solver_kernels_of(world->def.simd);
    job->groups = world->scratch.groups + unit->first_group + colours->group[c];
    job->second = world->scratch.second + unit->first_second + colours->second[c];
    job->inside[0] = job->list + colours->start[c];
    job->inside[1] = job->inside[0] + colours->twos[c];
    job->inside_count[0] = colours->twos[c];
    job->inside_count[1] = colours->taken[c] - colours->twos[c];
    job->twos_groups = qdi_solver_groups_of(job->inside_count[0]);
    function(job, job->twos_groups + qdi_solver_groups_of(job->inside_count[1]));
}

// ---- sub-steps ----

/// Contact solver: adds what forces give in a sub-step to the velocities of a range of movers.
static void push_range(const qdi_solver_job *job, size_t begin, size_t end) {
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
static void repeat_range(const qdi_solver_job *job, size_t begin, size_t end) {
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
static void move_range(const qdi_solver_job *job, size_t begin, size_t end) {
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

/// A sweep over the groups of the colour in work, of which the first ones have second touches.
static void sweep_groups(const qdi_solver_job *job, qdi_solver_sweep sweep, size_t groups) {
    const size_t both = job->twos_groups;
    if (both > 0) sweep(job->movers, job->groups, job->second, both, &job->rules);
    if (both < groups) sweep(job->movers, job->groups + both, NULL, groups - both, &job->rules);
}

/// Contact solver: solves groups with the push out of overlaps.
static void solve_groups(const qdi_solver_job *job, size_t groups) {
    sweep_groups(job, job->kernels->solve, groups);
}

/// Contact solver: solves groups without that push.
static void relax_groups(const qdi_solver_job *job, size_t groups) {
    sweep_groups(job, job->kernels->relax, groups);
}

// ---- into the step and out of it ----

/// Contact solver: the movers of [begin, end) that are bodies.
static size_t bodies_until(const qdi_solver_job *job, size_t end) {
    return end > job->units->bodies + 1 ? job->units->bodies + 1 : end;
}

/// Contact solver: what forces give to a range of movers in a sub-step: velocities of bodies are those with
/// forces already. They get it of the first one.
static void open_range(const qdi_solver_job *job, size_t begin, size_t end) {
    const qd_world *world = job->world;
    const double part = 1.0 / job->substeps;
    for (size_t slot = begin, stop = bodies_until(job, end); slot < stop; ++slot) {
        const uint32_t r = job->units->rows[slot - 1];
        const qdi_mover *mover = &job->movers[slot];
        const double spin = world->turning ? world->next.spin[r] : 0;
        job->pushes[slot] = (qdi_push){(world->next.vx[r] - mover->vx) * part,
                                       (world->next.vy[r] - mover->vy) * part, (spin - mover->spin) * part,
                                       0};
    }
    push_range(job, begin, end);
}

/// Contact solver: a way in a periodic world that is no longer than can be followed (qdi_path_box), if there
/// is one. What is pressed between two that do not move alike may be thrown further by sweeps that have not
/// come to an end, and would be through all that is about it.
static void shorten_way(const qdi_solver_job *job, uint32_t row, qdi_mover *mover) {
    const double turn = job->world->shape[row] ? fabs(mover->angle) : 0,
                 arc = turn < 2 ? 0.25 * turn * turn : 4, own = (2.2 + arc) * job->world->radius[row];
    const double way[2] = {fabs(mover->dx), fabs(mover->dy)}, period[2] = {job->period.x, job->period.y};
    double part = 1;
    for (int k = 0; k < 2; ++k) {
        const double most = 0.499 * period[k] - own;
        if (most > 0 && part * way[k] > most) part = most / way[k];
    }
    mover->dx *= part;
    mover->dy *= part;
}

/// Contact solver: puts the velocities of a range of movers back to their bodies.
static void close_range(const qdi_solver_job *job, size_t begin, size_t end) {
    const qd_world *world = job->world;
    const bool shortens = job->period.x > 0 || job->period.y > 0;
    const double gravity = qdi_strength_of(world->def.gravity);
    for (size_t slot = begin, stop = bodies_until(job, end); slot < stop; ++slot) {
        const uint32_t r = job->units->rows[slot - 1];
        if (world->kind[r] != QD_BODY_DYNAMIC) continue;
        qdi_mover *mover = &job->movers[slot];
        if (shortens) shorten_way(job, r, mover);
        const double lean = qdi_lean_after(world->now.lean[r], mover->angle, job->rules.dt,
                                           world->scratch.held[slot], world->radius[r], gravity);
        qdi_put_rare(&world->next.lean[r], &lean, sizeof lean);
        const qdi_push *push = &job->pushes[slot];
        qdi_twist change = {push->x * job->substeps, push->y * job->substeps, push->spin * job->substeps};
        qdi_balance_mover(world, r, (uint32_t)slot, change, job->rules.dt);
        world->next.vx[r] = mover->vx;
        world->next.vy[r] = mover->vy;
        if (world->turning) world->next.spin[r] = mover->spin;
    }
}

/// Contact solver: the spring of an overlap has an eighth of the sub-steps' frequency, and a quarter against
/// what does not move. Stiffer ones never come to rest under a high pile; this one lets it sink by the square
/// of the sub-step. Under a high pile of small bodies that would be half of their size: so from an overlap of
/// 2.4 % of it on, a spring yields to QDI_SOLVER_FIRMER of the further load alone, and beyond 4 % to no more.
/// With 3 % a pyramid of 100 rows does not come to rest, with 2 % it falls; and a spring that is as stiff
/// from the start would bounce under the same piles. Both limits fall with more than four sub-steps, to half
/// (`fine`) from eight on: by the square of the sub-step heavy bodies on light ones would not come to rest.
static qdi_solver_spring spring_of(double h, double part, double fine) {
    const double ratio = 10, w = 2 * 3.14159265358979324 * part / h, a = 2 * ratio + h * w, b = h * w * a,
                 rate = w / a;
    return (qdi_solver_spring){.rate = rate,
                               .per_rate = a / w,
                               .mass = b / (1 + b),
                               .give = 1 / b,
                               .firm = (1 - QDI_SOLVER_FIRMER) * 0.024 * fine * rate,
                               .most = 0.04 * fine * rate};
}

/// Contact solver: the stiffness and damping of contacts for a sub-step. The push out of overlaps is slow, as
/// relax takes it back within a few rows of bodies alone: at four times this speed a block of 90 rows that is
/// stopped by the floor is thrown up again as if it were elastic, and light bodies between heavy ones are,
/// too; at half of it what is pressed together stays so for minutes.
///
/// That is a speed per step, and in short steps it is faster than anything falls. A light body under a heavy
/// one is pushed out by a load that grows from sub-step to sub-step, up to what explains that speed; until
/// the heavy one has given way, which takes as many sub-steps as the root of the ratio of the masses, it is
/// thrown. So gravity sets a second limit: the speed after a fall through an eighth of the size, which is
/// half of the root of gravity times size, and the lower one for bodies above some size (in steps of 1/60 on
/// earth 1.1 m). Without gravity nothing says what is fast, and little presses bodies into each other for
/// long: there half of the speed does. Positions take back what the springs then leave.
static qdi_solver_rules rules_of(double dt, int substeps, qd_vec2 gravity) {
    const double h = dt / substeps, fine = 4.0 / (substeps < 4 ? 4 : substeps > 8 ? 8 : substeps);
    const double strength = qdi_strength_of(gravity), fall = 0.25 * strength;
    const double out = (strength > 0 ? 0.025 : 0.0125) / dt;
    return (qdi_solver_rules){.per_h = substeps / dt,
                              .dt = dt,
                              .free = spring_of(h, 0.125, fine),
                              .fixed = spring_of(h, 0.25, fine),
                              .out = out,
                              .large = strength > 0 ? fall / (out * out) : HUGE_VAL,
                              .out_fall = fall,
                              .shift = 0.1,
                              .fall = 2 * h * strength};
}

/// Contact solver: does something to the movers of a unit.
static void over_movers(const qdi_solver_job *job, const qdi_solver_unit *unit,
                        void (*function)(const qdi_solver_job *job, size_t begin, size_t end)) {
    function(job, unit->first_mover, unit->end_mover);
}

// ---- stages ----

// What is done to a unit, in stages: in one of them a body is written for one contact only, so domains may be
// in the same one side by side (core/parallel/stages.h).
//
//   open | make, by colour | repeat | solve, by colour | move | relax, by colour | repeat ... | close |
//   report

/// Contact solver: stages of a sub-step.
static size_t stages_of_substep(const qdi_solver_colours *colours) {
    return 2 + 2 * colours->count;
}
/// Contact solver: stages of a step.
static size_t stages_of(const qdi_solver_job *job, const qdi_solver_colours *colours) {
    return 3 + colours->count + (size_t)job->substeps * stages_of_substep(colours);
}

/// Contact solver: a stage of sub-step `k` of a unit, whose movers have what the first one begins with.
static void do_substep_stage(qdi_solver_job *job, const qdi_solver_unit *unit, size_t k, size_t stage) {
    const size_t colours = unit->colours.count;
    if (qdi_stopping(job->world)) return;
    if (stage == 0) {
        if (k > 0) over_movers(job, unit, repeat_range);
    } else if (stage <= colours) {
        over_colour(job, unit, stage - 1, solve_groups);
    } else if (stage == colours + 1) {
        over_movers(job, unit, move_range);
    } else {
        over_colour(job, unit, stage - colours - 2, relax_groups);
    }
}

/// Contact solver: a stage of a unit, from its contacts to what is reported of them, with the means of the
/// movers.
static void do_stage(qdi_solver_job *job, const qdi_solver_unit *unit, size_t stage) {
    const size_t colours = unit->colours.count, first = 1 + colours, each = stages_of_substep(&unit->colours),
                 last = first + (size_t)job->substeps * each;
    if (stage == 0)
        over_movers(job, unit, open_range);
    else if (stage < first)
        over_colour(job, unit, stage - 1, qdi_solver_make_groups);
    else if (stage < last)
        do_substep_stage(job, unit, (stage - first) / each, (stage - first) % each);
    else if (stage == last)
        over_movers(job, unit, close_range);
    else
        for (size_t c = 0; c < colours; ++c) over_colour(job, unit, c, qdi_solver_report);
}

/// Contact solver: all there is to do for a unit.
static void solve_unit(qdi_solver_job *job, const qdi_solver_unit *unit) {
    const size_t stages = stages_of(job, &unit->colours);
    for (size_t stage = 0; stage < stages; ++stage) do_stage(job, unit, stage);
}

/// Contact solver: a stage of a domain.
static void do_domain_stage(void *context, size_t domain, size_t stage) {
    qdi_solver_job job = *(const qdi_solver_job *)context;
    do_stage(&job, &job.units->unit[domain], stage);
}

/// Contact solver: solves the only domain.
static void solve_alone(void *context, size_t begin, size_t end) {
    qdi_solver_job job = *(const qdi_solver_job *)context;
    if (begin < end) solve_unit(&job, &job.units->unit[0]);
}

/// Contact solver: solves a range of units, those of domains not counted, where a thread has its room.
static void solve_units_range(void *context, size_t begin, size_t end, int worker) {
    qdi_solver_job job = *(const qdi_solver_job *)context;
    const qdi_solver_units *units = job.units;
    for (size_t u = begin; u < end; ++u) {
        qdi_solver_unit unit = units->unit[units->domains.count + u];
        unit.first_group = units->first_group + (size_t)worker * units->unit_groups;
        unit.first_second = units->first_second + (size_t)worker * units->unit_seconds;
        solve_unit(&job, &unit);
    }
}

void qdi_solver_run(qd_world *world, const qdi_solver_units *units, double dt, bool bounced) {
    qdi_scratch *scratch = &world->scratch;
    if (scratch->mover_count == 0) return;
    qdi_solver_job job = {.world = world,
                          .units = units,
                          .links = scratch->coloured,
                          .bounced = bounced,
                          .h = dt / world->def.substeps,
                          .rules = rules_of(dt, world->def.substeps, world->def.gravity),
                          .substeps = world->def.substeps,
                          .slides = (qdi_lanes *)scratch->slides,
                          .began = scratch->began,
                          .list = units->list,
                          .movers = scratch->movers,
                          .pushes = scratch->pushes};
    if (world->def.continuous != QD_CONTINUOUS_OFF) job.period = qdi_world_period(world);
    job.rules.groups = scratch->groups;
    job.rules.slides = (const qdi_lanes *)job.slides;
    scratch->solved += units->taken;
    const size_t domains = units->domains.count;
    if (domains == 1) {
        qdi_team_for(world->team, 1, 1, solve_alone, &job);
    } else {
        uint64_t neighbours[QDI_PARTS_MAX];
        for (size_t d = 0; d < domains; ++d) neighbours[d] = units->domains.neighbours[d];
        qdi_team_stages(world->team, domains, stages_of(&job, &units->unit[0].colours), neighbours,
                        do_domain_stage, &job);
    }
    qdi_team_for_workers(world->team, units->count - domains, 1, solve_units_range, &job);
}
