// A world with callbacks: bodies that are drawn to the middle, a count of what they begin to touch, and who
// is there.
#include <quadrille/force.h>
#include <quadrille/query.h>
#include <quadrille/world.h>
#include <stdio.h>

typedef struct pull {
    double strength;
    qd_vec2 centre;
} pull;

// Called from all of the world's threads, each with other bodies: it reads its columns and writes its forces,
// no more.
static void pull_in(void *context, const qd_force_range *range) {
    const pull *how = context;
    for (size_t i = 0; i < range->count; ++i) {
        range->force_x[i] += how->strength * range->mass[i] * (how->centre.x - range->x[i]);
        range->force_y[i] += how->strength * range->mass[i] * (how->centre.y - range->y[i]);
    }
}

static qd_status add_boxes(qd_world *world, qd_error *error) {
    qd_status status = QD_OK;
    for (int i = 0; status == QD_OK && i < 200; ++i) {
        qd_body_def box = qd_body_def_default();
        box.shape = qd_shape_rect(1.2, 0.8);
        box.position = (qd_vec2){3.0 + 2.2 * (i % 20), 3.0 + 4.5 * (double)(i / 20)};
        status = qd_world_add(world, &box, NULL, error);
    }
    return status;
}

static bool print_near(void *context, const qd_world_near *near) {
    const qd_world *world = context;
    size_t count = 0;
    (void)qd_world_contacts(world, &count);
    printf("body %u is at the middle; there are %zu contacts\n", near->near.body, count);
    return false; // one is enough
}

static qd_status simulate(qd_world *world, qd_error *error) {
    pull how = {2.0, {25.0, 25.0}};
    uint64_t begun = 0;
    qd_status status = add_boxes(world, error);
    if (status == QD_OK) status = qd_world_set_force(world, pull_in, &how);
    if (status == QD_OK) status = qd_world_detect(world);
    for (int step = 0; status == QD_OK && step < 400; ++step) {
        status = qd_world_step(world, 1.0 / 120.0, NULL);
        size_t count = 0;
        // Those of this step, in an order that never changes.
        const qd_event *events = qd_world_events(world, &count);
        for (size_t i = 0; i < count; ++i) begun += events[i].kind == QD_EVENT_BEGIN;
    }
    if (status == QD_OK) status = qd_world_circle(world, how.centre, 2.0, NULL, print_near, world);
    if (status == QD_OK)
        printf("%llu contacts began, state %016llx\n", (unsigned long long)begun,
               (unsigned long long)qd_world_hash(world));
    return status;
}

int main(void) {
    qd_error error = {""};
    qd_world_def def = qd_world_def_default();
    def.size = (qd_vec2){50, 50};
    def.threads = 2;
    qd_world *world = NULL;
    qd_status status = qd_world_create(&def, &world);
    if (status == QD_OK) status = simulate(world, &error);
    if (status != QD_OK) fprintf(stderr, "%s %s\n", qd_status_text(status), error.text);
    qd_world_destroy(world);
    return status == QD_OK ? 0 : 1;
}
