#include "core/base/memory.h"
#include "export/picture/picture.h"
#include "export/picture/trail_lines.h"
#include "export/picture/trails.h"
#include "tests/support/harness.h"
#include "tests/support/pictures.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/simd.h>
#include <string.h>

static const qdi_area area = {0, 0, 400, 400};

// The pieces of a world's trails, copied by so many threads.
static size_t copied_by(int threads, qd_boundary boundary, uint64_t seed, qdi_trail **pieces, size_t *room) {
    enum { FRAMES = 20 };
    qd_world_def def = qd_test_def(40, 40);
    def.boundary_x = def.boundary_y = boundary;
    def.contact = QD_CONTACT_NONE;
    def.threads = threads;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_view view = qd_view_default();
    view.nodes = QD_VIEW_NODES_NONE;
    view.trails = FRAMES;
    qdi_trails trails;
    ck_assert_int_eq(qdi_trails_create(qd_allocator_default(), FRAMES, &trails), QD_OK);
    qdi_picture picture = {.allocator = qd_allocator_default()};
    picture.past = &trails;
    qd_random random = qd_random_at(seed, 0, 0);
    for (int i = 0; i < FRAMES; ++i) {
        if (i % 5 == 0) qd_test_scatter(world, &random, 450); // frames before have fewer bodies
        qd_test_step(world, 0.1, 1);
        ck_assert_int_eq(qdi_trails_note(&trails, world), QD_OK);
    }
    size_t count = 0;
    for (int i = 0; i < 2; ++i) { // the first copy finds no room for its pieces
        ck_assert_int_eq(qdi_picture_copy(&picture, world, &view, area, 1.0, NULL), QD_OK);
        if (i > 0) ck_assert_uint_eq(picture.trail_count, count);
        count = picture.trail_count;
    }
    *pieces = picture.trails;
    picture.trails = NULL;
    *room = picture.trail_room;
    picture.trail_room = 0;
    qdi_picture_destroy(&picture);
    qdi_trails_destroy(&trails);
    return count;
}

static void check_threads(uint64_t seed) {
    const qd_boundary boundaries[] = {QD_BOUNDARY_REFLECT, QD_BOUNDARY_PERIODIC};
    for (size_t k = 0; k < 2; ++k) {
        qdi_trail *pieces[3];
        size_t count[3], room[3];
        for (int i = 0; i < 3; ++i) {
            count[i] = copied_by(1 + 2 * i, boundaries[k], seed, &pieces[i], &room[i]);
            ck_assert_uint_gt(count[i], 300);
            ck_assert_uint_eq(count[i], count[0]);
            for (size_t n = 0; n < count[0]; ++n) ck_assert(qd_test_same_piece(&pieces[i][n], &pieces[0][n]));
        }
        for (int i = 0; i < 3; ++i) qdi_release(qd_allocator_default(), pieces[i], room[i], sizeof **pieces);
    }
}

QD_TEST(copied_by_threads) {
    qd_test_seeds(10, 2, check_threads);
}

#ifdef __x86_64__
// Lines grow alike with all sets of instructions, and those of trails that are at their ends end.
static void check_instructions(uint64_t seed) {
    enum { MANY = QDI_TRAIL_LINES, AGES = 30 };
    if (!qd_simd_available(QD_SIMD_AVX2)) return;
    qd_random random = qd_random_at(seed, 0, 0);
    static double x[AGES][MANY], y[AGES][MANY];
    static qdi_trail_lines lines[2];
    int32_t places[MANY];
    memset(lines, 0, sizeof lines);
    const double step = qd_test_between(&random, 0, 1) < 0.5 ? 0.05 : 3.0;
    for (size_t i = 0; i < MANY; ++i) {
        double way[] = {qd_test_between(&random, -step, step), qd_test_between(&random, -step, step)};
        places[i] = (int32_t)qd_test_between(&random, 0, AGES - 1);
        x[0][i] = lines[0].at_x[i] = qd_test_between(&random, 0, 40);
        y[0][i] = lines[0].at_y[i] = qd_test_between(&random, 0, 40);
        lines[0].from_x[i] = 10 * x[0][i];
        lines[0].from_y[i] = 400 - 10 * y[0][i];
        lines[0].from_level[i] = 9.0F;
        for (size_t k = 1; k < AGES; ++k) {
            if (qd_test_between(&random, 0, 6) < 1) way[0] = qd_test_between(&random, -step, step);
            x[k][i] = x[k - 1][i] + way[0] - (x[k - 1][i] + way[0] > 40 ? 40 : 0);
            y[k][i] = y[k - 1][i] + (i % 4 ? way[1] : 0);
        }
    }
    lines[1] = lines[0];
    uint64_t all = 0;
    for (size_t k = 1; k < AGES; ++k) {
        float level[MANY];
        for (size_t i = 0; i < MANY; ++i) level[i] = 9.0F - 0.2F * (float)(k + i % 3);
        const qdi_trail_step to = {.newer_x = x[k - 1],
                                   .newer_y = y[k - 1],
                                   .older_x = x[k],
                                   .older_y = y[k],
                                   .places = places,
                                   .number = (int32_t)k,
                                   .period_x = 40,
                                   .near_x = 10,
                                   .near_y = HUGE_VAL,
                                   .scale = 10,
                                   .base_y = 400,
                                   .level = level};
        const uint64_t ended = qdi_trail_lines_go_portable(&lines[0], &to);
        ck_assert_uint_eq(ended, qdi_trail_lines_go_avx2(&lines[1], &to));
        ck_assert_mem_eq(&lines[0], &lines[1], sizeof lines[0]);
        all |= ended;
        for (size_t i = 0; i < MANY; ++i) {
            if (places[i] >= (int32_t)k) continue;
            ck_assert_int_eq(lines[0].begun[i], 0);
            ck_assert((ended >> i & 1) == 0 || places[i] + 1 == (int32_t)k);
        }
    }
    for (size_t i = 0; i < MANY; ++i)
        ck_assert(places[i] == 0 || places[i] == AGES - 1 || (all >> i & 1) == 1);
}

QD_TEST(lines_of_all_instructions) {
    qd_test_seeds(60, 4, check_instructions);
}
#endif

QD_TEST_MAIN("trail_lines", 120, NULL, NULL)
