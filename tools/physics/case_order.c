// Thresholds without chance: where a lattice of disks begins to touch, and what friction a pile, a block on a
// slope or a tall box needs. Each is found by halving an interval until it is far shorter than the tolerance.
#include "tools/physics/physics.h"

#include <math.h>
#include <quadrille/math.h>
#include <stdio.h>

static const double pi = 3.14159265358979323846;

/// One trial at a value of what is varied: whether it is above the threshold, or what went wrong.
typedef qd_status (*trial)(double value, bool *above, qd_error *error);

// Case of order: halves an interval around a threshold until it is known.
static qd_status bisect_threshold(trial function, double low, double high, int halvings, double *threshold,
                                  qd_error *error) {
    qd_status status = QD_OK;
    for (int i = 0; status == QD_OK && i < halvings; ++i) {
        double middle = 0.5 * (low + high);
        bool above = false;
        status = function(middle, &above, error);
        if (above) high = middle;
        if (!above) low = middle;
    }
    *threshold = 0.5 * (low + high);
    return status;
}

/// Places of a lattice in a periodic world; `apart` is between neighbours, whose rows are `rise` times that
/// apart.
typedef struct lattice {
    double rise, shift;
} lattice;
static const lattice triangular = {0.86602540378443864676, 0.5}, square = {1, 0};
enum { ACROSS = 12 };

// Case of order: counts contacts in a lattice of disks.
static qd_status count_lattice_contacts(const lattice *form, double apart, size_t *contacts,
                                        qd_error *error) {
    qd_world_def def = qd_world_def_default();
    def.size = (qd_vec2){ACROSS * apart, ACROSS * apart * form->rise};
    def.boundary_x = def.boundary_y = QD_BOUNDARY_PERIODIC;
    qd_world *world = NULL;
    qd_status status = qd_world_create(&def, &world);
    for (int i = 0; status == QD_OK && i < ACROSS * ACROSS; ++i) {
        qd_body_def disk = qd_body_def_default(); // of diameter 1
        const int row = i / ACROSS;
        disk.position.x = (i % ACROSS + form->shift * (row % 2)) * apart;
        disk.position.y = row * apart * form->rise;
        status = qd_world_add(world, &disk, NULL, error);
    }
    if (status == QD_OK) status = qd_world_detect(world);
    if (status == QD_OK) (void)qd_world_contacts(world, contacts);
    qd_world_destroy(world);
    return status;
}

// Case of order: whether disks in a lattice do not touch.
static qd_status lattice_is_free(const lattice *form, double apart, bool *above, qd_error *error) {
    size_t contacts = 0;
    qd_status status = count_lattice_contacts(form, apart, &contacts, error);
    *above = contacts == 0;
    return status;
}

// Case of order: trial of the bisection: the triangular lattice.
static qd_status try_triangular(double apart, bool *above, qd_error *error) {
    return lattice_is_free(&triangular, apart, above, error);
}

// Case of order: trial of the bisection: the square lattice.
static qd_status try_square(double apart, bool *above, qd_error *error) {
    return lattice_is_free(&square, apart, above, error);
}

// Job of the validation: at which density a lattice packs.
static qd_status run_packing(qdi_job *job, qd_error *error) {
    const lattice *form = job->setting > 0 ? &triangular : &square;
    double apart = 0;
    size_t contacts = 0;
    qd_status status = bisect_threshold(form == &triangular ? try_triangular : try_square, 0.9, 1.1, 45,
                                        &apart, error);
    if (status == QD_OK) status = count_lattice_contacts(form, apart * (1 - 1e-9), &contacts, error);
    job->series[0][0] = 0.25 * pi / (apart * apart * form->rise);
    job->series[1][0] = 2.0 * (double)contacts / (ACROSS * ACROSS);
    return status;
}

// Plans the job of a packing.
static void plan_packing(const qdi_case *self, qdi_plan *plan) {
    qdi_plan_add(plan, &(qdi_job){.work = run_packing, .setting = self->value}, 1);
}

// Compares the density of a packing with its reference.
static void judge_packing(const qdi_case *self, const qdi_plan *plan, qdi_rows *rows) {
    const qdi_job *job = &plan->jobs[0];
    bool close = self->value > 0;
    double fraction = close ? 0.90689968211710892530 : 0.78539816339744830962;
    qdi_row *row = qdi_rows_add(rows, self->name, qdi_exactly(job->series[0][0]), fraction, 1e-9);
    qdi_row_note(row, "area fraction at which a lattice begins to touch");
    char name[48];
    snprintf(name, sizeof name, "neighbours_%s", close ? "triangular" : "square");
    (void)qdi_rows_add(rows, name, qdi_exactly(job->series[1][0]), close ? 6 : 4, 0);
}

/// Case of order: a world with a floor, where gravity 1 pulls down, turned by `slope`.
static qd_world_def make_ground(double slope) {
    qd_world_def def = qd_world_def_default();
    def.size = (qd_vec2){40, 20};
    qd_sincos(slope, &def.gravity.x, &def.gravity.y);
    def.gravity.y = -def.gravity.y;
    def.restitution = 0;
    return def;
}

/// Case of order: lets a world go on for a while and destroys it: how far its last body has come from where
/// it was, and how far it has turned.
static qd_status wait_and_destroy(qd_world *world, qd_status status, qd_id last, double *way, double *turn) {
    qd_body_state before, after;
    if (status == QD_OK) status = qd_world_body(world, last, &before);
    for (int step = 0; status == QD_OK && step < 1000; ++step) status = qd_world_step(world, 0.01, NULL);
    if (status == QD_OK) status = qd_world_body(world, last, &after);
    if (status == QD_OK) {
        double x = after.position.x - before.position.x, y = after.position.y - before.position.y;
        *way = sqrt(x * x + y * y);
        *turn = fabs(after.turn.y);
    }
    qd_world_destroy(world);
    return status;
}

/// Case of order: three disks, two on the floor and one on both; `between` and `below` are the frictions of
/// their contacts.
static qd_status try_pile(double between, double below, bool *stands, qd_error *error) {
    qd_world_def def = make_ground(0);
    def.friction = between;
    def.walls.friction = below * below / between; // a contact has the root of the product
    qd_world *world = NULL;
    qd_status status = qd_world_create(&def, &world);
    const qd_vec2 places[] = {{19.5, 0.5}, {20.5, 0.5}, {20, 0.5 + 0.86602540378443864676}};
    qd_id id = {0, 0};
    for (int i = 0; status == QD_OK && i < 3; ++i) {
        qd_body_def disk = qd_body_def_default();
        disk.position = places[i];
        status = qd_world_add(world, &disk, &id, error);
    }
    double way = 0, turn = 0;
    status = wait_and_destroy(world, status, id, &way, &turn);
    *stands = way < 0.1;
    return status;
}

// Case of order: trial of the bisection: friction between the disks of a pile.
static qd_status try_pile_between(double friction, bool *above, qd_error *error) {
    return try_pile(friction, 1, above, error);
}

// Case of order: trial of the bisection: friction below a pile.
static qd_status try_pile_below(double friction, bool *above, qd_error *error) {
    return try_pile(1, friction, above, error);
}

/// Case of order: a box of this size on a slope.
static qd_status try_slope(qd_vec2 size, double friction, double angle, double *way, double *turn,
                           qd_error *error) {
    qd_world_def def = make_ground(angle);
    def.friction = friction;
    qd_world *world = NULL;
    qd_status status = qd_world_create(&def, &world);
    qd_body_def box = qd_body_def_default();
    box.shape = qd_shape_rect(size.x, size.y);
    box.position = (qd_vec2){5, 0.5 * size.y};
    qd_id id = {0, 0};
    if (status == QD_OK) status = qd_world_add(world, &box, &id, error);
    return wait_and_destroy(world, status, id, way, turn);
}

// Case of order: trial of the bisection: the slope at which a rectangle slips.
static qd_status try_slope_slip(double angle, bool *above, qd_error *error) {
    double way = 0, turn = 0;
    qd_status status = try_slope((qd_vec2){2, 1}, 0.5, angle, &way, &turn, error);
    *above = way > 0.05;
    return status;
}

// Case of order: trial of the bisection: the slope at which a rectangle tips over.
static qd_status try_slope_tip(double angle, bool *above, qd_error *error) {
    double way = 0, turn = 0;
    qd_status status = try_slope((qd_vec2){1, 2}, 2, angle, &way, &turn, error);
    *above = turn > 0.1;
    return status;
}

typedef struct threshold {
    trial function;
    double reference, tolerance;
    const char *note;
} threshold;

/// A cylinder on two: tan 15 degrees between them, a third of it on the floor. A block slips at
/// atan(friction); a box twice as tall as wide tips at atan(1 / 2).
static const threshold thresholds[] = {
    {try_pile_between, 0.26794919243112270647, 0.05,
     "friction between three stacked disks below which they part"},
    {try_pile_below, 0.08931639747704090216, 0.05, "friction on the floor below which they part"},
    {try_slope_slip, 0.46364760900080611621, 0.01, "angle from which a block with friction 0.5 slips"},
    {try_slope_tip, 0.46364760900080611621, 0.01, "angle from which a box twice as tall as wide tips"},
};

// Job of the validation: a threshold of friction.
static qd_status run_threshold(qdi_job *job, qd_error *error) {
    const threshold *one = &thresholds[(size_t)job->setting];
    return bisect_threshold(one->function, 0.7 * one->reference, 1.3 * one->reference, 10, &job->series[0][0],
                            error);
}

// Plans the job of a threshold.
static void plan_threshold(const qdi_case *self, qdi_plan *plan) {
    qdi_plan_add(plan, &(qdi_job){.work = run_threshold, .setting = self->value}, 1);
}

// Compares a threshold of friction with its reference.
static void judge_threshold(const qdi_case *self, const qdi_plan *plan, qdi_rows *rows) {
    const threshold *one = &thresholds[(size_t)self->value];
    qdi_row *row = qdi_rows_add(rows, self->name, qdi_exactly(plan->jobs[0].series[0][0]), one->reference,
                                one->tolerance * one->reference);
    qdi_row_note(row, "%s", one->note);
}

const qdi_case qdi_cases_order[] = {
    {"packing_triangular", "where a triangular lattice of disks begins to touch", 1, plan_packing,
     judge_packing, false},
    {"packing_square", "where a square lattice of disks begins to touch", 0, plan_packing, judge_packing,
     false},
    {"pile_between", "friction that three stacked disks need between them", 0, plan_threshold,
     judge_threshold, false},
    {"pile_below", "friction that they need on the floor", 1, plan_threshold, judge_threshold, false},
    {"slope_slip", "when a block on a slope slips", 2, plan_threshold, judge_threshold, false},
    {"slope_tip", "when a tall box on a slope tips", 3, plan_threshold, judge_threshold, false},
    {.name = NULL},
};
