// Fields as a table of separated values: a line for each cell of each recorded step. There is no such file
// where no fields were recorded.

#include "core/base/arithmetic.h"
#include "export/trajectory/trajectory_impl.h"

#include <math.h>

/// Most bytes of a line.
enum { FIELD_LINE = (QD_FIELD_QUANTITIES + 5) * 32 };

// Writes the line of a cell; a value that is none is an empty column.
static char *put_cell(const void *context, size_t cell, char *at) {
    const qd_store_fields *fields = context;
    const qd_field_grid *grid = &fields->grid;
    const size_t cells = (size_t)grid->nx * grid->ny;
    at = qdi_put_whole(at, fields->step);
    *at++ = ',';
    at = qdi_put_real(at, fields->time);
    *at++ = ',';
    at = qdi_put_real(at, grid->x + ((double)(cell % grid->nx) + 0.5) * grid->width);
    *at++ = ',';
    at = qdi_put_real(at, grid->y + ((double)(cell / grid->nx) + 0.5) * grid->height);
    for (size_t q = 0; q < QD_FIELD_QUANTITIES; ++q) {
        const double value = fields->values[q * cells + cell];
        *at++ = ',';
        if (!isnan(value)) at = qdi_put_real(at, value);
    }
    *at++ = '\n';
    return at;
}

qd_status qdi_table_open(qd_trajectory *trajectory, const char *name, const char *head, size_t *number,
                         qd_error *error) {
    qdi_out *out = &trajectory->out[trajectory->opened];
    const qd_status status = qdi_out_open(out, trajectory->allocator, trajectory->team, trajectory->directory,
                                          name, error);
    if (status != QD_OK) return status;
    *number = trajectory->opened++;
    qdi_out_text(out, head);
    return QD_OK;
}

// Opens the table of fields.
static qd_status open_fields(qd_trajectory *trajectory, qd_error *error) {
    const qd_status status = qdi_table_open(trajectory, "fields.csv", "step,time,x,y", &trajectory->fields,
                                            error);
    if (status != QD_OK) return status;
    qdi_out *out = &trajectory->out[trajectory->fields];
    for (int q = 0; q < QD_FIELD_QUANTITIES; ++q) {
        qdi_out_text(out, ",");
        qdi_out_text(out, qd_field_name((qd_field_quantity)q));
    }
    qdi_out_text(out, "\n");
    return QD_OK;
}

// Adds an image of the fields of a step; a failure stays the trajectory's.
static qd_status add_image(qd_trajectory *trajectory, const qd_store_fields *fields, qd_error *error) {
    if (trajectory->status == QD_OK) trajectory->status = qdi_vti_add(trajectory, fields, &trajectory->error);
    if (trajectory->status != QD_OK && error) *error = trajectory->error;
    return trajectory->status;
}

qd_status qd_trajectory_add_fields(qd_trajectory *trajectory, const qd_store_fields *fields,
                                   qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!trajectory || !fields || !fields->values) return QD_ERR_ARGUMENT;
    if (trajectory->format == QD_TRAJECTORY_VTP && !trajectory->finished)
        return add_image(trajectory, fields, error);
    if (trajectory->format != QD_TRAJECTORY_CSV || trajectory->finished) return QD_ERR_STATE;
    const qd_status status = trajectory->fields > 0 ? QD_OK : open_fields(trajectory, error);
    if (status != QD_OK) return status;
    qdi_out *out = &trajectory->out[trajectory->fields];
    qdi_out_rows(out, (size_t)fields->grid.nx * fields->grid.ny, FIELD_LINE, put_cell, fields);
    if (out->status != QD_OK && error) *error = out->error;
    return out->status;
}
