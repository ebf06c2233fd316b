// Who owns which place: every place near an inner one is the same rank's, and what is near is found.
#include "sim/ranks/realm.h"
#include "tests/support/harness.h"

#include <quadrille/random.h>
#include <stdlib.h>

static size_t below(qd_random *random, size_t most) {
    return (size_t)(qd_random_bits(random) % most);
}

static double between(qd_random *random, double low, double high) {
    return low + (high - low) * qd_random_uniform(random);
}

static qdi_realm random_realm(uint64_t seed, qd_random *random) {
    const bool periodic[2] = {seed % 2 == 0, seed % 3 == 0};
    const int ranks = 1 + (int)below(random, 9);
    const qdi_realm_rule rule = seed % 7 == 0 ? QDI_REALM_SCATTER : QDI_REALM_CUT;
    qdi_realm realm;
    ck_assert_int_eq(qdi_realm_make(qd_allocator_default(), rule, ranks, (qd_vec2){-3, 10}, (qd_vec2){40, 25},
                                    periodic, &realm),
                     QD_OK);
    const size_t cells = qdi_realm_cells(&realm);
    uint64_t *bodies = malloc(cells * sizeof *bodies);
    ck_assert_ptr_nonnull(bodies);
    for (size_t c = 0; c < cells; ++c) bodies[c] = below(random, 50);
    qdi_realm_deal(&realm, bodies);
    free(bodies);
    return realm;
}

static void run_near(uint64_t seed) {
    qd_random random = qd_random_at(seed, 0, 11);
    qdi_realm realm = random_realm(seed, &random);
    const int rank = (int)below(&random, (size_t)realm.ranks);
    const double reach = between(&random, 0, 4);
    uint8_t *inner = malloc(qdi_realm_cells(&realm));
    ck_assert_ptr_nonnull(inner);
    qdi_realm_find_inner(&realm, rank, reach, inner);
    size_t found = 0;
    for (int k = 0; k < 4000; ++k) {
        const qd_vec2 place = {between(&random, -13, 47), between(&random, 0, 45)};
        const qd_vec2 other = {place.x + between(&random, -reach, reach),
                               place.y + between(&random, -reach, reach)};
        const uint64_t owner = UINT64_C(1) << qdi_realm_owner(&realm, other);
        const uint64_t near = qdi_realm_near(&realm, place, reach);
        QD_TEST_CHECK(near & owner, seed, "place", k, "(%g, %g): not all is found", place.x, place.y);
        if (!inner[qdi_realm_cell(&realm, place)]) continue;
        ++found;
        QD_TEST_CHECK(near == UINT64_C(1) << rank, seed, "place", k, "(%g, %g): it is no inner one", place.x,
                      place.y);
    }
    if (realm.ranks == 1) ck_assert_uint_eq(found, 4000);
    free(inner);
    qdi_realm_release(&realm);
}

START_TEST(all_that_is_near_is_found) {
    qd_test_seeds(60, 0, run_near);
}
END_TEST

int main(void) {
    TCase *tests = qd_test_case("realm", 60, NULL, NULL);
    qd_test_once(tests, all_that_is_near_is_found);
    return qd_test_run_case("realm", tests);
}
