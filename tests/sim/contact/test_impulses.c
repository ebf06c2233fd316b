// What events tell that contacts gave, step by step, against what bodies got and what metrics make of it.
#include "tests/support/harness.h"
#include "tests/support/ledger.h"
#include "tests/support/wild.h"

#include <math.h>
#include <string.h>

static qd_test_ledger books;

static void open_books(uint64_t seed, qd_world *world) {
    memset(&books, 0, sizeof books);
    books.seed = seed;
    books.world = world;
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
}

/// Ends the test unless a number is what the books say; `size` is that of what it is made of, `lean` what
/// other levers may make of it.
static void check(double value, double told, double size, double lean, const char *what) {
    QD_TEST_CHECK(fabs(value - told) <= 1e-11 * size + lean, books.seed, "step",
                  (int)qd_world_steps(books.world), "%s: %g, and by the events %g (of %g)", what, value, told,
                  size);
}

static qd_vec2 impulse_of(const qd_test_ledger_entry *entry) {
    const qd_vec2 n = entry->normal;
    return (qd_vec2){entry->impulse * n.x - entry->friction * n.y,
                     entry->impulse * n.y + entry->friction * n.x};
}

static double size_of(const qd_test_ledger_entry *entry) {
    return fabs(entry->impulse) + fabs(entry->friction);
}

/// True for a dynamic body that was there before and after.
static bool has_moved(size_t index) {
    const qd_test_seen *p = &books.before[index], *q = &books.after[index];
    return p->there && q->there && p->generation == q->generation && p->kind == QD_BODY_DYNAMIC;
}

/// Ends the test unless each body has got what events say. `lack`: what it may lack of the acceleration by
/// forces: one that ccd stops has only that of a part of the step. What pushes bodies apart and leaves them
/// no speed rounds all the same.
static void check_bodies(qd_vec2 pull, double lack, double dt) {
    static qd_vec2 got[QD_TEST_LEDGER_BODIES];
    static double size[QD_TEST_LEDGER_BODIES];
    memset(got, 0, sizeof got);
    memset(size, 0, sizeof size);
    for (size_t k = 0; k < books.count; ++k) {
        const qd_test_ledger_entry *entry = &books.entries[k];
        const uint32_t index[2] = {entry->a.index, entry->b.index};
        const qd_vec2 j = impulse_of(entry);
        for (int side = 0; side < (qd_id_is_wall(entry->b) ? 1 : 2); ++side) {
            got[index[side]].x += side ? j.x : -j.x;
            got[index[side]].y += side ? j.y : -j.y;
            size[index[side]] += size_of(entry);
        }
    }
    for (size_t i = 0; i < QD_TEST_LEDGER_BODIES; ++i) {
        if (!has_moved(i)) continue;
        const qd_test_seen *p = &books.before[i], *q = &books.after[i];
        const double m = p->mass, x = m * (q->vx - p->vx - pull.x), y = m * (q->vy - p->vy - pull.y),
                     speeds = fabs(p->vx) + fabs(p->vy) + fabs(q->vx) + fabs(q->vy),
                     way = .1 / dt * (fabs(q->x - p->x) + fabs(q->y - p->y)),
                     rounding = size[i] + m * (speeds + fabs(pull.x) + fabs(pull.y) + way);
        QD_TEST_CHECK(hypot(x - got[i].x, y - got[i].y) <= 1e-12 * rounding + m * lack, books.seed, "step",
                      (int)qd_world_steps(books.world),
                      "body %zu got (%g, %g) of contacts, and events tell of (%g, %g)", i, x, y, got[i].x,
                      got[i].y);
    }
}

/// Ends the test unless walls gave what events say.
static void check_walls(qd_vec2 before) {
    const qd_vec2 after = qd_world_total(books.world).wall_impulse;
    qd_vec2 sum = {0, 0};
    double size = fabs(after.x) + fabs(after.y);
    for (size_t k = 0; k < books.count; ++k) {
        if (!qd_id_is_wall(books.entries[k].b)) continue;
        const qd_vec2 j = impulse_of(&books.entries[k]);
        sum.x -= j.x;
        sum.y -= j.y;
        size += size_of(&books.entries[k]);
    }
    check(after.x - before.x, sum.x, size, 0, "what walls gave to the right");
    check(after.y - before.y, sum.y, size, 0, "what walls gave upwards");
}

/// True where both of an entry are dynamic.
static bool between_movers(const qd_test_ledger_entry *entry) {
    return !qd_id_is_wall(entry->b) && books.before[entry->a.index].kind == QD_BODY_DYNAMIC &&
           books.before[entry->b.index].kind == QD_BODY_DYNAMIC;
}

/// Ends the test unless the virial is that of the events.
static void check_virial(double before, double dt) {
    const qd_metrics m = qd_test_measure(books.world);
    double sum = 0, size = .1 * fabs(before), lean = 0;
    for (size_t k = 0; k < books.count; ++k) {
        const qd_test_ledger_entry *entry = &books.entries[k];
        if (!between_movers(entry)) continue;
        const qd_vec2 j = impulse_of(entry);
        sum += entry->way.x * j.x + entry->way.y * j.y;
        size += fabs(entry->way.x * j.x) + fabs(entry->way.y * j.y);
        lean += size_of(entry) * (entry->lean[0] + entry->lean[1]);
    }
    check(m.virial_impulse - before, sum, size, lean, "virial of the step");
    check(m.virial * dt, sum, size, lean, "virial");
}

/// A body is moved, removed or added by hand; no time passes meanwhile, so nobody gives anything.
static void edit(qd_random *random) {
    qd_world *world = books.world;
    const qd_body_view view = qd_world_view(world);
    if (view.count == 0) return;
    const size_t row = qd_test_below(random, view.count), what = qd_test_below(random, 3);
    const qd_id id = {view.index[row], view.generation[row]};
    const qd_vec2 at = {view.x[row] + qd_test_between(random, -.3, .3), view.y[row]},
                  velocity = {view.vx[row], view.vy[row]};
    const qd_body_def body = qd_test_body_at(qd_shape_rect(.7, .4), at.x, at.y);
    const qd_status status = what == 0   ? qd_world_place(world, id, at, velocity, NULL)
                             : what == 1 ? qd_world_remove(world, id)
                                         : qd_world_add(world, &body, NULL, NULL);
    if (status != QD_OK) return; // outside
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    size_t count;
    const qd_event *events = qd_world_events(world, &count);
    for (size_t i = 0; i < count; ++i)
        for (int k = 0; k < events[i].contact->count && events[i].kind != QD_EVENT_PERSIST; ++k)
            ck_assert(events[i].contact->touch[k].impulse == 0 && events[i].contact->touch[k].friction == 0);
}

/// A world with whatever there is in it.
static qd_world *any_world(qd_random *random, int number, double *dt) {
    qd_world_def def = qd_test_random_def(random);
    def.contact = QD_CONTACT_IMPULSE;
    def.continuous = (qd_continuous)(number % 3);
    def.threads = 1 + number % 2;
    def.removal = 1;
    if (number / 3 % 2) def.gravity = (qd_vec2){0, 0};
    if (qd_test_chance(random, .3)) def.restitution = 0;
    if (qd_test_chance(random, .3)) def.gravity = (qd_vec2){10 * def.gravity.x, 10 * def.gravity.y};
    *dt = qd_test_power(random, -3, -1.5);
    qd_world *world = qd_test_world(&def);
    if (number % 5)
        qd_test_scatter_shapes(world, random, 150);
    else
        qd_test_scatter(world, random, 200);
    if (number % 4 == 0) qd_test_sink(world, def.origin.x + 3, def.origin.y + 3, 2, 2, 20);
    return world;
}

/// In every step, the impulses of all events and impacts together are what contacts gave to each body and to
/// the walls: those of touches that became others in it, of contacts that begin, end or never touch, and of
/// bodies that are removed; and each is told once.
QD_TEST_LOOP(each_impulse_is_in_one_event, 0, 3) {
    size_t turned = 0, caught = 0, impacts = 0;
    const uint64_t first = qd_test_seed(1) + 1000 * (uint64_t)_i,
                   last = first + (qd_test_replaying() ? 1 : qd_test_effort(12));
    for (uint64_t seed = first; seed < last; ++seed) {
        qd_random random = qd_random_at(seed, 0, 71);
        double dt;
        open_books(seed, any_world(&random, (int)seed, &dt));
        const qd_world_def def = qd_world_definition(books.world);
        const qd_vec2 pull = {def.gravity.x * dt, def.gravity.y * dt};
        const bool stopped = def.continuous != QD_CONTINUOUS_OFF;
        for (int step = 0; step < 120; ++step) {
            if (step == 60) books.world = qd_test_reload(books.world, 1 + (int)(seed % 3));
            if (step % 10 == 5) edit(&random);
            const qd_vec2 walls = qd_world_total(books.world).wall_impulse;
            const double virial = qd_test_measure(books.world).virial_impulse;
            qd_test_ledger_step(&books, dt);
            check_bodies(pull, stopped ? hypot(pull.x, pull.y) : 0, dt);
            check_walls(walls);
            check_virial(virial, dt);
        }
        turned += books.turned;
        caught += books.caught;
        impacts += books.impacts;
        qd_world_destroy(books.world);
    }
    qd_test_count(last - first);
    if (last - first < 2) return; // one world alone may have none of them
    ck_assert_uint_gt(turned, 0);
    ck_assert_uint_gt(caught, 0);
    ck_assert_uint_gt(impacts, 0);
}

/// Puts half of what springs give at a moment into the books.
static void enter_halves(void) {
    size_t count;
    const qd_contact *now = qd_world_contacts(books.world, &count);
    for (size_t i = 0; i < count; ++i, ++now)
        for (int k = 0; k < now->count; ++k)
            qd_test_ledger_enter(&books, now, &now->touch[k], .5 * now->touch[k].impulse,
                                 .5 * now->touch[k].friction);
}

/// With springs a moment's impulses are its forces times the step: half of it before, half after.
QD_TEST_LOOP(springs_give_what_they_tell, 0, 2) {
    const uint64_t first = qd_test_seed(1) + 1000 * (uint64_t)_i,
                   last = first + (qd_test_replaying() ? 1 : qd_test_effort(12));
    for (uint64_t seed = first; seed < last; ++seed) {
        qd_random random = qd_random_at(seed, 0, 72);
        qd_world_def def = qd_test_random_def(&random);
        def.contact = QD_CONTACT_SPRING;
        def.spring.contact_time = .1;
        if (qd_test_chance(&random, .3)) def.spring.adhesion = 1;
        def.threads = 1 + (int)(seed % 2);
        open_books(seed, qd_test_world(&def));
        if (seed % 3)
            qd_test_scatter_shapes(books.world, &random, 150);
        else
            qd_test_scatter(books.world, &random, 300);
        const double dt = .004;
        qd_test_step(books.world, dt, 1);
        for (int step = 0; step < 60; ++step) {
            if (step == 30) books.world = qd_test_reload(books.world, 2);
            const qd_vec2 walls = qd_world_total(books.world).wall_impulse;
            books.count = 0;
            qd_test_see_bodies(books.world, books.before);
            enter_halves();
            qd_test_step(books.world, dt, 1);
            enter_halves();
            qd_test_see_bodies(books.world, books.after);
            check_bodies((qd_vec2){def.gravity.x * dt, def.gravity.y * dt}, 0, dt);
            check_walls(walls);
        }
        qd_world_destroy(books.world);
    }
    qd_test_count(last - first);
}

// ---- what becomes of energy ----

/// What metrics make of impulses in a step.
typedef struct dues {
    double lost[2][2]; ///< between bodies, to walls; along the normal, by friction
    double wall_work, kinematic_work, push[4];
    double size, pushes; ///< of what these are made of
    double lean;         ///< what other levers may make of them
} dues;

static double dot(qd_vec2 p, qd_vec2 q) {
    return p.x * q.x + p.y * q.y;
}

/// The spin of a body in the mean of the step.
static double mean_spin(uint32_t index) {
    const qd_test_seen *p = &books.before[index], *q = p->kind == QD_BODY_DYNAMIC ? &books.after[index] : p;
    return .5 * (p->spin + q->spin);
}

/// The velocity of a body's surface at a place, in the mean of the step. A kinematic one has the one that it
/// begins with, though it may turn about a pivot.
static qd_vec2 velocity_at(uint32_t index, qd_vec2 point) {
    const qd_test_seen *p = &books.before[index], *q = p->kind == QD_BODY_DYNAMIC ? &books.after[index] : p;
    const qd_vec2 arm = qd_test_difference(books.world, point.x - p->x, point.y - p->y);
    const double spin = mean_spin(index);
    return (qd_vec2){.5 * (p->vx + q->vx) - spin * arm.y, .5 * (p->vy + q->vy) + spin * arm.x};
}

/// That of a wall at a constant speed, a belt.
static qd_vec2 velocity_of_wall(const qd_world_def *def, uint32_t wall) {
    const qd_wall_motion *motion = &def->wall_motion[wall];
    return wall < 2 ? (qd_vec2){motion->velocity, motion->slide} : (qd_vec2){motion->slide, motion->velocity};
}

/// Adds what an entry makes of it.
static void add_dues(const qd_test_ledger_entry *entry, dues *sum) {
    const qd_world_def def = qd_world_definition(books.world);
    const bool wall = qd_id_is_wall(entry->b);
    const uint32_t side = entry->b.index - (uint32_t)QD_WALL_LEFT;
    const qd_vec2 n = entry->normal, t = {-n.y, n.x}, j = impulse_of(entry),
                  a = velocity_at(entry->a.index, entry->point),
                  b = wall ? velocity_of_wall(&def, side) : velocity_at(entry->b.index, entry->point),
                  u = {b.x - a.x, b.y - a.y};
    sum->lost[wall][0] -= entry->impulse * dot(u, n);
    sum->lost[wall][1] -= entry->friction * dot(u, t);
    sum->size += size_of(entry) * (fabs(a.x) + fabs(a.y) + fabs(b.x) + fabs(b.y));
    sum->lean += size_of(entry) * fabs(mean_spin(entry->a.index)) * entry->lean[0];
    if (!wall) sum->lean += size_of(entry) * fabs(mean_spin(entry->b.index)) * entry->lean[1];
    if (wall) {
        sum->push[side] += entry->impulse;
        sum->pushes += entry->impulse;
        sum->wall_work -= dot(j, b);
    } else if (books.before[entry->a.index].kind != QD_BODY_DYNAMIC) {
        sum->kinematic_work += dot(j, a);
    } else if (books.before[entry->b.index].kind != QD_BODY_DYNAMIC) {
        sum->kinematic_work -= dot(j, b);
    }
}

/// Ends the test unless metrics have changed by what the events of the step make of them. Where something
/// bounces, and gravity pulls or what turns too fast is slowed down (both drift), the mean velocity of a step
/// is not that of its bounces.
static void check_dues(const qd_metrics *m, const qd_metrics *n, bool bounces) {
    dues sum;
    memset(&sum, 0, sizeof sum);
    for (size_t k = 0; k < books.count; ++k) add_dues(&books.entries[k], &sum);
    const double push[4] = {n->push_left - m->push_left, n->push_right - m->push_right,
                            n->push_bottom - m->push_bottom, n->push_top - m->push_top},
                 pushes = sum.pushes + n->push_left + n->push_right + n->push_bottom + n->push_top;
    for (int k = 0; k < 4; ++k) check(push[k], sum.push[k], pushes, 0, "push of a wall");
    if (books.blurred) return;
    const double size = sum.size + n->kinetic + n->lost + fabs(n->wall_work) + fabs(n->kinematic_work);
    check(n->kinematic_work - m->kinematic_work, sum.kinematic_work, size, sum.lean,
          "work of kinematic bodies");
    check(n->wall_work - m->wall_work, sum.wall_work, size, sum.lean, "work of walls");
    if (!bounces || fabs(n->drift - m->drift) <= 1e-12 * size)
        check(n->lost - m->lost, sum.lost[0][0] + sum.lost[0][1] + sum.lost[1][0] + sum.lost[1][1], size,
              sum.lean, "lost to contacts");
    if (bounces) return;
    check(n->lost_bodies_normal - m->lost_bodies_normal, sum.lost[0][0], size, sum.lean,
          "lost between bodies");
    check(n->lost_bodies_friction - m->lost_bodies_friction, sum.lost[0][1], size, sum.lean,
          "lost to their friction");
    check(n->lost_walls_normal - m->lost_walls_normal, sum.lost[1][0], size, sum.lean, "lost to walls");
    check(n->lost_walls_friction - m->lost_walls_friction, sum.lost[1][1], size, sum.lean,
          "lost to walls' friction");
}

/// Bodies of all kinds on and about a ring of lines, among which kinematic ones go and turn.
static void fill_ring(qd_world *world, qd_random *random, bool disks) {
    const qd_vec2 low = qd_world_definition(world).origin;
    for (int i = 0; i < 150; ++i) {
        const double r = qd_test_power(random, -.6, .1);
        qd_body_def body = qd_test_body_at(disks ? qd_shape_disk(r) : qd_test_wild_shape(random, r),
                                           low.x + qd_test_between(random, 2, 28),
                                           low.y + qd_test_between(random, 2, 18));
        body.velocity = (qd_vec2){qd_test_between(random, -5, 5), qd_test_between(random, -5, 5)};
        body.spin = qd_test_between(random, -3, 3);
        if (i % 12 == 0) body.kind = QD_BODY_KINEMATIC;
        if (i % 24 == 0) body.pivot = (qd_vec2){body.position.x + .5, body.position.y};
        if (i % 15 == 1) body.kind = QD_BODY_STATIC;
        if (i % 20 == 3) body.sensor = true;
        if (i % 9 == 4) body.material.friction = .2;
        (void)qd_test_add(world, &body);
    }
    qd_body_def like = qd_body_def_default();
    like.kind = QD_BODY_STATIC;
    like.shape.radius = .05;
    const qd_vec2 points[5] = {{low.x + 3, low.y + 3},
                               {low.x + 10, low.y + 1},
                               {low.x + 14, low.y + 4},
                               {low.x + 12, low.y + 6},
                               {low.x + 5, low.y + 5.5}};
    ck_assert_int_eq(qd_world_add_polyline(world, points, 5, true, &like, NULL, NULL), QD_OK);
}

/// A def of a world for these, with walls that move and belts.
static qd_world_def ring_def(uint64_t seed) {
    qd_world_def def = qd_world_def_default();
    def.size = (qd_vec2){30, 20};
    def.origin = (qd_vec2){40, 7};
    def.boundary_x = seed % 3 ? QD_BOUNDARY_REFLECT : QD_BOUNDARY_PERIODIC;
    def.gravity = seed % 2 ? (qd_vec2){3, -10} : (qd_vec2){0, 0};
    def.friction = (double[]){0, .3, 10, (double)INFINITY}[seed / 2 % 4];
    def.restitution = seed / 3 % 2 ? .6 : 0;
    def.tangential = seed % 6 == 3 ? .5 : 0;
    def.continuous = QD_CONTINUOUS_OFF;
    def.substeps = 4 + (int)(seed % 9);
    def.threads = 1 + (int)(seed % 2);
    if (def.boundary_x == QD_BOUNDARY_REFLECT) def.wall_motion[seed % 2].velocity = seed % 2 ? -.5 : .5;
    def.wall_motion[QD_WALL_BOTTOM - QD_WALL_LEFT].slide = seed % 5 ? 0 : 1;
    def.wall_motion[QD_WALL_TOP - QD_WALL_LEFT].velocity = seed % 7 ? 0 : -.3;
    return def;
}

/// Metrics say of every step what its impulses did: energy lost, work of walls, belts and kinematic bodies,
/// and pushes of walls.
QD_TEST_LOOP(metrics_are_those_of_the_events, 0, 2) {
    size_t sharp = 0;
    const uint64_t first = qd_test_seed(1) + 1000 * (uint64_t)_i,
                   last = first + (qd_test_replaying() ? 1 : qd_test_effort(12));
    for (uint64_t seed = first; seed < last; ++seed) {
        qd_random random = qd_random_at(seed, 0, 73);
        const qd_world_def def = ring_def(seed);
        open_books(seed, qd_test_world(&def));
        fill_ring(books.world, &random, seed % 4 < 2);
        qd_metrics before = qd_test_measure(books.world);
        for (int step = 0; step < 60; ++step) {
            ck_assert_int_eq(qd_world_detect(books.world), QD_OK);
            qd_test_ledger_step(&books, (double[]){.01, .005, .002}[seed % 3]);
            const qd_metrics after = qd_test_measure(books.world);
            check_dues(&before, &after, def.restitution > 0 || def.tangential > 0);
            before = after;
            sharp += !books.blurred;
        }
        qd_world_destroy(books.world);
    }
    qd_test_count(last - first);
    if (!qd_test_replaying()) ck_assert_uint_gt(sharp, 20 * (last - first));
}

QD_TEST_MAIN("impulses", 120, NULL, NULL)
