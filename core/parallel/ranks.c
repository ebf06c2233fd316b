// What ranks have in common, whatever they are: who fails agrees to it, and so does everybody else, each
// once.

#include "core/parallel/ranks_impl.h"

int qdi_ranks_me(const qdi_ranks *ranks) {
    return ranks->me;
}

int qdi_ranks_count(const qdi_ranks *ranks) {
    return ranks->count;
}

qdi_ranks_sent qdi_ranks_count_sent(const qdi_ranks *ranks) {
    return ranks->sent;
}

qd_status qdi_ranks_agree(qdi_ranks *ranks, qd_status status) {
    const qd_status failed = ranks->failed;
    ranks->failed = QD_OK;
    return failed == QD_OK ? ranks->backend->meet(ranks, status) : failed;
}

qd_status qdi_ranks_merged(qdi_ranks *ranks, const void *mine, void *all, size_t bytes,
                           qdi_ranks_merge merge) {
    if (ranks->failed == QD_OK) ranks->failed = ranks->backend->merged(ranks, mine, all, bytes, merge);
    return ranks->failed;
}

void qdi_ranks_add_counts(void *sum, const void *other, size_t bytes) {
    uint64_t *all = sum;
    const uint64_t *more = other;
    for (size_t k = 0; k < bytes / sizeof *all; ++k) all[k] += more[k];
}

qd_status qdi_ranks_exchange(qdi_ranks *ranks, const qdi_message *to, qdi_message *from) {
    if (ranks->failed != QD_OK) return ranks->failed;
    for (int q = 0; q < ranks->count; ++q) {
        if (q == ranks->me || to[q].bytes == 0) continue;
        ranks->sent.messages += 1;
        ranks->sent.bytes += to[q].bytes;
    }
    ranks->failed = ranks->backend->exchange(ranks, to, from);
    return ranks->failed;
}
