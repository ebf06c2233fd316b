// Keys of a scene: polygons by rule.
#include "sim/scene/schema_shared.h"

static const qdi_key keys[] = {
    {.path = "bodies[].polygons",
     .type = QDI_KEY_GROUP,
     .about = "Convex polygons by rule, with their corners on a circle. Placed at random they keep as far "
              "from each other as "
              "disks around them would."},
    COUNT_KEY("bodies[].polygons"),
    {.path = "bodies[].polygons.corners",
     .type = QDI_KEY_INT_PAIR,
     .offset = IN_ITEM(corners),
     .low = 3,
     .high = QD_POLYGON_MAX,
     .about = "Fewest and most corners; each number between them is as likely as any other."},
    {.path = "bodies[].polygons.uneven",
     .type = QDI_KEY_REAL,
     .offset = IN_ITEM(uneven),
     .high = 1,
     .about = "How unevenly the corners lie on the circle: 0, all sides are equal; 1, they are shards."},
    {.path = "bodies[].polygons.radius",
     .type = QDI_KEY_ONE_OF,
     .plain = QDI_KEY_REAL,
     .offset = IN_ITEM(radius.range.x),
     .form = IN_ITEM(radius.form),
     .above = true,
     .high = QDI_FURTHEST,
     .about = "Of that circle: the same for all, or the following."},
    {.path = "bodies[].polygons.radius.uniform",
     .type = QDI_KEY_RANGE,
     .offset = IN_ITEM(radius.range),
     .above = true,
     .high = QDI_FURTHEST,
     .about = "Between the two, each as likely as any other."},
    ANGLE_KEY("bodies[].polygons"),
    PLACE_KEYS("bodies[].polygons", "bodies"),
    VELOCITY_KEYS("bodies[].polygons"),
    SPIN_KEYS("bodies[].polygons"),
    MASS_KEYS("bodies[].polygons", "body"),
    SURFACE_KEYS("bodies[].polygons", IN_ITEM),
};

qdi_schema_piece qdi_schema_polygons(void) {
    return (qdi_schema_piece){keys, sizeof keys / sizeof keys[0]};
}
