// Chipmunk's whole step, with either of its broad phases. With more than one thread its threaded space is
// taken.
#include "core/base/memory.h"
#include "tools/bench/peers.h"
#include "tools/bench/rigid.h"
#include "tools/host/os.h"

#include <chipmunk/chipmunk.h>
#include <chipmunk/cpHastySpace.h>
#include <math.h>
#include <quadrille/math.h>

/// Overlap that is left alone, as a part of a body's size: as much as its default is of the bodies that its
/// users have.
static const double slop = 0.003;
/// Thick enough that nothing gets through within a step.
static const double wall = 4;
enum { WALLS = 4 };

typedef struct chipmunk_rigid {
    cpSpace *space;
    cpBody **bodies;
    cpShape *walls[WALLS];
    size_t count;
    double dt;
    bool threaded;
} chipmunk_rigid;

// Frees a shape of Chipmunk.
static void free_shape(cpBody *body, cpShape *shape, void *context) {
    (void)body, (void)context;
    cpShapeFree(shape);
}

// Frees a space of Chipmunk.
static void chipmunk_destroy(void *given) {
    chipmunk_rigid *state = given;
    if (!state) return;
    // The space goes first: to take a body out of it would be a search through all of them.
    if (state->space && state->threaded) cpHastySpaceFree(state->space);
    if (state->space && !state->threaded) cpSpaceFree(state->space);
    for (size_t i = 0; i < WALLS; ++i)
        if (state->walls[i]) cpShapeFree(state->walls[i]);
    for (size_t i = 0; state->bodies && i < state->count && state->bodies[i]; ++i) {
        cpBodyEachShape(state->bodies[i], free_shape, NULL);
        cpBodyFree(state->bodies[i]);
    }
    qdi_release(qd_allocator_default(), state->bodies, state->count, sizeof(cpBody *));
    qdi_release(qd_allocator_default(), state, 1, sizeof *state);
}

/// Chipmunk multiplies the surfaces of two shapes; ours mixes frictions by the root of the product.
static void set_surface(cpShape *shape, const qdi_rigid_case *of) {
    cpShapeSetElasticity(shape, of->restitution);
    cpShapeSetFriction(shape, sqrt(of->friction));
}

// Adds the walls of a bench's case to Chipmunk.
static void add_walls(chipmunk_rigid *state, const qdi_rigid_setting *setting) {
    cpSpace *space = state->space;
    double w = setting->size.x, h = setting->size.y;
    const cpVect ends[WALLS][2] = {{{-wall, -wall}, {-wall, h + wall}},
                                   {{w + wall, -wall}, {w + wall, h + wall}},
                                   {{-wall, -wall}, {w + wall, -wall}},
                                   {{-wall, h + wall}, {w + wall, h + wall}}};
    for (size_t i = 0; i < WALLS; ++i) {
        cpShape *shape = cpSegmentShapeNew(cpSpaceGetStaticBody(space), ends[i][0], ends[i][1], wall);
        set_surface(shape, setting->of);
        cpSpaceAddShape(space, shape);
        state->walls[i] = shape;
    }
}

// Adds a body of a bench's case to Chipmunk.
static void add_body(chipmunk_rigid *state, size_t number, const qdi_rigid_setting *setting) {
    const qdi_rigid_body *from = &setting->bodies[number];
    cpBody *body = cpSpaceAddBody(state->space, cpBodyNew(from->mass, from->inertia));
    cpBodySetPosition(body, cpv(from->position.x, from->position.y));
    cpBodySetAngle(body, qd_atan2(from->turn.y, from->turn.x));
    cpBodySetVelocity(body, cpv(from->velocity.x, from->velocity.y));
    cpBodySetAngularVelocity(body, from->spin);
    const qd_shape *is = &from->shape;
    cpShape *shape = is->kind == QD_SHAPE_RECT ? cpBoxShapeNew(body, 2 * is->half.x, 2 * is->half.y, 0)
                                               : cpCircleShapeNew(body, is->radius, cpvzero);
    set_surface(shape, setting->of);
    cpSpaceAddShape(state->space, shape);
    state->bodies[number] = body;
}

// Makes a space of Chipmunk for a bench's case.
static qd_status chipmunk_create(const qdi_rigid_setting *setting, const qdi_rigid_options *options,
                                 bool hashed, void **made) {
    *made = NULL;
    chipmunk_rigid *state = qdi_allocate(qd_allocator_default(), 1, sizeof *state);
    if (!state) return QD_ERR_MEMORY;
    *state = (chipmunk_rigid){.count = setting->count, .dt = setting->dt, .threaded = options->threads > 1};
    state->bodies = qdi_allocate(qd_allocator_default(), setting->count, sizeof(cpBody *));
    if (!state->bodies) {
        chipmunk_destroy(state);
        return QD_ERR_MEMORY;
    }
    for (size_t i = 0; i < setting->count; ++i) state->bodies[i] = NULL;
    int kept = qdi_host_stdout_away(); // a build with checks prints a greeting
    state->space = state->threaded ? cpHastySpaceNew() : cpSpaceNew();
    qdi_host_stdout_back(kept);
    if (state->threaded) cpHastySpaceSetThreads(state->space, (unsigned long)options->threads);
    cpSpaceSetIterations(state->space, setting->iterations);
    cpSpaceSetGravity(state->space, cpv(0, -setting->of->gravity));
    cpSpaceSetCollisionSlop(state->space, slop);
    // Bodies are about 1 large. Of the sides and numbers of cells tried these were fastest in both cases.
    if (hashed)
        cpSpaceUseSpatialHash(state->space, setting->bodies[0].shape.kind == QD_SHAPE_RECT ? 1.0 : 1.5,
                              (int)(4 * setting->count));
    add_walls(state, setting);
    for (size_t i = 0; i < setting->count; ++i) add_body(state, i, setting);
    *made = state;
    return QD_OK;
}

// Makes a space of Chipmunk with a spatial hash.
static qd_status hash_create(const qdi_rigid_setting *setting, const qdi_rigid_options *options,
                             void **made) {
    return chipmunk_create(setting, options, true, made);
}

// Makes a space of Chipmunk with a tree.
static qd_status tree_create(const qdi_rigid_setting *setting, const qdi_rigid_options *options,
                             void **made) {
    return chipmunk_create(setting, options, false, made);
}

// One step of a space of Chipmunk.
static qd_status chipmunk_step(void *given, qd_profile *profile) {
    (void)profile; // it does not know its phases
    chipmunk_rigid *state = given;
    if (state->threaded)
        cpHastySpaceStep(state->space, state->dt);
    else
        cpSpaceStep(state->space, state->dt);
    return QD_OK;
}

// Reads the bodies of a space of Chipmunk.
static void chipmunk_read(const void *given, qdi_rigid_body *bodies) {
    const chipmunk_rigid *state = given;
    for (size_t i = 0; i < state->count; ++i) {
        const cpBody *body = state->bodies[i];
        cpVect at = cpBodyGetPosition(body), velocity = cpBodyGetVelocity(body);
        double angle = cpBodyGetAngle(body);
        bodies[i].position = (qd_vec2){at.x, at.y};
        bodies[i].turn = (qd_vec2){qd_cos(angle), qd_sin(angle)};
        bodies[i].velocity = (qd_vec2){velocity.x, velocity.y};
        bodies[i].spin = cpBodyGetAngularVelocity(body);
    }
}

const qdi_rigid_method qdi_rigid_chipmunk_hash = {
    .name = "chipmunk-hash",
    .peer = true,
    .boxed = true,
    .create = hash_create,
    .step = chipmunk_step,
    .read = chipmunk_read,
    .destroy = chipmunk_destroy,
};

const qdi_rigid_method qdi_rigid_chipmunk_tree = {
    .name = "chipmunk-tree",
    .peer = true,
    .boxed = true,
    .create = tree_create,
    .step = chipmunk_step,
    .read = chipmunk_read,
    .destroy = chipmunk_destroy,
};
