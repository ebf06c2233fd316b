// Frames that a checkpoint may count are on the device: fsync and syncfs of this program stand in for the C
// library's, and note what was synced.
#define _GNU_SOURCE // syncfs
#include "tests/support/harness.h"
#include "tests/support/scratch.h"
#include "tests/support/worlds.h"

#include <errno.h>
#include <quadrille/frame.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 64 };

static ino_t synced[MOST];
static size_t synced_count, disks;
static int disk_error, directory_error;

int fsync(int fd) {
    struct stat info;
    if (fstat(fd, &info) != 0) return -1;
    if (synced_count < MOST) synced[synced_count++] = info.st_ino;
    errno = S_ISDIR(info.st_mode) ? directory_error : 0;
    return errno ? -1 : 0;
}

int syncfs(int fd) {
    (void)fd;
    ++disks;
    errno = disk_error;
    return disk_error ? -1 : 0;
}

static bool is_synced(const char *path) {
    struct stat info;
    ck_assert_int_eq(stat(path, &info), 0);
    for (size_t i = 0; i < synced_count; ++i)
        if (synced[i] == info.st_ino) return true;
    return false;
}

static qd_scratch scratch;
static qd_world *world;
static qd_frame_writer *writer;

static void setup(void) {
    qd_error error;
    scratch = qd_scratch_make();
    qd_world_def world_def = qd_world_def_default();
    world = qd_test_world(&world_def);
    (void)qd_test_disk(world, .5, .5, 0, 0, .1, 1);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    qd_frame_writer_def def = qd_frame_writer_def_default();
    def.directory = scratch.path;
    def.view.width = 160;
    def.view.height = 120;
    ck_assert_msg(qd_frame_writer_create(&def, &writer, &error) == QD_OK, "%s", error.text);
    synced_count = disks = 0;
}

static void teardown(void) {
    qd_frame_writer_destroy(writer);
    qd_world_destroy(world);
    qd_scratch_remove(&scratch);
}

static void push(int frames) {
    for (int i = 0; i < frames; ++i) ck_assert_int_eq(qd_frame_writer_push(writer, world), QD_OK);
}

QD_TEST(few_frames_are_synced_one_by_one) {
    qd_error error;
    push(2);
    ck_assert_int_eq(qd_frame_writer_flush(writer, NULL, NULL, &error), QD_OK);
    ck_assert(is_synced(qd_scratch_at(&scratch, "frame_000000.png").text));
    ck_assert(is_synced(qd_scratch_at(&scratch, "frame_000001.png").text));
    ck_assert(is_synced(scratch.path));
    ck_assert_uint_eq(disks, 0);
    synced_count = 0;
    ck_assert_int_eq(qd_frame_writer_flush(writer, NULL, NULL, &error), QD_OK); // there is nothing new
    ck_assert_uint_eq(synced_count, 0);
    push(1);
    ck_assert_int_eq(qd_frame_writer_finish(writer, NULL, &error), QD_OK);
    ck_assert(!is_synced(qd_scratch_at(&scratch, "frame_000001.png").text));
    ck_assert(is_synced(qd_scratch_at(&scratch, "frame_000002.png").text));
    ck_assert(is_synced(qd_scratch_at(&scratch, "manifest.csv").text));
    ck_assert(is_synced(scratch.path));
}

QD_TEST(many_frames_are_synced_at_once) {
    qd_error error;
    push(20);
    ck_assert_int_eq(qd_frame_writer_flush(writer, NULL, NULL, &error), QD_OK);
    ck_assert_uint_eq(disks, 1);
    ck_assert_uint_eq(synced_count, 0);
}

QD_TEST(a_system_without_syncfs_syncs_one_by_one) {
    qd_error error;
    disk_error = ENOSYS;
    push(20);
    ck_assert_int_eq(qd_frame_writer_flush(writer, NULL, NULL, &error), QD_OK);
    ck_assert(is_synced(qd_scratch_at(&scratch, "frame_000019.png").text) && is_synced(scratch.path));
    disk_error = 0;
}

QD_TEST(what_the_device_refuses_is_told) {
    qd_error error;
    disk_error = EIO;
    push(20);
    ck_assert_int_eq(qd_frame_writer_flush(writer, NULL, NULL, &error), QD_ERR_IO);
    ck_assert_msg(strstr(error.text, scratch.path), "%s", error.text);
    disk_error = 0;
    ck_assert_int_eq(qd_frame_writer_push(writer, world), QD_ERR_IO); // it sticks
}

QD_TEST(names_that_the_device_refuses_are_told) {
    qd_error error;
    directory_error = EINVAL; // as of file systems that cannot
    push(1);
    ck_assert_int_eq(qd_frame_writer_flush(writer, NULL, NULL, &error), QD_OK);
    directory_error = EIO;
    push(1);
    ck_assert_int_eq(qd_frame_writer_flush(writer, NULL, NULL, &error), QD_ERR_IO);
    ck_assert_msg(strstr(error.text, scratch.path), "%s", error.text);
    directory_error = 0;
    ck_assert_int_eq(qd_frame_writer_push(writer, world), QD_ERR_IO); // it sticks
}

QD_TEST(a_frame_that_was_taken_away_is_no_error) {
    qd_error error;
    push(1);
    ck_assert_int_eq(qd_frame_writer_flush(writer, NULL, NULL, &error), QD_OK);
    push(2);
    ck_assert_int_eq(unlink(qd_scratch_at(&scratch, "frame_000000.png").text), 0);
    ck_assert_int_eq(qd_frame_writer_finish(writer, NULL, &error), QD_OK);
}

QD_TEST_MAIN("frame_sync", 0, setup, teardown)
