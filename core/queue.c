// Shared between the two threads: everything in struct qdi_queue but `allocator`, `work`, `context` and
// `slots`, which never change. It is read and written inside the monitor only. The work itself runs outside
// of it.

#include "core/queue.h"

#include "core/assert.h"
#include "core/memory.h"
#include "core/os.h"

#include <stdbool.h>

struct qdi_queue {
    const qd_allocator *allocator;
    qdi_queue_work work;
    void *context;
    size_t slots;
    qdi_monitor *monitor;
    qdi_thread *thread;
    size_t *free; // stack of free slots
    size_t free_count;
    size_t *line; // ring of the slots in line
    size_t line_first, line_count;
    bool working;
    bool closing;
    qd_status failure;
};

static void work_loop(void *context) {
    qdi_queue *queue = context;
    qdi_monitor_enter(queue->monitor);
    for (;;) {
        while (queue->line_count == 0 && !queue->closing) qdi_monitor_wait(queue->monitor);
        if (queue->line_count == 0) break;
        size_t slot = queue->line[queue->line_first];
        queue->line_first = (queue->line_first + 1) % queue->slots;
        queue->line_count -= 1;
        if (queue->failure == QD_OK) {
            queue->working = true;
            qdi_monitor_leave(queue->monitor);
            qd_status status = queue->work(queue->context, slot);
            qdi_monitor_enter(queue->monitor);
            queue->working = false;
            queue->failure = status;
        }
        queue->free[queue->free_count++] = slot;
        qdi_monitor_wake_all(queue->monitor);
    }
    qdi_monitor_leave(queue->monitor);
}

qd_status qdi_queue_create(const qd_allocator *allocator, size_t slots, qdi_queue_work work, void *context,
                           qdi_queue **queue) {
    QD_ASSERT(slots > 0);
    *queue = NULL;
    qdi_queue *made = qdi_allocate(allocator, 1, sizeof *made);
    if (!made) return QD_ERR_MEMORY;
    *made = (qdi_queue){.allocator = allocator, .work = work, .context = context, .slots = slots};
    made->free = qdi_allocate(allocator, slots, sizeof *made->free);
    made->line = qdi_allocate(allocator, slots, sizeof *made->line);
    qd_status status = made->free && made->line ? QD_OK : QD_ERR_MEMORY;
    if (status == QD_OK) {
        for (size_t i = 0; i < slots; ++i) made->free[i] = slots - 1 - i;
        made->free_count = slots;
        status = qdi_monitor_create(allocator, &made->monitor);
    }
    if (status == QD_OK) status = qdi_thread_start(allocator, work_loop, made, &made->thread);
    if (status != QD_OK) {
        qdi_queue_destroy(made);
        return status;
    }
    *queue = made;
    return QD_OK;
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
    while (queue->line_count > 0 || queue->working) qdi_monitor_wait(queue->monitor);
    qd_status status = queue->failure;
    qdi_monitor_leave(queue->monitor);
    return status;
}

void qdi_queue_destroy(qdi_queue *queue) {
    if (!queue) return;
    if (queue->thread) {
        qdi_monitor_enter(queue->monitor);
        queue->closing = true;
        qdi_monitor_wake_all(queue->monitor);
        qdi_monitor_leave(queue->monitor);
        qdi_thread_join(queue->thread);
    }
    qdi_monitor_destroy(queue->monitor);
    qdi_release(queue->allocator, queue->line, queue->slots, sizeof *queue->line);
    qdi_release(queue->allocator, queue->free, queue->slots, sizeof *queue->free);
    qdi_release(queue->allocator, queue, 1, sizeof *queue);
}
