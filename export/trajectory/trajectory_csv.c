// Tables of separated values: a line that names the columns, then a line for each row of each state.

#include "core/base/arithmetic.h"
#include "export/trajectory/trajectory_impl.h"

#include <stddef.h>
#include <string.h>

/// Most bytes of a line: more than any table here has.
enum { LINE_ROOM = 25 * 32 + (int)QDI_CORE_ROOM };

/// Writes a truth value.
static char *put_csv_bit(char *at, bool value) {
    *at++ = value ? '1' : '0';
    return at;
}

/// Exported CSV: writes a comma.
static char *put_comma(char *at) {
    *at++ = ',';
    return at;
}

/// Writes several numbers.
static char *put_csv_reals(char *at, const double *values, size_t count) {
    for (size_t i = 0; i < count; ++i) at = qdi_put_real(put_comma(at), values[i]);
    return at;
}

/// Writes "STEP,TIME".
static char *put_csv_time(char *at, const qdi_exported_state *state) {
    at = qdi_put_whole(at, state->step);
    return qdi_put_real(put_comma(at), state->time);
}

/// Writes a body's row.
static char *put_csv_body(const void *context, size_t i, char *at) {
    const qdi_exported_state *state = context;
    const qd_body_view *view = &state->view;
    uint32_t row = state->rows[i];
    qd_vec2 size = qdi_exported_size(state, row);
    const double values[] = {view->x[row],
                             view->y[row],
                             qdi_exported_angle(state, row),
                             view->vx[row],
                             view->vy[row],
                             view->spin[row],
                             view->radius[row],
                             view->mass[row],
                             size.x,
                             size.y};
    at = qdi_put_whole(put_comma(put_csv_time(at, state)), view->label[row]);
    at = qdi_put_word(put_comma(at), qdi_shape_word(qdi_exported_shape(state, row)));
    at = qdi_put_word(put_comma(at), qdi_kind_word((qd_body_kind)view->kind[row]));
    at = put_csv_reals(at, values, sizeof values / sizeof values[0]);
    at = put_csv_bit(put_comma(at), view->touching[row]);
    at = qdi_put_real(put_comma(at), qdi_exported_rounding(state, row));
    at = qdi_put_core(put_comma(at), qdi_exported_form(state, row));
    *at++ = '\n';
    return at;
}

/// Writes the ids of the first and the second body, or nothing and the wall's side: "1,2," or "1,,left".
static char *put_csv_contact_ids(char *at, uint64_t a, uint64_t b, int wall) {
    at = put_comma(qdi_put_whole(put_comma(at), a));
    if (wall == 0) at = qdi_put_whole(at, b);
    return qdi_put_word(put_comma(at), qdi_wall_word(wall));
}

/// Writes a contact's row.
static char *put_csv_contact(const void *context, size_t i, char *at) {
    const qdi_exported_state *state = context;
    const qdi_touch_place *place = &state->touches[i];
    const qd_contact *contact = &state->contacts[place->contact];
    const qd_touch *touch = &contact->touch[place->touch];
    const double values[] = {touch->point.x, touch->point.y, contact->normal.x, contact->normal.y,
                             touch->depth,   touch->impulse, touch->friction,   contact->approach};
    at = put_csv_contact_ids(put_csv_time(at, state), qdi_exported_label(state, contact->a),
                             qdi_exported_label(state, contact->b), qdi_exported_wall(contact->b));
    at = qdi_put_whole(put_comma(at), place->touch);
    at = put_csv_reals(at, values, sizeof values / sizeof values[0]);
    at = put_csv_bit(put_comma(at), contact->sensor);
    *at++ = '\n';
    return at;
}

/// Writes a row for a node of the tree.
static char *put_csv_node(const void *context, size_t i, char *at) {
    const qdi_exported_state *state = context;
    const qd_tree_node_info *node = &state->nodes[i];
    at = qdi_put_whole(put_comma(put_csv_time(at, state)), (uint64_t)node->depth);
    at = put_csv_reals(at, (double[]){node->min_x, node->min_y, node->side}, 3);
    at = qdi_put_whole(put_comma(at), node->bodies);
    at = qdi_put_whole(put_comma(at), node->subtree);
    at = put_csv_bit(put_comma(at), node->leaf);
    *at++ = '\n';
    return at;
}

void qdi_csv_begin(qd_trajectory *trajectory) {
    qdi_out *out = trajectory->out;
    qdi_out_text(&out[QDI_TEXT_BODIES],
                 "step,time,id,shape,kind,x,y,angle,vx,vy,spin,radius,mass,width,height,"
                 "touching,rounding,points\n");
    qdi_out_text(&out[QDI_TEXT_CONTACTS],
                 "step,time,a,b,side,touch,x,y,normal_x,normal_y,depth,impulse,friction,approach,sensor\n");
    qdi_out_text(&out[QDI_TEXT_NODES], "step,time,depth,x,y,side,bodies,subtree,leaf\n");
    qdi_out_text(&out[QDI_TEXT_EVENTS],
                 "step,number,kind,a,b,side,x,y,normal_x,normal_y,impulse,friction,approach,depth,within\n");
    size_t count = 0;
    const qd_metric_field *fields = qd_metric_fields(&count);
    for (size_t i = 0; i < count; ++i) {
        if (i > 0) qdi_out_text(&out[QDI_TEXT_METRICS], ",");
        qdi_out_text(&out[QDI_TEXT_METRICS], fields[i].name);
    }
    qdi_out_text(&out[QDI_TEXT_METRICS], "\n");
}

void qdi_csv_add(qd_trajectory *trajectory) {
    const qdi_exported_state *state = &trajectory->state;
    qdi_out *out = trajectory->out;
    qdi_out_rows(&out[QDI_TEXT_BODIES], state->count, LINE_ROOM, put_csv_body, state);
    qdi_out_rows(&out[QDI_TEXT_CONTACTS], state->touch_count, LINE_ROOM, put_csv_contact, state);
    qdi_out_rows(&out[QDI_TEXT_NODES], state->node_count, LINE_ROOM, put_csv_node, state);
}

// ---- rows of a run store ----

qd_status qd_trajectory_add_event(qd_trajectory *trajectory, const qd_store_event *event, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!trajectory || !event) return QD_ERR_ARGUMENT;
    if (trajectory->format != QD_TRAJECTORY_CSV || trajectory->finished) return QD_ERR_STATE;
    static const char *const kinds[] = {"begin", "persist", "end", "impact"};
    qdi_out *out = &trajectory->out[QDI_TEXT_EVENTS];
    const double values[] = {event->point.x, event->point.y,  event->normal.x, event->normal.y,
                             event->impulse, event->friction, event->approach};
    char line[LINE_ROOM], *at = put_comma(qdi_put_whole(line, event->step));
    at = qdi_put_word(put_comma(qdi_put_whole(at, event->number)), kinds[event->kind]);
    at = put_csv_contact_ids(at, event->a, event->b, event->wall);
    at = put_comma(put_csv_reals(at, values, sizeof values / sizeof values[0]));
    bool impact = event->kind == QD_STORE_EVENT_IMPACT;
    if (!impact) at = qdi_put_real(at, event->depth);
    at = put_comma(at);
    if (impact) at = qdi_put_real(at, event->within);
    *at++ = '\n';
    qdi_out_bytes(out, line, (size_t)(at - line));
    if (out->status != QD_OK && error) *error = out->error;
    return out->status;
}

/// Writes a measured value; one that is missing is an empty field.
static void put_csv_metric(qdi_out *out, const qd_metrics *metrics, const qd_metric_field *field) {
    const char *place = (const char *)metrics + field->offset;
    double real = 0;
    uint64_t whole = 0;
    char text[32];
    if (field->kind == QD_METRIC_REAL) {
        memcpy(&real, place, sizeof real);
        if (real == real) qdi_out_real(out, real);
    } else {
        memcpy(&whole, place, sizeof whole);
        if (whole != UINT64_MAX) qdi_out_bytes(out, text, (size_t)(qdi_put_whole(text, whole) - text));
    }
}

qd_status qd_trajectory_add_metrics(qd_trajectory *trajectory, const qd_metrics *metrics, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!trajectory || !metrics) return QD_ERR_ARGUMENT;
    if (trajectory->format != QD_TRAJECTORY_CSV || trajectory->finished) return QD_ERR_STATE;
    qdi_out *out = &trajectory->out[QDI_TEXT_METRICS];
    size_t count = 0;
    const qd_metric_field *fields = qd_metric_fields(&count);
    for (size_t i = 0; i < count; ++i) {
        if (i > 0) qdi_out_text(out, ",");
        put_csv_metric(out, metrics, &fields[i]);
    }
    qdi_out_text(out, "\n");
    if (out->status != QD_OK && error) *error = out->error;
    return out->status;
}
