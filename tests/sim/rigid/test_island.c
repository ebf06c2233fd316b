// Islands against a search by hand, and worlds whose islands are solved one by one against the same solved
// colour by colour.
#include "sim/rigid/island.h"
#include "sim/world/scratch.h"
#include "sim/world/world_impl.h"
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <quadrille/shape.h>
#include <quadrille/world.h>

enum { ROWS = 300 };

/// Marks everybody that is joined with a row, as long as there are any more.
static void mark_joined(const qdi_link *links, size_t count, uint32_t row, uint32_t *island) {
    island[row] = row;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < count; ++i) {
            const qdi_link *l = &links[i];
            if (!l->moves_a || !l->moves_b || (island[l->row_a] == row) == (island[l->row_b] == row))
                continue;
            island[l->row_a] = island[l->row_b] = row;
            more = true;
        }
    }
}

QD_TEST(islands_are_what_contacts_join) {
    for (uint64_t seed = qd_test_seed(1), end = seed + qd_test_effort(20); seed < end; ++seed) {
        qd_random random = qd_random_at(seed, 0, 0);
        qd_world_def def = qd_world_def_default();
        def.threads = 1 + (int)(seed % 3);
        qd_own(qd_world) world = qd_test_world(&def);
        qd_body_def body = qd_body_def_default();
        for (int i = 0; i < ROWS; ++i) {
            body.position = (qd_vec2){qd_test_between(&random, 1, 9), qd_test_between(&random, 1, 9)};
            body.shape = qd_shape_disk(0.01);
            qd_test_add(world, &body);
        }
        qdi_link links[2 * ROWS] = {0};
        const size_t count = (size_t)qd_test_between(&random, 0, 2 * ROWS);
        for (size_t i = 0; i < count; ++i) {
            const uint32_t a = (uint32_t)qd_test_between(&random, 0, ROWS),
                           b = (uint32_t)qd_test_between(&random, 0, ROWS);
            links[i] = (qdi_link){.row_a = a,
                                  .row_b = b == a ? (a + 1) % ROWS : b,
                                  .moves_a = true,
                                  .moves_b = qd_test_between(&random, 0, 1) < 0.8};
        }
        _Atomic uint32_t parent[ROWS];
        qdi_islands_join(world, links, count, parent);
        uint32_t island[ROWS];
        for (uint32_t r = 0; r < ROWS; ++r) island[r] = ROWS;
        for (uint32_t r = 0; r < ROWS; ++r) {
            if (island[r] == ROWS) mark_joined(links, count, r, island);
            ck_assert_msg(qdi_island_of(parent, r) == island[r], "row %u, seed %llu", r,
                          (unsigned long long)seed);
        }
    }
}

/// Many piles, most of them small, on a floor; `wheel`: a body that turns among them, which joins nothing.
static qd_world *make_piles(int threads, uint64_t seed, bool wheel) {
    qd_world_def def = qd_test_def(400, 40);
    def.gravity.y = -9.81;
    def.restitution = 0;
    def.friction = 0.5;
    def.threads = threads;
    qd_world *world = qd_test_world(&def);
    qd_random random = qd_random_at(seed, 0, 0);
    qd_body_def body = qd_body_def_default();
    for (int pile = 0; pile < 60; ++pile) {
        const int rows = pile == 7 ? 30 : 6; // one is too large for a unit
        body.shape = pile % 3 ? qd_shape_rect(1, 0.5) : qd_shape_disk(0.3);
        for (int y = 0; y < rows; ++y)
            for (int x = 0; x < 5; ++x) {
                const double step = pile % 3 ? 1 : 0.6, jitter = qd_test_between(&random, 0, 0.02);
                body.position = (qd_vec2){3 + pile * 6.5 + x * step + jitter,
                                          0.3 + y * (pile % 3 ? 0.5 : 0.6)};
                qd_test_add(world, &body);
            }
    }
    if (wheel) {
        body = qd_body_def_default();
        body.kind = QD_BODY_KINEMATIC;
        body.shape = qd_shape_rect(3, 0.2);
        body.position = (qd_vec2){12, 2};
        body.spin = 2;
        qd_test_add(world, &body);
    }
    return world;
}

/// Units are left out where a world has too few links for one thread, which is the case here.
QD_TEST_LOOP(units_change_nothing, 0, 2) {
    const bool wheel = _i == 1;
    uint64_t seed = qd_test_seed(1), parted = 0;
    qd_own(qd_world) one = make_piles(1, seed, wheel), two = make_piles(2, seed, wheel),
                     three = make_piles(3, seed, wheel);
    for (uint64_t step = 0; step < qd_test_effort(60); ++step) {
        qd_test_step(one, 1.0 / 60, 1);
        qd_test_step(two, 1.0 / 60, 1);
        qd_test_step(three, 1.0 / 60, 1);
        ck_assert_uint_eq(one->scratch.unit_count, 1);
        parted += two->scratch.unit_count > 1 && three->scratch.unit_count > 1;
        ck_assert_uint_eq(qd_world_hash(one), qd_world_hash(two));
        ck_assert_uint_eq(qd_world_hash(one), qd_world_hash(three));
        ck_assert_uint_eq(qd_test_events_hash(one), qd_test_events_hash(three));
        const qd_metrics a = qd_test_measure(one), b = qd_test_measure(three);
        ck_assert(a.drift == b.drift && a.imbalance == b.imbalance && a.turned_over == b.turned_over);
    }
    ck_assert_uint_gt(parted, 0);
}

/// Stacks of boxes on a floor, so many that two threads share them out, and one on a plate; and boxes that
/// rock: their contacts stay while second touches come and go.
static qd_world *make_stacks(int threads, qd_id *plate) {
    qd_world_def def = qd_test_def(800, 20);
    def.gravity.y = -9.81;
    def.restitution = 0;
    def.friction = 0.5;
    def.threads = threads;
    qd_world *world = qd_test_world(&def);
    qd_body_def body = qd_body_def_default();
    body.kind = QD_BODY_KINEMATIC;
    body.shape = qd_shape_rect(6, 0.5);
    body.position = (qd_vec2){775, 10};
    *plate = qd_test_add(world, &body);
    body.kind = QD_BODY_DYNAMIC;
    body.shape = qd_shape_rect(1, 0.5);
    for (int stack = 0; stack < 300; ++stack)
        for (int k = 0; k < 5; ++k) {
            const bool on_plate = stack == 299;
            body.position = (qd_vec2){on_plate ? 775 : 2 + 2.5 * stack, (on_plate ? 10.5 : 0.25) + 0.5 * k};
            qd_test_add(world, &body);
        }
    body.shape = qd_shape_rect(1, 3);
    for (int k = 0; k < 3; ++k) {
        body.position = (qd_vec2){785 + 3 * k, 1.52};
        body.angle = 0.02 + 0.03 * k;
        qd_test_add(world, &body);
    }
    return world;
}

/// The plate lies still, is made to move, and to stop: contacts may stay the same all the while, and so does
/// what the solver keeps of them. A world that is loaded anew for every step keeps nothing.
QD_TEST_LOOP(what_is_kept_changes_nothing, 0, 2) {
    const int threads = 1 + _i;
    qd_id plate;
    qd_own(qd_world) kept = make_stacks(threads, &plate), fresh = qd_test_copy(kept, threads);
    size_t plans = 0, moving = 0;
    for (int step = 0; step < 150; ++step) {
        for (int k = 0; k < 2 && step % 50 == 49; ++k) {
            qd_body_state now = qd_test_body(k ? fresh : kept, plate);
            const qd_vec2 velocity = {step == 49 ? -0.05 : 0, 0};
            ck_assert_int_eq(qd_world_place(k ? fresh : kept, plate, now.position, velocity, NULL), QD_OK);
        }
        qd_test_step(kept, 1.0 / 60, 1);
        plans += kept->scratch.plan != NULL;
        if (threads > 1 && step < 50) ck_assert_uint_gt(kept->scratch.unit_count, 1);
        moving += kept->scratch.plan != NULL && step > 50 && step < 99;
        fresh = qd_test_reload(fresh, threads);
        qd_test_step(fresh, 1.0 / 60, 1);
        ck_assert_ptr_null(fresh->scratch.plan);
        ck_assert_msg(qd_world_hash(kept) == qd_world_hash(fresh), "step %d", step);
    }
    ck_assert_msg(plans > 50 && moving > 10, "%zu plans, %zu while the plate moves", plans, moving);
}

QD_TEST_MAIN("island", 120, NULL, NULL)
