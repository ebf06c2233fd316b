#ifndef QUADRILLE_SPRING_H
#define QUADRILLE_SPRING_H

#include <quadrille/api.h>
#include <stdbool.h>

QD_BEGIN_DECLS

/// How stiff a contact is.
typedef enum qd_spring_law {
    QD_SPRING_HOOKE, ///< the force of a spring grows with the overlap
    QD_SPRING_HERTZ, ///< and with the width of the contact, as between spheres
} qd_spring_law;

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
/// With the law `hertz` (H. Hertz, "Ueber die Beruehrung fester elastischer Koerper", Journal fuer die reine
/// und angewandte Mathematik 92, 1881) all of it is multiplied by the radius of the area of contact, a =
/// sqrt(R d) with R = R_a R_b / (R_a + R_b), R_a being a disk's radius and infinite for all else; kn and kt
/// are forces per area then. Those are the terms of LAMMPS's `gran/hertz/history`, and of `granular` with
/// `hertz`, `mindlin` and the damping `viscoelastic`.
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
/// - **Rolling.** Where `rolling` is above 0, a spring, a dashpot and a slider resist rolling (S. Luding,
/// "Cohesive, frictional powders", Granular Matter 10, 2008; LAMMPS's `rolling sds`): with the rolling speed
/// w = R (spin_a - spin_b), and q that is w dt added up since the contact began, the two get the torques
/// -R f and R f with f = kr q + m gammar w, at most `rolling` times the force along the normal of spring and
/// dashpot; where the limit holds, q is set back as s is.
/// - **Adhesion.** Where `adhesion` is above 0, two that overlap, or whose gap is below `range`, are pulled
/// together by this force besides, at each touch. It does not count in the limits of friction and rolling.
/// The impulse of a touch (qd_touch) holds it; no touch tells what resists rolling. Two that are apart are no
/// contact, and no event tells what pulls them together.
/// - **Shapes.** With `hertz`, rolling or a range above 0 all dynamic bodies must be disks; others may be
/// static or kinematic.
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
    bool limit_damping; ///< the force of spring and dashpot is never below 0; default false
    qd_spring_law law;  ///< default hooke; hertz needs kn
    double rolling;     ///< most torque per normal force and R; >= 0; 0 (the default): bodies roll freely
    double kr;     ///< of the rolling spring, force per length, >= 0; NaN (the default): the tangential one's
    double gammar; ///< >= 0; NaN (the default): gammat
    double adhesion; ///< force, >= 0; default 0: none
    double range;    ///< gap up to which it acts, >= 0; default 0: only while bodies overlap
} qd_spring;

/// What a contact of a given effective mass and restitution works with: numbers as above.
typedef struct qd_spring_terms {
    double kn, kt, gamman, gammat;
} qd_spring_terms;

/// Restitutions below this count as this where gamman follows from them.
#define QD_SPRING_LEAST_RESTITUTION 0.01

/// The parameters that a scene has by default.
QD_API qd_spring qd_spring_default(void);

/// The terms that follow; with the law hertz those where a = 1. Head-on, overlap is a damped oscillation d''
/// + gamman d' + (kn / m) d = 0 that lasts for half a period, tc = pi / w with w^2 = kn / m - gamman^2 / 4,
/// and gives back exp(-gamman tc / 2) of the speed (for instance J. Schaefer, S. Dippel and D. E. Wolf,
/// "Force schemes in simulations of granular materials", Journal de Physique I 6, 1996). So from tc and a
/// restitution e, with L = -log e: gamman = 2 L / tc, kn = m (pi^2 + L^2) / tc^2; and from kn and e, gamman =
/// 2 sqrt(kn / m) L / sqrt(pi^2 + L^2). With hertz, gamman = sqrt(5 kn / m) L / sqrt(pi^2 + L^2), which gives
/// every speed the same restitution where kn stands for kn a (D. Antypov and J. A. Elliott, "On an analytical
/// solution for the damped Hertzian spring", EPL 94, 2011). `restitution` is 0..1, `mass` > 0.
QD_API qd_spring_terms qd_spring_terms_of(const qd_spring *spring, double restitution, double mass);

/// With the law hertz: how long two bodies of effective radius R and effective mass touch that collide
/// head-on without damping, 3.218 (m^2 / (kn^2 R speed))^(1/5); infinite at speed 0 (K. L. Johnson, "Contact
/// Mechanics", 1985, section 11.4, with 4/3 of the modulus as kn).
QD_API double qd_spring_hertz_time(double kn, double radius, double mass, double speed);

/// tc for these terms; where so much damping lets nothing bounce, that without damping, or 20 / gamman where
/// that is less, so that a twentieth of it is a step for which the damping is not too strong.
QD_API double qd_spring_contact_time(const qd_spring_terms *terms, double mass);

QD_END_DECLS

#endif
