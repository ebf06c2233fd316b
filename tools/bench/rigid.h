#pragma once

#include "tools/bench/measure.h"

#include <quadrille/body.h>
#include <quadrille/profile.h>
#include <quadrille/random.h>
#include <quadrille/shape.h>
#include <quadrille/simd.h>
#include <quadrille/status.h>
#include <quadrille/vec.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Solvers of rigid bodies beside each other: whole steps of the same bodies, in the same state at the start.
/// Two solvers never agree on where the bodies go, so what is compared besides the time is what can be:
/// contacts, kinetic energy and the deepest overlap at the end, all three found by one and the same code from
/// the bodies' places and velocities.

enum { QDI_RIGID_DROPPED = 10, QDI_RIGID_MOST_METHODS = 8 };
/// Two sweeps (one that takes overlap back, one that relaxes) in each sub-step.
enum { QDI_RIGID_SWEEPS = 2 };

typedef struct qdi_rigid_setting qdi_rigid_setting;

/// Called after every step; returns false to stop.
typedef bool (*qdi_rigid_tick)(void *context);

/// What a case is about: everything that tells it from the others.
typedef struct qdi_rigid_case {
    const char *name; ///< as --rigid takes it
    double gravity;   ///< downwards
    double restitution, friction;
    bool walls;    ///< a box of reflecting sides around the bodies; else the sides are open
    size_t bodies; ///< dynamic ones, by default
    /// All steps of a repeat by default, those included that are dropped; 0: QDI_BENCH_STEPS that count.
    /// Where it is given, the work changes from step to step: a sample is the mean over a repeat's steps
    /// then, not a step.
    size_t steps;
    /// Puts about `count` dynamic bodies, and then those that they meet, into a setting (qdi_rigid_add) and
    /// says how large its world is. Errors: QD_ERR_MEMORY.
    qd_status (*make)(qdi_rigid_setting *setting, size_t count);
    bool settles; ///< the bodies come to rest before the clock starts
    /// Velocity that the last body, which is kinematic, gets before step number `step`, in `velocity`; false:
    /// it keeps what it has. NULL: always.
    bool (*drive)(size_t step, double dt, qd_vec2 *velocity);
} qdi_rigid_case;

/// A body at a moment.
typedef struct qdi_rigid_body {
    qd_shape shape; ///< in order
    qd_body_kind kind;
    double mass, inertia;             ///< of dynamic ones
    qd_vec2 position, turn, velocity; ///< of the centroid; turn: cosine and sine of the angle
    double spin;
    qd_vec2 pivot; ///< that a kinematic body turns about; NaN: its centroid
} qdi_rigid_body;

/// What a method starts from.
struct qdi_rigid_setting {
    const qdi_rigid_case *of;
    size_t count;         ///< dynamic bodies; they come first
    size_t total;         ///< all bodies
    qd_vec2 origin, size; ///< lower left corner, width and height
    double dt;
    int iterations; ///< sweeps over the contacts of a step
    size_t
        pyramid; ///< dynamic bodies are pyramids of so many, from the first below to the top; 0: they are not
    qdi_rigid_body *bodies;
    size_t room; ///< items of `bodies`
};

typedef struct qdi_rigid_options {
    int threads;
    qd_simd simd;
    const struct qdi_pin *pin; ///< of the threads; NULL: they are not bound
} qdi_rigid_options;

typedef struct qdi_rigid_method {
    const char *name;
    bool peer;  ///< somebody else's
    bool boxed; ///< knows only disks and rects between walls
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
extern const qdi_rigid_method qdi_rigid_impulse;     ///< ours as it is by default
extern const qdi_rigid_method qdi_rigid_impulse_off; ///< and with `continuous: off`

/// Bench of rigid piles: case number `number`, NULL past the last.
const qdi_rigid_case *qdi_rigid_case_at(size_t number);

/// Bench of rigid piles: adds a body of a shape in order, at rest and not turned; dynamic where `density` >
/// 0, else static. Returns it to be changed, valid until the next is added; NULL: no memory.
qdi_rigid_body *qdi_rigid_add(qdi_rigid_setting *setting, const qd_shape *shape, qd_vec2 position,
                              double density);

/// Bench of rigid piles: makes the bodies of a case, and lets a pile come to rest, with our own solver.
/// `tick` (may be NULL) is called after each step of that; where it says stop, the setting is what it is
/// then. Errors: QD_ERR_MEMORY, those of the world.
QD_MUST_USE qd_status qdi_rigid_setting_make(const qdi_rigid_case *of, size_t count, int threads,
                                             qdi_rigid_tick tick, void *context, qdi_rigid_setting *setting);
void qdi_rigid_setting_free(qdi_rigid_setting *setting);

/// What a state of the bodies is like. `contacts`: touching now, walls included; `deepest`: overlap among
/// them. Of pyramids also how high the lowest of their top bodies is above its ground, and how many bodies
/// are further than their own width from where they started: 0 where all stand.
typedef struct qdi_rigid_quality {
    size_t contacts;
    double kinetic, deepest;
    double top;
    size_t fallen;
} qdi_rigid_quality;
QD_MUST_USE qd_status qdi_rigid_quality_of(const qdi_rigid_setting *setting, const qdi_rigid_body *bodies,
                                           qdi_rigid_quality *look);

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

/// What one method did. Times are nanoseconds per dynamic body and step, over the steps of all repeats (or
/// over the repeats: qdi_rigid_case.steps).
typedef struct qdi_rigid_row {
    const qdi_rigid_method *method;
    qdi_statistics ns;
    bool has_phases;
    double phases[QD_PHASE_EXPORT]; ///< medians
    qdi_rigid_quality end;
} qdi_rigid_row;

/// Measures; `rows` gets plan->method_count items in the order of plan->methods. `*stopped`: tick said so,
/// rows mean nothing. Errors: QD_ERR_MEMORY, and whatever a method answers, with its name in `*failed`.
QD_MUST_USE qd_status qdi_rigid_run(const qdi_rigid_plan *plan, qdi_rigid_row *rows, bool *stopped,
                                    const char **failed);
