#pragma once

#include <stddef.h>
#include <stdint.h>

/// Pictures on disk, as decoded pixels: another zlib may pack the same pixels into other bytes.
typedef struct qd_test_image {
    int width, height;
    uint8_t *rgb; ///< three bytes per pixel, top row first; free() it
} qd_test_image;

/// Decodes a PNG; the running test fails where that is not possible.
qd_test_image qd_test_image_read(const char *path);

/// Fails the running test unless the PNG in `bytes` has the same pixels as tests/golden/NAME.png; then the
/// golden picture, the new one and what they differ in stand side by side in golden/NAME.png of the build
/// folder. With QD_ACCEPT=1 in the environment the golden picture is replaced instead. tools/golden does
/// both. A test program that calls this gets the label `golden`.
void qd_test_golden(const char *name, const void *bytes, size_t size);
/// The same of FOLDER/NAME.png, FOLDER being one of the sources', as docs/tree.
void qd_test_golden_in(const char *folder, const char *name, const void *bytes, size_t size);

/// The same of a picture of a built-in scene with changes, made by a frame writer: of `frames` frames,
/// `every` steps from each to the next, the last.
void qd_test_golden_scene(const char *name, const char *scene_name, size_t frames, size_t every,
                          const char *const *sets, size_t count);
