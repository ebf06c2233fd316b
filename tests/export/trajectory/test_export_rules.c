#include "tests/support/harness.h"
#include "tests/support/trajectories.h"

#include <stdlib.h>
#include <string.h>

// What holds for writers of trajectories in every format.

static const qd_trajectory_format formats[] = {QD_TRAJECTORY_LAMMPS, QD_TRAJECTORY_EXTXYZ, QD_TRAJECTORY_VTP,
                                               QD_TRAJECTORY_CSV};

QD_TEST_LOOP(any_number_of_threads, 0, 4) {
    // More rows than fit a block.
    qd_world_def def = qd_world_def_default();
    qd_test_gas_def(&def, 60, 60);
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_gas_fill(world, 60, 60, 5);
    static const char *const names[] = {"bodies.lammpstrj", "bodies.xyz", "bodies_000000.vtp", "bodies.csv"};
    qd_own_memory char *first = NULL;
    size_t first_bytes = 0;
    static const int threads[] = {1, 2, 5, 16};
    for (size_t k = 0; k < sizeof threads / sizeof threads[0]; ++k) {
        qd_trajectory *trajectory = start(formats[_i], threads[k]);
        add(trajectory, world);
        finish(trajectory);
        size_t bytes = 0;
        char *text = qd_scratch_read(at(names[_i]).text, &bytes);
        ck_assert_ptr_nonnull(text);
        ck_assert(!first || (bytes == first_bytes && memcmp(text, first, bytes) == 0));
        if (first) free(text);
        if (!first) {
            first = text;
            first_bytes = bytes;
        }
    }
}

QD_TEST_LOOP(nothing_is_left_of_what_is_not_finished, 0, 4) {
    qd_own(qd_world) world = mixed_world(4);
    qd_trajectory *trajectory = start(formats[_i], 2);
    add(trajectory, world);
    add(trajectory, world);
    qd_trajectory_destroy(trajectory);
    ck_assert_uint_eq(qd_scratch_count(scratch.path), 0);
}

static qd_status write_all(const qd_trajectory_def *def, const qd_world *world) {
    qd_trajectory *trajectory = NULL;
    qd_error error = {""};
    qd_status status = qd_trajectory_create(def, &trajectory, &error);
    if (status != QD_OK) {
        ck_assert_ptr_null(trajectory);
        return status;
    }
    for (int k = 0; k < 2 && status == QD_OK; ++k) status = qd_trajectory_add(trajectory, world, &error);
    if (status == QD_OK) status = qd_trajectory_finish(trajectory, NULL, &error);
    if (status != QD_OK) {
        ck_assert_str_ne(error.text, "");
        ck_assert_int_eq(qd_trajectory_add(trajectory, world, NULL), status); // it sticks
    }
    qd_trajectory_destroy(trajectory);
    return status;
}

QD_TEST_LOOP(without_memory, 0, 4) {
    qd_own(qd_world) world = mixed_world(5);
    qd_test_allocator allocator;
    qd_status status = QD_ERR_MEMORY;
    for (size_t fail_at = 1; status != QD_OK; ++fail_at) {
        allocator = qd_test_allocator_of(&allocator, fail_at);
        qd_trajectory_def def = qd_trajectory_def_default();
        def.directory = scratch.path;
        def.format = formats[_i];
        def.threads = 2;
        def.allocator = &allocator.allocator;
        status = write_all(&def, world);
        if (qd_test_had_memory(&allocator, status)) break;
        ck_assert_msg(qd_scratch_count(scratch.path) == 0, "allocation %zu", fail_at);
        ck_assert_uint_lt(fail_at, 2000);
    }
    ck_assert_uint_gt(qd_scratch_count(scratch.path), 0);
}

QD_TEST(what_is_refused) {
    qd_trajectory *trajectory = NULL;
    qd_error error = {""};
    qd_trajectory_def def = qd_trajectory_def_default();
    ck_assert_int_eq(qd_trajectory_create(&def, &trajectory, &error), QD_ERR_ARGUMENT);
    def.directory = at("nowhere").text;
    ck_assert_int_eq(qd_trajectory_create(&def, &trajectory, &error), QD_ERR_IO);
    ck_assert_ptr_nonnull(strstr(error.text, "nowhere"));
    def.directory = scratch.path;
    def.threads = 0;
    ck_assert_int_eq(qd_trajectory_create(&def, &trajectory, &error), QD_ERR_VALUE);
    def.threads = 1;
    def.format = (qd_trajectory_format)4;
    ck_assert_int_eq(qd_trajectory_create(&def, &trajectory, &error), QD_ERR_VALUE);
    def.cookie = 0;
    ck_assert_int_eq(qd_trajectory_create(&def, &trajectory, &error), QD_ERR_ARGUMENT);
    qd_trajectory_format format;
    ck_assert(qd_trajectory_format_named("extxyz", &format) && format == QD_TRAJECTORY_EXTXYZ);
    ck_assert(!qd_trajectory_format_named("xyz", &format));
    qd_own(qd_world) world = mixed_world(6);
    trajectory = start(QD_TRAJECTORY_CSV, 1);
    ck_assert_int_eq(qd_trajectory_finish(trajectory, NULL, NULL), QD_OK);
    ck_assert_int_eq(qd_trajectory_add(trajectory, world, NULL), QD_ERR_STATE);
    qd_trajectory_destroy(trajectory);
    ck_assert_uint_eq(qd_scratch_count(scratch.path), 5); // an empty one is one
    qd_trajectory_destroy(NULL);
}

QD_TEST_MAIN("export_rules", 300, setup, teardown)
