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

typedef struct sum_job {
    qdi_term term;
    const void *context;
    qd_vec2 *partial;
} sum_job;

// Order of a world's rows: adds up the terms of one block of an ordered sum.
static void sum_block_terms(void *context, size_t begin, size_t end) {
    const sum_job *job = context;
    qd_vec2 sum = {0, 0};
    for (size_t i = begin; i < end; ++i) {
        qd_vec2 term = job->term(job->context, i);
        sum.x += term.x;
        sum.y += term.y;
    }
    job->partial[begin / QDI_BLOCK] = sum;
}

qd_status qdi_sum(qd_team *team, qdi_arena *arena, size_t count, qdi_term term, const void *context,
                  qd_vec2 *sum) {
    size_t blocks = qdi_range_count(count, QDI_BLOCK);
    sum_job job = {term, context, qdi_arena_take(arena, blocks, sizeof *job.partial)};
    if (!job.partial) return QD_ERR_MEMORY;
    qdi_team_for(team, count, QDI_BLOCK, sum_block_terms, &job);
    *sum = (qd_vec2){0, 0};
    for (size_t b = 0; b < blocks; ++b) {
        sum->x += job.partial[b].x;
        sum->y += job.partial[b].y;
    }
    return QD_OK;
}

typedef struct wall_job {
    const qdi_spot *spots; ///< from the first of a wall on
    const qdi_keys *keys;
} wall_job;

// Sort keys of contacts, for sums over walls in the contacts' order.
static void key_wall_contacts(void *context, size_t begin, size_t end) {
    const wall_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        job->keys->key[i] = job->spots[i].contact;
        job->keys->value[i] = 0;
    }
}

qd_status qdi_wall_contacts(qd_team *team, qdi_arena *arena, const qdi_contact_state *state,
                            const uint64_t **numbers) {
    qdi_keys keys;
    size_t first = state->first_wall, count = qdi_constraint_count(state) - first;
    qd_status status = qdi_keys_take(arena, count, &keys);
    *numbers = keys.key;
    if (status != QD_OK || count == 0) return status;
    wall_job job = {state->spots + first, &keys};
    qdi_team_for(team, count, QDI_BLOCK, key_wall_contacts, &job);
    return qdi_keys_sort(team, &keys, count, 32);
}
