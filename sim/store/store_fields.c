// The table `fields`, read: the quantities of a step are put together again.

#include "core/base/memory.h"
#include "sim/store/store_impl.h"
#include "sim/text/reason.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// Cells of a grid, 0 for one that no field has.
static size_t grid_cells(const qd_field_grid *grid) {
    const bool fits = grid->nx > 0 && grid->ny > 0 && grid->nx <= QD_FIELD_SIDE_MAX &&
                      grid->ny <= QD_FIELD_SIDE_MAX && (uint64_t)grid->nx * grid->ny <= QD_FIELD_CELLS_MAX;
    return fits ? (size_t)grid->nx * grid->ny : 0;
}

void qd_store_fields_free(qd_store *store, qd_store_fields *fields) {
    if (!store || !fields) return;
    if (fields->values)
        qdi_release(store->allocator, fields->values, grid_cells(&fields->grid) * QD_FIELD_QUANTITIES,
                    sizeof *fields->values);
    *fields = (qd_store_fields){0};
}

// The number of a quantity by its name; QD_FIELD_QUANTITIES for one that this program does not know.
static size_t quantity_named(qdi_sql_chars name) {
    for (size_t q = 0; q < QD_FIELD_QUANTITIES; ++q) {
        const char *known = qd_field_name((qd_field_quantity)q);
        if (strlen(known) == name.bytes && memcmp(known, name.at, name.bytes) == 0) return q;
    }
    return QD_FIELD_QUANTITIES;
}

// Takes the grid from the first row of a step, and makes room for all quantities.
static qd_status begin_fields(qd_store *store, sqlite3_stmt *row, qd_store_fields *fields) {
    const int nx = sqlite3_column_int(row, 7), ny = sqlite3_column_int(row, 8);
    const qd_field_grid grid = {.x = sqlite3_column_double(row, 3),
                                .y = sqlite3_column_double(row, 4),
                                .width = sqlite3_column_double(row, 5),
                                .height = sqlite3_column_double(row, 6),
                                .nx = nx > 0 ? (uint32_t)nx : 0,
                                .ny = ny > 0 ? (uint32_t)ny : 0};
    const size_t count = grid_cells(&grid) * QD_FIELD_QUANTITIES;
    if (count == 0) return QD_ERR_CORRUPT;
    fields->step = (uint64_t)sqlite3_column_int64(row, 0);
    fields->time = sqlite3_column_double(row, 2);
    fields->values = qdi_allocate(store->allocator, count, sizeof *fields->values);
    if (!fields->values) return QD_ERR_MEMORY;
    fields->grid = grid;
    for (size_t i = 0; i < count; ++i) fields->values[i] = (double)NAN;
    return QD_OK;
}

// Copies the values of a row to their place.
static qd_status copy_quantity(sqlite3_stmt *row, qd_store_fields *fields) {
    const size_t cells = grid_cells(&fields->grid), q = quantity_named(qdi_sql_text(row, 1));
    if (q == QD_FIELD_QUANTITIES) return QD_OK; // a newer program's
    const void *data = sqlite3_column_blob(row, 9);
    if (!data || (size_t)sqlite3_column_bytes(row, 9) != cells * sizeof(double)) return QD_ERR_CORRUPT;
    memcpy(fields->values + q * cells, data, cells * sizeof(double));
    return QD_OK;
}

qd_status qd_store_next_fields(qd_store *store, uint64_t from, qd_store_fields *fields, qd_error *error) {
    if (!store || !fields) return qdi_reason(error, QD_ERR_ARGUMENT, "nowhere to put the fields");
    *fields = (qd_store_fields){0};
    if (from > QDI_STORE_STEP_MAX) return QD_ERR_NOT_FOUND;
    qd_status status = qdi_store_settle(store, error);
    if (status != QD_OK) return status;
    sqlite3_stmt *row = NULL;
    int code = qdi_sql_prepare(store->db,
                               "SELECT step, name, time, x, y, width, height, nx, ny, data FROM fields WHERE"
                               " step = (SELECT min(step) FROM fields WHERE step >= ?) ORDER BY number",
                               &row, "u", from);
    if (code == SQLITE_OK) code = sqlite3_step(row);
    for (; code == SQLITE_ROW && status == QD_OK; code = status == QD_OK ? sqlite3_step(row) : code) {
        status = qdi_sql_check_step(store, row, "fields", from, QDI_STORE_STEP_MAX, error);
        if (status == QD_OK && !fields->values) status = begin_fields(store, row, fields);
        if (status == QD_OK) status = copy_quantity(row, fields);
        if (status == QD_OK) continue;
        status = qdi_reason(error, status, "%.300s: table fields: step %" PRIu64 ": %s", store->path,
                            fields->step, qd_status_text(status));
    }
    if (status == QD_OK && code != SQLITE_DONE) status = qdi_sql_fail(store, "read", code, error);
    if (status == QD_OK && !fields->values) status = QD_ERR_NOT_FOUND;
    (void)sqlite3_finalize(row);
    if (status != QD_OK) qd_store_fields_free(store, fields);
    return status;
}
