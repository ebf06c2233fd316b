#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/// What the program needs of the system beyond ISO C, in one place.

/// Called first. Where the system limits the addresses of this process (ulimit -v), all threads share one
/// heap: each of its own reserves 64 MiB of them, so that there are none left for the next thread.
void qdi_host_spare_addresses(void);

/// From now on memory that is freed is kept for what comes next, where the system's heap can be told to: for
/// threads that each take and free as much again and again, which otherwise give it back to the system every
/// time and get it anew, page by page.
void qdi_host_keep_memory(void);

/// Processors of the machine that are switched on, >= 1.
int qdi_host_cores(void);

/// Processors that this process may run on, or 0 where that cannot be known.
int qdi_host_affinity(void);

/// The processor's name, "unknown" where that cannot be known.
void qdi_host_processor(char *text, size_t bytes);

/// True where a program of this name can be started. The name is letters and digits.
bool qdi_host_has_program(const char *name);

/// A program that reads what is written to `in`.
typedef struct qdi_host_program {
    FILE *in;
    int64_t process;
} qdi_host_program;

/// Starts a program, looked for as the shell would, in `folder` (NULL: here). What it writes to stdout comes
/// to the file `output`, which is made anew, so that it need not be told the file's name. `arguments` start
/// with its name and end with NULL. False where that fails. Should it end early, writing fails, now and
/// afterwards, instead of killing us.
bool qdi_host_program_open(char *const *arguments, const char *folder, const char *output,
                           qdi_host_program *program);
/// Waits for the program's end; true where all was written and it was content.
bool qdi_host_program_close(qdi_host_program *program);

/// Makes an empty folder that only we may look into, in the system's place for such (TMPDIR or /tmp); `path`
/// gets its name.
bool qdi_host_make_scratch(char *path, size_t bytes);

/// Runs a program, looked for as the shell would, in `folder` with nothing to read, waits for its end, and is
/// true where it was content. `arguments` start with its name and end with NULL. What it writes to stdout is
/// lost.
bool qdi_host_run(char *const *arguments, const char *folder);

/// From now on what is written to stdout goes to stderr: for libraries that tell people things there. The
/// result is for qdi_host_stdout_back, which ends that; < 0 where it cannot be done.
int qdi_host_stdout_away(void);
void qdi_host_stdout_back(int kept);

/// True where stderr is a terminal that can redraw a line.
bool qdi_host_stderr_is_terminal(void);

/// Columns of the terminal at stderr, 80 where that cannot be known.
int qdi_host_terminal_width(void);

/// From now on SIGINT, SIGTERM, SIGUSR1 and SIGHUP are only noted. A second SIGINT ends the program at once,
/// if it comes a quarter of a second after the first or later: a person's does, while some programs that stop
/// others send theirs twice in a row. A signal that whoever started us has set to be ignored stays so.
/// Writing past a file's size limit or to a closed pipe no longer kills the program but fails.
void qdi_host_watch_signals(void);

/// The signal noted, or 0. Any thread.
int qdi_host_signal(void);
/// True where there is one. For qd_world_set_stop; `context` is not looked at.
bool qdi_host_asked_to_stop(void *context);

/// "SIGINT", ...
const char *qdi_host_signal_name(int number);

// ---- children: this program, started again ----

/// The processors that this process may run on, at most `most` of them, in order; returns how many. 0: not
/// known.
size_t qdi_host_processors(int *numbers, size_t most);

/// Where this program's file is, for people and scripts. False where that cannot be known.
bool qdi_host_program_path(char *path, size_t bytes);

/// Gives a variable of the environment a value, for children to come, where it has none yet.
void qdi_host_variable_default(const char *name, const char *value);

typedef struct qdi_host_launch {
    char *const *arguments; ///< [0] is the program's name, a NULL ends them
    const char *log;        ///< file that what it says is added to
    const int *processors;  ///< that it may run on
    size_t processor_count; ///< 0: those that we may
} qdi_host_launch;

/// To be called once before the first child: from now on their ends are waited for by qdi_host_child_await
/// alone.
void qdi_host_children_begin(void);

/// Starts this program as a child, with nothing to read and its standard output thrown away. Should this
/// process end, however that is, the child gets SIGTERM. Returns its number, or -1 with errno set.
int64_t qdi_host_child_start(const qdi_host_launch *launch);

/// Waits for the end of any child, but no longer than so many seconds, and not on after a signal was noted.
/// True where one has ended: `*child` is its number, `*code` its exit code or 128 + the number of the signal
/// that killed it.
bool qdi_host_child_await(double seconds, int64_t *child, int *code);

/// Asks a child to stop as SIGTERM does.
void qdi_host_child_stop(int64_t child);

/// Bytes that may still be written to the file system that a path is on; UINT64_MAX where that cannot be
/// known.
uint64_t qdi_host_disk_free(const char *path);

/// Size of a file in bytes, 0 where there is none.
uint64_t qdi_host_file_size(const char *path);

/// When a file was written last, in nanoseconds; 0 where there is none.
int64_t qdi_host_file_time(const char *path);

/// Time that this process has had on processors, all its threads together, and how often one of them was made
/// to leave one.
typedef struct qdi_host_usage {
    uint64_t processor_ns, preemptions;
} qdi_host_usage;
qdi_host_usage qdi_host_usage_now(void);

/// Time that the processors that this process may run on have spent on any program; 0 where that cannot be
/// known. And the part of it that this process had, with those of its children that have ended. In
/// nanoseconds, in steps of some milliseconds.
uint64_t qdi_host_machine_ns(void);
uint64_t qdi_host_family_ns(void);

/// The machine's load over the last minute; < 0 where that cannot be known.
double qdi_host_load(void);

/// The first line of a file of the system, without its end; "" where it cannot be read.
void qdi_host_first_line(const char *path, char *text, size_t bytes);

/// Environment variable number `number` ("NAME=VALUE"), or NULL past the last.
const char *qdi_host_variable(size_t number);

/// The machine's system, "Linux 6.1.0 x86_64"; "unknown" where that cannot be known.
void qdi_host_system(char *text, size_t bytes);

/// Date and time, as "2026-01-31T23:59:59Z"; "" where they cannot be known.
void qdi_host_date(char *text, size_t bytes);

/// Calls `work` in a copy of this process and waits for its end; a signal to end is passed on to it. What it
/// writes to `reply` comes back in `data`, `*got` bytes of at most `room`. Returns what `work` returns (0 to
/// 255), or minus the number of the signal that killed the copy, or -1000 where there is none. This process
/// must have had no second thread yet.
int qdi_host_child_run(int (*work)(void *context, FILE *reply), void *context, void *data, size_t room,
                       size_t *got);

/// For such a copy: becomes a program, looked for as the shell would, with nothing to read and its standard
/// output thrown away. `arguments` start with its name and end with NULL. Returns only where that fails, with
/// the system's reason in `why`.
void qdi_host_become(const char *const *arguments, char *why, size_t bytes);
