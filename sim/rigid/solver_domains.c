#include "sim/rigid/solver_domains.h"

/// Links of a domain at least: of less of them a stage is over before its neighbours know of it. Domains of a
/// thread, so that one with less to do can help; and links from which on there are so many. Links that tell
/// where a domain begins.
enum { LINKS_LEAST = 192, DOMAINS_OF_THREAD = 2, LINKS_OF_MANY = 16384, SAMPLES = 8 };

/// Solver's domains: how many.
static size_t count_of(const qd_world *world, size_t links) {
    const size_t threads = (size_t)qdi_team_used(world->team);
    size_t count = threads == 1 || links < LINKS_OF_MANY * threads ? threads : threads * DOMAINS_OF_THREAD;
    if (count > links / LINKS_LEAST) count = links / LINKS_LEAST;
    return count < 1 ? 1 : count < QDI_PARTS_MAX ? count : QDI_PARTS_MAX;
}

/// Solver's domains: sorts a few rows, which are next to sorted.
static void sort_rows(uint32_t *rows, size_t count) {
    for (size_t i = 1; i < count; ++i) {
        const uint32_t row = rows[i];
        size_t k = i;
        for (; k > 0 && rows[k - 1] > row; --k) rows[k] = rows[k - 1];
        rows[k] = row;
    }
}

/// Solver's domains: rows of some links, evenly from all, of those that are in no unit of their own.
static size_t take_samples(const qd_world *world, size_t links, bool apart, size_t most, uint32_t *sample) {
    const qdi_scratch *scratch = &world->scratch;
    size_t count = 0;
    for (size_t k = 0; k < most; ++k) {
        const uint32_t row = qdi_owner_of(&scratch->links[(2 * k + 1) * links / (2 * most)]);
        if (!apart || scratch->unit_of[row] == 0) sample[count++] = row;
    }
    return count;
}

void qdi_domains_find(const qd_world *world, size_t links, bool apart, qdi_domains *domains) {
    uint32_t sample[QDI_PARTS_MAX * SAMPLES];
    const size_t count = domains->count = count_of(world, apart ? links - world->scratch.unit_links : links);
    for (size_t d = 0; d < count; ++d) {
        domains->first_row[d] = 0;
        atomic_init(&domains->neighbours[d], 0);
    }
    if (count == 1) return;
    const size_t samples = take_samples(world, links, apart, count * SAMPLES, sample);
    sort_rows(sample, samples);
    for (size_t d = 1; d < count && samples > 0; ++d) domains->first_row[d] = sample[d * samples / count];
}

void qdi_domains_meet(qdi_domains *domains, size_t of, uint64_t which) {
    _Atomic uint64_t *here = &domains->neighbours[of];
    if ((atomic_load_explicit(here, memory_order_relaxed) & which) == which) return;
    atomic_fetch_or_explicit(here, which, memory_order_relaxed);
    for (uint64_t left = which; left; left &= left - 1)
        atomic_fetch_or_explicit(&domains->neighbours[__builtin_ctzll(left)], UINT64_C(1) << of,
                                 memory_order_relaxed);
}
