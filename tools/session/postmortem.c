#include "tools/session/postmortem.h"

#include <inttypes.h>
#include <quadrille/still.h>
#include <stdio.h>
#include <string.h>

/// A body's surroundings are so many of its radii wide, to either side; a crowd is a square that holds so few
/// bodies, or is found in so many halvings.
static const double surroundings = 16.0;
enum { CROWD = 400, HALVINGS = 24, GRID = 8 };

// Post-mortem: the larger of two lengths, for the picture of a failed step.
static double larger_of(double a, double b) {
    return a > b ? a : b;
}

/// Post-mortem: counts the bodies in each of GRID x GRID cells of a square.
static void count_cells(const qd_body_view *bodies, qd_vec2 low, double side, size_t count[GRID * GRID]) {
    memset(count, 0, GRID * GRID * sizeof *count);
    for (size_t row = 0; row < bodies->count; ++row) {
        double x = (bodies->x[row] - low.x) / side * GRID, y = (bodies->y[row] - low.y) / side * GRID;
        if (x >= 0 && x < GRID && y >= 0 && y < GRID) count[(int)y * GRID + (int)x] += 1;
    }
}

qdi_crowd qdi_crowd_find(const qd_world *world) {
    const qd_body_view bodies = qd_world_view(world);
    qd_vec2 low, high;
    qd_world_sides(world, &low, &high);
    double side = larger_of(high.x - low.x, high.y - low.y);
    size_t inside = bodies.count;
    for (int i = 0; i < HALVINGS && inside > CROWD; ++i) {
        size_t count[GRID * GRID], best = 0, best_x = 0, best_y = 0;
        count_cells(&bodies, low, side, count);
        // The fullest square of half the side, at any multiple of an eighth.
        for (size_t y = 0; y <= GRID / 2; ++y) {
            for (size_t x = 0; x <= GRID / 2; ++x) {
                size_t sum = 0;
                for (size_t k = 0; k < GRID * GRID / 4; ++k)
                    sum += count[(y + k / (GRID / 2)) * GRID + x + k % (GRID / 2)];
                if (sum <= best) continue;
                best = sum;
                best_x = x;
                best_y = y;
            }
        }
        if (best == 0) break; // all are outside of the world
        low.x += side * (double)best_x / GRID;
        low.y += side * (double)best_y / GRID;
        side /= 2;
        inside = best;
    }
    return (qdi_crowd){{low.x + side / 2, low.y + side / 2}, side / 2};
}

/// Post-mortem: the radius of the body, or of the disk about it.
static double radius_of(const qd_world *world, qd_id id) {
    const qd_body_view bodies = qd_world_view(world);
    uint32_t row = qd_body_view_row(&bodies, id);
    return row == UINT32_MAX ? 0 : bodies.radius[row];
}

qd_status qdi_postmortem_draw(const qd_world *world, const qd_limit_report *report, const qd_view *view,
                              const qd_provenance *provenance, const char *path, qd_error *error) {
    char comment[200];
    qd_still still = {.path = path, .view = *view, .provenance = *provenance, .comment = comment};
    if (report->has_body) {
        qd_world_def def = qd_world_definition(world);
        double radius = radius_of(world, report->body.id);
        if (!(radius > 0)) radius = 0.01 * larger_of(def.size.x, def.size.y); // points are seen too
        still.centre = report->body.position;
        still.reach = surroundings * radius;
        still.mark = 1.3 * radius;
        still.heading = report->body.velocity;
        snprintf(comment, sizeof comment, "Before step %" PRIu64 ": body %" PRIu64 ": %s", report->step,
                 report->label, report->reason);
    } else {
        const qdi_crowd crowd = qdi_crowd_find(world);
        still.centre = crowd.centre;
        still.reach = crowd.reach;
        snprintf(comment, sizeof comment, "Before step %" PRIu64 ": %s", report->step, report->reason);
    }
    return qd_still_write(&still, world, error);
}
