#include "sim/world/part.h"

#include "core/base/memory.h"

#include <string.h>

/// Numbers of a body in a message: place, velocity, and where something turns angle and spin.
enum { NUMBERS = 7 };

void qdi_part_release(const qd_allocator *allocator, qdi_part *part) {
    if (!part) return;
    const size_t send = part->send_first[QDI_RANKS_MAX], receive = part->receive_first[QDI_RANKS_MAX];
    qdi_release(allocator, part->ghost, part->indices, 1);
    if (part->from) qdi_release(allocator, part->from, part->indices, sizeof *part->from);
    qdi_release(allocator, part->send, send, sizeof *part->send);
    qdi_release(allocator, part->receive, receive, sizeof *part->receive);
    qdi_release(allocator, part->buffer, send, NUMBERS * sizeof *part->buffer);
    qdi_release(allocator, part, 1, sizeof *part);
}

qd_status qdi_part_make(const qd_allocator *allocator, size_t indices, bool alone, size_t send,
                        size_t receive, qdi_part **made) {
    qdi_part *part = qdi_allocate(allocator, 1, sizeof *part);
    if (!part) return QD_ERR_MEMORY;
    *part = (qdi_part){.indices = indices, .alone = alone};
    part->send_first[QDI_RANKS_MAX] = send;
    part->receive_first[QDI_RANKS_MAX] = receive;
    part->ghost = qdi_allocate(allocator, indices, 1);
    if (!alone) part->from = qdi_allocate(allocator, indices, sizeof *part->from);
    part->send = qdi_allocate(allocator, send, sizeof *part->send);
    part->receive = qdi_allocate(allocator, receive, sizeof *part->receive);
    part->buffer = qdi_allocate(allocator, send, NUMBERS * sizeof *part->buffer);
    const bool good = (indices == 0 || (part->ghost && (alone || part->from))) &&
                      (send == 0 || (part->send && part->buffer)) && (receive == 0 || part->receive);
    if (!good) {
        qdi_part_release(allocator, part);
        return QD_ERR_MEMORY;
    }
    if (indices > 0) memset(part->ghost, 0, indices);
    *made = part;
    return QD_OK;
}

size_t qdi_part_keep_rows(const qd_world *world, double *values) {
    if (qdi_has_no_ghosts(world)) return world->count;
    size_t kept = 0;
    for (size_t r = 0; r < world->count; ++r)
        if (!qdi_is_ghost(world, r)) values[kept++] = values[r];
    return kept;
}

size_t qdi_part_keep_balances(const qd_world *world, const qdi_contact_state *state,
                              qdi_contact_balance *balances) {
    const size_t count = qdi_constraint_count(state);
    if (qdi_has_no_ghosts(world)) return count;
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i)
        if (qdi_part_owns(world->part, qdi_part_order(world, state, i))) balances[kept++] = balances[i];
    return kept;
}

size_t qdi_part_keep_ended(const qd_world *world, const qdi_contact_state *state,
                           qdi_contact_balance *balances) {
    if (qdi_has_no_ghosts(world)) return state->ends;
    size_t kept = 0;
    for (size_t i = 0; i < state->ends; ++i)
        if (qdi_part_owns(world->part, qdi_contact_order(state->ended[i].a, state->ended[i].b)))
            balances[kept++] = balances[i];
    return kept;
}

size_t qdi_part_contacts(const qd_world *world, const qdi_contact_state *state) {
    if (qdi_has_no_ghosts(world)) return state->contact_count;
    size_t own = 0;
    for (size_t i = 0; i < state->contact_count; ++i)
        own += qdi_part_owns(world->part, qdi_part_order(world, state, i));
    return own;
}

size_t qdi_part_drop_ghosts(const qd_world *world, qdi_meeting *met, size_t count) {
    if (qdi_has_no_ghosts(world)) return count;
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i)
        if (!qdi_is_ghost(world, met[i].a) || !qdi_is_ghost(world, met[i].b)) met[kept++] = met[i];
    return kept;
}
