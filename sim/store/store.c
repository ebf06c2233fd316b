#include <quadrille/store.h>

#include "core/base/arithmetic.h"
#include "core/base/memory.h"
#include "sim/files/os.h"
#include "sim/store/store_impl.h"
#include "sim/text/reason.h"

#include <stdio.h>
#include <string.h>

/// How long the database of another process is waited for, in milliseconds: readers and writers have it for
/// moments only.
enum { BUSY_MS = 1000, BUSY_STEP_MS = 50 };

qd_status qdi_store_make(const char *path, const qd_allocator *allocator, qd_store **store, qd_error *error) {
    allocator = qdi_allocator_or_default(allocator);
    qd_store *made = qdi_allocate(allocator, 1, sizeof *made);
    size_t bytes = strlen(path) + 1;
    char *copy = made ? qdi_allocate(allocator, bytes, 1) : NULL;
    if (!copy) {
        qdi_release(allocator, made, 1, sizeof *made);
        (void)qdi_reason(error, QD_ERR_MEMORY, "%s", qd_status_text(QD_ERR_MEMORY));
        return QD_ERR_MEMORY;
    }
    *made = (qd_store){.allocator = allocator,
                       .path = copy,
                       .path_bytes = bytes,
                       .batch = QDI_BATCHES,
                       .names = {.allocator = allocator},
                       .part_bytes = QDI_STORE_PART};
    memcpy(copy, path, bytes);
    *store = made;
    return QD_OK;
}

void qdi_store_disconnect(qd_store *store) {
    (void)sqlite3_close(store->db);
    store->db = NULL;
}

void qdi_store_destroy(qd_store *store) {
    const qd_allocator *allocator = store->allocator;
    qdi_rows_finish(store);
    qdi_store_disconnect(store);
    for (int i = 0; i < QDI_BATCHES; ++i)
        qdi_release(allocator, store->batches[i].rows, store->batches[i].room, 1);
    qdi_hash_stream_free(store->hash);
    qdi_event_names_free(&store->names);
    qdi_release(allocator, store->path, store->path_bytes, 1);
    qdi_release(allocator, store, 1, sizeof *store);
}

qd_status qdi_store_connect(qd_store *store, const char *path, int flags, qd_error *error) {
    qd_status status = qdi_sql_open(path, flags, &store->db, error);
    if (status != QD_OK) return status;
    int code = SQLITE_OK;
    // Before anything is read: whoever is alone from the start needs no memory shared with others.
    if (flags & SQLITE_OPEN_READWRITE) code = qdi_sql_run(store->db, "PRAGMA locking_mode=EXCLUSIVE");
    if (code == SQLITE_OK) code = qdi_sql_guard(store->db);
    if (code == SQLITE_OK) code = sqlite3_busy_timeout(store->db, BUSY_MS);
    if (code == SQLITE_OK) return QD_OK;
    status = qdi_sql_fail(store, "open", code, error);
    qdi_store_disconnect(store);
    return status;
}

void qdi_store_empty_log(qd_store *store) {
    // Who reads at this moment is not waited for: the next time does as well.
    (void)sqlite3_busy_timeout(store->db, 0);
    (void)qdi_sql_run(store->db, "PRAGMA wal_checkpoint(TRUNCATE)");
    (void)sqlite3_busy_timeout(store->db, BUSY_MS);
}

/// Store: keeps other writers out and turns the write-ahead log on, beside which others can read.
///
/// For a moment the database is ours alone, and one file again if a writer was killed. Whoever has a log open
/// is in nobody's way that reads, but keeps all others from having the database alone: so there is one writer
/// at a time. Of two that come here together one finds it taken: the first lock is given up only to ask for
/// the second, and what comes in between has both.
static qd_status take_over(qd_store *store, qd_error *error) {
    int code = qdi_sql_run(store->db, "BEGIN EXCLUSIVE; COMMIT; PRAGMA journal_mode=DELETE;"
                                      "PRAGMA locking_mode=NORMAL; SELECT 1 FROM run");
    if (code != SQLITE_OK) return qdi_sql_fail(store, "lock", code, error);
    static const char log[] = "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; SELECT 1 FROM run";
    code = qdi_sql_run(store->db, log);
    qd_status status = qdi_sql_status(code);
    if (status == QD_OK || status == QD_ERR_MEMORY || status == QD_ERR_STATE)
        return status == QD_OK ? status : qdi_sql_fail(store, "open", code, error);
    // A log for one process, which has the database alone from the start, needs no memory that others share.
    (void)qdi_reason(&store->note, QD_OK,
                     "%.300s cannot be read while the run goes on: its file system shares no memory: %s",
                     store->path, sqlite3_errstr(code));
    qdi_store_disconnect(store);
    status = qdi_store_connect(store, store->path, SQLITE_OPEN_READWRITE, error);
    if (status != QD_OK) return status;
    code = qdi_sql_run(store->db, log);
    return code == SQLITE_OK ? QD_OK : qdi_sql_fail(store, "open", code, error);
}

qd_status qdi_store_get_ready(qd_store *store, qd_error *error) {
    qd_status status = take_over(store, error);
    if (status != QD_OK) return status;
    int code = qdi_rows_prepare(store);
    if (code != SQLITE_OK) return qdi_sql_fail(store, "open", code, error);
    status = qdi_hash_stream_make(&store->hash);
    for (int i = 0; i < QDI_BATCHES && status == QD_OK; ++i)
        status = qdi_reserve(store->allocator, &store->batches[i].rows, &store->batches[i].room, 0,
                             QDI_BATCH_BYTES, 1);
    if (status == QD_OK)
        status = qdi_queue_create(store->allocator, QDI_BATCHES, qdi_rows_work, store, &store->queue);
    store->writes = status == QD_OK;
    return status == QD_OK ? QD_OK : qdi_reason(error, status, "%s", qd_status_text(status));
}

/// Opens to write, with nobody else, and brings the tables up to date.
static qd_status open_to_write(qd_store *store, qd_error *error) {
    int64_t version = 0;
    qd_status status = qdi_store_connect(store, store->path, SQLITE_OPEN_READWRITE, error);
    if (status == QD_OK) status = qdi_tables_check(store, &version, error);
    return status == QD_OK ? qdi_tables_update(store, version, error) : status;
}

/// Store: whether a writer was stopped in the middle of a write, which somebody who may write has to take
/// back before anything can be read.
static bool has_unfinished_write(const qd_store *store) {
    return store->db && (sqlite3_extended_errcode(store->db) & 0xff) == SQLITE_READONLY;
}

/// Opens to read; an older store is brought up to date, and an unfinished write taken back, before.
static qd_status open_to_read(qd_store *store, qd_error *error) {
    for (bool again = true;;) {
        int64_t version = 0;
        qd_status status = qdi_store_connect(store, store->path, SQLITE_OPEN_READONLY, error);
        if (status == QD_OK) status = qdi_tables_check(store, &version, error);
        const bool unfinished = status != QD_OK && has_unfinished_write(store);
        if (status != QD_OK && !(unfinished && again)) return status;
        if (status == QD_OK && version == qdi_tables_version()) return status;
        if (unfinished) again = false;
        qdi_store_disconnect(store);
        status = open_to_write(store, error);
        if (status != QD_OK) return status;
        qdi_store_disconnect(store);
    }
}

qd_status qd_store_open(const char *path, qd_store_mode mode, const qd_allocator *allocator, qd_store **store,
                        qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!path || !store || (mode != QD_STORE_READ && mode != QD_STORE_GO_ON))
        return qdi_reason(error, QD_ERR_ARGUMENT, "no path, or no such mode");
    *store = NULL;
    if (!qdi_os_is_file(path)) return qdi_reason(error, QD_ERR_NOT_FOUND, "there is no %.300s", path);
    qd_store *made = NULL;
    qd_status status = qdi_store_make(path, allocator, &made, error);
    if (status != QD_OK) return status;
    status = mode == QD_STORE_READ ? open_to_read(made, error) : open_to_write(made, error);
    if (status == QD_OK) status = qdi_tables_forms(made, error);
    if (status == QD_OK && mode == QD_STORE_GO_ON) status = qdi_store_get_ready(made, error);
    if (status == QD_OK)
        *store = made;
    else
        qdi_store_destroy(made);
    return status;
}

/// Makes the database one file again, which can be read from anywhere. Where others have it open for longer,
/// all is in that file, and the next writer does the rest.
static qd_status end_log(qd_store *store, qd_error *error) {
    int code = qdi_sql_run(store->db, "PRAGMA journal_mode=DELETE");
    for (int waited = 0; (code & 0xff) == SQLITE_BUSY && waited < BUSY_MS; waited += BUSY_STEP_MS) {
        (void)sqlite3_sleep(BUSY_STEP_MS); // SQLite does not wait here
        code = qdi_sql_run(store->db, "PRAGMA journal_mode=DELETE");
    }
    if ((code & 0xff) == SQLITE_BUSY) {
        qdi_store_empty_log(store);
        return QD_OK;
    }
    return code == SQLITE_OK ? QD_OK : qdi_sql_fail(store, "close", code, error);
}

qd_status qd_store_close(qd_store *store, qd_error *error) {
    if (!store) return QD_OK;
    qd_status status = qdi_store_settle(store, error);
    qdi_queue_destroy(store->queue);
    qdi_rows_finish(store);
    const bool wrote = status == QD_OK && store->writes;
    if (wrote) status = end_log(store, error);
    if (wrote) qdi_store_disconnect(store);
    // That log and journal are gone is on the disk, too, before anything says that the run is complete.
    if (status == QD_OK && wrote) status = qdi_os_sync_parent(store->path, error);
    qdi_store_destroy(store);
    return status;
}

int qd_store_hash_form(const qd_store *store) {
    return store ? store->hash_form : QD_HASH_FORM;
}

const char *qd_store_note(const qd_store *store) {
    return store ? store->note.text : "";
}

// Deletes the rows of run.db after a step.
static int delete_rows_after(qd_store *store, uint64_t step) {
    int code = SQLITE_OK;
    for (size_t i = 0; code == SQLITE_OK && qdi_tables_stepped(i); ++i) {
        char sql[96];
        (void)snprintf(sql, sizeof sql, "DELETE FROM %s WHERE step > %lld", qdi_tables_stepped(i),
                       (long long)step);
        code = qdi_sql_run(store->db, sql);
    }
    return code;
}

qd_status qd_store_rewind(qd_store *store, const qd_world *world, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!store || !world || !store->writes)
        return qdi_reason(error, store && world ? QD_ERR_STATE : QD_ERR_ARGUMENT,
                          "no world, or no store that can be written to");
    qd_status status = qdi_store_settle(store, error);
    if (status == QD_OK) {
        store->names.count = 0;
        status = qdi_event_names_take(&store->names, world);
        if (status != QD_OK) (void)qdi_reason(error, status, "%s", qd_status_text(status));
    }
    if (status != QD_OK) return status;
    int code = qdi_sql_run(store->db, "BEGIN");
    if (code == SQLITE_OK) code = delete_rows_after(store, qd_world_steps(world));
    return qdi_sql_commit(store, code, error);
}
