// The faults of the systems that Quadrille grew from, each as a test that a tree with that fault fails. The
// letters are those systems:
//   A  the clear-and-insert tree      B  refresh instead of rebuild      C  eight optimizations
//   D  the notes, a restatement of A with the same faults                E  the ball pool
#include "tests/support/tree_rig.h"

#include <math.h>

typedef struct node_sums {
    uint64_t nodes, bodies, longest;
    int deepest;
    double leaf_area;
} node_sums;

static bool sum_node(void *context, const qd_tree_node_info *node) {
    node_sums *sums = context;
    sums->nodes += 1;
    sums->bodies += node->bodies;
    if (node->bodies > sums->longest) sums->longest = node->bodies;
    if (node->level > sums->deepest) sums->deepest = node->level;
    if (node->leaf) sums->leaf_area += node->side * node->side;
    return true;
}

static node_sums nodes_of(const qd_rig *rig) {
    node_sums sums = {.deepest = INT32_MIN};
    qd_tree_visit_nodes(rig->tree, sum_node, &sums);
    return sums;
}

static int depth_of(const qd_rig *rig, qd_body_index body) {
    int depth = -1;
    ck_assert_int_eq(qd_tree_depth(rig->tree, body, &depth), QD_OK);
    return depth;
}

// A grid of `side` x `side` small bodies over a world of 64 x 64.
static void put_grid(qd_rig *rig, int side, double half) {
    for (int y = 0; y < side; ++y) {
        for (int x = 0; x < side; ++x) {
            qd_rig_square(rig, (x + 0.5) * 64.0 / side - 32.0, (y + 0.5) * 64.0 / side - 32.0, half);
        }
    }
}

// ---- A, and D

// A: retrieve followed only the one quadrant that holds the whole query; a query across quadrants missed all
// below.
QD_TEST(query_spanning_quadrants_finds_all) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(64, 64, 2), 1);
    put_grid(&rig, 16, 0.25); // centres at odd multiples of 2
    qd_rig_refresh(&rig);
    ck_assert_uint_gt(nodes_of(&rig).nodes, 64);
    ck_assert_uint_eq(qd_rig_retrieve(&rig, (qd_box){-3, -3, 3, 3}, QD_NO_BODY), 4);
    ck_assert_uint_eq(qd_rig_retrieve(&rig, (qd_box){-11, -3, 11, 3}, QD_NO_BODY), 12);
    ck_assert_uint_eq(qd_rig_retrieve(&rig, (qd_box){-3, -20, 3, 27}, QD_NO_BODY), 24);
    ck_assert_uint_eq(qd_rig_retrieve(&rig, (qd_box){-32, -32, 32, 32}, QD_NO_BODY), 256);
}

// A: objects on the middle lines piled up in the ancestors, so that everyone was tested against them.
QD_TEST(bodies_on_middle_lines_do_not_pile_up) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(64, 64, 8), 1);
    for (int i = 0; i < 2000; ++i) {
        double at = (i + 0.5) * 64.0 / 2000 - 32.0;
        qd_rig_square(&rig, at, 0.0, 0.01);
        qd_rig_square(&rig, 0.0, at, 0.01);
        qd_rig_square(&rig, at, 16.0, 0.01);
    }
    qd_rig_refresh(&rig);
    node_sums sums = nodes_of(&rig);
    ck_assert_uint_eq(sums.bodies, rig.count);
    ck_assert_uint_le(sums.longest, 8);
    ck_assert_uint_eq(qd_tree_statistics(rig.tree).largest_list, sums.longest);
}

// A: half sizes were cut to integers, so worlds of odd size had gaps between the quadrants.
QD_TEST(odd_sizes_leave_no_gaps) {
    static const double sizes[][2] = {{101, 77}, {3, 3}, {1, 7}, {0.3, 0.1}, {1023, 5}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
        double w = sizes[s][0];
        double h = sizes[s][1];
        qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(w, h, 1), 1);
        for (int i = 0; i < 400; ++i) {
            qd_rig_square(&rig, (i % 20 / 19.0 - 0.5) * w, (i / 20 / 19.0 - 0.5) * h, 0.0);
        }
        qd_rig_refresh(&rig);
        double side = 1.0;
        while (side < fmax(w, h)) side *= 2.0;
        while (side >= 2.0 * fmax(w, h)) side *= 0.5;
        side *= exp2(-qd_tree_statistics(rig.tree).root_level);
        ck_assert_double_eq(nodes_of(&rig).leaf_area, side * side);
        for (size_t i = 0; i < rig.count; ++i) {
            ck_assert_uint_eq(qd_rig_retrieve(&rig, rig.boxes[i], QD_NO_BODY), 1);
        }
        qd_rig_check(&rig);
    }
}

// A: inserting into a node that was split already split it again and dropped its children with all they held.
QD_TEST(split_of_a_split_node_keeps_children) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(64, 64, 4), 1);
    uint64_t nodes = 1;
    for (int i = 0; i < 300; ++i) {
        // Ever larger bodies at the same few places: the last ones go to nodes that were split by the first.
        double half = 0.01 * exp2(i / 30);
        size_t row = qd_rig_square(&rig, i * 7 % 60 - 30.0, i * 11 % 60 - 30.0, half);
        ck_assert_int_eq(qd_tree_add(rig.tree, rig.indices[row], rig.boxes[row]), QD_OK);
        ck_assert_uint_eq(nodes_of(&rig).bodies, rig.count);
        ck_assert_uint_ge(nodes_of(&rig).nodes, nodes);
        nodes = nodes_of(&rig).nodes;
        for (size_t b = 0; b < rig.count; ++b) {
            qd_box box = {0, 0, 0, 0};
            if (qd_tree_box(rig.tree, (qd_body_index)b, &box) != QD_OK || box.max_x != rig.boxes[b].max_x)
                ck_abort_msg("body %zu is lost", b);
        }
    }
    qd_rig_check(&rig);
}

// A: objects outside the world were filed anywhere, and not found again.
QD_TEST(bodies_outside_are_found) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(64, 64, 4), 1);
    put_grid(&rig, 8, 1.0);
    static const double places[] = {33, 40, 100, 1e3, 1e6, 1e9, 1e20, 1e37};
    for (size_t p = 0; p < sizeof places / sizeof places[0]; ++p) {
        for (int k = 0; k < 8; ++k) {
            double x = (k % 3 - 1.0) * places[p];
            double y = (k / 3 - 1.0) * places[p];
            if (k == 4) x = 0.5 * places[p];
            qd_rig_square(&rig, x, y, 1e-3 * places[p]);
            qd_rig_square(&rig, x, y, 2e-3 * places[p]); // and one beside it
        }
    }
    qd_rig_refresh(&rig);
    for (size_t i = 64; i < rig.count; i += 2) {
        ck_assert_uint_ge(qd_rig_retrieve(&rig, rig.boxes[i], (qd_body_index)i), 1);
    }
    qd_rig_check(&rig);
}

// A: the object that asked was among its own candidates.
QD_TEST(not_its_own_candidate) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(64, 64, 2), 1);
    put_grid(&rig, 8, 4.0); // each touches its neighbours, corners included
    for (int i = 0; i < 5; ++i) qd_rig_square(&rig, 0.0, 0.0, 0.0);
    qd_rig_refresh(&rig);
    // The corner body has three neighbours; a point at the centre touches four squares and four other points.
    ck_assert_uint_eq(qd_rig_retrieve(&rig, rig.boxes[0], 0), 3);
    ck_assert_uint_eq(qd_rig_retrieve(&rig, rig.boxes[64], 64), 8);
    ck_assert_uint_eq(qd_rig_retrieve(&rig, rig.boxes[64], QD_NO_BODY), 9);
    size_t count = qd_rig_pairs(&rig);
    const qd_pair *pairs = qd_pairs_data(rig.pairs, &count);
    for (size_t p = 0; p < count; ++p) ck_assert_uint_lt(pairs[p].a, pairs[p].b);
    qd_rig_check(&rig);
}

// ---- B

// B: a query was carved along the middle lines, but then the uncarved query was passed on: too much came
// back.
QD_TEST(spanning_query_returns_only_what_overlaps) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(64, 64, 2), 1);
    put_grid(&rig, 32, 0.25);
    qd_rig_refresh(&rig);
    for (int i = 0; i < 50; ++i) {
        float x = (float)(i * 13 % 50) - 25.0F;
        float y = (float)(i * 29 % 50) - 25.0F;
        qd_box box = {x, y, x + (float)(i % 9), y + (float)(i % 7)};
        size_t expected = 0;
        for (size_t b = 0; b < rig.count; ++b) expected += qd_box_overlap(box, rig.boxes[b]);
        ck_assert_uint_eq(qd_rig_retrieve(&rig, box, QD_NO_BODY), expected);
    }
}

// B: an object that fits no child had quadrant -1, and the refresh crashed on it.
QD_TEST(refresh_of_bodies_that_fit_no_child) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(64, 64, 4), 1);
    put_grid(&rig, 16, 0.5);
    for (int i = 0; i < 30; ++i)
        qd_rig_square(&rig, i - 15.0, 15.0 - i, 3.0 + i); // up to longer than the world
    for (int step = 0; step < 20; ++step) {
        for (size_t i = 256; i < rig.count; ++i) {
            qd_rig_move(&rig, i, (double)((i * 7 + (size_t)step * 11) % 64) - 32.0,
                        (double)((i * 5 + (size_t)step * 3) % 64) - 32.0);
        }
        qd_rig_refresh(&rig);
        qd_rig_check(&rig);
    }
}

// B: nodes that had become empty never merged.
QD_TEST(empty_nodes_merge) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(64, 64, 4), 1);
    put_grid(&rig, 32, 0.1);
    qd_rig_refresh(&rig);
    ck_assert_uint_gt(nodes_of(&rig).nodes, 300);
    // All but a crowd of five go to one corner: nothing is left to split elsewhere.
    for (size_t i = 0; i < rig.count; ++i) qd_rig_move(&rig, i, i < 5 ? 20.0 : -31.0, i < 5 ? 20.0 : -31.0);
    rig.count = 5;
    qd_rig_refresh(&rig);
    ck_assert_uint_gt(rig.counts.merges, 0);
    ck_assert_uint_eq(rig.counts.removed, 1019);
    rig.count = 4;
    qd_rig_refresh(&rig);
    ck_assert_uint_eq(nodes_of(&rig).nodes, 1);
    qd_rig_check(&rig);
    // The same one by one.
    put_grid(&rig, 16, 0.1);
    qd_rig_refresh(&rig);
    for (qd_body_index b = 4; b < 260; ++b) ck_assert_int_eq(qd_tree_remove(rig.tree, b), QD_OK);
    ck_assert_uint_eq(nodes_of(&rig).nodes, 1);
    rig.count = 4;
    qd_rig_check(&rig);
}

// B: what the recursion found below was put in a variable of another name and lost.
QD_TEST(results_of_deeper_levels_are_not_lost) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(64, 64, 1), 1);
    // One body on every level around one point, each in its own node's list.
    for (int level = 0; level < 10; ++level) qd_rig_square(&rig, 1e-3, 1e-3, 32.0 * exp2(-level));
    for (int i = 0; i < 8; ++i) qd_rig_square(&rig, 1e-3 + 1e-4 * i, 1e-3, 0.0);
    qd_rig_refresh(&rig);
    for (qd_body_index b = 1; b < 10; ++b) ck_assert_int_gt(depth_of(&rig, b), depth_of(&rig, b - 1));
    ck_assert_uint_eq(qd_rig_retrieve(&rig, rig.boxes[10], QD_NO_BODY), 11);
    ck_assert_uint_eq(qd_rig_retrieve(&rig, rig.boxes[0], QD_NO_BODY), rig.count);
    qd_rig_check(&rig);
}

typedef struct seen_bodies {
    uint32_t times[1024];
} seen_bodies;

static bool count_times(void *context, qd_body_index body, qd_image image) {
    (void)image;
    seen_bodies *seen = context;
    seen->times[body] += 1;
    return true;
}

// B: each piece of a carved query returned the objects of the ancestors again.
QD_TEST(no_duplicates_from_pieces) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(64, 64, 1), 1);
    put_grid(&rig, 16, 0.5);
    for (int i = 0; i < 20; ++i) qd_rig_square(&rig, 0.0, 0.0, 1.0 + 2.0 * i);
    qd_rig_refresh(&rig);
    seen_bodies seen = {{0}};
    qd_box all = {-100, -100, 100, 100};
    ck_assert_int_eq(qd_tree_retrieve(rig.tree, all, QD_NO_BODY, count_times, &seen), QD_OK);
    for (size_t b = 0; b < rig.count; ++b) ck_assert_uint_eq(seen.times[b], 1);
    qd_rig_check(&rig);
}

// ---- C

// C: an object that was hit already was skipped, so of A-B and B-C only the first was found.
QD_TEST(hit_bodies_are_not_skipped) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(64, 64, 1), 1);
    for (int i = 0; i < 50; ++i)
        qd_rig_square(&rig, 1.0 * i - 25.0, 0.3, 0.5); // a row, each touches the next
    qd_rig_refresh(&rig);
    ck_assert_uint_eq(qd_rig_pairs(&rig), 49);
    for (qd_body_index b = 0; b + 1 < 50; ++b) ck_assert(qd_rig_has_pair(&rig, b, b + 1));
    qd_rig_check(&rig);
}

// C: only two or three levels were looked at, so small objects missed large ones many levels above.
QD_TEST(large_bodies_found_by_small) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(64, 64, 2), 1);
    size_t large = qd_rig_square(&rig, -3.0, 5.0, 31.0);
    size_t larger = qd_rig_square(&rig, 10.0, 0.0, 100.0);
    for (int i = 0; i < 200; ++i) qd_rig_square(&rig, -20.0 + 0.002 * i, 10.0, 0.0005); // a dense, deep row
    qd_rig_refresh(&rig);
    ck_assert_int_gt(depth_of(&rig, 100), depth_of(&rig, (qd_body_index)large) + 6);
    ck_assert_uint_eq(qd_rig_pairs(&rig), 401);
    for (qd_body_index b = 2; b < 202; ++b) {
        ck_assert(qd_rig_has_pair(&rig, (qd_body_index)large, b));
        ck_assert(qd_rig_has_pair(&rig, (qd_body_index)larger, b));
    }
    qd_rig_check(&rig);
}

// C: the part of an ancestor's list that lies in the other half was skipped, though its objects may reach
// over the line.
QD_TEST(bodies_of_the_other_half_reach_over) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(64, 64, 1), 1);
    size_t left = qd_rig_square(&rig, -1.0, 1.0, 7.0);  // centre on the left, reaches to 6
    size_t right = qd_rig_square(&rig, 5.5, 2.0, 0.01); // small, on the right
    size_t below = qd_rig_square(&rig, 5.0, -0.5, 3.0); // centre below, reaches to 2.5
    qd_rig_square(&rig, -30.0, -30.0, 0.01);
    qd_rig_square(&rig, 30.0, 30.0, 0.01);
    qd_rig_refresh(&rig);
    ck_assert_uint_eq(qd_rig_pairs(&rig), 3);
    ck_assert(qd_rig_has_pair(&rig, (qd_body_index)left, (qd_body_index)right));
    ck_assert(qd_rig_has_pair(&rig, (qd_body_index)right, (qd_body_index)below));
    ck_assert(qd_rig_has_pair(&rig, (qd_body_index)left, (qd_body_index)below));
    qd_rig_check(&rig);
}

// C: objects were inserted along the path remembered from before they moved.
QD_TEST(moved_bodies_are_filed_anew) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(64, 64, 3), 1);
    put_grid(&rig, 12, 0.4);
    qd_rig_refresh(&rig);
    for (int step = 1; step < 12; ++step) {
        // Everyone turns about the centre, through all quadrants.
        for (size_t i = 0; i < rig.count; ++i) {
            double x = (double)(i % 12) * 5.0 - 27.5;
            double y = (double)(i / 12) * 5.0 - 27.5;
            double c = cos(0.6 * step);
            double s = sin(0.6 * step);
            qd_rig_move(&rig, i, c * x - s * y, s * x + c * y);
        }
        qd_rig_refresh(&rig);
        ck_assert_uint_gt(rig.counts.refiled, 0);
        qd_rig_check(&rig);
    }
}

// C: paths of different length could share a code, so an object on one level was taken for one on another.
QD_TEST(paths_of_different_length_differ) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(64, 64, 1), 1);
    // In the lower left corner every step of the path is 0: only its length tells the levels apart.
    for (int level = 0; level < 12; ++level) {
        double side = 64.0 * exp2(-level);
        qd_rig_square(&rig, -32.0 + 0.4 * side * exp2(-(12 - level)), -32.0, 0.49 * side);
        qd_rig_square(&rig, -32.0, -32.0 + 0.1 * side * exp2(-(12 - level)), 0.49 * side);
    }
    qd_rig_refresh(&rig);
    for (qd_body_index b = 0; b < 24; ++b) ck_assert_int_eq(depth_of(&rig, b), (int)b / 2);
    // A body that only changes its size changes its level, and nothing else.
    for (int level = 11; level >= 0; --level) {
        double half = 32.0 * exp2(-level);
        rig.boxes[23] = (qd_box){(float)(-32.0 - half), (float)(-32.0 - half), (float)(-32.0 + half),
                                 (float)(-32.0 + half)};
        qd_rig_refresh(&rig);
        ck_assert_int_eq(depth_of(&rig, 23), level);
        qd_rig_check(&rig);
    }
}

// C: an object on a middle line of a node that was split was dropped by insert.
QD_TEST(body_on_the_middle_line_of_a_split_node_is_kept) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(64, 64, 1), 1);
    put_grid(&rig, 8, 0.1);
    qd_rig_refresh(&rig);
    static const double lines[][2] = {{0, 0}, {0, 7}, {7, 0}, {16, -9}, {-16, 16}, {8, 8}, {-24, 0}};
    for (size_t l = 0; l < sizeof lines / sizeof lines[0]; ++l) {
        size_t row = qd_rig_square(&rig, lines[l][0], lines[l][1], 0.5);
        ck_assert_int_eq(qd_tree_add(rig.tree, rig.indices[row], rig.boxes[row]), QD_OK);
        ck_assert_uint_eq(qd_tree_count(rig.tree), rig.count);
        ck_assert_uint_eq(qd_rig_retrieve(&rig, rig.boxes[row], QD_NO_BODY), 1);
    }
    qd_rig_check(&rig);
}

// ---- E

// E: balls were points in the tree, so a query had to be widened by the largest radius, or pairs were missed.
QD_TEST(no_widened_query_needed) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(64, 64, 4), 1);
    for (int i = 0; i < 400; ++i) {
        double half = i % 40 == 0 ? 9.0 : i % 4 == 0 ? 1.0 : 0.01; // 1:900
        qd_rig_square(&rig, i * 37 % 64 - 31.7, i * 23 % 64 - 31.3, half);
    }
    qd_rig_refresh(&rig);
    qd_box speck = {-20.0F, -10.0F, -20.0F, -10.0F};
    size_t expected = 0;
    for (size_t b = 0; b < rig.count; ++b) expected += qd_box_overlap(speck, rig.boxes[b]);
    ck_assert_uint_gt(expected, 0);
    ck_assert_uint_eq(qd_rig_retrieve(&rig, speck, QD_NO_BODY), expected);
    qd_rig_check(&rig);
}

// E: a point on a border entered several children.
QD_TEST(point_on_a_border) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(64, 64, 1), 1);
    for (int y = -8; y <= 8; ++y) {
        for (int x = -8; x <= 8; ++x) qd_rig_square(&rig, 4.0 * x, 4.0 * y, 0.0);
    }
    qd_rig_refresh(&rig);
    ck_assert_uint_eq(nodes_of(&rig).bodies, rig.count);
    ck_assert_uint_eq(qd_rig_pairs(&rig), 0);
    for (size_t b = 0; b < rig.count; ++b) {
        seen_bodies seen = {{0}};
        ck_assert_int_eq(qd_tree_point(rig.tree, rig.boxes[b].min_x, rig.boxes[b].min_y, count_times, &seen),
                         QD_OK);
        size_t others = 0;
        for (size_t other = 0; other < rig.count; ++other) others += seen.times[other];
        ck_assert_uint_eq(others, 1);
        ck_assert_uint_eq(seen.times[b], 1);
    }
    qd_rig_check(&rig);
}

// E: more coincident points than the capacity split for ever.
QD_TEST(coincident_points_end) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(64, 64, 4), 2);
    for (int i = 0; i < 100000; ++i) qd_rig_square(&rig, 7.3, -2.9, 0.0);
    qd_rig_refresh(&rig);
    node_sums sums = nodes_of(&rig);
    ck_assert_int_le(sums.deepest, QD_TREE_MAX_LEVEL);
    ck_assert_uint_eq(sums.bodies, rig.count);
    ck_assert_uint_le(sums.nodes, 1 + 4 * (QD_TREE_MAX_LEVEL + QD_TREE_MAX_GROWTH));
    qd_pairs_set_limit(rig.pairs, 100000);
    ck_assert_int_eq(qd_tree_pairs(rig.tree, rig.team, rig.pairs), QD_ERR_LIMIT);
    ck_assert_int_eq(qd_tree_pairs_each(rig.tree, rig.team, rig.pairs), QD_ERR_LIMIT);
    qd_error error;
    ck_assert_msg(qd_tree_validate(rig.tree, &error) == QD_OK, "%s", error.text);
    // Apart again, all is as it should be.
    for (size_t i = 0; i < rig.count; ++i)
        qd_rig_move(&rig, i, 0.1 * (double)(i % 317) - 16.0, 0.1 * (double)(i / 317) - 16.0);
    qd_rig_refresh(&rig);
    ck_assert_uint_eq(qd_rig_pairs(&rig), 0);
    ck_assert_msg(qd_tree_validate(rig.tree, &error) == QD_OK, "%s", error.text);
}

// E: a query outside returned nothing at all, instead of an empty list.
QD_TEST(query_outside_gives_empty_list) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(64, 64, 4), 1);
    ck_assert_uint_eq(qd_rig_retrieve(&rig, (qd_box){0, 0, 1, 1}, QD_NO_BODY), 0); // nothing there yet
    put_grid(&rig, 8, 0.5);
    qd_rig_refresh(&rig);
    static const qd_box outside[] = {{33, 0, 40, 1},
                                     {-1e30F, -1e30F, -1e29F, 1e30F},
                                     {1e9F, 1e9F, 1e9F, 1e9F},
                                     {3.4e38F, -3.4e38F, 3.4e38F, 3.4e38F},
                                     {32.1F, 32.1F, 33, 33}};
    for (size_t q = 0; q < sizeof outside / sizeof outside[0]; ++q) {
        ck_assert_uint_eq(qd_rig_retrieve(&rig, outside[q], QD_NO_BODY), 0);
    }
}

// A and E: the tree was cleared and built anew for every frame.
QD_TEST(refresh_does_not_rebuild) {
    qd_own(qd_rig) rig = qd_rig_start(qd_rig_def(64, 64, 8), 1);
    put_grid(&rig, 40, 0.3);
    qd_rig_refresh(&rig);
    ck_assert(rig.counts.built);
    ck_assert_uint_eq(rig.counts.added, 1600);
    qd_rig_refresh(&rig);
    ck_assert(!rig.counts.built);
    ck_assert_uint_eq(rig.counts.in_place, 1600);
    ck_assert_uint_eq(rig.counts.refiled + rig.counts.splits + rig.counts.merges, 0);
    // Three cross a line, the others stir.
    for (size_t i = 0; i < rig.count; ++i) {
        rig.boxes[i].min_x += 1e-3F;
        rig.boxes[i].max_x += 1e-3F;
    }
    for (size_t i = 0; i < 3; ++i) qd_rig_move(&rig, i, 20.0 + (double)i, 20.0);
    qd_rig_refresh(&rig);
    ck_assert_uint_eq(rig.counts.refiled, 3);
    ck_assert_uint_eq(rig.counts.in_place, 1597);
    qd_rig_check(&rig);
}

QD_TEST_MAIN("tree_lineage", 120, NULL, NULL)
