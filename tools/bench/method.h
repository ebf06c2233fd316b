#pragma once

#include <quadrille/box.h>
#include <quadrille/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A way to find all overlapping pairs of moving boxes, step after step. Every method starts from the same
/// bodies, moves them itself (so that it may keep them in whatever order suits it) by the same arithmetic
/// (motion.h), brings its structure up to date and writes every pair, once, into one array. What is compared
/// is the time for all three, and the pairs.

/// What a method starts from; valid during `create` only. Coordinates are relative to the world's centre.
typedef struct qdi_bench_bodies {
    size_t count;
    double side;                            ///< of the square world, which reflects
    const double *x, *y, *vx, *vy, *radius; ///< by body index
    double largest;                         ///< radius
} qdi_bench_bodies;

typedef struct qdi_bench_options {
    int threads;
    int simd;        ///< qd_simd, of the methods that have kernels
    double margin;   ///< of the quadtree: a length, 0 for none, NaN: automatic
    unsigned faults; ///< of the lineage's originals (lineage.h) that it shall have again; 0: all are mended
    const struct qdi_pin *pin; ///< of the threads; NULL: they are not bound
} qdi_bench_options;

/// A pair of body indices, in any order of the two.
typedef struct qdi_bench_pair {
    uint32_t a, b;
} qdi_bench_pair;

typedef enum qdi_bench_phase {
    QDI_BENCH_MOVE,      ///< motion and new boxes
    QDI_BENCH_STRUCTURE, ///< whatever is kept, brought up to date
    QDI_BENCH_PAIRS,     ///< all pairs written
    QDI_BENCH_PHASES
} qdi_bench_phase;

/// What a step took and found. `pairs` stays the method's and is valid until the next call. A method that is
/// `published` may miss some.
typedef struct qdi_bench_step {
    uint64_t ns[QDI_BENCH_PHASES];
    const void *pairs; ///< `pair_count` items, `pair_stride` bytes apart, each beginning with two uint32_t
    size_t pair_count, pair_stride;
    size_t bytes;       ///< memory the method holds, bodies included; 0 where it cannot be known
    uint64_t tests;     ///< comparisons of a body's box (or point) with another's; 0 where it cannot be known
    bool refiled_known; ///< whether the method knows
    size_t refiled;     ///< how many bodies changed their place in its structure
} qdi_bench_step;

typedef struct qdi_bench_method {
    const char *name;   ///< as --methods takes it
    const char *about;  ///< one line
    bool parallel;      ///< false: it has one thread whatever is asked
    bool published;     ///< it has the faults of what was published, and may miss pairs
    size_t most_bodies; ///< more than this would take for ever; 0: any number
    /// Errors: QD_ERR_MEMORY; `*state` is NULL then.
    qd_status (*create)(const qdi_bench_bodies *bodies, const qdi_bench_options *options, void **state);
    /// One step of dt = 1.
    qd_status (*step)(void *state, qdi_bench_step *step);
    void (*destroy)(void *state); ///< NULL is fine
} qdi_bench_method;

/// Method number `number` of this build, NULL past the last.
const qdi_bench_method *qdi_bench_method_at(size_t number);

/// True where qdi_bench_options.simd changes the method's speed.
bool qdi_bench_has_kernels(const qdi_bench_method *method);

extern const qdi_bench_method qdi_bench_brute, qdi_bench_grid, qdi_bench_published, qdi_bench_lineage_a,
    qdi_bench_lineage_b, qdi_bench_lineage_c, qdi_bench_lineage_e, qdi_bench_rebuild, qdi_bench_each,
    qdi_bench_quadtree, qdi_bench_margin;

#ifdef __cplusplus
}
#endif
