#define _GNU_SOURCE // kill, chmod, usleep
#include "tests/support/harness.h"
#include "tests/support/one_program.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The program and everything that can go wrong: one line, its exit code, and nothing overwritten.

/// Command lines that are wrong, and what the answer names.
static const struct {
    const char *arguments[6];
    const char *named;
} usage[] = {
    {{NULL}, "a command is missing"},
    {{"rum"}, "did you mean run?"},
    {{"scene"}, "did you mean scenes?"},
    {{"rendr"}, "there is no command 'rendr'; did you mean render?"},
    {{"resume"}, "resume needs a DIR"},
    {{"verify"}, "verify needs a DIR"},
    {{"diff", "out"}, "diff needs a DIR2"},
    {{"resume", "a", "b"}, "'a' and 'b' are two"},
    {{"resume", "out", "--dt", "3"}, "resume has no flag --dt"},
    {{"-q", "run"}, "-q comes before the command"},
    {{"--bogus"}, "--bogus comes before the command"},
    {{"run", "--resume", "--force"}, "--force replaces an earlier run and --resume goes on with it"},
    {{"run", "--snapshots", "-1"}, "'-1' is not a whole number"},
    {{"run", "--video", "x.avi"}, "--video x.avi: a video's name ends in .mp4"},
    {{"run", "--video", "mp4"}, "--video mp4: a video's name ends in .mp4"},
    {{"run", "--vide", "x.mp4"}, "did you mean --video?"},
    {{"video"}, "video needs a DIR"},
    {{"video", "out", "-o", "x"}, "-o x: a video's name ends in .mp4"},
    {{"video", "out", "--crf", "52"}, "'52' is not a whole number from 0 to 51"},
    {{"video", "out", "--frames", "7-9"}, "--frames: '7-9' is not a range of frames"},
    {{"video", "out", "--frames", "7:3"}, "--frames: '7:3' is not a range of frames"},
    {{"video", "out", "--frames", "a:3"}, "--frames: 'a:3' is not a range of frames"},
    {{"run", "--step", "3"}, "did you mean --steps?"},
    {{"run", "--frame=3"}, "did you mean --frames?"},
    {{"run", "-z"}, "run has no flag -z"},
    {{"run", "pool", "gas"}, "'pool' and 'gas' are two"},
    {{"run", "--threads", "0"}, "'0' is not a whole number from 1 to 1024"},
    {{"run", "--threads", "-1"}, "'-1' is not a whole number"},
    {{"run", "--threads", "abc"}, "'abc' is not a whole number"},
    {{"run", "--threads", "1025"}, "'1025' is not a whole number"},
    {{"run", "--steps", "1.5"}, "'1.5' is not a whole number"},
    {{"run", "--bodies", "0"}, "'0' is not a whole number"},
    {{"run", "--frames", "-5"}, "'-5' is not a whole number"},
    {{"run", "--seed", "x"}, "'x' is not a whole number"},
    {{"run", "-o"}, "-o needs a value"},
    {{"run", "--pin", "closer"}, "--pin: 'closer' is none of close, spread and off"},
    {{"run", "--pin"}, "--pin needs a value"},
    {{"bench", "--pin", "on"}, "--pin: 'on' is none of close, spread and off"},
    {{"run", "--pin=close", "--ranks", "2"}, "--pin"},
    {{"run", "--set", "run.stepz=3"}, "did you mean \"steps\""},
    {{"run", "--set", "run.steps"}, "run.steps"},
    {{"run", "--set", "=3"}, "=3"},
    {{"run", "--set", "run.steps=many"}, "many"},
    {{"scenes", "--threads", "2"}, "scenes has no flag --threads"},
    {{"scenes", "pool", "gas"}, "scenes takes one SCENE"},
    {{"help", "rnu"}, "did you mean run?"},
    {{"run", "po\nol"}, "'po\\x0aol' has a control character"},
    {{"run", "-o", "out\r"}, "-o: 'out\\x0d' has a control character"},
    {{"run", "--video", "a\nworld: 1\n.mkv"}, "--video: 'a\\x0aworld: 1\\x0a.mkv' has a control character"},
    {{"run", "--video", "caf\xe9.png"}, "a run's video has a name in UTF-8"},
    {{"run", "--video", "a\xc2\x85world: 1.png"}, "a run's video has a name in UTF-8"},
    {{"run", "--video", "\xef\xbb\xbf.png"}, "a run's video has a name in UTF-8"},
    {{"diff", "a", "b\x7f"}, "'b\\x7f' has a control character"},
    {{"scale", "pool", "-o", "s\nsystem \"touch PWNED\" #"}, "has a control character"},
    {{"bench", "--plot", "s\nsystem \"touch PWNED\" #"}, "has a control character"},
    {{"bench", "--frames", "--lammps", "d\nshell touch PWNED"}, "has a control character"},
    {{"sweep", "s\ntouch PWNED\n.yaml", "--emit", "slurm"}, "has a control character"},
};

QD_TEST_LOOP(test_wrong_command_lines, 0, sizeof usage / sizeof usage[0]) {
    qd_program_start how = {.arguments = {NULL}};
    for (size_t i = 0; i < 6; ++i) how.arguments[i] = usage[_i].arguments[i];
    expect_refusal(qd_program_run(&program, &how), 2, usage[_i].named);
    ck_assert_uint_eq(qd_scratch_count(program.work.path), 0);
}

QD_TEST(test_missing_scenes) {
    static const struct {
        const char *name, *named;
    } missing[] = {{"pol", "pool"},
                   {"nothing-like-it", "nothing-like-it"},
                   {"no.yaml", "no.yaml"},
                   {"./pool", "./pool"},
                   {"/no/such/scene", "/no/such/scene"}};
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; ++i) {
        expect_refusal(RUN("run", missing[i].name), 3, missing[i].named);
    }
    expect_refusal(RUN("run", "/"), 3, "/");
    expect_refusal(RUN("scenes", "pol"), 3, "did you mean pool?");
    ck_assert_uint_eq(qd_scratch_count(program.work.path), 0);
}

#define DISKS(more) "world: {size: [10, 10]}\nbodies:\n  - disks: {count: 3, place: grid" more "}\n"

/// Scenes that are wrong, and what the answer names.
static const struct {
    const char *text, *named;
} scenes[] = {
    {"", "my.yaml"},
    {"# nothing but a comment\n", "my.yaml"},
    {"[1, 2, 3]\n", "my.yaml"},
    {"just words\n", "my.yaml"},
    {"world: {size: [10, 10\n", "my.yaml"},
    {"world:\n\tsize: [10, 10]\n", "my.yaml"},
    {"\xff\xfe\x01 binary", "my.yaml"},
    {"wrold: {size: [10, 10]}\n", "world"},
    {"world: {sizes: [10, 10]}\n", "size"},
    {"world: {size: 10}\n", "size"},
    {"world: {size: [10, ten]}\n", "my.yaml:1: world.size"},
    {"world: {size: [10, -10]}\n", "size"},
    {"world: {size: [0, 10]}\n", "size"},
    {"world: {size: [.nan, 10]}\n", "size"},
    {"world: {size: [.inf, 10]}\n", "size"},
    {"world: {boundary: refelct}\n", "reflect"},
    {"run: {dt: 0}\n", "dt"},
    {"run: {dt: -1}\n", "dt"},
    {"run: {steps: 1.5}\n", "steps"},
    {"run: {steps: -1}\n", "steps"},
    {"frames: {every: -1}\n", "every"},
    {"contact: {restitution: 2}\n", "restitution"},
    {"contact: {model: impuls}\n", "impulse"},
    {"view: {size: [0, 10]}\n", "size"},
    {DISKS(", velocity: [.nan, 0]"), "velocity"},
    {DISKS(", velocity: [1, .inf]"), "velocity"},
    {DISKS(", radios: 1"), "radius"},
    {DISKS(", radius: -1"), "radius"},
    {DISKS(", radius: 0"), "radius"},
    {DISKS(", radius: .nan"), "radius"},
    {DISKS(", radius: {uniform: [2, 1]}"), "smaller one first"},
    {DISKS(", radius: 6"), "my.yaml"},
    {DISKS(", density: 0"), "density"},
    {DISKS(", region: [20, 20, 5, 5]"), "my.yaml"},
    {"bodies:\n  - disks: {radius: 1}\n", "count"},
    {"bodies:\n  - disks: {count: -1}\n", "count"},
    {"bodies:\n  - list: [{at: [101, 5]}]\n", "my.yaml: bodies.0.list.0: x 101 is outside the walls"},
    {"world: {size: [10, 10]}\nbodies:\n  - disks: {count: 1000, radius: 1}\n", "my.yaml"},
};

QD_TEST_LOOP(test_wrong_scenes, 0, sizeof scenes / sizeof scenes[0]) {
    qd_scratch_write(at("my.yaml").text, scenes[_i].text);
    expect_refusal(RUN("run", "my.yaml"), 3, scenes[_i].named);
    ck_assert_uint_eq(qd_scratch_count(program.work.path), 1);
}

QD_TEST(test_wrong_body_files) {
    qd_scratch_write(at("my.yaml").text, "bodies:\n- file: {path: a.csv}\n");
    expect_refusal(RUN("run", "my.yaml"), 3, "my.yaml:2: bodies.0.file.path: a.csv: cannot be opened");
    static const struct {
        const char *text, *named;
    } files[] = {
        {"", "a.csv: is empty"},
        {"x,y\n1,2\n", "a.csv:1: no column gives radius"},
        {"x,y,r\n1,2,1\n1,nan,1\n", "a.csv:3: y: must be a number"},
        {"x,y,r\n1,2,1\n1,2\n", "a.csv:3: has 2 fields, not 3"},
        {"x,y,r\n1,2,-1\n", "a.csv:2: r: must be above 0"},
        {"x,y,r\n200,2,1\n", "a.csv:2: a disk of radius 1 at (200, 2) is outside the walls"},
        {"x,y,r\n50,50,51\n", "a.csv:2: a diameter of 102"},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
        qd_scratch_write(at("a.csv").text, files[i].text);
        expect_refusal(RUN("run", "my.yaml"), 3, files[i].named);
    }
    qd_scratch_write(at("a.csv").text, "x,y,r\n1,2,1\n");
    expect_refusal(RUN("run", "my.yaml", "--bodies", "10"), 2, "--bodies: bodies.0 is no generator");
    ck_assert_uint_eq(qd_scratch_count(program.work.path), 2);
    SUCCEED("run", "my.yaml", "-o", "out", "--steps", "1", "--frames", "0");
    qd_scratch_write(at("out/bodies_0.csv").text, "x,y,r\n1,2.5,1\n");
    expect_refusal(RUN("run", "out/scene.yaml", "-o", "again"), 3,
                   "bodies.0.file.hash: the file has changed");
    expect_refusal(RUN("run", "my.yaml", "--set", "bodies.0.file.path=/dev/zero", "-o", "again"), 3,
                   "/dev/zero:1: holds a NUL byte");
    ck_assert(!qd_scratch_exists(at("again").text));
}

/// A file that is missed by its ending only.
QD_TEST(test_scene_beside) {
    expect_refusal(RUN("run", "drop.yml"), 3, "drop.yml: cannot be opened: No such file or directory");
    qd_scratch_write(at("drop.yaml").text, "name: x\n");
    expect_refusal(RUN("run", "drop.yml"), 3, "No such file or directory; did you mean \"drop.yaml\"?");
    expect_refusal(RUN("run", "drop"), 3, "no built-in scene \"drop\"; did you mean \"drop.yaml\"?");
    qd_scratch_write(at("drop.yml").text, "name: [x]\n");
    expect_refusal(RUN("run", "drop.yml"), 3, "drop.yml:1: name: must be");
}

QD_TEST(test_unreadable_scene) {
    qd_scratch_write(at("my.yaml").text, "name: x\n");
    if (geteuid() == 0) return; // root may read everything
    ck_assert_int_eq(chmod(at("my.yaml").text, 0), 0);
    expect_refusal(RUN("run", "my.yaml"), 3, "my.yaml");
}

QD_TEST(test_limits) {
    expect_refusal(RUN("run", "pool", "--bodies", "20", "--set", "limits.speed=0.001", "-o", "out"), 3,
                   "limits.speed");
    ck_assert_uint_eq(qd_scratch_count(program.work.path), 0);
    qd_scratch_write(at("fall.yaml").text,
                     "name: fall\nworld: {size: [10, 100], gravity: [0, -10]}\n"
                     "run: {steps: 100, dt: 0.1}\nlimits: {speed: 5}\n"
                     "bodies:\n  - disks: {count: 1, radius: 1, place: grid, region: [4, 89, 2, 2]}\n");
    qd_program_outcome result = RUN("run", "fall.yaml", "-o", "out", "--frames", "1", "-q");
    expect_refusal(result, 5, "body 1");
    ck_assert_ptr_nonnull(strstr(result.err, "limits.speed"));
    ck_assert_ptr_nonnull(strstr(result.err, "step "));
    ck_assert(!qd_scratch_exists(at("out/result.json").text));
    ck_assert(qd_scratch_exists(at("out/frames/frame_000003.png").text));
    qd_program_expect_no_parts(at("out").text);
}

QD_TEST(test_more_pairs_than_allowed) {
    expect_refusal(RUN("run", "gas", "--bodies", "20000", "--set", "limits.pairs=0.001", "-o", "out"), 3,
                   "limits.pairs");
    ck_assert_uint_eq(qd_scratch_count(program.work.path), 0);
}

QD_TEST(test_existing_output_is_refused) {
    SUCCEED("run", "pool", "--bodies", "20", "--steps", "2", "--frames", "1", "-o", "out");
    qd_own_memory char *before = qd_scratch_read(at("out/result.json").text, NULL);
    expect_refusal(RUN("run", "pool", "--bodies", "20", "--steps", "2", "--frames", "1", "-o", "out"), 4,
                   "--force");
    qd_own_memory char *after = qd_scratch_read(at("out/result.json").text, NULL);
    ck_assert_str_eq(before, after);
    qd_scratch_write(at("out/notes.txt").text, "mine");
    SUCCEED("run", "pool", "--bodies", "20", "--steps", "2", "--frames", "0", "-o", "out", "--force");
    ck_assert_uint_eq(qd_scratch_count(at("out").text), 4); // scene.yaml, run.db, result.json, notes.txt
}

QD_TEST(test_other_outputs_that_cannot_be) {
    qd_scratch_write(at("file").text, "mine");
    expect_refusal(RUN("run", "pool", "--steps", "1", "-o", "file", "--force"), 4, "not a directory");
    expect_refusal(RUN("run", "pool", "--steps", "1", "-o", "file/such/parent"), 4, "file/such/parent");
    expect_refusal(RUN("run", "pool", "--steps", "1", "-o", "."), 4, "holds no run");
    ck_assert_uint_eq(qd_scratch_count(program.work.path), 1);
}

QD_TEST_LOOP(test_a_full_disk, 0, QD_TEST_THREAD_SANITIZER ? 0 : 1) {
    // So many bytes hold the scene and the database but no picture of this size.
    expect_refusal(
        qd_program_run(
            &program,
            &(qd_program_start){.arguments = {"run", "pool", "--bodies", "200", "--steps", "20", "--frames",
                                              "1", "--set", "view.size=[8000, 6000]", "-o", "out", "-q"},
                                .file_limit = 300000}),
        4, "frame_000000.png");
    ck_assert(!qd_scratch_exists(at("out/frames/frame_000000.png").text));
    ck_assert(!qd_scratch_exists(at("out/result.json").text));
    qd_program_expect_no_parts(at("out").text);
    // Eight generators make the scene longer than what some OpenMP runtimes write for themselves.
#define ONE "{disks: {count: 1}}"
    const char *bodies = "bodies=[" ONE "," ONE "," ONE "," ONE "," ONE "," ONE "," ONE "," ONE "]";
#undef ONE
    expect_refusal(qd_program_run(&program, &(qd_program_start){.arguments = {"run", "pool", "--set", bodies,
                                                                              "-o", "none"},
                                                                .file_limit = 1500}),
                   4, "scene.yaml");
    ck_assert(!qd_scratch_exists(at("none").text));
}

QD_TEST(test_a_full_standard_output) {
    if (!qd_scratch_exists("/dev/full")) return;
    qd_program_expect(
        qd_program_run(&program, &(qd_program_start){.arguments = {"scenes"}, .stdout_path = "/dev/full"}), 4,
        "quadrille: cannot write to the standard output: No space left", NULL);
    qd_program_expect(
        qd_program_run(&program,
                       &(qd_program_start){.arguments = {"run", "pool", "--bodies", "20", "--steps", "1",
                                                         "--frames", "0", "-o", "out", "--json", "-q"},
                                           .stdout_path = "/dev/full"}),
        4, NULL, NULL);
}

static const struct {
    int number;
    const char *name;
} signals[] = {{SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGUSR1, "SIGUSR1"}, {SIGHUP, "SIGHUP"}};

QD_TEST_LOOP(test_signals_and_the_lock, 0, sizeof signals / sizeof signals[0]) {
    qd_program_start how = {.arguments = {"run", "pool", "--bodies", "50", "--steps", "100000000", "--frames",
                                          "1000", "-o", "out", "-q"}};
    pid_t child = qd_program_launch(&program, &how);
    qd_scratch_await(at("out/frames/frame_000001.png").text);
    qd_program second = program; // a run beside it must not come near
    second.capture = qd_scratch_make();
    expect_refusal(
        qd_program_run(&second, &(qd_program_start){.arguments = {"run", "pool", "--force", "-o", "out"}}), 4,
        "out is in use by another run");
    expect_refusal(qd_program_run(&second, &(qd_program_start){.arguments = {"resume", "out"}}), 4,
                   "out is in use by another run");
    qd_scratch_remove(&second.capture);
    ck_assert_int_eq(kill(child, signals[_i].number), 0);
    qd_program_outcome result = qd_program_await(&program, child);
    expect_refusal(result, 75, signals[_i].name);
    ck_assert_ptr_nonnull(strstr(result.err, "of 100000000 steps; `quadrille resume out` goes on from step"));
    ck_assert(!qd_scratch_exists(at("out/result.json").text));
    ck_assert(qd_scratch_exists(at("out/frames/manifest.csv").text));
    qd_program_expect_no_parts(at("out").text);
    SUCCEED("run", "pool", "--bodies", "20", "--steps", "1", "-o", "out", "--force");
}

QD_TEST(test_killed_at_once_leaves_whole_frames) {
    qd_program_start how = {
        .arguments = {"run", "pool", "--bodies", "50", "--steps", "100000000", "--frames", "1", "-o", "out"}};
    pid_t child = qd_program_launch(&program, &how);
    qd_scratch_await(at("out/frames/frame_000010.png").text);
    ck_assert_int_eq(kill(child, SIGKILL), 0);
    qd_program_expect(qd_program_await(&program, child), -SIGKILL, NULL, NULL);
    // Every file that has a final name ends as a PNG ends.
    char name[64];
    int frames = 0;
    for (;; ++frames) {
        snprintf(name, sizeof name, "out/frames/frame_%06d.png", frames);
        size_t bytes = 0;
        qd_own_memory char *data = qd_scratch_read(at(name).text, &bytes);
        if (!data) break;
        ck_assert_uint_gt(bytes, 12);
        ck_assert_int_eq(memcmp(data + bytes - 8, "IEND\xae\x42\x60\x82", 8), 0);
    }
    ck_assert_int_gt(frames, 10);
    SUCCEED("run", "pool", "--bodies", "20", "--steps", "2", "--frames", "1", "-o", "out", "--force");
    ck_assert_uint_eq(qd_scratch_count(at("out/frames").text), 4);
}

QD_TEST_MAIN("cli_errors", 300, setup, teardown)
