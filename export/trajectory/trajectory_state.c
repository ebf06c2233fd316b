#include "export/trajectory/trajectory_impl.h"

#include "core/base/memory.h"

#include <quadrille/math.h>

// ---- taking ----

/// Exported state: lists the rows of bodies in order of index.
static qd_status take_body_rows(qdi_exported_state *state) {
    const qd_body_view *view = &state->view;
    qd_status status = qdi_reserve(state->allocator, &state->rows, &state->row_room, 0, view->count,
                                   sizeof *state->rows);
    if (status != QD_OK) return status;
    state->count = 0;
    for (size_t i = 0; i < view->index_count; ++i)
        if (view->row_of_index[i] != UINT32_MAX) state->rows[state->count++] = view->row_of_index[i];
    return QD_OK;
}

/// Exported state: true for a wall, and for a body that was not removed.
static bool body_exists(const qdi_exported_state *state, qd_id id) {
    return qd_id_is_wall(id) || qd_body_view_row(&state->view, id) != UINT32_MAX;
}

/// Exported state: lists the contact points whose bodies both exist.
static qd_status take_contact_points(qdi_exported_state *state) {
    size_t contacts = 0;
    state->contacts = qd_world_contacts(state->world, &contacts);
    state->touch_count = 0;
    qd_status status = qdi_reserve(state->allocator, &state->touches, &state->touch_room, 0, 2 * contacts,
                                   sizeof *state->touches);
    for (size_t i = 0; i < contacts && status == QD_OK; ++i) {
        if (!body_exists(state, state->contacts[i].a) || !body_exists(state, state->contacts[i].b)) continue;
        for (uint8_t k = 0; k < state->contacts[i].count; ++k)
            state->touches[state->touch_count++] = (qdi_touch_place){(uint32_t)i, k};
    }
    return status;
}

typedef struct node_taker {
    qdi_exported_state *state;
    qd_vec2 centre;
    qd_status status;
} node_taker;

/// Exported state: keeps a node of the tree, with corners in the world.
static bool take_tree_node(void *context, const qd_tree_node_info *node) {
    node_taker *taker = context;
    qdi_exported_state *state = taker->state;
    taker->status = qdi_reserve(state->allocator, &state->nodes, &state->node_room, state->node_count,
                                state->node_count + 1, sizeof *state->nodes);
    if (taker->status != QD_OK) return false;
    qd_tree_node_info *own = &state->nodes[state->node_count++];
    *own = *node;
    own->min_x += taker->centre.x;
    own->min_y += taker->centre.y;
    return true;
}

qd_status qdi_exported_take(qdi_exported_state *state, const qd_world *world, bool details) {
    state->world = world;
    state->def = qd_world_definition(world);
    qd_world_sides(world, &state->low, &state->high);
    state->step = qd_world_steps(world);
    state->time = qd_world_time(world);
    state->view = qd_world_view(world);
    state->touch_count = state->node_count = 0;
    qd_status status = take_body_rows(state);
    if (status == QD_OK && details) status = take_contact_points(state);
    if (status != QD_OK || !details) return status;
    const qd_world_def *def = &state->def;
    node_taker taker = {state, {def->origin.x + 0.5 * def->size.x, def->origin.y + 0.5 * def->size.y}, QD_OK};
    qd_tree_visit_nodes(qd_world_tree(world), take_tree_node, &taker);
    return taker.status;
}

void qdi_exported_release(qdi_exported_state *state) {
    qdi_release(state->allocator, state->rows, state->row_room, sizeof *state->rows);
    qdi_release(state->allocator, state->touches, state->touch_room, sizeof *state->touches);
    qdi_release(state->allocator, state->nodes, state->node_room, sizeof *state->nodes);
}

// ---- about bodies ----

qd_shape_kind qdi_exported_shape(const qdi_exported_state *state, uint32_t row) {
    uint32_t number = state->view.shape[row];
    return number == 0 ? QD_SHAPE_DISK : state->view.shapes[number]->kind;
}

qd_vec2 qdi_exported_size(const qdi_exported_state *state, uint32_t row) {
    uint32_t number = state->view.shape[row];
    double across = 2 * state->view.radius[row];
    if (number == 0) return (qd_vec2){across, across};
    qd_vec2 low, high;
    qd_shape_bounds(state->view.shapes[number], (qd_vec2){0, 0}, (qd_vec2){1, 0}, &low, &high);
    return (qd_vec2){high.x - low.x, high.y - low.y};
}

const qd_shape *qdi_exported_form(const qdi_exported_state *state, uint32_t row) {
    uint32_t number = state->view.shape[row];
    return number == 0 ? NULL : state->view.shapes[number];
}

double qdi_exported_rounding(const qdi_exported_state *state, uint32_t row) {
    const qd_shape *shape = qdi_exported_form(state, row);
    return shape ? shape->radius : state->view.radius[row];
}

double qdi_exported_angle(const qdi_exported_state *state, uint32_t row) {
    double c = state->view.turn_c[row], s = state->view.turn_s[row];
    return s == 0 && c > 0 ? 0 : qd_atan2(s, c);
}

int qdi_exported_wall(qd_id id) {
    return qd_id_is_wall(id) ? (int)(id.index - (uint32_t)QD_WALL_LEFT) + 1 : 0;
}

uint64_t qdi_exported_label(const qdi_exported_state *state, qd_id id) {
    if (qd_id_is_wall(id)) return 0;
    return state->view.label[qd_body_view_row(&state->view, id)];
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
