// The processor's counters: where there are none, or they are refused, they are absent and the reason is
// said; the way that they are read, by an event of the system's own, which every machine has.
#define _POSIX_C_SOURCE 200809L // clock_gettime
#include "core/parallel/parallel.h"
#include "tests/support/harness.h"
#include "tests/support/refused.h"
#include "tools/host/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

QD_TEST_LOOP(refused_counters_are_absent, 0, 5) {
    static const struct {
        int error;
        const char *said;
    } cases[] = {{EACCES, "does not let this process see them"},
                 {EPERM, "does not let this process see them"},
                 {ENOENT, "has none"},
                 {ENOSYS, "no such call"},
                 {EMFILE, "error 24"}};
    char why[128];
    qdi_counters counters;
    qd_refuse_counters(cases[_i].error);
    qdi_counters_start(&counters, why, sizeof why);
    ck_assert_msg(strstr(why, cases[_i].said) && !strchr(why, '\n'), "%s", why);
    const qdi_counts first = qdi_counters_now(&counters), between = qdi_counts_between(&first, &first);
    for (int i = 0; i < QDI_COUNTERS; ++i) {
        ck_assert_int_eq(counters.descriptors[i], -1);
        ck_assert(!first.known[i] && !between.known[i]);
        ck_assert(first.value[i] == 0 && between.value[i] == 0);
    }
    qdi_counters_stop(&counters);
}

// Here they are there or not; in either case all fits.
QD_TEST(counters_of_this_machine) {
    char why[128];
    qdi_counters counters;
    qdi_counters_start(&counters, why, sizeof why);
    bool all = true;
    for (int i = 0; i < QDI_COUNTERS; ++i) all = all && counters.descriptors[i] >= 0;
    ck_assert_int_eq(all, why[0] == '\0');
    const qdi_counts first = qdi_counters_now(&counters);
    volatile double sum = 0;
    for (int i = 0; i < 1000000; ++i) sum = sum + i;
    const qdi_counts last = qdi_counters_now(&counters), between = qdi_counts_between(&first, &last);
    // A processor that others use too may have counted something else all the while.
    for (int i = 0; i < QDI_COUNTERS; ++i) {
        if (counters.descriptors[i] < 0) ck_assert(!last.known[i]);
        if (i != QDI_COUNTER_CACHE_MISSES && between.known[i]) ck_assert_double_gt(between.value[i], 1e6);
    }
    qdi_counters_stop(&counters);
}

static void spin_range(void *context, size_t begin, size_t end) {
    (void)context;
    (void)begin;
    (void)end;
    const uint64_t until = qdi_clock_ns() + 1000000;
    while (qdi_clock_ns() < until) {
    }
}

// Threads that begin after a counter has are counted with it, while they run: by the time that they work,
// which the system counts.
QD_TEST(threads_are_counted_too) {
    int descriptor = qdi_counter_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
    if (descriptor < 0) return; // refused here
    qd_team_def def = qd_team_def_default();
    def.threads = 2;
    qd_team *team = NULL;
    ck_assert_int_eq(qd_team_create(&def, &team), QD_OK);
    double first = 0, last = 0;
    ck_assert(qdi_counter_read(descriptor, &first));
    const uint64_t end = qdi_clock_ns() + 20000000000U;
    while (qdi_team_busy_ns(team)[1] < 50000000 && qdi_clock_ns() < end)
        qdi_team_for(team, 8, 1, spin_range, NULL);
    ck_assert(qdi_counter_read(descriptor, &last));
    const uint64_t *busy = qdi_team_busy_ns(team);
    ck_assert_uint_ge(busy[1], 50000000);
    struct timespec own;
    ck_assert_int_eq(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &own), 0);
    const double own_ns = (double)own.tv_sec * 1e9 + (double)own.tv_nsec;
    ck_assert_msg(last - first > own_ns * 1.02, "%g ns counted, %g of them by this thread", last - first,
                  own_ns);
    qd_team_destroy(team);
    (void)close(descriptor);
}

QD_TEST(differences_need_both) {
    const qdi_counts none = {{false, false, false}, {0, 0, 0}}, some = {{true, false, true}, {10, 0, 7}},
                     more = {{true, true, true}, {25, 4, 5}};
    qdi_counts between = qdi_counts_between(&some, &more);
    ck_assert(between.known[0] && between.value[0] == 15);
    ck_assert(!between.known[1] && between.value[1] == 0);
    ck_assert(!between.known[2]); // it cannot go back
    between = qdi_counts_between(&none, &more);
    for (int i = 0; i < QDI_COUNTERS; ++i) ck_assert(!between.known[i]);
    ck_assert_str_eq(qdi_counter_name(QDI_COUNTER_CACHE_MISSES), "cache_misses");
    double value = 1;
    ck_assert(!qdi_counter_read(-1, &value) && value == 0);
}

QD_TEST_MAIN("counters", 60, NULL, NULL)
