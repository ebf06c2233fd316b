#include "tests/support/harness.h"
#include "tests/support/one_program.h"
#include "tests/support/spinners.h"
#include "tools/bench/choice.h"
#include "tools/bench/output.h"
#include "tools/bench/run.h"
#include "tools/bench/scenes.h"
#include "tools/host/cgroup.h"
#include "tools/host/os.h"
#include "tools/host/others.h"
#include "tools/host/simd_choice.h"
#include "tools/host/statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

QD_OWN_VALUE(qdi_bench_setting, qdi_bench_setting_free)

// The bench itself: its scenes, its statistics, what it makes of methods that disagree, its flags and its
// outputs.

QD_TEST(test_statistics) {
    double odd[] = {9, 1, 5, 3, 7}, one[] = {4}, even[] = {10, 20, 30, 40};
    qdi_statistics of = qdi_statistics_of(odd, 5);
    ck_assert(of.min == 1 && of.median == 5 && of.mean == 5 && of.spread == 4.0 / 5);
    of = qdi_statistics_of(one, 1);
    ck_assert(of.min == 4 && of.median == 4 && of.mean == 4 && of.spread == 0);
    of = qdi_statistics_of(even, 4);
    ck_assert(of.min == 10 && of.median == 25 && of.mean == 25 && of.spread == 15.0 / 25);
}

QD_TEST(test_scenes_are_what_they_say) {
    const qdi_bench_scene *scene;
    size_t count = 20000;
    for (size_t s = 0; (scene = qdi_bench_scene_at(s)) != NULL; ++s) {
        qd_own(qdi_bench_setting) setting;
        ck_assert(qdi_bench_setting_make(scene, 1, count, 1, qd_allocator_default(), &setting) == QD_OK);
        const qdi_bench_bodies *bodies = &setting.bodies;
        double area = 0, square = 0, least = HUGE_VAL, largest = 0;
        for (size_t i = 0; i < count; ++i) {
            ck_assert(fabs(bodies->x[i]) <= bodies->side / 2 && fabs(bodies->y[i]) <= bodies->side / 2);
            area += 3.141592653589793 * bodies->radius[i] * bodies->radius[i];
            square += bodies->vx[i] * bodies->vx[i] + bodies->vy[i] * bodies->vy[i];
            least = fmin(least, bodies->radius[i]);
            largest = fmax(largest, bodies->radius[i]);
        }
        ck_assert(fabs(area / (bodies->side * bodies->side) - scene->fill) < 1e-9);
        ck_assert(fabs(sqrt(square / (2.0 * (double)count)) / scene->speed - 1) < .03); // six standard errors
        ck_assert(largest == bodies->largest && least >= .5 && largest <= 50);
        ck_assert(scene->sizes ? largest > 40 && least < .51 : largest == .5);
    }
}

QD_TEST(test_speed_changes_velocities_alone) {
    const qdi_bench_scene *scene = qdi_bench_scene_at(0);
    size_t count = 500;
    qd_own(qdi_bench_setting) one, four;
    ck_assert(qdi_bench_setting_make(scene, 1, count, 1, qd_allocator_default(), &one) == QD_OK);
    ck_assert(qdi_bench_setting_make(scene, 4, count, 1, qd_allocator_default(), &four) == QD_OK);
    ck_assert(four.bodies.side == one.bodies.side);
    for (size_t i = 0; i < count; ++i) {
        ck_assert(four.bodies.vx[i] == 4 * one.bodies.vx[i] && four.bodies.vy[i] == 4 * one.bodies.vy[i]);
        ck_assert(four.bodies.x[i] == one.bodies.x[i] && four.bodies.radius[i] == one.bodies.radius[i]);
    }
}

QD_TEST(test_clusters_crowd) {
    double mean[2];
    const qdi_bench_scene *scenes[2];
    qd_error error;
    ck_assert(qdi_bench_choose_scene("clusters", &scenes[0], &error));
    ck_assert(qdi_bench_choose_scene("uniform", &scenes[1], &error));
    for (int s = 0; s < 2; ++s) { // squares of 1/32 of the side: how full is the one of a body, on average
        enum { ACROSS = 32, COUNT = 10000 };
        static size_t cells[ACROSS * ACROSS];
        memset(cells, 0, sizeof cells);
        qdi_bench_setting setting;
        ck_assert(qdi_bench_setting_make(scenes[s], 1, COUNT, 1, qd_allocator_default(), &setting) == QD_OK);
        for (size_t i = 0; i < COUNT; ++i) {
            size_t column = (size_t)fmin((setting.bodies.x[i] / setting.bodies.side + .5) * ACROSS,
                                         ACROSS - 1);
            size_t row = (size_t)fmin((setting.bodies.y[i] / setting.bodies.side + .5) * ACROSS, ACROSS - 1);
            cells[row * ACROSS + column] += 1;
        }
        mean[s] = 0;
        for (size_t c = 0; c < ACROSS * ACROSS; ++c) mean[s] += (double)(cells[c] * cells[c]) / COUNT;
        qdi_bench_setting_free(&setting);
    }
    ck_assert_msg(mean[0] > 3 * mean[1], "%g in clusters, %g else", mean[0], mean[1]);
}

QD_TEST(test_setting_without_memory) {
    qd_test_allocator allocator = qd_test_allocator_of(&allocator, 1);
    qdi_bench_setting setting;
    ck_assert(qdi_bench_setting_make(qdi_bench_scene_at(0), 1, 10, 1, &allocator.allocator, &setting) ==
              QD_ERR_MEMORY);
    ck_assert_uint_eq(allocator.live, 0);
}

/// A method that finds one pair, and from a step on another one.
typedef struct liar {
    qdi_bench_pair pair;
    int steps, until;
} liar;

static qd_status liar_create(const qdi_bench_bodies *bodies, const qdi_bench_options *options, void **made) {
    (void)bodies, (void)options;
    liar *state = qd_test_memory(sizeof *state);
    *state = (liar){{0, 1}, 0, 1000};
    *made = state;
    return QD_OK;
}

static qd_status late_liar_create(const qdi_bench_bodies *bodies, const qdi_bench_options *options,
                                  void **made) {
    qd_status status = liar_create(bodies, options, made);
    ((liar *)*made)->until = 5;
    return status;
}

static qd_status liar_step(void *given, qdi_bench_step *step) {
    liar *state = given;
    if (state->steps++ == state->until) state->pair.b = 2;
    step->ns[QDI_BENCH_PAIRS] = (uint64_t)state->steps;
    step->pairs = &state->pair;
    step->pair_count = 1;
    step->pair_stride = sizeof state->pair;
    return QD_OK;
}

static const qdi_bench_method honest = {
    .name = "honest", .create = liar_create, .step = liar_step, .destroy = free};
static const qdi_bench_method twin = {
    .name = "twin", .create = liar_create, .step = liar_step, .destroy = free};
static const qdi_bench_method lying = {
    .name = "lying", .create = late_liar_create, .step = liar_step, .destroy = free};

QD_TEST(test_methods_that_disagree_are_named) {
    qdi_bench_plan plan = {.scene = qdi_bench_scene_at(0),
                           .bodies = 4,
                           .seed = 1,
                           .methods = {&honest, &twin},
                           .method_count = 2,
                           .threads = 3,
                           .steps = 5,
                           .repeats = 3};
    qdi_bench_row rows[3];
    bool stopped = true;
    const char *failed;
    qd_error error = {""};
    ck_assert(qdi_bench_run(&plan, rows, &stopped, &failed) == QD_OK && !stopped);
    ck_assert(qdi_bench_rows_agree(rows, 2, &error));
    // Steps 4 to 8 of each repeat count; they take as many nanoseconds, for four bodies.
    ck_assert(rows[0].ns.median == 6.0 / 4 && rows[0].ns.min == 4.0 / 4 && rows[0].ns.mean == 6.0 / 4);
    ck_assert(rows[0].phases[QDI_BENCH_PAIRS] == 6.0 / 4 && rows[0].phases[QDI_BENCH_MOVE] == 0);
    ck_assert(rows[0].threads == 1 && rows[0].pairs == 1 && rows[0].all_pairs == 8);
    plan.methods[1] = &lying;
    ck_assert(qdi_bench_run(&plan, rows, &stopped, &failed) == QD_OK);
    ck_assert(!qdi_bench_rows_agree(rows, 2, &error));
    ck_assert_msg(strstr(error.text, "honest and lying with 4 bodies"), "%s", error.text);
    ck_assert_ptr_null(strchr(error.text, '\n'));
    rows[1] = rows[0];
    rows[1].steady = false;
    ck_assert(!qdi_bench_rows_agree(rows, 2, &error));
    rows[1] = rows[0];
    rows[1].all_pairs += 1;
    ck_assert(!qdi_bench_rows_agree(rows, 2, &error));
    rows[1].bodies = 5; // of other bodies it may find what it likes
    ck_assert(qdi_bench_rows_agree(rows, 2, &error));
}

static bool stop_soon(void *context) {
    int *left = context;
    return --*left > 0;
}

QD_TEST(test_a_run_can_be_stopped) {
    int left = 4;
    qdi_bench_plan plan = {.scene = qdi_bench_scene_at(0),
                           .bodies = 4,
                           .seed = 1,
                           .methods = {&honest},
                           .method_count = 1,
                           .threads = 1,
                           .steps = 5,
                           .repeats = 2,
                           .tick = stop_soon,
                           .context = &left};
    qdi_bench_row row;
    bool stopped = false;
    const char *failed;
    ck_assert(qdi_bench_run(&plan, &row, &stopped, &failed) == QD_OK && stopped);
    ck_assert_int_eq(left, 0);
}

/// Steps take 1, 2, 3, ... nanoseconds; after the second it is enough, and one more counts.
QD_TEST(test_patience_ends_a_repeat) {
    int ticks = 100;
    qdi_bench_plan plan = {.scene = qdi_bench_scene_at(0),
                           .bodies = 4,
                           .seed = 1,
                           .methods = {&honest, &lying},
                           .method_count = 2,
                           .threads = 1,
                           .steps = 9,
                           .repeats = 2,
                           .patience_ns = 2,
                           .tick = stop_soon,
                           .context = &ticks};
    qdi_bench_row rows[2];
    bool stopped = false;
    const char *failed;
    qd_error error;
    ck_assert(qdi_bench_run(&plan, rows, &stopped, &failed) == QD_OK && !stopped);
    ck_assert_int_eq(ticks, 100 - 2 * 2 * (9 + QDI_BENCH_DROPPED)); // the progress goes to its end
    ck_assert(rows[0].steps == 1 && rows[0].ns.mean == 3.0 / 4 && rows[0].ns.min == 3.0 / 4);
    ck_assert(rows[0].all_pairs == 1 && qdi_bench_rows_agree(rows, 2, &error)); // of the first step
    plan.patience_ns = 1000;
    ticks = 100;
    ck_assert(qdi_bench_run(&plan, rows, &stopped, &failed) == QD_OK);
    ck_assert(rows[0].steps == 9 && rows[0].ns.mean == 8.0 / 4);
}

QD_TEST(test_hash_forgets_the_order) {
    qdi_bench_pair pairs[] = {{1, 2}, {3, 4}, {2, 3}}, other[] = {{3, 2}, {2, 1}, {3, 4}},
                   wrong[] = {{1, 3}, {2, 4}, {2, 3}};
    qdi_bench_step step = {.pairs = pairs, .pair_count = 3, .pair_stride = sizeof *pairs};
    uint64_t hash = qdi_bench_pairs_hash(&step);
    step.pairs = other;
    ck_assert(qdi_bench_pairs_hash(&step) == hash);
    step.pairs = wrong;
    ck_assert(qdi_bench_pairs_hash(&step) != hash);
}

QD_TEST(test_choices) {
    qd_error error = {""};
    const qdi_bench_scene *scene;
    const qdi_bench_method *methods[QDI_BENCH_MOST_METHODS];
    size_t count, bodies[3], all = 0;
    ck_assert(!qdi_bench_choose_scene("unifrom", &scene, &error) && strstr(error.text, "uniform?"));
    ck_assert(!qdi_bench_choose_scene("moon", &scene, &error) && strstr(error.text, "sparse, dense"));
    ck_assert(qdi_bench_choose_methods("grid,brute,grid", methods, &count, &error) && count == 2);
    ck_assert(methods[0] == &qdi_bench_grid && methods[1] == &qdi_bench_brute);
    while (qdi_bench_method_at(all)) ++all;
    ck_assert(qdi_bench_choose_methods("grid,all", methods, &count, &error) && count == all);
    ck_assert(!qdi_bench_choose_methods("grid,qadtree", methods, &count, &error));
    ck_assert(strstr(error.text, "did you mean quadtree?") != NULL);
    ck_assert(!qdi_bench_choose_methods("grid,", methods, &count, &error));
    ck_assert(qdi_bench_choose_bodies("--x", "1e3,20,3.5e3", bodies, 3, &count, &error) && count == 3);
    ck_assert(bodies[0] == 1000 && bodies[1] == 20 && bodies[2] == 3500);
    static const char *const bad[] = {"", "0", "1.5", "1e9", "10,", ",10", "10 ", "-3", "1,2,3,4", "ten"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
        ck_assert_msg(!qdi_bench_choose_bodies("--x", bad[i], bodies, 3, &count, &error), "'%s'", bad[i]);
    double speed = -1;
    ck_assert(qdi_bench_choose_speed("2.5", &speed, &error) && speed == 2.5);
    ck_assert(qdi_bench_choose_speed("0", &speed, &error) && speed == 0);
    static const char *const bad_speeds[] = {"", "-1", "1001", ".inf", "1x", "fast"};
    for (size_t i = 0; i < sizeof bad_speeds / sizeof bad_speeds[0]; ++i)
        ck_assert_msg(!qdi_bench_choose_speed(bad_speeds[i], &speed, &error), "'%s'", bad_speeds[i]);
    qd_simd simd;
    ck_assert(qdi_simd_choose("mmx", &simd, &error) == QD_ERR_ARGUMENT && strstr(error.text, "avx512"));
    ck_assert(qdi_simd_choose(NULL, &simd, &error) == QD_OK && simd == qd_simd_best());
    ck_assert(qdi_simd_choose("portable", &simd, &error) == QD_OK && simd == QD_SIMD_PORTABLE);
}

QD_TEST(test_the_command_prints_a_table) {
    qd_program_outcome result = SUCCEED("bench", "--bodies", "500", "--steps", "3", "--repeats", "2",
                                        "--threads", "1");
    static const char *const said[] = {"scene uniform, speed 1: 500 bodies", "\ngrid ", "\nquadtree ",
                                       "times as fast as grid"};
    for (size_t i = 0; i < sizeof said / sizeof said[0]; ++i)
        ck_assert_msg(strstr(result.out, said[i]) != NULL, "does not say '%s': %s", said[i], result.out);
    ck_assert(strstr(result.err, "threads  1 (--threads)") != NULL);
    SUCCEED("bench", "--bodies", "500", "--steps", "40", "--repeats", "2", "--margin", "auto", "--speed",
            "0.002", "-q");
    result = SUCCEED("bench", "--bodies", "200", "--steps", "2", "--repeats", "1", "-q");
    ck_assert_str_eq(result.err, "");
}

static void expect_row(const json_t *row, const char *method, json_int_t bodies) {
    static const char *const texts[] = {"scene", "simd", "hash", "commit", "compiler", "flags", "cpu"};
    static const char *const numbers[] = {"threads", "ns_per_body", "min",   "median",  "mean",
                                          "spread",  "pairs",       "steps", "repeats", "bytes_per_body"};
    ck_assert_str_eq(json_string_value(json_object_get(row, "method")), method);
    ck_assert_int_eq(json_integer_value(json_object_get(row, "bodies")), bodies);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i)
        ck_assert_msg(json_string_length(json_object_get(row, texts[i])) > 0, "no %s", texts[i]);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
        ck_assert_msg(json_is_number(json_object_get(row, numbers[i])), "no %s", numbers[i]);
    ck_assert(json_number_value(json_object_get(row, "speed")) == 2.5);
    const json_t *leavers = json_object_get(row, "leavers"); // who knows says
    ck_assert_int_eq(leavers != NULL, strcmp(method, "quadtree") == 0);
    ck_assert(!leavers || (json_number_value(leavers) > 0 && json_number_value(leavers) < 100));
    const json_t *phases = json_object_get(row, "phases");
    ck_assert_uint_eq(json_object_size(phases), QDI_BENCH_PHASES);
    ck_assert(json_number_value(json_object_get(row, "min")) > 0);
    ck_assert(json_number_value(json_object_get(row, "min")) <=
              json_number_value(json_object_get(row, "median")));
}

/// The names of a CSV file's last column and its first line's value.
static bool csv_says(const char *name, const char *value) {
    char *csv = qd_scratch_read(qd_scratch_at(&program.work, "rows.csv").text, NULL), end[64];
    ck_assert_ptr_nonnull(csv);
    snprintf(end, sizeof end, ",%s\n", name);
    const char *line = strstr(csv, end);
    ck_assert_msg(line != NULL, "%s", csv);
    line = strchr(line + 1, '\n') + 1;
    snprintf(end, sizeof end, ",%s\n", value);
    bool said = strncmp(strchr(line, '\n') + 1 - strlen(end), end, strlen(end)) == 0;
    free(csv);
    return said;
}

QD_TEST(test_a_busy_machine) {
    if (qdi_cgroup_quota("") > 0) return; // what is left of the machine cannot be told then
    qd_spinners spinners = qd_spinners_start(3 * qdi_host_cores());
    qd_program_outcome table = RUN("bench", "--bodies", "2e4", "--steps", "40", "-q", "--csv", "rows.csv"),
                       json = RUN("bench", "--bodies", "2e4", "--steps", "40", "-q", "--json");
    qd_spinners_stop(&spinners);
    ck_assert_msg(table.code == 0 && json.code == 0, "%s%s", table.err, json.err);
    ck_assert_msg(strstr(table.out, "\nNot reliable: other programs kept ") != NULL, "%s", table.out);
    ck_assert(csv_says("reliable", "no"));
    ck_assert_msg(strstr(json.out, "\"reliable\": false") && strstr(json.out, "\"unreliable\": \"other"),
                  "%s", json.out);
}

static void put_nothing(qdi_bench_sheet *sheet, const void *report, size_t row) {
    (void)report, (void)row;
    qdi_bench_put_known(sheet, QDI_BENCH_OWN, "nothing", false, 0);
}

QD_TEST(test_when_others_are_in_the_way) {
    ck_assert_str_eq(qdi_others_judge(0, 2, 2).text, "");
    ck_assert_str_eq(qdi_others_judge(.09, 2, 2).text, "");
    ck_assert_str_eq(qdi_others_judge(.9, 2, 1).text, ""); // there is room for them
    ck_assert_str_eq(qdi_others_judge(-.2, 1, 7).text, "");
    ck_assert_str_eq(qdi_others_judge(.11, 2, 2).text,
                     "other programs kept 0.11 of 2 processors busy meanwhile");
    ck_assert_str_eq(qdi_others_judge(1, 1, 9).text, "other programs kept 1 of 1 processor busy meanwhile");
    const qdi_others_start start = {.clock_ns = 0, .machine_ns = UINT64_MAX};
    ck_assert_str_eq(qdi_others_end(&start, 1).text, ""); // a count that goes backwards says nothing
    const qdi_bench_origin good = {"c", "g", "f", "p", "", NULL};
    FILE *file = fopen(qd_scratch_at(&program.work, "rows.csv").text, "wb");
    ck_assert_ptr_nonnull(file);
    qdi_bench_write_csv(file, &good, &(qdi_bench_results){.count = 1, .fields = put_nothing});
    qdi_bench_print_reliability(file, &good);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert(csv_says("reliable", "yes"));
}

QD_TEST(test_json_and_csv_have_the_same_rows) {
    json_t *whole = qd_program_json(RUN("bench", "--sweep-bodies", "200,1e3", "--methods",
                                        "brute,quadtree,grid", "--steps", "2", "--repeats", "2", "--json",
                                        "--csv", "new/folder/rows.csv", "-q", "--scene", "sizes", "--speed",
                                        "2.5"),
                                    0);
    const json_t *rows = json_object_get(whole, "rows");
    ck_assert_uint_eq(json_array_size(rows), 6);
    static const char *const methods[] = {"brute", "quadtree", "grid"};
    qd_own_memory char *csv = qd_scratch_read(qd_scratch_at(&program.work, "new/folder/rows.csv").text, NULL);
    ck_assert_ptr_nonnull(csv);
    const char *line = csv;
    ck_assert(strncmp(line, "method,scene,speed,bodies,threads,simd,", 39) == 0);
    for (size_t i = 0; i < 6; ++i) {
        const json_t *row = json_array_get(rows, i);
        expect_row(row, methods[i % 3], i < 3 ? 200 : 1000);
        char start[64];
        snprintf(start, sizeof start, "%s,sizes,2.5,%d,", methods[i % 3], i < 3 ? 200 : 1000);
        line = strchr(line, '\n') + 1;
        ck_assert_msg(strncmp(line, start, strlen(start)) == 0, "%s", line);
        const char *hash = json_string_value(json_object_get(row, "hash"));
        ck_assert_str_eq(hash, json_string_value(json_object_get(json_array_get(rows, i / 3 * 3), "hash")));
        ck_assert(strstr(line, hash) != NULL);
    }
    ck_assert_str_eq(strchr(line, '\n'), "\n");
    json_decref(whole);
}

/// Text and CSV file have each method once for each number of bodies, in the order of their ideas.
QD_TEST(test_the_ladder) {
    static const char *const methods[] = {"brute",     "published-a", "lineage-a", "lineage-b", "lineage-c",
                                          "lineage-e", "rebuild",     "each",      "quadtree",  "margin"};
    qd_program_outcome result = SUCCEED("bench", "--ladder", "--sweep-bodies", "300,700", "--steps", "3",
                                        "--repeats", "1", "-q", "--csv", "ladder.csv");
    ck_assert_msg(strstr(result.out, "scene uniform, speed 0.1: 300 bodies") != NULL, "%s", result.out);
    qd_own_memory char *csv = qd_scratch_read(qd_scratch_at(&program.work, "ladder.csv").text, NULL);
    ck_assert_ptr_nonnull(csv);
    ck_assert_ptr_nonnull(strstr(csv, ",pairs,missed,tests,hash,"));
    const char *text = result.out, *line = csv;
    unsigned long pairs = 0;
    for (size_t i = 0; i < 20; ++i) {
        char start[64];
        snprintf(start, sizeof start, "\n%s ", methods[i % 10]);
        text = strstr(text, start);
        ck_assert_msg(text != NULL, "no %s: %s", methods[i % 10], result.out);
        text += 1;
        line = strchr(line, '\n') + 1;
        snprintf(start, sizeof start, "%s,uniform,0.1,%d,1,", methods[i % 10], i < 10 ? 300 : 700);
        ck_assert_msg(strncmp(line, start, strlen(start)) == 0, "%s", line);
        double tests = 0;
        unsigned long found = 0, missed = 0;
        ck_assert_int_eq(sscanf(text, "%*s %lf %lu %lu", &tests, &found, &missed), 3);
        if (i % 10 == 0) pairs = found;
        ck_assert_uint_eq(found + missed, pairs);
        ck_assert_int_eq(missed > 0, i % 10 == 1);
        ck_assert(tests > 0 && (i % 10 != 0 || tests == (i < 10 ? 149.5 : 349.5)));
    }
    expect_refusal(RUN("bench", "--ladder", "--rigid", "gas"), 2, "does not go with");
    expect_refusal(RUN("bench", "--ladder", "--spring", "gas"), 2, "does not go with");
    expect_refusal(RUN("bench", "--ladder", "--frames"), 2, "does not go with");
}

QD_TEST(test_a_sweep_shows_growth) {
    qd_program_outcome result = SUCCEED("bench", "--sweep-bodies", "1e3,25e3", "--methods", "brute,grid",
                                        "--steps", "1", "--repeats", "1");
    ck_assert_msg(strstr(result.err, "left out with 25000 bodies") != NULL, "%s", result.err);
    ck_assert(strstr(result.out, "bytes per body\n") != NULL);
    const char *line = strstr(strstr(result.out, "(median)"), "\nbrute");
    ck_assert_ptr_nonnull(line);
    ck_assert(strcspn(line + 1, "-") < strcspn(line + 1, "\n")); // a dash where it was left out
}

QD_TEST(test_what_is_wrong_is_said_in_one_line) {
    expect_refusal(RUN("bench", "--methods", "brut"), 2, "did you mean brute?");
    expect_refusal(RUN("bench", "--methods", "bullet"), 2,
                   "'bullet' is no method of this build; there are: brute");
    expect_refusal(RUN("bench", "--scene", "pool"), 2, "there are: uniform, sizes");
    expect_refusal(RUN("bench", "--bodies", "1e3,1e4"), 2, "--sweep-bodies");
    expect_refusal(RUN("bench", "--bodies", "10", "--sweep-bodies", "10"), 2, "cannot both");
    expect_refusal(RUN("bench", "--speed", "-1"), 2, "from 0 to 1000");
    expect_refusal(RUN("bench", "--simd", "sse9"), 2, "sse9");
    expect_refusal(RUN("bench", "--margin", "wide"), 2, "--margin: 'wide' is not a number >= 0, or auto");
    qd_scratch_write(qd_scratch_at(&program.work, "nowhere").text, "a file");
    expect_refusal(RUN("bench", "--csv", "nowhere/rows.csv"), 4, "nowhere");
    expect_refusal(RUN("bench", "--bodies", "30000", "--methods", "brute", "-q"), 2, "none of these methods");
}

QD_TEST_LOOP(test_a_plot_is_drawn_or_its_lack_explained, 0, 2) {
    qd_program_outcome result = RUN("bench", "--plot", "growth.png", "--sweep-bodies", "100,200", "--steps",
                                    "1", "--repeats", "1", "-q", _i ? "--ladder" : NULL);
    if (result.code == 0) {
        size_t bytes = 0;
        qd_own_memory char *png = qd_scratch_read(qd_scratch_at(&program.work, "growth.png").text, &bytes);
        ck_assert(bytes > 1000 && memcmp(png, "\x89PNG", 4) == 0);
    } else {
        expect_refusal(result, 1, "gnuplot");
    }
}

/// What the program `name` is given is what it "draws".
static void make_copying(const char *name) {
    char command[600];
    snprintf(command, sizeof command,
             "mkdir '%s/bin' && cd '%s/bin' && printf '#!/bin/sh\\nexec cat\\n' >%s && chmod +x %s",
             program.work.path, program.work.path, name, name);
    ck_assert_int_eq(system(command), 0); // NOLINT(cert-env33-c): the command is ours
}

/// No name of a file reaches gnuplot, for which some are commands.
QD_TEST(test_gnuplot_sees_no_path) {
    static const char *const paths[] = {"|touch PWNED", "a'b.png", "`touch PWNED`.png"};
    make_copying("gnuplot");
    char path[600];
    snprintf(path, sizeof path, "PATH=%s/bin:/usr/bin:/bin", program.work.path);
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; ++i) {
        const qd_program_start start = {.arguments = {"bench", "--methods", "grid", "--bodies", "100",
                                                      "--steps", "1", "--repeats", "1", "-q", "--plot",
                                                      paths[i]},
                                        .environment = {path}};
        qd_program_succeed(&program, &start);
        size_t bytes = 0;
        qd_own_memory char *script = qd_scratch_read(qd_scratch_at(&program.work, paths[i]).text, &bytes);
        ck_assert_msg(strncmp(script, "set terminal", 12) == 0 && !strstr(script, paths[i]), "%s", script);
    }
    ck_assert(!qd_scratch_exists(qd_scratch_at(&program.work, "PWNED").text));
}

QD_TEST_MAIN("bench", 120, setup, teardown)
