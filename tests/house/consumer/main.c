// A program of somebody who has Quadrille installed: every public header, and a short run.
#include <quadrille/quadrille.h>
#include <stdio.h>

int main(void) {
    qd_world_def def = qd_world_def_default();
    def.size = (qd_vec2){20, 20};
    qd_world *world = NULL;
    qd_error error = {""};
    qd_status status = qd_world_create(&def, &world);
    for (int i = 0; status == QD_OK && i < 20; ++i) {
        qd_body_def disk = qd_body_def_default();
        disk.shape = qd_shape_disk(0.5);
        disk.position = (qd_vec2){1 + 0.9 * i, 1 + 0.7 * i};
        disk.velocity = (qd_vec2){3.0 - i, 2};
        status = qd_world_add(world, &disk, NULL, &error);
    }
    for (int step = 0; status == QD_OK && step < 50; ++step) status = qd_world_step(world, 0.02, NULL);
    if (status == QD_OK)
        printf("%s %016llx\n", QD_VERSION, (unsigned long long)qd_world_hash(world));
    else
        fprintf(stderr, "%s %s\n", qd_status_text(status), error.text);
    qd_world_destroy(world);
    return status == QD_OK ? 0 : 1;
}
