// Other indices for the bodies of a tree: after the next refresh it is the tree that is built of these
// bodies.
#include "core/tree/rename.h"
#include "tests/support/tree_rig.h"

#include <quadrille/random.h>

static void put_random(qd_rig *rig, qd_random *random, size_t most) {
    const size_t more = qd_test_below(random, most);
    for (size_t i = 0; i < more; ++i) {
        const double x = 100 * qd_random_uniform(random) - 50, y = 100 * qd_random_uniform(random) - 50;
        (void)qd_rig_square(rig, x, y, qd_test_below(random, 8) == 0 ? 6 : 0.3);
    }
}

// Gives all bodies indices with gaps, in which others may come, or takes them out of the tree.
static void rename_some(qd_rig *rig, qd_random *random, uint64_t gone) {
    qd_own_memory uint32_t *index_of = qd_test_memory((rig->count + 1) * sizeof *index_of);
    qd_body_index next = 0;
    size_t kept = 0;
    ck_assert_ptr_nonnull(index_of);
    for (size_t i = 0; i < rig->count; ++i) {
        next += (qd_body_index)qd_test_below(random, 3);
        index_of[i] = qd_test_below(random, 16) < gone ? UINT32_MAX : next++;
    }
    qdi_tree_rename(rig->tree, rig->team, index_of, rig->count);
    qd_own_memory uint8_t *taken = qd_test_zeros(next + 1, 1);
    for (size_t i = 0; i < rig->count; ++i) {
        if (index_of[i] == UINT32_MAX) continue;
        taken[index_of[i]] = 1;
        rig->boxes[kept] = rig->boxes[i];
        rig->indices[kept++] = index_of[i];
    }
    rig->count = kept;
    ck_assert_uint_eq(qd_tree_count(rig->tree), kept);
    for (qd_body_index i = 0; i < next; ++i) { // those that come have the indices between
        if (taken[i] || qd_test_below(random, 2) == 0) continue;
        const size_t row = qd_rig_square(rig, 90 * qd_random_uniform(random) - 45, 0, 0.5);
        rig->indices[row] = i;
    }
}

static void run_rename(uint64_t seed) {
    qd_random random = qd_random_at(seed, 0, 7);
    qd_tree_def def = qd_rig_def(100, 100, 4);
    if (seed % 3 == 0) def.period = (qd_vec2){100, 100};
    qd_own(qd_rig) rig = qd_rig_start(def, 1 + (int)(seed % 4));
    put_random(&rig, &random, seed % 5 == 0 ? 4000 : 200);
    qd_rig_refresh(&rig);
    rename_some(&rig, &random, seed % 17);
    qd_rig_refresh(&rig);
    qd_rig_check(&rig);
}

QD_TEST(renamed_trees_are_those_of_the_bodies) {
    qd_test_seeds(60, 0, run_rename);
}

QD_TEST(without_memory_the_tree_is_empty) {
    qd_test_allocator failing = qd_test_allocator_of(&failing, 0);
    qd_tree_def def = qd_rig_def(100, 100, 4);
    def.allocator = &failing.allocator;
    qd_own(qd_rig) rig = qd_rig_start(def, 1);
    for (int i = 0; i < 20; ++i) (void)qd_rig_square(&rig, i, i, 0.6);
    qd_rig_refresh(&rig);
    uint32_t index_of[20];
    for (uint32_t i = 0; i < 20; ++i) index_of[i] = 1000 * i;
    failing.fail_at = failing.calls + 1;
    qdi_tree_rename(rig.tree, rig.team, index_of, 20);
    failing.fail_at = 0;
    ck_assert_uint_eq(qd_tree_count(rig.tree), 0);
    for (size_t i = 0; i < 20; ++i) rig.indices[i] = index_of[i];
    qd_rig_refresh(&rig);
    qd_rig_check(&rig);
}

QD_TEST_MAIN("tree_rename", 60, NULL, NULL)
