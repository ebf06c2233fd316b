#pragma once

#include "sim/scene/schema.h"
#include "sim/scene/yaml.h"
#include "sim/sweep/sweep.h"
#include "sim/sweep/sweep_field.h"
#include "sim/text/scene_text.h"

/// What the files of the sweep share. sweep_read.c reads the file, sweep_axis.c makes the values of its axes,
/// sweep_key.c knows the scene's keys, sweep.c and sweep_plan.c make points of them.

/// A key and its values. All texts lie in the sweep's `texts`, by place.
typedef struct qdi_sweep_column {
    size_t key;
    size_t first; ///< of its values, in the sweep's `values`
    uint64_t count;
    uint32_t line; ///< in the file
} qdi_sweep_column;

/// Columns that change together; all have the same count.
typedef struct qdi_sweep_axis {
    size_t first, columns;
    uint64_t count;
} qdi_sweep_axis;

/// A key that is fixed.
typedef struct qdi_sweep_fixed {
    size_t key, value;
} qdi_sweep_fixed;

struct qdi_sweep {
    const qd_allocator *allocator;
    qdi_text texts, source;
    size_t name, scene;
    qdi_sweep_fixed *fixed;
    size_t fixed_count, fixed_room;
    qdi_sweep_column *columns;
    size_t column_count, column_room;
    qdi_sweep_axis *axes;
    size_t axis_count, axis_room;
    size_t *values; ///< places of texts
    size_t value_count, value_room;
    qdi_sweep_field *fields; ///< columns of the table
    size_t field_count, field_room;
    uint64_t replicas, limit;
};

/// A sweep while it is being read.
typedef struct qdi_sweep_reader {
    const char *path; ///< of the file, for messages
    qd_error *error;  ///< may be NULL
    qdi_yaml yaml;
    qdi_sweep *sweep;
    bool kept; ///< a copy that stands elsewhere: the base scene is only a name
} qdi_sweep_reader;

/// "FILE:LINE: reason" and QD_ERR_INVALID.
qd_status qdi_sweep_complain(const qdi_sweep_reader *reader, qdi_yaml_ref node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Sweep: reads `columns`.
QD_MUST_USE qd_status qdi_sweep_fields_take(const qdi_sweep_reader *reader, qdi_yaml_ref list);

/// Keeps a text; `place` gets where.
QD_MUST_USE qd_status qdi_sweep_keep(qdi_sweep *sweep, const char *text, size_t bytes, size_t *place);

/// Looks at every key of a map, which must be among `known` (words with a space between), and says which it
/// may have been where it is not. `what`: the map, for messages.
QD_MUST_USE qd_status qdi_sweep_known(const qdi_sweep_reader *reader, qdi_yaml_ref map, const char *what,
                                      const char *known);

/// The child of a map, 0 where there is none.
qdi_yaml_ref qdi_sweep_child(const qdi_sweep_reader *reader, qdi_yaml_ref map, const char *key);

/// A whole number from `least` to `most`. `what`: its key, for messages.
QD_MUST_USE qd_status qdi_sweep_whole(const qdi_sweep_reader *reader, qdi_yaml_ref node, const char *what,
                                      uint64_t least, uint64_t most, uint64_t *value);

/// Sweep: the scene's key that a path with numbers of items names ("bodies.0.disks.count"), NULL: none, and
/// `hint` gets "" or "; did you mean ...?".
const qdi_key *qdi_sweep_scene_key(const char *path, size_t bytes, char hint[QDI_QUOTE_ROOM]);
/// Whether the key takes a single number, and whether that must be whole. `bodies` does: see docs/sweep.md.
bool qdi_sweep_takes_number(const qdi_key *key, bool *whole);

/// Sweep: reads one item of `axes`: an axis, or several that are zipped.
QD_MUST_USE qd_status qdi_sweep_axis_read(const qdi_sweep_reader *reader, qdi_yaml_ref node);
/// Checks the node that names a scene's key, for an axis or below `set`: known, and nowhere else in the
/// sweep.
QD_MUST_USE qd_status qdi_sweep_key_check(const qdi_sweep_reader *reader, qdi_yaml_ref node, const char *path,
                                          size_t bytes, const qdi_key **key);
/// Writes a node as YAML on one line. Errors: QD_ERR_INVALID for what has no value.
QD_MUST_USE qd_status qdi_sweep_flow(const qdi_sweep_reader *reader, qdi_yaml_ref node, qdi_text *text);
