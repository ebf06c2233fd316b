#pragma once

#include <quadrille/view.h>
#include <quadrille/world.h>
#include <stddef.h>
#include <stdint.h>

/// What the colour of a body shows, as a number for each body.

/// Most materials with a colour of their own; further ones have the colour of the last.
#define QDI_MATERIALS_MAX 64

typedef struct qdi_shade {
    qd_view_colour by;
    qd_vec2 range; ///< ends of the map, where it is continuous
    const qd_world *world;
    const qd_tree *tree;
    qd_body_view bodies;
    qd_material materials[QDI_MATERIALS_MAX]; ///< in order of their values, so that no body's number decides
    size_t material_count;
    const uint8_t *lit;     ///< by index: 0 where a body is dim, as static ones are else; NULL: none is
    const qd_vec2 *psi6;    ///< by row: hexatic order, for QD_VIEW_PSI6; NULL: all have none
    const uint8_t *refiled; ///< by index: hues of QD_VIEW_REFILED; NULL: all have faded
} qdi_shade;

/// Prepares the colours for the present state of a world; valid as long as the world does not change. `top`
/// is the top of the map where the view's range is auto. Cost: little, but by material one pass over all
/// bodies.
qdi_shade qdi_shade_of(const qd_view *view, const qd_world *world, double top);

/// The hue of the body in a row. Any thread.
unsigned qdi_shade_hue(const qdi_shade *shade, size_t row);

/// The hues of the bodies in rows [begin, end): the same as one by one, and quicker. Any thread.
void qdi_shade_hues(const qdi_shade *shade, size_t begin, size_t end, uint8_t *hues);

/// The value that is on the map; 0 where colours are no map.
double qdi_shade_value(const qdi_shade *shade, size_t row);

/// A value for the top of the map: three times the root mean square of all speeds or spins, or half of that
/// in which each counts by its square, whichever is more; the largest radius or depth; 1 for hexatic order,
/// and where that is 0.
double qdi_shade_top(const qd_view *view, const qd_world *world);

/// Shade of pixels: the ends of the map of colours: the view's, or 0 and `top`.
qd_vec2 qdi_shade_range(const qd_view *view, double top);

/// The quantity's name.
const char *qdi_shade_name(qd_view_colour by);
