// What is wrong with a scene, and where; what a node and a file of it are found by.

#include "sim/scene/scene_impl.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/// Where a complaint points to: "FILE:LINE" or "--set KEY=VALUE". Returns the complaint's status.
static qd_status point_at(const qdi_scene_reader *reader, uint32_t source, uint32_t line,
                          char place[QDI_QUOTE_ROOM + 24]) {
    char quote[QDI_QUOTE_ROOM];
    const char *text = source > 0 ? reader->changes->sets[source - 1] : reader->name;
    qdi_quote(quote, text, strlen(text));
    if (source > 0)
        snprintf(place, QDI_QUOTE_ROOM + 24, "--set %s", quote);
    else if (line > 0)
        snprintf(place, QDI_QUOTE_ROOM + 24, "%s:%" PRIu32, quote, line);
    else
        snprintf(place, QDI_QUOTE_ROOM + 24, "%s", quote);
    return source > 0 ? QD_ERR_ARGUMENT : QD_ERR_INVALID;
}

qd_status qdi_scene_complain(const qdi_scene_reader *reader, qdi_yaml_ref node, const char *format, ...) {
    char place[QDI_QUOTE_ROOM + 24], reason[400];
    const qdi_yaml_node *here = &reader->yaml.nodes[node];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    qd_status status = point_at(reader, here->source, here->line, place);
    return qdi_reason(reader->error, status, "%s: %s", place, reason);
}

qd_status qdi_scene_malformed(const qdi_scene_reader *reader, uint32_t source, const qdi_yaml_fault *fault) {
    char place[QDI_QUOTE_ROOM + 24];
    qd_status status = point_at(reader, source, fault->line, place);
    return qdi_reason(reader->error, status, "%s: %s", place, fault->text);
}

qdi_yaml_ref qdi_scene_find(const qdi_scene_reader *reader, qdi_yaml_ref node, const char *const *words) {
    for (; node && *words; ++words)
        node = reader->yaml.nodes[node].kind == QDI_YAML_MAP
                   ? qdi_yaml_find(&reader->yaml, node, *words, strlen(*words))
                   : 0;
    return node;
}

qd_status qdi_scene_locate(const qdi_scene_reader *reader, const qdi_text *path, qdi_text *from) {
    const char *slash = strrchr(reader->name, '/');
    *from = (qdi_text){.allocator = reader->allocator};
    if (slash && path->chars[0] != '/')
        qdi_text_add_bytes(from, reader->name, (size_t)(slash - reader->name) + 1);
    qdi_text_add_bytes(from, path->chars, path->used);
    return from->status;
}
