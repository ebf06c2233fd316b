#pragma once

#include <quadrille/pairs.h>

#include "core/parallel/parallel.h"
#include "core/parallel/shared_arena.h"
#include "core/tree/slots.h"

#include <stdbool.h>

/// How pairs get from many workers into one array without locks.
///
/// The search is cut into `parts`, numbered in the order in which the pairs shall appear. A worker that does
/// a part pushes its pairs to its own buffer between qdi_pairs_part_begin and qdi_pairs_part_end, which note
/// where they lie. When all parts are done, qdi_pairs_gather adds up the parts' counts in order and copies
/// every part to its place, in parallel.
///
///   worker 0:  [part 0 | part 3 | par] -> [t 4 ]    gathered:  [part 0 | part 1 | part 2 | part 3 | ...]
///   worker 1:  [part 1 | part 2 | part 5 ]
///
/// A worker's buffer is a chain of spans, taken from an arena one by one, so that all workers together hold
/// what all pairs need, however they are shared out. A single worker does the parts in their order, so its
/// buffer is the result itself, and nothing is copied.
///
/// Where somebody else takes the pairs (qdi_pair_taker) they go to him from where they are, and are in no
/// result.

/// Pairs follow it.
typedef struct qdi_pair_span {
    struct qdi_pair_span *next; // of the same worker
    size_t count;               // known when there is a next
} qdi_pair_span;

typedef struct qdi_pair_buffer {
    qd_pair *items; // of the last span, or of the result
    size_t room, count;
    size_t before;   // pairs in the spans before
    size_t reported; // of all, already in qd_pairs.found
    qdi_pair_span *span;
    qdi_pair_span head; // comes before the first span; has no pairs
    qdi_slots rows;     // room for boxes that a search carries along, without `row`
    uint64_t tests;     // boxes that were compared with one another
    char padding[192 - 2 * sizeof(void *) - 4 * sizeof(size_t) - sizeof(qdi_pair_span) - sizeof(qdi_slots) -
                 sizeof(uint64_t)]; // cache lines of its own
} qdi_pair_buffer;

typedef struct qdi_pair_part {
    const qdi_pair_span *span; // where it begins, and from which pair of it
    size_t begin, count;
} qdi_pair_part;

/// What a part is to do; the search that plans it knows what the numbers mean.
typedef struct qdi_pair_task {
    uint32_t a, b;
    qd_image image;
    uint32_t kind;
} qdi_pair_task;

/// Takes the pairs of a search when all are found. Whatever it keeps of them, they are not kept twice.
typedef struct qdi_pair_taker {
    /// There are so many. Not where the search failed.
    qd_status (*expect)(void *context, size_t count);
    /// Pairs number [first, first + count) of the result, in any order; by the workers of the team.
    void (*take)(void *context, size_t first, const qd_pair *pairs, size_t count);
    void *context;
} qdi_pair_taker;

struct qd_pairs {
    const qd_allocator *allocator;
    const qdi_pair_taker *taker; // or NULL
    size_t limit;
    qd_pair *items; // the result
    size_t room, count;
    qdi_pair_buffer *buffers; // one per worker
    size_t workers;
    bool alone; // only one of them takes part
    qdi_shared_arena arena;
    qdi_pair_task *tasks;
    size_t task_room;
    qdi_pair_part *parts;
    size_t part_room, part_count;
    size_t *places; // of the parts
    size_t place_room;
    uint64_t tests; // see qd_pairs_tests
    size_t found;   // atomic: pairs so far, roughly; exact when it decides
    int stop;       // atomic: a worker ran out of memory (2) or the limit is passed (1)
};

/// Tree's pairs: from now on who takes the pairs; NULL: they are in the result.
void qdi_pairs_hand(qd_pairs *pairs, const qdi_pair_taker *taker);

/// Tree's pairs: the memory in which pairs were found last, which were taken, and an array of so much room
/// change places: who needs memory between searches has it, and gives it back for the next one.
void qdi_pairs_trade(qd_pairs *pairs, qd_pair **items, size_t *room);

/// Tree's pairs: sets task number `number`; those before it are kept.
QD_MUST_USE qd_status qdi_pairs_task(qd_pairs *pairs, size_t number, qdi_pair_task task);

/// Tree's pairs: empties `pairs` and makes it ready for `parts` parts and `workers` workers.
QD_MUST_USE qd_status qdi_pairs_begin(qd_pairs *pairs, size_t workers, size_t parts);

/// Tree's pairs: a worker starts, and ends, a part.
void qdi_pairs_part_begin(qd_pairs *pairs, int worker, size_t part);
void qdi_pairs_part_end(qd_pairs *pairs, int worker, size_t part);

/// Tree's pairs: makes room for `more` further pairs in a worker's buffer. Returns false when the search
/// should stop: limit or memory.
bool qdi_pairs_room(qd_pairs *pairs, int worker, size_t more);

/// Tree's pairs: makes room for `need` rows in a worker's `rows`, of which those below `used` are kept.
/// Returns false as above.
bool qdi_pairs_rows(qd_pairs *pairs, int worker, size_t used, size_t need);

/// Tree's pairs: adds one pair. Returns false when the search should stop.
static inline bool qdi_pairs_push(qd_pairs *pairs, int worker, qd_pair pair) {
    qdi_pair_buffer *buffer = &pairs->buffers[worker];
    if (buffer->count == buffer->room && !qdi_pairs_room(pairs, worker, 1)) return false;
    buffer->items[buffer->count++] = pair;
    return true;
}

/// Tree's pairs: counts boxes that a worker compares.
static inline void qdi_pairs_tested(qd_pairs *pairs, int worker, uint64_t boxes) {
    pairs->buffers[worker].tests += boxes;
}

/// Tree's pairs: true when the search should stop.
static inline bool qdi_pairs_stopped(const qd_pairs *pairs) {
    return __atomic_load_n(&pairs->stop, __ATOMIC_RELAXED) != 0;
}

/// Tree's pairs: puts all parts together. Errors: QD_ERR_LIMIT, QD_ERR_MEMORY; then there are no pairs.
QD_MUST_USE qd_status qdi_pairs_gather(qd_pairs *pairs, qd_team *team);
