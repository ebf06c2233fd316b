#ifndef QUADRILLE_SPRING_H
#define QUADRILLE_SPRING_H

#include <quadrille/api.h>
#include <stdbool.h>

QD_BEGIN_DECLS

/// The soft contact model (QD_CONTACT_SPRING): where two bodies overlap, a spring and a dashpot part them,
/// and another pair of these, with a memory of how far the surfaces have slid, rubs. It is the one that
/// people who simulate grains call linear spring-dashpot (P. A. Cundall and O. D. L. Strack, "A discrete
/// numerical model for granular assemblies", Geotechnique 29, 1979), with the terms and conventions of
/// LAMMPS's `gran/hooke/history`.
///
/// With the overlap d, the speed u at which the surfaces approach along the normal, the speed v at which they
/// slide past each other, the shear s (v dt added up since the contact began) and the effective mass m = m_a
/// m_b / (m_a + m_b), or that of the one that is free to move, a contact pushes
///
///   along the normal    kn d + m gamman u
///   against sliding     kt s + m gammat v, but at most friction times the force along the normal
///
/// Where the limit holds, s is set back to what it allows. The dashpot may pull two bodies together that part
/// quickly, and the limit of the rubbing is then that of the pull; `limit_damping` lets nothing pull.
///
/// - **Velocities** are those in the middle of the step that led to the moment (velocity Verlet: half kick,
/// drift, detect,
///   force, half kick); where the world has just been made or changed, the present ones, and s stays as it
///   is.
/// - **Levers** reach to each body's own surface: to the full radius of a disk, not to the middle of the
/// overlap.
/// - **Shear** is kept as a vector; in each step it gets v dt, and loses what no longer lies along the
/// tangent.
/// - **Touches.** Each point of a contact has springs of its own: two sides that lie on each other are twice
/// as stiff as a
///   corner on a side.
/// - **Friction and restitution** are those of the surfaces (qd_material). There is no tangential
/// restitution.
typedef struct qd_spring {
    /// How long two bodies touch that collide head-on; NaN (the default): that follows from kn. With it, kn
    /// is what each contact needs for it, in proportion to the effective mass.
    double contact_time;
    double kn; ///< stiffness: force per length, > 0; NaN (the default): from contact_time. One of the two is
               ///< given
    double
        gamman; ///< damping rate: per time, >= 0; NaN (the default): so that the restitution is the surfaces'
    double kt;  ///< of the tangential spring, >= 0; NaN (the default): 2/7 kn
    double gammat;      ///< >= 0; NaN (the default): gamman / 2
    bool limit_damping; ///< the normal force is never below 0; default false
} qd_spring;

/// What a contact of a given effective mass and restitution works with: numbers as above.
typedef struct qd_spring_terms {
    double kn, kt, gamman, gammat;
} qd_spring_terms;

/// Restitutions below this count as this where gamman follows from them.
#define QD_SPRING_LEAST_RESTITUTION 0.01

/// The parameters that a scene has by default.
QD_API qd_spring qd_spring_default(void);

/// The terms that follow. Head-on, overlap is a damped oscillation d'' + gamman d' + (kn / m) d = 0 that
/// lasts for half a period, tc = pi / w with w^2 = kn / m - gamman^2 / 4, and gives back exp(-gamman tc / 2)
/// of the speed (for instance J. Schaefer, S. Dippel and D. E. Wolf, "Force schemes in simulations of
/// granular materials", Journal de Physique I 6, 1996). So from tc and a restitution e, with L = -log e:
/// gamman = 2 L / tc, kn = m (pi^2 + L^2) / tc^2; and from kn and e, gamman = 2 sqrt(kn / m) L / sqrt(pi^2 +
/// L^2). `restitution` is 0..1, `mass` > 0.
QD_API qd_spring_terms qd_spring_terms_of(const qd_spring *spring, double restitution, double mass);

/// tc for these terms; where so much damping lets nothing bounce, that without damping.
QD_API double qd_spring_contact_time(const qd_spring_terms *terms, double mass);

QD_END_DECLS

#endif
