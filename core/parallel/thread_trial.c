#include "core/parallel/thread_trial.h"

enum {
    FIRST = 2,      ///< pieces of work at the begin of a window that are left out: data come to other caches
    LONGEST = 8,    ///< times of a window that count for nothing
    HOPELESS = 6,   ///< times after which a trial may be broken off
    SHORT_WAIT = 4, ///< windows; twice as many come after the first trial in vain, and so on
    LONGEST_WAIT = 64
};

void qdi_thread_trial_begin(qdi_thread_trial *trial, int most) {
    *trial = (qdi_thread_trial){.most = most, .used = most, .wait = SHORT_WAIT, .windows = SHORT_WAIT};
}

/// Trial of threads: the time of a window's first `count` pieces of work, the longest left out.
static uint64_t time_of(qdi_thread_trial *trial, uint32_t count) {
    uint64_t *ns = trial->ns, sum = 0;
    for (uint32_t i = 1; i < count; ++i) {
        const uint64_t value = ns[i];
        uint32_t k = i;
        for (; k > 0 && ns[k - 1] > value; --k) ns[k] = ns[k - 1];
        ns[k] = value;
    }
    const uint32_t kept = count - count * LONGEST / QDI_TRIAL_WINDOW;
    for (uint32_t i = 0; i < kept; ++i) sum += ns[i];
    return sum / kept;
}

/// Trial of threads: the number to be tried next; 0: there is none in that direction.
static int number_to_try(const qdi_thread_trial *trial, bool more, bool large) {
    if (!more) return large || trial->used == 1 ? 0 : (trial->used + 1) / 2;
    if (trial->used == trial->most) return 0;
    return trial->used < trial->most / 2 ? 2 * trial->used : trial->most;
}

/// Trial of threads: begins one where it is time to and there is a number to try.
static void begin_trial(qdi_thread_trial *trial, bool large) {
    if (trial->windows < trial->wait) return;
    trial->tried = number_to_try(trial, trial->more, large);
    if (trial->tried > 0) return;
    trial->more = !trial->more;
    trial->tried = number_to_try(trial, trial->more, large);
}

/// Trial of threads: ends one. What was better is tried further in the same direction, at once.
static void end_trial(qdi_thread_trial *trial, uint64_t time) {
    const bool better = 20 * time < 19 * trial->before;
    if (better) {
        trial->used = trial->tried;
        trial->before = time;
        trial->wait = SHORT_WAIT;
        trial->windows = SHORT_WAIT;
    } else {
        trial->wait = 2 * trial->wait < LONGEST_WAIT ? 2 * trial->wait : LONGEST_WAIT;
        trial->windows = 0;
        trial->more = !trial->more;
    }
    trial->tried = 0;
}

void qdi_thread_trial_note(qdi_thread_trial *trial, uint64_t ns, bool large) {
    if (trial->most < 2) return;
    if (large && qdi_thread_trial_threads(trial) < trial->most) qdi_thread_trial_begin(trial, trial->most);
    const uint32_t number = trial->count++;
    if (number < FIRST) return;
    trial->ns[number - FIRST] = ns;
    const uint32_t count = number - FIRST + 1;
    const bool early = trial->tried > 0 && count == HOPELESS;
    if (count < QDI_TRIAL_WINDOW && !early) return;
    const uint64_t time = time_of(trial, count);
    if (early && 2 * time <= 3 * trial->before) return;
    trial->count = 0;
    if (trial->tried > 0) {
        end_trial(trial, time);
        return;
    }
    trial->before = time;
    trial->windows += 1;
    begin_trial(trial, large);
}
