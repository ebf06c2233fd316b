#pragma once

#include "tests/support/scratch.h"

#include <jansson.h>
#include <sys/resource.h>
#include <sys/types.h>

/// The program as users meet it: started in an empty directory, judged by its exit code, by what it says and
/// by the files it leaves. The environment variables that choose threads and colour are taken away first, so
/// that the machine that runs the tests does not decide.

enum { QD_PROGRAM_ARGUMENTS = 24, QD_PROGRAM_VARIABLES = 4 };

/// Where the program runs, and where what it says is kept.
typedef struct qd_program {
    const char *path; ///< of the program
    qd_scratch work, capture;
} qd_program;

/// How to start it. NULL ends both lists.
typedef struct qd_program_start {
    const char *arguments[QD_PROGRAM_ARGUMENTS];
    const char *environment[QD_PROGRAM_VARIABLES]; ///< "NAME=VALUE"
    rlim_t file_limit;                             ///< longest file it may write; 0 = no limit
    rlim_t address_limit;                          ///< bytes of addresses that it may have; 0 = no limit
    const char *stdout_path;                       ///< NULL: captured
    int stderr_descriptor;                         ///< 0: captured
} qd_program_start;

/// How it ended. What it said is there until the teardown.
typedef struct qd_program_outcome {
    int code; ///< of exit, or minus the number of the signal that killed it
    char *out, *err;
} qd_program_outcome;

void qd_program_setup(qd_program *program, const char *path);
void qd_program_teardown(const qd_program *program);

pid_t qd_program_launch(const qd_program *program, const qd_program_start *start);
qd_program_outcome qd_program_await(const qd_program *program, pid_t child);
/// Both.
qd_program_outcome qd_program_run(const qd_program *program, const qd_program_start *start);
/// Starts it, sends it a signal when a file is there, and awaits its end. Where the program has come to a
/// good end before the signal came, as on a busy machine it may, all of that is done once more, ten times at
/// most: the arguments must allow it.
qd_program_outcome qd_program_stop_at(const qd_program *program, const qd_program_start *start,
                                      const char *file, int number);
/// Starts it, sends it a signal after so long, and awaits its end, which must be by that signal, or a good
/// one, or where SIGTERM has stopped it: its code.
int qd_program_disturb(const qd_program *program, const qd_program_start *start, double seconds, int number);
/// A child has ended; it stays to be awaited.
bool qd_program_has_ended(pid_t child);
/// Runs it, and exit 0; says why where there is none.
qd_program_outcome qd_program_succeed(const qd_program *program, const qd_program_start *start);

/// Ends the test unless it ended with this exit code, and said these words on stderr and stdout (NULL: any).
void qd_program_expect(qd_program_outcome outcome, int code, const char *err, const char *out);

/// Ends the test unless it ended with this exit code and printed JSON: that, read; json_decref it.
json_t *qd_program_json(qd_program_outcome outcome, int code);

/// Runs commands of a shell there, and says what they said where they fail; their exit code.
int qd_program_shell(const qd_program *program, const char *commands);

/// Ends the test unless it ended with this exit code, one line on stderr that says `named`, and nothing on
/// stdout.
void expect_refusal(qd_program_outcome outcome, int code, const char *named);

/// No file under this directory is in the making, and it is not locked.
void qd_program_expect_no_parts(const char *directory);

/// DIRECTORY/result.json, read; json_decref it. And two of its kinds of values.
json_t *qd_program_result(const qd_program *program, const char *directory);
typedef struct qd_program_text {
    char text[64];
} qd_program_text;
qd_program_text qd_program_result_text(const qd_program *program, const char *directory, const char *key);
json_int_t qd_program_result_whole(const qd_program *program, const char *directory, const char *key);
