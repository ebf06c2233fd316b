#include "export/picture/picture.h"

#include "core/base/memory.h"
#include "export/picture/picture_impl.h"
#include "export/picture/refiled.h"
#include "sim/world/world_team.h"

#include <math.h>
#include <quadrille/hexatic.h>

// Frees what a picture holds.
void qdi_picture_destroy(qdi_picture *picture) {
    qdi_release(picture->allocator, picture->disks, picture->disk_room, sizeof *picture->disks);
    qdi_release(picture->allocator, picture->corners, picture->corner_room, sizeof *picture->corners);
    qdi_release(picture->allocator, picture->blocks, picture->block_room, sizeof *picture->blocks);
    qdi_release(picture->allocator, picture->psi6, picture->psi6_room, sizeof *picture->psi6);
    qdi_release(picture->allocator, picture->seen, picture->seen_room, sizeof *picture->seen);
    qdi_release(picture->allocator, picture->lines, picture->line_room, sizeof *picture->lines);
    qdi_release(picture->allocator, picture->lit, picture->lit_room, sizeof *picture->lit);
    qdi_release(picture->allocator, picture->frames, picture->frame_room, sizeof *picture->frames);
    qdi_release(picture->allocator, picture->patches, picture->patch_room, sizeof *picture->patches);
    qdi_release(picture->allocator, picture->arrows, picture->arrow_room, sizeof *picture->arrows);
    qdi_release(picture->allocator, picture->trails, picture->trail_room, sizeof *picture->trails);
    qdi_release(picture->allocator, picture->marks, picture->mark_room, sizeof *picture->marks);
    *picture = (qdi_picture){0};
}

// Picture: how a side of the world is drawn: as a wall, open or periodic.
static qdi_side side_of_boundary(qd_boundary boundary) {
    if (boundary == QD_BOUNDARY_PERIODIC) return QDI_SIDE_PERIODIC;
    return boundary == QD_BOUNDARY_OPEN ? QDI_SIDE_OPEN : QDI_SIDE_WALL;
}

// A value limited to the picture.
static int clamp_to_picture(double value, int low, int high) {
    return value < low ? low : (value > high ? high : (int)floor(value + 0.5));
}

// Sets the part of the picture that shows the world.
// Bodies may be seen beyond an open side; at a periodic one the images end, and walls end the nodes'
// outlines. The world keeps its place in the picture; walls that move are drawn where they are.
static void set_world_frame(qdi_copy *copier, qdi_area area, bool whole) {
    qdi_picture *picture = copier->picture;
    const qd_world_def *world = &copier->world;
    const qdi_camera *camera = &copier->camera;
    qd_vec2 low, high;
    qd_world_sides(copier->from, &low, &high);
    double scale = camera->scale;
    // How far the world's corner is from the camera's: 0 where all of the world is shown.
    double x = world->origin.x - camera->x0, y = world->origin.y - camera->y0;
    double left = camera->left + (x + (low.x - world->origin.x)) * scale;
    double bottom = camera->bottom - (y + (low.y - world->origin.y)) * scale;
    double right = camera->left +
                   (x + (world->size.x + (high.x - (world->origin.x + world->size.x)))) * scale;
    double top = camera->bottom -
                 (y + (world->size.y + (high.y - (world->origin.y + world->size.y)))) * scale;
    picture->world = (qdi_area){
        clamp_to_picture(left, area.min_x, area.max_x), clamp_to_picture(top, area.min_y, area.max_y),
        clamp_to_picture(right, area.min_x, area.max_x), clamp_to_picture(bottom, area.min_y, area.max_y)};
    picture->side_x = side_of_boundary(world->boundary_x);
    picture->side_y = side_of_boundary(world->boundary_y);
    picture->clip = area;
    // What is seen of a part of a periodic world has images all round.
    if (picture->side_x == QDI_SIDE_WALL || (whole && picture->side_x == QDI_SIDE_PERIODIC)) {
        picture->clip.min_x = picture->world.min_x;
        picture->clip.max_x = picture->world.max_x;
    }
    if (picture->side_y == QDI_SIDE_WALL || (whole && picture->side_y == QDI_SIDE_PERIODIC)) {
        picture->clip.min_y = picture->world.min_y;
        picture->clip.max_y = picture->world.max_y;
    }
}

/// Picture: measures the hexatic order that bodies are coloured by. Where it cannot be, none has any.
static void measure_order(qdi_copy *copier) {
    qdi_picture *picture = copier->picture;
    if (copier->view->colour != QD_VIEW_PSI6) return;
    copier->status = qdi_reserve(picture->allocator, &picture->psi6, &picture->psi6_room, 0,
                                 copier->bodies.count, sizeof *picture->psi6);
    if (copier->status != QD_OK) return;
    const qd_status measured = qd_hexatic_measure(copier->from, QD_HEXATIC_REACH, picture->psi6);
    if (measured == QD_OK) copier->shade.psi6 = picture->psi6;
}

qd_status qdi_picture_copy(qdi_picture *picture, const qd_world *world, const qd_view *view, qdi_area area,
                           double top, const qdi_changes *before) {
    const qdi_camera_part shown = qdi_camera_part_of(&view->camera, world);
    return qdi_picture_copy_part(picture, world, view, area, &shown, top, before);
}

qd_status qdi_picture_copy_part(qdi_picture *picture, const qd_world *world, const qd_view *view,
                                qdi_area area, const qdi_camera_part *shown, double top,
                                const qdi_changes *before) {
    qdi_copy copier = {.picture = picture,
                       .from = world,
                       .view = view,
                       .bodies = qd_world_view(world),
                       .shade = qdi_shade_of(view, world, top),
                       .tree = qd_world_tree(world),
                       .world = qd_world_definition(world),
                       .camera = qdi_camera_fit(shown->size, shown->origin, area),
                       .before = before,
                       .status = QD_OK};
    if (picture->refiled) copier.shade.refiled = picture->refiled->hues;
    if (copier.world.boundary_x == QD_BOUNDARY_PERIODIC)
        copier.period_x = copier.world.size.x * copier.camera.scale;
    if (copier.world.boundary_y == QD_BOUNDARY_PERIODIC)
        copier.period_y = copier.world.size.y * copier.camera.scale;
    copier.contacts = qd_world_contacts(world, &copier.contact_count);
    set_world_frame(&copier, area, shown->whole);
    const qdi_searched searched = qdi_world_searched(world);
    picture->facts = (qdi_facts){.step = qd_world_steps(world),
                                 .stage = qd_world_stage(world),
                                 .time = qd_world_time(world),
                                 .bodies = copier.bodies.count,
                                 .contacts = copier.contact_count,
                                 .refiled = picture->refiled ? picture->refiled->lit : 0,
                                 .candidates = copier.bodies.count > 0
                                                   ? (double)searched.candidates / (double)copier.bodies.count
                                                   : 0.0,
                                 .tests = searched.tests,
                                 .rate = (double)NAN,
                                 .cost = (double)NAN,
                                 .scale = copier.camera.scale};
    picture->line_count = picture->mark_count = picture->frame_count = 0;
    measure_order(&copier);
    qdi_field_map_copy(&copier);
    qdi_overlay_query(&copier);
    qdi_picture_bodies(&copier);
    qdi_trails_copy(&copier);
    qdi_overlay_copy(&copier);
    return copier.status;
}
