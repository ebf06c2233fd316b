#pragma once

#include <stdbool.h>
#include <stddef.h>

/// A directory of a test's own, and short ways to look at files. Everything that fails ends the test.

typedef struct qd_scratch {
    char path[256];
} qd_scratch;

/// Makes an empty directory under $TMPDIR.
qd_scratch qd_scratch_make(void);
/// Deletes it with all that is in it.
void qd_scratch_remove(const qd_scratch *scratch);
/// The same of any directory.
void qd_scratch_remove_tree(const char *path);

/// Makes one that is an empty file system of a size ("4m"), for this process and its children. False, and
/// says so, where this system does not let us.
bool qd_scratch_make_small(qd_scratch *scratch, const char *size);
/// Deletes such a one.
void qd_scratch_remove_small(const qd_scratch *scratch);
/// Writes a file that takes up so much of the disk.
void qd_scratch_fill(const char *path, int kilobytes);

/// "SCRATCH/name".
typedef struct qd_scratch_path {
    char text[512];
} qd_scratch_path;
qd_scratch_path qd_scratch_at(const qd_scratch *scratch, const char *name);

void qd_scratch_write(const char *path, const char *text);
/// The whole file with a closing zero; free() it. NULL where there is none. `bytes` may be NULL.
char *qd_scratch_read(const char *path, size_t *bytes);
bool qd_scratch_exists(const char *path);
/// Whether two files, which must be there, hold the same bytes.
bool qd_scratch_same(const char *one, const char *other);
/// Waits until a file is there, for ten minutes at most.
void qd_scratch_await(const char *path);
/// Entries of a directory, but `.` and `..`.
size_t qd_scratch_count(const char *path);
