#pragma once

/// Where the numbers of LAMMPS come from.
typedef enum qdi_lammps_way {
    QDI_LAMMPS_AUTO,  ///< live where `lmp` is found, else kept
    QDI_LAMMPS_LIVE,  ///< it is run
    QDI_LAMMPS_KEPT,  ///< those in tests/data/lammps
    QDI_LAMMPS_RENEW, ///< it is run, and what it left becomes those in tests/data/lammps
} qdi_lammps_way;

/// The way of a name: auto, live, kept or renew; -1: it is none.
int qdi_lammps_way_of(const char *name);
