#include "sim/scene/scene_impl.h"

#include <inttypes.h>
#include <math.h>
#include <quadrille/metrics.h>
#include <stdio.h>
#include <string.h>

// Writes numbers of a scene as a list.
static void write_pair(qdi_text *text, const double *values, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        qdi_text_add(text, i > 0 ? ", " : "[");
        qdi_text_add_number(text, values[i]);
    }
    qdi_text_add(text, "]");
}

/// Scene's writer: the same, or one lone number; `auto` where the first is NaN.
static void add_or_auto(qdi_text *text, const double *values, size_t count) {
    if (isnan(*values))
        qdi_text_add(text, "auto");
    else if (count == 1)
        qdi_text_add_number(text, *values);
    else
        write_pair(text, values, count);
}

/// A whole number; `last` for the highest.
static void add_or_last(qdi_text *text, uint64_t number) {
    if (number == UINT64_MAX)
        qdi_text_add(text, "last");
    else
        qdi_text_add_integer(text, number);
}

/// Scene's writer: in quotes, for a hash may look like a number.
static void add_hash(qdi_text *text, uint64_t hash) {
    char digits[24];
    snprintf(digits, sizeof digits, "\"%016" PRIx64 "\"", hash);
    qdi_text_add(text, digits);
}

// Writes points of a scene.
static void write_points(const qdi_settings *settings, const qdi_points *points, qdi_text *text) {
    qdi_text_add(text, "[");
    for (size_t i = 0; i < points->count; ++i) {
        qd_vec2 point = settings->points[points->first + i];
        if (i > 0) qdi_text_add(text, ", ");
        write_pair(text, (double[]){point.x, point.y}, 2);
    }
    qdi_text_add(text, "]");
}

// Writes the key frames of a scene's camera.
static void write_camera_path(const qd_view_camera *camera, qdi_text *text) {
    qdi_text_add(text, "[");
    for (int i = 0; i < camera->key_count; ++i) {
        const qd_view_key *key = &camera->keys[i];
        if (i > 0) qdi_text_add(text, ", ");
        write_pair(text, (double[]){key->time, key->x, key->y, key->zoom}, 4);
    }
    qdi_text_add(text, "]");
}

/// Scene's writer: writes the words of a set of bits as a list.
static void add_words(const qdi_key *key, uint32_t bits, qdi_text *text) {
    size_t bytes = 0;
    bool planned = false;
    if (bits == 0 || bits == (uint32_t)key->high) {
        qdi_text_add(text, bits == 0 ? "false" : "true");
        return;
    }
    const char *word = NULL, *before = "[";
    for (int i = 0; (word = qdi_schema_choice_word(key, i, &bytes, &planned)) != NULL; ++i) {
        if (!(bits >> i & 1)) continue;
        qdi_text_add(text, before);
        qdi_text_add_bytes(text, word, bytes);
        before = ", ";
    }
    qdi_text_add(text, "]");
}

// Writes a body's id, or the word that stands for some.
static void add_label(const qdi_key *key, uint64_t label, qdi_text *text) {
    size_t bytes = 0;
    bool planned = false;
    const int number = UINT64_MAX - label < 16 ? (int)(UINT64_MAX - label) : -1;
    const char *word = number < 0 ? NULL : qdi_schema_choice_word(key, number, &bytes, &planned);
    if (word)
        qdi_text_add_bytes(text, word, bytes);
    else
        qdi_text_add_integer(text, label);
}

void qdi_scene_write_value(const qdi_key *key, qdi_key_type type, const void *base, qdi_text *text) {
    const void *place = (const char *)base + key->offset;
    const double *real = place;
    const int *whole = place;
    size_t bytes = 0;
    bool planned = false;
    switch (type) {
    case QDI_KEY_NONE:
    case QDI_KEY_GROUP:
    case QDI_KEY_EACH:
    case QDI_KEY_ONE_OF:
    case QDI_KEY_ITEMS:
    case QDI_KEY_NAMED: break;
    case QDI_KEY_MATERIAL:
    case QDI_KEY_MATERIAL_PAIR: qdi_text_add(text, "none"); break; // write_material has names
    case QDI_KEY_METRIC: qdi_text_add(text, qd_metric_fields(&bytes)[*whole].name); break;
    case QDI_KEY_NAME: qdi_text_add(text, place); break;
    case QDI_KEY_UINT64: qdi_text_add_integer(text, *(const uint64_t *)place); break;
    case QDI_KEY_TEXT: { // the names of copies, which need no quotes
        const qdi_text *kept = place;
        qdi_text_add_bytes(text, kept->chars, kept->used);
        break;
    }
    case QDI_KEY_HASH: add_hash(text, *(const uint64_t *)place); break;
    case QDI_KEY_UINT64_OR_LAST: add_or_last(text, *(const uint64_t *)place); break;
    case QDI_KEY_UINT32: qdi_text_add_integer(text, *(const uint32_t *)place); break;
    case QDI_KEY_INT: qdi_text_add_number(text, *whole); break;
    case QDI_KEY_INT_PAIR: write_pair(text, (double[]){whole[0], whole[1]}, 2); break;
    case QDI_KEY_REAL: qdi_text_add_number(text, *real); break;
    case QDI_KEY_REAL_OR_AUTO: add_or_auto(text, real, 1); break;
    case QDI_KEY_PAIR:
    case QDI_KEY_RANGE:
    case QDI_KEY_PAIR_OR_ZERO: write_pair(text, real, 2); break;
    case QDI_KEY_RANGE_OR_AUTO:
    case QDI_KEY_PAIR_OR_AUTO: add_or_auto(text, real, 2); break;
    case QDI_KEY_POINTS: qdi_text_add(text, "[]"); break; // where there are some, add_points writes them
    case QDI_KEY_REGION: write_pair(text, real, 4); break;
    case QDI_KEY_REGION_OR_AUTO: add_or_auto(text, real, 4); break;
    case QDI_KEY_LABEL: add_label(key, *(const uint64_t *)place, text); break;
    case QDI_KEY_CAMERA_PATH: write_camera_path(place, text); break;
    case QDI_KEY_BOOL: qdi_text_add(text, *(const bool *)place ? "true" : "false"); break;
    case QDI_KEY_WORDS: add_words(key, *(const uint32_t *)place, text); break;
    case QDI_KEY_CHOICE: {
        const char *word = qdi_schema_choice_word(key, *whole, &bytes, &planned);
        qdi_text_add_bytes(text, word, bytes);
        break;
    }
    }
}

// Whether a scene key lies below a path.
static bool is_key_below(const qdi_key *key, const char *path) {
    return strncmp(key->path, path, strlen(path)) == 0;
}

// Whether a scene key belongs to one of several forms of a value.
static bool is_form_key(const qdi_key *key) {
    return strstr(key->path, ".radius.") || strstr(key->path, ".velocity.") || strstr(key->path, ".frame.") ||
           strstr(key->path, ".scale.") || strstr(key->path, ".spin.");
}

bool qdi_scene_write_default(const qdi_key *key, qdi_text *text) {
    const qdi_key_type type = key->type == QDI_KEY_ONE_OF ? key->plain : key->type;
    const bool plain = type != QDI_KEY_NONE && type != QDI_KEY_GROUP && type != QDI_KEY_EACH &&
                       type != QDI_KEY_ONE_OF && type != QDI_KEY_ITEMS && type != QDI_KEY_NAMED;
    if (key->required || key->planned || !plain || is_form_key(key)) return false;
    const qdi_settings settings = qdi_settings_default();
    const qdi_body_item item = qdi_disks_default();
    const qdi_listed listed = qdi_listed_default();
    const qdi_source source = qdi_source_default();
    const qdi_drain drain = qdi_drain_default();
    const qdi_named named = qdi_named_default();
    const qdi_pair pair = qdi_pair_default();
    const qd_until_rule rule = qdi_until_default();
    const qdi_stage stage = qdi_stage_default();
    const qdi_pick pick = qdi_pick_default();
    const qdi_body_change change = qdi_body_change_default();
    const void *base = &settings;
    if (is_key_below(key, "bodies[].list[]"))
        base = &listed;
    else if (is_key_below(key, "bodies[]"))
        base = &item;
    else if (is_key_below(key, "emitters[]"))
        base = &source;
    else if (is_key_below(key, "run.until[]"))
        base = &rule;
    else if (is_key_below(key, "stages[].remove[]"))
        base = &pick;
    else if (is_key_below(key, "stages[].change[]"))
        base = &change;
    else if (is_key_below(key, "stages[]"))
        base = &stage;
    else if (is_key_below(key, "sinks[]"))
        base = &drain;
    else if (is_key_below(key, "materials[]"))
        base = &named;
    else if (is_key_below(key, "materials.pairs[]"))
        base = &pair;
    qdi_scene_write_value(key, type, base, text);
    return true;
}

// Begins a line of a scene, indented by its depth.
static void write_indent(qdi_text *text, int depth) {
    for (int i = 0; i < depth; ++i) qdi_text_add(text, "  ");
}

static void write_below(const qdi_settings *settings, const qdi_key *parent, const void *base, int depth,
                        qdi_text *text);

static void write_scene_items(const qdi_settings *settings, const qdi_key *key, const void *base, int depth,
                              qdi_text *text);

// Of a stage's own keys only those are written that say something.
static bool is_stage_key_left_out(const qdi_key *key, const void *base) {
    const qdi_stage *stage = base;
    const char *word = qdi_schema_word(key);
    if (is_key_below(key, "stages[].remove[]") || is_key_below(key, "stages[].change[]")) {
        const char *place = (const char *)base + key->offset;
        uint64_t whole = 1;
        double real = 0;
        int kind = 1;
        if (key->type == QDI_KEY_UINT64) memcpy(&whole, place, sizeof whole);
        if (key->type == QDI_KEY_CHOICE) memcpy(&kind, place, sizeof kind);
        if (key->type == QDI_KEY_MATERIAL) memcpy(&kind, place, sizeof kind);
        if (key->type == QDI_KEY_RANGE_OR_AUTO || key->type == QDI_KEY_REGION_OR_AUTO ||
            key->type == QDI_KEY_PAIR_OR_AUTO || key->type == QDI_KEY_REAL_OR_AUTO)
            memcpy(&real, place, sizeof real);
        return whole == 0 || kind == 0 || isnan(real);
    }
    if (strcmp(word, "steps") == 0) return stage->steps == 0;
    if (strcmp(word, "time") == 0) return true; // it has become steps
    if (strcmp(word, "until") == 0) return stage->settings.rule_count == 0;
    if (strcmp(word, "at_most") == 0) return stage->at_most == 0;
    if (strcmp(word, "remove") == 0) return stage->removal_count == 0;
    if (strcmp(word, "change") == 0) return stage->change_count == 0;
    if (strcmp(word, "add") == 0) return stage->settings.item_count == 0;
    return false;
}

// Whether some rule ends the run or a stage.
static bool has_rules(const qdi_settings *settings) {
    bool any = settings->rule_count > 0;
    for (size_t k = 0; k < settings->stage_count && !any; ++k)
        any = settings->stages[k].settings.rule_count > 0;
    return any;
}

// Whether a key is not written: most surfaces are of no material, and most runs have no rule that ends them.
static bool is_left_out(const qdi_key *key, const void *base) {
    if (strcmp(key->path, "run.until_every") == 0) return !has_rules(base);
    if (strcmp(key->path, "run.until") == 0) return ((const qdi_settings *)base)->rule_count == 0;
    if (key->otherwise && key->type == QDI_KEY_NAME) return ((const char *)base)[key->offset] == '\0';
    if (strcmp(key->path, "run.at_least") == 0) return ((const qdi_settings *)base)->run.at_least == 0;
    if (strcmp(key->path, "stages") == 0) return ((const qdi_settings *)base)->stage_count == 0;
    if (is_key_below(key, "stages[]")) return is_stage_key_left_out(key, base);
    uint32_t of = 1;
    if (key->type == QDI_KEY_MATERIAL) memcpy(&of, (const char *)base + key->offset, sizeof of);
    return of == 0;
}

// Scene's writer: writes the names of one material or two.
static void write_material(const qdi_settings *settings, const qdi_key *key, const void *place,
                           qdi_text *text) {
    uint32_t of[2];
    const bool pair = key->type == QDI_KEY_MATERIAL_PAIR;
    memcpy(of, place, pair ? sizeof of : sizeof of[0]);
    qdi_text_add(text, pair ? "[" : "");
    qdi_text_add(text, of[0] ? settings->named[of[0] - 1].name : "none");
    if (!pair) return;
    qdi_text_add(text, ", ");
    qdi_text_add(text, settings->named[of[1] - 1].name);
    qdi_text_add(text, "]");
}

/// Writes what stands behind "key:".
static void write_content(const qdi_settings *settings, const qdi_key *key, const void *base, int depth,
                          qdi_text *text) {
    int form = 0;
    if (key->type == QDI_KEY_ONE_OF) memcpy(&form, (const char *)base + key->form, sizeof form);
    bool plain = key->type != QDI_KEY_GROUP && key->type != QDI_KEY_EACH && form == 0;
    if (plain) {
        qdi_text_add(text, " ");
        const void *place = (const char *)base + key->offset;
        if (key->type == QDI_KEY_POINTS)
            write_points(settings, place, text);
        else if (key->type == QDI_KEY_MATERIAL || key->type == QDI_KEY_MATERIAL_PAIR)
            write_material(settings, key, place, text);
        else
            qdi_scene_write_value(key, key->type == QDI_KEY_ONE_OF ? key->plain : key->type, base, text);
    }
    qdi_text_add(text, "\n");
    if (!plain) write_below(settings, key, base, depth + 1, text);
}

/// An item of `bodies` or `run.until`: the key of its kind, and what is below.
static void write_item(const qdi_settings *settings, const qdi_key *item, const void *base, int depth,
                       qdi_text *text) {
    const qdi_key *kind = qdi_schema_next(item, NULL);
    int last = 0;
    memcpy(&last, (const char *)base + item->form, sizeof last);
    for (int form = 1; form < last; ++form) kind = qdi_schema_next(item, kind);
    write_indent(text, depth);
    qdi_text_add(text, "- ");
    qdi_text_add(text, qdi_schema_word(kind));
    qdi_text_add(text, ":");
    if (kind->type == QDI_KEY_ITEMS)
        write_scene_items(settings, kind, base, depth + 1, text);
    else
        write_content(settings, kind, base, depth + 1, text);
}

/// An item with keys of its own: a listed body, an emitter, a sink.
static void write_listed(const qdi_settings *settings, const qdi_key *item, const void *body, int depth,
                         qdi_text *text) {
    bool first = true;
    for (const qdi_key *key = NULL; (key = qdi_schema_next(item, key)) != NULL;) {
        if (key->planned || is_left_out(key, body)) continue;
        write_indent(text, first ? depth : depth + 1);
        qdi_text_add(text, first ? "- " : "");
        qdi_text_add(text, qdi_schema_word(key));
        qdi_text_add(text, ":");
        if (key->type == QDI_KEY_ITEMS)
            write_scene_items(settings, key, body, depth + 1, text);
        else
            write_content(settings, key, body, depth + 1, text);
        first = false;
    }
}

/// A list of a scene as it is written.
typedef struct written_list {
    const void *items;
    size_t count, size;
    bool forms; ///< its items are each one of several forms
} written_list;

// Where the items of a list are that is to be written.
static written_list written_list_of(const qdi_key *key, const void *base) {
    const qdi_settings *settings = base;
    const qdi_stage *stage = base;
    const qdi_body_item *disks = base;
    if (strcmp(key->path, "emitters") == 0)
        return (written_list){settings->sources, settings->source_count, sizeof *settings->sources, false};
    if (strcmp(key->path, "sinks") == 0)
        return (written_list){settings->drains, settings->drain_count, sizeof *settings->drains, false};
    if (strcmp(key->path, "materials.pairs") == 0)
        return (written_list){settings->pairs, settings->pair_count, sizeof *settings->pairs, false};
    if (strcmp(key->path, "run.until") == 0)
        return (written_list){settings->rules, settings->rule_count, sizeof *settings->rules, true};
    if (strcmp(key->path, "stages[].remove") == 0)
        return (written_list){stage->removals, stage->removal_count, sizeof *stage->removals, false};
    if (strcmp(key->path, "stages[].change") == 0)
        return (written_list){stage->changes, stage->change_count, sizeof *stage->changes, false};
    if (strcmp(key->path, "bodies") == 0)
        return (written_list){settings->items, settings->item_count, sizeof *settings->items, true};
    return (written_list){disks->listed, disks->listed_count, sizeof *disks->listed, false};
}

// Writes a list of a scene, item by item.
static void write_scene_items(const qdi_settings *settings, const qdi_key *key, const void *base, int depth,
                              qdi_text *text) {
    if (key->like) { // a stage keeps them in its settings
        key = qdi_schema_find(key->like, strlen(key->like));
        base = settings;
    }
    const qdi_key *item = qdi_schema_next(key, NULL);
    const written_list list = written_list_of(key, base);
    qdi_text_add(text, list.count > 0 ? "\n" : " []\n");
    for (size_t i = 0; i < list.count; ++i) {
        const void *given = (const char *)list.items + i * list.size;
        if (list.forms)
            write_item(settings, item, given, depth + 1, text);
        else
            write_listed(settings, item, given, depth + 1, text);
    }
}

// Writes the materials of a scene, and their pairs.
static void write_materials(const qdi_settings *settings, const qdi_key *key, int depth, qdi_text *text) {
    const qdi_key *item = qdi_schema_next(key, NULL), *pairs = qdi_schema_next(key, item);
    qdi_text_add(text, settings->named_count > 0 ? "\n" : " {}\n");
    for (size_t k = 0; k < settings->named_count; ++k) {
        write_indent(text, depth + 1);
        qdi_text_add(text, settings->named[k].name);
        qdi_text_add(text, ":\n");
        write_below(settings, item, &settings->named[k], depth + 2, text);
    }
    if (settings->named_count == 0) return;
    write_indent(text, depth + 1);
    qdi_text_add(text, "pairs:");
    write_scene_items(settings, pairs, settings, depth + 1, text);
}

// ---- stages ----

static void write_key(const qdi_settings *settings, const qdi_key *key, const void *base, int depth,
                      qdi_text *text);

// Writes the keys below `parent` whose values differ from those before.
static void write_changes(const qdi_settings *before, const qdi_settings *settings, const qdi_key *parent,
                          int depth, qdi_text *text) {
    for (const qdi_key *key = NULL; (key = qdi_schema_next(parent, key)) != NULL;) {
        if (key->planned || key->type == QDI_KEY_ITEMS || key->type == QDI_KEY_NAMED || qdi_stage_keeps(key))
            continue;
        qdi_text old = {.allocator = text->allocator}, new = {.allocator = text->allocator};
        if (key->type == QDI_KEY_GROUP) {
            write_changes(before, settings, key, depth + 1, &new);
            if (new.used > 0) {
                write_indent(text, depth);
                qdi_text_add(text, qdi_schema_word(key));
                qdi_text_add(text, ":\n");
            }
        } else {
            write_key(before, key, before, depth, &old);
            write_key(settings, key, settings, depth, &new);
            if (new.used > 0 && old.used == new.used && memcmp(old.chars, new.chars, new.used) == 0)
                new.used = 0;
        }
        if (new.used > 0) qdi_text_add_bytes(text, new.chars, new.used);
        if (old.status != QD_OK || new.status != QD_OK) text->status = QD_ERR_MEMORY;
        qdi_text_release(&old);
        qdi_text_release(&new);
    }
}

// Writes the stages of a scene: what each has of its own, and what it changes.
static void write_stages(const qdi_settings *settings, const qdi_key *key, int depth, qdi_text *text) {
    const qdi_key *item = qdi_schema_next(key, NULL);
    const qdi_settings *before = settings;
    qdi_text_add(text, "\n");
    for (size_t k = 0; k < settings->stage_count; ++k) {
        const qdi_stage *stage = &settings->stages[k];
        write_listed(&stage->settings, item, stage, depth + 1, text);
        if (k > 0) write_changes(before, &stage->settings, NULL, depth + 2, text);
        if (k > 0 && stage->emits)
            write_key(&stage->settings, qdi_schema_find("emitters", 8), &stage->settings, depth + 2, text);
        if (k > 0 && stage->drains)
            write_key(&stage->settings, qdi_schema_find("sinks", 5), &stage->settings, depth + 2, text);
        before = &stage->settings;
    }
}

// Writes one key with all that is below it.
static void write_key(const qdi_settings *settings, const qdi_key *key, const void *base, int depth,
                      qdi_text *text) {
    write_indent(text, depth);
    qdi_text_add(text, qdi_schema_word(key));
    qdi_text_add(text, ":");
    if (strcmp(key->path, "stages") == 0)
        write_stages(settings, key, depth, text);
    else if (key->type == QDI_KEY_ITEMS)
        write_scene_items(settings, key, base, depth, text);
    else if (key->type == QDI_KEY_NAMED)
        write_materials(settings, key, depth, text);
    else
        write_content(settings, key, base, depth, text);
}

/// Writes the keys below `parent` (NULL: of the scene) that are built; of several forms the one that was
/// given.
static void write_below(const qdi_settings *settings, const qdi_key *parent, const void *base, int depth,
                        qdi_text *text) {
    int form = 0, number = 0;
    bool one_of = parent && parent->type == QDI_KEY_ONE_OF;
    if (one_of) memcpy(&form, (const char *)base + parent->form, sizeof form);
    for (const qdi_key *key = NULL; (key = qdi_schema_next(parent, key)) != NULL;) {
        ++number;
        if (key->planned || (one_of && number != form) || is_left_out(key, base)) continue;
        write_key(settings, key, base, depth, text);
    }
}

void qdi_scene_write(const qdi_settings *settings, qdi_text *text) {
    write_below(settings, NULL, settings, 0, text);
}
