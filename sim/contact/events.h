#ifndef QD_SIM_EVENTS_H
#define QD_SIM_EVENTS_H

#include <quadrille/world.h>

#include "sim/world/contact_state.h"
#include "sim/world/scratch.h"

/// What became of the contacts of `before` in `after`; `before` may hold contacts of bodies that are gone.
/// Contacts that persist take over impulses and warm starts: those of the `outcomes` (of the contacts of
/// `before`), or where that is NULL, because no step lies in between or there is no contact model, those that
/// `before` has. With springs there is nothing to take over any more.
QD_MUST_USE qd_status qdi_events(qd_world *world, const qdi_contact_state *before,
                                 const qdi_outcome *outcomes, qdi_contact_state *after);

/// Only the taking over, of what `before` has: with springs, whose forces come of it and belong to the
/// events.
QD_MUST_USE qd_status qdi_events_take_over(qd_world *world, const qdi_contact_state *before,
                                           qdi_contact_state *after);

#endif
