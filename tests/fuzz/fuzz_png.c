// PNG and APNG. The first byte says what the rest is: 'e' pixels that are written and read back, 'a' pixels
// of frames that become an animation; else a file, whose checksums are mended, that is read as a picture and
// as a part of an animation.
#include "tests/fuzz/fuzz.h"

#include "export/image/apng.h"
#include "export/image/png_chunk.h"
#include "export/image/png_read.h"
#include "export/image/png_sink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { SIDE_MOST = 24, FRAMES_MOST = 6, TWICE = 2 };

// Fits every chunk's length into the file and mends its checksum.
static void mend(uint8_t *data, size_t size) {
    if (size < QDI_PNG_SIGNATURE) return;
    memcpy(data, qdi_png_signature, QDI_PNG_SIGNATURE);
    size_t at = QDI_PNG_SIGNATURE;
    while (size - at >= QDI_PNG_CHUNK_FRAME) {
        size_t length = qdi_png_get32(data + at);
        if (length > size - at - QDI_PNG_CHUNK_FRAME) break;
        uint32_t sum = (uint32_t)crc32(0, data + at + 4, (uInt)(length + 4));
        qdi_png_put32(data + at + QDI_PNG_CHUNK_HEAD + length, sum);
        at += QDI_PNG_CHUNK_FRAME + length;
    }
}

// Reads the file in every way that there is.
static void read_file(const char *path) {
    const qd_allocator *allocator = qd_allocator_default();
    qd_error error = {""};
    qdi_png_loaded loaded = {0};
    uint64_t frames = 0;
    qd_status status = qdi_png_load(path, allocator, &loaded, &error);
    if (status == QD_OK) {
        (void)qdi_pixels_hash(loaded.pixels, loaded.bytes, loaded.rgb[0], (size_t)loaded.colours);
        if (loaded.bytes != (size_t)loaded.width * (size_t)loaded.height * (loaded.colours ? 1 : 3))
            qd_fuzz_fail("%zu bytes of %d x %d", loaded.bytes, loaded.width, loaded.height);
        qdi_png_unload(allocator, &loaded);
    } else if (!error.text[0]) {
        qd_fuzz_fail("no reason");
    }
    status = qdi_apng_count(allocator, path, &frames, &error);
    qdi_apng_joint joint;
    char joined[512], part[512];
    (void)snprintf(part, sizeof part, "%s", path);
    (void)snprintf(joined, sizeof joined, "%s", qd_fuzz_path("joined.png"));
    uint32_t expected = status == QD_OK && frames < 1000 ? (uint32_t)(TWICE * frames) : 1;
    if (qdi_apng_join_begin(allocator, joined, expected, &joint, &error) != QD_OK)
        qd_fuzz_fail("%s", error.text);
    for (int i = 0; i < TWICE; ++i) {
        status = qdi_apng_join_add(&joint, part, &error);
        if (status == QD_OK) continue;
        qdi_apng_join_discard(&joint);
        return;
    }
    status = qdi_apng_join_end(&joint, &error);
    if (status != QD_OK && !error.text[0]) qd_fuzz_fail("no reason");
}

// A picture is what it was, after it was written.
static void write_picture(qd_fuzz_input *input) {
    const qd_allocator *allocator = qd_allocator_default();
    qd_view view = qd_view_default();
    qdi_palette palette = qdi_palette_make(&view);
    uint8_t pixels[SIDE_MOST * SIDE_MOST];
    int width = 1 + qd_fuzz_byte(input) % SIDE_MOST, height = 1 + qd_fuzz_byte(input) % SIDE_MOST;
    char *key = qd_fuzz_line(input, 60), *value = qd_fuzz_line(input, 200);
    size_t count = (size_t)width * (size_t)height;
    for (size_t i = 0; i < count; ++i) pixels[i] = (uint8_t)(qd_fuzz_byte(input) % QDI_INK_COUNT);
    const qdi_png_text text = {key, value};
    const qdi_png_image image = {width, height, pixels, &palette, &text, key[0] ? 1 : 0};
    qdi_bytes bytes = {0};
    qd_error error = {""};
    if (qdi_png_encode(allocator, &image, &bytes, &error) == QD_OK) {
        qdi_png_loaded loaded = {0};
        const char *path = qd_fuzz_file("picture.png", bytes.data, bytes.size);
        if (qdi_png_load(path, allocator, &loaded, &error) != QD_OK)
            qd_fuzz_fail("own picture: %s", error.text);
        if (loaded.width != width || loaded.height != height || memcmp(loaded.pixels, pixels, count) != 0)
            qd_fuzz_fail("another picture came back");
        qdi_png_unload(allocator, &loaded);
    }
    qdi_bytes_release(allocator, &bytes);
    free(key);
    free(value);
}

// An animation has the frames that were put into it, and its joint with itself twice as many.
static void write_animation(qd_fuzz_input *input) {
    const qd_allocator *allocator = qd_allocator_default();
    int colours = qd_fuzz_byte(input) % 2 ? 4 : 0;
    qdi_apng_format format = {.width = 1 + qd_fuzz_byte(input) % SIDE_MOST,
                              .height = 1 + qd_fuzz_byte(input) % SIDE_MOST,
                              .colours = colours,
                              .delay_num = 1,
                              .delay_den = 30};
    char path[512];
    (void)snprintf(path, sizeof path, "%s", qd_fuzz_path("film.png"));
    qdi_apng *film = NULL;
    qd_error error = {""};
    if (qdi_apng_create(allocator, path, &format, &film, &error) != QD_OK) qd_fuzz_fail("%s", error.text);
    uint8_t pixels[3 * SIDE_MOST * SIDE_MOST] = {0};
    size_t bytes = (size_t)format.width * (size_t)format.height * (colours ? 1 : 3);
    uint64_t frames = 1 + qd_fuzz_byte(input) % FRAMES_MOST, found = 0;
    for (uint64_t i = 0; i < frames; ++i) {
        size_t changes = qd_fuzz_byte(input) % 16;
        for (size_t k = 0; k < changes; ++k) {
            size_t at = qd_fuzz_short(input) % bytes;
            pixels[at] = colours ? qd_fuzz_byte(input) % 4 : qd_fuzz_byte(input);
        }
        if (qdi_apng_add(film, pixels, &error) != QD_OK) qd_fuzz_fail("add: %s", error.text);
    }
    if (qdi_apng_finish(film, &error) != QD_OK) qd_fuzz_fail("finish: %s", error.text);
    if (qdi_apng_count(allocator, path, &found, &error) != QD_OK || found != frames)
        qd_fuzz_fail("%llu frames of %llu: %s", (unsigned long long)found, (unsigned long long)frames,
                     error.text);
    read_file(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    qd_fuzz_input input = {data, size};
    uint8_t kind = qd_fuzz_byte(&input);
    if (kind == 'e') {
        write_picture(&input);
    } else if (kind == 'a') {
        write_animation(&input);
    } else {
        uint8_t *mended = malloc(input.left + 1);
        if (!mended) return 0;
        memcpy(mended, input.at, input.left);
        mend(mended, input.left);
        char path[512];
        (void)snprintf(path, sizeof path, "%s", qd_fuzz_file("picture.png", mended, input.left));
        free(mended);
        read_file(path);
    }
    return 0;
}
