// What a message about a wrong scene says beyond "wrong": what may have been meant, and how that is written.
#include "sim/scene/scene_impl.h"
#include "sim/text/number.h"
#include "sim/text/suggest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Names that other programs have for the kinds of bodies, and for what is told of them, without a plural's
/// s.
static const struct {
    const char *word, *ours;
} other_names[] = {{"circle", "disks"},
                   {"disc", "disks"},
                   {"ball", "disks"},
                   {"sphere", "disks"},
                   {"particle", "disks"},
                   {"grain", "disks"},
                   {"box", "rects"},
                   {"boxe", "rects"},
                   {"rectangle", "rects"},
                   {"square", "rects"},
                   {"block", "rects"},
                   {"brick", "rects"},
                   {"pill", "capsules"},
                   {"rod", "capsules"},
                   {"stadium", "capsules"},
                   {"triangle", "polygons"},
                   {"hull", "polygons"},
                   {"convex", "polygons"},
                   {"chain", "polyline"},
                   {"line", "polyline"},
                   {"segment", "polyline"},
                   {"edge", "polyline"},
                   {"wall", "polyline"},
                   {"csv", "file"},
                   {"body", "list"},
                   {"bodie", "list"},
                   {"single", "list"},
                   {"position", "at"},
                   {"center", "at"},
                   {"centre", "at"},
                   {"location", "at"},
                   {"width", "size"},
                   {"height", "size"},
                   {"dimension", "size"},
                   {"diameter", "radius"},
                   {"vertice", "points"},
                   {"rotation", "angle"},
                   {"orientation", "angle"},
                   {"linearVelocity", "velocity"},
                   {"linear_velocity", "velocity"},
                   {"linvel", "velocity"},
                   {"omega", "spin"},
                   {"angularVelocity", "spin"},
                   {"angular_velocity", "spin"},
                   {"angvel", "spin"},
                   {"fixed", "static"},
                   {"bounce", "restitution"},
                   {"bounciness", "restitution"},
                   {"elasticity", "restitution"},
                   {"mu", "friction"},
                   {"timestep", "dt"},
                   {"time_step", "dt"}};

/// Hints on a scene: what we call it, where `parent` has a key of that name; else NULL.
static const char *our_name(const qdi_key *parent, const char *word, size_t bytes) {
    if (bytes > 1 && word[bytes - 1] == 's') --bytes;
    for (size_t i = 0; i < sizeof other_names / sizeof other_names[0]; ++i) {
        if (strlen(other_names[i].word) != bytes || memcmp(other_names[i].word, word, bytes) != 0) continue;
        unsigned number;
        const char *ours = other_names[i].ours;
        return qdi_schema_child(parent, ours, strlen(ours), &number) ? ours : NULL;
    }
    return NULL;
}

/// Hints on a scene: the same word further down in the section where it was written, by its whole path:
/// better than one that is alike. In another section it means something else. `after`: behind that one.
static const char *same_word_below(const qdi_key *parent, const char *word, size_t bytes, const char *after) {
    size_t above = parent ? strlen(parent->path) : 0;
    const qdi_key *key;
    for (size_t i = 0; (key = qdi_schema_at(i)) != NULL; ++i) {
        const char *known = qdi_schema_word(key);
        if (strlen(known) != bytes || memcmp(known, word, bytes) != 0) continue;
        if (parent && strncmp(key->path, parent->path, above) != 0) continue;
        if (!after) return key->path;
        if (key->path == after) after = NULL;
    }
    return NULL;
}

/// The path of the only key of this word in the whole scene, outside of lists; NULL where there is none or
/// several.
static const char *only_key_of_word(const char *word, size_t bytes) {
    const char *found = NULL;
    const qdi_key *key;
    for (size_t i = 0; (key = qdi_schema_at(i)) != NULL; ++i) {
        const char *known = qdi_schema_word(key);
        if (strlen(known) != bytes || memcmp(known, word, bytes) != 0) continue;
        if (strncmp(key->path, "stages[]", 8) == 0) continue; // where it stands beside others
        if (found || strstr(key->path, "[]")) return NULL;
        found = key->path;
    }
    return found;
}

/// Bytes of a list of what is known, about: a message is one line.
enum { LIST_BYTES = 150 };

/// Hints on a scene: "disks, rects and list": what there is to choose from; of many the first ones, and how
/// many more there are.
static void list_known(const qdi_key *parent, char *text, size_t room) {
    size_t used = 0, left = 0;
    const qdi_key *key = NULL;
    while ((key = qdi_schema_next(parent, key)) != NULL) ++left;
    text[0] = 0;
    for (const char *comma = ""; left > 0 && (key = qdi_schema_next(parent, key)) != NULL && used < room;) {
        const char *word = qdi_schema_word(key);
        const bool more = left > 1 && used + strlen(word) > LIST_BYTES;
        used += more ? (size_t)snprintf(text + used, room - used, " and %zu more", left)
                     : (size_t)snprintf(text + used, room - used, "%s%s", comma, word);
        left = more ? 0 : left - 1;
        comma = left > 1 ? ", " : " and ";
    }
}

/// Hints on a scene: what may have been meant by an unknown key of `parent`: a known one that is alike, or
/// has that name elsewhere in it. `also`: one that may have been as well, if any.
static const char *what_was_meant(const qdi_key *parent, const char *word, size_t bytes, const char **also) {
    qdi_suggestion best = {0};
    for (const qdi_key *key = NULL; (key = qdi_schema_next(parent, key)) != NULL;)
        qdi_suggest(&best, word, bytes, qdi_schema_word(key), strlen(qdi_schema_word(key)));
    const char *other = same_word_below(parent, word, bytes, NULL);
    const char *ours = our_name(parent, word, bytes);
    if (ours) other = ours;
    const bool below = other && !(best.word && best.distance == 0);
    *also = below && parent && !strstr(other, "[]") ? same_word_below(parent, word, bytes, other) : NULL;
    return below ? other : best.word;
}

qd_status qdi_scene_unknown_key(const qdi_scene_reader *reader, const qdi_key *parent, qdi_yaml_ref node) {
    const qdi_yaml_node *here = &reader->yaml.nodes[node];
    const char *word = reader->yaml.chars + here->key;
    const bool one_of = parent && parent->type == QDI_KEY_ONE_OF;
    const char *also, *meant = what_was_meant(parent, word, here->key_bytes, &also);
    const char *elsewhere = meant || one_of ? NULL : only_key_of_word(word, here->key_bytes);
    char quote[QDI_QUOTE_ROOM], hint[2 * QDI_QUOTE_ROOM] = "", known[LIST_BYTES + 64] = "";
    if (meant)
        snprintf(hint, sizeof hint, "; did you mean \"%.60s\"%s%.60s%s?", meant, also ? " or \"" : "",
                 also ? also : "", also ? "\"" : "");
    if (elsewhere) snprintf(hint, sizeof hint, "; there is \"%.60s\"", elsewhere);
    const bool lists = one_of || (!meant && !elsewhere);
    if (lists) list_known(parent, known, sizeof known);
    return qdi_scene_complain(reader, node, "unknown key \"%s\"%s%s%s%s%s",
                              qdi_quote(quote, word, here->key_bytes), *reader->path ? " in " : "",
                              reader->path, hint,
                              !lists  ? ""
                              : meant ? " Known are "
                                      : "; known are ",
                              known);
}

// ---- values ----

/// The key UNIFORM below `key` that takes two numbers, or NULL.
static const qdi_key *uniform_below(const qdi_key *key) {
    const qdi_key *below = NULL;
    while ((below = qdi_schema_next(key, below)) != NULL)
        if (below->type == QDI_KEY_RANGE && strcmp(qdi_schema_word(below), "uniform") == 0) break;
    return below;
}

// Reads a list of two numbers, for a hint about a wrong key.
static bool read_two_numbers(const qdi_scene_reader *reader, qdi_yaml_ref node, double values[2]) {
    const qdi_yaml_node *nodes = reader->yaml.nodes;
    if (nodes[node].kind != QDI_YAML_LIST || nodes[node].count != 2) return false;
    const qdi_yaml_ref child[2] = {nodes[node].first, nodes[node].last};
    for (int i = 0; i < 2; ++i) {
        const qdi_yaml_node *here = &nodes[child[i]];
        if (here->kind != QDI_YAML_VALUE || !here->plain) return false;
        if (!qdi_number_read(reader->yaml.chars + here->text, here->bytes, &values[i])) return false;
    }
    return true;
}

bool qdi_scene_is_range(const qdi_scene_reader *reader, const qdi_key *key, qdi_yaml_ref node) {
    double values[2];
    const qdi_key *uniform = key->plain == QDI_KEY_REAL ? uniform_below(key) : NULL;
    return uniform && read_two_numbers(reader, node, values) && values[0] > uniform->low &&
           values[0] <= values[1] && values[1] <= uniform->high;
}

qd_status qdi_scene_wants_range(const qdi_scene_reader *reader, const qdi_key *key, qdi_yaml_ref node) {
    double values[2] = {0};
    char expected[QDI_EXPECTED_ROOM], low[QDI_NUMBER_ROOM], high[QDI_NUMBER_ROOM];
    (void)read_two_numbers(reader, node, values);
    qdi_number_write(values[0], low);
    qdi_number_write(values[1], high);
    return qdi_scene_complain(reader, node, "%s: must be %s; between two numbers: {uniform: [%s, %s]}",
                              reader->path, qdi_schema_expected(key, expected), low, high);
}

const qdi_key *qdi_scene_item_named(const qdi_scene_reader *reader, const qdi_key *key, qdi_yaml_ref node) {
    static const char items[] = "bodies[]";
    const qdi_yaml_node *here = &reader->yaml.nodes[node];
    if (key->type != QDI_KEY_CHOICE || strncmp(key->path, items, strlen(items)) != 0) return NULL;
    unsigned number;
    return qdi_schema_child(qdi_schema_find(items, strlen(items)), reader->yaml.chars + here->text,
                            here->bytes, &number);
}

/// True for a value in quotes that would be of the key's kind without them.
static bool is_quoted(const qdi_scene_reader *reader, qdi_key_type type, qdi_yaml_ref node) {
    const qdi_yaml_node *here = &reader->yaml.nodes[node];
    const char *text = reader->yaml.chars + here->text;
    double value;
    if (here->kind != QDI_YAML_VALUE || here->plain) return false;
    if (type == QDI_KEY_BOOL || type == QDI_KEY_WORDS)
        return (here->bytes == 4 && memcmp(text, "true", 4) == 0) ||
               (here->bytes == 5 && memcmp(text, "false", 5) == 0);
    return qdi_number_read(text, here->bytes, &value);
}

qdi_yaml_ref qdi_scene_quoted(const qdi_scene_reader *reader, const qdi_key *key, qdi_yaml_ref node) {
    qdi_key_type type = key->type == QDI_KEY_ONE_OF ? key->plain : key->type;
    if (type == QDI_KEY_NAME || type == QDI_KEY_TEXT || type == QDI_KEY_HASH || type == QDI_KEY_CHOICE)
        return 0;
    if (is_quoted(reader, type, node)) return node;
    const qdi_yaml_node *here = &reader->yaml.nodes[node];
    qdi_yaml_ref child = here->kind == QDI_YAML_LIST ? here->first : 0;
    while (child && !is_quoted(reader, type, child)) child = reader->yaml.nodes[child].next;
    return child;
}

// ---- regions ----

/// One axis of a region and of the world.
typedef struct side {
    qd_boundary boundary;
    double low, length, world_low, world_length;
} side;

/// Hints on a scene: how far a side reaches outside of the world; 0 for rounding.
static double side_beyond_world(const side *s) {
    if (s->boundary == QD_BOUNDARY_OPEN) return 0;
    double slack = 1e-12 * (s->world_length + fabs(s->world_low));
    double below = s->world_low - s->low, above = s->low + s->length - (s->world_low + s->world_length);
    double most = below > above ? below : above;
    return most > slack ? most : 0;
}

/// Hints on a scene: "by 100 in x (0 to 200; the world: 0 to 100)"
static void beyond_words(const side *s, char axis, char text[160]) {
    snprintf(text, 160, "by %.6g in %c (%.6g to %.6g; the world: %.6g to %.6g)", side_beyond_world(s), axis,
             s->low, s->low + s->length, s->world_low, s->world_low + s->world_length);
}

qd_status qdi_scene_check_region(const qdi_scene_reader *reader, const qdi_region *region, const char *word,
                                 const char *of, qdi_yaml_ref node) {
    if (isnan(region->width)) return QD_OK; // the whole world
    const qd_world_def *world = &reader->settings->world;
    const side x = {world->boundary_x, region->x, region->width, world->origin.x, world->size.x};
    const side y = {world->boundary_y, region->y, region->height, world->origin.y, world->size.y};
    bool both = side_beyond_world(&x) > 0 && side_beyond_world(&y) > 0;
    char words[2][160] = {"", ""};
    if (side_beyond_world(&x) > 0) beyond_words(&x, 'x', words[0]);
    if (side_beyond_world(&y) > 0) beyond_words(&y, 'y', words[1]);
    if (!words[0][0] && !words[1][0]) return QD_OK;
    return qdi_scene_complain(reader, node,
                              "%s.%s.region: reaches outside the world %s%s%s; a region is "
                              "[x, y, width, height]",
                              of, word, words[0], both ? " and " : "", words[1]);
}
