#include "tools/physics/physics.h"

#include "core/base/memory.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void qdi_plan_add(qdi_plan *plan, const qdi_job *job, int seeds) {
    size_t more = (size_t)seeds;
    if (plan->status == QD_OK)
        plan->status = qdi_reserve(qd_allocator_default(), &plan->jobs, &plan->room, plan->count,
                                   plan->count + more, sizeof *plan->jobs);
    if (plan->status != QD_OK) return;
    for (int i = 0; i < seeds; ++i) {
        plan->jobs[plan->count] = *job;
        plan->jobs[plan->count++].gas.seed = job->gas.seed * 1000 + (uint64_t)i;
    }
}

void qdi_plan_twins(qdi_plan *plan, qdi_job_function work, double setting, int seeds, double planted,
                    int twins) {
    qdi_job job = {.work = work, .gas = qdi_gas_default(), .setting = setting};
    qdi_plan_add(plan, &job, seeds);
    job.planted = planted;
    qdi_plan_add(plan, &job, twins);
}

void qdi_plan_free(qdi_plan *plan) {
    const qd_allocator *allocator = qd_allocator_default();
    for (size_t i = 0; i < plan->count; ++i) {
        qdi_release(allocator, plan->jobs[i].speeds, plan->jobs[i].speed_room, sizeof *plan->jobs[i].speeds);
    }
    qdi_release(allocator, plan->jobs, plan->room, sizeof *plan->jobs);
    *plan = (qdi_plan){.brief = plan->brief, .lammps = plan->lammps};
}

qdi_estimate qdi_plan_estimate(const qdi_plan *plan, size_t first, size_t count, int series) {
    double values[64 * QDI_BLOCKS];
    if (count > 64) count = 64;
    for (size_t i = 0; i < count; ++i) {
        memcpy(values + i * QDI_BLOCKS, plan->jobs[first + i].series[series], QDI_BLOCKS * sizeof *values);
    }
    return qdi_estimate_blocks(values, count, QDI_BLOCKS);
}

void qdi_job_keep(qdi_job *job, int series, double value) {
    for (int block = 0; block < QDI_BLOCKS; ++block) job->series[series][block] = value;
}

qdi_estimate qdi_plan_estimate_runs(const qdi_plan *plan, size_t first, size_t count, int series) {
    double values[64] = {0};
    if (count > 64) count = 64;
    for (size_t i = 0; i < count; ++i) values[i] = plan->jobs[first + i].series[series][0];
    return qdi_estimate_of(values, count);
}

// Whether a measured value differs from its reference by more than it may.
static bool is_off_reference(double measured, double error, const qdi_row *row) {
    double most = row->tolerance > 6 * error ? row->tolerance : 6 * error;
    return !(fabs(measured - row->reference) <= most); // NaN is off
}

void qdi_row_judge(qdi_row *row) {
    double allowed = row->error_allowed > 0 ? row->error_allowed : row->tolerance / 3;
    row->pass = !is_off_reference(row->measured, row->error, row) && row->error <= allowed;
    if (row->planted[0]) row->twin_fails = is_off_reference(row->twin, row->twin_error, row);
}

qdi_row *qdi_rows_add(qdi_rows *rows, const char *name, qdi_estimate measured, double reference,
                      double tolerance) {
    if (rows->status == QD_OK)
        rows->status = qdi_reserve(qd_allocator_default(), &rows->rows, &rows->room, rows->count,
                                   rows->count + 1, sizeof *rows->rows);
    if (rows->status != QD_OK) return NULL;
    qdi_row *row = &rows->rows[rows->count++];
    *row = (qdi_row){
        .measured = measured.mean, .error = measured.error, .reference = reference, .tolerance = tolerance};
    snprintf(row->name, sizeof row->name, "%s", name);
    qdi_row_judge(row);
    return row;
}

void qdi_row_twin(qdi_row *row, const char *planted, qdi_estimate twin) {
    if (!row) return;
    snprintf(row->planted, sizeof row->planted, "%s", planted);
    row->twin = twin.mean;
    row->twin_error = twin.error;
    qdi_row_judge(row);
}

void qdi_row_note(qdi_row *row, const char *format, ...) {
    if (!row) return;
    va_list values;
    va_start(values, format);
    (void)vsnprintf(row->note, sizeof row->note, format, values);
    va_end(values);
}

void qdi_rows_free(qdi_rows *rows) {
    qdi_release(qd_allocator_default(), rows->rows, rows->room, sizeof *rows->rows);
    *rows = (qdi_rows){.rows = NULL};
}
