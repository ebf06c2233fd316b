#include "tests/support/harness.h"
#include "tests/support/one_program.h"
#include "tools/bench/bench_spring.h"
#include "tools/lammps/lammps.h"

#include <jansson.h>
#include <string.h>

// The bench of whole steps on springs, beside LAMMPS where that is found.

static qdi_spring_plan plan_of(size_t number, bool peer) {
    return (qdi_spring_plan){.of = qdi_spring_case_at(number),
                             .bodies = 400,
                             .warm = 20,
                             .steps = 200,
                             .repeats = 2,
                             .threads = 1,
                             .peer = peer,
                             .seed = 1};
}

/// Both have the same disks from the first step to the last: with warming up, at every density, with history
/// and without.
QD_TEST(test_both_go_the_same_way) {
    bool peer = qdi_lammps_found(1);
    for (size_t i = 0; qdi_spring_case_at(i); ++i) {
        qdi_spring_plan plan = plan_of(i, peer);
        qdi_spring_report report;
        bool stopped = true;
        qd_error error;
        ck_assert_msg(qdi_spring_run(&plan, &report, &stopped, &error) == QD_OK, "%s", error.text);
        ck_assert(!stopped);
        ck_assert_uint_eq(report.count, peer ? 2 : 1);
        ck_assert_double_gt(report.rows[0].ns.median, 0);
        if (plan.of->fill > 0) {
            ck_assert_double_gt(report.collisions, 0);
            ck_assert_double_gt(report.kinetic, 300);
        } else { // a heap, at rest from the start
            ck_assert_uint_ge(report.contacts, 2 * plan.bodies - 60);
            ck_assert_double_lt(report.kinetic, 0.01 * (double)plan.bodies);
        }
        ck_assert(qdi_spring_ratio(&report) > 0 || !peer);
        // The same order of sums would leave nothing; another leaves some rounding.
        ck_assert_msg(report.difference < 1e-10, "%s: %g", plan.of->name, report.difference);
    }
}

static bool stop_soon(void *context) {
    int *left = context;
    return --*left > 0;
}

QD_TEST(test_it_can_be_stopped) {
    qdi_spring_plan plan = plan_of(0, false);
    int left = 5;
    plan.tick = stop_soon;
    plan.context = &left;
    qdi_spring_report report;
    bool stopped = false;
    qd_error error;
    ck_assert_int_eq(qdi_spring_run(&plan, &report, &stopped, &error), QD_OK);
    ck_assert(stopped && left == 0);
}

QD_TEST(test_the_command) {
    json_t *whole = qd_program_json(RUN("bench", "--spring", "gas", "--bodies", "400", "--steps", "20",
                                        "--repeats", "1", "--threads", "1", "--json", "--csv", "out.csv"),
                                    0);
    size_t rows = qdi_lammps_found(1) ? 2 : 1;
    const json_t *list = json_object_get(whole, "rows"), *ours = json_array_get(list, 0);
    ck_assert_uint_eq(json_array_size(list), rows);
    ck_assert_str_eq(json_string_value(json_object_get(ours, "method")), "spring");
    ck_assert(json_number_value(json_object_get(ours, "ns_per_body")) > 0);
    ck_assert(json_number_value(json_object_get(ours, "cpu_ns")) > 0);
    ck_assert((json_number_value(json_object_get(ours, "cpu_times_as_fast")) > 0) == (rows == 2));
    ck_assert((json_object_get(ours, "times_as_fast") == NULL) == (rows == 1));
    ck_assert_uint_eq(json_object_size(json_object_get(ours, "phases")), QD_PHASE_EXPORT);
    ck_assert(json_is_string(json_object_get(whole, "lammps")) == (rows == 2));
    json_decref(whole);
    qd_program_outcome result = SUCCEED("bench", "--spring", "smooth", "--bodies", "400", "--steps", "20",
                                        "--repeats", "1", "--threads", "1");
    ck_assert(strstr(result.out, "smooth: 400 disks; 20 steps after 1000, 1 times\n") &&
              strstr(result.out, "\nspring "));
    ck_assert((strstr(result.out, "\nlammps ") != NULL) == (rows == 2));
    ck_assert((strstr(result.out, "without LAMMPS") != NULL) == (rows == 1));
}

QD_TEST(test_what_is_wrong_is_said_in_one_line) {
    expect_refusal(RUN("bench", "--spring", "soup"), 2, "gas, smooth, dense, heap");
    expect_refusal(RUN("bench", "--spring", "gas", "--rigid", "gas"), 2, "does not go with");
    expect_refusal(RUN("bench", "--spring", "gas", "--methods", "spring"), 2, "does not go with");
    expect_refusal(RUN("bench", "--spring", "gas", "--bodies", "none"), 2, "--bodies");
}

QD_TEST_MAIN("bench_spring", 120, setup, teardown)
