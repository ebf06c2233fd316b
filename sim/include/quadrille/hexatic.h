#ifndef QUADRILLE_HEXATIC_H
#define QUADRILLE_HEXATIC_H

#include <quadrille/status.h>
#include <quadrille/vec.h>
#include <quadrille/world.h>

QD_BEGIN_DECLS

/// Hexatic order: how well the neighbours of a body stand at the corners of a hexagon about it (D. R. Nelson
/// and B. I. Halperin, Phys. Rev. B 19, 1979),
///
///     psi6 = 1 / n * sum of exp(6 i angle)
///
/// over its n neighbours, with the angle of the way to each. Its size is 1 in a perfect hexagonal packing,
/// also at its border, and about 1 / sqrt(n) in a gas; twelve times the angle of the axes is turned with its
/// argument. Neighbours are those whose centres are no further than `reach` times the sum of both radii (of
/// bodies that are no disks: of the circles about them).
///
/// Dynamic bodies that are no sensors have an order, and count as neighbours; of others, and of what has no
/// neighbour, it is (0, 0).

/// The reach between the first and the second shell of a hexagonal packing whose bodies touch: these are at
/// 1 and sqrt(3).
#define QD_HEXATIC_REACH 1.4

/// Sets real and imaginary part of the order of each body, in the order of qd_world_view, qd_world_count in
/// all. On the world's team, and the same for any. Cost: one retrieve for each body. Errors: QD_ERR_ARGUMENT,
/// QD_ERR_STATE (bodies were added, removed or placed since the last detection), QD_ERR_VALUE (`reach` is not
/// above 0, or further than half a period).
QD_API QD_MUST_USE qd_status qd_hexatic_measure(const qd_world *world, double reach, qd_vec2 *psi6);

QD_END_DECLS

#endif
