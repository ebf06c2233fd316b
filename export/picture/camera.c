#include "export/picture/camera.h"

#include <math.h>
#include <quadrille/math.h>

static const double two_pi = 6.28318530717958648;

qdi_camera qdi_camera_fit(qd_vec2 size, qd_vec2 origin, qdi_area area) {
    double wide = area.max_x - area.min_x, high = area.max_y - area.min_y;
    double margin = floor((wide < high ? wide : high) / 48.0) + 2.0;
    double scale_x = (wide - 2.0 * margin) / size.x, scale_y = (high - 2.0 * margin) / size.y;
    qdi_camera camera = {.x0 = origin.x, .y0 = origin.y, .scale = scale_x < scale_y ? scale_x : scale_y};
    // On whole pixels at the left and at the bottom, so that walls there are sharp.
    camera.left = floor(area.min_x + 0.5 * (wide - size.x * camera.scale));
    camera.bottom = floor(area.max_y - 0.5 * (high - size.y * camera.scale));
    return camera;
}

// One number of a camera's key: x, y or the logarithm of its zoom.
static double camera_key_value(const qd_view_key *key, int which) {
    if (which == 0) return key->x;
    return which == 1 ? key->y : qd_log(key->zoom);
}

// The slope at a key: the harmonic mean of those beside it, weighted by their lengths, or none at a turn or
// an end.
static double camera_slope_at_key(const qd_view_camera *camera, int i, int which) {
    const qd_view_key *key = &camera->keys[i];
    if (i == 0 || i + 1 == camera->key_count) return 0.0;
    double before = key->time - key[-1].time, after = key[1].time - key->time,
           here = camera_key_value(key, which);
    double left = (here - camera_key_value(key - 1, which)) / before,
           right = (camera_key_value(key + 1, which) - here) / after;
    if (!(left * right > 0.0)) return 0.0;
    double a = 2.0 * after + before, b = after + 2.0 * before;
    return (a + b) / (a / left + b / right);
}

// A number of the camera's path between two keys, by a cubic curve.
static double camera_between_keys(const qd_view_camera *camera, int i, double time, int which) {
    const qd_view_key *from = &camera->keys[i], *to = from + 1;
    double length = to->time - from->time, t = (time - from->time) / length;
    double p = camera_key_value(from, which), q = camera_key_value(to, which);
    double u = camera_slope_at_key(camera, i, which) * length,
           v = camera_slope_at_key(camera, i + 1, which) * length;
    return p + t * (u + t * (3.0 * (q - p) - 2.0 * u - v + t * (2.0 * (p - q) + u + v)));
}

qd_view_key qdi_camera_between(const qd_view_camera *camera, double time) {
    int last = camera->key_count - 1, i = 0;
    if (time <= camera->keys[0].time) return camera->keys[0];
    if (time >= camera->keys[last].time) return camera->keys[last];
    while (time >= camera->keys[i + 1].time) ++i;
    if (time == camera->keys[i].time) return camera->keys[i];
    return (qd_view_key){time, camera_between_keys(camera, i, time, 0),
                         camera_between_keys(camera, i, time, 1),
                         qd_exp(camera_between_keys(camera, i, time, 2))};
}

// The place of the body that the camera follows.
static bool find_followed_body(const qd_world *world, uint64_t label, qd_vec2 *place) {
    const qd_body_view bodies = qd_world_view(world);
    for (size_t i = 0; i < bodies.index_count; ++i) {
        uint32_t row = bodies.row_of_index[i];
        if (row == UINT32_MAX || bodies.label[row] != label) continue;
        *place = (qd_vec2){bodies.x[row], bodies.y[row]};
        return true;
    }
    return false;
}

// A sum of places along one axis; where that is periodic, of places on a circle.
typedef struct mean_of {
    double low, period; // 0: none
    double sum, cosine, sine;
} mean_of;

// Camera: adds a body's place to a mean place along an axis.
static void add_to_mean_place(mean_of *mean, double mass, double place) {
    if (mean->period > 0.0) {
        double sine = 0, cosine = 0;
        qd_sincos((place - mean->low) / mean->period * two_pi, &sine, &cosine);
        mean->cosine += mass * cosine;
        mean->sine += mass * sine;
    } else {
        mean->sum += mass * (place - mean->low);
    }
}

// Camera: the mean place along an axis.
static double mean_place(const mean_of *mean, double mass) {
    if (!(mean->period > 0.0)) return mean->low + mean->sum / mass;
    double angle = qd_atan2(mean->sine, mean->cosine);
    return mean->low + (angle < 0.0 ? angle + two_pi : angle) / two_pi * mean->period;
}

// Camera: the centre of mass of what is dynamic, in order of index. Around a periodic axis it is the middle
// of the circular mean.
static bool find_centre_of_mass(const qd_world *world, qd_vec2 *place) {
    const qd_body_view bodies = qd_world_view(world);
    const qd_world_def def = qd_world_definition(world);
    mean_of x = {.low = def.origin.x, .period = def.boundary_x == QD_BOUNDARY_PERIODIC ? def.size.x : 0.0};
    mean_of y = {.low = def.origin.y, .period = def.boundary_y == QD_BOUNDARY_PERIODIC ? def.size.y : 0.0};
    double mass = 0.0;
    for (size_t i = 0; i < bodies.index_count; ++i) {
        uint32_t row = bodies.row_of_index[i];
        if (row == UINT32_MAX || bodies.kind[row] != QD_BODY_DYNAMIC) continue;
        mass += bodies.mass[row];
        add_to_mean_place(&x, bodies.mass[row], bodies.x[row]);
        add_to_mean_place(&y, bodies.mass[row], bodies.y[row]);
    }
    if (!(mass > 0.0)) return false;
    *place = (qd_vec2){mean_place(&x, mass), mean_place(&y, mass)};
    return true;
}

qdi_camera_part qdi_camera_part_of(const qd_view_camera *camera, const qd_world *world) {
    const qd_world_def def = qd_world_definition(world);
    bool part = !isnan(camera->x), follows = camera->follow != QD_VIEW_NOBODY, path = camera->key_count > 0;
    qdi_camera_part shown = {def.size, def.origin, true};
    if (!part && !follows && !path && isnan(camera->centre.x) && camera->zoom == 1.0) return shown;
    if (part) shown = (qdi_camera_part){{camera->width, camera->height}, {camera->x, camera->y}, false};
    qd_vec2 centre = {shown.origin.x + 0.5 * shown.size.x, shown.origin.y + 0.5 * shown.size.y};
    double zoom = camera->zoom;
    if (!isnan(camera->centre.x)) centre = camera->centre;
    if (path) {
        const qd_view_key key = qdi_camera_between(camera, qd_world_time(world));
        centre = (qd_vec2){key.x, key.y};
        zoom = key.zoom;
    }
    qd_vec2 found;
    if (follows && (camera->follow == QD_VIEW_MASS ? find_centre_of_mass(world, &found)
                                                   : find_followed_body(world, camera->follow, &found)))
        centre = found;
    shown.size = (qd_vec2){shown.size.x / zoom, shown.size.y / zoom};
    shown.origin = (qd_vec2){centre.x - 0.5 * shown.size.x, centre.y - 0.5 * shown.size.y};
    shown.whole = false;
    return shown;
}
