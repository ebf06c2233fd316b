#pragma once

/// Calls of the system that are refused to the running test, and to programs that it starts.

/// From now on perf_event_open fails with this error, as it does where a container or the kernel's settings
/// forbid it. There is no way back: each test is a process of its own.
void qd_refuse_counters(int error);
