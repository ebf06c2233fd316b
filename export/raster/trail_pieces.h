// The loops that draw trails, compiled once for each set of instructions: a source of its own defines LANES,
// draw_trail_lanes, which draws so many pixels, and TRAIL_PIECES, the function's name, and includes this.
// The pixels [begin, end) of a row that a line may touch: those near the part of it that comes near the row.
static inline void row_of_trail(const qdi_trail *trail, float py, float reach, int *begin, int *end) {
    const float along_x = trail->x1 - trail->x0, along_y = trail->y1 - trail->y0;
    float first = 0.0F, last = 1.0F;
    if (along_y > 1e-3F || along_y < -1e-3F) {
        float up = (py - reach) / along_y, down = (py + reach) / along_y;
        first = qdi_smaller(qdi_larger(qdi_smaller(up, down), 0.0F), 1.0F);
        last = qdi_smaller(qdi_larger(qdi_larger(up, down), 0.0F), 1.0F);
    }
    const float a = trail->x0 + first * along_x, b = trail->x0 + last * along_x;
    *begin = qdi_larger_int(*begin, qdi_floor_int(qdi_smaller(a, b) - reach));
    *end = qdi_smaller_int(*end, qdi_ceil_int(qdi_larger(a, b) + reach));
}

// Draws a line.
static inline void draw_trail(const qdi_trail_plane *plane, const qdi_trail *trail, float reach) {
    const qdi_area *area = &plane->area;
    const float along_x = trail->x1 - trail->x0, along_y = trail->y1 - trail->y0;
    const float square = qdi_larger(along_x * along_x + along_y * along_y, 1e-12F);
    const int left = qdi_larger_int(qdi_floor_int(qdi_smaller(trail->x0, trail->x1) - reach), area->min_x);
    const int right = qdi_smaller_int(qdi_ceil_int(qdi_larger(trail->x0, trail->x1) + reach), area->max_x);
    const int top = qdi_larger_int(qdi_floor_int(qdi_smaller(trail->y0, trail->y1) - reach), area->min_y);
    const int bottom = qdi_smaller_int(qdi_ceil_int(qdi_larger(trail->y0, trail->y1) + reach), area->max_y);
    for (int j = top; j < bottom; ++j) {
        const float py = (float)j + 0.5F - trail->y0;
        int begin = left, end = right;
        if (right - left > LANES) row_of_trail(trail, py, reach, &begin, &end);
        uint16_t *row = plane->cells + (size_t)(j - area->min_y) * plane->stride;
        for (int i = begin; i < end; i += LANES)
            draw_trail_lanes(row + (i - area->min_x), (float)i + 0.5F, trail, py, along_x, along_y, square,
                             reach);
    }
}

// Draws all lines.
void TRAIL_PIECES(const qdi_trail_plane *plane, const qdi_trail *trails, size_t count, float width) {
    const float reach = 0.5F * width + 0.5F;
    for (size_t i = 0; i < count; ++i) draw_trail(plane, &trails[i], reach);
}
