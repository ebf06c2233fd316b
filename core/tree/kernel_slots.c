// The loops over single slots that the kernels of all instruction sets share.

#include "core/tree/kernel.h"

#include <string.h>

void qdi_shift_slots(const qdi_slots *slots, size_t to, size_t from, size_t count) {
    memmove(slots->min_x + to, slots->min_x + from, count * sizeof(float));
    memmove(slots->min_y + to, slots->min_y + from, count * sizeof(float));
    memmove(slots->max_x + to, slots->max_x + from, count * sizeof(float));
    memmove(slots->max_y + to, slots->max_y + from, count * sizeof(float));
    memmove(slots->row + to, slots->row + from, count * sizeof(uint32_t));
    memmove(slots->index + to, slots->index + from, count * sizeof(qd_body_index));
}

// Takes slots of bodies that left out of a run of the tree's slots.
void qdi_drop_slots(const qdi_slots *slots, size_t begin, size_t end, uint64_t which) {
    qdi_drop_runs(slots, begin, end, which, qdi_shift_slots);
}

// Puts a body in a list of the tree.
void qdi_insert_slot(const qdi_slots *slots, size_t begin, size_t end, const qdi_insertion *insertion) {
    qdi_insert_by_shift(slots, begin, end, insertion, qdi_shift_slots);
}

void qdi_update_slots(const qdi_slots *slots, const qd_box *boxes, const qdi_node_test *test, size_t begin,
                      size_t end, qdi_update_tally *tally) {
    for (size_t s = begin; s < end; ++s) {
        uint32_t row = slots->row[s];
        if (row == QDI_NONE) {
            qdi_tally_gone(tally, s);
            tally->removed += 1;
            continue;
        }
        qd_box box = boxes[row];
        if (!qdi_box_acceptable(box, test->period)) {
            if (row < tally->bad) tally->bad = row;
            box = qdi_slot_box(slots, s);
        }
        slots->min_x[s] = box.min_x;
        slots->min_y[s] = box.min_y;
        slots->max_x[s] = box.max_x;
        slots->max_y[s] = box.max_y;
        bool fit = false;
        if (qdi_node_keeps(test, box, &fit)) {
            tally->own = qdi_box_union(tally->own, box);
            tally->fit += fit;
        } else {
            qdi_tally_gone(tally, s);
        }
    }
}
