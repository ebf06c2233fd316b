#include "tests/support/tree_scenes.h"

#include "tests/support/harness.h"

#include <math.h>

static double between(qd_test_scene *scene, double low, double high) {
    return low + (high - low) * qd_random_uniform(&scene->random);
}

uint32_t qd_test_scene_below(qd_test_scene *scene, uint32_t count) {
    return count == 0 ? 0 : (uint32_t)(qd_random_bits(&scene->random) % count);
}

static double power_of_two_at_least(double value) {
    double side = 0x1p-60;
    while (side < value) side *= 2.0;
    return side;
}

// A coordinate of a centre along one axis.
static double centre(qd_test_scene *scene, double size, double period) {
    double side = power_of_two_at_least(fmax(scene->def.size.x, scene->def.size.y));
    double x = between(scene, -0.5 * size, 0.5 * size);
    switch (scene->place) {
    case 0: break;
    case 1: x = floor(between(scene, -16.0, 16.0)) * side / 32.0; break; // on borders of cells
    case 2: x = 0.25 * size; break;                                      // all in one point
    case 3: x = between(scene, -0.01, 0.01) * size + 0.1 * size; break;  // a crowd
    case 4:                                                              // some far outside
        if (qd_test_scene_below(scene, 4) == 0) x *= pow(10.0, between(scene, 0.0, 7.0));
        break;
    case 5: x = between(scene, -3.0, 3.0) * size; break;                    // most outside
    case 6: x = (qd_test_scene_below(scene, 2) ? 0.5 : -0.5) * size; break; // on the world's edge
    default: x = qd_test_scene_below(scene, 8) == 0 ? 1e30 * (x > 0 ? 1.0 : -1.0) : x; break;
    }
    if (period > 0.0) {
        x -= period * floor(x / period + 0.5);
        if (!(x >= -0.5 * period && x <= 0.5 * period)) x = 0.0;
    }
    return x;
}

static double half_side(qd_test_scene *scene, double period) {
    double size = fmax(scene->def.size.x, scene->def.size.y);
    double half = 0.01 * size;
    switch (scene->size) {
    case 0: half = 0.0; break;
    case 1: half = between(scene, 0.0, 0.03) * size; break;
    case 2: half = 0.00002 * size * pow(10.0, between(scene, 0.0, 4.0)); break;    // 1:10^4
    case 3: half = ldexp(size, -(int)qd_test_scene_below(scene, 12)) * 0.5; break; // just the sides of cells
    case 4:
        half = between(scene, 0.0, 1.0) < 0.1 ? between(scene, 0.5, 3.0) * size : half;
        break; // larger than the world
    default: half = between(scene, 0.0, 1.0) < 0.2 ? 0.0 : 0.001 * size; break;
    }
    if (period > 0.0 && half > 0.24 * period) half = 0.24 * period;
    return half;
}

qd_box qd_test_scene_box(qd_test_scene *scene) {
    double x = centre(scene, scene->def.size.x, scene->def.period.x);
    double y = centre(scene, scene->def.size.y, scene->def.period.y);
    double w = half_side(scene, scene->def.period.x);
    double h = qd_test_scene_below(scene, 2) ? w : half_side(scene, scene->def.period.y);
    if (scene->def.period.y > 0.0 && h > 0.24 * scene->def.period.y) h = 0.24 * scene->def.period.y;
    return (qd_box){(float)(x - w), (float)(y - h), (float)(x + w), (float)(y + h)};
}

void qd_test_scene_make(qd_test_scene *scene, uint64_t seed) {
    scene->random = qd_random_at(seed, 0, 0x7e57);
    scene->def = qd_tree_def_default();
    double scale = pow(10.0, floor(between(scene, -3.0, 4.0)));
    scene->def.size = (qd_vec2){scale * between(scene, 0.2, 1.0), scale * between(scene, 0.2, 1.0)};
    if (qd_test_scene_below(scene, 4) == 0) scene->def.size = (qd_vec2){64.0, 64.0};
    uint32_t periodic = qd_test_scene_below(scene, 6);
    if (periodic == 1 || periodic == 3) scene->def.period.x = scene->def.size.x;
    if (periodic == 2 || periodic == 3) scene->def.period.y = scene->def.size.y;
    static const uint32_t capacities[] = {1, 2, 4, 8, 32};
    scene->def.capacity = capacities[qd_test_scene_below(scene, 5)];
    scene->place = (int)qd_test_scene_below(scene, 8);
    scene->size = (int)qd_test_scene_below(scene, 6);
    scene->motion = (int)qd_test_scene_below(scene, 4);
    static const uint32_t most[] = {3, 40, 150, 400};
    scene->count = qd_test_scene_below(scene, most[qd_test_scene_below(scene, 4)]);
    scene->next = 0;
    for (size_t i = 0; i < scene->count; ++i) {
        scene->boxes[i] = qd_test_scene_box(scene);
        scene->indices[i] = scene->next++;
    }
}

void qd_test_scene_move(qd_test_scene *scene) {
    double size = fmax(scene->def.size.x, scene->def.size.y);
    if (qd_test_scene_below(scene, 10) == 0) scene->place = (int)qd_test_scene_below(scene, 8);
    for (size_t i = 0; i < scene->count; ++i) {
        if (scene->motion == 0 && qd_test_scene_below(scene, 10) != 0) continue; // few move
        if (scene->motion == 1 || qd_test_scene_below(scene, 20) == 0) {
            scene->boxes[i] = qd_test_scene_box(scene); // anywhere
            continue;
        }
        double step = scene->motion == 2 ? 0.001 : 0.05;
        float x = (float)(between(scene, -step, step) * size);
        float y = (float)(between(scene, -step, step) * size);
        qd_box moved = scene->boxes[i];
        moved.min_x += x, moved.max_x += x;
        moved.min_y += y, moved.max_y += y;
        double cx = 0.5 * ((double)moved.min_x + (double)moved.max_x);
        double cy = 0.5 * ((double)moved.min_y + (double)moved.max_y);
        if (scene->def.period.x > 0.0 && fabs(cx) > 0.499 * scene->def.period.x) continue;
        if (scene->def.period.y > 0.0 && fabs(cy) > 0.499 * scene->def.period.y) continue;
        scene->boxes[i] = moved;
    }
}

void qd_test_scene_change(qd_test_scene *scene) {
    uint32_t removed = qd_test_scene_below(scene, (uint32_t)scene->count / 4 + 1);
    for (uint32_t r = 0; r < removed; ++r) {
        size_t at = qd_test_scene_below(scene, (uint32_t)scene->count);
        scene->count -= 1;
        scene->boxes[at] = scene->boxes[scene->count];
        scene->indices[at] = scene->indices[scene->count];
    }
    uint32_t added = qd_test_scene_below(scene, 30);
    for (uint32_t a = 0; a < added && scene->count < QD_SCENE_MOST; ++a) {
        scene->boxes[scene->count] = qd_test_scene_box(scene);
        scene->indices[scene->count++] = scene->next++;
    }
    if (qd_test_scene_below(scene, 2) == 0) return;
    for (size_t i = scene->count; i > 1; --i) {
        size_t j = qd_test_scene_below(scene, (uint32_t)i);
        qd_box box = scene->boxes[i - 1];
        qd_body_index index = scene->indices[i - 1];
        scene->boxes[i - 1] = scene->boxes[j];
        scene->indices[i - 1] = scene->indices[j];
        scene->boxes[j] = box;
        scene->indices[j] = index;
    }
}

qd_tree *qd_test_scene_grow(qd_test_scene *scene, uint64_t seed) {
    qd_test_scene_make(scene, seed);
    qd_team_def team_def = qd_team_def_default();
    qd_team *team = NULL;
    qd_tree *tree = NULL;
    ck_assert_int_eq(qd_team_create(&team_def, &team), QD_OK);
    ck_assert_int_eq(qd_tree_create(&scene->def, &tree), QD_OK);
    const uint32_t steps = 1 + qd_test_scene_below(scene, 4);
    for (uint32_t step = 0; step < steps; ++step) {
        if (step > 0) qd_test_scene_move(scene);
        if (step == 2) qd_test_scene_change(scene);
        ck_assert_int_eq(qd_tree_refresh(tree, team, scene->boxes, scene->indices, scene->count, NULL, NULL),
                         QD_OK);
    }
    qd_team_destroy(team);
    return tree;
}
