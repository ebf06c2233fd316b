// A world from the bytes that save.c writes, behind a good checksum; still, nothing is believed that would
// lead outside of what there is.

#include "sim/step/load.h"

#include <quadrille/hash.h>

#include "core/base/arithmetic.h"
#include "core/base/bytes.h"
#include "core/base/cookie.h"
#include "core/tree/fat_box.h"
#include "sim/contact/margin.h"
#include "sim/spring/spring.h"
#include "sim/world/bodies.h"
#include "sim/world/compress.h"
#include "sim/world/contact_state.h"
#include "sim/world/displacement.h"
#include "sim/world/energy_balance.h"
#include "sim/world/fields.h"
#include "sim/world/limits.h"
#include "sim/world/population.h"
#include "sim/world/pose.h"
#include "sim/world/spots.h"
#include "sim/world/spring_terms.h"
#include "sim/world/walls.h"
#include "sim/world/world_impl.h"
#include "sim/world/world_make.h"

#include <math.h>

// Loaded world: reads a vector from a saved world.
static qd_vec2 get_saved_vec(const unsigned char **at) {
    qd_vec2 v;
    v.x = qdi_get_f64(at);
    v.y = qdi_get_f64(at);
    return v;
}

// Loaded world: reads the margin of fat boxes from a saved world.
static bool get_saved_margin(const unsigned char **at, qdi_margin *margin) {
    return qdi_fields_get(&qdi_fields_margin, at, margin) && margin->horizon <= QDI_MARGIN_LONGEST &&
           margin->pairs >= 0 && isfinite(margin->pairs) && margin->slack >= 0 && margin->slack <= 1;
}

// Loaded world: takes it that sides began to move where and when it says; false where that cannot be.
static bool walls_hold(qd_world *world) {
    for (int wall = 0; wall < QDI_WALLS; ++wall) {
        const qdi_wall_begun *begun = &world->wall_begun[wall];
        if (!qdi_is_sane(begun->at) || !qdi_is_sane(begun->time)) return false;
    }
    qdi_walls_note(world);
    return true;
}

// Loaded world: reads clock, sums and energy balance from a saved world.
static qd_status get_saved_past(const unsigned char **at, qd_world *world) {
    const qdi_clock *clock = &world->clock;
    const bool turning = world->turning;
    bool fits = qdi_fields_get(&qdi_fields_past, at, world);
    bool margin = get_saved_margin(at, &world->margin);
    world->turning = world->turning || turning;
    bool sums = qdi_sums_hold(world) && qdi_is_sane_sum(world->pressed) && qdi_is_sane_sum(clock->base_time);
    bool compress = qdi_compress_restore(world);
    const uint64_t steps_max = UINT64_C(1) << 53; // that time, a double, still tells apart
    bool fine = fits && clock->step <= steps_max && sums && compress && margin &&
                !(world->changed && world->margin.held) && clock->base_step <= clock->step &&
                isfinite(clock->base_time) && walls_hold(world) &&
                (clock->dt == 0 || qdi_is_step(clock->dt)) && qdi_walls_put(world, qd_world_time(world));
    return fine ? QD_OK : QD_ERR_CORRUPT;
}

/// Shapes and traits as they are read; each is then used by bodies, or not.
typedef struct palette {
    qd_shape *shapes;
    qdi_trait *traits;
} palette;

qd_status qdi_load_shape(const unsigned char **at, qd_shape *shape) {
    qdi_shape_get(at, shape);
    const qd_shape read = *shape;
    if (shape->count < 0 || shape->kind == QD_SHAPE_DISK) return QD_ERR_CORRUPT;
    if (qd_shape_normalise(shape, NULL, NULL) != QD_OK) return QD_ERR_CORRUPT;
    return qdi_shape_hash(&read) == qdi_shape_hash(shape) ? QD_OK : QD_ERR_CORRUPT; // it was in order
}

qd_status qdi_load_trait(const unsigned char **at, const qd_world *world, qdi_trait *trait) {
    const unsigned char *from = *at;
    qdi_trait_get(at, trait);
    unsigned char again[QDI_TRAIT_BYTES], *end = again;
    qdi_trait_put(trait, &end);
    bool pivot = !isnan(trait->pivot.x) || !isnan(trait->pivot.y);
    double far = qdi_limit_distance(&world->def.limits);
    bool near = fabs(trait->pivot.x - world->centre.x) <= far &&
                fabs(trait->pivot.y - world->centre.y) <= far;
    bool fine = (unsigned)trait->kind <= QD_BODY_KINEMATIC && memcmp(from, again, sizeof again) == 0 &&
                (!pivot || (near && trait->kind == QD_BODY_KINEMATIC)) &&
                (trait->slide == 0 || trait->kind != QD_BODY_DYNAMIC) &&
                trait->slide * trait->slide <= qdi_limit_speed_squared(&world->def.limits) &&
                trait->material.of <= world->traits.materials.count &&
                qdi_material_check(&trait->material, "a", NULL) == QD_OK;
    return fine ? QD_OK : QD_ERR_CORRUPT;
}

void qdi_load_row(const unsigned char **at, qdi_saved_row *row) {
    row->index = qdi_get_u32(at);
    row->label = qdi_get_u64(at);
    row->shape = qdi_get_u32(at);
    row->trait = qdi_get_u32(at);
    row->radius = qdi_get_f64(at);
    row->mass = qdi_get_f64(at);
    row->inertia = qdi_get_f64(at);
    row->position = get_saved_vec(at);
    row->turn = get_saved_vec(at);
    row->velocity = get_saved_vec(at);
    row->spin = qdi_get_f64(at);
    row->lean = qdi_get_f64(at);
}

/// Loaded world: reads what a row says that does not need other rows.
static qd_status get_birth(const unsigned char **at, const qdi_saved *n, const palette *colours,
                           qdi_birth *birth, qd_shape *disk, const qdi_trait **trait) {
    static const qdi_trait plain = {.kind = QD_BODY_DYNAMIC};
    qdi_saved_row row;
    qdi_load_row(at, &row);
    const uint32_t shape = row.shape, number = row.trait;
    birth->id.index = row.index;
    birth->label = row.label;
    *disk = qd_shape_disk(row.radius);
    qdi_placing *placing = &birth->placing;
    placing->mass = row.mass;
    placing->inertia = row.inertia;
    placing->position = row.position;
    placing->turn = row.turn;
    placing->velocity = row.velocity;
    placing->spin = row.spin;
    placing->lean = row.lean;
    if (shape > n->shapes || number > n->traits) return QD_ERR_CORRUPT;
    *trait = number ? &colours->traits[number - 1] : &plain;
    placing->kind = (*trait)->kind;
    placing->shape = shape ? &colours->shapes[shape - 1] : disk;
    birth->trait = number;
    double length = placing->turn.x * placing->turn.x + placing->turn.y * placing->turn.y;
    bool turned = length > 1 - 1e-6 && length < 1 + 1e-6;
    bool pushed = placing->kind == QD_BODY_DYNAMIC;
    bool weighed = pushed ? qd_shape_area(placing->shape) > 0 || !shape
                          : isinf(placing->mass) && isinf(placing->inertia);
    if (!shape && qd_shape_normalise(disk, NULL, NULL) != QD_OK) return QD_ERR_CORRUPT;
    return turned && weighed ? QD_OK : QD_ERR_CORRUPT;
}

// Loaded world: reads a body from a saved world.
static qd_status get_saved_body(const unsigned char **at, qd_world *world, const qdi_saved *n,
                                const palette *colours) {
    qdi_birth birth = {.shape = 0};
    qd_shape disk;
    const qdi_trait *trait;
    qd_status status = get_birth(at, n, colours, &birth, &disk, &trait);
    if (status != QD_OK) return status;
    uint32_t index = birth.id.index;
    if (index >= world->index_count || world->row_of_index[index] != QDI_NO_ROW ||
        world->generation_of_index[index] == 0 || birth.label > world->last_label)
        return QD_ERR_CORRUPT;
    qd_vec2 position = birth.placing.position;
    if (qdi_body_check(world, &birth.placing, NULL) != QD_OK) return QD_ERR_CORRUPT;
    if (qdi_axis_wrap(&world->axis[0], position.x) != position.x ||
        qdi_axis_wrap(&world->axis[1], position.y) != position.y)
        return QD_ERR_CORRUPT;
    status = qdi_shapes_take(&world->shapes, birth.placing.shape, &birth.shape);
    if (status == QD_OK && birth.trait) {
        status = qdi_traits_take(&world->traits, trait, &birth.trait);
        if (status != QD_OK) qdi_shapes_drop(&world->shapes, birth.shape);
    }
    if (status != QD_OK) return status;
    birth.id.generation = world->generation_of_index[index];
    bool changed = world->changed;
    qdi_body_enter(world, &birth);
    world->changed = changed;
    uint32_t row = (uint32_t)world->count - 1;
    world->now.vx[row] = birth.placing.velocity.x; // as it was, bit for bit, also about a pivot
    world->now.vy[row] = birth.placing.velocity.y;
    return QD_OK;
}

/// Loaded world: true where a stored contact may name this body: a living one, or, where the world was
/// changed since, one that was removed. Generations begin again after the last.
static bool id_known(const qd_world *world, qd_id id) {
    if (qdi_body_row(world, id) != QDI_NO_ROW) return true;
    if (!world->changed || id.index >= world->index_count || id.generation == 0) return false;
    return world->generation_of_index[id.index] - id.generation <= UINT32_MAX / 2;
}

bool qdi_load_contacts(const unsigned char **at, qd_contact *contact, qdi_warm_start *warm_start,
                       size_t count) {
    qdi_saved_records from = {.at = *at, .bytes = qdi_saved_contact_bytes(), .count = count};
    memset(contact, 0, count * sizeof *contact);
    bool fits = qdi_fields_get_each(&qdi_fields_pair_of_bodies, &from, contact, sizeof *contact);
    for (int k = 0; k < 2; ++k) {
        fits = qdi_fields_get_each(&qdi_fields_touch, &from, &contact->touch[k], sizeof *contact) && fits;
        fits = qdi_fields_get_each(&qdi_fields_number, &from, &warm_start->normal[k], sizeof *warm_start) &&
               fits;
        fits = qdi_fields_get_each(&qdi_fields_number, &from, &warm_start->tangent[k], sizeof *warm_start) &&
               fits;
    }
    *at += count * from.bytes;
    return fits;
}

bool qdi_load_contact_fits(const qd_contact *contact, const qdi_warm_start *warm_start) {
    bool fine = isfinite(contact->approach) && (contact->count == 1 || contact->count == 2);
    for (int k = 0; k < 2; ++k) {
        const qd_touch *touch = &contact->touch[k];
        fine = fine && isfinite(touch->point.x) && isfinite(touch->point.y) && isfinite(touch->depth) &&
               isfinite(touch->impulse) && isfinite(touch->friction) && isfinite(warm_start->normal[k]) &&
               isfinite(warm_start->tangent[k]);
    }
    double length = contact->normal.x * contact->normal.x + contact->normal.y * contact->normal.y;
    return fine && contact->a.index < contact->b.index && length > 1 - 1e-6 && length < 1 + 1e-6;
}

// Loaded world: whether a saved contact is possible.
static bool saved_contact_valid(const qd_world *world, const qd_contact *contact,
                                const qdi_warm_start *warm_start) {
    bool b_known = qd_id_is_wall(contact->b) ? contact->b.generation == 0 : id_known(world, contact->b);
    return qdi_load_contact_fits(contact, warm_start) && id_known(world, contact->a) && b_known;
}

/// Loaded world: one of two bodies that touch is dynamic; only where bodies have gone since can that not be
/// told.
static bool may_touch(const qd_world *world, const qd_contact *contact) {
    uint32_t a = qdi_body_row(world, contact->a), b = QDI_NO_ROW;
    bool wall = qd_id_is_wall(contact->b);
    if (!wall) b = qdi_body_row(world, contact->b);
    if (a == QDI_NO_ROW || (!wall && b == QDI_NO_ROW)) return true;
    return world->kind[a] == QD_BODY_DYNAMIC || (!wall && world->kind[b] == QD_BODY_DYNAMIC);
}

// Loaded world: reads contacts and their warm-start impulses from a saved world.
static qd_status get_saved_contacts(const unsigned char **at, qd_world *world, size_t count, size_t near) {
    qdi_contact_state *state = &world->present;
    qd_status status = qdi_contacts_reserve(world->allocator, state, count);
    for (size_t i = 0; i < count && status == QD_OK; ++i) {
        qd_contact *contact = &state->contacts[i];
        const size_t some = count - i < QDI_SAVED_TOGETHER ? count - i : QDI_SAVED_TOGETHER;
        if (i % QDI_SAVED_TOGETHER == 0 && !qdi_load_contacts(at, contact, &state->warm_starts[i], some))
            return QD_ERR_CORRUPT;
        bool ordered = i == 0 || i == count - near || contact[-1].a.index < contact->a.index ||
                       (contact[-1].a.index == contact->a.index && contact[-1].b.index < contact->b.index);
        bool touches = contact->touch[0].depth >= 0;
        if (!saved_contact_valid(world, contact, &state->warm_starts[i]) || !ordered ||
            touches != (i < count - near) || !may_touch(world, contact))
            status = QD_ERR_CORRUPT;
    }
    if (status != QD_OK) return status;
    state->contact_count = count - near;
    state->near_count = near;
    state->whole = true;
    state->listed = QDI_TELLS_ALL; // which are none
    return status;
}

bool qdi_load_force(const unsigned char **at, qdi_contact_force *force) {
    return qdi_fields_get(&qdi_fields_contact_force, at, force) && isfinite(force->x) && isfinite(force->y) &&
           isfinite(force->turn_a) && isfinite(force->turn_b);
}

// Loaded world: reads spring forces of contacts from a saved world.
static qd_status get_saved_forces(const unsigned char **at, const qd_allocator *allocator,
                                  qdi_contact_state *state, size_t count) {
    qd_status status = qdi_reserve(allocator, &state->forces, &state->force_room, 0, count,
                                   sizeof *state->forces);
    for (size_t i = 0; i < count && status == QD_OK; ++i)
        if (!qdi_load_force(at, &state->forces[i])) status = QD_ERR_CORRUPT;
    return status;
}

// Loaded world: reads shapes, traits and bodies from a saved world.
static qd_status get_saved_bodies(const unsigned char **at, qd_world *world, const qdi_saved *n,
                                  const palette *colours) {
    qd_status status = QD_OK;
    for (size_t i = 0; i < n->shapes && status == QD_OK; ++i)
        status = qdi_load_shape(at, &colours->shapes[i]);
    for (size_t i = 0; i < n->traits && status == QD_OK; ++i)
        status = qdi_load_trait(at, world, &colours->traits[i]);
    for (size_t r = 0; r < n->bodies && status == QD_OK; ++r) status = get_saved_body(at, world, n, colours);
    return status;
}

/// Loaded world: bodies with shapes and traits that are only needed while they are read.
static qd_status get_population(const unsigned char **at, qd_world *world, const qdi_saved *n) {
    const qd_allocator *allocator = world->allocator;
    size_t shapes = n->shapes + 1, traits = n->traits + 1;
    palette colours = {qdi_allocate(allocator, shapes, sizeof *colours.shapes),
                       qdi_allocate(allocator, traits, sizeof *colours.traits)};
    qd_status status = colours.shapes && colours.traits ? get_saved_bodies(at, world, n, &colours)
                                                        : QD_ERR_MEMORY;
    qdi_release(allocator, colours.shapes, shapes, sizeof *colours.shapes);
    qdi_release(allocator, colours.traits, traits, sizeof *colours.traits);
    return status;
}

/// Loading: materials and pairs, each of which could have been given.
qd_status qdi_load_materials(const unsigned char **at, qd_world *world, const qdi_saved *n) {
    qd_status status = QD_OK;
    for (uint64_t k = 0; k < n->materials && status == QD_OK; ++k) {
        qd_named_material material;
        qdi_material_get(at, &material);
        const char *end = memchr(material.name, 0, QD_MATERIAL_NAME);
        bool clean = end != NULL;
        for (; clean && end < material.name + QD_MATERIAL_NAME; ++end) clean = *end == 0;
        status = clean ? qd_world_add_material(world, material.name, &material.surface, NULL, NULL)
                       : QD_ERR_CORRUPT;
    }
    for (uint64_t k = 0; k < n->pairs && status == QD_OK; ++k) {
        uint32_t a, b;
        qd_material surface;
        qdi_pair_get(at, &a, &b, &surface);
        status = a <= b ? qd_world_pair_materials(world, a, b, &surface, NULL) : QD_ERR_CORRUPT;
    }
    if (status == QD_OK && world->traits.materials.pair_count != n->pairs) status = QD_ERR_CORRUPT;
    world->turning = world->turning || qdi_materials_rub(&world->traits.materials);
    return status == QD_OK || status == QD_ERR_MEMORY ? status : QD_ERR_CORRUPT;
}

// Loaded world: reads all that follows the header of a saved world.
static qd_status get_saved_state(const unsigned char **at, qd_world *world, const qdi_saved *n) {
    qd_status status = qdi_bodies_reserve(world, n->bodies, n->indices);
    if (status == QD_OK) status = qdi_load_materials(at, world, n);
    if (status != QD_OK) return status;
    world->index_count = n->indices;
    for (size_t i = 0; i < n->indices; ++i) {
        world->generation_of_index[i] = qdi_get_u32(at);
        world->row_of_index[i] = QDI_NO_ROW;
    }
    status = get_population(at, world, n);
    if (status == QD_OK && !qdi_homes_get(at, world)) status = QD_ERR_CORRUPT;
    if (status == QD_OK) status = get_saved_contacts(at, world, n->contacts, n->near);
    if (status == QD_OK && n->forces > 0)
        status = get_saved_forces(at, world->allocator, &world->present, n->forces);
    if (status == QD_OK) status = qdi_population_get(at, world, n->emitters, n->sinks);
    if (status != QD_OK) return status;
    qdi_bodies_refill_free(world);
    status = qdi_spots_make(world, &world->present);
    if (status == QD_OK && world->changed) return QD_OK; // the next detection files the bodies
    if (status == QD_OK && qdi_springs(world)) status = qdi_spring_walls(world, &world->present, 0, false);
    if (status != QD_OK) return status;
    qdi_touching_mark(world);
    world->moved_since_order = n->bodies; // rows are in order of index: the next step puts them in tree order
    for (size_t r = 0; r < n->fats; ++r)
        if (!qdi_fields_get(&qdi_fields_fat, at, &world->fat[r])) return QD_ERR_CORRUPT;
    return n->fats > 0 ? qdi_candidates_restore(world) : qdi_tree_restore(world);
}

// Loaded world: checks magic number, version and length of a saved world.
static qd_status check_saved_envelope(const unsigned char *data, uint64_t bytes, qd_error *error) {
    const qdi_saved none = {0};
    if (bytes < QDI_SAVE_HEADER + QDI_SAVE_CHECKSUM ||
        memcmp(data, QDI_SAVE_MAGIC, QDI_SAVE_MAGIC_BYTES) != 0)
        return qdi_reason(error, QD_ERR_CORRUPT, "not a saved world, or cut short");
    const unsigned char *at = data + QDI_SAVE_MAGIC_BYTES;
    uint32_t version = qdi_get_u32(&at);
    if (version != QDI_SAVE_VERSION)
        return qdi_reason(error, QD_ERR_CORRUPT, "a saved world of version %u; this program reads version %d",
                          version, QDI_SAVE_VERSION);
    if (qdi_get_u64(&at) != bytes || bytes < qdi_saved_size(&none))
        return qdi_reason(error, QD_ERR_CORRUPT, "the saved world is cut short");
    return QD_OK;
}

// Loaded world: checks the checksum of a saved world.
static qd_status check_saved_sum(const unsigned char *data, size_t bytes, qd_error *error) {
    const unsigned char *at = data + bytes - QDI_SAVE_CHECKSUM;
    if (qdi_get_u64(&at) != qd_hash_bytes(data, bytes - QDI_SAVE_CHECKSUM))
        return qdi_reason(error, QD_ERR_CORRUPT, "the saved world is damaged: its checksum differs");
    return QD_OK;
}

/// Loaded world: what the header says of bodies, shapes, traits and contacts is so.
static bool header_fits(const unsigned char *data, const qdi_saved *n) {
    const unsigned char *at = data + QDI_SAVE_MAGIC_BYTES + 12;
    qdi_saved_list lists[QDI_SAVED_LISTS];
    qdi_saved_lists(n, lists);
    bool fits = true;
    for (int i = 0; i < QDI_SAVED_LISTS; ++i) {
        uint64_t begin = qdi_get_u64(&at), count = qdi_get_u64(&at);
        fits = fits && begin == lists[i].at && count == lists[i].count && qdi_get_u32(&at) == lists[i].bytes;
    }
    return fits;
}

// Loaded world: reads how many there are of each; false where that cannot be.
static bool get_saved_counts(const unsigned char **at, const qd_world *world, uint64_t bytes, qdi_saved *n) {
    n->indices = qdi_get_u64(at);
    n->bodies = qdi_get_u64(at);
    n->contacts = qdi_get_u64(at);
    n->near = qdi_get_u64(at);
    n->shapes = qdi_get_u64(at);
    n->traits = qdi_get_u64(at);
    n->emitters = qdi_get_u64(at);
    n->sinks = qdi_get_u64(at);
    n->materials = qdi_get_u64(at);
    n->pairs = qdi_get_u64(at);
    n->fats = world->margin.held ? n->bodies : 0;
    n->homes = world->follows ? n->bodies : 0;
    n->forces = qdi_springs(world) ? n->contacts : 0;
    return n->indices <= QD_BODY_INDEX_MAX && n->bodies <= n->indices && n->contacts < UINT32_MAX &&
           n->near <= n->contacts && n->shapes <= n->bodies && n->traits <= n->bodies &&
           n->emitters <= QD_EMITTERS_MAX && n->sinks <= QD_EMITTERS_MAX &&
           n->materials <= QD_MATERIALS_MAX && n->pairs <= n->materials * (n->materials + 1) / 2 &&
           qdi_saved_size(n) == bytes;
}

/// Reads behind a good checksum; still, nothing is believed that would lead outside of what there is.
static qd_status load_head(const unsigned char *data, uint64_t bytes, qd_world_def *def, qd_world **result,
                           qdi_saved *n) {
    const unsigned char *at = data + QDI_SAVE_HEADER;
    *result = NULL;
    if (!qdi_fields_get(&qdi_fields_def, &at, def) || qdi_world_def_check(def, NULL) != QD_OK)
        return QD_ERR_CORRUPT;
    qd_world *world = NULL;
    qd_status status = qdi_world_make(def, &world);
    if (status != QD_OK) return status;
    status = get_saved_past(&at, world);
    if (status == QD_OK && !(get_saved_counts(&at, world, bytes, n) && header_fits(data, n)))
        status = QD_ERR_CORRUPT;
    if (status == QD_OK)
        *result = world;
    else
        qd_world_destroy(world);
    return status;
}

// Loaded world: says why a world cannot be loaded.
static qd_status explain(qd_status status, qd_error *error) {
    if (status == QD_OK) return status;
    return qdi_reason(error, status, "%s",
                      status == QD_ERR_CORRUPT ? "the saved world contradicts itself"
                                               : qd_status_text(status));
}

size_t qdi_load_head_bytes(void) {
    const qdi_saved none = {0};
    return qdi_saved_head_bytes(&none);
}

qd_status qdi_load_head(const unsigned char *head, uint64_t bytes, qd_world_def *def, qd_world **world,
                        qdi_saved *n, qd_error *error) {
    const qd_status status = check_saved_envelope(head, bytes, error);
    return status == QD_OK ? explain(load_head(head, bytes, def, world, n), error) : status;
}

qd_status qd_world_load(const unsigned char *data, size_t bytes, int threads, const qd_allocator *allocator,
                        qd_world **world, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!data || !world) return qdi_reason(error, QD_ERR_ARGUMENT, "no data, or nowhere to put the world");
    if (threads < 1 || threads > QD_TEAM_MAX)
        return qdi_reason(error, QD_ERR_VALUE, "threads must be in 1..%d", QD_TEAM_MAX);
    qd_status status = check_saved_envelope(data, bytes, error);
    if (status == QD_OK) status = check_saved_sum(data, bytes, error);
    if (status != QD_OK) return status;
    qd_world_def def = {.cookie = QDI_COOKIE, .threads = threads, .allocator = allocator};
    qd_world *made = NULL;
    qdi_saved n;
    const unsigned char *at = data + qdi_load_head_bytes();
    status = load_head(data, bytes, &def, &made, &n);
    if (status == QD_OK) status = get_saved_state(&at, made, &n);
    if (status == QD_OK)
        *world = made;
    else
        qd_world_destroy(made);
    return explain(status, error);
}
