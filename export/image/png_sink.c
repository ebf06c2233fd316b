// PNG by chunks of our own around a stream of ISA-L. libpng has no way to be given another compressor than
// zlib, and compressing is most of what a frame costs: of pictures of 1920 x 1080 ISA-L takes 1 to 5 ms,
// where libdeflate takes 5 to 11 and zlib half as much again, and makes them a tenth larger.
#include "export/image/png_sink.h"

#include "core/base/memory.h"
#include "export/image/png_chunk.h"

#include <isa-l/igzip_lib.h>
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

/// Data that are not compressed come in blocks of so many bytes, with a head each; and zlib's frame.
enum { STORED_MOST = 65535, STORED_HEAD = 5, ZLIB_FRAME = 6 };

/// PNG: room for so many bytes, however they can be compressed.
static size_t compressed_most(size_t raw) {
    return raw + STORED_HEAD * (raw / STORED_MOST + 1) + ZLIB_FRAME;
}

/// A compressor's state, and the memory that its level needs.
typedef struct compressor {
    struct isal_zstream stream;
    uint8_t level[ISAL_DEF_LVL1_DEFAULT];
} compressor;

/// PNG: compresses all rows at once to at most `most` bytes; returns how many, 0: that was too little.
static size_t compress(compressor *state, unsigned char *rows, size_t raw, unsigned char *data, size_t most) {
    struct isal_zstream *stream = &state->stream;
    memset(state, 0, sizeof *state); // what lies there would decide which of several matches is taken
    isal_deflate_stateless_init(stream);
    stream->level = 1;
    stream->level_buf = state->level;
    stream->level_buf_size = sizeof state->level;
    stream->gzip_flag = IGZIP_ZLIB;
    stream->end_of_stream = 1;
    stream->next_in = rows;
    stream->avail_in = (uint32_t)raw; // a picture has at most 2^28 pixels
    stream->next_out = data;
    stream->avail_out = (uint32_t)most;
    return isal_deflate_stateless(stream) == COMP_OK ? stream->total_out : 0;
}

/// Writes the pixels.
/// All rows in one chunk. They are put together, each behind its filter (none: neighbours of flat colours are
/// best left alone), where nothing else will be: behind the room for what comes out.
static qd_status put_png_rows(const qd_allocator *allocator, const qdi_png_image *image, compressor *state,
                              qdi_bytes *bytes) {
    const size_t width = (size_t)image->width, height = (size_t)image->height, raw = (width + 1) * height;
    const size_t most = compressed_most(raw);
    qd_status status = qdi_bytes_reserve(allocator, bytes, QDI_PNG_CHUNK_FRAME + most + raw);
    if (status != QD_OK) return status;
    unsigned char *chunk = bytes->data + bytes->size, *data = chunk + QDI_PNG_CHUNK_HEAD,
                  *rows = data + most + 4;
    for (size_t y = 0; y < height; ++y) {
        rows[y * (width + 1)] = 0;
        memcpy(rows + y * (width + 1) + 1, image->pixels + y * width, width);
    }
    put_chunk_type(chunk, "IDAT");
    size_t size = compress(state, rows, raw, data, most);
    if (size == 0) return QD_ERR_INTERNAL; // it was given all the room that it asked for
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
    compressor *state = qdi_allocate(allocator, 1, sizeof *state);
    if (!state) return QD_ERR_MEMORY;
    qd_status status = put_png_head(allocator, image, bytes);
    if (status == QD_OK) status = put_png_rows(allocator, image, state, bytes);
    if (status == QD_OK) status = qdi_png_chunk_put(allocator, bytes, "IEND", NULL, 0);
    qdi_release(allocator, state, 1, sizeof *state);
    return status;
}

// Releases an encoded PNG.
void qdi_bytes_release(const qd_allocator *allocator, qdi_bytes *bytes) {
    qdi_release(allocator, bytes->data, bytes->room, 1);
    *bytes = (qdi_bytes){0};
}
