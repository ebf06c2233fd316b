// Bodies that come and go by themselves: emitters, sinks, open sides.

#include "tests/support/populations.h"

#include <math.h>
#include <quadrille/world.h>
#include <string.h>

// ---- open sides ----

// A body goes when its whole box is further out than the margin, not a moment before.
QD_TEST_LOOP(bodies_leave_by_their_boxes, 0, 8) {
    const double margin = 2, radius = 0.5;
    qd_world_def def = qd_test_open_def();
    def.contact = (qd_contact_model)(_i / 4);
    def.removal = margin;
    qd_own(qd_world) world = qd_test_world(&def);
    const qd_vec2 ways[] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    qd_vec2 way = ways[_i % 4];
    qd_id still = qd_test_disk(world, 30, 30, 0, 0, radius, 1);
    qd_id id = qd_test_disk(world, 50 + 49 * way.x, 50 + 49 * way.y, way.x, way.y, radius, 1);
    qd_body_state body;
    qd_test_step(world, 0.25, 14); // 49 + 3.5 from the middle: just within
    ck_assert_int_eq(qd_world_body(world, id, &body), QD_OK);
    qd_test_step(world, 0.25, 1);
    ck_assert_int_eq(qd_world_body(world, id, &body), QD_ERR_STALE);
    ck_assert_uint_eq(qd_world_count(world), 1);
    ck_assert_uint_eq(qd_world_total(world).departed, 1);
    ck_assert_double_eq(qd_test_body(world, still).position.x, 30);
    check_tree(world);
}

// Turned rects go by their own boxes, and static bodies stay wherever they are.
QD_TEST(shapes_leave_by_their_boxes) {
    qd_world_def def = qd_test_open_def();
    def.removal = 0;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def body = qd_test_body_at(qd_shape_rect(6, 1), 100, 50);
    body.velocity.x = 1;
    body.angle = 1.57079632679489662; // upright: it reaches 0.5 to the left
    qd_id upright = qd_test_add(world, &body);
    body.angle = 0;
    body.position.y = 20;
    qd_id flat = qd_test_add(world, &body);
    body.kind = QD_BODY_STATIC;
    body.position.x = 200;
    qd_id fixed = qd_test_add(world, &body);
    qd_test_step(world, 0.25, 3);
    qd_body_state state;
    ck_assert_int_eq(qd_world_body(world, upright, &state), QD_ERR_STALE);
    ck_assert_int_eq(qd_world_body(world, flat, &state), QD_OK);
    qd_test_step(world, 0.25, 10);
    ck_assert_int_eq(qd_world_body(world, flat, &state), QD_ERR_STALE);
    ck_assert_int_eq(qd_world_body(world, fixed, &state), QD_OK);
}

// Contacts of a body that goes end in the events of the step that it goes in.
QD_TEST(contacts_of_who_goes_end) {
    qd_world_def def = qd_test_open_def();
    def.contact = QD_CONTACT_NONE;
    def.removal = 0;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id a = qd_test_disk(world, 99.75, 50, 1, 0, 0.5, 1), b = qd_test_disk(world, 99, 50, 1, 0, 0.5, 1);
    qd_test_step(world, 0.25, 3);
    size_t count;
    (void)qd_world_contacts(world, &count);
    ck_assert_uint_eq(count, 1);
    qd_test_step(world, 0.25, 1);
    (void)qd_world_contacts(world, &count);
    ck_assert_uint_eq(count, 0);
    const qd_event *events = qd_world_events(world, &count);
    ck_assert_uint_eq(count, 1);
    ck_assert_int_eq(events[0].kind, QD_EVENT_END);
    ck_assert_uint_eq(events[0].contact->a.index, a.index);
    ck_assert_uint_eq(events[0].contact->b.index, b.index);
    qd_body_state state;
    ck_assert_int_eq(qd_world_body(world, a, &state), QD_ERR_STALE);
    ck_assert_int_eq(qd_world_body(world, b, &state), QD_OK);
    ck_assert_uint_eq(qd_world_total(world).ends, 1);
}

// limits.distance still guards what is not removed in time, or not at all.
QD_TEST(distance_still_guards) {
    qd_world_def def = qd_test_open_def();
    def.removal = 10;
    def.limits.distance = 55;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_disk(world, 95, 50, 1, 0, 0.5, 1);
    qd_status status = QD_OK;
    while (status == QD_OK && qd_world_steps(world) < 100) status = qd_world_step(world, 0.25, NULL);
    ck_assert_int_eq(status, QD_ERR_LIMIT);
    ck_assert_uint_eq(qd_world_total(world).departed, 0);
}

// ---- sinks ----

QD_TEST(sinks_take_the_lowest_index_first) {
    qd_world_def def = qd_test_open_def();
    def.contact = QD_CONTACT_NONE;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_sink(world, 50, 0, 10, 100, 3);
    qd_test_sink(world, 50, 0, 5, 100, UINT64_MAX);
    qd_id ids[8];
    for (int k = 0; k < 8; ++k) ids[k] = qd_test_disk(world, 51 + k, 90 - k, 0, 0, 0.5, 1);
    qd_body_def wall = qd_body_def_default();
    wall.kind = QD_BODY_STATIC;
    wall.position = (qd_vec2){52, 50};
    (void)qd_test_add(world, &wall);
    qd_test_step(world, 0.1, 1);
    qd_body_state state;
    // 51, 52, 53 go into the first, 54 and 55 into the second, which reaches to 55; 56 to 58 stay, as does
    // the wall.
    for (int k = 0; k < 8; ++k)
        ck_assert_int_eq(qd_world_body(world, ids[k], &state), k < 5 ? QD_ERR_STALE : QD_OK);
    uint64_t taken = 0;
    ck_assert_int_eq(qd_world_sink(world, 0, &taken), QD_OK);
    ck_assert_uint_eq(taken, 3);
    ck_assert_int_eq(qd_world_sink(world, 1, &taken), QD_OK);
    ck_assert_uint_eq(taken, 2);
    ck_assert_int_eq(qd_world_sink(world, 2, &taken), QD_ERR_NOT_FOUND);
    ck_assert_uint_eq(qd_world_total(world).sunk, 5);
    ck_assert_uint_eq(qd_world_count(world), 4);
    check_tree(world);
    // The lowest freed index is used first, with another generation.
    qd_id again = qd_test_disk(world, 5, 5, 0, 0, 0.5, 1);
    ck_assert_uint_eq(again.index, ids[0].index);
    ck_assert_uint_ne(again.generation, ids[0].generation);
}

// ---- emitters ----

QD_TEST(emitters_keep_time_and_limits) {
    qd_own(qd_world) world = qd_test_world(NULL);
    qd_emitter_def source = tap();
    source.start = 1;
    source.stop = 3;
    add_emitter(world, &source);
    source = tap();
    source.total = 7;
    add_emitter(world, &source);
    for (int k = 1; k <= 20; ++k) {
        qd_test_step(world, 0.25, 1);
        double t = 0.25 * k;
        qd_emitter_counts counts;
        ck_assert_int_eq(qd_world_emitter(world, 0, &counts), QD_OK);
        double due = t <= 1 ? 0 : (t < 3 ? floor(10 * (t - 1)) : 20);
        ck_assert_uint_eq(counts.emitted, (uint64_t)due);
        ck_assert_int_eq(qd_world_emitter(world, 1, &counts), QD_OK);
        ck_assert_uint_eq(counts.emitted, t * 10 < 7 ? (uint64_t)(t * 10) : 7);
        ck_assert_uint_eq(counts.due, (uint64_t)(t * 10));
        check_tree(world);
    }
    qd_emitter_counts counts;
    ck_assert_int_eq(qd_world_emitter(world, 2, &counts), QD_ERR_NOT_FOUND);
    ck_assert_uint_eq(qd_world_count(world), 27);
    ck_assert_uint_eq(qd_world_total(world).emitted, 27);
    ck_assert_uint_eq(qd_world_total(world).blocked, 0);
}

QD_TEST(no_more_than_alive) {
    qd_world_def def = qd_world_def_default();
    def.gravity.y = -10;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_emitter_def source = tap();
    source.alive = 25;
    add_emitter(world, &source);
    qd_test_sink(world, 0, 0, 100, 20, UINT64_MAX);
    size_t most = 0;
    for (int k = 0; k < 400; ++k) {
        qd_test_step(world, 0.05, 1);
        if (qd_world_count(world) > most) most = qd_world_count(world);
    }
    ck_assert_uint_eq(most, 25);
    qd_world_totals totals = qd_world_total(world);
    ck_assert_uint_gt(totals.emitted, 60);
    ck_assert_uint_eq(totals.emitted - totals.sunk, qd_world_count(world));
}

// What appears touches nobody and no wall; with gravity the emitter's place fills, and is found full.
QD_TEST_LOOP(arrivals_touch_nobody, 0, 8) {
    qd_world_def def = qd_world_def_default();
    def.boundary_x = _i % 2 ? QD_BOUNDARY_PERIODIC : QD_BOUNDARY_REFLECT;
    def.size = (qd_vec2){20, 20};
    def.friction = 0.5;
    def.restitution = 0.2;
    def.gravity.y = -10;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def ledge = qd_body_def_default();
    ledge.kind = QD_BODY_STATIC;
    ledge.shape = qd_shape_rect(6, 0.5);
    ledge.position = (qd_vec2){10, 15};
    ledge.angle = 0.3;
    (void)qd_test_add(world, &ledge);
    qd_emitter_def source = source_of(_i / 2);
    source.low = (qd_vec2){0, 8};
    source.high = (qd_vec2){20, 20};
    source.body.velocity.y = -5;
    add_emitter(world, &source);
    uint64_t emitted = 0, steps = 60;
    for (uint64_t k = 0; k < steps; ++k) {
        qd_test_step(world, 0.02, 1);
        uint64_t now = qd_world_total(world).emitted;
        size_t count;
        const qd_event *events = qd_world_events(world, &count);
        qd_body_view view = qd_world_view(world);
        for (size_t i = 0; i < count; ++i) { // whoever was not there a step before has no contact
            if (events[i].kind != QD_EVENT_BEGIN) continue;
            const qd_contact *contact = events[i].contact;
            ck_assert_uint_le(contact->a.index, emitted);
            ck_assert(qd_id_is_wall(contact->b) || contact->b.index <= emitted);
        }
        ck_assert_uint_eq(view.count, now + 1);
        emitted = now;
    }
    ck_assert_uint_gt(emitted, 40);
    ck_assert_uint_gt(qd_world_total(world).blocked, 10);
    ck_assert_uint_eq(emitted + qd_world_total(world).blocked, 480);
}

QD_TEST(overlap_on_request) {
    qd_world_def def = qd_test_open_def();
    def.contact = QD_CONTACT_NONE;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_emitter_def source = tap();
    source.low = source.high = (qd_vec2){50, 50};
    source.overlap = true;
    source.rate = 1e9; // all that a step may make
    source.total = 150;
    add_emitter(world, &source);
    qd_test_step(world, 0.5, 1);
    ck_assert_uint_eq(qd_world_count(world), 150);
}

// A number of a body is a function of the seed, the emitter and its place in the row: not of time steps or
// others.
QD_TEST(numbers_do_not_depend_on_steps) {
    qd_vec2 velocity[2];
    double radius[2];
    for (int k = 0; k < 2; ++k) {
        qd_world_def def = qd_test_open_def();
        def.contact = QD_CONTACT_NONE;
        qd_own(qd_world) world = qd_test_world(&def);
        qd_emitter_def source = source_of(0);
        source.rate = 4;
        source.overlap = k == 1;
        add_emitter(world, &source);
        qd_test_step(world, k == 0 ? 0.25 : 0.5, k == 0 ? 8 : 4);
        qd_body_view view = qd_world_view(world);
        ck_assert_uint_eq(view.count, 8);
        uint32_t row = view.row_of_index[5];
        velocity[k] = (qd_vec2){view.vx[row], view.vy[row]};
        radius[k] = view.radius[row];
    }
    ck_assert_double_eq(velocity[0].x, velocity[1].x);
    ck_assert_double_eq(velocity[0].y, velocity[1].y);
    ck_assert_double_eq(radius[0], radius[1]);
}

// ---- ids ----

/// Notes the ids of the bodies that are there, and that nobody had them before: `seen[id]` is index + 1 and
/// generation.
static void note_ids(const qd_world *world, qd_id *seen, size_t room) {
    qd_body_view view = qd_world_view(world);
    for (size_t row = 0; row < view.count; ++row) {
        qd_id id = {view.index[row] + 1, view.generation[row]};
        ck_assert_uint_lt(view.label[row], room);
        qd_id *owner = &seen[view.label[row]];
        if (owner->index == 0) *owner = id;
        ck_assert_msg(owner->index == id.index && owner->generation == id.generation, "id %u twice",
                      (unsigned)view.label[row]);
    }
}

// A body that is emitted takes the index of one that has gone, but never its id, whatever ids were given, and
// across saving.
QD_TEST(ids_are_never_used_again) {
    static qd_id seen[2000];
    memset(seen, 0, sizeof seen);
    qd_world_def def = qd_world_def_default();
    def.gravity.y = -10;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def body = qd_body_def_default();
    body.position = (qd_vec2){50, 3};
    body.label = 17;
    qd_id high = qd_test_add(world, &body);
    ck_assert_int_eq(qd_world_remove(world, high), QD_OK);
    qd_emitter_def source = tap();
    source.rate = 100;
    add_emitter(world, &source);
    qd_test_sink(world, 0, 0, 100, 10, UINT64_MAX);
    seen[17] = (qd_id){1, 9};
    size_t reused = 0;
    for (int k = 0; k < 200; ++k) {
        qd_test_step(world, 0.05, 1);
        note_ids(world, seen, 2000);
        if (k % 50 == 49) world = qd_test_reload(world, 1);
    }
    qd_body_view view = qd_world_view(world);
    for (size_t row = 0; row < view.count; ++row) reused += view.generation[row] > 1;
    ck_assert_uint_gt(reused, 10);
}

// ---- the same for any team, and after loading ----

static uint64_t life(uint64_t seed, int threads, bool halfway) {
    qd_random random = qd_random_at(seed, 0, 35);
    qd_world_def def = qd_test_random_def(&random);
    def.threads = threads;
    def.removal = seed % 3 ? 0.5 : HUGE_VAL;
    def.drag.linear = 0.05;
    qd_own(qd_world) world = qd_test_world(&def);
    for (int k = 0; k < 2; ++k) {
        qd_emitter_def source = source_of((int)(seed + (uint64_t)k) % 4);
        source.low = (qd_vec2){def.origin.x + 1 + 8 * k, def.origin.y + 2};
        source.high = (qd_vec2){def.origin.x + 8 + 8 * k, def.origin.y + 18};
        source.rate = 200;
        source.alive = 2700;
        source.overlap = seed % 5 == 0;
        add_emitter(world, &source);
    }
    qd_test_sink(world, def.origin.x + 5, def.origin.y + 5, 5, 3, 40);
    qd_test_sink(world, def.origin.x + 5, def.origin.y, 3, 10, UINT64_MAX);
    qd_test_scatter(world, &random, seed % 2 ? 100 : 2300);
    uint64_t hash = 1;
    for (int k = 0; k < 20; ++k) {
        if (k == 10 && halfway) world = qd_test_reload(world, threads);
        qd_test_step(world, 0.02, 1);
        hash = hash * 31 + qd_world_hash(world) + qd_test_events_hash(world);
    }
    qd_world_totals totals = qd_world_total(world);
    ck_assert_uint_gt(totals.emitted, 0);
    ck_assert_uint_gt(totals.sunk, 0);
    check_tree(world);
    return hash;
}

QD_TEST(same_for_any_team_and_after_loading) {
    qd_test_same_lives(qd_test_effort(5), life);
}

// What is followed on its way comes and goes like all others: the boxes that it left behind are nobody's.
QD_TEST(fast_bodies_come_and_go) {
    qd_world_def def = qd_test_open_def();
    def.removal = 0;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_emitter_def source = source_of(0);
    source.body.shape = qd_shape_disk(0.1);
    source.body.velocity.x = 600;
    source.rate = 2000;
    add_emitter(world, &source);
    qd_test_sink(world, 85, 84, 10, 2, 50);
    for (int k = 0; k < 50; ++k) {
        qd_test_step(world, 0.01, 1);
        check_tree(world);
        size_t count;
        const qd_contact *contacts = qd_world_contacts(world, &count);
        for (size_t i = 0; i < count; ++i) {
            qd_body_state state;
            ck_assert_int_eq(qd_world_body(world, contacts[i].a, &state), QD_OK);
            ck_assert_int_eq(qd_world_body(world, contacts[i].b, &state), QD_OK);
        }
    }
    qd_world_totals totals = qd_world_total(world);
    ck_assert_uint_gt(totals.departed, 400);
    ck_assert_uint_gt(totals.sunk, 10);
    ck_assert_uint_eq(totals.emitted - totals.departed - totals.sunk, qd_world_count(world));
}

// An emitter that is added late does not make up for the time before.
QD_TEST(late_emitters_begin_when_added) {
    qd_own(qd_world) world = qd_test_world(NULL);
    qd_test_step(world, 0.5, 10);
    qd_emitter_def source = tap();
    add_emitter(world, &source);
    qd_test_step(world, 0.5, 1);
    ck_assert_uint_eq(qd_world_count(world), 5);
}

QD_TEST_MAIN("population", 240, NULL, NULL)
