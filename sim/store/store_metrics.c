// The table `metrics`: a column for each of qd_metric_fields, under its name, and one for each phase. A store
// of a program that knew fewer of them gets the others when it is opened to go on; its old rows have no value
// there.

#include "sim/store/store_impl.h"
#include "sim/text/scene_text.h"

#include <stdio.h>
#include <string.h>

/// Store's metrics: name and type of column `number`, from 0 on; false past the last. Phases come after the
/// metrics.
static bool column_at(size_t number, char name[64], const char **type) {
    size_t count = 0;
    const qd_metric_field *fields = qd_metric_fields(&count);
    if (number >= count + QD_PHASE_COUNT) return false;
    bool metric = number < count;
    *type = metric && fields[number].kind == QD_METRIC_REAL ? "REAL" : "INTEGER";
    if (metric)
        (void)snprintf(name, 64, "%s", fields[number].name);
    else
        (void)snprintf(name, 64, "%s_ns", qd_phase_name((qd_phase)(number - count)));
    return true;
}

/// Whether the table has a column of this name.
static int has_column(sqlite3_stmt *look, const char *name, bool *has) {
    int code = sqlite3_bind_text(look, 1, name, -1, SQLITE_STATIC);
    if (code == SQLITE_OK) code = sqlite3_step(look);
    *has = code == SQLITE_ROW;
    int reset = sqlite3_reset(look);
    return code == SQLITE_ROW || code == SQLITE_DONE ? reset : code;
}

int qdi_metrics_columns(qd_store *store) {
    char name[64], sql[160];
    const char *type = NULL;
    sqlite3_stmt *look = NULL;
    int code = sqlite3_prepare_v2(store->db, "SELECT 1 FROM pragma_table_info('metrics') WHERE name = ?", -1,
                                  &look, NULL);
    for (size_t i = 0; code == SQLITE_OK && column_at(i, name, &type); ++i) {
        bool has = false;
        code = has_column(look, name, &has);
        if (code != SQLITE_OK || has) continue;
        (void)snprintf(sql, sizeof sql, "ALTER TABLE metrics ADD COLUMN %s %s", name, type);
        code = qdi_sql_run(store->db, sql);
    }
    (void)sqlite3_finalize(look);
    return code;
}

int qdi_metrics_prepare(qd_store *store, sqlite3_stmt **statement) {
    char name[64];
    const char *type = NULL;
    qdi_text sql = {.allocator = store->allocator}, marks = sql;
    qdi_text_add(&sql, "INSERT INTO metrics (");
    for (size_t i = 0; column_at(i, name, &type); ++i) {
        qdi_text_add(&sql, i > 0 ? ", " : "");
        qdi_text_add(&sql, name);
        qdi_text_add(&marks, i > 0 ? ",?" : "?");
    }
    qdi_text_add(&sql, ") VALUES (");
    if (marks.status == QD_OK) qdi_text_add(&sql, marks.chars);
    qdi_text_add(&sql, ")");
    int code = SQLITE_NOMEM;
    if (sql.status == QD_OK && marks.status == QD_OK)
        code = sqlite3_prepare_v3(store->db, sql.chars, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL);
    qdi_text_release(&sql);
    qdi_text_release(&marks);
    return code;
}

int qdi_metrics_bind(const qd_store *store, sqlite3_stmt *statement, const void *data) {
    (void)store;
    const qdi_metrics_row *row = data;
    size_t count = 0;
    const qd_metric_field *fields = qd_metric_fields(&count);
    int code = SQLITE_OK, at = 1;
    for (size_t i = 0; i < count && code == SQLITE_OK; ++i) {
        const char *place = (const char *)&row->metrics + fields[i].offset;
        double real;
        uint64_t whole;
        if (fields[i].kind == QD_METRIC_REAL) {
            memcpy(&real, place, sizeof real);
            code = sqlite3_bind_double(statement, at++, real);
        } else {
            memcpy(&whole, place, sizeof whole);
            code = whole == UINT64_MAX ? sqlite3_bind_null(statement, at) // no value
                                       : qdi_sql_bind_step(statement, at, whole);
            at += 1;
        }
    }
    for (int phase = 0; phase < QD_PHASE_COUNT && code == SQLITE_OK; ++phase, ++at)
        code = row->timed ? qdi_sql_bind_step(statement, at, row->phase_ns[phase])
                          : sqlite3_bind_null(statement, at);
    return code;
}
