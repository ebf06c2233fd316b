#include "sim/world/order.h"

#include "core/parallel/sort.h"
#include "sim/world/scratch.h"
#include "sim/world/world_impl.h"

qd_status qdi_keys_take(qdi_arena *arena, size_t count, qdi_keys *keys) {
    *keys = (qdi_keys){.key = qdi_arena_take(arena, count, sizeof *keys->key),
                       .key_spare = qdi_arena_take(arena, count, sizeof *keys->key_spare),
                       .value = qdi_arena_take(arena, count, sizeof *keys->value),
                       .value_spare = qdi_arena_take(arena, count, sizeof *keys->value_spare)};
    return keys->key && keys->key_spare && keys->value && keys->value_spare ? QD_OK : QD_ERR_MEMORY;
}

qd_status qdi_keys_sort(qd_team *team, const qdi_keys *keys, size_t count, int bits) {
    return qdi_team_sort(team, keys->key, keys->value, keys->key_spare, keys->value_spare, count, bits);
}
