#pragma once

#include "tests/support/worlds.h"

#include <stdbool.h>
#include <stddef.h>

/// What a step's events and impacts say that contacts gave, entry by entry, and the bodies before and after
/// it: for tests that compare the two.

enum { QD_TEST_LEDGER_BODIES = 512, QD_TEST_LEDGER_CONTACTS = 8192 };

typedef struct qd_test_seen {
    double x, y, vx, vy, spin, lean, mass, inertia;
    uint32_t generation;
    uint8_t kind;
    bool there;
} qd_test_seen;

/// What b got of a, along the normal as it was when the step began, and along the tangent.
typedef struct qd_test_ledger_entry {
    qd_id a, b;
    qd_vec2 normal, point; ///< of then; the point is on the surface of the one that is not dynamic
    double impulse, friction;
    qd_vec2 way;    ///< from the centroid of a to that of b; 0 for walls
    double lean[2]; ///< how far the levers of a and b may be from those at the point, as they lean
} qd_test_ledger_entry;

typedef struct qd_test_ledger {
    qd_world *world;
    uint64_t seed;
    qd_test_seen before[QD_TEST_LEDGER_BODIES], after[QD_TEST_LEDGER_BODIES]; ///< by index
    qd_contact contacts[QD_TEST_LEDGER_CONTACTS];                             ///< of the moment before
    size_t contact_count;
    qd_test_ledger_entry entries[2 * QD_TEST_LEDGER_CONTACTS];
    size_t count;
    bool blurred; ///< the point of some entry is not known: two touches became others
    // Of all steps:
    size_t turned;  ///< events whose touches became others
    size_t caught;  ///< contacts that have begun and gave something before
    size_t impacts; ///< of those that do not touch
} qd_test_ledger;

/// Notes the bodies of a world, by index.
void qd_test_see_bodies(const qd_world *world, qd_test_seen seen[QD_TEST_LEDGER_BODIES]);

/// The difference between two places: through the nearest image.
qd_vec2 qd_test_difference(const qd_world *world, double dx, double dy);

/// Adds an entry of two that touch, or touched, like this.
void qd_test_ledger_enter(qd_test_ledger *ledger, const qd_contact *contact, const qd_touch *touch,
                          double impulse, double friction);

/// Makes a step, and keeps the books of it.
void qd_test_ledger_step(qd_test_ledger *ledger, double dt);
