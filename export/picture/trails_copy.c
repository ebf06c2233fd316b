// Trails of the bodies that exist, from each one's centre back in time, as lines in pixels. They are
// copied in order of the bodies' indices, newest first, so what comes out depends on the world's past alone.
// Cost: bodies times frames.
#include "core/base/memory.h"
#include "export/picture/picture_impl.h"
#include "export/picture/trails.h"

#include <math.h>

/// How far outside of the clip, in pixels, lines may go: nothing of what is cut off there can be seen.
static const double margin = 16.0;

/// How much of its body's colour the newest piece of a trail has; the oldest has one level.
enum { MOST_LEVEL = 3 * QDI_LEVELS / 4 };

/// How many bodies before they are needed their places are asked for.
enum { AHEAD = 8 };

/// How strong a trail's colour is at an age.
static uint8_t trail_level_at_age(size_t age, size_t frames) {
    if (frames < 2) return MOST_LEVEL;
    size_t steps = frames - 1;
    return (uint8_t)(1 + ((MOST_LEVEL - 1) * (frames - age) + steps / 2) / steps);
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

/// Adds a piece of a trail, as far as it is within the picture.
static void add_trail_piece(qdi_copy *copier, const double from[2], const double to[2], qdi_trail style) {
    qdi_picture *picture = copier->picture;
    const qdi_area *clip = &picture->clip;
    double along_x = to[0] - from[0], along_y = to[1] - from[1], first = 0.0, last = 1.0;
    if (!clip_line_to_range(from[0], along_x, clip->min_x - margin, clip->max_x + margin, &first, &last) ||
        !clip_line_to_range(from[1], along_y, clip->min_y - margin, clip->max_y + margin, &first, &last))
        return;
    style.x0 = (float)(from[0] + first * along_x);
    style.y0 = (float)(from[1] + first * along_y);
    style.x1 = (float)(from[0] + last * along_x);
    style.y1 = (float)(from[1] + last * along_y);
    copier->status = qdi_reserve(picture->allocator, &picture->trails, &picture->trail_room,
                                 picture->trail_count, picture->trail_count + 1, sizeof *picture->trails);
    if (copier->status == QD_OK) picture->trails[picture->trail_count++] = style;
}

/// Adds a piece of a trail in all images that may be seen.
static void add_trail_images(qdi_copy *copier, qd_vec2 from, qd_vec2 to, qdi_trail style) {
    const qdi_camera *camera = &copier->camera;
    double x0 = qdi_camera_x(camera, from.x), y0 = qdi_camera_y(camera, from.y);
    double x1 = qdi_camera_x(camera, to.x), y1 = qdi_camera_y(camera, to.y);
    double wide = 0.5 * fabs(x1 - x0), high = 0.5 * fabs(y1 - y0);
    const qdi_images images = qdi_picture_images(copier, 0.5 * (x0 + x1), 0.5 * (y0 + y1),
                                                 wide > high ? wide : high);
    for (int j = images.y0; j <= images.y1; ++j) {
        for (int i = images.x0; i <= images.x1 && copier->status == QD_OK; ++i) {
            double shift_x = i * copier->period_x, shift_y = j * copier->period_y;
            add_trail_piece(copier, (double[2]){x0 + shift_x, y0 + shift_y},
                            (double[2]){x1 + shift_x, y1 + shift_y}, style);
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
    uint8_t level[QD_VIEW_TRAILS_MAX + 1];
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

/// Makes room for so many pieces, and returns where the next comes; NULL where the copy has failed.
static qdi_trail *reserve_trail_pieces(qdi_copy *copier, size_t more) {
    qdi_picture *picture = copier->picture;
    if (copier->status == QD_OK)
        copier->status = qdi_reserve(picture->allocator, &picture->trails, &picture->trail_room,
                                     picture->trail_count, picture->trail_count + more,
                                     sizeof *picture->trails);
    return copier->status == QD_OK ? picture->trails + picture->trail_count : NULL;
}

/// The way from one of a body's places to the one before it, or to the nearest image of that.
static inline place way_to_older(const trail_ages *ages, const qdi_trail_place *newer,
                                 const qdi_trail_place *older) {
    const place way = (place){older->x, older->y} - (place){newer->x, newer->y};
    if (are_both((both)(sizes_of(way) < ages->near))) return way; // most are; floor may be a call
    return (place){nearest_image_way(way[0], ages->period[0]), nearest_image_way(way[1], ages->period[1])};
}

/// Copies the trail of a body, back to where it came into the world.
static void copy_body_trail(qdi_copy *copier, const trail_ages *ages, size_t index, qdi_trail style) {
    const plain_part part = ages->plain;
    const place origin = ages->origin, scale = ages->scale, base = ages->base;
    const qdi_trail_place *newer = &ages->frame[0]->places[index];
    place at = {newer->x, newer->y}, from = base + (at - origin) * scale;
    bool plain = is_in_plain_part(&part, from);
    qdi_trail *piece = reserve_trail_pieces(copier, ages->count);
    for (size_t age = 1; age < ages->count && piece; ++age) {
        const qdi_trail_frame *frame = ages->frame[age];
        if (index >= frame->count || frame->places[index].generation != newer->generation) break;
        const qdi_trail_place *older = &frame->places[index];
        // Frames are far apart in memory, and are too many for a processor to foresee.
        if (index + AHEAD < frame->count) __builtin_prefetch(&frame->places[index + AHEAD]);
        const place before = at + way_to_older(ages, newer, older), to = base + (before - origin) * scale;
        const bool was_plain = plain, moved = !are_both((both)(before == at));
        plain = is_in_plain_part(&part, to);
        style.level = ages->level[age];
        if (moved && was_plain && plain) {
            const place end = from + (to - from);
            *piece++ = (qdi_trail){(float)from[0], (float)from[1], (float)end[0],
                                   (float)end[1],  style.hue,      style.level};
        } else if (moved) {
            copier->picture->trail_count = (size_t)(piece - copier->picture->trails);
            add_trail_images(copier, (qd_vec2){at[0], at[1]}, (qd_vec2){before[0], before[1]}, style);
            piece = reserve_trail_pieces(copier, ages->count - age); // images may have taken the others' room
        }
        at = before;
        from = to;
        newer = older;
    }
    if (piece) copier->picture->trail_count = (size_t)(piece - copier->picture->trails);
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
        copy_body_trail(copier, &ages, index,
                        (qdi_trail){.hue = (uint8_t)qdi_shade_hue(&copier->shade, row)});
    }
}
