// What the view `sweep` of a sweep's store has, line by line.

#include "sim/store/store_impl.h"
#include "sim/sweep/sweep_store_impl.h"

#include <stdbool.h>
#include <string.h>

enum { OWN = 6, COLUMNS = QDI_SWEEP_CELLS + OWN };

/// Which column has what: the cells first, then point, status, seed, directory, code and reason. -1: none
/// has, as in a file of a program that knew fewer numbers.
typedef struct columns {
    int at[COLUMNS];
} columns;

static columns find_columns(sqlite3_stmt *statement) {
    static const char *const own[OWN] = {"point", "status", "seed", "directory", "code", "reason"};
    columns found;
    qdi_sweep_kind kind;
    for (size_t i = 0; i < COLUMNS; ++i) {
        char name[QDI_SWEEP_NAME] = "";
        bool wanted = i < QDI_SWEEP_CELLS ? qdi_sweep_result_column(i, name, &kind) : true;
        const char *sought = i < QDI_SWEEP_CELLS ? name : own[i - QDI_SWEEP_CELLS];
        found.at[i] = -1;
        // From the right, since keys of the scene come first and may have the same name, and `status` comes
        // last.
        for (int c = sqlite3_column_count(statement) - 1; wanted && c >= 0 && found.at[i] < 0; --c)
            if (strcmp(sqlite3_column_name(statement, c), sought) == 0) found.at[i] = c;
    }
    return found;
}

static qdi_sweep_cell read_cell(sqlite3_stmt *statement, int column) {
    qdi_sweep_cell cell = {.kind = QDI_SWEEP_NOTHING};
    if (column < 0) return cell;
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_FLOAT:
        cell.kind = QDI_SWEEP_REAL;
        cell.real = sqlite3_column_double(statement, column);
        break;
    case SQLITE_INTEGER:
        cell.kind = QDI_SWEEP_WHOLE;
        cell.whole = (uint64_t)sqlite3_column_int64(statement, column);
        break;
    case SQLITE_TEXT: {
        size_t bytes = (size_t)sqlite3_column_bytes(statement, column);
        if (bytes >= sizeof cell.text) break;
        cell.kind = QDI_SWEEP_TEXT;
        memcpy(cell.text, sqlite3_column_text(statement, column), bytes);
        break;
    }
    default: break;
    }
    return cell;
}

static const char *read_text(sqlite3_stmt *statement, int column) {
    const char *text = column < 0 ? NULL : (const char *)sqlite3_column_text(statement, column);
    return text ? text : "";
}

static qd_status visit_line(sqlite3_stmt *statement, const columns *found, qdi_sweep_visit visit,
                            void *context) {
    qdi_sweep_cell cells[QDI_SWEEP_CELLS];
    const int *own = found->at + QDI_SWEEP_CELLS;
    for (size_t i = 0; i < QDI_SWEEP_CELLS; ++i) cells[i] = read_cell(statement, found->at[i]);
    const qdi_sweep_line line = {.point = own[0] < 0 ? 0 : (uint64_t)sqlite3_column_int64(statement, own[0]),
                                 .status = read_text(statement, own[1]),
                                 .seed = read_text(statement, own[2]),
                                 .directory = read_text(statement, own[3]),
                                 .code = own[4] < 0 ? 0 : sqlite3_column_int(statement, own[4]),
                                 .reason = read_text(statement, own[5]),
                                 .cells = cells};
    return visit(context, &line);
}

/// Returns SQLite's code; SQLITE_OK also where there is no text.
static int read_sweep(const qdi_sweep_store *store, qdi_text *text) {
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(store->db, "SELECT text FROM about", -1, &statement, NULL);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        qdi_text_add_bytes(text, (const char *)sqlite3_column_text(statement, 0),
                           (size_t)sqlite3_column_bytes(statement, 0));
        code = SQLITE_DONE;
    }
    (void)sqlite3_finalize(statement);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

/// Returns SQLite's code; `*status` is what `visit` returned.
static int read_lines(const qdi_sweep_store *store, qdi_sweep_visit visit, void *context, qd_status *status) {
    sqlite3_stmt *statement = NULL;
    static const char sql[] =
        "SELECT points.*, runs.*, coalesce(runs.status, 'to do') AS status" QDI_SWEEP_JOIN " ORDER BY point";
    int code = sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL);
    const columns found = code == SQLITE_OK ? find_columns(statement) : (columns){{0}};
    while (code == SQLITE_OK && *status == QD_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        *status = visit_line(statement, &found, visit, context);
        code = SQLITE_OK;
    }
    (void)sqlite3_finalize(statement);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

qd_status qdi_sweep_store_visit(qdi_sweep_store *store, qdi_text *text, qdi_sweep_visit visit, void *context,
                                qd_error *error) {
    qd_status status = QD_OK;
    int code = qdi_sql_run(store->db, "BEGIN");
    if (code == SQLITE_OK) code = read_sweep(store, text);
    if (code == SQLITE_OK && text->used > 0)
        status = qdi_sql_check_table(store->db, store->path, QDI_SWEEP_POINTS_HEAD, QDI_SWEEP_POINTS_TAIL,
                                     error);
    if (code == SQLITE_OK && status == QD_OK && text->used > 0)
        code = read_lines(store, visit, context, &status);
    if (!sqlite3_get_autocommit(store->db)) (void)qdi_sql_run(store->db, "ROLLBACK"); // nothing was written
    if (code != SQLITE_OK) return qdi_sweep_sql_fail(store, "read", code, error);
    return status == QD_OK ? text->status : status;
}
