#include <quadrille/store.h>

#include "core/cookie.h"
#include "core/memory.h"
#include "sim/os.h"
#include "sim/reason.h"
#include "sim/store_impl.h"

#include <stdio.h>
#include <string.h>

/// Added to the name of a store while it is made.
#define PART ".part"

/// How long to wait for another process's lock before it is said that there is one, in milliseconds.
enum { PATIENCE = 0 };

qd_store_def qd_store_def_default(void) {
    return (qd_store_def){.cookie = QDI_COOKIE, .threads = 1};
}

/// A store without a database.
static qd_status make(const char *path, const qd_allocator *allocator, qd_store **store, qd_error *error) {
    allocator = qdi_allocator_or_default(allocator);
    qd_store *made = qdi_allocate(allocator, 1, sizeof *made);
    size_t bytes = strlen(path) + 1;
    char *copy = made ? qdi_allocate(allocator, bytes, 1) : NULL;
    if (!copy) {
        qdi_release(allocator, made, 1, sizeof *made);
        return qdi_reason(error, QD_ERR_MEMORY, "%s", qd_status_text(QD_ERR_MEMORY));
    }
    *made = (qd_store){.allocator = allocator, .path = copy, .path_bytes = bytes, .batch = QDI_BATCHES};
    memcpy(copy, path, bytes);
    *store = made;
    return QD_OK;
}

/// Frees everything. The queue has ended.
static void destroy(qd_store *store) {
    const qd_allocator *allocator = store->allocator;
    qdi_rows_finish(store);
    (void)sqlite3_close(store->db);
    for (int i = 0; i < QDI_BATCHES; ++i) qdi_release(allocator, store->batches[i].rows, QDI_BATCH_BYTES, 1);
    qdi_release(allocator, store->state, store->state_room, 1);
    qdi_release(allocator, store->labels, store->label_room, sizeof *store->labels);
    qdi_release(allocator, store->path, store->path_bytes, 1);
    qdi_release(allocator, store, 1, sizeof *store);
}

/// Opens the database at `path`, which may be another than the store's.
static qd_status open_database(qd_store *store, const char *path, int flags, qd_error *error) {
    int code = sqlite3_open_v2(path, &store->db, flags | SQLITE_OPEN_EXRESCODE, NULL);
    if (code == SQLITE_OK) code = sqlite3_busy_timeout(store->db, PATIENCE);
    if (code == SQLITE_OK) return QD_OK;
    qd_status status = qdi_sql_fail(store, "open", code, error);
    (void)sqlite3_close(store->db);
    store->db = NULL;
    return status;
}

/// Keeps everybody else out and turns the write-ahead log on, or says why there is none.
static qd_status take_over(qd_store *store, qd_error *error) {
    int code = qdi_sql_run(store->db, "PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT");
    if (code != SQLITE_OK) return qdi_sql_fail(store, "lock", code, error);
    sqlite3_stmt *statement = NULL;
    code = sqlite3_prepare_v2(store->db, "PRAGMA journal_mode=WAL", -1, &statement, NULL);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    store->wal = code == SQLITE_ROW && strcmp((const char *)sqlite3_column_text(statement, 0), "wal") == 0;
    (void)sqlite3_finalize(statement);
    if (store->wal) code = qdi_sql_run(store->db, "SELECT count(*) FROM run; PRAGMA synchronous=NORMAL");
    if (store->wal && code == SQLITE_OK) return QD_OK;
    if (qdi_sql_status(code) == QD_ERR_MEMORY) return qdi_sql_fail(store, "open", code, error);
    (void)qdi_reason(
        &store->note, QD_OK,
        "%.300s has a rollback journal, which is slower: SQLite can have no write-ahead log there%s%s",
        store->path, code == SQLITE_ROW ? "" : ": ", code == SQLITE_ROW ? "" : sqlite3_errstr(code));
    store->wal = false;
    code = qdi_sql_run(store->db, "PRAGMA journal_mode=TRUNCATE; PRAGMA synchronous=FULL");
    return code == SQLITE_OK ? QD_OK : qdi_sql_fail(store, "open", code, error);
}

/// Everything that writing takes.
static qd_status get_ready(qd_store *store, qd_error *error) {
    qd_status status = take_over(store, error);
    if (status != QD_OK) return status;
    int code = qdi_rows_prepare(store);
    if (code != SQLITE_OK) return qdi_sql_fail(store, "open", code, error);
    for (int i = 0; i < QDI_BATCHES && status == QD_OK; ++i) {
        store->batches[i].rows = qdi_allocate(store->allocator, QDI_BATCH_BYTES, 1);
        if (!store->batches[i].rows) status = QD_ERR_MEMORY;
    }
    if (status == QD_OK)
        status = qdi_queue_create(store->allocator, QDI_BATCHES, qdi_rows_work, store, &store->queue);
    store->writes = status == QD_OK;
    return status == QD_OK ? QD_OK : qdi_reason(error, status, "%s", qd_status_text(status));
}

static int bind_texts(sqlite3_stmt *statement, const char *const *texts, int count) {
    int code = SQLITE_OK;
    for (int i = 0; i < count && code == SQLITE_OK; ++i)
        code = sqlite3_bind_text(statement, i + 1, texts[i] ? texts[i] : "", -1, SQLITE_STATIC);
    return code;
}

/// The row of `run`.
static int put_run(qd_store *store, const qd_store_def *def) {
    enum { TEXTS = 8 };
    const qd_scene_run plan = qd_scene_run_settings(def->scene);
    const char *const texts[TEXTS] = {QD_VERSION,
                                      qd_scene_name(def->scene),
                                      qd_scene_text(def->scene),
                                      qd_simd_name(def->simd),
                                      def->source,
                                      def->compiler,
                                      def->flags,
                                      def->cpu};
    const uint64_t numbers[] = {plan.seed, plan.steps, def->bodies, (uint64_t)def->threads};
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(
        store->db,
        "INSERT INTO run (version, scene, scene_text, simd, source, compiler, flags,"
        " cpu, seed, steps, bodies, threads, dt, scene_hash, created_wall) VALUES"
        " (?,?,?,?,?,?,?,?,?,?,?,?,?,?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))",
        -1, &statement, NULL);
    if (code == SQLITE_OK) code = bind_texts(statement, texts, TEXTS);
    for (int i = 0; i < 4 && code == SQLITE_OK; ++i)
        code = qdi_sql_bind_step(statement, TEXTS + 1 + i, numbers[i]);
    if (code == SQLITE_OK) code = sqlite3_bind_double(statement, TEXTS + 5, plan.dt);
    if (code == SQLITE_OK) code = qdi_sql_bind_hash(statement, TEXTS + 6, qd_scene_hash(def->scene));
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    (void)sqlite3_finalize(statement);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

/// Makes the tables and the run's row in a database of another name, and gives it its own when all is there.
static qd_status found(qd_store *store, const qd_store_def *def, const char *part, qd_error *error) {
    qd_status status = qdi_os_remove_file(part, error);
    if (status == QD_OK)
        status = open_database(store, part, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error);
    if (status != QD_OK) return status;
    int code = qdi_sql_run(store->db, "PRAGMA page_size=" QDI_STORE_PAGE "; PRAGMA synchronous=FULL");
    if (code == SQLITE_OK) status = qdi_tables_update(store, 0, error);
    if (code == SQLITE_OK && status == QD_OK) code = put_run(store, def);
    if (code != SQLITE_OK) status = qdi_sql_fail(store, "write", code, error);
    int closed = sqlite3_close(store->db);
    store->db = NULL;
    if (status == QD_OK && closed != SQLITE_OK) status = qdi_sql_fail(store, "write", closed, error);
    if (status == QD_OK) status = qdi_os_rename_new(part, store->path, error);
    if (status == QD_OK) return QD_OK;
    qd_status removed = qdi_os_remove_file(part, NULL); // what went wrong first is what counts
    (void)removed;
    return status;
}

qd_status qd_store_create(const char *path, const qd_store_def *def, qd_store **store, qd_error *error) {
    if (!path || !def || !store || def->cookie != QDI_COOKIE || !def->scene)
        return qdi_reason(error, QD_ERR_ARGUMENT, "no path, no scene, or a def that is none");
    *store = NULL;
    qd_store *made = NULL;
    qd_status status = make(path, def->allocator, &made, error);
    if (status != QD_OK) return status;
    size_t bytes = made->path_bytes + strlen(PART);
    char *part = qdi_allocate(made->allocator, bytes, 1);
    if (!part) {
        destroy(made);
        return qdi_reason(error, QD_ERR_MEMORY, "%s", qd_status_text(QD_ERR_MEMORY));
    }
    (void)snprintf(part, bytes, "%s" PART, path);
    status = found(made, def, part, error);
    qdi_release(made->allocator, part, bytes, 1);
    if (status == QD_OK) status = open_database(made, path, SQLITE_OPEN_READWRITE, error);
    if (status == QD_OK) status = get_ready(made, error);
    if (status == QD_OK)
        *store = made;
    else
        destroy(made);
    return status;
}

qd_status qd_store_open(const char *path, qd_store_mode mode, const qd_allocator *allocator, qd_store **store,
                        qd_error *error) {
    if (!path || !store || (mode != QD_STORE_READ && mode != QD_STORE_GO_ON))
        return qdi_reason(error, QD_ERR_ARGUMENT, "no path, or no such mode");
    *store = NULL;
    if (!qdi_os_is_file(path)) return qdi_reason(error, QD_ERR_NOT_FOUND, "there is no %.300s", path);
    qd_store *made = NULL;
    qd_status status = make(path, allocator, &made, error);
    if (status != QD_OK) return status;
    int64_t version = 0;
    bool reads = mode == QD_STORE_READ;
    status = open_database(made, path, reads ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE, error);
    if (status == QD_OK) status = qdi_tables_check(made, &version, error);
    if (status == QD_OK && (!reads || version < qdi_tables_version()))
        status = qdi_tables_update(made, version, error);
    if (status == QD_OK && !reads) status = get_ready(made, error);
    if (status == QD_OK)
        *store = made;
    else
        destroy(made);
    return status;
}

qd_status qd_store_close(qd_store *store, qd_error *error) {
    if (!store) return QD_OK;
    qd_status status = qdi_store_settle(store, error);
    qdi_queue_destroy(store->queue);
    qdi_rows_finish(store);
    if (status == QD_OK && store->wal) {
        // One file again, which can be read from anywhere.
        int code = qdi_sql_run(store->db, "PRAGMA journal_mode=DELETE");
        if (code != SQLITE_OK) status = qdi_sql_fail(store, "close", code, error);
    }
    destroy(store);
    return status;
}

const char *qd_store_note(const qd_store *store) {
    return store ? store->note.text : "";
}

static int delete_past(qd_store *store, uint64_t step) {
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
    if (!store || !world || !store->writes)
        return qdi_reason(error, store && world ? QD_ERR_STATE : QD_ERR_ARGUMENT,
                          "no world, or no store that can be written to");
    qd_status status = qdi_store_settle(store, error);
    if (status == QD_OK) {
        store->label_count = 0;
        status = qdi_labels_take(store, world);
        if (status != QD_OK) (void)qdi_reason(error, status, "%s", qd_status_text(status));
    }
    if (status != QD_OK) return status;
    int code = qdi_sql_run(store->db, "BEGIN");
    if (code == SQLITE_OK) code = delete_past(store, qd_world_steps(world));
    if (code == SQLITE_OK) code = qdi_sql_run(store->db, "COMMIT");
    if (code == SQLITE_OK) return QD_OK;
    status = qdi_sql_fail(store, "write", code, error);
    if (!sqlite3_get_autocommit(store->db)) (void)qdi_sql_run(store->db, "ROLLBACK");
    return status;
}
