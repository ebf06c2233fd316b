// Tile binning, a counting sort by tile of runs of bodies that lie in one: most bodies are small, and
// neighbours in the world follow each other. A body that reaches into several tiles is in the list of each on
// its own.
#include "export/picture/tile_bins.h"

#include "core/base/memory.h"
#include "core/parallel/parallel.h"
#include "export/raster/pixel_math.h"
#include "export/raster/trail_tile.h"

#include <string.h>

qd_status qdi_tile_bins_create(const qd_allocator *allocator, qd_team *team, qdi_tile_bins *bins) {
    *bins = (qdi_tile_bins){.allocator = allocator, .team = team};
    bins->tile_count = team ? (size_t)qd_team_threads(team) : 1;
    bins->tiles = qdi_allocate(allocator, bins->tile_count, sizeof *bins->tiles);
    if (!bins->tiles) return QD_ERR_MEMORY;
    for (size_t i = 0; i < bins->tile_count; ++i) {
        bins->tiles[i].stencils = NULL;
        bins->tiles[i].simd = qd_simd_best();
    }
    qd_status status = QD_OK;
    for (size_t i = 0; status == QD_OK && i < bins->tile_count; ++i)
        status = qdi_stencils_create(allocator, &bins->tiles[i].stencils);
    if (status != QD_OK) qdi_tile_bins_destroy(bins);
    return status;
}

// Frees the lists of runs.
static void destroy_runs(const qd_allocator *allocator, qdi_tile_runs *runs) {
    qdi_release(allocator, runs->first, runs->first_room, sizeof *runs->first);
    qdi_release(allocator, runs->found, runs->found_room, sizeof *runs->found);
    qdi_release(allocator, runs->list, runs->list_room, sizeof *runs->list);
    qdi_release(allocator, runs->last, runs->last_room, sizeof *runs->last);
}

void qdi_tile_bins_destroy(qdi_tile_bins *bins) {
    for (size_t i = 0; bins->tiles && i < bins->tile_count; ++i)
        qdi_stencils_destroy(bins->allocator, bins->tiles[i].stencils);
    qdi_release(bins->allocator, bins->tiles, bins->tile_count, sizeof *bins->tiles);
    destroy_runs(bins->allocator, &bins->bodies);
    destroy_runs(bins->allocator, &bins->trails);
    *bins = (qdi_tile_bins){0};
}

// The grid of tiles over the part of a picture that is drawn.
typedef struct tile_grid {
    qdi_area clip;
    int columns, rows;
} tile_grid;

// The tiles that a body's box meets: both ends included, `to` before `from` where it meets none.
typedef struct tile_span {
    int from_x, to_x, from_y, to_y;
} tile_span;

// Picture's tiles: the number of the tile that a pixel is in, along an axis.
static int tile_of_pixel(float place, int low, int tiles) {
    const float tile = qdi_larger_float((place - (float)low) * (1.0F / QDI_TILE_SIDE), 0.0F);
    return (int)qdi_smaller_float(tile, (float)(tiles - 1));
}

// Picture's tiles: the tiles that a box in pixels overlaps.
static tile_span tiles_of_box(const tile_grid *grid, float left, float top, float right, float bottom) {
    const qdi_area *clip = &grid->clip;
    if (right <= (float)clip->min_x || left >= (float)clip->max_x || bottom <= (float)clip->min_y ||
        top >= (float)clip->max_y)
        return (tile_span){0, -1, 0, -1};
    return (tile_span){
        tile_of_pixel(left, clip->min_x, grid->columns), tile_of_pixel(right, clip->min_x, grid->columns),
        tile_of_pixel(top, clip->min_y, grid->rows), tile_of_pixel(bottom, clip->min_y, grid->rows)};
}

// Picture's tiles: the tiles that a body overlaps.
static tile_span tiles_of_body(const tile_grid *grid, const qdi_picture *picture, const qdi_disk *disk) {
    float left = disk->x, right = disk->x, top = disk->y, bottom = disk->y;
    float reach = qdi_tile_reach(disk->radius);
    if (disk->corners > 0) {
        reach = qdi_figure_reach(disk->radius);
        const qdi_corner *corner = picture->corners + disk->first_corner;
        left = right = corner[0].x;
        top = bottom = corner[0].y;
        for (int i = 1; i < disk->corners; ++i) {
            if (corner[i].x < left) left = corner[i].x;
            if (corner[i].x > right) right = corner[i].x;
            if (corner[i].y < top) top = corner[i].y;
            if (corner[i].y > bottom) bottom = corner[i].y;
        }
    }
    return tiles_of_box(grid, left - reach, top - reach, right + reach, bottom + reach);
}

// Picture's tiles: adds a run to those of a tile, in the order in which they are found.
static void add_run(qdi_tile_bins *bins, qdi_tile_runs *runs, size_t tile, size_t begin, size_t end) {
    if (runs->found_count == runs->found_room && bins->status == QD_OK)
        bins->status = qdi_reserve(bins->allocator, &runs->found, &runs->found_room, runs->found_count,
                                   runs->found_count + 1, sizeof *runs->found);
    if (bins->status != QD_OK) return;
    runs->found[runs->found_count++] = (qdi_tile_run){(uint32_t)tile, (uint32_t)begin, (uint32_t)end};
    runs->first[tile] += 1;
}

// Picture's tiles: adds what may reach into several tiles to each of them.
static void add_wide(qdi_tile_bins *bins, qdi_tile_runs *runs, const tile_grid *grid, tile_span span,
                     size_t number) {
    for (int y = span.from_y; y <= span.to_y; ++y)
        for (int x = span.from_x; x <= span.to_x; ++x)
            add_run(bins, runs, (size_t)y * (size_t)grid->columns + (size_t)x, number, number);
}

// Picture's tiles: finds the runs of disks that lie in one tile, for neighbours in the picture's list are
// neighbours in the world, mostly. A wide disk does not end a run.
static void find_runs(qdi_tile_bins *bins, const qdi_picture *picture, const tile_grid *grid, size_t tiles) {
    const size_t columns = (size_t)grid->columns;
    size_t begin = 0, tile = tiles;
    for (size_t i = 0; i < picture->disk_count; ++i) {
        const qdi_disk *disk = &picture->disks[i];
        if (disk->wide) {
            add_wide(bins, &bins->bodies, grid, tiles_of_body(grid, picture, disk), i);
            continue;
        }
        const size_t here = disk->row * columns + disk->column;
        if (here == tile) continue;
        if (tile < tiles) add_run(bins, &bins->bodies, tile, begin, i);
        begin = i;
        tile = here;
    }
    if (tile < tiles) add_run(bins, &bins->bodies, tile, begin, picture->disk_count);
}

// Picture's tiles: adds a piece of a trail to a tile: to its last run, if that ends with the piece before.
static void add_trail(qdi_tile_bins *bins, size_t tile, size_t number) {
    qdi_tile_runs *runs = &bins->trails;
    const uint32_t last = runs->last[tile];
    if (last > 0 && runs->found[last - 1].end == number) {
        runs->found[last - 1].end += 1;
    } else {
        add_run(bins, runs, tile, number, number + 1);
        runs->last[tile] = (uint32_t)runs->found_count;
    }
}

// Picture's tiles: adds a piece of a trail to the tiles that it comes near, row by row of them.
static void add_wide_trail(qdi_tile_bins *bins, const tile_grid *grid, tile_span span, const qdi_trail *piece,
                           size_t number) {
    const float along_x = piece->x1 - piece->x0, along_y = piece->y1 - piece->y0;
    const float inverse = span.from_y < span.to_y && along_y != 0.0F ? 1.0F / along_y : 0.0F;
    for (int y = span.from_y; y <= span.to_y; ++y) {
        // From where it comes near the row to where it leaves it; all of it where it is level, or in one row.
        const float top = (float)(grid->clip.min_y + y * QDI_TILE_SIDE) - piece->y0 - QDI_TRAIL_REACH,
                    bottom = top + QDI_TILE_SIDE + 2.0F * QDI_TRAIL_REACH;
        float a = 0.0F, b = 1.0F;
        if (inverse != 0.0F) {
            a = qdi_larger_float(qdi_smaller_float(top * inverse, bottom * inverse), 0.0F);
            b = qdi_smaller_float(qdi_larger_float(top * inverse, bottom * inverse), 1.0F);
        }
        const float x0 = piece->x0 + a * along_x, x1 = piece->x0 + b * along_x;
        const int from = tile_of_pixel(qdi_smaller_float(x0, x1) - QDI_TRAIL_REACH - 0.5F, grid->clip.min_x,
                                       grid->columns),
                  to = tile_of_pixel(qdi_larger_float(x0, x1) + QDI_TRAIL_REACH + 0.5F, grid->clip.min_x,
                                     grid->columns);
        for (int x = from; x <= to; ++x)
            add_trail(bins, (size_t)y * (size_t)grid->columns + (size_t)x, number);
    }
}

// The ends of a piece of a trail, side by side: x0, y0, x1, y1; and of each whether something is so.
typedef float piece_ends __attribute__((vector_size(4 * sizeof(float))));
typedef int64_t end_pairs __attribute__((vector_size(2 * sizeof(int64_t))));

// The part of a tile whose pieces of trails reach into no other.
typedef struct tile_inside {
    piece_ends low, high;
    size_t tile;
} tile_inside;

// Picture's tiles: the inside of the tile that a pixel is in.
static tile_inside inside_of_tile(const tile_grid *grid, float pixel_x, float pixel_y) {
    const int x = tile_of_pixel(pixel_x, grid->clip.min_x, grid->columns),
              y = tile_of_pixel(pixel_y, grid->clip.min_y, grid->rows);
    const float left = (float)(grid->clip.min_x + x * QDI_TILE_SIDE) + QDI_TRAIL_REACH,
                top = (float)(grid->clip.min_y + y * QDI_TILE_SIDE) + QDI_TRAIL_REACH,
                side = QDI_TILE_SIDE - 2.0F * QDI_TRAIL_REACH;
    return (tile_inside){{left, top, left, top},
                         {left + side, top + side, left + side, top + side},
                         (size_t)y * (size_t)grid->columns + (size_t)x};
}

// Picture's tiles: true where both ends of a piece of a trail are inside.
static inline bool is_inside(const tile_inside *inside, const qdi_trail *piece) {
    piece_ends ends;
    memcpy(&ends, &piece->x0, sizeof ends);
    const end_pairs are = (end_pairs)(ends >= inside->low) & (end_pairs)(ends < inside->high);
    return (are[0] & are[1]) == -1;
}

/// Tiles of which a piece of a trail is better in one too many than looked for in each.
enum { FEW_TILES = 4 };

// Picture's tiles: finds the runs of pieces of trails that come near the same tile: those of a body follow
// each other in the picture's list, mostly.
static void find_trail_runs(qdi_tile_bins *bins, const qdi_picture *picture, const tile_grid *grid) {
    tile_inside inside = inside_of_tile(grid, 0.0F, 0.0F);
    for (size_t i = 0; i < picture->trail_count && bins->status == QD_OK; ++i) {
        const qdi_trail *piece = &picture->trails[i];
        if (is_inside(&inside, piece)) {
            add_trail(bins, inside.tile, i);
            continue;
        }
        const tile_span span = tiles_of_box(grid, qdi_smaller_float(piece->x0, piece->x1) - QDI_TRAIL_REACH,
                                            qdi_smaller_float(piece->y0, piece->y1) - QDI_TRAIL_REACH,
                                            qdi_larger_float(piece->x0, piece->x1) + QDI_TRAIL_REACH,
                                            qdi_larger_float(piece->y0, piece->y1) + QDI_TRAIL_REACH);
        if ((span.to_x - span.from_x + 1) * (span.to_y - span.from_y + 1) > FEW_TILES)
            add_wide_trail(bins, grid, span, piece, i);
        else
            for (int y = span.from_y; y <= span.to_y; ++y)
                for (int x = span.from_x; x <= span.to_x; ++x)
                    add_trail(bins, (size_t)y * (size_t)grid->columns + (size_t)x, i);
        inside = inside_of_tile(grid, piece->x1, piece->y1);
    }
}

// Picture's tiles: begins the lists of runs.
static void begin_runs(qdi_tile_bins *bins, qdi_tile_runs *runs, size_t tiles) {
    if (bins->status == QD_OK)
        bins->status = qdi_reserve(bins->allocator, &runs->first, &runs->first_room, 0, tiles + 1,
                                   sizeof *runs->first);
    if (bins->status == QD_OK)
        bins->status = qdi_reserve(bins->allocator, &runs->last, &runs->last_room, 0, tiles,
                                   sizeof *runs->last);
    if (bins->status != QD_OK) return;
    memset(runs->first, 0, (tiles + 1) * sizeof *runs->first);
    memset(runs->last, 0, tiles * sizeof *runs->last);
    runs->found_count = 0;
}

// Picture's tiles: sorts runs by tile.
// Afterwards first[k] is where the list of tile k ends.
static void sort_runs(qdi_tile_bins *bins, qdi_tile_runs *runs, size_t tiles) {
    if (bins->status == QD_OK)
        bins->status = qdi_reserve(bins->allocator, &runs->list, &runs->list_room, 0, runs->found_count,
                                   sizeof *runs->list);
    if (bins->status != QD_OK) return;
    (void)qdi_exclusive_scan(runs->first, tiles);
    for (size_t i = 0; i < runs->found_count; ++i)
        runs->list[runs->first[runs->found[i].tile]++] = runs->found[i];
}

typedef struct draw_job {
    const qdi_tile_bins *bins;
    const qdi_picture *picture;
    qdi_raster *raster;
    tile_grid grid;
} draw_job;

// Picture's tiles: draws a body on a tile.
static void draw_body_on_tile(const qdi_picture *picture, const qdi_disk *disk, qdi_tile *tile) {
    const qdi_brush brush = {disk->index, disk->hue};
    if (disk->corners > 0)
        qdi_tile_figure(tile, picture->corners + disk->first_corner, disk->corners, disk->radius, brush);
    else
        qdi_tile_disk(tile, disk->x, disk->y, disk->radius,
                      disk->turned ? picture->corners[disk->first_corner] : (qdi_corner){0, 0}, brush);
}

// Picture's tiles: draws a run of bodies on a tile, or puts those far below a pixel aside: returns how many
// are there.
static int draw_run(const qdi_picture *picture, const qdi_tile_run *run, int aside, qdi_tile *tile,
                    qdi_splats *splats) {
    const bool alone = run->begin == run->end;
    for (size_t i = run->begin; i < run->end + alone; ++i) {
        const qdi_disk *disk = &picture->disks[i];
        if (disk->wide != alone) continue;
        if (disk->corners > 0 || disk->radius >= QDI_SPLAT_BELOW) {
            draw_body_on_tile(picture, disk, tile);
            continue;
        }
        splats->x[aside] = disk->x;
        splats->y[aside] = disk->y;
        splats->radius[aside] = disk->radius;
        splats->hue[aside] = disk->hue;
        if (++aside < QDI_SPLAT_BATCH) continue;
        splats->count = aside;
        qdi_tile_splats(tile, splats);
        aside = 0;
    }
    return aside;
}

/// Picture's tiles: how many runs before they are needed they are asked for.
enum { AHEAD = 4 };

// Picture's tiles: where the list of a tile begins, and how much it has.
static size_t list_of_tile(const qdi_tile_runs *runs, size_t number, size_t *count) {
    const size_t begin = number > 0 ? runs->first[number - 1] : 0;
    *count = runs->first[number] - begin;
    return begin;
}

// Picture's tiles: asks for the pixels of a tile, which will be there when they are drawn.
static void ask_for_pixels(const qdi_raster *raster, const qdi_area *area) {
    enum { LINE = 64 }; // bytes of the first cache's lines
    for (int y = area->min_y; y < area->max_y; ++y) {
        const uint8_t *row = raster->pixels + (size_t)y * (size_t)raster->width;
        for (int x = area->min_x; x < area->max_x; x += LINE) __builtin_prefetch(row + x, 1);
        __builtin_prefetch(row + area->max_x - 1, 1);
    }
}

// Picture's tiles: draws the trails of a tile.
static void draw_tile_trails(const draw_job *job, size_t number, qdi_area area, qd_simd simd) {
    size_t count = 0;
    const size_t begin = list_of_tile(&job->bins->trails, number, &count);
    if (count == 0) return;
    const qdi_tile_run *runs = job->bins->trails.list + begin;
    const qdi_trail *pieces = job->picture->trails;
    qdi_trail_tile tile;
    qdi_trail_tile_begin(&tile, area);
    ask_for_pixels(job->raster, &area);
#ifdef __x86_64__
    if (simd >= QD_SIMD_AVX2)
        qdi_trail_tile_add_avx2(&tile, pieces, runs, count);
    else
        qdi_trail_tile_add_portable(&tile, pieces, runs, count);
#else
    (void)simd;
    qdi_trail_tile_add_portable(&tile, pieces, runs, count);
#endif
    qdi_trail_tile_end(&tile, job->raster);
}

// Picture's tiles: draws the bodies of a tile.
static void draw_tile_bodies(const draw_job *job, size_t number, qdi_area area, qdi_tile *tile) {
    const qdi_picture *picture = job->picture;
    size_t count = 0;
    const size_t begin = list_of_tile(&job->bins->bodies, number, &count);
    if (count == 0) return;
    const qdi_tile_run *runs = job->bins->bodies.list + begin;
    qdi_tile_begin(tile, area);
    qdi_splats splats; // whose unused places must hold numbers
    memset(&splats, 0, sizeof splats);
    int aside = 0;
    for (size_t k = 0; k < count; ++k) {
        if (k + AHEAD < count) __builtin_prefetch(picture->disks + runs[k + AHEAD].begin);
        aside = draw_run(picture, &runs[k], aside, tile, &splats);
    }
    splats.count = aside;
    qdi_tile_splats(tile, &splats);
    qdi_tile_end(tile, job->raster);
}

// Picture's tiles: draws tiles [begin, end).
static void draw_tiles_range(void *context, size_t begin, size_t end, int worker) {
    const draw_job *job = context;
    const qdi_area *clip = &job->grid.clip;
    qdi_tile *tile = &job->bins->tiles[worker];
    for (size_t i = begin; i < end; ++i) {
        const int x = clip->min_x + (int)(i % (size_t)job->grid.columns) * QDI_TILE_SIDE;
        const int y = clip->min_y + (int)(i / (size_t)job->grid.columns) * QDI_TILE_SIDE;
        const qdi_area area = {x, y, qdi_smaller_int(x + QDI_TILE_SIDE, clip->max_x),
                               qdi_smaller_int(y + QDI_TILE_SIDE, clip->max_y)};
        draw_tile_trails(job, i, area, tile->simd);
        draw_tile_bodies(job, i, area, tile);
    }
}

qd_status qdi_tile_bins_draw(qdi_tile_bins *bins, const qdi_picture *picture, qdi_raster *raster) {
    const qdi_area *clip = &raster->clip;
    int wide = clip->max_x - clip->min_x, high = clip->max_y - clip->min_y;
    if (wide <= 0 || high <= 0 || (picture->disk_count == 0 && picture->trail_count == 0)) return QD_OK;
    draw_job job = {.bins = bins, .picture = picture, .raster = raster};
    job.grid = (tile_grid){*clip, (wide + QDI_TILE_SIDE - 1) / QDI_TILE_SIDE,
                           (high + QDI_TILE_SIDE - 1) / QDI_TILE_SIDE};
    size_t tiles = (size_t)job.grid.columns * (size_t)job.grid.rows;
    bins->status = QD_OK;
    begin_runs(bins, &bins->bodies, tiles);
    begin_runs(bins, &bins->trails, tiles);
    if (bins->status != QD_OK) return bins->status;
    find_runs(bins, picture, &job.grid, tiles);
    find_trail_runs(bins, picture, &job.grid);
    sort_runs(bins, &bins->bodies, tiles);
    sort_runs(bins, &bins->trails, tiles);
    if (bins->status != QD_OK) return bins->status;
    if (bins->team)
        qdi_team_for_workers(bins->team, tiles, 1, draw_tiles_range, &job);
    else
        draw_tiles_range(&job, 0, tiles, 0);
    return QD_OK;
}
