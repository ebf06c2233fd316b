#pragma once

#include "sim/scene/generate.h"
#include "sim/scene/generate_cells.h"
#include "sim/scene/generate_obstacles.h"
#include "sim/text/number.h"
#include "sim/text/reason.h"

/// What the ways to place bodies share: generate.c has those at random, generate_rows.c those in rows.

/// Room that random placement leaves between two disks, and to walls, as a part of the radii: far more than
/// rounding can take away, far less than anybody can see.
#define QDI_CLEARANCE (1.0 + 1e-9)

/// Where the bodies of a generator may lie along one axis.
typedef struct qdi_interval {
    double low, length;
    bool seam; ///< the whole of a periodic axis: bodies may lie across the seam
} qdi_interval;

/// A placing on its way.
typedef struct qdi_placement {
    const qdi_settings *settings;
    qdi_generated *bodies;
    qdi_cells cells;
    qdi_obstacles obstacles;
    qd_error *error;
} qdi_placement;

/// An item's intervals along x and y.
void qdi_place_intervals(const qdi_settings *settings, const qdi_body_item *item, qdi_interval both[2]);

/// True where a body at a place would be free of all that is there; `room`: times its radius.
bool qdi_place_is_free(const qdi_placement *placing, const qdi_body_item *item, size_t body, qd_vec2 at,
                       double room);

/// A number rounded to three digits behind the point, of small ones to three in all, for messages.
const char *qdi_place_rounded(double value, char text[QDI_NUMBER_ROOM]);

/// The space that all generators of a scene place in.
void qdi_place_extent(const qdi_settings *settings, qdi_cell_axis axis[2]);

/// Rows of a grid, or of cells.
typedef struct qdi_grid_rows {
    qd_vec2 low, room; ///< lower left corner; what there is for each body
    size_t columns;
} qdi_grid_rows;
/// Generator's rows: those of item `number`, of which the largest body's box is `most`. Errors:
/// QD_ERR_INVALID: they do not fit.
QD_MUST_USE qd_status qdi_find_rows(const qdi_placement *placing, size_t number, qd_vec2 most,
                                    qdi_grid_rows *found);
/// Generator's rows: the place of an item's body `k`, counted from 0, and how far body number `body` of the
/// scene, with this box, strays from it where they are cells.
qd_vec2 qdi_place_in_grid(const qdi_grid_rows *rows, size_t k);
qd_vec2 qdi_stray_in_cell(const qdi_body_item *item, uint64_t seed, size_t body, qd_vec2 box, qd_vec2 room);

/// Puts the bodies of item `number`, the first of which is body `first`, into rows as it says. Errors:
/// QD_ERR_INVALID: they do not fit, or overlap what is there.
QD_MUST_USE qd_status qdi_place_rows(qdi_placement *placing, size_t number, size_t first);
