#ifndef QUADRILLE_TRAJECTORY_H
#define QUADRILLE_TRAJECTORY_H

#include <quadrille/frame.h>
#include <quadrille/metrics.h>
#include <quadrille/status.h>
#include <quadrille/store.h>
#include <quadrille/world.h>
#include <stddef.h>
#include <stdint.h>

QD_BEGIN_DECLS

/// Writes states of worlds in the formats of other programs; docs/formats.md has every column. Numbers
/// are written in full: as text in the shortest form that reads back equal, in the C locale, else as IEEE
/// double precision. Bytes depend on the worlds, the format and the provenance alone.
///
/// A trajectory is written whole or not at all: files are written as NAME.part, and those of one that is not
/// finished are deleted. What is in memory at a time is some blocks of one state. One thread at a time may
/// use a writer.
typedef struct qd_trajectory qd_trajectory;

/// The formats.
typedef enum qd_trajectory_format {
    QD_TRAJECTORY_LAMMPS, ///< bodies.lammpstrj: LAMMPS dump text
    QD_TRAJECTORY_EXTXYZ, ///< bodies.xyz: extended XYZ
    QD_TRAJECTORY_VTP, ///< VTK XML, a file per state for bodies, shapes, nodes and contacts, and a .pvd over
                       ///< each; with the fields of a run store .vti of
                       ///< image data and their .pvd
    QD_TRAJECTORY_CSV, ///< bodies.csv, contacts.csv, nodes.csv, and with the rows of a run store events.csv,
                       ///< metrics.csv, fields.csv, distributions.csv
} qd_trajectory_format;

/// How a trajectory is made.
typedef struct qd_trajectory_def {
    uint32_t cookie;       ///< set by qd_trajectory_def_default; a def without it is refused
    const char *directory; ///< must exist; files of the same names in it are replaced
    qd_trajectory_format format;
    qd_provenance provenance;
    int threads;                   ///< that write numbers, 1..QD_TEAM_MAX, default 1; changes no byte
    const qd_allocator *allocator; ///< NULL: the C heap
} qd_trajectory_def;

/// What a trajectory has written.
typedef struct qd_trajectory_totals {
    uint64_t states, bytes, files;
    uint64_t bodies; ///< rows of bodies, over all states
} qd_trajectory_totals;

/// A def with one thread; directory and format are to be filled in.
QD_API qd_trajectory_def qd_trajectory_def_default(void);

/// The format of a name: "lammps", "extxyz", "vtp", "csv". False where there is none.
QD_API bool qd_trajectory_format_named(const char *name, qd_trajectory_format *format);

/// Starts a trajectory. Errors: QD_ERR_ARGUMENT, QD_ERR_VALUE (format, threads, too long a path), QD_ERR_IO,
/// QD_ERR_MEMORY; the reason in `error`.
QD_API QD_MUST_USE qd_status qd_trajectory_create(const qd_trajectory_def *def, qd_trajectory **trajectory,
                                                  qd_error *error);

/// Writes the present state of a world, whose contacts are those that are known (qd_world_contacts). Once a
/// call failed, every later one returns that failure. Errors: QD_ERR_IO (the disk is full, ...),
/// QD_ERR_MEMORY; the reason in `error`.
QD_API QD_MUST_USE qd_status qd_trajectory_add(qd_trajectory *trajectory, const qd_world *world,
                                               qd_error *error);

/// Writes a row of a run store. Errors: as qd_trajectory_add; QD_ERR_STATE for other formats than
/// QD_TRAJECTORY_CSV.
QD_API QD_MUST_USE qd_status qd_trajectory_add_event(qd_trajectory *trajectory, const qd_store_event *event,
                                                     qd_error *error);
QD_API QD_MUST_USE qd_status qd_trajectory_add_metrics(qd_trajectory *trajectory, const qd_metrics *metrics,
                                                       qd_error *error);

/// Writes the fields of a step: a line of fields.csv for each cell, at its middle; with QD_TRAJECTORY_VTP a
/// file of image data. Errors: as qd_trajectory_add; QD_ERR_STATE for other formats than these.
QD_API QD_MUST_USE qd_status qd_trajectory_add_fields(qd_trajectory *trajectory,
                                                      const qd_store_fields *fields, qd_error *error);

/// Writes the distributions of a step: a line of distributions.csv for each bin. Only with QD_TRAJECTORY_CSV.
/// Errors as of the fields.
QD_API QD_MUST_USE qd_status qd_trajectory_add_distributions(qd_trajectory *trajectory,
                                                             const qd_store_distributions *found,
                                                             qd_error *error);

/// Brings all files into place. Errors: as qd_trajectory_add. Nothing but qd_trajectory_destroy may follow.
QD_API QD_MUST_USE qd_status qd_trajectory_finish(qd_trajectory *trajectory, qd_trajectory_totals *totals,
                                                  qd_error *error);

/// Frees; deletes the files of a trajectory that is not finished. NULL is fine.
QD_API void qd_trajectory_destroy(qd_trajectory *trajectory);

QD_END_DECLS

#endif
