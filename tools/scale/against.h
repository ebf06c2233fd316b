#pragma once

#include "tools/host/statistics.h"
#include "tools/scale/sample.h"

/// Two builds of the program held against each other: pairs of runs, one of each build, and what their ratios
/// say.

/// What one run of one build found.
typedef struct qdi_against_run {
    uint64_t bodies, hash, scene_hash;
    uint64_t
        ns[QDI_SCALE_PHASES + 1]; ///< by phase, the whole steps last; 0 for a phase that it does not know
    char commit[64];              ///< of the build; "" where it does not say
} qdi_against_run;

/// Two runs of one configuration, one right after the other.
typedef struct qdi_against_pair {
    qdi_against_run here, there; ///< of this build, and of the other
    bool there_first;
} qdi_against_pair;

typedef enum qdi_against_change {
    QDI_AGAINST_UNSEEN,  ///< the interval includes 1
    QDI_AGAINST_FASTER,  ///< this build
    QDI_AGAINST_SLOWER,  ///< this build
    QDI_AGAINST_TOO_FEW, ///< pairs, for an interval that is worth a word
    QDI_AGAINST_NONE     ///< no times to compare
} qdi_against_change;

/// How a phase, or the step, of one configuration compares.
typedef struct qdi_against_part {
    double here, there;       ///< ns per step: medians
    qdi_scale_interval ratio; ///< of the pairs' times: here over there
    qdi_against_change change;
} qdi_against_part;

typedef struct qdi_against_result {
    const qdi_scale_config *config;
    uint64_t bodies;
    bool same_scene, same_state; ///< in all pairs
    qdi_against_part parts[QDI_SCALE_PHASES + 1];
} qdi_against_result;

/// Reads the two lines of a scale.csv with one run. NULL, or what is wrong with it.
const char *qdi_against_read(const char *text, qdi_against_run *run);

/// Compares the pairs of configuration `config`; `pairs` by turn. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_against_compare(const qdi_scale_plan *plan, const qdi_against_pair *pairs,
                                          size_t config, qdi_against_result *result);

/// "faster", "slower", "no difference seen", ...
const char *qdi_against_word(qdi_against_change change);

/// A test of two builds.
typedef struct qdi_against_job {
    const qdi_scale_plan *plan;
    const char *program;     ///< the other build, as the user named it
    const char *scene;       ///< the same
    const char *const *sets; ///< --set
    size_t set_count;
    const char *simd;      ///< NULL: each build chooses
    const char *pin;       ///< --pin; NULL: neither build is asked to
    const char *directory; ///< is there
    bool bodies_given;     ///< else the scene is taken as it is
    bool quiet, no_progress, json;
} qdi_against_job;

/// Makes all pairs of runs, writes against.csv (a line for each run) and at last against.json into the
/// directory, and prints tables, or the JSON. Each run of either build is a program that is started anew.
/// Returns an exit code, and has said why where it is not 0.
int qdi_against_measure(const qdi_against_job *job);
