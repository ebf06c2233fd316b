#pragma once

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <stdbool.h>
#include <stdint.h>

/// The thread pool of a team: worker threads that wait for loops and run them together with the thread that
/// calls (the leader).
typedef struct qdi_thread_pool qdi_thread_pool;

/// A pool for `workers` worker threads, at least one. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_thread_pool_create(const qd_allocator *allocator, int workers,
                                             qdi_thread_pool **pool);
/// All worker threads must have ended (qdi_thread_pool_dismiss, then join them). NULL is fine.
void qdi_thread_pool_destroy(qdi_thread_pool *pool);

/// The body of a loop: each worker that takes part calls it once, with its own number.
typedef void (*qdi_thread_pool_function)(void *context, int worker);

/// The life of a worker thread, whose number is 1 or more: takes part in loops until the pool is dismissed.
/// `spins`: there is a processor for every thread of the team, so a waiting worker spins for a while before
/// it sleeps.
void qdi_thread_pool_serve(qdi_thread_pool *pool, int worker, bool spins);

/// Sleeps until the pool is dismissed.
void qdi_thread_pool_wait_dismissed(qdi_thread_pool *pool);

/// Calls `function` as worker 0, and lets workers 1 to `most` - 1 call it meanwhile. Returns when all that
/// entered have left. Workers that sleep, or have no processor, are not waited for: they come too late and
/// find the loop over. `wake_sleepers`: wakes those that sleep. Returns false where no worker was let in,
/// which is so for a while after a long wait for one that had lost its processor. One caller at a time.
bool qdi_thread_pool_run(qdi_thread_pool *pool, int most, bool wake_sleepers,
                         qdi_thread_pool_function function, void *context);

/// The leader has waited so long within a loop for a worker that had lost its processor: if that was long, no
/// worker is let in for a while. For the leader.
void qdi_thread_pool_rest(qdi_thread_pool *pool, uint64_t waited_ns);

/// Makes all workers return from qdi_thread_pool_serve, for good or until qdi_thread_pool_reopen.
void qdi_thread_pool_dismiss(qdi_thread_pool *pool);

/// After qdi_thread_pool_dismiss, once all workers have ended: as it was when it was made, for others.
void qdi_thread_pool_reopen(qdi_thread_pool *pool);
