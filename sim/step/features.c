// Which features there are, in the order of their hooks. That order matters in three places: a swept path
// ends before the world is scaled or bodies come and go; gravity's work through periodic sides is added up in
// the size in which bodies moved; and the energy balance is checked when everything is in it.

#include "sim/step/features.h"

#include "sim/rigid/rigid_step.h"
#include "sim/spring/spring.h"
#include "sim/step/exchange.h"
#include "sim/world/branches.h"
#include "sim/world/compress.h"
#include "sim/world/displacement.h"
#include "sim/world/energy_balance.h"
#include "sim/world/feature.h"
#include "sim/world/forces.h"
#include "sim/world/population.h"
#include "sim/world/thread_notes.h"
#include "sim/world/walls.h"

static const qdi_feature *const features[] = {
    &qdi_exchange_feature,     &qdi_no_contact_feature,
    &qdi_impulse_feature,      &qdi_ccd_feature,
    &qdi_branches_feature,     &qdi_wraps_feature,
    &qdi_compress_feature,     &qdi_displacement_feature,
    &qdi_walls_feature,        &qdi_population_feature,
    &qdi_thread_notes_feature, &qdi_spring_feature,
    &qdi_balance_feature,      NULL,
};

qd_status qdi_features_at(qdi_stage stage, qd_world *world, qdi_step_context *step) {
    qd_status status = QD_OK;
    for (const qdi_feature *const *at = features; *at && status == QD_OK; ++at)
        if ((*at)->at[stage]) status = (*at)->at[stage](world, step);
    return status;
}

void qdi_features_commit(qd_world *world, const qdi_step_context *step) {
    for (const qdi_feature *const *at = features; *at; ++at)
        if ((*at)->commit) (*at)->commit(world, step);
}

void qdi_features_revert(qd_world *world, const qdi_step_context *step) {
    for (const qdi_feature *const *at = features; *at; ++at)
        if ((*at)->revert) (*at)->revert(world, step);
}
