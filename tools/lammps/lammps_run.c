#include "tools/host/os.h"
#include "tools/lammps/lammps.h"

#include <string.h>

enum { PATH = 1024 };

bool qdi_lammps_found(int ranks) {
    return qdi_host_has_program("lmp") && (ranks == 1 || qdi_host_has_program("mpirun"));
}

// The path of one of the files of a run with LAMMPS.
static void lammps_path(char *path, const char *folder, const qdi_lammps_scene *scene, const char *ending) {
    snprintf(path, PATH, "%.900s/%.64s.%.16s", folder, scene->name, ending);
}

// Tells that LAMMPS could not be run.
static qd_status lammps_run_fail(qd_error *error, const char *folder, const char *what) {
    snprintf(error->text, sizeof error->text, "%.120s: %s", folder, what);
    return QD_ERR_IO;
}

/// Opens a file of the scene to write it; NULL where that fails.
static FILE *create_lammps_file(const char *folder, const qdi_lammps_scene *scene, const char *ending) {
    char path[PATH];
    lammps_path(path, folder, scene, ending);
    return fopen(path, "w");
}

// Writes script and data of a run with LAMMPS.
static qd_status write_lammps_inputs(const char *folder, const qdi_lammps_scene *scene,
                                     const qdi_lammps_task *task, qd_error *error) {
    FILE *script = create_lammps_file(folder, scene, "in"), *data = create_lammps_file(folder, scene, "data");
    bool good = script && data;
    if (good) {
        qdi_lammps_write_script(script, scene, task);
        qdi_lammps_write_data(data, scene);
    }
    if (script) good = !ferror(script) && good;
    if (script) good = fclose(script) == 0 && good;
    if (data) good = !ferror(data) && good;
    if (data) good = fclose(data) == 0 && good;
    return good ? QD_OK : lammps_run_fail(error, folder, "LAMMPS's input cannot be written");
}

/// Why LAMMPS failed, in its own words where its log has some.
static void find_reason(const char *folder, const qdi_lammps_scene *scene, qd_error *error) {
    char path[PATH], line[PATH];
    lammps_path(path, folder, scene, "log");
    FILE *log = fopen(path, "r");
    if (!log) return;
    while (fgets(line, sizeof line, log))
        if (strncmp(line, "ERROR", 5) == 0)
            snprintf(error->text, sizeof error->text, "LAMMPS says: %.*s", (int)strcspn(line, "\n"), line);
    fclose(log);
}

/// One thread per rank, and mpirun may be root's, as it is in containers. What is not asked for is not in the
/// environment.
static qd_status start_lammps(const char *folder, const qdi_lammps_scene *scene, int ranks, qd_error *error) {
    char script[80], log[80], count[16];
    snprintf(script, sizeof script, "%.64s.in", scene->name);
    snprintf(log, sizeof log, "%.64s.log", scene->name);
    snprintf(count, sizeof count, "%d", ranks);
    char *arguments[] = {"env",
                         "OMP_NUM_THREADS=1",
                         "OMPI_ALLOW_RUN_AS_ROOT=1",
                         "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                         "mpirun",
                         "-np",
                         count,
                         "lmp",
                         "-in",
                         script,
                         "-log",
                         log,
                         "-screen",
                         "none",
                         NULL};
    if (ranks == 1) memmove(arguments + 4, arguments + 7, 8 * sizeof *arguments);
    if (qdi_host_run(arguments, folder)) return QD_OK;
    qd_status status = lammps_run_fail(error, folder, ranks == 1 ? "lmp failed" : "mpirun lmp failed");
    find_reason(folder, scene, error);
    return status;
}

/// A file of the scene goes from one folder to the other; one that is not there need not.
static qd_status copy_lammps_file(const char *from, const char *to, const qdi_lammps_scene *scene,
                                  const char *ending, qd_error *error) {
    char path[PATH], buffer[4096];
    lammps_path(path, from, scene, ending);
    FILE *in = fopen(path, "r"), *out = in ? create_lammps_file(to, scene, ending) : NULL;
    bool good = !in || out;
    while (good && in) {
        size_t bytes = fread(buffer, 1, sizeof buffer, in);
        if (bytes == 0) break;
        good = fwrite(buffer, 1, bytes, out) == bytes;
    }
    if (in) good = !ferror(in) && good;
    if (in) fclose(in);
    if (out) good = fclose(out) == 0 && good;
    return good ? QD_OK : lammps_run_fail(error, to, "what LAMMPS left cannot be kept");
}

/// LAMMPS: the log, but for its first line, has times in it.
static qd_status keep_version(const char *to, const qdi_lammps_scene *scene, const qdi_lammps_result *result,
                              qd_error *error) {
    FILE *out = create_lammps_file(to, scene, "log");
    bool good = out && fprintf(out, "%s\n", result->version) > 0;
    if (out) good = fclose(out) == 0 && good;
    return good ? QD_OK : lammps_run_fail(error, to, "what LAMMPS left cannot be kept");
}

// Keeps the files of a run with LAMMPS as reference data.
static qd_status keep_lammps_files(const char *from, const char *to, const qdi_lammps_scene *scene,
                                   const qdi_lammps_result *result, qd_error *error) {
    static const char *const endings[] = {"in", "dump", "energy"};
    qd_status status = keep_version(to, scene, result, error);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0] && status == QD_OK; ++i)
        status = copy_lammps_file(from, to, scene, endings[i], error);
    return status;
}

// Removes the files of a run with LAMMPS.
static void remove_lammps_files(const char *folder, const qdi_lammps_scene *scene) {
    static const char *const endings[] = {"in", "data", "dump", "energy", "log"};
    char path[PATH];
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; ++i) {
        lammps_path(path, folder, scene, endings[i]);
        (void)remove(path);
    }
    (void)remove(folder);
}

qd_status qdi_lammps_run(const qdi_lammps_scene *scene, const qdi_lammps_task *task, const char *keep,
                         qdi_lammps_result *result, qd_error *error) {
    char folder[PATH];
    *result = (qdi_lammps_result){.seconds = 0};
    if (!qdi_host_make_scratch(folder, sizeof folder))
        return lammps_run_fail(error, folder, "cannot be made");
    qd_status status = write_lammps_inputs(folder, scene, task, error);
    if (status == QD_OK) status = start_lammps(folder, scene, task->ranks, error);
    if (status == QD_OK) status = qdi_lammps_read(folder, scene, result, error);
    if (status == QD_OK && keep) status = keep_lammps_files(folder, keep, scene, result, error);
    remove_lammps_files(folder, scene);
    if (status != QD_OK) qdi_lammps_result_free(result);
    return status;
}
