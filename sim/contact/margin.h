#pragma once

#include "sim/world/world_impl.h"

/// What bodies sweep on their ways through the step: asked for by whoever looks for what meets there. Then
/// fat boxes hold whole ways, not only where these end. Called by any thread, of several bodies at once.
typedef struct qdi_sweep {
    void (*boxes)(const void *context, size_t begin, size_t end); ///< makes those of a range of rows: `fat`
    qd_box (*box)(const void *context, size_t row);               ///< holds a body's way, and its own box
    bool (*leaves)(const void *context,
                   size_t row); ///< a body's way leaves its fat box; margin.left counts these
    const void *context;
} qdi_sweep;

/// What the second half of a search for candidates has to do.
typedef enum qdi_due { QDI_DUE_NOTHING, QDI_DUE_LEAVERS, QDI_DUE_ALL } qdi_due;

/// The searches for candidates of a step: what they did, and what is to be done.
typedef struct qdi_found {
    qd_tree_counts counts;
    uint64_t rebuilds;      ///< how often all candidates were retrieved
    uint64_t amended;       ///< bodies whose candidates were, alone
    uint64_t tests;         ///< boxes that were compared
    const qdi_sweep *sweep; ///< NULL: boxes hold where bodies are at the step's end
    bool swept;             ///< a search for whole ways has been made in this step
    qdi_due due;
    const uint32_t *leavers; ///< their rows
    size_t leaver_count;
    const uint8_t *left; ///< by row: it is one
    double growth;       ///< mean part of its size that each box is larger than its body on each side, or NaN
    bool fat;            ///< the tree has fat boxes
    bool bare;           ///< and these, made in this step, have no margin
} qdi_found;

/// How many bodies that left their fat boxes are worth being looked at one by one.
size_t qdi_margin_few(const qd_world *world);
/// True where a search for candidates would look after those alone that left their fat boxes, if they are no
/// more than the last motion found.
bool qdi_margin_mends(const qd_world *world);
/// True where the fat boxes are those of whole ways through one step, which no margin makes last: all are
/// made anew in the next step, and nobody asks who is out of his own.
static inline bool qdi_margin_gone(const qd_world *world) {
    return world->margin.held && world->margin.horizon == 0;
}
/// True where a body's box is no longer in its fat box, nor is any image of it.
bool qdi_margin_left(const qd_world *world, size_t row, qd_vec2 period);
/// The box of a body that has another place in `next` than motion gave it, and whether it is out of its fat
/// one. For any thread, of several bodies at once.
void qdi_margin_box_again(qd_world *world, uint32_t row);
/// The same of one that was out of its fat box `before`, as was counted, or was not.
void qdi_margin_box_moved(qd_world *world, uint32_t row, bool before);
/// The image of a body that is in the box which the tree holds for it.
qd_image qdi_margin_image(const qd_world *world, size_t row);
/// For how many steps the fat boxes of all have lasted, this one included, where they are going to be made
/// anew in this step, as too many bodies have left theirs; else 0.
uint32_t qdi_margin_due(const qd_world *world);
/// Brings the tree up to date: `boxes` and `margin.left` are those of the bodies at `motion`, `dt` is the
/// step's. `found` is empty before. What fat boxes there are may be changed even where it fails.
QD_MUST_USE qd_status qdi_candidates_refresh(qd_world *world, const qdi_motion *motion, double dt,
                                             qdi_found *found);
/// Then finds all that may touch. QD_ERR_LIMIT: more pairs than limits.pairs allows.
QD_MUST_USE qd_status qdi_candidates_retrieve(qd_world *world, const qdi_motion *motion, double dt,
                                              qdi_found *found);
/// Files the fat boxes that were loaded, and finds their candidates again. QD_ERR_CORRUPT: they do not hold
/// the bodies.
QD_MUST_USE qd_status qdi_candidates_restore(qd_world *world);
/// Margin: files the bodies' own boxes at their present places; nothing else changes.
QD_MUST_USE qd_status qdi_tree_restore(qd_world *world);
