#pragma once

#include "sim/world/contact_state.h"
#include "sim/world/feature.h"
#include "sim/world/scratch.h"
#include "sim/world/world_impl.h"

/// The contact model QD_CONTACT_SPRING. What there is to know of a contact from one step to the next is its
/// shear (in the place of the warm start: normal[k] and tangent[k] are x and y of touch k) and its force;
/// both belong to the contact state, so a step that is refused leaves them as they were. What follows from
/// them for bodies
/// (`accelerations` of the scratch) can be worked out again at any time.

/// Its part in a step (spring_feature.c).
extern const qdi_feature qdi_spring_feature;

/// Works out shears, forces and impulses of the contacts of `state`, whose warm starts are the shears of a
/// step before. `m` has positions, and velocities that forces other than contacts have already changed for
/// the whole of a step of `dt`. dt 0: nothing moves, the velocities are the present ones.
QD_MUST_USE qd_status qdi_spring_forces(qd_world *world, const qdi_motion *m, double dt,
                                        qdi_contact_state *state);
/// True where qdi_spring_meet makes the contacts of a step: in worlds of nothing but dynamic disks.
bool qdi_spring_meets(const qd_world *world, double dt);
/// Contacts, shears and forces of `following` at the positions of `motion`, instead of the narrow phase.
/// `same`: the candidates are those of the step before.
QD_MUST_USE qd_status qdi_spring_meet(qd_world *world, const qdi_motion *motion, double dt, bool same);
/// Balances the energy of a step of `dt`, when events are known: losses, and into `walls` what walls gave.
QD_MUST_USE qd_status qdi_spring_balance(qd_world *world, double dt, qdi_wall_gain *walls);

/// What bodies that come and go in a step bring and take along in their springs: to `entered`.
QD_MUST_USE qd_status qdi_spring_population(qd_world *world);
/// Adds the energy of the contacts that a change by hand has led to, in `following`, to what entered, less
/// what springs had before. QD_ERR_LIMIT: reported, the world could not hold forces and energy.
QD_MUST_USE qd_status qdi_spring_change(qd_world *world);
/// Works out what walls give with the contacts of a state, from its forces and spots; and what they took in a
/// step of `dt` > 0, whose balances are then emptied. `by_spot`: these lie as spots do, not as contacts.
QD_MUST_USE qd_status qdi_spring_walls(qd_world *world, qdi_contact_state *state, double dt, bool by_spot);
/// From the velocities of `now` to those of `next`: half of `dt` by the accelerations of the present
/// contacts, and other forces for all of it. Where qdi_spring_plain, this is left to qdi_spring_move.
QD_MUST_USE qd_status qdi_spring_start(qd_world *world, double dt);
void qdi_spring_start_rows(const qd_world *world, double dt, size_t begin, size_t end);
/// True where nothing but springs and gravity acts on bodies that all are dynamic disks.
bool qdi_spring_plain(const qd_world *world);
/// The step of such disks.
typedef struct qdi_spring_way {
    double dt;
    qd_vec2 half_kick;              ///< of gravity
    double distance, speed_squared; ///< limits
    qd_vec2 period;
    bool held; ///< there are fat boxes
    bool near; ///< and boxes need not be made where they would be in those
} qdi_spring_way;
/// From `now` to `next`, with boxes. Rows [begin, end) are a range of QDI_BODY_GRAIN. `bad`: lowest index
/// that breaks a limit, or as it was; `left` gets added how many left their fat boxes. Returns the square of
/// the highest speed, or infinity where one breaks the limit of distance or is not finite.
double qdi_spring_move(const qd_world *world, const qdi_spring_way *way, size_t begin, size_t end,
                       uint32_t *bad, size_t *left);
/// The other half, by the accelerations of the contacts in `following`. QD_ERR_LIMIT: reported.
QD_MUST_USE qd_status qdi_spring_finish(qd_world *world, double dt);
