// Which paths meet: the world's candidates, and the walls near those that are followed, are tested in
// parallel. Each worker notes what it found, in any order; put in order of (a, b), that is added to the
// edges.

#include "core/base/assert.h"
#include "core/math/larger.h"
#include "core/math/outward.h"
#include "sim/contact/narrow.h"
#include "sim/rigid/ccd.h"
#include "sim/rigid/ccd_stop.h"
#include "sim/world/grain.h"
#include "sim/world/scratch.h"
#include "sim/world/surface.h"
#include "sim/world/walls.h"
#include "sim/world/world_impl.h"

#include <math.h>
#include <stdlib.h>

/// Bodies to a range where what is about each is retrieved, which takes some microseconds, and candidates: at
/// least. And pairs that are looked at in the time that it takes to retrieve what one body may meet.
enum { RETRIEVE_LEAST = 2, RETRIEVE_GRAIN = 32, CANDIDATES_LEAST = 256, WORTH_ALL = 64 };

typedef struct find_job {
    const qdi_step *step;
    const qdi_ccd_visitor *visitor;
    unsigned walls; ///< that there are, a bit each
    qdi_wall_sides sides;
} find_job;

/// Impacts of ccd: the key of a pair of fast bodies, by their indices.
static uint64_t key_of(uint64_t a, uint64_t b) {
    return a << 32 | b;
}

/// Impacts of ccd: the edge that has a key; NULL: none.
static const qdi_edge *edge_of_key(const qdi_ccd *ccd, uint64_t key) {
    size_t low = 0, high = ccd->edge_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ccd->edges[middle].key == key) return &ccd->edges[middle];
        if (ccd->edges[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const qdi_edge *qdi_ccd_edge_of(const qdi_step *step, uint32_t row_a, uint32_t row_b) {
    return edge_of_key(step->ccd, key_of(step->world->index[row_a], step->world->index[row_b]));
}

/// Ccd: true where two paths meet, on segments of which one is followed; `found` gets told where.
static bool paths_meet(const qdi_step *step, qdi_meet *found) {
    const uint32_t a = found->row_a, b = found->row_b;
    const qd_vec2 shift = qdi_image_shift(step->world, found->image);
    qdi_path_segment segment_a = qdi_path_begin(step, a), segment_b = qdi_path_begin(step, b);
    qdi_party one = qdi_party_of(step, a, &segment_a), two = qdi_party_of(step, b, &segment_b);
    found->first_known = qdi_is_first_way(&segment_a) && qdi_is_first_way(&segment_b);
    for (;;) {
        double end_a = qdi_segment_end(step, &segment_a), end_b = qdi_segment_end(step, &segment_b);
        double from = qdi_larger(segment_a.start, segment_b.start), until = qdi_smaller(end_a, end_b);
        if (from <= until &&
            (qdi_segment_followed(step, a, &segment_a) || qdi_segment_followed(step, b, &segment_b))) {
            one.segment = segment_a;
            two.segment = segment_b;
            if (qdi_segments_meet(step, &one, &two, shift, from, until, &found->first)) return true;
        }
        bool more_a = end_a <= end_b && qdi_path_next(step, &segment_a);
        bool more_b = end_b <= end_a && qdi_path_next(step, &segment_b);
        if (!more_a && !more_b) return false;
    }
}

/// Impacts of ccd: true where a pair is to be looked at in this round, or the first.
static inline bool due(bool first, uint8_t flags) {
    const uint8_t need = first ? QDI_FOLLOWED : QDI_FOLLOWED | QDI_FRESH;
    return (flags & need) == need;
}

/// Impacts of ccd: true for a body that stops nobody.
static bool sensor(const qd_world *world, uint32_t row) {
    return qdi_trait_of_row(world, row)->sensor;
}

/// Impacts of ccd: adds to what a worker has found.
static void note(const qdi_step *step, qdi_meets *meets, const qdi_meet *meet) {
    qd_status status = qdi_reserve(step->world->allocator, &meets->at, &meets->room, meets->count,
                                   meets->count + 1, sizeof *meets->at);
    if (status == QD_OK)
        meets->at[meets->count++] = *meet;
    else
        meets->status = status;
}

/// Two plain disks: where b is at the start as seen from a, how it moves, and how near they are when they
/// touch.
typedef struct disk_pair {
    double x, y, way_x, way_y, sum;
} disk_pair;

/// Impacts of ccd: two disks on their first paths, which go straight.
static inline disk_pair disk_pair_of(const qd_world *world, uint32_t a, uint32_t b) {
    const qdi_motion *now = &world->now, *next = &world->next;
    const double x = now->x[b] - now->x[a], y = now->y[b] - now->y[a];
    return (disk_pair){x, y, next->x[b] - next->x[a] - x, next->y[b] - next->y[a] - y,
                       world->radius[a] + world->radius[b]};
}

/// Impacts of ccd: the same of the disks about two bodies that do not go on arcs, by what is seen of them.
static inline disk_pair disk_pair_at_a_glance(const qdi_glance *a, const qdi_glance *b) {
    return (disk_pair){b->x - a->x, b->y - a->y, b->way_x - a->way_x, b->way_y - a->way_y,
                       a->radius + b->radius};
}

/// Impacts of ccd: a length along a periodic axis that may be a period too long, or too short.
static inline double folded(double length, double period) {
    if (2 * length > period) return length - period;
    return 2 * length < -period ? length + period : length;
}

/// Impacts of ccd: sees two that are followed beside each other along a periodic axis: places and ways of the
/// two are `at` and `way`, in parts. False: another image may be met as well.
static inline bool fold(const qdi_axis *axis, double a_way, double b_way, double sum, double *at,
                        double *way) {
    if (axis->boundary != QD_BOUNDARY_PERIODIC) return true;
    *at = folded(*at, axis->length);
    *way = folded(b_way, axis->length) - folded(a_way, axis->length);
    return 2 * (sum + fabs(*way)) < axis->length;
}

/// Impacts of ccd: the same of two disks that go straight, in a periodic world.
static inline bool fold_pair(const qd_world *world, uint32_t a, uint32_t b, disk_pair *p) {
    const qdi_motion *now = &world->now, *next = &world->next;
    return fold(&world->axis[0], next->x[a] - now->x[a], next->x[b] - now->x[b], p->sum, &p->x, &p->way_x) &&
           fold(&world->axis[1], next->y[a] - now->y[a], next->y[b] - now->y[b], p->sum, &p->y, &p->way_y);
}

/// Impacts of ccd: true for two on their first paths that do not come near each other, by the disks about
/// them: the one moves straight, seen from the other. This says so of most candidates, and soon.
static bool plainly_apart(const qdi_step *step, uint32_t a, uint32_t b) {
    const qd_world *world = step->world;
    const bool shaped = (world->shape[a] | world->shape[b]) != 0;
    if ((shaped || step->periodic) && !step->following) return false;
    if (step->ccd->trajectory_of[a] != QDI_NONE_YET || step->ccd->trajectory_of[b] != QDI_NONE_YET)
        return false;
    if (world->kind[a] == QD_BODY_KINEMATIC || world->kind[b] == QD_BODY_KINEMATIC) return false; // arcs
    const qdi_glance *glances = step->ccd->glances;
    disk_pair p = shaped ? disk_pair_at_a_glance(&glances[a], &glances[b]) : disk_pair_of(world, a, b);
    if (step->periodic && !fold_pair(world, a, b, &p)) return false;
    const double enough = p.sum * p.sum * (1 + 1e-6), squared = p.way_x * p.way_x + p.way_y * p.way_y,
                 along = -(p.x * p.way_x + p.y * p.way_y);
    if (!(along > 0)) return p.x * p.x + p.y * p.y > enough;
    const double part = along < squared ? along / squared : 1, x = p.x + part * p.way_x,
                 y = p.y + part * p.way_y;
    return x * x + y * y > enough;
}

/// Impacts of ccd: what counts as less than the size of the smaller one of two disks.
static const double in_sight = 1 - 4 * QDI_GLANCE_ROUNDING;

/// Impacts of ccd: true for two such disks that are apart at the start, and move by less than the size of the
/// smaller one relative to each other: neither stops the other. It is without branches.
static inline bool stays_in_sight(const qd_world *world, uint32_t a, uint32_t b) {
    const disk_pair p = disk_pair_of(world, a, b);
    const double ra = world->radius[a], rb = world->radius[b], least = ra < rb ? ra : rb;
    return (p.x * p.x + p.y * p.y > p.sum * p.sum) &
           (p.way_x * p.way_x + p.way_y * p.way_y < in_sight * (least * least));
}

/// Impacts of ccd: the same for two that overlap: by less than that size without half of the overlap, or they
/// come nearer by no more than the solver is left to see.
static inline bool stays_in_touch(const qd_world *world, uint32_t a, uint32_t b) {
    const disk_pair p = disk_pair_of(world, a, b);
    const double ra = world->radius[a], rb = world->radius[b], least = in_sight * (ra < rb ? ra : rb),
                 apart = sqrt(p.x * p.x + p.y * p.y), overlap = p.sum - apart, most = least - 0.5 * overlap,
                 pressed = qdi_larger(2 * QDI_PRESSED_PART * least - overlap, 0) - (1 - in_sight) * least;
    if (!(overlap > 0)) return false;
    return -(p.x * p.way_x + p.y * p.way_y) < pressed * apart ||
           (most > 0 && p.way_x * p.way_x + p.way_y * p.way_y < in_sight * (most * most));
}

/// Impacts of ccd: looks at two bodies.
static void look_at_pair(const find_job *job, uint32_t a, uint32_t b, int worker) {
    const qdi_step *step = job->step;
    const qd_world *world = step->world;
    uint8_t flags = step->ccd->flags[a] | step->ccd->flags[b];
    if (!due(step->first, flags) || (flags & QDI_LOST) || (step->first && plainly_apart(step, a, b))) return;
    const bool first = world->index[a] < world->index[b];
    const uint32_t one = first ? a : b, two = first ? b : a;
    qd_image image = {0, 0};
    if (!qdi_may_touch(world, one, two) || sensor(world, one) || sensor(world, two) ||
        (step->periodic && !qdi_path_image(step, one, two, &image)))
        return;
    ++step->ccd->meets[worker].looks;
    job->visitor->pair(step, one, two, image, worker);
}

/// Ccd: true where a path meets a wall, on a segment that is followed; `found` gets told where.
static bool path_meets_wall(const qdi_step *step, qdi_meet *found) {
    const uint32_t row = found->row_a;
    qdi_path_segment segment = qdi_path_begin(step, row);
    found->first_known = qdi_is_first_way(&segment);
    do {
        if (!qdi_segment_followed(step, row, &segment)) continue;
        qdi_party party = qdi_party_of(step, row, &segment);
        if (qdi_segment_meets_wall(step, &party, found->wall, segment.start, qdi_segment_end(step, &segment),
                                   &found->first))
            return true;
    } while (qdi_path_next(step, &segment));
    return false;
}

/// Impacts of ccd: the walls that what is in a box may reach, a bit each.
static inline unsigned walls_near(const qdi_wall_sides *sides, qd_box box) {
    return qdi_walls_near(sides, (qd_vec2){(double)box.min_x, (double)box.min_y},
                          (qd_vec2){(double)box.max_x, (double)box.max_y});
}

unsigned qdi_ccd_walls_near(const qdi_step *step, qd_box box) {
    const qdi_wall_sides sides = qdi_wall_sides_of(step->world, step->dt);
    return walls_near(&sides, box);
}

/// Impacts of ccd: shows some walls, a bit each, to the visitor.
static void show_walls(const find_job *job, uint32_t row, unsigned near, int worker) {
    const qd_world *world = job->step->world;
    if (world->kind[row] != QD_BODY_DYNAMIC || sensor(world, row)) return;
    for (int wall = 0; near; ++wall, near >>= 1)
        if (near & 1U) job->visitor->wall(job->step, row, wall, worker);
}

/// Impacts of ccd: the same for those that a body's path may reach, which is in `box`.
static inline void look_at_walls(const find_job *job, uint32_t row, qd_box box, int worker) {
    const unsigned near = walls_near(&job->sides, box) & job->walls;
    if (near) show_walls(job, row, near, worker);
}

/// A body that is followed, while those about it are looked at.
typedef struct about {
    const find_job *job;
    uint32_t row;
    int worker;
    bool stands; ///< where it is stopped, see stands_in
} about;

/// Impacts of ccd: true for a stopped body that does not go along with the rest frame: where it stands is not
/// in the box of its way.
static bool stands_in(const qdi_step *step, uint32_t row) {
    return step->rest.holds && step->ccd->carrier[row] == QDI_NO_ROW;
}

/// Impacts of ccd: shows a pair to the visitor. Of two with new paths each finds the other: it is shown for
/// the one that stands, who looks about himself, or else for the one whose row comes first.
static bool look_at_neighbour(void *context, qd_body_index body, qd_image image) {
    (void)image; // of a box, not of a path
    const about *here = context;
    const qdi_step *step = here->job->step;
    const uint32_t row = step->world->row_of_index[body];
    bool mine = true;
    if (step->ccd->flags[row] & QDI_FRESH)
        mine = stands_in(step, row) == here->stands ? row > here->row : here->stands;
    if (mine) look_at_pair(here->job, here->row, row, here->worker);
    return true;
}

/// Candidates that are looked at together.
enum { BLOCK = 256 };

/// Impacts of ccd: lists those of some candidates that are due. Most are not, which no processor foresees: so
/// there is no branch.
static inline size_t list_due_in(bool first, const uint8_t *flags, const qdi_meeting *met, size_t count,
                                 qdi_meeting *list) {
    size_t listed = 0;
    for (size_t i = 0; i < count; ++i) {
        const qdi_meeting pair = met[i];
        list[listed] = pair;
        listed += due(first, flags[pair.a] | flags[pair.b]);
    }
    return listed;
}

/// Impacts of ccd: the same for this round: in the first one it is less to ask.
static size_t list_due(const qdi_step *step, const qdi_meeting *met, size_t count, qdi_meeting *list) {
    const uint8_t *flags = step->ccd->flags;
    return step->first ? list_due_in(true, flags, met, count, list)
                       : list_due_in(false, flags, met, count, list);
}

/// Impacts of ccd: strikes from a list of plain disks on their first paths those that plainly do not stop
/// each other; returns how many are left.
static size_t strike(const qd_world *world, qdi_meeting *list, size_t count) {
    size_t left = 0, end = 0;
    for (size_t k = 0; k < count; ++k) {
        const qdi_meeting pair = list[k];
        list[left] = pair;
        left += !stays_in_sight(world, pair.a, pair.b);
    }
    for (size_t k = 0; k < left; ++k)
        if (!stays_in_touch(world, list[k].a, list[k].b)) list[end++] = list[k];
    return end;
}

/// Impacts of ccd: the same of bodies of any shape, at a glance.
static size_t strike_seen(const qdi_step *step, qdi_meeting *list, size_t count) {
    const qdi_glance *glances = step->ccd->glances;
    double way[BLOCK] = {0};
    size_t moving = 0, near = 0, left = 0;
    for (size_t k = 0; k < count; ++k) {
        const qdi_meeting pair = list[k];
        list[moving] = pair;
        moving += !qdi_glance_still(&glances[pair.a], &glances[pair.b]);
    }
    for (size_t k = 0; k < moving; ++k) {
        const qdi_meeting pair = list[k];
        const qdi_glance *a = &glances[pair.a], *b = &glances[pair.b];
        const qd_vec2 d = {b->x - a->x, b->y - a->y};
        list[near] = pair;
        way[near] = qdi_glance_way(a, b, d);
        near += !qdi_glance_passes(a, b, d, way[near]);
    }
    for (size_t k = 0; k < near; ++k) {
        const qdi_meeting pair = list[k];
        list[left] = pair;
        left += !qdi_ccd_comes_to_nothing(step, pair.a, pair.b, &glances[pair.a], &glances[pair.b],
                                          (qd_vec2){0, 0}, way[k]);
    }
    return left;
}

/// Impacts of ccd: shows a range of the world's candidates to the visitor.
static void look_at_candidates(void *context, size_t begin, size_t end, int worker) {
    const find_job *job = context;
    const qdi_step *step = job->step;
    qdi_meeting list[BLOCK] = {{0, 0}};
    for (size_t at = begin; at < end; at += BLOCK) {
        size_t count = list_due(step, step->world->met + at, end - at < BLOCK ? end - at : BLOCK, list);
        if (qdi_ccd_glances(step))
            count = step->world->shaped > 0 ? strike_seen(step, list, count)
                                            : strike(step->world, list, count);
        for (size_t k = 0; k < count; ++k) look_at_pair(job, list[k].a, list[k].b, worker);
    }
}

/// Impacts of ccd: a box about that of a body's way which holds all of its path in the world, and overlaps
/// the box of any other's way that meets it there, even if both stand: each is away from its box by as much
/// as the frame goes on where it is, which for two that meet is next to the same.
static qd_box room_of(const qdi_step *step, uint32_t row) {
    const qdi_glance *glance = &step->ccd->glances[row];
    const qdi_seen_way way = qdi_ccd_seen_way(&step->rest, glance);
    const double more = 1e-6 * step->rest.behind +
                        fabs(step->rest.turn) * (2 * glance->radius + step->rest.nearby);
    const double x = 2 * fabs(way.from.x) + more, y = 2 * fabs(way.from.y) + more;
    const qd_box fat = step->world->fat[row];
    return (qd_box){qdi_outward((double)fat.min_x - x, -1.0F), qdi_outward((double)fat.min_y - y, -1.0F),
                    qdi_outward((double)fat.max_x + x, 1.0F), qdi_outward((double)fat.max_y + y, 1.0F)};
}

/// Impacts of ccd: shows the walls near a body to the visitor, where it is due.
static void look_aside(const find_job *job, uint32_t row, int worker) {
    const uint8_t flags = job->step->ccd->flags[row];
    if (due(job->step->first, flags) && !(flags & QDI_LOST))
        look_at_walls(job, row, job->step->rest.holds ? room_of(job->step, row) : job->step->world->fat[row],
                      worker);
}

/// Impacts of ccd: the same for those that are followed of a range of bodies.
static void look_at_sides(void *context, size_t begin, size_t end, int worker) {
    const find_job *job = context;
    const qdi_ccd *ccd = job->step->ccd;
    (void)end;
    for (size_t k = 0; k < ccd->ways[begin / QDI_BODY_GRAIN].followed; ++k)
        look_aside(job, ccd->followed_rows[begin + k], worker);
}

/// Impacts of ccd: the same for a range of trajectories: none else has a new path.
static void look_at_sides_of_new(void *context, size_t begin, size_t end, int worker) {
    const find_job *job = context;
    for (size_t i = begin; i < end; ++i) look_aside(job, job->step->ccd->trajectories[i].row, worker);
}

/// Impacts of ccd: shows all bodies that one with a new path may meet to the visitor.
static void look_about(const find_job *job, uint32_t row, int worker) {
    const qd_world *world = job->step->world;
    about here = {job, row, worker, stands_in(job->step, row)};
    const qd_box box = here.stands ? room_of(job->step, row) : world->fat[row];
    const qd_status status = qd_tree_retrieve(world->tree, box, world->index[row], look_at_neighbour, &here);
    QD_ASSERT(status == QD_OK);
    (void)status;
}

/// Impacts of ccd: true for a body with a new path, which is followed.
static bool is_fresh(const qdi_step *step, uint32_t row) {
    return (step->ccd->flags[row] & (QDI_FRESH | QDI_LOST)) == QDI_FRESH;
}

/// Impacts of ccd: shows all that those of a range of bodies may meet that have new paths.
static void look_from_fresh(void *context, size_t begin, size_t end, int worker) {
    const find_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        const uint32_t row = job->step->ccd->news[i];
        if (!is_fresh(job->step, row)) continue;
        if (job->walls) look_aside(job, row, worker);
        look_about(job, row, worker);
    }
}

/// Impacts of ccd: the same for those that stand, where all candidates have been looked at: they have others.
static void look_from_standing(void *context, size_t begin, size_t end, int worker) {
    const find_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        const uint32_t row = job->step->ccd->news[i];
        if (is_fresh(job->step, row) && stands_in(job->step, row)) look_about(job, row, worker);
    }
}

/// Impacts of ccd: makes room for what the threads find.
static qd_status reserve(const qdi_step *step) {
    qdi_ccd *ccd = step->ccd;
    size_t workers = (size_t)qd_team_threads(step->world->team), before = ccd->meets_room;
    qd_status status = qdi_reserve(step->world->allocator, &ccd->meets, &ccd->meets_room, before, workers,
                                   sizeof *ccd->meets);
    if (status != QD_OK) return status;
    for (size_t w = before; w < ccd->meets_room; ++w) ccd->meets[w] = (qdi_meets){.at = NULL};
    for (size_t w = 0; w < workers; ++w) {
        ccd->meets[w].count = ccd->meets[w].hit_count = ccd->meets[w].lowered_count = 0;
        ccd->meets[w].looks = 0;
        ccd->meets[w].status = QD_OK;
    }
    return QD_OK;
}

/// Impacts of ccd: shows all pairs, and all walls near somebody, to the visitor.
static void look_at_all(find_job *job) {
    const qd_world *world = job->step->world;
    qdi_team_for_workers(world->team, world->met_count,
                         qdi_fine_grain(world->team, world->met_count, CANDIDATES_LEAST, QDI_CANDIDATE_GRAIN),
                         look_at_candidates, job);
    if (!job->walls) return;
    if (job->step->following && !job->step->first)
        qdi_team_for_workers(world->team, job->step->ccd->trajectory_count, RETRIEVE_GRAIN,
                             look_at_sides_of_new, job);
    else
        qdi_team_for_workers(world->team, world->count, QDI_BODY_GRAIN, look_at_sides, job);
}

qd_status qdi_ccd_visit(const qdi_step *step, const qdi_ccd_visitor *visitor) {
    qd_world *world = step->world;
    qdi_ccd *ccd = step->ccd;
    qd_status status = reserve(step);
    if (status != QD_OK) return status;
    find_job job = {.step = step, .visitor = visitor, .sides = qdi_wall_sides_of(step->world, step->dt)};
    job.walls = qdi_wall_bits(world);
    const size_t grain = qdi_fine_grain(world->team, ccd->news_count, RETRIEVE_LEAST, RETRIEVE_GRAIN);
    if (!step->first && step->fresh < world->met_count / WORTH_ALL) {
        qdi_team_for_workers(world->team, ccd->news_count, grain, look_from_fresh, &job);
    } else {
        look_at_all(&job);
        if (!step->first && step->rest.holds)
            qdi_team_for_workers(world->team, ccd->news_count, grain, look_from_standing, &job);
    }
    for (size_t w = 0; w < (size_t)qd_team_threads(world->team); ++w) {
        ccd->looks += ccd->meets[w].looks;
        if (ccd->meets[w].status != QD_OK) status = ccd->meets[w].status;
    }
    return status;
}

// ---- edges ----

/// Impacts of ccd: order of what was found, by key.
static int compare(const void *p, const void *q) {
    uint64_t a = ((const qdi_meet *)p)->key, b = ((const qdi_meet *)q)->key;
    return a < b ? -1 : a > b;
}

/// Impacts of ccd: the edge of two paths that meet.
static qdi_edge edge_of(const qdi_meet *meet) {
    return (qdi_edge){.key = meet->key,
                      .row_a = meet->row_a,
                      .row_b = meet->row_b,
                      .wall = meet->wall,
                      .image = meet->image,
                      .first = meet->first,
                      .first_known = meet->first_known && !meet->stop,
                      .fresh = true,
                      .stop = meet->stop};
}

/// Impacts of ccd: merges what was found into the edges, from the end on.
static void merge(qdi_ccd *ccd, const qdi_meet *met, size_t count) {
    size_t old = ccd->edge_count, new = count;
    for (size_t i = 0; i < old; ++i) ccd->edges[i].fresh = false;
    ccd->edge_count = old + new;
    for (size_t place = old + new; new > 0;) {
        bool from_old = old > 0 && ccd->edges[old - 1].key > met[new - 1].key;
        --place;
        if (from_old)
            ccd->edges[place] = ccd->edges[--old];
        else
            ccd->edges[place] = edge_of(&met[--new]);
    }
}

/// Impacts of ccd: adds all that was found to the edges, which are in order of key; `count` tells how many.
static qd_status collect(const qdi_step *step, size_t *count) {
    qdi_ccd *ccd = step->ccd;
    qdi_arena *arena = &step->world->scratch.arena;
    const size_t workers = (size_t)qd_team_threads(step->world->team);
    size_t found = 0;
    for (size_t w = 0; w < workers; ++w) found += ccd->meets[w].count;
    const qdi_arena_mark mark = qdi_arena_mark_of(arena);
    qdi_meet *met = qdi_arena_take(arena, found, sizeof *met);
    qd_status status = met ? qdi_reserve(step->world->allocator, &ccd->edges, &ccd->edge_room,
                                         ccd->edge_count, ccd->edge_count + found, sizeof *ccd->edges)
                           : QD_ERR_MEMORY;
    for (size_t w = 0; w < workers && status == QD_OK; ++w)
        for (size_t i = 0; i < ccd->meets[w].count; ++i) met[(*count)++] = ccd->meets[w].at[i];
    if (*count > 0) {
        qsort(met, *count, sizeof *met, compare); // no two keys are equal
        merge(ccd, met, *count);
    }
    qdi_arena_give_back(arena, mark);
    return status;
}

/// Impacts of ccd: what may be found of two. It is large, and most find nothing: where they meet is not set.
static void begin_meet(qdi_meet *meet, uint64_t key, uint32_t row_a, uint32_t row_b, int wall,
                       qd_image image) {
    meet->key = key;
    meet->row_a = row_a;
    meet->row_b = row_b;
    meet->wall = wall;
    meet->image = image;
    meet->first.time = (double)INFINITY;
}

/// Impacts of ccd: notes two paths that meet, unless an edge joins them already.
static void note_pair(const qdi_step *step, uint32_t a, uint32_t b, qd_image image, int worker) {
    const qd_world *world = step->world;
    uint64_t key = key_of(world->index[a], world->index[b]);
    if (qdi_ccd_given_up(step->ccd, a) && qdi_ccd_given_up(step->ccd, b)) return;
    if (edge_of_key(step->ccd, key)) return;
    qdi_meet found;
    begin_meet(&found, key, a, b, -1, image);
    found.stop = !paths_meet(step, &found);
    const bool both = world->kind[a] == QD_BODY_DYNAMIC && world->kind[b] == QD_BODY_DYNAMIC;
    if (!found.stop || (!both && qdi_ccd_core_passes(step, a, b, -1, image)))
        note(step, &step->ccd->meets[worker], &found);
}

/// Impacts of ccd: notes that a path meets a wall.
static void note_wall(const qdi_step *step, uint32_t row, int wall, int worker) {
    uint64_t key = key_of(step->world->index[row], (uint64_t)QD_WALL_LEFT + (uint64_t)wall);
    if (qdi_ccd_given_up(step->ccd, row) || edge_of_key(step->ccd, key)) return;
    qdi_meet found;
    begin_meet(&found, key, row, QDI_NO_ROW, wall, (qd_image){0, 0});
    found.stop = !path_meets_wall(step, &found);
    if (!found.stop || qdi_ccd_core_passes(step, row, QDI_NO_ROW, wall, (qd_image){0, 0}))
        note(step, &step->ccd->meets[worker], &found);
}

qd_status qdi_ccd_find(const qdi_step *step, size_t *added) {
    const qdi_ccd_visitor visitor = {note_pair, note_wall};
    *added = 0;
    const qd_status status = qdi_ccd_visit(step, &visitor);
    return status == QD_OK ? collect(step, added) : status;
}
