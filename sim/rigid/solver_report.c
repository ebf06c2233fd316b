// What the sub-steps gave, contact by contact: impulses, what the next step starts from, and where the energy
// went.

#include "sim/rigid/solver_job.h"
#include "sim/world/account.h"

/// The next step starts from what a touch gave in the last sub-step, but no more than in the mean: a blow
/// must not come again.
static void report(const qdi_solver_job *job, const qdi_solver_point *touch, size_t lane,
                   qdi_outcome *outcome, int k) {
    double last = touch->normal[lane], mean = touch->total[lane] / job->substeps;
    outcome->impulse[k] += touch->total[lane];
    outcome->rub[k] += touch->total_tangent[lane];
    outcome->hold.normal[k] = last < mean ? last : mean;
    outcome->hold.tangent[k] = last > mean ? touch->tangent[lane] * (mean / last) : touch->tangent[lane];
}

/// What a touch took in the whole of the step, see account.h.
static void settle(const qdi_solver_group *group, const qdi_solver_point *touch, size_t lane,
                   const qdi_books *books, qdi_account *account) {
    const qdi_twist *a = &books->means[group->slot_a[lane]], *b = &books->means[group->slot_b[lane]];
    double x = a->x - b->x, y = a->y - b->y, nx = group->nx[lane], ny = group->ny[lane];
    account->lane[QDI_LOST_NORMAL] += touch->total[lane] *
                                      (x * nx + y * ny +
                                       (a->spin * touch->across_a[lane] - b->spin * touch->across_b[lane]));
    account->lane[QDI_LOST_FRICTION] += touch->total_tangent[lane] *
                                        (y * nx - x * ny +
                                         (a->spin * touch->along_a[lane] - b->spin * touch->along_b[lane]));
}

/// What the centres of a touch's bodies are apart along the normal, times the impulses on b, and across it.
static double virial(const qdi_solver_point *touch, size_t lane, const qdi_outcome *outcome, int k) {
    return outcome->impulse[k] * (touch->along_a[lane] - touch->along_b[lane]) -
           outcome->rub[k] * (touch->across_a[lane] - touch->across_b[lane]);
}

/// Work of the one body of a touch that does not move freely: `held` is its mover, `on_a`: it is a.
static double work(const qdi_solver_group *group, const qdi_solver_point *touch, size_t lane,
                   const qdi_mover *held, bool on_a, const qdi_outcome *outcome, int k) {
    double push = outcome->impulse[k], rub = outcome->rub[k], nx = group->nx[lane], ny = group->ny[lane];
    double across = on_a ? touch->across_a[lane] : touch->across_b[lane],
           along = on_a ? touch->along_a[lane] : touch->along_b[lane];
    double done = (push * nx - rub * ny) * held->vx + (push * ny + rub * nx) * held->vy +
                  held->spin * (across * push + along * rub);
    return on_a ? done : -done;
}

/// All that a constraint reports: its outcome, which has what bounces gave, and its account.
static void report_constraint(const qdi_solver_job *job, size_t group, size_t lane, bool two) {
    const qd_world *world = job->world;
    const qdi_books *books = &world->scratch.books;
    const qdi_solver_group *all = &job->groups[group];
    const uint32_t contact = all->contact[lane];
    qdi_outcome *outcome = &world->scratch.outcomes[contact];
    qdi_account *account = &books->accounts[contact];
    const qdi_solver_point *touch[2] = {&all->touch, two ? &job->second[group] : NULL};
    const bool moves_a = all->moves_a >> lane & 1, moves_b = all->moves_b >> lane & 1;
    const qdi_mover *held = &job->movers[moves_b ? all->slot_a[lane] : all->slot_b[lane]];
    double sum = 0;
    if (!job->bounced) {
        *outcome = (qdi_outcome){.hold = {{0, 0}, {0, 0}}};
        *account = (qdi_account){{0}};
    }
    for (int k = 0; k < (two ? 2 : 1); ++k) {
        report(job, touch[k], lane, outcome, k);
        settle(all, touch[k], lane, books, account);
        sum += moves_a && moves_b ? virial(touch[k], lane, outcome, k)
                                  : work(all, touch[k], lane, held, moves_b, outcome, k);
    }
    if (moves_a && moves_b)
        account->lane[QDI_VIRIAL] = sum;
    else if (!(all->walls >> lane & 1))
        account->lane[QDI_WORK] = sum;
}

enum { REPORTS_AHEAD = 8 };

/// What a constraint's report reads and writes.
static inline void ask_for_report(const qdi_solver_job *job, uint32_t number) {
    const qdi_scratch *scratch = &job->world->scratch;
    const uint32_t contact = job->links[number].contact;
    __builtin_prefetch(&scratch->outcomes[contact], 1);
    __builtin_prefetch(&scratch->books.accounts[contact], 1);
}

void qdi_solver_report(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const qdi_solver_job *job = context;
    for (size_t g = begin; g < end; ++g) {
        const uint32_t *numbers = NULL;
        size_t left = qdi_solver_constraints(job, g, &numbers);
        for (size_t lane = 0; lane < QDI_REST_LANES && lane < left; ++lane) {
            if (lane + REPORTS_AHEAD < left) ask_for_report(job, numbers[lane + REPORTS_AHEAD]);
            report_constraint(job, g, lane, job->second && job->links[numbers[lane]].touches > 1);
        }
    }
}
