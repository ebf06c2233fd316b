// Spots of contacts that came by another way than from the candidates: those of a loaded world, and those
// whose rows have changed.

#include "sim/world/world_impl.h"

typedef struct spots_job {
    const qd_world *world;
    qdi_moment *moment;
} spots_job;

static void find_rows(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const spots_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        qdi_spot *spot = &job->moment->spots[i];
        const qd_contact *contact = &job->moment->contacts[spot->contact];
        spot->row_a = job->world->row_of_index[contact->a.index];
        spot->row_b = qd_id_is_wall(contact->b) ? QDI_NO_ROW : job->world->row_of_index[contact->b.index];
    }
}

void qdi_spots_find_rows(qd_world *world, qdi_moment *moment) {
    spots_job job = {world, moment};
    qdi_team_for(world->team, qdi_constraint_count(moment), QDI_CONTACT_GRAIN, find_rows, &job);
}

qd_status qdi_spots_make(qd_world *world, qdi_moment *moment) {
    size_t count = qdi_constraint_count(moment), place = 0;
    qd_status status = qdi_reserve(world->allocator, &moment->spots, &moment->spot_room, 0, count,
                                   sizeof *moment->spots);
    if (status != QD_OK) return status;
    for (size_t i = 0; i < count; ++i)
        if (!qd_id_is_wall(moment->contacts[i].b)) moment->spots[place++].contact = (uint32_t)i;
    moment->first_wall = place;
    for (size_t i = 0; i < count; ++i)
        if (qd_id_is_wall(moment->contacts[i].b)) moment->spots[place++].contact = (uint32_t)i;
    qdi_spots_find_rows(world, moment);
    return QD_OK;
}
