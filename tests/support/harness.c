#define _POSIX_C_SOURCE 200809L // setenv
#include "tests/support/harness.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Limits of time are there to end what hangs: on a machine that is slow and busy, too, they must not end
/// what does not. Before any case is made; what the caller has set stays.
__attribute__((constructor)) static void set_limits(void) {
    (void)setenv("CK_DEFAULT_TIMEOUT", "120", 0);
    (void)setenv("CK_TIMEOUT_MULTIPLIER", "5", 0);
}

size_t qd_test_effort(size_t normal) {
    const char *effort = getenv("QD_TEST_EFFORT");
    if (effort && strcmp(effort, "small") == 0) return normal < 10 ? 1 : normal / 10;
    if (effort && strcmp(effort, "large") == 0) return normal * 10;
    return normal;
}

int qd_test_replaying(void) {
    return getenv("QD_TEST_SEED") != NULL;
}

uint64_t qd_test_seed(uint64_t standard) {
    const char *seed = getenv("QD_TEST_SEED"), *from = getenv("QD_TEST_FROM");
    return seed ? strtoull(seed, NULL, 0) : standard + (from ? strtoull(from, NULL, 0) : 0);
}

void qd_test_count(size_t cases) {
    printf("%zu cases\n", cases);
}

void qd_test_seeds(size_t normal, int part, void (*run)(uint64_t seed)) {
    const size_t cases = qd_test_replaying() ? 1 : qd_test_effort(normal);
    const uint64_t first = qd_test_seed(1000000 * (uint64_t)part);
    for (size_t k = 0; k < cases; ++k) run(first + k);
}

static pthread_mutex_t allocator_lock = PTHREAD_MUTEX_INITIALIZER;

static void *test_allocate(void *context, size_t bytes) {
    qd_test_allocator *allocator = context;
    void *memory = NULL;
    pthread_mutex_lock(&allocator_lock);
    if (++allocator->calls != allocator->fail_at) {
        memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
        if (memory) {
            memset(memory, 0xa5, bytes); // whoever reads what was never written finds something strange
            allocator->live += 1;
            allocator->live_bytes += bytes;
            if (allocator->live_bytes > allocator->most_bytes) allocator->most_bytes = allocator->live_bytes;
        }
    }
    pthread_mutex_unlock(&allocator_lock);
    return memory;
}

static void test_release(void *context, void *memory, size_t bytes) {
    qd_test_allocator *allocator = context;
    pthread_mutex_lock(&allocator_lock);
    allocator->live -= 1;
    allocator->live_bytes -= bytes;
    pthread_mutex_unlock(&allocator_lock);
    free(memory);
}

qd_test_allocator qd_test_allocator_of(qd_test_allocator *self, size_t fail_at) {
    return (qd_test_allocator){.allocator = {test_allocate, test_release, self}, .fail_at = fail_at};
}

void qd_test_free(void *pointer_to_memory) {
    void *memory;
    memcpy(&memory, pointer_to_memory, sizeof memory);
    free(memory);
}

void *qd_test_memory(size_t bytes) {
    void *memory = malloc(bytes > 0 ? bytes : 1);
    ck_assert_ptr_nonnull(memory);
    return memory;
}

void *qd_test_zeros(size_t count, size_t size) {
    void *memory = calloc(count > 0 ? count : 1, size);
    ck_assert_ptr_nonnull(memory);
    return memory;
}

bool qd_test_had_memory(const qd_test_allocator *allocator, qd_status status) {
    ck_assert_uint_eq(allocator->live, 0);
    ck_assert_msg(status == QD_OK || status == QD_ERR_MEMORY, "allocation %zu: %s", allocator->fail_at,
                  qd_status_text(status));
    return status == QD_OK;
}

double qd_test_between(qd_random *random, double low, double high) {
    return low + (high - low) * qd_random_uniform(random);
}

size_t qd_test_below(qd_random *random, size_t end) {
    return (size_t)(qd_random_bits(random) % end);
}

static qd_test_entry *entries; // by line

void qd_test_register(qd_test_entry *entry) {
    qd_test_entry **at = &entries;
    while (*at && (*at)->test.line < entry->test.line) at = &(*at)->next;
    entry->next = *at;
    *at = entry;
}

int qd_test_main(const char *suite_name, double seconds, SFun before, SFun after) {
    const char *only = getenv("QD_TEST_ONLY");
    TCase *tests = tcase_create(suite_name);
    if (seconds > 0) tcase_set_timeout(tests, seconds);
    if (before || after) tcase_add_checked_fixture(tests, before, after);
    for (const qd_test_entry *e = entries; e; e = e->next)
        if (!only || strstr(e->test.name, only)) tcase_add_loop_test(tests, &e->test, e->first, e->end);
    Suite *suite = suite_create(suite_name);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
