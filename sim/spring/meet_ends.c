// Lists the ends of candidates, see meet_ends.h: chains (chain.h) that are put in order and written one after
// the other.

#include "sim/spring/meet_ends.h"

#include "core/base/memory.h"
#include "sim/spring/chain.h"
#include "sim/world/grain.h"

/// A list takes what some two steps gain with it, so slots must have lasted for so many steps.
enum { LASTING = 2 };

typedef struct ends_job {
    qd_world *world;
    bool alone;    ///< one thread hangs up all ends
    size_t *count; ///< per range of bodies: ends, then those before
} ends_job;

// Springs that meet: hangs the candidates of a range into the chains of their bodies.
static void hang_candidates(void *context, size_t begin, size_t end) {
    const ends_job *job = context;
    const qd_world *world = job->world;
    for (size_t i = begin; i < end; ++i) {
        const qdi_meeting pair = world->met[i];
        const uint32_t end_a = 2 * (uint32_t)i + 1;
        qdi_chain_end(&world->scratch, job->alone, pair.a, end_a, world->index[pair.b]);
        qdi_chain_end(&world->scratch, job->alone, pair.b, end_a + 1, world->index[pair.a]);
    }
}

// Springs that meet: counts the ends of a range of bodies.
static void count_ends(void *context, size_t begin, size_t end) {
    const ends_job *job = context;
    const qdi_scratch *scratch = &job->world->scratch;
    size_t count = 0;
    for (size_t r = begin; r < end; ++r) {
        uint32_t at = atomic_load_explicit(&scratch->heads[r], memory_order_relaxed);
        for (; at; at = scratch->chain[at].next) count += 1;
    }
    job->count[begin / QDI_BODY_GRAIN] = count;
}

// Springs that meet: lists the ends of a range of bodies, and takes them down.
static void list_ends(void *context, size_t begin, size_t end) {
    const ends_job *job = context;
    const qdi_scratch *scratch = &job->world->scratch;
    size_t place = job->count[begin / QDI_BODY_GRAIN];
    for (size_t r = begin; r < end; ++r) {
        scratch->end_first[r] = (uint32_t)place;
        uint32_t at = qdi_chain_sort(scratch->chain, qdi_chain_take(scratch, r));
        for (; at; at = scratch->chain[at].next) scratch->end_list[place++] = at;
    }
}

// Springs that meet: makes room for lists of ends.
static qd_status reserve_lists(const qd_world *world, qdi_scratch *scratch, size_t ends, size_t ranges) {
    const qd_allocator *allocator = world->allocator;
    qd_status status = qdi_chain_reserve(allocator, scratch, world->count, ends);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &scratch->end_list, &scratch->end_list_room, 0, ends,
                             sizeof *scratch->end_list);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &scratch->end_first, &scratch->end_first_room, 0, world->count + 1,
                             sizeof *scratch->end_first);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &scratch->touch_list, &scratch->touch_list_room, 0,
                             ends + 2 * world->count, sizeof *scratch->touch_list);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &scratch->touch_stale, &scratch->touch_stale_room, 0, ranges,
                             sizeof *scratch->touch_stale);
    return status;
}

// Springs that meet: lists the ends of all candidates.
static qd_status list_all(qd_world *world) {
    qdi_scratch *scratch = &world->scratch;
    const size_t ends = 2 * world->met_count, ranges = qdi_range_count(world->count, QDI_BODY_GRAIN);
    const qd_status status = reserve_lists(world, scratch, ends, ranges);
    ends_job job = {.world = world, .count = qdi_arena_take(&scratch->arena, ranges, sizeof *job.count)};
    if (status != QD_OK || !job.count) return QD_ERR_MEMORY;
    job.alone = qdi_team_used(world->team) == 1;
    qdi_team_for(world->team, world->met_count, QDI_CANDIDATE_GRAIN, hang_candidates, &job);
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, count_ends, &job);
    (void)qdi_exclusive_scan(job.count, ranges);
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, list_ends, &job);
    scratch->end_first[world->count] = (uint32_t)ends;
    for (size_t r = 0; r < ranges; ++r) atomic_init(&scratch->touch_stale[r], 1);
    scratch->ends_listed = true;
    return QD_OK;
}

void qdi_meet_ends_change(const qd_world *world, const uint32_t *hits, size_t count) {
    _Atomic uint8_t *stale = world->scratch.touch_stale;
    for (size_t k = 0; k < count; ++k) {
        const qdi_meeting pair = world->met[hits[k]];
        atomic_store_explicit(&stale[pair.a / QDI_BODY_GRAIN], 1, memory_order_relaxed);
        atomic_store_explicit(&stale[pair.b / QDI_BODY_GRAIN], 1, memory_order_relaxed);
    }
}

qd_status qdi_meet_ends_keep(qd_world *world, bool same, size_t contacts) {
    qdi_scratch *scratch = &world->scratch;
    if (!same) {
        scratch->slots_lasted = 0;
        scratch->ends_listed = false;
    } else if (scratch->slots_lasted < LASTING) {
        scratch->slots_lasted += 1;
    }
    const bool pays = scratch->slots_lasted == LASTING && world->met_count > 0 &&
                      2 * contacts >= world->met_count;
    return pays && !scratch->ends_listed ? list_all(world) : QD_OK;
}
