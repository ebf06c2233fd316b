#include "core/base/memory.h"
#include "sim/scene/generate.h"
#include "sim/scene/scene_impl.h"
#include "sim/world/world_make.h"

#include <inttypes.h>
#include <math.h>
#include <quadrille/field.h>
#include <stdio.h>
#include <string.h>

/// Scene's reader: makes the path one part longer; returns the length to go back to.
static size_t path_push(qdi_scene_reader *reader, const char *part) {
    size_t length = strlen(reader->path);
    snprintf(reader->path + length, sizeof reader->path - length, "%s%s", length > 0 ? "." : "", part);
    return length;
}

static qd_status read_scene_key(qdi_scene_reader *reader, const qdi_key *key, qdi_yaml_ref node, void *base);

/// The key below `parent` that names `node`, and its number among its sisters.
static const qdi_key *key_of(const qdi_scene_reader *reader, const qdi_key *parent, qdi_yaml_ref node,
                             unsigned *number) {
    const qdi_yaml_node *here = &reader->yaml.nodes[node];
    return qdi_schema_child(parent, reader->yaml.chars + here->key, here->key_bytes, number);
}

/// Scene's reader: where a material is given and a density is not, it is left to the material.
static void leave_to_material(const qdi_key *parent, uint64_t given, void *base) {
    const qdi_key *material = NULL, *density = NULL;
    unsigned number = 0;
    for (const qdi_key *key = NULL; parent && (key = qdi_schema_next(parent, key)) != NULL; ++number) {
        if (key->type == QDI_KEY_MATERIAL && (given >> number & 1)) material = key;
        if (strcmp(qdi_schema_word(key), "density") == 0 && !(given >> number & 1)) density = key;
    }
    const double left = (double)NAN;
    if (material && density) memcpy((char *)base + density->offset, &left, sizeof left);
}

/// More keys of its own than a stage has.
enum { STAGE_KEYS_MOST = 16 };

/// Reads all keys of a map. Bit i of `given` is set where key number i below `parent` was there.
static qd_status read_map(qdi_scene_reader *reader, const qdi_key *parent, qdi_yaml_ref map, void *base,
                          uint64_t *given) {
    const qdi_yaml *yaml = &reader->yaml;
    *given = 0;
    for (qdi_yaml_ref child = yaml->nodes[map].first; child; child = yaml->nodes[child].next) {
        unsigned number = 0;
        const qdi_key *key = key_of(reader, parent, child, &number);
        void *place = base;
        if (!key && reader->stage && parent && strcmp(parent->path, "stages[]") == 0) {
            key = key_of(reader, NULL, child, &number); // of the scene: it changes
            number += STAGE_KEYS_MOST;
            place = reader->settings;
        }
        if (!key) return qdi_scene_unknown_key(reader, parent, child);
        size_t length = path_push(reader, qdi_schema_word(key));
        if (*given >> number & 1) return qdi_scene_complain(reader, child, "%s is given twice", reader->path);
        *given |= (uint64_t)1 << number;
        qd_status status = read_scene_key(reader, key, child, place);
        reader->path[length] = 0;
        if (status != QD_OK) return status;
    }
    leave_to_material(parent, *given, base);
    unsigned number = 0;
    for (const qdi_key *key = NULL; (key = qdi_schema_next(parent, key)) != NULL; ++number)
        if (key->required && !(*given >> number & 1))
            return qdi_scene_complain(reader, map, "%s: \"%s\" is missing", reader->path,
                                      qdi_schema_word(key));
    return QD_OK;
}

// Refuses a value of a scene key, and says what it must be.
static qd_status refuse_value(const qdi_scene_reader *reader, qdi_yaml_ref node, const char *what) {
    return qdi_scene_complain(reader, node, "%s%smust be %s", reader->path, *reader->path ? ": " : "", what);
}

/// A plain value for every key below.
static qd_status read_each(qdi_scene_reader *reader, const qdi_key *parent, qdi_yaml_ref node, void *base) {
    for (const qdi_key *key = NULL; (key = qdi_schema_next(parent, key)) != NULL;) {
        qd_status status = read_scene_key(reader, key, node, base);
        if (status != QD_OK) return status;
    }
    return QD_OK;
}

// Refuses a scene key that is not in exactly one of its forms.
static qd_status refuse_forms(const qdi_scene_reader *reader, const qdi_key *parent, qdi_yaml_ref node) {
    char words[120] = "exactly one of";
    for (const qdi_key *key = NULL; (key = qdi_schema_next(parent, key)) != NULL;) {
        size_t used = strlen(words);
        if (key->planned) continue;
        snprintf(words + used, sizeof words - used, "%s %s", used > strlen("exactly one of") ? "," : "",
                 qdi_schema_word(key));
    }
    return refuse_value(reader, node, words);
}

// Reads a scene key that has one of several forms.
static qd_status read_form(qdi_scene_reader *reader, const qdi_key *parent, qdi_yaml_ref node, void *base) {
    int form = 0;
    if (reader->yaml.nodes[node].kind != QDI_YAML_MAP) {
        if (parent->plain == QDI_KEY_NONE) return refuse_value(reader, node, "a mapping (key: value)");
        memcpy((char *)base + parent->form, &form, sizeof form);
        if (qdi_scene_is_range(reader, parent, node)) return qdi_scene_wants_range(reader, parent, node);
        return qdi_scene_read_value(reader, parent, parent->plain, node, base);
    }
    uint64_t given = 0;
    qd_status status = read_map(reader, parent, node, base, &given);
    if (status != QD_OK) return status;
    if (given == 0 || (given & (given - 1)) != 0) return refuse_forms(reader, parent, node);
    while (given >> form) ++form;
    memcpy((char *)base + parent->form, &form, sizeof form);
    return QD_OK;
}

/// A list of items: where it is kept.
typedef struct item_list {
    void *items; ///< address of the pointer to the first
    size_t *count, *room, size;
} item_list;

/// The list `items` of `owner` and how many it has.
#define LIST(owner, items, number, space)                                                                    \
    ((item_list){&(owner)->items, &(owner)->number, &(owner)->space, sizeof *(owner)->items})

/// Where the list of a key is kept, of the scene, of a stage or of an item, and an item's defaults.
static item_list list_of(const qdi_scene_reader *reader, const qdi_key *key, void *base,
                         qdi_any_item *otherwise) {
    qdi_settings *settings = reader->settings, *own = reader->stage ? &reader->stage->settings : settings;
    if (strcmp(key->path, "emitters") == 0) {
        otherwise->source = qdi_source_default();
        return LIST(settings, sources, source_count, source_room);
    }
    if (strcmp(key->path, "materials.pairs") == 0) {
        otherwise->pair = qdi_pair_default();
        return LIST(settings, pairs, pair_count, pair_room);
    }
    if (strcmp(key->path, "run.until") == 0) {
        otherwise->rule = qdi_until_default();
        return LIST(own, rules, rule_count, rule_room);
    }
    if (strcmp(key->path, "sinks") == 0) {
        otherwise->drain = qdi_drain_default();
        return LIST(settings, drains, drain_count, drain_room);
    }
    if (strcmp(key->path, "stages[].remove") == 0) {
        otherwise->pick = qdi_pick_default();
        return LIST((qdi_stage *)base, removals, removal_count, removal_room);
    }
    if (strcmp(key->path, "stages[].change") == 0) {
        otherwise->change = qdi_body_change_default();
        return LIST((qdi_stage *)base, changes, change_count, change_room);
    }
    if (strcmp(key->path, "bodies") == 0) {
        otherwise->item = qdi_disks_default();
        return LIST(own, items, item_count, item_room);
    }
    otherwise->listed = qdi_listed_default();
    return LIST((qdi_body_item *)base, listed, listed_count, listed_room);
}

/// Scene's reader: the next item, with its defaults.
static void *add_item(const qdi_scene_reader *reader, const qdi_key *key, void *base) {
    qdi_any_item otherwise;
    const item_list list = list_of(reader, key, base, &otherwise);
    void *first = NULL;
    memcpy(&first, list.items, sizeof first); // pointers to all object types look alike, as in qdi_reserve
    void *made = (char *)first + (*list.count)++ * list.size;
    memcpy(made, &otherwise, list.size);
    if (strcmp(key->path, "bodies[].list") == 0) ((qdi_body_item *)base)->count = *list.count;
    return made;
}

// Reads a list of a scene, item by item.
static qd_status read_list_items(qdi_scene_reader *reader, const qdi_key *key, qdi_yaml_ref list,
                                 void *base) {
    const qdi_yaml *yaml = &reader->yaml;
    if (yaml->nodes[list].kind != QDI_YAML_LIST) return refuse_value(reader, list, "a list");
    if (key->like) key = qdi_schema_find(key->like, strlen(key->like));
    const qdi_key *item = qdi_schema_next(key, NULL);
    qdi_any_item otherwise;
    const item_list where = list_of(reader, key, base, &otherwise);
    qd_status status = qdi_reserve(reader->allocator, where.items, where.room, 0, yaml->nodes[list].count,
                                   where.size);
    size_t count = 0;
    for (qdi_yaml_ref child = yaml->nodes[list].first; child && status == QD_OK;
         child = yaml->nodes[child].next) {
        char number[24];
        snprintf(number, sizeof number, "%zu", count++);
        size_t length = path_push(reader, number);
        status = read_scene_key(reader, item, child, add_item(reader, key, base));
        if (status == QD_OK) reader->path[length] = 0;
    }
    return status;
}

qd_status qdi_scene_read_stage(qdi_scene_reader *reader, qdi_yaml_ref node, qdi_stage *stage) {
    const char *const path = "stages[]";
    return read_scene_key(reader, qdi_schema_find(path, strlen(path)), node, stage);
}

// Reads a mapping from names to items, in which other keys may stand too.
static qd_status read_named(qdi_scene_reader *reader, const qdi_key *key, qdi_yaml_ref map) {
    const qdi_yaml *yaml = &reader->yaml;
    if (yaml->nodes[map].kind != QDI_YAML_MAP) return refuse_value(reader, map, "a mapping (name: values)");
    const qdi_key *item = qdi_schema_next(key, NULL);
    qd_status status = QD_OK;
    for (qdi_yaml_ref child = yaml->nodes[map].first; child && status == QD_OK;
         child = yaml->nodes[child].next) {
        unsigned number = 0;
        const qdi_key *other = key_of(reader, key, child, &number);
        void *base = reader->settings;
        qdi_named *made = NULL;
        if (!other) {
            status = qdi_scene_add_material(reader, child, &made);
            if (status != QD_OK) return status;
            base = made;
        }
        size_t length = path_push(reader, other ? qdi_schema_word(other) : made->name);
        status = read_scene_key(reader, other ? other : item, child, base);
        if (status == QD_OK) reader->path[length] = 0;
    }
    return status;
}

/// True for what YAML takes as no value at all.
static bool is_null(const qdi_scene_reader *reader, qdi_yaml_ref node) {
    const qdi_yaml_node *here = &reader->yaml.nodes[node];
    if (here->kind != QDI_YAML_VALUE || !here->plain) return false;
    const char *text = reader->yaml.chars + here->text;
    return here->bytes == 0 || strcmp(text, "~") == 0 || strcmp(text, "null") == 0;
}

// Reads one key of a scene into its field.
static qd_status read_scene_key(qdi_scene_reader *reader, const qdi_key *key, qdi_yaml_ref node, void *base) {
    if (key->planned) return qdi_scene_complain(reader, node, "%s is known, but not built yet", reader->path);
    if (reader->stage) {
        const char *why = qdi_stage_keeps(key);
        if (why)
            return qdi_scene_complain(reader, node, "%s cannot change in a stage: %s", reader->path, why);
        qdi_stage_prepare(reader, key);
    }
    if (is_null(reader, node)) return qdi_scene_complain(reader, node, "%s has no value", reader->path);
    uint64_t given = 0;
    bool map = reader->yaml.nodes[node].kind == QDI_YAML_MAP;
    switch (key->type) {
    case QDI_KEY_GROUP:
        if (!map) return refuse_value(reader, node, "a mapping (key: value)");
        return read_map(reader, key, node, base, &given);
    case QDI_KEY_EACH:
        return map ? read_map(reader, key, node, base, &given) : read_each(reader, key, node, base);
    case QDI_KEY_ONE_OF: return read_form(reader, key, node, base);
    case QDI_KEY_ITEMS:
        if (strcmp(key->path, "stages") == 0) { // they are changes of what is read now
            reader->stages = node;
            return QD_OK;
        }
        return read_list_items(reader, key, node, base);
    case QDI_KEY_NAMED: return read_named(reader, key, node);
    default: return qdi_scene_read_value(reader, key, key->type, node, base);
    }
}

/// Scene's reader: the node below `item` at a path of words, or the last one there is.
static qdi_yaml_ref deepest_node(const qdi_scene_reader *reader, qdi_yaml_ref item,
                                 const char *const *words) {
    for (; *words; ++words) {
        qdi_yaml_ref child = qdi_yaml_find(&reader->yaml, item, *words, strlen(*words));
        if (!child) return item;
        item = child;
    }
    return item;
}

/// What the keys of a listed body must keep to with each other.
static qd_status check_listed(const qdi_scene_reader *reader, const qdi_listed *listed, const char *of,
                              size_t place, qdi_yaml_ref item) {
    qd_body_def body = qdi_listed_body(reader->settings, listed);
    qd_error reason = {""};
    if (listed->is_static && listed->is_kinematic)
        return qdi_scene_complain(reader, item, "%s.list.%zu: static or kinematic, not both", of, place);
    if (qd_shape_normalise(&body.shape, NULL, &reason) != QD_OK)
        return qdi_scene_complain(reader, item, "%s.list.%zu: %.300s", of, place, reason.text);
    char name[96];
    snprintf(name, sizeof name, "%s.list.%zu", of, place);
    return qdi_scene_check_listed_keys(reader, listed, name, item);
}

/// Scene's reader: the same of all that is not made by rule.
static qd_status check_given(const qdi_scene_reader *reader, qdi_body_item *item, const char *of,
                             qdi_yaml_ref node) {
    qd_error reason = {""};
    if (item->kind == QDI_ITEM_POLYLINE && qdi_polyline_edges(reader->settings, item, &reason) != QD_OK) {
        const char *const path[] = {"polyline", "points", NULL};
        return qdi_scene_complain(reader, deepest_node(reader, node, path), "%s.polyline: %.300s", of,
                                  reason.text);
    }
    const char *const path[] = {"list", NULL};
    qdi_yaml_ref list = deepest_node(reader, node, path);
    qdi_yaml_ref child = item->listed_count > 0 ? reader->yaml.nodes[list].first : 0;
    for (size_t k = 0; k < item->listed_count; ++k, child = reader->yaml.nodes[child].next) {
        qd_status status = check_listed(reader, &item->listed[k], of, k, child);
        if (status != QD_OK) return status;
    }
    return QD_OK;
}

/// What the keys of a generator must keep to with each other and with the world.
static qd_status check_item(const qdi_scene_reader *reader, qdi_body_item *disks, const char *of,
                            qdi_yaml_ref item) {
    if (!qdi_item_is_generator(disks)) return check_given(reader, disks, of, item);
    const char *word = qdi_generator_word(disks->kind);
    const qdi_radius *radius = &disks->radius;
    static const char *const forms[] = {"", "uniform", "power", "normal", "lognormal"};
    const char *const form[] = {"disks", "radius", forms[radius->form], NULL};
    if (radius->form >= QDI_RADIUS_POWER && radius->range.x > radius->range.y)
        return qdi_scene_complain(reader, deepest_node(reader, item, form),
                                  "%s.disks.radius.%s: min must not be above max", of, form[2]);
    if (radius->form >= QDI_RADIUS_NORMAL &&
        !(radius->middle >= radius->range.x && radius->middle <= radius->range.y))
        return qdi_scene_complain(reader, deepest_node(reader, item, form),
                                  "%s.disks.radius.%s: %s must be from min to max", of, form[2],
                                  radius->form == QDI_RADIUS_NORMAL ? "mean" : "median");
    if (disks->round && qdi_place_in_rows(disks)) {
        const char *const path[] = {word, "round", NULL};
        return qdi_scene_complain(reader, deepest_node(reader, item, path), "%s.%s.round: rows are not round",
                                  of, word);
    }
    if (disks->corners[0] > disks->corners[1]) {
        const char *const path[] = {"polygons", "corners", NULL};
        return qdi_scene_complain(reader, deepest_node(reader, item, path),
                                  "%s.polygons.corners: the smaller number comes first", of);
    }
    const char *const path[] = {word, "region", NULL};
    return qdi_scene_check_region(reader, &disks->region, word, of, deepest_node(reader, item, path));
}

enum { ITEM_NAME = 64 };

/// Scene's reader: what an item of a list is called, of the scene or of a stage.
static void name_item(const qdi_settings *settings, const char *list, size_t i, char of[ITEM_NAME]) {
    char stage[32] = "";
    if (settings->stage > 0) snprintf(stage, sizeof stage, "stages.%zu.", settings->stage);
    snprintf(of, ITEM_NAME, "%s%.10s.%zu", stage, list, i);
}

/// Scene's reader: whether the shapes of emitters are any good; the world sees to the rest.
qd_status qdi_scene_check_sources(const qdi_scene_reader *reader, qdi_yaml_ref map) {
    const qdi_settings *settings = reader->settings;
    qdi_yaml_ref list = qdi_yaml_find(&reader->yaml, map, "emitters", strlen("emitters"));
    qdi_yaml_ref item = list ? reader->yaml.nodes[list].first : 0;
    for (size_t i = 0; i < settings->source_count; ++i, item = reader->yaml.nodes[item].next) {
        qd_body_def body = qdi_listed_body(settings, &settings->sources[i].body);
        qd_error reason = {""};
        char of[ITEM_NAME];
        name_item(settings, "emitters", i, of);
        if (qd_shape_normalise(&body.shape, NULL, &reason) != QD_OK)
            return qdi_scene_complain(reader, item, "%s: %.300s", of, reason.text);
        if (!(qd_shape_area(&body.shape) > 0))
            return qdi_scene_complain(reader, item, "%s: its bodies have no area", of);
        const qd_status status = qdi_scene_check_listed_keys(reader, &settings->sources[i].body, of, item);
        if (status != QD_OK) return status;
    }
    return QD_OK;
}

// Scene's reader: a query that goes along needs a size.
static qd_status check_query(const qdi_scene_reader *reader, qdi_yaml_ref view, const char *of) {
    const qd_view_camera *query = &reader->settings->view.query;
    if (!isnan(query->x) || (query->follow == QD_VIEW_NOBODY && query->key_count == 0)) return QD_OK;
    const char *const path[] = {"query", NULL};
    return qdi_scene_complain(
        reader, deepest_node(reader, view, path),
        "%sview.query.follow and view.query.path need the size that view.query.region has", of);
}

// Cells of a fields' grid along a side of the world: as many as come next to the length, where there is one.
static double field_cells_along(double side, double length, int otherwise) {
    if (isnan(length)) return otherwise;
    const double cells = floor(side / length + 0.5);
    return cells > 1 ? cells : 1;
}

// Sets the cells of a fields' grid by their length, where that is given. `key` of the node asks for it.
static qd_status settle_cells(const qdi_scene_reader *reader, qdi_yaml_ref node, const char *of,
                              const char *key, double length, int cells[2]) {
    const qd_vec2 size = reader->settings->world.size;
    const double x = field_cells_along(size.x, length, cells[0]),
                 y = field_cells_along(size.y, length, cells[1]);
    if (!(x * y <= QD_FIELD_CELLS_MAX) || x > QD_FIELD_SIDE_MAX || y > QD_FIELD_SIDE_MAX)
        return qdi_scene_complain(reader, node,
                                  "%s%s has %.0f x %.0f cells, at most %d are kept, %d along a side", of, key,
                                  x, y, QD_FIELD_CELLS_MAX, QD_FIELD_SIDE_MAX);
    cells[0] = (int)x;
    cells[1] = (int)y;
    return QD_OK;
}

qd_status qdi_scene_settle_view(const qdi_scene_reader *reader, qdi_yaml_ref node, const char *of) {
    static const char *const field[] = {"field", NULL};
    const qd_scene_run *run = &reader->settings->run;
    qd_view *view = &reader->settings->view;
    const qdi_yaml_ref asked = deepest_node(reader, node, field);
    if (view->field != QD_VIEW_FIELD_NONE && view->colour == QD_VIEW_REFILED)
        return qdi_scene_complain(reader, asked,
                                  "%sview.field and view.colour: refiled cannot be seen together", of);
    view->field_cells[0] = run->field_cells[0];
    view->field_cells[1] = run->field_cells[1];
    qd_status status = check_query(reader, node, of);
    return status == QD_OK
               ? settle_cells(reader, asked, of, "view.field", view->field_length, view->field_cells)
               : status;
}

/// Read scene: rows that are means of samples must end with one.
static qd_status check_samples(const qdi_scene_reader *reader, const char *part, uint64_t every,
                               uint64_t sample) {
    const char *const keys[] = {"record", part, NULL};
    if (sample == 0 || every % sample == 0) return QD_OK;
    return qdi_scene_complain(reader, deepest_node(reader, reader->root, keys),
                              "record.%s.every, %" PRIu64
                              ", must be a multiple of record.%s.sample, %" PRIu64,
                              part, every, part, sample);
}

qd_status qdi_scene_settle_fields(const qdi_scene_reader *reader) {
    static const char *const recorded[] = {"record", "fields", NULL}, *const seen[] = {"view", NULL};
    qd_scene_run *run = &reader->settings->run;
    qd_status status = settle_cells(reader, deepest_node(reader, reader->root, recorded), "", "record.fields",
                                    run->field_length, run->field_cells);
    if (status == QD_OK) status = check_samples(reader, "fields", run->record_fields, run->field_sample);
    if (status == QD_OK)
        status = check_samples(reader, "distributions", run->record_distributions, run->distribution_sample);
    return status == QD_OK ? qdi_scene_settle_view(reader, deepest_node(reader, reader->root, seen), "")
                           : status;
}

qd_status qdi_scene_check_rules(const qdi_scene_reader *reader, qdi_yaml_ref list, const char *of) {
    const qdi_settings *settings = reader->settings;
    qdi_yaml_ref item = reader->yaml.nodes[list].first;
    if (settings->rule_count > QD_UNTIL_MAX)
        return qdi_scene_complain(reader, list, "%s: more than %d rules", of, QD_UNTIL_MAX);
    for (size_t i = 0; i < settings->rule_count; ++i, item = reader->yaml.nodes[item].next) {
        const qd_until_rule *rule = &settings->rules[i];
        if (rule->kind == QD_UNTIL_STEADY && rule->window < settings->run.until_every)
            return qdi_scene_complain(reader, item,
                                      "%s.%zu.steady.window: must be %" PRIu64 " (run.until_every) or more",
                                      of, i, settings->run.until_every);
        if (rule->kind == QD_UNTIL_CONTACT && rule->first == rule->last)
            return qdi_scene_complain(reader, item, "%s.%zu.contact: no body touches itself", of, i);
        if (rule->kind == QD_UNTIL_GONE && rule->first != QD_UNTIL_EMITTED && rule->first > rule->last)
            return qdi_scene_complain(reader, item, "%s.%zu.gone: first must not be above last", of, i);
    }
    return QD_OK;
}

qd_status qdi_scene_check_items(const qdi_scene_reader *reader, qdi_yaml_ref list) {
    const qdi_settings *settings = reader->settings;
    qdi_yaml_ref item = list ? reader->yaml.nodes[list].first : 0;
    uint64_t total = 0;
    for (size_t i = 0; i < settings->item_count; ++i, item = reader->yaml.nodes[item].next) {
        char of[ITEM_NAME];
        name_item(settings, qdi_items_word(settings), i, of);
        qd_status status = check_item(reader, &settings->items[i], of, item);
        if (status == QD_OK) status = qdi_scene_check_item_keys(reader, &settings->items[i], of, item);
        if (status != QD_OK) return status;
        total += settings->items[i].count;
        if (total > QDI_BODIES_MAX)
            return qdi_scene_complain(reader, item, "bodies: more than %u in all", QDI_BODIES_MAX);
    }
    return QD_OK;
}

// Checks what a scene says as a whole.
static qd_status check_scene(const qdi_scene_reader *reader) {
    const qdi_settings *settings = reader->settings;
    qd_error reason;
    char quote[QDI_QUOTE_ROOM];
    qdi_quote(quote, reader->name, strlen(reader->name));
    if (qdi_world_def_check(&settings->world, &reason) != QD_OK)
        return qdi_reason(reader->error, QD_ERR_INVALID, "%s: %.300s", quote, reason.text);
    const qdi_yaml_ref list = qdi_yaml_find(&reader->yaml, reader->root, "bodies", strlen("bodies"));
    qd_status status = qdi_scene_check_items(reader, list);
    const char *const path[] = {"run", "until", NULL};
    if (status == QD_OK && settings->rule_count > 0)
        status = qdi_scene_check_rules(reader, deepest_node(reader, reader->root, path), "run.until");
    if (status == QD_OK) status = qdi_scene_note_materials(reader);
    return status == QD_OK ? qdi_scene_check_sources(reader, reader->root) : status;
}

qd_status qdi_scene_read_tree(qdi_scene_reader *reader) {
    reader->path[0] = 0;
    if (reader->yaml.nodes[reader->root].kind != QDI_YAML_MAP)
        return qdi_scene_complain(reader, reader->root, "a scene must be a mapping (key: value)");
    uint64_t given = 0;
    qd_status status = read_map(reader, NULL, reader->root, reader->settings, &given);
    if (status == QD_OK) status = qdi_scene_files_read(reader);
    return status == QD_OK ? check_scene(reader) : status;
}
