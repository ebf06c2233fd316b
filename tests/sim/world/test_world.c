#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/world.h>
#include <stdio.h>
#include <string.h>

static const double bad_numbers[] = {0, -1, (double)NAN, HUGE_VAL, -HUGE_VAL};
enum { BAD = sizeof bad_numbers / sizeof *bad_numbers };

static void check_def(const qd_world_def *def, qd_status expected) {
    qd_world *world = NULL;
    ck_assert_int_eq(qd_world_create(def, &world), expected);
    ck_assert(world == NULL);
}

QD_TEST(defs_are_checked) {
    qd_world_def zero, good = qd_world_def_default(), def;
    memset(&zero, 0, sizeof zero);
    check_def(&zero, QD_ERR_ARGUMENT);
    check_def(NULL, QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_world_create(&good, NULL), QD_ERR_ARGUMENT);
    for (size_t i = 0; i < BAD; ++i) {
        def = good;
        def.size.x = bad_numbers[i];
        check_def(&def, QD_ERR_VALUE);
        def = good;
        def.size.y = bad_numbers[i];
        check_def(&def, QD_ERR_VALUE);
        if (isfinite(bad_numbers[i])) continue;
        def = good;
        def.origin.x = bad_numbers[i];
        check_def(&def, QD_ERR_VALUE);
        def = good;
        def.gravity.y = bad_numbers[i];
        check_def(&def, QD_ERR_VALUE);
        def = good;
        def.restitution = bad_numbers[i];
        check_def(&def, QD_ERR_VALUE);
    }
    const int bad_counts[] = {0, -1, 100000000};
    for (size_t i = 0; i < 3; ++i) {
        def = good;
        def.threads = bad_counts[i];
        check_def(&def, QD_ERR_VALUE);
        def = good;
        def.iterations = bad_counts[i];
        check_def(&def, QD_ERR_VALUE);
        def = good;
        def.capacity = (uint32_t)bad_counts[i];
        check_def(&def, QD_ERR_VALUE);
    }
    def = good;
    def.boundary_y = (qd_boundary)3;
    check_def(&def, QD_ERR_VALUE);
    def = good;
    def.contact = (qd_contact_model)9;
    check_def(&def, QD_ERR_VALUE);
    def = good;
    def.retrieve = (qd_retrieve_mode)3;
    check_def(&def, QD_ERR_VALUE);
    def = good;
    def.restitution = 1.01;
    check_def(&def, QD_ERR_VALUE);
    def = good;
    def.limits.speed = 0;
    check_def(&def, QD_ERR_VALUE);
    def = good;
    def.limits.pairs = -3;
    check_def(&def, QD_ERR_VALUE);
    def = good;
    def.origin.x = 1e29; // 100 wide there is nothing
    check_def(&def, QD_ERR_VALUE);
}

QD_TEST(default_distance_is_a_million_worlds) {
    qd_world_def def = qd_test_def(3, 20);
    qd_own(qd_world) world = qd_test_world(&def);
    ck_assert_double_eq(qd_world_definition(world).limits.distance, 2e7);
    qd_world_destroy(NULL);
}

static void check_add(qd_world *world, const qd_body_def *body, qd_status expected) {
    size_t count = qd_world_count(world);
    qd_error error = {""};
    qd_id id = {7, 7};
    ck_assert_int_eq(qd_world_add(world, body, &id, &error), expected);
    ck_assert_int_eq(qd_world_add(world, body, &id, NULL), expected);
    ck_assert_msg(strlen(error.text) > 5 && !strchr(error.text, '\n'), "reason: %s", error.text);
    ck_assert_uint_eq(qd_world_count(world), count);
    ck_assert_uint_eq(id.index, 7);
}

QD_TEST(bodies_are_checked) {
    qd_world_def def = qd_test_def(10, 20);
    def.boundary_y = QD_BOUNDARY_PERIODIC;
    def.limits.speed = 5;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def good = qd_body_def_default(), body;
    good.position = (qd_vec2){5, 5};
    memset(&body, 0, sizeof body);
    check_add(world, &body, QD_ERR_ARGUMENT);
    check_add(world, NULL, QD_ERR_ARGUMENT);
    for (size_t i = 0; i < BAD; ++i) {
        body = good;
        body.shape.radius = bad_numbers[i];
        check_add(world, &body, QD_ERR_VALUE);
        body = good;
        body.density = bad_numbers[i];
        check_add(world, &body, QD_ERR_VALUE);
        if (!isnan(bad_numbers[i])) {
            body = good;
            body.mass = bad_numbers[i];
            check_add(world, &body, QD_ERR_VALUE);
        }
        if (isfinite(bad_numbers[i])) continue;
        body = good;
        body.position.x = bad_numbers[i];
        check_add(world, &body, QD_ERR_VALUE);
        body = good;
        body.velocity.y = bad_numbers[i];
        check_add(world, &body, QD_ERR_VALUE);
    }
    body = good;
    body.position.x = -0.001;
    check_add(world, &body, QD_ERR_VALUE);
    body.position.x = 10.001;
    check_add(world, &body, QD_ERR_VALUE);
    body = good;
    body.shape.radius = 5.01; // above the width, and half of the period
    check_add(world, &body, QD_ERR_VALUE);
    body = good;
    body.velocity = (qd_vec2){4, 4};
    check_add(world, &body, QD_ERR_VALUE);
    body = good;
    body.position = (qd_vec2){10, -1}; // on the side; wrapped
    qd_id id;
    ck_assert_int_eq(qd_world_add(world, &body, &id, NULL), QD_OK);
    ck_assert_double_eq(qd_test_body(world, id).position.y, 19);
    ck_assert_double_eq_tol(qd_test_body(world, id).mass, 0.78539816339744831, 1e-15);
    ck_assert_uint_eq(qd_test_body(world, id).label, 1);
    body.shape.radius = 5; // exactly as wide, exactly half the period
    body.label = 99;
    ck_assert_int_eq(qd_world_add(world, &body, &id, NULL), QD_OK);
    ck_assert_uint_eq(qd_test_body(world, id).label, 99);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
}

QD_TEST(place_has_the_rules_of_add) {
    qd_world_def def = qd_world_def_default();
    def.limits.speed = 5;
    def.limits.distance = 45;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id id = qd_test_disk(world, 50, 50, 1, 0, 0.5, 0);
    qd_error error;
    const qd_vec2 rest = {0, 0};
    ck_assert_int_eq(qd_world_place(world, id, (qd_vec2){101, 50}, rest, &error), QD_ERR_VALUE);
    ck_assert_int_eq(qd_world_place(world, id, (qd_vec2){2, 50}, rest, &error), QD_ERR_VALUE); // distance
    ck_assert(strstr(error.text, "limits.distance") != NULL);
    ck_assert_int_eq(qd_world_place(world, id, (qd_vec2){50, 50}, (qd_vec2){6, 0}, &error), QD_ERR_VALUE);
    ck_assert(strstr(error.text, "limits.speed") != NULL);
    ck_assert_int_eq(qd_world_place(world, id, (qd_vec2){(double)NAN, 50}, rest, NULL), QD_ERR_VALUE);
    ck_assert_double_eq(qd_test_body(world, id).velocity.x, 1);
    ck_assert_int_eq(qd_world_place(world, id, (qd_vec2){60, 40}, (qd_vec2){0, 2}, NULL), QD_OK);
    ck_assert_double_eq(qd_test_body(world, id).position.x, 60);
    ck_assert_double_eq(qd_test_body(world, id).velocity.y, 2);
    ck_assert_int_eq(qd_world_remove(world, id), QD_OK);
    ck_assert_int_eq(qd_world_place(world, id, (qd_vec2){60, 40}, rest, &error), QD_ERR_STALE);
}

QD_TEST(lowest_free_index_comes_first) {
    qd_own(qd_world) world = qd_test_world(NULL);
    qd_id ids[40];
    for (int i = 0; i < 40; ++i) {
        ids[i] = qd_test_disk(world, 50, 50, i, 0, 0.5, 0);
        ck_assert_uint_eq(ids[i].index, (uint32_t)i);
        ck_assert_uint_eq(ids[i].generation, 1);
    }
    const int gone[] = {30, 3, 17, 4, 29, 39, 0};
    const uint32_t again[] = {0, 3, 4, 17, 29, 30, 39, 40};
    qd_body_state state;
    for (size_t i = 0; i < 7; ++i) {
        ck_assert_int_eq(qd_world_remove(world, ids[gone[i]]), QD_OK);
        ck_assert_int_eq(qd_world_remove(world, ids[gone[i]]), QD_ERR_STALE);
        ck_assert_int_eq(qd_world_body(world, ids[gone[i]], &state), QD_ERR_STALE);
    }
    for (size_t i = 0; i < 8; ++i) {
        qd_id id = qd_test_disk(world, 50, 50, 0, 1, 0.5, 0);
        ck_assert_uint_eq(id.index, again[i]);
        ck_assert_uint_eq(id.generation, again[i] == 40 ? 1 : 2);
    }
    for (size_t i = 0; i < 7; ++i) // the old ids stay dead although their places are used again
        ck_assert_int_eq(qd_world_body(world, ids[gone[i]], &state), QD_ERR_STALE);
    for (int i = 0; i < 40; ++i) {
        if (qd_world_body(world, ids[i], &state) != QD_OK) continue;
        ck_assert_double_eq(state.velocity.x, i);
    }
    const qd_id nobody[] = {{0, 0}, {41, 1}, {UINT32_MAX, 1}, {QD_WALL_LEFT, 0}};
    for (size_t i = 0; i < 4; ++i) ck_assert_int_eq(qd_world_body(world, nobody[i], &state), QD_ERR_STALE);
}

// Random adds, removes, places and steps against a plain table of what should be there.
typedef struct record {
    qd_id id;
    double radius;
    uint64_t label;
    bool alive;
} record;

static void check_view(const qd_world *world, const record *table, size_t n, size_t alive) {
    qd_body_view view = qd_world_view(world);
    ck_assert_uint_eq(view.count, alive);
    for (size_t i = 0; i < n; ++i) {
        qd_body_state state;
        qd_status expected = table[i].alive ? QD_OK : QD_ERR_STALE;
        ck_assert_int_eq(qd_world_body(world, table[i].id, &state), expected);
        if (!table[i].alive) continue;
        uint32_t row = view.row_of_index[table[i].id.index];
        ck_assert_uint_lt(row, view.count);
        ck_assert_uint_eq(view.index[row], table[i].id.index);
        ck_assert_uint_eq(view.generation[row], table[i].id.generation);
        ck_assert_uint_eq(view.label[row], table[i].label);
        ck_assert_double_eq(view.radius[row], table[i].radius);
        ck_assert_double_eq(view.x[row], state.position.x);
    }
    size_t named = 0;
    for (size_t i = 0; i < view.index_count; ++i) named += view.row_of_index[i] != UINT32_MAX;
    ck_assert_uint_eq(named, alive);
}

QD_TEST(random_operations_match_a_table) {
    enum { MOST = 600 };
    static record table[MOST];
    uint64_t seed = qd_test_seed(11);
    qd_random random = qd_random_at(seed, 0, 0);
    qd_world_def def = qd_test_def(30, 30);
    qd_own(qd_world) world = qd_test_world(&def);
    size_t n = 0, alive = 0;
    while (n < MOST) {
        unsigned what = (unsigned)(qd_random_bits(&random) % 8);
        size_t pick = n ? qd_random_bits(&random) % n : 0;
        if (what < 3 || n == 0) {
            double r = qd_test_between(&random, 0.1, 0.5);
            double x = qd_test_between(&random, 0, 30), y = qd_test_between(&random, 0, 30);
            qd_id id = qd_test_disk(world, x, y, 1, -1, r, 0);
            table[n] = (record){id, r, n + 1, true};
            ++n;
            ++alive;
        } else if (what < 5 && table[pick].alive) {
            ck_assert_int_eq(qd_world_remove(world, table[pick].id), QD_OK);
            table[pick].alive = false;
            --alive;
        } else if (what < 6 && table[pick].alive) {
            ck_assert_int_eq(qd_world_place(world, table[pick].id, (qd_vec2){15, 15}, (qd_vec2){2, 1}, NULL),
                             QD_OK);
        } else if (what == 7) {
            qd_test_step(world, 0.01, 1);
        }
        if (n % 20 == 0) check_view(world, table, n, alive);
    }
    check_view(world, table, n, alive);
}

// An empty world steps, sums, hashes and saves.
QD_TEST(zero_bodies_run) {
    qd_own(qd_world) world = qd_test_world(NULL);
    uint64_t first = qd_world_hash(world);
    qd_test_step(world, 0.1, 10);
    ck_assert_uint_eq(qd_world_count(world), 0);
    ck_assert_uint_ne(qd_world_hash(world), first); // the step counts
    size_t count;
    (void)qd_world_contacts(world, &count);
    ck_assert_uint_eq(count, 0);
    ck_assert_double_eq(qd_world_sum(world).mass, 0);
    ck_assert_int_eq(qd_world_step(world, 0, NULL), QD_ERR_VALUE);
    ck_assert_int_eq(qd_world_step(world, -1, NULL), QD_ERR_VALUE);
    ck_assert_int_eq(qd_world_step(world, (double)NAN, NULL), QD_ERR_VALUE);
    ck_assert_int_eq(qd_world_step(world, HUGE_VAL, NULL), QD_ERR_VALUE);
}

// What a world of disks takes, in bytes that it has asked for, per body.
QD_TEST(a_gas_takes_little_memory) {
    enum { SIDE = 100, STEPS = 20 };
    static const struct {
        qd_contact_model model;
        double most;
    } cases[] = {{QD_CONTACT_NONE, 450}, {QD_CONTACT_IMPULSE, 400}, {QD_CONTACT_SPRING, 490}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        qd_test_allocator memory = qd_test_allocator_of(&memory, 0);
        qd_world_def def = qd_test_def(1, 1);
        qd_test_gas_def(&def, SIDE, SIDE);
        def.contact = cases[k].model;
        def.threads = 1;
        def.spring.kn = 1e4;
        def.allocator = &memory.allocator;
        qd_own(qd_world) world = qd_test_world(&def);
        qd_test_gas_fill(world, SIDE, SIDE, 1);
        qd_test_step(world, 0.01, STEPS);
        const double bytes = (double)memory.most_bytes / (SIDE * SIDE);
        printf("contact model %d: %.0f bytes per body\n", (int)cases[k].model, bytes);
        ck_assert_msg(bytes < cases[k].most, "contact model %d: %.0f bytes per body", (int)cases[k].model,
                      bytes);
    }
}

QD_TEST_MAIN("world", 120, NULL, NULL)
