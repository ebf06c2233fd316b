#include "tools/lammps/lammps.h"

#include "sim/world/world_impl.h"

#include <math.h>
#include <string.h>

// The world in which we simulate what LAMMPS did.
static qd_world_def def_of_lammps_scene(const qdi_lammps_scene *scene, int threads, qd_simd simd) {
    qd_world_def def = qd_world_def_default();
    def.origin = scene->low;
    def.size = (qd_vec2){scene->high.x - scene->low.x, scene->high.y - scene->low.y};
    def.boundary_x = def.boundary_y = scene->walls ? QD_BOUNDARY_REFLECT : QD_BOUNDARY_PERIODIC;
    def.gravity.y = -scene->gravity;
    def.contact = QD_CONTACT_SPRING;
    def.spring.kn = scene->kn;
    def.spring.kt = scene->kt;
    def.spring.gamman = scene->gamman;
    def.spring.gammat = scene->gammat;
    def.spring.limit_damping = scene->limit_damping;
    def.spring.law = scene->hertz ? QD_SPRING_HERTZ : QD_SPRING_HOOKE;
    def.spring.rolling = scene->rolling;
    def.spring.kr = scene->kr;
    def.spring.gammar = scene->gammar;
    def.spring.adhesion = scene->adhesion;
    def.friction = scene->friction;
    def.threads = threads;
    def.simd = simd;
    return def;
}

qd_status qdi_lammps_world(const qdi_lammps_scene *scene, int threads, qd_simd simd, qd_world **world,
                           qd_error *error) {
    qd_world_def def = def_of_lammps_scene(scene, threads, simd);
    *world = NULL;
    qd_status status = qd_world_create(&def, world);
    for (size_t i = 0; status == QD_OK && i < scene->count; ++i) {
        const qdi_lammps_disk *disk = &scene->disks[i];
        qd_body_def body = qd_body_def_default();
        body.shape.radius = disk->radius;
        body.mass = disk->mass;
        body.inertia = 0.5 * disk->mass * disk->radius * disk->radius;
        body.position = disk->position;
        body.velocity = disk->velocity;
        body.spin = disk->spin;
        status = qd_world_add(*world, &body, NULL, error);
    }
    if (status == QD_OK) return QD_OK;
    qd_world_destroy(*world);
    *world = NULL;
    return status;
}

/// LAMMPS: adds what a contact gives its two disks; b may be a wall. Rolling is in no touch, so it is the
/// state that is looked at.
static void add_force(const qd_contact *contact, const qdi_contact_force *force,
                      double (*disks)[QDI_LAMMPS_COLUMNS]) {
    double *a = disks[contact->a.index];
    a[QDI_LAMMPS_FX] += force->x;
    a[QDI_LAMMPS_FY] += force->y;
    a[QDI_LAMMPS_TORQUE] += force->turn_a;
    if (qd_id_is_wall(contact->b)) return;
    double *b = disks[contact->b.index];
    b[QDI_LAMMPS_FX] -= force->x;
    b[QDI_LAMMPS_FY] -= force->y;
    b[QDI_LAMMPS_TORQUE] += force->turn_b;
}

void qdi_lammps_look(const qdi_lammps_scene *scene, const qd_world *world,
                     double (*disks)[QDI_LAMMPS_COLUMNS]) {
    const qd_body_view view = qd_world_view(world);
    for (size_t i = 0; i < scene->count; ++i) {
        const uint32_t row = view.row_of_index[i];
        const double now[QDI_LAMMPS_COLUMNS] = {view.x[row],
                                                view.y[row],
                                                view.vx[row],
                                                view.vy[row],
                                                view.spin[row],
                                                0,
                                                0 - scene->gravity * scene->disks[i].mass,
                                                0};
        memcpy(disks[i], now, sizeof now);
    }
    size_t count = 0;
    const qd_contact *contacts = qd_world_contacts(world, &count);
    for (size_t i = 0; i < count; ++i) add_force(&contacts[i], qdi_force_of(&world->present, i), disks);
}

double qdi_lammps_motion(const qdi_lammps_scene *scene, const qd_world *world) {
    const qd_body_view view = qd_world_view(world);
    double energy = 0;
    for (size_t i = 0; i < scene->count; ++i) {
        const uint32_t row = view.row_of_index[i];
        const qdi_lammps_disk *disk = &scene->disks[i];
        const double vx = view.vx[row], vy = view.vy[row], edge = disk->radius * view.spin[row];
        energy += disk->mass * (0.5 * (vx * vx + vy * vy) + 0.25 * edge * edge);
    }
    return energy;
}

/// LAMMPS: what is left of a distance where whole periods do not count.
static double nearest_period(double distance, double period) {
    return distance - period * floor(distance / period + 0.5);
}

double qdi_lammps_difference(const qdi_lammps_scene *scene, const qdi_lammps_frame *reference,
                             double (*disks)[QDI_LAMMPS_COLUMNS], qdi_lammps_column first,
                             qdi_lammps_column last, double scale) {
    const double wide = scene->high.x - scene->low.x, high = scene->high.y - scene->low.y;
    double worst = 0;
    for (size_t i = 0; i < scene->count; ++i)
        for (int k = (int)first; k <= (int)last; ++k) {
            double expected = reference->disks[i][k], off = disks[i][k] - expected;
            if (!scene->walls && k <= QDI_LAMMPS_Y)
                off = nearest_period(off, k == QDI_LAMMPS_X ? wide : high);
            off = fabs(off) / fmax(scale, fabs(expected));
            if (!(off <= worst)) worst = off; // NaN stays
            if (isnan(worst)) return worst;
        }
    return worst;
}

double qdi_lammps_largest(const qdi_lammps_scene *scene, const qdi_lammps_frame *frame,
                          qdi_lammps_column first, qdi_lammps_column last) {
    double most = 0;
    for (size_t i = 0; i < scene->count; ++i)
        for (int k = (int)first; k <= (int)last; ++k) most = fmax(most, fabs(frame->disks[i][k]));
    return most;
}
