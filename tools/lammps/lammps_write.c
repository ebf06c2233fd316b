#include "tools/lammps/lammps.h"

enum { MOST_KINDS = 16 };

typedef struct kinds {
    double radius[MOST_KINDS], mass[MOST_KINDS];
    int count;
} kinds;

/// LAMMPS: the number of a disk's kind, from 1.
static int kind_of(kinds *known, const qdi_lammps_disk *disk) {
    int k = 0;
    while (k < known->count && (known->radius[k] != disk->radius || known->mass[k] != disk->mass)) ++k;
    if (k == known->count && k < MOST_KINDS) {
        known->radius[k] = disk->radius;
        known->mass[k] = disk->mass;
        known->count += 1;
    }
    return k + 1;
}

// Finds the kinds of disks of a scene: the atom types of LAMMPS.
static kinds find_atom_types(const qdi_lammps_scene *scene) {
    kinds known = {.count = 0};
    for (size_t i = 0; i < scene->count; ++i) (void)kind_of(&known, &scene->disks[i]);
    return known;
}

/// LAMMPS asks for some depth, also in two dimensions.
void qdi_lammps_write_data(FILE *out, const qdi_lammps_scene *scene) {
    kinds known = find_atom_types(scene);
    fprintf(out, "%s\n\n%zu atoms\n%d atom types\n\n", scene->name, scene->count, known.count);
    fprintf(out, "%.17g %.17g xlo xhi\n%.17g %.17g ylo yhi\n-0.5 0.5 zlo zhi\n\nAtoms # sphere\n\n",
            scene->low.x, scene->high.x, scene->low.y, scene->high.y);
    for (size_t i = 0; i < scene->count; ++i) {
        const qdi_lammps_disk *disk = &scene->disks[i];
        fprintf(out, "%zu %d %.17g 1 %.17g %.17g 0\n", i + 1, kind_of(&known, disk), 2 * disk->radius,
                disk->position.x, disk->position.y);
    }
    fprintf(out, "\nVelocities\n\n");
    for (size_t i = 0; i < scene->count; ++i) {
        const qdi_lammps_disk *disk = &scene->disks[i];
        fprintf(out, "%zu %.17g %.17g 0 0 0 %.17g\n", i + 1, disk->velocity.x, disk->velocity.y, disk->spin);
    }
}

/// LAMMPS: true for laws that gran/hooke/history does not have.
static bool has_grains(const qdi_lammps_scene *scene) {
    return scene->hertz || scene->rolling > 0 || scene->adhesion > 0;
}

// LAMMPS: writes the coefficients of one pair of kinds.
static void write_grain_coefficients(FILE *out, const qdi_lammps_scene *scene, const kinds *known, int i,
                                     int j, double part) {
    const double mass = known->mass[i] * known->mass[j] / (known->mass[i] + known->mass[j]);
    const double radius = known->radius[i] * known->radius[j] / (known->radius[i] + known->radius[j]);
    fprintf(out, "pair_coeff %d %d granular ", i + 1, j + 1);
    if (scene->adhesion > 0) // of moduli of which two make 2/3; its attraction is 4 pi gamma R
        fprintf(out, "dmt %.17g %.17g 0 %.17g", 1.5 * part * scene->kn, part * scene->gamman,
                scene->adhesion / (4 * 3.14159265358979323846 * radius));
    else
        fprintf(out, "%s %.17g %.17g", scene->hertz ? "hertz" : "hooke", part * scene->kn,
                part * scene->gamman);
    fprintf(out, " tangential linear_nohistory 0 0");
    if (scene->rolling > 0)
        fprintf(out, " rolling sds %.17g %.17g %.17g", scene->kr, mass * scene->gammar,
                scene->rolling / part);
    fprintf(out, " damping %s\n", scene->hertz ? "viscoelastic" : "mass_velocity");
}

/// LAMMPS: `granular` styles end their levers at the contact's point, the older ones at the surface, as ours
/// do. So friction is left to those: with friction, half of the springs is in each style, with twice the
/// limit.
static void write_grain_style(FILE *out, const qdi_lammps_scene *scene, const kinds *known) {
    const char *law = scene->hertz ? "hertz" : "hooke";
    const double part = scene->friction > 0 ? 0.5 : 1;
    fprintf(out, "pair_style hybrid/overlay");
    if (scene->friction > 0)
        fprintf(out, " gran/%s/history %.17g %.17g %.17g %.17g %.17g 1", law, part * scene->kn, scene->kt,
                part * scene->gamman, scene->gammat, scene->friction / part);
    fprintf(out, " granular\n");
    if (scene->friction > 0) fprintf(out, "pair_coeff * * gran/%s/history\n", law);
    for (int i = 0; i < known->count; ++i)
        for (int j = i; j < known->count; ++j) write_grain_coefficients(out, scene, known, i, j, part);
}

// Writes the contact laws of a scene as LAMMPS styles.
static void write_pair_style(FILE *out, const qdi_lammps_scene *scene, const kinds *known) {
    const char *limit = scene->limit_damping ? " limit_damping" : "";
    char springs[160];
    snprintf(springs, sizeof springs, "hooke%s %.17g %.17g %.17g %.17g %.17g 1%s",
             scene->friction > 0 ? "/history" : "", scene->kn, scene->kt, scene->gamman, scene->gammat,
             scene->friction, limit);
    if (has_grains(scene))
        write_grain_style(out, scene, known);
    else
        fprintf(out, "pair_style gran/%s\npair_coeff * *\n", springs);
    fprintf(out,
            "neighbor %.17g bin\nneigh_modify delay 0 every 1 check yes\n"
            "timestep %.17g\nfix move all nve/sphere disc\nfix plane all enforce2d\n",
            scene->skin, scene->dt);
    if (scene->gravity != 0) fprintf(out, "fix fall all gravity %.17g vector 0 -1 0\n", scene->gravity);
    if (!scene->walls) return;
    fprintf(out, "fix sides all wall/gran %s xplane %.17g %.17g\n", springs, scene->low.x, scene->high.x);
    fprintf(out, "fix floor all wall/gran %s yplane %.17g %.17g\n", springs, scene->low.y, scene->high.y);
}

// Writes the LAMMPS commands that print energies.
static void write_energy_compute(FILE *out, const qdi_lammps_scene *scene, size_t every) {
    fprintf(
        out,
        "compute disk all property/atom radius omegaz\n"
        "variable motion atom 0.5*mass*(vx^2+vy^2)+0.25*mass*(c_disk[1]*c_disk[2])^2\n"
        "compute motion all reduce sum v_motion\nvariable now equal step\nvariable energy equal c_motion\n"
        "fix energy all print %zu \"${now} $(c_motion:%%.17g)\" file %s.energy screen no title \"\"\n",
        every, scene->name);
}

void qdi_lammps_write_script(FILE *out, const qdi_lammps_scene *scene, const qdi_lammps_task *task) {
    kinds known = find_atom_types(scene);
    const char *name = scene->name, *sides = scene->walls ? "f f p" : "p p p";
    fprintf(out,
            "units lj\ndimension 2\natom_style sphere\nnewton %s\ncomm_modify vel yes\nboundary %s\n"
            "read_data %s.data\n",
            scene->newton ? "on" : "off", sides, name);
    for (int k = 0; k < known.count; ++k) fprintf(out, "set type %d mass %.17g\n", k + 1, known.mass[k]);
    write_pair_style(out, scene, &known);
    if (task->every > 0)
        fprintf(out,
                "dump frames all custom %zu %s.dump id %s\n"
                "dump_modify frames sort id first no format float %%.17g\n",
                task->every, name, task->columns);
    if (task->energy_every > 0) write_energy_compute(out, scene, task->energy_every);
    fprintf(out, "thermo %zu\n", task->steps);
    if (task->warm > 0) fprintf(out, "run %zu\n", task->warm);
    // Without a set-up in between, which would work out forces from the velocities of the moment.
    fprintf(out, "run %zu%s\n", task->steps, task->warm > 0 ? " pre no" : "");
    if (task->every == 0)
        fprintf(out, "write_dump all custom %s.dump id %s modify sort id format float %%.17g\n", name,
                task->columns);
}
