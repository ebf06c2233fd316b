#include "tests/support/golden.h"

#include "tests/support/scratch.h"
#include "tests/support/worlds.h"

#include <check.h>
#include <png.h>
#include <quadrille/field.h>
#include <quadrille/frame.h>
#include <quadrille/scene.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static qd_test_image decode(png_image *image, const char *name) {
    image->format = PNG_FORMAT_RGB;
    qd_test_image out = {(int)image->width, (int)image->height, qd_test_memory(PNG_IMAGE_SIZE(*image))};
    ck_assert_ptr_nonnull(out.rgb);
    ck_assert_msg(png_image_finish_read(image, NULL, out.rgb, 0, NULL), "%s: %s", name, image->message);
    return out;
}

qd_test_image qd_test_image_read(const char *path) {
    png_image image = {.version = PNG_IMAGE_VERSION};
    ck_assert_msg(png_image_begin_read_from_file(&image, path), "%s: %s", path, image.message);
    return decode(&image, path);
}

static void accept_picture(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

/// What two pictures differ in, as a picture.
enum { GAP = 4, FAINT = 4 };

static const uint8_t *pixel_at(const qd_test_image *image, int x, int y) {
    return x < image->width && y < image->height
               ? image->rgb + 3 * ((size_t)y * (size_t)image->width + (size_t)x)
               : NULL;
}

/// The golden picture faint, and red where the new one differs.
static void mark_pixel(const uint8_t *golden, const uint8_t *now, uint8_t out[3]) {
    if (!golden && !now) return;
    bool same = golden && now && memcmp(golden, now, 3) == 0;
    for (int c = 0; c < 3; ++c) out[c] = same ? (uint8_t)(golden[c] / FAINT) : 0;
    if (!same) out[0] = 255;
}

/// Writes golden, new and difference side by side to <build>/golden/NAME.png.
static void show_difference(const qd_test_image *golden, const qd_test_image *now, const char *path) {
    int wide = golden->width > now->width ? golden->width : now->width;
    int high = golden->height > now->height ? golden->height : now->height;
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .format = PNG_FORMAT_RGB,
                       .width = (png_uint_32)(3 * wide + 2 * GAP),
                       .height = (png_uint_32)high};
    qd_own_memory uint8_t *rgb = qd_test_zeros(PNG_IMAGE_SIZE(image), 1);
    for (int y = 0; y < high; ++y) {
        uint8_t *row = rgb + (size_t)y * 3 * image.width;
        for (int x = 0; x < wide; ++x) {
            const uint8_t *first = pixel_at(golden, x, y), *second = pixel_at(now, x, y);
            if (first) memcpy(row + 3 * x, first, 3);
            if (second) memcpy(row + 3 * (x + wide + GAP), second, 3);
            mark_pixel(first, second, row + 3 * (x + 2 * (wide + GAP)));
        }
    }
    (void)mkdir(QD_GOLDEN_DIR, 0777); // one that is there is fine; what is not shows in the next line
    ck_assert_msg(png_image_write_to_file(&image, path, 0, rgb, 0, NULL), "%s: %s", path, image.message);
}

/// How many pixels differ, and where the first one is.
static size_t count_different(const qd_test_image *golden, const qd_test_image *now, int first[2]) {
    size_t different = 0;
    for (int y = now->height - 1; y >= 0; --y) {
        for (int x = now->width - 1; x >= 0; --x) {
            if (memcmp(pixel_at(now, x, y), pixel_at(golden, x, y), 3) == 0) continue;
            different += 1;
            first[0] = x;
            first[1] = y;
        }
    }
    return different;
}

void qd_test_golden(const char *name, const void *bytes, size_t size) {
    qd_test_golden_in("tests/golden", name, bytes, size);
}

void qd_test_golden_in(const char *folder, const char *name, const void *bytes, size_t size) {
    char path[512], shown[512];
    (void)snprintf(path, sizeof path, "%s/%s/%s.png", QD_SOURCE_DIR, folder, name);
    (void)snprintf(shown, sizeof shown, "%s/%s.png", QD_GOLDEN_DIR, name);
    const char *accepted = getenv("QD_ACCEPT");
    const bool accepts = accepted && strcmp(accepted, "1") == 0;
    if (accepts && access(path, F_OK) != 0) accept_picture(path, bytes, size);
    (void)remove(shown);
    png_image image = {.version = PNG_IMAGE_VERSION};
    ck_assert_msg(png_image_begin_read_from_memory(&image, bytes, size), "%s: %s", name, image.message);
    qd_test_image now = decode(&image, name), golden = qd_test_image_read(path);
    bool sized = now.width == golden.width && now.height == golden.height;
    int first[2] = {0, 0};
    size_t different = sized ? count_different(&golden, &now, first) : 1;
    if (accepts && different > 0) { // not those that only another zlib has packed
        accept_picture(path, bytes, size);
        sized = true;
        different = 0;
    }
    if (different > 0) show_difference(&golden, &now, shown);
    ck_assert_msg(sized, "%s is %d x %d, the picture now is %d x %d: see %s", path, golden.width,
                  golden.height, now.width, now.height, shown);
    ck_assert_msg(different == 0, "%zu pixels differ from %s, the first at column %d, row %d: see %s",
                  different, path, first[0], first[1], shown);
    free(now.rgb);
    free(golden.rgb);
}

void qd_test_golden_scene(const char *name, const char *scene_name, size_t frames, size_t every,
                          const char *const *sets, size_t count) {
    const qd_scene_changes changes = {.sets = sets, .set_count = count};
    qd_scene *scene = NULL;
    qd_world *world = NULL;
    qd_error error = {""};
    ck_assert_msg(qd_scene_builtin(scene_name, &changes, &scene, &error) == QD_OK, "%s", error.text);
    qd_world_def world_def = qd_scene_world(scene);
    // Nodes are counted below a picture, or drawn: not those of a default, which may change.
    if (world_def.capacity == qd_world_def_default().capacity) world_def.capacity = 64;
    ck_assert_int_eq(qd_world_create(&world_def, &world), QD_OK);
    ck_assert_msg(qd_scene_populate(scene, world, &error) == QD_OK, "%s", error.text);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    qd_scratch scratch = qd_scratch_make();
    qd_frame_writer_def def = qd_frame_writer_def_default();
    def.directory = scratch.path;
    def.view = qd_scene_view(scene);
    def.provenance.scene = scene_name;
    qd_frame_writer *writer = NULL;
    ck_assert_msg(qd_frame_writer_create(&def, &writer, &error) == QD_OK, "%s", error.text);
    ck_assert_int_eq(qd_frame_writer_prime(writer, world), QD_OK);
    const double dt = qd_scene_run_settings(scene).dt;
    for (size_t i = 1; i <= frames; ++i) {
        qd_test_step(world, dt, every - 1);
        ck_assert_int_eq(qd_frame_writer_watch(writer, world), QD_OK);
        if (qd_frame_writer_wants_stress(writer)) ck_assert_int_eq(qd_world_watch_stress(world), QD_OK);
        qd_test_step(world, dt, 1);
        ck_assert_int_eq(i < frames ? qd_frame_writer_remember(writer, world)
                                    : qd_frame_writer_push(writer, world),
                         QD_OK);
    }
    ck_assert_msg(qd_frame_writer_finish(writer, NULL, &error) == QD_OK, "%s", error.text);
    qd_frame_writer_destroy(writer);
    size_t size = 0;
    char *bytes = qd_scratch_read(qd_scratch_at(&scratch, "frame_000000.png").text, &size);
    ck_assert_ptr_nonnull(bytes);
    qd_test_golden(name, bytes, size);
    free(bytes);
    qd_scratch_remove(&scratch);
    qd_world_destroy(world);
    qd_scene_destroy(scene);
}
