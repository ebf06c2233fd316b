// The brute-force index judges the tree, so it is judged here itself: against overlap worked out in whole
// numbers, by another route than core/tree/image.h, and against scenes whose answer is plain to see.
#include "core/tree/image.h"
#include "tests/support/brutes.h"

#include <math.h>

// The bodies held, in order: everything overlaps a box as large as can be in a world without periods.
static hits all_bodies(const qd_brute *brute) {
    return retrieve(brute, (qd_box){-1e30F, -1e30F, 1e30F, 1e30F}, QD_NO_BODY);
}

QD_TEST(bad_defs_are_refused) {
    qd_brute *brute = (qd_brute *)&brute; // create sets it to NULL
    qd_tree_def def = qd_tree_def_default();
    ck_assert_int_eq(qd_brute_create(&def, NULL), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_brute_create(NULL, &brute), QD_ERR_ARGUMENT);
    ck_assert_ptr_null(brute);
    def.cookie = 0;
    ck_assert_int_eq(qd_brute_create(&def, &brute), QD_ERR_ARGUMENT);

    const double sizes[] = {0.0, -1.0, (double)NAN, (double)INFINITY};
    for (size_t k = 0; k < COUNT(sizes); ++k) {
        def = def_of(sizes[k], 1.0, false, false);
        ck_assert_int_eq(qd_brute_create(&def, &brute), QD_ERR_VALUE);
        def = def_of(1.0, sizes[k], false, false);
        ck_assert_int_eq(qd_brute_create(&def, &brute), QD_ERR_VALUE);
    }
    const double periods[] = {9.0, -10.0, (double)NAN, (double)INFINITY};
    for (size_t k = 0; k < COUNT(periods); ++k) {
        def = def_of(10.0, 10.0, false, false);
        def.period.x = periods[k];
        ck_assert_int_eq(qd_brute_create(&def, &brute), QD_ERR_VALUE);
        def.period = (qd_vec2){0.0, periods[k]};
        ck_assert_int_eq(qd_brute_create(&def, &brute), QD_ERR_VALUE);
    }
    def = def_of(1.0, 1.0, false, false);
    def.capacity = 0;
    ck_assert_int_eq(qd_brute_create(&def, &brute), QD_ERR_VALUE);
    def.capacity = 65536;
    ck_assert_int_eq(qd_brute_create(&def, &brute), QD_ERR_VALUE);
    qd_brute_destroy(NULL);
}

QD_TEST(null_pointers_are_refused) {
    qd_own(qd_team) team = make_team(1);
    const qd_tree_def def = def_of(10, 10, false, false);
    qd_own(qd_brute) brute = make_brute(&def);
    qd_own(qd_pairs) pairs = make_pairs(10);
    const qd_box box = {0, 0, 1, 1};
    hits h = {0};
    ck_assert_int_eq(qd_brute_refresh(NULL, team, &box, NULL, 1, NULL, NULL), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_brute_refresh(brute, NULL, &box, NULL, 1, NULL, NULL), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_brute_refresh(brute, team, NULL, NULL, 1, NULL, NULL), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_brute_refresh(brute, team, NULL, NULL, 0, NULL, NULL), QD_OK);
    ck_assert_int_eq(qd_brute_add(NULL, 0, box), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_brute_remove(NULL, 0), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_brute_pairs(NULL, team, pairs), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_brute_pairs(brute, NULL, pairs), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_brute_pairs(brute, team, NULL), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_brute_retrieve(NULL, box, QD_NO_BODY, note_hit, &h), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_brute_retrieve(brute, box, QD_NO_BODY, NULL, &h), QD_ERR_ARGUMENT);
}

QD_TEST(touching_coincident_and_apart) {
    qd_own(qd_team) team = make_team(2);
    const qd_tree_def def = def_of(10, 10, false, false);
    qd_own(qd_brute) brute = make_brute(&def);
    qd_own(qd_pairs) pairs = make_pairs(100);
    const qd_box boxes[] = {{0, 0, 1, 1}, // 0
                            {1, 1, 2, 2}, // 1 touches 0 at a corner
                            {3, 3, 3, 3},
                            {3, 3, 3, 3},                   // 2, 3: zero size, same point
                            {nextafterf(2, 3), 0, 2.5F, 2}, // 4: one float beside 1
                            {-40, 50, -30, 60},
                            {-35, 55, -34, 56}, // 5, 6: outside the world, one in the other
                            {-9, -500, -8, 500},
                            {-500, -9, 500, -8}}; // 7, 8: larger than the world, crossing
    ck_assert_int_eq(qd_brute_refresh(brute, team, boxes, NULL, COUNT(boxes), NULL, NULL), QD_OK);
    ck_assert_int_eq(qd_brute_pairs(brute, team, pairs), QD_OK);
    size_t count;
    const qd_pair *pair = qd_pairs_data(pairs, &count);
    ck_assert_uint_eq(count, 4);
    ck_assert(pair_is(pair[0], 0, 1, 0, 0) && pair_is(pair[1], 2, 3, 0, 0));
    ck_assert(pair_is(pair[2], 5, 6, 0, 0) && pair_is(pair[3], 7, 8, 0, 0));
}

QD_TEST(pairs_across_the_border_carry_their_image) {
    qd_own(qd_team) team = make_team(1);
    const qd_tree_def def = def_of(10, 6, true, true);
    qd_own(qd_brute) brute = make_brute(&def);
    qd_own(qd_pairs) pairs = make_pairs(100);
    const qd_box boxes[] = {{4, 0, 5, 1},       // 0: at the right border
                            {-5, 0, -4, 1},     // 1: at the left border: touches 0 through the border
                            {0, 2, 1, 3.5F},    // 2: sticks out at the top
                            {0, -3, 1, -2},     // 3: at the bottom
                            {4, -3, 5, -2.5F},  // 4: lower right corner
                            {-5, 2, -4.5F, 3}}; // 5: upper left corner
    ck_assert_int_eq(qd_brute_refresh(brute, team, boxes, NULL, COUNT(boxes), NULL, NULL), QD_OK);
    ck_assert_int_eq(qd_brute_pairs(brute, team, pairs), QD_OK);
    size_t count;
    const qd_pair *pair = qd_pairs_data(pairs, &count);
    ck_assert_uint_eq(count, 3);
    ck_assert(
        pair_is(pair[0], 0, 1, 1, 0)); // the left one, one period to the right, lies beside the right one
    ck_assert(pair_is(pair[1], 2, 3, 0, 1));
    ck_assert(pair_is(pair[2], 4, 5, 1, -1));

    const hits near_left = retrieve(brute, boxes[1], 1);
    ck_assert_uint_eq(near_left.count, 1);
    ck_assert(near_left.body[0] == 0 && near_left.image[0].x == -1 && near_left.image[0].y == 0);
}

// Only the axes that have a period wrap around.
QD_TEST(each_axis_has_its_own_period) {
    qd_own(qd_team) team = make_team(1);
    qd_own(qd_pairs) pairs = make_pairs(100);
    const qd_box boxes[] = {{4, 0, 5, 1}, {-5, 0, -4, 1}, {0, 4, 1, 5}, {0, -5, 1, -4}};
    for (int k = 0; k < 4; ++k) {
        const qd_tree_def def = def_of(10, 10, k & 1, k & 2);
        qd_own(qd_brute) brute = make_brute(&def);
        ck_assert_int_eq(qd_brute_refresh(brute, team, boxes, NULL, COUNT(boxes), NULL, NULL), QD_OK);
        ck_assert_int_eq(qd_brute_pairs(brute, team, pairs), QD_OK);
        size_t count;
        const qd_pair *pair = qd_pairs_data(pairs, &count);
        ck_assert_uint_eq(count, (size_t)((k & 1) + (k >> 1)));
        for (size_t i = 0; i < count; ++i) {
            ck_assert(pair_is(pair[i], 0, 1, 1, 0) || pair_is(pair[i], 2, 3, 0, 1));
        }
    }
}

QD_TEST(boxes_that_a_periodic_world_refuses) {
    const qd_vec2 period = {10, 0};
    ck_assert(qdi_box_acceptable((qd_box){-2.5F, 0, 2.5F, 1}, period)); // exactly half a period
    ck_assert(!qdi_box_acceptable((qd_box){-2.5F, 0, 2.6F, 1}, period));
    ck_assert(qdi_box_acceptable((qd_box){0, -1000, 1, 1000}, period)); // the other axis has none
    ck_assert(qdi_box_acceptable((qd_box){4, 0, 6, 1}, period));        // the centre is on the border
    ck_assert(qdi_box_acceptable((qd_box){-6, 0, -4, 1}, period));
    ck_assert(!qdi_box_acceptable((qd_box){4.001F, 0, 6, 1}, period));
    ck_assert(!qdi_box_acceptable((qd_box){-6, 0, -4.001F, 1}, period));
    ck_assert(qdi_box_acceptable((qd_box){0, 1e30F, 1, 2e30F}, period));
    ck_assert(!qdi_box_acceptable((qd_box){0, 1, 1, 0}, period));
    ck_assert(!qdi_box_acceptable((qd_box){0, 0, 1, INFINITY}, period));

    const qd_tree_def def = def_of(10, 10, true, false);
    qd_own(qd_brute) brute = make_brute(&def);
    ck_assert_int_eq(qd_brute_add(brute, 0, (qd_box){-2.5F, 0, 2.6F, 1}), QD_ERR_VALUE);
    ck_assert_int_eq(qd_brute_add(brute, 0, (qd_box){4.001F, 0, 6, 1}), QD_ERR_VALUE);
    ck_assert_uint_eq(all_bodies(brute).count, 0);
}

// A query's box may lie anywhere, be of any length, and counts images from the copy of the cell it is in.
QD_TEST(queries_outside_the_cell) {
    const qd_tree_def def = def_of(10, 10, true, true);
    qd_own(qd_brute) brute = make_brute(&def);
    ck_assert_int_eq(qd_brute_add(brute, 7, (qd_box){1, 2, 2, 3}), QD_OK);
    for (int x = -50; x <= 50; ++x) {
        const float shift = (float)(10 * x);
        const hits h = retrieve(brute, (qd_box){1.5F + shift, 2.5F, 1.6F + shift, 2.6F}, QD_NO_BODY);
        ck_assert_uint_eq(h.count, 1);
        ck_assert(h.body[0] == 7 && h.image[0].x == x && h.image[0].y == 0);
        const hits none = retrieve(brute, (qd_box){2.5F + shift, 2.5F, 2.6F + shift, 2.6F}, QD_NO_BODY);
        ck_assert_uint_eq(none.count, 0);
    }
    // Wide enough to meet several images: the one in the copy of the cell that holds the middle is told.
    const hits left = retrieve(brute, (qd_box){-34.9F, 2, -18, 3}, QD_NO_BODY);
    ck_assert(left.count == 1 && left.image[0].x == -3 && left.image[0].y == 0);
    const hits right = retrieve(brute, (qd_box){18, 2, 34.9F, 3}, QD_NO_BODY);
    ck_assert(right.count == 1 && right.image[0].x == 3 && right.image[0].y == 0);
    const hits wide = retrieve(brute, (qd_box){-1e6F, -1e6F, 1e6F, 1e6F}, QD_NO_BODY);
    ck_assert_uint_eq(wide.count, 1); // once, through the nearest image
    ck_assert(wide.image[0].x == 0 && wide.image[0].y == 0);
    ck_assert_uint_eq(retrieve(brute, (qd_box){-1e6F, -1e6F, 1e6F, 1e6F}, 7).count, 0);

    hits h = {0};
    const qd_box far = {1e6F, 0, 1e6F + 1, 1}; // 100,000 periods away: more than a qd_image can hold
    ck_assert_int_eq(qd_brute_retrieve(brute, far, QD_NO_BODY, note_hit, &h), QD_ERR_VALUE);
    ck_assert_int_eq(qd_brute_retrieve(brute, (qd_box){0, -3e38F, 1, -2e38F}, QD_NO_BODY, note_hit, &h),
                     QD_ERR_VALUE);
    ck_assert_uint_eq(h.count, 0);
}

QD_TEST(queries_skip_self_stop_and_check_their_box) {
    const qd_tree_def def = def_of(10, 10, false, false);
    qd_own(qd_brute) brute = make_brute(&def);
    for (qd_body_index k = 0; k < 10; ++k)
        ck_assert_int_eq(qd_brute_add(brute, 9 - k, (qd_box){0, 0, 1, 1}), QD_OK);
    const hits others = retrieve(brute, (qd_box){1, 1, 2, 2}, 4);
    ck_assert_uint_eq(others.count, 9);
    for (size_t k = 0; k < 9; ++k) ck_assert_uint_eq(others.body[k], k < 4 ? k : k + 1);

    hits h = {.stop_after = 3};
    ck_assert_int_eq(qd_brute_retrieve(brute, (qd_box){0, 0, 1, 1}, QD_NO_BODY, note_hit, &h), QD_OK);
    ck_assert_uint_eq(h.count, 3);
    const qd_box bad[] = {{1, 0, 0, 1}, {0, 1, 1, 0}, {NAN, 0, 1, 1}, {0, 0, INFINITY, 1}};
    for (size_t k = 0; k < COUNT(bad); ++k) {
        ck_assert_int_eq(qd_brute_retrieve(brute, bad[k], QD_NO_BODY, note_hit, &h), QD_ERR_VALUE);
    }
    ck_assert_uint_eq(h.count, 3);
}

QD_TEST(refresh_makes_it_hold_exactly_what_is_named) {
    qd_own(qd_team) team = make_team(1);
    const qd_tree_def def = def_of(10, 10, false, false);
    qd_own(qd_brute) brute = make_brute(&def);
    const qd_box boxes[] = {{0, 0, 1, 1}, {0, 0, 2, 2}, {0, 0, 3, 3}, {0, 0, 4, 4}};
    const qd_body_index first[] = {70, 3, 1000000, 5}, second[] = {5, 6, 70, 2};
    qd_tree_counts counts;
    ck_assert_int_eq(qd_brute_refresh(brute, team, boxes, first, 4, &counts, NULL), QD_OK);
    ck_assert(counts.built && counts.added == 4 && counts.removed == 0 && counts.in_place == 0);
    ck_assert_int_eq(qd_brute_refresh(brute, team, boxes, second, 4, &counts, NULL), QD_OK);
    ck_assert(!counts.built && counts.added == 2 && counts.removed == 2 && counts.in_place == 2);
    const hits held = all_bodies(brute);
    ck_assert_uint_eq(held.count, 4);
    const qd_body_index expected[] = {2, 5, 6, 70};
    for (size_t k = 0; k < 4; ++k) ck_assert_uint_eq(held.body[k], expected[k]);
    // each with its new box: 5 the smallest, 2 the largest
    ck_assert_uint_eq(retrieve(brute, (qd_box){3.5F, 3.5F, 3.6F, 3.6F}, QD_NO_BODY).body[0], 2);
    ck_assert_uint_eq(retrieve(brute, (qd_box){1.5F, 0, 9, 9}, QD_NO_BODY).count, 3);

    ck_assert_int_eq(qd_brute_refresh(brute, team, NULL, NULL, 0, &counts, NULL), QD_OK);
    ck_assert(counts.removed == 4 && all_bodies(brute).count == 0);
}

QD_TEST(duplicates_and_large_indices_change_nothing) {
    qd_own(qd_team) team = make_team(2);
    const qd_tree_def def = def_of(10, 10, false, false);
    qd_own(qd_brute) brute = make_brute(&def);
    const qd_box boxes[] = {{0, 0, 1, 1}, {0, 0, 2, 2}, {NAN, 0, 3, 3}};
    const qd_body_index good[] = {4, 2}, twice[] = {9, 4, 9}, large[] = {9, QD_BODY_INDEX_MAX, 4};
    const qd_body_index none[] = {9, QD_NO_BODY};
    ck_assert_int_eq(qd_brute_refresh(brute, team, boxes, good, 2, NULL, NULL), QD_OK);
    size_t bad = 77;
    ck_assert_int_eq(qd_brute_refresh(brute, team, boxes, twice, 3, NULL, &bad), QD_ERR_EXISTS);
    ck_assert_int_eq(qd_brute_refresh(brute, team, boxes, large, 3, NULL, &bad), QD_ERR_LIMIT);
    ck_assert_int_eq(qd_brute_refresh(brute, team, boxes, none, 2, NULL, &bad), QD_ERR_LIMIT);
    ck_assert_int_eq(qd_brute_refresh(brute, team, boxes, NULL, QD_BODY_INDEX_MAX, NULL, &bad), QD_ERR_LIMIT);
    ck_assert_uint_eq(bad, 77);
    const hits held = all_bodies(brute);
    ck_assert(held.count == 2 && held.body[0] == 2 && held.body[1] == 4);
}

QD_TEST(bad_boxes_keep_the_old_or_stay_out) {
    qd_own(qd_team) team = make_team(1);
    const qd_tree_def def = def_of(10, 10, false, false);
    qd_own(qd_brute) brute = make_brute(&def);
    const qd_box before[] = {{0, 0, 1, 1}, {2, 0, 3, 1}, {4, 0, 5, 1}};
    ck_assert_int_eq(qd_brute_refresh(brute, team, before, NULL, 3, NULL, NULL), QD_OK);
    const qd_box after[] = {{0, 5, 1, 6}, {0, 0, NAN, 1}, {4, 5, 5, 6}, {1, 0, 0, 1}, {6, 5, 7, 6}};
    const qd_body_index indices[] = {3, 1, 2, 5,
                                     0}; // 1 is known and bad, 5 is new and bad, the others are good
    size_t bad = 77;
    qd_tree_counts counts;
    ck_assert_int_eq(qd_brute_refresh(brute, team, after, indices, 5, &counts, &bad), QD_ERR_VALUE);
    ck_assert_uint_eq(bad, 1);
    ck_assert(counts.added == 1 && counts.in_place == 3 && counts.removed == 0);
    const hits held = all_bodies(brute);
    ck_assert_uint_eq(held.count, 4);
    for (size_t k = 0; k < 4; ++k) ck_assert_uint_eq(held.body[k], k);
    const hits low = retrieve(brute, (qd_box){0, 0, 9, 1}, QD_NO_BODY);
    ck_assert(low.count == 1 && low.body[0] == 1);
    ck_assert_int_eq(qd_brute_refresh(brute, team, after, indices, 5, NULL, NULL), QD_ERR_VALUE);

    const qd_box all_bad[] = {{NAN, 0, 1, 1}};
    ck_assert_int_eq(qd_brute_refresh(brute, team, all_bad, (qd_body_index[]){50}, 1, &counts, &bad),
                     QD_ERR_VALUE);
    ck_assert(bad == 0 && counts.removed == 4 && all_bodies(brute).count == 0);
}

QD_TEST(add_and_remove_one_by_one) {
    const qd_tree_def def = def_of(10, 10, false, false);
    qd_own(qd_brute) brute = make_brute(&def);
    const qd_box box = {0, 0, 1, 1};
    ck_assert_int_eq(qd_brute_remove(brute, 0), QD_ERR_STALE);
    ck_assert_int_eq(qd_brute_add(brute, 5, box), QD_OK);
    ck_assert_int_eq(qd_brute_add(brute, 5, box), QD_ERR_EXISTS);
    ck_assert_int_eq(qd_brute_add(brute, QD_BODY_INDEX_MAX, box), QD_ERR_LIMIT);
    ck_assert_int_eq(qd_brute_add(brute, QD_NO_BODY, box), QD_ERR_LIMIT);
    ck_assert_int_eq(qd_brute_add(brute, 6, (qd_box){0, 0, -1, 1}), QD_ERR_VALUE);
    ck_assert_int_eq(qd_brute_add(brute, QD_BODY_INDEX_MAX - 1, box), QD_OK);
    ck_assert_int_eq(qd_brute_add(brute, 0, box), QD_OK);
    ck_assert_uint_eq(all_bodies(brute).count, 3);
    ck_assert_int_eq(qd_brute_remove(brute, 5), QD_OK);
    ck_assert_int_eq(qd_brute_remove(brute, 5), QD_ERR_STALE);
    const hits held = all_bodies(brute);
    ck_assert(held.count == 2 && held.body[0] == 0 && held.body[1] == QD_BODY_INDEX_MAX - 1);
}

QD_TEST(too_many_pairs_are_refused) {
    qd_own(qd_team) team = make_team(2);
    const qd_tree_def def = def_of(10, 10, false, false);
    qd_own(qd_brute) brute = make_brute(&def);
    enum { N = 300, ALL = N * (N - 1) / 2 };
    static qd_box boxes[N]; // all in one point
    ck_assert_int_eq(qd_brute_refresh(brute, team, boxes, NULL, N, NULL, NULL), QD_OK);
    qd_own(qd_pairs) pairs = make_pairs(ALL - 1);
    size_t count = 1;
    ck_assert_int_eq(qd_brute_pairs(brute, team, pairs), QD_ERR_LIMIT);
    (void)qd_pairs_data(pairs, &count);
    ck_assert_uint_eq(count, 0);
    qd_pairs_set_limit(pairs, ALL);
    ck_assert_int_eq(qd_brute_pairs(brute, team, pairs), QD_OK);
    (void)qd_pairs_data(pairs, &count);
    ck_assert_uint_eq(count, ALL);
}

// Everything once, with allocation number `fail_at` failing. Returns true while that one was reached.
static bool life_with_a_failure(size_t fail_at, qd_team *team) {
    enum { N = 200 };
    static qd_box boxes[N];
    static qd_body_index indices[N];
    for (size_t i = 0; i < N; ++i) {
        boxes[i] = (qd_box){(float)i, 0, (float)i + 1.5F, 1};
        indices[i] = (qd_body_index)(N - 1 - i);
    }
    qd_test_allocator test = qd_test_allocator_of(&test, fail_at);
    qd_tree_def def = def_of(10, 10, false, false);
    def.allocator = &test.allocator;
    qd_brute *brute = NULL;
    qd_pairs *pairs = NULL;
    size_t failures = 0, count = 0;
    qd_status status = qd_brute_create(&def, &brute);
    if (status == QD_OK) status = qd_pairs_create(100000, &test.allocator, &pairs);
    failures += status == QD_ERR_MEMORY;
    if (status == QD_OK) {
        for (int k = 0; k < 2; ++k) { // the second one finds bodies to lose
            status = qd_brute_refresh(brute, team, boxes, indices, N, NULL, NULL);
            failures += status == QD_ERR_MEMORY;
            ck_assert_uint_eq(all_bodies(brute).count > 0, status == QD_OK); // empty after a failure
            if (status == QD_OK) continue;
            qd_tree_counts counts;
            ck_assert_int_eq(qd_brute_refresh(brute, team, boxes, indices, N, &counts, NULL), QD_OK);
            ck_assert(counts.built && counts.added == N);
        }
        for (int k = 0; k < 2; ++k) {
            status = qd_brute_add(brute, N, boxes[0]);
            failures += status == QD_ERR_MEMORY;
            if (status == QD_OK) break;
            ck_assert_uint_eq(all_bodies(brute).count, N); // nothing changed
        }
        ck_assert_int_eq(qd_brute_remove(brute, N), QD_OK);
        // Which thread finds pairs first, and so asks for memory when, is a matter of chance.
        for (int good = 0; good < 2;) {
            status = qd_brute_pairs(brute, team, pairs);
            failures += status == QD_ERR_MEMORY;
            good += status == QD_OK;
            ck_assert(status == QD_OK || status == QD_ERR_MEMORY);
            (void)qd_pairs_data(pairs, &count);
            ck_assert_uint_eq(count, status == QD_OK ? N - 1 : 0);
        }
    }
    qd_pairs_destroy(pairs);
    qd_brute_destroy(brute);
    ck_assert_msg(test.live == 0 && test.live_bytes == 0, "allocation %zu failed: %zu blocks leak", fail_at,
                  test.live);
    const bool reached = fail_at <= test.calls;
    ck_assert_msg(failures == (reached ? 1U : 0U), "allocation %zu failed: %zu errors", fail_at, failures);
    return reached;
}

QD_TEST(each_allocation_may_fail) {
    const int threads[] = {1, 2};
    for (size_t t = 0; t < COUNT(threads); ++t) {
        qd_own(qd_team) team = make_team(threads[t]);
        size_t fail_at = 1;
        while (life_with_a_failure(fail_at, team)) ++fail_at;
        ck_assert_uint_gt(fail_at, 12);
    }
}

QD_TEST_MAIN("brute", 120, NULL, NULL)
