// Emitters and sinks as bytes: part of a saved world, see save.c.

#include "core/base/cookie.h"
#include "sim/base/bytes.h"
#include "sim/world/bodies.h"
#include "sim/world/population.h"
#include "sim/world/world_impl.h"

#include <math.h>
#include <string.h>

static void put_vec(unsigned char **at, qd_vec2 v) {
    qdi_put_f64(at, v.x);
    qdi_put_f64(at, v.y);
}

static qd_vec2 get_vec(const unsigned char **at) {
    qd_vec2 v;
    v.x = qdi_get_f64(at);
    v.y = qdi_get_f64(at);
    return v;
}

static void put_emitter(unsigned char **at, const qdi_emitter *emitter) {
    const qd_emitter_def *def = &emitter->def;
    const qd_body_def *body = &def->body;
    qdi_trait trait = qdi_trait_of(body);
    qdi_shape_put(&body->shape, at);
    qdi_trait_put(&trait, at);
    qdi_put_f64(at, body->angle);
    put_vec(at, body->velocity);
    qdi_put_f64(at, body->spin);
    qdi_put_f64(at, body->density);
    qdi_put_f64(at, body->mass);
    qdi_put_f64(at, body->inertia);
    put_vec(at, def->low);
    put_vec(at, def->high);
    qdi_put_f64(at, def->scale_low);
    qdi_put_f64(at, def->scale_high);
    qdi_put_f64(at, def->turn);
    qdi_put_f64(at, def->spread);
    qdi_put_f64(at, def->rate);
    qdi_put_f64(at, def->start);
    qdi_put_f64(at, def->stop);
    qdi_put_u64(at, def->total);
    qdi_put_u64(at, def->alive);
    qdi_put_u64(at, (uint64_t)def->tries << 1 | def->overlap);
    qdi_put_u64(at, emitter->counts.due);
    qdi_put_u64(at, emitter->counts.emitted);
}

static void put_sink(unsigned char **at, const qdi_sink *sink) {
    put_vec(at, sink->def.low);
    put_vec(at, sink->def.high);
    qdi_put_u64(at, sink->def.total);
    qdi_put_u64(at, sink->taken);
}

void qdi_population_put(const qd_world *world, unsigned char **at) {
    const qdi_population *all = world->population;
    for (size_t i = 0; all && i < all->emitter_count; ++i) put_emitter(at, &all->emitters[i]);
    for (size_t i = 0; all && i < all->sink_count; ++i) put_sink(at, &all->sinks[i]);
}

static double get_real(const unsigned char **at) {
    double value = qdi_get_f64(at);
    return isnan(value) ? (double)NAN : value;
}

static void get_body(const unsigned char **at, qd_body_def *body) {
    qdi_trait trait;
    *body = qd_body_def_default();
    qdi_shape_get(at, &body->shape);
    qdi_trait_get(at, &trait);
    body->kind = trait.kind;
    body->sensor = trait.sensor;
    body->bullet = trait.bullet;
    body->material = trait.material;
    body->filter = trait.filter;
    body->pivot = trait.pivot;
    body->angle = qdi_get_f64(at);
    body->velocity = get_vec(at);
    body->spin = qdi_get_f64(at);
    body->density = get_real(at);
    body->mass = get_real(at);
    body->inertia = get_real(at);
}

static qd_status get_emitter(const unsigned char **at, qd_world *world) {
    qdi_emitter emitter = {.def = qd_emitter_def_default()};
    qd_emitter_def *def = &emitter.def;
    get_body(at, &def->body);
    def->low = get_vec(at);
    def->high = get_vec(at);
    def->scale_low = qdi_get_f64(at);
    def->scale_high = qdi_get_f64(at);
    def->turn = qdi_get_f64(at);
    def->spread = qdi_get_f64(at);
    def->rate = qdi_get_f64(at);
    def->start = qdi_get_f64(at);
    def->stop = qdi_get_f64(at);
    def->total = qdi_get_u64(at);
    def->alive = qdi_get_u64(at);
    uint64_t tries = qdi_get_u64(at);
    def->tries = tries >> 1 > 100000 ? 0 : (int)(tries >> 1); // 0 is refused
    def->overlap = tries & 1;
    emitter.counts.due = qdi_get_u64(at);
    emitter.counts.emitted = qdi_get_u64(at);
    const qd_shape read = def->body.shape;
    bool fine = read.count >= 0 && emitter.counts.emitted <= emitter.counts.due &&
                qdi_emitter_check(world, def, true, NULL) == QD_OK &&
                qdi_shape_hash(&read) == qdi_shape_hash(&def->body.shape);
    return fine ? qdi_population_add_emitter(world, &emitter) : QD_ERR_CORRUPT;
}

static qd_status get_sink(const unsigned char **at, qd_world *world) {
    qdi_sink sink = {.def = qd_sink_def_default()};
    sink.def.low = get_vec(at);
    sink.def.high = get_vec(at);
    sink.def.total = qdi_get_u64(at);
    sink.taken = qdi_get_u64(at);
    bool fine = qdi_sink_check(&sink.def, NULL) == QD_OK && sink.taken <= sink.def.total;
    return fine ? qdi_population_add_sink(world, &sink) : QD_ERR_CORRUPT;
}

qd_status qdi_population_get(const unsigned char **at, qd_world *world, size_t emitters, size_t sinks) {
    qd_status status = QD_OK;
    for (size_t i = 0; i < emitters && status == QD_OK; ++i) status = get_emitter(at, world);
    for (size_t i = 0; i < sinks && status == QD_OK; ++i) status = get_sink(at, world);
    return status;
}
