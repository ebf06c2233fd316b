// Many threads: any team gives the same tree, pairs and order, bit for bit, also in scenes large enough to be
// cut for it.
#include "tests/support/tree_rig.h"

#include <math.h>
#include <quadrille/random.h>
#include <string.h>

enum { TEAM_BODIES = 20000 };

static void scatter(qd_rig *rig, int kind) {
    qd_random random = qd_random_at(11, (uint64_t)kind, 4);
    for (int i = 0; i < TEAM_BODIES; ++i) {
        double x = qd_test_between(&random, -50.0, 50.0);
        double y = qd_test_between(&random, -50.0, 50.0);
        double half = kind == 1 ? 0.02 * pow(10.0, qd_test_between(&random, 0.0, 2.5))
                                : qd_test_between(&random, 0.0, 0.5);
        if (kind == 1 && i % 200 == 0)
            half = qd_test_between(&random, 5.0, 30.0); // in the lists of the topmost nodes
        if (kind == 2 && i % 20 == 0) {                 // a long root's list, with pairs
            x *= 1e9;
            half = 2e8;
        }
        (void)qd_rig_square(rig, x, y, half);
    }
}

static void drift(qd_rig *rig, int kind, int step) {
    qd_random random = qd_random_at(12, (uint64_t)step, (uint32_t)kind);
    for (size_t i = 0; i < rig->count; ++i) {
        qd_box box = rig->boxes[i];
        double x = 0.5 * ((double)box.min_x + (double)box.max_x) + qd_test_between(&random, -0.5, 0.5);
        double y = 0.5 * ((double)box.min_y + (double)box.max_y) + qd_test_between(&random, -0.5, 0.5);
        if (kind == 1) { // towards one place and away again
            x += (step < 15 ? -0.05 : 0.05) * (x - 20.0);
            y += (step < 15 ? -0.05 : 0.05) * (y - 10.0);
        }
        if (rig->def.period.x > 0.0) {
            x -= 100.0 * floor(x / 100.0 + 0.5);
            y -= 100.0 * floor(y / 100.0 + 0.5);
        }
        qd_rig_move(rig, i, x, y);
    }
}

// Kinds: 0 ordinary, 1 many sizes and clustering, 2 strays, 3 periodic.
QD_TEST_LOOP(any_team_gives_the_same_bits, 0, 4) {
    static const int teams[] = {1, 2, 3, 8};
    uint64_t hash = 0;
    size_t count = 0;
    qd_own_memory qd_pair *first = NULL;
    for (size_t t = 0; t < sizeof teams / sizeof teams[0]; ++t) {
        qd_tree_def def = qd_rig_def(100, 100, 32);
        if (_i == 3) def.period = def.size;
        qd_own(qd_rig) rig = qd_rig_start(def, teams[t]);
        scatter(&rig, _i);
        for (int step = 0; step < 30; ++step) {
            qd_rig_refresh(&rig);
            drift(&rig, _i, step);
        }
        qd_rig_refresh(&rig);
        size_t found = qd_rig_pairs(&rig);
        const qd_pair *pairs = qd_pairs_data(rig.pairs, &found);
        ck_assert_uint_gt(found, 1000);
        if (t == 0) {
            hash = qd_tree_hash(rig.tree);
            count = found;
            first = qd_test_memory(count * sizeof *first);
            memcpy(first, pairs, count * sizeof *first);
        }
        ck_assert_uint_eq(qd_tree_hash(rig.tree), hash);
        ck_assert_uint_eq(found, count);
        ck_assert_msg(memcmp(pairs, first, count * sizeof *first) == 0, "other pairs with %d threads",
                      teams[t]);
        ck_assert_int_eq(qd_tree_pairs_each(rig.tree, rig.team, rig.pairs), QD_OK);
        (void)qd_pairs_data(rig.pairs, &found);
        ck_assert_uint_eq(found, count);
        qd_rig_validate(&rig);
        if (t == 1) qd_rig_compare(&rig);
    }
}

// Large enough that all parts of a refresh are cut into pieces. Motion, and bodies that come and go.
QD_TEST_LOOP(large_scenes_are_cut_and_put_together, 1, 4) {
    int n = (int)qd_test_effort(100000);
    qd_tree_def def = qd_rig_def(400, 400, 16);
    qd_own(qd_rig) rig = qd_rig_start(def, _i);
    qd_random random = qd_random_at(14, 0, 11);
    for (int i = 0; i < n; ++i)
        qd_rig_square(&rig, qd_test_between(&random, -200, 200), qd_test_between(&random, -200, 200),
                      qd_test_between(&random, 0, 0.5));
    for (int step = 0; step < 4; ++step) {
        if (step > 0) drift(&rig, 0, step);
        if (step == 2) rig.count -= (size_t)n / 3;
        if (step == 3) rig.count += (size_t)n / 4;
        qd_rig_refresh(&rig);
        qd_rig_validate(&rig);
        qd_tree *fresh = NULL;
        ck_assert_int_eq(qd_tree_create(&def, &fresh), QD_OK);
        ck_assert_int_eq(qd_tree_refresh(fresh, rig.team, rig.boxes, rig.indices, rig.count, NULL, NULL),
                         QD_OK);
        ck_assert_uint_eq(qd_tree_hash(fresh), qd_tree_hash(rig.tree));
        qd_tree_destroy(fresh);
    }
    size_t count = qd_rig_pairs(&rig);
    ck_assert_int_eq(qd_tree_pairs_each(rig.tree, rig.team, rig.pairs), QD_OK);
    size_t again = 0;
    (void)qd_pairs_data(rig.pairs, &again);
    ck_assert_uint_eq(count, again);
}

// ---- the order of the bodies

typedef struct path_walk {
    const qd_rig *rig;
    const uint32_t *places;
    size_t at;
} path_walk;

// The next places are those of this node's list: in it, and in order of index.
static bool walk_list(void *context, const qd_tree_node_info *node) {
    path_walk *walk = context;
    for (uint32_t b = 0; b < node->bodies; ++b) {
        size_t row = walk->places[walk->at++];
        qd_body_index body = walk->rig->indices[row];
        int depth = -1;
        ck_assert_int_eq(qd_tree_depth(walk->rig->tree, body, &depth), QD_OK);
        ck_assert_int_eq(depth, node->depth);
        qd_box box = walk->rig->boxes[row];
        double x = 0.5 * (double)box.min_x + 0.5 * (double)box.max_x;
        double y = 0.5 * (double)box.min_y + 0.5 * (double)box.max_y;
        if (depth > 0) {
            ck_assert(x >= node->min_x && x < node->min_x + node->side);
            ck_assert(y >= node->min_y && y < node->min_y + node->side);
        }
        if (b > 0) ck_assert_uint_gt(body, walk->rig->indices[walk->places[walk->at - 2]]);
    }
    return true;
}

static void check_order(qd_rig *rig) {
    qd_own_memory uint32_t *places = qd_test_memory((rig->count + 1) * sizeof *places);
    qd_own_memory uint8_t *seen = qd_test_zeros(rig->count + 1, 1);
    ck_assert_int_eq(qd_tree_order(rig->tree, rig->team, places), QD_OK);
    for (size_t i = 0; i < rig->count; ++i) {
        if (places[i] >= rig->count || seen[places[i]]++ != 0) ck_abort_msg("place %zu is %u", i, places[i]);
    }
    if (rig->count < 4 * 4096) { // not cut for a team: the order is just that of the nodes
        path_walk walk = {rig, places, 0};
        qd_tree_visit_nodes(rig->tree, walk_list, &walk);
    }
    // In that order the next refresh finds all bodies again, and the tree is the same.
    uint64_t hash = qd_tree_hash(rig->tree);
    qd_own_memory qd_box *boxes = qd_test_memory((rig->count + 1) * sizeof *boxes);
    qd_own_memory qd_body_index *indices = qd_test_memory((rig->count + 1) * sizeof *indices);
    for (size_t i = 0; i < rig->count; ++i) {
        boxes[i] = rig->boxes[places[i]];
        indices[i] = rig->indices[places[i]];
    }
    memcpy(rig->boxes, boxes, rig->count * sizeof *boxes);
    memcpy(rig->indices, indices, rig->count * sizeof *indices);
    qd_rig_refresh(rig);
    ck_assert_uint_eq(rig->counts.in_place, rig->count);
    ck_assert_uint_eq(qd_tree_hash(rig->tree), hash);
}

QD_TEST_LOOP(order_is_that_of_the_tree, 1, 4) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(100, 100, 8), _i);
    scatter(&rig, 1);
    rig.count = 10000;
    for (int step = 0; step < 3; ++step) {
        qd_rig_refresh(&rig);
        check_order(&rig);
        drift(&rig, 1, step);
    }
    rig.count = TEAM_BODIES; // cut for the team
    for (size_t i = 0; i < rig.count; ++i) rig.indices[i] = (qd_body_index)(rig.count - i);
    qd_rig_refresh(&rig);
    check_order(&rig);
    // Not known: after an edit, and where a body was left out.
    qd_own_memory uint32_t *places = qd_test_memory(rig.room * sizeof *places);
    ck_assert_int_eq(qd_tree_remove(rig.tree, 5), QD_OK);
    ck_assert_int_eq(qd_tree_order(rig.tree, rig.team, places), QD_ERR_STATE);
    qd_rig_refresh(&rig);
    ck_assert_int_eq(qd_tree_order(rig.tree, rig.team, places), QD_OK);
    ck_assert_int_eq(qd_tree_add(rig.tree, TEAM_BODIES + 7, rig.boxes[0]), QD_OK);
    ck_assert_int_eq(qd_tree_order(rig.tree, rig.team, places), QD_ERR_STATE);
    qd_rig_refresh(&rig); // the rows are as before: the new one is not among them
    ck_assert_uint_eq(rig.counts.removed, 1);
    ck_assert_int_eq(qd_tree_order(rig.tree, rig.team, places), QD_OK);
    ck_assert_int_eq(qd_tree_remove(rig.tree, 5), QD_OK);
    size_t row = 0;
    while (rig.indices[row] != 5) ++row;
    rig.boxes[row].min_x = NAN;
    ck_assert_int_eq(qd_tree_refresh(rig.tree, rig.team, rig.boxes, rig.indices, rig.count, NULL, NULL),
                     QD_ERR_VALUE);
    ck_assert_int_eq(qd_tree_order(rig.tree, rig.team, places), QD_ERR_STATE);
    ck_assert_int_eq(qd_tree_order(NULL, rig.team, places), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_tree_order(rig.tree, NULL, places), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_tree_order(rig.tree, rig.team, NULL), QD_ERR_ARGUMENT);
    rig.count = 0;
    qd_rig_refresh(&rig);
    ck_assert_int_eq(qd_tree_order(rig.tree, rig.team, NULL), QD_OK);
}

QD_TEST_MAIN("tree_teams", 300, NULL, NULL)
