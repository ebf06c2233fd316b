#pragma once

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <stddef.h>

/// A bounded queue with a worker thread, or several. Work lies in `slots` numbered slots that the owner
/// keeps; the queue only passes their numbers: the owner takes a free slot (and waits where there is none),
/// fills it, puts it in line; the worker works on the slots in that order and frees them. Only the thread
/// that has a slot's number may touch the slot; the monitor inside orders the threads' accesses.
///
/// A queue with several workers works on as many slots at a time: they are made at the same time and then
/// finished one by one, in the order of the line. So the result is the same for any number of workers.
///
/// When a worker fails, its status stays: nothing after it in line is finished, and every call returns it. Of
/// several failures the first in line counts.
typedef struct qdi_queue qdi_queue;

/// Works on a slot, on the worker's thread.
typedef qd_status (*qdi_queue_work)(void *context, size_t slot);

/// Starts the worker. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_queue_create(const qd_allocator *allocator, size_t slots, qdi_queue_work work,
                                       void *context, qdi_queue **queue);

/// Most workers of a queue.
#define QDI_QUEUE_WORKERS_MAX 64

/// A part of the work on a slot, on the thread of worker 0, 1, ...
typedef qd_status (*qdi_queue_part)(void *context, size_t slot, int worker);

/// Starts `workers` (1..QDI_QUEUE_WORKERS_MAX) workers. Each calls `make` for a slot, whatever the others do,
/// then `finish` for the same slot once all before it in line are finished: one `finish` at a time. Errors:
/// QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_queue_create_workers(const qd_allocator *allocator, size_t slots, int workers,
                                               qdi_queue_part make, qdi_queue_part finish, void *context,
                                               qdi_queue **queue);

/// Gets a free slot, waiting for one if need be. Errors: a worker's.
QD_MUST_USE qd_status qdi_queue_take(qdi_queue *queue, size_t *slot);

/// Returns a slot that was taken and not used.
void qdi_queue_return(qdi_queue *queue, size_t slot);

/// Puts a slot that was taken in line.
void qdi_queue_put(qdi_queue *queue, size_t slot);

/// Waits until nothing is in line or being worked on. Returns the failure, if any.
QD_MUST_USE qd_status qdi_queue_drain(qdi_queue *queue);

/// Lets the workers finish what is in line, ends the threads and frees; NULL is fine.
void qdi_queue_destroy(qdi_queue *queue);
