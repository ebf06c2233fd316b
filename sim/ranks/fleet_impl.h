#ifndef QD_SIM_FLEET_IMPL_H
#define QD_SIM_FLEET_IMPL_H

#include "core/parallel/ranks.h"
#include "sim/ranks/fleet.h"
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
    QDI_FLEET_COUNT,   ///< send it what was done
    QDI_FLEET_END,     ///< forget the world
    QDI_FLEET_LEAVE,   ///< and wait for nothing more
} qdi_fleet_task;

/// A rank, and what it alone knows.
typedef struct qdi_fleet_rank {
    const qd_allocator *allocator;
    qdi_ranks *ranks;
    qd_world *whole; ///< rank 0: the whole world; else one without bodies that has all that is not bodies
    double small;    ///< largest distance from centre to border of bodies that are no giants, reach included
    qd_world_totals totals; ///< of the whole world when the fleet was made
    qd_world *world;        ///< its part; NULL before the first step
    qdi_realm realm;
    double slack;                    ///< of the next part, see qdi_part; 0: not known yet
    uint64_t steps;                  ///< since ghosts were chosen
    uint64_t contacts, begins, ends; ///< of parts that it had before
    uint64_t renewals, migrations, gathers;
    unsigned char *mail; ///< to rank 0
    size_t mail_room;
    // Only of rank 0:
    qd_profile *profile;      ///< of the step on its way
    qdi_fleet_counts *counts; ///< where counts are to go
    uint64_t *hash;           ///< the same of a hash
    qd_metrics *metrics;      ///< and of metrics
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

/// Fleet: how far from the centre of a body others may be to count as its neighbours; of two bodies these
/// lengths are added.
double qdi_fleet_reach(const qd_world *world, uint32_t row);

/// Fleet: gives bodies to their owners, chooses ghosts, and makes a new part of what this rank has then; at
/// first the whole world is rank 0's. All ranks call it together. Errors: QD_ERR_MEMORY; the part is the one
/// before then.
QD_MUST_USE qd_status qdi_fleet_renew(qdi_fleet_rank *rank);

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
QD_MUST_USE qd_status qdi_fleet_empty_part(const qdi_fleet_rank *rank, const qd_world *past,
                                           qd_world **world);
/// Fleet: puts bodies into an empty part: `mail` in the order of names, without repeats.
QD_MUST_USE qd_status qdi_fleet_put_bodies(qd_world *world, const qdi_body_mail *const *mail, size_t count);
/// Fleet: room for so many present contacts, and with springs for their forces. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_fleet_reserve_contacts(qd_world *world, size_t count);
/// Fleet: puts contacts into a part that has its bodies; `mail` is put in order.
QD_MUST_USE qd_status qdi_fleet_put_contacts(qd_world *world, qdi_contact_mail *mail, size_t count);

#endif
