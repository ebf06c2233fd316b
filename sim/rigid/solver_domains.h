#pragma once

#include "core/parallel/stages.h"
#include "sim/world/scratch.h"
#include "sim/world/world_impl.h"

/// Domains of the contact solver: what is too large for one thread is cut by rows, which lie in the order of
/// the tree, into pieces of about as many links each. A thread solves the links of its piece in all sub-steps
/// and colours, and waits only for those who share bodies with it. Which domain a link belongs to decides
/// nothing: what touches the same body is solved in the order of colours, whoever does it.
typedef struct qdi_domains {
    size_t count;
    uint32_t first_row[QDI_PARTS_MAX];
    _Atomic uint64_t neighbours[QDI_PARTS_MAX]; ///< by domain, the others by bit
} qdi_domains;

/// Cuts the bodies by the world's `links` links, where some are `apart`, in units of their own (`unit_of` of
/// the scratch), by the others; by one thread, which looks at few of them.
void qdi_domains_find(const qd_world *world, size_t links, bool apart, qdi_domains *domains);

/// The domain of a body.
static inline size_t qdi_domain_of(const qdi_domains *domains, uint32_t row) {
    size_t low = 0, count = domains->count;
    while (count > 1) {
        const size_t half = count / 2;
        low = domains->first_row[low + half] <= row ? low + half : low;
        count -= half;
    }
    return low;
}

/// The body of a link to whose domain it belongs.
static inline uint32_t qdi_owner_of(const qdi_link *link) {
    return link->moves_a ? link->row_a : link->row_b;
}

/// Makes all domains of `which` (by bit) neighbours of domain `of`, and it of them. For any thread.
void qdi_domains_meet(qdi_domains *domains, size_t of, uint64_t which);
