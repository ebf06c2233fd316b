// Numbers of contacts that were made without. Those with parts lie in the order of (a, b) already: it is told
// apart who touches. For springs that meet places are put in that order: a sort by digits, lowest first, that
// passes over those in which all are alike; it works in the memory of the contacts, which are made next.

#include "sim/world/contact_numbers.h"

#include "sim/world/contact_list.h"
#include "sim/world/grain.h"

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

// ---- with parts ----

// Numbers of contacts: counts those of a range of ranks that touch. Ranges have numbers to be where places by
// number will lie.
static void count_range(void *context, size_t begin, size_t end) {
    const qdi_contact_state *state = context;
    uint32_t touching = 0;
    for (size_t r = begin; r < end; ++r) touching += !qdi_near_at(state, state->ranked[r]);
    state->place[begin] = touching;
}

// Numbers of contacts: gives numbers to those of a range of ranks.
static void number_range(void *context, size_t begin, size_t end) {
    const qdi_contact_state *state = context;
    uint32_t touching = state->place[begin], near = (uint32_t)(state->contact_count + begin) - touching;
    for (size_t r = begin; r < end; ++r) {
        const uint32_t place = state->ranked[r];
        state->number[place] = qdi_near_at(state, place) ? near++ : touching++;
    }
}

// Numbers of contacts: says where those are that have them, of a range of places.
static void place_range(void *context, size_t begin, size_t end) {
    const qdi_contact_state *state = context;
    for (size_t p = begin; p < end; ++p) state->place[state->number[p]] = (uint32_t)p;
}

// Numbers of contacts: does it to all ranges; `team` NULL: on the calling thread.
static void for_ranges(qd_team *team, size_t count, qdi_range_function function, void *context) {
    if (team) {
        qdi_team_for(team, count, QDI_CONTACT_GRAIN, function, context);
        return;
    }
    for (size_t begin = 0; begin < count; begin += QDI_CONTACT_GRAIN)
        function(context, begin, count - begin < QDI_CONTACT_GRAIN ? count : begin + QDI_CONTACT_GRAIN);
}

// Numbers of contacts: of those with parts.
static void number_parts(qd_team *team, qdi_contact_state *state) {
    const size_t count = qdi_constraint_count(state);
    for_ranges(team, count, count_range, state);
    uint32_t sum = 0;
    for (size_t begin = 0; begin < count; begin += QDI_CONTACT_GRAIN) {
        const uint32_t touching = state->place[begin];
        state->place[begin] = sum;
        sum += touching;
    }
    for_ranges(team, count, number_range, state);
    for_ranges(team, count, place_range, state);
}

// ---- springs that meet ----

// Numbers of contacts: of springs that meet.
static void number_met(const qd_world *world, qdi_contact_state *state) {
    const size_t count = state->contact_count;
    for (size_t p = 0; p < count; ++p) {
        state->order[p] = qdi_contact_order_placed(world, state, p);
        state->place[p] = (uint32_t)p;
    }
    qdi_orders_sort(state->order, state->place, count, state->contacts);
    for (size_t i = 0; i < count; ++i) {
        const uint32_t p = state->place[i];
        const qdi_meeting rows = qdi_rows_at(state, p);
        state->spots[p] = (qdi_spot){.row_a = rows.a,
                                     .row_b = rows.b,
                                     .rank = (uint32_t)i,
                                     .wall = rows.b == QDI_NO_ROW ? state->spots[p].wall : 0};
        state->number[p] = (uint32_t)i;
    }
}

void qdi_contacts_number(const qd_world *world, qdi_contact_state *state, qd_team *team) {
    if (state->numbered || !qdi_contacts_placed(state)) return;
    if (state->parts)
        number_parts(team, state);
    else
        number_met(world, state);
    state->numbered = true;
}
