// What would pass something within a step is followed on its way.
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/math.h>
#include <quadrille/scene.h>
#include <quadrille/world.h>

// ---- walls: one disk in a box, by unfolding ----

typedef struct box_case {
    double x, y, vx, vy, t, end_x, end_y;
    uint64_t hits;
} box_case;

static const box_case boxes[] = {
    {2, 3, 1.3, .7, 100, 6, 3, 28},
    {5, 1, -2.718281828, 3.141592654, 1000, 4.718172, 2.592654, 930},
    {1.25, 2.5, 1.4142135623730951, 1.7320508075688772, 12345.678, 0.675264291149, 5.158450114679, 6217},
};

static void check_box(const box_case *c, size_t steps) {
    qd_world_def def = qd_test_def(10, 6);
    def.continuous = QD_CONTINUOUS_ON;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id id = qd_test_disk(world, c->x, c->y, c->vx, c->vy, 0.5, 1);
    qd_test_step(world, c->t / (double)steps, steps);
    qd_body_state s = qd_test_body(world, id);
    ck_assert_double_eq_tol(s.position.x, c->end_x, 1e-9);
    ck_assert_double_eq_tol(s.position.y, c->end_y, 1e-9);
    ck_assert_double_eq(fabs(s.velocity.x), fabs(c->vx)); // not even rounded
    ck_assert_double_eq(fabs(s.velocity.y), fabs(c->vy));
    ck_assert_uint_eq(qd_world_total(world).impacts, c->hits);
    qd_vec2 given = qd_world_total(world).wall_impulse;
    ck_assert_double_eq_tol(given.x, s.velocity.x - c->vx, 1e-9);
    ck_assert_double_eq_tol(given.y, s.velocity.y - c->vy, 1e-9);
}

QD_TEST_LOOP(box_by_unfolding, 0, 3) {
    check_box(&boxes[_i], (size_t)(boxes[_i].t * 7));
    check_box(&boxes[_i], (size_t)boxes[_i].t);     // up to half the box in a step
    check_box(&boxes[_i], (size_t)boxes[_i].t / 4); // several walls in a step
}

// ---- bodies on a line ----

QD_TEST_LOOP(rods_are_exact, 0, 4) {
    qd_world_def def = qd_test_def(10, 0.5);
    def.boundary_y = QD_BOUNDARY_OPEN;
    def.continuous = QD_CONTINUOUS_ON;
    qd_own(qd_world) world = qd_test_world(&def);
    const double x[] = {0.5, 2, 3.7, 6, 8.5}, v[] = {1, -0.6, 0.35, -1.7, 0.9};
    const double dt[] = {0.01, 0.1, 0.5, 1};
    const double ends[3][6] = {
        {1, 0.9, 2.0, 3.8, 4.55, 9.4}, {10, 0.5, 3.0, 6.0, 6.5, 8.2}, {100, 1.0, 2.0, 6.0, 8.0, 9.7}};
    qd_id ids[5];
    for (int i = 0; i < 5; ++i) ids[i] = qd_test_disk(world, x[i], 0.25, v[i], 0, 0.25, 1);
    double time = 0;
    for (int k = 0; k < 3; ++k) {
        qd_test_step(world, dt[_i], (size_t)((ends[k][0] - time) / dt[_i] + 0.5));
        time = ends[k][0];
        for (int i = 0; i < 5; ++i)
            ck_assert_double_eq_tol(qd_test_body(world, ids[i]).position.x, ends[k][i + 1], 1e-11);
    }
    ck_assert_uint_eq(qd_world_total(world).impacts, 223);
}

/// Where free points that bounce between 0 and `length` are; then in order, as rods are.
static void rods_at(double t, size_t n, const double *y, const double *v, double length, double *out) {
    for (size_t i = 0; i < n; ++i) {
        double way = fabs(fmod(y[i] + v[i] * t, 2 * length));
        out[i] = way > length ? 2 * length - way : way;
    }
    for (size_t i = 1; i < n; ++i)
        for (size_t j = i; j > 0 && out[j] < out[j - 1]; --j) {
            double swap = out[j];
            out[j] = out[j - 1];
            out[j - 1] = swap;
        }
}

enum { RODS = 40 };

// Far beyond the table: some 10^5 impacts, at steps in which each rod meets several others.
QD_TEST(rods_stay_exact) {
    const double length = 100, s = 0.5, rest = length - RODS * s;
    qd_world_def def = qd_test_def(length, s);
    def.boundary_y = QD_BOUNDARY_OPEN;
    def.continuous = QD_CONTINUOUS_ON;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_random random = qd_random_at(7, 0, 0);
    double y[RODS], v[RODS], expected[RODS];
    qd_id ids[RODS];
    for (size_t i = 0; i < RODS; ++i) {
        y[i] = rest * ((double)i + 0.5) / RODS;
        v[i] = qd_test_between(&random, -2, 2);
        ids[i] = qd_test_disk(world, y[i] + s * ((double)i + 0.5), 0.25, v[i], 0, 0.25, 1);
    }
    size_t steps = qd_test_effort(4000);
    qd_test_step(world, 0.5, steps);
    rods_at(0.5 * (double)steps, RODS, y, v, rest, expected);
    for (size_t i = 0; i < RODS; ++i)
        ck_assert_double_eq_tol(qd_test_body(world, ids[i]).position.x, expected[i] + s * ((double)i + 0.5),
                                1e-8);
    ck_assert_uint_gt(qd_world_total(world).impacts, 5 * steps);
}

static void galperin(double ratio, double dt, uint64_t expected) {
    qd_world_def def = qd_test_def(2000, 10);
    def.continuous = QD_CONTINUOUS_ON;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id small = qd_test_disk(world, 5, 5, 0, 0, 0.5, 1);
    qd_id large = qd_test_disk(world, 10, 5, -1, 0, 0.5, ratio);
    while (qd_world_time(world) < 200) qd_test_step(world, dt, 1);
    ck_assert_uint_eq(qd_world_total(world).impacts, expected);
    double vs = qd_test_body(world, small).velocity.x, vl = qd_test_body(world, large).velocity.x;
    ck_assert(vs <= vl && vl > 0);
    ck_assert_double_eq_tol(vs * vs + ratio * vl * vl, ratio, 1e-9 * ratio);
}

QD_TEST_LOOP(collisions_count_pi, 0, 4) {
    const double dt[] = {0.01, 0.1, 0.5, 2};
    galperin(1, dt[_i], 3);
    galperin(4, dt[_i], 6);
    galperin(9, dt[_i], 9);
    galperin(16, dt[_i], 12);
    galperin(100, dt[_i], 31);
    if (dt[_i] < 0.1) galperin(10000, dt[_i], 314); // else more than there may be in one step
}

// The last ball of a cradle leaves with all of it, within one step.
QD_TEST(cradle_in_one_step) {
    qd_world_def def = qd_world_def_default();
    def.restitution = 1;
    def.continuous = QD_CONTINUOUS_ON;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id ids[6];
    ids[0] = qd_test_disk(world, 10, 50, 30, 0, 0.5, 1);
    for (int i = 1; i < 6; ++i) ids[i] = qd_test_disk(world, 14 + 1.125 * i, 50, 0, 0, 0.5, 1);
    qd_test_step(world, 0.5, 1);
    for (int i = 0; i < 5; ++i) {
        qd_body_state s = qd_test_body(world, ids[i]);
        ck_assert_double_eq_tol(s.velocity.x, 0, 1e-12);
        ck_assert_double_eq_tol(s.position.x, 14 + 1.125 * (i + 1) - 1, 1e-9);
    }
    // 15 of way in the step, of which five diameters are skipped
    ck_assert_double_eq_tol(qd_test_body(world, ids[5]).position.x, 10 + 15 + 5, 1e-9);
    ck_assert_double_eq_tol(qd_test_body(world, ids[5]).velocity.x, 30, 1e-12);
    size_t count;
    const qd_impact *impacts = qd_world_impacts(world, &count);
    ck_assert_uint_eq(count, 5);
    for (size_t i = 0; i < count; ++i) {
        ck_assert_uint_eq(impacts[i].a.index, i);
        ck_assert_uint_eq(impacts[i].b.index, i + 1);
        ck_assert_double_eq_tol(impacts[i].time, (4.125 + 0.125 * (double)i) / 30, 1e-12);
        ck_assert_double_eq_tol(impacts[i].approach, 30, 1e-12);
        ck_assert_double_eq_tol(impacts[i].impulse, 30, 1e-12);
    }
    qd_test_step(world, 0.5, 1);
    (void)qd_world_impacts(world, &count);
    ck_assert_uint_eq(count, 0);
}

// Two bullets head on, each through many of its own lengths; one is much heavier. Exact exchange at the right
// place.
QD_TEST(fast_meets_fast) {
    qd_world_def def = qd_world_def_default();
    def.continuous = QD_CONTINUOUS_ON;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id a = qd_test_disk(world, 20, 50, 100, 0, 0.125, 1),
          b = qd_test_disk(world, 60, 50.125, -60, 0, 0.125, 3);
    qd_test_step(world, 0.3125, 1);
    const double ny = 0.5, nx = 0.86602540378443865; // centres are r apart across, 2r in all
    double time = (40 - 0.25 * nx) / 160, approach = 160 * nx, impulse = 2 * approach * 0.75;
    qd_vec2 va = {100 - impulse * nx, -impulse * ny}, vb = {-60 + impulse * nx / 3, impulse * ny / 3};
    qd_body_state p = qd_test_body(world, a), q = qd_test_body(world, b);
    double rest = 0.3125 - time;
    ck_assert_double_eq_tol(p.velocity.x, va.x, 1e-9);
    ck_assert_double_eq_tol(p.velocity.y, va.y, 1e-9);
    ck_assert_double_eq_tol(q.velocity.x, vb.x, 1e-9);
    ck_assert_double_eq_tol(q.velocity.y, vb.y, 1e-9);
    ck_assert_double_eq_tol(p.position.x, 20 + 100 * time + va.x * rest, 1e-9);
    ck_assert_double_eq_tol(p.position.y, 50 + va.y * rest, 1e-9);
    ck_assert_double_eq_tol(q.position.x, 60 - 60 * time + vb.x * rest, 1e-9);
    ck_assert_double_eq_tol(q.position.y, 50.125 + vb.y * rest, 1e-9);
}

// ---- bullets at thin walls ----

/// The number of chambers of a world 0..width that is cut by segments at x = gap, 2 gap, ...
typedef struct range_def {
    double width, height, gap;
    size_t bullets;
    bool shapes;       ///< not only disks
    bool off, flagged; ///< the world follows nobody; bullets have the flag
    int threads;
} range_def;

static qd_shape bullet_shape(size_t i, bool shapes) {
    switch (shapes ? i % 4 : 0) {
    case 1: return qd_shape_rect(0.3, 0.1);
    case 2: return qd_shape_capsule(0.3, 0.05);
    case 3: return qd_shape_rect(0.2, 0.2);
    default: return qd_shape_disk(0.1);
    }
}

static qd_world *make_range(const range_def *range) {
    qd_world_def def = qd_test_def(range->width, range->height);
    def.restitution = 0.9;
    def.friction = range->shapes ? 0.3 : 0;
    def.threads = range->threads;
    def.continuous = range->off ? QD_CONTINUOUS_OFF : QD_CONTINUOUS_AUTO;
    qd_world *world = qd_test_world(&def);
    for (double x = range->gap; x < range->width; x += range->gap) {
        const qd_vec2 ends[] = {{x, -1}, {x, 0.3 * range->height}, {x, range->height + 1}};
        qd_body_def edge = qd_body_def_default();
        ck_assert_int_eq(qd_world_add_polyline(world, ends, 3, false, &edge, NULL, NULL), QD_OK);
    }
    qd_random random = qd_random_at(11, 0, 0);
    size_t columns = (size_t)(range->width / range->gap + 0.5);
    for (size_t i = 0; i < range->bullets; ++i) {
        qd_body_def body = qd_body_def_default();
        body.shape = bullet_shape(i, range->shapes);
        body.position = (qd_vec2){range->gap * ((double)(i % columns) + qd_test_between(&random, 0.2, 0.8)),
                                  qd_test_between(&random, 0.5, range->height - 0.5)};
        double speed = qd_test_between(&random, 100, 400), angle = qd_test_between(&random, 0, 6.28);
        body.velocity = (qd_vec2){speed * qd_cos(angle), speed * qd_sin(angle)};
        body.spin = range->shapes ? qd_test_between(&random, -20, 20) : 0;
        body.bullet = range->flagged;
        qd_test_add(world, &body);
    }
    return world;
}

/// Bullets whose centre is in another chamber than at the start: found without the library, from positions
/// alone.
static size_t crossings(const qd_world *world, const range_def *range, const double *chamber) {
    qd_body_view view = qd_world_view(world);
    size_t crossed = 0;
    for (size_t r = 0; r < view.count; ++r) {
        if (view.kind[r] != QD_BODY_DYNAMIC) continue;
        crossed += floor(view.x[r] / range->gap) != chamber[view.index[r]];
        crossed += !(view.y[r] > 0 && view.y[r] < range->height && view.x[r] > 0 && view.x[r] < range->width);
    }
    return crossed;
}

static uint64_t shoot(const range_def *range, size_t steps, size_t *crossed) {
    qd_own(qd_world) world = make_range(range);
    qd_body_view view = qd_world_view(world);
    qd_own_memory double *chamber = qd_test_zeros(view.index_count, sizeof *chamber);
    for (size_t r = 0; r < view.count; ++r) chamber[view.index[r]] = floor(view.x[r] / range->gap);
    *crossed = 0;
    for (size_t k = 0; k < steps; ++k) {
        qd_test_step(world, 1.0 / 60, 1);
        *crossed += crossings(world, range, chamber);
    }
    return qd_world_hash(world);
}

QD_TEST_LOOP(no_bullet_passes_a_wall, 0, 3) {
    const range_def ranges[] = {
        {40, 40, 4, qd_test_effort(2000), false, false, false, 2},
        {40, 40, 4, qd_test_effort(600), true, false, false, 2},
        {40, 40, 4, qd_test_effort(600), true, true, true, 2},
    };
    size_t crossed;
    shoot(&ranges[_i], qd_test_effort(150), &crossed);
    ck_assert_uint_eq(crossed, 0);
    range_def careless = ranges[_i]; // the count can tell
    careless.off = true;
    careless.flagged = false;
    shoot(&careless, 2, &crossed);
    ck_assert_uint_gt(crossed, 0);
}

// The built-in scene, 10,000 bullets; the whole run with large effort.
QD_TEST(builtin_bullets_stay_in_their_chambers) {
    qd_scene *scene;
    ck_assert_int_eq(qd_scene_builtin("bullets", NULL, &scene, NULL), QD_OK);
    qd_world_def def = qd_scene_world(scene);
    def.threads = 2;
    qd_own(qd_world) world = qd_test_world(&def);
    ck_assert_int_eq(qd_scene_populate(scene, world, NULL), QD_OK);
    qd_scene_destroy(scene);
    qd_body_view view = qd_world_view(world);
    const double wide = 20, high = 18;
    qd_own_memory double *chamber = qd_test_zeros(view.index_count, sizeof *chamber);
    size_t bullets = 0, steps = qd_test_effort(60) < 600 ? qd_test_effort(60) : 600;
    for (size_t r = 0; r < view.count; ++r) {
        bullets += view.kind[r] == QD_BODY_DYNAMIC;
        chamber[view.index[r]] = floor(view.x[r] / wide) + 100 * floor(view.y[r] / high);
    }
    ck_assert_uint_eq(bullets, 10000);
    for (size_t k = 0; k < steps; ++k) {
        qd_test_step(world, 1.0 / 60, 1);
        view = qd_world_view(world);
        size_t crossed = 0;
        for (size_t r = 0; r < view.count; ++r)
            crossed += view.kind[r] == QD_BODY_DYNAMIC &&
                       floor(view.x[r] / wide) + 100 * floor(view.y[r] / high) != chamber[view.index[r]];
        ck_assert_uint_eq(crossed, 0);
    }
    ck_assert_uint_gt(qd_world_total(world).impacts, 500 * steps);
}

// A row of boxes that hit each other in one step is followed to its end, though each impact is searched for.
QD_TEST(a_row_of_boxes_passes_on_the_blow) {
    enum { BOXES = 12 };
    qd_world_def def = qd_world_def_default();
    def.restitution = 1;
    def.friction = 0;
    def.continuous = QD_CONTINUOUS_ON;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def box = qd_body_def_default();
    box.shape = qd_shape_rect(1, 1);
    qd_id last = {0, 0};
    for (int i = 0; i < BOXES; ++i) {
        box.position = (qd_vec2){10 + 1.5 * i, 50};
        box.velocity.x = i == 0 ? 150 : 0;
        last = qd_test_add(world, &box);
    }
    qd_test_step(world, 0.2, 1);
    size_t count;
    (void)qd_world_impacts(world, &count);
    ck_assert_uint_eq(count, BOXES - 1);
    const qd_body_state s = qd_test_body(world, last);
    ck_assert_double_eq_tol(s.velocity.x, 150, 1e-9);
    ck_assert_double_eq_tol(s.position.x, 10 + 30 + (BOXES - 1), 1e-6);
}

QD_TEST(any_team_gives_the_same) {
    range_def range = {20, 20, 4, 300, true, false, false, 1};
    size_t crossed;
    uint64_t hash = shoot(&range, qd_test_effort(60), &crossed);
    for (int threads = 2; threads <= 8; threads += threads) {
        range.threads = threads;
        ck_assert_uint_eq(shoot(&range, qd_test_effort(60), &crossed), hash);
    }
}

// ---- all against all ----

static qd_world *make_gas(qd_boundary boundary, int threads, const qd_allocator *allocator) {
    qd_world_def def = qd_test_def(30, 20);
    def.boundary_x = def.boundary_y = boundary;
    def.continuous = QD_CONTINUOUS_ON;
    def.threads = threads;
    def.allocator = allocator;
    qd_world *world = qd_test_world(&def);
    qd_random random = qd_random_at(3, 0, 0);
    for (int i = 0; i < 60; ++i) {
        double x = 1.5 + 3 * (i % 10), y = 1.5 + 3 * (double)(i / 10);
        double vx = qd_test_between(&random, -40, 40), vy = qd_test_between(&random, -40, 40);
        qd_test_disk(world, x, y, vx, vy, qd_test_between(&random, 0.2, 1), 0);
    }
    return world;
}

static double nearest(double way, double period) {
    return period > 0 ? way - period * floor(way / period + 0.5) : way;
}

/// The deepest overlap of two disks, by looking at all pairs.
static double deepest(const qd_world *world, qd_vec2 period) {
    qd_body_view v = qd_world_view(world);
    double most = -HUGE_VAL;
    for (size_t i = 0; i < v.count; ++i)
        for (size_t j = 0; j < i; ++j) {
            double x = nearest(v.x[i] - v.x[j], period.x), y = nearest(v.y[i] - v.y[j], period.y);
            double depth = v.radius[i] + v.radius[j] - sqrt(x * x + y * y);
            if (depth > most) most = depth;
        }
    return most;
}

// Each impact is found: so nothing overlaps at any moment, although bodies move several of their sizes in a
// step.
QD_TEST_LOOP(fast_gas_never_overlaps, 0, 3) {
    qd_boundary boundary = (qd_boundary)_i;
    qd_own(qd_world) world = make_gas(boundary, 2, NULL);
    qd_vec2 period = {0, 0};
    if (boundary == QD_BOUNDARY_PERIODIC) period = (qd_vec2){30, 20};
    qd_world_sums before = qd_world_sum(world);
    for (size_t k = 0; k < qd_test_effort(300); ++k) {
        qd_test_step(world, 0.03, 1);
        ck_assert_double_le(deepest(world, period), 1e-9);
    }
    qd_world_sums after = qd_world_sum(world);
    ck_assert_double_eq_tol(after.kinetic, before.kinetic, 1e-11 * before.kinetic);
    qd_vec2 given = qd_world_total(world).wall_impulse;
    ck_assert_double_eq_tol(after.momentum.x, before.momentum.x + given.x, 1e-9 * before.momentum_scale);
    ck_assert_double_eq_tol(after.momentum.y, before.momentum.y + given.y, 1e-9 * before.momentum_scale);
    ck_assert_uint_gt(qd_world_total(world).impacts, 20);
}

QD_TEST(saved_and_loaded_in_between) {
    range_def range = {20, 20, 4, 100, true, false, true, 1};
    qd_own(qd_world) world = make_range(&range), copy;
    qd_test_step(world, 1.0 / 60, 10);
    unsigned char *data;
    size_t bytes;
    ck_assert_int_eq(qd_world_save(world, &data, &bytes), QD_OK);
    ck_assert_int_eq(qd_world_load(data, bytes, 2, NULL, &copy, NULL), QD_OK);
    qd_world_save_free(world, data, bytes);
    ck_assert_int_eq(qd_world_definition(copy).continuous, QD_CONTINUOUS_AUTO);
    ck_assert_uint_eq(qd_world_total(copy).impacts, qd_world_total(world).impacts);
    qd_body_view view = qd_world_view(copy);
    qd_id last = {view.index[view.count - 1], view.generation[view.count - 1]};
    ck_assert(qd_test_body(copy, last).bullet);
    qd_test_step(world, 1.0 / 60, 10);
    qd_test_step(copy, 1.0 / 60, 10);
    ck_assert_uint_eq(qd_world_hash(world), qd_world_hash(copy));
}

// Whichever allocation of a step fails: the world is as before, and goes on as if nothing had happened.
QD_TEST(step_without_memory) {
    qd_own(qd_world) good = make_gas(QD_BOUNDARY_PERIODIC, 1, NULL);
    qd_test_step(good, 0.03, 1);
    uint64_t hash = qd_world_hash(good);
    size_t refused = 0;
    for (size_t fail = 1;; ++fail) {
        qd_test_allocator memory = qd_test_allocator_of(&memory, 0);
        qd_world *world = make_gas(QD_BOUNDARY_PERIODIC, 1, &memory.allocator);
        ck_assert_int_eq(qd_world_detect(world), QD_OK);
        uint64_t before = qd_world_hash(world);
        memory.fail_at = memory.calls + fail;
        qd_status status = qd_world_step(world, 0.03, NULL);
        memory.fail_at = 0;
        if (status != QD_OK) {
            ck_assert_int_eq(status, QD_ERR_MEMORY);
            ck_assert_uint_eq(qd_world_hash(world), before);
            ck_assert_int_eq(qd_world_step(world, 0.03, NULL), QD_OK);
            ++refused;
        }
        ck_assert_uint_eq(qd_world_hash(world), hash);
        qd_world_destroy(world);
        ck_assert_uint_eq(memory.live, 0);
        if (status == QD_OK) break;
    }
    ck_assert_uint_gt(refused, 10);
}

// ---- sliding, moving walls ----

// A disk that slides fast along a line of edges does not catch at their seams.
QD_TEST(slides_over_seams) {
    qd_world_def def = qd_world_def_default();
    def.gravity = (qd_vec2){0, -10};
    def.restitution = 0;
    def.size = (qd_vec2){1000, 100};
    qd_own(qd_world) world = qd_test_world(&def);
    qd_vec2 points[101];
    for (int i = 0; i <= 100; ++i) points[i] = (qd_vec2){10.0 * (100 - i), 20};
    qd_body_def edge = qd_body_def_default();
    ck_assert_int_eq(qd_world_add_polyline(world, points, 101, false, &edge, NULL, NULL), QD_OK);
    qd_id id = qd_test_disk(world, 20, 20.25, 180, 0, 0.25, 1);
    qd_test_step(world, 1.0 / 60, 300);
    qd_body_state s = qd_test_body(world, id);
    ck_assert_double_eq_tol(s.velocity.x, 180, 1e-6);
    ck_assert_double_eq_tol(s.position.x, 20 + 180 * 5, 1e-3);
    ck_assert_double_eq_tol(s.position.y, 20.25, 0.01);
}

// A kinematic wall, thin and fast, does not pass what is at rest, but takes it along; a sensor is no
// obstacle.
QD_TEST(fast_wall_hits_what_rests) {
    qd_world_def def = qd_world_def_default();
    def.continuous = QD_CONTINUOUS_ON;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id id = qd_test_disk(world, 30, 50, 0, 0, 0.25, 1);
    qd_body_def wall = qd_body_def_default();
    wall.kind = QD_BODY_KINEMATIC;
    wall.shape = qd_shape_rect(0.01, 20);
    wall.position = (qd_vec2){20, 50};
    wall.velocity = (qd_vec2){300, 0};
    qd_test_add(world, &wall);
    wall.kind = QD_BODY_STATIC;
    wall.sensor = true;
    wall.position.x = 35;
    qd_test_add(world, &wall);
    qd_test_step(world, 0.0625, 1);
    qd_body_state s = qd_test_body(world, id);
    ck_assert_double_eq_tol(s.velocity.x, 600, 1e-9);
    double time = (10 - 0.25 - 0.005) / 300;
    ck_assert_double_eq_tol(s.position.x, 30 + 600 * (0.0625 - time), 1e-6);
}

// With `auto` it stops where the wall meets it and is carried along, also where others of the same step are
// stopped one after the other.
QD_TEST_LOOP(fast_wall_carries_what_rests, 0, 4) {
    qd_own(qd_world) world = qd_test_world(NULL);
    qd_id id = qd_test_disk(world, 30, 50, 0, 0, 0.25, 1);
    qd_body_def wall = qd_body_def_default();
    wall.kind = QD_BODY_KINEMATIC;
    wall.shape = qd_shape_rect(0.01, 20);
    wall.position = (qd_vec2){20, 50};
    wall.velocity = (qd_vec2){300, 0};
    qd_id pusher = qd_test_add(world, &wall);
    for (int i = 0; i < _i; ++i) qd_test_disk(world, 70 - 2 * i, 10, 1000, 0, 0.25, 1);
    qd_test_step(world, 0.0625, 1);
    double ahead = qd_test_body(world, id).position.x - qd_test_body(world, pusher).position.x;
    ck_assert_double_ge(ahead, 0.25);
    ck_assert_double_le(ahead, 0.26);
}

/// What is thrown at a paddle that turns about a pivot: the most steps in a row in which it hardly moves,
/// with all its speed.
static int longest_stay(uint64_t seed) {
    qd_random random = qd_random_at(seed, 0, 0);
    qd_world_def def = qd_test_def(20, 20);
    def.restitution = .5;
    def.friction = .4;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def paddle = qd_test_body_at(qd_shape_rect(2, .8), 10, 10);
    paddle.kind = QD_BODY_KINEMATIC;
    paddle.angle = qd_test_between(&random, 0, 6);
    paddle.spin = qd_test_between(&random, -1, 1);
    paddle.pivot = (qd_vec2){10 + qd_test_between(&random, -2, 2), 10 + qd_test_between(&random, -2, 2)};
    (void)qd_test_add(world, &paddle);
    const double from = qd_test_between(&random, 0, 6), speed = qd_test_between(&random, 3, 9);
    const qd_shape shape = seed % 2 ? qd_shape_rect(.7, .14) : qd_shape_capsule(.5, .1);
    qd_body_def body = qd_test_body_at(shape, 10 + 2 * qd_cos(from), 10 + 2 * qd_sin(from));
    body.angle = qd_test_between(&random, 0, 6);
    body.velocity = (qd_vec2){-speed * qd_cos(from), -speed * qd_sin(from)};
    body.spin = qd_test_between(&random, -20, 20);
    const qd_id thrown = qd_test_add(world, &body);
    int stays = 0, longest = 0;
    for (int k = 0; k < 100; ++k) {
        const qd_body_state before = qd_test_body(world, thrown);
        qd_test_step(world, .01, 1);
        const qd_body_state after = qd_test_body(world, thrown);
        const double way = hypot(after.position.x - before.position.x, after.position.y - before.position.y),
                     fast = hypot(after.velocity.x, after.velocity.y);
        stays = fast > 1 && way < .005 * fast ? stays + 1 : 0;
        if (stays > longest) longest = stays;
    }
    return longest;
}

// One that was stopped beside its paddle hung there for good: a gap opened in each step.
QD_TEST(what_meets_a_paddle_bounces_off) {
    for (uint64_t seed = 1; seed <= qd_test_effort(200); ++seed) {
        const int longest = longest_stay(seed);
        ck_assert_msg(longest <= 2, "seed %d: %d steps", (int)seed, longest);
    }
}

QD_TEST_MAIN("fast", 240, NULL, NULL)
