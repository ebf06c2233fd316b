// Bodies that left their fat boxes, where they are few: each gets a new one, and its candidates are looked
// for alone. Candidates that it had leave holes in the list, which others fill.

#include "core/tree/search.h"
#include "sim/contact/margin_impl.h"
#include "sim/world/grain.h"
#include "sim/world/limits.h"
#include "sim/world/world_impl.h"

#include <math.h>
#include <string.h>

typedef struct leaver_job {
    const qd_world *world;
    const qdi_fatten_job *fat;
    size_t *first;      ///< per range of bodies: place of its first leaver
    uint32_t *rows;     ///< leavers
    uint8_t *left;      ///< by row: it did
    uint32_t *holes;    ///< places of candidates that have one; a range's begin at its own
    size_t *hole_count; ///< per range of candidates
} leaver_job;

/// Margin: true for a body whose place, or whose way through the step, is out of its fat box.
static bool leaves(const qdi_fatten_job *job, size_t row) {
    return job->sweep ? job->sweep->leaves(job->sweep->context, row)
                      : qdi_margin_left(job->world, row, job->period);
}

/// Lists and marks the leavers, and gives them new fat boxes.
static void gather_leavers(void *context, size_t begin, size_t end) {
    const leaver_job *job = context;
    const qd_world *world = job->world;
    size_t range = begin / QDI_BODY_GRAIN, ranges = qdi_range_count(world->count, QDI_BODY_GRAIN);
    size_t place = job->first[range];
    size_t stop = range + 1 < ranges ? job->first[range + 1] : world->margin.left;
    memset(job->left + begin, 0, end - begin);
    for (size_t r = begin; r < end && place < stop; ++r) {
        if (!leaves(job->fat, r)) continue;
        job->rows[place++] = (uint32_t)r;
        job->left[r] = 1;
        (void)qdi_fatten(job->fat, r);
    }
}

// Finds candidates of bodies that left their fat boxes: places in the list that fall free.
static void find_holes(void *context, size_t begin, size_t end) {
    const leaver_job *job = context;
    const qdi_meeting *met = job->world->met;
    size_t count = 0;
    for (size_t i = begin; i < end; ++i) {
        job->holes[begin + count] = (uint32_t)i;
        count += job->left[met[i].a] | job->left[met[i].b];
    }
    job->hole_count[begin / QDI_CANDIDATE_GRAIN] = count;
}

/// Takes the candidates of leavers out: what comes last fills their places.
static void close_holes(qdi_meeting *met, size_t *met_count, const leaver_job *job, size_t ranges) {
    for (size_t range = ranges; range-- > 0;)
        for (size_t k = job->hole_count[range]; k-- > 0;)
            met[job->holes[range * QDI_CANDIDATE_GRAIN + k]] = met[--*met_count];
}

/// Margin: tells the tree of the leavers' new boxes.
static qd_status file_again(qd_tree *tree, const qd_body_index *index, const qd_box *fat,
                            const uint32_t *rows, size_t count) {
    qd_status status = QD_OK;
    for (size_t i = 0; i < count && status == QD_OK; ++i)
        status = qd_tree_move(tree, index[rows[i]], fat[rows[i]]);
    return status == QD_OK || status == QD_ERR_MEMORY ? status : QD_ERR_INTERNAL;
}

/// What a leaver finds about it.
typedef struct finder {
    qd_world *world;
    const qd_brute *brute; ///< to be asked instead of the tree, or NULL
    const uint8_t *left;
    uint32_t row;
    size_t limit;
    qd_status status;
    uint64_t tests; ///< boxes that were compared
} finder;

/// True where two leavers are each other's candidates and the other, with the lower index, has it.
static bool is_of_other(const qd_body_index *index, const uint8_t *left, uint32_t leaver, uint32_t row) {
    return left[row] && index[leaver] > index[row];
}

// Appends a candidate pair of a body that left its fat box.
static bool add_meeting(finder *job, uint32_t row) {
    qd_world *world = job->world;
    if (world->met_count >= job->limit)
        job->status = QD_ERR_LIMIT;
    else
        job->status = qdi_reserve(world->allocator, &world->met, &world->met_room, world->met_count,
                                  world->met_count + 1, sizeof *world->met);
    if (job->status != QD_OK) return false;
    bool later = world->index[job->row] < world->index[row];
    world->met[world->met_count++] = later ? (qdi_meeting){job->row, row} : (qdi_meeting){row, job->row};
    return true;
}

// Takes a body whose fat box was retrieved as a candidate, unless the other one finds the pair.
static bool add_found_meeting(void *context, qd_body_index body, qd_image image) {
    (void)image;
    finder *job = context;
    uint32_t row = job->world->row_of_index[body];
    return is_of_other(job->world->index, job->left, job->row, row) || add_meeting(job, row);
}

/// Margin: all whose boxes overlap that of a row. `tests` grows by how many were compared.
static qd_status look_about(const qd_world *world, const qd_brute *brute, uint32_t row, qd_tree_visit visit,
                            void *context, uint64_t *tests) {
    if (!brute)
        return qdi_tree_retrieve(world->tree, world->fat[row], world->index[row], visit, context, tests);
    *tests += world->count - 1;
    return qd_brute_retrieve(brute, world->fat[row], world->index[row], visit, context);
}

// Retrieves the candidates of one body that left its fat box.
static qd_status find_candidates_of(finder *job) {
    qd_status status = look_about(job->world, job->brute, job->row, add_found_meeting, job, &job->tests);
    return job->status != QD_OK ? job->status : status == QD_ERR_VALUE ? QD_ERR_INTERNAL : status;
}

/// Most candidates of a leaver that are looked for by any thread; whoever has more is looked after by one.
/// LEAVERS: for a thread at once.
enum { NOTES = 24, LEAVERS = 8 };

/// Leavers that are looked after at once: each notes what it finds in a place of its own.
typedef struct notes_job {
    const qd_world *world;
    const qd_brute *brute;
    const uint8_t *left;
    const uint32_t *rows; ///< of the leavers
    uint32_t *notes;      ///< NOTES of each: rows
    uint32_t *counts;     ///< of each, NOTES + 1 where there are more
    uint64_t *tests;      ///< of each: boxes that were compared
} notes_job;

typedef struct notebook {
    const notes_job *job;
    size_t leaver;
} notebook;

// Notes a body whose fat box was retrieved, in the list of one that left its own.
static bool note_found(void *context, qd_body_index body, qd_image image) {
    (void)image;
    const notebook *book = context;
    const notes_job *job = book->job;
    uint32_t row = job->world->row_of_index[body], count = job->counts[book->leaver];
    if (is_of_other(job->world->index, job->left, job->rows[book->leaver], row)) return true;
    job->counts[book->leaver] = count + 1;
    if (count < NOTES) job->notes[book->leaver * NOTES + count] = row;
    return count < NOTES;
}

// Retrieves and notes the candidates of a range of bodies that left their fat boxes.
static void note_candidates(void *context, size_t begin, size_t end) {
    const notes_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        notebook book = {job, i};
        job->counts[i] = 0;
        job->tests[i] = 0;
        qd_status status = look_about(job->world, job->brute, job->rows[i], note_found, &book,
                                      &job->tests[i]);
        if (status != QD_OK) job->counts[i] = NOTES + 1; // whoever comes after is told why
    }
}

/// Finds the candidates of the leavers, in their order. Looking for them takes most of the time, and is
/// shared.
static qd_status find_about_each(qd_world *world, const qd_brute *brute, qdi_found *found) {
    qdi_arena *arena = &world->scratch.arena;
    const size_t count = found->leaver_count;
    notes_job job = {.world = world, .brute = brute, .left = found->left, .rows = found->leavers};
    job.notes = qdi_arena_take(arena, count, NOTES * sizeof *job.notes);
    job.counts = qdi_arena_take(arena, count, sizeof *job.counts);
    job.tests = qdi_arena_take(arena, count, sizeof *job.tests);
    if (!job.notes || !job.counts || !job.tests) return QD_ERR_MEMORY;
    qd_status status = QD_OK;
    qdi_team_for(world->team, count, LEAVERS, note_candidates, &job);
    for (size_t i = 0; i < count && status == QD_OK; ++i) {
        finder one = {
            world, brute,       job.left, job.rows[i], qdi_limit_pairs(&world->def.limits, world->count),
            QD_OK, job.tests[i]};
        if (job.counts[i] > NOTES) {
            status = find_candidates_of(&one);
        } else {
            for (size_t k = 0; k < job.counts[i] && add_meeting(&one, job.notes[i * NOTES + k]); ++k)
                continue;
            status = one.status;
        }
        found->tests += one.tests;
    }
    return status;
}

qd_status qdi_leavers_retrieve(qd_world *world, qdi_found *found) {
    qd_brute *brute = NULL;
    qd_status status = world->def.retrieve == QD_RETRIEVE_BRUTE ? qdi_margin_brute(world, world->fat, &brute)
                                                                : QD_OK;
    if (status == QD_OK) status = find_about_each(world, brute, found);
    qd_brute_destroy(brute);
    return status;
}

qd_status qdi_leavers_refresh(qdi_fatten_job *fat, qdi_found *found) {
    qd_world *world = fat->world;
    fat->bare = world->def.margin == 0 || (isnan(world->def.margin) && world->margin.horizon == 0);
    qdi_arena *arena = &world->scratch.arena;
    size_t met_ranges = qdi_range_count(world->met_count, QDI_CANDIDATE_GRAIN), left = world->margin.left;
    leaver_job job = {.world = world, .fat = fat, .first = world->scratch.left};
    job.rows = qdi_arena_take(arena, left, sizeof *job.rows);
    job.left = qdi_arena_take(arena, world->count, sizeof *job.left);
    job.holes = qdi_arena_take(arena, world->met_count, sizeof *job.holes);
    job.hole_count = qdi_arena_take(arena, met_ranges, sizeof *job.hole_count);
    if (!job.rows || !job.left || !job.holes || !job.hole_count) return QD_ERR_MEMORY;
    found->due = QDI_DUE_LEAVERS;
    found->amended += left;
    found->leavers = job.rows;
    found->leaver_count = left;
    found->left = job.left;
    (void)qdi_exclusive_scan(job.first, qdi_range_count(world->count, QDI_BODY_GRAIN));
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, gather_leavers, &job);
    qdi_team_for(world->team, world->met_count, QDI_CANDIDATE_GRAIN, find_holes, &job);
    close_holes(world->met, &world->met_count, &job, met_ranges);
    world->scratch.hits_layout = 0;
    world->margin.edited = true;
    return file_again(world->tree, world->index, world->fat, job.rows, left);
}
