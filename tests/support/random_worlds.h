#pragma once

#include <quadrille/random.h>
#include <quadrille/world.h>
#include <stdbool.h>
#include <stddef.h>

/// Everything that a world can be made of, at random: definitions, bodies, polylines, emitters, sinks. What
/// comes out may be refused by the library; what is accepted must work.

/// Where random numbers come from, and how strange they are.
typedef struct qd_test_dice {
    qd_random random;
    double unit;       ///< lengths are about this; times are about 1
    bool crowd;        ///< worlds are large, for thousands of bodies
    bool wild;         ///< now and then a number is huge, tiny, not finite, or of the wrong sign
    qd_vec2 low, high; ///< where bodies are put
    /// Bytes that are taken while there are some, instead of random numbers: a fuzzer's.
    const uint8_t *tape;
    size_t tape_left;
} qd_test_dice;

/// Draws unit and wildness for a case.
qd_test_dice qd_test_dice_of(uint64_t seed);

/// A number in [low, high), or where the dice are wild any other.
double qd_test_dice_number(qd_test_dice *dice, double low, double high);
/// True in one of `of` cases.
bool qd_test_dice_hit(qd_test_dice *dice, uint64_t of);
/// A whole number below `below`.
size_t qd_test_dice_below(qd_test_dice *dice, size_t below);

/// 64 random bits.
uint64_t qd_test_dice_bits(qd_test_dice *dice);

qd_world_def qd_test_dice_def(qd_test_dice *dice);
qd_body_def qd_test_dice_body(qd_test_dice *dice);
/// A place where bodies are put, and a velocity.
qd_vec2 qd_test_dice_place(qd_test_dice *dice);
qd_vec2 qd_test_dice_velocity(qd_test_dice *dice);
qd_emitter_def qd_test_dice_emitter(qd_test_dice *dice);
qd_sink_def qd_test_dice_sink(qd_test_dice *dice);
