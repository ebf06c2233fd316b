#ifndef QUADRILLE_DISPLACEMENT_H
#define QUADRILLE_DISPLACEMENT_H

#include <quadrille/status.h>
#include <quadrille/vec.h>
#include <quadrille/world.h>
#include <stdbool.h>

QD_BEGIN_DECLS

/// How far bodies have gone, round periodic worlds too: what the mean squared displacement is made of. A
/// world that follows its bodies changes in no other way; it is saved with the world.

/// From now on each body's displacement is counted, from where it is, and that of bodies that are added later
/// from where they are added; or no longer. Nothing happens where that is so already. The metrics then have
/// `msd` and its kin, and hexatic order. Cost: 32 bytes for each body and, in periodic worlds, a pass over
/// them in each step. Errors: QD_ERR_ARGUMENT, QD_ERR_MEMORY: then as before.
QD_API QD_MUST_USE qd_status qd_world_follow(qd_world *world, bool on);
QD_API bool qd_world_follows(const qd_world *world);

/// The way that a body has come since it is followed, with all turns round the world. With
/// `world.compress` what the compression moved it by counts, too. Errors: QD_ERR_ARGUMENT, QD_ERR_STATE
/// (bodies are not followed), QD_ERR_STALE.
QD_API QD_MUST_USE qd_status qd_world_displacement(const qd_world *world, qd_id body, qd_vec2 *way);

QD_END_DECLS

#endif
