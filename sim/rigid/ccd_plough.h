#pragma once

#include "sim/rigid/ccd.h"

/// Kinematic bodies that are driven through heaps (rigid/ccd_plough.c).

/// Said as the carrier of a body that a plough passes.
#define QDI_PASSED (QDI_NO_ROW - 1 - QDI_WALLS)

/// Marks with QDI_PLOUGH, of the bodies that are followed, the kinematic ones that may pass others. Wants the
/// boxes of whole ways in the world's tree. `size`: of the smallest body that is followed; what moves by less
/// than twice that costs nothing, else a retrieve of the box of each such body.
void qdi_ccd_mark_ploughs(const qdi_step *step, double size);
/// True where a mover and what no body moves pass each other where they meet: that is a plough, which moves
/// by more than the mover's size, and there is no room ahead. Asks for the start of the step alone. Cost: in
/// a plough's way a retrieve of what lies ahead, else nothing.
bool qdi_ccd_is_passed(const qdi_step *step, uint32_t mover, uint32_t by);
