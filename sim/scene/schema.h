#pragma once

#include <quadrille/scene.h>
#include <quadrille/vec.h>
#include <quadrille/view.h>
#include <quadrille/world.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/format/body_file.h"

/// Every key of a scene, in one table: what may stand there, where it is kept, what it means. Reading,
/// checking, writing, hints and docs/scene.md all come from it. And what is kept: the settings.

/// Most bodies that a scene may ask for: a world takes no more.
#define QDI_BODIES_MAX ((1U << 28) - 1)
/// Longest name of a scene; names become names of directories.
#define QDI_NAME_MAX 64

/// Which of the forms of a key was given; 0 is the plain value.
typedef enum qdi_radius_form {
    QDI_RADIUS_FIXED,
    QDI_RADIUS_UNIFORM,
    QDI_RADIUS_POWER,
    QDI_RADIUS_NORMAL,
    QDI_RADIUS_LOGNORMAL
} qdi_radius_form;
typedef enum qdi_velocity_form {
    QDI_VELOCITY_FIXED,
    QDI_VELOCITY_NORMAL,
    QDI_VELOCITY_UNIFORM
} qdi_velocity_form;
typedef enum qdi_place {
    QDI_PLACE_GRID,
    QDI_PLACE_RANDOM,
    QDI_PLACE_PYRAMID,
    QDI_PLACE_CLUSTERS,
    QDI_PLACE_CELLS
} qdi_place;
/// In the order of the keys below bodies[].
typedef enum qdi_item_kind {
    QDI_ITEM_NONE,
    QDI_ITEM_DISKS,
    QDI_ITEM_RECTS,
    QDI_ITEM_CAPSULES,
    QDI_ITEM_POLYGONS,
    QDI_ITEM_POLYLINE,
    QDI_ITEM_FILE,
    QDI_ITEM_RUN,
    QDI_ITEM_LIST
} qdi_item_kind;

/// Radii of a generator: all `range.x`; or between range.x and range.y, uniformly, with a density that
/// falls as radius^-exponent, or normal about `middle` with standard deviation `deviation`, they or their
/// logarithms.
typedef struct qdi_radius {
    qdi_radius_form form;
    qd_vec2 range;
    double exponent;
    double middle, deviation;
} qdi_radius;

/// Velocities: all `value`; or each component normal with deviation value.x, or uniform between -value.x and
/// value.x.
typedef struct qdi_velocity {
    qdi_velocity_form form;
    qd_vec2 value;
} qdi_velocity;

/// Where a generator places; sizes NaN stand for the whole world until the scene is complete.
typedef struct qdi_region {
    double x, y, width, height;
} qdi_region;

/// Bodies that come from a file.
typedef struct qdi_item_file {
    qdi_text path; ///< as the scene says it; once the file has been read, the name of its copy
    qdi_text from; ///< where it was read
    qdi_body_options options;
    uint64_t hash; ///< XXH3-64 of the part of the file that was read; 0: whatever it is
    qdi_body_file bodies;
} qdi_item_file;

/// A body of another run, and the id that it has in this scene.
typedef struct qdi_run_body {
    qd_id id;
    uint64_t label;
} qdi_run_body;

/// Bodies that come from a stored world of another run.
typedef struct qdi_item_run {
    qdi_text path; ///< as the scene says it; once the world has been read, the name of its copy
    qdi_text from; ///< where it was read
    uint64_t step; ///< UINT64_MAX: the last that there is
    uint64_t hash; ///< XXH3-64 of the stored world; 0: whatever it is
    unsigned char *data;
    size_t bytes, room;
    qd_world *world;
    qdi_run_body *bodies; ///< in order
    size_t count, body_room;
} qdi_item_run;

/// Points of a polygon or polyline: a part of the settings' points.
typedef struct qdi_points {
    size_t first, count;
} qdi_points;

/// A body of a list: what is said of its shape, and the rest.
typedef struct qdi_listed {
    char name[QDI_NAME_MAX + 1]; ///< "": none
    qd_shape_kind shape;
    double radius; ///< NaN: as the shape wants
    qd_vec2 size;
    double length;
    qdi_points points;
    bool is_static, is_kinematic;
    qd_body_def def; ///< its shape and kind follow from the above, see qdi_listed_body
} qdi_listed;

/// One item of `bodies`.
typedef struct qdi_body_item {
    qdi_item_kind kind;
    char name[QDI_NAME_MAX + 1];   ///< "": none
    uint64_t count;                ///< of bodies
    qdi_radius radius;             ///< of disks, and of the circles about polygons
    qdi_radius scale;              ///< of rects and capsules
    qd_vec2 size;                  ///< rects
    double length, capsule_radius; ///< capsules
    double rounding;               ///< rects
    int corners[2];                ///< polygons: fewest and most
    double uneven;                 ///< polygons
    double angle;                  ///< NaN: at random
    qdi_velocity spin;
    qd_material material;
    qd_filter filter;
    qdi_points points; ///< polyline
    bool closed;
    double thickness; ///< polyline: its radius
    double turning;   ///< polyline: its spin; not 0: kinematic
    qd_vec2 pivot;    ///< polyline: that it turns about; NaN: the middle of its points
    double slide;     ///< polyline: of its surface
    qdi_place place;
    qd_vec2 spacing; ///< of a grid or of cells; NaN: as the region allows
    uint32_t cluster_count;
    qd_vec2 cluster_spread;
    qdi_region region;
    bool round; ///< of the region only the largest disk in its middle
    qdi_velocity velocity;
    double density;
    double mass; ///< NaN: from density
    qdi_item_file file;
    qdi_item_run run;
    qdi_listed *listed;
    size_t listed_count, listed_room;
} qdi_body_item;

/// One item of `emitters`.
typedef struct qdi_source {
    char name[QDI_NAME_MAX + 1]; ///< "": none
    uint32_t number;             ///< of its name, from 1; 0: none
    qdi_listed body;             ///< position is not looked at
    qdi_radius scale;
    qdi_region region;
    double turn, spread, rate, start, stop;
    uint64_t total, alive;
    int tries;
    bool overlap;
} qdi_source;

/// One item of `sinks`.
typedef struct qdi_drain {
    qdi_region region;
    uint64_t total;
} qdi_drain;

/// One of `materials`, and what two of them are to each other.
typedef struct qdi_named {
    char name[QD_MATERIAL_NAME];
    double density; ///< NaN: none
    qd_material surface;
} qdi_named;
typedef struct qdi_pair {
    uint32_t of[2]; ///< numbers, from 1
    qd_material surface;
} qdi_pair;

typedef struct qdi_stage qdi_stage;

/// A scene's values.
typedef struct qdi_settings {
    char name[QDI_NAME_MAX + 1];
    qd_world_def world;
    int gravity_form; ///< 1: towards a point
    qd_scene_run run;
    qd_view view;
    qd_video_settings video;
    qdi_body_item *items;
    size_t item_count, item_room;
    qdi_source *sources;
    size_t source_count, source_room;
    qdi_drain *drains;
    size_t drain_count, drain_room;
    qd_until_rule *rules;
    size_t rule_count, rule_room;
    qdi_named *named;
    size_t named_count, named_room;
    qdi_pair *pairs;
    size_t pair_count, pair_room;
    qd_vec2 *points; ///< of all polygons and polylines
    size_t point_count, point_room;
    uint64_t last_label; ///< the highest id of bodies from files and other runs
    qdi_stage *stages;
    size_t stage_count, stage_room;
    size_t stage; ///< that these are of, whose items are its `add`; 0: the scene, whose items are `bodies`
} qdi_settings;

/// Bodies that a stage picks: those for which all that was given holds.
typedef struct qdi_pick {
    char item[QDI_NAME_MAX + 1]; ///< name of items of `bodies` or `add`; "": any
    uint64_t id;                 ///< 0: any
    qd_vec2 ids;                 ///< first and last; NaN: any
    qdi_region region;           ///< their centres lie in it; NaN: anywhere
} qdi_pick;

/// What kind a stage makes a body.
typedef enum qdi_new_kind {
    QDI_KIND_SAME,
    QDI_KIND_DYNAMIC,
    QDI_KIND_STATIC,
    QDI_KIND_KINEMATIC
} qdi_new_kind;

/// One item of `change`; NaN: as it is.
typedef struct qdi_body_change {
    qdi_pick pick;
    int kind;
    qd_vec2 velocity;
    double spin, density;
    uint32_t material; ///< 0: as it is
} qdi_body_change;

/// One item of `stages`. Its settings are those of the stage before with what it changes; of their lists
/// `items` are the bodies that it adds, `rules` end it, and `sources` and `drains` are its own where it has
/// some.
struct qdi_stage {
    char name[QDI_NAME_MAX + 1];
    uint64_t steps; ///< at most; 0: up to the end of the run
    double time;    ///< NaN: not given
    uint64_t at_most;
    qdi_pick *removals;
    size_t removal_count, removal_room;
    qdi_body_change *changes;
    size_t change_count, change_room;
    bool emits, drains; ///< it has emitters, sinks of its own, if none
    qdi_settings settings;
};

typedef enum qdi_key_type {
    QDI_KEY_NONE,   ///< (as `plain` of a key: it has no plain form)
    QDI_KEY_GROUP,  ///< a mapping of keys
    QDI_KEY_EACH,   ///< a mapping of keys; a plain value is given to each of them
    QDI_KEY_ONE_OF, ///< a mapping with exactly one of its keys, or a plain value; `form` says which
    QDI_KEY_ITEMS,  ///< a list of items, each described by the key PATH[]
    QDI_KEY_NAMED,  ///< a mapping from names to items, each described by the key PATH[]; other keys below it
                    ///< too
    QDI_KEY_NAME,
    QDI_KEY_TEXT,           ///< some characters, kept in a qdi_text
    QDI_KEY_HASH,           ///< 16 hexadecimal digits, kept as a number
    QDI_KEY_UINT64,         ///< a whole number
    QDI_KEY_UINT64_OR_LAST, ///< a whole number, or `last`, kept as UINT64_MAX
    QDI_KEY_UINT32,
    QDI_KEY_INT,            ///< a whole number, also below 0 where `low` is
    QDI_KEY_INT_PAIR,       ///< two whole numbers
    QDI_KEY_REAL,           ///< a number
    QDI_KEY_REAL_OR_AUTO,   ///< a number, or `auto`, kept as NaN
    QDI_KEY_PAIR,           ///< two numbers
    QDI_KEY_RANGE,          ///< two numbers, the second not below the first
    QDI_KEY_PAIR_OR_ZERO,   ///< two numbers, or 0 for both
    QDI_KEY_PAIR_OR_AUTO,   ///< two numbers, or `auto`, kept as NaN
    QDI_KEY_POINTS,         ///< a list of pairs, kept as a qdi_points
    QDI_KEY_REGION,         ///< four numbers: x, y, width and height, the sizes above 0
    QDI_KEY_RANGE_OR_AUTO,  ///< two numbers, the second above the first, or `auto`, kept as NaN
    QDI_KEY_REGION_OR_AUTO, ///< the same as QDI_KEY_REGION, or `auto`, kept as NaN
    QDI_KEY_LABEL,          ///< a body's id, or choice number i, kept as UINT64_MAX - i
    QDI_KEY_CAMERA_PATH,    ///< keys of a qd_view_camera
    QDI_KEY_BOOL,
    QDI_KEY_MATERIAL,      ///< the name of a material, or `none`, kept as its number
    QDI_KEY_MATERIAL_PAIR, ///< the names of two
    QDI_KEY_METRIC,        ///< the name of a number of qd_metrics, kept as its number in the table
    QDI_KEY_CHOICE,        ///< one of some words, kept in an int by number
    QDI_KEY_WORDS, ///< a list of words, kept in an uint32_t by bits; `true`: those of `high`; `false`: none
} qdi_key_type;

typedef struct qdi_key {
    const char *path; ///< "world.size"; "bodies[].disks.count"
    qdi_key_type type;
    qdi_key_type plain; ///< of QDI_KEY_ONE_OF: the type of the plain value
    bool planned;       ///< known, but not built yet
    bool required;
    size_t offset; ///< in qdi_settings; in qdi_body_item below bodies[]; in qdi_listed below bodies[].list[];
                   ///< in qdi_source below emitters[]; in qdi_drain below sinks[]; in qd_until_rule below
                   ///< run.until[]; in qdi_named below materials[]; in qdi_pair below materials.pairs[];
                   ///< in qdi_stage below stages[]; in qdi_pick, qdi_body_change below its lists
    size_t form;   ///< of QDI_KEY_ONE_OF: offset of the number of the key that was given, from 1; 0: plain
    double low, high;      ///< range of each number
    bool above;            ///< `low` itself is not allowed
    const char *choices;   ///< of QDI_KEY_CHOICE: "a|b|-c"; "-": not built yet
    const char *otherwise; ///< the default in words, where the plain value would not tell
    const char *like;      ///< of QDI_KEY_ITEMS: the list whose items it has, in a stage
    const char *about;
} qdi_key;

/// The keys in the order in which a resolved scene has them; a group comes before its keys. NULL past the
/// last. Any thread.
const qdi_key *qdi_schema_at(size_t number);
size_t qdi_schema_count(void);

/// The key with this path, or NULL.
const qdi_key *qdi_schema_find(const char *path, size_t bytes);

/// The same with a path that may lead into a stage: "stages[].world.gravity" is "world.gravity".
const qdi_key *qdi_schema_find_staged(const char *path);

/// The first key below `parent` (NULL: of the scene) after `before` (NULL: from the start), or NULL past the
/// last.
const qdi_key *qdi_schema_next(const qdi_key *parent, const qdi_key *before);

/// The key below `parent` (NULL: of the scene) with this word, and its number among its sisters; or NULL.
const qdi_key *qdi_schema_child(const qdi_key *parent, const char *word, size_t bytes, unsigned *number);

/// True for a key that has keys below it and no value of its own.
static inline bool qdi_schema_is_group(const qdi_key *key) {
    return key->type == QDI_KEY_GROUP || (key->type == QDI_KEY_ONE_OF && key->plain == QDI_KEY_NONE);
}

/// The last part of the key's path.
const char *qdi_schema_word(const qdi_key *key);

/// The number of a choice and whether it is built, or false for a word that is none.
bool qdi_schema_choice(const qdi_key *key, const char *word, size_t bytes, int *number, bool *planned);
/// The word of choice `number`, without the mark; its length in `bytes`. NULL past the last.
const char *qdi_schema_choice_word(const qdi_key *key, int number, size_t *bytes, bool *planned);

/// What may stand there, in words: "two numbers > 0", "none or impulse". Room for QDI_EXPECTED_ROOM bytes.
/// Bounds that only keep arithmetic finite are left out; `_fully` has them too.
#define QDI_EXPECTED_ROOM 160
const char *qdi_schema_expected_fully(const qdi_key *key, char text[QDI_EXPECTED_ROOM]);
const char *qdi_schema_expected(const qdi_key *key, char text[QDI_EXPECTED_ROOM]);

/// A scene's defaults, with no items.
qdi_settings qdi_settings_default(void);
/// An item of any list of a scene.
typedef union qdi_any_item {
    qdi_body_item item;
    qdi_listed listed;
    qdi_source source;
    qdi_drain drain;
    qdi_pair pair;
    qd_until_rule rule;
    qdi_pick pick;
    qdi_body_change change;
} qdi_any_item;

/// Scene's schema: an item's defaults.
qdi_body_item qdi_disks_default(void);
/// Scene's schema: those of a body of a list, of an emitter, of a sink.
qdi_listed qdi_listed_default(void);
qdi_source qdi_source_default(void);
qdi_drain qdi_drain_default(void);
/// Scene's schema: those of a material, and of a pair.
qdi_named qdi_named_default(void);
qdi_pair qdi_pair_default(void);
/// Scene's schema: those of a stage, of what it removes and of what it changes of bodies.
qdi_stage qdi_stage_default(void);
qdi_pick qdi_pick_default(void);
qdi_body_change qdi_body_change_default(void);
/// Those of a rule that ends a run.
qd_until_rule qdi_until_default(void);
