// Whom a fast body may meet is found in one of two ways, by how many are fast; what comes of it is the same.
#include "sim/rigid/ccd_disks.h"
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <string.h>

enum { STEPS = 40 };

typedef struct crowd {
    qd_boundary boundary;
    double side;
    size_t bodies;
    double dt;
} crowd;

static const crowd crowds[] = {
    {QD_BOUNDARY_REFLECT, 40, 300, 0.05},   {QD_BOUNDARY_OPEN, 40, 300, 0.05},
    {QD_BOUNDARY_PERIODIC, 40, 300, 0.05},  {QD_BOUNDARY_PERIODIC, 9, 12, 0.05},
    {QD_BOUNDARY_REFLECT, 300, 4000, 0.05},
};

/// A crowd of which some are fast. `decoys`: as many again that are, and that touch nobody.
static qd_world *make(const crowd *of, uint64_t seed, bool decoys, double margin, int threads,
                      qd_continuous continuous) {
    qd_world_def def = qd_world_def_default();
    def.continuous = continuous;
    def.size = (qd_vec2){of->side, of->side};
    def.boundary_x = def.boundary_y = of->boundary;
    def.restitution = 0.8;
    def.friction = 0.2;
    def.margin = margin;
    def.threads = threads;
    qd_world *world = qd_test_world(&def);
    qd_random random = qd_random_at(seed, 0, 0);
    qd_test_scatter_shapes(world, &random, of->bodies);
    qd_body_def decoy = qd_body_def_default();
    decoy.sensor = true;
    decoy.shape = qd_shape_disk(0.1);
    for (size_t i = 0; decoys && i < of->bodies; ++i) {
        decoy.position = (qd_vec2){qd_test_between(&random, 1, of->side - 1),
                                   qd_test_between(&random, 1, of->side - 1)};
        decoy.velocity.x = qd_test_between(&random, 3, 6);
        qd_test_add(world, &decoy);
    }
    return world;
}

static bool same(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

static void check_same(const qd_world *p, const qd_world *q, size_t bodies, uint64_t seed) {
    for (uint32_t i = 0; i < bodies; ++i) {
        qd_body_state a = qd_test_body(p, (qd_id){i, 1}), b = qd_test_body(q, (qd_id){i, 1});
        ck_assert_msg(same(a.position.x, b.position.x) && same(a.position.y, b.position.y) &&
                          same(a.velocity.x, b.velocity.x) && same(a.velocity.y, b.velocity.y) &&
                          same(a.turn.x, b.turn.x) && same(a.spin, b.spin),
                      "body %u after step %llu, seed %llu", i, (unsigned long long)qd_world_steps(p),
                      (unsigned long long)seed);
    }
    ck_assert_uint_eq(qd_world_total(p).impacts, qd_world_total(q).impacts);
}

/// Loops go over the crowds twice.
enum { CROWDS = (int)(sizeof crowds / sizeof *crowds), CASES = 2 * CROWDS };
static const crowd *crowd_of(int i, qd_continuous *continuous) {
    *continuous = i < CROWDS ? QD_CONTINUOUS_AUTO : QD_CONTINUOUS_ON;
    return &crowds[i % CROWDS];
}

QD_TEST_LOOP(few_or_all_are_listed, 0, CASES) {
    qd_continuous continuous;
    const crowd *of = crowd_of(_i, &continuous);
    uint64_t impacts = 0;
    for (uint64_t seed = qd_test_seed(1), end = seed + qd_test_effort(4); seed < end; ++seed) {
        qd_own(qd_world) few = make(of, seed, false, 0, 1, continuous),
                         all = make(of, seed, true, 0, 2, continuous);
        for (int step = 0; step < STEPS; ++step) {
            qd_test_step(few, of->dt, 1);
            qd_test_step(all, of->dt, 1);
            check_same(few, all, of->bodies, seed);
        }
        impacts += qd_world_total(few).impacts;
    }
    if (continuous == QD_CONTINUOUS_ON)
        ck_assert_uint_gt(impacts, 0); // else few crowds have some in so short a time
}

// Fat boxes stay in use while some bodies are followed.
QD_TEST_LOOP(margins_change_nothing, 0, CASES) {
    qd_continuous continuous;
    const crowd *of = crowd_of(_i, &continuous);
    uint64_t seed = qd_test_seed(1);
    qd_own(qd_world) none = make(of, seed, false, 0, 1, continuous),
                     fixed = make(of, seed, false, 0.4, 3, continuous);
    uint64_t steps = qd_test_effort(STEPS);
    for (uint64_t step = 0; step < steps; ++step) {
        qd_test_step(none, of->dt, 1);
        qd_test_step(fixed, of->dt, 1);
        ck_assert_uint_eq(qd_world_hash(none), qd_world_hash(fixed));
        ck_assert_uint_eq(qd_test_events_hash(none), qd_test_events_hash(fixed));
    }
    ck_assert_uint_ge(qd_world_total(none).rebuilds, steps + 1);
    ck_assert_uint_le(qd_world_total(none).rebuilds, 2 * steps + 1); // many are carried out of their boxes
}

/// A small periodic world of slow disks and something so fast that the box about its way is more than half as
/// long: from the start, or once a heavy one has hit it.
static qd_world *make_small(bool struck, bool decoys, qd_continuous continuous) {
    qd_world_def def = qd_world_def_default();
    def.continuous = continuous;
    def.size = (qd_vec2){8, 8};
    def.boundary_x = def.boundary_y = QD_BOUNDARY_PERIODIC;
    qd_world *world = qd_test_world(&def);
    for (int i = 0; i < 12; ++i)
        qd_test_disk(world, 1 + 2 * (i % 4), 1.5 + 2 * (int)(i / 4), i % 3 - 1, 4, 0.5, 1);
    if (struck) qd_test_disk(world, 1, 7.25, 44, 0, 0.5, 1000);
    qd_test_disk(world, 2, 7.25, struck ? 0 : 72, 0, 0.1, 1);
    qd_body_def decoy = qd_body_def_default();
    decoy.sensor = true;
    decoy.velocity.x = 20;
    for (int i = 0; decoys && i < 14; ++i) qd_test_add(world, &decoy);
    return world;
}

QD_TEST_LOOP(too_wide_for_a_retrieve, 0, 4) {
    bool struck = _i % 2 == 1;
    qd_continuous continuous = _i < 2 ? QD_CONTINUOUS_AUTO : QD_CONTINUOUS_ON;
    qd_own(qd_world) few = make_small(struck, false, continuous), all = make_small(struck, true, continuous);
    for (int step = 0; step < STEPS; ++step) {
        qd_test_step(few, 0.05, 1);
        qd_test_step(all, 0.05, 1);
        check_same(few, all, struck ? 14 : 13, 0);
    }
    ck_assert_uint_gt(qd_world_total(few).impacts, continuous == QD_CONTINUOUS_ON ? 10 : 3);
}

/// So many disks that there are whole pieces, a rest, and a rest of that.
enum { DISKS = 203 };

typedef struct flock {
    double x[DISKS], y[DISKS], to_x[DISKS], to_y[DISKS], radius[DISKS];
    uint8_t pressed[DISKS], flags[DISKS];
    uint32_t rows[DISKS];
    qdi_ccd_disks disks;
} flock;

/// Disks of which about every tenth is followed; of some flocks a few are pressed as well.
static void make_flock(flock *all, uint64_t seed) {
    qd_random random = qd_random_at(seed, 0, 0);
    const bool pressed = seed % 2 == 1;
    for (size_t k = 0; k < DISKS; ++k) {
        const double far = qd_test_between(&random, 0, 1) < 0.1 ? 3 : 0.3;
        all->radius[k] = qd_test_between(&random, 0.5, 1.5);
        all->x[k] = qd_test_between(&random, -10, 10);
        all->y[k] = qd_test_between(&random, -10, 10);
        all->to_x[k] = all->x[k] + qd_test_between(&random, -far, far) * all->radius[k];
        all->to_y[k] = all->y[k] + qd_test_between(&random, -far, far) * all->radius[k];
        all->pressed[k] = pressed && qd_test_between(&random, 0, 1) < 0.05 ? QDI_FOLLOWED : 0;
    }
    all->disks = (qdi_ccd_disks){.x = all->x,
                                 .y = all->y,
                                 .to_x = all->to_x,
                                 .to_y = all->to_y,
                                 .radius = all->radius,
                                 .part = 0.5,
                                 .pressed = pressed,
                                 .flags = all->flags,
                                 .rows = all->rows};
}

/// What is to be found among the first disks, one by one.
static void check_flock(const flock *all, size_t end, const qdi_ways *ways, uint64_t seed) {
    qdi_ways expected = {.least = HUGE_VAL};
    size_t found = 0;
    for (size_t k = 0; k < end; ++k) {
        const double x = all->to_x[k] - all->x[k], y = all->to_y[k] - all->y[k], way = x * x + y * y,
                     part = 0.25 * (all->radius[k] * all->radius[k]);
        const bool is = way > part || all->pressed[k];
        QD_TEST_CHECK(all->flags[k] == (is ? QDI_FOLLOWED : 0) && (!is || all->rows[found++] == k), seed,
                      "disk", (int)k, "of %d", (int)end);
        if (is && all->radius[k] < expected.least) expected.least = all->radius[k];
        if (!is && way > expected.slow) expected.slow = way;
        if ((way < part ? way : part) > expected.drive) expected.drive = way < part ? way : part;
    }
    QD_TEST_CHECK(ways->followed == found && same(ways->slow, expected.slow) &&
                      same(ways->drive, expected.drive) &&
                      (found == 0 || fabs(ways->least - expected.least) < 1e-15),
                  seed, "disks", (int)end, "%d followed", (int)found);
}

/// Disks are surveyed side by side as they are one by one, with each instruction set, whatever is left over.
static void survey_flock(uint64_t seed) {
    flock all;
    make_flock(&all, seed);
    for (int simd = QD_SIMD_PORTABLE; simd <= QD_SIMD_NEON; ++simd) {
        if (!qd_simd_available((qd_simd)simd)) continue;
        for (size_t end = 1; end <= DISKS; end += 1 + seed % 7) {
            memcpy(all.flags, all.pressed, sizeof all.flags);
            qdi_ways ways;
            qdi_ccd_disks_survey_of((qd_simd)simd)(&all.disks, 0, end, &ways);
            check_flock(&all, end, &ways, seed);
        }
    }
}

QD_TEST(disks_side_by_side) {
    qd_test_seeds(100, _i, survey_flock);
}

QD_TEST_MAIN("fast_list", 240, NULL, NULL)
