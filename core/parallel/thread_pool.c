// How the threads of a team wait. OpenMP's own way has two faults where other programs use the processors
// too: at the end of every parallel region everybody waits for every thread, also for those that had no
// processor meanwhile and nothing to do; and GNU's runtime waits by spinning for many milliseconds, which
// takes the processor from just the thread that is waited for. A step of many short loops can so take fifty
// times as long with two threads as with one. Here nobody waits for a thread that has not begun, and whoever
// waits looks for a moment only, then gives up the processor, then sleeps.
//
// One wait is left: for a hand that has begun and then lost its processor. Where that happens others have a
// better claim to the processors, and the next loops would fare no better. So the leader works alone for ten
// times as long as it has waited.
//
// All is decided by one word, the gate:
//
//     | number of the loop, 32 bits | most, 12 | inside, 12 | - | dismissed | open |
//
// The leader writes the loop's function and context while the gate is shut and nobody inside, then opens it
// with a new number (release). A hand enters by a compare-and-swap that counts it in (acquire), which fails
// unless the gate is open, of the loop that it has seen, and not full: so it never sees half a loop, and
// cannot enter one that is over. It leaves by counting itself out (release). The leader, its own part done,
// shuts the gate and waits until nobody is inside (acquire): then everything that hands have written is
// there, and the next loop may be written.
//
// A hand sleeps in a monitor, and only a wake-up of the leader ends that sleep. That no wake-up is lost
// follows from two rules.
//
//  1. `asleep` is written inside the monitor only. A hand sets it in the same visit in which it begins to
//     wait; the leader clears it in the same visit in which it wakes all. So while a hand waits that nobody
//     has woken, `asleep` is true.
//  2. The hand sets `asleep` (C) and then loads the gate once more (D); it waits only where the gate is still
//     the old one. The leader opens the gate (A) and then loads `asleep` (B). All four are sequentially
//     consistent, so they have one order.
//
// Let the leader open the gate while a hand is on its way to sleep, or sleeps. If B gives true, the leader
// enters the monitor after A and wakes all. A hand that waits is woken; one that is inside the monitor
// reaches its wait first, for the leader cannot enter before; one that enters later finds the new gate. If B
// gives false, either C comes after B, then D comes after A and finds the new gate; or `asleep` was cleared
// between C and B, which only the leader does, for an earlier loop: then, by rule 1, the hand was woken and
// looks at the gate again. In each case the hand is awake, or is being woken, after the leader has gone on.
// A hand that leaves the monitor clears nothing: it does not know whether others wait. At worst the leader
// wakes nobody once.
//
// The leader's own sleep is the same with the parts exchanged: it sets `leader_asleep` and then loads the
// gate inside its monitor; the last hand counts itself out of the gate and then loads `leader_asleep`.
#include "core/parallel/thread_pool.h"

#include "core/base/memory.h"
#include "core/base/os.h"
#include "core/parallel/parallel.h"

#include <quadrille/team.h>
#include <stdatomic.h>
#include <stdint.h>

enum { OPEN = 1, DISMISSED = 2, INSIDE_SHIFT = 8, MOST_SHIFT = 20, LOOP_SHIFT = 32, COUNT_MASK = 0xfff };
_Static_assert(QD_TEAM_MAX <= COUNT_MASK, "all threads of a team must fit");

/// Turns of looking between two looks at the clock.
enum { TURNS = 32 };
/// How long a hand looks out for the next loop before it sleeps, and the leader for the last hands. Nobody
/// yields in between: Linux lets who does wait for all others that want the processor, while who sleeps is
/// woken in time.
static const uint64_t patience_ns = 500000, leader_patience_ns = 50000;

/// After a wait for a hand that had no processor the leader works alone for so many times as long; shorter
/// waits do not count.
enum { ALONE_TIMES = 10 };
static const uint64_t long_wait_ns = 300000;

struct qdi_crew {
    _Atomic uint64_t gate;
    char apart[64 - sizeof(uint64_t)]; // what hands look at all the time has a cache line to itself
    qdi_crew_function function;
    void *context;
    _Atomic bool asleep;                // a hand waits that nobody has woken since it began to
    _Atomic bool leader_asleep, robbed; // robbed: of a processor, somebody that the leader waited for
    uint64_t alone_until;               // the leader's own
    const qd_allocator *allocator;
    qdi_monitor *hands, *leader, *rest; // rest: for the thread that waits for the crew's end only
};

static uint64_t inside(uint64_t gate) {
    return gate >> INSIDE_SHIFT & COUNT_MASK;
}

static uint64_t most_of(uint64_t gate) {
    return gate >> MOST_SHIFT & COUNT_MASK;
}

static uint64_t loop_of(uint64_t gate) {
    return gate >> LOOP_SHIFT;
}

qd_status qdi_crew_create(const qd_allocator *allocator, qdi_crew **crew) {
    qdi_crew *made = qdi_allocate(allocator, 1, sizeof *made);
    *crew = NULL;
    if (!made) return QD_ERR_MEMORY;
    made->allocator = allocator;
    made->hands = made->leader = made->rest = NULL;
    atomic_init(&made->gate, 0);
    atomic_init(&made->asleep, false);
    atomic_init(&made->leader_asleep, false);
    atomic_init(&made->robbed, false);
    made->alone_until = 0;
    qd_status status = qdi_monitor_create(allocator, &made->hands);
    if (status == QD_OK) status = qdi_monitor_create(allocator, &made->leader);
    if (status == QD_OK) status = qdi_monitor_create(allocator, &made->rest);
    if (status == QD_OK)
        *crew = made;
    else
        qdi_crew_destroy(made);
    return status;
}

void qdi_crew_destroy(qdi_crew *crew) {
    if (!crew) return;
    qdi_monitor_destroy(crew->hands);
    qdi_monitor_destroy(crew->leader);
    qdi_monitor_destroy(crew->rest);
    qdi_release(crew->allocator, crew, 1, sizeof *crew);
}

// ---- hands ----

static void wake(qdi_monitor *monitor) {
    qdi_monitor_enter(monitor);
    qdi_monitor_wake_all(monitor);
    qdi_monitor_leave(monitor);
}

static bool is_new(uint64_t gate, uint64_t seen) {
    return loop_of(gate) != seen || (gate & DISMISSED);
}

/// Sleeps until the gate is new. `asleep` is set only before a wait: set by a hand that was just woken it
/// would cost the leader another wake-up.
static uint64_t sleep_until_new(qdi_crew *crew, uint64_t seen) {
    qdi_monitor_enter(crew->hands);
    uint64_t gate = atomic_load(&crew->gate);
    while (!is_new(gate, seen)) {
        atomic_store(&crew->asleep, true);
        gate = atomic_load(&crew->gate);
        if (is_new(gate, seen)) break;
        qdi_monitor_wait(crew->hands);
        gate = atomic_load(&crew->gate);
    }
    qdi_monitor_leave(crew->hands);
    return gate;
}

/// Waits until the gate is of another loop than the one seen last, or shut for good.
static uint64_t wait_until_new(qdi_crew *crew, uint64_t seen, bool patient) {
    uint64_t start = 0;
    for (unsigned turn = 1;; ++turn) {
        uint64_t gate = atomic_load_explicit(&crew->gate, memory_order_acquire);
        if (is_new(gate, seen)) return gate;
        if (!patient) break;
        qdi_os_relax();
        if (turn % TURNS != 0) continue;
        uint64_t now = qdi_clock_ns();
        if (start == 0) start = now;
        if (now - start >= patience_ns) break;
    }
    return sleep_until_new(crew, seen);
}

/// `preemptions`: of this hand, when it looked last.
static void leave(qdi_crew *crew, uint64_t *preemptions) {
    if (atomic_load(&crew->leader_asleep)) {
        uint64_t before = *preemptions;
        *preemptions = qdi_os_preemptions();
        if (*preemptions != before) atomic_store(&crew->robbed, true);
    }
    uint64_t gate = atomic_fetch_sub(&crew->gate, UINT64_C(1) << INSIDE_SHIFT);
    if (inside(gate) != 1 || !atomic_load(&crew->leader_asleep)) return;
    wake(crew->leader);
}

void qdi_crew_serve(qdi_crew *crew, int worker, bool patient) {
    uint64_t seen = 0, preemptions = 0;
    for (;;) {
        uint64_t gate = wait_until_new(crew, seen, patient);
        if (gate & DISMISSED) return;
        seen = loop_of(gate);
        while ((gate & OPEN) && loop_of(gate) == seen && inside(gate) + 1 < most_of(gate)) {
            if (!atomic_compare_exchange_weak_explicit(&crew->gate, &gate,
                                                       gate + (UINT64_C(1) << INSIDE_SHIFT),
                                                       memory_order_acquire, memory_order_relaxed))
                continue;
            crew->function(crew->context, worker);
            leave(crew, &preemptions);
            break;
        }
    }
}

void qdi_crew_rest(qdi_crew *crew) {
    qdi_monitor_enter(crew->rest);
    while (!(atomic_load(&crew->gate) & DISMISSED)) qdi_monitor_wait(crew->rest);
    qdi_monitor_leave(crew->rest);
}

// ---- the leader ----

static void wake_hands(qdi_crew *crew) {
    qdi_monitor_enter(crew->hands);
    atomic_store(&crew->asleep, false);
    qdi_monitor_wake_all(crew->hands);
    qdi_monitor_leave(crew->hands);
}

static void sleep_until_empty(qdi_crew *crew) {
    qdi_monitor_enter(crew->leader);
    atomic_store(&crew->leader_asleep, true);
    while (inside(atomic_load(&crew->gate)) > 0) qdi_monitor_wait(crew->leader);
    atomic_store(&crew->leader_asleep, false);
    qdi_monitor_leave(crew->leader);
}

static void note_wait(qdi_crew *crew, uint64_t start) {
    if (!atomic_exchange(&crew->robbed, false)) return;
    uint64_t now = qdi_clock_ns(), waited = now - start;
    if (waited >= long_wait_ns) crew->alone_until = now + ALONE_TIMES * waited;
}

static void wait_until_empty(qdi_crew *crew) {
    uint64_t start = 0;
    for (unsigned turn = 1; inside(atomic_load_explicit(&crew->gate, memory_order_acquire)) > 0; ++turn) {
        qdi_os_relax();
        if (turn % TURNS != 0) continue;
        uint64_t now = qdi_clock_ns();
        if (start == 0) start = now;
        if (now - start >= leader_patience_ns) {
            sleep_until_empty(crew);
            note_wait(crew, start);
            return;
        }
    }
}

bool qdi_crew_share(qdi_crew *crew, int most, bool wake_sleepers, qdi_crew_function function, void *context) {
    if (crew->alone_until > 0) {
        if (qdi_clock_ns() < crew->alone_until) {
            function(context, 0);
            return false;
        }
        crew->alone_until = 0;
    }
    crew->function = function;
    crew->context = context;
    uint64_t loop = loop_of(atomic_load_explicit(&crew->gate, memory_order_relaxed)) + 1;
    loop &= UINT32_MAX;
    atomic_store(&crew->gate, loop << LOOP_SHIFT | (uint64_t)most << MOST_SHIFT | OPEN);
    if (wake_sleepers && atomic_load(&crew->asleep)) wake_hands(crew);
    function(context, 0);
    uint64_t gate = atomic_fetch_and_explicit(&crew->gate, ~(uint64_t)OPEN, memory_order_acquire);
    if (inside(gate) > 0) wait_until_empty(crew);
    return true;
}

void qdi_crew_dismiss(qdi_crew *crew) {
    atomic_fetch_or(&crew->gate, DISMISSED);
    wake_hands(crew);
    wake(crew->rest);
}
