#include "tools/scale/triad.h"

#include "core/base/memory.h"
#include "core/parallel/parallel.h"

enum { LENGTH = 1 << 23, GRAIN = 1 << 15, PASSES = 6 };

typedef struct triad {
    double *a, *b, *c;
} triad;

// Fills the arrays of the memory bandwidth test.
static void fill_triad(void *context, size_t begin, size_t end) {
    const triad *arrays = context;
    for (size_t i = begin; i < end; ++i) {
        arrays->a[i] = 0;
        arrays->b[i] = (double)i;
        arrays->c[i] = 1;
    }
}

// One pass of the memory bandwidth test (the triad of STREAM).
static void add_triad(void *context, size_t begin, size_t end) {
    const triad *arrays = context;
    double *restrict a = arrays->a;
    const double *b = arrays->b, *c = arrays->c;
    for (size_t i = begin; i < end; ++i) a[i] = b[i] + 3 * c[i];
}

// The best time of the memory bandwidth test.
static double measure_triad(qd_team *team, triad *arrays) {
    qdi_team_for(team, LENGTH, GRAIN, fill_triad, arrays); // whoever writes first decides where memory lies
    uint64_t best = UINT64_MAX;
    for (int pass = 0; pass < PASSES; ++pass) {
        uint64_t start = qdi_clock_ns();
        qdi_team_for(team, LENGTH, GRAIN, add_triad, arrays);
        uint64_t took = qdi_clock_ns() - start;
        if (took < best) best = took;
    }
    // The sums are looked at, so that nobody can leave them out.
    double right = arrays->a[LENGTH - 1] == (double)(LENGTH - 1) + 3 ? 1 : 0;
    return best > 0 ? right * 3 * LENGTH * sizeof(double) * 1e9 / (double)best : 0;
}

double qdi_scale_triad(int threads, const qdi_pin *pin) {
    const qd_allocator *allocator = qd_allocator_default();
    qd_team_def def = qd_team_def_default();
    def.threads = threads;
    qd_team *team = NULL;
    triad arrays = {qdi_allocate(allocator, LENGTH, sizeof(double)),
                    qdi_allocate(allocator, LENGTH, sizeof(double)),
                    qdi_allocate(allocator, LENGTH, sizeof(double))};
    double rate = 0;
    if (arrays.a && arrays.b && arrays.c && qd_team_create(&def, &team) == QD_OK &&
        qdi_pin_team(pin, team) == QD_OK)
        rate = measure_triad(team, &arrays);
    qd_team_destroy(team);
    qdi_release(allocator, arrays.a, LENGTH, sizeof(double));
    qdi_release(allocator, arrays.b, LENGTH, sizeof(double));
    qdi_release(allocator, arrays.c, LENGTH, sizeof(double));
    return rate;
}
