#pragma once

#include <quadrille/simd.h>

#include "core/tree/pairs_impl.h"
#include "core/tree/tree_impl.h"

/// The innermost loops of the tree, once per instruction set behind one table. All give the same bits: they
/// only compare, take minima, maxima and halves, in lists whose order is fixed.
///
/// Slots may be read up to QDI_SLOT_SLACK past a list's end (the arrays are that much longer); what is read
/// there is masked.

/// What decides whether a body belongs to a node's list.
typedef struct qdi_node_test {
    float low_x, high_x, low_y, high_y; ///< borders of the cell
    float side, half;                   ///< of the cell, and half of it
    bool leaf, root;
    qd_vec2 period;
} qdi_node_test;

/// What an update of a list, or of a piece of one, found.
typedef struct qdi_update_tally {
    size_t removed;    ///< slots whose row is QDI_NONE
    size_t bad;        ///< lowest row with a bad box, SIZE_MAX for none
    uint32_t fit;      ///< of those that stay: could go deeper
    uint32_t gone;     ///< those, and bodies that belong elsewhere now
    size_t first_gone; ///< slot of the first of them, where there are any
    size_t base;       ///< in: the slot of bit 0 of `which`
    uint64_t which;    ///< a bit for each of them that is less than 64 slots from `base`
    qd_box own;        ///< bounds of those that stay
} qdi_update_tally;

/// Boxes of a family and others, every list in whole blocks, that the kernel of families takes; of a leaf;
/// and blocks of lists after it.
#define QDI_FAMILY_ROOM   768U
#define QDI_FAMILY_LIST   128U
#define QDI_FAMILY_BLOCKS 192U

/// Four leaves that are siblings, and what else may overlap them.
typedef struct qdi_leaf_family {
    uint32_t first[4], count[4]; ///< their lists, in slots
    qd_box box[4], bounds;       ///< bounds of each, and of all
    size_t begin, end;           ///< other boxes, of nodes nearer to the root
    unsigned blocks;             ///< of the lists of nodes after them
    uint32_t block[QDI_FAMILY_BLOCKS + QDI_FAMILY_LIST / QDI_PAIR_BLOCK]; ///< where each begins, in slots
    uint32_t lanes[QDI_FAMILY_BLOCKS + QDI_FAMILY_LIST / QDI_PAIR_BLOCK]; ///< and a bit for each box in it
} qdi_leaf_family;

typedef struct qdi_kernels {
    /// `box`, body `index`'s, against the slots [begin, end). The pair kernels return false when the search
    /// should stop.
    bool (*box_list)(const qdi_slots *slots, qd_box box, qd_body_index index, size_t begin, size_t end,
                     qd_pairs *pairs, int worker);
    /// Each of the slots [begin, end), whose bounds are given, against those after it, and against each of
    /// the rows [rows_begin, rows_end).
    bool (*list)(const qdi_slots *slots, size_t begin, size_t end, qd_box bounds, const qdi_slots *rows,
                 size_t rows_begin, size_t rows_end, qd_pairs *pairs, int worker);
    /// Copies those of the slots [begin, end) that overlap `box` (boxes and indices) to `to`, from slot `at`
    /// on, in their order; returns the slot after the last. May write QDI_SLOT_SLACK slots more than end -
    /// begin.
    size_t (*pick)(const qdi_slots *slots, size_t begin, size_t end, qd_box box, const qdi_slots *to,
                   size_t at);
    /// Which of the slots [begin, end) overlap `box`: bit i of hits[k] stands for slot begin + QDI_PAIR_BLOCK
    /// * k + i.
    void (*hits)(const qdi_slots *slots, size_t begin, size_t end, qd_box box, unsigned *hits);
    /// Moves `count` slots; the two places may overlap.
    void (*shift)(const qdi_slots *slots, size_t to, size_t from, size_t count);
    /// Takes those of the slots [begin, end), at most 64, out that `which` names, bit 0 for `begin`, and
    /// moves the others together.
    void (*drop)(const qdi_slots *slots, size_t begin, size_t end, uint64_t which);
    /// Puts a body in a list, the slots [begin, end), where its index belongs; the list has room.
    void (*insert)(const qdi_slots *slots, size_t begin, size_t end, const qdi_insertion *insertion);
    /// Gives the slots [begin, end) of a list (begin at a multiple of QDI_LANES from its start) the boxes of
    /// their rows; bodies with a bad box keep the one they had. Adds to `tally`.
    void (*update)(const qdi_slots *slots, const qd_box *boxes, const qdi_node_test *test, size_t begin,
                   size_t end, qdi_update_tally *tally);
    /// The pairs of all lists of a family of leaves, and of them with the `others` and with the lists after,
    /// leaf by leaf, in the order of `list`. Not `done`, and nothing found, where these are too many. NULL:
    /// leaves are joined one by one.
    bool (*family)(const qdi_slots *slots, const qdi_leaf_family *family, const qdi_slots *others,
                   qd_pairs *pairs, int worker, bool *done);
} qdi_kernels;

/// The table of an instruction set that is available.
const qdi_kernels *qdi_kernels_of(qd_simd simd);

extern const qdi_kernels qdi_kernels_portable;
#ifdef __x86_64__
extern const qdi_kernels qdi_kernels_sse2, qdi_kernels_avx2, qdi_kernels_avx512;
/// `family` of the last of them, whose others are those for AVX2.
bool qdi_family_avx512(const qdi_slots *slots, const qdi_leaf_family *family, const qdi_slots *others,
                       qd_pairs *pairs, int worker, bool *done);
#endif
#ifdef __AARCH64EL__
extern const qdi_kernels qdi_kernels_neon;
#endif

/// True where a body with this box still belongs to the node's list; `fit` is set where it could go deeper.
static inline bool qdi_node_keeps(const qdi_node_test *test, qd_box box, bool *fit) {
    float x = qdi_box_centre(box.min_x, box.max_x);
    float y = qdi_box_centre(box.min_y, box.max_y);
    float longest = qdi_longest(box);
    bool here = (x >= test->low_x) & (x < test->high_x) & (y >= test->low_y) & (y < test->high_y) &
                (longest <= test->side);
    *fit = here & (longest <= test->half);
    return test->root ? !here | test->leaf | !*fit : here & (test->leaf | !*fit);
}

/// Counts in a tally that a slot's body leaves the list.
static inline void qdi_tally_gone(qdi_update_tally *tally, size_t slot) {
    if (tally->gone++ == 0) tally->first_gone = slot;
    if (slot - tally->base < 64) tally->which |= UINT64_C(1) << (slot - tally->base);
}

/// How many of the bodies in slots [begin, end), which are in order, have a lower index. Lists are short but
/// for the root's: the last 64 are counted without a branch.
static inline size_t qdi_lower_indices(const qdi_slots *slots, size_t begin, size_t end,
                                       qd_body_index index) {
    size_t from = begin;
    while (end - from > 64) {
        size_t middle = from + (end - from) / 2;
        if (slots->index[middle] < index) {
            from = middle;
        } else {
            end = middle;
        }
    }
    size_t below = from - begin;
    for (size_t s = from; s < end; ++s) below += slots->index[s] < index;
    return below;
}

/// The portable shift, and the portable drop and insertion.
void qdi_shift_slots(const qdi_slots *slots, size_t to, size_t from, size_t count);

void qdi_drop_slots(const qdi_slots *slots, size_t begin, size_t end, uint64_t which);

void qdi_insert_slot(const qdi_slots *slots, size_t begin, size_t end, const qdi_insertion *insertion);

/// The portable update of single slots: what the vector kernels do where something is out of the ordinary.
void qdi_update_slots(const qdi_slots *slots, const qd_box *boxes, const qdi_node_test *test, size_t begin,
                      size_t end, qdi_update_tally *tally);

/// Tree's kernel: copies those slots from `from` on that `hits` names to `to`, from slot `at` on; returns the
/// slot after the last.
static inline size_t qdi_pick_slots(const qdi_slots *slots, size_t from, unsigned hits, const qdi_slots *to,
                                    size_t at) {
    for (; hits != 0; hits &= hits - 1) {
        const size_t s = from + (unsigned)__builtin_ctz(hits);
        to->min_x[at] = slots->min_x[s];
        to->min_y[at] = slots->min_y[s];
        to->max_x[at] = slots->max_x[s];
        to->max_y[at] = slots->max_y[s];
        to->index[at] = slots->index[s];
        ++at;
    }
    return at;
}

/// Tree's kernel: an insertion by a shift.
static inline void qdi_insert_by_shift(const qdi_slots *slots, size_t begin, size_t end,
                                       const qdi_insertion *insertion,
                                       void (*shift)(const qdi_slots *, size_t, size_t, size_t)) {
    const size_t at = begin + qdi_lower_indices(slots, begin, end, insertion->index);
    shift(slots, at + 1, at, end - at);
    qdi_slot_set(slots, at, insertion->box, insertion->row, insertion->index);
}

/// Tree's kernel: a drop by shifts, run by run.
static inline void qdi_drop_runs(const qdi_slots *slots, size_t begin, size_t end, uint64_t which,
                                 void (*shift)(const qdi_slots *, size_t, size_t, size_t)) {
    size_t to = begin + (unsigned)__builtin_ctzll(which);
    for (uint64_t rest = which & (which - 1); which != 0; which = rest, rest &= rest - (rest != 0)) {
        const size_t from = begin + (unsigned)__builtin_ctzll(which) + 1;
        const size_t stop = rest != 0 ? begin + (unsigned)__builtin_ctzll(rest) : end;
        shift(slots, to, from, stop - from);
        to += stop - from;
    }
}
