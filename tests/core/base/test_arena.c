// Working memory that is taken piece by piece and given back at once.
#include "core/base/arena.h"
#include "tests/support/harness.h"

#include <quadrille/random.h>
#include <string.h>

enum { ARRAYS = 60 };

/// Takes arrays of random sizes and fills each with its number.
static void fill(qdi_arena *arena, uint64_t seed, size_t most, unsigned char *array[ARRAYS],
                 size_t bytes[ARRAYS]) {
    for (size_t k = 0; k < ARRAYS; ++k) {
        qd_random random = qd_random_at(seed, k, 0);
        bytes[k] = qd_random_bits(&random) % most;
        array[k] = qdi_arena_take(arena, bytes[k], 1);
        ck_assert_ptr_nonnull(array[k]);
        ck_assert_uint_eq((uintptr_t)array[k] % 64, 0);
        memset(array[k], (int)k + 1, bytes[k]);
    }
}

QD_TEST(arrays_lie_apart) {
    qd_test_allocator test = qd_test_allocator_of(&test, 0);
    qdi_arena arena = {.allocator = &test.allocator};
    unsigned char *array[ARRAYS];
    size_t bytes[ARRAYS];
    for (uint64_t seed = 1; seed <= 50; ++seed) {
        fill(&arena, seed, seed % 5 == 0 ? 100000 : 900, array, bytes);
        for (size_t k = 0; k < ARRAYS; ++k) {
            size_t wrong = 0;
            for (size_t i = 0; i < bytes[k]; ++i) wrong += array[k][i] != k + 1;
            ck_assert_msg(wrong == 0, "seed %llu: array %zu was written over", (unsigned long long)seed, k);
        }
        qdi_arena_empty(&arena);
    }
    qdi_arena_release(&arena);
    ck_assert_uint_eq(test.live, 0);
    ck_assert_uint_eq(test.live_bytes, 0);
}

// What a phase needed once it has in one piece from then on, and asks for no more.
QD_TEST(memory_is_kept) {
    qd_test_allocator test = qd_test_allocator_of(&test, 0);
    qdi_arena arena = {.allocator = &test.allocator};
    unsigned char *array[ARRAYS];
    size_t bytes[ARRAYS];
    for (int round = 0; round < 2; ++round) {
        fill(&arena, 3, 20000, array, bytes);
        qdi_arena_empty(&arena);
    }
    const size_t calls = test.calls;
    for (int round = 0; round < 10; ++round) {
        fill(&arena, 3, 20000, array, bytes);
        qdi_arena_empty(&arena);
    }
    ck_assert_uint_eq(test.calls, calls);
    ck_assert_uint_eq(test.live, 1);
    qdi_arena_release(&arena);
    ck_assert_uint_eq(test.live, 0);
}

QD_TEST(a_part_is_given_back) {
    qd_test_allocator test = qd_test_allocator_of(&test, 0);
    qdi_arena arena = {.allocator = &test.allocator};
    const qdi_arena_mark first = qdi_arena_mark_of(&arena);
    unsigned char *kept = qdi_arena_take(&arena, 1000, 1);
    memset(kept, 7, 1000);
    const qdi_arena_mark mark = qdi_arena_mark_of(&arena);
    for (size_t round = 0; round < 100; ++round) {
        unsigned char *large = qdi_arena_take(&arena, 100000, 1), *small = qdi_arena_take(&arena, 100, 1);
        memset(large, 1, 100000);
        memset(small, 2, 100);
        ck_assert_uint_eq(large[99999], 1);
        qdi_arena_give_back(&arena, mark);
    }
    ck_assert_uint_lt(test.live_bytes, 400000);
    for (size_t i = 0; i < 1000; ++i) ck_assert_uint_eq(kept[i], 7);
    qdi_arena_give_back(&arena, first);
    ck_assert_ptr_eq(qdi_arena_take(&arena, 1, 1), kept);
    qdi_arena_release(&arena);
}

QD_TEST(no_memory_is_said) {
    qd_test_allocator test = qd_test_allocator_of(&test, 2);
    qdi_arena arena = {.allocator = &test.allocator};
    ck_assert_ptr_null(qdi_arena_take(&arena, SIZE_MAX, 2));
    ck_assert_ptr_null(qdi_arena_take(&arena, 2, SIZE_MAX));
    ck_assert_uint_eq(test.calls, 0);
    unsigned char *taken = qdi_arena_take(&arena, 0, 8);
    ck_assert_ptr_nonnull(taken);
    ck_assert_ptr_null(qdi_arena_take(&arena, 1000000, 1));
    ck_assert_ptr_nonnull(qdi_arena_take(&arena, 10, 1)); // there is still room for this
    qdi_arena_empty(&arena);
    ck_assert_ptr_eq(qdi_arena_take(&arena, 10, 1), taken);
    qdi_arena_release(&arena);
    ck_assert_uint_eq(test.live, 0);
}

// An array and an arena take turns with their memory; what is taken stays where it is.
QD_TEST(memory_takes_turns) {
    enum { ITEM = 12 };
    qd_test_allocator test = qd_test_allocator_of(&test, 0);
    qdi_arena arena = {.allocator = &test.allocator};
    void *array = NULL;
    size_t room = 0;
    qdi_arena_trade(&arena, &array, &room, ITEM); // nothing for nothing
    ck_assert(!array && room == 0);
    ck_assert_ptr_nonnull(qdi_arena_take(&arena, 100000, 1));
    qdi_arena_trade(&arena, &array, &room, ITEM);
    ck_assert(!array && room == 0); // it is in use
    (void)qdi_arena_take(&arena, 400000, 1);
    qdi_arena_empty(&arena);
    unsigned char *taken = qdi_arena_take(&arena, 500000, 1);
    qdi_arena_empty(&arena);
    const size_t calls = test.calls;
    for (int round = 0; round < 3; ++round) {
        qdi_arena_trade(&arena, &array, &room, ITEM);
        ck_assert(array == taken && room * ITEM >= 500000);
        memset(array, round, room * ITEM);
        qdi_arena_trade(&arena, &array, &room, ITEM);
        ck_assert(!array && room == 0);
        ck_assert_ptr_eq(qdi_arena_take(&arena, 500000, 1), taken);
        qdi_arena_empty(&arena);
    }
    ck_assert_uint_eq(test.calls, calls);
    room = 1001; // bytes that are no number of the items of the other side
    array = test.allocator.allocate(test.allocator.context, room * ITEM);
    void *other = array;
    qdi_arena_trade(&arena, &array, &room, ITEM);
    ck_assert(array == taken);
    size_t number = room * ITEM / 192;
    qdi_arena_trade(&arena, &array, &number, 192);
    ck_assert(array == taken);
    qdi_arena_trade(&arena, &array, &room, ITEM);
    ck_assert(array == other && room == 1001);
    test.allocator.release(test.allocator.context, array, room * ITEM);
    qdi_arena_release(&arena);
    ck_assert(test.live == 0 && test.live_bytes == 0);
}

QD_TEST_MAIN("arena", 0, NULL, NULL)
