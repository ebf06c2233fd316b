// Parallel loops: every item once, whatever the team; sums against plain ones.
#define _GNU_SOURCE // setrlimit, sched_getcpu
#include "core/parallel/parallel.h"
#include "tests/support/harness.h"
#include "tests/support/teams.h"

#include <quadrille/random.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const int teams[] = {1, 2, 3, 7};
enum { TEAMS = sizeof teams / sizeof teams[0] };

typedef struct visits {
    size_t count, grain;
    int threads;
    uint8_t *items; // times each was visited; a range has them to itself
    int busy[64];   // by worker, atomic: ranges it is in
    int wrong;      // atomic
} visits;

static void visit_range(void *context, size_t begin, size_t end, int worker) {
    visits *seen = context;
    bool fine = begin < end && end <= seen->count && begin % seen->grain == 0 && worker >= 0 &&
                worker < seen->threads && (end - begin == seen->grain || end == seen->count);
    if (!fine || __atomic_add_fetch(&seen->busy[worker], 1, __ATOMIC_RELAXED) != 1)
        __atomic_store_n(&seen->wrong, 1, __ATOMIC_RELAXED);
    for (size_t i = begin; i < end; ++i) seen->items[i] += 1;
    __atomic_sub_fetch(&seen->busy[worker], 1, __ATOMIC_RELAXED);
}

QD_TEST_LOOP(every_item_once, 0, TEAMS) {
    static const size_t counts[] = {0, 1, 2, 3, 7, 8, 9, 63, 64, 65, 1000, 4097, 100003};
    static const size_t grains[] = {1, 2, 3, 8, 64, 1000, 1000000};
    qd_own(qd_team) team = make_team(teams[_i]);
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c) {
        for (size_t g = 0; g < sizeof grains / sizeof grains[0]; ++g) {
            if (counts[c] / grains[g] > 2000 && teams[_i] > 4) continue;
            visits seen = {.count = counts[c], .grain = grains[g], .threads = teams[_i]};
            seen.items = qd_test_zeros(counts[c] + 1, 1);
            qdi_team_for_workers(team, counts[c], grains[g], visit_range, &seen);
            ck_assert_int_eq(seen.wrong, 0);
            size_t once = 0;
            for (size_t i = 0; i < counts[c]; ++i) once += seen.items[i] == 1;
            ck_assert_uint_eq(once, counts[c]);
            ck_assert_uint_eq(seen.items[counts[c]], 0);
            free(seen.items);
        }
    }
}

static void note_worker(void *context, size_t begin, size_t end, int worker) {
    (void)end;
    uint64_t until = qdi_clock_ns() + 200000;
    while (qdi_clock_ns() < until) {
    }
    ((int *)context)[begin] = worker;
}

QD_TEST(work_is_shared_and_clocked) {
    qd_own(qd_team) team = make_team(2);
    int worker_of[64];
    qdi_team_for_workers(team, 64, 1, note_worker, worker_of);
    const uint64_t *busy = qdi_team_busy_ns(team);
    uint64_t least[2] = {0, 0};
    for (int i = 0; i < 64; ++i) least[worker_of[i]] += 200000;
    ck_assert_uint_ge(busy[0], least[0]);
    ck_assert_uint_ge(busy[1], least[1]);
    uint64_t before = busy[0] + busy[1];
    qdi_team_for_workers(team, 1, 1, note_worker, worker_of);
    busy = qdi_team_busy_ns(team);
    ck_assert_uint_ge(busy[0] + busy[1], before + 200000);
}

static void add_range(void *context, size_t begin, size_t end) {
    uint64_t *sums = context;
    for (size_t i = begin; i < end; ++i) sums[i] += i + 1;
}

// Loops that follow each other at once, and after waits that make the threads fall asleep: none is missed,
// and none seen twice.
QD_TEST_LOOP(short_loops_in_a_row, 0, TEAMS) {
    enum { MOST = 64 };
    qd_own(qd_team) team = make_team(teams[_i]), other = make_team(2);
    uint64_t sums[MOST] = {0}, expected[MOST] = {0};
    qd_random random = qd_random_at(qd_test_seed(5), (uint64_t)_i, 3);
    size_t loops = qd_test_effort(20000);
    for (size_t k = 0; k < loops; ++k) {
        size_t count = qd_random_bits(&random) % MOST, grain = qd_random_bits(&random) % 4 + 1;
        qdi_team_for(k % 16 == 0 ? other : team, count, grain, add_range, sums);
        for (size_t i = 0; i < count; ++i) expected[i] += i + 1;
        if (k % 512 == 0) {
            uint64_t until = qdi_clock_ns() + 1000000; // longer than a thread has patience
            while (qdi_clock_ns() < until) {
            }
        }
        if (memcmp(sums, expected, sizeof sums) != 0) ck_abort_msg("loop %zu, seed %d", k, 5);
    }
}

// A team that was never worth its threads has none to wait for; one that was can be destroyed at any time.
QD_TEST(teams_come_and_go) {
    uint64_t sums[64] = {0};
    for (size_t k = 0; k < 50; ++k) {
        qd_own(qd_team) team = make_team(3);
        for (size_t loop = 0; loop < k % 5; ++loop) qdi_team_for(team, 64, 1, add_range, sums);
    }
    ck_assert_uint_eq(sums[63], 64 * 100);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__clang__)
enum {
    SHADOWED = 1
}; // sanitizers take more memory than there is, and LLVM's OpenMP more than its threads' stacks
#else
enum { SHADOWED = 0 };
#endif

/// Bytes of addresses that this process has now.
static size_t address_space(void) {
    size_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return 0;
    if (fscanf(file, "%zu", &pages) != 1) pages = 0;
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

// Room for the stacks of some threads, but not of all. The runtime would end the program.
QD_TEST_LOOP(threads_that_cannot_be_had_are_done_without, 0, SHADOWED ? 0 : 3) {
    static const size_t room[] = {1 << 20, 40 << 20, 400 << 20};
    size_t now = address_space();
    if (now == 0) return;
    uint64_t sums[64] = {0};
    qd_own(qd_team) team = make_team(200);
    struct rlimit limit = {now + room[_i], now + room[_i]};
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
    for (size_t k = 0; k < 100; ++k) qdi_team_for(team, 64, 1, add_range, sums);
    for (size_t i = 0; i < 64; ++i) ck_assert_uint_eq(sums[i], 100 * (i + 1));
}

QD_TEST(loops_are_timed) {
    qd_own(qd_team) team = make_team(2);
    int worker_of[64];
    qdi_team_for_workers(team, 1, 1, note_worker, worker_of);
    qdi_team_times times = qdi_team_loop_times(team);
    ck_assert_uint_ge(times.loop_ns, 200000);
    ck_assert_uint_eq(times.alone_ns, times.loop_ns); // one range is for one thread
    qdi_team_for_workers(team, 64, 1, note_worker, worker_of);
    qdi_team_times later = qdi_team_loop_times(team);
    ck_assert_uint_eq(later.alone_ns, times.alone_ns);
    const uint64_t *busy = qdi_team_busy_ns(team);
    ck_assert_uint_ge(2 * later.loop_ns, busy[0] + busy[1]);
    qd_team_destroy(team);
    team = make_team(1);
    qdi_team_for_workers(team, 64, 1, note_worker, worker_of);
    times = qdi_team_loop_times(team);
    ck_assert(times.loop_ns >= 64 * 200000 && times.alone_ns == 0); // nobody else could have come
}

QD_TEST(loops_have_as_many_threads_as_they_may) {
    qd_own(qd_team) team = make_team(3);
    int worker_of[64];
    ck_assert_int_eq(qdi_team_used(team), 3);
    static const int most[] = {1, 2, 0, 7}, used[] = {1, 2, 3, 3};
    for (int k = 0; k < 4; ++k) {
        qdi_team_use(team, most[k]);
        ck_assert_int_eq(qdi_team_used(team), used[k]);
        ck_assert_int_eq(qd_team_threads(team), 3);
        memset(worker_of, -1, sizeof worker_of);
        qdi_team_for_workers(team, 64, 1, note_worker, worker_of);
        int came = 0; // who came is a matter of chance, but not how many of them at most
        for (int worker = 0; worker < 3; ++worker) {
            bool here = false;
            for (int i = 0; i < 64; ++i) here = here || worker_of[i] == worker;
            came += here;
        }
        for (int i = 0; i < 64; ++i) ck_assert(worker_of[i] >= 0 && (used[k] > 1 || worker_of[i] == 0));
        ck_assert_int_le(came, used[k]);
    }
}

QD_TEST(scan_sums_what_comes_before) {
    size_t values[1000];
    qd_random random = qd_random_at(1, 0, 1);
    for (size_t n = 0; n <= 1000; n += n < 5 ? 1 : 331) {
        size_t plain[1000];
        size_t sum = 0;
        for (size_t i = 0; i < n; ++i) {
            values[i] = qd_random_bits(&random) % 1000000;
            plain[i] = sum;
            sum += values[i];
        }
        ck_assert_uint_eq(qdi_exclusive_scan(values, n), sum);
        for (size_t i = 0; i < n; ++i) ck_assert_uint_eq(values[i], plain[i]);
    }
    ck_assert_uint_eq(qdi_exclusive_scan(NULL, 0), 0);
}

typedef struct whereabouts {
    int wrong[8], visits[8]; // by worker: ranges elsewhere than on its processor, and all
    int begun_wrong;         // loops that the caller's own thread began elsewhere
    bool begun;              // in this loop
    const int *processors;
} whereabouts;

static void note_processor(void *context, size_t begin, size_t end, int worker) {
    whereabouts *seen = context;
    (void)begin;
    (void)end;
    uint64_t until = qdi_clock_ns() + 20000;
    while (qdi_clock_ns() < until) {
    }
    int wrong = sched_getcpu() != seen->processors[worker];
    seen->visits[worker] += 1;
    seen->wrong[worker] += wrong;
    if (worker != 0 || seen->begun) return;
    seen->begun = true;
    seen->begun_wrong += wrong;
}

static void note_affinity(void *context, size_t begin, size_t end, int worker) {
    (void)begin;
    (void)end;
    uint64_t until = qdi_clock_ns() + 20000;
    while (qdi_clock_ns() < until) {
    }
    (void)sched_getaffinity(0, sizeof(cpu_set_t), (cpu_set_t *)context + worker);
}

// The processors that this process may run on.
static int allowed_processors(int *numbers, int most) {
    cpu_set_t set;
    int count = 0;
    ck_assert_int_eq(sched_getaffinity(0, sizeof set, &set), 0);
    for (int i = 0; i < CPU_SETSIZE && count < most; ++i)
        if (CPU_ISSET((size_t)i, &set)) numbers[count++] = i;
    return count;
}

// Takes the calling thread to a processor and leaves it free to go on from there.
static void go_to(int processor, const cpu_set_t *free) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)processor, &one);
    ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
    ck_assert_int_eq(sched_setaffinity(0, sizeof *free, free), 0);
}

// Threads that are bound work where they are bound to, also when they are bound anew, and the caller's own
// thread, with what it starts, keeps its choice: it is taken to its processor as a loop begins, and a busy
// system may move it on within the loop.
QD_TEST(threads_are_where_they_are_bound_to) {
    int allowed[8], threads = 3;
    int count = allowed_processors(allowed, 8);
    cpu_set_t before, after;
    ck_assert_int_eq(sched_getaffinity(0, sizeof before, &before), 0);
    qd_team *team = make_team(threads);
    for (int round = 0; round < 3; ++round) {
        int processors[3];
        for (int k = 0; k < threads; ++k) processors[k] = allowed[(k + round) % count];
        ck_assert_int_eq(qdi_team_bind(team, processors, 3), QD_OK);
        whereabouts seen = {.processors = processors};
        // A thread that begins has to be waited for: loops do not. Long enough for all to come.
        uint64_t end = qdi_clock_ns() + 10000000000U;
        int loops = 0;
        for (; loops < 20 || seen.visits[1] == 0 || seen.visits[2] == 0; ++loops) {
            go_to(processors[1], &before); // not where the loop has to begin, if there are two
            seen.begun = false;
            qdi_team_for_workers(team, 64, 1, note_processor, &seen);
            ck_assert_msg(qdi_clock_ns() < end, "threads do not come: %d, %d", seen.visits[1],
                          seen.visits[2]);
        }
        ck_assert_int_eq(seen.wrong[1], 0);
        ck_assert_int_eq(seen.wrong[2], 0);
        ck_assert_int_lt(2 * seen.begun_wrong, loops);
        ck_assert_int_eq(sched_getaffinity(0, sizeof after, &after), 0);
        ck_assert(CPU_EQUAL(&before, &after));
    }
    qd_team_destroy(team);
    // The runtime may give the next team the same threads: none is still bound.
    team = make_team(threads);
    int free_threads = 0;
    cpu_set_t sets[3];
    memset(sets, 0, sizeof sets);
    uint64_t end = qdi_clock_ns() + 5000000000U;
    while (free_threads < threads && qdi_clock_ns() < end) {
        qdi_team_for_workers(team, 64, 1, note_affinity, sets);
        free_threads = 0;
        for (int k = 0; k < threads; ++k) free_threads += CPU_EQUAL(&before, &sets[k]);
    }
    ck_assert_int_eq(free_threads, threads);
    qd_team_destroy(team);
}

// A processor that the system refuses leaves its thread free; all else is as it was.
QD_TEST(processors_that_are_refused_are_done_without) {
    static const int none[] = {16000, -1, 1 << 20};
    uint64_t sums[64] = {0};
    qd_own(qd_team) team = make_team(3);
    ck_assert_int_eq(qdi_team_bind(team, none, 3), QD_OK);
    for (int k = 0; k < 100; ++k) qdi_team_for(team, 64, 1, add_range, sums);
    for (size_t i = 0; i < 64; ++i) ck_assert_uint_eq(sums[i], 100 * (i + 1));
    ck_assert_int_eq(qdi_team_bind(team, NULL, 0), QD_OK);
    qdi_team_for(team, 64, 1, add_range, sums);
    for (size_t i = 0; i < 64; ++i) ck_assert_uint_eq(sums[i], 101 * (i + 1));
}

QD_TEST(defs_are_checked) {
    qd_team *team = NULL;
    qd_team_def def = qd_team_def_default();
    ck_assert_int_eq(def.threads, 1);
    ck_assert_int_eq(qd_team_create(NULL, &team), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_team_create(&def, NULL), QD_ERR_ARGUMENT);
    static const int bad[] = {0, -1, QD_TEAM_MAX + 1};
    for (int b = 0; b < 3; ++b) {
        def.threads = bad[b];
        ck_assert_int_eq(qd_team_create(&def, &team), QD_ERR_VALUE);
        ck_assert_ptr_null(team);
    }
    def.threads = QD_TEAM_MAX;
    ck_assert_int_eq(qd_team_create(&def, &team), QD_OK);
    qd_team_destroy(team);
    def = (qd_team_def){.threads = 1};
    ck_assert_int_eq(qd_team_create(&def, &team), QD_ERR_ARGUMENT);
    qd_team_destroy(NULL);
}

QD_TEST_MAIN("team", 120, NULL, NULL)
