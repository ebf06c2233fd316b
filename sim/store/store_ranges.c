#include "sim/store/store_ranges.h"

#include "core/base/hash_stream.h"
#include "core/base/memory.h"
#include "sim/store/store_impl.h"
#include "sim/text/reason.h"

/// Bytes that are hashed at once.
enum { HASHED = 1 << 20 };

/// A row of the table `parts`.
typedef struct stored_part {
    int64_t row;
    uint64_t begin, bytes; ///< of the world
} stored_part;

struct qdi_store_ranges {
    qd_store *store;
    stored_part *part;
    size_t count, room;
    uint64_t bytes;
    sqlite3_blob *blob; ///< of part `open`, or NULL
    size_t open;
};

void qdi_ranges_close(qdi_store_ranges *ranges) {
    if (!ranges) return;
    const qd_allocator *allocator = ranges->store->allocator;
    if (ranges->blob) (void)sqlite3_blob_close(ranges->blob);
    qdi_release(allocator, ranges->part, ranges->room, sizeof *ranges->part);
    qdi_release(allocator, ranges, 1, sizeof *ranges);
}

uint64_t qdi_ranges_bytes(const qdi_store_ranges *ranges) {
    return ranges->bytes;
}

// Store's ranges: lists the parts of a world.
static int list_parts(qdi_store_ranges *ranges, sqlite3_stmt *statement) {
    int code = sqlite3_step(statement);
    for (; code == SQLITE_ROW; code = sqlite3_step(statement)) {
        const int64_t bytes = sqlite3_column_int64(statement, 1);
        if (qdi_reserve(ranges->store->allocator, &ranges->part, &ranges->room, ranges->count,
                        ranges->count + 1, sizeof *ranges->part) != QD_OK)
            return SQLITE_NOMEM;
        ranges->part[ranges->count++] = (stored_part){sqlite3_column_int64(statement, 0), ranges->bytes,
                                                      bytes > 0 ? (uint64_t)bytes : 0};
        ranges->bytes += bytes > 0 ? (uint64_t)bytes : 0;
    }
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

qd_status qdi_ranges_open(qd_store *store, const char *owner, uint64_t step, qdi_store_ranges **ranges,
                          qd_error *error) {
    *ranges = NULL;
    qdi_store_ranges *made = qdi_allocate(store->allocator, 1, sizeof *made);
    if (!made) return qdi_reason(error, QD_ERR_MEMORY, "%s", qd_status_text(QD_ERR_MEMORY));
    *made = (qdi_store_ranges){.store = store};
    sqlite3_stmt *statement = NULL;
    int code = qdi_sql_prepare(
        store->db, "SELECT rowid, length(data) FROM parts WHERE owner = ? AND step = ? ORDER BY part",
        &statement, "su", owner, step);
    if (code == SQLITE_OK) code = list_parts(made, statement);
    (void)sqlite3_finalize(statement);
    if (code == SQLITE_OK) {
        *ranges = made;
        return QD_OK;
    }
    qdi_ranges_close(made);
    return qdi_sql_fail(store, "read", code, error);
}

// Store's ranges: opens a part.
static int open_part(qdi_store_ranges *ranges, size_t number) {
    if (ranges->blob && ranges->open == number) return SQLITE_OK;
    const int64_t row = ranges->part[number].row;
    ranges->open = number;
    if (ranges->blob) return sqlite3_blob_reopen(ranges->blob, row);
    return sqlite3_blob_open(ranges->store->db, "main", "parts", "data", row, 0, &ranges->blob);
}

// Store's ranges: the part that has a byte.
static size_t part_of(const qdi_store_ranges *ranges, uint64_t at) {
    size_t low = 0, high = ranges->count;
    while (low + 1 < high) {
        const size_t middle = (low + high) / 2;
        *(ranges->part[middle].begin <= at ? &low : &high) = middle;
    }
    return low;
}

qd_status qdi_ranges_read(qdi_store_ranges *ranges, uint64_t at, void *to, size_t bytes, qd_error *error) {
    if (at > ranges->bytes || bytes > ranges->bytes - at)
        return qdi_reason(error, QD_ERR_CORRUPT, "%.300s: a saved world is cut short", ranges->store->path);
    unsigned char *out = to;
    int code = SQLITE_OK;
    for (size_t number = bytes > 0 ? part_of(ranges, at) : 0; bytes > 0 && code == SQLITE_OK; ++number) {
        const stored_part *part = &ranges->part[number];
        const uint64_t offset = at - part->begin, left = part->bytes - offset;
        const size_t some = left < bytes ? (size_t)left : bytes;
        code = open_part(ranges, number);
        if (code == SQLITE_OK) code = sqlite3_blob_read(ranges->blob, out, (int)some, (int)offset);
        out += some;
        at += some;
        bytes -= some;
    }
    return code == SQLITE_OK ? QD_OK : qdi_sql_fail(ranges->store, "read", code, error);
}

qd_status qdi_ranges_hash(qdi_store_ranges *ranges, uint64_t *hash, qd_error *error) {
    const qd_allocator *allocator = ranges->store->allocator;
    qdi_hash_stream *stream = NULL;
    unsigned char *piece = qdi_allocate(allocator, HASHED, 1);
    qd_status status = piece ? qdi_hash_stream_make(&stream) : QD_ERR_MEMORY;
    if (status != QD_OK) (void)qdi_reason(error, status, "%s", qd_status_text(status));
    for (uint64_t at = 0; at < ranges->bytes && status == QD_OK; at += HASHED) {
        const uint64_t left = ranges->bytes - at;
        const size_t some = left < HASHED ? (size_t)left : HASHED;
        status = qdi_ranges_read(ranges, at, piece, some, error);
        if (status == QD_OK) qdi_hash_stream_add(stream, piece, some);
    }
    if (status == QD_OK) *hash = qdi_hash_stream_value(stream);
    qdi_hash_stream_free(stream);
    qdi_release(allocator, piece, HASHED, 1);
    return status;
}
