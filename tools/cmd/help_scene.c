// `quadrille help scene`: the keys of a scene, from the table that reads them.
#include "sim/scene/scene_impl.h"
#include "sim/scene/schema.h"
#include "sim/text/suggest.h"
#include "tools/cmd/command.h"
#include "tools/host/console.h"
#include "tools/host/exit_codes.h"

#include <string.h>

enum { WIDTH = 96, INDENT = 6 };

/// Command help scene: words with line breaks between them, so that they fit a terminal.
static void put_wrapped(FILE *out, const char *text) {
    size_t column = 0;
    while (*text) {
        size_t length = strcspn(text, " ");
        if (column > 0 && column + 1 + length > WIDTH) {
            fputc('\n', out);
            column = 0;
        }
        fprintf(out, "%*s%.*s", column > 0 ? 1 : INDENT, "", (int)length, text);
        column += (column > 0 ? 1 : INDENT) + length;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

void qdi_help_key(const qdi_key *key, qdi_text *text) {
    char expected[QDI_EXPECTED_ROOM];
    if (!qdi_schema_is_group(key)) qdi_text_add(text, qdi_schema_expected(key, expected));
    qdi_text_add(text, key->required ? " (needed)" : key->planned ? " (not built yet)" : "");
    const size_t head = text->used;
    qdi_text_add(text, "; default: ");
    if (key->otherwise)
        qdi_text_add(text, strcmp(key->otherwise, "`[]`") == 0 ? "[]" : key->otherwise);
    else if (!qdi_scene_write_default(key, text) && text->status == QD_OK)
        text->chars[text->used = head] = '\0';
}

// Prints a scene key with what it expects, for `quadrille help scene`.
static void print_scene_key(FILE *out, const qdi_key *key) {
    qdi_text words = {.allocator = qd_allocator_default()};
    qdi_help_key(key, &words);
    fprintf(out, "%s%s%s\n", key->path, qdi_schema_is_group(key) ? "" : ": ",
            words.status == QD_OK ? words.chars : "");
    qdi_text_release(&words);
    if (key->about) put_wrapped(out, key->about);
}

/// True for a key at `path`, or below it. Numbers of items, as --set has them, are not told apart.
static bool is_at(const qdi_key *key, const char *path, size_t length) {
    if (strncmp(key->path, path, length) != 0) return false;
    char next = key->path[length];
    return next == '\0' || next == '.' || next == '[';
}

/// Command help scene: "bodies.0.disks" as the schema has it, "bodies[].disks".
static void plain_path(const char *key, char *path, size_t room) {
    size_t used = 0;
    for (; *key && used + 3 < room; ++key) {
        size_t digits = *key == '.' ? strspn(key + 1, "0123456789") : 0;
        if (digits > 0 && (key[1 + digits] == '.' || key[1 + digits] == '\0')) {
            path[used++] = '[';
            path[used++] = ']';
            key += digits;
        } else {
            path[used++] = *key;
        }
    }
    path[used] = '\0';
}

/// Command help scene: those with this last word, wherever they are; how many there were.
static size_t put_by_word(FILE *out, const char *word) {
    const qdi_key *key;
    size_t count = 0;
    for (size_t i = 0; (key = qdi_schema_at(i)) != NULL; ++i) {
        if (strcmp(qdi_schema_word(key), word) != 0) continue;
        print_scene_key(out, key);
        ++count;
    }
    return count;
}

int qdi_help_scene(FILE *out, const char *wanted) {
    char path[160] = "";
    const qdi_key *key;
    qdi_suggestion nearest = {NULL, 0};
    size_t count = 0;
    if (wanted) plain_path(wanted, path, sizeof path);
    for (size_t i = 0; (key = qdi_schema_at(i)) != NULL; ++i) {
        const char *word = qdi_schema_word(key);
        qdi_suggest(&nearest, path, strlen(path), key->path, strlen(key->path));
        qdi_suggest(&nearest, path, strlen(path), word, strlen(word));
        if (wanted && !is_at(key, path, strlen(path))) continue;
        print_scene_key(out, key);
        ++count;
    }
    if (count == 0) count = put_by_word(out, path);
    if (count > 0) return QDI_EXIT_DONE;
    if (nearest.word)
        qdi_complain("a scene has no key '%.80s'; did you mean %s?", wanted, nearest.word);
    else
        qdi_complain("a scene has no key '%.80s'; `quadrille help scene` lists them", wanted);
    return QDI_EXIT_USAGE;
}
