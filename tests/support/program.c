#define _GNU_SOURCE // fork, setrlimit, waitid, usleep
#include "tests/support/program.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void qd_program_setup(qd_program *program, const char *path) {
    program->path = path;
    program->work = qd_scratch_make();
    program->capture = qd_scratch_make();
}

/// All that programs have said in this test.
typedef struct said {
    struct said *before;
    char *text;
} said;
static said *all_said;

static char *keep(char *text) {
    said *one = malloc(sizeof *one);
    ck_assert_ptr_nonnull(one);
    *one = (said){all_said, text};
    all_said = one;
    return text;
}

void qd_program_teardown(const qd_program *program) {
    for (said *one = all_said; one; one = all_said) {
        all_said = one->before;
        free(one->text);
        free(one);
    }
    qd_scratch_remove(&program->work);
    qd_scratch_remove(&program->capture);
}

static void redirect(const char *path, int target) {
    int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (descriptor < 0 || dup2(descriptor, target) < 0) _exit(120);
}

static void set_variables(const qd_program_start *start) {
    unsetenv("OMP_NUM_THREADS");
    unsetenv("SLURM_CPUS_PER_TASK");
    unsetenv("NO_COLOR");
    for (size_t i = 0; i < QD_PROGRAM_VARIABLES && start->environment[i]; ++i) {
        char *variable = strdup(start->environment[i]);
        if (!variable || putenv(variable) != 0) _exit(121);
    }
}

/// The runner's own ways to deal with signals, which end all tests, are not the program's.
static void forget_handlers(void) {
    sigset_t none;
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    sigemptyset(&none);
    if (sigprocmask(SIG_SETMASK, &none, NULL) != 0) _exit(125);
}

static _Noreturn void become(const qd_program *program, const qd_program_start *start) {
    forget_handlers();
    set_variables(start);
    redirect(start->stdout_path ? start->stdout_path : qd_scratch_at(&program->capture, "out").text,
             STDOUT_FILENO);
    if (start->stderr_descriptor == 0)
        redirect(qd_scratch_at(&program->capture, "err").text, STDERR_FILENO);
    else if (dup2(start->stderr_descriptor, STDERR_FILENO) < 0)
        _exit(120);
    if (start->file_limit > 0) {
        struct rlimit limit = {start->file_limit, start->file_limit};
        if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(122);
    }
    if (start->address_limit > 0) {
        struct rlimit limit = {start->address_limit, start->address_limit};
        if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(122);
    }
    if (chdir(program->work.path) != 0) _exit(123);
    char *arguments[QD_PROGRAM_ARGUMENTS + 2] = {strdup(program->path)};
    for (size_t i = 0; i < QD_PROGRAM_ARGUMENTS && start->arguments[i]; ++i)
        arguments[i + 1] = strdup(start->arguments[i]);
    execv(program->path, arguments);
    _exit(124);
}

pid_t qd_program_launch(const qd_program *program, const qd_program_start *start) {
    sigset_t all, before;
    sigfillset(&all);
    ck_assert_int_eq(sigprocmask(SIG_SETMASK, &all, &before), 0);
    pid_t child = fork();
    if (child == 0) become(program, start);
    ck_assert_int_eq(sigprocmask(SIG_SETMASK, &before, NULL), 0);
    ck_assert_int_ge(child, 0);
    return child;
}

qd_program_outcome qd_program_await(const qd_program *program, pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0) ck_assert_int_eq(errno, EINTR);
    return (qd_program_outcome){WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status),
                                keep(qd_scratch_read(qd_scratch_at(&program->capture, "out").text, NULL)),
                                keep(qd_scratch_read(qd_scratch_at(&program->capture, "err").text, NULL))};
}

qd_program_outcome qd_program_run(const qd_program *program, const qd_program_start *start) {
    return qd_program_await(program, qd_program_launch(program, start));
}

bool qd_program_has_ended(pid_t child) {
    siginfo_t info = {.si_pid = 0};
    return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == child;
}

qd_program_outcome qd_program_stop_at(const qd_program *program, const qd_program_start *start,
                                      const char *file, int number) {
    const qd_scratch_path path = qd_scratch_at(&program->work, file);
    qd_program_outcome outcome = {.code = 0};
    for (int i = 0; i < 10 && outcome.code == 0; ++i) {
        (void)unlink(path.text); // of an earlier run
        pid_t child = qd_program_launch(program, start);
        while (!qd_scratch_exists(path.text) && !qd_program_has_ended(child)) usleep(1000);
        ck_assert_int_eq(kill(child, number), 0);
        outcome = qd_program_await(program, child);
    }
    return outcome;
}

qd_program_outcome qd_program_succeed(const qd_program *program, const qd_program_start *start) {
    qd_program_outcome outcome = qd_program_run(program, start);
    ck_assert_msg(outcome.code == 0, "%s %s: exit %d: %.2000s%.2000s", start->arguments[0],
                  start->arguments[1], outcome.code, outcome.out, outcome.err);
    return outcome;
}

int qd_program_disturb(const qd_program *program, const qd_program_start *start, double seconds, int number) {
    pid_t child = qd_program_launch(program, start);
    usleep((useconds_t)(1e6 * seconds));
    (void)kill(child, number);
    qd_program_outcome outcome = qd_program_await(program, child);
    const int code = outcome.code;
    ck_assert_msg(code == -number || code == 0 || (number == SIGTERM && code == 75), "exit %d: %.2000s", code,
                  outcome.err);
    return code;
}

void qd_program_expect(qd_program_outcome outcome, int code, const char *err, const char *out) {
    ck_assert_msg(outcome.code == code, "exit %d, not %d: %.2000s%.2000s", outcome.code, code, outcome.out,
                  outcome.err);
    ck_assert_msg(!err || strstr(outcome.err, err), "does not say '%s': %.2000s", err, outcome.err);
    ck_assert_msg(!out || strstr(outcome.out, out), "does not say '%s': %.2000s", out, outcome.out);
}

json_t *qd_program_json(qd_program_outcome outcome, int code) {
    ck_assert_msg(outcome.code == code, "exit %d, not %d: %.2000s%.2000s", outcome.code, code, outcome.out,
                  outcome.err);
    json_t *json = json_loads(outcome.out, 0, NULL);
    ck_assert_msg(json != NULL, "%.2000s", outcome.out);
    return json;
}

int qd_program_shell(const qd_program *program, const char *commands) {
    qd_program other = *program;
    other.path = "/bin/sh";
    qd_program_start start = {.arguments = {"-c", commands}};
    qd_program_outcome outcome = qd_program_run(&other, &start);
    int code = outcome.code;
    if (code != 0) printf("%s: exit %d: %s%s\n", commands, code, outcome.out, outcome.err);
    return code;
}

void expect_refusal(qd_program_outcome outcome, int code, const char *named) {
    ck_assert_msg(outcome.code == code, "exit %d, not %d: %s", outcome.code, code, outcome.err);
    ck_assert_msg(strncmp(outcome.err, "quadrille: ", 11) == 0, "starts otherwise: %s", outcome.err);
    const char *end = strchr(outcome.err, '\n');
    ck_assert_msg(end && end[1] == '\0', "not one line: %s", outcome.err);
    ck_assert_msg(strstr(outcome.err, named) != NULL, "does not say '%s': %s", named, outcome.err);
    ck_assert_str_eq(outcome.out, "");
}

static int expect_whole(const char *path, const struct stat *info, int kind, struct FTW *where) {
    (void)info;
    (void)kind;
    size_t length = strlen(path);
    bool part = length > 5 && strcmp(path + length - 5, ".part") == 0;
    ck_assert_msg(!part && strcmp(path + where->base, "lock") != 0, "%s is left", path);
    return 0;
}

void qd_program_expect_no_parts(const char *directory) {
    ck_assert_int_eq(nftw(directory, expect_whole, 16, FTW_PHYS), 0);
}

json_t *qd_program_result(const qd_program *program, const char *directory) {
    char name[300];
    snprintf(name, sizeof name, "%s/result.json", directory);
    json_error_t error;
    json_t *root = json_load_file(qd_scratch_at(&program->work, name).text, JSON_REJECT_DUPLICATES, &error);
    ck_assert_msg(root != NULL, "%s: %s", name, error.text);
    return root;
}

qd_program_text qd_program_result_text(const qd_program *program, const char *directory, const char *key) {
    json_t *root = qd_program_result(program, directory);
    const char *value = json_string_value(json_object_get(root, key));
    ck_assert_msg(value != NULL, "%s has no text %s", directory, key);
    qd_program_text text;
    snprintf(text.text, sizeof text.text, "%s", value);
    json_decref(root);
    return text;
}

json_int_t qd_program_result_whole(const qd_program *program, const char *directory, const char *key) {
    json_t *root = qd_program_result(program, directory);
    ck_assert_msg(json_is_integer(json_object_get(root, key)), "%s has no whole number %s", directory, key);
    json_int_t value = json_integer_value(json_object_get(root, key));
    json_decref(root);
    return value;
}
