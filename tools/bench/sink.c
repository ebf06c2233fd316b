#include "tools/bench/sink.h"

#include "core/base/memory.h"

#include <string.h>

void qdi_bench_flush(qdi_bench_block *block) {
    qdi_bench_sink *sink = block->sink;
    size_t first = __atomic_fetch_add(&sink->count, block->used, __ATOMIC_RELAXED);
    if (first + block->used <= sink->room)
        memcpy(sink->pairs + first, block->pairs, block->used * sizeof *block->pairs);
    block->used = 0;
}

qd_status qdi_bench_sink_reserve(qdi_bench_sink *sink, size_t need) {
    if (need <= sink->room && sink->pairs) return QD_OK;
    size_t room = need + need / 4 + 1024;
    qdi_bench_sink_free(sink);
    sink->pairs = qdi_allocate(sink->allocator, room, sizeof *sink->pairs);
    if (!sink->pairs) return QD_ERR_MEMORY;
    sink->room = room;
    return QD_OK;
}

void qdi_bench_sink_free(qdi_bench_sink *sink) {
    qdi_release(sink->allocator, sink->pairs, sink->room, sizeof *sink->pairs);
    sink->pairs = NULL;
    sink->room = 0;
}
