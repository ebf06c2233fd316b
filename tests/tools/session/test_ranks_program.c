#define _GNU_SOURCE // kill, usleep
#include "tests/support/harness.h"
#include "tests/support/one_program.h"
#include "tests/support/runs.h"

#include <jansson.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

// Runs whose world several ranks step, as users meet them: beside the run of the same scene without ranks.

/// Everything that ranks know is recorded.
static const char scene[] =
    "name: little\n"
    "world: {size: [40, 30], boundary: {x: periodic, y: reflect}, gravity: [0, -5]}\n"
    "run: {steps: 300, dt: 0.005}\n"
    "contact: {model: spring, restitution: 0.6, friction: 0.3, spring: {contact_time: 0.1}}\n"
    "bodies:\n"
    "  - disks: {count: 150, radius: {uniform: [0.3, 0.6]}, place: random, velocity: {normal: 4}}\n"
    "  - rects: {count: 50, size: [1.2, 0.6], place: random, velocity: {normal: 4}}\n"
    "view: {size: [160, 120], colour: speed, nodes: none, text: [step, time, bodies, contacts, legend]}\n"
    "frames: {every: 15}\n"
    "record: {metrics: 5, hashes: 1, events: persist, snapshots: 100, distributions: {every: 25, sample: "
    "5}}\n"
    "checkpoint: {every: 40}\n";

/// Writes the scene and runs it without ranks into `ref`.
static void make_reference(void) {
    qd_scratch_write(at("little.yaml").text, scene);
    SUCCEED("run", "little.yaml", "-o", "ref", "-q", "--threads", "1");
}

/// Frames byte by byte; and what the replay by one process says of all that was recorded.
static void expect_as_reference(const char *directory) {
    expect_same_frames("ref", directory, 20);
    SUCCEED("verify", directory, "-q", "--threads", "1");
    SUCCEED("diff", "ref", directory, "-q");
    static const char *const counts[] = {"SELECT count(*) FROM hashes", "SELECT count(*) FROM metrics",
                                         "SELECT count(*) FROM events", "SELECT sum(step) FROM snapshots"};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i)
        ck_assert_int_eq(qd_runs_number(at("ref").text, counts[i]),
                         qd_runs_number(at(directory).text, counts[i]));
    qd_program_expect_no_parts(at(directory).text);
}

// The last of them own places that are strewn over the world.
QD_TEST_LOOP(ranks_leave_what_one_process_leaves, 0, 4) {
    static const char *const ranks[] = {"1", "3", "8", "5"};
    make_reference();
    SUCCEED("run", "little.yaml", "-o", "out", "-q", "--threads", _i == 1 ? "2" : "1", "--ranks", ranks[_i],
            _i == 3 ? "--scatter" : NULL);
    expect_as_reference("out");
    // Numbers of the tree are not there; all others are.
    ck_assert_int_eq(qd_runs_number(at("out").text, "SELECT count(tree_nodes) FROM metrics WHERE step > 0"),
                     0);
    ck_assert_int_eq(qd_runs_number(at("out").text, "SELECT count(kinetic) FROM metrics"), 61);
}

// A run that was killed goes on with other ranks, or with none.
QD_TEST_LOOP(goes_on_with_other_ranks, 0, 3) {
    make_reference();
    qd_program_start how = {
        .arguments = {"run", "little.yaml", "-o", "out", "-q", "--threads", "1", "--ranks", "4", "--force"}};
    qd_program_expect(
        qd_program_stop_at(&program, &how, "out/frames/frame_000005.png", _i == 2 ? SIGTERM : SIGKILL),
        _i == 2 ? 75 : -SIGKILL, NULL, NULL);
    if (_i == 0)
        SUCCEED("resume", "out", "-q", "--threads", "1");
    else if (_i == 1)
        SUCCEED("resume", "out", "-q", "--threads", "1", "--ranks", "2");
    else
        SUCCEED("run", "little.yaml", "-o", "out", "-q", "--threads", "1", "--ranks", "3", "--resume");
    expect_as_reference("out");
}

static const char no_tree[] = "view.text=[step, time, bodies, contacts, legend, scale]";

// What frames show by default of the tree they leave out with ranks, and say so in one line; they are then
// those of the run that was told to leave it out.
QD_TEST(frames_leave_out_the_tree) {
    static const char *const pace[] = {"--steps", "20", "--frames", "10", "--bodies", "300"};
    SUCCEED("run", "gas", "-o", "ref", "-q", "--threads", "1", "--set", "contact.model=none", pace[0],
            pace[1], pace[2], pace[3], pace[4], pace[5], "--set", no_tree);
    qd_program_outcome told = SUCCEED("run", "gas", "-o", "out", "--no-progress", "--threads", "1", "--set",
                                      "contact.model=none", pace[0], pace[1], pace[2], pace[3], pace[4],
                                      pace[5], "--ranks", "4");
    const char *line = strstr(told.err, "frames   leave out");
    ck_assert_msg(line && strstr(line, no_tree), "%s", told.err);
    expect_same_files("ref/scene.yaml", "out/scene.yaml");
    expect_same_frames("ref", "out", 2);
    SUCCEED("verify", "out", "-q", "--threads", "1");
    // A scene that asks for it itself, if only by saying that it wants the default, is refused all the same.
    expect_refusal(RUN("run", "gas", "-o", "other", "-q", "--ranks", "2", "--set", "contact.model=none",
                       "--set", "view.text=true"),
                   2, "view.text");
    // One that is refused is told nothing else.
    qd_program_outcome refused = RUN("run", "gas", "-o", "other", "--no-progress", "--ranks", "2");
    ck_assert_int_eq(refused.code, 2);
    ck_assert_msg(strchr(refused.err, '\n') == strrchr(refused.err, '\n'), "%s", refused.err);
}

// What ranks do not know is refused before anything is written, by the name of its key.
QD_TEST_LOOP(refused_by_name, 0, 8) {
    static const char *const cases[][2] = {{"contact.model=impulse", "contact.model impulse"},
                                           {"record.structure=true", "record.structure"},
                                           {"record.fields.every=5", "record.fields"},
                                           {"view.nodes=depth", "view.nodes"},
                                           {"view.text=[nodes]", "view.text"},
                                           {"view.colour=refiled", "view.colour"},
                                           {"view.retrieve=1", "view.retrieve"},
                                           {"world.compress.rate=[0.01,0]", "world.compress"}};
    qd_scratch_write(at("little.yaml").text, scene);
    expect_refusal(RUN("run", "little.yaml", "-o", "out", "-q", "--ranks", "2", "--set", cases[_i][0]), 2,
                   cases[_i][1]);
    ck_assert(!qd_scratch_exists(at("out").text));
}

// Places are strewn over ranks, and where there are none nobody could tell.
QD_TEST(scatter_needs_ranks) {
    expect_refusal(RUN("run", "gas", "-o", "out", "-q", "--scatter"), 2, "--ranks");
}

/// What result.json says of the ranks of the run in `out`; the caller frees it.
static json_t *load_ranks(size_t count) {
    json_error_t error;
    json_t *root = json_load_file(at("out/result.json").text, 0, &error);
    ck_assert_msg(root != NULL, "%s", error.text);
    json_t *ranks = json_incref(json_object_get(root, "ranks"));
    json_decref(root);
    ck_assert_uint_eq(json_array_size(ranks), count);
    return ranks;
}

static json_int_t count_of(const json_t *ranks, size_t rank, const char *name) {
    const json_t *count = json_object_get(json_array_get(ranks, rank), name);
    ck_assert_msg(json_is_integer(count), "%s", name);
    return json_integer_value(count);
}

// What each rank has and has sent: every body has one owner.
QD_TEST(result_tells_of_each_rank) {
    static const char *const counts[] = {"bodies",  "ghosts",   "renewals", "migrations",
                                         "gathers", "messages", "bytes"};
    enum { COUNTS = sizeof counts / sizeof counts[0] };
    qd_scratch_write(at("little.yaml").text, scene);
    SUCCEED("run", "little.yaml", "-o", "out", "-q", "--ranks", "3");
    json_t *ranks = load_ranks(3);
    json_int_t sum[COUNTS] = {0};
    for (size_t q = 0; q < 3; ++q)
        for (int k = 0; k < COUNTS; ++k) sum[k] += count_of(ranks, q, counts[k]);
    ck_assert_int_eq(sum[0], 200);
    for (int k = 1; k < COUNTS; ++k) ck_assert_msg(sum[k] > 0, "%s", counts[k]);
    ck_assert_int_eq(sum[4], 3 * 300); // its events are recorded at every step
    ck_assert_int_eq(count_of(ranks, 0, "notes") + count_of(ranks, 0, "note_bytes"), 0);
    ck_assert_int_gt(count_of(ranks, 0, "peak_rss_bytes"), 1000000);
    json_decref(ranks);
}

// Records nothing but hashes, and metrics at every step; and one snapshot, so that rank 0 has the world.
#define SUMS                                                                                                 \
    "--threads", "1", "--frames", "0", "--set", "record.events=false", "--set", "record.snapshots=100000",   \
        "--set", "record.distributions.every=0", "--set", "record.metrics=1"

// Ends the test unless the ranks of the run in `out` put the world together only for its checkpoints.
static void expect_gathered_for_checkpoints(json_int_t steps) {
    json_t *ranks = load_ranks(3);
    for (size_t q = 0; q < 3; ++q) ck_assert_int_eq(count_of(ranks, q, "gathers"), (steps - 1) / 40 + 1);
    json_decref(ranks);
    SUCCEED("verify", "out", "-q", "--threads", "1");
    SUCCEED("diff", "ref", "out", "-q");
    ck_assert_int_eq(qd_runs_number(at("out").text, "SELECT count(*) FROM hashes"), steps + 1);
    ck_assert_int_eq(qd_runs_number(at("out").text, "SELECT count(kinetic) FROM metrics"), steps + 1);
}

// Hashes, metrics and the lines of --log, all at every step, are sums over ranks: the whole world is put
// together only for the checkpoints.
QD_TEST(sums_gather_nothing) {
    qd_scratch_write(at("little.yaml").text, scene);
    for (int ranks = 0; ranks < 2; ++ranks) {
        qd_program_expect(RUN("run", "little.yaml", "-o", ranks ? "out" : "ref", SUMS, "--log", "1",
                              "--no-progress", ranks ? "--ranks" : NULL, "3"),
                          0, "\n       299 ", NULL);
    }
    expect_gathered_for_checkpoints(300);
}

// So are the rules that end a run by what is measured.
QD_TEST(rules_of_metrics_gather_nothing) {
    static const char rules[] = "run.until=[{below: {metric: kinetic, value: 1e-9}}, "
                                "{above: {metric: begins, value: 200}}]";
    qd_scratch_write(at("little.yaml").text, scene);
    for (int ranks = 0; ranks < 2; ++ranks)
        SUCCEED("run", "little.yaml", "-o", ranks ? "out" : "ref", "-q", SUMS, "--set", rules,
                ranks ? "--ranks" : NULL, "3");
    ck_assert_str_eq(qd_program_result_text(&program, "out", "ended_by").text, "until.1");
    const json_int_t steps = qd_program_result_whole(&program, "out", "steps");
    ck_assert_int_eq(steps, qd_program_result_whole(&program, "ref", "steps"));
    ck_assert_int_gt(steps, 40);
    ck_assert_int_lt(steps, 300);
    expect_gathered_for_checkpoints(steps);
}

// Hashes of the form of earlier versions are no sums: the world is put together for them. The run goes on
// from step 0, and is verified and compared by these hashes.
QD_TEST(an_earlier_run_goes_on_with_ranks) {
    static const char *const runs[] = {"ref", "out"};
    qd_scratch_write(at("little.yaml").text, scene);
    for (int k = 0; k < 2; ++k) {
        SUCCEED("run", "little.yaml", "-o", runs[k], "-q", SUMS);
        qd_runs_change(at(runs[k]).text, "DROP TABLE forms; PRAGMA user_version=3; DELETE FROM hashes; "
                                         "DELETE FROM checkpoints WHERE step > 0");
        ck_assert_int_eq(unlink(at(k ? "out/result.json" : "ref/result.json").text), 0);
        SUCCEED("run", "little.yaml", "-o", runs[k], "-q", SUMS, "--resume", k ? "--ranks" : NULL, "3");
    }
    json_t *ranks = load_ranks(3);
    ck_assert_int_eq(count_of(ranks, 0, "gathers"), 300);
    json_decref(ranks);
    SUCCEED("diff", "ref", "out", "-q");
    SUCCEED("verify", "out", "-q", "--threads", "1");
    ck_assert_int_eq(qd_runs_number(at("out").text, "SELECT count(*) FROM hashes"), 300);
    ck_assert_str_eq(qd_program_result_text(&program, "out", "state_hash").text,
                     qd_program_result_text(&program, "ref", "state_hash").text);
}

QD_TEST_MAIN("ranks_program", 200, setup, teardown)
