#define _POSIX_C_SOURCE 200809L

#include "core/base/os.h"
#include "tests/support/harness.h"
#include "tests/support/scratch.h"
#include "tools/host/cgroup.h"
#include "tools/host/os.h"
#include "tools/host/threads.h"
#include "tools/host/threads_here.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const qdi_thread_facts machine = {.cores = 8, .affinity = 8};

QD_TEST(test_order_of_sources) {
    qdi_thread_facts facts = machine;
    facts.asked = 3;
    facts.omp = "4";
    facts.slurm = "5";
    qdi_thread_choice choice = qdi_threads_choose(&facts);
    ck_assert_int_eq(choice.threads, 3);
    ck_assert_str_eq(choice.reason, "--threads");
    facts.asked = 0;
    choice = qdi_threads_choose(&facts);
    ck_assert_int_eq(choice.threads, 4);
    ck_assert_str_eq(choice.reason, "OMP_NUM_THREADS");
    facts.omp = NULL;
    choice = qdi_threads_choose(&facts);
    ck_assert_int_eq(choice.threads, 5);
    ck_assert_str_eq(choice.reason, "SLURM_CPUS_PER_TASK");
    facts.slurm = "";
    choice = qdi_threads_choose(&facts);
    ck_assert_int_eq(choice.threads, 8);
    ck_assert_str_eq(choice.reason, "8 cores");
    for (size_t i = 0; i < 3; ++i) ck_assert_str_eq(choice.warnings[i], "");
}

QD_TEST(test_least_of_what_is_allowed) {
    qdi_thread_facts facts = machine;
    facts.affinity = 6;
    qdi_thread_choice choice = qdi_threads_choose(&facts);
    ck_assert_int_eq(choice.threads, 6);
    ck_assert_str_eq(choice.reason, "affinity: 6 of 8 cores");
    facts.quota = 2.5; // half a processor's time is still a third thread's
    choice = qdi_threads_choose(&facts);
    ck_assert_int_eq(choice.threads, 3);
    ck_assert_str_eq(choice.reason, "control group's quota: 2.5 of 8 cores");
    facts.quota = 0.1;
    ck_assert_int_eq(qdi_threads_choose(&facts).threads, 1);
    facts.quota = 100;
    ck_assert_int_eq(qdi_threads_choose(&facts).threads, 6);
    facts = (qdi_thread_facts){.cores = 4000};
    ck_assert_int_eq(qdi_threads_choose(&facts).threads, 1024);
    facts.cores = 1;
    choice = qdi_threads_choose(&facts);
    ck_assert_int_eq(choice.threads, 1);
    ck_assert_str_eq(choice.reason, "1 core");
}

static const struct {
    const char *text;
    int threads; ///< 0: to be ignored
} variables[] = {{"1", 1},
                 {" 7 ", 7},
                 {"4,2", 4},
                 {"4, 2", 4},
                 {"1024", 1024},
                 {"1025", 0},
                 {"0", 0},
                 {"-1", 0},
                 {"abc", 0},
                 {"3x", 0},
                 {"2.5", 0},
                 {",2", 0},
                 {"3 4", 0},
                 {" ", 0},
                 {"+2", 0},
                 {"0x2", 0},
                 {"1e1", 10},
                 {"4294967297", 0},
                 {"18446744073709551617", 0}};

QD_TEST_LOOP(test_variables, 0, (int)(sizeof variables / sizeof variables[0])) {
    qdi_thread_facts facts = machine;
    facts.omp = variables[_i].text;
    qdi_thread_choice choice = qdi_threads_choose(&facts);
    if (variables[_i].threads > 0) {
        ck_assert_int_eq(choice.threads, variables[_i].threads);
        ck_assert_str_eq(choice.warnings[0], "");
    } else {
        ck_assert_int_eq(choice.threads, 8);
        ck_assert_msg(strstr(choice.warnings[0], "OMP_NUM_THREADS") && strstr(choice.warnings[0], "ignored"),
                      "'%s'", choice.warnings[0]);
    }
}

QD_TEST(test_a_bad_variable_lets_the_next_one_decide) {
    qdi_thread_facts facts = machine;
    facts.omp = "many";
    facts.slurm = "2";
    qdi_thread_choice choice = qdi_threads_choose(&facts);
    ck_assert_int_eq(choice.threads, 2);
    ck_assert_str_eq(choice.reason, "SLURM_CPUS_PER_TASK");
    ck_assert_str_ne(choice.warnings[0], "");
    ck_assert_str_eq(choice.warnings[1], "");
}

QD_TEST(test_more_than_there_are_is_allowed_with_a_warning) {
    qdi_thread_facts facts = machine;
    facts.asked = 9;
    qdi_thread_choice choice = qdi_threads_choose(&facts);
    ck_assert_int_eq(choice.threads, 9);
    ck_assert_ptr_nonnull(strstr(choice.warnings[2], "8 cores"));
    facts.asked = 8;
    ck_assert_str_eq(qdi_threads_choose(&facts).warnings[2], "");
    facts.quota = 2;
    ck_assert_ptr_nonnull(strstr(qdi_threads_choose(&facts).warnings[2], "quota"));
}

QD_TEST(test_few_bodies_take_fewer) {
    static const struct {
        uint64_t bodies;
        int threads;
    } cases[] = {{0, 1}, {1999, 1}, {2000, 1}, {4000, 2}, {15999, 7}, {16000, 8}, {UINT64_MAX, 8}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        qdi_thread_choice choice = qdi_threads_choose(&machine);
        qdi_threads_fit(&choice, cases[i].bodies);
        ck_assert_int_eq(choice.threads, cases[i].threads);
        ck_assert_str_eq(choice.reason,
                         cases[i].threads < 8 ? "8 cores; so few bodies need no more" : "8 cores");
    }
    qdi_thread_facts facts[3] = {machine, machine, machine};
    facts[0].asked = 4;
    facts[1].omp = "4";
    facts[2].slurm = "4";
    for (size_t i = 0; i < 3; ++i) { // what was asked for is done
        qdi_thread_choice choice = qdi_threads_choose(&facts[i]);
        qdi_threads_fit(&choice, 10);
        ck_assert_int_eq(choice.threads, 4);
    }
}

QD_TEST(test_this_machine) {
    ck_assert_int_ge(qdi_host_cores(), 1);
    ck_assert_int_ge(qdi_host_affinity(), 1);
    ck_assert(qdi_cgroup_quota("") >= 0);
    ck_assert_uint_gt(qdi_os_peak_memory(), 100000);
    ck_assert_int_gt(qdi_host_terminal_width(), 0);
}

QD_TEST(test_pictures_take_what_is_left) {
    (void)setenv("OMP_NUM_THREADS", "8", 1);
    static const int cases[][2] = {{1, 4}, {4, 4}, {5, 3}, {7, 1}, {8, 1}, {20, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        ck_assert_int_eq(qdi_threads_for_frames(cases[i][0]), cases[i][1]);
}

/// Puts a file under a root of the test's own, with the directories it needs.
static void plant(const qd_scratch *root, const char *name, const char *text) {
    qd_scratch_path path = qd_scratch_at(root, name);
    for (char *slash = path.text + strlen(root->path) + 1; (slash = strchr(slash, '/')) != NULL; ++slash) {
        *slash = '\0';
        (void)mkdir(path.text, 0777);
        *slash = '/';
    }
    qd_scratch_write(path.text, text);
}

static void near(double is, double expected) {
    ck_assert_msg(fabs(is - expected) < 1e-12, "%g is not %g", is, expected);
}

QD_TEST(test_quota_version_2) {
    qd_scratch root = qd_scratch_make();
    near(qdi_cgroup_quota(root.path), 0); // nothing there
    plant(&root, "proc/self/cgroup", "0::/a/b\n");
    near(qdi_cgroup_quota(root.path), 0);
    plant(&root, "sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
    near(qdi_cgroup_quota(root.path), 0);
    plant(&root, "sys/fs/cgroup/a/cpu.max", "250000 100000\n"); // the group above counts
    near(qdi_cgroup_quota(root.path), 2.5);
    plant(&root, "sys/fs/cgroup/a/b/cpu.max", "150000 100000\n");
    near(qdi_cgroup_quota(root.path), 1.5);
    plant(&root, "sys/fs/cgroup/cpu.max", "50000 100000\n");
    near(qdi_cgroup_quota(root.path), 0.5);
    plant(&root, "sys/fs/cgroup/cpu.max", "garbage\n");
    near(qdi_cgroup_quota(root.path), 1.5);
    plant(&root, "proc/self/cgroup", "0::/\n");
    plant(&root, "sys/fs/cgroup/cpu.max", "300000 100000\n");
    near(qdi_cgroup_quota(root.path), 3);
    qd_scratch_remove(&root);
}

QD_TEST(test_quota_version_1) {
    qd_scratch root = qd_scratch_make();
    plant(&root, "proc/self/cgroup", "12:memory:/job\n4:cpu,cpuacct:/job\n3:cpuset:/other\n");
    plant(&root, "sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "-1\n");
    plant(&root, "sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
    near(qdi_cgroup_quota(root.path), 0);
    plant(&root, "sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "400000\n");
    near(qdi_cgroup_quota(root.path), 4);
    // In a container the path is the host's, and the mount point is the container's own group.
    plant(&root, "proc/self/cgroup", "4:cpuacct,cpu:/docker/0123\n");
    near(qdi_cgroup_quota(root.path), 0);
    plant(&root, "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "150000\n");
    plant(&root, "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    near(qdi_cgroup_quota(root.path), 1.5);
    plant(&root, "proc/self/cgroup", "no colons here\n");
    near(qdi_cgroup_quota(root.path), 0);
    qd_scratch_remove(&root);
}

QD_TEST_MAIN("threads", 0, NULL, NULL)
