#ifndef QUADRILLE_VIEW_H
#define QUADRILLE_VIEW_H

#include <quadrille/api.h>
#include <stdbool.h>

/// What a frame shows, as the scene's `view:` says. Plain data; the pictures are made elsewhere.
typedef enum qd_view_colour {
    QD_VIEW_CONTACT, ///< bodies with a contact stand out
    QD_VIEW_SPEED,   ///< from still to fast along a continuous map
} qd_view_colour;

typedef enum qd_view_nodes {
    QD_VIEW_NODES_NONE,
    QD_VIEW_NODES_DEPTH, ///< outlines of the tree's nodes, coloured by depth
} qd_view_nodes;

typedef struct qd_view {
    int width, height; ///< pixels, 16..16384 each; default 1280 x 768
    qd_view_colour colour;
    double speed; ///< speed at the top of the colour map, > 0; NaN (`auto`): fixed at frame 0 from the bodies
    qd_view_nodes nodes;
    bool contacts; ///< points and normals
    bool text;     ///< step, time, bodies, contacts, nodes
} qd_view;

/// 1280 x 768, contact, auto, depth, true, true.
QD_API qd_view qd_view_default(void);

#endif
