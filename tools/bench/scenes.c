#include "tools/bench/scenes.h"

#include "core/base/memory.h"

#include <math.h>
#include <quadrille/math.h>
#include <quadrille/random.h>

enum { COLUMNS = 5, CLUSTERS = 64 };

/// What random numbers are for.
enum { USE_RADIUS, USE_PLACE, USE_VELOCITY, USE_CENTRE };

static const double PI = 3.141592653589793;

const qdi_bench_scene *qdi_bench_scene_at(size_t number) {
    static const qdi_bench_scene scenes[] = {
        {"uniform", "equal disks on 30 % of the area", .3, .1, false, false},
        {"sizes", "radii from .5 to 50, most of them small", .3, .1, true, false},
        {"clusters", "equal disks crowded around 64 centres, 2 % of the area", .02, .1, false, true},
        {"sparse", "equal fast disks on 1 % of the area", .01, 1, false, false},
        {"dense", "equal disks on 60 % of the area", .6, .1, false, false},
    };
    return number < sizeof scenes / sizeof scenes[0] ? &scenes[number] : NULL;
}

/// Bench's scenes: .5 u^-.6, at most 50.
static double draw_radius(uint64_t seed, size_t body) {
    qd_random random = qd_random_at(seed, body, USE_RADIUS);
    double radius = .5 * qd_pow(1.0 - qd_random_uniform(&random), -.6);
    return radius < 50.0 ? radius : 50.0;
}

/// Bench's scenes: a place near one of the clusters' centres, drawn again until it lies in the world.
static void draw_clustered(uint64_t seed, qd_random *random, double side, double *x, double *y) {
    size_t cluster = (size_t)(qd_random_uniform(random) * CLUSTERS);
    qd_random centre = qd_random_at(seed, cluster, USE_CENTRE);
    double cx = (qd_random_uniform(&centre) - .5) * side, cy = (qd_random_uniform(&centre) - .5) * side;
    double sigma = (.005 + .02 * qd_random_uniform(&centre)) * side;
    do {
        *x = cx + sigma * qd_random_normal(random);
        *y = cy + sigma * qd_random_normal(random);
    } while (fabs(*x) > .5 * side || fabs(*y) > .5 * side);
}

// Fills the columns of bodies of a bench's scene.
static void fill_scene_columns(const qdi_bench_scene *scene, double speed, uint64_t seed,
                               qdi_bench_setting *setting) {
    size_t n = setting->bodies.count;
    double *x = setting->block, *y = x + n, *vx = y + n, *vy = vx + n, *radius = vy + n;
    double area = 0, largest = 0;
    for (size_t i = 0; i < n; ++i) {
        radius[i] = scene->sizes ? draw_radius(seed, i) : .5;
        area += PI * radius[i] * radius[i];
        if (radius[i] > largest) largest = radius[i];
    }
    double side = sqrt(area / scene->fill);
    for (size_t i = 0; i < n; ++i) {
        qd_random random = qd_random_at(seed, i, USE_PLACE);
        if (scene->clusters) {
            draw_clustered(seed, &random, side, &x[i], &y[i]);
        } else {
            x[i] = (qd_random_uniform(&random) - .5) * side;
            y[i] = (qd_random_uniform(&random) - .5) * side;
        }
        random = qd_random_at(seed, i, USE_VELOCITY);
        vx[i] = speed * scene->speed * qd_random_normal(&random);
        vy[i] = speed * scene->speed * qd_random_normal(&random);
        // The motion mirrors once a step. Only in a world of a few bodies, or many times as fast, is anything
        // so fast.
        if (fabs(vx[i]) > .5 * side) vx[i] = 0;
        if (fabs(vy[i]) > .5 * side) vy[i] = 0;
    }
    setting->bodies = (qdi_bench_bodies){n, side, x, y, vx, vy, radius, largest};
}

qd_status qdi_bench_setting_make(const qdi_bench_scene *scene, double speed, size_t count, uint64_t seed,
                                 const qd_allocator *allocator, qdi_bench_setting *setting) {
    *setting = (qdi_bench_setting){.bodies = {.count = count}, .allocator = allocator};
    setting->block = qdi_allocate(allocator, COLUMNS * count, sizeof *setting->block);
    if (!setting->block) return QD_ERR_MEMORY;
    fill_scene_columns(scene, speed, seed, setting);
    return QD_OK;
}

void qdi_bench_setting_free(qdi_bench_setting *setting) {
    qdi_release(setting->allocator, setting->block, COLUMNS * setting->bodies.count, sizeof *setting->block);
    setting->block = NULL;
}
