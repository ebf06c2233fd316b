#pragma once

#include "sim/world/contact_state.h"

#include <quadrille/box.h>
#include <quadrille/simd.h>
#include <quadrille/vec.h>
#include <stdbool.h>
#include <stddef.h>

/// Ends that bodies have in the list of those that touch (meet_ends.h).
typedef struct qdi_soft_ends {
    const uint32_t *list;         ///< of the first body, then the others
    const uint32_t *shift;        ///< from hits to places, per range of candidates
    const qdi_thin_force *forces; ///< by place
} qdi_soft_ends;

/// A kick of bodies that all have forces.
typedef struct qdi_soft_kick {
    const double *x, *y, *spin; ///< forces and torques
    const double *mass, *inertia;
    double *to_x, *to_y, *to_spin;    ///< accelerations
    double *vx, *vy, *turn;           ///< velocities, which get half a step of these; turn NULL: nobody turns
    double half, speed_squared, most; ///< of a step; limits of speed and of spin
} qdi_soft_kick;

/// What motion does to many disks at once, as plain loops over arrays that compilers make vectors of; the
/// same source is compiled for several instruction sets (soft_kernel.h), and every one gives the same bits.
typedef struct qdi_soft_kernels {
    /// to = from + (v - kick) dt. True where some end is not in [low, high).
    bool (*drift)(const double *from, const double *v, double kick, double dt, double low, double high,
                  double *to, size_t count);
    /// The square of the highest speed; infinity where something is further from `centre` than `distance`,
    /// per axis, or not finite.
    double (*fastest)(const double *x, const double *y, const double *vx, const double *vy, qd_vec2 centre,
                      double distance, size_t count);
    /// Boxes relative to `centre`.
    void (*box)(const double *x, const double *y, const double *radius, qd_vec2 centre, qd_box *boxes,
                size_t count);
    /// True where some box would not be in its fat one.
    bool (*outgrown)(const double *x, const double *y, const double *radius, qd_vec2 centre,
                     const qd_box *fat, size_t count);
    /// Turns (c, s) by spin dt. True where some angle is larger than QDI_SMALL_ANGLE, or not finite: its end
    /// is wrong then.
    bool (*turn)(const double *c, const double *s, const double *spin, double dt, double *to_c, double *to_s,
                 size_t count);
    /// to = from + gain dt.
    void (*gain)(const double *from, const double *gain, double dt, double *to, size_t count);
    /// Adds up forces and torques of bodies; says which have any, and returns how many.
    size_t (*sum)(const qdi_soft_ends *ends, const double *radius, double *x, double *y, double *spin,
                  bool *any, size_t count);
    /// True where a limit is broken.
    bool (*kick)(const qdi_soft_kick *by, size_t count);
} qdi_soft_kernels;

/// Angles up to which a disk is turned without functions: the series' next terms are below 1e-20.
#define QDI_SMALL_ANGLE 0.015625

extern const qdi_soft_kernels qdi_soft_plain, qdi_soft_avx2, qdi_soft_avx512;

const qdi_soft_kernels *qdi_soft_kernels_of(qd_simd simd);
