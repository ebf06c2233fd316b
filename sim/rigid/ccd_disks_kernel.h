// The source of qdi_ccd_disks_survey, WIDTH disks at a time (core/math/lanes.h); no include guard: each
// instruction set has its own copy. QDI_DISKS_BITS, if there is one, makes a bit of each lane of a mask.

#include "core/math/lanes.h"
#include "sim/rigid/ccd_disks.h"

#include <math.h>
#include <string.h>

/// Survey of disks: so many at once as there are bits.
enum { PIECE = 64 };

/// Survey of disks: of each lane of a mask a bit.
static inline uint64_t bits_of(mask lanes) {
#ifdef QDI_DISKS_BITS
    return (uint64_t)(uint32_t)QDI_DISKS_BITS(lanes);
#else
    uint64_t bits = 0;
    for (int k = 0; k < WIDTH; ++k) bits |= (uint64_t)lanes[k] & UINT64_C(1) << k;
    return bits;
#endif
}

/// Survey of disks: up to WIDTH numbers, and zeros.
static inline vec load_some(const double *from, size_t count) {
    vec value = {0};
    if (count >= WIDTH) return v_load(from);
    memcpy(&value, from, count * sizeof *from);
    return value;
}

/// Survey of disks: a bit for each of up to WIDTH that move far; `slow` is how far the others move at most,
/// lane by lane, squared.
static inline uint64_t look_at_few(const qdi_ccd_disks *disks, size_t row, size_t count, vec *slow) {
    const vec x = load_some(disks->to_x + row, count) - load_some(disks->x + row, count),
              y = load_some(disks->to_y + row, count) - load_some(disks->y + row, count),
              size = load_some(disks->radius + row, count), way = x * x + y * y;
    const mask far = BELOW(v_set(disks->part * disks->part) * (size * size), way);
    *slow = v_pick(BELOW(*slow, way) & ~far, way, *slow);
    return bits_of(far);
}

/// Survey of disks: a bit for each of a piece that is followed already.
static uint64_t pressed_of(const uint8_t *flags, size_t count) {
    uint64_t pressed = 0;
    for (size_t k = 0; k < count; ++k) pressed |= (uint64_t)(flags[k] & QDI_FOLLOWED) << k;
    return pressed;
}

/// Survey of disks: how far a disk moves, squared.
static inline double way_of(const qdi_ccd_disks *disks, size_t row) {
    const double x = disks->to_x[row] - disks->x[row], y = disks->to_y[row] - disks->y[row];
    return x * x + y * y;
}

/// Survey of disks: lists and flags those of a piece that are followed, and notes what they do.
static inline void list(const qdi_ccd_disks *disks, size_t begin, uint64_t followed, uint32_t *rows,
                        qdi_ways *ways) {
    const qdi_ccd_disks d = *disks; // no flag that is written is one of these numbers
    qdi_ways all = *ways;
    for (; followed; followed &= followed - 1) {
        const size_t row = begin + (size_t)__builtin_ctzll(followed);
        const double squared = d.radius[row] * d.radius[row], way = way_of(&d, row),
                     most = QDI_DRIVING_PART * QDI_DRIVING_PART * squared, drive = way < most ? way : most;
        all.drive = drive > all.drive ? drive : all.drive;
        all.least = squared < all.least ? squared : all.least;
        d.flags[row] = QDI_FOLLOWED;
        rows[all.followed++] = (uint32_t)row;
    }
    *ways = all;
}

/// Survey of disks: the same for a piece of them, of which `slow` is how far the others move at most.
static inline void survey_piece(const qdi_ccd_disks *disks, size_t begin, size_t count, uint32_t *rows,
                                vec *slow, qdi_ways *ways) {
    vec most = *slow;
    uint64_t followed = 0;
    size_t k = 0;
    for (; k + WIDTH <= count; k += WIDTH) followed |= look_at_few(disks, begin + k, WIDTH, &most) << k;
    if (k < count) followed |= look_at_few(disks, begin + k, count - k, &most) << k;
    if (disks->pressed) {
        const uint64_t more = pressed_of(disks->flags + begin, count) & ~followed;
        followed |= more;
        if (more) most = *slow;
        for (k = 0; more && k < count; ++k)
            if (!(followed >> k & 1U) && way_of(disks, begin + k) > most[0])
                most[0] = way_of(disks, begin + k);
    }
    *slow = most;
    memset(disks->flags + begin, 0, count);
    list(disks, begin, followed, rows, ways);
}

/// Survey of disks, see qdi_ccd_disks_survey. Nobody who is not followed moves by more than it could drive.
static inline void survey_disks(const qdi_ccd_disks *disks, size_t begin, size_t end, qdi_ways *ways) {
    *ways = (qdi_ways){.least = (double)INFINITY};
    vec slow = {0};
    for (size_t at = begin; at < end; at += PIECE)
        survey_piece(disks, at, end - at < PIECE ? end - at : PIECE, disks->rows + begin, &slow, ways);
    for (int k = 0; k < WIDTH; ++k)
        if (slow[k] > ways->slow) ways->slow = slow[k];
    if (ways->slow > ways->drive) ways->drive = ways->slow;
    ways->least = sqrt(ways->least);
}
