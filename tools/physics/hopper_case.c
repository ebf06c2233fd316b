// Grains run out of a silo through an opening in its floor, and a sink takes them away.
//
// What counts of the opening's width D is what the middles of grains pass, and the rate grows as (D - k
// d)^1.5 (Beverloo's law, in two dimensions); nor does it matter how full a silo is (Mankoc and others,
// arXiv:0707.4550). Here k is 1.4, and d, the grains' mean diameter, 1. That is so for wide openings: grains
// lie the less densely in one the narrower it is, which makes the exponent between 10 d and 20 d about 1.6,
// whether grains are rigid or on springs. And k is known to be between 1 and 2: from 14 d to 28 d the
// exponent is 0.03 larger with 1 and 0.05 smaller with 2, from 10 d to 20 d half as much again.
//
// Grains that are rigid run out as those do that are on stiff springs, followed in steps a sixteenth of what
// a contact lasts: another contact model, which has none of the solver's parts.
//
// In a medium with much drag all fall with one speed, and the rate goes as D. Without friction grains are a
// liquid, which runs out with a speed that grows with the height.
#include "tools/physics/physics.h"

#include <math.h>
#include <quadrille/math.h>
#include <quadrille/random.h>

enum { OPENINGS = 3, PIECES = 2 * (OPENINGS + 1) };
enum { EXPONENT_SEEDS = 6, HEIGHT_SEEDS = 12, SPRINGS_SEEDS = 10, TWIN_SEEDS = 2 };
enum { HOPPER_EXPONENT = 0, HOPPER_FACTOR = 1, HOPPER_RATIO = 0, HOPPER_ARCHES = 1 };
/// A silo that stands still is poured anew so often at most.
enum { POURED_MOST = 4 };

static const double floor_height = 5, sink_height = 3, hopper_step = 0.02, spring_step = 0.001;
static const double less = 1.4; ///< k
static const double wide[OPENINGS] = {14, 20, 28}, narrow[1] = {8}, middle[1] = {14};

/// What is made: `count` openings in the floor's middle, one in the other, all closed at first.
typedef struct silo {
    double width, height, friction, drag;
    double grains; ///< about as many pass an opening while its rate is measured
    double dt;
    const double *openings;
    int count;
    uint64_t seed;
    qd_id pieces[PIECES]; ///< of the floor: those of opening k are 2 k and 2 k + 1
} silo;

// The silo that a job of the hopper flow fills and empties.
static silo silo_of_job(const qdi_job *job, const double *openings, int count, double width, double height) {
    return (silo){.width = width,
                  .height = height,
                  .friction = 0.5,
                  .grains = 450,
                  .dt = hopper_step,
                  .openings = openings,
                  .count = count,
                  .seed = job->gas.seed};
}

/// Case of a hopper: a floor in pieces that end where openings do.
static qd_status lay_floor(silo *self, qd_world *world, qd_error *error) {
    qd_status status = QD_OK;
    double inner = 0;
    for (int k = 0; status == QD_OK && k <= self->count; ++k) {
        double outer = 0.5 * (k < self->count ? self->openings[k] : self->width);
        for (int side = 0; status == QD_OK && side < 2; ++side) {
            qd_body_def piece = qd_body_def_default();
            piece.kind = QD_BODY_STATIC;
            piece.shape = qd_shape_rect(outer - inner, 1);
            piece.position.x = 0.5 * self->width + (side ? 0.5 : -0.5) * (inner + outer);
            piece.position.y = floor_height - 0.5;
            status = qd_world_add(world, &piece, &self->pieces[2 * k + side], error);
        }
        inner = outer;
    }
    return status;
}

/// Case of a hopper: rows of grains that do not touch yet; they fill the silo to its height when they have
/// fallen.
static qd_status pour_grains(const silo *self, int per_row, int count, double apart, qd_world *world,
                             qd_error *error) {
    qd_status status = QD_OK;
    for (int i = 0; status == QD_OK && i < count; ++i) {
        qd_random random = qd_random_at(self->seed, (uint64_t)i, 0);
        qd_body_def grain = qd_body_def_default();
        grain.shape.radius = 0.4 + 0.2 * qd_random_uniform(&random);
        grain.position.x = (i % per_row + 0.5) * self->width / per_row;
        grain.position.y = floor_height + ((double)(i / per_row) + 0.5) * apart;
        grain.velocity.x = 0.3 * qd_random_normal(&random);
        grain.velocity.y = 0.3 * qd_random_normal(&random);
        status = qd_world_add(world, &grain, NULL, error);
    }
    return status;
}

/// Case of a hopper: an empty silo, closed.
static qd_status build_silo(silo *self, const qd_world_def *def, qd_world **world, qd_error *error) {
    qd_sink_def sink = qd_sink_def_default();
    sink.high = (qd_vec2){self->width, sink_height};
    qd_status status = qd_world_create(def, world);
    if (status == QD_OK) status = lay_floor(self, *world, error);
    return status == QD_OK ? qd_world_add_sink(*world, &sink, error) : status;
}

/// Case of a hopper: a silo that is full and closed, at rest.
static qd_status fill_silo(silo *self, qd_world **world, qd_error *error) {
    const double apart = 1.22, settled = 1.03; ///< grains per area
    int per_row = (int)(self->width / apart), count = (int)(settled * self->width * self->height);
    qd_world_def def = qd_world_def_default();
    def.size = (qd_vec2){self->width, floor_height + (count / per_row + 1) * apart};
    def.gravity.y = -1;
    def.restitution = 0.2;
    def.friction = self->friction;
    def.drag.linear = self->drag;
    qd_status status = build_silo(self, &def, world, error);
    if (status == QD_OK) status = pour_grains(self, per_row, count, apart, *world, error);
    double fall = (1 + self->drag) * sqrt(2 * self->height * 0.5); // about half of what was poured is air
    return status == QD_OK ? qdi_gas_run(*world, fall + 5, self->dt) : status;
}

/// Case of a hopper: the same grains where they lie, on springs, at rest again.
static qd_status put_on_springs(silo *self, const qd_world *full, qd_world **world, qd_error *error) {
    qd_world_def def = qd_world_definition(full);
    def.contact = QD_CONTACT_SPRING;
    def.spring.kn = 1e4;
    qd_status status = build_silo(self, &def, world, error);
    qd_body_view view = qd_world_view(full);
    for (size_t i = 0; status == QD_OK && i < view.index_count; ++i) {
        const uint32_t row = view.row_of_index[i];
        if (view.kind[row] != QD_BODY_DYNAMIC) continue;
        qd_body_def grain = qd_body_def_default();
        grain.shape.radius = view.radius[row];
        grain.position = (qd_vec2){view.x[row], view.y[row]};
        status = qd_world_add(*world, &grain, NULL, error);
    }
    return status == QD_OK ? qdi_gas_run(*world, 4, self->dt) : status;
}

/// Case of a hopper: another silo that is as full as this one, with opening number `opening`.
static qd_status open_copy(const silo *self, const qd_world *full, int opening, qd_world **world,
                           qd_error *error) {
    unsigned char *data = NULL;
    size_t bytes = 0;
    qd_status status = qd_world_save(full, &data, &bytes);
    if (status != QD_OK) return status;
    status = qd_world_load(data, bytes, 1, NULL, world, error);
    qd_world_save_free(full, data, bytes);
    for (int i = 0; status == QD_OK && i < 2 * (opening + 1); ++i)
        status = qd_world_remove(*world, self->pieces[i]);
    return status;
}

// Case of a hopper: mass of all disks in a silo.
static double mass_of_world(const qd_world *world) {
    return qd_world_sum(world).mass;
}

/// Case of a hopper: the mass that runs out per time, when the flow has become steady: what is above an
/// opening has fallen by its width twice.
static qd_status measure_rate(const silo *self, const qd_world *full, int opening, double *rate,
                              qd_error *error) {
    const double steady = 2 * sqrt(self->openings[opening]);
    double passed = self->openings[opening] - less, time = self->grains / (passed * sqrt(passed));
    qd_world *world = NULL;
    qd_status status = open_copy(self, full, opening, &world, error);
    if (status == QD_OK) status = qdi_gas_run(world, steady, self->dt);
    double before = status == QD_OK ? mass_of_world(world) : 0,
           from = status == QD_OK ? qd_world_time(world) : 0;
    if (status == QD_OK) status = qdi_gas_run(world, time, self->dt);
    if (status == QD_OK) *rate = (before - mass_of_world(world)) / (qd_world_time(world) - from);
    qd_world_destroy(world);
    return status;
}

// Job of the validation: how the flow out of a hopper grows with its opening.
static qd_status run_exponent(qdi_job *job, qd_error *error) {
    silo self = silo_of_job(job, wide, OPENINGS, 70, 125);
    self.drag = job->planted;
    self.grains = 900;
    qd_world *full = NULL;
    double rate = 0, n = OPENINGS, x = 0, y = 0, xx = 0, xy = 0;
    qd_status status = fill_silo(&self, &full, error);
    for (int k = 0; status == QD_OK && k < OPENINGS; ++k) {
        status = measure_rate(&self, full, k, &rate, error);
        double log_width = qd_log(wide[k] - less), log_rate = qd_log(rate);
        x += log_width / n, y += log_rate / n;
        xx += log_width * log_width / n, xy += log_width * log_rate / n;
    }
    double slope = (xy - x * y) / (xx - x * x);
    qdi_job_keep(job, HOPPER_EXPONENT, slope);
    qdi_job_keep(job, HOPPER_FACTOR, qd_exp(y - slope * x));
    qd_world_destroy(full);
    return status;
}

/// Case of a hopper: fills a silo and measures its rate. One in some dozens stands still under an arch of
/// some ten grains, which friction holds, as soon as it is open: that has no rate, is counted in `arches`,
/// and is poured anew, of other grains.
static qd_status pour_until_it_runs(silo *self, double *rate, int *arches, qd_error *error) {
    const double passed = self->openings[0] - less, stands = 0.1 * passed * sqrt(passed);
    qd_status status = QD_OK;
    *rate = 0;
    for (int k = 0; status == QD_OK && k < POURED_MOST && !(*rate > stands); ++k) {
        qd_world *full = NULL;
        status = fill_silo(self, &full, error);
        if (status == QD_OK) status = measure_rate(self, full, 0, rate, error);
        qd_world_destroy(full);
        *arches += !(*rate > stands);
        self->seed += 1000;
    }
    return status;
}

// Job of the validation: the flow out of a hopper does not depend on the filling.
static qd_status run_height(qdi_job *job, qd_error *error) {
    const double height[2] = {200, 110}; ///< 10 widths, and 5
    double rate[2] = {0, 0};
    qd_status status = QD_OK;
    int arches = 0;
    for (int k = 0; status == QD_OK && k < 2; ++k) {
        silo self = silo_of_job(job, narrow, 1, 20, height[k]);
        if (job->planted > 0) self.friction = 0;
        status = pour_until_it_runs(&self, &rate[k], &arches, error);
    }
    qdi_job_keep(job, HOPPER_RATIO, rate[1] / rate[0]);
    qdi_job_keep(job, HOPPER_ARCHES, arches);
    return status;
}

// Job of the validation: the flow of rigid grains beside that of grains on springs.
static qd_status run_springs(qdi_job *job, qd_error *error) {
    silo self = silo_of_job(job, middle, 1, 40, 60), soft = self;
    soft.dt = spring_step;
    qd_world *full = NULL, *sprung = NULL;
    double rate = 0, rate_on_springs = 1;
    qd_status status = fill_silo(&self, &full, error);
    if (status == QD_OK) status = put_on_springs(&soft, full, &sprung, error);
    if (status == QD_OK) status = measure_rate(&soft, sprung, 0, &rate_on_springs, error);
    qd_world_destroy(sprung);
    if (status == QD_OK && job->planted > 0) {
        qd_world_def def = qd_world_definition(full);
        def.friction = 0;
        status = qd_world_change(full, &def, error);
    }
    if (status == QD_OK) status = measure_rate(&self, full, 0, &rate, error);
    qdi_job_keep(job, HOPPER_RATIO, rate / rate_on_springs);
    qd_world_destroy(full);
    return status;
}

// Plans the jobs of the flow exponent and its planted error.
static void plan_exponent(const qdi_case *self, qdi_plan *plan) {
    qdi_plan_twins(plan, run_exponent, self->value, EXPONENT_SEEDS, 2, TWIN_SEEDS);
}

// Plans the jobs of the filling height and its planted error.
static void plan_height(const qdi_case *self, qdi_plan *plan) {
    qdi_plan_twins(plan, run_height, self->value, HEIGHT_SEEDS, 1, TWIN_SEEDS);
}

// Plans the jobs of the two contact models and their planted error.
static void plan_springs(const qdi_case *self, qdi_plan *plan) {
    qdi_plan_twins(plan, run_springs, self->value, SPRINGS_SEEDS, 1, TWIN_SEEDS);
}

// Compares the exponent of the hopper flow with Beverloo's law.
static void judge_exponent(const qdi_case *self, const qdi_plan *plan, qdi_rows *rows) {
    qdi_estimate exponent = qdi_plan_estimate_runs(plan, 0, EXPONENT_SEEDS, HOPPER_EXPONENT);
    qdi_row *row = qdi_rows_add(rows, self->name, exponent, 1.5, 0.1);
    qdi_row_note(row, "rate over that power of D - 1.4 d: %.3f",
                 qdi_plan_estimate_runs(plan, 0, EXPONENT_SEEDS, HOPPER_FACTOR).mean);
    qdi_row_twin(row, "drag 2", qdi_plan_estimate_runs(plan, EXPONENT_SEEDS, TWIN_SEEDS, HOPPER_EXPONENT));
}

// Compares the hopper flow of two filling heights.
static void judge_height(const qdi_case *self, const qdi_plan *plan, qdi_rows *rows) {
    qdi_estimate ratio = qdi_plan_estimate_runs(plan, 0, HEIGHT_SEEDS, HOPPER_RATIO);
    qdi_row *row = qdi_rows_add(rows, self->name, ratio, 1, 0.05);
    const double arches = HEIGHT_SEEDS * qdi_plan_estimate_runs(plan, 0, HEIGHT_SEEDS, HOPPER_ARCHES).mean;
    qdi_row_note(
        row, "rate out of a silo filled to 5 widths over that of one filled to 10; %.0f of %.0f stood still",
        arches, 2 * HEIGHT_SEEDS + arches);
    qdi_row_twin(row, "no friction", qdi_plan_estimate_runs(plan, HEIGHT_SEEDS, TWIN_SEEDS, HOPPER_RATIO));
}

// Compares the hopper flow of the two contact models.
static void judge_springs(const qdi_case *self, const qdi_plan *plan, qdi_rows *rows) {
    qdi_estimate ratio = qdi_plan_estimate_runs(plan, 0, SPRINGS_SEEDS, HOPPER_RATIO);
    qdi_row *row = qdi_rows_add(rows, self->name, ratio, 1, 0.05);
    qdi_row_note(row, "rate of rigid grains over that of the same on springs");
    qdi_row_twin(row, "rigid ones without friction",
                 qdi_plan_estimate_runs(plan, SPRINGS_SEEDS, TWIN_SEEDS, HOPPER_RATIO));
}

const qdi_case qdi_cases_hopper[] = {
    {"hopper_exponent", "how the rate at which grains run out goes with the opening", 0, plan_exponent,
     judge_exponent, true},
    {"hopper_height", "how the rate goes with how full a silo is", 0, plan_height, judge_height, true},
    {"hopper_springs", "how the rate is beside that of grains on springs", 0, plan_springs, judge_springs,
     true},
    {.name = NULL},
};
