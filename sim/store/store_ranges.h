#pragma once

#include <quadrille/store.h>

/// A checkpoint whose saved world is read range by range and is never in memory as a whole. While it is open
/// its rows stay as they are.
typedef struct qdi_store_ranges qdi_store_ranges;

/// qd_store_last_checkpoint, but for the world's bytes, of which only the checksum is looked at; `state` has
/// none of them. `ranges` is to be closed.
QD_MUST_USE qd_status qdi_ranges_last(qd_store *store, uint64_t most, qd_store_state *state,
                                      qdi_store_ranges **ranges, qd_error *skipped);
/// Store's ranges: how many bytes the world has; reads some of them, from byte `at` on. Errors:
/// QD_ERR_CORRUPT: there are not so many; the store's, with the reason.
uint64_t qdi_ranges_bytes(const qdi_store_ranges *ranges);
QD_MUST_USE qd_status qdi_ranges_read(qdi_store_ranges *ranges, uint64_t at, void *to, size_t bytes,
                                      qd_error *error);
/// Store's ranges: closes; NULL is fine.
void qdi_ranges_close(qdi_store_ranges *ranges);

/// Store's ranges, for the store's reader: opens those of a world; `owner` is "snapshot" or "checkpoint". And
/// the hash of all bytes.
QD_MUST_USE qd_status qdi_ranges_open(qd_store *store, const char *owner, uint64_t step,
                                      qdi_store_ranges **ranges, qd_error *error);
QD_MUST_USE qd_status qdi_ranges_hash(qdi_store_ranges *ranges, uint64_t *hash, qd_error *error);
