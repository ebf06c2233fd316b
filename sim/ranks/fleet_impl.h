#ifndef QD_SIM_FLEET_IMPL_H
#define QD_SIM_FLEET_IMPL_H

#include "core/parallel/ranks.h"
#include "sim/ranks/fleet.h"
#include "sim/ranks/realm.h"
#include "sim/world/part.h"
#include "sim/world/world_impl.h"

/// What the files of a fleet share.

/// A rank, and what it alone knows.
typedef struct qdi_fleet_rank {
    qd_world *world; ///< its part; NULL before the first step
    qdi_realm realm;
    double slack;                    ///< of the next part, see qdi_part; 0: not known yet
    uint64_t steps;                  ///< since ghosts were chosen
    uint64_t contacts, begins, ends; ///< of parts that it had before
    uint64_t renewals, migrations;
} qdi_fleet_rank;

struct qdi_fleet {
    qd_world *whole;
    int count;
    double small; ///< largest distance from centre to border of bodies that are no giants, reach included
    qdi_fleet_rank rank[QDI_RANKS_MAX];
    qd_world_totals totals; ///< of the whole world when the fleet was made
    // Of the step on its way:
    double dt;
    qd_profile *profile;
    qd_status status;
};

/// Fleet: how far from the centre of a body others may be to count as its neighbours; of two bodies these
/// lengths are added.
double qdi_fleet_reach(const qd_world *world, uint32_t row);

/// Fleet: gives bodies to their owners, chooses ghosts, and makes a new part of what this rank has then; at
/// first the whole world is rank 0's. All ranks call it together. Errors: QD_ERR_MEMORY; the part is the one
/// before then.
QD_MUST_USE qd_status qdi_fleet_renew(qdi_fleet *fleet, qdi_ranks *ranks);

/// A body on its way to a rank.
typedef struct qdi_body_mail {
    qd_body_state state;
    uint64_t name;
    uint32_t generation;
    uint8_t owner;
    bool moved; ///< it had another owner
} qdi_body_mail;

/// A contact on its way; its bodies are names, and b perhaps a wall.
typedef struct qdi_contact_mail {
    uint64_t a, b;
    bool near; ///< it is a speculative one
    uint8_t persists;
    qd_contact contact;
    qdi_warm_start warm_start;
    qdi_contact_force force;
} qdi_contact_mail;

/// Fleet: an empty part with all that is not bodies or contacts: `past` is the part before, or the whole.
QD_MUST_USE qd_status qdi_fleet_empty_part(const qdi_fleet *fleet, const qd_world *past, qd_world **world);
/// Fleet: puts bodies into an empty part: `mail` in the order of names, without repeats.
QD_MUST_USE qd_status qdi_fleet_put_bodies(qd_world *world, const qdi_body_mail *const *mail, size_t count);
/// Fleet: room for so many present contacts, and with springs for their forces. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_fleet_reserve_contacts(qd_world *world, size_t count);
/// Fleet: puts contacts into a part that has its bodies; `mail` is put in order. `past` as above.
QD_MUST_USE qd_status qdi_fleet_put_contacts(qd_world *world, const qd_world *past, qdi_contact_mail *mail,
                                             size_t count);

#endif
