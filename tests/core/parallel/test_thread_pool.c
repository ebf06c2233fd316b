// The threads of a team between its loops: who takes part in each, alone and beside a process that uses a
// processor all the time. A worker that is never woken again changes no result; only a count of who
// came shows it.
#define _GNU_SOURCE // prctl
#include "core/base/os.h"
#include "core/parallel/parallel.h"
#include "core/parallel/thread_pool.h"
#include "tests/support/harness.h"

#include <quadrille/random.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#    include <sys/prctl.h>
#endif

enum {
    WORKERS_MOST = 3,
    PIECES = 8,
    PIECE_NS = 4000,
    MEET_NS = 100000,
    MISSED_MOST = 1000,
    REST_AT = MISSED_MOST / 2,
    REST_MOST = 20000
};

/// A loop of so much work as those of a step with 5,000 bodies, and who took part in it.
typedef struct work {
    atomic_int next; // piece of the work
    atomic_bool came[WORKERS_MOST + 1];
    int workers; // that may come
    int wanted;  // workers; where not 0, the leader has no pieces but waits until so many have come, for some
                 // time
    bool rest;   // the leader sleeps in this loop until all have come, however long they lack a processor; at
                 // most REST_MOST times
} work;

static void wait_ns(uint64_t ns) {
    uint64_t until = qdi_clock_ns() + ns;
    while (qdi_clock_ns() < until) {
    }
}

static bool all_came(work *loop, int workers) {
    for (int h = 1; h <= workers; ++h)
        if (!atomic_load(&loop->came[h])) return false;
    return true;
}

static void take_part(void *context, int worker) {
    work *loop = context;
    atomic_store(&loop->came[worker], true);
    for (int k = 0; worker == 0 && k < REST_MOST && loop->rest && !all_came(loop, loop->workers); ++k)
        (void)nanosleep(&(struct timespec){0, 1000000}, NULL);
    if (loop->wanted == 0) {
        while (atomic_fetch_add(&loop->next, 1) < PIECES) wait_ns(PIECE_NS);
    } else if (worker == 0) {
        uint64_t until = qdi_clock_ns() + MEET_NS;
        while (!all_came(loop, loop->wanted) && qdi_clock_ns() < until) {
        }
    }
}

typedef struct pool_thread {
    qdi_thread_pool *pool;
    qdi_thread *thread;
    int worker;
    bool patient;
} pool_thread;

static void serve(void *context) {
    const pool_thread *self = context;
    qdi_thread_pool_serve(self->pool, self->worker, self->patient);
}

/// Loops of one pool: how many were shared, of these in how many all workers took part, and the most that a
/// worker missed in a row.
typedef struct attendance {
    size_t loops, shared, full, longest;
    size_t missed[WORKERS_MOST + 1]; // by each worker until now
} attendance;

/// Notes who came to a loop that was shared.
static void note(attendance *seen, work *loop, int workers) {
    for (int h = 1; h <= workers; ++h) {
        seen->missed[h] = atomic_load(&loop->came[h]) ? 0 : seen->missed[h] + 1;
        if (seen->missed[h] > seen->longest) seen->longest = seen->missed[h];
    }
    seen->shared += 1;
    seen->full += all_came(loop, workers);
}

static work loop_after(const attendance *seen, int workers) {
    work loop = {.next = 0, .workers = workers};
    for (int h = 1; h <= workers; ++h) loop.rest = loop.rest || seen->missed[h] % MISSED_MOST == REST_AT;
    return loop;
}

/// Loops one after another; now and then none for about as long as workers have patience.
static attendance count_who_comes(qdi_thread_pool *pool, int workers, uint64_t seed) {
    attendance seen = {.loops = qd_test_effort(6000)};
    qd_random random = qd_random_at(seed, 0, 7);
    for (size_t k = 0; k < seen.loops && seen.longest < MISSED_MOST; ++k) {
        work loop = loop_after(&seen, workers);
        if (k % 16 == 0) wait_ns(400000 + qd_random_bits(&random) % 200000);
        if (qdi_thread_pool_run(pool, workers + 1, true, take_part, &loop)) note(&seen, &loop, workers);
    }
    return seen;
}

static void do_next_to_nothing(void *context, int worker) {
    (void)worker;
    wait_ns(*(const uint64_t *)context);
}

/// Loops to which workers come, each with a short one after it that opens just when they are about to fall
/// asleep again: nanoseconds decide whether they see it.
static attendance count_who_sleeps(qdi_thread_pool *pool, int workers, uint64_t seed) {
    attendance seen = {.loops = qd_test_effort(60000)};
    qd_random random = qd_random_at(seed, 0, 7);
    for (size_t k = 0; k < seen.loops && seen.longest < MISSED_MOST; ++k) {
        work loop = loop_after(&seen, workers);
        loop.wanted = workers;
        if (qdi_thread_pool_run(pool, workers + 1, true, take_part, &loop)) note(&seen, &loop, workers);
        wait_ns(qd_random_bits(&random) % 500);
        uint64_t ns = qd_random_bits(&random) % 300;
        (void)qdi_thread_pool_run(pool, workers + 1, true, do_next_to_nothing, &ns);
    }
    return seen;
}

/// A process that uses a processor all the time. It ends with its parent, however that ends.
static pid_t start_busy(void) {
    pid_t child = fork();
    if (child != 0) return child;
    signal(SIGALRM, SIG_DFL);
    alarm(120);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    for (volatile unsigned turn = 0;; ++turn) {
    }
}

static void end_busy(pid_t child) {
    if (child <= 0) return;
    (void)kill(child, SIGKILL);
    (void)waitpid(child, NULL, 0);
}

static const struct {
    const char *name;
    attendance (*count)(qdi_thread_pool *pool, int workers, uint64_t seed);
    int workers;
    bool patient, beside;
} cases[] = {
    {"1 patient worker", count_who_comes, 1, true, false},
    {"1 patient worker beside a process", count_who_comes, 1, true, true},
    {"1 worker", count_who_comes, 1, false, false},
    {"1 worker beside a process", count_who_comes, 1, false, true},
    {"3 patient workers beside a process", count_who_comes, 3, true, true},
    {"3 workers", count_who_comes, 3, false, false},
    {"3 workers beside a process", count_who_comes, 3, false, true},
    {"1 worker that falls asleep", count_who_sleeps, 1, false, false},
    {"1 worker that falls asleep beside a process", count_who_sleeps, 1, false, true},
};

// QD_TEST_TELL=1 prints how many came, also where all is well.
QD_TEST_LOOP(no_hand_stays_away, 0, (int)(sizeof cases / sizeof cases[0])) {
    const int workers = cases[_i].workers;
    pool_thread pool_workers[WORKERS_MOST];
    qdi_thread_pool *pool = NULL;
    pid_t busy = cases[_i].beside ? start_busy() : 0; // before there are threads
    ck_assert_int_ge(busy, 0);
    ck_assert_int_eq(qdi_thread_pool_create(qd_allocator_default(), workers, &pool), QD_OK);
    for (int h = 0; h < workers; ++h) {
        pool_thread *made = &pool_workers[h];
        *made = (pool_thread){pool, NULL, h + 1, cases[_i].patient};
        ck_assert_int_eq(qdi_thread_start(qd_allocator_default(), serve, made, &made->thread), QD_OK);
    }
    attendance seen = cases[_i].count(pool, workers, qd_test_seed(11));
    qdi_thread_pool_dismiss(pool);
    for (int h = 0; h < workers; ++h) qdi_thread_join(pool_workers[h].thread);
    qdi_thread_pool_destroy(pool);
    end_busy(busy);
    char text[200];
    (void)snprintf(text, sizeof text,
                   "%s: %zu loops, %zu of them shared, all came to %zu; %zu missed in a row", cases[_i].name,
                   seen.loops, seen.shared, seen.full, seen.longest);
    if (getenv("QD_TEST_TELL")) puts(text);
    ck_assert_msg(seen.longest < MISSED_MOST, "%s", text);
    ck_assert_msg(seen.shared > 0, "%s", text);
}

QD_TEST_MAIN("thread_pool", 120, NULL, NULL)
