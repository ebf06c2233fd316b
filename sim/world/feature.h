#pragma once

#include <quadrille/world.h>

#include "sim/world/lap.h"
#include "sim/world/scratch.h"
#include "sim/world/world_impl.h"

/// How contact models and optional parts of the engine take part in a step without the stepper knowing them.
/// A feature is a table of hooks; sim/step/features.c lists the features in the order in which the stepper
/// calls each hook of theirs. A feature that a world does not use returns at once from its hooks.

/// A step from `now` to `next`; or, where `dt` is 0, the search for contacts after a change by hand.
typedef struct qdi_step_context {
    double dt;
    double start, end;        ///< times
    const qdi_motion *motion; ///< bodies whose contacts are made
    qdi_wall_gain gains[2];   ///< what walls gave: to bodies that moved, to those that were mirrored
    qdi_outcomes outcomes;    ///< what the contacts of `present` gave, unless the contact model has none
    qdi_lap *lap;
    struct qdi_found *found; ///< searches for candidates; NULL in a search after a change by hand
    bool same;               ///< from QDI_STAGE_NARROW on: candidates are those of the step before
    bool met; ///< a feature has made the contacts of `following`, with forces: the narrow phase need not
} qdi_step_context;

/// When a step calls a hook.
typedef enum qdi_stage {
    QDI_STAGE_BEGIN,   ///< before all phases: clears what the step adds up
    QDI_STAGE_RESOLVE, ///< velocities of `next` from those of `now`
    QDI_STAGE_PLACE,   ///< before bodies move: what moves by itself is put where it ends
    QDI_STAGE_FOLLOW,  ///< after bodies moved: corrects their places
    QDI_STAGE_CHANGE,  ///< changes the world in which contacts are looked for
    QDI_STAGE_NARROW,  ///< `following` has no contacts yet: a feature may make them
    QDI_STAGE_CONTACT, ///< `following` has its contacts, not yet its events
    QDI_STAGE_EDITED,  ///< `following` has its events, after a change by hand
    QDI_STAGE_FINISH,  ///< `following` has its events, in a step
    QDI_STAGES
} qdi_stage;

typedef qd_status (*qdi_hook)(qd_world *world, qdi_step_context *step);

/// Hooks may be NULL.
typedef struct qdi_feature {
    qdi_hook at[QDI_STAGES];
    void (*commit)(qd_world *world, const qdi_step_context *step); ///< bodies of `next` have become `now`
    void (*revert)(qd_world *world, const qdi_step_context *step); ///< from whatever stage failed
} qdi_feature;
