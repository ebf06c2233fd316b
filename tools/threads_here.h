#ifndef QD_TOOLS_THREADS_HERE_H
#define QD_TOOLS_THREADS_HERE_H

#include "tools/threads.h"

/// qdi_threads_choose with the facts of this process and machine. `asked`: by --threads, 0 = not. Warnings are said unless
/// `quiet`.
qdi_thread_choice qdi_threads_here(int asked, bool quiet);

#endif
