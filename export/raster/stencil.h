#pragma once

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <stdbool.h>
#include <stdint.h>

/// Small disks as they are drawn, made once for each size and place in a pixel: working out a disk's coverage
/// takes several times as long as adding it to a picture. Sizes go in steps of 1/64 pixel, places in steps of
/// 1/8.

enum {
    QDI_STENCIL_SIDE = 8,   ///< pixels
    QDI_STENCIL_PLACES = 8, ///< along each axis, in a pixel
    QDI_STENCIL_STEPS = 64, ///< of the radius, in a pixel
};

/// Radii for which there are stencils, in pixels.
#define QDI_STENCIL_LEAST 0.75F
#define QDI_STENCIL_MOST  2.75F

/// Levels of 8 x 8 pixels; the disk's centre is a whole number of pixels and `place` / 8 behind the corner's
/// pixel.
typedef struct qdi_stencil {
    uint8_t level[QDI_STENCIL_SIDE][QDI_STENCIL_SIDE];
    uint8_t left, right, first, last; ///< where levels are above 0; right and last are one past
    bool made;
} qdi_stencil;

/// One thread's stencils.
typedef struct qdi_stencils qdi_stencils;

/// Makes none yet. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_stencils_create(const qd_allocator *allocator, qdi_stencils **stencils);
void qdi_stencils_destroy(const qd_allocator *allocator, qdi_stencils *stencils);

/// The stencil for a disk of a radius from QDI_STENCIL_LEAST to QDI_STENCIL_MOST about (x, y), |x| and |y|
/// below 1e6, and the pixel where its corner goes.
const qdi_stencil *qdi_stencil_of(qdi_stencils *stencils, float x, float y, float radius, int *corner_x,
                                  int *corner_y);
