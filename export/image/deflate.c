// Compressing is most of what a frame costs. Of pictures of 1920 x 1080 ISA-L takes 1 to 5 ms, where
// libdeflate takes 5 to 11 and zlib half as much again, and makes them a tenth larger. But ISA-L 2.30 writes
// its words as they lie in memory, so that nobody can read them where the high byte lies first: there zlib
// does it.
#include "export/image/deflate.h"

#include "core/base/memory.h"

#include <stdint.h>

/// What blocks may be longer than the data: a part of them (noise: one in 9,000), and heads.
enum { LONGER = 256, HEAD = 512 };

size_t qdi_deflate_most(size_t size) {
    return size + size / LONGER + HEAD;
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#    include "export/image/narrow_registers.h"

#    include <isa-l/igzip_lib.h>
#    include <stdbool.h>
#    include <string.h>

/// A compressor's state, and the memory that its level needs.
typedef struct compressor {
    struct isal_zstream stream;
    uint8_t level[ISAL_DEF_LVL1_DEFAULT];
} compressor;

/// The first two bytes of a zlib stream: deflate, 32 kB of history, the fastest way.
static const unsigned char zlib_head[] = {0x78, 0x01};

/// Compresses at once; false: the library did not take all of it.
///
/// Where nothing goes before, ISA-L (2.21 to 2.32.1, levels 1 and 2) files the third byte under a hash of
/// bits 16 to 47 of the stream's own address, so that one of some thousand pictures came out otherwise, by
/// where its state lay. So a byte goes before, as a dictionary, which no match can begin at: readers need not
/// know of it.
static bool compress_all(compressor *state, unsigned char *data, size_t size, unsigned char *out,
                         size_t *length) {
    uint8_t before[] = {QDI_DEFLATE_NEVER};
    struct isal_zstream *stream = &state->stream;
    isal_deflate_init(stream);
    stream->level = 1;
    stream->level_buf = state->level;
    stream->level_buf_size = sizeof state->level;
    stream->gzip_flag = IGZIP_ZLIB_NO_HDR;
    stream->end_of_stream = 1;
    stream->next_in = data;
    stream->avail_in = (uint32_t)size;
    memcpy(out, zlib_head, sizeof zlib_head);
    stream->next_out = out + sizeof zlib_head;
    stream->avail_out = (uint32_t)(qdi_deflate_most(size) - sizeof zlib_head);
    const bool good = isal_deflate_set_dict(stream, before, sizeof before) == COMP_OK &&
                      isal_deflate(stream) == COMP_OK && stream->internal_state.state == ZSTATE_END;
    *length = sizeof zlib_head + stream->total_out;
    return good;
}

qd_status qdi_deflate(const qd_allocator *allocator, unsigned char *data, size_t size, unsigned char *out,
                      size_t *length) {
    compressor *state = qdi_allocate(allocator, 1, sizeof *state);
    if (!state) return QD_ERR_MEMORY;
    const bool good = compress_all(state, data, size, out, length);
    qdi_narrow_registers();
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
