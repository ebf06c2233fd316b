#ifndef QUADRILLE_FORCE_H
#define QUADRILLE_FORCE_H

#include <quadrille/body.h>
#include <quadrille/vec.h>
#include <stddef.h>
#include <stdint.h>

QD_BEGIN_DECLS

/// What acts on dynamic bodies from afar, beside uniform gravity (qd_world_def.gravity), and how walls move.
///
/// Scheme: velocity Verlet. A body that nothing touches is where constant forces and drag put it, to
/// rounding, whatever the step; forces that change with the place make an error of order dt^2, and no drift
/// of the energy.

/// How an attraction changes with the distance r. With a softening s > 0, r stands for sqrt(r^2 + s^2), and
/// the acceleration is strength times (towards the centre):
typedef enum qd_pull_law {
    QD_PULL_CONSTANT,       ///< 1; potential energy m strength r
    QD_PULL_INVERSE,        ///< 1 / r, gravity in a flat world; potential energy m strength log(r)
    QD_PULL_INVERSE_SQUARE, ///< 1 / r^2; potential energy - m strength / r
} qd_pull_law;

/// Gravity towards a point. In the very centre there is none, and no energy of it. Across periodic sides it
/// pulls by the shorter way.
typedef struct qd_attraction {
    qd_pull_law law;  ///< default constant
    qd_vec2 at;       ///< the centre
    double strength;  ///< default 0: none; < 0 repels
    double softening; ///< >= 0, default 0
} qd_attraction;

/// What slows bodies down that move through a medium. Rates, not forces: the mass plays no part. A linear
/// drag of force gamma v has the rate gamma / m.
typedef struct qd_drag {
    double linear;    ///< acceleration - linear v: per time, >= 0
    double quadratic; ///< acceleration - quadratic |v| v: per length, >= 0
    double spin;      ///< angular acceleration - spin w: per time, >= 0
    qd_vec2 medium;   ///< its velocity; v above is relative to it
    /// Temperature of the medium, k T, as an energy, 0 to 1e30, default 0: it pushes bodies at random, just
    /// so that linear drag and that of the spin take them there: m v^2 and I w^2 are this on average, per
    /// component, in every step (Langevin). The pushes are constant in a step and follow from the world's
    /// seed, the body's index and the step; where bodies diffuse, they do so as with infinitely short steps
    /// but for a part (linear dt)^2 / 12. Without drag there are none.
    double temperature;
} qd_drag;

/// How a reflecting side moves: at time t it is
/// velocity t + amplitude (sin(2 pi frequency t + phase) - sin(phase))
/// to the right of (above) where the world's border is. So it starts there; a phase of -pi/2 starts it at
/// rest, amplitude (1 - cos(2 pi frequency t)).
typedef struct qd_wall_motion {
    double velocity;
    double amplitude;
    double frequency; ///< oscillations per time, >= 0
    double phase;     ///< radians
    double slide;     ///< velocity of its surface along itself, to the right or up: a belt
} qd_wall_motion;

/// Bodies to which a callback gives forces: `count` of them, some of the world's, in an order that means
/// nothing.
typedef struct qd_force_range {
    size_t count;
    uint64_t step; ///< steps done before this one
    double time;   ///< of the state that is shown
    double dt;
    const qd_body_index *index;
    const uint64_t *label;
    const uint8_t *kind; ///< a qd_body_kind; forces on bodies that are not dynamic have no effect
    const double *x, *y, *vx, *vy;
    const double *turn_c, *turn_s, *spin;
    const double *radius, *mass, *inertia; ///< as in qd_body_view
    double *force_x, *force_y, *torque;    ///< to be added to; they start at 0
} qd_force_range;

/// Gives forces to the bodies of one range. Called from the world's threads, several ranges at a time, and
/// twice for each body in a step: with the state that the step begins with (velocities after bounces), and
/// with that at its end (velocities as far as they are known), whose mean acts. It may write the three arrays
/// of its range, and read nothing that changes during a step but the range: neither the world, nor what other
/// ranges write. Where the force on a body is a function of its own columns, the time and constants, results
/// are the same for any number of threads. What is not finite stops the step (QD_ERR_LIMIT).
typedef void (*qd_force_function)(void *context, const qd_force_range *range);

QD_END_DECLS

#endif
