#pragma once

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <quadrille/store.h>
#include <quadrille/world.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The events of a world's step as rows: what a store keeps, and what a replay is held against.

typedef struct qdi_event_row {
    uint64_t step, number, a, b;
    uint32_t kind; ///< a qd_event_kind, or QDI_EVENT_IMPACT
    uint32_t side; ///< 0: none, else 1 + its place in qd_wall; b is not looked at then
    qd_vec2 point, normal;
    double impulse, friction, approach;
    double rest; ///< depth; of an impact its time within the step
} qdi_event_row;

enum { QDI_EVENT_IMPACT = QD_EVENT_END + 1 };

/// The label of a removed body, which an event still names.
typedef struct qdi_label {
    uint64_t label;
    uint32_t generation; ///< 0: it is index + 1
} qdi_label;

/// Labels that an event may need when its body is gone, and rows that come with the next step. Zero it but
/// for the allocator.
typedef struct qdi_event_names {
    const qd_allocator *allocator;
    qdi_label *labels; ///< by index, of bodies whose label is not index + 1
    size_t count, room;
    qdi_event_row *held; ///< rows of a change between two steps, for `held_step`
    size_t held_count, held_room;
    uint64_t held_step;
} qdi_event_names;

/// Store's events: takes the labels of a world's bodies. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_event_names_take(qdi_event_names *names, const qd_world *world);

void qdi_event_names_free(qdi_event_names *names);

typedef qd_status (*qdi_event_sink)(void *context, const qdi_event_row *row);

/// Hands the rows of the world's step to `sink`, in order, until one is refused; see qd_store_put_events.
/// Errors: QD_ERR_STALE, QD_ERR_MEMORY, the sink's.
QD_MUST_USE qd_status qdi_event_rows(qdi_event_names *names, const qd_world *world, bool persist,
                                     qdi_event_sink sink, void *context);

/// Keeps the rows of contacts that a change between two steps has ended or begun; they are the first of the
/// step to come. Bodies were taken before it. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_event_rows_hold(qdi_event_names *names, const qd_world *world);

/// The row as it is read from a store again.
qd_store_event qdi_event_of_row(const qdi_event_row *row);
