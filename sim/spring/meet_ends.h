#pragma once

#include "sim/world/world_impl.h"

/// Where most candidates touch, and stay candidates for many steps, as in a heap at rest, the ends of all
/// candidates at a body are listed once, in the order in which their forces are added up; each step goes
/// through the list, with the places that the slots of candidates know (spring_meet.c), and sorts nothing.
///
///   end_first by row   | 0 | 3 | 7 | ...      ends of row r: end_list[end_first[r]] and so on, up to those
///   of end_list           | 8 5 2 | 1 14 ...     the next row; 2 s + 1: body a of the candidate at s; 2 s +
///   2: b
///
/// Who touches whom changes more seldom yet. So a range of bodies keeps a list of the ends that belong to
/// contacts, too, for as long as these and their places in the ranges of candidates stay the same:
///
///   touch_list | 1 | 2 | 4 | 9 | 7 | 0 | 1 | 3 | ...    of each row how many ends are of body b and how many
///   of body a, then the places of their contacts among slot_hits; the list of a range begins at the place of
///   its first row in end_list, and two more for each row before. Indices of partners grow in an ordered
///   chain, and body a has the lower index of two, so ends of body b come first.

/// In the place of a contact's place, of its slot: of what does not touch, of a slot that is new, and of what
/// begins to touch.
#define QDI_MEET_NONE    UINT32_MAX
#define QDI_MEET_UNKNOWN (UINT32_MAX - 1)
#define QDI_MEET_BEGINS  (UINT32_MAX - 2)

/// Springs that meet: where ends are listed, notes that other contacts belong to a range of candidates than
/// before: `count` hits that were there, or are.
void qdi_meet_ends_change(const qd_world *world, const uint32_t *hits, size_t count);
/// Springs that meet: notes whether the slots are those of the step before, and lists the ends of the
/// candidates, of which `contacts` touch, once it will pay. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_meet_ends_keep(qd_world *world, bool same, size_t contacts);
