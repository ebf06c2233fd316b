#include "core/base/memory.h"
#include "tools/bench/rigid.h"
#include "tools/bench/rigid_scenes.h"
#include "tools/bench/rigid_world.h"

#include <math.h>

// Lengths are in units of the disks' diameter and of the rects' greatest width; a step is a sixtieth of the
// unit of time.
static const double step_seconds = 1.0 / 60, disk_radius = 0.5, disk_fill = 0.3, disk_speed = 6;
/// The pile starts as rows of rects that do not touch, a little turned and of several sizes, each over a gap
/// of the row below, and falls together.
static const double rect_room_x = 1.1, rect_room_y = 0.92, rect_turn = 0.1;
enum { ITERATIONS = 8, SEED = 1, USE_PLACE = 200, USE_BODY = 201, MOST_SETTLING = 900 };
/// Energy of motion per mass at which the pile is at rest.
static const double still = 1e-3;
/// In the first half of the time the rects fall as if through syrup: every SLOWED_EVERY steps they keep this
/// part of their velocities. So none falls so fast that it ends up inside another.
static const double slowed = 0.7;
enum { SLOWED_EVERY = 8 };

// A random number of a bench's case in a range.
static double random_between(qd_random *random, double low, double high) {
    return low + (high - low) * qd_random_uniform(random);
}

/// Bench of rigid piles: disks on a grid too wide to touch, in random order, each somewhere in its cell.
qd_status qdi_rigid_make_gas(qdi_rigid_setting *setting, size_t count) {
    const qd_shape disk = qd_shape_disk(disk_radius);
    size_t across = (size_t)ceil(sqrt((double)count));
    double cell = 2 * disk_radius * sqrt(0.7853981633974483 / disk_fill); // a disk has pi / 4 of its square
    double slack = 0.5 * cell - disk_radius;
    setting->size = (qd_vec2){(double)across * cell, (double)across * cell};
    for (size_t i = 0; i < count; ++i) {
        qd_random random = qd_random_at(SEED, i, USE_BODY);
        double x = ((double)(i % across) + 0.5) * cell + random_between(&random, -slack, slack);
        double y = ((double)(i / across) + 0.5) * cell + random_between(&random, -slack, slack);
        qd_vec2 velocity = {disk_speed * qd_random_normal(&random), disk_speed * qd_random_normal(&random)};
        qdi_rigid_body *body = qdi_rigid_add(setting, &disk, (qd_vec2){x, y}, 1);
        if (!body) return QD_ERR_MEMORY;
        body->velocity = velocity;
    }
    qd_random random = qd_random_at(SEED, 0, USE_PLACE);
    for (size_t i = count; i > 1; --i) {
        size_t j = (size_t)(qd_random_uniform(&random) * (double)i);
        qdi_rigid_body kept = setting->bodies[i - 1];
        setting->bodies[i - 1] = setting->bodies[j];
        setting->bodies[j] = kept;
    }
    return QD_OK;
}

qd_status qdi_rigid_make_pile(qdi_rigid_setting *setting, size_t count) {
    size_t across = (size_t)ceil(sqrt(5.0 * (double)count));
    size_t rows = (count + across - 1) / across;
    setting->size = (qd_vec2){((double)across + 0.5) * rect_room_x, (double)(rows + 2) * rect_room_y};
    for (size_t i = 0; i < count; ++i) {
        qd_random random = qd_random_at(SEED, i, USE_BODY);
        size_t row = i / across;
        double x = ((double)(i % across) + (row % 2 ? 1.0 : 0.5)) * rect_room_x;
        double y = ((double)row + 0.5) * rect_room_y;
        qd_vec2 half = {random_between(&random, 0.3, 0.5), random_between(&random, 0.2, 0.4)};
        double t = 0.5 * random_between(&random, -rect_turn, rect_turn), scale = 1 / (1 + t * t);
        const qd_shape rect = qd_shape_rect(2 * half.x, 2 * half.y);
        qdi_rigid_body *body = qdi_rigid_add(setting, &rect, (qd_vec2){x, y}, 1);
        if (!body) return QD_ERR_MEMORY;
        body->turn = (qd_vec2){(1 - t * t) * scale, 2 * t * scale};
    }
    return QD_OK;
}

/// Bench of rigid piles: lets our own solver bring the bodies to rest.
static qd_status settle(qdi_rigid_setting *setting, int threads, qdi_rigid_tick tick, void *context) {
    qdi_rigid_options options = {threads, QD_SIMD_AUTO, NULL};
    void *state = NULL;
    qd_status status = qdi_rigid_impulse_off.create(setting, &options, &state);
    for (int k = 0; status == QD_OK && k < MOST_SETTLING; ++k) {
        status = qdi_rigid_impulse_off.step(state, NULL);
        if (tick && !tick(context)) break;
        if (status == QD_OK && k < MOST_SETTLING / 2 && k % SLOWED_EVERY == 0)
            status = qdi_rigid_world_slow(state, slowed, setting->bodies);
        qd_world_sums sums = qd_world_sum(qdi_rigid_world_of(state));
        if (k > MOST_SETTLING / 2 && sums.kinetic < still * sums.mass) break;
    }
    if (status == QD_OK) qdi_rigid_impulse_off.read(state, setting->bodies);
    qdi_rigid_impulse_off.destroy(state);
    return status;
}

qd_status qdi_rigid_setting_make(const qdi_rigid_case *of, size_t count, int threads, qdi_rigid_tick tick,
                                 void *context, qdi_rigid_setting *setting) {
    *setting = (qdi_rigid_setting){.of = of, .dt = step_seconds, .iterations = ITERATIONS};
    qd_status status = of->make(setting, count);
    if (status == QD_OK && of->settles) status = settle(setting, threads, tick, context);
    if (status != QD_OK) qdi_rigid_setting_free(setting);
    return status;
}

qdi_rigid_body *qdi_rigid_add(qdi_rigid_setting *setting, const qd_shape *shape, qd_vec2 position,
                              double density) {
    if (qdi_reserve(qd_allocator_default(), &setting->bodies, &setting->room, setting->total,
                    setting->total + 1, sizeof *setting->bodies) != QD_OK)
        return NULL;
    qdi_rigid_body *body = &setting->bodies[setting->total++];
    double mass = density * qd_shape_area(shape);
    *body = (qdi_rigid_body){.shape = *shape,
                             .kind = density > 0 ? QD_BODY_DYNAMIC : QD_BODY_STATIC,
                             .mass = mass,
                             .inertia = mass * qd_shape_inertia(shape),
                             .position = position,
                             .turn = {1, 0},
                             .pivot = {(double)NAN, (double)NAN}};
    if (density > 0) setting->count = setting->total;
    return body;
}

void qdi_rigid_setting_free(qdi_rigid_setting *setting) {
    qdi_release(qd_allocator_default(), setting->bodies, setting->room, sizeof *setting->bodies);
    setting->bodies = NULL;
    setting->room = 0;
}
