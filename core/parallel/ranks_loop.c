// Ranks as threads of one process. A rank leaves what it has to say where the others can read it, all meet,
// each reads, all meet again: nothing that is written by one is read by another in between. A meeting is a
// barrier that also hands on the worst status.

#include "core/parallel/ranks_impl.h"

#include "core/base/memory.h"
#include "core/base/os.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct ranks_loop ranks_loop;

/// A rank.
typedef struct loop_rank {
    qdi_ranks ranks; ///< first: it is what others know of it
    ranks_loop *loop;
    const void *mine;        ///< for the others to read between two meetings
    const qdi_message *to;   ///< the same
    unsigned char *received; ///< one message after the other
    size_t received_room, received_bytes;
    qdi_thread *thread; ///< NULL: the caller's
} loop_rank;

struct ranks_loop {
    const qd_allocator *allocator;
    qdi_monitor *monitor;
    int count, arrived;
    uint64_t round;           ///< meetings so far
    qd_status worst, settled; ///< of those that have arrived; of the last meeting
    bool begun, called_off;   ///< whether ranks may work, or need not
    qdi_ranks_work work;
    void *context;
    loop_rank rank[QDI_RANKS_MAX];
};

// Ranks: what a rank is to this backend.
static loop_rank *of(qdi_ranks *ranks) {
    return (loop_rank *)ranks;
}

// Ranks: waits for all; returns the worst status that one came with.
static qd_status meet(qdi_ranks *ranks, qd_status status) {
    ranks_loop *loop = of(ranks)->loop;
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

// Ranks: each reads what all have left to be read.
static qd_status merged(qdi_ranks *ranks, const void *mine, void *all, size_t bytes, qdi_ranks_merge merge) {
    const ranks_loop *loop = of(ranks)->loop;
    of(ranks)->mine = mine;
    const qd_status status = meet(ranks, QD_OK);
    if (status != QD_OK) return status;
    memcpy(all, loop->rank[0].mine, bytes);
    for (int q = 1; q < loop->count; ++q) merge(all, loop->rank[q].mine, bytes);
    return meet(ranks, QD_OK);
}

// Ranks: copies what all others send to this one.
static qd_status receive(loop_rank *rank, qdi_message *from) {
    const ranks_loop *loop = rank->loop;
    const int me = rank->ranks.me;
    size_t bytes = 0;
    for (int q = 0; q < loop->count; ++q)
        if (q != me) bytes += qdi_ranks_aligned(loop->rank[q].to[me].bytes);
    if (qdi_ranks_forgets(rank->received_room, rank->received_bytes)) {
        qdi_release(loop->allocator, rank->received, rank->received_room, 1);
        rank->received = NULL;
        rank->received_room = 0;
    }
    rank->received_bytes = bytes;
    const qd_status status = qdi_reserve(loop->allocator, &rank->received, &rank->received_room, 0, bytes, 1);
    if (status != QD_OK) return status;
    unsigned char *at = rank->received;
    for (int q = 0; q < loop->count; ++q) {
        const qdi_message sent = loop->rank[q].to[me];
        from[q] = q == me ? sent : (qdi_message){at, sent.bytes};
        if (sent.bytes == 0 || q == me) continue;
        memcpy(at, sent.data, sent.bytes);
        at += qdi_ranks_aligned(sent.bytes);
    }
    return QD_OK;
}

// Ranks: the same with a message for each.
static qd_status exchange(qdi_ranks *ranks, const qdi_message *to, qdi_message *from) {
    of(ranks)->to = to;
    const qd_status status = meet(ranks, QD_OK);
    return status == QD_OK ? meet(ranks, receive(of(ranks), from)) : status;
}

static const qdi_ranks_backend backend = {meet, merged, exchange};

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
    loop_rank *rank = context;
    if (wait_for_begin(rank->loop)) rank->loop->work(&rank->ranks, rank->loop->context);
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

// Ranks: waits for the threads that there are, and frees all.
static void end_loop(ranks_loop *loop) {
    const qd_allocator *allocator = loop->allocator;
    for (int q = 1; q < loop->count; ++q) qdi_thread_join(loop->rank[q].thread);
    for (int q = 0; q < loop->count; ++q)
        qdi_release(allocator, loop->rank[q].received, loop->rank[q].received_room, 1);
    qdi_monitor_destroy(loop->monitor);
    qdi_release(allocator, loop, 1, sizeof *loop);
}

qd_status qdi_ranks_start(const qd_allocator *allocator, int count, qdi_ranks_work work, void *context,
                          qdi_ranks **ranks) {
    *ranks = NULL;
    if (count < 1 || count > QDI_RANKS_MAX) return QD_ERR_VALUE;
    ranks_loop *loop = qdi_allocate(allocator, 1, sizeof *loop);
    if (!loop) return QD_ERR_MEMORY;
    *loop = (ranks_loop){.allocator = allocator, .count = count, .work = work, .context = context};
    for (int q = 0; q < count; ++q)
        loop->rank[q] = (loop_rank){.ranks = {.backend = &backend, .me = q, .count = count}, .loop = loop};
    qd_status status = qdi_monitor_create(allocator, &loop->monitor);
    if (status == QD_OK) status = start_ranks(loop);
    if (status == QD_OK)
        *ranks = &loop->rank[0].ranks;
    else
        end_loop(loop);
    return status;
}

void qdi_ranks_end(qdi_ranks *ranks) {
    if (ranks) end_loop(of(ranks)->loop);
}
