// Who owns which place: every place near an inner one is the same rank's, what is near is found, no two cells
// are the same, and pieces are compact in worlds of any shape.
#include "sim/ranks/realm.h"
#include "tests/support/harness.h"

#include <math.h>
#include <quadrille/random.h>

static qdi_realm random_realm(uint64_t seed, qd_random *random) {
    const bool periodic[2] = {seed % 2 == 0, seed % 3 == 0};
    const int ranks = 1 + (int)qd_test_below(random, 9);
    const qdi_realm_rule rule = seed % 7 == 0 ? QDI_REALM_SCATTER : QDI_REALM_CUT;
    const double aspect = seed % 2 ? 25.0 / 40 : exp(qd_test_between(random, log(1e-4), log(1e4)));
    qdi_realm realm;
    ck_assert_int_eq(qdi_realm_make(qd_allocator_default(), rule, ranks, (qd_vec2){-3, 10},
                                    (qd_vec2){40, 40 * aspect}, periodic, &realm),
                     QD_OK);
    const size_t cells = qdi_realm_cells(&realm);
    qd_own_memory uint64_t *bodies = qd_test_memory(cells * sizeof *bodies);
    for (size_t c = 0; c < cells; ++c) bodies[c] = qd_test_below(random, 50);
    qdi_realm_deal(&realm, bodies);
    return realm;
}

static void run_near(uint64_t seed) {
    qd_random random = qd_random_at(seed, 0, 11);
    qdi_realm realm = random_realm(seed, &random);
    const int rank = (int)qd_test_below(&random, (size_t)realm.ranks);
    const double reach = qd_test_between(&random, 0, 4);
    qd_own_memory uint8_t *inner = qd_test_memory(qdi_realm_cells(&realm));
    qdi_realm_find_inner(&realm, rank, reach, inner);
    size_t found = 0;
    for (int k = 0; k < 4000; ++k) {
        const double height = realm.cell.y * (double)(1 << realm.bits[1]);
        const qd_vec2 place = {qd_test_between(&random, -13, 47),
                               10 + height * qd_test_between(&random, -0.25, 1.25)};
        const qd_vec2 other = {place.x + qd_test_between(&random, -reach, reach),
                               place.y + qd_test_between(&random, -reach, reach)};
        const uint64_t owner = UINT64_C(1) << qdi_realm_owner(&realm, other);
        const uint64_t near = qdi_realm_near(&realm, place, reach);
        QD_TEST_CHECK(near & owner, seed, "place", k, "(%g, %g): not all is found", place.x, place.y);
        if (!inner[qdi_realm_cell(&realm, place)]) continue;
        ++found;
        QD_TEST_CHECK(near == UINT64_C(1) << rank, seed, "place", k, "(%g, %g): it is no inner one", place.x,
                      place.y);
    }
    if (realm.ranks == 1) ck_assert_uint_eq(found, 4000);
    qdi_realm_release(&realm);
}

QD_TEST(all_that_is_near_is_found) {
    qd_test_seeds(60, 0, run_near);
}

/// The middle of a cell by column and row.
static qd_vec2 middle_of(const qdi_realm *realm, size_t x, size_t y) {
    return (qd_vec2){realm->low.x + ((double)x + 0.5) * realm->cell.x,
                     realm->low.y + ((double)y + 0.5) * realm->cell.y};
}

/// Cells that have a neighbour, above or to the right, of another rank; each cell's number is there once.
static size_t count_border(const qdi_realm *realm) {
    const size_t columns = (size_t)1 << realm->bits[0], rows = (size_t)1 << realm->bits[1];
    qd_own_memory uint8_t *seen = qd_test_zeros(columns * rows, 1);
    size_t border = 0;
    for (size_t x = 0; x < columns; ++x)
        for (size_t y = 0; y < rows; ++y) {
            const qd_vec2 here = middle_of(realm, x, y);
            const size_t number = qdi_realm_cell(realm, here);
            ck_assert_uint_lt(number, columns * rows);
            ck_assert_uint_eq(seen[number]++, 0);
            const int owner = qdi_realm_owner(realm, here);
            const qd_vec2 above = middle_of(realm, x, y + 1 < rows ? y + 1 : y);
            const qd_vec2 right = middle_of(realm, x + 1 < columns ? x + 1 : x, y);
            border += owner != qdi_realm_owner(realm, above) || owner != qdi_realm_owner(realm, right);
        }
    return border;
}

/// Whether four pieces of a world lie in a row.
static bool is_long(double aspect) {
    return aspect > 4 || aspect < 0.25;
}

// Two ranks halve a world of any shape across its longer side, four a long one three times.
QD_TEST(pieces_are_compact) {
    const double aspects[] = {1, 0.6, 1.7, 0.1, 10, 1e-3, 1e3, 1e-6};
    for (size_t k = 0; k < sizeof aspects / sizeof *aspects; ++k)
        for (int ranks = 2; ranks <= 4; ranks += 2) {
            const bool periodic[2] = {false, false};
            qdi_realm realm;
            ck_assert_int_eq(qdi_realm_make(qd_allocator_default(), QDI_REALM_CUT, ranks, (qd_vec2){0, 0},
                                            (qd_vec2){1, aspects[k]}, periodic, &realm),
                             QD_OK);
            const size_t cells = qdi_realm_cells(&realm);
            ck_assert_uint_ge(cells, (size_t)ranks * 64);
            qd_own_memory uint64_t *bodies = qd_test_memory(cells * sizeof *bodies);
            for (size_t c = 0; c < cells; ++c) bodies[c] = 10;
            qdi_realm_deal(&realm, bodies);
            const qd_vec2 end = aspects[k] < 1 ? (qd_vec2){0.99, 0} : (qd_vec2){0, 0.99 * aspects[k]};
            ck_assert_int_eq(qdi_realm_owner(&realm, (qd_vec2){0, 0}), 0);
            ck_assert_int_eq(qdi_realm_owner(&realm, end), ranks == 2 || is_long(aspects[k]) ? ranks - 1 : 2);
            const size_t columns = (size_t)1 << realm.bits[0], rows = (size_t)1 << realm.bits[1];
            const size_t across = columns < rows ? columns : rows;
            const size_t least = ranks == 2 ? across : is_long(aspects[k]) ? 3 * across : columns + rows - 1;
            ck_assert_uint_eq(count_border(&realm), least);
            qdi_realm_release(&realm);
        }
}

// Of bodies spread evenly as many come into the sight of other ranks as is foretold.
static void run_seen(uint64_t seed) {
    enum { EACH = 16 };
    qd_random random = qd_random_at(seed, 0, 12);
    const bool periodic[2] = {seed % 2 == 0, seed % 3 == 0};
    const int ranks = 2 + (int)qd_test_below(&random, 7);
    const double height = ldexp(1, (int)qd_test_below(&random, 13) - 6); // cells are squares
    qdi_realm realm;
    ck_assert_int_eq(qdi_realm_make(qd_allocator_default(), QDI_REALM_CUT, ranks, (qd_vec2){0, 0},
                                    (qd_vec2){1, height}, periodic, &realm),
                     QD_OK);
    const size_t cells = qdi_realm_cells(&realm);
    qd_own_memory uint64_t *bodies = qd_test_memory(cells * sizeof *bodies);
    for (size_t c = 0; c < cells; ++c) bodies[c] = EACH * EACH;
    qdi_realm_deal(&realm, bodies);
    const double reach = 0.125 * realm.cell.x; // short: corners count little
    size_t counted = 0;
    for (size_t x = 0; x < (size_t)EACH << realm.bits[0]; ++x)
        for (size_t y = 0; y < (size_t)EACH << realm.bits[1]; ++y) {
            const qd_vec2 place = {((double)x + 0.5) / EACH * realm.cell.x,
                                   ((double)y + 0.5) / EACH * realm.cell.y};
            uint64_t others = qdi_realm_near(&realm, place, reach) &
                              ~(UINT64_C(1) << qdi_realm_owner(&realm, place));
            for (; others; others &= others - 1) ++counted;
        }
    const double foretold = qdi_realm_seen(&realm, bodies) * reach;
    QD_TEST_CHECK(fabs((double)counted - foretold) < 0.15 * foretold, seed, "ranks", ranks,
                  "%zu seen, not %g", counted, foretold);
    qdi_realm_release(&realm);
}

QD_TEST(what_is_seen_is_foretold) {
    qd_test_seeds(20, 0, run_seen);
}

QD_TEST_MAIN("realm", 60, NULL, NULL)
