// What is measured of a world. Passes over bodies and contacts go by fixed blocks, each of which fills its
// own slot; the slots are combined in order.

#include <quadrille/metrics.h>

#include "core/base/arithmetic.h"
#include "sim/world/contact_sums.h"
#include "sim/world/energy_balance_state.h"
#include "sim/world/order_sums.h"
#include "sim/world/save.h"
#include "sim/world/share.h"
#include "sim/world/world_impl.h"

#include <math.h>

#define REAL(field, unit)                                                                                    \
    { #field, unit, QD_METRIC_REAL, offsetof(qd_metrics, field) }
#define WHOLE(field, unit)                                                                                   \
    { #field, unit, QD_METRIC_WHOLE, offsetof(qd_metrics, field) }
#define ENERGY   "mass length^2 / time^2"
#define MOMENTUM "mass length / time"
#define PRESSURE "mass / time^2"

static const qd_metric_field fields[] = {
    WHOLE(step, "1"),
    REAL(time, "time"),
    WHOLE(bodies, "1"),
    WHOLE(dynamic, "1"),
    WHOLE(contacts, "1"),
    REAL(kinetic, ENERGY),
    REAL(translation, ENERGY),
    REAL(rotation, ENERGY),
    REAL(potential, ENERGY),
    REAL(contact_energy, ENERGY),
    REAL(lost, ENERGY),
    REAL(lost_bodies_normal, ENERGY),
    REAL(lost_bodies_friction, ENERGY),
    REAL(lost_walls_normal, ENERGY),
    REAL(lost_walls_friction, ENERGY),
    REAL(drag_lost, ENERGY),
    REAL(entered, ENERGY),
    REAL(wall_work, ENERGY),
    REAL(kinematic_work, ENERGY),
    REAL(force_work, ENERGY),
    REAL(compression_work, ENERGY),
    REAL(drift, ENERGY),
    REAL(imbalance, ENERGY),
    REAL(turned_over, ENERGY),
    REAL(balance_error, "1"),
    REAL(momentum_x, MOMENTUM),
    REAL(momentum_y, MOMENTUM),
    REAL(angular_momentum, "mass length^2 / time"),
    REAL(fastest, "length / time"),
    REAL(temperature, ENERGY),
    REAL(area, "length^2"),
    REAL(fraction, "1"),
    REAL(virial_impulse, "mass length^2 / time"),
    REAL(virial, ENERGY),
    REAL(pressure, PRESSURE),
    REAL(push_left, MOMENTUM),
    REAL(push_right, MOMENTUM),
    REAL(push_bottom, MOMENTUM),
    REAL(push_top, MOMENTUM),
    REAL(wall_pressure, PRESSURE),
    WHOLE(begins, "1"),
    WHOLE(ends, "1"),
    WHOLE(impacts, "1"),
    WHOLE(unfollowed, "1"),
    WHOLE(collisions, "1"),
    REAL(largest_overlap, "length"),
    REAL(contact_number, "1"),
    WHOLE(tree_nodes, "1"),
    WHOLE(tree_leaves, "1"),
    WHOLE(tree_deepest, "1"),
    WHOLE(tree_longest, "1"),
    WHOLE(tree_outside, "1"),
    REAL(tree_candidates, "1"),
    WHOLE(tree_tests, "1"),
    WHOLE(tree_tests_total, "1"),
    REAL(msd, "length^2"),
    REAL(msd_x, "length^2"),
    REAL(msd_y, "length^2"),
    REAL(non_gaussian, "1"),
    REAL(psi6, "1"),
    REAL(psi6_global, "1"),
    WHOLE(saved_bytes, "bytes"),
    WHOLE(stage, "1"),
};

const qd_metric_field *qd_metric_fields(size_t *count) {
    *count = sizeof fields / sizeof fields[0];
    return fields;
}

// ---- all of it ----

// Metrics of energies and momenta of bodies, whose sums these are.
static void measure_motion(const qd_world *world, qd_world_sums sums, qd_metrics *m) {
    m->kinetic = sums.kinetic;
    m->translation = sums.translation;
    m->rotation = sums.rotation;
    m->potential = sums.potential;
    m->momentum_x = sums.momentum.x;
    m->momentum_y = sums.momentum.y;
    m->angular_momentum = sums.angular;
    m->fastest = sums.fastest;
    m->fraction = sums.area / (world->axis[0].length * world->axis[1].length);
    if (m->dynamic == 0) return;
    qd_vec2 p = sums.momentum;
    double own = sums.translation - 0.5 * (p.x * p.x + p.y * p.y) / sums.mass;
    m->temperature = (own > 0 ? own : 0) / (double)m->dynamic;
}

// Metrics of contacts and of what steps did so far.
static void measure_contacts(const qdi_contact_sizes *sizes, const qdi_tally *energy,
                             const qd_world_totals *totals, qd_metrics *m) {
    m->contacts = sizes->contacts;
    m->largest_overlap = sizes->deepest;
    m->contact_energy = energy->first[0] + energy->second[0];
    if (m->dynamic > 0) m->contact_number = (double)sizes->ends / (double)m->dynamic;
    m->begins = totals->begins;
    m->ends = totals->ends;
    m->impacts = totals->impacts;
    m->unfollowed = totals->unfollowed;
    m->collisions = totals->begins + totals->impacts;
}

// Metrics of the energy balance: what was lost, and to what.
static void measure_balance(const qdi_energy_balance *all, double entered, double wall_work, qd_metrics *m) {
    m->lost_bodies_normal = all->lost[0][0];
    m->lost_bodies_friction = all->lost[0][1];
    m->lost_walls_normal = all->lost[1][0];
    m->lost_walls_friction = all->lost[1][1];
    m->lost = all->lost[0][0] + all->lost[0][1] + all->lost[1][0] + all->lost[1][1];
    m->drag_lost = all->drag;
    m->entered = entered;
    m->wall_work = wall_work;
    m->kinematic_work = all->kinematic;
    m->force_work = all->force;
    m->compression_work = all->compression;
    m->drift = all->drift;
    double rest = m->kinetic + m->potential + m->contact_energy + m->lost + m->drag_lost - m->entered -
                  m->wall_work - m->kinematic_work - m->force_work - m->compression_work;
    m->imbalance = rest - m->drift;
    const double left = m->kinetic + fabs(m->potential) + fabs(m->contact_energy) + fabs(m->lost) +
                        fabs(m->drag_lost),
                 work = fabs(m->wall_work) + fabs(m->kinematic_work) + fabs(m->force_work) +
                        fabs(m->compression_work);
    // Where nothing else is left, what entered is rounding: bodies took along what they had brought.
    if (!(left + work > 0)) return;
    m->turned_over = 0.5 * (left + work + fabs(m->entered));
    m->balance_error = (fabs(m->drift) + fabs(m->imbalance)) / m->turned_over;
}

// Metrics of pressure: virial and forces on walls.
static void measure_pressure(const qdi_axis axis[2], const qdi_energy_balance *all, const qdi_rates *rates,
                             qd_metrics *m) {
    m->area = axis[0].length * axis[1].length;
    m->virial_impulse = all->virial;
    m->virial = rates->virial;
    m->pressure = ((double)m->dynamic * m->temperature + 0.5 * m->virial) / m->area;
    m->push_left = all->push[0];
    m->push_right = all->push[1];
    m->push_bottom = all->push[2];
    m->push_top = all->push[3];
    double length = 0;
    for (int k = 0; k < 2; ++k)
        if (axis[k].boundary == QD_BOUNDARY_REFLECT) length += 2 * axis[1 - k].length;
    if (length > 0) m->wall_pressure = rates->push / length;
}

double qdi_pressure(const qd_world *world) {
    qd_metrics m = {.dynamic = world->count - world->fixed};
    measure_motion(world, qd_world_sum(world), &m);
    measure_pressure(world->axis, &world->balance, &world->rates, &m);
    return m.pressure;
}

// Metrics of the tree.
static void measure_tree(const qd_world *world, qd_metrics *m) {
    if (world->led || world->part) {
        m->tree_nodes = m->tree_leaves = m->tree_deepest = m->tree_longest = m->tree_outside = UINT64_MAX;
        m->tree_tests = m->tree_tests_total = m->saved_bytes = UINT64_MAX;
        m->tree_candidates = (double)NAN;
        return;
    }
    const qd_tree_stats stats = qd_tree_statistics(world->tree);
    m->tree_nodes = stats.nodes;
    m->tree_leaves = stats.leaves;
    m->tree_deepest = (uint64_t)(stats.deepest_level - stats.root_level);
    m->tree_longest = stats.largest_list;
    m->tree_outside = stats.outside;
    if (world->count > 0) m->tree_candidates = (double)world->searched.candidates / (double)world->count;
    m->tree_tests = world->searched.tests;
    m->tree_tests_total = world->totals.box_tests;
}

// Metrics of displacements and hexatic order.
static void measure_order(const qd_world *world, qd_metrics *m) {
    if (!world->follows) return;
    const qdi_order_sums sums = qdi_sum_order(world);
    const double count = (double)sums.count;
    if (!(count > 0)) return;
    m->msd_x = sums.xx / count;
    m->msd_y = sums.yy / count;
    m->msd = m->msd_x + m->msd_y;
    if (m->msd > 0) m->non_gaussian = sums.fourth / count / (2 * m->msd * m->msd) - 1;
    m->psi6 = sums.psi6 / count;
    m->psi6_global = sqrt(sums.re * sums.re + sums.im * sums.im) / count;
}

qdi_share_sizes qdi_share_see(const qd_world *world) {
    return (qdi_share_sizes){.body = qdi_see_bodies(world), .contact = qdi_see_contacts(world)};
}

void qdi_share_sizes_merge(qdi_share_sizes *all, const qdi_share_sizes *other) {
    qdi_body_sizes_merge(&all->body, &other->body);
    qdi_contact_sizes_merge(&all->contact, &other->contact);
}

qdi_share_sums qdi_share_add(const qd_world *world, const qdi_share_sizes *sizes) {
    return (qdi_share_sums){.body = qdi_add_bodies(world, &sizes->body),
                            .energy = qdi_add_contacts(world, &sizes->contact)};
}

void qdi_share_sums_merge(qdi_share_sums *all, const qdi_share_sums *other) {
    qdi_body_tallies_merge(&all->body, &other->body);
    qdi_tally_merge(&all->energy, &other->energy);
}

void qdi_share_measure(const qd_world *world, const qdi_share_sizes *sizes, const qdi_share_sums *sums,
                       const qd_world_totals *totals, qd_metrics *metrics) {
    qd_metrics m = {.step = qd_world_steps(world),
                    .time = qd_world_time(world),
                    .bodies = sizes->body.bodies,
                    .dynamic = sizes->body.dynamic,
                    .saved_bytes = qdi_saved_bytes(world),
                    .stage = world->stage};
    measure_motion(world, qdi_body_sums_of(&sizes->body, &sums->body), &m);
    measure_contacts(&sizes->contact, &sums->energy, totals, &m);
    measure_balance(&world->balance, world->entered, totals->wall_work, &m);
    measure_pressure(world->axis, &world->balance, &world->rates, &m);
    measure_tree(world, &m);
    measure_order(world, &m);
    *metrics = m;
}

void qd_world_measure(const qd_world *world, qd_metrics *metrics) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    const qdi_share_sizes sizes = qdi_share_see(world);
    const qdi_share_sums sums = qdi_share_add(world, &sizes);
    qdi_share_measure(world, &sizes, &sums, &world->totals, metrics);
}
