// Bodies of another run: a world that it stored, read from its run.db, or from the file that an earlier run
// with such a scene has kept of it.

#include "core/base/memory.h"
#include "sim/files/os.h"
#include "sim/scene/scene_impl.h"
#include "sim/text/lines.h"

#include <quadrille/hash.h>
#include <quadrille/store.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/// Most bytes of a stored world that is read from a file: as many as are read of a body file.
static const size_t world_bytes_max = (size_t)1 << 34;

void qdi_item_run_release(const qd_allocator *allocator, qdi_item_run *run) {
    if (run->path.chars) qdi_text_release(&run->path);
    if (run->from.chars) qdi_text_release(&run->from);
    qdi_release(allocator, run->data, run->room, 1);
    qdi_release(allocator, run->bodies, run->body_room, sizeof *run->bodies);
    qd_world_destroy(run->world);
    *run = (qdi_item_run){.step = run->step};
}

qd_body_state qdi_item_run_body(const qdi_item_run *run, size_t k) {
    qd_body_state state;
    qd_status status = qd_world_body(run->world, run->bodies[k].id, &state);
    (void)status; // the ids are those of the world's bodies
    state.label = run->bodies[k].label;
    return state;
}

// ---- from where it is to memory ----

/// Scene's run section: from the store of a run directory.
static qd_status read_store(const qdi_scene_reader *reader, qdi_item_run *run, qd_error *reason) {
    qdi_text path = {.allocator = reader->allocator};
    qdi_text_add(&path, run->from.chars);
    qdi_text_add(&path, "/run.db");
    qd_store *store = NULL;
    qd_store_state moment = {0};
    qd_status status = path.status;
    if (status == QD_OK) status = qd_store_open(path.chars, QD_STORE_READ, reader->allocator, &store, reason);
    if (status == QD_OK) status = qd_store_find_world(store, run->step, &moment, reason);
    if (status == QD_OK)
        status = qdi_reserve(reader->allocator, &run->data, &run->room, 0, moment.world_bytes, 1);
    if (status == QD_OK) {
        memcpy(run->data, moment.world, moment.world_bytes);
        run->bytes = moment.world_bytes;
    }
    qd_store_state_free(store, &moment);
    qd_status closed = qd_store_close(store, NULL);
    (void)closed; // nothing was written
    if (path.chars) qdi_text_release(&path);
    return status;
}

// Scene's run section: reads a saved world from a file.
static qd_status read_state_stream(const qdi_scene_reader *reader, FILE *stream, qdi_item_run *run,
                                   qd_error *reason) {
    for (;;) {
        qd_status status = qdi_reserve(reader->allocator, &run->data, &run->room, run->bytes,
                                       run->bytes + (1U << 16), 1);
        if (status != QD_OK) return status;
        size_t got = fread(run->data + run->bytes, 1, run->room - run->bytes, stream);
        run->bytes += got;
        if (ferror(stream))
            return qdi_reason(reason, QD_ERR_IO, "%.300s: cannot be read: %s", run->from.chars,
                              strerror(errno));
        if (got == 0) return QD_OK;
        if (run->bytes > world_bytes_max)
            return qdi_reason(reason, QD_ERR_INVALID, "%.300s: holds more than %zu GB", run->from.chars,
                              world_bytes_max >> 30);
    }
}

// Reads the saved world that a scene names.
static qd_status read_state_file(const qdi_scene_reader *reader, qdi_item_run *run, qd_error *reason) {
    FILE *stream = NULL;
    qd_error why;
    qd_status status = qdi_os_open(run->from.chars, QDI_OS_DATA, &stream, &why);
    if (status != QD_OK)
        return qdi_reason(reason, QD_ERR_NOT_FOUND, "%.300s: cannot be opened: %.150s", run->from.chars,
                          why.text);
    status = read_state_stream(reader, stream, run, reason);
    (void)fclose(stream); // it was only read
    return status;
}

// ---- from memory to bodies ----

// Loads the world that a scene begins with.
static qd_status load_state(const qdi_scene_reader *reader, qdi_item_run *run, qd_error *reason) {
    qd_error why = {""};
    qd_status status = qd_world_load(run->data, run->bytes, 1, reader->allocator, &run->world, &why);
    if (status != QD_OK)
        return qdi_reason(reason, status, "%.300s: %.200s", run->from.chars,
                          why.text[0] ? why.text : qd_status_text(status));
    uint64_t step = qd_world_steps(run->world);
    if (run->step != UINT64_MAX && run->step != step)
        return qdi_reason(reason, QD_ERR_INVALID, "%.300s: is of step %" PRIu64 ", not %" PRIu64,
                          run->from.chars, step, run->step);
    run->step = step;
    qd_body_view view = qd_world_view(run->world);
    status = qdi_reserve(reader->allocator, &run->bodies, &run->body_room, 0, view.count,
                         sizeof *run->bodies);
    for (size_t i = 0; i < view.index_count && status == QD_OK; ++i) {
        uint32_t row = view.row_of_index[i];
        if (row == UINT32_MAX) continue;
        const qd_id id = {(uint32_t)i, view.generation[row]};
        run->bodies[run->count++] = (qdi_run_body){id, view.label[row]};
    }
    return status;
}

/// Says which state the bodies are of, where the scene does not.
static qd_status note_step(const qdi_scene_reader *reader, const qdi_item_run *run) {
    char shown[QDI_PATH_SHOWN], line[QDI_PATH_SHOWN + 120];
    (void)snprintf(line, sizeof line, "%s: its bodies at step %" PRIu64 ", the last that is kept\n",
                   qdi_path_shown(shown, run->from.chars), run->step);
    qdi_text_add(reader->notes, line);
    return reader->notes->status;
}

// Checks the saved world against the hash in the scene, or notes it.
static qd_status check_state_hash(const qdi_scene_reader *reader, qdi_item_run *run, size_t number,
                                  qdi_yaml_ref node) {
    static const char *const path[] = {"run", "hash", NULL};
    uint64_t hash = qd_hash_bytes(run->data, run->bytes);
    if (run->hash != 0 && run->hash != hash)
        return qdi_scene_complain(
            reader, qdi_scene_find(reader, node, path),
            "bodies.%zu.run.hash: the run has changed: the hash of its state is \"%016" PRIx64 "\"", number,
            hash);
    run->hash = hash;
    char name[48];
    (void)snprintf(name, sizeof name, "bodies_%zu.qdworld", number);
    run->path.used = 0;
    qdi_text_add(&run->path, name);
    return run->path.status;
}

qd_status qdi_item_run_read(const qdi_scene_reader *reader, qdi_body_item *item, size_t number,
                            qdi_yaml_ref node) {
    static const char *const path[] = {"run", "path", NULL}, *const step[] = {"run", "step", NULL};
    qdi_item_run *run = &item->run;
    qd_error reason = {""};
    bool last = run->step == UINT64_MAX;
    qd_status status = qdi_scene_locate(reader, &run->path, &run->from);
    if (status == QD_OK)
        status = qdi_os_is_directory(run->from.chars) ? read_store(reader, run, &reason)
                                                      : read_state_file(reader, run, &reason);
    if (status == QD_OK) status = load_state(reader, run, &reason);
    if (status == QD_ERR_MEMORY) return qdi_reason(reader->error, status, "out of memory");
    if (status != QD_OK) {
        qdi_yaml_ref at = qdi_scene_find(reader, node, step);
        if (last || !at) at = qdi_scene_find(reader, node, path);
        return qdi_scene_complain(reader, at, "bodies.%zu.run: %.400s", number, reason.text);
    }
    item->count = run->count;
    status = last ? note_step(reader, run) : QD_OK;
    return status == QD_OK ? check_state_hash(reader, run, number, node) : status;
}
