// What rigid contacts and fast bodies do in a step, stage by stage.

#include "sim/rigid/rigid_step.h"
#include "sim/world/feature.h"
#include "sim/world/forces.h"
#include "sim/world/world_impl.h"

/// Rigid contacts: motion asks for these with any contact model.
static qd_status begin(qd_world *world, qdi_step_context *step) {
    (void)step;
    world->scratch.mover_count = world->scratch.pressed = world->scratch.solved = 0;
    world->fast = 0;
    return QD_OK;
}

/// Resolves the contacts of a step by impulses.
static qd_status resolve(qd_world *world, qdi_step_context *step) {
    if (world->def.contact != QD_CONTACT_IMPULSE) return QD_OK;
    qdi_forces_begin(world);
    qd_status status = qdi_impulse(world, step->dt, &step->gains[0]);
    step->outcomes = world->scratch.outcomes;
    return status;
}

/// Rigid contacts: bodies may be of another kind now, though their contacts are the same.
static qd_status forget_links(qd_world *world, qdi_step_context *step) {
    (void)step;
    world->scratch.plan = NULL;
    world->scratch.link_layout = 0;
    return QD_OK;
}

const qdi_feature qdi_impulse_feature = {
    .at = {[QDI_STAGE_BEGIN] = begin, [QDI_STAGE_RESOLVE] = resolve, [QDI_STAGE_EDITED] = forget_links}};

/// Rigid contacts: follows the fast bodies of a step.
static qd_status follow(qd_world *world, qdi_step_context *step) {
    if (world->fast == 0 && world->scratch.pressed == 0) return QD_OK;
    return qdi_ccd_follow(world, step->dt, &step->gains[0], step->found, step->lap);
}

const qdi_feature qdi_ccd_feature = {.at = {[QDI_STAGE_FOLLOW] = follow}};
