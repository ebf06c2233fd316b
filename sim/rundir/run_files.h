#pragma once

#include <quadrille/status.h>
#include <stdbool.h>

/// The names of what a run has in its directory, and what they must be. The directory itself may be reached
/// through a link, so that it can lie on another disk; in it a run has regular files and real directories
/// only, and whoever reads or writes there looks first. A link would have a run write, and with --force
/// delete, what is not the run's, and a pipe would block it for ever.

/// Added to the name of a file while it is written.
#define QDI_RUN_PART ".part"

/// True for a name of a run's own top-level files, whole or in the making; not the lock.
bool qdi_run_files_is_top(const char *name);
/// True for a copy of a body file, whole or in the making: bodies_<digits> and one of its endings.
bool qdi_run_files_is_body(const char *name);
/// True for what a video in the making consists of, whole or in the making itself.
bool qdi_run_files_is_video(const char *name);

/// True for a name that a run keeps for itself at the top of its directory: its files, whole or in the
/// making, its lock and its folders.
bool qdi_run_files_is_kept(const char *name);

/// First line of every scene.yaml that a run wrote: what has it may be replaced, a file of the user's may
/// not.
#define QDI_RUN_SCENE_MARK "# The complete scene of a Quadrille run.\n"
/// QD_OK where the file starts as a run's scene.yaml does. Errors: QD_ERR_NOT_FOUND, QD_ERR_IO (it cannot be
/// read).
QD_MUST_USE qd_status qdi_run_files_find_mark(const char *path, qd_error *error);

/// Looks at all entries of a run directory that have a name of a run's, and of its folder `export`; a
/// directory that is not there is fine, and so is one with frames only. Errors: QD_ERR_IO, with the first
/// that is a link, or neither a regular file nor a directory as its name says; QD_ERR_VALUE (the path is too
/// long).
QD_MUST_USE qd_status qdi_run_files_check(const char *directory, qd_error *error);
