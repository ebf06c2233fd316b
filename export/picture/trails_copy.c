// Trails of the bodies that exist, from each one's centre back in time, as lines in pixels. They are
// copied in order of the bodies' indices, newest first, so what comes out depends on the world's past alone.
// Cost: bodies times frames.
#include "core/base/memory.h"
#include "export/picture/picture_impl.h"
#include "export/picture/trails.h"

#include <math.h>

/// How far outside of the clip, in pixels, lines may go: nothing of what is cut off there can be seen.
static const double margin = 16.0;

/// Pieces up to this length, in pixels, are looked at in the quick way where there are images.
static const double longest_plain = 24.0;

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

/// Picture's trails: the way from a place to another, or to its nearest image where there is a period.
static double nearest_image_offset(double from, double to, double period) {
    double way = to - from;
    if (fabs(way) < 0.25 * period) return way; // most are; floor may be a call
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

/// Adds a piece of a trail that is wholly within the picture, or near it.
static void add_whole_piece(qdi_picture *picture, const double from[2], const double to[2], qdi_trail style) {
    style.x0 = (float)from[0];
    style.y0 = (float)from[1];
    style.x1 = (float)(from[0] + (to[0] - from[0]));
    style.y1 = (float)(from[1] + (to[1] - from[1]));
    picture->trails[picture->trail_count++] = style;
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

/// Where both ends of a piece, if it is short, are seen once and nothing needs to be cut off.
typedef struct plain_part {
    double min_x, max_x, min_y, max_y;
    double longest; ///< |x| + |y| of a short one
} plain_part;

/// The part of an axis [low, high] where pieces are plain.
static void set_plain_range(double low, double high, double period, double *min, double *max) {
    const double more = longest_plain + margin;
    *min = low - margin;
    *max = high + margin;
    if (period > 0.0 && *min < high + more - period) *min = high + more - period;
    if (period > 0.0 && *max > low - more + period) *max = low - more + period;
}

/// The part of the picture where pieces of trails are plain.
static plain_part find_plain_part(const qdi_copy *copier) {
    const qdi_area *clip = &copier->picture->clip;
    const bool periodic = copier->period_x > 0.0 || copier->period_y > 0.0;
    plain_part part = {.longest = periodic ? longest_plain : HUGE_VAL};
    set_plain_range(clip->min_x, clip->max_x, copier->period_x, &part.min_x, &part.max_x);
    set_plain_range(clip->min_y, clip->max_y, copier->period_y, &part.min_y, &part.max_y);
    return part;
}

/// True where an end of a piece is in the plain part.
static bool is_in_plain_part(const plain_part *part, const double at[2]) {
    return at[0] >= part->min_x && at[0] <= part->max_x && at[1] >= part->min_y && at[1] <= part->max_y;
}

/// True where a piece between two ends in the plain part is short enough.
static bool is_plain_length(const plain_part *part, const double from[2], const double to[2]) {
    return fabs(to[0] - from[0]) + fabs(to[1] - from[1]) <= part->longest;
}

/// The frames of trails by age, with how strong they are.
typedef struct trail_ages {
    size_t count;
    const qdi_trail_frame *frame[QD_VIEW_TRAILS_MAX + 1];
    uint8_t level[QD_VIEW_TRAILS_MAX + 1];
    plain_part plain;
} trail_ages;

/// Lists the frames of trails.
static void list_trail_ages(const qdi_trails *trails, trail_ages *ages) {
    ages->count = trails->count;
    for (size_t age = 0; age < trails->count; ++age) {
        ages->frame[age] = qdi_trails_at(trails, age);
        ages->level[age] = trail_level_at_age(age, trails->frames);
    }
}

/// Makes room for so many pieces.
static void reserve_trail_pieces(qdi_copy *copier, size_t more) {
    qdi_picture *picture = copier->picture;
    if (copier->status == QD_OK)
        copier->status = qdi_reserve(picture->allocator, &picture->trails, &picture->trail_room,
                                     picture->trail_count, picture->trail_count + more,
                                     sizeof *picture->trails);
}

/// Copies the trail of a body, back to where it came into the world.
static void copy_body_trail(qdi_copy *copier, const trail_ages *ages, size_t index, qdi_trail style) {
    const qdi_camera camera = copier->camera;
    const plain_part part = ages->plain;
    double period_x = copier->period_x > 0.0 ? copier->world.size.x : 0.0;
    double period_y = copier->period_y > 0.0 ? copier->world.size.y : 0.0;
    const qdi_trail_place *newer = &ages->frame[0]->places[index];
    qd_vec2 at = {newer->x, newer->y};
    double from[2] = {qdi_camera_x(&camera, at.x), qdi_camera_y(&camera, at.y)};
    bool plain = is_in_plain_part(&part, from);
    reserve_trail_pieces(copier, ages->count);
    for (size_t age = 1; age < ages->count && copier->status == QD_OK; ++age) {
        const qdi_trail_frame *frame = ages->frame[age];
        if (index >= frame->count || frame->places[index].generation != newer->generation) return;
        const qdi_trail_place *older = &frame->places[index];
        // Frames are far apart in memory, and are too many for a processor to foresee.
        if (index + AHEAD < frame->count) __builtin_prefetch(&frame->places[index + AHEAD]);
        const qd_vec2 before = {at.x + nearest_image_offset(newer->x, older->x, period_x),
                                at.y + nearest_image_offset(newer->y, older->y, period_y)};
        const double to[2] = {qdi_camera_x(&camera, before.x), qdi_camera_y(&camera, before.y)};
        const bool was_plain = plain, moved = before.x != at.x || before.y != at.y;
        plain = is_in_plain_part(&part, to);
        style.level = ages->level[age];
        if (moved && was_plain && plain && is_plain_length(&part, from, to)) {
            add_whole_piece(copier->picture, from, to, style);
        } else if (moved) {
            add_trail_images(copier, at, before, style);
            reserve_trail_pieces(copier, ages->count - age); // its images may have taken the others' room
        }
        at = before;
        from[0] = to[0], from[1] = to[1];
        newer = older;
    }
}

void qdi_trails_copy(qdi_copy *copier) {
    const qdi_trails *trails = copier->picture->past;
    copier->picture->trail_count = 0;
    if (!trails || trails->count < 2 || copier->status != QD_OK) return;
    const qd_body_view *bodies = &copier->bodies;
    trail_ages ages = {.plain = find_plain_part(copier)};
    list_trail_ages(trails, &ages);
    for (size_t index = 0; index < bodies->index_count && copier->status == QD_OK; ++index) {
        uint32_t row = bodies->row_of_index[index];
        if (row == UINT32_MAX || bodies->kind[row] == QD_BODY_STATIC) continue;
        copy_body_trail(copier, &ages, index,
                        (qdi_trail){.hue = (uint8_t)qdi_shade_hue(&copier->shade, row)});
    }
}
