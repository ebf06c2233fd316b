#include <quadrille/still.h>

#include "core/base/arithmetic.h"
#include "export/image/manifest.h"
#include "export/image/png_file.h"
#include "export/picture/camera.h"
#include "export/picture/caption.h"
#include "export/picture/picture.h"
#include "export/picture/tile_bins.h"
#include "export/picture/view_check.h"
#include "export/raster/shade.h"

#include <math.h>
#include <quadrille/field.h>
#include <stdio.h>
#include <string.h>

// What has to be freed however it ends.
typedef struct still_job {
    const qd_still *still;
    qdi_caption caption;
    qdi_raster raster;
    qdi_tile_bins bins;
    qdi_picture picture;
    qdi_bytes bytes;
    qd_field *field;
} still_job;

// Single frame: the four corners of a square, as in a camera's finder.
static void draw_finder_corners(qdi_raster *raster, double x, double y, double half) {
    int thick = 2, left = (int)floor(x - half), top = (int)floor(y - half);
    int right = (int)floor(x + half) + 1, bottom = (int)floor(y + half) + 1;
    int arm = (right - left) / 4 + 2;
    uint8_t ink = QDI_INK_VALUE + QDI_TEXT_LEVELS - 1;
    for (int i = 0; i < 4; ++i) {
        int side = i % 2 ? right : left - thick, edge = i / 2 ? bottom : top - thick;
        int from_x = i % 2 ? right + thick - arm : left - thick;
        int from_y = i / 2 ? bottom + thick - arm : top - thick;
        qdi_raster_fill(raster, (qdi_area){from_x, edge, from_x + arm, edge + thick}, ink);
        qdi_raster_fill(raster, (qdi_area){side, from_y, side + thick, from_y + arm}, ink);
    }
}

// Single frame: draws a line in a direction from the marked body.
static void draw_heading_line(qdi_raster *raster, double x, double y, double from, qd_vec2 heading) {
    double length = sqrt(heading.x * heading.x + heading.y * heading.y);
    if (!(length > 0) || !isfinite(length)) return;
    double along_x = heading.x / length, along_y = -heading.y / length, to = from + 60.0;
    qdi_raster_mark(raster, (float)(x + from * along_x), (float)(y + from * along_y),
                    (float)(x + to * along_x), (float)(y + to * along_y), 3.0F);
}

// Single frame: draws a still picture of a part of the world and writes it as PNG.
static qd_status draw_still(still_job *job, const qd_world *world, qd_error *error) {
    const qd_still *still = job->still;
    const qd_view *view = &still->view;
    const qd_allocator *allocator = qd_allocator_default();
    double speed_top = isnan(view->speed) ? qdi_shade_top(view, world) : view->speed;
    qd_status status = qdi_raster_create(allocator, view->width, view->height, &job->raster);
    if (status == QD_OK) status = qdi_tile_bins_create(allocator, NULL, &job->bins);
    if (status == QD_OK) status = qdi_caption_create(allocator, view, still->provenance.scene, &job->caption);
    if (status == QD_OK && view->field != QD_VIEW_FIELD_NONE)
        status = qd_field_create((uint32_t)view->field_cells[0], (uint32_t)view->field_cells[1], allocator,
                                 &job->field);
    if (status != QD_OK) return status;
    job->picture.measured = job->field;
    const qdi_area area = job->caption.world;
    const qd_vec2 size = {2.0 * still->reach, 2.0 * still->reach};
    const qd_vec2 origin = {still->centre.x - still->reach, still->centre.y - still->reach};
    const qdi_camera_part shown = {size, origin, false};
    status = qdi_picture_copy_part(&job->picture, world, view, area, &shown, speed_top, NULL);
    if (status != QD_OK) return status;
    qdi_raster *raster = &job->raster;
    memset(raster->pixels, QDI_INK_BACKGROUND, (size_t)raster->width * (size_t)raster->height);
    status = qdi_picture_draw(&job->picture, &job->bins, raster);
    if (status != QD_OK) return status;
    const qdi_camera camera = qdi_camera_fit(size, origin, area);
    double x = camera.left + still->reach * camera.scale, y = camera.bottom - still->reach * camera.scale;
    qdi_raster_set_clip(raster, area);
    if (still->mark > 0) draw_finder_corners(raster, x, y, still->mark * camera.scale);
    draw_heading_line(raster, x, y, still->mark * camera.scale, still->heading);
    qdi_raster_set_clip(raster, (qdi_area){0, 0, raster->width, raster->height});
    qdi_caption_draw(&job->caption, raster, &job->picture.facts, speed_top);

    const qdi_palette palette = qdi_palette_make(view);
    qdi_labels labels;
    qdi_labels_fill(&labels, &still->provenance, &job->picture.facts, still->comment);
    const qdi_png_image image = {raster->width, raster->height, raster->pixels,
                                 &palette,      labels.texts,   labels.count};
    status = qdi_png_encode(allocator, &image, &job->bytes, error);
    return status == QD_OK ? qdi_png_write(&job->bytes, still->path, error) : status;
}

// Single frame: true where a still's settings can be drawn.
static bool still_is_valid(const qd_still *still) {
    const qd_view *view = &still->view;
    return !qdi_view_check(view) && still->reach > 0 && isfinite(still->reach) && isfinite(still->centre.x) &&
           isfinite(still->centre.y) && isfinite(still->mark) && strlen(still->path) < QDI_PATH_MAX;
}

qd_status qd_still_write(const qd_still *still, const qd_world *world, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (error) error->text[0] = '\0';
    if (!still || !world || !still->path) return QD_ERR_ARGUMENT;
    still_job job = {.still = still};
    job.picture = (qdi_picture){.allocator = qd_allocator_default()};
    qd_status status = still_is_valid(still) ? draw_still(&job, world, error) : QD_ERR_VALUE;
    if (status != QD_OK && error && !error->text[0])
        (void)snprintf(error->text, sizeof error->text, "%s", qd_status_text(status));
    qdi_bytes_release(qd_allocator_default(), &job.bytes);
    qdi_picture_destroy(&job.picture);
    qd_field_destroy(job.field);
    qdi_caption_destroy(&job.caption);
    qdi_tile_bins_destroy(&job.bins);
    qdi_raster_destroy(&job.raster);
    return status;
}
