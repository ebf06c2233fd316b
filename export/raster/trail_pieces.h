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
    *begin = qdi_larger_int(*begin, qdi_floor_int(qdi_smaller(a, b) - reach + 0.5F));
    *end = qdi_smaller_int(*end, qdi_floor_int(qdi_larger(a, b) + reach + 0.5F));
}

// Draws a line. Pixels are looked at whose centres are less than `seen` from its box.
static inline void draw_trail(const qdi_trail_plane *plane, const qdi_trail *trail, float reach, float seen) {
    const qdi_area *area = &plane->area;
    const float along_x = trail->x1 - trail->x0, along_y = trail->y1 - trail->y0;
    const float square = qdi_larger(along_x * along_x + along_y * along_y, 1e-12F);
    const float less = seen - 0.5F, more = seen + 0.5F;
    const int left = qdi_larger_int(qdi_floor_int(qdi_smaller(trail->x0, trail->x1) - less), area->min_x);
    const int right = qdi_smaller_int(qdi_floor_int(qdi_larger(trail->x0, trail->x1) + more), area->max_x);
    const int top = qdi_larger_int(qdi_floor_int(qdi_smaller(trail->y0, trail->y1) - less), area->min_y);
    const int bottom = qdi_smaller_int(qdi_floor_int(qdi_larger(trail->y0, trail->y1) + more), area->max_y);
    if (left >= right || top >= bottom) return;
    uint16_t *row = plane->cells + (size_t)(top - area->min_y) * plane->stride;
    if (right - left <= LANES) { // most are
        row += left - area->min_x;
        for (int j = top; j < bottom; ++j, row += plane->stride)
            draw_trail_lanes(row, (float)left + 0.5F, trail, (float)j + 0.5F - trail->y0, along_x, along_y,
                             square, reach);
        return;
    }
    for (int j = top; j < bottom; ++j, row += plane->stride) {
        const float py = (float)j + 0.5F - trail->y0;
        int begin = left, end = right;
        row_of_trail(trail, py, seen, &begin, &end);
        for (int i = begin; i < end; i += LANES)
            draw_trail_lanes(row + (i - area->min_x), (float)i + 0.5F, trail, py, along_x, along_y, square,
                             reach);
    }
}

// Draws all lines. A pixel of which a line covers less than half a level stays as it is, so the fainter a
// line is the narrower: by a little less, for what is rounded.
void TRAIL_PIECES(const qdi_trail_plane *plane, const qdi_trail *trails, size_t count, float width) {
    const float reach = 0.5F * width + 0.5F;
    float seen[QDI_LEVELS + 1] = {0};
    for (int level = 1; level <= QDI_LEVELS; ++level) seen[level] = reach - 0.5F / (float)level + 0.0625F;
    for (size_t i = 0; i < count; ++i) draw_trail(plane, &trails[i], reach, seen[trails[i].level]);
}
