#pragma once

#include <quadrille/alloc.h>
#include <quadrille/body.h>
#include <quadrille/status.h>

#include <math.h>

/// Materials by name, and what pairs of them are to each other.
typedef struct qdi_materials {
    const qd_allocator *allocator;
    qd_named_material *list; ///< number n is list[n - 1]
    size_t room;
    uint32_t count, pair_count;
    qd_material
        *pairs; ///< of (a, b) at (a - 1) * QD_MATERIALS_MAX + b - 1, NaN: as the rule says; NULL: none
} qdi_materials;

/// Bytes of a saved material, and of a pair of two.
enum { QDI_MATERIAL_BYTES = QD_MATERIAL_NAME + 24, QDI_PAIR_BYTES = 8 + 24 };

/// Shapes: adds a material that has been checked. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_materials_add(qdi_materials *all, const qd_named_material *material);
/// Shapes: sets what two materials are to each other. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_materials_pair(qdi_materials *all, uint32_t a, uint32_t b,
                                         const qd_material *surface);
/// Shapes: the number of a name, or 0.
uint32_t qdi_materials_find(const qdi_materials *all, const char *name);
void qdi_materials_release(qdi_materials *all);

/// Shapes: what two are to each other, where there are pairs at all; NULL: the rule alone counts.
static inline const qd_material *qdi_materials_pair_of(const qdi_materials *all, uint32_t a, uint32_t b) {
    return all->pairs && a && b ? &all->pairs[(a - 1) * QD_MATERIALS_MAX + b - 1] : NULL;
}
/// Shapes: true where some pair gives back something, or rubs.
bool qdi_materials_bounce(const qdi_materials *all);
bool qdi_materials_rub(const qdi_materials *all);

/// A surface with the values of its material, or of `otherwise`, for those that it does not have.
qd_material qdi_materials_resolve(const qdi_materials *all, const qd_material *given,
                                  const qd_material *otherwise);

/// Shapes: the next pair that has values after (*a, *b), in order, a <= b; (0, 0): from the start. False past
/// the last.
bool qdi_materials_next(const qdi_materials *all, uint32_t *a, uint32_t *b);
/// Shapes: writes all materials, then all pairs; or reads so many. False for what cannot be: values are for
/// others to check.
void qdi_materials_put(const qdi_materials *all, unsigned char **at);
void qdi_material_get(const unsigned char **at, qd_named_material *material);
void qdi_pair_get(const unsigned char **at, uint32_t *a, uint32_t *b, qd_material *surface);
