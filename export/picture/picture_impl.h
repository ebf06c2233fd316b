#pragma once

#include "export/picture/camera.h"
#include "export/picture/changes.h"
#include "export/picture/picture.h"
#include "export/raster/shade.h"

/// What the parts that copy one picture share.
typedef struct qdi_copy {
    qdi_picture *picture;
    const qd_world *from;
    const qd_view *view;
    qd_body_view bodies;
    const qd_tree *tree;
    qd_world_def world;
    qdi_camera camera;
    double period_x, period_y; ///< in pixels; 0: not periodic
    qdi_shade shade;
    const qd_contact *contacts;
    size_t contact_count;
    const qdi_changes *before; ///< the nodes before the step, or NULL
    qd_status status;          ///< the first failure; nothing more is done then
} qdi_copy;

/// Numbers of the images that are seen, ends included; nothing where an end is below its start.
typedef struct qdi_images {
    int x0, x1, y0, y1;
} qdi_images;

/// Which images of what reaches so many pixels round (x, y) can be seen.
qdi_images qdi_picture_images(const qdi_copy *copier, double x, double y, double reach);

/// Copies the bodies that are seen, on the world's threads.
void qdi_picture_bodies(qdi_copy *copier);
/// Copies the trails of the bodies that exist, where the picture has a past.
void qdi_trails_copy(qdi_copy *copier);
/// Measures the view's field and copies its cells, where the picture has something to measure with.
void qdi_field_map_copy(qdi_copy *copier);
/// The least of the numbers 1, 2 and 5 times a power of ten that is at least `most`; 1 where that is not
/// positive.
double qdi_field_map_top(double most);
/// Copies nodes, contacts and one body's retrieve, where the view has them, and counts the nodes.
void qdi_overlay_copy(qdi_copy *copier);

/// Adds an outline of the rectangle from (x0, y0) to (x1, y1), in pixels, and of its images; `held`: only of
/// images of it in whose part of the picture it is.
void qdi_overlay_frame(qdi_copy *copier, const double rect[4], int thick, uint8_t ink, bool held);

/// The nodes and bodies that the retrieve of the view's body met.
void qdi_overlay_retrieve(qdi_copy *copier);
/// The same of the view's rectangle; before bodies are copied, for it says which of them are dim.
void qdi_overlay_query(qdi_copy *copier);

/// Picture: true where something may be seen that reaches so far about (x, y).
static inline bool qdi_disk_visible(const qdi_area *clip, double x, double y, double radius) {
    double reach = radius + 2.0;
    return x + reach > clip->min_x && x - reach < clip->max_x && y + reach > clip->min_y &&
           y - reach < clip->max_y;
}
