#include "sim/shape/ray.h"

#include "core/math/vec.h"

/// A ray in the form's own axes and the first hit so far.
typedef struct local_ray {
    qd_vec2 from, way;
    double first;
    qd_vec2 normal;
    bool hit;
} local_ray;

// Keeps a hit of the ray where it is the first.
static void ray_offer_hit(local_ray *ray, double fraction, qd_vec2 normal) {
    if (!(fraction >= 0 && fraction <= ray->first)) return;
    ray->first = fraction;
    ray->normal = normal;
    ray->hit = true;
}

/// Tests a ray against a disk about a point, entered from outside. The root is of the part of the way that is
/// square to the ray, so that no digits are lost far away.
static void ray_hit_disk(local_ray *ray, qd_vec2 centre, double radius) {
    qd_vec2 d = qdi_minus(centre, ray->from);
    double length = qdi_length(ray->way);
    qd_vec2 unit = qdi_times(ray->way, 1 / length);
    double along = qdi_dot(d, unit), off = qdi_cross(unit, d);
    double inside = (radius - off) * (radius + off);
    if (inside < 0) return;
    double enter = along - sqrt(inside);
    qd_vec2 normal = qdi_minus(qdi_along(ray->from, unit, enter), centre);
    double normal_length = qdi_length(normal);
    if (normal_length > 0) ray_offer_hit(ray, enter / length, qdi_times(normal, 1 / normal_length));
}

/// Tests a ray against a polygon's side, moved outward by the rounding.
static void ray_hit_side(local_ray *ray, qd_vec2 from, qd_vec2 to, qd_vec2 normal, double radius) {
    double falling = -qdi_dot(normal, ray->way);
    if (!(falling > 0)) return;
    double above = qdi_dot(normal, qdi_minus(ray->from, from)) - radius;
    double fraction = above / falling;
    qd_vec2 way = qdi_minus(to, from), at = qdi_minus(qdi_along(ray->from, ray->way, fraction), from);
    double along = qdi_dot(at, way);
    if (along >= 0 && along <= qdi_dot(way, way)) ray_offer_hit(ray, fraction, normal);
}

/// Tests a ray against a polygon that is not rounded: the ray is inside from the last side it enters through
/// until the first it leaves by, so that none slips through between two sides.
static void ray_hit_sharp_polygon(local_ray *ray, const qdi_core *core) {
    double enter = 0, leave = ray->first;
    qd_vec2 normal = {0, 0};
    for (int i = 0; i < core->count; ++i) {
        double falling = -qdi_dot(core->normal[i], ray->way);
        double above = qdi_dot(core->normal[i], qdi_minus(ray->from, core->point[i]));
        if (falling == 0 && above > 0) return;
        if (falling == 0) continue;
        double fraction = above / falling;
        if (falling < 0 && fraction < leave) leave = fraction;
        if (falling > 0 && fraction >= enter) {
            enter = fraction;
            normal = core->normal[i];
        }
    }
    if (enter <= leave) ray_offer_hit(ray, enter, normal);
}

bool qdi_ray_form(const qdi_form *form, const qdi_pose *pose, qd_vec2 from, qd_vec2 way, double most,
                  qdi_ray_hit *hit) {
    qd_vec2 start = qdi_minus(from, (qd_vec2){pose->x, pose->y});
    local_ray ray = {
        .from = qdi_unturn(pose->c, pose->s, start), .way = qdi_unturn(pose->c, pose->s, way), .first = most};
    *hit = (qdi_ray_hit){0, {0, 0}};
    if (qdi_form_contains(form, pose->c, pose->s, start)) return true;
    if (!(qdi_dot(way, way) > 0)) return false;
    qdi_core core;
    qdi_core_make(form, &(qdi_pose){0, 0, 1, 0}, &core);
    if (form->radius == 0 && core.count > 2) {
        ray_hit_sharp_polygon(&ray, &core);
    } else {
        for (int i = 0; i < core.count; ++i) {
            if (core.count > 1)
                ray_hit_side(&ray, core.point[i], core.point[i + 1 < core.count ? i + 1 : 0], core.normal[i],
                             form->radius);
            if (form->radius > 0) ray_hit_disk(&ray, core.point[i], form->radius);
        }
    }
    if (!ray.hit) return false;
    *hit = (qdi_ray_hit){ray.first, qdi_turn(pose->c, pose->s, ray.normal)};
    return true;
}
