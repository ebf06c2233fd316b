// Trails of the bodies that exist, from each one's centre back in time, as lines in pixels. They are
// copied block by block of the bodies' indices, newest first, so what comes out depends on the world's past
// alone.
// Cost: bodies times frames.
#include "core/base/memory.h"
#include "core/parallel/parallel.h"
#include "export/picture/picture_impl.h"
#include "export/picture/trail_lines.h"
#include "export/picture/trails.h"
#include "sim/world/world_team.h"

#include <math.h>
#include <quadrille/simd.h>
#include <string.h>

#define TRAIL_LINES_GO qdi_trail_lines_go_portable
#include "export/picture/trail_lines_loops.h"

/// How far outside of the clip, in pixels, lines may go: nothing of what is cut off there can be seen.
static const double margin = 16.0;

/// How much of its body's colour the newest piece of a trail has; the oldest has one level.
enum { MOST_LEVEL = 3 * QDI_LEVELS / 4 };

/// How strong a trail's colour is at an age.
static float trail_level_at_age(size_t age, size_t frames) {
    if (frames < 2 || age == 0) return MOST_LEVEL;
    return 1.0F + (float)((MOST_LEVEL - 1) * (frames - age)) / (float)(frames - 1);
}

/// Bodies whose trails a thread copies at once.
enum { BLOCK = 4 * QDI_TRAIL_LINES };

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

/// The pieces of trails that a thread finds. There may be more than it has room for.
typedef struct trail_list {
    qdi_trail *pieces;
    size_t count, room;
} trail_list;

/// Adds a piece of a trail to a list.
static void push_trail_piece(trail_list *list, place from, place to, qdi_trail style) {
    if (list->count < list->room)
        list->pieces[list->count] = (qdi_trail){(float)from[0], (float)from[1], (float)to[0],  (float)to[1],
                                                style.hue,      style.level,    style.to_level};
    list->count += 1;
}

/// Picture's trails: the level of a piece at a part of it.
static uint8_t level_at(const qdi_trail *style, double part) {
    return (uint8_t)(style->level + part * (style->to_level - style->level) + 0.5);
}

/// Adds a piece of a trail, as far as it is within the picture.
static void add_trail_piece(const qdi_copy *copier, trail_list *list, place from, place to, qdi_trail style) {
    const qdi_area *clip = &copier->picture->clip;
    const place along = to - from;
    double first = 0.0, last = 1.0;
    if (clip_line_to_range(from[0], along[0], clip->min_x - margin, clip->max_x + margin, &first, &last) &&
        clip_line_to_range(from[1], along[1], clip->min_y - margin, clip->max_y + margin, &first, &last))
        push_trail_piece(list, from + first * along, from + last * along,
                         (qdi_trail){.hue = style.hue,
                                     .level = level_at(&style, first),
                                     .to_level = level_at(&style, last)});
}

/// Adds a piece of a trail in all images that may be seen.
static void add_trail_images(const qdi_copy *copier, trail_list *list, place from, place to,
                             qdi_trail style) {
    const place half = sizes_of(0.5 * (to - from)), middle = 0.5 * (from + to);
    const qdi_images images = qdi_picture_images(copier, middle[0], middle[1],
                                                 half[0] > half[1] ? half[0] : half[1]);
    for (int j = images.y0; j <= images.y1; ++j) {
        for (int i = images.x0; i <= images.x1; ++i) {
            const place shift = {i * copier->period_x, j * copier->period_y};
            add_trail_piece(copier, list, from + shift, to + shift, style);
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
typedef struct trail_job {
    const qdi_copy *copier;
    qdi_trail *pieces;          ///< of all blocks of bodies, with room for so many of each
    size_t block_room, *counts; ///< by block: how many there are
    size_t count;               ///< frames of trails, by age, with how strong they are
    const qdi_trail_frame *frame[QD_VIEW_TRAILS_MAX + 1];
    float level[QD_VIEW_TRAILS_MAX + 1];
    size_t level_ages; ///< in which trails fade by a level, at least 1
    plain_part plain;
    qdi_trail_step step; ///< but for what differs from frame to frame
    bool avx2;
} trail_job;

/// Lists the frames of trails.
static void list_trail_ages(const qdi_copy *copier, trail_job *ages) {
    const qdi_trails *trails = copier->picture->past;
    const qdi_camera *camera = &copier->camera;
    const qd_vec2 size = copier->world.size;
    const bool round_x = copier->period_x > 0.0, round_y = copier->period_y > 0.0;
    ages->plain = find_plain_part(copier);
    ages->step = (qdi_trail_step){.period_x = round_x ? size.x : 0.0,
                                  .period_y = round_y ? size.y : 0.0,
                                  .near_x = round_x ? 0.25 * size.x : HUGE_VAL,
                                  .near_y = round_y ? 0.25 * size.y : HUGE_VAL,
                                  .origin_x = camera->x0,
                                  .origin_y = camera->y0,
                                  .scale = camera->scale,
                                  .base_x = camera->left,
                                  .base_y = camera->bottom};
    ages->avx2 = qd_simd_best() >= QD_SIMD_AVX2;
    ages->count = trails->count;
    ages->level_ages = trails->frames > MOST_LEVEL ? (trails->frames - 1) / (MOST_LEVEL - 1) : 1;
    for (size_t age = 0; age < trails->count; ++age) {
        ages->frame[age] = qdi_trails_at(trails, age);
        ages->level[age] = trail_level_at_age(age, trails->frames);
    }
}

/// Picture's trails: a level as pieces have it.
static uint8_t piece_level(float level) {
    return (uint8_t)(level * QDI_TRAIL_LEVEL + 0.5F);
}

/// Picture's trails: adds a line to the picture, and begins one where it ends.
static void end_line(const trail_job *job, trail_list *list, qdi_trail_lines *lines, size_t i) {
    const place from = {lines->from_x[i], lines->from_y[i]}, to = {lines->to_x[i], lines->to_y[i]};
    const qdi_trail style = {.hue = lines->hue[i],
                             .level = piece_level(lines->from_level[i]),
                             .to_level = piece_level(lines->to_level[i])};
    if (is_in_plain_part(&job->plain, from) && is_in_plain_part(&job->plain, to))
        push_trail_piece(list, from, to, style);
    else
        add_trail_images(job->copier, list, from, to, style);
    lines->from_x[i] = to[0];
    lines->from_y[i] = to[1];
    lines->from_level[i] = lines->to_level[i];
    lines->begun[i] = 0;
}

/// Picture's trails: lets a line have its first piece, to the next place; it goes along the axis that the
/// piece goes along.
static void begin_line(qdi_trail_lines *lines, float level, size_t i) {
    const double to_x = lines->next_x[i], to_y = lines->next_y[i];
    const float x = (float)(to_x - lines->from_x[i]), y = (float)(to_y - lines->from_y[i]);
    const bool steep = fabsf(y) > fabsf(x);
    const float axis_x = steep ? 0.0F : copysignf(1.0F, x), axis_y = steep ? copysignf(1.0F, y) : 0.0F;
    const float along = x * axis_x + y * axis_y, aside = x * axis_y - y * axis_x,
                fade = level - lines->from_level[i];
    const bool onward = along > QDI_LINE_FAR;
    const float inverse = onward ? 1.0F / along : 0.0F;
    lines->begun[i] = -1;
    lines->axis_x[i] = axis_x;
    lines->axis_y[i] = axis_y;
    lines->far[i] = onward ? along : 0.0F;
    lines->most[0][i] = onward ? (aside + QDI_LINE_FAR) * inverse : HUGE_VALF;
    lines->most[1][i] = onward ? (QDI_LINE_FAR - aside) * inverse : HUGE_VALF;
    lines->most[2][i] = onward ? (fade + QDI_LINE_OFF) * inverse : HUGE_VALF;
    lines->most[3][i] = onward ? (QDI_LINE_OFF - fade) * inverse : HUGE_VALF;
    lines->to_level[i] = level;
}

/// Begins the trails of the bodies with indices from `begin` on, where they are.
static void begin_lines(const trail_job *job, size_t begin, qdi_trail_lines *lines) {
    const qd_body_view *bodies = &job->copier->bodies;
    const qdi_trail_frame *frame = job->frame[0];
    const qdi_trail_step *step = &job->step;
    memset(lines, 0, sizeof *lines);
    lines->count = bodies->index_count - begin < QDI_TRAIL_LINES ? bodies->index_count - begin
                                                                 : QDI_TRAIL_LINES;
    for (size_t i = 0; i < lines->count; ++i) {
        const uint32_t row = bodies->row_of_index[begin + i];
        if (row == UINT32_MAX || bodies->kind[row] == QD_BODY_STATIC) continue;
        lines->alive[i] = -1;
        lines->generation[i] = frame->generation[begin + i];
        lines->hue[i] = (uint8_t)qdi_shade_hue(&job->copier->shade, row);
        lines->at_x[i] = frame->at[begin + i].x;
        lines->at_y[i] = frame->at[begin + i].y;
        lines->from_x[i] = step->base_x + (lines->at_x[i] - step->origin_x) * step->scale;
        lines->from_y[i] = step->base_y + (lines->at_y[i] - step->origin_y) * -step->scale;
        lines->from_level[i] = job->level[0];
    }
}

/// Ends lines, and lets all go on to where the step says.
static void grow_lines(const trail_job *job, trail_list *list, const qdi_trail_step *step,
                       qdi_trail_lines *lines) {
#ifdef __x86_64__
    uint64_t broken = job->avx2 ? qdi_trail_lines_go_avx2(lines, step)
                                : qdi_trail_lines_go_portable(lines, step);
#else
    uint64_t broken = qdi_trail_lines_go_portable(lines, step);
#endif
    for (; broken != 0; broken &= broken - 1) {
        const size_t i = (size_t)__builtin_ctzll(broken);
        if (lines->begun[i]) end_line(job, list, lines, i);
        if (lines->alive[i]) begin_line(lines, step->level[i], i);
    }
}

/// Picture's trails: ends all lines from a number on where they are, and leaves them.
static void finish_lines(const trail_job *job, trail_list *list, qdi_trail_lines *lines, size_t first) {
    for (size_t i = first; i < lines->count; ++i) {
        lines->to_x[i] = lines->next_x[i];
        lines->to_y[i] = lines->next_y[i];
        if (lines->begun[i]) end_line(job, list, lines, i);
        lines->alive[i] = 0;
    }
    lines->count = first;
}

/// Picture's trails: puts the coordinates of places apart.
static void part_places(const qd_vec2 *restrict at, size_t count, double *restrict x, double *restrict y) {
    for (size_t i = 0; i < count; ++i) {
        x[i] = at[i].x;
        y[i] = at[i].y;
    }
}

/// Copies trails frame by frame.
static void copy_bent_trails(const trail_job *job, trail_list *list, size_t begin, size_t ages,
                             qdi_trail_lines *lines) {
    float level[QDI_TRAIL_LINES];
    double x[2][QDI_TRAIL_LINES], y[2][QDI_TRAIL_LINES];
    qdi_trail_step step = job->step;
    step.level = level;
    part_places(job->frame[0]->at + begin, lines->count, x[0], y[0]);
    for (size_t age = 1; age < ages; ++age) {
        const qdi_trail_frame *older = job->frame[age];
        const size_t there = older->count - begin, here = age % 2;
        if (there < lines->count) finish_lines(job, list, lines, there);
        part_places(older->at + begin, lines->count, x[here], y[here]);
        step.newer_x = x[!here];
        step.newer_y = y[!here];
        step.older_x = x[here];
        step.older_y = y[here];
        step.generation = older->generation + begin;
        for (size_t i = 0; i < QDI_TRAIL_LINES; ++i) level[i] = job->level[age];
        grow_lines(job, list, &step, lines);
    }
}

/// Ages that a word of bends has, and words of all.
enum { WORD = 64, WORDS = QD_VIEW_TRAILS_MAX / WORD + 1 };

/// Of each body a bit for each age: 1 where its trail may bend.
typedef struct trail_bends {
    uint64_t words[WORDS][QDI_TRAIL_LINES];
} trail_bends;

/// Picture's trails: makes bit k of word i of what was bit i of word k.
static void transpose_words(uint64_t words[WORD]) {
    uint64_t low = UINT32_MAX;
    for (int width = WORD / 2; width > 0; width /= 2, low ^= low << width) {
        for (int i = 0; i < WORD; i = ((i | width) + 1) & ~width) {
            const uint64_t other = ((words[i] >> width) ^ words[i | width]) & low;
            words[i] ^= other << width;
            words[i | width] ^= other;
        }
    }
}

/// Lists where the trails of bodies with indices from `begin` on bend, and that they do at the last age and
/// at the first, for up to there they do not fade. True where that is at few places.
static bool find_bends(const trail_job *job, size_t begin, size_t ages, size_t lines, trail_bends *bends) {
    const uint64_t those = lines < WORD ? ((uint64_t)1 << lines) - 1 : UINT64_MAX;
    size_t count = 0;
    for (size_t age = 0; age < qdi_range_count(ages, WORD) * WORD; ++age) {
        const bool inner = age > 1 && age + 1 < ages;
        const uint64_t bend = inner ? job->frame[age]->bends[begin / WORD] : UINT64_MAX;
        bends->words[age / WORD][age % WORD] = bend;
        if (inner) count += (size_t)__builtin_popcountll(bend & those);
    }
    for (size_t k = 0; k < qdi_range_count(ages, WORD); ++k) transpose_words(bends->words[k]);
    return 4 * count < ages * lines;
}

/// The trails of some bodies, each as far as it has been followed.
typedef struct trail_walk {
    trail_bends bends;
    size_t begin, ages, age[QDI_TRAIL_LINES];
    size_t bend[QDI_TRAIL_LINES]; ///< the next one
    double newer_x[QDI_TRAIL_LINES], newer_y[QDI_TRAIL_LINES], older_x[QDI_TRAIL_LINES],
        older_y[QDI_TRAIL_LINES];
    uint32_t generation[QDI_TRAIL_LINES];
    float level[QDI_TRAIL_LINES];
} trail_walk;

/// Picture's trails: finds where the trail of body `i` of a walk bends after an age, and asks for that place.
static void find_next_bend(const trail_job *job, trail_walk *walk, size_t i, size_t age) {
    size_t word = (age + 1) / WORD, next = age + 1;
    uint64_t bits = walk->bends.words[word][i] >> next % WORD;
    while (bits == 0) {
        next = ++word * WORD;
        bits = walk->bends.words[word][i];
    }
    walk->bend[i] = next + (size_t)__builtin_ctzll(bits);
    const qdi_trail_frame *frame = job->frame[walk->bend[i]];
    const size_t index = walk->begin + i;
    if (index >= frame->count) return;
    __builtin_prefetch(frame->at + index);
}

/// The age of the place that body `i` of a walk goes to: where it bends, or as far as its way has no other
/// images, and lines have no more than a level to fade where that is steep.
static size_t find_next_age(const trail_job *job, const trail_walk *walk, size_t i) {
    const size_t age = walk->age[i];
    size_t next = walk->bend[i];
    for (; next > age + 1; next = age + (next - age) / 2) {
        const qdi_trail_frame *to = job->frame[next];
        const double x = fabs(to->at[walk->begin + i].x - walk->newer_x[i]),
                     y = fabs(to->at[walk->begin + i].y - walk->newer_y[i]);
        if (!(x < job->step.near_x) || !(y < job->step.near_y)) continue;
        const double fade = (double)(job->level[age] - job->level[next]),
                     most = 2.0 * (double)QDI_LINE_OFF +
                            (double)QDI_LINE_FADE * job->step.scale * (x > y ? x : y);
        return fade > most && next > age + job->level_ages ? age + job->level_ages : next;
    }
    return next;
}

/// Picture's trails: lets body `i` of a walk go on, if it can.
static bool walk_on(const trail_job *job, trail_walk *walk, const qdi_trail_lines *lines, size_t i) {
    walk->newer_x[i] = walk->older_x[i];
    walk->newer_y[i] = walk->older_y[i];
    walk->generation[i] = lines->generation[i];
    if (!lines->alive[i] || walk->age[i] + 1 == walk->ages) return false;
    const size_t age = walk->age[i] = find_next_age(job, walk, i), index = walk->begin + i;
    if (age == walk->bend[i] && age + 1 < walk->ages) find_next_bend(job, walk, i, age);
    const qdi_trail_frame *to = job->frame[age];
    walk->level[i] = job->level[age];
    if (job->frame[age - 1]->comings[index / WORD] >> index % WORD & 1) { // it ends here
        walk->generation[i] = 0;
        return true;
    }
    walk->older_x[i] = to->at[index].x;
    walk->older_y[i] = to->at[index].y;
    return true;
}

/// Copies trails, each from bend to bend.
static void copy_straight_trails(const trail_job *job, trail_list *list, trail_walk *walk,
                                 qdi_trail_lines *lines) {
    qdi_trail_step step = job->step;
    step.newer_x = walk->newer_x;
    step.newer_y = walk->newer_y;
    step.older_x = walk->older_x;
    step.older_y = walk->older_y;
    step.generation = walk->generation;
    step.level = walk->level;
    memset(walk->age, 0, sizeof walk->age);
    memset(walk->level, 0, sizeof walk->level);
    part_places(job->frame[0]->at + walk->begin, lines->count, walk->older_x, walk->older_y);
    for (size_t i = 0; i < lines->count && walk->ages > 1; ++i) find_next_bend(job, walk, i, 0);
    for (;;) {
        bool some = false;
        for (size_t i = 0; i < lines->count; ++i) some |= walk_on(job, walk, lines, i);
        if (!some) return;
        grow_lines(job, list, &step, lines);
    }
}

/// Copies the trails of the bodies with indices from `begin` on, back to where each came into the world.
static void copy_trails_from(const trail_job *job, trail_list *list, size_t begin) {
    qdi_trail_lines lines;
    trail_walk walk = {.begin = begin, .ages = 1};
    begin_lines(job, begin, &lines);
    while (walk.ages < job->count && begin < job->frame[walk.ages]->count) ++walk.ages;
    if (find_bends(job, begin, walk.ages, lines.count, &walk.bends))
        copy_straight_trails(job, list, &walk, &lines);
    else
        copy_bent_trails(job, list, begin, walk.ages, &lines);
    finish_lines(job, list, &lines, 0);
}

/// Copies the trails of a block of bodies.
static void copy_trails_range(void *context, size_t begin, size_t end) {
    const trail_job *job = context;
    const size_t block = begin / BLOCK;
    trail_list list = {.room = job->block_room};
    if (list.room > 0) list.pieces = job->pieces + block * list.room; // else there may be no place
    for (size_t i = begin; i < end; i += QDI_TRAIL_LINES) copy_trails_from(job, &list, i);
    job->counts[block] = list.count;
}

/// Moves the pieces of all blocks together; how many there are.
static size_t join_blocks(const trail_job *job, size_t blocks) {
    size_t count = 0;
    for (size_t i = 0; i < blocks; count += job->counts[i++])
        memmove(job->pieces + count, job->pieces + i * job->block_room, job->counts[i] * sizeof *job->pieces);
    return count;
}

/// Copies all trails to the picture, each block with its part of the room that there is; most: the number of
/// pieces of the block that has the most, for which there may be no room.
static size_t copy_blocks(trail_job *job, size_t blocks) {
    qdi_picture *picture = job->copier->picture;
    size_t most = 0;
    job->pieces = picture->trails;
    job->block_room = picture->trail_room / blocks;
    qdi_team_for(qdi_world_team(job->copier->from), job->copier->bodies.index_count, BLOCK, copy_trails_range,
                 job);
    for (size_t i = 0; i < blocks; ++i) most = job->counts[i] > most ? job->counts[i] : most;
    return most;
}

void qdi_trails_copy(qdi_copy *copier) {
    qdi_picture *picture = copier->picture;
    const qdi_trails *trails = picture->past;
    const size_t blocks = qdi_range_count(copier->bodies.index_count, BLOCK);
    picture->trail_count = 0;
    if (!trails || trails->count < 2 || blocks == 0 || copier->status != QD_OK) return;
    copier->status = qdi_reserve(picture->allocator, &picture->blocks, &picture->block_room, 0, blocks,
                                 sizeof *picture->blocks);
    if (copier->status != QD_OK) return;
    trail_job job = {.copier = copier, .counts = picture->blocks};
    list_trail_ages(copier, &job);
    // The room of the picture before is enough, mostly.
    for (size_t most; (most = copy_blocks(&job, blocks)) > job.block_room;) {
        copier->status = qdi_reserve(picture->allocator, &picture->trails, &picture->trail_room, 0,
                                     blocks * most, sizeof *picture->trails);
        if (copier->status != QD_OK) return;
    }
    if (job.block_room > 0) picture->trail_count = join_blocks(&job, blocks);
}
