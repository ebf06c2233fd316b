// The view's field: the world is measured on its own threads when a picture is copied, and each cell with a
// value becomes a rectangle of its colour. Neighbours share the pixel at which they end.

#include "core/base/memory.h"
#include "export/picture/picture_impl.h"

#include <math.h>
#include <quadrille/field.h>

// Cells with sides below this many pixels have no arrow; an arrow is at most this part of a side long, and
// one that would be shorter than the last, in pixels, is left out.
static const double smallest_cell = 8.0, arrow_part = 0.85, shortest_arrow = 3.0;

// The barbs of an arrow's head: a part of its length, turned from its direction by 150 degrees.
static const double barb_part = 0.32, barb_cosine = -0.866025403784438647, barb_sine = 0.5;

// What one copy of a field works with.
typedef struct map_job {
    qdi_copy *copier;
    const qd_field *field;
    qd_field_grid grid;
    qdi_field_inks inks;
} map_job;

// The value of a cell in the quantity that the view shows; NaN where it has none.
static double field_value(const map_job *job, size_t cell) {
    const qd_field *field = job->field;
#define OF(quantity) qd_field_values(field, quantity)[cell]
    const double nan = (double)NAN;
    const bool any = OF(QD_FIELD_NUMBER_DENSITY) > 0;
    switch (job->copier->view->field) {
    case QD_VIEW_FIELD_NUMBER_DENSITY: return any ? OF(QD_FIELD_NUMBER_DENSITY) : nan;
    case QD_VIEW_FIELD_MASS_DENSITY: return any ? OF(QD_FIELD_MASS_DENSITY) : nan;
    case QD_VIEW_FIELD_AREA_FRACTION: return any ? OF(QD_FIELD_AREA_FRACTION) : nan;
    case QD_VIEW_FIELD_TEMPERATURE: return OF(QD_FIELD_TEMPERATURE);
    case QD_VIEW_FIELD_CONTACT_NUMBER: return OF(QD_FIELD_CONTACT_NUMBER);
    case QD_VIEW_FIELD_VELOCITY: {
        const double x = OF(QD_FIELD_VELOCITY_X), y = OF(QD_FIELD_VELOCITY_Y);
        return sqrt(x * x + y * y);
    }
    case QD_VIEW_FIELD_PRESSURE: {
        const double sum = OF(QD_FIELD_KINETIC_XX) + OF(QD_FIELD_KINETIC_YY) + OF(QD_FIELD_CONTACT_XX) +
                           OF(QD_FIELD_CONTACT_YY);
        // A contact may reach through a cell that holds no body.
        return any || sum != 0 ? 0.5 * sum : nan;
    }
    case QD_VIEW_FIELD_NONE: break;
    }
#undef OF
    return nan;
}

double qdi_field_map_top(double most) {
    if (!(most > 1e-300 && most < 1e300)) return 1.0;
    double unit = 1.0;
    while (unit < most) unit *= 10.0;
    while (unit / 10.0 >= most) unit /= 10.0;
    if (unit / 5.0 >= most) return unit / 5.0;
    return unit / 2.0 >= most ? unit / 2.0 : unit;
}

// The ends of the field's colours: the view's, or what the largest value asks for.
static qd_vec2 range_of_field(const map_job *job) {
    const qd_view *view = job->copier->view;
    if (!isnan(view->field_range.x)) return view->field_range;
    double most = 0.0;
    for (size_t cell = 0; cell < (size_t)job->grid.nx * job->grid.ny; ++cell) {
        const double value = field_value(job, cell);
        if (value > most) most = value;
    }
    return (qd_vec2){0, qdi_field_map_top(most)};
}

// The pixel at which a coordinate lies, within the picture's clip.
static int pixel_of(double at, int low, int high) {
    return at <= low ? low : (at >= high ? high : (int)floor(at + 0.5));
}

// Adds an arrow along a velocity, about a point, so many pixels long.
static void add_arrow(qdi_copy *copier, double x, double y, qd_vec2 velocity, double length) {
    qdi_picture *picture = copier->picture;
    const double speed = sqrt(velocity.x * velocity.x + velocity.y * velocity.y);
    if (!(length >= shortest_arrow) || !(speed > 0)) return;
    copier->status = qdi_reserve(picture->allocator, &picture->arrows, &picture->arrow_room,
                                 picture->arrow_count, picture->arrow_count + 1, sizeof *picture->arrows);
    if (copier->status != QD_OK) return;
    // Rows go down.
    const double ax = velocity.x / speed * length, ay = -velocity.y / speed * length;
    const double tip_x = x + 0.5 * ax, tip_y = y + 0.5 * ay;
    picture->arrows[picture->arrow_count++] = (qdi_arrow){
        .tail = {(float)(x - 0.5 * ax), (float)(y - 0.5 * ay)},
        .tip = {(float)tip_x, (float)tip_y},
        .barb = {{(float)(tip_x + barb_part * (ax * barb_cosine - ay * barb_sine)),
                  (float)(tip_y + barb_part * (ay * barb_cosine + ax * barb_sine))},
                 {(float)(tip_x + barb_part * (ax * barb_cosine + ay * barb_sine)),
                  (float)(tip_y + barb_part * (ay * barb_cosine - ax * barb_sine))}}};
}

// Adds an image of a cell, `left` to `bottom` being its sides in pixels.
static void add_patch(const map_job *job, size_t cell, double value, const double side[4]) {
    qdi_copy *copier = job->copier;
    qdi_picture *picture = copier->picture;
    const qdi_area *clip = &picture->clip;
    const qdi_area area = {
        pixel_of(side[0], clip->min_x, clip->max_x), pixel_of(side[1], clip->min_y, clip->max_y),
        pixel_of(side[2], clip->min_x, clip->max_x), pixel_of(side[3], clip->min_y, clip->max_y)};
    if (area.max_x <= area.min_x || area.max_y <= area.min_y) return;
    copier->status = qdi_reserve(picture->allocator, &picture->patches, &picture->patch_room,
                                 picture->patch_count, picture->patch_count + 1, sizeof *picture->patches);
    if (copier->status != QD_OK) return;
    const qd_vec2 range = picture->facts.field;
    picture->patches[picture->patch_count++] = (qdi_patch){
        area, qdi_ink_of_field(job->inks, qdi_step_of_value(value, range.x, range.y, job->inks.steps))};
    const double wide = side[2] - side[0], high = side[3] - side[1], least = wide < high ? wide : high;
    if (copier->view->field != QD_VIEW_FIELD_VELOCITY || least < smallest_cell) return;
    const qd_vec2 velocity = {qd_field_values(job->field, QD_FIELD_VELOCITY_X)[cell],
                              qd_field_values(job->field, QD_FIELD_VELOCITY_Y)[cell]};
    const double part = value < range.y ? value / range.y : 1.0;
    add_arrow(copier, 0.5 * (side[0] + side[2]), 0.5 * (side[1] + side[3]), velocity,
              arrow_part * least * part);
}

// Adds all images of a cell that can be seen.
static void add_cell(const map_job *job, uint32_t column, uint32_t row) {
    qdi_copy *copier = job->copier;
    const qd_field_grid *grid = &job->grid;
    const size_t cell = (size_t)row * grid->nx + column;
    const double value = field_value(job, cell);
    if (isnan(value)) return;
    const double left = qdi_camera_x(&copier->camera, grid->x + column * grid->width),
                 right = qdi_camera_x(&copier->camera, grid->x + (column + 1) * grid->width),
                 bottom = qdi_camera_y(&copier->camera, grid->y + row * grid->height),
                 top = qdi_camera_y(&copier->camera, grid->y + (row + 1) * grid->height);
    const double reach = 0.5 * (right - left + bottom - top);
    const qdi_images seen = qdi_picture_images(copier, 0.5 * (left + right), 0.5 * (top + bottom), reach);
    for (int j = seen.y0; j <= seen.y1; ++j) {
        for (int i = seen.x0; i <= seen.x1 && copier->status == QD_OK; ++i) {
            const double x = i * copier->period_x, y = j * copier->period_y;
            add_patch(job, cell, value, (double[]){left + x, top + y, right + x, bottom + y});
        }
    }
}

void qdi_field_map_copy(qdi_copy *copier) {
    qdi_picture *picture = copier->picture;
    picture->patch_count = picture->arrow_count = 0;
    if (!picture->measured || copier->status != QD_OK) return;
    copier->status = qd_field_measure(picture->measured, copier->from);
    if (copier->status != QD_OK) return;
    map_job job = {.copier = copier,
                   .field = picture->measured,
                   .grid = qd_field_grid_of(picture->measured),
                   .inks = qdi_field_inks_of(copier->view)};
    picture->facts.field = range_of_field(&job);
    for (uint32_t row = 0; row < job.grid.ny; ++row)
        for (uint32_t column = 0; column < job.grid.nx; ++column) add_cell(&job, column, row);
}
