#pragma once

#include <quadrille/metrics.h>
#include <quadrille/scene.h>
#include <quadrille/world.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Rules that end a run (`run.until`). Whether one holds is a function of the states that were looked at, and
/// those are told by their steps alone: so a run that was killed and gone on with ends at the same step.

/// What a rule remembers of the states before, which a checkpoint keeps.
typedef struct qdi_until_memory {
    double sum, before; ///< steady: of the window that is going on; mean of the one before it
    uint64_t
        count; ///< steady: values in the sum; rest: looks since it is at rest; gone: whether there were some
    uint64_t windows; ///< steady: that are over
} qdi_until_memory;

typedef struct qdi_until {
    qd_until_rule rules[QD_UNTIL_MAX];
    qdi_until_memory memory[QD_UNTIL_MAX];
    qd_id pair[QD_UNTIL_MAX][2]; ///< the bodies of a contact rule
    bool found[QD_UNTIL_MAX];    ///< both of them are there
    size_t count;
    uint64_t every;
    uint64_t least;   ///< step before which none of them ends anything
    uint64_t emitted; ///< the first id that emitters gave; 0: it follows from the world
    uint64_t origin;  ///< step that looks and windows count from
    uint64_t ended;   ///< number of the rule that ended the run, from 1; 0: none yet
} qdi_until;

/// As the stage: the rules that end the run.
#define QDI_UNTIL_RUN SIZE_MAX

/// Takes a scene's rules that end the run or stage number `stage`, and finds their bodies in its world. A
/// world at step 0 must have them: else QD_ERR_INVALID, with the reason. Later they may have gone; the rest
/// of the rules' memory is the caller's to set. They look at the states after step `origin`.
/// `emitted`: the first id that emitters gave, or 0 where no stage can have added bodies.
QD_MUST_USE qd_status qdi_until_begin(qdi_until *until, const qd_scene *scene, size_t stage, uint64_t origin,
                                      uint64_t emitted, const qd_world *world, qd_error *error);

/// Finds the rules' bodies again, after bodies were changed by hand.
void qdi_until_find(qdi_until *until, const qd_world *world);

/// What rules look at after a step.
typedef struct qdi_until_needs {
    bool metrics, world;
} qdi_until_needs;
qdi_until_needs qdi_until_needs_of(const qdi_until *until, uint64_t step);

/// Looks at what there is after a step, of which the rules get what they need: where that is not the world,
/// it may be of an earlier step, and where it is not metrics, these may be NULL. True: a rule holds, and
/// `ended` says which. To be called after every step. Cost: nothing without rules; else every `every` steps a
/// look at each body.
bool qdi_until_look(qdi_until *until, uint64_t step, const qd_world *world, const qd_metrics *metrics);

/// Rule `number`, from 0, in words: "kinetic below 0.001".
void qdi_until_words(const qdi_until *until, size_t number, char *text, size_t bytes);
