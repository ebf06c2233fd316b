#pragma once

/// How many processors' worth of time the control groups (version 1 or 2) of this process allow: the least of
/// its own and of those above it. 0 where there is no quota or none can be read. `root` is put before every
/// path read: "" for the machine itself, a directory for a test.
double qdi_cgroup_quota(const char *root);
