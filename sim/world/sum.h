#pragma once

#include <quadrille/team.h>
#include <quadrille/vec.h>

#include "core/base/arena.h"
#include "sim/world/tally.h"

#include <stddef.h>

/// Sums over bodies or contacts that depend neither on their order nor on how they are cut into ranges
/// (tally.h): the same for any team, any rows, and parts that are added up apart. All on a team, and over all
/// ranks that it is joined to (ranks.h), with memory from an arena; errors: QD_ERR_MEMORY.

/// Sums term(context, i) for i below `count`.
typedef qd_vec2 (*qdi_term)(const void *context, size_t i);
QD_MUST_USE qd_status qdi_sum(qd_team *team, qdi_arena *arena, size_t count, qdi_term term,
                              const void *context, qd_vec2 *sum);
/// The same for several terms of the same items; ranks tell each other all of them at once.
enum { QDI_SUM_TERMS = 5 };
typedef struct qdi_sum_term {
    qdi_term term;
    const void *context;
} qdi_sum_term;
QD_MUST_USE qd_status qdi_sum_each(qd_team *team, qdi_arena *arena, size_t count, const qdi_sum_term *terms,
                                   size_t term_count, qd_vec2 *sums);
/// Adds the sum of `count` values to a number; behind them there is room for as many as a tally has lanes.
QD_MUST_USE qd_status qdi_sum_values(qd_team *team, qdi_arena *arena, double *values, size_t count,
                                     double *number);
/// The same where most are 0 and left out; `terms`: with these, for sums are rounded by how many there are.
QD_MUST_USE qd_status qdi_sum_few(qd_team *team, qdi_arena *arena, double *values, size_t count, size_t terms,
                                  double *number);
/// Sums of `count` items lane by lane, one item after the other; `terms` as above.
QD_MUST_USE qd_status qdi_sum_lanes(qd_team *team, qdi_arena *arena, const double *lanes, size_t count,
                                    size_t terms, double sums[QDI_TALLY_LANES]);

/// Sums that the caller adds up, of terms of at most these sizes, `terms` of them: how to cut them; then, of
/// the tallies, the sums.
QD_MUST_USE qd_status qdi_sum_cut(qd_team *team, const qdi_tally_most *most, size_t terms,
                                  qdi_tally_cut *cut);
QD_MUST_USE qd_status qdi_sum_end(qd_team *team, const qdi_tally *tally, double sums[QDI_TALLY_LANES]);
