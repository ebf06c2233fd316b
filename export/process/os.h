#pragma once

#include "sim/files/os.h"

#include <quadrille/status.h>
#include <stdbool.h>
#include <stddef.h>

/// What this floor needs from the operating system beyond ISO C and beside files (sim/files/os.h): programs
/// that run as children. No other file of the floor calls it directly.

/// Child process: QD_ERR_IO with the reason unless `path` is a directory in which files can be made.
QD_MUST_USE qd_status qdi_directory_check(const char *path, qd_error *error);
/// The whole path of a file that need not be there, for processes with another working directory. QD_ERR_IO,
/// also where it is too long for `bytes`.
QD_MUST_USE qd_status qdi_path_from_root(const char *path, char *whole, size_t bytes, qd_error *error);

enum { QDI_CHILD_WORDS = 2048 };

/// A child process. What it writes to its standard output and standard error is read whenever this program
/// writes to it or waits for it, so that the two never block each other. It gets no signals from the
/// terminal: a Ctrl-C stops this program alone. One thread at a time.
typedef struct qdi_child {
    long process;     ///< 0: none
    int in, out, err; ///< our ends of its pipes, < 0: closed
    char *answer; ///< the caller's: the beginning of its standard output, with a closing zero; may be NULL
    size_t answer_room;          ///< of `answer`
    size_t answer_size;          ///< without the zero
    char words[QDI_CHILD_WORDS]; ///< the end of its standard error, with a closing zero
    size_t word_count;
    int code;   ///< its exit status, once it has ended
    int signal; ///< that killed it, or 0
} qdi_child;

/// Starts a program, found as a shell does, in `folder` (NULL: here). `arguments` begins with its name
/// and ends with NULL. Errors: QD_ERR_NOT_FOUND, QD_ERR_IO (it is there and cannot be started), with the
/// reason.
QD_MUST_USE qd_status qdi_child_start(const char *const *arguments, const char *folder, char *answer,
                                      size_t answer_room, qdi_child *child, qd_error *error);
/// Writes all of it to the child's standard input. QD_ERR_STATE: it no longer reads, or has not for two
/// minutes. Never raises SIGPIPE.
QD_MUST_USE qd_status qdi_child_write(qdi_child *child, const void *data, size_t bytes);
/// Closes its standard input and waits until it has ended; it is killed after `seconds`. True where its exit
/// status is 0.
bool qdi_child_end(qdi_child *child, int seconds);
/// Kills it, if it runs, and forgets it.
void qdi_child_kill(qdi_child *child);
/// Why a child failed, in a few words: the last line of its standard error, or else how it ended.
void qdi_child_reason(const qdi_child *child, char *text, size_t bytes);
