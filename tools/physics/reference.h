#pragma once

/// What others have worked out about hard disks of diameter 1, mass 1 and temperature 1 (k = 1).

/// Compressibility P A / (N kT) of the fluid at area fraction eta, 0 to 0.62: the [4/5] Pade approximant of
/// the ten known virial coefficients (Clisby and McCoy, J. Stat. Phys. 122, 15 (2006)). Its error is below
/// 1e-5 up to 0.4, 1e-4 at 0.5 and 0.002 at 0.6, going by what other approximants give.
double qdi_reference_state(double eta);

/// Collisions that a disk has in a unit of time: 4 / sqrt(pi) times what the above has over 1.
double qdi_reference_rate(double eta);

/// By how much the cooling of a gas with restitution e differs from that of one with Maxwell's speeds: 1 + 3
/// a2 / 16 (van Noije and Ernst, Granular Matter 1, 57 (1998), for two dimensions).
double qdi_reference_cooling(double e);

/// The same for what a single collision takes: collisions are 1 - a2 / 16 times as frequent, so 1 + a2 / 4.
double qdi_reference_loss(double e);
