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
#include "sim/rigid/island.h"
#include "sim/world/grain.h"
#include "sim/world/reach.h"
#include "sim/world/scratch.h"
#include "sim/world/world_impl.h"

/// Drives of ccd: nothing is driven in the heaps of a range of bodies.
static void clear_range(void *context, size_t begin, size_t end) {
    const qdi_step *step = context;
    for (size_t row = begin; row < end; ++row)
        atomic_store_explicit(&step->ccd->drives[row], qdi_time_bits(0), memory_order_relaxed);
}

/// Drives of ccd: notes the sizes that a range of movers can drive, for their heaps.
static void drive_range(void *context, size_t begin, size_t end) {
    const qdi_step *step = context;
    const qd_world *world = step->world;
    for (uint32_t row = (uint32_t)begin; row < end; ++row) {
        if (world->kind[row] != QD_BODY_DYNAMIC) continue;
        const double way = qdi_ccd_way(step, row), part = QDI_DRIVING_PART * qdi_inner_of_row(world, row);
        const uint64_t bits = qdi_time_bits(way < part ? way : part);
        _Atomic uint64_t *drive = &step->ccd->drives[qdi_island_of(step->ccd->heap, row)];
        uint64_t seen = atomic_load_explicit(drive, memory_order_relaxed);
        while (bits > seen && !atomic_compare_exchange_weak_explicit(drive, &seen, bits, memory_order_relaxed,
                                                                     memory_order_relaxed)) {
        }
    }
}

/// Drives of ccd: marks who is driven of a range of bodies.
static void mark_range(void *context, size_t begin, size_t end) {
    const qdi_step *step = context;
    qdi_ccd *ccd = step->ccd;
    for (uint32_t row = (uint32_t)begin; row < end; ++row) {
        if (!(ccd->flags[row] & QDI_FOLLOWED) || qdi_is_bullet(step->world, row)) continue;
        const _Atomic uint64_t *drive = &ccd->drives[qdi_island_of(ccd->heap, row)];
        const uint64_t size = qdi_time_bits(qdi_inner_of_row(step->world, row));
        if (atomic_load_explicit(drive, memory_order_relaxed) > size) ccd->flags[row] |= QDI_DRIVEN;
    }
}

qd_status qdi_ccd_mark_driven(const qdi_step *step, double most, double least) {
    qd_world *world = step->world;
    qdi_ccd *ccd = step->ccd;
    if (!(most > least)) return QD_OK;
    ccd->drives = qdi_arena_take(&world->scratch.arena, world->count, sizeof *ccd->drives);
    if (!ccd->drives) return QD_ERR_MEMORY;
    const qd_status status = qdi_ccd_find_heaps(step);
    if (status != QD_OK) return status;
    qdi_step job = *step;
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, clear_range, &job);
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, drive_range, &job);
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, mark_range, &job);
    return QD_OK;
}
