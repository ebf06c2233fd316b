// Emitters and sinks as bytes: part of a saved world, see save.c.

#include "core/base/bytes.h"
#include "sim/world/bodies.h"
#include "sim/world/fields.h"
#include "sim/world/population.h"
#include "sim/world/world_impl.h"

enum { TRIES = 8 };

size_t qdi_emitter_bytes(void) {
    return QDI_SHAPE_BYTES + QDI_TRAIT_BYTES + qdi_fields_bytes(&qdi_fields_source) + TRIES +
           qdi_fields_bytes(&qdi_fields_done);
}

void qdi_emitter_put(unsigned char **at, const qdi_emitter *emitter) {
    const qd_emitter_def *def = &emitter->def;
    qdi_trait trait = qdi_trait_of(&def->body);
    qdi_shape_put(&def->body.shape, at);
    qdi_trait_put(&trait, at);
    qdi_fields_put(&qdi_fields_source, def, at);
    qdi_put_u64(at, (uint64_t)def->tries << 1 | def->overlap);
    qdi_fields_put(&qdi_fields_done, &emitter->counts, at);
}

/// Saved population: shape and traits.
static void get_body(const unsigned char **at, qd_body_def *body) {
    qdi_trait trait;
    qdi_shape_get(at, &body->shape);
    qdi_trait_get(at, &trait);
    body->kind = trait.kind;
    body->sensor = trait.sensor;
    body->bullet = trait.bullet;
    body->material = trait.material;
    body->filter = trait.filter;
    body->pivot = trait.pivot;
    body->source = trait.source;
}

// Loads and checks an emitter.
static qd_status get_saved_emitter(const unsigned char **at, qd_world *world) {
    qdi_emitter emitter = {.def = qd_emitter_def_default()};
    qd_emitter_def *def = &emitter.def;
    get_body(at, &def->body);
    bool fits = qdi_fields_get(&qdi_fields_source, at, def);
    uint64_t tries = qdi_get_u64(at);
    def->tries = tries >> 1 > 100000 ? 0 : (int)(tries >> 1); // 0 is refused
    def->overlap = tries & 1;
    fits = qdi_fields_get(&qdi_fields_done, at, &emitter.counts) && fits;
    const qd_shape read = def->body.shape;
    bool fine = fits && read.count >= 0 && emitter.counts.emitted <= emitter.counts.due &&
                qdi_emitter_check(world, def, true, NULL) == QD_OK &&
                qdi_shape_hash(&read) == qdi_shape_hash(&def->body.shape);
    return fine ? qdi_population_add_emitter(world, &emitter) : QD_ERR_CORRUPT;
}

// Loads and checks a sink.
static qd_status get_saved_sink(const unsigned char **at, qd_world *world) {
    qdi_sink sink = {.def = qd_sink_def_default()};
    bool fine = qdi_fields_get(&qdi_fields_sink, at, &sink) && qdi_sink_check(&sink.def, NULL) == QD_OK &&
                sink.taken <= sink.def.total;
    return fine ? qdi_population_add_sink(world, &sink) : QD_ERR_CORRUPT;
}

qd_status qdi_population_get(const unsigned char **at, qd_world *world, size_t emitters, size_t sinks) {
    qd_status status = QD_OK;
    for (size_t i = 0; i < emitters && status == QD_OK; ++i) status = get_saved_emitter(at, world);
    for (size_t i = 0; i < sinks && status == QD_OK; ++i) status = get_saved_sink(at, world);
    return status;
}
