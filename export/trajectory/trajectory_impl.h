#pragma once

#include <quadrille/trajectory.h>

#include "export/trajectory/trajectory_out.h"

#include <stdbool.h>

/// What the files of the trajectory writers share: trajectory.c runs them, trajectory_state.c copies from the
/// world, trajectory_lammps.c, _xyz.c, _csv.c and _vtp.c write one format each, trajectory_fields.c and
/// _vti.c fields, trajectory_shape.c turns shapes into points.

/// A contact's point, by number of contact and of touch in it.
typedef struct qdi_touch_place {
    uint32_t contact;
    uint8_t touch;
} qdi_touch_place;

/// A world's present state as files show it: bodies in the order of their indices.
typedef struct qdi_exported_state {
    const qd_allocator *allocator;
    const qd_world *world;
    qd_world_def def;
    qd_vec2 low, high; ///< corners of the world as its sides are now
    uint64_t step;
    double time;
    qd_body_view view;
    uint32_t *rows; ///< of the bodies
    size_t count, row_room;
    const qd_contact *contacts;
    qdi_touch_place *touches; ///< of contacts both of whose bodies are there
    size_t touch_count, touch_room;
    qd_tree_node_info *nodes; ///< with corners in the world, not about its centre
    size_t node_count, node_room;
} qdi_exported_state;

/// Copies what files show of a world; with `details` contacts and nodes too. The state before is replaced.
/// Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_exported_take(qdi_exported_state *state, const qd_world *world, bool details);
void qdi_exported_release(qdi_exported_state *state);

/// Size of a body along its own axes: of a disk its diameter, twice.
qd_vec2 qdi_exported_size(const qdi_exported_state *state, uint32_t row);
/// The angle that it is turned by, in (-pi, pi].
double qdi_exported_angle(const qdi_exported_state *state, uint32_t row);
qd_shape_kind qdi_exported_shape(const qdi_exported_state *state, uint32_t row);
/// The label of a body that a contact names; 0 for a wall. And the wall: 0 for a body, else 1 to 4 in the
/// order of qd_wall.
uint64_t qdi_exported_label(const qdi_exported_state *state, qd_id id);
int qdi_exported_wall(qd_id id);

/// Exported state: "disk", "dynamic", "left" ("" for 0: no wall).
const char *qdi_shape_word(qd_shape_kind kind);
const char *qdi_kind_word(qd_body_kind kind);
const char *qdi_wall_word(int wall);

/// Writes what a shape is before it is rounded, as X:Y/X:Y/...: a rect's upper right corner, a capsule's
/// right end (of an edge of a polyline also the points beside it), a polygon's corners; "-" for a disk. At
/// most QDI_CORE_ROOM bytes. Returns the end.
#define QDI_CORE_ROOM ((size_t)QD_POLYGON_MAX * 64)
char *qdi_put_core(char *at, const qd_shape *shape);
/// The shape of a row that is no disk, or NULL.
const qd_shape *qdi_exported_form(const qdi_exported_state *state, uint32_t row);
/// What a row's shape is rounded by: of a disk its radius.
double qdi_exported_rounding(const qdi_exported_state *state, uint32_t row);

/// Most points of a shape's outline, and how many it has: 2 for a segment, 0 for a disk.
enum { QDI_OUTLINE_MAX = 2 * QD_POLYGON_MAX + 26 };
size_t qdi_shape_outline(const qd_shape *shape, qd_vec2 points[QDI_OUTLINE_MAX]);

/// The files of the text formats, one each over all states.
enum {
    QDI_TEXT_BODIES,
    QDI_TEXT_CONTACTS,
    QDI_TEXT_NODES,
    QDI_TEXT_EVENTS,
    QDI_TEXT_METRICS,
    QDI_TEXT_TABLES, ///< these always; behind them those of which there is something, as it comes
    QDI_TEXT_FILES = QDI_TEXT_TABLES + 2
};

/// Series of the VTK files.
enum { QDI_VTP_BODIES, QDI_VTP_SHAPES, QDI_VTP_NODES, QDI_VTP_CONTACTS, QDI_VTP_SERIES };

struct qd_trajectory {
    const qd_allocator *allocator;
    qd_team *team;
    char *directory;
    size_t directory_bytes;
    qd_trajectory_format format;
    qd_provenance provenance;
    char *scene; ///< name of the provenance, kept
    size_t scene_bytes;
    qdi_exported_state state;
    qdi_out out[QDI_TEXT_FILES];  ///< not zero: file is open or closed
    size_t opened;                ///< how many of them there are
    size_t fields, distributions; ///< which of them these are; 0: there are none yet
    size_t published;             ///< of them, or of the VTK lists, that are in place
    double *times;                ///< of the states, for VTK
    size_t time_room;
    size_t vtp_made;                ///< VTK files that are in place: of state k those k * QDI_VTP_SERIES ...
    double *field_times;            ///< of the fields, for VTK
    size_t field_count, field_room; ///< those that are in place
    qd_trajectory_totals totals;
    bool finished;
    qd_status status;
    qd_error error;
};

/// Writes `state`. Failures show in the files' `status`.
void qdi_lammps_add(qd_trajectory *trajectory);
void qdi_extxyz_add(qd_trajectory *trajectory);
void qdi_csv_add(qd_trajectory *trajectory);
/// The first lines of the tables.
void qdi_csv_begin(qd_trajectory *trajectory);

/// The files of a state, in place when it returns. Errors: QD_ERR_IO, QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_vtp_add(qd_trajectory *trajectory, qd_error *error);
/// The .pvd of each series, in place.
QD_MUST_USE qd_status qdi_vtp_finish(qd_trajectory *trajectory, qd_error *error);
/// Deletes all of them.
void qdi_vtp_discard(qd_trajectory *trajectory);

/// Exported series: closes a file and gives it its name.
QD_MUST_USE qd_status qdi_vtp_publish(qd_trajectory *trajectory, qdi_out *out, bool sync, qd_error *error);
/// Exported series: writes a .pvd: `count` files SERIES_NUMBER.ENDING and their times.
void qdi_vtp_list(qdi_out *out, const double *times, size_t count, const char *series, const char *ending);
/// Exported series: deletes a file.
void qdi_vtp_remove(const qd_trajectory *trajectory, const char *name);

/// Exported trajectory: opens the file of a table that has something, and writes its first line. `number`
/// gets which it is; a failure shows in its `status`, too.
QD_MUST_USE qd_status qdi_table_open(qd_trajectory *trajectory, const char *name, const char *head,
                                     size_t *number, qd_error *error);

/// The same of the fields of a step, as image data; the last two do nothing where there are none.
QD_MUST_USE qd_status qdi_vti_add(qd_trajectory *trajectory, const qd_store_fields *fields, qd_error *error);
QD_MUST_USE qd_status qdi_vti_finish(qd_trajectory *trajectory, qd_error *error);
void qdi_vti_discard(qd_trajectory *trajectory);

/// Exported trajectory: names of the files, NULL past the last of a format.
const char *qdi_text_name(qd_trajectory_format format, size_t number);
