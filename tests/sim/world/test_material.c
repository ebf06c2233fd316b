#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/world.h>
#include <string.h>

// Materials by name: whose values count, and what two of them are to each other, in both contact models.

static const double none = (double)NAN;

static qd_world_def def_of(qd_contact_model model) {
    qd_world_def def = qd_world_def_default();
    def.contact = model;
    if (model == QD_CONTACT_SPRING) def.spring.kn = 1e4;
    def.gravity = (qd_vec2){0, -10};
    def.size = (qd_vec2){200, 20};
    def.restitution = 0.5;
    def.friction = 0.1;
    return def;
}

static uint32_t add_material(qd_world *world, const char *name, double restitution, double friction) {
    const qd_material surface = {restitution, friction, none, 0};
    uint32_t number = 0;
    qd_error error = {""};
    ck_assert_msg(qd_world_add_material(world, name, &surface, &number, &error) == QD_OK, "%s", error.text);
    return number;
}

static void pair_materials(qd_world *world, uint32_t a, uint32_t b, double restitution, double friction) {
    const qd_material surface = {restitution, friction, none, 0};
    ck_assert_int_eq(qd_world_pair_materials(world, a, b, &surface, NULL), QD_OK);
}

/// Part of its speed that a ball of a material has after it fell on a slab of another (0: on the wall).
static double bounce(qd_contact_model model, uint32_t ball, uint32_t slab, const qd_material *pair,
                     double own) {
    qd_world_def def = def_of(model);
    def.gravity.y = 0;
    def.walls.of = 2;
    qd_world *world = qd_test_world(&def);
    add_material(world, "steel", 0.9, 0.3);
    add_material(world, "rubber", 0.2, none);
    if (pair) ck_assert_int_eq(qd_world_pair_materials(world, 1, 2, pair, NULL), QD_OK);
    qd_body_def body = qd_body_def_default();
    body.kind = QD_BODY_STATIC;
    body.shape = qd_shape_rect(10, 1);
    body.position = (qd_vec2){50, 10};
    body.material.of = slab;
    if (slab) qd_test_add(world, &body);
    body = qd_body_def_default();
    body.position = (qd_vec2){50, slab ? 11.2 : 0.7};
    body.velocity = (qd_vec2){0, -4};
    body.material.of = ball;
    body.material.restitution = own;
    const qd_id id = qd_test_add(world, &body);
    qd_test_step(world, 1e-4, 3000);
    const double back = qd_test_body(world, id).velocity.y / 4;
    qd_world_destroy(world);
    return back;
}

QD_TEST(values_of_materials_count_unless_others_are_given) {
    const qd_material pair = {0.3, none, none, 0}, rub = {none, 3, none, 0};
    for (int model = QD_CONTACT_IMPULSE; model <= QD_CONTACT_SPRING; ++model) {
        const qd_contact_model m = (qd_contact_model)model;
        ck_assert_double_eq_tol(bounce(m, 1, 2, NULL, none), 0.9, 0.01); // the larger
        ck_assert_double_eq_tol(bounce(m, 2, 2, NULL, none), 0.2, 0.01);
        ck_assert_double_eq_tol(bounce(m, 2, 0, NULL, none), 0.2, 0.01); // the wall is of rubber
        ck_assert_double_eq_tol(bounce(m, 0, 2, NULL, none), 0.5, 0.01); // the ball as the world
        ck_assert_double_eq_tol(bounce(m, 2, 2, NULL, 0.7), 0.7, 0.01);  // its own wins
        ck_assert_double_eq_tol(bounce(m, 1, 2, &pair, none), 0.3, 0.01);
        ck_assert_double_eq_tol(bounce(m, 2, 1, &pair, none), 0.3, 0.01);
        ck_assert_double_eq_tol(bounce(m, 1, 0, &pair, none), 0.3, 0.01); // wall
        ck_assert_double_eq_tol(bounce(m, 1, 2, &pair, 0.8), 0.3, 0.01);  // whatever the surfaces are
        ck_assert_double_eq_tol(bounce(m, 2, 2, &pair, none), 0.2, 0.01); // another pair
        ck_assert_double_eq_tol(bounce(m, 1, 2, &rub, none), 0.9, 0.01);  // of which nothing is said
    }
}

/// How much a box on a floor is slowed down, as a part of gravity.
static double slowing(qd_contact_model model, double own, double pair) {
    qd_world_def def = def_of(model);
    def.friction = 0;
    def.restitution = 0;
    def.walls.of = 1;
    qd_own(qd_world) world = qd_test_world(&def);
    const uint32_t steel = add_material(world, "steel", none, own);
    if (!isnan(pair)) pair_materials(world, steel, steel, none, pair);
    qd_body_def body = qd_test_body_at(qd_shape_rect(2, 1), 20, 0.5);
    body.velocity = (qd_vec2){10, 0};
    body.inertia = HUGE_VAL;
    body.material.of = steel;
    const qd_id id = qd_test_add(world, &body);
    qd_test_step(world, 1e-3, 500);
    return (10 - qd_test_body(world, id).velocity.x) / (10 * 0.5);
}

QD_TEST(pairs_rub_as_they_are_told) {
    for (int model = QD_CONTACT_IMPULSE; model <= QD_CONTACT_SPRING; ++model) {
        const qd_contact_model m = (qd_contact_model)model;
        ck_assert_double_eq_tol(slowing(m, 0.4, none), 0.4, 0.02);
        ck_assert_double_eq_tol(slowing(m, 0.4, 0.8), 0.8, 0.02); // one with itself
        ck_assert_double_eq_tol(slowing(m, none, 0.6), 0.6, 0.02);
        ck_assert_double_eq_tol(slowing(m, 0.4, 0), 0, 1e-12);
    }
}

// A pair alone makes turn what would not, and bounce what would not.
QD_TEST(pairs_turn_and_bounce_what_would_not) {
    for (int model = QD_CONTACT_IMPULSE; model <= QD_CONTACT_SPRING; ++model) {
        qd_world_def def = def_of((qd_contact_model)model);
        def.friction = def.restitution = 0;
        def.gravity.y = 0;
        qd_own(qd_world) world = qd_test_world(&def);
        const uint32_t steel = add_material(world, "steel", none, none);
        pair_materials(world, steel, steel, 1, 0.5);
        qd_body_def body = qd_body_def_default();
        body.material.of = steel;
        body.position = (qd_vec2){50, 10};
        const qd_id a = qd_test_add(world, &body);
        body.position = (qd_vec2){51.2, 10.5};
        body.velocity.x = -2;
        const qd_id b = qd_test_add(world, &body);
        qd_test_step(world, 1e-4, 5000);
        ck_assert_double_gt(fabs(qd_test_body(world, a).spin), 0.1);
        ck_assert_double_gt(qd_test_body(world, b).velocity.y, 0.1);
        const qd_vec2 v = qd_test_body(world, a).velocity, w = qd_test_body(world, b).velocity;
        const double nx = sqrt(0.75), ny = 0.5; // where they met
        ck_assert_double_eq_tol((w.x - v.x) * nx + (w.y - v.y) * ny, 2 * nx, 0.02);
    }
}

static qd_world *crowd(qd_contact_model model, int threads) {
    qd_random random = qd_random_at(7, 0, 5);
    qd_world_def def = def_of(model);
    def.size = (qd_vec2){30, 20};
    def.threads = threads;
    def.walls.of = 3;
    qd_world *world = qd_test_world(&def);
    for (int k = 0; k < 3; ++k)
        add_material(world, k == 0 ? "a" : k == 1 ? "b" : "c", 0.2 * k, k == 2 ? none : 0.3 + 0.1 * k);
    pair_materials(world, 1, 2, 0.9, none);
    pair_materials(world, 3, 1, none, 0.9);
    pair_materials(world, 2, 2, 0.1, 0.05);
    for (int k = 0; k < 200; ++k) {
        qd_body_def body = qd_body_def_default();
        body.shape = k % 3 ? qd_shape_disk(0.4) : qd_shape_rect(0.9, 0.6);
        body.position = (qd_vec2){qd_test_between(&random, 1, 29), qd_test_between(&random, 1, 19)};
        body.velocity = (qd_vec2){qd_test_between(&random, -3, 3), qd_test_between(&random, -3, 3)};
        body.material.of = (uint32_t)(k % 4);
        qd_test_add(world, &body);
    }
    qd_emitter_def emitter = qd_emitter_def_default();
    emitter.low = (qd_vec2){5, 15};
    emitter.high = (qd_vec2){25, 18};
    emitter.rate = 50;
    emitter.body.material.of = 2;
    ck_assert_int_eq(qd_world_add_emitter(world, &emitter, NULL), QD_OK);
    return world;
}

QD_TEST(saved_worlds_keep_materials) {
    for (int model = QD_CONTACT_IMPULSE; model <= QD_CONTACT_SPRING; ++model) {
        qd_own(qd_world) world = crowd((qd_contact_model)model, 1), other = crowd((qd_contact_model)model, 3);
        qd_test_step(world, 2e-3, 100);
        qd_test_step(other, 2e-3, 100);
        ck_assert(qd_world_hash(world) == qd_world_hash(other));
        qd_world_destroy(other);
        other = qd_test_copy(world, 2);
        qd_named_material named;
        qd_material pair;
        ck_assert_int_eq(qd_world_material(other, 2, &named), QD_OK);
        ck_assert_str_eq(named.name, "b");
        ck_assert(named.surface.friction == 0.4 && isnan(named.surface.tangential));
        ck_assert_int_eq(qd_world_material(other, 4, &named), QD_ERR_NOT_FOUND);
        ck_assert_int_eq(qd_world_material_pair(other, 1, 3, &pair), QD_OK);
        ck_assert(pair.friction == 0.9 && isnan(pair.restitution));
        ck_assert_uint_eq(qd_world_find_material(other, "c"), 3);
        ck_assert_uint_eq(qd_world_find_material(other, "d"), 0);
        ck_assert(qd_world_hash(world) == qd_world_hash(other));
        for (int k = 0; k < 100; ++k) {
            qd_test_step(world, 2e-3, 1);
            qd_test_step(other, 2e-3, 1);
            ck_assert_msg(qd_world_hash(world) == qd_world_hash(other), "%d", k);
        }
        pair_materials(other, 2, 2, 0.1, 0.06); // what they are decides what will be
        ck_assert(qd_world_hash(world) != qd_world_hash(other));
    }
}

QD_TEST(bad_materials_are_refused) {
    const qd_world_def def = def_of(QD_CONTACT_IMPULSE);
    qd_own(qd_world) world = qd_test_world(&def);
    const qd_material good = {none, 0.5, none, 0};
    const qd_material bad[] = {
        {-0.1, none, none, 0}, {1.1, none, none, 0}, {none, -1, none, 0}, {none, none, 2, 0}};
    qd_error error = {""};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        ck_assert_int_eq(qd_world_add_material(world, "bad", &bad[i], NULL, &error), QD_ERR_VALUE);
        ck_assert(strstr(error.text, "a material's"));
    }
    static const char *const names[] = {"", "a b", "a.b", "abcdefghijklmnopqrstuvwxyz-123456"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        ck_assert_int_eq(qd_world_add_material(world, names[i], &good, NULL, &error), QD_ERR_VALUE);
    ck_assert_int_eq(qd_world_add_material(world, "abcdefghijklmnopqrstuvwxyz-1234", &good, NULL, &error),
                     QD_OK);
    ck_assert_int_eq(qd_world_add_material(world, "abcdefghijklmnopqrstuvwxyz-1234", &good, NULL, &error),
                     QD_ERR_VALUE);
    ck_assert(strstr(error.text, "already"));
    ck_assert_int_eq(qd_world_pair_materials(world, 1, 2, &good, &error), QD_ERR_NOT_FOUND);
    ck_assert_int_eq(qd_world_pair_materials(world, 0, 1, &good, &error), QD_ERR_NOT_FOUND);
    ck_assert_int_eq(qd_world_pair_materials(world, 1, 1, &bad[1], &error), QD_ERR_VALUE);
    qd_body_def body = qd_body_def_default();
    body.material.of = 2;
    ck_assert_int_eq(qd_world_add(world, &body, NULL, &error), QD_ERR_VALUE);
    ck_assert(strstr(error.text, "no material has the number 2"));
    for (int k = 1; k < QD_MATERIALS_MAX; ++k) {
        const char name[] = {'m', (char)('0' + k / 10), (char)('0' + k % 10), 0};
        add_material(world, name, none, none);
    }
    ck_assert_int_eq(qd_world_add_material(world, "more", &good, NULL, &error), QD_ERR_LIMIT);
}

QD_TEST_MAIN("material", 60, NULL, NULL)
