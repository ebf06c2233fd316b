#pragma once

#include <quadrille/status.h>
#include <stdbool.h>
#include <stdint.h>

/// Directories that hold files of one kind of ours, known by their names. Nothing else in such a directory is
/// ever touched.

/// A kind of files.
typedef struct qdi_own_files {
    const char *what; ///< "frames", for messages
    bool (*is_ours)(const char *name);
    /// True for a file that a cleaning that keeps so many leaves where it is; NULL: for none.
    bool (*stays)(const char *name, uint64_t kept);
} qdi_own_files;

/// What a name in a directory of ours is to be.
typedef enum qdi_own_kind {
    QDI_OWN_NONE,      ///< nothing of ours: it may be what it likes
    QDI_OWN_FILE,      ///< a regular file
    QDI_OWN_DIRECTORY, ///< a directory
} qdi_own_kind;

/// Looks at all entries of a directory; one that is not there is fine. Errors: QD_ERR_IO, with the first
/// entry of ours that is a link or not what it is to be; QD_ERR_VALUE (the path is too long).
QD_MUST_USE qd_status qdi_own_files_check(const char *directory, qdi_own_kind (*kind)(const char *name),
                                          qd_error *error);

/// Deletes them but for those that stay; a directory that is not there is fine. Errors: QD_ERR_IO,
/// QD_ERR_VALUE (the path is too long); the reason in `error`.
QD_MUST_USE qd_status qdi_own_files_clear(const qdi_own_files *kind, const char *directory, uint64_t kept,
                                          qd_error *error);

/// Makes a directory for them, or takes one that is empty. One that has such files is emptied of them with
/// `force`, and refused without. Errors: QD_ERR_EXISTS (there are such files), QD_ERR_INVALID (there is
/// something else), QD_ERR_IO, QD_ERR_VALUE; the reason in `error`. Nothing is deleted then, but for
/// QD_ERR_IO with `force`.
QD_MUST_USE qd_status qdi_own_files_prepare(const qdi_own_files *kind, const char *directory, bool force,
                                            qd_error *error);
