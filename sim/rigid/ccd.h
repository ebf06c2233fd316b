#pragma once

#include "sim/world/energy_balance_state.h"
#include "sim/world/lap.h"
#include "sim/world/scratch.h"
#include "sim/world/stop.h"
#include "sim/world/world_impl.h"

/// Fast bodies: what would pass a wall or another body within a step is followed on its path, bounces where
/// it really meets something, and goes on from there.
///
/// **Paths.** A body's path through a step is a row of segments, each straight and even: at first one
/// segment, from where it is to where the solver sent it. A segment is as fast as its body is in the mean.
/// Its body collides with the velocity that it has at that time: forces change it on the path, less what
/// contacts hold up, and a push out of an overlap is no velocity.
///
/// **Fixpoint.** Pairs whose paths meet become edges; bodies that edges join form a cluster; a cluster is
/// solved by itself, from the step's beginning, event after event in order of time, with its edges only
/// (rigid/ccd_solve.c). That gives new paths, which may meet others: new edges, larger clusters, solved anew,
/// until no two paths meet that are not joined by an edge. Edges only become more, so this ends, usually
/// after two rounds; a row of n bodies that hit each other within one step takes n. Clusters are independent
/// and solved in parallel; what they give depends on their edges alone, and the edges are in order of (a, b):
/// the same for any team.
///
/// **What is followed.** A pair is looked at where one of the two is followed: its segment is longer than the
/// part of qdi_ccd_part, it is a bullet, or what is followed has set it in such motion. What two slow bodies
/// do to each other is found where the step ends, as in any step.
///
/// **Who is near.** Before anybody knows where paths end, the world's tree is refreshed with boxes that hold
/// the whole way of each body, and its candidates are all pairs that may meet (rigid/ccd_sweep.c). They serve
/// the contacts of the step's end, too. Where few are followed only these have such boxes, larger by what any
/// other one moves. Where impacts are followed exactly (`on`), a new path that leaves its box gets another
/// one, with its candidates, before the next round. Candidates only have to be enough: what becomes an edge
/// is found by an exact test. From the first of these boxes on a step is not stopped any more.
///
/// **Bounds.** A cluster has at most QDI_IMPACTS(edges) impacts in a round, and at most QDI_LOOKS(edges)
/// looks ahead in all rounds; where one searches for a time of impact, each step of that counts for
/// QDI_STEP_COST looks, and edges that need it add QDI_SEARCHES(edges). Many bodies
/// with more than 3 edges for each 2 of them are a pile, not a row: their impacts hardly end, whatever they
/// may cost, and where they need such searches they may have QDI_PILE_LOOKS(edges, shaped) looks. Then its
/// bodies are given up: they go as if they had met nobody, until no more edges are found, and are stopped
/// then (rigid/ccd_clamp.c), which may bring new edges, and more that are given up and stopped. After
/// QDI_ROUNDS rounds what still meets is left to the contacts of the step's end. On a periodic axis a path
/// that is longer than half a period is not followed: only a body's own speed makes one so long, as the
/// solver shortens the ways of what it moves, and a cluster whose impacts make one is given up.

#define QDI_IMPACTS(edges)  (2 * (edges) + 30)
#define QDI_LOOKS(edges)    (16 * (edges) + 2048)
#define QDI_ROUNDS          64
#define QDI_STEP_COST       12
#define QDI_SEARCHES(edges) (4 * QDI_STEP_COST * (edges))
/// A pile: so many bodies at least, and more than 3 edges for each 2. And what it may cost.
#define QDI_PILE_LEAST                16
#define QDI_PILE_LOOKS(edges, shaped) (16 * ((edges) - (shaped)) + 24 * (shaped) + 512)
/// No segment, no trajectory.
#define QDI_NONE_YET UINT32_MAX

/// A straight piece of a path. It ends where the next one starts, the last where the step ends. What turns
/// about a pivot goes along an arc: by chords, each a segment, that follow from the first (ccd_path.c).
typedef struct qdi_path_segment {
    double start;        ///< since the step began
    double x, y, c, s;   ///< then; positions go on across the edges of periodic axes
    double vx, vy, spin; ///< on the path
    uint32_t next;       ///< QDI_NONE_YET: the last, or a chord
    uint32_t row;        ///< of chords: whose
    uint8_t part, parts; ///< of chords: which, of how many; else 0
    bool impact;         ///< it starts with an impact that is counted here: `impacts` has it
} qdi_path_segment;

/// What most candidates need no more of than this, of each of the two: a body at the step's start, and what
/// it does in the step where nothing stops it. A line of the cache.
typedef struct qdi_glance {
    double x, y, way_x, way_y, turn; ///< disks do not turn, for all that can be seen
    double inner, radius;
    bool moves;  ///< dynamic
    bool bullet; ///< or on an arc: no glance is enough
    bool known;  ///< `free` has its segment
    bool drifts; ///< it is followed in the rest frame, if there is one; before that: it is pressed
} qdi_glance;

/// A meeting of two on their segments.
typedef struct qdi_encounter {
    double time;
    qdi_pose a, b; ///< relative to a's position
    qdi_manifold manifold;
    uint64_t searched; ///< what finding it took, or that there is none, in steps of a search; 0: a formula
} qdi_encounter;

/// What makes a pair of paths meet; a before b by index, a wall as b.
typedef struct qdi_edge {
    uint64_t key; ///< index of a << 32 | index of b; walls after all bodies
    uint32_t row_a, row_b;
    int wall; ///< -1: none
    qd_image image;
    uint32_t trajectory_a, trajectory_b; ///< QDI_NONE_YET for what nothing moves
    double time;                         ///< of its next impact; infinity: none
    double from;                         ///< from when on that is to be looked for
    bool pending;                        ///< it has not been: there is none before `time`
    qdi_encounter meeting;               ///< that impact
    qdi_encounter first; ///< the same where both go their first ways, as at the start of each round
    bool first_known;
    uint32_t place; ///< in its cluster
    bool fresh;
    bool stop; ///< its cluster is to be given up
} qdi_edge;

/// A dynamic body with edges.
typedef struct qdi_trajectory {
    uint32_t row;
    uint32_t first, last;  ///< segments
    uint32_t root;         ///< of its cluster: a trajectory on the path there; then the cluster's number
    uint32_t edges, count; ///< first of its edges in `incident`, and how many there are
    qdi_twist velocity; ///< when its last segment begins; that segment itself is as fast as it is in the mean
    qdi_twist gain;     ///< what forces change of it in a unit of time
    double given;       ///< energy that impacts gave it
    uint64_t spent;     ///< looks at its cluster's edges, in all rounds
    qdi_wall_gain walls;        ///< what walls gave
    qdi_energy_balance balance; ///< what its impacts did
    bool hit;                   ///< something happened to it
    bool strayed;               ///< and in some round its path was not its first one
    bool seen_to;               ///< since it was given up, bodies have been stopped
    bool given_up;              ///< its cluster has used up what it may cost
} qdi_trajectory;

/// A cluster: edges and segments from their firsts on.
typedef struct qdi_cluster {
    uint32_t first_trajectory, trajectories; ///< in `by_cluster`
    uint32_t first_edge, edges;              ///< in `edge_by_cluster`
    uint32_t first_segment, next_segment;    ///< its segments, and the free one
    bool fresh;
    bool given_up; ///< it costs too much: its bodies are stopped (rigid/ccd_clamp.c)
    bool outside;  ///< a path has left the box that was filed
} qdi_cluster;

enum {
    QDI_FOLLOWED = 1,    ///< some segment is to be followed
    QDI_FRESH = 2,       ///< its path is new
    QDI_LOST = 4,        ///< its path is too long to be followed
    QDI_GROUNDED = 8,    ///< where it is stopped, its ground carries it (rigid/ccd_ground.c)
    QDI_GROUNDLESS = 16, ///< in this step its ground does not, since it would carry it into something
    QDI_STRAY = 32,      ///< its path is not in the box that the world's tree has for it
    QDI_MISSED = 64,     ///< it is to be followed, and its path is too long for that; or a plough passed it
    QDI_DRIVEN = 128     ///< no small mover stops it (rigid/ccd_drive.c)
};

/// Whether a kinematic body is a plough (rigid/ccd_plough.c): what it may meet asks, and the answer is kept.
enum { QDI_UNASKED, QDI_PLOUGH, QDI_NO_PLOUGH };

/// What an edge is made from.
typedef struct qdi_meet {
    uint64_t key; ///< see qdi_edge
    uint32_t row_a, row_b;
    int wall;
    qd_image image;
    bool stop, first_known; ///< see qdi_edge
    qdi_encounter first;
} qdi_meet;

/// A body that is stopped by what carries it, or stands where that comes along.
typedef struct qdi_hit {
    double time;
    uint32_t row, carrier;
} qdi_hit;

/// What one thread found, in any order; in lines of the cache that no other thread writes to.
typedef struct qdi_meets {
    _Alignas(64) qdi_meet *at;
    size_t count, room;
    qdi_hit *hits;
    uint32_t *lowered; ///< rows that it was the first to stop, or to stop earlier, in the round
    size_t hit_count, hit_room, lowered_count, lowered_room;
    uint64_t looks;   ///< pairs that visitors were shown
    qd_status status; ///< QD_ERR_MEMORY: there was more
} qdi_meets;

/// What a heap may move along with: the first and the last carrier that touch it, by name
/// (rigid/ccd_ground.c); and whether something touches it that does not move. Zeroed: nothing does.
typedef struct qdi_grounds {
    _Atomic uint32_t before; ///< of the first, ~name: both are found as a maximum
    _Atomic uint32_t last;
    atomic_bool fixed;
} qdi_grounds;

/// What a range of bodies does in a step, at most or at least.
typedef struct qdi_ways {
    size_t followed; ///< how many are
    double slow;     ///< how far any point of a body that is not followed moves at most, squared
    double drive;    ///< the size of what a body can drive (QDI_DRIVING_PART), squared
    double least;    ///< the size of the smallest one that is followed
} qdi_ways;

/// Working memory, kept from step to step.
struct qdi_ccd {
    uint32_t *trajectory_of; ///< by row
    uint8_t *flags;          ///< by row
    qdi_path_segment
        *free;           ///< by row, where `glances` say so: the segment that it goes where nothing stops it
    qdi_glance *glances; ///< by row, in worlds where `free` is
    size_t trajectory_of_room, flag_room, free_room, glance_room;
    size_t plain_count;      ///< so many rows are known to have had no trajectory when the step began
    atomic_bool carriers;    ///< some kinematic body moves
    atomic_bool misses;      ///< some path is too long to be followed
    qdi_ways *ways;          ///< per range
    uint32_t *followed_rows; ///< who is followed, a range's from its first row on
    size_t ways_room, followed_rows_room;
    qdi_meets *meets; ///< by worker
    size_t meets_room;
    uint64_t looks;  ///< in the step: pairs that visitors were shown, and each time that a body was stopped
    qdi_edge *edges; ///< in order of key
    size_t edge_count, edge_room;
    qdi_trajectory *trajectories;
    size_t trajectory_count, trajectory_room;
    qdi_path_segment *segments;
    qd_impact *impacts; ///< by segment, with the first dynamic body of the two
    size_t segment_count, segment_room, impact_room;
    qdi_path_segment *old_segments; ///< of the round before
    qd_impact *old_impacts;
    size_t old_segment_room, old_impact_room;
    // In the arena, while a round's clusters are solved:
    qdi_cluster *clusters;
    size_t cluster_count;
    uint32_t *by_cluster, *edge_by_cluster, *incident, *winner;
    bool stops_hold; ///< `stopped` is of this step
    bool stopping;   ///< a cluster has been given up since bodies were stopped
    // Who is stopped (rigid/ccd_clamp.c), in any order; and of these by row. All others, and all when a step
    // begins, have never been stopped, that is at the step's end: the first `never_count` rows, `never` long.
    uint32_t *halted;
    size_t halted_count, halted_room, never_count;
    uint32_t *news; ///< those of them of which anything was new in the last round, once each
    size_t news_count, news_room;
    double never;
    _Atomic uint64_t *stops;  ///< the bits of the time, as it is found
    double *stopped;          ///< the time, of the rounds before
    _Atomic uint8_t *ploughs; ///< of kinematic bodies that move, see QDI_PLOUGH
    uint32_t *carrier;        ///< what carries it on (rigid/ccd_ground.c)
    double *carried;          ///< from when on: when it was stopped, or later
    qdi_twist *along;         ///< and its mean velocity from then on; NaN as x: it is not known yet
    _Atomic uint32_t *heap;   ///< a row on the way to the first one of its heap; NULL: not asked for yet
    qdi_grounds *grounds;     ///< of a heap, by its first row; NULL: nothing carries
    size_t stops_room, stopped_room, ploughs_room, carrier_room, carried_room, along_room;
};

/// The one rigid motion of all that no body moves, if there is one: a frame that goes along with it
/// (rigid/ccd_rest.c).
typedef struct qdi_rest {
    bool holds;        ///< who is followed, and boxes of ways, are as seen from that frame
    uint32_t carrier;  ///< row of one that moves like that
    qd_vec2 from, to;  ///< where its centroid is when the step begins and when it ends
    double c, s, turn; ///< by how much it turns, and cosine and sine of that
    double behind; ///< how far a point of any body is, at the start, from where it lay for the frame at most
    double nearby; ///< and how much further from each other than the two radii two may begin that meet
} qdi_rest;

/// A step on its path, for the files of this.
typedef struct qdi_step {
    qd_world *world;
    qdi_ccd *ccd;
    double dt, part, threshold;
    double reach;   ///< of contacts that are still apart, as a part of a body's size
    bool following; ///< impacts are followed exactly
    bool first;     ///< round
    int round;      ///< of stops
    bool carrying;  ///< after the last one: nobody is stopped any more, but met by what may carry it
    double slow;    ///< how far any point of a body that is not followed moves at most
    double least;   ///< the size of the smallest one that is followed
    bool few;       ///< only those that are followed have boxes of whole ways, larger by `slow`
    size_t fresh;   ///< bodies that have new paths in this round, all of them stopped; SIZE_MAX: not known
    bool periodic;  ///< along some axis
    qdi_rest rest;
    qdi_wall_gain *walls;    ///< gets added what walls give
    struct qdi_found *found; ///< the step's searches for candidates
} qdi_step;

/// Somebody on a segment.
typedef struct qdi_party {
    qdi_form form;
    qdi_path_segment segment;
    double inner, reach; ///< nearest and furthest point of the border from the centroid
} qdi_party;

// ---- rigid/ccd_path.c ----

/// The segment that a body goes where nothing stops it. For bodies that are no disks and are followed it is
/// worked out once, where impacts are followed, or it is an arc: else few ask for it.
qdi_path_segment qdi_segment_make(const qdi_step *step, uint32_t row);
/// Ccd: the same, as it has been worked out, or worked out each time.
static inline qdi_path_segment qdi_segment_of_row(const qdi_step *step, uint32_t row) {
    const bool known = step->world->shape[row] && step->ccd->glances[row].known;
    return known ? step->ccd->free[row] : qdi_segment_make(step, row);
}
/// The first segment of a body's path as it is now.
qdi_path_segment qdi_path_begin(const qdi_step *step, uint32_t row);
/// Paths of ccd: the next one; false: there is none.
bool qdi_path_next(const qdi_step *step, qdi_path_segment *segment);
/// Ccd: when a segment ends.
static inline double qdi_segment_end(const qdi_step *step, const qdi_path_segment *segment) {
    if (segment->part + 1 < segment->parts) return step->dt * (segment->part + 1) / segment->parts;
    return segment->next == QDI_NONE_YET ? step->dt : step->ccd->segments[segment->next].start;
}
/// The segment of what nothing stops at a time.
qdi_path_segment qdi_segment_at(const qdi_step *step, uint32_t row, double time);
/// True where a segment is to be followed.
bool qdi_segment_followed(const qdi_step *step, uint32_t row, const qdi_path_segment *segment);
qdi_party qdi_party_of(const qdi_step *step, uint32_t row, const qdi_path_segment *segment);
qdi_pose qdi_segment_pose(const qdi_path_segment *segment, double time);
/// Paths of ccd: what a body's whole path takes up.
void qdi_path_own_bounds(const qdi_step *step, uint32_t row, qd_vec2 *low, qd_vec2 *high);
/// Paths of ccd: what contains that, and all that is in reach of it.
void qdi_path_bounds(const qdi_step *step, uint32_t row, qd_vec2 *low, qd_vec2 *high);
/// Paths of ccd: the same as a box for a tree. False: it is too long for a periodic world, and the body is
/// not followed: `box` is where it was.
bool qdi_path_box(const qdi_step *step, uint32_t row, qd_box *box);
/// Which image of b's path lies beside a's; false: one of them is too long for that.
bool qdi_path_image(const qdi_step *step, uint32_t row_a, uint32_t row_b, qd_image *image);
/// What forces add to a body's velocity in the step.
qdi_twist qdi_ccd_forces(const qdi_step *step, uint32_t row);
/// Energy of a body's motion in `next`, and of gravity as seen from where it was, when it has moved by `way`.
double qdi_ccd_energy(const qd_world *world, uint32_t row, qd_vec2 way);
/// What the sum of gravity's work through periodic sides gets wrong about a body that has moved by `way`: it
/// goes by velocities, as if nothing had stopped it.
double qdi_ccd_wrap_error(const qd_world *world, uint32_t row, qd_vec2 way, double dt);
/// Paths of ccd: true where a body is within the limits in `next`.
bool qdi_within_limits(const qd_world *world, uint32_t row);

/// ccd: what an image of a body is shifted by.
static inline qd_vec2 qdi_image_shift(const qd_world *world, qd_image image) {
    return (qd_vec2){image.x != 0 ? image.x * world->axis[0].length : 0,
                     image.y != 0 ? image.y * world->axis[1].length : 0};
}

/// ccd: true where all are disks that go straight from `now` to `next`, but for those that have paths of
/// their own, and no bullets.
static inline bool qdi_ccd_straight(const qdi_step *step) {
    const qd_world *world = step->world;
    return world->shaped == 0 && world->fixed == 0 && world->bullets == 0 && !step->periodic;
}

/// ccd: the same where nobody gets a path of his own.
static inline bool qdi_ccd_plain(const qdi_step *step) {
    return qdi_ccd_straight(step) && !step->following;
}

/// ccd: true where visitors are shown only those pairs of which a glance does not say that nothing comes of
/// them.
static inline bool qdi_ccd_glances(const qdi_step *step) {
    return step->first && !step->following && !step->periodic &&
           (step->world->shaped > 0 || qdi_ccd_plain(step));
}

// ---- rigid/ccd_survey.c ----

/// A mover drives what is smaller than its way through the step, and than this part of its size.
#define QDI_DRIVING_PART 0.5

/// Survey of ccd: takes note of a body whose points move by a `way` at most, squared.
static inline void qdi_note_way(qdi_ways *ways, double way, double size, bool followed, bool moves) {
    const double part = QDI_DRIVING_PART * size, drive = way < part * part ? way : part * part;
    if (moves && drive > ways->drive) ways->drive = drive;
    if (!followed && way > ways->slow) ways->slow = way;
    if (followed && size < ways->least) ways->least = size;
}
/// Survey of ccd: adds what another range does.
static inline void qdi_add_ways(qdi_ways *ways, const qdi_ways *more) {
    ways->followed += more->followed;
    if (more->slow > ways->slow) ways->slow = more->slow;
    if (more->drive > ways->drive) ways->drive = more->drive;
    if (more->least < ways->least) ways->least = more->least;
}

/// How far any point of a body moves at most in the step where nothing stops it.
double qdi_ccd_way(const qdi_step *step, uint32_t row);
/// Finds out who is followed (`flags`), and what ranges of bodies do; `ways` is of all.
QD_MUST_USE qd_status qdi_ccd_survey(const qdi_step *step, qdi_ways *ways);

// ---- rigid/ccd_rest.c ----

/// The way of a body as a rest frame sees it: that ends where the body ends.
typedef struct qdi_seen_way {
    double x, y;
    double turn;  ///< how far turning moves a point of it at most
    double bend;  ///< how far the way leaves the straight line, at most
    qd_vec2 from; ///< and from where the body is at the start to where the frame sees it then
} qdi_seen_way;
/// Rest frame of ccd: the way of what is seen at a glance.
qdi_seen_way qdi_ccd_seen_way(const qdi_rest *rest, const qdi_glance *glance);
/// After the survey: finds the rest frame (step->rest). Where few are fast in it, those alone are followed,
/// and `ways` are those in it. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_ccd_rest(qdi_step *step, qdi_ways *ways);
/// Ccd: how far what is looked for where it was at the start may be outside of its box.
static inline double qdi_ccd_behind(const qdi_step *step) {
    return (step->few ? step->slow : 0) + (step->rest.holds ? step->rest.behind : 0);
}

// ---- rigid/ccd_sweep.c ----

/// Brings the world's tree and candidates up to date for the step's end, with boxes of whole ways: at first
/// those of all, and then those of new paths that have left theirs (QDI_STRAY). Errors: QD_ERR_MEMORY,
/// QD_ERR_LIMIT.
QD_MUST_USE qd_status qdi_ccd_sweep(const qdi_step *step, qdi_lap *lap);
/// Sweeps of ccd: a box that holds a body's way as the rest frame sees it, but for what follows from others.
qd_box qdi_ccd_seen_box(const qdi_step *step, uint32_t row);
/// Sweeps of ccd: whether the box that a body has in the world's tree, or an image of it, holds that of a
/// way.
bool qdi_ccd_holds(const qdi_step *step, uint32_t row, qd_box way);

// ---- rigid/ccd_meet.c ----

/// The first time in [from, until] at which the two meet and approach. `shift` is added to b's positions.
bool qdi_segments_meet(const qdi_step *step, const qdi_party *a, const qdi_party *b, qd_vec2 shift,
                       double from, double until, qdi_encounter *meeting);
/// No later than that, for much less work; infinity: they do not meet.
double qdi_segments_near(const qdi_party *a, const qdi_party *b, qd_vec2 shift, double from, double until);
/// The same with a wall.
bool qdi_segment_meets_wall(const qdi_step *step, const qdi_party *a, int wall, double from, double until,
                            qdi_encounter *meeting);

// ---- rigid/ccd_gap.c ----

/// The way of b as seen from a, which is `from` away at first and goes no further than these places.
typedef struct qdi_passage {
    qd_vec2 from, way[5];
    int count;
    double more; ///< that turning adds, and what counts as near
} qdi_passage;
/// True where two are apart all along such a way, which one of their sides says, as they lie on their
/// segments.
bool qdi_ccd_passes_by(const qdi_party *a, const qdi_party *b, const qdi_passage *by);

// ---- rigid/ccd_find.c ----

/// What is asked of each candidate: of two bodies, a of the lower index, through an image of b; and of a body
/// and a wall.
typedef struct qdi_ccd_visitor {
    void (*pair)(const qdi_step *step, uint32_t row_a, uint32_t row_b, qd_image image, int worker);
    void (*wall)(const qdi_step *step, uint32_t row, int wall, int worker);
} qdi_ccd_visitor;
/// Shows all candidates to a visitor, in parallel and in any order; each worker's lists begin empty. Errors:
/// QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_ccd_visit(const qdi_step *step, const qdi_ccd_visitor *visitor);
/// The walls that what is in a box may reach, a bit each.
unsigned qdi_ccd_walls_near(const qdi_step *step, qd_box box);
/// Adds an edge for each pair of paths that meet and have none; `added` tells how many. Errors:
/// QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_ccd_find(const qdi_step *step, size_t *added);
/// The edge of two bodies, a of the lower index; NULL: they have none.
const qdi_edge *qdi_ccd_edge_of(const qdi_step *step, uint32_t row_a, uint32_t row_b);
/// ccd: true for a body that goes its first way, straight, and is stopped nowhere.
static inline bool qdi_is_first_way(const qdi_path_segment *begin) {
    return begin->next == QDI_NONE_YET && begin->parts == 0;
}

// ---- rigid/ccd_clamp.c ----

/// Finds out who is followed, and `count`s them, and how the others are looked after.
QD_MUST_USE qd_status qdi_ccd_begin(qdi_step *step, size_t *count);
/// Stops bodies that would pass through something where they meet it.
QD_MUST_USE qd_status qdi_ccd_stop(qdi_step *step, qdi_lap *lap);
/// The same for those bodies alone whose clusters have been given up; the others go their paths. Their new
/// paths are those of their trajectories.
QD_MUST_USE qd_status qdi_ccd_stop_given_up(qdi_step *step);
/// Puts bodies where they stop.
QD_MUST_USE qd_status qdi_ccd_stopped(const qdi_step *step);

// ---- rigid/ccd_stop.c ----

/// True where a body passes through what cannot move with its core, though the two do not approach where they
/// touch: it turns about a corner, say, or is pushed. row_b QDI_NO_ROW: a wall.
bool qdi_ccd_core_passes(const qdi_step *step, uint32_t row_a, uint32_t row_b, int wall, qd_image image);

// ---- rigid/ccd.c ----

/// ccd: true for a body whose cluster was given up.
static inline bool qdi_ccd_given_up(const qdi_ccd *ccd, uint32_t row) {
    return ccd->trajectory_of[row] != QDI_NONE_YET && ccd->trajectories[ccd->trajectory_of[row]].given_up;
}
/// ccd: true for a body that is followed whatever its speed.
static inline bool qdi_is_bullet(const qd_world *world, uint32_t row) {
    return world->bullets > 0 && world->traits.trait[world->trait[row]].bullet;
}

// ---- rigid/ccd_solve.c ----

/// Solves a cluster from the step's beginning.
void qdi_cluster_solve(const qdi_step *step, qdi_cluster *cluster);

// ---- rigid/ccd_cluster.c ----

/// Forms clusters and solves those with new edges; their bodies' paths are new then. `outside`: one of these
/// has left its box in the world's tree. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_ccd_solve(const qdi_step *step, bool *outside);

// ---- rigid/ccd_drive.c ----

/// Marks with QDI_DRIVEN, of the bodies that are followed, those whose heap is driven (rigid/ccd_drive.c).
/// `most`: the size that all bodies have that can be driven by anybody; `least`: the size of the smallest
/// body that is followed; where no body can be driven, this costs nothing. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_ccd_mark_driven(const qdi_step *step, double most, double least);
