#include "export/image/png_chunk.h"

#include "core/base/memory.h"
#include "export/image/narrow_registers.h"

#include <isa-l/crc.h>

/// The longest data of a chunk that the format allows.
static const uint32_t longest = 0x7fffffff;

qd_status qdi_bytes_reserve(const qd_allocator *allocator, qdi_bytes *bytes, size_t more) {
    return qdi_reserve(allocator, &bytes->data, &bytes->room, bytes->size, bytes->size + more, 1);
}

/// The checksum of a chunk with so many bytes of data: of its letters and them.
static uint32_t checksum_of(const unsigned char *chunk, size_t size) {
    const uint32_t sum = crc32_gzip_refl(0, chunk + 4, size + 4);
    qdi_narrow_registers();
    return sum;
}

void qdi_png_chunk_seal(unsigned char *chunk, size_t size) {
    qdi_png_put32(chunk, (uint32_t)size);
    qdi_png_put32(chunk + QDI_PNG_CHUNK_HEAD + size, checksum_of(chunk, size));
}

qd_status qdi_png_chunk_put(const qd_allocator *allocator, qdi_bytes *bytes, const char *letters,
                            const void *data, size_t size) {
    qd_status status = qdi_bytes_reserve(allocator, bytes, size + QDI_PNG_CHUNK_FRAME);
    if (status != QD_OK) return status;
    unsigned char *chunk = bytes->data + bytes->size;
    memcpy(chunk + 4, letters, 4);
    if (size > 0) memcpy(chunk + QDI_PNG_CHUNK_HEAD, data, size);
    qdi_png_chunk_seal(chunk, size);
    bytes->size += size + QDI_PNG_CHUNK_FRAME;
    return QD_OK;
}

qd_status qdi_png_chunk_read(const qd_allocator *allocator, FILE *file, qdi_bytes *chunk, size_t *size) {
    unsigned char head[QDI_PNG_CHUNK_HEAD];
    chunk->size = 0;
    if (fread(head, 1, sizeof head, file) != sizeof head) return QD_ERR_CORRUPT;
    uint32_t length = qdi_png_get32(head);
    if (length > longest) return QD_ERR_CORRUPT;
    qd_status status = qdi_bytes_reserve(allocator, chunk, sizeof head);
    if (status != QD_OK) return status;
    memcpy(chunk->data, head, sizeof head);
    chunk->size = sizeof head;
    // A length that is not so must not cost that much memory.
    for (size_t rest = (size_t)length + 4; rest > 0;) {
        size_t part = rest < (1U << 20) ? rest : 1U << 20;
        status = qdi_bytes_reserve(allocator, chunk, part);
        if (status != QD_OK) return status;
        if (fread(chunk->data + chunk->size, 1, part, file) != part) return QD_ERR_CORRUPT;
        chunk->size += part;
        rest -= part;
    }
    *size = length;
    return checksum_of(chunk->data, length) == qdi_png_get32(chunk->data + QDI_PNG_CHUNK_HEAD + length)
               ? QD_OK
               : QD_ERR_CORRUPT;
}
