#include "core/base/arithmetic.h"
#include "export/trajectory/trajectory_impl.h"

#include "core/base/cookie.h"
#include "core/base/memory.h"

#include <stdio.h>
#include <string.h>

static const char *const format_names[] = {"lammps", "extxyz", "vtp", "csv"};
enum { FORMATS = sizeof format_names / sizeof format_names[0] };

bool qd_trajectory_format_named(const char *name, qd_trajectory_format *format) {
    for (int i = 0; name && format && i < FORMATS; ++i) {
        if (strcmp(name, format_names[i]) != 0) continue;
        *format = (qd_trajectory_format)i;
        return true;
    }
    return false;
}

const char *qdi_text_name(qd_trajectory_format format, size_t number) {
    static const char *const tables[QDI_TEXT_TABLES] = {"bodies.csv", "contacts.csv", "nodes.csv",
                                                        "events.csv", "metrics.csv"};
    if (format == QD_TRAJECTORY_CSV) return number < QDI_TEXT_TABLES ? tables[number] : NULL;
    if (format == QD_TRAJECTORY_VTP || number > 0) return NULL;
    return format == QD_TRAJECTORY_LAMMPS ? "bodies.lammpstrj" : "bodies.xyz";
}

qd_trajectory_def qd_trajectory_def_default(void) {
    return (qd_trajectory_def){.cookie = QDI_COOKIE, .provenance.scene = "", .threads = 1};
}

// ---- making ----

/// Keeps a failure of a trajectory; later calls return it.
static qd_status keep_failure(qd_trajectory *trajectory, qd_status status, const qd_error *reason,
                              qd_error *error) {
    trajectory->status = status;
    trajectory->error = *reason;
    if (!trajectory->error.text[0])
        (void)snprintf(trajectory->error.text, sizeof trajectory->error.text, "%s", qd_status_text(status));
    if (error) *error = trajectory->error;
    return status;
}

/// Exported trajectory: copies a text.
static qd_status copy_text(const qd_allocator *allocator, const char *text, char **copy, size_t *bytes) {
    *bytes = strlen(text) + 1;
    *copy = qdi_allocate(allocator, *bytes, 1);
    if (!*copy) return QD_ERR_MEMORY;
    memcpy(*copy, text, *bytes);
    return QD_OK;
}

/// Opens the files of a trajectory.
static qd_status prepare_trajectory(qd_trajectory *trajectory, const qd_trajectory_def *def,
                                    qd_error *error) {
    const qd_allocator *allocator = trajectory->allocator;
    qd_status status = copy_text(allocator, def->directory, &trajectory->directory,
                                 &trajectory->directory_bytes);
    if (status == QD_OK)
        status = copy_text(allocator, def->provenance.scene ? def->provenance.scene : "", &trajectory->scene,
                           &trajectory->scene_bytes);
    qd_team_def team = qd_team_def_default();
    team.threads = def->threads;
    team.allocator = allocator;
    if (status == QD_OK) status = qd_team_create(&team, &trajectory->team);
    if (status == QD_OK) status = qdi_directory_check(def->directory, error);
    for (size_t i = 0; status == QD_OK; ++i) {
        const char *name = qdi_text_name(def->format, i);
        if (!name) break;
        status = qdi_out_open(&trajectory->out[i], allocator, trajectory->team, def->directory, name, error);
        if (status == QD_OK) trajectory->opened = i + 1;
    }
    if (status == QD_OK && def->format == QD_TRAJECTORY_CSV) qdi_csv_begin(trajectory);
    return status;
}

qd_status qd_trajectory_create(const qd_trajectory_def *def, qd_trajectory **trajectory, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (error) error->text[0] = '\0';
    if (!def || def->cookie != QDI_COOKIE || !def->directory || !trajectory) return QD_ERR_ARGUMENT;
    if ((unsigned)def->format >= FORMATS || def->threads < 1 || def->threads > QD_TEAM_MAX)
        return QD_ERR_VALUE;
    const qd_allocator *allocator = qdi_allocator_or_default(def->allocator);
    qd_trajectory *made = qdi_allocate(allocator, 1, sizeof *made);
    if (!made) return QD_ERR_MEMORY;
    memset(made, 0, sizeof *made);
    for (size_t i = 0; i < QDI_TEXT_FILES; ++i) made->out[i].file = QDI_FILE_NONE;
    made->allocator = made->state.allocator = allocator;
    made->format = def->format;
    made->provenance = def->provenance;
    made->provenance.scene = NULL; // `scene` is
    qd_error reason = {""};
    qd_status status = prepare_trajectory(made, def, &reason);
    if (status != QD_OK) {
        status = keep_failure(made, status, &reason, error);
        qd_trajectory_destroy(made);
        return status;
    }
    *trajectory = made;
    return QD_OK;
}

// ---- writing ----

/// The first failure of a trajectory's files.
static qd_status first_file_failure(const qd_trajectory *trajectory, qd_error *error) {
    for (size_t i = 0; i < trajectory->opened; ++i) {
        if (trajectory->out[i].status == QD_OK) continue;
        *error = trajectory->out[i].error;
        return trajectory->out[i].status;
    }
    return QD_OK;
}

/// The failure that a trajectory keeps, or QD_ERR_STATE where it is finished.
static qd_status trajectory_refuses(const qd_trajectory *trajectory, qd_error *error) {
    if (trajectory->status != QD_OK && error) *error = trajectory->error;
    if (trajectory->status != QD_OK) return trajectory->status;
    return trajectory->finished ? QD_ERR_STATE : QD_OK;
}

qd_status qd_trajectory_add(qd_trajectory *trajectory, const qd_world *world, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (error) error->text[0] = '\0';
    if (!trajectory || !world) return QD_ERR_ARGUMENT;
    qd_status status = trajectory_refuses(trajectory, error);
    if (status != QD_OK) return status;
    qd_trajectory_format format = trajectory->format;
    bool details = format == QD_TRAJECTORY_VTP || format == QD_TRAJECTORY_CSV;
    qd_error reason = {""};
    status = qdi_exported_take(&trajectory->state, world, details);
    if (status == QD_OK) {
        if (format == QD_TRAJECTORY_LAMMPS) qdi_lammps_add(trajectory);
        if (format == QD_TRAJECTORY_EXTXYZ) qdi_extxyz_add(trajectory);
        if (format == QD_TRAJECTORY_CSV) qdi_csv_add(trajectory);
        if (format == QD_TRAJECTORY_VTP) status = qdi_vtp_add(trajectory, &reason);
    }
    if (status == QD_OK) status = first_file_failure(trajectory, &reason);
    if (status != QD_OK) return keep_failure(trajectory, status, &reason, error);
    trajectory->totals.states += 1;
    trajectory->totals.bodies += trajectory->state.count;
    return QD_OK;
}

/// Closes a trajectory's files and gives them their names.
static qd_status publish_trajectory(qd_trajectory *trajectory, qd_error *error) {
    if (trajectory->format == QD_TRAJECTORY_VTP) return qdi_vtp_finish(trajectory, error);
    qd_status status = QD_OK;
    for (size_t i = 0; i < trajectory->opened && status == QD_OK; ++i)
        status = qdi_out_close(&trajectory->out[i], true, error);
    for (size_t i = 0; i < trajectory->opened && status == QD_OK; ++i) {
        status = qdi_out_publish(&trajectory->out[i], error);
        if (status != QD_OK) break;
        trajectory->published = i + 1;
        trajectory->totals.files += 1;
        trajectory->totals.bytes += trajectory->out[i].written;
    }
    return status == QD_OK ? qdi_os_sync_directory(trajectory->directory, error) : status;
}

qd_status qd_trajectory_finish(qd_trajectory *trajectory, qd_trajectory_totals *totals, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (error) error->text[0] = '\0';
    if (!trajectory) return QD_ERR_ARGUMENT;
    qd_status status = trajectory_refuses(trajectory, error);
    if (status != QD_OK) return status;
    qd_error reason = {""};
    status = publish_trajectory(trajectory, &reason);
    if (status != QD_OK) return keep_failure(trajectory, status, &reason, error);
    trajectory->finished = true;
    if (totals) *totals = trajectory->totals;
    return QD_OK;
}

// ---- the end ----

/// Deletes a trajectory's files.
static void discard_trajectory(qd_trajectory *trajectory) {
    for (size_t i = 0; i < QDI_TEXT_FILES; ++i) qdi_out_discard(&trajectory->out[i]);
    if (trajectory->format == QD_TRAJECTORY_VTP)
        qdi_vtp_discard(trajectory);
    else
        for (size_t i = 0; i < trajectory->published; ++i) qdi_file_remove(trajectory->out[i].path);
}

void qd_trajectory_destroy(qd_trajectory *trajectory) {
    if (!trajectory) return;
    const qd_allocator *allocator = trajectory->allocator;
    if (!trajectory->finished) discard_trajectory(trajectory);
    qdi_exported_release(&trajectory->state);
    qdi_release(allocator, trajectory->times, trajectory->time_room, sizeof *trajectory->times);
    qdi_release(allocator, trajectory->field_times, trajectory->field_room, sizeof *trajectory->field_times);
    qdi_release(allocator, trajectory->directory, trajectory->directory_bytes, 1);
    qdi_release(allocator, trajectory->scene, trajectory->scene_bytes, 1);
    qd_team_destroy(trajectory->team);
    qdi_release(allocator, trajectory, 1, sizeof *trajectory);
}
