#pragma once

#include "sim/contact/narrow_job.h"
#include "sim/spring/meet_ends.h"
#include "sim/spring/meet_lanes.h"
#include "sim/spring/spring_force.h"
#include "sim/world/world_impl.h"

/// What the files of springs that meet (spring_meet.c) share.

/// A disk that is in a wall.
typedef struct qdi_wall_hit {
    uint32_t row, wall;
} qdi_wall_hit;

typedef struct qdi_meet_job qdi_meet_job;
struct qdi_meet_job {
    qd_world *world;
    qdi_narrow_job narrow;
    qdi_spring_job force;
    qdi_meet_kernel kernel;
    const qdi_contact_state *before;
    qdi_contact_state *after;
    bool same;        ///< slots are those of the candidates
    bool ranges_stay; ///< and otherwise those of a range may be
    bool local;       ///< how far bodies come is known of each range of them
    double dt;        ///< of the step
    double way;       ///< how far two may have come towards each other since slots were new
    double step;      ///< and of that in this step
    double blur;      ///< the most by which places are rounded
    bool simple;      ///< as qdi_spring_simple says
    qdi_meet_law law;
    size_t pairs;   ///< candidates; hits of walls lie behind those of a range's begin
    size_t kept;    ///< slots that are of the moment before
    uint32_t *from; ///< places in the moment before: by candidate, for the hits of each range from its begin
                    ///< on; and behind those of walls
    uint32_t *touching; ///< candidates that do, per range from its begin on
    uint32_t *stay;     ///< per range of candidates: where the hits are those of the moment before, the place
                    ///< that the first had, behind which the others lay; else QDI_MEET_NONE, and `from` knows
    size_t *count;           ///< per range of candidates: hits, then those before
    bool owned;              ///< some hits may not be a part's own (part.h)
    uint32_t *own;           ///< per range of candidates: hits that are, which come first; NULL: all are
    qdi_meet_tally *tallies; ///< per range of candidates
    size_t *begun;           ///< per range of candidates: hits that begin
    qdi_wall_hit *walls;
    size_t *wall_count; ///< per range of bodies
    size_t wall_first, wall_total, walls_begun;
    _Atomic uint32_t *lists; ///< by index: the last place + 1 in the moment before of a contact whose a it
                             ///< is, or 0; nothing where no slot is new
    uint32_t *list_next;     ///< by place: the next in that list
};

/// How far two may have come towards each other, with the step on its way.
void qdi_meet_way(qdi_meet_job *job);
/// Tests candidates and walls: hits, and where they were in the moment before.
QD_MUST_USE qd_status qdi_meet_test(qdi_meet_job *job);
/// Makes contacts, shears and forces of all hits.
void qdi_meet_make(qdi_meet_job *job);
/// Adds up the balances of simple ones.
QD_MUST_USE qd_status qdi_meet_sum(qdi_meet_job *job, double sums[QDI_TALLY_LANES]);
