#pragma once

#include "tests/support/harness.h"

#include <quadrille/team.h>

QD_OWN_POINTER(qd_team, qd_team_destroy)

/// A team of so many threads; fails the running test where it is refused.
static inline qd_team *make_team(int threads) {
    qd_team_def def = qd_team_def_default();
    def.threads = threads;
    qd_team *team = NULL;
    ck_assert_int_eq(qd_team_create(&def, &team), QD_OK);
    ck_assert_int_eq(qd_team_threads(team), threads);
    return team;
}
