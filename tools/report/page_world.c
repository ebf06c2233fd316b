#include "tools/report/page_world.h"

#include "core/base/memory.h"
#include "export/picture/camera.h"
#include "sim/files/os.h"

#include <inttypes.h>
#include <quadrille/math.h>
#include <quadrille/tree.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS = 7, CHILDREN = 4 };

/// A node's cell, and where its children are among the nodes; 0: it is not split.
typedef struct cell_entry {
    double min_x, min_y, side;
    uint32_t bodies;
    uint32_t children[CHILDREN];
} cell_entry;

typedef struct world_job {
    const qd_allocator *allocator;
    qdi_json *json;
    const qd_world *world;
    const qd_tree *tree;
    qd_body_view bodies;
    qd_world_def def;
    qdi_camera camera;
    qdi_area area;
    cell_entry *cells;
    size_t cell_count, cell_room;
    uint32_t last[QD_TREE_MAX_LEVEL + QD_TREE_MAX_GROWTH + 2];  ///< node of each depth that was visited last
    uint8_t filled[QD_TREE_MAX_LEVEL + QD_TREE_MAX_GROWTH + 2]; ///< its children so far
    uint8_t *chosen;                                            ///< by index: the page has the body
    uint32_t *shape_places; ///< by number: its place in the page, 0 where it has none yet
    uint32_t shapes;
    qd_body_index self; ///< that candidates are looked for of
    qd_status status;
} world_job;

/// A number of a world. The page shows six digits, so it has seven.
static void put_number(qdi_json *json, double value) {
    char digits[40];
    (void)qdi_os_print_double(digits, sizeof digits, DIGITS, value);
    qdi_json_verbatim(json, NULL, digits);
}

// ---- the tree ----

/// Keeps a node's cell for the page.
static bool keep_cell(void *context, const qd_tree_node_info *node) {
    world_job *job = context;
    job->status = qdi_reserve(job->allocator, &job->cells, &job->cell_room, job->cell_count,
                              job->cell_count + 1, sizeof *job->cells);
    if (job->status != QD_OK) return false;
    const uint32_t place = (uint32_t)job->cell_count++;
    job->cells[place] = (cell_entry){node->min_x, node->min_y, node->side, node->bodies, {0}};
    if (node->depth > 0) {
        cell_entry *parent = &job->cells[job->last[node->depth - 1]];
        parent->children[job->filled[node->depth - 1]++] = place;
    }
    job->last[node->depth] = place;
    job->filled[node->depth] = 0;
    return true;
}

/// World in a report's page: the node that a body lives in: as deep as the tree says, and its cell holds the
/// centre of the body's box.
static size_t node_of(const world_job *job, qd_body_index body) {
    qd_box box;
    int depth = 0;
    if (qd_tree_box(job->tree, body, &box) != QD_OK || qd_tree_depth(job->tree, body, &depth) != QD_OK)
        return 0;
    const double x = (double)(0.5F * box.min_x + 0.5F * box.max_x);
    const double y = (double)(0.5F * box.min_y + 0.5F * box.max_y);
    size_t place = 0;
    for (; depth > 0; --depth) {
        const cell_entry *cell = &job->cells[place];
        const int right = x >= cell->min_x + 0.5 * cell->side, up = y >= cell->min_y + 0.5 * cell->side;
        place = cell->children[2 * up + right];
    }
    return place;
}

/// World in a report's page: writes the nodes of the tree.
static void put_nodes(const world_job *job) {
    qdi_json *json = job->json;
    qdi_json_open(json, "root", '[');
    put_number(json, job->cells[0].min_x + job->def.origin.x + 0.5 * job->def.size.x);
    put_number(json, job->cells[0].min_y + job->def.origin.y + 0.5 * job->def.size.y);
    put_number(json, job->cells[0].side);
    qdi_json_close(json, ']');
    qdi_json_open(json, "nodes", '[');
    for (size_t i = 0; i < job->cell_count; ++i) {
        const cell_entry *cell = &job->cells[i];
        char text[24];
        if (cell->children[0])
            snprintf(text, sizeof text, "-%" PRIu64, (uint64_t)cell->bodies + 1);
        else
            snprintf(text, sizeof text, "%" PRIu32, cell->bodies);
        qdi_json_verbatim(json, NULL, text);
    }
    qdi_json_close(json, ']');
}

// ---- bodies ----

/// World in a report's page: whether a body's centre, or an image of it, is where the picture has the world.
static bool is_seen(const world_job *job, uint32_t row) {
    const qdi_camera *camera = &job->camera;
    const double period_x = job->def.boundary_x == QD_BOUNDARY_PERIODIC ? job->def.size.x * camera->scale : 0;
    const double period_y = job->def.boundary_y == QD_BOUNDARY_PERIODIC ? job->def.size.y * camera->scale : 0;
    double x = qdi_camera_x(camera, job->bodies.x[row]), y = qdi_camera_y(camera, job->bodies.y[row]);
    bool in_x = false, in_y = false;
    for (int i = -1; i <= 1; ++i) {
        in_x = in_x || (x + i * period_x >= job->area.min_x && x + i * period_x < job->area.max_x);
        in_y = in_y || (y + i * period_y >= job->area.min_y && y + i * period_y < job->area.max_y);
    }
    return in_x && in_y;
}

/// Chooses the bodies that the page gets.
static void choose_bodies(world_job *job) {
    size_t left = QDI_PAGE_BODIES;
    for (int pass = job->bodies.count > left ? 0 : 1; pass < 2; ++pass) {
        for (size_t i = 0; i < job->bodies.index_count && left > 0; ++i) {
            uint32_t row = job->bodies.row_of_index[i];
            if (row == UINT32_MAX || job->chosen[i] || (pass == 0 && !is_seen(job, row))) continue;
            job->chosen[i] = 1;
            left -= 1;
        }
    }
}

/// World in a report's page: a shape that has not been met: its corners.
static void put_shape(qdi_json *json, const qd_shape *shape) {
    const qd_vec2 half = shape->half;
    const qd_vec2 corners[] = {{-half.x, -half.y}, {half.x, -half.y}, {half.x, half.y}, {-half.x, half.y}};
    const bool polygon = shape->kind == QD_SHAPE_POLYGON;
    const int count = polygon ? shape->count : shape->kind == QD_SHAPE_CAPSULE ? 2 : 4;
    qdi_json_open(json, NULL, '[');
    put_number(json, shape->radius);
    qdi_json_whole(json, NULL, shape->kind);
    for (int i = 0; i < count; ++i) {
        put_number(json, polygon ? shape->points[i].x : corners[i].x);
        put_number(json, polygon ? shape->points[i].y : corners[i].y);
    }
    qdi_json_close(json, ']');
}

/// World in a report's page: writes the shapes of the bodies.
static void put_shapes(world_job *job) {
    qdi_json_open(job->json, "shapes", '[');
    for (size_t i = 0; i < job->bodies.index_count; ++i) {
        if (!job->chosen[i]) continue;
        uint32_t number = job->bodies.shape[job->bodies.row_of_index[i]];
        if (number == 0 || job->shape_places[number] != 0) continue;
        job->shape_places[number] = ++job->shapes;
        put_shape(job->json, job->bodies.shapes[number]);
    }
    qdi_json_close(job->json, ']');
}

/// World in a report's page: writes the bodies.
static void put_bodies(const world_job *job) {
    const qd_body_view *bodies = &job->bodies;
    qdi_json *json = job->json;
    qdi_json_open(json, "bodies", '[');
    for (size_t i = 0; i < bodies->index_count; ++i) {
        if (!job->chosen[i]) continue;
        const uint32_t row = bodies->row_of_index[i], number = bodies->shape[row];
        qdi_json_whole(json, NULL, bodies->label[row]);
        qdi_json_whole(json, NULL, node_of(job, (qd_body_index)i));
        qdi_json_whole(json, NULL, bodies->kind[row]);
        qdi_json_whole(json, NULL, number == 0 ? 0 : job->shape_places[number]);
        put_number(json, bodies->radius[row]);
        put_number(json, bodies->x[row]);
        put_number(json, bodies->y[row]);
        put_number(json, qd_atan2(bodies->turn_s[row], bodies->turn_c[row]));
        put_number(json, bodies->vx[row]);
        put_number(json, bodies->vy[row]);
        put_number(json, bodies->spin[row]);
    }
    qdi_json_close(json, ']');
}

// ---- what is near to what ----

/// World in a report's page: whether there is a body with this index: a world that was changed since its last
/// detection may lack one that its tree or a contact names.
static bool is_there(const world_job *job, qd_body_index body) {
    return body < job->bodies.index_count && job->bodies.row_of_index[body] != UINT32_MAX;
}

/// World in a report's page: writes a body's label.
static void put_label(const world_job *job, qd_body_index body) {
    qdi_json_whole(job->json, NULL, job->bodies.label[job->bodies.row_of_index[body]]);
}

/// World in a report's page: a candidate of `self`: the pair is written once, for the one of the two with the
/// lower index where the page has both.
static bool put_candidate(void *context, qd_body_index body, qd_image image) {
    const world_job *job = context;
    (void)image;
    if (!is_there(job, body) || (job->chosen[body] && body < job->self)) return true;
    put_label(job, job->self);
    put_label(job, body);
    return true;
}

/// World in a report's page: writes the candidates of the bodies.
static void put_pairs(world_job *job) {
    qdi_json_open(job->json, "pairs", '[');
    for (size_t i = 0; i < job->bodies.index_count && job->status == QD_OK; ++i) {
        qd_box box;
        job->self = (qd_body_index)i;
        if (!job->chosen[i] || qd_tree_box(job->tree, job->self, &box) != QD_OK) continue;
        job->status = qd_tree_retrieve(job->tree, box, job->self, put_candidate, job);
    }
    qdi_json_close(job->json, ']');
}

/// World in a report's page: writes the contacts.
static void put_contacts(const world_job *job) {
    size_t count = 0;
    const qd_contact *contacts = qd_world_contacts(job->world, &count);
    qdi_json_open(job->json, "contacts", '[');
    for (size_t i = 0; i < count; ++i) {
        const qd_contact *contact = &contacts[i];
        const bool wall = qd_id_is_wall(contact->b);
        if (!is_there(job, contact->a.index) || (!wall && !is_there(job, contact->b.index))) continue;
        if (!job->chosen[contact->a.index] && (wall || !job->chosen[contact->b.index])) continue;
        put_label(job, contact->a.index);
        if (wall)
            put_number(job->json, -1.0 - (double)(contact->b.index - (uint32_t)QD_WALL_LEFT));
        else
            put_label(job, contact->b.index);
        put_number(job->json,
                   contact->touch[0].impulse + (contact->count > 1 ? contact->touch[1].impulse : 0.0));
        put_number(job->json, contact->touch[0].point.x);
        put_number(job->json, contact->touch[0].point.y);
    }
    qdi_json_close(job->json, ']');
}

// ---- all of it ----

/// World in a report's page: writes the part of the world that the picture shows.
static void put_view(const world_job *job) {
    const qdi_camera *camera = &job->camera;
    const double numbers[] = {camera->x0, camera->y0, camera->scale, camera->left, camera->bottom};
    qdi_json_open(job->json, "camera", '[');
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
        qdi_json_real(job->json, NULL, numbers[i]);
    qdi_json_close(job->json, ']');
    const int sides[] = {job->area.min_x, job->area.min_y, job->area.max_x, job->area.max_y};
    qdi_json_open(job->json, "area", '[');
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; ++i) qdi_json_real(job->json, NULL, sides[i]);
    qdi_json_close(job->json, ']');
    qdi_json_open(job->json, "period", '[');
    qdi_json_real(job->json, NULL, job->def.boundary_x == QD_BOUNDARY_PERIODIC ? job->def.size.x : 0.0);
    qdi_json_real(job->json, NULL, job->def.boundary_y == QD_BOUNDARY_PERIODIC ? job->def.size.y : 0.0);
    qdi_json_close(job->json, ']');
}

/// World in a report's page: writes a world of the run.
static void put_world(world_job *job) {
    qdi_json_open(job->json, NULL, '{');
    qdi_json_whole(job->json, "step", qd_world_steps(job->world));
    qdi_json_whole(job->json, "all", job->bodies.count);
    put_view(job);
    put_nodes(job);
    choose_bodies(job);
    put_shapes(job);
    put_bodies(job);
    put_pairs(job);
    put_contacts(job);
    qdi_json_close(job->json, '}');
}

qd_status qdi_page_world(const qd_world *world, const qd_view *view, qdi_area area, qdi_json *json) {
    world_job job = {.allocator = json->allocator,
                     .json = json,
                     .world = world,
                     .tree = qd_world_tree(world),
                     .bodies = qd_world_view(world),
                     .def = qd_world_definition(world),
                     .area = area};
    const qdi_camera_part part = qdi_camera_part_of(&view->camera, world);
    job.camera = qdi_camera_fit(part.size, part.origin, area);
    const size_t indices = job.bodies.index_count + 1, shapes = job.bodies.shape_count + 1;
    job.chosen = qdi_allocate(job.allocator, indices, 1);
    job.shape_places = qdi_allocate(job.allocator, shapes, sizeof *job.shape_places);
    if (!job.chosen || !job.shape_places) job.status = QD_ERR_MEMORY;
    if (job.status == QD_OK) {
        memset(job.chosen, 0, indices);
        memset(job.shape_places, 0, shapes * sizeof *job.shape_places);
        qd_tree_visit_nodes(job.tree, keep_cell, &job);
    }
    if (job.status == QD_OK && job.cell_count > 0) put_world(&job);
    qdi_release(job.allocator, job.chosen, indices, 1);
    qdi_release(job.allocator, job.shape_places, shapes, sizeof *job.shape_places);
    qdi_release(job.allocator, job.cells, job.cell_room, sizeof *job.cells);
    return job.status == QD_OK ? json->status : job.status;
}
