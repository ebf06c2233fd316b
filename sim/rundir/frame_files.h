#pragma once

#include <quadrille/status.h>
#include <stdbool.h>
#include <stdint.h>

/// A directory of pictures: frame_000000.png and so on, and their list manifest.csv; each also with `.part`
/// behind its name while it is written. Nothing else in such a directory is ever touched.

/// True for the name of one of these files.
bool qdi_frame_files_is(const char *name);

/// Deletes the frames from number `kept` on, the list, and what is in the making; a directory that is not
/// there is fine. Errors: QD_ERR_IO, QD_ERR_VALUE (the path is too long); the reason in `error`.
QD_MUST_USE qd_status qdi_frame_files_keep(const char *directory, uint64_t kept, qd_error *error);

/// Makes a directory for frames, or takes one that is empty. One that has frames is emptied of them with
/// `force`, and refused without. Errors: QD_ERR_EXISTS (there are frames), QD_ERR_INVALID (there is something
/// else), QD_ERR_IO, QD_ERR_VALUE; the reason in `error`. Nothing is deleted then, but for QD_ERR_IO with
/// `force`.
QD_MUST_USE qd_status qdi_frame_files_prepare(const char *directory, bool force, qd_error *error);
