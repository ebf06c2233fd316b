// The VTK files of a state: bodies as points, shapes that are no disks as polygons and lines, nodes as
// squares, contacts as lines; and a .pvd for each series, which says the times.

#include "export/trajectory/trajectory_impl.h"

#include "core/base/memory.h"
#include "export/trajectory/trajectory_vtp.h"

#include <inttypes.h>
#include <stdio.h>

enum { NAME_SIZE = 64 };

static const char *const series_names[QDI_VTP_SERIES] = {"bodies", "shapes", "nodes", "contacts"};

/// A body whose outline is drawn: a line of 2 points or a polygon.
typedef struct outlined {
    uint32_t row;
    size_t end; ///< number of the first point behind its own
} outlined;

/// What the arrays' functions read.
typedef struct vtp_job {
    const qdi_exported_state *state;
    outlined *shapes; ///< lines first
    qd_vec2 *points;
    size_t shape_count, shape_room, point_count, point_room, lines;
} vtp_job;

/// Writes a vector of three numbers, the last 0.
static char *put_vtp_vector(char *at, double x, double y) {
    return qdi_vtp_put_real(qdi_vtp_put_real(qdi_vtp_put_real(at, x), y), 0);
}

/// Writes a byte.
static char *put_vtp_byte(char *at, unsigned value) {
    *at = (char)(unsigned char)value;
    return at + 1;
}

// The exported state that a job of the VTP writer reads.
static const qdi_exported_state *state_of_job(const void *context) {
    return ((const vtp_job *)context)->state;
}

/// Writes the time.
static char *put_vtp_time(const void *context, size_t i, char *at) {
    (void)i;
    return qdi_vtp_put_real(at, state_of_job(context)->time);
}

/// Writes the number of the step.
static char *put_vtp_step(const void *context, size_t i, char *at) {
    (void)i;
    return qdi_vtp_put_whole(at, state_of_job(context)->step);
}

/// Writes the number of a point: cells of one, two or four points have their points in order.
static char *put_vtp_number(const void *context, size_t i, char *at) {
    (void)context;
    return qdi_vtp_put_whole(at, i);
}

/// Writes where the points of a cell of one point end.
static char *put_vtp_end_of_1(const void *context, size_t i, char *at) {
    (void)context;
    return qdi_vtp_put_whole(at, i + 1);
}

/// Writes where the points of a cell of two points end.
static char *put_vtp_end_of_2(const void *context, size_t i, char *at) {
    (void)context;
    return qdi_vtp_put_whole(at, 2 * i + 2);
}

/// Writes where the points of a cell of four points end.
static char *put_vtp_end_of_4(const void *context, size_t i, char *at) {
    (void)context;
    return qdi_vtp_put_whole(at, 4 * i + 4);
}

#define HEAD_ARRAYS                                                                                          \
    {QDI_VTP_FIELD, "TimeValue", QDI_VTP_FLOAT64, 1, 1, put_vtp_time}, {                                     \
        QDI_VTP_FIELD, "Step", QDI_VTP_UINT64, 1, 1, put_vtp_step                                            \
    }

/// Writes a file of arrays.
static void write_vtp_arrays(qdi_out *out, const vtp_job *job, qdi_vtp_piece piece,
                             const qdi_vtp_array *arrays, size_t count) {
    piece.arrays = arrays;
    piece.array_count = count;
    piece.context = job;
    qdi_vtp_write(out, &piece);
}

// ---- bodies ----

/// A function for one column of the bodies.
#define BODY_COLUMN(name, expression)                                                                        \
    static char *name(const void *context, size_t i, char *at) {                                             \
        const qdi_exported_state *state = state_of_job(context);                                             \
        const qd_body_view *view = &state->view;                                                             \
        uint32_t row = state->rows[i];                                                                       \
        (void)view;                                                                                          \
        return expression;                                                                                   \
    }

BODY_COLUMN(put_position, put_vtp_vector(at, view->x[row], view->y[row]))
BODY_COLUMN(put_velocity, put_vtp_vector(at, view->vx[row], view->vy[row]))
BODY_COLUMN(put_label, qdi_vtp_put_whole(at, view->label[row]))
BODY_COLUMN(put_radius, qdi_vtp_put_real(at, view->radius[row]))
BODY_COLUMN(put_spin, qdi_vtp_put_real(at, view->spin[row]))
BODY_COLUMN(put_mass, qdi_vtp_put_real(at, view->mass[row]))
BODY_COLUMN(put_angle, qdi_vtp_put_real(at, qdi_exported_angle(state, row)))
BODY_COLUMN(put_shape, put_vtp_byte(at, (unsigned)qdi_exported_shape(state, row)))
BODY_COLUMN(put_kind, put_vtp_byte(at, view->kind[row]))
BODY_COLUMN(put_touching, put_vtp_byte(at, view->touching[row]))

/// Writes the file of bodies.
static void write_vtp_bodies(qdi_out *out, const vtp_job *job) {
    size_t n = job->state->count;
    const qdi_vtp_array arrays[] = {
        HEAD_ARRAYS,
        {QDI_VTP_POINTS, "Points", QDI_VTP_FLOAT64, 3, n, put_position},
        {QDI_VTP_POINT_DATA, "id", QDI_VTP_UINT64, 1, n, put_label},
        {QDI_VTP_POINT_DATA, "radius", QDI_VTP_FLOAT64, 1, n, put_radius},
        {QDI_VTP_POINT_DATA, "velocity", QDI_VTP_FLOAT64, 3, n, put_velocity},
        {QDI_VTP_POINT_DATA, "angle", QDI_VTP_FLOAT64, 1, n, put_angle},
        {QDI_VTP_POINT_DATA, "spin", QDI_VTP_FLOAT64, 1, n, put_spin},
        {QDI_VTP_POINT_DATA, "mass", QDI_VTP_FLOAT64, 1, n, put_mass},
        {QDI_VTP_POINT_DATA, "shape", QDI_VTP_UINT8, 1, n, put_shape},
        {QDI_VTP_POINT_DATA, "kind", QDI_VTP_UINT8, 1, n, put_kind},
        {QDI_VTP_POINT_DATA, "touching", QDI_VTP_UINT8, 1, n, put_touching},
        {QDI_VTP_VERTS, "connectivity", QDI_VTP_INT64, 1, n, put_vtp_number},
        {QDI_VTP_VERTS, "offsets", QDI_VTP_INT64, 1, n, put_vtp_end_of_1},
    };
    write_vtp_arrays(out, job, (qdi_vtp_piece){.points = n, .verts = n}, arrays,
                     sizeof arrays / sizeof arrays[0]);
}

// ---- shapes ----

/// Exported series: adds the outline of a body that is no disk.
static qd_status add_body_outline(vtp_job *job, uint32_t row, bool lines) {
    const qdi_exported_state *state = job->state;
    const qd_body_view *view = &state->view;
    qd_vec2 outline[QDI_OUTLINE_MAX];
    size_t count = qdi_shape_outline(view->shapes[view->shape[row]], outline);
    if ((count == 2) != lines) return QD_OK;
    const qd_allocator *allocator = state->allocator;
    qd_status status = qdi_reserve(allocator, &job->shapes, &job->shape_room, job->shape_count,
                                   job->shape_count + 1, sizeof *job->shapes);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &job->points, &job->point_room, job->point_count,
                             job->point_count + count, sizeof *job->points);
    if (status != QD_OK) return status;
    double c = view->turn_c[row], s = view->turn_s[row];
    for (size_t i = 0; i < count; ++i)
        job->points[job->point_count++] = (qd_vec2){view->x[row] + (c * outline[i].x - s * outline[i].y),
                                                    view->y[row] + (s * outline[i].x + c * outline[i].y)};
    job->shapes[job->shape_count++] = (outlined){row, job->point_count};
    return QD_OK;
}

/// Exported series: makes the outlines of all bodies that are no disks.
/// Segments, and then all others: in such a file lines come before polygons.
static qd_status take_body_outlines(vtp_job *job) {
    const qdi_exported_state *state = job->state;
    qd_status status = QD_OK;
    for (int lines = 1; lines >= 0; --lines) {
        for (size_t i = 0; i < state->count && status == QD_OK; ++i)
            if (state->view.shape[state->rows[i]] != 0)
                status = add_body_outline(job, state->rows[i], lines == 1);
        if (lines == 1) job->lines = job->shape_count;
    }
    return status;
}

#define SHAPE_COLUMN(name, expression)                                                                       \
    static char *name(const void *context, size_t i, char *at) {                                             \
        const vtp_job *job = context;                                                                        \
        const qd_body_view *view = &job->state->view;                                                        \
        uint32_t row = job->shapes[i].row;                                                                   \
        return expression;                                                                                   \
    }

SHAPE_COLUMN(put_shape_label, qdi_vtp_put_whole(at, view->label[row]))
SHAPE_COLUMN(put_shape_kind, put_vtp_byte(at, view->kind[row]))
SHAPE_COLUMN(put_shape_shape, put_vtp_byte(at, (unsigned)view->shapes[view->shape[row]]->kind))
SHAPE_COLUMN(put_shape_velocity, put_vtp_vector(at, view->vx[row], view->vy[row]))
SHAPE_COLUMN(put_shape_spin, qdi_vtp_put_real(at, view->spin[row]))
SHAPE_COLUMN(put_shape_mass, qdi_vtp_put_real(at, view->mass[row]))
SHAPE_COLUMN(put_shape_touching, put_vtp_byte(at, view->touching[row]))

/// Writes a point of an outline.
static char *put_vtp_outline_point(const void *context, size_t i, char *at) {
    const vtp_job *job = context;
    return put_vtp_vector(at, job->points[i].x, job->points[i].y);
}

/// Writes the number of a polygon's point.
static char *put_vtp_polygon_point(const void *context, size_t i, char *at) {
    const vtp_job *job = context;
    return qdi_vtp_put_whole(at, 2 * job->lines + i);
}

/// Writes where a polygon's points end.
static char *put_vtp_polygon_end(const void *context, size_t i, char *at) {
    const vtp_job *job = context;
    return qdi_vtp_put_whole(at, job->shapes[job->lines + i].end - 2 * job->lines);
}

/// Writes the file of outlines.
static void write_vtp_shapes(qdi_out *out, const vtp_job *job) {
    size_t n = job->shape_count, lines = job->lines, polygons = n - lines;
    const qdi_vtp_array arrays[] = {
        HEAD_ARRAYS,
        {QDI_VTP_POINTS, "Points", QDI_VTP_FLOAT64, 3, job->point_count, put_vtp_outline_point},
        {QDI_VTP_CELL_DATA, "id", QDI_VTP_UINT64, 1, n, put_shape_label},
        {QDI_VTP_CELL_DATA, "velocity", QDI_VTP_FLOAT64, 3, n, put_shape_velocity},
        {QDI_VTP_CELL_DATA, "spin", QDI_VTP_FLOAT64, 1, n, put_shape_spin},
        {QDI_VTP_CELL_DATA, "mass", QDI_VTP_FLOAT64, 1, n, put_shape_mass},
        {QDI_VTP_CELL_DATA, "shape", QDI_VTP_UINT8, 1, n, put_shape_shape},
        {QDI_VTP_CELL_DATA, "kind", QDI_VTP_UINT8, 1, n, put_shape_kind},
        {QDI_VTP_CELL_DATA, "touching", QDI_VTP_UINT8, 1, n, put_shape_touching},
        {QDI_VTP_LINES, "connectivity", QDI_VTP_INT64, 1, 2 * lines, put_vtp_number},
        {QDI_VTP_LINES, "offsets", QDI_VTP_INT64, 1, lines, put_vtp_end_of_2},
        {QDI_VTP_POLYS, "connectivity", QDI_VTP_INT64, 1, job->point_count - 2 * lines,
         put_vtp_polygon_point},
        {QDI_VTP_POLYS, "offsets", QDI_VTP_INT64, 1, polygons, put_vtp_polygon_end},
    };
    write_vtp_arrays(out, job, (qdi_vtp_piece){.points = job->point_count, .lines = lines, .polys = polygons},
                     arrays, sizeof arrays / sizeof arrays[0]);
}

// ---- nodes ----

/// Exported series: writes a corner of a node's square.
static char *put_node_corner(const void *context, size_t i, char *at) {
    const qd_tree_node_info *node = &state_of_job(context)->nodes[i / 4];
    size_t corner = i % 4;
    bool right = corner == 1 || corner == 2, top = corner >= 2;
    return put_vtp_vector(at, right ? node->min_x + node->side : node->min_x,
                          top ? node->min_y + node->side : node->min_y);
}

#define NODE_COLUMN(name, expression)                                                                        \
    static char *name(const void *context, size_t i, char *at) {                                             \
        const qd_tree_node_info *node = &state_of_job(context)->nodes[i];                                    \
        return expression;                                                                                   \
    }

NODE_COLUMN(put_depth, put_vtp_byte(at, (unsigned)node->depth))
NODE_COLUMN(put_own, qdi_vtp_put_whole(at, node->bodies))
NODE_COLUMN(put_subtree, qdi_vtp_put_whole(at, node->subtree))
NODE_COLUMN(put_leaf, put_vtp_byte(at, node->leaf))

/// Writes the file of the tree's nodes.
static void write_vtp_nodes(qdi_out *out, const vtp_job *job) {
    size_t n = job->state->node_count;
    const qdi_vtp_array arrays[] = {
        HEAD_ARRAYS,
        {QDI_VTP_POINTS, "Points", QDI_VTP_FLOAT64, 3, 4 * n, put_node_corner},
        {QDI_VTP_CELL_DATA, "depth", QDI_VTP_UINT8, 1, n, put_depth},
        {QDI_VTP_CELL_DATA, "bodies", QDI_VTP_UINT64, 1, n, put_own},
        {QDI_VTP_CELL_DATA, "subtree", QDI_VTP_UINT64, 1, n, put_subtree},
        {QDI_VTP_CELL_DATA, "leaf", QDI_VTP_UINT8, 1, n, put_leaf},
        {QDI_VTP_POLYS, "connectivity", QDI_VTP_INT64, 1, 4 * n, put_vtp_number},
        {QDI_VTP_POLYS, "offsets", QDI_VTP_INT64, 1, n, put_vtp_end_of_4},
    };
    write_vtp_arrays(out, job, (qdi_vtp_piece){.points = 4 * n, .polys = n}, arrays,
                     sizeof arrays / sizeof arrays[0]);
}

// ---- contacts ----

/// Exported series: where a contact's line ends on the side of a body: in its middle if it can move freely,
/// else where the two touch.
static qd_vec2 contact_line_end(const qdi_exported_state *state, const qd_contact *contact, qd_vec2 point,
                                bool second) {
    const qd_body_view *view = &state->view;
    qd_id id = second ? contact->b : contact->a;
    if (qd_id_is_wall(id)) return point;
    uint32_t row = qd_body_view_row(view, id);
    if (view->kind[row] != QD_BODY_DYNAMIC) return point;
    qd_vec2 at = {view->x[row], view->y[row]};
    if (second) {
        at.x += contact->image.x * state->def.size.x;
        at.y += contact->image.y * state->def.size.y;
    }
    return at;
}

/// Writes an end of a contact's line.
static char *put_vtp_line_end(const void *context, size_t i, char *at) {
    const qdi_exported_state *state = state_of_job(context);
    const qdi_touch_place *place = &state->touches[i / 2];
    const qd_contact *contact = &state->contacts[place->contact];
    qd_vec2 end = contact_line_end(state, contact, contact->touch[place->touch].point, i % 2 == 1);
    return put_vtp_vector(at, end.x, end.y);
}

#define CONTACT_COLUMN(name, expression)                                                                     \
    static char *name(const void *context, size_t i, char *at) {                                             \
        const qdi_exported_state *state = state_of_job(context);                                             \
        const qd_contact *contact = &state->contacts[state->touches[i].contact];                             \
        const qd_touch *touch = &contact->touch[state->touches[i].touch];                                    \
        (void)touch;                                                                                         \
        return expression;                                                                                   \
    }

CONTACT_COLUMN(put_a, qdi_vtp_put_whole(at, qdi_exported_label(state, contact->a)))
CONTACT_COLUMN(put_b, qdi_vtp_put_whole(at, qdi_exported_label(state, contact->b)))
CONTACT_COLUMN(put_wall, put_vtp_byte(at, (unsigned)qdi_exported_wall(contact->b)))
CONTACT_COLUMN(put_touch, put_vtp_byte(at, state->touches[i].touch))
CONTACT_COLUMN(put_point, put_vtp_vector(at, touch->point.x, touch->point.y))
CONTACT_COLUMN(put_normal, put_vtp_vector(at, contact->normal.x, contact->normal.y))
CONTACT_COLUMN(put_contact_depth, qdi_vtp_put_real(at, touch->depth))
CONTACT_COLUMN(put_impulse, qdi_vtp_put_real(at, touch->impulse))
CONTACT_COLUMN(put_friction, qdi_vtp_put_real(at, touch->friction))
CONTACT_COLUMN(put_approach, qdi_vtp_put_real(at, contact->approach))
CONTACT_COLUMN(put_sensor, put_vtp_byte(at, contact->sensor))

/// Writes the file of contacts.
static void write_vtp_contacts(qdi_out *out, const vtp_job *job) {
    size_t n = job->state->touch_count;
    const qdi_vtp_array arrays[] = {
        HEAD_ARRAYS,
        {QDI_VTP_POINTS, "Points", QDI_VTP_FLOAT64, 3, 2 * n, put_vtp_line_end},
        {QDI_VTP_CELL_DATA, "a", QDI_VTP_UINT64, 1, n, put_a},
        {QDI_VTP_CELL_DATA, "b", QDI_VTP_UINT64, 1, n, put_b},
        {QDI_VTP_CELL_DATA, "side", QDI_VTP_UINT8, 1, n, put_wall},
        {QDI_VTP_CELL_DATA, "touch", QDI_VTP_UINT8, 1, n, put_touch},
        {QDI_VTP_CELL_DATA, "point", QDI_VTP_FLOAT64, 3, n, put_point},
        {QDI_VTP_CELL_DATA, "normal", QDI_VTP_FLOAT64, 3, n, put_normal},
        {QDI_VTP_CELL_DATA, "depth", QDI_VTP_FLOAT64, 1, n, put_contact_depth},
        {QDI_VTP_CELL_DATA, "impulse", QDI_VTP_FLOAT64, 1, n, put_impulse},
        {QDI_VTP_CELL_DATA, "friction", QDI_VTP_FLOAT64, 1, n, put_friction},
        {QDI_VTP_CELL_DATA, "approach", QDI_VTP_FLOAT64, 1, n, put_approach},
        {QDI_VTP_CELL_DATA, "sensor", QDI_VTP_UINT8, 1, n, put_sensor},
        {QDI_VTP_LINES, "connectivity", QDI_VTP_INT64, 1, 2 * n, put_vtp_number},
        {QDI_VTP_LINES, "offsets", QDI_VTP_INT64, 1, n, put_vtp_end_of_2},
    };
    write_vtp_arrays(out, job, (qdi_vtp_piece){.points = 2 * n, .lines = n}, arrays,
                     sizeof arrays / sizeof arrays[0]);
}

// ---- files ----

/// The name of a series' file for a frame.
static void vtp_file_name(char name[NAME_SIZE], size_t number) {
    (void)snprintf(name, NAME_SIZE, "%s_%06zu.vtp", series_names[number % QDI_VTP_SERIES],
                   number / QDI_VTP_SERIES);
}

qd_status qdi_vtp_publish(qd_trajectory *trajectory, qdi_out *out, bool sync, qd_error *error) {
    qd_status status = qdi_out_close(out, sync, error);
    if (status == QD_OK) status = qdi_out_publish(out, error);
    if (status == QD_OK) {
        trajectory->totals.bytes += out->written;
        trajectory->totals.files += 1;
    }
    qdi_out_discard(out);
    return status;
}

qd_status qdi_vtp_add(qd_trajectory *trajectory, qd_error *error) {
    static void (*const writers[QDI_VTP_SERIES])(qdi_out *, const vtp_job *) = {
        write_vtp_bodies, write_vtp_shapes, write_vtp_nodes, write_vtp_contacts};
    const qdi_exported_state *state = &trajectory->state;
    size_t number = (size_t)trajectory->totals.states;
    qd_status status = qdi_reserve(trajectory->allocator, &trajectory->times, &trajectory->time_room, number,
                                   number + 1, sizeof *trajectory->times);
    if (status != QD_OK) return status;
    trajectory->times[number] = state->time;
    vtp_job job = {.state = state};
    status = take_body_outlines(&job);
    for (size_t i = 0; i < QDI_VTP_SERIES && status == QD_OK; ++i) {
        qdi_out *out = &trajectory->out[0];
        char name[NAME_SIZE];
        vtp_file_name(name, number * QDI_VTP_SERIES + i);
        status = qdi_out_open(out, trajectory->allocator, trajectory->team, trajectory->directory, name,
                              error);
        if (status != QD_OK) break;
        writers[i](out, &job);
        status = qdi_vtp_publish(trajectory, out, false, error);
        if (status == QD_OK) trajectory->vtp_made = number * QDI_VTP_SERIES + i + 1;
    }
    qdi_release(state->allocator, job.shapes, job.shape_room, sizeof *job.shapes);
    qdi_release(state->allocator, job.points, job.point_room, sizeof *job.points);
    return status;
}

void qdi_vtp_list(qdi_out *out, const double *times, size_t count, const char *series, const char *ending) {
    qdi_out_text(out, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
                      "byte_order=\"LittleEndian\">\n<Collection>\n");
    for (size_t i = 0; i < count; ++i) {
        qdi_out_text(out, "<DataSet timestep=\"");
        qdi_out_real(out, times[i]);
        qdi_out_format(out, "\" part=\"0\" file=\"%s_%06zu.%s\"/>\n", series, i, ending);
    }
    qdi_out_text(out, "</Collection>\n</VTKFile>\n");
}

/// Exported series: the name of a series' list.
static void pvd_list_name(char name[NAME_SIZE], size_t series) {
    (void)snprintf(name, NAME_SIZE, "%s.pvd", series_names[series]);
}

/// Brings the files of a series to the device: a list names none that is not whole.
static qd_status sync_vtp_files(const qd_trajectory *trajectory, qd_error *error) {
    qd_status status = qdi_os_sync_disk(trajectory->directory, error);
    if (status != QD_ERR_NOT_FOUND) return status;
    status = QD_OK;
    for (size_t i = 0; i < trajectory->vtp_made && status == QD_OK; ++i) {
        char name[NAME_SIZE], path[QDI_PATH_MAX];
        vtp_file_name(name, i);
        status = qdi_path_join(trajectory->directory, name, path);
        if (status == QD_OK) status = qdi_file_sync(path, error);
    }
    return status == QD_OK ? qdi_os_sync_directory(trajectory->directory, error) : status;
}

qd_status qdi_vtp_finish(qd_trajectory *trajectory, qd_error *error) {
    qd_status status = sync_vtp_files(trajectory, error);
    for (size_t i = 0; i < QDI_VTP_SERIES && status == QD_OK; ++i) {
        qdi_out *out = &trajectory->out[0];
        char name[NAME_SIZE];
        pvd_list_name(name, i);
        status = qdi_out_open(out, trajectory->allocator, trajectory->team, trajectory->directory, name,
                              error);
        if (status != QD_OK) break;
        qdi_vtp_list(out, trajectory->times, (size_t)trajectory->totals.states, series_names[i], "vtp");
        status = qdi_vtp_publish(trajectory, out, true, error);
        if (status == QD_OK) trajectory->published = i + 1;
    }
    if (status == QD_OK) status = qdi_os_sync_directory(trajectory->directory, error);
    return status == QD_OK ? qdi_vti_finish(trajectory, error) : status;
}

void qdi_vtp_remove(const qd_trajectory *trajectory, const char *name) {
    char path[QDI_PATH_MAX];
    if (qdi_path_join(trajectory->directory, name, path) == QD_OK) qdi_file_remove(path);
}

void qdi_vtp_discard(qd_trajectory *trajectory) {
    char name[NAME_SIZE];
    for (size_t i = 0; i < trajectory->vtp_made; ++i) {
        vtp_file_name(name, i);
        qdi_vtp_remove(trajectory, name);
    }
    for (size_t i = 0; i < trajectory->published; ++i) {
        pvd_list_name(name, i);
        qdi_vtp_remove(trajectory, name);
    }
    qdi_vti_discard(trajectory);
}
