#pragma once

#include "core/base/hash_stream.h"
#include "sim/world/save.h"
#include "sim/world/save_impl.h"

/// A saved world on its way to a sink: its head, then whatever lies between, then the checksum of all that.
typedef struct qdi_saver {
    const qdi_saved_sink *sink;
    qdi_hash_stream *hash;
} qdi_saver;

/// Saver: begins with the head. Errors, here and below: QD_ERR_MEMORY, the sink's. To be released in any
/// case.
QD_MUST_USE qd_status qdi_saver_begin(qdi_saver *saver, const qdi_saved_sink *sink, const qd_world *world,
                                      const qdi_saved *n);
/// Saver: hands on what comes next.
QD_MUST_USE qd_status qdi_saver_add(const qdi_saver *saver, const void *data, size_t bytes);
/// Saver: hands on the checksum.
QD_MUST_USE qd_status qdi_saver_end(const qdi_saver *saver);
/// Saver: frees.
void qdi_saver_release(qdi_saver *saver);
