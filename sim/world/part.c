#include "sim/world/part.h"

#include "core/base/memory.h"
#include "core/parallel/parallel.h"
#include "sim/world/grain.h"

#include <string.h>

/// Numbers of a body in a message: place, velocity, and where something turns angle and spin.
enum { NUMBERS = 7 };

void qdi_part_release(const qd_allocator *allocator, qdi_part *part) {
    if (!part) return;
    const size_t send = part->send_first[QDI_RANKS_MAX], receive = part->receive_first[QDI_RANKS_MAX];
    qdi_release(allocator, part->ghost, part->rows, 1);
    qdi_release(allocator, part->from_x, part->alone ? 0 : part->rows, sizeof *part->from_x);
    qdi_release(allocator, part->from_y, part->alone ? 0 : part->rows, sizeof *part->from_y);
    qdi_release(allocator, part->send, send, sizeof *part->send);
    qdi_release(allocator, part->receive, receive, sizeof *part->receive);
    qdi_release(allocator, part->buffer, send, NUMBERS * sizeof *part->buffer);
    qdi_release(allocator, part, 1, sizeof *part);
}

qd_status qdi_part_make(const qd_allocator *allocator, size_t rows, bool alone, size_t send, size_t receive,
                        qdi_part **made) {
    qdi_part *part = qdi_allocate(allocator, 1, sizeof *part);
    if (!part) return QD_ERR_MEMORY;
    *part = (qdi_part){.rows = rows, .alone = alone, .present = QDI_PART_UNKNOWN};
    part->send_first[QDI_RANKS_MAX] = send;
    part->receive_first[QDI_RANKS_MAX] = receive;
    const size_t moving = alone ? 0 : rows;
    part->ghost = qdi_allocate(allocator, rows, 1);
    part->from_x = qdi_allocate(allocator, moving, sizeof *part->from_x);
    part->from_y = qdi_allocate(allocator, moving, sizeof *part->from_y);
    part->send = qdi_allocate(allocator, send, sizeof *part->send);
    part->receive = qdi_allocate(allocator, receive, sizeof *part->receive);
    part->buffer = qdi_allocate(allocator, send, NUMBERS * sizeof *part->buffer);
    const bool good = (rows == 0 || part->ghost) && (moving == 0 || (part->from_x && part->from_y)) &&
                      (send == 0 || (part->send && part->buffer)) && (receive == 0 || part->receive);
    if (!good) {
        qdi_part_release(allocator, part);
        return QD_ERR_MEMORY;
    }
    if (rows > 0) memset(part->ghost, 0, rows);
    *made = part;
    return QD_OK;
}

// ---- own ones alone ----

/// What is to be that of own bodies or contacts alone.
typedef struct clear_job {
    const qd_world *world;
    const qdi_contact_state *state;
    double *values;
    qdi_contact_balance *balances;
    size_t contacts, begins, ends; ///< counted by any thread
} clear_job;

// World's part: makes the values of ghosts 0, of a range of rows.
static void clear_rows(void *context, size_t begin, size_t end) {
    const clear_job *job = context;
    for (size_t r = begin; r < end; ++r)
        if (qdi_is_ghost(job->world, r)) job->values[r] = 0;
}

size_t qdi_part_clear_rows(const qd_world *world, double *values) {
    if (qdi_has_no_ghosts(world)) return world->count;
    clear_job job = {.world = world};
    job.values = values;
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, clear_rows, &job);
    return world->count - world->part->ghosts;
}

// World's part: makes the balances of others' contacts 0, of a range, and counts the own ones.
static void clear_balances(void *context, size_t begin, size_t end) {
    clear_job *job = context;
    size_t own = 0;
    for (size_t i = begin; i < end; ++i) {
        const bool has = qdi_part_has_at(job->world, job->state, i);
        own += has;
        if (!has) job->balances[i] = (qdi_contact_balance){{0}};
    }
    __atomic_fetch_add(&job->contacts, own, __ATOMIC_RELAXED);
}

size_t qdi_part_clear_balances(const qd_world *world, const qdi_contact_state *state,
                               qdi_contact_balance *balances) {
    const size_t count = qdi_constraint_count(state);
    if (qdi_has_no_ghosts(world)) return count;
    clear_job job = {.world = world, .state = state, .balances = balances};
    qdi_team_for(world->team, count, QDI_CONTACT_GRAIN, clear_balances, &job);
    return job.contacts;
}

// World's part: the same of a range of contacts that have ended.
static void clear_ended(void *context, size_t begin, size_t end) {
    const clear_job *job = context;
    for (size_t i = begin; i < end; ++i)
        if (!qdi_part_has(job->world, &job->state->ended[i])) job->balances[i] = (qdi_contact_balance){{0}};
}

void qdi_part_clear_ended(const qd_world *world, const qdi_contact_state *state,
                          qdi_contact_balance *balances) {
    if (qdi_has_no_ghosts(world)) return;
    clear_job job = {.world = world, .state = state, .balances = balances};
    qdi_team_for(world->team, state->ends, QDI_CONTACT_GRAIN, clear_ended, &job);
}

// World's part: counts the own contacts of a range: by place, which says the rows.
static void count_range(void *context, size_t begin, size_t end) {
    clear_job *job = context;
    const qdi_contact_state *state = job->state;
    const uint8_t *ghost = job->world->part->ghost;
    size_t contacts = 0, begins = 0;
    for (size_t p = begin; p < end; ++p) {
        const bool near = qdi_near_at(state, p);
        const bool own = !near && !ghost[qdi_rows_at(state, p).a];
        contacts += own;
        begins += own && !state->persists[p];
    }
    __atomic_fetch_add(&job->contacts, contacts, __ATOMIC_RELAXED);
    __atomic_fetch_add(&job->begins, begins, __ATOMIC_RELAXED);
}

// World's part: the same of a range of contacts that have ended.
static void count_ended(void *context, size_t begin, size_t end) {
    clear_job *job = context;
    size_t ends = 0;
    for (size_t i = begin; i < end; ++i) ends += qdi_part_has(job->world, &job->state->ended[i]);
    __atomic_fetch_add(&job->ends, ends, __ATOMIC_RELAXED);
}

qdi_part_count qdi_part_count_of(const qd_world *world, const qdi_contact_state *state) {
    if (qdi_has_no_ghosts(world))
        return (qdi_part_count){state->contact_count, (size_t)state->begins, (size_t)state->ends};
    clear_job job = {.world = world, .state = state};
    qdi_team_for(world->team, qdi_constraint_count(state), QDI_CONTACT_GRAIN, count_range, &job);
    qdi_team_for(world->team, (size_t)state->ends, QDI_CONTACT_GRAIN, count_ended, &job);
    return (qdi_part_count){job.contacts, job.begins, job.ends};
}

size_t qdi_part_contacts(const qd_world *world) {
    if (world->part && world->part->present != QDI_PART_UNKNOWN) return world->part->present;
    return qdi_part_count_of(world, &world->present).contacts;
}

// ---- candidates ----

/// Candidates that are two ghosts.
typedef struct drop_job {
    const qd_world *world;
    size_t first;    ///< candidate that is looked at
    uint32_t *holes; ///< places; a range's begin at its own
    size_t *count;   ///< per range
} drop_job;

// World's part: finds those of a range.
static void find_ghosts(void *context, size_t begin, size_t end) {
    const drop_job *job = context;
    const uint8_t *ghost = job->world->part->ghost;
    const qdi_meeting *met = job->world->met;
    size_t found = begin;
    for (size_t i = begin; i < end; ++i) {
        const qdi_meeting pair = met[job->first + i];
        job->holes[found] = (uint32_t)(job->first + i);
        found += ghost[pair.a] & ghost[pair.b];
    }
    job->count[begin / QDI_CANDIDATE_GRAIN] = found - begin;
}

qd_status qdi_part_drop_ghosts(qd_world *world, size_t first) {
    if (qdi_has_no_ghosts(world)) return QD_OK;
    const size_t count = world->met_count - first, ranges = qdi_range_count(count, QDI_CANDIDATE_GRAIN);
    const qdi_arena_mark mark = qdi_arena_mark_of(&world->scratch.arena);
    drop_job job = {.world = world, .first = first};
    job.holes = qdi_arena_take(&world->scratch.arena, count + 1, sizeof *job.holes);
    job.count = qdi_arena_take(&world->scratch.arena, ranges + 1, sizeof *job.count);
    if (!job.holes || !job.count) return QD_ERR_MEMORY;
    qdi_team_for(world->team, count, QDI_CANDIDATE_GRAIN, find_ghosts, &job);
    for (size_t k = ranges; k-- > 0;) // what comes last fills their places
        for (size_t i = job.count[k]; i-- > 0;)
            world->met[job.holes[k * QDI_CANDIDATE_GRAIN + i]] = world->met[--world->met_count];
    qdi_arena_give_back(&world->scratch.arena, mark);
    return QD_OK;
}

// ---- rows ----

/// Rows in another order.
typedef struct order_job {
    const uint32_t *from;
    const double *old;
    double *spare, *column;
    uint8_t *ghost;
} order_job;

// World's part: gathers a range of a column.
static void gather_column(void *context, size_t begin, size_t end) {
    const order_job *job = context;
    for (size_t r = begin; r < end; ++r) job->spare[r] = job->old[job->from[r]];
}

// World's part: copies a range of what was gathered back.
static void copy_column(void *context, size_t begin, size_t end) {
    const order_job *job = context;
    memcpy(job->column + begin, job->spare + begin, (end - begin) * sizeof *job->column);
}

// World's part: the same of ghosts.
static void gather_ghosts(void *context, size_t begin, size_t end) {
    const order_job *job = context;
    for (size_t r = begin; r < end; ++r) job->spare[r] = job->ghost[job->from[r]];
}

// World's part: copies a range of ghosts back.
static void copy_ghosts(void *context, size_t begin, size_t end) {
    const order_job *job = context;
    for (size_t r = begin; r < end; ++r) job->ghost[r] = job->spare[r] != 0;
}

void qdi_part_order_rows(const qd_world *world, const uint32_t *from, double *spare) {
    const qdi_part *part = world->part;
    double *const columns[2] = {part->from_x, part->from_y};
    for (int k = 0; k < 2 && !part->alone; ++k) {
        order_job job = {.from = from, .old = columns[k], .column = columns[k]};
        job.spare = spare;
        qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, gather_column, &job);
        qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, copy_column, &job);
    }
    if (part->ghosts == 0) return;
    order_job job = {.from = from, .ghost = part->ghost};
    job.spare = spare;
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, gather_ghosts, &job);
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, copy_ghosts, &job);
}
