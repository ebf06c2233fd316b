#include "sim/scene/scene_builtin.h"

#include <quadrille/scene.h>

#include <string.h>

// Made by the build from sim/scenes.
extern const unsigned char qdi_scene_pool[];
extern const unsigned long qdi_scene_pool_size;
extern const unsigned char qdi_scene_gas[];
extern const unsigned long qdi_scene_gas_size;
extern const unsigned char qdi_scene_sizes[];
extern const unsigned long qdi_scene_sizes_size;
extern const unsigned char qdi_scene_rain[];
extern const unsigned long qdi_scene_rain_size;
extern const unsigned char qdi_scene_clusters[];
extern const unsigned long qdi_scene_clusters_size;
extern const unsigned char qdi_scene_pyramid[];
extern const unsigned long qdi_scene_pyramid_size;
extern const unsigned char qdi_scene_tumbler[];
extern const unsigned long qdi_scene_tumbler_size;
extern const unsigned char qdi_scene_billiard[];
extern const unsigned long qdi_scene_billiard_size;
extern const unsigned char qdi_scene_cradle[];
extern const unsigned long qdi_scene_cradle_size;
extern const unsigned char qdi_scene_hopper[];
extern const unsigned long qdi_scene_hopper_size;
extern const unsigned char qdi_scene_bullets[];
extern const unsigned long qdi_scene_bullets_size;
extern const unsigned char qdi_scene_brownian[];
extern const unsigned long qdi_scene_brownian_size;
extern const unsigned char qdi_scene_cooling[];
extern const unsigned long qdi_scene_cooling_size;
extern const unsigned char qdi_scene_compress[];
extern const unsigned long qdi_scene_compress_size;
extern const unsigned char qdi_scene_silo[];
extern const unsigned long qdi_scene_silo_size;
extern const unsigned char qdi_scene_shaker[];
extern const unsigned long qdi_scene_shaker_size;
extern const unsigned char qdi_scene_cells[];
extern const unsigned long qdi_scene_cells_size;
extern const unsigned char qdi_scene_refresh[];
extern const unsigned long qdi_scene_refresh_size;
extern const unsigned char qdi_scene_pairs[];
extern const unsigned long qdi_scene_pairs_size;
extern const unsigned char qdi_scene_retrieve[];
extern const unsigned long qdi_scene_retrieve_size;
extern const unsigned char qdi_scene_query[];
extern const unsigned long qdi_scene_query_size;
extern const unsigned char qdi_scene_gate[];
extern const unsigned long qdi_scene_gate_size;

int qdi_builtin_get(size_t number, qdi_builtin *builtin) {
    const qdi_builtin all[] = {
        {"pool", "2000 balls bounce in a box; those that touch light up.", (const char *)qdi_scene_pool,
         qdi_scene_pool_size},
        {"gas", "An elastic gas: equal disks cover 30 % of a periodic world.", (const char *)qdi_scene_gas,
         qdi_scene_gas_size},
        {"sizes", "Disks of all sizes from 1 to 100 in one box: few large, many small.",
         (const char *)qdi_scene_sizes, qdi_scene_sizes_size},
        {"rain", "Disks and boxes rain on ledges, roll off, and come to rest in heaps.",
         (const char *)qdi_scene_rain, qdi_scene_rain_size},
        {"clusters", "Disks in clusters: crowded here, empty there. They cover 2 % of the world.",
         (const char *)qdi_scene_clusters, qdi_scene_clusters_size},
        {"pyramid", "A pyramid of 210 boxes in 20 rows stands, and goes on standing.",
         (const char *)qdi_scene_pyramid, qdi_scene_pyramid_size},
        {"tumbler", "A drum turns about its middle and tumbles disks, boxes and shards.",
         (const char *)qdi_scene_tumbler, qdi_scene_tumbler_size},
        {"billiard", "The break: a cue ball runs into fifteen others, which scatter over the table.",
         (const char *)qdi_scene_billiard, qdi_scene_billiard_size},
        {"cradle",
         "Newton's cradle, laid flat: as many balls as run into a row on one side leave it on the other.",
         (const char *)qdi_scene_cradle, qdi_scene_cradle_size},
        {"hopper", "Grains run out of a hopper through its opening and heap up below.",
         (const char *)qdi_scene_hopper, qdi_scene_hopper_size},
        {"bullets", "10,000 bullets in chambers with walls as thin as lines: none gets into another chamber.",
         (const char *)qdi_scene_bullets, qdi_scene_bullets_size},
        {"brownian", "Brownian motion: grains of all shapes and sizes in a warm medium.",
         (const char *)qdi_scene_brownian, qdi_scene_brownian_size},
        {"cooling",
         "A granular gas left to itself: with every bounce it loses energy, cools, and falls into clusters.",
         (const char *)qdi_scene_cooling, qdi_scene_cooling_size},
        {"compress", "Disks of two sizes without friction are pressed together until they jam.",
         (const char *)qdi_scene_compress, qdi_scene_compress_size},
        {"silo", "A silo is filled from above: its walls carry most of the weight.",
         (const char *)qdi_scene_silo, qdi_scene_silo_size},
        {"shaker", "A floor shakes up and down, and throws up what lies on it: large and small grains dance.",
         (const char *)qdi_scene_shaker, qdi_scene_shaker_size},
        {"cells", "Boxes fly about over the cells of a quadtree, and light up where two of them touch.",
         (const char *)qdi_scene_cells, qdi_scene_cells_size},
        {"refresh", "Balls that came into another node of the tree light up, and fade.",
         (const char *)qdi_scene_refresh, qdi_scene_refresh_size},
        {"pairs", "1000 balls swarm about a point: nodes of the tree split and merge where the swarm goes.",
         (const char *)qdi_scene_pairs, qdi_scene_pairs_size},
        {"retrieve",
         "What the tree is asked for one box: nodes that are looked at, boxes near, and boxes that touch.",
         (const char *)qdi_scene_retrieve, qdi_scene_retrieve_size},
        {"query", "2000 balls in a box, and a rectangle that goes round: what is in it lights up.",
         (const char *)qdi_scene_query, qdi_scene_query_size},
        {"gate",
         "A bin is filled, its grains settle, a gate opens, and it runs empty: one run in four stages.",
         (const char *)qdi_scene_gate, qdi_scene_gate_size},
    };
    if (number >= sizeof all / sizeof all[0]) return 0;
    *builtin = all[number];
    return 1;
}

const char *qd_scene_builtin_name(size_t number) {
    qdi_builtin builtin;
    return qdi_builtin_get(number, &builtin) ? builtin.name : NULL;
}

const char *qd_scene_builtin_about(size_t number) {
    qdi_builtin builtin;
    return qdi_builtin_get(number, &builtin) ? builtin.about : NULL;
}

const char *qd_scene_builtin_text(const char *name) {
    qdi_builtin builtin;
    for (size_t i = 0; name && qdi_builtin_get(i, &builtin); ++i)
        if (strcmp(builtin.name, name) == 0) return builtin.text;
    return NULL;
}
