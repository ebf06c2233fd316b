#pragma once

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <quadrille/team.h>

#include <stddef.h>
#include <stdint.h>

/// Ranks: several that share one piece of work, each with a part of the data that the others cannot see. What
/// they have to know of each other they say in messages. All ranks make the same calls in the same order, and
/// each call returns when all have made it.
///
/// **Errors.** Whatever goes wrong on one rank goes wrong on all. A rank that fails by itself breaks off, as
/// any function does, and says so in the one call of qdi_ranks_agree that ends a piece of work; in whatever
/// call the others are by then, that one returns the error, they break off too, and their qdi_ranks_agree
/// gives it back without another message. The worst status is the one of the highest number.
///
/// **Backend.** Ranks are threads of one process, or processes (ranks_mpi.h). They share nothing but what
/// these calls hand on.
typedef struct qdi_ranks qdi_ranks;

/// Most ranks there can be.
enum { QDI_RANKS_MAX = 64 };

/// What a rank does.
typedef void (*qdi_ranks_work)(qdi_ranks *ranks, void *context);

/// Makes `count` ranks that are threads of this process: the caller's is rank 0, each other one works in a
/// thread of its own from now on. Errors: QD_ERR_VALUE (1..QDI_RANKS_MAX), QD_ERR_MEMORY: nobody works.
QD_MUST_USE qd_status qdi_ranks_start(const qd_allocator *allocator, int count, qdi_ranks_work work,
                                      void *context, qdi_ranks **ranks);
/// Waits until the work of all others has come to its end, and frees the ranks. NULL is fine.
void qdi_ranks_end(qdi_ranks *ranks);

/// Which of the ranks this is, and how many there are.
int qdi_ranks_me(const qdi_ranks *ranks);
int qdi_ranks_count(const qdi_ranks *ranks);

/// Ends a piece of work: the worst status of all ranks.
QD_MUST_USE qd_status qdi_ranks_agree(qdi_ranks *ranks, qd_status status);

/// Adds what another rank has to `sum`.
typedef void (*qdi_ranks_merge)(void *sum, const void *other, size_t bytes);

/// Merges what the ranks have, of `bytes` bytes on each, in the order of the ranks: the same on all of them.
/// `all` is another place than `mine`.
QD_MUST_USE qd_status qdi_ranks_merged(qdi_ranks *ranks, const void *mine, void *all, size_t bytes,
                                       qdi_ranks_merge merge);
/// Ranks: merges by adding: what they have is counts, uint64_t, and nothing else.
void qdi_ranks_add_counts(void *sum, const void *other, size_t bytes);

/// A message; of no bytes: none.
typedef struct qdi_message {
    const void *data;
    size_t bytes;
} qdi_message;

/// Sends to[q] to each rank q, and receives from[q] from it. What is received is aligned for any type and
/// lives until the next call of this function; what a rank sends to itself is not copied.
QD_MUST_USE qd_status qdi_ranks_exchange(qdi_ranks *ranks, const qdi_message *to, qdi_message *from);

/// What this rank has sent to others so far: by qdi_ranks_exchange; and the notes by which ranks that are
/// processes keep together, one or two to each other rank in every call.
typedef struct qdi_ranks_sent {
    uint64_t messages, bytes;
    uint64_t notes, note_bytes;
} qdi_ranks_sent;
qdi_ranks_sent qdi_ranks_count_sent(const qdi_ranks *ranks);

/// Team: says that all other ranks have one like it, that makes the same calls: sums (sim/world/sum.h) are
/// then those over all ranks. NULL: it has nobody.
void qdi_team_join(qd_team *team, qdi_ranks *ranks);
/// Team: the ranks that it was joined to, or NULL.
qdi_ranks *qdi_team_ranks(const qd_team *team);
