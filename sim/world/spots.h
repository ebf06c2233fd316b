#pragma once

#include <quadrille/world.h>

#include "sim/world/contact_state.h"

/// World's contacts by row: makes the spots of contacts that come from elsewhere, for which there is room,
/// and the other parts. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_spots_make(qd_world *world, qdi_contact_state *state);
/// World's contacts by row: the same but for the rows, which are not known yet.
QD_MUST_USE qd_status qdi_spots_make_apart(qd_world *world, qdi_contact_state *state);
/// World's contacts by row: makes the parts of contacts that have none beside their spots.
/// Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_spots_part(qd_world *world, qdi_contact_state *state);
/// Rows have changed, but not those of springs that meet: finds those of the spots again.
void qdi_spots_find_rows(qd_world *world, qdi_contact_state *state);
/// World's contacts by row: names the bodies of the present spots by index, or by row again: before and after
/// rows change.
void qdi_spots_name(qd_world *world, bool by_row);
/// World's contacts by row: makes the touching flags those of the present contacts.
void qdi_touching_mark(qd_world *world);
