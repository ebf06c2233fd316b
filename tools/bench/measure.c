#include "tools/bench/measure.h"

#include <quadrille/random.h>

/// The methods in the order of one repeat.
static void shuffle(const qdi_bench_turns *turns, size_t repeat, size_t order[QDI_BENCH_MOST_TURNS]) {
    qd_random random = qd_random_at(turns->seed, repeat, turns->use);
    for (size_t i = 0; i < turns->methods; ++i) order[i] = i;
    for (size_t i = turns->methods; i > 1; --i) {
        size_t j = (size_t)(qd_random_uniform(&random) * (double)i), kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
}

qd_status qdi_bench_take_turns(const qdi_bench_turns *turns, bool *stopped, size_t *last) {
    qd_status status = QD_OK;
    *stopped = false;
    *last = 0;
    for (size_t repeat = 0; status == QD_OK && !*stopped && repeat < turns->repeats; ++repeat) {
        size_t order[QDI_BENCH_MOST_TURNS] = {0};
        shuffle(turns, repeat, order);
        for (size_t i = 0; status == QD_OK && !*stopped && i < turns->methods; ++i) {
            *last = order[i];
            status = turns->run(turns->context, order[i], repeat, stopped);
        }
    }
    return status;
}
