#define _POSIX_C_SOURCE 200809L // nanosleep
#include "tests/support/faulty_vfs.h"

#include "tests/support/harness.h"

#include <pthread.h>
#include <sqlite3.h>
#include <time.h>

static qd_faulty_vfs faults;
static sqlite3_vfs layer, *below;
static sqlite3_io_methods methods;
static const sqlite3_io_methods *methods_below;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/// What the next write comes to.
static int next_write(void) {
    pthread_mutex_lock(&lock);
    bool fails = ++faults.writes >= faults.fail_at && faults.fail_at > 0;
    long delay = faults.delay;
    pthread_mutex_unlock(&lock);
    if (delay > 0) (void)nanosleep(&(struct timespec){0, delay}, NULL);
    return fails ? faults.code : SQLITE_OK;
}

// A file is SQLite's own, but for the table of its methods.
static int faulty_write(sqlite3_file *file, const void *data, int bytes, sqlite3_int64 at) {
    int code = next_write();
    return code == SQLITE_OK ? methods_below->xWrite(file, data, bytes, at) : code;
}

static int faulty_truncate(sqlite3_file *file, sqlite3_int64 size) {
    int code = next_write();
    return code == SQLITE_OK ? methods_below->xTruncate(file, size) : code;
}

static int faulty_sync(sqlite3_file *file, int flags) {
    int code = next_write();
    return code == SQLITE_OK ? methods_below->xSync(file, flags) : code;
}

static int faulty_share(sqlite3_file *file, int page, int bytes, int extend, void volatile **memory) {
    if (faults.no_share) return SQLITE_IOERR_SHMMAP;
    return methods_below->xShmMap(file, page, bytes, extend, memory);
}

static int faulty_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags) {
    (void)vfs;
    int code = below->xOpen(below, name, file, flags, out_flags);
    // Journals in memory and the like have methods of their own.
    bool plain = (flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL)) != 0;
    if (code != SQLITE_OK || !plain || !file->pMethods) return code;
    if (!methods_below) {
        methods_below = file->pMethods;
        methods = *methods_below;
        methods.xWrite = faulty_write;
        methods.xTruncate = faulty_truncate;
        methods.xSync = faulty_sync;
        methods.xShmMap = faulty_share;
    }
    if (file->pMethods == methods_below) file->pMethods = &methods;
    return code;
}

qd_faulty_vfs *qd_faulty_vfs_get(void) {
    if (!below) {
        below = sqlite3_vfs_find(NULL);
        ck_assert_ptr_nonnull(below);
        layer = *below;
        layer.zName = "faulty";
        layer.xOpen = faulty_open;
        ck_assert_int_eq(sqlite3_vfs_register(&layer, 1), SQLITE_OK);
    }
    return &faults;
}
