// What rays cost: no memory, any number of threads at once, and few bodies looked at.
#include "core/tree/ray_box.h"
#include "tests/support/rays.h"

#include <math.h>
#include <pthread.h>
#include <quadrille/random.h>
#include <string.h>

/// Boxes of bodies, nodes and bounds that this thread's rays have been tested with.
static _Thread_local size_t boxes_tested;

static inline bool count_meets_box(const qdi_ray_line *ray, qd_box box, double *at) {
    boxes_tested += 1;
    return qdi_ray_meets_box(ray, box, at);
}

#define qdi_ray_meets_box count_meets_box
// The code under test, with its tests counted.
#include "core/tree/tree_ray.c" // NOLINT(bugprone-suspicious-include)

QD_TEST(no_memory_is_taken) {
    qd_test_allocator memory = qd_test_allocator_of(&memory, 0);
    qd_tree_def def = qd_rig_def(16, 16, 2);
    def.allocator = &memory.allocator;
    qd_own(qd_rig) rig = qd_rig_start(def, 1);
    for (int i = 0; i < 500; ++i) qd_rig_square(&rig, (i % 25) * (i < 250 ? 0.5 : 1e15), i / 25, 0.2);
    qd_rig_refresh(&rig);
    memory.fail_at = memory.calls + 1; // whatever is asked for from here on is refused
    const size_t calls = memory.calls;
    size_t left = 1000;
    for (int i = 0; i < 20; ++i) {
        const qd_ray ray = qd_ray_between((qd_vec2){-1, i}, (qd_vec2){3e16, i});
        ck_assert_uint_eq(first_hit(&rig, ray).body, 25U * (unsigned)i);
        ck_assert_int_eq(qd_tree_ray_all(rig.tree, &ray, NULL, count_hit, &left), QD_OK);
    }
    ck_assert_uint_eq(left, 500);
    ck_assert_uint_eq(memory.calls, calls);
}

typedef struct shots {
    const qd_rig *rig;
    qd_ray_hit hits[400];
} shots;

static void *shoot(void *context) {
    shots *mine = context;
    qd_random random = qd_random_at(8, 0, 1);
    for (int i = 0; i < 400; ++i) {
        const double scale = i % 2 == 0 ? 1.0 : 1e15;
        const qd_vec2 from = {scale * (qd_random_uniform(&random) - 0.5),
                              scale * (qd_random_uniform(&random) - 0.5)};
        const qd_vec2 direction = {qd_random_uniform(&random) - 0.5, qd_random_uniform(&random) - 0.5};
        mine->hits[i] = first_hit(mine->rig, qd_ray_towards(from, direction, (double)INFINITY));
    }
    return NULL;
}

QD_TEST(threads_ask_at_once) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(1, 1, 8), 1);
    qd_rig_crowd(&rig, 4000, true);
    qd_rig_refresh(&rig);
    const uint64_t before = qd_tree_hash(rig.tree);
    static shots of[4];
    pthread_t threads[4];
    for (int t = 0; t < 4; ++t) {
        memset(&of[t], 0, sizeof of[t]);
        of[t].rig = &rig;
        ck_assert_int_eq(pthread_create(&threads[t], NULL, shoot, &of[t]), 0);
    }
    for (int t = 0; t < 4; ++t) ck_assert_int_eq(pthread_join(threads[t], NULL), 0);
    size_t hits = 0;
    for (int i = 0; i < 400; ++i) {
        hits += of[0].hits[i].body != QD_NO_BODY;
        for (int t = 1; t < 4; ++t) {
            ck_assert_uint_eq(of[t].hits[i].body, of[0].hits[i].body);
            ck_assert(of[t].hits[i].at == of[0].hits[i].at);
        }
    }
    ck_assert_uint_ge(hits, 300);
    ck_assert_uint_eq(qd_tree_hash(rig.tree), before);
}

static bool count_asked(void *context, qd_body_index body, qd_image image, double most, double *at) {
    (void)body, (void)image;
    size_t *asked = context;
    *asked += 1;
    *at = fmin(*at, most); // hit where the box is entered
    return true;
}

// Near bodies are asked first, so that hardly any other is asked at all.
QD_TEST(few_are_asked_for_the_first_hit) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(1, 1, 32), 1);
    qd_rig_crowd(&rig, 100000, true);
    qd_rig_refresh(&rig);
    for (int strays = 0; strays < 2; ++strays) {
        const double scale = strays ? 1e15 : 1.0;
        size_t asked = 0, crossed = 0;
        for (int i = 0; i < 100; ++i) {
            const double y = 0.009 * scale * (i - 50);
            const double side = i % 2 == 0 ? -scale : scale;
            const qd_ray ray = qd_ray_between((qd_vec2){side, y}, (qd_vec2){-side, y + 0.01 * scale});
            qd_ray_hit hit;
            ck_assert_int_eq(qd_tree_ray(rig.tree, &ray, count_asked, &asked, &hit), QD_OK);
            ck_assert_uint_ne(hit.body, QD_NO_BODY);
            size_t left = SIZE_MAX;
            ck_assert_int_eq(qd_tree_ray_all(rig.tree, &ray, NULL, count_hit, &left), QD_OK);
            crossed += SIZE_MAX - left;
        }
        ck_assert_uint_ge(crossed, 5000);
        ck_assert_msg(asked <= 500, "%zu asked of %zu", asked, crossed);
    }
}

static size_t boxes_of_shots(int n) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(1, 1, 32), 1);
    qd_rig_crowd(&rig, n, true);
    qd_rig_refresh(&rig);
    static shots mine;
    mine.rig = &rig;
    const size_t before = boxes_tested;
    (void)shoot(&mine);
    return boxes_tested - before;
}

// Sixteen times the bodies, half of them strays: each with each would be sixteen times as many.
QD_TEST(the_first_hit_does_not_cost_all_bodies) {
    const int n = (int)qd_test_effort(160000);
    const size_t some = boxes_of_shots(n / 16), all = boxes_of_shots(n);
    ck_assert_msg(all <= 2 * some && all <= 400 * 250, "%d bodies %zu boxes, %d bodies %zu boxes", n / 16,
                  some, n, all);
}

// A body that a ray first meets after half of the `n` periods that it crosses, and then in most of them.
static size_t boxes_of_crossing(int n) {
    qd_tree_def def = qd_rig_def(1, 1, 32);
    def.period = (qd_vec2){1, 1};
    qd_own(qd_rig) rig = qd_rig_start(def, 1);
    qd_rig_square(&rig, 0.25, 0.25, 0.1);
    qd_rig_refresh(&rig);
    const qd_ray ray = qd_ray_between((qd_vec2){0, 0.1}, (qd_vec2){n, 0.25});
    size_t left = SIZE_MAX;
    const size_t before = boxes_tested;
    ck_assert_int_eq(qd_tree_ray_all(rig.tree, &ray, NULL, count_hit, &left), QD_OK);
    ck_assert_uint_eq(SIZE_MAX - left, 1);
    return boxes_tested - before;
}

// Eight times the periods: each with each would be 64 times as many.
QD_TEST(all_hits_do_not_cost_periods_squared) {
    const size_t some = boxes_of_crossing(4000), all = boxes_of_crossing(32000);
    ck_assert_msg(all <= 9 * some && some <= 4000 * 8, "4000 periods %zu boxes, 32000 %zu", some, all);
}

QD_TEST_MAIN("tree_ray_cost", 300, NULL, NULL)
