// Drives. A large body that small ones lie about, and that goes further in the step than they are large, runs
// over them if they are stopped on their ways by each other, deeper with every step; and if each that it
// meets stopped it as well, it would hardly get on, with all its speed. So where a heap has such a mover in
// it, no other mover stops a small one, but for large ones that it does not touch: among small ones in a heap
// that is driven, the solver alone says who passes whom, as it does for all that is slow. And wherever it is,
// a small one stops no large one that goes no further than would bring its middle there.
//
// A heap is an island (rigid/island.h). Shared between ranges: maxima.

#include "sim/rigid/ccd_drive.h"

#include "sim/rigid/ccd_ground.h"
#include "sim/rigid/ccd_stop.h"
#include "sim/rigid/constraint.h"
#include "sim/rigid/island.h"
#include "sim/world/grain.h"
#include "sim/world/reach.h"
#include "sim/world/scratch.h"
#include "sim/world/world_impl.h"

typedef struct drive_job {
    const qdi_step *step;
    double least; ///< the size of the smallest body that is followed
} drive_job;

/// Drives of ccd: the two of a contact of movers; of others none: QDI_NO_ROW.
static qdi_meeting movers_of(const drive_job *job, size_t i) {
    const qdi_link *link = &job->step->world->scratch.links[i];
    if (!link->moves_a || !link->moves_b) return (qdi_meeting){QDI_NO_ROW, QDI_NO_ROW};
    return (qdi_meeting){link->row_a, link->row_b};
}

/// Drives of ccd: the size that is driven in the heap of a body.
static _Atomic uint64_t *drive_of(const drive_job *job, uint32_t row) {
    return &job->step->ccd->drives[qdi_island_of(job->step->ccd->heap, row)];
}

/// Drives of ccd: nothing is driven in the heaps of a range of contacts.
static void clear_range(void *context, size_t begin, size_t end) {
    const drive_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        const qdi_meeting two = movers_of(job, i);
        if (two.a != QDI_NO_ROW)
            atomic_store_explicit(drive_of(job, two.a), qdi_time_bits(0), memory_order_relaxed);
    }
}

/// Drives of ccd: notes the size that a mover can drive, for its heap.
static void note_drive(const drive_job *job, uint32_t row) {
    const double part = QDI_DRIVING_PART * qdi_inner_of_row(job->step->world, row);
    if (!(part > job->least)) return;
    const double way = qdi_ccd_way(job->step, row);
    const uint64_t bits = qdi_time_bits(way < part ? way : part);
    _Atomic uint64_t *drive = drive_of(job, row);
    uint64_t seen = atomic_load_explicit(drive, memory_order_relaxed);
    while (bits > seen && !atomic_compare_exchange_weak_explicit(drive, &seen, bits, memory_order_relaxed,
                                                                 memory_order_relaxed)) {
    }
}

/// Drives of ccd: notes it for those of a range of contacts.
static void drive_range(void *context, size_t begin, size_t end) {
    const drive_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        const qdi_meeting two = movers_of(job, i);
        if (two.a == QDI_NO_ROW) continue;
        note_drive(job, two.a);
        note_drive(job, two.b);
    }
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

/// Drives of ccd: marks who is driven of those of a range of contacts.
static void mark_range(void *context, size_t begin, size_t end) {
    const drive_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        const qdi_meeting two = movers_of(job, i);
        if (two.a == QDI_NO_ROW) continue;
        mark(job, two.a);
        mark(job, two.b);
    }
}

qd_status qdi_ccd_mark_driven(const qdi_step *step, double most, double least) {
    qd_world *world = step->world;
    qdi_ccd *ccd = step->ccd;
    const size_t links = qdi_constraint_count(&world->present);
    if (!(most > least) || links == 0) return QD_OK;
    ccd->drives = qdi_arena_take(&world->scratch.arena, world->count, sizeof *ccd->drives);
    if (!ccd->drives) return QD_ERR_MEMORY;
    const qd_status status = qdi_ccd_find_heaps(step);
    if (status != QD_OK) return status;
    drive_job job = {step, least};
    qdi_team_for(world->team, links, QDI_CONTACT_GRAIN, clear_range, &job);
    qdi_team_for(world->team, links, QDI_CONTACT_GRAIN, drive_range, &job);
    qdi_team_for(world->team, links, QDI_CONTACT_GRAIN, mark_range, &job);
    return QD_OK;
}
