// Keys of a scene: bodies one by one, from files, and polylines.
#include "sim/scene/schema_shared.h"

#include <math.h>

/// The largest number of steps that a double counts exactly.
static const double most_steps = 0x1p53;

/// The name of a column, number `number` of qdi_body_options.
#define COLUMN_KEY(word, number)                                                                             \
    FREE_KEY("bodies[].file.columns." word, NAME, IN_ITEM(file.options.columns[number]),                     \
             "The column that gives it.")

static const qdi_key keys[] = {
    GROUP_KEY("bodies[].polyline", "A line of edges that stand still or turn about a point, solid on both "
                                   "sides, along which bodies slide without catching at the inner corners."),
    NAME_KEY("bodies[].polyline", IN_ITEM),
    ANY_KEY("bodies[].polyline.points", POINTS, IN_ITEM(points), "Its corners, in order.", .required = true),
    FREE_KEY("bodies[].polyline.closed", BOOL, IN_ITEM(closed), "The last corner is joined to the first."),
    KEY("bodies[].polyline.radius", REAL, IN_ITEM(thickness), 0, QDI_FURTHEST, "Half its thickness."),
    ANY_KEY("bodies[].polyline.spin", REAL, IN_ITEM(turning),
            "Angular velocity, counter-clockwise, in radians per time, that all of it turns with, whatever "
            "it meets. 0: it stands still."),
    ANY_KEY("bodies[].polyline.pivot", PAIR_OR_AUTO, IN_ITEM(pivot),
            "The point that it turns about; `auto`: the mean of its corners."),
    ANY_KEY("bodies[].polyline.slide", REAL, IN_ITEM(slide),
            "Speed at which its surface runs round it, counter-clockwise, as that of a belt: to the left "
            "above an "
            "edge, to the right below."),
    SURFACE_KEYS("bodies[].polyline", IN_ITEM, IN_ITEM_MATERIAL, "it can"),
    GROUP_KEY("bodies[].file", "Bodies from a file: CSV, a LAMMPS dump, a LAMMPS data file or extended XYZ."),
    NAME_KEY("bodies[].file", IN_ITEM),
    FREE_KEY("bodies[].file.path", TEXT, IN_ITEM(file.path), "Of the file, from the scene's folder on.",
             .required = true),
    CHOICE_KEY("bodies[].file.format", IN_ITEM(file.options.format), "auto|csv|dump|data|xyz",
               "`auto`: by the ending of its name, else by its first lines."),
    KEY("bodies[].file.frame", ONE_OF, IN_ITEM(file.options.frame), 0, most_steps,
        "Of a dump or of extended XYZ: the number of the frame, counted from 0, or the following.",
        .plain = QDI_KEY_UINT64_OR_LAST, .form = IN_ITEM(file.options.frame_form)),
    KEY("bodies[].file.frame.timestep", UINT64, IN_ITEM(file.options.frame), 0, most_steps,
        "The first frame of this timestep (of extended XYZ: with `Step=` this number)."),
    KEY("bodies[].file.radius", REAL_OR_AUTO, IN_ITEM(file.options.radius), 0, QDI_FURTHEST,
        "Of each disk; `auto`: the file's.", .above = true),
    KEY("bodies[].file.density", REAL_OR_AUTO, IN_ITEM(file.options.density), 0, QDI_FURTHEST,
        "Mass per area; `auto`: the masses or densities of the file, or 1 where it has none.", .above = true),
    KEY("bodies[].file.mass", REAL_OR_AUTO, IN_ITEM(file.options.mass), 0, QDI_HEAVIEST,
        "Of each disk; `auto`: as `density` says.", .above = true),
    GROUP_KEY("bodies[].file.columns", "What the columns of a table are called; `auto`: as usual."),
    COLUMN_KEY("id", 0),
    COLUMN_KEY("shape", 1),
    COLUMN_KEY("kind", 2),
    COLUMN_KEY("x", 3),
    COLUMN_KEY("y", 4),
    COLUMN_KEY("angle", 5),
    COLUMN_KEY("vx", 6),
    COLUMN_KEY("vy", 7),
    COLUMN_KEY("spin", 8),
    COLUMN_KEY("radius", 9),
    COLUMN_KEY("diameter", 10),
    COLUMN_KEY("mass", 11),
    COLUMN_KEY("density", 12),
    FREE_KEY("bodies[].file.hash", HASH, IN_ITEM(file.hash),
             "XXH3-64 of what is read of the file. A file that has become another one is refused.",
             .otherwise = "any"),
    GROUP_KEY("bodies[].run", "The bodies of another run, of any shape, as they were at a step: with their "
                              "motion, mass, material and id."),
    NAME_KEY("bodies[].run", IN_ITEM),
    FREE_KEY("bodies[].run.path", TEXT, IN_ITEM(run.path),
             "The run's directory, or a file with a stored world, from the scene's folder on.",
             .required = true),
    KEY("bodies[].run.step", UINT64_OR_LAST, IN_ITEM(run.step), 0, most_steps,
        "Of a snapshot or checkpoint that the run kept."),
    FREE_KEY("bodies[].run.hash", HASH, IN_ITEM(run.hash),
             "XXH3-64 of the stored world. A run that has another one is refused.", .otherwise = "any"),
    {.path = "bodies[].list",
     .type = QDI_KEY_ITEMS,
     .otherwise = "`[]`",
     .about = "Bodies one by one, where they are put: they may overlap."},
    GROUP_KEY("bodies[].list[]", "A body."),
    NAME_KEY("bodies[].list[]", IN_LISTED),
    CHOICE_KEY("bodies[].list[].shape", IN_LISTED(shape), "disk|rect|capsule|polygon", "What it is."),
    ANY_KEY("bodies[].list[].at", PAIR, IN_LISTED(def.position),
            "Where: its centre; of a polygon the place of its [0, 0].", .required = true),
    SIZE_KEYS("bodies[].list[]", IN_LISTED),
    ANY_KEY("bodies[].list[].angle", REAL, IN_LISTED(def.angle),
            "That it is turned by, in radians, counter-clockwise."),
    ANY_KEY("bodies[].list[].velocity", PAIR_OR_ZERO, IN_LISTED(def.velocity), "At the start."),
    ANY_KEY("bodies[].list[].spin", REAL, IN_LISTED(def.spin),
            "Angular velocity, counter-clockwise, in radians per time."),
    FREE_KEY("bodies[].list[].static", BOOL, IN_LISTED(is_static), "It stays where it is."),
    FREE_KEY("bodies[].list[].kinematic", BOOL, IN_LISTED(is_kinematic),
             "It keeps its velocity and spin, whatever it meets."),
    ANY_KEY("bodies[].list[].pivot", PAIR_OR_AUTO, IN_LISTED(def.pivot),
            "Of a kinematic body: the point that it turns about with its spin; `auto`: its centre, which "
            "moves with its velocity."),
    ANY_KEY(
        "bodies[].list[].slide", REAL, IN_LISTED(def.slide),
        "Of a static or kinematic body: the speed at which its surface runs round it, counter-clockwise, as "
        "that of a belt."),
    DENSITY_KEY("bodies[].list[]", IN_LISTED_BODY),
    KEY("bodies[].list[].mass", REAL_OR_AUTO, IN_LISTED(def.mass), 0, QDI_HEAVIEST,
        "`auto`: from its density and area.", .above = true),
    KEY("bodies[].list[].inertia", REAL_OR_AUTO, IN_LISTED(def.inertia), 0, (double)INFINITY,
        "About its centre; `auto`: from its mass and shape; `.inf`: it never turns.", .above = true),
    FREE_KEY("bodies[].list[].sensor", BOOL, IN_LISTED(def.sensor),
             "Its contacts are reported, but have no effect."),
    FREE_KEY("bodies[].list[].bullet", BOOL, IN_LISTED(def.bullet),
             "Its way is followed in every step, whatever `stepper.continuous` says."),
    SURFACE_KEYS("bodies[].list[]", IN_LISTED_BODY, IN_LISTED_MATERIAL, "it can"),
};

// Scene keys of bodies.
qdi_schema_piece qdi_schema_bodies(void) {
    return (qdi_schema_piece){keys, sizeof keys / sizeof keys[0]};
}
