#ifndef QD_TESTS_RUNDIRS_H
#define QD_TESTS_RUNDIRS_H

/// What is in a run directory and must be the same however the run came to its end: names, sizes and hashes of scene, frames and manifest,
/// result.json, and every row of run.db, as lines of text. Left out are times of the clock (columns and keys with `wall` or `ns` in their
/// names, phases and memory) and which checkpoints there are. free() it.
char *qd_rundir_content(const char *directory);

/// Fails the test where two contents differ, with the first line in which they do.
void qd_rundir_expect_same(const char *expected, const char *found, const char *after);

#endif
