#include "sim/world/world_impl.h"
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/world.h>

// What a world of springs must not depend on: when it is saved and loaded, in what order its rows lie, what
// its tree looks like inside.

static qd_world_def spring_def(double margin) {
    qd_world_def def = qd_world_def_default();
    def.contact = QD_CONTACT_SPRING;
    def.spring.contact_time = 0.1;
    def.restitution = 0.8;
    def.friction = 0.4;
    def.gravity = (qd_vec2){0, -2};
    def.size = (qd_vec2){40, 30};
    def.margin = margin;
    def.capacity = 16; // a tree of many nodes, whose order moves rows
    return def;
}

static qd_world *any_world(uint64_t seed, double margin) {
    qd_world_def def = spring_def(margin);
    def.boundary_x = seed % 2 ? QD_BOUNDARY_PERIODIC : QD_BOUNDARY_REFLECT;
    qd_world *world = qd_test_world(&def);
    qd_random random = qd_random_at(seed, 0, 9);
    if (seed % 3 == 0)
        qd_test_scatter_shapes(world, &random, 250);
    else
        qd_test_scatter(world, &random, 400);
    return world;
}

static void expect_same(const qd_world *world, const qd_world *copy, uint64_t seed, size_t step) {
    ck_assert_msg(qd_world_hash(world) == qd_world_hash(copy), "seed %llu, step %zu",
                  (unsigned long long)seed, step);
}

/// A sliding, turning, damped contact and its end, saved and loaded after each of its steps: the copies of
/// copies go on as the world that was never saved.
QD_TEST(contact_is_saved_at_any_moment) {
    qd_world_def def = spring_def(0);
    def.gravity = (qd_vec2){0, 0};
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_disk(world, 20, 15, 1, 1.5, 0.5, 1);
    qd_test_disk(world, 20.95, 15.2, -1, 0, 0.5, 2);
    qd_own(qd_world) copy = qd_test_copy(world, 1);
    size_t touching = 0, count;
    for (size_t k = 0; k < 150; ++k) {
        qd_test_step(world, 1e-3, 1);
        qd_test_step(copy, 1e-3, 1);
        expect_same(world, copy, 0, k);
        (void)qd_world_contacts(world, &count);
        touching += count;
        qd_world *next = qd_test_copy(copy, 1 + (int)(k % 3));
        expect_same(copy, next, 0, k);
        qd_world_destroy(copy);
        copy = next;
    }
    ck_assert_uint_gt(touching, 30);
    ck_assert_uint_eq(count, 0);
    ck_assert_uint_gt(qd_world_total(world).ends, 0);
}

/// Rows are put in tree order before every step, or never: nothing that counts sees it.
QD_TEST(order_of_rows_changes_nothing) {
    uint64_t first = qd_test_seed(1), last = qd_test_replaying() ? first : 6;
    for (uint64_t seed = first; seed <= last; ++seed) {
        qd_own(qd_world) world = any_world(seed, (double)NAN), other = any_world(seed, (double)NAN);
        size_t moved = 0, steps = qd_test_effort(300);
        for (size_t k = 0; k < steps; ++k) {
            world->moved_since_order = 0;
            if (!other->margin.edited) other->moved_since_order = other->count;
            qd_test_step(world, 2e-3, 1);
            qd_test_step(other, 2e-3, 1);
            expect_same(world, other, seed, k);
            for (size_t r = 0; r < world->count; ++r) moved += world->index[r] != other->index[r];
        }
        ck_assert_uint_gt(moved, steps);
        ck_assert_uint_eq(qd_test_events_hash(world), qd_test_events_hash(other));
    }
}

/// The tree of a world that was loaded is built at once, that of the other has been told of single bodies for
/// a while: both are the same, and so are pictures and numbers of them.
QD_TEST(trees_are_those_of_the_boxes) {
    uint64_t first = qd_test_seed(1), last = qd_test_replaying() ? first : 6;
    size_t edited = 0;
    for (uint64_t seed = first; seed <= last; ++seed) {
        qd_own(qd_world) world = any_world(seed, (double)NAN);
        for (size_t k = 0; k < 150; ++k) {
            qd_test_step(world, 2e-3, 1);
            edited += world->margin.edited;
            if (!world->margin.edited && k % 10 != 0) continue;
            qd_own(qd_world) copy = qd_test_copy(world, 1);
            ck_assert_msg(qd_tree_hash(world->tree) == qd_tree_hash(copy->tree), "seed %llu, step %zu",
                          (unsigned long long)seed, k);
            qd_tree_stats p = qd_tree_statistics(world->tree), q = qd_tree_statistics(copy->tree);
            ck_assert(p.largest_list == q.largest_list && p.nodes == q.nodes && p.outside == q.outside);
        }
    }
    ck_assert_uint_gt(edited, 0);
}

QD_TEST_MAIN("spring_hash", 300, NULL, NULL)
