#include "tools/physics/lammps_scenes.h"

#include "core/base/memory.h"

#include <math.h>
#include <quadrille/random.h>

enum { LIMITED = 1, SLIDING = 3, FLOOR = 6, HERTZ = 9, ROLLING, ADHESION, MOST_FEW = 3 };

#define MOTION "x y vx vy omegaz"
#define FORCES "fx fy tqz"

static const qdi_lammps_match matches[QDI_LAMMPS_MATCHES] = {
    {"lammps_head_on", 1000, 50, 0, MOTION, QDI_LAMMPS_NO_EFFECTIVE_MASS, "damping without effective mass",
     "two disks of masses 1 and 2 collide head-on, dashpots pulling at the end"},
    {"lammps_limited", 1000, 50, 0, MOTION, QDI_LAMMPS_PULL, "dashpots pull", "the same with limit_damping"},
    {"lammps_oblique", 1000, 50, 0, MOTION, QDI_LAMMPS_NO_HISTORY, "history not carried",
     "two disks that stick and roll while they touch"},
    {"lammps_sliding", 1000, 50, 0, MOTION, QDI_LAMMPS_SHORT_LEVER, "lever arm shortened by overlap",
     "two disks that slide on each other: Coulomb's limit"},
    {"lammps_chain", 1000, 50, 0, MOTION, QDI_LAMMPS_NO_EFFECTIVE_MASS, "damping without effective mass",
     "a disk hits two that touch"},
    {"lammps_trio", 1000, 50, 0, MOTION, QDI_LAMMPS_NO_HISTORY, "history not carried",
     "three disks of different sizes meet, spinning"},
    {"lammps_floor", 1000, 50, 0, MOTION, QDI_LAMMPS_NO_FIRST_KICK, "first half kick of gravity left out",
     "three disks under gravity on a floor, one at a side: fix wall/gran"},
    {"lammps_state", 100, 100, 0, FORCES, QDI_LAMMPS_SHORT_LEVER, "lever arm shortened by overlap", NULL},
    {"lammps_gas", 3599, 1800, 50, MOTION, QDI_LAMMPS_NO_EFFECTIVE_MASS, "damping without effective mass",
     NULL},
    {"lammps_hertz", 1000, 50, 0, MOTION, QDI_LAMMPS_NO_HERTZ, "stiffness without the overlap's root",
     "two disks of masses 1 and 2 collide head-on: granular hertz"},
    {"lammps_rolling", 1000, 50, 0, MOTION, QDI_LAMMPS_FREE_ROLLING, "rolling without its limit",
     "two disks that touch, stick and roll: granular rolling sds"},
    {"lammps_adhesion", 1000, 50, 0, MOTION, QDI_LAMMPS_LESS_ADHESION, "adhesion a thousandth too weak",
     "two disks that hold each other: granular dmt"},
    {"lammps_grains", 100, 100, 0, FORCES, QDI_LAMMPS_FREE_ROLLING, "rolling without its limit", NULL},
    {"lammps_sticky", 100, 100, 0, FORCES, QDI_LAMMPS_LESS_ADHESION, "adhesion a thousandth too weak", NULL},
};

bool qdi_lammps_is_state(size_t number) {
    return number == QDI_LAMMPS_STATE || number == QDI_LAMMPS_GRAINS || number == QDI_LAMMPS_STICKY;
}

const qdi_lammps_match *qdi_lammps_match_at(size_t number) {
    return &matches[number];
}

static const qdi_lammps_disk few[][MOST_FEW] = {
    {{{-0.55, 0}, {1, 0}, 0, 0.5, 1}, {{0.55, 0}, {-1, 0}, 0, 0.5, 2}},
    {{{-0.55, 0}, {1, 0}, 0, 0.5, 1}, {{0.55, 0}, {-1, 0}, 0, 0.5, 2}},
    {{{-0.45, -0.2}, {0.4, 0.3}, 1, 0.5, 1}, {{0.5, 0.1}, {-0.6, 0}, -0.5, 0.6, 1.5}},
    {{{-0.45, -0.2}, {0.4, 3}, 6, 0.5, 1}, {{0.5, 0.1}, {-0.6, -3}, 5, 0.6, 1.5}},
    {{{-1.2, 0.05}, {1, 0}, 0, 0.5, 1}, {{0, 0}, {0, 0}, 0, 0.5, 1}, {{0.99, -0.02}, {0, 0}, 0, 0.5, 1}},
    {{{-0.6, -0.1}, {0.8, 0.2}, 4, 0.5, 1},
     {{0.6, -0.2}, {-1, 0.3}, -3, 0.6, 1.5},
     {{0.1, 0.75}, {-0.2, -1}, 2, 0.4, 0.7}},
    {{{-4.45, -4.48}, {-0.5, -1}, 3, 0.5, 1},
     {{0, -4.35}, {0.8, -0.3}, 0, 0.6, 1.5},
     {{0.2, -3.4}, {0, -1}, -2, 0.4, 0.7}},
    {{{0, 0}, {0, 0}, 0, 0, 0}}, // many
    {{{0, 0}, {0, 0}, 0, 0, 0}},
    {{{-0.55, 0}, {1, 0}, 0, 0.5, 1}, {{0.55, 0}, {-1, 0}, 0, 0.5, 2}},
    {{{-0.45, -0.2}, {0.1, 0.05}, 3, 0.5, 1}, {{0.6, 0.1}, {-0.1, 0}, -1, 0.6, 1.5}},
    {{{-0.45, -0.2}, {0.1, 0.05}, 0, 0.5, 1}, {{0.6, 0.1}, {-0.1, 0}, 0, 0.6, 1.5}},
};

/// LAMMPS case: two or three disks.
static void make_few(size_t number, qdi_lammps_scene *scene) {
    for (scene->count = 0; scene->count < MOST_FEW && few[number][scene->count].mass > 0; ++scene->count)
        scene->disks[scene->count] = few[number][scene->count];
    scene->kn = 300;
    scene->kt = 100;
    scene->gamman = number < 2 ? 20 : 4;
    scene->gammat = 2;
    scene->friction = number == SLIDING ? 0.1 : 0.6;
    scene->limit_damping = number == LIMITED;
    scene->walls = number == FLOOR;
    scene->gravity = number == FLOOR ? 3 : 0;
    if (number < HERTZ) return;
    scene->hertz = number != ROLLING;
    scene->kn = number == ROLLING ? 300 : 2000;
    scene->friction = number == ROLLING ? 0.6 : 0;
    scene->rolling = number == ROLLING ? 0.2 : 0;
    scene->adhesion = number == ADHESION ? 2 : 0;
    scene->gamman = 4;
    scene->gammat = 2;
    scene->kr = 150;
    scene->gammar = 3;
}

/// A thousand disks of four sizes, on a triangular lattice that is a little disturbed, at random speeds and
/// spins.
enum { COLUMNS = 25, ROWS = 40 };
// Fills a scene for LAMMPS with many disks.
static void make_many_disks(qdi_lammps_scene *scene, double away, double speed, double spin) {
    static const double radius[4] = {0.44, 0.48, 0.5, 0.54}, mass[4] = {0.8, 0.9, 1, 1.2};
    for (size_t i = 0; i < scene->count; ++i) {
        qd_random random = qd_random_at(6, i, 60);
        size_t row = i / COLUMNS, column = i % COLUMNS, kind = (i * 7 + row) % 4;
        double x = ((double)column + (row % 2 ? 0.75 : 0.25)) / COLUMNS, y = ((double)row + 0.5) / ROWS;
        double free = away * 0.5;
        scene->disks[i] = (qdi_lammps_disk){
            .position = {scene->low.x + x * (scene->high.x - scene->low.x) +
                             free * (2 * qd_random_uniform(&random) - 1),
                         scene->low.y + y * (scene->high.y - scene->low.y) +
                             free * (2 * qd_random_uniform(&random) - 1)},
            .velocity = {speed * qd_random_normal(&random), speed * qd_random_normal(&random)},
            .spin = spin * qd_random_normal(&random),
            .radius = radius[kind],
            .mass = mass[kind]};
    }
}

qd_status qdi_lammps_scene_make(size_t number, qdi_lammps_scene *scene) {
    const bool gas = number == QDI_LAMMPS_GAS, many = gas || qdi_lammps_is_state(number);
    double wide = many ? COLUMNS * (gas ? 0.81 : 0.48) : 5;
    double high = many ? ROWS * (gas ? 0.81 : 0.48) * 0.8660254037844386 : 5;
    *scene = (qdi_lammps_scene){.name = matches[number].name,
                                .low = {-wide, -high},
                                .high = {wide, high},
                                .kn = 1000,
                                .kt = 300,
                                .gamman = 6,
                                .gammat = 3,
                                .friction = 0.5,
                                .dt = 1e-3,
                                .skin = 0.3,
                                .count = many ? COLUMNS * ROWS : MOST_FEW};
    scene->disks = qdi_allocate(qd_allocator_default(), scene->count, sizeof *scene->disks);
    if (!scene->disks) return QD_ERR_MEMORY;
    if (!many)
        make_few(number, scene);
    else if (gas)
        make_many_disks(scene, 0.3, 1, 1);
    else
        make_many_disks(scene, 0.1, 0.6, 2);
    if (number >= QDI_LAMMPS_GRAINS) {
        scene->hertz = true;
        scene->skin =
            1; // one list for all steps: with rolling LAMMPS turns the history where a pair changes sides
        scene->kn = 4000;
        scene->kt = 1200;
        scene->rolling = number == QDI_LAMMPS_GRAINS ? 0.15 : 0;
        scene->kr = 100;
        scene->gammar = 2;
        scene->adhesion = number == QDI_LAMMPS_STICKY ? 1.5 : 0;
    }
    return QD_OK;
}

void qdi_lammps_scene_free(qdi_lammps_scene *scene) {
    size_t room = scene->count < MOST_FEW ? MOST_FEW : scene->count;
    qdi_release(qd_allocator_default(), scene->disks, room, sizeof *scene->disks);
    scene->disks = NULL;
}

qdi_lammps_scene qdi_lammps_scene_with(const qdi_lammps_scene *scene, qdi_lammps_fault fault) {
    qdi_lammps_scene other = *scene;
    if (fault == QDI_LAMMPS_NO_EFFECTIVE_MASS) {
        other.gamman *= 2;
        other.gammat *= 2;
    }
    if (fault == QDI_LAMMPS_PULL) other.limit_damping = false;
    if (fault == QDI_LAMMPS_NO_HERTZ) other.hertz = false;
    if (fault == QDI_LAMMPS_FREE_ROLLING) other.rolling = HUGE_VAL;
    if (fault == QDI_LAMMPS_LESS_ADHESION) other.adhesion *= 0.999;
    return other;
}
