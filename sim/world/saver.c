#include "sim/world/saver.h"

#include "core/base/bytes.h"
#include "core/base/memory.h"

// Saver: hands on the head.
static qd_status add_head(const qdi_saver *saver, const qd_world *world, const qdi_saved *n) {
    const size_t bytes = qdi_saved_head_bytes(n);
    unsigned char *head = qdi_allocate(world->allocator, bytes, 1);
    if (!head) return QD_ERR_MEMORY;
    qdi_saved_head(world, n, head);
    const qd_status status = qdi_saver_add(saver, head, bytes);
    qdi_release(world->allocator, head, bytes, 1);
    return status;
}

qd_status qdi_saver_begin(qdi_saver *saver, const qdi_saved_sink *sink, const qd_world *world,
                          const qdi_saved *n) {
    *saver = (qdi_saver){.sink = sink};
    qd_status status = qdi_hash_stream_make(&saver->hash);
    if (status == QD_OK) status = sink->begin(sink->context, qdi_saved_size(n));
    return status == QD_OK ? add_head(saver, world, n) : status;
}

qd_status qdi_saver_add(const qdi_saver *saver, const void *data, size_t bytes) {
    qdi_hash_stream_add(saver->hash, data, bytes);
    return saver->sink->take(saver->sink->context, data, bytes);
}

qd_status qdi_saver_end(const qdi_saver *saver) {
    unsigned char bytes[QDI_SAVE_CHECKSUM], *at = bytes;
    qdi_put_u64(&at, qdi_hash_stream_value(saver->hash));
    return saver->sink->take(saver->sink->context, bytes, sizeof bytes);
}

void qdi_saver_release(qdi_saver *saver) {
    qdi_hash_stream_free(saver->hash);
    saver->hash = NULL;
}
