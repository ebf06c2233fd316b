// What is told of the whole world without putting it together: the hash of its state is a sum over bodies and
// contacts (sim/world/digest.h), and metrics follow from exact sums (sim/world/share.h). Of a body its owner
// adds its part, of a contact the owner of its first body; the sums are those of the whole to the last bit.

#include "sim/ranks/fleet_impl.h"

#include "sim/world/digest.h"
#include "sim/world/share.h"

qdi_fleet_tally qdi_fleet_tally_of(const qdi_fleet_rank *rank) {
    const qdi_part *part = rank->world->part;
    return (qdi_fleet_tally){rank->contacts + part->contacts, rank->begins + part->begins,
                             rank->ends + part->ends};
}

qd_world_totals qdi_fleet_totals(const qdi_fleet_rank *rank) {
    qd_world_totals totals = rank->totals;
    totals.wall_impulse = rank->world->totals.wall_impulse; // every part has the whole's
    totals.wall_work = rank->world->totals.wall_work;
    return totals;
}

void qdi_fleet_add_tally(qd_world_totals *totals, const qdi_fleet_tally *tally) {
    totals->contacts += tally->contacts;
    totals->begins += tally->begins;
    totals->ends += tally->ends;
}

// Measuring: adds the digests of two ranks.
static void merge_digests(void *sum, const void *other, size_t bytes) {
    (void)bytes;
    qdi_digest_merge(sum, other);
}

qd_status qdi_fleet_add_hashes(const qdi_fleet_rank *rank) {
    const qdi_world_digest mine = qdi_world_digest_of(rank->world);
    qdi_world_digest all;
    const qd_status status = qdi_ranks_merged(rank->ranks, &mine, &all, sizeof mine, merge_digests);
    if (status == QD_OK && rank->hash) *rank->hash = qdi_digest_finish(rank->world, &all);
    return status;
}

/// What ranks tell each other for metrics, besides their sums.
typedef struct share_mail {
    qdi_share_sizes sizes;
    qdi_fleet_tally tally;
} share_mail;

// Measuring: merges the first passes of two ranks.
static void merge_sizes(void *sum, const void *other, size_t bytes) {
    share_mail *all = sum;
    const share_mail *more = other;
    (void)bytes;
    qdi_share_sizes_merge(&all->sizes, &more->sizes);
    qdi_ranks_add_counts(&all->tally, &more->tally, sizeof all->tally);
}

// Measuring: merges the second passes of two ranks.
static void merge_sums(void *sum, const void *other, size_t bytes) {
    (void)bytes;
    qdi_share_sums_merge(sum, other);
}

qd_status qdi_fleet_add_shares(const qdi_fleet_rank *rank) {
    const share_mail mine = {qdi_share_see(rank->world), qdi_fleet_tally_of(rank)};
    share_mail all;
    qd_status status = qdi_ranks_merged(rank->ranks, &mine, &all, sizeof mine, merge_sizes);
    if (status != QD_OK) return status;
    const qdi_share_sums own = qdi_share_add(rank->world, &all.sizes);
    qdi_share_sums sums;
    status = qdi_ranks_merged(rank->ranks, &own, &sums, sizeof own, merge_sums);
    if (status != QD_OK || !rank->metrics) return status;
    qd_world_totals totals = qdi_fleet_totals(rank);
    qdi_fleet_add_tally(&totals, &all.tally);
    if (rank->apart) rank->whole->totals = totals;
    qdi_share_measure(rank->world, &all.sizes, &sums, &totals, rank->metrics);
    return QD_OK;
}
