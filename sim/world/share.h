#pragma once

#include <quadrille/metrics.h>
#include <quadrille/world.h>

#include "sim/world/body_sums.h"
#include "sim/world/contact_sums.h"

/// What a world gives to the numbers of its metrics that are sums over bodies or contacts, pass by pass. A
/// part (part.h) gives what is its own: the shares of all parts, put together in whatever order, are that of
/// the whole world to the last bit.

/// Share of a world: how large terms are, and counts.
typedef struct qdi_share_sizes {
    qdi_body_sizes body;
    qdi_contact_sizes contact;
} qdi_share_sizes;

/// Share of a world: sums.
typedef struct qdi_share_sums {
    qdi_body_tallies body;
    qdi_tally energy; ///< of contacts
} qdi_share_sums;

/// Share of a world: that of the first pass, on its team; and puts in that of another part.
qdi_share_sizes qdi_share_see(const qd_world *world);
void qdi_share_sizes_merge(qdi_share_sizes *all, const qdi_share_sizes *other);

/// Share of a world: that of the second pass; `sizes` are those of all parts. And puts in that of another
/// part.
qdi_share_sums qdi_share_add(const qd_world *world, const qdi_share_sizes *sizes);
void qdi_share_sums_merge(qdi_share_sums *all, const qdi_share_sums *other);

/// Share of a world: the metrics that come of the shares of all parts; `world` is the whole or one of them,
/// `totals` are the whole's.
void qdi_share_measure(const qd_world *world, const qdi_share_sizes *sizes, const qdi_share_sums *sums,
                       const qd_world_totals *totals, qd_metrics *metrics);
