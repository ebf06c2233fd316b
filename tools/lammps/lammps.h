#pragma once

#include <quadrille/simd.h>
#include <quadrille/status.h>
#include <quadrille/vec.h>
#include <quadrille/world.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/// The same disks on springs in a world of ours and in LAMMPS: its program `lmp` is given an input script and
/// a data file in a folder of their own, and what it leaves there is read. Its terms are those of pair_style
/// gran/hooke/history, fix wall/gran and fix nve/sphere disc, and those of pair_style granular. LAMMPS is
/// never linked.

typedef struct qdi_lammps_disk {
    qd_vec2 position, velocity;
    double spin, radius, mass;
} qdi_lammps_disk;

/// Disks, at most 16 kinds of them by radius and mass, and the laws between them.
typedef struct qdi_lammps_scene {
    const char *name; ///< of files: letters, digits and _
    qd_vec2 low, high;
    bool walls;                              ///< on all four sides, with the same springs; else periodic
    double gravity;                          ///< downwards
    double kn, kt, gamman, gammat, friction; ///< without friction LAMMPS has gran/hooke, without history
    bool limit_damping;
    bool hertz;                 ///< gran/hertz/history; this and the following are done by `granular` styles
    double rolling, kr, gammar; ///< of `rolling sds`
    double adhesion;            ///< of touching disks, by `dmt`; with hertz and without rolling only
    double dt;
    double skin; ///< LAMMPS's: by how much pairs are looked for beyond touching
    bool newton; ///< LAMMPS's: pairs across the borders of ranks and periods are worked out once
    qdi_lammps_disk *disks;
    size_t count;
} qdi_lammps_scene;

/// What LAMMPS is to do.
typedef struct qdi_lammps_task {
    int ranks;           ///< 1: no mpirun
    size_t warm;         ///< steps before the ones that are timed
    size_t steps;        ///< that are timed
    size_t every;        ///< a frame whenever the step is a multiple of it; 0: only the last step
    const char *columns; ///< of the frames, after the id
    size_t energy_every; ///< the same of the energy of motion; 0: none
} qdi_lammps_task;

/// What is known of a disk at a moment; NaN where a file does not have it.
typedef enum qdi_lammps_column {
    QDI_LAMMPS_X,
    QDI_LAMMPS_Y,
    QDI_LAMMPS_VX,
    QDI_LAMMPS_VY,
    QDI_LAMMPS_SPIN,
    QDI_LAMMPS_FX,
    QDI_LAMMPS_FY,
    QDI_LAMMPS_TORQUE,
    QDI_LAMMPS_COLUMNS
} qdi_lammps_column;

typedef struct qdi_lammps_frame {
    size_t step;
    double (*disks)[QDI_LAMMPS_COLUMNS]; ///< in the scene's order
} qdi_lammps_frame;

/// What a run left. Zeroed: nothing.
typedef struct qdi_lammps_result {
    char version[64]; ///< "LAMMPS (29 Sep 2021 - Update 2)"
    double seconds;   ///< that the timed steps took, by its own clock; 0 where nothing was timed
    double processor; ///< of all ranks in these steps, in seconds, by its own count; 0 where it has none
    qdi_lammps_frame *frames;
    size_t frame_count, frame_room, disk_count;
    double (*energies)[2]; ///< step, energy of motion
    size_t energy_count, energy_room;
} qdi_lammps_result;

// ---- lammps_run.c ----

/// True where `lmp` (and for more than one rank `mpirun`) can be started.
bool qdi_lammps_found(int ranks);
/// Runs LAMMPS in a folder of its own under the system's one for such, which is gone afterwards; where `keep`
/// is not NULL, its script and what it left stay there. Errors: QD_ERR_IO, QD_ERR_CORRUPT, QD_ERR_MEMORY,
/// with the reason.
QD_MUST_USE qd_status qdi_lammps_run(const qdi_lammps_scene *scene, const qdi_lammps_task *task,
                                     const char *keep, qdi_lammps_result *result, qd_error *error);

// ---- lammps_write.c ----

/// The script that runs a scene, which names the files NAME.data, NAME.dump and NAME.energy.
void qdi_lammps_write_script(FILE *out, const qdi_lammps_scene *scene, const qdi_lammps_task *task);
void qdi_lammps_write_data(FILE *out, const qdi_lammps_scene *scene);

// ---- lammps_read.c ----

/// Reads NAME.dump, NAME.energy (where there is one) and NAME.log from a folder. Errors: QD_ERR_NOT_FOUND,
/// QD_ERR_CORRUPT, QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_lammps_read(const char *folder, const qdi_lammps_scene *scene,
                                      qdi_lammps_result *result, qd_error *error);
void qdi_lammps_result_free(qdi_lammps_result *result);
/// The frame of a step, or NULL.
const qdi_lammps_frame *qdi_lammps_frame_at(const qdi_lammps_result *result, size_t step);

// ---- lammps_world.c ----

/// The scene as a world of ours; disk i has index i. Errors: those of qd_world_create and qd_world_add.
QD_MUST_USE qd_status qdi_lammps_world(const qdi_lammps_scene *scene, int threads, qd_simd simd,
                                       qd_world **world, qd_error *error);
/// What the world's disks are at and feel, in the order of their indices: `disks` has room for all. Forces
/// and torques are those of the moment, gravity included, and exist after a step.
void qdi_lammps_look(const qdi_lammps_scene *scene, const qd_world *world,
                     double (*disks)[QDI_LAMMPS_COLUMNS]);
/// Energy of motion, by the scene's masses.
double qdi_lammps_motion(const qdi_lammps_scene *scene, const qd_world *world);
/// Largest difference of columns [first, last] between two frames, each over the larger of `scale` and the
/// reference's own value. Places that differ by a period are the same. NaN where the frame has no such
/// column.
double qdi_lammps_difference(const qdi_lammps_scene *scene, const qdi_lammps_frame *reference,
                             double (*disks)[QDI_LAMMPS_COLUMNS], qdi_lammps_column first,
                             qdi_lammps_column last, double scale);
/// Largest magnitude in columns [first, last].
double qdi_lammps_largest(const qdi_lammps_scene *scene, const qdi_lammps_frame *frame,
                          qdi_lammps_column first, qdi_lammps_column last);
