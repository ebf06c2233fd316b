// From the text of a sweep's file to the sweep.

#include "core/base/memory.h"
#include "sim/files/os.h"
#include "sim/sweep/sweep_impl.h"
#include "sim/text/lines.h"
#include "sim/text/number.h"
#include "sim/text/reason.h"
#include "sim/text/scene_text.h"
#include "sim/text/suggest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/// Most bytes of a sweep's file.
#define SOURCE_MAX ((size_t)16 << 20)

static const char out_of_memory[] = "out of memory";

qd_status qdi_sweep_complain(const qdi_sweep_reader *reader, qdi_yaml_ref node, const char *format, ...) {
    char reason[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    uint32_t line = node ? reader->yaml.nodes[node].line : 0;
    return qdi_lines_reason(reader->path, line, reader->error, "%s", reason);
}

qd_status qdi_sweep_keep(qdi_sweep *sweep, const char *text, size_t bytes, size_t *place) {
    *place = sweep->texts.used;
    qdi_text_add_bytes(&sweep->texts, text, bytes);
    qdi_text_add_bytes(&sweep->texts, "", 1);
    return sweep->texts.status;
}

qdi_yaml_ref qdi_sweep_child(const qdi_sweep_reader *reader, qdi_yaml_ref map, const char *key) {
    return qdi_yaml_find(&reader->yaml, map, key, strlen(key));
}

/// Sweep's file: the next of some words with a space between; false past the last.
static bool next_word(const char **at, const char **word, size_t *bytes) {
    if (!**at) return false;
    *word = *at;
    *bytes = strcspn(*at, " ");
    *at += *bytes + ((*at)[*bytes] == ' ');
    return true;
}

// Sweep's file: the word for what other programs call `values`, where it is among the known ones.
static const char *our_word(const char *key, size_t bytes, const char *known) {
    bool values = (bytes == 6 && memcmp(key, "values", 6) == 0) ||
                  (bytes == 5 && memcmp(key, "value", 5) == 0);
    return values && strstr(known, " list ") ? "list" : NULL;
}

qd_status qdi_sweep_known(const qdi_sweep_reader *reader, qdi_yaml_ref map, const char *what,
                          const char *known) {
    const qdi_yaml *yaml = &reader->yaml;
    char quote[QDI_QUOTE_ROOM];
    if (yaml->nodes[map].kind != QDI_YAML_MAP)
        return qdi_sweep_complain(reader, map, "%s must be a mapping (key: value)", what);
    for (qdi_yaml_ref child = yaml->nodes[map].first; child; child = yaml->nodes[child].next) {
        const qdi_yaml_node *here = &yaml->nodes[child];
        const char *key = yaml->chars + here->key, *at = known, *word = NULL;
        size_t bytes = 0, best_bytes = 0;
        bool found = false;
        qdi_suggestion best = {NULL, 0};
        while (!found && next_word(&at, &word, &bytes)) {
            found = bytes == here->key_bytes && memcmp(word, key, bytes) == 0;
            const char *before = best.word;
            qdi_suggest(&best, key, here->key_bytes, word, bytes);
            if (best.word != before) best_bytes = bytes;
        }
        qdi_quote(quote, key, here->key_bytes);
        const char *ours = our_word(key, here->key_bytes, known);
        if (ours) best.word = ours, best_bytes = strlen(ours);
        if (!found && best.word)
            return qdi_sweep_complain(reader, child, "unknown key \"%s\" in %s; did you mean \"%.*s\"?",
                                      quote, what, (int)best_bytes, best.word);
        if (!found)
            return qdi_sweep_complain(reader, child, "unknown key \"%s\" in %s, which has %s", quote, what,
                                      known);
        if (qdi_yaml_find(yaml, map, key, here->key_bytes) != child)
            return qdi_sweep_complain(reader, child, "%s: \"%s\" is given twice", what, quote);
    }
    return QD_OK;
}

qd_status qdi_sweep_whole(const qdi_sweep_reader *reader, qdi_yaml_ref node, const char *what, uint64_t least,
                          uint64_t most, uint64_t *value) {
    const qdi_yaml_node *here = &reader->yaml.nodes[node];
    bool good = here->kind == QDI_YAML_VALUE && here->plain &&
                qdi_integer_read(reader->yaml.chars + here->text, here->bytes, value) && *value >= least &&
                *value <= most;
    if (good) return QD_OK;
    return qdi_sweep_complain(reader, node, "%s must be a whole number from %" PRIu64 " to %" PRIu64, what,
                              least, most);
}

/// Sweep's file: a text on one line; `*node` 0: it is not there.
static qd_status read_text(const qdi_sweep_reader *reader, qdi_yaml_ref node, const char *what,
                           const char **text, size_t *bytes) {
    const qdi_yaml_node *here = &reader->yaml.nodes[node];
    *text = reader->yaml.chars + here->text;
    *bytes = here->bytes;
    bool good = here->kind == QDI_YAML_VALUE && here->bytes > 0 && here->bytes < QDI_SWEEP_PATH / 2;
    for (size_t i = 0; good && i < here->bytes; ++i) good = (unsigned char)(*text)[i] >= ' ';
    return good ? QD_OK : qdi_sweep_complain(reader, node, "%s must be some text", what);
}

/// A built-in scene's name stays; a file's path begins at the sweep's folder.
static qd_status read_scene(const qdi_sweep_reader *reader, qdi_yaml_ref node) {
    const char *text = NULL;
    size_t bytes = 0;
    qd_status status = read_text(reader, node, "scene", &text, &bytes);
    if (status != QD_OK) return status;
    if (reader->kept) return qdi_sweep_keep(reader->sweep, text, bytes, &reader->sweep->scene);
    bool file = strchr(text, '/') || qdi_ends_with(text, strlen(text), ".yaml") ||
                qdi_ends_with(text, strlen(text), ".yml") || qdi_ends_with(text, strlen(text), ".json") ||
                !qd_scene_builtin_text(text);
    const char *slash = strrchr(reader->path, '/');
    size_t folder = file && text[0] != '/' && slash ? (size_t)(slash + 1 - reader->path) : 0;
    char path[QDI_SWEEP_PATH];
    if (folder + bytes >= sizeof path) return qdi_sweep_complain(reader, node, "scene: the path is too long");
    memcpy(path, reader->path, folder);
    memcpy(path + folder, text, bytes);
    path[folder + bytes] = 0;
    if (file && !qdi_os_is_file(path)) {
        qdi_suggestion best = {NULL, 0};
        for (size_t i = 0; qd_scene_builtin_name(i); ++i)
            qdi_suggest(&best, text, bytes, qd_scene_builtin_name(i), strlen(qd_scene_builtin_name(i)));
        char quote[QDI_QUOTE_ROOM];
        qdi_quote(quote, text, bytes);
        return qdi_sweep_complain(reader, node, "scene: \"%s\" is neither a built-in scene nor a file%s%s%s",
                                  quote, best.word ? "; did you mean \"" : "", best.word ? best.word : "",
                                  best.word ? "\"?" : "");
    }
    return qdi_sweep_keep(reader->sweep, path, folder + bytes, &reader->sweep->scene);
}

// Reads the name of a sweep.
static qd_status read_sweep_name(const qdi_sweep_reader *reader, qdi_yaml_ref node) {
    const char *text = "sweep";
    size_t bytes = strlen(text);
    qd_status status = node ? read_text(reader, node, "name", &text, &bytes) : QD_OK;
    return status == QD_OK ? qdi_sweep_keep(reader->sweep, text, bytes, &reader->sweep->name) : status;
}

// Reads the keys that all points of a sweep change.
static qd_status read_sweep_set(const qdi_sweep_reader *reader, qdi_yaml_ref map) {
    const qdi_yaml *yaml = &reader->yaml;
    qdi_sweep *sweep = reader->sweep;
    if (yaml->nodes[map].kind != QDI_YAML_MAP)
        return qdi_sweep_complain(reader, map, "set must be a mapping (key of the scene: value)");
    qd_status status = QD_OK;
    for (qdi_yaml_ref child = yaml->nodes[map].first; child && status == QD_OK;
         child = yaml->nodes[child].next) {
        const qdi_yaml_node *here = &yaml->nodes[child];
        const qdi_key *key = NULL;
        const char *path = yaml->chars + here->key;
        qdi_text value = {.allocator = sweep->allocator};
        qdi_sweep_fixed fixed;
        status = qdi_sweep_key_check(reader, child, path, here->key_bytes, &key);
        if (status == QD_OK) status = qdi_sweep_flow(reader, child, &value);
        if (status == QD_OK) status = qdi_sweep_keep(sweep, path, here->key_bytes, &fixed.key);
        if (status == QD_OK) status = qdi_sweep_keep(sweep, value.chars, value.used, &fixed.value);
        if (status == QD_OK)
            status = qdi_reserve(sweep->allocator, &sweep->fixed, &sweep->fixed_room, sweep->fixed_count,
                                 sweep->fixed_count + 1, sizeof *sweep->fixed);
        if (status == QD_OK) sweep->fixed[sweep->fixed_count++] = fixed;
        qdi_text_release(&value);
    }
    return status;
}

// Reads the axes of a sweep.
static qd_status read_sweep_axes(const qdi_sweep_reader *reader, qdi_yaml_ref list) {
    const qdi_yaml *yaml = &reader->yaml;
    if (yaml->nodes[list].kind != QDI_YAML_LIST)
        return qdi_sweep_complain(reader, list, "axes must be a list (- key: ...)");
    qd_status status = QD_OK;
    for (qdi_yaml_ref child = yaml->nodes[list].first; child && status == QD_OK;
         child = yaml->nodes[child].next)
        status = qdi_sweep_axis_read(reader, child);
    return status;
}

// Reads the keys at the top of a sweep's file.
static qd_status read_sweep_root(const qdi_sweep_reader *reader, qdi_yaml_ref root) {
    qdi_sweep *sweep = reader->sweep;
    qd_status status = qdi_sweep_known(reader, root, "a sweep", "name scene set axes replicas limit columns");
    if (status != QD_OK) return status;
    qdi_yaml_ref scene = qdi_sweep_child(reader, root, "scene"), set = qdi_sweep_child(reader, root, "set"),
                 axes = qdi_sweep_child(reader, root, "axes"), limit = qdi_sweep_child(reader, root, "limit"),
                 replicas = qdi_sweep_child(reader, root, "replicas"),
                 columns = qdi_sweep_child(reader, root, "columns");
    if (!scene) return qdi_sweep_complain(reader, root, "a sweep needs a scene: a built-in name or a file");
    if (!axes && !replicas)
        return qdi_sweep_complain(reader, root, "a sweep needs axes, or replicas, or both");
    status = read_sweep_name(reader, qdi_sweep_child(reader, root, "name"));
    if (status == QD_OK) status = read_scene(reader, scene);
    if (status == QD_OK && set) status = read_sweep_set(reader, set);
    if (status == QD_OK && axes) status = read_sweep_axes(reader, axes);
    if (status == QD_OK && replicas)
        status = qdi_sweep_whole(reader, replicas, "replicas", 1, QDI_SWEEP_LONGEST, &sweep->replicas);
    if (status == QD_OK && limit)
        status = qdi_sweep_whole(reader, limit, "limit", 1, (uint64_t)1 << 53, &sweep->limit);
    if (status == QD_OK && columns) status = qdi_sweep_fields_take(reader, columns);
    return status;
}

// Reads a sweep from its YAML.
static qd_status read_sweep_text(qdi_sweep_reader *reader, const char *text, size_t bytes) {
    qdi_yaml_fault fault = {0};
    qdi_yaml_ref root = 0;
    qd_status status = qdi_yaml_read(&reader->yaml, text, bytes, 0, &root, &fault);
    if (status == QD_ERR_INVALID)
        return qdi_lines_reason(reader->path, fault.line, reader->error, "%s", fault.text);
    if (status != QD_OK) return status;
    if (!root) return qdi_lines_reason(reader->path, 0, reader->error, "is empty");
    return read_sweep_root(reader, root);
}

// Makes a sweep of a text.
static qd_status parse_sweep(const qd_allocator *allocator, const char *text, size_t bytes, const char *name,
                             bool kept, qdi_sweep **sweep, qd_error *error) {
    *sweep = NULL;
    qdi_sweep *made = qdi_allocate(allocator, 1, sizeof *made);
    if (!made) return qdi_reason(error, QD_ERR_MEMORY, "%s", out_of_memory);
    *made = (qdi_sweep){.allocator = allocator,
                        .texts.allocator = allocator,
                        .source.allocator = allocator,
                        .replicas = 1,
                        .limit = QDI_SWEEP_LIMIT};
    qdi_sweep_reader reader = {
        .path = name, .error = error, .yaml.allocator = allocator, .sweep = made, .kept = kept};
    qdi_text_add_bytes(&made->source, text, bytes);
    qd_status status = made->source.status;
    if (status == QD_OK) status = read_sweep_text(&reader, text, bytes);
    qdi_yaml_release(&reader.yaml);
    if (status == QD_ERR_MEMORY) (void)qdi_reason(error, status, "%s", out_of_memory);
    if (status == QD_OK)
        *sweep = made;
    else
        qdi_sweep_destroy(made);
    return status;
}

qd_status qdi_sweep_parse(const qd_allocator *allocator, const char *text, size_t bytes, const char *name,
                          qdi_sweep **sweep, qd_error *error) {
    return parse_sweep(allocator, text, bytes, name, false, sweep, error);
}

// Makes a sweep of a file.
static qd_status read_sweep_file(const char *path, bool kept, qdi_sweep **sweep, qd_error *error) {
    const qd_allocator *allocator = qd_allocator_default();
    char shown[QDI_PATH_SHOWN];
    *sweep = NULL;
    FILE *file = NULL;
    qd_error why;
    qd_status status = qdi_os_open(path, kept ? QDI_OS_OWN : QDI_OS_GIVEN, &file, &why);
    if (status != QD_OK)
        return qdi_reason(error, status, "%s: cannot be opened: %s", qdi_path_shown(shown, path), why.text);
    qdi_text text = {.allocator = allocator};
    errno = 0;
    bool whole = qdi_text_add_file(&text, file, SOURCE_MAX);
    status = text.status;
    if (status != QD_OK)
        (void)qdi_reason(error, status, "%s", out_of_memory);
    else if (!whole)
        status = qdi_reason(error, QD_ERR_IO, "%s: cannot be read: %s", qdi_path_shown(shown, path),
                            strerror(errno));
    else if (text.used > SOURCE_MAX)
        status = qdi_lines_reason(path, 0, error, "is larger than %zu MB", SOURCE_MAX >> 20);
    (void)fclose(file);
    if (status == QD_OK)
        status = parse_sweep(allocator, text.chars ? text.chars : "", text.used, path, kept, sweep, error);
    qdi_text_release(&text);
    return status;
}

qd_status qdi_sweep_read(const char *path, qdi_sweep **sweep, qd_error *error) {
    return read_sweep_file(path, false, sweep, error);
}

qd_status qdi_sweep_read_kept(const char *path, qdi_sweep **sweep, qd_error *error) {
    return read_sweep_file(path, true, sweep, error);
}
