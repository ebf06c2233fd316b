#pragma once

#include "export/picture/picture.h"
#include "export/raster/tile.h"

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <quadrille/team.h>
#include <stddef.h>
#include <stdint.h>

/// Tile binning: sorts the bodies of a picture by tile and draws tile by tile, so tiles can be drawn by any
/// number of threads, and a tile's pixels stay in the cache. Pixels are the same for any number of threads
/// and any order of the bodies.

/// The runs of all tiles: as they are found, and tile by tile.
typedef struct qdi_tile_runs {
    qdi_tile_run *found, *list;
    size_t found_count, found_room, list_room;
    size_t *first; ///< by tile of the picture: where its list begins, once they are sorted where it ends
    size_t first_room;
    uint32_t *last; ///< by tile: one more than the number of the last run that was found, 0 for none
    size_t last_room;
} qdi_tile_runs;

typedef struct qdi_tile_bins {
    const qd_allocator *allocator;
    qd_team *team;   ///< the threads that draw; NULL: the caller alone
    qdi_tile *tiles; ///< one for each thread
    size_t tile_count;
    qdi_tile_runs bodies, trails;
    qd_status status; ///< the first failure in a picture
} qdi_tile_bins;

/// Picture's tiles: `team` is not freed with the bins, and must be idle when it draws. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_tile_bins_create(const qd_allocator *allocator, qd_team *team, qdi_tile_bins *bins);

/// Picture's tiles: one that is all zero is fine.
void qdi_tile_bins_destroy(qdi_tile_bins *bins);

/// Draws the picture's trails and bodies over what is there, within the raster's clip. Memory is kept from
/// picture to picture. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_tile_bins_draw(qdi_tile_bins *bins, const qdi_picture *picture, qdi_raster *raster);
