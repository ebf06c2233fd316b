#pragma once

#include "tests/support/harness.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What a disk holds after the power was cut: made of the log that faults.c writes of all that a program does
/// to files below its working directory (QD_FAULT_LOG). Everything that fails ends the test.
///
/// A disk keeps what was done before some moment, and of what was done after it that alone which was synced
/// before the power was cut, or by chance some of the rest: a file with what was written to it and its new
/// name when it is synced itself; names, new ones and those that are gone, when their folder is.
typedef struct qd_power_log qd_power_log;

/// Reads a log; files and folders whose path begins with `prefix` ("run") count, all others are ignored.
/// `before`: a folder with what there was below it before, all on the disk; or NULL.
qd_power_log *qd_power_log_read(const char *path, const char *prefix, const char *before);
void qd_power_log_free(qd_power_log *log);
QD_OWN_POINTER(qd_power_log, qd_power_log_free)

/// What was done, by number from 0.
size_t qd_power_log_count(const qd_power_log *log);
/// How many of it are syncs.
size_t qd_power_log_syncs(const qd_power_log *log);

/// When the power is cut, and what the disk has by then of what is not synced.
typedef struct qd_power_moment {
    size_t at;     ///< the power is cut before this number
    size_t kept;   ///< what is not synced is there up to this one, which is there in part where it is a write
    uint64_t torn; ///< decides what part
    bool undeleted; ///< what is deleted is there again, unless that is synced
    bool scattered; ///< of what comes after `kept` the disk has some, out of order, and parts of some writes
} qd_power_moment;

/// A moment by the dice; `use` as for qd_random_at.
qd_power_moment qd_power_moment_draw(const qd_power_log *log, uint64_t seed, uint32_t use);

/// Makes what the disk holds below `folder`, which is emptied of it first.
void qd_power_cut(qd_power_log *log, const qd_power_moment *moment, const char *folder);
