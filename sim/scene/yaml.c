#include "sim/scene/yaml.h"

#include "core/base/memory.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

enum { MOST_ANCHORS = 256 };

typedef struct named_anchor {
    size_t name, bytes; ///< in the document's chars
    qdi_yaml_ref node;
} named_anchor;

/// A document while it is being read.
typedef struct document_builder {
    qdi_yaml *yaml;
    qdi_yaml_fault *fault;
    const char *text;
    size_t bytes;
    yaml_parser_t parser;
    uint32_t source;
    qdi_yaml_ref root;
    int documents;
    qdi_yaml_ref open[QDI_YAML_DEEPEST]; ///< lists and maps around the next node
    size_t depth;
    bool has_key; ///< the innermost map has read the key of the next node
    size_t key, key_bytes;
    uint32_t key_line;
    named_anchor anchors[MOST_ANCHORS];
    size_t anchor_count;
} document_builder;

// Notes what is wrong with a YAML document, and in which line.
static qd_status set_fault(document_builder *builder, size_t line, const char *text) {
    builder->fault->line = (uint32_t)(line < UINT32_MAX ? line : UINT32_MAX);
    snprintf(builder->fault->text, sizeof builder->fault->text, "%s", text);
    return QD_ERR_INVALID;
}

// Keeps a text of a YAML document.
static qd_status add_yaml_chars(qdi_yaml *yaml, const char *text, size_t bytes, size_t *place) {
    qd_status status = qdi_reserve(yaml->allocator, &yaml->chars, &yaml->char_room, yaml->char_count,
                                   yaml->char_count + bytes + 1, 1);
    if (status != QD_OK) return status;
    *place = yaml->char_count;
    memcpy(yaml->chars + yaml->char_count, text, bytes);
    yaml->chars[yaml->char_count + bytes] = 0;
    yaml->char_count += bytes + 1;
    return QD_OK;
}

// Adds a node to the tree of a YAML document.
static qd_status new_yaml_node(qdi_yaml *yaml, qdi_yaml_node content, qdi_yaml_ref *node) {
    size_t used = yaml->node_count, place = used > 0 ? used : 1; // place 0 stands for no node
    if (place > QDI_YAML_MOST_NODES) return QD_ERR_LIMIT;
    qd_status status = qdi_reserve(yaml->allocator, &yaml->nodes, &yaml->node_room, used, place + 1,
                                   sizeof *yaml->nodes);
    if (status != QD_OK) return status;
    yaml->nodes[0] = (qdi_yaml_node){0};
    yaml->nodes[place] = content;
    yaml->node_count = place + 1;
    *node = (qdi_yaml_ref)place;
    return QD_OK;
}

// Hangs a node of a YAML document below another.
static void link_yaml_node(qdi_yaml *yaml, qdi_yaml_ref parent, qdi_yaml_ref child) {
    qdi_yaml_node *above = &yaml->nodes[parent];
    if (above->last)
        yaml->nodes[above->last].next = child;
    else
        above->first = child;
    above->last = child;
    ++above->count;
}

/// Puts a node into the innermost open list or map, under the key that was read, or makes it the root.
static qd_status place_node(document_builder *builder, qdi_yaml_node content, qdi_yaml_ref *node) {
    if (builder->has_key) {
        content.key = builder->key;
        content.key_bytes = builder->key_bytes;
        content.line = builder->key_line;
        builder->has_key = false;
    }
    qd_status status = new_yaml_node(builder->yaml, content, node);
    if (status == QD_ERR_LIMIT) return set_fault(builder, content.line, "holds too many values");
    if (status != QD_OK) return status;
    if (builder->depth > 0)
        link_yaml_node(builder->yaml, builder->open[builder->depth - 1], *node);
    else
        builder->root = *node;
    return QD_OK;
}

// Whether the next scalar of a YAML document is a key.
static bool expects_key(const document_builder *builder) {
    if (builder->depth == 0 || builder->has_key) return false;
    return builder->yaml->nodes[builder->open[builder->depth - 1]].kind == QDI_YAML_MAP;
}

// Notes an anchor of a YAML document.
static qd_status add_yaml_anchor(document_builder *builder, const yaml_char_t *name, size_t line,
                                 qdi_yaml_ref node) {
    if (!name) return QD_OK;
    if (builder->anchor_count == MOST_ANCHORS) return set_fault(builder, line, "has too many anchors");
    named_anchor *anchor = &builder->anchors[builder->anchor_count];
    anchor->node = node;
    anchor->bytes = strlen((const char *)name);
    qd_status status = add_yaml_chars(builder->yaml, (const char *)name, anchor->bytes, &anchor->name);
    if (status == QD_OK) ++builder->anchor_count;
    return status;
}

// Takes a scalar of a YAML document: a key or a value.
static qd_status read_yaml_scalar(document_builder *builder, const yaml_event_t *event) {
    size_t line = event->start_mark.line + 1, text = 0;
    const char *value = (const char *)event->data.scalar.value;
    if (event->data.scalar.tag) return set_fault(builder, line, "tags (\"!...\") have no meaning here");
    qd_status status = add_yaml_chars(builder->yaml, value, event->data.scalar.length, &text);
    if (status != QD_OK) return status;
    if (expects_key(builder)) {
        builder->has_key = true;
        builder->key = text;
        builder->key_bytes = event->data.scalar.length;
        builder->key_line = (uint32_t)line;
        return QD_OK;
    }
    qdi_yaml_ref node = 0;
    qdi_yaml_node content = {.kind = QDI_YAML_VALUE,
                             .plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE,
                             .line = (uint32_t)line,
                             .source = builder->source,
                             .text = text,
                             .bytes = event->data.scalar.length};
    status = place_node(builder, content, &node);
    return status == QD_OK ? add_yaml_anchor(builder, event->data.scalar.anchor, line, node) : status;
}

// Takes the start of a map or list of a YAML document.
static qd_status read_yaml_start(document_builder *builder, const yaml_event_t *event, qdi_yaml_kind kind) {
    size_t line = event->start_mark.line + 1;
    bool map = kind == QDI_YAML_MAP;
    const yaml_char_t *tag = map ? event->data.mapping_start.tag : event->data.sequence_start.tag;
    const yaml_char_t *name = map ? event->data.mapping_start.anchor : event->data.sequence_start.anchor;
    if (tag) return set_fault(builder, line, "tags (\"!...\") have no meaning here");
    if (expects_key(builder)) return set_fault(builder, line, "a key must be a word");
    if (builder->depth == QDI_YAML_DEEPEST) return set_fault(builder, line, "is nested too deep");
    qdi_yaml_node content = {.kind = kind, .line = (uint32_t)line, .source = builder->source};
    qdi_yaml_ref node = 0;
    qd_status status = place_node(builder, content, &node);
    if (status == QD_OK) status = add_yaml_anchor(builder, name, line, node);
    if (status == QD_OK) builder->open[builder->depth++] = node;
    return status;
}

/// YAML: appends copies of the children of `from` to `to`. The depth is limited: the copies may be copied
/// again.
static qd_status copy_children(document_builder *builder, qdi_yaml_ref from, qdi_yaml_ref to, size_t depth) {
    qdi_yaml *yaml = builder->yaml;
    for (qdi_yaml_ref child = yaml->nodes[from].first; child; child = yaml->nodes[child].next) {
        qdi_yaml_node content = yaml->nodes[child];
        content.first = content.last = content.next = content.count = 0;
        if (depth == QDI_YAML_DEEPEST) return set_fault(builder, content.line, "is nested too deep");
        qdi_yaml_ref copy = 0;
        qd_status status = new_yaml_node(yaml, content, &copy);
        if (status == QD_ERR_LIMIT) return set_fault(builder, content.line, "holds too many values");
        if (status != QD_OK) return status;
        link_yaml_node(yaml, to, copy);
        status = copy_children(builder, child, copy, depth + 1);
        if (status != QD_OK) return status;
    }
    return QD_OK;
}

// Takes an alias of a YAML document.
static qd_status read_yaml_alias(document_builder *builder, const yaml_event_t *event) {
    size_t line = event->start_mark.line + 1;
    const char *name = (const char *)event->data.alias.anchor;
    if (expects_key(builder)) return set_fault(builder, line, "a key must be a word");
    qdi_yaml_ref target = 0;
    for (size_t i = builder->anchor_count; i-- > 0 && !target;) {
        const named_anchor *anchor = &builder->anchors[i];
        if (anchor->bytes == strlen(name) &&
            !memcmp(builder->yaml->chars + anchor->name, name, anchor->bytes))
            target = anchor->node;
    }
    if (!target) return set_fault(builder, line, "an alias (\"*...\") names an anchor that is not there");
    for (size_t i = 0; i < builder->depth; ++i)
        if (builder->open[i] == target)
            return set_fault(builder, line, "an alias stands inside its own anchor");
    qdi_yaml_node content = builder->yaml->nodes[target];
    content.first = content.last = content.next = content.count = 0;
    content.key = content.key_bytes = 0;
    content.line = (uint32_t)line;
    qdi_yaml_ref node = 0;
    qd_status status = place_node(builder, content, &node);
    return status == QD_OK ? copy_children(builder, target, node, builder->depth + 1) : status;
}

// Takes one event of the YAML parser.
static qd_status read_yaml_event(document_builder *builder, const yaml_event_t *event) {
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (builder->documents++ == 0) return QD_OK;
        return set_fault(builder, event->start_mark.line + 1, "holds more than one document (\"---\")");
    case YAML_SCALAR_EVENT: return read_yaml_scalar(builder, event);
    case YAML_ALIAS_EVENT: return read_yaml_alias(builder, event);
    case YAML_SEQUENCE_START_EVENT: return read_yaml_start(builder, event, QDI_YAML_LIST);
    case YAML_MAPPING_START_EVENT: return read_yaml_start(builder, event, QDI_YAML_MAP);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: --builder->depth; return QD_OK;
    default: return QD_OK;
    }
}

/// True where only spaces come before a tab in a line (from 0): people's usual mistake, for which libyaml has
/// no plain words.
static bool tab_begins(const document_builder *builder, size_t line) {
    const char *at = builder->text, *end = at + builder->bytes;
    for (; line > 0 && at; --line) {
        at = memchr(at, '\n', (size_t)(end - at));
        if (at) ++at;
    }
    while (at && at < end && *at == ' ') ++at;
    return at && at < end && *at == '\t';
}

/// Why libyaml gave up.
static qd_status parser_fault(document_builder *builder) {
    const yaml_parser_t *parser = &builder->parser;
    const char *problem = parser->problem ? parser->problem : "malformed";
    char text[sizeof builder->fault->text];
    if (parser->error == YAML_MEMORY_ERROR) return QD_ERR_MEMORY;
    if (parser->error == YAML_READER_ERROR) {
        snprintf(text, sizeof text, "is not text in UTF-8: %s (byte %zu)", problem, parser->problem_offset);
        return set_fault(builder, 0, text);
    }
    if (tab_begins(builder, parser->problem_mark.line))
        snprintf(text, sizeof text, "a tab begins the line: YAML takes spaces only");
    else if (parser->context)
        snprintf(text, sizeof text, "%s (%s that begins on line %zu)", problem, parser->context,
                 parser->context_mark.line + 1);
    else
        snprintf(text, sizeof text, "%s", problem);
    return set_fault(builder, parser->problem_mark.line + 1, text);
}

// Takes all events of the YAML parser.
static qd_status read_yaml_events(document_builder *builder) {
    for (bool more = true; more;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&builder->parser, &event)) return parser_fault(builder);
        qd_status status = read_yaml_event(builder, &event);
        more = event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
        if (status != QD_OK) return status;
    }
    return QD_OK;
}

qd_status qdi_yaml_read(qdi_yaml *yaml, const char *text, size_t bytes, uint32_t source, qdi_yaml_ref *root,
                        qdi_yaml_fault *fault) {
    document_builder builder = {.yaml = yaml, .fault = fault, .source = source, .text = text, .bytes = bytes};
    if (!yaml_parser_initialize(&builder.parser)) return QD_ERR_MEMORY;
    yaml_parser_set_input_string(&builder.parser, (const unsigned char *)text, bytes);
    qd_status status = read_yaml_events(&builder);
    yaml_parser_delete(&builder.parser);
    *root = status == QD_OK ? builder.root : 0;
    return status;
}

// Releases the tree of a YAML document.
void qdi_yaml_release(qdi_yaml *yaml) {
    qdi_release(yaml->allocator, yaml->nodes, yaml->node_room, sizeof *yaml->nodes);
    qdi_release(yaml->allocator, yaml->chars, yaml->char_room, 1);
    *yaml = (qdi_yaml){.allocator = yaml->allocator};
}

qdi_yaml_ref qdi_yaml_find(const qdi_yaml *yaml, qdi_yaml_ref map, const char *key, size_t key_bytes) {
    qdi_yaml_ref child = yaml->nodes[map].first;
    while (child) {
        const qdi_yaml_node *node = &yaml->nodes[child];
        if (node->key_bytes == key_bytes && memcmp(yaml->chars + node->key, key, key_bytes) == 0) break;
        child = node->next;
    }
    return child;
}

qdi_yaml_ref qdi_yaml_child(const qdi_yaml *yaml, qdi_yaml_ref parent, size_t number) {
    qdi_yaml_ref child = yaml->nodes[parent].first;
    while (child && number-- > 0) child = yaml->nodes[child].next;
    return child;
}

qd_status qdi_yaml_append(qdi_yaml *yaml, qdi_yaml_ref parent, const char *key, size_t key_bytes,
                          uint32_t source, qdi_yaml_ref *child) {
    qdi_yaml_node content = {.kind = QDI_YAML_MAP, .source = source, .line = yaml->nodes[parent].line};
    content.key_bytes = key ? key_bytes : 0;
    qd_status status = key ? add_yaml_chars(yaml, key, key_bytes, &content.key) : QD_OK;
    if (status == QD_OK) status = new_yaml_node(yaml, content, child);
    if (status == QD_OK) link_yaml_node(yaml, parent, *child);
    return status;
}

void qdi_yaml_become(qdi_yaml *yaml, qdi_yaml_ref node, qdi_yaml_ref content) {
    qdi_yaml_node old = yaml->nodes[node];
    yaml->nodes[node] = yaml->nodes[content];
    yaml->nodes[node].key = old.key;
    yaml->nodes[node].key_bytes = old.key_bytes;
    yaml->nodes[node].next = old.next;
}

void qdi_yaml_remove(qdi_yaml *yaml, qdi_yaml_ref parent, qdi_yaml_ref child) {
    qdi_yaml_ref before = 0, at = yaml->nodes[parent].first;
    for (; at != child; at = yaml->nodes[at].next) before = at;
    if (before)
        yaml->nodes[before].next = yaml->nodes[child].next;
    else
        yaml->nodes[parent].first = yaml->nodes[child].next;
    if (yaml->nodes[parent].last == child) yaml->nodes[parent].last = before;
    yaml->nodes[parent].count -= 1;
}

void qdi_yaml_clear(qdi_yaml *yaml, qdi_yaml_ref node, uint32_t source) {
    qdi_yaml_node *here = &yaml->nodes[node];
    here->kind = QDI_YAML_MAP;
    here->source = source;
    here->first = here->last = here->count = 0;
}
