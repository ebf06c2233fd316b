#include "export/image/apng.h"

#include "core/base/block.h"
#include "core/base/memory.h"
#include "export/image/png_chunk.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum { CONTROL = 26 /* bytes of an fcTL */, KIND_RGB = 2, KIND_INDEXED = 3 };

/// What of a picture is written.
typedef struct part {
    int x, y, width, height;
} part;

struct qdi_apng {
    const qd_allocator *allocator;
    char path[QDI_PATH_MAX];
    qdi_file file;
    int width, height;
    size_t depth; ///< bytes of a pixel
    uint16_t delay_num, delay_den;
    uint32_t sequence, frames;
    size_t control_at; ///< where the acTL is
    uint8_t *before;   ///< the picture that was added last
    size_t size;       ///< of a picture
    uint8_t *line;     ///< a row with its filter, and each other way to filter it
    size_t line_room;
    qdi_bytes bytes;
};

/// Bytes of a row of pixels.
static size_t apng_row_bytes(const qdi_apng *apng) {
    return (size_t)apng->width * apng->depth;
}

/// Writes the data of an acTL chunk: the number of frames.
static void put_animation_control(unsigned char data[8], uint32_t frames) {
    qdi_png_put32(data, frames);
    qdi_png_put32(data + 4, 0); // plays for ever
}

/// Writes a text chunk.
static qd_status put_apng_text(qdi_apng *apng, const qdi_png_text *text) {
    char data[1024];
    int length = snprintf(data, sizeof data, "%s%c%s", text->key, '\0', text->value);
    if (length < 0 || (size_t)length >= sizeof data) return QD_OK; // no text of the provenance is so long
    return qdi_png_chunk_put(apng->allocator, &apng->bytes, "tEXt", data, (size_t)length);
}

/// Writes all chunks that come before the first frame.
static qd_status put_apng_head(qdi_apng *apng, const qdi_apng_format *format) {
    const qd_allocator *allocator = apng->allocator;
    unsigned char header[13], control[8];
    qd_status status = qdi_bytes_reserve(allocator, &apng->bytes, QDI_PNG_SIGNATURE);
    if (status != QD_OK) return status;
    memcpy(apng->bytes.data, qdi_png_signature, QDI_PNG_SIGNATURE);
    apng->bytes.size = QDI_PNG_SIGNATURE;
    qdi_png_put32(header, (uint32_t)format->width);
    qdi_png_put32(header + 4, (uint32_t)format->height);
    header[8] = 8;
    header[9] = format->colours > 0 ? KIND_INDEXED : KIND_RGB;
    header[10] = header[11] = header[12] = 0;
    status = qdi_png_chunk_put(allocator, &apng->bytes, "IHDR", header, sizeof header);
    apng->control_at = apng->bytes.size;
    put_animation_control(control, 0);
    if (status == QD_OK) status = qdi_png_chunk_put(allocator, &apng->bytes, "acTL", control, sizeof control);
    if (status == QD_OK && format->colours > 0)
        status = qdi_png_chunk_put(allocator, &apng->bytes, "PLTE", format->rgb, (size_t)format->colours * 3);
    if (status == QD_OK && format->colours > 0 && format->transparent)
        status = qdi_png_chunk_put(allocator, &apng->bytes, "tRNS", format->alpha, (size_t)format->colours);
    for (size_t i = 0; status == QD_OK && i < format->text_count; ++i)
        status = put_apng_text(apng, &format->texts[i]);
    return status;
}

/// Frees an animation's memory.
static void apng_release(qdi_apng *apng) {
    const qd_allocator *allocator = apng->allocator;
    qdi_release(allocator, apng->before, apng->size, 1);
    qdi_release(allocator, apng->line, apng->line_room, 1);
    qdi_bytes_release(allocator, &apng->bytes);
    qdi_release(allocator, apng, 1, sizeof *apng);
}

/// Makes the file and writes its first chunks.
static qd_status open_apng_file(qdi_apng *apng, qd_error *error) {
    qd_status status = qdi_file_create(apng->path, &apng->file, error);
    if (status == QD_OK)
        status = qdi_file_write(apng->file, apng->path, apng->bytes.data, apng->bytes.size, error);
    return status;
}

qd_status qdi_apng_create(const qd_allocator *allocator, const char *path, const qdi_apng_format *format,
                          qdi_apng **apng, qd_error *error) {
    *apng = NULL;
    qdi_apng *made = qdi_allocate(allocator, 1, sizeof *made);
    if (!made) return QD_ERR_MEMORY;
    *made = (qdi_apng){.allocator = allocator,
                       .file = QDI_FILE_NONE,
                       .width = format->width,
                       .height = format->height,
                       .depth = format->colours > 0 ? 1 : 3,
                       .delay_num = format->delay_num,
                       .delay_den = format->delay_den};
    (void)snprintf(made->path, sizeof made->path, "%s", path);
    made->size = apng_row_bytes(made) * (size_t)format->height;
    made->line_room = 3 * (apng_row_bytes(made) + 1);
    made->before = qdi_allocate(allocator, made->size, 1);
    made->line = qdi_allocate(allocator, made->line_room, 1);
    qd_status status = made->before && made->line ? put_apng_head(made, format) : QD_ERR_MEMORY;
    if (status == QD_OK) status = open_apng_file(made, error);
    if (status == QD_OK)
        *apng = made;
    else
        qdi_apng_discard(made);
    return status;
}

/// Animated PNG: the smallest rectangle that holds all pixels that changed; one pixel where none did.
static part find_changed_part(const qdi_apng *apng, const uint8_t *pixels) {
    const size_t row = apng_row_bytes(apng);
    if (apng->frames == 0) return (part){0, 0, apng->width, apng->height};
    int top = 0, bottom = apng->height;
    while (top < bottom && memcmp(pixels + (size_t)top * row, apng->before + (size_t)top * row, row) == 0)
        ++top;
    if (top == bottom) return (part){0, 0, 1, 1};
    while (memcmp(pixels + (size_t)(bottom - 1) * row, apng->before + (size_t)(bottom - 1) * row, row) == 0)
        --bottom;
    size_t left = row, right = 0;
    for (int y = top; y < bottom; ++y) {
        const uint8_t *now = pixels + (size_t)y * row, *then = apng->before + (size_t)y * row;
        size_t x = 0, end = row;
        while (x < left && now[x] == then[x]) ++x;
        if (x < left) left = x;
        while (end > right && now[end - 1] == then[end - 1]) --end;
        if (end > right) right = end;
    }
    int first = (int)(left / apng->depth), last = (int)((right - 1) / apng->depth);
    return (part){first, top, last - first + 1, bottom - top};
}

/// Animated PNG: how far the bytes of a filtered row are from zero: the usual guess at which filter packs
/// best.
static size_t filtered_row_cost(const uint8_t *bytes, size_t count) {
    size_t sum = 0;
    for (size_t i = 0; i < count; ++i) sum += bytes[i] < 128 ? bytes[i] : 256U - bytes[i];
    return sum;
}

/// Animated PNG: filters a row of true colours by what is left of it or above it, whichever seems to pack
/// better; indices are not filtered.
static const uint8_t *filter_row(const qdi_apng *apng, const uint8_t *row, const uint8_t *above,
                                 size_t bytes) {
    uint8_t *plain = apng->line, *left = plain + bytes + 1, *up = left + bytes + 1;
    plain[0] = 0;
    memcpy(plain + 1, row, bytes);
    if (apng->depth == 1) return plain;
    left[0] = 1;
    up[0] = 2;
    for (size_t i = 0; i < bytes; ++i) {
        left[i + 1] = (uint8_t)(row[i] - (i < apng->depth ? 0 : row[i - apng->depth]));
        up[i + 1] = (uint8_t)(row[i] - (above ? above[i] : 0));
    }
    return filtered_row_cost(left + 1, bytes) < filtered_row_cost(up + 1, bytes) ? left : up;
}

/// Memory for zlib, from the animation's allocator.
static voidpf zlib_allocate(voidpf context, uInt items, uInt size) {
    const qdi_apng *apng = context;
    return qdi_block_allocate(apng->allocator, (size_t)items * size);
}

/// Animated PNG: frees memory of zlib.
static void zlib_free(voidpf context, voidpf block) {
    const qdi_apng *apng = context;
    qdi_block_release(apng->allocator, block);
}

/// Animated PNG: compresses the row in `line`, and with `flush` all that is left; the output grows as needed.
static qd_status deflate_line(qdi_apng *apng, z_stream *stream, int flush) {
    int said = Z_OK;
    do {
        qd_status status = qdi_bytes_reserve(apng->allocator, &apng->bytes, 1U << 16);
        if (status != QD_OK) return status;
        size_t room = apng->bytes.room - apng->bytes.size;
        stream->next_out = apng->bytes.data + apng->bytes.size;
        stream->avail_out = room < (1U << 30) ? (uInt)room : 1U << 30;
        uInt before = stream->avail_out;
        said = deflate(stream, flush);
        apng->bytes.size += before - stream->avail_out;
    } while (stream->avail_in > 0 || (flush == Z_FINISH && said == Z_OK));
    return said == Z_OK || said == Z_STREAM_END || said == Z_BUF_ERROR ? QD_OK : QD_ERR_INTERNAL;
}

/// Animated PNG: compresses a part of a picture and appends it to `bytes`.
static qd_status deflate_part(qdi_apng *apng, const uint8_t *pixels, part area) {
    z_stream stream = {.zalloc = zlib_allocate, .zfree = zlib_free, .opaque = apng};
    // As in png_sink.c: of flat colours runs are nearly all that there is to find.
    bool flat = apng->depth == 1;
    if (deflateInit2(&stream, flat ? 1 : 3, Z_DEFLATED, MAX_WBITS, MAX_MEM_LEVEL,
                     flat ? Z_RLE : Z_DEFAULT_STRATEGY) != Z_OK)
        return QD_ERR_MEMORY;
    size_t bytes = (size_t)area.width * apng->depth;
    const uint8_t *above = NULL;
    qd_status status = QD_OK;
    for (int y = 0; status == QD_OK && y < area.height; ++y) {
        const uint8_t *row = pixels + (size_t)(area.y + y) * apng_row_bytes(apng) +
                             (size_t)area.x * apng->depth;
        union {
            const uint8_t *given;
            Bytef *taken; // zlib only reads it
        } line = {filter_row(apng, row, above, bytes)};
        stream.next_in = line.taken;
        stream.avail_in = (uInt)bytes + 1;
        status = deflate_line(apng, &stream, y + 1 < area.height ? Z_NO_FLUSH : Z_FINISH);
        above = row;
    }
    (void)deflateEnd(&stream);
    return status;
}

/// Animated PNG: writes an fcTL chunk: where the next frame's part lies and how long it is shown.
static qd_status put_frame_control(qdi_apng *apng, part area) {
    unsigned char data[CONTROL];
    qdi_png_put32(data, apng->sequence++);
    qdi_png_put32(data + 4, (uint32_t)area.width);
    qdi_png_put32(data + 8, (uint32_t)area.height);
    qdi_png_put32(data + 12, (uint32_t)area.x);
    qdi_png_put32(data + 16, (uint32_t)area.y);
    data[20] = (unsigned char)(apng->delay_num >> 8);
    data[21] = (unsigned char)apng->delay_num;
    data[22] = (unsigned char)(apng->delay_den >> 8);
    data[23] = (unsigned char)apng->delay_den;
    data[24] = 0; // the picture stays for the next one,
    data[25] = 0; // which replaces what it covers
    return qdi_png_chunk_put(apng->allocator, &apng->bytes, "fcTL", data, sizeof data);
}

/// Animated PNG: writes a part of a picture as one chunk: IDAT for frame 0, else fdAT.
static qd_status put_frame_data(qdi_apng *apng, const uint8_t *pixels, part area) {
    bool first = apng->frames == 0;
    size_t at = apng->bytes.size, head = QDI_PNG_CHUNK_HEAD + (first ? 0U : 4U);
    qd_status status = qdi_bytes_reserve(apng->allocator, &apng->bytes, head);
    if (status != QD_OK) return status;
    memcpy(apng->bytes.data + at + 4, first ? "IDAT" : "fdAT", 4);
    if (!first) qdi_png_put32(apng->bytes.data + at + QDI_PNG_CHUNK_HEAD, apng->sequence++);
    apng->bytes.size += head;
    status = deflate_part(apng, pixels, area);
    if (status == QD_OK) status = qdi_bytes_reserve(apng->allocator, &apng->bytes, 4);
    if (status != QD_OK) return status;
    qdi_png_chunk_seal(apng->bytes.data + at, apng->bytes.size - at - QDI_PNG_CHUNK_HEAD);
    apng->bytes.size += 4;
    return QD_OK;
}

qd_status qdi_apng_add(qdi_apng *apng, const uint8_t *pixels, qd_error *error) {
    part area = find_changed_part(apng, pixels);
    apng->bytes.size = 0;
    qd_status status = put_frame_control(apng, area);
    if (status == QD_OK) status = put_frame_data(apng, pixels, area);
    if (status == QD_OK)
        status = qdi_file_write(apng->file, apng->path, apng->bytes.data, apng->bytes.size, error);
    if (status != QD_OK) return status;
    memcpy(apng->before, pixels, apng->size);
    apng->frames += 1;
    return QD_OK;
}

/// Writes the end of the file, and into its beginning the number of frames.
static qd_status put_apng_end(qdi_apng *apng, qd_error *error) {
    unsigned char control[QDI_PNG_CHUNK_FRAME + 8] = {0};
    apng->bytes.size = 0;
    qd_status status = qdi_png_chunk_put(apng->allocator, &apng->bytes, "IEND", NULL, 0);
    if (status == QD_OK)
        status = qdi_file_write(apng->file, apng->path, apng->bytes.data, apng->bytes.size, error);
    for (int i = 0; i < 4; ++i) control[4 + i] = (unsigned char)"acTL"[i];
    put_animation_control(control + QDI_PNG_CHUNK_HEAD, apng->frames);
    qdi_png_chunk_seal(control, 8);
    if (status == QD_OK)
        status = qdi_file_overwrite(apng->file, apng->path, apng->control_at, control, sizeof control, error);
    return status;
}

qd_status qdi_apng_finish(qdi_apng *apng, qd_error *error) {
    if (!apng) return QD_OK;
    qd_status status = put_apng_end(apng, error);
    qd_error late = {""};
    qd_status closed = qdi_file_close(apng->file, apng->path, true, &late);
    if (status == QD_OK && closed != QD_OK) {
        status = closed;
        if (error) *error = late;
    }
    apng_release(apng);
    return status;
}

void qdi_apng_discard(qdi_apng *apng) {
    if (!apng) return;
    if (apng->file != QDI_FILE_NONE) {
        qd_status closed = qdi_file_close(apng->file, apng->path, false, NULL);
        (void)closed; // it is given up
    }
    apng_release(apng);
}
