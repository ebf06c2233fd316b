// The tree alone, for bodies of your own: boxes in, overlapping pairs out.
#include <quadrille/random.h>
#include <quadrille/ray.h>
#include <quadrille/tree.h>
#include <stdio.h>

enum { COUNT = 1000 };

static bool print_hit(void *context, qd_body_index body, qd_image image) {
    (void)context, (void)image; // the image is for periodic worlds
    printf("box %u lies at (12, -7)\n", body);
    return true; // go on
}

static qd_status follow(qd_tree *tree, qd_team *team, qd_pairs *pairs) {
    double x[COUNT], y[COUNT], radius[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        qd_random random = qd_random_at(1, (uint64_t)i, 0);
        x[i] = 100 * qd_random_uniform(&random) - 50;
        y[i] = 100 * qd_random_uniform(&random) - 50;
        radius[i] = 0.75;
    }
    qd_box boxes[COUNT];
    qd_status status = QD_OK;
    for (int step = 0; status == QD_OK && step < 10; ++step) {
        qd_boxes_of_disks(x, y, radius, COUNT, boxes);
        for (int i = 1; i < COUNT; i += 2) x[i] += 0.1; // every other one moves right
        // The first call builds the tree; later ones re-file only what left its cell.
        qd_tree_counts counts = {0};
        status = qd_tree_refresh(tree, team, boxes, NULL, COUNT, &counts, NULL);
        if (status == QD_OK) status = qd_tree_pairs(tree, team, pairs);
        size_t count = 0;
        const qd_pair *pair = qd_pairs_data(pairs, &count); // a < b, each pair once
        if (status == QD_OK && count > 0)
            printf("step %d: %llu boxes changed their node, %zu pairs overlap, the first is %u and %u\n",
                   step, (unsigned long long)counts.refiled, count, pair[0].a, pair[0].b);
    }
    if (status == QD_OK) status = qd_tree_point(tree, 12.0F, -7.0F, print_hit, NULL);
    const qd_ray ray = qd_ray_between((qd_vec2){-60, 0}, (qd_vec2){60, 0});
    qd_ray_hit first = {.body = QD_NO_BODY};
    if (status == QD_OK) status = qd_tree_ray(tree, &ray, NULL, NULL, &first);
    if (first.body != QD_NO_BODY)
        printf("a ray from the left meets box %u at x = %g\n", first.body, qd_ray_point(&ray, first.at).x);
    return status;
}

int main(void) {
    qd_tree_def def = qd_tree_def_default();
    def.size = (qd_vec2){100, 100}; // about (0, 0); bodies may lie outside
    qd_team_def team_def = qd_team_def_default();
    team_def.threads = 2; // pairs and their order are the same for any number
    qd_tree *tree = NULL;
    qd_team *team = NULL;
    qd_pairs *pairs = NULL;
    qd_status status = qd_tree_create(&def, &tree);
    if (status == QD_OK) status = qd_team_create(&team_def, &team);
    if (status == QD_OK) status = qd_pairs_create(1000000, NULL, &pairs);
    if (status == QD_OK) status = follow(tree, team, pairs);
    if (status != QD_OK) fprintf(stderr, "%s\n", qd_status_text(status));
    qd_pairs_destroy(pairs);
    qd_team_destroy(team);
    qd_tree_destroy(tree);
    return status == QD_OK ? 0 : 1;
}
