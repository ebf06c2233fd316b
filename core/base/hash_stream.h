#pragma once

#include <quadrille/status.h>

#include <stddef.h>
#include <stdint.h>

/// qd_hash_bytes of what comes piece by piece.
typedef struct qdi_hash_stream qdi_hash_stream;

/// Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_hash_stream_make(qdi_hash_stream **stream);
/// Frees; NULL is fine.
void qdi_hash_stream_free(qdi_hash_stream *stream);

/// Hash stream: begins again, with nothing.
void qdi_hash_stream_reset(qdi_hash_stream *stream);
/// Hash stream: adds a piece.
void qdi_hash_stream_add(qdi_hash_stream *stream, const void *data, size_t bytes);
/// Hash stream: the hash of all pieces so far.
uint64_t qdi_hash_stream_value(const qdi_hash_stream *stream);
