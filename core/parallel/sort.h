#pragma once

#include <quadrille/team.h>
#include <stddef.h>
#include <stdint.h>

/// Sorts `count` items by the bits of their keys from number `bit` on, stably (those with equal ones keep
/// their order), on the caller's thread. `keys` and `values` are sorted in place; `keys_spare` and
/// `values_spare` have the same length; `values` may be NULL together with `values_spare`. Cost: a pass over
/// all for each 8 bits in which keys differ, 11 where they are many.
void qdi_sort(uint64_t *keys, uint32_t *values, uint64_t *keys_spare, uint32_t *values_spare, size_t count,
              int bit);

/// Sorts items that lie in order already, but for some that are a few places away. Cost: these places.
void qdi_sort_near(uint64_t *keys, uint32_t *values, size_t count);

/// Sorts by all bits, stably, with the threads of a team; arrays as for qdi_sort. Only the low `bits` bits of
/// the keys differ. Errors: QD_ERR_MEMORY, nothing moved.
QD_MUST_USE qd_status qdi_team_sort(qd_team *team, uint64_t *keys, uint32_t *values, uint64_t *keys_spare,
                                    uint32_t *values_spare, size_t count, int bits);
