#include "export/trajectory/trajectory_impl.h"

#include "core/base/memory.h"

#include <quadrille/math.h>

// ---- taking ----

static qd_status take_rows(qdi_trajectory_moment *moment) {
    const qd_body_view *view = &moment->view;
    qd_status status = qdi_reserve(moment->allocator, &moment->rows, &moment->row_room, 0, view->count,
                                   sizeof *moment->rows);
    if (status != QD_OK) return status;
    moment->count = 0;
    for (size_t i = 0; i < view->index_count; ++i)
        if (view->row_of_index[i] != UINT32_MAX) moment->rows[moment->count++] = view->row_of_index[i];
    return QD_OK;
}

/// A wall, or a body that was not removed.
static bool is_there(const qdi_trajectory_moment *moment, qd_id id) {
    return qd_id_is_wall(id) || qd_body_view_row(&moment->view, id) != UINT32_MAX;
}

static qd_status take_touches(qdi_trajectory_moment *moment) {
    size_t contacts = 0;
    moment->contacts = qd_world_contacts(moment->world, &contacts);
    moment->touch_count = 0;
    qd_status status = qdi_reserve(moment->allocator, &moment->touches, &moment->touch_room, 0, 2 * contacts,
                                   sizeof *moment->touches);
    for (size_t i = 0; i < contacts && status == QD_OK; ++i) {
        if (!is_there(moment, moment->contacts[i].a) || !is_there(moment, moment->contacts[i].b)) continue;
        for (uint8_t k = 0; k < moment->contacts[i].count; ++k)
            moment->touches[moment->touch_count++] = (qdi_touch_place){(uint32_t)i, k};
    }
    return status;
}

typedef struct node_taker {
    qdi_trajectory_moment *moment;
    qd_vec2 centre;
    qd_status status;
} node_taker;

static bool take_node(void *context, const qd_tree_node_info *node) {
    node_taker *taker = context;
    qdi_trajectory_moment *moment = taker->moment;
    taker->status = qdi_reserve(moment->allocator, &moment->nodes, &moment->node_room, moment->node_count,
                                moment->node_count + 1, sizeof *moment->nodes);
    if (taker->status != QD_OK) return false;
    qd_tree_node_info *own = &moment->nodes[moment->node_count++];
    *own = *node;
    own->min_x += taker->centre.x;
    own->min_y += taker->centre.y;
    return true;
}

qd_status qdi_moment_take(qdi_trajectory_moment *moment, const qd_world *world, bool details) {
    moment->world = world;
    moment->def = qd_world_definition(world);
    qd_world_sides(world, &moment->low, &moment->high);
    moment->step = qd_world_steps(world);
    moment->time = qd_world_time(world);
    moment->view = qd_world_view(world);
    moment->touch_count = moment->node_count = 0;
    qd_status status = take_rows(moment);
    if (status == QD_OK && details) status = take_touches(moment);
    if (status != QD_OK || !details) return status;
    const qd_world_def *def = &moment->def;
    node_taker taker = {
        moment, {def->origin.x + 0.5 * def->size.x, def->origin.y + 0.5 * def->size.y}, QD_OK};
    qd_tree_visit_nodes(qd_world_tree(world), take_node, &taker);
    return taker.status;
}

void qdi_moment_release(qdi_trajectory_moment *moment) {
    qdi_release(moment->allocator, moment->rows, moment->row_room, sizeof *moment->rows);
    qdi_release(moment->allocator, moment->touches, moment->touch_room, sizeof *moment->touches);
    qdi_release(moment->allocator, moment->nodes, moment->node_room, sizeof *moment->nodes);
}

// ---- about bodies ----

qd_shape_kind qdi_moment_shape(const qdi_trajectory_moment *moment, uint32_t row) {
    uint32_t number = moment->view.shape[row];
    return number == 0 ? QD_SHAPE_DISK : moment->view.shapes[number]->kind;
}

qd_vec2 qdi_moment_size(const qdi_trajectory_moment *moment, uint32_t row) {
    uint32_t number = moment->view.shape[row];
    double across = 2 * moment->view.radius[row];
    if (number == 0) return (qd_vec2){across, across};
    qd_vec2 low, high;
    qd_shape_bounds(moment->view.shapes[number], (qd_vec2){0, 0}, (qd_vec2){1, 0}, &low, &high);
    return (qd_vec2){high.x - low.x, high.y - low.y};
}

const qd_shape *qdi_moment_form(const qdi_trajectory_moment *moment, uint32_t row) {
    uint32_t number = moment->view.shape[row];
    return number == 0 ? NULL : moment->view.shapes[number];
}

double qdi_moment_rounding(const qdi_trajectory_moment *moment, uint32_t row) {
    const qd_shape *shape = qdi_moment_form(moment, row);
    return shape ? shape->radius : moment->view.radius[row];
}

double qdi_moment_angle(const qdi_trajectory_moment *moment, uint32_t row) {
    double c = moment->view.turn_c[row], s = moment->view.turn_s[row];
    return s == 0 && c > 0 ? 0 : qd_atan2(s, c);
}

int qdi_moment_wall(qd_id id) {
    return qd_id_is_wall(id) ? (int)(id.index - (uint32_t)QD_WALL_LEFT) + 1 : 0;
}

uint64_t qdi_moment_label(const qdi_trajectory_moment *moment, qd_id id) {
    if (qd_id_is_wall(id)) return 0;
    return moment->view.label[qd_body_view_row(&moment->view, id)];
}

// ---- words ----

const char *qdi_shape_word(qd_shape_kind kind) {
    static const char *const words[] = {"disk", "rect", "capsule", "polygon"};
    return words[kind];
}

const char *qdi_kind_word(qd_body_kind kind) {
    static const char *const words[] = {"dynamic", "static", "kinematic"};
    return words[kind];
}

const char *qdi_wall_word(int wall) {
    static const char *const words[] = {"", "left", "right", "bottom", "top"};
    return words[wall];
}
