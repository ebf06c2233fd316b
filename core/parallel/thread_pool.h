#ifndef QD_CORE_CREW_H
#define QD_CORE_CREW_H

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <stdbool.h>

/// The threads of a team between its loops: how they wait, learn of work, and how their leader learns that it
/// is done.
typedef struct qdi_crew qdi_crew;

/// Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_crew_create(const qd_allocator *allocator, qdi_crew **crew);
/// All hands must have left (qdi_crew_dismiss, and the end of their threads). NULL is fine.
void qdi_crew_destroy(qdi_crew *crew);

/// What a hand is called as, once for each loop that it takes part in. `worker` is its own number.
typedef void (*qdi_crew_function)(void *context, int worker);

/// To be called by each hand, with a number from 1: takes part in what there is to do until the crew is
/// dismissed. `patient`: there is a processor for every thread of the team, so that it is worth looking out
/// for work for a while before falling asleep.
void qdi_crew_serve(qdi_crew *crew, int worker, bool patient);

/// Waits until the crew is dismissed.
void qdi_crew_rest(qdi_crew *crew);

/// Calls `function` as worker 0, and lets up to `most` - 1 hands call it meanwhile. Returns when all that
/// came have left. Hands that are asleep, or have no processor, are not waited for: they come too late and
/// find nothing to do. `wake_sleepers`: those that sleep are woken. False where no hand was let in, for a
/// while after one was waited for that had lost its processor. One caller at a time.
bool qdi_crew_share(qdi_crew *crew, int most, bool wake_sleepers, qdi_crew_function function, void *context);

/// Lets all hands go, for good.
void qdi_crew_dismiss(qdi_crew *crew);

#endif
