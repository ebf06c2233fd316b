// Box2D's whole step, from version 3.2 on: a C library whose names and headers are not those of 2.4, whose
// tree is a peer in peer_box2d.cpp. With more than one thread it makes threads of its own.
#include "core/base/memory.h"
#include "tools/bench/rigid.h"

#include <box2d/box2d.h>

/// Thick enough that nothing gets through within a step.
static const double wall = 4;

/// Where a body of the setting is: in a body of Box2D's, which several that turn about one pivot share, as
/// all static ones do.
typedef struct part {
    b2BodyId body;
    b2Transform local; ///< its centroid and angle there
} part;

typedef struct box2d_rigid {
    const qdi_rigid_setting *setting;
    b2WorldId world;
    part *parts; ///< of all bodies
    size_t step;
} box2d_rigid;

// A vector as Box2D has it.
static b2Vec2 vec2(qd_vec2 v) {
    return (b2Vec2){(float)v.x, (float)v.y};
}

// Frees a world of Box2D.
static void box2d_destroy(void *given) {
    box2d_rigid *state = given;
    if (!state) return;
    if (b2World_IsValid(state->world)) b2DestroyWorld(state->world);
    qdi_release(qd_allocator_default(), state->parts, state->setting->total, sizeof *state->parts);
    qdi_release(qd_allocator_default(), state, 1, sizeof *state);
}

// Friction and restitution of a bench's case for Box2D.
static b2ShapeDef surface_of(const qdi_rigid_case *of) {
    b2ShapeDef def = b2DefaultShapeDef();
    def.material.friction = (float)of->friction; // two are mixed as ours are
    def.material.restitution = (float)of->restitution;
    return def;
}

// Adds the walls of a bench's case to Box2D.
static void add_walls(b2BodyId ground, const qdi_rigid_setting *setting) {
    b2ShapeDef def = surface_of(setting->of);
    float w = (float)(0.5 * setting->size.x), h = (float)(0.5 * setting->size.y), t = (float)wall;
    b2Vec2 centre = {(float)setting->origin.x + w, (float)setting->origin.y + h};
    const b2Vec2 away[] = {{-w - t, 0}, {w + t, 0}, {0, -h - t}, {0, h + t}};
    for (int i = 0; i < 4; ++i) {
        b2Polygon box = b2MakeOffsetBox(i < 2 ? t : w + 2 * t, i < 2 ? h + 2 * t : t, b2Add(centre, away[i]),
                                        b2Rot_identity);
        b2CreatePolygonShape(ground, &def, &box);
    }
}

// Adds the shape of a body to Box2D.
static void add_shape(const part *at, const qd_shape *shape, const b2ShapeDef *def) {
    if (shape->kind == QD_SHAPE_DISK) {
        b2Circle circle = {at->local.p, (float)shape->radius};
        b2CreateCircleShape(at->body, def, &circle);
        return;
    }
    if (shape->kind == QD_SHAPE_CAPSULE) { // of the cases' shapes these are without a radius
        b2Vec2 half = b2RotateVector(at->local.q, (b2Vec2){(float)shape->half.x, 0});
        b2Segment segment = {b2Sub(at->local.p, half), b2Add(at->local.p, half)};
        b2CreateSegmentShape(at->body, def, &segment);
        return;
    }
    b2Polygon polygon;
    if (shape->kind == QD_SHAPE_RECT) {
        polygon = b2MakeBox((float)shape->half.x, (float)shape->half.y);
    } else {
        b2Vec2 points[B2_MAX_POLYGON_VERTICES];
        int count = shape->count < B2_MAX_POLYGON_VERTICES ? shape->count : B2_MAX_POLYGON_VERTICES;
        for (int i = 0; i < count; ++i) points[i] = vec2(shape->points[i]);
        b2Hull hull = b2ComputeHull(points, count);
        polygon = b2MakePolygon(&hull, 0);
    }
    polygon = b2TransformPolygon(at->local, &polygon);
    b2CreatePolygonShape(at->body, def, &polygon);
}

/// Bench of Box2D: what turns about the pivot of the body before it is a part of that one's.
static b2BodyId body_for(const box2d_rigid *state, size_t number, b2BodyId ground, qd_vec2 *centre) {
    const qdi_rigid_body *from = &state->setting->bodies[number];
    *centre = (qd_vec2){0, 0};
    if (from->kind == QD_BODY_STATIC) return ground;
    bool pivoted = from->pivot.x == from->pivot.x;
    *centre = pivoted ? from->pivot : from->position;
    if (pivoted && number > 0 && from[-1].pivot.x == from->pivot.x && from[-1].pivot.y == from->pivot.y)
        return state->parts[number - 1].body;
    b2BodyDef def = b2DefaultBodyDef();
    def.type = from->kind == QD_BODY_DYNAMIC ? b2_dynamicBody : b2_kinematicBody;
    def.position.x = (float)centre->x;
    def.position.y = (float)centre->y;
    if (!pivoted) def.rotation = (b2Rot){(float)from->turn.x, (float)from->turn.y};
    if (!pivoted) def.linearVelocity = vec2(from->velocity);
    def.angularVelocity = (float)from->spin;
    return b2CreateBody(state->world, &def);
}

// Adds a body of a bench's case to Box2D.
static void add_body(box2d_rigid *state, size_t number, b2BodyId ground) {
    const qdi_rigid_body *from = &state->setting->bodies[number];
    part *at = &state->parts[number];
    qd_vec2 centre;
    at->body = body_for(state, number, ground, &centre);
    at->local = b2Transform_identity;
    bool own = from->kind != QD_BODY_STATIC && from->pivot.x != from->pivot.x; // a body of its own
    if (!own) {
        at->local.p = vec2((qd_vec2){from->position.x - centre.x, from->position.y - centre.y});
        at->local.q = (b2Rot){(float)from->turn.x, (float)from->turn.y};
    }
    b2ShapeDef def = surface_of(state->setting->of);
    if (from->kind == QD_BODY_DYNAMIC) def.density = (float)(from->mass / qd_shape_area(&from->shape));
    add_shape(at, &from->shape, &def);
}

// Makes a world of Box2D for a bench's case.
static qd_status box2d_create(const qdi_rigid_setting *setting, const qdi_rigid_options *options,
                              void **made) {
    *made = NULL;
    box2d_rigid *state = qdi_allocate(qd_allocator_default(), 1, sizeof *state);
    if (!state) return QD_ERR_MEMORY;
    *state = (box2d_rigid){.setting = setting};
    state->parts = qdi_allocate(qd_allocator_default(), setting->total, sizeof *state->parts);
    if (!state->parts) {
        box2d_destroy(state);
        return QD_ERR_MEMORY;
    }
    b2WorldDef def = b2DefaultWorldDef();
    def.gravity = (b2Vec2){0, (float)-setting->of->gravity};
    def.restitutionThreshold = (float)(2 * setting->of->gravity * setting->dt); // as ours
    def.enableSleep = false;                                                    // ours never sleep
    def.workerCount = options->threads;
    state->world = b2CreateWorld(&def);
    b2BodyDef ground_def = b2DefaultBodyDef();
    b2BodyId ground = b2CreateBody(state->world, &ground_def);
    if (setting->of->walls) add_walls(ground, setting);
    for (size_t i = 0; i < setting->total; ++i) add_body(state, i, ground);
    *made = state;
    return QD_OK;
}

// One step of Box2D.
static qd_status box2d_step(void *given, qd_profile *profile) {
    (void)profile; // its phases are not ours
    box2d_rigid *state = given;
    const qdi_rigid_setting *setting = state->setting;
    qd_vec2 velocity;
    if (setting->of->drive && setting->of->drive(state->step, setting->dt, &velocity))
        b2Body_SetLinearVelocity(state->parts[setting->total - 1].body, vec2(velocity));
    state->step += 1;
    b2World_Step(state->world, (float)setting->dt, setting->iterations / QDI_RIGID_SWEEPS);
    return QD_OK;
}

// Reads the bodies of Box2D.
static void box2d_read(const void *given, qdi_rigid_body *bodies) {
    const box2d_rigid *state = given;
    for (size_t i = 0; i < state->setting->total; ++i) {
        const part *at = &state->parts[i];
        b2Rot turn = b2Body_GetRotation(at->body);
        b2Vec2 away = b2RotateVector(turn, at->local.p);
        b2Rot angle = b2MulRot(turn, at->local.q);
        double x = (double)b2Body_GetPosition(at->body).x, y = (double)b2Body_GetPosition(at->body).y;
        b2Vec2 velocity = b2Body_GetLinearVelocity(at->body);
        float spin = b2Body_GetAngularVelocity(at->body);
        bodies[i].position = (qd_vec2){x + (double)away.x, y + (double)away.y};
        bodies[i].turn = (qd_vec2){(double)angle.c, (double)angle.s};
        bodies[i].velocity = (qd_vec2){(double)(velocity.x - spin * away.y),
                                       (double)(velocity.y + spin * away.x)};
        bodies[i].spin = (double)spin;
    }
}

const qdi_rigid_method qdi_rigid_box2d = {
    .name = "box2d",
    .peer = true,
    .create = box2d_create,
    .step = box2d_step,
    .read = box2d_read,
    .destroy = box2d_destroy,
};
