#ifndef QD_SIM_ORDER_H
#define QD_SIM_ORDER_H

#include <quadrille/world.h>

#include "sim/world/contact_state.h"
#include "sim/world/scratch.h"

/// Makes room for `count` keys and values.
QD_MUST_USE qd_status qdi_keys_reserve(const qd_allocator *allocator, qdi_keys *keys, size_t count);
void qdi_keys_release(const qd_allocator *allocator, qdi_keys *keys);
/// Puts the numbers of a moment's contacts with walls into the scratch's keys, in their order.
QD_MUST_USE qd_status qdi_wall_contacts(qd_world *world, const qdi_moment *moment);
/// Sums term(context, i) for i below `count`, by blocks of QDI_BLOCK combined in order: the same for any
/// team.
typedef qd_vec2 (*qdi_term)(const void *context, size_t i);
QD_MUST_USE qd_status qdi_sum(qd_world *world, size_t count, qdi_term term, const void *context,
                              qd_vec2 *sum);

#endif
