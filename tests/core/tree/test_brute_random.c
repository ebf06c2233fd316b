// The brute-force index over random scenes, against overlap worked out in whole numbers, by another route
// than core/tree/image.h.
#include "core/tree/image.h"
#include "tests/support/brutes.h"

#include <math.h>
#include <quadrille/random.h>

// A scene on whole numbers, where every sum is exact.
enum { SCENE_BODIES = 40 };
typedef struct scene {
    int width, height; // even
    bool periodic[2];
    int n;
    int low[SCENE_BODIES][2], high[SCENE_BODIES][2];
    qd_box boxes[SCENE_BODIES];
} scene;

static int number_below(qd_random *random, int end) {
    return (int)(qd_random_bits(random) % (uint64_t)end);
}

static void make_scene(scene *s, uint64_t seed) {
    qd_random random = qd_random_at(seed, 0, 0);
    s->width = 4 + 2 * number_below(&random, 20);
    s->height = 4 + 2 * number_below(&random, 20);
    s->periodic[0] = qd_random_bits(&random) & 1;
    s->periodic[1] = qd_random_bits(&random) & 1;
    s->n = number_below(&random, SCENE_BODIES + 1);
    for (int i = 0; i < s->n; ++i) {
        for (int axis = 0; axis < 2; ++axis) {
            const int world = axis == 0 ? s->width : s->height;
            const int longest = s->periodic[axis] ? world / 4 : world; // half of the longest side
            const int range = s->periodic[axis] ? world : 2 * world;
            const int middle = number_below(&random, range + 1) - range / 2;
            const int half = number_below(&random, 3) ? number_below(&random, 3)
                                                      : number_below(&random, longest + 1);
            s->low[i][axis] = middle - (half < longest ? half : longest);
            s->high[i][axis] = middle + (half < longest ? half : longest);
        }
        s->boxes[i] = (qd_box){(float)s->low[i][0], (float)s->low[i][1], (float)s->high[i][0],
                               (float)s->high[i][1]};
    }
}

// The shift of b with the smallest magnitude that makes it overlap a along one axis; 99 where there is none.
// Two boxes of half a period can touch on both sides only with shift 0 beside +1 or -1.
static int nearest_shift(const scene *s, int a, int b, int axis) {
    const int period = axis == 0 ? s->width : s->height;
    static const int order[] = {0, 1, -1, 2, -2};
    for (size_t k = 0; k < (s->periodic[axis] ? COUNT(order) : 1); ++k) {
        const int shift = order[k] * period;
        if (s->low[a][axis] <= s->high[b][axis] + shift && s->low[b][axis] + shift <= s->high[a][axis])
            return order[k];
    }
    return 99;
}

static void check_scene(uint64_t seed, qd_team *team, qd_pairs *pairs) {
    scene s;
    make_scene(&s, seed);
    const qd_tree_def def = def_of(s.width, s.height, s.periodic[0], s.periodic[1]);
    qd_own(qd_brute) brute = make_brute(&def);
    size_t bad = 0;
    ck_assert_msg(qd_brute_refresh(brute, team, s.boxes, NULL, (size_t)s.n, NULL, &bad) == QD_OK,
                  "seed %llu: box %zu is bad", (unsigned long long)seed, bad);
    ck_assert_int_eq(qd_brute_pairs(brute, team, pairs), QD_OK);
    size_t count, found = 0;
    const qd_pair *pair = qd_pairs_data(pairs, &count);
    for (int a = 0; a < s.n; ++a) {
        const hits h = retrieve(brute, s.boxes[a], (qd_body_index)a);
        size_t hit = 0;
        for (int b = 0; b < s.n; ++b) {
            const int x = nearest_shift(&s, a, b, 0), y = nearest_shift(&s, a, b, 1);
            if (a == b || x == 99 || y == 99) continue;
            ck_assert_msg(hit < h.count && h.body[hit] == (qd_body_index)b && h.image[hit].x == x &&
                              h.image[hit].y == y,
                          "seed %llu: retrieve of %d, hit %zu", (unsigned long long)seed, a, hit);
            ++hit;
            if (b < a) continue;
            ck_assert_msg(found < count && pair_is(pair[found], (qd_body_index)a, (qd_body_index)b, x, y),
                          "seed %llu: pair %zu", (unsigned long long)seed, found);
            ++found;
        }
        ck_assert_msg(hit == h.count, "seed %llu: %zu hits of %d", (unsigned long long)seed, h.count, a);
    }
    ck_assert_msg(found == count, "seed %llu: %zu pairs, expected %zu", (unsigned long long)seed, count,
                  found);
}

QD_TEST(random_scenes_on_whole_numbers) {
    qd_own(qd_team) team = make_team(2);
    qd_own(qd_pairs) pairs = make_pairs(100000);
    const uint64_t first = qd_test_seed(1);
    const uint64_t scenes = qd_test_replaying() ? 1 : qd_test_effort(3000);
    for (uint64_t k = 0; k < scenes; ++k) check_scene(first + k, team, pairs);
}

// (a, b, s) holds exactly where (b, a, -s) does, also where float32 rounds and boxes touch or nearly so.
QD_TEST(the_rule_is_symmetric) {
    const uint64_t seed = qd_test_seed(3);
    qd_random random = qd_random_at(seed, 0, 0);
    const size_t count = qd_test_effort(200000);
    size_t overlaps = 0, wrapped = 0;
    for (size_t k = 0; k < count; ++k) {
        const double period = 1.0 + 99.0 * qd_random_uniform(&random);
        float low[2], high[2];
        for (int i = 0; i < 2; ++i) {
            const double middle = period * (qd_random_uniform(&random) - 0.5);
            const double half = 0.25 * period * (k % 2 ? qd_random_uniform(&random) : 0.01);
            low[i] = (float)(middle - half);
            high[i] = (float)(middle + half);
        }
        if (k % 3 == 0) { // touching through the border, give or take a float
            high[0] = (float)(0.5 * period);
            low[1] = (float)(-0.5 * period);
            if (k % 2) high[0] = nextafterf(high[0], k % 4 == 1 ? 0.0F : 1e9F);
            if (low[0] > high[0]) low[0] = high[0];
            if (high[1] < low[1]) high[1] = low[1];
        }
        int forth = 0, back = 0;
        const bool one = qdi_image_axis(low[0], high[0], low[1], high[1], period, 0, &forth);
        const bool other = qdi_image_axis(low[1], high[1], low[0], high[0], period, 0, &back);
        ck_assert_msg(one == other && forth == -back, "seed %llu, draw %zu", (unsigned long long)seed, k);
        overlaps += one;
        wrapped += one && forth != 0;
    }
    ck_assert_uint_gt(overlaps, count / 10);
    ck_assert_uint_gt(wrapped, count / 100);
}

QD_TEST(pairs_are_the_same_for_any_team) {
    enum { N = 1000 };
    static qd_box boxes[N];
    static qd_body_index indices[N];
    qd_random random = qd_random_at(8, 0, 0);
    for (size_t i = 0; i < N; ++i) {
        const double x = 20.0 * qd_random_uniform(&random) - 10.0,
                     y = 20.0 * qd_random_uniform(&random) - 10.0;
        boxes[i] = qd_box_of_disk(x, y, 0.5);
        indices[i] = (qd_body_index)((i * 7919) % 4096); // 7919 is odd, so all differ
    }
    const qd_tree_def def = def_of(20, 20, true, true);
    qd_own(qd_pairs) reference = make_pairs(1000000), pairs = make_pairs(1000000);
    size_t expected = 0;
    const int threads[] = {1, 2, 3, 8};
    for (size_t t = 0; t < COUNT(threads); ++t) {
        qd_own(qd_team) team = make_team(threads[t]);
        qd_own(qd_brute) brute = make_brute(&def);
        ck_assert_int_eq(qd_brute_refresh(brute, team, boxes, indices, N, NULL, NULL), QD_OK);
        ck_assert_int_eq(qd_brute_pairs(brute, team, t == 0 ? reference : pairs), QD_OK);
        const qd_pair *want = qd_pairs_data(reference, &expected);
        ck_assert_uint_gt(expected, N);
        if (t > 0) {
            size_t count;
            const qd_pair *got = qd_pairs_data(pairs, &count);
            ck_assert_uint_eq(count, expected);
            for (size_t k = 0; k < count; ++k) {
                ck_assert(pair_is(got[k], want[k].a, want[k].b, want[k].image.x, want[k].image.y));
            }
        }
        for (size_t k = 0; k < expected; ++k) {
            ck_assert(want[k].a < want[k].b);
            if (k > 0)
                ck_assert(want[k - 1].a < want[k].a ||
                          (want[k - 1].a == want[k].a && want[k - 1].b < want[k].b));
        }
    }
}

QD_TEST_MAIN("brute_random", 120, NULL, NULL)
