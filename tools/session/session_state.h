#pragma once

#include "tools/session/until.h"

#include <quadrille/profile.h>
#include <quadrille/status.h>
#include <stddef.h>
#include <stdint.h>

/// What a session needs to go on from a checkpoint, beside the world: kept with it as bytes, the same on
/// every machine. Behind them stands what trails go back to (qd_frame_writer_past).
typedef struct qdi_session_state {
    uint64_t frames;             ///< handed in so far
    double view_speed;           ///< at the top of the colour map; NaN: not known yet
    double energy_first;         ///< at step 0
    uint64_t past_bytes;         ///< that stand behind it
    uint64_t field_bytes;        ///< the last ones of these: fields' means on their way (qd_field_save_sums),
    uint64_t distribution_bytes; ///< then those of distributions (qd_distributions_save)
    uint64_t past_hash;          ///< of those
    uint64_t wall_ns;            ///< spent so far
    uint64_t ended;              ///< number of the rule that ended the run, from 1; 0: none
    uint64_t stage_ended;        ///< the same of the world's stage
    uint64_t led;                ///< ranks have stepped the world (qdi_fleet_led)
    qdi_until_memory until[QD_UNTIL_MAX], stage_until[QD_UNTIL_MAX];
    qd_profile profile;
    uint64_t recorded_ns[QD_PHASE_COUNT]; ///< of the profile, when metrics were recorded last
} qdi_session_state;

enum {
    QDI_SESSION_THREADS = sizeof(((qd_profile *)0)->busy_ns[0]) / sizeof(uint64_t),
    /// Size of the bytes: two marks, thirteen numbers, those of each rule and phase, and a hash of all before
    /// it.
    QDI_SESSION_STATE_BYTES = 2 * 4 +
                              8 * (13 + 8 * QD_UNTIL_MAX + QD_PHASE_COUNT * (4 + QDI_SESSION_THREADS) + 1),
};

void qdi_session_state_write(const qdi_session_state *state, unsigned char bytes[QDI_SESSION_STATE_BYTES]);

/// Reads them; `size` is with the bytes behind, which are looked at, too. Errors: QD_ERR_CORRUPT, with the
/// reason: too short, too long, damaged, of another version.
QD_MUST_USE qd_status qdi_session_state_read(const unsigned char *bytes, size_t size,
                                             qdi_session_state *state, qd_error *error);
