#include "core/base/memory.h"
#include "sim/scene/scene_impl.h"
#include "sim/text/number.h"
#include "sim/text/suggest.h"

#include <limits.h>
#include <math.h>
#include <quadrille/metrics.h>
#include <stdio.h>
#include <string.h>

/// The place of a key's value.
static void *place_of(const qdi_key *key, void *base) {
    return (char *)base + key->offset;
}

/// Scene's values: true for a number so large, or a list with one, that it may be beyond bounds which
/// otherwise would tell nobody anything.
static bool is_huge(const qdi_scene_reader *reader, const qdi_key *key, qdi_yaml_ref node) {
    const qdi_yaml_node *here = &reader->yaml.nodes[node];
    double value = 0;
    if (here->kind == QDI_YAML_VALUE)
        return here->plain && qdi_number_read(reader->yaml.chars + here->text, here->bytes, &value) &&
               !(fabs(value) < 1e15) && (value > key->high || value < key->low);
    if (here->kind != QDI_YAML_LIST) return false;
    qdi_yaml_ref child = here->first;
    for (uint32_t i = 0; i < here->count; ++i, child = reader->yaml.nodes[child].next)
        if (is_huge(reader, key, child)) return true;
    return false;
}

// Refuses a value of a scene key, and says what it expects.
static qd_status refuse_scene_value(const qdi_scene_reader *reader, const qdi_key *key, qdi_yaml_ref node) {
    char expected[QDI_EXPECTED_ROOM], quote[QDI_QUOTE_ROOM];
    const qdi_yaml_node *here = &reader->yaml.nodes[node];
    if (is_huge(reader, key, node))
        qdi_schema_expected_fully(key, expected);
    else
        qdi_schema_expected(key, expected);
    qdi_yaml_ref quoted = qdi_scene_quoted(reader, key, node);
    if (quoted) {
        const qdi_yaml_node *value = &reader->yaml.nodes[quoted];
        return qdi_scene_complain(reader, node, "%s: must be %s; remove the quotes of \"%s\"", reader->path,
                                  expected, qdi_quote(quote, reader->yaml.chars + value->text, value->bytes));
    }
    if (here->kind != QDI_YAML_VALUE)
        return qdi_scene_complain(reader, node, "%s: must be %s", reader->path, expected);
    qdi_quote(quote, reader->yaml.chars + here->text, here->bytes);
    const qdi_key *item = qdi_scene_item_named(reader, key, node);
    return qdi_scene_complain(reader, node, "%s: must be %s, not \"%s\"%s%s%s", reader->path, expected, quote,
                              item ? "; there is \"" : "", item ? item->path : "", item ? "\"" : "");
}

// Whether a number is in the range of its scene key.
static bool in_key_range(const qdi_key *key, double value) {
    return (key->above ? value > key->low : value >= key->low) && value <= key->high;
}

// Whether the value of a scene key is this word.
static bool is_scene_word(const qdi_scene_reader *reader, qdi_yaml_ref node, const char *word) {
    const qdi_yaml_node *here = &reader->yaml.nodes[node];
    return here->kind == QDI_YAML_VALUE && here->bytes == strlen(word) &&
           memcmp(reader->yaml.chars + here->text, word, here->bytes) == 0;
}

/// A number without quotes and within the key's range; zero comes without its sign.
static bool read_real(const qdi_scene_reader *reader, const qdi_key *key, qdi_yaml_ref node, double *value) {
    const qdi_yaml_node *here = &reader->yaml.nodes[node];
    if (here->kind != QDI_YAML_VALUE || !here->plain) return false;
    if (!qdi_number_read(reader->yaml.chars + here->text, here->bytes, value)) return false;
    *value += 0.0;
    return in_key_range(key, *value);
}

// Reads a whole number of a scene.
static bool read_scene_whole(const qdi_scene_reader *reader, const qdi_key *key, qdi_yaml_ref node,
                             uint64_t *value) {
    const qdi_yaml_node *here = &reader->yaml.nodes[node];
    if (here->kind != QDI_YAML_VALUE || !here->plain) return false;
    if (!qdi_integer_read(reader->yaml.chars + here->text, here->bytes, value)) return false;
    return in_key_range(key, (double)*value);
}

/// Scene's values: a list of exactly `count` numbers within the range.
static bool read_reals(const qdi_scene_reader *reader, const qdi_key *key, qdi_yaml_ref node, double *values,
                       uint32_t count) {
    const qdi_yaml_node *here = &reader->yaml.nodes[node];
    if (here->kind != QDI_YAML_LIST || here->count != count) return false;
    qdi_yaml_ref child = here->first;
    for (uint32_t i = 0; i < count; ++i, child = reader->yaml.nodes[child].next)
        if (!read_real(reader, key, child, &values[i])) return false;
    return true;
}

// Reads a name in a scene.
static bool read_scene_name(const qdi_scene_reader *reader, qdi_yaml_ref node, char *name) {
    const qdi_yaml_node *here = &reader->yaml.nodes[node];
    if (here->kind != QDI_YAML_VALUE || here->bytes == 0 || here->bytes > QDI_NAME_MAX) return false;
    const char *text = reader->yaml.chars + here->text;
    for (size_t i = 0; i < here->bytes; ++i) {
        char c = text[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!letter && !(c >= '0' && c <= '9') && c != '_' && c != '-') return false;
    }
    memcpy(name, text, here->bytes);
    name[here->bytes] = 0;
    return true;
}

// Reads true or false in a scene.
static bool read_scene_bool(const qdi_scene_reader *reader, qdi_yaml_ref node, bool *value) {
    if (reader->yaml.nodes[node].kind != QDI_YAML_VALUE || !reader->yaml.nodes[node].plain) return false;
    *value = is_scene_word(reader, node, "true") || is_scene_word(reader, node, "True") ||
             is_scene_word(reader, node, "TRUE");
    return *value || is_scene_word(reader, node, "false") || is_scene_word(reader, node, "False") ||
           is_scene_word(reader, node, "FALSE");
}

/// Words as the bits of their numbers.
static bool read_scene_words(const qdi_scene_reader *reader, const qdi_key *key, qdi_yaml_ref node,
                             uint32_t *bits) {
    const qdi_yaml_node *here = &reader->yaml.nodes[node];
    bool all = false;
    if (read_scene_bool(reader, node, &all)) {
        *bits = all ? (uint32_t)key->high : 0;
        return true;
    }
    uint32_t found = 0;
    if (here->kind != QDI_YAML_LIST) return false;
    for (qdi_yaml_ref child = here->first; child; child = reader->yaml.nodes[child].next) {
        const qdi_yaml_node *word = &reader->yaml.nodes[child];
        int number = 0;
        bool planned = false;
        if (word->kind != QDI_YAML_VALUE ||
            !qdi_schema_choice(key, reader->yaml.chars + word->text, word->bytes, &number, &planned))
            return false;
        found |= UINT32_C(1) << number;
    }
    *bits = found;
    return true;
}

// Reads one of the words that a scene key offers.
static qd_status read_scene_choice(const qdi_scene_reader *reader, const qdi_key *key, qdi_yaml_ref node,
                                   void *place) {
    const qdi_yaml_node *here = &reader->yaml.nodes[node];
    if (here->kind != QDI_YAML_VALUE) return refuse_scene_value(reader, key, node);
    const char *word = reader->yaml.chars + here->text;
    int number = 0;
    bool planned = false;
    if (!qdi_schema_choice(key, word, here->bytes, &number, &planned))
        return refuse_scene_value(reader, key, node);
    if (planned)
        return qdi_scene_complain(reader, node, "%s: \"%.*s\" is known, but not built yet", reader->path,
                                  (int)here->bytes, word);
    memcpy(place, &number, sizeof number);
    return QD_OK;
}

// Reads the name of a metric as its number.
static qd_status read_scene_metric(const qdi_scene_reader *reader, qdi_yaml_ref node, int *number) {
    const qdi_yaml_node *here = &reader->yaml.nodes[node];
    const char *word = reader->yaml.chars + here->text;
    if (here->kind != QDI_YAML_VALUE)
        return qdi_scene_complain(reader, node, "%s: must be the name of a metric", reader->path);
    size_t count = 0;
    const qd_metric_field *fields = qd_metric_fields(&count);
    qdi_suggestion best = {NULL, 0};
    for (size_t i = 0; i < count; ++i) {
        const size_t bytes = strlen(fields[i].name);
        qdi_suggest(&best, word, here->bytes, fields[i].name, bytes);
        if (bytes != here->bytes || memcmp(fields[i].name, word, bytes) != 0) continue;
        *number = (int)i;
        return QD_OK;
    }
    char quote[QDI_QUOTE_ROOM], hint[120] = "";
    if (best.word) snprintf(hint, sizeof hint, "; did you mean \"%.60s\"?", best.word);
    return qdi_scene_complain(reader, node, "%s: there is no metric \"%s\"%s", reader->path,
                              qdi_quote(quote, word, here->bytes), hint);
}

// Reads a small whole number of a scene, which may be negative.
static bool read_scene_int(const qdi_scene_reader *reader, const qdi_key *key, qdi_yaml_ref node,
                           int *value) {
    uint64_t whole = 0;
    double real = 0;
    if (key->low < 0 && read_real(reader, key, node, &real)) {
        *value = (int)real;
        return real == (double)*value;
    }
    if (!read_scene_whole(reader, key, node, &whole) || whole > INT_MAX) return false;
    *value = (int)whole;
    return true;
}

// Reads two whole numbers of a scene.
static bool read_scene_int_pair(const qdi_scene_reader *reader, const qdi_key *key, qdi_yaml_ref node,
                                int *pair) {
    const qdi_yaml_node *here = &reader->yaml.nodes[node];
    if (here->kind != QDI_YAML_LIST || here->count != 2) return false;
    return read_scene_int(reader, key, here->first, &pair[0]) &&
           read_scene_int(reader, key, here->last, &pair[1]);
}

// Reads a 32-bit number of a scene.
static bool read_scene_uint32(const qdi_scene_reader *reader, const qdi_key *key, qdi_yaml_ref node,
                              uint32_t *value) {
    uint64_t whole = 0;
    if (!read_scene_whole(reader, key, node, &whole) || whole > UINT32_MAX) return false;
    *value = (uint32_t)whole;
    return true;
}

// Reads a region of a scene: x, y, width, height.
static bool read_scene_region(const qdi_scene_reader *reader, const qdi_key *key, qdi_yaml_ref node,
                              qdi_region *region) {
    double values[4] = {0};
    if (!read_reals(reader, key, node, values, 4) || !(values[2] > 0 && values[3] > 0)) return false;
    *region = (qdi_region){values[0], values[1], values[2], values[3]};
    return true;
}

// Reads a region of a scene, or `auto`.
static bool read_region_or_word(const qdi_scene_reader *reader, const qdi_key *key, qdi_yaml_ref node,
                                double values[4]) {
    if (is_scene_word(reader, node, "auto")) {
        for (int i = 0; i < 4; ++i) values[i] = (double)NAN;
        return true;
    }
    return read_reals(reader, key, node, values, 4) && values[2] > 0 && values[3] > 0;
}

// Reads the label of a body in a scene, or a word for one.
static bool read_scene_label(const qdi_scene_reader *reader, const qdi_key *key, qdi_yaml_ref node,
                             uint64_t *label) {
    const qdi_yaml_node *here = &reader->yaml.nodes[node];
    int number = 0;
    bool planned = false;
    if (here->kind != QDI_YAML_VALUE) return false;
    const char *word = reader->yaml.chars + here->text;
    if (qdi_schema_choice(key, word, here->bytes, &number, &planned)) {
        *label = UINT64_MAX - (uint64_t)number;
        return true;
    }
    return here->plain && qdi_integer_read(word, here->bytes, label) && *label < UINT64_MAX - 15;
}

// Reads the key frames of a scene's camera.
static bool read_camera_path(const qdi_scene_reader *reader, const qdi_key *key, qdi_yaml_ref node,
                             qd_view_camera *camera) {
    const qdi_yaml_node *here = &reader->yaml.nodes[node];
    if (here->kind != QDI_YAML_LIST || here->count > QD_VIEW_KEYS_MAX) return false;
    camera->key_count = 0;
    double before = -1;
    for (qdi_yaml_ref child = here->first; child; child = reader->yaml.nodes[child].next) {
        double value[4] = {0};
        if (!read_reals(reader, key, child, value, 4)) return false;
        if (!(value[0] >= 0 && value[0] > before && value[3] > 0 && value[3] <= 1e6)) return false;
        camera->keys[camera->key_count++] = (qd_view_key){value[0], value[1], value[2], value[3]};
        before = value[0];
    }
    return true;
}

/// Scene's values: adds the pairs of a list to the settings' points.
static qd_status read_points(const qdi_scene_reader *reader, const qdi_key *key, qdi_yaml_ref node,
                             qdi_points *points) {
    const qdi_yaml_node *here = &reader->yaml.nodes[node];
    qdi_settings *settings = reader->settings;
    if (here->kind != QDI_YAML_LIST) return refuse_scene_value(reader, key, node);
    size_t first = settings->point_count;
    qd_status status = qdi_reserve(reader->allocator, &settings->points, &settings->point_room, first,
                                   first + here->count, sizeof *settings->points);
    if (status != QD_OK) return status;
    for (qdi_yaml_ref child = here->first; child; child = reader->yaml.nodes[child].next) {
        double values[2] = {0};
        if (!read_reals(reader, key, child, values, 2)) return refuse_scene_value(reader, key, child);
        settings->points[settings->point_count++] = (qd_vec2){values[0], values[1]};
    }
    *points = (qdi_points){first, settings->point_count - first};
    return QD_OK;
}

// Reads two numbers of a scene, or a word for them.
static bool read_scene_pair(const qdi_scene_reader *reader, const qdi_key *key, qdi_key_type type,
                            qdi_yaml_ref node, qd_vec2 *pair) {
    double values[2] = {0};
    if (type == QDI_KEY_PAIR_OR_AUTO && is_scene_word(reader, node, "auto")) {
        *pair = (qd_vec2){(double)NAN, (double)NAN};
        return true;
    }
    bool zero = type == QDI_KEY_PAIR_OR_ZERO && read_real(reader, key, node, &values[0]) && values[0] == 0;
    if (!zero && !read_reals(reader, key, node, values, 2)) return false;
    *pair = (qd_vec2){values[0], values[1]};
    return type != QDI_KEY_RANGE || pair->x <= pair->y;
}

/// The longest text that a key may have.
enum { LONGEST_TEXT = 4096 };

// Reads a text of a scene.
static qd_status read_scene_text(const qdi_scene_reader *reader, const qdi_key *key, qdi_yaml_ref node,
                                 qdi_text *text) {
    const qdi_yaml_node *here = &reader->yaml.nodes[node];
    const char *chars = reader->yaml.chars + here->text;
    if (here->kind != QDI_YAML_VALUE || here->bytes == 0 || memchr(chars, 0, here->bytes))
        return refuse_scene_value(reader, key, node);
    if (here->bytes > LONGEST_TEXT)
        return qdi_scene_complain(reader, node, "%s: is longer than %d bytes", reader->path, LONGEST_TEXT);
    text->allocator = reader->allocator;
    text->used = 0;
    qdi_text_add_bytes(text, chars, here->bytes);
    return text->status;
}

// Reads a hash in a scene.
static bool read_scene_hash(const qdi_scene_reader *reader, qdi_yaml_ref node, uint64_t *hash) {
    const qdi_yaml_node *here = &reader->yaml.nodes[node];
    return here->kind == QDI_YAML_VALUE && qdi_hash_read(reader->yaml.chars + here->text, here->bytes, hash);
}

qd_status qdi_scene_read_value(const qdi_scene_reader *reader, const qdi_key *key, qdi_key_type type,
                               qdi_yaml_ref node, void *base) {
    void *place = place_of(key, base);
    bool good = false;
    switch (type) {
    case QDI_KEY_NONE:
    case QDI_KEY_GROUP:
    case QDI_KEY_EACH:
    case QDI_KEY_ONE_OF:
    case QDI_KEY_ITEMS:
    case QDI_KEY_NAMED: break;
    case QDI_KEY_MATERIAL: return qdi_scene_material(reader, node, place);
    case QDI_KEY_MATERIAL_PAIR: return qdi_scene_material_pair(reader, node, place);
    case QDI_KEY_METRIC: return read_scene_metric(reader, node, place);
    case QDI_KEY_CHOICE: return read_scene_choice(reader, key, node, place);
    case QDI_KEY_POINTS: return read_points(reader, key, node, place);
    case QDI_KEY_TEXT: return read_scene_text(reader, key, node, place);
    case QDI_KEY_HASH: good = read_scene_hash(reader, node, place); break;
    case QDI_KEY_NAME: good = read_scene_name(reader, node, place); break;
    case QDI_KEY_UINT64: good = read_scene_whole(reader, key, node, place); break;
    case QDI_KEY_UINT64_OR_LAST:
        good = is_scene_word(reader, node, "last");
        if (good)
            *(uint64_t *)place = UINT64_MAX;
        else
            good = read_scene_whole(reader, key, node, place);
        break;
    case QDI_KEY_UINT32: good = read_scene_uint32(reader, key, node, place); break;
    case QDI_KEY_INT: good = read_scene_int(reader, key, node, place); break;
    case QDI_KEY_INT_PAIR: good = read_scene_int_pair(reader, key, node, place); break;
    case QDI_KEY_REAL: good = read_real(reader, key, node, place); break;
    case QDI_KEY_REAL_OR_AUTO:
        good = is_scene_word(reader, node, "auto");
        if (good)
            *(double *)place = (double)NAN;
        else
            good = read_real(reader, key, node, place);
        break;
    case QDI_KEY_PAIR:
    case QDI_KEY_RANGE:
    case QDI_KEY_PAIR_OR_ZERO:
    case QDI_KEY_PAIR_OR_AUTO: good = read_scene_pair(reader, key, type, node, place); break;
    case QDI_KEY_REGION: good = read_scene_region(reader, key, node, place); break;
    case QDI_KEY_RANGE_OR_AUTO:
        good = read_scene_pair(reader, key, QDI_KEY_PAIR_OR_AUTO, node, place) &&
               !(((qd_vec2 *)place)->x >= ((qd_vec2 *)place)->y);
        break;
    case QDI_KEY_REGION_OR_AUTO: good = read_region_or_word(reader, key, node, place); break;
    case QDI_KEY_LABEL: good = read_scene_label(reader, key, node, place); break;
    case QDI_KEY_CAMERA_PATH: good = read_camera_path(reader, key, node, place); break;
    case QDI_KEY_BOOL: good = read_scene_bool(reader, node, place); break;
    case QDI_KEY_WORDS: good = read_scene_words(reader, key, node, place); break;
    }
    return good ? QD_OK : refuse_scene_value(reader, key, node);
}
