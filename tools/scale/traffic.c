// What each pass of a step reads and writes per item. A line below is a pass, named as what it does is named
// where it stands; widths are those of the arrays. Where a pass goes over pairs or contacts, what it needs of
// their bodies is a line of its own, by body: each is read once.
#include "tools/scale/traffic.h"

#include "core/tree/slots.h"
#include "sim/rigid/solver.h"
#include "sim/world/world_impl.h"

/// Width of an item of an array: ITEM(qd_world, mass).
#define ITEM(type, array) sizeof(((const type *)NULL)->array[0])

enum {
    ANY = QDI_TRAFFIC_NONE | QDI_TRAFFIC_IMPULSE | QDI_TRAFFIC_SPRING,
    RIGID = QDI_TRAFFIC_NONE | QDI_TRAFFIC_IMPULSE, // bodies meet nothing, or bounce and rest
    KEY = sizeof(uint64_t),
    ROW = sizeof(uint32_t), // also of what is counted or named by a number as short
    X = ITEM(qdi_motion, x),
    PLACE = ITEM(qdi_motion, x) + ITEM(qdi_motion, y),
    VELOCITY = ITEM(qdi_motion, vx) + ITEM(qdi_motion, vy),
    SPIN = ITEM(qdi_motion, spin),
    TURN = ITEM(qdi_motion, c) + ITEM(qdi_motion, s),
    DISK = PLACE + ITEM(qd_world, radius),
    BOX = ITEM(qd_world, boxes),
    SLOT = ITEM(qdi_slots, min_x) + ITEM(qdi_slots, min_y) + ITEM(qdi_slots, max_x) + ITEM(qdi_slots, max_y),
    NAMED = ITEM(qdi_slots, row) + ITEM(qdi_slots, index),
    SPOT = ITEM(qdi_contact_state, spots),
    GEOMETRY = ITEM(qdi_contact_state, geometry),
    FOUND = ITEM(qdi_contact_state, found),
    PARTNERS = ITEM(qdi_contact_state, partners),
    WARM = ITEM(qdi_contact_state, warm_starts),
    GIVEN = ITEM(qdi_contact_state, given),
    ROWS = ITEM(qdi_contact_state, pairs_met),
    SHEAR = ITEM(qdi_contact_state, shears),
    THIN_FORCE = ITEM(qdi_contact_state, thin_forces),
    LINK = sizeof(qdi_link),
    OUTCOME = GIVEN + WARM,
    BALANCE = sizeof(qdi_contact_balance),
    LANE = sizeof(qdi_solver_group) /
           QDI_SOLVER_LANES, // of a constraint's group; second touches are left out
    IMPULSES = (ITEM(qdi_solver_point, normal) + ITEM(qdi_solver_point, tangent)), // of a constraint's lane
    TOTALS = (ITEM(qdi_solver_point, total) + ITEM(qdi_solver_point, total_tangent)),
    MOVER = sizeof(qdi_mover),
    MOVER_VELOCITY = 3 * X, // vx, vy, spin
    PUSH = sizeof(qdi_push),
    STANCE = sizeof(qdi_stance),
    HELD = ITEM(qdi_scratch, held),
    CHAIN_ENDS = 2 * sizeof(qdi_chain_link),
};

static const qdi_traffic_pass passes[] = {
    // Resolve.
    {QD_PHASE_RESOLVE, "velocities copied", QDI_TRAFFIC_BODY, RIGID | QDI_TRAFFIC_PUSHED, false, VELOCITY,
     VELOCITY},
    {QD_PHASE_RESOLVE, "spins copied", QDI_TRAFFIC_BODY, RIGID | QDI_TRAFFIC_TURNING, false, SPIN, SPIN},
    {QD_PHASE_RESOLVE, "gravity", QDI_TRAFFIC_BODY, RIGID | QDI_TRAFFIC_GRAVITY, false, VELOCITY, VELOCITY},
    {QD_PHASE_RESOLVE, "links made", QDI_TRAFFIC_CONTACT, QDI_TRAFFIC_IMPULSE, false,
     ITEM(qdi_contact_state, marks) + LINK, LINK},
    {QD_PHASE_RESOLVE, "links put in order of colour", QDI_TRAFFIC_CONTACT, QDI_TRAFFIC_IMPULSE, false,
     ROW + LINK, LINK},
    {QD_PHASE_RESOLVE, "outcomes cleared", QDI_TRAFFIC_CONTACT, QDI_TRAFFIC_IMPULSE | QDI_TRAFFIC_BOUNCES,
     false, 0, OUTCOME + BALANCE},
    {QD_PHASE_RESOLVE, "constraints of bounces", QDI_TRAFFIC_CONTACT,
     QDI_TRAFFIC_IMPULSE | QDI_TRAFFIC_BOUNCES, false, LINK + GEOMETRY, sizeof(qdi_constraint)},
    {QD_PHASE_RESOLVE, "bodies of bounces", QDI_TRAFFIC_TOUCHED, QDI_TRAFFIC_IMPULSE | QDI_TRAFFIC_BOUNCES,
     false, DISK + VELOCITY + ITEM(qd_world, mass) + ITEM(qd_world, inertia), 0},
    {QD_PHASE_RESOLVE, "ends of bounces", QDI_TRAFFIC_CONTACT, QDI_TRAFFIC_IMPULSE | QDI_TRAFFIC_BOUNCES,
     false, LINK, 0},
    {QD_PHASE_RESOLVE, "movers made", QDI_TRAFFIC_MOVER, QDI_TRAFFIC_IMPULSE, false,
     ROW + DISK + 2 * VELOCITY + ITEM(qd_world, mass) + ITEM(qd_world, inertia),
     MOVER + PUSH + STANCE + HELD},
    {QD_PHASE_RESOLVE, "groups made", QDI_TRAFFIC_SOLVED, QDI_TRAFFIC_IMPULSE, false, LINK + GEOMETRY + WARM,
     LANE},
    {QD_PHASE_RESOLVE, "movers warmed", QDI_TRAFFIC_MOVER, QDI_TRAFFIC_IMPULSE, false, MOVER + STANCE,
     MOVER_VELOCITY},
    {QD_PHASE_RESOLVE, "movers pushed", QDI_TRAFFIC_MOVER, QDI_TRAFFIC_IMPULSE, true, MOVER_VELOCITY + PUSH,
     MOVER_VELOCITY + PUSH},
    {QD_PHASE_RESOLVE, "groups solved", QDI_TRAFFIC_SOLVED, QDI_TRAFFIC_IMPULSE, true, LANE - TOTALS,
     IMPULSES},
    {QD_PHASE_RESOLVE, "movers of these", QDI_TRAFFIC_MOVER, QDI_TRAFFIC_IMPULSE, true, MOVER,
     MOVER_VELOCITY},
    {QD_PHASE_RESOLVE, "movers moved", QDI_TRAFFIC_MOVER, QDI_TRAFFIC_IMPULSE, true, MOVER_VELOCITY + 3 * X,
     3 * X},
    {QD_PHASE_RESOLVE, "groups relaxed", QDI_TRAFFIC_SOLVED, QDI_TRAFFIC_IMPULSE, true, LANE,
     IMPULSES + TOTALS},
    {QD_PHASE_RESOLVE, "movers of these again", QDI_TRAFFIC_MOVER, QDI_TRAFFIC_IMPULSE, true, MOVER,
     MOVER_VELOCITY},
    {QD_PHASE_RESOLVE, "movers closed", QDI_TRAFFIC_MOVER, QDI_TRAFFIC_IMPULSE, false,
     ROW + MOVER + PUSH + HELD + 2 * ITEM(qdi_motion, lean), VELOCITY},
    {QD_PHASE_RESOLVE, "groups reported", QDI_TRAFFIC_SOLVED, QDI_TRAFFIC_IMPULSE, false, LANE,
     OUTCOME + BALANCE},
    {QD_PHASE_RESOLVE, "balances summed", QDI_TRAFFIC_CONTACT, QDI_TRAFFIC_IMPULSE, false, BALANCE, 0},
    {QD_PHASE_RESOLVE, "velocities started", QDI_TRAFFIC_BODY, QDI_TRAFFIC_SPRING | QDI_TRAFFIC_MIXED, false,
     VELOCITY, VELOCITY},
    // Move.
    {QD_PHASE_MOVE, "velocities started", QDI_TRAFFIC_BODY, QDI_TRAFFIC_SPRING | QDI_TRAFFIC_PLAIN, false,
     VELOCITY, VELOCITY},
    {QD_PHASE_MOVE, "accelerations", QDI_TRAFFIC_TOUCHED, QDI_TRAFFIC_SPRING | QDI_TRAFFIC_PLAIN, false,
     ITEM(qdi_scratch, touched) + ITEM(qdi_scratch, accelerations), 0},
    {QD_PHASE_MOVE, "bodies moved", QDI_TRAFFIC_BODY, ANY, false, DISK + VELOCITY, PLACE},
    {QD_PHASE_MOVE, "boxes made", QDI_TRAFFIC_BODY, RIGID, false, 0, BOX},
    {QD_PHASE_MOVE, "boxes of springs made", QDI_TRAFFIC_BODY, QDI_TRAFFIC_SPRING | QDI_TRAFFIC_FREE, false,
     0, BOX},
    {QD_PHASE_MOVE, "fat boxes compared", QDI_TRAFFIC_BODY, ANY | QDI_TRAFFIC_HELD, false,
     ITEM(qd_world, fat), 0},
    {QD_PHASE_MOVE, "bodies turned", QDI_TRAFFIC_BODY, ANY | QDI_TRAFFIC_TURNING, false, SPIN + TURN, TURN},
    {QD_PHASE_MOVE, "kinds, shapes and movers looked up", QDI_TRAFFIC_BODY, RIGID | QDI_TRAFFIC_MIXED, false,
     ITEM(qd_world, kind) + ITEM(qd_world, shape) + ROW, 0},
    {QD_PHASE_MOVE, "movers' ways", QDI_TRAFFIC_MOVER, QDI_TRAFFIC_IMPULSE, false, PLACE, 0},
    {QD_PHASE_MOVE, "mirrored bodies noted", QDI_TRAFFIC_BODY, ANY | QDI_TRAFFIC_MIRRORS, false, 1, 1},
    // Refresh: only in steps that give all boxes to the tree.
    {QD_PHASE_REFRESH, "fat boxes made", QDI_TRAFFIC_BODY, ANY | QDI_TRAFFIC_HELD | QDI_TRAFFIC_REBUILT,
     false, BOX + VELOCITY, ITEM(qd_world, fat)},
    {QD_PHASE_REFRESH, "rows compared", QDI_TRAFFIC_BODY, ANY | QDI_TRAFFIC_REBUILT, false,
     2 * ITEM(qd_world, index), 0},
    {QD_PHASE_REFRESH, "boxes put into slots", QDI_TRAFFIC_BODY, ANY | QDI_TRAFFIC_REBUILT, false,
     BOX + ITEM(qdi_slots, row), SLOT},
    // Retrieve: in the same steps.
    {QD_PHASE_RETRIEVE, "slots joined", QDI_TRAFFIC_BODY, ANY | QDI_TRAFFIC_REBUILT, false, SLOT + NAMED, 0},
    {QD_PHASE_RETRIEVE, "pairs found", QDI_TRAFFIC_CANDIDATE, ANY | QDI_TRAFFIC_REBUILT, false, 0,
     sizeof(qd_pair)},
    {QD_PHASE_RETRIEVE, "rows looked up", QDI_TRAFFIC_BODY, ANY | QDI_TRAFFIC_REBUILT, false,
     ITEM(qd_world, row_of_index), 0},
    {QD_PHASE_RETRIEVE, "pairs turned to rows", QDI_TRAFFIC_CANDIDATE, ANY | QDI_TRAFFIC_REBUILT, false,
     sizeof(qd_pair), ITEM(qd_world, met)},
    // Narrow, by the narrow phase.
    {QD_PHASE_NARROW, "candidates tested", QDI_TRAFFIC_CANDIDATE, ANY | QDI_TRAFFIC_LISTED, false,
     ITEM(qd_world, met), 0},
    {QD_PHASE_NARROW, "bodies of candidates", QDI_TRAFFIC_NEAR, ANY | QDI_TRAFFIC_LISTED, false, DISK, 0},
    {QD_PHASE_NARROW, "walls tested", QDI_TRAFFIC_BODY, ANY | QDI_TRAFFIC_WALLS | QDI_TRAFFIC_LISTED, false,
     DISK, 1},
    {QD_PHASE_NARROW, "hits noted", QDI_TRAFFIC_CONTACT, ANY | QDI_TRAFFIC_LISTED, false, 0, ROW},
    {QD_PHASE_NARROW, "hits described", QDI_TRAFFIC_CONTACT, ANY | QDI_TRAFFIC_LISTED, false, 0,
     GEOMETRY + FOUND},
    {QD_PHASE_NARROW, "hits placed", QDI_TRAFFIC_CONTACT, ANY | QDI_TRAFFIC_LISTED | QDI_TRAFFIC_SORTED,
     false, ROW + ITEM(qd_world, met) + PARTNERS, PARTNERS + SPOT},
    {QD_PHASE_NARROW, "bodies of hits", QDI_TRAFFIC_TOUCHED, ANY | QDI_TRAFFIC_LISTED, false,
     DISK + VELOCITY + ITEM(qd_world, index) + ITEM(qd_world, generation), 0},
    {QD_PHASE_NARROW, "keys sorted, one round", QDI_TRAFFIC_CONTACT,
     ANY | QDI_TRAFFIC_LISTED | QDI_TRAFFIC_SORTED, false, 2 * (KEY + ROW), 2 * (KEY + ROW)},
    {QD_PHASE_NARROW, "contacts ranked", QDI_TRAFFIC_CONTACT, ANY | QDI_TRAFFIC_LISTED | QDI_TRAFFIC_SORTED,
     false, ROW + PARTNERS, ROW + ITEM(qdi_contact_state, order) + SPOT},
    {QD_PHASE_NARROW, "contacts traced", QDI_TRAFFIC_CONTACT, ANY | QDI_TRAFFIC_LISTED | QDI_TRAFFIC_SORTED,
     false, 2 * (ROW + ITEM(qdi_contact_state, order)), ROW},
    {QD_PHASE_NARROW, "contacts carried over", QDI_TRAFFIC_CONTACT, ANY | QDI_TRAFFIC_LISTED, false,
     SPOT + 2 * FOUND + WARM, ITEM(qdi_contact_state, persists) + ITEM(qdi_contact_state, marks) + 1},
    {QD_PHASE_NARROW, "what they gave", QDI_TRAFFIC_CONTACT, ANY | QDI_TRAFFIC_LISTED | QDI_TRAFFIC_SORTED,
     false, SPOT + OUTCOME, OUTCOME},
    {QD_PHASE_NARROW, "ends counted", QDI_TRAFFIC_CONTACT, ANY, false, 1, 0},
    // Narrow, by springs that meet, with their forces.
    {QD_PHASE_NARROW, "fastest found", QDI_TRAFFIC_BODY, QDI_TRAFFIC_SPRING | QDI_TRAFFIC_MET, false,
     VELOCITY, 0},
    {QD_PHASE_NARROW, "slots of candidates looked at", QDI_TRAFFIC_CANDIDATE,
     QDI_TRAFFIC_SPRING | QDI_TRAFFIC_MET, false, ITEM(qdi_scratch, slot_apart), 0},
    {QD_PHASE_NARROW, "bodies of springs", QDI_TRAFFIC_TOUCHED, QDI_TRAFFIC_SPRING | QDI_TRAFFIC_MET, false,
     DISK + VELOCITY, 0},
    {QD_PHASE_NARROW, "contacts made", QDI_TRAFFIC_CONTACT, QDI_TRAFFIC_SPRING | QDI_TRAFFIC_MET, false,
     ITEM(qd_world, met) + ITEM(qdi_scratch, slot_place) + SHEAR,
     ITEM(qdi_scratch, slot_place) + ROWS + ITEM(qdi_contact_state, approaches) + SHEAR + THIN_FORCE + 1},
    {QD_PHASE_NARROW, "ends chained", QDI_TRAFFIC_CONTACT, QDI_TRAFFIC_SPRING | QDI_TRAFFIC_CHAINS, false,
     ROWS, CHAIN_ENDS},
    {QD_PHASE_NARROW, "listed ends looked at", QDI_TRAFFIC_CANDIDATE, QDI_TRAFFIC_SPRING | QDI_TRAFFIC_ENDS,
     false, 2 * ITEM(qdi_scratch, end_list) + ITEM(qdi_scratch, slot_place), 0},
    {QD_PHASE_NARROW, "heads of chains looked at", QDI_TRAFFIC_BODY, QDI_TRAFFIC_SPRING, false,
     ITEM(qdi_scratch, heads), 0},
    {QD_PHASE_NARROW, "bodies of chains", QDI_TRAFFIC_TOUCHED, QDI_TRAFFIC_SPRING, false,
     ITEM(qdi_scratch, heads) + ITEM(qd_world, mass) + ITEM(qd_world, inertia) + VELOCITY,
     2 * ITEM(qdi_scratch, heads) + ITEM(qdi_scratch, touched) + ITEM(qdi_scratch, accelerations) + VELOCITY},
    {QD_PHASE_NARROW, "chains added up", QDI_TRAFFIC_CONTACT, QDI_TRAFFIC_SPRING | QDI_TRAFFIC_CHAINS, false,
     CHAIN_ENDS, 0},
    {QD_PHASE_NARROW, "forces added up", QDI_TRAFFIC_CONTACT, QDI_TRAFFIC_SPRING, false, THIN_FORCE, 0},
};

const qdi_traffic_pass *qdi_traffic_pass_at(size_t number) {
    return number < sizeof passes / sizeof passes[0] ? &passes[number] : NULL;
}

// Traffic: what holds in the step that led from one count to the next, of QDI_TRAFFIC_NONE and so on.
static unsigned conditions_of(const qdi_work *before, const qdi_work *after) {
    const bool conditions[] = {
        after->contact == QD_CONTACT_NONE,
        after->contact == QD_CONTACT_IMPULSE,
        after->contact == QD_CONTACT_SPRING,
        after->turning,
        after->gravity,
        after->bounces,
        after->walls,
        after->mirrors,
        after->held,
        !after->held,
        after->rebuilds != before->rebuilds,
        after->sorted != before->sorted,
        after->met,
        !after->met,
        after->plain,
        !after->plain || ((after->movers > 0 || after->turning) && after->contact != QD_CONTACT_SPRING),
        after->listed,
        !after->listed,
        after->pushed,
    };
    unsigned met = 0;
    for (size_t i = 0; i < sizeof conditions / sizeof conditions[0]; ++i) met |= (unsigned)conditions[i] << i;
    return met;
}

// Traffic: contacts of bodies in the plane are at most three for each body (Euler's formula), so so many
// bodies have some at least.
static size_t bodies_of(size_t contacts, size_t bodies) {
    const size_t least = contacts / 3;
    return least < bodies ? least : bodies;
}

uint64_t qdi_traffic_times(const qdi_traffic_pass *pass, const qdi_work *before, const qdi_work *after) {
    const unsigned met = conditions_of(before, after), needed = pass->when & ~(unsigned)ANY;
    const size_t items[QDI_TRAFFIC_ITEMS] = {
        [QDI_TRAFFIC_BODY] = after->bodies,
        [QDI_TRAFFIC_TOUCHED] = bodies_of(after->contacts, after->bodies),
        [QDI_TRAFFIC_NEAR] = bodies_of(after->candidates, after->bodies),
        [QDI_TRAFFIC_CANDIDATE] = after->candidates,
        [QDI_TRAFFIC_CONTACT] = after->contacts,
        [QDI_TRAFFIC_SOLVED] = after->solved,
        [QDI_TRAFFIC_MOVER] = after->movers,
    };
    if (!(pass->when & ANY & met) || (met & needed) != needed) return 0;
    return (uint64_t)items[pass->item] * (uint64_t)(pass->each_substep ? after->substeps : 1);
}

void qdi_traffic_add(qdi_traffic *traffic, const qdi_work *before, const qdi_work *after) {
    for (size_t i = 0; i < sizeof passes / sizeof passes[0]; ++i) {
        const uint64_t times = qdi_traffic_times(&passes[i], before, after);
        traffic->reads[passes[i].phase] += times * passes[i].reads;
        traffic->writes[passes[i].phase] += times * passes[i].writes;
    }
}
