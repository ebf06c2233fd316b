#pragma once

#include <quadrille/world.h>

#include "sim/rigid/solver_domains.h"
#include "sim/world/scratch.h"

/// Contacts that do not bounce, as the sweeps of rigid/solver.c work on them: eight of one colour side by
/// side, so that one instruction does the same to several. Each set of instructions has kernels of its own
/// (solver_kernel.h), and all give the same bits, for no lane knows of another. Those of a colour that have
/// two touches come first; what is said of the second touch lies elsewhere, so that memory is not read for
/// touches that are not there.

/// Contacts of a group. Places that are not filled belong to mover 0, and nothing comes of them.
enum { QDI_SOLVER_LANES = 8 };

typedef double qdi_lanes[QDI_SOLVER_LANES];

/// One touch of each contact. One that is not there is all zeros. No number of a mover is ever -0, nor is
/// what a touch gives more than before: so what such a touch adds leaves all as it is.
struct qdi_solver_point {
    qdi_lanes across_a, along_a, across_b, along_b; ///< levers at the start of the step, see qdi_constraint
    qdi_lanes gap;                                  ///< then
    qdi_lanes mass, tangent_mass;   ///< effective masses; 0 along the tangent where there is no friction
    qdi_lanes coupling;             ///< of the normal with the tangent
    qdi_lanes normal, tangent;      ///< given in this sub-step
    qdi_lanes total, total_tangent; ///< given in the sub-steps before; the last ones, see qdi_solver_ask_for
};

/// The second touch of each contact, and how it is coupled with the first. A coupling of two impulses is what
/// one of 1 takes from the speed that the other sees, by way of the bodies: an entry of the matrix A of
/// D. Baraff, "Fast contact force computation for nonpenetrating rigid bodies", 1994. So the four impulses of
/// a contact are found one from the other, and the bodies get all of them at once.
struct qdi_solver_second {
    qdi_lanes normals, tangents; ///< the two normals, the two tangents
    qdi_lanes normal_tangent;    ///< this normal and the first tangent
    qdi_lanes tangent_normal;    ///< this tangent and the first normal
    qdi_solver_point touch;
};

struct qdi_solver_group {
    uint32_t slot_a[QDI_SOLVER_LANES], slot_b[QDI_SOLVER_LANES]; ///< movers
    uint32_t place[QDI_SOLVER_LANES];
    // Which of the lanes, by bit:
    uint8_t moves_a, moves_b; ///< may change a, or b
    uint8_t has_friction;
    uint8_t walls;             ///< have a wall for b
    uint8_t large;             ///< lie in vectors of which some lane is larger than the rules' `large`
    _Alignas(64) qdi_lanes nx; ///< here lines of the cache begin, for all that follows
    qdi_lanes ny;
    qdi_lanes friction;
    qdi_lanes size; ///< distance from centroid to border of the smaller body that moves
    qdi_solver_point touch;
};

/// Solver: asks for a group that comes later, and for its second touches where these are not NULL; with what
/// they gave in the sub-steps before, if that is wanted (`totals`). Groups are larger than what a processor
/// reads ahead, or writes without having read it.
static inline void qdi_solver_ask_for(const qdi_solver_group *groups, const qdi_solver_second *second,
                                      size_t number, bool totals) {
    const size_t less = totals ? 0 : 2 * sizeof(qdi_lanes);
    for (size_t at = 0; at < sizeof *groups - less; at += 64)
        __builtin_prefetch((const char *)&groups[number] + at);
    for (size_t at = 0; second && at < sizeof *second - less; at += 64)
        __builtin_prefetch((const char *)&second[number] + at);
}

/// The colours of a unit: those of its constraints that have colour c are `taken[c]` from place start[c] of
/// the list on, and the first `twos[c]` of them may have second touches. All of a serial colour count as
/// such, for these have their order.
struct qdi_solver_colours {
    size_t count;
    bool last_is_serial;
    uint32_t start[QDI_COLOURS_MAX + 1], taken[QDI_COLOURS_MAX + 1], twos[QDI_COLOURS_MAX + 1];
    uint32_t group[QDI_COLOURS_MAX + 1], second[QDI_COLOURS_MAX + 1]; ///< its first ones, among the unit's
};

/// What one thread works on at a time. Groups of domains lie one after the other, those of other units where
/// each thread has room for one.
typedef struct qdi_solver_unit {
    qdi_solver_colours colours;
    size_t first_mover, end_mover;
    size_t first_group, first_second; ///< of a domain
    size_t groups, seconds;           ///< how many it has
} qdi_solver_unit;
struct qdi_solver_units {
    qdi_solver_unit *unit; ///< domains first, then those that have nothing to do with any other
    size_t count;
    qdi_domains domains;
    size_t taken;   ///< links in the list
    uint32_t *list; ///< numbers of the links with touches, colour by colour in each unit; in the arena
    const uint32_t
        *rows;     ///< by mover but the one that stands for what does not move; none of walls. There too
    size_t bodies; ///< movers with rows
    double again;  ///< what a warm start of the last step is worth in this one
    size_t first_group, first_second; ///< room for a unit of the first thread
    size_t unit_groups, unit_seconds; ///< how much each thread has
};

/// How overlap is taken back in a sub-step of h: by a spring whose angular frequency is w, over-damped z
/// times (E. Catto, "Soft constraints", 2011). Speeds are per size of the smaller body.
typedef struct qdi_solver_spring {
    double rate, per_rate; ///< speed per overlap, and 1 over it
    double mass;           ///< part of the effective mass that counts
    double give;           ///< times what a touch carries: the speed with which the spring yields to it
    double firm, most; ///< per size: beyond some speed it yields to a part of the rest, and then no faster
} qdi_solver_spring;
/// Part of the load that a spring yields to where it is pressed far.
#define QDI_SOLVER_FIRMER 0.3

typedef struct qdi_solver_rules {
    const qdi_solver_group *groups; ///< the first of all
    const qdi_lanes *slides;        ///< by group: qdi_slide_of; NULL where nothing slides
    double per_h, dt;               ///< 1 / sub-step, and the step
    qdi_solver_spring free, fixed;  ///< between two bodies that move; against what does not
    double out;                     ///< most speed out of an overlap, per size
    double large; ///< sizes above this one part no faster than the root of `out_fall` times their size
    double out_fall;
    double shift; ///< most way out in a sub-step
    double fall;  ///< speed that is no parting: twice what gravity gives in a sub-step
} qdi_solver_rules;

/// What is as it was in the step before: not even the links; these; and how many of their touches the solver
/// takes.
typedef enum qdi_steady { QDI_STEADY_NOTHING, QDI_STEADY_LINKS, QDI_STEADY_TOUCHES } qdi_steady;

/// Finds the movers, whose velocities are those of `next` before the forces, and deals out the links that
/// have touches to units and their colours: a plan that is kept for as long as all touches stay. `colours`
/// NULL: none has any.
QD_MUST_USE qd_status qdi_solver_prepare(qd_world *world, const qdi_colours *colours, qdi_steady steady,
                                         double dt, qdi_solver_units *units);
/// Puts them into groups and solves them in sub-steps; afterwards the velocities of `next` are theirs.
/// `bounced`: outcomes and balances of all contacts have what bounces gave, and get what the sub-steps give
/// added; else they are set.
void qdi_solver_run(qd_world *world, const qdi_solver_units *units, double dt, bool bounced);

/// What the lanes of a group are made from. Lanes that are not filled have a geometry and a hold of zeros,
/// and no touch.
typedef struct qdi_solver_source {
    const qdi_geometry *geometry[QDI_SOLVER_LANES];
    const qdi_warm_start *hold[QDI_SOLVER_LANES]; ///< what held it in the step before
    double again;                                 ///< times this is what it starts from
    double large;                                 ///< see qdi_solver_rules
    const qdi_stance *stances;                    ///< by mover
    bool shifted;                                 ///< some side is periodic
    qdi_lanes shift_x, shift_y;                   ///< then: from b to the image of it that a touches
    uint8_t there[2];                             ///< lanes that have a first touch, and a second, by bit
    uint8_t rests;                                ///< lanes whose bodies' leans count, see rigid/lean.h
} qdi_solver_source;

/// Makes a group whose slots, moves and friction are set: its normals, sizes and touches; and gives its
/// bodies the impulses that it starts from.
typedef void (*qdi_solver_make)(qdi_mover *movers, const qdi_solver_source *from, qdi_solver_group *group,
                                qdi_solver_second *second);

/// Does something to `count` groups, one after the other; `second` are their second touches, or NULL where
/// they have none; `rules` are the same for all.
typedef void (*qdi_solver_sweep)(qdi_mover *movers, qdi_solver_group *groups, qdi_solver_second *second,
                                 size_t count, const qdi_solver_rules *rules);

/// After the last sub-step: how bodies moved in the mean of the step, and where what is reported of contacts
/// goes. Lanes that are not filled have the contact of the first and mover 0, and nothing is written of them.
typedef struct qdi_solver_report_to {
    const qdi_mean_twist *means; ///< by mover
    qdi_outcomes outcomes;
    qdi_contact_balance *balances;
    const qdi_lanes *slides; ///< of the group: qdi_slide_of; NULL where nothing slides
    double substeps;
    bool bounced;  ///< outcomes and balances have what bounces gave, and get more; else they are set
    uint8_t lanes; ///< that are filled, by bit
} qdi_solver_report_to;

/// Reports a group, but for the work of bodies that do not move freely.
typedef void (*qdi_solver_tell)(const qdi_solver_group *group, const qdi_solver_second *second,
                                const qdi_solver_report_to *to);

typedef struct qdi_solver_kernels {
    qdi_solver_make make;
    qdi_solver_sweep solve, relax;
    qdi_solver_tell report;
} qdi_solver_kernels;

/// The kernels of an instruction set that is available; not AUTO.
const qdi_solver_kernels *qdi_solver_kernels_of(qd_simd simd);

/// These work on lane after lane, so the contacts of a group may share bodies.
extern const qdi_solver_kernels qdi_solver_portable;
#ifdef __x86_64__
extern const qdi_solver_kernels qdi_solver_sse2, qdi_solver_avx2, qdi_solver_avx512;
#endif
#ifdef __AARCH64EL__
extern const qdi_solver_kernels qdi_solver_neon;
#endif
