// What lies over and under the bodies: the tree's nodes and the contacts.
#include "core/base/memory.h"
#include "export/picture/picture_impl.h"

#include <math.h>

// Nodes with sides below this many pixels are not outlined: they would drown the picture.
static const double smallest_node = 4.0;

// Contacts between bodies with radii below this many pixels get no mark: the bodies' colour says it all.
static const double smallest_marked = 3.0;

// The normal of the largest impulse of a frame is half so long, in parts of the smaller body's radius and in
// pixels, and one with none so short.
static const double longest_impulse = 1.2, shortest_impulse = 0.1, most_impulse = 40.0;

// Picture's overlay: the pixel that a place lies in, limited to what an int holds.
static int floor_to_pixel(double value) {
    if (value < -1e6) return -1000000;
    return value > 1e6 ? 1000000 : (int)floor(value);
}

// Picture's overlay: the larger of two pixels.
static int larger_pixel(int a, int b) {
    return a > b ? a : b;
}
// Picture's overlay: the smaller of two pixels.
static int smaller_pixel(int a, int b) {
    return a < b ? a : b;
}

// Picture's overlay: a place rounded to whole pixels, as the world's border is.
static int round_to_pixel(double value) {
    return floor_to_pixel(value + 0.5);
}

// The part of the picture that shows one image of the world along its periodic axes.
static qdi_area area_of_world_image(const qdi_copy *copier, int i, int j) {
    qdi_area area = copier->picture->clip;
    double left = qdi_camera_x(&copier->camera, copier->world.origin.x);
    double bottom = qdi_camera_y(&copier->camera, copier->world.origin.y);
    if (copier->period_x > 0.0) {
        area.min_x = larger_pixel(area.min_x, round_to_pixel(left + i * copier->period_x));
        area.max_x = smaller_pixel(area.max_x, round_to_pixel(left + (i + 1) * copier->period_x));
    }
    if (copier->period_y > 0.0) {
        area.min_y = larger_pixel(area.min_y, round_to_pixel(bottom + (j - 1) * copier->period_y));
        area.max_y = smaller_pixel(area.max_y, round_to_pixel(bottom + j * copier->period_y));
    }
    return area;
}

// Picture's overlay: adds a line of a node's outline, cut at the borders of a periodic image.
static void add_node_line(qdi_copy *copier, const qdi_area *clip, qdi_line line) {
    qdi_picture *picture = copier->picture;
    if (copier->status != QD_OK) return;
    if (line.x1 < clip->min_x || line.x0 >= clip->max_x || line.y1 < clip->min_y || line.y0 >= clip->max_y)
        return;
    if (copier->period_x > 0.0) {
        line.x0 = larger_pixel(line.x0, clip->min_x);
        line.x1 = smaller_pixel(line.x1, clip->max_x - 1);
    }
    if (copier->period_y > 0.0) {
        line.y0 = larger_pixel(line.y0, clip->min_y);
        line.y1 = smaller_pixel(line.y1, clip->max_y - 1);
    }
    copier->status = qdi_reserve(picture->allocator, &picture->lines, &picture->line_room,
                                 picture->line_count, picture->line_count + 1, sizeof *picture->lines);
    if (copier->status == QD_OK) picture->lines[picture->line_count++] = line;
}

// Picture's overlay: the ink of a node by its depth or occupancy.
static uint8_t node_ink(int number) {
    return (uint8_t)(QDI_INK_NODE + (number < QDI_NODE_COLOURS ? number : QDI_NODE_COLOURS - 1));
}

// Picture's overlay: adds the four sides of a cell.
static void add_cell_outline(qdi_copy *copier, const qdi_area *clip, const int at[4], int depth,
                             uint8_t ink) {
    add_node_line(copier, clip, (qdi_line){at[0], at[1], at[2], at[1], depth, ink});
    add_node_line(copier, clip, (qdi_line){at[0], at[3], at[2], at[3], depth, ink});
    add_node_line(copier, clip, (qdi_line){at[0], at[1], at[0], at[3], depth, ink});
    add_node_line(copier, clip, (qdi_line){at[2], at[1], at[2], at[3], depth, ink});
}

// Picture's overlay: adds an outline that shows how full a leaf's list is, just inside of its cell.
static void add_occupancy_outline(qdi_copy *copier, const qdi_area *clip, const qd_tree_node_info *node,
                                  const int at[4]) {
    if (!node->leaf || at[2] - at[0] < smallest_node) return;
    uint64_t part = (uint64_t)node->bodies * (QDI_NODE_COLOURS - 1) / copier->world.capacity;
    int number = part < QDI_NODE_COLOURS ? (int)part : QDI_NODE_COLOURS - 1;
    const int inside[4] = {at[0] + 1, at[1] + 1, at[2] - 1, at[3] - 1};
    // What is full lies on top of what is empty only where their cells do, so never.
    add_cell_outline(copier, clip, inside, node->depth, node_ink(number));
}

// Picture's overlay: adds the outlines of a node of the tree.
static void add_node_outline(qdi_copy *copier, const qdi_area *clip, const qd_tree_node_info *node,
                             double min_x, double max_y, double side) {
    const int at[4] = {floor_to_pixel(min_x), floor_to_pixel(max_y - side), floor_to_pixel(min_x + side),
                       floor_to_pixel(max_y)};
    if (copier->view->nodes == QD_VIEW_NODES_OCCUPANCY) {
        add_occupancy_outline(copier, clip, node, at);
        return;
    }
    if (node->depth == 0) add_cell_outline(copier, clip, at, 0, node_ink(0));
    if (node->leaf || 0.5 * side < smallest_node) return;
    int x = floor_to_pixel(min_x + 0.5 * side), y = floor_to_pixel(max_y - 0.5 * side),
        depth = node->depth + 1;
    add_node_line(copier, clip, (qdi_line){x, at[1], x, at[3], depth, node_ink(depth)});
    add_node_line(copier, clip, (qdi_line){at[0], y, at[2], y, depth, node_ink(depth)});
}

// Picture's overlay: the middle of the world.
static qd_vec2 world_middle(const qdi_copy *copier) {
    const qd_world_def *world = &copier->world;
    return (qd_vec2){world->origin.x + 0.5 * world->size.x, world->origin.y + 0.5 * world->size.y};
}

// Copies a node of the tree to the picture, in all images that are seen.
static bool copy_tree_node(void *context, const qd_tree_node_info *node) {
    qdi_copy *copier = context;
    copier->picture->facts.nodes += 1;
    if (copier->view->nodes == QD_VIEW_NODES_NONE || copier->status != QD_OK) return true;
    // Cells are given relative to the world's centre.
    const qd_vec2 centre = world_middle(copier);
    double x = qdi_camera_x(&copier->camera, node->min_x + centre.x);
    double y = qdi_camera_y(&copier->camera, node->min_y + centre.y);
    double side = node->side * copier->camera.scale;
    const qdi_images images = qdi_picture_images(copier, x + 0.5 * side, y - 0.5 * side, 0.5 * side);
    for (int j = images.y0; j <= images.y1; ++j) {
        for (int i = images.x0; i <= images.x1; ++i) {
            const qdi_area clip = area_of_world_image(copier, i, j);
            add_node_outline(copier, &clip, node, x + i * copier->period_x, y + j * copier->period_y, side);
        }
    }
    return true;
}

void qdi_overlay_frame(qdi_copy *copier, const double rect[4], int thick, uint8_t ink, bool held) {
    qdi_picture *picture = copier->picture;
    double x = 0.5 * (rect[0] + rect[2]), y = 0.5 * (rect[1] + rect[3]);
    double wide = 0.5 * fabs(rect[2] - rect[0]), high = 0.5 * fabs(rect[3] - rect[1]);
    const qdi_images images = qdi_picture_images(copier, x, y, wide > high ? wide : high);
    for (int j = images.y0; j <= images.y1; ++j) {
        for (int i = images.x0; i <= images.x1 && copier->status == QD_OK; ++i) {
            double mx = x + i * copier->period_x, my = y + j * copier->period_y;
            qdi_frame frame = {floor_to_pixel(mx - wide),
                               floor_to_pixel(my - high),
                               floor_to_pixel(mx + wide),
                               floor_to_pixel(my + high),
                               thick,
                               ink};
            const qdi_area clip = held ? area_of_world_image(copier, i, j) : picture->clip;
            if (frame.x1 < clip.min_x || frame.x0 >= clip.max_x || frame.y1 < clip.min_y ||
                frame.y0 >= clip.max_y)
                continue;
            copier->status = qdi_reserve(picture->allocator, &picture->frames, &picture->frame_room,
                                         picture->frame_count, picture->frame_count + 1,
                                         sizeof *picture->frames);
            if (copier->status == QD_OK) picture->frames[picture->frame_count++] = frame;
        }
    }
}

// Copies a node that was split or merged to the picture.
static void copy_node_change(void *context, const qdi_cell_of *cell, bool split) {
    qdi_copy *copier = context;
    const qd_vec2 centre = world_middle(copier);
    double x = qdi_camera_x(&copier->camera, cell->x + centre.x);
    double y = qdi_camera_y(&copier->camera, cell->y + centre.y), side = cell->side * copier->camera.scale;
    const double rect[4] = {x, y - side, x + side, y};
    qdi_overlay_frame(copier, rect, 2, split ? QDI_INK_SPLIT : QDI_INK_MERGED, true);
}

// Picture's overlay: copies the nodes that were split or merged since the frame before.
static void copy_node_changes(qdi_copy *copier) {
    qdi_changes now = {.allocator = copier->picture->allocator};
    if (copier->status == QD_OK) copier->status = qdi_changes_note(&now, copier->tree);
    if (copier->status == QD_OK) qdi_changes_compare(copier->before, &now, copy_node_change, copier);
    qdi_changes_release(&now);
}

// Picture's overlay: the radius of a body of a contact, HUGE_VAL for a wall; below 0 where the body is gone.
static double contact_body_radius(const qdi_copy *copier, qd_id id) {
    if (qd_id_is_wall(id)) return HUGE_VAL;
    uint32_t row = qd_body_view_row(&copier->bodies, id);
    return row == UINT32_MAX ? -1.0 : copier->bodies.radius[row];
}

// Picture's overlay: half the length of a mark that shows an impulse, in pixels.
static double impulse_mark_length(const qdi_copy *copier, double impulse, double most, double radius) {
    if (copier->view->contacts != QD_VIEW_CONTACTS_IMPULSE) return -1.0;
    double part = most > 0.0 ? sqrt(fabs(impulse) / most) : 0.0;
    double half = radius * (shortest_impulse + (longest_impulse - shortest_impulse) * part);
    return half < most_impulse ? half : most_impulse;
}

// Picture's overlay: makes the mark of a contact point; its radius is below 0 where one of the two bodies is
// gone.
static qdi_mark make_contact_mark(const qdi_copy *copier, const qd_contact *contact, int touch, double most) {
    double radius = contact_body_radius(copier, contact->a), other = contact_body_radius(copier, contact->b);
    if (other < radius) radius = other;
    radius *= copier->camera.scale;
    return (qdi_mark){(float)qdi_camera_x(&copier->camera, contact->touch[touch].point.x),
                      (float)qdi_camera_y(&copier->camera, contact->touch[touch].point.y),
                      (float)contact->normal.x,
                      -(float)contact->normal.y,
                      (float)radius,
                      (float)impulse_mark_length(copier, contact->touch[touch].impulse, most, radius)};
}

// Picture's overlay: adds the mark of a contact point, in all images that are seen.
static void add_contact_mark(qdi_copy *copier, qdi_mark mark) {
    qdi_picture *picture = copier->picture;
    const qdi_images images = qdi_picture_images(copier, (double)mark.x, (double)mark.y, 0.0);
    for (int j = images.y0; j <= images.y1; ++j) {
        for (int i = images.x0; i <= images.x1 && copier->status == QD_OK; ++i) {
            qdi_mark image = mark;
            image.x += (float)(i * copier->period_x);
            image.y += (float)(j * copier->period_y);
            if (!qdi_disk_visible(&picture->clip, (double)image.x, (double)image.y, 0.0)) continue;
            copier->status = qdi_reserve(picture->allocator, &picture->marks, &picture->mark_room,
                                         picture->mark_count, picture->mark_count + 1,
                                         sizeof *picture->marks);
            if (copier->status == QD_OK) picture->marks[picture->mark_count++] = image;
        }
    }
}

// Picture's overlay: the largest impulse of all contacts.
static double largest_contact_impulse(const qdi_copy *copier) {
    double most = 0.0;
    for (size_t i = 0; i < copier->contact_count; ++i) {
        for (int k = 0; k < copier->contacts[i].count; ++k) {
            double impulse = fabs(copier->contacts[i].touch[k].impulse);
            if (impulse > most) most = impulse;
        }
    }
    return most;
}

// Picture's overlay: true where a query's bodies are lit, and none of them has this contact.
static bool is_contact_dim(const qdi_copy *copier, const qd_contact *contact) {
    const uint8_t *lit = copier->shade.lit;
    const size_t count = copier->bodies.index_count;
    return lit && !(contact->a.index < count && lit[contact->a.index]) &&
           !(contact->b.index < count && lit[contact->b.index]);
}

// Picture's overlay: true where some body is large enough for its contacts to be marked.
static bool marks_any_contact(const qdi_copy *copier) {
    double largest = 0.0;
    for (size_t i = 0; i < copier->bodies.count; ++i)
        largest = copier->bodies.radius[i] > largest ? copier->bodies.radius[i] : largest;
    return (float)(largest * copier->camera.scale) >= (float)smallest_marked;
}

// Copies the contacts to the picture as marks.
static void copy_contact_marks(qdi_copy *copier) {
    if (copier->view->contacts == QD_VIEW_CONTACTS_NONE || !marks_any_contact(copier)) return;
    double most = copier->view->contacts == QD_VIEW_CONTACTS_IMPULSE ? largest_contact_impulse(copier) : 0.0;
    for (size_t i = 0; i < 2 * copier->contact_count && copier->status == QD_OK; ++i) {
        const qd_contact *contact = &copier->contacts[i / 2];
        int touch = (int)(i % 2);
        if (touch >= contact->count || contact->touch[touch].depth < 0 || is_contact_dim(copier, contact))
            continue;
        qdi_mark mark = make_contact_mark(copier, contact, touch, most);
        if (mark.radius >= (float)smallest_marked) add_contact_mark(copier, mark);
    }
}

void qdi_overlay_copy(qdi_copy *copier) {
    if (copier->status == QD_OK) copy_contact_marks(copier);
    if (copier->status == QD_OK) qd_tree_visit_nodes(copier->tree, copy_tree_node, copier);
    if (copier->status == QD_OK && copier->view->nodes == QD_VIEW_NODES_CHANGED && copier->before)
        copy_node_changes(copier);
    if (copier->status == QD_OK && copier->view->retrieve != QD_VIEW_NOBODY) qdi_overlay_retrieve(copier);
}
