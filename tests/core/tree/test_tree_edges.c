// The tree at its edges: worlds of all sizes and shapes, capacities, roots that grow and shrink, floats at
// their ends; what it says of itself.
#include "tests/support/tree_rig.h"

#include <float.h>
#include <math.h>
#include <quadrille/random.h>

// ---- the root

QD_TEST_LOOP(root_grows_and_shrinks_with_strays, 0, 6) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(8, 8, 4), 1 + _i % 2);
    qd_random random = qd_random_at(21, (uint64_t)_i, 5);
    for (int i = 0; i < 300; ++i)
        qd_rig_square(&rig, qd_test_between(&random, -4, 4), qd_test_between(&random, -4, 4),
                      0.05 * exp2(i % 6));
    int lowest = 0;
    for (int step = 0; step < 24; ++step) {
        if (step % 3 == 0) { // all at home
            for (size_t i = 0; i < rig.count; ++i)
                qd_rig_move(&rig, i, qd_test_between(&random, -4, 4), qd_test_between(&random, -4, 4));
            qd_rig_refresh(&rig);
            ck_assert_int_eq(qd_tree_statistics(rig.tree).root_level, 0);
        } else { // some, or nearly all, go to one side, each time to another distance
            double far = 4.0 * exp2(qd_test_between(&random, 0.0, 22.0));
            size_t away = step % 3 == 1 ? 40 : 290;
            for (size_t i = 0; i < away; ++i) {
                double x = far * qd_test_between(&random, -1, 1);
                qd_rig_move(&rig, (i * 7 + (size_t)step) % rig.count, x,
                            far * qd_test_between(&random, -0.2, 1));
            }
            qd_rig_refresh(&rig);
            int level = qd_tree_statistics(rig.tree).root_level;
            if (level < lowest) lowest = level;
        }
        qd_rig_check(&rig);
    }
    ck_assert_int_lt(lowest, -5);
}

// One by one the strays come, and go: the root follows the rule of tree.h after each.
QD_TEST(root_follows_single_bodies) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(8, 8, 2), 1);
    for (int i = 0; i < 20; ++i) qd_rig_square(&rig, i * 0.35 - 3.5, 0.1, 0.2);
    qd_rig_refresh(&rig);
    for (int i = 0; i < 40; ++i) {
        size_t row = qd_rig_square(&rig, (i % 2 ? 5.0 : -5.0) * exp2(i / 2), 3.0, 1.0);
        ck_assert_int_eq(qd_tree_add(rig.tree, rig.indices[row], rig.boxes[row]), QD_OK);
        qd_rig_check(&rig);
    }
    ck_assert_int_lt(qd_tree_statistics(rig.tree).root_level, -10);
    while (rig.count > 0) {
        ck_assert_int_eq(qd_tree_remove(rig.tree, rig.indices[rig.count - 1]), QD_OK);
        rig.count -= 1;
        qd_rig_check(&rig);
    }
    ck_assert_int_eq(qd_tree_statistics(rig.tree).root_level, 0);
}

static bool note_first(void *context, const qd_tree_node_info *node) {
    qd_tree_node_info *first = context;
    *first = *node;
    return false;
}

// R0 .. R3 of a world of side 8, as tree.h describes them.
QD_TEST(root_cells_alternate) {
    static const double corners[] = {-4, -12, -12, -44};
    for (int k = 0; k < 4; ++k) {
        qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(8, 8, 1), 1);
        double corner = corners[k];
        double side = 8.0 * exp2(k);
        // Three in the corner of the square that only Rk has.
        bool low = k % 2 == 1; // R(k-1) is the upper right child, so the new corner is the lower left one
        double at = k == 0 ? 0.0 : low ? corner + 0.5 : corner + side - 0.5;
        for (int i = 0; i < 3; ++i) qd_rig_square(&rig, at, at, 0.1);
        qd_rig_refresh(&rig);
        ck_assert_int_eq(qd_tree_statistics(rig.tree).root_level, -k);
        qd_tree_node_info root = {0};
        qd_tree_visit_nodes(rig.tree, note_first, &root);
        ck_assert_int_eq(root.level, -k);
        ck_assert_int_eq(root.depth, 0);
        ck_assert_double_eq(root.min_x, corner);
        ck_assert_double_eq(root.min_y, corner);
        ck_assert_double_eq(root.side, side);
    }
}

// ---- worlds and capacities

// A scene in units of the world: all sorts of sizes and places, some outside.
static void put_mixture(qd_rig *rig, int n, uint64_t seed) {
    qd_random random = qd_random_at(seed, 0, 6);
    qd_vec2 size = rig->def.size;
    double longer = fmax(size.x, size.y);
    for (int i = 0; i < n; ++i) {
        double out = i % 10 == 0 ? 3.0 : 0.5;
        double half = 0.0003 * longer * pow(10.0, qd_test_between(&random, 0.0, 2.0));
        qd_rig_square(rig, size.x * qd_test_between(&random, -out, out),
                      size.y * qd_test_between(&random, -out, out), half);
    }
}

static void check_mixture(const qd_tree_def *def) {
    qd_own(qd_rig) rig = qd_rig_start(*def, 1);
    put_mixture(&rig, 400, 31);
    qd_rig_refresh(&rig);
    ck_assert_uint_gt(qd_rig_pairs(&rig), 0);
    qd_rig_check(&rig);
    put_mixture(&rig, 400, 32); // the first 400 stay, as many again
    for (size_t i = 0; i < 200; ++i) rig.boxes[i] = rig.boxes[i + 400];
    qd_rig_refresh(&rig);
    qd_rig_check(&rig);
}

QD_TEST_LOOP(worlds_of_all_sizes, 0, 7) {
    static const double sizes[] = {0x1p-60, 1e-15, 1e-6, 1.0, 1e6, 1e15, 0x1p60};
    qd_tree_def def = qd_rig_def(sizes[_i], sizes[_i], 8);
    check_mixture(&def);
    def.size.x *= 0.77;
    check_mixture(&def);
}

QD_TEST_LOOP(worlds_of_all_shapes, 0, 5) {
    static const double shapes[][2] = {{1000, 1}, {1, 1000}, {1, 1e6}, {77.7, 3.3}, {1e-12, 1e3}};
    qd_tree_def def = qd_rig_def(shapes[_i][0], shapes[_i][1], 8);
    check_mixture(&def);
}

QD_TEST_LOOP(capacity_extremes, 0, 3) {
    static const uint32_t capacities[] = {1, 2, 65535};
    qd_tree_def def = qd_rig_def(10, 10, capacities[_i]);
    check_mixture(&def);
    // The largest capacity is one leaf, until it is passed.
    if (capacities[_i] < 65535) return;
    qd_own(qd_rig) rig = qd_rig_start(def, 2);
    for (int i = 0; i < 65535; ++i) qd_rig_square(&rig, i % 256 * 0.03 - 4.0, i / 256 * 0.03 - 4.0, 0.001);
    qd_rig_refresh(&rig);
    ck_assert_uint_eq(qd_tree_statistics(rig.tree).nodes, 1);
    ck_assert_uint_eq(qd_tree_statistics(rig.tree).largest_list, 65535);
    ck_assert_int_eq(qd_tree_add(rig.tree, 65535, (qd_box){1, 1, 1, 1}), QD_OK);
    ck_assert_uint_eq(qd_tree_statistics(rig.tree).nodes, 5);
    ck_assert_int_eq(qd_tree_remove(rig.tree, 7), QD_OK);
    ck_assert_uint_eq(qd_tree_statistics(rig.tree).nodes, 1);
    qd_rig_validate(&rig);
}

// A node is split exactly when more than `capacity` of its bodies could go deeper.
QD_TEST(capacity_is_exact) {
    for (uint32_t capacity = 1; capacity < 40; capacity += 6) {
        qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(16, 16, capacity), 1);
        for (int i = 0; i < 50; ++i)
            qd_rig_square(&rig, 1.0, 1.0, 4.5); // longer than half the root: never counted
        for (uint32_t i = 0; i < capacity; ++i)
            qd_rig_square(&rig, i % 8 - 4.0, i % 7 - 3.5, 4.0); // just half
        qd_rig_refresh(&rig);
        ck_assert_uint_eq(qd_tree_statistics(rig.tree).nodes, 1);
        qd_rig_square(&rig, 0.0, 0.0, 4.0);
        qd_rig_refresh(&rig);
        ck_assert_uint_eq(qd_tree_statistics(rig.tree).nodes, 5);
        ck_assert_uint_eq(rig.counts.splits, 1);
        rig.count -= 1;
        qd_rig_refresh(&rig);
        ck_assert_uint_eq(qd_tree_statistics(rig.tree).nodes, 1);
        ck_assert_uint_eq(rig.counts.merges, 1);
        qd_rig_check(&rig);
    }
}

// Two boxes as long as half a period may touch on both sides: still one pair, through the nearest image.
QD_TEST_LOOP(half_a_period_on_both_sides, 0, 3) {
    qd_tree_def def = qd_rig_def(16, 16, 1);
    if (_i != 1) def.period.x = 16;
    if (_i != 0) def.period.y = 16;
    qd_own(qd_rig) rig = qd_rig_start(def, 1);
    (void)qd_rig_put(&rig, (qd_box){-8, -8, 0, 0});
    (void)qd_rig_put(&rig, (qd_box){0, -8, 8, 0});
    (void)qd_rig_put(&rig, (qd_box){-8, 0, 0, 8});
    (void)qd_rig_put(&rig, (qd_box){0, 0, 8, 8});
    qd_rig_refresh(&rig);
    ck_assert_uint_eq(qd_rig_pairs(&rig), 6);
    for (qd_body_index b = 1; b < 4; ++b) ck_assert(qd_rig_has_pair(&rig, 0, b));
    qd_rig_check(&rig);
    for (int i = 0; i < 120; ++i) qd_rig_square(&rig, i % 11 - 5.0, i / 11 - 5.0, i % 3 == 0 ? 4.0 : 3.0);
    qd_rig_refresh(&rig);
    qd_rig_check(&rig);
}

// A body whose new box is bad keeps the one it had, unless that does not fit a period that was set in
// between: then it is out, and comes in again with the first good one.
QD_TEST(bad_boxes_after_another_period) {
    qd_tree_def def = qd_tree_def_default();
    def.size = def.period = (qd_vec2){100, 100};
    def.capacity = 2;
    qd_tree *tree = NULL;
    qd_team *team = NULL;
    qd_team_def team_def = qd_team_def_default();
    ck_assert_int_eq(qd_team_create(&team_def, &team), QD_OK);
    ck_assert_int_eq(qd_tree_create(&def, &tree), QD_OK);
    enum { COUNT = 40 };
    qd_box boxes[COUNT], box;
    for (int i = 0; i < COUNT; ++i) {
        float x = (float)i * 2.4F - 47.0F;
        boxes[i] = (qd_box){x - 0.5F, -0.5F, x + 0.5F, 0.5F};
    }
    size_t bad = 0;
    qd_tree_counts counts;
    ck_assert_int_eq(qd_tree_refresh(tree, team, boxes, NULL, COUNT, NULL, &bad), QD_OK);
    ck_assert_int_eq(qd_tree_set_period(tree, (qd_vec2){50, 100}), QD_OK);
    // The outer ones do not fit; the one with no box at all, number 20, keeps what it had.
    boxes[20].min_x = (float)NAN;
    size_t inside = 0;
    for (int i = 0; i < COUNT; ++i) inside += fabs((double)i * 2.4 - 47) <= 25;
    ck_assert_int_eq(qd_tree_refresh(tree, team, boxes, NULL, COUNT, &counts, &bad), QD_ERR_VALUE);
    qd_error error = {""};
    ck_assert_msg(qd_tree_validate(tree, &error) == QD_OK, "%s", error.text);
    ck_assert_uint_eq(bad, 0);
    ck_assert_uint_eq(qd_tree_count(tree), inside);
    ck_assert_uint_eq(counts.removed, COUNT - inside);
    ck_assert_int_eq(qd_tree_box(tree, 20, &box), QD_OK);
    ck_assert_int_eq(qd_tree_box(tree, 0, &box), QD_ERR_STALE);
    for (int i = 0; i < COUNT; ++i) boxes[i] = (qd_box){(float)i, -0.5F, (float)i, 0.5F};
    for (int i = 25; i < COUNT; ++i) boxes[i].min_x = boxes[i].max_x = 25.0F - (float)i;
    ck_assert_int_eq(qd_tree_refresh(tree, team, boxes, NULL, COUNT, &counts, &bad), QD_OK);
    ck_assert_uint_eq(qd_tree_count(tree), COUNT);
    ck_assert_int_eq(qd_tree_validate(tree, NULL), QD_OK);
    qd_tree_destroy(tree);
    qd_team_destroy(team);
}

QD_TEST(floats_at_their_ends) {
    const float most = FLT_MAX;
    const float least = 1e-45F;
    const qd_box boxes[] = {{-most, -most, most, most},
                            {most, most, most, most},
                            {-most, -most, -most, -most},
                            {most, -most, most, most},
                            {-most, 0, most, 0},
                            {0, -most, 0, most},
                            {0, 0, 0, 0},
                            {-0.0F, -0.0F, 0.0F, 0.0F},
                            {-least, -least, least, least},
                            {least, least, least, least},
                            {-least, -least, -least, -least},
                            {-least, 0, 0, most},
                            {0.5F * most, 0.5F * most, most, most},
                            {-most, -most, -0.5F * most, 1},
                            {1e38F, 1e38F, 1.0001e38F, 1.0001e38F},
                            {-0.5F, -0.5F, 0.5F, 0.5F},
                            {0.5F, 0.5F, 0.5F, 0.5F}};
    for (uint32_t capacity = 1; capacity < 32; capacity *= 5) {
        qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(1, 1, capacity), 1);
        for (int copies = 0; copies < 6; ++copies) { // more than 64 of them: the long root's list too
            for (size_t b = 0; b < sizeof boxes / sizeof boxes[0]; ++b) (void)qd_rig_put(&rig, boxes[b]);
            qd_rig_refresh(&rig);
            qd_rig_check(&rig);
        }
        ck_assert_uint_eq(qd_rig_retrieve(&rig, boxes[0], QD_NO_BODY), rig.count);
    }
}

// ---- what one can ask

typedef struct walk {
    const qd_rig *rig;
    qd_tree_node_info path[QD_TREE_MAX_LEVEL + QD_TREE_MAX_GROWTH + 1]; // parents of the present node
    int children[QD_TREE_MAX_LEVEL + QD_TREE_MAX_GROWTH + 1];           // visited so far, of each
    uint64_t nodes, leaves, bodies, largest;
    uint64_t below[QD_TREE_MAX_LEVEL + QD_TREE_MAX_GROWTH + 1];
    int deepest;
} walk;

static bool walk_node(void *context, const qd_tree_node_info *node) {
    walk *w = context;
    ck_assert_int_ge(node->depth, 0);
    if (node->depth > 0) {
        const qd_tree_node_info *parent = &w->path[node->depth - 1];
        int q = w->children[node->depth - 1]++;
        ck_assert_int_lt(q, 4);
        ck_assert(!parent->leaf);
        ck_assert_int_eq(node->level, parent->level + 1);
        ck_assert(node->side == 0.5 * parent->side);
        ck_assert(node->min_x == parent->min_x + (q & 1) * node->side);
        ck_assert(node->min_y == parent->min_y + (q >> 1) * node->side);
        w->below[node->depth - 1] += node->subtree;
    }
    // The nodes that end here have had all their children, and hold what those hold.
    for (int depth = node->depth; depth <= w->deepest && w->nodes > 0; ++depth) {
        if (w->path[depth].leaf || w->path[depth].side == 0.0) break;
        ck_assert_int_eq(w->children[depth], 4);
        ck_assert_uint_eq(w->below[depth] + w->path[depth].bodies, w->path[depth].subtree);
    }
    w->path[node->depth] = *node;
    w->children[node->depth] = 0;
    w->below[node->depth] = 0;
    for (int depth = node->depth + 1; depth <= w->deepest; ++depth) w->path[depth].side = 0.0;
    if (node->leaf) ck_assert_uint_eq(node->subtree, node->bodies);
    w->nodes += 1;
    w->leaves += node->leaf;
    w->bodies += node->bodies;
    if (node->bodies > w->largest) w->largest = node->bodies;
    if (node->depth > w->deepest) w->deepest = node->depth;
    return true;
}

// The tree as seen from outside adds up, and each body is where the rule of placement says.
QD_TEST(nodes_bodies_and_statistics_agree) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(30, 20, 5), 1);
    for (int round = 0; round < 5; ++round) {
        put_mixture(&rig, 300, 40 + (uint64_t)round);
        qd_rig_refresh(&rig);
        walk w = {.rig = &rig};
        qd_tree_visit_nodes(rig.tree, walk_node, &w);
        qd_tree_stats stats = qd_tree_statistics(rig.tree);
        ck_assert_uint_eq(stats.bodies, rig.count);
        ck_assert_uint_eq(w.bodies, rig.count);
        ck_assert_uint_eq(w.path[0].subtree, rig.count);
        ck_assert_uint_eq(stats.nodes, w.nodes);
        ck_assert_uint_eq(stats.leaves, w.leaves);
        ck_assert_uint_eq(stats.largest_list, w.largest);
        ck_assert_int_eq(stats.deepest_level - stats.root_level, w.deepest);
        ck_assert_int_eq(stats.root_level, w.path[0].level);
        uint64_t outside = 0;
        for (size_t i = 0; i < rig.count; ++i) {
            qd_box box;
            int depth = -1;
            ck_assert_int_eq(qd_tree_box(rig.tree, (qd_body_index)i, &box), QD_OK);
            ck_assert_mem_eq(&box, &rig.boxes[i], sizeof box);
            ck_assert_int_eq(qd_tree_depth(rig.tree, (qd_body_index)i, &depth), QD_OK);
            double longest = fmax((double)(box.max_x - box.min_x), (double)(box.max_y - box.min_y));
            double x = 0.5 * (double)box.min_x + 0.5 * (double)box.max_x - w.path[0].min_x;
            double y = 0.5 * (double)box.min_y + 0.5 * (double)box.max_y - w.path[0].min_y;
            double side = w.path[0].side;
            bool out = longest > side || x < 0 || y < 0 || x >= side || y >= side;
            outside += out;
            if (out) ck_assert_int_eq(depth, 0);
            if (depth > 0) ck_assert_double_le(longest, side * exp2(-depth));
            qd_tree_node_info node;
            ck_assert_int_eq(qd_tree_node(rig.tree, (qd_body_index)i, &node), QD_OK);
            ck_assert_int_eq(node.depth, depth);
            ck_assert_double_eq(node.side, side * exp2(-depth));
            x += w.path[0].min_x - node.min_x;
            y += w.path[0].min_y - node.min_y;
            ck_assert(out || (x >= 0 && y >= 0 && x < node.side && y < node.side));
            ck_assert(node.bodies > 0 && qd_box_overlap(node.bounds, box));
        }
        ck_assert_uint_eq(stats.outside, outside);
    }
    qd_box box;
    qd_tree_node_info node;
    int depth;
    ck_assert_int_eq(qd_tree_node(rig.tree, (qd_body_index)rig.count, &node), QD_ERR_STALE);
    ck_assert_int_eq(qd_tree_node(rig.tree, QD_NO_BODY, &node), QD_ERR_STALE);
    ck_assert_int_eq(qd_tree_box(rig.tree, (qd_body_index)rig.count, &box), QD_ERR_STALE);
    ck_assert_int_eq(qd_tree_depth(rig.tree, (qd_body_index)rig.count, &depth), QD_ERR_STALE);
    ck_assert_int_eq(qd_tree_box(rig.tree, QD_NO_BODY, &box), QD_ERR_STALE);
    ck_assert_int_eq(qd_tree_remove(rig.tree, QD_NO_BODY), QD_ERR_STALE);
}

QD_TEST(revision_counts_changes) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(8, 8, 2), 1);
    uint64_t revision = qd_tree_revision(rig.tree);
    put_mixture(&rig, 100, 50);
    for (int i = 0; i < 3; ++i) {
        qd_rig_refresh(&rig);
        ck_assert_uint_eq(qd_tree_revision(rig.tree), ++revision);
    }
    for (qd_body_index b = 100; b < 200; ++b) {
        ck_assert_int_eq(qd_tree_add(rig.tree, b, (qd_box){1e4F, 1, 1e4F, 1}),
                         QD_OK); // the root grows on the way
        ck_assert_uint_eq(qd_tree_revision(rig.tree), ++revision);
    }
    for (qd_body_index b = 100; b < 200;
         ++b) { // within the node, to another one, and to where the root is too large
        float x = b % 3 == 0 ? 1e4F : 1 + 0.01F * (float)b;
        ck_assert_int_eq(qd_tree_move(rig.tree, b, (qd_box){x, 1, x, 1}), QD_OK);
        ck_assert_uint_eq(qd_tree_revision(rig.tree), ++revision);
    }
    for (qd_body_index b = 50; b < 200; ++b) {
        ck_assert_int_eq(qd_tree_remove(rig.tree, b), QD_OK);
        ck_assert_uint_eq(qd_tree_revision(rig.tree), ++revision);
    }
    // What only reads, and what fails, is no change.
    uint64_t hash = qd_tree_hash(rig.tree);
    (void)qd_rig_pairs(&rig);
    (void)qd_rig_retrieve(&rig, (qd_box){0, 0, 1, 1}, QD_NO_BODY);
    ck_assert_int_eq(qd_tree_remove(rig.tree, 150), QD_ERR_STALE);
    ck_assert_int_eq(qd_tree_move(rig.tree, 150, (qd_box){0, 0, 1, 1}), QD_ERR_STALE);
    ck_assert_int_eq(qd_tree_move(rig.tree, 3, (qd_box){1, 0, 0, 1}), QD_ERR_VALUE);
    ck_assert_int_eq(qd_tree_add(rig.tree, 3, (qd_box){0, 0, 1, 1}), QD_ERR_EXISTS);
    ck_assert_int_eq(qd_tree_add(rig.tree, 500, (qd_box){1, 0, 0, 1}), QD_ERR_VALUE);
    ck_assert_int_eq(qd_tree_add(rig.tree, QD_BODY_INDEX_MAX, (qd_box){0, 0, 1, 1}), QD_ERR_LIMIT);
    ck_assert_uint_eq(qd_tree_revision(rig.tree), revision);
    ck_assert_uint_eq(qd_tree_hash(rig.tree), hash);
}

typedef struct stopper {
    size_t calls, most;
} stopper;

static bool stop_body(void *context, qd_body_index body, qd_image image) {
    (void)body;
    (void)image;
    stopper *s = context;
    return ++s->calls < s->most;
}

static bool stop_node(void *context, const qd_tree_node_info *node) {
    (void)node;
    stopper *s = context;
    return ++s->calls < s->most;
}

QD_TEST_LOOP(visits_stop_when_told, 0, 3) {
    qd_tree_def def = qd_rig_def(8, 8, 2);
    if (_i == 1) def.period = def.size;
    qd_own(qd_rig) rig = qd_rig_start(def, 1);
    for (int i = 0; i < 150; ++i)
        qd_rig_square(&rig, i % 12 * 0.6 - 3.9, i / 12 * 0.6 - 3.9, 0.2 + i % 5 * 0.2);
    if (_i == 2) { // and a long root's list
        for (int i = 0; i < 150; ++i) qd_rig_square(&rig, 1e30 * (i % 2 ? 1.0 : -1.0), 0.0, 2e30);
    }
    qd_rig_refresh(&rig);
    qd_box all = {-4, -4, 4, 4};
    ck_assert_uint_eq(qd_rig_retrieve(&rig, all, QD_NO_BODY), rig.count);
    for (size_t most = 1; most <= rig.count; ++most) {
        stopper s = {0, most};
        ck_assert_int_eq(qd_tree_retrieve(rig.tree, all, QD_NO_BODY, stop_body, &s), QD_OK);
        ck_assert_uint_eq(s.calls, most);
    }
    uint64_t nodes = qd_tree_statistics(rig.tree).nodes;
    ck_assert_uint_gt(nodes, 20);
    for (size_t most = 1; most <= nodes; ++most) {
        stopper s = {0, most};
        qd_tree_visit_nodes(rig.tree, stop_node, &s);
        ck_assert_uint_eq(s.calls, most);
    }
}

// Indices with gaps, in any order, new ones in old gaps; the order of rows changes nothing.
QD_TEST(sparse_indices) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(8, 8, 4), 2);
    put_mixture(&rig, 300, 60);
    for (size_t i = 0; i < rig.count; ++i) rig.indices[i] = (qd_body_index)((i * 7919) % 300 * 3001 + 5);
    qd_rig_refresh(&rig);
    qd_rig_check(&rig);
    uint64_t hash = qd_tree_hash(rig.tree);
    for (size_t i = 0; i < rig.count / 2; ++i) { // the rows turned round
        size_t j = rig.count - 1 - i;
        qd_box box = rig.boxes[i];
        qd_body_index index = rig.indices[i];
        rig.boxes[i] = rig.boxes[j], rig.boxes[j] = box;
        rig.indices[i] = rig.indices[j], rig.indices[j] = index;
    }
    qd_rig_refresh(&rig);
    ck_assert_uint_eq(rig.counts.in_place, 300);
    ck_assert_uint_eq(qd_tree_hash(rig.tree), hash);
    for (size_t i = 0; i < rig.count; i += 3) rig.indices[i] += 1; // another body in its place
    qd_rig_refresh(&rig);
    ck_assert_uint_eq(rig.counts.added, 100);
    ck_assert_uint_eq(rig.counts.removed, 100);
    qd_rig_check(&rig);
}

// Rows given with and without their indices, in turn.
QD_TEST(plain_and_listed_indices_mix) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(8, 8, 4), 1);
    put_mixture(&rig, 200, 61);
    qd_random random = qd_random_at(62, 0, 7);
    for (int step = 0; step < 8; ++step) {
        for (size_t i = 0; i < rig.count; ++i)
            qd_rig_move(&rig, i, qd_test_between(&random, -4, 4), qd_test_between(&random, -4, 4));
        bool plain = step % 4 < 2;
        for (size_t i = 0; i < rig.count; ++i) {
            rig.indices[i] = (qd_body_index)(plain ? i : step == 6 ? (i + 1) % rig.count : rig.count - 1 - i);
        }
        ck_assert_int_eq(
            qd_tree_refresh(rig.tree, rig.team, rig.boxes, plain ? NULL : rig.indices, rig.count, NULL, NULL),
            QD_OK);
        qd_rig_check(&rig);
    }
}

QD_TEST(a_tree_of_nothing) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(8, 8, 4), 2);
    uint64_t empty = qd_tree_hash(rig.tree);
    qd_rig_refresh(&rig);
    qd_rig_check(&rig);
    put_mixture(&rig, 500, 70);
    qd_rig_refresh(&rig);
    rig.count = 0;
    qd_rig_refresh(&rig);
    ck_assert_uint_eq(rig.counts.removed, 500);
    ck_assert_uint_eq(qd_tree_hash(rig.tree), empty);
    ck_assert_uint_eq(qd_tree_statistics(rig.tree).nodes, 1);
    ck_assert_uint_eq(qd_rig_pairs(&rig), 0);
    qd_rig_check(&rig);
}

QD_TEST_MAIN("tree_edges", 300, NULL, NULL)
