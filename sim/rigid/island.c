// A union-find over rows, in which the larger root is hung under the smaller one: so an island ends under its
// first row, whatever the order in which its contacts come.

#include "sim/rigid/island.h"

#include "sim/world/grain.h"
#include "sim/world/world_impl.h"

typedef struct join_job {
    const qdi_link *links;
    _Atomic uint32_t *parent;
} join_job;

uint32_t qdi_island_of(_Atomic uint32_t *parent, uint32_t row) {
    for (;;) {
        const uint32_t above = atomic_load_explicit(&parent[row], memory_order_relaxed);
        if (above == row) return row;
        const uint32_t top = atomic_load_explicit(&parent[above], memory_order_relaxed);
        if (top != above) atomic_store_explicit(&parent[row], top, memory_order_relaxed);
        row = top;
    }
}

/// Islands: makes each of a range of bodies one of its own.
static void clear_range(void *context, size_t begin, size_t end) {
    const join_job *job = context;
    for (size_t r = begin; r < end; ++r)
        atomic_store_explicit(&job->parent[r], (uint32_t)r, memory_order_relaxed);
}

/// Islands: joins those of the dynamic bodies of a range of links.
static void join_range(void *context, size_t begin, size_t end) {
    const join_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        const qdi_link *link = &job->links[i];
        if (!link->moves_a || !link->moves_b) continue;
        for (;;) {
            const uint32_t a = qdi_island_of(job->parent, link->row_a),
                           b = qdi_island_of(job->parent, link->row_b);
            if (a == b) break;
            uint32_t high = a > b ? a : b;
            const uint32_t low = a > b ? b : a;
            if (atomic_compare_exchange_strong_explicit(&job->parent[high], &high, low, memory_order_relaxed,
                                                        memory_order_relaxed))
                break;
        }
    }
}

void qdi_islands_join(const qd_world *world, const qdi_link *links, size_t count, _Atomic uint32_t *parent) {
    join_job job = {links, parent};
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, clear_range, &job);
    qdi_team_for(world->team, count, QDI_CONTACT_GRAIN, join_range, &job);
}
