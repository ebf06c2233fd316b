#include "sim/shape/materials.h"

#include "core/base/bytes.h"
#include "core/base/memory.h"

#include <string.h>

enum { PLACES = QD_MATERIALS_MAX * QD_MATERIALS_MAX };

static const qd_material no_values = {(double)NAN, (double)NAN, (double)NAN, 0};

qd_status qdi_materials_add(qdi_materials *all, const qd_named_material *material) {
    qd_status status = qdi_reserve(all->allocator, &all->list, &all->room, all->count, all->count + 1,
                                   sizeof *all->list);
    if (status != QD_OK) return status;
    all->list[all->count] = *material;
    all->list[all->count++].surface.of = 0;
    return QD_OK;
}

// Shapes: whether a pair has values of its own.
static bool has_values(const qd_material *surface) {
    return !isnan(surface->restitution) || !isnan(surface->friction) || !isnan(surface->tangential);
}

qd_status qdi_materials_pair(qdi_materials *all, uint32_t a, uint32_t b, const qd_material *surface) {
    if (!all->pairs) {
        all->pairs = qdi_allocate(all->allocator, PLACES, sizeof *all->pairs);
        if (!all->pairs) return QD_ERR_MEMORY;
        for (size_t i = 0; i < PLACES; ++i) all->pairs[i] = no_values;
    }
    qd_material *place = &all->pairs[(a - 1) * QD_MATERIALS_MAX + b - 1];
    all->pair_count += has_values(surface);
    all->pair_count -= has_values(place);
    *place = *surface;
    place->of = 0;
    all->pairs[(b - 1) * QD_MATERIALS_MAX + a - 1] = *place;
    return QD_OK;
}

uint32_t qdi_materials_find(const qdi_materials *all, const char *name) {
    for (uint32_t k = 0; k < all->count; ++k)
        if (strcmp(all->list[k].name, name) == 0) return k + 1;
    return 0;
}

void qdi_materials_release(qdi_materials *all) {
    qdi_release(all->allocator, all->list, all->room, sizeof *all->list);
    qdi_release(all->allocator, all->pairs, all->pairs ? PLACES : 0, sizeof *all->pairs);
    *all = (qdi_materials){.allocator = all->allocator};
}

bool qdi_materials_bounce(const qdi_materials *all) {
    bool any = false;
    for (uint32_t a = 0, b = 0; !any && qdi_materials_next(all, &a, &b);) {
        const qd_material *pair = qdi_materials_pair_of(all, a, b);
        any = pair->restitution > 0 || pair->tangential > 0;
    }
    return any;
}

bool qdi_materials_rub(const qdi_materials *all) {
    bool any = false;
    for (uint32_t a = 0, b = 0; !any && qdi_materials_next(all, &a, &b);)
        any = qdi_materials_pair_of(all, a, b)->friction > 0;
    return any;
}

// Shapes: the first of three values that there is.
static double first_of(double own, double material, double otherwise) {
    return !isnan(own) ? own : !isnan(material) ? material : otherwise;
}

qd_material qdi_materials_resolve(const qdi_materials *all, const qd_material *given,
                                  const qd_material *otherwise) {
    const bool known = given->of > 0 && given->of <= all->count;
    const qd_material *named = known ? &all->list[given->of - 1].surface : &no_values;
    return (qd_material){first_of(given->restitution, named->restitution, otherwise->restitution),
                         first_of(given->friction, named->friction, otherwise->friction),
                         first_of(given->tangential, named->tangential, otherwise->tangential), given->of};
}

bool qdi_materials_next(const qdi_materials *all, uint32_t *a, uint32_t *b) {
    if (!all->pairs) return false;
    if (*a == 0) *a = 1;
    for (++*b;; ++*b) {
        if (*b > all->count) *b = ++*a;
        if (*a > all->count) return false;
        if (has_values(qdi_materials_pair_of(all, *a, *b))) return true;
    }
}

// ---- as bytes ----

// Writes the values of a surface.
static void put_values(const qd_material *surface, unsigned char **at) {
    qdi_put_f64(at, surface->restitution);
    qdi_put_f64(at, surface->friction);
    qdi_put_f64(at, surface->tangential);
}

// Shapes: reads a value; any NaN is read as the same one.
static double get_value(const unsigned char **at) {
    const double value = qdi_get_f64(at);
    return isnan(value) ? (double)NAN : value;
}

// Reads the values of a surface.
static qd_material get_values(const unsigned char **at) {
    qd_material surface = {.of = 0};
    surface.restitution = get_value(at);
    surface.friction = get_value(at);
    surface.tangential = get_value(at);
    return surface;
}

void qdi_materials_put(const qdi_materials *all, unsigned char **at) {
    for (uint32_t k = 0; k < all->count; ++k) {
        memcpy(*at, all->list[k].name, QD_MATERIAL_NAME);
        *at += QD_MATERIAL_NAME;
        put_values(&all->list[k].surface, at);
    }
    for (uint32_t a = 0, b = 0; qdi_materials_next(all, &a, &b);) {
        qdi_put_u32(at, a);
        qdi_put_u32(at, b);
        put_values(qdi_materials_pair_of(all, a, b), at);
    }
}

void qdi_material_get(const unsigned char **at, qd_named_material *material) {
    memcpy(material->name, *at, QD_MATERIAL_NAME);
    *at += QD_MATERIAL_NAME;
    material->surface = get_values(at);
}

void qdi_pair_get(const unsigned char **at, uint32_t *a, uint32_t *b, qd_material *surface) {
    *a = qdi_get_u32(at);
    *b = qdi_get_u32(at);
    *surface = get_values(at);
}
