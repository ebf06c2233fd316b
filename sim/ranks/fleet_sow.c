// The first parts of a fleet that is apart. Each rank makes the bodies of a range of indices; then these are
// given to their owners as at any renewal, and each rank finds its contacts. What a world by itself notes
// when bodies are added, one after the other, is put together of what the ranks have made.

#include "core/base/memory.h"
#include "sim/ranks/fleet_impl.h"
#include "sim/world/bodies.h"
#include "sim/world/energy_balance.h"
#include "sim/world/names.h"

/// Of how many mean sizes a body is a giant.
enum { GIANT = 8 };

/// Sizes of bodies.
typedef struct body_sizes {
    double sum, most;
    uint64_t count;
} body_sizes;

// Sowing: merges the sizes of two ranks. A sum that is rounded does: where ghosts are decides nothing.
static void merge_sizes(void *sum, const void *other, size_t bytes) {
    body_sizes *all = sum;
    const body_sizes *more = other;
    (void)bytes;
    all->sum += more->sum;
    all->count += more->count;
    all->most = all->most > more->most ? all->most : more->most;
}

// Sowing: merges, where there are ranks.
static qd_status merge(qdi_ranks *ranks, body_sizes *sizes) {
    const body_sizes mine = *sizes;
    return ranks ? qdi_ranks_merged(ranks, &mine, sizes, sizeof mine, merge_sizes) : QD_OK;
}

qd_status qdi_fleet_find_small(qdi_ranks *ranks, const qd_world *world, double *small) {
    body_sizes all = {.count = world->count}, some = {.count = 0};
    for (uint32_t r = 0; r < world->count; ++r) all.sum += qdi_fleet_reach(world, r);
    qd_status status = merge(ranks, &all);
    const double giant = GIANT * (all.count > 0 ? all.sum / (double)all.count : 1);
    for (uint32_t r = 0; r < world->count; ++r) {
        const double reach = qdi_fleet_reach(world, r);
        if (reach <= giant && reach > some.most) some.most = reach;
    }
    if (status == QD_OK) status = merge(ranks, &some);
    *small = some.most;
    return status;
}

// ---- bodies ----

qd_status qdi_fleet_name_seeds(qd_world *seeds, uint64_t first) {
    const size_t count = seeds->index_count;
    if (first == 0) return QD_OK; // they are their indices
    uint64_t *names = qdi_allocate(seeds->allocator, count, sizeof *names);
    if (count > 0 && !names) return QD_ERR_MEMORY;
    for (size_t i = 0; i < count; ++i) names[i] = first + i;
    const qd_status status = qdi_names_give(seeds, names);
    qdi_release(seeds->allocator, names, count, sizeof *names);
    return status;
}

// Sowing: makes bodies.
static qd_status make_bodies(qdi_fleet_rank *rank) {
    uint64_t first = 0;
    if (!rank->maker) return QD_ERR_INTERNAL;
    qd_status status = qdi_fleet_empty_part(rank, rank->whole, 0, &rank->seeds);
    if (status != QD_OK) return status;
    status = rank->maker(rank->ranks, rank->mail, rank->said, rank->seeds, &first);
    return status == QD_OK ? qdi_fleet_name_seeds(rank->seeds, first) : status;
}

/// What comes of bodies that are added.
typedef struct added {
    uint64_t count, last_label, turning;
    double contact_time;
} added;

// Sowing: merges what came of the bodies of two ranks.
static void merge_added(void *sum, const void *other, size_t bytes) {
    added *all = sum;
    const added *more = other;
    (void)bytes;
    all->count += more->count;
    all->turning |= more->turning;
    if (more->last_label > all->last_label) all->last_label = more->last_label;
    if (more->contact_time < all->contact_time) all->contact_time = more->contact_time;
}

/// The energy of bodies, rounded after each of them as a world by itself does: one rank goes on where the
/// other has ended.
typedef struct energy_turn {
    double sum;
    uint64_t counts; ///< it is the sum of the one whose turn it was
} energy_turn;

// Sowing: takes over the sum of the rank whose turn it was.
static void keep_turn(void *sum, const void *other, size_t bytes) {
    energy_turn *last = sum;
    const energy_turn *next = other;
    (void)bytes;
    if (next->counts) *last = *next;
}

// Sowing: the energy of all bodies.
static qd_status add_energy(const qdi_fleet_rank *rank, double *energy) {
    const qd_world *seeds = rank->seeds;
    energy_turn last = {0, 0};
    qd_status status = QD_OK;
    for (int q = 0; q < qdi_ranks_count(rank->ranks) && status == QD_OK; ++q) {
        energy_turn mine = {last.sum, q == qdi_ranks_me(rank->ranks)};
        for (size_t i = 0; mine.counts && i < seeds->index_count; ++i)
            mine.sum += qdi_energy_of_row(seeds, seeds->row_of_index[i]);
        status = qdi_ranks_merged(rank->ranks, &mine, &last, sizeof mine, keep_turn);
    }
    *energy = last.sum;
    return status;
}

// Sowing: tells all worlds what came of all bodies.
static qd_status note_bodies(qdi_fleet_rank *rank) {
    qd_world *seeds = rank->seeds, *whole = rank->whole;
    const added mine = {seeds->count, seeds->last_label, seeds->turning, qd_world_contact_time(seeds)};
    added all;
    double energy = 0;
    qd_status status = qdi_ranks_merged(rank->ranks, &mine, &all, sizeof mine, merge_added);
    if (status == QD_OK && !rank->loads) status = add_energy(rank, &energy);
    if (status == QD_OK) status = qdi_fleet_find_small(rank->ranks, seeds, &rank->small);
    if (status != QD_OK) return status;
    rank->bodies = all.count;
    rank->contact_time = all.contact_time;
    if (rank->loads) return QD_OK; // all else was saved
    if (all.last_label > whole->last_label) whole->last_label = all.last_label;
    whole->turning = seeds->turning = all.turning != 0;
    whole->entered = seeds->entered = energy;
    return QD_OK;
}

// ---- contacts ----

// Sowing: finds the contacts of the first parts, as a world by itself does before its first step.
static qd_status find_contacts(qdi_fleet_rank *rank) {
    qd_world *world = rank->world;
    qdi_change_begin(world);
    qd_status status = qd_world_detect(world);
    qdi_team_join(world->team, NULL); // till the first step it does alone what it does
    if (status != QD_OK) return status;
    const uint64_t mine = qdi_part_contacts(world);
    uint64_t all = 0;
    status = qdi_ranks_merged(rank->ranks, &mine, &all, sizeof mine, qdi_ranks_add_counts);
    rank->totals.contacts = rank->totals.begins = all; // all of them have begun
    rank->whole->totals = rank->totals;
    rank->whole->entered = world->entered; // with springs
    rank->whole->changed = false;          // its contacts are found
    return status;
}

qd_status qdi_fleet_sow(qdi_fleet_rank *rank) {
    qd_status status = rank->loads ? qdi_fleet_load_bodies(rank) : make_bodies(rank);
    if (status == QD_OK) status = note_bodies(rank);
    status = qdi_ranks_agree(rank->ranks, status);
    if (status == QD_OK) status = qdi_fleet_renew(rank);
    qd_world_destroy(rank->seeds);
    rank->seeds = NULL;
    if (status != QD_OK) return status;
    return qdi_ranks_agree(rank->ranks, rank->loads ? qdi_fleet_load_contacts(rank) : find_contacts(rank));
}
