#pragma once

#include <quadrille/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/// What this floor needs of the system beyond ISO C, in one place. Every reason in an `error` names the path
/// and what the system said. Any thread.
///
/// Files are opened here and nowhere else, so that one rule holds for all of them: what the program has made
/// in a directory of its own is never reached through a link, and is a regular file or a real directory. A
/// directory may have been changed by others, or come from them: a link in it would lead reading and writing
/// elsewhere, a pipe would block for ever.

// ---- files to read ----

/// How far a path is trusted.
typedef enum qdi_os_trust {
    QDI_OS_OWN,   ///< the name of a file that the program makes: a regular file, and no link
    QDI_OS_DATA,  ///< named in a scene, or a picture: links are followed, but a pipe is refused
    QDI_OS_GIVEN, ///< said by the user on the command line: what can be read, a pipe too
} qdi_os_trust;

/// Opens a file to read; the caller closes it. Links in the path's directories are followed. Errors:
/// QD_ERR_NOT_FOUND, QD_ERR_IO; `why` (may be NULL) says what is wrong without naming the path.
QD_MUST_USE qd_status qdi_os_open(const char *path, qdi_os_trust trust, FILE **file, qd_error *why);

// ---- files to write ----

/// A file open for writing, as a number; QDI_FILE_NONE is none.
typedef int qdi_file;
#define QDI_FILE_NONE (-1)

/// Makes a file. A file, a link or a pipe that has the name already is deleted first and never written to. On
/// QD_ERR_IO `error` says which file and why.
QD_MUST_USE qd_status qdi_file_create(const char *path, qdi_file *file, qd_error *error);
/// The same for one that is written as a stream; the caller closes it.
QD_MUST_USE qd_status qdi_file_create_stream(const char *path, FILE **file, qd_error *error);
/// Opens a file to write behind what is in it, and makes it if need be. QD_ERR_IO, also where it is a link or
/// no regular file.
QD_MUST_USE qd_status qdi_file_append(const char *path, qdi_file *file, qd_error *error);
/// Opens a pipe or a device to write behind what it has; the caller closes it. One that is this program's own
/// standard output or error is written to where that is. QD_ERR_IO.
QD_MUST_USE qd_status qdi_file_open_stream(const char *path, FILE **file, qd_error *error);
/// Writes all of it or fails with QD_ERR_IO; `path` is for the reason only.
QD_MUST_USE qd_status qdi_file_write(qdi_file file, const char *path, const void *data, size_t bytes,
                                     qd_error *error);
/// Writes over what stands `at` so many bytes from the beginning; as above.
QD_MUST_USE qd_status qdi_file_overwrite(qdi_file file, const char *path, size_t at, const void *data,
                                         size_t bytes, qd_error *error);
/// Closes; with `sync` the data is on the device before. QD_ERR_IO where the system reports a late write
/// error.
QD_MUST_USE qd_status qdi_file_close(qdi_file file, const char *path, bool sync, qd_error *error);
/// Renames over whatever is there. QD_ERR_IO.
QD_MUST_USE qd_status qdi_file_rename(const char *from, const char *to, qd_error *error);
/// Removes a file; a failure is ignored.
void qdi_file_remove(const char *path);
/// What was written to a file, by another program too, is on the device afterwards. QD_ERR_NOT_FOUND,
/// QD_ERR_IO.
QD_MUST_USE qd_status qdi_file_sync(const char *path, qd_error *error);
/// Reads the last bytes of a file. QD_ERR_IO, also where it has fewer: then with no reason.
QD_MUST_USE qd_status qdi_file_tail(const char *path, void *data, size_t bytes, qd_error *error);

/// Files and folders: why a call failed, in words, whatever strerror_r is of this C library: in `buffer` or
/// of static storage.
const char *qdi_os_error_text(int number, char *buffer, size_t bytes);

// ---- directories and names ----

/// What an entry of a directory of this program must be.
typedef enum qdi_os_kind { QDI_OS_FILE, QDI_OS_DIRECTORY } qdi_os_kind;

/// Checks that a name is a regular file or a real directory; one that does not exist is fine. Errors:
/// QD_ERR_IO, where it is a link or something else.
QD_MUST_USE qd_status qdi_os_check(const char *path, qdi_os_kind kind, qd_error *error);

/// What a name is of.
typedef enum qdi_os_found {
    QDI_OS_FOUND_NOTHING,
    QDI_OS_FOUND_FILE, ///< a regular file, under its own name
    QDI_OS_FOUND_DIRECTORY,
    QDI_OS_FOUND_STREAM, ///< a pipe, socket or device of characters, or what this program's own standard
                         ///< output or error is; a link that leads to one, too
    QDI_OS_FOUND_LINK,
    QDI_OS_FOUND_ODD, ///< something else
} qdi_os_found;

/// Files and folders: what has this name now.
qdi_os_found qdi_os_look(const char *path);

/// Makes a directory; its parents must exist. Errors: QD_ERR_EXISTS (something has that name, not always a
/// directory), QD_ERR_IO.
QD_MUST_USE qd_status qdi_os_make_directory(const char *path, qd_error *error);

/// Makes all folders that a path leads through, not its last part; those that are there are fine. Errors:
/// QD_ERR_IO.
QD_MUST_USE qd_status qdi_os_make_parents(const char *path, qd_error *error);

/// Both: the folders that it leads through, and the directory. Errors: those of qdi_os_make_directory.
QD_MUST_USE qd_status qdi_os_make_directories(const char *path, qd_error *error);

/// True for a directory, and for a regular file; links are followed.
bool qdi_os_is_directory(const char *path);
bool qdi_os_is_file(const char *path);

/// Called with the name (not the path) of each entry of a directory but `.` and `..`, in no order; returns
/// false to stop.
typedef bool (*qdi_os_entry)(void *context, const char *name);

/// Files and folders: errors: QD_ERR_IO.
QD_MUST_USE qd_status qdi_os_list(const char *path, qdi_os_entry entry, void *context, qd_error *error);

/// Deletes a file; one that is not there is fine. Errors: QD_ERR_IO.
QD_MUST_USE qd_status qdi_os_remove_file(const char *path, qd_error *error);

/// Deletes a directory if it is empty; one that is not empty or not there is fine. Errors: QD_ERR_IO.
QD_MUST_USE qd_status qdi_os_remove_directory_if_empty(const char *path, qd_error *error);

/// Writes a file whole or not at all: under `temporary`, synced, then renamed to `path`, which may exist and
/// is replaced. After a failure nothing is left under `temporary`. Errors: QD_ERR_IO.
QD_MUST_USE qd_status qdi_os_write_file(const char *temporary, const char *path, const void *data,
                                        size_t bytes, qd_error *error);

/// Files and folders: true where anything has this name, a link that leads nowhere too.
bool qdi_os_exists(const char *path);

/// Bytes of a file's full name, from the root on and without links, whether it exists or not; 0 where its
/// folder does not.
size_t qdi_os_full_length(const char *path);

/// Files and folders: a path's full name, from the root on and without links, whether it exists or not; false
/// where there is none, or no room for it.
bool qdi_os_full_path(const char *path, char *full, size_t bytes);

/// Renames a file to `path`, which must not exist, and syncs the directory; where that fails the file has its
/// new name all the same. Others that make `path` at the
/// same time are not noticed. Errors: QD_ERR_EXISTS, QD_ERR_IO.
QD_MUST_USE qd_status qdi_os_rename_new(const char *from, const char *path, qd_error *error);

/// Syncs a directory, so that the names in it survive a crash. Where a file system cannot, or the directory
/// may not be read, nothing happens. Errors: QD_ERR_IO.
QD_MUST_USE qd_status qdi_os_sync_directory(const char *path, qd_error *error);
/// Brings all files of a directory's file system, and their names, to the device: where many were written
/// this costs a fortieth of what it costs to sync them one by one. Errors: QD_ERR_NOT_FOUND (this system has
/// no such call), QD_ERR_IO.
QD_MUST_USE qd_status qdi_os_sync_disk(const char *path, qd_error *error);
/// Syncs the directory that a path is in. Errors: QD_ERR_IO.
QD_MUST_USE qd_status qdi_os_sync_parent(const char *path, qd_error *error);

// ---- locks ----

/// A lock on a file that no other process holds as long as this one does; it ends with the process at the
/// latest.
typedef struct qdi_os_lock {
    int descriptor;
    bool made; ///< the file was not there before
} qdi_os_lock;

/// Takes the lock and makes its file if need be. One that is held is tried again for a tenth of a second,
/// in which qdi_os_lock_is_held may have it. Errors: QD_ERR_STATE (another holds it), QD_ERR_IO (also where
/// the file is a link).
QD_MUST_USE qd_status qdi_os_lock_take(const char *path, qdi_os_lock *lock, qd_error *error);

/// Files and folders: the same, but others may share it: it is taken while no process holds it alone. To be
/// dropped with a `path` of NULL.
QD_MUST_USE qd_status qdi_os_lock_share(const char *path, qdi_os_lock *lock, qd_error *error);

/// True where another process holds the lock. Makes no file, and prevents no process from taking the lock.
bool qdi_os_lock_is_held(const char *path);

/// Releases the lock and deletes its file, or keeps the file where `path` is NULL.
void qdi_os_lock_drop(const char *path, qdi_os_lock lock);

/// Files and folders: strtod as in the C locale, whatever locale the program has set.
double qdi_os_read_double(const char *text, char **end);

/// Files and folders: snprintf("%.*g") as in the C locale, whatever locale the program has set.
int qdi_os_print_double(char *buffer, size_t bytes, int digits, double value);
