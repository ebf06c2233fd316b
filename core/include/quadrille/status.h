#ifndef QUADRILLE_STATUS_H
#define QUADRILLE_STATUS_H

#include <quadrille/api.h>

QD_BEGIN_DECLS

/// What a call that can fail returns. Asserts are for our own bugs; everything that a caller or the machine
/// can get wrong comes back as one of these.
typedef enum qd_status {
    QD_OK = 0,
    QD_ERR_MEMORY,    ///< the allocator gave nothing
    QD_ERR_ARGUMENT,  ///< a null pointer, or a def that did not come from its _default()
    QD_ERR_VALUE,     ///< a number that is not finite or out of its range
    QD_ERR_STALE,     ///< an id or index that names no living body
    QD_ERR_EXISTS,    ///< what should be made is there already
    QD_ERR_STATE,     ///< the call is not possible in the object's present state
    QD_ERR_LIMIT,     ///< a limit (bodies, pairs, speed, distance) was passed
    QD_ERR_CORRUPT,   ///< stored data is truncated, damaged or foreign
    QD_ERR_INVALID,   ///< a scene or another input file is not valid
    QD_ERR_NOT_FOUND, ///< a file or a name does not exist
    QD_ERR_IO,        ///< reading or writing failed
    QD_ERR_INTERNAL,  ///< a structure broke its own rules: a bug of ours
    QD_ERR_STOPPED,   ///< the caller stopped the work before it was done
} qd_status;

/// A reason in words, for people: one line without a line break, "" while nothing went wrong. Calls that take
/// a `qd_error *` accept NULL.
typedef struct qd_error {
    char text[512];
} qd_error;

/// A short English text for a status, never NULL. Any thread.
QD_API const char *qd_status_text(qd_status status);

QD_END_DECLS

#endif
