// Columns of a sweep's table that are means of recorded fields, see sweep_field.h.
#include "sim/sweep/sweep_field.h"

#include "core/base/memory.h"
#include "sim/sweep/sweep_impl.h"
#include "sim/text/reason.h"
#include "sim/text/suggest.h"

#include <quadrille/field.h>
#include <quadrille/store.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/// Sweep's columns of fields: the name of a quantity, NULL past the last.
static const char *quantity_name(size_t quantity) {
    return quantity == QD_FIELD_QUANTITIES ? "pressure" : qd_field_name((qd_field_quantity)quantity);
}

// ---- the sweep's file ----

// Reads the quantity of a column.
static qd_status read_quantity(const qdi_sweep_reader *reader, qdi_yaml_ref node, size_t *quantity) {
    const qdi_yaml_node *here = &reader->yaml.nodes[node];
    const char *text = reader->yaml.chars + here->text;
    qdi_suggestion best = {NULL, 0};
    for (size_t q = 0; here->kind == QDI_YAML_VALUE && q <= QD_FIELD_QUANTITIES; ++q) {
        const char *name = quantity_name(q);
        if (strlen(name) == here->bytes && memcmp(name, text, here->bytes) == 0) {
            *quantity = q;
            return QD_OK;
        }
        qdi_suggest(&best, text, here->bytes, name, strlen(name));
    }
    char quote[QDI_QUOTE_ROOM];
    qdi_quote(quote, text, here->kind == QDI_YAML_VALUE ? here->bytes : 0);
    return qdi_sweep_complain(reader, node, "field: \"%s\" is no quantity of fields%s%s%s", quote,
                              best.word ? "; did you mean \"" : "", best.word ? best.word : "",
                              best.word ? "\"?" : "");
}

// Reads the cell of a column.
static qd_status read_cell(const qdi_sweep_reader *reader, qdi_yaml_ref list, qdi_sweep_field *field) {
    const qdi_yaml *yaml = &reader->yaml;
    const bool is_list = yaml->nodes[list].kind == QDI_YAML_LIST;
    const qdi_yaml_ref first = is_list ? yaml->nodes[list].first : 0,
                       second = first ? yaml->nodes[first].next : 0;
    if (!second || yaml->nodes[second].next)
        return qdi_sweep_complain(reader, list,
                                  "cell must be two numbers from 0, along x and along y: [3, 0]");
    field->one = true;
    qd_status status = qdi_sweep_whole(reader, first, "cell", 0, QD_FIELD_SIDE_MAX - 1, &field->cell[0]);
    return status == QD_OK
               ? qdi_sweep_whole(reader, second, "cell", 0, QD_FIELD_SIDE_MAX - 1, &field->cell[1])
               : status;
}

// Keeps the name of a column: what is asked for, or what it is.
static qd_status keep_name(const qdi_sweep_reader *reader, qdi_yaml_ref node, qdi_sweep_field *field) {
    char made[QDI_SWEEP_NAME];
    const qdi_yaml_node *here = &reader->yaml.nodes[node];
    const char *text = reader->yaml.chars + here->text;
    size_t bytes = here->bytes;
    if (!node) {
        const char *name = quantity_name(field->quantity);
        bytes = (size_t)(field->one ? snprintf(made, sizeof made, "%s_%" PRIu64 "_%" PRIu64, name,
                                               field->cell[0], field->cell[1])
                                    : snprintf(made, sizeof made, "%s_mean", name));
        text = made;
    } else {
        bool good = here->kind == QDI_YAML_VALUE && bytes > 0 && bytes < QDI_SWEEP_NAME;
        for (size_t i = 0; good && i < bytes; ++i)
            good = (text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z') ||
                   text[i] == '_' || (i > 0 && text[i] >= '0' && text[i] <= '9');
        if (!good)
            return qdi_sweep_complain(reader, node, "name of a column must be up to %d letters, digits and _",
                                      QDI_SWEEP_NAME - 1);
    }
    char name[QDI_SWEEP_NAME];
    qdi_sweep_kind kind;
    for (size_t i = 0; qdi_sweep_table_column(reader->sweep, i, name, &kind); ++i)
        if (strlen(name) == bytes && memcmp(name, text, bytes) == 0)
            return qdi_sweep_complain(reader, node, "there are two columns %s: give one a name of its own",
                                      name);
    return qdi_sweep_keep(reader->sweep, text, bytes, &field->name);
}

// Reads a column of fields.
static qd_status read_field(const qdi_sweep_reader *reader, qdi_yaml_ref item) {
    qdi_sweep *sweep = reader->sweep;
    qd_status status = qdi_sweep_known(reader, item, "a column", "field cell rows name");
    if (status != QD_OK) return status;
    const qdi_yaml_ref quantity = qdi_sweep_child(reader, item, "field"),
                       cell = qdi_sweep_child(reader, item, "cell"),
                       rows = qdi_sweep_child(reader, item, "rows"),
                       name = qdi_sweep_child(reader, item, "name");
    qdi_sweep_field field = {.rows = 1};
    if (!quantity) return qdi_sweep_complain(reader, item, "a column needs a field, such as area_fraction");
    if (sweep->field_count == QDI_SWEEP_FIELDS)
        return qdi_sweep_complain(reader, item, "there are more than %d columns", QDI_SWEEP_FIELDS);
    status = read_quantity(reader, quantity, &field.quantity);
    if (status == QD_OK && cell) status = read_cell(reader, cell, &field);
    if (status == QD_OK && rows)
        status = qdi_sweep_whole(reader, rows, "rows", 1, QDI_SWEEP_FIELD_ROWS, &field.rows);
    if (status == QD_OK) status = keep_name(reader, name, &field);
    if (status == QD_OK)
        status = qdi_reserve(sweep->allocator, &sweep->fields, &sweep->field_room, sweep->field_count,
                             sweep->field_count + 1, sizeof *sweep->fields);
    if (status == QD_OK) sweep->fields[sweep->field_count++] = field;
    return status;
}

qd_status qdi_sweep_fields_take(const qdi_sweep_reader *reader, qdi_yaml_ref list) {
    const qdi_yaml *yaml = &reader->yaml;
    if (yaml->nodes[list].kind != QDI_YAML_LIST)
        return qdi_sweep_complain(reader, list, "columns must be a list (- field: ...)");
    qd_status status = QD_OK;
    for (qdi_yaml_ref child = yaml->nodes[list].first; child && status == QD_OK;
         child = yaml->nodes[child].next)
        status = read_field(reader, child);
    return status;
}

bool qdi_sweep_table_column(const qdi_sweep *sweep, size_t number, char name[QDI_SWEEP_NAME],
                            qdi_sweep_kind *kind) {
    if (qdi_sweep_result_column(number, name, kind)) return true;
    size_t results = 0;
    while (qdi_sweep_result_column(results, name, kind)) ++results;
    if (number - results >= sweep->field_count) return false;
    (void)snprintf(name, QDI_SWEEP_NAME, "%s", sweep->texts.chars + sweep->fields[number - results].name);
    *kind = QDI_SWEEP_REAL;
    return true;
}

// ---- a point ----

qd_status qdi_sweep_fields_check(const qdi_sweep *sweep, const qd_scene *scene, qd_error *error) {
    const qd_scene_run run = qd_scene_run_settings(scene);
    bool any = run.record_fields > 0;
    for (size_t k = 0; k < qd_scene_stages(scene); ++k)
        any = any || qd_scene_stage_run(scene, k).record_fields > 0;
    if (sweep->field_count > 0 && !any)
        return qdi_reason(error, QD_ERR_INVALID,
                          "the sweep has columns of fields, but record.fields.every is 0");
    for (size_t i = 0; i < sweep->field_count; ++i) {
        const qdi_sweep_field *field = &sweep->fields[i];
        if (!field->one ||
            (field->cell[0] < (uint64_t)run.field_cells[0] && field->cell[1] < (uint64_t)run.field_cells[1]))
            continue;
        return qdi_reason(error, QD_ERR_INVALID,
                          "column %s: there is no cell [%" PRIu64 ", %" PRIu64 "] among %d by %d",
                          sweep->texts.chars + field->name, field->cell[0], field->cell[1],
                          run.field_cells[0], run.field_cells[1]);
    }
    return QD_OK;
}

/// Sweep's columns of fields: a quantity in a cell.
static double value_in_cell(const qd_store_fields *row, size_t quantity, size_t cell) {
    const size_t cells = (size_t)row->grid.nx * row->grid.ny;
    if (quantity < QD_FIELD_QUANTITIES) return row->values[quantity * cells + cell];
    static const qd_field_quantity parts[] = {QD_FIELD_KINETIC_XX, QD_FIELD_KINETIC_YY, QD_FIELD_CONTACT_XX,
                                              QD_FIELD_CONTACT_YY};
    double sum = 0;
    for (size_t k = 0; k < 4; ++k) sum += row->values[(size_t)parts[k] * cells + cell];
    return 0.5 * sum;
}

/// Sweep's columns of fields: what a column is in a row: NaN where no cell has a value.
static double value_in_row(const qdi_sweep_field *field, const qd_store_fields *row) {
    const size_t cells = (size_t)row->grid.nx * row->grid.ny;
    if (field->one && (field->cell[0] >= row->grid.nx || field->cell[1] >= row->grid.ny)) return (double)NAN;
    if (field->one)
        return value_in_cell(row, field->quantity, field->cell[1] * row->grid.nx + field->cell[0]);
    double sum = 0, count = 0;
    for (size_t c = 0; c < cells; ++c) {
        const double value = value_in_cell(row, field->quantity, c);
        if (!isnan(value)) sum += value, count += 1;
    }
    return count > 0 ? sum / count : (double)NAN;
}

/// Sweep's columns of fields: the last values of all columns, each in so many places as it has rows.
typedef struct window {
    double *values[QDI_SWEEP_FIELDS];
    uint64_t seen;
} window;

// Frees the values of columns.
static void free_window(const qdi_sweep *sweep, window *all) {
    for (size_t i = 0; i < sweep->field_count; ++i)
        qdi_release(sweep->allocator, all->values[i], sweep->fields[i].rows, sizeof *all->values[i]);
}

// Makes room for the values of columns.
static qd_status make_window(const qdi_sweep *sweep, window *all) {
    bool made = true;
    for (size_t i = 0; i < sweep->field_count; ++i) {
        all->values[i] = qdi_allocate(sweep->allocator, sweep->fields[i].rows, sizeof *all->values[i]);
        made = made && all->values[i];
    }
    return made ? QD_OK : QD_ERR_MEMORY;
}

/// Sweep's columns of fields: takes the values of all rows of a run.
static qd_status take_rows(const qdi_sweep *sweep, qd_store *store, window *all, qd_error *error) {
    for (uint64_t from = 0;;) {
        qd_store_fields row;
        const qd_status status = qd_store_next_fields(store, from, &row, error);
        if (status == QD_ERR_NOT_FOUND) return QD_OK;
        if (status != QD_OK) return status;
        for (size_t i = 0; i < sweep->field_count; ++i)
            all->values[i][all->seen % sweep->fields[i].rows] = value_in_row(&sweep->fields[i], &row);
        all->seen += 1;
        from = row.step + 1;
        qd_store_fields_free(store, &row);
    }
}

/// Sweep's columns of fields: adds the means as cells, in the order of the rows.
static void add_means(const qdi_sweep *sweep, const window *all, qdi_text *cells) {
    for (size_t i = 0; i < sweep->field_count; ++i) {
        const uint64_t rows = sweep->fields[i].rows, kept = all->seen < rows ? all->seen : rows;
        double sum = 0, count = 0;
        for (uint64_t k = all->seen - kept; k < all->seen; ++k) {
            const double value = all->values[i][k % rows];
            if (!isnan(value)) sum += value, count += 1;
        }
        if (count > 0 && isfinite(sum)) qdi_text_add_number(cells, sum / count);
        qdi_text_add_bytes(cells, "", 1);
    }
}

qd_status qdi_sweep_fields_read(const qdi_sweep *sweep, const char *directory, qdi_text *cells,
                                qd_error *error) {
    if (sweep->field_count == 0) return QD_OK;
    char path[4096 + 32];
    (void)snprintf(path, sizeof path, "%.4096s/run.db", directory);
    qd_store *store = NULL;
    window all = {.seen = 0};
    qd_status status = make_window(sweep, &all);
    if (status == QD_OK) status = qd_store_open(path, QD_STORE_READ, NULL, &store, error);
    if (status == QD_OK) {
        status = take_rows(sweep, store, &all, error);
        const qd_status closed = qd_store_close(store, NULL);
        (void)closed; // it was only read
    }
    // As of the metrics: what cannot be read leaves cells empty.
    if (status == QD_ERR_NOT_FOUND || status == QD_ERR_CORRUPT || status == QD_ERR_INVALID) {
        all.seen = 0;
        status = QD_OK;
    }
    if (status == QD_OK) add_means(sweep, &all, cells);
    free_window(sweep, &all);
    if (status == QD_OK) status = cells->status;
    return status == QD_ERR_MEMORY ? qdi_reason(error, status, "%s", qd_status_text(status)) : status;
}
