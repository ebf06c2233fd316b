// The list of the contacts that the sub-steps work on: links with touches, sorted by colour and kind. Links
// lie in order of colour already, so this is a sort by counting within each colour. Those of a colour are cut
// into pieces; each piece counts its kinds, a scan says where they go, and each piece puts them there. Those
// of a serial colour are all of one kind, so they stay in their order.

#include "sim/rigid/solver_job.h"
#include "sim/world/grain.h"

#include <string.h>

typedef struct list_job {
    const qdi_solver_job *solver;
    const qdi_domains *domains;
    size_t piece;                            ///< links of one, at most
    size_t first_piece[QDI_COLOURS_MAX + 2]; ///< by colour
    size_t kinds;
    uint32_t *place; ///< by piece and kind: how many, then where the next one goes
    uint32_t *list;
} list_job;

/// Solver's list: the domain of a link; of units apart, whose rows may lie in several, the first.
static inline size_t domain_of(const list_job *job, const qdi_link *link) {
    const uint32_t row = qdi_owner_of(link);
    return qdi_is_apart(job->solver, row) ? 0 : qdi_domain_of(job->domains, row);
}

/// Solver's list: the kind of a link that has touches.
static inline size_t kind_of(const list_job *job, size_t number) {
    if (number >= job->solver->serial) return 0;
    const qdi_link *link = &job->solver->links[number];
    const size_t domain = domain_of(job, link);
    return QDI_KINDS_OF_DOMAIN * domain + 2 * (size_t)(link->touches < QDI_TOUCHES_SECOND) +
           (size_t)!link->loaded;
}

/// A piece of a colour's links.
typedef struct piece {
    size_t begin, end;
} piece;

/// Solver's list: piece number `k` of all.
static piece piece_of(const list_job *job, size_t k) {
    const qdi_colours *colours = job->solver->colours;
    size_t c = 0;
    while (job->first_piece[c + 1] <= k) ++c;
    const size_t begin = colours->start[c] + (k - job->first_piece[c]) * job->piece, end = begin + job->piece;
    return (piece){begin, end < colours->start[c + 1] ? end : colours->start[c + 1]};
}

/// Solver's list: counts the kinds of a range of pieces.
static void count_pieces(void *context, size_t first, size_t last) {
    const list_job *job = context;
    for (size_t k = first; k < last; ++k) {
        const piece here = piece_of(job, k);
        uint32_t *count = job->place + k * job->kinds;
        memset(count, 0, job->kinds * sizeof *count);
        for (size_t i = here.begin; i < here.end; ++i)
            if (job->solver->links[i].touches) count[kind_of(job, i)] += 1;
    }
}

/// Solver's list: lists the links of a range of pieces.
static void list_pieces(void *context, size_t first, size_t last) {
    const list_job *job = context;
    for (size_t k = first; k < last; ++k) {
        const piece here = piece_of(job, k);
        uint32_t *place = job->place + k * job->kinds;
        for (size_t i = here.begin; i < here.end; ++i)
            if (job->solver->links[i].touches) job->list[place[kind_of(job, i)]++] = (uint32_t)i;
    }
}

/// Solver's list: where each kind of each colour begins, and of these each piece.
static void scan(const list_job *job, uint32_t *begins) {
    uint32_t sum = 0;
    for (size_t c = 0; c < job->solver->colours->count; ++c)
        for (size_t kind = 0; kind < job->kinds; ++kind) {
            *begins++ = sum;
            for (size_t k = job->first_piece[c]; k < job->first_piece[c + 1]; ++k) {
                uint32_t *cell = &job->place[k * job->kinds + kind];
                const uint32_t count = *cell;
                *cell = sum;
                sum += count;
            }
        }
    *begins = sum;
}

qd_status qdi_solver_list(qdi_solver_job *solver, const qdi_domains *domains) {
    qd_world *world = solver->world;
    qdi_arena *arena = &world->scratch.arena;
    const qdi_colours *colours = solver->colours;
    const size_t all = colours->start[colours->count];
    // A scan over some thousand pieces is short beside a step of so many links.
    list_job job = {.solver = solver,
                    .domains = domains,
                    .piece = all / QDI_CANDIDATE_GRAIN > QDI_CANDIDATE_GRAIN ? all / QDI_CANDIDATE_GRAIN
                                                                             : QDI_CANDIDATE_GRAIN,
                    .kinds = QDI_KINDS_OF_DOMAIN * domains->count};
    for (size_t c = 0; c < colours->count; ++c)
        job.first_piece[c + 1] = job.first_piece[c] +
                                 qdi_range_count(colours->start[c + 1] - colours->start[c], job.piece);
    const size_t pieces = job.first_piece[colours->count];
    uint32_t *begins = qdi_arena_take(arena, colours->count * job.kinds + 1, sizeof *begins);
    job.place = qdi_arena_take(arena, pieces * job.kinds, sizeof *job.place);
    job.list = qdi_arena_take(arena, all, sizeof *job.list);
    if (!begins || !job.place || !job.list) return QD_ERR_MEMORY;
    qdi_team_for(world->team, pieces, 1, count_pieces, &job);
    scan(&job, begins);
    solver->begins = begins;
    solver->list = job.list;
    if (begins[colours->count * job.kinds] > 0) qdi_team_for(world->team, pieces, 1, list_pieces, &job);
    return QD_OK;
}
