// Keys of a scene: where bodies come from and where they end while the run goes on.
#include "sim/scene/schema_shared.h"

#include <math.h>

/// In the body that an emitter makes, as it is told of and as it is put into a world.
#define IN_MADE(member)          offsetof(qdi_source, body.member)
#define IN_MADE_BODY(member)     offsetof(qdi_source, body.def.member)
#define IN_MADE_MATERIAL(member) offsetof(qdi_source, body.def.material.member)

static const qdi_key keys[] = {
    {.path = "emitters",
     .type = QDI_KEY_ITEMS,
     .otherwise = "`[]`",
     .about = "A list; each item makes bodies while the run goes on."},
    GROUP_KEY("emitters[]", "A source of bodies, all alike but for their sizes, angles and velocities."),
    FREE_KEY("emitters[].name", NAME, IN_SOURCE(name),
             "What rules (`gone`) call it; emitters of several stages may have the same.",
             .otherwise = "none"),
    ANY_KEY("emitters[].region", REGION, IN_SOURCE(region),
            "Where: x and y of the lower left corner, width, height. The bodies' centres lie inside.",
            .required = true),
    KEY("emitters[].rate", REAL, IN_SOURCE(rate), 0, 1e9, "Bodies per time.", .above = true),
    ANY_KEY("emitters[].start", REAL, IN_SOURCE(start), "Time at which it starts; before 0 counts as 0."),
    KEY("emitters[].stop", REAL, IN_SOURCE(stop), -QDI_FURTHEST, (double)INFINITY, "Time at which it stops."),
    KEY("emitters[].total", UINT64, IN_SOURCE(total), 0, (double)INFINITY, "Most bodies that it makes.",
        .otherwise = "no limit"),
    KEY("emitters[].alive", UINT64, IN_SOURCE(alive), 0, (double)INFINITY,
        "It makes none while there are as many bodies that are neither static nor kinematic.",
        .otherwise = "no limit"),
    FREE_KEY("emitters[].overlap", BOOL, IN_SOURCE(overlap),
             "Bodies are put anywhere in the region, whatever is there. Else none touches another, or a "
             "wall, when it appears."),
    KEY("emitters[].tries", INT, IN_SOURCE(tries), 1, 100000,
        "Places that are tried for each body. One that finds no room is not made, nor made up for later."),
    CHOICE_KEY("emitters[].shape", IN_SOURCE(body.shape), "disk|rect|capsule|polygon", "What they are."),
    SIZE_KEYS("emitters[]", IN_MADE),
    KEY("emitters[].scale", ONE_OF, IN_SOURCE(scale.range.x), 0, QDI_FURTHEST,
        "Times the sizes above: the same for all, or the following.", .plain = QDI_KEY_REAL,
        .form = IN_SOURCE(scale.form), .above = true),
    KEY("emitters[].scale.uniform", RANGE, IN_SOURCE(scale.range), 0, QDI_FURTHEST,
        "Between the two, each as likely as any other.", .above = true),
    ANY_KEY("emitters[].angle", REAL, IN_SOURCE(body.def.angle),
            "That they are turned by, in radians, counter-clockwise."),
    KEY("emitters[].turn", REAL, IN_SOURCE(turn), 0, QDI_FURTHEST,
        "Their angles are more or less by up to this, at random."),
    ANY_KEY("emitters[].velocity", PAIR_OR_ZERO, IN_SOURCE(body.def.velocity), "That they start with."),
    KEY("emitters[].spread", REAL, IN_SOURCE(spread), 0, QDI_FURTHEST,
        "Each component of their velocities is more or less by up to this, at random."),
    ANY_KEY("emitters[].spin", REAL, IN_SOURCE(body.def.spin),
            "Angular velocity, counter-clockwise, in radians per time."),
    DENSITY_KEY("emitters[]", IN_MADE_BODY),
    KEY("emitters[].mass", REAL_OR_AUTO, IN_SOURCE(body.def.mass), 0, QDI_HEAVIEST,
        "Of each body; `auto`: from its density and area.", .above = true),
    SURFACE_KEYS("emitters[]", IN_MADE_BODY, IN_MADE_MATERIAL, "they can"),
    {.path = "sinks",
     .type = QDI_KEY_ITEMS,
     .otherwise = "`[]`",
     .about = "A list; each item is a region where bodies end."},
    GROUP_KEY("sinks[]", "A body whose centre is inside is removed, unless it is static."),
    ANY_KEY("sinks[].region", REGION, IN_DRAIN(region),
            "Where: x and y of the lower left corner, width, height.", .required = true),
    KEY("sinks[].total", UINT64, IN_DRAIN(total), 0, (double)INFINITY, "Most bodies that it takes.",
        .otherwise = "no limit"),
};

// Scene keys of emitters and sinks.
qdi_schema_piece qdi_schema_sources(void) {
    return (qdi_schema_piece){keys, sizeof keys / sizeof keys[0]};
}
