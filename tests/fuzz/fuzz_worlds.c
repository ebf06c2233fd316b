// Whole worlds: the input is what tests/support/lives.h draws instead of random numbers. A world lives four
// lives: straight on; on two threads with no margin; with another way to find what touches; and saved and
// loaded on its way.
#include "tests/fuzz/fuzz.h"

#include "tests/support/lives.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    qd_test_dice dice = {.random = qd_random_at(size, 0, 43), .unit = 1, .tape = data, .tape_left = size};
    dice.wild = qd_test_dice_hit(&dice, 3);
    qd_test_live(size, &dice);
    return 0;
}
