#include "tools/bench/bench_spring.h"

#include "core/base/memory.h"
#include "core/parallel/parallel.h"
#include "sim/world/world_team.h"
#include "tools/host/os.h"
#include "tools/host/pin.h"
#include "tools/lammps/lammps.h"

#include <math.h>
#include <quadrille/random.h>
#include <string.h>

enum { SEED = 1, USE_PLACE = 210, USE_BODY = 211, USE_ORDER = 212 };

static const qdi_spring_case cases[] = {
    {.name = "gas", .friction = 0.5, .fill = 0.3, .bodies = 100000},
    {.name = "smooth", .friction = 0, .fill = 0.3, .bodies = 100000},
    {.name = "dense", .friction = 0.5, .fill = 0.7, .bodies = 100000},
    {.name = "heap", .friction = 0.5, .fill = 0, .bodies = 100000},
};

const qdi_spring_case *qdi_spring_case_at(size_t number) {
    return number < sizeof cases / sizeof cases[0] ? &cases[number] : NULL;
}

// ---- the disks ----

/// Bench of springs: each where it can be in its square of a grid too wide to touch.
static void place_disks(qdi_lammps_scene *scene, size_t across, double cell) {
    for (size_t i = 0; i < scene->count; ++i) {
        qd_random random = qd_random_at(SEED, i, USE_BODY);
        double free = cell - 1, x = free * qd_random_uniform(&random), y = free * qd_random_uniform(&random);
        scene->disks[i] = (qdi_lammps_disk){
            .position = {(double)(i % across) * cell + 0.5 + x, (double)(i / across) * cell + 0.5 + y},
            .velocity = {qd_random_normal(&random), qd_random_normal(&random)},
            .spin = 2 * qd_random_normal(&random),
            .radius = 0.5,
            .mass = 1};
    }
}

/// Bench of springs: a heap that rests: rows lie in the gaps of those below, each as deep in them as the
/// weight above presses it. Every second row is a disk shorter. Returns how high it is.
static double pile_disks(qdi_lammps_scene *scene, size_t across) {
    const double gap = 0.02, apart = 1 + gap;
    double y = 0.5;
    for (size_t i = 0, row = 0; i < scene->count; ++row) {
        const size_t odd = row % 2, room = across - odd;
        for (size_t k = 0; k < room && i < scene->count; ++k, ++i)
            scene->disks[i] = (qdi_lammps_disk){
                .position = {0.5 + ((double)k + 0.5 * (double)odd) * apart, y}, .radius = 0.5, .mass = 1};
        // A disk bears half of what lies on each of the two above it, along a line that is this steep.
        const double above = (double)(scene->count - i) / (double)across;
        const double press = above * scene->gravity / (2 * sqrt(1 - 0.25 * apart * apart));
        const double length = 1 - press / scene->kn;
        y += sqrt(length * length - 0.25 * apart * apart);
    }
    return y;
}

// Bench of springs: puts the disks in random order.
static void shuffle_disks(qdi_lammps_scene *scene) {
    qd_random random = qd_random_at(SEED, 0, USE_PLACE);
    for (size_t i = scene->count; i > 1; --i) {
        size_t j = (size_t)(qd_random_uniform(&random) * (double)i);
        qdi_lammps_disk kept = scene->disks[i - 1];
        scene->disks[i - 1] = scene->disks[j];
        scene->disks[j] = kept;
    }
}

/// Bench of springs: disks of diameter 1 and mass 1, of temperature 1 or at rest in a heap, so stiff that
/// they overlap by a hundredth at most; a step is a fiftieth of what a collision lasts. LAMMPS's skin is the
/// best for it, as is newton on.
static qd_status make_scene(const qdi_spring_plan *plan, qdi_lammps_scene *scene) {
    const bool heap = plan->of->fill == 0;
    size_t across = (size_t)ceil(sqrt((double)plan->bodies));
    double cell = heap ? 1.02 : sqrt(0.7853981633974483 / plan->of->fill); // a disk has pi / 4 of its square
    double side = (double)across * cell;
    *scene = (qdi_lammps_scene){.name = plan->of->name,
                                .high = {side, side},
                                .walls = heap,
                                .gravity = heap ? 1 : 0,
                                .kn = 20000,
                                .kt = 6000,
                                .gamman = 12,
                                .gammat = 6,
                                .friction = plan->of->friction,
                                .dt = 3e-4,
                                .skin = heap ? 0.015 : 0.15,
                                .newton = true,
                                .count = plan->bodies};
    scene->disks = qdi_allocate(qd_allocator_default(), scene->count, sizeof *scene->disks);
    if (!scene->disks) return QD_ERR_MEMORY;
    if (heap) {
        scene->high = (qd_vec2){side - 0.02, 0};
        scene->high.y = pile_disks(scene, across) + 2;
    } else {
        place_disks(scene, across, cell);
    }
    shuffle_disks(scene);
    return QD_OK;
}

// ---- the two sides ----

typedef struct spring_run {
    const qdi_spring_plan *plan;
    qdi_spring_report *report;
    qd_error *error;
    qdi_lammps_scene scene;
    double *samples;                    ///< nanoseconds per step, by method and repeat
    double *cpu;                        ///< the same of all processors together
    double (*ours)[QDI_LAMMPS_COLUMNS]; ///< as our disks are in the end
    qdi_lammps_result theirs;           ///< the same of LAMMPS
} spring_run;

// Whether the bench of springs goes on.
static bool spring_goes_on(const spring_run *run, bool *stopped) {
    const qdi_spring_plan *plan = run->plan;
    *stopped = plan->tick && !plan->tick(plan->context);
    return !*stopped;
}

// Keeps the state at the end of our side of the bench of springs.
static void keep_spring_end(spring_run *run, const qd_world *world, const qd_profile *profile) {
    qdi_spring_report *report = run->report;
    qdi_lammps_look(&run->scene, world, run->ours);
    const size_t count = run->scene.count;
    (void)qd_world_contacts(world, &report->contacts);
    report->collisions = 2 * (double)qd_world_total(world).begins / (double)count;
    report->kinetic = qdi_lammps_motion(&run->scene, world);
    for (int phase = 0; phase < QD_PHASE_EXPORT; ++phase)
        report->phases[phase] = (double)profile->wall_ns[phase] / (double)profile->body_steps;
}

// Does and measures the steps of our springs.
static qd_status step_our_springs(spring_run *run, qd_world *world, size_t at, bool *stopped) {
    const qdi_spring_plan *plan = run->plan;
    qd_profile profile;
    memset(&profile, 0, sizeof profile);
    uint64_t spent = 0, processors = 0;
    qd_status status = QD_OK;
    for (size_t k = 0; status == QD_OK && k < plan->warm + plan->steps; ++k) {
        bool counts = k >= plan->warm;
        if (k == plan->warm) processors = qdi_host_usage_now().processor_ns;
        uint64_t start = qdi_clock_ns();
        status = qd_world_step(world, run->scene.dt, counts ? &profile : NULL);
        if (counts) spent += qdi_clock_ns() - start;
        if (!spring_goes_on(run, stopped)) return status;
    }
    run->samples[at] = (double)spent / (double)plan->steps;
    run->cpu[at] = (double)(qdi_host_usage_now().processor_ns - processors) / (double)plan->steps;
    if (status == QD_OK) keep_spring_end(run, world, &profile);
    return status;
}

// Measures our springs once.
static qd_status run_our_springs(spring_run *run, size_t at, bool *stopped) {
    qd_world *world = NULL;
    qd_status status = qdi_lammps_world(&run->scene, run->plan->threads, run->plan->simd, &world, run->error);
    if (status == QD_OK) status = qdi_pin_team(run->plan->pin, qdi_world_team(world));
    if (status == QD_OK) status = step_our_springs(run, world, at, stopped);
    qd_world_destroy(world);
    return status;
}

// Measures the springs of LAMMPS once.
static qd_status run_lammps_springs(spring_run *run, size_t at, bool *stopped) {
    const qdi_spring_plan *plan = run->plan;
    const qdi_lammps_task task = {
        .ranks = plan->threads, .warm = plan->warm, .steps = plan->steps, .columns = "x y vx vy omegaz"};
    qdi_lammps_result_free(&run->theirs);
    qd_status status = qdi_lammps_run(&run->scene, &task, NULL, &run->theirs, run->error);
    if (status != QD_OK) return status;
    run->samples[at] = 1e9 * run->theirs.seconds / (double)plan->steps;
    run->cpu[at] = 1e9 * run->theirs.processor / (double)plan->steps;
    snprintf(run->report->version, sizeof run->report->version, "%s", run->theirs.version);
    (void)spring_goes_on(run, stopped);
    return QD_OK;
}

// ---- figures ----

// Medians and differences of both sides of the bench of springs.
static void evaluate_springs(const spring_run *run) {
    static const char *const names[QDI_SPRING_METHODS] = {"spring", "lammps"};
    qdi_spring_report *report = run->report;
    const size_t repeats = run->plan->repeats;
    for (size_t m = 0; m < report->count; ++m)
        report->rows[m] = (qdi_spring_row){
            names[m], qdi_statistics_per(run->samples + m * repeats, repeats, run->scene.count),
            qdi_statistics_per(run->cpu + m * repeats, repeats, run->scene.count).median};
    if (report->count < QDI_SPRING_METHODS) return;
    const qdi_lammps_frame *end = &run->theirs.frames[run->theirs.frame_count - 1];
    report->difference = qdi_lammps_difference(&run->scene, end, run->ours, QDI_LAMMPS_X, QDI_LAMMPS_SPIN, 1);
}

// Measures one side of the bench of springs once.
static qd_status run_spring_method(void *context, size_t method, size_t repeat, bool *stopped) {
    spring_run *run = context;
    const size_t at = method * run->plan->repeats + repeat;
    return method == QDI_SPRING_OURS ? run_our_springs(run, at, stopped)
                                     : run_lammps_springs(run, at, stopped);
}

qd_status qdi_spring_run(const qdi_spring_plan *plan, qdi_spring_report *report, bool *stopped,
                         qd_error *error) {
    const qd_allocator *allocator = qd_allocator_default();
    const size_t samples = QDI_SPRING_METHODS * plan->repeats; // of either time
    *report = (qdi_spring_report){.plan = plan, .count = plan->peer ? QDI_SPRING_METHODS : 1};
    spring_run run = {.plan = plan, .report = report, .error = error};
    const qdi_bench_turns turns = {report->count, plan->repeats,     plan->seed,
                                   USE_ORDER,     run_spring_method, &run};
    size_t last = 0;
    error->text[0] = '\0';
    *stopped = false;
    qd_status status = make_scene(plan, &run.scene);
    if (status != QD_OK) return status;
    run.samples = qdi_allocate(allocator, 2 * samples, sizeof *run.samples);
    run.cpu = run.samples ? run.samples + samples : NULL;
    run.ours = qdi_allocate(allocator, plan->bodies, sizeof *run.ours);
    if (!run.samples || !run.ours) status = QD_ERR_MEMORY;
    if (status == QD_OK) status = qdi_bench_take_turns(&turns, stopped, &last);
    if (status == QD_OK && !*stopped) evaluate_springs(&run);
    qdi_lammps_result_free(&run.theirs);
    qdi_release(allocator, run.samples, 2 * samples, sizeof *run.samples);
    qdi_release(allocator, run.ours, plan->bodies, sizeof *run.ours);
    qdi_release(allocator, run.scene.disks, plan->bodies, sizeof *run.scene.disks);
    return status;
}
