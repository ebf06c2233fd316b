// From the items of a scene to the bodies of a world.
#include "core/base/arithmetic.h"
#include "sim/scene/generate.h"
#include "sim/scene/scene_impl.h"
#include "sim/text/lines.h"
#include "sim/world/bodies.h"
#include "sim/world/world_impl.h"

#include <inttypes.h>
#include <math.h>
#include <quadrille/displacement.h>

// The shape of a body that is listed in a scene.
static qd_shape shape_of_listed(const qdi_settings *settings, const qdi_listed *listed) {
    bool round = listed->shape == QD_SHAPE_DISK || listed->shape == QD_SHAPE_CAPSULE;
    double radius = isnan(listed->radius) ? (round ? 0.5 : 0) : listed->radius;
    qd_shape shape = qd_shape_disk(radius);
    switch (listed->shape) {
    case QD_SHAPE_DISK: break;
    case QD_SHAPE_RECT: shape = qd_shape_rect(listed->size.x, listed->size.y); break;
    case QD_SHAPE_CAPSULE: shape = qd_shape_capsule(listed->length, radius); break;
    case QD_SHAPE_POLYGON:
        // Points beyond those that fit are counted all the same: qd_shape_normalise says so.
        shape.kind = QD_SHAPE_POLYGON;
        shape.count = listed->points.count < 1000 ? (int)listed->points.count : 1000;
        for (size_t i = 0; i < listed->points.count && i < QD_POLYGON_MAX; ++i)
            shape.points[i] = settings->points[listed->points.first + i];
        break;
    }
    shape.radius = radius;
    return shape;
}

qd_body_def qdi_listed_body(const qdi_settings *settings, const qdi_listed *listed) {
    qd_body_def body = listed->def;
    body.shape = shape_of_listed(settings, listed);
    body.density = qdi_scene_density(settings, body.density, body.material.of);
    if (listed->is_static) body.kind = QD_BODY_STATIC;
    if (listed->is_kinematic) body.kind = QD_BODY_KINEMATIC;
    return body;
}

qd_status qdi_polyline_edges(const qdi_settings *settings, qdi_body_item *item, qd_error *error) {
    size_t count = item->points.count, least = item->closed ? 3 : 2;
    item->count = 0;
    if (count < least) return qdi_reason(error, QD_ERR_VALUE, "needs at least %zu points", least);
    const qd_vec2 *points = settings->points + item->points.first;
    size_t edges = item->closed ? count : count - 1;
    for (size_t edge = 0; edge < edges; ++edge) {
        qd_shape shape;
        qd_vec2 at;
        double angle;
        qd_status status = qd_shape_chain(points, count, item->closed, edge, item->thickness, &shape, &at,
                                          &angle, error);
        if (status != QD_OK) return status;
    }
    item->count = edges;
    return QD_OK;
}

qd_body_def qdi_item_body(const qdi_settings *settings, const qdi_body_item *item, size_t number, qd_vec2 at,
                          qd_vec2 velocity, double radius) {
    qd_body_def body = qd_body_def_default();
    const uint64_t seed = settings->run.seed;
    body.position = at;
    body.velocity = velocity;
    body.shape = qdi_item_shape(item, seed, number, radius);
    body.angle = item->kind == QDI_ITEM_DISKS ? 0 : qdi_item_angle(item, seed, number);
    body.spin = qdi_item_spin(item, seed, number);
    body.density = qdi_scene_density(settings, item->density, item->material.of);
    body.mass = item->mass;
    body.material = item->material;
    body.filter = item->filter;
    return body;
}

/// What number `k` of an item that a generator or a file made is; body number `number` of the scene.
static qd_body_def body_of(const qdi_settings *settings, const qdi_body_item *item, size_t k,
                           const qdi_generated *bodies, size_t number) {
    const qd_vec2 at = {bodies->x[number], bodies->y[number]},
                  velocity = {bodies->vx[number], bodies->vy[number]};
    if (item->kind != QDI_ITEM_FILE)
        return qdi_item_body(settings, item, number, at, velocity, bodies->radius[number]);
    qd_body_def body = qd_body_def_default();
    const qdi_disk_row *row = &item->file.bodies.rows[k];
    body.position = at;
    body.velocity = velocity;
    body.shape = row->shape > 0 ? item->file.bodies.shapes[row->shape - 1] : qd_shape_disk(row->radius);
    body.kind = row->kind;
    body.angle = row->angle;
    body.density = item->file.bodies.density;
    body.mass = row->mass;
    body.label = row->label;
    body.spin = row->spin;
    return body;
}

qd_status qdi_scene_add_body(qd_world *world, const qdi_settings *settings, const qdi_body_item *item,
                             size_t k, const qdi_generated *bodies, size_t number, qd_error *error) {
    if (item->kind == QDI_ITEM_RUN) {
        qd_body_state state = qdi_item_run_body(&item->run, k);
        state.material = qdi_scene_material_again(item->run.world, &state.material, world);
        state.source = 0; // of another scene's emitters
        return qdi_body_add_again(world, &state, true, error);
    }
    qd_body_def body = item->kind == QDI_ITEM_LIST ? qdi_listed_body(settings, &item->listed[k])
                                                   : body_of(settings, item, k, bodies, number);
    return qd_world_add(world, &body, NULL, error);
}

// Scene's bodies: the mean of points.
static qd_vec2 mean_of_points(const qd_vec2 *points, size_t count) {
    qd_vec2 sum = {0, 0};
    for (size_t i = 0; i < count; ++i) sum = (qd_vec2){sum.x + points[i].x, sum.y + points[i].y};
    return (qd_vec2){sum.x / (double)count, sum.y / (double)count};
}

qd_status qdi_scene_add_polyline(qd_world *world, const qdi_settings *settings, const qdi_body_item *item,
                                 qd_error *error) {
    qd_body_def body = qd_body_def_default();
    const qd_vec2 *points = settings->points + item->points.first;
    body.shape = qd_shape_capsule(1, item->thickness);
    body.slide = item->slide;
    body.material = item->material;
    body.filter = item->filter;
    if (item->turning != 0) {
        body.kind = QD_BODY_KINEMATIC;
        body.spin = item->turning;
        body.pivot = isnan(item->pivot.x) ? mean_of_points(points, item->points.count) : item->pivot;
    }
    return qd_world_add_polyline(world, points, item->points.count, item->closed, &body, NULL, error);
}

/// Scene's bodies: says why number `k` of item `i` was refused.
static void explain_refusal(const qdi_settings *settings, size_t i, size_t k, qd_status status,
                            const char *why, qd_error *error) {
    const qdi_body_item *item = &settings->items[i];
    const char *of = qdi_items_word(settings);
    if (item->kind == QDI_ITEM_FILE)
        (void)qdi_lines_reason(item->file.from.chars, item->file.bodies.rows[k].line, error, "%.250s", why);
    else if (item->kind == QDI_ITEM_LIST)
        (void)qdi_reason(error, status, "%s.%zu.list.%zu: %.300s", of, i, k, why);
    else if (item->kind == QDI_ITEM_RUN)
        (void)qdi_reason(error, status, "%s.%zu.run: body %" PRIu64 ": %.300s", of, i,
                         qdi_item_run_body(&item->run, k).label, why);
    else if (item->kind == QDI_ITEM_POLYLINE)
        (void)qdi_reason(error, status, "%s.%zu.polyline: %.300s", of, i, why);
    else
        (void)qdi_reason(error, status, "%s.%zu: %s %zu: %.300s", of, i,
                         item->kind == QDI_ITEM_DISKS ? "disk" : "body", k, why);
}

// Adds the bodies of one item of a scene to its world.
static qd_status add_scene_item(qd_world *world, const qdi_settings *settings, size_t i,
                                const qdi_generated *bodies, size_t first, qd_error *error) {
    const qdi_body_item *item = &settings->items[i];
    bool line = item->kind == QDI_ITEM_POLYLINE;
    for (uint64_t k = 0; k < item->count; ++k) {
        qd_error reason = {""};
        qd_status status = line ? qdi_scene_add_polyline(world, settings, item, &reason)
                                : qdi_scene_add_body(world, settings, item, (size_t)k, bodies,
                                                     first + (size_t)k, &reason);
        if (status != QD_OK) {
            const char *why = reason.text[0] ? reason.text : qd_status_text(status);
            explain_refusal(settings, i, (size_t)k, status, why, error);
            return status;
        }
        if (line) break; // all its edges at once
    }
    return QD_OK;
}

// Adds an emitter of a scene to its world.
static qd_status add_scene_source(qd_world *world, const qdi_settings *settings, const qdi_source *source,
                                  double from, qd_error *error) {
    qd_emitter_def def = qd_emitter_def_default();
    const qdi_region *region = &source->region;
    bool one = source->scale.form == QDI_RADIUS_FIXED;
    def.body = qdi_listed_body(settings, &source->body);
    def.body.source = source->number;
    def.low = (qd_vec2){region->x, region->y};
    def.high = (qd_vec2){region->x + region->width, region->y + region->height};
    def.scale_low = source->scale.range.x;
    def.scale_high = one ? source->scale.range.x : source->scale.range.y;
    def.turn = source->turn;
    def.spread = source->spread;
    def.rate = source->rate;
    def.start = from + source->start;
    def.stop = from + source->stop;
    def.total = source->total;
    def.alive = source->alive;
    def.tries = source->tries;
    def.overlap = source->overlap;
    return qd_world_add_emitter(world, &def, error);
}

// Adds a sink of a scene to its world.
static qd_status add_scene_drain(qd_world *world, const qdi_drain *drain, qd_error *error) {
    qd_sink_def def = qd_sink_def_default();
    def.low = (qd_vec2){drain->region.x, drain->region.y};
    def.high = (qd_vec2){drain->region.x + drain->region.width, drain->region.y + drain->region.height};
    def.total = drain->total;
    return qd_world_add_sink(world, &def, error);
}

qd_status qdi_scene_add_sources(const qdi_settings *settings, qd_world *world, double from, qd_error *error) {
    qd_error reason = {""};
    for (size_t i = 0; i < settings->source_count; ++i) {
        qd_status status = add_scene_source(world, settings, &settings->sources[i], from, &reason);
        if (status != QD_OK) return qdi_reason(error, status, "emitters.%zu: %.300s", i, reason.text);
    }
    return QD_OK;
}

qd_status qdi_scene_add_drains(const qdi_settings *settings, qd_world *world, qd_error *error) {
    qd_error reason = {""};
    for (size_t i = 0; i < settings->drain_count; ++i) {
        qd_status status = add_scene_drain(world, &settings->drains[i], &reason);
        if (status != QD_OK) return qdi_reason(error, status, "sinks.%zu: %.300s", i, reason.text);
    }
    return QD_OK;
}

// Makes room for all bodies of a scene at once: grown step by step it would be larger, and be there twice.
static qd_status reserve_bodies(qd_world *world, const qdi_settings *settings, size_t count,
                                qd_error *error) {
    uint64_t bodies = 0;
    for (size_t i = 0; i < count; ++i) bodies += settings->items[i].count;
    const size_t left = QD_BODY_INDEX_MAX - world->index_count;
    const size_t more = bodies < left ? (size_t)bodies : left;
    if (qdi_bodies_reserve(world, world->count + more, world->index_count + more) == QD_OK) return QD_OK;
    return qdi_reason(error, QD_ERR_MEMORY, "no memory for %zu bodies", more);
}

qd_status qdi_scene_add_items(const qd_allocator *allocator, const qdi_settings *settings, size_t count,
                              qd_world *world, qd_error *error) {
    qdi_generated bodies = {.allocator = allocator};
    qd_status status = qdi_generate(settings, &bodies, error);
    if (status == QD_OK) status = reserve_bodies(world, settings, count, error);
    size_t first = 0;
    for (size_t i = 0; status == QD_OK && i < count; ++i) {
        status = add_scene_item(world, settings, i, &bodies, first, error);
        first += (size_t)settings->items[i].count;
    }
    qdi_generated_release(&bodies);
    return status;
}

qd_status qd_scene_populate(const qd_scene *scene, qd_world *world, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (error) error->text[0] = 0;
    if (!scene || !world) return qdi_reason(error, QD_ERR_ARGUMENT, "a scene or world is a null pointer");
    const qdi_settings *settings = &scene->settings;
    qd_status status = qdi_scene_put_materials(settings, world, error);
    // Bodies without ids of their own get those above.
    if (settings->last_label > world->last_label) world->last_label = settings->last_label;
    if (status == QD_OK)
        status = qdi_scene_add_items(scene->allocator, settings, settings->item_count, world, error);
    if (status == QD_OK) status = qdi_scene_add_sources(settings, world, 0, error);
    if (status == QD_OK) status = qdi_scene_add_drains(settings, world, error);
    const qdi_settings *first = settings->stage_count > 0 ? &settings->stages[0].settings : settings;
    if (status == QD_OK) status = qd_world_follow(world, first->run.record_structure);
    return status;
}
