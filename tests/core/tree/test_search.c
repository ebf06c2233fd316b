// Box tests: what searches count is what the structure says that they compare, whoever does it.
#include "core/tree/search.h"
#include "tests/support/harness.h"
#include "tests/support/tree_rig.h"

#include <math.h>
#include <quadrille/brute.h>
#include <quadrille/random.h>
#include <stdlib.h>

static void start_mixed(qd_rig *rig, uint64_t seed, double period, int threads, int bodies) {
    qd_tree_def def = qd_rig_def(100, 100, 4);
    def.period = (qd_vec2){period, period};
    *rig = qd_rig_start(def, threads);
    qd_random random = qd_random_at(seed, 0, 0);
    for (int i = 0; i < bodies; ++i) {
        const double half = pow(10.0, qd_test_between(&random, -1.0, 1.0));
        (void)qd_rig_square(rig, qd_test_between(&random, -50, 50), qd_test_between(&random, -50, 50), half);
    }
    qd_rig_refresh(rig);
}

// A list of the tree, with the bounds of its boxes.
typedef struct list {
    double x, y, side;
    int depth;
    size_t count;
    qd_box own;
} list;

typedef struct lists {
    list *list;
    size_t count;
} lists;

static bool add_list(void *context, const qd_tree_node_info *node) {
    lists *all = context;
    const float inf = (float)INFINITY;
    all->list[all->count++] = (list){node->min_x, node->min_y, node->side,
                                     node->depth, 0,           {inf, inf, -inf, -inf}};
    return true;
}

static size_t list_of(const lists *all, const qd_rig *rig, size_t body) {
    qd_tree_node_info node;
    ck_assert_int_eq(qd_tree_node(rig->tree, (qd_body_index)body, &node), QD_OK);
    for (size_t i = 0; i < all->count; ++i) {
        const list *at = &all->list[i];
        if (at->side == node.side && at->x == node.min_x && at->y == node.min_y) return i;
    }
    ck_abort_msg("body %zu is in no node", body);
}

static lists lists_of(const qd_rig *rig) {
    lists all = {qd_test_memory(qd_tree_statistics(rig->tree).nodes * sizeof(list)), 0};
    ck_assert_ptr_nonnull(all.list);
    qd_tree_visit_nodes(rig->tree, add_list, &all);
    for (size_t i = 0; i < rig->count; ++i) {
        list *at = &all.list[list_of(&all, rig, i)];
        const qd_box box = rig->boxes[i];
        at->count += 1;
        at->own = (qd_box){fminf(at->own.min_x, box.min_x), fminf(at->own.min_y, box.min_y),
                           fmaxf(at->own.max_x, box.max_x), fmaxf(at->own.max_y, box.max_y)};
    }
    return all;
}

static bool count_hit(void *context, qd_body_index body, qd_image image) {
    (void)body;
    (void)image;
    *(size_t *)context += 1;
    return true;
}

// A retrieve compares each list whose bounds overlap.
static uint64_t retrieve_tests(const lists *all, qd_box box) {
    uint64_t tests = 0;
    for (size_t i = 0; i < all->count; ++i)
        if (all->list[i].count > 0 && qd_box_overlap(box, all->list[i].own)) tests += all->list[i].count;
    return tests;
}

QD_TEST_LOOP(retrieves_count_lists, 0, 4) {
    qd_own(qd_rig) rig;
    start_mixed(&rig, (uint64_t)_i + 1, 0, 1, 400);
    const lists all = lists_of(&rig);
    qd_random random = qd_random_at(9, (uint64_t)_i, 0);
    uint64_t sum = 0, want = 0;
    for (int q = 0; q < 300; ++q) {
        const double x = qd_test_between(&random, -60, 60), y = qd_test_between(&random, -60, 60),
                     half = qd_test_between(&random, 0, 30);
        const qd_box box = {(float)(x - half), (float)(y - half), (float)(x + half), (float)(y + half)};
        size_t hits = 0;
        ck_assert_int_eq(qdi_tree_retrieve(rig.tree, box, QD_NO_BODY, count_hit, &hits, &sum), QD_OK);
        want += retrieve_tests(&all, box);
        ck_assert_uint_eq(sum, want);
    }
    ck_assert_uint_gt(sum, 5000);
    free(all.list);
}

// The join compares the bodies of each list with each other, and with those of lists above it, or after it on
// its level, that overlap its bounds; one retrieve per body compares from either side; brute force all.
QD_TEST_LOOP(pairs_count_lists, 0, 4) {
    qd_own(qd_rig) rig;
    start_mixed(&rig, (uint64_t)_i + 1, 0, 1, 300);
    const lists all = lists_of(&rig);
    uint64_t join = 0, each = 0;
    for (size_t i = 0; i < all.count; ++i) join += all.list[i].count * (all.list[i].count - 1) / 2;
    for (size_t i = 0; i < rig.count; ++i) {
        const size_t home = list_of(&all, &rig, i);
        each += retrieve_tests(&all, rig.boxes[i]);
        for (size_t k = 0; k < all.count; ++k) {
            const list *other = &all.list[k];
            // Nodes are listed in tree order.
            const bool first = other->depth > all.list[home].depth ||
                               (other->depth == all.list[home].depth && k < home);
            if (first && other->count > 0 && qd_box_overlap(rig.boxes[i], other->own)) join += other->count;
        }
    }
    (void)qd_rig_pairs(&rig);
    ck_assert_uint_eq(qd_pairs_tests(rig.pairs), join);
    ck_assert_int_eq(qd_tree_pairs_each(rig.tree, rig.team, rig.pairs), QD_OK);
    ck_assert_uint_eq(qd_pairs_tests(rig.pairs), each);
    ck_assert(join < each && each < 300 * 300);
    qd_brute *brute = NULL;
    ck_assert_int_eq(qd_brute_create(&rig.def, &brute), QD_OK);
    ck_assert_int_eq(qd_brute_refresh(brute, rig.team, rig.boxes, rig.indices, rig.count, NULL, NULL), QD_OK);
    ck_assert_int_eq(qd_brute_pairs(brute, rig.team, rig.pairs), QD_OK);
    ck_assert_uint_eq(qd_pairs_tests(rig.pairs), 300 * 299 / 2);
    qd_pairs_set_limit(rig.pairs, 3);
    ck_assert_int_eq(qd_tree_pairs(rig.tree, rig.team, rig.pairs), QD_ERR_LIMIT);
    ck_assert_uint_eq(qd_pairs_tests(rig.pairs), 0);
    qd_brute_destroy(brute);
    free(all.list);
}

// Enough bodies for many tasks; in odd runs a periodic world, from the third on with a long list at the root.
QD_TEST_LOOP(same_for_any_team_and_kernels, 0, 3) {
    const int bodies = 4000;
    uint64_t first[2] = {0, 0};
    static const int threads[] = {1, 2, 3, 8};
    for (int t = 0; t < 4; ++t) {
        qd_own(qd_rig) rig;
        start_mixed(&rig, 5, _i % 2 == 1 ? 100 : 0, threads[t], bodies);
        qd_random random = qd_random_at(6, 0, 0);
        for (int i = 0; _i == 2 && i < 100; ++i)
            (void)qd_rig_square(&rig, qd_test_between(&random, -500, 500),
                                qd_test_between(&random, -500, 500), 200);
        qd_rig_refresh(&rig);
        for (int simd = QD_SIMD_PORTABLE; simd <= QD_SIMD_NEON; ++simd) {
            if (qd_tree_set_simd(rig.tree, (qd_simd)simd) != QD_OK) continue;
            (void)qd_rig_pairs(&rig);
            const uint64_t join = qd_pairs_tests(rig.pairs);
            ck_assert_int_eq(qd_tree_pairs_each(rig.tree, rig.team, rig.pairs), QD_OK);
            const uint64_t each = qd_pairs_tests(rig.pairs);
            if (first[0] == 0) first[0] = join, first[1] = each;
            ck_assert_uint_eq(join, first[0]);
            ck_assert_uint_eq(each, first[1]);
        }
    }
    ck_assert(first[0] > 0 && first[0] < first[1]);
}

QD_TEST_MAIN("search", 60, NULL, NULL)
