// Points of a sweep: which values they have, and what changes make them of the base scene.

#include "sim/sweep/sweep.h"

#include "core/base/memory.h"
#include "sim/sweep/sweep_impl.h"
#include "sim/text/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void qdi_sweep_destroy(qdi_sweep *sweep) {
    if (!sweep) return;
    const qd_allocator *allocator = sweep->allocator;
    qdi_text_release(&sweep->texts);
    qdi_text_release(&sweep->source);
    qdi_release(allocator, sweep->fixed, sweep->fixed_room, sizeof *sweep->fixed);
    qdi_release(allocator, sweep->columns, sweep->column_room, sizeof *sweep->columns);
    qdi_release(allocator, sweep->axes, sweep->axis_room, sizeof *sweep->axes);
    qdi_release(allocator, sweep->values, sweep->value_room, sizeof *sweep->values);
    qdi_release(allocator, sweep->fields, sweep->field_room, sizeof *sweep->fields);
    qdi_release(allocator, sweep, 1, sizeof *sweep);
}

// The name of a sweep.
const char *qdi_sweep_name(const qdi_sweep *sweep) {
    return sweep->texts.chars + sweep->name;
}

const char *qdi_sweep_text(const qdi_sweep *sweep, size_t *bytes) {
    *bytes = sweep->source.used;
    return sweep->source.chars;
}

const char *qdi_sweep_scene(const qdi_sweep *sweep) {
    return sweep->texts.chars + sweep->scene;
}

uint64_t qdi_sweep_count(const qdi_sweep *sweep) {
    uint64_t count = sweep->replicas;
    for (size_t i = 0; i < sweep->axis_count; ++i) {
        if (count > UINT64_MAX / sweep->axes[i].count) return UINT64_MAX;
        count *= sweep->axes[i].count;
    }
    return count;
}

uint64_t qdi_sweep_limit(const qdi_sweep *sweep) {
    return sweep->limit;
}

uint64_t qdi_sweep_replicas(const qdi_sweep *sweep) {
    return sweep->replicas;
}

const char *qdi_sweep_key(const qdi_sweep *sweep, size_t column) {
    return column < sweep->column_count ? sweep->texts.chars + sweep->columns[column].key : NULL;
}

const char *qdi_sweep_value(const qdi_sweep *sweep, uint64_t point, size_t column) {
    uint64_t left = point / sweep->replicas;
    for (size_t i = sweep->axis_count; i-- > 0;) {
        const qdi_sweep_axis *axis = &sweep->axes[i];
        if (column >= axis->first)
            return sweep->texts.chars +
                   sweep->values[sweep->columns[column].first + (size_t)(left % axis->count)];
        left /= axis->count;
    }
    return "";
}

uint64_t qdi_sweep_replica(const qdi_sweep *sweep, uint64_t point) {
    return point % sweep->replicas + 1;
}

void qdi_sweep_words(const qdi_sweep *sweep, uint64_t point, char *text, size_t bytes) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sweep->column_count && used < bytes; ++i)
        used += (size_t)snprintf(text + used, bytes - used, "%s%s=%s", i > 0 ? ", " : "",
                                 qdi_sweep_key(sweep, i), qdi_sweep_value(sweep, point, i));
    if (sweep->replicas > 1 && used < bytes)
        (void)snprintf(text + used, bytes - used, "%sreplica %" PRIu64, used > 0 ? ", " : "",
                       qdi_sweep_replica(sweep, point));
}

// ---- changes ----

/// Sweep: a whole number for `bodies` scales the scene, as --bodies does: a list of bodies is never one.
static bool is_scale(const char *key, const char *value, uint64_t *bodies) {
    return strcmp(key, "bodies") == 0 && qdi_integer_read(value, strlen(value), bodies) && *bodies > 0;
}

/// Sweep: adds "KEY=VALUE" to the changes, whose items are places for now.
static void add_change(qdi_sweep_changes *changes, qdi_text *chars, size_t *places, const char *key,
                       const char *value) {
    if (is_scale(key, value, &changes->changes.bodies)) return;
    places[changes->changes.set_count++] = chars->used;
    qdi_text_add(chars, key);
    qdi_text_add(chars, "=");
    qdi_text_add(chars, value);
    qdi_text_add_bytes(chars, "", 1);
}

// Collects the scene keys that a point of a sweep changes.
static qd_status collect_changes(const qdi_sweep *sweep, uint64_t point, uint64_t seed,
                                 qdi_sweep_changes *changes, qdi_text *chars, size_t *places) {
    const char *texts = sweep->texts.chars;
    for (size_t i = 0; i < sweep->fixed_count; ++i)
        add_change(changes, chars, places, texts + sweep->fixed[i].key, texts + sweep->fixed[i].value);
    for (size_t i = 0; i < sweep->column_count; ++i)
        add_change(changes, chars, places, qdi_sweep_key(sweep, i), qdi_sweep_value(sweep, point, i));
    if (qdi_sweep_replica(sweep, point) > 1) {
        char digits[24];
        (void)snprintf(digits, sizeof digits, "%" PRIu64, seed);
        add_change(changes, chars, places, "run.seed", digits);
    }
    return chars->status;
}

qd_status qdi_sweep_changes_make(const qdi_sweep *sweep, uint64_t point, uint64_t seed,
                                 qdi_sweep_changes *changes) {
    const qd_allocator *allocator = sweep->allocator;
    size_t room = sweep->fixed_count + sweep->column_count + 1;
    *changes = (qdi_sweep_changes){.allocator = allocator};
    qdi_text chars = {.allocator = allocator};
    size_t *places = qdi_allocate(allocator, room, sizeof *places);
    changes->items = qdi_allocate(allocator, room, sizeof *changes->items);
    changes->item_room = room;
    qd_status status = places && changes->items ? collect_changes(sweep, point, seed, changes, &chars, places)
                                                : QD_ERR_MEMORY;
    for (size_t i = 0; i < changes->changes.set_count && status == QD_OK; ++i)
        changes->items[i] = chars.chars + places[i];
    changes->chars = chars.chars;
    changes->char_room = chars.room;
    changes->changes.sets = changes->items;
    qdi_release(allocator, places, room, sizeof *places);
    if (status != QD_OK) qdi_sweep_changes_free(changes);
    return status;
}

void qdi_sweep_changes_free(qdi_sweep_changes *changes) {
    qdi_release(changes->allocator, (void *)changes->items, changes->item_room, sizeof *changes->items);
    qdi_release(changes->allocator, changes->chars, changes->char_room, 1);
    *changes = (qdi_sweep_changes){.allocator = changes->allocator};
}
