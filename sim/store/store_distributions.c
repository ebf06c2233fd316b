// The table `distributions`, read: those of a step are put together again.

#include "core/base/memory.h"
#include "sim/store/store_impl.h"
#include "sim/text/reason.h"

#include <inttypes.h>
#include <string.h>

void qd_store_distributions_free(qd_store *store, qd_store_distributions *found) {
    if (!store || !found) return;
    qdi_release(store->allocator, found->values, found->room, sizeof *found->values);
    *found = (qd_store_distributions){0};
}

// The number of a distribution by its name; QD_DISTRIBUTION_KINDS for one that this program does not know.
static size_t distribution_named(qdi_sql_chars name) {
    for (size_t kind = 0; kind < QD_DISTRIBUTION_KINDS; ++kind) {
        const char *known = qd_distribution_name((qd_distribution)kind);
        if (strlen(known) == name.bytes && memcmp(known, name.at, name.bytes) == 0) return kind;
    }
    return QD_DISTRIBUTION_KINDS;
}

// Copies the values of a row of distributions behind those before it.
static qd_status copy_distribution(qd_store *store, sqlite3_stmt *row, qd_store_distributions *found,
                                   size_t *used) {
    const size_t kind = distribution_named(qdi_sql_text(row, 1));
    if (kind == QD_DISTRIBUTION_KINDS) return QD_OK; // a newer program's
    const int64_t bins = sqlite3_column_int64(row, 5);
    const void *data = sqlite3_column_blob(row, 6);
    for (size_t k = kind; k < QD_DISTRIBUTION_KINDS; ++k)
        if (found->curves[k].bins > 0) return QD_ERR_CORRUPT; // they come in their order, each once
    if (bins < 1 || bins > QD_DISTRIBUTION_BINS_MAX || !data ||
        sqlite3_column_bytes(row, 6) != bins * (int64_t)sizeof(double))
        return QD_ERR_CORRUPT;
    const qd_status status = qdi_reserve(store->allocator, &found->values, &found->room, *used,
                                         *used + (size_t)bins, sizeof *found->values);
    if (status != QD_OK) return status;
    memcpy(found->values + *used, data, (size_t)bins * sizeof(double));
    found->curves[kind] = (qd_curve){.first = sqlite3_column_double(row, 3),
                                     .width = sqlite3_column_double(row, 4),
                                     .bins = (uint32_t)bins};
    *used += (size_t)bins;
    found->step = (uint64_t)sqlite3_column_int64(row, 0);
    found->time = sqlite3_column_double(row, 2);
    return QD_OK;
}

// Tells each distribution where its values are: in the order of the rows, which is that of the kinds.
static void place_values(qd_store_distributions *found) {
    const double *at = found->values;
    for (size_t kind = 0; kind < QD_DISTRIBUTION_KINDS; ++kind) {
        if (found->curves[kind].bins == 0) continue;
        found->curves[kind].values = at;
        at += found->curves[kind].bins;
    }
}

qd_status qd_store_next_distributions(qd_store *store, uint64_t from, qd_store_distributions *found,
                                      qd_error *error) {
    if (!store || !found) return qdi_reason(error, QD_ERR_ARGUMENT, "nowhere to put the distributions");
    *found = (qd_store_distributions){0};
    if (from > QDI_STORE_STEP_MAX) return QD_ERR_NOT_FOUND;
    qd_status status = qdi_store_settle(store, error);
    if (status != QD_OK) return status;
    sqlite3_stmt *row = NULL;
    size_t used = 0;
    int code = qdi_sql_prepare(
        store->db,
        "SELECT step, name, time, first, width, bins, data FROM distributions WHERE step ="
        " (SELECT min(step) FROM distributions WHERE step >= ?) ORDER BY number",
        &row, "u", from);
    if (code == SQLITE_OK) code = sqlite3_step(row);
    const bool any = code == SQLITE_ROW;
    for (; code == SQLITE_ROW && status == QD_OK; code = status == QD_OK ? sqlite3_step(row) : code) {
        status = qdi_sql_check_step(store, row, "distributions", from, QDI_STORE_STEP_MAX, error);
        if (status == QD_OK) found->step = (uint64_t)sqlite3_column_int64(row, 0);
        if (status == QD_OK) status = copy_distribution(store, row, found, &used);
        if (status == QD_OK) continue;
        status = qdi_reason(error, status, "%.300s: table distributions: step %" PRIu64 ": %s", store->path,
                            found->step, qd_status_text(status));
    }
    if (status == QD_OK && code != SQLITE_DONE) status = qdi_sql_fail(store, "read", code, error);
    if (status == QD_OK && !any) status = QD_ERR_NOT_FOUND;
    (void)sqlite3_finalize(row);
    if (status == QD_OK)
        place_values(found);
    else
        qd_store_distributions_free(store, found);
    return status;
}
