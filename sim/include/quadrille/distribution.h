#ifndef QUADRILLE_DISTRIBUTION_H
#define QUADRILLE_DISTRIBUTION_H

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <quadrille/world.h>
#include <stddef.h>
#include <stdint.h>

QD_BEGIN_DECLS

/// Distributions of a world's bodies over distances and velocities: means over one moment or more. Each value
/// is the same for any thread count, SIMD level, compiler and optimization level. Dynamic bodies that are no
/// sensors count. docs/fields.md has the definitions.
typedef struct qd_distributions qd_distributions;

/// Which, in the order in which they are recorded.
typedef enum qd_distribution {
    QD_DISTRIBUTION_G,          ///< pairs by distance, over how many there would be without any order
    QD_DISTRIBUTION_SPEED,      ///< density of probability
    QD_DISTRIBUTION_VELOCITY_X, ///< density of probability
    QD_DISTRIBUTION_VELOCITY_Y,
    QD_DISTRIBUTION_KINDS
} qd_distribution;

/// Most bins of a distribution.
#define QD_DISTRIBUTION_BINS_MAX 16384

/// Name, as in run.db, and unit of the values and of what they are over; NULL for a number that is none.
QD_API const char *qd_distribution_name(qd_distribution kind);
QD_API const char *qd_distribution_unit(qd_distribution kind);
QD_API const char *qd_distribution_unit_over(qd_distribution kind);

/// `bins` values each, all as wide. Distances go from 0 to `reach`, speeds from 0 to `speed`, components of
/// velocities from -`speed` to `speed`. NaN: from the first moment of each mean: ten times the radius of a
/// disk of the bodies' mean area; five times the root of half the mean square of their velocities.
typedef struct qd_distribution_def {
    uint32_t bins; ///< 1 to QD_DISTRIBUTION_BINS_MAX; default 100
    double reach, speed;
} qd_distribution_def;

/// What is taken where nothing is asked for.
QD_API qd_distribution_def qd_distribution_def_default(void);

/// Makes distributions of nothing. `allocator` may be NULL. Errors: QD_ERR_VALUE, QD_ERR_ARGUMENT,
/// QD_ERR_MEMORY.
QD_API QD_MUST_USE qd_status qd_distributions_create(const qd_distribution_def *def,
                                                     const qd_allocator *allocator, qd_distributions **all);

/// Frees; NULL is fine.
QD_API void qd_distributions_destroy(qd_distributions *all);

/// Adds a world's moment to the mean that is on its way, on the world's team. Cost: a retrieve of all that is
/// within reach of each body. Errors: QD_ERR_ARGUMENT, QD_ERR_STATE (bodies were added, removed or placed
/// since the last detection), QD_ERR_MEMORY: then nothing was added.
QD_API QD_MUST_USE qd_status qd_distributions_add(qd_distributions *all, const qd_world *world);

/// Makes the values the mean of what was added since the last mean. Errors: QD_ERR_ARGUMENT, QD_ERR_STATE
/// (nothing was added).
QD_API QD_MUST_USE qd_status qd_distributions_average(qd_distributions *all);

/// Step and time of the last moment that was added.
QD_API uint64_t qd_distributions_step(const qd_distributions *all);
QD_API double qd_distributions_time(const qd_distributions *all);

/// One of them: value i is that of `first` + i `width` up to the next. NaN: it cannot be told, see
/// docs/fields.md. The values are the distributions', until the next mean.
typedef struct qd_curve {
    double first, width;
    uint32_t bins;
    const double *values;
} qd_curve;
QD_API qd_curve qd_distributions_curve(const qd_distributions *all, qd_distribution kind);

/// Bytes of a mean on its way, the same on every machine: writes them if `bytes` is not NULL, and returns how
/// many they are; 0 where nothing was added.
QD_API size_t qd_distributions_save(const qd_distributions *all, unsigned char *bytes);
/// Goes on with such a mean, in distributions of the same def. Errors: QD_ERR_ARGUMENT, QD_ERR_CORRUPT.
QD_API QD_MUST_USE qd_status qd_distributions_load(qd_distributions *all, const unsigned char *bytes,
                                                   size_t size);

QD_END_DECLS

#endif
