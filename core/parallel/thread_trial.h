#pragma once

#include <stdbool.h>
#include <stdint.h>

/// How many threads a repeated piece of work should have, found by trial: with more of them each has less to
/// do, but what one wrote the others have to fetch, and that is a property of the machine. For work that is
/// much the same from one time to the next, as the steps of a world are, and gives the same result with any
/// number.
///
/// Times are compared in windows of QDI_TRIAL_WINDOW pieces of work, in which the longest count for nothing:
/// a thread that lost its processor for a moment. After a window with the present number comes one with half
/// or twice as many threads. What is faster by a twentieth is kept, and tried further; else the next trial
/// comes after 8 windows, then 16, ..., 64. One that begins badly is broken off.

enum { QDI_TRIAL_WINDOW = 32 };

typedef struct qdi_thread_trial {
    int most;                      ///< threads that there are
    int used;                      ///< threads that are best as far as is known
    int tried;                     ///< the number on trial; 0: none
    uint32_t count;                ///< pieces of work in the window so far, those left out included
    uint32_t windows;              ///< with the present number since the last trial
    uint32_t wait;                 ///< so many windows come between trials
    bool more;                     ///< the next trial is of more threads
    uint64_t before;               ///< time of the last window with the present number; 0: none yet
    uint64_t ns[QDI_TRIAL_WINDOW]; ///< times in this window
} qdi_thread_trial;

/// Begins with `most` threads.
void qdi_thread_trial_begin(qdi_thread_trial *trial, int most);

/// How many threads the next piece of work should have.
static inline int qdi_thread_trial_threads(const qdi_thread_trial *trial) {
    return trial->tried > 0 ? trial->tried : trial->used;
}

/// Notes how long a piece of work took with that number. `large`: it has become so large that all threads are
/// worth having, and fewer are not tried. Cost: next to nothing; a sort of 32 numbers per window.
void qdi_thread_trial_note(qdi_thread_trial *trial, uint64_t ns, bool large);
