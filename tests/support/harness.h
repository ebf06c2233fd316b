#ifndef QD_TESTS_HARNESS_H
#define QD_TESTS_HARNESS_H

#include <check.h>
#include <quadrille/alloc.h>
#include <stddef.h>
#include <stdint.h>

/// What every test program shares: how much to do, seeds that can be replayed, and an allocator that fails on
/// request.

/// QD_TEST_EFFORT: `small` (sanitizers), `normal` (default) or `large` (the long validations). Returns
/// `normal` scaled: a tenth (at least 1) for small, ten times for large.
size_t qd_test_effort(size_t normal);

/// The first seed of a randomized test: QD_TEST_SEED where set (then only that seed should be run), else
/// `standard`, and QD_TEST_FROM more. Print the seed in every failure text.
uint64_t qd_test_seed(uint64_t standard);
/// Prints how many cases a randomized test has passed, for tools/seeds.
void qd_test_count(size_t cases);
/// True where QD_TEST_SEED is set.
int qd_test_replaying(void);

/// An allocator on the C heap whose call number `fail_at` (1 = the first) returns NULL, and which counts what
/// it has out. fail_at 0 never fails. Thread safe.
typedef struct qd_test_allocator {
    qd_allocator allocator; ///< hand out &this
    size_t calls, fail_at, live, live_bytes;
} qd_test_allocator;
void qd_test_allocator_init(qd_test_allocator *allocator, size_t fail_at);

/// 1 in a build with ThreadSanitizer, whose runtime maps files of its own and dies where their size is
/// limited.
#ifdef __has_feature
#    define QD_TEST_THREAD_SANITIZER __has_feature(thread_sanitizer)
#else
#    define QD_TEST_THREAD_SANITIZER 0
#endif

/// Runs a suite the way every test program does and returns main's value.
int qd_test_run(Suite *suite);

/// For programs with one group of tests: makes it, with seconds that a test may take (0: what check says) and
/// what is done before and after each (NULL: nothing); and runs it as a suite, as above.
TCase *qd_test_case(const char *name, double seconds, SFun before, SFun after);
int qd_test_run_case(const char *name, TCase *tests);

#endif
