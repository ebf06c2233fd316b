#ifndef QD_EXPORT_PICTURE_H
#define QD_EXPORT_PICTURE_H

#include "export/raster.h"

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <quadrille/view.h>
#include <quadrille/world.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What a picture shows, in pixels (y down), ready to be drawn by another thread while the world goes on.

/// A body. Its order in the list is that of the bodies' indices.
typedef struct qdi_disk {
    float x, y, radius; ///< radius: of the rounding, where it is a figure
    uint32_t hue;
    uint32_t corners, first_corner; ///< of a figure; 0 corners: a disk
} qdi_disk;

/// A piece of a node's outline, along an axis. Nodes are outlined once: by the root's border and, for every
/// node that is split, the cross that parts its children.
typedef struct qdi_line {
    int x0, y0, x1, y1; ///< both ends included
    int depth;          ///< of the nodes that it borders
} qdi_line;

/// A contact: its point, a unit normal, and the radius of the smaller body.
typedef struct qdi_mark {
    float x, y, normal_x, normal_y, radius;
} qdi_mark;

typedef enum qdi_side {
    QDI_SIDE_WALL,
    QDI_SIDE_PERIODIC,
    QDI_SIDE_OPEN,
} qdi_side;

/// The counts that the caption tells.
typedef struct qdi_facts {
    uint64_t step;
    double time;
    uint64_t bodies, contacts, nodes;
} qdi_facts;

/// From world to pixels: (left + (x - x0) scale, bottom - (y - y0) scale). One scale for both axes.
typedef struct qdi_camera {
    double x0, y0, scale, left, bottom;
} qdi_camera;

/// The camera that shows all of a world of this size and origin in the middle of `area`, with a small margin.
qdi_camera qdi_camera_fit(qd_vec2 size, qd_vec2 origin, qdi_area area);

typedef struct qdi_picture {
    const qd_allocator *allocator;
    qdi_facts facts;
    qdi_area world; ///< where the world is
    qdi_area clip;  ///< where bodies may be drawn
    qdi_side side_x, side_y;
    qdi_disk *disks;
    size_t disk_count, disk_room;
    qdi_corner *corners; ///< of all figures
    size_t corner_count, corner_room;
    qdi_line *lines;
    size_t line_count, line_room;
    qdi_mark *marks;
    size_t mark_count, mark_room;
} qdi_picture;

/// Empty; `allocator` gives the memory that it needs later.
void qdi_picture_init(qdi_picture *picture, const qd_allocator *allocator);
void qdi_picture_destroy(qdi_picture *picture);

/// Copies the present moment of a world. `area` is the part of the picture that the world may use,
/// `speed_top` the speed of the last hue. Memory is kept from picture to picture. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_picture_copy(qdi_picture *picture, const qd_world *world, const qd_view *view,
                                       qdi_area area, double speed_top);

/// The same of a part of the world, of this size and with this lower left corner: it is in the middle of the area, and what
/// lies beside it is seen as far as the area goes.
QD_MUST_USE qd_status qdi_picture_copy_part(qdi_picture *picture, const qd_world *world, const qd_view *view,
                                            qdi_area area, qd_vec2 size, qd_vec2 origin, double speed_top);

/// A speed for the top of the colour map: three times the root mean square of all speeds; 1 where nothing
/// moves.
double qdi_speed_top(const qd_world *world);

/// Draws it, back to front: nodes, bodies, walls, contacts. Does not touch what is outside of the area it was
/// made for.
void qdi_picture_draw(const qdi_picture *picture, qdi_raster *raster);

#endif
