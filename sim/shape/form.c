#include "sim/shape/form.h"

#include "core/math/vec.h"

#include <stddef.h>

void qdi_hull_make(const qd_shape *shape, qdi_hull *hull) {
    hull->count = shape->kind == QD_SHAPE_POLYGON ? shape->count : 0; // a capsule's edge may have no length
    for (int i = 0; i < hull->count; ++i) {
        qd_vec2 from = shape->points[i], to = shape->points[i + 1 < shape->count ? i + 1 : 0];
        qd_vec2 way = qdi_minus(to, from);
        double length = qdi_length(way);
        hull->point[i] = from;
        hull->normal[i] = (qd_vec2){way.y / length, -way.x / length};
    }
}

qdi_form qdi_form_of(const qd_shape *shape, const qdi_hull *hull) {
    return (qdi_form){
        .kind = shape->kind,
        .radius = shape->radius,
        .half = shape->half,
        .hull = shape->kind == QD_SHAPE_POLYGON ? hull : NULL,
        .ghost = shape->kind == QD_SHAPE_CAPSULE && shape->count == 2 ? shape->points : NULL,
    };
}

// The bounding box of a turned polygon.
static void hull_bounds(const qdi_hull *hull, double c, double s, qd_vec2 *low, qd_vec2 *high) {
    *low = *high = qdi_turn(c, s, hull->point[0]);
    for (int i = 1; i < hull->count; ++i) {
        qd_vec2 p = qdi_turn(c, s, hull->point[i]);
        if (p.x < low->x) low->x = p.x;
        if (p.y < low->y) low->y = p.y;
        if (p.x > high->x) high->x = p.x;
        if (p.y > high->y) high->y = p.y;
    }
}

void qdi_form_bounds(const qdi_form *form, double c, double s, qd_vec2 *low, qd_vec2 *high) {
    qd_vec2 half = {0, 0};
    if (form->kind == QD_SHAPE_CAPSULE) half = (qd_vec2){fabs(c) * form->half.x, fabs(s) * form->half.x};
    if (form->kind == QD_SHAPE_RECT)
        half = (qd_vec2){fabs(c) * form->half.x + fabs(s) * form->half.y,
                         fabs(s) * form->half.x + fabs(c) * form->half.y};
    *low = (qd_vec2){-half.x, -half.y};
    *high = half;
    if (form->kind == QD_SHAPE_POLYGON) hull_bounds(form->hull, c, s, low, high);
    low->x -= form->radius;
    low->y -= form->radius;
    high->x += form->radius;
    high->y += form->radius;
}

double qdi_form_core_reach(const qdi_form *form) {
    if (form->kind == QD_SHAPE_DISK) return 0;
    if (form->kind == QD_SHAPE_CAPSULE) return form->half.x;
    if (form->kind == QD_SHAPE_RECT) return qdi_length(form->half);
    double most = 0;
    for (int i = 0; i < form->hull->count; ++i) {
        double squared = qdi_dot(form->hull->point[i], form->hull->point[i]);
        if (squared > most) most = squared;
    }
    return sqrt(most);
}

/// From a foot on the core to a point outside; `normal` is kept where the two are in one place.
static void probe_outside(qd_vec2 point, bool side, qdi_probe *probe) {
    probe->side = side;
    qd_vec2 d = qdi_minus(point, probe->foot);
    probe->distance = qdi_length(d);
    if (probe->distance > 0) probe->normal = (qd_vec2){d.x / probe->distance, d.y / probe->distance};
}

// Shape's form: a coordinate limited to half a length on either side.
static double clamp_to_half(double x, double half) {
    return x < -half ? -half : x > half ? half : x;
}

// Shape's form: the nearest point of a rect's border to a point.
static void probe_rect(qd_vec2 half, qd_vec2 point, qdi_probe *probe) {
    double depth_x = half.x - fabs(point.x), depth_y = half.y - fabs(point.y);
    probe->foot = (qd_vec2){clamp_to_half(point.x, half.x), clamp_to_half(point.y, half.y)};
    if (depth_x < 0 || depth_y < 0) {
        probe_outside(point, depth_x >= 0 || depth_y >= 0, probe);
    } else if (depth_x <= depth_y) {
        double side = point.x >= 0 ? 1 : -1;
        *probe = (qdi_probe){-depth_x, {side, 0}, {side * half.x, point.y}, true};
    } else {
        double side = point.y >= 0 ? 1 : -1;
        *probe = (qdi_probe){-depth_y, {0, side}, {point.x, side * half.y}, true};
    }
}

// The nearest point of a polygon's border to a point.
static void probe_hull(const qdi_hull *hull, qd_vec2 point, qdi_probe *probe) {
    int edge = 0;
    double best = qdi_dot(hull->normal[0], qdi_minus(point, hull->point[0]));
    for (int i = 1; i < hull->count; ++i) {
        double apart = qdi_dot(hull->normal[i], qdi_minus(point, hull->point[i]));
        if (apart > best) {
            best = apart;
            edge = i;
        }
    }
    // The edge furthest below the point ends at the nearest corner wherever a corner is nearest.
    qd_vec2 normal = hull->normal[edge];
    qd_vec2 from = hull->point[edge], to = hull->point[edge + 1 < hull->count ? edge + 1 : 0];
    *probe = (qdi_probe){best, normal, qdi_along(point, normal, -best), true};
    if (best <= 0) return;
    qd_vec2 way = qdi_left(normal);
    bool before = qdi_dot(qdi_minus(point, from), way)<0, after = qdi_dot(qdi_minus(point, to), way)> 0;
    if (before) probe->foot = from;
    if (after) probe->foot = to;
    if (before || after) probe_outside(point, false, probe);
}

void qdi_form_probe(const qdi_form *form, qd_vec2 point, qdi_probe *probe) {
    *probe = (qdi_probe){0, {1, 0}, {0, 0}, false};
    switch (form->kind) {
    case QD_SHAPE_DISK: probe_outside(point, false, probe); return;
    case QD_SHAPE_CAPSULE:
        probe->normal = (qd_vec2){0, 1};
        probe->foot.x = clamp_to_half(point.x, form->half.x);
        probe_outside(point, fabs(point.x) <= form->half.x, probe);
        return;
    case QD_SHAPE_RECT: probe_rect(form->half, point, probe); return;
    case QD_SHAPE_POLYGON: probe_hull(form->hull, point, probe); return;
    }
}

bool qdi_form_contains(const qdi_form *form, double c, double s, qd_vec2 point) {
    qdi_probe probe;
    qdi_form_probe(form, qdi_unturn(c, s, point), &probe);
    return probe.distance <= form->radius;
}

// The corners and normals of a turned rect.
static void rect_core(qd_vec2 half, const qdi_pose *pose, qdi_core *core) {
    qd_vec2 x = {pose->c, pose->s}, y = {-pose->s, pose->c}, at = {pose->x, pose->y};
    qd_vec2 bottom = qdi_along(at, y, -half.y), top = qdi_along(at, y, half.y);
    core->count = 4;
    core->point[0] = qdi_along(bottom, x, -half.x);
    core->point[1] = qdi_along(bottom, x, half.x);
    core->point[2] = qdi_along(top, x, half.x);
    core->point[3] = qdi_along(top, x, -half.x);
    core->normal[0] = (qd_vec2){pose->s, -pose->c};
    core->normal[1] = x;
    core->normal[2] = y;
    core->normal[3] = (qd_vec2){-pose->c, -pose->s};
}

void qdi_core_make(const qdi_form *form, const qdi_pose *pose, qdi_core *core) {
    double c = pose->c, s = pose->s;
    qd_vec2 at = {pose->x, pose->y};
    switch (form->kind) {
    case QD_SHAPE_DISK:
        core->count = 1;
        core->point[0] = at;
        return;
    case QD_SHAPE_CAPSULE:
        core->count = 2;
        core->point[0] = (qd_vec2){at.x - c * form->half.x, at.y - s * form->half.x};
        core->point[1] = (qd_vec2){at.x + c * form->half.x, at.y + s * form->half.x};
        core->normal[0] = (qd_vec2){s, -c};
        core->normal[1] = (qd_vec2){-s, c};
        return;
    case QD_SHAPE_RECT: rect_core(form->half, pose, core); return;
    case QD_SHAPE_POLYGON:
        core->count = form->hull->count;
        for (int i = 0; i < core->count; ++i) {
            core->point[i] = qdi_plus(at, qdi_turn(c, s, form->hull->point[i]));
            core->normal[i] = qdi_turn(c, s, form->hull->normal[i]);
        }
        return;
    }
}
