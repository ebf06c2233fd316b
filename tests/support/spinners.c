#define _POSIX_C_SOURCE 200809L
#include "tests/support/spinners.h"

#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static void spin(pid_t parent) {
    while (getppid() == parent)
        for (volatile int k = 0; k < 100000; ++k) continue;
    _exit(0);
}

qd_spinners qd_spinners_start(int count) {
    qd_spinners spinners = {.count = 0};
    pid_t parent = getpid();
    for (; spinners.count < count && spinners.count < 64; ++spinners.count) {
        pid_t child = fork();
        if (child == 0) spin(parent);
        if (child < 0) break;
        spinners.processes[spinners.count] = (int)child;
    }
    return spinners;
}

void qd_spinners_stop(const qd_spinners *spinners) {
    for (int i = 0; i < spinners->count; ++i) {
        (void)kill(spinners->processes[i], SIGKILL);
        (void)waitpid(spinners->processes[i], NULL, 0);
    }
}
