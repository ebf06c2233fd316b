#include "tools/physics/blind.h"

#include "core/base/memory.h"

#include <math.h>
#include <quadrille/random.h>

enum { PAIRS_MAX = 256 };

/// Two that ignore each other, by index.
typedef struct couple {
    qd_body_index a, b;
} couple;

struct qdi_blind {
    double part;
    uint64_t seed;
    couple couples[PAIRS_MAX];
    size_t count;
    int groups; ///< given so far
};

qd_status qdi_blind_create(double part, uint64_t seed, qdi_blind **blind) {
    *blind = qdi_allocate(qd_allocator_default(), 1, sizeof **blind);
    if (!*blind) return QD_ERR_MEMORY;
    **blind = (qdi_blind){.part = part, .seed = seed};
    return QD_OK;
}

void qdi_blind_destroy(qdi_blind *blind) {
    qdi_release(qd_allocator_default(), blind, 1, sizeof *blind);
}

/// Case with a planted error: from a to b, the shorter way.
static qd_vec2 nearest_offset(const qd_world *gas, const qd_body_view *view, uint32_t a, uint32_t b) {
    qd_vec2 size = qd_world_definition(gas).size;
    double x = view->x[b] - view->x[a], y = view->y[b] - view->y[a];
    return (qd_vec2){x - size.x * floor(x / size.x + 0.5), y - size.y * floor(y / size.y + 0.5)};
}

/// Case with a planted error: takes both out and puts them back in a group. The lowest free index is used
/// first, so they keep theirs.
static qd_status regroup_couple(qd_world *gas, const couple *pair, int group) {
    qd_body_view view = qd_world_view(gas);
    const qd_body_index index[2] = {pair->a < pair->b ? pair->a : pair->b,
                                    pair->a < pair->b ? pair->b : pair->a};
    qd_body_def disk[2];
    qd_id id[2];
    for (int k = 0; k < 2; ++k) {
        uint32_t row = view.row_of_index[index[k]];
        disk[k] = qd_body_def_default();
        disk[k].shape.radius = view.radius[row];
        disk[k].mass = view.mass[row];
        disk[k].inertia = HUGE_VAL;
        disk[k].filter.group = group;
        disk[k].position = (qd_vec2){view.x[row], view.y[row]};
        disk[k].velocity = (qd_vec2){view.vx[row], view.vy[row]};
        id[k] = (qd_id){view.index[row], view.generation[row]};
    }
    qd_status status = qd_world_remove(gas, id[0]);
    if (status == QD_OK) status = qd_world_remove(gas, id[1]);
    for (int k = 0; k < 2 && status == QD_OK; ++k) status = qd_world_add(gas, &disk[k], &id[k], NULL);
    return status;
}

// Case with a planted error: whether a disk is already one of a couple that shall not collide.
static bool is_in_couple(const qdi_blind *blind, qd_body_index index) {
    for (size_t i = 0; i < blind->count; ++i)
        if (blind->couples[i].a == index || blind->couples[i].b == index) return true;
    return false;
}

/// Case with a planted error: lets those that have been through each other see each other again.
static qd_status release_couples(qdi_blind *blind, qd_world *gas) {
    qd_status status = QD_OK;
    for (size_t i = 0; i < blind->count && status == QD_OK;) {
        couple *pair = &blind->couples[i];
        qd_body_view view = qd_world_view(gas);
        uint32_t a = view.row_of_index[pair->a], b = view.row_of_index[pair->b];
        qd_vec2 way = nearest_offset(gas, &view, a, b);
        double reach = view.radius[a] + view.radius[b];
        double parting = way.x * (view.vx[b] - view.vx[a]) + way.y * (view.vy[b] - view.vy[a]);
        bool apart = way.x * way.x + way.y * way.y > reach * reach;
        if (!apart || parting <= 0) { // on their way to each other, or in each other
            ++i;
            continue;
        }
        status = regroup_couple(gas, pair, 0);
        *pair = blind->couples[--blind->count];
    }
    return status;
}

/// Case with a planted error: true where two disks meet within dt, if nobody is in their way.
static bool will_meet(const qd_world *gas, const qd_body_view *view, uint32_t a, uint32_t b, double dt) {
    qd_vec2 way = nearest_offset(gas, view, a, b);
    double ux = view->vx[b] - view->vx[a], uy = view->vy[b] - view->vy[a];
    double along = way.x * ux + way.y * uy, reach = view->radius[a] + view->radius[b];
    double gap = way.x * way.x + way.y * way.y - reach * reach, speed = ux * ux + uy * uy;
    if (along >= 0 || gap <= 0) return false;
    double root = along * along - speed * gap;
    return root > 0 && gap <= (sqrt(root) - along) * dt; // the earlier time is gap / (sqrt(root) - along)
}

// Chooses couples of disks that shall not collide: the planted error of a gas.
static qd_status choose_couples(qdi_blind *blind, qd_world *gas, double dt) {
    qd_body_view view = qd_world_view(gas);
    qd_status status = QD_OK;
    size_t old = blind->count;
    for (qd_body_index a = 0; a < view.index_count; ++a)
        for (qd_body_index b = a + 1; b < view.index_count; ++b) {
            if (!will_meet(gas, &view, view.row_of_index[a], view.row_of_index[b], dt)) continue;
            qd_random random = qd_random_at(blind->seed, (uint64_t)a << 32 | b,
                                            (uint32_t)qd_world_steps(gas));
            if (qd_random_uniform(&random) >= blind->part || is_in_couple(blind, a) || is_in_couple(blind, b))
                continue;
            if (blind->count < PAIRS_MAX) blind->couples[blind->count++] = (couple){a, b};
        }
    for (size_t i = old; i < blind->count && status == QD_OK; ++i)
        status = regroup_couple(gas, &blind->couples[i], -++blind->groups);
    return status;
}

qd_status qdi_blind_run(qdi_blind *blind, qd_world *gas, double time, double dt) {
    qd_status status = QD_OK;
    for (double done = 0; status == QD_OK && done < time - 1e-9 * dt; done += dt) {
        status = release_couples(blind, gas);
        if (status == QD_OK) status = choose_couples(blind, gas, dt);
        if (status == QD_OK) status = qd_world_step(gas, dt, NULL);
    }
    return status;
}
