// PNG by chunks of our own: libpng has no way to be given another compressor than zlib.
#include "export/image/png_sink.h"

#include "core/base/memory.h"
#include "export/image/deflate.h"
#include "export/image/png_chunk.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { HEAD_SIZE = 13, KEY_MOST = 79 };

/// Of IHDR: 8 bits, palette; deflate, filters by row, not interlaced.
static const unsigned char format[] = {8, 3, 0, 0, 0};

/// PNG: true where a text is ASCII.
static bool is_ascii(const char *text) {
    while (*text && (unsigned char)*text < 0x80) ++text;
    return *text == '\0';
}

/// PNG: writes the four letters of a chunk's type.
static void put_chunk_type(unsigned char *chunk, const char *letters) {
    memcpy(chunk + 4, letters, 4);
}

/// Writes a text chunk: tEXt, or iTXt, uncompressed and of no language, where there are other letters than
/// ASCII's.
static qd_status put_png_text(const qd_allocator *allocator, const qdi_png_text *text, qdi_bytes *bytes) {
    static const char marks[] = {0, 0, 0, 0}; // compression, its method, language, key in that language
    bool plain = is_ascii(text->value);
    size_t key = strlen(text->key) + 1, value = strlen(text->value), extra = plain ? 0 : sizeof marks;
    size_t size = key + extra + value;
    qd_status status = qdi_bytes_reserve(allocator, bytes, size + QDI_PNG_CHUNK_FRAME);
    if (status != QD_OK) return status;
    unsigned char *chunk = bytes->data + bytes->size, *data = chunk + QDI_PNG_CHUNK_HEAD;
    put_chunk_type(chunk, plain ? "tEXt" : "iTXt");
    memcpy(data, text->key, key);
    memcpy(data + key, marks, extra);
    memcpy(data + key + extra, text->value, value);
    qdi_png_chunk_seal(chunk, size);
    bytes->size += size + QDI_PNG_CHUNK_FRAME;
    return QD_OK;
}

/// Writes the chunks before the pixels.
static qd_status put_png_head(const qd_allocator *allocator, const qdi_png_image *image, qdi_bytes *bytes) {
    unsigned char head[HEAD_SIZE];
    qdi_png_put32(head, (uint32_t)image->width);
    qdi_png_put32(head + 4, (uint32_t)image->height);
    memcpy(head + 8, format, sizeof format);
    qd_status status = qdi_bytes_reserve(allocator, bytes, QDI_PNG_SIGNATURE);
    if (status != QD_OK) return status;
    memcpy(bytes->data, qdi_png_signature, QDI_PNG_SIGNATURE);
    bytes->size = QDI_PNG_SIGNATURE;
    status = qdi_png_chunk_put(allocator, bytes, "IHDR", head, sizeof head);
    if (status == QD_OK)
        status = qdi_png_chunk_put(allocator, bytes, "PLTE", image->palette->rgb, sizeof image->palette->rgb);
    for (size_t i = 0; status == QD_OK && i < image->text_count; ++i)
        status = put_png_text(allocator, &image->texts[i], bytes);
    return status;
}

_Static_assert(QDI_INK_COUNT <= QDI_DEFLATE_NEVER, "a pixel may have any ink");

/// Writes the pixels.
/// All rows in one chunk. They are put together, each behind its filter (none: neighbours of flat colours are
/// best left alone), where nothing else will be: behind the room for what comes out.
static qd_status put_png_rows(const qd_allocator *allocator, const qdi_png_image *image, qdi_bytes *bytes) {
    const size_t width = (size_t)image->width, height = (size_t)image->height, raw = (width + 1) * height;
    const size_t most = qdi_deflate_most(raw);
    qd_status status = qdi_bytes_reserve(allocator, bytes, QDI_PNG_CHUNK_FRAME + most + raw);
    if (status != QD_OK) return status;
    unsigned char *chunk = bytes->data + bytes->size, *data = chunk + QDI_PNG_CHUNK_HEAD,
                  *rows = data + most + 4;
    for (size_t y = 0; y < height; ++y) {
        rows[y * (width + 1)] = 0;
        memcpy(rows + y * (width + 1) + 1, image->pixels + y * width, width);
    }
    put_chunk_type(chunk, "IDAT");
    size_t size = 0;
    status = qdi_deflate(allocator, rows, raw, data, &size);
    if (status != QD_OK) return status;
    qdi_png_chunk_seal(chunk, size);
    bytes->size += size + QDI_PNG_CHUNK_FRAME;
    return QD_OK;
}

/// True where a picture and its texts can be encoded.
static bool png_image_is_valid(const qdi_png_image *image) {
    bool good = image->width > 0 && image->height > 0;
    for (size_t i = 0; good && i < image->text_count; ++i) {
        size_t key = strlen(image->texts[i].key);
        good = key > 0 && key <= KEY_MOST && is_ascii(image->texts[i].key);
    }
    return good;
}

qd_status qdi_png_encode(const qd_allocator *allocator, const qdi_png_image *image, qdi_bytes *bytes,
                         qd_error *error) {
    bytes->size = 0;
    if (!png_image_is_valid(image)) {
        if (error)
            (void)snprintf(error->text, sizeof error->text,
                           "cannot encode a picture of %d x %d pixels with these texts", image->width,
                           image->height);
        return QD_ERR_INTERNAL;
    }
    qd_status status = put_png_head(allocator, image, bytes);
    if (status == QD_OK) status = put_png_rows(allocator, image, bytes);
    if (status == QD_OK) status = qdi_png_chunk_put(allocator, bytes, "IEND", NULL, 0);
    return status;
}

// Releases an encoded PNG.
void qdi_bytes_release(const qd_allocator *allocator, qdi_bytes *bytes) {
    qdi_release(allocator, bytes->data, bytes->room, 1);
    *bytes = (qdi_bytes){0};
}
