#pragma once

#include <quadrille/team.h>
#include <quadrille/tree.h>
#include <stddef.h>
#include <stdint.h>

/// Gives the bodies of a tree other indices: body i, of `indices`, is called `index_of[i]` from now on, which
/// is more the more i is, and at most UINT32_MAX - 1; UINT32_MAX: it leaves the tree. Nothing but a refresh
/// may be asked of the tree next; without memory the refresh finds it empty. O(bodies), shared by the team.
void qdi_tree_rename(qd_tree *tree, qd_team *team, const uint32_t *index_of, size_t indices);
