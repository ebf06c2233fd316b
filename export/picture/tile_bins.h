#ifndef QD_EXPORT_EASEL_H
#define QD_EXPORT_EASEL_H

#include "export/picture/picture.h"
#include "export/raster/tile.h"

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <quadrille/team.h>
#include <stddef.h>
#include <stdint.h>

/// Draws the bodies of a picture tile by tile: each tile knows its bodies, so tiles can be drawn by any
/// number of threads, and a tile's pixels stay in the cache. Pixels are the same for any number of threads
/// and any order of the bodies.

typedef struct qdi_easel {
    const qd_allocator *allocator;
    qd_team *team;   ///< who draws; NULL: the caller alone
    qdi_tile *tiles; ///< one for each thread
    size_t tile_count;
    size_t *first; ///< of each tile of the picture: where its list begins
    size_t first_room;
    uint32_t *list; ///< numbers of the picture's disks, tile by tile
    size_t list_room;
} qdi_easel;

/// `team` is not the easel's to free, and must be idle when it draws. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_easel_create(const qd_allocator *allocator, qd_team *team, qdi_easel *easel);

/// One that is all zero is fine.
void qdi_easel_destroy(qdi_easel *easel);

/// Draws the picture's bodies over what is there, within the raster's clip. Memory is kept from picture to
/// picture. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_easel_draw(qdi_easel *easel, const qdi_picture *picture, qdi_raster *raster);

#endif
