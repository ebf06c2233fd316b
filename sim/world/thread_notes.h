#pragma once

#include <quadrille/world.h>
#include <stddef.h>
#include <stdint.h>

/// Which thread of the team moved which body in the last step, for pictures that show it. No result depends
/// on it, and it is the one thing that differs from run to run.

/// Of a body.
typedef struct qdi_thread_note {
    uint32_t generation; ///< of the body that was moved; 0: none was
    int worker;
} qdi_thread_note;

/// For qdi_thread_of_row: nobody knows.
#define QDI_NO_THREAD (-1)

/// Forgets the last step before bodies move. Errors: QD_ERR_MEMORY.
extern const struct qdi_feature qdi_thread_notes_feature;

/// The bodies in these rows are this worker's, in the step on its way. Called by many workers, for different
/// rows.
void qdi_threads_note(const qd_world *world, size_t begin, size_t end, int worker);

/// 0 to threads - 1, or QDI_NO_THREAD: nobody asked, there was no step, or the body came after it moved.
int qdi_thread_of_row(const qd_world *world, size_t row);
