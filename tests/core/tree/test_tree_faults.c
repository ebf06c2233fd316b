// What goes wrong: memory that runs out at any moment, bad boxes, indices twice or too large, defs that are
// not right. The status says so, nothing leaks, and the tree goes on afterwards as if it had not happened.
#include "tests/support/tree_rig.h"

#include <math.h>
#include <quadrille/random.h>
#include <stdlib.h>
#include <string.h>

// ---- memory

enum { STEPS = 7, MOST_BODIES = 600 };

typedef struct story_step {
    size_t count;
    qd_box boxes[MOST_BODIES];
    qd_body_index indices[MOST_BODIES];
    uint64_t hash; // of an undisturbed tree
    size_t pairs;
} story_step;

static story_step story[STEPS];

static qd_tree_def story_def(const qd_allocator *allocator) {
    qd_tree_def def = qd_rig_def(64, 64, 3);
    def.allocator = allocator;
    return def;
}

// Steps that make the tree grow, split, merge, pack, change its root and keep a long root's list.
static void story_make(void) {
    qd_random random = qd_random_at(3, 0, 9);
    for (int k = 0; k < STEPS; ++k) {
        story_step *step = &story[k];
        step->count = k == 0 ? 200 : k == 4 ? 150 : 300 + 40 * (size_t)k;
        for (size_t i = 0; i < step->count; ++i) {
            double spread = k == 2 ? 0.01 : 32.0; // a crowd, that then spreads again
            double x = qd_test_between(&random, -spread, spread);
            double y = qd_test_between(&random, -spread, spread);
            if (k == 3 && i % 3 == 0) x *= 1000.0;          // the root grows
            if (k == 5 && i % 3 == 0) x *= 1e12, y *= 1e12; // a long root's list
            double half = qd_test_between(&random, 0.0, 1.5);
            if (i % 40 == 0) half *= 10.0;
            if (k == 2) half *= 0.001;
            step->boxes[i] = (qd_box){(float)(x - half), (float)(y - half), (float)(x + half),
                                      (float)(y + half)};
            step->indices[i] = (qd_body_index)(k == 6 ? 2 * i + 1 : i);
        }
    }
}

typedef struct story_run {
    qd_test_allocator memory;
    qd_team *team;
    qd_tree *tree;
    qd_pairs *pairs;
    size_t failures;
} story_run;

// A call is made until it does what it should; every refusal must be for memory. After the first, the
// allocator has no more failures in store, so the second attempt must do. Returns true where it failed.
static bool refused(story_run *run, qd_status status) {
    if (status == QD_OK) return false;
    ck_assert_int_eq(status, QD_ERR_MEMORY);
    run->failures += 1;
    ck_assert_uint_eq(run->failures, 1);
    return true;
}

static void story_refresh(story_run *run, const story_step *step) {
    uint64_t revision = qd_tree_revision(run->tree);
    if (refused(run,
                qd_tree_refresh(run->tree, run->team, step->boxes, step->indices, step->count, NULL, NULL))) {
        // Documented: the tree is empty then. And it says once that it changed.
        ck_assert_uint_eq(qd_tree_count(run->tree), 0);
        ck_assert_uint_eq(qd_tree_statistics(run->tree).nodes, 1);
        ck_assert_uint_eq(qd_tree_revision(run->tree), revision + 1);
        ck_assert_int_eq(qd_tree_validate(run->tree, NULL), QD_OK);
        qd_tree_counts counts;
        ck_assert_int_eq(
            qd_tree_refresh(run->tree, run->team, step->boxes, step->indices, step->count, &counts, NULL),
            QD_OK);
        ck_assert(counts.built);
    }
    ck_assert_uint_eq(qd_tree_count(run->tree), step->count);
}

// Adds bodies, moves some and takes others out; puts them back by a refresh.
static void story_edit(story_run *run, const story_step *step) {
    static const qd_box far = {1e9F, 1e9F, 1.1e9F, 1.1e9F};
    static const qd_box near = {1, 1, 2, 2};
    for (qd_body_index k = 0; k < 8; ++k) {
        qd_body_index body = 5000 + 1000 * k;
        uint64_t revision = qd_tree_revision(run->tree);
        size_t before = qd_tree_count(run->tree);
        if (refused(run, qd_tree_add(run->tree, body, k < 6 ? far : near))) {
            ck_assert_uint_eq(qd_tree_count(run->tree), 0);
            ck_assert_uint_eq(qd_tree_revision(run->tree), revision + 1);
            ck_assert_int_eq(qd_tree_validate(run->tree, NULL), QD_OK);
            story_refresh(run, step);
            return;
        }
        ck_assert_uint_eq(qd_tree_count(run->tree), before + 1);
    }
    for (size_t i = 0; i < 120; ++i) {
        qd_body_index body = step->indices[i];
        bool failed = i < 60 ? refused(run, qd_tree_move(run->tree, body, i % 2 == 0 ? far : near))
                             : refused(run, qd_tree_remove(run->tree, body));
        if (failed) {
            ck_assert_uint_eq(qd_tree_count(run->tree), 0);
            ck_assert_int_eq(qd_tree_validate(run->tree, NULL), QD_OK);
            break;
        }
    }
    story_refresh(run, step);
}

static void story_pairs(story_run *run, const story_step *step) {
    typedef qd_status (*search)(const qd_tree *, qd_team *, qd_pairs *);
    static const search searches[] = {qd_tree_pairs, qd_tree_pairs_each};
    for (int s = 0; s < 2; ++s) {
        uint64_t revision = qd_tree_revision(run->tree);
        size_t count = 1;
        if (refused(run, searches[s](run->tree, run->team, run->pairs))) {
            (void)qd_pairs_data(run->pairs, &count);
            ck_assert_uint_eq(count, 0);
            ck_assert_int_eq(searches[s](run->tree, run->team, run->pairs), QD_OK);
        }
        (void)qd_pairs_data(run->pairs, &count);
        ck_assert_uint_eq(count, step->pairs);
        ck_assert_uint_eq(qd_tree_revision(run->tree), revision);
    }
}

// Makes all things of the story; every failure of allocation `fail_at` must be told. Returns whether there
// was one.
static bool story_tell(size_t fail_at, int threads) {
    story_run told = {.failures = 0};
    story_run *run = &told;
    run->memory = qd_test_allocator_of(&run->memory, fail_at);
    const qd_allocator *allocator = &run->memory.allocator;
    qd_team_def team = qd_team_def_default();
    team.threads = threads;
    team.allocator = allocator;
    if (refused(run, qd_team_create(&team, &run->team))) {
        ck_assert_ptr_null(run->team);
        ck_assert_int_eq(qd_team_create(&team, &run->team), QD_OK);
    }
    qd_tree_def def = story_def(allocator);
    if (refused(run, qd_tree_create(&def, &run->tree))) {
        ck_assert_ptr_null(run->tree);
        ck_assert_int_eq(qd_tree_create(&def, &run->tree), QD_OK);
    }
    if (refused(run, qd_pairs_create(1000000, allocator, &run->pairs))) {
        ck_assert_ptr_null(run->pairs);
        ck_assert_int_eq(qd_pairs_create(1000000, allocator, &run->pairs), QD_OK);
    }
    for (int k = 0; k < STEPS; ++k) {
        story_refresh(run, &story[k]);
        ck_assert_msg(qd_tree_hash(run->tree) == story[k].hash, "failure at %zu: another tree at step %d",
                      fail_at, k);
        story_pairs(run, &story[k]);
        story_edit(run, &story[k]);
        ck_assert_uint_eq(qd_tree_hash(run->tree), story[k].hash);
    }
    // Nothing failed, or the one failure was told.
    bool failed = run->memory.calls >= fail_at && fail_at > 0;
    ck_assert_uint_eq(run->failures, failed);
    qd_pairs_destroy(run->pairs);
    qd_tree_destroy(run->tree);
    qd_team_destroy(run->team);
    ck_assert_msg(run->memory.live == 0 && run->memory.live_bytes == 0, "failure at %zu: %zu blocks leak",
                  fail_at, run->memory.live);
    return failed;
}

QD_TEST_LOOP(every_allocation_may_fail, 1, 4) {
    story_make();
    for (int k = 0; k < STEPS; ++k) {
        qd_own(qd_rig) rig = qd_rig_start(story_def(NULL), 1);
        ck_assert_int_eq(
            qd_tree_refresh(rig.tree, rig.team, story[k].boxes, story[k].indices, story[k].count, NULL, NULL),
            QD_OK);
        story[k].hash = qd_tree_hash(rig.tree);
        story[k].pairs = qd_rig_pairs(&rig);
    }
    (void)story_tell(0, _i);
    size_t step = (_i == 1 ? 1U : 3U) * (qd_test_effort(10) < 10 ? 7U : 1U);
    size_t fail_at = 1;
    while (story_tell(fail_at, _i)) fail_at += step;
    ck_assert_uint_gt(fail_at, 100);
}

// ---- boxes

static qd_tree_def periodic_def(void) {
    qd_tree_def def = qd_rig_def(64, 32, 4);
    def.period.x = 64;
    return def;
}

typedef struct bad_box {
    const char *what;
    qd_box box;
} bad_box;

static const bad_box bad_boxes[] = {
    {"NaN in min_x", {NAN, 0, 1, 1}},
    {"NaN in min_y", {0, NAN, 1, 1}},
    {"NaN in max_x", {0, 0, NAN, 1}},
    {"NaN in max_y", {0, 0, 1, NAN}},
    {"infinite min_x", {-INFINITY, 0, 1, 1}},
    {"infinite max_y", {0, 0, 1, INFINITY}},
    {"min > max in x", {1, 0, 0.5F, 1}},
    {"min > max in y", {0, 1, 1, 0.5F}},
    {"longer than half a period", {-16.1F, 0, 16.1F, 1}},
    {"centre outside the cell, right", {31.9F, 0, 32.3F, 1}},
    {"centre outside the cell, left", {-33.0F, 0, -32.0F, 1}},
};

enum { BAD_BOXES = sizeof bad_boxes / sizeof bad_boxes[0] };

static void put_some(qd_rig *rig, int n) {
    qd_random random = qd_random_at(13, 0, 10);
    for (int i = 0; i < n; ++i)
        qd_rig_square(rig, qd_test_between(&random, -31, 31), qd_test_between(&random, -15, 15),
                      qd_test_between(&random, 0, 1));
}

QD_TEST_LOOP(bad_box_keeps_the_old_one, 0, BAD_BOXES) {
    const bad_box *bad = &bad_boxes[_i];
    qd_own(qd_rig) rig = qd_rig_start(periodic_def(), 2);
    put_some(&rig, 200);
    qd_rig_refresh(&rig);
    qd_box kept[] = {rig.boxes[17], rig.boxes[120], rig.boxes[199]};
    for (int again = 0; again < 2; ++again) {
        for (size_t i = 0; i < rig.count; ++i)
            qd_rig_move(&rig, i, (double)(i % 20) * 3.0 - 30.0 + again, (double)(i / 20) * 3.0 - 15.0);
        rig.boxes[17] = rig.boxes[120] = rig.boxes[199] = bad->box;
        uint64_t revision = qd_tree_revision(rig.tree);
        size_t row = 0;
        ck_assert_msg(qd_tree_refresh(rig.tree, rig.team, rig.boxes, rig.indices, rig.count, NULL, &row) ==
                          QD_ERR_VALUE,
                      "%s is accepted", bad->what);
        ck_assert_uint_eq(row, 17);
        ck_assert_uint_eq(qd_tree_revision(rig.tree), revision + 1);
        rig.boxes[17] = kept[0], rig.boxes[120] = kept[1], rig.boxes[199] = kept[2];
        qd_rig_check(&rig); // as if the old boxes had been given
    }
    size_t row = 0;
    ck_assert_int_eq(qd_tree_refresh(rig.tree, rig.team, rig.boxes, rig.indices, rig.count, NULL, &row),
                     QD_OK);
    ck_assert_uint_eq(row, SIZE_MAX);
}

// Whatever the order in which the tree comes to them.
QD_TEST_LOOP(lowest_bad_row_is_told, 0, 2) {
    qd_own(qd_rig) rig = qd_rig_start(periodic_def(), 1 + _i);
    put_some(&rig, 20000);
    for (size_t i = 0; i < rig.count; ++i) rig.indices[i] = (qd_body_index)(rig.count - i);
    qd_rig_refresh(&rig);
    qd_box good = rig.boxes[0];
    for (size_t i = 0; i < rig.count; ++i) rig.boxes[i].min_y = NAN;
    for (size_t lowest = 0; lowest < 12000; lowest += 1 + lowest * 2) {
        size_t row = 0;
        ck_assert_int_eq(qd_tree_refresh(rig.tree, rig.team, rig.boxes, rig.indices, rig.count, NULL, &row),
                         QD_ERR_VALUE);
        ck_assert_uint_eq(row, lowest);
        for (size_t i = lowest; i < lowest + 1 + lowest * 2; ++i) rig.boxes[i] = good;
    }
}

QD_TEST_LOOP(new_body_with_a_bad_box_waits, 0, BAD_BOXES) {
    const bad_box *bad = &bad_boxes[_i];
    qd_own(qd_rig) rig = qd_rig_start(periodic_def(), 2);
    put_some(&rig, 120);
    // On an empty tree, and on one with bodies.
    for (int start = 0; start < 2; ++start) {
        size_t count = start == 0 ? rig.count : 180;
        if (start == 1) put_some(&rig, 60);
        size_t last = count - 1;
        qd_box good = rig.boxes[last];
        rig.boxes[last] = bad->box;
        for (int again = 0; again < 2; ++again) {
            size_t row = 0;
            ck_assert_int_eq(qd_tree_refresh(rig.tree, rig.team, rig.boxes, rig.indices, count, NULL, &row),
                             QD_ERR_VALUE);
            ck_assert_uint_eq(row, last);
            qd_box box;
            ck_assert_int_eq(qd_tree_box(rig.tree, (qd_body_index)last, &box), QD_ERR_STALE);
            rig.count = count - 1;
            qd_rig_check(&rig);
            rig.count = count;
        }
        ck_assert_int_eq(qd_tree_add(rig.tree, (qd_body_index)last, bad->box), QD_ERR_VALUE);
        rig.boxes[last] = good;
        qd_rig_refresh(&rig);
        ck_assert_uint_eq(rig.counts.added, 1);
        qd_rig_check(&rig);
    }
}

QD_TEST(bad_old_and_new_boxes_at_once) {
    qd_own(qd_rig) rig = qd_rig_start(periodic_def(), 1);
    put_some(&rig, 100);
    qd_rig_refresh(&rig);
    put_some(&rig, 100);
    for (int order = 0; order < 2; ++order) {
        size_t old = order == 0 ? 40 : 160;
        size_t new = order == 0 ? 150 : 20;
        for (size_t i = 0; i < 200; ++i)
            rig.indices[i] = (qd_body_index)(order == 0 ? i : (i + 100) % 200 + (i < 100 ? 1000 : 0));
        qd_box kept_old = rig.boxes[old];
        if (order == 1) {
            ck_assert_int_eq(qd_tree_box(rig.tree, rig.indices[old], &kept_old), QD_OK);
        }
        qd_box kept_new = rig.boxes[new];
        rig.boxes[old].min_x = rig.boxes[new].min_x = NAN;
        size_t row = 0;
        ck_assert_int_eq(qd_tree_refresh(rig.tree, rig.team, rig.boxes, rig.indices, 200, NULL, &row),
                         QD_ERR_VALUE);
        ck_assert_uint_eq(row, old < new ? old : new);
        ck_assert_uint_eq(qd_tree_count(rig.tree), 199);
        rig.boxes[old] = kept_old;
        rig.boxes[new] = kept_new;
        qd_rig_refresh(&rig);
        ck_assert_uint_eq(rig.counts.added, 1);
        qd_rig_check(&rig);
    }
}

static bool never(void *context, qd_body_index body, qd_image image) {
    (void)context;
    (void)image;
    ck_abort_msg("body %u for a query that is refused", body);
    return false;
}

QD_TEST(bad_queries) {
    qd_own(qd_rig) rig = qd_rig_start(periodic_def(), 1);
    put_some(&rig, 50);
    qd_rig_refresh(&rig);
    for (int b = 0; b < 8; ++b) { // what is bad for a body of the world only is fine here
        ck_assert_int_eq(qd_tree_retrieve(rig.tree, bad_boxes[b].box, QD_NO_BODY, never, NULL), QD_ERR_VALUE);
    }
    qd_box too_far = {1e30F, 0, 1e30F, 1};
    ck_assert_int_eq(qd_tree_retrieve(rig.tree, too_far, QD_NO_BODY, never, NULL), QD_ERR_VALUE);
    ck_assert_int_eq(qd_tree_point(rig.tree, NAN, 0, never, NULL), QD_ERR_VALUE);
    ck_assert_int_eq(qd_tree_point(rig.tree, 0, INFINITY, never, NULL), QD_ERR_VALUE);
    // Longer than the world, and some periods away: not bad.
    ck_assert_uint_eq(qd_rig_retrieve(&rig, (qd_box){-500, -50, 500, 50}, QD_NO_BODY), 50);
    ck_assert_uint_eq(qd_rig_retrieve(&rig, (qd_box){6400 - 31, -16, 6400 + 31, 16}, QD_NO_BODY), 50);
}

// ---- indices

QD_TEST(an_index_twice_changes_nothing) {
    qd_own(qd_rig) rig = qd_rig_start(periodic_def(), 2);
    put_some(&rig, 20000); // more than one range of rows
    static const size_t twice[][2] = {{0, 19999}, {3, 4}, {9000, 100}};
    for (size_t t = 0; t < 3; ++t) { // at first the tree is empty
        uint64_t hash = qd_tree_hash(rig.tree);
        uint64_t revision = qd_tree_revision(rig.tree);
        rig.indices[twice[t][0]] = (qd_body_index)twice[t][1];
        ck_assert_int_eq(
            qd_tree_refresh(rig.tree, rig.team, rig.boxes, rig.indices, rig.count, &rig.counts, NULL),
            QD_ERR_EXISTS);
        ck_assert_uint_eq(qd_tree_hash(rig.tree), hash);
        ck_assert_uint_eq(qd_tree_revision(rig.tree), revision);
        ck_assert_int_eq(qd_tree_validate(rig.tree, NULL), QD_OK);
        rig.indices[twice[t][0]] = (qd_body_index)twice[t][0];
        qd_rig_refresh(&rig);
    }
    ck_assert_uint_eq(qd_tree_count(rig.tree), rig.count);
    uint64_t hash = qd_tree_hash(rig.tree);
    ck_assert_int_eq(qd_tree_add(rig.tree, 12, rig.boxes[13]), QD_ERR_EXISTS);
    ck_assert_uint_eq(qd_tree_hash(rig.tree), hash);
}

// Memory that comes filled with a list of indices: what a heap may well hand out again.
typedef struct stained_memory {
    qd_allocator allocator;
    const qd_body_index *stain;
    size_t count;
} stained_memory;

static void *stained_allocate(void *context, size_t bytes) {
    const stained_memory *stained = context;
    size_t rounded = (bytes + 63) / 64 * 64;
    uint32_t *memory = aligned_alloc(64, rounded);
    for (size_t i = 0; memory && stained->count > 0 && i < rounded / sizeof *memory; ++i)
        memory[i] = stained->stain[i % stained->count];
    return memory;
}

static void stained_release(void *context, void *memory, size_t bytes) {
    (void)context;
    (void)bytes;
    free(memory);
}

// A refused refresh must not disturb what the tree knows of its rows: the next one has other bodies in the
// same number of rows.
QD_TEST(rows_are_known_after_a_refused_refresh) {
    enum { N = 100 };
    qd_body_index turned[N];
    for (size_t i = 0; i < N; ++i) turned[i] = (qd_body_index)(N - 1 - i);
    stained_memory stained = {{stained_allocate, stained_release, &stained}, turned, N};
    qd_tree_def def = periodic_def();
    def.allocator = &stained.allocator;
    qd_own(qd_rig) rig = qd_rig_start(def, 1);
    put_some(&rig, 400);
    rig.count = N;
    qd_rig_refresh(&rig);
    rig.count = 400;
    rig.indices[7] = 8;
    ck_assert_int_eq(qd_tree_refresh(rig.tree, rig.team, rig.boxes, rig.indices, 400, NULL, NULL),
                     QD_ERR_EXISTS);
    rig.count = N;
    memcpy(rig.indices, turned, sizeof turned);
    qd_rig_refresh(&rig);
    qd_rig_check(&rig);
}

QD_TEST(indices_beyond_the_limit) {
    qd_own(qd_rig) rig = qd_rig_start(periodic_def(), 1);
    put_some(&rig, 100);
    qd_rig_refresh(&rig);
    uint64_t hash = qd_tree_hash(rig.tree);
    uint64_t revision = qd_tree_revision(rig.tree);
    static const qd_body_index beyond[] = {QD_BODY_INDEX_MAX, QD_NO_BODY, UINT32_C(1) << 31};
    for (int b = 0; b < 3; ++b) {
        rig.indices[50] = beyond[b];
        ck_assert_int_eq(qd_tree_refresh(rig.tree, rig.team, rig.boxes, rig.indices, rig.count, NULL, NULL),
                         QD_ERR_LIMIT);
        ck_assert_int_eq(qd_tree_add(rig.tree, beyond[b], rig.boxes[0]), QD_ERR_LIMIT);
    }
    rig.indices[50] = 50;
    ck_assert_int_eq(
        qd_tree_refresh(rig.tree, rig.team, rig.boxes, NULL, (size_t)QD_BODY_INDEX_MAX + 1, NULL, NULL),
        QD_ERR_LIMIT);
    ck_assert_uint_eq(qd_tree_hash(rig.tree), hash);
    ck_assert_uint_eq(qd_tree_revision(rig.tree), revision);
    qd_rig_refresh(&rig);
    qd_rig_check(&rig);
}

// ---- defs and arguments

static qd_status create_with(qd_tree_def def) {
    qd_tree *tree = NULL;
    qd_status status = qd_tree_create(&def, &tree);
    ck_assert_int_eq(tree == NULL, status != QD_OK);
    qd_tree_destroy(tree);
    return status;
}

QD_TEST(defs_are_checked) {
    qd_tree_def def = qd_tree_def_default();
    ck_assert_int_eq(create_with(def), QD_OK);
    ck_assert_uint_eq(def.capacity, 128);
    def.cookie = 0;
    ck_assert_int_eq(create_with(def), QD_ERR_ARGUMENT);
    ck_assert_int_eq(create_with((qd_tree_def){.size = {1, 1}, .capacity = 8}), QD_ERR_ARGUMENT);
    def = qd_tree_def_default();
    def.capacity = 0;
    ck_assert_int_eq(create_with(def), QD_ERR_VALUE);
    def.capacity = 65536;
    ck_assert_int_eq(create_with(def), QD_ERR_VALUE);
    static const double sizes[] = {0.0, -1.0, (double)NAN, HUGE_VAL, -HUGE_VAL, 1e300, 0x1.1p60};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
        def = qd_tree_def_default();
        def.size.x = sizes[s];
        ck_assert_int_eq(create_with(def), QD_ERR_VALUE);
        def.size = (qd_vec2){1, sizes[s]};
        ck_assert_int_eq(create_with(def), QD_ERR_VALUE);
        def.size = (qd_vec2){sizes[s], sizes[s]};
        ck_assert_int_eq(create_with(def), QD_ERR_VALUE);
    }
    def = qd_tree_def_default();
    def.size = (qd_vec2){1e-300, 1e-300};
    ck_assert_int_eq(create_with(def), QD_ERR_VALUE);
    static const double periods[] = {2.0, 0.5, -1.0, (double)NAN, HUGE_VAL};
    for (size_t p = 0; p < sizeof periods / sizeof periods[0]; ++p) {
        def = qd_tree_def_default();
        def.period.x = periods[p];
        ck_assert_int_eq(create_with(def), QD_ERR_VALUE);
        def.period = (qd_vec2){1, periods[p]};
        ck_assert_int_eq(create_with(def), QD_ERR_VALUE);
    }
}

static bool any_body(void *context, qd_body_index body, qd_image image) {
    (void)context;
    (void)body;
    (void)image;
    return true;
}

QD_TEST(null_arguments) {
    qd_tree_def def = qd_tree_def_default();
    qd_own(qd_rig) rig = qd_rig_start(def, 1);
    qd_box box = {0, 0, 1, 1};
    qd_tree *tree = NULL;
    ck_assert_int_eq(qd_tree_create(NULL, &tree), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_tree_create(&def, NULL), QD_ERR_ARGUMENT);
    qd_tree_destroy(NULL);
    ck_assert_int_eq(qd_tree_refresh(NULL, rig.team, &box, NULL, 1, NULL, NULL), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_tree_refresh(rig.tree, NULL, &box, NULL, 1, NULL, NULL), QD_ERR_ARGUMENT);
    size_t bad = 0;
    ck_assert_int_eq(qd_tree_refresh(rig.tree, rig.team, NULL, NULL, 1, NULL, &bad), QD_ERR_ARGUMENT);
    ck_assert_uint_eq(bad, SIZE_MAX);
    ck_assert_int_eq(qd_tree_refresh(rig.tree, rig.team, NULL, NULL, 0, NULL, NULL), QD_OK);
    put_some(&rig, 100);
    qd_rig_refresh(&rig);
    ck_assert_int_eq(qd_tree_refresh(rig.tree, rig.team, NULL, NULL, 0, NULL, NULL), QD_OK); // all go
    ck_assert_uint_eq(qd_tree_count(rig.tree), 0);
    ck_assert_int_eq(qd_tree_add(NULL, 0, box), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_tree_remove(NULL, 0), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_tree_move(NULL, 0, box), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_tree_pairs(NULL, rig.team, rig.pairs), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_tree_pairs(rig.tree, NULL, rig.pairs), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_tree_pairs(rig.tree, rig.team, NULL), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_tree_pairs_each(NULL, rig.team, rig.pairs), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_tree_pairs_each(rig.tree, NULL, rig.pairs), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_tree_pairs_each(rig.tree, rig.team, NULL), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_tree_retrieve(NULL, box, 0, any_body, NULL), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_tree_retrieve(rig.tree, box, 0, NULL, NULL), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_tree_point(NULL, 0, 0, any_body, NULL), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_tree_point(rig.tree, 0, 0, NULL, NULL), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_tree_validate(NULL, NULL), QD_ERR_ARGUMENT);
}

QD_TEST_MAIN("tree_faults", 300, NULL, NULL)
