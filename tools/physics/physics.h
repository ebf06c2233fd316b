#pragma once

#include "tools/host/statistics.h"
#include "tools/physics/gas.h"

#include <stdbool.h>
#include <stddef.h>

/// What tools/validate is made of. A case plans jobs: runs of worlds of their own, each on one thread, which
/// know nothing of each other and so may run side by side in any order. Each job leaves numbers, and from
/// those of all its jobs a case makes rows: what was measured, what it should be, and the same with an error
/// planted on purpose, which must be noticed. Everything is a function of fixed seeds, so a row is the same
/// in every run.

enum { QDI_SERIES = 3, QDI_BLOCKS = 8 };

typedef struct qdi_job qdi_job;

/// Does a job's work and fills in what it measured.
typedef qd_status (*qdi_job_function)(qdi_job *job, qd_error *error);

struct qdi_job {
    qdi_job_function work;
    qdi_gas_def gas;
    double settle, time;                   ///< how long it runs before, and while it is measured
    double setting;                        ///< of the case's own
    double planted, heavier;               ///< errors of the case's own
    double series[QDI_SERIES][QDI_BLOCKS]; ///< averages over parts of the time, in order
    int looks;                             ///< at the speeds, in each part
    double *speeds; ///< that were seen; allocated by `work` (qd_allocator_default), freed with the plan.
                    ///< NULL: none
    size_t speed_count, speed_room;
    qd_status status;
    qd_error error; ///< why it failed
    double seconds; ///< that it took
};

/// The jobs of a case. Zeroed: none.
typedef struct qdi_plan {
    bool brief; ///< as little as still gives the errors that rows must have
    int lammps; ///< a qdi_lammps_way
    qdi_job *jobs;
    size_t count, room;
    qd_status status; ///< QD_ERR_MEMORY: not all that were added are here
} qdi_plan;

/// Adds `seeds` jobs like this one, with seeds of their own that follow from that of its gas.
void qdi_plan_add(qdi_plan *plan, const qdi_job *job, int seeds);
/// Physics: adds jobs that do this work with `setting`, `seeds` of them as they should be, and then `twins`
/// with the error `planted`.
void qdi_plan_twins(qdi_plan *plan, qdi_job_function work, double setting, int seeds, double planted,
                    int twins);
void qdi_plan_free(qdi_plan *plan);

/// The estimate of series number `series` over jobs [first, first + count).
qdi_estimate qdi_plan_estimate(const qdi_plan *plan, size_t first, size_t count, int series);

/// Physics: of what is not left to chance.
static inline qdi_estimate qdi_exactly(double value) {
    return (qdi_estimate){value, 0};
}

/// For runs that leave one number each: all blocks are that number, and chance is between runs, of which
/// there are at most 64.
void qdi_job_keep(qdi_job *job, int series, double value);
qdi_estimate qdi_plan_estimate_runs(const qdi_plan *plan, size_t first, size_t count, int series);

/// A row of the table.
typedef struct qdi_row {
    char name[48];
    double measured, reference, error, tolerance; ///< error 0: nothing is left to chance
    double error_allowed; ///< largest standard error with which the row may pass; 0: a third of the tolerance
    bool pass;
    char planted[64]; ///< what was done wrong in the twin; "": the row has none
    double twin, twin_error;
    bool twin_fails; ///< as it must
    char note[160];  ///< for people; may be ""
} qdi_row;

typedef struct qdi_rows {
    qdi_row *rows;
    size_t count, room;
    qd_status status;
} qdi_rows;

/// Adds a row that passes where |measured - reference| <= max(tolerance, 6 errors) and the error is small
/// enough. The result is there until the next call; NULL where memory ran out, which `status` keeps.
qdi_row *qdi_rows_add(qdi_rows *rows, const char *name, qdi_estimate measured, double reference,
                      double tolerance);
/// Physics: gives a row its twin, which fails where it is off by more than max(tolerance, 6 errors). An error
/// that is planted makes at least four tolerances. `row` may be NULL.
void qdi_row_twin(qdi_row *row, const char *planted, qdi_estimate twin);
/// Physics: sets a row's note, as printf prints it. `row` may be NULL.
void qdi_row_note(qdi_row *row, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// Physics: judges a row, again where `error_allowed` was set.
void qdi_row_judge(qdi_row *row);
void qdi_rows_free(qdi_rows *rows);

typedef struct qdi_case qdi_case;
struct qdi_case {
    const char *name;
    const char *about; ///< one line
    double value;      ///< in which cases of a kind differ
    void (*plan)(const qdi_case *self, qdi_plan *plan);
    void (*judge)(const qdi_case *self, const qdi_plan *plan, qdi_rows *rows);
    bool long_only; ///< not part of the short form
};

/// The cases of each file; the one after the last has no name.
extern const qdi_case qdi_cases_state[], qdi_cases_cooling[], qdi_cases_order[], qdi_cases_drives[],
    qdi_cases_hopper[], qdi_cases_walls[], qdi_cases_lammps[], qdi_cases_elastic[];

/// Physics report: the table: its head, rows as they come (from number `first` on), and what it ends with.
void qdi_report_head(void);
void qdi_report_rows(const qdi_rows *rows, size_t first);
/// Physics report: all rows as JSON, on stdout. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_report_json(const qdi_rows *rows);
