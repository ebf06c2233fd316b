// Saved worlds, behind a good checksum and in their length. The first byte is the seed of a random world that
// is saved; then come changes of what it saved: where (2 bytes), how many bytes (1), and they. What is loaded
// steps, saves itself as it came, and dies in order.
#include "tests/fuzz/fuzz.h"

#include "core/base/bytes.h"
#include "sim/world/population.h"
#include "sim/world/save_impl.h"
#include "sim/world/world_impl.h"
#include "tests/support/random_worlds.h"

#include <math.h>
#include <quadrille/displacement.h>
#include <quadrille/hash.h>
#include <quadrille/metrics.h>
#include <stdlib.h>
#include <string.h>

enum { WORLDS = 256, BODIES_MOST = 2000, WIDEST = 8 };
static const double STEP = 0.125;

typedef struct saved_world {
    unsigned char *data;
    size_t size;
} saved_world;
static saved_world saved_of[WORLDS];

// Two named materials that are a pair, and a body of one; displacements are counted from here on.
static qd_status add_materials(qd_world *world, qd_test_dice *dice) {
    qd_body_def body = qd_test_dice_body(dice);
    const qd_material pair = {.restitution = 0.5, .friction = 0.25, .tangential = (double)NAN};
    uint32_t first = 0, second = 0;
    qd_status status = qd_world_add_material(world, "steel", &body.material, &first, NULL);
    if (status == QD_OK) status = qd_world_add_material(world, "rubber", &pair, &second, NULL);
    if (status == QD_OK) status = qd_world_pair_materials(world, first, second, &pair, NULL);
    body.material.of = second;
    if (status == QD_OK) status = qd_world_add(world, &body, NULL, NULL);
    return status == QD_OK ? qd_world_follow(world, true) : status;
}

// Bodies, chains, emitters and sinks; some are refused.
static void populate(qd_world *world, qd_test_dice *dice) {
    qd_status status = qd_test_dice_hit(dice, 3) ? add_materials(world, dice) : QD_OK;
    for (size_t i = 2 + qd_test_dice_below(dice, 14); i > 0; --i) {
        qd_body_def body = qd_test_dice_body(dice);
        status = qd_world_add(world, &body, NULL, NULL);
    }
    qd_vec2 points[4];
    for (int i = 0; i < 4; ++i) points[i] = qd_test_dice_place(dice);
    qd_body_def like = qd_test_dice_body(dice);
    if (qd_test_dice_hit(dice, 4)) status = qd_world_add_polyline(world, points, 4, true, &like, NULL, NULL);
    qd_emitter_def emitter = qd_test_dice_emitter(dice);
    if (qd_test_dice_hit(dice, 3)) status = qd_world_add_emitter(world, &emitter, NULL);
    qd_sink_def sink = qd_test_dice_sink(dice);
    if (qd_test_dice_hit(dice, 3)) status = qd_world_add_sink(world, &sink, NULL);
    (void)status;
}

// Makes the world of a seed, once; the next that can be made where that of this one is refused.
static const saved_world *world_of(uint8_t seed) {
    saved_world *saved = &saved_of[seed];
    for (uint64_t from = seed; !saved->data; from += WORLDS) {
        qd_test_dice dice = qd_test_dice_of(from);
        dice.crowd = false;
        qd_world_def def = qd_test_dice_def(&dice);
        qd_world *world = NULL;
        if (qd_world_create(&def, &world) != QD_OK) continue;
        populate(world, &dice);
        for (int i = seed % 6; i > 0 && qd_world_step(world, 0.02, NULL) == QD_OK; --i) {
        }
        unsigned char *data = NULL;
        if (qd_world_save(world, &data, &saved->size) != QD_OK) qd_fuzz_fail("save");
        saved->data = malloc(saved->size);
        if (!saved->data) qd_fuzz_fail("no memory");
        memcpy(saved->data, data, saved->size);
        qd_world_save_free(world, data, saved->size);
        qd_world_destroy(world);
    }
    return saved;
}

// Whether emitters let in no more bodies in a step than can be stepped in a moment.
static bool is_moderate(const qd_world *world) {
    double bodies = (double)qd_world_count(world);
    for (size_t i = 0; world->population && i < world->population->emitter_count; ++i) {
        const qd_emitter_def *def = &world->population->emitters[i].def; // what is overdue comes at once
        bodies += def->rate * fmax(0, qd_world_time(world) + STEP - def->start);
    }
    return bodies <= BODIES_MOST;
}

// Loads, steps and saves.
static void live(const unsigned char *data, size_t size, int threads) {
    qd_world *world = NULL, *copy = NULL;
    qd_error error = {""};
    qd_status status = qd_world_load(data, size, threads, NULL, &world, &error);
    if (status != QD_OK) {
        if (world || !error.text[0] || strchr(error.text, '\n'))
            qd_fuzz_fail("refused with '%s'", error.text);
        return;
    }
    unsigned char *again = NULL;
    size_t bytes = 0;
    if (qd_world_save(world, &again, &bytes) != QD_OK) qd_fuzz_fail("save");
    if (qd_world_load(again, bytes, 1, NULL, &copy, &error) != QD_OK)
        qd_fuzz_fail("its own save: %s", error.text);
    if (qd_world_hash(world) != qd_world_hash(copy)) qd_fuzz_fail("its own save has another hash");
    for (int i = 0; i < 2 && is_moderate(world); ++i) {
        status = qd_world_step(world, STEP, NULL);
        if (status != qd_world_step(copy, STEP, NULL)) qd_fuzz_fail("the copy steps otherwise");
        if (status != QD_OK && status != QD_ERR_LIMIT) qd_fuzz_fail("step: %s", qd_status_text(status));
        if (qd_world_hash(world) != qd_world_hash(copy)) qd_fuzz_fail("another hash after step %d", i + 1);
    }
    qd_metrics metrics;
    qd_world_measure(world, &metrics);
    qd_world_save_free(world, again, bytes);
    qd_world_destroy(copy);
    qd_world_destroy(world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    qd_fuzz_input input = {data, size};
    const saved_world *saved = world_of(qd_fuzz_byte(&input));
    size_t sum_at = saved->size - QDI_SAVE_CHECKSUM;
    unsigned char *changed = malloc(saved->size);
    if (!changed) return 0;
    memcpy(changed, saved->data, saved->size);
    while (input.left > 3) {
        size_t where = QDI_SAVE_HEADER + qd_fuzz_short(&input) % (sum_at - QDI_SAVE_HEADER);
        size_t many = 1 + qd_fuzz_byte(&input) % WIDEST;
        for (; many > 0 && input.left > 0 && where < sum_at; --many) changed[where++] = qd_fuzz_byte(&input);
    }
    unsigned char *at = changed + sum_at;
    qdi_put_u64(&at, qd_hash_bytes(changed, sum_at));
    live(changed, saved->size, 2);
    free(changed);
    return 0;
}
