#include "sim/scene/generate_obstacles.h"

#include "core/base/memory.h"
#include "sim/scene/scene_impl.h"
#include "sim/shape/distance.h"

#include <quadrille/math.h>

#include <math.h>

// Position and angle of an obstacle that generated bodies avoid.
static qdi_pose obstacle_pose(qd_vec2 at, double angle) {
    qdi_pose pose = {at.x, at.y, 1, 0};
    if (angle != 0) qd_sincos(angle, &pose.s, &pose.c);
    return pose;
}

// Adds an obstacle that generated bodies avoid.
static qd_status add_obstacle(qdi_obstacles *obstacles, const qd_shape *shape, qd_vec2 at, double angle) {
    qd_shape settled = *shape;
    qd_vec2 moved;
    if (qd_shape_normalise(&settled, &moved, NULL) != QD_OK) return QD_OK;
    qd_status status = qdi_reserve(obstacles->allocator, &obstacles->obstacle, &obstacles->room,
                                   obstacles->count, obstacles->count + 1, sizeof(qdi_obstacle));
    if (status != QD_OK) return status;
    qdi_obstacle *made = &obstacles->obstacle[obstacles->count++];
    made->look.shape = settled;
    qdi_hull_make(&made->look.shape, &made->look.hull);
    made->pose = obstacle_pose(at, angle);
    made->pose.x += made->pose.c * moved.x - made->pose.s * moved.y;
    made->pose.y += made->pose.s * moved.x + made->pose.c * moved.y;
    made->reach = qd_shape_reach(&settled);
    return QD_OK;
}

// Adds the edges of a polyline as obstacles.
static qd_status add_obstacle_edges(qdi_obstacles *obstacles, const qdi_settings *settings,
                                    const qdi_body_item *item) {
    const qd_vec2 *points = settings->points + item->points.first;
    for (size_t edge = 0; edge < item->count; ++edge) {
        qd_shape shape;
        qd_vec2 at;
        double angle;
        if (qd_shape_chain(points, item->points.count, item->closed, edge, item->thickness, &shape, &at,
                           &angle, NULL) != QD_OK)
            continue;
        qd_status status = add_obstacle(obstacles, &shape, at, angle);
        if (status != QD_OK) return status;
    }
    return QD_OK;
}

/// Generator's obstacles: bodies of a file that are no disks.
static qd_status add_file(qdi_obstacles *obstacles, const qdi_body_file *file) {
    qd_status status = QD_OK;
    for (size_t k = 0; k < file->count && status == QD_OK; ++k) {
        const qdi_disk_row *row = &file->rows[k];
        if (row->shape > 0)
            status = add_obstacle(obstacles, &file->shapes[row->shape - 1], (qd_vec2){row->x, row->y},
                                  row->angle);
    }
    return status;
}

/// Generator's obstacles: bodies of another run that are no disks.
static qd_status add_run(qdi_obstacles *obstacles, const qdi_item_run *run) {
    qd_status status = QD_OK;
    for (size_t k = 0; k < run->count && status == QD_OK; ++k) {
        qd_body_state state = qdi_item_run_body(run, k);
        if (state.shape.kind == QD_SHAPE_DISK) continue;
        size_t number = obstacles->count;
        status = add_obstacle(obstacles, &state.shape, state.position, 0);
        if (status != QD_OK || obstacles->count == number) continue;
        obstacles->obstacle[number].pose.c = state.turn.x;
        obstacles->obstacle[number].pose.s = state.turn.y;
    }
    return status;
}

qd_status qdi_obstacles_init(qdi_obstacles *obstacles, const qd_allocator *allocator,
                             const qdi_settings *settings) {
    const qd_world_def *world = &settings->world;
    *obstacles = (qdi_obstacles){.allocator = allocator};
    if (world->boundary_x == QD_BOUNDARY_PERIODIC) obstacles->period.x = world->size.x;
    if (world->boundary_y == QD_BOUNDARY_PERIODIC) obstacles->period.y = world->size.y;
    qd_status status = QD_OK;
    for (size_t i = 0; i < settings->item_count && status == QD_OK; ++i) {
        const qdi_body_item *item = &settings->items[i];
        if (item->kind == QDI_ITEM_POLYLINE) status = add_obstacle_edges(obstacles, settings, item);
        if (item->kind == QDI_ITEM_FILE) status = add_file(obstacles, &item->file.bodies);
        if (item->kind == QDI_ITEM_RUN) status = add_run(obstacles, &item->run);
        for (size_t k = 0; k < item->listed_count && status == QD_OK; ++k) {
            const qdi_listed *listed = &item->listed[k];
            if (listed->shape == QD_SHAPE_DISK) continue;
            qd_body_def def = qdi_listed_body(settings, listed);
            status = add_obstacle(obstacles, &def.shape, def.position, def.angle);
        }
    }
    // Looks move while the array grows: their forms, which point into them, are made at the end.
    for (size_t i = 0; i < obstacles->count; ++i) {
        qdi_prepared_shape *look = &obstacles->obstacle[i].look;
        look->form = qdi_form_of(&look->shape, &look->hull);
    }
    return status;
}

void qdi_obstacles_release(qdi_obstacles *obstacles) {
    qdi_release(obstacles->allocator, obstacles->obstacle, obstacles->room, sizeof(qdi_obstacle));
    *obstacles = (qdi_obstacles){.allocator = obstacles->allocator};
}

/// Generator's obstacles: the shortest way along an axis, through the seam where that is shorter.
static double axis_nearest(double way, double period) {
    return period > 0 ? way - period * floor(way / period + 0.5) : way;
}

bool qdi_obstacles_free(const qdi_obstacles *obstacles, const qd_shape *shape, qd_vec2 at, double angle,
                        double gap) {
    if (obstacles->count == 0) return true;
    qdi_hull hull;
    qdi_hull_make(shape, &hull);
    qdi_form form = qdi_form_of(shape, &hull);
    double reach = qd_shape_reach(shape);
    qdi_pose pose = obstacle_pose((qd_vec2){0, 0}, angle);
    for (size_t i = 0; i < obstacles->count; ++i) {
        const qdi_obstacle *other = &obstacles->obstacle[i];
        double x = axis_nearest(other->pose.x - at.x, obstacles->period.x);
        double y = axis_nearest(other->pose.y - at.y, obstacles->period.y);
        double far = reach + other->reach + (gap > 0 ? gap : 0);
        if (x * x + y * y > far * far) continue;
        qdi_pose there = {x, y, other->pose.c, other->pose.s};
        if (qdi_distance(&form, &pose, &other->look.form, &there).distance < gap) return false;
    }
    return true;
}
