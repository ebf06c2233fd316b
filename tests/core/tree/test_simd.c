// All kernels give the same bits: the same pairs in the same order, the same tree, the same counts.
#include "tests/support/harness.h"

#include <quadrille/hash.h>
#include <quadrille/random.h>
#include <quadrille/simd.h>
#include <quadrille/tree.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 6000, STEPS = 12 };

typedef struct outcome {
    uint64_t tree, pairs, tests;
    size_t count, bad;
    qd_tree_counts counts;
} outcome;

typedef enum kind { PLAIN, PERIODIC, LONG_LISTS, CLUMPS, CROWDS, KINDS } kind;

// Of clumps: sixty bodies in one place, which all overlap each other, more pairs than a kernel has in hand.
static qd_box box_in_clump(size_t i, int step, double size) {
    qd_random clump = qd_random_at(8, i / 60, 0), random = qd_random_at(9, i, 0);
    double half = 0.002 * size * (0.5 + qd_random_uniform(&random));
    double x = (qd_random_uniform(&clump) - 0.5) * size + 0.001 * size * qd_random_uniform(&random);
    double y = (qd_random_uniform(&clump) - 0.5) * size + (i % 2 == 0 ? 0.002 * size * step : 0.0);
    return (qd_box){(float)(x - half), (float)(y - half), (float)(x + half), (float)(y + half)};
}

// Of crowds: bodies as long as a leaf, which holds some fifty, so that those around four leaves are more than
// a kernel takes at once, here and there; the others are small, in a corner.
static qd_box box_in_crowd(size_t i, int step, double size) {
    const bool small = i >= 2100;
    qd_random random = qd_random_at(10, i, 0);
    double half = small ? 0.001 * size : 0.0775 * size, span = small ? 0.1 * size : size;
    double x = (qd_random_uniform(&random) - 0.5) * span - (small ? 0.45 * size : 0.0);
    double y = (qd_random_uniform(&random) - 0.5) * span - (small ? 0.45 * size : 0.0);
    if (i % 3 == 0) x += 0.01 * size * step;
    while (x > 0.5 * size) x -= size;
    return (qd_box){(float)(x - half), (float)(y - half), (float)(x + half), (float)(y + half)};
}

static qd_box box_at(kind of, size_t i, int step, double size) {
    if (of == CLUMPS) return box_in_clump(i, step, size);
    if (of == CROWDS) return box_in_crowd(i, step, size);
    qd_random random = qd_random_at(7, i, 0);
    double half = i % 50 == 0 ? 0.02 * size : 0.003 * size * qd_random_uniform(&random);
    double x = (qd_random_uniform(&random) - 0.5) * size + (i % 3 == 0 ? 0.002 * size * step : 0.0);
    double y = (qd_random_uniform(&random) - 0.5) * size;
    while (x > 0.5 * size) x -= size;
    return (qd_box){(float)(x - half), (float)(y - half), (float)(x + half), (float)(y + half)};
}

/// Memory that holds a byte, `context`, everywhere: kernels look behind a list's end, where nothing was ever
/// written.
static void *allocate_filled(void *context, size_t bytes) {
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    return memory ? memset(memory, *(const unsigned char *)context, bytes) : NULL;
}

static void release_filled(void *context, void *memory, size_t bytes) {
    (void)context;
    (void)bytes;
    free(memory);
}

// A life of a tree: motion, bodies that come and go, a bad box now and then.
static void live(qd_simd simd, kind of, unsigned char fill, outcome outcomes[STEPS]) {
    static qd_box boxes[BODIES];
    const double size = 100.0;
    qd_tree_def def = qd_tree_def_default();
    def.size = (qd_vec2){size, size};
    if (of == PERIODIC) def.period = def.size;
    if (of == LONG_LISTS) def.capacity = 400; // longer than what a kernel has in hand at once
    def.simd = simd;
    const qd_allocator allocator = {allocate_filled, release_filled, &fill};
    def.allocator = &allocator;
    qd_tree *tree = NULL;
    ck_assert_int_eq(qd_tree_create(&def, &tree), QD_OK);
    qd_team_def team_def = qd_team_def_default();
    team_def.threads = 2;
    qd_team *team = NULL;
    ck_assert_int_eq(qd_team_create(&team_def, &team), QD_OK);
    qd_pairs *pairs = NULL;
    ck_assert_int_eq(qd_pairs_create(10000000, NULL, &pairs), QD_OK);
    for (int step = 0; step < STEPS; ++step) {
        outcome *here = &outcomes[step];
        size_t n = step % 4 == 3 ? BODIES - 700 : BODIES;
        for (size_t i = 0; i < n; ++i) boxes[i] = box_at(of, i, step, size);
        if (step % 5 == 2) boxes[1234].max_x = __builtin_nanf("");
        if (step % 5 == 2) boxes[77].min_y = boxes[77].max_y + 1.0F;
        if (of == PERIODIC && step == 6)
            boxes[500].max_x = boxes[500].min_x + 51.0F; // more than half a period
        qd_status status = qd_tree_refresh(tree, team, boxes, NULL, n, &here->counts, &here->bad);
        ck_assert_int_eq(status, here->bad == SIZE_MAX ? QD_OK : QD_ERR_VALUE);
        ck_assert_int_eq(qd_tree_pairs(tree, team, pairs), QD_OK);
        const qd_pair *found = qd_pairs_data(pairs, &here->count);
        here->pairs = qd_hash_bytes(found, here->count * sizeof *found);
        here->tests = qd_pairs_tests(pairs);
        here->tree = qd_tree_hash(tree);
        qd_error error;
        ck_assert_msg(qd_tree_validate(tree, &error) == QD_OK, "%s: %s", qd_simd_name(simd), error.text);
    }
    qd_pairs_destroy(pairs);
    qd_team_destroy(team);
    qd_tree_destroy(tree);
}

// Of the first step.
static size_t count_pairs(kind of) {
    static qd_box boxes[BODIES];
    for (size_t i = 0; i < BODIES; ++i) boxes[i] = box_at(of, i, 0, 100.0);
    size_t count = 0;
    for (size_t i = 0; i < BODIES; ++i)
        for (size_t j = i + 1; j < BODIES; ++j) count += qd_box_overlap(boxes[i], boxes[j]);
    return count;
}

QD_TEST_LOOP(all_kernels_agree, 0, KINDS) {
    static outcome expected[STEPS], got[STEPS];
    live(QD_SIMD_PORTABLE, (kind)_i, 0, expected);
    ck_assert_uint_gt(expected[STEPS - 1].count, 1000);
    ck_assert_uint_gt(expected[STEPS - 1].counts.refiled, (kind)_i == LONG_LISTS ? 5 : 50);
    if ((kind)_i != PERIODIC) ck_assert_uint_eq(expected[0].count, count_pairs((kind)_i));
    ck_assert_uint_eq(expected[2].bad, 77);
    for (int simd = QD_SIMD_SSE2; simd <= QD_SIMD_NEON; ++simd) {
        if (!qd_simd_available((qd_simd)simd)) continue;
        live((qd_simd)simd, (kind)_i, 0, got);
        for (int step = 0; step < STEPS; ++step) {
            const char *name = qd_simd_name((qd_simd)simd);
            ck_assert_msg(got[step].count == expected[step].count && got[step].pairs == expected[step].pairs,
                          "%s, step %d: other pairs", name, step);
            ck_assert_msg(got[step].tests == expected[step].tests, "%s, step %d: other tests", name, step);
            ck_assert_msg(got[step].tree == expected[step].tree, "%s, step %d: another tree", name, step);
            ck_assert_msg(got[step].bad == expected[step].bad, "%s, step %d: another bad row", name, step);
            ck_assert_msg(got[step].counts.refiled == expected[step].counts.refiled &&
                              got[step].counts.in_place == expected[step].counts.in_place &&
                              got[step].counts.splits == expected[step].counts.splits &&
                              got[step].counts.merges == expected[step].counts.merges,
                          "%s, step %d: other counts", name, step);
        }
    }
}

// What lies behind a list's end decides nothing: boxes of zeros, huge ones, and what is no number.
QD_TEST_LOOP(what_was_never_written_does_not_count, 0, KINDS) {
    static const unsigned char fills[] = {0x7f, 0xff, 0x41, 0xc1};
    static outcome expected[STEPS], got[STEPS];
    live(QD_SIMD_PORTABLE, (kind)_i, 0, expected);
    for (int simd = QD_SIMD_PORTABLE; simd <= QD_SIMD_NEON; ++simd) {
        if (!qd_simd_available((qd_simd)simd)) continue;
        const unsigned char fill = fills[(size_t)simd % sizeof fills];
        live((qd_simd)simd, (kind)_i, fill, got);
        for (int step = 0; step < STEPS; ++step)
            ck_assert_msg(got[step].count == expected[step].count &&
                              got[step].pairs == expected[step].pairs &&
                              got[step].tree == expected[step].tree,
                          "%s, step %d: memory full of %02x counts", qd_simd_name((qd_simd)simd), step, fill);
    }
}

QD_TEST(names_and_presence) {
    for (int simd = QD_SIMD_AUTO; simd <= QD_SIMD_NEON; ++simd) {
        qd_simd back = QD_SIMD_AUTO;
        ck_assert(qd_simd_named(qd_simd_name((qd_simd)simd), &back));
        ck_assert_int_eq(back, simd);
    }
    qd_simd none = QD_SIMD_AVX2;
    ck_assert(!qd_simd_named("mmx", &none));
    ck_assert(!qd_simd_named("", &none));
    ck_assert(qd_simd_available(QD_SIMD_AUTO));
    ck_assert(qd_simd_available(QD_SIMD_PORTABLE));
    ck_assert(qd_simd_available(qd_simd_best()));
    ck_assert(!qd_simd_available((qd_simd)99));
    qd_tree_def def = qd_tree_def_default();
    def.simd = (qd_simd)99;
    qd_tree *tree = NULL;
    ck_assert_int_eq(qd_tree_create(&def, &tree), QD_ERR_VALUE);
}

QD_TEST_MAIN("simd", 120, NULL, NULL)
