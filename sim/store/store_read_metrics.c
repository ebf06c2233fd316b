// Rows of metrics, column by column under the names that qd_metric_fields has.

#include "core/base/arithmetic.h"
#include "sim/store/store_impl.h"
#include "sim/text/reason.h"

#include <math.h>
#include <string.h>

// Store's metrics: sets a metric that is a real number.
static void set_metric_real(qd_metrics *metrics, size_t offset, double value) {
    memcpy((char *)metrics + offset, &value, sizeof value);
}

// Store's metrics: sets a metric that is a whole number.
static void set_metric_whole(qd_metrics *metrics, size_t offset, uint64_t value) {
    memcpy((char *)metrics + offset, &value, sizeof value);
}

/// Store's metrics: a row that has no values.
static void clear_metrics(qd_metrics *metrics) {
    size_t count = 0;
    const qd_metric_field *fields = qd_metric_fields(&count);
    for (size_t i = 0; i < count; ++i) {
        if (fields[i].kind == QD_METRIC_REAL)
            set_metric_real(metrics, fields[i].offset, (double)NAN);
        else
            set_metric_whole(metrics, fields[i].offset, UINT64_MAX);
    }
}

// Store's metrics: the metric of this name.
static const qd_metric_field *metric_field_named(const char *name) {
    size_t count = 0;
    const qd_metric_field *fields = qd_metric_fields(&count);
    for (size_t i = 0; i < count; ++i)
        if (strcmp(fields[i].name, name) == 0) return &fields[i];
    return NULL;
}

/// Store's metrics: takes over what the row has.
static int read_row(sqlite3_stmt *statement, qd_metrics *metrics) {
    clear_metrics(metrics);
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
        const char *name = sqlite3_column_name(statement, i);
        if (!name) return SQLITE_NOMEM;
        const qd_metric_field *field = metric_field_named(name);
        if (!field || sqlite3_column_type(statement, i) == SQLITE_NULL) continue;
        if (field->kind == QD_METRIC_REAL)
            set_metric_real(metrics, field->offset, sqlite3_column_double(statement, i));
        else
            set_metric_whole(metrics, field->offset, (uint64_t)sqlite3_column_int64(statement, i));
    }
    return SQLITE_OK;
}

/// Store's metrics: takes over the times that a row has, and its step.
static int read_phases(sqlite3_stmt *statement, uint64_t *step, uint64_t phase_ns[QD_PHASE_COUNT]) {
    memset(phase_ns, 0, QD_PHASE_COUNT * sizeof *phase_ns);
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
        const char *name = sqlite3_column_name(statement, i);
        if (!name) return SQLITE_NOMEM;
        size_t length = strlen(name);
        if (strcmp(name, "step") == 0) *step = (uint64_t)sqlite3_column_int64(statement, i);
        if (length < 4 || strcmp(name + length - 3, "_ns") != 0) continue;
        for (int phase = 0; phase < QD_PHASE_COUNT; ++phase) {
            const char *known = qd_phase_name((qd_phase)phase);
            if (strlen(known) == length - 3 && memcmp(known, name, length - 3) == 0)
                phase_ns[phase] = (uint64_t)sqlite3_column_int64(statement, i);
        }
    }
    return SQLITE_OK;
}

/// What to take from a row.
typedef struct row_job {
    qd_metrics *metrics; ///< or, where NULL, the phases
    uint64_t *step, *phase_ns;
} row_job;

// Reads the next row of a table of run.db from a step on.
static qd_status next_metrics_row(qd_store *store, const char *sql, uint64_t from, const row_job *job,
                                  qd_error *error) {
    if (from > QDI_STORE_STEP_MAX) return QD_ERR_NOT_FOUND;
    qd_status status = qdi_store_settle(store, error);
    if (status != QD_OK) return status;
    sqlite3_stmt *statement = NULL;
    int code = qdi_sql_prepare(store->db, sql, &statement, "u", from);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    bool none = code == SQLITE_DONE;
    status = code == SQLITE_ROW
                 ? qdi_sql_check_step(store, statement, "metrics", from, QDI_STORE_STEP_MAX, error)
                 : QD_OK;
    if (code == SQLITE_ROW)
        code = job->metrics ? read_row(statement, job->metrics)
                            : read_phases(statement, job->step, job->phase_ns);
    if (none) status = QD_ERR_NOT_FOUND;
    if (!none && code != SQLITE_OK) status = qdi_sql_fail(store, "read", code, error);
    (void)sqlite3_finalize(statement);
    return status;
}

qd_status qd_store_next_metrics(qd_store *store, uint64_t from, qd_metrics *metrics, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!store || !metrics) return qdi_reason(error, QD_ERR_ARGUMENT, "nowhere to put the metrics");
    const row_job job = {.metrics = metrics};
    return next_metrics_row(store, "SELECT * FROM metrics WHERE step >= ? ORDER BY step LIMIT 1", from, &job,
                            error);
}

qd_status qd_store_next_phases(qd_store *store, uint64_t from, uint64_t *step,
                               uint64_t phase_ns[QD_PHASE_COUNT], qd_error *error) {
    if (!store || !step || !phase_ns) return qdi_reason(error, QD_ERR_ARGUMENT, "nowhere to put the phases");
    uint64_t found = 0, found_ns[QD_PHASE_COUNT];
    const row_job job = {.step = &found, .phase_ns = found_ns};
    qd_status status = next_metrics_row(
        store, "SELECT * FROM metrics WHERE step >= ? AND move_ns IS NOT NULL ORDER BY step LIMIT 1", from,
        &job, error);
    if (status != QD_OK) return status;
    *step = found;
    memcpy(phase_ns, found_ns, sizeof found_ns);
    return QD_OK;
}
