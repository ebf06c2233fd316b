// Shared between the threads: everything in struct qdi_queue but what never changes after it was made
// (`allocator`, the functions, `context`, `slots`, `workers`). It is read and written inside the monitor
// only. The work itself runs outside of it.
//
//   line:  7 8 9        worker 0: make 4 | finish 4 | make 7 ...
//                       worker 1: make 5 | wait     | finish 5 ...
//
// Slots leave the line with a number, counting from 0; `turn` is the number that may be finished. The
// worker that has it finishes without waiting for another, so there is always one that continues.

#include "core/parallel/queue.h"

#include "core/base/assert.h"
#include "core/base/memory.h"
#include "core/base/os.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct queue_worker {
    qdi_queue *queue;
    qdi_thread *thread;
    int number;
} queue_worker;

struct qdi_queue {
    const qd_allocator *allocator;
    qdi_queue_work work; // NULL where there are make and finish
    qdi_queue_part make, finish;
    void *context;
    size_t slots;
    queue_worker *workers;
    size_t worker_count;
    qdi_monitor *monitor;
    size_t *free; // stack of free slots
    size_t free_count;
    size_t *line; // ring of the slots in line
    size_t line_first, line_count;
    uint64_t taken; // slots that have left the line
    uint64_t turn;  // of these, how many are done with
    bool closing;
    qd_status failure;
};

// Works on a slot that has left the queue with `number`: makes it, waits for its turn, finishes it. Inside
// the monitor before and after.
static void process_queued_slot(qdi_queue *queue, size_t slot, uint64_t number, int worker) {
    qd_status status = queue->failure;
    if (queue->make && status == QD_OK) {
        qdi_monitor_leave(queue->monitor);
        status = queue->make(queue->context, slot, worker);
        qdi_monitor_enter(queue->monitor);
    }
    while (queue->turn != number) qdi_monitor_wait(queue->monitor);
    if (status == QD_OK && queue->failure == QD_OK) {
        qdi_monitor_leave(queue->monitor);
        status = queue->work ? queue->work(queue->context, slot)
                             : queue->finish(queue->context, slot, worker);
        qdi_monitor_enter(queue->monitor);
    }
    if (queue->failure == QD_OK) queue->failure = status;
    queue->turn += 1;
}

// The thread of a worker: takes slots from the queue until it closes.
static void queue_worker_loop(void *context) {
    const queue_worker *self = context;
    qdi_queue *queue = self->queue;
    qdi_monitor_enter(queue->monitor);
    for (;;) {
        while (queue->line_count == 0 && !queue->closing) qdi_monitor_wait(queue->monitor);
        if (queue->line_count == 0) break;
        size_t slot = queue->line[queue->line_first];
        queue->line_first = (queue->line_first + 1) % queue->slots;
        queue->line_count -= 1;
        process_queued_slot(queue, slot, queue->taken++, self->number);
        queue->free[queue->free_count++] = slot;
        qdi_monitor_wake_all(queue->monitor);
    }
    qdi_monitor_leave(queue->monitor);
}

// Starts the threads of a queue's workers.
static qd_status start_queue_workers(qdi_queue *queue) {
    qd_status status = QD_OK;
    for (size_t i = 0; i < queue->worker_count; ++i)
        queue->workers[i] = (queue_worker){.queue = queue, .number = (int)i};
    for (size_t i = 0; status == QD_OK && i < queue->worker_count; ++i)
        status = qdi_thread_start(queue->allocator, queue_worker_loop, &queue->workers[i],
                                  &queue->workers[i].thread);
    return status;
}

// Makes a queue like `plan` and starts its workers.
static qd_status queue_create(qdi_queue plan, qdi_queue **queue) {
    QD_ASSERT(plan.slots > 0 && plan.worker_count > 0 && plan.worker_count <= QDI_QUEUE_WORKERS_MAX);
    const qd_allocator *allocator = plan.allocator;
    *queue = NULL;
    qdi_queue *made = qdi_allocate(allocator, 1, sizeof *made);
    if (!made) return QD_ERR_MEMORY;
    *made = plan;
    made->free = qdi_allocate(allocator, made->slots, sizeof *made->free);
    made->line = qdi_allocate(allocator, made->slots, sizeof *made->line);
    made->workers = qdi_allocate(allocator, made->worker_count, sizeof *made->workers);
    if (made->workers) memset(made->workers, 0, made->worker_count * sizeof *made->workers);
    qd_status status = made->free && made->line && made->workers ? QD_OK : QD_ERR_MEMORY;
    if (status == QD_OK) {
        for (size_t i = 0; i < made->slots; ++i) made->free[i] = made->slots - 1 - i;
        made->free_count = made->slots;
        status = qdi_monitor_create(allocator, &made->monitor);
    }
    if (status == QD_OK) status = start_queue_workers(made);
    if (status != QD_OK) {
        qdi_queue_destroy(made);
        return status;
    }
    *queue = made;
    return QD_OK;
}

qd_status qdi_queue_create(const qd_allocator *allocator, size_t slots, qdi_queue_work work, void *context,
                           qdi_queue **queue) {
    return queue_create(
        (qdi_queue){
            .allocator = allocator, .work = work, .context = context, .slots = slots, .worker_count = 1},
        queue);
}

qd_status qdi_queue_create_workers(const qd_allocator *allocator, size_t slots, int workers,
                                   qdi_queue_part make, qdi_queue_part finish, void *context,
                                   qdi_queue **queue) {
    return queue_create((qdi_queue){.allocator = allocator,
                                    .make = make,
                                    .finish = finish,
                                    .context = context,
                                    .slots = slots,
                                    .worker_count = (size_t)workers},
                        queue);
}

qd_status qdi_queue_take(qdi_queue *queue, size_t *slot) {
    qdi_monitor_enter(queue->monitor);
    while (queue->free_count == 0 && queue->failure == QD_OK) qdi_monitor_wait(queue->monitor);
    qd_status status = queue->failure;
    if (status == QD_OK) *slot = queue->free[--queue->free_count];
    qdi_monitor_leave(queue->monitor);
    return status;
}

void qdi_queue_return(qdi_queue *queue, size_t slot) {
    qdi_monitor_enter(queue->monitor);
    queue->free[queue->free_count++] = slot;
    qdi_monitor_wake_all(queue->monitor);
    qdi_monitor_leave(queue->monitor);
}

void qdi_queue_put(qdi_queue *queue, size_t slot) {
    qdi_monitor_enter(queue->monitor);
    QD_ASSERT(queue->line_count < queue->slots);
    queue->line[(queue->line_first + queue->line_count) % queue->slots] = slot;
    queue->line_count += 1;
    qdi_monitor_wake_all(queue->monitor);
    qdi_monitor_leave(queue->monitor);
}

qd_status qdi_queue_drain(qdi_queue *queue) {
    qdi_monitor_enter(queue->monitor);
    while (queue->line_count > 0 || queue->turn != queue->taken) qdi_monitor_wait(queue->monitor);
    qd_status status = queue->failure;
    qdi_monitor_leave(queue->monitor);
    return status;
}

void qdi_queue_destroy(qdi_queue *queue) {
    if (!queue) return;
    if (queue->monitor) {
        qdi_monitor_enter(queue->monitor);
        queue->closing = true;
        qdi_monitor_wake_all(queue->monitor);
        qdi_monitor_leave(queue->monitor);
    }
    for (size_t i = 0; queue->workers && i < queue->worker_count; ++i)
        qdi_thread_join(queue->workers[i].thread);
    qdi_monitor_destroy(queue->monitor);
    qdi_release(queue->allocator, queue->workers, queue->worker_count, sizeof *queue->workers);
    qdi_release(queue->allocator, queue->line, queue->slots, sizeof *queue->line);
    qdi_release(queue->allocator, queue->free, queue->slots, sizeof *queue->free);
    qdi_release(queue->allocator, queue, 1, sizeof *queue);
}
