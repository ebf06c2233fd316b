// LAMMPS dumps as text, as `dump custom` writes them; there is no column z: that is how readers know that it
// is flat.

#include "export/trajectory/trajectory_impl.h"

#include <inttypes.h>

/// Most bytes of a line: two whole numbers, eleven reals.
enum { LINE_ROOM = 2 * 21 + 11 * 32 };

/// `s`: nothing is there. The second letter is the side's other end.
static const char *lammps_boundary_letters(qd_boundary boundary) {
    return boundary == QD_BOUNDARY_PERIODIC ? "pp" : boundary == QD_BOUNDARY_REFLECT ? "ff" : "ss";
}

/// Writes a body's row.
static char *put_lammps_body(const void *context, size_t i, char *at) {
    const qdi_exported_state *state = context;
    const qd_body_view *view = &state->view;
    uint32_t row = state->rows[i];
    qd_vec2 size = qdi_exported_size(state, row);
    const double values[] = {
        view->x[row],  view->y[row],    view->radius[row], view->vx[row],
        view->vy[row], view->spin[row], view->mass[row],   qdi_exported_angle(state, row),
        size.x,        size.y};
    at = qdi_put_whole(at, view->label[row]);
    *at++ = ' ';
    at = qdi_put_whole(at, (uint64_t)qdi_exported_shape(state, row) + 1);
    for (size_t k = 0; k < sizeof values / sizeof values[0]; ++k) {
        *at++ = ' ';
        at = qdi_put_real(at, values[k]);
    }
    *at++ = '\n';
    return at;
}

/// Writes the bounds of the world along an axis.
static void put_lammps_bounds(qdi_out *out, double low, double high) {
    qdi_out_real(out, low);
    qdi_out_text(out, " ");
    qdi_out_real(out, high);
    qdi_out_text(out, "\n");
}

void qdi_lammps_add(qd_trajectory *trajectory) {
    const qdi_exported_state *state = &trajectory->state;
    qdi_out *out = &trajectory->out[QDI_TEXT_BODIES];
    qdi_out_text(out, "ITEM: TIME\n");
    qdi_out_real(out, state->time);
    qdi_out_format(out, "\nITEM: TIMESTEP\n%" PRIu64 "\nITEM: NUMBER OF ATOMS\n%zu\n", state->step,
                   state->count);
    qdi_out_format(out, "ITEM: BOX BOUNDS %s %s pp\n", lammps_boundary_letters(state->def.boundary_x),
                   lammps_boundary_letters(state->def.boundary_y));
    put_lammps_bounds(out, state->low.x, state->high.x);
    put_lammps_bounds(out, state->low.y, state->high.y);
    qdi_out_text(out, "-0.5 0.5\nITEM: ATOMS id type x y radius vx vy omegaz mass angle sizex sizey\n");
    qdi_out_rows(out, state->count, LINE_ROOM, put_lammps_body, state);
}
