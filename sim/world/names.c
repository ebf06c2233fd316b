#include "sim/world/names.h"

#include "core/base/lower_bound.h"
#include "core/base/memory.h"

#include <string.h>

void qdi_names_release(qd_world *world) {
    qdi_release(world->allocator, world->names, world->name_count, sizeof *world->names);
    world->names = NULL;
    world->name_count = 0;
}

qd_status qdi_names_give(qd_world *world, const uint64_t *names) {
    const size_t count = world->index_count;
    for (size_t i = 1; names && i < count; ++i)
        if (names[i] <= names[i - 1]) return QD_ERR_VALUE;
    uint64_t *given = NULL;
    if (names && count > 0) {
        given = qdi_allocate(world->allocator, count, sizeof *given);
        if (!given) return QD_ERR_MEMORY;
        memcpy(given, names, count * sizeof *given);
    }
    qdi_names_release(world);
    world->names = given;
    world->name_count = given ? count : 0;
    return QD_OK;
}

// Names: the first of some that is not below `name`; NULL: they are the indices.
static size_t first_from(const uint64_t *names, size_t count, uint64_t name) {
    if (!names) return name < count ? (size_t)name : count;
    return qdi_lower_bound_64(names, 0, count, name);
}

size_t qdi_names_from(const qd_world *world, uint64_t name) {
    return first_from(world->names, world->index_count, name);
}

uint32_t qdi_names_find(const uint64_t *names, size_t count, uint64_t name) {
    const size_t index = first_from(names, count, name);
    return index < count && (!names || names[index] == name) ? (uint32_t)index : QDI_NO_ROW;
}
