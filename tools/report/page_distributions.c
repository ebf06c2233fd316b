#include "tools/report/page_distributions.h"

#include "sim/files/os.h"

#include <math.h>
#include <quadrille/distribution.h>

// Counts the steps that have distributions.
static qd_status count_steps(const qdi_recorded *past, uint64_t *steps, qd_error *error) {
    uint64_t next = 0;
    for (;;) {
        qd_store_distributions found;
        const qd_status status = qd_store_next_distributions(past->store, next, &found, error);
        if (status == QD_ERR_NOT_FOUND) return QD_OK;
        if (status != QD_OK) return status;
        *steps += 1;
        next = found.step + 1;
        qd_store_distributions_free(past->store, &found);
    }
}

// Adds the distributions of a step.
static void put_step(qdi_json *json, const qd_store_distributions *found) {
    qdi_json_open(json, NULL, '{');
    qdi_json_whole(json, "step", found->step);
    qdi_json_open(json, "curves", '[');
    for (int kind = 0; kind < QD_DISTRIBUTION_KINDS; ++kind) {
        const qd_curve *curve = &found->curves[kind];
        qdi_json_open(json, NULL, '{');
        qdi_json_text(json, "name", qd_distribution_name((qd_distribution)kind));
        qdi_json_text(json, "unit", qd_distribution_unit((qd_distribution)kind));
        qdi_json_text(json, "over", qd_distribution_unit_over((qd_distribution)kind));
        qdi_json_real(json, "first", curve->first);
        qdi_json_real(json, "width", curve->width);
        qdi_json_open(json, "values", '[');
        for (uint32_t i = 0; curve->values && i < curve->bins; ++i) {
            char text[32];
            (void)qdi_os_print_double(text, sizeof text, 5, curve->values[i]);
            if (isfinite(curve->values[i]))
                qdi_json_verbatim(json, NULL, text);
            else
                qdi_json_null(json, NULL);
        }
        qdi_json_close(json, ']');
        qdi_json_close(json, '}');
    }
    qdi_json_close(json, ']');
    qdi_json_close(json, '}');
}

qd_status qdi_page_distributions(qdi_json *json, const qdi_recorded *past, qd_error *error) {
    uint64_t steps = 0, next = 0;
    qd_status status = count_steps(past, &steps, error);
    const uint64_t stride = (steps + QDI_PAGE_DISTRIBUTIONS - 1) / QDI_PAGE_DISTRIBUTIONS;
    qdi_json_open(json, "distributions", '[');
    for (uint64_t i = 0; i < steps && status == QD_OK; ++i) {
        qd_store_distributions found;
        status = qd_store_next_distributions(past->store, next, &found, error);
        if (status != QD_OK) break;
        next = found.step + 1;
        if ((steps - 1 - i) % stride == 0) put_step(json, &found);
        qd_store_distributions_free(past->store, &found);
    }
    qdi_json_close(json, ']');
    return status == QD_ERR_NOT_FOUND ? QD_OK : status;
}
