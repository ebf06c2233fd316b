#include "tools/host/threads_here.h"

#include "tools/host/cgroup.h"
#include "tools/host/console.h"
#include "tools/host/os.h"

#include <stddef.h>
#include <stdlib.h>

qdi_thread_choice qdi_threads_here(int asked, bool quiet) {
    const qdi_thread_facts facts = {
        .asked = asked,
        .omp = getenv("OMP_NUM_THREADS"),
        .slurm = getenv("SLURM_CPUS_PER_TASK"),
        .cores = qdi_host_cores(),
        .affinity = qdi_host_affinity(),
        .quota = qdi_cgroup_quota(""),
    };
    qdi_thread_choice choice = qdi_threads_choose(&facts);
    for (size_t i = 0; i < sizeof choice.warnings / sizeof choice.warnings[0]; ++i)
        if (choice.warnings[i][0] && !quiet) qdi_warn("%s", choice.warnings[i]);
    return choice;
}

int qdi_threads_for_frames(int threads) {
    int idle = qdi_threads_here(0, true).threads - threads;
    if (idle < 1) return 1;
    return idle < 4 ? idle : 4;
}
