// Exact sums, see sum.h: a pass that finds the largest terms, and one that adds. Ranges write their own
// slots; in which order these are put together decides nothing.

#include "sim/world/sum.h"

#include "core/parallel/parallel.h"
#include "core/parallel/ranks.h"
#include "sim/world/grain.h"

#include <stdbool.h>
#include <string.h>

enum { GRAIN = 4096 };

/// What a range of items adds up to.
typedef struct tally_line {
    qdi_tally_most most;
    qdi_tally tally;
} tally_line;

typedef struct tally_job {
    const double *values; ///< lanes of each item, one item after the other
    int sums;             ///< how many: lanes k, k + sums, ... belong to one, and which value is in which
                          ///< decides nothing
    tally_line *lines;
    qdi_tally_cut cut;
} tally_job;

// First pass of exact sums: how large terms are.
static void see_tally_range(void *context, size_t begin, size_t end) {
    const tally_job *job = context;
    qdi_tally_most most = {{0}};
    for (size_t i = begin; i < end; ++i) qdi_tally_see(&most, job->values + i * QDI_TALLY_LANES);
    job->lines[begin / GRAIN].most = most;
}

// Second pass of exact sums: adds.
static void add_tally_range(void *context, size_t begin, size_t end) {
    const tally_job *job = context;
    const qdi_tally_cut cut = job->cut;
    qdi_tally tally = {{0}, {0}};
    for (size_t i = begin; i < end; ++i) qdi_tally_add(&tally, &cut, job->values + i * QDI_TALLY_LANES);
    job->lines[begin / GRAIN].tally = tally;
}

/// Exact sums: the largest term of each sum, in all of its lanes.
static qdi_tally_most most_of_ranges(const tally_job *job, size_t ranges) {
    qdi_tally_most most = {{0}};
    for (size_t r = 0; r < ranges; ++r) qdi_tally_see(&most, job->lines[r].most.lane);
    for (int from = 0; from < QDI_TALLY_LANES; ++from)
        for (int to = from % job->sums; to < QDI_TALLY_LANES; to += job->sums)
            if (most.lane[from] > most.lane[to]) most.lane[to] = most.lane[from];
    return most;
}

/// What ranks tell each other of their terms, and of their sums.
typedef struct shared_most {
    qdi_tally_most most;
    uint64_t terms, items; ///< of which items are those that are not left out
} shared_most;

// Exact sums: merges the sizes and the numbers of terms of two ranks.
static void merge_most(void *sums, const void *others, size_t bytes) {
    shared_most *all = sums;
    const shared_most *more = others;
    for (size_t k = 0; k < bytes / sizeof *all; ++k) {
        qdi_tally_see(&all[k].most, more[k].most.lane);
        all[k].terms += more[k].terms;
        all[k].items += more[k].items;
    }
}

// Exact sums: merges the sums of two ranks.
static void merge_tallies(void *sums, const void *others, size_t bytes) {
    qdi_tally *all = sums;
    const qdi_tally *more = others;
    for (size_t k = 0; k < bytes / sizeof *all; ++k) qdi_tally_merge(&all[k], &more[k]);
}

// Exact sums: how to cut the terms of all ranks; `any`: whether one has an item at all.
static qd_status share_most(qdi_ranks *ranks, const shared_most *mine, size_t count, qdi_tally_cut *cuts,
                            bool *any) {
    shared_most all[QDI_SUM_TERMS];
    memcpy(all, mine, count * sizeof *mine);
    const qd_status status = ranks ? qdi_ranks_merged(ranks, mine, all, count * sizeof *mine, merge_most)
                                   : QD_OK;
    for (size_t k = 0; k < count && status == QD_OK; ++k)
        cuts[k] = qdi_tally_cut_for(&all[k].most, (size_t)all[k].terms);
    *any = all[0].items > 0;
    return status;
}

qd_status qdi_sum_cut(qd_team *team, const qdi_tally_most *most, size_t terms, qdi_tally_cut *cut) {
    const shared_most mine = {*most, terms, terms};
    bool any;
    return share_most(qdi_team_ranks(team), &mine, 1, cut, &any);
}

/// Exact sums: the sums over all ranks.
static qd_status share_tallies(qdi_ranks *ranks, qdi_tally *tallies, size_t count) {
    qdi_tally mine[QDI_SUM_TERMS];
    memcpy(mine, tallies, count * sizeof *mine);
    return ranks ? qdi_ranks_merged(ranks, mine, tallies, count * sizeof *mine, merge_tallies) : QD_OK;
}

qd_status qdi_sum_end(qd_team *team, const qdi_tally *tally, double sums[QDI_TALLY_LANES]) {
    qdi_tally all = *tally;
    const qd_status status = share_tallies(qdi_team_ranks(team), &all, 1);
    for (int k = 0; k < QDI_TALLY_LANES; ++k) sums[k] = all.first[k] + all.second[k];
    return status;
}

/// Exact sums: those of the lanes of a tally.
static void end_sums(const tally_job *job, qdi_tally *all, double sums[QDI_TALLY_LANES]) {
    for (int k = job->sums; k < QDI_TALLY_LANES; ++k) { // exact as well
        all->first[k % job->sums] += all->first[k];
        all->second[k % job->sums] += all->second[k];
    }
    for (int k = 0; k < job->sums; ++k) sums[k] = all->first[k] + all->second[k];
}

/// Exact sums: both passes over so many items, for each of some jobs; `terms` of each sum.
static qd_status add_up(qd_team *team, qdi_arena *arena, tally_job *jobs, size_t count, size_t items,
                        size_t terms, double (*sums)[QDI_TALLY_LANES]) {
    size_t ranges = qdi_range_count(items, GRAIN);
    qdi_ranks *ranks = qdi_team_ranks(team);
    memset(sums, 0, count * sizeof *sums);
    if (items == 0 && !ranks) return QD_OK;
    shared_most mine[QDI_SUM_TERMS];
    for (size_t k = 0; k < count; ++k) {
        jobs[k].lines = qdi_arena_take(arena, ranges, sizeof *jobs[k].lines);
        if (!jobs[k].lines) return QD_ERR_MEMORY;
        qdi_team_for(team, items, GRAIN, see_tally_range, &jobs[k]);
        mine[k] = (shared_most){most_of_ranges(&jobs[k], ranges), terms, items};
    }
    qdi_tally_cut cuts[QDI_SUM_TERMS];
    bool any;
    qd_status status = share_most(ranks, mine, count, cuts, &any);
    if (status != QD_OK || !any) return status; // then no rank waits for another again
    qdi_tally all[QDI_SUM_TERMS];
    for (size_t k = 0; k < count; ++k) {
        jobs[k].cut = cuts[k];
        qdi_team_for(team, items, GRAIN, add_tally_range, &jobs[k]);
        all[k] = (qdi_tally){{0}, {0}};
        for (size_t r = 0; r < ranges; ++r) qdi_tally_merge(&all[k], &jobs[k].lines[r].tally);
    }
    status = share_tallies(ranks, all, count);
    for (size_t k = 0; k < count; ++k) end_sums(&jobs[k], &all[k], sums[k]);
    return status;
}

qd_status qdi_sum_lanes(qd_team *team, qdi_arena *arena, const double *lanes, size_t count, size_t terms,
                        double sums[QDI_TALLY_LANES]) {
    tally_job job = {.values = lanes, .sums = QDI_TALLY_LANES};
    double all[1][QDI_TALLY_LANES];
    const qd_status status = add_up(team, arena, &job, 1, count, terms, all);
    memcpy(sums, all[0], sizeof all[0]);
    return status;
}

// Exact sums: zeros up to a whole number of items.
static size_t fill_items(double *values, size_t count) {
    for (size_t i = count; i % QDI_TALLY_LANES != 0; ++i) values[i] = 0;
    return qdi_range_count(count, QDI_TALLY_LANES);
}

qd_status qdi_sum_few(qd_team *team, qdi_arena *arena, double *values, size_t count, size_t terms,
                      double *number) {
    tally_job job = {.values = values, .sums = 1};
    double sums[1][QDI_TALLY_LANES];
    if (count == 0 && !qdi_team_ranks(team)) return QD_OK;
    qd_status status = add_up(team, arena, &job, 1, fill_items(values, count), terms, sums);
    *number += sums[0][0];
    return status;
}

qd_status qdi_sum_values(qd_team *team, qdi_arena *arena, double *values, size_t count, double *number) {
    return qdi_sum_few(team, arena, values, count, count, number);
}

typedef struct term_job {
    qdi_term term;
    const void *context;
    double *values;
} term_job;

// Exact sums: works out the terms of a range.
static void make_terms(void *context, size_t begin, size_t end) {
    const term_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        const qd_vec2 term = job->term(job->context, i);
        job->values[2 * i] = term.x;
        job->values[2 * i + 1] = term.y;
    }
}

qd_status qdi_sum_each(qd_team *team, qdi_arena *arena, size_t count, const qdi_sum_term *terms,
                       size_t term_count, qd_vec2 *sums) {
    for (size_t k = 0; k < term_count; ++k) sums[k] = (qd_vec2){0, 0};
    if (count == 0 && !qdi_team_ranks(team)) return QD_OK;
    const qdi_arena_mark mark = qdi_arena_mark_of(arena);
    tally_job jobs[QDI_SUM_TERMS];
    size_t items = 0;
    for (size_t k = 0; k < term_count; ++k) {
        term_job job = {terms[k].term, terms[k].context,
                        qdi_arena_take(arena, 2 * count + QDI_TALLY_LANES, sizeof *job.values)};
        if (!job.values) return QD_ERR_MEMORY;
        qdi_team_for(team, count, QDI_CONTACT_GRAIN, make_terms, &job);
        items = fill_items(job.values, 2 * count);
        jobs[k] = (tally_job){.values = job.values, .sums = 2};
    }
    double all[QDI_SUM_TERMS][QDI_TALLY_LANES];
    const qd_status status = add_up(team, arena, jobs, term_count, items, count, all);
    for (size_t k = 0; k < term_count; ++k) sums[k] = (qd_vec2){all[k][0], all[k][1]};
    qdi_arena_give_back(arena, mark);
    return status;
}

qd_status qdi_sum(qd_team *team, qdi_arena *arena, size_t count, qdi_term term, const void *context,
                  qd_vec2 *sum) {
    return qdi_sum_each(team, arena, count, &(qdi_sum_term){term, context}, 1, sum);
}
