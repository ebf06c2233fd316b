#include "sim/world/order.h"

#include "sim/world/contact_state.h"
#include "sim/world/grain.h"
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

typedef struct wall_job {
    const qdi_spot *spots; ///< from the first of a wall on
    uint64_t *numbers;
} wall_job;

// Lists the contacts of a range of spots of walls.
static void number_wall_contacts(void *context, size_t begin, size_t end) {
    const wall_job *job = context;
    for (size_t i = begin; i < end; ++i) job->numbers[i] = job->spots[i].contact;
}

qd_status qdi_wall_contacts(qd_team *team, qdi_arena *arena, const qdi_contact_state *state,
                            const uint64_t **numbers) {
    const size_t first = state->first_wall, count = qdi_constraint_count(state) - first;
    wall_job job = {state->spots + first, qdi_arena_take(arena, count, sizeof *job.numbers)};
    *numbers = job.numbers;
    if (!job.numbers) return QD_ERR_MEMORY;
    qdi_team_for(team, count, QDI_BLOCK, number_wall_contacts, &job);
    return QD_OK;
}
