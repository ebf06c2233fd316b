// Islands are small or large by their links. The small ones, in order of their first rows, are dealt out to
// units by the sum of the links before them: so a unit is a function of the links, in parallel and for any
// team. A body that is moved by hand or turns about a pivot is in no island, and a mover of all units that
// touch it, which get ahead of each other: where one of them moves, there is one unit.
//
// While links stay the same, so do units. Where most of the links are those of large islands the search was
// in vain, and is not made again for a while.

#include "sim/rigid/solver_job.h"

#include "core/base/lower_bound.h"
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
    const qdi_domains *domains;
    size_t serial; ///< the first link of a serial colour
    const uint32_t *list;
    size_t *first; ///< by unit: place of its first key
    size_t count;
    size_t unit_links; ///< of a unit, about
} units_job;

// ---- which unit ----

/// Solver's units: counts a range of links for their islands; those that follow each other at once.
static void size_range(void *context, size_t begin, size_t end) {
    const units_job *job = context;
    uint32_t island = QDI_NO_ROW, count = 0;
    for (size_t i = begin; i < end; ++i) {
        const qdi_link *link = &job->links[i];
        if (!link->moves_a && !link->moves_b) continue;
        const uint32_t here = qdi_island_of(job->parent, qdi_owner_of(link));
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
    const size_t each = links / (UNITS_OF_THREAD * (size_t)qdi_team_used(world->team));
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
    qdi_team_zero(world->team, job.size, world->count * sizeof *job.size);
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
    scratch->unit_links = small;
    scratch->unit_count = 1 + (small + job.unit_links - 1) / job.unit_links;
    return QD_OK;
}

qd_status qdi_solver_find_units(qd_world *world, bool same) {
    qdi_scratch *scratch = &world->scratch;
    const size_t links = qdi_constraint_count(&world->present);
    if (same && scratch->unit_count > 1) return QD_OK;
    scratch->unit_count = 1;
    scratch->unit_links = 0;
    scratch->units_sought = scratch->unit_rest == 0;
    if (links < (qdi_team_used(world->team) > 1 ? WORTH : WORTH_ALONE) || world->walls_move) return QD_OK;
    if (scratch->unit_rest > 0) {
        --scratch->unit_rest;
        return QD_OK;
    }
    return deal_islands(world, links);
}

size_t qdi_solver_units_apart(const qd_world *world) {
    atomic_bool held_moves = false;
    units_job job = {.world = world, .held_moves = &held_moves};
    if (world->scratch.unit_count > 1 && world->fixed > 0)
        qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, see_held_range, &job);
    return held_moves ? 0 : world->scratch.unit_count - 1;
}

bool qdi_solver_units_hold(const qd_world *world, const qdi_solver_units *units) {
    return world->scratch.units_sought && !world->walls_move &&
           units->count == units->domains.count + qdi_solver_units_apart(world);
}

// ---- in order of units ----

/// Solver's units: that of a body: those of domains come first.
static size_t unit_of(const units_job *job, uint32_t row) {
    const uint32_t unit = job->unit[row];
    return unit > 0 ? job->domains->count - 1 + unit : qdi_domain_of(job->domains, row);
}

/// Solver's units: the keys of a range of the list. A serial colour of domains is one's.
static void key_range(void *context, size_t begin, size_t end) {
    const units_job *job = context;
    for (size_t k = begin; k < end; ++k) {
        const uint32_t number = job->list[k], row = qdi_owner_of(&job->links[number]);
        job->keys->value[k] = number;
        job->keys->key[k] = number >= job->serial && job->unit[row] == 0 ? 0 : unit_of(job, row);
    }
}

/// Solver's units: the keys of a range of movers, whose rows are there.
static void key_movers_range(void *context, size_t begin, size_t end) {
    const units_job *job = context;
    for (size_t k = begin; k < end; ++k) {
        const uint32_t row = job->keys->value[k];
        job->keys->key[k] = job->world->kind[row] == QD_BODY_DYNAMIC ? unit_of(job, row)
                                                                     : qdi_domain_of(job->domains, row);
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

/// Solver's units: says where the groups of a unit's colours lie, and how many it has.
static void place_groups(qdi_solver_unit *unit) {
    qdi_solver_colours *colours = &unit->colours;
    size_t groups = 0, seconds = 0;
    for (size_t c = 0; c < colours->count; ++c) {
        const size_t twos = qdi_solver_groups_of(colours->twos[c]);
        colours->group[c] = (uint32_t)groups;
        colours->second[c] = (uint32_t)seconds;
        groups += twos + qdi_solver_groups_of(colours->taken[c] - colours->twos[c]);
        seconds += twos;
    }
    unit->groups = groups;
    unit->seconds = seconds;
}

typedef struct table_job {
    const qdi_solver_job *solver;
    const size_t *first;
    qdi_solver_units *units;
} table_job;

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

/// Solver's units: the tables of a range of units, from a list that is in their order.
static void table_range(void *context, size_t begin, size_t end) {
    const table_job *job = context;
    for (size_t u = begin; u < end; ++u) {
        qdi_solver_colours *colours = &job->units->unit[u].colours;
        const uint32_t *list = job->solver->list;
        colours->count = job->solver->colours->count;
        colours->last_is_serial = job->solver->colours->last_is_serial;
        size_t start = job->first[u];
        for (size_t c = 0; c < colours->count; ++c) {
            const size_t stop = c + 1 == colours->count
                                    ? job->first[u + 1]
                                    : qdi_lower_bound_32(list, start, job->first[u + 1],
                                                         (uint32_t)job->solver->colours->start[c + 1]);
            colours->start[c] = (uint32_t)start;
            colours->taken[c] = (uint32_t)(stop - start);
            colours->twos[c] = (uint32_t)find_twos(job, list, start, stop);
            start = stop;
        }
        place_groups(&job->units->unit[u]);
    }
}

/// Solver's units: the table of a domain, from a list that is in the order of colours.
static void make_table(const qdi_solver_job *solver, size_t domains, size_t d, qdi_solver_unit *unit) {
    qdi_solver_colours *colours = &unit->colours;
    colours->count = solver->colours->count;
    colours->last_is_serial = solver->colours->last_is_serial;
    for (size_t c = 0; c < colours->count; ++c) {
        const uint32_t *begins = solver->begins + QDI_KINDS_OF_DOMAIN * (c * domains + d);
        colours->start[c] = begins[0];
        colours->twos[c] = begins[2] - begins[0];
        colours->taken[c] = begins[QDI_KINDS_OF_DOMAIN] - begins[0];
    }
    place_groups(unit);
}

qd_status qdi_solver_part(qdi_solver_job *solver, qdi_solver_units *units) {
    qd_world *world = solver->world;
    qdi_arena *arena = &world->scratch.arena;
    const size_t domains = units->domains.count, taken = units->taken;
    qdi_keys keys = {.key = NULL};
    units_job job = {.world = world,
                     .links = solver->links,
                     .unit = world->scratch.unit_of,
                     .domains = &units->domains,
                     .serial = solver->serial,
                     .keys = &keys,
                     .list = solver->list,
                     .count = taken};
    units->unit = qdi_arena_take(arena, units->count, sizeof *units->unit);
    if (!units->unit) return QD_ERR_MEMORY;
    if (units->count == domains) {
        for (size_t d = 0; d < domains; ++d) make_table(solver, domains, d, &units->unit[d]);
        return QD_OK;
    }
    job.first = qdi_arena_take(arena, units->count + 1, sizeof *job.first);
    qd_status status = qdi_keys_take(arena, taken, &keys);
    if (status != QD_OK || !job.first) return QD_ERR_MEMORY;
    qdi_team_for(world->team, taken, QDI_CONTACT_GRAIN, key_range, &job);
    status = sort_by_unit(world, &job, units->count);
    if (status != QD_OK) return status;
    solver->list = keys.value;
    table_job table = {solver, job.first, units};
    qdi_team_for(world->team, units->count, 1, table_range, &table);
    return QD_OK;
}

qd_status qdi_solver_part_movers(qd_world *world, qdi_keys *rows, size_t count, qdi_solver_units *units) {
    units_job job = {.world = world,
                     .unit = world->scratch.unit_of,
                     .domains = &units->domains,
                     .keys = rows,
                     .count = count};
    job.first = qdi_arena_take(&world->scratch.arena, units->count + 1, sizeof *job.first);
    if (!job.first) return QD_ERR_MEMORY;
    if (units->count == units->domains.count) {
        job.first[0] = 0;
        for (size_t d = 1; d < units->count; ++d)
            job.first[d] = qdi_lower_bound_32(rows->value, 0, count, units->domains.first_row[d]);
        job.first[units->count] = count;
    } else {
        qdi_team_for(world->team, count, QDI_BODY_GRAIN, key_movers_range, &job);
        const qd_status status = sort_by_unit(world, &job, units->count);
        if (status != QD_OK) return status;
    }
    for (size_t u = 0; u < units->count; ++u) {
        units->unit[u].first_mover = job.first[u] + 1;
        units->unit[u].end_mover = job.first[u + 1] + 1;
    }
    return QD_OK;
}
