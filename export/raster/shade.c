#include "export/raster/shade.h"

#include "export/raster/palette.h"
#include "sim/world/thread_notes.h"

#include <math.h>

const char *qdi_shade_name(qd_view_colour by) {
    switch (by) {
    case QD_VIEW_SPEED: return "speed";
    case QD_VIEW_SIZE: return "size";
    case QD_VIEW_SPIN: return "spin";
    case QD_VIEW_DEPTH: return "depth";
    case QD_VIEW_ID: return "id";
    case QD_VIEW_MATERIAL: return "material";
    case QD_VIEW_THREAD: return "thread";
    case QD_VIEW_REFILED: return "refiled";
    case QD_VIEW_PSI6: return "psi6";
    case QD_VIEW_CONTACT:
    case QD_VIEW_HIDDEN:
    case QD_VIEW_PLAIN: break;
    }
    return "";
}

qd_vec2 qdi_shade_range(const qd_view *view, double top) {
    return isnan(view->range.x) ? (qd_vec2){0, top} : view->range;
}

// Shade of pixels: compares two materials; below 0 where `a` comes before `b`.
static int compare_materials(const qd_material *a, const qd_material *b) {
    const double left[] = {a->restitution, a->friction, a->tangential};
    const double right[] = {b->restitution, b->friction, b->tangential};
    for (int i = 0; i < 3; ++i) {
        // The world's own, which is no number, comes first.
        if (isnan(left[i]) != isnan(right[i])) return isnan(left[i]) ? -1 : 1;
        if (left[i] < right[i]) return -1;
        if (left[i] > right[i]) return 1;
    }
    return a->of < b->of ? -1 : a->of > b->of;
}

// Shade of pixels: the material of a body.
static bool material_of_row(const qdi_shade *shade, size_t row, qd_material *material) {
    const qd_id id = {shade->bodies.index[row], shade->bodies.generation[row]};
    qd_body_state state;
    if (qd_world_body(shade->world, id, &state) != QD_OK) return false;
    *material = state.material;
    return true;
}

// Shade of pixels: the place of a material in the list, or where it belongs.
static size_t material_place(const qdi_shade *shade, const qd_material *material) {
    size_t place = 0;
    while (place < shade->material_count && compare_materials(&shade->materials[place], material) < 0)
        ++place;
    return place;
}

// Shade of pixels: lists the materials of all bodies, in order.
static void list_materials(qdi_shade *shade) {
    qd_material material;
    for (size_t row = 0; row < shade->bodies.count; ++row) {
        if (shade->bodies.kind[row] == QD_BODY_STATIC || !material_of_row(shade, row, &material)) continue;
        size_t place = material_place(shade, &material);
        if (place < shade->material_count && compare_materials(&shade->materials[place], &material) == 0)
            continue;
        if (place == QDI_MATERIALS_MAX) continue;
        size_t last = shade->material_count < QDI_MATERIALS_MAX ? shade->material_count++
                                                                : QDI_MATERIALS_MAX - 1;
        for (size_t i = last; i > place; --i) shade->materials[i] = shade->materials[i - 1];
        shade->materials[place] = material;
    }
}

qdi_shade qdi_shade_of(const qd_view *view, const qd_world *world, double top) {
    qdi_shade shade = {.by = view->colour,
                       .range = qdi_shade_range(view, top),
                       .world = world,
                       .tree = qd_world_tree(world),
                       .bodies = qd_world_view(world)};
    if (shade.by == QD_VIEW_MATERIAL) list_materials(&shade);
    return shade;
}

// Shade of pixels: the size of a body's hexatic order.
static double order_of_row(const qdi_shade *shade, size_t row) {
    const qd_vec2 psi6 = shade->psi6 ? shade->psi6[row] : (qd_vec2){0.0, 0.0};
    return sqrt(psi6.x * psi6.x + psi6.y * psi6.y);
}

// Shade of pixels: the speed of a body.
static double speed_of_row(const qd_body_view *bodies, size_t row) {
    double vx = bodies->vx[row], vy = bodies->vy[row];
    return sqrt(vx * vx + vy * vy);
}

double qdi_shade_value(const qdi_shade *shade, size_t row) {
    int depth = 0;
    switch (shade->by) {
    case QD_VIEW_SPEED: return speed_of_row(&shade->bodies, row);
    case QD_VIEW_SIZE: return shade->bodies.radius[row];
    case QD_VIEW_SPIN: return fabs(shade->bodies.spin[row]);
    case QD_VIEW_PSI6: return order_of_row(shade, row);
    case QD_VIEW_DEPTH:
        return qd_tree_depth(shade->tree, shade->bodies.index[row], &depth) == QD_OK ? (double)depth : 0.0;
    case QD_VIEW_CONTACT:
    case QD_VIEW_ID:
    case QD_VIEW_MATERIAL:
    case QD_VIEW_THREAD:
    case QD_VIEW_REFILED:
    case QD_VIEW_HIDDEN:
    case QD_VIEW_PLAIN: break;
    }
    return 0.0;
}

// Shade of pixels: the hue of the thread that a body was last moved by; threads beyond the categories begin
// again, and a body that no thread moved has the hue after them.
static unsigned thread_hue(int thread) {
    return thread == QDI_NO_THREAD ? QDI_CATEGORIES : (unsigned)thread % QDI_CATEGORIES;
}

// Shade of pixels: true where a body has the colour of static ones: it is, or it is dim because others are
// lit.
static bool is_grey(const qdi_shade *shade, size_t row) {
    return shade->lit ? !shade->lit[shade->bodies.index[row]] : shade->bodies.kind[row] == QD_BODY_STATIC;
}

unsigned qdi_shade_hue(const qdi_shade *shade, size_t row) {
    qd_material material;
    if (is_grey(shade, row)) return QDI_HUE_STATIC;
    if (qd_view_is_continuous(shade->by))
        return qdi_hue_of_value(qdi_shade_value(shade, row), shade->range.x, shade->range.y);
    switch (shade->by) {
    case QD_VIEW_CONTACT: return shade->bodies.touching[row] ? QDI_HUE_TOUCHING : QDI_HUE_REST;
    case QD_VIEW_ID: return (unsigned)(shade->bodies.label[row] % QDI_CATEGORIES);
    case QD_VIEW_MATERIAL:
        return material_of_row(shade, row, &material)
                   ? (unsigned)(material_place(shade, &material) % QDI_CATEGORIES)
                   : 0;
    case QD_VIEW_THREAD: return thread_hue(qdi_thread_of_row(shade->world, row));
    case QD_VIEW_REFILED: return shade->refiled ? shade->refiled[shade->bodies.index[row]] : 0;
    default: return 0;
    }
}

void qdi_shade_hues(const qdi_shade *shade, size_t begin, size_t end, uint8_t *restrict hues) {
    const qd_body_view bodies = shade->bodies;
    const double low = shade->range.x, high = shade->range.y;
    const qd_view_colour by = shade->lit ? QD_VIEW_PLAIN : shade->by;
    for (size_t row = begin; row < end && by != QD_VIEW_SPEED && by != QD_VIEW_CONTACT; ++row)
        hues[row - begin] = (uint8_t)qdi_shade_hue(shade, row);
    for (size_t row = begin; row < end && by == QD_VIEW_SPEED; ++row) {
        unsigned hue = qdi_hue_of_value(speed_of_row(&bodies, row), low, high);
        hues[row - begin] = (uint8_t)(bodies.kind[row] == QD_BODY_STATIC ? QDI_HUE_STATIC : hue);
    }
    for (size_t row = begin; row < end && by == QD_VIEW_CONTACT; ++row) {
        const uint8_t hue = bodies.touching[row] ? QDI_HUE_TOUCHING : QDI_HUE_REST;
        hues[row - begin] = bodies.kind[row] == QD_BODY_STATIC ? QDI_HUE_STATIC : hue;
    }
}

// Shade of pixels: the mean height that bodies can fall.
// How far each body can fall, in the mean: along gravity to the world's far side, and no further where a
// period never ends that. Bodies are taken in order of index, whatever the rows' order. Without any, the
// whole way.
static double mean_fall_height(const qd_world_def *def, const qd_body_view *bodies) {
    double g = sqrt(def->gravity.x * def->gravity.x + def->gravity.y * def->gravity.y);
    if (!(g > 0.0)) return 0.0;
    double x = def->boundary_x == QD_BOUNDARY_PERIODIC ? 0.0 : def->gravity.x / g,
           y = def->boundary_y == QD_BOUNDARY_PERIODIC ? 0.0 : def->gravity.y / g;
    double far_x = def->origin.x + (x > 0.0 ? def->size.x : 0.0),
           far_y = def->origin.y + (y > 0.0 ? def->size.y : 0.0), sum = 0.0;
    size_t count = 0;
    for (size_t i = 0; i < bodies->index_count; ++i) {
        uint32_t row = bodies->row_of_index[i];
        if (row == UINT32_MAX || bodies->kind[row] != QD_BODY_DYNAMIC) continue;
        double way = x * (far_x - bodies->x[row]) + y * (far_y - bodies->y[row]);
        if (way > 0.0) sum += way;
        count += 1;
    }
    return count > 0 ? sum / (double)count : fabs(x) * def->size.x + fabs(y) * def->size.y;
}

// Shade of pixels: a speed that falling bodies will have.
// How fast gravity will make bodies from now on: half the speed of a mean fall to the far side, for most
// falls end before that. Drag sets a limit.
static double mean_fall_speed(const qd_world *world, const qd_body_view *bodies) {
    const qd_world_def def = qd_world_definition(world);
    double g = sqrt(def.gravity.x * def.gravity.x + def.gravity.y * def.gravity.y);
    double fall = 0.5 * sqrt(2.0 * g * mean_fall_height(&def, bodies));
    double limit = def.drag.linear > 0.0 ? g / def.drag.linear : fall;
    return fall < limit ? fall : limit;
}

// Shade of pixels: true where a body's value may be the largest. A drum or a gate is far larger than what it
// holds.
static bool may_set_top(const qdi_shade *shade, size_t row) {
    return shade->bodies.kind[row] == QD_BODY_DYNAMIC || shade->by == QD_VIEW_SPEED;
}

double qdi_shade_top(const qd_view *view, const qd_world *world) {
    if (!qd_view_is_continuous(view->colour) || view->colour == QD_VIEW_PSI6) return 1.0;
    const qdi_shade shade = qdi_shade_of(view, world, 1.0);
    const qd_body_view *bodies = &shade.bodies;
    double most = 0.0, sum = 0.0;
    for (size_t row = 0; row < bodies->count; ++row) {
        if (!may_set_top(&shade, row)) continue;
        double value = qdi_shade_value(&shade, row);
        if (value > most) most = value;
    }
    double fall = view->colour == QD_VIEW_SPEED ? mean_fall_speed(world, bodies) : 0.0;
    if (!(most > 0.0)) return fall > 0.0 ? fall : 1.0;
    if (view->colour == QD_VIEW_SIZE || view->colour == QD_VIEW_DEPTH) return most;
    // In order of index, whatever the rows' order, and relative to the largest: no square overflows.
    double squares = 0.0, fourths = 0.0;
    for (size_t i = 0; i < bodies->index_count; ++i) {
        uint32_t row = bodies->row_of_index[i];
        if (row == UINT32_MAX) continue;
        double part = qdi_shade_value(&shade, row) / most;
        sum += part * part;
        if (!may_set_top(&shade, row)) continue;
        squares += part * part;
        fourths += part * part * part * part;
    }
    // Among many that rest the mean tells nothing of the few that move: those that have the energy do.
    double top = 3.0 * most * sqrt(sum / (double)bodies->count), few = 0.5 * most * sqrt(fourths / squares);
    top = top > few ? top : few;
    return top > fall ? top : fall;
}
