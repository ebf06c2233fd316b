// Sums by cell, see cell_sums.h.
#include "sim/field/cell_sums.h"

#include "core/base/memory.h"
#include "core/parallel/parallel.h"
#include "sim/world/grain.h"

#include <string.h>

enum { BLOCK = QDI_CONTACT_GRAIN };

qd_status qdi_cell_sums_begin(qdi_cell_sums *sums, size_t count) {
    void *const arrays[] = {&sums->cell, &sums->cell_spare, &sums->item, &sums->item_spare};
    static const size_t sizes[] = {sizeof(uint64_t), sizeof(uint64_t), sizeof(uint32_t), sizeof(uint32_t)};
    qd_status status = QD_OK;
    for (size_t k = 0; k < 4 && status == QD_OK; ++k)
        status = qdi_reserve(sums->allocator, arrays[k], &sums->room[k], 0, count, sizes[k]);
    if (status == QD_OK)
        status = qdi_reserve(sums->allocator, &sums->edges, &sums->edge_room, 0,
                             2 * qdi_range_count(count, BLOCK) * QDI_CELL_LANES, sizeof *sums->edges);
    sums->count = status == QD_OK ? count : 0;
    return status;
}

typedef struct sums_job {
    const qdi_cell_sums *sums;
    size_t cells;
    qdi_cell_term term;
    const void *context;
    double *into;
} sums_job;

// Adds up a block of entries. Only its first and its last cell may have entries in other blocks.
static void sum_block(void *context, size_t begin, size_t end) {
    const sums_job *job = context;
    const uint64_t *cell = job->sums->cell;
    double *edges = job->sums->edges + 2 * (begin / BLOCK) * QDI_CELL_LANES;
    memset(edges, 0, sizeof(double) * 2 * QDI_CELL_LANES);
    for (size_t i = begin; i < end && cell[i] < job->cells;) {
        const uint64_t here = cell[i];
        double sum[QDI_CELL_LANES] = {0}, lanes[QDI_CELL_LANES] = {0};
        const size_t from = i;
        for (; i < end && cell[i] == here; ++i) {
            job->term(job->context, job->sums->item[i], lanes);
            for (int k = 0; k < QDI_CELL_LANES; ++k) sum[k] += lanes[k];
        }
        double *to = from == begin ? edges
                     : i == end    ? edges + QDI_CELL_LANES
                                   : job->into + here * QDI_CELL_LANES;
        memcpy(to, sum, sizeof sum);
    }
}

// Adds the parts of cells that blocks share, in order.
static void join_blocks(const sums_job *job) {
    const qdi_cell_sums *sums = job->sums;
    for (size_t begin = 0; begin < sums->count; begin += BLOCK) {
        const size_t end = begin + BLOCK < sums->count ? begin + BLOCK : sums->count;
        const double *edges = sums->edges + 2 * (begin / BLOCK) * QDI_CELL_LANES;
        const uint64_t ends[2] = {sums->cell[begin], sums->cell[end - 1]};
        for (int side = 0; side < (ends[0] == ends[1] ? 1 : 2); ++side) {
            if (ends[side] >= job->cells) continue;
            double *to = job->into + ends[side] * QDI_CELL_LANES;
            for (int k = 0; k < QDI_CELL_LANES; ++k) to[k] += edges[side * QDI_CELL_LANES + k];
        }
    }
}

qd_status qdi_cell_sums_add(qdi_cell_sums *sums, qd_team *team, size_t cells, qdi_cell_term term,
                            const void *context, double *into) {
    int bits = 1;
    while ((uint64_t)cells >> bits) ++bits;
    memset(into, 0, cells * QDI_CELL_LANES * sizeof *into);
    if (sums->count == 0) return QD_OK;
    qd_status status = qdi_team_sort(team, sums->cell, sums->item, sums->cell_spare, sums->item_spare,
                                     sums->count, bits);
    if (status != QD_OK) return status;
    sums_job job = {sums, cells, term, context, into};
    qdi_team_for(team, sums->count, BLOCK, sum_block, &job);
    join_blocks(&job);
    return QD_OK;
}

// Frees all arrays.
void qdi_cell_sums_release(qdi_cell_sums *sums) {
    qdi_release(sums->allocator, sums->cell, sums->room[0], sizeof *sums->cell);
    qdi_release(sums->allocator, sums->cell_spare, sums->room[1], sizeof *sums->cell_spare);
    qdi_release(sums->allocator, sums->item, sums->room[2], sizeof *sums->item);
    qdi_release(sums->allocator, sums->item_spare, sums->room[3], sizeof *sums->item_spare);
    qdi_release(sums->allocator, sums->edges, sums->edge_room, sizeof *sums->edges);
    const qd_allocator *allocator = sums->allocator;
    *sums = (qdi_cell_sums){.allocator = allocator};
}
