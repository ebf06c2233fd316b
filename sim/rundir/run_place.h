#pragma once

#include <quadrille/status.h>

/// Places that the output of a command may not have, because a run directory has them for itself: what lies
/// there is the run's, and `resume` and `run --force` delete files there. Whatever holds run.db, or a
/// scene.yaml that a run wrote, is a run directory. Links and `..` in a path are followed; the path need not
/// exist.

/// Run directory: whether a command may fill a directory. It is refused where it is a run directory, or has
/// one of the names that a run keeps for itself, or is in such a folder. `own`: the one of these names that
/// is the command's. Errors: QD_ERR_INVALID, with the reason in `error`.
QD_MUST_USE qd_status qdi_run_place_check_directory(const char *path, const char *own, qd_error *error);

/// Run directory: whether a command may write a file of the user's. It is refused where a run has, or may
/// come to have, a file of its own there; report.html may be replaced. Errors: QD_ERR_INVALID, with the
/// reason in `error`.
QD_MUST_USE qd_status qdi_run_place_check_file(const char *path, qd_error *error);
