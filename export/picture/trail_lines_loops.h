// The loops that let the lines of trails grow, compiled once for each set of instructions: a source defines
// TRAIL_LINES_GO, the function's name, and includes this. They have no branches, so
// that compilers make vector code of them.
#include "export/picture/trail_lines.h"

#include <math.h>
#include <string.h>

/// Picture's trails: the way to the nearest image of what lies that way, where there is a period.
static double nearest_image_way(double way, double period) {
    return period > 0.0 ? way - period * floor(way / period + 0.5) : way;
}

/// Picture's trails: the ways to the places before, of bodies that are there.
static void find_ways(qdi_trail_lines *restrict lines, const qdi_trail_step *restrict step) {
    const double *restrict newer_x = step->newer_x, *restrict newer_y = step->newer_y,
                           *restrict older_x = step->older_x, *restrict older_y = step->older_y;
    const uint32_t *restrict generation = step->generation;
    int64_t far = 0;
    for (size_t i = 0; i < lines->count; ++i) {
        const double x = older_x[i] - newer_x[i], y = older_y[i] - newer_y[i];
        far |= !(fabs(x) < step->near_x) | !(fabs(y) < step->near_y);
        lines->way_x[i] = x;
        lines->way_y[i] = y;
    }
    for (size_t i = 0; i < lines->count; ++i)
        lines->alive[i] &= -(int32_t)(generation[i] == lines->generation[i]);
    if (!far) return; // most are near; floor may be a call
    for (size_t i = 0; i < lines->count; ++i) {
        lines->way_x[i] = nearest_image_way(lines->way_x[i], step->period_x);
        lines->way_y[i] = nearest_image_way(lines->way_y[i], step->period_y);
    }
}

/// Picture's trails: goes these ways.
static void go_ways(qdi_trail_lines *restrict lines, const qdi_trail_step *restrict step) {
    for (size_t i = 0; i < lines->count; ++i) {
        const double x = lines->at_x[i] + lines->way_x[i], y = lines->at_y[i] + lines->way_y[i];
        const double next_x = step->base_x + (x - step->origin_x) * step->scale,
                     next_y = step->base_y + (y - step->origin_y) * -step->scale;
        lines->moved[i] = lines->alive[i] & -(int32_t)((x != lines->at_x[i]) | (y != lines->at_y[i]));
        lines->at_x[i] = x;
        lines->at_y[i] = y;
        lines->to_x[i] = lines->next_x[i];
        lines->to_y[i] = lines->next_y[i];
        lines->next_x[i] = next_x;
        lines->next_y[i] = next_y;
        lines->past_x[i] = (float)(next_x - lines->from_x[i]);
        lines->past_y[i] = (float)(next_y - lines->from_y[i]);
    }
}

/// How many lines a vector has, and at most.
#ifdef __AVX2__
enum { PACK = 8, WIDEST = 8 };
#else
enum { PACK = 4, WIDEST = 8 };
#endif

/// Numbers side by side, and of each whether something is so.
typedef float pack __attribute__((vector_size(PACK * sizeof(float)), aligned(sizeof(float)), may_alias));
typedef int32_t pack_are
    __attribute__((vector_size(PACK * sizeof(int32_t)), aligned(sizeof(int32_t)), may_alias));

/// Picture's trails: of each two numbers the first where something is so.
static inline pack choose(pack_are which, pack is, pack is_not) {
    return (pack)(((pack_are)is & which) | ((pack_are)is_not & ~which));
}

/// Picture's trails: numbers without their signs.
static inline pack sizes_of_pack(pack numbers) {
    return (pack)((pack_are)numbers & INT32_MAX);
}

/// Picture's trails: lets some lines go on, and says of which none can.
static inline pack_are extend_pack(qdi_trail_lines *lines, const float *levels, size_t i) {
    const pack x = *(const pack *)&lines->past_x[i], y = *(const pack *)&lines->past_y[i],
               axis_x = *(const pack *)&lines->axis_x[i], axis_y = *(const pack *)&lines->axis_y[i],
               far = *(const pack *)&lines->far[i], level = *(const pack *)&levels[i],
               fade = level - *(const pack *)&lines->from_level[i],
               to_level = *(const pack *)&lines->to_level[i], none = {0.0F};
    const pack_are begun = *(const pack_are *)&lines->begun[i], moved = *(const pack_are *)&lines->moved[i];
    const pack along = x * axis_x + y * axis_y, aside = x * axis_y - y * axis_x;
    const pack_are onward = along > QDI_LINE_FAR;
    const pack inverse = 1.0F / choose(onward, along, none + 1.0F);
    const pack slope[] = {aside * inverse, -aside * inverse, fade * inverse, -fade * inverse};
    const pack next[] = {(aside + QDI_LINE_FAR) * inverse, (QDI_LINE_FAR - aside) * inverse,
                         (fade + QDI_LINE_OFF) * inverse, (QDI_LINE_OFF - fade) * inverse};
    pack_are missed = along < far - QDI_LINE_FAR;
    for (int k = 0; k < 4; ++k) missed |= slope[k] > *(const pack *)&lines->most[k][i];
    const pack_are off = (far > 2.0F * QDI_LINE_FAR) | (along < -QDI_LINE_FAR) |
                         (sizes_of_pack(aside) > QDI_LINE_FAR);
    const pack_are steep = sizes_of_pack(fade) > 2.0F * QDI_LINE_OFF + QDI_LINE_FADE * sizes_of_pack(along);
    const pack_are goes = moved & begun & ~(steep | (onward & missed) | (~onward & off)),
                   sets = goes & onward;
    for (int k = 0; k < 4; ++k) {
        pack *most = (pack *)&lines->most[k][i];
        *most = choose(sets & (next[k] < *most), next[k], *most);
    }
    *(pack *)&lines->far[i] = choose(sets & (along > far), along, far);
    *(pack *)&lines->to_level[i] = choose(goes, level, to_level);
    return (moved & ~goes) | (begun & ~*(const pack_are *)&lines->alive[i]);
}

uint64_t TRAIL_LINES_GO(qdi_trail_lines *lines, const qdi_trail_step *step) {
    int32_t broken[QDI_TRAIL_LINES];
    memset(broken, 0, sizeof broken);
    find_ways(lines, step);
    go_ways(lines, step);
    const size_t end = (lines->count + WIDEST - 1) / WIDEST * WIDEST;
    for (size_t i = 0; i < end; i += PACK) *(pack_are *)&broken[i] = extend_pack(lines, step->level, i);
    uint64_t bits = 0;
    for (size_t i = 0; i < QDI_TRAIL_LINES; ++i) bits |= (uint64_t)(broken[i] & 1) << i;
    return bits;
}
