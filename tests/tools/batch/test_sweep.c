#define _GNU_SOURCE // posix_openpt
#include "tests/support/harness.h"
#include "tests/support/one_program.h"
#include "tests/support/stores.h"
#include "tests/support/sweeps.h"

#include <fcntl.h>
#include <glob.h>
#include <quadrille/field.h>
#include <quadrille/store.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// `quadrille sweep` at work: what it leaves, what it does not do again, shares, scripts for others, and what
// it says.

enum { REPLICAS = 2, STEPS = 60 };

static void setup_with_file(void) {
    setup();
    qd_sweeps_write(&program, "s.yaml", REPLICAS, STEPS);
}

#define SWEEP(dir, ...)     sweep("s.yaml", dir, (const char *const[]){__VA_ARGS__, NULL})
#define EXPECT(said, words) ck_assert_msg(strstr(said, words) != NULL, "does not say '%s': %s", words, said)

/// Sweeps and gives the exit code; what is said on stderr must be one line, or two where it was stopped.
static int sweep(const char *name, const char *directory, const char *const *more) {
    qd_program_start start = qd_sweeps_start(name, directory, more);
    qd_program_outcome outcome = qd_program_run(&program, &start);
    int code = outcome.code;
    ck_assert_msg(code == 0 || strncmp(outcome.err, "quadrille: ", 11) == 0, "exit %d: %s", code,
                  outcome.err);
    return code;
}

/// A value of the JSON that the program prints.
static json_int_t whole(const qd_program_outcome *outcome, const char *key) {
    json_error_t error;
    json_t *root = json_loads(outcome->out, JSON_REJECT_DUPLICATES, &error);
    ck_assert_msg(root != NULL, "%s: %s", error.text, outcome->out);
    ck_assert_msg(json_is_integer(json_object_get(root, key)), "no %s: %s", key, outcome->out);
    json_int_t value = json_integer_value(json_object_get(root, key));
    json_decref(root);
    return value;
}

QD_TEST(a_sweep_and_what_it_leaves) {
    qd_program_outcome outcome = RUN("sweep", "s.yaml", "-o", "out", "--jobs", "2", "--threads", "1");
    ck_assert_msg(outcome.code == 1, "exit %d: %s", outcome.code, outcome.err);
    ck_assert_str_eq(outcome.out, "");
    EXPECT(outcome.err, "sweep    sweep: 12 points");
    EXPECT(outcome.err, "to do    8 of them; 0 are done, 4 have failed");
    EXPECT(outcome.err, "jobs     2 at a time with 1 thread each");
    EXPECT(outcome.err, "disk     about ");
    EXPECT(outcome.err,
           "point 5 (contact.restitution=1.5, limits.speed=1000, replica 1) is no valid scene: exit 3: ");
    EXPECT(outcome.err, "; 3 more for the same reason: 6, 7, 8\n");
    EXPECT(outcome.err, "point 3 (contact.restitution=0.3, limits.speed=4, replica 1) failed: exit 5: step ");
    EXPECT(outcome.err, "12 points: 4 done (0 before), 8 failed, 0 to do");
    EXPECT(outcome.err, "quadrille: 8 of 12 points failed: 3, 4, 5, 6, 7, 8, 11, 12; ");
    qd_sweeps_expect_once(&program, "out", qd_sweeps_done(REPLICAS));
    qd_program_expect_no_parts(at("out").text);
    ck_assert(!qd_scratch_exists(at("out/sweep.lock").text));
    char *kept = qd_scratch_read(at("out/sweep.yaml").text, NULL),
         *given = qd_scratch_read(at("s.yaml").text, NULL);
    ck_assert_str_eq(kept, given);
    free(kept);
    free(given);
    // A point is what the plain command makes of it, hash and all.
    qd_program_succeed(&program,
                       &(qd_program_start){.arguments = {"run", "tiny.yaml", "-o", "one", "-q", "--set",
                                                         "contact.restitution=0.6", "--steps", "60", "--set",
                                                         "limits.speed=1000"}});
    char expected[256];
    snprintf(expected, sizeof expected, "done|0|%s|%s\n",
             qd_program_result_text(&program, "one", "state_hash").text,
             qd_program_result_text(&program, "one", "scene_hash").text);
    qd_test_sql_is(at("out/sweep.db").text, "SELECT status, code, state_hash, id FROM sweep WHERE point = 9",
                   expected);
    qd_test_sql_is(at("out/sweep.db").text,
                   "SELECT sum(balance_error BETWEEN 0 AND 1), sum(balance_error = last_balance_error), "
                   "sum(balance_error > 0) > 0 FROM sweep",
                   "4|4|1\n");
    qd_own_memory char *table = qd_scratch_read(at("out/sweep.csv").text, NULL);
    ck_assert(table && strstr(table, ",energy_last,balance_error,"));
    qd_test_sql_is(
        at("out/sweep.db").text,
        "SELECT count(*), count(DISTINCT id), sum(last_step = 60), sum(last_kinetic > 0) FROM sweep",
        "12|12|4|4\n");
    qd_test_sql_is(at("out/sweep.db").text, "SELECT name, text LIKE 'scene: tiny.yaml%' FROM about",
                   "sweep|1\n");
    qd_test_sql_is(
        at("out/sweep.db").text,
        "SELECT DISTINCT code, directory = 'runs/' || id, reason LIKE '%must be a number from 0 to 1%' OR"
        " reason LIKE 'step %faster than limits.speed%' FROM sweep WHERE status = 'failed' ORDER BY code",
        "3|0|1\n5|1|1\n");
}

/// A sweep of two points with columns of fields; the rows of its files are of steps 0, 20, 40 and 60.
static const char with_columns[] = "scene: tiny.yaml\n"
                                   "set: {run.steps: 60, record.fields: {every: 20, cells: [2, 3]}}\n"
                                   "axes: [{key: contact.restitution, list: [0.3, 0.6]}]\n"
                                   "columns:\n"
                                   "  - {field: mass_density, cell: [1, 0]}\n"
                                   "  - {field: number_density}\n"
                                   "  - {field: mass_density, cell: [0, 2], rows: 3, name: above}\n"
                                   "  - {field: pressure, rows: 100, name: weight}\n";

/// A mean of what one quantity is in cells of the rows of a run, from the store's own fields.
static double mean_of(const char *run, const char *names, uint64_t from, size_t first, size_t last) {
    char path[600];
    snprintf(path, sizeof path, "out/%s/run.db", run);
    qd_store *store = qd_test_store_open(at(path).text, QD_STORE_READ);
    double sum = 0, count = 0;
    for (qd_store_fields row; qd_store_next_fields(store, from, &row, NULL) == QD_OK;) {
        double in_row = 0, cells = 0;
        for (size_t c = first; c <= last; ++c) {
            double value = 0;
            for (size_t q = 0; q < QD_FIELD_QUANTITIES; ++q)
                if (strstr(names, qd_field_name((qd_field_quantity)q))) value += row.values[q * 6 + c];
            if (value != value) continue;
            in_row += value;
            cells += 1;
        }
        if (cells > 0) sum += in_row / cells;
        count += cells > 0;
        from = row.step + 1;
        qd_store_fields_free(store, &row);
    }
    qd_test_store_close(&store);
    return sum / count;
}

QD_TEST(columns_of_fields) {
    qd_scratch_write(at("c.yaml").text, with_columns);
    ck_assert_int_eq(sweep("c.yaml", "out", (const char *const[]){NULL}), 0);
    qd_own_memory char *table = qd_scratch_read(at("out/sweep.csv").text, NULL);
    EXPECT(table, ",mass_density_1_0,number_density_mean,above,weight,directory,");
    for (int point = 1; point <= 2; ++point) {
        char sql[200];
        snprintf(sql, sizeof sql, "SELECT directory FROM sweep WHERE point = %d", point);
        qd_own_memory char *run = qd_test_sql(at("out/sweep.db").text, sql);
        run[strcspn(run, "\n")] = '\0';
        snprintf(sql, sizeof sql,
                 "SELECT mass_density_1_0, number_density_mean, above, weight FROM sweep WHERE point = %d",
                 point);
        qd_own_memory char *row = qd_test_sql(at("out/sweep.db").text, sql);
        double value[4] = {0};
        ck_assert_int_eq(sscanf(row, "%lf|%lf|%lf|%lf", &value[0], &value[1], &value[2], &value[3]), 4);
        const double expected[4] = {
            mean_of(run, "mass_density", 60, 1, 1), mean_of(run, "number_density", 60, 0, 5),
            mean_of(run, "mass_density", 20, 4, 4),
            0.5 * mean_of(run, "kinetic_xx kinetic_yy contact_xx contact_yy", 0, 0, 5)};
        for (int k = 0; k < 4; ++k)
            ck_assert_msg(value[k] > expected[k] - 1e-9 && value[k] < expected[k] + 1e-9,
                          "%d: %.17g, not %.17g", k, value[k], expected[k]);
        ck_assert(value[1] > 0 && value[3] > 0);
    }
    // The same again from what is there, and in the page.
    ck_assert_int_eq(sweep("c.yaml", "out", (const char *const[]){NULL}), 0);
    qd_own_memory char *again = qd_scratch_read(at("out/sweep.csv").text, NULL);
    ck_assert_str_eq(table, again);
    SUCCEED("report", "out", "-q");
    qd_own_memory char *page = qd_scratch_read(at("out/report.html").text, NULL);
    EXPECT(page, "\"number_density_mean\"");
}

QD_TEST(columns_that_are_refused) {
    static const struct {
        const char *columns, *said;
    } cases[] = {
        {"[{field: area_fracton}]",
         "field: \"area_fracton\" is no quantity of fields; did you mean \"area_fraction\"?"},
        {"[{cell: [0, 0]}]", "a column needs a field, such as area_fraction"},
        {"{field: pressure}", "columns must be a list (- field: ...)"},
        {"[{field: pressure, cell: 3}]", "cell must be two numbers from 0, along x and along y: [3, 0]"},
        {"[{field: pressure, cell: [1, -1]}]", "cell must be a whole number from 0 to 16383"},
        {"[{field: pressure, rows: 0}]", "rows must be a whole number from 1 to 10000"},
        {"[{field: pressure, step: 3}]", "unknown key \"step\" in a column"},
        {"[{field: pressure, name: 2x}]", "name of a column must be up to 63 letters, digits and _"},
        {"[{field: pressure, name: last_msd}]", "there are two columns last_msd: give one a name of its own"},
        {"[{field: pressure}, {field: pressure, rows: 2}]", "there are two columns pressure_mean"},
        {"[{field: pressure, cell: [2, 0]}]", "column pressure_2_0: there is no cell [2, 0] among 2 by 3"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[400];
        snprintf(
            text, sizeof text,
            "scene: tiny.yaml\nset: {record.fields: {every: 20, cells: [2, 3]}}\nreplicas: 2\ncolumns: %s\n",
            cases[i].columns);
        qd_scratch_write(at("c.yaml").text, text);
        expect_refusal(RUN("sweep", "c.yaml", "-o", "out"), 3, cases[i].said);
    }
    qd_scratch_write(at("c.yaml").text, "scene: tiny.yaml\nreplicas: 2\ncolumns: [{field: pressure}]\n");
    expect_refusal(RUN("sweep", "c.yaml", "-o", "out"), 3,
                   "the sweep has columns of fields, but record.fields.every is 0");
}

/// Number of a file, which is another when it was written anew.
static ino_t file_number(const char *path) {
    struct stat facts;
    ck_assert_int_eq(stat(path, &facts), 0);
    return facts.st_ino;
}

QD_TEST(what_is_done_is_not_done_again_and_a_sweep_may_grow) {
    ck_assert_int_eq(SWEEP("out", "--jobs", "2"), 1);
    qd_own_memory char *directory = qd_test_sql(at("out/sweep.db").text,
                                                "SELECT directory FROM sweep WHERE point = 1");
    char path[128];
    snprintf(path, sizeof path, "out/%.*s/result.json", (int)strcspn(directory, "\n"), directory);
    ino_t before = file_number(at(path).text);
    qd_program_outcome outcome = RUN("sweep", "s.yaml", "-o", "out", "--json", "-q");
    ck_assert_int_eq(outcome.code, 1);
    ck_assert_int_eq(whole(&outcome, "done_before"), 4);
    ck_assert_int_eq(whole(&outcome, "failed"), 8);
    // Longer axes, one more of them with a value that was there, more replicas.
    qd_scratch_write(at("more.yaml").text, "scene: tiny.yaml\n"
                                           "set: {run.steps: 60}\n"
                                           "axes:\n"
                                           "  - {key: contact.friction, list: [0.2, 0]}\n"
                                           "  - {key: limits.speed, list: [1000]}\n"
                                           "  - {key: contact.restitution, list: [0.2, 0.3, 0.6]}\n"
                                           "replicas: 3\n");
    outcome = SUCCEED("sweep", "more.yaml", "-o", "out", "--json", "-q");
    ck_assert_int_eq(whole(&outcome, "points"), 18);
    ck_assert_int_eq(whole(&outcome, "done"), 18);
    ck_assert_int_eq(whole(&outcome, "done_before"), 4);
    ck_assert_uint_eq(file_number(at(path).text), before);
    qd_sweeps_expect_once(&program, "out", 18);
    // What is no more part of the sweep is out of the way, and kept: four runs that had failed.
    qd_test_sql_is(at("out/sweep.db").text, "SELECT count(*) FROM sweep; ", "18\n");
    ck_assert_uint_eq(qd_scratch_count(at("out/runs").text), 22);
}

QD_TEST(failures_are_tried_again_when_told_to) {
    // No file of a run may be longer than this: every run breaks off.
    qd_program_start start = qd_sweeps_start("s.yaml", "out", NULL);
    start.file_limit = 100000;
    qd_program_expect(qd_program_run(&program, &start), 1, NULL, NULL);
    qd_test_sql_is(at("out/sweep.db").text, "SELECT code, count(*) FROM sweep GROUP BY code", "3|4\n4|8\n");
    ck_assert_int_eq(SWEEP("out", "--jobs", "2"), 1); // kept
    qd_test_sql_is(at("out/sweep.db").text, "SELECT code, count(*) FROM sweep GROUP BY code", "3|4\n4|8\n");
    ck_assert_int_eq(SWEEP("out", "--jobs", "2", "--retry"), 1);
    ck_assert_int_eq(SWEEP("good", "--jobs", "2"), 1);
    qd_sweeps_expect_same(&program, "good", "out");
    // What has passed a limit begins anew and passes it again.
    ck_assert_int_eq(SWEEP("out", "--retry"), 1);
    qd_sweeps_expect_same(&program, "good", "out");
    qd_sweeps_expect_once(&program, "out", qd_sweeps_done(REPLICAS));
}

QD_TEST(a_dry_run_tells_and_changes_nothing) {
    qd_program_outcome outcome = SUCCEED("sweep", "s.yaml", "-o", "out", "--dry-run");
    EXPECT(outcome.out, "point   contact.restitution  limits.speed  replica  seed");
    EXPECT(outcome.out,
           "\n1       0.3                  1000          1        3                to do      runs/");
    EXPECT(outcome.out, "not valid: --set contact.restitution=1.5");
    EXPECT(outcome.err, "8 of them; 0 are done, 4 have failed");
    EXPECT(outcome.err, "disk     about 1.");
    ck_assert(!qd_scratch_exists(at("out").text));
    ck_assert_int_eq(SWEEP("out", "--shard", "1/3"), 1);
    size_t files = qd_scratch_count(at("out").text);
    outcome = SUCCEED("sweep", "s.yaml", "-o", "out", "--dry-run", "--json", "-q");
    ck_assert_int_eq(whole(&outcome, "points"), 12);
    ck_assert_int_eq(whole(&outcome, "done"), 2);
    json_t *root = json_loads(outcome.out, 0, NULL);
    const json_t *all = json_object_get(root, "all_points"), *point = json_array_get(all, 9);
    ck_assert_uint_eq(json_array_size(all), 12);
    ck_assert_str_eq(
        json_string_value(json_object_get(json_object_get(point, "values"), "contact.restitution")), "0.6");
    ck_assert_str_eq(json_string_value(json_object_get(point, "status")), "done");
    json_decref(root);
    ck_assert_uint_eq(qd_scratch_count(at("out").text), files);
    ck_assert(!qd_scratch_exists(at("out/sweep.db").text));
}

QD_TEST(points_that_are_the_same_are_named_and_run_once) {
    qd_scratch_write(at("t.yaml").text, "scene: tiny.yaml\naxes:\n"
                                        "  - {key: contact.friction, list: [0.5, 0.50, 1, 5e-1]}\n");
    qd_program_outcome outcome = SUCCEED("sweep", "t.yaml", "-o", "out");
    EXPECT(outcome.err, "point 2 (contact.friction=0.50) is the same run as point 1 and is left out");
    EXPECT(outcome.err, "point 4 (contact.friction=5e-1) is the same run as point 1 and is left out");
    EXPECT(outcome.err, "2 points, and 2 that are the same as others");
    qd_test_sql_is(at("out/sweep.db").text, "SELECT group_concat(point) FROM sweep", "1,3\n");
    qd_sweeps_expect_once(&program, "out", 2);
}

QD_TEST(texts_and_lists_find_their_way) {
    qd_scratch_write(at("odd, \"name\".yaml").text, "scene: tiny.yaml\nset: {name: \"it-s\"}\naxes:\n"
                                                    "  - {key: world.gravity, list: [[0, -1], [1, 0]]}\n"
                                                    "  - {key: bodies, list: [5, 8]}\n");
    int code = sweep("odd, \"name\".yaml", "out", NULL);
    ck_assert_int_eq(code, 0);
    qd_own_memory char *csv = qd_scratch_read(at("out/sweep.csv").text, NULL);
    EXPECT(csv, "point,world.gravity,bodies,replica,seed,status,state_hash,");
    EXPECT(csv, "\n4,\"[1, 0]\",8,1,3,done,");
    qd_test_sql_is(at("out/sweep.db").text, "SELECT group_concat(last_bodies) FROM sweep", "5,8,5,8\n");
    json_t *result = NULL;
    qd_own_memory char *directory = qd_test_sql(at("out/sweep.db").text,
                                                "SELECT directory FROM sweep WHERE point = 4");
    char path[128];
    snprintf(path, sizeof path, "out/%.*s", (int)strcspn(directory, "\n"), directory);
    result = qd_program_result(&program, path);
    ck_assert_str_eq(json_string_value(json_object_get(result, "scene")), "it-s");
    json_decref(result);
}

// ---- shares, and others that run them ----

/// Replicas of the sweep that others run; large effort: some 200 points.
static unsigned write_for_others(void) {
    unsigned replicas = (unsigned)qd_test_effort(4);
    replicas = replicas > 34 ? 34 : replicas < 2 ? 2 : replicas;
    qd_sweeps_write(&program, "s.yaml", replicas, STEPS);
    return replicas;
}

QD_TEST(shares_make_the_same_rows) {
    unsigned replicas = write_for_others();
    ck_assert_int_eq(SWEEP("good", "--jobs", "2"), 1);
    pid_t children[4];
    qd_program programs[4];
    for (int i = 0; i < 4; ++i) { // all at once
        char share[16];
        snprintf(share, sizeof share, "%d/4", i + 1);
        programs[i] = program;
        programs[i].capture = qd_scratch_make();
        qd_program_start start = qd_sweeps_start("s.yaml", "out",
                                                 (const char *const[]){"--shard", share, NULL});
        children[i] = qd_program_launch(&programs[i], &start);
    }
    for (int i = 0; i < 4; ++i) {
        qd_program_outcome outcome = qd_program_await(&programs[i], children[i]);
        ck_assert_msg(outcome.code == 1, "share %d: exit %d: %s", i + 1, outcome.code, outcome.err);
        qd_scratch_remove(&programs[i].capture);
    }
    ck_assert(qd_scratch_exists(at("out/sweep.2-of-4.db").text));
    ck_assert(qd_scratch_exists(at("out/sweep.2-of-4.csv").text));
    ck_assert(!qd_scratch_exists(at("out/sweep.db").text));
    ck_assert_int_eq(SWEEP("out", "--merge"), 1);
    qd_sweeps_expect_same(&program, "good", "out");
    qd_sweeps_expect_once(&program, "out", qd_sweeps_done(replicas));
    ck_assert(!qd_scratch_exists(at("out/sweep.2-of-4.db").text));
    ck_assert(!qd_scratch_exists(at("out/sweep.2-of-4.csv").text));
    // Runs that somebody else has made count as well; and what is not there is said to be to do.
    ck_assert_int_eq(SWEEP("half", "--shard", "1/2"), 1);
    ck_assert_int_eq(SWEEP("half", "--merge"), 75);
    ck_assert_int_eq(SWEEP("half", "--jobs", "2"), 1);
    qd_sweeps_expect_same(&program, "good", "half");
}

QD_TEST(a_job_array_has_shares) {
    static const struct {
        const char *id, *count, *least, *most;
        int code;
        const char *file;
    } cases[] = {{"2", "4", "1", "4", 1, "out/sweep.2-of-4.db"},
                 {"6", "4", "0", "6", 2, NULL}, // not every second: unknown
                 {"0", "4", "0", "3", 1, "out/sweep.1-of-4.db"},
                 {"9", "4", "1", "4", 2, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char variables[4][64];
        snprintf(variables[0], 64, "SLURM_ARRAY_TASK_ID=%s", cases[i].id);
        snprintf(variables[1], 64, "SLURM_ARRAY_TASK_COUNT=%s", cases[i].count);
        snprintf(variables[2], 64, "SLURM_ARRAY_TASK_MIN=%s", cases[i].least);
        snprintf(variables[3], 64, "SLURM_ARRAY_TASK_MAX=%s", cases[i].most);
        qd_program_start start = qd_sweeps_start("s.yaml", "out", NULL);
        for (size_t k = 0; k < 4; ++k) start.environment[k] = variables[k];
        qd_program_outcome outcome = qd_program_run(&program, &start);
        ck_assert_msg(outcome.code == cases[i].code, "case %zu: exit %d: %s", i, outcome.code, outcome.err);
        if (cases[i].file) ck_assert_msg(qd_scratch_exists(at(cases[i].file).text), "no %s", cases[i].file);
    }
}

QD_TEST(a_job_script_runs_as_it_is) {
    ck_assert_int_eq(SWEEP("good", "--jobs", "2"), 1);
    qd_program_outcome outcome = SUCCEED("sweep", "s.yaml", "-o", "it's out", "--emit", "slurm", "--jobs",
                                         "3");
    EXPECT(outcome.out, "#!/bin/bash\n#SBATCH --job-name=sweep\n#SBATCH --array=1-3\n");
    qd_scratch_write(at("job").text, outcome.out);
    // Stands in for Slurm's own.
    ck_assert_int_eq(
        qd_program_shell(&program,
                         "mkdir bin && printf '#!/bin/sh\\nexec \"$@\"\\n' >bin/srun && chmod +x bin/srun"),
        0);
    ck_assert_int_eq(
        qd_program_shell(&program,
                         "PATH=$PWD/bin:$PATH; export PATH; for i in 1 2 3; do\n"
                         "SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=$i sh job; test $? -eq 1 || exit 9; done"),
        0);
    ck_assert_int_eq(SWEEP("it's out", "--merge"), 1);
    qd_sweeps_expect_same(&program, "good", "it's out");
}

// ---- signals and locks ----

/// Starts a sweep whose runs take a while, and waits until two of them are at work.
static pid_t launch_long(const char *directory, pid_t children[2]) {
    qd_scratch_write(at("long.yaml").text, "scene: tiny.yaml\nset: {run.steps: 2000000, frames.every: 500, "
                                           "view.size: [64, 40], checkpoint.every: 0}\naxes:\n"
                                           "  - {key: contact.restitution, list: [0.3, 0.4, 0.5]}\n");
    qd_program_start start = qd_sweeps_start("long.yaml", directory,
                                             (const char *const[]){"--jobs", "2", "--threads", "1", NULL});
    pid_t parent = qd_program_launch(&program, &start);
    ck_assert(qd_sweeps_wait_for_children(parent, children, 2));
    return parent;
}

static bool is_gone(pid_t process) {
    for (int i = 0; i < 120000 && kill(process, 0) == 0; ++i) usleep(5000);
    return kill(process, 0) != 0;
}

/// How many files each of the first two runs has in its folder of frames.
static void count_frames(size_t counts[2]) {
    glob_t runs;
    int code = glob(at("out/runs/*/frames").text, 0, NULL, &runs);
    ck_assert(code == 0 || code == GLOB_NOMATCH);
    for (size_t i = 0; i < 2; ++i)
        counts[i] = code == 0 && i < runs.gl_pathc ? qd_scratch_count(runs.gl_pathv[i]) : 0;
    globfree(&runs);
}

QD_TEST(a_signal_stops_all_with_checkpoints) {
    static const int signals[] = {SIGINT, SIGTERM, SIGUSR1};
    for (size_t i = 0; i < 3; ++i) {
        size_t before[2], frames[2];
        count_frames(before);
        pid_t children[2], parent = launch_long("out", children);
        do { // let both get on
            usleep(5000);
            count_frames(frames);
        } while (frames[0] < before[0] + 3 || frames[1] < before[1] + 3);
        ck_assert_int_eq(kill(parent, signals[i]), 0);
        qd_program_outcome outcome = qd_program_await(&program, parent);
        ck_assert_msg(outcome.code == 75, "exit %d: %s", outcome.code, outcome.err);
        EXPECT(outcome.err, "with 3 points to do; the same command goes on");
        ck_assert(kill(children[0], 0) != 0 && kill(children[1], 0) != 0);
        qd_test_sql_is(at("out/sweep.db").text, "SELECT DISTINCT status FROM sweep", "to do\n");
    }
    ck_assert_int_eq(qd_program_shell(&program, "grep -l '^resume   from' out/logs/* | wc -l | grep -qx 2"),
                     0);
    ck_assert_int_eq(
        qd_program_shell(&program, "grep -h 'stopped by SIGTERM after' out/logs/* | wc -l | grep -qx 6"), 0);
}

QD_TEST(a_sweep_that_is_killed_takes_its_runs_along) {
    pid_t children[2], parent = launch_long("out", children);
    ck_assert_int_eq(kill(parent, SIGKILL), 0);
    qd_program_expect(qd_program_await(&program, parent), -SIGKILL, NULL, NULL);
    ck_assert(is_gone(children[0]) && is_gone(children[1]));
}

QD_TEST(nobody_else_works_in_the_same_directory) {
    pid_t children[2], parent = launch_long("out", children);
    qd_program_start again = qd_sweeps_start("s.yaml", "out", NULL),
                     share = qd_sweeps_start("s.yaml", "out", (const char *const[]){"--shard", "1/2", NULL}),
                     merge = qd_sweeps_start("s.yaml", "out", (const char *const[]){"--merge", NULL});
    qd_program second = program;
    second.capture = qd_scratch_make();
    const qd_program_start *const all[] = {&again, &share, &merge};
    for (size_t i = 0; i < 3; ++i) {
        expect_refusal(qd_program_run(&second, all[i]), 4, "out is in use by another sweep");
    }
    // Each job has processors of its own where there are enough.
    if (sysconf(_SC_NPROCESSORS_ONLN) == 2) {
        char command[256];
        snprintf(command, sizeof command,
                 "a=$(grep Cpus_allowed: /proc/%d/status) b=$(grep Cpus_allowed: /proc/%d/status); test "
                 "\"$a\" != \"$b\"",
                 (int)children[0], (int)children[1]);
        ck_assert_int_eq(qd_program_shell(&program, command), 0);
    }
    qd_scratch_remove(&second.capture);
    ck_assert_int_eq(kill(parent, SIGTERM), 0);
    qd_program_expect(qd_program_await(&program, parent), 75, NULL, NULL);
    // Two with the same share get into each other's way, too; with others they do not.
    qd_program_start long_share = qd_sweeps_start("long.yaml", "out",
                                                  (const char *const[]){"--shard", "1/2", NULL});
    parent = qd_program_launch(&program, &long_share);
    ck_assert(qd_sweeps_wait_for_children(parent, children, 1));
    second.capture = qd_scratch_make();
    expect_refusal(qd_program_run(&second, &long_share), 4, "out is in use by another sweep");
    qd_program_expect(qd_program_run(&second, &share), 4, NULL, NULL);
    qd_program_start other = qd_sweeps_start("s.yaml", "out", (const char *const[]){"--shard", "2/5", NULL});
    qd_program_expect(qd_program_run(&second, &other), 1, NULL, NULL);
    qd_scratch_remove(&second.capture);
    ck_assert_int_eq(kill(parent, SIGTERM), 0);
    (void)qd_program_await(&program, parent);
}

// ---- words ----

QD_TEST(wrong_use_is_told_in_one_line) {
    static const struct {
        const char *arguments[8];
        int code;
        const char *said;
    } cases[] = {
        {{"sweep"}, 2, "sweep needs a SWEEP.yaml"},
        {{"sweep", "s.yaml"}, 2, "sweep needs -o DIR"},
        {{"sweep", "none.yaml", "-o", "out"}, 3, "none.yaml: cannot be opened"},
        {{"sweep", "tiny.yaml", "-o", "out"}, 3, "tiny.yaml:2: unknown key \"world\" in a sweep"},
        {{"sweep", "s.yaml", "-o", "out", "--shard", "3/2"}, 2, "--shard: '3/2' is not I/N"},
        {{"sweep", "s.yaml", "-o", "out", "--shard", "0/2"}, 2, "--shard: '0/2' is not I/N"},
        {{"sweep", "s.yaml", "-o", "out", "--shard", "two"}, 2, "--shard: 'two' is not I/N"},
        {{"sweep", "s.yaml", "-o", "out", "--emit", "pbs"}, 2, "--emit: slurm or parallel"},
        {{"sweep", "s.yaml", "-o", "out", "--emit", "slurm", "--merge"}, 2, "--emit goes without"},
        {{"sweep", "s.yaml", "-o", "out", "--merge", "--retry"}, 2, "--merge gathers"},
        {{"sweep", "s.yaml", "-o", "out", "--jobs", "0"}, 2, "--jobs: '0' is not a whole number"},
        {{"sweep", "s.yaml", "-o", "out", "--max-runs", "11"},
         3,
         "s.yaml has 12 points, and 11 is the limit"},
        {{"sweep", "bad.yaml", "-o", "out"}, 3, "no point of it is a valid scene: --set contact.friction=-1"},
        {{"sweep", "s.yaml", "-o", "/dev/null/out"}, 4, "cannot make the directory /dev/null/out"},
        {{"sweep", "s.yaml", "-o", "tiny.yaml"}, 4, "cannot make the directory tiny.yaml"},
        {{"sweep", "s.yaml", "-o", "mine"}, 4, "mine is there and holds no sweep"},
    };
    ck_assert_int_eq(qd_program_shell(&program, "mkdir mine && echo hello >mine/letter"), 0);
    qd_scratch_write(at("bad.yaml").text,
                     "scene: tiny.yaml\naxes: [{key: contact.friction, list: [-1, -2]}]\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        qd_program_start start = {.arguments = {NULL}};
        for (size_t k = 0; k < 8 && cases[i].arguments[k]; ++k) start.arguments[k] = cases[i].arguments[k];
        expect_refusal(qd_program_run(&program, &start), cases[i].code, cases[i].said);
    }
    ck_assert(!qd_scratch_exists(at("out").text));
}

QD_TEST(a_table_on_a_terminal_and_lines_in_a_log) {
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    ck_assert_int_ge(terminal, 0);
    ck_assert(grantpt(terminal) == 0 && unlockpt(terminal) == 0);
    int other_end = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    ck_assert_int_ge(other_end, 0);
    qd_program_start how = {.arguments = {"sweep", "s.yaml", "-o", "out", "--jobs", "2"},
                            .environment = {"TERM=xterm"},
                            .stderr_descriptor = other_end};
    pid_t child = qd_program_launch(&program, &how);
    close(other_end);
    static char text[1 << 18];
    size_t used = 0;
    for (ssize_t got;
         used + 1 < sizeof text && (got = read(terminal, text + used, sizeof text - used - 1)) > 0;)
        used += (size_t)got;
    text[used] = '\0';
    close(terminal);
    qd_program_expect(qd_program_await(&program, child), 1, NULL, NULL);
    EXPECT(text, " of 12 done, 4 failed, ");
    EXPECT(text, "point 1  contact.restitution=0.3, limits.speed=1000, replica 1");
    EXPECT(text, "\033[36m");
    EXPECT(text, "\033[J"); // redrawn, and gone at the end
    qd_program_outcome outcome = RUN("sweep", "s.yaml", "-o", "log", "--jobs", "2");
    ck_assert_ptr_null(strchr(outcome.err, '\033'));
}

QD_TEST_MAIN("sweep", 300, setup_with_file, teardown)
