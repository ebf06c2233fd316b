#ifndef QD_SIM_STORE_PIECES_H
#define QD_SIM_STORE_PIECES_H

#include <quadrille/store.h>

/// A checkpoint whose saved world comes piece by piece and is never in memory as a whole. It is one
/// transaction: until it has ended nothing of it is there, and nothing else is put into the store.
typedef struct qdi_store_pieces qdi_store_pieces;

/// Waits until all that was put before is written, and begins. Errors, here and below: the store's, with the
/// reason.
QD_MUST_USE qd_status qdi_pieces_begin(qd_store *store, uint64_t step, double time, qdi_store_pieces **pieces,
                                       qd_error *error);
/// Store's pieces: adds some of the saved world's bytes.
QD_MUST_USE qd_status qdi_pieces_add(qdi_store_pieces *pieces, const void *data, size_t bytes,
                                     qd_error *error);
/// Store's pieces: ends as qd_store_put_checkpoint and qd_store_flush do; `pieces` is freed in any case.
QD_MUST_USE qd_status qdi_pieces_end(qdi_store_pieces *pieces, const void *session, size_t session_bytes,
                                     uint64_t keep, qd_error *error);
/// Store's pieces: nothing is to come of it; NULL is fine.
void qdi_pieces_abandon(qdi_store_pieces *pieces);

#endif
