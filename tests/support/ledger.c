#include "tests/support/ledger.h"

#include "sim/world/world_impl.h"

#include <math.h>
#include <string.h>

void qd_test_see_bodies(const qd_world *world, qd_test_seen seen[QD_TEST_LEDGER_BODIES]) {
    const qd_body_view view = qd_world_view(world);
    memset(seen, 0, QD_TEST_LEDGER_BODIES * sizeof *seen);
    ck_assert_uint_le(view.index_count, QD_TEST_LEDGER_BODIES);
    for (size_t r = 0; r < view.count; ++r)
        seen[view.index[r]] = (qd_test_seen){
            view.x[r],    view.y[r],       view.vx[r],         view.vy[r],   view.spin[r], world->now.lean[r],
            view.mass[r], view.inertia[r], view.generation[r], view.kind[r], true};
}

qd_vec2 qd_test_difference(const qd_world *world, double dx, double dy) {
    const qd_world_def def = qd_world_definition(world);
    if (def.boundary_x == QD_BOUNDARY_PERIODIC) dx -= def.size.x * floor(dx / def.size.x + .5);
    if (def.boundary_y == QD_BOUNDARY_PERIODIC) dy -= def.size.y * floor(dy / def.size.y + .5);
    return (qd_vec2){dx, dy};
}

static bool same_id(qd_id p, qd_id q) {
    return p.index == q.index && p.generation == q.generation;
}

/// Two as they were in the moment before, whether they touched or were only near each other, of which nobody
/// is told. Impulses are not looked at.
static qd_contact contact_before(const qd_test_ledger *ledger, qd_id a, qd_id b, bool *touched) {
    for (size_t i = 0; i < ledger->contact_count; ++i) {
        const qd_contact *contact = &ledger->contacts[i];
        *touched = same_id(contact->a, a) && same_id(contact->b, b);
        if (*touched) return *contact;
    }
    const qdi_contact_state *state = &ledger->world->following; // what was the present state
    const uint64_t order = qdi_contact_order(a, b);
    const size_t end = qdi_constraint_count(state),
                 at = qdi_contacts_find(state, state->contact_count, end, order);
    if (at == end || qdi_contact_order_at(state, at) != order) return (qd_contact){.count = 0};
    const uint32_t place = state->spots[qdi_place_of(state, at)].geometry;
    const qdi_geometry *geometry = &state->geometry[place];
    qd_contact contact = {.a = a, .b = b, .normal = geometry->normal, .count = state->found[place].count};
    for (int k = 0; k < contact.count; ++k)
        contact.touch[k] = (qd_touch){.point = geometry->point[k],
                                      .depth = geometry->depth[k],
                                      .feature = state->found[place].feature[k]};
    return contact;
}

void qd_test_ledger_enter(qd_test_ledger *ledger, const qd_contact *contact, const qd_touch *touch,
                          double impulse, double friction) {
    const qd_id a = contact->a, b = contact->b;
    const bool wall = qd_id_is_wall(b), moves_a = ledger->before[a.index].kind == QD_BODY_DYNAMIC,
               moves_b = !wall && ledger->before[b.index].kind == QD_BODY_DYNAMIC;
    const double shift = moves_a && moves_b ? 0 : moves_b ? -.5 * touch->depth : .5 * touch->depth;
    qd_test_ledger_entry *entry = &ledger->entries[ledger->count++];
    *entry = (qd_test_ledger_entry){
        .a = a,
        .b = b,
        .normal = contact->normal,
        .point = {touch->point.x + shift * contact->normal.x, touch->point.y + shift * contact->normal.y},
        .impulse = impulse,
        .friction = friction};
    for (int side = 0; side < (wall ? 1 : 2); ++side) {
        const qd_test_seen *body = &ledger->before[side ? b.index : a.index];
        const qd_vec2 arm = qd_test_difference(ledger->world, entry->point.x - body->x,
                                               entry->point.y - body->y);
        entry->lean[side] = fabs(body->lean) * hypot(arm.x, arm.y);
    }
    if (!wall)
        entry->way = qd_test_difference(ledger->world, ledger->before[b.index].x - ledger->before[a.index].x,
                                        ledger->before[b.index].y - ledger->before[a.index].y);
}

/// The touch that a touch was; NULL: it was another one.
static const qd_touch *touch_before(const qd_contact *before, const qd_touch *now) {
    for (int j = 0; j < before->count; ++j)
        if (before->touch[j].feature == now->feature) return &before->touch[j];
    return NULL;
}

/// Adds the entries of an event.
static void enter_event(qd_test_ledger *ledger, const qd_event *event) {
    const qd_contact *now = event->contact;
    double impulse = 0, friction = 0;
    for (int k = 0; k < now->count; ++k) {
        ck_assert_double_ge(now->touch[k].impulse, 0);
        impulse += now->touch[k].impulse;
        friction += now->touch[k].friction;
    }
    bool touched = false;
    const qd_contact before = contact_before(ledger, now->a, now->b, &touched);
    ck_assert(touched == (event->kind != QD_EVENT_BEGIN));
    if (impulse == 0 && friction == 0) return;
    ck_assert(before.count > 0 && !now->sensor);
    int same = 0;
    for (int k = 0; k < now->count; ++k) same += touch_before(&before, &now->touch[k]) != NULL;
    ledger->caught += !touched;
    ledger->turned += touched && same < before.count;
    if (same < before.count) { // of two, nobody is told what each of them gave
        ledger->blurred = ledger->blurred || before.count > 1;
        qd_test_ledger_enter(ledger, &before, &before.touch[0], impulse, friction);
        return;
    }
    for (int k = 0; k < now->count; ++k) {
        const qd_touch *touch = touch_before(&before, &now->touch[k]);
        if (touch)
            qd_test_ledger_enter(ledger, &before, touch, now->touch[k].impulse, now->touch[k].friction);
    }
}

/// Adds the entry of an impact.
static void enter_impact(qd_test_ledger *ledger, const qd_impact *impact) {
    bool touched = false;
    const qd_contact before = contact_before(ledger, impact->a, impact->b, &touched),
                     then = {.a = impact->a,
                             .b = impact->b,
                             .normal = impact->normal,
                             .touch[0] = {.point = impact->point,
                                          .depth = impact->time == 0 ? before.touch[0].depth : 0}};
    qd_test_ledger_enter(ledger, &then, &then.touch[0], impact->impulse, impact->friction);
    if (impact->between.x != 0 || impact->between.y != 0)
        ledger->entries[ledger->count - 1].way = impact->between;
    ledger->impacts += impact->time == 0;
    ledger->blurred = ledger->blurred || impact->time > 0 || before.count > 1;
}

void qd_test_ledger_step(qd_test_ledger *ledger, double dt) {
    qd_world *world = ledger->world;
    size_t count;
    const qd_contact *contacts = qd_world_contacts(world, &count);
    ck_assert_uint_le(count, QD_TEST_LEDGER_CONTACTS);
    memcpy(ledger->contacts, contacts, count * sizeof *contacts);
    ledger->contact_count = count;
    ledger->count = 0;
    ledger->blurred = false;
    qd_test_see_bodies(world, ledger->before);
    qd_test_step(world, dt, 1);
    qd_test_see_bodies(world, ledger->after);
    const qd_event *events = qd_world_events(world, &count);
    for (size_t i = 0; i < count; ++i) enter_event(ledger, &events[i]);
    const qd_impact *impacts = qd_world_impacts(world, &count);
    for (size_t i = 0; i < count; ++i) enter_impact(ledger, &impacts[i]);
}
