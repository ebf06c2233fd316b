// The protocol of the pool in every order in which its threads can take turns, as far as they lose their
// processor no more than a few times. The code under test is thread_pool.c itself, compiled here with atomics
// and monitors that are a model's: each access of memory that threads share is a point where another thread
// may go on. A schedule is the list of decisions at these points; all schedules are run one after another. A
// wake-up that is lost leaves nobody who can go on, and a worker that is in a loop before it begins or after
// it is over is seen there. (Orders that only a weak memory shows are not among
// these; thread_pool.c says why its accesses need not fear them.)
#include "core/base/os.h"
#include "core/parallel/parallel.h"
#include "core/parallel/thread_pool.h"
#include "tests/support/harness.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <ucontext.h>

enum { THREADS_MOST = 3, POINTS_MOST = 4096, STACK = 1 << 16, LOOPS = 3 };

typedef enum state { READY, WAITS_TO_ENTER, WAITS, WAITS_TO_MEET, DONE } state;

struct qdi_monitor {
    bool held;
};

/// A thread of the model.
typedef struct actor {
    ucontext_t context;
    state state;
    const qdi_monitor *monitor; // that it waits for
    char stack[STACK];
} actor;

/// One schedule on its way. At a point with more than one way to go on, `chosen` is which of `ways` is taken.
static struct model {
    actor actors[THREADS_MOST];
    ucontext_t outside;
    int count, now, interrupted, interrupted_most;
    struct {
        int chosen, ways;
    } points[POINTS_MOST];
    int loop;       // that the leader is in, or was last
    int used, made; // points passed in this schedule; points that are decided
    qdi_monitor monitors[3];
    int monitor_count, met;
    uint64_t clock_ns;
    qdi_thread_pool *pool;
    bool in_loop; // the leader is
    bool stuck, too_long, astray;
} model;

// ---- turns ----

/// Decides who goes on: the one that has the processor, where it can, is way 0.
static int choose(void) {
    int ways[THREADS_MOST], count = 0;
    bool able = model.actors[model.now].state == READY;
    if (able) ways[count++] = model.now;
    for (int a = 0; a < model.count && !(able && model.interrupted == model.interrupted_most); ++a)
        if (a != model.now && model.actors[a].state == READY) ways[count++] = a;
    if (count == 0) return -1;
    if (count == 1) return ways[0];
    if (model.used == POINTS_MOST) {
        model.too_long = true;
        return ways[0];
    }
    if (model.used == model.made) {
        model.points[model.made].chosen = 0;
        model.points[model.made++].ways = count;
    }
    int way = model.points[model.used++].chosen;
    model.interrupted += able && way > 0;
    return ways[way];
}

static void take_turns(void) {
    int before = model.now, next = choose();
    if (next == before) return;
    if (next < 0) {
        for (int a = 0; a < model.count; ++a) model.stuck = model.stuck || model.actors[a].state != DONE;
        (void)setcontext(&model.outside);
    }
    model.now = next;
    (void)swapcontext(&model.actors[before].context, &model.actors[next].context);
}

static void wait_as(state how, const qdi_monitor *monitor) {
    actor *self = &model.actors[model.now];
    self->state = how;
    self->monitor = monitor;
    take_turns();
}

static void release_all(state how, const qdi_monitor *monitor) {
    for (int a = 0; a < model.count; ++a)
        if (model.actors[a].state == how && model.actors[a].monitor == monitor) model.actors[a].state = READY;
}

// ---- what thread_pool.c uses ----

static qd_status monitor_create(const qd_allocator *allocator, qdi_monitor **monitor) {
    (void)allocator;
    *monitor = &model.monitors[model.monitor_count++];
    (*monitor)->held = false;
    return QD_OK;
}

static void monitor_enter(qdi_monitor *monitor) {
    take_turns();
    while (monitor->held) wait_as(WAITS_TO_ENTER, monitor);
    monitor->held = true;
}

static void monitor_leave(qdi_monitor *monitor) {
    monitor->held = false;
    release_all(WAITS_TO_ENTER, monitor);
}

static void monitor_wait(qdi_monitor *monitor) {
    monitor_leave(monitor);
    wait_as(WAITS, monitor);
    monitor_enter(monitor);
}

static void monitor_wake_all(qdi_monitor *monitor) {
    release_all(WAITS, monitor);
}

static uint64_t clock_ns(void) {
    return model.clock_ns += 60000; // who looks at the clock twice has waited for long enough to sleep
}

static uint64_t load_w(const _Atomic uint64_t *word) {
    take_turns();
    return atomic_load(word);
}

static bool load_b(const _Atomic bool *flag) {
    take_turns();
    return atomic_load(flag);
}

static void store_word(_Atomic uint64_t *word, uint64_t value) {
    take_turns();
    atomic_store(word, value);
}

static void store_flag(_Atomic bool *flag, bool value) {
    take_turns();
    atomic_store(flag, value);
}

static bool exchange_flag(_Atomic bool *flag, bool value) {
    take_turns();
    return atomic_exchange(flag, value);
}

static uint64_t unite(_Atomic uint64_t *word, uint64_t value) {
    take_turns();
    return atomic_fetch_or(word, value);
}

#undef atomic_load
#undef atomic_load_explicit
#undef atomic_store
#undef atomic_exchange
#undef atomic_fetch_or
#define atomic_load(p)                  _Generic((p), _Atomic uint64_t * : load_w, _Atomic bool * : load_b)(p)
#define atomic_load_explicit(at, order) atomic_load(at)
#define atomic_store(at, value)                                                                              \
    _Generic((at), _Atomic uint64_t * : store_word, _Atomic bool * : store_flag)(at, value)
#define atomic_exchange(at, value)   exchange_flag(at, value)
#define atomic_fetch_or(at, value)   unite(at, value)
#define qdi_monitor_create           monitor_create
#define qdi_monitor_destroy(monitor) (void)(monitor)
#define qdi_monitor_enter            monitor_enter
#define qdi_monitor_leave            monitor_leave
#define qdi_monitor_wait             monitor_wait
#define qdi_monitor_wake_all         monitor_wake_all
#define qdi_clock_ns                 clock_ns
#define qdi_os_relax()               (void)0
#define qdi_os_preemptions()         0
// The code under test, with the names above.
#include "core/parallel/thread_pool.c" // NOLINT(bugprone-suspicious-include)

// ---- the story: a loop to which all come, a short one, a loop to which all must come again ----

/// A loop's context is its number: none but the present one's may be seen, from the begin to the end.
static void attend(const int *loop) {
    const int number = *loop;
    model.astray = model.astray || !model.in_loop || number != model.loop;
    take_turns();
    model.astray = model.astray || !model.in_loop || number != model.loop;
}

static void meet(void *context, int worker) {
    attend(context);
    if (worker > 0)
        model.met += 1;
    else
        while (model.met < model.count - 1) wait_as(WAITS_TO_MEET, NULL);
    release_all(WAITS_TO_MEET, NULL);
}

static void do_nothing(void *context, int worker) {
    (void)worker;
    attend(context);
}

static void play(int number) {
    if (number > 0) {
        qdi_thread_pool_serve(model.pool, number, false);
    } else {
        for (int loop = 0; loop < LOOPS; ++loop) {
            model.met = 0;
            model.loop = loop;
            model.in_loop = true;
            (void)qdi_thread_pool_run(model.pool, model.count, true, loop == 1 ? do_nothing : meet, &loop);
            model.in_loop = false;
        }
        qdi_thread_pool_dismiss(model.pool);
    }
    wait_as(DONE, NULL);
}

/// Runs the schedule that is decided so far, and on with nobody interrupted.
static void run_schedule(void) {
    model.used = model.interrupted = model.now = model.monitor_count = 0;
    model.in_loop = false;
    ck_assert_int_eq(qdi_thread_pool_create(qd_allocator_default(), model.count - 1, &model.pool), QD_OK);
    for (int a = 0; a < model.count; ++a) {
        actor *made = &model.actors[a];
        made->state = READY;
        (void)getcontext(&made->context);
        made->context.uc_stack.ss_sp = made->stack;
        made->context.uc_stack.ss_size = sizeof made->stack;
        makecontext(&made->context, (void (*)(void))(uintptr_t)play, 1, a);
    }
    (void)swapcontext(&model.outside, &model.actors[0].context);
    qdi_thread_pool_destroy(model.pool);
}

/// To the next schedule: the last decision that can be another one is.
static bool decide_again(void) {
    while (model.made > 0) {
        if (++model.points[model.made - 1].chosen < model.points[model.made - 1].ways) return true;
        model.made -= 1;
    }
    return false;
}

static const struct { int workers, interrupted_most; } cases[] = {{1, 2}, {1, 3}, {2, 2}};

QD_TEST_LOOP(no_order_loses_a_wake_up, 0, (int)(sizeof cases / sizeof cases[0])) {
    if (QD_TEST_THREAD_SANITIZER) return; // it knows nothing of a thread with several stacks
    size_t schedules = 0;
    memset(&model, 0, sizeof model);
    model.count = cases[_i].workers + 1;
    model.interrupted_most = cases[_i].interrupted_most;
    do {
        run_schedule();
        schedules += 1;
        ck_assert_msg(!model.stuck, "%d workers: no thread can continue in schedule %zu", cases[_i].workers,
                      schedules);
        ck_assert_msg(!model.astray, "%d workers: one is in a loop that is over in schedule %zu",
                      cases[_i].workers, schedules);
        ck_assert(!model.too_long);
    } while (decide_again());
    ck_assert_uint_gt(schedules, 500);
}

QD_TEST_MAIN("thread_pool_order", 120, NULL, NULL)
