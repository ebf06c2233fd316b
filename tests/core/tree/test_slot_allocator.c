// Rooms: what is given is taken again, sizes stay in balance however lists grow and shrink, compaction
// changes no result, and the check of the structure sees when something is wrong with them.
#include "core/tree/tree_impl.h"
#include "tests/support/tree_rig.h"

#include <quadrille/random.h>
#include <string.h>

static qd_rig rig;

static void start(uint32_t capacity, size_t bodies) {
    qd_tree_def def = qd_rig_def(64, 64, capacity);
    rig = qd_rig_start(def, 1);
    qd_random random = qd_random_at(1, 0, 0);
    for (size_t i = 0; i < bodies; ++i)
        qd_rig_square(&rig, 64 * qd_random_uniform(&random) - 32, 64 * qd_random_uniform(&random) - 32, 0.1);
    qd_rig_refresh(&rig);
}

static void stir(uint64_t seed, double share) {
    qd_random random = qd_random_at(seed, 0, 1);
    for (size_t row = 0; row < rig.count; ++row) {
        if (qd_random_uniform(&random) > share) continue;
        qd_rig_move(&rig, row, 64 * qd_random_uniform(&random) - 32, 64 * qd_random_uniform(&random) - 32);
    }
    qd_rig_refresh(&rig);
}

QD_TEST(sizes_fit_and_do_not_go_to_and_fro) {
    for (uint32_t count = 1; count < 2000; ++count) {
        const uint32_t room = qdi_room_for(count);
        ck_assert(room > count && room % QDI_LANES == 0 && room <= count + count / 8 + 2 + QDI_LANES);
        ck_assert(!qdi_room_too_large(room, count));
        // Whoever has just moved to a larger room, or to a smaller one, stays for some time.
        ck_assert(!qdi_room_too_large(qdi_room_for(room + 1), room));
        uint32_t fewer = count;
        while (fewer > 0 && !qdi_room_too_large(room, fewer)) --fewer;
        ck_assert(fewer == 0 || qdi_room_for(fewer) > fewer + 1);
    }
    ck_assert_uint_eq(qdi_room_for(0), 0);
    ck_assert(!qdi_room_is_kept(0) && qdi_room_is_kept(QDI_LANES));
    ck_assert(qdi_room_is_kept(QDI_ROOM_SIZES * QDI_LANES) &&
              !qdi_room_is_kept(QDI_ROOM_SIZES * QDI_LANES + QDI_LANES));
}

QD_TEST(what_is_given_is_taken_again) {
    start(4, 200);
    qd_tree *tree = rig.tree;
    qdi_move moves[] = {{0, 16}, {0, 0}, {0, 8}, {0, 16}, {0, 4096}};
    const size_t used = tree->slots.used, idle = tree->slots.idle;
    qdi_slot_allocator_clear(&tree->slot_allocator);
    ck_assert_int_eq(qdi_slot_allocator_take(tree, moves, 5), QD_OK);
    ck_assert_uint_eq(tree->slots.used, used + 16 + 8 + 16 + 4096);
    ck_assert_uint_eq(tree->slot_allocator.taken, 16 + 8 + 16 + 4096);
    ck_assert(moves[0].first != moves[3].first && moves[2].first != moves[0].first);
    qdi_slot_allocator_give_old(tree, moves, 5);
    ck_assert_uint_eq(tree->slots.idle, idle + 16 + 8 + 16 + 4096);
    ck_assert_uint_eq(tree->slot_allocator.slots, 16 + 8 + 16); // nobody would want the large one
    // The same size, then the next larger one, then new slots.
    qdi_move again[] = {{0, 16}, {0, 8}, {0, 8}, {0, 8}, {0, 16}};
    ck_assert_int_eq(qdi_slot_allocator_take(tree, again, 5), QD_OK);
    ck_assert_uint_eq(again[0].first, moves[3].first);
    ck_assert_uint_eq(again[1].first, moves[2].first);
    ck_assert_uint_eq(again[2].first, moves[0].first);
    ck_assert_uint_eq(again[2].room, 16);
    ck_assert_uint_eq(again[3].first, used + 16 + 8 + 16 + 4096);
    ck_assert_uint_eq(tree->slots.used, used + 16 + 8 + 16 + 4096 + 8 + 16);
    ck_assert_uint_eq(tree->slot_allocator.slots, 0);
    ck_assert_uint_eq(tree->slots.idle, idle + 4096);
    qd_rig_stop(&rig);
}

QD_TEST(slots_do_not_pile_up) {
    start(8, 3000);
    const size_t used = rig.tree->slots.used * 3 / 2; // so much at most, though many times as much is taken
    for (uint64_t k = 0; k < 60 + qd_test_effort(200); ++k) {
        stir(k, 0.05);
        ck_assert_msg(rig.tree->slots.used < used, "step %zu: %zu slots", (size_t)k, rig.tree->slots.used);
        ck_assert_int_eq(qd_tree_validate(rig.tree, NULL), QD_OK);
    }
    qd_rig_stop(&rig);
}

QD_TEST(compaction_changes_nothing_but_places) {
    start(8, 2000);
    stir(1, 0.1);
    const uint64_t hash = qd_tree_hash(rig.tree);
    const size_t pairs = qd_rig_pairs(&rig);
    ck_assert_int_eq(qdi_tree_compact(rig.tree, rig.team), QD_OK);
    ck_assert_uint_eq(rig.tree->slots.idle, 0);
    ck_assert_uint_eq(rig.tree->slot_allocator.taken, 0);
    ck_assert_int_eq(qd_tree_validate(rig.tree, NULL), QD_OK);
    ck_assert(qd_tree_hash(rig.tree) == hash);
    ck_assert_uint_eq(qd_rig_pairs(&rig), pairs);
    // Lists lie in tree order.
    const qdi_node *root = &rig.tree->nodes[QDI_ROOT];
    uint32_t before = 0;
    for (unsigned q = 0; q < 4; ++q) {
        const qdi_node *child = &rig.tree->nodes[4 * root->children + q];
        for (; !qdi_is_leaf(child); child = &rig.tree->nodes[4 * child->children]) {
        }
        ck_assert(child->count == 0 || child->first >= before);
        if (child->count > 0) before = child->first;
    }
    qd_rig_stop(&rig);
}

QD_TEST(a_tree_that_has_shrunk_gives_memory_back) {
    start(8, 8000);
    const size_t bytes = qd_tree_statistics(rig.tree).bytes;
    rig.count = 100;
    qd_rig_refresh(&rig);
    ck_assert_uint_eq(qd_tree_count(rig.tree), 100);
    ck_assert_uint_lt(rig.tree->slots.room, 8000 / 2);
    ck_assert_uint_lt(qd_tree_statistics(rig.tree).bytes, bytes);
    qd_rig_check(&rig);
    qd_rig_stop(&rig);
}

typedef enum damage { LOST, SHARED, TWICE, UNCOUNTED, OUTSIDE, DAMAGES } damage;

// The free room of some size.
static uint32_t *some_chain(qd_tree *tree) {
    for (unsigned size = 0; size < QDI_ROOM_SIZES; ++size)
        if (tree->slot_allocator.chain[size] != QDI_NO_ROOM) return &tree->slot_allocator.chain[size];
    ck_abort_msg("no free room");
    return NULL;
}

QD_TEST_LOOP(the_check_sees_what_is_wrong, 0, DAMAGES) {
    start(8, 3000);
    for (uint64_t k = 0; rig.tree->slot_allocator.slots == 0; ++k) stir(k, 0.01);
    qd_tree *tree = rig.tree;
    qd_error error;
    ck_assert_int_eq(qd_tree_validate(tree, &error), QD_OK);
    uint32_t *chain = some_chain(tree);
    uint32_t leaf = 0; // a list
    while (tree->nodes[leaf].room == 0) ++leaf;
    switch ((damage)_i) {
    case LOST: *chain = QDI_NO_ROOM; break;
    case SHARED: *chain = tree->nodes[leaf].first; break;
    case TWICE: tree->slots.row[*chain] = *chain; break;
    case UNCOUNTED: tree->slot_allocator.slots += QDI_LANES; break;
    case OUTSIDE: *chain = (uint32_t)tree->slots.used; break;
    case DAMAGES: break;
    }
    ck_assert_int_eq(qd_tree_validate(tree, &error), QD_ERR_INTERNAL);
    ck_assert_msg(strstr(error.text, "room") || strstr(error.text, "slots"), "%s", error.text);
    qd_rig_stop(&rig);
}

QD_TEST_MAIN("slot_allocator", 120, NULL, NULL)
