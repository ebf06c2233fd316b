#include "export/video/matroska.h"

#include "sim/files/os.h"

#include <quadrille/hash.h>
#include <stdbool.h>
#include <stdio.h>

/// Elements, by their numbers as they stand in the file.
enum {
    ID_HEADER = 0x1a45dfa3,
    ID_SEGMENT = 0x18538067,
    ID_TRACKS = 0x1654ae6b,
    ID_TRACK = 0xae,
    ID_SETUP = 0x63a2, ///< "CodecPrivate"
    ID_CLUSTER = 0x1f43b675,
    ID_BLOCK_GROUP = 0xa0,
    ID_SIMPLE_BLOCK = 0xa3,
};

typedef struct element {
    uint64_t id, size;
    bool open_end; ///< its size is not known: it ends where its parent does, or with the next of its kind
} element;

/// A number that says by its first byte how long it is; `keep` leaves the mark of the length in. `ones`: all
/// other bits are set.
static bool read_matroska_number(FILE *file, int longest, bool keep, uint64_t *value, bool *ones) {
    int first = fgetc(file), length = 1;
    if (first == EOF) return false;
    while (length <= longest && !(first & (0x80 >> (length - 1)))) ++length;
    if (length > longest) return false;
    uint64_t bits = (uint64_t)first;
    if (!keep) bits &= 0x7fU >> (length - 1);
    for (int i = 1; i < length; ++i) {
        int next = fgetc(file);
        if (next == EOF) return false;
        bits = bits << 8 | (uint64_t)next;
    }
    *value = bits;
    *ones = bits == (UINT64_C(1) << 7 * length) - 1;
    return true;
}

/// Reads the id and the size of an element.
static bool read_matroska_element(FILE *file, element *found) {
    bool ones;
    return read_matroska_number(file, 4, true, &found->id, &ones) &&
           read_matroska_number(file, 8, false, &found->size, &found->open_end);
}

/// Adds bytes of the file to the hash of the decoder's setup.
static bool read_matroska_setup(FILE *file, uint64_t size, uint64_t *setup) {
    unsigned char part[256];
    while (size > 0) {
        size_t wanted = size < sizeof part ? (size_t)size : sizeof part;
        if (fread(part, 1, wanted, file) != wanted) return false;
        *setup = qd_hash_seeded(part, wanted, *setup);
        size -= wanted;
    }
    return true;
}

/// Matroska: true for elements that contain others which matter here.
static bool is_container_element(uint64_t id) {
    return id == ID_SEGMENT || id == ID_CLUSTER || id == ID_TRACKS || id == ID_TRACK;
}

/// Walks from element to element to the end of the file, and skips those that do not matter.
static bool walk_matroska_elements(FILE *file, uint64_t bytes, qdi_matroska *facts) {
    bool first = true;
    for (uint64_t at = 0; at < bytes;) {
        element found;
        if (!read_matroska_element(file, &found) || (first && found.id != ID_HEADER)) return false;
        first = false;
        long body = ftell(file);
        if (body < 0) return false;
        at = (uint64_t)body;
        if (!found.open_end && found.size > bytes - at) return false;
        if (is_container_element(found.id)) continue;
        if (found.open_end) return false;
        if (found.id == ID_SIMPLE_BLOCK || found.id == ID_BLOCK_GROUP) facts->frames += 1;
        if (found.id == ID_SETUP && !read_matroska_setup(file, found.size, &facts->setup)) return false;
        at += found.size;
        if (fseek(file, (long)at, SEEK_SET) != 0) return false;
    }
    return !first;
}

qd_status qdi_matroska_inspect(const char *path, qdi_matroska *found, qd_error *error) {
    *found = (qdi_matroska){0, 0};
    FILE *file = NULL;
    qd_error why;
    if (qdi_os_open(path, QDI_OS_OWN, &file, &why) != QD_OK) {
        if (error)
            (void)snprintf(error->text, sizeof error->text, "cannot read %.300s: %.180s", path, why.text);
        return QD_ERR_IO;
    }
    long bytes = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    bool whole = bytes >= 0 && fseek(file, 0, SEEK_SET) == 0 &&
                 walk_matroska_elements(file, (uint64_t)bytes, found);
    (void)fclose(file);
    if (whole) return QD_OK;
    if (error) (void)snprintf(error->text, sizeof error->text, "%.400s is damaged or cut short", path);
    return QD_ERR_CORRUPT;
}
