// A note for each body, by index, for rows may be put in another order between the step and the picture. A
// range of rows is one worker's, and a body is in one row: no two threads write one note.
#include "sim/world/thread_notes.h"

#include "sim/world/feature.h"
#include "sim/world/world_impl.h"

#include <string.h>

qd_status qd_world_note_threads(qd_world *world, bool note) {
    if (!world) return QD_ERR_ARGUMENT;
    world->threads_noted = note;
    world->thread_note_count = 0;
    return QD_OK;
}

// Threads' notes on a world: hook of the step: empties the notes of which thread moved which body.
static qd_status forget_threads(qd_world *world, qdi_step_context *step) {
    (void)step;
    if (!world->threads_noted) return QD_OK;
    qd_status status = qdi_reserve(world->allocator, &world->thread_notes, &world->thread_note_room, 0,
                                   world->index_count, sizeof *world->thread_notes);
    if (status != QD_OK) return status;
    world->thread_note_count = world->index_count;
    if (world->index_count > 0)
        memset(world->thread_notes, 0, world->index_count * sizeof *world->thread_notes);
    return QD_OK;
}

const qdi_feature qdi_thread_notes_feature = {.at = {[QDI_STAGE_PLACE] = forget_threads}};

void qdi_threads_note(const qd_world *world, size_t begin, size_t end, int worker) {
    if (!world->threads_noted) return;
    for (size_t row = begin; row < end; ++row)
        world->thread_notes[world->index[row]] = (qdi_thread_note){world->generation[row], worker};
}

int qdi_thread_of_row(const qd_world *world, size_t row) {
    size_t index = world->index[row];
    if (index >= world->thread_note_count) return QDI_NO_THREAD;
    const qdi_thread_note *note = &world->thread_notes[index];
    return note->generation == world->generation[row] ? note->worker : QDI_NO_THREAD;
}
