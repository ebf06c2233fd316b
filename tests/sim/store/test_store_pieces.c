#include "sim/store/store_impl.h"
#include "sim/store/store_pieces.h"
#include "sim/world/save.h"
#include "tests/support/harness.h"
#include "tests/support/stores.h"
#include "tests/support/worlds.h"

#include <string.h>
#include <unistd.h>

/// A saved world in pieces of chance lengths, and a session, are what the last checkpoint holds.
static void check_pieces(uint64_t seed) {
    qd_own(qd_store_rig) rig = qd_store_rig_make();
    qd_test_step(rig.world, 0.02, 3);
    unsigned char *data = NULL;
    size_t bytes = 0;
    ck_assert_int_eq(qd_world_save(rig.world, &data, &bytes), QD_OK);
    qd_random random = qd_random_at(seed, 0, 1);
    rig.store->part_bytes = 1 + (size_t)(qd_random_bits(&random) % QDI_STORE_PART);
    qdi_store_pieces pieces;
    ck_assert_int_eq(qdi_pieces_begin(rig.store, true, 3, 0.06, &pieces), QD_OK);
    for (size_t at = 0; at < bytes;) {
        const size_t most = (size_t)(qd_random_bits(&random) % 9000), left = bytes - at;
        const size_t some = most < left ? most : left; // none, too
        ck_assert_int_eq(qdi_pieces_add(&pieces, data + at, some), QD_OK);
        at += some;
    }
    const size_t session_bytes = (size_t)(qd_random_bits(&random) % 2) * 3 * QDI_BATCH_BYTES;
    qd_own_memory char *session = qd_test_zeros(session_bytes + 1, 1);
    ck_assert_int_eq(qdi_pieces_end(&pieces, session, session_bytes, 2), QD_OK);
    qd_store_state found;
    ck_assert_int_eq(qd_store_last_checkpoint(rig.store, UINT64_MAX, &found, NULL), QD_OK);
    QD_TEST_CHECK(found.step == 3 && found.world_bytes == bytes && memcmp(found.world, data, bytes) == 0,
                  seed, "part", (int)rig.store->part_bytes, "another world");
    QD_TEST_CHECK(found.session_bytes == session_bytes &&
                      (session_bytes == 0 || memcmp(found.session, session, session_bytes) == 0),
                  seed, "session", (int)session_bytes, "another session");
    qd_store_state_free(rig.store, &found);
    qd_world_save_free(rig.world, data, bytes);
}

QD_TEST(pieces_of_any_length_are_put_together) {
    qd_test_seeds(20, 0, check_pieces);
}

/// What was begun and is given up leaves nothing, and what comes after it is as if it had not been.
QD_TEST(pieces_that_are_given_up_leave_nothing) {
    for (size_t bytes = 0; bytes < 9 * QDI_STORE_PART; bytes += 2 * QDI_STORE_PART + 1000) {
        qd_own(qd_store_rig) rig = qd_store_rig_make();
        qd_test_store_checkpoint(rig.store, rig.world);
        qd_own_memory unsigned char *some = qd_test_zeros(bytes + 1, 1);
        for (int checkpoint = 0; checkpoint < 2; ++checkpoint) {
            qdi_store_pieces pieces;
            ck_assert_int_eq(qdi_pieces_begin(rig.store, checkpoint, 7, 0, &pieces), QD_OK);
            ck_assert_int_eq(qdi_pieces_add(&pieces, some, bytes), QD_OK);
            qdi_pieces_abandon(&pieces);
        }
        qd_store_state found;
        ck_assert_int_eq(qd_store_last_checkpoint(rig.store, UINT64_MAX, &found, NULL), QD_OK);
        ck_assert_uint_eq(found.step, 0);
        qd_store_state_free(rig.store, &found);
        qd_test_store_run(rig.store, rig.world, 20);
        qd_test_store_close(&rig.store);
        qd_test_sql_is(rig.path.text, "SELECT step FROM checkpoints ORDER BY step", "0\n10\n20\n");
        qd_test_sql_is(rig.path.text, "SELECT DISTINCT owner, step FROM parts ORDER BY owner, step",
                       "checkpoint|0\ncheckpoint|10\ncheckpoint|20\nsnapshot|8\nsnapshot|16\n");
    }
}

/// What a store takes of memory does not grow with the worlds that it gets.
QD_TEST(no_whole_world_is_in_memory) {
    qd_own(qd_store_rig) rig = qd_store_rig_make();
    qd_test_store_close(&rig.store);
    unlink(rig.path.text);
    qd_test_allocator allocator = qd_test_allocator_of(&allocator, 0);
    qd_world_def def = qd_world_def_default();
    def.allocator = &allocator.allocator;
    qd_test_gas_def(&def, 200, 150);
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_gas_fill(world, 200, 150, 1);
    const size_t before = allocator.live_bytes, saved = qdi_saved_bytes(world);
    allocator.most_bytes = before;
    qd_store_def plan = qd_store_def_default();
    plan.scene = rig.scene;
    plan.allocator = &allocator.allocator;
    ck_assert_int_eq(qd_store_create(rig.path.text, &plan, &rig.store, NULL), QD_OK);
    qd_test_store_checkpoint(rig.store, world);
    ck_assert_int_eq(qd_store_put_snapshot(rig.store, world), QD_OK);
    qd_test_store_flush(rig.store);
    const size_t most = allocator.most_bytes - before, bound = QDI_BATCHES * QDI_BATCH_BYTES + (1 << 18);
    ck_assert_msg(most < bound && 2 * bound < saved, "%zu of %zu bytes", most, saved);
    qd_test_store_close(&rig.store);
}

QD_TEST_MAIN("store_pieces", 120, NULL, NULL)
