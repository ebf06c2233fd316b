#include <quadrille/view.h>

#include <math.h>

// All of the world.
static qd_view_camera whole(void) {
    const double nan = (double)NAN;
    return (qd_view_camera){.x = nan,
                            .y = nan,
                            .width = nan,
                            .height = nan,
                            .centre = {nan, nan},
                            .zoom = 1,
                            .follow = QD_VIEW_NOBODY};
}

qd_view qd_view_default(void) {
    const double nan = (double)NAN;
    return (qd_view){.width = 1280,
                     .height = 768,
                     .colour = QD_VIEW_CONTACT,
                     .range = {nan, nan},
                     .speed = nan,
                     .fade = 8,
                     .field_range = {nan, nan},
                     .field_length = nan,
                     .field_cells = {32, 32},
                     .nodes = QD_VIEW_NODES_DEPTH,
                     .contacts = QD_VIEW_CONTACTS_MARKS,
                     .retrieve = QD_VIEW_NOBODY,
                     .text = QD_VIEW_TEXT_DEFAULT,
                     .query = whole(),
                     .camera = whole()};
}
