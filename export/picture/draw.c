#include "export/picture/picture.h"
#include "export/picture/tile_bins.h"
#include "export/raster/pixel_math.h"

// Longest half of a normal's line, and the radius of a contact point, in pixels and parts of the smaller
// body's radius.
static const float longest_normal = 14.0F, normal_part = 0.6F;
static const float largest_point = 3.0F, point_part = 0.22F, smallest_point = 0.6F;

// Normals of bodies with a radius below the first have no length, from the second on all of it: in a heap of
// small bodies they would cover the bodies' colours.
static const float least_normal = 4.0F, full_normal = 12.0F;

// Width of an arrow's lines, in pixels.
static const float arrow_width = 1.3F;

// Picture: draws the outlines of the tree's nodes.
static void draw_node_lines(const qdi_picture *picture, qdi_raster *raster) {
    // Parents come first in the list; drawn last they lie on top.
    for (size_t i = picture->line_count; i > 0; --i) {
        const qdi_line *line = &picture->lines[i - 1];
        qdi_area area = {line->x0, line->y0, line->x1 + 1, line->y1 + 1};
        qdi_raster_fill(raster, area, line->ink);
    }
}

// Picture: draws an arrow of the view's field.
static void draw_arrow(const qdi_arrow *arrow, qdi_raster *raster) {
    qdi_raster_mark(raster, arrow->tail.x, arrow->tail.y, arrow->tip.x, arrow->tip.y, arrow_width);
    for (int i = 0; i < 2; ++i)
        qdi_raster_mark(raster, arrow->barb[i].x, arrow->barb[i].y, arrow->tip.x, arrow->tip.y, arrow_width);
}

// Picture: draws the mark of a contact.
static void draw_contact_mark(const qdi_mark *mark, qdi_raster *raster) {
    float grown = qdi_larger_float(
        qdi_smaller_float((mark->radius - least_normal) / (full_normal - least_normal), 1.0F), 0.0F);
    float half = mark->half < 0.0F ? grown * qdi_smaller_float(normal_part * mark->radius, longest_normal)
                                   : mark->half;
    float point = qdi_larger_float(qdi_smaller_float(point_part * mark->radius, largest_point),
                                   smallest_point);
    float along_x = half * mark->normal_x, along_y = half * mark->normal_y;
    qdi_raster_mark(raster, mark->x - along_x, mark->y - along_y, mark->x + along_x, mark->y + along_y, 1.2F);
    qdi_raster_mark(raster, mark->x, mark->y, mark->x, mark->y, 2.0F * point);
}

// Picture: draws a side of the world's border.
// A side of the world's border, just outside of it: solid for a wall, dashed where the world continues at the
// other side, dotted where it is open.
static void draw_world_side(qdi_raster *raster, qdi_area area, bool horizontal, qdi_side side) {
    if (side == QDI_SIDE_WALL) {
        qdi_raster_fill(raster, area, QDI_INK_WALL);
        return;
    }
    int dash = side == QDI_SIDE_PERIODIC ? 8 : 2, period = side == QDI_SIDE_PERIODIC ? 14 : 10;
    int from = horizontal ? area.min_x : area.min_y, to = horizontal ? area.max_x : area.max_y;
    for (int start = from; start < to; start += period) {
        int end = start + dash < to ? start + dash : to;
        qdi_area piece = area;
        if (horizontal) {
            piece.min_x = start;
            piece.max_x = end;
        } else {
            piece.min_y = start;
            piece.max_y = end;
        }
        qdi_raster_fill(raster, piece, QDI_INK_BORDER);
    }
}

// Picture: draws the world's border.
static void draw_world_border(const qdi_picture *picture, qdi_raster *raster) {
    const qdi_area *world = &picture->world;
    int thick_x = picture->side_x == QDI_SIDE_WALL ? 2 : 1,
        thick_y = picture->side_y == QDI_SIDE_WALL ? 2 : 1;
    int left = world->min_x - thick_x, right = world->max_x + thick_x;
    int top = world->min_y - thick_y, bottom = world->max_y + thick_y;
    draw_world_side(raster, (qdi_area){left, top, right, world->min_y}, true, picture->side_y);
    draw_world_side(raster, (qdi_area){left, world->max_y, right, bottom}, true, picture->side_y);
    draw_world_side(raster, (qdi_area){left, top, world->min_x, bottom}, false, picture->side_x);
    draw_world_side(raster, (qdi_area){world->max_x, top, right, bottom}, false, picture->side_x);
}

// Picture: draws a rectangle's outline.
static void draw_rectangle_outline(const qdi_frame *frame, qdi_raster *raster) {
    int thick = frame->thick, x0 = frame->x0, y0 = frame->y0, x1 = frame->x1 + 1, y1 = frame->y1 + 1;
    qdi_raster_fill(raster, (qdi_area){x0, y0, x1, y0 + thick}, frame->ink);
    qdi_raster_fill(raster, (qdi_area){x0, y1 - thick, x1, y1}, frame->ink);
    qdi_raster_fill(raster, (qdi_area){x0, y0, x0 + thick, y1}, frame->ink);
    qdi_raster_fill(raster, (qdi_area){x1 - thick, y0, x1, y1}, frame->ink);
}

qd_status qdi_picture_draw(const qdi_picture *picture, qdi_tile_bins *bins, qdi_raster *raster) {
    qdi_area whole = raster->clip;
    qdi_raster_set_clip(raster, picture->clip);
    for (size_t i = 0; i < picture->patch_count; ++i)
        qdi_raster_fill(raster, picture->patches[i].area, picture->patches[i].ink);
    draw_node_lines(picture, raster);
    qd_status status = qdi_tile_bins_draw(bins, picture, raster);
    for (size_t i = 0; i < picture->mark_count; ++i) draw_contact_mark(&picture->marks[i], raster);
    for (size_t i = 0; i < picture->arrow_count; ++i) draw_arrow(&picture->arrows[i], raster);
    for (size_t i = 0; i < picture->frame_count; ++i) draw_rectangle_outline(&picture->frames[i], raster);
    qdi_raster_set_clip(raster, whole);
    draw_world_border(picture, raster);
    return status;
}
