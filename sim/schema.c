#include "sim/schema.h"

#include "sim/number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define IN_SETTINGS(member) offsetof(qdi_settings, member)
#define IN_DISKS(member)    offsetof(qdi_disks, member)
#define IN_LISTED(member)   offsetof(qd_body_def, member)

// Choices are kept by number, in the order of the table below.
_Static_assert(QD_SHAPE_DISK == 0, "shape");
_Static_assert(sizeof(qd_shape_kind) == sizeof(int), "choices are ints");
_Static_assert(QD_BOUNDARY_REFLECT == 0 && QD_BOUNDARY_PERIODIC == 1 && QD_BOUNDARY_OPEN == 2, "boundary");
_Static_assert(QD_CONTACT_NONE == 0 && QD_CONTACT_IMPULSE == 1, "contact.model");
_Static_assert(QD_RETRIEVE_JOIN == 0 && QD_RETRIEVE_EACH == 1, "stepper.retrieve");
_Static_assert(QD_VIEW_CONTACT == 0 && QD_VIEW_SPEED == 1, "view.colour");
_Static_assert(QD_VIEW_NODES_NONE == 0 && QD_VIEW_NODES_DEPTH == 1, "view.nodes");
_Static_assert(QDI_PLACE_GRID == 0 && QDI_PLACE_RANDOM == 1, "place");
_Static_assert(offsetof(qd_view, height) == offsetof(qd_view, width) + sizeof(int), "view.size is a pair");
_Static_assert(sizeof(qdi_region) == 4 * sizeof(double), "a region is four numbers");
_Static_assert(sizeof(qd_boundary) == sizeof(int) && sizeof(qd_view_colour) == sizeof(int),
               "choices are ints");

_Static_assert(QDI_BODY_AUTO == 0 && QDI_BODY_CSV == 1 && QDI_BODY_DUMP == 2 && QDI_BODY_DATA == 3, "format");

static const char boundaries[] = "reflect|periodic|open";

/// The largest number of steps that a double counts exactly.
static const double most_steps = 0x1p53;

static const qdi_key keys[] = {
    {.path = "name",
     .type = QDI_KEY_NAME,
     .offset = IN_SETTINGS(name),
     .about = "Names the run directory. Letters, digits, `_` and `-`, at most 64."},
    {.path = "world", .type = QDI_KEY_GROUP, .about = "The space that the bodies live in."},
    {.path = "world.size",
     .type = QDI_KEY_PAIR,
     .offset = IN_SETTINGS(world.size),
     .above = true,
     .high = 1e18,
     .about = "Width and height."},
    {.path = "world.origin",
     .type = QDI_KEY_PAIR,
     .offset = IN_SETTINGS(world.origin),
     .low = -1e30,
     .high = 1e30,
     .about = "Lower left corner."},
    {.path = "world.boundary",
     .type = QDI_KEY_EACH,
     .about =
         "What happens at the sides: `reflect`: walls; `periodic`: what leaves at one side comes in at the "
         "other; `open`: nothing. One word for all sides, or one for each axis."},
    {.path = "world.boundary.x",
     .type = QDI_KEY_CHOICE,
     .offset = IN_SETTINGS(world.boundary_x),
     .choices = boundaries,
     .about = "Left and right."},
    {.path = "world.boundary.y",
     .type = QDI_KEY_CHOICE,
     .offset = IN_SETTINGS(world.boundary_y),
     .choices = boundaries,
     .about = "Bottom and top."},
    {.path = "world.gravity",
     .type = QDI_KEY_PAIR,
     .offset = IN_SETTINGS(world.gravity),
     .low = -DBL_MAX,
     .high = DBL_MAX,
     .about = "Acceleration of every body; y points up."},
    {.path = "run", .type = QDI_KEY_GROUP, .about = "How long, how fine, which random numbers."},
    {.path = "run.steps",
     .type = QDI_KEY_UINT64,
     .offset = IN_SETTINGS(run.steps),
     .high = most_steps,
     .about = "Steps to do."},
    {.path = "run.dt",
     .type = QDI_KEY_REAL,
     .offset = IN_SETTINGS(run.dt),
     .above = true,
     .high = DBL_MAX,
     .about = "Time that a step takes."},
    {.path = "run.seed",
     .type = QDI_KEY_UINT64,
     .offset = IN_SETTINGS(run.seed),
     .high = (double)INFINITY,
     .about = "Of all random numbers: another seed gives other positions, sizes and velocities."},
    {.path = "stepper", .type = QDI_KEY_GROUP, .about = "How candidates are found; changes no result."},
    {.path = "stepper.retrieve",
     .type = QDI_KEY_CHOICE,
     .offset = IN_SETTINGS(world.retrieve),
     .choices = "join|each",
     .about = "`join`: all at once, the tree against itself; `each`: one retrieve per body."},
    {.path = "stepper.margin",
     .type = QDI_KEY_REAL_OR_AUTO,
     .planned = true,
     .about = "How far boxes are fattened, so that candidates last for several steps."},
    {.path = "stepper.capacity",
     .type = QDI_KEY_UINT32,
     .offset = IN_SETTINGS(world.capacity),
     .low = 1,
     .high = 65535,
     .about = "Bodies in a node of the tree before it splits."},
    {.path = "contact", .type = QDI_KEY_GROUP, .about = "What bodies do to each other where they touch."},
    {.path = "contact.model",
     .type = QDI_KEY_CHOICE,
     .offset = IN_SETTINGS(world.contact),
     .choices = "none|impulse|-spring",
     .about =
         "`none`: contacts are only found, bodies pass through each other; `impulse`: rigid, bodies bounce."},
    {.path = "contact.restitution",
     .type = QDI_KEY_REAL,
     .offset = IN_SETTINGS(world.restitution),
     .high = 1,
     .about = "Approach speed that a bounce gives back: 1 all of it, 0 none."},
    {.path = "contact.friction", .type = QDI_KEY_REAL, .planned = true, .about = "Of contacts and walls."},
    {.path = "contact.iterations",
     .type = QDI_KEY_INT,
     .offset = IN_SETTINGS(world.iterations),
     .low = 1,
     .high = 1000,
     .about = "Most sweeps over the contacts of a step, for bodies that touch several others at once."},
    {.path = "limits",
     .type = QDI_KEY_GROUP,
     .about = "What stops a run that has gone wrong. `.inf` turns a limit off."},
    {.path = "limits.speed",
     .type = QDI_KEY_REAL,
     .offset = IN_SETTINGS(world.limits.speed),
     .above = true,
     .high = (double)INFINITY,
     .about = "Fastest body allowed."},
    {.path = "limits.distance",
     .type = QDI_KEY_REAL,
     .offset = IN_SETTINGS(world.limits.distance),
     .above = true,
     .high = (double)INFINITY,
     .otherwise = "1e6 times the world's longer side",
     .about = "Furthest that a body may be from the world's centre, along x or y."},
    {.path = "limits.pairs",
     .type = QDI_KEY_REAL,
     .offset = IN_SETTINGS(world.limits.pairs),
     .above = true,
     .high = (double)INFINITY,
     .about = "Most pairs of overlapping boxes, per body; 1000 in all are always allowed."},
    {.path = "bodies",
     .type = QDI_KEY_ITEMS,
     .otherwise = "`[]`",
     .about = "A list; each item makes bodies. Their order is the order of the bodies' ids."},
    {.path = "bodies[]", .type = QDI_KEY_ONE_OF, .form = IN_DISKS(kind), .about = "One of the following."},
    {.path = "bodies[].disks", .type = QDI_KEY_GROUP, .about = "Disks by rule."},
    {.path = "bodies[].disks.count",
     .type = QDI_KEY_UINT64,
     .required = true,
     .offset = IN_DISKS(count),
     .high = QDI_BODIES_MAX,
     .about = "How many."},
    {.path = "bodies[].disks.radius",
     .type = QDI_KEY_ONE_OF,
     .plain = QDI_KEY_REAL,
     .offset = IN_DISKS(radius.range.x),
     .form = IN_DISKS(radius.form),
     .above = true,
     .high = 1e30,
     .about = "The same for all, or one of the following."},
    {.path = "bodies[].disks.radius.uniform",
     .type = QDI_KEY_RANGE,
     .offset = IN_DISKS(radius.range),
     .above = true,
     .high = 1e30,
     .about = "Between the two, each radius as likely as any other."},
    {.path = "bodies[].disks.radius.power",
     .type = QDI_KEY_GROUP,
     .about =
         "A power law: radii between `min` and `max` with a density that falls as radius^-`exponent`. With "
         "exponent 1 + 1/a and a large `max`, radii are `min` u^-a for u uniform between 0 and 1."},
    {.path = "bodies[].disks.radius.power.min",
     .type = QDI_KEY_REAL,
     .required = true,
     .offset = IN_DISKS(radius.range.x),
     .above = true,
     .high = 1e30,
     .about = "Smallest radius."},
    {.path = "bodies[].disks.radius.power.max",
     .type = QDI_KEY_REAL,
     .required = true,
     .offset = IN_DISKS(radius.range.y),
     .above = true,
     .high = 1e30,
     .about = "Largest radius."},
    {.path = "bodies[].disks.radius.power.exponent",
     .type = QDI_KEY_REAL,
     .required = true,
     .offset = IN_DISKS(radius.exponent),
     .low = -10,
     .high = 10,
     .about =
         "0: as `uniform`; 1: every octave of sizes as likely as any other; 3: every octave covers the same "
         "area."},
    {.path = "bodies[].disks.place",
     .type = QDI_KEY_CHOICE,
     .offset = IN_DISKS(place),
     .choices = "grid|random",
     .about =
         "`grid`: rows that fill the region, from its lower left corner; `random`: anywhere without overlap, "
         "the largest disks first. A scene whose disks do not fit is refused, with the number that did."},
    {.path = "bodies[].disks.region",
     .type = QDI_KEY_REGION,
     .offset = IN_DISKS(region),
     .low = -1e30,
     .high = 1e30,
     .otherwise = "the world",
     .about = "Where: x and y of the lower left corner, width, height. Whole disks lie inside, but those "
              "across the "
              "seam of a region as long as a periodic world."},
    {.path = "bodies[].disks.velocity",
     .type = QDI_KEY_ONE_OF,
     .plain = QDI_KEY_PAIR_OR_ZERO,
     .offset = IN_DISKS(velocity.value),
     .form = IN_DISKS(velocity.form),
     .low = -DBL_MAX,
     .high = DBL_MAX,
     .about = "The same for all, or one of the following. A lone `0` stands for `[0, 0]`."},
    {.path = "bodies[].disks.velocity.normal",
     .type = QDI_KEY_REAL,
     .offset = IN_DISKS(velocity.value.x),
     .high = DBL_MAX,
     .about = "Each component normal about 0 with this standard deviation."},
    {.path = "bodies[].disks.velocity.uniform",
     .type = QDI_KEY_REAL,
     .offset = IN_DISKS(velocity.value.x),
     .high = DBL_MAX,
     .about = "Each component between minus this and this."},
    {.path = "bodies[].disks.density",
     .type = QDI_KEY_REAL,
     .offset = IN_DISKS(density),
     .above = true,
     .high = DBL_MAX,
     .about = "Mass per area."},
    {.path = "bodies[].disks.mass",
     .type = QDI_KEY_REAL_OR_AUTO,
     .offset = IN_DISKS(mass),
     .above = true,
     .high = DBL_MAX,
     .about = "Of each disk; `auto`: from its density and area."},
    {.path = "bodies[].file",
     .type = QDI_KEY_GROUP,
     .about = "Disks from a file: CSV, a LAMMPS dump or a LAMMPS data file."},
    {.path = "bodies[].file.path",
     .type = QDI_KEY_TEXT,
     .required = true,
     .offset = IN_DISKS(file.path),
     .about = "Of the file, from the scene's folder on."},
    {.path = "bodies[].file.format",
     .type = QDI_KEY_CHOICE,
     .offset = IN_DISKS(file.options.format),
     .choices = "auto|csv|dump|data",
     .about = "`auto`: by the ending of its name, else by its first lines."},
    {.path = "bodies[].file.frame",
     .type = QDI_KEY_ONE_OF,
     .plain = QDI_KEY_UINT64_OR_LAST,
     .offset = IN_DISKS(file.options.frame),
     .form = IN_DISKS(file.options.frame_form),
     .high = most_steps,
     .about = "Of a dump: the number of the frame, counted from 0, or the following."},
    {.path = "bodies[].file.frame.timestep",
     .type = QDI_KEY_UINT64,
     .offset = IN_DISKS(file.options.frame),
     .high = most_steps,
     .about = "The first frame of this timestep."},
    {.path = "bodies[].file.radius",
     .type = QDI_KEY_REAL_OR_AUTO,
     .offset = IN_DISKS(file.options.radius),
     .above = true,
     .high = 1e30,
     .about = "Of each disk; `auto`: the file's."},
    {.path = "bodies[].file.density",
     .type = QDI_KEY_REAL_OR_AUTO,
     .offset = IN_DISKS(file.options.density),
     .above = true,
     .high = DBL_MAX,
     .about = "Mass per area; `auto`: the masses or densities of the file, or 1 where it has none."},
    {.path = "bodies[].file.mass",
     .type = QDI_KEY_REAL_OR_AUTO,
     .offset = IN_DISKS(file.options.mass),
     .above = true,
     .high = DBL_MAX,
     .about = "Of each disk; `auto`: as `density` says."},
    {.path = "bodies[].file.hash",
     .type = QDI_KEY_HASH,
     .offset = IN_DISKS(file.hash),
     .otherwise = "any",
     .about = "XXH3-64 of what is read of the file. A file that has become another one is refused."},
    {.path = "bodies[].list",
     .type = QDI_KEY_ITEMS,
     .otherwise = "`[]`",
     .about = "Bodies one by one, where they are put: they may overlap."},
    {.path = "bodies[].list[]", .type = QDI_KEY_GROUP, .about = "A body."},
    {.path = "bodies[].list[].shape",
     .type = QDI_KEY_CHOICE,
     .offset = IN_LISTED(shape.kind),
     .choices = "disk",
     .about = "What it is."},
    {.path = "bodies[].list[].at",
     .type = QDI_KEY_PAIR,
     .required = true,
     .offset = IN_LISTED(position),
     .low = -1e30,
     .high = 1e30,
     .about = "Its centre."},
    {.path = "bodies[].list[].radius",
     .type = QDI_KEY_REAL,
     .offset = IN_LISTED(shape.radius),
     .above = true,
     .high = 1e30,
     .about = "Of a disk."},
    {.path = "bodies[].list[].velocity",
     .type = QDI_KEY_PAIR_OR_ZERO,
     .offset = IN_LISTED(velocity),
     .low = -DBL_MAX,
     .high = DBL_MAX,
     .about = "At the start."},
    {.path = "bodies[].list[].density",
     .type = QDI_KEY_REAL,
     .offset = IN_LISTED(density),
     .above = true,
     .high = DBL_MAX,
     .about = "Mass per area."},
    {.path = "bodies[].list[].mass",
     .type = QDI_KEY_REAL_OR_AUTO,
     .offset = IN_LISTED(mass),
     .above = true,
     .high = DBL_MAX,
     .about = "`auto`: from its density and area."},
    {.path = "view", .type = QDI_KEY_GROUP, .about = "What a frame shows."},
    {.path = "view.size",
     .type = QDI_KEY_INT_PAIR,
     .offset = IN_SETTINGS(view.width),
     .low = 16,
     .high = 16384,
     .about = "Width and height of a frame in pixels. The world is letterboxed, never stretched."},
    {.path = "view.colour",
     .type = QDI_KEY_CHOICE,
     .offset = IN_SETTINGS(view.colour),
     .choices = "contact|speed|-size|-id|-depth|-thread",
     .about = "Of the bodies. `contact`: those that touch another stand out; `speed`: from still to fast."},
    {.path = "view.speed",
     .type = QDI_KEY_REAL_OR_AUTO,
     .offset = IN_SETTINGS(view.speed),
     .above = true,
     .high = DBL_MAX,
     .about = "Speed at the top of the colours of `speed`; `auto`: from the bodies of frame 0."},
    {.path = "view.nodes",
     .type = QDI_KEY_CHOICE,
     .offset = IN_SETTINGS(view.nodes),
     .choices = "none|depth|-occupancy|-changed",
     .about = "Outlines of the tree's nodes. `depth`: coloured by how deep they are."},
    {.path = "view.contacts",
     .type = QDI_KEY_BOOL,
     .offset = IN_SETTINGS(view.contacts),
     .about = "Points and normals of the contacts."},
    {.path = "view.text",
     .type = QDI_KEY_BOOL,
     .offset = IN_SETTINGS(view.text),
     .about = "Step, time and counts."},
    {.path = "frames", .type = QDI_KEY_GROUP, .about = "Pictures."},
    {.path = "frames.every",
     .type = QDI_KEY_UINT64,
     .offset = IN_SETTINGS(run.frames_every),
     .high = most_steps,
     .about = "A frame at step 0 and every so many steps; 0: none."},
    {.path = "record", .type = QDI_KEY_GROUP, .planned = true, .about = "What the run database keeps."},
    {.path = "checkpoint", .type = QDI_KEY_GROUP, .planned = true, .about = "From where a run can go on."},
};

const qdi_key *qdi_schema(size_t *count) {
    *count = sizeof keys / sizeof keys[0];
    return keys;
}

const qdi_key *qdi_schema_find(const char *path, size_t bytes) {
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i)
        if (strlen(keys[i].path) == bytes && memcmp(keys[i].path, path, bytes) == 0) return &keys[i];
    return NULL;
}

/// True where `path` is one step below `parent`: a dot and a word, or "[]".
static bool is_child(const char *parent, const char *path) {
    size_t length = strlen(parent);
    if (strncmp(parent, path, length) != 0) return false;
    const char *rest = path + length;
    if (strcmp(rest, "[]") == 0) return true;
    if (length > 0 && *rest++ != '.') return false;
    return *rest && !strchr(rest, '.') && !strchr(rest, '[');
}

const qdi_key *qdi_schema_next(const qdi_key *parent, const qdi_key *before) {
    const qdi_key *end = keys + sizeof keys / sizeof keys[0];
    for (const qdi_key *key = before ? before + 1 : keys; key < end; ++key)
        if (is_child(parent ? parent->path : "", key->path)) return key;
    return NULL;
}

const char *qdi_schema_word(const qdi_key *key) {
    const char *dot = strrchr(key->path, '.');
    return dot ? dot + 1 : key->path;
}

const char *qdi_schema_choice_word(const qdi_key *key, int number, size_t *bytes, bool *planned) {
    const char *at = key->choices;
    for (; number > 0; --number) {
        at = strchr(at, '|');
        if (!at) return NULL;
        ++at;
    }
    *planned = *at == '-';
    if (*planned) ++at;
    *bytes = strcspn(at, "|");
    return at;
}

bool qdi_schema_choice(const qdi_key *key, const char *word, size_t bytes, int *number, bool *planned) {
    size_t length = 0;
    const char *known = NULL;
    for (*number = 0; (known = qdi_schema_choice_word(key, *number, &length, planned)) != NULL; ++*number)
        if (length == bytes && memcmp(known, word, bytes) == 0) return true;
    return false;
}

/// " > 0", " from 0 to 1", "" where any finite number will do.
static void range_words(const qdi_key *key, char *text, size_t room) {
    char low[QDI_NUMBER_ROOM], high[QDI_NUMBER_ROOM];
    qdi_number_write(key->low, low);
    qdi_number_write(key->high, high);
    // Bounds that only keep arithmetic finite would tell nobody anything.
    bool low_matters = key->low > -1e15, high_matters = key->high < 1e15 || key->type == QDI_KEY_UINT64;
    if (high_matters && isfinite(key->high) && key->above)
        snprintf(text, room, " > %s, at most %s", low, high);
    else if (high_matters && isfinite(key->high))
        snprintf(text, room, " from %s to %s", low, high);
    else if (low_matters)
        snprintf(text, room, " %s %s", key->above ? ">" : ">=", low);
    else
        text[0] = 0;
}

static void choice_words(const qdi_key *key, char *text) {
    size_t used = 0, bytes = 0;
    bool planned = false;
    const char *word = NULL, *pending = NULL;
    size_t pending_bytes = 0;
    for (int i = 0; (word = qdi_schema_choice_word(key, i, &bytes, &planned)) != NULL; ++i) {
        if (planned) continue;
        if (pending) {
            const char *comma = used > 0 ? ", " : "";
            used += (size_t)snprintf(text + used, QDI_EXPECTED_ROOM - used, "%s%.*s", comma,
                                     (int)pending_bytes, pending);
        }
        pending = word;
        pending_bytes = bytes;
    }
    const char *last = used > 0 ? " or " : "";
    snprintf(text + used, QDI_EXPECTED_ROOM - used, "%s%.*s", last, (int)pending_bytes, pending);
}

const char *qdi_schema_expected(const qdi_key *key, char text[QDI_EXPECTED_ROOM]) {
    char range[80];
    range_words(key, range, sizeof range);
    const char *what = "";
    switch (key->type == QDI_KEY_ONE_OF ? key->plain : key->type) {
    case QDI_KEY_NONE:
    case QDI_KEY_GROUP:
    case QDI_KEY_EACH:
    case QDI_KEY_ONE_OF: snprintf(text, QDI_EXPECTED_ROOM, "a mapping (key: value)"); return text;
    case QDI_KEY_ITEMS: snprintf(text, QDI_EXPECTED_ROOM, "a list"); return text;
    case QDI_KEY_NAME:
        snprintf(text, QDI_EXPECTED_ROOM, "1 to %d letters, digits, \"_\" or \"-\"", QDI_NAME_MAX);
        return text;
    case QDI_KEY_TEXT: snprintf(text, QDI_EXPECTED_ROOM, "some text"); return text;
    case QDI_KEY_HASH: snprintf(text, QDI_EXPECTED_ROOM, "16 hexadecimal digits"); return text;
    case QDI_KEY_BOOL: snprintf(text, QDI_EXPECTED_ROOM, "true or false"); return text;
    case QDI_KEY_CHOICE: choice_words(key, text); return text;
    case QDI_KEY_UINT64:
    case QDI_KEY_UINT32:
    case QDI_KEY_INT: what = "a whole number%s"; break;
    case QDI_KEY_UINT64_OR_LAST: what = "a whole number%s, or last"; break;
    case QDI_KEY_INT_PAIR: what = "two whole numbers%s"; break;
    case QDI_KEY_REAL: what = "a number%s"; break;
    case QDI_KEY_REAL_OR_AUTO: what = "a number%s, or auto"; break;
    case QDI_KEY_PAIR: what = "two numbers%s"; break;
    case QDI_KEY_RANGE: what = "two numbers%s, the smaller one first"; break;
    case QDI_KEY_PAIR_OR_ZERO: what = "two numbers, or 0"; break;
    case QDI_KEY_REGION: what = "four numbers: x, y, width > 0, height > 0"; break;
    }
    const char *slot = strstr(what, "%s");
    int before = slot ? (int)(slot - what) : (int)strlen(what);
    snprintf(text, QDI_EXPECTED_ROOM, "%.*s%s%s", before, what, slot ? range : "", slot ? slot + 2 : "");
    return text;
}

qdi_disks qdi_disks_default(void) {
    return (qdi_disks){.kind = QDI_ITEM_DISKS,
                       .radius = {.form = QDI_RADIUS_FIXED, .range = {0.5, 0.5}},
                       .place = QDI_PLACE_RANDOM,
                       .region = {(double)NAN, (double)NAN, (double)NAN, (double)NAN},
                       .density = 1,
                       .mass = (double)NAN,
                       .file = {.options = qdi_body_options_default()}};
}

qdi_settings qdi_settings_default(void) {
    qdi_settings settings = {
        .name = "scene",
        .world = qd_world_def_default(),
        .run = {.steps = 600, .dt = 1.0 / 60.0, .seed = 1, .frames_every = 10},
        .view = qd_view_default(),
    };
    settings.world.limits.distance = (double)NAN;
    return settings;
}
