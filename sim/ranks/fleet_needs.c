#include "sim/ranks/fleet_needs.h"

#include "core/base/memory.h"
#include "core/math/larger.h"
#include "core/parallel/parallel.h"
#include "sim/world/part.h"
#include "sim/world/pose.h"

#include <math.h>
#include <string.h>

double qdi_fleet_reach(const qd_world *world, uint32_t row) {
    const qdi_reach reach = qdi_world_reach(world);
    return world->radius[row] + reach.length;
}

// ---- the realm ----

/// Bodies that this rank owned, counted by cell, by ranges.
typedef struct count_job {
    const qdi_fleet_rank *rank;
    const qd_world *past;
    size_t grain, cells;
    uint64_t *counts; ///< of all cells, range by range
} count_job;

// Fleet's needs: where a body is.
static qd_vec2 place_of(const qd_world *world, size_t row) {
    return (qd_vec2){world->now.x[row], world->now.y[row]};
}

// Fleet's needs: counts the own bodies of a range of rows by cell.
static void count_range(void *context, size_t begin, size_t end) {
    const count_job *job = context;
    uint64_t *counts = job->counts + begin / job->grain * job->cells;
    memset(counts, 0, job->cells * sizeof *counts);
    for (size_t r = begin; r < end; ++r)
        counts[qdi_realm_cell(&job->rank->realm, place_of(job->past, r))] += !qdi_is_ghost(job->past, r);
}

// Fleet's needs: adds up how many bodies are in cells.
static void add_bodies(void *sum, const void *other, size_t bytes) {
    uint64_t *all = sum;
    const uint64_t *more = other;
    for (size_t c = 0; c < bytes / sizeof *all; ++c) all[c] += more[c];
}

// Fleet's needs: deals the realm by where bodies are now; tells how many bodies each unit of length makes
// ghosts, see qdi_realm_seen.
static qd_status deal(qdi_fleet_rank *rank, const qd_world *past, double *seen) {
    const size_t cells = qdi_realm_cells(&rank->realm);
    count_job job = {.rank = rank, .past = past, .cells = cells};
    job.grain = past->count / (size_t)qd_team_threads(past->team) + 1;
    const size_t ranges = qdi_range_count(past->count, job.grain), room = (ranges + 2) * cells;
    job.counts = qdi_allocate(rank->allocator, room, sizeof *job.counts);
    if (!job.counts) return QD_ERR_MEMORY;
    uint64_t *mine = job.counts + ranges * cells, *all = mine + cells;
    const size_t bytes = cells * sizeof *mine;
    memset(mine, 0, bytes);
    qdi_team_for(past->team, past->count, job.grain, count_range, &job);
    for (size_t k = 0; k < ranges; ++k) add_bodies(mine, job.counts + k * cells, bytes);
    const qd_status status = qdi_ranks_merged(rank->ranks, mine, all, bytes, add_bodies);
    if (status == QD_OK) qdi_realm_deal(&rank->realm, all);
    if (status == QD_OK) *seen = qdi_realm_seen(&rank->realm, all);
    qdi_release(rank->allocator, job.counts, room, sizeof *job.counts);
    return status;
}

// ---- slack ----

/// Steps for which ghosts are to last, at least and at most; and as long as how many steps a renewal takes.
static const double lasting_least = 24, lasting_most = 400, renewal_cost = 2;

// Fleet's needs: for how many steps ghosts are to last if bodies come `way` in each. A renewal takes as long
// as some steps, so it costs their part of n where it is made every n steps. Ghosts cost their part of all
// bodies; there are as many as the strip round a part is wide, of which 2 * n * way lasts for n steps. What
// both cost is least at the root here, and not much more for half or twice as many steps.
static double lasting_for(const qdi_fleet_rank *rank, double way, double seen) {
    const double cost = 2 * way * seen;
    if (cost == 0) return lasting_most; // all are at rest, or no rank sees another
    const double steps = sqrt(renewal_cost * (double)rank->bodies / cost);
    if (!(steps > lasting_least)) return lasting_least; // also for NaN
    return steps < lasting_most ? steps : lasting_most;
}

// Fleet's needs: keeps the larger of two numbers.
static void keep_larger(void *sum, const void *other, size_t bytes) {
    double *larger = sum;
    (void)bytes;
    *larger = qdi_larger(*larger, *(const double *)other);
}

// Fleet's needs: how far the fastest body of all ranks comes in a step, before there are parts.
static qd_status find_first_way(const qdi_fleet_rank *rank, const qd_world *past, double *way) {
    double squared = 0;
    for (size_t r = 0; r < past->count; ++r)
        squared = qdi_larger(past->now.vx[r] * past->now.vx[r] + past->now.vy[r] * past->now.vy[r], squared);
    const double mine = sqrt(squared) * rank->dt;
    return qdi_ranks_merged(rank->ranks, &mine, way, sizeof mine, keep_larger);
}

// Fleet's needs: how far bodies may come from where they are now. How far they come in a step follows from
// the steps since ghosts were chosen, of which the last was too far; at first from speeds: bodies may begin
// at rest, and are given a little then.
static qd_status choose_slack(qdi_fleet_needs *needs, const qd_world *past, double seen) {
    const qdi_fleet_rank *rank = needs->rank;
    double way = 0;
    if (rank->world) {
        way = rank->world->part->way / (double)(rank->steps + 1);
        needs->slack = 2 * lasting_for(rank, way, seen) * way;
        return QD_OK;
    }
    const qd_status status = find_first_way(rank, past, &way);
    needs->slack = qdi_larger(0.25 * rank->small, 2 * lasting_for(rank, way, seen) * way);
    return status;
}

// ---- giants ----

// Fleet's needs: whether a body that reaches so far is a giant.
static bool is_giant(const qdi_fleet_rank *rank, double reach) {
    return reach > rank->small;
}

/// Giants that are listed.
typedef struct giant_list {
    qdi_fleet_giant *at;
    size_t count, room;
} giant_list;

// Fleet's needs: adds giants to a list.
static qd_status add_giants(const qdi_fleet_rank *rank, giant_list *list, const void *more, size_t bytes) {
    const size_t count = bytes / sizeof *list->at;
    if (count == 0) return QD_OK;
    const qd_status status = qdi_reserve(rank->allocator, &list->at, &list->room, list->count,
                                         list->count + count, sizeof *list->at);
    if (status != QD_OK) return status;
    memcpy(list->at + list->count, more, bytes);
    list->count += count;
    return QD_OK;
}

/// Ranges of rows in which some body is a giant.
typedef struct giant_job {
    const qdi_fleet_rank *rank;
    const qd_world *past;
    uint8_t *any; ///< by range
} giant_job;

enum { GIANT_GRAIN = 1 << 14 };

// Fleet's needs: whether a range of rows has a giant.
static void look_for_giants(void *context, size_t begin, size_t end) {
    const giant_job *job = context;
    const double reach = qdi_fleet_reach(job->past, (uint32_t)begin) - job->past->radius[begin];
    uint8_t any = 0;
    for (size_t r = begin; r < end; ++r) any |= is_giant(job->rank, job->past->radius[r] + reach);
    job->any[begin / GIANT_GRAIN] = any;
}

// Fleet's needs: lists the giants of a range of rows that this rank owned.
static qd_status list_range(const giant_job *job, size_t begin, giant_list *list) {
    const qd_world *past = job->past;
    const size_t end = begin + GIANT_GRAIN < past->count ? begin + GIANT_GRAIN : past->count;
    qd_status status = QD_OK;
    for (size_t r = begin; r < end && status == QD_OK; ++r) {
        const double reach = qdi_fleet_reach(past, (uint32_t)r);
        if (qdi_is_ghost(past, r) || !is_giant(job->rank, reach)) continue;
        const qd_vec2 place = place_of(past, r);
        const qdi_fleet_giant one = {place, reach, qdi_realm_owner(&job->rank->realm, place)};
        status = add_giants(job->rank, list, &one, sizeof one);
    }
    return status;
}

// Fleet's needs: lists the giants that this rank owned.
static qd_status list_own_giants(const qdi_fleet_rank *rank, const qd_world *past, giant_list *list) {
    const size_t ranges = qdi_range_count(past->count, GIANT_GRAIN);
    if (ranges == 0) return QD_OK;
    giant_job job = {rank, past, qdi_allocate(rank->allocator, ranges, 1)};
    if (!job.any) return QD_ERR_MEMORY;
    qdi_team_for(past->team, past->count, GIANT_GRAIN, look_for_giants, &job);
    qd_status status = QD_OK;
    for (size_t k = 0; k < ranges && status == QD_OK; ++k)
        if (job.any[k]) status = list_range(&job, k * GIANT_GRAIN, list);
    qdi_release(rank->allocator, job.any, ranges, 1);
    return status;
}

// Fleet's needs: lists the giants of all ranks.
static qd_status list_giants(qdi_fleet_needs *needs, const qd_world *past) {
    qdi_message to[QDI_RANKS_MAX], from[QDI_RANKS_MAX];
    const qdi_fleet_rank *rank = needs->rank;
    giant_list own = {.count = 0}, all = {.count = 0};
    qd_status status = list_own_giants(rank, past, &own);
    for (int q = 0; q < qdi_ranks_count(rank->ranks); ++q)
        to[q] = (qdi_message){own.at, own.count * sizeof *own.at};
    if (status == QD_OK) status = qdi_ranks_exchange(rank->ranks, to, from);
    for (int q = 0; q < qdi_ranks_count(rank->ranks) && status == QD_OK; ++q)
        status = add_giants(rank, &all, from[q].data, from[q].bytes);
    qdi_release(rank->allocator, own.at, own.room, sizeof *own.at);
    needs->giants = all.at;
    needs->giant_count = all.count;
    needs->giant_room = all.room;
    return status;
}

// ---- who needs whom ----

// Fleet's needs: whether two coordinates are at most `far` apart, also round a period.
static bool is_near(double p, double q, double far, double period) {
    double apart = fabs(p - q);
    if (period > 0 && apart > 0.5 * period) apart = fabs(period - apart);
    return apart <= far;
}

uint64_t qdi_fleet_needed_by(const qdi_fleet_needs *needs, const qd_world *world, uint32_t row) {
    const qdi_realm *realm = &needs->rank->realm;
    const uint64_t all = UINT64_MAX >> (64 - realm->ranks);
    const double reach = qdi_fleet_reach(world, row);
    if (realm->ranks == 1 || is_giant(needs->rank, reach)) return all;
    const qd_vec2 place = place_of(world, row), period = qdi_world_period(world);
    uint64_t mask = qdi_realm_near(realm, place, reach + needs->rank->small + needs->slack);
    for (size_t k = 0; k < needs->giant_count && mask != all; ++k) {
        const qdi_fleet_giant *one = &needs->giants[k];
        const double far = reach + one->reach + needs->slack;
        if (is_near(place.x, one->place.x, far, period.x) && is_near(place.y, one->place.y, far, period.y))
            mask |= UINT64_C(1) << one->owner;
    }
    return mask;
}

// Fleet's needs: which cells are inner ones.
static qd_status find_inner(qdi_fleet_needs *needs) {
    const qdi_fleet_rank *rank = needs->rank;
    if (needs->giant_count > 0) return QD_OK;
    needs->inner = qdi_allocate(rank->allocator, qdi_realm_cells(&rank->realm), 1);
    if (!needs->inner) return QD_ERR_MEMORY;
    qdi_realm_find_inner(&rank->realm, qdi_ranks_me(rank->ranks), 2 * rank->small + needs->slack,
                         needs->inner);
    return QD_OK;
}

qd_status qdi_fleet_find_needs(qdi_fleet_rank *rank, const qd_world *past, qdi_fleet_needs *needs) {
    *needs = (qdi_fleet_needs){.rank = rank};
    double seen = 0;
    qd_status status = deal(rank, past, &seen);
    if (status == QD_OK) status = choose_slack(needs, past, seen);
    if (status == QD_OK) status = list_giants(needs, past);
    return status == QD_OK ? find_inner(needs) : status;
}

void qdi_fleet_forget_needs(qdi_fleet_needs *needs) {
    const qd_allocator *allocator = needs->rank->allocator;
    qdi_release(allocator, needs->giants, needs->giant_room, sizeof *needs->giants);
    if (needs->inner) qdi_release(allocator, needs->inner, qdi_realm_cells(&needs->rank->realm), 1);
}
