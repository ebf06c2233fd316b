#pragma once

#include <stdbool.h>
#include <stdint.h>

/// What the choice of the number of threads is made from.
typedef struct qdi_thread_facts {
    int asked;         ///< by --threads; 0 = not
    const char *omp;   ///< OMP_NUM_THREADS, or NULL
    const char *slurm; ///< SLURM_CPUS_PER_TASK, or NULL
    int cores;         ///< of the machine, >= 1
    int affinity;      ///< that this process may run on; 0 = not known
    double quota;      ///< processors' worth of time that control groups allow; 0 = no quota
} qdi_thread_facts;

typedef struct qdi_thread_choice {
    int threads;
    bool adapts;      ///< nobody asked for that number: it is what the machine has, and fewer may be used
    char reason[128]; ///< "--threads", "2 cores", "OMP_NUM_THREADS", ...
    char warnings[3][256]; ///< "" where there is none
} qdi_thread_choice;

/// Host's threads: --threads, else OMP_NUM_THREADS, else SLURM_CPUS_PER_TASK, else the least of affinity,
/// quota and cores. A variable that is no number from 1 to QD_TEAM_MAX is ignored, with a warning; more
/// threads than there are processors for them are allowed, with a warning.
qdi_thread_choice qdi_threads_choose(const qdi_thread_facts *facts);

/// Host's threads: takes fewer threads for so few bodies that the others would wait more than they work; not
/// where a number was asked for.
void qdi_threads_fit(qdi_thread_choice *choice, uint64_t bodies);
