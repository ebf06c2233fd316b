#pragma once

#include "tools/lammps/lammps.h"

/// What can be planted on our side of a comparison. What is done is not the fault itself but has its effect
/// on the disks of the scene.
typedef enum qdi_lammps_fault {
    QDI_LAMMPS_SOUND,
    QDI_LAMMPS_NO_EFFECTIVE_MASS, ///< damping times a disk's own mass: the rates are doubled
    QDI_LAMMPS_SHORT_LEVER, ///< the lever arm ends at the contact's point, half the overlap below the surface
    QDI_LAMMPS_NO_HISTORY,  ///< each step starts without shear: all disks go to a new world
    QDI_LAMMPS_PULL,        ///< limit_damping is not heeded
    QDI_LAMMPS_NO_FIRST_KICK, ///< gravity has no half kick before the first drift
    QDI_LAMMPS_NO_HERTZ,      ///< kn is a force per length, whatever the overlap
    QDI_LAMMPS_FREE_ROLLING,  ///< the limit of rolling is not heeded
    QDI_LAMMPS_LESS_ADHESION, ///< by a thousandth
} qdi_lammps_fault;

/// A comparison: a scene, and how long both run it.
typedef struct qdi_lammps_match {
    const char *name; ///< of the row
    size_t steps, every, energy_every;
    const char *columns;    ///< of the frames that are kept
    qdi_lammps_fault fault; ///< of its twin
    const char *planted;    ///< the same in words
    const char *note;
} qdi_lammps_match;

enum {
    QDI_LAMMPS_MATCHES = 14,
    QDI_LAMMPS_STATE = 7,
    QDI_LAMMPS_GAS = 8,
    QDI_LAMMPS_GRAINS = 12,
    QDI_LAMMPS_STICKY
};

/// Match number 0 to QDI_LAMMPS_MATCHES - 1: few disks, then the state of 1,000 that is looked at for its
/// forces, then the gas that goes on; then few disks with the laws of grains, and two states of 1,000 of
/// these.
const qdi_lammps_match *qdi_lammps_match_at(size_t number);
/// Makes its scene. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_lammps_scene_make(size_t number, qdi_lammps_scene *scene);
/// True for those that are states.
bool qdi_lammps_is_state(size_t number);
void qdi_lammps_scene_free(qdi_lammps_scene *scene);
/// The same with an error planted in the laws, where it can be there.
qdi_lammps_scene qdi_lammps_scene_with(const qdi_lammps_scene *scene, qdi_lammps_fault fault);
