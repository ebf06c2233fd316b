#pragma once

#include "core/parallel/ranks.h"

#include <stdbool.h>

/// What the files of ranks share. A backend says how ranks meet; when they have to, and what becomes of a
/// failure, is the same for all (ranks.c).

/// How ranks reach each other. All ranks are in a call together, though not always in the same one: who has
/// failed is in `meet` while the others are in whatever comes next. So each call begins with a meeting.
typedef struct qdi_ranks_backend {
    /// Waits for all; the worst status that one came with.
    qd_status (*meet)(qdi_ranks *ranks, qd_status status);
    /// As qdi_ranks_merged and qdi_ranks_exchange, with the same status on all ranks.
    qd_status (*merged)(qdi_ranks *ranks, const void *mine, void *all, size_t bytes, qdi_ranks_merge merge);
    qd_status (*exchange)(qdi_ranks *ranks, const qdi_message *to, qdi_message *from);
} qdi_ranks_backend;

/// Begins the ranks of any backend.
struct qdi_ranks {
    const qdi_ranks_backend *backend;
    int me, count;
    qd_status failed; ///< all know it, and this rank has not agreed to it yet
    qdi_ranks_sent sent;
};

/// Ranks: where the message after one of so many bytes begins.
static inline size_t qdi_ranks_aligned(size_t bytes) {
    return (bytes + 63) / 64 * 64;
}

/// Ranks: whether the room for what is received, of which the last call took `used` bytes, is to be given
/// back before the next one: it is much more than is needed, since a message was long once.
static inline bool qdi_ranks_forgets(size_t room, size_t used) {
    const size_t much = (size_t)1 << 20;
    return room > much && room / 8 > used;
}
