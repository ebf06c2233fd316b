#define _POSIX_C_SOURCE 200809L

#include <quadrille/frame.h>

#include "tests/support/frames.h"
#include "tests/support/golden.h"
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static bool has_part_files(void) {
    bool found = qd_scratch_exists(at("manifest.csv.part").text);
    for (int i = 0; i < 20; ++i) {
        char name[64];
        (void)snprintf(name, sizeof name, "frame_%06d.png.part", i);
        found = found || qd_scratch_exists(at(name).text);
    }
    return found;
}

QD_TEST(frames_and_manifest) {
    qd_frame_writer_def def = make_def(&scratch);
    def.queue = 1;
    qd_own(qd_world) world = make_world(200, 1);
    uint64_t before = qd_world_hash(world);
    qd_frame_writer *writer = NULL;
    qd_error error;
    ck_assert_int_eq(qd_frame_writer_create(&def, &writer, &error), QD_OK);
    ck_assert_int_eq(qd_frame_writer_push(writer, world), QD_OK);
    ck_assert_uint_eq(qd_world_hash(world), before); // to look is not to touch
    for (int i = 1; i < 12; ++i) {
        ck_assert_int_eq(qd_world_step(world, 0.1, NULL), QD_OK);
        ck_assert_int_eq(qd_frame_writer_push(writer, world), QD_OK);
    }
    uint64_t frames = 0;
    ck_assert_int_eq(qd_frame_writer_finish(writer, &frames, &error), QD_OK);
    ck_assert_uint_eq(frames, 12);
    ck_assert_int_eq(qd_frame_writer_push(writer, world), QD_ERR_STATE);
    ck_assert_int_eq(qd_frame_writer_finish(writer, &frames, &error), QD_OK); // again is fine
    qd_frame_writer_destroy(writer);
    ck_assert_uint_eq(qd_scratch_count(scratch.path), 13);
    ck_assert(!has_part_files());

    qd_own_memory char *manifest = qd_scratch_read(at("manifest.csv").text, NULL);
    ck_assert_ptr_nonnull(manifest);
    const char *line = strchr(manifest, '\n') + 1;
    ck_assert_int_eq(strncmp(manifest, "index,step,time,pixels\n", 23), 0);
    uint64_t last = 0;
    for (uint64_t i = 0; i < 12; ++i, line = strchr(line, '\n') + 1) {
        uint64_t index, step, pixels;
        double time;
        int used = 0;
        ck_assert_int_eq(
            sscanf(line, "%" SCNu64 ",%" SCNu64 ",%lf,%16" SCNx64 "%n", &index, &step, &time, &pixels, &used),
            4);
        ck_assert_int_eq(line[used], '\n');
        ck_assert(index == i && step == i && pixels != last);
        ck_assert_double_eq_tol(time, 0.1 * (double)i, 1e-12);
        last = pixels;
    }
    ck_assert_str_eq(line, "");
    qd_test_image image = qd_test_image_read(at("frame_000011.png").text);
    ck_assert(image.width == 320 && image.height == 240);
    free(image.rgb);
}

QD_TEST(provenance_is_in_the_file) {
    qd_frame_writer_def def = make_def(&scratch);
    qd_own(qd_world) world = make_world(5, 1);
    qd_frame_writer *writer = NULL;
    qd_error error;
    ck_assert_int_eq(qd_frame_writer_create(&def, &writer, &error), QD_OK);
    ck_assert_int_eq(push_frames(writer, world, 2), QD_OK);
    qd_frame_writer_destroy(writer); // finishes by itself
    size_t bytes = 0;
    qd_own_memory char *file = qd_scratch_read(at("frame_000001.png").text, &bytes);
    static const struct {
        const char *key, *value;
    } texts[] = {{"Software", "Quadrille " QD_VERSION},
                 {"Scene", "pool"},
                 {"Scene hash", "0123456789abcdef"},
                 {"Seed", "42"},
                 {"Step", "1"},
                 {"Time", "0.1"}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        char want[80]; // a chunk: type, keyword, zero, text
        int size = snprintf(want, sizeof want, "tEXt%s%c%s", texts[i].key, '\0', texts[i].value);
        bool found = false;
        for (size_t at = 0; at + (size_t)size <= bytes; ++at)
            found = found || memcmp(file + at, want, (size_t)size) == 0;
        ck_assert_msg(found, "no %s", texts[i].key);
    }
    ck_assert(qd_scratch_exists(at("manifest.csv").text));
}

QD_TEST(same_bytes_for_any_thread_count) {
    enum { FRAMES = 12 };
    static const int crews[] = {1, 2, 3, 8, 16};
    char *first[FRAMES + 1];
    size_t sizes[FRAMES + 1];
    for (int threads = 1; threads <= 5; ++threads) {
        qd_frame_writer_def def = make_def(&scratch);
        def.queue = threads;
        def.workers = crews[threads - 1];
        def.view.colour = QD_VIEW_SPEED;
        qd_world *world = make_world(300, threads);
        qd_frame_writer *writer = NULL;
        qd_error error;
        ck_assert_int_eq(qd_frame_writer_create(&def, &writer, &error), QD_OK);
        ck_assert_int_eq(push_frames(writer, world, FRAMES), QD_OK);
        ck_assert_int_eq(qd_frame_writer_finish(writer, NULL, NULL), QD_OK);
        qd_frame_writer_destroy(writer);
        for (int i = 0; i <= FRAMES; ++i) {
            char name[64];
            (void)snprintf(name, sizeof name, i < FRAMES ? "frame_%06d.png" : "manifest.csv", i);
            size_t bytes = 0;
            char *file = qd_scratch_read(at(name).text, &bytes);
            ck_assert_ptr_nonnull(file);
            if (threads == 1) {
                first[i] = file;
                sizes[i] = bytes;
                continue;
            }
            ck_assert_uint_eq(bytes, sizes[i]);
            ck_assert_int_eq(memcmp(file, first[i], bytes), 0);
            free(file);
        }
        qd_world_destroy(world);
        teardown(); // and an empty one
        setup();
    }
    for (int i = 0; i <= FRAMES; ++i) free(first[i]);
}

QD_TEST(empty_world_and_tiny_picture) {
    qd_frame_writer_def def = make_def(&scratch);
    def.view.width = def.view.height = 16;
    qd_own(qd_world) world = make_world(0, 1);
    qd_frame_writer *writer = NULL;
    qd_error error;
    ck_assert_int_eq(qd_frame_writer_create(&def, &writer, &error), QD_OK);
    ck_assert_int_eq(qd_frame_writer_push(writer, world), QD_OK);
    ck_assert_int_eq(qd_frame_writer_finish(writer, NULL, &error), QD_OK);
    qd_frame_writer_destroy(writer);
    qd_test_image image = qd_test_image_read(at("frame_000000.png").text);
    ck_assert(image.width == 16 && image.height == 16);
    free(image.rgb);
}

static void refused(const qd_frame_writer_def *def, qd_status want) {
    qd_frame_writer *writer = NULL;
    qd_error error;
    ck_assert_int_eq(qd_frame_writer_create(def, &writer, &error), want);
    ck_assert_ptr_null(writer);
    ck_assert_uint_gt(strlen(error.text), 5);
    ck_assert_ptr_null(strchr(error.text, '\n'));
    ck_assert_int_eq(qd_frame_writer_create(def, &writer, NULL), want);
}

// What is read of a file is what was written; any bit of it turned is noticed, wherever it is.
QD_TEST(pictures_are_read_back) {
    qd_own(qd_world) world = make_world(20, 1);
    qd_frame_writer_def def = make_def(&scratch);
    def.view.width = def.view.height = 32;
    qd_frame_writer *writer = NULL;
    ck_assert_int_eq(qd_frame_writer_create(&def, &writer, NULL), QD_OK);
    ck_assert_int_eq(push_frames(writer, world, 2), QD_OK);
    const qd_frame_row *rows = NULL;
    size_t count = 0, bytes = 0;
    ck_assert_int_eq(qd_frame_writer_flush(writer, &rows, &count, NULL), QD_OK);
    ck_assert_uint_eq(count, 2);
    const qd_scratch_path first = at("frame_000000.png"), second = at("frame_000001.png");
    uint64_t pixels = 0;
    qd_error error = {""};
    ck_assert_int_eq(qd_frame_read_pixels(first.text, NULL, &pixels, &error), QD_OK);
    ck_assert_uint_eq(pixels, rows[0].pixels);
    ck_assert_int_eq(qd_frame_read_pixels(second.text, NULL, &pixels, &error), QD_OK);
    ck_assert_uint_eq(pixels, rows[1].pixels);
    ck_assert_uint_ne(rows[0].pixels, rows[1].pixels);
    qd_own_memory char *data = qd_scratch_read(first.text, &bytes);
    for (size_t at = 0; at <= bytes; at += qd_test_effort(10) < 10 ? 13 : 1) {
        if (at < bytes) data[at] = (char)(data[at] ^ (1 << at % 8));
        FILE *file = fopen(second.text, "wb"); // at the end: one byte more
        ck_assert_uint_eq(fwrite(data, 1, bytes + (at == bytes), file), bytes + (at == bytes));
        ck_assert_int_eq(fclose(file), 0);
        error.text[0] = '\0';
        qd_status status = qd_frame_read_pixels(second.text, NULL, &pixels, &error);
        ck_assert_msg(status == QD_ERR_CORRUPT, "byte %zu: %s", at, qd_status_text(status));
        ck_assert(error.text[0] && !strchr(error.text, '\n'));
        if (at < bytes) data[at] = (char)(data[at] ^ (1 << at % 8));
    }
    ck_assert_int_eq(qd_frame_read_pixels("nowhere.png", NULL, &pixels, &error), QD_ERR_NOT_FOUND);
    ck_assert_int_eq(qd_frame_read_pixels(NULL, NULL, &pixels, &error), QD_ERR_ARGUMENT);
    for (size_t n = 1;; ++n) {
        qd_test_allocator allocator = qd_test_allocator_of(&allocator, n);
        qd_status status = qd_frame_read_pixels(first.text, &allocator.allocator, &pixels, NULL);
        if (qd_test_had_memory(&allocator, status)) break;
        ck_assert_uint_lt(n, 100);
    }
    qd_frame_writer_destroy(writer);
}

QD_TEST(bad_definitions) {
    const qd_frame_writer_def good = make_def(&scratch);
    qd_frame_writer_def def = good;
    def.cookie = 0;
    refused(&def, QD_ERR_ARGUMENT);
    def = good;
    def.directory = "";
    refused(&def, QD_ERR_VALUE);
    static const int sides[] = {15, 16385, 0, -1};
    for (int i = 0; i < 4; ++i) {
        def = good;
        def.view.width = sides[i];
        refused(&def, QD_ERR_VALUE);
        def = good;
        def.view.height = sides[i];
        refused(&def, QD_ERR_VALUE);
    }
    static const int workers[] = {0, -1, 65};
    for (int i = 0; i < 3; ++i) {
        def = good;
        def.workers = workers[i];
        refused(&def, QD_ERR_VALUE);
    }
    static const double speeds[] = {0.0, -1.0, (double)INFINITY};
    for (int i = 0; i < 3; ++i) {
        def = good;
        def.view.speed = speeds[i];
        refused(&def, QD_ERR_VALUE);
    }
    static const int queues[] = {0, 65, -4};
    for (int i = 0; i < 3; ++i) {
        def = good;
        def.queue = queues[i];
        refused(&def, QD_ERR_VALUE);
    }
    char endless[6000];
    memset(endless, 'x', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    def = good;
    def.directory = endless;
    refused(&def, QD_ERR_VALUE);
    ck_assert_uint_eq(qd_scratch_count(scratch.path), 0);
    qd_frame_writer_destroy(NULL);
    ck_assert_int_eq(qd_frame_writer_push(NULL, NULL), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_frame_writer_finish(NULL, NULL, NULL), QD_ERR_ARGUMENT);
}

QD_TEST(bad_directories) {
    qd_frame_writer_def def = make_def(&scratch);
    qd_scratch_path missing = at("nowhere"), file = at("file");
    def.directory = missing.text;
    refused(&def, QD_ERR_IO);
    qd_scratch_write(file.text, "not a directory");
    def.directory = file.text;
    refused(&def, QD_ERR_IO);
    def.directory = "/proc"; // nobody can make a file there, root neither
    refused(&def, QD_ERR_IO);
}

// Bytes that a file may have, as on a disk that is nearly full.
static void limit_files(rlim_t bytes) {
    struct rlimit limit;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

QD_TEST(disk_full) {
    (void)signal(SIGXFSZ, SIG_IGN);
    // Too small for a frame; too small for a manifest of three rows; too small for its header.
    static const struct {
        int side;
        rlim_t bytes;
        uint64_t frames;
        bool manifest;
    } cases[] = {{320, 2000, 0, true}, {16, 1350, 1000, false}, {320, 10, 0, false}};
    for (int i = 0; i < 3; ++i) {
        qd_frame_writer_def def = make_def(&scratch);
        def.view.width = def.view.height = cases[i].side;
        def.workers = 1 + i;
        qd_world *world = make_world(100, 1);
        qd_frame_writer *writer = NULL;
        qd_error error = {""};
        uint64_t frames = 0;
        limit_files(cases[i].bytes);
        qd_status status = qd_frame_writer_create(&def, &writer, &error);
        for (int k = 0; k < 1000 && status == QD_OK; ++k) status = qd_frame_writer_push(writer, world);
        if (writer) {
            qd_status finished = qd_frame_writer_finish(writer, &frames, &error);
            ck_assert_int_eq(finished, QD_ERR_IO);
            ck_assert_int_eq(qd_frame_writer_push(writer, world), QD_ERR_IO); // for good
        }
        limit_files(RLIM_INFINITY);
        ck_assert_int_eq(status, QD_ERR_IO);
        ck_assert_msg(strstr(error.text, "cannot write") != NULL, "case %d: \"%s\"", i, error.text);
        ck_assert_uint_le(frames, cases[i].frames);
        ck_assert(!has_part_files());
        ck_assert_int_eq(qd_scratch_exists(at("manifest.csv").text), cases[i].manifest);
        ck_assert_uint_eq(qd_scratch_count(scratch.path), frames + (cases[i].manifest ? 1 : 0));
        qd_frame_writer_destroy(writer);
        qd_world_destroy(world);
        teardown(); // and an empty one
        setup();
    }
}

QD_TEST(no_memory_at_any_allocation) {
    qd_frame_writer_def def = make_def(&scratch);
    def.view.height = 200;
    def.view.trails = 2;
    def.workers = 2;
    for (size_t n = 1, last = 0; last == 0; ++n) {
        qd_test_allocator allocator = qd_test_allocator_of(&allocator, n);
        def.allocator = &allocator.allocator;
        qd_own(qd_world) world = make_world(50, 1);
        qd_frame_writer *writer = NULL;
        qd_error error = {""};
        qd_status status = qd_frame_writer_create(&def, &writer, &error);
        if (status == QD_OK) {
            status = push_frames(writer, world, 2);
            qd_view view = def.view;
            view.trails = 3;
            view.field = QD_VIEW_FIELD_VELOCITY;
            if (status == QD_OK) status = qd_frame_writer_set_view(writer, &view, &error);
            if (status == QD_OK) status = push_frames(writer, world, 2);
            qd_status finished = qd_frame_writer_finish(writer, NULL, &error);
            ck_assert(status == QD_OK || finished == status);
            status = finished;
            ck_assert(qd_scratch_exists(at("manifest.csv").text));
        }
        qd_frame_writer_destroy(writer);
        ck_assert_uint_eq(allocator.live, 0);
        ck_assert(!has_part_files());
        if (status == QD_OK && allocator.calls < n)
            last = n;
        else
            ck_assert_msg(status == QD_ERR_MEMORY, "allocation %zu: %s", n, qd_status_text(status));
        if (last == 0) ck_assert_uint_gt(strlen(error.text), 0);
        if (last != 0) ck_assert_uint_gt(last, 40);
    }
}

static void expect_same_files(const qd_scratch *a, const qd_scratch *b) {
    size_t files = qd_scratch_count(a->path);
    ck_assert_uint_eq(qd_scratch_count(b->path), files);
    for (size_t i = 0; i < files; ++i) {
        char name[64];
        (void)snprintf(name, sizeof name, i + 1 < files ? "frame_%06zu.png" : "manifest.csv", i);
        ck_assert_msg(qd_scratch_same(qd_scratch_at(a, name).text, qd_scratch_at(b, name).text), "%s", name);
    }
}

// A pace is that of the next frame alone, and seen only where the text has it.
QD_TEST(the_pace_is_told) {
    for (int told = 0; told < 2; ++told) {
        qd_world *world = make_world(20, 1);
        qd_frame_writer_def def = make_def(&scratch);
        if (told) def.view.text |= QD_VIEW_TEXT_RATE | QD_VIEW_TEXT_COST;
        qd_frame_writer *writer = NULL;
        ck_assert_int_eq(qd_frame_writer_create(&def, &writer, NULL), QD_OK);
        for (int i = 0; i < 5; ++i) {
            if (i == 1) qd_frame_writer_pace(writer, 1234.5, (double)NAN);
            if (i == 3) qd_frame_writer_pace(writer, (double)NAN, 1234.5);
            ck_assert_int_eq(qd_frame_writer_push(writer, world), QD_OK);
        }
        const qd_frame_row *row = NULL;
        size_t count = 0;
        ck_assert_int_eq(qd_frame_writer_flush(writer, &row, &count, NULL), QD_OK);
        ck_assert_uint_eq(count, 5);
        ck_assert(row[0].pixels == row[2].pixels && row[0].pixels == row[4].pixels);
        ck_assert_int_eq(row[0].pixels != row[1].pixels, told);
        ck_assert_int_eq(row[0].pixels != row[3].pixels, told);
        ck_assert_int_eq(row[1].pixels != row[3].pixels, told);
        qd_frame_writer_destroy(writer);
        qd_world_destroy(world);
        teardown(); // and an empty one
        setup();
    }
    qd_frame_writer_pace(NULL, 1, 1);
}

// One writer for nine frames, and three after each other that write three each: the same files.
QD_TEST(a_writer_goes_on_behind_another) {
    enum { FRAMES = 9, EACH = 3 };
    qd_scratch whole = qd_scratch_make(), parts = qd_scratch_make();
    qd_frame_row rows[FRAMES];
    size_t row_count = 0;
    double speed = 0;
    unsigned char past[4 * (8 + 150 * 20)];
    size_t past_bytes = 0;
    for (int run = 0; run < 1 + FRAMES / EACH; ++run) {
        qd_own(qd_world) world = make_world(150, 1);
        qd_frame_writer_def def = make_def(run == 0 ? &whole : &parts);
        def.view.colour = QD_VIEW_SPEED;
        if (run > 1) def.speed = speed;
        def.view.trails = 4;
        def.past = run > 1 ? past : NULL;
        def.past_bytes = run > 1 ? past_bytes : 0;
        def.rows = run > 1 ? rows : NULL;
        def.row_count = run > 1 ? row_count : 0;
        qd_frame_writer *writer = NULL;
        qd_error error;
        ck_assert_int_eq(qd_frame_writer_create(&def, &writer, &error), QD_OK);
        ck_assert_int_eq(isnan(qd_frame_writer_speed(writer)), run <= 1);
        size_t from = run == 0 ? 0 : row_count;
        size_t to = run == 0 ? FRAMES : from + EACH;
        for (size_t i = 0; i < to; ++i) {
            if (i > 0) ck_assert_int_eq(qd_world_step(world, 0.1, NULL), QD_OK);
            if (i >= from) ck_assert_int_eq(qd_frame_writer_push(writer, world), QD_OK);
        }
        const qd_frame_row *written = NULL;
        size_t count = 0;
        ck_assert_int_eq(qd_frame_writer_flush(writer, &written, &count, &error), QD_OK);
        ck_assert_uint_eq(count, to - from);
        for (size_t i = 0; i < count; ++i) {
            ck_assert(written[i].index == from + i && written[i].step == from + i);
            if (run > 0) rows[row_count++] = written[i];
        }
        ck_assert_int_eq(qd_frame_writer_flush(writer, &written, &count, &error), QD_OK);
        ck_assert_uint_eq(count, 0); // none since
        speed = qd_frame_writer_speed(writer);
        past_bytes = qd_frame_writer_past(writer, NULL);
        ck_assert(past_bytes > 0 && past_bytes <= sizeof past);
        ck_assert_uint_eq(qd_frame_writer_past(writer, past), past_bytes);
        uint64_t frames = 0;
        ck_assert_int_eq(qd_frame_writer_finish(writer, &frames, &error), QD_OK);
        ck_assert_uint_eq(frames, to);
        qd_frame_writer_destroy(writer);
    }
    expect_same_files(&whole, &parts);
    qd_scratch_remove(&whole);
    qd_scratch_remove(&parts);
}

QD_TEST(frames_that_are_not_whole_are_found) {
    qd_frame_writer_def def = make_def(&scratch);
    qd_world *world = make_world(5, 1);
    qd_frame_writer *writer = NULL;
    qd_error error;
    ck_assert_int_eq(qd_frame_writer_create(&def, &writer, &error), QD_OK);
    ck_assert_int_eq(push_frames(writer, world, 4), QD_OK);
    qd_frame_writer_destroy(writer);
    qd_world_destroy(world);
    ck_assert_uint_eq(qd_frames_whole(scratch.path, 4, &error), 4);
    ck_assert_str_eq(error.text, "");
    ck_assert_uint_eq(qd_frames_whole(scratch.path, 6, &error), 4);
    ck_assert_ptr_nonnull(strstr(error.text, "frame_000004.png: No such file"));
    size_t bytes = 0;
    qd_scratch_path path = at("frame_000002.png");
    qd_own_memory char *data = qd_scratch_read(path.text, &bytes);
    FILE *file = fopen(path.text, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(data, 1, bytes - 1, file), bytes - 1);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_uint_eq(qd_frames_whole(scratch.path, 4, &error), 2);
    ck_assert_ptr_nonnull(strstr(error.text, "frame_000002.png is damaged"));
    qd_scratch_write(at("frame_000000.png").text, "");
    ck_assert_uint_eq(qd_frames_whole(scratch.path, 4, NULL), 0);
}

QD_TEST_MAIN("frame", 240, setup, teardown)
