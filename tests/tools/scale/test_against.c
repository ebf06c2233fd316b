#define _GNU_SOURCE // chmod
#include "tests/support/harness.h"
#include "tests/support/one_program.h"
#include "tools/scale/against.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

// `quadrille scale --against`: what it makes of pairs whose ratios are known, and how it takes pairs.

// ---- pairs that are known ----

enum { PAIRS = 9, STEP = QDI_SCALE_PHASES };

/// Two configurations, `repeats` pairs of each.
static qdi_scale_plan make_plan(size_t repeats) {
    qdi_scale_plan plan = {.steps = 10, .repeats = repeats, .seed = 3, .available = 4};
    qd_error error = {""};
    ck_assert(qdi_scale_read_threads("1,2", &plan, &error) && qdi_scale_read_bodies("100", &plan, &error));
    ck_assert(qdi_scale_plan_make(&plan, &error) == QD_OK);
    return plan;
}

/// Pairs of 1000 ns there and so many times it here in part `part`, and the same in all others.
static qdi_against_result compare(size_t repeats, size_t part, const double *ratios,
                                  void (*change)(qdi_against_pair *pairs, size_t count)) {
    qdi_scale_plan plan = make_plan(repeats);
    qdi_against_pair pairs[2 * PAIRS];
    qdi_against_result result;
    memset(pairs, 0, sizeof pairs);
    for (size_t turn = 0; turn < plan.turn_count; ++turn)
        for (size_t k = 0; k <= STEP; ++k) {
            bool known = k == part && plan.turns[turn].config == 1;
            double ratio = known ? ratios[plan.turns[turn].repeat] : plan.turns[turn].repeat % 2 ? 1.25 : .75;
            pairs[turn].there.ns[k] = 1000;
            pairs[turn].here.ns[k] = (uint64_t)(1000 * ratio + .5);
        }
    if (change) change(pairs, plan.turn_count);
    ck_assert(qdi_against_compare(&plan, pairs, 1, &result) == QD_OK);
    ck_assert(result.config == &plan.configs[1]);
    qdi_scale_plan_free(&plan);
    return result;
}

static void expect_change(size_t repeats, const double *ratios, double low, double median, double high,
                          qdi_against_change change) {
    for (size_t part = 0; part <= STEP; ++part) {
        qdi_against_result result = compare(repeats, part, ratios, NULL);
        const qdi_against_part *of = &result.parts[part];
        ck_assert_msg(fabs(of->ratio.low - low) < 1e-12 && fabs(of->ratio.median - median) < 1e-12 &&
                          fabs(of->ratio.high - high) < 1e-12 && of->change == change,
                      "%g %g %g: %s", of->ratio.low, of->ratio.median, of->ratio.high,
                      qdi_against_word(of->change));
        ck_assert(fabs(of->there - 100) < 1e-9);
        for (size_t other = 0; other <= STEP; ++other)
            if (other != part)
                ck_assert(result.parts[other].change ==
                          (repeats < 6 ? QDI_AGAINST_TOO_FEW : QDI_AGAINST_UNSEEN));
    }
}

QD_TEST(test_known_ratios) {
    // Of nine the interval is from the second to the last but one (1 - 20 / 512): one stray pair at each end
    // changes nothing.
    expect_change(9, (const double[]){.9, .91, .92, .93, .94, .95, .96, .97, 3}, .91, .94, .97,
                  QDI_AGAINST_FASTER);
    expect_change(9, (const double[]){1.1, 1.2, .5, 1.3, 1.4, 1.5, 1.6, 1.05, 1.7}, 1.05, 1.3, 1.6,
                  QDI_AGAINST_SLOWER);
    expect_change(9, (const double[]){.9, .91, .92, .93, .94, .95, .96, 1.01, 1.02}, .91, .94, 1.01,
                  QDI_AGAINST_UNSEEN);
    expect_change(9, (const double[]){1, 1, 1, 1, 1, 1, 1, 1, 1}, 1, 1, 1, QDI_AGAINST_UNSEEN);
    // Of six it is the whole range; of five it says nothing, whatever it is.
    expect_change(6, (const double[]){.5, .6, .7, .8, .9, .999}, .5, .75, .999, QDI_AGAINST_FASTER);
    expect_change(6, (const double[]){.5, .6, .7, .8, .9, 1}, .5, .75, 1, QDI_AGAINST_UNSEEN);
    expect_change(5, (const double[]){.5, .5, .5, .5, .5}, .5, .5, .5, QDI_AGAINST_TOO_FEW);
}

/// The machine gets slower from pair to pair, which pairs do not see, and medians of all runs would.
static void drift(qdi_against_pair *pairs, size_t count) {
    for (size_t i = 0; i < count; ++i)
        for (size_t k = 0; k <= STEP; ++k) {
            pairs[i].there.ns[k] *= i + 1;
            pairs[i].here.ns[k] *= i + 1;
        }
}

static void unknown_phase(qdi_against_pair *pairs, size_t count) {
    for (size_t i = 0; i < count; ++i) pairs[i].there.ns[QD_PHASE_NARROW] = 0;
    pairs[0].there.hash = 1;
}

QD_TEST(test_pairs_are_compared_with_each_other) {
    const double ratios[] = {.97, .97, .97, .98, .98, .98, .98, .99, .99};
    qdi_against_result result = compare(9, STEP, ratios, drift);
    ck_assert(result.parts[STEP].change == QDI_AGAINST_FASTER && result.same_state);
    ck_assert(fabs(result.parts[STEP].ratio.median - .98) < 1e-9);
    result = compare(9, STEP, ratios, unknown_phase);
    ck_assert(result.parts[QD_PHASE_NARROW].change == QDI_AGAINST_NONE && result.same_scene);
    ck_assert(result.parts[STEP].change == QDI_AGAINST_FASTER);
}

QD_TEST(test_states_of_all_pairs_count) {
    qdi_scale_plan plan = make_plan(3);
    qdi_against_pair pairs[6];
    qdi_against_result result;
    for (size_t odd = 0; odd < 6; ++odd) {
        memset(pairs, 0, sizeof pairs);
        pairs[odd].there.hash = 7;
        pairs[5 - odd].here.scene_hash = 7;
        for (size_t config = 0; config < 2; ++config) {
            ck_assert(qdi_against_compare(&plan, pairs, config, &result) == QD_OK);
            ck_assert(result.same_state == (plan.turns[odd].config != config));
            ck_assert(result.same_scene == (plan.turns[5 - odd].config != config));
            ck_assert(result.parts[STEP].change == QDI_AGAINST_NONE); // no times
        }
    }
    qdi_scale_plan_free(&plan);
}

QD_TEST(test_the_file_of_a_run) {
    static const char good[] =
        "run,scene,scene_hash,bodies,hash,wall_ns,resolve_ns,move_ns,later,commit,flags\n"
        "1,gas,00000000000000ff,300,000000000000000a,900,12,34,-,\"abc123\",\"-O2, -g\"\n";
    qdi_against_run run;
    ck_assert_ptr_null(qdi_against_read(good, &run));
    ck_assert(run.bodies == 300 && run.hash == 10 && run.scene_hash == 255 && run.ns[STEP] == 900);
    ck_assert(run.ns[QD_PHASE_RESOLVE] == 12 && run.ns[QD_PHASE_MOVE] == 34 && run.ns[QD_PHASE_NARROW] == 0);
    ck_assert_str_eq(run.commit, "abc123");
    static const char *const bad[] = {"",
                                      "run\n",
                                      "bodies,hash,wall_ns\n",
                                      "bodies,hash\n1,000000000000000a\n",
                                      "bodies,hash,wall_ns\n1,000000000000000a,x\n",
                                      "bodies,hash,wall_ns\n,000000000000000a,5\n",
                                      "bodies,hash,wall_ns\n1,a,5\n",
                                      "bodies,hash,wall_ns\n1\n"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
        ck_assert_msg(qdi_against_read(bad[i], &run) != NULL, "'%s'", bad[i]);
}

// ---- the program ----

static json_t *read_json(void) {
    json_error_t error;
    json_t *read = json_load_file(at("out/against.json").text, 0, &error);
    ck_assert_msg(read != NULL, "%d: %s", error.line, error.text);
    return read;
}

/// A program in the test's directory, by its script.
static const char *make_script(const char *name, const char *text) {
    qd_scratch_write(at(name).text, text);
    ck_assert(chmod(at(name).text, 0755) == 0);
    return name;
}

static const char *step_change(json_t *all) {
    const json_t *first = json_array_get(json_object_get(all, "comparisons"), 0);
    return json_string_value(json_object_get(json_object_get(first, "step"), "change"));
}

/// Whether it seems faster or slower is the machine's business here; what pairs are taken and told is ours.
QD_TEST(test_the_same_program_in_pairs) {
    qd_program_outcome result = SUCCEED("scale", "gas", "--against", QD_PROGRAM, "--bodies", "2000",
                                        "--threads", "1", "--steps", "20", "--repeats", "6", "-o", "out",
                                        "--order-seed", "2");
    ck_assert(strstr(result.err, "pair 6 of 6: 2000 bodies, 1 thread: ") != NULL);
    ck_assert_msg(strstr(result.out, "comparisons; of builds that are the same about 0.2 would be") != NULL &&
                      !strstr(result.out, "different states"),
                  "%s", result.out);
    json_t *all = read_json();
    ck_assert(strstr(result.out, step_change(all)));
    ck_assert_str_eq(json_string_value(json_object_get(json_object_get(all, "against"), "program")),
                     QD_PROGRAM);
    const json_t *one = json_array_get(json_object_get(all, "comparisons"), 0);
    ck_assert(json_is_true(json_object_get(one, "same_state")) &&
              json_is_true(json_object_get(one, "same_scene")));
    json_decref(all);
    ck_assert(!qd_scratch_exists(at("out/.against").text));
    qd_own_memory char *csv = qd_scratch_read(at("out/against.csv").text, NULL);
    size_t lines = 0, here = 0, first = 0;
    for (const char *line = strchr(csv, '\n') + 1; *line; line = strchr(line, '\n') + 1, ++lines) {
        const char *build = strstr(line, ",here,");
        bool is_here = build && build < strchr(line, '\n');
        here += is_here;
        first += is_here && lines % 2 == 0;
    }
    ck_assert_uint_eq(lines, 12);
    ck_assert_uint_eq(here, 6);
    ck_assert_msg(first > 0 && first < 6, "this build came first in %zu of 6 pairs", first);
}

QD_TEST(test_other_states_are_told) {
    make_script("other", "#!/bin/sh\nshift\nexec \"$PROGRAM\" scale --set world.gravity='[0,-1]' \"$@\"\n");
    qd_program_outcome result = qd_program_succeed(
        &program, &(qd_program_start){.arguments = {"scale", "gas", "--against", "./other", "--bodies", "500",
                                                    "--threads", "1", "--steps", "5", "--repeats", "2", "-q",
                                                    "-o", "out"},
                                      .environment = {"PROGRAM=" QD_PROGRAM}});
    ck_assert_msg(strstr(result.out, "The builds read this scene differently") &&
                      strstr(result.out, "With fewer than 6 pairs nothing can be said"),
                  "%s", result.out);
}

QD_TEST(test_bad_programs) {
    make_script("idle", "#!/bin/sh\nexit 0\n");
    make_script("fails", "#!/bin/sh\nexit 7\n");
    make_script("dies", "#!/bin/sh\nkill -SEGV $$\n");
    static const struct {
        const char *program;
        int code;
        const char *named;
    } cases[] = {{"./none", 1, "./none cannot be started: No such file"},
                 {"./idle", 1, "./idle is no build to compare with"},
                 {"./fails", 7, "./fails with 1 threads ended with exit code 7"},
                 {"./dies", 1, "killed by signal 11"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        expect_refusal(RUN("scale", "gas", "--against", cases[i].program, "--bodies", "100", "--threads", "1",
                           "--steps", "2", "--repeats", "1", "-q", "-o", "out", "--force"),
                       cases[i].code, cases[i].named);
        ck_assert(!qd_scratch_exists(at("out/against.json").text));
        ck_assert(!qd_scratch_exists(at("out/.against").text));
    }
    expect_refusal(RUN("scale", "gas", "--against", QD_PROGRAM, "--weak", "-o", "out"), 2, "--weak");
}

QD_TEST(test_an_earlier_test_is_refused) {
    SUCCEED("scale", "gas", "--against", QD_PROGRAM, "--bodies", "100", "--threads", "1", "--steps", "2",
            "--repeats", "1", "-q", "-o", "out");
    expect_refusal(
        RUN("scale", "gas", "--bodies", "100", "--threads", "1", "--steps", "2", "-q", "-o", "out"), 4,
        "earlier test's against.csv");
}

QD_TEST_MAIN("against", 240, setup, teardown)
