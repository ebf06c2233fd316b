// Islands are small or large by their links. The small ones, in order of their first rows, are dealt out to
// units by the sum of the links before them: so a unit is a function of the links, in parallel and for any
// team. A body that is moved by hand or turns about a pivot is in no island, and a mover of all units that
// touch it, which get ahead of each other: where one of them moves, there is one unit.
//
// While links stay the same, so do units. Where most of the links are those of large islands the search was
// in vain, and is not made again for a while.

#include "sim/rigid/solver_units.h"

#include "sim/rigid/island.h"
#include "sim/world/grain.h"
#include "sim/world/order.h"
#include "sim/world/world_impl.h"

/// Links of a unit, about: the more, the fuller are the groups of its colours, as long as it stays in the
/// cache; the less, the more even is the work of many threads, each of which has a few. Those of an island
/// that is small; in a world that is worth it, by one thread and by several; and steps without a search after
/// one in vain.
enum {
    UNIT_LINKS_MOST = 1024,
    UNIT_LINKS_LEAST = 256,
    UNITS_OF_THREAD = 4,
    SMALL = 1024,
    WORTH_ALONE = 8192,
    WORTH = 1024,
    REST = 16
};

typedef struct units_job {
    const qd_world *world;
    const qdi_link *links;           ///< all of them, or those in order of colour
    _Atomic uint32_t *parent, *size; ///< by row: of islands, and their links
    size_t *sum;                     ///< per range of rows: links of small islands that begin there
    uint32_t *unit;
    atomic_bool *held_moves; ///< something moves that contacts do not
    qdi_keys *keys;
    const uint32_t *list;
    size_t *first; ///< by unit: place of its first key
    size_t count;
    size_t unit_links; ///< of a unit, about
} units_job;

/// Solver's units: the row of a link whose island it belongs to.
static uint32_t mover_of(const qdi_link *link) {
    return link->moves_a ? link->row_a : link->row_b;
}

// ---- which unit ----

/// Solver's units: gives a range of rows islands without links.
static void clear_range(void *context, size_t begin, size_t end) {
    const units_job *job = context;
    for (size_t r = begin; r < end; ++r) atomic_store_explicit(&job->size[r], 0, memory_order_relaxed);
}

/// Solver's units: counts a range of links for their islands; those that follow each other at once.
static void size_range(void *context, size_t begin, size_t end) {
    const units_job *job = context;
    uint32_t island = QDI_NO_ROW, count = 0;
    for (size_t i = begin; i < end; ++i) {
        const qdi_link *link = &job->links[i];
        if (!link->moves_a && !link->moves_b) continue;
        const uint32_t here = qdi_island_of(job->parent, mover_of(link));
        if (here != island && count > 0)
            atomic_fetch_add_explicit(&job->size[island], count, memory_order_relaxed);
        count = here == island ? count + 1 : 1;
        island = here;
    }
    if (count > 0) atomic_fetch_add_explicit(&job->size[island], count, memory_order_relaxed);
}

/// Solver's units: links of the island whose first row this is, 0 for others and for large ones.
static size_t small_size(const units_job *job, size_t row) {
    const uint32_t size = atomic_load_explicit(&job->size[row], memory_order_relaxed);
    return size <= SMALL ? size : 0;
}

/// Solver's units: adds up the links of small islands that begin in a range of rows.
static void sum_range(void *context, size_t begin, size_t end) {
    const units_job *job = context;
    size_t sum = 0;
    for (size_t r = begin; r < end; ++r) sum += small_size(job, r);
    job->sum[begin / QDI_BODY_GRAIN] = sum;
}

/// Solver's units: gives the islands that begin in a range of rows to units.
static void deal_range(void *context, size_t begin, size_t end) {
    const units_job *job = context;
    size_t before = job->sum[begin / QDI_BODY_GRAIN];
    for (size_t r = begin; r < end; ++r) {
        const size_t size = small_size(job, r);
        job->unit[r] = size > 0 ? 1 + (uint32_t)(before / job->unit_links) : 0;
        before += size;
    }
}

/// Solver's units: gives each of a range of rows the unit of its island.
static void spread_range(void *context, size_t begin, size_t end) {
    const units_job *job = context;
    for (size_t r = begin; r < end; ++r) {
        const uint32_t first = qdi_island_of(job->parent, (uint32_t)r);
        if (first != r) job->unit[r] = job->unit[first];
    }
}

/// Solver's units: notes whether some of a range of bodies moves that contacts do not move.
static void see_held_range(void *context, size_t begin, size_t end) {
    const units_job *job = context;
    const qdi_motion *now = &job->world->now;
    for (size_t r = begin; r < end; ++r)
        if (job->world->kind[r] == QD_BODY_KINEMATIC &&
            (now->vx[r] != 0 || now->vy[r] != 0 || (job->world->turning && now->spin[r] != 0)))
            atomic_store_explicit(job->held_moves, true, memory_order_relaxed);
}

/// Solver's units: how many links make a unit, of so many.
static size_t links_of_unit(const qd_world *world, size_t links) {
    const size_t each = links / (UNITS_OF_THREAD * (size_t)qd_team_threads(world->team));
    if (each < UNIT_LINKS_LEAST) return UNIT_LINKS_LEAST;
    return each < UNIT_LINKS_MOST ? each : UNIT_LINKS_MOST;
}

/// Solver's units: deals the islands of the world's links out.
static qd_status deal_islands(qd_world *world, size_t links) {
    qdi_scratch *scratch = &world->scratch;
    const size_t ranges = qdi_range_count(world->count, QDI_BODY_GRAIN);
    qd_status status = qdi_reserve(world->allocator, &scratch->unit_of, &scratch->unit_of_room, 0,
                                   world->count, sizeof *scratch->unit_of);
    units_job job = {.world = world,
                     .links = scratch->links,
                     .parent = qdi_arena_take(&scratch->arena, world->count, sizeof *job.parent),
                     .size = qdi_arena_take(&scratch->arena, world->count, sizeof *job.size),
                     .sum = qdi_arena_take(&scratch->arena, ranges, sizeof *job.sum),
                     .unit = scratch->unit_of};
    if (status != QD_OK || !job.parent || !job.size || !job.sum) return QD_ERR_MEMORY;
    qdi_islands_join(world, scratch->links, links, job.parent);
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, clear_range, &job);
    qdi_team_for(world->team, links, QDI_CONTACT_GRAIN, size_range, &job);
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, sum_range, &job);
    const size_t small = qdi_exclusive_scan(job.sum, ranges);
    if (small < links / 4) {
        scratch->unit_rest = REST;
        return QD_OK;
    }
    job.unit_links = links_of_unit(world, small);
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, deal_range, &job);
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, spread_range, &job);
    scratch->unit_count = 1 + (small + job.unit_links - 1) / job.unit_links;
    return QD_OK;
}

qd_status qdi_solver_find_units(qd_world *world, bool same) {
    qdi_scratch *scratch = &world->scratch;
    const size_t links = qdi_constraint_count(&world->present);
    if (same && scratch->unit_count > 1) return QD_OK;
    scratch->unit_count = 1;
    scratch->units_sought = scratch->unit_rest == 0;
    if (links < (qdi_team_used(world->team) > 1 ? WORTH : WORTH_ALONE) || world->walls_move) return QD_OK;
    if (scratch->unit_rest > 0) {
        --scratch->unit_rest;
        return QD_OK;
    }
    return deal_islands(world, links);
}

/// Solver's units: as many as there are now: one where something moves that contacts do not.
static size_t units_now(const qd_world *world) {
    atomic_bool held_moves = false;
    units_job job = {.world = world, .held_moves = &held_moves};
    if (world->scratch.unit_count > 1 && world->fixed > 0)
        qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, see_held_range, &job);
    return held_moves ? 1 : world->scratch.unit_count;
}

bool qdi_solver_units_hold(const qd_world *world, const qdi_solver_units *units) {
    return world->scratch.units_sought && !world->walls_move && units->count == units_now(world);
}

// ---- in order of units ----

/// Solver's units: the keys of a range of the list.
static void key_range(void *context, size_t begin, size_t end) {
    const units_job *job = context;
    for (size_t k = begin; k < end; ++k) {
        job->keys->value[k] = job->list[k];
        job->keys->key[k] = job->unit[mover_of(&job->links[job->list[k]])];
    }
}

/// Solver's units: the keys of a range of movers, whose rows are there.
static void key_movers_range(void *context, size_t begin, size_t end) {
    const units_job *job = context;
    for (size_t k = begin; k < end; ++k) {
        const uint32_t row = job->keys->value[k];
        job->keys->key[k] = job->world->kind[row] == QD_BODY_DYNAMIC ? job->unit[row] : 0;
    }
}

/// Solver's units: notes where units begin in a range of the sorted keys.
static void begin_range(void *context, size_t begin, size_t end) {
    const units_job *job = context;
    for (size_t k = begin; k < end; ++k) {
        const uint64_t before = k > 0 ? job->keys->key[k - 1] + 1 : 0;
        for (uint64_t u = before; u <= job->keys->key[k]; ++u) job->first[u] = k;
    }
}

/// Solver's units: sorts keys of units, and notes where each unit begins in them, and where the last ends.
static qd_status sort_by_unit(qd_world *world, units_job *job, size_t units) {
    int bits = 1;
    while ((units - 1) >> bits) ++bits;
    const qd_status status = qdi_keys_sort(world->team, job->keys, job->count, bits);
    if (status != QD_OK) return status;
    qdi_team_for(world->team, job->count, QDI_CONTACT_GRAIN, begin_range, job);
    const uint64_t last = job->count > 0 ? job->keys->key[job->count - 1] + 1 : 0;
    for (size_t u = last; u <= units; ++u) job->first[u] = job->count;
    return QD_OK;
}

typedef struct table_job {
    const qdi_solver_job *solver;
    const qdi_colours *all;
    const size_t *first;
    qdi_solver_units *units;
} table_job;

/// Solver's units: the first place from `low` to `high` in the list whose link is of `colour` or a later one.
static size_t find_colour(const table_job *job, const uint32_t *list, size_t low, size_t high,
                          size_t colour) {
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (list[middle] < job->all->start[colour])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/// Solver's units: how many of the links of a colour have two touches: these come first.
static size_t find_twos(const table_job *job, const uint32_t *list, size_t low, size_t high) {
    const size_t begin = low;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (qdi_solver_counts_as_two(job->solver, list[middle]))
            low = middle + 1;
        else
            high = middle;
    }
    return low - begin;
}

/// Solver's units: the tables of a range of units.
static void table_range(void *context, size_t begin, size_t end) {
    const table_job *job = context;
    for (size_t u = begin; u < end; ++u) {
        qdi_solver_colours *colours = &job->units->unit[u].colours;
        const uint32_t *list = job->solver->list;
        const size_t stop = job->first[u + 1];
        colours->count = job->all->count;
        colours->last_is_serial = job->all->last_is_serial;
        colours->start[0] = job->first[u];
        for (size_t c = 0; c < colours->count; ++c) {
            colours->start[c + 1] = c + 1 == colours->count
                                        ? stop
                                        : find_colour(job, list, colours->start[c], stop, c + 1);
            colours->twos[c] = find_twos(job, list, colours->start[c], colours->start[c + 1]);
        }
    }
}

qd_status qdi_solver_part(qdi_solver_job *solver, qdi_solver_units *units) {
    qd_world *world = solver->world;
    qdi_arena *arena = &world->scratch.arena;
    const qdi_solver_colours *solved = solver->solved;
    const size_t taken = solved->start[solved->count];
    qdi_keys keys = {.key = NULL};
    units_job job = {.world = world,
                     .links = solver->links,
                     .unit = world->scratch.unit_of,
                     .keys = &keys,
                     .list = solver->list,
                     .count = taken};
    units->count = units_now(world);
    units->unit = qdi_arena_take(arena, units->count, sizeof *units->unit);
    if (!units->unit) return QD_ERR_MEMORY;
    if (units->count == 1) {
        units->unit[0].colours = *solved;
        return QD_OK;
    }
    job.first = qdi_arena_take(arena, units->count + 1, sizeof *job.first);
    qd_status status = qdi_keys_take(arena, taken, &keys);
    if (status != QD_OK || !job.first) return QD_ERR_MEMORY;
    qdi_team_for(world->team, taken, QDI_CONTACT_GRAIN, key_range, &job);
    status = sort_by_unit(world, &job, units->count);
    if (status != QD_OK) return status;
    solver->list = keys.value;
    table_job table = {solver, solver->colours, job.first, units};
    qdi_team_for(world->team, units->count, 1, table_range, &table);
    return QD_OK;
}

qd_status qdi_solver_part_movers(qd_world *world, qdi_keys *rows, size_t count, qdi_solver_units *units) {
    units_job job = {.world = world, .unit = world->scratch.unit_of, .keys = rows, .count = count};
    job.first = qdi_arena_take(&world->scratch.arena, units->count + 1, sizeof *job.first);
    if (!job.first) return QD_ERR_MEMORY;
    if (units->count == 1) {
        job.first[0] = 0;
        job.first[1] = count;
    } else {
        qdi_team_for(world->team, count, QDI_BODY_GRAIN, key_movers_range, &job);
        const qd_status status = sort_by_unit(world, &job, units->count);
        if (status != QD_OK) return status;
    }
    for (size_t u = 0; u < units->count; ++u) {
        units->unit[u].first_mover = job.first[u] + 1;
        units->unit[u].end_mover = job.first[u + 1] + 1;
    }
    units->unit[0].first_mover = 0; // that of what does not move
    return QD_OK;
}
