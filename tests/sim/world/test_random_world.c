#include "tests/support/harness.h"
#include "tests/support/lives.h"

enum { PORTIONS = 16 };

QD_TEST_LOOP(random_worlds_live_alike, 0, PORTIONS) {
    size_t cases = qd_test_replaying() ? _i == 0 : qd_test_effort(4000) / PORTIONS;
    uint64_t first = qd_test_seed(1) + (uint64_t)_i * cases;
    for (uint64_t seed = first; seed < first + cases; ++seed) {
        const qd_test_dice dice = qd_test_dice_of(seed);
        qd_test_live(seed, &dice);
    }
}

QD_TEST_MAIN("random_world", 600, NULL, NULL)
