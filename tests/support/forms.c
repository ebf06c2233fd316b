#include "tests/support/forms.h"

#include "core/math/larger.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/math.h>

static const double pi = 3.14159265358979323846;

void qd_test_form_make(const qd_shape *shape, qd_test_form *made) {
    qd_error error = {""};
    made->shape = *shape;
    ck_assert_msg(qd_shape_normalise(&made->shape, NULL, &error) == QD_OK, "%s", error.text);
    if (made->shape.kind == QD_SHAPE_POLYGON) qdi_hull_make(&made->shape, &made->hull);
}

// Draws go one to a statement: the order within one is the compiler's choice, and a seed must mean the same
// everywhere.

qd_shape qd_test_polygon_random(qd_random *random, int most) {
    int count = 3 + (int)(qd_random_uniform(random) * (most - 2));
    double wide = qd_test_between(random, 0.3, 1);
    double high = qd_test_between(random, 0.3, 1);
    double jitter = qd_random_uniform(random) < 0.3 ? 0 : 0.8;
    qd_vec2 points[QD_POLYGON_MAX], shift;
    shift.x = qd_test_between(random, -5, 5);
    shift.y = qd_test_between(random, -5, 5);
    for (int i = 0; i < count; ++i) { // on an ellipse, so convex whatever the angles
        double angle = 2 * pi * (i + jitter * qd_random_uniform(random)) / count;
        points[i] = (qd_vec2){shift.x + wide * qd_cos(angle), shift.y + high * qd_sin(angle)};
    }
    qd_shape shape;
    qd_error error = {""};
    ck_assert_msg(qd_shape_polygon(points, (size_t)count, &shape, NULL, &error) == QD_OK, "%s", error.text);
    return shape;
}

void qd_test_form_random(qd_random *random, qd_test_form *made) {
    double rounding = qd_random_uniform(random) < 0.4 ? qd_test_between(random, 0.01, 0.3) : 0;
    double length = qd_test_between(random, 0.2, 1.5);
    double width = qd_test_between(random, 0.2, 1.5);
    qd_shape shape;
    switch ((int)(qd_random_uniform(random) * 4)) {
    case 0: shape = qd_shape_disk(0.5 * length); break;
    case 1:
        shape = qd_random_uniform(random) < 0.3 ? qd_shape_rect(1, 1) : qd_shape_rect(length, width);
        shape.radius = rounding;
        break;
    case 2: shape = qd_shape_capsule(length, rounding); break;
    default:
        shape = qd_test_polygon_random(random, QD_POLYGON_MAX);
        shape.radius = rounding;
        break;
    }
    qd_test_form_make(&shape, made);
}

qdi_pose qd_test_pose(double x, double y, double degrees) {
    qdi_pose pose = {x, y, 1, 0};
    qd_sincos(degrees * pi / 180, &pose.s, &pose.c);
    return pose;
}

qdi_pose qd_test_pose_random(qd_random *random, double spread) {
    double x = qd_test_between(random, -spread, spread);
    double y = qd_test_between(random, -spread, spread);
    double degrees = qd_test_between(random, 0, 360);
    if (qd_random_uniform(random) < 0.2) degrees = 45 * floor(degrees / 45);
    if (qd_random_uniform(random) < 0.2) {
        x = 0.25 * floor(4 * x);
        y = 0.25 * floor(4 * y);
    }
    return qd_test_pose(x, y, degrees);
}

qdi_pose qd_test_pose_moved(const qdi_pose *pose, const qdi_pose *by) {
    return (qdi_pose){by->x + by->c * pose->x - by->s * pose->y, by->y + by->s * pose->x + by->c * pose->y,
                      by->c * pose->c - by->s * pose->s, by->s * pose->c + by->c * pose->s};
}

double qd_test_support(const qdi_form *form, const qdi_pose *pose, qd_vec2 along) {
    double x = along.x * pose->c + along.y * pose->s, y = along.y * pose->c - along.x * pose->s, most = 0;
    if (form->kind == QD_SHAPE_CAPSULE) most = fabs(x) * form->half.x;
    if (form->kind == QD_SHAPE_RECT) most = fabs(x) * form->half.x + fabs(y) * form->half.y;
    if (form->kind == QD_SHAPE_POLYGON) {
        most = -HUGE_VAL;
        for (int i = 0; i < form->hull->count; ++i)
            most = qdi_larger(most, x * form->hull->point[i].x + y * form->hull->point[i].y);
    }
    return along.x * pose->x + along.y * pose->y + most + form->radius;
}

typedef struct both {
    const qdi_form *a, *b;
    const qdi_pose *pa, *pb;
} both;

static double apart_along(const both *two, double angle) {
    qd_vec2 n = {qd_cos(angle), qd_sin(angle)};
    return qd_test_apart_along(two->a, two->pa, two->b, two->pb, n);
}

static double refine(const both *two, double low, double high) {
    for (int k = 0; k < 100; ++k) {
        double left = low + (high - low) / 3, right = high - (high - low) / 3;
        if (apart_along(two, left) < apart_along(two, right))
            low = left;
        else
            high = right;
    }
    return apart_along(two, 0.5 * (low + high));
}

double qd_test_distance(const qdi_form *a, const qdi_pose *pa, const qdi_form *b, const qdi_pose *pb) {
    enum { SAMPLES = 360 };
    const both two = {a, b, pa, pb};
    double value[SAMPLES], step = 2 * pi / SAMPLES, best = -HUGE_VAL;
    for (int i = 0; i < SAMPLES; ++i) {
        value[i] = apart_along(&two, i * step);
        best = qdi_larger(best, value[i]);
    }
    double found = best;
    for (int i = 0; i < SAMPLES; ++i) { // every local maximum that may come out best
        double before = value[(i + SAMPLES - 1) % SAMPLES], after = value[(i + 1) % SAMPLES];
        if (value[i] >= before && value[i] >= after && value[i] > best - 0.1)
            found = qdi_larger(found, refine(&two, (i - 1) * step, (i + 1) * step));
    }
    return found;
}

double qd_test_apart_along(const qdi_form *a, const qdi_pose *pa, const qdi_form *b, const qdi_pose *pb,
                           qd_vec2 along) {
    return -qd_test_support(b, pb, (qd_vec2){-along.x, -along.y}) - qd_test_support(a, pa, along);
}
