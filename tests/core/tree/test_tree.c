#include "core/tree/image.h"
#include "tests/support/harness.h"
#include "tests/support/tree_rig.h"
#include "tests/support/tree_scenes.h"

#include <quadrille/brute.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The tree against brute force, over random scenes. A failure names its seed; QD_TEST_SEED=seed runs that
// scene alone.

typedef struct fixture {
    uint64_t seed;
    int step;
    qd_team *team;
    qd_tree *tree, *fresh;
    qd_brute *brute;
    qd_pairs *pairs, *expected;
} fixture;

static void start(fixture *f, const qd_tree_def *def, int threads) {
    qd_team_def team = qd_team_def_default();
    team.threads = threads;
    ck_assert_int_eq(qd_team_create(&team, &f->team), QD_OK);
    ck_assert_int_eq(qd_tree_create(def, &f->tree), QD_OK);
    ck_assert_int_eq(qd_brute_create(def, &f->brute), QD_OK);
    ck_assert_int_eq(qd_pairs_create(10000000, NULL, &f->pairs), QD_OK);
    ck_assert_int_eq(qd_pairs_create(10000000, NULL, &f->expected), QD_OK);
}

static void stop(fixture *f) {
    qd_team_destroy(f->team);
    qd_tree_destroy(f->tree);
    qd_brute_destroy(f->brute);
    qd_pairs_destroy(f->pairs);
    qd_pairs_destroy(f->expected);
}

#define CHECK(condition, ...)                                                                                \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            char text[640];                                                                                  \
            snprintf(text, sizeof text, __VA_ARGS__);                                                        \
            ck_abort_msg("seed %llu step %d: %s", (unsigned long long)f->seed, f->step, text);               \
        }                                                                                                    \
    } while (0)

// The pairs in f->pairs are those of brute force.
static void compare_with_brute(const fixture *f, const char *how) {
    size_t count = 0, expected_count = 0;
    const qd_pair *found = qd_pairs_data(f->pairs, &count);
    const qd_pair *expected = qd_pairs_data(f->expected, &expected_count);
    qd_own_memory qd_pair *sorted = qd_test_memory((count + 1) * sizeof *sorted);
    if (count > 0) memcpy(sorted, found, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, qd_rig_compare_pairs);
    for (size_t i = 0; i < count && i < expected_count; ++i) {
        CHECK(sorted[i].a == expected[i].a && sorted[i].b == expected[i].b,
              "%s: pair %zu is (%u, %u), should be (%u, %u)", how, i, sorted[i].a, sorted[i].b, expected[i].a,
              expected[i].b);
        CHECK(sorted[i].image.x == expected[i].image.x && sorted[i].image.y == expected[i].image.y,
              "%s: pair (%u, %u) through another image", how, sorted[i].a, sorted[i].b);
    }
    CHECK(count == expected_count, "%s: %zu pairs, should be %zu", how, count, expected_count);
}

typedef struct hits {
    size_t count;
    uint32_t seen[QD_SCENE_MOST * 8];
    qd_image image[QD_SCENE_MOST * 8];
    bool twice;
} hits;

static bool note_hit(void *context, qd_body_index body, qd_image image) {
    hits *noted = context;
    noted->twice |= noted->seen[body] != 0;
    noted->seen[body] = 1;
    noted->image[body] = image;
    noted->count += 1;
    return true;
}

static void compare_retrieve(const fixture *f, qd_box box, qd_body_index self) {
    static hits ours, theirs;
    memset(&ours, 0, sizeof ours);
    memset(&theirs, 0, sizeof theirs);
    qd_status status = self == QD_NO_BODY ? qd_tree_range(f->tree, box, note_hit, &ours)
                                          : qd_tree_retrieve(f->tree, box, self, note_hit, &ours);
    CHECK(status == qd_brute_retrieve(f->brute, box, self, note_hit, &theirs), "retrieve: another status");
    CHECK(!ours.twice, "retrieve: a body twice");
    CHECK(ours.count == theirs.count && memcmp(ours.seen, theirs.seen, sizeof ours.seen) == 0,
          "retrieve: %zu bodies, should be %zu", ours.count, theirs.count);
    CHECK(memcmp(ours.image, theirs.image, sizeof ours.image) == 0, "retrieve: another image");
}

static void check_canonical(const fixture *f, const qd_test_scene *scene) {
    qd_error error;
    qd_status status = qd_tree_validate(f->tree, &error);
    CHECK(status == QD_OK, "%s", error.text);
    qd_tree *fresh = NULL;
    ck_assert_int_eq(qd_tree_create(&scene->def, &fresh), QD_OK);
    status = qd_tree_refresh(fresh, f->team, scene->boxes, scene->indices, scene->count, NULL, NULL);
    CHECK(status == QD_OK, "build: %s", qd_status_text(status));
    status = qd_tree_validate(fresh, &error);
    CHECK(status == QD_OK, "fresh: %s", error.text);
    CHECK(qd_tree_hash(f->tree) == qd_tree_hash(fresh), "refresh and build differ");
    // The same pairs in the same order.
    qd_pairs *again = NULL;
    ck_assert_int_eq(qd_pairs_create(10000000, NULL, &again), QD_OK);
    ck_assert_int_eq(qd_tree_pairs(fresh, f->team, again), QD_OK);
    ck_assert_int_eq(qd_tree_pairs(f->tree, f->team, f->pairs), QD_OK);
    size_t count = 0, count_again = 0;
    const qd_pair *a = qd_pairs_data(f->pairs, &count);
    const qd_pair *b = qd_pairs_data(again, &count_again);
    CHECK(count == count_again && (count == 0 || memcmp(a, b, count * sizeof *a) == 0),
          "pairs in another order");
    qd_pairs_destroy(again);
    qd_tree_destroy(fresh);
}

static void check_all(fixture *f, qd_test_scene *scene) {
    ck_assert_int_eq(qd_brute_pairs(f->brute, f->team, f->expected), QD_OK);
    check_canonical(f, scene);
    compare_with_brute(f, "join");
    qd_status status = qd_tree_pairs_each(f->tree, f->team, f->pairs);
    CHECK(status == QD_OK, "each: %s", qd_status_text(status));
    compare_with_brute(f, "each");
    for (int q = 0; q < 5; ++q) {
        qd_box box = qd_test_scene_box(scene);
        qd_body_index self = QD_NO_BODY;
        if (scene->count > 0 && q < 3) {
            uint32_t row = qd_test_scene_below(scene, (uint32_t)scene->count);
            box = scene->boxes[row];
            self = scene->indices[row];
        }
        if (q == 4) box.max_x = box.min_x, box.max_y = box.min_y;
        compare_retrieve(f, box, self);
    }
}

static void add_one(fixture *f, qd_test_scene *scene) {
    qd_box box = qd_test_scene_box(scene);
    ck_assert_int_eq(qd_brute_add(f->brute, scene->next, box), QD_OK);
    qd_status status = qd_tree_add(f->tree, scene->next, box);
    CHECK(status == QD_OK, "add: %s", qd_status_text(status));
    scene->boxes[scene->count] = box;
    scene->indices[scene->count++] = scene->next++;
}

static void remove_one(fixture *f, qd_test_scene *scene) {
    uint32_t row = qd_test_scene_below(scene, (uint32_t)scene->count);
    qd_body_index gone = scene->indices[row];
    ck_assert_int_eq(qd_brute_remove(f->brute, gone), QD_OK);
    CHECK(qd_tree_remove(f->tree, gone) == QD_OK, "remove");
    CHECK(qd_tree_remove(f->tree, gone) == QD_ERR_STALE, "a stale index is not reported");
    CHECK(qd_tree_move(f->tree, gone, scene->boxes[row]) == QD_ERR_STALE, "a stale index is moved");
    scene->count -= 1;
    scene->boxes[row] = scene->boxes[scene->count];
    scene->indices[row] = scene->indices[scene->count];
}

// By a little, so that it stays in its node, or to where another box is, of another size.
static void move_one(fixture *f, qd_test_scene *scene) {
    uint32_t row = qd_test_scene_below(scene, (uint32_t)scene->count);
    qd_box box = scene->boxes[row];
    float width = box.max_x - box.min_x;
    if (qd_test_scene_below(scene, 2) == 0)
        box = qd_test_scene_box(scene);
    else if (qd_test_scene_below(scene, 2) == 0)
        box.max_x -= 0.25F * width;
    else
        box.min_x += 0.125F * width;
    if (!qdi_box_acceptable(box, scene->def.period)) box = scene->boxes[row]; // it was at the border
    ck_assert_int_eq(qd_brute_remove(f->brute, scene->indices[row]), QD_OK);
    ck_assert_int_eq(qd_brute_add(f->brute, scene->indices[row], box), QD_OK);
    qd_status status = qd_tree_move(f->tree, scene->indices[row], box);
    CHECK(status == QD_OK, "move: %s", qd_status_text(status));
    scene->boxes[row] = box;
}

// Adds, removes and moves single bodies, each time with a look.
static void edit(fixture *f, qd_test_scene *scene) {
    for (int k = 0; k < 5; ++k) {
        uint32_t which = qd_test_scene_below(scene, 4);
        if (scene->count == 0 || (which == 0 && scene->count < QD_SCENE_MOST))
            add_one(f, scene);
        else if (which <= 1)
            remove_one(f, scene);
        else
            move_one(f, scene);
        check_all(f, scene);
    }
}

static void run_scene(uint64_t seed) {
    static qd_test_scene scene;
    qd_test_scene_make(&scene, seed);
    fixture fixture_of_seed = {.seed = seed};
    fixture *f = &fixture_of_seed;
    do { // whichever kernels there are, in turn
        scene.def.simd = (qd_simd)(1 + seed++ % QD_SIMD_NEON);
    } while (!qd_simd_available(scene.def.simd));
    start(f, &scene.def, 1 + (int)(seed % 3));
    for (f->step = 0; f->step < 6; ++f->step) {
        if (f->step > 0) qd_test_scene_move(&scene);
        if (f->step == 3 || f->step == 4) qd_test_scene_change(&scene);
        qd_tree_counts counts;
        size_t before = qd_tree_count(f->tree);
        qd_status status = qd_tree_refresh(f->tree, f->team, scene.boxes, scene.indices, scene.count, &counts,
                                           NULL);
        CHECK(status == QD_OK, "refresh: %s", qd_status_text(status));
        CHECK(qd_tree_count(f->tree) == scene.count, "%zu bodies, should be %zu", qd_tree_count(f->tree),
              scene.count);
        CHECK(counts.in_place + counts.refiled + counts.added == scene.count, "counts do not add up");
        CHECK(before + counts.added - counts.removed == scene.count, "added and removed do not add up");
        ck_assert_int_eq(
            qd_brute_refresh(f->brute, f->team, scene.boxes, scene.indices, scene.count, NULL, NULL), QD_OK);
        check_all(f, &scene);
        for (int k = 0; k < 2 && f->step == 0 && scene.count > 0; ++k) { // the next refresh has the same rows
            move_one(f, &scene);
            check_all(f, &scene);
        }
        if (f->step == 2) edit(f, &scene);
    }
    stop(f);
}

QD_TEST_LOOP(random_scenes, 0, 5) {
    size_t scenes = qd_test_effort(500);
    uint64_t first = qd_test_seed(1000000 * (uint64_t)_i);
    if (qd_test_replaying()) scenes = 1;
    for (size_t s = 0; s < scenes; ++s) run_scene(first + s);
    qd_test_count(scenes);
}

QD_TEST_MAIN("tree", 600, NULL, NULL)
