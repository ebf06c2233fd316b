// Every run is a program of its own, started anew, and that of this build is started as the other's is: what
// a run finds of memory, environment and place is then the same for both.

#include "core/base/memory.h"
#include "sim/files/os.h"
#include "tools/host/console.h"
#include "tools/host/exit_codes.h"
#include "tools/host/failure.h"
#include "tools/host/os.h"
#include "tools/scale/against_report.h"

#include <inttypes.h>
#include <quadrille/random.h>

enum { PATH_SIZE = 4096, FIXED_ARGUMENTS = 28, USE_PAIR = 102, FILE_ROOM = 1 << 14, CANNOT_START = 127 };

/// A test of two builds on its way.
typedef struct measuring_pairs {
    const qdi_against_job *job;
    char self[PATH_SIZE], folder[PATH_SIZE]; ///< this program, and where its runs put their files
    const char **arguments;                  ///< with room for all
    qdi_against_pair *pairs;
    qdi_against_result *results;
} measuring_pairs;

// Two builds: makes the arguments of a run of `program`.
static void make_arguments(const measuring_pairs *test, const char *program, const qdi_scale_config *config,
                           char numbers[4][24]) {
    const qdi_against_job *job = test->job;
    const char **next = test->arguments;
    snprintf(numbers[0], 24, "%d", config->threads);
    snprintf(numbers[1], 24, "%zu", job->plan->steps);
    snprintf(numbers[2], 24, "%zu", job->plan->dropped);
    snprintf(numbers[3], 24, "%" PRIu64, config->bodies);
    const char *const fixed[] = {program,    "scale",   "-q",       "--no-progress", "--repeats",
                                 "1",        "--force", "-o",       test->folder,    "--threads",
                                 numbers[0], "--steps", numbers[1], "--warmup",      numbers[2]};
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; ++i) *next++ = fixed[i];
    if (job->bodies_given) {
        *next++ = "--bodies";
        *next++ = numbers[3];
    }
    if (job->simd) {
        *next++ = "--simd";
        *next++ = job->simd;
    }
    if (job->pin) {
        *next++ = "--pin";
        *next++ = job->pin;
    }
    for (size_t i = 0; i < job->set_count; ++i) {
        *next++ = "--set";
        *next++ = job->sets[i];
    }
    *next++ = "--";
    *next++ = job->scene;
    *next = NULL;
}

/// Two builds: in the copy of this process, which becomes the program.
static int become_program(void *context, FILE *reply) {
    (void)reply; // stays open until the program ends
    const measuring_pairs *test = context;
    qd_error error = {""};
    qdi_host_become(test->arguments, error.text, sizeof error.text);
    qdi_complain("%.300s cannot be started: %s", test->arguments[0], error.text);
    return CANNOT_START;
}

// Two builds: reads what a run has left.
static int read_pair_run(const measuring_pairs *test, const char *program, qdi_against_run *run) {
    char path[PATH_SIZE + 16], text[FILE_ROOM];
    snprintf(path, sizeof path, "%s/scale.csv", test->folder);
    FILE *file = fopen(path, "re");
    size_t got = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file) (void)fclose(file);
    text[got] = '\0';
    const char *wrong = file ? qdi_against_read(text, run) : "there is none";
    if (!wrong) return QDI_EXIT_DONE;
    qdi_complain("%.300s is no build to compare with: of the scale.csv of its run, %s", program, wrong);
    return QDI_EXIT_FAILED;
}

// Makes one run of one build.
static int run_build(const measuring_pairs *test, const char *program, const qdi_scale_config *config,
                     qdi_against_run *run) {
    char numbers[4][24], unused[1], path[PATH_SIZE + 16];
    size_t got = 0;
    snprintf(path, sizeof path, "%s/scale.csv", test->folder);
    qd_error error = {""};
    if (qdi_os_exists(path) && qdi_os_remove_file(path, &error) != QD_OK)
        return qdi_fail(QD_ERR_IO, &error, QDI_EXIT_OUTPUT);
    make_arguments(test, program, config, numbers);
    int code = qdi_host_child_run(become_program, (void *)(uintptr_t)test, unused, sizeof unused, &got);
    if (qdi_host_signal() != 0) return QDI_EXIT_SIGNAL + qdi_host_signal();
    if (code == 0) return read_pair_run(test, program, run);
    if (code == CANNOT_START) return QDI_EXIT_FAILED;
    if (code < 0)
        qdi_complain("a run of %.300s with %d threads was killed by signal %d", program, config->threads,
                     -code);
    else
        qdi_complain("a run of %.300s with %d threads ended with exit code %d", program, config->threads,
                     code);
    return code > 0 ? code : QDI_EXIT_FAILED;
}

// Two builds: makes both runs of a pair, in an order by chance.
static int run_pair(const measuring_pairs *test, size_t turn) {
    const qdi_against_job *job = test->job;
    const qdi_scale_config *config = &job->plan->configs[job->plan->turns[turn].config];
    qdi_against_pair *pair = &test->pairs[turn];
    qd_random random = qd_random_at(job->plan->seed, turn, USE_PAIR);
    pair->there_first = qd_random_uniform(&random) < .5;
    int exit_code = QDI_EXIT_DONE;
    for (int k = 0; k < 2 && exit_code == QDI_EXIT_DONE; ++k) {
        bool there = (k == 0) == pair->there_first;
        exit_code = run_build(test, there ? job->program : test->self, config,
                              there ? &pair->there : &pair->here);
    }
    if (exit_code == QDI_EXIT_DONE && !job->quiet && !job->no_progress)
        fprintf(stderr, "pair %zu of %zu: %" PRIu64 " bodies, %d thread%s: %.3f and %.3f ms per step\n",
                turn + 1, job->plan->turn_count, pair->here.bodies, config->threads,
                config->threads == 1 ? "" : "s",
                (double)pair->here.ns[QDI_SCALE_PHASES] / (double)job->plan->steps / 1e6,
                (double)pair->there.ns[QDI_SCALE_PHASES] / (double)job->plan->steps / 1e6);
    return exit_code;
}

// Two builds: makes all pairs of runs, and their lines of against.csv.
static int run_pairs(const measuring_pairs *test) {
    const qdi_scale_plan *plan = test->job->plan;
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/against.csv", test->job->directory);
    FILE *csv = NULL;
    qd_error error = {""};
    if (qdi_file_create_stream(path, &csv, &error) != QD_OK)
        return qdi_fail(QD_ERR_IO, &error, QDI_EXIT_OUTPUT);
    qdi_against_csv_head(csv);
    int exit_code = QDI_EXIT_DONE;
    size_t turn = 0;
    for (; exit_code == QDI_EXIT_DONE && turn < plan->turn_count; ++turn) {
        exit_code = run_pair(test, turn);
        if (exit_code != QDI_EXIT_DONE) break;
        qdi_against_csv_pair(csv, plan, turn, &test->pairs[turn]);
        if (fflush(csv) != 0) exit_code = QDI_EXIT_OUTPUT;
    }
    if (fclose(csv) != 0 && exit_code == QDI_EXIT_DONE) exit_code = QDI_EXIT_OUTPUT;
    if (exit_code == QDI_EXIT_OUTPUT) qdi_complain("%.500s cannot be written", path);
    if (exit_code >= QDI_EXIT_SIGNAL)
        qdi_complain("stopped by %s after %zu of %zu pairs of runs; they are in %.500s",
                     qdi_host_signal_name(qdi_host_signal()), turn, plan->turn_count, path);
    return exit_code;
}

// Two builds: sums up, writes against.json and prints.
static int tell_against(const measuring_pairs *test, const qdi_against_report *report) {
    const qdi_against_job *job = test->job;
    for (size_t i = 0; i < job->plan->config_count; ++i) {
        qd_status status = qdi_against_compare(job->plan, test->pairs, i, &test->results[i]);
        if (status != QD_OK) return qdi_fail(status, &(qd_error){""}, QDI_EXIT_FAILED);
    }
    qdi_json json = {.allocator = qd_allocator_default()};
    qd_error error = {""};
    char path[PATH_SIZE], temporary[PATH_SIZE];
    snprintf(path, sizeof path, "%s/against.json", job->directory);
    snprintf(temporary, sizeof temporary, "%s/.against.json.part", job->directory);
    int exit_code = QDI_EXIT_DONE;
    qd_status status = qdi_against_json(&json, report);
    if (status != QD_OK)
        exit_code = qdi_fail(status, &error, QDI_EXIT_FAILED);
    else if ((status = qdi_os_write_file(temporary, path, json.text, json.length, &error)) != QD_OK)
        exit_code = qdi_fail(status, &error, QDI_EXIT_OUTPUT);
    else if (job->json)
        fputs(json.text, stdout);
    else
        qdi_against_print(stdout, report);
    qdi_json_free(&json);
    return exit_code;
}

/// Two builds: removes a file that a run has left.
static bool remove_entry(void *context, const char *name) {
    const measuring_pairs *test = context;
    char path[2 * PATH_SIZE];
    qd_error error = {""};
    snprintf(path, sizeof path, "%s/%s", test->folder, name);
    return qdi_os_remove_file(path, &error) == QD_OK;
}

/// Two builds: the folder in which runs put their files, without those of an earlier test.
static int prepare_folder(measuring_pairs *test) {
    qd_error error = {""};
    int length = snprintf(test->folder, sizeof test->folder, "%s/.against", test->job->directory);
    if (length < 0 || length >= PATH_SIZE - 32) {
        qdi_complain("the name of the output directory is too long");
        return QDI_EXIT_OUTPUT;
    }
    if (!qdi_host_program_path(test->self, sizeof test->self)) {
        qdi_complain("the path of this program cannot be known, so that it cannot be started again");
        return QDI_EXIT_FAILED;
    }
    qd_status status = qdi_os_make_directories(test->folder, &error);
    if (status == QD_ERR_EXISTS && qdi_os_is_directory(test->folder)) status = QD_OK;
    return status == QD_OK ? QDI_EXIT_DONE : qdi_fail(status, &error, QDI_EXIT_OUTPUT);
}

// Two builds: measures, with all memory there.
static int measure_pairs(measuring_pairs *test) {
    const qdi_against_job *job = test->job;
    const qdi_scale_plan *plan = job->plan;
    qdi_against_report report = {.job = job, .pairs = test->pairs, .results = test->results};
    int exit_code = prepare_folder(test);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    qdi_scale_origin_look(&report.origin);
    qdi_host_watch_signals();
    const qdi_others_start others = qdi_others_begin();
    exit_code = run_pairs(test);
    qd_error error = {""};
    qd_status status = qdi_os_list(test->folder, remove_entry, test, &error);
    if (status == QD_OK) status = qdi_os_remove_directory_if_empty(test->folder, &error);
    if (status != QD_OK) qdi_warn("%s", qdi_failure_reason(status, &error));
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    int most = plan->threads[plan->thread_count - 1];
    report.others = qdi_others_end(&others, most < plan->available ? most : plan->available);
    report.origin.load_last = qdi_host_load();
    return tell_against(test, &report);
}

int qdi_against_measure(const qdi_against_job *job) {
    const qd_allocator *allocator = qd_allocator_default();
    const qdi_scale_plan *plan = job->plan;
    size_t words = FIXED_ARGUMENTS + 2 * job->set_count;
    measuring_pairs test = {.job = job,
                            .arguments = qdi_allocate(allocator, words, sizeof(const char *)),
                            .pairs = qdi_allocate(allocator, plan->turn_count, sizeof *test.pairs),
                            .results = qdi_allocate(allocator, plan->config_count, sizeof *test.results)};
    int exit_code = test.arguments && test.pairs && test.results
                        ? measure_pairs(&test)
                        : qdi_fail(QD_ERR_MEMORY, &(qd_error){""}, QDI_EXIT_FAILED);
    qdi_release(allocator, test.arguments, words, sizeof(const char *));
    qdi_release(allocator, test.pairs, plan->turn_count, sizeof *test.pairs);
    qdi_release(allocator, test.results, plan->config_count, sizeof *test.results);
    return exit_code;
}
