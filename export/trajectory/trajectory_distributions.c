// Distributions as a table of separated values: a line for each bin of each recorded step. There is no such
// file where none were recorded.

#include "core/base/arithmetic.h"
#include "export/trajectory/trajectory_impl.h"

#include <math.h>

/// Most bytes of a line.
enum { BIN_LINE = 6 * 32 };

/// One distribution of a step.
typedef struct bins {
    const qd_store_distributions *of;
    qd_distribution kind;
} bins;

// Writes the line of a bin; a value that is none is an empty column.
static char *put_bin(const void *context, size_t bin, char *at) {
    const bins *all = context;
    const qd_curve *curve = &all->of->curves[all->kind];
    at = qdi_put_whole(at, all->of->step);
    *at++ = ',';
    at = qdi_put_real(at, all->of->time);
    *at++ = ',';
    at = qdi_put_word(at, qd_distribution_name(all->kind));
    *at++ = ',';
    at = qdi_put_real(at, curve->first + (double)bin * curve->width);
    *at++ = ',';
    at = qdi_put_real(at, curve->first + (double)(bin + 1) * curve->width);
    *at++ = ',';
    if (!isnan(curve->values[bin])) at = qdi_put_real(at, curve->values[bin]);
    *at++ = '\n';
    return at;
}

qd_status qd_trajectory_add_distributions(qd_trajectory *trajectory, const qd_store_distributions *found,
                                          qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!trajectory || !found || !found->values) return QD_ERR_ARGUMENT;
    if (trajectory->format != QD_TRAJECTORY_CSV || trajectory->finished) return QD_ERR_STATE;
    qd_status status = QD_OK;
    if (trajectory->distributions == 0)
        status = qdi_table_open(trajectory, "distributions.csv", "step,time,name,from,to,value\n",
                                &trajectory->distributions, error);
    if (status != QD_OK) return status;
    qdi_out *out = &trajectory->out[trajectory->distributions];
    for (int kind = 0; kind < QD_DISTRIBUTION_KINDS; ++kind) {
        const bins all = {found, (qd_distribution)kind};
        if (found->curves[kind].values) qdi_out_rows(out, found->curves[kind].bins, BIN_LINE, put_bin, &all);
    }
    if (out->status != QD_OK && error) *error = out->error;
    return out->status;
}
