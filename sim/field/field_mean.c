// Means of a field over moments. Densities and stresses are means of the moments' own; a velocity is that of
// all mass that was there, temperature and contacts per body those of all bodies that were: so moments count
// as much as they have of what is measured, and empty ones nothing. Sums are in the order of the moments.
#include "sim/field/field_impl.h"

#include "core/base/arithmetic.h"
#include "core/base/bytes.h"
#include "core/base/memory.h"

#include <math.h>
#include <string.h>

/// What the moments of a quantity count by: 1, or the value of another one.
enum { EVENLY = QD_FIELD_QUANTITIES };

/// Means of a field: what a quantity's moments count by.
static size_t weight_of(size_t quantity) {
    switch (quantity) {
    case QD_FIELD_VELOCITY_X:
    case QD_FIELD_VELOCITY_Y: return QD_FIELD_MASS_DENSITY;
    case QD_FIELD_TEMPERATURE:
    case QD_FIELD_CONTACT_NUMBER: return QD_FIELD_NUMBER_DENSITY;
    default: return EVENLY;
    }
}

qd_status qd_field_add(qd_field *field) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!field) return QD_ERR_ARGUMENT;
    const size_t cells = field->cells, numbers = cells * QD_FIELD_QUANTITIES;
    if (!field->added) {
        field->added = qdi_allocate(field->allocator, numbers, sizeof *field->added);
        if (!field->added) return QD_ERR_MEMORY;
    }
    if (field->moments == 0) memset(field->added, 0, numbers * sizeof *field->added);
    field->moments += 1;
    for (size_t q = 0; q < QD_FIELD_QUANTITIES; ++q) {
        const size_t by = weight_of(q);
        const double *values = field->values + q * cells, *weights = field->values + by * cells;
        double *sums = field->added + q * cells;
        for (size_t c = 0; c < cells; ++c) {
            const double weight = by == EVENLY ? 1 : weights[c];
            if (weight != 0) sums[c] += weight * values[c]; // else the value is none
        }
    }
    return QD_OK;
}

qd_status qd_field_average(qd_field *field) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!field) return QD_ERR_ARGUMENT;
    if (field->moments == 0) return QD_ERR_STATE;
    const size_t cells = field->cells;
    for (size_t q = 0; q < QD_FIELD_QUANTITIES; ++q) {
        const size_t by = weight_of(q);
        const double *sums = field->added + q * cells, *weights = field->added + by * cells;
        for (size_t c = 0; c < cells; ++c) {
            const double weight = by == EVENLY ? (double)field->moments : weights[c];
            field->values[q * cells + c] = weight != 0 ? sums[c] / weight
                                                       : (double)NAN; // where it was always empty
        }
    }
    field->moments = 0;
    return QD_OK;
}

size_t qd_field_save_sums(const qd_field *field, unsigned char *bytes) {
    if (!field || field->moments == 0) return 0;
    const size_t numbers = field->cells * QD_FIELD_QUANTITIES;
    if (bytes) {
        qdi_put_u64(&bytes, field->moments);
        for (size_t i = 0; i < numbers; ++i) qdi_put_f64(&bytes, field->added[i]);
    }
    return (1 + numbers) * 8;
}

qd_status qd_field_load_sums(qd_field *field, const unsigned char *bytes, size_t size) {
    if (!field || (!bytes && size > 0)) return QD_ERR_ARGUMENT;
    const size_t numbers = field->cells * QD_FIELD_QUANTITIES;
    field->moments = 0;
    if (size == 0) return QD_OK;
    if (size != (1 + numbers) * 8) return QD_ERR_CORRUPT;
    const qd_status status = qd_field_add(field); // for its room
    if (status != QD_OK) return status;
    field->moments = qdi_get_u64(&bytes);
    for (size_t i = 0; i < numbers; ++i) field->added[i] = qdi_get_f64(&bytes);
    return field->moments > 0 ? QD_OK : QD_ERR_CORRUPT;
}
