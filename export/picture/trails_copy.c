// Trails of the bodies that exist, from each one's centre back in time, as lines in pixels. They are
// copied in order of the bodies' indices, newest first, so what comes out depends on the world's past alone.
// Cost: bodies times frames.
#include "core/base/memory.h"
#include "export/picture/picture_impl.h"
#include "export/picture/trails.h"
#include "export/raster/pixel_math.h"

#include <math.h>

/// How far outside of the clip, in pixels, lines may go: nothing of what is cut off there can be seen.
static const double margin = 16.0;

/// How much of its body's colour the newest piece of a trail has; the oldest has one level.
enum { MOST_LEVEL = 3 * QDI_LEVELS / 4 };

/// How many bodies before they are needed their places are asked for.
enum { AHEAD = 8 };

/// How strong a trail's colour is at an age.
static float trail_level_at_age(size_t age, size_t frames) {
    if (frames < 2 || age == 0) return MOST_LEVEL;
    return 1.0F + (float)((MOST_LEVEL - 1) * (frames - age)) / (float)(frames - 1);
}

/// The coordinates of a place, of the world or in pixels, side by side; and of both whether something is so.
typedef double place __attribute__((vector_size(2 * sizeof(double))));
typedef int64_t both __attribute__((vector_size(2 * sizeof(int64_t))));

/// Picture's trails: the sizes of two numbers.
static inline place sizes_of(place at) {
    return (place)((both)at & INT64_MAX);
}

/// Picture's trails: true where both are.
static inline bool are_both(both are) {
    return (are[0] & are[1]) != 0;
}

/// Picture's trails: the way to the nearest image of what lies that way, where there is a period.
static double nearest_image_way(double way, double period) {
    return period > 0.0 ? way - period * floor(way / period + 0.5) : way;
}

/// Picture's trails: clips a line along an axis.
/// Cuts the part [*first, *last] of a line to where low <= at + part * along <= high.
static bool clip_line_to_range(double at, double along, double low, double high, double *first,
                               double *last) {
    if (along == 0.0) return at >= low && at <= high;
    double enter = (along > 0.0 ? low - at : high - at) / along;
    double leave = (along > 0.0 ? high - at : low - at) / along;
    if (enter > *first) *first = enter;
    if (leave < *last) *last = leave;
    return *first <= *last;
}

/// Adds a piece of a trail to the picture.
static void push_trail_piece(qdi_copy *copier, place from, place to, qdi_trail style) {
    qdi_picture *picture = copier->picture;
    if (picture->trail_count == picture->trail_room && copier->status == QD_OK)
        copier->status = qdi_reserve(picture->allocator, &picture->trails, &picture->trail_room,
                                     picture->trail_count, picture->trail_count + 1, sizeof *picture->trails);
    if (copier->status == QD_OK)
        picture->trails[picture->trail_count++] = (qdi_trail){(float)from[0], (float)from[1], (float)to[0],
                                                              (float)to[1],   style.hue,      style.level,
                                                              style.to_level};
}

/// Picture's trails: the level of a piece at a part of it.
static uint8_t level_at(const qdi_trail *style, double part) {
    return (uint8_t)(style->level + part * (style->to_level - style->level) + 0.5);
}

/// Adds a piece of a trail, as far as it is within the picture.
static void add_trail_piece(qdi_copy *copier, place from, place to, qdi_trail style) {
    const qdi_area *clip = &copier->picture->clip;
    const place along = to - from;
    double first = 0.0, last = 1.0;
    if (clip_line_to_range(from[0], along[0], clip->min_x - margin, clip->max_x + margin, &first, &last) &&
        clip_line_to_range(from[1], along[1], clip->min_y - margin, clip->max_y + margin, &first, &last))
        push_trail_piece(copier, from + first * along, from + last * along,
                         (qdi_trail){.hue = style.hue,
                                     .level = level_at(&style, first),
                                     .to_level = level_at(&style, last)});
}

/// Adds a piece of a trail in all images that may be seen.
static void add_trail_images(qdi_copy *copier, place from, place to, qdi_trail style) {
    const place half = sizes_of(0.5 * (to - from)), middle = 0.5 * (from + to);
    const qdi_images images = qdi_picture_images(copier, middle[0], middle[1],
                                                 half[0] > half[1] ? half[0] : half[1]);
    for (int j = images.y0; j <= images.y1; ++j) {
        for (int i = images.x0; i <= images.x1 && copier->status == QD_OK; ++i) {
            const place shift = {i * copier->period_x, j * copier->period_y};
            add_trail_piece(copier, from + shift, to + shift, style);
        }
    }
}

/// Where both ends of a piece are of which one image is seen, and nothing needs to be cut off.
typedef struct plain_part {
    place min, max;
} plain_part;

/// The part of an axis [low, high] where pieces are plain.
static void set_plain_range(double low, double high, double period, double *min, double *max) {
    *min = low - margin;
    *max = high + margin;
    if (period > 0.0 && *min < high + margin - period) *min = high + margin - period;
    if (period > 0.0 && *max > low - margin + period) *max = low - margin + period;
}

/// The part of the picture where pieces of trails are plain.
static plain_part find_plain_part(const qdi_copy *copier) {
    const qdi_area *clip = &copier->picture->clip;
    double min[2], max[2];
    set_plain_range(clip->min_x, clip->max_x, copier->period_x, &min[0], &max[0]);
    set_plain_range(clip->min_y, clip->max_y, copier->period_y, &min[1], &max[1]);
    return (plain_part){{min[0], min[1]}, {max[0], max[1]}};
}

/// True where an end of a piece is in the plain part.
static inline bool is_in_plain_part(const plain_part *part, place at) {
    return are_both((both)(at >= part->min) & (both)(at <= part->max));
}

/// What all trails have in common.
typedef struct trail_ages {
    size_t count; ///< frames of trails, by age, with how strong they are
    const qdi_trail_frame *frame[QD_VIEW_TRAILS_MAX + 1];
    float level[QD_VIEW_TRAILS_MAX + 1];
    plain_part plain;
    place period, near;        ///< of the world, 0 for none; and what is surely no way to an image
    place origin, scale, base; ///< of the camera: pixels are base + (place - origin) scale
} trail_ages;

/// Lists the frames of trails.
static void list_trail_ages(const qdi_copy *copier, trail_ages *ages) {
    const qdi_trails *trails = copier->picture->past;
    const qdi_camera *camera = &copier->camera;
    ages->plain = find_plain_part(copier);
    ages->period = (place){copier->period_x > 0.0 ? copier->world.size.x : 0.0,
                           copier->period_y > 0.0 ? copier->world.size.y : 0.0};
    ages->near = (place){copier->period_x > 0.0 ? 0.25 * ages->period[0] : HUGE_VAL,
                         copier->period_y > 0.0 ? 0.25 * ages->period[1] : HUGE_VAL};
    ages->origin = (place){camera->x0, camera->y0};
    ages->scale = (place){camera->scale, -camera->scale};
    ages->base = (place){camera->left, camera->bottom};
    ages->count = trails->count;
    for (size_t age = 0; age < trails->count; ++age) {
        ages->frame[age] = qdi_trails_at(trails, age);
        ages->level[age] = trail_level_at_age(age, trails->frames);
    }
}

/// The way from one of a body's places to the one before it, or to the nearest image of that.
static inline place way_to_older(const trail_ages *ages, const qdi_trail_place *newer,
                                 const qdi_trail_place *older) {
    const place way = (place){older->x, older->y} - (place){newer->x, newer->y};
    if (are_both((both)(sizes_of(way) < ages->near))) return way; // most are; floor may be a call
    return (place){nearest_image_way(way[0], ages->period[0]), nearest_image_way(way[1], ages->period[1])};
}

/// Four numbers side by side, and of each whether something is so.
typedef float four __attribute__((vector_size(4 * sizeof(float))));
typedef int32_t four_are __attribute__((vector_size(4 * sizeof(int32_t))));

/// A line that stands for pieces of a trail that follow each other. It goes along the axis that its first
/// piece goes along.
typedef struct trail_line {
    place from, to;
    float from_level, to_level; ///< of its ends
    bool begun;                 ///< it has a piece
    float axis_x, axis_y;       ///< the axis: one of them is 1 or -1, the other 0
    float far;                  ///< how far its pieces came along that
    four most; ///< how much lines past all places go aside and fade, and that to the other side, at most
} trail_line;

/// How far from a place a line that stands for it may be, in pixels, and how much of a level it may be off
/// there: nothing that is seen.
#define LINE_FAR 0.1F
#define LINE_OFF 0.5F

/// How many levels a line of several pieces may fade in a pixel: what is drawn has a limit.
#define LINE_FADE 0.75F

/// Picture's trails: the smaller ones of numbers.
static inline four smaller_of(four a, four b) {
    const four_are less = a < b;
    return (four)(((four_are)a & less) | ((four_are)b & ~less));
}

/// Picture's trails: true where a line may go on to a place; a first piece may.
static inline bool extend_line(trail_line *line, place to, float level) {
    const place way = to - line->from;
    const float x = (float)way[0], y = (float)way[1], fade = level - line->from_level;
    const bool first = !line->begun;
    if (first) {
        const bool steep = fabsf(y) > fabsf(x);
        line->begun = true;
        line->axis_x = steep ? 0.0F : copysignf(1.0F, x);
        line->axis_y = steep ? copysignf(1.0F, y) : 0.0F;
        line->far = 0.0F;
        line->most = (four){HUGE_VALF, HUGE_VALF, HUGE_VALF, HUGE_VALF};
    }
    const float along = x * line->axis_x + y * line->axis_y, aside = x * line->axis_y - y * line->axis_x;
    if (!first && fabsf(fade) > 2.0F * LINE_OFF + LINE_FADE * fabsf(along)) return false;
    if (along > LINE_FAR) {
        const four slack = {LINE_FAR, LINE_OFF, LINE_FAR, LINE_OFF}, off = {aside, fade, -aside, -fade};
        const float inverse = 1.0F / along;
        const both missed = (both)(off * inverse > line->most);
        if ((missed[0] | missed[1]) != 0 || along < line->far - LINE_FAR) return false;
        line->most = smaller_of(line->most, (off + slack) * inverse);
        line->far = qdi_larger_float(line->far, along);
    } else if (line->far > 2.0F * LINE_FAR || along < -LINE_FAR || fabsf(aside) > LINE_FAR) {
        return false;
    }
    line->to = to;
    line->to_level = level;
    return true;
}

/// Picture's trails: a level as pieces have it.
static uint8_t piece_level(float level) {
    return (uint8_t)(level * QDI_TRAIL_LEVEL + 0.5F);
}

/// Picture's trails: adds a line to the picture, and begins one where it ends.
static void end_line(qdi_copy *copier, const plain_part *part, trail_line *line, uint8_t hue) {
    const qdi_trail style = {
        .hue = hue, .level = piece_level(line->from_level), .to_level = piece_level(line->to_level)};
    if (line->begun && is_in_plain_part(part, line->from) && is_in_plain_part(part, line->to))
        push_trail_piece(copier, line->from, line->to, style);
    else if (line->begun)
        add_trail_images(copier, line->from, line->to, style);
    line->from = line->to;
    line->from_level = line->to_level;
    line->begun = false;
}

/// Copies the trail of a body, back to where it came into the world.
static void copy_body_trail(qdi_copy *copier, const trail_ages *ages, size_t index, uint8_t hue) {
    const place origin = ages->origin, scale = ages->scale, base = ages->base;
    const qdi_trail_place *newer = &ages->frame[0]->places[index];
    place at = {newer->x, newer->y};
    trail_line line = {.from = base + (at - origin) * scale, .from_level = ages->level[0]};
    for (size_t age = 1; age < ages->count; ++age) {
        const qdi_trail_frame *frame = ages->frame[age];
        if (index >= frame->count || frame->places[index].generation != newer->generation) break;
        const qdi_trail_place *older = &frame->places[index];
        // Frames are far apart in memory, and are too many for a processor to foresee.
        if (index + AHEAD < frame->count) __builtin_prefetch(&frame->places[index + AHEAD]);
        const place before = at + way_to_older(ages, newer, older);
        newer = older;
        if (are_both((both)(before == at))) continue;
        at = before;
        const place to = base + (at - origin) * scale;
        if (extend_line(&line, to, ages->level[age])) continue;
        end_line(copier, &ages->plain, &line, hue);
        (void)extend_line(&line, to, ages->level[age]);
    }
    end_line(copier, &ages->plain, &line, hue);
}

void qdi_trails_copy(qdi_copy *copier) {
    const qdi_trails *trails = copier->picture->past;
    copier->picture->trail_count = 0;
    if (!trails || trails->count < 2 || copier->status != QD_OK) return;
    const qd_body_view *bodies = &copier->bodies;
    trail_ages ages;
    list_trail_ages(copier, &ages);
    for (size_t index = 0; index < bodies->index_count && copier->status == QD_OK; ++index) {
        uint32_t row = bodies->row_of_index[index];
        if (row == UINT32_MAX || bodies->kind[row] == QD_BODY_STATIC) continue;
        copy_body_trail(copier, &ages, index, (uint8_t)qdi_shade_hue(&copier->shade, row));
    }
}
