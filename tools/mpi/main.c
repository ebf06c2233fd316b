#include "core/parallel/ranks_mpi.h"
#include "sim/ranks/fleet.h"
#include "sim/scene/scene_apart.h"
#include "tools/cmd/program.h"
#include "tools/host/console.h"
#include "tools/host/exit_codes.h"
#include "tools/host/os.h"

#include <stddef.h>

// What rank 0 does is what the program does; the others wait for what it tells them. Signals are for rank 0
// to deal with: `mpirun` hands them to all.
static int work(int argc, char **argv, qdi_ranks *ranks) {
    if (qdi_ranks_me(ranks) > 0) {
        qdi_host_watch_signals();
        qdi_fleet_serve(ranks, qdi_scene_make_apart);
        return QDI_EXIT_DONE;
    }
    const int exit_code = qdi_program(argc, argv, qdi_ranks_count(ranks) > 1 ? ranks : NULL);
    qdi_fleet_dismiss(ranks);
    return exit_code;
}

// The program `quadrille-mpi`: the same as `quadrille`, started by `mpirun`. Only rank 0 returns another code
// than 0, and not before all have ended MPI: at the first such one `mpirun` kills those that still work.
int main(int argc, char **argv) {
    qdi_ranks *ranks = NULL;
    qdi_host_variable_default("OMPI_MCA_mpi_yield_when_idle",
                              "1"); // also where MPI itself waits, as at its end
    const qd_status status = qdi_ranks_mpi_begin(&argc, &argv, 0, &ranks);
    if (status != QD_OK) {
        if (status == QD_ERR_VALUE)
            qdi_complain("more processes than %d were started", QDI_RANKS_MAX);
        else
            qdi_complain("MPI: %s", qd_status_text(status));
        return status == QD_ERR_VALUE ? QDI_EXIT_USAGE : QDI_EXIT_FAILED;
    }
    const int exit_code = work(argc, argv, ranks);
    qdi_ranks_mpi_end(ranks);
    return exit_code;
}
