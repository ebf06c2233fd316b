// Sums by cell, see cell_sums.h.
#include "sim/field/cell_sums.h"

#include "core/base/memory.h"
#include "core/parallel/parallel.h"

/// Cells of a range.
enum { GRAIN = 1024 };

typedef struct sums_job {
    const qdi_cell_sums *sums;
    double *into;
} sums_job;

// Adds up what workers have in a range of cells.
static void merge_range(void *context, size_t begin, size_t end) {
    const sums_job *job = context;
    const qdi_cell_sums *sums = job->sums;
    for (size_t c = begin; c < end; ++c) {
        for (int t = 0; t < QDI_CELL_TALLIES; ++t) {
            qdi_tally sum = sums->tallies[c][t];
            for (size_t w = 1; w < sums->workers; ++w)
                qdi_tally_merge(&sum, &sums->tallies[w * sums->cells + c][t]);
            for (int k = 0; k < QDI_TALLY_LANES; ++k)
                job->into[c * QDI_CELL_LANES + (size_t)(t * QDI_TALLY_LANES + k)] = sum.first[k] +
                                                                                    sum.second[k];
        }
    }
}

qd_status qdi_cell_sums_begin(qdi_cell_sums *sums, qd_team *team, size_t cells, const qdi_cell_most *most,
                              size_t ranges) {
    sums->cells = cells;
    sums->workers = (size_t)qd_team_threads(team);
    const size_t all = sums->workers * cells;
    const qd_status status = qdi_reserve(sums->allocator, &sums->tallies, &sums->room, 0, all,
                                         sizeof *sums->tallies);
    if (status != QD_OK) return status;
    qdi_cell_most whole = {.terms = 0};
    for (size_t r = 0; r < ranges; ++r) {
        for (int t = 0; t < QDI_CELL_TALLIES; ++t) qdi_tally_see(&whole.most[t], most[r].most[t].lane);
        whole.terms += most[r].terms;
    }
    for (int t = 0; t < QDI_CELL_TALLIES; ++t) sums->cut[t] = qdi_tally_cut_for(&whole.most[t], whole.terms);
    qdi_team_zero(team, sums->tallies, all * sizeof *sums->tallies);
    return QD_OK;
}

void qdi_cell_sums_end(const qdi_cell_sums *sums, qd_team *team, double *into) {
    sums_job job = {.sums = sums};
    job.into = into;
    qdi_team_for(team, sums->cells, GRAIN, merge_range, &job);
}

void qdi_cell_sums_release(qdi_cell_sums *sums) {
    qdi_release(sums->allocator, sums->tallies, sums->room, sizeof *sums->tallies);
    sums->tallies = NULL;
    sums->room = 0;
}
