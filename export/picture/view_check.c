#include "export/picture/view_check.h"

#include <math.h>
#include <quadrille/field.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { SIDE_MIN = 16, SIDE_MAX = 16384 };

// What is wrong with a camera's settings, NULL where nothing is.
static const char *check_camera(const qd_view_camera *camera) {
    bool all = isnan(camera->x) && isnan(camera->y) && isnan(camera->width) && isnan(camera->height);
    bool part = isfinite(camera->x) && isfinite(camera->y) && isfinite(camera->width) &&
                isfinite(camera->height) && camera->width > 0 && camera->height > 0;
    if (!all && !part) return "the camera's region must have a width and a height";
    if (!(camera->zoom > 0 && isfinite(camera->zoom))) return "the camera's zoom must be positive";
    bool centred = isfinite(camera->centre.x) && isfinite(camera->centre.y);
    if (!centred && !(isnan(camera->centre.x) && isnan(camera->centre.y)))
        return "the camera's centre must be a point";
    if (camera->key_count < 0 || camera->key_count > QD_VIEW_KEYS_MAX)
        return "the camera's path has too many keys";
    for (int i = 0; i < camera->key_count; ++i) {
        const qd_view_key *key = &camera->keys[i];
        if (!isfinite(key->time) || !isfinite(key->x) || !isfinite(key->y) ||
            !(key->zoom > 0 && isfinite(key->zoom)))
            return "a key of the camera's path is no place";
        if (i > 0 && !(key->time > key[-1].time)) return "the times of the camera's path must rise";
    }
    return NULL;
}

// What is wrong with the field that a view shows, NULL where nothing is.
static const char *check_field(const qd_view *view) {
    const int *cells = view->field_cells;
    const qd_vec2 range = view->field_range;
    if ((unsigned)view->field > QD_VIEW_FIELD_CONTACT_NUMBER) return "unknown field";
    if (cells[0] < 1 || cells[1] < 1 || cells[0] > QD_FIELD_SIDE_MAX || cells[1] > QD_FIELD_SIDE_MAX ||
        cells[0] * cells[1] > QD_FIELD_CELLS_MAX)
        return "a field must have 1 to 32000 cells";
    if (!(isnan(range.x) && isnan(range.y)) && !(isfinite(range.x) && isfinite(range.y) && range.x < range.y))
        return "the range of the field's colours must rise";
    if (view->field != QD_VIEW_FIELD_NONE && view->colour == QD_VIEW_REFILED)
        return "view.field and view.colour: refiled cannot be seen together";
    return NULL;
}

const char *qdi_view_check(const qd_view *view) {
    if (view->width < SIDE_MIN || view->width > SIDE_MAX || view->height < SIDE_MIN ||
        view->height > SIDE_MAX)
        return "a picture's width and height must be 16 to 16384 pixels";
    if ((unsigned)view->colour > QD_VIEW_PSI6) return "unknown colouring";
    if ((unsigned)view->map > QD_VIEW_CIVIDIS) return "unknown colour map";
    if ((unsigned)view->theme > QD_VIEW_LIGHT) return "unknown theme";
    if ((unsigned)view->nodes > QD_VIEW_NODES_CHANGED) return "unknown drawing of nodes";
    if ((unsigned)view->contacts > QD_VIEW_CONTACTS_IMPULSE) return "unknown drawing of contacts";
    if (view->trails < 0 || view->trails > QD_VIEW_TRAILS_MAX) return "trails must go back 0 to 1000 frames";
    if (view->text >= 2 * QD_VIEW_TEXT_STAGE) return "unknown text";
    if (view->fade < 1 || view->fade > QD_VIEW_FADE_MAX) return "colours must fade in 1 to 1000 frames";
    if (!isnan(view->speed) && !(view->speed > 0.0 && isfinite(view->speed)))
        return "the speed at the top of the colour map must be positive";
    bool automatic = isnan(view->range.x) && isnan(view->range.y);
    bool ranged = isfinite(view->range.x) && isfinite(view->range.y) && view->range.x < view->range.y;
    if (!automatic && !ranged) return "the range of the colour map must rise";
    const qd_view_camera *query = &view->query;
    if (isnan(query->x) && (query->follow != QD_VIEW_NOBODY || query->key_count > 0))
        return "view.query.follow and view.query.path need the size that view.query.region has";
    const char *wrong = check_field(view);
    if (!wrong) wrong = check_camera(query);
    return wrong ? wrong : check_camera(&view->camera);
}

/// View: whether two numbers are the same, or both not given.
static bool same_number(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

bool qdi_view_same_scale(const qd_view *a, const qd_view *b) {
    return a->colour == b->colour && same_number(a->range.x, b->range.x) &&
           same_number(a->range.y, b->range.y) && same_number(a->speed, b->speed);
}

qdi_stage_name qdi_view_stage_name(const char *stages, uint64_t number) {
    qdi_stage_name name = {""};
    const char *at = stages ? stages : "";
    for (; *at && number > 0; --number) at += strcspn(at, "\n") + (strchr(at, '\n') != NULL);
    (void)snprintf(name.text, sizeof name.text, "%.*s", (int)strcspn(at, "\n"), at);
    return name;
}
