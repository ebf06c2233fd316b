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

/// What a step makes of lines on the way.
typedef struct line_step {
    double way_x[QDI_TRAIL_LINES], way_y[QDI_TRAIL_LINES];   ///< to the next places
    double to_x[QDI_TRAIL_LINES], to_y[QDI_TRAIL_LINES];     ///< the present ones, in pixels
    float past_x[QDI_TRAIL_LINES], past_y[QDI_TRAIL_LINES];  ///< how far next ones are from where lines begin
    int32_t alive[QDI_TRAIL_LINES];                          ///< -1: there is a next place
    int32_t moved[QDI_TRAIL_LINES];                          ///< -1: it is another
    int32_t ended[QDI_TRAIL_LINES], begins[QDI_TRAIL_LINES]; ///< -1: a line does so
} line_step;

/// Picture's trails: the ways to the next places.
static void find_ways(line_step *restrict go, const qdi_trail_step *restrict step) {
    const double *restrict newer_x = step->newer_x, *restrict newer_y = step->newer_y,
                           *restrict older_x = step->older_x, *restrict older_y = step->older_y;
    const int32_t *restrict places = step->places;
    const double near_x = step->near_x, near_y = step->near_y;
    for (size_t i = 0; i < QDI_TRAIL_LINES; ++i) go->alive[i] = -(int32_t)(places[i] >= step->number);
    int64_t far = 0;
    for (size_t i = 0; i < QDI_TRAIL_LINES; ++i) {
        const double x = older_x[i] - newer_x[i], y = older_y[i] - newer_y[i];
        far |= !(fabs(x) < near_x) | !(fabs(y) < near_y);
        go->way_x[i] = x;
        go->way_y[i] = y;
    }
    if (!far) return; // most are near; floor may be a call
    for (size_t i = 0; i < QDI_TRAIL_LINES; ++i) {
        go->way_x[i] = nearest_image_way(go->way_x[i], step->period_x);
        go->way_y[i] = nearest_image_way(go->way_y[i], step->period_y);
    }
}

/// Picture's trails: goes these ways.
static void go_ways(qdi_trail_lines *restrict lines, line_step *restrict go,
                    const qdi_trail_step *restrict step) {
    const double base_x = step->base_x, base_y = step->base_y, origin_x = step->origin_x,
                 origin_y = step->origin_y, scale = step->scale;
    for (size_t i = 0; i < QDI_TRAIL_LINES; ++i) {
        const double x = lines->at_x[i] + go->way_x[i], y = lines->at_y[i] + go->way_y[i];
        const double next_x = base_x + (x - origin_x) * scale, next_y = base_y + (y - origin_y) * -scale;
        go->moved[i] = go->alive[i] & -(int32_t)((x != lines->at_x[i]) | (y != lines->at_y[i]));
        lines->at_x[i] = x;
        lines->at_y[i] = y;
        go->to_x[i] = lines->next_x[i];
        go->to_y[i] = lines->next_y[i];
        lines->next_x[i] = next_x;
        lines->next_y[i] = next_y;
        const double from_x = lines->was_x[i] = lines->from_x[i], from_y = lines->was_y[i] = lines->from_y[i];
        go->past_x[i] = (float)(next_x - from_x);
        go->past_y[i] = (float)(next_y - from_y);
    }
}

/// Picture's trails: lets lines that ended begin anew where they did.
static void go_from_ends(qdi_trail_lines *restrict lines, line_step *restrict go) {
    for (size_t i = 0; i < QDI_TRAIL_LINES; ++i) {
        const double from_x = lines->from_x[i], from_y = lines->from_y[i];
        const double to_x = go->ended[i] ? go->to_x[i] : from_x, to_y = go->ended[i] ? go->to_y[i] : from_y;
        lines->from_x[i] = to_x;
        lines->from_y[i] = to_y;
        go->past_x[i] = (float)(lines->next_x[i] - to_x);
        go->past_y[i] = (float)(lines->next_y[i] - to_y);
    }
}

/// How many lines a vector has.
#ifdef __AVX2__
enum { PACK = 8 };
#else
enum { PACK = 4 };
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

/// Picture's trails: how far places are along lines, aside, and faded.
typedef struct pack_past {
    pack along, aside, fade, inverse; ///< of along, where that is onward
    pack_are onward;
} pack_past;

/// Picture's trails: the same of places that lie so far from where lines with these axes begin.
static inline pack_past past_of(pack x, pack y, pack axis_x, pack axis_y, pack fade) {
    const pack along = x * axis_x + y * axis_y, one = (pack){0.0F} + 1.0F;
    const pack_are onward = along > QDI_LINE_FAR;
    return (pack_past){along, x * axis_y - y * axis_x, fade, 1.0F / choose(onward, along, one), onward};
}

/// Picture's trails: what of QDI_LINE_FAR and QDI_LINE_OFF is left to lines through places.
static inline void most_of_past(const pack_past *past, pack most[4]) {
    most[0] = (past->aside + QDI_LINE_FAR) * past->inverse;
    most[1] = (QDI_LINE_FAR - past->aside) * past->inverse;
    most[2] = (past->fade + QDI_LINE_OFF) * past->inverse;
    most[3] = (QDI_LINE_OFF - past->fade) * past->inverse;
}

/// Picture's trails: lets some lines go on, and finds those that cannot.
static inline void extend_pack(qdi_trail_lines *lines, line_step *go, const float *levels, size_t i) {
    const pack far = *(const pack *)&lines->far[i], level = *(const pack *)&levels[i];
    const pack_are begun = *(const pack_are *)&lines->begun[i], moved = *(const pack_are *)&go->moved[i];
    const pack_past past = past_of(*(const pack *)&go->past_x[i], *(const pack *)&go->past_y[i],
                                   *(const pack *)&lines->axis_x[i], *(const pack *)&lines->axis_y[i],
                                   level - *(const pack *)&lines->from_level[i]);
    const pack along = past.along, aside = past.aside, fade = past.fade, inverse = past.inverse;
    const pack_are onward = past.onward;
    const pack slope[] = {aside * inverse, -aside * inverse, fade * inverse, -fade * inverse};
    pack next[4];
    most_of_past(&past, next);
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
    *(pack *)&lines->to_level[i] = choose(goes, level, *(const pack *)&lines->to_level[i]);
    *(pack_are *)&go->begins[i] = moved & ~goes;
    *(pack_are *)&go->ended[i] = begun & ((moved & ~goes) | ~*(const pack_are *)&go->alive[i]);
}

/// Picture's trails: lets lines have their first pieces, to the next places; they go along the axes that the
/// pieces go along.
static inline void begin_pack(qdi_trail_lines *lines, const line_step *go, const float *levels, size_t i) {
    const pack_are begins = *(const pack_are *)&go->begins[i], ended = *(const pack_are *)&go->ended[i];
    const pack x = *(const pack *)&go->past_x[i], y = *(const pack *)&go->past_y[i],
               level = *(const pack *)&levels[i], none = {0.0F}, was = *(const pack *)&lines->from_level[i],
               from = choose(ended, *(const pack *)&lines->to_level[i], was);
    const pack_are steep = sizes_of_pack(y) > sizes_of_pack(x);
    const pack one = none + 1.0F, one_x = (pack)((pack_are)one | ((pack_are)x & INT32_MIN)),
               one_y = (pack)((pack_are)one | ((pack_are)y & INT32_MIN));
    const pack axis_x = choose(steep, none, one_x), axis_y = choose(steep, one_y, none);
    const pack_past past = past_of(x, y, axis_x, axis_y, level - from);
    pack most[4];
    most_of_past(&past, most);
    for (int k = 0; k < 4; ++k) {
        pack *here = (pack *)&lines->most[k][i];
        *here = choose(begins, choose(past.onward, most[k], none + HUGE_VALF), *here);
    }
    *(pack *)&lines->axis_x[i] = choose(begins, axis_x, *(const pack *)&lines->axis_x[i]);
    *(pack *)&lines->axis_y[i] = choose(begins, axis_y, *(const pack *)&lines->axis_y[i]);
    *(pack *)&lines->far[i] = choose(begins, choose(past.onward, past.along, none),
                                     *(const pack *)&lines->far[i]);
    *(pack *)&lines->was_level[i] = was;
    *(pack *)&lines->from_level[i] = from;
    *(pack *)&lines->to_level[i] = choose(begins, level, *(const pack *)&lines->to_level[i]);
    *(pack_are *)&lines->begun[i] = begins | (*(const pack_are *)&lines->begun[i] & ~ended);
}

uint64_t TRAIL_LINES_GO(qdi_trail_lines *lines, const qdi_trail_step *step) {
    line_step go;
    find_ways(&go, step);
    go_ways(lines, &go, step);
    for (size_t i = 0; i < QDI_TRAIL_LINES; i += PACK) extend_pack(lines, &go, step->level, i);
    go_from_ends(lines, &go);
    for (size_t i = 0; i < QDI_TRAIL_LINES; i += PACK) begin_pack(lines, &go, step->level, i);
    uint64_t bits = 0;
    for (size_t i = 0; i < QDI_TRAIL_LINES; ++i) bits |= (uint64_t)(go.ended[i] & 1) << i;
    return bits;
}
