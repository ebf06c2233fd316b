// Rows of events, in one query: there may be many.

#include "core/base/arithmetic.h"
#include "sim/store/store_impl.h"
#include "sim/text/reason.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/// Store's events: the place of a word among some, or -1.
static int place_of(qdi_sql_chars word, const char *const *words, int count) {
    for (int i = 0; word.at && i < count; ++i)
        if (strlen(words[i]) == word.bytes && memcmp(word.at, words[i], word.bytes) == 0) return i;
    return -1;
}

// A number from a column of run.db; NaN where there is none.
static double column_real_or_nan(sqlite3_stmt *statement, int column) {
    return sqlite3_column_type(statement, column) == SQLITE_NULL ? (double)NAN
                                                                 : sqlite3_column_double(statement, column);
}

/// Store's events: false where a word is none that there is.
static bool read_event(sqlite3_stmt *statement, qd_store_event *event) {
    static const char *const kinds[] = {"begin", "persist", "end", "impact"};
    static const char *const sides[] = {"left", "right", "bottom", "top"};
    int kind = place_of(qdi_sql_text(statement, 2), kinds, 4), side = -1;
    bool wall = sqlite3_column_type(statement, 5) != SQLITE_NULL;
    if (wall) side = place_of(qdi_sql_text(statement, 5), sides, 4);
    *event = (qd_store_event){
        .step = (uint64_t)sqlite3_column_int64(statement, 0),
        .number = (uint64_t)sqlite3_column_int64(statement, 1),
        .kind = (qd_store_event_kind)kind,
        .a = (uint64_t)sqlite3_column_int64(statement, 3),
        .b = (uint64_t)sqlite3_column_int64(statement, 4),
        .wall = side + 1,
        .point = {column_real_or_nan(statement, 6), column_real_or_nan(statement, 7)},
        .normal = {column_real_or_nan(statement, 8), column_real_or_nan(statement, 9)},
        .impulse = column_real_or_nan(statement, 10),
        .friction = column_real_or_nan(statement, 11),
        .approach = column_real_or_nan(statement, 12),
        .depth = column_real_or_nan(statement, 13),
        .within = column_real_or_nan(statement, 14),
    };
    return kind >= 0 && (side >= 0 || !wall);
}

/// True where a row comes behind the one before, which is what the table's key says: a damaged file could
/// give rows for ever.
static bool is_later(const qd_store_event *event, const qd_store_event *before) {
    return event->step > before->step || (event->step == before->step && event->number > before->number);
}

// Hands events in run.db to a visitor.
static qd_status visit_event_rows(qd_store *store, sqlite3_stmt *statement, qd_store_visit_event visit,
                                  void *context, qd_error *error) {
    int code = sqlite3_step(statement);
    bool first = true;
    qd_store_event event, before = {0};
    for (; code == SQLITE_ROW; code = sqlite3_step(statement)) {
        if (!read_event(statement, &event))
            return qdi_reason(error, QD_ERR_CORRUPT,
                              "%.300s: table events: number %" PRIu64 " of step %" PRIu64
                              " has a kind or side that there is not",
                              store->path, event.number, event.step);
        if (!first && !is_later(&event, &before))
            return qdi_reason(error, QD_ERR_CORRUPT,
                              "%.300s: table events: number %" PRIu64 " of step %" PRIu64 " is out of order",
                              store->path, event.number, event.step);
        if (!visit(context, &event)) return QD_OK;
        before = event;
        first = false;
    }
    return code == SQLITE_DONE ? QD_OK : qdi_sql_fail(store, "read", code, error);
}

qd_status qd_store_visit_events(qd_store *store, uint64_t from, uint64_t to, qd_store_visit_event visit,
                                void *context, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!store || !visit) return qdi_reason(error, QD_ERR_ARGUMENT, "no store, or nobody to tell");
    if (from > QDI_STORE_STEP_MAX) return QD_OK;
    qd_status status = qdi_store_settle(store, error);
    if (status != QD_OK) return status;
    sqlite3_stmt *statement = NULL;
    int code = qdi_sql_prepare(store->db,
                               "SELECT step, number, kind, a, b, side, x, y, normal_x, normal_y, impulse,"
                               " friction, approach, depth, within FROM events WHERE step BETWEEN ? AND ?"
                               " ORDER BY step, number",
                               &statement, "uu", from, to > QDI_STORE_STEP_MAX ? QDI_STORE_STEP_MAX : to);
    status = code == SQLITE_OK ? visit_event_rows(store, statement, visit, context, error)
                               : qdi_sql_fail(store, "read", code, error);
    (void)sqlite3_finalize(statement);
    return status;
}
