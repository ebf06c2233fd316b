// The loops that let the lines of trails grow, compiled once for each set of instructions: a source defines
// TRAIL_LINES_GO, the function's name, and includes this. They have no branches, so
// that compilers make vector code of them.
#include "export/picture/trail_lines.h"

#include <math.h>

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

/// Numbers side by side, and of each whether something is so.
typedef float four __attribute__((vector_size(4 * sizeof(float)), aligned(sizeof(float)), may_alias));
typedef int32_t four_are
    __attribute__((vector_size(4 * sizeof(int32_t)), aligned(sizeof(int32_t)), may_alias));

/// Picture's trails: of each two numbers the first where something is so.
static inline four choose(four_are which, four is, four is_not) {
    return (four)(((four_are)is & which) | ((four_are)is_not & ~which));
}

/// Picture's trails: numbers without their signs.
static inline four sizes_of_four(four numbers) {
    return (four)((four_are)numbers & INT32_MAX);
}

/// Picture's trails: lets four lines go on, and says of which none can.
static inline four_are extend_four(qdi_trail_lines *lines, float level, size_t i) {
    const four x = *(const four *)&lines->past_x[i], y = *(const four *)&lines->past_y[i],
               axis_x = *(const four *)&lines->axis_x[i], axis_y = *(const four *)&lines->axis_y[i],
               far = *(const four *)&lines->far[i], fade = level - *(const four *)&lines->from_level[i],
               to_level = *(const four *)&lines->to_level[i], none = {0.0F};
    const four_are begun = *(const four_are *)&lines->begun[i], moved = *(const four_are *)&lines->moved[i];
    const four along = x * axis_x + y * axis_y, aside = x * axis_y - y * axis_x;
    const four_are onward = along > QDI_LINE_FAR;
    const four inverse = 1.0F / choose(onward, along, none + 1.0F);
    const four slope[] = {aside * inverse, -aside * inverse, fade * inverse, -fade * inverse};
    const four next[] = {(aside + QDI_LINE_FAR) * inverse, (QDI_LINE_FAR - aside) * inverse,
                         (fade + QDI_LINE_OFF) * inverse, (QDI_LINE_OFF - fade) * inverse};
    four_are missed = along < far - QDI_LINE_FAR;
    for (int k = 0; k < 4; ++k) missed |= slope[k] > *(const four *)&lines->most[k][i];
    const four_are off = (far > 2.0F * QDI_LINE_FAR) | (along < -QDI_LINE_FAR) |
                         (sizes_of_four(aside) > QDI_LINE_FAR);
    const four_are steep = sizes_of_four(fade) > 2.0F * QDI_LINE_OFF + QDI_LINE_FADE * sizes_of_four(along);
    const four_are goes = moved & begun & ~(steep | (onward & missed) | (~onward & off)),
                   sets = goes & onward;
    for (int k = 0; k < 4; ++k) {
        four *most = (four *)&lines->most[k][i];
        *most = choose(sets & (next[k] < *most), next[k], *most);
    }
    *(four *)&lines->far[i] = choose(sets & (along > far), along, far);
    *(four *)&lines->to_level[i] = choose(goes, none + level, to_level);
    return (moved & ~goes) | (begun & ~*(const four_are *)&lines->alive[i]);
}

bool TRAIL_LINES_GO(qdi_trail_lines *lines, const qdi_trail_step *step) {
    four_are some = {0};
    find_ways(lines, step);
    go_ways(lines, step);
    for (size_t i = 0; i < lines->count; i += 4) {
        const four_are broken = extend_four(lines, step->level, i);
        *(four_are *)&lines->broken[i] = broken;
        some |= broken;
    }
    for (size_t i = 0; i < 4; ++i)
        if (some[i]) return true;
    return false;
}
