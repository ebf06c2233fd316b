// One collision at a time against closed forms: two disks, a disk and a wall, a rectangle and a floor, a disk
// and a rectangle. The values with 9 digits are independent of this program; the last digits come from the
// formulas here.
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/world.h>

static const double step = 1e-9; // nothing moves far: what is tested is the one collision

static qd_world *open_world(double restitution, double friction, double tangential) {
    qd_world_def def = qd_test_open_def();
    def.restitution = restitution;
    def.friction = friction;
    def.tangential = tangential;
    def.threshold = 0;
    return qd_test_world(&def);
}

typedef struct spun {
    double vx, vy, spin, mass, radius;
} spun;

static qd_id add_disk(qd_world *world, double x, double y, const spun *disk) {
    qd_body_def body = qd_test_body_at(qd_shape_disk(disk->radius), x, y);
    body.velocity = (qd_vec2){disk->vx, disk->vy};
    body.spin = disk->spin;
    body.mass = disk->mass;
    return qd_test_add(world, &body);
}

static void check_body(const qd_world *world, qd_id id, double vx, double vy, double spin, double tolerance) {
    qd_body_state s = qd_test_body(world, id);
    ck_assert_double_eq_tol(s.velocity.x, vx, tolerance);
    ck_assert_double_eq_tol(s.velocity.y, vy, tolerance);
    ck_assert_double_eq_tol(s.spin, spin, tolerance);
}

typedef struct collision {
    spun before[2]; ///< of a and b
    struct {
        double nx, ny, e, mu, bt;
    } law;
    struct {
        double vx, vy, spin;
    } after[2];
    double energy[2]; ///< before and after
} collision;

#define ROOT_HALF  0.70710678118654752
#define HALF_ROOT3 0.86602540378443865

static const collision collisions[] = {
    {{{1, 0, 0, 1, .5}, {0, 0, 0, 1, .5}}, {1, 0, 1, 0, 0}, {{0, 0, 0}, {1, 0, 0}}, {.5, .5}},
    {{{2, 0, 0, 1, .5}, {0, 0, 0, 3, .5}}, {1, 0, .5, 0, 0}, {{-.25, 0, 0}, {.75, 0, 0}}, {2, .875}},
    {{{1, 0, 0, 1, .5}, {0, 0, 0, 1, .5}},
     {HALF_ROOT3, .5, 1, 0, 0},
     {{.25, -.433012702, 0}, {.75, .433012702, 0}},
     {.5, .5}},
    {{{1, 0, 0, 1, .5}, {0, 0, 0, 1, .5}},
     {HALF_ROOT3, .5, .9, .1, 0},
     {{.246363793, -.340112067, .329089653}, {.753636207, .340112067, .329089653}},
     {.5, .443545043}},
    {{{1, 0, 0, 1, .5}, {0, 0, 0, 1, .5}},
     {HALF_ROOT3, .5, .9, 1, 0},
     {{.245833333, -.339193283, .333333333}, {.754166667, .339193283, .333333333}},
     {.5, .443541667}},
    {{{1, 0, 10, 1, .5}, {-1, 0, 0, 1, .5}}, {1, 0, 1, .1, 0}, {{-1, -.2, 9.2}, {1, .2, -.8}}, {7.25, 6.37}},
    {{{1, 0, 10, 1, .5}, {-1, 0, 0, 1, .5}},
     {1, 0, 1, 1, 0},
     {{-1, -.833333333, 6.666666667}, {1, .833333333, -3.333333333}},
     {7.25, 5.166666667}},
    {{{1, 0, 0, 1, .5}, {0, 0, 0, 1, .5}},
     {HALF_ROOT3, .5, 1, HUGE_VAL, 1},
     {{.166666667, -.288675135, .666666667}, {.833333333, .288675135, .666666667}},
     {.5, .5}},
    {{{1.5, 0, 2, 1, .5}, {-.5, .25, -1, 4, 1}},
     {ROOT_HALF, ROOT_HALF, .7, .3, 0},
     {{.01, -.89, 3.697056275}, {-.1275, .4725, -.787867966}},
     {3, 2.350125}},
};

/// The rule, in its own words, for disks that just touch.
static void expected_of(const collision *c, double v[6]) {
    const spun *a = &c->before[0], *b = &c->before[1];
    const double nx = c->law.nx, ny = c->law.ny;
    double ia = .5 * a->mass * a->radius * a->radius, ib = .5 * b->mass * b->radius * b->radius;
    double tx = -ny, ty = nx, ux = a->vx - b->vx, uy = a->vy - b->vy;
    double turning = a->spin * a->radius + b->spin * b->radius;
    double un = ux * nx + uy * ny, ut = ux * tx + uy * ty + turning;
    double jn = (1 + c->law.e) * un * a->mass * b->mass / (a->mass + b->mass);
    double kt = 1 / a->mass + 1 / b->mass + a->radius * a->radius / ia + b->radius * b->radius / ib;
    double jt = (1 + c->law.bt) * ut / kt;
    if (fabs(jt) > c->law.mu * jn) jt = copysign(c->law.mu * jn, ut);
    v[0] = a->vx - (jn * nx + jt * tx) / a->mass;
    v[1] = a->vy - (jn * ny + jt * ty) / a->mass;
    v[2] = a->spin - a->radius * jt / ia;
    v[3] = b->vx + (jn * nx + jt * tx) / b->mass;
    v[4] = b->vy + (jn * ny + jt * ty) / b->mass;
    v[5] = b->spin - b->radius * jt / ib;
}

QD_TEST_LOOP(two_disks_collide, 0, 9) {
    const collision *c = &collisions[_i];
    for (int swapped = 0; swapped < 2; ++swapped) {
        qd_own(qd_world) world = open_world(c->law.e, c->law.mu, c->law.bt);
        double apart = (c->before[0].radius + c->before[1].radius) * (1 - 1e-15), x = apart * c->law.nx,
               y = apart * c->law.ny;
        qd_id b = {0, 0};
        if (swapped) b = add_disk(world, x, y, &c->before[1]);
        qd_id a = add_disk(world, 0, 0, &c->before[0]);
        if (!swapped) b = add_disk(world, x, y, &c->before[1]);
        qd_world_sums before = qd_world_sum(world);
        ck_assert_double_eq_tol(before.kinetic, c->energy[0], 1e-12);
        qd_test_step(world, step, 1);
        check_body(world, a, c->after[0].vx, c->after[0].vy, c->after[0].spin, 1e-9);
        check_body(world, b, c->after[1].vx, c->after[1].vy, c->after[1].spin, 1e-9);
        double v[6];
        expected_of(c, v);
        check_body(world, a, v[0], v[1], v[2], 2e-12);
        check_body(world, b, v[3], v[4], v[5], 2e-12);
        qd_world_sums after = qd_world_sum(world);
        ck_assert_double_eq_tol(after.kinetic, c->energy[1], 1e-9);
        ck_assert_double_eq_tol(after.momentum.x, before.momentum.x, 1e-14);
        ck_assert_double_eq_tol(after.momentum.y, before.momentum.y, 1e-14);
        ck_assert_double_eq_tol(after.angular, before.angular, 1e-12);
        qd_test_step(world, step, 3); // they part: nothing more happens
        check_body(world, b, v[3], v[4], v[5], 2e-12);
    }
}

// A disk of radius .5 and mass 1 on a floor: the world's wall, a static rectangle, and an edge of a polyline.
typedef struct floor_case {
    double vx, vy, spin, e, mu, after_x, after_y, after_spin;
} floor_case;

static const floor_case floor_cases[] = {
    {2, -3, 0, .8, .1, 1.46, 2.4, -2.16},
    {2, -3, 0, .8, 1, 4.0 / 3, 2.4, -8.0 / 3},
    {0, -3, 6, .8, .05, -.27, 2.4, 4.92},
    {0, -3, 6, .8, .5, -1, 2.4, 2},
};

enum { FLOOR_WALL, FLOOR_RECT, FLOOR_EDGE, FLOORS };

static void add_floor(qd_world *world, int floor) {
    qd_body_def body = qd_body_def_default();
    body.kind = QD_BODY_STATIC;
    body.shape = qd_shape_rect(20, 1);
    body.position = (qd_vec2){50, -.5};
    if (floor == FLOOR_RECT) (void)qd_test_add(world, &body);
    const qd_vec2 points[] = {{30, 0}, {70, 0}};
    if (floor == FLOOR_EDGE)
        ck_assert_int_eq(qd_world_add_polyline(world, points, 2, false, &body, NULL, NULL), QD_OK);
}

static qd_world *floor_world(int floor, double e, double mu) {
    qd_world_def def = qd_world_def_default();
    if (floor != FLOOR_WALL) def.boundary_y = QD_BOUNDARY_OPEN;
    def.restitution = e;
    def.friction = mu;
    def.threshold = 0;
    qd_world *world = qd_test_world(&def);
    add_floor(world, floor);
    return world;
}

QD_TEST_LOOP(disk_meets_floor, 0, 4) {
    const floor_case *c = &floor_cases[_i];
    for (int floor = 0; floor < FLOORS; ++floor) {
        qd_own(qd_world) world = floor_world(floor, c->e, c->mu);
        qd_id id = add_disk(world, 50, .5, &(spun){c->vx, c->vy, c->spin, 1, .5});
        qd_test_step(world, step, 1);
        check_body(world, id, c->after_x, c->after_y, c->after_spin, 1e-12);
        qd_test_step(world, step, 3);
        check_body(world, id, c->after_x, c->after_y, c->after_spin, 1e-12);
    }
}

// Rectangles of mass 1 whose lowest corner meets a floor without friction.
typedef struct corner_case {
    double width, height, degrees, vy, e, after_vy, after_spin;
} corner_case;

static const corner_case corner_cases[] = {
    {2, 1, 30, -1, 1, .046698717, -1.547503199},
    {2, 1, 30, -1, .5, -.214975962, -1.160627399},
    {1, 1, 30, -2, 1, 1.330663545, -3.657322406},
    {1, 1, 45, -2, 1, 2, 0},
};

QD_TEST_LOOP(corner_meets_floor, 0, 4) {
    const corner_case *c = &corner_cases[_i];
    double angle = c->degrees * 3.14159265358979324 / 180;
    double low = .5 * (c->width * sin(angle) + c->height * cos(angle));
    for (int floor = 0; floor < FLOORS; ++floor) {
        qd_own(qd_world) world = floor_world(floor, c->e, 0);
        qd_body_def body = qd_test_body_at(qd_shape_rect(c->width, c->height), 50, low * (1 - 1e-15));
        body.angle = angle;
        body.velocity.y = c->vy;
        body.mass = 1;
        qd_id id = qd_test_add(world, &body);
        qd_test_step(world, step, 1);
        check_body(world, id, 0, c->after_vy, c->after_spin, 1e-9);
        double energy = .5 * c->vy * c->vy, after = qd_world_sum(world).kinetic;
        if (c->e == 1)
            ck_assert_double_eq_tol(after, energy, 1e-12);
        else
            ck_assert_double_eq_tol(after, .303743991, 1e-9);
    }
}

// A box that lands flat bounces flat, with both of its corners at once.
QD_TEST(flat_box_bounces_flat) {
    for (int floor = 0; floor < FLOORS; ++floor) {
        qd_own(qd_world) world = floor_world(floor, .5, .25);
        qd_body_def body = qd_test_body_at(qd_shape_rect(2, 1), 50, .5);
        body.velocity = (qd_vec2){3, -1};
        qd_id id = qd_test_add(world, &body);
        qd_test_step(world, step, 1);
        // friction .25 * 1.5 at a lever of .5, inertia 2 * 5 / 12 for mass 2: d spin = -.5 * .375 * 2 / (5 /
        // 6)
        qd_body_state s = qd_test_body(world, id);
        ck_assert_double_eq_tol(s.velocity.x, 3 - .375, 1e-12);
        ck_assert_double_eq_tol(s.velocity.y, .5, 1e-12);
        ck_assert_double_eq_tol(s.spin, -.45, 1e-12);
    }
}

typedef struct push_case {
    double height, e, disk, rect, spin, energy;
} push_case;

static const push_case push_cases[] = {
    {1.5, 1, .384615385, 1.307692308, -1.384615385, 4.5},
    {1.5, .6, .907692308, 1.046153846, -1.107692308, 3.244615385},
    {0, 1, -1, 2, 0, 4.5},
};

QD_TEST_LOOP(disk_meets_free_rectangle, 0, 3) {
    const push_case *c = &push_cases[_i];
    qd_own(qd_world) world = open_world(c->e, 0, 0);
    qd_body_def body = qd_test_body_at(qd_shape_rect(1, 4), 50, 50);
    body.mass = 2;
    qd_id rect = qd_test_add(world, &body);
    qd_id disk = add_disk(world, 49, 50 + c->height, &(spun){3, 0, 0, 1, .5});
    qd_world_sums before = qd_world_sum(world);
    ck_assert_double_eq_tol(before.angular, -3 * c->height,
                            1e-12); // about the rectangle, which is at the middle
    qd_test_step(world, step, 1);
    check_body(world, disk, c->disk, 0, 0, 1e-9);
    check_body(world, rect, c->rect, 0, c->spin, 1e-9);
    qd_world_sums after = qd_world_sum(world);
    ck_assert_double_eq_tol(after.kinetic, c->energy, 1e-9);
    ck_assert_double_eq_tol(after.angular, before.angular, 1e-12);
    ck_assert_double_eq_tol(after.momentum.x, 3, 1e-12);
}

QD_TEST(masses_and_inertias) {
    qd_own(qd_world) world = open_world(1, 0, 0);
    qd_body_def body = qd_body_def_default();
    body.shape = qd_shape_rect(2, 1);
    body.mass = 1;
    ck_assert_double_eq_tol(qd_test_body(world, qd_test_add(world, &body)).inertia, 5.0 / 12, 1e-15);
    body.shape = qd_shape_rect(1, 1);
    ck_assert_double_eq_tol(qd_test_body(world, qd_test_add(world, &body)).inertia, 1.0 / 6, 1e-15);
    body.mass = (double)NAN;
    body.shape = qd_shape_rect(2, 2);
    qd_body_state s = qd_test_body(world, qd_test_add(world, &body));
    ck_assert_double_eq_tol(s.mass, 4, 1e-15);
    ck_assert_double_eq_tol(s.inertia, 8.0 / 3, 1e-15);
    body.shape = qd_shape_disk(1);
    s = qd_test_body(world, qd_test_add(world, &body));
    ck_assert_double_eq_tol(s.mass, 3.14159265358979324, 1e-15);
    ck_assert_double_eq_tol(s.inertia, 1.57079632679489662, 1e-15);
}

// Of two surfaces: the larger restitution, the root of the product of the frictions; walls have their own.
QD_TEST(materials_mix) {
    qd_world_def def = qd_world_def_default();
    def.restitution = .1;
    def.friction = .5;
    def.walls.restitution = .3;
    def.threshold = 0;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def body = qd_body_def_default();
    body.position = (qd_vec2){50, .5};
    body.velocity = (qd_vec2){100, -1};
    body.mass = 1;
    qd_id with_wall = qd_test_add(world, &body);
    body.position.x = 20;
    body.material = (qd_material){.8, .02, (double)NAN, 0};
    qd_id with_own = qd_test_add(world, &body);
    body.position.x = 30;
    body.material = (qd_material){(double)NAN, 0, (double)NAN, 0};
    qd_id slippery = qd_test_add(world, &body);
    qd_test_step(world, step, 1);
    ck_assert_double_eq_tol(qd_test_body(world, with_wall).velocity.y, .3, 1e-12);
    ck_assert_double_eq_tol(qd_test_body(world, with_wall).velocity.x, 100 - .5 * 1.3, 1e-12);
    ck_assert_double_eq_tol(qd_test_body(world, with_own).velocity.y, .8, 1e-12);
    ck_assert_double_eq_tol(qd_test_body(world, with_own).velocity.x, 100 - .1 * 1.8, 1e-12);
    ck_assert_double_eq(qd_test_body(world, slippery).velocity.x, 100);
}

// A box that never turns (infinite inertia) takes the blow as a point would.
QD_TEST(infinite_inertia_never_turns) {
    qd_own(qd_world) world = floor_world(FLOOR_WALL, 1, .5);
    qd_body_def body = qd_test_body_at(qd_shape_rect(2, 1), 50, 1);
    body.angle = .5;
    body.velocity = (qd_vec2){.1, -1};
    body.inertia = HUGE_VAL;
    qd_id id = qd_test_add(world, &body);
    qd_test_step(world, .01, 100);
    qd_body_state s = qd_test_body(world, id);
    ck_assert_double_eq(s.spin, 0);
    ck_assert_double_eq_tol(s.turn.y, sin(.5), 1e-15);
    ck_assert_double_eq_tol(s.velocity.y, 1, 1e-12);
    ck_assert_double_eq_tol(s.velocity.x, 0, 1e-12);
}

QD_TEST_MAIN("impulse_table", 120, NULL, NULL)
