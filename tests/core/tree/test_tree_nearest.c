// Circles and nearest bodies against brute force over random scenes. A failure names its seed;
// QD_TEST_SEED=seed runs that scene alone.
#include "core/tree/near_point.h"
#include "tests/support/harness.h"
#include "tests/support/tree_rig.h"
#include "tests/support/tree_scenes.h"

#include <math.h>
#include <pthread.h>
#include <quadrille/near.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INDICES = QD_SCENE_MOST * 8 };

/// Boxes of bodies, nodes and bounds to which this thread has taken distances.
static _Thread_local size_t boxes_tested;

static inline double count_to_box(const qdi_near_point *origin, unsigned copy, qd_box box) {
    boxes_tested += 1;
    return qdi_near_point_to_box(origin, copy, box);
}

#define qdi_near_point_to_box count_to_box
// The code under test, with its distances counted.
#include "core/tree/tree_nearest.c" // NOLINT(bugprone-suspicious-include)

// ---- brute force

static double gap(double at, double min, double max) {
    return at < min ? min - at : at > max ? at - max : 0.0;
}

static double to_box(qd_vec2 point, qd_box box) {
    const double x = gap(point.x, (double)box.min_x, (double)box.max_x);
    const double y = gap(point.y, (double)box.min_y, (double)box.max_y);
    return fmax(sqrt(x * x + y * y), fmax(x, y));
}

// The lower left quarter of a box: what is nearest to it may be another image than the box's.
static qd_box quarter_of(qd_box box) {
    return (qd_box){box.min_x, box.min_y, 0.5F * box.min_x + 0.5F * box.max_x,
                    0.5F * box.min_y + 0.5F * box.max_y};
}

typedef struct found {
    size_t times;
    bool tied; // several images are as near
    double distance;
    qd_image image;
} found;

typedef struct bench {
    uint64_t seed;
    int number;
    qd_test_scene *scene;
    qd_tree *tree;
    qd_vec2 point;
    bool quarters;
    qd_box box_of[INDICES];
    found ours[INDICES], theirs[INDICES];
    qd_near sorted[QD_SCENE_MOST], nearest[QD_SCENE_MOST + 8];
} bench;

#define CHECK(condition, ...)                                                                                \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            char text[300];                                                                                  \
            snprintf(text, sizeof text, __VA_ARGS__);                                                        \
            ck_abort_msg("seed %llu point %d (%.17g %.17g): %s", (unsigned long long)b->seed, b->number,     \
                         b->point.x, b->point.y, text);                                                      \
        }                                                                                                    \
    } while (0)

static double distance_of(const bench *b, qd_body_index body, qd_image image) {
    const qd_vec2 period = b->scene->def.period;
    const qd_vec2 seen = {b->point.x - image.x * period.x, b->point.y - image.y * period.y};
    return to_box(seen, b->quarters ? quarter_of(b->box_of[body]) : b->box_of[body]);
}

static double test_quarter(void *context, qd_body_index body, qd_image image, double most) {
    const bench *b = context;
    const double distance = distance_of(b, body, image);
    return distance <= most ? distance : (double)INFINITY; // as the rules allow
}

static void measure_by_force(bench *b) {
    const qd_vec2 period = b->scene->def.period;
    const int base_x = period.x > 0.0 ? (int)floor(b->point.x / period.x) : 0;
    const int base_y = period.y > 0.0 ? (int)floor(b->point.y / period.y) : 0;
    const int reach_x = period.x > 0.0 ? 2 : 0, reach_y = period.y > 0.0 ? 2 : 0;
    memset(b->theirs, 0, sizeof b->theirs);
    for (size_t i = 0; i < b->scene->count; ++i) {
        found *best = &b->theirs[b->scene->indices[i]];
        best->distance = (double)INFINITY;
        for (int x = base_x - reach_x; x <= base_x + reach_x; ++x) {
            for (int y = base_y - reach_y; y <= base_y + reach_y; ++y) {
                const qd_image image = {(int16_t)x, (int16_t)y};
                const double distance = distance_of(b, b->scene->indices[i], image);
                if (distance == best->distance) best->tied = true;
                if (distance < best->distance) *best = (found){1, false, distance, image};
            }
        }
    }
}

static void compare(const bench *b, const qd_near *near) {
    const found *right = &b->theirs[near->body];
    CHECK(near->distance == right->distance, "body %u at %.17g, not %.17g", near->body, near->distance,
          right->distance);
    CHECK(right->tied || (near->image.x == right->image.x && near->image.y == right->image.y),
          "body %u through (%d, %d), not (%d, %d)", near->body, near->image.x, near->image.y, right->image.x,
          right->image.y);
}

static bool note(void *context, const qd_near *near) {
    bench *b = context;
    b->ours[near->body].times += 1;
    compare(b, near);
    return true;
}

static void check_circle(bench *b, double radius) {
    memset(b->ours, 0, sizeof b->ours);
    qd_status status = qd_tree_circle(b->tree, b->point, radius, b->quarters ? test_quarter : NULL, note, b);
    CHECK(status == QD_OK, "circle: %s", qd_status_text(status));
    for (size_t i = 0; i < b->scene->count; ++i) {
        const qd_body_index body = b->scene->indices[i];
        const size_t times = b->theirs[body].distance <= radius;
        CHECK(b->ours[body].times == times, "circle %.17g: body %u is told %zu times", radius, body,
              b->ours[body].times);
    }
}

static int by_distance(const void *left, const void *right) {
    const qd_near *a = left, *b = right;
    if (a->distance != b->distance) return a->distance < b->distance ? -1 : 1;
    return a->body < b->body ? -1 : 1;
}

static void check_nearest(bench *b, size_t most, double within) {
    size_t count = 1000000, right = 0;
    memset(b->nearest, 0xff, sizeof b->nearest);
    qd_status status = qd_tree_nearest(b->tree, b->point, within, b->quarters ? test_quarter : NULL, b, most,
                                       b->nearest, &count);
    CHECK(status == QD_OK, "nearest: %s", qd_status_text(status));
    while (right < most && right < b->scene->count && b->sorted[right].distance <= within) ++right;
    CHECK(count == right, "%zu nearest, should be %zu", count, right);
    for (size_t i = 0; i < count; ++i) {
        CHECK(b->nearest[i].body == b->sorted[i].body, "of %zu number %zu is %u, should be %u", most, i,
              b->nearest[i].body, b->sorted[i].body);
        compare(b, &b->nearest[i]);
    }
    CHECK(b->nearest[most].body == UINT32_MAX, "more was written than there is room for");
}

static double between(bench *b, double low, double high) {
    return low + (high - low) * qd_random_uniform(&b->scene->random);
}

static void draw_point(bench *b) {
    const qd_vec2 size = b->scene->def.size;
    b->point = (qd_vec2){between(b, -1.5, 1.5) * size.x, between(b, -1.5, 1.5) * size.y};
    const uint32_t kind = qd_test_scene_below(b->scene, 5);
    if (kind == 0) b->point = (qd_vec2){0.5 * size.x, -0.5 * size.y}; // where copies meet
    if (kind == 1 && b->scene->def.period.x == 0.0) b->point.x *= 1e12;
    if (kind > 2 || b->scene->count == 0) return;
    const qd_box box = b->scene->boxes[qd_test_scene_below(b->scene, (uint32_t)b->scene->count)];
    b->point.x = (double)box.max_x; // a corner
    if (kind == 2) b->point.y = (double)box.min_y;
}

static void check_point(bench *b) {
    measure_by_force(b);
    const size_t bodies = b->scene->count;
    for (size_t i = 0; i < bodies; ++i) {
        const qd_body_index body = b->scene->indices[i];
        b->sorted[i] = (qd_near){b->theirs[body].distance, body, {0, 0}};
    }
    qsort(b->sorted, bodies, sizeof *b->sorted, by_distance);
    const double size = fmax(b->scene->def.size.x, b->scene->def.size.y);
    const double radii[] = {0.0, between(b, 0.0, 0.3) * size, between(b, 0.0, 3.0) * size,
                            bodies == 0 ? 0.0 : b->sorted[bodies / 2].distance, // just so
                            (double)INFINITY};
    for (size_t r = 0; r < sizeof radii / sizeof radii[0]; ++r) check_circle(b, radii[r]);
    const size_t most[] = {0, 1, 2, 7, 30, bodies, bodies + 5};
    for (size_t m = 0; m < sizeof most / sizeof most[0]; ++m) {
        check_nearest(b, most[m], (double)INFINITY);
        check_nearest(b, most[m], radii[m % 4]);
    }
}

static void run_scene(uint64_t seed) {
    static qd_test_scene scene;
    static bench b;
    memset(&b, 0, sizeof b);
    b.seed = seed;
    b.scene = &scene;
    b.tree = qd_test_scene_grow(&scene, seed);
    for (size_t i = 0; i < scene.count; ++i) b.box_of[scene.indices[i]] = scene.boxes[i];
    for (b.number = 0; b.number < 8; ++b.number) {
        draw_point(&b);
        b.quarters = b.number % 2 == 1;
        check_point(&b);
    }
    qd_tree_destroy(b.tree);
}

QD_TEST_LOOP(random_scenes, 0, 4) {
    qd_test_seeds(300, _i, run_scene);
}

// ---- large scenes

// So many that more wait to be looked at than the queue takes.
QD_TEST_LOOP(many_nearest, 0, 3) {
    const int n = (int)qd_test_effort(40000);
    qd_tree_def def = qd_rig_def(1, 1, 2);
    if (_i == 1) def.period = def.size;
    qd_own(qd_rig) rig = qd_rig_start(def, 1);
    qd_rig_crowd(&rig, n, _i == 2);
    qd_rig_refresh(&rig);
    const size_t most = (size_t)n * 2 / 3;
    qd_own_memory qd_near *right = qd_test_memory((size_t)n * sizeof *right),
                          *nearest = qd_test_memory(most * sizeof *nearest);
    for (int q = 0; q < 4; ++q) {
        const qd_vec2 point = {0.1 * q - 0.5, _i == 2 ? 1e14 * q : 0.3};
        for (size_t i = 0; i < (size_t)n; ++i) {
            right[i] = (qd_near){.distance = (double)INFINITY, .body = (qd_body_index)i};
            for (int k = 0; k < 9; ++k) {
                const qd_vec2 shift = {(k % 3 - 1) * def.period.x, (k / 3 - 1) * def.period.y};
                const qd_vec2 seen = {point.x - shift.x, point.y - shift.y};
                right[i].distance = fmin(right[i].distance, to_box(seen, rig.boxes[i]));
            }
        }
        qsort(right, (size_t)n, sizeof *right, by_distance);
        size_t count = 0;
        ck_assert_int_eq(
            qd_tree_nearest(rig.tree, point, (double)INFINITY, NULL, NULL, most, nearest, &count), QD_OK);
        ck_assert_uint_eq(count, most);
        for (size_t i = 0; i < most; ++i) {
            if (nearest[i].body != right[i].body || nearest[i].distance != right[i].distance)
                ck_abort_msg("number %zu of the nearest is %u, should be %u", i, nearest[i].body,
                             right[i].body);
        }
    }
}

typedef struct asked {
    const qd_rig *rig;
    qd_vec2 point;
    size_t count;
} asked;

static double count_asked(void *context, qd_body_index body, qd_image image, double most) {
    (void)image, (void)most;
    asked *a = context;
    a->count += 1;
    return to_box(a->point, a->rig->boxes[body]);
}

// Near bodies are asked first, so that hardly any other is asked at all.
QD_TEST(few_are_asked_for_the_nearest) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(1, 1, 32), 1);
    qd_rig_crowd(&rig, 100000, true);
    qd_rig_refresh(&rig);
    for (int strays = 0; strays < 2; ++strays) {
        asked a = {.rig = &rig};
        for (int i = 0; i < 100; ++i) {
            const double scale = strays ? 1e15 : 1.0;
            a.point = (qd_vec2){0.009 * scale * (i - 50), 0.009 * scale * (i * 37 % 100 - 50)};
            qd_near nearest[10];
            size_t count = 0;
            ck_assert_int_eq(
                qd_tree_nearest(rig.tree, a.point, (double)INFINITY, count_asked, &a, 10, nearest, &count),
                QD_OK);
            ck_assert_uint_eq(count, 10);
        }
        ck_assert_uint_le(a.count, 100 * 60);
    }
}

typedef struct questions {
    const qd_rig *rig;
    qd_near nearest[400][8];
} questions;

static void *ask(void *context) {
    questions *mine = context;
    qd_random random = qd_random_at(8, 0, 1);
    for (int i = 0; i < 400; ++i) {
        const double scale = i % 2 == 0 ? 1.0 : 1e15;
        const double x = qd_random_uniform(&random) - 0.5, y = qd_random_uniform(&random) - 0.5;
        size_t count = 0;
        ck_assert_int_eq(qd_tree_nearest(mine->rig->tree, (qd_vec2){scale * x, scale * y}, (double)INFINITY,
                                         NULL, NULL, 8, mine->nearest[i], &count),
                         QD_OK);
        ck_assert_uint_eq(count, 8);
    }
    return NULL;
}

QD_TEST(threads_ask_at_once) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(1, 1, 8), 1);
    qd_rig_crowd(&rig, 4000, true);
    qd_rig_refresh(&rig);
    const uint64_t before = qd_tree_hash(rig.tree);
    static questions of[4];
    pthread_t threads[4];
    for (int t = 0; t < 4; ++t) {
        memset(&of[t], 0, sizeof of[t]);
        of[t].rig = &rig;
        ck_assert_int_eq(pthread_create(&threads[t], NULL, ask, &of[t]), 0);
    }
    for (int t = 0; t < 4; ++t) ck_assert_int_eq(pthread_join(threads[t], NULL), 0);
    for (int i = 0; i < 400 * 8; ++i) {
        for (int t = 1; t < 4; ++t) {
            ck_assert_uint_eq(of[t].nearest[i / 8][i % 8].body, of[0].nearest[i / 8][i % 8].body);
        }
    }
    ck_assert_uint_eq(qd_tree_hash(rig.tree), before);
}

static size_t boxes_of_questions(int n) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(1, 1, 32), 1);
    qd_rig_crowd(&rig, n, true);
    qd_rig_refresh(&rig);
    static questions mine;
    mine.rig = &rig;
    const size_t before = boxes_tested;
    (void)ask(&mine);
    return boxes_tested - before;
}

// Sixteen times the bodies, half of them strays: each with each would be sixteen times as many.
QD_TEST(the_nearest_do_not_cost_all_bodies) {
    const int n = (int)qd_test_effort(160000);
    const size_t some = boxes_of_questions(n / 16), all = boxes_of_questions(n);
    ck_assert_msg(all <= 2 * some && all <= 400 * 250, "%d bodies %zu boxes, %d bodies %zu boxes", n / 16,
                  some, n, all);
}

// ---- by hand

static bool count_near(void *context, const qd_near *near) {
    (void)near;
    size_t *left = context;
    return (*left)-- > 1;
}

static double odd_distances(void *context, qd_body_index body, qd_image image, double most) {
    (void)context, (void)image, (void)most;
    static const double answers[] = {-1.0, (double)NAN, (double)INFINITY, 0.0, -(double)INFINITY, 100.0};
    return answers[body];
}

QD_TEST(calls_back_may_stop_and_leave_out) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(16, 16, 1), 1);
    for (int i = 0; i < 6; ++i) qd_rig_square(&rig, 0.0, 0.0, i == 5 ? 0.0 : 0.25);
    qd_rig_refresh(&rig);
    for (size_t most = 1; most <= 8; ++most) {
        size_t left = most;
        ck_assert_int_eq(qd_tree_circle(rig.tree, (qd_vec2){0.1, 0}, 0.1, NULL, count_near, &left), QD_OK);
        ck_assert_uint_eq(left, most <= 6 ? 0 : most - 6);
    }
    qd_near nearest[6];
    size_t count = 0;
    ck_assert_int_eq(
        qd_tree_nearest(rig.tree, (qd_vec2){0, 0}, (double)INFINITY, odd_distances, NULL, 6, nearest, &count),
        QD_OK);
    ck_assert_uint_eq(
        count, 4); // negative ones are none, equal ones go by their index, NaN and infinity are left out
    static const qd_body_index order[] = {0, 3, 4, 5};
    for (size_t i = 0; i < 4; ++i) {
        ck_assert_uint_eq(nearest[i].body, order[i]);
        ck_assert(nearest[i].distance == (i == 3 ? 100.0 : 0.0));
    }
}

QD_TEST(the_smallest_distances_are_told_apart) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(1, 1, 1), 1);
    (void)qd_rig_put(&rig, (qd_box){0, 0, 0, 0});
    qd_rig_refresh(&rig);
    size_t left = 10;
    ck_assert_int_eq(qd_tree_circle(rig.tree, (qd_vec2){1e-200, 1e-200}, 0.0, NULL, count_near, &left),
                     QD_OK);
    ck_assert_uint_eq(left, 10);
    ck_assert_int_eq(qd_tree_circle(rig.tree, (qd_vec2){1e-200, 0}, 1e-200, NULL, count_near, &left), QD_OK);
    ck_assert_uint_eq(left, 9);
}

QD_TEST(bad_arguments_are_refused) {
    qd_tree_def def = qd_rig_def(16, 16, 2);
    def.period.y = 16.0;
    qd_own(qd_rig) rig = qd_rig_start(def, 1);
    qd_near nearest[2];
    size_t left = 10, count = 7;
    const double inf = (double)INFINITY;
    for (int filled = 0; filled < 2; ++filled) {
        const double bad[] = {(double)NAN, inf, -inf, 1e39, -1e300};
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
            const qd_vec2 points[] = {{bad[i], 0}, {0, bad[i]}, {0, 16.0 * 40000.0}, {0, 0}};
            for (int p = 0; p < 4; ++p) {
                const double radius = p < 3 ? 1.0 : i % 2 == 0 ? (double)NAN : -1.0;
                count = 7;
                ck_assert_int_eq(qd_tree_nearest(rig.tree, points[p], radius, NULL, NULL, 2, nearest, &count),
                                 QD_ERR_VALUE);
                ck_assert_uint_eq(count, 0);
                ck_assert_int_eq(qd_tree_circle(rig.tree, points[p], radius, NULL, count_near, &left),
                                 QD_ERR_VALUE);
            }
        }
        const qd_vec2 origin = {0, 0};
        ck_assert_int_eq(qd_tree_circle(NULL, origin, 1, NULL, count_near, &left), QD_ERR_ARGUMENT);
        ck_assert_int_eq(qd_tree_circle(rig.tree, origin, 1, NULL, NULL, &left), QD_ERR_ARGUMENT);
        ck_assert_int_eq(qd_tree_nearest(NULL, origin, 1, NULL, NULL, 2, nearest, &count), QD_ERR_ARGUMENT);
        ck_assert_int_eq(qd_tree_nearest(rig.tree, origin, 1, NULL, NULL, 2, NULL, &count), QD_ERR_ARGUMENT);
        ck_assert_int_eq(qd_tree_nearest(rig.tree, origin, 1, NULL, NULL, 2, nearest, NULL), QD_ERR_ARGUMENT);
        ck_assert_int_eq(qd_tree_nearest(rig.tree, origin, 1, NULL, NULL, 0, NULL, &count), QD_OK);
        ck_assert_uint_eq(count, 0);
        ck_assert_int_eq(qd_tree_nearest(rig.tree, origin, inf, NULL, NULL, 2, nearest, &count), QD_OK);
        ck_assert_uint_eq(count, (size_t)filled);
        ck_assert_int_eq(qd_tree_circle(rig.tree, origin, 0, NULL, count_near, &left), QD_OK);
        ck_assert_uint_eq(left, 10U - (unsigned)filled);
        qd_rig_square(&rig, 0, 0, 1);
        qd_rig_refresh(&rig);
    }
}

QD_TEST(no_memory_is_taken) {
    qd_test_allocator memory = qd_test_allocator_of(&memory, 0);
    qd_tree_def def = qd_rig_def(16, 16, 2);
    def.allocator = &memory.allocator;
    qd_own(qd_rig) rig = qd_rig_start(def, 1);
    qd_rig_crowd(&rig, 1000, true);
    qd_rig_refresh(&rig);
    memory.fail_at = memory.calls + 1; // whatever is asked for from here on is refused
    const size_t calls = memory.calls;
    static qd_near nearest[1000];
    size_t left = 2000, count = 0;
    ck_assert_int_eq(
        qd_tree_nearest(rig.tree, (qd_vec2){0, 0}, (double)INFINITY, NULL, NULL, 1000, nearest, &count),
        QD_OK);
    ck_assert_uint_eq(count, 1000);
    ck_assert_int_eq(qd_tree_circle(rig.tree, (qd_vec2){0, 0}, 10.0, NULL, count_near, &left), QD_OK);
    ck_assert_uint_eq(left, 1500);
    ck_assert_uint_eq(memory.calls, calls);
}

QD_TEST_MAIN("tree_nearest", 600, NULL, NULL)
