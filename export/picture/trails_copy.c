// Trails of the bodies that exist, from each one's centre back in time, as lines in pixels. They are
// copied block by block of the bodies' indices, of each body newest first, so what comes out depends on the
// world's past alone.
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

/// Ages that a word of bends has, and words of all; places of trails that are listed at once.
enum { WORD = 64, WORDS = QD_VIEW_TRAILS_MAX / WORD + 1, PLACES = 32 };

/// The trails of some bodies: their places, from bend to bend or at all ages, and the lines through them.
typedef struct trail_walk {
    size_t begin;                 ///< the first body's index
    size_t ages[QDI_TRAIL_LINES]; ///< at which each of them was there
    size_t age[QDI_TRAIL_LINES];  ///< up to which its places are listed
    uint8_t hue[QDI_TRAIL_LINES];
    uint64_t bends[WORDS][QDI_TRAIL_LINES]; ///< of each a bit for each age: 1 where its trail may bend
    int32_t places[QDI_TRAIL_LINES];        ///< how many are listed, from 1 on; 0 is the last one before
    double x[PLACES + 1][QDI_TRAIL_LINES], y[PLACES + 1][QDI_TRAIL_LINES];
    float level[PLACES + 1][QDI_TRAIL_LINES];
    qdi_trail_lines lines;
    size_t counts[QDI_TRAIL_LINES];            ///< lines of the listed places, of each body,
    qdi_trail pieces[QDI_TRAIL_LINES][PLACES]; ///< so that those of a body come one after the other
} trail_walk;

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

/// Lists where the trails of bodies may bend, up to an age, and that they do at the last age and at the
/// first, for up to there they do not fade. Where that is at many places they do everywhere. No trail goes on
/// past the frame that its body came with.
static void find_bends(const trail_job *job, trail_walk *walk, size_t ages, size_t bodies) {
    const uint64_t those = bodies < WORD ? ((uint64_t)1 << bodies) - 1 : UINT64_MAX;
    const size_t word = walk->begin / WORD, words = qdi_range_count(ages, WORD);
    uint64_t there = those;
    size_t count = 0;
    for (size_t age = 0; age < words * WORD; ++age) {
        const bool inner = age > 1 && age + 1 < ages;
        const uint64_t bend = inner ? job->frame[age]->bends[word] : UINT64_MAX;
        walk->bends[age / WORD][age % WORD] = bend;
        if (inner) count += (size_t)__builtin_popcountll(bend & those);
        if (age + 1 >= ages) continue;
        for (uint64_t came = there & job->frame[age]->comings[word]; came != 0; came &= came - 1) {
            const size_t i = (size_t)__builtin_ctzll(came);
            if (walk->ages[i] > age + 1) walk->ages[i] = age + 1;
        }
        there &= ~job->frame[age]->comings[word];
    }
    const bool few = 4 * count < ages * bodies;
    if (!few) memset(walk->bends, 0xff, words * sizeof *walk->bends);
    for (size_t k = 0; few && k < words; ++k) transpose_words(walk->bends[k]);
}

/// Begins the trails of the bodies with indices from `begin` on, where they are.
static void begin_walk(const trail_job *job, size_t begin, trail_walk *walk) {
    const qd_body_view *bodies = &job->copier->bodies;
    const qdi_trail_frame *frame = job->frame[0];
    const qdi_trail_step *step = &job->step;
    const size_t rest = bodies->index_count - begin, count = rest < QDI_TRAIL_LINES ? rest : QDI_TRAIL_LINES;
    qdi_trail_lines *lines = &walk->lines;
    size_t ages = 1;
    while (ages < job->count && begin < job->frame[ages]->count) ++ages;
    walk->begin = begin;
    memset(walk->age, 0, sizeof walk->age);
    memset(walk->ages, 0, sizeof walk->ages);
    memset(lines->begun, 0, sizeof lines->begun);
    for (size_t i = 0; i < count; ++i) {
        const uint32_t row = bodies->row_of_index[begin + i];
        if (row == UINT32_MAX || bodies->kind[row] == QD_BODY_STATIC) continue;
        walk->ages[i] = ages;
        walk->hue[i] = (uint8_t)qdi_shade_hue(&job->copier->shade, row);
        const double x = walk->x[0][i] = lines->at_x[i] = frame->at[begin + i].x,
                     y = walk->y[0][i] = lines->at_y[i] = frame->at[begin + i].y;
        lines->from_x[i] = step->base_x + (x - step->origin_x) * step->scale;
        lines->from_y[i] = step->base_y + (y - step->origin_y) * -step->scale;
        lines->from_level[i] = job->level[0];
    }
    find_bends(job, walk, ages, count);
}

/// How many bodies before they are needed the places where trails bend are asked for: they lie all over the
/// memory.
enum { AHEAD = 2 };

/// Asks for the next places where the trail of body `i` of a walk bends. Inline, for compilers leave out
/// calls that do nothing else.
static inline __attribute__((always_inline)) void ask_for_places(const trail_job *job, const trail_walk *walk,
                                                                 size_t i) {
    const size_t age = walk->age[i], ages = walk->ages[i];
    if (age + 1 >= ages) return;
    int left = PLACES;
    for (size_t word = (age + 1) / WORD; word <= (ages - 1) / WORD; ++word) {
        for (uint64_t bits = walk->bends[word][i]; bits != 0 && left > 0; bits &= bits - 1, --left) {
            const size_t bend = word * WORD + (size_t)__builtin_ctzll(bits);
            if (bend >= ages) return;
            __builtin_prefetch(job->frame[bend]->at + walk->begin + i);
        }
    }
}

/// The first age after another one where the trail of body `i` of a walk bends.
static inline size_t find_next_bend(const trail_walk *walk, size_t i, size_t age) {
    size_t word = (age + 1) / WORD, next = age + 1;
    uint64_t bits = walk->bends[word][i] >> next % WORD;
    while (bits == 0) {
        next = ++word * WORD;
        bits = walk->bends[word][i];
    }
    return next + (size_t)__builtin_ctzll(bits);
}

/// The age of the place that a trail goes to: where it bends, or as far as its way has no other images, and
/// lines have no more than a level to fade where that is steep.
static inline size_t find_next_age(const trail_job *job, size_t age, size_t bend, qd_vec2 from,
                                   size_t index) {
    for (size_t next = bend; next > age + 1; next = age + (next - age) / 2) {
        const qd_vec2 *to = &job->frame[next]->at[index];
        const double x = fabs(to->x - from.x), y = fabs(to->y - from.y);
        if (!(x < job->step.near_x) || !(y < job->step.near_y)) continue;
        const double fade = (double)(job->level[age] - job->level[next]),
                     most = 2.0 * (double)QDI_LINE_OFF +
                            (double)QDI_LINE_FADE * job->step.scale * (x > y ? x : y);
        return fade > most && next > age + job->level_ages ? age + job->level_ages : next;
    }
    return age + 1;
}

/// Lists the next places of the trail of body `i` of a walk.
static int32_t list_places(const trail_job *job, trail_walk *walk, size_t i) {
    const size_t index = walk->begin + i, ages = walk->ages[i];
    size_t age = walk->age[i];
    int32_t count = 0;
    qd_vec2 at = {walk->x[0][i], walk->y[0][i]};
    while (count < PLACES && age + 1 < ages) {
        age = find_next_age(job, age, find_next_bend(walk, i, age), at, index);
        at = job->frame[age]->at[index];
        ++count;
        walk->x[count][i] = at.x;
        walk->y[count][i] = at.y;
        walk->level[count][i] = job->level[age];
    }
    walk->age[i] = age;
    return walk->places[i] = count;
}

/// Adds the lines of body `i` of a walk that are kept to the list.
static void push_lines(trail_walk *walk, trail_list *list, size_t i) {
    const size_t count = walk->counts[i];
    if (count > 0 && list->count + count <= list->room) // else there may be no place
        memcpy(list->pieces + list->count, walk->pieces[i], count * sizeof **walk->pieces);
    list->count += count;
    walk->counts[i] = 0;
}

/// Keeps lines that ended.
static void keep_lines(const trail_job *job, trail_list *list, trail_walk *walk, uint64_t ended) {
    const qdi_trail_lines *lines = &walk->lines;
    for (; ended != 0; ended &= ended - 1) {
        const size_t i = (size_t)__builtin_ctzll(ended);
        const place from = {lines->was_x[i], lines->was_y[i]}, to = {lines->from_x[i], lines->from_y[i]};
        const qdi_trail piece = {(float)from[0],
                                 (float)from[1],
                                 (float)to[0],
                                 (float)to[1],
                                 walk->hue[i],
                                 piece_level(lines->was_level[i]),
                                 piece_level(lines->from_level[i])};
        if (is_in_plain_part(&job->plain, from) && is_in_plain_part(&job->plain, to)) {
            walk->pieces[i][walk->counts[i]++] = piece;
        } else {
            push_lines(walk, list, i);
            add_trail_images(job->copier, list, from, to, piece);
        }
    }
}

/// Lets all lines go on to a place of the list.
static uint64_t go_on(const trail_job *job, trail_walk *walk, size_t number) {
    qdi_trail_step step = job->step;
    step.newer_x = walk->x[number - 1];
    step.newer_y = walk->y[number - 1];
    step.older_x = walk->x[number];
    step.older_y = walk->y[number];
    step.level = walk->level[number];
    step.places = walk->places;
    step.number = (int32_t)number;
#ifdef __x86_64__
    if (job->avx2) return qdi_trail_lines_go_avx2(&walk->lines, &step);
#endif
    return qdi_trail_lines_go_portable(&walk->lines, &step);
}

/// Copies the trails of the bodies with indices from `begin` on, back to where each came into the world.
static void copy_trails_from(const trail_job *job, trail_list *list, size_t begin, trail_walk *walk) {
    begin_walk(job, begin, walk);
    for (;;) {
        int32_t most = 0;
        for (size_t i = 0; i < QDI_TRAIL_LINES; ++i) {
            if (i + AHEAD < QDI_TRAIL_LINES) ask_for_places(job, walk, i + AHEAD);
            const int32_t count = list_places(job, walk, i);
            if (count > most) most = count;
        }
        for (size_t k = 1; k <= (size_t)most; ++k) keep_lines(job, list, walk, go_on(job, walk, k));
        if (most < PLACES) break;
        for (size_t i = 0; i < QDI_TRAIL_LINES; ++i) push_lines(walk, list, i);
        memcpy(walk->x[0], walk->x[PLACES], sizeof walk->x[0]);
        memcpy(walk->y[0], walk->y[PLACES], sizeof walk->y[0]);
    }
    memset(walk->places, 0, sizeof walk->places);
    keep_lines(job, list, walk, go_on(job, walk, 1)); // all end
    for (size_t i = 0; i < QDI_TRAIL_LINES; ++i) push_lines(walk, list, i);
}

/// Copies the trails of a block of bodies.
static void copy_trails_range(void *context, size_t begin, size_t end) {
    const trail_job *job = context;
    const size_t block = begin / BLOCK;
    trail_list list = {.room = job->block_room};
    if (list.room > 0) list.pieces = job->pieces + block * list.room; // else there may be no place
    trail_walk walk;
    memset(&walk, 0, offsetof(trail_walk, pieces)); // places that are not there must be numbers
    for (size_t i = begin; i < end; i += QDI_TRAIL_LINES) copy_trails_from(job, &list, i, &walk);
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
