#pragma once

#include "tests/support/power_cut.h"
#include "tests/support/program.h"

#include <stdint.h>

/// The program under plans of faults (faults.c), and what the disk holds after the power was cut. Not with
/// sanitizers, which put functions of their own in front. `library`: QD_FAULTS.

/// Makes the program's directories in memory where that can be had: nothing here needs a disk.
void qd_plans_setup(qd_program *program);

/// Runs a command under the plan of a seed, where one call of `rare` fails.
qd_program_outcome qd_plans_run(const qd_program *program, qd_program_start start, const char *library,
                                uint64_t seed, int rare);

/// Ends the test unless a command that has failed said so in lines of its own, one where `lines` is 1, or was
/// stopped by a signal. `plan` names it.
void qd_plans_expect_told(const qd_program_outcome *outcome, const char *plan, int lines);

/// Runs a command that ends with `code`, and reads what it did to files, as qd_power_log_read. `unsynced`:
/// the number of a sync that is left out, -1 for none.
qd_power_log *qd_plans_log(const qd_program *program, qd_program_start start, const char *library, int code,
                           const char *prefix, const char *before, long unsynced);

/// A plan or a moment as a failure names it.
typedef struct qd_plan_name {
    char text[192];
} qd_plan_name;
qd_plan_name qd_plans_name(uint64_t seed, const qd_power_moment *moment);

/// Copies a directory with its files and folders; the copy is made anew.
void qd_plans_copy(const char *from, const char *to);

/// Whether `directory` has all files of `expected`, byte for byte.
bool qd_plans_has(const char *directory, const char *expected);

/// Ends the test unless two directories hold the same files.
void qd_plans_expect_same(const char *a, const char *b, const char *after);

/// Ends the test unless each file that `expected` has is in `directory` as it is there, or as `old` has it;
/// it may be missing where `old` has none, and where `may_lack`. `old` may be NULL.
void qd_plans_expect_whole(const char *directory, const char *expected, const char *old, bool may_lack,
                           const char *after);
