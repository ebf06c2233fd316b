#include "export/png_sink.h"

#include "core/memory.h"
#include "export/block.h"

#include <png.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

// libpng reports errors by longjmp. Everything that must survive one lies here, outside of the function that
// calls setjmp, and is freed by the function above it.
typedef struct png_job {
    const qd_allocator *allocator;
    const qdi_png_image *image;
    qdi_bytes *bytes;
    qd_error *error;
    png_structp png;
    png_infop info;
    png_text *texts;
    bool no_memory;
} png_job;

static png_voidp take_memory(png_structp png, png_alloc_size_t bytes) {
    png_job *job = png_get_mem_ptr(png);
    void *block = qdi_block_allocate(job->allocator, bytes);
    if (!block) job->no_memory = true;
    return block;
}

static void give_memory(png_structp png, png_voidp block) {
    const png_job *job = png_get_mem_ptr(png);
    qdi_block_release(job->allocator, block);
}

static void on_error(png_structp png, png_const_charp text) {
    const png_job *job = png_get_error_ptr(png);
    if (job->error)
        (void)snprintf(job->error->text, sizeof job->error->text, "cannot encode a picture: %s", text);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

static void on_write(png_structp png, png_bytep data, size_t size) {
    png_job *job = png_get_io_ptr(png);
    qdi_bytes *bytes = job->bytes;
    if (qdi_reserve(job->allocator, &bytes->data, &bytes->room, bytes->size, bytes->size + size, 1) !=
        QD_OK) {
        job->no_memory = true;
        png_error(png, "no memory");
    }
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

static void on_flush(png_structp png) {
    (void)png;
}

static bool is_ascii(const char *text) {
    while (*text && (unsigned char)*text < 0x80) ++text;
    return *text == '\0';
}

// libpng's struct has pointers without const for keys and values that it only reads.
static char *without_const(const char *text) {
    union {
        const char *given;
        char *taken;
    } pointer = {text};
    return pointer.taken;
}

static void fill_texts(const png_job *job) {
    for (size_t i = 0; i < job->image->text_count; ++i) {
        const qdi_png_text *from = &job->image->texts[i];
        memset(&job->texts[i], 0, sizeof job->texts[i]);
        job->texts[i].compression = is_ascii(from->value) ? PNG_TEXT_COMPRESSION_NONE
                                                          : PNG_ITXT_COMPRESSION_NONE;
        job->texts[i].key = without_const(from->key);
        job->texts[i].text = without_const(from->value);
    }
}

static void write_header(png_job *job) {
    const qdi_png_image *image = job->image;
    png_color colours[QDI_INK_COUNT];
    for (int i = 0; i < QDI_INK_COUNT; ++i) {
        const uint8_t *rgb = image->palette->rgb[i];
        colours[i] = (png_color){rgb[0], rgb[1], rgb[2]};
    }
    png_set_write_fn(job->png, job, on_write, on_flush);
    png_set_IHDR(job->png, job->info, (png_uint_32)image->width, (png_uint_32)image->height, 8,
                 PNG_COLOR_TYPE_PALETTE, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_PLTE(job->png, job->info, colours, QDI_INK_COUNT);
    if (image->text_count > 0) png_set_text(job->png, job->info, job->texts, (int)image->text_count);
    // Pictures of flat colours: runs are nearly all there is to find, so a search for more costs time only.
    png_set_filter(job->png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
    png_set_compression_level(job->png, 1);
    png_set_compression_strategy(job->png, Z_RLE);
    png_set_compression_mem_level(job->png, 9);
    png_set_compression_buffer_size(job->png, 1U << 16);
    png_write_info(job->png, job->info);
}

static bool encode(png_job *job) {
    if (setjmp(png_jmpbuf(job->png)) != 0) return false;
    write_header(job);
    for (int y = 0; y < job->image->height; ++y) {
        png_write_row(job->png, job->image->pixels + (size_t)y * (size_t)job->image->width);
    }
    png_write_end(job->png, job->info);
    return true;
}

qd_status qdi_png_encode(const qd_allocator *allocator, const qdi_png_image *image, qdi_bytes *bytes,
                         qd_error *error) {
    png_job job = {.allocator = allocator, .image = image, .bytes = bytes, .error = error};
    bytes->size = 0;
    if (image->text_count > 0) {
        job.texts = qdi_allocate(allocator, image->text_count, sizeof *job.texts);
        if (!job.texts) return QD_ERR_MEMORY;
        fill_texts(&job);
    }
    job.png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &job, on_error, on_warning, &job, take_memory,
                                        give_memory);
    if (job.png) job.info = png_create_info_struct(job.png);
    bool done = job.png && job.info && encode(&job);
    png_destroy_write_struct(&job.png, &job.info);
    qdi_release(allocator, job.texts, image->text_count, sizeof *job.texts);
    if (done) return QD_OK;
    return job.no_memory ? QD_ERR_MEMORY : QD_ERR_INTERNAL;
}

void qdi_bytes_release(const qd_allocator *allocator, qdi_bytes *bytes) {
    qdi_release(allocator, bytes->data, bytes->room, 1);
    *bytes = (qdi_bytes){0};
}
