#ifndef QD_CORE_QUEUE_H
#define QD_CORE_QUEUE_H

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <stddef.h>

/// A bounded queue with one worker thread. Work lies in `slots` numbered places that the owner keeps; the
/// queue only hands their numbers around: the owner takes a free slot (and waits where there is none), fills
/// it, puts it in line; the worker works on the slots in that order and frees them. Who holds a slot's number
/// may touch the slot, nobody else: the monitor inside orders the two threads' accesses.
///
/// Once the worker failed, its status sticks: nothing that waits is worked on any more, and every call says
/// so.
typedef struct qdi_queue qdi_queue;

/// Works on a slot, on the worker's thread.
typedef qd_status (*qdi_queue_work)(void *context, size_t slot);

/// Starts the worker. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_queue_create(const qd_allocator *allocator, size_t slots, qdi_queue_work work,
                                       void *context, qdi_queue **queue);

/// Gets a free slot, waiting for one if need be. Errors: the worker's.
QD_MUST_USE qd_status qdi_queue_take(qdi_queue *queue, size_t *slot);

/// Gives a slot that was taken back unused.
void qdi_queue_return(qdi_queue *queue, size_t slot);

/// Puts a slot that was taken in line.
void qdi_queue_put(qdi_queue *queue, size_t slot);

/// Waits until nothing is in line or being worked on. Returns the worker's failure, if any.
QD_MUST_USE qd_status qdi_queue_drain(qdi_queue *queue);

/// Lets the worker finish what is in line, ends the thread and frees; NULL is fine.
void qdi_queue_destroy(qdi_queue *queue);

#endif
