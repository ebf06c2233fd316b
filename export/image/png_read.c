#include "export/image/png_read.h"

#include "core/base/block.h"
#include "core/base/memory.h"
#include "sim/files/os.h"

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
    qdi_png_loaded *loaded;
    qd_error *error;
    const char *path;
    bool no_memory;
} png_job;

/// Memory for libpng, from the caller's allocator.
static png_voidp libpng_allocate(png_structp png, png_alloc_size_t bytes) {
    png_job *job = png_get_mem_ptr(png);
    void *block = qdi_block_allocate(job->allocator, bytes);
    if (!block) job->no_memory = true;
    return block;
}

/// Frees memory of libpng.
static void libpng_free(png_structp png, png_voidp block) {
    const png_job *job = png_get_mem_ptr(png);
    qdi_block_release(job->allocator, block);
}

/// Keeps libpng's error text and leaves the decoding.
static void on_libpng_error(png_structp png, png_const_charp text) {
    const png_job *job = png_get_error_ptr(png);
    if (job->error) (void)snprintf(job->error->text, sizeof job->error->text, "%.400s: %s", job->path, text);
    png_longjmp(png, 1);
}

/// Takes a warning of libpng for an error.
static void on_libpng_warning(png_structp png, png_const_charp text) {
    on_libpng_error(png, text); // whatever libpng does not like was not written like that
}

/// Reads bytes of the file for libpng.
static void on_libpng_read(png_structp png, png_bytep data, size_t size) {
    const png_job *job = png_get_io_ptr(png);
    if (fread(data, 1, size, job->file) != size) png_error(png, "it is cut short");
}

/// Reads the palette; false where it is not one of a frame.
static bool read_png_palette(png_job *job) {
    png_colorp colours = NULL;
    qdi_png_loaded *loaded = job->loaded;
    if (!png_get_PLTE(job->png, job->info, &colours, &loaded->colours) || loaded->colours > COLOURS_MAX)
        return false;
    for (int i = 0; i < loaded->colours; ++i) {
        const png_color colour = colours[i];
        const uint8_t rgb[3] = {colour.red, colour.green, colour.blue};
        memcpy(loaded->rgb[i], rgb, sizeof rgb);
    }
    return true;
}

/// Reads width, height and palette; false where a frame has others.
static bool read_png_header(png_job *job) {
    int depth, kind, interlace;
    png_uint_32 width, height;
    png_read_info(job->png, job->info);
    if (!png_get_IHDR(job->png, job->info, &width, &height, &depth, &kind, &interlace, NULL, NULL))
        return false;
    if (depth != 8 || interlace != PNG_INTERLACE_NONE || width > SIDE_MAX || height > SIDE_MAX) return false;
    job->loaded->width = (int)width;
    job->loaded->height = (int)height;
    return kind == PNG_COLOR_TYPE_PALETTE ? read_png_palette(job) : kind == PNG_COLOR_TYPE_RGB;
}

/// Decodes a PNG file's pixels.
static bool decode_png(png_job *job) {
    if (setjmp(png_jmpbuf(job->png)) != 0) return false;
    qdi_png_loaded *loaded = job->loaded;
    png_set_read_fn(job->png, job, on_libpng_read);
    png_set_crc_action(job->png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    if (!read_png_header(job)) png_error(job->png, "it is no picture of a frame");
    const size_t row = (size_t)loaded->width * (loaded->colours > 0 ? 1 : 3);
    loaded->bytes = row * (size_t)loaded->height;
    loaded->pixels = qdi_allocate(job->allocator, loaded->bytes, 1);
    if (!loaded->pixels) {
        job->no_memory = true;
        png_error(job->png, "no memory");
    }
    for (int y = 0; y < loaded->height; ++y) png_read_row(job->png, loaded->pixels + (size_t)y * row, NULL);
    png_read_end(job->png, NULL);
    if (fgetc(job->file) != EOF) png_error(job->png, "it goes on behind its end");
    return true;
}

uint64_t qdi_pixels_hash(const uint8_t *pixels, size_t count, const uint8_t *rgb, size_t colours) {
    return qd_hash_seeded(rgb, colours * 3, qd_hash_bytes(pixels, count));
}

/// Reads a PNG file with libpng.
static qd_status read_png_picture(png_job *job) {
    job->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, job, on_libpng_error, on_libpng_warning, job,
                                        libpng_allocate, libpng_free);
    if (job->png) job->info = png_create_info_struct(job->png);
    bool done = job->png && job->info && decode_png(job);
    png_destroy_read_struct(&job->png, &job->info, NULL);
    if (done) return QD_OK;
    qdi_png_unload(job->allocator, job->loaded);
    return job->no_memory || !job->error->text[0] ? QD_ERR_MEMORY : QD_ERR_CORRUPT;
}

qd_status qdi_png_load(const char *path, const qd_allocator *allocator, qdi_png_loaded *loaded,
                       qd_error *error) {
    qd_error reason = {""};
    *loaded = (qdi_png_loaded){.pixels = NULL};
    png_job job = {.allocator = allocator, .path = path, .loaded = loaded, .error = &reason};
    qd_error why;
    qd_status status = qdi_os_open(path, QDI_OS_DATA, &job.file, &why);
    if (status != QD_OK) {
        if (error && status == QD_ERR_NOT_FOUND)
            (void)snprintf(error->text, sizeof error->text, "%.400s is not there", path);
        else if (error)
            (void)snprintf(error->text, sizeof error->text, "%.300s: %.180s", path, why.text);
        return status == QD_ERR_NOT_FOUND ? status : QD_ERR_CORRUPT;
    }
    unsigned char head[HEAD];
    status = QD_ERR_CORRUPT;
    if (fread(head, 1, HEAD, job.file) == HEAD && png_sig_cmp(head, 0, HEAD) == 0) {
        rewind(job.file);
        status = read_png_picture(&job);
    } else {
        (void)snprintf(reason.text, sizeof reason.text, "%.400s: it is no PNG file", path);
    }
    fclose(job.file);
    if (status != QD_OK && error) *error = reason;
    return status;
}

void qdi_png_unload(const qd_allocator *allocator, qdi_png_loaded *loaded) {
    qdi_release(allocator, loaded->pixels, loaded->bytes, 1);
    loaded->pixels = NULL;
}

qd_status qd_frame_read_pixels(const char *path, const qd_allocator *allocator, uint64_t *pixels,
                               qd_error *error) {
    if (!path || !pixels) return QD_ERR_ARGUMENT;
    qdi_png_loaded loaded;
    allocator = qdi_allocator_or_default(allocator);
    qd_status status = qdi_png_load(path, allocator, &loaded, error);
    if (status != QD_OK) return status;
    *pixels = qdi_pixels_hash(loaded.pixels, loaded.bytes, loaded.rgb[0], (size_t)loaded.colours);
    qdi_png_unload(allocator, &loaded);
    return QD_OK;
}
