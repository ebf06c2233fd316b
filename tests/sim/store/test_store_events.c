#define _GNU_SOURCE // open_memstream
#include "tests/support/harness.h"
#include "tests/support/stores.h"
#include "tests/support/worlds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// What the table should hold, written down beside the store by other means: labels from a list that is kept
/// for all bodies there ever were.
typedef struct witness {
    FILE *text;
    char *chars;
    size_t bytes;
    uint64_t label[1024]; ///< by index; of its generation
    uint32_t generation[1024];
    uint64_t before[1024]; ///< of the generation before
} witness;

static void note_labels(witness *seen, const qd_world *world) {
    qd_body_view view = qd_world_view(world);
    ck_assert_uint_lt(view.index_count, 1024);
    for (size_t row = 0; row < view.count; ++row) {
        uint32_t index = view.index[row];
        if (seen->generation[index] == view.generation[row]) continue;
        seen->before[index] = seen->label[index];
        seen->label[index] = view.label[row];
        seen->generation[index] = view.generation[row];
    }
}

static uint64_t label_of(const witness *seen, qd_id id) {
    return seen->generation[id.index] == id.generation ? seen->label[id.index] : seen->before[id.index];
}

static void note_row(witness *seen, const qd_world *world, uint64_t number, const char *kind, qd_id a,
                     qd_id b) {
    static const char *const sides[] = {"left", "right", "bottom", "top"};
    fprintf(seen->text, "%" PRIu64 "|%" PRIu64 "|%s|%" PRIu64 "|", qd_world_steps(world), number, kind,
            label_of(seen, a));
    if (qd_id_is_wall(b))
        fprintf(seen->text, "|%s|", sides[b.index - (uint32_t)QD_WALL_LEFT]);
    else
        fprintf(seen->text, "%" PRIu64 "||", label_of(seen, b));
}

static void note_numbers(witness *seen, qd_vec2 point, qd_vec2 normal, double impulse, double friction,
                         double approach) {
    const double values[] = {point.x, point.y, normal.x, normal.y, impulse, friction, approach};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; ++i)
        fprintf(seen->text, "%.17g|", values[i] + 0.0); // SQLite makes 0 of -0
}

static void note(witness *seen, const qd_world *world, bool persist) {
    static const char *const kinds[] = {"begin", "persist", "end"};
    note_labels(seen, world);
    uint64_t number = 0;
    size_t events = 0, impacts = 0;
    const qd_event *event = qd_world_events(world, &events);
    for (size_t i = 0; i < events; ++i) {
        const qd_contact *contact = event[i].contact;
        if (event[i].kind == QD_EVENT_PERSIST && !persist) continue;
        double impulse = 0, friction = 0;
        for (int k = 0; k < contact->count; ++k) {
            impulse = k ? impulse + contact->touch[k].impulse : contact->touch[k].impulse;
            friction = k ? friction + contact->touch[k].friction : contact->touch[k].friction;
        }
        note_row(seen, world, number++, kinds[event[i].kind], contact->a, contact->b);
        note_numbers(seen, contact->touch[0].point, contact->normal, impulse, friction, contact->approach);
        fprintf(seen->text, "%.17g|\n", contact->touch[0].depth);
    }
    const qd_impact *impact = qd_world_impacts(world, &impacts);
    for (size_t i = 0; i < impacts; ++i) {
        note_row(seen, world, number++, "impact", impact[i].a, impact[i].b);
        note_numbers(seen, impact[i].point, impact[i].normal, impact[i].impulse, impact[i].friction,
                     impact[i].approach);
        fprintf(seen->text, "|%.17g\n", impact[i].time);
    }
}

/// Bodies go, and others with labels of their own take their indices at once.
static void exchange(qd_world *world, qd_random *random) {
    for (int k = 0; k < 6; ++k) {
        qd_body_view view = qd_world_view(world);
        uint32_t row = (uint32_t)(qd_random_bits(random) % view.count);
        ck_assert_int_eq(qd_world_remove(world, (qd_id){view.index[row], view.generation[row]}), QD_OK);
        qd_body_def body = qd_body_def_default();
        body.position = (qd_vec2){qd_test_between(random, 1, 23), qd_test_between(random, 1, 15)};
        body.velocity = (qd_vec2){qd_test_between(random, -9, 9), qd_test_between(random, -9, 9)};
        body.label = qd_random_bits(random) % 2 ? 5000 + qd_random_bits(random) % 1000 : 0;
        (void)qd_test_add(world, &body);
    }
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
}

static void check_same(const qd_store_rig *rig, const char *expected) {
    qd_own_memory char *rows = qd_test_sql(rig->path.text, "SELECT * FROM events ORDER BY step, number");
    size_t line = 0, i = 0;
    for (; rows[i] && rows[i] == expected[i]; ++i) line += rows[i] == '\n';
    ck_assert_msg(rows[i] == expected[i], "event %zu is not as the world had it:\n%.400s\ninstead of\n%.400s",
                  line, rows + (i < 60 ? 0 : i - 60), expected + (i < 60 ? 0 : i - 60));
}

/// Every event as the world has it, in its order, with the labels of bodies that are gone; `persist` at steps
/// that this divides.
QD_TEST(are_those_of_the_world) {
    qd_own(qd_store_rig) rig = qd_store_rig_make();
    static witness seen;
    seen = (witness){.text = NULL};
    seen.text = open_memstream(&seen.chars, &seen.bytes);
    ck_assert_ptr_nonnull(seen.text);
    for (int step = 0; step <= 80; ++step) {
        if (step > 0) qd_test_step(rig.world, 0.02, 1);
        note(&seen, rig.world, step % 4 == 0);
        ck_assert_int_eq(qd_store_put_events(rig.store, rig.world, step % 4 == 0), QD_OK);
    }
    qd_test_store_close(&rig.store);
    fclose(seen.text);
    check_same(&rig, seen.chars);
    const char *const kinds[] = {"|begin|", "|persist|", "|end|", "|impact|", "|bottom|", "|1210|"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i)
        ck_assert_msg(strstr(seen.chars, kinds[i]), "there was no %s to compare", kinds[i]);
    qd_world_totals totals = qd_world_total(rig.world);
    ck_assert_uint_gt(totals.sunk, 0);
    char expected[96];
    snprintf(expected, sizeof expected, "%" PRIu64 "|%" PRIu64 "|%" PRIu64 "\n", totals.begins, totals.ends,
             totals.impacts);
    qd_test_sql_is(rig.path.text,
                   "SELECT sum(kind = 'begin'), sum(kind = 'end'), sum(kind = 'impact') FROM events",
                   expected);
    free(seen.chars);
}

/// The events of a detection after bodies were exchanged: ends name those that are gone.
QD_TEST(name_bodies_that_are_gone) {
    qd_random random = qd_random_at(qd_test_seed(11), 0, 0);
    for (int round = 0; round < 10; ++round) {
        qd_own(qd_store_rig) rig = qd_store_rig_make();
        static witness seen;
        seen = (witness){.text = NULL};
        seen.text = open_memstream(&seen.chars, &seen.bytes);
        ck_assert_ptr_nonnull(seen.text);
        for (int step = 1; step <= 30; ++step) {
            // The rows of a step are put once: those of the step itself, or those of an exchange before it is
            // made.
            qd_test_step(rig.world, 0.02, 1);
            note_labels(&seen, rig.world);
            if (step % 5 == 4) {
                ck_assert_int_eq(qd_store_rewind(rig.store, rig.world, NULL), QD_OK); // as after a checkpoint
                exchange(rig.world, &random);
            }
            note(&seen, rig.world, true);
            ck_assert_int_eq(qd_store_put_events(rig.store, rig.world, true), QD_OK);
        }
        qd_test_store_close(&rig.store);
        fclose(seen.text);
        check_same(&rig, seen.chars);
        free(seen.chars);
    }
}

/// A store beside a world, and its events as text.
static char *events_of(const qd_world *world, qd_status expected) {
    qd_own(qd_store_rig) rig = qd_store_rig_make();
    ck_assert_int_eq(qd_store_put_events(rig.store, world, false), expected);
    qd_test_store_close(&rig.store);
    return qd_test_sql(rig.path.text, "SELECT kind, a, b FROM events ORDER BY step, number");
}

// The events of a moment are put after one of the bodies in them was removed, so that nobody knows its label
// any more, unless they were put before.
QD_TEST_LOOP(removed_before_they_are_put, 0, 2) {
    qd_own(qd_world) world = qd_test_gap(_i == 1);
    char *rows = events_of(world, QD_ERR_STALE);
    ck_assert_str_eq(rows, "");
    free(rows);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    rows = events_of(world, QD_OK);
    ck_assert_ptr_nonnull(strstr(rows, "end|101|"));
    free(rows);
}

// A body bounces on its way through a step at whose end a sink takes it. It has never been in a contact.
QD_TEST(impacts_of_bodies_that_sink) {
    qd_world_def def = qd_world_def_default();
    def.continuous = QD_CONTINUOUS_ON;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def body = qd_body_def_default();
    body.position = (qd_vec2){50, 2};
    body.velocity = (qd_vec2){0, -40};
    body.label = 77;
    (void)qd_test_add(world, &body);
    qd_test_sink(world, 40, 2.25, 20, 0.75, UINT64_MAX);
    qd_test_step(world, 0.0875, 1);
    ck_assert_uint_eq(qd_world_count(world), 0);
    qd_own_memory char *rows = events_of(world, QD_OK);
    ck_assert_str_eq(rows, "impact|77|\n");
}

QD_TEST_MAIN("store_events", 120, NULL, NULL)
