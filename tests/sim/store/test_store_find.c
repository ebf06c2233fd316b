#include <quadrille/store.h>

#include "tests/support/harness.h"
#include "tests/support/stores.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Events of a store one by one, and the stored world of a step.

static qd_store_rig rig;

static void setup(void) {
    rig = qd_store_rig_make();
    qd_test_store_checkpoint(rig.store, rig.world);
    qd_test_store_record(rig.store, rig.world);
    qd_test_store_run(rig.store, rig.world, 45); // snapshots at 0, 8, ... 40, checkpoints at tens
    qd_test_store_flush(rig.store);
}

static void teardown(void) {
    qd_store_rig_end(&rig);
}

// ---- events ----

typedef struct counts {
    uint64_t all, last_step, last_number, first_step;
    uint64_t stop_after;
    size_t walls, impacts;
} counts;

static bool count(void *context, const qd_store_event *event) {
    counts *seen = context;
    if (seen->all++ == 0) seen->first_step = event->step;
    bool later = event->step > seen->last_step ||
                 (event->step == seen->last_step && event->number == seen->last_number + 1);
    ck_assert(seen->all == 1 || later);
    seen->last_step = event->step;
    seen->last_number = event->number;
    bool impact = event->kind == QD_STORE_EVENT_IMPACT;
    ck_assert(isnan(event->within) == !impact && isnan(event->depth) == impact);
    ck_assert(event->a > 0 && (event->b > 0) == (event->wall == 0) && event->wall <= 4);
    seen->walls += event->wall != 0;
    seen->impacts += impact;
    return seen->all != seen->stop_after;
}

static counts visit(uint64_t from, uint64_t to, uint64_t stop_after) {
    counts seen = {.stop_after = stop_after};
    qd_error error = {""};
    ck_assert_msg(qd_store_visit_events(rig.store, from, to, count, &seen, &error) == QD_OK, "%s",
                  error.text);
    return seen;
}

QD_TEST(events_in_order) {
    counts all = visit(0, UINT64_MAX, 0);
    ck_assert_uint_gt(all.all, 20);
    counts early = visit(0, 19, 0), late = visit(20, 45, 0), none = visit(46, UINT64_MAX, 0);
    ck_assert_uint_eq(early.all + late.all, all.all);
    ck_assert(early.last_step <= 19 && late.first_step >= 20 && none.all == 0);
    ck_assert_uint_eq(visit(UINT64_MAX, UINT64_MAX, 0).all, 0);
    ck_assert_uint_eq(visit(0, UINT64_MAX, 3).all, 3);
    char walls[32];
    qd_test_store_close(&rig.store);
    snprintf(walls, sizeof walls, "%zu\n", all.walls);
    qd_test_sql_is(rig.path.text, "SELECT count(*) FROM events WHERE side IS NOT NULL", walls);
}

QD_TEST(words_that_there_are_not) {
    qd_test_store_close(&rig.store);
    qd_test_sql_run(rig.path.text,
                    "UPDATE events SET kind = 'kiss' WHERE step = (SELECT max(step) FROM events)");
    rig.store = qd_test_store_open(rig.path.text, QD_STORE_READ);
    counts seen = {0};
    qd_error error = {""};
    ck_assert_int_eq(qd_store_visit_events(rig.store, 0, UINT64_MAX, count, &seen, &error), QD_ERR_CORRUPT);
    ck_assert_msg(strstr(error.text, "table events: number 0 of step") != NULL, "%s", error.text);
    ck_assert_uint_gt(seen.all, 0); // those before it
    ck_assert_int_eq(qd_store_visit_events(NULL, 0, 1, count, &seen, NULL), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_store_visit_events(rig.store, 0, 1, NULL, &seen, NULL), QD_ERR_ARGUMENT);
}

// ---- worlds ----

static void expect_world(uint64_t step, uint64_t found) {
    qd_store_state moment;
    qd_error error = {""};
    ck_assert_msg(qd_store_find_world(rig.store, step, &moment, &error) == QD_OK, "%s", error.text);
    ck_assert_uint_eq(moment.step, found);
    ck_assert_ptr_null(moment.session);
    qd_world *world = NULL;
    ck_assert_int_eq(qd_world_load(moment.world, moment.world_bytes, 1, NULL, &world, NULL), QD_OK);
    ck_assert_uint_eq(qd_world_steps(world), found);
    qd_world_destroy(world);
    qd_store_state_free(rig.store, &moment);
}

static void expect_none(uint64_t step, const char *nearest) {
    qd_store_state moment;
    qd_error error = {""};
    ck_assert_int_eq(qd_store_find_world(rig.store, step, &moment, &error), QD_ERR_NOT_FOUND);
    ck_assert_msg(strstr(error.text, nearest) != NULL, "%s", error.text);
    ck_assert_ptr_null(moment.world);
}

QD_TEST(worlds_of_steps) {
    expect_world(24, 24); // a snapshot
    expect_world(30, 30); // a checkpoint
    expect_world(40, 40); // both
    expect_world(UINT64_MAX, 40);
    expect_none(27, "no snapshot or checkpoint of step 27; the nearest are of steps 24 and 30");
    expect_none(44, "of step 44; the nearest is of step 40");
    qd_test_store_close(&rig.store);
    qd_test_sql_run(rig.path.text, "DELETE FROM snapshots; DELETE FROM checkpoints");
    rig.store = qd_test_store_open(rig.path.text, QD_STORE_READ);
    expect_none(UINT64_MAX, "has no snapshot or checkpoint");
    expect_none(0, "has no snapshot or checkpoint of step 0");
}

QD_TEST_MAIN("store_find", 120, setup, teardown)
