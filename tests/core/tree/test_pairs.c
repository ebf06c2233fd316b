// The array of pairs: parts come out in their order whoever did them, limits and missing memory stop
// everyone, and what is held is told.
#include "core/base/arena.h"
#include "core/base/memory.h"
#include "core/tree/pairs_impl.h"
#include "tests/support/brutes.h"

#include <string.h>

// Part p has p * 31 % 97 pairs (p, 0), (p, 1), ...; some are large.
static size_t part_pairs(size_t part) {
    return part % 50 == 49 ? 5000 : part * 31 % 97;
}

static void fill_parts(void *context, size_t begin, size_t end, int worker) {
    qd_pairs *pairs = context;
    for (size_t part = begin; part < end && !qdi_pairs_stopped(pairs); ++part) {
        qdi_pairs_part_begin(pairs, worker, part);
        for (size_t i = 0; i < part_pairs(part); ++i) {
            qd_pair pair = {(qd_body_index)part, (qd_body_index)i, {(int16_t)(part % 3), -1}};
            if (!qdi_pairs_push(pairs, worker, pair)) break;
        }
        qdi_pairs_part_end(pairs, worker, part);
    }
}

static size_t parts_total(size_t parts) {
    size_t total = 0;
    for (size_t p = 0; p < parts; ++p) total += part_pairs(p);
    return total;
}

static qd_status fill(qd_pairs *pairs, qd_team *team, size_t parts) {
    qd_status status = qdi_pairs_begin(pairs, (size_t)qd_team_threads(team), parts);
    if (status != QD_OK) return status;
    qdi_team_for_workers(team, parts, 1, fill_parts, pairs);
    return qdi_pairs_gather(pairs, team);
}

static void check_parts(const qd_pairs *pairs, size_t parts) {
    size_t count = 0;
    const qd_pair *found = qd_pairs_data(pairs, &count);
    ck_assert_uint_eq(count, parts_total(parts));
    size_t at = 0;
    size_t right = 0;
    for (size_t p = 0; p < parts; ++p) {
        for (size_t i = 0; i < part_pairs(p); ++i, ++at) {
            right += found[at].a == p && found[at].b == i && found[at].image.x == (int16_t)(p % 3) &&
                     found[at].image.y == -1;
        }
    }
    ck_assert_uint_eq(right, count);
}

QD_TEST_LOOP(parts_come_in_order, 1, 5) {
    qd_own(qd_team) team = make_team(_i);
    qd_own(qd_pairs) pairs = NULL;
    ck_assert_int_eq(qd_pairs_create(1000000, NULL, &pairs), QD_OK);
    static const size_t parts[] = {0, 1, 2, 49, 50, 333, 3, 1000, 0};
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; ++k) {
        ck_assert_int_eq(fill(pairs, team, parts[k]), QD_OK);
        check_parts(pairs, parts[k]);
    }
}

/// What somebody who takes pairs has of them.
typedef struct taken_pairs {
    const qd_allocator *allocator;
    qd_pair *items;
    size_t count;
    _Atomic size_t taken;
    qd_status status; ///< of making room
} taken_pairs;

static qd_status expect_pairs(void *context, size_t count) {
    taken_pairs *all = context;
    if (all->status != QD_OK) return all->status;
    all->items = qdi_allocate(all->allocator, count + 1, sizeof *all->items);
    all->count = count;
    return QD_OK;
}

static void take_pairs(void *context, size_t first, const qd_pair *pairs, size_t count) {
    taken_pairs *all = context;
    ck_assert_uint_le(first + count, all->count);
    memcpy(all->items + first, pairs, count * sizeof *pairs);
    all->taken += count;
}

// Who takes the pairs gets what the result would have, and there is none; the memory of the search is a
// step's in between. In the steady state nothing is allocated but by who takes them.
QD_TEST_LOOP(pairs_are_taken, 1, 4) {
    qd_test_allocator test = qd_test_allocator_of(&test, 0);
    qd_own(qd_team) team = make_team(_i), alone = make_team(1);
    qd_pairs *pairs = NULL, *plain = NULL;
    ck_assert_int_eq(qd_pairs_create(1000000, &test.allocator, &pairs), QD_OK);
    ck_assert_int_eq(qd_pairs_create(1000000, NULL, &plain), QD_OK);
    static const size_t parts[] = {0, 50, 1000, 333, 333, 1000, 1000, 1000};
    qdi_arena arena = {.allocator = &test.allocator};
    for (size_t k = 0; k < 2 * sizeof parts / sizeof parts[0]; ++k) {
        const size_t calls = test.calls, here = parts[k % 8];
        qd_team *mine = k == 8 ? alone : team; // another team now and then
        taken_pairs all = {.allocator = qd_allocator_default()};
        const qdi_pair_taker taker = {expect_pairs, take_pairs, &all};
        qd_pair *memory = NULL;
        size_t room = 0, count = 1;
        qdi_pairs_trade(pairs, &memory, &room);
        void *array = memory;
        qdi_arena_trade(&arena, &array, &room, sizeof *memory);
        memory = array;
        qdi_pairs_trade(pairs, &memory, &room);
        qdi_pairs_hand(pairs, &taker);
        ck_assert_int_eq(fill(pairs, mine, here), QD_OK);
        qdi_pairs_hand(pairs, NULL);
        (void)qd_pairs_data(pairs, &count);
        ck_assert_uint_eq(count, 0);
        ck_assert_int_eq(fill(plain, mine, here), QD_OK);
        const qd_pair *items = qd_pairs_data(plain, &count);
        ck_assert(all.count == count && all.taken == count);
        ck_assert(count == 0 || memcmp(all.items, items, count * sizeof *items) == 0);
        qdi_release(all.allocator, all.items, all.count + 1, sizeof *all.items);
        memory = NULL;
        room = 0;
        qdi_pairs_trade(pairs, &memory, &room);
        array = memory;
        qdi_arena_trade(&arena, &array, &room, sizeof *memory);
        memory = array;
        qdi_pairs_trade(pairs, &memory, &room);
        unsigned char *taken = qdi_arena_take(&arena, 30000, 1);
        ck_assert_ptr_nonnull(taken);
        memset(taken, 0x5a, 30000);
        qdi_arena_empty(&arena);
        if (k % 8 == 7) ck_assert_uint_eq(test.calls, calls);
    }
    taken_pairs none = {.status = QD_ERR_MEMORY};
    const qdi_pair_taker taker = {expect_pairs, take_pairs, &none};
    qdi_pairs_hand(pairs, &taker);
    ck_assert_int_eq(fill(pairs, team, 50), QD_ERR_MEMORY);
    ck_assert_uint_eq(none.taken, 0);
    qdi_pairs_hand(pairs, NULL);
    ck_assert_int_eq(fill(pairs, team, 50), QD_OK);
    check_parts(pairs, 50);
    qd_pairs_destroy(plain);
    qd_pairs_destroy(pairs);
    qdi_arena_release(&arena);
    ck_assert(test.live == 0 && test.live_bytes == 0);
}

QD_TEST(more_workers_than_last_time) {
    qd_own(qd_pairs) pairs = NULL;
    ck_assert_int_eq(qd_pairs_create(1000000, NULL, &pairs), QD_OK);
    static const int threads[] = {1, 3, 2, 8, 1};
    for (int t = 0; t < 5; ++t) {
        qd_own(qd_team) team = make_team(threads[t]);
        ck_assert_int_eq(fill(pairs, team, 200), QD_OK);
        check_parts(pairs, 200);
    }
}

QD_TEST_LOOP(limit_is_exact, 1, 4) {
    qd_own(qd_team) team = make_team(_i);
    qd_own(qd_pairs) pairs = NULL;
    static const size_t parts[] = {2, 60, 300};
    ck_assert_int_eq(qd_pairs_create(1, NULL, &pairs), QD_OK);
    for (int k = 0; k < 3; ++k) {
        size_t total = parts_total(parts[k]);
        size_t count = 1;
        qd_pairs_set_limit(pairs, total);
        ck_assert_int_eq(fill(pairs, team, parts[k]), QD_OK);
        check_parts(pairs, parts[k]);
        for (size_t limit = total - 1; limit > 0; limit /= 3) {
            qd_pairs_set_limit(pairs, limit);
            ck_assert_int_eq(fill(pairs, team, parts[k]), QD_ERR_LIMIT);
            (void)qd_pairs_data(pairs, &count);
            ck_assert_uint_eq(count, 0);
        }
        qd_pairs_set_limit(pairs, 0); // is 1
        ck_assert_int_eq(fill(pairs, team, parts[k]), QD_ERR_LIMIT);
    }
}

static void fill_for_ever(void *context, size_t begin, size_t end, int worker) {
    (void)end;
    qd_pairs *pairs = context;
    qdi_pairs_part_begin(pairs, worker, begin);
    while (qdi_pairs_push(pairs, worker, (qd_pair){1, 2, {0, 0}})) {
    }
    qdi_pairs_part_end(pairs, worker, begin);
}

// Searches that would never end do, and hold little more than the limit.
QD_TEST(limit_stops_everyone) {
    qd_own(qd_team) team = make_team(3);
    qd_own(qd_pairs) pairs = NULL;
    ck_assert_int_eq(qd_pairs_create(100000, NULL, &pairs), QD_OK);
    ck_assert_int_eq(qdi_pairs_begin(pairs, 3, 12), QD_OK);
    qdi_team_for_workers(team, 12, 1, fill_for_ever, pairs);
    ck_assert(qdi_pairs_stopped(pairs));
    ck_assert_int_eq(qdi_pairs_gather(pairs, team), QD_ERR_LIMIT);
    ck_assert_uint_lt(qd_pairs_bytes(pairs), 3 * 3 * 100000 * sizeof(qd_pair));
    ck_assert_int_eq(fill(pairs, team, 5), QD_OK); // and then goes on
    check_parts(pairs, 5);
}

QD_TEST(bytes_are_those_of_the_allocator) {
    qd_own(qd_team) team = make_team(2);
    qd_test_allocator memory = qd_test_allocator_of(&memory, 0);
    qd_pairs *pairs = NULL;
    ck_assert_int_eq(qd_pairs_create(1000000, &memory.allocator, &pairs), QD_OK);
    ck_assert_uint_eq(qd_pairs_bytes(pairs), memory.live_bytes);
    for (size_t parts = 0; parts < 300; parts += 90) {
        for (size_t t = 0; t < parts; ++t)
            ck_assert_int_eq(qdi_pairs_task(pairs, t, (qdi_pair_task){0}), QD_OK);
        ck_assert_int_eq(fill(pairs, team, parts), QD_OK);
        ck_assert_uint_eq(qd_pairs_bytes(pairs), memory.live_bytes);
    }
    // A steady state allocates nothing.
    for (int k = 0; k < 20; ++k) ck_assert_int_eq(fill(pairs, team, 50), QD_OK);
    qd_team_destroy(team);
    team = make_team(1);
    // One worker's buffer becomes the result, and the old result its buffer: both must have grown.
    for (int k = 0; k < 2; ++k) ck_assert_int_eq(fill(pairs, team, 270), QD_OK);
    size_t calls = memory.calls;
    for (int k = 0; k < 4; ++k) ck_assert_int_eq(fill(pairs, team, 270), QD_OK);
    ck_assert_uint_eq(memory.calls, calls);
    qd_pairs_destroy(pairs);
    ck_assert_uint_eq(memory.live, 0);
    ck_assert_uint_eq(memory.live_bytes, 0);
}

QD_TEST_LOOP(every_allocation_may_fail, 1, 4) {
    qd_own(qd_team) team = make_team(_i);
    size_t refused = 0;
    for (size_t fail_at = 1;; ++fail_at) {
        qd_test_allocator memory = qd_test_allocator_of(&memory, fail_at);
        qd_pairs *pairs = NULL;
        qd_status status = qd_pairs_create(1000000, &memory.allocator, &pairs);
        ck_assert_int_eq(pairs == NULL, status != QD_OK);
        if (status == QD_OK) {
            status = fill(pairs, team, 120);
            if (status == QD_OK) check_parts(pairs, 120);
            size_t count = 1;
            (void)qd_pairs_data(pairs, &count);
            if (status != QD_OK) ck_assert_uint_eq(count, 0);
        }
        bool failed = memory.calls >= fail_at;
        ck_assert_int_eq(status, failed ? QD_ERR_MEMORY : QD_OK);
        if (failed && pairs) {
            ck_assert_int_eq(fill(pairs, team, 120), QD_OK);
            check_parts(pairs, 120);
        }
        qd_pairs_destroy(pairs);
        ck_assert_uint_eq(memory.live, 0);
        if (!failed) break;
        refused += 1;
    }
    ck_assert_uint_gt(refused, 5);
}

// A search whose plan finds no memory leaves no pairs of the one before.
QD_TEST(a_failed_plan_leaves_no_pairs) {
    qd_own(qd_team) team = make_team(1);
    qd_test_allocator memory = qd_test_allocator_of(&memory, 0);
    qd_own(qd_pairs) pairs = NULL;
    ck_assert_int_eq(qd_pairs_create(1000000, &memory.allocator, &pairs), QD_OK);
    ck_assert_int_eq(fill(pairs, team, 20), QD_OK);
    memory.fail_at = memory.calls + 1;
    ck_assert_int_eq(qdi_pairs_task(pairs, 0, (qdi_pair_task){0}), QD_ERR_MEMORY);
    size_t count = 1;
    (void)qd_pairs_data(pairs, &count);
    ck_assert_uint_eq(count, 0);
}

QD_TEST(arguments_are_checked) {
    qd_own(qd_pairs) pairs = NULL;
    ck_assert_int_eq(qd_pairs_create(10, NULL, NULL), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_pairs_create(0, NULL, &pairs), QD_ERR_VALUE);
    ck_assert_ptr_null(pairs);
    qd_pairs_destroy(NULL);
    ck_assert_int_eq(qd_pairs_create(10, NULL, &pairs), QD_OK);
    size_t count = 1;
    (void)qd_pairs_data(pairs, &count);
    ck_assert_uint_eq(count, 0);
    (void)qd_pairs_data(pairs, NULL);
}

QD_TEST_MAIN("pairs", 120, NULL, NULL)
