#pragma once

#include <quadrille/store.h>

/// A snapshot or checkpoint on its way into a store: its saved world comes piece by piece and is never in
/// memory as a whole, for whoever adds pieces waits until the writer has caught up. It is one transaction:
/// until it has ended nothing of it is there, and nothing else is put into the store.
typedef struct qdi_store_pieces {
    qd_store *store;
    bool checkpoint; ///< which is to survive a power cut; or a snapshot
    uint64_t step, parts, bytes;
    double time;
} qdi_store_pieces;

/// Store's pieces: begins. Errors, here and below: as of all puts; the reason qd_store_flush gives.
QD_MUST_USE qd_status qdi_pieces_begin(qd_store *store, bool checkpoint, uint64_t step, double time,
                                       qdi_store_pieces *pieces);
/// Store's pieces: adds some of the saved world's bytes.
QD_MUST_USE qd_status qdi_pieces_add(qdi_store_pieces *pieces, const void *data, size_t bytes);
/// Store's pieces: ends as qd_store_put_checkpoint does; of a snapshot there is no session, and `keep` is 0.
QD_MUST_USE qd_status qdi_pieces_end(qdi_store_pieces *pieces, const void *session, size_t session_bytes,
                                     uint64_t keep);
/// Store's pieces: nothing is to come of it, and the store goes on without. Those of no store are fine.
void qdi_pieces_abandon(qdi_store_pieces *pieces);
