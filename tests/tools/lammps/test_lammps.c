#include "tests/support/harness.h"
#include "tests/support/scratch.h"
#include "tools/host/os.h"
#include "tools/lammps/lammps.h"
#include "tools/physics/lammps_case.h"
#include "tools/physics/lammps_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// What is read of LAMMPS and written for it, and that the numbers of LAMMPS that are kept are those of the
// scenes that they are held against. Whether both agree is for tools/validate.

static const char kept[] = QD_SOURCE_DIR "/tests/data/lammps";

static qdi_lammps_disk two[] = {{{1, 2}, {3, 4}, 5, 0.5, 1}, {{2, 2}, {0, 0}, 0, 0.5, 1}};
static const qdi_lammps_scene pair = {
    .name = "two", .low = {0, 0}, .high = {10, 10}, .dt = 1, .disks = two, .count = 2};

static void put(const qd_scratch *scratch, const char *ending, const char *text) {
    char name[32];
    snprintf(name, sizeof name, "two.%s", ending);
    qd_scratch_write(qd_scratch_at(scratch, name).text, text);
}

#define HEAD(step, names) "ITEM: TIMESTEP\n" step "\nITEM: NUMBER OF ATOMS\n2\nITEM: ATOMS " names "\n"

QD_TEST(frames_are_read_by_their_columns) {
    qd_scratch folder = qd_scratch_make();
    qdi_lammps_result result;
    qd_error error = {""};
    put(&folder, "dump",
        HEAD("0", "id x") "2 1.5\n1 -0.25\n" HEAD("7", "vy strange id tqz") "9 8 1 6\n1 1 2 1e-3\n");
    put(&folder, "energy", "step energy\n0 1.5\n50 0.25\n");
    put(&folder, "log",
        "LAMMPS (1 Jan 2000)\nLoop time of 0.5 on 1\nLoop time of 2.25 on 1 procs\n"
        "60.0% CPU use with 2 MPI tasks x 1 OpenMP threads\n");
    ck_assert_int_eq(qdi_lammps_read(folder.path, &pair, &result, &error), QD_OK);
    ck_assert_uint_eq(result.frame_count, 2);
    const qdi_lammps_frame *frame = qdi_lammps_frame_at(&result, 0);
    ck_assert(frame->disks[0][QDI_LAMMPS_X] == -0.25 && frame->disks[1][QDI_LAMMPS_X] == 1.5);
    ck_assert(isnan(frame->disks[0][QDI_LAMMPS_Y])); // there is none
    frame = qdi_lammps_frame_at(&result, 7);
    ck_assert(frame->disks[0][QDI_LAMMPS_VY] == 9 && frame->disks[1][QDI_LAMMPS_TORQUE] == 1e-3);
    ck_assert_ptr_null(qdi_lammps_frame_at(&result, 8));
    ck_assert(result.energy_count == 2 && result.energies[1][0] == 50 && result.energies[1][1] == 0.25);
    ck_assert_str_eq(result.version, "LAMMPS (1 Jan 2000)");
    ck_assert(result.seconds == 2.25); // of the last run
    ck_assert_double_eq_tol(result.processor, 2.7, 1e-12);
    qdi_lammps_result_free(&result);
    put(&folder, "log", "Loop time of nan on 1 procs\n"); // no time that can be counted
    ck_assert_int_eq(qdi_lammps_read(folder.path, &pair, &result, &error), QD_OK);
    ck_assert(result.seconds == 0 && result.processor == 0);
    qdi_lammps_result_free(&result);
    qd_scratch_remove(&folder);
}

QD_TEST(broken_files_are_refused) {
    static const char *const broken[] = {
        "",                                               // nothing
        "1 2 3\n",                                        // no frame
        "ITEM: TIMESTEP\n",                               // no step
        "ITEM: ATOMS id x\n1 2\n2 3\n",                   // of no step
        HEAD("0", "id x") "1 2\n",                        // a row too few
        HEAD("0", "id x") "1 2\n3 4\n",                   // of a disk that there is not
        HEAD("0", "id x") "1 2\n0 4\n",                   // the same
        HEAD("0", "id x") "1 2\n2\n",                     // half a row
        HEAD("0", "x y") "1 2\n3 4\n",                    // of nobody
        HEAD("0", "id x") "1 2\n2 3\n" HEAD("1", "id x"), // cut off
    };
    qd_scratch folder = qd_scratch_make();
    qdi_lammps_result result;
    qd_error error = {""};
    ck_assert_int_eq(qdi_lammps_read(folder.path, &pair, &result, &error), QD_ERR_NOT_FOUND);
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; ++i) {
        put(&folder, "dump", broken[i]);
        ck_assert_msg(qdi_lammps_read(folder.path, &pair, &result, &error) == QD_ERR_CORRUPT, "%zu", i);
        ck_assert(result.frames == NULL && strstr(error.text, "two"));
    }
    qd_scratch_remove(&folder);
}

QD_TEST(differences_count_no_periods) {
    double ours[2][QDI_LAMMPS_COLUMNS] = {{9.5, 0, 100}, {1, 1}};
    double theirs[2][QDI_LAMMPS_COLUMNS] = {{-0.25, 0, 110}, {1, 1}};
    const qdi_lammps_frame frame = {0, theirs};
    qdi_lammps_scene scene = pair;
    ck_assert(qdi_lammps_difference(&scene, &frame, ours, QDI_LAMMPS_X, QDI_LAMMPS_Y, 1) == 0.25);
    ck_assert(qdi_lammps_difference(&scene, &frame, ours, QDI_LAMMPS_VX, QDI_LAMMPS_VX, 1) == 10.0 / 110);
    ck_assert(qdi_lammps_difference(&scene, &frame, ours, QDI_LAMMPS_VX, QDI_LAMMPS_VX, 200) == 10.0 / 200);
    ck_assert(qdi_lammps_largest(&scene, &frame, QDI_LAMMPS_X, QDI_LAMMPS_VX) == 110);
    scene.walls = true;
    ck_assert(qdi_lammps_difference(&scene, &frame, ours, QDI_LAMMPS_X, QDI_LAMMPS_Y, 1) == 9.75);
    theirs[1][QDI_LAMMPS_Y] = (double)NAN;
    ck_assert(isnan(qdi_lammps_difference(&scene, &frame, ours, QDI_LAMMPS_X, QDI_LAMMPS_Y, 1)));
}

/// What was kept came from the script that would be written now, and from the state that there is now.
QD_TEST(kept_numbers_belong_to_the_scenes) {
    qd_scratch folder = qd_scratch_make();
    const qd_scratch_path now = qd_scratch_at(&folder, "now");
    for (size_t i = 0; i < QDI_LAMMPS_MATCHES; ++i) {
        const qdi_lammps_match *match = qdi_lammps_match_at(i);
        const qdi_lammps_task task = {.ranks = 1,
                                      .steps = match->steps,
                                      .every = match->every,
                                      .energy_every = match->energy_every,
                                      .columns = match->columns};
        qdi_lammps_scene scene;
        ck_assert_int_eq(qdi_lammps_scene_make(i, &scene), QD_OK);
        FILE *file = fopen(now.text, "w");
        qdi_lammps_write_script(file, &scene, &task);
        fclose(file);
        char path[1200];
        snprintf(path, sizeof path, "%s/%s.in", kept, match->name);
        char *script = qd_scratch_read(now.text, NULL), *expected = qd_scratch_read(path, NULL);
        ck_assert_ptr_nonnull(expected);
        ck_assert_str_eq(script, expected);
        free(script);
        free(expected);
        qdi_lammps_result result;
        qd_error error = {""};
        ck_assert_msg(qdi_lammps_read(kept, &scene, &result, &error) == QD_OK, "%s", error.text);
        ck_assert(strncmp(result.version, "LAMMPS (", 8) == 0);
        const qdi_lammps_frame *first = qdi_lammps_frame_at(&result, 0);
        ck_assert(first && qdi_lammps_frame_at(&result, match->every));
        for (size_t k = 0; k < scene.count && match->columns[0] == 'x'; ++k) {
            const double *disk = first->disks[k];
            ck_assert(disk[QDI_LAMMPS_X] == scene.disks[k].position.x &&
                      disk[QDI_LAMMPS_VY] == scene.disks[k].velocity.y &&
                      disk[QDI_LAMMPS_SPIN] == scene.disks[k].spin);
        }
        qdi_lammps_result_free(&result);
        qdi_lammps_scene_free(&scene);
    }
    qd_scratch_remove(&folder);
}

QD_TEST(scenes_are_what_they_say) {
    for (size_t i = 0; i < QDI_LAMMPS_MATCHES; ++i) {
        qdi_lammps_scene scene;
        ck_assert_int_eq(qdi_lammps_scene_make(i, &scene), QD_OK);
        bool many = qdi_lammps_is_state(i) || i == QDI_LAMMPS_GAS;
        ck_assert(many ? scene.count == 1000 : scene.count == 2 || scene.count == 3);
        qd_world *world = NULL;
        qd_error error = {""};
        ck_assert_msg(qdi_lammps_world(&scene, 1, QD_SIMD_AUTO, &world, &error) == QD_OK, "%s", error.text);
        ck_assert_uint_eq(qd_world_count(world), scene.count);
        ck_assert_double_gt(qd_world_contact_time(world), 20 * scene.dt);
        qd_world_destroy(world);
        qdi_lammps_scene_free(&scene);
    }
    ck_assert_int_eq(qdi_lammps_way_of("kept"), QDI_LAMMPS_KEPT);
    ck_assert_int_eq(qdi_lammps_way_of("renew"), QDI_LAMMPS_RENEW);
    ck_assert_int_eq(qdi_lammps_way_of("lost"), -1);
}

// A program that fails is noticed, and one that LAMMPS does not understand says why; where there is no
// LAMMPS, that.
QD_TEST(failure_says_why) {
    char folder[600];
    ck_assert(!qdi_host_make_scratch(folder, 8));
    ck_assert(qdi_host_make_scratch(folder, sizeof folder));
    ck_assert(qdi_host_run((char *[]){"true", NULL}, folder));
    ck_assert(!qdi_host_run((char *[]){"false", NULL}, folder));
    ck_assert(!qdi_host_run((char *[]){"no-such-program-at-all", NULL}, folder));
    ck_assert(!qdi_host_run((char *[]){"true", NULL}, "/no/such/folder"));
    ck_assert_int_eq(remove(folder), 0);
    const qdi_lammps_task task = {.ranks = 1, .steps = 10, .columns = "nonsense"};
    qdi_lammps_scene scene = pair;
    scene.kn = scene.kt = scene.skin = 1;
    qdi_lammps_result result;
    qd_error error = {""};
    ck_assert_int_eq(qdi_lammps_run(&scene, &task, NULL, &result, &error), QD_ERR_IO);
    if (qdi_lammps_found(1)) ck_assert_msg(strstr(error.text, "LAMMPS says: ERROR"), "%s", error.text);
}

QD_TEST_MAIN("lammps", 120, NULL, NULL)
