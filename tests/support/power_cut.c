#define _GNU_SOURCE // nftw
#include "tests/support/power_cut.h"

#include "tests/support/harness.h"
#include "tests/support/scratch.h"

#include <ftw.h>
#include <quadrille/random.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    NAMES = 512,
    OBJECTS = 4096,
    DESCRIPTORS = 1024,
    PROCESSES = 32,
    PATH_ROOM = 512,
    ROOT = 0,
    NOBODY = -1
};
enum {
    LOG_OPEN,
    LOG_WRITE,
    LOG_CUT,
    LOG_RENAME,
    LOG_DELETE,
    LOG_FOLDER,
    LOG_SYNC,
    LOG_SYNC_ALL
}; // as in faults.c

typedef struct deed {
    uint32_t what, path_bytes, other_bytes;
    int32_t descriptor;
    uint64_t at, bytes, process;
    // What follows is found out here.
    const char *data;
    char *path, *other;
    int object;   ///< that it is done to, or NOBODY
    int folder;   ///< that its name is in
    bool creates; ///< a file, by opening it
} deed;

enum { RECORD_BYTES = 3 * 4 + 4 + 3 * 8 }; ///< of a deed in the log

typedef struct object {
    bool is_folder;
    char *data;
    size_t size;
} object;

typedef struct name {
    char path[PATH_ROOM];
    int object;
} name;

struct qd_power_log {
    char *bytes;
    deed *deeds;
    size_t count;
    const char *prefix;
    object first[OBJECTS], now[OBJECTS]; ///< before, and while deeds are done
    int first_count, object_count;
    name names[NAMES], first_names[NAMES];
    size_t name_count, first_name_count;
    uint64_t processes[PROCESSES];
    int of_descriptor[PROCESSES][DESCRIPTORS];
};

// ---- names ----

static int find_name(const qd_power_log *log, const char *path) {
    for (size_t i = 0; i < log->name_count; ++i)
        if (strcmp(log->names[i].path, path) == 0) return (int)i;
    return NOBODY;
}

static int object_of(const qd_power_log *log, const char *path) {
    if (path[0] == '\0' || strcmp(path, ".") == 0) return ROOT;
    int at = find_name(log, path);
    return at == NOBODY ? NOBODY : log->names[at].object;
}

static void unbind(qd_power_log *log, const char *path, int from) {
    int at = find_name(log, path);
    if (at != NOBODY && log->names[at].object == from) log->names[at] = log->names[--log->name_count];
}

static void bind_name(qd_power_log *log, const char *path, int to) {
    int at = find_name(log, path);
    if (at == NOBODY) {
        ck_assert_uint_lt(log->name_count, NAMES);
        at = (int)log->name_count++;
    }
    (void)snprintf(log->names[at].path, PATH_ROOM, "%s", path);
    log->names[at].object = to;
}

static int folder_of(const qd_power_log *log, const char *path) {
    char parent[PATH_ROOM];
    (void)snprintf(parent, sizeof parent, "%s", path);
    char *slash = strrchr(parent, '/');
    if (!slash) return ROOT;
    *slash = '\0';
    return object_of(log, parent);
}

static int new_object(qd_power_log *log, bool is_folder) {
    ck_assert_int_lt(log->object_count, OBJECTS);
    log->now[log->object_count] = (object){.is_folder = is_folder};
    return log->object_count++;
}

static bool is_ours(const qd_power_log *log, const char *path) {
    size_t length = strlen(log->prefix);
    return strncmp(path, log->prefix, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

// ---- what there was before ----

static qd_power_log *reading; ///< nftw gives its function no context
static size_t reading_from;

static int note_file(const char *path, const struct stat *facts, int kind, struct FTW *where) {
    (void)facts;
    (void)where;
    const char *below = path + reading_from;
    while (*below == '/') ++below;
    if (*below == '\0') return 0;
    int made = new_object(reading, kind == FTW_D);
    bind_name(reading, below, made);
    if (kind == FTW_F) reading->now[made].data = qd_scratch_read(path, &reading->now[made].size);
    return 0;
}

static void note_before(qd_power_log *log, const char *before) {
    reading = log;
    reading_from = strlen(before);
    if (qd_scratch_exists(before)) ck_assert_int_eq(nftw(before, note_file, 16, FTW_PHYS), 0);
}

// ---- reading ----

/// What a descriptor of a deed's process stands for.
static int *object_of_descriptor(qd_power_log *log, const deed *did) {
    size_t i = 0;
    while (i < PROCESSES && log->processes[i] != 0 && log->processes[i] != did->process) ++i;
    ck_assert_uint_lt(i, PROCESSES);
    ck_assert_int_lt(did->descriptor, DESCRIPTORS);
    log->processes[i] = did->process;
    return &log->of_descriptor[i][did->descriptor];
}

/// Finds out to whom a deed is done.
static void trace_deed(qd_power_log *log, deed *did) {
    did->object = did->folder = NOBODY;
    bool by_descriptor = did->what == LOG_WRITE || did->what == LOG_CUT || did->what == LOG_SYNC;
    if (by_descriptor) {
        did->object = *object_of_descriptor(log, did);
        return;
    }
    if (did->what == LOG_SYNC_ALL) return;
    if (did->what == LOG_OPEN) *object_of_descriptor(log, did) = NOBODY;
    if (did->what == LOG_OPEN && strcmp(did->path, ".") == 0)
        *object_of_descriptor(log, did) = did->object = ROOT;
    if (!is_ours(log, did->path)) return;
    did->object = object_of(log, did->path);
    did->folder = folder_of(log, did->what == LOG_RENAME ? did->other : did->path);
    if (did->object == NOBODY) {
        did->creates = did->what == LOG_OPEN;
        did->object = new_object(log, did->what == LOG_FOLDER);
        bind_name(log, did->path, did->object);
    }
    if (did->what == LOG_OPEN) *object_of_descriptor(log, did) = did->object;
    if (did->what == LOG_DELETE) unbind(log, did->path, did->object);
    if (did->what == LOG_RENAME) {
        unbind(log, did->path, did->object);
        bind_name(log, did->other, did->object);
    }
}

static char *text_of(const char *bytes, size_t length) {
    char *text = qd_test_memory(length + 1);
    memcpy(text, bytes, length);
    text[length] = '\0';
    size_t end = strlen(text);
    while (end > 1 && text[end - 1] == '/') text[--end] = '\0';
    return text;
}

static void read_deeds(qd_power_log *log, size_t bytes) {
    size_t room = 0;
    for (size_t at = 0; at < bytes;) {
        if (log->count == room) {
            room = room ? 2 * room : 1024;
            log->deeds = realloc(log->deeds, room * sizeof *log->deeds);
            ck_assert_ptr_nonnull(log->deeds);
        }
        deed *did = &log->deeds[log->count++];
        memset(did, 0, sizeof *did);
        ck_assert_uint_le(at + RECORD_BYTES, bytes);
        memcpy(did, log->bytes + at, RECORD_BYTES);
        at += RECORD_BYTES;
        did->path = text_of(log->bytes + at, did->path_bytes);
        did->other = text_of(log->bytes + at + did->path_bytes, did->other_bytes);
        at += did->path_bytes + did->other_bytes;
        did->data = log->bytes + at;
        at += did->bytes;
        ck_assert_uint_le(at, bytes);
        trace_deed(log, did);
    }
}

qd_power_log *qd_power_log_read(const char *path, const char *prefix, const char *before) {
    qd_power_log *log = qd_test_zeros(1, sizeof *log);
    size_t bytes = 0;
    ck_assert_ptr_nonnull(log);
    log->prefix = prefix;
    log->bytes = qd_scratch_read(path, &bytes);
    ck_assert_ptr_nonnull(log->bytes);
    for (int i = 0; i < PROCESSES; ++i)
        for (int k = 0; k < DESCRIPTORS; ++k) log->of_descriptor[i][k] = NOBODY;
    (void)new_object(log, true); // the working directory
    if (before) note_before(log, before);
    memcpy(log->first, log->now, sizeof log->first);
    memcpy(log->first_names, log->names, sizeof log->names);
    log->first_count = log->object_count;
    log->first_name_count = log->name_count;
    read_deeds(log, bytes);
    return log;
}

void qd_power_log_free(qd_power_log *log) {
    for (size_t i = 0; i < log->count; ++i) {
        free(log->deeds[i].path);
        free(log->deeds[i].other);
    }
    for (int i = 0; i < log->first_count; ++i) free(log->first[i].data);
    free(log->deeds);
    free(log->bytes);
    free(log);
}

size_t qd_power_log_syncs(const qd_power_log *log) {
    size_t syncs = 0;
    for (size_t i = 0; i < log->count; ++i)
        syncs += log->deeds[i].what == LOG_SYNC || log->deeds[i].what == LOG_SYNC_ALL;
    return syncs;
}

size_t qd_power_log_count(const qd_power_log *log) {
    return log->count;
}

// ---- the cut ----

/// Whether deed `i` is on the disk for sure; `synced`: by object, one more than the number of its last sync.
static bool is_on_disk(const qd_power_log *log, size_t i, const size_t synced[OBJECTS], size_t all) {
    const deed *did = &log->deeds[i];
    bool itself = did->object != NOBODY && synced[did->object] > i + 1;
    bool folder = did->folder != NOBODY && synced[did->folder] > i + 1;
    if (all > i + 1) return true;
    switch (did->what) {
    case LOG_RENAME:
    case LOG_DELETE: return folder;
    case LOG_OPEN:
    case LOG_FOLDER: return folder || itself;
    default: return itself;
    }
}

static void set_size(object *file, size_t size) {
    char *data = realloc(file->data, size + 1);
    ck_assert_ptr_nonnull(data);
    if (size > file->size) memset(data + file->size, 0, size - file->size);
    file->data = data;
    file->size = size;
}

/// Does a deed again, with `bytes` of its data.
static void do_deed(qd_power_log *log, const deed *did, size_t bytes) {
    if (did->object == NOBODY) return;
    object *file = &log->now[did->object];
    switch (did->what) {
    case LOG_OPEN:
        if (did->creates) bind_name(log, did->path, did->object);
        if (did->at && !file->is_folder) set_size(file, 0);
        break;
    case LOG_WRITE:
        if (did->at + bytes > file->size) set_size(file, did->at + bytes);
        if (bytes > 0) memcpy(file->data + did->at, did->data, bytes);
        break;
    case LOG_CUT: set_size(file, did->at); break;
    case LOG_RENAME:
        unbind(log, did->path, did->object);
        bind_name(log, did->other, did->object);
        break;
    case LOG_DELETE: unbind(log, did->path, did->object); break;
    case LOG_FOLDER:
        file->is_folder = true;
        bind_name(log, did->path, did->object);
        break;
    default: break;
    }
}

/// Makes the folders that a path leads through.
static void make_folders(const char *path) {
    char part[2 * PATH_ROOM];
    (void)snprintf(part, sizeof part, "%s", path);
    for (char *slash = part; (slash = strchr(slash + 1, '/')) != NULL; *slash = '/') {
        *slash = '\0';
        (void)mkdir(part, 0777);
    }
}

/// Writes everything that has a name.
static void write_out(const qd_power_log *log, const char *folder) {
    for (size_t i = 0; i < log->name_count; ++i) {
        const object *file = &log->now[log->names[i].object];
        char path[2 * PATH_ROOM];
        (void)snprintf(path, sizeof path, "%s/%s", folder, log->names[i].path);
        make_folders(path);
        if (file->is_folder) {
            (void)mkdir(path, 0777);
            continue;
        }
        FILE *out = fopen(path, "wb");
        ck_assert_msg(out != NULL, "cannot write %s", path);
        if (file->size > 0) ck_assert_uint_eq(fwrite(file->data, 1, file->size, out), file->size);
        ck_assert_int_eq(fclose(out), 0);
    }
}

/// Does what the disk has.
static void redo_deeds(qd_power_log *log, const qd_power_moment *moment, const size_t synced[OBJECTS],
                       size_t all) {
    for (size_t i = 0; i < moment->at && i < log->count; ++i) {
        const deed *did = &log->deeds[i];
        qd_random random = qd_random_at(moment->torn, i, 0);
        uint64_t bits = qd_random_bits(&random);
        if (moment->undeleted && did->what == LOG_DELETE && !is_on_disk(log, i, synced, all)) continue;
        if (i < moment->kept || is_on_disk(log, i, synced, all) || (moment->scattered && bits & 1))
            do_deed(log, did, did->bytes);
        else if (did->what == LOG_WRITE && (i == moment->kept || (moment->scattered && bits & 2)))
            do_deed(log, did, (bits >> 2) % (did->bytes + 1));
    }
}

qd_power_moment qd_power_moment_draw(const qd_power_log *log, uint64_t seed, uint32_t use) {
    qd_random random = qd_random_at(seed, 0, use);
    qd_power_moment drawn = {.at = 1 + qd_random_bits(&random) % log->count};
    uint64_t back = qd_random_bits(&random) % 4;
    drawn.kept = back == 0   ? drawn.at
                 : back == 1 ? qd_random_bits(&random) % drawn.at
                             : drawn.at - qd_random_bits(&random) % (drawn.at < 40 ? drawn.at : 40);
    drawn.torn = qd_random_bits(&random);
    drawn.scattered = qd_random_bits(&random) % 2 == 0;
    drawn.undeleted = qd_random_bits(&random) % 8 == 0;
    return drawn;
}

void qd_power_cut(qd_power_log *log, const qd_power_moment *moment, const char *folder) {
    static size_t synced[OBJECTS];
    const size_t at = moment->at;
    size_t all = 0;
    memset(synced, 0, sizeof synced);
    for (size_t i = 0; i < at && i < log->count; ++i) {
        if (log->deeds[i].what == LOG_SYNC_ALL) all = i + 1;
        if (log->deeds[i].what == LOG_SYNC && log->deeds[i].object != NOBODY)
            synced[log->deeds[i].object] = i + 1;
    }
    memset(log->now, 0, sizeof log->now);
    memcpy(log->names, log->first_names, sizeof log->names);
    log->name_count = log->first_name_count;
    for (int i = 0; i < log->first_count; ++i) {
        log->now[i].is_folder = log->first[i].is_folder;
        if (!log->first[i].data) continue;
        set_size(&log->now[i], log->first[i].size);
        memcpy(log->now[i].data, log->first[i].data, log->first[i].size);
    }
    redo_deeds(log, moment, synced, all);
    char path[2 * PATH_ROOM];
    (void)snprintf(path, sizeof path, "%s/%s", folder, log->prefix);
    if (qd_scratch_exists(path)) qd_scratch_remove_tree(path);
    write_out(log, folder);
    for (int i = 0; i < OBJECTS; ++i) free(log->now[i].data);
    memset(log->now, 0, sizeof log->now);
}
