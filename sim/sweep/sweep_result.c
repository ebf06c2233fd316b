#include "sim/sweep/sweep_result.h"

#include "sim/base/number.h"
#include "sim/base/os.h"
#include "sim/base/reason.h"
#include "sim/base/scene_text.h"
#include "sim/scene/yaml.h"

#include <quadrille/metrics.h>
#include <quadrille/store.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Of result.json: where, and under what name. state_hash comes first, for people.
static const struct {
    const char *path[2], *name;
    qdi_sweep_kind kind;
} fields[] = {
    {{"state_hash", NULL}, "state_hash", QDI_SWEEP_TEXT},
    {{"steps", NULL}, "steps", QDI_SWEEP_WHOLE},
    {{"dt", NULL}, "dt", QDI_SWEEP_REAL},
    {{"contacts_total", NULL}, "contacts_total", QDI_SWEEP_WHOLE},
    {{"events_total", NULL}, "events_total", QDI_SWEEP_WHOLE},
    {{"emitted_total", NULL}, "emitted_total", QDI_SWEEP_WHOLE},
    {{"removed_total", NULL}, "removed_total", QDI_SWEEP_WHOLE},
    {{"energy", "first"}, "energy_first", QDI_SWEEP_REAL},
    {{"energy", "last"}, "energy_last", QDI_SWEEP_REAL},
    {{"energy", "balance_error"}, "balance_error", QDI_SWEEP_REAL},
    {{"frames", NULL}, "frames", QDI_SWEEP_WHOLE},
    {{"threads", NULL}, "threads", QDI_SWEEP_WHOLE},
    {{"simd", NULL}, "simd", QDI_SWEEP_TEXT},
    {{"wall_seconds", NULL}, "wall_seconds", QDI_SWEEP_REAL},
    {{"ns_per_body_step", NULL}, "ns_per_body_step", QDI_SWEEP_REAL},
    {{"peak_rss_bytes", NULL}, "peak_rss_bytes", QDI_SWEEP_WHOLE},
};

enum { FIELDS = sizeof fields / sizeof fields[0], RESULT_MAX = 1 << 20 };

bool qdi_sweep_result_column(size_t number, char name[QDI_SWEEP_NAME], qdi_sweep_kind *kind) {
    size_t count = 0;
    const qd_metric_field *metrics = qd_metric_fields(&count);
    if (number < FIELDS) {
        (void)snprintf(name, QDI_SWEEP_NAME, "%s", fields[number].name);
        *kind = fields[number].kind;
        return true;
    }
    number -= FIELDS;
    if (number >= count || number >= QDI_SWEEP_CELLS - FIELDS) return false;
    (void)snprintf(name, QDI_SWEEP_NAME, "last_%s", metrics[number].name);
    *kind = metrics[number].kind == QD_METRIC_REAL ? QDI_SWEEP_REAL : QDI_SWEEP_WHOLE;
    return true;
}

/// A value of the document as a cell; one that is not there, or of another kind, is nothing.
static qdi_sweep_cell read_cell(const qdi_yaml *yaml, qdi_yaml_ref node, qdi_sweep_kind kind) {
    qdi_sweep_cell cell = {.kind = QDI_SWEEP_NOTHING};
    const qdi_yaml_node *here = &yaml->nodes[node];
    if (!node || here->kind != QDI_YAML_VALUE) return cell;
    const char *text = yaml->chars + here->text;
    bool good = kind == QDI_SWEEP_TEXT    ? here->bytes < sizeof cell.text
                : kind == QDI_SWEEP_WHOLE ? qdi_integer_read(text, here->bytes, &cell.whole)
                                          : qdi_number_read(text, here->bytes, &cell.real);
    if (good && kind == QDI_SWEEP_TEXT) memcpy(cell.text, text, here->bytes);
    cell.kind = good ? kind : QDI_SWEEP_NOTHING;
    return cell;
}

static bool read_hash(const qdi_yaml *yaml, qdi_yaml_ref node, uint64_t *hash) {
    static const char digits[] = "0123456789abcdef";
    const qdi_sweep_cell cell = read_cell(yaml, node, QDI_SWEEP_TEXT);
    *hash = 0;
    for (int i = 0; i < 16; ++i) {
        const char *digit = cell.text[i] ? strchr(digits, cell.text[i]) : NULL;
        if (!digit) return false;
        *hash = *hash << 4 | (uint64_t)(digit - digits);
    }
    return cell.text[16] == '\0';
}

static qdi_yaml_ref find(const qdi_yaml *yaml, qdi_yaml_ref root, const char *const path[2]) {
    qdi_yaml_ref node = root;
    for (int i = 0; i < 2 && path[i] && node; ++i) node = qdi_yaml_find(yaml, node, path[i], strlen(path[i]));
    return node;
}

/// JSON is nearly YAML: the reader of scenes reads it.
static qd_status read_document(const char *path, const qdi_text *text, qdi_sweep_result *result,
                               qd_error *error) {
    qdi_yaml yaml = {.allocator = text->allocator};
    qdi_yaml_fault fault = {0};
    qdi_yaml_ref root = 0;
    static const char *const hash_path[2] = {"scene_hash", NULL};
    qd_status status = qdi_yaml_read(&yaml, text->chars ? text->chars : "", text->used, 0, &root, &fault);
    bool good = status == QD_OK && root && yaml.nodes[root].kind == QDI_YAML_MAP &&
                read_hash(&yaml, find(&yaml, root, hash_path), &result->scene_hash);
    for (size_t i = 0; i < FIELDS && good; ++i) {
        result->cells[i] = read_cell(&yaml, find(&yaml, root, fields[i].path), fields[i].kind);
        if (strcmp(fields[i].name, "wall_seconds") == 0) result->wall_seconds = result->cells[i].real;
    }
    good = good && result->cells[0].kind != QDI_SWEEP_NOTHING;
    qdi_yaml_release(&yaml);
    if (status == QD_ERR_MEMORY) return qdi_reason(error, status, "%s", qd_status_text(status));
    return good ? QD_OK : qdi_reason(error, QD_ERR_INVALID, "%.300s is not as a run writes it", path);
}

static qd_status read_result(const char *path, qdi_sweep_result *result, qd_error *error) {
    FILE *file = NULL;
    qd_error why;
    qd_status status = qdi_os_open(path, QDI_OS_OWN, &file, &why);
    if (status == QD_ERR_NOT_FOUND) return qdi_reason(error, status, "there is no %.300s", path);
    if (status != QD_OK) return qdi_reason(error, status, "cannot read %.300s: %.150s", path, why.text);
    qdi_text text = {.allocator = qd_allocator_default()};
    char piece[4096];
    size_t got = 0;
    while (text.used <= RESULT_MAX && (got = fread(piece, 1, sizeof piece, file)) > 0)
        qdi_text_add_bytes(&text, piece, got);
    status = text.status;
    if (status != QD_OK)
        (void)qdi_reason(error, status, "%s", qd_status_text(status));
    else if (ferror(file))
        status = qdi_reason(error, QD_ERR_IO, "cannot read %.300s", path);
    (void)fclose(file);
    if (status == QD_OK) status = read_document(path, &text, result, error);
    qdi_text_release(&text);
    return status;
}

static void read_metrics(const char *path, uint64_t step, qdi_sweep_result *result) {
    qd_store *store = NULL;
    qd_metrics metrics;
    if (qd_store_open(path, QD_STORE_READ, NULL, &store, NULL) != QD_OK) return;
    qd_status status = qd_store_next_metrics(store, step, &metrics, NULL);
    qd_status closed = qd_store_close(store, NULL);
    if (status != QD_OK || closed != QD_OK) return;
    size_t count = 0;
    const qd_metric_field *named = qd_metric_fields(&count);
    for (size_t i = 0; i < count && FIELDS + i < QDI_SWEEP_CELLS; ++i) {
        const char *place = (const char *)&metrics + named[i].offset;
        qdi_sweep_cell *cell = &result->cells[FIELDS + i];
        bool real = named[i].kind == QD_METRIC_REAL;
        if (real)
            memcpy(&cell->real, place, sizeof cell->real);
        else
            memcpy(&cell->whole, place, sizeof cell->whole);
        bool known = real ? isfinite(cell->real) : cell->whole <= INT64_MAX;
        cell->kind = !known ? QDI_SWEEP_NOTHING : real ? QDI_SWEEP_REAL : QDI_SWEEP_WHOLE;
    }
}

qd_status qdi_sweep_result_read(const char *directory, uint64_t metrics_step, qdi_sweep_result *result,
                                qd_error *error) {
    char path[4096 + 32];
    memset(result, 0, sizeof *result);
    (void)snprintf(path, sizeof path, "%.4096s/result.json", directory);
    qd_status status = read_result(path, result, error);
    if (status != QD_OK || metrics_step == UINT64_MAX) return status;
    (void)snprintf(path, sizeof path, "%.4096s/run.db", directory);
    read_metrics(path, metrics_step, result);
    return QD_OK;
}
