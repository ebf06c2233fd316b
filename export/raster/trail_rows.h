// The rows of a part of a line, by loops of which compilers make vector code.

// What draws a row of a part.
typedef struct trail_part {
    int16_t half, hue, scale, fade, step_along, step_across;
} trail_part;

// The numbers of a row's pixels.
static const int16_t lane[LANES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

// The upper half of a product of numbers that are not negative, as processors have it.
static inline int16_t high_half(uint16_t a, uint16_t b) {
    return (int16_t)(((uint32_t)a * b) >> 16);
}

// The smaller of two numbers.
static inline int16_t least(int16_t a, int16_t b) {
    return a < b ? a : b;
}

// The larger of two numbers.
static inline int16_t most(int16_t a, int16_t b) {
    return a > b ? a : b;
}

// A number without its sign.
static inline int16_t size_of(int16_t a) {
    return most(a, (int16_t)-a);
}

// Draws LANES pixels of a row, the first of which is so far from the part's middle along it and across.
static inline void draw_lanes(int16_t *restrict cells, const trail_part *restrict part, int16_t along,
                              int16_t across) {
    for (int k = 0; k < LANES; ++k) {
        const int16_t place = (int16_t)(along + lane[k] * part->step_along), past = size_of(place),
                      aside = size_of((int16_t)(across + lane[k] * part->step_across));
        const uint16_t end = (uint16_t)(least(most((int16_t)(past - part->half), 0), FAR) << FAR_SHIFT);
        const uint16_t side = (uint16_t)(least(aside, FAR) << FAR_SHIFT);
        const int16_t left = (int16_t)(2 * SQUARE - high_half(end, end) - high_half(side, side));
        const uint16_t cover = (uint16_t)(least(most(left, 0), EDGE) << EDGE_SHIFT);
        const int16_t inside = least(most(place, (int16_t)-part->half), part->half);
        const int16_t here = (int16_t)(part->scale + (((int32_t)inside * part->fade) >> 16));
        const int16_t level = (int16_t)(high_half(cover, (uint16_t)here) + 128);
        cells[k] = most(cells[k], (int16_t)((level & 0x7f00) | part->hue));
    }
}

// Draws so many rows of a part; where half of the LANES are enough, of twice as many rows.
static inline void draw_rows(int16_t *cells, const trail_parts *parts, int i, int rows, bool narrow) {
    const trail_part part = {.half = (int16_t)parts->half[i],
                             .hue = parts->hue[i],
                             .scale = (int16_t)parts->scale[i],
                             .fade = (int16_t)parts->fade[i],
                             .step_along = (int16_t)parts->step_along[i],
                             .step_across = (int16_t)parts->step_across[i]};
    int along = parts->along[i], across = parts->across[i];
    for (int k = narrow ? 2 * rows : rows; k > 0; --k, cells += QDI_TRAIL_STRIDE) {
        draw_lanes(cells, &part, (int16_t)along, (int16_t)across);
        along += parts->row_along[i];
        across += parts->row_across[i];
    }
}
