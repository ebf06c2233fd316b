#ifndef QUADRILLE_EMITTER_H
#define QUADRILLE_EMITTER_H

#include <quadrille/body.h>
#include <quadrille/vec.h>
#include <stdbool.h>
#include <stdint.h>

QD_BEGIN_DECLS

/// A source of bodies. By the time t of a step's end it has tried to make floor(rate (t - start)) of them;
/// they appear at the end of the step, with its contacts. All numbers of the k-th one are functions of the
/// world's seed, the emitter's number, k and the world's stage (qd_world_set_stage).
typedef struct qd_emitter_def {
    uint32_t cookie; ///< set by qd_emitter_def_default; a def without it is refused
    qd_body_def
        body; ///< what it makes: not static; position and label are not looked at (see qd_body_def.label: 0)
    qd_vec2 low,
        high; ///< centres of the new bodies lie between these, each place as likely; they may be equal
    double scale_low, scale_high; ///< their sizes are the shape's, times a number between these; default 1, 1
    double turn;                  ///< their angles are the body's, +- up to this; default 0
    double spread;  ///< the components of their velocities are the body's, +- up to this; default 0
    double rate;    ///< bodies per time; above 0, at most 1e9; default 1
    double start;   ///< time; default 0
    double stop;    ///< time; default infinity
    uint64_t total; ///< makes no more than this; default all
    uint64_t alive; ///< makes none while as many dynamic bodies are in the world; default all
    /// Places that are tried for each body, default 20. One that touches any body there is (sensors do not
    /// count) or a reflecting side is no good, and a body that finds none is not made, nor made up for.
    int tries;
    bool overlap; ///< takes the first place, whatever is there; default false
} qd_emitter_def;

/// What an emitter has done.
typedef struct qd_emitter_counts {
    uint64_t due;     ///< bodies that it tried to make
    uint64_t emitted; ///< that it made; the others found no place
} qd_emitter_counts;

/// A region where bodies end: those that are not static and have their centre in it (or on its border) at the
/// end of a step are removed; lowest index first, if not all.
typedef struct qd_sink_def {
    uint32_t cookie; ///< set by qd_sink_def_default; a def without it is refused
    qd_vec2 low, high;
    uint64_t total; ///< takes no more than this; default all
} qd_sink_def;

/// Most bodies that an emitter tries to make in one step; what is due beyond is counted as due only.
#define QD_EMITTER_BURST 100000
/// Most emitters, and most sinks, of a world.
#define QD_EMITTERS_MAX 1024

/// One default body per time at (0, 0), without end.
QD_API qd_emitter_def qd_emitter_def_default(void);
/// A sink over the unit square at (0, 0).
QD_API qd_sink_def qd_sink_def_default(void);

QD_END_DECLS

#endif
