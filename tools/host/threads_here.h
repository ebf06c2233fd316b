#pragma once

#include "tools/host/threads.h"

/// qdi_threads_choose with the facts of this process and machine. `asked`: by --threads, 0 = not. Warnings
/// are said unless `quiet`.
qdi_thread_choice qdi_threads_here(int asked, bool quiet);

/// Host's threads: how many threads should make pictures beside a simulation with so many: one, or as many as
/// it leaves idle, up to 4.
int qdi_threads_for_frames(int threads);
