// Box2D 2.4's dynamic tree, used the way its own broad phase and contact manager use it. A leaf's box has a margin, and
// a body that stays within it costs nothing; one that leaves it is put into the tree again and asks for its neighbours.
// Pairs of margins are kept from step to step: only those of bodies that were put in again are found anew, so nothing
// has to be looked up to avoid doubles. Every kept pair is then tested with the boxes themselves. In the bench's scenes
// that takes between a third of the time of asking the tree for every body in every step and as much.
#include "tools/bench/lineage.h"
#include "tools/bench/peers.h"

#include <box2d/b2_dynamic_tree.h>
#include <new>
#include <vector>

namespace {

class broad_phase {
  public:
    qdi_lineage_bodies bodies{};
    qdi_lineage_pairs pairs{};

    broad_phase() = default;
    broad_phase(const broad_phase &) = delete;
    broad_phase &operator=(const broad_phase &) = delete;
    ~broad_phase() {
        qdi_lineage_pairs_free(&pairs);
        qdi_lineage_bodies_free(&bodies);
    }

    void fill() {
        proxies_.resize(bodies.count);
        for (size_t i = 0; i < bodies.count; ++i) {
            // The library hands back a pointer per proxy: the body's proxy number has its index in the array.
            proxies_[i] = tree_.CreateProxy(box_of(i), &proxies_[i]);
            moved_.push_back(static_cast<uint32_t>(i));
        }
    }

    void update() {
        for (size_t i = 0; i < bodies.count; ++i) {
            const b2Vec2 displacement(static_cast<float>(bodies.vx[i]), static_cast<float>(bodies.vy[i]));
            // Listed once: its own broad phase would list a new proxy that moves before its first search twice.
            const bool listed = tree_.WasMoved(proxies_[i]);
            if (tree_.MoveProxy(proxies_[i], box_of(i), displacement) && !listed)
                moved_.push_back(static_cast<uint32_t>(i));
        }
    }

    qd_status find_pairs() {
        size_t kept = 0;
        for (const qdi_bench_pair pair : fat_)
            if (!tree_.WasMoved(proxies_[pair.a]) && !tree_.WasMoved(proxies_[pair.b])) fat_[kept++] = pair;
        fat_.resize(kept);
        for (const uint32_t body : moved_) {
            asking_ = proxies_[body];
            asking_body_ = body;
            tree_.Query(this, tree_.GetFatAABB(asking_));
        }
        for (const uint32_t body : moved_) tree_.ClearMoved(proxies_[body]);
        moved_.clear();
        pairs.count = 0;
        qd_status status = QD_OK;
        for (const qdi_bench_pair pair : fat_) {
            if (!qd_box_overlap(bodies.boxes[pair.a], bodies.boxes[pair.b])) continue;
            status = qdi_lineage_pairs_add(&pairs, pair.a, pair.b);
            if (status != QD_OK) break;
        }
        return status;
    }

    /// Called by the tree for every leaf whose margin overlaps the asking one's.
    bool QueryCallback(int32 proxy) {
        // Of two that were put in again, the one with the lower number reports the pair; none pairs with itself.
        if (proxy == asking_ || (proxy > asking_ && tree_.WasMoved(proxy))) return true;
        const int32 *place = static_cast<const int32 *>(tree_.GetUserData(proxy));
        fat_.push_back({asking_body_, static_cast<uint32_t>(place - proxies_.data())});
        return true;
    }

  private:
    b2DynamicTree tree_;
    std::vector<int32> proxies_; // by body
    std::vector<uint32_t> moved_;
    std::vector<qdi_bench_pair> fat_; // margins that overlap
    int32 asking_ = 0;
    uint32_t asking_body_ = 0;

    b2AABB box_of(size_t body) const {
        const qd_box &box = bodies.boxes[body];
        b2AABB result;
        result.lowerBound.Set(box.min_x, box.min_y);
        result.upperBound.Set(box.max_x, box.max_y);
        return result;
    }
};

void destroy(void *state) {
    delete static_cast<broad_phase *>(state);
}

qd_status create(const qdi_bench_bodies *bodies, const qdi_bench_options *, void **state) {
    *state = nullptr;
    broad_phase *phase = new (std::nothrow) broad_phase;
    if (!phase) return QD_ERR_MEMORY;
    qd_status status = qdi_lineage_bodies_init(&phase->bodies, bodies);
    try {
        if (status == QD_OK) phase->fill();
    } catch (const std::bad_alloc &) {
        status = QD_ERR_MEMORY;
    }
    if (status == QD_OK)
        *state = phase;
    else
        destroy(phase);
    return status;
}

qd_status step(void *state, qdi_bench_step *report) {
    broad_phase *phase = static_cast<broad_phase *>(state);
    uint64_t clock = 0;
    (void)qdi_lineage_lap(&clock);
    qdi_lineage_bodies_move(&phase->bodies);
    report->ns[QDI_BENCH_MOVE] = qdi_lineage_lap(&clock);
    qd_status status = QD_OK;
    try {
        phase->update();
        report->ns[QDI_BENCH_STRUCTURE] = qdi_lineage_lap(&clock);
        status = phase->find_pairs();
        report->ns[QDI_BENCH_PAIRS] = qdi_lineage_lap(&clock);
    } catch (const std::bad_alloc &) {
        status = QD_ERR_MEMORY;
    }
    qdi_lineage_report(report, &phase->pairs, 0); // the tree does not say how much it holds
    return status;
}

} // namespace

const qdi_bench_method qdi_bench_box2d = {
    "box2d", "Box2D 2.4: dynamic tree of boxes with margins, pairs of margins kept",
    false,   1000000,
    create,  step,
    destroy,
};
