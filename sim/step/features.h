#pragma once

#include "sim/world/feature.h"

/// Calls the hooks of all features at a stage, in order, until one fails.
QD_MUST_USE qd_status qdi_features_at(qdi_stage stage, qd_world *world, qdi_step_context *step);
void qdi_features_commit(qd_world *world, const qdi_step_context *step);
void qdi_features_revert(qd_world *world, const qdi_step_context *step);
