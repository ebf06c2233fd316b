#include "tools/host/cgroup.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 4096 };

/// Limits of the host's cgroup: the least quota so far; 0 = none.
static double lower_quota(double least, double quota) {
    return quota > 0 && (least <= 0 || quota < least) ? quota : least;
}

/// Limits of the host's cgroup: reads one number from a file; false where there is none ("max", or no such
/// file).
static bool read_number(const char *directory, const char *name, double *value) {
    char path[PATH_SIZE + 32];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "r");
    if (!file) return false;
    bool read = fscanf(file, "%lf", value) == 1;
    (void)fclose(file);
    return read;
}

/// Limits of the host's cgroup: version 2: cpu.max holds "max PERIOD" or "QUOTA PERIOD", both in
/// microseconds.
static double quota_v2(const char *directory) {
    char path[PATH_SIZE + 32];
    snprintf(path, sizeof path, "%s/cpu.max", directory);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    double quota = 0, period = 0;
    bool read = fscanf(file, "%lf %lf", &quota, &period) == 2;
    (void)fclose(file);
    return read && quota > 0 && period > 0 ? quota / period : 0;
}

/// Limits of the host's cgroup: version 1: -1 is no quota.
static double quota_v1(const char *directory) {
    double quota = 0, period = 0;
    if (!read_number(directory, "cpu.cfs_quota_us", &quota)) return 0;
    if (!read_number(directory, "cpu.cfs_period_us", &period)) return 0;
    return quota > 0 && period > 0 ? quota / period : 0;
}

/// Limits of the host's cgroup: the least quota of a group and of all groups above it, up to the mount point.
/// Inside a container the group's path may name what only the host can see; then the mount point itself is
/// what counts, and it is looked at too.
static double least_quota(const char *mount, const char *group, double (*quota)(const char *)) {
    char directory[PATH_SIZE];
    int length = snprintf(directory, sizeof directory, "%s%s", mount, group);
    if (length < 0 || (size_t)length >= sizeof directory) return quota(mount);
    double least = 0;
    size_t mount_length = strlen(mount);
    for (;;) {
        least = lower_quota(least, quota(directory));
        char *slash = strrchr(directory, '/');
        if (!slash || (size_t)(slash - directory) < mount_length) return least;
        *slash = '\0';
    }
}

/// Limits of the host's cgroup: true where `name` is one of the comma-separated `names`.
static bool lists_controller(const char *names, size_t length, const char *name) {
    size_t want = strlen(name);
    for (const char *at = names, *end = names + length; at < end;) {
        size_t part = strcspn(at, ",:");
        if (part == want && memcmp(at, name, want) == 0) return true;
        at += part + 1;
    }
    return false;
}

double qdi_cgroup_quota(const char *root) {
    char path[PATH_SIZE], line[PATH_SIZE], mount[PATH_SIZE];
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    double least = 0;
    // Lines are NUMBER:CONTROLLERS:GROUP; version 2 has no controllers.
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        const char *controllers = strchr(line, ':');
        const char *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group) continue;
        ++controllers;
        size_t length = (size_t)(group - controllers);
        ++group;
        if (length == 0) {
            snprintf(mount, sizeof mount, "%s/sys/fs/cgroup", root);
            least = lower_quota(least, least_quota(mount, group, quota_v2));
        } else if (lists_controller(controllers, length, "cpu")) {
            // Debian mounts the pair of controllers under both names, others only under one of them.
            snprintf(mount, sizeof mount, "%s/sys/fs/cgroup/cpu", root);
            least = lower_quota(least, least_quota(mount, group, quota_v1));
            snprintf(mount, sizeof mount, "%s/sys/fs/cgroup/cpu,cpuacct", root);
            least = lower_quota(least, least_quota(mount, group, quota_v1));
        }
    }
    (void)fclose(file);
    return least;
}
