#include "export/raster/palette.h"
#include "export/raster/shade.h"
#include "sim/world/thread_notes.h"
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <quadrille/view.h>
#include <stdbool.h>

// Which thread moved which body: what pictures with `view.colour: thread` tell.

static qd_world *gas(int threads, size_t side) {
    qd_world_def def = qd_world_def_default();
    def.threads = threads;
    qd_test_gas_def(&def, side, side);
    qd_world *world = qd_test_world(&def);
    qd_test_gas_fill(world, side, side, 4);
    return world;
}

static unsigned hue_of(const qd_world *world, size_t row) {
    qd_view view = qd_view_default();
    view.colour = QD_VIEW_THREAD;
    const qdi_shade shade = qdi_shade_of(&view, world, 1.0);
    return qdi_shade_hue(&shade, row);
}

QD_TEST(nobody_asks) {
    qd_own(qd_world) world = gas(2, 10);
    qd_test_step(world, 0.01, 2);
    for (size_t row = 0; row < 100; ++row) ck_assert_int_eq(qdi_thread_of_row(world, row), QDI_NO_THREAD);
    ck_assert_uint_eq(hue_of(world, 7), QDI_CATEGORIES);
}

QD_TEST(of_one_thread) {
    qd_own(qd_world) world = gas(1, 10);
    ck_assert_int_eq(qd_world_note_threads(NULL, true), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_world_note_threads(world, true), QD_OK);
    ck_assert_int_eq(qdi_thread_of_row(world, 0), QDI_NO_THREAD); // no step yet
    qd_test_step(world, 0.01, 1);
    for (size_t row = 0; row < 100; ++row) {
        ck_assert_int_eq(qdi_thread_of_row(world, row), 0);
        ck_assert_uint_eq(hue_of(world, row), 0);
    }
    // One that comes between steps, in the place of one that went, was moved by nobody.
    const qd_body_view before = qd_world_view(world);
    const qd_id gone = {before.index[30], before.generation[30]};
    const qd_vec2 place = {before.x[30], before.y[30]};
    ck_assert_int_eq(qd_world_remove(world, gone), QD_OK);
    qd_id id = qd_test_disk(world, place.x, place.y, 0, 0, 0.3, 0);
    ck_assert_uint_eq(id.index, gone.index);
    const qd_body_view now = qd_world_view(world);
    for (size_t row = 0; row < 100; ++row)
        ck_assert_int_eq(qdi_thread_of_row(world, row), now.index[row] == id.index ? QDI_NO_THREAD : 0);
    qd_test_step(world, 0.01, 1);
    for (size_t row = 0; row < 100; ++row) ck_assert_int_eq(qdi_thread_of_row(world, row), 0);
    ck_assert_int_eq(qd_world_note_threads(world, false), QD_OK);
    ck_assert_int_eq(qdi_thread_of_row(world, 0), QDI_NO_THREAD);
}

// All take part sooner or later, and the state is what it is without.
QD_TEST(of_some_threads) {
    enum { THREADS = 3, SIDE = 150 };
    qd_own(qd_world) world = gas(THREADS, SIDE), plain = gas(1, SIDE);
    ck_assert_int_eq(qd_world_note_threads(world, true), QD_OK);
    bool others = false;
    for (int step = 0; step < 400 && (step < 5 || !others); ++step) {
        qd_test_step(world, 0.02, 1);
        if (step < 5) {
            qd_test_step(plain, 0.02, 1);
            ck_assert_uint_eq(qd_world_hash(world), qd_world_hash(plain));
        }
        for (size_t row = 0; row < SIDE * SIDE; ++row) {
            int thread = qdi_thread_of_row(world, row);
            ck_assert(thread >= 0 && thread < THREADS);
            others = others || thread > 0;
        }
    }
    ck_assert(others);
}

QD_TEST(no_memory) {
    qd_world_def def = qd_world_def_default();
    qd_test_allocator memory = qd_test_allocator_of(&memory, 0);
    def.allocator = &memory.allocator;
    qd_world *world = qd_test_world(&def);
    for (int i = 0; i < 50; ++i) (void)qd_test_disk(world, 10 + i, 50, 1, 0, 0.4, 0);
    qd_test_step(world, 0.01, 20); // all else has its room
    ck_assert_int_eq(qd_world_note_threads(world, true), QD_OK);
    uint64_t hash = qd_world_hash(world);
    memory.fail_at = memory.calls + 1;
    ck_assert_int_eq(qd_world_step(world, 0.01, NULL), QD_ERR_MEMORY);
    ck_assert_uint_eq(qd_world_hash(world), hash);
    qd_test_step(world, 0.01, 1);
    ck_assert_int_eq(qdi_thread_of_row(world, 0), 0);
    qd_world_destroy(world);
    ck_assert_uint_eq(memory.live, 0);
}

QD_TEST_MAIN("thread_notes", 120, NULL, NULL)
