#include "core/base/os.h"
#include "sim/world/contact_list.h"
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <quadrille/world.h>
#include <string.h>

static const qd_event *events_of(const qd_world *world, size_t expected) {
    size_t count;
    const qd_event *events = qd_world_events(world, &count);
    ck_assert_uint_eq(count, expected);
    return events;
}

static void check_event(const qd_event *e, qd_event_kind kind, uint32_t a, uint32_t b) {
    ck_assert_int_eq(e->kind, kind);
    ck_assert_uint_eq(e->contact->a.index, a);
    ck_assert_uint_eq(e->contact->b.index, b);
}

static qd_world *ghost_world(void) {
    qd_world_def def = qd_test_open_def();
    def.contact = QD_CONTACT_NONE;
    return qd_test_world(&def);
}

QD_TEST(a_passage_begins_persists_and_ends) {
    qd_own(qd_world) world = ghost_world();
    qd_test_disk(world, 0, 0, 1, 0, 0.5, 0);
    qd_test_disk(world, 1.75, 0, 0, 0, 0.5, 0);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    events_of(world, 0);
    const int expected[] = {
        -1, QD_EVENT_BEGIN, QD_EVENT_PERSIST, QD_EVENT_PERSIST, QD_EVENT_PERSIST, QD_EVENT_END, -1};
    for (int k = 0; k < 7; ++k) { // x = 0.5 k: touching from 0.75 to 2.75
        qd_test_step(world, 0.5, 1);
        const qd_event *e = events_of(world, expected[k] >= 0);
        if (expected[k] >= 0) check_event(e, (qd_event_kind)expected[k], 0, 1);
        if (expected[k] == QD_EVENT_END) ck_assert_double_eq(e->contact->touch[0].depth, 0.25); // as it was
    }
    qd_world_totals totals = qd_world_total(world);
    ck_assert_uint_eq(totals.begins, 1);
    ck_assert_uint_eq(totals.ends, 1);
    ck_assert_uint_eq(totals.contacts, 4);
}

QD_TEST(step_zero_has_contacts) {
    qd_own(qd_world) world = ghost_world();
    qd_test_disk(world, 0, 0, 0, 0, 0.5, 0);
    qd_test_disk(world, 0.5, 0, 0, 0, 0.5, 0);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    check_event(events_of(world, 1), QD_EVENT_BEGIN, 0, 1);
    ck_assert_int_eq(qd_world_detect(world), QD_OK); // nothing changed: nothing is done
    check_event(events_of(world, 1), QD_EVENT_BEGIN, 0, 1);
    ck_assert_uint_eq(qd_world_total(world).contacts, 1);
    qd_test_step(world, 1, 1);
    check_event(events_of(world, 1), QD_EVENT_PERSIST, 0, 1);
    ck_assert_uint_eq(qd_world_total(world).contacts, 2);
}

// A body goes and another takes its index at the same place: the old contact ends, a new one begins.
QD_TEST(a_reused_index_ends_and_begins) {
    qd_own(qd_world) world = ghost_world();
    qd_id a = qd_test_disk(world, 0, 0, 0, 0, 0.5, 0);
    qd_id b = qd_test_disk(world, 0.5, 0, 0, 0, 0.5, 0);
    qd_test_disk(world, 0.5, 0.5, 0, 0, 0.25, 0);
    qd_test_step(world, 1, 2);
    ck_assert_int_eq(qd_world_remove(world, b), QD_OK);
    qd_id c = qd_test_disk(world, 0.5, 0, 0, 0, 0.5, 0);
    ck_assert_uint_eq(c.index, b.index);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    const qd_event *e = events_of(world, 5);
    check_event(&e[0], QD_EVENT_END, 0, 1);
    ck_assert_uint_eq(e[0].contact->b.generation, b.generation);
    check_event(&e[1], QD_EVENT_BEGIN, 0, 1);
    ck_assert_uint_eq(e[1].contact->b.generation, c.generation);
    check_event(&e[2], QD_EVENT_PERSIST, 0, 2);
    check_event(&e[3], QD_EVENT_END, 1, 2);
    check_event(&e[4], QD_EVENT_BEGIN, 1, 2);
    ck_assert_int_eq(qd_world_remove(world, a), QD_OK);
    qd_test_step(world, 1, 1); // finds the end by itself before it steps
    check_event(events_of(world, 1), QD_EVENT_PERSIST, 1, 2);
    ck_assert_uint_eq(qd_world_total(world).begins, 5);
    ck_assert_uint_eq(qd_world_total(world).ends, 4);
}

QD_TEST(walls_have_events) {
    qd_world_def def = qd_world_def_default();
    def.continuous = QD_CONTINUOUS_OFF; // else it has left the wall when the step ends
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_disk(world, 1, 50, -1, 0, 0.5, 0);
    qd_test_step(world, 0.375, 1);
    events_of(world, 0);
    qd_test_step(world, 0.375, 1);
    check_event(events_of(world, 1), QD_EVENT_BEGIN, 0, QD_WALL_LEFT);
    qd_test_step(world, 0.375, 1);
    check_event(events_of(world, 1), QD_EVENT_END, 0, QD_WALL_LEFT);
}

// Random worlds: events must follow from the contacts before and after by the plainest comparison.
static bool same(const qd_contact *p, const qd_contact *q) {
    return memcmp(&p->a, &q->a, sizeof p->a) == 0 && memcmp(&p->b, &q->b, sizeof p->b) == 0;
}

static bool holds(const qd_contact *list, size_t count, const qd_contact *contact) {
    for (size_t i = 0; i < count; ++i)
        if (same(&list[i], contact)) return true;
    return false;
}

static uint64_t order_of(const qd_contact *c) {
    return (uint64_t)c->a.index << 32 | c->b.index;
}

static void check_events(const qd_world *world, const qd_contact *before, size_t old) {
    size_t count, n;
    const qd_contact *now = qd_world_contacts(world, &n);
    const qd_event *events = qd_world_events(world, &count);
    size_t kinds[3] = {0, 0, 0};
    for (size_t i = 0; i < count; ++i) {
        const qd_contact *c = events[i].contact;
        kinds[events[i].kind] += 1;
        bool was = holds(before, old, c), is = holds(now, n, c);
        ck_assert_int_eq(was, events[i].kind != QD_EVENT_BEGIN);
        ck_assert_int_eq(is, events[i].kind != QD_EVENT_END);
        if (i == 0) continue;
        uint64_t last = order_of(events[i - 1].contact);
        bool reused = events[i - 1].kind == QD_EVENT_END && events[i].kind == QD_EVENT_BEGIN;
        ck_assert(last < order_of(c) || (last == order_of(c) && reused));
    }
    ck_assert_uint_eq(kinds[QD_EVENT_BEGIN] + kinds[QD_EVENT_PERSIST], n);
    ck_assert_uint_eq(kinds[QD_EVENT_PERSIST] + kinds[QD_EVENT_END], old);
}

static void mix_bodies(qd_world *world, qd_random *random) {
    for (int k = 0; k < 40; ++k) {
        qd_body_view view = qd_world_view(world);
        uint32_t row = (uint32_t)(qd_random_bits(random) % view.count);
        ck_assert_int_eq(qd_world_remove(world, (qd_id){view.index[row], view.generation[row]}), QD_OK);
    }
    qd_test_scatter(world, random, 40);
}

QD_TEST(random_worlds_have_the_right_events) {
    enum { MOST = 20000 };
    static qd_contact before[MOST];
    uint64_t first = qd_test_seed(300);
    size_t cases = qd_test_replaying() ? 1 : qd_test_effort(12);
    for (uint64_t seed = first; seed < first + cases; ++seed) {
        qd_random random = qd_random_at(seed, 0, 4);
        qd_world_def def = qd_test_random_def(&random);
        def.threads = 1 + (int)(seed % 4);
        qd_own(qd_world) world = qd_test_world(&def);
        qd_test_scatter(world, &random, 900);
        ck_assert_int_eq(qd_world_detect(world), QD_OK);
        for (int k = 0; k < 8; ++k) {
            size_t old;
            const qd_contact *contacts = qd_world_contacts(world, &old);
            ck_assert_uint_lt(old, MOST);
            memcpy(before, contacts, old * sizeof *before);
            if (k % 2) {
                qd_test_step(world, 0.03, 1);
            } else {
                mix_bodies(world, &random);
                ck_assert_int_eq(qd_world_detect(world), QD_OK);
            }
            check_events(world, before, old);
        }
        qd_world_totals totals = qd_world_total(world);
        size_t present;
        (void)qd_world_contacts(world, &present);
        ck_assert_uint_eq(totals.begins - totals.ends, present);
    }
}

// ---- read late, read in part, read by many ----

// Bodies of all shapes that fall on each other.
static qd_world *falling_world(uint64_t seed, qd_contact_model model) {
    qd_random random = qd_random_at(seed, 0, 7);
    qd_world_def def = qd_world_def_default();
    def.contact = model;
    if (model == QD_CONTACT_SPRING) def.spring.contact_time = 0.08;
    def.size = (qd_vec2){14, 14};
    def.gravity = (qd_vec2){1, -10};
    def.friction = 0.4;
    def.restitution = 0.3;
    def.threads = 1 + (int)(seed % 3);
    qd_world *world = qd_test_world(&def);
    qd_test_scatter(world, &random, 150);
    return world;
}

static void check_changes(const qd_world *all, const qd_world *some) {
    size_t count, changes, k = 0;
    const qd_event *events = qd_world_events(all, &count), *found = qdi_changes_read(some, &changes);
    for (size_t i = 0; i < count; ++i) {
        if (events[i].kind == QD_EVENT_PERSIST) continue;
        while (k < changes && found[k].kind == QD_EVENT_PERSIST) ++k; // all have been asked for
        ck_assert_uint_lt(k, changes);
        ck_assert_int_eq(found[k].kind, events[i].kind);
        ck_assert_mem_eq(&found[k].contact->a, &events[i].contact->a, sizeof(qd_id));
        ck_assert_mem_eq(&found[k].contact->b, &events[i].contact->b, sizeof(qd_id));
        for (int t = 0; t < 2; ++t) {
            const qd_touch *one = &found[k].contact->touch[t], *two = &events[i].contact->touch[t];
            ck_assert(one->point.x == two->point.x && one->point.y == two->point.y &&
                      one->depth == two->depth && one->impulse == two->impulse &&
                      one->friction == two->friction && one->feature == two->feature);
        }
        k += 1;
    }
    while (k < changes && found[k].kind == QD_EVENT_PERSIST) ++k;
    ck_assert_uint_eq(k, changes);
}

static bool stop_now(void *context) {
    (void)context;
    return true;
}

// One world is read in every step. The other is read now and then, in some steps only what changed, in some
// after a step that was not made.
QD_TEST(it_does_not_matter_when_they_are_read) {
    const uint64_t first = qd_test_seed(500);
    size_t changed = 0;
    for (uint64_t seed = first; seed < first + (qd_test_replaying() ? 1 : 8); ++seed) {
        const qd_contact_model model = seed % 4 == 3 ? QD_CONTACT_SPRING : QD_CONTACT_IMPULSE;
        qd_own(qd_world) all = falling_world(seed, model), some = falling_world(seed, model);
        for (uint64_t k = 0; k < 60; ++k) {
            qd_test_step(all, 0.004, 1);
            qd_test_step(some, 0.004, 1);
            const uint64_t expected = qd_test_events_hash(all), way = (k * 7 + seed) % 5;
            if (way == 0) continue;
            if (way == 1 || way == 2) check_changes(all, some);
            if (way == 3) {
                ck_assert_int_eq(qd_world_set_stop(some, stop_now, NULL), QD_OK);
                ck_assert_int_eq(qd_world_step(some, 0.004, NULL), QD_ERR_STOPPED);
                ck_assert_int_eq(qd_world_set_stop(some, NULL, NULL), QD_OK);
            }
            if (way > 1) ck_assert_uint_eq(qd_test_events_hash(some), expected);
            if (way == 2) check_changes(all, some);
            changed += qd_world_total(all).begins;
        }
        ck_assert_uint_eq(qd_world_hash(all), qd_world_hash(some));
    }
    ck_assert_uint_gt(changed, 1000);
}

typedef struct reader {
    const qd_world *world;
    uint64_t hash;
    qdi_thread *thread;
} reader;

static void read_all(void *context) {
    reader *one = context;
    one->hash = qd_test_events_hash(one->world);
}

QD_TEST_LOOP(many_threads_may_read_them, 0, 2) {
    enum { READERS = 6 };
    const qd_contact_model model = _i == 0 ? QD_CONTACT_IMPULSE : QD_CONTACT_SPRING;
    qd_own(qd_world) world = falling_world(3, model), quiet = falling_world(3, model);
    for (int k = 0; k < 40; ++k) {
        reader readers[READERS];
        qd_test_step(world, 0.004, 1);
        qd_test_step(quiet, 0.004, 1);
        const uint64_t expected = qd_test_events_hash(quiet);
        for (int r = 0; r < READERS; ++r) {
            readers[r].world = world;
            ck_assert_int_eq(
                qdi_thread_start(qd_allocator_default(), read_all, &readers[r], &readers[r].thread), QD_OK);
        }
        const uint64_t state = qd_world_hash(world); // beside them, on the world's team
        for (int r = 0; r < READERS; ++r) qdi_thread_join(readers[r].thread);
        for (int r = 0; r < READERS; ++r) ck_assert_uint_eq(readers[r].hash, expected);
        ck_assert_uint_eq(state, qd_world_hash(quiet));
    }
}

QD_TEST_MAIN("events", 120, NULL, NULL)
