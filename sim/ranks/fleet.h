#pragma once

#include <quadrille/metrics.h>
#include <quadrille/profile.h>
#include <quadrille/world.h>

#include "core/parallel/ranks.h"
#include "sim/ranks/realm.h"
#include "sim/world/save.h"
#include "sim/world/save_impl.h"

#include <stdbool.h>
#include <stdint.h>

/// A world that several ranks step together, each a part of it (sim/world/part.h). What comes out of a step
/// is what the world by itself would have, bit for bit, for any number of ranks and any realm; but for counts
/// of the tree, which are not kept.
///
/// **Renewal.** Bodies are given to the owners of the places where they are, and ghosts are chosen, when the
/// first step is made, and again when a body has come too far from where it was then. How far that is follows
/// at first from how fast bodies are, then from how far they came. Each renewal deals the realm anew, by
/// where bodies are.
///
/// **Ranks.** Rank 0 is the only one that is told what to do: it tells the others in messages. All that ranks
/// know of each other they have from messages, so they may be processes.
///
/// **Who has the whole world.** Rank 0, where something is made of it besides what ranks can add up or save
/// piece by piece: the fleet is made of it, and brings it up to date when it is told to. Or nobody: then the
/// fleet is *apart*, made of a world without bodies, and each rank makes some of the bodies.
typedef struct qdi_fleet qdi_fleet;

/// Why a world cannot be stepped by ranks, as a status and the reason; or QD_OK. QD_ERR_VALUE: it has
/// something that ranks do not know yet.
QD_MUST_USE qd_status qdi_fleet_check(const qd_world *whole, qd_error *error);

/// Makes a fleet of `ranks` ranks, threads, from a world that passed the check and whose contacts have been
/// found. The world must outlive it, and be stepped and changed by nobody else meanwhile. From now on what is
/// measured of its tree, and `saved_bytes`, has no value. Errors: QD_ERR_MEMORY, QD_ERR_VALUE
/// (1..QDI_RANKS_MAX).
QD_MUST_USE qd_status qdi_fleet_make(qd_world *whole, int ranks, qdi_realm_rule rule, qdi_fleet **fleet);
/// The same with ranks that are there, of which the caller is rank 0 and the others are in qdi_fleet_serve.
/// They can make another fleet when this one is destroyed.
QD_MUST_USE qd_status qdi_fleet_make_of(qd_world *whole, qdi_ranks *ranks, qdi_realm_rule rule,
                                        qdi_fleet **fleet);

/// Adds to an empty world those bodies that this rank is to make of what rank 0 said; `first` gets the index
/// that the first of them has in the whole world, in which they are one behind the other, those of rank 0
/// first, and of generation 1. They may have contacts with all others. All ranks call it together. Errors:
/// any.
typedef qd_status (*qdi_fleet_maker)(qdi_ranks *ranks, const void *said, size_t bytes, qd_world *world,
                                     uint64_t *first);
/// How a fleet that is apart gets its bodies.
typedef struct qdi_fleet_seed {
    qdi_fleet_maker maker;
    const void *said; ///< what makers are told, sent to all ranks
    size_t bytes;
    double dt; ///< about the length of the first steps: ghosts are chosen by it; 0: unknown
} qdi_fleet_seed;

/// Makes a fleet that is apart, and finds its contacts. `hollow` has no bodies, and passed the check; it goes
/// with the fleet: after each step it has the time, and after qdi_fleet_measure the totals, too. `ranks`
/// NULL: `count` threads. limits.pairs is not looked at. Errors: QD_ERR_MEMORY, QD_ERR_VALUE
/// (1..QDI_RANKS_MAX), the maker's, QD_ERR_LIMIT.
QD_MUST_USE qd_status qdi_fleet_make_apart(qd_world *hollow, qdi_ranks *ranks, int count, qdi_realm_rule rule,
                                           const qdi_fleet_seed *seed, qdi_fleet **fleet);
/// Where rank 0 reads a saved world: `bytes` of it from byte `at` on. May fail with any status, which is then
/// that of the loading.
typedef struct qdi_fleet_source {
    void *context;
    qd_status (*read)(void *context, uint64_t at, void *to, size_t bytes);
    double dt; ///< as of a seed
} qdi_fleet_source;
/// Whether a saved world, of which `hollow` is the head (sim/step/load.h), can be loaded by ranks, each a
/// part: it passed the check, and none of its bodies has gone.
bool qdi_fleet_can_load(const qd_world *hollow, const qdi_saved *saved);
/// Makes a fleet that is apart from such a world, at the moment that it was saved. Nobody holds more of it
/// than a part and a window. Errors: as qdi_fleet_make_apart, the source's, QD_ERR_CORRUPT.
QD_MUST_USE qd_status qdi_fleet_make_loaded(qd_world *hollow, qdi_ranks *ranks, int count,
                                            qdi_realm_rule rule, const qdi_fleet_source *source,
                                            const qdi_saved *saved, qdi_fleet **fleet);

/// Whether nobody has the whole world; NULL: somebody has.
bool qdi_fleet_is_apart(const qdi_fleet *fleet);
/// How many bodies the world has; of a fleet that is apart about the shortest contact of springs that its
/// bodies may have (qd_world_contact_time).
uint64_t qdi_fleet_bodies(const qdi_fleet *fleet);
double qdi_fleet_contact_time(const qdi_fleet *fleet);

/// What a rank other than 0 does: what rank 0 tells it, until that dismisses it. `maker`: its part in fleets
/// that are apart; NULL: there are none.
void qdi_fleet_serve(qdi_ranks *ranks, qdi_fleet_maker maker);
/// Rank 0: lets the others return from qdi_fleet_serve.
void qdi_fleet_dismiss(qdi_ranks *ranks);
/// Whether ranks have stepped a world, so that these are unknown; and says so of one that was saved and
/// loaded since.
bool qdi_fleet_led(const qd_world *world);
void qdi_fleet_mark(qd_world *world);
/// Frees a fleet; the world is as it was when it was gathered last. NULL is fine.
void qdi_fleet_destroy(qdi_fleet *fleet);

/// Makes a step, as qd_world_step does; the whole world stays as it is until it is gathered, but for the
/// report of a limit. Whether a step is stopped, rank 0 asks. Errors: as qd_world_step.
QD_MUST_USE qd_status qdi_fleet_step(qdi_fleet *fleet, double dt, qd_profile *profile);

/// Brings the whole world to the moment that the parts are at: bodies, contacts, events, sums and clock; the
/// events are all there only where no step was refused since the last one. Errors: QD_ERR_MEMORY; the whole
/// world is of no use then. QD_ERR_STATE: the fleet is apart.
QD_MUST_USE qd_status qdi_fleet_gather(qdi_fleet *fleet);

/// The state hash and the metrics of the moment that the parts are at, as the whole world would have them:
/// each rank works out what is its own, and these are added up, in a short message. Nothing is gathered.
/// Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_fleet_hash(qdi_fleet *fleet, uint64_t *hash);
QD_MUST_USE qd_status qdi_fleet_measure(qdi_fleet *fleet, qd_metrics *metrics);

/// Of a fleet that is apart: saves the world of the moment that the parts are at, as qd_world_save does, to
/// the last byte but for counts of the tree; no rank gets to hold more than a small part of others' bodies.
/// Errors: QD_ERR_MEMORY, the sink's.
QD_MUST_USE qd_status qdi_fleet_save(qdi_fleet *fleet, const qdi_saved_sink *sink);

/// Fills in the profile that all steps of the fleet were given so far: how long the threads of the other
/// ranks were busy, one rank behind the other, as far as there is room. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_fleet_profile(qdi_fleet *fleet, qd_profile *profile);

/// What a rank has done so far: how often ghosts were chosen anew after the first time, bodies that came to
/// it from other ranks then, the bodies and ghosts that it has now, how often it sent rank 0 all that is its
/// own, what it has sent to other ranks (qdi_ranks_sent), and the most memory that its process has had in
/// use, 0 where that is not known.
typedef struct qdi_fleet_counts {
    uint64_t renewals, migrations, bodies, ghosts, gathers, messages, bytes, notes, note_bytes, memory;
} qdi_fleet_counts;
/// `counts` has room for one of each rank. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_fleet_count(qdi_fleet *fleet, qdi_fleet_counts *counts);
