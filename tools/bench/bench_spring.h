#pragma once

#include "tools/bench/output.h"

#include <quadrille/profile.h>
#include <quadrille/simd.h>
#include <quadrille/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whole steps of disks on springs, ours beside LAMMPS's: the same disks, laws, and step, from the same
/// state. As both do the same arithmetic but for its order, they must agree on where the disks are in the
/// end.

typedef struct qdi_spring_case {
    const char *name; ///< as --spring takes it
    double friction;  ///< 0: LAMMPS has gran/hooke, which keeps no history; else gran/hooke/history
    double fill;      ///< area fraction; 0: a heap at rest
    size_t bodies;    ///< by default
} qdi_spring_case;

/// Bench of springs: case number `number`, NULL past the last.
const qdi_spring_case *qdi_spring_case_at(size_t number);

/// Called after every step of ours and every run of LAMMPS; returns false to stop.
typedef bool (*qdi_spring_tick)(void *context);

enum { QDI_SPRING_OURS, QDI_SPRING_LAMMPS, QDI_SPRING_METHODS };

typedef struct qdi_spring_plan {
    const qdi_spring_case *of;
    size_t bodies;
    size_t warm, steps; ///< that are dropped, and that count
    size_t repeats;
    int threads;               ///< ranks of LAMMPS
    const struct qdi_pin *pin; ///< of ours; NULL: they are not bound
    qd_simd simd;
    bool peer; ///< LAMMPS is there
    uint64_t seed;
    qdi_spring_tick tick;
    void *context;
} qdi_spring_plan;

/// Times are nanoseconds per body and step, each sample being the mean over the steps of a repeat.
typedef struct qdi_spring_row {
    const char *method;
    qdi_statistics ns;
    double cpu; ///< of all processors together, median; 0: unknown
} qdi_spring_row;

typedef struct qdi_spring_report {
    const qdi_spring_plan *plan;
    qdi_spring_row rows[QDI_SPRING_METHODS];
    size_t count;
    double phases[QD_PHASE_EXPORT]; ///< of ours, in the last repeat
    size_t contacts;                ///< in the end
    double collisions;              ///< of a disk, on average
    double kinetic;                 ///< energy in the end
    /// Largest difference of the two in the end, in any place (periods apart), velocity or spin, over the
    /// larger of 1 and the value; 0 where there is one only.
    double difference;
    char version[64]; ///< of LAMMPS
} qdi_spring_report;

/// The largest difference with which two are said to agree: what rounding grows to.
#define QDI_SPRING_AGREE 1e-6

/// Measures. `*stopped`: tick said so, the report means nothing. Errors: QD_ERR_MEMORY, and what either side
/// answers, with the reason.
QD_MUST_USE qd_status qdi_spring_run(const qdi_spring_plan *plan, qdi_spring_report *report, bool *stopped,
                                     qd_error *error);

/// Bench of springs: how many times as fast as LAMMPS ours is, by the clock or by the time of processors, or
/// 0.
double qdi_spring_ratio(const qdi_spring_report *report);
double qdi_spring_cpu_ratio(const qdi_spring_report *report);
qdi_bench_results qdi_spring_results_of(const qdi_spring_report *report);
