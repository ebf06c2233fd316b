#include "sim/sweep/sweep_result.h"

#include "sim/files/os.h"
#include "sim/scene/yaml.h"
#include "sim/text/number.h"
#include "sim/text/reason.h"
#include "sim/text/scene_text.h"

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
    {{"ended_by", NULL}, "ended_by", QDI_SWEEP_TEXT},
};

enum { FIELDS = sizeof fields / sizeof fields[0], RESULT_MAX = 1 << 20, TEXT_MAX = 24 };

bool qdi_sweep_result_column(size_t number, char name[QDI_SWEEP_NAME], qdi_sweep_kind *kind) {
    size_t count = 0;
    const qd_metric_field *metrics = qd_metric_fields(&count);
    if (number < FIELDS) {
        (void)snprintf(name, QDI_SWEEP_NAME, "%s", fields[number].name);
        *kind = fields[number].kind;
        return true;
    }
    number -= FIELDS;
    if (number >= count) return false;
    (void)snprintf(name, QDI_SWEEP_NAME, "last_%s", metrics[number].name);
    *kind = metrics[number].kind == QD_METRIC_REAL ? QDI_SWEEP_REAL : QDI_SWEEP_WHOLE;
    return true;
}

// Ends a cell in the row of a sweep's table.
static void end_cell(qdi_text *cells) {
    qdi_text_add_bytes(cells, "", 1);
}

/// Sweep's results: adds a value of the document as a cell; one that is not there, or of another kind, is
/// empty.
static void add_cell(const qdi_yaml *yaml, qdi_yaml_ref node, qdi_sweep_kind kind, qdi_text *cells) {
    const qdi_yaml_node *here = &yaml->nodes[node];
    const char *text = yaml->chars + here->text;
    size_t bytes = node && here->kind == QDI_YAML_VALUE ? here->bytes : 0;
    double real = 0;
    uint64_t whole = 0;
    if (kind == QDI_SWEEP_TEXT && bytes < TEXT_MAX)
        qdi_text_add_bytes(cells, text, bytes);
    else if (kind == QDI_SWEEP_WHOLE && qdi_integer_read(text, bytes, &whole))
        qdi_text_add_integer(cells, whole);
    else if (kind == QDI_SWEEP_REAL && qdi_number_read(text, bytes, &real))
        qdi_text_add_number(cells, real);
    end_cell(cells);
}

// A key of a point's result.json.
static qdi_yaml_ref find_result_key(const qdi_yaml *yaml, qdi_yaml_ref root, const char *const path[2]) {
    qdi_yaml_ref node = root;
    for (int i = 0; i < 2 && path[i] && node; ++i) node = qdi_yaml_find(yaml, node, path[i], strlen(path[i]));
    return node;
}

/// What of result.json is needed here.
typedef struct found_result {
    uint64_t scene_hash, steps;
} found_result;

/// JSON is nearly YAML: the reader of scenes reads it.
static qd_status read_document(const char *path, const qdi_text *text, found_result *found, qdi_text *cells,
                               qd_error *error) {
    qdi_yaml yaml = {.allocator = text->allocator};
    qdi_yaml_fault fault = {0};
    qdi_yaml_ref root = 0;
    static const char *const hash_path[2] = {"scene_hash", NULL};
    qd_status status = qdi_yaml_read(&yaml, text->chars ? text->chars : "", text->used, 0, &root, &fault);
    bool good = status == QD_OK && root && yaml.nodes[root].kind == QDI_YAML_MAP;
    if (good) {
        const qdi_yaml_node *hash = &yaml.nodes[find_result_key(&yaml, root, hash_path)],
                            *state = &yaml.nodes[find_result_key(&yaml, root, fields[0].path)];
        good = hash != yaml.nodes && hash->kind == QDI_YAML_VALUE &&
               qdi_hash_read(yaml.chars + hash->text, hash->bytes, &found->scene_hash) &&
               state != yaml.nodes && state->kind == QDI_YAML_VALUE && state->bytes < TEXT_MAX;
    }
    static const char *const steps_path[2] = {"steps", NULL};
    const qdi_yaml_node *steps = good ? &yaml.nodes[find_result_key(&yaml, root, steps_path)] : NULL;
    if (steps && (steps == yaml.nodes || steps->kind != QDI_YAML_VALUE ||
                  !qdi_integer_read(yaml.chars + steps->text, steps->bytes, &found->steps)))
        found->steps = UINT64_MAX;
    for (size_t i = 0; i < FIELDS && good && cells; ++i)
        add_cell(&yaml, find_result_key(&yaml, root, fields[i].path), fields[i].kind, cells);
    qdi_yaml_release(&yaml);
    if (status == QD_ERR_MEMORY) return qdi_reason(error, status, "%s", qd_status_text(status));
    return good ? QD_OK : qdi_reason(error, QD_ERR_INVALID, "%.300s is not as a run writes it", path);
}

// Reads result.json of a point.
static qd_status read_point_result(const char *path, found_result *found, qdi_text *cells, qd_error *error) {
    FILE *file = NULL;
    qd_error why;
    qd_status status = qdi_os_open(path, QDI_OS_OWN, &file, &why);
    if (status == QD_ERR_NOT_FOUND) return qdi_reason(error, status, "there is no %.300s", path);
    if (status != QD_OK) return qdi_reason(error, status, "cannot read %.300s: %.150s", path, why.text);
    qdi_text text = {.allocator = qd_allocator_default()};
    bool read = qdi_text_add_file(&text, file, RESULT_MAX);
    status = text.status;
    if (status != QD_OK)
        (void)qdi_reason(error, status, "%s", qd_status_text(status));
    else if (!read)
        status = qdi_reason(error, QD_ERR_IO, "cannot read %.300s", path);
    (void)fclose(file);
    if (status == QD_OK) status = read_document(path, &text, found, cells, error);
    qdi_text_release(&text);
    return status;
}

/// Sweep's results: reads the metrics of a step; `known` where there are any that can be read at all.
static qd_status read_metrics(const char *path, uint64_t step, qd_metrics *metrics, bool *known,
                              qd_error *error) {
    qd_store *store = NULL;
    *known = false;
    if (step == UINT64_MAX) return QD_OK;
    qd_status status = qd_store_open(path, QD_STORE_READ, NULL, &store, error);
    if (status == QD_OK) {
        status = qd_store_next_metrics(store, step, metrics, error);
        qd_status closed = qd_store_close(store, NULL);
        (void)closed; // it was only read
    }
    *known = status == QD_OK;
    const bool none = status == QD_ERR_NOT_FOUND || status == QD_ERR_CORRUPT || status == QD_ERR_INVALID;
    return none ? QD_OK : status;
}

// Adds the metrics of a point's last step to its row.
static void add_metric_cells(const qd_metrics *metrics, bool known, qdi_text *cells) {
    size_t count = 0;
    const qd_metric_field *named = qd_metric_fields(&count);
    for (size_t i = 0; i < count; ++i) {
        const char *place = (const char *)metrics + named[i].offset;
        double real = 0;
        uint64_t whole = 0;
        bool is_real = named[i].kind == QD_METRIC_REAL;
        if (known && is_real)
            memcpy(&real, place, sizeof real);
        else if (known)
            memcpy(&whole, place, sizeof whole);
        if (known && is_real && isfinite(real)) qdi_text_add_number(cells, real);
        if (known && !is_real && whole <= INT64_MAX) qdi_text_add_integer(cells, whole);
        end_cell(cells);
    }
}

qd_status qdi_sweep_result_read(const char *directory, uint64_t scene_hash, uint64_t metrics_every,
                                qdi_text *cells, qd_error *error) {
    char path[4096 + 32];
    found_result found = {0};
    qd_metrics metrics;
    (void)snprintf(path, sizeof path, "%.4096s/result.json", directory);
    qd_status status = read_point_result(path, &found, cells, error);
    if (status != QD_OK) return status;
    if (found.scene_hash != scene_hash)
        return qdi_reason(error, QD_ERR_INVALID, "%.300s holds a run of another scene", directory);
    if (!cells) return QD_OK;
    (void)snprintf(path, sizeof path, "%.4096s/run.db", directory);
    uint64_t last = UINT64_MAX;
    if (metrics_every > 0 && found.steps != UINT64_MAX) last = found.steps - found.steps % metrics_every;
    bool known = false;
    status = read_metrics(path, last, &metrics, &known, error);
    if (status != QD_OK) return status;
    add_metric_cells(&metrics, known, cells);
    return cells->status == QD_OK ? QD_OK
                                  : qdi_reason(error, cells->status, "%s", qd_status_text(cells->status));
}
