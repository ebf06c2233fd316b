// The engine alone: a program that links quadrille_sim and nothing above it.
#include <quadrille/world.h>

#include <stdio.h>

int main(void) {
    qd_world_def def = qd_world_def_default();
    qd_world *world = NULL;
    if (qd_world_create(&def, &world) != QD_OK) return 1;
    qd_body_def body = qd_body_def_default();
    body.position = (qd_vec2){5, 5};
    qd_id id;
    qd_status status = qd_world_add(world, &body, &id, NULL);
    for (int k = 0; k < 10 && status == QD_OK; ++k) status = qd_world_step(world, 0.01, NULL);
    printf("%zu body after %llu steps\n", qd_world_count(world), (unsigned long long)qd_world_steps(world));
    qd_world_destroy(world);
    return status == QD_OK ? 0 : 1;
}
