#pragma once

#include <check.h>
#include <quadrille/alloc.h>
#include <quadrille/random.h>
#include <quadrille/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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

/// A number in [low, high); a whole number from 0 on below `end`.
double qd_test_between(qd_random *random, double low, double high);
size_t qd_test_below(qd_random *random, size_t end);

/// An allocator on the C heap whose call number `fail_at` (1 = the first) returns NULL, and which counts what
/// it has out. fail_at 0 never fails. Thread safe.
typedef struct qd_test_allocator {
    qd_allocator allocator; ///< hand out &this
    size_t calls, fail_at, live, live_bytes, most_bytes;
} qd_test_allocator;
/// What `self` is to be: `qd_test_allocator memory = qd_test_allocator_of(&memory, 1)`.
qd_test_allocator qd_test_allocator_of(qd_test_allocator *self, size_t fail_at);
/// Whether what was tried with it has succeeded; ends the test unless that or lack of memory has come of it,
/// and everything was given back.
bool qd_test_had_memory(const qd_test_allocator *allocator, qd_status status);

/// 1 in a build with ThreadSanitizer, whose runtime maps files of its own and dies where their size is
/// limited.
#ifdef __has_feature
#    define QD_TEST_THREAD_SANITIZER __has_feature(thread_sanitizer)
#else
#    define QD_TEST_THREAD_SANITIZER 0
#endif

/// Ends the test with a seed, a number and a text of this form, unless the condition holds.
#define QD_TEST_CHECK(condition, seed, what, number, ...)                                                    \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            char qd_test_text[640];                                                                          \
            snprintf(qd_test_text, sizeof qd_test_text, __VA_ARGS__);                                        \
            ck_abort_msg("seed %llu " what " %d: %s", (unsigned long long)(seed), number, qd_test_text);     \
        }                                                                                                    \
    } while (0)

/// Runs cases of a randomized test: the seeds of its part `part`, as many as `normal` and QD_TEST_EFFORT say;
/// or that of QD_TEST_SEED alone.
void qd_test_seeds(size_t normal, int part, void (*run)(uint64_t seed));

/// A variable that gives back what it has when its scope ends, as `qd_own(qd_world) world = ...`: a pointer,
/// or a structure. QD_OWN_POINTER and QD_OWN_VALUE say by which function, once for each type.
#define qd_own(type) __attribute__((cleanup(type##_own_end))) type##_own
#define QD_OWN_POINTER(type, end)                                                                            \
    typedef __typeof__(type) *type##_own;                                                                    \
    static inline void type##_own_end(type##_own *held) {                                                    \
        end(*held);                                                                                          \
    }
#define QD_OWN_VALUE(type, end)                                                                              \
    typedef type type##_own;                                                                                 \
    static inline void type##_own_end(type##_own *held) {                                                    \
        end(held);                                                                                           \
    }
/// The same of memory that free gives back: `qd_own_memory char *text = ...`.
#define qd_own_memory __attribute__((cleanup(qd_test_free)))
void qd_test_free(void *pointer_to_memory);
/// Memory as of malloc and of calloc; ends the test where there is none.
void *qd_test_memory(size_t bytes);
void *qd_test_zeros(size_t count, size_t size);

/// What a program registers before its main begins.
typedef struct qd_test_entry {
    TTest test;
    int first, end;
    struct qd_test_entry *next;
} qd_test_entry;
void qd_test_register(qd_test_entry *entry);

/// Defines a test, which the program runs once; or several times, with _i from `from` on below `below`. Tests
/// run in the order in which the program's file has them.
#define QD_TEST(name) QD_TEST_LOOP(name, 0, 1)
#define QD_TEST_LOOP(name, from, below)                                                                      \
    static void name(int _i);                                                                                \
    __attribute__((constructor)) static void name##_register(void) {                                         \
        static qd_test_entry entry = {{#name, name, __FILE__, __LINE__}, 0, 0, NULL};                        \
        entry.first = (int)(from);                                                                           \
        entry.end = (int)(below);                                                                            \
        qd_test_register(&entry);                                                                            \
    }                                                                                                        \
    static void name(int _i CK_ATTRIBUTE_UNUSED)

/// Runs the program's tests as a suite, those whose name has QD_TEST_ONLY in it where that is set, and
/// returns main's value. `seconds`: what a test may take (0: 120; five times as many on any machine, see
/// CK_TIMEOUT_MULTIPLIER); `before` and `after`: what is done before and after each (NULL: nothing).
int qd_test_main(const char *suite_name, double seconds, SFun before, SFun after);
/// A main that does so.
#define QD_TEST_MAIN(suite_name, seconds, before, after)                                                     \
    int main(void) {                                                                                         \
        return qd_test_main(suite_name, seconds, before, after);                                             \
    }
