#include <quadrille/compare.h>

#include "core/base/arithmetic.h"
#include "sim/scene/yaml.h"

#include <stdio.h>
#include <string.h>

enum { KEY_ROOM = 512, VALUE_ROOM = 256 };

/// Two scenes' trees, and who is told.
typedef struct comparing {
    qdi_yaml first, second;
    qd_scene_difference_visit visit;
    void *context;
    uint64_t count;
    char key[KEY_ROOM]; ///< of the place that the comparison is at
    size_t key_length;
} comparing;

// A node of a compared scene.
static const qdi_yaml_node *yaml_node(const qdi_yaml *yaml, qdi_yaml_ref ref) {
    return &yaml->nodes[ref];
}

/// Compared runs' scenes: a value as text; what is longer than the room is cut.
static const char *value_of(const qdi_yaml *yaml, qdi_yaml_ref ref, char text[VALUE_ROOM]) {
    if (!ref) return NULL;
    const qdi_yaml_node *node = yaml_node(yaml, ref);
    if (node->kind == QDI_YAML_VALUE)
        snprintf(text, VALUE_ROOM, "%.*s", node->bytes < VALUE_ROOM ? (int)node->bytes : VALUE_ROOM - 1,
                 yaml->chars + node->text);
    else
        snprintf(text, VALUE_ROOM, "%s", node->kind == QDI_YAML_LIST ? "[]" : "{}");
    return text;
}

// Whether a node of a compared scene has no keys below it.
static bool is_scene_leaf(const qdi_yaml *yaml, qdi_yaml_ref ref) {
    const qdi_yaml_node *node = yaml_node(yaml, ref);
    return node->kind == QDI_YAML_VALUE || node->count == 0;
}

/// Compared runs' scenes: two leaves.
static bool same_scene_values(const comparing *job, qdi_yaml_ref p, qdi_yaml_ref q) {
    const qdi_yaml_node *one = yaml_node(&job->first, p), *two = yaml_node(&job->second, q);
    if (one->kind != two->kind) return false;
    return one->kind != QDI_YAML_VALUE ||
           (one->bytes == two->bytes &&
            memcmp(job->first.chars + one->text, job->second.chars + two->text, one->bytes) == 0);
}

// Compared runs' scenes: tells a scene key in which two scenes differ.
static bool tell_key(comparing *job, qdi_yaml_ref p, qdi_yaml_ref q) {
    char one[VALUE_ROOM], two[VALUE_ROOM];
    const char *first = value_of(&job->first, p, one), *second = value_of(&job->second, q, two);
    job->count += 1;
    return !job->visit || job->visit(job->context, job->key, first, second);
}

/// Compared runs' scenes: goes to a child, and back to where `length` was.
static size_t enter_key(comparing *job, const qdi_yaml *yaml, qdi_yaml_ref child, size_t number) {
    size_t length = job->key_length;
    const qdi_yaml_node *node = yaml_node(yaml, child);
    const char *dot = length > 0 ? "." : "";
    int more = node->key_bytes > 0 ? snprintf(job->key + length, KEY_ROOM - length, "%s%.*s", dot,
                                              (int)node->key_bytes, yaml->chars + node->key)
                                   : snprintf(job->key + length, KEY_ROOM - length, "%s%zu", dot, number);
    size_t room = KEY_ROOM - 1 - length;
    job->key_length += more > 0 && (size_t)more < room ? (size_t)more : room;
    return length;
}

// Compared runs' scenes: goes back to the key above.
static void leave_key(comparing *job, size_t length) {
    job->key_length = length;
    job->key[length] = '\0';
}

/// Compared runs' scenes: every leaf of what is in one scene only.
static bool tell_all(comparing *job, bool in_first, qdi_yaml_ref at) {
    const qdi_yaml *yaml = in_first ? &job->first : &job->second;
    if (is_scene_leaf(yaml, at)) return tell_key(job, in_first ? at : 0, in_first ? 0 : at);
    bool more = true;
    size_t number = 0;
    for (qdi_yaml_ref child = yaml_node(yaml, at)->first; child && more;
         child = yaml_node(yaml, child)->next) {
        size_t length = enter_key(job, yaml, child, number++);
        more = tell_all(job, in_first, child);
        leave_key(job, length);
    }
    return more;
}

/// Compared runs' scenes: the child of `map` (or list) with the key (or number) of another tree's child.
static qdi_yaml_ref find_counterpart(const qdi_yaml *yaml, qdi_yaml_ref map, const qdi_yaml *other,
                                     qdi_yaml_ref child, size_t number) {
    const qdi_yaml_node *node = yaml_node(other, child);
    return yaml_node(yaml, map)->kind == QDI_YAML_MAP
               ? qdi_yaml_find(yaml, map, other->chars + node->key, node->key_bytes)
               : qdi_yaml_child(yaml, map, number);
}

// Compares two nodes of two scenes, and what is below them.
static bool compare_scene_nodes(comparing *job, qdi_yaml_ref p, qdi_yaml_ref q) {
    const qdi_yaml *one = &job->first, *two = &job->second;
    bool leaves = is_scene_leaf(one, p) && is_scene_leaf(two, q);
    if (leaves) return same_scene_values(job, p, q) || tell_key(job, p, q);
    if (yaml_node(one, p)->kind != yaml_node(two, q)->kind)
        return tell_all(job, true, p) && tell_all(job, false, q);
    size_t number = 0;
    bool more = true;
    for (qdi_yaml_ref child = yaml_node(one, p)->first; child && more; child = yaml_node(one, child)->next) {
        qdi_yaml_ref other = find_counterpart(two, q, one, child, number);
        size_t length = enter_key(job, one, child, number++);
        more = other ? compare_scene_nodes(job, child, other) : tell_all(job, true, child);
        leave_key(job, length);
    }
    number = 0;
    for (qdi_yaml_ref child = yaml_node(two, q)->first; child && more; child = yaml_node(two, child)->next) {
        size_t length = enter_key(job, two, child, number);
        if (!find_counterpart(one, p, two, child, number++)) more = tell_all(job, false, child);
        leave_key(job, length);
    }
    return more;
}

/// Compared runs' scenes: the tree of a scene's resolved text; it was read before, so it is in order.
static qd_status read_tree(qdi_yaml *yaml, const qd_scene *scene, qdi_yaml_ref *root) {
    const char *text = qd_scene_text(scene);
    qdi_yaml_fault fault;
    qd_status status = qdi_yaml_read(yaml, text, strlen(text), 0, root, &fault);
    return status == QD_ERR_INVALID ? QD_ERR_INTERNAL : status;
}

qd_status qd_scene_compare(const qd_scene *first, const qd_scene *second, qd_scene_difference_visit visit,
                           void *context, uint64_t *count) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!first || !second) return QD_ERR_ARGUMENT;
    comparing job = {.first = {.allocator = qd_allocator_default()},
                     .second = {.allocator = qd_allocator_default()},
                     .visit = visit,
                     .context = context};
    qdi_yaml_ref p = 0, q = 0;
    qd_status status = read_tree(&job.first, first, &p);
    if (status == QD_OK) status = read_tree(&job.second, second, &q);
    if (status == QD_OK) {
        (void)compare_scene_nodes(&job, p, q);
        if (count) *count = job.count;
    }
    qdi_yaml_release(&job.first);
    qdi_yaml_release(&job.second);
    return status;
}
