// Compressing is most of what a frame costs. Of pictures of 1920 x 1080 ISA-L takes 1 to 5 ms, where
// libdeflate takes 5 to 11 and zlib half as much again, and makes them a tenth larger. But ISA-L 2.30 writes
// its words as they lie in memory, so that nobody can read them where the high byte lies first: there zlib
// does it.
#include "export/image/deflate.h"

#include "core/base/memory.h"

#include <stdint.h>

/// Data that are not compressed come in blocks of so many bytes, with a head each; and zlib's frame.
enum { STORED_MOST = 65535, STORED_HEAD = 5, ZLIB_FRAME = 6 };

size_t qdi_deflate_most(size_t size) {
    return size + STORED_HEAD * (size / STORED_MOST + 1) + ZLIB_FRAME;
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#    include "export/image/narrow_registers.h"

#    include <isa-l/igzip_lib.h>
#    include <string.h>

/// A compressor's state, and the memory that its level needs.
typedef struct compressor {
    struct isal_zstream stream;
    uint8_t level[ISAL_DEF_LVL1_DEFAULT];
} compressor;

qd_status qdi_deflate(const qd_allocator *allocator, unsigned char *data, size_t size, unsigned char *out,
                      size_t *length) {
    compressor *state = qdi_allocate(allocator, 1, sizeof *state);
    if (!state) return QD_ERR_MEMORY;
    memset(state, 0, sizeof *state); // what lies there would decide which of several matches is taken
    struct isal_zstream *stream = &state->stream;
    isal_deflate_stateless_init(stream);
    stream->level = 1;
    stream->level_buf = state->level;
    stream->level_buf_size = sizeof state->level;
    stream->gzip_flag = IGZIP_ZLIB;
    stream->end_of_stream = 1;
    stream->next_in = data;
    stream->avail_in = (uint32_t)size;
    stream->next_out = out;
    stream->avail_out = (uint32_t)qdi_deflate_most(size);
    bool good = isal_deflate_stateless(stream) == COMP_OK;
    qdi_narrow_registers();
    *length = stream->total_out;
    qdi_release(allocator, state, 1, sizeof *state);
    return good ? QD_OK : QD_ERR_INTERNAL;
}
#else
#    include <zlib.h>

qd_status qdi_deflate(const qd_allocator *allocator, unsigned char *data, size_t size, unsigned char *out,
                      size_t *length) {
    (void)allocator; // zlib's own: what it takes does not depend on the picture
    uLongf room = (uLongf)qdi_deflate_most(size);
    int said = compress2(out, &room, data, (uLong)size, 1);
    *length = room;
    return said == Z_OK ? QD_OK : said == Z_MEM_ERROR ? QD_ERR_MEMORY : QD_ERR_INTERNAL;
}
#endif
