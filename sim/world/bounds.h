#pragma once

#include <math.h>
#include <stdbool.h>

/// Which numbers a world holds: one rule for what is passed in, for what a step computes, for what is read
/// from a file and for what a saved world may have. So whatever a world accepts can be saved, and what is
/// saved loads.

/// The largest number in a scene, a def or a body: places, sizes, velocities, spins, rates,
/// stiffnesses. Boxes are float32.
#define QDI_FURTHEST 1e30
/// The largest mass: the densest disk of the largest size has about that; and the largest moment of inertia
/// that is finite.
#define QDI_HEAVIEST   1e90
#define QDI_MOST_INERT 1e150
/// The largest number that is computed from these: energies, impulses, times.
#define QDI_MOST 1e300
/// The largest lean of a body, which is a position's to first order (sim/rigid/lean.h).
#define QDI_LEAN_MOST 0.03
/// A step's length.
#define QDI_SHORTEST_STEP 1e-30

/// True for a number within these limits; false for NaN, as all of these.
static inline bool qdi_is_sane(double value) {
    return fabs(value) <= QDI_FURTHEST;
}
/// Limits of a world's numbers: the same of a number that must not be below 0, and of one that must be above.
static inline bool qdi_is_sane_positive(double value, bool above) {
    return (above ? value > 0 : value >= 0) && value <= QDI_FURTHEST;
}
/// Limits of a world's numbers: true for a value that sums may reach.
static inline bool qdi_is_sane_sum(double value) {
    return fabs(value) <= QDI_MOST;
}
/// Limits of a world's numbers: true for the mass and the inertia of a dynamic body, which turns or not.
static inline bool qdi_is_mass(double value) {
    return value > 0 && value <= QDI_HEAVIEST;
}
/// Limits of a world's numbers: whether a number is allowed as a moment of inertia; HUGE_VAL is a body that
/// does not turn.
static inline bool qdi_is_inertia(double value) {
    return value > 0 && (value <= QDI_MOST_INERT || value == HUGE_VAL);
}
/// Limits of a world's numbers: true for the length of a step.
static inline bool qdi_is_step(double dt) {
    return dt >= QDI_SHORTEST_STEP && dt <= QDI_FURTHEST;
}
