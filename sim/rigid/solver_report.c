// What the sub-steps gave, contact by contact: impulses, what the next step starts from, and where the energy
// went.

#include "sim/rigid/solver.h"
#include "sim/rigid/solver_job.h"
#include "sim/world/energy_balance_state.h"
#include "sim/world/scratch.h"

/// Contact solver's report: work of the one body of a touch that does not move freely: `held` is its mover,
/// `on_a`: it is a.
static double work(const qdi_solver_group *group, const qdi_solver_point *touch, size_t lane,
                   const qdi_mover *held, bool on_a, const qdi_given *given, double slide, int k) {
    double push = given->impulse[k], tangent = given->friction[k], nx = group->nx[lane], ny = group->ny[lane];
    double across = on_a ? touch->across_a[lane] : touch->across_b[lane],
           along = on_a ? touch->along_a[lane] : touch->along_b[lane];
    double done = (push * nx - tangent * ny) * held->vx + (push * ny + tangent * nx) * held->vy +
                  held->spin * (across * push + along * tangent);
    return (on_a ? done : -done) + tangent * slide;
}

/// Contact solver's report: the work in a contact of a body that does not move freely.
static void put_work(const qdi_solver_job *job, size_t number, size_t lane, const qdi_solver_report_to *to) {
    const qdi_solver_group *group = &job->groups[number];
    const bool on_a = group->moves_b >> lane & 1;
    const qdi_mover *held = &job->movers[on_a ? group->slot_a[lane] : group->slot_b[lane]];
    const double slide = to->slides ? (*to->slides)[lane] : 0;
    const qdi_given *given = &to->outcomes.given[group->place[lane]];
    double done = work(group, &group->touch, lane, held, on_a, given, slide, 0);
    if (number < job->twos_groups)
        done += work(group, &job->second[number].touch, lane, held, on_a, given, slide, 1);
    to->balances[group->place[lane]].lane[QDI_WORK] = done;
}

enum { REPORTS_AHEAD = 8, GROUPS_AHEAD = 2 };

/// What a constraint's report reads and writes.
static inline void ask_for_report(const qdi_solver_job *job, uint32_t number) {
    const qdi_scratch *scratch = &job->world->scratch;
    const uint32_t place = job->links[number].place;
    __builtin_prefetch(&scratch->outcomes.given[place], 1);
    __builtin_prefetch(&scratch->outcomes.warm_starts[place], 1);
    __builtin_prefetch(&scratch->balance.contact_balances[place], 1);
}

void qdi_solver_report(const qdi_solver_job *job, size_t groups) {
    const qdi_scratch *scratch = &job->world->scratch;
    qdi_solver_report_to to = {.means = scratch->balance.means,
                               .outcomes = scratch->outcomes,
                               .balances = scratch->balance.contact_balances,
                               .substeps = job->substeps,
                               .bounced = job->bounced};
    for (size_t g = 0; g < groups; ++g) {
        const qdi_solver_group *group = &job->groups[g];
        const uint32_t *numbers = NULL;
        if (g + GROUPS_AHEAD < groups)
            qdi_solver_ask_for(job->groups, g + GROUPS_AHEAD < job->twos_groups ? job->second : NULL,
                               g + GROUPS_AHEAD, true);
        const size_t left = qdi_solver_constraints(job, g, &numbers);
        to.lanes = left < QDI_SOLVER_LANES ? (uint8_t)((1U << left) - 1) : UINT8_MAX;
        for (size_t k = REPORTS_AHEAD; k < 2 * REPORTS_AHEAD && k < left; ++k)
            ask_for_report(job, numbers[k]);
        to.slides = job->slides ? &job->slides[group - scratch->groups] : NULL;
        job->kernels->report(group, g < job->twos_groups ? &job->second[g] : NULL, &to);
        const unsigned one_held = to.lanes & ~(group->moves_a & group->moves_b) & ~group->walls;
        for (unsigned held = one_held & UINT8_MAX; held; held &= held - 1)
            put_work(job, g, (size_t)__builtin_ctz(held), &to);
    }
}
