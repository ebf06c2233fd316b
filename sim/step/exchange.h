#pragma once

#include "sim/world/feature.h"

/// What a world that is a part of a larger one (sim/world/part.h) does besides, in a step: after the move its
/// ghosts get the places and velocities that their owners have worked out. Where a body has come too far for
/// the ghosts to be enough, the step is not made, on any rank: QD_ERR_STOPPED, and the part is `stale`.
extern const qdi_feature qdi_exchange_feature;
