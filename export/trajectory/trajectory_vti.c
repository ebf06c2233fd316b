// Fields as VTK image data: a file for each recorded step, whose cells have the values, and a .pvd that says
// the times. A value that is none is NaN.

#include "core/base/memory.h"
#include "export/trajectory/trajectory_impl.h"
#include "export/trajectory/trajectory_vtp.h"

#include <stdio.h>

enum { NAME_SIZE = 64 };

static const char fields_list[] = "fields.pvd";

// The value of a cell in a quantity.
static double field_of(const void *context, qd_field_quantity quantity, size_t cell) {
    const qd_store_fields *fields = context;
    return fields->values[(size_t)quantity * fields->grid.nx * fields->grid.ny + cell];
}

// Writes the time of the fields.
static char *put_fields_time(const void *context, size_t i, char *at) {
    (void)i;
    return qdi_vtp_put_real(at, ((const qd_store_fields *)context)->time);
}

// Writes the step of the fields.
static char *put_fields_step(const void *context, size_t i, char *at) {
    (void)i;
    return qdi_vtp_put_whole(at, ((const qd_store_fields *)context)->step);
}

// Writes a tensor of the plane, row by row, with noughts for the third axis.
static char *put_tensor(char *at, const void *context, const qd_field_quantity part[4], size_t cell) {
    for (int k = 0; k < 9; ++k) {
        const bool flat = k % 3 == 2 || k / 3 == 2;
        at = qdi_vtp_put_real(at, flat ? 0 : field_of(context, part[k / 3 * 2 + k % 3], cell));
    }
    return at;
}

#define SCALAR(name, quantity)                                                                               \
    static char *name(const void *context, size_t i, char *at) {                                             \
        return qdi_vtp_put_real(at, field_of(context, quantity, i));                                         \
    }

SCALAR(put_number_density, QD_FIELD_NUMBER_DENSITY)
SCALAR(put_mass_density, QD_FIELD_MASS_DENSITY)
SCALAR(put_area_fraction, QD_FIELD_AREA_FRACTION)
SCALAR(put_temperature, QD_FIELD_TEMPERATURE)
SCALAR(put_contact_number, QD_FIELD_CONTACT_NUMBER)

// Writes the velocity of a cell.
static char *put_velocity(const void *context, size_t i, char *at) {
    at = qdi_vtp_put_real(at, field_of(context, QD_FIELD_VELOCITY_X, i));
    at = qdi_vtp_put_real(at, field_of(context, QD_FIELD_VELOCITY_Y, i));
    return qdi_vtp_put_real(at, 0);
}

// Writes the kinetic stress of a cell, which is symmetric.
static char *put_kinetic(const void *context, size_t i, char *at) {
    static const qd_field_quantity parts[] = {QD_FIELD_KINETIC_XX, QD_FIELD_KINETIC_XY, QD_FIELD_KINETIC_XY,
                                              QD_FIELD_KINETIC_YY};
    return put_tensor(at, context, parts, i);
}

// Writes the contact stress of a cell.
static char *put_contact_stress(const void *context, size_t i, char *at) {
    static const qd_field_quantity parts[] = {QD_FIELD_CONTACT_XX, QD_FIELD_CONTACT_XY, QD_FIELD_CONTACT_YX,
                                              QD_FIELD_CONTACT_YY};
    return put_tensor(at, context, parts, i);
}

// Writes the fields of a step to an open file.
static void write_image(qdi_out *out, const qd_store_fields *fields) {
    const size_t n = (size_t)fields->grid.nx * fields->grid.ny;
    const qdi_vtp_array arrays[] = {
        {QDI_VTP_FIELD, "TimeValue", QDI_VTP_FLOAT64, 1, 1, put_fields_time},
        {QDI_VTP_FIELD, "Step", QDI_VTP_UINT64, 1, 1, put_fields_step},
        {QDI_VTP_CELL_DATA, "number_density", QDI_VTP_FLOAT64, 1, n, put_number_density},
        {QDI_VTP_CELL_DATA, "mass_density", QDI_VTP_FLOAT64, 1, n, put_mass_density},
        {QDI_VTP_CELL_DATA, "area_fraction", QDI_VTP_FLOAT64, 1, n, put_area_fraction},
        {QDI_VTP_CELL_DATA, "velocity", QDI_VTP_FLOAT64, 3, n, put_velocity},
        {QDI_VTP_CELL_DATA, "temperature", QDI_VTP_FLOAT64, 1, n, put_temperature},
        {QDI_VTP_CELL_DATA, "kinetic", QDI_VTP_FLOAT64, 9, n, put_kinetic},
        {QDI_VTP_CELL_DATA, "contact", QDI_VTP_FLOAT64, 9, n, put_contact_stress},
        {QDI_VTP_CELL_DATA, "contact_number", QDI_VTP_FLOAT64, 1, n, put_contact_number},
    };
    qdi_vtp_write(out, &(qdi_vtp_piece){.image = &fields->grid,
                                        .arrays = arrays,
                                        .array_count = sizeof arrays / sizeof arrays[0],
                                        .context = fields});
}

// The name of the fields' file of a number.
static void vti_file_name(char name[NAME_SIZE], size_t number) {
    (void)snprintf(name, NAME_SIZE, "fields_%06zu.vti", number);
}

qd_status qdi_vti_add(qd_trajectory *trajectory, const qd_store_fields *fields, qd_error *error) {
    const size_t number = trajectory->field_count;
    qd_status status = qdi_reserve(trajectory->allocator, &trajectory->field_times, &trajectory->field_room,
                                   number, number + 1, sizeof *trajectory->field_times);
    if (status != QD_OK) return status;
    trajectory->field_times[number] = fields->time;
    qdi_out *out = &trajectory->out[0];
    char name[NAME_SIZE];
    vti_file_name(name, number);
    status = qdi_out_open(out, trajectory->allocator, trajectory->team, trajectory->directory, name, error);
    if (status != QD_OK) return status;
    write_image(out, fields);
    status = qdi_vtp_publish(trajectory, out, false, error);
    if (status == QD_OK) trajectory->field_count = number + 1;
    return status;
}

qd_status qdi_vti_finish(qd_trajectory *trajectory, qd_error *error) {
    qdi_out *out = &trajectory->out[0];
    if (trajectory->field_count == 0) return QD_OK;
    qd_status status = qdi_out_open(out, trajectory->allocator, trajectory->team, trajectory->directory,
                                    fields_list, error);
    if (status != QD_OK) return status;
    qdi_vtp_list(out, trajectory->field_times, trajectory->field_count, "fields", "vti");
    return qdi_vtp_publish(trajectory, out, true, error);
}

void qdi_vti_discard(qd_trajectory *trajectory) {
    char name[NAME_SIZE];
    for (size_t i = 0; i < trajectory->field_count; ++i) {
        vti_file_name(name, i);
        qdi_vtp_remove(trajectory, name);
    }
    if (trajectory->field_count > 0) qdi_vtp_remove(trajectory, fields_list);
}
