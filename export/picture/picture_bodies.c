// Bodies are copied in blocks of rows, by the world's threads: each block counts what is seen of it, the
// counts are added up, and each writes where the ones before it end. So what comes out does not depend on the
// threads. That rows lie in the order of the tree makes them quick to read and, later, to draw.

#include "core/base/memory.h"
#include "core/parallel/parallel.h"
#include "export/picture/picture_impl.h"
#include "export/raster/figure.h"
#include "export/raster/pixel_math.h"
#include "export/raster/tile.h"
#include "sim/world/world_team.h"

#include <math.h>

enum { BLOCK = 4096, CHUNK = 256 };

// Figures that reach less far than this many pixels from their centre are drawn as disks of their area; lines
// are at least so wide on either side.
static const double smallest_figure = 1.0, smallest_line = 0.6;

// By how much figures with sides are drawn smaller than they are: a part of their size, some pixels at most.
static const double inset_part = 0.08, largest_inset = 0.5;

// A disk's numbers stay where float32 is finer than a tenth of a pixel and whole pixels fit into an int.
static const double largest_radius = 5e5;

// Disks below this radius in pixels do not show how they are turned.
static const double smallest_turned = 7.0;

// The tree finds the bodies that are seen where that is less than this part of the world.
static const double part_by_tree = 0.25;

// What the blocks of a copy share.
typedef struct body_job {
    const qdi_copy *copier;
    const uint32_t *rows; // NULL: all of them
    size_t *first, *first_corner;
    size_t *plain;                     // by block: which of its chunks are, by bit
    qdi_camera camera;                 // the copier's
    double min_x, max_x, min_y, max_y; // of the clip
    double period_x, period_y;         // in pixels, 0: none
    bool narrow;                       // tiles have numbers of 16 bits all over the picture
    bool filled;                       // more than one image of what is seen may be seen
} body_job;

// The images of a body that may be seen: from, to along each axis.
typedef struct images {
    double x, y, radius;
    int from_x, to_x, from_y, to_y;
} images;

// Where a body is in the picture, in pixels.
static images body_on_picture(const body_job *job, size_t row) {
    const qdi_copy *copier = job->copier;
    return (images){.x = qdi_camera_x(&job->camera, copier->bodies.x[row]),
                    .y = qdi_camera_y(&job->camera, copier->bodies.y[row]),
                    .radius = copier->bodies.radius[row] * job->camera.scale};
}

// Picture's bodies: the images of a body that may be seen.
static images body_images(const body_job *job, size_t row) {
    images all = body_on_picture(job, row);
    const qdi_images seen = qdi_picture_images(job->copier, all.x, all.y, all.radius);
    all.from_x = seen.x0;
    all.to_x = seen.x1;
    all.from_y = seen.y0;
    all.to_y = seen.y1;
    return all;
}

// True where an image of a body is within the picture.
static bool image_is_seen(const body_job *job, const images *all, int i, int j) {
    return qdi_disk_visible(&job->copier->picture->clip, all->x + i * job->period_x,
                            all->y + j * job->period_y, all->radius);
}

// Picture's bodies: the shape of a body that is no disk, or NULL.
static const qd_shape *shape_of_row(const qd_body_view *bodies, size_t row) {
    return bodies->shapes && bodies->shape[row] ? bodies->shapes[bodies->shape[row]] : NULL;
}

// Picture's bodies: true where a disk is large enough to show how it is turned.
static bool shows_its_turn(const body_job *job, size_t row, double radius) {
    const qd_body_view *bodies = &job->copier->bodies;
    return radius >= smallest_turned &&
           (bodies->turn_s[row] != 0 || bodies->turn_c[row] != 1 || bodies->spin[row] != 0);
}

// Picture's bodies: how many corners an image of a body needs at most.
static size_t corners_of_body(const body_job *job, size_t row, double radius) {
    const qd_shape *shape = shape_of_row(&job->copier->bodies, row);
    if (!shape) return shows_its_turn(job, row, radius) ? 1 : 0;
    return radius < smallest_figure ? 0 : (size_t)qdi_figure_corners(shape) + QDI_FIGURE_CUTS;
}

// Picture's bodies: true where all of a body is seen, and nothing of an image: what most bodies are.
static bool is_inside_clip(const body_job *job, const images *all) {
    double reach = all->radius + 2.0;
    return !job->filled & (all->x - reach >= job->min_x) & (all->x + reach <= job->max_x) &
           (all->y - reach >= job->min_y) & (all->y + reach <= job->max_y);
}

// The ends of what a chunk of bodies reaches over: eight of each, for neighbours to be compared side by side.
enum { SIDES = 8 };
typedef struct chunk_ends {
    double low_x[SIDES], high_x[SIDES], low_y[SIDES], high_y[SIDES], radius[SIDES];
} chunk_ends;

// Picture's bodies: moves ends out to further bodies, one for each.
static inline void move_ends(chunk_ends *restrict ends, const double *restrict x, const double *restrict y,
                             const double *restrict radius, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        ends->low_x[i] = x[i] < ends->low_x[i] ? x[i] : ends->low_x[i];
        ends->high_x[i] = x[i] > ends->high_x[i] ? x[i] : ends->high_x[i];
        ends->low_y[i] = y[i] < ends->low_y[i] ? y[i] : ends->low_y[i];
        ends->high_y[i] = y[i] > ends->high_y[i] ? y[i] : ends->high_y[i];
        ends->radius[i] = radius[i] > ends->radius[i] ? radius[i] : ends->radius[i];
    }
}

// Picture's bodies: true where all bodies of a chunk are disks too small to show how they are turned, and
// inside, also if all were as large as the largest: most chunks of large worlds.
static bool chunk_is_plain(const body_job *job, size_t begin, size_t end) {
    const qd_body_view *bodies = &job->copier->bodies;
    if (job->rows || bodies->shapes || !job->narrow || job->filled) return false;
    chunk_ends ends;
    for (size_t i = 0; i < SIDES; ++i) {
        ends.low_x[i] = ends.high_x[i] = bodies->x[begin];
        ends.low_y[i] = ends.high_y[i] = bodies->y[begin];
        ends.radius[i] = 0.0;
    }
    size_t row = begin;
    for (; row + SIDES <= end; row += SIDES)
        move_ends(&ends, bodies->x + row, bodies->y + row, bodies->radius + row, SIDES);
    move_ends(&ends, bodies->x + row, bodies->y + row, bodies->radius + row, end - row);
    double largest = 0.0;
    for (size_t i = 0; i < SIDES; ++i) largest = ends.radius[i] > largest ? ends.radius[i] : largest;
    const double radius = largest * job->camera.scale, reach = radius + 2.0;
    bool inside = radius < smallest_turned;
    for (size_t i = 0; i < SIDES; ++i)
        inside = inside && qdi_camera_x(&job->camera, ends.low_x[i]) - reach >= job->min_x &&
                 qdi_camera_x(&job->camera, ends.high_x[i]) + reach <= job->max_x &&
                 qdi_camera_y(&job->camera, ends.high_y[i]) - reach >= job->min_y &&
                 qdi_camera_y(&job->camera, ends.low_y[i]) + reach <= job->max_y;
    return inside;
}

// What a block has so far: where its next body and next corners go, or how many there are.
typedef struct block_place {
    size_t disk, corner;
} block_place;

// Picture's bodies: counts the images and corners of a chunk of bodies.
static void count_chunk_images(const body_job *job, size_t begin, size_t end, block_place *found) {
    for (size_t k = begin; k < end; ++k) {
        size_t row = job->rows ? job->rows[k] : k, here = 0;
        images all = body_on_picture(job, row);
        if (is_inside_clip(job, &all)) {
            found->disk += 1;
            found->corner += corners_of_body(job, row, all.radius);
            continue;
        }
        all = body_images(job, row);
        for (int j = all.from_y; j <= all.to_y; ++j)
            for (int i = all.from_x; i <= all.to_x; ++i) here += image_is_seen(job, &all, i, j);
        found->disk += here;
        if (here > 0) found->corner += here * corners_of_body(job, row, all.radius);
    }
}

// Picture's bodies: where a chunk of a block ends.
static size_t chunk_end(size_t begin, size_t end) {
    return end - begin < CHUNK ? end : begin + CHUNK;
}

// Picture's bodies: counts the images and corners of a block of bodies.
static void count_block_images_range(void *context, size_t begin, size_t end) {
    const body_job *job = context;
    block_place found = {0, 0};
    size_t plain = 0;
    for (size_t k = begin, bit = 1; k < end; k += CHUNK, bit <<= 1) {
        size_t stop = chunk_end(k, end);
        if (chunk_is_plain(job, k, stop)) {
            plain |= bit;
            found.disk += stop - k;
        } else {
            count_chunk_images(job, k, stop, &found);
        }
    }
    job->first[begin / BLOCK] = found.disk;
    job->first_corner[begin / BLOCK] = found.corner;
    job->plain[begin / BLOCK] = plain;
}

// Picture's bodies: sets a disk as it is drawn.
// The disk as it is drawn. One that is much larger than any picture is replaced by a smaller one with the
// same edge at the place nearest to the picture's middle: there both are straight.
static void set_drawn_disk(const body_job *job, double x, double y, double radius, qdi_disk *disk) {
    if (radius > largest_radius) {
        const qdi_area *clip = &job->copier->picture->clip;
        double to_x = x - 0.5 * (clip->min_x + clip->max_x), to_y = y - 0.5 * (clip->min_y + clip->max_y);
        double distance = sqrt(to_x * to_x + to_y * to_y);
        double shrink = distance > 0.0 ? (radius - largest_radius) / distance : 0.0;
        x -= to_x * shrink;
        y -= to_y * shrink;
        radius = largest_radius;
    }
    disk->x = (float)x;
    disk->y = (float)y;
    disk->radius = (float)radius;
}

// Picture's bodies: sets the figure of a body as it is drawn.
// The figure of a body as it is drawn at (x, y): a little smaller than it is, so that boxes that stand side
// by side can be told apart. `corners` is where its corners go.
static void set_drawn_figure(const body_job *job, const qd_shape *shape, size_t row, double x, double y,
                             size_t corner, qdi_disk *disk) {
    const qdi_copy *copier = job->copier;
    double scale = copier->camera.scale, radius = shape->radius * scale;
    double reach = copier->bodies.radius[row] * scale;
    if (reach < smallest_figure) {
        double drawn = sqrt(qd_shape_area(shape) / 3.14159265358979324) * scale;
        set_drawn_disk(job, x, y, drawn > 0 ? drawn : smallest_line, disk);
        return;
    }
    const qd_vec2 turn = {copier->bodies.turn_c[row], copier->bodies.turn_s[row]};
    qdi_corner *corners = copier->picture->corners + corner;
    qdi_corner made[QDI_CORNERS_MAX];
    int count = qdi_figure_make(shape, (qd_vec2){x, y}, turn, scale, copier->picture->clip, radius + 64.0,
                                made);
    for (int i = 0; i < count; ++i) corners[i] = made[i];
    if (count == 0) { // nothing of it is in the picture
        set_drawn_disk(job, copier->picture->clip.min_x - 64.0, copier->picture->clip.min_y - 64.0, 1, disk);
        return;
    }
    double inset = inset_part * reach;
    if (count > 2) radius -= inset < largest_inset ? inset : largest_inset;
    if (count <= 2 && radius < smallest_line) radius = smallest_line;
    disk->x = (float)x;
    disk->y = (float)y;
    disk->radius = (float)radius;
    disk->corners = (uint8_t)count;
    disk->first_corner = (uint32_t)corner;
}

// Picture's bodies: sets which tile the body is in.
static void set_tile_of_disk(const body_job *job, double radius, qdi_disk *disk) {
    const qdi_area *clip = &job->copier->picture->clip;
    // Of a figure, `radius` is all that it reaches; a disk drawn for a line may be larger.
    float reach = qdi_tile_reach(qdi_larger_float((float)radius, disk->radius)),
          x = disk->x - (float)clip->min_x, y = disk->y - (float)clip->min_y;
    float left = x - reach, right = x + reach, top = y - reach, bottom = y + reach;
    disk->wide = true;
    if (!(left >= 0.0F) || !(top >= 0.0F) || right >= 65000.0F || bottom >= 65000.0F) return;
    unsigned column = (unsigned)left / QDI_TILE_SIDE, row = (unsigned)top / QDI_TILE_SIDE;
    if ((unsigned)right / QDI_TILE_SIDE != column || (unsigned)bottom / QDI_TILE_SIDE != row) return;
    if (right > (float)(clip->max_x - clip->min_x) || bottom > (float)(clip->max_y - clip->min_y)) return;
    disk->wide = false;
    disk->column = (uint16_t)column;
    disk->row = (uint16_t)row;
}

// Writes an image of a body to the picture.
static void write_body_image(const body_job *job, size_t row, double x, double y, double radius,
                             block_place *next) {
    const qdi_copy *copier = job->copier;
    const qd_body_view *bodies = &copier->bodies;
    qdi_disk disk = {.index = bodies->index[row], .hue = (uint8_t)qdi_shade_hue(&copier->shade, row)};
    const qd_shape *shape = shape_of_row(bodies, row);
    if (shape)
        set_drawn_figure(job, shape, row, x, y, next->corner, &disk);
    else
        set_drawn_disk(job, x, y, radius, &disk);
    if (!shape && shows_its_turn(job, row, radius)) {
        disk.turned = true;
        disk.first_corner = (uint32_t)next->corner;
        copier->picture->corners[next->corner] = (qdi_corner){(float)bodies->turn_c[row],
                                                              -(float)bodies->turn_s[row]};
    }
    set_tile_of_disk(job, radius, &disk);
    next->corner += corners_of_body(job, row, radius);
    copier->picture->disks[next->disk++] = disk;
}

// A plain chunk, column by column, which compilers turn into vectors.
typedef struct plain_chunk {
    float x[CHUNK], y[CHUNK], radius[CHUNK];
    uint16_t column[CHUNK], row[CHUNK];
    uint8_t hue[CHUNK], wide[CHUNK];
} plain_chunk;

// Picture's bodies: sets the places and radii of a chunk of plain disks.
static void place_plain_disks(const body_job *job, size_t begin, size_t count, plain_chunk *chunk) {
    const qd_body_view *bodies = &job->copier->bodies;
    const qdi_camera camera = job->camera;
    const double *x = bodies->x + begin, *y = bodies->y + begin, *radius = bodies->radius + begin;
    for (size_t i = 0; i < count; ++i) {
        chunk->x[i] = (float)qdi_camera_x(&camera, x[i]);
        chunk->y[i] = (float)qdi_camera_y(&camera, y[i]);
        chunk->radius[i] = (float)(radius[i] * camera.scale);
    }
}

// Picture's bodies: sets the tiles of a chunk of plain disks, as set_tile_of_disk does.
static void set_tiles_of_plain_disks(const body_job *job, size_t count, plain_chunk *chunk) {
    const float min_x = (float)job->min_x, min_y = (float)job->min_y;
    for (size_t i = 0; i < count; ++i) {
        float reach = qdi_tile_reach(chunk->radius[i]), x = chunk->x[i] - min_x, y = chunk->y[i] - min_y;
        unsigned left = (unsigned)(int)(x - reach) / QDI_TILE_SIDE,
                 right = (unsigned)(int)(x + reach) / QDI_TILE_SIDE;
        unsigned top = (unsigned)(int)(y - reach) / QDI_TILE_SIDE,
                 bottom = (unsigned)(int)(y + reach) / QDI_TILE_SIDE;
        chunk->column[i] = (uint16_t)left;
        chunk->row[i] = (uint16_t)top;
        chunk->wide[i] = (left != right) | (top != bottom);
    }
}

// Writes a chunk of plain disks to the picture.
static void write_plain_chunk(const body_job *job, size_t begin, size_t end, block_place *next) {
    const qdi_copy *copier = job->copier;
    const uint32_t *index = copier->bodies.index + begin;
    qdi_disk *disks = copier->picture->disks + next->disk;
    plain_chunk chunk;
    const size_t count = end - begin;
    qdi_shade_hues(&copier->shade, begin, end, chunk.hue);
    place_plain_disks(job, begin, count, &chunk);
    set_tiles_of_plain_disks(job, count, &chunk);
    for (size_t i = 0; i < count; ++i)
        disks[i] = (qdi_disk){.x = chunk.x[i],
                              .y = chunk.y[i],
                              .radius = chunk.radius[i],
                              .index = index[i],
                              .hue = chunk.hue[i],
                              .wide = chunk.wide[i],
                              .column = chunk.column[i],
                              .row = chunk.row[i]};
    next->disk += count;
}

// Writes all images of a chunk of bodies to the picture.
static void write_chunk_images(const body_job *job, size_t begin, size_t end, block_place *next) {
    for (size_t k = begin; k < end; ++k) {
        size_t row = job->rows ? job->rows[k] : k;
        images all = body_on_picture(job, row);
        if (is_inside_clip(job, &all)) {
            write_body_image(job, row, all.x, all.y, all.radius, next);
            continue;
        }
        all = body_images(job, row);
        for (int j = all.from_y; j <= all.to_y; ++j)
            for (int i = all.from_x; i <= all.to_x; ++i)
                if (image_is_seen(job, &all, i, j))
                    write_body_image(job, row, all.x + i * job->period_x, all.y + j * job->period_y,
                                     all.radius, next);
    }
}

// Writes all images of a block of bodies to the picture.
static void write_block_images_range(void *context, size_t begin, size_t end) {
    const body_job *job = context;
    block_place next = {job->first[begin / BLOCK], job->first_corner[begin / BLOCK]};
    size_t plain = job->plain[begin / BLOCK];
    for (size_t k = begin; k < end; k += CHUNK, plain >>= 1) {
        if (plain & 1)
            write_plain_chunk(job, k, chunk_end(k, end), &next);
        else
            write_chunk_images(job, k, chunk_end(k, end), &next);
    }
}

// ---- which bodies ----

// Notes a body that the tree found in the picture.
static bool note_seen_body(void *context, qd_body_index body, qd_image image) {
    (void)image;
    qdi_copy *copier = context;
    copier->picture->seen[copier->picture->seen_count++] = copier->bodies.row_of_index[body];
    return true;
}

// Picture's bodies: asks the tree which bodies may be seen. False where all may be, or where the tree cannot
// tell.
static bool find_seen_bodies(qdi_copy *copier) {
    qdi_picture *picture = copier->picture;
    const qdi_area *clip = &picture->clip;
    const qd_world_def *world = &copier->world;
    double scale = copier->camera.scale, wide = (clip->max_x - clip->min_x) / scale,
           high = (clip->max_y - clip->min_y) / scale;
    if (!(wide * high < part_by_tree * world->size.x * world->size.y)) return false;
    if (qdi_world_is_behind(copier->from)) return false;
    copier->status = qdi_reserve(picture->allocator, &picture->seen, &picture->seen_room, 0,
                                 copier->bodies.count, sizeof *picture->seen);
    if (copier->status != QD_OK) return false;
    // The tree's numbers are relative to the world's centre. Two pixels more, as for all that may be seen.
    double left = copier->camera.x0 + (clip->min_x - copier->camera.left - 2.0) / scale;
    double bottom = copier->camera.y0 - (clip->max_y - copier->camera.bottom + 2.0) / scale;
    double centre_x = world->origin.x + 0.5 * world->size.x, centre_y = world->origin.y + 0.5 * world->size.y;
    double min_x = left - centre_x, min_y = bottom - centre_y, more = 4.0 / scale;
    const qd_box box = {qd_float_below(min_x), qd_float_below(min_y), qd_float_above(min_x + wide + more),
                        qd_float_above(min_y + high + more)};
    picture->seen_count = 0;
    return qd_tree_range(qd_world_tree(copier->from), box, note_seen_body, copier) == QD_OK;
}

void qdi_picture_bodies(qdi_copy *copier) {
    qdi_picture *picture = copier->picture;
    picture->disk_count = picture->corner_count = 0;
    if (copier->status != QD_OK || copier->view->colour == QD_VIEW_HIDDEN) return;
    bool some = find_seen_bodies(copier);
    size_t count = some ? picture->seen_count : copier->bodies.count, blocks = qdi_range_count(count, BLOCK);
    if (copier->status == QD_OK)
        copier->status = qdi_reserve(picture->allocator, &picture->blocks, &picture->block_room, 0,
                                     3 * blocks + 1, sizeof *picture->blocks);
    if (copier->status != QD_OK || count == 0) return;
    body_job job = {.copier = copier,
                    .rows = some ? picture->seen : NULL,
                    .first = picture->blocks,
                    .first_corner = picture->blocks + blocks,
                    .plain = picture->blocks + 2 * blocks,
                    .period_x = copier->period_x,
                    .period_y = copier->period_y};
    const qdi_area *clip = &picture->clip;
    job.camera = copier->camera;
    job.narrow = clip->max_x - clip->min_x < 65000 && clip->max_y - clip->min_y < 65000;
    job.min_x = clip->min_x, job.max_x = clip->max_x, job.min_y = clip->min_y, job.max_y = clip->max_y;
    job.filled = (job.period_x > 0 && clip->max_x - clip->min_x > job.period_x + 1.0) ||
                 (job.period_y > 0 && clip->max_y - clip->min_y > job.period_y + 1.0);
    qd_team *team = qdi_world_team(copier->from);
    qdi_team_for(team, count, BLOCK, count_block_images_range, &job);
    picture->disk_count = qdi_exclusive_scan(job.first, blocks);
    picture->corner_count = qdi_exclusive_scan(job.first_corner, blocks);
    copier->status = qdi_reserve(picture->allocator, &picture->disks, &picture->disk_room, 0,
                                 picture->disk_count, sizeof *picture->disks);
    if (copier->status == QD_OK)
        copier->status = qdi_reserve(picture->allocator, &picture->corners, &picture->corner_room, 0,
                                     picture->corner_count, sizeof *picture->corners);
    if (copier->status == QD_OK)
        qdi_team_for(team, count, BLOCK, write_block_images_range, &job);
    else
        picture->disk_count = picture->corner_count = 0;
}
