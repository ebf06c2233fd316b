// Rays against brute force over random scenes. A failure names its seed; QD_TEST_SEED=seed runs that scene
// alone.
#include "tests/support/rays.h"
#include "tests/support/tree_scenes.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { INDICES = QD_SCENE_MOST * 8 };

// ---- brute force

typedef struct meeting {
    bool met, sure; // sure: rounding of float64 cannot tell otherwise
    double at;
} meeting;

static void narrow(double from, double step, double min, double max, long double *near, long double *far) {
    if (step == 0.0) {
        if (from < min || from > max) *near = HUGE_VALL, *far = -1.0L;
        return;
    }
    const long double start = (long double)from, way = (long double)step;
    const long double a = ((long double)min - start) / way, b = ((long double)max - start) / way;
    *near = fmaxl(*near, a < b ? a : b);
    *far = fminl(*far, a < b ? b : a);
}

static meeting meet(const qd_ray *ray, qd_box box) {
    long double near = 0.0L, far = HUGE_VALL;
    narrow(ray->from.x, ray->step.x, (double)box.min_x, (double)box.max_x, &near, &far);
    narrow(ray->from.y, ray->step.y, (double)box.min_y, (double)box.max_y, &near, &far);
    meeting m = {.met = near <= far && near <= (long double)ray->most, .at = (double)near};
    m.sure = !(fabsl(far - near) <= 1e-14L * near) &&
             !(fabsl(near - (long double)ray->most) <= 1e-14L * near);
    m.sure |= m.met && near == 0.0L;
    return m;
}

// The ray as a copy of the world sees it.
static qd_ray seen_from(const qd_tree_def *def, qd_ray ray, qd_image image) {
    ray.from.x -= image.x * def->period.x;
    ray.from.y -= image.y * def->period.y;
    return ray;
}

// Half the box, about its middle.
static qd_box kernel_of(qd_box box) {
    double x = 0.5 * ((double)box.min_x + (double)box.max_x),
           y = 0.5 * ((double)box.min_y + (double)box.max_y);
    double w = 0.25 * ((double)box.max_x - (double)box.min_x),
           h = 0.25 * ((double)box.max_y - (double)box.min_y);
    qd_box half = {(float)(x - w), (float)(y - h), (float)(x + w), (float)(y + h)};
    bool inside = half.min_x >= box.min_x && half.min_y >= box.min_y && half.max_x <= box.max_x &&
                  half.max_y <= box.max_y;
    return inside ? half : box;
}

typedef struct found {
    bool seen, sure;
    double at;
    qd_image image;
} found;

typedef struct bench {
    uint64_t seed;
    int number;
    qd_test_scene *scene;
    qd_tree *tree;
    qd_ray ray;
    qd_box box_of[INDICES];
    found ours[INDICES], theirs[INDICES];
    size_t asked, told, stop_after;
    uint64_t order; // a hash of the order in which bodies were told
} bench;

#define CHECK(condition, ...)                                                                                \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            char text[400];                                                                                  \
            snprintf(text, sizeof text, __VA_ARGS__);                                                        \
            ck_abort_msg("seed %llu ray %d (%.17g %.17g, %.17g %.17g, %g): %s", (unsigned long long)b->seed, \
                         b->number, b->ray.from.x, b->ray.from.y, b->ray.step.x, b->ray.step.y, b->ray.most, \
                         text);                                                                              \
        }                                                                                                    \
    } while (0)

static bool test_kernel(void *context, qd_body_index body, qd_image image, double most, double *at) {
    bench *b = context;
    b->asked += 1;
    const qd_ray ray = seen_from(&b->scene->def, b->ray, image);
    const meeting box = meet(&ray, b->box_of[body]);
    CHECK(box.met || !box.sure, "body %u is asked about, but its box is not met", body);
    CHECK(fabs(box.at - *at) <= 1e-14 * box.at || !box.met, "body %u: box entered at %.17g, not %.17g", body,
          *at, box.at);
    CHECK(most <= b->ray.most, "most %g", most);
    const meeting m = meet(&ray, kernel_of(b->box_of[body]));
    *at = m.at;
    return m.met;
}

static bool note(void *context, const qd_ray_hit *hit) {
    bench *b = context;
    CHECK(!b->ours[hit->body].seen, "body %u is told twice", hit->body);
    b->ours[hit->body] = (found){true, true, hit->at, hit->image};
    b->order = b->order * 31 + hit->body + 7U * (uint32_t)hit->image.x;
    b->told += 1;
    return b->told != b->stop_after;
}

// Images that can matter along one axis.
static int reach_of(const bench *b, double from, double step, double period) {
    if (period == 0.0) return 0;
    double far = fmax(fabs(from), fabs(from + b->ray.most * step));
    return (int)(far / period) + 2;
}

static void search_by_force(bench *b, bool kernels) {
    const qd_tree_def *def = &b->scene->def;
    memset(b->theirs, 0, sizeof b->theirs);
    const int reach_x = reach_of(b, b->ray.from.x, b->ray.step.x, def->period.x);
    const int reach_y = reach_of(b, b->ray.from.y, b->ray.step.y, def->period.y);
    for (size_t i = 0; i < b->scene->count; ++i) {
        found *best = &b->theirs[b->scene->indices[i]];
        const qd_box box = kernels ? kernel_of(b->scene->boxes[i]) : b->scene->boxes[i];
        for (int x = -reach_x; x <= reach_x; ++x) {
            for (int y = -reach_y; y <= reach_y; ++y) {
                const qd_image image = {(int16_t)x, (int16_t)y};
                const qd_ray ray = seen_from(def, b->ray, image);
                const meeting m = meet(&ray, box);
                if (!m.met && (m.sure || kernels)) continue;
                if (best->seen && best->at <= m.at) continue;
                *best = (found){true, m.sure || kernels, m.at, image};
            }
        }
    }
}

static bool same_image(qd_image a, qd_image b) {
    return a.x == b.x && a.y == b.y;
}

static void compare_all(bench *b, bool kernels) {
    memset(b->ours, 0, sizeof b->ours);
    b->told = b->order = 0;
    qd_status status = qd_tree_ray_all(b->tree, &b->ray, kernels ? test_kernel : NULL, note, b);
    CHECK(status == QD_OK, "all: %s", qd_status_text(status));
    search_by_force(b, kernels);
    for (qd_body_index body = 0; body < INDICES; ++body) {
        const found *ours = &b->ours[body], *theirs = &b->theirs[body];
        if (theirs->seen && !theirs->sure) continue; // a touch within rounding, either is right
        CHECK(ours->seen == theirs->seen, "body %u %s", body, ours->seen ? "is not hit" : "is missed");
        if (!ours->seen) continue;
        CHECK(same_image(ours->image, theirs->image), "body %u through another image", body);
        CHECK(fabs(ours->at - theirs->at) <= (kernels ? 0.0 : 1e-14 * theirs->at),
              "body %u at %.17g, not %.17g", body, ours->at, theirs->at);
    }
}

// The first hit is the lowest of all hits, bit by bit.
static void compare_first(bench *b, bool kernels) {
    qd_ray_hit first;
    qd_status status = qd_tree_ray(b->tree, &b->ray, kernels ? test_kernel : NULL, b, &first);
    CHECK(status == QD_OK, "first: %s", qd_status_text(status));
    qd_body_index lowest = QD_NO_BODY;
    for (qd_body_index body = 0; body < INDICES; ++body) {
        if (b->ours[body].seen && (lowest == QD_NO_BODY || b->ours[body].at < b->ours[lowest].at))
            lowest = body;
    }
    CHECK(first.body == lowest, "body %u comes first, not %u", lowest, first.body);
    if (lowest == QD_NO_BODY) return;
    CHECK(first.at == b->ours[lowest].at, "first at %.17g, not %.17g", first.at, b->ours[lowest].at);
    CHECK(same_image(first.image, b->ours[lowest].image), "first through another image");
}

// ---- rays

static double between(bench *b, double low, double high) {
    return low + (high - low) * qd_random_uniform(&b->scene->random);
}

static qd_vec2 somewhere(bench *b) {
    const qd_vec2 size = b->scene->def.size;
    qd_vec2 at = {between(b, -1.5, 1.5) * size.x, between(b, -1.5, 1.5) * size.y};
    if (b->scene->count == 0) return at;
    const qd_box box = b->scene->boxes[qd_test_scene_below(b->scene, (uint32_t)b->scene->count)];
    switch (qd_test_scene_below(b->scene, 4)) {
    case 0: return (qd_vec2){(double)box.min_x, (double)box.max_y};
    case 1: return (qd_vec2){(double)box.max_x, (double)box.min_y};
    case 2:
        return (qd_vec2){0.5 * ((double)box.min_x + (double)box.max_x),
                         0.5 * ((double)box.min_y + (double)box.max_y)};
    default: return at;
    }
}

static void draw_ray(bench *b) {
    const qd_tree_def *def = &b->scene->def;
    const double size = fmax(def->size.x, def->size.y);
    const bool periodic = def->period.x > 0.0 || def->period.y > 0.0;
    const qd_vec2 from = somewhere(b), to = somewhere(b);
    b->ray = qd_ray_between(from, to);
    switch (qd_test_scene_below(b->scene, 10)) {
    case 0: b->ray.step.x = 0.0; break; // along borders and edges, both ways
    case 1: b->ray.step.y = 0.0; break;
    case 2: b->ray = qd_ray_between(from, from); break;
    case 3: b->ray.most = 0.0; break;
    case 4:
        b->ray = qd_ray_towards(from, (qd_vec2){to.x - from.x, to.y - from.y + 1e-9 * size},
                                periodic ? 6.0 * size : (double)INFINITY);
        break;
    case 5: // from far away
        b->ray.from.x += periodic ? 0.0 : 1e7 * size;
        b->ray.step.x = to.x - b->ray.from.x;
        break;
    case 6: // along the borders of cells
        b->ray.from.x = ldexp(floor(between(b, -8.0, 8.0)), ilogb(size) - 4);
        b->ray.step.x = qd_test_scene_below(b->scene, 2) ? 0.0 : -0.0;
        break;
    case 7: b->ray.step = (qd_vec2){to.x, to.x}; break; // through corners
    case 8: b->ray.step.y *= 1e-30; break;
    default: break;
    }
    const double fit_x = def->period.x > 0.0 ? 20.0 * def->period.x : (double)FLT_MAX;
    const double fit_y = def->period.y > 0.0 ? 20.0 * def->period.y : (double)FLT_MAX;
    b->ray.step.x = fmin(fmax(b->ray.step.x, -fit_x), fit_x);
    b->ray.step.y = fmin(fmax(b->ray.step.y, -fit_y), fit_y);
}

static void run_scene(uint64_t seed) {
    static qd_test_scene scene;
    static bench b;
    memset(&b, 0, sizeof b);
    b.seed = seed;
    b.scene = &scene;
    b.tree = qd_test_scene_grow(&scene, seed);
    for (size_t i = 0; i < scene.count; ++i) b.box_of[scene.indices[i]] = scene.boxes[i];
    for (b.number = 0; b.number < 12; ++b.number) {
        draw_ray(&b);
        compare_all(&b, false);
        compare_first(&b, false);
        compare_all(&b, true);
        compare_first(&b, true);
    }
    qd_tree_destroy(b.tree);
}

QD_TEST_LOOP(random_scenes, 0, 4) {
    qd_test_seeds(400, _i, run_scene);
}

// ---- by hand

QD_TEST(the_first_is_told_with_its_place) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(16, 16, 1), 1);
    for (int x = -7; x <= 7; ++x) qd_rig_square(&rig, x, 0.0, 0.25); // body 7 + x
    for (int i = 0; i < 4; ++i) qd_rig_square(&rig, 5.0, 5.0, 0.5);  // 15..18 in one place
    qd_rig_refresh(&rig);
    qd_ray_hit hit = first_hit(&rig, qd_ray_between((qd_vec2){-0.5, 0}, (qd_vec2){7.5, 0}));
    ck_assert_uint_eq(hit.body, 7);
    ck_assert(hit.at == 0.25 / 8.0);
    hit = first_hit(&rig, qd_ray_towards((qd_vec2){0.5, 0.25}, (qd_vec2){-3e200, 0}, 100.0)); // along an edge
    ck_assert_uint_eq(hit.body, 7);
    ck_assert(hit.at == 0.25);
    hit = first_hit(&rig, qd_ray_towards((qd_vec2){5, 100}, (qd_vec2){0, -1e-200}, (double)INFINITY));
    ck_assert_uint_eq(hit.body, 15); // of equal ones the lowest
    ck_assert(hit.at == 94.5);
    hit = first_hit(&rig, qd_ray_between((qd_vec2){2.1, 0.1}, (qd_vec2){9, 9})); // begins inside
    ck_assert_uint_eq(hit.body, 9);
    ck_assert(hit.at == 0.0);
    hit = first_hit(&rig,
                    qd_ray_between((qd_vec2){3.25, 0.25}, (qd_vec2){3.25, 0.25})); // a point on a corner
    ck_assert_uint_eq(hit.body, 10);
    hit = first_hit(&rig, qd_ray_between((qd_vec2){-0.5, 0}, (qd_vec2){-0.26, 0})); // ends before
    ck_assert_uint_eq(hit.body, QD_NO_BODY);
    hit = first_hit(&rig, qd_ray_between((qd_vec2){-0.5, 0}, (qd_vec2){-0.25, 0})); // just gets there
    ck_assert_uint_eq(hit.body, 7);
    ck_assert(hit.at == 1.0);
}

// Rays that hit a point exactly, with whole numbers that a float64 cannot all tell apart: the step is E, and
// t times E away from a point p lies the beginning p - t E, all of which are exact, while the difference of
// the last two takes 56 bits.
QD_TEST(rounding_misses_nothing) {
    qd_random random = qd_random_at(qd_test_seed(77), 0, 5);
    qd_tree_def def = qd_rig_def(1, 1, 2);
    size_t rounded = 0;
    for (int i = 0; i < 2000; ++i) {
        const uint64_t t = 3 + 2 * (qd_random_bits(&random) % 6);
        double from[2], step[2];
        float at[2];
        for (int axis = 0; axis < 2; ++axis) {
            const uint64_t e = (UINT64_C(1) << 52) + (qd_random_bits(&random) >> 12);
            at[axis] = (float)(t * e);
            from[axis] = (double)((int64_t)at[axis] - (int64_t)(t * e));
            step[axis] = (double)e;
            rounded += ((double)at[axis] - from[axis]) / step[axis] != (double)t;
        }
        qd_own(qd_rig) rig = qd_rig_start(def, 1);
        (void)qd_rig_put(&rig, (qd_box){at[0], at[1], at[0], at[1]});
        qd_rig_refresh(&rig);
        const qd_ray ray = {{from[0], from[1]}, {step[0], step[1]}, (double)t};
        const qd_ray_hit hit = first_hit(&rig, ray);
        ck_assert_msg(hit.body == 0, "case %d: the point is missed", i);
        ck_assert(fabs(hit.at - (double)t) <= 1e-14);
    }
    ck_assert_uint_ge(rounded, 100);
}

static bool other_answers(void *context, qd_body_index body, qd_image image, double most, double *at) {
    (void)image;
    const int *answer = context;
    static const double answers[] = {-1.0, (double)NAN, 2.0, -(double)INFINITY};
    if (*answer >= 4) return false;
    *at = body == 3 ? most : answers[*answer];
    return true;
}

QD_TEST(calls_back_may_stop_and_miss) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(16, 16, 1), 1);
    for (int x = -7; x <= 7; ++x) qd_rig_square(&rig, x, 0.0, 0.25);
    qd_rig_refresh(&rig);
    const qd_ray ray = qd_ray_between((qd_vec2){-8, 0}, (qd_vec2){8, 0});
    for (size_t most = 1; most <= 16; ++most) {
        size_t left = most;
        ck_assert_int_eq(qd_tree_ray_all(rig.tree, &ray, NULL, count_hit, &left), QD_OK);
        ck_assert_uint_eq(left, most <= 15 ? 0 : most - 15);
    }
    for (int answer = 0; answer < 5; ++answer) { // places outside [0, most] are misses
        qd_ray_hit hit;
        ck_assert_int_eq(qd_tree_ray(rig.tree, &ray, other_answers, &answer, &hit), QD_OK);
        ck_assert_uint_eq(hit.body, answer < 4 ? 3 : QD_NO_BODY);
        if (answer < 4) ck_assert(hit.at == 1.0);
    }
}

QD_TEST(copies_of_a_periodic_world) {
    qd_tree_def def = qd_rig_def(16, 16, 2);
    def.period = def.size;
    qd_own(qd_rig) rig = qd_rig_start(def, 1);
    qd_rig_square(&rig, 7.9, 3.0, 0.5);  // sticks out on the right
    qd_rig_square(&rig, -4.0, 8.0, 0.5); // and at the top
    qd_rig_refresh(&rig);
    qd_ray_hit hit = first_hit(&rig, qd_ray_towards((qd_vec2){-7.75, 0}, (qd_vec2){0, 1}, 10.0));
    ck_assert_uint_eq(hit.body, 0);
    ck_assert(hit.at == 2.5 && hit.image.x == -1 && hit.image.y == 0);
    hit = first_hit(&rig, qd_ray_towards((qd_vec2){0, 7.75}, (qd_vec2){1, 0}, 1000.0));
    ck_assert_uint_eq(hit.body, 1);
    ck_assert(hit.at == 11.5 && hit.image.x == 1 && hit.image.y == 0);
    // Flat enough to come by many times before it gets there.
    const qd_vec2 step = {1.0, 1.0 / 4096.0};
    hit = first_hit(&rig, (qd_ray){{0, 0}, step, 16.0 * 32000.0});
    ck_assert_uint_eq(hit.body, 0);
    ck_assert(hit.image.x > 600 && hit.image.y == 0);
    hit = first_hit(&rig, (qd_ray){{16.0 * 32000.0, 0.0}, {-1.0, 1.0 / 4096.0}, 16.0 * 64000.0});
    ck_assert_uint_eq(hit.body, 0);
    ck_assert(hit.image.x < 32000 - 600 && hit.image.x > 0);
    // Endless along an axis only where that has no period.
    const qd_ray endless = qd_ray_towards((qd_vec2){0, 0}, (qd_vec2){0, 1}, (double)INFINITY);
    ck_assert_int_eq(qd_tree_ray(rig.tree, &endless, NULL, NULL, &hit), QD_ERR_VALUE);
    ck_assert_uint_eq(hit.body, QD_NO_BODY);
}

QD_TEST(bad_arguments_are_refused) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(16, 16, 2), 1);
    qd_ray_hit hit;
    const qd_ray good = qd_ray_between((qd_vec2){-8, 0}, (qd_vec2){8, 0});
    size_t left = 10;
    for (int filled = 0; filled < 2; ++filled) {
        const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 1e39, -1e300};
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
            qd_ray rays[] = {good, good, good, good, good};
            rays[0].from.x = rays[1].from.y = rays[2].step.x = rays[3].step.y = bad[i];
            rays[4].most = i == 1 || i == 3 ? -1.0 : bad[i];
            for (int r = 0; r < 5; ++r) {
                hit.body = 0;
                ck_assert_int_eq(qd_tree_ray(rig.tree, &rays[r], NULL, NULL, &hit), QD_ERR_VALUE);
                ck_assert_uint_eq(hit.body, QD_NO_BODY);
                ck_assert_int_eq(qd_tree_ray_all(rig.tree, &rays[r], NULL, count_hit, &left), QD_ERR_VALUE);
            }
        }
        const qd_ray nowhere = qd_ray_towards((qd_vec2){0, 0}, (qd_vec2){0, 0}, 1.0);
        ck_assert_int_eq(qd_tree_ray(rig.tree, &nowhere, NULL, NULL, &hit), QD_ERR_VALUE);
        ck_assert_int_eq(qd_tree_ray(NULL, &good, NULL, NULL, &hit), QD_ERR_ARGUMENT);
        ck_assert_int_eq(qd_tree_ray(rig.tree, NULL, NULL, NULL, &hit), QD_ERR_ARGUMENT);
        ck_assert_int_eq(qd_tree_ray(rig.tree, &good, NULL, NULL, NULL), QD_ERR_ARGUMENT);
        ck_assert_int_eq(qd_tree_ray_all(rig.tree, &good, NULL, NULL, NULL), QD_ERR_ARGUMENT);
        ck_assert_int_eq(qd_tree_ray(rig.tree, &good, NULL, NULL, &hit), QD_OK);
        ck_assert_uint_eq(hit.body, filled == 0 ? QD_NO_BODY : 0);
        qd_rig_square(&rig, 0, 0, 1);
        qd_rig_refresh(&rig);
    }
    ck_assert_uint_eq(left, 10);
}

QD_TEST_MAIN("tree_ray", 600, NULL, NULL)
