// Sums of what contacts and forces did to the energy, see account.h. Ranges write their own slots and own counters; the
// counters are integers, so the order in which they are added up decides nothing.

#include "sim/account.h"

#include "sim/tally.h"

enum { GRAIN = 4096, LINES = 6 };

struct qdi_tally_line {
    uint64_t largest[LINES];
    qdi_tally tally[LINES];
};

qd_status qdi_account_begin(qd_world *world, size_t count) {
    qdi_books *books = &world->scratch.books;
    return qdi_reserve(world->allocator, &books->accounts, &books->account_room, 0, count,
                       sizeof *books->accounts);
}

void qdi_books_release(const qd_allocator *allocator, qdi_books *books) {
    qdi_release(allocator, books->accounts, books->account_room, sizeof *books->accounts);
    qdi_release(allocator, books->means, books->mean_room, sizeof *books->means);
    qdi_release(allocator, books->drift, books->drift_room, sizeof *books->drift);
    qdi_release(allocator, books->drag, books->drag_room, sizeof *books->drag);
    qdi_release(allocator, books->force, books->force_room, sizeof *books->force);
    qdi_release(allocator, books->wraps, books->wrap_room, sizeof *books->wraps);
    qdi_release(allocator, books->lines, books->line_room, sizeof *books->lines);
}

// ---- one joint ----

double qdi_account_work(const qdi_joint *joint, const qdi_motion *m) {
    double push = joint->impulse[0] + joint->impulse[1], rub = joint->rub[0] + joint->rub[1];
    double x = push * joint->nx - rub * joint->ny, y = push * joint->ny + rub * joint->nx;
    uint32_t row = joint->moves_b ? joint->row_a : joint->row_b;
    const double *across = joint->moves_b ? joint->across_a : joint->across_b;
    const double *along = joint->moves_b ? joint->along_a : joint->along_b;
    double work = x * m->vx[row] + y * m->vy[row];
    if (!joint->plain)
        for (int k = 0; k < 2; ++k)
            work += m->spin[row] * (across[k] * joint->impulse[k] + along[k] * joint->rub[k]);
    return joint->moves_b ? work : -work;
}

/// From the centre of a to that of b, times the impulse on b.
static double virial(const qd_world *world, const qdi_joint *joint) {
    if (joint->plain)
        return joint->impulse[0] *
               (world->radius[joint->row_a] + world->radius[joint->row_b] - joint->depth[0]);
    double sum = 0;
    for (int k = 0; k < joint->count; ++k)
        sum += joint->impulse[k] * (joint->along_a[k] - joint->along_b[k]) -
               joint->rub[k] * (joint->across_a[k] - joint->across_b[k]);
    return sum;
}

void qdi_account_other(const qd_world *world, const qdi_joint *joint, qdi_account *account) {
    if (account->kind == QDI_ACCOUNT_BODIES) account->other = virial(world, joint);
    if (account->kind == QDI_ACCOUNT_FIXED) account->other = qdi_account_work(joint, &world->next);
}

// ---- movers ----

static void note_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const qd_world *world = context;
    for (size_t k = begin; k < end; ++k) {
        const qdi_mover *mover = &world->scratch.movers[k];
        world->scratch.books.means[k] = (qdi_twist){mover->vx, mover->vy, mover->spin};
        world->scratch.books.drift[k] = 0;
    }
}

qd_status qdi_account_movers(qd_world *world) {
    qdi_books *books = &world->scratch.books;
    size_t count = world->scratch.mover_count;
    qd_status status = qdi_reserve(world->allocator, &books->means, &books->mean_room, 0, count,
                                   sizeof *books->means);
    if (status == QD_OK)
        status = qdi_reserve(world->allocator, &books->drift, &books->drift_room, 0, count,
                             sizeof *books->drift);
    if (status == QD_OK) qdi_team_for(world->team, count, QDI_BODY_GRAIN, note_range, world);
    return status;
}

static void mean_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const qd_world *world = context;
    for (size_t k = begin; k < end; ++k) {
        const qdi_mover *mover = &world->scratch.movers[k];
        qdi_twist *mean = &world->scratch.books.means[k];
        mean->x = 0.5 * (mean->x + mover->vx);
        mean->y = 0.5 * (mean->y + mover->vy);
        mean->spin = 0.5 * (mean->spin + mover->spin);
    }
}

void qdi_account_means(qd_world *world) {
    qdi_team_for(world->team, world->scratch.mover_count, QDI_BODY_GRAIN, mean_range, world);
}

void qdi_account_mover(const qd_world *world, uint32_t row, uint32_t slot, qdi_twist change, double dt) {
    const qdi_books *books = &world->scratch.books;
    const qdi_twist *mean = &books->means[slot];
    const qdi_mover *mover = &world->scratch.movers[slot];
    double mass = world->mass[row];
    qd_vec2 pull = world->def.gravity;
    if (world->scratch.flown) {
        const qdi_flight *flight = &world->scratch.flights[row];
        double fx = 0, fy = 0, turning = isfinite(world->inertia[row]) ? world->inertia[row] * mean->spin : 0;
        if (world->force) {
            fx = world->scratch.force[0][row] / mass;
            fy = world->scratch.force[1][row] / mass;
            books->force[row] = mass * (fx * mean->x + fy * mean->y) * dt + turning * flight->turn * dt;
        }
        books->drag[row] = mass * ((flight->ax * dt - change.x) * mean->x +
                                   (flight->ay * dt - change.y) * mean->y) +
                           turning * (flight->turn * dt - change.spin);
        pull = (qd_vec2){flight->ax - fx, flight->ay - fy};
    }
    books->drift[slot] = mass * (pull.x * (mean->x * dt - mover->dx) + pull.y * (mean->y * dt - mover->dy));
}

// ---- sums ----

typedef struct tally_job {
    const qdi_account *accounts;
    const double *values; ///< or of these
    qdi_tally_line *lines;
    double scale[LINES];
} tally_job;

/// Where the losses of an account go: two lines from here on; and its third number.
static inline unsigned line_of(const qdi_account *account) {
    return account->kind == QDI_ACCOUNT_WALL ? 2 : 0;
}

static inline unsigned other_line_of(const qdi_account *account) {
    return account->kind == QDI_ACCOUNT_BODIES ? 4 : 5;
}

static void see_accounts(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const tally_job *job = context;
    uint64_t largest[LINES] = {0};
    for (size_t i = begin; i < end; ++i) {
        const qdi_account *account = &job->accounts[i];
        unsigned line = line_of(account), other = other_line_of(account);
        largest[line] = qdi_tally_see(largest[line], account->normal);
        largest[line + 1] = qdi_tally_see(largest[line + 1], account->friction);
        largest[other] = qdi_tally_see(largest[other], account->other);
    }
    memcpy(job->lines[begin / GRAIN].largest, largest, sizeof largest);
}

static void add_accounts(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const tally_job *job = context;
    qdi_tally tally[LINES] = {{0, 0}};
    for (size_t i = begin; i < end; ++i) {
        const qdi_account *account = &job->accounts[i];
        unsigned line = line_of(account), other = other_line_of(account);
        qdi_tally_add(&tally[line], job->scale[line], account->normal);
        qdi_tally_add(&tally[line + 1], job->scale[line + 1], account->friction);
        qdi_tally_add(&tally[other], job->scale[other], account->other);
    }
    memcpy(job->lines[begin / GRAIN].tally, tally, sizeof tally);
}

static void see_values(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const tally_job *job = context;
    uint64_t largest = 0;
    for (size_t i = begin; i < end; ++i) largest = qdi_tally_see(largest, job->values[i]);
    job->lines[begin / GRAIN].largest[0] = largest;
}

static void add_values(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const tally_job *job = context;
    qdi_tally tally = {0, 0};
    for (size_t i = begin; i < end; ++i) qdi_tally_add(&tally, job->scale[0], job->values[i]);
    job->lines[begin / GRAIN].tally[0] = tally;
}

/// Both passes over `count` items of `lines` lines each.
static qd_status add_up(qd_world *world, tally_job *job, size_t count, int lines, qdi_range_function see,
                        qdi_range_function add, double *sums) {
    qdi_books *books = &world->scratch.books;
    size_t ranges = qdi_range_count(count, GRAIN);
    qd_status status = qdi_reserve(world->allocator, &books->lines, &books->line_room, 0, ranges,
                                   sizeof *books->lines);
    if (status != QD_OK) return status;
    job->lines = books->lines;
    uint64_t largest[LINES] = {0};
    qdi_team_for(world->team, count, GRAIN, see, job);
    for (size_t k = 0; k < ranges; ++k)
        for (int n = 0; n < lines; ++n)
            if (books->lines[k].largest[n] > largest[n]) largest[n] = books->lines[k].largest[n];
    bool any = false;
    for (int n = 0; n < lines; ++n) {
        job->scale[n] = qdi_tally_scale(largest[n]);
        any = any || largest[n] > 0;
        sums[n] = 0;
    }
    if (!any) return QD_OK;
    qdi_team_for(world->team, count, GRAIN, add, job);
    for (int n = 0; n < lines; ++n) {
        qdi_tally sum = {0, 0};
        for (size_t k = 0; k < ranges; ++k) qdi_tally_merge(&sum, &books->lines[k].tally[n]);
        sums[n] = qdi_tally_sum(&sum, job->scale[n], largest[n]);
    }
    return QD_OK;
}

/// Adds the sum of an array to a number.
static qd_status add_array(qd_world *world, const double *values, size_t count, double *number) {
    tally_job job = {.values = values};
    double sum = 0;
    qd_status status = add_up(world, &job, count, 1, see_values, add_values, &sum);
    *number += sum;
    return status;
}

qd_status qdi_account_joints(qd_world *world, size_t count) {
    qdi_books *books = &world->scratch.books;
    qdi_ledger *ledger = &books->ledger;
    tally_job job = {.accounts = books->accounts};
    double sums[LINES];
    qd_status status = add_up(world, &job, count, LINES, see_accounts, add_accounts, sums);
    if (status != QD_OK) return status;
    ledger->lost[0][0] += sums[0];
    ledger->lost[0][1] += sums[1];
    ledger->lost[1][0] += sums[2];
    ledger->lost[1][1] += sums[3];
    ledger->virial += sums[4];
    ledger->kinematic += sums[5];
    return add_array(world, books->drift, world->scratch.mover_count, &ledger->drift);
}

// ---- forces ----

qd_status qdi_account_fly(qd_world *world) {
    qdi_books *books = &world->scratch.books;
    qd_status status = qdi_reserve(world->allocator, &books->drag, &books->drag_room, 0, world->count,
                                   sizeof *books->drag);
    if (status == QD_OK && world->force)
        status = qdi_reserve(world->allocator, &books->force, &books->force_room, 0, world->count,
                             sizeof *books->force);
    return status;
}

qd_status qdi_account_flights(qd_world *world) {
    qdi_books *books = &world->scratch.books;
    if (!qdi_forces_settle(world)) return QD_OK;
    qd_status status = add_array(world, books->drag, world->count, &books->ledger.drag);
    if (status == QD_OK && world->force)
        status = add_array(world, books->force, world->count, &books->ledger.force);
    return status;
}

typedef struct wrap_job {
    const qd_world *world;
    double dt;
} wrap_job;

/// How often a body has left through the upper of two periodic sides, less how often through the lower.
static double wraps_of(const qdi_axis *axis, double from, double to, double expected) {
    if (axis->boundary != QD_BOUNDARY_PERIODIC) return 0;
    return floor((from + expected - to) / axis->length + 0.5);
}

static void wrap_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const wrap_job *job = context;
    const qd_world *world = job->world;
    const qdi_motion *now = &world->now, *next = &world->next;
    for (size_t r = begin; r < end; ++r) {
        bool free = world->kind[r] == QD_BODY_DYNAMIC;
        double x = wraps_of(&world->axis[0], now->x[r], next->x[r],
                            0.5 * (now->vx[r] + next->vx[r]) * job->dt);
        double y = wraps_of(&world->axis[1], now->y[r], next->y[r],
                            0.5 * (now->vy[r] + next->vy[r]) * job->dt);
        world->scratch.books.wraps[r] = free ? world->mass[r] *
                                                   (world->def.gravity.x * x * world->axis[0].length +
                                                    world->def.gravity.y * y * world->axis[1].length)
                                             : 0;
    }
}

qd_status qdi_account_wraps(qd_world *world, double dt) {
    qd_vec2 gravity = world->def.gravity, period = qdi_world_period(world);
    if (gravity.x * period.x == 0 && gravity.y * period.y == 0) return QD_OK;
    qdi_books *books = &world->scratch.books;
    qd_status status = qdi_reserve(world->allocator, &books->wraps, &books->wrap_room, 0, world->count,
                                   sizeof *books->wraps);
    if (status != QD_OK) return status;
    wrap_job job = {world, dt};
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, wrap_range, &job);
    return add_array(world, books->wraps, world->count, &books->ledger.force);
}

// ---- the world's ledger ----

void qdi_ledger_add(qdi_ledger *all, const qdi_ledger *part) {
    for (int k = 0; k < 2; ++k)
        for (int n = 0; n < 2; ++n) all->lost[k][n] += part->lost[k][n];
    all->virial += part->virial;
    all->kinematic += part->kinematic;
    all->drag += part->drag;
    all->force += part->force;
    all->drift += part->drift;
    for (int wall = 0; wall < QDI_WALLS; ++wall) all->push[wall] += part->push[wall];
}

void qdi_account_commit(qd_world *world, double dt) {
    const qdi_ledger *step = &world->scratch.books.ledger;
    qdi_ledger_add(&world->ledger, step);
    double push = step->push[0] + step->push[1] + step->push[2] + step->push[3];
    world->rates = (qdi_rates){step->virial / dt, push / dt};
}

double qdi_energy_of_row(const qd_world *world, uint32_t row) {
    if (world->kind[row] != QD_BODY_DYNAMIC) return 0;
    const qdi_motion *now = &world->now;
    const qd_vec2 gravity = world->def.gravity, origin = world->def.origin;
    double x = now->x[row], y = now->y[row], vx = now->vx[row], vy = now->vy[row], spin = now->spin[row];
    double energy = 0.5 * (vx * vx + vy * vy) - gravity.x * (x - origin.x) - gravity.y * (y - origin.y);
    if (world->def.attraction.strength != 0) energy += qdi_attraction_energy(world, x, y);
    energy *= world->mass[row];
    return isfinite(world->inertia[row]) ? energy + 0.5 * world->inertia[row] * spin * spin : energy;
}
