#ifndef QD_TESTS_GOLDEN_H
#define QD_TESTS_GOLDEN_H

#include <stddef.h>
#include <stdint.h>

/// Pictures on disk, as decoded pixels: another zlib may pack the same pixels into other bytes.
typedef struct qd_test_image {
    int width, height;
    uint8_t *rgb; ///< three bytes per pixel, top row first; free() it
} qd_test_image;

/// Decodes a PNG; the running test fails where that is not possible.
qd_test_image qd_test_image_read(const char *path);

/// Fails the running test unless the PNG in `bytes` has the same pixels as tests/golden/NAME.png. With
/// QD_ACCEPT=1 in the environment the golden picture is replaced instead: look at it before it is committed.
void qd_test_golden(const char *name, const void *bytes, size_t size);

#endif
