// For libFuzzer alone: keeps from input to input what a sanitizer makes dear and what no input can change. A
// thread costs a team's maker a thousand times what it costs a test, and a large block is asked of the system
// and given back each time. So teams that are destroyed are given out again, and so are large blocks; these
// are poisoned while nobody has them, and behind their end while somebody does. The linker puts these
// functions in place of the program's own.
#include "core/base/memory.h"
#include "core/parallel/parallel.h"
#include "tests/fuzz/fuzz.h"

#include <quadrille/alloc.h>
#include <quadrille/team.h>
#include <sanitizer/asan_interface.h>
#include <stdbool.h>
#include <stdlib.h>

enum { TEAMS_KEPT = 16, BLOCKS_KEPT = 24, LARGE = 96 << 10, LARGEST = 4 << 20, ALIGNMENT = 64 };

qd_status __real_qd_team_create(const qd_team_def *def, qd_team **team);
void __real_qd_team_destroy(qd_team *team);
qd_status __wrap_qd_team_create(const qd_team_def *def, qd_team **team);
void __wrap_qd_team_destroy(qd_team *team);
const qd_allocator *__wrap_qd_allocator_default(void);
const qd_allocator *__wrap_qdi_allocator_or_default(const qd_allocator *allocator);

/// A team that is kept; one that some world has now is lent.
typedef struct kept_team {
    qd_team *team;
    bool lent;
} kept_team;

static kept_team teams[TEAMS_KEPT];
static size_t team_count;

qd_status __wrap_qd_team_create(const qd_team_def *def, qd_team **team) {
    if (!def || !team || def->threads < 2 ||
        (def->allocator && def->allocator != __wrap_qd_allocator_default()))
        return __real_qd_team_create(def, team);
    for (size_t i = 0; i < team_count; ++i) {
        if (teams[i].lent || qd_team_threads(teams[i].team) != def->threads) continue;
        teams[i].lent = true;
        *team = teams[i].team;
        return QD_OK;
    }
    qd_status status = __real_qd_team_create(def, team);
    if (status == QD_OK && team_count < TEAMS_KEPT) teams[team_count++] = (kept_team){*team, true};
    return status;
}

void __wrap_qd_team_destroy(qd_team *team) {
    for (size_t i = 0; team && i < team_count; ++i) {
        if (teams[i].team != team) continue;
        qdi_team_use(team, 0);
        teams[i].lent = false;
        return;
    }
    __real_qd_team_destroy(team);
}

typedef struct kept_block {
    void *memory;
    size_t room;
} kept_block;

static kept_block blocks[BLOCKS_KEPT];
static size_t block_count;

// The room of a block for so many bytes: a power of two, with some that stay poisoned.
static size_t room_for(size_t bytes) {
    size_t room = 2 * (size_t)LARGE;
    while (room < bytes + ALIGNMENT) room *= 2;
    return room;
}

// A block of this room, a kept one if there is one.
static void *take_block(size_t room) {
    for (size_t i = block_count; i-- > 0;) {
        if (blocks[i].room != room) continue;
        void *memory = blocks[i].memory;
        blocks[i] = blocks[--block_count];
        return memory;
    }
    return aligned_alloc(ALIGNMENT, room);
}

static void *allocate(void *context, size_t bytes) {
    (void)context;
    if (bytes > SIZE_MAX - ALIGNMENT) return NULL;
    if (bytes < LARGE || bytes > LARGEST)
        return aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    size_t room = room_for(bytes);
    char *memory = take_block(room);
    if (!memory) return NULL;
    ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
    ASAN_POISON_MEMORY_REGION(memory + bytes, room - bytes);
    return memory;
}

static void release(void *context, void *memory, size_t bytes) {
    (void)context;
    size_t room = bytes < LARGE || bytes > LARGEST ? 0 : room_for(bytes);
    if (room == 0 || block_count == BLOCKS_KEPT) {
        if (room > 0) ASAN_UNPOISON_MEMORY_REGION(memory, room);
        free(memory);
        return;
    }
    ASAN_POISON_MEMORY_REGION(memory, room);
    blocks[block_count++] = (kept_block){memory, room};
}

const qd_allocator *__wrap_qd_allocator_default(void) {
    static const qd_allocator kept = {allocate, release, NULL};
    return &kept;
}

const qd_allocator *__wrap_qdi_allocator_or_default(const qd_allocator *allocator) {
    return allocator ? allocator : __wrap_qd_allocator_default();
}
