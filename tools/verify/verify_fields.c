#include "tools/verify/verify_fields.h"

#include "sim/text/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

qd_status qdi_field_check_next(qdi_field_check *check, uint64_t from, qd_error *error) {
    qd_store_fields_free(check->past->store, &check->next);
    qd_status status = qd_store_next_fields(check->past->store, from, &check->next, error);
    check->there = status == QD_OK;
    return status == QD_ERR_NOT_FOUND ? QD_OK : status;
}

/// Verified fields: true for two grids with the same cells.
static bool same_grid(const qd_field_grid *a, const qd_field_grid *b) {
    return a->nx == b->nx && a->ny == b->ny && a->x == b->x && a->y == b->y && a->width == b->width &&
           a->height == b->height;
}

// Verified fields: what is recorded of the world's stage.
static qd_scene_run plan_of(const qdi_recorded *past, const qd_world *world) {
    return qd_scene_stage_run(past->scene, (size_t)qd_world_stage(world));
}

bool qdi_field_check_samples(const qdi_recorded *past) {
    bool any = past->plan.record_fields > 0 && past->plan.field_sample > 0;
    for (size_t k = 0; k < qd_scene_stages(past->scene); ++k) {
        const qd_scene_run plan = qd_scene_stage_run(past->scene, k);
        any = any || (plan.record_fields > 0 && plan.field_sample > 0);
    }
    return any;
}

qd_status qdi_field_check_sample(qdi_field_check *check, const qd_world *world) {
    const qd_scene_run plan = plan_of(check->past, world);
    const uint64_t step = qd_world_steps(world);
    if (plan.record_fields == 0 || plan.field_sample == 0) return QD_OK;
    if (step % plan.field_sample != 0 && step % plan.record_fields != 0) return QD_OK;
    qd_status status = QD_OK;
    const int *cells = check->past->plan.field_cells;
    if (!check->field) status = qd_field_create((uint32_t)cells[0], (uint32_t)cells[1], NULL, &check->field);
    if (status == QD_OK) status = qd_field_measure(check->field, world);
    return status == QD_OK ? qd_field_add(check->field) : status;
}

/// Verified fields: a field of the grid that is stored, of the world's state, or the mean that ends there.
static qd_status measure_replay(qdi_field_check *check, const qd_world *world) {
    const qd_scene_run plan = plan_of(check->past, world);
    if (plan.field_sample > 0 && check->field && qd_world_steps(world) > 0)
        return qd_field_average(check->field);
    const qd_field_grid *grid = &check->next.grid;
    qd_status status = QD_OK;
    if (check->field) {
        const qd_field_grid had = qd_field_grid_of(check->field);
        if (had.nx != grid->nx || had.ny != grid->ny) {
            qd_field_destroy(check->field);
            check->field = NULL;
        }
    }
    if (!check->field) status = qd_field_create(grid->nx, grid->ny, NULL, &check->field);
    return status == QD_OK ? qd_field_measure(check->field, world) : status;
}

/// Verified fields: how many values of a quantity differ, and the first cell of these. One of which nothing
/// is stored is passed over.
static size_t compare_quantity(const double *stored, const double *here, size_t cells, size_t *first) {
    size_t differ = 0, numbers = 0;
    for (size_t i = 0; i < cells; ++i) {
        if (!isnan(stored[i])) numbers += 1;
        if (stored[i] == here[i] || (isnan(stored[i]) && isnan(here[i]))) continue;
        if (differ++ == 0) *first = i;
    }
    return numbers > 0 ? differ : 0;
}

qd_status qdi_field_check_step(qdi_field_check *check, const qd_world *world, char *words, size_t bytes) {
    const qd_store_fields *stored = &check->next;
    words[0] = '\0';
    qd_status status = measure_replay(check, world);
    if (status != QD_OK) return status;
    check->seen += 1;
    const qd_field_grid grid = qd_field_grid_of(check->field);
    if (!same_grid(&grid, &stored->grid) || stored->time != qd_field_time(check->field)) {
        (void)snprintf(words, bytes, "the cells or the time are not those of the replay");
        return QD_OK;
    }
    const size_t cells = (size_t)grid.nx * grid.ny;
    size_t all = 0;
    for (size_t q = 0; q < QD_FIELD_QUANTITIES; ++q) {
        const double *here = qd_field_values(check->field, (qd_field_quantity)q),
                     *there = stored->values + q * cells;
        size_t first = 0, differ = compare_quantity(there, here, cells, &first);
        if (differ > 0 && all == 0) {
            char one[QDI_NUMBER_ROOM], two[QDI_NUMBER_ROOM];
            (void)qdi_number_write(there[first], one);
            (void)qdi_number_write(here[first], two);
            (void)snprintf(words, bytes, "%s of cell (%zu, %zu) is %s, %s in the replay",
                           qd_field_name((qd_field_quantity)q), first % grid.nx, first / grid.nx, one, two);
        }
        all += differ;
    }
    return QD_OK;
}

/// Verified fields: frees what a check holds.
void qdi_field_check_end(qdi_field_check *check) {
    qd_store_fields_free(check->past->store, &check->next);
    qd_field_destroy(check->field);
    check->field = NULL;
}
