#ifndef QD_SIM_PART_H
#define QD_SIM_PART_H

#include "core/parallel/ranks.h"
#include "sim/world/contact_list.h"
#include "sim/world/energy_balance_state.h"
#include "sim/world/world_impl.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A world that holds a part of a larger one: the bodies that are its own, and ghosts, bodies of other parts
/// that its own may touch until the ghosts are chosen anew. Every body is some part's own. Indices are in the
/// order of names (names.h), and names are the indices in the larger world.
///
/// A step of a part is that of any world, but for three things. Bodies that have moved are exchanged
/// (sim/step/exchange.h), so ghosts are where their owners have them, to the last bit. Nobody looks for
/// contacts that no own body has. And what is added up over bodies or contacts is added up over all ranks: of
/// ghosts it takes nothing, and of contacts those whose first body is the part's own. All ranks step
/// together, with the same length of step, and fail together.

/// What the ghosts of a part are needed for: told by the part's team (qdi_team_ranks) which ranks there are.
typedef struct qdi_part {
    bool alone;     ///< there is no other part
    uint8_t *ghost; ///< by index
    size_t ghosts;
    // Who sends whom, rank by rank, in the order of names: [first[q], first[q + 1]) are indices of own bodies
    // that are ghosts at q, or of ghosts that come from there.
    qd_body_index *send, *receive;
    size_t send_first[QDI_RANKS_MAX + 1], receive_first[QDI_RANKS_MAX + 1];
    double *buffer; ///< what is sent
    size_t indices; ///< room of the arrays by index
    qd_vec2 *from;  ///< by index: where a body was when ghosts were chosen; NULL: there is no other part
    double slack;   ///< while no body is further from there than half of this, the ghosts are enough
    double way;     ///< furthest that one was, over all ranks, in the last step that was made or tried
    bool stale;     ///< the last step was not made: it was too far
    uint64_t contacts, begins, ends; ///< own ones, added up over the steps
} qdi_part;

/// World's part: one of `indices` bodies of which `send` are sent and `receive` received; `alone`: there is
/// no other part. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_part_make(const qd_allocator *allocator, size_t indices, bool alone, size_t send,
                                    size_t receive, qdi_part **part);
/// World's part: frees. NULL is fine.
void qdi_part_release(const qd_allocator *allocator, qdi_part *part);

/// World's part: whether the body of a row is another part's.
static inline bool qdi_is_ghost(const qd_world *world, size_t row) {
    return world->part && world->part->ghost[world->index[row]];
}

/// World's part: whether all that a world has is its own.
static inline bool qdi_has_no_ghosts(const qd_world *world) {
    return !world->part || world->part->ghosts == 0;
}

/// World's part: whether a contact of this order is one of the part's own.
static inline bool qdi_part_owns(const qdi_part *part, uint64_t order) {
    return !part->ghost[order >> 32];
}

/// World's part: whether a contact of a world is its own; of one that is whole all are.
static inline bool qdi_part_has(const qd_world *world, const qd_contact *contact) {
    return !world->part || !world->part->ghost[contact->a.index];
}

/// World's part: the order of the i-th contact of a state that a step has just made, numbered or not.
static inline uint64_t qdi_part_order(const qd_world *world, const qdi_contact_state *state, size_t i) {
    return state->met ? qdi_contact_order_placed(world, state, i) : qdi_contact_order_at(state, i);
}

/// World's part: moves what own bodies have of `values`, one by row, to the front; returns how many these
/// are. In a world that is whole nothing moves.
size_t qdi_part_keep_rows(const qd_world *world, double *values);
/// World's part: the same of the balances of all contacts of a state of springs, and of those that ended in
/// the step to it.
size_t qdi_part_keep_balances(const qd_world *world, const qdi_contact_state *state,
                              qdi_contact_balance *balances);
size_t qdi_part_keep_ended(const qd_world *world, const qdi_contact_state *state,
                           qdi_contact_balance *balances);
/// World's part: how many contacts of a state are own ones.
size_t qdi_part_contacts(const qd_world *world, const qdi_contact_state *state);
/// World's part: takes candidates out that are two ghosts; returns how many are left.
size_t qdi_part_drop_ghosts(const qd_world *world, qdi_meeting *met, size_t count);

#endif
