// Keys of a scene: polygons by rule.
#include "sim/scene/schema_shared.h"

static const qdi_key keys[] = {
    GROUP_KEY("bodies[].polygons", "Convex polygons by rule, with their corners on a circle. Placed at "
                                   "random they keep as far from each other as disks around them would."),
    COUNT_KEY("bodies[].polygons"),
    KEY("bodies[].polygons.corners", INT_PAIR, IN_ITEM(corners), 3, QD_POLYGON_MAX,
        "Fewest and most corners; each number between them is as likely as any other."),
    KEY("bodies[].polygons.uneven", REAL, IN_ITEM(uneven), 0, 1,
        "How unevenly the corners lie on the circle: 0, all sides are equal; 1, they are shards."),
    KEY("bodies[].polygons.radius", ONE_OF, IN_ITEM(radius.range.x), 0, QDI_FURTHEST,
        "Of that circle: the same for all, or the following.", .plain = QDI_KEY_REAL,
        .form = IN_ITEM(radius.form), .above = true),
    KEY("bodies[].polygons.radius.uniform", RANGE, IN_ITEM(radius.range), 0, QDI_FURTHEST,
        "Between the two, each as likely as any other.", .above = true),
    ANGLE_KEY("bodies[].polygons"),
    PLACE_KEYS("bodies[].polygons", "bodies"),
    VELOCITY_KEYS("bodies[].polygons"),
    SPIN_KEYS("bodies[].polygons"),
    MASS_KEYS("bodies[].polygons", "body"),
    SURFACE_KEYS("bodies[].polygons", IN_ITEM, IN_ITEM_MATERIAL, "it can"),
};

// Scene keys of polygons.
qdi_schema_piece qdi_schema_polygons(void) {
    return (qdi_schema_piece){keys, sizeof keys / sizeof keys[0]};
}
