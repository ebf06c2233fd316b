// What is in a closed container stays in, whatever the container is made of and does: it stands, moves
// evenly, shakes, turns about a pivot in it or beside it, or presses; with bodies of any shapes, sizes,
// masses and speeds in it, in any world (tests/support/wild.h). Positions tell, in the container's own frame.
// Where it stands, nothing gains energy; nothing stops being a number; and no step is more work than its
// bodies account for.
//
// With `continuous: off` nothing is said about passages.
#include "sim/rigid/ccd.h"
#include "sim/world/world_impl.h"
#include "tests/support/wild.h"

#include <math.h>
#include <quadrille/math.h>

enum { CORNERS_MAX = 32, BODIES_MAX = 80, STEPS = 60, MOST_WORK = 1000 };
static const double pi = 3.14159265358979324;

typedef enum motion { STANDS, MOVES, SHAKES, TURNS, PRESSES, MOTIONS } motion;

typedef struct container {
    motion does;
    double size, thick; ///< 0: a polyline
    size_t corners;
    qd_vec2 corner[CORNERS_MAX]; ///< the middles of its walls, about its own centre
    qd_id wall[CORNERS_MAX];     ///< of the PRESSES kind number 1 is the piston
    qd_vec2 first;               ///< where wall 0 is, as seen from there
    qd_vec2 velocity, centre;
    double turn; ///< of wall 0 at the start
    double room; ///< of a press: how far its piston may come
    int every;   ///< steps until it moves otherwise
} container;

typedef struct scene {
    qd_world *world;
    qd_test_wild of;
    qd_random random;
    container box;
    double area; ///< of squares around the bodies
    size_t bodies;
} scene;

// ---- the container ----

/// Distance of a place from an edge.
static double edge_distance(qd_vec2 a, qd_vec2 b, qd_vec2 at) {
    const qd_vec2 way = {b.x - a.x, b.y - a.y}, to = {at.x - a.x, at.y - a.y};
    double part = (way.x * to.x + way.y * to.y) / (way.x * way.x + way.y * way.y);
    part = part < 0 ? 0 : part > 1 ? 1 : part;
    const double x = to.x - part * way.x, y = to.y - part * way.y;
    return sqrt(x * x + y * y);
}

/// How far inside of the middle of its walls a place in a container's frame is; below 0: outside.
static double depth_in(const container *box, qd_vec2 at) {
    double least = HUGE_VAL;
    bool inside = false;
    for (size_t i = 0, k = box->corners - 1; i < box->corners; k = i++) {
        const qd_vec2 a = box->corner[i], b = box->corner[k];
        const double d = edge_distance(a, b, at);
        if (d < least) least = d;
        if ((a.y > at.y) != (b.y > at.y) && at.x < a.x + (b.x - a.x) * ((at.y - a.y) / (b.y - a.y)))
            inside = !inside;
    }
    return inside ? least : -least;
}

/// Corners of a convex polygon, a star, or a polygon whose edges are many lines each.
static void draw_corners(qd_random *random, container *box) {
    const bool star = box->thick == 0 && box->does == STANDS && qd_test_chance(random, .3);
    const size_t count = 3 + (size_t)qd_test_between(random, 0, 8), total = star ? 2 * count : count;
    const double start = qd_test_between(random, 0, 6);
    for (size_t k = 0; k < total; ++k) {
        const double angle = start + 2 * pi * (double)k / (double)total,
                     r = box->size * (star && k % 2 ? .6 : 1);
        box->corner[k] = (qd_vec2){r * qd_cos(angle), r * qd_sin(angle)};
    }
    box->corners = total;
    if (box->thick > 0 || star || !qd_test_chance(random, .4)) return;
    for (size_t k = total; k-- > 0;) { // in three unequal parts each
        const qd_vec2 a = box->corner[k], b = box->corner[(k + 1) % total];
        const double parts[] = {0, .2, .7};
        for (size_t i = 3; i-- > 0;)
            box->corner[3 * k + i] = (qd_vec2){a.x + parts[i] * (b.x - a.x), a.y + parts[i] * (b.y - a.y)};
    }
    box->corners = 3 * total;
}

/// Adds a container's walls.
static void build(scene *s, qd_body_def *like) {
    container *box = &s->box;
    qd_vec2 corner[CORNERS_MAX];
    for (size_t k = 0; k < box->corners; ++k)
        corner[k] = (qd_vec2){box->centre.x + box->corner[k].x, box->centre.y + box->corner[k].y};
    if (box->thick == 0) {
        ck_assert_int_eq(qd_world_add_polyline(s->world, corner, box->corners, true, like, box->wall, NULL),
                         QD_OK);
    } else {
        for (size_t k = 0; k < box->corners; ++k) {
            const qd_vec2 a = corner[k], b = corner[(k + 1) % box->corners], way = {b.x - a.x, b.y - a.y};
            like->shape = qd_shape_rect(sqrt(way.x * way.x + way.y * way.y) + box->thick, box->thick);
            like->position = (qd_vec2){.5 * (a.x + b.x), .5 * (a.y + b.y)};
            like->angle = qd_atan2(way.y, way.x);
            box->wall[k] = qd_test_add(s->world, like);
        }
    }
    const qd_body_state first = qd_test_body(s->world, box->wall[0]);
    box->first = (qd_vec2){.5 * (box->corner[0].x + box->corner[1].x),
                           .5 * (box->corner[0].y + box->corner[1].y)};
    box->turn = qd_atan2(first.turn.y, first.turn.x);
}

/// Draws a container and how it moves, in a step by up to its size or two radians.
static void draw_container(scene *s, qd_world_def *def) {
    container *box = &s->box;
    qd_random *random = &s->random;
    const double scale = s->of.scale;
    box->does = (motion)qd_test_between(random, 0, MOTIONS);
    box->size = scale * qd_test_between(random, 1.5, 2.4);
    box->thick = box->does == PRESSES || qd_test_chance(random, .6)
                     ? box->size * qd_test_power(random, -2.5, -.7)
                     : 0;
    if (box->does == PRESSES) {
        const double r = .8 * box->size;
        const qd_vec2 corner[] = {{-r, -r}, {r, -r}, {r, r}, {-r, r}};
        box->corners = 4;
        for (int k = 0; k < 4; ++k) box->corner[k] = corner[k];
    } else {
        draw_corners(random, box);
    }
    if (box->does != STANDS) {
        def->boundary_y = QD_BOUNDARY_OPEN;
        if (def->boundary_x == QD_BOUNDARY_REFLECT) def->boundary_x = QD_BOUNDARY_OPEN;
    }
    const double most = 3 * scale;
    box->centre = (qd_vec2){6 * scale, 6 * scale};
    box->centre.x = def->boundary_x == QD_BOUNDARY_PERIODIC
                        ? qd_test_between(random, 0, 12) * scale
                        : qd_test_between(random, most, 12 * scale - most);
    s->world = qd_test_world(def);
    qd_body_def like = qd_body_def_default();
    like.kind = box->does == STANDS && qd_test_chance(random, .7) ? QD_BODY_STATIC : QD_BODY_KINEMATIC;
    const double speed = qd_test_power(random, -4, 0) * box->size / s->of.dt,
                 angle = qd_test_between(random, 0, 6.3);
    box->velocity = (qd_vec2){speed * qd_cos(angle), speed * qd_sin(angle)};
    box->every = 1 + (int)qd_test_between(random, 0, 12);
    if (box->does == MOVES || box->does == SHAKES) like.velocity = box->velocity;
    if (box->does == TURNS) {
        const double off = qd_test_chance(random, .5) ? 0 : qd_test_between(random, 0, 1.5) * box->size;
        like.pivot = (qd_vec2){box->centre.x + off * qd_cos(angle), box->centre.y + off * qd_sin(angle)};
        like.spin = (qd_test_chance(random, .5) ? 1 : -1) * qd_test_power(random, -4, .3) / s->of.dt;
    } else {
        like.pivot = box->centre; // of what stands
        if (box->does != STANDS || like.kind == QD_BODY_STATIC) like.pivot = qd_body_def_default().pivot;
    }
    build(s, &like);
}

/// The middle of a wall seen from wall 0.
static qd_vec2 seen_from_first(const scene *s, const qd_body_state *first, double x, double y) {
    qd_vec2 d = {x - first->position.x, y - first->position.y};
    const qd_world_def def = qd_world_definition(s->world);
    if (def.boundary_x == QD_BOUNDARY_PERIODIC) d.x -= def.size.x * floor(d.x / def.size.x + .5);
    const double angle = qd_atan2(first->turn.y, first->turn.x) - s->box.turn, c = qd_cos(angle),
                 n = qd_sin(angle);
    return (qd_vec2){s->box.first.x + c * d.x + n * d.y, s->box.first.y - n * d.x + c * d.y};
}

/// Sets the velocity of a wall, if it is still there.
static void set_velocity(qd_world *world, qd_id id, qd_vec2 velocity) {
    qd_body_state wall;
    if (qd_world_body(world, id, &wall) == QD_OK)
        ck_assert_int_eq(qd_world_place(world, id, wall.position, velocity, NULL), QD_OK);
}

/// Moves the container otherwise where it is time for that, before step `k`.
static void drive(scene *s, int k) {
    container *box = &s->box;
    if (box->does == SHAKES && k % box->every == 0) {
        const double speed = sqrt(box->velocity.x * box->velocity.x + box->velocity.y * box->velocity.y),
                     angle = qd_test_between(&s->random, 0, 6.3);
        const qd_vec2 velocity = {speed * qd_cos(angle), speed * qd_sin(angle)};
        for (size_t i = 0; i < box->corners; ++i) set_velocity(s->world, box->wall[i], velocity);
    }
    if (box->does != PRESSES) return;
    const qd_body_state first = qd_test_body(s->world, box->wall[0]),
                        piston = qd_test_body(s->world, box->wall[1]);
    const double at = seen_from_first(s, &first, piston.position.x, piston.position.y).x;
    const double way = sqrt(box->velocity.x * box->velocity.x + box->velocity.y * box->velocity.y) * s->of.dt;
    double to = at + (k / 20 % 2 == 0 ? -way : way);
    const double most = .8 * box->size;
    to = to < box->room ? box->room : to > most ? most : to;
    set_velocity(s->world, box->wall[1], (qd_vec2){(to - at) / s->of.dt, 0});
}

// ---- what is in it ----

/// A place in the container that is free, or may be taken where bodies may overlap.
static bool find_place(scene *s, double r, qd_vec2 *place) {
    for (int attempt = 0; attempt < 60; ++attempt) {
        const double size = s->box.size;
        const qd_vec2 at = {qd_test_between(&s->random, -size, size),
                            qd_test_between(&s->random, -size, size)};
        if (depth_in(&s->box, at) < 1.01 * r + .5 * s->box.thick) continue;
        *place = (qd_vec2){s->box.centre.x + at.x, s->box.centre.y + at.y};
        if (s->of.overlapping && qd_test_chance(&s->random, .5)) return true;
        const qd_body_view view = qd_world_view(s->world);
        bool is_free = true;
        for (size_t i = 0; i < view.count && is_free; ++i) {
            const double x = view.x[i] - place->x, y = view.y[i] - place->y, sum = view.radius[i] + r;
            is_free = view.kind[i] != QD_BODY_DYNAMIC || x * x + y * y > sum * sum;
        }
        if (is_free) return true;
    }
    return false;
}

static void fill(scene *s) {
    qd_random *random = &s->random;
    const double largest = s->box.size * qd_test_between(random, .03, .12),
                 ratio = qd_test_between(random, 0, 3), fill = qd_test_between(random, .05, .3);
    const bool periodic = qd_world_definition(s->world).boundary_x == QD_BOUNDARY_PERIODIC;
    const size_t most = (size_t)qd_test_between(random, 1, BODIES_MAX);
    for (size_t i = 0; i < BODIES_MAX && s->bodies < most && s->area < fill * 2 * s->box.size * s->box.size;
         ++i) {
        const double r = largest * qd_pow(10, -ratio * qd_random_uniform(random));
        qd_body_def body = qd_body_def_default();
        body.shape = qd_test_wild_shape(random, r);
        body.density = qd_test_chance(random, .3) ? qd_test_power(random, -3, 3) : 1;
        body.angle = qd_test_between(random, 0, 6);
        double speed = qd_test_chance(random, .5) ? 0 : qd_test_power(random, -1, 3) * 2 * r / s->of.dt;
        const double angle = qd_test_between(random, 0, 6.3), limit = 3 * s->of.scale / s->of.dt;
        if (periodic && speed > limit) speed = limit;
        body.velocity = (qd_vec2){speed * qd_cos(angle), speed * qd_sin(angle)};
        body.spin = qd_test_chance(random, .5) ? 0 : qd_test_between(random, -3, 3) / s->of.dt;
        if (!find_place(s, 1.6 * r, &body.position)) continue;
        (void)qd_test_add(s->world, &body);
        s->area += 4 * 1.6 * 1.6 * r * r;
        ++s->bodies;
    }
    s->box.room = -.8 * s->box.size + s->area / (1.6 * s->box.size) * 3 + 8 * largest;
    if (s->box.room > .8 * s->box.size) s->box.room = .8 * s->box.size;
}

static scene make(uint64_t seed) {
    scene s = {.random = qd_random_at(seed, 0, 0)};
    qd_world_def def = qd_test_wild_def(&s.random, -3.3, -1, &s.of);
    draw_container(&s, &def);
    fill(&s);
    return s;
}

// ---- what becomes of them ----

typedef struct found {
    size_t bodies, through, lost; ///< lost: too fast for a periodic world
    double gain, work;            ///< work: of a step, per body, at most
    bool finite, drives, claims;
} found;

/// Notes who is too fast for a periodic world: what contains its path, turned as it may be, and what is in
/// reach of it, must not be longer than half a period. Where a wall is, nothing is said about anybody.
static void note_lost(const scene *s, bool *lost) {
    const qd_body_view view = qd_world_view(s->world);
    const qd_world_def def = qd_world_definition(s->world);
    for (size_t i = 0; i < view.count; ++i) {
        const double way = sqrt(view.vx[i] * view.vx[i] + view.vy[i] * view.vy[i]) * s->of.dt;
        const double turn = view.kind[i] == QD_BODY_DYNAMIC ? fabs(view.spin[i]) * s->of.dt : 0,
                     arc = turn < 2 ? .25 * turn * turn : 4;
        const bool far = way > 0 && way + (2.2 + arc) * view.radius[i] > .499 * def.size.x;
        if (def.boundary_x != QD_BOUNDARY_PERIODIC || !far) continue;
        lost[view.index[i]] = true;
        for (size_t k = 0; k < BODIES_MAX + CORNERS_MAX && view.kind[i] != QD_BODY_DYNAMIC; ++k)
            lost[k] = true;
    }
}

/// How many bodies are outside now; `finite`: places and velocities are numbers.
static size_t outside(const scene *s, const bool *lost, bool *finite) {
    const qd_body_view view = qd_world_view(s->world);
    const qd_body_state first = qd_test_body(s->world, s->box.wall[0]);
    container box = s->box;
    if (box.does == PRESSES) {
        const qd_body_state piston = qd_test_body(s->world, box.wall[1]);
        box.corner[1].x = box.corner[2].x =
            seen_from_first(s, &first, piston.position.x, piston.position.y).x;
    }
    size_t out = 0;
    for (size_t i = 0; i < view.count; ++i) {
        if (view.kind[i] != QD_BODY_DYNAMIC) continue;
        *finite = *finite && isfinite(view.x[i]) && isfinite(view.y[i]) && isfinite(view.vx[i]) &&
                  isfinite(view.vy[i]);
        out += !lost[view.index[i]] && depth_in(&box, seen_from_first(s, &first, view.x[i], view.y[i])) < 0;
    }
    return out;
}

/// What a step took per body: contacts, comparisons of boxes, and pairs and pieces of paths of fast bodies.
static double work_of(const scene *s, const qd_metrics *m) {
    const qdi_ccd *ccd = s->world->scratch.ccd;
    size_t contacts;
    (void)qd_world_contacts(s->world, &contacts);
    const double followed = ccd ? (double)(ccd->edge_count + ccd->segment_count) : 0;
    return ((double)(contacts + m->tree_tests) + followed) / (double)m->bodies;
}

/// Steps a scene. `hole`: a wall is taken away halfway.
static found watch(uint64_t seed, bool hole) {
    scene s = make(seed);
    found f = {.bodies = s.bodies, .finite = true, .drives = s.box.does != STANDS};
    f.claims = qd_world_definition(s.world).continuous != QD_CONTINUOUS_OFF;
    bool lost[BODIES_MAX + CORNERS_MAX] = {false};
    qd_test_gauge gauge;
    qd_metrics m;
    qd_test_gauge_begin(&gauge, s.world, s.of.overlapping);
    note_lost(&s, lost);
    for (int k = 0; k < STEPS; ++k) {
        if (hole && k == STEPS / 2) ck_assert_int_eq(qd_world_remove(s.world, s.box.wall[2]), QD_OK);
        drive(&s, k);
        qd_test_step(s.world, s.of.dt, 1);
        qd_test_gauge_step(&gauge, s.world, &m);
        note_lost(&s, lost);
        const size_t out = outside(&s, lost, &f.finite);
        if (out > f.through) f.through = out;
        const double work = work_of(&s, &m);
        if (work > f.work) f.work = work;
    }
    if (!f.drives) f.gain = qd_test_gauge_gain(&gauge);
    for (size_t i = s.box.corners; i < s.box.corners + s.bodies; ++i) f.lost += lost[i]; // after the walls
    qd_world_destroy(s.world);
    return f;
}

/// Ends the test where a scene is not as it should be.
static found check(uint64_t seed) {
    const found f = watch(seed, false);
    const unsigned long long name = seed;
    ck_assert_msg(!f.claims || f.through == 0, "%zu of %zu through, seed %llu", f.through, f.bodies, name);
    ck_assert_msg(f.gain <= .01, "a gain of %g, seed %llu", f.gain, name);
    ck_assert_msg(f.finite, "something is no number, seed %llu", name);
    ck_assert_msg(f.work <= MOST_WORK, "%g looks per body in a step, seed %llu", f.work, name);
    return f;
}

QD_TEST(what_is_in_stays_in) {
    const uint64_t seed = qd_test_seed(1), cases = qd_test_replaying() ? 1 : qd_test_effort(150);
    size_t bodies = 0, claims = 0, stands = 0, lost = 0;
    double gain = 0, work = 0;
    for (uint64_t k = seed; k < seed + cases; ++k) {
        const found f = check(k);
        claims += f.claims;
        bodies += f.claims ? f.bodies - f.lost : 0;
        lost += f.lost;
        stands += !f.drives;
        if (f.gain > gain) gain = f.gain;
        if (f.work > work) work = f.work;
    }
    qd_test_count(cases);
    printf("%zu bodies in %zu scenes tried for passages, %zu too fast for their world; ", bodies, claims,
           lost);
    printf("gain up to %g in %zu scenes without a drive; up to %g looks per body\n", gain, stands, work);
}

// Scenes in which somebody once got out: past a piston, from a floor that stands though it is kinematic;
// where a wall's way bends and a body's does not; through a corner of two lines, both of which it lay in; on
// a new way after a bounce; given up after it had been too fast for the world; pressed through by a heavy
// one; through an edge that left it to its neighbour, in which it lay as deep as its core, on a container
// that turns and on one that moves; so small that its place was not exact enough; carried by a wall, and
// then stopped before that by another body, so that the wall lost it, four times; thrown through a periodic
// world by a wall and a heavy body that pressed it, and through one by blow after blow within a step;
// stopped once more in the last round of stops, with no round left to meet the wall again.
QD_TEST_LOOP(what_once_got_out_stays_in, 0, 16) {
    static const uint64_t seeds[] = {827,          917,          150,          741,
                                     795,          335,          2671,         3087,
                                     2763,         912000001854, 912000003715, 912000003932,
                                     912000008028, 912000011611, 960000000966, 970000015526};
    (void)check(seeds[_i]);
}

// What this test says of containers that lose a wall.
QD_TEST(a_hole_is_seen) {
    size_t seen = 0;
    for (uint64_t k = 1; k <= 40; ++k) seen += watch(k, true).through > 0;
    ck_assert_uint_ge(seen, 10);
}

QD_TEST_MAIN("container", 600, NULL, NULL)
