#include "tests/support/harness.h"
#include "tests/support/json_values.h"
#include "tests/support/recorded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char scene[] = QD_TEST_SMALL_RUN("");

static void make(const char *name, const qd_recording *how) {
    make_run(name, scene, how);
}

/// What `diff a b --json` says.
static json_t *difference(int code) {
    return qd_program_json(RUN("diff", "a", "b", "--json"), code);
}

/// The two values differ in the last bit of a double.
static void expect_one_bit(const json_t *found) {
    double one = strtod(text(found, "first"), NULL), two = strtod(text(found, "second"), NULL);
    uint64_t p, q;
    memcpy(&p, &one, sizeof p);
    memcpy(&q, &two, sizeof q);
    ck_assert_uint_eq(p ^ q, 1);
}

static void expect_complaint(const qd_program_outcome *result, const char *named) {
    ck_assert_int_eq(result->code, 5);
    ck_assert_msg(strstr(result->err, named), "'%s' is not in '%s'", named, result->err);
    const char *line = strchr(result->err, '\n');
    ck_assert(line && line[1] == '\0');
}

static const qd_plant plant = {true, 18, 7, 0};

QD_TEST(equal_runs) {
    make("a", &(qd_recording){.threads = 1});
    make("b",
         &(qd_recording){.threads = 3, .sets = {"record.hashes=4", "record.snapshots=0", "frames.every=7"}});
    qd_program_outcome result = SUCCEED("diff", "a", "b");
    ck_assert_str_eq(result.out, "scene: frames.every: 10 in a, 7 in b\n"
                                 "scene: record.hashes: 5 in a, 4 in b\n"
                                 "scene: record.snapshots: 10 in a, 0 in b\n"
                                 "state: equal at all 3 steps that both have a hash of, the last is 40\n");
    ck_assert_str_eq(result.err, "");
    json_t *json = difference(0);
    ck_assert_uint_eq(json_array_size(json_object_get(json, "keys")), 3);
    ck_assert_int_eq(whole(json, "equal_at"), 40);
    ck_assert_ptr_null(json_object_get(json, "differs_at"));
    json_decref(json);
}

// One bit of one body at a step with records: step, body, field, both values.
QD_TEST(a_planted_bit) {
    const qd_recording sound = {.sets = {"record.snapshots=1", "record.hashes=1"}};
    qd_recording planted = sound;
    planted.plant = plant;
    make("a", &sound);
    make("b", &planted);
    json_t *json = difference(5);
    ck_assert_uint_eq(json_array_size(json_object_get(json, "keys")), 0);
    ck_assert_int_eq(whole(json, "equal_at"), 17);
    ck_assert_int_eq(whole(json, "differs_at"), 18);
    const json_t *found = json_object_get(json, "difference");
    ck_assert_int_eq(whole(found, "step"), 18);
    ck_assert_int_eq(whole(found, "body"), 7);
    ck_assert_str_eq(text(found, "subject"), "body 7");
    ck_assert_str_eq(text(found, "field"), "velocity.x");
    ck_assert_int_eq(whole(found, "fields"), 1);
    expect_one_bit(found);
    json_decref(json);
    qd_program_outcome result = RUN("diff", "a", "b", "-v");
    expect_complaint(&result, "a and b: equal at step 17, differ at step 18: body 7: velocity.x is ");
    ck_assert_ptr_nonnull(strstr(result.out, "  body 7: velocity.x: "));
    ck_assert_ptr_nonnull(
        strstr(result.out, "state: equal at step 17, differ at step 18: body 7: velocity.x is "));
}

// The bit was turned between two records: the nearest snapshot tells what has become of it.
QD_TEST(a_planted_bit_between_records) {
    make("a", &(qd_recording){.threads = 2});
    make("b", &(qd_recording){.plant = plant});
    json_t *json = difference(5);
    ck_assert_int_eq(whole(json, "equal_at"), 15);
    ck_assert_int_eq(whole(json, "differs_at"), 20);
    const json_t *found = json_object_get(json, "difference");
    ck_assert_int_eq(whole(found, "step"), 20);
    ck_assert_int_eq(whole(found, "body"), 7);
    json_decref(json);
    // Only a later one is left.
    qd_recording_sql(at("b").text, "DELETE FROM snapshots WHERE step IN (20, 30)");
    qd_recording_sql(at("b").text, "DELETE FROM checkpoints WHERE step = 20");
    json = difference(5);
    ck_assert_int_eq(whole(json, "differs_at"), 20);
    ck_assert_int_eq(whole(json_object_get(json, "difference"), "step"), 40);
    json_decref(json);
    // And none.
    qd_recording_sql(at("b").text, "DELETE FROM snapshots WHERE step = 40");
    qd_recording_turn(at("b").text, "checkpoints", "world", 40, 300, 1);
    json = difference(5);
    ck_assert_ptr_null(json_object_get(json, "difference"));
    json_decref(json);
    qd_program_outcome result = RUN("diff", "a", "b");
    expect_complaint(&result, "body and field cannot be told");
}

// Neither of the two is what its scene makes.
QD_TEST(two_that_cannot_be_replayed) {
    make("a", &(qd_recording){.plant = {true, 3, 2, 1}, .sets = {"record.snapshots=4"}});
    make("b", &(qd_recording){.plant = {true, 3, 9, 1}, .sets = {"record.snapshots=6", "record.hashes=4"}});
    json_t *json = difference(5);
    ck_assert_int_eq(whole(json, "equal_at"), 0);
    ck_assert_int_eq(whole(json, "differs_at"), 20);
    const json_t *found = json_object_get(json, "difference");
    ck_assert_int_eq(whole(found, "step"), 12); // a step of 4 and of 6
    ck_assert_int_ge(whole(found, "bodies"), 2);
    ck_assert_int_eq(whole(found, "body"), 2);
    json_decref(json);
}

// Runs of two scenes, both replayed: the very step is found, though hashes are far between.
QD_TEST(two_scenes) {
    make("a", &(qd_recording){.sets = {"record.hashes=20", "record.snapshots=0", "checkpoint.every=0"}});
    make("b", &(qd_recording){.sets = {"record.hashes=20", "record.snapshots=0", "checkpoint.every=0",
                                       "contact.restitution=0.8"}});
    qd_program_outcome result = RUN("diff", "a", "b");
    expect_complaint(&result, "a and b: equal at step 0, the hashes differ at step 20; at step ");
    ck_assert_ptr_nonnull(strstr(result.out, "scene: contact.restitution: 0.9 in a, 0.8 in b\n"));
    json_t *json = difference(5);
    const json_t *found = json_object_get(json, "difference");
    ck_assert_int_gt(whole(found, "step"), 0);
    ck_assert_int_le(whole(found, "step"), 20);
    ck_assert_int_le(whole(found, "bodies"), 4); // those of the first bounces
    ck_assert_int_gt(whole(found, "body"), 0);
    json_decref(json);
    make("seed", &(qd_recording){.sets = {"run.seed=4"}});
    result = RUN("diff", "a", "seed");
    expect_complaint(&result, "a and seed: differ at step 0: body 1: ");
    ck_assert_ptr_nonnull(strstr(result.out, "scene: run.seed: 3 in a, 4 in seed\n"));
    make("more", &(qd_recording){.bodies = 31});
    result = RUN("diff", "a", "more", "-q");
    expect_complaint(&result, "a and more: differ at step 0: body 1: ");
    ck_assert_str_eq(result.out, "");
}

QD_TEST(damaged_rows) {
    make("a", &(qd_recording){.scene = NULL});
    make("b", &(qd_recording){.scene = NULL});
    qd_recording_sql(at("a").text, "UPDATE hashes SET hash = '0123456789abcdef' WHERE step = 10");
    qd_recording_sql(at("b").text, "UPDATE hashes SET hash = 'x' WHERE step = 25");
    qd_program_outcome result = RUN("diff", "a", "b");
    expect_complaint(&result, "a and b: the states are equal, but not all rows of hashes are sound");
    ck_assert_str_eq(result.out,
                     "hashes: step 10: the two differ, but are equal again at step 15: a row is damaged\n"
                     "hashes: step 25: b: what is stored is no hash\n");
    json_t *json = difference(5);
    ck_assert_uint_eq(json_array_size(json_object_get(json, "rows")), 2);
    json_decref(json);
}

QD_TEST(what_cannot_be_compared) {
    make("a", &(qd_recording){.sets = {"record.hashes=0"}});
    make("b", &(qd_recording){.scene = NULL});
    expect_refusal(RUN("diff", "a", "b", "-q"), 1, "a and b have no step with a hash in common");
    expect_refusal(RUN("diff", "a"), 2, "diff needs a DIR2");
    expect_refusal(RUN("diff", "a", "b", "c"), 2, "no more");
    expect_refusal(RUN("diff", "a", "nowhere"), 3, "there is no run directory nowhere");
    ck_assert_int_eq(remove(at("b/run.db").text), 0);
    expect_refusal(RUN("diff", "a", "b"), 4, "run.db");
}

QD_TEST_MAIN("diff", 240, setup, teardown)
