// What LAMMPS leaves: frames of `dump custom` with any of the columns that are known here, lines of step and
// energy, and a log that begins with its version.

#include "core/base/memory.h"
#include "sim/files/os.h"
#include "tools/lammps/lammps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 512, PATH = 1024 };

// Opens a file that LAMMPS wrote.
static FILE *open_lammps_file(const char *folder, const char *name, const char *ending) {
    char path[PATH];
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, ending);
    return fopen(path, "r");
}

// Tells what is wrong with the files of LAMMPS.
static qd_status lammps_fail(qd_error *error, qd_status status, const qdi_lammps_scene *scene,
                             const char *what) {
    snprintf(error->text, sizeof error->text, "%s: %s", scene->name, what);
    return status;
}

// ---- frames ----

/// Which column each number of a row is; -1: none that is known.
typedef struct layout {
    int column[16];
    int count, id;
} layout;

// Which column of a LAMMPS dump holds what.
static layout read_dump_layout(const char *names) {
    static const char *const known[QDI_LAMMPS_COLUMNS] = {"x", "y", "vx", "vy", "omegaz", "fx", "fy", "tqz"};
    layout rows = {.id = -1};
    while (rows.count < 16) {
        names += strspn(names, " \n");
        size_t length = strcspn(names, " \n");
        if (length == 0) break;
        rows.column[rows.count] = -1;
        if (length == 2 && memcmp(names, "id", 2) == 0) rows.id = rows.count;
        for (int k = 0; k < QDI_LAMMPS_COLUMNS; ++k)
            if (strlen(known[k]) == length && memcmp(known[k], names, length) == 0)
                rows.column[rows.count] = k;
        rows.count += 1;
        names += length;
    }
    return rows;
}

/// LAMMPS: false where a row is none, or of no disk that there is.
static bool read_row(const char *line, const layout *rows, qdi_lammps_frame *frame, size_t count) {
    double numbers[16];
    for (int k = 0; k < rows->count; ++k) {
        char *end;
        numbers[k] = qdi_os_read_double(line, &end);
        if (end == line) return false;
        line = end;
    }
    double id = rows->id >= 0 ? numbers[rows->id] : 0;
    if (!(id >= 1 && id <= (double)count)) return false;
    double *disk = frame->disks[(size_t)id - 1];
    for (int k = 0; k < rows->count; ++k)
        if (rows->column[k] >= 0) disk[rows->column[k]] = numbers[k];
    return true;
}

// Adds a frame to what was read from LAMMPS.
static qd_status add_lammps_frame(qdi_lammps_result *result, size_t step) {
    const qd_allocator *allocator = qd_allocator_default();
    qd_status status = qdi_reserve(allocator, &result->frames, &result->frame_room, result->frame_count,
                                   result->frame_count + 1, sizeof *result->frames);
    if (status != QD_OK) return status;
    qdi_lammps_frame *frame = &result->frames[result->frame_count];
    frame->step = step;
    frame->disks = qdi_allocate(allocator, result->disk_count, sizeof *frame->disks);
    if (!frame->disks) return QD_ERR_MEMORY;
    for (size_t i = 0; i < result->disk_count; ++i)
        for (int k = 0; k < QDI_LAMMPS_COLUMNS; ++k) frame->disks[i][k] = (double)NAN;
    result->frame_count += 1;
    return QD_OK;
}

/// LAMMPS: the rows of a frame, whose head has been read up to the names of its columns.
static qd_status read_rows(FILE *file, const layout *rows, qdi_lammps_result *result) {
    char line[LINE];
    for (size_t i = 0; i < result->disk_count; ++i)
        if (!fgets(line, sizeof line, file) ||
            !read_row(line, rows, &result->frames[result->frame_count - 1], result->disk_count))
            return QD_ERR_CORRUPT;
    return QD_OK;
}

// Reads the frames of a LAMMPS dump.
static qd_status read_lammps_frames(FILE *file, qdi_lammps_result *result) {
    static const char step[] = "ITEM: TIMESTEP", atoms[] = "ITEM: ATOMS";
    char line[LINE];
    qd_status status = QD_OK;
    while (status == QD_OK && fgets(line, sizeof line, file)) {
        if (strncmp(line, step, sizeof step - 1) == 0) {
            if (!fgets(line, sizeof line, file)) return QD_ERR_CORRUPT;
            status = add_lammps_frame(result, (size_t)strtoull(line, NULL, 10));
        } else if (strncmp(line, atoms, sizeof atoms - 1) == 0) {
            if (result->frame_count == 0) return QD_ERR_CORRUPT;
            layout rows = read_dump_layout(line + sizeof atoms - 1);
            status = read_rows(file, &rows, result);
        }
    }
    return status == QD_OK && result->frame_count == 0 ? QD_ERR_CORRUPT : status;
}

// ---- energies, log ----

// Reads the energies that LAMMPS printed.
static qd_status read_lammps_energies(FILE *file, qdi_lammps_result *result) {
    char line[LINE];
    while (fgets(line, sizeof line, file)) {
        char *end, *last;
        double step = qdi_os_read_double(line, &end), energy = qdi_os_read_double(end, &last);
        if (end == line || last == end) continue; // a title
        qd_status status = qdi_reserve(qd_allocator_default(), &result->energies, &result->energy_room,
                                       result->energy_count, result->energy_count + 1,
                                       sizeof *result->energies);
        if (status != QD_OK) return status;
        result->energies[result->energy_count][0] = step;
        result->energies[result->energy_count++][1] = energy;
    }
    return QD_OK;
}

/// LAMMPS: a time that can be counted in nanoseconds, or 0.
static double seconds_of(const char *text) {
    double seconds = qdi_os_read_double(text, NULL);
    return seconds >= 0 && seconds < 1e9 ? seconds : 0;
}

/// LAMMPS: processor seconds of all ranks, from a line like "99.5% CPU use with 2 MPI tasks x 1 OpenMP
/// threads", which says how much of `seconds` each rank was at work on average; or 0.
static double processor_of(const char *line, double seconds) {
    static const char use[] = "% CPU use with ";
    const char *at = strstr(line, use);
    return at ? seconds * seconds_of(line) / 100 * seconds_of(at + sizeof use - 1) : 0;
}

// Reads version, loop time and processor time from the log of LAMMPS.
static void read_lammps_log(FILE *file, qdi_lammps_result *result) {
    static const char loop[] = "Loop time of ";
    char line[LINE];
    while (fgets(line, sizeof line, file)) {
        if (result->version[0] == '\0' && strncmp(line, "LAMMPS (", 8) == 0)
            snprintf(result->version, sizeof result->version, "%.*s", (int)strcspn(line, "\n"), line);
        if (strncmp(line, loop, sizeof loop - 1) == 0) result->seconds = seconds_of(line + sizeof loop - 1);
        if (strstr(line, "% CPU use")) result->processor = processor_of(line, result->seconds);
    }
}

qd_status qdi_lammps_read(const char *folder, const qdi_lammps_scene *scene, qdi_lammps_result *result,
                          qd_error *error) {
    *result = (qdi_lammps_result){.disk_count = scene->count};
    FILE *log = open_lammps_file(folder, scene->name, "log");
    if (log) {
        read_lammps_log(log, result);
        fclose(log);
    }
    FILE *dump = open_lammps_file(folder, scene->name, "dump");
    if (!dump) return lammps_fail(error, QD_ERR_NOT_FOUND, scene, "LAMMPS left no frames");
    qd_status status = read_lammps_frames(dump, result);
    fclose(dump);
    FILE *energy = status == QD_OK ? open_lammps_file(folder, scene->name, "energy") : NULL;
    if (energy) {
        status = read_lammps_energies(energy, result);
        fclose(energy);
    }
    if (status == QD_OK) return QD_OK;
    qdi_lammps_result_free(result);
    return lammps_fail(error, status, scene, "what LAMMPS left cannot be read");
}

void qdi_lammps_result_free(qdi_lammps_result *result) {
    const qd_allocator *allocator = qd_allocator_default();
    for (size_t i = 0; i < result->frame_count; ++i)
        qdi_release(allocator, result->frames[i].disks, result->disk_count, sizeof *result->frames[i].disks);
    qdi_release(allocator, result->frames, result->frame_room, sizeof *result->frames);
    qdi_release(allocator, result->energies, result->energy_room, sizeof *result->energies);
    *result = (qdi_lammps_result){.seconds = 0};
}

const qdi_lammps_frame *qdi_lammps_frame_at(const qdi_lammps_result *result, size_t step) {
    for (size_t i = 0; i < result->frame_count; ++i)
        if (result->frames[i].step == step) return &result->frames[i];
    return NULL;
}
