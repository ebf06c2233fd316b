#pragma once

#include "sim/rigid/ccd.h"

/// A mover drives what is smaller than its way through the step, and than this part of its size.
#define QDI_DRIVING_PART 0.5

/// Marks with QDI_DRIVEN, of the bodies that are followed, those whose heap is driven (rigid/ccd_drive.c).
/// `most`: the size that all bodies have that can be driven by anybody; `least`: the size of the smallest
/// body that is followed; where no body can be driven, this costs nothing. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_ccd_mark_driven(const qdi_step *step, double most, double least);
