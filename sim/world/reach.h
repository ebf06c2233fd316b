#pragma once

#include "sim/world/world_impl.h"

/// Sizes of bodies, and how far around them contacts are looked for.

/// Distance from a body's centroid to the nearest point of its border.
static inline double qdi_inner_of_row(const qd_world *world, uint32_t row) {
    const uint32_t shape = world->shaped > 0 ? world->shape[row] : 0;
    return shape ? world->shapes.inner[shape] : world->radius[row];
}
/// That of the smaller of two bodies, of those that move; row_b QDI_NO_ROW: a wall.
static inline double qdi_smaller_inner(const qd_world *world, uint32_t a, uint32_t b) {
    if (b == QDI_NO_ROW || world->kind[b] != QD_BODY_DYNAMIC) return qdi_inner_of_row(world, a);
    double inner_b = qdi_inner_of_row(world, b);
    if (world->kind[a] != QD_BODY_DYNAMIC) return inner_b;
    double inner_a = qdi_inner_of_row(world, a);
    return inner_a < inner_b ? inner_a : inner_b;
}
/// Reach of a world's contacts: the solver's reach: the largest gap of a speculative contact, as a part of
/// the distance from centroid to border of the smaller body that moves. Next to nothing where what is apart
/// bounces, once it has met: only what was stopped on its way, just before it touched.
static inline double qdi_speculative(const qd_world *world) {
    const qd_world_def *def = &world->def;
    bool falls = def->gravity.x != 0 || def->gravity.y != 0 || def->attraction.strength != 0;
    bool bounces = def->restitution > 0 && (def->threshold == 0 || (isnan(def->threshold) && !falls));
    return def->contact != QD_CONTACT_IMPULSE ? 0 : bounces ? 1e-5 : 0.05;
}
/// Reach of a world's contacts: how far springs pull on what is apart.
static inline double qdi_adhesive_range(const qd_world *world) {
    const qd_spring *spring = &world->def.spring;
    return world->def.contact == QD_CONTACT_SPRING && spring->adhesion > 0 ? spring->range : 0;
}
/// Part of that distance, and a length besides, and most that a box is fattened by so that speculative
/// contacts are candidates.
typedef struct qdi_reach {
    double part, length, most;
} qdi_reach;
/// Reach of a world's contacts: true where there are speculative contacts at all.
static inline bool qdi_reaches(const qdi_reach *reach) {
    return reach->part > 0 || reach->length > 0;
}
/// In a periodic world a box is at most half a period long: bodies that leave no room for it have less reach.
static inline double qdi_reach_of(const qdi_reach *reach, double inner, double radius) {
    double far = reach->part * inner + reach->length, room = reach->most - 0.9 * radius;
    room = room > 0 ? room : 0;
    return far < room ? far : room;
}
/// How far around a body candidates are wanted.
static inline double qdi_reach_of_row(const qd_world *world, const qdi_reach *reach, uint32_t row) {
    return qdi_reach_of(reach, qdi_inner_of_row(world, row), world->radius[row]);
}
