// The team: the only file with OpenMP pragmas.
//
// OpenMP starts the threads, all at once and for as long as the team lives, in one parallel region that a
// thread of the team's own opens at the first loop worth sharing. thread_pool.c has how they wait for loops.
// The region's thread 0 only sleeps: the thread that calls qdi_team_for works in its place.
//
// Work is cut into ranges by size alone; each thread has a block of them and helps the others when it is
// done, so which thread works on a range is a matter of chance. That is safe because a range writes only its
// own slots, or slots of its worker whose order does not matter; what must be in order is merged afterwards
// in the order of ranges. What is shared and written: busy_ns, one cache line per worker, each by its own
// worker; and the blocks' counters, which only say which range is next (relaxed: the region's end orders
// everything else).
#include "core/parallel/parallel.h"

#include "core/base/arithmetic.h"
#include "core/base/cookie.h"
#include "core/base/memory.h"
#include "core/base/os.h"
#include "core/parallel/ranks.h"
#include "core/parallel/thread_pool.h"

#include <omp.h>
#include <stdbool.h>
#include <string.h>

enum { LINE = 8 };

struct qd_team {
    const qd_allocator *allocator;
    int threads, limit, used; // used: those that loops have now, at most `limit`
    qdi_thread_pool *pool;    // NULL for one thread
    qdi_thread *opener;       // NULL before the first loop that is shared
    bool no_threads;          // the system has no more threads
    int *processors;          // that the threads are bound to, one for each; NULL: none is bound
    bool apart;               // each has one to itself
    uint64_t *busy_ns;        // LINE apart, so that workers do not share cache lines
    uint64_t *busy_out;
    qdi_ranks *ranks;     // see ranks.h
    qdi_team_times times; // of the caller, who alone writes them
    uint64_t *blocks;     // LINE apart, of each worker: see take_range
    uint64_t loops;       // that were shared
    size_t *counts;       // of the sort
    size_t counts_room;
};

qd_team_def qd_team_def_default(void) {
    return (qd_team_def){.cookie = QDI_COOKIE, .threads = 1};
}

qd_status qd_team_create(const qd_team_def *def, qd_team **team) {
    if (!def || !team || def->cookie != QDI_COOKIE) return QD_ERR_ARGUMENT;
    *team = NULL;
    if (def->threads < 1 || def->threads > QD_TEAM_MAX) return QD_ERR_VALUE;
    const qd_allocator *allocator = qdi_allocator_or_default(def->allocator);
    qd_team *made = qdi_allocate(allocator, 1, sizeof *made);
    if (!made) return QD_ERR_MEMORY;
    size_t threads = (size_t)def->threads;
    *made = (qd_team){
        .allocator = allocator, .threads = def->threads, .limit = def->threads, .used = def->threads};
    made->busy_ns = qdi_allocate(allocator, threads * LINE, sizeof *made->busy_ns);
    made->busy_out = qdi_allocate(allocator, threads, sizeof *made->busy_out);
    made->blocks = qdi_allocate(allocator, threads * LINE, sizeof *made->blocks);
    bool good = made->busy_ns && made->busy_out && made->blocks;
    if (!good ||
        (def->threads > 1 && qdi_thread_pool_create(allocator, def->threads - 1, &made->pool) != QD_OK)) {
        qd_team_destroy(made);
        return QD_ERR_MEMORY;
    }
    memset(made->busy_ns, 0, threads * LINE * sizeof *made->busy_ns);
    memset(made->blocks, 0, threads * LINE * sizeof *made->blocks);
    memset(made->busy_out, 0, threads * sizeof *made->busy_out);
    *team = made;
    return QD_OK;
}

// ---- the threads of a team ----

/// Threads left unused where the system has too few: the runtime and this program need some memory beside
/// stacks.
enum { SPARE_THREADS = 3 };

/// How many threads the parallel region may ask for, its opener included. GNU's and LLVM's runtimes end the
/// program where the system refuses them a thread, so the number is tested before.
static int threads_to_ask_for(const qd_team *team) {
    int wanted = team->threads - 1 + SPARE_THREADS;
    int left = qdi_os_threads_to_be_had(wanted) - SPARE_THREADS;
    return left > 0 ? left + 1 : 1;
}

/// Opens the parallel region in which the team's other threads live; there may be fewer than asked for.
static void open_region(void *context) {
    qd_team *team = context;
    bool spins = team->processors ? team->apart : omp_get_num_procs() >= team->threads;
#pragma omp parallel num_threads(threads_to_ask_for(team))
    {
        QDI_RESTORED qdi_arithmetic caller =
            qdi_arithmetic_standard(); // the runtime may lend its threads to others
        int worker = omp_get_thread_num();
        if (worker == 0) {
            qdi_thread_pool_wait_dismissed(team->pool);
        } else {
            qdi_os_affinity before;
            bool bound = team->processors && qdi_os_bind(team->processors[worker], &before);
            qdi_thread_pool_serve(team->pool, worker, spins);
            if (bound) qdi_os_unbind(&before);
        }
    }
}

/// Starts the team's threads, at the first loop that is worth sharing. Where that fails the caller works
/// alone, which changes no result.
static void start_threads(qd_team *team) {
    if (qdi_thread_start(qd_allocator_default(), open_region, team, &team->opener) != QD_OK)
        team->no_threads = true;
}

/// Ends the team's threads and waits for them.
static void stop_threads(qd_team *team) {
    if (!team->opener) return;
    qdi_thread_pool_dismiss(team->pool);
    qdi_thread_join(team->opener);
    team->opener = NULL;
}

void qd_team_destroy(qd_team *team) {
    if (!team) return;
    stop_threads(team);
    qdi_thread_pool_destroy(team->pool);
    const qd_allocator *allocator = team->allocator;
    size_t threads = (size_t)team->threads;
    qdi_release(allocator, team->processors, threads, sizeof *team->processors);
    qdi_release(allocator, team->busy_ns, threads * LINE, sizeof *team->busy_ns);
    qdi_release(allocator, team->blocks, threads * LINE, sizeof *team->blocks);
    qdi_release(allocator, team->busy_out, threads, sizeof *team->busy_out);
    qdi_release(allocator, team->counts, team->counts_room, sizeof *team->counts);
    qdi_release(allocator, team, 1, sizeof *team);
}

/// Whether no number is in the list twice.
static bool all_differ(const int *numbers, int count) {
    for (int i = 1; i < count; ++i)
        for (int k = 0; k < i; ++k)
            if (numbers[i] == numbers[k]) return false;
    return true;
}

qd_status qdi_team_bind(qd_team *team, const int *processors, size_t count) {
    size_t threads = (size_t)team->threads;
    int *bound = count > 0 ? qdi_allocate(team->allocator, threads, sizeof *bound) : NULL;
    if (count > 0 && !bound) return QD_ERR_MEMORY;
    for (size_t k = 0; k < threads && count > 0; ++k) bound[k] = processors[k % count];
    if (team->opener) {
        stop_threads(team); // those of the next loop are bound as they begin
        qdi_thread_pool_reopen(team->pool);
    }
    qdi_release(team->allocator, team->processors, threads, sizeof *team->processors);
    team->processors = bound;
    team->apart = bound && all_differ(bound, team->threads);
    return QD_OK;
}

int qd_team_threads(const qd_team *team) {
    return team->threads;
}

void qdi_team_use(qd_team *team, int most) {
    team->used = most > 0 && most < team->limit ? most : team->limit;
}

void qdi_team_limit(qd_team *team, int most) {
    team->limit = most > 0 && most < team->threads ? most : team->threads;
    team->used = team->limit;
}

int qdi_team_used(const qd_team *team) {
    return team->used;
}

void qdi_team_waited(qd_team *team, int worker, uint64_t ns) {
    team->busy_ns[worker * LINE] -= ns;
}

void qdi_team_rest(qd_team *team, uint64_t waited_ns) {
    if (team->pool) qdi_thread_pool_rest(team->pool, waited_ns);
}

uint64_t qdi_clock_ns(void) {
    return (uint64_t)(omp_get_wtime() * 1e9);
}

const uint64_t *qdi_team_busy_ns(const qd_team *team) {
    for (int worker = 0; worker < team->threads; ++worker) {
        team->busy_out[worker] = team->busy_ns[worker * LINE];
    }
    return team->busy_out;
}

qdi_team_times qdi_team_loop_times(const qd_team *team) {
    return team->times;
}

/// What a loop does with each range: one of the two functions.
typedef struct loop_body {
    qdi_range_function range;
    qdi_worker_function worker;
    void *context;
} loop_body;

// Runs one range of a parallel loop on the thread of this worker.
static inline void run_range(const loop_body *body, size_t begin, size_t end, int worker) {
    if (body->range)
        body->range(body->context, begin, end);
    else
        body->worker(body->context, begin, end, worker);
}

/// A loop whose ranges the threads of the team share.
typedef struct shared_loop {
    qd_team *team;
    size_t count, grain, ranges, blocks;
    uint64_t number; // of the loop
    loop_body body;
} shared_loop;

/// A block's word has the number of its last loop above the ranges of it that were taken, so that nobody has
/// to write all of them before a loop begins: one of an earlier loop means none.
enum { TAKEN_BITS = 28 };

/// Takes a range of a block; false where all are taken.
static bool take_range(const shared_loop *loop, size_t block, size_t *range) {
    const size_t begin = block * loop->ranges / loop->blocks,
                 count = (block + 1) * loop->ranges / loop->blocks - begin;
    uint64_t *word = &loop->team->blocks[block * LINE], seen = __atomic_load_n(word, __ATOMIC_RELAXED);
    for (;;) {
        const uint64_t taken = seen >> TAKEN_BITS == loop->number ? seen & ((UINT64_C(1) << TAKEN_BITS) - 1)
                                                                  : 0;
        if (taken >= count) return false;
        if (__atomic_compare_exchange_n(word, &seen, loop->number << TAKEN_BITS | (taken + 1), true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            *range = begin + taken;
            return true;
        }
    }
}

// Runs a worker's part of a shared loop. Takes ranges from its own block first, so that from step to step a
// thread finds its data in its cache, then from the others', so that a slow thread delays no other.
static void run_shared_loop(void *context, int worker) {
    const shared_loop *loop = context;
    uint64_t start = qdi_clock_ns();
    for (size_t turn = 0; turn < loop->blocks; ++turn) {
        size_t range, block = ((size_t)worker + turn) % loop->blocks;
        while (take_range(loop, block, &range)) {
            size_t begin = range * loop->grain;
            size_t left = loop->count - begin;
            run_range(&loop->body, begin, left < loop->grain ? loop->count : begin + loop->grain, worker);
        }
    }
    loop->team->busy_ns[worker * LINE] += qdi_clock_ns() - start;
}

/// Runs all ranges of a loop in order, on the caller's thread.
static void run_loop_alone(qd_team *team, size_t count, size_t grain, const loop_body *body) {
    uint64_t start = qdi_clock_ns();
    for (size_t begin = 0; begin < count; begin += grain) {
        run_range(body, begin, count - begin < grain ? count : begin + grain, 0);
    }
    uint64_t took = qdi_clock_ns() - start;
    team->busy_ns[0] += took;
    team->times.loop_ns += took;
    if (team->threads > 1) team->times.alone_ns += took;
}

// Runs a parallel loop on the threads of a team, or alone where threads would not pay.
static void run_loop(qd_team *team, size_t count, size_t grain, const loop_body *body) {
    if (count == 0) return;
    size_t ranges = qdi_range_count(count, grain);
    size_t most = ranges < (size_t)team->used ? ranges : (size_t)team->used;
    if (most > 1 && !team->opener && !team->no_threads) start_threads(team);
    if (team->processors) qdi_os_move(team->processors[0]); // the caller's thread is not the team's to bind
    if (most == 1 || team->no_threads) {
        run_loop_alone(team, count, grain, body);
        return;
    }
    uint64_t before = qdi_clock_ns();
    team->loops += 1;
    shared_loop loop = {team, count, grain, ranges, most, team->loops, *body};
    // Sleeping workers are woken only for more than two ranges: a wake-up costs about as much as a range.
    (void)qdi_thread_pool_run(team->pool, (int)most, ranges > 2, run_shared_loop, &loop);
    team->times.loop_ns += qdi_clock_ns() - before;
}

void qdi_team_for(qd_team *team, size_t count, size_t grain, qdi_range_function function, void *context) {
    run_loop(team, count, grain, &(loop_body){.range = function, .context = context});
}

void qdi_team_for_workers(qd_team *team, size_t count, size_t grain, qdi_worker_function function,
                          void *context) {
    run_loop(team, count, grain, &(loop_body){.worker = function, .context = context});
}

/// Team: zeroes a range of bytes.
static void zero_range(void *context, size_t begin, size_t end) {
    memset((unsigned char *)context + begin, 0, end - begin);
}

void qdi_team_zero(qd_team *team, void *memory, size_t bytes) {
    enum { GRAIN = 1 << 14 };
    qdi_team_for(team, bytes, GRAIN, zero_range, memory);
}

size_t qdi_exclusive_scan(size_t *values, size_t count) {
    size_t sum = 0;
    for (size_t i = 0; i < count; ++i) {
        size_t value = values[i];
        values[i] = sum;
        sum += value;
    }
    return sum;
}

qd_status qdi_team_counts(qd_team *team, size_t count, size_t **counts) {
    qd_status status = qdi_reserve(team->allocator, &team->counts, &team->counts_room, 0, count,
                                   sizeof *team->counts);
    *counts = team->counts;
    return status;
}

void qdi_team_join(qd_team *team, qdi_ranks *ranks) {
    team->ranks = ranks;
}

qdi_ranks *qdi_team_ranks(const qd_team *team) {
    return team->ranks;
}
