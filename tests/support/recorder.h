#pragma once

#include <stdbool.h>
#include <stdint.h>

/// Run directories made through the library, with faults where a test wants them. Everything that fails ends
/// the test.

/// One bit of one body's velocity.x that turns by itself once a step is made.
typedef struct qd_plant {
    bool there;
    uint64_t step, label;
    int bit;
} qd_plant;

typedef struct qd_recording {
    const char *scene;   ///< YAML text, or the name of a built-in scene
    const char *sets[8]; ///< "key=value"; NULL ends them
    uint64_t bodies;     ///< 0: as the scene says
    int threads;         ///< 0: 1
    bool earlier;        ///< as by a version whose state hashes were of form 1
    uint64_t stop_at;    ///< steps after which the run breaks off, without a result; 0: it is complete
    qd_plant plant;
} qd_recording;

/// Makes the run directory `path`: scene.yaml, run.db with all that the scene asks for, frames/, result.json.
void qd_recording_make(const qd_recording *how, const char *path);

/// Runs SQL on PATH/run.db.
void qd_recording_sql(const char *path, const char *sql);
/// Turns one bit of byte `at` (from the end, where negative) of a blob or text; column `world` is that of a
/// snapshot or checkpoint, wherever it is kept.
void qd_recording_turn(const char *path, const char *table, const char *column, uint64_t step, long at,
                       int bit);
