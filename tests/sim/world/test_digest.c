#include "sim/world/contact_state.h"
#include "sim/world/digest.h"
#include "sim/world/world_impl.h"
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/world.h>

static qd_world *filled(int threads, uint64_t seed, size_t bodies) {
    qd_world_def def = qd_world_def_default();
    def.threads = threads;
    def.size = (qd_vec2){300, 300};
    def.gravity = (qd_vec2){1, -2};
    qd_world *world = qd_test_world(&def);
    qd_random random = qd_random_at(seed, 0, 0);
    qd_test_scatter(world, &random, bodies);
    return world;
}

QD_TEST(hash_sees_every_field) {
    qd_own(qd_world) world = filled(1, 1, 100), other = filled(1, 1, 100);
    uint64_t hash = qd_world_hash(world);
    ck_assert_uint_eq(qd_world_hash(other), hash);
    qd_body_view view = qd_world_view(world);
    qd_id id = {view.index[40], view.generation[40]};
    qd_body_state s = qd_test_body(world, id);
    qd_vec2 at = s.position, v = s.velocity;
    const qd_vec2 moved[] = {{nextafter(at.x, 0), at.y}, {at.x, nextafter(at.y, 0)}};
    const qd_vec2 pushed[] = {{nextafter(v.x, 0), v.y}, {v.x, nextafter(v.y, 0)}};
    for (int i = 0; i < 2; ++i) {
        ck_assert_int_eq(qd_world_place(world, id, moved[i], v, NULL), QD_OK);
        ck_assert_uint_ne(qd_world_hash(world), hash);
        ck_assert_int_eq(qd_world_place(world, id, at, pushed[i], NULL), QD_OK);
        ck_assert_uint_ne(qd_world_hash(world), hash);
    }
    ck_assert_int_eq(qd_world_place(world, id, at, v, NULL), QD_OK);
    ck_assert_uint_eq(qd_world_hash(world), hash);

    // The same body again is another generation; radius, mass and label count as well.
    qd_body_def body = qd_body_def_default();
    for (int change = 0; change < 4; ++change) {
        ck_assert_int_eq(qd_world_remove(world, id), QD_OK);
        body.shape.radius = change == 1 ? nextafter(s.shape.radius, 0) : s.shape.radius;
        body.mass = change == 2 ? nextafter(s.mass, 0) : s.mass;
        body.label = change == 3 ? 7777 : s.label;
        body.position = at;
        body.velocity = v;
        uint64_t before = hash;
        ck_assert_int_eq(qd_world_add(world, &body, &id, NULL), QD_OK);
        hash = qd_world_hash(world);
        ck_assert_uint_ne(hash, before);
    }
}

// Rows may lie in any order: the same bodies added, removed and added again in other ways hash alike.
QD_TEST(hash_and_sums_do_not_see_rows) {
    qd_world_def def = qd_world_def_default();
    qd_own(qd_world) one = qd_test_world(&def), two = qd_test_world(&def);
    qd_id ids[2][200];
    for (int i = 0; i < 200; ++i)
        for (int w = 0; w < 2; ++w) ids[w][i] = qd_test_disk(w ? two : one, 10 + 0.3 * i, 50, i, 1, 0.1, 0);
    for (int i = 0; i < 100; ++i) { // the same bodies go, in opposite order
        ck_assert_int_eq(qd_world_remove(one, ids[0][2 * i]), QD_OK);
        ck_assert_int_eq(qd_world_remove(two, ids[1][198 - 2 * i]), QD_OK);
    }
    qd_body_view a = qd_world_view(one), b = qd_world_view(two);
    size_t moved = 0;
    for (size_t r = 0; r < a.count; ++r) moved += a.index[r] != b.index[r];
    ck_assert_uint_gt(moved, 0);
    for (int k = 0; k < 20; ++k) {
        ck_assert_uint_eq(qd_world_hash(one), qd_world_hash(two));
        ck_assert_uint_eq(qd_world_hash_as(one, 1), qd_world_hash_as(two, 1));
        ck_assert_double_eq(qd_world_sum(one).kinetic, qd_world_sum(two).kinetic);
        ck_assert_double_eq(qd_world_sum(one).momentum.x, qd_world_sum(two).momentum.x);
        qd_test_step(one, 0.02, 1);
        qd_test_step(two, 0.02, 1);
        ck_assert_uint_eq(qd_test_events_hash(one), qd_test_events_hash(two));
        ck_assert_double_eq(qd_world_total(one).wall_impulse.x, qd_world_total(two).wall_impulse.x);
    }
}

QD_TEST(hash_and_sums_are_the_same_for_any_team) {
    qd_own(qd_world) one = filled(1, 5, 10000);
    qd_world_sums expected = qd_world_sum(one);
    const int threads[] = {2, 3, 8};
    for (int t = 0; t < 3; ++t) {
        qd_own(qd_world) world = filled(threads[t], 5, 10000);
        ck_assert_uint_eq(qd_world_hash(world), qd_world_hash(one));
        ck_assert_uint_eq(qd_world_hash_as(world, 1), qd_world_hash_as(one, 1));
        qd_world_sums sums = qd_world_sum(world);
        ck_assert_double_eq(sums.kinetic, expected.kinetic);
        ck_assert_double_eq(sums.potential, expected.potential);
        ck_assert_double_eq(sums.momentum.y, expected.momentum.y);
        ck_assert_double_eq(sums.area, expected.area);
        ck_assert_double_eq(sums.fastest, expected.fastest);
    }
}

// What lies under a hash is a sum over bodies and contacts, each by itself, in whatever order.
QD_TEST(digest_is_a_sum_of_records) {
    qd_own(qd_world) world = filled(2, 9, 5000);
    qd_test_step(world, 0.02, 20);
    const qdi_world_digest whole = qdi_world_digest_of(world);
    qdi_world_digest parts = {.body_count = world->count};
    parts.contact_count = whole.contact_count;
    unsigned char record[QDI_DIGEST_BODY + QDI_DIGEST_CONTACT];
    for (uint32_t row = (uint32_t)world->count; row-- > 0;)
        parts.bodies = qdi_hash_sum_add(parts.bodies, record, qdi_digest_body(world, row, record), 1);
    ck_assert_uint_gt(whole.contact_count, 50);
    ck_assert_uint_eq(whole.contact_count, qdi_constraint_count(&world->present));
    for (size_t i = whole.contact_count; i-- > 0;)
        parts.contacts = qdi_hash_sum_add(parts.contacts, record, qdi_digest_contact(world, i, record), 1);
    ck_assert_uint_eq(parts.bodies, whole.bodies);
    ck_assert_uint_eq(parts.contacts, whole.contacts);
    ck_assert_uint_eq(qdi_digest_finish(world, &parts), qd_world_hash(world));
    parts.contacts += 1;
    ck_assert_uint_ne(qdi_digest_finish(world, &parts), qd_world_hash(world));
}

// A sum has no order, but it knows who is who: two bodies that change places make another state.
QD_TEST(hash_sees_whose_state_it_is) {
    qd_world_def def = qd_world_def_default();
    uint64_t hash[2], blocks[2];
    for (int k = 0; k < 2; ++k) {
        qd_own(qd_world) world = qd_test_world(&def);
        qd_test_disk(world, k ? 30 : 10, 20, 1, 2, 0.5, 1);
        qd_test_disk(world, k ? 10 : 30, 20, 1, 2, 0.5, 1);
        hash[k] = qd_world_hash(world);
        blocks[k] = qd_world_hash_as(world, 1);
    }
    ck_assert_uint_ne(hash[0], hash[1]);
    ck_assert_uint_ne(blocks[0], blocks[1]);
}

QD_TEST(sums_are_right) {
    qd_world_def def = qd_world_def_default();
    def.gravity = (qd_vec2){0, -2};
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_disk(world, 10, 20, 3, 4, 0.5, 2);
    qd_test_disk(world, 30, 40, 0, -1, 1, 8);
    qd_world_sums s = qd_world_sum(world);
    ck_assert_double_eq(s.kinetic, 25 + 4);
    ck_assert_double_eq(s.potential, 2 * 2 * 20 + 8 * 2 * 40);
    ck_assert_double_eq(s.momentum.x, 6);
    ck_assert_double_eq(s.momentum.y, 8 - 8);
    ck_assert_double_eq(s.momentum_scale, 10 + 8);
    ck_assert_double_eq(s.mass, 10);
    ck_assert_double_eq_tol(s.area, 1.25 * 3.14159265358979323846, 1e-15);
    ck_assert_double_eq(s.fastest, 5);
}

// A state hash that must never change between compilers, optimization levels, processors and releases without
// a line in the changelog.
QD_TEST(golden_hash) {
    qd_world_def def = qd_test_def(8, 8);
    def.restitution = 0.9;
    def.gravity = (qd_vec2){0, -1};
    qd_own(qd_world) world = qd_test_world(&def);
    for (int i = 0; i < 16; ++i)
        qd_test_disk(world, 1 + 1.75 * (i % 4), 1 + 1.75 * (double)(i / 4), 0.25 * (i % 5) - 0.5,
                     0.5 * (i % 3), 0.75, 1);
    qd_test_step(world, 0.015625, 500);
    ck_assert_uint_eq(qd_world_hash_as(world, 1), UINT64_C(0xa55aa63ba39add25));
    ck_assert_uint_eq(qd_world_hash(world), UINT64_C(0xc072608b362d1529));
}

QD_TEST_MAIN("digest", 120, NULL, NULL)
