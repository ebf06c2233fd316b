#pragma once

#include <quadrille/status.h>
#include <stdbool.h>
#include <stdio.h>

/// Where commands may write what the user names: nothing that is there is replaced unless the user says so,
/// and even then only regular files that are none of a run's own. All that refuse have said why in one line
/// and return an exit code, 0 where the place is free.

/// What may be at the place of a file already.
typedef struct qdi_output_rule {
    bool force;                        ///< --force: a regular file may be replaced
    bool streams;                      ///< it may be a pipe or a device, which is written to
    bool (*is_ours)(const char *path); ///< true for files that need no --force; NULL: there are none
} qdi_output_rule;

/// Host: checks the place of a file.
int qdi_output_check_file(const char *path, const qdi_output_rule *rule);

/// Host: makes the folders that a file is to be in, and checks that files can be made there.
int qdi_output_check_folder(const char *path);

/// Host: checks a directory that a command is to fill. `own`: the name in a run directory that is the
/// command's.
int qdi_output_check_directory(const char *path, const char *own);

/// Host: opens a file whose place was checked: a pipe or a device is written to, all else is made anew; the
/// caller closes it. QD_ERR_IO.
QD_MUST_USE qd_status qdi_output_open(const char *path, FILE **file, qd_error *error);
