#include "export/trajectory/trajectory_out.h"

#include "core/base/memory.h"
#include "core/parallel/parallel.h"
#include "sim/text/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/// Bytes of the buffer and of a block of rows, and blocks that each thread makes before what was made is
/// written: starting a team costs more than a block.
enum { BUFFER_BYTES = 1 << 16, BLOCK_BYTES = 1 << 16, BLOCKS = 64 };

// ---- values ----

char *qdi_put_word(char *at, const char *word) {
    while (*word) *at++ = *word++;
    return at;
}

char *qdi_put_real(char *at, double value) {
    if (isnan(value)) return qdi_put_word(at, "nan");
    if (isinf(value)) return qdi_put_word(at, value > 0 ? "inf" : "-inf");
    char text[QDI_NUMBER_ROOM];
    size_t length = qdi_number_write(value, text);
    memcpy(at, text, length);
    return at + length;
}

char *qdi_put_whole(char *at, uint64_t value) {
    char digits[20];
    size_t count = 0;
    do digits[count++] = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    while (count > 0) *at++ = digits[--count];
    return at;
}

// ---- the file ----

/// Keeps a failure of a trajectory's file.
static void out_fail(qdi_out *out, qd_status status, const char *reason) {
    out->status = status;
    if (!out->error.text[0]) (void)snprintf(out->error.text, sizeof out->error.text, "%s", reason);
}

/// Makes a file of a trajectory, under a name of its own until it is whole.
static qd_status out_start(qdi_out *out, const char *directory, const char *name) {
    char part[256];
    int length = snprintf(part, sizeof part, "%s.part", name);
    qd_status status = length < (int)sizeof part ? QD_OK : QD_ERR_VALUE;
    if (status == QD_OK) status = qdi_path_join(directory, name, out->path);
    if (status == QD_OK) status = qdi_path_join(directory, part, out->part);
    if (status != QD_OK) return status;
    out->buffer = qdi_allocate(out->allocator, BUFFER_BYTES, 1);
    if (!out->buffer) return QD_ERR_MEMORY;
    return qdi_file_create(out->part, &out->file, &out->error);
}

qd_status qdi_out_open(qdi_out *out, const qd_allocator *allocator, qd_team *team, const char *directory,
                       const char *name, qd_error *error) {
    *out = (qdi_out){.allocator = allocator, .team = team, .file = QDI_FILE_NONE};
    out->status = out_start(out, directory, name);
    if (out->status == QD_OK) return QD_OK;
    if (!out->error.text[0]) out_fail(out, out->status, qd_status_text(out->status));
    if (error) *error = out->error;
    qd_status status = out->status;
    out->file = QDI_FILE_NONE;
    qdi_out_discard(out);
    return status;
}

/// Writes bytes to a trajectory's file.
static void out_write(qdi_out *out, const void *data, size_t bytes) {
    if (out->status == QD_OK) out->status = qdi_file_write(out->file, out->part, data, bytes, &out->error);
    if (out->status == QD_OK) out->written += bytes;
}

/// Writes the buffer to a trajectory's file.
static void out_flush_buffer(qdi_out *out) {
    if (out->used > 0) out_write(out, out->buffer, out->used);
    out->used = 0;
}

// Writes bytes to an exported file.
void qdi_out_bytes(qdi_out *out, const void *data, size_t bytes) {
    if (out->status != QD_OK || bytes == 0) return;
    if (out->used + bytes > BUFFER_BYTES) out_flush_buffer(out);
    if (bytes >= BUFFER_BYTES) {
        out_write(out, data, bytes);
        return;
    }
    memcpy(out->buffer + out->used, data, bytes);
    out->used += bytes;
}

// Writes a text to an exported file.
void qdi_out_text(qdi_out *out, const char *text) {
    qdi_out_bytes(out, text, strlen(text));
}

void qdi_out_format(qdi_out *out, const char *format, ...) {
    char text[512];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (length < 0 || length >= (int)sizeof text)
        out_fail(out, QD_ERR_INTERNAL, "a line of a file is longer than it can be");
    else
        qdi_out_bytes(out, text, (size_t)length);
}

void qdi_out_real(qdi_out *out, double value) {
    char text[QDI_NUMBER_ROOM];
    qdi_out_bytes(out, text, (size_t)(qdi_put_real(text, value) - text));
}

// ---- rows ----

/// Some blocks of rows: block k fills its own part of the memory, of which it has used[k] bytes in the end.
typedef struct row_blocks {
    size_t first, per_block, block_bytes;
    qdi_row_function row;
    const void *context;
    char *memory;
    size_t *used;
} row_blocks;

/// Export's output: writes rows [begin, end) into their block of memory.
static void make_rows_range(void *context, size_t begin, size_t end) {
    row_blocks *blocks = context;
    size_t block = begin / blocks->per_block;
    char *from = blocks->memory + block * blocks->block_bytes, *at = from;
    for (size_t i = begin; i < end; ++i) at = blocks->row(blocks->context, blocks->first + i, at);
    blocks->used[block] = (size_t)(at - from);
}

void qdi_out_rows(qdi_out *out, size_t count, size_t room, qdi_row_function row, const void *context) {
    if (out->status != QD_OK || count == 0) return;
    row_blocks blocks = {.row = row, .context = context};
    blocks.per_block = BLOCK_BYTES / room > 0 ? BLOCK_BYTES / room : 1;
    if (blocks.per_block > count) blocks.per_block = count;
    blocks.block_bytes = blocks.per_block * room;
    size_t many = (size_t)qd_team_threads(out->team) * BLOCKS,
           needed = qdi_range_count(count, blocks.per_block);
    if (many > needed) many = needed;
    blocks.memory = qdi_allocate(out->allocator, many, blocks.block_bytes);
    blocks.used = qdi_allocate(out->allocator, many, sizeof *blocks.used);
    if (!blocks.memory || !blocks.used) out_fail(out, QD_ERR_MEMORY, qd_status_text(QD_ERR_MEMORY));
    for (size_t at_once = many * blocks.per_block; blocks.first < count && out->status == QD_OK;
         blocks.first += at_once) {
        size_t rows = count - blocks.first < at_once ? count - blocks.first : at_once;
        qdi_team_for(out->team, rows, blocks.per_block, make_rows_range, &blocks);
        for (size_t k = 0; k < qdi_range_count(rows, blocks.per_block); ++k)
            qdi_out_bytes(out, blocks.memory + k * blocks.block_bytes, blocks.used[k]);
    }
    qdi_release(out->allocator, blocks.memory, many, blocks.block_bytes);
    qdi_release(out->allocator, blocks.used, many, sizeof *blocks.used);
}

// ---- the end ----

/// Export's output: frees the buffer.
static void out_release_buffer(qdi_out *out) {
    qdi_release(out->allocator, out->buffer, BUFFER_BYTES, 1);
    out->buffer = NULL;
}

qd_status qdi_out_close(qdi_out *out, bool sync, qd_error *error) {
    if (out->file == QDI_FILE_NONE) return out->status;
    out_flush_buffer(out);
    out_release_buffer(out);
    qd_error reason = {""};
    qd_status status = qdi_file_close(out->file, out->part, sync && out->status == QD_OK, &reason);
    out->file = QDI_FILE_NONE;
    if (out->status == QD_OK && status != QD_OK) out_fail(out, status, reason.text);
    if (out->status != QD_OK) {
        qdi_file_remove(out->part);
        out->part[0] = '\0';
        if (error) *error = out->error;
    }
    return out->status;
}

qd_status qdi_out_publish(const qdi_out *out, qd_error *error) {
    return qdi_file_rename(out->part, out->path, error);
}

void qdi_out_discard(qdi_out *out) {
    if (out->file != QDI_FILE_NONE) {
        qd_error ignored;
        qd_status status = qdi_file_close(out->file, out->part, false, &ignored);
        (void)status; // the file is given up, whatever the system says
        out->file = QDI_FILE_NONE;
    }
    if (out->buffer) out_release_buffer(out);
    if (out->part[0]) qdi_file_remove(out->part);
    out->part[0] = '\0';
}
