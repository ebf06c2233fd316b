#include "sim/base/number.h"
#include "sim/base/os.h"
#include "sim/base/reason.h"
#include "sim/store/store_impl.h"
#include "sim/sweep/sweep_store_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/// A field of RFC 4180: in quotes where it has to be.
static void add_field(qdi_text *text, const char *field) {
    if (!strpbrk(field, ",\"\r\n")) {
        qdi_text_add(text, field);
        return;
    }
    qdi_text_add(text, "\"");
    for (const char *c = field; *c; ++c) qdi_text_add_bytes(text, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
    qdi_text_add(text, "\"");
}

static void add_column(qdi_text *text, sqlite3_stmt *statement, int column) {
    char number[QDI_NUMBER_ROOM];
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL: return;
    case SQLITE_FLOAT:
        qdi_text_add_bytes(text, number, qdi_number_write(sqlite3_column_double(statement, column), number));
        return;
    case SQLITE_INTEGER:
        (void)snprintf(number, sizeof number, "%lld", (long long)sqlite3_column_int64(statement, column));
        qdi_text_add(text, number);
        return;
    default: add_field(text, (const char *)sqlite3_column_text(statement, column)); return;
    }
}

/// The whole file. Returns SQLite's code.
static int write_all(const qdi_sweep_store *store, const qdi_sweep *sweep, qdi_text *text) {
    sqlite3_stmt *statement = NULL;
    qdi_text sql = {.allocator = store->allocator};
    qdi_sweep_add_select(sweep, &sql);
    qdi_text_add(&sql, " WHERE runs.status IS NOT NULL ORDER BY point");
    int code = sql.status == QD_OK ? sqlite3_prepare_v2(store->db, sql.chars, -1, &statement, NULL)
                                   : SQLITE_NOMEM;
    qdi_text_release(&sql);
    int columns = code == SQLITE_OK ? sqlite3_column_count(statement) : 0;
    for (int i = 0; i < columns; ++i) {
        if (i > 0) qdi_text_add(text, ",");
        add_field(text, sqlite3_column_name(statement, i));
    }
    qdi_text_add(text, "\n");
    while (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        for (int i = 0; i < columns; ++i) {
            if (i > 0) qdi_text_add(text, ",");
            add_column(text, statement, i);
        }
        qdi_text_add(text, "\n");
        code = SQLITE_OK;
    }
    (void)sqlite3_finalize(statement);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

qd_status qdi_sweep_store_csv(qdi_sweep_store *store, const qdi_sweep *sweep, const char *path,
                              qd_error *error) {
    qdi_text text = {.allocator = store->allocator}, part = text;
    int code = write_all(store, sweep, &text);
    qdi_text_add(&part, path);
    qdi_text_add(&part, ".part");
    qd_status status = text.status == QD_OK ? part.status : text.status;
    if (status != QD_OK)
        (void)qdi_reason(error, status, "%s", qd_status_text(status));
    else if (code != SQLITE_OK)
        status = qdi_sweep_sql_fail(store, "read", code, error);
    else
        status = qdi_os_write_file(part.chars, path, text.chars, text.used, error);
    qdi_text_release(&text);
    qdi_text_release(&part);
    return status;
}
