// Frames that come from files.

#include "core/base/arithmetic.h"
#include "core/base/memory.h"
#include "export/image/png_read.h"
#include "export/video/video_impl.h"
#include "sim/files/os.h"

#include <stdio.h>
#include <string.h>

/// Video's file: turns a picture of indices into true colour.
static qd_status widen_to_true_colour(const qd_allocator *allocator, qdi_png_loaded *loaded) {
    uint8_t *wide = qdi_allocate(allocator, 3 * loaded->bytes, 1);
    if (!wide) return QD_ERR_MEMORY;
    for (size_t i = 0; i < loaded->bytes; ++i) memcpy(wide + 3 * i, loaded->rgb[loaded->pixels[i]], 3);
    qdi_release(allocator, loaded->pixels, loaded->bytes, 1);
    loaded->pixels = wide;
    loaded->bytes *= 3;
    loaded->colours = 0;
    return QD_OK;
}

qd_status qdi_video_add(qd_video *video, const qdi_video_picture *picture, qd_error *error) {
    qdi_video_push(video, picture);
    if (video->failure != QD_OK && error) *error = video->reason;
    return video->failure;
}

/// Adds a frame that was loaded from a file to the video, where its size is that of the frames before.
static qd_status add_loaded_frame(qd_video *video, const qdi_png_loaded *loaded, const char *path,
                                  qd_error *error) {
    if (loaded->width != video->width || loaded->height != video->height) {
        if (error)
            (void)snprintf(error->text, sizeof error->text,
                           "%.300s is %d x %d pixels, and the frames before %d x %d", path, loaded->width,
                           loaded->height, video->width, video->height);
        return QD_ERR_CORRUPT;
    }
    const qdi_video_picture picture = {loaded->width,   loaded->height,
                                       loaded->pixels,  loaded->colours > 0 ? loaded->rgb : NULL,
                                       loaded->colours, NULL};
    return qdi_video_add(video, &picture, error);
}

qd_status qd_video_add_file(qd_video *video, const char *path, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (error) error->text[0] = '\0';
    if (!video || !path) return QD_ERR_ARGUMENT;
    qdi_png_loaded loaded;
    qd_status status = qdi_png_load(path, video->allocator, &loaded, error);
    if (status != QD_OK) return status;
    if (loaded.colours > 0 && video->true_colour) status = widen_to_true_colour(video->allocator, &loaded);
    if (status == QD_OK) status = add_loaded_frame(video, &loaded, path, error);
    qdi_png_unload(video->allocator, &loaded);
    return status;
}

qd_status qd_video_file_size(const char *path, int *width, int *height, qd_error *error) {
    if (error) error->text[0] = '\0';
    if (!path || !width || !height) return QD_ERR_ARGUMENT;
    qdi_png_loaded loaded;
    qd_status status = qdi_png_load(path, qd_allocator_default(), &loaded, error);
    if (status != QD_OK) return status;
    *width = loaded.width;
    *height = loaded.height;
    qdi_png_unload(qd_allocator_default(), &loaded);
    return QD_OK;
}

qd_status qd_video_file_check(const char *path, qd_error *error) {
    static const char png_end[] = "\0\0\0\0IEND\xae\x42\x60\x82";
    char tail[sizeof png_end - 1];
    if (!path) return QD_ERR_ARGUMENT;
    if (!qdi_os_is_file(path)) {
        if (error) (void)snprintf(error->text, sizeof error->text, "%.400s is not there", path);
        return QD_ERR_NOT_FOUND;
    }
    if (qdi_file_tail(path, tail, sizeof tail, NULL) == QD_OK && memcmp(tail, png_end, sizeof tail) == 0)
        return QD_OK;
    if (error) (void)snprintf(error->text, sizeof error->text, "%.400s is damaged or cut short", path);
    return QD_ERR_CORRUPT;
}
