// The order of the root's list and the search in it, against a plain look at every box.
#include "core/tree/image.h"
#include "core/tree/root_list.h"
#include "tests/support/tree_rig.h"

#include <math.h>
#include <quadrille/random.h>

// All in the root's list: a world of one leaf whose capacity is larger than the scene, or bodies out of
// reach.
static void start_far(qd_rig *rig, size_t n, int habit) {
    qd_tree_def def = qd_rig_def(1, 1, 4);
    *rig = qd_rig_start(def, 1);
    qd_random random = qd_random_at(n, (uint64_t)habit, 1);
    for (size_t i = 0; i < n; ++i) {
        double x = qd_test_between(&random, 1e9, 2e9);
        double y = qd_test_between(&random, 1e9, 2e9);
        double half = habit == 0   ? 2e7
                      : habit == 1 ? 0.0
                                   : 1e5 * pow(10.0, qd_test_between(&random, 0.0, 4.0));
        if (habit == 3) x = 1e9; // a column, some at one place
        if (habit == 3 && i % 3 == 0) y = 1.5e9;
        if (habit == 4) x = y = 1.25e9; // all at one place
        qd_rig_square(rig, x, y, half);
    }
    qd_rig_refresh(rig);
}

enum { HABITS = 5 };

static void check_bounds(const qdi_root_list *root_list, size_t at, size_t begin, size_t end) {
    qd_box bounds = qdi_box_empty();
    for (size_t i = begin; i < end; ++i) bounds = qdi_box_union(bounds, root_list->box[i]);
    ck_assert_mem_eq(&bounds, &root_list->bounds[at], sizeof bounds);
    if (end - begin <= QDI_ROOT_LIST_LEAF) return;
    size_t middle = begin + (end - begin) / 2;
    ck_assert_uint_lt(2 * at + 2, root_list->bounds_room);
    check_bounds(root_list, 2 * at + 1, begin, middle);
    check_bounds(root_list, 2 * at + 2, middle, end);
}

QD_TEST_LOOP(order_has_every_slot_once_and_tight_bounds, 0, HABITS) {
    static const size_t counts[] = {65, 66, 71, 72, 73, 127, 128, 129, 200, 511, 513, 1000, 4097};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c) {
        qd_own(qd_rig) rig;
        start_far(&rig, counts[c], _i);
        const qdi_root_list *root_list = &rig.tree->root_list;
        const qdi_node *root = &rig.tree->nodes[QDI_ROOT];
        ck_assert(qdi_root_list_used(rig.tree));
        ck_assert_uint_eq(root_list->count, counts[c]);
        uint8_t seen[5000] = {0};
        for (size_t i = 0; i < root_list->count; ++i) {
            ck_assert_uint_ge(root_list->order[i], root->first);
            ck_assert_uint_lt(root_list->order[i] - root->first, counts[c]);
            ck_assert_uint_eq(seen[root_list->order[i] - root->first]++, 0);
            qd_box box = qdi_slot_box(&rig.tree->slots, root_list->order[i]);
            ck_assert_mem_eq(&box, &root_list->box[i], sizeof box);
        }
        check_bounds(root_list, 0, 0, root_list->count);
    }
}

QD_TEST(short_lists_have_no_order) {
    for (size_t n = 60; n <= 66; ++n) {
        qd_own(qd_rig) rig;
        start_far(&rig, n, 0);
        ck_assert_int_eq(qdi_root_list_used(rig.tree), n > QDI_ROOT_LIST_MIN);
        qd_rig_check(&rig);
        // One more, one less: the order comes and goes.
        qd_box box = rig.boxes[0];
        ck_assert_int_eq(qd_tree_add(rig.tree, (qd_body_index)n, box), QD_OK);
        ck_assert_int_eq(qdi_root_list_used(rig.tree), n + 1 > QDI_ROOT_LIST_MIN);
        ck_assert_int_eq(qd_tree_remove(rig.tree, 3), QD_OK);
        ck_assert_int_eq(qd_tree_remove(rig.tree, 4), QD_OK);
        ck_assert_int_eq(qdi_root_list_used(rig.tree), n - 1 > QDI_ROOT_LIST_MIN);
        ck_assert_int_eq(qd_tree_validate(rig.tree, NULL), QD_OK);
    }
}

typedef struct found_places {
    size_t count, most, last;
    bool rising;
    uint8_t seen[5000];
} found_places;

static bool note_place(void *context, size_t place) {
    found_places *found = context;
    found->rising &= found->count == 0 || place > found->last;
    found->last = place;
    found->seen[place] += 1;
    return ++found->count < found->most;
}

QD_TEST_LOOP(search_finds_what_a_plain_look_finds, 0, HABITS) {
    enum { N = 700 };
    qd_own(qd_rig) rig;
    start_far(&rig, N, _i);
    const qdi_root_list *root_list = &rig.tree->root_list;
    qd_random random = qd_random_at(5, (uint64_t)_i, 2);
    size_t all = 0;
    for (int q = 0; q < 400; ++q) {
        double x = qd_test_between(&random, 0.9e9, 2.1e9);
        double y = qd_test_between(&random, 0.9e9, 2.1e9);
        double half = pow(10.0, qd_test_between(&random, 3.0, 9.0));
        qd_box box = {(float)(x - half), (float)(y - half), (float)(x + half), (float)(y + half)};
        if (q % 3 == 0) box = root_list->box[q];
        qd_vec2 shift = {0, 0};
        if (q % 4 == 1) shift = (qd_vec2){3e8, -2e8}; // an image of the list
        if (q % 4 == 1 && q % 3 != 0) {
            box.min_x += 3e8F, box.max_x += 3e8F;
            box.min_y -= 2e8F, box.max_y -= 2e8F;
        }
        size_t from = q % 5 < 2 ? 0 : (size_t)(q * 37 % (N + 2));
        found_places found = {.most = SIZE_MAX, .rising = true};
        uint64_t tests = 7;
        ck_assert(qdi_root_list_search(root_list, box, shift, from, note_place, &found, &tests));
        ck_assert(tests >= 7 + found.count && tests <= 7 + N);
        size_t expected = 0;
        for (size_t i = 0; i < N; ++i) {
            bool hit = i >= from && qdi_shift_overlap(box, root_list->box[i], shift);
            ck_assert_uint_eq(found.seen[i], hit);
            expected += hit;
        }
        ck_assert_uint_eq(found.count, expected);
        ck_assert(found.rising);
        all += expected;
        if (expected < 2) continue;
        found_places some = {.most = expected / 2, .rising = true};
        ck_assert(!qdi_root_list_search(root_list, box, shift, from, note_place, &some, &tests));
        ck_assert_uint_eq(some.count, expected / 2);
    }
    ck_assert_uint_gt(all, 100);
}

// The order follows the boxes: it is made anew by everything that changes the root's list or moves it to
// other slots.
QD_TEST(order_is_never_stale) {
    qd_own(qd_rig) rig;
    start_far(&rig, 150, 0);
    for (int i = 0; i < 200; ++i) qd_rig_square(&rig, i % 20 / 20.0 - 0.5, i / 20 / 10.0 - 0.5, 0.01);
    qd_random random = qd_random_at(6, 0, 3);
    for (int step = 0; step < 10; ++step) {
        qd_rig_refresh(&rig);
        qd_rig_check(&rig);
        for (size_t i = 0; i < 150; ++i) { // they fly about
            if (step % 2)
                qd_rig_move(&rig, i, qd_test_between(&random, 1e9, 2e9), qd_test_between(&random, 1e9, 2e9));
        }
        for (size_t i = 150; i < 350; ++i) { // and below, nodes come and go
            double crowd = step % 3 == 0 ? 0.01 : 0.5;
            qd_rig_move(&rig, i, crowd * qd_test_between(&random, -1, 1),
                        crowd * qd_test_between(&random, -1, 1));
        }
    }
    for (qd_body_index b = 400; b < 460; ++b) {
        ck_assert_int_eq(qd_tree_add(rig.tree, b, rig.boxes[b % 2 == 0 ? 300 : 20]), QD_OK);
        ck_assert_int_eq(qd_tree_validate(rig.tree, NULL), QD_OK);
    }
    for (qd_body_index b = 100; b < 300; ++b) {
        ck_assert_int_eq(qd_tree_remove(rig.tree, b), QD_OK);
        ck_assert_int_eq(qd_tree_validate(rig.tree, NULL), QD_OK);
    }
}

QD_TEST_MAIN("root_list", 120, NULL, NULL)
