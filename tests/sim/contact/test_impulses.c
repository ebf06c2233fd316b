// What events tell that contacts gave, step by step, against what bodies got.
#include "sim/world/world_impl.h"
#include "tests/support/harness.h"
#include "tests/support/wild.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/metrics.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 512, CONTACTS = 8192 };

typedef struct body_seen {
    double x, y, vx, vy, mass;
    uint32_t generation;
    uint8_t kind;
    bool there;
} body_seen;

/// The books of a world's steps.
typedef struct ledger {
    qd_world *world;
    uint64_t seed;
    body_seen before[MOST], after[MOST];
    qd_contact contacts[CONTACTS]; ///< of the moment before
    size_t contact_count;
    qd_vec2 got[MOST]; ///< by index: what events say that a body got, in the last step
    double size[MOST]; ///< and the sum of its parts' sizes
    qd_vec2 walls;     ///< what they say that walls gave
    double walls_size;
    double virial, virial_size;
    size_t turned;  ///< events whose touches became others, of all steps
    size_t caught;  ///< contacts that have begun and gave something before, of all steps
    size_t impacts; ///< impacts of those that do not touch, of all steps
} ledger;

/// Notes the bodies of a world, by index.
static void see_bodies(const qd_world *world, body_seen *seen) {
    const qd_body_view view = qd_world_view(world);
    memset(seen, 0, MOST * sizeof *seen);
    ck_assert_uint_le(view.index_count, MOST);
    for (size_t r = 0; r < view.count; ++r)
        seen[view.index[r]] = (body_seen){view.x[r],    view.y[r],          view.vx[r],   view.vy[r],
                                          view.mass[r], view.generation[r], view.kind[r], true};
}

static bool same_id(qd_id p, qd_id q) {
    return p.index == q.index && p.generation == q.generation;
}

/// The contact of two in the moment before; NULL: they did not touch.
static const qd_contact *contact_before(const ledger *books, const qd_contact *now) {
    for (size_t i = 0; i < books->contact_count; ++i)
        if (same_id(books->contacts[i].a, now->a) && same_id(books->contacts[i].b, now->b))
            return &books->contacts[i];
    return NULL;
}

/// The normal of two that did not touch then, but were near each other, along which their impulse is: nobody
/// is told.
static qd_vec2 normal_before(const qd_world *world, const qd_contact *now) {
    const qdi_contact_state *state = &world->following; // what was the present state
    const uint64_t order = qdi_contact_order(now->a, now->b);
    const size_t end = qdi_constraint_count(state),
                 at = qdi_contacts_find(state, state->contact_count, end, order);
    ck_assert(at < end && qdi_contact_order_at(state, at) == order);
    return state->geometry[state->spots[qdi_place_of(state, at)].geometry].normal;
}

/// The place of b as seen from a, in the moment before.
static qd_vec2 between(const ledger *books, qd_id a, qd_id b) {
    const qd_world_def def = qd_world_definition(books->world);
    double dx = books->before[b.index].x - books->before[a.index].x,
           dy = books->before[b.index].y - books->before[a.index].y;
    if (def.boundary_x == QD_BOUNDARY_PERIODIC) dx -= def.size.x * floor(dx / def.size.x + .5);
    if (def.boundary_y == QD_BOUNDARY_PERIODIC) dy -= def.size.y * floor(dy / def.size.y + .5);
    return (qd_vec2){dx, dy};
}

/// Puts what b got from a into the books.
static void enter(ledger *books, qd_id a, qd_id b, qd_vec2 n, double push, double tangent,
                  const qd_vec2 *arm) {
    const qd_vec2 j = {push * n.x - tangent * n.y, push * n.y + tangent * n.x};
    const double size = fabs(push) + fabs(tangent);
    books->got[a.index].x -= j.x;
    books->got[a.index].y -= j.y;
    books->size[a.index] += size;
    if (qd_id_is_wall(b)) {
        books->walls.x -= j.x;
        books->walls.y -= j.y;
        books->walls_size += size;
        return;
    }
    books->got[b.index].x += j.x;
    books->got[b.index].y += j.y;
    books->size[b.index] += size;
    if (books->before[a.index].kind != QD_BODY_DYNAMIC || books->before[b.index].kind != QD_BODY_DYNAMIC)
        return;
    const qd_vec2 way = arm ? *arm : between(books, a, b);
    books->virial += way.x * j.x + way.y * j.y;
    books->virial_size += fabs(way.x * j.x) + fabs(way.y * j.y);
}

/// True where some touch of a contact that gave something is no more.
static bool has_turned(const qd_contact *before, const qd_contact *now) {
    bool all = true;
    for (int j = 0; j < before->count; ++j) {
        bool there = false;
        for (int k = 0; k < now->count; ++k)
            there = there || now->touch[k].feature == before->touch[j].feature;
        all = all && there;
    }
    return !all;
}

/// Puts an event into the books.
static void enter_event(ledger *books, const qd_event *event) {
    const qd_contact *now = event->contact, *before = contact_before(books, now);
    double push = 0, tangent = 0;
    for (int k = 0; k < now->count; ++k) {
        ck_assert_double_ge(now->touch[k].impulse, 0);
        push += now->touch[k].impulse;
        tangent += now->touch[k].friction;
    }
    ck_assert((before != NULL) == (event->kind != QD_EVENT_BEGIN));
    if (push == 0 && tangent == 0) return;
    ck_assert(!now->sensor);
    books->caught += !before;
    books->turned += event->kind == QD_EVENT_PERSIST && has_turned(before, now);
    enter(books, now->a, now->b, before ? before->normal : normal_before(books->world, now), push, tangent,
          NULL);
}

/// Opens the books of a step.
static void open_books(ledger *books) {
    memset(books->got, 0, sizeof books->got);
    memset(books->size, 0, sizeof books->size);
    books->walls = (qd_vec2){0, 0};
    books->walls_size = books->virial = books->virial_size = 0;
}

/// Makes a step, and puts it into the books.
static void step_booked(ledger *books, double dt) {
    qd_world *world = books->world;
    size_t count;
    const qd_contact *contacts = qd_world_contacts(world, &count);
    ck_assert_uint_le(count, CONTACTS);
    memcpy(books->contacts, contacts, count * sizeof *contacts);
    books->contact_count = count;
    see_bodies(world, books->before);
    qd_test_step(world, dt, 1);
    see_bodies(world, books->after);
    open_books(books);
    const qd_event *events = qd_world_events(world, &count);
    for (size_t i = 0; i < count; ++i) enter_event(books, &events[i]);
    const qd_impact *impact = qd_world_impacts(world, &count);
    for (size_t i = 0; i < count; ++i, ++impact) {
        const bool on_the_way = impact->between.x != 0 || impact->between.y != 0;
        enter(books, impact->a, impact->b, impact->normal, impact->impulse, impact->friction,
              on_the_way ? &impact->between : NULL);
        books->impacts += impact->time == 0;
    }
}

/// Ends the test unless each body has got what events say. `slack`: what a body may lack of the acceleration
/// by forces: one that ccd stops has only that of a part of the step. What pushes bodies apart and leaves
/// them no speed rounds all the same.
static void check_bodies(const ledger *books, qd_vec2 pull, double slack, double dt) {
    for (size_t i = 0; i < MOST; ++i) {
        const body_seen *p = &books->before[i], *q = &books->after[i];
        if (!p->there || !q->there || p->generation != q->generation || p->kind != QD_BODY_DYNAMIC) continue;
        const double m = p->mass, x = m * (q->vx - p->vx - pull.x), y = m * (q->vy - p->vy - pull.y),
                     speeds = fabs(p->vx) + fabs(p->vy) + fabs(q->vx) + fabs(q->vy),
                     pulls = fabs(pull.x) + fabs(pull.y),
                     way = .1 / dt * (fabs(q->x - p->x) + fabs(q->y - p->y)),
                     off = hypot(x - books->got[i].x, y - books->got[i].y);
        QD_TEST_CHECK(off <= 1e-12 * (books->size[i] + m * (speeds + pulls + way)) + m * slack, books->seed,
                      "step", (int)qd_world_steps(books->world),
                      "body %zu got (%g, %g) of contacts, and events tell of (%g, %g)", i, x, y,
                      books->got[i].x, books->got[i].y);
    }
}

/// Ends the test unless walls gave what events say.
static void check_walls(const ledger *books, qd_vec2 before) {
    const qd_vec2 after = qd_world_total(books->world).wall_impulse;
    const double rounding = 1e-12 * (books->walls_size + fabs(after.x) + fabs(after.y)),
                 off = hypot(after.x - before.x - books->walls.x, after.y - before.y - books->walls.y);
    QD_TEST_CHECK(off <= rounding, books->seed, "step", (int)qd_world_steps(books->world),
                  "walls gave %g more than events tell", off);
}

/// Ends the test unless the virial is that of the events.
static void check_virial(const ledger *books, double before, double dt) {
    const qd_metrics m = qd_test_measure(books->world);
    const double told = books->virial, rounding = 1e-11 * books->virial_size + 1e-13 * fabs(before);
    QD_TEST_CHECK(
        fabs(m.virial_impulse - before - told) <= rounding && fabs(m.virial * dt - told) <= rounding,
        books->seed, "step", (int)qd_world_steps(books->world),
        "the virial is %g or %g, and by the events %g", m.virial_impulse - before, m.virial * dt, told);
}

/// A body is moved, removed or added by hand; no time passes meanwhile, so nobody gives
/// anything.
static void edit(ledger *books, qd_random *random) {
    qd_world *world = books->world;
    const qd_body_view view = qd_world_view(world);
    if (view.count == 0) return;
    const size_t row = qd_test_below(random, view.count);
    const qd_id id = {view.index[row], view.generation[row]};
    const qd_vec2 at = {view.x[row] + qd_test_between(random, -.3, .3), view.y[row]},
                  velocity = {view.vx[row], view.vy[row]};
    const qd_body_def body = qd_test_body_at(qd_shape_rect(.7, .4), at.x, at.y);
    const size_t what = qd_test_below(random, 3);
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
START_TEST(each_impulse_is_in_one_event) {
    static ledger books;
    size_t turned = 0, caught = 0, impacts = 0;
    const uint64_t first = qd_test_seed(1) + 1000 * (uint64_t)_i,
                   last = first + (qd_test_replaying() ? 1 : qd_test_effort(12));
    for (uint64_t seed = first; seed < last; ++seed) {
        qd_random random = qd_random_at(seed, 0, 71);
        double dt;
        memset(&books, 0, sizeof books);
        books.seed = seed;
        books.world = any_world(&random, (int)seed, &dt);
        const qd_world_def def = qd_world_definition(books.world);
        const qd_vec2 pull = {def.gravity.x * dt, def.gravity.y * dt};
        const bool stopped = def.continuous != QD_CONTINUOUS_OFF;
        ck_assert_int_eq(qd_world_detect(books.world), QD_OK);
        for (int step = 0; step < 120; ++step) {
            if (step == 60) books.world = qd_test_reload(books.world, 1 + (int)(seed % 3));
            if (step % 10 == 5) edit(&books, &random);
            const qd_vec2 walls = qd_world_total(books.world).wall_impulse;
            const double virial = qd_test_measure(books.world).virial_impulse;
            step_booked(&books, dt);
            check_bodies(&books, pull, stopped ? hypot(pull.x, pull.y) : 0, dt);
            check_walls(&books, walls);
            check_virial(&books, virial, dt);
        }
        turned += books.turned;
        caught += books.caught;
        impacts += books.impacts;
        qd_world_destroy(books.world);
    }
    qd_test_count(last - first);
    if (qd_test_replaying()) return;
    ck_assert_uint_gt(turned, 0);
    ck_assert_uint_gt(caught, 0);
    ck_assert_uint_gt(impacts, 0);
}
END_TEST

/// Puts half of what springs give at a moment into the books.
static void enter_halves(ledger *books) {
    size_t count;
    const qd_contact *now = qd_world_contacts(books->world, &count);
    for (size_t i = 0; i < count; ++i, ++now)
        for (int k = 0; k < now->count; ++k)
            enter(books, now->a, now->b, now->normal, .5 * now->touch[k].impulse, .5 * now->touch[k].friction,
                  NULL);
}

/// With springs a moment's impulses are its forces times the step: half of it before, half after.
START_TEST(springs_give_what_they_tell) {
    static ledger books;
    const uint64_t first = qd_test_seed(1) + 1000 * (uint64_t)_i,
                   last = first + (qd_test_replaying() ? 1 : qd_test_effort(12));
    for (uint64_t seed = first; seed < last; ++seed) {
        qd_random random = qd_random_at(seed, 0, 72);
        qd_world_def def = qd_test_random_def(&random);
        def.contact = QD_CONTACT_SPRING;
        def.spring.contact_time = .1;
        if (qd_test_chance(&random, .3)) def.spring.adhesion = 1;
        def.threads = 1 + (int)(seed % 2);
        memset(&books, 0, sizeof books);
        books.seed = seed;
        books.world = qd_test_world(&def);
        if (seed % 3)
            qd_test_scatter_shapes(books.world, &random, 150);
        else
            qd_test_scatter(books.world, &random, 300);
        const double dt = .004;
        qd_test_step(books.world, dt, 1);
        for (int step = 0; step < 60; ++step) {
            if (step == 30) books.world = qd_test_reload(books.world, 2);
            const qd_vec2 walls = qd_world_total(books.world).wall_impulse;
            see_bodies(books.world, books.before);
            open_books(&books);
            enter_halves(&books);
            qd_test_step(books.world, dt, 1);
            enter_halves(&books);
            see_bodies(books.world, books.after);
            check_bodies(&books, (qd_vec2){def.gravity.x * dt, def.gravity.y * dt}, 0, dt);
            check_walls(&books, walls);
        }
        qd_world_destroy(books.world);
    }
    qd_test_count(last - first);
}
END_TEST

int main(void) {
    TCase *tcase = qd_test_case("impulses", 120, NULL, NULL);
    tcase_add_loop_test(tcase, each_impulse_is_in_one_event, 0, 3);
    tcase_add_loop_test(tcase, springs_give_what_they_tell, 0, 2);
    return qd_test_run_case("impulses", tcase);
}
