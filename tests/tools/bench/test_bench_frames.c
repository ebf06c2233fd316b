#include "export/picture/trails.h"
#include "tests/support/harness.h"
#include "tests/support/one_program.h"
#include "tests/support/scratch.h"
#include "tools/bench/frames.h"
#include "tools/host/os.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

// The bench of frames: what it measures, that its pictures are the same for any number of threads, its flags
// and outputs.

static bool count_down(void *context) {
    int *left = context;
    return --*left > 0;
}

static qdi_frames_plan plan_of(size_t bodies, int threads) {
    return (qdi_frames_plan){.scene = qdi_bench_scene_at(0),
                             .bodies = bodies,
                             .width = 320,
                             .height = 200,
                             .threads = threads,
                             .frames = 2,
                             .seed = 1};
}

QD_TEST(test_pictures_do_not_depend_on_threads) {
    qdi_frames_row rows[QDI_FRAMES_STYLES], other[QDI_FRAMES_STYLES];
    bool stopped = true;
    qdi_frames_plan plan = plan_of(9000, 1);
    ck_assert_int_eq(qdi_frames_run(&plan, rows, &stopped), QD_OK);
    ck_assert(!stopped && rows[0].pixels != rows[1].pixels && rows[0].pixels != rows[2].pixels);
    for (int style = 0; style < QDI_FRAMES_STYLES; ++style) {
        const qdi_frames_row *row = &rows[style];
        ck_assert(row->copy > 0 && row->draw > 0 && row->encode > 0 && row->bytes > 1000);
        ck_assert(row->whole >= row->least && row->least > 0);
    }
    for (int threads = 2; threads <= 8; threads += threads == 2 ? 1 : 5) {
        plan.threads = threads;
        ck_assert_int_eq(qdi_frames_run(&plan, other, &stopped), QD_OK);
        for (int style = 0; style < QDI_FRAMES_STYLES; ++style)
            ck_assert_uint_eq(other[style].pixels, rows[style].pixels);
    }
}

// As far as a run may keep, and no row where that is nothing.
QD_TEST(test_how_far_trails_go_back) {
    ck_assert_uint_eq(qdi_frames_trails(1), 100);
    ck_assert_uint_eq(qdi_frames_trails(10000), 100);
    ck_assert_uint_eq(qdi_frames_trails(100000), 20);
    ck_assert_uint_eq(qdi_frames_trails(QDI_TRAIL_PLACES_MAX), 1);
    ck_assert_int_eq(qdi_frames_style_count(QDI_TRAIL_PLACES_MAX), QDI_FRAMES_STYLES);
    ck_assert_uint_eq(qdi_frames_trails(QDI_TRAIL_PLACES_MAX + 1), 0);
    ck_assert_int_eq(qdi_frames_style_count(QDI_TRAIL_PLACES_MAX + 1), QDI_FRAMES_TRAILS);
}

// More of the picture is covered by trails than by the bodies, so they have filled and bodies move.
QD_TEST(test_trails_have_length) {
    qdi_frames_row rows[QDI_FRAMES_STYLES];
    bool stopped = true;
    qdi_frames_plan plan = plan_of(100, 1);
    plan.scene = qdi_bench_scene_at(3);
    ck_assert_str_eq(plan.scene->name, "sparse");
    ck_assert_int_eq(qdi_frames_run(&plan, rows, &stopped), QD_OK);
    ck_assert_uint_eq(rows[QDI_FRAMES_TRAILS].trails, 100);
    ck_assert_uint_eq(rows[QDI_FRAMES_BODIES].trails, 0);
    ck_assert_uint_gt(rows[QDI_FRAMES_TRAILS].bytes, 3 * rows[QDI_FRAMES_BODIES].bytes);
}

// It can be stopped in any of its frames: those of a world that stands still, and those with trails.
QD_TEST(test_it_can_be_stopped) {
    qdi_frames_row rows[QDI_FRAMES_STYLES];
    for (int after = 1; after <= 3 * 3; ++after) {
        bool stopped = false;
        int left = after;
        qdi_frames_plan plan = plan_of(100, 1);
        plan.tick = count_down;
        plan.context = &left;
        ck_assert_int_eq(qdi_frames_run(&plan, rows, &stopped), QD_OK);
        ck_assert(stopped);
        ck_assert_int_eq(left, 0);
    }
}

QD_TEST(test_the_command) {
    json_t *whole = qd_program_json(RUN("bench", "--frames", "--sweep-bodies", "200,400", "--steps", "2",
                                        "--size", "160x90", "-q", "--threads", "1", "--json", "--csv",
                                        "frames.csv"),
                                    0);
    ck_assert_int_eq(json_integer_value(json_object_get(whole, "width")), 160);
    ck_assert_int_eq(json_integer_value(json_object_get(whole, "height")), 90);
    const json_t *rows = json_object_get(whole, "rows");
    ck_assert_uint_eq(json_array_size(rows), 6);
    qd_own_memory char *csv = qd_scratch_read(qd_scratch_at(&program.work, "frames.csv").text, NULL);
    ck_assert_ptr_nonnull(csv);
    const char *line = csv;
    static const char *const names[] = {"bodies", "full", "trails"};
    for (size_t i = 0; i < 6; ++i) {
        const json_t *row = json_array_get(rows, i);
        ck_assert_str_eq(json_string_value(json_object_get(row, "style")), names[i % 3]);
        ck_assert_int_eq(json_integer_value(json_object_get(row, "bodies")), i < 3 ? 200 : 400);
        ck_assert_int_eq(json_integer_value(json_object_get(row, "trails")), i % 3 == 2 ? 100 : 0);
        ck_assert(json_number_value(json_object_get(row, "whole_ms")) > 0);
        line = strchr(line, '\n') + 1;
        ck_assert_msg(strncmp(line, names[i % 3], strlen(names[i % 3])) == 0, "%s", line);
    }
    size_t heading = 0, fields = 0;
    for (const char *c = csv; *c != '\n'; ++c) heading += *c == ',';
    for (const char *c = line; *c && *c != '\n' && *c != '"'; ++c) fields += *c == ',';
    ck_assert_uint_le(fields, heading);
    json_decref(whole);
    qd_program_outcome result = SUCCEED("bench", "--frames", "--bodies", "50", "--steps", "1", "--size",
                                        "64x64");
    ck_assert(strstr(result.out, "frames of 64x64 pixels, scene uniform; 1 of each"));
}

QD_TEST(test_what_is_wrong_is_said_in_one_line) {
    static const char *const sizes[] = {"64", "64x", "x64", "64x64x", "8x64", "64x99999", "a"};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        expect_refusal(RUN("bench", "--frames", "--size", sizes[i]), 2, "--size");
    }
    expect_refusal(RUN("bench", "--frames", "--rigid", "gas"), 2, "does not go with");
    expect_refusal(RUN("bench", "--size", "64x64"), 2, "--frames");
    expect_refusal(RUN("bench", "--frames", "--bodies", "none"), 2, "--bodies");
}

// Where LAMMPS is: a row of its own, and nothing stays in the folder.
QD_TEST(test_beside_lammps) {
    if (!qdi_host_has_program("lmp")) {
        expect_refusal(RUN("bench", "--frames", "--lammps", "."), 1, "lmp");
        return;
    }
    json_t *whole = qd_program_json(RUN("bench", "--frames", "--bodies", "300", "--steps", "2", "--size",
                                        "96x64", "-q", "--lammps", ".", "--json"),
                                    0);
    const json_t *rows = json_object_get(whole, "rows");
    ck_assert_uint_eq(json_array_size(rows), 4);
    const json_t *row = json_array_get(rows, 3);
    ck_assert_str_eq(json_string_value(json_object_get(row, "style")), "lammps");
    ck_assert(json_number_value(json_object_get(row, "whole_ms")) > 0);
    ck_assert_int_gt(json_integer_value(json_object_get(row, "bytes")), 100);
    ck_assert_uint_eq(qd_scratch_count(program.work.path), 0);
    json_decref(whole);
    expect_refusal(RUN("bench", "--frames", "--bodies", "30", "--steps", "1", "--size", "64x64", "-q",
                       "--lammps", "nowhere"),
                   1, "folder");
}

/// LAMMPS works in its folder, and is told no name of it.
QD_TEST(test_lammps_sees_no_path) {
    static const char lmp[] = "#!/bin/sh\ncat >seen\necho x >quadrille_bench.0.png\n"
                              "echo '99% CPU use' >quadrille_bench.log\n"
                              "echo 'Output | 0.5 |' >>quadrille_bench.log\n";
    char command[600], path[600];
    qd_scratch_write(qd_scratch_at(&program.work, "lmp").text, lmp);
    snprintf(command, sizeof command, "cd '%s' && mkdir 'a $b #&*' bin && mv lmp bin && chmod +x bin/lmp",
             program.work.path);
    ck_assert_int_eq(system(command), 0); // NOLINT(cert-env33-c): the command is ours
    snprintf(path, sizeof path, "PATH=%s/bin:/usr/bin:/bin", program.work.path);
    const qd_program_start start = {.arguments = {"bench", "--frames", "--bodies", "30", "--steps", "1",
                                                  "--size", "64x64", "-q", "--lammps", "a $b #&*"},
                                    .environment = {path}};
    qd_program_succeed(&program, &start);
    qd_own_memory char *script = qd_scratch_read(qd_scratch_at(&program.work, "a $b #&*/seen").text, NULL);
    ck_assert_msg(!strstr(script, "a $b") && strstr(script, "read_data quadrille_bench.data\n"), "%s",
                  script);
}

QD_TEST_MAIN("bench_frames", 120, setup, teardown)
