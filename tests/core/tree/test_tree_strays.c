// Crowds in the wrong places: strays far outside the root, which must not make searches quadratic, and very
// many bodies in one point, which must not take memory without bound.
#include "core/tree/root_list.h"
#include "tests/support/tree_rig.h"

#include <inttypes.h>
#include <math.h>
#include <quadrille/random.h>
#include <stdlib.h>

// ---- strays

enum { SPREAD, LINE, CROSS, DIAGONAL, CIRCLE, ONE_SIDE, HABITS };

// Where stray number i of n is, by one of the habits: all far beyond R20, no two at one place.
static qd_box stray_box(qd_random *random, int habit, int i, int n) {
    double t = (i + 0.5) / n;
    double x = 1e15 * (t - 0.5);
    double y = 1e15;
    double half = 1e15 / n / 4.0;
    switch (habit) {
    case SPREAD: {
        double far = pow(10.0, qd_test_between(random, 12.0, 30.0));
        double angle = qd_test_between(random, 0.0, 6.283185307179586);
        x = far * cos(angle);
        y = far * sin(angle);
        half = far * 1e-6;
        break;
    }
    case CROSS:
        if (i % 2 == 0) y = x, x = 1e15;
        break;
    case DIAGONAL:
        x = copysign(1e12, t - 0.5) + x;
        y = x;
        break;
    case CIRCLE:
        x = 1e15 * cos(6.283185307179586 * t);
        y = 1e15 * sin(6.283185307179586 * t);
        break;
    case ONE_SIDE: // dense, at large coordinates: floats are coarse here
        x = 1e20 * (1.0 + t);
        y = 1e20 * qd_test_between(random, 1.0, 2.0);
        half = 0.0;
        break;
    default: break;
    }
    return (qd_box){(float)(x - half), (float)(y - half), (float)(x + half), (float)(y + half)};
}

// Bounding nodes of the root's list that a search for `box` has to look at.
static size_t bounds_looked_at(const qdi_root_list *root_list, qd_box box, size_t at, size_t begin,
                               size_t end) {
    if (!qd_box_overlap(box, root_list->bounds[at]) || end - begin <= QDI_ROOT_LIST_LEAF) return 1;
    size_t middle = begin + (end - begin) / 2;
    return 1 + bounds_looked_at(root_list, box, 2 * at + 1, begin, middle) +
           bounds_looked_at(root_list, box, 2 * at + 2, middle, end);
}

static bool count_place(void *context, size_t place) {
    (void)place;
    size_t *count = context;
    *count += 1;
    return true;
}

static void put_strays(qd_rig *rig, int habit, int n) {
    qd_random random = qd_random_at(7, (uint64_t)habit, 1);
    for (int i = 0; i < n; ++i) {
        double x = qd_test_between(&random, -0.5, 0.5);
        double y = qd_test_between(&random, -0.5, 0.5);
        qd_rig_square(rig, x, y, 0.2 / sqrt(n)); // an ordinary body
        (void)qd_rig_put(rig, stray_box(&random, habit, i, n));
    }
}

// Half strays, half ordinary bodies: boxes that are compared for all pairs.
static uint64_t tests_of_pairs(int habit, int n) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(1, 1, 32), 1);
    put_strays(&rig, habit, n);
    qd_rig_refresh(&rig);
    (void)qd_rig_pairs(&rig);
    return qd_pairs_tests(rig.pairs);
}

QD_TEST_LOOP(strays_are_searched_by_their_bounds, 0, HABITS) {
    int n = (int)qd_test_effort(100000);
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(1, 1, 32), 2);
    put_strays(&rig, _i, n);
    qd_rig_refresh(&rig);
    ck_assert_uint_eq(qd_tree_statistics(rig.tree).outside, (uint64_t)n);
    ck_assert_int_eq(qd_tree_statistics(rig.tree).root_level, -QD_TREE_MAX_GROWTH);
    qd_rig_validate(&rig);
    const qdi_root_list *root_list = &rig.tree->root_list;
    ck_assert_uint_eq(root_list->count, (size_t)n);
    size_t looked = 0;
    size_t hits = 0;
    uint64_t tests = 0;
    for (size_t i = 0; i < root_list->count; ++i) {
        looked += bounds_looked_at(root_list, root_list->box[i], 0, 0, root_list->count);
        size_t here = 0;
        if (!qdi_root_list_search(root_list, root_list->box[i], (qd_vec2){0, 0}, i, count_place, &here,
                                  &tests) ||
            here == 0)
            ck_abort_msg("place %zu does not find itself", i);
        hits += here - 1;
    }
    // Down one path, some neighbours, and whom it touches.
    ck_assert_uint_le(looked, (size_t)n * (size_t)(24.0 + 4.0 * log2(n)) + 4 * hits);
    size_t count = qd_rig_pairs(&rig);
    const qd_pair *pairs = qd_pairs_data(rig.pairs, &count);
    size_t among_strays = 0;
    for (size_t p = 0; p < count; ++p) among_strays += pairs[p].a % 2 == 1 && pairs[p].b % 2 == 1;
    ck_assert_uint_eq(among_strays, hits);
}

// All that is compared: eight times the bodies would be 64 times as many if each stray were tested with each.
QD_TEST_LOOP(strays_do_not_make_pairs_quadratic, 0, HABITS) {
    int n = (int)qd_test_effort(100000);
    const uint64_t some = tests_of_pairs(_i, n / 8), all = tests_of_pairs(_i, n);
    ck_assert_msg(all <= 16 * some, "%d strays %" PRIu64 " tests, %d strays %" PRIu64 " tests", n / 8, some,
                  n, all);
}

// Few enough for brute force.
QD_TEST_LOOP(strays_are_paired_like_all_others, 0, HABITS) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(1, 1, 8), 2);
    put_strays(&rig, _i, 300);
    qd_random random = qd_random_at(8, (uint64_t)_i, 2);
    for (int i = 0; i < 100; ++i)
        (void)qd_rig_put(&rig, stray_box(&random, _i, i / 2, 300));                       // they touch others
    for (int i = 0; i < 3; ++i) qd_rig_square(&rig, 0.0, 0.0, pow(10.0, 5.0 + 10.0 * i)); // larger than R20
    qd_rig_refresh(&rig);
    qd_rig_check(&rig);
}

// A long root's list in a periodic world: strays along the axis that has no period; or, with two periods,
// bodies just on the upper edges of the world, which are outside the half-open root.
QD_TEST_LOOP(strays_of_periodic_worlds, 0, 3) {
    qd_tree_def def = qd_rig_def(16, 16, _i == 2 ? 300 : 4); // that many may stay outside the root
    def.period.x = _i == 1 ? 0.0 : 16.0;
    def.period.y = _i == 0 ? 0.0 : 16.0;
    qd_own(qd_rig) rig = qd_rig_start(def, 2);
    qd_random random = qd_random_at(9, (uint64_t)_i, 8);
    for (int i = 0; i < 250; ++i) {
        double along = qd_test_between(&random, -8, 8);
        double across = _i == 2 ? 8.0 : 1e9 + 1e6 * qd_test_between(&random, -1, 1);
        double half = _i == 2 ? 0.3 : qd_test_between(&random, 0.0, 3.9);
        bool turned = _i == 1 || (_i == 2 && i % 2 == 0);
        if (i % 25 == 0 && _i == 2) along = 8.0;
        for (int k = 0; k < (_i == 2 ? 2 : i % 3 == 0); ++k)
            qd_rig_square(&rig, qd_test_between(&random, -8, 8), qd_test_between(&random, -8, 8), 0.4);
        qd_rig_square(&rig, turned ? across : along, turned ? along : across, half);
        if (_i < 2) { // long and thin, so that they meet
            qd_box *box = &rig.boxes[rig.count - 1];
            if (turned) {
                box->min_x = 4.0F, box->max_x = 1e9F;
            } else {
                box->min_y = 4.0F, box->max_y = 1e9F;
            }
        }
    }
    qd_rig_refresh(&rig);
    ck_assert_uint_gt(rig.tree->root_list.count, 0);
    qd_rig_check(&rig);
}

// ---- memory

typedef struct tracked_memory {
    qd_allocator allocator;
    size_t live, peak; // atomic
} tracked_memory;

static void *tracked_allocate(void *context, size_t bytes) {
    tracked_memory *memory = context;
    size_t live = __atomic_add_fetch(&memory->live, bytes, __ATOMIC_RELAXED);
    size_t peak = __atomic_load_n(&memory->peak, __ATOMIC_RELAXED);
    while (live > peak && !__atomic_compare_exchange_n(&memory->peak, &peak, live, false, __ATOMIC_RELAXED,
                                                       __ATOMIC_RELAXED)) {
    }
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void tracked_release(void *context, void *memory, size_t bytes) {
    tracked_memory *tracked = context;
    (void)__atomic_sub_fetch(&tracked->live, bytes, __ATOMIC_RELAXED);
    free(memory);
}

static void million_in_one_point(int threads) {
    size_t n = qd_test_effort(1000000);
    tracked_memory memory = {{tracked_allocate, tracked_release, &memory}, 0, 0};
    qd_tree_def def = qd_rig_def(1, 1, 32);
    def.allocator = &memory.allocator;
    qd_rig rig = qd_rig_start(def, threads);
    qd_pairs *pairs = NULL;
    size_t limit = 100 * n / 10;
    ck_assert_int_eq(qd_pairs_create(limit, &memory.allocator, &pairs), QD_OK);
    for (size_t i = 0; i < n; ++i) qd_rig_square(&rig, 0.1, -0.3, 0.001);
    qd_rig_refresh(&rig); // from nothing
    ck_assert_uint_le(memory.peak, 160 * n);
    ck_assert_uint_le(qd_tree_statistics(rig.tree).bytes, 160 * n);
    ck_assert_int_eq(qd_tree_pairs(rig.tree, rig.team, pairs), QD_ERR_LIMIT);
    ck_assert_int_eq(qd_tree_pairs_each(rig.tree, rig.team, pairs), QD_ERR_LIMIT);
    size_t count = 1;
    (void)qd_pairs_data(pairs, &count);
    ck_assert_uint_eq(count, 0);
    // Points, that go as deep as there is: all of them together, in a refresh.
    for (size_t i = 0; i < n; ++i) rig.boxes[i] = (qd_box){0.3F, 0.3F, 0.3F, 0.3F};
    qd_rig_refresh(&rig);
    qd_rig_validate(&rig);
    ck_assert_int_eq(qd_tree_pairs(rig.tree, rig.team, pairs), QD_ERR_LIMIT);
    // A worker stops within one body's candidates of the limit.
    size_t most = 2 * (limit + (size_t)threads * (n + 100000)) * sizeof(qd_pair);
    ck_assert_uint_le(memory.peak, 400 * n + most);
    ck_assert_uint_le(qd_tree_statistics(rig.tree).bytes, 240 * n);
    qd_pairs_destroy(pairs);
    qd_rig_stop(&rig);
    ck_assert_uint_eq(memory.live, 0);
}

QD_TEST_LOOP(a_million_in_one_point_stop_at_the_limit, 1, 4) {
    million_in_one_point(_i);
}

QD_TEST(a_crowd_that_shrinks_to_a_point_keeps_memory_bounded) {
    int n = (int)qd_test_effort(50000);
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(1, 1, 16), 2);
    for (int i = 0; i < n; ++i) qd_rig_square(&rig, 0.0, 0.0, 0.0);
    for (int step = 0; step < 12; ++step) {
        double scale = pow(10.0, step < 6 ? -2.0 * step : 2.0 * step - 20.0) * 0.01;
        qd_random random = qd_random_at(5, (uint64_t)step, 3);
        for (size_t i = 0; i < rig.count; ++i) {
            double x = 0.13 + scale * qd_test_between(&random, -1.0, 1.0);
            qd_rig_move(&rig, i, x, scale * qd_test_between(&random, -1.0, 1.0));
        }
        qd_rig_refresh(&rig);
        qd_rig_validate(&rig);
        ck_assert_uint_le(qd_tree_statistics(rig.tree).bytes, 600 * (size_t)n + 100000);
    }
}

QD_TEST_MAIN("tree_strays", 300, NULL, NULL)
