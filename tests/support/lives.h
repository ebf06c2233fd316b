#pragma once

#include "tests/support/random_worlds.h"

#include <stdint.h>

/// A random world lives several lives at once: straight on; with another team, margin and ways to find what
/// touches; and saved and loaded again and again on its way. The same is done to all of them between the
/// steps, and they must stay the same. What is refused must be refused by all. After every step what the
/// first would save is loaded.
///
/// Fails the running test where they differ; `seed` names the case.
void qd_test_live(uint64_t seed, const qd_test_dice *dice);
