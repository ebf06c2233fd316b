#include "sim/shape/shapes.h"

#include "core/base/bytes.h"
#include "core/base/memory.h"

#include <quadrille/hash.h>

#include <math.h>
#include <string.h>

// ---- as bytes: for files, for hashes, and to compare by ----

// Interned shapes: writes a vector as bytes.
static void put_vec_bytes(qd_vec2 v, unsigned char **at) {
    qdi_put_f64(at, v.x);
    qdi_put_f64(at, v.y);
}

/// Interned shapes: reads a number from bytes; any NaN is read as the same one.
static double get_real_bytes(const unsigned char **at) {
    double value = qdi_get_f64(at);
    return isnan(value) ? (double)NAN : value;
}

// Interned shapes: reads a vector from bytes.
static qd_vec2 get_vec_bytes(const unsigned char **at) {
    qd_vec2 v;
    v.x = get_real_bytes(at);
    v.y = get_real_bytes(at);
    return v;
}

void qdi_shape_put(const qd_shape *shape, unsigned char **at) {
    qdi_put_u32(at, (uint32_t)shape->kind);
    qdi_put_u32(at, (uint32_t)shape->count);
    qdi_put_f64(at, shape->radius);
    put_vec_bytes(shape->half, at);
    for (int i = 0; i < QD_POLYGON_MAX; ++i) put_vec_bytes(shape->points[i], at);
}

void qdi_shape_get(const unsigned char **at, qd_shape *shape) {
    memset(shape, 0, sizeof *shape);
    shape->kind = (qd_shape_kind)qdi_get_u32(at);
    uint32_t count = qdi_get_u32(at);
    shape->count = count <= QD_POLYGON_MAX ? (int)count : -1;
    shape->radius = get_real_bytes(at);
    shape->half = get_vec_bytes(at);
    for (int i = 0; i < QD_POLYGON_MAX; ++i) shape->points[i] = get_vec_bytes(at);
}

void qdi_trait_put(const qdi_trait *trait, unsigned char **at) {
    qdi_put_u32(at, (uint32_t)trait->kind);
    qdi_put_u32(at, (trait->sensor ? 1U : 0U) | (trait->bullet ? 2U : 0U) | trait->material.of << 8 |
                        trait->source << 16);
    qdi_put_f64(at, trait->material.restitution);
    qdi_put_f64(at, trait->material.friction);
    qdi_put_f64(at, trait->material.tangential);
    qdi_put_u32(at, trait->filter.category);
    qdi_put_u32(at, trait->filter.mask);
    qdi_put_u32(at, (uint32_t)trait->filter.group);
    put_vec_bytes(trait->pivot, at);
    qdi_put_f64(at, trait->slide);
}

void qdi_trait_get(const unsigned char **at, qdi_trait *trait) {
    memset(trait, 0, sizeof *trait);
    trait->kind = (qd_body_kind)qdi_get_u32(at);
    uint32_t flags = qdi_get_u32(at);
    trait->sensor = (flags & 1U) != 0;
    trait->bullet = (flags & 2U) != 0;
    trait->material.of = flags >> 8 & 0xffU;
    trait->source = flags >> 16;
    trait->material.restitution = get_real_bytes(at);
    trait->material.friction = get_real_bytes(at);
    trait->material.tangential = get_real_bytes(at);
    trait->filter.category = qdi_get_u32(at);
    trait->filter.mask = qdi_get_u32(at);
    trait->filter.group = (int32_t)qdi_get_u32(at);
    trait->pivot = get_vec_bytes(at);
    trait->slide = get_real_bytes(at);
}

_Static_assert(QD_MATERIALS_MAX <= 0xff, "a material's number has eight bits");

uint64_t qdi_shape_hash(const qd_shape *shape) {
    unsigned char bytes[QDI_SHAPE_BYTES], *at = bytes;
    qdi_shape_put(shape, &at);
    return qd_hash_bytes(bytes, (size_t)(at - bytes));
}

uint64_t qdi_trait_hash(const qdi_trait *trait) {
    unsigned char bytes[QDI_TRAIT_BYTES], *at = bytes;
    qdi_trait_put(trait, &at);
    if (trait->slide == 0) at -= 8; // as before surfaces could slide
    return qd_hash_bytes(bytes, (size_t)(at - bytes));
}

// ---- shapes ----

typedef struct shape_search {
    const qdi_shapes *shapes;
    const qd_shape *shape;
} shape_search;

// True where the shape that is looked for is the one with this number.
static bool shape_has_number(const void *context, uint32_t number) {
    const shape_search *search = context;
    unsigned char one[QDI_SHAPE_BYTES], two[QDI_SHAPE_BYTES], *at = one, *other = two;
    qdi_shape_put(search->shape, &at);
    qdi_shape_put(search->shapes->shape[number + 1], &other);
    return memcmp(one, two, sizeof one) == 0;
}

qd_status qdi_shapes_take(qdi_shapes *shapes, const qd_shape *shape, uint32_t *number) {
    *number = 0;
    if (shape->kind == QD_SHAPE_DISK) return QD_OK;
    const qd_allocator *allocator = shapes->numbers.allocator;
    size_t need = shapes->numbers.count + 2;
    qd_status status = qdi_reserve(allocator, &shapes->prepared, &shapes->room[0], shapes->count, need,
                                   sizeof(qdi_prepared_shape *));
    if (status == QD_OK)
        status = qdi_reserve(allocator, &shapes->shape, &shapes->room[1], shapes->count, need,
                             sizeof(const qd_shape *));
    if (status == QD_OK)
        status = qdi_reserve(allocator, &shapes->form, &shapes->room[2], shapes->count, need,
                             sizeof *shapes->form);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &shapes->inner, &shapes->room[3], shapes->count, need,
                             sizeof *shapes->inner);
    if (status != QD_OK) return status;
    shape_search search = {shapes, shape};
    uint32_t taken;
    bool fresh;
    status = qdi_intern_take(&shapes->numbers, qdi_shape_hash(shape), shape_has_number, &search, &taken,
                             &fresh);
    if (status != QD_OK) return status;
    if (fresh) {
        qdi_prepared_shape *prepared = qdi_allocate(allocator, 1, sizeof *prepared);
        if (!prepared) {
            qdi_intern_drop(&shapes->numbers, taken);
            return QD_ERR_MEMORY;
        }
        prepared->shape = *shape;
        qdi_hull_make(&prepared->shape, &prepared->hull);
        prepared->form = qdi_form_of(&prepared->shape, &prepared->hull);
        qdi_probe middle;
        qdi_form_probe(&prepared->form, (qd_vec2){0, 0}, &middle);
        for (; shapes->count <= taken + 1; ++shapes->count) {
            shapes->prepared[shapes->count] = NULL;
            shapes->shape[shapes->count] = NULL;
            shapes->form[shapes->count] = qdi_form_disk(0);
            shapes->inner[shapes->count] = 0;
        }
        shapes->prepared[taken + 1] = prepared;
        shapes->form[taken + 1] = prepared->form;
        shapes->inner[taken + 1] = prepared->form.radius - middle.distance;
        shapes->shape[taken + 1] = &prepared->shape;
    }
    *number = taken + 1;
    return QD_OK;
}

void qdi_shapes_drop(qdi_shapes *shapes, uint32_t number) {
    if (number == 0 || !qdi_intern_drop(&shapes->numbers, number - 1)) return;
    qdi_release(shapes->numbers.allocator, shapes->prepared[number], 1, sizeof(qdi_prepared_shape));
    shapes->prepared[number] = NULL;
    shapes->shape[number] = NULL;
}

void qdi_shapes_release(qdi_shapes *shapes) {
    const qd_allocator *allocator = shapes->numbers.allocator;
    for (size_t i = 0; i < shapes->count; ++i)
        qdi_release(allocator, shapes->prepared[i], shapes->prepared[i] ? 1 : 0, sizeof(qdi_prepared_shape));
    qdi_release(allocator, shapes->prepared, shapes->room[0], sizeof(qdi_prepared_shape *));
    qdi_release(allocator, shapes->shape, shapes->room[1], sizeof(const qd_shape *));
    qdi_release(allocator, shapes->form, shapes->room[2], sizeof *shapes->form);
    qdi_release(allocator, shapes->inner, shapes->room[3], sizeof *shapes->inner);
    qdi_intern_release(&shapes->numbers);
    *shapes = (qdi_shapes){.numbers = shapes->numbers};
}

// ---- traits ----

qdi_trait qdi_trait_default(void) {
    const double nan = (double)NAN;
    return (qdi_trait){.material = {nan, nan, nan, 0}, .filter = {1, UINT32_MAX, 0}, .pivot = {nan, nan}};
}

qd_status qdi_traits_init(qdi_traits *traits, const qd_allocator *allocator, qd_material surface) {
    traits->numbers.allocator = traits->materials.allocator = allocator;
    qd_status status = qdi_reserve(allocator, &traits->trait, &traits->room, 0, 1, sizeof *traits->trait);
    if (status != QD_OK) return status;
    traits->trait[0] = qdi_trait_default();
    traits->trait[0].surface = surface;
    return QD_OK;
}

typedef struct trait_search {
    const qdi_traits *traits;
    const qdi_trait *trait;
} trait_search;

// True where the trait that is looked for is the one with this number.
static bool trait_has_number(const void *context, uint32_t number) {
    const trait_search *search = context;
    unsigned char one[QDI_TRAIT_BYTES], two[QDI_TRAIT_BYTES], *at = one, *other = two;
    qdi_trait_put(search->trait, &at);
    qdi_trait_put(&search->traits->trait[number + 1], &other);
    return memcmp(one, two, sizeof one) == 0;
}

qd_status qdi_traits_take(qdi_traits *traits, const qdi_trait *trait, uint32_t *number) {
    *number = 0;
    uint64_t hash = qdi_trait_hash(trait);
    if (hash == qdi_trait_hash(&traits->trait[0])) return QD_OK;
    size_t used = traits->numbers.count + 1;
    qd_status status = qdi_reserve(traits->numbers.allocator, &traits->trait, &traits->room, used, used + 1,
                                   sizeof *traits->trait);
    if (status != QD_OK) return status;
    trait_search search = {traits, trait};
    uint32_t taken;
    bool fresh;
    status = qdi_intern_take(&traits->numbers, hash, trait_has_number, &search, &taken, &fresh);
    if (status != QD_OK) return status;
    if (fresh) {
        qdi_trait *mine = &traits->trait[taken + 1];
        *mine = *trait;
        mine->surface = qdi_materials_resolve(&traits->materials, &trait->material,
                                              &traits->trait[0].surface);
    }
    *number = taken + 1;
    return QD_OK;
}

void qdi_traits_drop(qdi_traits *traits, uint32_t number) {
    if (number > 0) (void)qdi_intern_drop(&traits->numbers, number - 1);
}

void qdi_traits_release(qdi_traits *traits) {
    qdi_release(traits->numbers.allocator, traits->trait, traits->room, sizeof *traits->trait);
    traits->trait = NULL;
    traits->room = 0;
    qdi_intern_release(&traits->numbers);
    qdi_materials_release(&traits->materials);
}
