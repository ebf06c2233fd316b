#include "sim/text/number.h"
#include "tools/bench/frames.h"
#include "tools/host/os.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM = 4096, LINE = 512 };

/// What the names of the files begin with.
#define STEM "quadrille_bench"

/// The files in the folder that was given.
typedef struct lammps_paths {
    char data[ROOM], log[ROOM], images[ROOM];
} lammps_paths;

// Names the files of the bench of LAMMPS's images.
static bool name_lammps_paths(const char *folder, lammps_paths *paths) {
    if (strlen(folder) > ROOM - 64) return false;
    (void)snprintf(paths->data, sizeof paths->data, "%s/" STEM ".data", folder);
    (void)snprintf(paths->log, sizeof paths->log, "%s/" STEM ".log", folder);
    (void)snprintf(paths->images, sizeof paths->images, "%s/" STEM, folder);
    return true;
}

// Writes the bodies of the bench of frames for LAMMPS.
static qd_status write_frames_data(const qdi_frames_plan *plan, const char *path) {
    qdi_bench_setting setting;
    qd_status status = qdi_bench_setting_make(plan->scene, 1, plan->bodies, plan->seed,
                                              qd_allocator_default(), &setting);
    if (status != QD_OK) return status;
    const qdi_bench_bodies *bodies = &setting.bodies;
    FILE *file = fopen(path, "wb");
    bool good = file != NULL;
    if (file) {
        char half[QDI_NUMBER_ROOM], number[3][QDI_NUMBER_ROOM];
        (void)qdi_number_write(0.5 * bodies->side, half);
        fprintf(file,
                "disks\n\n%zu atoms\n1 atom types\n-%s %s xlo xhi\n-%s %s ylo yhi\n-0.5 0.5 zlo zhi\n\n",
                bodies->count, half, half, half, half);
        fputs("Atoms # sphere\n\n", file);
        for (size_t i = 0; i < bodies->count; ++i) {
            const double values[] = {2.0 * bodies->radius[i], bodies->x[i], bodies->y[i]};
            for (size_t k = 0; k < 3; ++k) (void)qdi_number_write(values[k], number[k]);
            fprintf(file, "%zu 1 %s 1 %s %s 0\n", i + 1, number[0], number[1], number[2]);
        }
        good = !ferror(file);
        good = fclose(file) == 0 && good;
    }
    qdi_bench_setting_free(&setting);
    return good ? QD_OK : QD_ERR_IO;
}

/// Bench of frames: LAMMPS works in the folder, so that its script has plain names: a path may have what
/// LAMMPS takes for words and marks of its own.
static bool run_lammps(const qdi_frames_plan *plan) {
    char name[] = "lmp", flags[3][8] = {"-log", "none", "-screen"};
    char *const arguments[] = {name, flags[0], flags[1], flags[2], flags[1], NULL};
    qdi_host_program program;
    if (!qdi_host_program_open(arguments, plan->lammps, "/dev/null", &program)) return false;
    // One picture is made before the loop, one in each of its steps. Nothing moves and nothing is near
    // anything.
    fprintf(program.in,
            "log " STEM
            ".log\nunits lj\natom_style sphere\ndimension 2\nboundary f f p\ncomm_modify cutoff 2.0\n"
            "read_data " STEM ".data\npair_style zero 1.0 nocoeff\npair_coeff * *\nthermo 1000000\n"
            "neigh_modify delay 1000000 every 1000000 check no\n"
            "dump 1 all image 1 " STEM ".*.png type diameter size %d %d view 0 0 box no 0.0\nrun %zu\n",
            plan->width, plan->height, plan->frames);
    return qdi_host_program_close(&program);
}

/// Bench of frames: reads seconds of the loop's output, and the part of them in which it had a processor.
static bool read_log(const char *path, double *seconds, double *part) {
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    char line[LINE];
    *seconds = *part = -1.0;
    while (fgets(line, sizeof line, file)) {
        const char *use = strstr(line, "% CPU use");
        const char *bar = strncmp(line, "Output ", 7) == 0 ? strchr(line, '|') : NULL;
        if (use) *part = 0.01 * strtod(line, NULL);
        if (bar) *seconds = strtod(bar + 1, NULL);
    }
    (void)fclose(file);
    return *seconds > 0.0 && *part >= 0.0;
}

// Bench of frames: removes the images that LAMMPS wrote; returns their bytes.
static size_t remove_lammps_images(const qdi_frames_plan *plan, const char *stem) {
    size_t bytes = 0;
    for (size_t i = 0; i <= plan->frames; ++i) {
        char path[ROOM + 64];
        (void)snprintf(path, sizeof path, "%s.%zu.png", stem, i);
        FILE *file = fopen(path, "rb");
        if (!file) continue;
        if (fseek(file, 0, SEEK_END) == 0) {
            long size = ftell(file);
            bytes = size > 0 ? (size_t)size : 0;
        }
        (void)fclose(file);
        (void)remove(path);
    }
    return bytes;
}

// Tells why LAMMPS made no images.
static qd_status fail_lammps_frames(qd_error *error, qd_status status, const char *reason) {
    (void)snprintf(error->text, sizeof error->text, "%s", reason);
    return status;
}

qd_status qdi_frames_lammps(const qdi_frames_plan *plan, qdi_frames_row *row, qd_error *error) {
    lammps_paths paths;
    if (!name_lammps_paths(plan->lammps, &paths))
        return fail_lammps_frames(error, QD_ERR_IO, "the folder for LAMMPS has a name that is too long");
    qd_status status = write_frames_data(plan, paths.data);
    if (status != QD_OK)
        return fail_lammps_frames(error, status,
                                  status == QD_ERR_IO ? "the folder for LAMMPS cannot be written"
                                                      : qd_status_text(status));
    bool ran = run_lammps(plan);
    double seconds = 0.0, part = 0.0;
    bool told = ran && read_log(paths.log, &seconds, &part);
    size_t bytes = remove_lammps_images(plan, paths.images);
    (void)remove(paths.data);
    (void)remove(paths.log);
    if (!ran) return fail_lammps_frames(error, QD_ERR_IO, "lmp failed (does it have dump image with PNG?)");
    if (!told || bytes == 0)
        return fail_lammps_frames(error, QD_ERR_CORRUPT,
                                  "lmp made no pictures, or did not say how long they took");
    double each = seconds * 1e3 / (double)plan->frames;
    *row = (qdi_frames_row){.style = QDI_FRAMES_LAMMPS,
                            .bodies = plan->bodies,
                            .whole = each,
                            .cpu = part * each,
                            .bytes = bytes};
    return QD_OK;
}
