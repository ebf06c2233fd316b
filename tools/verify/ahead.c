// Numbers count the snapshots; number n goes through slot n % room. There is one slot more than loaders: the
// others go on while the next number is late.
//
//   loaders:  take the next number and find its step (one at a time) -> read, load (side by side) -> ready
//   caller:   waits until the next number is ready -> takes its world
//
// Everything is read and written inside the monitor, but for what never changes once it is made (`plan`, the
// loaders' stores), and for the world that a loader has in hand.
#include "tools/verify/ahead.h"

#include "core/base/memory.h"
#include "core/base/os.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 4096 };

typedef struct ahead_slot {
    bool ready;
    qd_status status;
    qd_error error;
    qd_world *world;
} ahead_slot;

typedef struct ahead_loader {
    qdi_ahead *owner;
    qdi_recorded past; // with a store of its own: one thread at a time may use one
    qdi_thread *thread;
} ahead_loader;

struct qdi_ahead {
    qdi_ahead_plan plan;
    qdi_monitor *monitor;
    uint64_t step_from; // of the next number
    uint64_t begun, given;
    bool over; // nothing more is begun: the last was, something failed, or the caller has enough
    size_t jobs, room;
    ahead_slot *slots;
    ahead_loader *loaders;
};

/// Snapshots ahead: finds the step of the next number. Errors: QD_ERR_NOT_FOUND after the last.
static qd_status find_next_step(qdi_ahead *ahead, const ahead_loader *loader, uint64_t *step,
                                qd_error *error) {
    if (ahead->begun > ahead->plan.more) return QD_ERR_NOT_FOUND;
    qd_status status = qd_store_snapshot_step(loader->past.store, ahead->step_from, step, error);
    if (status == QD_OK) ahead->step_from = *step + 1;
    return status;
}

// Snapshots ahead: loads the next one into its slot; inside the monitor before and after.
static void load_next_number(qdi_ahead *ahead, const ahead_loader *loader) {
    ahead_slot *slot = &ahead->slots[ahead->begun % ahead->room];
    qd_error error = {""};
    uint64_t step = 0;
    qdi_replay replay = {.past = &loader->past, .threads = ahead->plan.threads};
    qd_status status = find_next_step(ahead, loader, &step, &error);
    ahead->begun += 1;
    if (status == QD_OK) {
        qdi_monitor_leave(ahead->monitor);
        status = qdi_replay_next_snapshot(&replay, step, &step, &error);
        qdi_monitor_enter(ahead->monitor);
    }
    if (status != QD_OK) {
        qdi_replay_end(&replay);
        ahead->over = true;
    }
    *slot = (ahead_slot){true, status, error, replay.world};
    qdi_monitor_wake_all(ahead->monitor);
}

// Snapshots ahead: the thread of a loader.
static void load_snapshots(void *context) {
    const ahead_loader *loader = context;
    qdi_ahead *ahead = loader->owner;
    qdi_monitor_enter(ahead->monitor);
    for (;;) {
        while (!ahead->over && ahead->begun - ahead->given == ahead->room) qdi_monitor_wait(ahead->monitor);
        if (ahead->over) break;
        load_next_number(ahead, loader);
    }
    qdi_monitor_leave(ahead->monitor);
}

/// Snapshots ahead: opens the loaders' stores and starts their threads.
static qd_status start_loaders(qdi_ahead *ahead, qd_error *error) {
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/run.db", ahead->plan.past->directory);
    qd_status status = QD_OK;
    for (size_t i = 0; status == QD_OK && i < ahead->jobs; ++i) {
        ahead->loaders[i] = (ahead_loader){.owner = ahead, .past = *ahead->plan.past};
        ahead->loaders[i].past.store = NULL;
        status = qd_store_open(path, QD_STORE_READ, NULL, &ahead->loaders[i].past.store, error);
    }
    for (size_t i = 0; status == QD_OK && i < ahead->jobs; ++i)
        status = qdi_thread_start(qd_allocator_default(), load_snapshots, &ahead->loaders[i],
                                  &ahead->loaders[i].thread);
    return status;
}

qd_status qdi_ahead_start(const qdi_ahead_plan *plan, qdi_ahead **ahead, qd_error *error) {
    const qd_allocator *allocator = qd_allocator_default();
    *ahead = NULL;
    qdi_ahead *made = qdi_allocate(allocator, 1, sizeof *made);
    if (!made) return QD_ERR_MEMORY;
    *made = (qdi_ahead){
        .plan = *plan, .step_from = plan->from, .jobs = (size_t)plan->jobs, .room = (size_t)plan->jobs + 1};
    made->slots = qdi_allocate(allocator, made->room, sizeof *made->slots);
    made->loaders = qdi_allocate(allocator, made->jobs, sizeof *made->loaders);
    if (made->slots) memset(made->slots, 0, made->room * sizeof *made->slots);
    if (made->loaders) memset(made->loaders, 0, made->jobs * sizeof *made->loaders);
    qd_status status = made->slots && made->loaders ? qdi_monitor_create(allocator, &made->monitor)
                                                    : QD_ERR_MEMORY;
    if (status == QD_OK) status = start_loaders(made, error);
    if (status != QD_OK) {
        qdi_ahead_end(made);
        return status;
    }
    *ahead = made;
    return QD_OK;
}

qd_status qdi_ahead_next(qdi_ahead *ahead, qd_world **world, qd_error *error) {
    *world = NULL;
    qdi_monitor_enter(ahead->monitor);
    ahead_slot *slot = &ahead->slots[ahead->given % ahead->room];
    while (!slot->ready && !(ahead->over && ahead->given == ahead->begun)) qdi_monitor_wait(ahead->monitor);
    qd_status status = QD_ERR_NOT_FOUND;
    if (slot->ready) {
        status = slot->status;
        if (status != QD_OK) *error = slot->error;
        *world = slot->world;
        *slot = (ahead_slot){.ready = false};
        ahead->given += 1;
        qdi_monitor_wake_all(ahead->monitor);
    }
    qdi_monitor_leave(ahead->monitor);
    return status;
}

void qdi_ahead_end(qdi_ahead *ahead) {
    if (!ahead) return;
    const qd_allocator *allocator = qd_allocator_default();
    if (ahead->monitor) {
        qdi_monitor_enter(ahead->monitor);
        ahead->over = true;
        qdi_monitor_wake_all(ahead->monitor);
        qdi_monitor_leave(ahead->monitor);
    }
    for (size_t i = 0; ahead->loaders && i < ahead->jobs; ++i) {
        qdi_thread_join(ahead->loaders[i].thread);
        qd_status status = qd_store_close(ahead->loaders[i].past.store, NULL);
        (void)status; // nothing was written
    }
    for (size_t i = 0; ahead->slots && i < ahead->room; ++i) qd_world_destroy(ahead->slots[i].world);
    qdi_monitor_destroy(ahead->monitor);
    qdi_release(allocator, ahead->loaders, ahead->jobs, sizeof *ahead->loaders);
    qdi_release(allocator, ahead->slots, ahead->room, sizeof *ahead->slots);
    qdi_release(allocator, ahead, 1, sizeof *ahead);
}
