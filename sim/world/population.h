#pragma once

#include "sim/world/feature.h"
#include "sim/world/world_impl.h"

/// Who comes and goes by itself: emitters, sinks, and what happens to bodies outside of open sides.
///
/// A step changes the population after the move and before the tree is told, in a way that can be taken back:
///
///   rows    | bodies that stay, and new ones ... | bodies that go (hidden) |
///                                         world->count                count + hidden
///
/// New bodies are added behind the others as usual. Bodies that go change places with the last row and are
/// left out of the count; their indices are not free and their shapes not dropped before the step has
/// succeeded.

typedef struct qdi_emitter {
    qd_emitter_def def; ///< the body's shape is in order
    qd_emitter_counts counts, before;
} qdi_emitter;

typedef struct qdi_sink {
    qd_sink_def def;
    uint64_t taken, before;
} qdi_sink;

/// A body that was made in the step on its way, and the generation of its index before.
typedef struct qdi_newborn {
    qd_id id;
    uint32_t before;
} qdi_newborn;

struct qdi_population {
    qdi_emitter *emitters;
    size_t emitter_count, emitter_room;
    qdi_sink *sinks;
    size_t sink_count, sink_room;
    // The change on its way.
    bool under_way;
    size_t hidden, index_count;
    double entered; ///< world->entered before
    uint64_t last_label;
    uint8_t *leaving; ///< by row: 1 where a body may have to go, 2 for those that go; in the arena
    size_t flagged;   ///< rows below this have such a flag
    uint64_t departed, sunk, blocked;
    qdi_newborn *newborn;
    size_t newborn_count, newborn_room;
    uint32_t *near; ///< rows near the emitter in work
    size_t near_count, near_room;
};

/// Makes room for the population of a world that has none yet. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_population_ensure(qd_world *world);

/// Why a sink or emitter is refused, or QD_OK; an emitter's shape is put in order. `loaded`: it was added
/// before, when the sides may have been elsewhere.
QD_MUST_USE qd_status qdi_sink_check(const qd_sink_def *def, qd_error *error);
QD_MUST_USE qd_status qdi_emitter_check(const qd_world *world, qd_emitter_def *def, bool loaded,
                                        qd_error *error);
/// Adds one as it is.
QD_MUST_USE qd_status qdi_population_add_sink(qd_world *world, const qdi_sink *sink);
QD_MUST_USE qd_status qdi_population_add_emitter(qd_world *world, const qdi_emitter *emitter);

/// Removes and adds the bodies that go and come with a step, in `next`. QD_ERR_LIMIT: no room for another
/// body.
extern const qdi_feature qdi_population_feature;
/// True where the step on its way has done that to some body.
bool qdi_population_changed(const qd_world *world);
void qdi_population_release(qd_world *world);

/// Lets all emitters work in the step that leads to `time`.
QD_MUST_USE qd_status qdi_population_emit(qd_world *world, double time);

/// Bytes of a saved emitter, and writes one.
size_t qdi_emitter_bytes(void);
void qdi_emitter_put(unsigned char **at, const qdi_emitter *emitter);
/// Reads all emitters and sinks. One that is no good gives QD_ERR_CORRUPT.
QD_MUST_USE qd_status qdi_population_get(const unsigned char **at, qd_world *world, size_t emitters,
                                         size_t sinks);
