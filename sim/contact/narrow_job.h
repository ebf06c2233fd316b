#pragma once

#include "sim/shape/hulls.h"
#include "sim/world/contact_state.h"
#include "sim/world/reach.h"
#include "sim/world/scratch.h"
#include "sim/world/world_impl.h"

/// What the files of the narrow phase share.

/// How far apart the second point of a contact may be, and for rigid bodies the first one too
/// (qdi_speculative): a part of the distance from centroid to border of the smaller body that moves.
#define QDI_SECOND_REACH 0.05

/// Candidates per range where they may be anything: what two shapes take is many times what two disks do.
#define QDI_SHAPED_GRAIN QDI_RECTS_MOST

/// Where the hits of a range end.
#define QDI_NO_HIT UINT32_MAX

typedef struct qdi_narrow_job {
    const qd_world *world;
    qdi_motion motion;
    const qdi_meeting *pairs;
    size_t pair_count;
    size_t grain;           ///< candidates per range
    bool stale;             ///< candidates may be those of fat boxes
    qd_vec2 period, half;   ///< and half of it, HUGE_VAL where there is none
    int bits;               ///< of b in a key
    unsigned walls;         ///< which walls there are, by bit
    uint32_t *hits;         ///< candidates within reach, each range from its own begin on; where there are
                            ///< fewer than candidates QDI_NO_HIT comes behind them, unless all are disks
    qdi_geometry *geometry; ///< theirs, at the same places, and behind them those of walls; where all are
                            ///< disks by place
    qdi_found_pair *found;  ///< the rest of it, at the same places
    bool choosy;            ///< some have filters that let others through
    bool senses;            ///< some are sensors
    bool reaches, periodic; ///< there are speculative contacts; there is a period
    bool plain;             ///< all bodies are dynamic disks that may touch each other
    qdi_rects_function meet_rects;
    qdi_hulls_function meet_hulls;
    qdi_reach reach; ///< of speculative contacts
    uint8_t *wall_mask;
    size_t *count;      ///< per range of candidates
    size_t *wall_count; ///< per range of bodies
    size_t wall_total;
    size_t kept;          ///< places of the moment before, from whose pairs these may differ
    atomic_bool *changed; ///< some do
    bool laid;            ///< spots are those of the moment before
    atomic_bool *moved;   ///< some no longer are
    const qdi_keys *keys; ///< to be sorted
    size_t wall_first;    ///< place of the first wall's key
    size_t wall_geometry; ///< how much further behind the geometry of a wall lies
    // By place:
    qdi_spot *spots;
    qdi_partners *partners;
} qdi_narrow_job;

/// What the narrow phase has to know of a world whose bodies have moved so, before anything is tested.
qdi_narrow_job qdi_narrow_job_of(const qd_world *world, const qdi_motion *motion);

/// The range function over the candidates.
void qdi_narrow_pairs(void *context, size_t begin, size_t end);

/// Where all are disks: true for two within reach that do not touch; and their contact.
bool qdi_narrow_near(const qdi_narrow_job *job, qdi_meeting pair);
void qdi_narrow_disks(const qdi_narrow_job *job, qdi_meeting pair, qdi_geometry *geometry,
                      qdi_found_pair *found);

/// Narrow phase: velocity of a body's point that lies at `arm` from its centroid.
static inline qd_vec2 qdi_velocity_at(const qdi_narrow_job *job, uint32_t row, qd_vec2 arm) {
    const qdi_motion *m = &job->motion;
    double spin = job->world->turning ? m->spin[row] : 0;
    return (qd_vec2){m->vx[row] - spin * arm.y, m->vy[row] + spin * arm.x};
}

/// Touches from a manifold about (x, y), the deeper one first; what else there is of a pair is 0.
void qdi_put_touches(const qdi_manifold *manifold, double x, double y, qdi_geometry *geometry,
                     qdi_found_pair *found);

/// Narrow phase: how deep a body is in a wall, if it were a disk of its radius.
static inline double qdi_narrow_wall_depth(const qdi_narrow_job *job, uint32_t row, int wall) {
    const qdi_axis *axis = &job->world->axis[wall / 2];
    const double at = wall / 2 == 0 ? job->motion.x[row] : job->motion.y[row];
    const double radius = job->world->radius[row];
    return wall % 2 == 0 ? axis->low - (at - radius) : at + radius - axis->high;
}

/// Narrow phase: the least gap of a manifold.
static inline double qdi_manifold_gap(const qdi_manifold *manifold) {
    double gap = HUGE_VAL;
    for (int k = 0; k < manifold->count; ++k)
        if (manifold->at[k].gap < gap) gap = manifold->at[k].gap;
    return gap;
}

/// Whether a body is a sensor: it makes events, but no forces.
static inline bool qdi_senses(const qd_world *world, uint32_t row) {
    return world->traits.trait[world->trait[row]].sensor;
}
