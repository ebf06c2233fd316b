#include "sim/scene/schema.h"

#include "sim/scene/schema_keys.h"
#include "sim/text/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Choices are kept by number, in the order of the table below.
_Static_assert(QD_SHAPE_DISK == 0 && QD_SHAPE_RECT == 1 && QD_SHAPE_CAPSULE == 2 && QD_SHAPE_POLYGON == 3,
               "shape");
_Static_assert(sizeof(qd_shape_kind) == sizeof(int), "choices are ints");
_Static_assert(QD_BOUNDARY_REFLECT == 0 && QD_BOUNDARY_PERIODIC == 1 && QD_BOUNDARY_OPEN == 2, "boundary");
_Static_assert(QD_CONTACT_NONE == 0 && QD_CONTACT_IMPULSE == 1 && QD_CONTACT_SPRING == 2, "contact.model");
_Static_assert(QD_RETRIEVE_JOIN == 0 && QD_RETRIEVE_EACH == 1 && QD_RETRIEVE_BRUTE == 2, "stepper.retrieve");
_Static_assert(QD_VIEW_CONTACT == 0 && QD_VIEW_SPEED == 1, "view.colour");
_Static_assert(QD_VIDEO_ULTRAFAST == 0 && QD_VIDEO_VERYSLOW == 8, "video.preset");
_Static_assert(QD_VIEW_SIZE == 2 && QD_VIEW_SPIN == 3 && QD_VIEW_DEPTH == 4 && QD_VIEW_ID == 5 &&
                   QD_VIEW_MATERIAL == 6 && QD_VIEW_PLAIN == 7 && QD_VIEW_THREAD == 8 &&
                   QD_VIEW_REFILED == 9 && QD_VIEW_HIDDEN == 10 && QD_VIEW_PSI6 == 11,
               "view.colour");
_Static_assert(QD_VIEW_VIRIDIS == 0 && QD_VIEW_MAGMA == 1 && QD_VIEW_CIVIDIS == 2, "view.map");
_Static_assert(QD_VIEW_FIELD_NONE == 0 && QD_VIEW_FIELD_VELOCITY == 4 && QD_VIEW_FIELD_CONTACT_NUMBER == 7,
               "view.field");
_Static_assert(QD_VIEW_DARK == 0 && QD_VIEW_LIGHT == 1, "view.theme");
_Static_assert(QD_VIEW_NODES_NONE == 0 && QD_VIEW_NODES_DEPTH == 1 && QD_VIEW_NODES_OCCUPANCY == 2 &&
                   QD_VIEW_NODES_CHANGED == 3,
               "view.nodes");
_Static_assert(QD_VIEW_CONTACTS_NONE == 0 && QD_VIEW_CONTACTS_MARKS == 1 && QD_VIEW_CONTACTS_IMPULSE == 2,
               "view.contacts");
_Static_assert(offsetof(qd_view_camera, height) == offsetof(qd_view_camera, x) + 3 * sizeof(double),
               "a region is four numbers");
_Static_assert(QDI_PLACE_GRID == 0 && QDI_PLACE_RANDOM == 1 && QDI_PLACE_PYRAMID == 2 &&
                   QDI_PLACE_CELLS == 4 && QDI_PLACE_CLUSTERS == 3,
               "place");
_Static_assert(offsetof(qdi_body_item, corners[1]) == offsetof(qdi_body_item, corners) + sizeof(int),
               "corners are a pair");
_Static_assert(offsetof(qd_view, height) == offsetof(qd_view, width) + sizeof(int), "view.size is a pair");
_Static_assert(sizeof(qdi_region) == 4 * sizeof(double), "a region is four numbers");
_Static_assert(sizeof(qd_boundary) == sizeof(int) && sizeof(qd_view_colour) == sizeof(int),
               "choices are ints");

_Static_assert(QDI_BODY_AUTO == 0 && QDI_BODY_CSV == 1 && QDI_BODY_DUMP == 2 && QDI_BODY_DATA == 3, "format");

_Static_assert(QD_RECORD_EVENTS_NONE == 0 && QD_RECORD_EVENTS_CHANGES == 1 && QD_RECORD_EVENTS_ALL == 2,
               "record.events");
_Static_assert(sizeof(qd_record_events) == sizeof(int), "choices are ints");
_Static_assert(QD_PULL_CONSTANT == 0 && QD_PULL_INVERSE == 1 && QD_PULL_INVERSE_SQUARE == 2, "law");
_Static_assert(QD_UNTIL_BELOW == 1 && QD_UNTIL_ABOVE == 2 && QD_UNTIL_STEADY == 3 && QD_UNTIL_REST == 4 &&
                   QD_UNTIL_CONTACT == 5 && QD_UNTIL_GONE == 6 && sizeof(qd_until_kind) == sizeof(int),
               "run.until[]");
_Static_assert(sizeof(qd_pull_law) == sizeof(int), "choices are ints");

enum { PIECES = 7 };

// Piece number `number` of the table of scene keys.
static qdi_schema_piece piece(int number) {
    switch (number) {
    case 0: return qdi_schema_world();
    case 1: return qdi_schema_generators();
    case 2: return qdi_schema_polygons();
    case 3: return qdi_schema_bodies();
    case 4: return qdi_schema_sources();
    case 5: return qdi_schema_output();
    default: return qdi_schema_stages();
    }
}

size_t qdi_schema_count(void) {
    size_t count = 0;
    for (int i = 0; i < PIECES; ++i) count += piece(i).count;
    return count;
}

const qdi_key *qdi_schema_at(size_t number) {
    for (int i = 0; i < PIECES; ++i) {
        qdi_schema_piece here = piece(i);
        if (number < here.count) return &here.keys[number];
        number -= here.count;
    }
    return NULL;
}

const qdi_key *qdi_schema_find(const char *path, size_t bytes) {
    for (int i = 0; i < PIECES; ++i) {
        const qdi_schema_piece here = piece(i);
        for (const qdi_key *key = here.keys; key < here.keys + here.count; ++key)
            if (strlen(key->path) == bytes && memcmp(key->path, path, bytes) == 0) return key;
    }
    return NULL;
}

const qdi_key *qdi_schema_find_staged(const char *path) {
    const qdi_key *key = qdi_schema_find(path, strlen(path));
    static const char stage[] = "stages[].";
    if (key || strncmp(path, stage, strlen(stage)) != 0) return key;
    for (size_t i = 0; (key = qdi_schema_at(i)) != NULL; ++i) { // a list whose items are another one's
        const size_t bytes = strlen(key->path);
        char other[256];
        if (!key->like || strncmp(path, key->path, bytes) != 0 || path[bytes] != '[') continue;
        (void)snprintf(other, sizeof other, "%s%s", key->like, path + bytes);
        return qdi_schema_find(other, strlen(other));
    }
    return qdi_schema_find(path + strlen(stage), strlen(path + strlen(stage)));
}

/// Scene's schema: true where `path` is one step below `parent`: a dot and a word, or "[]".
static bool is_child(const char *parent, const char *path) {
    const bool top = !*parent;
    const char *rest = path;
    for (; *parent; ++parent, ++rest)
        if (*parent != *rest) return false;
    if (strcmp(rest, "[]") == 0) return true;
    if (!top && *rest++ != '.') return false;
    return *rest && !strchr(rest, '.') && !strchr(rest, '[');
}

const qdi_key *qdi_schema_next(const qdi_key *parent, const qdi_key *before) {
    const char *above = parent ? parent->path : "";
    bool passed = !before;
    for (int i = 0; i < PIECES; ++i) {
        const qdi_schema_piece here = piece(i);
        for (const qdi_key *key = here.keys; key < here.keys + here.count; ++key) {
            if (passed && is_child(above, key->path)) return key;
            if (key == before) passed = true;
        }
    }
    return NULL;
}

const qdi_key *qdi_schema_child(const qdi_key *parent, const char *word, size_t bytes, unsigned *number) {
    const qdi_key *key = NULL;
    for (*number = 0; (key = qdi_schema_next(parent, key)) != NULL; ++*number) {
        const char *known = qdi_schema_word(key);
        if (strlen(known) == bytes && memcmp(known, word, bytes) == 0) break;
    }
    return key;
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

/// Scene's schema: " > 0", " from 0 to 1", "" where any finite number will do; with all bounds where they are
/// asked for `fully`.
static void range_words(const qdi_key *key, bool fully, char *text, size_t room) {
    char low[QDI_NUMBER_ROOM], high[QDI_NUMBER_ROOM];
    qdi_number_write(key->low, low);
    qdi_number_write(key->high, high);
    // Bounds that only keep arithmetic finite would tell nobody anything.
    bool low_matters = fully || key->low > -1e15,
         high_matters = fully || key->high < 1e15 || key->type == QDI_KEY_UINT64;
    if (high_matters && isfinite(key->high) && key->above)
        snprintf(text, room, " > %s, at most %s", low, high);
    else if (high_matters && isfinite(key->high))
        snprintf(text, room, " from %s to %s", low, high);
    else if (low_matters)
        snprintf(text, room, " %s %s", key->above ? ">" : ">=", low);
    else
        text[0] = 0;
}

// The words that a scene key offers, for messages.
static void choice_words(const qdi_key *key, char *text, size_t room) {
    size_t used = 0, bytes = 0;
    bool planned = false;
    const char *word = NULL, *pending = NULL;
    size_t pending_bytes = 0;
    for (int i = 0; (word = qdi_schema_choice_word(key, i, &bytes, &planned)) != NULL; ++i) {
        if (planned) continue;
        if (pending) {
            const char *comma = used > 0 ? ", " : "";
            used += (size_t)snprintf(text + used, room - used, "%s%.*s", comma, (int)pending_bytes, pending);
        }
        pending = word;
        pending_bytes = bytes;
    }
    const char *last = used > 0 ? " or " : "";
    snprintf(text + used, room - used, "%s%.*s", last, (int)pending_bytes, pending);
}

// What a scene key expects, in words.
static const char *expected(const qdi_key *key, bool fully, char text[QDI_EXPECTED_ROOM]) {
    char range[80];
    range_words(key, fully, range, sizeof range);
    const char *what = "";
    switch (key->type == QDI_KEY_ONE_OF ? key->plain : key->type) {
    case QDI_KEY_NONE:
    case QDI_KEY_GROUP:
    case QDI_KEY_EACH:
    case QDI_KEY_ONE_OF: snprintf(text, QDI_EXPECTED_ROOM, "a mapping (key: value)"); return text;
    case QDI_KEY_ITEMS: snprintf(text, QDI_EXPECTED_ROOM, "a list"); return text;
    case QDI_KEY_NAMED: snprintf(text, QDI_EXPECTED_ROOM, "a mapping (name: values)"); return text;
    case QDI_KEY_MATERIAL: snprintf(text, QDI_EXPECTED_ROOM, "a name of `materials`, or none"); return text;
    case QDI_KEY_METRIC: snprintf(text, QDI_EXPECTED_ROOM, "the name of a metric"); return text;
    case QDI_KEY_MATERIAL_PAIR: snprintf(text, QDI_EXPECTED_ROOM, "two names of `materials`"); return text;
    case QDI_KEY_NAME:
        snprintf(text, QDI_EXPECTED_ROOM, "1 to %d letters, digits, \"_\" or \"-\"", QDI_NAME_MAX);
        return text;
    case QDI_KEY_TEXT: snprintf(text, QDI_EXPECTED_ROOM, "some text"); return text;
    case QDI_KEY_HASH: snprintf(text, QDI_EXPECTED_ROOM, "16 hexadecimal digits"); return text;
    case QDI_KEY_LABEL: {
        const char *before = strchr(key->choices, '|') ? "a body's id, " : "a body's id, or ";
        size_t used = (size_t)snprintf(text, QDI_EXPECTED_ROOM, "%s", before);
        choice_words(key, text + used, QDI_EXPECTED_ROOM - used);
        return text;
    }
    case QDI_KEY_CAMERA_PATH:
        snprintf(text, QDI_EXPECTED_ROOM, "at most %d keys [time >= 0, x, y, zoom > 0], times rising",
                 QD_VIEW_KEYS_MAX);
        return text;
    case QDI_KEY_BOOL: snprintf(text, QDI_EXPECTED_ROOM, "true or false"); return text;
    case QDI_KEY_CHOICE: choice_words(key, text, QDI_EXPECTED_ROOM); return text;
    case QDI_KEY_WORDS: {
        size_t used = (size_t)snprintf(text, QDI_EXPECTED_ROOM, "true, false, or a list of ");
        choice_words(key, text + used, QDI_EXPECTED_ROOM - used);
        return text;
    }
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
    case QDI_KEY_PAIR_OR_AUTO: what = "two numbers%s, or auto"; break;
    case QDI_KEY_POINTS: what = "a list of points [x, y]"; break;
    case QDI_KEY_RANGE_OR_AUTO: what = "two numbers, the smaller one first, or auto"; break;
    case QDI_KEY_REGION_OR_AUTO: what = "four numbers: x, y, width > 0, height > 0, or auto"; break;
    case QDI_KEY_REGION: what = "four numbers: x, y, width > 0, height > 0"; break;
    }
    const char *slot = strstr(what, "%s");
    int before = slot ? (int)(slot - what) : (int)strlen(what);
    int used = snprintf(text, QDI_EXPECTED_ROOM, "%.*s%s%s", before, what, slot ? range : "",
                        slot ? slot + 2 : "");
    if (fully && !slot) snprintf(text + used, QDI_EXPECTED_ROOM - (size_t)used, ", each%s", range);
    return text;
}

// What a scene key expects, in few words.
const char *qdi_schema_expected(const qdi_key *key, char text[QDI_EXPECTED_ROOM]) {
    return expected(key, false, text);
}

// What a scene key expects, with its range.
const char *qdi_schema_expected_fully(const qdi_key *key, char text[QDI_EXPECTED_ROOM]) {
    return expected(key, true, text);
}

qdi_listed qdi_listed_default(void) {
    return (qdi_listed){.radius = (double)NAN, .size = {1, 1}, .length = 1, .def = qd_body_def_default()};
}

qdi_body_item qdi_disks_default(void) {
    const qd_body_def body = qd_body_def_default();
    return (qdi_body_item){.kind = QDI_ITEM_DISKS,
                           .radius = {.form = QDI_RADIUS_FIXED, .range = {0.5, 0.5}},
                           .scale = {.form = QDI_RADIUS_FIXED, .range = {1, 1}},
                           .size = {1, 1},
                           .length = 1,
                           .capsule_radius = 0.5,
                           .corners = {3, 8},
                           .uneven = 0.5,
                           .cluster_count = 8,
                           .spacing = {(double)NAN, (double)NAN},
                           .cluster_spread = {0.05, 0.1},
                           .material = body.material,
                           .filter = body.filter,
                           .place = QDI_PLACE_RANDOM,
                           .region = {(double)NAN, (double)NAN, (double)NAN, (double)NAN},
                           .density = 1,
                           .mass = (double)NAN,
                           .pivot = body.pivot,
                           .file = {.options = qdi_body_options_default()},
                           .run = {.step = UINT64_MAX}};
}

qdi_source qdi_source_default(void) {
    const qd_emitter_def def = qd_emitter_def_default();
    return (qdi_source){.body = qdi_listed_default(),
                        .scale = {.form = QDI_RADIUS_FIXED, .range = {1, 1}},
                        .rate = def.rate,
                        .stop = def.stop,
                        .total = def.total,
                        .alive = def.alive,
                        .tries = def.tries};
}

qdi_named qdi_named_default(void) {
    return (qdi_named){.density = (double)NAN, .surface = qd_body_def_default().material};
}

qdi_pair qdi_pair_default(void) {
    return (qdi_pair){.surface = qd_body_def_default().material};
}

qd_until_rule qdi_until_default(void) {
    return (qd_until_rule){.window = 100, .first = 1, .last = UINT64_MAX};
}

qdi_pick qdi_pick_default(void) {
    const double nan = (double)NAN;
    return (qdi_pick){.ids = {nan, nan}, .region = {nan, nan, nan, nan}};
}

qdi_body_change qdi_body_change_default(void) {
    const double nan = (double)NAN;
    return (qdi_body_change){.pick = qdi_pick_default(), .velocity = {nan, nan}, .spin = nan, .density = nan};
}

qdi_stage qdi_stage_default(void) {
    return (qdi_stage){.time = (double)NAN};
}

qdi_drain qdi_drain_default(void) {
    return (qdi_drain){.total = UINT64_MAX};
}

qdi_settings qdi_settings_default(void) {
    qdi_settings settings = {
        .name = "scene",
        .world = qd_world_def_default(),
        .run = {.steps = 600,
                .dt = 1.0 / 60.0,
                .seed = 1,
                .frames_every = 10,
                .frames_files = true,
                .record_metrics = 10,
                .record_hashes = 100,
                .field_cells = {32, 32},
                .field_length = (double)NAN,
                .distribution_bins = 100,
                .distribution_reach = (double)NAN,
                .distribution_speed = (double)NAN,
                .checkpoint_seconds = 60,
                .checkpoint_keep = 2,
                .until_every = 10},
        .view = qd_view_default(),
        .video = qd_video_settings_default(),
    };
    settings.world.limits.distance = (double)NAN;
    return settings;
}
