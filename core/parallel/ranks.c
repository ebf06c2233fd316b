// Ranks as threads of one process. A rank leaves what it has to say where the others can read it, all meet,
// each reads, all meet again: nothing that is written by one is read by another in between. A meeting is a
// barrier that also hands on the worst status.

#include "core/parallel/ranks.h"

#include "core/base/memory.h"
#include "core/base/os.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct ranks_loop ranks_loop;

struct qdi_ranks {
    ranks_loop *loop;
    int me;
    qd_status failed;        ///< all know it, and this rank has not agreed to it yet
    const void *mine;        ///< for the others to read between two meetings
    const qdi_message *to;   ///< the same
    unsigned char *received; ///< one message after the other
    size_t received_room;
    qdi_thread *thread; ///< NULL: the caller's
};

struct ranks_loop {
    const qd_allocator *allocator;
    qdi_monitor *monitor;
    int count, arrived;
    uint64_t round;           ///< meetings so far
    qd_status worst, settled; ///< of those that have arrived; of the last meeting
    bool begun, called_off;   ///< whether ranks may work, or need not
    qdi_ranks_work work;
    void *context;
    qdi_ranks rank[QDI_RANKS_MAX];
};

int qdi_ranks_me(const qdi_ranks *ranks) {
    return ranks->me;
}

int qdi_ranks_count(const qdi_ranks *ranks) {
    return ranks->loop->count;
}

// Ranks: waits for all; returns the worst status that one came with.
static qd_status meet(qdi_ranks *ranks, qd_status status) {
    ranks_loop *loop = ranks->loop;
    qdi_monitor_enter(loop->monitor);
    if (status > loop->worst) loop->worst = status;
    const uint64_t round = loop->round;
    if (++loop->arrived == loop->count) {
        loop->settled = loop->worst;
        loop->worst = QD_OK;
        loop->arrived = 0;
        loop->round += 1;
        qdi_monitor_wake_all(loop->monitor);
    } else {
        while (loop->round == round) qdi_monitor_wait(loop->monitor);
    }
    const qd_status settled = loop->settled; // the next meeting needs this rank too
    qdi_monitor_leave(loop->monitor);
    return settled;
}

// Ranks: the same within a piece of work: what fails there, qdi_ranks_agree gives back.
static qd_status meet_in_work(qdi_ranks *ranks, qd_status status) {
    ranks->failed = meet(ranks, status);
    return ranks->failed;
}

qd_status qdi_ranks_agree(qdi_ranks *ranks, qd_status status) {
    const qd_status failed = ranks->failed;
    ranks->failed = QD_OK;
    return failed == QD_OK ? meet(ranks, status) : failed;
}

qd_status qdi_ranks_merged(qdi_ranks *ranks, const void *mine, void *all, size_t bytes,
                           qdi_ranks_merge merge) {
    const ranks_loop *loop = ranks->loop;
    if (ranks->failed != QD_OK) return ranks->failed;
    ranks->mine = mine;
    const qd_status status = meet_in_work(ranks, QD_OK);
    if (status != QD_OK) return status;
    memcpy(all, loop->rank[0].mine, bytes);
    for (int q = 1; q < loop->count; ++q) merge(all, loop->rank[q].mine, bytes);
    return meet_in_work(ranks, QD_OK);
}

// Ranks: where the next message begins.
static size_t aligned(size_t bytes) {
    return (bytes + 63) / 64 * 64;
}

// Ranks: copies what all others send to this one.
static qd_status receive(qdi_ranks *ranks, qdi_message *from) {
    const ranks_loop *loop = ranks->loop;
    size_t bytes = 0;
    for (int q = 0; q < loop->count; ++q) bytes += aligned(loop->rank[q].to[ranks->me].bytes);
    const qd_status status = qdi_reserve(loop->allocator, &ranks->received, &ranks->received_room, 0, bytes,
                                         1);
    if (status != QD_OK) return status;
    unsigned char *at = ranks->received;
    for (int q = 0; q < loop->count; ++q) {
        const qdi_message sent = loop->rank[q].to[ranks->me];
        from[q] = (qdi_message){at, sent.bytes};
        if (sent.bytes == 0) continue;
        memcpy(at, sent.data, sent.bytes);
        at += aligned(sent.bytes);
    }
    return QD_OK;
}

qd_status qdi_ranks_exchange(qdi_ranks *ranks, const qdi_message *to, qdi_message *from) {
    if (ranks->failed != QD_OK) return ranks->failed;
    ranks->to = to;
    const qd_status status = meet_in_work(ranks, QD_OK);
    return status == QD_OK ? meet_in_work(ranks, receive(ranks, from)) : status;
}

// ---- threads ----

// Ranks: whether the work begins; false where not all threads could be had.
static bool wait_for_begin(ranks_loop *loop) {
    qdi_monitor_enter(loop->monitor);
    while (!loop->begun && !loop->called_off) qdi_monitor_wait(loop->monitor);
    const bool begun = loop->begun;
    qdi_monitor_leave(loop->monitor);
    return begun;
}

// Ranks: what the thread of a rank does.
static void serve(void *context) {
    qdi_ranks *ranks = context;
    ranks_loop *loop = ranks->loop;
    if (wait_for_begin(loop)) loop->work(ranks, loop->context);
}

// Ranks: starts a thread for each rank but the caller's, and lets them begin where all are there.
static qd_status start_ranks(ranks_loop *loop) {
    qd_status status = QD_OK;
    for (int q = 1; q < loop->count && status == QD_OK; ++q)
        status = qdi_thread_start(loop->allocator, serve, &loop->rank[q], &loop->rank[q].thread);
    qdi_monitor_enter(loop->monitor);
    loop->begun = status == QD_OK;
    loop->called_off = !loop->begun;
    qdi_monitor_wake_all(loop->monitor);
    qdi_monitor_leave(loop->monitor);
    return status;
}

qd_status qdi_ranks_run(const qd_allocator *allocator, int count, qdi_ranks_work work, void *context) {
    if (count < 1 || count > QDI_RANKS_MAX) return QD_ERR_VALUE;
    ranks_loop *loop = qdi_allocate(allocator, 1, sizeof *loop);
    if (!loop) return QD_ERR_MEMORY;
    *loop = (ranks_loop){.allocator = allocator, .count = count, .work = work, .context = context};
    for (int q = 0; q < count; ++q) loop->rank[q] = (qdi_ranks){.loop = loop, .me = q};
    qd_status status = qdi_monitor_create(allocator, &loop->monitor);
    if (status == QD_OK) status = start_ranks(loop);
    if (status == QD_OK) work(&loop->rank[0], context);
    for (int q = 1; q < count; ++q) qdi_thread_join(loop->rank[q].thread);
    for (int q = 0; q < count; ++q)
        qdi_release(allocator, loop->rank[q].received, loop->rank[q].received_room, 1);
    qdi_monitor_destroy(loop->monitor);
    qdi_release(allocator, loop, 1, sizeof *loop);
    return status;
}
