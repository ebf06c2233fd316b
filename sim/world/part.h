#pragma once

#include "core/parallel/ranks.h"
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
    uint8_t *ghost; ///< by row
    size_t ghosts;
    // Of all parts, as steps that go by these are to be the same in each:
    bool shaped; ///< some body is no disk, or does not move
    bool traits; ///< some body has traits
    // Who sends whom, rank by rank, in the order of names: [first[q], first[q + 1]) are indices of own bodies
    // that are ghosts at q, or of ghosts that come from there.
    qd_body_index *send, *receive;
    size_t send_first[QDI_RANKS_MAX + 1], receive_first[QDI_RANKS_MAX + 1];
    double *buffer; ///< what is sent
    size_t rows;    ///< room of the arrays by row
    double *from_x,
        *from_y;  ///< by row: where a body was when ghosts were chosen; NULL: there is no other part
    double slack; ///< while no body is further from there than half of this, the ghosts are enough
    double way;   ///< no less than the furthest that one was, over all ranks, in the last step tried
    double bound; ///< the same in the last one that was made
    bool stale;   ///< the last step was not made: it was too far
    uint32_t due; ///< fat boxes of some part are due in this step, after so many; 0: of none
    // So that not each body need be looked at in each step:
    double speed;                    ///< none is expected to be faster; 0: not known
    double stride;                   ///< none has come further in the step on its way; HUGE_VAL: not known
    bool swift;                      ///< one may be faster
    uint64_t contacts, begins, ends; ///< own ones, added up over the steps
    size_t present; ///< own contacts of the present state; QDI_PART_UNKNOWN: nobody has counted them yet
} qdi_part;

#define QDI_PART_UNKNOWN SIZE_MAX

/// World's part: one of `rows` bodies of which `send` are sent and `receive` received; `alone`: there is
/// no other part. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_part_make(const qd_allocator *allocator, size_t rows, bool alone, size_t send,
                                    size_t receive, qdi_part **part);
/// World's part: frees. NULL is fine.
void qdi_part_release(const qd_allocator *allocator, qdi_part *part);

/// World's part: whether the body of a row is another part's.
static inline bool qdi_is_ghost(const qd_world *world, size_t row) {
    return world->part && world->part->ghost[row];
}

/// World's part: whether all bodies, those of other parts as well, are disks that move: what does not move in
/// the same way to the last bit with and without shapes goes by this.
static inline bool qdi_all_are_disks(const qd_world *world) {
    return world->part ? !world->part->shaped : world->shaped == 0 && world->fixed == 0;
}
/// World's part: whether none of all has traits.
static inline bool qdi_none_has_traits(const qd_world *world) {
    return world->part ? !world->part->traits : world->traits.numbers.live == 0;
}

/// World's part: whether all that a world has is its own.
static inline bool qdi_has_no_ghosts(const qd_world *world) {
    return !world->part || world->part->ghosts == 0;
}

/// World's part: whether a contact of a world is its own; of one that is whole all are.
static inline bool qdi_part_has(const qd_world *world, const qd_contact *contact) {
    return !world->part || !world->part->ghost[world->row_of_index[contact->a.index]];
}

/// World's part: the same of the i-th contact of a state that a step has just made: by place where springs
/// meet, else by number.
static inline bool qdi_part_has_at(const qd_world *world, const qdi_contact_state *state, size_t i) {
    if (!world->part) return true;
    const uint32_t row = state->met ? qdi_rows_at(state, i).a
                                    : world->row_of_index[qdi_contact_order_at(state, i) >> 32];
    return !world->part->ghost[row];
}

/// World's part: makes what ghosts have of `values`, one by row, 0; returns how many bodies are own ones.
size_t qdi_part_clear_rows(const qd_world *world, double *values);
/// World's part: the same of the balances of all contacts of a state of springs, and of those that ended in
/// the step to it.
size_t qdi_part_clear_balances(const qd_world *world, const qdi_contact_state *state,
                               qdi_contact_balance *balances);
void qdi_part_clear_ended(const qd_world *world, const qdi_contact_state *state,
                          qdi_contact_balance *balances);
/// World's part: counts the contacts of a state that are own ones, those of them that begin, and own ones
/// that ended in the step to it.
typedef struct qdi_part_count {
    size_t contacts, begins, ends;
} qdi_part_count;
qdi_part_count qdi_part_count_of(const qd_world *world, const qdi_contact_state *state);
/// World's part: how many of the present contacts are own ones.
size_t qdi_part_contacts(const qd_world *world);
/// World's part: takes candidates from one on out that are two ghosts. Works in the world's arena. Errors:
/// QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_part_drop_ghosts(qd_world *world, size_t first);
/// World's part: puts rows into another order: row r is the one that was from[r]. `spare` has room for all.
void qdi_part_order_rows(const qd_world *world, const uint32_t *from, double *spare);
