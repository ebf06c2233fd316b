#include "core/base/hash_stream.h"

#include <xxhash.h>
#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
#    include <xxh_x86dispatch.h> // as in hash.c
#endif

// The library's own, which alone knows how large it is.
static XXH3_state_t *of(const qdi_hash_stream *stream) {
    return (XXH3_state_t *)(uintptr_t)stream;
}

qd_status qdi_hash_stream_make(qdi_hash_stream **stream) {
    XXH3_state_t *state = XXH3_createState();
    *stream = (qdi_hash_stream *)(void *)state;
    return state && XXH3_64bits_reset(state) == XXH_OK ? QD_OK : QD_ERR_MEMORY;
}

void qdi_hash_stream_free(qdi_hash_stream *stream) {
    (void)XXH3_freeState(of(stream));
}

void qdi_hash_stream_reset(qdi_hash_stream *stream) {
    (void)XXH3_64bits_reset(of(stream));
}

void qdi_hash_stream_add(qdi_hash_stream *stream, const void *data, size_t bytes) {
    if (bytes > 0) (void)XXH3_64bits_update(of(stream), data, bytes);
}

uint64_t qdi_hash_stream_value(const qdi_hash_stream *stream) {
    return XXH3_64bits_digest(of(stream));
}
