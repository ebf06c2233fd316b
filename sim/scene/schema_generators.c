// Keys of a scene: bodies by rule.
#include "sim/scene/schema_shared.h"

#include <math.h>

/// Where a distribution of radii ends.
#define CUT_KEYS(of)                                                                                         \
    {.path = of ".min",                                                                                      \
     .type = QDI_KEY_REAL,                                                                                   \
     .required = true,                                                                                       \
     .offset = IN_ITEM(radius.range.x),                                                                      \
     .above = true,                                                                                          \
     .high = QDI_FURTHEST,                                                                                   \
     .about = "Smallest radius."},                                                                           \
    {                                                                                                        \
        .path = of ".max", .type = QDI_KEY_REAL, .required = true, .offset = IN_ITEM(radius.range.y),        \
        .above = true, .high = QDI_FURTHEST, .about = "Largest radius."                                      \
    }

static const qdi_key keys[] = {
    {.path = "bodies[].disks", .type = QDI_KEY_GROUP, .about = "Disks by rule."},
    COUNT_KEY("bodies[].disks"),
    {.path = "bodies[].disks.radius",
     .type = QDI_KEY_ONE_OF,
     .plain = QDI_KEY_REAL,
     .offset = IN_ITEM(radius.range.x),
     .form = IN_ITEM(radius.form),
     .above = true,
     .high = QDI_FURTHEST,
     .about = "The same for all, or one of the following."},
    {.path = "bodies[].disks.radius.uniform",
     .type = QDI_KEY_RANGE,
     .offset = IN_ITEM(radius.range),
     .above = true,
     .high = QDI_FURTHEST,
     .about = "Between the two, each radius as likely as any other."},
    {.path = "bodies[].disks.radius.power",
     .type = QDI_KEY_GROUP,
     .about =
         "A power law: radii between `min` and `max` with a density that falls as radius^-`exponent`. With "
         "exponent 1 + 1/a and a large `max`, radii are `min` u^-a for u uniform between 0 and 1."},
    {.path = "bodies[].disks.radius.power.min",
     .type = QDI_KEY_REAL,
     .required = true,
     .offset = IN_ITEM(radius.range.x),
     .above = true,
     .high = QDI_FURTHEST,
     .about = "Smallest radius."},
    {.path = "bodies[].disks.radius.power.max",
     .type = QDI_KEY_REAL,
     .required = true,
     .offset = IN_ITEM(radius.range.y),
     .above = true,
     .high = QDI_FURTHEST,
     .about = "Largest radius."},
    {.path = "bodies[].disks.radius.power.exponent",
     .type = QDI_KEY_REAL,
     .required = true,
     .offset = IN_ITEM(radius.exponent),
     .low = -10,
     .high = 10,
     .about =
         "0: as `uniform`; 1: every octave of sizes as likely as any other; 3: every octave covers the same "
         "area."},
    {.path = "bodies[].disks.radius.normal",
     .type = QDI_KEY_GROUP,
     .about = "A normal distribution, cut off: what is not from `min` to `max` is drawn again."},
    {.path = "bodies[].disks.radius.normal.mean",
     .type = QDI_KEY_REAL,
     .required = true,
     .offset = IN_ITEM(radius.middle),
     .above = true,
     .high = QDI_FURTHEST,
     .about = "Its mean before it is cut off, from `min` to `max`."},
    {.path = "bodies[].disks.radius.normal.deviation",
     .type = QDI_KEY_REAL,
     .required = true,
     .offset = IN_ITEM(radius.deviation),
     .high = QDI_FURTHEST,
     .about = "Its standard deviation before it is cut off."},
    CUT_KEYS("bodies[].disks.radius.normal"),
    {.path = "bodies[].disks.radius.lognormal",
     .type = QDI_KEY_GROUP,
     .about = "A lognormal distribution, cut off in the same way."},
    {.path = "bodies[].disks.radius.lognormal.median",
     .type = QDI_KEY_REAL,
     .required = true,
     .offset = IN_ITEM(radius.middle),
     .above = true,
     .high = QDI_FURTHEST,
     .about = "Its median before it is cut off, from `min` to `max`."},
    {.path = "bodies[].disks.radius.lognormal.sigma",
     .type = QDI_KEY_REAL,
     .required = true,
     .offset = IN_ITEM(radius.deviation),
     .high = 100,
     .about = "Standard deviation of the radius' natural logarithm."},
    CUT_KEYS("bodies[].disks.radius.lognormal"),
    PLACE_KEYS("bodies[].disks", "disks"),
    VELOCITY_KEYS("bodies[].disks"),
    MASS_KEYS("bodies[].disks", "disk"),
    SPIN_KEYS("bodies[].disks"),
    SURFACE_KEYS("bodies[].disks", IN_ITEM),
    {.path = "bodies[].rects",
     .type = QDI_KEY_GROUP,
     .about =
         "Rectangles by rule. Placed at random they keep as far from each other as disks around them would."},
    COUNT_KEY("bodies[].rects"),
    {.path = "bodies[].rects.size",
     .type = QDI_KEY_PAIR,
     .offset = IN_ITEM(size),
     .above = true,
     .high = QDI_FURTHEST,
     .about = "Width and height."},
    {.path = "bodies[].rects.rounding",
     .type = QDI_KEY_REAL,
     .offset = IN_ITEM(rounding),
     .high = QDI_FURTHEST,
     .about = "Radius of what is laid around them."},
    SCALE_KEYS("bodies[].rects"),
    ANGLE_KEY("bodies[].rects"),
    PLACE_KEYS("bodies[].rects", "bodies"),
    VELOCITY_KEYS("bodies[].rects"),
    SPIN_KEYS("bodies[].rects"),
    MASS_KEYS("bodies[].rects", "body"),
    SURFACE_KEYS("bodies[].rects", IN_ITEM),
    {.path = "bodies[].capsules",
     .type = QDI_KEY_GROUP,
     .about = "Capsules by rule: what is within a radius of a line. Placed at random they keep as far from "
              "each other as disks around them would."},
    COUNT_KEY("bodies[].capsules"),
    {.path = "bodies[].capsules.length",
     .type = QDI_KEY_REAL,
     .offset = IN_ITEM(length),
     .above = true,
     .high = QDI_FURTHEST,
     .about = "Of the line; from end to end a capsule is longer by two radii."},
    {.path = "bodies[].capsules.radius",
     .type = QDI_KEY_REAL,
     .offset = IN_ITEM(capsule_radius),
     .above = true,
     .high = QDI_FURTHEST,
     .about = "Of all of them, times `scale`."},
    SCALE_KEYS("bodies[].capsules"),
    ANGLE_KEY("bodies[].capsules"),
    PLACE_KEYS("bodies[].capsules", "bodies"),
    VELOCITY_KEYS("bodies[].capsules"),
    SPIN_KEYS("bodies[].capsules"),
    MASS_KEYS("bodies[].capsules", "body"),
    SURFACE_KEYS("bodies[].capsules", IN_ITEM),
};

qdi_schema_piece qdi_schema_generators(void) {
    return (qdi_schema_piece){keys, sizeof keys / sizeof keys[0]};
}
