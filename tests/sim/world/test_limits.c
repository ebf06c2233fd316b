#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/world.h>
#include <string.h>

// A step that a limit refuses leaves the world as it was, and the report says who, when and why.
static void check_refused(qd_world *world, double dt, const char *reason, uint64_t label) {
    uint64_t hash = qd_world_hash(world), events = qd_test_events_hash(world), steps = qd_world_steps(world);
    qd_profile profile;
    memset(&profile, 0, sizeof profile);
    ck_assert_int_eq(qd_world_step(world, dt, &profile), QD_ERR_LIMIT);
    qd_limit_report report = qd_world_limit_report(world);
    ck_assert_msg(strstr(report.reason, reason) != NULL, "reason: %s", report.reason);
    ck_assert_uint_eq(report.step, steps + 1);
    ck_assert_int_eq(report.has_body, label != 0);
    if (label) {
        ck_assert_uint_eq(report.label, label);
        qd_body_state now = qd_test_body(world, report.body.id);
        ck_assert_double_eq(report.body.position.x, now.position.x);
        ck_assert_double_eq(report.body.velocity.y, now.velocity.y);
    }
    ck_assert_uint_eq(profile.steps, 0);
    ck_assert_uint_eq(qd_world_steps(world), steps);
    ck_assert_uint_eq(qd_world_hash(world), hash);
    ck_assert_uint_eq(qd_test_events_hash(world), events);
}

QD_TEST(speed_stops_the_step) {
    qd_world_def def = qd_world_def_default();
    def.gravity = (qd_vec2){0, -10};
    def.limits.speed = 5;
    qd_own(qd_world) world = qd_test_world(&def);
    ck_assert_str_eq(qd_world_limit_report(world).reason, "");
    for (int i = 0; i < 5; ++i) qd_test_disk(world, 10 + 10 * i, 90, 0, i == 2 || i == 3 ? -1 : 0, 0.5, 0);
    qd_test_step(world, 0.1, 4);                                  // -4 and -5: not faster
    check_refused(world, 0.1, "faster than limits.speed (5)", 3); // the lowest index of the two
    check_refused(world, 0.1, "faster than limits.speed (5)", 3);
}

QD_TEST(distance_stops_the_step) {
    qd_world_def def = qd_test_open_def();
    def.limits.distance = 75;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_disk(world, 50, 50, 0, 0, 0.5, 0);
    qd_test_disk(world, 50, 50.25, 0, 1, 0.5, 0);
    qd_body_def body = qd_body_def_default();
    body.position = (qd_vec2){40, 120};
    body.velocity.y = 1;
    body.label = 1234;
    ck_assert_int_eq(qd_world_add(world, &body, NULL, NULL), QD_OK);
    qd_test_step(world, 1, 5);
    check_refused(world, 1, "further than limits.distance (75)", 1234);
}

static void push_without_end(void *context, const qd_force_range *range) {
    (void)context;
    for (size_t i = 0; i < range->count; ++i) range->force_x[i] = HUGE_VAL;
}

QD_TEST_LOOP(what_is_not_finite_stops_the_step, 0, 3) {
    const qd_boundary boundaries[] = {QD_BOUNDARY_OPEN, QD_BOUNDARY_PERIODIC, QD_BOUNDARY_REFLECT};
    qd_world_def def = qd_world_def_default();
    def.boundary_x = def.boundary_y = boundaries[_i];
    def.contact = QD_CONTACT_NONE;
    def.limits.distance = HUGE_VAL;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_disk(world, 50, 50, 0, 0, 0.5, 0);
    ck_assert_int_eq(qd_world_set_force(world, push_without_end, NULL), QD_OK);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    check_refused(world, 100, "not finite", 1);
}

// However far a limit is set, boxes must stay finite.
QD_TEST(no_distance_means_what_a_box_can_hold) {
    qd_world_def def = qd_test_open_def();
    def.limits.distance = HUGE_VAL;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_disk(world, 50, 50, 1e29, 0, 0.5, 0);
    qd_test_step(world, 2, 4);
    check_refused(world, 3, "further than", 1);
}

QD_TEST(pairs_stop_detection_and_step) {
    qd_world_def def = qd_test_open_def();
    def.contact = QD_CONTACT_NONE; // they stay in one place
    def.limits.pairs = 0.1;
    qd_own(qd_world) world = qd_test_world(&def);
    for (int i = 0; i < 45; ++i)
        qd_test_disk(world, 50, 50, 0, 0, 0.5, 0); // 990 pairs: 1000 are always allowed
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    qd_id last = qd_test_disk(world, 50, 52, 0, -1, 0.5, 0); // comes down on the rest
    qd_test_step(world, 0.25, 2);
    check_refused(world, 0.75, "more pairs than limits.pairs (0.1 per body)", 0);
    ck_assert_int_eq(qd_world_place(world, last, (qd_vec2){50, 50}, (qd_vec2){0, 0}, NULL), QD_OK);
    ck_assert_int_eq(qd_world_detect(world), QD_ERR_LIMIT);
    ck_assert_uint_eq(qd_world_limit_report(world).step, 2);
    ck_assert(!qd_world_limit_report(world).has_body);
    ck_assert_int_eq(qd_world_place(world, last, (qd_vec2){50, 60}, (qd_vec2){0, 0}, NULL), QD_OK);
    qd_test_step(world, 0.25, 1); // the world lives on
}

// The tree is put back too: after a refused step the next one goes as if it had not been tried.
QD_TEST(a_refused_step_leaves_no_trace) {
    uint64_t hashes[2], events[2];
    for (int tried = 0; tried < 2; ++tried) {
        qd_world_def def = qd_test_open_def();
        def.contact = QD_CONTACT_NONE;
        def.limits.pairs = 0.1;
        qd_own(qd_world) world = qd_test_world(&def);
        for (int i = 0; i < 60; ++i) // all meet in the middle at t = 1
            qd_test_disk(world, 20 + i, 50, 30 - i, 0, 0.25, 0);
        qd_test_step(world, 0.125, 1);
        if (tried) check_refused(world, 0.875, "more pairs", 0);
        size_t filed = qd_tree_count(qd_world_tree(world));
        ck_assert_uint_eq(filed, 60);
        qd_test_step(world, 0.0625, 2);
        hashes[tried] = qd_world_hash(world);
        events[tried] = qd_test_events_hash(world);
    }
    ck_assert_uint_eq(hashes[0], hashes[1]);
    ck_assert_uint_eq(events[0], events[1]);
}

// The lowest index is reported by any number of threads.
QD_TEST_LOOP(lowest_index_is_reported, 0, 3) {
    qd_world_def def = qd_test_def(1000, 1000);
    def.gravity = (qd_vec2){3, 0};
    def.limits.speed = 4.9;
    def.threads = 1 + _i;
    def.contact = QD_CONTACT_NONE;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_random random = qd_random_at(1, 1, 1);
    for (uint64_t i = 0; i < 9000; ++i) {
        double x = qd_test_between(&random, 1, 999), y = qd_test_between(&random, 1, 999);
        qd_test_disk(world, x, y, i % 4000 == 3210 ? 2 : 0, 0, 0.5, 0);
    }
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    check_refused(world, 1, "faster", 3211);
}

QD_TEST_MAIN("limits", 120, NULL, NULL)
