#pragma once

#include "sim/ranks/fleet_impl.h"

/// Which ranks need a body from now on: a matter of its place, of the realm and of where giants are, which
/// all ranks know. So whoever owns a body knows to whom it has to send it, without being asked.
///
/// A body is needed by whoever owns a place so near that a body there could touch it before ghosts are chosen
/// anew. That is reckoned with the largest body that is no giant; giants are known everywhere, and who owns
/// one needs all that are near it.

/// A body so large that it is known everywhere.
typedef struct qdi_fleet_giant {
    qd_vec2 place;
    double reach;
    int owner;
} qdi_fleet_giant;

typedef struct qdi_fleet_needs {
    const qdi_fleet_rank *rank;
    double slack; ///< how far bodies may come from where they are before all is found out again
    qdi_fleet_giant *giants;
    size_t giant_count, giant_room;
    uint8_t *inner; ///< by cell: nobody but this rank needs a body there; NULL where there are giants
} qdi_fleet_needs;

/// Fleet's needs: deals the realm by where the bodies are that ranks own in `past`, chooses the slack, and
/// lists giants. All ranks call it together. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_fleet_find_needs(qdi_fleet_rank *rank, const qd_world *past,
                                           qdi_fleet_needs *needs);
void qdi_fleet_forget_needs(qdi_fleet_needs *needs);

/// Fleet's needs: who has to know the body of a row, by bit: its owner, and those whose ghost it is.
uint64_t qdi_fleet_needed_by(const qdi_fleet_needs *needs, const qd_world *world, uint32_t row);
/// Fleet's needs: whether this is seen from its cell alone to be nobody but this rank, its owner so far.
static inline bool qdi_fleet_is_inner(const qdi_fleet_needs *needs, const qd_world *world, uint32_t row) {
    if (!needs->inner) return false;
    const qd_vec2 place = {world->now.x[row], world->now.y[row]};
    return needs->inner[qdi_realm_cell(&needs->rank->realm, place)];
}
/// Fleet's needs: how many others there are in a set of ranks, by bit.
static inline size_t qdi_fleet_others(uint64_t mask, int me) {
    size_t count = 0;
    for (mask &= ~(UINT64_C(1) << me); mask; mask &= mask - 1) ++count;
    return count;
}
/// Fleet's needs: the owner of the body of a row from now on.
static inline int qdi_fleet_owner_of(const qdi_fleet_needs *needs, const qd_world *world, uint32_t row) {
    return qdi_realm_owner(&needs->rank->realm, (qd_vec2){world->now.x[row], world->now.y[row]});
}
