// CGAL's self-intersection of a sequence of boxes: a segment tree streamed over the boxes, anew each step. It sorts and
// parts the boxes themselves, so they are kept as small as they can be, with the body's index for an identity.
#include "tools/bench/lineage.h"
#include "tools/bench/peers.h"

#include <CGAL/box_intersection_d.h>
#include <cstddef>
#include <new>
#include <vector>

namespace {

/// CGAL's concept BoxIntersectionBox_d.
class item {
  public:
    using NT = float;
    using ID = std::size_t;

    item(const qd_box &box, uint32_t body)
        : least_{box.min_x, box.min_y}, most_{box.max_x, box.max_y}, body_(body) {}
    static int dimension() { return 2; }
    ID id() const { return body_; }
    NT min_coord(int axis) const { return least_[axis]; }
    NT max_coord(int axis) const { return most_[axis]; }
    uint32_t body() const { return body_; }

  private:
    float least_[2], most_[2];
    uint32_t body_;
};

struct sweep {
    qdi_lineage_bodies bodies{};
    qdi_lineage_pairs pairs{};
    std::vector<item> items;

    sweep() = default;
    sweep(const sweep &) = delete;
    sweep &operator=(const sweep &) = delete;
    ~sweep() {
        qdi_lineage_pairs_free(&pairs);
        qdi_lineage_bodies_free(&bodies);
    }
};

void destroy(void *state) {
    delete static_cast<sweep *>(state);
}

qd_status create(const qdi_bench_bodies *bodies, const qdi_bench_options *, void **state) {
    *state = nullptr;
    sweep *s = new (std::nothrow) sweep;
    if (!s) return QD_ERR_MEMORY;
    qd_status status = qdi_lineage_bodies_init(&s->bodies, bodies);
    try {
        s->items.reserve(bodies->count);
    } catch (const std::bad_alloc &) {
        status = QD_ERR_MEMORY;
    }
    if (status == QD_OK)
        *state = s;
    else
        destroy(s);
    return status;
}

qd_status step(void *state, qdi_bench_step *report) {
    sweep *s = static_cast<sweep *>(state);
    const std::ptrdiff_t cutoff = 500; // twice as fast in the bench's scenes as CGAL's own choice of 10
    uint64_t clock = 0;
    (void)qdi_lineage_lap(&clock);
    qdi_lineage_bodies_move(&s->bodies);
    report->ns[QDI_BENCH_MOVE] = qdi_lineage_lap(&clock);
    qd_status status = QD_OK;
    try {
        s->items.clear();
        for (size_t i = 0; i < s->bodies.count; ++i)
            s->items.emplace_back(s->bodies.boxes[i], static_cast<uint32_t>(i));
        report->ns[QDI_BENCH_STRUCTURE] = qdi_lineage_lap(&clock);
        s->pairs.count = 0;
        CGAL::box_self_intersection_d(
            s->items.begin(), s->items.end(),
            [s, &status](const item &a, const item &b) {
                if (status == QD_OK) status = qdi_lineage_pairs_add(&s->pairs, a.body(), b.body());
            },
            cutoff, CGAL::Box_intersection_d::CLOSED);
        report->ns[QDI_BENCH_PAIRS] = qdi_lineage_lap(&clock); // most of "structure" is made on the way
    } catch (const std::bad_alloc &) {
        status = QD_ERR_MEMORY;
    }
    qdi_lineage_report(report, &s->pairs, 0); // what the search holds meanwhile is its own
    return status;
}

} // namespace

const qdi_bench_method qdi_bench_cgal = {
    "cgal",  "CGAL: box_self_intersection_d, a segment tree streamed anew each step", false, 0, create, step,
    destroy,
};
