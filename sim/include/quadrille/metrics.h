#ifndef QUADRILLE_METRICS_H
#define QUADRILLE_METRICS_H

#include <quadrille/api.h>
#include <quadrille/world.h>
#include <stddef.h>
#include <stdint.h>

QD_BEGIN_DECLS

/// A `balance_error` above this means that the steps are too long for what happens in them: `quadrille run`
/// warns.
#define QD_BALANCE_ERROR_MOST 0.01

/// What can be measured of a world: one row of numbers, a function of the world's state alone. So a world
/// that was saved and loaded gives the same rows as one that was not, and all of it is the same for any
/// thread count, SIMD level, compiler and optimization level. Units are the scene's own; docs/metrics.md has
/// each number's definition.
///
/// **Sums.** Numbers under "since step 0" only ever grow by what a step did; they are saved with the world.
/// What happened between two rows, or how fast, is the difference of theirs.
///
/// **Balance.** The energy of a world is where it came from:
///
///   kinetic + potential + contact_energy + lost + drag_lost
///       = entered + wall_work + kinematic_work + force_work + compression_work + drift
///
/// to rounding, where no attraction acts (whose work is not followed; then up to an error of order dt^2).
/// `imbalance` is the left side minus the right one. With springs `drift` is 0 and `imbalance` is the error
/// of the steps' finite length, of order dt^2 where nothing is lost.
///
/// What the run turned over is half the sum of the sizes of all these terms but `drift`: each unit of energy
/// is once on the left and once on the right. `balance_error` is the part of it that the steps' finite length
/// made or took.
typedef struct qd_metrics {
    uint64_t step;
    double time;
    uint64_t bodies;   ///< all of them
    uint64_t dynamic;  ///< those that forces and contacts move
    uint64_t contacts; ///< that there are now, with walls and sensors

    // Energy now, of the dynamic bodies.
    double kinetic;        ///< translation + rotation
    double translation;    ///< sum m v^2 / 2
    double rotation;       ///< sum I w^2 / 2
    double potential;      ///< of gravity, about the world's origin, and of the attraction
    double contact_energy; ///< kept in contacts by springs; 0 where they are rigid

    // What became of energy since step 0.
    double lost;                 ///< to contacts: the sum of the four that follow
    double lost_bodies_normal;   ///< between bodies, by impulses along the normal
    double lost_bodies_friction; ///< the same along the tangent
    double lost_walls_normal;    ///< between bodies and walls
    double lost_walls_friction;
    double drag_lost;      ///< to the medium (< 0: gained from one that moves)
    double entered;        ///< brought by bodies that were added, less what those took along that left
    double wall_work;      ///< that moving walls gave
    double kinematic_work; ///< that kinematic bodies gave, and surfaces that slide
    double force_work;     ///< that a force callback gave, and gravity where it pulls through a periodic side
    double compression_work; ///< that the world's compression gave
    double drift;            ///< that the steps' finite length made, or took where < 0
    double imbalance;        ///< what remains: 0 but for rounding
    double turned_over;      ///< half the sum of the sizes of the balance's terms but drift
    double balance_error;    ///< (|drift| + |imbalance|) / turned_over; 0 where nothing was turned over

    // Motion now.
    double momentum_x, momentum_y; ///< sum m v
    double angular_momentum;       ///< about the world's centre, spin included
    double fastest;                ///< largest speed
    double temperature; ///< translation energy about the centre of mass, over the number of dynamic bodies

    // Pressure. `area` is that between the sides as they are now.
    double area;
    double fraction;       ///< of that area: the dynamic bodies' own
    double virial_impulse; ///< since step 0: sum of r_ab . J over contacts and impacts between dynamic bodies
    double virial;         ///< of the last step: the same, divided by dt
    double pressure;       ///< of the last step: (dynamic temperature + virial / 2) / area
    double push_left, push_right, push_bottom, push_top; ///< impulse across each wall since step 0, >= 0
    double wall_pressure; ///< of the last step: impulse across all walls, divided by their length and dt

    // Collisions since step 0.
    uint64_t begins, ends; ///< of contacts
    uint64_t impacts;      ///< bounces on the way through a step
    /// Bodies, over the steps, that were not followed in one: they had too many of these, and were stopped;
    /// or their path was longer than half a period, and they went on as if they met nobody; or a kinematic
    /// body passed them where there was no room ahead of it.
    uint64_t unfollowed;
    uint64_t collisions; ///< begins + impacts

    // Contacts now, but for sensors.
    double largest_overlap;
    double contact_number; ///< mean number of contacts of a dynamic body, walls included

    // The tree. These depend on the margin too, unlike all others. Without value (UINT64_MAX, NaN) in a run
    // with ranks.
    uint64_t tree_nodes, tree_leaves;
    uint64_t tree_deepest; ///< depth of the deepest node below the root
    uint64_t tree_longest; ///< bodies in the longest list of a node
    uint64_t tree_outside; ///< bodies outside the root, or larger than it

    // The search for pairs. These depend on margin and capacity, and on how pairs are retrieved.
    double tree_candidates;    ///< pairs whose shapes the last step looked at, over the number of bodies
    uint64_t tree_tests;       ///< comparisons of two boxes in the last step; 0 where candidates were kept
    uint64_t tree_tests_total; ///< the same since step 0, its own search included

    // How bodies have moved and lie, of the dynamic ones that are no sensors; 0 in worlds that do not follow
    // their bodies (qd_world_follow).
    double msd;          ///< mean squared displacement, msd_x + msd_y
    double msd_x, msd_y; ///< along each axis
    double non_gaussian; ///< <d^4> / (2 <d^2>^2) - 1 of displacements d
    double psi6;         ///< mean size of a body's hexatic order, see hexatic.h
    double psi6_global;  ///< size of the mean of all bodies' hexatic order

    uint64_t saved_bytes; ///< the world's size in memory as qd_world_save would write it
    uint64_t stage;       ///< the number that the world's user gave it (qd_world_set_stage)
} qd_metrics;

/// How a number of the metrics is kept.
typedef enum qd_metric_kind {
    QD_METRIC_REAL,  ///< double, finite
    QD_METRIC_WHOLE, ///< uint64_t, below 2^63
} qd_metric_kind;

/// One number of qd_metrics, for whoever makes columns of them.
typedef struct qd_metric_field {
    const char *name; ///< as in the struct; letters, digits and underscores
    const char *unit; ///< in terms of mass, length and time; "1" for counts
    qd_metric_kind kind;
    size_t offset; ///< in qd_metrics
} qd_metric_field;

/// All numbers in the order of the struct; `count` gets how many there are. The table lives for ever.
QD_API const qd_metric_field *qd_metric_fields(size_t *count);

/// Measures a world. Changes nothing of it, but works on its team, as qd_world_hash does: one such call at a
/// time. Cost: about that of qd_world_sum, plus a look at every contact.
QD_API void qd_world_measure(const qd_world *world, qd_metrics *metrics);

QD_END_DECLS

#endif
