// Keys of a scene: the world, the run, the stepper, contacts and limits.
#include "sim/scene/schema_shared.h"

#include <math.h>

static const char boundaries[] = "reflect|periodic|open";

/// The largest number of steps that a double counts exactly.
static const double most_steps = 0x1p53;

/// How a side moves. `across`, `along`: where its velocity and that of its surface point.
#define WALL_KEYS(side, number, across, along)                                                               \
    GROUP_KEY("world.walls." side, "The " side " side."),                                                    \
        ANY_KEY("world.walls." side ".velocity", REAL, IN_SETTINGS(world.wall_motion[number].velocity),      \
                "Steady, " across "."),                                                                      \
        ANY_KEY("world.walls." side ".amplitude", REAL, IN_SETTINGS(world.wall_motion[number].amplitude),    \
                "Of its shaking: it is moved by amplitude (sin(2 pi frequency t + phase) - sin(phase))."),   \
        KEY("world.walls." side ".frequency", REAL, IN_SETTINGS(world.wall_motion[number].frequency), 0,     \
            QDI_FURTHEST, "Oscillations per time."),                                                         \
        ANY_KEY("world.walls." side ".phase", REAL, IN_SETTINGS(world.wall_motion[number].phase),            \
                "In radians; with -1.5707963267948966 it starts at rest."),                                  \
        ANY_KEY("world.walls." side ".slide", REAL, IN_SETTINGS(world.wall_motion[number].slide),            \
                "Velocity of its surface along itself, " along ": a belt.")

/// The metric that a rule of run.until looks at.
#define METRIC_KEY(of)                                                                                       \
    FREE_KEY(of, METRIC, IN_RULE(metric), "The metric, by its name (docs/metrics.md).", .required = true)

static const qdi_key keys[] = {
    FREE_KEY("name", NAME, IN_SETTINGS(name),
             "Names the run directory. Letters, digits, `_` and `-`, at most 64."),
    GROUP_KEY("world", "The space that the bodies live in."),
    KEY("world.size", PAIR, IN_SETTINGS(world.size), 0, 1e18, "Width and height.", .above = true),
    ANY_KEY("world.origin", PAIR, IN_SETTINGS(world.origin), "Lower left corner."),
    {.path = "world.boundary",
     .type = QDI_KEY_EACH,
     .about =
         "What happens at the sides: `reflect`: walls; `periodic`: what leaves at one side comes in at the "
         "other; `open`: nothing, see `removal`. One word for all sides, or one for each axis."},
    CHOICE_KEY("world.boundary.x", IN_SETTINGS(world.boundary_x), boundaries, "Left and right."),
    CHOICE_KEY("world.boundary.y", IN_SETTINGS(world.boundary_y), boundaries, "Bottom and top."),
    KEY("world.removal", REAL, IN_SETTINGS(world.removal), 0, (double)INFINITY,
        "How far outside of open sides the box of a body must be for the body to be removed; `.inf`: never. "
        "Static bodies stay."),
    GROUP_KEY("world.walls", "How reflecting sides move."),
    WALL_KEYS("left", 0, "to the right", "up"),
    WALL_KEYS("right", 1, "to the right", "up"),
    WALL_KEYS("bottom", 2, "up", "to the right"),
    WALL_KEYS("top", 3, "up", "to the right"),
    GROUP_KEY("world.compress",
              "The world's sides come nearer to its centre and carry dynamic bodies along, whose velocities "
              "stay what they are. Not with open sides, nor with walls that move in the same direction."),
    ANY_KEY("world.compress.rate", PAIR, IN_SETTINGS(world.compression.rate),
            "Part of its width and of its height that the world loses per time; below 0 it grows."),
    GROUP_KEY("world.compress.until", "When that ends: with whichever comes first."),
    KEY("world.compress.until.fraction", REAL, IN_SETTINGS(world.compression.fraction), 0, (double)INFINITY,
        "As soon as the areas of dynamic bodies are this part of the world's; `.inf`: never.", .above = true),
    KEY("world.compress.until.pressure", REAL, IN_SETTINGS(world.compression.pressure), 0, (double)INFINITY,
        "With the first step that begins with this pressure, see docs/metrics.md; `.inf`: never.",
        .above = true),
    ANY_KEY("world.gravity", ONE_OF, IN_SETTINGS(world.gravity),
            "Acceleration of every body, y points up; or the following.", .plain = QDI_KEY_PAIR,
            .form = IN_SETTINGS(gravity_form)),
    GROUP_KEY("world.gravity.towards", "Gravity towards a point."),
    ANY_KEY("world.gravity.towards.at", PAIR, IN_SETTINGS(world.attraction.at),
            "The point. Across periodic sides it pulls by the shorter way.", .required = true),
    ANY_KEY("world.gravity.towards.strength", REAL, IN_SETTINGS(world.attraction.strength),
            "Acceleration at distance 1; below 0 it repels.", .required = true),
    CHOICE_KEY("world.gravity.towards.law", IN_SETTINGS(world.attraction.law),
               "constant|inverse|inverse_square",
               "How the acceleration changes with the distance r: `constant`: not at all; `inverse`: as 1/r; "
               "`inverse_square`: as 1/r^2."),
    KEY("world.gravity.towards.softening", REAL, IN_SETTINGS(world.attraction.softening), 0, QDI_FURTHEST,
        "s: r stands for the root of r^2 + s^2, so that nothing is infinite in the centre."),
    GROUP_KEY(
        "world.drag",
        "What slows bodies down, whatever their mass and size; none of it ever turns a velocity round."),
    KEY("world.drag.linear", REAL, IN_SETTINGS(world.drag.linear), 0, QDI_FURTHEST,
        "Acceleration against a velocity v of this times v (per time)."),
    KEY("world.drag.quadratic", REAL, IN_SETTINGS(world.drag.quadratic), 0, QDI_FURTHEST,
        "And of this times v^2 (per length)."),
    KEY("world.drag.spin", REAL, IN_SETTINGS(world.drag.spin), 0, QDI_FURTHEST,
        "Angular acceleration against a spin w of this times w (per time)."),
    ANY_KEY("world.drag.medium", PAIR, IN_SETTINGS(world.drag.medium),
            "Velocity of what the bodies move in: a wind. v is relative to it."),
    KEY("world.drag.temperature", REAL, IN_SETTINGS(world.drag.temperature), 0, QDI_FURTHEST,
        "Temperature of what the bodies move in, as an energy: it pushes them at random, so that `linear` "
        "and `spin` take them there, with m v^2 and I w^2 of this on average per component."),
    GROUP_KEY("run", "How long, how fine, which random numbers."),
    KEY("run.steps", UINT64, IN_SETTINGS(run.steps), 0, most_steps, "Steps to do."),
    KEY("run.dt", REAL, IN_SETTINGS(run.dt), QDI_SHORTEST_STEP, QDI_FURTHEST, "Time that a step takes."),
    KEY("run.seed", UINT64, IN_SETTINGS(run.seed), 0, (double)INFINITY,
        "Of all random numbers: another seed gives other positions, sizes and velocities."),
    KEY("run.until_every", UINT64, IN_SETTINGS(run.until_every), 1, most_steps,
        "The rules of `run.until` are looked at every so many steps, `contact` at each."),
    KEY("run.at_least", UINT64, IN_SETTINGS(run.at_least), 0, most_steps,
        "No rule of `run.until`, and not the end of the last of `stages`, ends the run before this step."),
    {.path = "run.until",
     .type = QDI_KEY_ITEMS,
     .otherwise = "`[]`",
     .about = "A list of rules; any of them ends the run, before `run.steps` are done."},
    {.path = "run.until[]", .type = QDI_KEY_ONE_OF, .form = IN_RULE(kind), .about = "One of the following."},
    GROUP_KEY("run.until[].below", "A metric is below a value."),
    METRIC_KEY("run.until[].below.metric"),
    ANY_KEY("run.until[].below.value", REAL, IN_RULE(value), "The value.", .required = true),
    GROUP_KEY("run.until[].above", "A metric is above a value."),
    METRIC_KEY("run.until[].above.metric"),
    ANY_KEY("run.until[].above.value", REAL, IN_RULE(value), "The value.", .required = true),
    GROUP_KEY(
        "run.until[].steady",
        "A metric's mean over so many steps differs from its mean over as many before by no more than a "
        "part of the larger one."),
    METRIC_KEY("run.until[].steady.metric"),
    KEY("run.until[].steady.within", REAL, IN_RULE(value), 0, 1, "The part.", .required = true),
    KEY("run.until[].steady.window", UINT64, IN_RULE(window), 1, most_steps,
        "Steps of a mean, at least `run.until_every`."),
    GROUP_KEY("run.until[].rest",
              "No dynamic body moves, nor turns at its rim, as fast as this whenever it is looked at."),
    KEY("run.until[].rest.speed", REAL, IN_RULE(value), 0, QDI_FURTHEST, "The speed.", .above = true,
        .required = true),
    KEY("run.until[].rest.window", UINT64, IN_RULE(window), 0, most_steps,
        "For so many steps. With 0 a ball that turns back at the top of its way is at rest."),
    GROUP_KEY("run.until[].contact", "Two bodies touch or bounce off each other, for the first time."),
    KEY("run.until[].contact.of", UINT64, IN_RULE(first), 1, (double)INFINITY, "Id of one.",
        .required = true),
    KEY("run.until[].contact.with", UINT64, IN_RULE(last), 1, (double)INFINITY, "Id of the other.",
        .required = true),
    GROUP_KEY("run.until[].gone", "None is left of the bodies with some ids, and no emitter is to make one."),
    FREE_KEY("run.until[].gone.emitter", NAME, IN_RULE(emitter),
             "All bodies of the emitters with this `name`, instead of those with some ids.",
             .otherwise = "none"),
    KEY("run.until[].gone.first", LABEL, IN_RULE(first), 0, 0,
        "The lowest of these ids; `emitted`: the first that emitters give.", .choices = "emitted"),
    KEY("run.until[].gone.last", UINT64, IN_RULE(last), 1, (double)INFINITY, "The highest.",
        .otherwise = "no limit"),
    GROUP_KEY("stepper", "How a step is made."),
    CHOICE_KEY(
        "stepper.retrieve", IN_SETTINGS(world.retrieve), "join|each|brute",
        "How pairs are found. `join`: all at once, the tree against itself; `each`: one retrieve per body; "
        "`brute`: each box against every other, for comparison: four times the bodies take sixteen times as "
        "long. Changes no result."),
    KEY("stepper.margin", REAL_OR_AUTO, IN_SETTINGS(world.margin), 0, 1e18,
        "How far boxes are fattened on every side, so that candidates last for several steps; `auto`: by how "
        "fast each body is, for as many steps as pay. Changes no result."),
    CHOICE_KEY("stepper.continuous", IN_SETTINGS(world.continuous), "auto|on|off",
               "Which bodies have their way through a step followed, so that they pass through nothing: "
               "`auto`: fast ones, which stop where they meet something and bounce in the next step; `on`: "
               "all, from impact to impact, as exact collisions need; `off`: bullets only, as with `auto`."),
    KEY("stepper.capacity", UINT32, IN_SETTINGS(world.capacity), 1, 65535,
        "Bodies in a node of the tree before it splits. Changes no result."),
    KEY("stepper.iterations", INT, IN_SETTINGS(world.iterations), 1, 1000,
        "Most sweeps over the contacts of a step for what bounces: for bodies that touch several others at "
        "once."),
    KEY("stepper.substeps", INT, IN_SETTINGS(world.substeps), 1, 100,
        "Parts of a step for what rests: more make piles stiffer, by their square."),
    GROUP_KEY("contact", "What bodies do to each other where they touch."),
    CHOICE_KEY("contact.model", IN_SETTINGS(world.contact), "none|impulse|spring",
               "`none`: contacts are only found, bodies pass through each other; `impulse`: rigid, bodies "
               "bounce, slide, roll and rest; `spring`: soft, see `contact.spring`."),
    KEY("contact.restitution", REAL, IN_SETTINGS(world.restitution), 0, 1,
        "Approach speed that a bounce gives back: 1 all of it, 0 none."),
    KEY("contact.friction", REAL, IN_SETTINGS(world.friction), 0, (double)INFINITY,
        "Most that surfaces rub, as a part of what presses them together (Coulomb)."),
    KEY("contact.tangential_restitution", REAL, IN_SETTINGS(world.tangential), 0, 1,
        "Sideways speed at the point that a bounce which sticks gives back: 0 for most things, 1 for the "
        "roughest of balls."),
    KEY("contact.threshold", REAL_OR_AUTO, IN_SETTINGS(world.threshold), 0, QDI_FURTHEST,
        "What approaches slower than this does not bounce but comes to rest; `auto`: twice what gravity "
        "gives in a step."),
    GROUP_KEY("contact.spring",
              "With the model `spring`, which needs either `contact_time` or `kn`: spring and dashpot "
              "between bodies that overlap, in the terms of LAMMPS's gran/hooke/history."),
    CHOICE_KEY("contact.spring.law", IN_SETTINGS(world.spring.law), "hooke|hertz",
               "`hooke`: the force grows with the overlap d; `hertz`: all forces are those of `hooke` times "
               "the root of R d, with R the reduced radius, as in gran/hertz/history: `kn` and `kt` are "
               "forces per area then, and all dynamic bodies must be disks."),
    KEY("contact.spring.contact_time", REAL_OR_AUTO, IN_SETTINGS(world.spring.contact_time), 0, QDI_FURTHEST,
        "How long two bodies touch that collide head-on: `kn` is what each pair needs for that. A step "
        "should be a twentieth of it or less. `auto`: what follows from `kn`.",
        .above = true),
    KEY("contact.spring.kn", REAL_OR_AUTO, IN_SETTINGS(world.spring.kn), 0, QDI_FURTHEST,
        "Stiffness along the normal: force per overlap.", .above = true),
    KEY("contact.spring.gamman", REAL_OR_AUTO, IN_SETTINGS(world.spring.gamman), 0, QDI_FURTHEST,
        "Damping along the normal, a rate: the force is this times effective mass times speed of approach. "
        "`auto`: so that the restitution is the surfaces', of which less than 0.01 counts as that."),
    KEY("contact.spring.kt", REAL_OR_AUTO, IN_SETTINGS(world.spring.kt), 0, QDI_FURTHEST,
        "Stiffness against sliding; `auto`: 2/7 of `kn`."),
    KEY("contact.spring.gammat", REAL_OR_AUTO, IN_SETTINGS(world.spring.gammat), 0, QDI_FURTHEST,
        "Damping of sliding; `auto`: half of `gamman`."),
    FREE_KEY("contact.spring.limit_damping", BOOL, IN_SETTINGS(world.spring.limit_damping),
             "The force along the normal never pulls: dashpots of bodies that part quickly would."),
    GROUP_KEY("contact.spring.rolling",
              "What resists rolling: spring, dashpot and slider, as LAMMPS's `rolling sds`. Disks only."),
    KEY("contact.spring.rolling.friction", REAL, IN_SETTINGS(world.spring.rolling), 0, (double)INFINITY,
        "Most torque, as a part of the force along the normal times the reduced radius; 0: none."),
    KEY("contact.spring.rolling.kr", REAL_OR_AUTO, IN_SETTINGS(world.spring.kr), 0, QDI_FURTHEST,
        "Stiffness against rolling, force per length rolled; `auto`: as against sliding."),
    KEY("contact.spring.rolling.gammar", REAL_OR_AUTO, IN_SETTINGS(world.spring.gammar), 0, QDI_FURTHEST,
        "Damping of rolling, a rate; `auto`: `gammat`."),
    GROUP_KEY("contact.spring.adhesion", "A constant force that pulls together what touches."),
    KEY("contact.spring.adhesion.force", REAL, IN_SETTINGS(world.spring.adhesion), 0, QDI_FURTHEST,
        "At each point of contact. The limits of friction and rolling do not count it."),
    KEY("contact.spring.adhesion.range", REAL, IN_SETTINGS(world.spring.range), 0, QDI_FURTHEST,
        "Gap up to which it acts; 0: only where bodies overlap. Above 0 all dynamic bodies must be disks."),
    GROUP_KEY("contact.walls", "Surface of reflecting sides."),
    MATERIAL_KEYS("contact.walls", IN_WALLS),
    {.path = "materials",
     .type = QDI_KEY_NAMED,
     .otherwise = "`{}`",
     .about =
         "Materials by name, for the key `material` of all that has a surface: names of letters, digits, "
         "`_` and `-`, at most 31; not `none` nor `pairs`."},
    GROUP_KEY("materials[]", "A material: `materials.steel` for one that is called steel."),
    KEY("materials[].density", REAL_OR_AUTO, IN_NAMED(density), 0, QDI_FURTHEST,
        "Mass per area of bodies without a density of their own; `auto`: none is said.", .above = true),
    VALUE_KEYS("materials[]", IN_NAMED_SURFACE, "that", "", ""),
    {.path = "materials.pairs",
     .type = QDI_KEY_ITEMS,
     .otherwise = "`[]`",
     .about = "What two materials are to each other, whatever the rules for two surfaces say."},
    GROUP_KEY("materials.pairs[]", "Two materials, or one with itself."),
    FREE_KEY("materials.pairs[].of", MATERIAL_PAIR, IN_PAIR(of), "Which.", .required = true),
    VALUE_KEYS("materials.pairs[]", IN_PAIR_SURFACE, "what the rules say", "", ""),
    GROUP_KEY("limits", "What stops a run that has gone wrong. `.inf` turns a limit off."),
    KEY("limits.speed", REAL, IN_SETTINGS(world.limits.speed), 0, (double)INFINITY, "Fastest body allowed.",
        .above = true),
    KEY("limits.distance", REAL, IN_SETTINGS(world.limits.distance), 0, (double)INFINITY,
        "Furthest that a body may be from the world's centre, along x or y.", .above = true,
        .otherwise = "1e6 times the world's longer side"),
    KEY("limits.pairs", REAL, IN_SETTINGS(world.limits.pairs), 0, (double)INFINITY,
        "Most pairs of overlapping boxes, per body; a world of less than 10000 bodies may have as many as "
        "one of 10000, and any world 1000. Where fast bodies are followed boxes hold whole ways.",
        .above = true),
    {.path = "bodies",
     .type = QDI_KEY_ITEMS,
     .otherwise = "`[]`",
     .about = "A list; each item makes bodies. Their order is the order of the bodies."},
    {.path = "bodies[]", .type = QDI_KEY_ONE_OF, .form = IN_ITEM(kind), .about = "One of the following."},
};

// Scene keys of the world and the run.
qdi_schema_piece qdi_schema_world(void) {
    return (qdi_schema_piece){keys, sizeof keys / sizeof keys[0]};
}
