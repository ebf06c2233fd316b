#pragma once

#include "core/tree/image.h"

#include <quadrille/box.h>
#include <quadrille/tree.h>

/// Fat boxes (Verlet skins): as long as every body's box stays inside a larger one, the pairs of the larger
/// boxes are all that can overlap, and neither refresh nor retrieve is needed.

/// Steps that boxes made by the automatic margin shall last, at most.
#define QDI_MARGIN_LONGEST 64

/// The automatic margin gives each body what it moves by in the steps that its box shall last, and this part
/// of its longer side besides, but never more than the longer side: what moves faster is dealt with by
/// itself.
#define QDI_MARGIN_LEAST 0.01

/// Fat box in the tree: the steps that boxes shall last, 0 for boxes that are not fattened. It makes
///
///     r / max(1, s k) + c p ((1 + g k + e)^2 - 1)
///
/// smallest, where that is below 1, the cost of refresh and retrieve for a body without a margin: finding all
/// pairs anew is paid every k steps, testing the pairs that only fat boxes have in each step. r = 2 (measured
/// 2 to 3: there are boxes to be made, more bodies have left their nodes, and more pairs are found), c = 0.2
/// is the cost of testing a candidate (some 5 ns against 25); `pairs` is p, the pairs of boxes per body
/// without a margin; `growth` is g, by what part of its size a box grows for each step it shall last, both
/// sides together, and e = 2 QDI_MARGIN_LEAST. So it is a function of what the bodies do, never of the time
/// that anything takes. `lasted` is how many steps the boxes before did last, of `meant` steps: the next ones
/// are meant for at most twice that and two more, and s is the part that they lasted of what was meant, at
/// most 1, so where bodies change their course all the time boxes do not grow in vain.
double qdi_margin_horizon(double growth, double pairs, double lasted, double meant);

/// Fat box in the tree: a box with `more` on every side, or with less where it would be longer than half a
/// period; the box itself where the tree would not take the other.
static inline qd_box qdi_margin_fatten(qd_box box, double more, qd_vec2 period) {
    double by[2] = {more, more};
    const double period_of[2] = {period.x, period.y};
    const double length[2] = {(double)box.max_x - (double)box.min_x, (double)box.max_y - (double)box.min_y};
    for (int k = 0; k < 2; ++k) {
        const double room = 0.25 * period_of[k] - 0.5 * length[k];
        if (period_of[k] > 0 && by[k] > 0.999 * room) by[k] = room > 0 ? 0.999 * room : 0;
    }
    const qd_box fat = {box.min_x - (float)by[0], box.min_y - (float)by[1], box.max_x + (float)by[0],
                        box.max_y + (float)by[1]};
    return qdi_box_acceptable(fat, period) ? fat : box;
}

/// Fat box in the tree: true where a box lies in another.
static inline bool qdi_margin_holds(qd_box fat, qd_box box) {
    return (fat.min_x <= box.min_x) & (fat.min_y <= box.min_y) & (box.max_x <= fat.max_x) &
           (box.max_y <= fat.max_y);
}

/// Fat box in the tree: the same where an image of the box does, for bodies that went round a periodic world.
bool qdi_margin_holds_image(qd_box fat, qd_box box, qd_vec2 period);

/// True where the tree keeps an order of the root's list, which qd_tree_add and qd_tree_remove have to make
/// anew.
bool qdi_tree_edits_are_slow(const qd_tree *tree);
