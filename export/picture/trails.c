#include "export/picture/trails.h"

#include "core/base/bytes.h"
#include "core/base/memory.h"
#include "core/parallel/parallel.h"
#include "sim/world/world_team.h"

#include <math.h>
#include <string.h>

/// How far from straight on a body's way may be: a part of the way in a frame, and of how far it is from 0,
/// which is what rounding leaves. A thousand frames of it are a part in 10^4 of a frame's way.
static const double way_part = 0x1p-30, place_part = 0x1p-48;

/// Places that a word of bends has.
enum { WORD = 64 };

/// Bytes of a place, and of a frame's count.
enum { PLACE_BYTES = 20, COUNT_BYTES = 8 };

qd_status qdi_trails_create(const qd_allocator *allocator, int frames, qdi_trails *trails) {
    *trails = (qdi_trails){.allocator = allocator, .frames = (size_t)frames};
    if (frames == 0) return QD_OK;
    trails->ring = qdi_allocate(allocator, trails->frames + 1, sizeof *trails->ring);
    if (!trails->ring) return QD_ERR_MEMORY;
    memset(trails->ring, 0, (trails->frames + 1) * sizeof *trails->ring);
    return QD_OK;
}

void qdi_trails_destroy(qdi_trails *trails) {
    for (size_t i = 0; trails->ring && i <= trails->frames; ++i) {
        const qdi_trail_frame *frame = &trails->ring[i];
        qdi_release(trails->allocator, frame->memory, frame->room, PLACE_BYTES);
        qdi_release(trails->allocator, frame->bends, frame->bend_room, sizeof *frame->bends);
    }
    if (trails->ring) qdi_release(trails->allocator, trails->ring, trails->frames + 1, sizeof *trails->ring);
    *trails = (qdi_trails){0};
}

bool qdi_trails_fit(const qdi_trails *trails, const qd_world *world) {
    return trails->frames == 0 || qd_world_view(world).index_count <= QDI_TRAIL_PLACES_MAX / trails->frames;
}

const qdi_trail_frame *qdi_trails_at(const qdi_trails *trails, size_t age) {
    size_t slots = trails->frames + 1;
    return age < trails->count ? &trails->ring[(trails->newest + slots - age) % slots] : NULL;
}

/// Begins the next frame of the ring of trails, with room for so many places.
static qd_status begin_trail_frame(qdi_trails *trails, size_t places, qdi_trail_frame **frame) {
    size_t slots = trails->frames + 1, next = (trails->newest + 1) % slots;
    qdi_trail_frame *made = *frame = &trails->ring[next];
    qd_status status = qdi_reserve(trails->allocator, &made->memory, &made->room, 0, places, PLACE_BYTES);
    if (status == QD_OK)
        status = qdi_reserve(trails->allocator, &made->bends, &made->bend_room, 0, 2 * (places / WORD + 1),
                             sizeof *made->bends);
    if (status != QD_OK) return status;
    made->at = (qd_vec2 *)(void *)made->memory;
    made->generation = (uint32_t *)(void *)(made->at + made->room);
    made->comings = made->bends + (places / WORD + 1);
    made->count = places;
    memset(made->bends, 0xff, 2 * (places / WORD + 1) * sizeof *made->bends);
    trails->newest = next;
    if (trails->count < slots) trails->count += 1;
    return QD_OK;
}

/// Picture's trails: 1 where the way through a place along an axis is straight.
static unsigned is_straight(double older, double here, double newer) {
    const double before = here - older, after = newer - here;
    return fabs(after - before) <= way_part * fabs(before) + place_part * fabs(here);
}

/// Marks which of bodies [begin, end) came with the last frame, which is in place, and which went straight
/// through the one before; `begin` is a word's first.
static void mark_trail_bends(const qdi_trails *trails, size_t begin, size_t end) {
    const qdi_trail_frame *newer = qdi_trails_at(trails, 0), *here = qdi_trails_at(trails, 1),
                          *older = qdi_trails_at(trails, 2);
    if (!here) return;
    if (here->count < end) end = here->count;
    for (size_t i = begin; i < end; ++i)
        newer->comings[i / WORD] ^= (uint64_t)(here->generation[i] == newer->generation[i]) << i % WORD;
    for (size_t i = begin; older && i < end && i < older->count; ++i) {
        const uint32_t generation = here->generation[i];
        const unsigned straight = (generation == older->generation[i]) &
                                  (generation == newer->generation[i]) &
                                  is_straight(older->at[i].x, here->at[i].x, newer->at[i].x) &
                                  is_straight(older->at[i].y, here->at[i].y, newer->at[i].y);
        here->bends[i / WORD] ^= (uint64_t)straight << i % WORD;
    }
}

/// Forgets the oldest frames of trails where there are too many places.
static void forget_oldest_trails(qdi_trails *trails) {
    size_t places = 0;
    for (size_t age = 1; age < trails->count; ++age) {
        places += qdi_trails_at(trails, age)->count;
        if (places > QDI_TRAIL_PLACES_MAX) trails->count = age;
    }
}

/// A frame that is noted.
typedef struct note_job {
    const qdi_trails *trails;
    qdi_trail_frame *frame;
    qd_body_view bodies;
} note_job;

/// Notes the places of bodies [begin, end).
static void note_range(void *context, size_t begin, size_t end) {
    const note_job *job = context;
    const qd_body_view *bodies = &job->bodies;
    const qdi_trail_frame *frame = job->frame;
    for (size_t i = begin; i < end; ++i) {
        const uint32_t row = bodies->row_of_index[i];
        const bool there = row != UINT32_MAX;
        frame->at[i] = there ? (qd_vec2){bodies->x[row], bodies->y[row]} : (qd_vec2){0.0, 0.0};
        frame->generation[i] = there ? bodies->generation[row] : 0;
    }
    mark_trail_bends(job->trails, begin, end);
}

qd_status qdi_trails_note(qdi_trails *trails, const qd_world *world) {
    enum { GRAIN = 16 * WORD };
    if (trails->frames == 0) return QD_OK;
    note_job job = {.trails = trails, .bodies = qd_world_view(world)};
    qd_status status = begin_trail_frame(trails, job.bodies.index_count, &job.frame);
    if (status != QD_OK) return status;
    qdi_team_for(qdi_world_team(world), job.bodies.index_count, GRAIN, note_range, &job);
    forget_oldest_trails(trails);
    return QD_OK;
}

/// How many of the frames that are kept the next picture needs.
static size_t trail_frames_needed(const qdi_trails *trails) {
    return trails->count < trails->frames ? trails->count : trails->frames;
}

size_t qdi_trails_save(const qdi_trails *trails, unsigned char *bytes) {
    size_t size = 0;
    for (size_t age = trail_frames_needed(trails); age-- > 0;) { // the oldest comes first
        const qdi_trail_frame *frame = qdi_trails_at(trails, age);
        size += COUNT_BYTES + frame->count * PLACE_BYTES;
        if (!bytes) continue;
        qdi_put_u64(&bytes, frame->count);
        for (size_t i = 0; i < frame->count; ++i) {
            qdi_put_f64(&bytes, frame->at[i].x);
            qdi_put_f64(&bytes, frame->at[i].y);
            qdi_put_u32(&bytes, frame->generation[i]);
        }
    }
    return size;
}

qd_status qdi_trails_load(qdi_trails *trails, const unsigned char *bytes, size_t size) {
    const unsigned char *end = bytes + size;
    while (bytes < end) {
        if (end - bytes < COUNT_BYTES || trails->frames == 0) return QD_ERR_CORRUPT;
        uint64_t count = qdi_get_u64(&bytes);
        if (count > (size_t)(end - bytes) / PLACE_BYTES) return QD_ERR_CORRUPT;
        qdi_trail_frame *frame = NULL;
        qd_status status = begin_trail_frame(trails, (size_t)count, &frame);
        if (status != QD_OK) return status;
        for (size_t i = 0; i < frame->count; ++i) {
            frame->at[i].x = qdi_get_f64(&bytes);
            frame->at[i].y = qdi_get_f64(&bytes);
            frame->generation[i] = qdi_get_u32(&bytes);
        }
        mark_trail_bends(trails, 0, frame->count);
    }
    return QD_OK;
}
