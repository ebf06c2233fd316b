#pragma once

#include "export/raster/raster.h"
#include "tools/host/json.h"

#include <quadrille/view.h>
#include <quadrille/world.h>

/// A world as the page of a run has it: what a click on a body or a node of its frame is answered with.

enum { QDI_PAGE_BODIES = 10000 }; ///< most bodies of a world that a page has

/// Adds the object of a world to `json`. `area` is where the world is in a picture of this view. Of a world
/// with more than QDI_PAGE_BODIES bodies it has those that the picture shows, then the others, in order of
/// their indices. Errors: those of qd_tree_retrieve, QD_ERR_MEMORY.
///
/// | key | is |
/// |---|---|
/// | step, all | its step, and how many bodies it has |
/// | camera | x0, y0, scale, left, bottom of a qdi_camera |
/// | area | where the world is in the picture: left, top, right, bottom |
/// | period | of x and y, 0 where there is none |
/// | root | of the tree: min x, min y, side |
/// | nodes | parents before children: n bodies in its own list as n, or where it is split as -1 - n |
/// | shapes | of others than disks: rounding, kind (qd_shape_kind), x and y of each corner |
/// | bodies | eleven numbers each: label, node, kind, shape (0 a disk), radius, x, y, angle, vx, vy, spin |
/// | pairs | labels of two bodies whose boxes in the tree overlap, one of them at least among `bodies` |
/// | contacts | five numbers each: label, label (below 0: a wall), impulse, x, y |
QD_MUST_USE qd_status qdi_page_world(const qd_world *world, const qd_view *view, qdi_area area,
                                     qdi_json *json);
