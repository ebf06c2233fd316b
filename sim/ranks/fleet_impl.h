#pragma once

#include "core/parallel/ranks.h"
#include "sim/ranks/fleet.h"
#include "sim/ranks/fleet_mail.h"
#include "sim/ranks/realm.h"
#include "sim/world/part.h"
#include "sim/world/world_impl.h"

/// What the files of a fleet share.

/// What rank 0 tells all ranks to do; itself, too.
typedef enum qdi_fleet_task {
    QDI_FLEET_BEGIN,   ///< take over what there is to know of the world
    QDI_FLEET_STEP,    ///< make a step
    QDI_FLEET_GATHER,  ///< send rank 0 all that it needs for the whole world
    QDI_FLEET_HASH,    ///< add up the hash of the state
    QDI_FLEET_MEASURE, ///< and what is measured of it
    QDI_FLEET_SAVE,    ///< send it what is to be saved, piece by piece
    QDI_FLEET_COUNT,   ///< send it what was done
    QDI_FLEET_PROFILE, ///< send it how long its threads were busy
    QDI_FLEET_END,     ///< forget the world
    QDI_FLEET_LEAVE,   ///< and wait for nothing more
} qdi_fleet_task;

/// A rank, and what it alone knows.
typedef struct qdi_fleet_rank {
    const qd_allocator *allocator;
    qdi_ranks *ranks;
    qdi_fleet_maker maker; ///< of bodies, where the fleet is apart
    bool apart, loads;     ///< it is loaded, and not made
    qdi_saved saved;       ///< what there is to load
    qd_world *whole;       ///< rank 0: the caller's; apart and elsewhere one without bodies that has all else
    qd_world *seeds;       ///< apart, until there are parts: the bodies that this rank has made
    uint64_t bodies;       ///< of the whole world
    double contact_time;   ///< apart: see qdi_fleet_contact_time
    double small; ///< largest distance from centre to border of bodies that are no giants, reach included
    qd_world_totals totals; ///< of the whole world when the fleet was made
    qd_world *world;        ///< its part; NULL before the first step
    qdi_realm realm;
    double dt;                       ///< of the steps to come, as far as it is known
    uint64_t steps;                  ///< since ghosts were chosen
    uint64_t contacts, begins, ends; ///< of parts that it had before
    uint64_t renewals, migrations, gathers;
    qd_profile clocked;     ///< of the steps that rank 0 has a profile of; of others than it
    unsigned char *mail;    ///< to rank 0; when a fleet that is apart begins, what makers are told
    size_t mail_room, said; ///< bytes
    // Only of rank 0:
    qd_profile *profile;            ///< of the step on its way; or what is to be filled in
    qdi_fleet_counts *counts;       ///< where counts are to go
    uint64_t *hash;                 ///< the same of a hash
    qd_metrics *metrics;            ///< and of metrics
    const qdi_saved_sink *sink;     ///< of a saving
    const qdi_fleet_seed *seed;     ///< of a fleet to be made
    const qdi_fleet_source *source; ///< of one to be loaded
} qdi_fleet_rank;

/// Fleet: rank 0 tells all ranks what to do and does it, too; the status is that of all ranks. `dt` is the
/// length of a step.
QD_MUST_USE qd_status qdi_fleet_tell(qdi_fleet_rank *rank, qdi_fleet_task task, qdi_realm_rule rule,
                                     double dt);
/// Fleet: what another rank does, see qdi_fleet_serve; `rank` has allocator and ranks, and nothing else.
void qdi_fleet_obey(qdi_fleet_rank *rank);

/// Fleet: rank 0 sends all ranks what there is to know of the world, but for its bodies. All ranks call it
/// together, and have agreed on its status. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_fleet_take_over(qdi_fleet_rank *rank, qdi_realm_rule rule);

/// Fleet: the same for the whole world: rank 0 puts it together of what all send.
QD_MUST_USE qd_status qdi_fleet_collect(qdi_fleet_rank *rank);

/// Fleet: brings all that is not bodies or contacts of rank 0's world up to date.
QD_MUST_USE qd_status qdi_fleet_bring_common(const qdi_fleet_rank *rank);
/// Fleet: saves the world in pieces.
QD_MUST_USE qd_status qdi_fleet_save_parts(const qdi_fleet_rank *rank);

/// Fleet: the state hash, and the metrics: each rank adds what is its own, rank 0 makes of it what it was
/// asked for. All ranks call it together.
QD_MUST_USE qd_status qdi_fleet_add_hashes(const qdi_fleet_rank *rank);
QD_MUST_USE qd_status qdi_fleet_add_shares(const qdi_fleet_rank *rank);

/// Fleet: what was counted in the steps of all parts that a rank has had.
typedef struct qdi_fleet_tally {
    uint64_t contacts, begins, ends;
} qdi_fleet_tally;
qdi_fleet_tally qdi_fleet_tally_of(const qdi_fleet_rank *rank);
/// Fleet: the totals of the whole world, but for what ranks count: that comes with each rank's tally.
qd_world_totals qdi_fleet_totals(const qdi_fleet_rank *rank);
void qdi_fleet_add_tally(qd_world_totals *totals, const qdi_fleet_tally *tally);

/// Fleet: apart: makes the bodies, and from them the first parts, with their contacts. All ranks call it
/// together, and have agreed on its status. Errors: as qdi_fleet_make_apart.
QD_MUST_USE qd_status qdi_fleet_sow(qdi_fleet_rank *rank);
/// Fleet: apart: loads this rank's share of the bodies as seeds; then, when there are parts, their contacts.
/// All ranks call it together. Errors: as qdi_fleet_make_loaded.
QD_MUST_USE qd_status qdi_fleet_load_bodies(qdi_fleet_rank *rank);
QD_MUST_USE qd_status qdi_fleet_load_contacts(qdi_fleet_rank *rank);
/// Fleet: gives seeds the names that they have in the whole world, from one on.
QD_MUST_USE qd_status qdi_fleet_name_seeds(qd_world *seeds, uint64_t first);
/// Fleet: the largest body that is no giant, of all ranks' worlds; `ranks` NULL: of one alone.
QD_MUST_USE qd_status qdi_fleet_find_small(qdi_ranks *ranks, const qd_world *world, double *small);

/// Fleet: how far from the centre of a body others may be to count as its neighbours; of two bodies these
/// lengths are added.
double qdi_fleet_reach(const qd_world *world, uint32_t row);

/// Fleet: gives bodies to their owners, and chooses ghosts: makes the part of this rank, or amends it; at
/// first the whole world is rank 0's. All ranks call it together. Errors: QD_ERR_MEMORY; the part is the one
/// before then.
QD_MUST_USE qd_status qdi_fleet_renew(qdi_fleet_rank *rank);
/// Fleet: the same where there is a part.
QD_MUST_USE qd_status qdi_fleet_amend(qdi_fleet_rank *rank);

/// What all parts of a world have in common and what changes: clock, sides and sums.
typedef struct qdi_fleet_common {
    qdi_clock clock;
    qd_world_totals totals;
    qdi_energy_balance balance;
    qdi_rates rates;
    double entered;
    uint64_t stage;
    bool turning, walls_move;
    qdi_axis axis[2];
    qdi_wall_begun wall_begun[QDI_WALLS];
    qd_vec2 wall_speed[QDI_WALLS], wall_mean[QDI_WALLS], wall_force[QDI_WALLS];
    qd_vec2 wall_lost;
    qdi_margin margin;
} qdi_fleet_common;

/// Fleet: that of a world; and gives it to one.
qdi_fleet_common qdi_fleet_common_of(const qd_world *world);
void qdi_fleet_put_common(qd_world *world, const qdi_fleet_common *common);

/// Fleet: a part without bodies that has room for `count` of them, and all that is not bodies
/// or contacts: `past` is the part before, or the whole.
QD_MUST_USE qd_status qdi_fleet_empty_part(const qdi_fleet_rank *rank, const qd_world *past, size_t count,
                                           qd_world **world);
/// Fleet: room for so many contacts of a state, and with springs for their forces. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_fleet_reserve_contacts(qd_world *world, qdi_contact_state *state, size_t count);
/// Fleet: puts a contact into a state that has room for it, as its contact `number`; bodies get the indices
/// of their names among `names`, of which there are `count`. Errors: QD_ERR_INTERNAL: one is not there.
QD_MUST_USE qd_status qdi_fleet_put_contact(const qd_world *world, qdi_contact_state *state, size_t number,
                                            const qdi_contact_mail *one, const uint64_t *names, size_t count);
/// Fleet: puts contacts into a part that has its bodies.
QD_MUST_USE qd_status qdi_fleet_put_contacts(qd_world *world, qdi_contact_pile *pile);
