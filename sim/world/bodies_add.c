// How bodies come into a world, and what they are told later on.

#include <quadrille/world.h>

#include "core/base/arithmetic.h"
#include "core/base/cookie.h"
#include "core/base/memory.h"
#include "sim/world/bodies.h"
#include "sim/world/displacement.h"
#include "sim/world/energy_balance.h"
#include "sim/world/limits.h"
#include "sim/world/pose.h"
#include "sim/world/surface.h"
#include "sim/world/world_impl.h"

#include <quadrille/math.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>

qd_body_def qd_body_def_default(void) {
    const qdi_trait trait = qdi_trait_default();
    return (qd_body_def){
        .cookie = QDI_COOKIE,
        .shape = qd_shape_disk(0.5),
        .pivot = trait.pivot,
        .density = 1,
        .mass = (double)NAN,
        .inertia = (double)NAN,
        .material = trait.material,
        .filter = trait.filter,
    };
}

qd_vec2 qdi_turn_of(double angle) {
    qd_vec2 turn = {1, 0};
    if (angle != 0) qd_sincos(angle, &turn.y, &turn.x);
    return turn;
}

/// Bodies added to a world: one bit pattern for every NaN: traits are compared as bytes.
static double normalise_nan(double value) {
    return isnan(value) ? (double)NAN : value;
}

// ---- rows ----

// Bodies added to a world: notes that bodies turn from now on, if this one can.
static void note_turning(qd_world *world, uint32_t row) {
    const qdi_motion *now = &world->now;
    if (world->shape[row] || now->spin[row] != 0 || now->s[row] != 0 || now->c[row] != 1 ||
        qdi_surface_of_row(world, row)->friction > 0)
        world->turning = true;
}

/// Bodies added to a world: a kinematic body with a pivot moves as that demands.
static void follow_pivot(qd_world *world, uint32_t row) {
    const qdi_trait *trait = &world->traits.trait[world->trait[row]];
    if (isnan(trait->pivot.x)) return;
    qd_vec2 arm = qdi_pivot_arm(world->axis, trait->pivot, world->now.x[row], world->now.y[row]);
    world->now.vx[row] = -world->now.spin[row] * arm.y;
    world->now.vy[row] = world->now.spin[row] * arm.x;
}

// Bodies added to a world: writes position and velocity of a body that is added.
static void set_body_position(qd_world *world, uint32_t row, qd_vec2 position, qd_vec2 velocity) {
    bool moves = world->kind[row] != QD_BODY_STATIC;
    world->now.x[row] = qdi_axis_wrap(&world->axis[0], position.x);
    world->now.y[row] = qdi_axis_wrap(&world->axis[1], position.y);
    world->now.vx[row] = moves ? velocity.x : 0;
    world->now.vy[row] = moves ? velocity.y : 0;
}

// Bodies added to a world: writes angle, spin and lean of a body that is added.
static void set_body_turn(qd_world *world, uint32_t row, qd_vec2 turn, double spin, double lean) {
    // While nothing turns, these four columns belong to both states.
    world->now.c[row] = turn.x;
    if (world->kind[row] == QD_BODY_STATIC) spin = 0;
    qdi_put_rare(&world->now.s[row], &turn.y, sizeof turn.y);
    qdi_put_rare(&world->now.spin[row], &spin, sizeof spin);
    qdi_put_rare(&world->now.lean[row], &lean, sizeof lean);
    note_turning(world, row);
}

void qdi_body_enter(qd_world *world, const qdi_birth *birth) {
    qdi_change_begin(world);
    const qdi_placing *placing = &birth->placing;
    uint32_t row = (uint32_t)world->count++;
    world->row_of_index[birth->id.index] = row;
    world->index[row] = birth->id.index;
    world->generation[row] = birth->id.generation;
    world->label[row] = birth->label;
    if (birth->label > world->last_label) world->last_label = birth->label;
    world->radius[row] = qd_shape_reach(placing->shape);
    world->mass[row] = placing->mass;
    world->inertia[row] = placing->inertia;
    const uint8_t kind = (uint8_t)placing->kind;
    qdi_put_rare(&world->shape[row], &birth->shape, sizeof birth->shape);
    qdi_put_rare(&world->trait[row], &birth->trait, sizeof birth->trait);
    qdi_put_rare(&world->kind[row], &kind, sizeof kind);
    world->shaped += birth->shape != 0;
    world->fixed += placing->kind != QD_BODY_DYNAMIC;
    world->bullets += world->traits.trait[birth->trait].bullet;
    atomic_store_explicit(&world->touching[row], 0, memory_order_relaxed);
    set_body_position(world, row, placing->position, placing->velocity);
    set_body_turn(world, row, placing->turn, placing->spin, placing->lean);
    follow_pivot(world, row);
    qdi_home_begin(world, row);
}

// ---- adding ----

/// Bodies added to a world: mass and inertia of a dynamic body.
static qd_status weigh_body(const qd_body_def *body, qdi_placing *placing, qd_error *error) {
    const double infinite = HUGE_VAL;
    placing->mass = placing->inertia = infinite;
    if (placing->kind != QD_BODY_DYNAMIC) return QD_OK;
    bool from_density = isnan(body->mass);
    if (from_density && !qdi_is_sane_positive(body->density, true))
        return qdi_reason(error, QD_ERR_VALUE, "density must be above 0 and at most 1e30, not %.15g",
                          body->density);
    double area = qd_shape_area(placing->shape);
    if (!(area > 0))
        return qdi_reason(error, QD_ERR_VALUE, "a shape without area only fits bodies that nothing pushes");
    placing->mass = from_density ? body->density * area : body->mass;
    placing->inertia = isnan(body->inertia) ? placing->mass * qd_shape_inertia(placing->shape)
                                            : body->inertia;
    return QD_OK;
}

// Bodies added to a world: checks kind, pivot and surface of a body that is added.
static qd_status check_body_traits(const qd_world *world, const qd_body_def *body, qd_error *error) {
    if ((unsigned)body->kind > QD_BODY_KINEMATIC)
        return qdi_reason(error, QD_ERR_VALUE, "unknown kind of body");
    bool pivot = !isnan(body->pivot.x) || !isnan(body->pivot.y);
    if (pivot && body->kind != QD_BODY_KINEMATIC)
        return qdi_reason(error, QD_ERR_VALUE, "only a kinematic body turns about a pivot");
    double far = qdi_limit_distance(&world->def.limits);
    if (pivot &&
        !(fabs(body->pivot.x - world->centre.x) <= far && fabs(body->pivot.y - world->centre.y) <= far))
        return qdi_reason(error, QD_ERR_VALUE, "a pivot must be finite and within limits.distance");
    if (body->slide != 0 && body->kind == QD_BODY_DYNAMIC)
        return qdi_reason(error, QD_ERR_VALUE, "only the surface of a static or kinematic body slides");
    if (!(body->slide * body->slide <= qdi_limit_speed_squared(&world->def.limits)))
        return qdi_reason(error, QD_ERR_VALUE, "a surface must not slide faster than limits.speed");
    if (body->source > 0xffff) return qdi_reason(error, QD_ERR_VALUE, "a body's source is at most 65535");
    if (body->material.of > world->traits.materials.count)
        return qdi_reason(error, QD_ERR_VALUE, "no material has the number %u", body->material.of);
    return qdi_material_check(&body->material, "a body's", error);
}

qdi_trait qdi_trait_of(const qd_body_def *body) {
    const qd_material *material = &body->material;
    qdi_trait trait = qdi_trait_default();
    trait.kind = body->kind;
    trait.sensor = body->sensor;
    trait.bullet = body->bullet;
    trait.material = (qd_material){normalise_nan(material->restitution), normalise_nan(material->friction),
                                   normalise_nan(material->tangential), material->of};
    trait.filter = body->filter;
    trait.pivot = (qd_vec2){normalise_nan(body->pivot.x), normalise_nan(body->pivot.y)};
    trait.slide = body->slide == 0 ? 0 : body->slide; // never -0
    trait.source = body->source;
    return trait;
}

// Bodies added to a world: interns shape and trait of a body that is added.
static qd_status intern_body(qdi_shapes *shapes, qdi_traits *traits, const qd_body_def *body,
                             qdi_birth *birth) {
    qdi_trait trait = qdi_trait_of(body);
    qd_status status = qdi_shapes_take(shapes, birth->placing.shape, &birth->shape);
    if (status != QD_OK) return status;
    status = qdi_traits_take(traits, &trait, &birth->trait);
    if (status != QD_OK) qdi_shapes_drop(shapes, birth->shape);
    return status;
}

qd_status qdi_body_def_check(const qd_world *world, const qd_body_def *body, qd_vec2 position, bool sizeless,
                             qd_error *error) {
    qdi_placing placing = {.kind = body->kind,
                           .shape = &body->shape,
                           .position = position,
                           .turn = qdi_turn_of(body->angle),
                           .velocity = body->velocity,
                           .spin = body->spin,
                           .pivot = body->pivot,
                           .sizeless = sizeless};
    qd_status status = weigh_body(body, &placing, error);
    if (status == QD_OK) status = check_body_traits(world, body, error);
    return status == QD_OK ? qdi_body_check(world, &placing, error) : status;
}

// Takes a free index and its next generation for a body that is added.
static qd_id take_body_id(qd_world *world) {
    qd_body_index index = qdi_body_take_index(world);
    uint32_t *generation = &world->generation_of_index[index];
    *generation = *generation == UINT32_MAX ? 1 : *generation + 1;
    return (qd_id){index, *generation};
}

/// Bodies added to a world: adds a body whose shape is in order.
static qd_status add_body(qd_world *world, const qd_body_def *body, qdi_placing *placing, qd_id *id,
                          qd_error *error) {
    qd_status status = weigh_body(body, placing, error);
    if (status == QD_OK) status = check_body_traits(world, body, error);
    if (status == QD_OK) status = qdi_body_check(world, placing, error);
    if (status != QD_OK) return status;
    if (world->free_count == 0 && world->index_count >= QD_BODY_INDEX_MAX)
        return qdi_reason(error, QD_ERR_LIMIT, "a world holds at most %u bodies", QD_BODY_INDEX_MAX);
    if (body->label == 0 && world->last_label >= QDI_LABEL_MAX)
        return qdi_reason(error, QD_ERR_LIMIT, "no id is left above %" PRIu64, world->last_label);
    size_t indices = world->index_count + (world->free_count == 0);
    qdi_birth birth = {.placing = *placing};
    status = qdi_bodies_reserve(world, world->count + 1, indices);
    if (status == QD_OK) status = intern_body(&world->shapes, &world->traits, body, &birth);
    if (status != QD_OK) return qdi_reason(error, status, "no memory for another body");
    birth.id = take_body_id(world);
    birth.label = body->label ? body->label : world->last_label + 1;
    qdi_body_enter(world, &birth);
    world->entered += qdi_energy_of_row(world, (uint32_t)world->count - 1);
    if (id) *id = birth.id;
    return QD_OK;
}

qd_status qd_world_add(qd_world *world, const qd_body_def *body, qd_id *id, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!world || !body || body->cookie != QDI_COOKIE)
        return qdi_reason(error, QD_ERR_ARGUMENT, "no world, or no body from qd_body_def_default");
    qd_shape shape = body->shape;
    qd_vec2 moved;
    qd_status status = qd_shape_normalise(&shape, &moved, error);
    if (status != QD_OK) return status;
    if (!qdi_is_sane(body->angle))
        return qdi_reason(error, QD_ERR_VALUE, "an angle must be finite and within 1e30");
    qdi_placing placing = {.kind = body->kind,
                           .shape = &shape,
                           .position = body->position,
                           .turn = qdi_turn_of(body->angle),
                           .velocity = body->velocity,
                           .spin = body->spin,
                           .pivot = body->pivot,
                           .fresh = true};
    placing.position.x += placing.turn.x * moved.x - placing.turn.y * moved.y;
    placing.position.y += placing.turn.y * moved.x + placing.turn.x * moved.y;
    return add_body(world, body, &placing, id, error);
}

// What limits ask about a body, from a given state of it.
static qdi_placing placing_of_state(const qd_body_state *state) {
    return (qdi_placing){.kind = state->kind,
                         .shape = &state->shape,
                         .mass = state->mass,
                         .inertia = state->inertia,
                         .position = state->position,
                         .turn = state->turn,
                         .velocity = state->velocity,
                         .spin = state->spin,
                         .lean = state->lean,
                         .pivot = state->pivot,
                         .sensor = state->sensor,
                         .fresh = true};
}

/// Bodies added to a world: the def of a body that is given as a state; its mass by `density`, NaN: as it is.
static qd_body_def def_of_state(const qd_body_state *state, double density) {
    qd_body_def body = qd_body_def_default();
    bool dynamic = state->kind == QD_BODY_DYNAMIC, kept = dynamic && isnan(density);
    body.kind = state->kind;
    body.shape = state->shape;
    body.pivot = state->pivot;
    body.slide = state->slide;
    if (kept) body.mass = state->mass;
    if (kept) body.inertia = state->inertia;
    if (dynamic && !kept) body.density = density;
    body.material = state->material;
    body.filter = state->filter;
    body.sensor = state->sensor;
    body.bullet = state->bullet;
    body.label = state->label;
    body.source = state->source;
    return body;
}

// Bodies added to a world: about a pivot a body has the velocity of its last step, which is not to the last
// bit that of its place.
static void keep_velocity(qd_world *world, const qd_body_state *state) {
    if (state->kind != QD_BODY_KINEMATIC) return;
    world->now.vx[world->count - 1] = state->velocity.x;
    world->now.vy[world->count - 1] = state->velocity.y;
}

qd_status qdi_body_intern(qd_world *world, const qd_body_state *state, uint32_t *shape, uint32_t *trait) {
    const qd_body_def body = def_of_state(state, (double)NAN);
    qdi_birth birth = {.placing = placing_of_state(state)};
    const qd_status status = intern_body(&world->shapes, &world->traits, &body, &birth);
    *shape = birth.shape;
    *trait = birth.trait;
    return status;
}

void qdi_body_enter_again(qd_world *world, const qd_body_state *state, qd_id id, uint32_t shape,
                          uint32_t trait) {
    const qdi_birth birth = {id, state->label, placing_of_state(state), shape, trait};
    qdi_body_enter(world, &birth);
    keep_velocity(world, state);
}

// Bodies added to a world: adds a body in the pose and motion of a state.
static qd_status add_state(qd_world *world, const qd_body_def *body, const qd_body_state *state, bool fresh,
                           qd_error *error) {
    qdi_placing placing = placing_of_state(state);
    placing.fresh = fresh;
    placing.again = true;
    qd_status status = add_body(world, body, &placing, NULL, error);
    if (status == QD_OK) keep_velocity(world, state);
    return status;
}

qd_status qdi_body_add_again(qd_world *world, const qd_body_state *state, bool fresh, qd_error *error) {
    const qd_body_def body = def_of_state(state, (double)NAN);
    return add_state(world, &body, state, fresh, error);
}

qd_status qdi_body_replace(qd_world *world, const qd_body_state *state, double density, qd_error *error) {
    qd_body_state anew = *state;
    anew.lean = 0; // it comes to rest once more
    const qd_body_def body = def_of_state(&anew, density);
    qdi_placing placing = placing_of_state(&anew);
    placing.again = true;
    qd_status status = weigh_body(&body, &placing, error);
    if (status == QD_OK) status = check_body_traits(world, &body, error);
    if (status == QD_OK) status = qdi_body_check(world, &placing, error);
    if (status == QD_OK) status = qd_world_remove(world, state->id);
    return status == QD_OK ? add_state(world, &body, &anew, true, error) : status;
}

// Bodies added to a world: adds one edge of a chain as a static capsule or segment.
static qd_status add_chain_edge(qd_world *world, const qd_vec2 *points, size_t count, bool closed,
                                size_t edge, const qd_body_def *like, qd_id *id, qd_error *error) {
    qd_body_def body = *like;
    double radius = like->shape.kind == QD_SHAPE_CAPSULE ? like->shape.radius : 0;
    if (body.kind != QD_BODY_KINEMATIC) {
        body.kind = QD_BODY_STATIC;
        body.pivot = qdi_trait_default().pivot;
    }
    qd_status status = qd_shape_chain(points, count, closed, edge, radius, &body.shape, &body.position,
                                      &body.angle, error);
    return status == QD_OK ? qd_world_add(world, &body, id, error) : status;
}

qd_status qd_world_add_polyline(qd_world *world, const qd_vec2 *points, size_t count, bool closed,
                                const qd_body_def *like, qd_id *ids, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!world || !points || !like || like->cookie != QDI_COOKIE)
        return qdi_reason(error, QD_ERR_ARGUMENT, "no world or points, or no body from qd_body_def_default");
    if (count < (closed ? 3U : 2U))
        return qdi_reason(error, QD_ERR_VALUE, "a polyline needs at least %d points", closed ? 3 : 2);
    if (like->kind == QD_BODY_KINEMATIC && like->spin != 0 && (isnan(like->pivot.x) || isnan(like->pivot.y)))
        return qdi_reason(error, QD_ERR_VALUE, "a polyline that turns needs a pivot");
    size_t edges = closed ? count : count - 1;
    qd_id *made = qdi_allocate(world->allocator, edges, sizeof *made);
    if (!made) return qdi_reason(error, QD_ERR_MEMORY, "no memory for another body");
    qd_status status = QD_OK;
    size_t added = 0;
    for (; added < edges; ++added) {
        status = add_chain_edge(world, points, count, closed, added, like, &made[added], error);
        if (status != QD_OK) break;
    }
    if (status != QD_OK) {
        while (added-- > 0) {
            qd_status removed = qd_world_remove(world, made[added]);
            (void)removed; // it was added just now
        }
    } else if (ids) {
        memcpy(ids, made, edges * sizeof *made);
    }
    qdi_release(world->allocator, made, edges, sizeof *made);
    return status;
}

// ---- placing and turning ----

qd_status qd_world_place(qd_world *world, qd_id id, qd_vec2 position, qd_vec2 velocity, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!world) return qdi_reason(error, QD_ERR_ARGUMENT, "no world");
    uint32_t row = qdi_body_row(world, id);
    if (row == QDI_NO_ROW) return qdi_reason(error, QD_ERR_STALE, "the id names no living body");
    qd_body_state state = qdi_body_state_of_row(world, row);
    qdi_placing placing = placing_of_state(&state);
    placing.position = position;
    placing.velocity = velocity;
    qd_status status = qdi_body_check(world, &placing, error);
    if (status != QD_OK) return status;
    qdi_change_begin(world);
    world->entered -= qdi_energy_of_row(world, row);
    set_body_position(world, row, position, velocity);
    qdi_put_rare(&world->now.lean[row], &(double){0}, sizeof(double));
    follow_pivot(world, row);
    world->entered += qdi_energy_of_row(world, row);
    return QD_OK;
}

qd_status qd_world_turn(qd_world *world, qd_id id, double angle, double spin, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!world) return qdi_reason(error, QD_ERR_ARGUMENT, "no world");
    uint32_t row = qdi_body_row(world, id);
    if (row == QDI_NO_ROW) return qdi_reason(error, QD_ERR_STALE, "the id names no living body");
    if (!qdi_is_sane(angle))
        return qdi_reason(error, QD_ERR_VALUE, "an angle must be finite and within 1e30");
    qd_body_state state = qdi_body_state_of_row(world, row);
    qdi_placing placing = placing_of_state(&state);
    placing.turn = qdi_turn_of(angle);
    placing.spin = spin;
    qd_status status = qdi_body_check(world, &placing, error);
    if (status != QD_OK) return status;
    qdi_change_begin(world);
    world->entered -= qdi_energy_of_row(world, row);
    set_body_turn(world, row, placing.turn, spin, 0);
    follow_pivot(world, row);
    world->entered += qdi_energy_of_row(world, row);
    return QD_OK;
}
