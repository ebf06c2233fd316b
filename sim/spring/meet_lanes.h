#ifndef QD_SIM_MEET_LANES_H
#define QD_SIM_MEET_LANES_H

#include "sim/world/tally.h"

#include <quadrille/simd.h>
#include <stdbool.h>
#include <stddef.h>

/// Pairs of disks that are worked on side by side, in vectors; the same source is compiled for several
/// instruction sets (meet_lanes_kernel.h), and every one gives the same bits.

enum { QDI_MEET_LANES = 32 };

/// Springs that meet: some pairs of disks that touch, lane by lane.
typedef struct qdi_meet_lanes {
    // What is known of them: the centre of a, from there to that of b (the nearest image), velocities and
    // spins as the move had them, radii, and the shear of the moment before.
    double x[QDI_MEET_LANES], y[QDI_MEET_LANES], dx[QDI_MEET_LANES], dy[QDI_MEET_LANES];
    double vx_a[QDI_MEET_LANES], vy_a[QDI_MEET_LANES], spin_a[QDI_MEET_LANES], radius_a[QDI_MEET_LANES];
    double vx_b[QDI_MEET_LANES], vy_b[QDI_MEET_LANES], spin_b[QDI_MEET_LANES], radius_b[QDI_MEET_LANES];
    double shear_x[QDI_MEET_LANES], shear_y[QDI_MEET_LANES];
    // Their law, which stays from one filling to the next where two have the same masses.
    double mass_a[QDI_MEET_LANES], mass_b[QDI_MEET_LANES]; ///< 0: none yet
    double kn[QDI_MEET_LANES], kt[QDI_MEET_LANES];
    double gamman[QDI_MEET_LANES], gammat[QDI_MEET_LANES]; ///< times the reduced mass
    double mu[QDI_MEET_LANES];
    // What is made of it; the shear is replaced. Losses, virial and work are lanes of the balance.
    double approach[QDI_MEET_LANES], push[QDI_MEET_LANES], friction[QDI_MEET_LANES];
    double force_x[QDI_MEET_LANES], force_y[QDI_MEET_LANES];
    double balance[QDI_TALLY_LANES][QDI_MEET_LANES]; ///< as a qdi_contact_balance has it
} qdi_meet_lanes;

/// What the balances of pairs add up to, the same in whatever order (tally.h): the sums are right where `cut`
/// is the one for the largest of all.
typedef struct qdi_meet_tally {
    qdi_tally_cut cut;
    qdi_tally_most most;
    qdi_tally sum;
} qdi_meet_tally;

/// What all pairs of a step have in common.
typedef struct qdi_meet_law {
    double dt, kick_x, kick_y, slide;
    bool limit_damping;
} qdi_meet_law;

/// Works out the first `count` lanes, what is in the others does not count; and adds their balances.
typedef void (*qdi_meet_kernel)(qdi_meet_lanes *lanes, const qdi_meet_law *law, size_t count,
                                qdi_meet_tally *tally);

void qdi_meet_lanes_portable(qdi_meet_lanes *lanes, const qdi_meet_law *law, size_t count,
                             qdi_meet_tally *tally);
void qdi_meet_lanes_avx2(qdi_meet_lanes *lanes, const qdi_meet_law *law, size_t count, qdi_meet_tally *tally);

qdi_meet_kernel qdi_meet_kernel_of(qd_simd simd);

#endif
