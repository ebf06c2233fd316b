#pragma once

#include <quadrille/scene.h>

#include "sim/scene/generate.h"
#include "sim/scene/schema.h"
#include "sim/scene/yaml.h"
#include "sim/text/reason.h"
#include "sim/text/scene_text.h"

/// What the files of the scene share. A scene is made in four steps: its text becomes a tree (yaml.h),
/// changes from outside are put into the tree (overrides.c), the tree becomes checked settings (scene_read.c,
/// scene_value.c), and the settings become the resolved text (scene_write.c).

/// Most bytes that a scene's file may have.
#define QDI_SCENE_BYTES_MAX ((size_t)64 << 20)

struct qd_scene {
    const qd_allocator *allocator;
    qdi_settings settings;
    qdi_text text; ///< resolved
    uint64_t hash; ///< of the text
    qdi_text notes;
    qdi_text stage_names; ///< one per line
    bool says_text;       ///< it gives view.text, and does not leave it to its default
};

/// A scene while it is being read.
typedef struct qdi_scene_reader {
    const char *name; ///< of the file, for messages
    const qd_scene_changes *changes;
    qd_error *error; ///< may be NULL
    qdi_yaml yaml;
    qdi_yaml_ref root;
    qdi_settings *settings;
    qdi_text *notes;
    const qd_allocator *allocator;
    char path[192];      ///< of the key being read: "bodies.0.disks.count"
    qdi_yaml_ref stages; ///< the list of stages, 0: none
    qdi_stage *stage;    ///< that is being read, whose settings are `settings`; NULL: the scene is
} qdi_scene_reader;

/// qdi_reason about something in the scene: "FILE:LINE: ..." and QD_ERR_INVALID, or "--set KEY=VALUE: ..."
/// and QD_ERR_ARGUMENT where the node came from there.
qd_status qdi_scene_complain(const qdi_scene_reader *reader, qdi_yaml_ref node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// The same about text that is no YAML, where `source` says which.
qd_status qdi_scene_malformed(const qdi_scene_reader *reader, uint32_t source, const qdi_yaml_fault *fault);

/// Makes the grid of the fields out of cells, where the scene says how long one is. Complains where they are
/// too many.
QD_MUST_USE qd_status qdi_scene_settle_fields(const qdi_scene_reader *reader);

/// Checks what keys of the view must keep to with each other, and makes its field's grid out of cells. `node`
/// is the view's in the scene or a stage, `of` what comes before its keys in messages: "" or "stages.2.".
QD_MUST_USE qd_status qdi_scene_settle_view(const qdi_scene_reader *reader, qdi_yaml_ref node,
                                            const char *of);

/// Scene's overrides: overrides.c
/// Puts every `--set` into the tree. Source k + 1 is the set number k.
QD_MUST_USE qd_status qdi_overrides_apply(qdi_scene_reader *reader);
/// Scales every generator's count, and the world with its regions at constant density, to `bodies` in all.
QD_MUST_USE qd_status qdi_overrides_scale(qdi_settings *settings, uint64_t bodies, qd_error *error);

/// Reads the files that the scene names, takes from them what it does not say of the world, and puts their
/// bodies within it, as it does with listed ones.
QD_MUST_USE qd_status qdi_scene_files_read(qdi_scene_reader *reader);

/// The folder of the scene, then the path that an item says; an absolute path stands for itself.
QD_MUST_USE qd_status qdi_scene_locate(const qdi_scene_reader *reader, const qdi_text *path, qdi_text *from);
/// The node below `node` at a path of words that a NULL ends, or 0.
qdi_yaml_ref qdi_scene_find(const qdi_scene_reader *reader, qdi_yaml_ref node, const char *const *words);

/// Scene: sees to it that no two bodies from files and other runs have one id: it stays that of the first in
/// the scene, later ones get others above the highest, and a note says so.
QD_MUST_USE qd_status qdi_scene_labels(const qdi_scene_reader *reader);

/// Scene: reads the stored world that item `number`, at `node`, names, and has the scene go on with a copy of
/// it.
QD_MUST_USE qd_status qdi_item_run_read(const qdi_scene_reader *reader, qdi_body_item *item, size_t number,
                                        qdi_yaml_ref node);
/// Scene's run section: its body number `k`.
qd_body_state qdi_item_run_body(const qdi_item_run *run, size_t k);
void qdi_item_run_release(const qd_allocator *allocator, qdi_item_run *run);

/// Scene: fills the settings from the tree and checks them.
QD_MUST_USE qd_status qdi_scene_read_tree(qdi_scene_reader *reader);

/// Scene's reader: one stage, into it and into the reader's settings.
QD_MUST_USE qd_status qdi_scene_read_stage(qdi_scene_reader *reader, qdi_yaml_ref node, qdi_stage *stage);
/// What items, rules and emitters must keep to. `list` is the node of the items or rules, `map` of what has
/// `emitters`; `of`: "run.until".
QD_MUST_USE qd_status qdi_scene_check_items(const qdi_scene_reader *reader, qdi_yaml_ref list);
QD_MUST_USE qd_status qdi_scene_check_rules(const qdi_scene_reader *reader, qdi_yaml_ref list,
                                            const char *of);
QD_MUST_USE qd_status qdi_scene_check_sources(const qdi_scene_reader *reader, qdi_yaml_ref map);

/// Scene: reads the stages of a complete scene and checks them. What the first one changes becomes the
/// scene's own.
QD_MUST_USE qd_status qdi_scene_read_stages(qdi_scene_reader *reader);
/// Why a stage cannot change this key, or NULL.
const char *qdi_stage_keeps(const qdi_key *key);
/// Before a key of a stage is read: what was there of other forms goes.
void qdi_stage_prepare(const qdi_scene_reader *reader, const qdi_key *key);
/// Frees what the stages of a scene have of their own.
void qdi_stages_release(const qd_allocator *allocator, qdi_settings *settings);
/// Scene: frees an item of `bodies` or `add`.
void qdi_body_item_release(const qd_allocator *allocator, qdi_body_item *item);

/// Scene: adds the bodies of the first `count` items, emitters and sinks to a world; all items' bodies keep
/// clear of one another. Times of emitters count from `from`.
QD_MUST_USE qd_status qdi_scene_add_items(const qd_allocator *allocator, const qdi_settings *settings,
                                          size_t count, qd_world *world, qd_error *error);
QD_MUST_USE qd_status qdi_scene_add_sources(const qdi_settings *settings, qd_world *world, double from,
                                            qd_error *error);
QD_MUST_USE qd_status qdi_scene_add_drains(const qdi_settings *settings, qd_world *world, qd_error *error);

/// Scene: says that no such key is known below `parent` (NULL: of the scene), and which one may have been
/// meant.
QD_MUST_USE qd_status qdi_scene_unknown_key(const qdi_scene_reader *reader, const qdi_key *parent,
                                            qdi_yaml_ref node);
/// True for a list of two rising numbers where one is due that may also be drawn between two; and what to
/// write then.
bool qdi_scene_is_range(const qdi_scene_reader *reader, const qdi_key *key, qdi_yaml_ref node);
QD_MUST_USE qd_status qdi_scene_wants_range(const qdi_scene_reader *reader, const qdi_key *key,
                                            qdi_yaml_ref node);
/// The value, or the one in a list, that would do but for its quotes; 0 where there is none.
qdi_yaml_ref qdi_scene_quoted(const qdi_scene_reader *reader, const qdi_key *key, qdi_yaml_ref node);
/// The key of an item of bodies that a wrong choice within one names, or NULL: a polyline is no shape in a
/// list.
const qdi_key *qdi_scene_item_named(const qdi_scene_reader *reader, const qdi_key *key, qdi_yaml_ref node);
/// Refuses a region of generator `word` of the item `of`, "bodies.2", that reaches outside of the world by
/// more than rounding.
QD_MUST_USE qd_status qdi_scene_check_region(const qdi_scene_reader *reader, const qdi_region *region,
                                             const char *word, const char *of, qdi_yaml_ref node);
/// Refuses keys of a listed body or an emitter, of the name `of`, that have no effect on what it is: the
/// sizes of another shape, motion of what is static, a density beside a mass. Defaults are let pass: resolved
/// scenes have them all.
QD_MUST_USE qd_status qdi_scene_check_listed_keys(const qdi_scene_reader *reader, const qdi_listed *listed,
                                                  const char *of, qdi_yaml_ref node);
/// The same of a generator's item and of one from a file: a density beside a mass.
QD_MUST_USE qd_status qdi_scene_check_item_keys(const qdi_scene_reader *reader, const qdi_body_item *item,
                                                const char *of, qdi_yaml_ref node);

/// Scene: the number of the material that a value names; 0: `none`. And of both of a pair's.
QD_MUST_USE qd_status qdi_scene_material(const qdi_scene_reader *reader, qdi_yaml_ref node, uint32_t *number);
QD_MUST_USE qd_status qdi_scene_material_pair(const qdi_scene_reader *reader, qdi_yaml_ref node,
                                              uint32_t of[2]);
/// Adds the material that a key below `materials` names to the settings.
QD_MUST_USE qd_status qdi_scene_add_material(const qdi_scene_reader *reader, qdi_yaml_ref node,
                                             qdi_named **made);
/// Notes which materials nothing is of: a slip in a name would make a new one.
QD_MUST_USE qd_status qdi_scene_note_materials(const qdi_scene_reader *reader);
/// The density of a body: as given, else that of its material, else 1.
double qdi_scene_density(const qdi_settings *settings, double given, uint32_t of);
/// Adds all materials to a world that has none.
QD_MUST_USE qd_status qdi_scene_put_materials(const qdi_settings *settings, qd_world *world, qd_error *error);
/// What a surface of one world is in another: of the material of the same name, or with its values.
qd_material qdi_scene_material_again(const qd_world *from, const qd_material *surface, const qd_world *world);

/// Scene: reads a value of the given type (a plain one of the schema) into its place in `base`. The key says
/// the range.
QD_MUST_USE qd_status qdi_scene_read_value(const qdi_scene_reader *reader, const qdi_key *key,
                                           qdi_key_type type, qdi_yaml_ref node, void *base);

/// Scene: a listed body; whether its shape is any good is for qd_shape_normalise to say.
qd_body_def qdi_listed_body(const qdi_settings *settings, const qdi_listed *listed);
/// Scene's bodies: body number `number` of the scene, of a generator's item.
qd_body_def qdi_item_body(const qdi_settings *settings, const qdi_body_item *item, size_t number, qd_vec2 at,
                          qd_vec2 velocity, double radius);
/// Scene's bodies: adds number `k` of an item that is no polyline, body number `number` of the scene, of
/// which `bodies` has the place. Errors: as qd_world_add.
QD_MUST_USE qd_status qdi_scene_add_body(qd_world *world, const qdi_settings *settings,
                                         const qdi_body_item *item, size_t k, const qdi_generated *bodies,
                                         size_t number, qd_error *error);
/// Scene's bodies: adds all edges of a polyline to a world. Errors: as qd_world_add.
QD_MUST_USE qd_status qdi_scene_add_polyline(qd_world *world, const qdi_settings *settings,
                                             const qdi_body_item *item, qd_error *error);
/// Scene's bodies: counts a polyline's edges. Errors: QD_ERR_VALUE with the reason.
QD_MUST_USE qd_status qdi_polyline_edges(const qdi_settings *settings, qdi_body_item *item, qd_error *error);

/// Writes the resolved scene.
void qdi_scene_write(const qdi_settings *settings, qdi_text *text);
/// Writes the value of a key with a plain type; `base` is the settings or a generator.
void qdi_scene_write_value(const qdi_key *key, qdi_key_type type, const void *base, qdi_text *text);
/// Adds the plain value that a key has where a scene leaves it out. False where there is none: of a key that
/// is needed, of groups, and of keys of one form of several.
bool qdi_scene_write_default(const qdi_key *key, qdi_text *text);

/// qd_scene_parse with an allocator. What libyaml takes for itself is not its own.
QD_MUST_USE qd_status qdi_scene_parse_with(const qd_allocator *allocator, const char *text, size_t bytes,
                                           const char *name, const qd_scene_changes *changes,
                                           qd_scene **scene, qd_error *error);
