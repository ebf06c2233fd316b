#include "sim/sweep/sweep_impl.h"
#include "sim/text/suggest.h"

#include <stdio.h>
#include <string.h>

/// Longest path of a key that is looked for.
enum { PATH_ROOM = 256 };

// Sweep's keys: whether a part of a scene key is the number of an item.
static bool is_item_number(const char *word, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i)
        if (word[i] < '0' || word[i] > '9') return false;
    return bytes > 0;
}

/// Sweep's keys: "bodies.0.disks" as the schema writes it: "bodies[].disks". False where it is too long.
static bool to_schema(const char *path, size_t bytes, char out[PATH_ROOM]) {
    size_t used = 0;
    if (bytes + 3 > PATH_ROOM) return false; // an item's number gets no longer
    for (size_t at = 0; at <= bytes;) {
        const char *dot = memchr(path + at, '.', bytes - at);
        size_t length = dot ? (size_t)(dot - path) - at : bytes - at;
        const bool named = used == strlen("materials") && memcmp(out, "materials", used) == 0 &&
                           !(length == 5 && memcmp(path + at, "pairs", length) == 0);
        const bool stage = used == strlen("stages") && memcmp(out, "stages", used) == 0;
        if (used > 0 && (named || stage || is_item_number(path + at, length))) {
            memcpy(out + used, "[]", 2);
            used += 2;
        } else {
            if (used > 0) out[used++] = '.';
            memcpy(out + used, path + at, length);
            used += length;
        }
        if (used + 3 > PATH_ROOM) return false;
        at += length + 1;
    }
    out[used] = 0;
    return true;
}

/// Sweep's keys: "bodies[].disks" as people write it: "bodies.0.disks".
static void to_people(const char *path, char out[QDI_QUOTE_ROOM]) {
    size_t used = 0;
    for (const char *c = path; *c && used + 3 < QDI_QUOTE_ROOM; ++c) {
        if (*c == '[') {
            const bool named = c - path == (ptrdiff_t)strlen("materials") ||
                               (c - path == 6 && memcmp(path, "stages", 6) == 0);
            used += (size_t)snprintf(out + used, QDI_QUOTE_ROOM - used, named ? ".NAME" : ".0");
        } else if (*c != ']') {
            out[used++] = *c;
        }
    }
    out[used] = 0;
}

/// Sweep's keys: the last word of a path.
static const char *last_word(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : path;
}

// Suggests a scene key for one that a sweep got wrong.
static void suggest_sweep_key(const char *wanted, char hint[QDI_QUOTE_ROOM]) {
    qdi_suggestion best = {NULL, 0};
    const qdi_key *key = NULL, *same = NULL;
    const char *word = last_word(wanted);
    for (size_t i = 0; (key = qdi_schema_at(i)) != NULL; ++i) {
        qdi_suggest(&best, wanted, strlen(wanted), key->path, strlen(key->path));
        if (!same && strcmp(qdi_schema_word(key), word) == 0) same = key;
    }
    // The right word in the wrong place is better than a similar one, but for a slip of a letter or two.
    const char *found = same && !(best.word && best.distance <= 2) ? same->path : best.word;
    hint[0] = 0;
    if (!found) return;
    char people[QDI_QUOTE_ROOM];
    to_people(found, people);
    snprintf(hint, QDI_QUOTE_ROOM, "; did you mean \"%.80s\"?", people);
}

const qdi_key *qdi_sweep_scene_key(const char *path, size_t bytes, char hint[QDI_QUOTE_ROOM]) {
    char wanted[PATH_ROOM];
    hint[0] = 0;
    if (!to_schema(path, bytes, wanted)) return NULL;
    const qdi_key *key = qdi_schema_find_staged(wanted);
    if (!key) suggest_sweep_key(wanted, hint);
    return key;
}

bool qdi_sweep_takes_number(const qdi_key *key, bool *whole) {
    qdi_key_type type = key->type == QDI_KEY_ONE_OF ? key->plain : key->type;
    *whole = true;
    switch (type) {
    case QDI_KEY_UINT64:
    case QDI_KEY_UINT64_OR_LAST:
    case QDI_KEY_UINT32:
    case QDI_KEY_INT: return true;
    case QDI_KEY_ITEMS: return strcmp(key->path, "bodies") == 0;
    case QDI_KEY_REAL:
    case QDI_KEY_REAL_OR_AUTO: *whole = false; return true;
    default: return false;
    }
}
