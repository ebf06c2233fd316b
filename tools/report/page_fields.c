#include "tools/report/page_fields.h"

#include "sim/files/os.h"

#include <math.h>
#include <quadrille/field.h>

// Counts the steps that have fields, and the cells of the largest grid.
static qd_status count_steps(const qdi_recorded *past, uint64_t *steps, uint64_t *cells, qd_error *error) {
    uint64_t next = 0;
    for (;;) {
        qd_store_fields fields;
        qd_status status = qd_store_next_fields(past->store, next, &fields, error);
        if (status == QD_ERR_NOT_FOUND) return QD_OK;
        if (status != QD_OK) return status;
        const uint64_t here = (uint64_t)fields.grid.nx * fields.grid.ny;
        if (here > *cells) *cells = here;
        *steps += 1;
        next = fields.step + 1;
        qd_store_fields_free(past->store, &fields);
    }
}

// Adds the fields of a step.
static void put_step(qdi_json *json, const qd_store_fields *fields) {
    const qd_field_grid *grid = &fields->grid;
    const size_t cells = (size_t)grid->nx * grid->ny;
    qdi_json_open(json, NULL, '{');
    qdi_json_whole(json, "step", fields->step);
    qdi_json_real(json, "time", fields->time);
    qdi_json_open(json, "grid", '[');
    qdi_json_real(json, NULL, grid->x);
    qdi_json_real(json, NULL, grid->y);
    qdi_json_real(json, NULL, grid->width);
    qdi_json_real(json, NULL, grid->height);
    qdi_json_whole(json, NULL, grid->nx);
    qdi_json_whole(json, NULL, grid->ny);
    qdi_json_close(json, ']');
    qdi_json_open(json, "values", '[');
    for (size_t q = 0; q < QD_FIELD_QUANTITIES; ++q) {
        qdi_json_open(json, NULL, '[');
        for (size_t c = 0; c < cells; ++c) {
            const double value = fields->values[q * cells + c];
            char text[32];
            (void)qdi_os_print_double(text, sizeof text, 5, value);
            if (isfinite(value))
                qdi_json_verbatim(json, NULL, text);
            else
                qdi_json_null(json, NULL);
        }
        qdi_json_close(json, ']');
    }
    qdi_json_close(json, ']');
    qdi_json_close(json, '}');
}

// Adds every `stride`-th of the steps, counted from the last.
static qd_status put_steps(qdi_json *json, const qdi_recorded *past, uint64_t steps, uint64_t stride,
                           qd_error *error) {
    uint64_t next = 0;
    for (uint64_t i = 0; i < steps; ++i) {
        qd_store_fields fields;
        qd_status status = qd_store_next_fields(past->store, next, &fields, error);
        if (status == QD_ERR_NOT_FOUND) return QD_OK;
        if (status != QD_OK) return status;
        next = fields.step + 1;
        if ((steps - 1 - i) % stride == 0) put_step(json, &fields);
        qd_store_fields_free(past->store, &fields);
    }
    return QD_OK;
}

qd_status qdi_page_fields(qdi_json *json, const qdi_recorded *past, qd_error *error) {
    uint64_t steps = 0, cells = 1;
    qd_status status = count_steps(past, &steps, &cells, error);
    if (status != QD_OK) return status;
    const uint64_t most = QDI_PAGE_FIELD_VALUES / (cells * QD_FIELD_QUANTITIES);
    const uint64_t stride = most > 0 ? (steps + most - 1) / most : steps;
    qdi_json_open(json, "fields", '{');
    qdi_json_open(json, "names", '[');
    for (int q = 0; q < QD_FIELD_QUANTITIES; ++q)
        qdi_json_text(json, NULL, qd_field_name((qd_field_quantity)q));
    qdi_json_close(json, ']');
    qdi_json_open(json, "units", '[');
    for (int q = 0; q < QD_FIELD_QUANTITIES; ++q)
        qdi_json_text(json, NULL, qd_field_unit((qd_field_quantity)q));
    qdi_json_close(json, ']');
    qdi_json_whole(json, "all", steps);
    qdi_json_open(json, "rows", '[');
    if (steps > 0) status = put_steps(json, past, steps, stride, error);
    qdi_json_close(json, ']');
    qdi_json_close(json, '}');
    return status;
}
