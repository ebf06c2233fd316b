#define _GNU_SOURCE // kill
#include "tests/support/harness.h"
#include "tests/support/json_values.h"
#include "tests/support/one_program.h"
#include "tests/support/refused.h"
#include "tests/support/spinners.h"
#include "tools/host/os.h"
#include "tools/host/topology.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// `quadrille scale` as users meet it: what it says, what it leaves, and what it refuses.

static json_t *read_json(const char *name) {
    json_error_t error;
    json_t *read = json_load_file(at(name).text, 0, &error);
    ck_assert_msg(read != NULL, "%s:%d: %s", name, error.line, error.text);
    return read;
}

/// Field `column` of a line, or "".
typedef struct field {
    char text[64];
} field;

static field field_of(const char *line, int column) {
    field found = {""};
    for (; column > 0 && *line && *line != '\n'; ++line) column -= *line == ',';
    size_t length = strcspn(line, ",\n");
    if (column == 0 && length < sizeof found.text) memcpy(found.text, line, length);
    return found;
}

static int column_of(const char *text, const char *name) {
    for (int column = 0; column < 80; ++column)
        if (strcmp(field_of(text, column).text, name) == 0) return column;
    ck_abort_msg("no column %s", name);
}

static size_t lines_of(const char *name) {
    qd_own_memory char *text = qd_scratch_read(at(name).text, NULL);
    ck_assert_msg(text != NULL, "no %s", name);
    size_t lines = 0;
    for (const char *c = text; *c; ++c) lines += *c == '\n';
    return lines;
}

/// Every run is there, runs of as many bodies end in the same state, and phases are no longer than the whole;
/// how long they are is for a quiet machine to say. Returns the median of the times of so many bodies and
/// threads.
static double check_runs(const char *name, size_t runs, const char *bodies, const char *threads) {
    qd_own_memory char *text = qd_scratch_read(at(name).text, NULL);
    ck_assert_ptr_nonnull(text);
    int hash = column_of(text, "hash"), asked = column_of(text, "bodies_asked"),
        wall = column_of(text, "wall_ns"), of = column_of(text, "threads"),
        phase = column_of(text, "resolve_ns"), busy = column_of(text, "busy_max_ns");
    double times[16];
    char state[64] = "";
    size_t count = 0, lines = 0;
    for (const char *line = strchr(text, '\n') + 1; *line; line = strchr(line, '\n') + 1, ++lines) {
        double all = atof(field_of(line, wall).text), sum = 0;
        for (int k = 0; k < 5; ++k) sum += atof(field_of(line, phase + k).text);
        ck_assert_msg(all > 0 && sum > 0 && sum <= all, "%g of %g", sum, all);
        ck_assert(atof(field_of(line, busy).text) <= all);
        ck_assert(atoi(field_of(line, 0).text) == (int)lines + 1);
        if (strcmp(field_of(line, asked).text, bodies) != 0) continue;
        if (!state[0]) snprintf(state, sizeof state, "%s", field_of(line, hash).text);
        ck_assert_str_eq(field_of(line, hash).text, state);
        if (strcmp(field_of(line, of).text, threads) == 0 && count < 16) times[count++] = all;
    }
    ck_assert_uint_eq(lines, runs);
    ck_assert_uint_eq(strlen(state), 16);
    ck_assert_uint_eq(count, 3);
    double low = fmin(times[0], fmin(times[1], times[2])), high = fmax(times[0], fmax(times[1], times[2]));
    return times[0] + times[1] + times[2] - low - high;
}

static const json_t *config_of(const json_t *all, int bodies, int threads) {
    size_t i;
    json_t *config;
    json_array_foreach(json_object_get(all, "configurations"), i, config) {
        if ((int)real(config, "bodies_asked") == bodies && (int)real(config, "threads") == threads)
            return config;
    }
    ck_abort_msg("no %d bodies with %d threads", bodies, threads);
}

static void check_json(const json_t *all, double median) {
    ck_assert_str_eq(text(all, "scene"), "gas");
    ck_assert_str_ne(text(all, "version"), "");
    ck_assert_str_ne(text(all, "simd"), "");
    ck_assert_str_ne(text(json_object_get(all, "build"), "commit"), "");
    ck_assert_str_ne(text(json_object_get(all, "build"), "flags"), "");
    ck_assert_str_ne(text(json_object_get(all, "build"), "compiler"), "");
    const json_t *machine = json_object_get(all, "machine");
    ck_assert(*text(machine, "cpu") && *text(machine, "system") && real(machine, "cores") >= 1);
    ck_assert_str_eq(text(json_object_get(machine, "environment"), "OMP_DISPLAY_ENV"), "false");
    ck_assert(json_is_true(json_object_get(all, "hashes_equal")));
    ck_assert_uint_eq(json_array_size(json_object_get(all, "runs")), 10);
    const json_t *series = json_object_get(all, "series");
    ck_assert_uint_eq(json_array_size(series), 2);
    ck_assert_str_eq(text(json_array_get(series, 0), "kind"), "strong");
    ck_assert_str_eq(text(json_array_get(series, 1), "kind"), "weak");
    const json_t *gains = json_object_get(json_array_get(series, 0), "gains");
    ck_assert_uint_eq(json_array_size(gains), 2);
    ck_assert(real(json_array_get(gains, 0), "speedup") == 1);
    const json_t *two = json_array_get(gains, 1),
                 *narrow = json_object_get(json_object_get(two, "phases"), "narrow");
    ck_assert(real(two, "low") <= real(two, "speedup") && real(two, "high") >= real(two, "speedup"));
    ck_assert(
        isfinite(real(narrow, "serial_fraction"))); // of four steps on a busy machine it may be anything
    const json_t *config = config_of(all, 3000, 2), *step = json_object_get(config, "step");
    double ns = real(json_object_get(step, "ns_per_step"), "median");
    ck_assert_msg(fabs(ns * 4 - median) < 1, "%g and %g", ns * 4, median);
    ck_assert_uint_eq(json_array_size(json_object_get(step, "busy_ns_per_step")), 2);
    double read = 0, written = 0;
    const json_t *phases = json_object_get(config, "phases");
    const char *name;
    json_t *phase;
    json_object_foreach((json_t *)(uintptr_t)phases, name, phase) {
        read += real(phase, "bytes_read_per_step");
        written += real(phase, "bytes_written_per_step");
    }
    ck_assert(fabs(read - real(step, "bytes_read_per_step")) <= 5);
    ck_assert(fabs(written - real(step, "bytes_written_per_step")) <= 5);
    ck_assert_double_gt(written, 3000 * (2 + 2 + 2) * 8); // x, y, vx, vy, and boxes of as many bytes
    double rate = real(step, "bytes_per_s");
    ck_assert_msg(fabs(rate * ns / 1e9 / (read + written) - 1) < 1e-3, "%g", rate);
    ck_assert_msg(fabs(real(step, "of_triad") * real(config, "triad_bytes_per_s") - rate) <
                      1e-3 * rate + 1e-4 * real(config, "triad_bytes_per_s"),
                  "%g", rate);
    const json_t *shares = json_object_get(step, "thread_ns_per_step");
    double sum = real(shares, "busy") + real(shares, "serial") + real(shares, "alone") +
                 real(shares, "waiting");
    ck_assert_msg(sum > ns, "%g of %g", sum, ns);
    ck_assert_str_eq(text(config_of(all, 6000, 1), "series"), "check");
}

QD_TEST(test_a_test_and_what_it_leaves) {
    qd_program_outcome result = qd_program_succeed(
        &program,
        &(qd_program_start){.arguments = {"scale", "gas", "--bodies", "3000", "--threads", "1,2", "--steps",
                                          "4", "--warmup", "2", "--repeats", "3", "--weak", "-o", "out"},
                            .environment = {"OMP_DISPLAY_ENV=false"}});
    // The last is not said of threads that cannot run at once.
    static const char *const said[] = {"strong scaling of gas: 3000 bodies",
                                       "weak scaling of gas: 3000 bodies for each",
                                       "speed-up",
                                       "imbal.",
                                       "of the threads' time",
                                       "GB/s of triad",
                                       "resolve",
                                       "the median is in them",
                                       "3000 bodies are too few for 2 threads"};
    size_t all_said = sizeof said / sizeof said[0] - (qdi_host_affinity() == 1 ? 1 : 0);
    for (size_t i = 0; i < all_said; ++i)
        ck_assert_msg(strstr(result.out, said[i]) != NULL, "does not say '%s': %s", said[i], result.out);
    ck_assert(strstr(result.out, "With 2 threads") || strstr(result.out, "Not reliable: ") ||
              qdi_host_affinity() == 1);
    ck_assert(strstr(result.err, "run 10 of 10: ") != NULL && strstr(result.err, "machine  ") != NULL);
    // Strong and weak share the run with one thread; 6000 bodies are checked with one thread, once.
    double median = check_runs("out/scale.csv", 10, "3000", "2");
    json_t *all = read_json("out/scale.json");
    check_json(all, median);
    json_decref(all);
    ck_assert_uint_eq(lines_of("out/steps.csv"), 1 + 10 * 4);
    // Runs with one thread: 3 and a check; with two: 6.
    ck_assert_uint_eq(lines_of("out/phases.csv"), 1 + 5 * (4 + 2 * 6));
    static const char *const pictures[] = {"time", "speedup", "efficiency", "phases", "weak"};
    for (size_t i = 0; i < 5; ++i) {
        char name[64];
        snprintf(name, sizeof name, "out/%s.png", pictures[i]);
        ck_assert_msg(qd_scratch_exists(at(name).text) == qdi_host_has_program("gnuplot"), "%s", name);
        size_t bytes = 0;
        qd_own_memory char *data = qd_scratch_read(at(name).text, &bytes);
        ck_assert_msg(!data || (bytes > 3000 && memcmp(data, "\x89PNG", 4) == 0), "%s: %zu bytes", name,
                      bytes);
    }
}

QD_TEST(test_json_instead_of_tables) {
    expect_refusal(RUN("scale", "gas", "--bodies", "500", "--threads", "1,2000", "-o", "out"), 2, "2000");
    char threads[32];
    snprintf(threads, sizeof threads, "1,%d", qdi_host_cores() + 1);
    qd_program_outcome result = SUCCEED("scale", "gas", "--bodies", "500", "--threads", threads, "--steps",
                                        "2", "--repeats", "1", "--json", "-q", "-o", "out");
    ck_assert_str_eq(result.err, "");
    qd_own_memory char *file = qd_scratch_read(at("out/scale.json").text, NULL);
    ck_assert_str_eq(result.out, file);
    json_t *all = read_json("out/scale.json");
    ck_assert(json_is_true(json_object_get(config_of(all, 500, qdi_host_cores() + 1), "beyond")));
    ck_assert(json_is_false(json_object_get(config_of(all, 500, 1), "beyond")));
    const json_t *verdict = json_object_get(json_array_get(json_object_get(all, "series"), 0), "verdict");
    ck_assert((verdict == NULL) == json_is_true(json_object_get(all, "reliable")));
    json_decref(all);
    ck_assert(!qd_scratch_exists(at("out/weak.png").text));

    expect_refusal(RUN("scale", "gas", "--threads", "1", "--steps", "2", "--repeats", "1", "-o", "out"), 4,
                   "--force");
    result = RUN("scale", "gas", "--bodies", "500", "--threads", threads, "--steps", "2", "--repeats", "1",
                 "-o", "out", "--force");
    ck_assert_msg(result.code == 0 && strstr(result.out, "*: more threads than can run at once"), "%s",
                  result.out);
    ck_assert(strstr(result.err, "are more than can run at once here") != NULL);
}

// Where threads were bound is told of every configuration; where none is, nothing is.
// Ranks instead of threads, each with two: of a world that rank 0 has (it is of a file), and of one that
// nobody has.
QD_TEST_LOOP(test_ranks_are_measured, 0, 2) {
    static const char *const scenes[] = {
        "name: rank_zero\nworld: {size: [60, 60]}\ncontact: {model: none}\n"
        "bodies:\n  - file: {path: bodies.csv}\n",
        "name: nobody\nworld: {size: [60, 60]}\ncontact: {model: none}\n"
        "bodies:\n  - disks: {count: 900, radius: 0.5, place: cells, velocity: {normal: 4}}\n"};
    char rows[900 * 24 + 32] = "x,y,radius,vx,vy\n";
    for (int k = 0; k < 900; ++k) {
        const size_t used = strlen(rows);
        snprintf(rows + used, sizeof rows - used, "%d,%d,0.5,%d,%d\n", 1 + 2 * (k % 30), 1 + 2 * (k / 30),
                 k % 7 - 3, k % 5 - 2);
    }
    qd_scratch_write(at("bodies.csv").text, rows);
    qd_scratch_write(at("scene.yaml").text, scenes[_i]);
    qd_program_outcome result = SUCCEED("scale", "scene.yaml", "--ranks", "1,3", "--threads", "2", "--steps",
                                        "4", "--repeats", "2", "-q", "-o", "out", _i == 1 ? "--weak" : NULL);
    ck_assert_msg(strstr(result.out, "900 bodies; ranks of 2 threads each; 4 steps"), "%s", result.out);
    ck_assert(!strstr(result.out, "MB/step")); // nobody knows what all of them move
    json_t *all = read_json("out/scale.json");
    ck_assert(real(all, "threads_per_rank") == 2);
    ck_assert(json_is_true(json_object_get(all, "hashes_equal")));
    const json_t *config = config_of(all, 900, 6),
                 *busy = json_object_get(json_object_get(config, "step"), "busy_ns_per_step");
    ck_assert(real(config, "ranks") == 3 && real(config, "bodies") == 900);
    if (_i == 1) ck_assert(real(config_of(all, 1800, 2), "ranks") == 1);
    ck_assert_uint_eq(json_array_size(busy), 6);
    for (size_t k = 0; k < 6; k += 2) // some thread of each rank has worked
        ck_assert(json_number_value(json_array_get(busy, k)) > 0 ||
                  json_number_value(json_array_get(busy, k + 1)) > 0);
    json_decref(all);
}

QD_TEST(test_bound_threads_are_told) {
    if (!qdi_topology_known()) {
        expect_refusal(RUN("scale", "gas", "--pin", "close", "-o", "out"), 2, "built without hwloc");
        return;
    }
    qd_program_expect(RUN("scale", "gas", "--bodies", "500", "--threads", "1,3", "--steps", "2", "--repeats",
                          "1", "--pin", "close", "-o", "out"),
                      0, "pin      close: threads on processors ", NULL);
    json_t *all = read_json("out/scale.json");
    for (int threads = 1; threads <= 3; threads += 2) {
        const json_t *config = config_of(all, 500, threads),
                     *processors = json_object_get(config, "processors");
        ck_assert_str_eq(text(config, "pin"), "close");
        ck_assert_uint_eq(json_array_size(processors), (size_t)threads);
        ck_assert_uint_eq(json_array_size(json_object_get(config, "nodes")), (size_t)threads);
    }
    json_decref(all);
    SUCCEED("scale", "gas", "--bodies", "500", "--threads", "1", "--steps", "2", "--repeats", "1", "--pin",
            "off", "-q", "-o", "out", "--force");
    all = read_json("out/scale.json");
    ck_assert_ptr_null(json_object_get(config_of(all, 500, 1), "pin"));
    json_decref(all);
}

// Where the system refuses the processor's counters, the test goes on without: they are absent, with one
// line.
QD_TEST(test_refused_counters_are_absent) {
    qd_refuse_counters(EACCES);
    qd_program_outcome result = SUCCEED("scale", "gas", "--bodies", "500", "--threads", "1,2", "--steps", "2",
                                        "--repeats", "1", "-o", "out");
    ck_assert_msg(strstr(result.err, "note     no counters of the processor: the system does not let"), "%s",
                  result.err);
    ck_assert_msg(!strstr(result.out, "instructions"), "%s", result.out);
    json_t *all = read_json("out/scale.json");
    ck_assert_ptr_nonnull(strstr(text(all, "counters_absent"), "does not let this process see them"));
    ck_assert_ptr_null(json_object_get(config_of(all, 500, 1), "counters_per_step"));
    ck_assert_ptr_null(json_object_get(json_array_get(json_object_get(all, "runs"), 0), "counters"));
    json_decref(all);
    qd_own_memory char *text = qd_scratch_read(at("out/scale.csv").text, NULL);
    const char *line = strchr(text, '\n') + 1;
    ck_assert_str_eq(field_of(line, column_of(text, "cycles")).text, "");
    ck_assert_str_eq(field_of(line, column_of(text, "cache_misses")).text, "");
    ck_assert_str_ne(field_of(line, column_of(text, "peak_bytes")).text, "");
    ck_assert_str_ne(field_of(line, column_of(text, "simd")).text, "");
}

QD_TEST(test_a_busy_machine) {
    qd_spinners spinners = qd_spinners_start(3 * qdi_host_cores());
    qd_program_outcome result = RUN("scale", "gas", "--bodies", "3000", "--threads", "1,2", "--steps", "500",
                                    "--repeats", "3", "-q", "-o", "out");
    qd_spinners_stop(&spinners);
    ck_assert_msg(result.code == 0, "exit %d: %s", result.code, result.err);
    ck_assert_msg(strstr(result.out, "; NOT RELIABLE\n") && strstr(result.out, "     ~") &&
                      strstr(result.out, "Not reliable: other programs ") &&
                      !strstr(result.out, "With 2 threads"),
                  "%s", result.out);
    json_t *all = read_json("out/scale.json");
    ck_assert(json_is_false(json_object_get(all, "reliable")) && *text(all, "unreliable"));
    const json_t *series = json_array_get(json_object_get(all, "series"), 0);
    ck_assert(strncmp(text(series, "verdict"), "Not reliable: ", 14) == 0);
    json_decref(all);
}

QD_TEST(test_without_gnuplot) {
    qd_program_outcome result = qd_program_succeed(
        &program, &(qd_program_start){.arguments = {"scale", "sizes", "--threads", "1", "--steps", "1",
                                                    "--repeats", "1", "-o", "out", "-v"},
                                      .environment = {"PATH=/nowhere"}});
    ck_assert(strstr(result.err, "no plots: they need the program gnuplot") != NULL);
    ck_assert(strstr(result.out, "milliseconds per step of each of 1 threads") != NULL);
    ck_assert(qd_scratch_exists(at("out/scale.json").text) && !qd_scratch_exists(at("out/time.png").text));
}

QD_TEST(test_plan_without_runs) {
    qd_program_outcome result = SUCCEED("scale", "gas", "--threads", "1-3", "--bodies", "100,200",
                                        "--repeats", "2", "--dry-run", "--order-seed", "5");
    size_t lines = 0;
    for (const char *c = result.out; *c; ++c) lines += *c == '\n';
    ck_assert_uint_eq(lines, 1 + 12);
    ck_assert_uint_eq(qd_scratch_count(program.work.path), 0);
    qd_program_outcome again = RUN("scale", "gas", "--threads", "1-3", "--bodies", "100,200", "--repeats",
                                   "2", "--dry-run", "--order-seed", "6");
    ck_assert_str_ne(result.out, again.out);
}

QD_TEST(test_bad_input) {
    static const struct {
        const char *arguments[8];
        int code;
        const char *named;
    } cases[] = {
        {{"gas"}, 2, "-o DIR"},
        {{"-o", "out"}, 2, "SCENE"},
        {{"gas", "-o", "out", "--threads", "1,x"}, 2, "'x'"},
        {{"gas", "-o", "out", "--threads", "4-2"}, 2, "'4-2'"},
        {{"gas", "-o", "out", "--bodies", "many"}, 2, "'many'"},
        {{"gas", "-o", "out", "--repeats", "0"}, 2, "--repeats"},
        {{"gas", "-o", "out", "--simd", "mmx"}, 2, "mmx"},
        {{"gas", "-o", "out", "--pin", "here"}, 2, "--pin: 'here'"},
        {{"gas", "-o", "out", "--ranks", "0"}, 2, "--ranks: '0'"},
        {{"gas", "-o", "out", "--ranks", "2", "--threads", "1,2"}, 2, "--threads 1,2"},
        {{"gas", "-o", "out", "--ranks", "2", "--pin", "close"}, 2, "--pin"},
        {{"gas", "-o", "other", "--ranks", "2"}, 2, "contact.model impulse"},
        {{"gaz", "-o", "out"}, 3, "gas"},
        {{"gas", "-o", "out", "--set", "world.nonsense=1"}, 2, "nonsense"},
        {{"hopper", "-o", "out", "--bodies", "5000"}, 2, "bodies.0"},
        {{"hopper", "-o", "out", "--weak", "--threads", "1,2"}, 2, "bodies.0"},
        {{"gas", "-o", "/dev/null/such/place", "--bodies", "100"}, 4, "/dev/null/such/place"},
        {{"gas", "-o", "out", "--set", "limits.speed=0.001", "--bodies", "100"}, 3, "limit"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        qd_program_start start = {.arguments = {"scale", "-q"}};
        for (size_t k = 0; k < 8 && cases[i].arguments[k]; ++k)
            start.arguments[2 + k] = cases[i].arguments[k];
        expect_refusal(qd_program_run(&program, &start), cases[i].code, cases[i].named);
    }
    ck_assert(!qd_scratch_exists(at("out/scale.json").text));
}

QD_TEST(test_a_signal_ends_it) {
    const qd_program_start start = {.arguments = {"scale", "gas", "--bodies", "2000", "--threads", "1,2",
                                                  "--steps", "100000", "-o", "out"}};
    pid_t child = qd_program_launch(&program, &start);
    qd_scratch_await(at("out/scale.csv").text);
    nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    kill(child, SIGTERM);
    qd_program_outcome result = qd_program_await(&program, child);
    ck_assert_msg(result.code == 128 + SIGTERM, "exit %d: %s", result.code, result.err);
    ck_assert_msg(strstr(result.err, "stopped by SIGTERM after 0 of 14 runs"), "%s", result.err);
    ck_assert(!qd_scratch_exists(at("out/scale.json").text));
    ck_assert_uint_eq(lines_of("out/scale.csv"), 1);
}

QD_TEST_MAIN("scale_program", 240, setup, teardown)
