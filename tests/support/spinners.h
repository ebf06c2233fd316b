#pragma once

/// Other programs that keep the machine's processors busy. They end with the test, however that is.

/// Starts `count` of them, at most 64.
typedef struct qd_spinners {
    int count;
    int processes[64];
} qd_spinners;
qd_spinners qd_spinners_start(int count);
void qd_spinners_stop(const qd_spinners *spinners);
