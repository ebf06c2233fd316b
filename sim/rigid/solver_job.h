#pragma once

#include "sim/rigid/solver.h"
#include "sim/world/scratch.h"
#include "sim/world/world_impl.h"

/// What the files of the contact solver share: solver_list.c says which contacts are solved, solver_units.c
/// who solves them, solver_groups.c puts them into groups, solver.c runs the sub-steps, solver_report.c says
/// what came of them.

typedef struct qdi_solver_job {
    qd_world *world;
    const qdi_solver_units *units;
    const qdi_link *links; ///< in order of colour
    size_t *bodies;        ///< per range of bodies: movers
    size_t serial; ///< the first link of a serial colour: from there on all have two touches, as it were
    double h;      ///< sub-step
    int substeps;
    qd_vec2 period; ///< of a world where paths are followed; 0 along axes that are not periodic
    bool bounced;   ///< outcomes and balances have something
    qdi_solver_rules rules;
    qdi_mover *movers;
    qdi_push *pushes;
    qdi_push *began;   ///< by mover: its velocities when the sub-step before began
    uint32_t *list;    ///< numbers of the links with touches, colour by colour
    qdi_lanes *slides; ///< by group, see qdi_solver_rules; NULL where nothing slides
    const qdi_colours *colours;
    qdi_domains *domains;
    const uint32_t *unit_of;   ///< by row, as the scratch's; NULL where no units are apart from the domains
    _Atomic uint64_t *foreign; ///< by row: domains but its own that have links which move it, by bit
    const uint32_t *begins;    ///< by colour and kind, see qdi_solver_list
    // Of the colour in work: its groups and their second touches, of which there are `twos_groups`; the
    // constraints with two touches in them, and with one.
    qdi_solver_group *groups;
    qdi_solver_second *second;
    size_t twos_groups;
    const uint32_t *inside[2];
    size_t inside_count[2];
    const qdi_solver_kernels *kernels;
} qdi_solver_job;

/// Contact solver: true for a link that fills a lane of the second touches.
static inline bool qdi_solver_counts_as_two(const qdi_solver_job *job, size_t i) {
    return job->links[i].touches > (i < job->serial ? 1 : 0);
}

/// Contact solver: true for a body of a unit that is no domain.
static inline bool qdi_is_apart(const qdi_solver_job *job, uint32_t row) {
    return job->unit_of && job->unit_of[row] > 0;
}

/// Contact solver: the mover of a body, 0: none.
static inline uint32_t qdi_slot_of(const qd_world *world, uint32_t row) {
    return atomic_load_explicit(&world->scratch.slot[row], memory_order_relaxed);
}

/// The constraints of a group (`numbers`), and how many they and those after them are.
static inline size_t qdi_solver_constraints(const qdi_solver_job *job, size_t group,
                                            const uint32_t **numbers) {
    size_t one = group >= job->twos_groups,
           first = QDI_SOLVER_LANES * (one ? group - job->twos_groups : group);
    *numbers = job->inside[one] + first;
    return job->inside_count[one] - first;
}

/// The groups of a colour.
static inline size_t qdi_solver_groups_of(size_t constraints) {
    return (constraints + QDI_SOLVER_LANES - 1) / QDI_SOLVER_LANES;
}

/// Kinds of links in the list, domain by domain of a colour: with two touches and with one, and of each
/// those first that carried something, so that sweeps find the others, of which most goes on carrying
/// nothing, side by side.
enum { QDI_KINDS_OF_DOMAIN = 4 };

/// Lists the links with touches (`job->list`) colour by colour, kind by kind; `begins` says where each kind
/// of each colour begins, and has one number more, that of all. In the arena.
QD_MUST_USE qd_status qdi_solver_list(qdi_solver_job *job, const qdi_domains *domains);

/// Makes the groups of the colour in work.
void qdi_solver_make_groups(const qdi_solver_job *job, size_t groups);

/// After the last sub-step: outcomes and balances of its groups, with the means that the movers have by now.
void qdi_solver_report(const qdi_solver_job *job, size_t groups);

// ---- rigid/solver_units.c ----

// Units of the contact solver: what one thread solves by itself, all sub-steps of it, while its contacts lie
// in the cache. A unit is a few islands; those that are too large for that are unit 0 to begin with, and cut
// into domains (solver_domains.h), which are the first units then. Which unit a contact belongs to decides
// nothing: units share no body that they move, domains go by the order of colours where they do, and within
// one the colours have their order.

/// Finds out which unit each body belongs to (`unit_of` of the scratch) and how many there are, where all
/// domains are one. `same`: the links are those of the call before.
QD_MUST_USE qd_status qdi_solver_find_units(qd_world *world, bool same);

/// How many units there are beside the first one: none where something moves that contacts do not.
size_t qdi_solver_units_apart(const qd_world *world);

/// True for units that were found for the present links, if those would be found again.
bool qdi_solver_units_hold(const qd_world *world, const qdi_solver_units *units);

/// Says what of `job->list`, which qdi_solver_list made for the units' domains, is where; where there are
/// other units, too, it is put in their order before. In the arena.
QD_MUST_USE qd_status qdi_solver_part(qdi_solver_job *job, qdi_solver_units *units);

/// Puts the rows of the movers in order of units, and says where those of each begin: its first mover is that
/// of `rows[first]`, which has number first + 1.
QD_MUST_USE qd_status qdi_solver_part_movers(qd_world *world, qdi_keys *rows, size_t count,
                                             qdi_solver_units *units);
