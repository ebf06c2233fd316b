#include <quadrille/view.h>

#include <math.h>

qd_view qd_view_default(void) {
    return (qd_view){.width = 1280,
                     .height = 768,
                     .colour = QD_VIEW_CONTACT,
                     .speed = (double)NAN,
                     .nodes = QD_VIEW_NODES_DEPTH,
                     .contacts = true,
                     .text = true};
}
