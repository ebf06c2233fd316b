// A new store is made under another name, as one plain file, and gets its own name when it is whole.

#include "core/base/arithmetic.h"
#include "core/base/cookie.h"
#include "core/base/memory.h"
#include "sim/files/os.h"
#include "sim/store/store_impl.h"
#include "sim/text/reason.h"

#include <stdio.h>
#include <string.h>

/// Added to the name of a store while it is made.
#define PART ".part"

qd_store_def qd_store_def_default(void) {
    return (qd_store_def){.cookie = QDI_COOKIE, .threads = 1};
}

/// The row of `run`, and in which form this program records.
static int put_run(qd_store *store, const qd_store_def *def) {
    const qd_scene_run plan = qd_scene_run_settings(def->scene);
    int code = qdi_sql_do(store->db, "INSERT INTO forms (name, form) VALUES ('hash', ?)", "u",
                          (uint64_t)QD_HASH_FORM);
    if (code != SQLITE_OK) return code;
    return qdi_sql_do(store->db,
                      "INSERT INTO run (version, scene, scene_text, simd, source, compiler, flags,"
                      " cpu, seed, steps, bodies, threads, dt, scene_hash, created_wall) VALUES"
                      " (?,?,?,?,?,?,?,?,?,?,?,?,?,?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))",
                      "ssssssssuuuudh", QD_VERSION, qd_scene_name(def->scene), qd_scene_text(def->scene),
                      qd_simd_name(def->simd), def->source, def->compiler, def->flags, def->cpu, plan.seed,
                      plan.steps, def->bodies, (uint64_t)def->threads, plan.dt, qd_scene_hash(def->scene));
}

/// New run directory: "PATH" + `ending`; the caller releases `*bytes` bytes. NULL where there is no memory.
static char *path_with_ending(const qd_store *store, const char *ending, size_t *bytes) {
    *bytes = store->path_bytes + strlen(ending);
    char *path = qdi_allocate(store->allocator, *bytes, 1);
    if (path) (void)snprintf(path, *bytes, "%s%s", store->path, ending);
    return path;
}

/// New run directory: deletes "PATH" + `ending` if it is there.
static qd_status remove_beside(const qd_store *store, const char *ending, qd_error *error) {
    size_t bytes = 0;
    char *path = path_with_ending(store, ending, &bytes);
    if (!path) return qdi_reason(error, QD_ERR_MEMORY, "%s", qd_status_text(QD_ERR_MEMORY));
    qd_status status = qdi_os_remove_file(path, error);
    qdi_release(store->allocator, path, bytes, 1);
    return status;
}

/// New run directory: deletes what an earlier store of this name, itself deleted, has left: SQLite would take
/// it for the new one's.
static qd_status remove_remains(const qd_store *store, qd_error *error) {
    static const char *const endings[] = {PART, "-wal", "-shm", "-journal"};
    qd_status status = QD_OK;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0] && status == QD_OK; ++i)
        status = remove_beside(store, endings[i], error);
    return status;
}

/// Makes tables and the run's row in the database `part`, which is on the device afterwards.
static qd_status fill_store(qd_store *store, const qd_store_def *def, const char *part, qd_error *error) {
    qd_status status = qdi_store_connect(store, part, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error);
    if (status != QD_OK) return status;
    // Whatever goes wrong, the file is deleted: it needs no journal, and the last transaction syncs it all.
    int code = qdi_sql_run(store->db, "PRAGMA page_size=" QDI_STORE_PAGE
                                      "; PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF");
    if (code == SQLITE_OK) status = qdi_tables_update(store, 0, error);
    if (code == SQLITE_OK && status == QD_OK) code = qdi_sql_run(store->db, "PRAGMA synchronous=FULL");
    if (code == SQLITE_OK && status == QD_OK) code = put_run(store, def);
    if (code != SQLITE_OK) status = qdi_sql_fail(store, "write", code, error);
    qdi_store_disconnect(store);
    return status;
}

/// New run directory: makes the store's file.
static qd_status make_store_file(qd_store *store, const qd_store_def *def, qd_error *error) {
    size_t bytes = 0;
    char *part = path_with_ending(store, PART, &bytes);
    if (!part) return qdi_reason(error, QD_ERR_MEMORY, "%s", qd_status_text(QD_ERR_MEMORY));
    qd_status status = remove_remains(store, error);
    if (status == QD_OK) status = fill_store(store, def, part, error);
    if (status == QD_OK) status = qdi_os_rename_new(part, store->path, error);
    if (status != QD_OK) qdi_file_remove(part);
    qdi_release(store->allocator, part, bytes, 1);
    return status;
}

qd_status qd_store_create(const char *path, const qd_store_def *def, qd_store **store, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!path || !def || !store || def->cookie != QDI_COOKIE || !def->scene)
        return qdi_reason(error, QD_ERR_ARGUMENT, "no path, no scene, or a def that is none");
    *store = NULL;
    if (qdi_os_exists(path)) return qdi_reason(error, QD_ERR_EXISTS, "%.300s is there already", path);
    qd_store *made = NULL;
    qd_status status = qdi_store_make(path, def->allocator, &made, error);
    if (status != QD_OK) return status;
    status = make_store_file(made, def, error);
    bool founded = status == QD_OK;
    if (founded) status = qdi_store_connect(made, path, SQLITE_OPEN_READWRITE, error);
    if (status == QD_OK) status = qdi_tables_forms(made, error);
    if (status == QD_OK) status = qdi_store_get_ready(made, error);
    if (status == QD_OK) {
        *store = made;
        return QD_OK;
    }
    qdi_store_destroy(made);
    if (founded) qdi_file_remove(path);
    return status;
}

qd_status qd_store_extend(qd_store *store, const qd_scene *scene, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!store || !scene || !store->writes)
        return qdi_reason(error, store && scene ? QD_ERR_STATE : QD_ERR_ARGUMENT,
                          "no scene, or no store that can be written to");
    qd_status status = qdi_store_settle(store, error);
    if (status != QD_OK) return status;
    int64_t stage = 0; // that the last step belongs to
    int code = qdi_sql_run(store->db, "BEGIN");
    if (code == SQLITE_OK)
        code = qdi_sql_number(
            store->db, "SELECT max(number) FROM stages WHERE step < (SELECT max(step) FROM hashes)", &stage);
    const qd_scene_run plan = qd_scene_stage_run(scene, (size_t)(stage > 0 ? stage : 0));
    if (code == SQLITE_OK && plan.record_hashes > 0)
        code = qdi_sql_do(store->db,
                          "DELETE FROM hashes WHERE step = (SELECT max(step) FROM hashes) AND step % ? != 0",
                          "u", plan.record_hashes);
    if (code == SQLITE_OK)
        code = qdi_sql_do(store->db, "UPDATE run SET steps = ?, scene_text = ?, scene_hash = ?", "ush",
                          plan.steps, qd_scene_text(scene), qd_scene_hash(scene));
    return qdi_sql_commit(store, code, error);
}
