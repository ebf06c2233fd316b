// The stored world of a step, whichever table has it.

#include "core/base/arithmetic.h"
#include "core/base/memory.h"
#include "sim/store/store_impl.h"
#include "sim/text/reason.h"

#include <inttypes.h>
#include <stdio.h>

/// Store: the first row of a query with one number: `*found` says whether there is one.
static qd_status first_row(qd_store *store, const char *sql, uint64_t step, bool *found, uint64_t *at,
                           bool *snapshot, qd_error *error) {
    sqlite3_stmt *statement = NULL;
    int code = qdi_sql_prepare(store->db, sql, &statement, "u", step);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    *found = code == SQLITE_ROW;
    if (*found) {
        *at = (uint64_t)sqlite3_column_int64(statement, 0);
        *snapshot = sqlite3_column_int(statement, 1) != 0;
    }
    (void)sqlite3_finalize(statement);
    return code == SQLITE_ROW || code == SQLITE_DONE ? QD_OK : qdi_sql_fail(store, "read", code, error);
}

#define WORLDS                                                                                               \
    "SELECT step, kept FROM (SELECT step, 1 AS kept FROM snapshots UNION ALL"                                \
    " SELECT step, 0 FROM checkpoints) "

/// Store: names the steps on either side of one that is not there.
static qd_status name_nearest(qd_store *store, uint64_t step, qd_error *error) {
    bool below = false, above = false, snapshot;
    uint64_t before = 0, after = 0;
    qd_status status = first_row(store, WORLDS "WHERE step < ? ORDER BY step DESC LIMIT 1", step, &below,
                                 &before, &snapshot, error);
    if (status == QD_OK)
        status = first_row(store, WORLDS "WHERE step > ? ORDER BY step LIMIT 1", step, &above, &after,
                           &snapshot, error);
    if (status != QD_OK) return status;
    char near[96] = "";
    if (below && above)
        (void)snprintf(near, sizeof near, "; the nearest are of steps %" PRIu64 " and %" PRIu64, before,
                       after);
    else if (below || above)
        (void)snprintf(near, sizeof near, "; the nearest is of step %" PRIu64, below ? before : after);
    return qdi_reason(error, QD_ERR_NOT_FOUND, "%.300s has no snapshot or checkpoint of step %" PRIu64 "%s",
                      store->path, step, near);
}

qd_status qd_store_find_world(qd_store *store, uint64_t step, qd_store_state *state, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!store || !state) return qdi_reason(error, QD_ERR_ARGUMENT, "nowhere to put the world");
    *state = (qd_store_state){0};
    bool last = step > QDI_STORE_STEP_MAX, found = false, snapshot = false;
    uint64_t at = 0;
    qd_status status = qdi_store_settle(store, error);
    if (status == QD_OK)
        status = first_row(store,
                           last ? WORLDS "WHERE step <= ? ORDER BY step DESC, kept DESC LIMIT 1"
                                : WORLDS "WHERE step = ? ORDER BY kept DESC LIMIT 1",
                           last ? QDI_STORE_STEP_MAX : step, &found, &at, &snapshot, error);
    if (status == QD_OK && !found && last)
        return qdi_reason(error, QD_ERR_NOT_FOUND, "%.300s has no snapshot or checkpoint", store->path);
    if (status == QD_OK && !found) return name_nearest(store, step, error);
    if (status != QD_OK) return status;
    status = snapshot ? qd_store_next_snapshot(store, at, state, error)
                      : qd_store_next_checkpoint(store, at, state, error);
    if (status != QD_OK) return status;
    qdi_release(store->allocator, state->session, state->session_bytes, 1);
    state->session = NULL;
    state->session_bytes = 0;
    return QD_OK;
}
