#pragma once

#include <quadrille/team.h>
#include <stddef.h>
#include <stdint.h>

/// Parallel loops and sums: all parallel work of the project is written with them (sorts: sort.h). OpenMP's
/// pragmas are in team.c and nowhere else. Results never depend on the number of threads: work is cut into
/// ranges by size alone, a range writes only what belongs to it (or to its `worker`, where the order does not
/// matter), and merges follow the order of ranges.

/// Works on the items [begin, end). begin is a multiple of the grain, so begin / grain numbers the range.
typedef void (*qdi_range_function)(void *context, size_t begin, size_t end);
/// The same with the number of the thread: `worker` is 0..qd_team_threads - 1; no two ranges run at the same
/// time with the same worker.
typedef void (*qdi_worker_function)(void *context, size_t begin, size_t end, int worker);

/// Calls `function` for every range of `grain` items of [0, count), in any order, on the team's threads, at
/// most one for each range. A range should be worth a microsecond or more, ten where loops are rare. A loop
/// for one thread runs on the caller's.
void qdi_team_for(qd_team *team, size_t count, size_t grain, qdi_range_function function, void *context);
void qdi_team_for_workers(qd_team *team, size_t count, size_t grain, qdi_worker_function function,
                          void *context);

/// Team: sets `bytes` bytes to zero, in parallel where they are many.
void qdi_team_zero(qd_team *team, void *memory, size_t bytes);

/// Limits the loops that follow to `most` threads; 0: all of the team, or of its limit. For phases of many
/// short loops over the same few data, where moving data from one processor's cache to another costs more
/// than the other processor saves.
void qdi_team_use(qd_team *team, int most);

/// Limits everything that follows to `most` threads of the team, those that qdi_team_use gives back too; 0:
/// no limit. For whole steps, see thread_trial.h.
void qdi_team_limit(qd_team *team, int most);

/// How many threads loops have at most.
int qdi_team_used(const qd_team *team);

/// From now on thread k of the team works on processor processors[k % count] alone, by the system's numbers,
/// which are copied; count 0: wherever the system likes. A processor that the system refuses leaves its
/// thread unbound. The caller's own thread, which is thread 0, is put there at each loop, but stays free to
/// be moved, as what it starts is. Results do not change. Threads that are there are ended first: not for
/// each step. Errors: QD_ERR_MEMORY, nothing changed.
QD_MUST_USE qd_status qdi_team_bind(qd_team *team, const int *processors, size_t count);

/// The number of ranges that qdi_team_for makes.
static inline size_t qdi_range_count(size_t count, size_t grain) {
    return (count + grain - 1) / grain;
}

/// A grain of at least `least` and at most `most` items that gives each thread some ranges, where there are
/// items enough: for loops whose result does not depend on how they are cut. (Others must cut by size alone.)
static inline size_t qdi_fine_grain(const qd_team *team, size_t count, size_t least, size_t most) {
    size_t grain = count / (4 * (size_t)qdi_team_used(team)) + 1;
    return grain < least ? least : grain > most ? most : grain;
}

/// Team: replaces values[i] by the sum of all before it; returns the sum of all. Serial: for a value per
/// range, not per body.
size_t qdi_exclusive_scan(size_t *values, size_t count);

/// Team: room for `count` numbers, the team's own until the next call. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_team_counts(qd_team *team, size_t count, size_t **counts);

/// Team: of the time of a worker in the loop that runs now so many nanoseconds were a wait, and do not count
/// as busy. For that worker.
void qdi_team_waited(qd_team *team, int worker, uint64_t ns);

/// Team: a loop has waited so long for a thread that had lost its processor: the next ones are the caller's
/// alone for a while. For the caller's thread.
void qdi_team_rest(qd_team *team, uint64_t waited_ns);

/// Team: nanoseconds of a clock that never goes back.
uint64_t qdi_clock_ns(void);

/// Nanoseconds that each worker has spent inside qdi_team_for since the team was made (qd_team_threads
/// values).
const uint64_t *qdi_team_busy_ns(const qd_team *team);

/// Nanoseconds that the callers of qdi_team_for have spent in it since the team was made.
typedef struct qdi_team_times {
    uint64_t loop_ns;  ///< in all, waiting for the others included
    uint64_t alone_ns; ///< in loops too short for more than one of several threads; part of loop_ns
} qdi_team_times;
qdi_team_times qdi_team_loop_times(const qd_team *team);
