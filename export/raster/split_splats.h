// The loops that split splats, compiled once for each set of instructions: a source of its own defines
// SPLIT_SPLATS, the function's name, and includes this.
#include "export/raster/pixel_math.h"
#include "export/raster/tile.h"

// Tile of pixels: splits splats. Without branches, so that compilers make vector code of it. The whole is
// rounded once, and the parts are cut from it, so that nothing is lost.
void SPLIT_SPLATS(const qdi_splats *restrict splats, float corner_x, float corner_y,
                  qdi_splat_parts *restrict parts) {
    const float end = QDI_TILE_SIDE + 0.999F; // below the last place that has one to its right
    float sides[QDI_SPLAT_BATCH], lefts[QDI_SPLAT_BATCH], tops[QDI_SPLAT_BATCH];
    for (int k = 0; k < QDI_SPLAT_BATCH; ++k) {
        float side = qdi_larger_float(splats->radius[k] * qdi_splat_side, 1e-3F);
        float left = splats->x[k] - corner_x - 0.5F * side, top = splats->y[k] - corner_y - 0.5F * side;
        // How far out of the usual something is: above 0 where it is.
        float out = qdi_larger_float(qdi_larger_float(side - 1.0F, -left),
                                     qdi_larger_float(-top, qdi_larger_float(left, top) - end));
        parts->usual[k] = out <= 0.0F ? 1 : 0;
        sides[k] = side;
        lefts[k] = qdi_smaller_float(qdi_larger_float(left, 0.0F), end);
        tops[k] = qdi_smaller_float(qdi_larger_float(top, 0.0F), end);
    }
    for (int k = 0; k < QDI_SPLAT_BATCH; ++k) {
        float side = sides[k], left = lefts[k], top = tops[k];
        int32_t column = (int32_t)left, row = (int32_t)top;
        float over = 1.0F / side, whole = qdi_larger_float(side * side * QDI_SPLAT_UNIT + 0.5F, 1.0F);
        float wide = qdi_larger_float(left - (float)column + side - 1.0F, 0.0F) * over;
        float high = qdi_larger_float(top - (float)row + side - 1.0F, 0.0F) * over;
        int32_t all = (int32_t)whole;
        int32_t right = qdi_smaller_int((int32_t)(whole * wide), all);
        int32_t below = qdi_smaller_int((int32_t)(whole * high), all);
        int32_t both = qdi_smaller_int((int32_t)(whole * wide * high), qdi_smaller_int(right, below));
        int32_t first = all - right - below + both;
        parts->place[k] = row * QDI_SPLAT_SIDE + column;
        parts->first[k] = first > 0 ? first : 0;
        parts->right[k] = right - both;
        parts->below[k] = below - both;
        parts->both[k] = both;
    }
}
