#ifndef QD_EXPORT_OS_H
#define QD_EXPORT_OS_H

#include <quadrille/status.h>
#include <stdbool.h>
#include <stddef.h>

/// What this floor needs from the operating system beyond ISO C: files that are written under another name and
/// renamed into place. Nothing else of the floor calls it directly.

/// A file open for writing, as a number; QDI_FILE_NONE is none.
typedef int qdi_file;
#define QDI_FILE_NONE (-1)

/// Makes or empties a file. On QD_ERR_IO `error` says which file and why.
QD_MUST_USE qd_status qdi_file_create(const char *path, qdi_file *file, qd_error *error);
/// Writes all of it or fails with QD_ERR_IO; `path` is for the reason only.
QD_MUST_USE qd_status qdi_file_write(qdi_file file, const char *path, const void *data, size_t bytes,
                                     qd_error *error);
/// Closes; with `sync` the data is on the device before. QD_ERR_IO where the system reports a late write
/// error.
QD_MUST_USE qd_status qdi_file_close(qdi_file file, const char *path, bool sync, qd_error *error);
/// Renames over whatever is there. QD_ERR_IO.
QD_MUST_USE qd_status qdi_file_rename(const char *from, const char *to, qd_error *error);
/// Removes a file; one that does not exist is fine.
void qdi_file_remove(const char *path);
/// Reads the last bytes of a file. QD_ERR_IO, also where it has fewer: then with no reason.
QD_MUST_USE qd_status qdi_file_tail(const char *path, void *data, size_t bytes, qd_error *error);
/// QD_ERR_IO with the reason unless `path` is a directory in which files can be made.
QD_MUST_USE qd_status qdi_directory_check(const char *path, qd_error *error);

#endif
