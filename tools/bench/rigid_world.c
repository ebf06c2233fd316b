#include "tools/bench/rigid_world.h"

#include "core/memory.h"

#include <math.h>
#include <quadrille/math.h>

/// Two sweeps (one that takes overlap back, one that relaxes) in each sub-step.
enum { SWEEPS_PER_SUBSTEP = 2 };

typedef struct rigid_world {
    qd_world *world;
    double dt;
} rigid_world;

static qd_status add_bodies(qd_world *world, const qdi_rigid_body *bodies, size_t count) {
    qd_status status = QD_OK;
    for (size_t i = 0; i < count && status == QD_OK; ++i) {
        const qdi_rigid_body *body = &bodies[i];
        qd_body_def def = qd_body_def_default();
        def.shape = body->half.x > 0 ? qd_shape_rect(2 * body->half.x, 2 * body->half.y)
                                     : qd_shape_disk(body->radius);
        def.position = body->position;
        def.angle = qd_atan2(body->turn.y, body->turn.x);
        def.velocity = body->velocity;
        def.spin = body->spin;
        def.mass = body->mass;
        def.inertia = body->inertia;
        status = qd_world_add(world, &def, NULL, NULL); // body i gets index i
    }
    return status;
}

static qd_status make(const qdi_rigid_setting *setting, const qdi_rigid_body *bodies,
                      const qdi_rigid_options *options, qd_world **world) {
    qd_world_def def = qd_world_def_default();
    def.size = setting->size;
    def.gravity = (qd_vec2){0, -setting->of->gravity};
    def.restitution = setting->of->restitution;
    def.friction = setting->of->friction;
    def.iterations = setting->iterations;
    def.substeps = setting->iterations / SWEEPS_PER_SUBSTEP;
    def.continuous = QD_CONTINUOUS_OFF; // as with the others, who follow nobody on their way through a step
    def.threads = options->threads;
    def.simd = options->simd;
    qd_status status = qd_world_create(&def, world);
    if (status == QD_OK) status = add_bodies(*world, bodies, setting->count);
    return status;
}

static void impulse_destroy(void *given) {
    rigid_world *state = given;
    if (!state) return;
    qd_world_destroy(state->world);
    qdi_release(qd_allocator_default(), state, 1, sizeof *state);
}

static qd_status impulse_create(const qdi_rigid_setting *setting, const qdi_rigid_options *options,
                                void **made) {
    *made = NULL;
    rigid_world *state = qdi_allocate(qd_allocator_default(), 1, sizeof *state);
    if (!state) return QD_ERR_MEMORY;
    *state = (rigid_world){NULL, setting->dt};
    qd_status status = make(setting, setting->bodies, options, &state->world);
    if (status == QD_OK)
        *made = state;
    else
        impulse_destroy(state);
    return status;
}

static qd_status impulse_step(void *given, qd_profile *profile) {
    rigid_world *state = given;
    return qd_world_step(state->world, state->dt, profile);
}

static void impulse_read(const void *given, qdi_rigid_body *bodies) {
    const rigid_world *state = given;
    qd_body_view view = qd_world_view(state->world);
    for (size_t r = 0; r < view.count; ++r) {
        qdi_rigid_body *body = &bodies[view.index[r]];
        body->position = (qd_vec2){view.x[r], view.y[r]};
        body->turn = (qd_vec2){view.turn_c[r], view.turn_s[r]};
        body->velocity = (qd_vec2){view.vx[r], view.vy[r]};
        body->spin = view.spin[r];
    }
}

const qd_world *qdi_rigid_world_of(const void *state) {
    return ((const rigid_world *)state)->world;
}

qd_status qdi_rigid_world_slow(void *given, double part, qdi_rigid_body *bodies) {
    rigid_world *state = given;
    impulse_read(state, bodies);
    qd_status status = QD_OK;
    for (uint32_t i = 0; i < qd_world_count(state->world) && status == QD_OK; ++i) {
        qd_vec2 velocity = {part * bodies[i].velocity.x, part * bodies[i].velocity.y};
        status = qd_world_place(state->world, (qd_id){i, 1}, bodies[i].position, velocity, NULL);
    }
    return status;
}

const qdi_rigid_method qdi_rigid_impulse = {
    .name = "impulse",
    .peer = false,
    .create = impulse_create,
    .step = impulse_step,
    .read = impulse_read,
    .destroy = impulse_destroy,
};

qd_status qdi_rigid_look_at(const qdi_rigid_setting *setting, const qdi_rigid_body *bodies,
                            qdi_rigid_look *look) {
    *look = (qdi_rigid_look){0, 0, 0};
    qd_world *world = NULL;
    qdi_rigid_options options = {1, QD_SIMD_AUTO};
    qd_status status = make(setting, bodies, &options, &world);
    if (status == QD_OK) status = qd_world_detect(world);
    if (status == QD_OK) {
        const qd_contact *contacts = qd_world_contacts(world, &look->contacts);
        for (size_t i = 0; i < look->contacts; ++i)
            look->deepest = fmax(look->deepest, contacts[i].touch[0].depth); // the deeper one is first
        look->kinetic = qd_world_sum(world).kinetic;
    }
    qd_world_destroy(world);
    return status;
}
