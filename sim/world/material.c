// Materials of a world: checks, and what becomes of surfaces that have one.

#include <quadrille/world.h>

#include "core/base/arithmetic.h"
#include "sim/shape/materials.h"
#include "sim/world/limits.h"
#include "sim/world/surface.h"
#include "sim/world/world_impl.h"

#include <string.h>

// World: whether a name has a length and characters that a material may have.
static bool is_material_name(const char *name) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    const size_t length = strlen(name);
    return length > 0 && length < QD_MATERIAL_NAME && strspn(name, letters) == length;
}

// One bit pattern for every NaN: what is saved is compared as bytes.
static double same_nan(double value) {
    return isnan(value) ? (double)NAN : value;
}

// World: the same of all values of a surface, which is nobody's.
static qd_material plain_values(const qd_material *surface) {
    return (qd_material){same_nan(surface->restitution), same_nan(surface->friction),
                         same_nan(surface->tangential), 0};
}

void qdi_world_make_walls(qd_world *world) {
    world->walls = qdi_materials_resolve(&world->traits.materials, &world->def.walls,
                                         &world->traits.trait[0].surface);
}

qd_status qd_world_add_material(qd_world *world, const char *name, const qd_material *surface,
                                uint32_t *number, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!world || !name || !surface)
        return qdi_reason(error, QD_ERR_ARGUMENT, "a world, name or material is a null pointer");
    qdi_materials *all = &world->traits.materials;
    if (!is_material_name(name))
        return qdi_reason(error, QD_ERR_VALUE,
                          "a material's name must be 1 to %d letters, digits, \"_\" or \"-\"",
                          QD_MATERIAL_NAME - 1);
    if (qdi_materials_find(all, name))
        return qdi_reason(error, QD_ERR_VALUE, "there is a material \"%s\" already", name);
    qd_status status = qdi_material_check(surface, "a material's", error);
    if (status != QD_OK) return status;
    if (all->count == QD_MATERIALS_MAX)
        return qdi_reason(error, QD_ERR_LIMIT, "a world has at most %d materials", QD_MATERIALS_MAX);
    qd_named_material made = {.surface = plain_values(surface)};
    memcpy(made.name, name, strlen(name));
    status = qdi_materials_add(all, &made);
    if (status != QD_OK) return qdi_reason(error, status, "no memory for another material");
    qdi_world_make_walls(world);
    if (number) *number = all->count;
    return QD_OK;
}

qd_status qd_world_pair_materials(qd_world *world, uint32_t a, uint32_t b, const qd_material *surface,
                                  qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!world || !surface)
        return qdi_reason(error, QD_ERR_ARGUMENT, "a world or material is a null pointer");
    qdi_materials *all = &world->traits.materials;
    if (a == 0 || a > all->count || b == 0 || b > all->count)
        return qdi_reason(error, QD_ERR_NOT_FOUND, "no material has this number");
    qd_status status = qdi_material_check(surface, "a pair's", error);
    if (status != QD_OK) return status;
    const qd_material values = plain_values(surface);
    status = qdi_materials_pair(all, a, b, &values);
    if (status != QD_OK) return qdi_reason(error, status, "no memory for a pair of materials");
    world->turning = world->turning || values.friction > 0;
    return QD_OK;
}

qd_status qd_world_material(const qd_world *world, uint32_t number, qd_named_material *material) {
    if (!world || !material) return QD_ERR_ARGUMENT;
    if (number == 0 || number > world->traits.materials.count) return QD_ERR_NOT_FOUND;
    *material = world->traits.materials.list[number - 1];
    return QD_OK;
}

qd_status qd_world_material_pair(const qd_world *world, uint32_t a, uint32_t b, qd_material *surface) {
    if (!world || !surface) return QD_ERR_ARGUMENT;
    const qdi_materials *all = &world->traits.materials;
    if (a == 0 || a > all->count || b == 0 || b > all->count) return QD_ERR_NOT_FOUND;
    const qd_material *pair = qdi_materials_pair_of(all, a, b);
    const double none = (double)NAN;
    *surface = pair ? *pair : (qd_material){none, none, none, 0};
    return QD_OK;
}

uint32_t qd_world_find_material(const qd_world *world, const char *name) {
    return world && name ? qdi_materials_find(&world->traits.materials, name) : 0;
}
