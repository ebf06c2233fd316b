#ifndef QD_SIM_OS_H
#define QD_SIM_OS_H

#include <quadrille/status.h>
#include <stdbool.h>
#include <stddef.h>

/// What this floor needs of the system beyond ISO C, in one place. Every reason in an `error` names the path
/// and what the system said. Any thread.

/// Makes a directory; its parents must exist. Errors: QD_ERR_EXISTS (something has that name, not always a
/// directory), QD_ERR_IO.
QD_MUST_USE qd_status qdi_os_make_directory(const char *path, qd_error *error);

/// True for a directory, and for a regular file; links are followed.
bool qdi_os_is_directory(const char *path);
bool qdi_os_is_file(const char *path);

/// Called with the name (not the path) of each entry of a directory but `.` and `..`, in no order; returns
/// false to stop.
typedef bool (*qdi_os_entry)(void *context, const char *name);

/// Errors: QD_ERR_IO.
QD_MUST_USE qd_status qdi_os_list(const char *path, qdi_os_entry entry, void *context, qd_error *error);

/// Deletes a file; one that is not there is fine. Errors: QD_ERR_IO.
QD_MUST_USE qd_status qdi_os_remove_file(const char *path, qd_error *error);

/// Deletes a directory if it is empty; one that is not empty or not there is fine. Errors: QD_ERR_IO.
QD_MUST_USE qd_status qdi_os_remove_directory_if_empty(const char *path, qd_error *error);

/// Writes a file whole or not at all: under `temporary`, synced, then renamed to `path`, which may exist and is
/// replaced. After a failure nothing is left under `temporary`. Errors: QD_ERR_IO.
QD_MUST_USE qd_status qdi_os_write_file(const char *temporary, const char *path, const void *data,
                                        size_t bytes, qd_error *error);

/// Deletes a file that is of no use to anybody; nothing is said where that fails.
void qdi_os_discard(const char *path);

/// True where anything has this name, a link that leads nowhere too.
bool qdi_os_exists(const char *path);

/// Renames a file to `path`, which must not exist, and syncs the directory. Others that make `path` at the
/// same time are not noticed. Errors: QD_ERR_EXISTS, QD_ERR_IO.
QD_MUST_USE qd_status qdi_os_rename_new(const char *from, const char *path, qd_error *error);

/// Syncs a directory, so that the names in it survive a crash. Where a file system cannot, nothing happens.
void qdi_os_sync_directory(const char *path);

/// A lock on a file that no other process holds as long as this one does; it ends with the process at the latest.
typedef struct qdi_os_lock {
    int descriptor;
    bool made; ///< the file was not there before
} qdi_os_lock;

/// Takes the lock and makes its file if need be. Errors: QD_ERR_STATE (another holds it), QD_ERR_IO.
QD_MUST_USE qd_status qdi_os_lock_take(const char *path, qdi_os_lock *lock, qd_error *error);

/// The same, but others may share it: it is taken while nobody has it for himself. To be dropped with a `path` of NULL.
QD_MUST_USE qd_status qdi_os_lock_share(const char *path, qdi_os_lock *lock, qd_error *error);

/// Gives it back and deletes its file, or keeps the file where `path` is NULL.
void qdi_os_lock_drop(const char *path, qdi_os_lock lock);

/// strtod as in the C locale, whatever locale the program has set.
double qdi_os_read_double(const char *text, char **end);

/// snprintf("%.*g") as in the C locale, whatever locale the program has set.
int qdi_os_print_double(char *buffer, size_t bytes, int digits, double value);

#endif
