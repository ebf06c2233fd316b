#ifndef QD_SIM_MEET_JOB_H
#define QD_SIM_MEET_JOB_H

#include "sim/contact/narrow_job.h"
#include "sim/spring/spring_force.h"
#include "sim/world/order.h"
#include "sim/world/scratch.h"
#include "sim/world/world_impl.h"

/// What the files of springs that meet (spring_meet.c) share.

/// Numbers of hits, until all are known: QDI_MEET_NONE: it begins. Of what begins the new number, with this
/// bit.
#define QDI_MEET_NONE    UINT32_MAX
#define QDI_MEET_UNKNOWN (UINT32_MAX - 1) // a slot's that is new
#define QDI_MEET_BEGUN   0x80000000U

/// A disk that is in a wall.
typedef struct qdi_wall_hit {
    uint32_t row, wall;
} qdi_wall_hit;

typedef struct qdi_meet_job {
    qd_world *world;
    qdi_narrow_job narrow;
    qdi_spring_job force;
    const qdi_contact_state *before;
    qdi_contact_state *after;
    bool same;                ///< slots are those of the candidates
    float float_way;          ///< rounded up
    double way;               ///< how far two may have come towards each other since slots were new
    double blur;              ///< the most by which places are rounded
    double *most;             ///< per range of bodies: the square of the highest speed
    bool simple;              ///< as qdi_spring_simple says
    size_t pairs;             ///< candidates; hits of walls lie behind those of a range's begin
    size_t kept;              ///< slots that are of the moment before
    uint32_t *hits, *numbers; ///< by candidate, each range from its begin on; those of walls behind
    size_t *count;            ///< per range of candidates: hits, then those before
    uint32_t *fresh;          ///< hits that begin, each range from its begin on
    size_t *fresh_count;
    qdi_wall_hit *walls;
    size_t *wall_count; ///< per range of bodies
    size_t wall_first, wall_total, begun;
    uint8_t *goes_on;       ///< by old contact
    uint32_t *renamed;      ///< by old contact: its new number
    size_t *going;          ///< per range of old contacts
    uint32_t *before_begun; ///< by what begins, in order: the first old contact that is not before it
    const qdi_keys *keys;
} qdi_meet_job;

/// Springs that meet: order of a pair among contacts.
static inline uint64_t qdi_meet_order(const qdi_meet_job *job, qdi_meeting pair) {
    const qd_body_index *index = job->world->index;
    return (uint64_t)index[pair.a] << 32 | index[pair.b];
}

/// Springs that meet: order of a disk and a wall among contacts.
static inline uint64_t qdi_meet_wall_order(const qdi_meet_job *job, const qdi_wall_hit *hit) {
    return (uint64_t)job->world->index[hit->row] << 32 | ((uint32_t)QD_WALL_LEFT + hit->wall);
}

/// How far two may have come towards each other, with the step of `dt` on its way.
QD_MUST_USE qd_status qdi_meet_way(qdi_meet_job *job, double dt);
/// Tests candidates and walls: hits, and what begins; `fresh_walls`: how many of that are walls'.
QD_MUST_USE qd_status qdi_meet_test(qdi_meet_job *job, size_t *fresh_walls);
/// Makes contacts, shears and forces of all hits, whose numbers are known.
void qdi_meet_make(qdi_meet_job *job);

#endif
