#include "core/math/outward.h"
#include "tests/support/harness.h"
#include "tools/bench/bench_motion.h"
#include "tools/bench/run.h"

#include <float.h>
#include <math.h>
#include <quadrille/random.h>
#include <string.h>

QD_OWN_VALUE(qdi_bench_setting, qdi_bench_setting_free)

// Every method of the bench finds the pairs that brute force finds, in every scene, on one thread and on two.

/// What a method found in one step.
typedef struct finding {
    size_t pairs;
    uint64_t hash;
} finding;

enum { STEPS = 12, LONG_STEPS = 45 };

static void follow_for(int steps, const qdi_bench_method *method, const qdi_bench_bodies *bodies,
                       const qdi_bench_options *options, finding *found) {
    void *state = NULL;
    ck_assert_msg(method->create(bodies, options, &state) == QD_OK, "%s", method->name);
    ck_assert_ptr_nonnull(state);
    for (int k = 0; k < steps; ++k) {
        qdi_bench_step step;
        memset(&step, 0, sizeof step);
        ck_assert_msg(method->step(state, &step) == QD_OK, "%s, step %d", method->name, k);
        found[k] = (finding){step.pair_count, qdi_bench_pairs_hash(&step)};
    }
    method->destroy(state);
}

static void follow(const qdi_bench_method *method, const qdi_bench_bodies *bodies, int threads, qd_simd simd,
                   finding found[STEPS]) {
    const qdi_bench_options options = {.threads = threads, .simd = (int)simd};
    follow_for(STEPS, method, bodies, &options, found);
}

static void follow_far(const qdi_bench_method *method, const qdi_bench_bodies *bodies, int threads,
                       double margin, finding found[LONG_STEPS]) {
    const qdi_bench_options options = {.threads = threads, .margin = margin};
    follow_for(LONG_STEPS, method, bodies, &options, found);
}

static void compare_all(const qdi_bench_scene *scene, size_t count) {
    qd_own(qdi_bench_setting) setting;
    ck_assert(qdi_bench_setting_make(scene, 1, count, 7, qd_allocator_default(), &setting) == QD_OK);
    finding expected[STEPS], found[STEPS];
    follow(&qdi_bench_brute, &setting.bodies, 1, QD_SIMD_AUTO, expected);
    const qdi_bench_method *method;
    for (size_t m = 0; (method = qdi_bench_method_at(m)) != NULL; ++m) {
        if (method->published) continue; // test_bench_published.c
        for (int threads = 1; threads <= 2; ++threads) {
            if (!method->parallel && threads > 1) break;
            follow(method, &setting.bodies, threads, QD_SIMD_AUTO, found);
            for (int k = 0; k < STEPS; ++k)
                ck_assert_msg(
                    found[k].pairs == expected[k].pairs && found[k].hash == expected[k].hash,
                    "%s, scene %s, %zu bodies, %d threads, step %d: %zu pairs, brute force finds %zu",
                    method->name, scene->name, count, threads, k, found[k].pairs, expected[k].pairs);
        }
    }
}

QD_TEST_LOOP(test_all_methods_find_the_same_pairs, 0, 5) {
    const qdi_bench_scene *scene = qdi_bench_scene_at((size_t)_i);
    if (!scene) ck_abort_msg("there are fewer scenes than this test thinks");
    static const size_t counts[] = {1, 2, 3, 33, 500};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) compare_all(scene, counts[i]);
    compare_all(scene, 700 + qd_test_effort(1000));
}

QD_TEST(test_a_scene_more_than_the_loop_is_none) {
    ck_assert_ptr_nonnull(qdi_bench_scene_at(4));
    ck_assert_ptr_null(qdi_bench_scene_at(5)); // the loops over the scenes below end at 5
}

/// More bodies than a thread's range and a block of pairs hold, and rows that are sorted again on the way.
QD_TEST_LOOP(test_parallel_methods_with_many_bodies, 0, 5) {
    const qdi_bench_scene *scene = qdi_bench_scene_at((size_t)_i);
    qd_own(qdi_bench_setting) setting;
    size_t count = 8500 + qd_test_effort(2500);
    ck_assert(qdi_bench_setting_make(scene, 1, count, 3, qd_allocator_default(), &setting) == QD_OK);
    static const qdi_bench_method *const methods[] = {&qdi_bench_grid, &qdi_bench_quadtree, &qdi_bench_each,
                                                      &qdi_bench_rebuild};
    finding expected[STEPS], found[STEPS];
    follow(methods[0], &setting.bodies, 1, QD_SIMD_PORTABLE, expected);
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; ++m)
        for (int threads = 1; threads <= 4; threads *= 2) {
            follow(methods[m], &setting.bodies, threads, QD_SIMD_AUTO, found);
            for (int k = 0; k < STEPS; ++k)
                ck_assert_msg(found[k].pairs == expected[k].pairs && found[k].hash == expected[k].hash,
                              "%s, scene %s, %d threads, step %d: %zu pairs, the grid alone finds %zu",
                              methods[m]->name, scene->name, threads, k, found[k].pairs, expected[k].pairs);
        }
}

/// With margins the quadtree finds the same, whether boxes last for one step or for many.
QD_TEST_LOOP(test_margins_change_no_pairs, 0, 5) {
    const qdi_bench_scene *scene = qdi_bench_scene_at((size_t)_i);
    const double margins[] = {(double)NAN, 0.01, 0.3, 2}, speeds[] = {0.002, 0.02, 0.3};
    for (size_t v = 0; v < sizeof speeds / sizeof speeds[0]; ++v) {
        qdi_bench_scene slow = *scene;
        slow.speed = speeds[v];
        qd_own(qdi_bench_setting) setting;
        size_t count = v == 0 ? 20000 : 300 + qd_test_effort(700);
        ck_assert(qdi_bench_setting_make(&slow, 1, count, 5, qd_allocator_default(), &setting) == QD_OK);
        finding expected[LONG_STEPS], found[LONG_STEPS];
        follow_far(&qdi_bench_grid, &setting.bodies, 1, 0, expected);
        for (size_t m = 0; m < sizeof margins / sizeof margins[0]; ++m) {
            follow_far(&qdi_bench_quadtree, &setting.bodies, 1 + (int)(m % 3), margins[m], found);
            for (int k = 0; k < LONG_STEPS; ++k)
                ck_assert_msg(found[k].pairs == expected[k].pairs && found[k].hash == expected[k].hash,
                              "scene %s, speed %g, margin %g, step %d: %zu pairs, the grid finds %zu",
                              scene->name, speeds[v], margins[m], k, found[k].pairs, expected[k].pairs);
        }
    }
}

QD_TEST(test_motion_stays_in_the_world_and_boxes_hold_their_bodies) {
    qd_random random = qd_random_at(qd_test_seed(11), 0, 0);
    for (size_t i = 0; i < qd_test_effort(200000); ++i) {
        double half = 1 + 1000 * qd_random_uniform(&random);
        double x = half * (2 * qd_random_uniform(&random) - 1), v = half * qd_random_normal(&random) / 4;
        if (fabs(v) > half) continue;
        double speed = fabs(v), before = x, after = x;
        qdi_bench_move(&after, &v, 1, half);
        ck_assert_msg(fabs(after) <= half, "from %.17g with half %.17g to %.17g", before, half, after);
        ck_assert(fabs(v) == speed);
        double radius = 50 * qd_random_uniform(&random), y = half * (2 * qd_random_uniform(&random) - 1);
        qd_box box = qdi_outward_disk(after, y, radius);
        ck_assert((double)box.min_x < after - radius && (double)box.max_x > after + radius);
        ck_assert((double)box.min_y < y - radius && (double)box.max_y > y + radius);
        ck_assert((double)box.max_x - (after + radius) <= 4 * (double)FLT_EPSILON * (half + radius));
    }
}

// Whatever vectors the motion is made with.
QD_TEST(test_motion_gives_the_bits_of_its_formulas) {
    enum { MOST = 700 };
    static double x[MOST], y[MOST], vx[MOST], vy[MOST], radius[MOST], to_x[MOST], to_y[MOST];
    static qd_box boxes[MOST];
    qd_random random = qd_random_at(qd_test_seed(12), 0, 0);
    for (size_t count = 0; count < MOST; count += 1 + count / 3) {
        double half = 1 + 100 * qd_random_uniform(&random);
        for (size_t i = 0; i < count; ++i) {
            x[i] = half * (2 * qd_random_uniform(&random) - 1);
            y[i] = half * (2 * qd_random_uniform(&random) - 1);
            vx[i] = 0.2 * half * (2 * qd_random_uniform(&random) - 1);
            vy[i] = i % 50 == 0 ? 0.2 * half : 0;
            radius[i] = 50 * qd_random_uniform(&random);
            double way[2] = {x[i] + vx[i], y[i] + vy[i]};
            for (int k = 0; k < 2; ++k)
                if (way[k] > half || way[k] < -half)
                    way[k] -= 2 * (way[k] > 0 ? way[k] - half : way[k] + half);
            to_x[i] = way[0];
            to_y[i] = way[1];
        }
        qdi_bench_move_disks(x, y, vx, vy, radius, boxes, count, half);
        ck_assert(memcmp(x, to_x, count * sizeof *x) == 0 && memcmp(y, to_y, count * sizeof *y) == 0);
        for (size_t i = 0; i < count; ++i) {
            const qd_box box = qdi_outward_disk(x[i], y[i], radius[i]);
            ck_assert(memcmp(&box, &boxes[i], sizeof box) == 0);
        }
    }
}

QD_TEST_MAIN("bench_methods", 300, NULL, NULL)
