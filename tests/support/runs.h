#pragma once

#include <stdint.h>

/// Run directories, looked at from outside: their files and the rows of run.db.

/// Ends the test unless two complete runs left the same: every frame and the list of them byte for byte,
/// scene.yaml, the values of result.json and all rows of run.db, but for what the clock, the threads and the
/// processor decide, and for which checkpoints there are.
void qd_runs_expect_same(const char *a, const char *b);

/// The same without frames and the list of them.
void qd_runs_expect_same_records(const char *a, const char *b);

/// The first value of a query as a whole number, -1 where there is no row.
int64_t qd_runs_number(const char *directory, const char *sql);

/// The same of a real number; NaN where there is no row.
double qd_runs_real(const char *directory, const char *sql);

/// Changes a database.
void qd_runs_change(const char *directory, const char *sql);
