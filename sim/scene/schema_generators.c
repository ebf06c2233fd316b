// Keys of a scene: bodies by rule.
#include "sim/scene/schema_shared.h"

/// Where a distribution of radii ends.
#define CUT_KEYS(of)                                                                                         \
    KEY(of ".min", REAL, IN_ITEM(radius.range.x), 0, QDI_FURTHEST, "Smallest radius.", .required = true,     \
        .above = true),                                                                                      \
        KEY(of ".max", REAL, IN_ITEM(radius.range.y), 0, QDI_FURTHEST, "Largest radius.", .required = true,  \
            .above = true)

static const qdi_key keys[] = {
    GROUP_KEY("bodies[].disks", "Disks by rule."),
    COUNT_KEY("bodies[].disks"),
    KEY("bodies[].disks.radius", ONE_OF, IN_ITEM(radius.range.x), 0, QDI_FURTHEST,
        "The same for all, or one of the following.", .plain = QDI_KEY_REAL, .form = IN_ITEM(radius.form),
        .above = true),
    KEY("bodies[].disks.radius.uniform", RANGE, IN_ITEM(radius.range), 0, QDI_FURTHEST,
        "Between the two, each radius as likely as any other.", .above = true),
    GROUP_KEY("bodies[].disks.radius.power",
              "A power law: radii between `min` and `max` with a density that falls as radius^-`exponent`. "
              "With exponent 1 + 1/a and a large `max`, radii are `min` u^-a for u uniform between 0 and 1."),
    KEY("bodies[].disks.radius.power.min", REAL, IN_ITEM(radius.range.x), 0, QDI_FURTHEST, "Smallest radius.",
        .required = true, .above = true),
    KEY("bodies[].disks.radius.power.max", REAL, IN_ITEM(radius.range.y), 0, QDI_FURTHEST, "Largest radius.",
        .required = true, .above = true),
    KEY("bodies[].disks.radius.power.exponent", REAL, IN_ITEM(radius.exponent), -10, 10,
        "0: as `uniform`; 1: every octave of sizes as likely as any other; 3: every octave covers the same "
        "area.",
        .required = true),
    GROUP_KEY("bodies[].disks.radius.normal",
              "A normal distribution, cut off: what is not from `min` to `max` is drawn again."),
    KEY("bodies[].disks.radius.normal.mean", REAL, IN_ITEM(radius.middle), 0, QDI_FURTHEST,
        "Its mean before it is cut off, from `min` to `max`.", .required = true, .above = true),
    KEY("bodies[].disks.radius.normal.deviation", REAL, IN_ITEM(radius.deviation), 0, QDI_FURTHEST,
        "Its standard deviation before it is cut off.", .required = true),
    CUT_KEYS("bodies[].disks.radius.normal"),
    GROUP_KEY("bodies[].disks.radius.lognormal", "A lognormal distribution, cut off in the same way."),
    KEY("bodies[].disks.radius.lognormal.median", REAL, IN_ITEM(radius.middle), 0, QDI_FURTHEST,
        "Its median before it is cut off, from `min` to `max`.", .required = true, .above = true),
    KEY("bodies[].disks.radius.lognormal.sigma", REAL, IN_ITEM(radius.deviation), 0, 100,
        "Standard deviation of the radius' natural logarithm.", .required = true),
    CUT_KEYS("bodies[].disks.radius.lognormal"),
    PLACE_KEYS("bodies[].disks", "disks"),
    VELOCITY_KEYS("bodies[].disks"),
    MASS_KEYS("bodies[].disks", "disk"),
    SPIN_KEYS("bodies[].disks"),
    SURFACE_KEYS("bodies[].disks", IN_ITEM, IN_ITEM_MATERIAL, "it can"),
    GROUP_KEY(
        "bodies[].rects",
        "Rectangles by rule. Placed at random they keep as far from each other as disks around them would."),
    COUNT_KEY("bodies[].rects"),
    KEY("bodies[].rects.size", PAIR, IN_ITEM(size), 0, QDI_FURTHEST, "Width and height.", .above = true),
    KEY("bodies[].rects.rounding", REAL, IN_ITEM(rounding), 0, QDI_FURTHEST,
        "Radius of what is laid around them."),
    SCALE_KEYS("bodies[].rects"),
    ANGLE_KEY("bodies[].rects"),
    PLACE_KEYS("bodies[].rects", "bodies"),
    VELOCITY_KEYS("bodies[].rects"),
    SPIN_KEYS("bodies[].rects"),
    MASS_KEYS("bodies[].rects", "body"),
    SURFACE_KEYS("bodies[].rects", IN_ITEM, IN_ITEM_MATERIAL, "it can"),
    GROUP_KEY("bodies[].capsules", "Capsules by rule: what is within a radius of a line. Placed at random "
                                   "they keep as far from each other as disks around them would."),
    COUNT_KEY("bodies[].capsules"),
    KEY("bodies[].capsules.length", REAL, IN_ITEM(length), 0, QDI_FURTHEST,
        "Of the line; from end to end a capsule is longer by two radii.", .above = true),
    KEY("bodies[].capsules.radius", REAL, IN_ITEM(capsule_radius), 0, QDI_FURTHEST,
        "Of all of them, times `scale`.", .above = true),
    SCALE_KEYS("bodies[].capsules"),
    ANGLE_KEY("bodies[].capsules"),
    PLACE_KEYS("bodies[].capsules", "bodies"),
    VELOCITY_KEYS("bodies[].capsules"),
    SPIN_KEYS("bodies[].capsules"),
    MASS_KEYS("bodies[].capsules", "body"),
    SURFACE_KEYS("bodies[].capsules", IN_ITEM, IN_ITEM_MATERIAL, "it can"),
};

// Scene keys of generators.
qdi_schema_piece qdi_schema_generators(void) {
    return (qdi_schema_piece){keys, sizeof keys / sizeof keys[0]};
}
