#include "sim/ranks/splice.h"

#include "core/base/lower_bound.h"
#include "core/parallel/parallel.h"

enum { GRAIN = 4096 };

typedef struct splice_job {
    qdi_splice *splice;
    size_t *stay; ///< by range: items that stay; then those before the range
} splice_job;

// Splice: counts the items of a range that stay.
static void count_range(void *context, size_t begin, size_t end) {
    const splice_job *job = context;
    size_t stay = 0;
    for (size_t i = begin; i < end; ++i) stay += !(job->splice->fate[i] & QDI_SPLICE_GOES);
    job->stay[begin / GRAIN] = stay;
}

// Splice: newcomers that come before an item's predecessor or another one before.
static size_t come_before(const qdi_splice *splice, size_t item) {
    return qdi_lower_bound_32(splice->before, 0, splice->coming, (uint32_t)item);
}

// Splice: places of the items of a range, and of those that come before one of them.
static void place_range(void *context, size_t begin, size_t end) {
    const splice_job *job = context;
    const qdi_splice *splice = job->splice;
    size_t come = come_before(splice, begin), at = job->stay[begin / GRAIN] + come;
    for (size_t i = begin; i < end; ++i) {
        for (; come < splice->coming && splice->before[come] == i; ++come)
            splice->place[come] = (uint32_t)at++;
        splice->to[i] = splice->fate[i] & QDI_SPLICE_GOES ? UINT32_MAX : (uint32_t)at++;
    }
}

qd_status qdi_splice_find(qd_team *team, qdi_arena *arena, qdi_splice *splice) {
    const size_t ranges = qdi_range_count(splice->count, GRAIN);
    splice_job job = {splice, qdi_arena_take(arena, ranges, sizeof *job.stay)};
    splice->to = qdi_arena_take(arena, splice->count, sizeof *splice->to);
    splice->place = qdi_arena_take(arena, splice->coming, sizeof *splice->place);
    if ((splice->count > 0 && (!job.stay || !splice->to)) || (splice->coming > 0 && !splice->place))
        return QD_ERR_MEMORY;
    qdi_team_for(team, splice->count, GRAIN, count_range, &job);
    const size_t stay = qdi_exclusive_scan(job.stay, ranges);
    qdi_team_for(team, splice->count, GRAIN, place_range, &job);
    for (size_t k = come_before(splice, splice->count); k < splice->coming; ++k)
        splice->place[k] = (uint32_t)(stay + k);
    splice->all = stay + splice->coming;
    return QD_OK;
}
