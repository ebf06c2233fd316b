#include "sim/scene_builtin.h"

#include <quadrille/scene.h>

#include <string.h>

// Made by the build from sim/scenes.
extern const unsigned char qdi_scene_pool[], qdi_scene_gas[], qdi_scene_sizes[], qdi_scene_bullets[];
extern const unsigned long qdi_scene_pool_size, qdi_scene_gas_size, qdi_scene_sizes_size,
    qdi_scene_bullets_size;

int qdi_builtin_get(size_t number, qdi_builtin *builtin) {
    switch (number) {
    case 0:
        *builtin = (qdi_builtin){"pool", "2000 balls bounce in a box; those that touch light up.",
                                 (const char *)qdi_scene_pool, qdi_scene_pool_size};
        return 1;
    case 1:
        *builtin = (qdi_builtin){"gas", "An elastic gas: equal disks cover 30 % of a periodic world.",
                                 (const char *)qdi_scene_gas, qdi_scene_gas_size};
        return 1;
    case 2:
        *builtin = (qdi_builtin){"sizes",
                                 "Disks of all sizes from 1 to 100 in one box: few large, many small.",
                                 (const char *)qdi_scene_sizes, qdi_scene_sizes_size};
        return 1;
    case 3:
        *builtin = (qdi_builtin){
            "bullets",
            "10,000 bullets in chambers with walls as thin as lines: none gets into another chamber.",
            (const char *)qdi_scene_bullets, qdi_scene_bullets_size};
        return 1;
    default: return 0;
    }
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
