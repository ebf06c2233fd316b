// Shared between the threads of a loop: of each part how many stages are done, which its neighbours read, and
// whether some thread has it. A thread takes a part (acquire), does the stages that are ready, tells each
// (release) and gives it back (release): so whoever takes it next sees what was done to it, and who reads
// that a neighbour has done a stage (acquire) sees what that did. The two lie in lines of their own: that of
// `held` stays with its thread while neighbours look at `done`.
//
// No thread waits for one that has not come: parts of a block whose thread is not there are taken by whoever
// finds nothing of its own ready, those of others after some time. What remains is a wait for a thread that
// has lost its processor in the middle of a stage. A worker gives up then, and the caller lets others run;
// and as after such a wait for a loop (thread_pool.c) the next loops are the caller's alone for a while.

#include "core/parallel/stages.h"

#include "core/base/os.h"
#include "core/parallel/parallel.h"

#include <stdatomic.h>
#include <stdbool.h>

/// Turns of looking in vain before a thread takes parts of those that are not there, the first time, and of
/// those that are; and between two readings of the clock. How long it looks before it takes it that somebody
/// has lost a processor.
enum { TURNS_FOR_ABSENT = 16, TURNS_FOR_OTHERS = 128, TURNS_PER_CLOCK = 32 };
static const uint64_t long_wait_ns = 100000;

typedef struct part_state {
    _Alignas(64) _Atomic size_t done; ///< stages
    _Alignas(64) atomic_bool held;
} part_state;

typedef struct stages_job {
    qd_team *team;
    size_t parts, blocks, stages;
    const uint64_t *neighbours;
    qdi_stage_function function;
    void *context;
    part_state *state;
    _Atomic size_t left;    ///< parts that are not through
    _Atomic uint64_t here;  ///< blocks whose threads are there, by bit
    atomic_bool waited_for; ///< the caller has waited for long
    atomic_bool preempted;  ///< meanwhile a thread that had a part lost its processor
} stages_job;

/// Team's stages: true where a part's neighbours have done all `stages` before its next one.
static bool is_ready(const stages_job *job, size_t part, size_t stages) {
    for (uint64_t left = job->neighbours[part]; left; left &= left - 1) {
        const size_t neighbour = (size_t)__builtin_ctzll(left);
        if (atomic_load_explicit(&job->state[neighbour].done, memory_order_acquire) < stages) return false;
    }
    return true;
}

/// Team's stages: does what is ready of a part; false where that is nothing, or another thread has it.
static bool advance(stages_job *job, size_t part) {
    part_state *state = &job->state[part];
    size_t done = atomic_load_explicit(&state->done, memory_order_relaxed);
    if (done == job->stages || !is_ready(job, part, done)) return false;
    if (atomic_load_explicit(&state->held, memory_order_relaxed) ||
        atomic_exchange_explicit(&state->held, true, memory_order_acquire))
        return false;
    const size_t before = done = atomic_load_explicit(&state->done, memory_order_relaxed);
    while (done < job->stages && is_ready(job, part, done)) {
        job->function(job->context, part, done);
        atomic_store_explicit(&state->done, ++done, memory_order_release);
    }
    atomic_store_explicit(&state->held, false, memory_order_release);
    if (done == before) return false;
    if (done == job->stages) atomic_fetch_sub_explicit(&job->left, 1, memory_order_release);
    return true;
}

/// A thread that looks for something to do.
typedef struct looker {
    stages_job *job;
    size_t block;
    int worker;
    unsigned turns;       ///< in vain
    unsigned patience;    ///< turns before it takes parts of those that are not there
    uint64_t since;       ///< when the first of them was told by a clock; 0: not yet
    uint64_t waited;      ///< nanoseconds in all
    uint64_t longest;     ///< of these in one piece
    uint64_t preemptions; ///< how often it lost its processor, as it was at the beginning
} looker;

/// Team's stages: does what is ready of the parts of a block.
static bool advance_block(stages_job *job, size_t block) {
    bool any = false;
    for (size_t part = block * job->parts / job->blocks; part < (block + 1) * job->parts / job->blocks;
         ++part)
        any |= advance(job, part);
    return any;
}

/// Team's stages: does what is ready of its own parts, or else, after some time, of one of the others'
/// blocks.
static bool find_work(looker *self) {
    stages_job *job = self->job;
    if (advance_block(job, self->block)) return true;
    if (self->turns < self->patience) return false;
    const uint64_t here = atomic_load_explicit(&job->here, memory_order_relaxed);
    for (size_t k = 1; k < job->blocks; ++k) {
        const size_t block = (self->block + k) % job->blocks;
        const bool absent = !(here >> block & 1);
        if ((absent || self->turns >= TURNS_FOR_OTHERS) && advance_block(job, block)) {
            if (absent) self->patience = 0;
            return true;
        }
    }
    return false;
}

/// Team's stages: a thread has found work again, or there is none.
static void end_wait(looker *self) {
    self->turns = 0;
    if (!self->since) return;
    const uint64_t waited = qdi_clock_ns() - self->since;
    self->since = 0;
    self->waited += waited;
    if (waited > self->longest) self->longest = waited;
}

/// Team's stages: a moment of looking in vain; false where a worker may as well leave.
static bool keep_looking(looker *self) {
    qdi_os_relax();
    if (++self->turns % TURNS_PER_CLOCK != 0) return true;
    const uint64_t now = qdi_clock_ns();
    if (!self->since) self->since = now;
    if (now - self->since < long_wait_ns) return true;
    if (self->worker > 0) return false;
    atomic_store_explicit(&self->job->waited_for, true, memory_order_relaxed);
    qdi_os_give_way();
    return true;
}

/// Team's stages: a thread that the caller may have waited for says whether it had lost its processor.
static void tell_preemption(const looker *self) {
    if (self->worker > 0 && atomic_load_explicit(&self->job->waited_for, memory_order_relaxed) &&
        qdi_os_preemptions() != self->preemptions)
        atomic_store_explicit(&self->job->preempted, true, memory_order_relaxed);
}

/// Team's stages: a thread's share: a block of parts, and whatever is left of others.
static void work_block(void *context, size_t begin, size_t end, int worker) {
    (void)end;
    stages_job *job = context;
    looker self = {.job = job, .block = begin, .worker = worker, .patience = TURNS_FOR_ABSENT};
    if (atomic_load_explicit(&job->left, memory_order_acquire) == 0) return;
    if (worker > 0) self.preemptions = qdi_os_preemptions();
    atomic_fetch_or_explicit(&job->here, UINT64_C(1) << begin, memory_order_relaxed);
    while (atomic_load_explicit(&job->left, memory_order_acquire) > 0) {
        if (find_work(&self)) {
            end_wait(&self);
            tell_preemption(&self);
        } else if (!keep_looking(&self)) {
            break;
        }
    }
    atomic_fetch_and_explicit(&job->here, ~(UINT64_C(1) << begin), memory_order_relaxed);
    end_wait(&self);
    qdi_team_waited(job->team, worker, self.waited);
    if (worker == 0 && atomic_load_explicit(&job->preempted, memory_order_relaxed))
        qdi_team_rest(job->team, self.longest);
}

void qdi_team_stages(qd_team *team, size_t parts, size_t stages, const uint64_t *neighbours,
                     qdi_stage_function function, void *context) {
    part_state state[QDI_PARTS_MAX];
    const size_t threads = (size_t)qdi_team_used(team);
    stages_job job = {.team = team,
                      .parts = parts,
                      .blocks = parts < threads ? parts : threads,
                      .stages = stages,
                      .neighbours = neighbours,
                      .function = function,
                      .context = context,
                      .state = state,
                      .left = stages > 0 ? parts : 0};
    for (size_t part = 0; part < parts; ++part) {
        atomic_init(&state[part].done, 0);
        atomic_init(&state[part].held, false);
    }
    qdi_team_for_workers(team, job.blocks, 1, work_block, &job);
}
