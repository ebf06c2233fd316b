// Ids of bodies from files and other runs.
#include "core/base/memory.h"
#include "sim/scene/scene_impl.h"
#include "sim/text/lines.h"
#include "sim/world/world_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/// A body that has an id, by its place in the scene.
typedef struct named {
    uint64_t label;
    uint64_t *place; ///< where it is kept
    size_t item, order;
} named;

typedef struct roll {
    named *bodies;
    size_t count, room;
} roll;

// Order of bodies of a scene by label.
static int compare_by_label(const void *left, const void *right) {
    const named *a = left, *b = right;
    if (a->label != b->label) return a->label < b->label ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

// Order of bodies of a scene as it lists them.
static int compare_by_order(const void *left, const void *right) {
    const named *a = left, *b = right;
    return a->order < b->order ? -1 : a->order > b->order;
}

/// Scene's labels: adds the bodies of an item that have ids.
static qd_status list_item_labels(const qdi_scene_reader *reader, size_t number, roll *all) {
    qdi_body_item *item = &reader->settings->items[number];
    bool run = item->kind == QDI_ITEM_RUN;
    if (!run && item->kind != QDI_ITEM_FILE) return QD_OK;
    size_t count = (size_t)item->count;
    qd_status status = qdi_reserve(reader->allocator, &all->bodies, &all->room, all->count,
                                   all->count + count, sizeof *all->bodies);
    for (size_t k = 0; k < count && status == QD_OK; ++k) {
        uint64_t *place = run ? &item->run.bodies[k].label : &item->file.bodies.rows[k].label;
        if (*place) all->bodies[all->count] = (named){*place, place, number, all->count}, ++all->count;
        if (*place > reader->settings->last_label) reader->settings->last_label = *place;
    }
    return status;
}

/// Scene's labels: leaves those only whose id is that of a body before, in order.
static void keep_repeated(roll *all) {
    size_t kept = 0;
    if (all->count > 0) qsort(all->bodies, all->count, sizeof *all->bodies, compare_by_label);
    uint64_t before = 0;
    for (size_t i = 0; i < all->count; ++i) {
        uint64_t label = all->bodies[i].label;
        if (label == before) all->bodies[kept++] = all->bodies[i];
        before = label;
    }
    all->count = kept;
    if (kept > 0) qsort(all->bodies, kept, sizeof *all->bodies, compare_by_order);
}

// The path of the file or run that an item of a scene names.
static const char *item_path(const qdi_body_item *item) {
    return item->kind == QDI_ITEM_RUN ? item->run.from.chars : item->file.from.chars;
}

/// Scene's labels: gives new ids to the bodies of one item; `first` is the first of them. Returns how many
/// there were.
static size_t rename_item(const qdi_scene_reader *reader, const roll *all, size_t first) {
    size_t next = first;
    while (next < all->count && all->bodies[next].item == all->bodies[first].item)
        *all->bodies[next++].place = ++reader->settings->last_label;
    return next - first;
}

// Gives bodies of a scene new labels where files have the same.
static qd_status relabel_twins(const qdi_scene_reader *reader, const roll *all) {
    for (size_t i = 0, count; i < all->count; i += count) {
        const qdi_body_item *item = &reader->settings->items[all->bodies[i].item];
        char shown[QDI_PATH_SHOWN], line[QDI_PATH_SHOWN + 160];
        uint64_t last = reader->settings->last_label;
        if (last >= QDI_LABEL_MAX - all->count)
            return qdi_reason(reader->error, QD_ERR_INVALID, "%s: no id is left above %" PRIu64,
                              qdi_path_shown(shown, item_path(item)), last);
        count = rename_item(reader, all, i);
        (void)snprintf(line, sizeof line,
                       "%s: %zu id%s of bodies before, which keep %s; its own %s %" PRIu64 " to %" PRIu64
                       "\n",
                       qdi_path_shown(shown, item_path(item)), count, count == 1 ? " is that" : "s are those",
                       count == 1 ? "it" : "them", count == 1 ? "is" : "are", last + 1, last + count);
        qdi_text_add(reader->notes, line);
    }
    return reader->notes->status;
}

qd_status qdi_scene_labels(const qdi_scene_reader *reader) {
    roll all = {.count = 0};
    qd_status status = QD_OK;
    for (size_t i = 0; i < reader->settings->item_count && status == QD_OK; ++i)
        status = list_item_labels(reader, i, &all);
    if (status == QD_OK) keep_repeated(&all);
    if (status == QD_OK) status = relabel_twins(reader, &all);
    qdi_release(reader->allocator, all.bodies, all.room, sizeof *all.bodies);
    return status;
}
