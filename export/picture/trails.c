#include "export/picture/trails.h"

#include "core/base/memory.h"
#include "sim/base/bytes.h"

#include <string.h>

/// Bytes of a place, and of a moment's count.
enum { PLACE_BYTES = 20, COUNT_BYTES = 8 };

qd_status qdi_trails_create(const qd_allocator *allocator, int frames, qdi_trails *trails) {
    *trails = (qdi_trails){.allocator = allocator, .frames = (size_t)frames};
    if (frames == 0) return QD_OK;
    trails->moments = qdi_allocate(allocator, trails->frames + 1, sizeof *trails->moments);
    if (!trails->moments) return QD_ERR_MEMORY;
    memset(trails->moments, 0, (trails->frames + 1) * sizeof *trails->moments);
    return QD_OK;
}

void qdi_trails_destroy(qdi_trails *trails) {
    for (size_t i = 0; trails->moments && i <= trails->frames; ++i)
        qdi_release(trails->allocator, trails->moments[i].places, trails->moments[i].room,
                    sizeof *trails->moments[i].places);
    if (trails->moments)
        qdi_release(trails->allocator, trails->moments, trails->frames + 1, sizeof *trails->moments);
    *trails = (qdi_trails){0};
}

bool qdi_trails_fit(const qdi_trails *trails, const qd_world *world) {
    return trails->frames == 0 || qd_world_view(world).index_count <= QDI_TRAIL_PLACES_MAX / trails->frames;
}

const qdi_trail_moment *qdi_trails_at(const qdi_trails *trails, size_t age) {
    size_t slots = trails->frames + 1;
    return age < trails->count ? &trails->moments[(trails->newest + slots - age) % slots] : NULL;
}

/// The next moment of the ring, with room for so many places.
static qd_status begin_moment(qdi_trails *trails, size_t places, qdi_trail_moment **moment) {
    size_t slots = trails->frames + 1, next = (trails->newest + 1) % slots;
    *moment = &trails->moments[next];
    qd_status status = qdi_reserve(trails->allocator, &(*moment)->places, &(*moment)->room, 0, places,
                                   sizeof *(*moment)->places);
    if (status != QD_OK) return status;
    (*moment)->count = places;
    trails->newest = next;
    if (trails->count < slots) trails->count += 1;
    return QD_OK;
}

static void forget_oldest(qdi_trails *trails) {
    size_t places = 0;
    for (size_t age = 1; age < trails->count; ++age) {
        places += qdi_trails_at(trails, age)->count;
        if (places > QDI_TRAIL_PLACES_MAX) trails->count = age;
    }
}

qd_status qdi_trails_note(qdi_trails *trails, const qd_world *world) {
    if (trails->frames == 0) return QD_OK;
    const qd_body_view bodies = qd_world_view(world);
    qdi_trail_moment *moment = NULL;
    qd_status status = begin_moment(trails, bodies.index_count, &moment);
    if (status != QD_OK) return status;
    for (size_t i = 0; i < bodies.index_count; ++i) {
        uint32_t row = bodies.row_of_index[i];
        moment->places[i] = row == UINT32_MAX
                                ? (qdi_trail_place){.generation = 0}
                                : (qdi_trail_place){bodies.x[row], bodies.y[row], bodies.generation[row]};
    }
    forget_oldest(trails);
    return QD_OK;
}

/// Of those that are there, how many the next frame needs.
static size_t needed(const qdi_trails *trails) {
    return trails->count < trails->frames ? trails->count : trails->frames;
}

size_t qdi_trails_save(const qdi_trails *trails, unsigned char *bytes) {
    size_t size = 0;
    for (size_t age = needed(trails); age-- > 0;) { // the oldest comes first
        const qdi_trail_moment *moment = qdi_trails_at(trails, age);
        size += COUNT_BYTES + moment->count * PLACE_BYTES;
        if (!bytes) continue;
        qdi_put_u64(&bytes, moment->count);
        for (size_t i = 0; i < moment->count; ++i) {
            qdi_put_f64(&bytes, moment->places[i].x);
            qdi_put_f64(&bytes, moment->places[i].y);
            qdi_put_u32(&bytes, moment->places[i].generation);
        }
    }
    return size;
}

qd_status qdi_trails_load(qdi_trails *trails, const unsigned char *bytes, size_t size) {
    if (size == 0) return QD_OK; // there may be no place for no bytes
    const unsigned char *end = bytes + size;
    while (bytes < end) {
        if (end - bytes < COUNT_BYTES || trails->frames == 0) return QD_ERR_CORRUPT;
        uint64_t count = qdi_get_u64(&bytes);
        if (count > (size_t)(end - bytes) / PLACE_BYTES) return QD_ERR_CORRUPT;
        qdi_trail_moment *moment = NULL;
        qd_status status = begin_moment(trails, (size_t)count, &moment);
        if (status != QD_OK) return status;
        for (size_t i = 0; i < moment->count; ++i) {
            moment->places[i].x = qdi_get_f64(&bytes);
            moment->places[i].y = qdi_get_f64(&bytes);
            moment->places[i].generation = qdi_get_u32(&bytes);
        }
    }
    return QD_OK;
}
