#include "sim/rigid/constraint.h"

#include "sim/world/contact_state.h"
#include "sim/world/forces.h"
#include "sim/world/reach.h"
#include "sim/world/scratch.h"
#include "sim/world/surface.h"
#include "sim/world/world_impl.h"

#include <math.h>

double qdi_impulse_threshold(const qd_world *world, double dt) {
    if (!isnan(world->def.threshold)) return world->def.threshold;
    qd_vec2 g = world->def.gravity;
    return 2 * sqrt(g.x * g.x + g.y * g.y) * dt;
}

/// Constraint: the surface of a contact's b: a body or the walls.
static const qd_material *surface_of_b(const qd_world *world, uint32_t row_b) {
    return row_b == QDI_NO_ROW ? &world->walls : qdi_surface_of_row(world, row_b);
}

bool qdi_constraint_bouncy(const qd_world *world, const qdi_link *link) {
    const qd_material *a = qdi_surface_of_row(world, link->row_a), *b = surface_of_b(world, link->row_b);
    if (world->traits.materials.pairs) {
        const qd_material mixed = qdi_mixed_surface(world, a, b);
        return mixed.restitution > 0 || mixed.tangential > 0;
    }
    return a->restitution > 0 || b->restitution > 0 || a->tangential > 0 || b->tangential > 0;
}

double qdi_constraint_friction_of_two(const qd_world *world, const qdi_link *link) {
    const qdi_trait *traits = world->traits.trait;
    const uint32_t a = world->trait[link->row_a];
    if (world->traits.materials.pairs)
        return qdi_mixed_surface(world, &traits[a].surface, surface_of_b(world, link->row_b)).friction;
    return qdi_mixed_friction(traits[a].surface.friction, surface_of_b(world, link->row_b)->friction);
}

/// Constraint: what a body gains in a step by the attraction, in speed.
static double pulled(const qd_world *world, uint32_t row, double dt) {
    qd_vec2 pull = qdi_attraction_at(&world->def.attraction, world->axis, world->now.x[row],
                                     world->now.y[row]);
    return sqrt(pull.x * pull.x + pull.y * pull.y) * dt;
}

/// What approaches slower does not bounce.
static double threshold_of(const qd_world *world, const qdi_constraint_rules *rules,
                           const qdi_constraint *constraint) {
    if (!isnan(world->def.threshold) || world->def.attraction.strength == 0) return rules->threshold;
    double most = constraint->moves_a ? pulled(world, constraint->row_a, rules->dt) : 0;
    double other = constraint->moves_b ? pulled(world, constraint->row_b, rules->dt) : 0;
    return rules->threshold + 2 * qdi_larger(most, other);
}

void qdi_constraint_make(const qd_world *world, const qdi_constraint_rules *rules, const qdi_link *link,
                         qdi_constraint *constraint) {
    const qdi_geometry *geometry = &world->present.geometry[link->geometry];
    uint32_t a = link->row_a, b = link->row_b;
    bool wall = b == QDI_NO_ROW;
    constraint->row_a = a; // field by field: a copy of what was just written would have to wait for it
    constraint->row_b = b;
    constraint->place = link->place;
    constraint->count = (uint8_t)((link->touches & 1) + (link->touches >> 1));
    constraint->moves_a = link->moves_a;
    constraint->moves_b = link->moves_b;
    constraint->nx = geometry->normal.x;
    constraint->ny = geometry->normal.y;
    constraint->inverse_a = 1 / world->mass[a];
    constraint->inverse_b = wall ? 0 : 1 / world->mass[b];
    for (int k = 0; k < 2; ++k) {
        constraint->depth[k] = geometry->depth[k];
        constraint->impulse[k] = constraint->tangent_impulse[k] = 0;
    }
    const qd_material mixed = qdi_mixed_surface(world, qdi_surface_of_row(world, a), surface_of_b(world, b));
    constraint->restitution = mixed.restitution;
    if (wall) {
        const qd_vec2 speed = world->wall_mean[world->present.spots[link->place].wall];
        constraint->rest->wx = speed.x;
        constraint->rest->wy = speed.y;
    }
    constraint->size = qdi_smaller_inner(world, a, b);
    const bool bounces = mixed.restitution > 0 || mixed.tangential > 0;
    constraint->threshold = bounces ? threshold_of(world, rules, constraint) : (double)INFINITY;
    const bool disks = world->shaped == 0 || (world->shape[a] == 0 && (wall || world->shape[b] == 0));
    constraint->plain = disks && mixed.friction == 0;
    if (constraint->plain) return;
    constraint->rest->slide = qdi_slide_of(world, a, b);
    constraint->rest->friction = mixed.friction;
    constraint->rest->tangential = mixed.tangential;
    constraint->rest->turn_a = 1 / world->inertia[a];
    constraint->rest->turn_b = wall ? 0 : 1 / world->inertia[b];
    constraint->rest->across_a[1] = constraint->rest->along_a[1] = constraint->rest->across_b[1] =
        constraint->rest->along_b[1] = 0;
    const qdi_motion *now = &world->now;
    const uint32_t other = wall ? a : b; // a wall has no levers
    const qd_vec2 way = wall ? (qd_vec2){0, 0} : qdi_constraint_shift(world, link);
    for (int k = 0; k < constraint->count; ++k)
        qdi_constraint_levers(constraint, k, world->shape[a] != 0, !wall && world->shape[b] != 0,
                              (qd_vec2){now->x[a], now->y[a]},
                              (qd_vec2){now->x[other] + way.x, now->y[other] + way.y}, geometry->point[k],
                              geometry->depth[k]);
}

bool qdi_constraint_fast(const qd_world *world, const qdi_constraint *constraint) {
    bool fast = false;
    for (int k = 0; k < constraint->count; ++k)
        fast = fast || (constraint->depth[k] >= -qdi_bounce_gap(constraint) &&
                        qdi_constraint_approach(constraint, &world->next, k) > constraint->threshold);
    return fast;
}

/// Overlap, as a part of the smaller body's size, that is no longer left over from an impact.
static const double deep_part = 0.1;

/// Overlap, as a part of the smaller body's size, that a touch may come to in a step and bounce after that:
/// with more, bodies that touch aslant would turn past each other.
static const double later_part = 4;

/// Constraint: of those touches that come to rest or bounce now: by bit. One that comes too fast to rest, and
/// is still apart, bounces when it is there: held with the other one it would lose its speed. Where that is
/// so of all, none is left out.
static uint8_t touches_now(const qdi_constraint *constraint, const qdi_motion *m, double dt) {
    uint8_t now = QDI_TOUCHES_BOTH;
    if (constraint->count < 2) return QDI_TOUCHES_FIRST;
    for (int k = 0; k < 2 && constraint->restitution > 0; ++k) {
        const double approach = qdi_constraint_approach(constraint, m, k);
        if (constraint->depth[k] < -qdi_bounce_gap(constraint) && approach > constraint->threshold &&
            constraint->depth[k] + approach * dt < later_part * constraint->size)
            now = (uint8_t)(now & ~(1U << k));
    }
    return now ? now : QDI_TOUCHES_BOTH;
}

uint8_t qdi_constraint_touches(const qd_world *world, const qdi_constraint *constraint, double dt) {
    const qdi_motion *m = &world->next;
    if (constraint->count == 0) return 0;
    if (isinf(constraint->threshold)) return constraint->count > 1 ? QDI_TOUCHES_BOTH : QDI_TOUCHES_FIRST;
    const uint8_t now = touches_now(constraint, m, dt);
    const qdi_warm_start *hold = &world->present.warm_starts[constraint->place];
    double approach = -HUGE_VAL, depth = -HUGE_VAL;
    bool stays = false;
    for (int k = 0; k < constraint->count; ++k) {
        if (!(now >> k & 1)) continue;
        if (hold->normal[k] > 0) return now;
        double here = qdi_constraint_approach(constraint, m, k);
        if (here > approach) approach = here;
        if (constraint->depth[k] > depth) depth = constraint->depth[k];
        stays = stays || constraint->depth[k] + here * dt > 0;
    }
    uint32_t a = constraint->row_a, b = constraint->row_b;
    double speed = fabs(m->vx[a]) + fabs(m->vy[a]);
    speed += b != QDI_NO_ROW ? fabs(m->vx[b]) + fabs(m->vy[b])
                             : fabs(constraint->rest->wx) + fabs(constraint->rest->wy);
    // A speed that is none, per radius and by rounding.
    double rounding = 1e-12 * speed + 1e-9 / dt * world->radius[a];
    if (constraint->restitution > 0 && depth < -qdi_bounce_gap(constraint) &&
        approach > constraint->threshold)
        return 0;
    if (approach > rounding && constraint->threshold == 0 && constraint->restitution == 1) return 0;
    if (approach >= -(constraint->threshold + rounding)) return now;
    // Where all that approaches bounces, what overlaps much is pushed out all the same: pressed from both
    // sides it would stay. Elastic bodies are left as they are.
    const bool deep = constraint->restitution < 1 && depth > deep_part * constraint->size;
    return stays && (constraint->threshold > 0 || deep) ? now : (uint8_t)0;
}
