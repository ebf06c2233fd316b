#include "sim/spring/soft.h"

#include "core/math/outward.h"
#include "tests/support/harness.h"

#include <math.h>
#include <quadrille/random.h>
#include <stdlib.h>
#include <string.h>

// The loops of motion: what they say, and that every instruction set says the same.

enum { MOST = 100 };
static double from[MOST], v[MOST], spin[MOST], c[MOST], s[MOST], radius[MOST];

static double between(qd_random *random, double low, double high) {
    return low + (high - low) * qd_random_uniform(random);
}

static void draw(uint64_t seed) {
    qd_random random = qd_random_at(seed, 0, 3);
    for (int i = 0; i < MOST; ++i) {
        from[i] = between(&random, -50, 50);
        v[i] = between(&random, -3, 3);
        spin[i] = between(&random, -1.5, 1.5);
        radius[i] = between(&random, 0.1, 2);
        double angle = between(&random, -4, 4);
        c[i] = cos(angle);
        s[i] = sin(angle);
    }
}

static const qdi_soft_kernels *kernels_number(int number) {
    if (number == 0) return &qdi_soft_plain;
    return qd_simd_available(QD_SIMD_AVX2) ? &qdi_soft_avx2 : NULL;
}

START_TEST(drift_and_box) {
    for (int number = 0; number < 2; ++number)
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
END_TEST

START_TEST(drift_tells_who_crosses) {
    for (int number = 0; number < 2; ++number) {
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
END_TEST

START_TEST(strays_are_seen) {
    for (int number = 0; number < 2; ++number) {
        const qdi_soft_kernels *kernels = kernels_number(number);
        if (!kernels) return;
        const double bad[4][2] = {{5.1, -5.1}, {(double)NAN, HUGE_VAL}, {3.1, -3.1}, {(double)NAN, HUGE_VAL}};
        for (int i = 0; i < 9; ++i)
            for (int column = 0; column < 4; ++column)
                for (int which = 0; which < 2; ++which)
                    for (int kind = 0; kind < 2; ++kind) {
                        double columns[4][9] = {{0}};
                        const double *x = columns[0], *y = columns[1], *vx = columns[2], *vy = columns[3];
                        ck_assert(!kernels->stray(x, y, vx, vy, (qd_vec2){0, 0}, 5, 9, 9));
                        columns[column][i] = bad[column / 2 * 2 + kind][which];
                        ck_assert(kernels->stray(x, y, vx, vy, (qd_vec2){0, 0}, 5, 9, 9));
                    }
    }
}
END_TEST

START_TEST(turns_by_the_angle) {
    const double dt = 0.01;
    double to[2][2][MOST], wrong[2][MOST];
    draw(7);
    for (int number = 0; number < 2; ++number) {
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
END_TEST

START_TEST(length_stays) {
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
END_TEST

int main(void) {
    TCase *tcase = qd_test_case("kernels", 60, NULL, NULL);
    qd_test_once(tcase, drift_and_box, drift_tells_who_crosses, strays_are_seen, turns_by_the_angle,
                 length_stays);
    return qd_test_run_case("soft", tcase);
}
