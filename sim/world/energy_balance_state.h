#pragma once

#include <stddef.h>

/// What became of energy and momentum. A step fills one of its own, which is added to the world's when
/// the step has succeeded.
typedef struct qdi_energy_balance {
    double lost[2]
               [2];   ///< to contacts: [0] between bodies, [1] with walls; [0] along the normal, [1] friction
    double virial;    ///< sum of r_ab . J between dynamic bodies
    double kinematic; ///< work of kinematic bodies
    double drag;      ///< lost to the medium
    double force;     ///< work of the callback, and of gravity through periodic sides
    double compression; ///< work of the world's compression
    double drift;       ///< energy that comes of the step's finite length
    double push[4];     ///< impulse across each wall, in the order of qd_wall
} qdi_energy_balance;

/// What a contact took and gave in a step: the lanes of a tally.
typedef struct qdi_contact_balance {
    double lane[4];
} qdi_contact_balance;
enum {
    QDI_LOST_NORMAL, ///< energy
    QDI_LOST_FRICTION,
    QDI_VIRIAL, ///< between dynamic bodies
    QDI_WORK,   ///< of the one that is not dynamic, if it is a body
};

/// A velocity and a spin.
typedef struct qdi_twist {
    double x, y, spin;
} qdi_twist;

/// The same in a row of four numbers, which the solver's lanes read at once: none is of another body, which
/// another thread may write.
typedef struct qdi_mean_twist {
    double x, y, spin, spare;
} qdi_mean_twist;

/// Working memory of a step, see energy_balance.h.
typedef struct qdi_balance_scratch {
    qdi_energy_balance sums;               ///< of the step on its way
    qdi_contact_balance *contact_balances; ///< by constraint; in the arena
    qdi_mean_twist
        *means; ///< by mover: its velocity before the forces, then the mean of that and the one after all
    size_t mean_room;
    double *drift;        ///< by mover; in the arena
    double *drag, *force; ///< by row: what medium and callback did; only where there is one
    size_t drag_room, force_room;
} qdi_balance_scratch;

/// Per time, in the last step: what is shown of it.
typedef struct qdi_rates {
    double virial, push; ///< push: across all walls
} qdi_rates;
