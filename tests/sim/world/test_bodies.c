// Bodies of every kind: how they come, go and move, whom they touch, and what is told of it.
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/math.h>
#include <quadrille/world.h>
#include <string.h>

static qd_body_def box(double x, double y) {
    qd_body_def body = qd_test_body_at(qd_shape_rect(2, 1), x, y);
    return body;
}

static size_t contacts_of(qd_world *world) {
    size_t count;
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    (void)qd_world_contacts(world, &count);
    return count;
}

QD_TEST(free_bodies_turn_evenly) {
    qd_world_def def = qd_test_open_def();
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def body = box(30, 40);
    body.angle = 1;
    body.spin = -3.7;
    body.velocity = (qd_vec2){2, 1};
    qd_id id = qd_test_add(world, &body);
    double angular = qd_world_sum(world).angular;
    for (int k = 1; k <= 1000; ++k) {
        qd_test_step(world, .01, 1);
        qd_body_state s = qd_test_body(world, id);
        ck_assert_double_eq(s.spin, -3.7);
        ck_assert_double_eq_tol(s.turn.x, qd_cos(1 - .037 * k), 1e-12);
        ck_assert_double_eq_tol(s.turn.y, qd_sin(1 - .037 * k), 1e-12);
        ck_assert_double_eq_tol(qd_world_sum(world).angular, angular, 1e-12 * 100);
    }
}

QD_TEST(kinematic_bodies_keep_their_course) {
    qd_world_def def = qd_world_def_default();
    def.gravity.y = -10;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def body = box(20, 50);
    body.kind = QD_BODY_KINEMATIC;
    body.velocity = (qd_vec2){1, 0};
    body.spin = .5;
    qd_id slider = qd_test_add(world, &body);
    body.position = (qd_vec2){73, 50};
    body.pivot = (qd_vec2){70, 50};
    body.spin = 2;
    qd_id arm = qd_test_add(world, &body);
    qd_id ball = qd_test_disk(world, 21, 50.99, 0, 0, .5, 1e6); // lies on the slider, and is far heavier
    for (int k = 1; k <= 2000; ++k) {
        qd_test_step(world, .005, 1);
        double t = .005 * k;
        qd_body_state s = qd_test_body(world, slider), a = qd_test_body(world, arm);
        ck_assert_double_eq_tol(s.position.x, 20 + t, 1e-9);
        ck_assert(s.position.y == 50 && s.velocity.x == 1 && s.velocity.y == 0 && s.spin == .5);
        ck_assert_double_eq_tol(s.turn.y, qd_sin(.5 * t), 1e-11);
        ck_assert_double_eq_tol(a.position.x, 70 + 3 * qd_cos(2 * t), 1e-11);
        ck_assert_double_eq_tol(a.position.y, 50 + 3 * qd_sin(2 * t), 1e-11);
        ck_assert_double_eq_tol(a.velocity.x, -6 * qd_sin(2 * t), 1e-10);
        ck_assert_double_eq_tol(a.turn.x, qd_cos(2 * t), 1e-11);
    }
    ck_assert_double_lt(qd_test_body(world, ball).position.y, 50);
}

QD_TEST(what_rests_on_a_belt_goes_along) {
    qd_world_def def = qd_world_def_default();
    def.gravity.y = -10;
    def.restitution = 0;
    def.friction = 1;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def body = qd_body_def_default();
    body.shape = qd_shape_rect(60, 2);
    body.kind = QD_BODY_KINEMATIC;
    body.position = (qd_vec2){40, 20};
    body.velocity.x = 1.5;
    (void)qd_test_add(world, &body);
    body = box(30, 21.5);
    qd_id id = qd_test_add(world, &body);
    qd_test_step(world, 1.0 / 60, 300);
    qd_body_state s = qd_test_body(world, id);
    ck_assert_double_eq_tol(s.velocity.x, 1.5, 1e-9);
    ck_assert_double_eq_tol(s.position.y, 21.5, 1e-2);
}

QD_TEST(static_bodies_may_lie_anywhere) {
    qd_world_def def = qd_test_def(10, 10);
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def body = box(-500, 3);
    body.kind = QD_BODY_STATIC;
    body.shape = qd_shape_rect(1e5, 1);
    body.velocity = (qd_vec2){1, 1}; // not looked at
    body.spin = 7;
    qd_id floor = qd_test_add(world, &body);
    body.position = (qd_vec2){0, 3.2}; // into the first
    (void)qd_test_add(world, &body);
    ck_assert_uint_eq(contacts_of(world), 0);
    qd_id ball = qd_test_disk(world, 5, 4.1, 0, -1, .5, 0);
    ck_assert_uint_eq(contacts_of(world), 1);
    uint64_t begins = qd_world_total(world).begins;
    qd_test_step(world, .01, 100);
    ck_assert_uint_eq(begins, 1);
    qd_body_state s = qd_test_body(world, floor);
    ck_assert(s.position.x == -500 && s.position.y == 3 && s.velocity.x == 0 && s.spin == 0);
    ck_assert(isinf(s.mass) && isinf(s.inertia));
    ck_assert_double_gt(qd_test_body(world, ball).velocity.y, .99);
    ck_assert_double_eq_tol(qd_world_sum(world).mass, qd_test_body(world, ball).mass, 1e-12);
}

QD_TEST(filters_decide_who_touches) {
    const struct {
        qd_filter a, b;
        bool touch;
    } cases[] = {
        {{1, UINT32_MAX, 0}, {1, UINT32_MAX, 0}, true},
        {{1, UINT32_MAX, 0}, {2, UINT32_MAX, 0}, true},
        {{1, 2, 0}, {2, 1, 0}, true},
        {{1, 2, 0}, {2, 4, 0}, false},
        {{1, 1, 0}, {2, UINT32_MAX, 0}, false},
        {{1, 0, 5}, {1, 0, 5}, true},
        {{1, UINT32_MAX, -5}, {1, UINT32_MAX, -5}, false},
        {{1, UINT32_MAX, -5}, {1, UINT32_MAX, -6}, true},
        {{0, UINT32_MAX, 0}, {1, UINT32_MAX, 0}, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        for (int shape = 0; shape < 2; ++shape) {
            qd_own(qd_world) world = qd_test_world(NULL);
            qd_body_def body = box(50, 50);
            if (shape) body.shape = qd_shape_disk(.7);
            body.filter = cases[i].a;
            (void)qd_test_add(world, &body);
            body.position.x += .5;
            body.filter = cases[i].b;
            (void)qd_test_add(world, &body);
            ck_assert_msg((contacts_of(world) == 1) == cases[i].touch, "case %zu", i);
        }
    }
}

QD_TEST(sensors_report_and_do_nothing) {
    qd_world_def def = qd_world_def_default();
    def.gravity.y = -10;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def body = box(50, 50);
    body.kind = QD_BODY_STATIC;
    body.sensor = true;
    (void)qd_test_add(world, &body);
    qd_id ball = qd_test_disk(world, 50, 52, 0, 0, .5, 1);
    size_t begins = 0, ends = 0;
    for (int k = 0; k < 60; ++k) {
        qd_test_step(world, 1.0 / 60, 1);
        size_t count;
        const qd_event *events = qd_world_events(world, &count);
        for (size_t i = 0; i < count; ++i) {
            ck_assert(events[i].contact->sensor);
            ck_assert_double_eq(events[i].contact->touch[0].impulse, 0);
            begins += events[i].kind == QD_EVENT_BEGIN;
            ends += events[i].kind == QD_EVENT_END;
        }
    }
    ck_assert(begins == 1 && ends == 1);
    ck_assert_double_eq_tol(qd_test_body(world, ball).position.y, 52 - 5, 1e-9); // it fell all the while
}

// A blow is told by the event that follows it, with its impulse; the beginning tells how fast the two met.
QD_TEST(events_tell_impulse_and_speed) {
    qd_world_def def = qd_test_open_def();
    def.friction = .1;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_disk(world, 10, 10, 3, 0, .5, 2);
    qd_test_disk(world, 12, 10, -1, .5, .5, 2);
    double impulse = 0, friction = 0, speed = 0;
    int told = 0;
    for (int k = 0; k < 100; ++k) {
        qd_test_step(world, .01, 1);
        size_t count;
        const qd_event *events = qd_world_events(world, &count);
        for (size_t i = 0; i < count; ++i) {
            const qd_contact *c = events[i].contact;
            if (events[i].kind == QD_EVENT_BEGIN) speed = c->approach;
            if (events[i].kind == QD_EVENT_BEGIN) ck_assert_double_eq(c->touch[0].impulse, 0);
            told += c->touch[0].impulse > 0;
            impulse += c->touch[0].impulse;
            friction += c->touch[0].friction;
        }
    }
    ck_assert_int_eq(told, 1);
    ck_assert_double_eq_tol(speed, 4, .2); // they meet a little aslant
    ck_assert_double_eq_tol(impulse, 2 * speed, 1e-12);
    ck_assert(fabs(friction) > 0 && fabs(friction) <= .1 * impulse);
}

QD_TEST(contacts_of_boxes_have_two_touches) {
    qd_own(qd_world) world = qd_test_world(NULL);
    qd_body_def body = box(50, .48);
    (void)qd_test_add(world, &body);
    body = box(50.5, 1.45);
    (void)qd_test_add(world, &body);
    ck_assert_uint_eq(contacts_of(world), 2);
    size_t count;
    const qd_contact *c = qd_world_contacts(world, &count);
    for (size_t i = 0; i < 2; ++i) {
        ck_assert_int_eq(c[i].count, 2);
        double low = fmin(c[i].touch[0].point.x, c[i].touch[1].point.x);
        double high = fmax(c[i].touch[0].point.x, c[i].touch[1].point.x);
        ck_assert_double_eq_tol(low, i == 0 ? 49.5 : 49, 1e-12);
        ck_assert_double_eq_tol(high, 51, 1e-12);
        ck_assert_uint_ne(c[i].touch[0].feature, c[i].touch[1].feature);
    }
    ck_assert_double_eq_tol(c[0].touch[0].depth, .03, 1e-12);
    ck_assert_double_eq_tol(c[0].normal.y, 1, 1e-12);
    ck_assert_double_eq_tol(c[1].touch[0].depth, .02, 1e-12);
    ck_assert_double_eq_tol(c[1].normal.y, -1, 1e-12);
}

QD_TEST(placing_and_turning) {
    qd_own(qd_world) world = qd_test_world(NULL);
    qd_body_def body = box(50, 50);
    qd_id id = qd_test_add(world, &body);
    qd_error error = {""};
    ck_assert_int_eq(qd_world_turn(world, id, 2, .25, &error), QD_OK);
    qd_body_state s = qd_test_body(world, id);
    ck_assert_double_eq_tol(s.turn.x, cos(2.0), 1e-15);
    ck_assert_double_eq(s.spin, .25);
    ck_assert_int_eq(qd_world_turn(world, id, (double)NAN, 0, &error), QD_ERR_VALUE);
    ck_assert_int_eq(qd_world_turn(world, id, 0, HUGE_VAL, &error), QD_ERR_VALUE);
    ck_assert_int_eq(qd_world_turn(world, (qd_id){7, 7}, 0, 0, &error), QD_ERR_STALE);
    ck_assert_int_eq(qd_world_turn(NULL, id, 0, 0, &error), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_world_place(world, id, (qd_vec2){-1, 50}, (qd_vec2){0, 0}, &error), QD_ERR_VALUE);
    body.kind = QD_BODY_KINEMATIC;
    body.pivot = (qd_vec2){40, 50};
    body.spin = 1;
    id = qd_test_add(world, &body);
    ck_assert_int_eq(qd_world_place(world, id, (qd_vec2){40, 55}, (qd_vec2){9, 9}, &error), QD_OK);
    s = qd_test_body(world, id);
    ck_assert(s.velocity.x == -5 && s.velocity.y == 0); // as the pivot demands
}

QD_TEST(what_is_wrong_is_refused) {
    qd_world_def def = qd_test_def(20, 20);
    def.boundary_x = QD_BOUNDARY_PERIODIC;
    qd_own(qd_world) world = qd_test_world(&def);
    for (int k = 0; k < 12; ++k) {
        qd_body_def body = box(10, 10);
        switch (k) {
        case 0: body.shape = qd_shape_rect(11, 1); break; // above half the period
        case 1: body.shape = qd_shape_rect(1, 21); break; // above the height
        case 2: body.shape = qd_shape_rect(-1, 1); break;
        case 3: body.angle = (double)NAN; break;
        case 4: body.spin = HUGE_VAL; break;
        case 5: body.inertia = 0; break;
        case 6: body.material.friction = -1; break;
        case 7: body.material.restitution = 1.5; break;
        case 8: body.kind = (qd_body_kind)7; break;
        case 9: body.pivot = (qd_vec2){1, 1}; break;
        case 10: body.shape = qd_shape_capsule(2, 0); break; // no area, no mass
        default: body.shape.kind = (qd_shape_kind)9; break;
        }
        qd_error error = {""};
        ck_assert_msg(qd_world_add(world, &body, NULL, &error) == QD_ERR_VALUE, "case %d was taken", k);
        ck_assert_msg(strlen(error.text) > 5, "case %d: no reason", k);
    }
    const qd_vec2 line[] = {{1, 1}, {5, 1}, {5, 1}, {9, 1}};
    qd_body_def like = qd_body_def_default();
    qd_error error = {""};
    ck_assert_int_eq(qd_world_add_polyline(world, line, 4, false, &like, NULL, &error), QD_ERR_VALUE);
    ck_assert_int_eq(qd_world_add_polyline(world, line, 1, false, &like, NULL, &error), QD_ERR_VALUE);
    ck_assert_int_eq(qd_world_add_polyline(world, NULL, 1, false, &like, NULL, &error), QD_ERR_ARGUMENT);
    ck_assert_uint_eq(qd_world_count(world), 0); // not even the first edge
}

// Equal shapes share a number; the numbers of those that are gone are used again.
QD_TEST(shapes_are_shared) {
    qd_own(qd_world) world = qd_test_world(NULL);
    qd_id ids[200];
    for (int round = 0; round < 5; ++round) {
        for (int i = 0; i < 200; ++i) {
            qd_body_def body = box(1 + .4 * i, 50);
            body.shape = qd_shape_rect(1 + i % 4 + 10 * round, 1);
            body.material.friction = .1 * (i % 3) + round;
            ids[i] = qd_test_add(world, &body);
        }
        qd_body_view view = qd_world_view(world);
        ck_assert_uint_le(view.shape_count, 5);
        for (int i = 0; i < 200; ++i) {
            uint32_t row = view.row_of_index[ids[i].index];
            ck_assert_double_eq(view.shapes[view.shape[row]]->half.x, .5 * (1 + i % 4 + 10 * round));
            ck_assert_double_eq(qd_test_body(world, ids[i]).material.friction, .1 * (i % 3) + round);
        }
        for (int i = 0; i < 200; ++i) ck_assert_int_eq(qd_world_remove(world, ids[(i * 37) % 200]), QD_OK);
    }
}

// Rows grow by several threads: all bodies stay what they are, each time that there are too many for the
// room.
QD_TEST(many_bodies_keep_their_rows) {
    enum { MANY = 200000 }; // columns grow in ranges of 65536
    qd_world_def def = qd_test_def(MANY, 10);
    def.threads = 3;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def body = qd_body_def_default();
    for (int i = 0; i < MANY; ++i) {
        body.position = (qd_vec2){i + .5, 5};
        body.velocity = (qd_vec2){.001 * i, -1};
        body.shape.radius = .1 + 1e-6 * i;
        body.spin = i % 5000 == 7 ? i : 0; // of columns that are zero for most
        body.kind = i % 70000 == 69999 ? QD_BODY_KINEMATIC : QD_BODY_DYNAMIC;
        (void)qd_test_add(world, &body);
    }
    qd_body_view view = qd_world_view(world);
    ck_assert_uint_eq(view.count, MANY);
    size_t wrong = 0;
    for (int i = 0; i < MANY; ++i) {
        uint32_t row = view.row_of_index[i];
        wrong += view.x[row] != i + .5 || view.y[row] != 5 || view.vx[row] != .001 * i ||
                 view.vy[row] != -1 || view.radius[row] != .1 + 1e-6 * i ||
                 view.spin[row] != (i % 5000 == 7 ? i : 0) ||
                 view.kind[row] != (i % 70000 == 69999 ? QD_BODY_KINEMATIC : QD_BODY_DYNAMIC) ||
                 view.index[row] != (uint32_t)i;
    }
    ck_assert_uint_eq(wrong, 0);
}

// Room that was asked for holds so many bodies, those that take freed indices among them, and is asked for
// once; nothing else is another then.
QD_TEST(room_for_bodies_is_made_once) {
    enum { MANY = 5000, GONE = 7 };
    qd_test_allocator allocator = qd_test_allocator_of(&allocator, 0);
    qd_world_def def = qd_test_def(MANY, 10);
    qd_world *plain = qd_test_world(&def);
    def.allocator = &allocator.allocator;
    qd_world *roomy = qd_test_world(&def), *both[] = {plain, roomy};
    for (int i = 0; i < 100; ++i) {
        for (int k = 0; k < 2; ++k) {
            const qd_id id = qd_test_disk(both[k], i + .5, 5, 1, -1, .4, 1);
            if (i < GONE) ck_assert_int_eq(qd_world_remove(both[k], id), QD_OK);
        }
    }
    ck_assert_int_eq(qd_world_reserve(roomy, MANY), QD_OK);
    const size_t calls = allocator.calls, bytes = allocator.live_bytes;
    for (int i = 100; qd_world_view(plain).count < MANY; ++i)
        for (int k = 0; k < 2; ++k) (void)qd_test_disk(both[k], i % MANY + .5, 2, 1, -1, .4, 1);
    ck_assert_uint_eq(allocator.calls, calls);
    ck_assert_uint_eq(qd_world_view(roomy).count, MANY);
    ck_assert_uint_eq(qd_world_hash(roomy), qd_world_hash(plain));
    ck_assert_int_eq(qd_world_reserve(roomy, 10), QD_OK); // less than there is: nothing
    ck_assert_uint_eq(allocator.live_bytes, bytes);
    (void)qd_test_disk(roomy, 1.5, 8, 0, 0, .4, 1); // more may come
    ck_assert_int_eq(qd_world_reserve(roomy, (size_t)QD_BODY_INDEX_MAX + 1), QD_ERR_LIMIT);
    ck_assert_int_eq(qd_world_reserve(NULL, 1), QD_ERR_ARGUMENT);
    allocator.fail_at = allocator.calls + 3;
    ck_assert_int_eq(qd_world_reserve(roomy, 2 * MANY), QD_ERR_MEMORY);
    ck_assert_uint_eq(qd_world_view(roomy).count, MANY + 1);
    for (int k = 0; k < 2; ++k) qd_world_destroy(both[k]);
    ck_assert_uint_eq(allocator.live, 0);
}

QD_TEST_MAIN("bodies", 120, NULL, NULL)
