#pragma once

#include "sim/world/contact_state.h"
#include "sim/world/world_impl.h"

/// World's contacts: sorts `count` orders with their places, on the calling thread; `spare` is memory for as
/// many qd_contact, of which nothing is kept. Cannot fail.
void qdi_orders_sort(uint64_t *order, uint32_t *place, size_t count, qd_contact *spare);

/// World's contacts: gives numbers to the contacts of springs that meet, for their parts that lie by number.
/// What `contacts` held is lost. Cannot fail.
void qdi_contacts_number(const qd_world *world, qdi_contact_state *state);
