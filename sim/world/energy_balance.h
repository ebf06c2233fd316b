#pragma once

#include "sim/world/energy_balance_state.h"
#include "sim/world/feature.h"
#include "sim/world/scratch.h"
#include "sim/world/world_impl.h"

/// Where energy goes.
///
/// **Contacts.** An impulse J between two bodies whose points meet with the relative velocity u takes J . (u
/// before + u after) / 2 from their energy, less what one of the two gives that is not free to move. That
/// holds for all impulses of a stage together, each with the velocities before and after the whole stage,
/// because every body's velocities change by impulses alone. So a contact at rest is settled once per step,
/// not once per sub-step: with what it gave in all, and the means of the velocities before and after. A
/// bounce is settled where it happens: then what one contact lost does not depend on the next one.
///
/// **Forces.** On the way of a free body gravity's work is exactly what the potential loses. A body at rest
/// on others gets its velocity and its way in sub-steps, of which the two do not quite fit: m g . (mean
/// velocity dt - way) is the drift. So are changes of place that overlaps bring, and an impact's effect on
/// what forces do in the rest of the step.
///
/// **Order.** All sums are of a kind that does not depend on the order (sum.h).

/// Room for the balances of `count` constraints.
QD_MUST_USE qd_status qdi_balance_begin(qd_world *world, size_t count);

/// Work of the one of a constraint's bodies that does not move freely, whose velocity is in `m`, by the
/// impulses so far.
double qdi_balance_work(const qdi_constraint *constraint, const qdi_motion *m);
/// What a constraint's centres are apart along the normal, times the impulses so far on b, and across it.
static inline double qdi_balance_virial(const qd_world *world, const qdi_constraint *constraint) {
    if (constraint->plain)
        return constraint->impulse[0] *
               (world->radius[constraint->row_a] + world->radius[constraint->row_b] - constraint->depth[0]);
    double sum = 0;
    for (int k = 0; k < 2; ++k)
        sum += constraint->impulse[k] * (constraint->rest->along_a[k] - constraint->rest->along_b[k]) -
               constraint->tangent_impulse[k] *
                   (constraint->rest->across_a[k] - constraint->rest->across_b[k]);
    return sum;
}

/// Sets what follows from all impulses so far of a constraint of this step.
static inline void qdi_balance_given(const qd_world *world, const qdi_constraint *constraint,
                                     qdi_contact_balance *contact_balance) {
    if (constraint->row_b == QDI_NO_ROW) return;
    if (constraint->moves_a && constraint->moves_b)
        contact_balance->lane[QDI_VIRIAL] = qdi_balance_virial(world, constraint);
    else
        contact_balance->lane[QDI_WORK] = qdi_balance_work(constraint, &world->next);
}

/// Notes the velocity of a mover before forces act.
static inline void qdi_balance_mover_begin(const qd_world *world, size_t slot, qdi_twist velocity) {
    world->scratch.balance.means[slot] = (qdi_mean_twist){velocity.x, velocity.y, velocity.spin, 0};
    world->scratch.balance.drift[slot] = 0;
}
/// Room for the movers.
QD_MUST_USE qd_status qdi_balance_movers(qd_world *world, size_t count);
/// When a mover has its last velocity, and forces have changed it by `change` in the whole of the step: the
/// mean, the drift, and the work of medium and callback.
void qdi_balance_mover(const qd_world *world, uint32_t row, uint32_t slot, qdi_twist change, double dt);

/// Adds the balances of `count` constraints, those of walls (from `first_wall` on) for themselves, and the
/// drift of the movers, to those of the step.
QD_MUST_USE qd_status qdi_balance_constraints(qd_world *world, size_t count, size_t first_wall);
/// Sums of `count` balances, lane by lane, the same whatever their order, of `terms` with those that are 0
/// and left out.
QD_MUST_USE qd_status qdi_balance_sum(qd_team *team, qdi_arena *arena,
                                      const qdi_contact_balance *contact_balances, size_t count, size_t terms,
                                      double sums[4]);
/// Adds such sums of contacts between bodies, and what contacts with walls lost.
void qdi_energy_balance_add_contacts(qdi_energy_balance *all, const double lanes[4], qd_vec2 wall_lost);
/// Makes room for what medium and callback do, by row.
QD_MUST_USE qd_status qdi_balance_fly(qd_world *world);
/// Adds impulses across the left and the right wall, and across the lower and the upper one.
static inline void qdi_balance_pushes(qd_world *world, qd_vec2 aside, qd_vec2 upright) {
    double *push = world->scratch.balance.sums.push;
    push[0] += aside.x;
    push[1] += aside.y;
    push[2] += upright.x;
    push[3] += upright.y;
}
/// Adds what medium and callback did.
QD_MUST_USE qd_status qdi_balance_flights(qd_world *world);
/// Adds the work of gravity on bodies that left through periodic sides in a step.
extern const qdi_feature qdi_wraps_feature;
/// Room for one value by row that qdi_sum_values can add up, in the arena.
QD_MUST_USE qd_status qdi_balance_rows(qdi_arena *arena, size_t rows, double **values);
/// Energy balance: adds what a part of a step did.
void qdi_energy_balance_add(qdi_energy_balance *all, const qdi_energy_balance *part);
/// True where a world can hold all that it adds up, see bounds.h.
bool qdi_sums_hold(const qd_world *world);
/// Adds up an energy balance in each step, and adds it to the world's. QD_ERR_LIMIT: reported, the world
/// could not hold the sums.
extern const qdi_feature qdi_balance_feature;

/// Kinetic and potential energy of a body; 0 for one that is not dynamic.
double qdi_energy_of_row(const qd_world *world, uint32_t row);

void qdi_balance_release(const qd_allocator *allocator, qdi_balance_scratch *balance);
