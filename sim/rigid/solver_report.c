// What the sub-steps gave, contact by contact: impulses, what the next step starts from, and where the energy
// went.

#include "sim/rigid/solver.h"
#include "sim/rigid/solver_job.h"
#include "sim/world/energy_balance_state.h"
#include "sim/world/scratch.h"

#include <string.h>

/// What bounces gave, and the velocities; nothing for lanes from `lanes` on.
static void open_report(const qdi_solver_job *job, const qdi_solver_group *group, size_t lanes,
                        qdi_solver_result *r) {
    const qdi_scratch *scratch = &job->world->scratch;
    if (lanes < QDI_SOLVER_LANES) memset(r, 0, sizeof *r);
    memset(r->slide, 0, sizeof *r - offsetof(qdi_solver_result, slide));
    for (size_t lane = 0; lane < lanes; ++lane) {
        const qdi_twist *a = &scratch->balance.means[group->slot_a[lane]];
        const qdi_twist *b = &scratch->balance.means[group->slot_b[lane]];
        r->x[lane] = a->x - b->x;
        r->y[lane] = a->y - b->y;
        r->spin_a[lane] = a->spin;
        r->spin_b[lane] = b->spin;
    }
    if (job->slides) memcpy(r->slide, job->slides[group - scratch->groups], lanes * sizeof(double));
    for (size_t lane = 0; lane < lanes && job->bounced; ++lane) {
        const qdi_outcome *outcome = &scratch->outcomes[group->contact[lane]];
        const qdi_contact_balance *contact_balance = &scratch->balance.contact_balances[group->contact[lane]];
        for (int k = 0; k < 2; ++k) {
            r->impulse[k][lane] = outcome->impulse[k];
            r->tangent_impulse[k][lane] = outcome->tangent_impulse[k];
        }
        r->lost_normal[lane] = contact_balance->lane[QDI_LOST_NORMAL];
        r->lost_friction[lane] = contact_balance->lane[QDI_LOST_FRICTION];
    }
}

/// Contact solver's report: work of the one body of a touch that does not move freely: `held` is its mover,
/// `on_a`: it is a.
static double work(const qdi_solver_group *group, const qdi_solver_point *touch, size_t lane,
                   const qdi_mover *held, bool on_a, const qdi_solver_result *r, int k) {
    double push = r->impulse[k][lane], tangent = r->tangent_impulse[k][lane], nx = group->nx[lane],
           ny = group->ny[lane];
    double across = on_a ? touch->across_a[lane] : touch->across_b[lane],
           along = on_a ? touch->along_a[lane] : touch->along_b[lane];
    double done = (push * nx - tangent * ny) * held->vx + (push * ny + tangent * nx) * held->vy +
                  held->spin * (across * push + along * tangent);
    return (on_a ? done : -done) + tangent * r->slide[lane];
}

/// Writes the outcome and the balance of a constraint.
static void close_report(const qdi_solver_job *job, size_t number, size_t lane, const qdi_solver_result *r) {
    const qdi_scratch *scratch = &job->world->scratch;
    const qdi_solver_group *group = &job->groups[number];
    const uint32_t contact = group->contact[lane];
    const bool moves_a = group->moves_a >> lane & 1, moves_b = group->moves_b >> lane & 1;
    scratch->outcomes[contact] = (qdi_outcome){
        .impulse = {r->impulse[0][lane], r->impulse[1][lane]},
        .tangent_impulse = {r->tangent_impulse[0][lane], r->tangent_impulse[1][lane]},
        .warm_start = {.normal = {r->warm[0][lane], r->warm[1][lane]},
                       .tangent = {r->warm_tangent[0][lane], r->warm_tangent[1][lane]}}};
    qdi_contact_balance *contact_balance = &scratch->balance.contact_balances[contact];
    const qdi_contact_balance before = job->bounced ? *contact_balance : (qdi_contact_balance){{0}};
    double virial = before.lane[QDI_VIRIAL], done = before.lane[QDI_WORK];
    if (moves_a && moves_b) {
        virial = r->virial[lane];
    } else if (!(group->walls >> lane & 1)) {
        const qdi_mover *held = &job->movers[moves_b ? group->slot_a[lane] : group->slot_b[lane]];
        done = work(group, &group->touch, lane, held, moves_b, r, 0);
        if (number < job->twos_groups) done += work(group, &job->second[number], lane, held, moves_b, r, 1);
    }
    contact_balance->lane[QDI_LOST_NORMAL] = r->lost_normal[lane];
    contact_balance->lane[QDI_LOST_FRICTION] = r->lost_friction[lane];
    contact_balance->lane[QDI_VIRIAL] = virial;
    contact_balance->lane[QDI_WORK] = done;
}

enum { REPORTS_AHEAD = 8 };

/// What a constraint's report reads and writes.
static inline void ask_for_report(const qdi_solver_job *job, uint32_t number) {
    const qdi_scratch *scratch = &job->world->scratch;
    const uint32_t contact = job->links[number].contact;
    __builtin_prefetch(&scratch->outcomes[contact], 1);
    __builtin_prefetch(&scratch->balance.contact_balances[contact], 1);
}

void qdi_solver_report(void *context, size_t begin, size_t end) {
    const qdi_solver_job *job = context;
    for (size_t g = begin; g < end; ++g) {
        const uint32_t *numbers = NULL;
        size_t left = qdi_solver_constraints(job, g, &numbers);
        const size_t lanes = left < QDI_SOLVER_LANES ? left : QDI_SOLVER_LANES;
        qdi_solver_result r;
        open_report(job, &job->groups[g], lanes, &r);
        for (int k = 0; k < (g < job->twos_groups ? 2 : 1); ++k) {
            const qdi_solver_point *touch = k ? &job->second[g] : &job->groups[g].touch;
            job->kernels->count(&job->groups[g], touch, job->substeps, &r, k);
        }
        for (size_t lane = 0; lane < lanes; ++lane) {
            if (lane + REPORTS_AHEAD < left) ask_for_report(job, numbers[lane + REPORTS_AHEAD]);
            close_report(job, g, lane, &r);
        }
    }
}
