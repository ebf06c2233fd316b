#pragma once

#include "tools/bench/rigid.h"

/// The makers of the cases that are our own (qdi_rigid_case.make); those after Box2D's benchmark are in
/// rigid_scenes.c, with the table of all.
qd_status qdi_rigid_make_gas(qdi_rigid_setting *setting, size_t count);
qd_status qdi_rigid_make_pile(qdi_rigid_setting *setting, size_t count);
