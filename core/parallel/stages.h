#pragma once

#include <quadrille/team.h>
#include <stddef.h>
#include <stdint.h>

/// Work of many short stages on parts that depend on their neighbours only, as the sweeps of a relaxation
/// over pieces of a mesh do: a loop for each stage would make all threads wait for the slowest, stage after
/// stage, and hand the data of a part from thread to thread. Here a thread keeps its parts for all stages,
/// and a part waits for its neighbours alone.

/// Most parts: neighbours are told by the bits of a number.
enum { QDI_PARTS_MAX = 64 };

/// Does a stage of a part. What it writes may be read or written by the neighbours of the part in the stages
/// before and after, but not in the same.
typedef void (*qdi_stage_function)(void *context, size_t part, size_t stage);

/// Calls `function` for stages 0 to `stages` - 1 of each of `parts` parts (at most QDI_PARTS_MAX), on the
/// team's threads: of one part in order, and stage s only when all parts in `neighbours` of it (by bit; a bit
/// of its own is fine; must be mutual) have done stage s - 1. What neighbours did before is visible to it.
/// Parts that follow each other are one thread's as long as it keeps up; else others help. The caller works
/// with the team, and gets through alone where no other thread comes. Cost of a stage: a line of the cache
/// from each neighbour, some 0.1 microseconds.
void qdi_team_stages(qd_team *team, size_t parts, size_t stages, const uint64_t *neighbours,
                     qdi_stage_function function, void *context);
