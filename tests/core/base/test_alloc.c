// Memory comes from the allocator that was given, aligned, and failures leave everything as it was.
#include "core/base/memory.h"
#include "tests/support/harness.h"

#include <math.h>
#include <string.h>

QD_TEST(heap_memory_is_aligned) {
    const qd_allocator *heap = qd_allocator_default();
    ck_assert_ptr_eq(qdi_allocator_or_default(NULL), heap);
    for (size_t bytes = 1; bytes < 30000000; bytes = bytes * 3 + 1) {
        unsigned char *memory = qdi_allocate(heap, bytes, 1);
        ck_assert_ptr_nonnull(memory);
        ck_assert_uint_eq((uintptr_t)memory % 64, 0);
        memset(memory, 0xaa, bytes); // for the address sanitizer
        qdi_release(heap, memory, bytes, 1);
    }
    qdi_release(heap, NULL, 1, 1);
}

QD_TEST(impossible_sizes_give_nothing) {
    qd_test_allocator test = qd_test_allocator_of(&test, 0);
    ck_assert_ptr_null(qdi_allocate(&test.allocator, 0, 8));
    ck_assert_ptr_null(qdi_allocate(&test.allocator, 8, 0));
    ck_assert_ptr_null(qdi_allocate(&test.allocator, SIZE_MAX / 8 + 1, 8));
    ck_assert_ptr_null(qdi_allocate(&test.allocator, SIZE_MAX, SIZE_MAX));
    ck_assert_uint_eq(test.calls, 0);
    ck_assert_ptr_null(qdi_allocate(qd_allocator_default(), SIZE_MAX - 1, 1));
}

QD_TEST(a_growing_array_keeps_its_items) {
    qd_test_allocator test = qd_test_allocator_of(&test, 0);
    uint32_t *items = NULL;
    size_t room = 0, used = 0;
    for (uint32_t k = 0; k < 10000; ++k) {
        ck_assert_int_eq(qdi_reserve(&test.allocator, &items, &room, used, used + 1, sizeof *items), QD_OK);
        ck_assert_uint_gt(room, used);
        items[used++] = k * 7;
    }
    for (uint32_t k = 0; k < 10000; ++k) ck_assert_uint_eq(items[k], k * 7);
    ck_assert_uint_lt(test.calls, 30); // it grows by half, not by one
    ck_assert_uint_eq(test.live, 1);
    ck_assert_uint_eq(test.live_bytes, room * sizeof *items);
    qdi_release(&test.allocator, items, room, sizeof *items);
    ck_assert_uint_eq(test.live, 0);
    ck_assert_uint_eq(test.live_bytes, 0);
}

QD_TEST(a_failed_growth_changes_nothing) {
    qd_test_allocator test = qd_test_allocator_of(&test, 2);
    uint64_t *items = NULL;
    size_t room = 0;
    ck_assert_int_eq(qdi_reserve(&test.allocator, &items, &room, 0, 4, sizeof *items), QD_OK);
    for (size_t k = 0; k < 4; ++k) items[k] = k + 100;
    uint64_t *const before = items;
    const size_t room_before = room;
    ck_assert_int_eq(qdi_reserve(&test.allocator, &items, &room, 4, 1000, sizeof *items), QD_ERR_MEMORY);
    ck_assert_ptr_eq(items, before);
    ck_assert_uint_eq(room, room_before);
    for (size_t k = 0; k < 4; ++k) ck_assert_uint_eq(items[k], k + 100);
    ck_assert_int_eq(qdi_reserve(&test.allocator, &items, &room, 4, SIZE_MAX / 4, sizeof *items),
                     QD_ERR_MEMORY);
    ck_assert_ptr_eq(items, before);
    qdi_release(&test.allocator, items, room, sizeof *items);
    ck_assert_uint_eq(test.live, 0);
}

// Large memory of the C heap is given back to the system, other memory is written to: all is zero after it,
// nothing beside it is touched, and it is there to be used again.
QD_TEST(cleared_memory_is_zero) {
    qd_test_allocator test = qd_test_allocator_of(&test, 0);
    const qd_allocator *allocators[] = {qd_allocator_default(), &test.allocator};
    const size_t sizes[] = {1, 4096, 3 << 20, (9 << 20) + 77};
    for (size_t k = 0; k < 8; ++k) {
        const size_t bytes = sizes[k / 2], part = bytes - bytes / 16;
        unsigned char *memory = qdi_allocate(allocators[k % 2], bytes, 1);
        ck_assert_ptr_nonnull(memory);
        for (int turn = 0; turn < 2; ++turn) {
            memset(memory, 0xaa, bytes);
            qdi_clear(allocators[k % 2], memory, part);
            size_t wrong = 0;
            for (size_t i = 0; i < bytes; ++i) wrong += memory[i] != (i < part ? 0 : 0xaa);
            ck_assert_uint_eq(wrong, 0);
        }
        qdi_release(allocators[k % 2], memory, bytes, 1);
    }
    qdi_clear(qd_allocator_default(), NULL, 0);
}

QD_TEST(rare_items_are_written_where_they_differ) {
    const double zero = 0, minus = -0.0, nan = (double)NAN;
    double item = 1;
    qdi_put_rare(&item, &zero, sizeof item);
    ck_assert(memcmp(&item, &zero, sizeof item) == 0);
    qdi_put_rare(&item, &minus, sizeof item); // equal, but not the same
    ck_assert(memcmp(&item, &minus, sizeof item) == 0);
    qdi_put_rare(&item, &nan, sizeof item);
    ck_assert(memcmp(&item, &nan, sizeof item) == 0);
    static const double constant = 3; // memory that nobody may write to
    qdi_put_rare((void *)(uintptr_t)&constant, &(double){3}, sizeof constant);
}

QD_TEST_MAIN("alloc", 0, NULL, NULL)
