#include "tools/bench/method.h"
#include "tools/bench/peers.h"

const qdi_bench_method *qdi_bench_method_at(size_t number) {
    static const qdi_bench_method *const methods[] = {
        &qdi_bench_brute,         &qdi_bench_grid,          &qdi_bench_published, &qdi_bench_lineage_a,
        &qdi_bench_lineage_b,     &qdi_bench_lineage_c,     &qdi_bench_lineage_e, &qdi_bench_rebuild,
        &qdi_bench_each,          &qdi_bench_quadtree,      &qdi_bench_margin,
#ifdef QD_HAVE_BOX2D
        &qdi_bench_box2d,
#endif
#ifdef QD_HAVE_CHIPMUNK
        &qdi_bench_chipmunk_tree, &qdi_bench_chipmunk_hash,
#endif
#ifdef QD_HAVE_CGAL
        &qdi_bench_cgal,
#endif
    };
    return number < sizeof methods / sizeof methods[0] ? methods[number] : NULL;
}

bool qdi_bench_has_kernels(const qdi_bench_method *method) {
    return method == &qdi_bench_rebuild || method == &qdi_bench_each || method == &qdi_bench_quadtree ||
           method == &qdi_bench_margin;
}
