#include "sim/spring/soft.h"

#include "core/math/outward.h"
#include "sim/world/grain.h"
#include "tests/support/harness.h"

#include <math.h>
#include <quadrille/random.h>
#include <string.h>

// The loops of motion: what they say, and that every instruction set says the same.

enum { MOST = 100 };
static double from[MOST], v[MOST], spin[MOST], c[MOST], s[MOST], radius[MOST];

static void draw(uint64_t seed) {
    qd_random random = qd_random_at(seed, 0, 3);
    for (int i = 0; i < MOST; ++i) {
        from[i] = qd_test_between(&random, -50, 50);
        v[i] = qd_test_between(&random, -3, 3);
        spin[i] = qd_test_between(&random, -1.5, 1.5);
        radius[i] = qd_test_between(&random, 0.1, 2);
        double angle = qd_test_between(&random, -4, 4);
        c[i] = cos(angle);
        s[i] = sin(angle);
    }
}

enum { LEVELS = 3 };

// The kernels of an instruction set, each wider than the one before; NULL where the processor lacks it.
static const qdi_soft_kernels *kernels_number(int number) {
    static const qd_simd level[LEVELS] = {QD_SIMD_PORTABLE, QD_SIMD_AVX2, QD_SIMD_AVX512};
    return qd_simd_available(level[number]) ? qdi_soft_kernels_of(level[number]) : NULL;
}

QD_TEST(drift_and_box) {
    for (int number = 0; number < LEVELS; ++number)
        for (size_t count = 0; count <= MOST; ++count) {
            const qdi_soft_kernels *kernels = kernels_number(number);
            if (!kernels) return;
            draw(count);
            double to[MOST + 1] = {0};
            qd_box boxes[MOST + 1], fat[MOST];
            memset(boxes, 0, sizeof boxes);
            to[count] = 77;
            bool past = kernels->drift(from, v, 0.5, 0.1, -50, 50, to, count), expected = false;
            kernels->box(from, v, radius, (qd_vec2){1, 2}, boxes, count);
            for (size_t i = 0; i < count; ++i) {
                double end = from[i] + (v[i] - 0.5) * 0.1;
                ck_assert_mem_eq(&to[i], &end, sizeof end);
                expected = expected || end < -50 || end >= 50;
                qd_box box = qdi_outward_disk(from[i] - 1, v[i] - 2, radius[i]);
                ck_assert_mem_eq(&boxes[i], &box, sizeof box);
                fat[i] = box;
            }
            ck_assert_int_eq(past, expected);
            ck_assert_double_eq(to[count], 77);
            ck_assert(boxes[count].max_x == 0);
            ck_assert(!kernels->outgrown(from, v, radius, (qd_vec2){1, 2}, fat, count));
            for (size_t i = 0; i < count; ++i)
                for (int side = 0; side < 4; ++side) {
                    qd_box kept = fat[i];
                    float *at[4] = {&fat[i].min_x, &fat[i].min_y, &fat[i].max_x, &fat[i].max_y};
                    *at[side] = nextafterf(*at[side], side < 2 ? 1e9F : -1e9F);
                    ck_assert(kernels->outgrown(from, v, radius, (qd_vec2){1, 2}, fat, count));
                    fat[i] = kept;
                }
        }
}

QD_TEST(drift_tells_who_crosses) {
    for (int number = 0; number < LEVELS; ++number) {
        const qdi_soft_kernels *kernels = kernels_number(number);
        if (!kernels) return;
        double at[9] = {0}, still[9] = {0}, to[9];
        for (int i = 0; i < 9; ++i) {
            ck_assert(!kernels->drift(at, still, 0, 1, 0, 1, to, 9));
            at[i] = 1; // the upper side is outside
            ck_assert(kernels->drift(at, still, 0, 1, 0, 1, to, 9));
            at[i] = -1e-300;
            ck_assert(kernels->drift(at, still, 0, 1, 0, 1, to, 9));
            at[i] = 0;
        }
    }
}

static bool too_fast(const qdi_soft_kernels *kernels, const double *x, const double *y, const double *vx,
                     const double *vy) {
    return kernels->fastest(x, y, vx, vy, (qd_vec2){0, 0}, 5, 9) > 9;
}

QD_TEST(strays_are_seen) {
    for (int number = 0; number < LEVELS; ++number) {
        const qdi_soft_kernels *kernels = kernels_number(number);
        if (!kernels) return;
        const double bad[4][2] = {{5.1, -5.1}, {(double)NAN, HUGE_VAL}, {3.1, -3.1}, {(double)NAN, HUGE_VAL}};
        for (int i = 0; i < 9; ++i)
            for (int column = 0; column < 4; ++column)
                for (int which = 0; which < 2; ++which)
                    for (int kind = 0; kind < 2; ++kind) {
                        double columns[4][9] = {{0}};
                        const double *x = columns[0], *y = columns[1], *vx = columns[2], *vy = columns[3];
                        ck_assert(!too_fast(kernels, x, y, vx, vy));
                        columns[column][i] = bad[column / 2 * 2 + kind][which];
                        ck_assert(too_fast(kernels, x, y, vx, vy));
                    }
    }
}

enum { PLACES = 64, MOST_ENDS = 12 };
static qdi_thin_force forces[PLACES];
static uint32_t list[MOST * (MOST_ENDS + 2)];
static const uint32_t shift[2] = {3, 40U - QDI_CANDIDATE_GRAIN};
static double mass[MOST];

/// Bodies with 0, 1, 2... ends, of contacts in two ranges of candidates.
static void draw_ends(uint64_t seed) {
    qd_random random = qd_random_at(seed, 0, 4);
    for (int i = 0; i < PLACES; ++i)
        forces[i] = (qdi_thin_force){qd_test_between(&random, -1, 1), qd_test_between(&random, -1, 1),
                                     qd_test_between(&random, -1, 1), qd_test_between(&random, -1, 1)};
    uint32_t *at = list;
    for (int i = 0; i < MOST; ++i) {
        mass[i] = qd_test_between(&random, 0.5, 2);
        at[0] = (uint32_t)qd_test_between(&random, 0, 0.5 * MOST_ENDS);
        at[1] = (uint32_t)qd_test_between(&random, 0, 0.5 * MOST_ENDS);
        const uint32_t ends = at[0] + at[1];
        for (uint32_t k = 0; k < ends; ++k)
            at[2 + k] = (uint32_t)qd_test_between(&random, 0, 20) + (k % 3 == 0 ? QDI_CANDIDATE_GRAIN : 0);
        at += ends + 2;
    }
}

static void expect_sums(const qdi_soft_kernels *kernels, double sums[3][MOST], size_t count) {
    const qdi_soft_ends ends = {list, shift, forces};
    bool any[MOST] = {false};
    size_t some = 0;
    const size_t found = kernels->sum(&ends, radius, sums[0], sums[1], sums[2], any, count);
    const uint32_t *at = list;
    for (size_t i = 0; i < count; ++i) {
        double x = 0, y = 0, torque = 0;
        for (uint32_t k = 0; k < at[0] + at[1]; ++k) {
            const uint32_t hit = at[2 + k];
            const qdi_thin_force *force = &forces[hit + shift[hit / QDI_CANDIDATE_GRAIN]];
            x = k < at[0] ? x - force->x : x + force->x;
            y = k < at[0] ? y - force->y : y + force->y;
            torque += force->friction * radius[i];
        }
        ck_assert(sums[0][i] == x && sums[1][i] == y && sums[2][i] == torque);
        ck_assert_int_eq(any[i], at[0] + at[1] > 0);
        some += any[i];
        at += at[0] + at[1] + 2;
    }
    ck_assert_uint_eq(found, some);
}

static void expect_kick(const qdi_soft_kernels *kernels, double by[3][MOST], size_t count) {
    double to[3][MOST], vx[MOST], vy[MOST], turn[MOST];
    memcpy(vy, from, sizeof from);
    memcpy(turn, spin, sizeof spin);
    kernels->gain(v, spin, 0.25, vx, count);
    for (size_t i = 0; i < count; ++i) ck_assert(vx[i] == v[i] + spin[i] * 0.25);
    qdi_soft_kick kick = {.x = by[0],
                          .y = by[1],
                          .spin = by[2],
                          .mass = mass,
                          .inertia = radius,
                          .to_x = to[0],
                          .to_y = to[1],
                          .to_spin = to[2],
                          .vx = vx,
                          .vy = vy,
                          .turn = turn,
                          .half = 0.125,
                          .speed_squared = 1e5,
                          .most = 1e5};
    ck_assert(!kernels->kick(&kick, count));
    for (size_t i = 0; i < count; ++i) {
        ck_assert(to[0][i] == by[0][i] / mass[i] && to[1][i] == by[1][i] / mass[i]);
        ck_assert(vy[i] == from[i] + to[1][i] * 0.125);
        ck_assert(turn[i] == spin[i] + by[2][i] / radius[i] * 0.125);
    }
    kick.speed_squared = 1;
    ck_assert(kernels->kick(&kick, count)); // some are faster
    kick.speed_squared = 1e5;
    turn[count / 2] = (double)NAN;
    ck_assert(kernels->kick(&kick, count));
    kick.turn = NULL;
    ck_assert(!kernels->kick(&kick, count));
}

QD_TEST(sums_and_kicks) {
    double sums[3][MOST];
    for (uint64_t seed = 0; seed < 20; ++seed)
        for (int number = 0; number < LEVELS; ++number) {
            const qdi_soft_kernels *kernels = kernels_number(number);
            if (!kernels) return;
            draw(seed);
            draw_ends(seed);
            expect_sums(kernels, sums, MOST - seed);
            expect_kick(kernels, sums, MOST - seed);
        }
}

QD_TEST(turns_by_the_angle) {
    const double dt = 0.01;
    double to[LEVELS][2][MOST], wrong[2][MOST];
    draw(7);
    for (int number = 0; number < LEVELS; ++number) {
        const qdi_soft_kernels *kernels = kernels_number(number);
        if (!kernels) return;
        ck_assert(!kernels->turn(c, s, spin, dt, to[number][0], to[number][1], MOST));
        for (int i = 0; i < MOST; ++i) {
            double x = c[i] * cos(spin[i] * dt) - s[i] * sin(spin[i] * dt),
                   y = s[i] * cos(spin[i] * dt) + c[i] * sin(spin[i] * dt);
            ck_assert_double_eq_tol(to[number][0][i], x, 4e-16);
            ck_assert_double_eq_tol(to[number][1][i], y, 4e-16);
        }
        ck_assert_mem_eq(to[number], to[0], sizeof to[0]);
        for (int i = 0; i < MOST; ++i) {
            double kept = spin[i];
            spin[i] = i % 2 ? 1.6 : i % 3 ? (double)NAN : -HUGE_VAL;
            ck_assert(kernels->turn(c, s, spin, dt, wrong[0], wrong[1], MOST));
            spin[i] = kept;
        }
    }
}

QD_TEST(length_stays) {
    double one[1] = {1}, zero[1] = {0}, fast[1] = {1.5};
    for (int k = 0; k < 100000; ++k) {
        double x[1], y[1];
        (void)qdi_soft_plain.turn(one, zero, fast, 0.01, x, y, 1);
        one[0] = x[0];
        zero[0] = y[0];
    }
    ck_assert_double_eq_tol(one[0] * one[0] + zero[0] * zero[0], 1, 1e-15);
    ck_assert_double_eq_tol(one[0], cos(1500), 1e-10);
}

QD_TEST_MAIN("soft", 60, NULL, NULL)
