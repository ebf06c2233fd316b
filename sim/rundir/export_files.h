#pragma once

#include <quadrille/status.h>
#include <stdbool.h>

/// A directory of exported files: bodies.lammpstrj and its kin, each also with `.part` behind its name while
/// it is written. Nothing else in such a directory is ever touched.

/// Run directory's exports: true for the name of one of these files.
bool qdi_export_files_is(const char *name);

/// Run directory's exports: deletes them; a directory that is not there is fine. Errors: QD_ERR_IO,
/// QD_ERR_VALUE (the path is too long); the reason in `error`.
QD_MUST_USE qd_status qdi_export_files_clear(const char *directory, qd_error *error);

/// Run directory's exports: makes a directory for them, or takes one that is empty. One that has such files
/// is emptied of them with `force`, and refused without. Errors: QD_ERR_EXISTS (there are such files),
/// QD_ERR_INVALID (there is something else), QD_ERR_IO, QD_ERR_VALUE; the reason in `error`. Nothing is
/// deleted then, but for QD_ERR_IO with `force`.
QD_MUST_USE qd_status qdi_export_files_prepare(const char *directory, bool force, qd_error *error);
