#include "sim/world/scratch.h"
#include "sim/world/world_impl.h"
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/world.h>
#include <stdlib.h>

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

START_TEST(hash_sees_every_field) {
    qd_world *world = filled(1, 1, 100), *other = filled(1, 1, 100);
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
    qd_world_destroy(world);
    qd_world_destroy(other);
}
END_TEST

// Rows may lie in any order: the same bodies added, removed and added again in other ways hash alike.
START_TEST(hash_and_sums_do_not_see_rows) {
    qd_world_def def = qd_world_def_default();
    qd_world *one = qd_test_world(&def), *two = qd_test_world(&def);
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
        ck_assert_double_eq(qd_world_sum(one).kinetic, qd_world_sum(two).kinetic);
        ck_assert_double_eq(qd_world_sum(one).momentum.x, qd_world_sum(two).momentum.x);
        qd_test_step(one, 0.02, 1);
        qd_test_step(two, 0.02, 1);
        ck_assert_uint_eq(qd_test_events_hash(one), qd_test_events_hash(two));
        ck_assert_double_eq(qd_world_total(one).wall_impulse.x, qd_world_total(two).wall_impulse.x);
    }
    qd_world_destroy(one);
    qd_world_destroy(two);
}
END_TEST

START_TEST(hash_and_sums_are_the_same_for_any_team) {
    qd_world *one = filled(1, 5, 10000);
    qd_world_sums expected = qd_world_sum(one);
    const int threads[] = {2, 3, 8};
    for (int t = 0; t < 3; ++t) {
        qd_world *world = filled(threads[t], 5, 10000);
        ck_assert_uint_eq(qd_world_hash(world), qd_world_hash(one));
        qd_world_sums sums = qd_world_sum(world);
        ck_assert_double_eq(sums.kinetic, expected.kinetic);
        ck_assert_double_eq(sums.potential, expected.potential);
        ck_assert_double_eq(sums.momentum.y, expected.momentum.y);
        ck_assert_double_eq(sums.area, expected.area);
        ck_assert_double_eq(sums.fastest, expected.fastest);
        qd_world_destroy(world);
    }
    qd_world_destroy(one);
}
END_TEST

/// The hash of a world in which one body in `stride` (0: none) came and went; `room`: with room for records.
static uint64_t crowd_hash(size_t bodies, size_t stride, int threads, bool room) {
    qd_world_def def = qd_world_def_default();
    def.threads = threads;
    def.size = (qd_vec2){1000, 1000};
    qd_world *world = qd_test_world(&def);
    qd_id *ids = calloc(bodies + 1, sizeof *ids);
    ck_assert_ptr_nonnull(ids);
    for (size_t i = 0; i < bodies; ++i)
        ids[i] = qd_test_disk(world, 1 + (double)(i * 7919 % 997), 1 + (double)i / 997, (double)(i % 13), 1,
                              0.1, 1);
    for (size_t i = 0; stride > 0 && i < bodies; i += stride)
        ck_assert_int_eq(qd_world_remove(world, ids[i]), QD_OK);
    free(ids);
    size_t bytes = world->scratch.record_room;
    ck_assert_uint_ge(bytes, bodies * QDI_RECORD);
    if (!room) world->scratch.record_room = 0;
    uint64_t hash = qd_world_hash(world);
    world->scratch.record_room = bytes;
    qd_world_destroy(world);
    return hash;
}

// The hash of a state is the same whether it is made from records laid out by index, or there was no memory
// for them.
START_TEST(hash_does_not_see_how_it_is_made) {
    static const size_t sizes[] = {0, 1, 64, 65, 4096, 4097, 9000};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
        for (size_t stride = 0; stride <= 6; stride += 3) {
            uint64_t slow = crowd_hash(sizes[k], stride, 1, false);
            ck_assert_msg(crowd_hash(sizes[k], stride, 1, true) == slow, "%zu bodies, one of %zu gone",
                          sizes[k], stride);
            ck_assert_uint_eq(crowd_hash(sizes[k], stride, 3, true), slow);
        }
    }
}
END_TEST

START_TEST(sums_are_right) {
    qd_world_def def = qd_world_def_default();
    def.gravity = (qd_vec2){0, -2};
    qd_world *world = qd_test_world(&def);
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
    qd_world_destroy(world);
}
END_TEST

// A state hash that must never change between compilers, optimization levels, processors and releases without
// a line in the changelog.
START_TEST(golden_hash) {
    qd_world_def def = qd_world_def_default();
    def.size = (qd_vec2){8, 8};
    def.restitution = 0.9;
    def.gravity = (qd_vec2){0, -1};
    qd_world *world = qd_test_world(&def);
    for (int i = 0; i < 16; ++i)
        qd_test_disk(world, 1 + 1.75 * (i % 4), 1 + 1.75 * (double)(i / 4), 0.25 * (i % 5) - 0.5,
                     0.5 * (i % 3), 0.75, 1);
    qd_test_step(world, 0.015625, 500);
    ck_assert_uint_eq(qd_world_hash(world), UINT64_C(0xd52847d0146d8e81));
    qd_world_destroy(world);
}
END_TEST

int main(void) {
    TCase *tcase = qd_test_case("digest", 120, NULL, NULL);
    qd_test_once(tcase, hash_sees_every_field, hash_and_sums_do_not_see_rows,
                 hash_and_sums_are_the_same_for_any_team, hash_does_not_see_how_it_is_made, sums_are_right,
                 golden_hash);
    return qd_test_run_case("digest", tcase);
}
