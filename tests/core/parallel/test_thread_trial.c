#include "core/parallel/thread_trial.h"

#include "core/parallel/parallel.h"
#include "tests/support/harness.h"
#include "tests/support/teams.h"

#include <math.h>
#include <quadrille/random.h>

// A machine that is made up: work that threads share, and what each thread more costs; some pieces of work
// take four times as long as the others, as the steps of a world do that look for candidates anew.
typedef struct machine {
    double shared, each; ///< ns of one thread's work; ns per thread
    double noise;        ///< part of a time
    double lost;         ///< one of so many times a thread loses its processor for 2 ms; 0: never
    qd_random random;
    uint64_t piece;
} machine;

static double quiet_time(const machine *of, int threads) {
    return of->shared / threads + of->each * (threads - 1);
}

static uint64_t time_of(machine *of, int threads) {
    double ns = quiet_time(of, threads) * (of->piece++ % 9 == 0 ? 4 : 1);
    ns *= 1 + of->noise * qd_random_uniform(&of->random);
    if (of->lost > 0 && qd_random_uniform(&of->random) * of->lost < 1) ns += 2e6;
    return (uint64_t)ns;
}

static int best_of(const machine *of, int most) {
    int best = 1;
    for (int threads = 1; threads <= most; ++threads)
        if (quiet_time(of, threads) < quiet_time(of, best)) best = threads;
    return best;
}

/// Does so many pieces of work; returns their time over that with the best number all the time.
static double work(machine *of, qdi_thread_trial *trial, int pieces) {
    double spent = 0, least = 0;
    const int best = best_of(of, trial->most);
    for (int i = 0; i < pieces; ++i) {
        const int threads = qdi_thread_trial_threads(trial);
        ck_assert(threads >= 1 && threads <= trial->most);
        spent += quiet_time(of, threads);
        least += quiet_time(of, best);
        qdi_thread_trial_note(trial, time_of(of, threads), false);
    }
    return spent / least;
}

QD_TEST(finds_a_number_near_the_best) {
    for (uint64_t seed = 0; seed < 200; ++seed) {
        qd_random random = qd_random_at(seed, 0, 1);
        const int most = 1 + (int)(64 * qd_random_uniform(&random) * qd_random_uniform(&random));
        machine of = {.shared = 1e4 * pow(1000, qd_random_uniform(&random)),
                      .each = 1e3 * pow(100, qd_random_uniform(&random)),
                      .noise = 0.1,
                      .lost = seed % 2 ? 100 : 0,
                      .random = qd_random_at(seed, 0, 2)};
        qdi_thread_trial trial;
        qdi_thread_trial_begin(&trial, most);
        (void)work(&of, &trial, 1500);
        const double ratio = work(&of, &trial, 4000);
        // Halves and doubles leave out numbers: between two of them the curve is flat.
        ck_assert_msg(ratio < 1.2, "seed %d: %d of %d threads, %g times as long as with %d", (int)seed,
                      trial.used, most, ratio, best_of(&of, most));
    }
}

QD_TEST(costs_little_where_all_threads_are_best) {
    for (int most = 2; most <= 64; most *= 2) {
        machine of = {.shared = 1e8, .noise = 0.05, .random = qd_random_at((uint64_t)most, 0, 3)};
        qdi_thread_trial trial;
        qdi_thread_trial_begin(&trial, most);
        const double first = work(&of, &trial, 500), later = work(&of, &trial, 10000);
        ck_assert_int_eq(trial.used, most);
        ck_assert_msg(first < 1.1 && later < 1.01, "%d threads: %g, then %g times as long", most, first,
                      later);
    }
}

QD_TEST(follows_work_that_changes) {
    machine of = {.shared = 2e4, .each = 2e4, .noise = 0.1, .random = qd_random_at(1, 0, 4)};
    qdi_thread_trial trial;
    qdi_thread_trial_begin(&trial, 16);
    (void)work(&of, &trial, 6000);
    ck_assert_int_eq(trial.used, 1);
    of.shared = 1e8; // a thousand times the bodies
    (void)work(&of, &trial, 4 * 64 * 34);
    ck_assert_int_eq(trial.used, 16);
    of.shared = 2e4;
    (void)work(&of, &trial, 4 * 64 * 34);
    ck_assert_int_eq(trial.used, 1);
}

QD_TEST(large_work_has_all_threads_at_once) {
    machine of = {.shared = 2e4, .each = 2e4, .random = qd_random_at(1, 0, 5)};
    qdi_thread_trial trial;
    qdi_thread_trial_begin(&trial, 8);
    (void)work(&of, &trial, 3000);
    ck_assert_int_eq(trial.used, 1);
    for (int before = 0; before < 2; ++before) { // then while the first trial of fewer is on
        for (int i = 0; i < 1000; ++i) {
            qdi_thread_trial_note(&trial, 1000000000, true);
            ck_assert_int_eq(qdi_thread_trial_threads(&trial), 8);
        }
        qdi_thread_trial_begin(&trial, 8);
        while (trial.tried == 0) qdi_thread_trial_note(&trial, 1000, false);
        ck_assert_int_eq(trial.used, 8);
    }
}

static void count_threads(void *context, size_t begin, size_t end, int worker) {
    (void)begin, (void)end;
    __atomic_store_n(&((int *)context)[worker], 1, __ATOMIC_RELAXED);
}

QD_TEST(a_limit_holds_for_all_loops) {
    qd_team *team = make_team(4);
    for (int most = 1; most <= 4; ++most) {
        qdi_team_limit(team, most);
        for (int use = 0; use <= 5; ++use) {
            int worked[4] = {0}, count = 0;
            qdi_team_use(team, use);
            ck_assert_int_eq(qdi_team_used(team), use == 0 || use > most ? most : use);
            qdi_team_for_workers(team, 1000, 1, count_threads, worked);
            for (int k = 0; k < 4; ++k) count += worked[k];
            ck_assert_int_le(count, qdi_team_used(team));
        }
    }
    qdi_team_limit(team, 0);
    ck_assert_int_eq(qdi_team_used(team), 4);
    qd_team_destroy(team);
}

QD_TEST_MAIN("thread_trial", 60, NULL, NULL)
