#pragma once

#include <quadrille/status.h>
#include <quadrille/team.h>

#include "core/base/arena.h"

#include <stddef.h>
#include <stdint.h>

/// A list from which some items go, and into which others come: where each is then. Those that stay keep
/// their order.

/// What becomes of an item: this bit says that it goes.
enum { QDI_SPLICE_GOES = 1 };

typedef struct qdi_splice {
    const uint8_t *fate; ///< by item
    size_t count;
    const uint32_t *before; ///< by newcomer, growing: the item, or `count`, before which it comes
    size_t coming;
    uint32_t *to;    ///< found: by item: its place then; UINT32_MAX: it goes
    uint32_t *place; ///< found: by newcomer
    size_t all;      ///< found: items then
} qdi_splice;

/// Splice: finds places; `to` and `place` lie in the arena. O(items), shared by the team. Errors:
/// QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_splice_find(qd_team *team, qdi_arena *arena, qdi_splice *splice);
