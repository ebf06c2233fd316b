#include "tests/support/harness.h"
#include "tools/physics/physics.h"
#include "tools/physics/reference.h"

#include <math.h>
#include <quadrille/math.h>
#include <quadrille/random.h>
#include <string.h>

#undef QD_PROGRAM
#define QD_PROGRAM QD_VALIDATE
#include "tests/support/one_program.h"
#include "tests/support/worlds.h"

// What tools/validate judges by: its statistics, its reference values, and what passes. The physics is tested
// by running it.

QD_TEST(test_estimates) {
    const double values[] = {1, 2, 3, 4};
    qdi_estimate of = qdi_estimate_of(values, 4);
    ck_assert(of.mean == 2.5 && fabs(of.error - sqrt(5.0 / 12)) < 1e-15);
    ck_assert(isinf(qdi_estimate_of(values, 1).error)); // one value says nothing of chance
}

QD_TEST(test_blocks_see_what_hangs_together) {
    enum { RUNS = 4, BLOCKS = 16, COUNT = RUNS * BLOCKS };
    double alone[COUNT], pairs[COUNT];
    qd_random random = qd_random_at(qd_test_seed(1), 0, 0);
    for (int i = 0; i < COUNT; ++i) alone[i] = qd_random_normal(&random);
    for (int i = 0; i < COUNT; ++i) pairs[i] = alone[i / 2]; // each value twice: half as much is known
    double naive = qdi_estimate_of(pairs, COUNT).error;
    qdi_estimate blocked = qdi_estimate_blocks(pairs, RUNS, BLOCKS);
    ck_assert(fabs(blocked.mean - qdi_estimate_of(pairs, COUNT).mean) < 1e-15);
    ck_assert_msg(blocked.error > 1.35 * naive, "%g, naive %g", blocked.error, naive);
    ck_assert(qdi_estimate_blocks(alone, RUNS, BLOCKS).error >= qdi_estimate_of(alone, COUNT).error);
    ck_assert(qdi_estimate_blocks(alone, 4, 1).error == qdi_estimate_of(alone, 4).error); // nothing to join
}

QD_TEST(test_line_to_zero) {
    const double x[] = {1, 2, 4};
    const qdi_estimate line[] = {{5, 0.1}, {7, 0.1}, {11, 0.1}};
    qdi_estimate at = qdi_estimate_at_zero(x, line, 3);
    ck_assert(fabs(at.mean - 3) < 1e-12);
    at = qdi_estimate_at_zero(x, line, 2); // 2 y(1) - y(2)
    ck_assert(fabs(at.mean - 3) < 1e-12 && fabs(at.error - 0.1 * sqrt(5)) < 1e-12);
    const qdi_estimate vague[] = {{5, 0.1}, {7, 0.1}, {0, 1e6}}; // counts for nothing
    ck_assert(fabs(qdi_estimate_at_zero(x, vague, 3).mean - 3) < 1e-6);
}

QD_TEST(test_rayleigh) {
    enum { COUNT = 20000 };
    static double speeds[COUNT];
    for (int i = 0; i < COUNT; ++i)
        speeds[COUNT - 1 - i] = sqrt(-2 * 4 * qd_log(1 - (i + 0.5) / COUNT)); // kT = 4
    ck_assert(fabs(qdi_rayleigh_distance(speeds, COUNT, 4) - 0.5 / COUNT) < 1e-9);
    ck_assert(speeds[0] < speeds[1]);
    for (int i = 0; i < COUNT; ++i) speeds[i] *= 1.03;
    ck_assert(fabs(qdi_rayleigh_distance(speeds, COUNT, 4) - 0.0218) <
              0.0003); // largest of F(v) - F(v / 1.03)
    double one = 1;    // F(1) = 0.3935: the jump from 0 to 1 is farther off above
    ck_assert(fabs(qdi_rayleigh_distance(&one, 1, 1) - 0.606531) < 1e-6);
}

QD_TEST(test_reference) {
    const double table[][2] = {{0.01, 1.02032}, {0.1, 1.23614}, {0.2, 1.57037}, {0.3, 2.06326},
                               {0.4, 2.8293},   {0.5, 4.1063},  {0.6, 6.456}};
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
        double Z = qdi_reference_state(table[i][0]);
        ck_assert_msg(fabs(Z - table[i][1]) < 1.5e-4, "eta %g: %g", table[i][0], Z);
    }
    ck_assert(fabs(qdi_reference_rate(0.3) - 2.39952) < 1e-4);
    // Exact: the second and third virial coefficients.
    double small = 1e-3, third = 4 * (4.0 / 3 - sqrt(3) / 3.14159265358979323846);
    ck_assert(fabs((qdi_reference_state(small) - 1 - 2 * small) / (small * small) - third) < 5e-3);
    ck_assert(fabs(qdi_reference_cooling(0.9) - 0.99496) < 1e-5 &&
              fabs(qdi_reference_cooling(0.95) - 0.99651) < 1e-5);
    ck_assert(fabs(qdi_reference_loss(0.9) - (1 - 0.02686 / 4)) < 1e-5);
}

QD_TEST(test_rows) {
    qdi_rows rows = {.rows = NULL};
    const qdi_estimate good = {1.01, 0.003}, far = {1.04, 0.003}, vague = {1.01, 0.02},
                       none = {(double)NAN, 0.001};
    ck_assert(qdi_rows_add(&rows, "good", good, 1, 0.02)->pass);
    ck_assert(!qdi_rows_add(&rows, "far", far, 1, 0.02)->pass);
    ck_assert(!qdi_rows_add(&rows, "vague", vague, 1, 0.02)
                   ->pass); // its error is larger than a third of the tolerance
    ck_assert(!qdi_rows_add(&rows, "none", none, 1, 0.02)->pass);
    ck_assert(qdi_rows_add(&rows, "six errors", (qdi_estimate){1.025, 0.005}, 1, 0.02)->pass);
    qdi_row *row = qdi_rows_add(&rows, "strict", good, 1, 0.02);
    row->error_allowed = 0.002;
    qdi_row_judge(row);
    ck_assert(!row->pass);
    qdi_row_twin(row, "something", far);
    ck_assert(row->twin_fails);
    qdi_row_twin(row, "something", (qdi_estimate){1.08, 0.02}); // within six errors: it was not noticed
    ck_assert(!row->twin_fails);
    ck_assert(rows.count == 6 && rows.status == QD_OK);
    for (int i = 0; i < 100; ++i) ck_assert(qdi_rows_add(&rows, "more", good, 1, 0.02)->pass);
    qdi_rows_free(&rows);
}

QD_TEST(test_gas) {
    qdi_gas_def def = qdi_gas_default();
    def.columns = 8;
    def.rows = 6;
    def.speed = 2;
    qd_own(qd_world) gas = NULL, copy = NULL;
    qd_error error;
    ck_assert(qdi_gas_create(&def, &gas, &error) == QD_OK);
    qd_metrics now = qd_test_measure(gas);
    ck_assert(now.bodies == 48 && fabs(now.momentum_x) < 1e-12 && fabs(now.momentum_y) < 1e-12);
    ck_assert(fabs(now.translation / 47 - 4) < 1e-12);
    ck_assert(fabs(48 * 3.14159265358979323846 / 4 / now.area - def.eta) < 1e-12);
    ck_assert(qdi_gas_run(gas, 1, 0.01) == QD_OK && qd_world_steps(gas) == 100);
    qd_world_def another = qd_world_definition(gas);
    another.restitution = 0.5;
    ck_assert(qdi_gas_copy(gas, &another, 1, &copy, &error) == QD_OK);
    qd_world_measure(copy, &now);
    ck_assert(now.bodies == 48 && fabs(now.translation / 47 - 1) < 1e-12);
    qd_body_view before = qd_world_view(gas), after = qd_world_view(copy);
    for (uint32_t i = 0; i < 48; ++i)
        ck_assert(before.x[before.row_of_index[i]] == after.x[after.row_of_index[i]]);
}

QD_TEST(test_table) {
    qd_program_outcome outcome = SUCCEED("packing_square", "slope_t");
    ck_assert_ptr_nonnull(strstr(outcome.out, "\npacking_square "));
    ck_assert_ptr_nonnull(strstr(outcome.out, "\nslope_tip "));
    ck_assert_ptr_nonnull(strstr(outcome.out, "\n3 of 3 rows pass, 0 of 0 twins fail\n"));
    ck_assert_ptr_null(strstr(outcome.out, "triangular"));
}

QD_TEST(test_json) {
    json_t *rows = qd_program_json(RUN("--json", "packing"), 0);
    ck_assert_uint_eq(json_array_size(rows), 4);
    static const char *const keys[] = {"case",      "measured", "reference", "stderr",
                                       "tolerance", "pass",     "twin"};
    for (size_t i = 0; i < json_array_size(rows); ++i) {
        for (size_t k = 0; k < 7; ++k)
            ck_assert_ptr_nonnull(json_object_get(json_array_get(rows, i), keys[k]));
        ck_assert(json_is_true(json_object_get(json_array_get(rows, i), "pass")));
    }
    const json_t *first = json_array_get(rows, 0);
    ck_assert_str_eq(json_string_value(json_object_get(first, "case")), "packing_triangular");
    ck_assert(fabs(json_real_value(json_object_get(first, "measured")) - 0.9068996821) < 1e-9);
    json_decref(rows);
}

QD_TEST(test_wrong_calls) {
    expect_refusal(RUN("--jsno"), 2, "--jsno");
    expect_refusal(RUN("--lammps", "lost"), 2, "kept or renew");
    expect_refusal(RUN("--lammps"), 2, "--lammps needs");
    expect_refusal(RUN("eos_0.35"), 2, "--list");
    qd_program_outcome outcome = RUN("--list");
    ck_assert(outcome.code == 0 && strstr(outcome.out, "\nhaff_0.9 ") &&
              strstr(outcome.out, "\neos_stepped_0.1 "));
    outcome = RUN("--help");
    ck_assert(outcome.code == 0 && strstr(outcome.out, "--short") && !*outcome.err);
}

QD_TEST_MAIN("physics", 120, setup, teardown)
