#pragma once

#include "export/picture/camera.h"
#include "export/picture/changes.h"
#include "export/raster/raster.h"
#include "export/raster/trail_tile.h"

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <quadrille/view.h>
#include <quadrille/world.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What a picture shows, in pixels (y down), ready to be drawn by another thread while the world steps on.

/// A body, or one of its images, in any order.
typedef struct qdi_disk {
    float x, y, radius; ///< radius: of the rounding, where it is a figure
    uint32_t index;     ///< of the body: of two that share a pixel evenly the higher one is on top
    uint32_t first_corner;
    uint8_t corners; ///< of a figure; 0: a disk
    uint8_t hue;
    bool turned; ///< a disk whose corner `first_corner` is the way it points
    bool wide;   ///< it may reach into other tiles than the one of its centre
    uint16_t column,
        row; ///< of the tile (QDI_TILE_SIDE, from the clip's corner on) where it is, if it is not wide
} qdi_disk;

/// A piece of a node's outline, along an axis. Nodes are outlined once: by the root's border and, for every
/// node that is split, the cross that parts its children.
typedef struct qdi_line {
    int x0, y0, x1, y1; ///< both ends included
    int depth;          ///< of the nodes that it borders
    uint8_t ink;
} qdi_line;

/// A contact: its point, a unit normal, the radius of the smaller body, and half the length of the normal's
/// line; below 0: as the radius asks for.
typedef struct qdi_mark {
    float x, y, normal_x, normal_y, radius, half;
} qdi_mark;

/// An outline on top of everything.
typedef struct qdi_frame {
    int x0, y0, x1, y1; ///< its outer pixels, included
    int thick;
    uint8_t ink;
} qdi_frame;

/// A cell of the view's field, or one of its images.
typedef struct qdi_patch {
    qdi_area area;
    uint8_t ink;
} qdi_patch;

/// A velocity.
typedef struct qdi_arrow {
    qdi_corner tail, tip, barb[2];
} qdi_arrow;

typedef enum qdi_side {
    QDI_SIDE_WALL,
    QDI_SIDE_PERIODIC,
    QDI_SIDE_OPEN,
} qdi_side;

/// What a search of the tree looked at, and found.
typedef struct qdi_search_facts {
    uint64_t nodes;      ///< whose bounds overlap what is asked for
    uint64_t tests;      ///< boxes that were compared with it
    uint64_t candidates; ///< boxes that overlap it
    uint64_t hits;       ///< bodies that are touched, or are in it
} qdi_search_facts;

/// The counts that the caption shows.
typedef struct qdi_facts {
    uint64_t step;
    double time;
    uint64_t bodies, contacts, nodes;
    double candidates; ///< per body, of the last step
    uint64_t tests;    ///< boxes that it compared
    double rate, cost; ///< steps per second, ns per body and step; NaN: not known
    double scale;      ///< pixels per unit of the world
    uint64_t refiled;  ///< bodies in another node than at the frame before
    qdi_search_facts retrieve, query;
    qd_vec2 field; ///< ends of the colours of the view's field, where it shows one
    uint64_t stage;
} qdi_facts;

struct qdi_trails;
struct qdi_refiled;

typedef struct qdi_picture {
    const qd_allocator *allocator; ///< gives the memory; an empty picture has nothing but this
    qdi_facts facts;
    qdi_area world; ///< where the world is
    qdi_area clip;  ///< where bodies may be drawn
    qdi_side side_x, side_y;
    qdi_disk *disks;
    size_t disk_count, disk_room;
    qdi_corner *corners; ///< of all figures, with gaps
    size_t corner_count, corner_room;
    size_t *blocks; ///< scratch: numbers of blocks of bodies, as where each begins
    size_t block_room;
    uint32_t *seen; ///< scratch: rows of the bodies that the tree found
    size_t seen_count, seen_room;
    qd_vec2 *psi6; ///< by row, where bodies are coloured by it
    size_t psi6_room;
    qdi_line *lines;
    size_t line_count, line_room;
    qdi_mark *marks;
    size_t mark_count, mark_room;
    uint8_t *lit; ///< by index: 1 where the body is in the view's query
    size_t lit_room;
    qdi_frame *frames; ///< nodes that changed, what searches looked at
    size_t frame_count, frame_room;
    const struct qdi_trails
        *past; ///< what trails are copied from, its last frame being the present one; NULL: no trails
    const struct qdi_refiled *refiled; ///< as of the present frame; NULL: not known
    struct qd_field *measured; ///< what the view's field is measured with, by the copy; NULL: none is shown
    qdi_patch *patches;
    size_t patch_count, patch_room;
    qdi_arrow *arrows;
    size_t arrow_count, arrow_room;
    qdi_trail *trails;
    size_t trail_count, trail_room;
} qdi_picture;

void qdi_picture_destroy(qdi_picture *picture);

/// Copies the present state of a world, on its threads; call it on the thread that steps it. `area` is the
/// part of the picture that the world may use, `top` the top of the colour map where the view's range is
/// auto. `before`: the tree's nodes before the step to this state, or NULL where they are not known; asked
/// for where the view shows what has changed. Memory is kept from picture to picture. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_picture_copy(qdi_picture *picture, const qd_world *world, const qd_view *view,
                                       qdi_area area, double top, const qdi_changes *before);

/// The same of a part of the world, whatever the view's camera says: it is in the middle of the area, and
/// what lies beside it is seen as far as the area goes.
QD_MUST_USE qd_status qdi_picture_copy_part(qdi_picture *picture, const qd_world *world, const qd_view *view,
                                            qdi_area area, const qdi_camera_part *shown, double top,
                                            const qdi_changes *before);

struct qdi_tile_bins;

/// Draws it, back to front: the field, nodes, trails, bodies, contacts, arrows, walls. Does not touch what is
/// outside of the area it was made for. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_picture_draw(const qdi_picture *picture, struct qdi_tile_bins *bins,
                                       qdi_raster *raster);
