// The frame that goes along with all that no body moves: what it sees, and who is followed in it.
#include "sim/rigid/ccd.h"
#include "sim/world/scratch.h"
#include "sim/world/world_impl.h"
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/math.h>
#include <quadrille/world.h>

static const double dt = 1.0 / 60;

static qd_vec2 turned(qd_vec2 v, double angle) {
    const double c = qd_cos(angle), s = qd_sin(angle);
    return (qd_vec2){v.x * c - v.y * s, v.x * s + v.y * c};
}

/// Where a frame sees at the part `t` of a step what is at `p` then: as it lies to the frame's end.
static qd_vec2 seen_at(const qdi_rest *rest, qd_vec2 p, double t) {
    const qd_vec2 o = {rest->from.x + t * (rest->to.x - rest->from.x),
                       rest->from.y + t * (rest->to.y - rest->from.y)};
    const qd_vec2 arm = turned((qd_vec2){p.x - o.x, p.y - o.y}, (1 - t) * rest->turn);
    return (qd_vec2){rest->to.x + arm.x, rest->to.y + arm.y};
}

/// Where a body is at the part `t` of a step: on a straight way, or on an arc about `pivot`.
static qd_vec2 place_at(const qdi_glance *glance, qd_vec2 pivot, double turn, double t) {
    if (glance->moves) return (qd_vec2){glance->x + t * glance->way_x, glance->y + t * glance->way_y};
    const qd_vec2 arm = turned((qd_vec2){glance->x - pivot.x, glance->y - pivot.y}, t * turn);
    return (qd_vec2){pivot.x + arm.x, pivot.y + arm.y};
}

static void check_way(uint64_t seed) {
    qd_random random = qd_random_at(seed, 0, 31);
    const double turn = qd_test_between(&random, -.5, .5);
    const qdi_rest rest = {
        .from = {qd_test_between(&random, -20, 20), qd_test_between(&random, -20, 20)},
        .to = {qd_test_between(&random, -20, 20), qd_test_between(&random, -20, 20)},
        .c = qd_cos(turn),
        .s = qd_sin(turn),
        .turn = turn,
    };
    qdi_glance glance = {.x = qd_test_between(&random, -50, 50),
                         .y = qd_test_between(&random, -50, 50),
                         .way_x = qd_test_between(&random, -10, 10),
                         .way_y = qd_test_between(&random, -10, 10),
                         .turn = qd_test_between(&random, -1, 1),
                         .inner = 1,
                         .radius = 1 + (double)qd_test_below(&random, 2),
                         .moves = seed % 4 != 0};
    const qd_vec2 pivot = {qd_test_between(&random, -50, 50), qd_test_between(&random, -50, 50)};
    const qd_vec2 end = place_at(&glance, pivot, turn, 1);
    glance.way_x = end.x - glance.x;
    glance.way_y = end.y - glance.y;
    const qdi_seen_way way = qdi_ccd_seen_way(&rest, &glance);
    const qd_vec2 first = seen_at(&rest, place_at(&glance, pivot, turn, 0), 0);
    ck_assert_double_le(hypot(end.x - first.x - way.x, end.y - first.y - way.y), 1e-12);
    ck_assert_double_le(hypot(glance.x + way.from.x - first.x, glance.y + way.from.y - first.y), 1e-12);
    const double own = glance.radius > 1 ? fabs(glance.turn - turn) * glance.radius : 0;
    ck_assert_double_le(fabs(way.turn - own), 1e-12);
    for (int k = 1; k < 32; ++k) {
        const double t = k / 32.0;
        const qd_vec2 q = seen_at(&rest, place_at(&glance, pivot, turn, t), t);
        const double x = q.x - first.x - t * way.x, y = q.y - first.y - t * way.y;
        ck_assert_msg(hypot(x, y) <= way.bend + 1e-12, "%g off, %g at most, seed %llu", hypot(x, y), way.bend,
                      (unsigned long long)seed);
    }
}

QD_TEST(a_way_bends_by_less_than_is_said) {
    qd_test_seeds(2000, 10, check_way);
}

/// A room of four kinematic rects, which goes or turns, and what is in it.
enum { SIDE = 12 };
static const double half = 4;

static qd_world *room(qd_vec2 velocity, double spin, int threads) {
    qd_world_def def = qd_test_def(400, 400);
    def.gravity = (qd_vec2){0, -10};
    def.restitution = 0;
    def.threads = threads;
    qd_world *world = qd_test_world(&def);
    const qd_vec2 middle = {200, 200};
    qd_test_room(world, middle, half, .5, velocity, spin);
    for (int i = 0; i < SIDE * SIDE; ++i) {
        const double x = .5 * (i % SIDE - .5 * (SIDE - 1)), y = .5 * ((double)(i / SIDE) - .5 * (SIDE - 1));
        qd_body_def body = qd_test_body_at(i % 3 ? qd_shape_rect(.4, .3) : qd_shape_disk(.2), middle.x + x,
                                           middle.y + y);
        body.velocity = (qd_vec2){velocity.x - spin * y, velocity.y + spin * x};
        body.spin = spin;
        (void)qd_test_add(world, &body);
    }
    return world;
}

static size_t followed(const qd_world *world) {
    size_t count = 0;
    for (size_t r = 0; r < world->count; ++r) count += (world->scratch.ccd->flags[r] & QDI_FOLLOWED) != 0;
    return count;
}

// In the world all of them are fast: they move by four of their sizes a step.
QD_TEST(what_lies_in_a_room_that_moves_is_not_followed) {
    qd_own(qd_world) world = room((qd_vec2){30, 40}, 0, 1);
    qd_test_step(world, dt, 60);
    ck_assert_uint_lt(followed(world), SIDE * SIDE / 10);
}

QD_TEST(what_lies_in_a_room_that_turns_is_not_followed) {
    qd_own(qd_world) world = room((qd_vec2){0, 0}, 4, 1);
    qd_test_step(world, dt, 120);
    ck_assert_uint_lt(followed(world), SIDE * SIDE / 4);
}

// Something that stands: there is no one motion of all.
QD_TEST(beside_what_stands_all_are_followed) {
    qd_own(qd_world) world = room((qd_vec2){30, 40}, 0, 1);
    qd_body_def post = qd_test_body_at(qd_shape_disk(1), 10, 10);
    post.kind = QD_BODY_STATIC;
    (void)qd_test_add(world, &post);
    qd_test_step(world, dt, 60);
    ck_assert_uint_gt(followed(world), SIDE * SIDE / 2);
}

QD_TEST(what_goes_along_is_the_same_for_any_team) {
    qd_own(qd_world) one = room((qd_vec2){0, 0}, 3, 1);
    qd_own(qd_world) three = room((qd_vec2){0, 0}, 3, 3);
    qd_test_step(one, dt, 100);
    qd_test_step(three, dt, 100);
    ck_assert_uint_eq(qd_world_hash(one), qd_world_hash(three));
}

// Who goes along with whom hangs on no order of rows, which is another with each margin.
QD_TEST_LOOP(what_goes_along_is_the_same_for_any_margin, 0, 4) {
    const double spin = (double[]){2, 3, 4, -5}[_i];
    uint64_t hash[2];
    for (int k = 0; k < 2; ++k) {
        qd_own(qd_world) world = room((qd_vec2){0, 0}, spin, 1);
        world->def.margin = k;
        qd_test_step(world, dt, 200);
        hash[k] = qd_world_hash(world);
    }
    ck_assert_uint_eq(hash[0], hash[1]);
}

// Nobody gets out, however fast the room goes and turns; nor do bullets in it.
QD_TEST_LOOP(nobody_gets_out_of_a_room_that_goes_along, 0, 12) {
    const qd_vec2 velocity = {(double[]){0, 60, -80, 15, 0, 0}[_i % 6],
                              (double[]){0, 20, 0, 50, 0, 0}[_i % 6]};
    const double spin = _i % 6 < 4 ? 0 : (double[]){3, -6}[_i % 2];
    qd_own(qd_world) world = room(velocity, spin, 1);
    if (_i >= 6)
        for (int k = 0; k < 3; ++k) {
            qd_body_def bullet = qd_test_body_at(qd_shape_disk(.1), 200 + k, 203);
            bullet.velocity = (qd_vec2){velocity.x + 300, velocity.y - 100 * k};
            bullet.bullet = true;
            (void)qd_test_add(world, &bullet);
        }
    for (int step = 1; step <= 90; ++step) {
        qd_test_step(world, dt, 1);
        const qd_body_view view = qd_world_view(world);
        for (size_t r = 0; r < view.count; ++r) {
            if (view.kind[r] != QD_BODY_DYNAMIC) continue;
            const qd_vec2 at = turned(
                (qd_vec2){view.x[r] - 200 - velocity.x * dt * step, view.y[r] - 200 - velocity.y * dt * step},
                -spin * dt * step);
            ck_assert_msg(fabs(at.x) < half && fabs(at.y) < half, "(%g, %g) in step %d", at.x, at.y, step);
        }
    }
}

/// How many get out of a thin box that is set in motion, at once and fast, about what stands or flies in it,
/// in a world with walls: there a body that is stopped stands, and the heap and the side of the box come
/// along.
static size_t out_of_a_box(uint64_t seed) {
    enum { STEPS_OUT = 40, MANY = 240 };
    qd_random random = qd_random_at(seed, 0, 5);
    const qd_vec2 velocity = {qd_test_between(&random, 60, 120), qd_test_between(&random, -40, 40)};
    qd_world_def def = qd_test_def(4000, 4000);
    def.gravity = (qd_vec2){0, -30};
    def.restitution = 0;
    def.friction = .3;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_room(world, (qd_vec2){2000, 2000}, 5, .02, velocity, 0);
    for (int i = 0; i < MANY; ++i) {
        const double x = 2000 + .55 * (i % 16 - 7.5), y = 2000 + .55 * ((double)(i / 16) - 7);
        qd_body_def body = qd_test_body_at(
            i % 5 < 3 ? qd_shape_disk(qd_test_between(&random, .1, .26)) : qd_shape_rect(.5, .2), x, y);
        if (i % 5 < 3)
            body.velocity = (qd_vec2){qd_test_between(&random, -30, 30), qd_test_between(&random, -30, 30)};
        (void)qd_test_add(world, &body);
    }
    qd_test_step(world, dt, STEPS_OUT);
    const qd_body_view view = qd_world_view(world);
    size_t outside = 0;
    for (size_t r = 0; r < view.count; ++r)
        outside += view.kind[r] == QD_BODY_DYNAMIC &&
                   (fabs(view.x[r] - 2000 - velocity.x * dt * STEPS_OUT) > 5 ||
                    fabs(view.y[r] - 2000 - velocity.y * dt * STEPS_OUT) > 5);
    return outside;
}

static void check_box(uint64_t seed) {
    const size_t outside = out_of_a_box(seed);
    ck_assert_msg(outside == 0, "%zu outside, seed %llu", outside, (unsigned long long)seed);
}

QD_TEST(nobody_gets_out_of_a_box_that_comes_at_him) {
    qd_test_seeds(60, 8, check_box);
}

// Disks that go along with a room far away, fast, and come to a wall of the world.
QD_TEST(who_goes_along_is_stopped_by_a_wall_of_the_world) {
    qd_own(qd_world) world = room((qd_vec2){-30, 0}, 0, 1);
    qd_id ids[8];
    for (int k = 0; k < 8; ++k) {
        qd_body_def disk = qd_test_body_at(qd_shape_disk(.05), 10 + .07 * k, 100 + 20 * k);
        disk.velocity.x = -30;
        ids[k] = qd_test_add(world, &disk);
    }
    double least = HUGE_VAL;
    for (int step = 0; step < 40; ++step) {
        qd_test_step(world, dt, 1);
        for (int k = 0; k < 8; ++k) {
            const double x = qd_test_body(world, ids[k]).position.x;
            if (x < least) least = x;
        }
    }
    ck_assert_double_ge(least, .5 * .05 - 1e-6);
}

// A stone falls on a box that stands on the ground, while all others go elsewhere.
QD_TEST(who_is_stopped_elsewhere_is_not_taken_along) {
    qd_own(qd_world) world = room((qd_vec2){-30, 0}, 0, 1);
    qd_body_def box = qd_test_body_at(qd_shape_rect(1, 1), 300, .5);
    (void)qd_test_add(world, &box);
    qd_body_def stone = qd_test_body_at(qd_shape_disk(.05), 300, 3.8);
    stone.velocity.y = -40;
    const qd_id id = qd_test_add(world, &stone);
    double most = 0;
    for (int step = 0; step < 30; ++step) {
        qd_test_step(world, dt, 1);
        const double off = fabs(qd_test_body(world, id).position.x - 300);
        if (off > most) most = off;
    }
    ck_assert_double_le(most, .001);
    ck_assert_double_ge(qd_test_body(world, id).position.y, 1);
}

QD_TEST_MAIN("rest_frame", 60, NULL, NULL)
