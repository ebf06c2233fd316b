// What slides, rolls and rests, against closed forms. A stepped run may be off by what a body does in a step:
// `bound`.
#include "sim/world/grain.h"
#include "sim/world/world_impl.h"
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/math.h>
#include <quadrille/simd.h>
#include <quadrille/world.h>

static const double g = 9.81, degree = 3.14159265358979324 / 180, dt = 1.0 / 1000;

/// A box standing on the floor of a world that is tilted by an angle: gravity is.
typedef struct slide {
    qd_world *world;
    qd_id id;
    double start;
} slide;

static slide slide_of(const qd_shape *shape, double up, double tilt, double mu, double speed, double spin) {
    qd_world_def def = qd_world_def_default();
    def.gravity = (qd_vec2){g * sin(tilt), -g * cos(tilt)};
    def.restitution = 0;
    def.friction = mu;
    slide made = {.world = qd_test_world(&def), .start = 20};
    qd_body_def body = qd_test_body_at(*shape, made.start, up);
    body.velocity.x = speed;
    body.spin = spin;
    made.id = qd_test_add(made.world, &body);
    return made;
}

static slide slide_block(double tilt, double mu, double speed) {
    qd_shape shape = qd_shape_rect(1, .5);
    return slide_of(&shape, .25, tilt, mu, speed, 0);
}

static double way(const slide *s) {
    return qd_test_body(s->world, s->id).position.x - s->start;
}

QD_TEST_LOOP(block_slides_to_a_stop, 0, 2) {
    const double speed[] = {2, 5}, mu[] = {.5, .3}, time[] = {.407747197, 1.698946653},
                 distance[] = {.407747197, 4.247366633};
    slide s = slide_block(0, mu[_i], speed[_i]);
    double bound = speed[_i] * dt, stopped = 0;
    for (int k = 1; k <= 2500; ++k) {
        qd_test_step(s.world, dt, 1);
        if (stopped == 0 && fabs(qd_test_body(s.world, s.id).velocity.x) < 1e-3 * speed[_i]) stopped = k * dt;
    }
    ck_assert_double_eq_tol(stopped, time[_i], 1.5 * dt);
    ck_assert_double_eq_tol(way(&s), distance[_i], bound);
    qd_body_state end = qd_test_body(s.world, s.id);
    ck_assert_double_le(fabs(end.velocity.x), 1e-12);
    ck_assert_double_le(fabs(end.turn.y), 1e-4);
    qd_world_destroy(s.world);
}

QD_TEST_LOOP(block_slides_down, 0, 2) {
    const double tilt[] = {30, 20}, mu[] = {.2, .3}, acceleration[] = {3.205858158, .589702223};
    slide s = slide_block(tilt[_i] * degree, mu[_i], 0);
    qd_test_step(s.world, dt, 1000);
    qd_body_state end = qd_test_body(s.world, s.id);
    ck_assert_double_eq_tol(end.velocity.x, acceleration[_i], 2e-3 * acceleration[_i]);
    ck_assert_double_eq_tol(way(&s), .5 * acceleration[_i], acceleration[_i] * dt);
    qd_world_destroy(s.world);
}

// The same on a static rectangle that is tilted itself, and on a polyline with inner vertices.
QD_TEST_LOOP(block_slides_down_a_ramp, 0, 2) {
    const double tilt = -30 * degree, acceleration = 3.205858158;
    qd_world_def def = qd_world_def_default();
    def.gravity.y = -g;
    def.restitution = 0;
    def.friction = .2;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def body = qd_body_def_default();
    qd_vec2 along = {cos(tilt), sin(tilt)}, up = {-along.y, along.x};
    if (_i == 0) {
        body.kind = QD_BODY_STATIC;
        body.shape = qd_shape_rect(30, 1);
        body.angle = tilt;
        body.position = (qd_vec2){50 - .5 * up.x, 50 - .5 * up.y};
        (void)qd_test_add(world, &body);
    } else {
        qd_vec2 points[40];
        for (int i = 0; i < 40; ++i)
            points[i] = (qd_vec2){50 + (i - 20) * .7 * along.x, 50 + (i - 20) * .7 * along.y};
        ck_assert_int_eq(qd_world_add_polyline(world, points, 40, false, &body, NULL, NULL), QD_OK);
    }
    body = qd_body_def_default();
    body.shape = qd_shape_rect(1, .5);
    body.angle = tilt;
    body.position = (qd_vec2){50 + .25 * up.x, 50 + .25 * up.y};
    qd_id id = qd_test_add(world, &body);
    qd_test_step(world, dt, 2000);
    qd_body_state s = qd_test_body(world, id);
    double moved = (s.position.x - body.position.x) * along.x + (s.position.y - body.position.y) * along.y;
    double speed = s.velocity.x * along.x + s.velocity.y * along.y;
    ck_assert_double_eq_tol(speed, 2 * acceleration, 4e-3 * acceleration);
    ck_assert_double_eq_tol(moved, 2 * acceleration, 4 * acceleration * dt);
    ck_assert_double_eq_tol(s.turn.y, sin(tilt), 1e-4);
}

QD_TEST_LOOP(block_slips_at_the_angle_of_friction, 0, 2) {
    const double mu[] = {.3, .5}, angle[] = {16.699244, 26.565051};
    slide below = slide_block(.99 * angle[_i] * degree, mu[_i], 0);
    slide above = slide_block(1.01 * angle[_i] * degree, mu[_i], 0);
    qd_test_step(below.world, dt, 2000);
    qd_test_step(above.world, dt, 2000);
    ck_assert_double_le(fabs(way(&below)), 1e-3);
    ck_assert_double_le(fabs(qd_test_body(below.world, below.id).velocity.x), 1e-9);
    double slope = sin(1.01 * angle[_i] * degree) - mu[_i] * cos(1.01 * angle[_i] * degree);
    ck_assert_double_eq_tol(way(&above), .5 * g * slope * 4, .05 * way(&above));
    qd_world_destroy(below.world);
    qd_world_destroy(above.world);
}

QD_TEST(box_tips_where_it_should) {
    const double angle = 26.565051; // width / height = 0.5
    qd_shape shape = qd_shape_rect(.5, 1);
    slide below = slide_of(&shape, .5, .99 * angle * degree, 1, 0, 0);
    slide above = slide_of(&shape, .5, 1.01 * angle * degree, 1, 0, 0);
    qd_test_step(below.world, dt, 2000);
    qd_test_step(above.world, dt, 2000);
    ck_assert_double_le(fabs(qd_test_body(below.world, below.id).turn.y), 2e-3);
    ck_assert_double_ge(fabs(qd_test_body(above.world, above.id).turn.y), .1);
    qd_world_destroy(below.world);
    qd_world_destroy(above.world);
}

// Thrown flat: slides first, then rolls; with enough backspin it comes back.
QD_TEST_LOOP(disk_comes_to_roll, 0, 2) {
    qd_shape shape = qd_shape_disk(.5);
    slide s = slide_of(&shape, .5, 0, .2, 3, _i == 0 ? 0 : 20);
    double rolls = 0, at = 0;
    for (int k = 1; k <= 3000 && qd_world_time(s.world) < 2.5; ++k) {
        qd_test_step(s.world, dt, 1);
        qd_body_state now = qd_test_body(s.world, s.id);
        if (rolls == 0 && fabs(now.velocity.x + .5 * now.spin) < 1e-9) {
            rolls = k * dt;
            at = way(&s);
        }
    }
    qd_body_state end = qd_test_body(s.world, s.id);
    double speed = _i == 0 ? 2 : -1.333333333333;
    ck_assert_double_eq_tol(end.velocity.x, speed, 1e-6);
    ck_assert_double_eq_tol(end.spin, -2 * speed, 1e-6);
    if (_i == 0) {
        ck_assert_double_eq_tol(rolls, .509683996, 2 * dt);
        ck_assert_double_eq_tol(at, 1.274209990, 3 * 2 * dt);
    }
    qd_world_destroy(s.world);
}

QD_TEST_LOOP(disk_rolls_down, 0, 3) {
    const double tilt = 20 * degree, acceleration = 2.236811737;
    const double mu[] = {.2, 1, HUGE_VAL};
    qd_shape shape = qd_shape_disk(.5);
    slide s = slide_of(&shape, .5, tilt, mu[_i], 0, 0);
    qd_test_step(s.world, dt, 1000);
    qd_body_state end = qd_test_body(s.world, s.id);
    ck_assert_double_eq_tol(end.velocity.x, acceleration, 2e-3 * acceleration);
    ck_assert_double_eq_tol(end.spin, -2 * end.velocity.x, 1e-6);
    ck_assert_double_eq_tol(way(&s), .5 * acceleration, acceleration * dt);
    qd_world_destroy(s.world);
}

// A ball dropped from 1 m: heights, times and the end of it.
typedef struct bounce_case {
    double e, heights[5], times[5], total;
} bounce_case;

static const bounce_case bounces[] = {
    {.9,
     {.81, .6561, .531441, .430467, .348678},
     {.451524, 1.264266, 1.995734, 2.654056, 3.246545},
     8.578949},
    {.8,
     {.64, .4096, .262144, .167772, .107374},
     {.451524, 1.173961, 1.751912, 2.214272, 2.584160},
     4.063713},
    {.7,
     {.49, .2401, .117649, .057648, .028248},
     {.451524, 1.083657, 1.526150, 1.835895, 2.052717},
     2.558634},
    {.5, {.25, .0625, .015625, .003906, .000977}, {.451524, .903047, 1.128809, 1.241690, 1.298130}, 1.354571},
};

QD_TEST_LOOP(ball_bounces_and_rests, 0, 4) {
    const bounce_case *c = &bounces[_i];
    const double fine = 1e-4, fastest = 4.43;
    qd_world_def def = qd_world_def_default();
    def.gravity.y = -g;
    def.restitution = c->e;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id id = qd_test_disk(world, 50, 1.5, 0, 0, .5, 1);
    double highest = 0, before = 0;
    int hits = 0;
    while (qd_world_time(world) < c->total + .5) {
        qd_test_step(world, fine, 1);
        qd_body_state s = qd_test_body(world, id);
        if (before < 0 && s.velocity.y > 0 && hits < 5) { // a bounce
            if (hits > 0)
                ck_assert_double_eq_tol(highest, c->heights[hits - 1], (hits + 1) * 2 * fastest * fine);
            ck_assert_double_eq_tol(qd_world_time(world), c->times[hits], (hits + 1) * 4 * fine);
            ++hits;
            highest = 0;
        }
        before = s.velocity.y;
        if (s.position.y - .5 > highest) highest = s.position.y - .5;
    }
    ck_assert_int_eq(hits, 5);
    qd_body_state end = qd_test_body(world, id);
    ck_assert_double_le(fabs(end.velocity.y), 2 * g * fine);
    ck_assert_double_eq_tol(end.position.y, .5, 1e-3);
    double rests_at = end.position.y;
    qd_test_step(world, fine, 5000);
    ck_assert_double_eq_tol(qd_test_body(world, id).position.y, rests_at, 1e-4);
    ck_assert_double_le(fabs(qd_test_body(world, id).velocity.y), 1e-9);
}

// With restitution 1 a ball comes back to its height for ever: bounces turn round the speed it really had.
QD_TEST(elastic_ball_keeps_its_height) {
    qd_world_def def = qd_world_def_default();
    def.gravity.y = -g;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id id = qd_test_disk(world, 50, 2.5, 0, 0, .5, 1);
    double energy = g * 2.5;
    for (int k = 0; k < 20000; ++k) {
        qd_test_step(world, 1.0 / 120, 1);
        qd_body_state s = qd_test_body(world, id);
        double now = .5 * s.velocity.y * s.velocity.y + g * s.position.y;
        ck_assert_double_eq_tol(now, energy, 1e-9 * energy);
    }
    ck_assert_uint_gt(qd_world_total(world).begins, 100);
}

QD_TEST_LOOP(elastic_boxes_conserve_everything, 0, 2) {
    qd_world_def def = qd_test_open_def();
    def.size = (qd_vec2){30, 30};
    def.friction = _i == 0 ? 0 : .5;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_random random = qd_random_at(qd_test_seed(7), 0, 0);
    for (int i = 0; i < 100; ++i) { // all fly to the middle
        qd_body_def body = qd_body_def_default();
        double x = 1.5 + 3 * (i % 10), y = 1.5 + 3 * (double)(i / 10);
        body.shape = i % 3 == 0 ? qd_shape_disk(.6)
                                : (i % 3 == 1 ? qd_shape_rect(1.4, .8) : qd_shape_capsule(1, .4));
        body.position = (qd_vec2){x, y};
        body.angle = qd_test_between(&random, 0, 6);
        body.velocity = (qd_vec2){.3 * (15 - x) + qd_test_between(&random, -1, 1),
                                  .3 * (15 - y) + qd_test_between(&random, -1, 1)};
        body.spin = qd_test_between(&random, -2, 2);
        (void)qd_test_add(world, &body);
    }
    qd_world_sums before = qd_world_sum(world);
    for (int k = 0; k < 200; ++k) {
        double energy = qd_world_sum(world).kinetic;
        qd_test_step(world, .01, 1);
        qd_world_sums now = qd_world_sum(world);
        ck_assert_double_eq_tol(now.momentum.x, before.momentum.x, 1e-9 * before.momentum_scale);
        ck_assert_double_eq_tol(now.momentum.y, before.momentum.y, 1e-9 * before.momentum_scale);
        ck_assert_double_eq_tol(now.angular, before.angular, 1e-9 * 15 * before.momentum_scale);
        ck_assert_double_le(now.kinetic, energy * (1 + 1e-12));
        if (_i == 0) ck_assert_double_ge(now.kinetic, energy * (1 - 1e-12));
    }
    ck_assert_uint_gt(qd_world_total(world).begins, 80);
    if (_i == 1) ck_assert_double_lt(qd_world_sum(world).kinetic, .99 * before.kinetic);
}

// ---- piles ----

typedef struct pile {
    qd_world *world;
    qd_id ids[210];
    int count;
} pile;

static pile pyramid(int rows, int threads) {
    qd_world_def def = qd_world_def_default();
    def.gravity.y = -g;
    def.restitution = 0;
    def.friction = .6;
    def.threads = threads;
    pile made = {.world = qd_test_world(&def)};
    for (int row = 0; row < rows; ++row) {
        for (int i = 0; i < rows - row; ++i) {
            qd_body_def body = qd_test_body_at(qd_shape_rect(1, 1), 50 + 1.02 * (i - .5 * (rows - row - 1)),
                                               .5 + row);
            made.ids[made.count++] = qd_test_add(made.world, &body);
        }
    }
    return made;
}

/// The furthest that a body of the pile has moved from `from`.
static double furthest(const pile *heap, const qd_body_state *from) {
    double most = 0;
    for (int i = 0; i < heap->count; ++i) {
        qd_body_state now = qd_test_body(heap->world, heap->ids[i]);
        double x = now.position.x - from[i].position.x, y = now.position.y - from[i].position.y;
        if (sqrt(x * x + y * y) > most) most = sqrt(x * x + y * y);
    }
    return most;
}

// Once it has taken its load (in the first second it sinks by some hundredths), it does not creep.
static void check_stands(int rows, double seconds) {
    pile heap = pyramid(rows, 2);
    qd_body_state first[210], settled[210];
    for (int i = 0; i < heap.count; ++i) first[i] = qd_test_body(heap.world, heap.ids[i]);
    qd_test_step(heap.world, 1.0 / 60, 60);
    ck_assert_double_le(furthest(&heap, first), 2e-3 * rows);
    for (int i = 0; i < heap.count; ++i) settled[i] = qd_test_body(heap.world, heap.ids[i]);
    qd_test_step(heap.world, 1.0 / 60, (size_t)(60 * (seconds - 1)));
    double creep = furthest(&heap, settled);
    ck_assert_msg(creep < .01, "%d rows crept %g", rows, creep);
    ck_assert_double_le(qd_world_sum(heap.world).kinetic, 1e-4); // a tenth of a percent of a box per second
    qd_world_destroy(heap.world);
}

QD_TEST(pyramids_stand) {
    check_stands(5, 20);
    check_stands(20, (double)qd_test_effort(60));
}

/// Columns of boxes side by side, so many that their contacts are solved by all threads.
static qd_world *many_columns(int threads) {
    enum { COLUMNS = 300, ROWS = 30 };
    _Static_assert(COLUMNS * ROWS > QDI_FEW, "fewer are solved by one thread");
    qd_world_def def = qd_test_def(COLUMNS + 20, ROWS + 20);
    def.gravity.y = -g;
    def.restitution = 0;
    def.friction = .6;
    def.threads = threads;
    qd_world *world = qd_test_world(&def);
    for (int i = 0; i < COLUMNS; ++i) {
        for (int row = 0; row < ROWS; ++row) {
            qd_body_def body = qd_test_body_at(qd_shape_rect(1, 1), 10 + 1.01 * i + (row % 2 == 0 ? 0 : .005),
                                               .5 + row);
            (void)qd_test_add(world, &body);
        }
    }
    return world;
}

QD_TEST(many_columns_are_the_same_for_any_team) {
    const int threads[] = {2, 3, 8};
    qd_own(qd_world) one = many_columns(1);
    qd_test_step(one, 1.0 / 60, 6);
    ck_assert_uint_gt(one->scratch.mover_count, 8000);
    for (int t = 0; t < 3; ++t) {
        qd_own(qd_world) many = many_columns(threads[t]);
        qd_test_step(many, 1.0 / 60, 6);
        ck_assert_uint_eq(qd_world_hash(many), qd_world_hash(one));
        ck_assert_uint_eq(qd_test_events_hash(many), qd_test_events_hash(one));
    }
}

QD_TEST(piles_are_the_same_for_any_team) {
    const int threads[] = {2, 3, 8};
    pile one = pyramid(20, 1);
    qd_test_step(one.world, 1.0 / 60, 30);
    for (int t = 0; t < 3; ++t) {
        pile many = pyramid(20, threads[t]);
        qd_test_step(many.world, 1.0 / 60, 30);
        ck_assert_uint_eq(qd_world_hash(many.world), qd_world_hash(one.world));
        ck_assert_uint_eq(qd_test_events_hash(many.world), qd_test_events_hash(one.world));
        qd_world_destroy(many.world);
    }
    qd_world_destroy(one.world);
}

// What a pile weighs is what the floor gives: the impulses of its contacts with it, and the walls' sum.
QD_TEST(floor_bears_the_weight) {
    pile heap = pyramid(6, 1);
    qd_test_step(heap.world, 1.0 / 60, 600);
    double before = qd_world_total(heap.world).wall_impulse.y;
    qd_test_step(heap.world, 1.0 / 60, 1);
    double weight = qd_world_sum(heap.world).mass * g / 60;
    ck_assert_double_eq_tol(qd_world_total(heap.world).wall_impulse.y - before, weight, 1e-6 * weight);
    size_t count;
    double sum = 0;
    const qd_event *events = qd_world_events(heap.world, &count);
    for (size_t i = 0; i < count; ++i)
        if (qd_id_is_wall(events[i].contact->b))
            for (int k = 0; k < events[i].contact->count; ++k) sum += events[i].contact->touch[k].impulse;
    ck_assert_double_eq_tol(sum, weight, 1e-6 * weight);
    qd_world_destroy(heap.world);
}

// Logs that lie on each other, whose ends are side by side, stay so.
QD_TEST(capsules_stand_on_each_other) {
    qd_world_def def = qd_world_def_default();
    def.gravity.y = -g;
    def.restitution = 0;
    def.friction = .6;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id top = {0};
    for (int i = 0; i < 12; ++i) {
        const qd_body_def log = qd_test_body_at(qd_shape_capsule(2, .25), 50, .25 + .5 * i);
        top = qd_test_add(world, &log);
    }
    double deepest = 0;
    for (int k = 0; k < 600; ++k) {
        qd_test_step(world, 1.0 / 60, 1);
        deepest = fmax(deepest, qd_test_measure(world).largest_overlap);
    }
    ck_assert_double_le(deepest, .04 * .25); // most that what rests sinks in
    const qd_body_state end = qd_test_body(world, top);
    ck_assert_double_eq_tol(end.position.x, 50, .02);
    ck_assert_double_eq_tol(end.position.y, 5.75, .1);
    ck_assert_double_le(qd_world_sum(world).kinetic, 1e-12);
}

// Bodies that were put down into each other part without gaining speed.
QD_TEST(overlap_is_taken_back_gently) {
    qd_world_def def = qd_world_def_default();
    def.restitution = 0;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def body = qd_test_body_at(qd_shape_rect(1, 1), 50, 50);
    qd_id a = qd_test_add(world, &body);
    body.position = (qd_vec2){50.75, 50.2};
    qd_id b = qd_test_add(world, &body);
    qd_test_step(world, 1.0 / 60, 120);
    qd_body_state p = qd_test_body(world, a), q = qd_test_body(world, b);
    ck_assert_double_ge(q.position.x - p.position.x, .98); // they have turned a little
    ck_assert_double_le(q.position.x - p.position.x, 1.03);
    size_t count;
    const qd_contact *contacts = qd_world_contacts(world, &count);
    for (size_t i = 0; i < count; ++i)
        ck_assert_double_le(contacts[i].touch[0].depth, 1.1e-3); // what is left alone
    ck_assert(qd_world_sum(world).kinetic == 0);
}

/// Bodies of all shapes and materials under gravity; or (`hub`) many small disks and boxes that are drawn to
/// a large disk, whose contacts share it and so are solved one after the other.
static qd_world *heap_of(bool hub, qd_simd simd) {
    qd_random random = qd_random_at(5, hub, 0);
    qd_world_def def = qd_world_def_default();
    def.size = hub ? (qd_vec2){300, 300} : (qd_vec2){30, 30};
    def.gravity.y = hub ? 0 : -g;
    if (hub) def.attraction = (qd_attraction){.law = QD_PULL_CONSTANT, .at = {150, 150}, .strength = 10};
    def.restitution = 0;
    def.friction = .4;
    def.simd = simd;
    qd_world *world = qd_test_world(&def);
    if (!hub) qd_test_scatter_shapes(world, &random, 300);
    if (hub) (void)qd_test_disk(world, 150, 150, 0, 0, 100, 0);
    for (int i = 0; hub && i < 350; ++i) {
        double angle = 6.283185307179586 * i / 350, x = qd_cos(angle), y = qd_sin(angle);
        qd_body_def body = qd_test_body_at(i % 2 ? qd_shape_rect(.8, .8) : qd_shape_disk(.4),
                                           150 + 100.39 * x, 150 + 100.39 * y);
        body.angle = angle;
        if (i % 3 == 0) body.material.friction = 0;
        (void)qd_test_add(world, &body);
    }
    return world;
}

/// Boxes side by side, a little apart or overlapping, that nothing presses but a heavy one that flies into
/// them.
static qd_world *struck_of(qd_simd simd) {
    qd_random random = qd_random_at(5, 2, 0);
    qd_world_def def = qd_test_def(60, 30);
    def.restitution = 0;
    def.friction = .6;
    def.simd = simd;
    qd_world *world = qd_test_world(&def);
    for (int i = 0; i < 400; ++i) {
        qd_body_def body = qd_body_def_default();
        body.shape = qd_shape_rect(1, 1);
        body.position = (qd_vec2){20 + i % 20 + .002 * qd_random_uniform(&random),
                                  5 + i / 20 + .002 * qd_random_uniform(&random)};
        (void)qd_test_add(world, &body);
    }
    (void)qd_test_disk(world, 10, 15, 40, 0, 3, 50);
    return world;
}

/// Checks that what carries nothing along the normal carries no friction either, not even -0; returns how
/// many contacts carry nothing.
static size_t check_unloaded(const qd_world *world) {
    const qdi_contact_state *state = &world->present;
    size_t idle = 0;
    for (size_t p = 0; p < qdi_constraint_count(state); ++p) {
        const qdi_warm_start *held = &state->warm_starts[p];
        for (int k = 0; k < 2; ++k)
            ck_assert(held->normal[k] != 0 || (held->tangent[k] == 0 && !signbit(held->tangent[k])));
        idle += held->normal[0] + held->normal[1] == 0;
    }
    return idle;
}

QD_TEST_LOOP(kernels_agree, 0, 3) {
    uint64_t expected[2] = {0, 0};
    for (qd_simd simd = QD_SIMD_PORTABLE; simd <= QD_SIMD_NEON; ++simd) {
        if (!qd_simd_available(simd)) continue;
        qd_own(qd_world) world = _i == 2 ? struck_of(simd) : heap_of(_i == 1, simd);
        if (_i == 2) {
            qd_test_step(world, 1.0 / 60, 20);
            const size_t idle = check_unloaded(world), all = qdi_constraint_count(&world->present);
            ck_assert_msg(4 * idle > all && 20 * (all - idle) > all, "%zu of %zu", idle, all);
        }
        qd_test_step(world, 1.0 / 60, 60);
        (void)check_unloaded(world);
        uint64_t state = qd_world_hash(world), events = qd_test_events_hash(world);
        if (simd == QD_SIMD_PORTABLE) expected[0] = state, expected[1] = events;
        ck_assert_msg(state == expected[0] && events == expected[1], "%s", qd_simd_name(simd));
    }
}

QD_TEST_MAIN("rest", 240, NULL, NULL)
