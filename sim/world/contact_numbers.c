// Numbers of contacts that were made without: places in the order of (a, b). A sort by digits, lowest first,
// that passes over those in which all are alike; it works in the memory of the contacts, which are made next.

#include "sim/world/contact_numbers.h"

#include "sim/world/contact_list.h"

enum { DIGIT = 11, DIGITS = 6, VALUES = 1 << DIGIT };

/// An order and the place that has it.
typedef struct ordered_place {
    uint64_t order;
    uint32_t place;
} ordered_place;

_Static_assert(2 * sizeof(ordered_place) <= sizeof(qd_contact), "two lists are sorted in a list of contacts");

// Numbers of contacts: sorts by one digit from a list to another; false where all have the same.
static bool sort_by_digit(const ordered_place *from, ordered_place *to, size_t count, int digit) {
    const int shift = digit * DIGIT;
    size_t first[VALUES + 1] = {0};
    for (size_t i = 0; i < count; ++i) first[(from[i].order >> shift & (VALUES - 1)) + 1] += 1;
    for (size_t v = 1; v <= VALUES; ++v) {
        if (first[v] == count) return false;
        first[v] += first[v - 1];
    }
    for (size_t i = 0; i < count; ++i) to[first[from[i].order >> shift & (VALUES - 1)]++] = from[i];
    return true;
}

void qdi_orders_sort(uint64_t *order, uint32_t *place, size_t count, qd_contact *spare) {
    if (count < 2) return; // and there may be no memory
    ordered_place *from = (ordered_place *)(void *)spare, *to = from + count;
    for (size_t i = 0; i < count; ++i) from[i] = (ordered_place){order[i], place[i]};
    for (int digit = 0; digit < DIGITS; ++digit) {
        if (!sort_by_digit(from, to, count, digit)) continue;
        ordered_place *sorted = to;
        to = from;
        from = sorted;
    }
    for (size_t i = 0; i < count; ++i) {
        order[i] = from[i].order;
        place[i] = from[i].place;
    }
}

void qdi_contacts_number(const qd_world *world, qdi_contact_state *state) {
    const size_t count = state->contact_count;
    for (size_t p = 0; p < count; ++p) {
        state->order[p] = qdi_contact_order_placed(world, state, p);
        state->place[p] = (uint32_t)p;
    }
    qdi_orders_sort(state->order, state->place, count, state->contacts);
    for (size_t i = 0; i < count; ++i) {
        const uint32_t p = state->place[i];
        const qdi_meeting rows = qdi_rows_at(state, p);
        state->spots[p] = (qdi_spot){.contact = (uint32_t)i,
                                     .row_a = rows.a,
                                     .row_b = rows.b,
                                     .rank = (uint32_t)i,
                                     .touches = 1,
                                     .wall = rows.b == QDI_NO_ROW ? state->spots[p].wall : 0};
    }
}
