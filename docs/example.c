// 500 disks in a box for ten seconds, drawn six times a second into the folder `frames`, which must exist.
#include <quadrille/frame.h>
#include <quadrille/world.h>
#include <stdio.h>

static qd_status add_disks(qd_world *world, qd_error *error) {
    qd_status status = QD_OK;
    for (int i = 0; status == QD_OK && i < 500; ++i) {
        qd_body_def disk = qd_body_def_default();
        disk.shape.radius = 0.4 + 0.004 * (i % 100);
        const int column = i % 25, row = i / 25;
        disk.position = (qd_vec2){2.0 + 3.9 * column, 2.0 + 2.9 * row};
        disk.velocity = (qd_vec2){(i * 7) % 11 - 5.0, (i * 3) % 7 - 3.0};
        status = qd_world_add(world, &disk, NULL, error);
    }
    return status;
}

static qd_status simulate(qd_world *world, qd_frame_writer *writer, qd_error *error) {
    qd_status status = add_disks(world, error);
    if (status == QD_OK) status = qd_world_detect(world); // contacts of the first moment
    for (int step = 0; status == QD_OK && step <= 600; ++step) {
        if (step > 0) status = qd_world_step(world, 1.0 / 60.0, NULL);
        if (status == QD_OK && step % 10 == 0) status = qd_frame_writer_push(writer, world);
    }
    uint64_t frames = 0;
    if (status == QD_OK) status = qd_frame_writer_finish(writer, &frames, error);
    if (status == QD_OK) {
        qd_world_totals totals = qd_world_total(world);
        printf("%llu frames, %llu collisions, state %016llx\n", (unsigned long long)frames,
               (unsigned long long)totals.begins, (unsigned long long)qd_world_hash(world));
    }
    return status;
}

int main(void) {
    qd_error error = {""};
    qd_world_def def = qd_world_def_default();
    def.size = (qd_vec2){100, 60};
    def.threads = 2; // changes the speed, never the result
    qd_world *world = NULL;
    qd_status status = qd_world_create(&def, &world);

    qd_frame_writer_def frame_def = qd_frame_writer_def_default();
    frame_def.directory = "frames";
    qd_frame_writer *writer = NULL;
    if (status == QD_OK) status = qd_frame_writer_create(&frame_def, &writer, &error);
    if (status == QD_OK) status = simulate(world, writer, &error);
    if (status != QD_OK) fprintf(stderr, "%s %s\n", qd_status_text(status), error.text);

    qd_frame_writer_destroy(writer);
    qd_world_destroy(world);
    return status == QD_OK ? 0 : 1;
}
