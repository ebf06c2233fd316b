#include "core/memory.h"
#include "tools/bench/rigid.h"
#include "tools/bench/rigid_world.h"

#include <math.h>

// Lengths are in units of the disks' diameter and of the rects' greatest width; a step is a sixtieth of the unit of time.
static const double step_seconds = 1.0 / 60, disk_radius = 0.5, disk_fill = 0.3, disk_speed = 6;
/// The pile starts as rows of rects that do not touch, a little turned and of several sizes, each over a gap of the row
/// below, and falls together.
static const double rect_room_x = 1.1, rect_room_y = 0.92, rect_turn = 0.1;
enum { ITERATIONS = 8, SEED = 1, USE_PLACE = 200, USE_BODY = 201, MOST_SETTLING = 900 };
/// Energy of motion per mass at which the pile is at rest.
static const double still = 1e-3;
/// In the first half of the time the rects fall as if through syrup: every SLOWED_EVERY steps they keep this part of their
/// velocities. So none falls so fast that it ends up inside another.
static const double slowed = 0.7;
enum { SLOWED_EVERY = 8 };

static const qdi_rigid_case cases[] = {
    {.name = "gas", .gravity = 0, .restitution = 1, .friction = 0, .rects = false, .bodies = 100000},
    {.name = "pile", .gravity = 10, .restitution = 0, .friction = 0.6, .rects = true, .bodies = 20000},
};

const qdi_rigid_case *qdi_rigid_case_at(size_t number) {
    return number < sizeof cases / sizeof cases[0] ? &cases[number] : NULL;
}

static double between(qd_random *random, double low, double high) {
    return low + (high - low) * qd_random_uniform(random);
}

/// Disks on a grid too wide to touch, in random order, each somewhere in its cell.
static void make_gas(qdi_rigid_setting *setting) {
    size_t across = (size_t)ceil(sqrt((double)setting->count));
    double cell = 2 * disk_radius * sqrt(0.7853981633974483 / disk_fill); // a disk has pi / 4 of its square
    double slack = 0.5 * cell - disk_radius;
    setting->size = (qd_vec2){(double)across * cell, (double)across * cell};
    for (size_t i = 0; i < setting->count; ++i) {
        qd_random random = qd_random_at(SEED, i, USE_BODY);
        double x = ((double)(i % across) + 0.5) * cell + between(&random, -slack, slack);
        double y = ((double)(i / across) + 0.5) * cell + between(&random, -slack, slack);
        qd_vec2 velocity = {disk_speed * qd_random_normal(&random), disk_speed * qd_random_normal(&random)};
        double mass = 3.141592653589793 * disk_radius * disk_radius;
        setting->bodies[i] = (qdi_rigid_body){.radius = disk_radius,
                                              .mass = mass,
                                              .inertia = 0.5 * mass * disk_radius * disk_radius,
                                              .position = {x, y},
                                              .turn = {1, 0},
                                              .velocity = velocity};
    }
    qd_random random = qd_random_at(SEED, 0, USE_PLACE);
    for (size_t i = setting->count; i > 1; --i) {
        size_t j = (size_t)(qd_random_uniform(&random) * (double)i);
        qdi_rigid_body kept = setting->bodies[i - 1];
        setting->bodies[i - 1] = setting->bodies[j];
        setting->bodies[j] = kept;
    }
}

static void make_pile(qdi_rigid_setting *setting) {
    size_t across = (size_t)ceil(sqrt(5.0 * (double)setting->count));
    size_t rows = (setting->count + across - 1) / across;
    setting->size = (qd_vec2){((double)across + 0.5) * rect_room_x, (double)(rows + 2) * rect_room_y};
    for (size_t i = 0; i < setting->count; ++i) {
        qd_random random = qd_random_at(SEED, i, USE_BODY);
        size_t row = i / across;
        double x = ((double)(i % across) + (row % 2 ? 1.0 : 0.5)) * rect_room_x;
        double y = ((double)row + 0.5) * rect_room_y;
        qd_vec2 half = {between(&random, 0.3, 0.5), between(&random, 0.2, 0.4)};
        double t = 0.5 * between(&random, -rect_turn, rect_turn), scale = 1 / (1 + t * t);
        double mass = 4 * half.x * half.y;
        setting->bodies[i] = (qdi_rigid_body){.half = half,
                                              .mass = mass,
                                              .inertia = mass * (half.x * half.x + half.y * half.y) / 3,
                                              .position = {x, y},
                                              .turn = {(1 - t * t) * scale, 2 * t * scale}};
    }
}

/// Lets our own solver bring the bodies to rest.
static qd_status settle(qdi_rigid_setting *setting, int threads, qdi_rigid_tick tick, void *context) {
    qdi_rigid_options options = {threads, QD_SIMD_AUTO};
    void *state = NULL;
    qd_status status = qdi_rigid_impulse.create(setting, &options, &state);
    for (int k = 0; status == QD_OK && k < MOST_SETTLING; ++k) {
        status = qdi_rigid_impulse.step(state, NULL);
        if (tick && !tick(context)) break;
        if (status == QD_OK && k < MOST_SETTLING / 2 && k % SLOWED_EVERY == 0)
            status = qdi_rigid_world_slow(state, slowed, setting->bodies);
        qd_world_sums sums = qd_world_sum(qdi_rigid_world_of(state));
        if (k > MOST_SETTLING / 2 && sums.kinetic < still * sums.mass) break;
    }
    if (status == QD_OK) qdi_rigid_impulse.read(state, setting->bodies);
    qdi_rigid_impulse.destroy(state);
    return status;
}

qd_status qdi_rigid_setting_make(const qdi_rigid_case *of, size_t count, int threads, qdi_rigid_tick tick,
                                 void *context, qdi_rigid_setting *setting) {
    *setting = (qdi_rigid_setting){.of = of, .count = count, .dt = step_seconds, .iterations = ITERATIONS};
    setting->bodies = qdi_allocate(qd_allocator_default(), count, sizeof *setting->bodies);
    if (!setting->bodies) return QD_ERR_MEMORY;
    if (of->rects)
        make_pile(setting);
    else
        make_gas(setting);
    qd_status status = of->rects ? settle(setting, threads, tick, context) : QD_OK;
    if (status != QD_OK) qdi_rigid_setting_free(setting);
    return status;
}

void qdi_rigid_setting_free(qdi_rigid_setting *setting) {
    qdi_release(qd_allocator_default(), setting->bodies, setting->count, sizeof *setting->bodies);
    setting->bodies = NULL;
}
