#include "export/png_read.h"

#include "core/memory.h"
#include "export/block.h"

#include <png.h>
#include <quadrille/frame.h>
#include <quadrille/hash.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

enum { SIDE_MAX = 16384, COLOURS_MAX = 256, HEAD = 8 };

// As in png_sink.c: what must survive a longjmp lies here, outside of the function that calls setjmp.
typedef struct png_job {
    const qd_allocator *allocator;
    FILE *file;
    png_structp png;
    png_infop info;
    uint8_t *pixels;
    size_t size;
    uint8_t rgb[COLOURS_MAX * 3];
    int colours;
    qd_error *error;
    const char *path;
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
    if (job->error) (void)snprintf(job->error->text, sizeof job->error->text, "%.400s: %s", job->path, text);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text) {
    on_error(png, text); // whatever libpng does not like was not written like that
}

static void on_read(png_structp png, png_bytep data, size_t size) {
    const png_job *job = png_get_io_ptr(png);
    if (fread(data, 1, size, job->file) != size) png_error(png, "it is cut short");
}

/// Width, height and palette; false where a frame has others.
static bool read_header(png_job *job, png_uint_32 *width, png_uint_32 *height) {
    int depth, kind, interlace;
    png_colorp colours = NULL;
    png_read_info(job->png, job->info);
    if (!png_get_IHDR(job->png, job->info, width, height, &depth, &kind, &interlace, NULL, NULL))
        return false;
    if (depth != 8 || kind != PNG_COLOR_TYPE_PALETTE || interlace != PNG_INTERLACE_NONE) return false;
    if (!png_get_PLTE(job->png, job->info, &colours, &job->colours) || job->colours > COLOURS_MAX)
        return false;
    for (int i = 0; i < job->colours; ++i) {
        const png_color colour = colours[i];
        const uint8_t rgb[3] = {colour.red, colour.green, colour.blue};
        memcpy(job->rgb + (size_t)i * 3, rgb, sizeof rgb);
    }
    return *width <= SIDE_MAX && *height <= SIDE_MAX;
}

static bool decode(png_job *job) {
    if (setjmp(png_jmpbuf(job->png)) != 0) return false;
    png_set_read_fn(job->png, job, on_read);
    png_set_crc_action(job->png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_uint_32 width = 0, height = 0;
    if (!read_header(job, &width, &height)) png_error(job->png, "it is no picture of a frame");
    job->size = (size_t)width * height;
    job->pixels = qdi_allocate(job->allocator, job->size, 1);
    if (!job->pixels) {
        job->no_memory = true;
        png_error(job->png, "no memory");
    }
    for (png_uint_32 y = 0; y < height; ++y) png_read_row(job->png, job->pixels + (size_t)y * width, NULL);
    png_read_end(job->png, NULL);
    if (fgetc(job->file) != EOF) png_error(job->png, "it goes on behind its end");
    return true;
}

uint64_t qdi_pixels_hash(const uint8_t *pixels, size_t count, const uint8_t *rgb, size_t colours) {
    return qd_hash_seeded(rgb, colours * 3, qd_hash_bytes(pixels, count));
}

static qd_status read_picture(png_job *job, uint64_t *pixels) {
    job->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, job, on_error, on_warning, job, take_memory,
                                        give_memory);
    if (job->png) job->info = png_create_info_struct(job->png);
    bool done = job->png && job->info && decode(job);
    png_destroy_read_struct(&job->png, &job->info, NULL);
    if (done) *pixels = qdi_pixels_hash(job->pixels, job->size, job->rgb, (size_t)job->colours);
    qdi_release(job->allocator, job->pixels, job->size, 1);
    if (done) return QD_OK;
    return job->no_memory || !job->error || !job->error->text[0] ? QD_ERR_MEMORY : QD_ERR_CORRUPT;
}

qd_status qd_frame_read_pixels(const char *path, const qd_allocator *allocator, uint64_t *pixels,
                               qd_error *error) {
    qd_error reason = {""};
    if (!path || !pixels) return QD_ERR_ARGUMENT;
    png_job job = {.allocator = qdi_allocator_or_default(allocator), .path = path, .error = &reason};
    job.file = fopen(path, "rb");
    if (!job.file) {
        if (error) (void)snprintf(error->text, sizeof error->text, "%.400s is not there", path);
        return QD_ERR_NOT_FOUND;
    }
    unsigned char head[HEAD];
    qd_status status = QD_ERR_CORRUPT;
    if (fread(head, 1, HEAD, job.file) == HEAD && png_sig_cmp(head, 0, HEAD) == 0) {
        rewind(job.file);
        status = read_picture(&job, pixels);
    } else {
        (void)snprintf(reason.text, sizeof reason.text, "%.400s: it is no PNG file", path);
    }
    fclose(job.file);
    if (status != QD_OK && error) *error = reason;
    return status;
}
