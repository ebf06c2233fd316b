#include "tests/golden.h"

#include <check.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static qd_test_image decode(png_image *image, const char *name) {
    image->format = PNG_FORMAT_RGB;
    qd_test_image out = {(int)image->width, (int)image->height, malloc(PNG_IMAGE_SIZE(*image))};
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

void qd_test_golden(const char *name, const void *bytes, size_t size) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/tests/golden/%s.png", QD_SOURCE_DIR, name);
    const char *accepted = getenv("QD_ACCEPT");
    if (accepted && strcmp(accepted, "1") == 0) accept_picture(path, bytes, size);
    png_image image = {.version = PNG_IMAGE_VERSION};
    ck_assert_msg(png_image_begin_read_from_memory(&image, bytes, size), "%s: %s", name, image.message);
    qd_test_image now = decode(&image, name);
    qd_test_image golden = qd_test_image_read(path);
    ck_assert_int_eq(now.width, golden.width);
    ck_assert_int_eq(now.height, golden.height);
    size_t different = 0, count = (size_t)now.width * (size_t)now.height, first = 0;
    for (size_t i = count; i > 0; --i) {
        if (memcmp(now.rgb + 3 * (i - 1), golden.rgb + 3 * (i - 1), 3) == 0) continue;
        different += 1;
        first = i - 1;
    }
    ck_assert_msg(different == 0,
                  "%zu pixels differ from %s, the first at column %zu, row %zu (QD_ACCEPT=1 accepts)",
                  different, path, first % (size_t)now.width, first / (size_t)now.width);
    free(now.rgb);
    free(golden.rgb);
}
