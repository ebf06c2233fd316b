// A note for each body, by index: rows may be put in another order between two frames. Each range of indices
// is one thread's.
#include "export/picture/refiled.h"

#include "core/base/bytes.h"
#include "core/base/memory.h"
#include "core/parallel/parallel.h"
#include "export/raster/palette.h"
#include "sim/world/world_team.h"

#include <string.h>

/// Bytes of a note and of their count; indices that a thread works on at once.
enum { NOTE_BYTES = 32, COUNT_BYTES = 8, GRAIN = 4096 };

typedef struct note_job {
    qdi_refiled *refiled;
    const qd_tree *tree;
    qd_body_view bodies;
    bool known; ///< the tree has the bodies as they are
} note_job;

void qdi_refiled_destroy(qdi_refiled *refiled) {
    if (refiled->allocator) {
        qdi_release(refiled->allocator, refiled->notes, refiled->room, sizeof *refiled->notes);
        qdi_release(refiled->allocator, refiled->hues, refiled->hue_room, sizeof *refiled->hues);
    }
    *refiled = (qdi_refiled){0};
}

// Picture of refiled bodies: makes room for the notes of so many bodies; what is new has none.
static qd_status reserve_notes(qdi_refiled *refiled, size_t count) {
    qd_status status = qdi_reserve(refiled->allocator, &refiled->notes, &refiled->room, refiled->count, count,
                                   sizeof *refiled->notes);
    if (status == QD_OK)
        status = qdi_reserve(refiled->allocator, &refiled->hues, &refiled->hue_room, 0, count,
                             sizeof *refiled->hues);
    if (status != QD_OK) return status;
    if (count > refiled->count)
        memset(refiled->notes + refiled->count, 0, (count - refiled->count) * sizeof *refiled->notes);
    refiled->count = count;
    return QD_OK;
}

// Picture of refiled bodies: the note of a body at the present frame, from that at the frame before.
static qdi_refiled_note note_of_body(const note_job *job, size_t index, qdi_refiled_note before) {
    const uint32_t row = job->bodies.row_of_index[index], fade = job->refiled->fade;
    qd_tree_node_info node;
    if (row == UINT32_MAX || qd_tree_node(job->tree, (qd_body_index)index, &node) != QD_OK)
        return (qdi_refiled_note){.generation = 0};
    qdi_refiled_note now = {node.side, node.min_x, node.min_y, job->bodies.generation[row], fade};
    if (before.generation != now.generation) return now;
    const bool same = before.side == now.side && before.x == now.x && before.y == now.y;
    now.age = !same ? 0 : (before.age < fade ? before.age + 1 : fade);
    return now;
}

// Picture of refiled bodies: notes the bodies with the indices [begin, end).
static void note_range(void *context, size_t begin, size_t end) {
    const note_job *job = context;
    qdi_refiled *refiled = job->refiled;
    for (size_t i = begin; i < end; ++i) {
        qdi_refiled_note *note = &refiled->notes[i];
        if (job->known) *note = note_of_body(job, i, *note);
        const uint32_t left = note->generation != 0 ? refiled->fade - note->age : 0;
        refiled->hues[i] = (uint8_t)((left * QDI_HUE_LIT + refiled->fade / 2) / refiled->fade);
    }
}

qd_status qdi_refiled_note_frame(qdi_refiled *refiled, const qd_world *world) {
    if (refiled->fade == 0) return QD_OK;
    note_job job = {refiled, qd_world_tree(world), qd_world_view(world), !qdi_world_is_behind(world)};
    qd_status status = reserve_notes(refiled, job.bodies.index_count);
    if (status != QD_OK) return status;
    qdi_team_for(qdi_world_team(world), refiled->count, GRAIN, note_range, &job);
    refiled->lit = 0;
    for (size_t i = 0; i < refiled->count; ++i)
        refiled->lit += refiled->notes[i].generation != 0 && refiled->notes[i].age == 0;
    return QD_OK;
}

size_t qdi_refiled_save(const qdi_refiled *refiled, unsigned char *bytes) {
    if (refiled->fade == 0) return 0;
    if (bytes) qdi_put_u64(&bytes, refiled->count);
    for (size_t i = 0; bytes && i < refiled->count; ++i) {
        const qdi_refiled_note *note = &refiled->notes[i];
        qdi_put_f64(&bytes, note->side);
        qdi_put_f64(&bytes, note->x);
        qdi_put_f64(&bytes, note->y);
        qdi_put_u32(&bytes, note->generation);
        qdi_put_u32(&bytes, note->age);
    }
    return COUNT_BYTES + refiled->count * NOTE_BYTES;
}

qd_status qdi_refiled_load(qdi_refiled *refiled, const unsigned char *bytes, size_t size, size_t *used) {
    *used = 0;
    if (refiled->fade == 0 || size == 0) return QD_OK;
    if (size < COUNT_BYTES) return QD_ERR_CORRUPT;
    const uint64_t count = qdi_get_u64(&bytes);
    if (count > (size - COUNT_BYTES) / NOTE_BYTES) return QD_ERR_CORRUPT;
    refiled->count = 0;
    qd_status status = reserve_notes(refiled, (size_t)count);
    if (status != QD_OK) return status;
    for (size_t i = 0; i < refiled->count; ++i) {
        qdi_refiled_note *note = &refiled->notes[i];
        note->side = qdi_get_f64(&bytes);
        note->x = qdi_get_f64(&bytes);
        note->y = qdi_get_f64(&bytes);
        note->generation = qdi_get_u32(&bytes);
        note->age = qdi_get_u32(&bytes);
        if (note->age > refiled->fade) return QD_ERR_CORRUPT;
    }
    *used = COUNT_BYTES + refiled->count * NOTE_BYTES;
    return QD_OK;
}
