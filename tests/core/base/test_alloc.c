// Memory comes from the allocator that was given, aligned, and failures leave everything as it was.
#include "core/base/memory.h"
#include "tests/support/harness.h"

#include <string.h>

START_TEST(heap_memory_is_aligned) {
    const qd_allocator *heap = qd_allocator_default();
    ck_assert_ptr_eq(qdi_allocator_or_default(NULL), heap);
    for (size_t bytes = 1; bytes < 10000; bytes = bytes * 3 + 1) {
        unsigned char *memory = qdi_allocate(heap, bytes, 1);
        ck_assert_ptr_nonnull(memory);
        ck_assert_uint_eq((uintptr_t)memory % 64, 0);
        memset(memory, 0xaa, bytes); // for the address sanitizer
        qdi_release(heap, memory, bytes, 1);
    }
    qdi_release(heap, NULL, 1, 1);
}
END_TEST

START_TEST(impossible_sizes_give_nothing) {
    qd_test_allocator test;
    qd_test_allocator_init(&test, 0);
    ck_assert_ptr_null(qdi_allocate(&test.allocator, 0, 8));
    ck_assert_ptr_null(qdi_allocate(&test.allocator, 8, 0));
    ck_assert_ptr_null(qdi_allocate(&test.allocator, SIZE_MAX / 8 + 1, 8));
    ck_assert_ptr_null(qdi_allocate(&test.allocator, SIZE_MAX, SIZE_MAX));
    ck_assert_uint_eq(test.calls, 0);
    ck_assert_ptr_null(qdi_allocate(qd_allocator_default(), SIZE_MAX - 1, 1));
}
END_TEST

START_TEST(a_growing_array_keeps_its_items) {
    qd_test_allocator test;
    qd_test_allocator_init(&test, 0);
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
END_TEST

START_TEST(a_failed_growth_changes_nothing) {
    qd_test_allocator test;
    qd_test_allocator_init(&test, 2);
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
END_TEST

int main(void) {
    TCase *tests = qd_test_case("alloc", 0, NULL, NULL);
    qd_test_once(tests, heap_memory_is_aligned, impossible_sizes_give_nothing,
                 a_growing_array_keeps_its_items, a_failed_growth_changes_nothing);
    return qd_test_run_case("alloc", tests);
}
