// Extended XYZ: for each state the number of bodies, a line of KEY=VALUE that names the columns, and a line
// for each body. Vectors have three components, for readers know no others.

#include "export/trajectory/trajectory_impl.h"

#include <inttypes.h>

/// Most bytes of a line: words, a whole number, fifteen reals, points.
enum { LINE_ROOM = 40 + 21 + 15 * 32 + (int)QDI_CORE_ROOM };

/// Exported XYZ: writes a body's row.
static char *put_xyz_body(const void *context, size_t i, char *at) {
    const qdi_exported_state *state = context;
    const qd_body_view *view = &state->view;
    uint32_t row = state->rows[i];
    qd_vec2 size = qdi_exported_size(state, row);
    const double values[] = {
        view->radius[row], view->vx[row],   view->vy[row], 0,     qdi_exported_angle(state, row),
        view->spin[row],   view->mass[row], size.x,        size.y};
    at = qdi_put_word(at, "X ");
    at = qdi_put_real(at, view->x[row]);
    *at++ = ' ';
    at = qdi_put_real(at, view->y[row]);
    at = qdi_put_word(at, " 0 ");
    at = qdi_put_whole(at, view->label[row]);
    for (size_t k = 0; k < sizeof values / sizeof values[0]; ++k) {
        *at++ = ' ';
        at = qdi_put_real(at, values[k]);
    }
    *at++ = ' ';
    at = qdi_put_word(at, qdi_shape_word(qdi_exported_shape(state, row)));
    *at++ = ' ';
    at = qdi_put_word(at, qdi_kind_word((qd_body_kind)view->kind[row]));
    *at++ = ' ';
    at = qdi_put_real(at, qdi_exported_rounding(state, row));
    *at++ = ' ';
    at = qdi_put_core(at, qdi_exported_form(state, row));
    *at++ = '\n';
    return at;
}

/// Exported XYZ: t or F: whether an axis is periodic.
static char periodic_letter(qd_boundary boundary) {
    return boundary == QD_BOUNDARY_PERIODIC ? 'T' : 'F';
}

/// Exported XYZ: writes a world's name within quotes; characters that would end them are left out.
static void put_xyz_name(qdi_out *out, const char *name) {
    for (; *name; ++name)
        if (*name != '"' && *name != '\\' && *name >= ' ') qdi_out_bytes(out, name, 1);
}

void qdi_extxyz_add(qd_trajectory *trajectory) {
    const qdi_exported_state *state = &trajectory->state;
    qdi_out *out = &trajectory->out[QDI_TEXT_BODIES];
    qdi_out_format(out, "%zu\nLattice=\"", state->count);
    qdi_out_real(out, state->high.x - state->low.x);
    qdi_out_text(out, " 0 0 0 ");
    qdi_out_real(out, state->high.y - state->low.y);
    qdi_out_text(out, " 0 0 0 1\" Origin=\"");
    qdi_out_real(out, state->low.x);
    qdi_out_text(out, " ");
    qdi_out_real(out, state->low.y);
    qdi_out_format(out, " 0\" pbc=\"%c %c F\" Time=", periodic_letter(state->def.boundary_x),
                   periodic_letter(state->def.boundary_y));
    qdi_out_real(out, state->time);
    qdi_out_format(out, " Step=%" PRIu64 " Scene=\"", state->step);
    put_xyz_name(out, trajectory->scene);
    qdi_out_format(out, "\" Scene_hash=\"%016" PRIx64 "\" Seed=%" PRIu64, trajectory->provenance.scene_hash,
                   trajectory->provenance.seed);
    qdi_out_text(out,
                 " Properties=species:S:1:pos:R:3:id:I:1:radius:R:1:velo:R:3:angle:R:1:spin:R:1:masses:R:1"
                 ":size:R:2:shape:S:1:kind:S:1:rounding:R:1:points:S:1\n");
    qdi_out_rows(out, state->count, LINE_ROOM, put_xyz_body, state);
}
