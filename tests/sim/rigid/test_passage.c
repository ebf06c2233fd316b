// Nothing passes through anything: how many bodies are tried, and how many get to where there is no way.
// Positions alone tell.
#include "tests/support/harness.h"
#include "tests/support/wild.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/math.h>
#include <quadrille/world.h>

static const qd_continuous modes[] = {QD_CONTINUOUS_AUTO, QD_CONTINUOUS_ON};
static const double dt = 1.0 / 60;

/// Disks, rects and capsules in turn, none longer than twice `r`.
static qd_shape bullet_of(size_t i, double r) {
    switch (i % 4) {
    case 1: return qd_shape_rect(1.6 * r, .8 * r);
    case 2: return qd_shape_capsule(r, .5 * r);
    case 3: return qd_shape_rect(1.2 * r, 1.2 * r);
    default: return qd_shape_disk(r);
    }
}

// ---- rooms: what is in stays in, and what is out stays out ----

typedef enum walls_of { LINES, RECTS, STAR, PIECES } walls_of;

enum { CORNERS_MAX = 64 };

typedef struct room {
    qd_vec2 corner[CORNERS_MAX];
    size_t corners;
} room;

/// True where a place is inside, by the number of sides to its right.
static bool is_inside(const room *of, double x, double y) {
    bool inside = false;
    for (size_t i = 0, k = of->corners - 1; i < of->corners; k = i++) {
        qd_vec2 a = of->corner[i], b = of->corner[k];
        if ((a.y > y) != (b.y > y) && x < a.x + (b.x - a.x) * ((y - a.y) / (b.y - a.y))) inside = !inside;
    }
    return inside;
}

static void add_line(qd_world *world, const qd_vec2 *points, size_t count, bool closed) {
    qd_body_def edge = qd_body_def_default();
    ck_assert_int_eq(qd_world_add_polyline(world, points, count, closed, &edge, NULL, NULL), QD_OK);
}

/// A room about (15, 15): a square of lines, the same of rects that are .02 thick, a star, or a square whose
/// sides are many lines each.
static room build(qd_world *world, walls_of walls) {
    room made = {{{10, 10}, {20, 10}, {20, 20}, {10, 20}}, 4};
    if (walls == STAR) {
        made.corners = 18;
        for (size_t k = 0; k < made.corners; ++k) {
            double angle = 6.283185307179586 * (double)k / (double)made.corners, r = k % 2 ? 3.5 : 6;
            made.corner[k] = (qd_vec2){15 + r * qd_cos(angle), 15 + r * qd_sin(angle)};
        }
    }
    if (walls == PIECES) {
        made.corners = 0;
        const qd_vec2 way[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}},
                      from[] = {{10, 10}, {20, 10}, {20, 20}, {10, 20}};
        for (int side = 0; side < 4; ++side)
            for (int k = 0; k < 12; ++k) {
                double along = 10 * (double)(k * k) / 144; // of uneven length
                made.corner[made.corners++] = (qd_vec2){from[side].x + along * way[side].x,
                                                        from[side].y + along * way[side].y};
            }
    }
    if (walls != RECTS) {
        add_line(world, made.corner, made.corners, true);
        return made;
    }
    for (int side = 0; side < 4; ++side) {
        qd_body_def wall = qd_body_def_default();
        wall.kind = QD_BODY_STATIC;
        wall.shape = side % 2 ? qd_shape_rect(.02, 10.02) : qd_shape_rect(10.02, .02);
        wall.position = (qd_vec2){side == 1 ? 20 : (side == 3 ? 10 : 15),
                                  side == 0 ? 10 : (side == 2 ? 20 : 15)};
        (void)qd_test_add(world, &wall);
    }
    return made;
}

/// Where the i-th bullet starts: anywhere, but not on the walls. Each fourth flies at a corner.
static void load(qd_random *random, const room *of, size_t i, double speed, qd_body_def *body) {
    qd_vec2 to = of->corner[(size_t)qd_test_between(random, 0, (double)of->corners)];
    for (bool near = true; near;) {
        body->position = (qd_vec2){qd_test_between(random, 5, 25), qd_test_between(random, 5, 25)};
        near = false;
        for (size_t k = 0; k < 60 && !near; ++k) {
            double angle = 6.283185307179586 * (double)k / 60;
            near = is_inside(of, body->position.x, body->position.y) !=
                   is_inside(of, body->position.x + .25 * qd_cos(angle),
                             body->position.y + .25 * qd_sin(angle));
        }
    }
    double angle = i % 4 == 0 ? qd_atan2(to.y - body->position.y, to.x - body->position.x)
                              : qd_test_between(random, 0, 6.3);
    body->velocity = (qd_vec2){speed * qd_cos(angle), speed * qd_sin(angle)};
    body->angle = qd_test_between(random, 0, 3);
    body->spin = qd_test_between(random, -20, 20);
}

typedef struct shots {
    walls_of walls;
    double restitution, lengths; ///< of way in a step, in lengths of a bullet
} shots;

static const shots fired[] = {
    {LINES, 0, 5},  {LINES, .5, 50}, {LINES, 1, 1000}, {RECTS, 0, 5},   {RECTS, .5, 50},  {RECTS, 1, 1000},
    {STAR, 0, 5},   {STAR, .5, 50},  {STAR, 1, 1000},  {PIECES, 0, 5},  {PIECES, .5, 50}, {PIECES, 1, 1000},
    {LINES, .5, 1}, {RECTS, .5, 1},  {STAR, .5, 1},    {PIECES, .5, 1},
};
enum { SHOTS = sizeof fired / sizeof fired[0] };

QD_TEST_LOOP(rooms_are_tight, 0, 2 * SHOTS) {
    const shots *shot = &fired[_i / 2];
    const size_t tried = qd_test_effort(120);
    qd_world_def def = qd_test_def(30, 30);
    def.restitution = shot->restitution;
    def.friction = .3;
    def.continuous = modes[_i % 2];
    qd_own(qd_world) world = qd_test_world(&def);
    room of = build(world, shot->walls);
    qd_random random = qd_random_at(qd_test_seed(1), (uint64_t)_i, 0);
    qd_own_memory bool *inside = qd_test_zeros(tried + 200, sizeof *inside);
    for (size_t i = 0; i < tried; ++i) {
        qd_body_def body = qd_body_def_default();
        body.shape = bullet_of(i, .1);
        body.material.restitution = shot->restitution;
        load(&random, &of, i, shot->lengths * .2 / dt, &body);
        qd_id id = qd_test_add(world, &body);
        ck_assert(id.index < tried + 200);
        inside[id.index] = is_inside(&of, body.position.x, body.position.y);
    }
    size_t through = 0;
    for (size_t k = 0; k < 60; ++k) {
        qd_test_step(world, dt, 1);
        qd_body_view view = qd_world_view(world);
        for (size_t r = 0; r < view.count; ++r) {
            const bool is = is_inside(&of, view.x[r], view.y[r]), was = inside[view.index[r]];
            through += view.kind[r] == QD_BODY_DYNAMIC && is != was;
            inside[view.index[r]] = is;
        }
        ck_assert_msg(through == 0, "%zu of %zu through in step %zu", through, tried, k);
    }
}

// ---- a row in a channel: nobody changes places ----

/// A disk, a square, a brick, a capsule that lies or a hexagon, none of which can turn round in a channel
/// that is .21 high, or pass another one there.
static qd_shape shape_in_channel(int which) {
    qd_shape shape = qd_shape_disk(.1);
    if (which == 1) shape = qd_shape_rect(.208, .208);
    if (which == 2) shape = qd_shape_rect(.3, .208);
    if (which == 3) shape = qd_shape_capsule(.12, .104);
    if (which == 4) {
        const double half = .12 * .8660254037844386;
        const qd_vec2 corner[] = {{.12, 0},  {.06, half},   {-.06, half},
                                  {-.12, 0}, {-.06, -half}, {.06, -half}};
        ck_assert_int_eq(qd_shape_polygon(corner, 6, &shape, NULL, NULL), QD_OK);
    }
    return shape;
}

/// Returns how many neighbours changed places; `periodic`: the row goes on at the other side.
static size_t swaps_in_a_channel(qd_continuous mode, int which, bool periodic, double lengths,
                                 double restitution, uint64_t seed) {
    enum { ROW = 40 };
    qd_world_def def = qd_test_def(40, .21);
    def.boundary_x = periodic ? QD_BOUNDARY_PERIODIC : QD_BOUNDARY_REFLECT;
    def.restitution = restitution;
    def.continuous = mode;
    qd_world *world = qd_test_world(&def);
    qd_random random = qd_random_at(seed, 0, 0);
    uint32_t index[ROW];
    double last[ROW], gone[ROW];
    for (int i = 0; i < ROW; ++i) {
        double speed = lengths * .2 / dt * (i % 2 ? -1 : 1) * qd_test_between(&random, .5, 1);
        qd_body_def body = qd_test_body_at(shape_in_channel(which), .5 + i, .105);
        body.velocity = (qd_vec2){speed, qd_test_between(&random, -1, 1)};
        index[i] = qd_test_add(world, &body).index;
        last[i] = gone[i] = .5 + i;
    }
    size_t swaps = 0;
    for (int k = 0; k < 100; ++k) {
        qd_test_step(world, dt, 1);
        qd_body_view view = qd_world_view(world);
        for (size_t r = 0; r < view.count; ++r)
            for (int i = 0; i < ROW; ++i) {
                if (view.index[r] != index[i]) continue;
                double way = view.x[r] - last[i];
                if (periodic) way -= 40 * floor(way / 40 + .5);
                gone[i] += way;
                last[i] = view.x[r];
            }
        for (int i = 0; i + 1 < ROW; ++i) swaps += gone[i] > gone[i + 1];
        if (periodic) swaps += gone[ROW - 1] > gone[0] + 40;
    }
    qd_world_destroy(world);
    return swaps;
}

QD_TEST_LOOP(a_row_keeps_its_order, 0, 6) {
    const double restitution = .5 * (_i / 2);
    const qd_continuous mode = modes[_i % 2];
    ck_assert_uint_eq(swaps_in_a_channel(mode, 0, false, 2, restitution, 3), 0);
    ck_assert_uint_eq(swaps_in_a_channel(mode, 0, false, 20, restitution, 3), 0);
    ck_assert_uint_eq(swaps_in_a_channel(mode, 0, true, 2, restitution, 3), 0);
    if (restitution == 1) ck_assert_uint_eq(swaps_in_a_channel(mode, 0, false, 1000, 1, 3), 0);
}

/// Of how many rows of a shape some have changed places; `rows` gets how many were tried.
static size_t mixed_rows(int which, double lengths, size_t seeds, size_t *rows) {
    const double restitution[] = {0, .2, .5, .8, 1};
    size_t mixed = 0;
    for (size_t e = 0; e < sizeof restitution / sizeof *restitution; ++e)
        for (uint64_t seed = 0; seed < seeds; ++seed, ++*rows)
            mixed += swaps_in_a_channel(QD_CONTINUOUS_AUTO, which, false, lengths, restitution[e], seed) > 0;
    return mixed;
}

static const double row_lengths[] = {1, 2, 3, 5, 8, 13, 20};
enum { ROW_LENGTHS = sizeof row_lengths / sizeof row_lengths[0] };

// Whoever is stopped behind somebody who goes on must come to touch him all the same, and overlaps must go.
// Disks that walls stopped in each step, one later than the other, came through each other little by little.
QD_TEST_LOOP(any_row_keeps_its_order, 0, ROW_LENGTHS) {
    size_t rows = 0;
    ck_assert_uint_eq(mixed_rows(0, row_lengths[_i], qd_test_effort(8), &rows), 0);
}

// Squares and the like that touched aslant came past each other, one row of ten: now it is one of fifty or
// less, and two more by chance where few are tried.
QD_TEST_LOOP(nearly_any_row_of_shapes_keeps_its_order, 0, 4) {
    size_t mixed = 0, rows = 0;
    for (int k = 0; k < ROW_LENGTHS; ++k)
        mixed += mixed_rows(1 + _i, row_lengths[k], qd_test_effort(6), &rows);
    ck_assert_msg(25 * mixed <= rows + 50, "%zu of %zu rows", mixed, rows);
}

// ---- halves of a periodic world ----

QD_TEST_LOOP(seams_are_tight, 0, 10) {
    enum { TRIED = 200 };
    qd_world_def def = qd_test_def(20, 20);
    def.boundary_x = QD_BOUNDARY_PERIODIC;
    def.restitution = .25 * (_i / 2);
    def.friction = .3;
    def.continuous = modes[_i % 2];
    qd_own(qd_world) world = qd_test_world(&def);
    for (int k = 0; k < 2; ++k) { // one lies on the seam
        const qd_vec2 line[] = {{10 * k, -1}, {10 * k, 3}, {10 * k, 11}, {10 * k, 21}};
        add_line(world, line, 4, false);
    }
    qd_random random = qd_random_at(5, 0, 0);
    for (size_t i = 0; i < TRIED; ++i) {
        qd_body_def body = qd_body_def_default();
        body.shape = bullet_of(i, .1);
        body.position = (qd_vec2){qd_test_between(&random, .3, 9.7) + 10 * (double)(i % 2),
                                  qd_test_between(&random, .3, 19.7)};
        double angle = qd_test_between(&random, 0, 6.3), speed = qd_test_between(&random, .1, 4) / dt;
        body.velocity = (qd_vec2){speed * qd_cos(angle), speed * qd_sin(angle)};
        body.label = i % 2;
        (void)qd_test_add(world, &body);
    }
    size_t through = 0;
    for (size_t k = 0; k < 100; ++k) {
        qd_test_step(world, dt, 1);
        qd_body_view view = qd_world_view(world);
        for (size_t r = 0; r < view.count; ++r)
            through += view.kind[r] == QD_BODY_DYNAMIC && (view.x[r] >= 10) != (view.label[r] == 1);
        ck_assert_msg(through == 0, "%zu of %d through in step %zu", through, TRIED, k);
    }
}

// ---- a blade that is swung through small disks ----

/// How many disks are on the other side of the blade without having gone round, or lie in it. The blade is
/// `length` long, from `off` a pivot at (10, 10) on, and walls are so far away that nothing comes back from
/// them round its end in a step.
static size_t cut_by_a_blade(qd_continuous mode, double turn, double off, size_t disks, size_t steps) {
    const double length = 5, thick = .1;
    qd_world_def def = qd_world_def_default();
    def.origin = (qd_vec2){-20, -20};
    def.size = (qd_vec2){60, 60};
    def.restitution = .2;
    def.friction = .3;
    def.continuous = mode;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def blade = qd_body_def_default();
    blade.kind = QD_BODY_KINEMATIC;
    blade.shape = qd_shape_rect(length, thick);
    blade.position = (qd_vec2){10 + .5 * length + off, 10};
    blade.pivot = (qd_vec2){10, 10};
    blade.spin = turn / dt;
    qd_id id = qd_test_add(world, &blade);
    qd_random random = qd_random_at(9, 0, 0);
    for (size_t i = 0; i < disks; ++i) {
        double angle = qd_test_between(&random, .4, 6), r = off + qd_test_between(&random, .5, length);
        qd_test_disk(world, 10 + r * qd_cos(angle), 10 + r * qd_sin(angle), 0, 0, .05, 0);
    }
    qd_own_memory double *before = qd_test_zeros(disks + 1, sizeof *before),
                         *reached = qd_test_zeros(disks + 1, sizeof *reached);
    size_t through = 0;
    for (size_t k = 0; k <= steps; ++k) {
        if (k > 0) qd_test_step(world, dt, 1);
        qd_vec2 hub = qd_test_body(world, id).position;
        double at = qd_atan2(hub.y - 10, hub.x - 10);
        qd_body_view view = qd_world_view(world);
        for (size_t r = 0; r < view.count; ++r) {
            if (view.kind[r] != QD_BODY_DYNAMIC) continue;
            double x = view.x[r] - 10, y = view.y[r] - 10;
            double u = x * qd_cos(at) + y * qd_sin(at), v = y * qd_cos(at) - x * qd_sin(at);
            double angle = qd_atan2(v, u), *was = &before[view.index[r]], *far = &reached[view.index[r]];
            double here = sqrt(x * x + y * y), least = off + .3, most = off + length - .3;
            bool beside = u > least && here<most, stayed = *far> least && *far < most; // not past an end
            bool crossed = k > 0 && stayed && (angle > 0) != (*was > 0) && fabs(angle) + fabs(*was) < 2;
            through += beside && (crossed || fabs(v) < .5 * thick);
            *was = angle;
            *far = here;
        }
    }
    return through;
}

QD_TEST_LOOP(a_blade_sweeps, 0, 42) {
    const double turn[] = {.02, .05, .1, .3, .6, 1.2, 2}, off[] = {0, 2, 4};
    ck_assert_uint_eq(cut_by_a_blade(modes[_i % 2], turn[_i / 2 % 7], off[_i / 14], 100, 150), 0);
}

/// A disk that goes round a pivot, nearly once or more in a step, comes by whatever is on its way.
QD_TEST_LOOP(an_orb_goes_round, 0, 12) {
    const double turn[] = {2, 5, 6.1575, 6.28, 6.4, 12.4};
    qd_world_def def = qd_test_def(20, 20);
    def.continuous = modes[_i % 2];
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def orb = qd_body_def_default();
    orb.kind = QD_BODY_KINEMATIC;
    orb.shape = qd_shape_disk(1);
    orb.position = (qd_vec2){13, 10};
    orb.pivot = (qd_vec2){10, 10};
    orb.spin = turn[_i / 2] / dt;
    (void)qd_test_add(world, &orb);
    const qd_id other = qd_test_disk(world, 7, 10, 0, 0, .3, 0);
    qd_test_step(world, dt, 3);
    const qd_vec2 at = qd_test_body(world, other).position;
    ck_assert_msg(at.x != 7 || at.y != 10, "turn %g: nothing was touched", turn[_i / 2]);
}

// ---- all at one target ----

QD_TEST_LOOP(many_at_one_target, 0, 6) {
    enum { TRIED = 120 };
    qd_world_def def = qd_test_def(20, 20);
    def.restitution = .5 * (_i / 2 % 3);
    def.continuous = modes[_i % 2];
    qd_own(qd_world) world = qd_test_world(&def);
    room target = {{{9.6, 9.6}, {10.4, 9.6}, {10.4, 10.4}, {9.6, 10.4}}, 4};
    add_line(world, target.corner, 4, true);
    for (size_t i = 0; i < TRIED; ++i) {
        double angle = 6.283185307179586 * (double)i / TRIED, r = 4 + (double)(i % 3), speed = 8 / dt;
        qd_body_def body = qd_test_body_at(bullet_of(i, .08), 10 + r * qd_cos(angle), 10 + r * qd_sin(angle));
        body.velocity = (qd_vec2){-speed * qd_cos(angle), -speed * qd_sin(angle)};
        (void)qd_test_add(world, &body);
    }
    for (size_t k = 0; k < 60; ++k) {
        qd_test_step(world, dt, 1);
        qd_body_view view = qd_world_view(world);
        for (size_t r = 0; r < view.count; ++r)
            ck_assert_msg(view.kind[r] != QD_BODY_DYNAMIC || !is_inside(&target, view.x[r], view.y[r]),
                          "body %u inside in step %zu", view.index[r], k);
    }
}

// ---- small ones that a large one drives ----

// They leave it behind, many of their sizes in a step, and must not pass another large one.
QD_TEST_LOOP(what_is_driven_stops_at_large_ones, 0, 12) {
    enum { TRIED = 9 };
    qd_random random = qd_random_at(qd_test_seed(5), (uint64_t)_i, 0);
    qd_world_def def = qd_test_def(40, 30);
    def.restitution = .5 * (_i % 3);
    qd_own(qd_world) world = qd_test_world(&def);
    (void)qd_test_disk(world, 10, 15, .3 / dt, 0, 1, 0);
    const double far = qd_test_between(&random, 3, 6), speed = qd_test_between(&random, 3, 8) / dt;
    const qd_id target = qd_test_disk(world, 10 + far, 15, 0, 0, 1.5, 0);
    for (size_t i = 0; i < TRIED; ++i) {
        const double angle = .2 * ((double)i - .5 * (TRIED - 1)),
                     r = 1.1 + qd_test_between(&random, -.001, .004);
        (void)qd_test_disk(world, 10 + r * qd_cos(angle), 15 + r * qd_sin(angle), speed, 0, .1, 0);
    }
    for (size_t k = 0; k < 4; ++k) {
        qd_test_step(world, dt, 1);
        const qd_body_view view = qd_world_view(world);
        const uint32_t row = qd_body_view_row(&view, target);
        for (size_t r = 0; r < view.count; ++r) {
            const bool behind = view.x[r] > view.x[row] && fabs(view.y[r] - view.y[row]) < 1.3;
            ck_assert_msg(view.radius[r] > .2 || !behind, "body %u behind in step %zu", view.index[r], k);
        }
    }
}

// ---- pressed against a thin floor ----

QD_TEST_LOOP(a_thin_floor_holds_a_press, 0, 12) {
    enum { TRIED = 190 };
    const double density[] = {1, 100, 1e5};
    const bool line = _i / 2 % 2;
    qd_world_def def = qd_test_def(4, 10);
    def.gravity.y = -10;
    def.restitution = 0;
    def.friction = .3;
    def.continuous = modes[_i % 2];
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def floor_of = qd_body_def_default();
    const qd_vec2 points[] = {{-1, 2}, {.7, 2}, {1.3, 2}, {3.1, 2}, {5, 2}};
    floor_of.kind = QD_BODY_STATIC;
    floor_of.shape = qd_shape_rect(6, .02);
    floor_of.position = (qd_vec2){2, 2};
    if (line)
        add_line(world, points, 5, false);
    else
        (void)qd_test_add(world, &floor_of);
    for (int i = 0; i < TRIED; ++i)
        qd_test_disk(world, .1 + .1 * (i % 38) + .01 * (double)(i / 38 % 2), 2.07 + .1 * (double)(i / 38), 0,
                     0, .05, 0);
    qd_body_def press = qd_body_def_default();
    press.shape = qd_shape_rect(3.9, 1);
    press.density = density[_i / 4];
    press.position = (qd_vec2){2, 4};
    press.velocity.y = -5;
    (void)qd_test_add(world, &press);
    size_t through = 0;
    qd_test_step(world, dt, 400);
    qd_body_view view = qd_world_view(world);
    for (size_t r = 0; r < view.count; ++r) through += view.kind[r] == QD_BODY_DYNAMIC && view.y[r] < 2;
    ck_assert_msg(through == 0, "%zu of %d through", through, TRIED);
}

/// Who is below a line at a height of 10, on which three lie, when a kinematic rect has been pressed through
/// them and the line; each step it moves by a sixth of their size or more.
static size_t pressed_through(uint64_t seed, qd_continuous mode) {
    enum { TRIED = 3 };
    const double r = .3;
    qd_random random = qd_random_at(seed, 0, 0);
    qd_world_def def = qd_test_def(30, 30);
    def.gravity.y = -10;
    def.friction = qd_test_between(&random, 0, .6);
    def.continuous = mode;
    qd_own(qd_world) world = qd_test_world(&def);
    const qd_vec2 line[] = {{-1, 10}, {31, 10}};
    add_line(world, line, 2, false);
    for (int i = 0; i < TRIED; ++i) {
        qd_body_def body = qd_test_body_at(bullet_of(seed + (uint64_t)i, r), 14.3 + .7 * i, 10.02 + r);
        body.angle = qd_test_between(&random, 0, 6);
        (void)qd_test_add(world, &body);
    }
    const double side = qd_test_between(&random, .6, 3), way = r * qd_test_power(&random, -.8, .5),
                 aslant = qd_test_between(&random, -.5, .5);
    qd_body_def press = qd_test_body_at(qd_shape_rect(side, qd_test_between(&random, .6, 3)), 15, 13);
    press.kind = QD_BODY_KINEMATIC;
    press.position.x -= 3 * aslant;
    press.angle = qd_test_between(&random, 0, 6);
    press.velocity = (qd_vec2){way * aslant / dt, -way / dt};
    press.spin = qd_test_chance(&random, .3) ? qd_test_between(&random, -1, 1) : 0;
    (void)qd_test_add(world, &press);
    qd_test_step(world, dt, (size_t)(8 / way));
    const qd_body_view view = qd_world_view(world);
    size_t through = 0;
    for (size_t i = 0; i < view.count; ++i) through += view.kind[i] == QD_BODY_DYNAMIC && view.y[i] < 10;
    return through;
}

// Whoever has no room between what is driven and what stands is passed by what is driven.
QD_TEST_LOOP(what_is_pressed_on_a_line_stays_on_its_side, 0, (int)qd_test_effort(60)) {
    const uint64_t seed = qd_test_seed(7) + (uint64_t)_i;
    ck_assert_uint_eq(pressed_through(seed, modes[_i % 2]), 0);
}

// And is taken along through what it does not touch, or only senses.
QD_TEST_LOOP(what_has_room_is_taken_along, 0, 2) {
    const qd_world_def def = qd_test_def(30, 30);
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def body = qd_body_def_default();
    body.sensor = _i == 0;
    body.filter.group = _i == 0 ? 0 : -1;
    const qd_vec2 line[] = {{-1, 10}, {31, 10}};
    ck_assert_int_eq(qd_world_add_polyline(world, line, 2, false, &body, NULL, NULL), QD_OK);
    body = qd_test_body_at(qd_shape_disk(.3), 15, 10.1);
    body.filter.group = _i == 0 ? 0 : -1;
    const qd_id disk = qd_test_add(world, &body);
    body = qd_test_body_at(qd_shape_rect(1, 1), 15, 11);
    body.kind = QD_BODY_KINEMATIC;
    body.velocity.y = -.4 / dt;
    const qd_id press = qd_test_add(world, &body);
    qd_test_step(world, dt, 20);
    ck_assert_double_lt(qd_test_body(world, disk).position.y, qd_test_body(world, press).position.y);
    ck_assert_uint_eq(qd_world_total(world).unfollowed, 0);
}

// ---- what is too much to follow is stopped, and counted ----

QD_TEST(what_is_too_much_is_stopped_and_counted) {
    qd_world_def def = qd_test_def(2000, 10);
    def.continuous = QD_CONTINUOUS_ON;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id small = qd_test_disk(world, 5, 5, 0, 0, .5, 1);
    qd_id large = qd_test_disk(world, 10, 5, -1, 0, .5, 1e6); // 3,141 impacts within a few seconds
    const double start = qd_world_sum(world).kinetic;
    for (int k = 0; k < 400; ++k) {
        qd_test_step(world, .5, 1);
        ck_assert_double_le(qd_world_sum(world).kinetic, start * (1 + 1e-9));
        ck_assert_double_lt(qd_test_body(world, small).position.x, qd_test_body(world, large).position.x);
        ck_assert_double_gt(qd_test_body(world, small).position.x, 0);
    }
    ck_assert_uint_gt(qd_world_total(world).unfollowed, 0);
}

// In a periodic world nobody can tell which image a path longer than half a period meets.
QD_TEST_LOOP(what_goes_too_far_is_counted, 0, 3) {
    const qd_continuous mode[] = {QD_CONTINUOUS_OFF, QD_CONTINUOUS_AUTO, QD_CONTINUOUS_ON};
    const size_t counted[] = {0, 2, 2}; // in the first two steps
    qd_world_def def = qd_test_def(20, 20);
    def.boundary_x = def.boundary_y = QD_BOUNDARY_PERIODIC;
    def.continuous = mode[_i];
    qd_own(qd_world) world = qd_test_world(&def);
    const qd_id fast = qd_test_disk(world, 5, 5, 12, 0, .5, 1);
    qd_test_disk(world, 5, 15, 3, 0, .5, 1);
    qd_test_step(world, 1, 2);
    ck_assert_uint_eq(qd_world_total(world).unfollowed, counted[_i]);
    ck_assert_double_eq_tol(qd_test_body(world, fast).position.x, 9, 1e-12);
    qd_test_step(world, .5, 2); // half as far
    ck_assert_uint_eq(qd_world_total(world).unfollowed, counted[_i]);
}

QD_TEST_MAIN("passage", 300, NULL, NULL)
