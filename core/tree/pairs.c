// The array of pairs; pairs_impl.h explains how workers fill it.
//
// Shared and written while workers run: `found` and `stop`, relaxed atomics that decide only whether the
// search continues (their order with other memory does not matter: the join that ends the parallel part
// orders everything), and the arena, which one worker at a time takes a span from, or holds while it calls
// the allocator.
#include "core/tree/pairs_impl.h"

#include "core/base/memory.h"

#include <string.h>

enum { FIRST_ROOM = 1024, SPAN = 1024, REPORT_EVERY = 4096, HANDED = 4096 };

qd_status qd_pairs_create(size_t limit, const qd_allocator *allocator, qd_pairs **pairs) {
    if (!pairs) return QD_ERR_ARGUMENT;
    *pairs = NULL;
    if (limit == 0) return QD_ERR_VALUE;
    allocator = qdi_allocator_or_default(allocator);
    qd_pairs *made = qdi_allocate(allocator, 1, sizeof *made);
    if (!made) return QD_ERR_MEMORY;
    *made = (qd_pairs){.allocator = allocator, .limit = limit};
    *pairs = made;
    return QD_OK;
}

// The columns of a worker's rows lie in one block, `room` and the slack apart.
enum { ROW_COLUMNS = 5 };

// Tree's pairs: words of memory for the boxes that a worker of a pair search carries along.
static size_t pair_rows_words(size_t room) {
    return room == 0 ? 0 : ROW_COLUMNS * (room + QDI_SLOT_SLACK);
}

// Tree's pairs: frees the workers' buffers of pairs.
static void pair_buffers_release(qd_pairs *pairs) {
    for (size_t w = 0; w < pairs->workers; ++w) {
        const qdi_slots *rows = &pairs->buffers[w].rows;
        qdi_release(pairs->allocator, rows->min_x, pair_rows_words(rows->room), sizeof(float));
    }
    qdi_release(pairs->allocator, pairs->buffers, pairs->workers, sizeof *pairs->buffers);
    pairs->buffers = NULL;
    pairs->workers = 0;
}

void qd_pairs_destroy(qd_pairs *pairs) {
    if (!pairs) return;
    const qd_allocator *allocator = pairs->allocator;
    pair_buffers_release(pairs);
    qdi_shared_arena_release(&pairs->arena, allocator);
    qdi_release(allocator, pairs->items, pairs->room, sizeof *pairs->items);
    qdi_release(allocator, pairs->tasks, pairs->task_room, sizeof *pairs->tasks);
    qdi_release(allocator, pairs->parts, pairs->part_room, sizeof *pairs->parts);
    qdi_release(allocator, pairs->places, pairs->place_room, sizeof *pairs->places);
    qdi_release(allocator, pairs, 1, sizeof *pairs);
}

void qd_pairs_set_limit(qd_pairs *pairs, size_t limit) {
    pairs->limit = limit > 0 ? limit : 1;
}

const qd_pair *qd_pairs_data(const qd_pairs *pairs, size_t *count) {
    if (count) *count = pairs->count;
    return pairs->items;
}

void qdi_pairs_trade(qd_pairs *pairs, qd_pair **items, size_t *room) {
    qd_pair *array = *items;
    const size_t array_room = *room;
    pairs->count = 0;
    if (pairs->workers > 0 && !pairs->alone) {
        void *memory = array;
        size_t bytes = array_room * sizeof *array;
        qdi_shared_arena_trade(&pairs->arena, pairs->allocator, &memory, &bytes);
        *items = memory;
        *room = bytes / sizeof *array;
        return;
    }
    *items = pairs->items;
    *room = pairs->room;
    pairs->items = array;
    pairs->room = array_room;
}

void qdi_pairs_hand(qd_pairs *pairs, const qdi_pair_taker *taker) {
    pairs->taker = taker;
    pairs->count = 0;
}

uint64_t qd_pairs_tests(const qd_pairs *pairs) {
    return pairs->tests;
}

size_t qd_pairs_bytes(const qd_pairs *pairs) {
    size_t bytes = sizeof *pairs + pairs->room * sizeof *pairs->items +
                   pairs->task_room * sizeof *pairs->tasks + pairs->part_room * sizeof *pairs->parts +
                   pairs->place_room * sizeof *pairs->places + pairs->workers * sizeof *pairs->buffers +
                   qdi_shared_arena_bytes(&pairs->arena);
    for (size_t w = 0; w < pairs->workers; ++w)
        bytes += pair_rows_words(pairs->buffers[w].rows.room) * sizeof(float);
    return bytes;
}

qd_status qdi_pairs_task(qd_pairs *pairs, size_t number, qdi_pair_task task) {
    qd_status status = qdi_reserve(pairs->allocator, &pairs->tasks, &pairs->task_room, number, number + 1,
                                   sizeof *pairs->tasks);
    if (status == QD_OK) pairs->tasks[number] = task;
    if (status != QD_OK)
        pairs->count = 0; // a search that fails leaves no pairs, not even those of the last one
    return status;
}

// Tree's pairs: bytes of a span with room for so many pairs.
static size_t pair_span_bytes(size_t room) {
    return sizeof(qdi_pair_span) + room * sizeof(qd_pair);
}

// Tree's pairs: makes a buffer of pairs for each worker.
static qd_status pair_buffers_reserve(qd_pairs *pairs, size_t workers) {
    if (workers <= pairs->workers) return QD_OK;
    qdi_pair_buffer *buffers = qdi_allocate(pairs->allocator, workers, sizeof *buffers);
    if (!buffers) return QD_ERR_MEMORY;
    memset(buffers, 0, workers * sizeof *buffers);
    if (pairs->workers > 0) memcpy(buffers, pairs->buffers, pairs->workers * sizeof *buffers);
    qdi_release(pairs->allocator, pairs->buffers, pairs->workers, sizeof *buffers);
    pairs->buffers = buffers;
    pairs->workers = workers;
    return QD_OK;
}

// Tree's pairs: gives a worker room for more boxes to carry along.
static bool pair_rows_resize(const qd_allocator *allocator, qdi_slots *rows, size_t used, size_t room) {
    float *block = qdi_allocate(allocator, pair_rows_words(room), sizeof *block);
    if (!block) return false;
    const size_t column = room + QDI_SLOT_SLACK;
    const qdi_slots grown = {.min_x = block,
                             .min_y = block + column,
                             .max_x = block + 2 * column,
                             .max_y = block + 3 * column,
                             .index = (qd_body_index *)(void *)(block + 4 * column),
                             .room = room};
    // All of it, the slack too: kernels read past what was written, though they do not use it.
    memset(block, 0, pair_rows_words(room) * sizeof *block);
    if (used > 0) {
        memcpy(grown.min_x, rows->min_x, used * sizeof *grown.min_x);
        memcpy(grown.min_y, rows->min_y, used * sizeof *grown.min_y);
        memcpy(grown.max_x, rows->max_x, used * sizeof *grown.max_x);
        memcpy(grown.max_y, rows->max_y, used * sizeof *grown.max_y);
        memcpy(grown.index, rows->index, used * sizeof *grown.index);
    }
    qdi_release(allocator, rows->min_x, pair_rows_words(rows->room), sizeof(float));
    *rows = grown;
    return true;
}

// Tree's pairs: gives each worker as much room for boxes as the one with most, for any may get the task that
// needs it.
static qd_status pair_rows_equalize(qd_pairs *pairs, size_t workers) {
    size_t most = 0;
    for (size_t w = 0; w < pairs->workers; ++w) {
        if (pairs->buffers[w].rows.room > most) most = pairs->buffers[w].rows.room;
    }
    for (size_t w = 0; w < workers; ++w) {
        qdi_slots *rows = &pairs->buffers[w].rows;
        if (rows->room < most && !pair_rows_resize(pairs->allocator, rows, 0, most)) return QD_ERR_MEMORY;
    }
    return QD_OK;
}

// Tree's pairs: empties the workers' buffers for a new search of pairs.
static qd_status pair_buffers_begin(qd_pairs *pairs, size_t workers) {
    pairs->alone = workers == 1;
    size_t least = 0;
    if (pairs->alone) {
        qdi_shared_arena_release(&pairs->arena, pairs->allocator);
    } else if (pairs->taker) { // there is no result
        qdi_release(pairs->allocator, pairs->items, pairs->room, sizeof *pairs->items);
        pairs->items = NULL;
        pairs->room = 0;
    }
    if (!pairs->alone && pairs->arena.taken > 0) { // as much as last time, and a span begun by everyone
        least = pairs->arena.taken + workers * pair_span_bytes(SPAN);
    }
    qd_status status = qdi_shared_arena_reset(&pairs->arena, pairs->allocator, least);
    if (status != QD_OK) return status;
    for (size_t w = 0; w < pairs->workers; ++w) {
        qdi_pair_buffer *buffer = &pairs->buffers[w];
        buffer->items = NULL;
        buffer->room = buffer->count = buffer->before = buffer->reported = 0;
        buffer->tests = 0;
        buffer->head = (qdi_pair_span){NULL, 0};
        buffer->span = &buffer->head;
    }
    if (!pairs->alone) return pair_rows_equalize(pairs, workers);
    pairs->buffers[0].items = pairs->items;
    pairs->buffers[0].room = pairs->room;
    return QD_OK;
}

qd_status qdi_pairs_begin(qd_pairs *pairs, size_t workers, size_t parts) {
    pairs->count = 0;
    pairs->tests = 0;
    qd_status status = pair_buffers_reserve(pairs, workers);
    if (status == QD_OK) {
        status = qdi_reserve(pairs->allocator, &pairs->parts, &pairs->part_room, 0, parts,
                             sizeof *pairs->parts);
    }
    if (status == QD_OK) {
        status = qdi_reserve(pairs->allocator, &pairs->places, &pairs->place_room, 0, parts,
                             sizeof *pairs->places);
    }
    if (status == QD_OK) status = pair_buffers_begin(pairs, workers);
    if (status != QD_OK) return status;
    for (size_t p = 0; p < parts; ++p) pairs->parts[p] = (qdi_pair_part){NULL, 0, 0};
    pairs->part_count = parts;
    pairs->found = 0;
    pairs->stop = 0;
    return QD_OK;
}

// Tree's pairs: how many pairs a worker has found in this search.
static size_t pairs_found_by_worker(const qdi_pair_buffer *buffer) {
    return buffer->before + buffer->count;
}

// Tree's pairs: adds what a worker found since it last reported to the common count, and stops the search
// past the limit.
static void report_pairs_found(qd_pairs *pairs, qdi_pair_buffer *buffer) {
    const size_t mine = pairs_found_by_worker(buffer);
    size_t found = __atomic_add_fetch(&pairs->found, mine - buffer->reported, __ATOMIC_RELAXED);
    buffer->reported = mine;
    if (found > pairs->limit) {
        int going = 0;
        (void)__atomic_compare_exchange_n(&pairs->stop, &going, 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
}

void qdi_pairs_part_begin(qd_pairs *pairs, int worker, size_t part) {
    const qdi_pair_buffer *buffer = &pairs->buffers[worker];
    pairs->parts[part] = (qdi_pair_part){buffer->span, buffer->count, pairs_found_by_worker(buffer)};
}

void qdi_pairs_part_end(qd_pairs *pairs, int worker, size_t part) {
    qdi_pair_buffer *buffer = &pairs->buffers[worker];
    pairs->parts[part].count = pairs_found_by_worker(buffer) - pairs->parts[part].count;
    if (pairs_found_by_worker(buffer) - buffer->reported >= REPORT_EVERY) report_pairs_found(pairs, buffer);
}

// Tree's pairs: makes room for more pairs in the result, which is the buffer of the only worker.
static bool pair_result_grow(qd_pairs *pairs, qdi_pair_buffer *buffer, size_t more) {
    size_t need = buffer->count + more;
    if (need < FIRST_ROOM) need = FIRST_ROOM;
    qd_status status = qdi_reserve(pairs->allocator, &pairs->items, &pairs->room, buffer->count, need,
                                   sizeof *pairs->items);
    buffer->items = pairs->items;
    buffer->room = pairs->room;
    return status == QD_OK;
}

// Tree's pairs: gives a worker a new span of memory for its pairs.
static bool pair_span_begin(qd_pairs *pairs, qdi_pair_buffer *buffer, size_t room) {
    qdi_pair_span *span = NULL;
    if (room <= (SIZE_MAX - sizeof *span) / sizeof(qd_pair))
        span = qdi_shared_arena_take(&pairs->arena, pairs->allocator, pair_span_bytes(room));
    if (!span) return false;
    *span = (qdi_pair_span){NULL, 0};
    buffer->span->next = span;
    buffer->span->count = buffer->count;
    buffer->before += buffer->count;
    buffer->span = span;
    buffer->items = (qd_pair *)(void *)(span + 1);
    buffer->room = room;
    buffer->count = 0;
    return true;
}

bool qdi_pairs_room(qd_pairs *pairs, int worker, size_t more) {
    qdi_pair_buffer *buffer = &pairs->buffers[worker];
    if (buffer->room - buffer->count >= more) return true;
    report_pairs_found(pairs, buffer);
    if (qdi_pairs_stopped(pairs)) return false;
    const bool grown = pairs->alone ? pair_result_grow(pairs, buffer, more)
                                    : pair_span_begin(pairs, buffer, more > SPAN ? more : SPAN);
    if (!grown) __atomic_store_n(&pairs->stop, 2, __ATOMIC_RELAXED);
    return grown;
}

bool qdi_pairs_rows(qd_pairs *pairs, int worker, size_t used, size_t need) {
    qdi_slots *rows = &pairs->buffers[worker].rows;
    if (rows->room >= need) return true;
    const size_t room = rows->room + rows->room / 2;
    qdi_shared_arena_lock(&pairs->arena);
    bool grown = pair_rows_resize(pairs->allocator, rows, used, (room < need ? need : room) + FIRST_ROOM);
    qdi_shared_arena_unlock(&pairs->arena);
    if (!grown) __atomic_store_n(&pairs->stop, 2, __ATOMIC_RELAXED);
    return grown;
}

// Tree's pairs: puts pairs where they belong: number `first` and those after it.
static void put_pairs(const qd_pairs *pairs, size_t first, const qd_pair *from, size_t count) {
    if (pairs->taker)
        pairs->taker->take(pairs->taker->context, first, from, count);
    else
        memcpy(pairs->items + first, from, count * sizeof *from);
}

// Tree's pairs: hands over the pairs [begin, end) of the only worker.
static void hand_pairs_range(void *context, size_t begin, size_t end) {
    const qd_pairs *pairs = context;
    put_pairs(pairs, begin, pairs->items + begin, end - begin);
}

// Tree's pairs: puts the pairs of the parts [begin, end) where they belong.
static void put_pair_parts_range(void *context, size_t begin, size_t end) {
    qd_pairs *pairs = context;
    for (size_t p = begin; p < end; ++p) {
        const qdi_pair_part *part = &pairs->parts[p];
        if (part->count == 0) continue; // there may be no items at all
        size_t to = pairs->places[p];
        const qdi_pair_span *span = part->span;
        size_t at = part->begin;
        for (size_t left = part->count; left > 0; span = span->next, at = 0) {
            size_t here = span->next ? span->count - at : left;
            if (here > left) here = left;
            if (here > 0) put_pairs(pairs, to, (const qd_pair *)(const void *)(span + 1) + at, here);
            to += here;
            left -= here;
        }
    }
}

qd_status qdi_pairs_gather(qd_pairs *pairs, qd_team *team) {
    if (pairs->stop == 2) return QD_ERR_MEMORY;
    for (size_t p = 0; p < pairs->part_count; ++p) pairs->places[p] = pairs->parts[p].count;
    size_t total = qdi_exclusive_scan(pairs->places, pairs->part_count);
    if (pairs->stop != 0 || total > pairs->limit) return QD_ERR_LIMIT;
    qd_status status = QD_OK;
    if (pairs->taker)
        status = pairs->taker->expect(pairs->taker->context, total);
    else if (!pairs->alone)
        status = qdi_reserve(pairs->allocator, &pairs->items, &pairs->room, 0, total, sizeof *pairs->items);
    if (status != QD_OK) return status;
    if (!pairs->alone)
        qdi_team_for(team, pairs->part_count, pairs->part_count * HANDED / (total + HANDED) + 1,
                     put_pair_parts_range, pairs);
    else if (pairs->taker)
        qdi_team_for(team, total, HANDED, hand_pairs_range, pairs);
    pairs->count = pairs->taker ? 0 : total;
    for (size_t w = 0; w < pairs->workers; ++w) pairs->tests += pairs->buffers[w].tests;
    return QD_OK;
}
