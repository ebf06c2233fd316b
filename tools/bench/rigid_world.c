#include "tools/bench/rigid_world.h"

#include "core/base/memory.h"
#include "sim/world/world_team.h"
#include "tools/host/pin.h"

#include <math.h>
#include <quadrille/math.h>

typedef struct rigid_world {
    const qdi_rigid_setting *setting;
    qd_world *world;
    size_t step;
} rigid_world;

// Adds the bodies of a bench's case to one of our worlds.
static qd_status add_rigid_bodies(qd_world *world, const qdi_rigid_body *bodies, size_t count) {
    qd_status status = QD_OK;
    for (size_t i = 0; i < count && status == QD_OK; ++i) {
        const qdi_rigid_body *body = &bodies[i];
        qd_body_def def = qd_body_def_default();
        def.kind = body->kind;
        def.shape = body->shape;
        def.position = body->position;
        def.angle = qd_atan2(body->turn.y, body->turn.x);
        def.velocity = body->velocity;
        def.spin = body->spin;
        def.pivot = body->pivot;
        if (body->kind == QD_BODY_DYNAMIC) {
            def.mass = body->mass;
            def.inertia = body->inertia;
        }
        status = qd_world_add(world, &def, NULL, NULL); // body i gets index i
    }
    return status;
}

// Makes one of our worlds for a bench's case.
static qd_status make_rigid_world(const qdi_rigid_setting *setting, const qdi_rigid_body *bodies,
                                  const qdi_rigid_options *options, qd_continuous continuous,
                                  qd_world **world) {
    qd_world_def def = qd_world_def_default();
    def.origin = setting->origin;
    def.size = setting->size;
    def.boundary_x = def.boundary_y = setting->of->walls ? QD_BOUNDARY_REFLECT : QD_BOUNDARY_OPEN;
    def.gravity = (qd_vec2){0, -setting->of->gravity};
    def.restitution = setting->of->restitution;
    def.friction = setting->of->friction;
    def.iterations = setting->iterations;
    def.substeps = setting->iterations / QDI_RIGID_SWEEPS;
    def.continuous = continuous;
    def.threads = options->threads;
    def.simd = options->simd;
    qd_status status = qd_world_create(&def, world);
    if (status == QD_OK) status = qdi_pin_team(options->pin, qdi_world_team(*world));
    if (status == QD_OK) status = add_rigid_bodies(*world, bodies, setting->total);
    return status;
}

// Frees one of our worlds after a bench.
static void impulse_destroy(void *given) {
    rigid_world *state = given;
    if (!state) return;
    qd_world_destroy(state->world);
    qdi_release(qd_allocator_default(), state, 1, sizeof *state);
}

// Makes the method of the bench that is our contact solver.
static qd_status create_rigid_world(const qdi_rigid_setting *setting, const qdi_rigid_options *options,
                                    qd_continuous continuous, void **made) {
    *made = NULL;
    rigid_world *state = qdi_allocate(qd_allocator_default(), 1, sizeof *state);
    if (!state) return QD_ERR_MEMORY;
    *state = (rigid_world){setting, NULL, 0};
    qd_status status = make_rigid_world(setting, setting->bodies, options, continuous, &state->world);
    if (status == QD_OK)
        *made = state;
    else
        impulse_destroy(state);
    return status;
}

// Bench of rigid piles: makes our contact solver with ccd as it chooses itself.
static qd_status create_rigid_auto(const qdi_rigid_setting *setting, const qdi_rigid_options *options,
                                   void **made) {
    return create_rigid_world(setting, options, QD_CONTINUOUS_AUTO, made);
}

// Bench of rigid piles: makes our contact solver without ccd.
static qd_status create_rigid_off(const qdi_rigid_setting *setting, const qdi_rigid_options *options,
                                  void **made) {
    return create_rigid_world(setting, options, QD_CONTINUOUS_OFF, made);
}

// Moves the kinematic bodies of a bench's case.
static qd_status drive_rigid_world(rigid_world *state) {
    const qdi_rigid_setting *setting = state->setting;
    qd_vec2 velocity;
    if (!setting->of->drive || !setting->of->drive(state->step, setting->dt, &velocity)) return QD_OK;
    const qd_id id = {(qd_body_index)(setting->total - 1), 1};
    qd_body_state body;
    qd_status status = qd_world_body(state->world, id, &body);
    return status == QD_OK ? qd_world_place(state->world, id, body.position, velocity, NULL) : status;
}

// One step of our contact solver in the bench.
static qd_status impulse_step(void *given, qd_profile *profile) {
    rigid_world *state = given;
    qd_status status = drive_rigid_world(state);
    state->step += 1;
    return status == QD_OK ? qd_world_step(state->world, state->setting->dt, profile) : status;
}

// Reads the bodies of our world in the bench.
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
    .create = create_rigid_auto,
    .step = impulse_step,
    .read = impulse_read,
    .destroy = impulse_destroy,
};

const qdi_rigid_method qdi_rigid_impulse_off = {
    .name = "impulse-off",
    .create = create_rigid_off,
    .step = impulse_step,
    .read = impulse_read,
    .destroy = impulse_destroy,
};

/// Bench of rigid piles: what is said of pyramids.
static void look_at_pyramids(const qdi_rigid_setting *setting, const qdi_rigid_body *bodies,
                             qdi_rigid_quality *look) {
    if (setting->pyramid == 0) return;
    look->top = HUGE_VAL;
    for (size_t i = 0; i < setting->count; ++i) {
        const qdi_rigid_body *start = &setting->bodies[i];
        double dx = bodies[i].position.x - start->position.x, dy = bodies[i].position.y - start->position.y;
        if (!(hypot(dx, dy) <= 2 * start->shape.half.x)) look->fallen += 1;
        if ((i + 1) % setting->pyramid != 0) continue;
        const qdi_rigid_body *first = start + 1 - setting->pyramid;
        look->top = fmin(look->top, bodies[i].position.y - (first->position.y - first->shape.half.y));
    }
}

qd_status qdi_rigid_quality_of(const qdi_rigid_setting *setting, const qdi_rigid_body *bodies,
                               qdi_rigid_quality *look) {
    *look = (qdi_rigid_quality){0};
    qd_world *world = NULL;
    qdi_rigid_options options = {1, QD_SIMD_AUTO, NULL};
    qd_status status = make_rigid_world(setting, bodies, &options, QD_CONTINUOUS_OFF, &world);
    if (status == QD_OK) status = qd_world_detect(world);
    if (status == QD_OK) {
        const qd_contact *contacts = qd_world_contacts(world, &look->contacts);
        for (size_t i = 0; i < look->contacts; ++i)
            look->deepest = fmax(look->deepest, contacts[i].touch[0].depth); // the deeper one is first
        look->kinetic = qd_world_sum(world).kinetic;
        look_at_pyramids(setting, bodies, look);
    }
    qd_world_destroy(world);
    return status;
}
