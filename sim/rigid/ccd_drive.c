// Drives. A large body that small ones lie about, and that goes further in the step than they are large, runs
// over them if they are stopped on their ways by each other, deeper with every step; and if each that it
// meets stopped it as well, it would hardly get on, with all its speed. So where a heap has such a mover in
// it, no other mover stops a small one, but for large ones that it does not touch: among small ones in a heap
// that is driven, the solver alone says who passes whom, as it does for all that is slow. And wherever it is,
// a small one stops no large one that goes no further than would bring its middle there.
//
// A heap is an island (rigid/island.h). Shared between ranges: maxima.

#include "core/parallel/atomic_extreme.h"
#include "sim/rigid/ccd_stop.h"
#include "sim/rigid/constraint.h"
#include "sim/rigid/island.h"
#include "sim/world/grain.h"
#include "sim/world/reach.h"
#include "sim/world/scratch.h"
#include "sim/world/world_impl.h"

typedef struct drive_job {
    const qdi_step *step;
    double least;             ///< the size of the smallest body that is followed
    _Atomic uint64_t *drives; ///< of a heap, by its first row: bits of the size of what it drives
} drive_job;

/// Drives of ccd: shows the movers that touch each other, of a range of contacts, as often as they do.
static inline void each_mover(const drive_job *job, size_t begin, size_t end,
                              void (*visit)(const drive_job *job, uint32_t row)) {
    for (size_t i = begin; i < end; ++i) {
        const qdi_link *link = &job->step->world->scratch.links[i];
        if (!link->moves_a || !link->moves_b) continue;
        visit(job, link->row_a);
        visit(job, link->row_b);
    }
}

/// Drives of ccd: the size that is driven in the heap of a body.
static _Atomic uint64_t *drive_of(const drive_job *job, uint32_t row) {
    return &job->drives[qdi_island_of(job->step->ccd->heap, row)];
}

/// Drives of ccd: notes the size that a mover can drive, for its heap.
static void note(const drive_job *job, uint32_t row) {
    const double part = QDI_DRIVING_PART * qdi_inner_of_row(job->step->world, row);
    if (!(part > job->least)) return;
    const double way = qdi_ccd_way(job->step, row);
    const uint64_t bits = qdi_time_bits(way < part ? way : part);
    qdi_atomic_max_u64(drive_of(job, row), bits);
}

/// Drives of ccd: marks a body that is driven. Several contacts may.
static void mark(const drive_job *job, uint32_t row) {
    const qd_world *world = job->step->world;
    uint8_t *flags = &job->step->ccd->flags[row];
    if (!(__atomic_load_n(flags, __ATOMIC_RELAXED) & QDI_FOLLOWED) || qdi_is_bullet(world, row)) return;
    const uint64_t size = qdi_time_bits(qdi_inner_of_row(world, row));
    if (atomic_load_explicit(drive_of(job, row), memory_order_relaxed) > size)
        __atomic_fetch_or(flags, QDI_DRIVEN, __ATOMIC_RELAXED);
}

/// Drives of ccd: notes those of a range of contacts.
static void note_range(void *context, size_t begin, size_t end) {
    each_mover(context, begin, end, note);
}

/// Drives of ccd: marks who is driven in a range of contacts.
static void mark_range(void *context, size_t begin, size_t end) {
    each_mover(context, begin, end, mark);
}

qd_status qdi_ccd_mark_driven(const qdi_step *step, double most, double least) {
    qd_world *world = step->world;
    const size_t links = qdi_constraint_count(&world->present);
    if (!(most > least) || links == 0) return QD_OK;
    drive_job job = {step, least, qdi_arena_take(&world->scratch.arena, world->count, sizeof *job.drives)};
    if (!job.drives) return QD_ERR_MEMORY;
    const qd_status status = qdi_ccd_find_heaps(step);
    if (status != QD_OK) return status;
    qdi_team_zero(world->team, job.drives, world->count * sizeof *job.drives);
    qdi_team_for(world->team, links, QDI_CONTACT_GRAIN, note_range, &job);
    qdi_team_for(world->team, links, QDI_CONTACT_GRAIN, mark_range, &job);
    return QD_OK;
}
