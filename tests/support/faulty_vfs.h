#pragma once

#include <stdbool.h>
#include <stddef.h>

/// SQLite on a file system with faults: a layer over its own, for all databases that are opened from then on.

typedef struct qd_faulty_vfs {
    bool no_share;  ///< processes cannot share memory
    size_t writes;  ///< writes, truncations and syncs so far
    size_t fail_at; ///< number of the first that fails, as all that follow; 0: none
    int code;       ///< SQLite's, of those that fail
    long delay;     ///< nanoseconds that each write takes more
} qd_faulty_vfs;

/// The one there is; put in place by the first call.
qd_faulty_vfs *qd_faulty_vfs_get(void);
