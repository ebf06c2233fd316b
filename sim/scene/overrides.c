#include "sim/scene/generate.h"
#include "sim/scene/scene_impl.h"

#include <math.h>
#include <string.h>

/// One `--set` on its way down the tree.
typedef struct set_walk {
    qdi_scene_reader *reader;
    uint32_t source;
    const char *key; ///< what is left of the path
    const char *end; ///< of the path
    qdi_yaml_ref node;
    const qdi_key *schema; ///< of the node; NULL: of the whole scene (see `lost`)
    bool lost;             ///< the schema knows nothing of this path; reading will say so
} set_walk;

// Scene: refuses an override (--set) of a key, and says why.
static qd_status refuse_set(const set_walk *walk, const char *why) {
    qdi_yaml_fault fault = {0};
    qdi_quote(fault.text, why, strlen(why));
    return qdi_scene_malformed(walk->reader, walk->source, &fault);
}

/// The key below `parent` that is called `word`.
static const qdi_key *key_below(const qdi_key *parent, const char *word, size_t bytes) {
    const qdi_key *key = NULL;
    if (parent && parent->like) parent = qdi_schema_find(parent->like, strlen(parent->like));
    while ((key = qdi_schema_next(parent, key)) != NULL) {
        const char *known = qdi_schema_word(key);
        bool item = parent && parent->type == QDI_KEY_ITEMS;
        bool named = parent && parent->type == QDI_KEY_NAMED &&
                     !(bytes == 5 && memcmp(word, "pairs", 5) == 0);
        if (item || named || (strlen(known) == bytes && memcmp(known, word, bytes) == 0)) break;
    }
    return key;
}

/// Finds the key below the walk's own that is called `word`; a stage has those of a scene, too.
static void schema_enter(set_walk *walk, const char *word, size_t bytes) {
    const qdi_key *key = walk->lost ? NULL : key_below(walk->schema, word, bytes);
    if (!key && !walk->lost && walk->schema && strcmp(walk->schema->path, "stages[]") == 0)
        key = key_below(NULL, word, bytes);
    walk->schema = key;
    if (!key) walk->lost = true;
}

/// Makes a plain value a map that keys can be put into. A value for each of several keys is given to each of
/// them first.
static qd_status open_value(set_walk *walk) {
    qdi_yaml *yaml = &walk->reader->yaml;
    qdi_yaml_node value = yaml->nodes[walk->node];
    qdi_yaml_clear(yaml, walk->node, walk->source);
    if (walk->lost || !walk->schema || walk->schema->type != QDI_KEY_EACH) return QD_OK;
    for (const qdi_key *key = NULL; (key = qdi_schema_next(walk->schema, key)) != NULL;) {
        const char *word = qdi_schema_word(key);
        qdi_yaml_ref child = 0;
        qd_status status = qdi_yaml_append(yaml, walk->node, word, strlen(word), value.source, &child);
        if (status != QD_OK) return status;
        qdi_yaml_node *made = &yaml->nodes[child];
        made->kind = QDI_YAML_VALUE;
        made->plain = value.plain;
        made->line = value.line;
        made->text = value.text;
        made->bytes = value.bytes;
    }
    return QD_OK;
}

/// Scene's overrides: the stage with a name, or 0.
static qdi_yaml_ref find_stage(const qdi_yaml *yaml, qdi_yaml_ref list, const char *word, size_t bytes) {
    for (qdi_yaml_ref stage = yaml->nodes[list].first; stage; stage = yaml->nodes[stage].next) {
        const qdi_yaml_ref name = yaml->nodes[stage].kind == QDI_YAML_MAP
                                      ? qdi_yaml_find(yaml, stage, "name", 4)
                                      : 0;
        if (name && yaml->nodes[name].kind == QDI_YAML_VALUE && yaml->nodes[name].bytes == bytes &&
            memcmp(yaml->chars + yaml->nodes[name].text, word, bytes) == 0)
            return stage;
    }
    return 0;
}

// Scene's overrides: goes to an item of a list that --set names.
static qd_status enter_set_item(set_walk *walk, const char *word, size_t bytes) {
    qdi_yaml_ref child = 0;
    size_t number = 0;
    bool digits = bytes > 0 && bytes < 8;
    for (size_t i = 0; digits && i < bytes; ++i) {
        digits = word[i] >= '0' && word[i] <= '9';
        number = number * 10 + (size_t)(word[i] - '0');
    }
    if (digits) child = qdi_yaml_child(&walk->reader->yaml, walk->node, number);
    const bool stages = !walk->lost && walk->schema && strcmp(walk->schema->path, "stages") == 0;
    if (!child && stages) child = find_stage(&walk->reader->yaml, walk->node, word, bytes);
    if (!child && stages)
        return refuse_set(walk, "there is no stage of this name or number (they count from 0)");
    if (!child) return refuse_set(walk, "the list has no item of this number (they count from 0)");
    walk->node = child;
    return QD_OK;
}

// Goes to a key that --set names, and makes it where it is missing.
static qd_status enter_set_key(set_walk *walk, const char *word, size_t bytes) {
    qdi_yaml *yaml = &walk->reader->yaml;
    if (yaml->nodes[walk->node].kind == QDI_YAML_VALUE) {
        qd_status status = open_value(walk);
        if (status != QD_OK) return status;
    }
    qdi_yaml_ref child = qdi_yaml_find(yaml, walk->node, word, bytes);
    if (!child) {
        // Of several forms only one can be: the new one takes the place of the old.
        bool replaces = !walk->lost && walk->schema && walk->schema->type == QDI_KEY_ONE_OF;
        if (replaces) qdi_yaml_clear(yaml, walk->node, walk->source);
        qd_status status = qdi_yaml_append(yaml, walk->node, word, bytes, walk->source, &child);
        if (status == QD_ERR_LIMIT) return refuse_set(walk, "the scene holds too many values");
        if (status != QD_OK) return status;
    }
    walk->node = child;
    return QD_OK;
}

/// Scene's overrides: goes down to the node that the path names, and makes what is missing on the way.
static qd_status descend_path(set_walk *walk) {
    for (;;) {
        const char *dot = memchr(walk->key, '.', (size_t)(walk->end - walk->key));
        size_t bytes = (size_t)((dot ? dot : walk->end) - walk->key);
        bool list = walk->reader->yaml.nodes[walk->node].kind == QDI_YAML_LIST;
        qd_status status = list ? enter_set_item(walk, walk->key, bytes)
                                : enter_set_key(walk, walk->key, bytes);
        if (status != QD_OK) return status;
        schema_enter(walk, walk->key, bytes);
        if (!dot) return QD_OK;
        walk->key = dot + 1;
    }
}

// Scene's overrides: takes a key out of a stage, where it has it; `word` is its path, up to `end`.
static void forget_in_stage(qdi_yaml *yaml, qdi_yaml_ref node, const char *word, const char *end) {
    for (;;) {
        const char *dot = memchr(word, '.', (size_t)(end - word));
        const size_t bytes = (size_t)((dot ? dot : end) - word);
        const bool map = yaml->nodes[node].kind == QDI_YAML_MAP;
        const qdi_yaml_ref child = map ? qdi_yaml_find(yaml, node, word, bytes) : 0;
        if (!child) return;
        if (!dot) {
            qdi_yaml_remove(yaml, node, child);
            return;
        }
        node = child;
        word = dot + 1;
    }
}

/// Scene's overrides: what is set of frames and view holds for the whole run, whatever stages say: who wants
/// no frames, or other colours, means all of it.
static void forget_in_stages(qdi_scene_reader *reader, const char *path, const char *end) {
    qdi_yaml *yaml = &reader->yaml;
    if (strncmp(path, "frames.", 7) != 0 && strncmp(path, "view.", 5) != 0) return;
    const qdi_yaml_ref list = qdi_yaml_find(yaml, reader->root, "stages", strlen("stages"));
    if (!list || yaml->nodes[list].kind != QDI_YAML_LIST) return;
    for (qdi_yaml_ref stage = yaml->nodes[list].first; stage; stage = yaml->nodes[stage].next)
        forget_in_stage(yaml, stage, path, end);
}

// Applies a --set to the scene's YAML.
static qd_status apply_set(qdi_scene_reader *reader, size_t number) {
    const char *text = reader->changes->sets[number];
    const char *equals = strchr(text, '=');
    set_walk walk = {.reader = reader, .source = (uint32_t)number + 1, .key = text, .node = reader->root};
    if (!equals || equals == text) return refuse_set(&walk, "must be KEY=VALUE");
    walk.end = equals;
    qdi_yaml_ref value = 0;
    qdi_yaml_fault fault = {0};
    const char *content = equals + 1;
    qd_status status = qdi_yaml_read(&reader->yaml, content, strlen(content), walk.source, &value, &fault);
    if (status == QD_ERR_INVALID) return qdi_scene_malformed(reader, walk.source, &fault);
    if (status != QD_OK) return status;
    if (!value) return refuse_set(&walk, "has no value");
    status = descend_path(&walk);
    if (status != QD_OK) return status;
    qdi_yaml_become(&reader->yaml, walk.node, value);
    forget_in_stages(reader, text, equals);
    return QD_OK;
}

qd_status qdi_overrides_apply(qdi_scene_reader *reader) {
    if (!reader->changes || reader->yaml.nodes[reader->root].kind != QDI_YAML_MAP) return QD_OK;
    qd_status status = QD_OK;
    for (size_t i = 0; i < reader->changes->set_count && status == QD_OK; ++i) status = apply_set(reader, i);
    return status;
}

/// Scene's overrides: shares `bodies` out in proportion to the counts. Rounding the running sums leaves every
/// share within one of its due, and the sum exact.
static void share_out(qdi_settings *settings, uint64_t total, uint64_t bodies) {
    uint64_t running = 0, given = 0;
    for (size_t i = 0; i < settings->item_count; ++i) {
        running += settings->items[i].count;
        uint64_t due = running * bodies / total;
        settings->items[i].count = due - given;
        given = due;
    }
}

qd_status qdi_overrides_scale(qdi_settings *settings, uint64_t bodies, qd_error *error) {
    uint64_t total = 0;
    for (size_t i = 0; i < settings->item_count; ++i) total += settings->items[i].count;
    if (bodies > QDI_BODIES_MAX)
        return qdi_reason(error, QD_ERR_ARGUMENT, "--bodies: at most %u", QDI_BODIES_MAX);
    for (size_t i = 0; i < settings->item_count; ++i)
        if (!qdi_item_is_generator(&settings->items[i]))
            return qdi_reason(error, QD_ERR_ARGUMENT,
                              "--bodies: bodies.%zu is no generator: it cannot be scaled", i);
    if (settings->source_count + settings->drain_count > 0)
        return qdi_reason(error, QD_ERR_ARGUMENT,
                          "--bodies: the scene has emitters or sinks: it cannot be scaled");
    if (total == 0)
        return qdi_reason(error, QD_ERR_ARGUMENT, "--bodies: the scene has no generator to scale");
    double factor = sqrt((double)bodies / (double)total);
    qd_vec2 origin = settings->world.origin;
    settings->world.size.x *= factor;
    settings->world.size.y *= factor;
    for (size_t i = 0; i < settings->item_count; ++i) {
        qdi_region *region = &settings->items[i].region;
        region->x = origin.x + (region->x - origin.x) * factor;
        region->y = origin.y + (region->y - origin.y) * factor;
        region->width *= factor;
        region->height *= factor;
    }
    share_out(settings, total, bodies);
    return QD_OK;
}
