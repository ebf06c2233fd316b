#ifndef QUADRILLE_COMPRESSION_H
#define QUADRILLE_COMPRESSION_H

#include <quadrille/vec.h>

QD_BEGIN_DECLS

/// A world whose size changes: periodic or walled sides come nearer to its centre (or go away from it), and
/// carry dynamic bodies along as a sheet of rubber would. In a step of dt, after everything has moved, width
/// and height are multiplied by exp(-rate dt), and so is the distance of each body's centroid from the
/// world's centre. Velocities stay what they are: they are relative to that sheet (as with LAMMPS's `fix
/// deform ... trate ... remap x`), and so are those of the sides, which give nothing to what they touch.
///
/// Other bodies stay where they are; on a periodic axis that is compressed there can be none. While it goes
/// on, boxes are not fattened: tree and candidates are made anew in every step.
typedef struct qd_compression {
    qd_vec2 rate; ///< part of width and height that the world loses per time; below 0: gains; default 0, 0
    /// Stops as soon as the dynamic bodies' areas are this part of the world's: in the middle of a step, so
    /// that it is met to rounding. Where the world grows: as soon as they are no more. Infinity (the
    /// default): never.
    double fraction;
    /// Stops with the first step that begins with this pressure (qd_metrics) or more; where the world grows,
    /// with no more; not before step 1. Infinity (the default): never.
    double pressure;
} qd_compression;

QD_END_DECLS

#endif
