// A rounded polygon is the polygon itself, a strip along each edge and a sector of a disk at each corner:
// each has its moments in closed form.

#include "sim/shape/shape_mass.h"

#include "core/base/arithmetic.h"
#include "core/math/vec.h"

#include <quadrille/math.h>

static const double pi = 3.14159265358979323846;

// Shape's mass: adds the triangle of the origin and two points to the moments of area.
static void add_triangle_moments(qdi_area_moments *m, qd_vec2 p, qd_vec2 q) {
    double twice = qdi_cross(p, q);
    m->area += 0.5 * twice;
    m->first = qdi_along(m->first, qdi_plus(p, q), twice / 6);
    m->second += twice * (qdi_dot(p, p) + qdi_dot(p, q) + qdi_dot(q, q)) / 12;
}

// Adds the strip along an edge of a rounded polygon to the moments of area.
static void add_strip_moments(qdi_area_moments *m, qd_vec2 p, qd_vec2 q, qd_vec2 normal, double radius) {
    double length = qdi_length(qdi_minus(q, p)), area = length * radius;
    qd_vec2 centre = qdi_along(qdi_times(qdi_plus(p, q), 0.5), normal, 0.5 * radius);
    m->area += area;
    m->first = qdi_along(m->first, centre, area);
    m->second += area * ((length * length + radius * radius) / 12 + qdi_dot(centre, centre));
}

/// Shape's mass: adds the sector about a rounded corner, from one edge's normal to the next one's, to the
/// moments of area.
static void add_sector_moments(qdi_area_moments *m, qd_vec2 corner, qd_vec2 from, qd_vec2 to, double radius) {
    double angle = qd_atan2(fabs(qdi_cross(from, to)), qdi_dot(from, to));
    double squared = radius * radius, area = 0.5 * squared * angle;
    qd_vec2 own = {radius * squared / 3 * (to.y - from.y), radius * squared / 3 * (from.x - to.x)};
    m->area += area;
    m->first = qdi_plus(qdi_along(m->first, corner, area), own);
    m->second += area * qdi_dot(corner, corner) + 2 * qdi_dot(corner, own) + 0.25 * squared * squared * angle;
}

// Area, centre and second moment of a shape.
qdi_area_moments qdi_core_moments(const qdi_core *core, double radius) {
    qdi_area_moments moments = {0, {0, 0}, 0};
    for (int i = 0; i < core->count; ++i) {
        int next = i + 1 < core->count ? i + 1 : 0;
        add_triangle_moments(&moments, core->point[i], core->point[next]);
        if (radius > 0) {
            add_strip_moments(&moments, core->point[i], core->point[next], core->normal[i], radius);
            add_sector_moments(&moments, core->point[next], core->normal[i], core->normal[next], radius);
        }
    }
    return moments;
}

// The moments of area of a shape that is no disk.
static qdi_area_moments shape_area_moments(const qd_shape *shape) {
    qdi_hull hull;
    qdi_core core;
    if (shape->kind == QD_SHAPE_POLYGON) qdi_hull_make(shape, &hull);
    qdi_form form = qdi_form_of(shape, &hull);
    qdi_core_make(&form, &(qdi_pose){0, 0, 1, 0}, &core);
    return qdi_core_moments(&core, shape->radius);
}

// The area of a shape.
static double shape_area(const qd_shape *shape) {
    if (shape->kind == QD_SHAPE_DISK) return pi * shape->radius * shape->radius;
    return shape_area_moments(shape).area;
}

double qd_shape_area(const qd_shape *shape) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    double result = shape_area(shape);
    QDI_SETTLE(result);
    return result;
}

// The moment of inertia of a shape for a mass of 1.
static double shape_inertia(const qd_shape *shape) {
    double squared = shape->half.x * shape->half.x + shape->half.y * shape->half.y;
    if (shape->kind == QD_SHAPE_DISK) return 0.5 * shape->radius * shape->radius;
    if (shape->kind != QD_SHAPE_POLYGON && shape->radius == 0) return squared / 3; // a rect, or a thin rod
    qdi_area_moments moments = shape_area_moments(shape);
    return moments.second / moments.area;
}

double qd_shape_inertia(const qd_shape *shape) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    double result = shape_inertia(shape);
    QDI_SETTLE(result);
    return result;
}
