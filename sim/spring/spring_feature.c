// What the contact model of springs does in a step, stage by stage. Velocity Verlet: half a kick by the
// forces of the present contacts, the move, the new contacts and their forces, the other half.

#include "sim/spring/spring.h"
#include "sim/world/contact_list.h"
#include "sim/world/feature.h"
#include "sim/world/spring_terms.h"
#include "sim/world/world_impl.h"

// Hook of the step: starts it with the spring forces of contacts.
static qd_status spring_resolve(qd_world *world, qdi_step_context *step) {
    return qdi_springs(world) ? qdi_spring_start(world, step->dt) : QD_OK;
}

// Hook of the step: makes contacts and forces where all bodies are disks.
static qd_status spring_narrow(qd_world *world, qdi_step_context *step) {
    step->met = qdi_spring_meets(world, step->dt);
    return step->met ? qdi_spring_meet(world, step->motion, step->dt, step->same) : QD_OK;
}

/// Springs: forces are state, and events carry them.
static qd_status make_forces(qd_world *world, qdi_step_context *step) {
    if (!qdi_springs(world)) return QD_OK;
    if (step->met) return qdi_spring_walls(world, &world->following, step->dt, true);
    qdi_contacts_fill(world, &world->following);
    return qdi_spring_forces(world, step->motion, step->dt, &world->following);
}

// Hook of the step: bodies came or went, springs follow.
static qd_status spring_change(qd_world *world, qdi_step_context *step) {
    (void)step;
    if (!qdi_springs(world)) return QD_OK;
    world->scratch.accelerations_present = false;
    world->scratch.slots_of = 0;
    return qdi_spring_change(world);
}

// Hook of the step: spring forces at its end, and the energy they took.
static qd_status spring_finish(qd_world *world, qdi_step_context *step) {
    if (!qdi_springs(world)) return QD_OK;
    qd_status status = qdi_spring_population(world);
    if (status == QD_OK) status = qdi_spring_balance(world, step->dt, &step->gains[0]);
    return status == QD_OK ? qdi_spring_finish(world, step->dt) : status;
}

// Hook of the step: accelerations of springs are those of the new state.
static void spring_commit(qd_world *world, const qdi_step_context *step) {
    (void)step;
    world->scratch.accelerations_present = qdi_springs(world);
}

const qdi_feature qdi_spring_feature = {.at = {[QDI_STAGE_RESOLVE] = spring_resolve,
                                               [QDI_STAGE_NARROW] = spring_narrow,
                                               [QDI_STAGE_CONTACT] = make_forces,
                                               [QDI_STAGE_EDITED] = spring_change,
                                               [QDI_STAGE_FINISH] = spring_finish},
                                        .commit = spring_commit};
