#pragma once

#include "sim/world/scratch.h"

/// Order of a world's rows: takes room for `count` keys and values.
QD_MUST_USE qd_status qdi_keys_take(qdi_arena *arena, size_t count, qdi_keys *keys);
/// Order of a world's rows: sorts them by the lowest `bits` of the keys; the sort is stable.
QD_MUST_USE qd_status qdi_keys_sort(qd_team *team, const qdi_keys *keys, size_t count, int bits);
