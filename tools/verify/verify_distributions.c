#include "tools/verify/verify_distributions.h"

#include "sim/text/number.h"

#include <math.h>
#include <stdio.h>

qd_status qdi_distribution_check_next(qdi_distribution_check *check, uint64_t from, qd_error *error) {
    qd_store_distributions_free(check->past->store, &check->next);
    const qd_status status = qd_store_next_distributions(check->past->store, from, &check->next, error);
    check->there = status == QD_OK;
    return status == QD_ERR_NOT_FOUND ? QD_OK : status;
}

bool qdi_distribution_check_samples(const qdi_recorded *past) {
    bool any = past->plan.record_distributions > 0 && past->plan.distribution_sample > 0;
    for (size_t k = 0; k < qd_scene_stages(past->scene); ++k) {
        const qd_scene_run plan = qd_scene_stage_run(past->scene, k);
        any = any || (plan.record_distributions > 0 && plan.distribution_sample > 0);
    }
    return any;
}

qd_status qdi_distribution_check_moment(qdi_distribution_check *check, const qd_world *world) {
    const qd_scene_run plan = qd_scene_stage_run(check->past->scene, (size_t)qd_world_stage(world));
    const uint64_t step = qd_world_steps(world);
    if (plan.record_distributions == 0) return QD_OK;
    const bool row = step % plan.record_distributions == 0,
               sample = plan.distribution_sample > 0 && step % plan.distribution_sample == 0;
    if (!row && !sample) return QD_OK;
    qd_status status = QD_OK;
    const qd_distribution_def def = {(uint32_t)plan.distribution_bins, plan.distribution_reach,
                                     plan.distribution_speed};
    if (!check->here) status = qd_distributions_create(&def, NULL, &check->here);
    if (status == QD_OK) status = qd_distributions_add(check->here, world);
    return status == QD_OK && row ? qd_distributions_average(check->here) : status;
}

/// Verified distributions: true for two numbers that are the same, or none.
static bool same_number(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

/// Verified distributions: the first bin in which two curves differ; their number of bins where there is
/// none.
static uint32_t first_difference(const qd_curve *stored, const qd_curve *here) {
    uint32_t i = 0;
    while (i < here->bins && same_number(stored->values[i], here->values[i])) ++i;
    return i;
}

qd_status qdi_distribution_check_step(qdi_distribution_check *check, const qd_world *world, char *words,
                                      size_t bytes) {
    const qd_store_distributions *stored = &check->next;
    words[0] = '\0';
    qd_status status = QD_OK;
    if (!check->here || qd_distributions_step(check->here) != qd_world_steps(world))
        status = qdi_distribution_check_moment(check, world);
    if (status != QD_OK) return status;
    if (!check->here || qd_distributions_step(check->here) != stored->step) {
        (void)snprintf(words, bytes, "the scene records none at this step");
        return QD_OK;
    }
    for (int kind = 0; kind < QD_DISTRIBUTION_KINDS && !words[0]; ++kind) {
        const qd_curve here = qd_distributions_curve(check->here, (qd_distribution)kind),
                       *there = &stored->curves[kind];
        const char *name = qd_distribution_name((qd_distribution)kind);
        if (there->bins != here.bins || there->first != here.first || there->width != here.width ||
            stored->time != qd_distributions_time(check->here)) {
            (void)snprintf(words, bytes, "the bins of %s or the time are not those of the replay", name);
            return QD_OK;
        }
        const uint32_t bin = first_difference(there, &here);
        if (bin == here.bins) continue;
        char one[QDI_NUMBER_ROOM], two[QDI_NUMBER_ROOM];
        (void)qdi_number_write(there->values[bin], one);
        (void)qdi_number_write(here.values[bin], two);
        (void)snprintf(words, bytes, "bin %u of %s is %s, %s in the replay", bin, name, one, two);
    }
    return QD_OK;
}

void qdi_distribution_check_end(qdi_distribution_check *check) {
    qd_store_distributions_free(check->past->store, &check->next);
    qd_distributions_destroy(check->here);
    check->here = NULL;
}
