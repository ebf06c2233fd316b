#pragma once

#include <quadrille/world.h>

/// Makes an empty world from a checked def; the tree and the team with it.
QD_MUST_USE qd_status qdi_world_make(const qd_world_def *def, qd_world **world);
/// Frees what a world does not need for its state, and makes what there is of it anew in the next step: tree,
/// candidates, what steps work with. Its contacts are there (qdi_contacts_need).
void qdi_world_slim(qd_world *world);
/// Why a def is refused, or QD_OK.
QD_MUST_USE qd_status qdi_world_def_check(const qd_world_def *def, qd_error *error);
