// Bodies that come and go by themselves, where something goes wrong: no memory, broken limits, bad values.

#include "tests/support/populations.h"

static qd_world *busy_world(const qd_allocator *allocator) {
    qd_world_def def = qd_test_open_def();
    def.allocator = allocator;
    def.removal = 0;
    qd_world *world = qd_test_world(&def);
    for (int k = 0; k < 30; ++k) qd_test_disk(world, 4 + 3.4 * k, 50, 1, 0, 0.5, 1);
    qd_emitter_def source = source_of(1);
    source.rate = 30;
    add_emitter(world, &source);
    qd_test_sink(world, 30, 0, 20, 100, UINT64_MAX);
    return world;
}

// A step that fails for want of memory, wherever, leaves the world as it was, and goes on as if nothing had
// been.
QD_TEST(failed_steps_change_nothing) {
    uint64_t expected[3], failures = 0;
    qd_world *model = busy_world(NULL);
    for (int k = 0; k < 3; ++k) {
        qd_test_step(model, 0.5, 1);
        expected[k] = qd_world_hash(model);
    }
    qd_world_destroy(model);
    for (size_t n = 1;; ++n) {
        qd_test_allocator allocator = qd_test_allocator_of(&allocator, 0);
        qd_world *world = busy_world(&allocator.allocator);
        ck_assert_int_eq(qd_world_detect(world), QD_OK);
        uint64_t hash = qd_world_hash(world);
        size_t count = qd_world_count(world);
        allocator.fail_at = allocator.calls + n;
        qd_status status = qd_world_step(world, 0.5, NULL);
        allocator.fail_at = 0;
        if (status != QD_OK) {
            ++failures;
            ck_assert_int_eq(status, QD_ERR_MEMORY);
            ck_assert_uint_eq(qd_world_hash(world), hash);
            ck_assert_uint_eq(qd_world_count(world), count);
            qd_world_totals totals = qd_world_total(world);
            ck_assert_uint_eq(totals.emitted + totals.departed + totals.sunk + totals.blocked, 0);
            check_tree(world);
            qd_test_step(world, 0.5, 1);
        }
        ck_assert_uint_eq(qd_world_hash(world), expected[0]);
        for (int k = 1; k < 3; ++k) {
            qd_test_step(world, 0.5, 1);
            ck_assert_uint_eq(qd_world_hash(world), expected[k]);
        }
        qd_world_destroy(world);
        ck_assert_uint_eq(allocator.live, 0);
        if (status == QD_OK) break;
    }
    ck_assert_uint_gt(failures, 20);
}

// The same where the pairs that come of it break a limit after bodies have come and gone.
QD_TEST(broken_limits_take_it_back) {
    qd_world_def def = qd_test_open_def();
    def.contact = QD_CONTACT_NONE;
    def.limits.pairs = .1; // 1000 in all
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_disk(world, 10, 10, 0, 0, 0.5, 1);
    qd_id id = qd_test_disk(world, 20, 10, 0, 0, 0.5, 1);
    qd_emitter_def source = tap();
    source.low = source.high = (qd_vec2){50, 50};
    source.overlap = true;
    source.rate = 60;
    add_emitter(world, &source);
    qd_test_sink(world, 15, 5, 10, 10, 1);
    qd_status status = QD_OK;
    uint64_t hash = qd_world_hash(world);
    ck_assert_int_eq(qd_world_step(world, 1, NULL), QD_ERR_LIMIT); // 60 on one spot: 1770 pairs
    ck_assert_uint_eq(qd_world_hash(world), hash);
    ck_assert_uint_eq(qd_world_count(world), 2);
    qd_body_state state;
    ck_assert_int_eq(qd_world_body(world, id, &state), QD_OK);
    qd_id next = qd_test_disk(world, 80, 10, 0, 0, 0.5, 1);
    ck_assert_uint_eq(next.index, 2);
    ck_assert_uint_eq(next.generation, 1);
    status = qd_world_step(world, 0.25, NULL);
    ck_assert_int_eq(status, QD_OK);
    ck_assert_uint_eq(qd_world_count(world), 3 + 15 - 1);
}

QD_TEST(bad_defs_are_refused) {
    qd_own(qd_world) world = qd_test_world(NULL);
    qd_error error;
    for (int k = 0; k < 16; ++k) {
        qd_emitter_def source = tap();
        double *const numbers[] = {&source.rate,        &source.scale_low,  &source.spread,
                                   &source.turn,        &source.start,      &source.stop,
                                   &source.low.x,       &source.body.angle, &source.body.velocity.x,
                                   &source.body.density};
        if (k < 10) *numbers[k] = (double)NAN;
        if (k == 10) source.body.kind = QD_BODY_STATIC;
        if (k == 11) source.tries = 0;
        if (k == 12) source.high.x = 10;
        if (k == 13) source.body.shape = qd_shape_capsule(1, 0);
        if (k == 14) source.scale_high = 0.5;
        if (k == 15) source.rate = 2e9;
        error.text[0] = 0;
        ck_assert_msg(qd_world_add_emitter(world, &source, &error) == QD_ERR_VALUE, "case %d", k);
        ck_assert_msg(strlen(error.text) > 5, "case %d: no reason", k);
    }
    qd_emitter_def source = tap();
    source.cookie = 0;
    ck_assert_int_eq(qd_world_add_emitter(world, &source, NULL), QD_ERR_ARGUMENT);
    qd_sink_def sink = qd_sink_def_default();
    sink.high.x = -1;
    ck_assert_int_eq(qd_world_add_sink(world, &sink, &error), QD_ERR_VALUE);
    sink.high.x = (double)NAN;
    ck_assert_int_eq(qd_world_add_sink(world, &sink, &error), QD_ERR_VALUE);
    sink.cookie = 0;
    ck_assert_int_eq(qd_world_add_sink(world, &sink, &error), QD_ERR_ARGUMENT);
    sink = qd_sink_def_default();
    for (int k = 0; k < QD_EMITTERS_MAX; ++k)
        ck_assert_int_eq(qd_world_add_sink(world, &sink, &error), QD_OK);
    ck_assert_int_eq(qd_world_add_sink(world, &sink, &error), QD_ERR_LIMIT);
}

QD_TEST_MAIN("population_faults", 240, NULL, NULL)
