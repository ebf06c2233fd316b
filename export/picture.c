#include "export/picture.h"

#include "core/memory.h"

#include <math.h>

// Nodes with sides below this many pixels are not outlined: they would drown the picture.
static const double smallest_node = 4.0;

// Contacts between bodies with radii below this many pixels get no mark: the bodies' colour says it all.
static const double smallest_marked = 1.5;

// Figures that reach less far than this many pixels from their centre are drawn as disks of their area; lines are at
// least so wide on either side.
static const double smallest_figure = 1.0, smallest_line = 0.6;

// By how much figures with sides are drawn smaller than they are: a part of their size, some pixels at most.
static const double inset_part = 0.08, largest_inset = 0.5;

// A disk's numbers stay where float32 is finer than a tenth of a pixel and whole pixels fit into an int.
static const double largest_radius = 5e5;

static int clamp_pixel(double value) {
    if (value < -1e6) return -1000000;
    return value > 1e6 ? 1000000 : (int)floor(value);
}

qdi_camera qdi_camera_fit(qd_vec2 size, qd_vec2 origin, qdi_area area) {
    double wide = area.max_x - area.min_x, high = area.max_y - area.min_y;
    double margin = floor((wide < high ? wide : high) / 48.0) + 2.0;
    double scale_x = (wide - 2.0 * margin) / size.x, scale_y = (high - 2.0 * margin) / size.y;
    qdi_camera camera = {.x0 = origin.x, .y0 = origin.y, .scale = scale_x < scale_y ? scale_x : scale_y};
    // On whole pixels at the left and at the bottom, so that walls there are sharp.
    camera.left = floor(area.min_x + 0.5 * (wide - size.x * camera.scale));
    camera.bottom = floor(area.max_y - 0.5 * (high - size.y * camera.scale));
    return camera;
}

static double pixel_x(const qdi_camera *camera, double x) {
    return camera->left + (x - camera->x0) * camera->scale;
}

static double pixel_y(const qdi_camera *camera, double y) {
    return camera->bottom - (y - camera->y0) * camera->scale;
}

void qdi_picture_init(qdi_picture *picture, const qd_allocator *allocator) {
    *picture = (qdi_picture){.allocator = allocator};
}

void qdi_picture_destroy(qdi_picture *picture) {
    qdi_release(picture->allocator, picture->disks, picture->disk_room, sizeof *picture->disks);
    qdi_release(picture->allocator, picture->corners, picture->corner_room, sizeof *picture->corners);
    qdi_release(picture->allocator, picture->lines, picture->line_room, sizeof *picture->lines);
    qdi_release(picture->allocator, picture->marks, picture->mark_room, sizeof *picture->marks);
    *picture = (qdi_picture){0};
}

static double speed_of(const qd_body_view *bodies, size_t row) {
    double vx = bodies->vx[row], vy = bodies->vy[row];
    return sqrt(vx * vx + vy * vy);
}

double qdi_speed_top(const qd_world *world) {
    qd_body_view bodies = qd_world_view(world);
    double fastest = 0.0, sum = 0.0;
    for (size_t row = 0; row < bodies.count; ++row) {
        double speed = speed_of(&bodies, row);
        if (speed > fastest) fastest = speed;
    }
    if (!(fastest > 0.0)) return 1.0;
    // In order of index, whatever the rows' order, and relative to the fastest: no square overflows.
    for (size_t i = 0; i < bodies.index_count; ++i) {
        uint32_t row = bodies.row_of_index[i];
        if (row == UINT32_MAX) continue;
        double part = speed_of(&bodies, row) / fastest;
        sum += part * part;
    }
    return 3.0 * fastest * sqrt(sum / (double)bodies.count);
}

// What the callbacks and helpers below need of one copy.
typedef struct copy_job {
    qdi_picture *picture;
    const qd_view *view;
    qd_body_view bodies;
    qd_world_def world;
    qdi_camera camera;
    double speed_top;
    qd_status status;
} copy_job;

// The disk as it is drawn. One that is much larger than any picture is replaced by a smaller one with the
// same edge at the place nearest to the picture's middle: there both are straight.
static qdi_disk make_disk(const copy_job *copier, double x, double y, double radius, uint32_t hue) {
    if (radius > largest_radius) {
        const qdi_area *clip = &copier->picture->clip;
        double to_x = x - 0.5 * (clip->min_x + clip->max_x), to_y = y - 0.5 * (clip->min_y + clip->max_y);
        double distance = sqrt(to_x * to_x + to_y * to_y);
        double shrink = distance > 0.0 ? (radius - largest_radius) / distance : 0.0;
        x -= to_x * shrink;
        y -= to_y * shrink;
        radius = largest_radius;
    }
    return (qdi_disk){.x = (float)x, .y = (float)y, .radius = (float)radius, .hue = hue};
}

// Corners of a shape's core, in its own axes.
static int core_of(const qd_shape *shape, qd_vec2 core[QD_POLYGON_MAX]) {
    double x = shape->half.x, y = shape->half.y;
    switch (shape->kind) {
    case QD_SHAPE_DISK: core[0] = (qd_vec2){0, 0}; return 1;
    case QD_SHAPE_CAPSULE:
        core[0] = (qd_vec2){-x, 0};
        core[1] = (qd_vec2){x, 0};
        return 2;
    case QD_SHAPE_RECT:
        core[0] = (qd_vec2){-x, -y};
        core[1] = (qd_vec2){x, -y};
        core[2] = (qd_vec2){x, y};
        core[3] = (qd_vec2){-x, y};
        return 4;
    case QD_SHAPE_POLYGON: break;
    }
    for (int i = 0; i < shape->count; ++i) core[i] = shape->points[i];
    return shape->count;
}

static double over(qd_vec2 p, bool along_x, double sign, double limit) {
    return sign * ((along_x ? p.x : p.y) - limit);
}

static qd_vec2 between(qd_vec2 p, qd_vec2 q, double part) {
    return (qd_vec2){p.x + part * (q.x - p.x), p.y + part * (q.y - p.y)};
}

static int cut_line(qd_vec2 *corner, double over_p, double over_q) {
    if (over_p > 0 && over_q > 0) return 0;
    qd_vec2 cut = over_p == over_q ? corner[0] : between(corner[0], corner[1], over_p / (over_p - over_q));
    if (over_p > 0) corner[0] = cut;
    if (over_q > 0) corner[1] = cut;
    return 2;
}

// Cuts what lies beyond `limit` (before it for `sign` -1) off a line or a convex figure, along x or y.
static int cut_off(qd_vec2 *corner, int count, bool along_x, double sign, double limit) {
    qd_vec2 kept[QDI_CORNERS_MAX + 1];
    int made = 0;
    if (count == 2)
        return cut_line(corner, over(corner[0], along_x, sign, limit), over(corner[1], along_x, sign, limit));
    for (int i = 0; i < count; ++i) {
        qd_vec2 p = corner[i], q = corner[(i + 1) % count];
        double over_p = over(p, along_x, sign, limit), over_q = over(q, along_x, sign, limit);
        if (over_p <= 0) kept[made++] = p;
        if ((over_p <= 0) == (over_q <= 0) || made > QDI_CORNERS_MAX - 1) continue;
        kept[made++] = between(p, q, over_p / (over_p - over_q));
    }
    for (int i = 0; i < made; ++i) corner[i] = kept[i];
    return made;
}

// The figure of a body as it is drawn at (x, y): cut off well outside of the picture, so that numbers stay small, and
// a little smaller than it is, so that boxes that stand side by side can be told apart.
static qdi_disk make_figure(const copy_job *copier, const qd_shape *shape, size_t row, double x, double y,
                            uint32_t hue) {
    qdi_picture *picture = copier->picture;
    const qdi_area *clip = &picture->clip;
    double scale = copier->camera.scale, c = copier->bodies.turn_c[row], s = copier->bodies.turn_s[row];
    double radius = shape->radius * scale;
    if (copier->bodies.radius[row] * scale < smallest_figure) {
        double drawn = sqrt(qd_shape_area(shape) / 3.14159265358979324) * scale;
        return make_disk(copier, x, y, drawn > 0 ? drawn : smallest_line, hue);
    }
    qd_vec2 corner[QDI_CORNERS_MAX + 1];
    int count = core_of(shape, corner);
    for (int i = 0; i < count; ++i)
        corner[i] = (qd_vec2){x + scale * (c * corner[i].x - s * corner[i].y),
                              y - scale * (s * corner[i].x + c * corner[i].y)};
    double room = radius + 64.0;
    if (count > 1) {
        count = cut_off(corner, count, true, -1, clip->min_x - room);
        count = cut_off(corner, count, true, 1, clip->max_x + room);
        count = cut_off(corner, count, false, -1, clip->min_y - room);
        count = cut_off(corner, count, false, 1, clip->max_y + room);
    }
    if (count == 0) return make_disk(copier, clip->min_x - 64.0, clip->min_y - 64.0, 1, hue);
    double inset = inset_part * copier->bodies.radius[row] * scale;
    if (count > 2) radius -= inset < largest_inset ? inset : largest_inset;
    if (count <= 2 && radius < smallest_line) radius = smallest_line;
    qdi_disk made = {.x = (float)x,
                     .y = (float)y,
                     .radius = (float)radius,
                     .hue = hue,
                     .corners = (uint32_t)count,
                     .first_corner = (uint32_t)picture->corner_count};
    for (int i = 0; i < count; ++i)
        picture->corners[picture->corner_count++] = (qdi_corner){(float)corner[i].x, (float)corner[i].y};
    return made;
}

static bool disk_visible(const qdi_area *clip, double x, double y, double radius) {
    double reach = radius + 2.0;
    return x + reach > clip->min_x && x - reach < clip->max_x && y + reach > clip->min_y &&
           y - reach < clip->max_y;
}

// One body, and its images at the other side of a periodic world where it reaches over the border.
static void copy_body(copy_job *copier, size_t row) {
    const qd_body_view *bodies = &copier->bodies;
    qdi_picture *picture = copier->picture;
    double x = pixel_x(&copier->camera, bodies->x[row]), y = pixel_y(&copier->camera, bodies->y[row]);
    double radius = bodies->radius[row] * copier->camera.scale;
    int images_x = copier->world.boundary_x == QD_BOUNDARY_PERIODIC;
    int images_y = copier->world.boundary_y == QD_BOUNDARY_PERIODIC;
    double period_x = copier->world.size.x * copier->camera.scale;
    double period_y = copier->world.size.y * copier->camera.scale;
    bool lit = bodies->touching[row] && bodies->kind[row] != QD_BODY_STATIC;
    uint32_t hue = copier->view->colour == QD_VIEW_SPEED
                       ? qdi_hue_of_speed(speed_of(bodies, row), copier->speed_top)
                       : (lit ? QDI_HUE_TOUCHING : QDI_HUE_REST);
    const qd_shape *shape = bodies->shapes && bodies->shape[row] ? bodies->shapes[bodies->shape[row]] : NULL;
    for (int j = -images_y; j <= images_y; ++j) {
        for (int i = -images_x; i <= images_x; ++i) {
            double image_x = x + i * period_x, image_y = y + j * period_y;
            if (!disk_visible(&picture->clip, image_x, image_y, radius)) continue;
            picture->disks[picture->disk_count++] = shape ? make_figure(copier, shape, row, image_x, image_y,
                                                                        hue)
                                                          : make_disk(copier, image_x, image_y, radius, hue);
        }
    }
}

static void copy_bodies(copy_job *copier) {
    qdi_picture *picture = copier->picture;
    bool periodic = copier->world.boundary_x == QD_BOUNDARY_PERIODIC ||
                    copier->world.boundary_y == QD_BOUNDARY_PERIODIC;
    picture->disk_count = picture->corner_count = 0;
    for (size_t i = 0; i < copier->bodies.index_count; ++i) {
        uint32_t row = copier->bodies.row_of_index[i];
        if (row == UINT32_MAX) continue;
        size_t images = periodic ? 9 : 1, need = picture->disk_count + images;
        if (copier->bodies.shape[row]) {
            copier->status = qdi_reserve(
                picture->allocator, &picture->corners, &picture->corner_room, picture->corner_count,
                picture->corner_count + images * QDI_CORNERS_MAX, sizeof *picture->corners);
            if (copier->status != QD_OK) return;
        }
        if (need > picture->disk_room) {
            if (need < copier->bodies.count) need = copier->bodies.count;
            copier->status = qdi_reserve(picture->allocator, &picture->disks, &picture->disk_room,
                                         picture->disk_count, need, sizeof *picture->disks);
            if (copier->status != QD_OK) return;
        }
        copy_body(copier, row);
    }
}

static void add_line(copy_job *copier, qdi_line line) {
    qdi_picture *picture = copier->picture;
    const qdi_area *clip = &picture->clip;
    if (copier->status != QD_OK) return;
    if (line.x1 < clip->min_x || line.x0 >= clip->max_x || line.y1 < clip->min_y || line.y0 >= clip->max_y)
        return;
    copier->status = qdi_reserve(picture->allocator, &picture->lines, &picture->line_room,
                                 picture->line_count, picture->line_count + 1, sizeof *picture->lines);
    if (copier->status == QD_OK) picture->lines[picture->line_count++] = line;
}

static bool copy_node(void *context, const qd_tree_node_info *node) {
    copy_job *copier = context;
    const qdi_camera *camera = &copier->camera;
    const qd_world_def *world = &copier->world;
    copier->picture->facts.nodes += 1;
    if (copier->view->nodes == QD_VIEW_NODES_NONE || copier->status != QD_OK) return true;
    // Cells are told relative to the world's centre.
    double centre_x = world->origin.x + 0.5 * world->size.x, centre_y = world->origin.y + 0.5 * world->size.y;
    double min_x = pixel_x(camera, node->min_x + centre_x);
    double max_y = pixel_y(camera, node->min_y + centre_y);
    double side = node->side * camera->scale;
    int x0 = clamp_pixel(min_x), x1 = clamp_pixel(min_x + side);
    int y0 = clamp_pixel(max_y - side), y1 = clamp_pixel(max_y);
    if (node->depth == 0) {
        add_line(copier, (qdi_line){x0, y0, x1, y0, 0});
        add_line(copier, (qdi_line){x0, y1, x1, y1, 0});
        add_line(copier, (qdi_line){x0, y0, x0, y1, 0});
        add_line(copier, (qdi_line){x1, y0, x1, y1, 0});
    }
    if (!node->leaf && 0.5 * side >= smallest_node) {
        int x = clamp_pixel(min_x + 0.5 * side), y = clamp_pixel(max_y - 0.5 * side);
        add_line(copier, (qdi_line){x, y0, x, y1, node->depth + 1});
        add_line(copier, (qdi_line){x0, y, x1, y, node->depth + 1});
    }
    return true;
}

// A value brought into [low, low + period).
static double wrapped(double value, double low, double period) {
    return value - period * floor((value - low) / period);
}

static double radius_of(const copy_job *copier, qd_id id) {
    return copier->bodies.radius[copier->bodies.row_of_index[id.index]];
}

static qdi_mark make_mark(const copy_job *copier, const qd_contact *contact, int touch) {
    const qd_world_def *world = &copier->world;
    double x = contact->touch[touch].point.x, y = contact->touch[touch].point.y;
    if (world->boundary_x == QD_BOUNDARY_PERIODIC) x = wrapped(x, world->origin.x, world->size.x);
    if (world->boundary_y == QD_BOUNDARY_PERIODIC) y = wrapped(y, world->origin.y, world->size.y);
    double radius = radius_of(copier, contact->a);
    if (!qd_id_is_wall(contact->b)) {
        double other = radius_of(copier, contact->b);
        if (other < radius) radius = other;
    }
    return (qdi_mark){(float)pixel_x(&copier->camera, x), (float)pixel_y(&copier->camera, y),
                      (float)contact->normal.x, -(float)contact->normal.y,
                      (float)(radius * copier->camera.scale)};
}

static void copy_contacts(copy_job *copier, const qd_contact *contacts, size_t count) {
    qdi_picture *picture = copier->picture;
    picture->mark_count = 0;
    if (!copier->view->contacts) return;
    copier->status = qdi_reserve(picture->allocator, &picture->marks, &picture->mark_room, 0, 2 * count,
                                 sizeof *picture->marks);
    if (copier->status != QD_OK) return;
    for (size_t i = 0; i < 2 * count; ++i) {
        const qd_contact *contact = &contacts[i / 2];
        int touch = (int)(i % 2);
        if (touch >= contact->count || contact->touch[touch].depth < 0) continue;
        qdi_mark mark = make_mark(copier, contact, touch);
        if (mark.radius < (float)smallest_marked) continue;
        if (!disk_visible(&picture->clip, (double)mark.x, (double)mark.y, 0.0)) continue;
        picture->marks[picture->mark_count++] = mark;
    }
}

static qdi_side side_of(qd_boundary boundary) {
    if (boundary == QD_BOUNDARY_PERIODIC) return QDI_SIDE_PERIODIC;
    return boundary == QD_BOUNDARY_OPEN ? QDI_SIDE_OPEN : QDI_SIDE_WALL;
}

// A value no further out than the picture.
static int within(double value, int low, int high) {
    return value < low ? low : (value > high ? high : (int)floor(value + 0.5));
}

// Bodies may be seen beyond an open side; at a periodic one the images end, and walls end the nodes'
// outlines. The world keeps its place in the picture; walls that move are drawn where they are.
static void frame_world(copy_job *copier, const qd_world *from, qdi_area area) {
    qdi_picture *picture = copier->picture;
    const qd_world_def *world = &copier->world;
    const qdi_camera *camera = &copier->camera;
    qd_vec2 low, high;
    qd_world_sides(from, &low, &high);
    double scale = camera->scale;
    // How far the world's corner is from the camera's: 0 where all of the world is shown.
    double x = world->origin.x - camera->x0, y = world->origin.y - camera->y0;
    double left = camera->left + (x + (low.x - world->origin.x)) * scale;
    double bottom = camera->bottom - (y + (low.y - world->origin.y)) * scale;
    double right = camera->left +
                   (x + (world->size.x + (high.x - (world->origin.x + world->size.x)))) * scale;
    double top = camera->bottom -
                 (y + (world->size.y + (high.y - (world->origin.y + world->size.y)))) * scale;
    picture->world = (qdi_area){within(left, area.min_x, area.max_x), within(top, area.min_y, area.max_y),
                                within(right, area.min_x, area.max_x),
                                within(bottom, area.min_y, area.max_y)};
    picture->side_x = side_of(world->boundary_x);
    picture->side_y = side_of(world->boundary_y);
    picture->clip = area;
    if (picture->side_x != QDI_SIDE_OPEN) {
        picture->clip.min_x = picture->world.min_x;
        picture->clip.max_x = picture->world.max_x;
    }
    if (picture->side_y != QDI_SIDE_OPEN) {
        picture->clip.min_y = picture->world.min_y;
        picture->clip.max_y = picture->world.max_y;
    }
}

qd_status qdi_picture_copy(qdi_picture *picture, const qd_world *world, const qd_view *view, qdi_area area,
                           double speed_top) {
    const qd_world_def def = qd_world_definition(world);
    return qdi_picture_copy_part(picture, world, view, area, def.size, def.origin, speed_top);
}

qd_status qdi_picture_copy_part(qdi_picture *picture, const qd_world *world, const qd_view *view,
                                qdi_area area, qd_vec2 size, qd_vec2 origin, double speed_top) {
    copy_job copier = {.picture = picture,
                       .view = view,
                       .bodies = qd_world_view(world),
                       .world = qd_world_definition(world),
                       .speed_top = speed_top,
                       .status = QD_OK};
    size_t contact_count = 0;
    const qd_contact *contacts = qd_world_contacts(world, &contact_count);
    copier.camera = qdi_camera_fit(size, origin, area);
    frame_world(&copier, world, area);
    picture->facts = (qdi_facts){.step = qd_world_steps(world),
                                 .time = qd_world_time(world),
                                 .bodies = copier.bodies.count,
                                 .contacts = contact_count};
    picture->line_count = 0;
    copy_bodies(&copier);
    if (copier.status == QD_OK) copy_contacts(&copier, contacts, contact_count);
    if (copier.status == QD_OK) qd_tree_visit_nodes(qd_world_tree(world), copy_node, &copier);
    return copier.status;
}
