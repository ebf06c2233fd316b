#ifndef QD_TOOLS_BENCH_RIGID_H
#define QD_TOOLS_BENCH_RIGID_H

#include <quadrille/profile.h>
#include <quadrille/random.h>
#include <quadrille/simd.h>
#include <quadrille/status.h>
#include <quadrille/vec.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Solvers of rigid bodies beside each other: whole steps of the same bodies, in the same state at the start. Two solvers never
/// agree on where the bodies go, so what is compared besides the time is what can be: contacts, kinetic energy and the
/// deepest overlap at the end, all three found by one and the same code from the bodies' places and velocities.

enum { QDI_RIGID_DROPPED = 10, QDI_RIGID_MOST_METHODS = 4 };

/// What a case is about.
typedef struct qdi_rigid_case {
    const char *name; ///< as --rigid takes it
    double gravity;   ///< downwards
    double restitution, friction;
    bool rects;    ///< that have come to rest; else disks that fly
    size_t bodies; ///< by default
} qdi_rigid_case;

/// A body at a moment.
typedef struct qdi_rigid_body {
    qd_vec2 half; ///< of a rect; 0, 0: a disk
    double radius;
    double mass, inertia;
    qd_vec2 position, turn, velocity; ///< turn: cosine and sine of the angle
    double spin;
} qdi_rigid_body;

/// What a method starts from: a box with four walls, its lower left corner at 0, 0.
typedef struct qdi_rigid_setting {
    const qdi_rigid_case *of;
    size_t count;
    qd_vec2 size;
    double dt;
    int iterations; ///< sweeps over the contacts of a step
    qdi_rigid_body *bodies;
} qdi_rigid_setting;

typedef struct qdi_rigid_options {
    int threads;
    qd_simd simd;
} qdi_rigid_options;

typedef struct qdi_rigid_method {
    const char *name;
    bool peer; ///< somebody else's
    /// Errors: QD_ERR_MEMORY; `*state` is NULL then.
    qd_status (*create)(const qdi_rigid_setting *setting, const qdi_rigid_options *options, void **state);
    /// One step. `profile` gets what it took, by phase, of a method that knows its phases.
    qd_status (*step)(void *state, qd_profile *profile);
    /// Puts position, turn, velocity and spin of all bodies into `bodies`, which has the rest.
    void (*read)(const void *state, qdi_rigid_body *bodies);
    void (*destroy)(void *state); ///< NULL is fine
} qdi_rigid_method;

/// Method number `number` of this build, NULL past the last.
const qdi_rigid_method *qdi_rigid_method_at(size_t number);
extern const qdi_rigid_method qdi_rigid_impulse;

/// Case number `number`, NULL past the last.
const qdi_rigid_case *qdi_rigid_case_at(size_t number);

/// Called after every step; returns false to stop.
typedef bool (*qdi_rigid_tick)(void *context);

/// Makes the bodies of a case, and lets a pile come to rest, with our own solver. `tick` (may be NULL) is called after
/// each step of that; where it says stop, the setting is what it is then. Errors: QD_ERR_MEMORY, those of the world.
QD_MUST_USE qd_status qdi_rigid_setting_make(const qdi_rigid_case *of, size_t count, int threads,
                                             qdi_rigid_tick tick, void *context, qdi_rigid_setting *setting);
void qdi_rigid_setting_free(qdi_rigid_setting *setting);

/// What a state of the bodies is like. `contacts`: touching now, walls included; `deepest`: overlap among them.
typedef struct qdi_rigid_look {
    size_t contacts;
    double kinetic, deepest;
} qdi_rigid_look;
QD_MUST_USE qd_status qdi_rigid_look_at(const qdi_rigid_setting *setting, const qdi_rigid_body *bodies,
                                        qdi_rigid_look *look);

typedef struct qdi_rigid_plan {
    const qdi_rigid_setting *setting;
    const qdi_rigid_method *methods[QDI_RIGID_MOST_METHODS];
    size_t method_count;
    qdi_rigid_options options;
    size_t steps; ///< that count, in each repeat; QDI_RIGID_DROPPED come before them and are dropped
    size_t repeats;
    uint64_t seed; ///< of the order of the methods in each repeat
    qdi_rigid_tick tick;
    void *context;
} qdi_rigid_plan;

/// What one method did. Times are nanoseconds per body per step, over the steps of all repeats.
typedef struct qdi_rigid_row {
    const qdi_rigid_method *method;
    double median, min, mean, spread;
    bool has_phases;
    double phases[QD_PHASE_EXPORT]; ///< medians
    qdi_rigid_look end;
} qdi_rigid_row;

/// Measures; `rows` gets plan->method_count items in the order of plan->methods. `*stopped`: tick said so, rows mean
/// nothing. Errors: QD_ERR_MEMORY, and whatever a method answers, with its name in `*failed`.
QD_MUST_USE qd_status qdi_rigid_run(const qdi_rigid_plan *plan, qdi_rigid_row *rows, bool *stopped,
                                    const char **failed);

#endif
