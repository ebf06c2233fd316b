#ifndef QUADRILLE_STILL_H
#define QUADRILLE_STILL_H

#include <quadrille/frame.h>
#include <quadrille/status.h>
#include <quadrille/vec.h>
#include <quadrille/view.h>
#include <quadrille/world.h>

QD_BEGIN_DECLS

/// A single picture of a part of a world.
typedef struct qd_still {
    const char *path; ///< of the PNG file; one that is there is replaced
    qd_view view;
    qd_provenance provenance;
    qd_vec2 centre;      ///< middle of the picture, in the world's units
    double reach;        ///< what is shown at least: so far from the centre along either axis; > 0
    double mark;         ///< half the side of a square whose corners are drawn about the centre; 0 = none
    qd_vec2 heading;     ///< a line is drawn from the centre this way; 0, 0 = none
    const char *comment; ///< written into the file as text; NULL = none
} qd_still;

/// Draws and writes it, under another name first, on the caller's thread. Errors: QD_ERR_ARGUMENT,
/// QD_ERR_VALUE (reach, the view's size, the path's length), QD_ERR_IO, QD_ERR_MEMORY; the reason in `error`,
/// which may be NULL.
QD_API QD_MUST_USE qd_status qd_still_write(const qd_still *still, const qd_world *world, qd_error *error);

QD_END_DECLS

#endif
