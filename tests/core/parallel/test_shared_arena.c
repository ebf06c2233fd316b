// The arena: pieces lie apart, all of them lie in one block the next time, and missing memory is told.
#include "core/parallel/parallel.h"
#include "core/parallel/shared_arena.h"
#include "tests/support/harness.h"

#include <string.h>

enum { PIECES = 400 };

typedef struct taking {
    qdi_shared_arena *arena;
    const qd_allocator *allocator;
    unsigned char *pieces[PIECES];
} taking;

static size_t piece_bytes(size_t piece) {
    return 1 + piece * 37 % 5000;
}

static void take_range(void *context, size_t begin, size_t end) {
    taking *job = context;
    for (size_t i = begin; i < end; ++i) {
        job->pieces[i] = qdi_shared_arena_take(job->arena, job->allocator, piece_bytes(i));
        if (job->pieces[i]) memset(job->pieces[i], (int)(i % 251), piece_bytes(i));
    }
}

static void check_pieces(const taking *job) {
    for (size_t i = 0; i < PIECES; ++i) {
        ck_assert_ptr_nonnull(job->pieces[i]);
        ck_assert_uint_eq((uintptr_t)job->pieces[i] % 64, 0);
        size_t others = 0; // an assertion for each byte would take minutes
        for (size_t b = 0; b < piece_bytes(i); ++b) others += job->pieces[i][b] != i % 251;
        ck_assert_uint_eq(others, 0);
    }
}

QD_TEST_LOOP(pieces_lie_apart_and_then_in_one_block, 1, 5) {
    qd_team_def def = qd_team_def_default();
    def.threads = _i;
    qd_team *team = NULL;
    ck_assert_int_eq(qd_team_create(&def, &team), QD_OK);
    qd_test_allocator memory = qd_test_allocator_of(&memory, 0);
    qdi_shared_arena arena = {0};
    taking job = {.arena = &arena, .allocator = &memory.allocator};
    size_t calls = 0;
    for (int round = 0; round < 5; ++round) {
        ck_assert_int_eq(qdi_shared_arena_reset(&arena, &memory.allocator, arena.taken), QD_OK);
        if (round == 2) calls = memory.calls;
        qdi_team_for(team, PIECES, 1, take_range, &job);
        check_pieces(&job);
        ck_assert_uint_eq(qdi_shared_arena_bytes(&arena), memory.live_bytes);
    }
    ck_assert_uint_eq(memory.calls, calls);
    ck_assert_uint_eq(memory.live, 1);
    qdi_shared_arena_release(&arena, &memory.allocator);
    ck_assert_uint_eq(memory.live, 0);
    qd_team_destroy(team);
}

QD_TEST(missing_memory_is_told) {
    qd_test_allocator memory = qd_test_allocator_of(&memory, 2);
    qdi_shared_arena arena = {0};
    ck_assert_int_eq(qdi_shared_arena_reset(&arena, &memory.allocator, 0), QD_OK);
    ck_assert_uint_eq(memory.calls, 0); // whoever takes nothing costs nothing
    ck_assert_ptr_nonnull(qdi_shared_arena_take(&arena, &memory.allocator, 100));
    ck_assert_ptr_null(qdi_shared_arena_take(&arena, &memory.allocator, 1000000));
    ck_assert_ptr_nonnull(qdi_shared_arena_take(&arena, &memory.allocator, 1000000));
    ck_assert_ptr_null(qdi_shared_arena_take(&arena, &memory.allocator, SIZE_MAX - 1));
    memory.fail_at = memory.calls + 1;
    ck_assert_int_eq(qdi_shared_arena_reset(&arena, &memory.allocator, 10), QD_ERR_MEMORY);
    ck_assert_uint_eq(memory.live, 0);
    ck_assert_int_eq(qdi_shared_arena_reset(&arena, &memory.allocator, 10), QD_OK);
    ck_assert_ptr_nonnull(qdi_shared_arena_take(&arena, &memory.allocator, 10));
    qdi_shared_arena_release(&arena, &memory.allocator);
    ck_assert_uint_eq(memory.live, 0);
}

QD_TEST_MAIN("shared_arena", 120, NULL, NULL)
