// The thread pool of a team: how its worker threads wait for loops, and how the leader waits for them.
//
// OpenMP's own waiting has two faults where other programs use the processors too: at the end of every
// parallel region it waits for every thread, also for one that had no processor meanwhile and nothing to do;
// and GNU's runtime waits by spinning for many milliseconds, which takes the processor from just the thread
// that is waited for. A step of many short loops can so take fifty times as long with two threads as with
// one. Here the leader waits only for workers that have entered the loop, and a waiting thread spins for at
// most 0.5 ms, then sleeps.
//
// One wait is left: for a worker that has entered a loop and then lost its processor. Other programs are
// using the processors then, and the next loops would suffer too. So the leader works alone for ten times as
// long as it has waited.
//
// The leader has one atomic word, the gate, and each worker one, its place; each lies in a line of the cache
// of its own, and only its owner writes it, so that threads that come and go do not get into each other's
// way:
//
//     gate   | number of the loop, 32 bits | most, 12 | - | dismissed | open |
//     place  |                                                  | inside |
//
// The leader writes the loop's function and context while the gate is shut and no worker is inside, then
// opens it with a new number (A). A worker says at its place that it is inside (B), then loads the gate once
// more (C): if it is open still, with the number that it has seen, the loop is its own until it says at its
// place that it has left. The leader, its own part done, shuts the gate (D) and waits until no place says
// inside (E): then all that workers wrote is visible (they leave with release, it loads with acquire), and
// the next loop may be written. B to E are sequentially consistent, so they have one order: where C finds the
// gate open it comes before D, and so does B, and E finds the worker. So a worker never sees half a loop, and
// cannot enter one that is over.
//
// A worker sleeps in a monitor, and only a wake-up by the leader ends that sleep. No wake-up is lost, because
// of two rules.
//
//  1. `asleep` is written only inside the monitor. A worker sets it in the same visit in which it begins to
//     wait; the leader clears it in the same visit in which it wakes all. So while a worker waits that has
//     not been woken, `asleep` is true.
//  2. The worker sets `asleep` (C) and then loads the gate once more (D); it waits only where the gate is
//     still the old one. The leader opens the gate (A) and then loads `asleep` (B). All four are sequentially
//     consistent, so they have one order.
//
// Let the leader open the gate while a worker is about to sleep, or sleeps. If B gives true, the leader
// enters the monitor after A and wakes all. A worker that waits is woken; one that is inside the monitor
// reaches its wait first, for the leader cannot enter before; one that enters later finds the new gate. If B
// gives false, either C comes after B, then D comes after A and finds the new gate; or `asleep` was cleared
// between C and B, which only the leader does, for an earlier loop: then, by rule 1, the worker was woken and
// loads the gate again. In each case the worker is awake, or is being woken, when the leader continues. A
// worker that leaves the monitor does not clear `asleep`, because others may be waiting. The cost is at most
// one wake-up of no one.
//
// The leader's own sleep is the same with the parts exchanged: it sets `leader_asleep` and then loads the
// places inside its monitor; a worker leaves its place and then loads `leader_asleep`.
#include "core/parallel/thread_pool.h"

#include "core/base/memory.h"
#include "core/base/os.h"
#include "core/parallel/parallel.h"

#include <quadrille/team.h>
#include <stdatomic.h>
#include <stdint.h>

enum { OPEN = 1, DISMISSED = 2, INSIDE = 1, MOST_SHIFT = 20, LOOP_SHIFT = 32, COUNT_MASK = 0xfff };
_Static_assert(QD_TEAM_MAX <= COUNT_MASK, "all threads of a team must fit");

/// Words between the places of two workers: with what a processor fetches beside a line of the cache.
enum { APART = 16 };

/// How often a spinning thread looks between two readings of the clock.
enum { SPINS_PER_CLOCK = 32 };
/// How long a worker spins for the next loop before it sleeps, and the leader for the last workers. Neither
/// yields in between: Linux schedules a yielding thread after all other runnable ones, while a sleeping
/// thread is woken in time.
static const uint64_t spin_ns = 500000, leader_spin_ns = 50000;

/// After a wait for a worker that had lost its processor the leader works alone for this many times as long;
/// waits shorter than long_wait_ns do not count.
enum { ALONE_TIMES = 10 };
static const uint64_t long_wait_ns = 300000;

struct qdi_thread_pool {
    _Atomic uint64_t gate;
    char apart[8 * APART - sizeof(uint64_t)]; // spinning workers read the gate: it has a line of its own
    _Atomic uint64_t *places;                 // of workers, from number 1 on, APART words from each other
    int workers;
    qdi_thread_pool_function function;
    void *context;
    _Atomic bool asleep; // a worker waits that has not been woken since it began to
    _Atomic bool leader_asleep,
        preempted;        // preempted: a worker that the leader waited for lost its processor
    uint64_t alone_until; // only the leader uses it
    const qd_allocator *allocator;
    qdi_monitor *bench, *leader, *dismissal; // where workers sleep, and the leader; dismissal: for the thread
                                             // that waits for the pool's end only
};

// How many threads the loop takes, the leader included: those of the lowest numbers.
static int threads_allowed_by_gate(uint64_t gate) {
    return (int)(gate >> MOST_SHIFT & COUNT_MASK);
}

// The number of the loop that the gate was last opened for.
static uint64_t loop_number_of_gate(uint64_t gate) {
    return gate >> LOOP_SHIFT;
}

// Where a worker says whether it is in the loop.
static _Atomic uint64_t *place_of_worker(const qdi_thread_pool *pool, int worker) {
    return &pool->places[(worker - 1) * APART];
}

void qdi_thread_pool_reopen(qdi_thread_pool *pool) {
    atomic_init(&pool->gate, 0);
    for (int w = 1; w <= pool->workers; ++w) atomic_init(place_of_worker(pool, w), 0);
    atomic_init(&pool->asleep, false);
    atomic_init(&pool->leader_asleep, false);
    atomic_init(&pool->preempted, false);
    pool->alone_until = 0;
}

qd_status qdi_thread_pool_create(const qd_allocator *allocator, int workers, qdi_thread_pool **pool) {
    qdi_thread_pool *made = qdi_allocate(allocator, 1, sizeof *made);
    *pool = NULL;
    if (!made) return QD_ERR_MEMORY;
    made->allocator = allocator;
    made->workers = workers;
    made->bench = made->leader = made->dismissal = NULL;
    made->places = qdi_allocate(allocator, (size_t)workers * APART, sizeof *made->places);
    qd_status status = made->places ? QD_OK : QD_ERR_MEMORY;
    if (status == QD_OK) qdi_thread_pool_reopen(made);
    if (status == QD_OK) status = qdi_monitor_create(allocator, &made->bench);
    if (status == QD_OK) status = qdi_monitor_create(allocator, &made->leader);
    if (status == QD_OK) status = qdi_monitor_create(allocator, &made->dismissal);
    if (status == QD_OK)
        *pool = made;
    else
        qdi_thread_pool_destroy(made);
    return status;
}

void qdi_thread_pool_destroy(qdi_thread_pool *pool) {
    if (!pool) return;
    qdi_monitor_destroy(pool->bench);
    qdi_monitor_destroy(pool->leader);
    qdi_monitor_destroy(pool->dismissal);
    qdi_release(pool->allocator, pool->places, (size_t)pool->workers * APART, sizeof *pool->places);
    qdi_release(pool->allocator, pool, 1, sizeof *pool);
}

// ---- the workers ----

// Wakes all threads that sleep in a monitor.
static void wake_monitor(qdi_monitor *monitor) {
    qdi_monitor_enter(monitor);
    qdi_monitor_wake_all(monitor);
    qdi_monitor_leave(monitor);
}

// True where the gate is of another loop than the one seen last, or dismissed.
static bool gate_is_new(uint64_t gate, uint64_t seen) {
    return loop_number_of_gate(gate) != seen || (gate & DISMISSED);
}

/// A worker sleeps until the leader opens a new loop.
/// Sleeps until the gate is new. `asleep` is set only before a wait: set by a worker that was just woken it
/// would cost the leader another wake-up.
static uint64_t worker_sleep_until_new_loop(qdi_thread_pool *pool, uint64_t seen) {
    qdi_monitor_enter(pool->bench);
    uint64_t gate = atomic_load(&pool->gate);
    while (!gate_is_new(gate, seen)) {
        atomic_store(&pool->asleep, true);
        gate = atomic_load(&pool->gate);
        if (gate_is_new(gate, seen)) break;
        qdi_monitor_wait(pool->bench);
        gate = atomic_load(&pool->gate);
    }
    qdi_monitor_leave(pool->bench);
    return gate;
}

/// A worker waits, spinning at first, until the leader opens another loop than the one seen last or dismisses
/// it.
static uint64_t worker_wait_for_new_loop(qdi_thread_pool *pool, uint64_t seen, bool spins) {
    uint64_t start = 0;
    for (unsigned turn = 1;; ++turn) {
        uint64_t gate = atomic_load_explicit(&pool->gate, memory_order_acquire);
        if (gate_is_new(gate, seen)) return gate;
        if (!spins) break;
        qdi_os_relax();
        if (turn % SPINS_PER_CLOCK != 0) continue;
        uint64_t now = qdi_clock_ns();
        if (start == 0) start = now;
        if (now - start >= spin_ns) break;
    }
    return worker_sleep_until_new_loop(pool, seen);
}

/// A worker leaves the loop, also one that it came too late for, and wakes a leader that sleeps for it.
/// `preemptions`: how often the worker lost its processor, as it was when last read.
static void worker_leave_loop(qdi_thread_pool *pool, int worker, uint64_t *preemptions) {
    if (atomic_load(&pool->leader_asleep)) {
        uint64_t before = *preemptions;
        *preemptions = qdi_os_preemptions();
        if (*preemptions != before) atomic_store(&pool->preempted, true);
    }
    atomic_store(place_of_worker(pool, worker), 0);
    if (atomic_load(&pool->leader_asleep)) wake_monitor(pool->leader);
}

void qdi_thread_pool_serve(qdi_thread_pool *pool, int worker, bool spins) {
    uint64_t seen = 0, preemptions = 0;
    for (;;) {
        uint64_t gate = worker_wait_for_new_loop(pool, seen, spins);
        if (gate & DISMISSED) return;
        seen = loop_number_of_gate(gate);
        if (!(gate & OPEN) || worker >= threads_allowed_by_gate(gate)) continue;
        atomic_store(place_of_worker(pool, worker), INSIDE);
        if (atomic_load(&pool->gate) == gate) pool->function(pool->context, worker);
        worker_leave_loop(pool, worker, &preemptions);
    }
}

void qdi_thread_pool_wait_dismissed(qdi_thread_pool *pool) {
    qdi_monitor_enter(pool->dismissal);
    while (!(atomic_load(&pool->gate) & DISMISSED)) qdi_monitor_wait(pool->dismissal);
    qdi_monitor_leave(pool->dismissal);
}

// ---- the leader ----

// Wakes all workers of the pool.
static void wake_workers(qdi_thread_pool *pool) {
    qdi_monitor_enter(pool->bench);
    atomic_store(&pool->asleep, false);
    qdi_monitor_wake_all(pool->bench);
    qdi_monitor_leave(pool->bench);
}

// True where a worker is in the loop.
static bool is_any_inside(const qdi_thread_pool *pool, int threads) {
    for (int w = 1; w < threads && w <= pool->workers; ++w)
        if (atomic_load(place_of_worker(pool, w)) & INSIDE) return true;
    return false;
}

// The leader sleeps until no worker is in the loop.
static void leader_sleep_until_empty(qdi_thread_pool *pool, int threads) {
    qdi_monitor_enter(pool->leader);
    atomic_store(&pool->leader_asleep, true);
    while (is_any_inside(pool, threads)) qdi_monitor_wait(pool->leader);
    atomic_store(&pool->leader_asleep, false);
    qdi_monitor_leave(pool->leader);
}

void qdi_thread_pool_rest(qdi_thread_pool *pool, uint64_t waited_ns) {
    if (waited_ns >= long_wait_ns) pool->alone_until = qdi_clock_ns() + ALONE_TIMES * waited_ns;
}

// The leader waits, spinning at first, until no worker is in the loop.
static void leader_wait_until_empty(qdi_thread_pool *pool, int threads) {
    uint64_t start = 0;
    for (unsigned turn = 1; is_any_inside(pool, threads); ++turn) {
        qdi_os_relax();
        if (turn % SPINS_PER_CLOCK != 0) continue;
        uint64_t now = qdi_clock_ns();
        if (start == 0) start = now;
        if (now - start >= leader_spin_ns) {
            leader_sleep_until_empty(pool, threads);
            if (atomic_exchange(&pool->preempted, false)) qdi_thread_pool_rest(pool, qdi_clock_ns() - start);
            return;
        }
    }
}

bool qdi_thread_pool_run(qdi_thread_pool *pool, int most, bool wake_sleepers,
                         qdi_thread_pool_function function, void *context) {
    if (pool->alone_until > 0) {
        if (qdi_clock_ns() < pool->alone_until) {
            function(context, 0);
            return false;
        }
        pool->alone_until = 0;
    }
    pool->function = function;
    pool->context = context;
    uint64_t loop = loop_number_of_gate(atomic_load_explicit(&pool->gate, memory_order_relaxed)) + 1;
    loop &= UINT32_MAX;
    uint64_t open = loop << LOOP_SHIFT | (uint64_t)most << MOST_SHIFT | OPEN;
    atomic_store(&pool->gate, open);
    if (wake_sleepers && atomic_load(&pool->asleep)) wake_workers(pool);
    function(context, 0);
    atomic_store(&pool->gate, open & ~(uint64_t)OPEN);
    leader_wait_until_empty(pool, most);
    return true;
}

void qdi_thread_pool_dismiss(qdi_thread_pool *pool) {
    atomic_fetch_or(&pool->gate, DISMISSED);
    wake_workers(pool);
    wake_monitor(pool->dismissal);
}
