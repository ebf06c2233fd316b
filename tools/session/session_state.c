#include "tools/session/session_state.h"

#include "core/base/bytes.h"

#include <quadrille/hash.h>
#include <stdio.h>

static const uint32_t magic = 0x53534451U; // "QDSS"
enum { STATE_VERSION = 7 };

// Writes what rules remember.
static void put_memory(unsigned char **at, const qdi_until_memory memory[QD_UNTIL_MAX]) {
    for (int rule = 0; rule < QD_UNTIL_MAX; ++rule) {
        qdi_put_f64(at, memory[rule].sum);
        qdi_put_f64(at, memory[rule].before);
        qdi_put_u64(at, memory[rule].count);
        qdi_put_u64(at, memory[rule].windows);
    }
}

// Reads what rules remembered.
static void get_memory(const unsigned char **at, qdi_until_memory memory[QD_UNTIL_MAX]) {
    for (int rule = 0; rule < QD_UNTIL_MAX; ++rule) {
        memory[rule].sum = qdi_get_f64(at);
        memory[rule].before = qdi_get_f64(at);
        memory[rule].count = qdi_get_u64(at);
        memory[rule].windows = qdi_get_u64(at);
    }
}

// Writes the session's part of a checkpoint.
void qdi_session_state_write(const qdi_session_state *state, unsigned char bytes[QDI_SESSION_STATE_BYTES]) {
    unsigned char *at = bytes;
    qdi_put_u32(&at, magic);
    qdi_put_u32(&at, STATE_VERSION);
    qdi_put_u64(&at, state->frames);
    qdi_put_f64(&at, state->view_speed);
    qdi_put_f64(&at, state->energy_first);
    qdi_put_u64(&at, state->past_bytes);
    qdi_put_u64(&at, state->past_hash);
    qdi_put_u64(&at, state->field_bytes);
    qdi_put_u64(&at, state->distribution_bytes);
    qdi_put_u64(&at, state->wall_ns);
    qdi_put_u64(&at, state->ended);
    qdi_put_u64(&at, state->stage_ended);
    qdi_put_u64(&at, state->led);
    put_memory(&at, state->until);
    put_memory(&at, state->stage_until);
    qdi_put_u64(&at, state->profile.steps);
    qdi_put_u64(&at, state->profile.body_steps);
    for (int phase = 0; phase < QD_PHASE_COUNT; ++phase) {
        qdi_put_u64(&at, state->profile.wall_ns[phase]);
        qdi_put_u64(&at, state->recorded_ns[phase]);
        qdi_put_u64(&at, state->profile.loop_ns[phase]);
        qdi_put_u64(&at, state->profile.alone_ns[phase]);
        for (int thread = 0; thread < QDI_SESSION_THREADS; ++thread)
            qdi_put_u64(&at, state->profile.busy_ns[phase][thread]);
    }
    qdi_put_u64(&at, qd_hash_bytes(bytes, QDI_SESSION_STATE_BYTES - 8));
}

// Refuses the session's part of a checkpoint.
static qd_status refuse_state(qd_error *error, const char *why) {
    if (error) snprintf(error->text, sizeof error->text, "the session's part of it %s", why);
    return QD_ERR_CORRUPT;
}

qd_status qdi_session_state_read(const unsigned char *bytes, size_t size, qdi_session_state *state,
                                 qd_error *error) {
    const unsigned char *at = bytes;
    if (!bytes || size < 8) return refuse_state(error, "is truncated");
    if (qdi_get_u32(&at) != magic) return refuse_state(error, "is foreign");
    if (qdi_get_u32(&at) != STATE_VERSION) return refuse_state(error, "is of another version");
    if (size < QDI_SESSION_STATE_BYTES) return refuse_state(error, "is truncated");
    const unsigned char *end = bytes + QDI_SESSION_STATE_BYTES - 8;
    if (qdi_get_u64(&end) != qd_hash_bytes(bytes, QDI_SESSION_STATE_BYTES - 8))
        return refuse_state(error, "is damaged");
    state->frames = qdi_get_u64(&at);
    state->view_speed = qdi_get_f64(&at);
    state->energy_first = qdi_get_f64(&at);
    state->past_bytes = qdi_get_u64(&at);
    state->past_hash = qdi_get_u64(&at);
    state->field_bytes = qdi_get_u64(&at);
    state->distribution_bytes = qdi_get_u64(&at);
    state->wall_ns = qdi_get_u64(&at);
    state->ended = qdi_get_u64(&at);
    state->stage_ended = qdi_get_u64(&at);
    state->led = qdi_get_u64(&at);
    get_memory(&at, state->until);
    get_memory(&at, state->stage_until);
    state->profile.steps = qdi_get_u64(&at);
    state->profile.body_steps = qdi_get_u64(&at);
    for (int phase = 0; phase < QD_PHASE_COUNT; ++phase) {
        state->profile.wall_ns[phase] = qdi_get_u64(&at);
        state->recorded_ns[phase] = qdi_get_u64(&at);
        state->profile.loop_ns[phase] = qdi_get_u64(&at);
        state->profile.alone_ns[phase] = qdi_get_u64(&at);
        for (int thread = 0; thread < QDI_SESSION_THREADS; ++thread)
            state->profile.busy_ns[phase][thread] = qdi_get_u64(&at);
    }
    size -= QDI_SESSION_STATE_BYTES;
    if (size != state->past_bytes)
        return refuse_state(error, size < state->past_bytes ? "is truncated" : "is too long");
    if (state->field_bytes > size || state->distribution_bytes > size - state->field_bytes)
        return refuse_state(error, "is damaged");
    if (size > 0 && state->past_hash != qd_hash_bytes(bytes + QDI_SESSION_STATE_BYTES, size))
        return refuse_state(error, "is damaged");
    return QD_OK;
}
