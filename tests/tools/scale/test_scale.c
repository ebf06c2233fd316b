#define _POSIX_C_SOURCE 200809L // open_memstream
#include "tests/support/harness.h"
#include "tools/scale/scale_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

QD_OWN_VALUE(qdi_scale_plan, qdi_scale_plan_free)

// What a scaling test measures and in which order, its statistics against values worked out by hand, and what
// it makes of samples in which it is known what limits.

// ---- lists ----

static void expect_threads(const char *text, const int *numbers, size_t count) {
    qdi_scale_plan plan = {.steps = 1};
    qd_error error = {""};
    ck_assert_msg(qdi_scale_read_threads(text, &plan, &error), "'%s': %s", text, error.text);
    ck_assert_uint_eq(plan.thread_count, count);
    for (size_t i = 0; i < count; ++i) ck_assert_int_eq(plan.threads[i], numbers[i]);
}

QD_TEST(test_lists) {
    expect_threads("1", (const int[]){1}, 1);
    expect_threads("8,1,2,1", (const int[]){1, 2, 8}, 3);
    expect_threads("1,2,4-7", (const int[]){1, 2, 4, 5, 6, 7}, 6);
    expect_threads("1024", (const int[]){1024}, 1);
    static const char *const bad[] = {"",   "0",    "1,", ",1", "1,,2", "4-2", "two", "1025",
                                      " 1", "1-3x", "-2", "1-", "1-40", "1.5", "1;2", "1-2-3"};
    qdi_scale_plan plan = {.steps = 1};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        qd_error error = {""};
        ck_assert_msg(!qdi_scale_read_threads(bad[i], &plan, &error), "'%s'", bad[i]);
        ck_assert_msg(strstr(error.text, "--threads") && !strchr(error.text, '\n'), "%s", error.text);
    }
    qd_error error = {""};
    ck_assert(!qdi_scale_read_ranks("1,65", 1, &plan, &error) && strstr(error.text, "--ranks: '65'"));
    ck_assert(qdi_scale_read_bodies("2e5,1000,1000", &plan, &error) && plan.bodies_count == 2);
    ck_assert(plan.bodies[0] == 1000 && plan.bodies[1] == 200000);
    static const char *const bad_bodies[] = {"",    "0",  "1.5", "1e9",
                                             "10,", "-3", "ten", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17"};
    for (size_t i = 0; i < sizeof bad_bodies / sizeof bad_bodies[0]; ++i)
        ck_assert_msg(!qdi_scale_read_bodies(bad_bodies[i], &plan, &error), "'%s'", bad_bodies[i]);
    plan.available = 6;
    qdi_scale_default_threads(&plan);
    ck_assert(plan.thread_count == 4 && plan.threads[2] == 4 && plan.threads[3] == 6);
    plan.available = 1;
    qdi_scale_default_threads(&plan);
    ck_assert(plan.thread_count == 1 && plan.threads[0] == 1);
}

// ---- plans ----

static qdi_scale_plan make_plan(const char *threads, const char *bodies, bool weak, size_t repeats,
                                uint64_t seed) {
    qdi_scale_plan plan = {.weak = weak, .steps = 4, .repeats = repeats, .seed = seed, .available = 4};
    qd_error error = {""};
    ck_assert(qdi_scale_read_threads(threads, &plan, &error));
    ck_assert(qdi_scale_read_bodies(bodies, &plan, &error));
    ck_assert_msg(qdi_scale_plan_make(&plan, &error) == QD_OK, "%s", error.text);
    return plan;
}

QD_TEST(test_runs_are_interleaved) {
    qd_own(qdi_scale_plan) plan = make_plan("1-8", "100,200", false, 5, 1),
                           same = make_plan("1-8", "100,200", false, 5, 1),
                           other = make_plan("1-8", "100,200", false, 5, 2);
    ck_assert_uint_eq(plan.config_count, 16);
    ck_assert_uint_eq(plan.turn_count, 80);
    size_t equal_turns = 0, sorted = 0, as_before = 0;
    for (size_t repeat = 0; repeat < 5; ++repeat) {
        bool seen[16] = {false};
        for (size_t i = 0; i < 16; ++i) {
            const qdi_scale_turn *turn = &plan.turns[16 * repeat + i];
            ck_assert(turn->repeat == repeat && turn->config < 16 && !seen[turn->config]);
            seen[turn->config] = true;
            equal_turns += turn->config == other.turns[16 * repeat + i].config;
            sorted += turn->config == i;
            as_before += repeat > 0 && turn->config == plan.turns[16 * (repeat - 1) + i].config;
        }
    }
    ck_assert_mem_eq(plan.turns, same.turns, 80 * sizeof *plan.turns);
    ck_assert_msg(equal_turns < 40 && sorted < 40 && as_before < 40, "%zu %zu %zu", equal_turns, sorted,
                  as_before);
}

QD_TEST(test_weak_series) {
    qdi_scale_plan plan = make_plan("1,2,8", "100,200", true, 3, 1);
    // Strong: 100 and 200 with 1, 2, 8. Weak: 100, 200, 800 and 200, 400, 1600, half of them new. Checks with
    // one thread: 400, 800, 1600.
    ck_assert_uint_eq(plan.config_count, 6 + 3 + 3);
    const qdi_scale_config *both = qdi_scale_find(&plan, 200, 2);
    ck_assert(both && both->strong && both->weak && both->repeats == 3 && !both->beyond);
    ck_assert_str_eq(qdi_scale_series(both), "strong+weak");
    const qdi_scale_config *weak = qdi_scale_find(&plan, 1600, 8), *check = qdi_scale_find(&plan, 1600, 1);
    ck_assert(weak && weak->weak && !weak->strong && weak->repeats == 3 && weak->beyond);
    ck_assert(check && !check->weak && !check->strong && check->repeats == 1);
    ck_assert_str_eq(qdi_scale_series(check), "check");
    ck_assert_ptr_null(qdi_scale_find(&plan, 1600, 2));
    ck_assert_uint_eq(plan.turn_count, 3 * 9 + 3);
    qdi_scale_plan_free(&plan);

    qd_own(qdi_scale_plan) large = {.weak = true, .steps = 1, .repeats = 1, .available = 4};
    qd_error error = {""};
    ck_assert(qdi_scale_read_threads("1,8", &large, &error) && qdi_scale_read_bodies("1e8", &large, &error));
    ck_assert(qdi_scale_plan_make(&large, &error) == QD_ERR_VALUE && strstr(error.text, "100000000 bodies"));
}

// Ranks share the threads: each has as many.
QD_TEST(test_ranks_have_threads) {
    qd_own(qdi_scale_plan) plan = {.steps = 4, .repeats = 2, .seed = 1, .available = 4, .weak = true};
    qd_error error = {""};
    ck_assert(qdi_scale_read_ranks("4,1-2", 3, &plan, &error));
    ck_assert(qdi_scale_read_bodies("300", &plan, &error));
    ck_assert_int_eq(qdi_scale_plan_make(&plan, &error), QD_OK);
    ck_assert_uint_eq(plan.thread_count, 3);
    for (int ranks = 1; ranks <= 4; ranks *= 2) {
        const qdi_scale_config *config = qdi_scale_find(&plan, 300, 3 * ranks);
        ck_assert(config && config->ranks == ranks && config->strong && config->beyond == (ranks > 1));
        ck_assert_ptr_nonnull(qdi_scale_find(&plan, 900 * (uint64_t)ranks, 3 * ranks));
    }
}

// ---- statistics ----

QD_TEST(test_intervals) {
    double one[] = {4};
    qdi_scale_interval of = qdi_scale_interval_of(one, 1);
    ck_assert(of.median == 4 && of.low == 4 && of.high == 4 && of.least == 4 && of.level == 0);
    double five[] = {9, 1, 5, 3, 7};
    of = qdi_scale_interval_of(five, 5); // outside with 2 / 2^5
    ck_assert(of.median == 5 && of.low == 1 && of.high == 9 && of.level == 1 - 2.0 / 32);
    double six[] = {6, 5, 4, 3, 2, 1};
    of = qdi_scale_interval_of(six, 6);
    ck_assert(of.median == 3.5 && of.low == 1 && of.high == 6 && of.level == 1 - 2.0 / 64 && of.least == 1);
    double nine[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    of = qdi_scale_interval_of(nine, 9); // the second and the last but one: 2 (1 + 9) / 2^9 outside
    ck_assert(of.median == 5 && of.low == 2 && of.high == 8 && fabs(of.level - (1 - 20.0 / 512)) < 1e-12);
    double twenty[20];
    for (int i = 0; i < 20; ++i) twenty[i] = 20 - i;
    of = qdi_scale_interval_of(twenty, 20); // the well-known sixth and fifteenth, .9586
    ck_assert(of.median == 10.5 && of.low == 6 && of.high == 15 && fabs(of.level - .9586) < 1e-4);
}

QD_TEST(test_serial_fractions) {
    // 1/1.8 = e + (1 - e) / 2
    ck_assert(fabs(qdi_scale_serial_fraction(1.8, 1, 1, 2) - 1.0 / 9) < 1e-12);
    ck_assert(fabs(qdi_scale_serial_fraction(8, 1, 1, 8)) < 1e-12);
    ck_assert(fabs(qdi_scale_serial_fraction(3, 1, 3, 16) - 1) < 1e-12);
    ck_assert(qdi_scale_serial_fraction(2.2, 1, 1, 2) < 0);
    for (int base = 1; base < 4; ++base) { // whatever it is compared with: .1 + .9 / p
        double found = qdi_scale_serial_fraction(.1 + .9 / base, base, .1 + .9 / 8, 8);
        ck_assert_msg(fabs(found - .1) < 1e-12, "%d: %g", base, found);
    }
    ck_assert(isnan(qdi_scale_serial_fraction(1, 2, 1, 2)) && isnan(qdi_scale_serial_fraction(1, 1, 0, 2)));
}

// ---- samples that are known ----

/// Milliseconds of a phase in each step.
typedef struct known_phase {
    double wall, loop, alone, busy[2];
} known_phase;

enum { STEPS = 4 };

static uint64_t total(double milli) {
    return (uint64_t)(milli * 1e6 * STEPS + .5);
}

static void set_phase(qdi_scale_sample *sample, qd_phase phase, known_phase known) {
    qd_profile *profile = &sample->profile;
    profile->wall_ns[phase] = total(known.wall);
    profile->loop_ns[phase] = total(known.loop);
    profile->alone_ns[phase] = total(known.alone);
    sample->wall_ns += total(known.wall);
    sample->processor_ns += total(known.wall - known.loop);
    for (int k = 0; k < 2; ++k) {
        profile->busy_ns[phase][k] = total(known.busy[k]);
        sample->processor_ns += total(known.busy[k]);
    }
}

/// A test with one and two threads, three runs each: narrow takes `narrow` with two, all else is ideal.
typedef struct known_test {
    qdi_scale_plan plan;
    qdi_scale_sample samples[6];
    uint64_t step_ns[6 * STEPS];
    qdi_scale_result results[2];
} known_test;

static void make_known(known_test *test, known_phase narrow, double triad, double taken) {
    memset(test, 0, sizeof *test);
    test->plan = make_plan("1,2", "50000", false, 3, 7);
    for (size_t turn = 0; turn < 6; ++turn) {
        qdi_scale_sample *sample = &test->samples[turn];
        bool two = test->plan.turns[turn].config == 1;
        sample->bodies = 50000;
        sample->hash = 0xabc;
        sample->profile.steps = STEPS;
        sample->profile.body_steps = 50000 * STEPS;
        sample->bandwidth = two ? triad * 1e10 : 1e10;
        for (qd_phase phase = 0; phase < QD_PHASE_EXPORT; ++phase)
            set_phase(sample, phase, two ? (known_phase){1, 1, 0, {1, 1}} : (known_phase){2, 2, 0, {2, 0}});
        sample->wall_ns -= two ? total(1) : total(2);
        sample->processor_ns -= total(2);
        set_phase(sample, QD_PHASE_NARROW, two ? narrow : (known_phase){2, 2, 0, {2, 0}});
        if (two) sample->processor_ns = (uint64_t)((double)sample->processor_ns * (1 - taken));
        for (size_t k = 0; k < STEPS; ++k)
            test->step_ns[turn * STEPS + k] = sample->wall_ns / STEPS + (k == turn % STEPS ? 0 : 1000000);
    }
    for (size_t c = 0; c < 2; ++c)
        ck_assert(qdi_scale_sum_up(&test->plan, test->samples, test->step_ns, c, &test->results[c]) == QD_OK);
}

static void expect_verdict(known_phase narrow, double triad, double taken, const char *cause) {
    known_test test;
    char text[512];
    make_known(&test, narrow, triad, taken);
    qdi_scale_verdict(&test.results[0], &test.results[1], true, text, sizeof text);
    ck_assert_msg(strstr(text, "With 2 threads narrow limits, with 100 %") && strstr(text, cause), "%s",
                  text);
    const qdi_scale_share *share = &test.results[1].phases[QD_PHASE_NARROW].share;
    double sum = share->busy + share->serial + share->alone + share->waiting;
    ck_assert_msg(fabs(sum - 2e6 * narrow.wall) < 1, "%g", sum); // nothing is lost
    qdi_scale_plan_free(&test.plan);
}

QD_TEST(test_sums) {
    known_test test;
    make_known(&test, (known_phase){1.5, 1.2, .2, {1.1, .5}}, 1.9, 0);
    const qdi_scale_result *one = &test.results[0], *two = &test.results[1];
    ck_assert(one->runs == 3 && one->bodies == 50000 && one->hash == 0xabc && one->config->threads == 1);
    ck_assert(fabs(one->whole.time.median - 10e6) < 1 && fabs(two->whole.time.median - 5.5e6) < 1);
    const qdi_scale_part *narrow = &two->phases[QD_PHASE_NARROW];
    ck_assert(fabs(narrow->share.serial - 2 * .3e6) < 1 && fabs(narrow->share.alone - .2e6) < 1);
    ck_assert(fabs(narrow->share.busy - 1.6e6) < 1 && fabs(narrow->share.waiting - (2.0 - 1.4) * 1e6) < 1);
    ck_assert(fabs(narrow->imbalance - 1.1 / .8) < 1e-9 && fabs(narrow->busy[1] - .5e6) < 1);
    ck_assert(two->phases[QD_PHASE_MOVE].imbalance == 1);
    qdi_scale_gain gain = qdi_scale_strong_gain(one, two, QDI_SCALE_PHASES);
    ck_assert(fabs(gain.speedup - 10 / 5.5) < 1e-9 && fabs(gain.efficiency - 10 / 11.) < 1e-9);
    ck_assert(fabs(gain.serial_fraction - (5.5 / 10 - .5) / .5) < 1e-9);
    gain = qdi_scale_strong_gain(one, two, QD_PHASE_NARROW);
    ck_assert(fabs(gain.speedup - 2 / 1.5) < 1e-9);
    gain = qdi_scale_weak_gain(one, two, QD_PHASE_NARROW); // as many bodies: no more work was done
    ck_assert(fabs(gain.speedup - 2 / 1.5) < 1e-9 && isnan(gain.serial_fraction));
    // Each step is a millisecond faster in one of the runs than in the others, where some run is the one.
    ck_assert(two->calm >= two->whole.time.median - 1 && two->calm < two->whole.time.median + .76e6);
    qdi_scale_plan_free(&test.plan);
}

QD_TEST(test_verdicts) {
    expect_verdict((known_phase){1.6, 1, 0, {1, 1}}, 2, 0, "0.6 ms of it run on one thread");
    expect_verdict((known_phase){2, 2, 2, {2, 0}}, 2, 0, "too few bodies for so many threads");
    expect_verdict((known_phase){1.6, 1.6, 0, {1.6, .4}}, 2, 0, "wait for the busiest (imbalance 1.60)");
    expect_verdict((known_phase){1.6, 1.6, 0, {1, 1}}, 2, 0, "wait to start and for each other");
    expect_verdict((known_phase){1.6, 1.6, 0, {1.6, 1.6}}, 1.2, 0, "memory bandwidth");
    expect_verdict((known_phase){1.6, 1.6, 0, {1.6, 1.6}}, 1.9, 0, "though a triad gets 1.90 times");
    known_test test;
    char text[512];
    make_known(&test, (known_phase){1, 1, 0, {1, 1}}, 2, 0);
    qdi_scale_verdict(&test.results[0], &test.results[1], true, text, sizeof text);
    ck_assert_msg(strstr(text, "nothing limits: the efficiency is 100 %"), "%s", text);
    qdi_scale_advice(&test.results[1], text, sizeof text);
    ck_assert_str_eq(text, "");
    test.results[1].bodies = 5000;
    qdi_scale_advice(&test.results[1], text, sizeof text);
    ck_assert_msg(strstr(text, "5000 bodies are too few for 2 threads") && strstr(text, "--threads 1"), "%s",
                  text);
    qdi_scale_plan_free(&test.plan);
}

/// Disturbed measurements have no diagnosis; who is beyond the machine has too few processors by itself.
QD_TEST(test_a_disturbed_test_is_not_reliable) {
    known_test test;
    char text[512];
    make_known(&test, (known_phase){1.6, 1.6, 0, {1.6, 1.6}}, 1.9, 0);
    qdi_scale_report report = {.plan = &test.plan, .results = test.results};
    ck_assert_str_eq(qdi_scale_unreliable(&report).text, "");
    qdi_scale_conclude(&report, true, 50000, &test.results[1], text, sizeof text);
    ck_assert_msg(strstr(text, "narrow limits") != NULL, "%s", text);
    qdi_scale_conclude(&report, true, 50000, NULL, text, sizeof text);
    ck_assert_str_eq(text, "");
    report.others = qdi_others_judge(1.3, 2, 2);
    for (int k = 0; k < 2; ++k) {
        qdi_scale_conclude(&report, true, 50000, &test.results[1], text, sizeof text);
        ck_assert_msg(strncmp(text, "Not reliable: ", 14) == 0 && strstr(text, k ? "30 %" : "1.3 of 2") &&
                          !strstr(text, "narrow"),
                      "%s", text);
        qdi_scale_plan_free(&test.plan);
        make_known(&test, (known_phase){1.6, 1.6, 0, {1.6, 1.6}}, 1.9, .3);
        report.others.text[0] = '\0';
    }
    test.plan.configs[1].beyond = true;
    ck_assert_str_eq(qdi_scale_unreliable(&report).text, "");
    qdi_scale_plan_free(&test.plan);
}

// What the processor counted is told per body and step; what it did not is absent, and no zero.
QD_TEST(test_counts_are_told) {
    known_test test;
    make_known(&test, (known_phase){1, 1, 0, {1, 1}}, 2, 0);
    for (size_t turn = 0; turn < 6; ++turn) {
        qdi_counts *counts = &test.samples[turn].counts;
        counts->known[QDI_COUNTER_CYCLES] = counts->known[QDI_COUNTER_INSTRUCTIONS] = true;
        counts->known[QDI_COUNTER_CACHE_MISSES] = turn != 3; // not in one of the runs
        counts->value[QDI_COUNTER_CYCLES] = 50000. * STEPS * 160;
        counts->value[QDI_COUNTER_INSTRUCTIONS] = 50000. * STEPS * 400;
        counts->value[QDI_COUNTER_CACHE_MISSES] = 50000. * STEPS * .25;
        test.samples[turn].traffic.reads[QD_PHASE_MOVE] = 50000 * STEPS * 40;
        test.samples[turn].traffic.writes[QD_PHASE_MOVE] = 50000 * STEPS * 32;
    }
    for (size_t c = 0; c < 2; ++c)
        ck_assert(qdi_scale_sum_up(&test.plan, test.samples, test.step_ns, c, &test.results[c]) == QD_OK);
    const bool missing = test.plan.turns[3].config;
    const qdi_scale_result *whole = &test.results[!missing], *part = &test.results[missing];
    ck_assert(whole->counts.known[QDI_COUNTER_CACHE_MISSES] && !part->counts.known[QDI_COUNTER_CACHE_MISSES]);
    ck_assert(fabs(whole->counts.value[QDI_COUNTER_CACHE_MISSES] - 12500) < 1e-6);
    ck_assert(part->counts.value[QDI_COUNTER_CACHE_MISSES] == 0);
    // 50000 bodies move 72 bytes each in 2 ms and in 1 ms, beside triads of 10 and 20 GB/s.
    const qdi_scale_part *move = &test.results[1].phases[QD_PHASE_MOVE];
    ck_assert(fabs(move->reads - 50000 * 40) < 1e-6 && fabs(move->writes - 50000 * 32) < 1e-6);
    ck_assert(fabs(qdi_scale_bandwidth(move) - 3.6e9) < 1);
    ck_assert(fabs(test.results[1].whole.reads - move->reads) < 1e-6);
    ck_assert(qdi_scale_bandwidth(&(qdi_scale_part){.reads = 5}) == 0);

    qd_own_memory char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    const uint64_t hashes[2] = {1, 1};
    const qdi_scale_report report = {.plan = &test.plan,
                                     .scene = "known",
                                     .samples = test.samples,
                                     .results = test.results,
                                     .step_ns = test.step_ns,
                                     .scene_hashes = hashes};
    qdi_scale_print(out, &report, false);
    ck_assert_int_eq(fclose(out), 0);
    static const char *const said[] = {"160.00       400.00      2.50        0.250",
                                       "160.00       400.00      2.50            -",
                                       "3.600     1.80      18%  |     3.600     3.60      18%"};
    for (size_t i = 0; i < sizeof said / sizeof said[0]; ++i)
        ck_assert_msg(strstr(text, said[i]) != NULL, "does not say '%s': %s", said[i], text);
    qdi_scale_plan_free(&test.plan);
}

QD_TEST(test_states_that_differ_are_named) {
    known_test test;
    qd_error error = {""};
    make_known(&test, (known_phase){1, 1, 0, {1, 1}}, 2, 0);
    ck_assert(qdi_scale_hashes_agree(&test.plan, test.samples, &error));
    for (size_t turn = 0; turn < 6; ++turn) { // one after the other, whichever it is
        test.samples[turn].hash = 0xdef;
        ck_assert(!qdi_scale_hashes_agree(&test.plan, test.samples, &error));
        ck_assert_msg(strstr(error.text, "50000 bodies end in different states") &&
                          strstr(error.text, "0000000000000abc") && strstr(error.text, "0000000000000def") &&
                          !strchr(error.text, '\n'),
                      "%s", error.text);
        test.samples[turn].hash = 0xabc;
    }
    qdi_scale_plan_free(&test.plan);
    // Other numbers of bodies may end as they like.
    qd_own(qdi_scale_plan) plan = make_plan("1", "100,200", false, 1, 1);
    qdi_scale_sample samples[2] = {{.hash = 1}, {.hash = 2}};
    ck_assert(qdi_scale_hashes_agree(&plan, samples, &error));
}

QD_TEST_MAIN("scale", 120, NULL, NULL)
