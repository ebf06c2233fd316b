#pragma once

#include "tools/host/json.h"
#include "tools/host/others.h"
#include "tools/host/pin.h"
#include "tools/scale/analysis.h"

#include <stdio.h>

/// A finished scaling test, and how it is told.

/// Where, with what and on what it was measured.
typedef struct qdi_scale_origin {
    const char *commit, *compiler, *flags;
    char cpu[128], system[200], governor[64], started[32];
    int cores, affinity;          ///< affinity 0: not known
    double quota;                 ///< processors' worth of time; 0: none
    double load_first, load_last; ///< of the machine over a minute; < 0: not known
} qdi_scale_origin;

/// Fills in what is known before the first run.
void qdi_scale_origin_look(qdi_scale_origin *origin);

typedef struct qdi_scale_report {
    const qdi_scale_plan *plan;
    qdi_scale_origin origin;
    const char *scene; ///< its name
    const char *simd;
    const qdi_scale_sample *samples; ///< by turn
    const uint64_t *step_ns;         ///< by turn and step
    const qdi_scale_result *results; ///< by configuration
    const uint64_t *scene_hashes;    ///< by configuration
    const qdi_pin *pins;             ///< by the plan's numbers of threads; NULL: no thread is bound
    bool equal;                      ///< the hashes are
    const char *uncounted;    ///< why not all of the processor's counters are there; "" or NULL: they are
    qdi_others_reason others; ///< what qdi_others_end said of the whole test
} qdi_scale_report;

/// Why the test's times are not reliable, "" where nothing speaks against them: in a configuration that can
/// run at once threads had something to do and no processor, or other programs were at work.
qdi_others_reason qdi_scale_unreliable(const qdi_scale_report *report);

/// What the test says of a series whose largest member is `largest` (NULL: none): qdi_scale_verdict's
/// sentence, or that the times are not reliable, and then nothing of what limits. "" where there is nothing
/// to say.
void qdi_scale_conclude(const qdi_scale_report *report, bool strong, uint64_t bodies,
                        const qdi_scale_result *largest, char *text, size_t bytes);

/// The result of so many bodies with so many threads, or NULL.
const qdi_scale_result *qdi_scale_result_of(const qdi_scale_report *report, uint64_t bodies, int threads);

/// Where the threads of a configuration are bound to; NULL: nowhere.
const qdi_pin *qdi_scale_pin_of(const qdi_scale_report *report, const qdi_scale_config *config);

/// The n-th member of a series (strong: of `bodies` bodies; weak: of so many for each thread), or NULL where
/// it has no such configuration. n counts the plan's numbers of threads; n = 0 is what the others are
/// compared with.
const qdi_scale_result *qdi_scale_member(const qdi_scale_report *report, bool strong, uint64_t bodies,
                                         size_t n);
qdi_scale_gain qdi_scale_member_gain(const qdi_scale_report *report, bool strong, uint64_t bodies, size_t n,
                                     size_t phase);

/// The largest member that is not beyond what can run at once; NULL where none is larger than the first.
const qdi_scale_result *qdi_scale_largest(const qdi_scale_report *report, bool strong, uint64_t bodies);

// ---- csv.c ----

/// A heading, then a line for each run as it is made: scale.csv.
void qdi_scale_csv_head(FILE *out);
void qdi_scale_csv_run(FILE *out, const qdi_scale_report *report, size_t turn);
/// Each thread's time in each phase of each run: phases.csv.
void qdi_scale_csv_phases(FILE *out, const qdi_scale_report *report);
/// The time of each step of each run: steps.csv.
void qdi_scale_csv_steps(FILE *out, const qdi_scale_report *report);

// ---- json.c ----

/// All of it as one object. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_scale_json(qdi_json *json, const qdi_scale_report *report);
/// Parts of it: machine and build; what was to be measured.
void qdi_scale_json_origin(qdi_json *json, const qdi_scale_origin *origin);
void qdi_scale_json_plan(qdi_json *json, const qdi_scale_plan *plan);

// ---- table.c ----

/// Tables, verdicts and advice. `every_thread`: also what each thread did in each phase.
void qdi_scale_print(FILE *out, const qdi_scale_report *report, bool every_thread);

// ---- plot.c ----

/// What can be drawn.
typedef enum qdi_scale_picture {
    QDI_SCALE_TIME,
    QDI_SCALE_SPEEDUP,
    QDI_SCALE_EFFICIENCY,
    QDI_SCALE_STACK,
    QDI_SCALE_WEAK,
    QDI_SCALE_PICTURES
} qdi_scale_picture;

/// "time", ...: the file is NAME.png.
const char *qdi_scale_picture_name(qdi_scale_picture picture);
/// Whether this test has what the picture shows.
bool qdi_scale_picture_there(const qdi_scale_report *report, qdi_scale_picture picture);
/// A script for gnuplot, data included, that draws it to gnuplot's stdout.
void qdi_scale_plot(FILE *out, const qdi_scale_report *report, qdi_scale_picture picture);
