#pragma once

#include "export/picture/picture.h"
#include "export/picture/tile_bins.h"
#include "tests/support/harness.h"

QD_OWN_VALUE(qdi_picture, qdi_picture_destroy)
QD_OWN_VALUE(qdi_raster, qdi_raster_destroy)

/// Draws a picture with one thread.
static inline void qd_test_draw(const qdi_picture *picture, qdi_raster *raster) {
    qdi_tile_bins bins;
    ck_assert_int_eq(qdi_tile_bins_create(qd_allocator_default(), NULL, &bins), QD_OK);
    ck_assert_int_eq(qdi_picture_draw(picture, &bins, raster), QD_OK);
    qdi_tile_bins_destroy(&bins);
}

/// True where two pieces of trails are the same.
static inline bool qd_test_same_piece(const qdi_trail *a, const qdi_trail *b) {
    return a->x0 == b->x0 && a->y0 == b->y0 && a->x1 == b->x1 && a->y1 == b->y1 && a->hue == b->hue &&
           a->level == b->level && a->to_level == b->to_level;
}
