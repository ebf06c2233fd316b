#pragma once

#include <quadrille/team.h>
#include <stddef.h>
#include <stdint.h>

/// Sorts `count` items by key, stably (equal keys keep their order), on the caller's thread. `keys` and
/// `values` are sorted in place; `keys_spare` and `values_spare` have the same length; `values` may be NULL
/// together with `values_spare`. Cost: a pass over all for each 8 bits in which keys differ, 11 where they
/// are many.
void qdi_sort(uint64_t *keys, uint32_t *values, uint64_t *keys_spare, uint32_t *values_spare, size_t count);

/// The same with the threads of a team. Only the low `bits` bits of the keys differ. Errors: QD_ERR_MEMORY,
/// nothing moved.
QD_MUST_USE qd_status qdi_team_sort(qd_team *team, uint64_t *keys, uint32_t *values, uint64_t *keys_spare,
                                    uint32_t *values_spare, size_t count, int bits);
