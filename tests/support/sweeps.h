#pragma once

#include "tests/support/program.h"

#include <stdbool.h>

/// Sweeps for tests of the program.

/// Writes tiny.yaml, a scene whose bodies fall, bounce and slow down, and a sweep of it into a program's
/// directory. The sweep has 3 x 2 x `replicas` points, half of them bad: a restitution that there is not
/// (exit 3), and a limit of speed that is passed on the way (exit 5). `steps` says how long a run takes.
void qd_sweeps_write(const qd_program *program, const char *name, unsigned replicas, unsigned steps);
/// What is done and what has failed of so many replicas.
unsigned qd_sweeps_done(unsigned replicas);
unsigned qd_sweeps_failed(unsigned replicas);

/// Starts `sweep NAME -o DIRECTORY -q` with more arguments, up to a NULL.
qd_program_start qd_sweeps_start(const char *name, const char *directory, const char *const *more);

/// The rows of DIRECTORY/sweep.db as text, without what the clock and the machine decide; free() it.
char *qd_sweeps_rows(const qd_program *program, const char *directory);
/// Ends the test unless both have the same rows, as the databases and as the CSV files tell it.
void qd_sweeps_expect_same(const qd_program *program, const char *a, const char *b);

/// Ends the test unless all that is done is complete, and was completed once: by the runs' own logs.
void qd_sweeps_expect_once(const qd_program *program, const char *directory, unsigned done);

/// Children of a process, at most `most`; returns how many.
size_t qd_sweeps_children(pid_t parent, pid_t *children, size_t most);
/// Waits until a process has so many children that run a scene, for ten minutes at most. False where it
/// has not, or has ended.
bool qd_sweeps_wait_for_children(pid_t parent, pid_t *children, size_t wanted);
