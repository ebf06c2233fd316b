// A world as bytes, little-endian:
//
//   magic (8), version (4), length of all (8)
//   def, clock, totals, "changed" flag
//   number of indices, bodies, contacts (8 each)
//   generation of each index; bodies by row; contacts in order
//   XXH3-64 of everything before (8)
//
// The tree is not stored: it is a function of the boxes. Nor are free indices: they are those that no body
// has.

#include <quadrille/hash.h>

#include "core/assert.h"
#include "core/cookie.h"
#include "sim/bytes.h"
#include "sim/world_impl.h"

#include <math.h>

enum { HEADER = 20, FIXED = 248, PER_INDEX = 4, PER_BODY = 60, PER_CONTACT = 60, CHECKSUM = 8, VERSION = 1 };
static const unsigned char magic[8] = {'Q', 'D', 'W', 'O', 'R', 'L', 'D', '\n'};

static void put_vec(unsigned char **at, qd_vec2 v) {
    qdi_put_f64(at, v.x);
    qdi_put_f64(at, v.y);
}

static qd_vec2 get_vec(const unsigned char **at) {
    qd_vec2 v;
    v.x = qdi_get_f64(at);
    v.y = qdi_get_f64(at);
    return v;
}

static size_t saved_size(size_t indices, size_t bodies, size_t contacts) {
    return HEADER + FIXED + indices * PER_INDEX + bodies * PER_BODY + contacts * PER_CONTACT + CHECKSUM;
}

// ---- writing ----

static void put_def(unsigned char **at, const qd_world_def *def) {
    put_vec(at, def->size);
    put_vec(at, def->origin);
    qdi_put_u32(at, (uint32_t)def->boundary_x);
    qdi_put_u32(at, (uint32_t)def->boundary_y);
    put_vec(at, def->gravity);
    qdi_put_u32(at, (uint32_t)def->contact);
    qdi_put_u32(at, (uint32_t)def->retrieve);
    qdi_put_f64(at, def->restitution);
    qdi_put_u32(at, (uint32_t)def->iterations);
    qdi_put_u32(at, def->capacity);
    qdi_put_f64(at, def->limits.speed);
    qdi_put_f64(at, def->limits.distance);
    qdi_put_f64(at, def->limits.pairs);
    qdi_put_u64(at, def->seed);
}

static void put_past(unsigned char **at, const qd_world *world) {
    const qdi_clock *clock = &world->clock;
    qdi_put_u64(at, clock->step);
    qdi_put_u64(at, clock->base_step);
    qdi_put_f64(at, clock->base_time);
    qdi_put_f64(at, clock->dt);
    const qd_world_totals *totals = &world->totals;
    qdi_put_u64(at, totals->contacts);
    qdi_put_u64(at, totals->begins);
    qdi_put_u64(at, totals->ends);
    qdi_put_u64(at, totals->refresh_in_place);
    qdi_put_u64(at, totals->refresh_refiled);
    qdi_put_u64(at, totals->splits);
    qdi_put_u64(at, totals->merges);
    put_vec(at, totals->wall_impulse);
    qdi_put_u64(at, world->changed);
}

static void put_body(unsigned char **at, const qd_world *world, size_t row) {
    qdi_put_u32(at, world->index[row]);
    qdi_put_u64(at, world->label[row]);
    qdi_put_f64(at, world->radius[row]);
    qdi_put_f64(at, world->mass[row]);
    qdi_put_f64(at, world->now.x[row]);
    qdi_put_f64(at, world->now.y[row]);
    qdi_put_f64(at, world->now.vx[row]);
    qdi_put_f64(at, world->now.vy[row]);
}

static void put_contact(unsigned char **at, const qd_contact *contact) {
    qdi_put_u32(at, contact->a.index);
    qdi_put_u32(at, contact->a.generation);
    qdi_put_u32(at, contact->b.index);
    qdi_put_u32(at, contact->b.generation);
    put_vec(at, contact->point);
    put_vec(at, contact->normal);
    qdi_put_f64(at, contact->depth);
    qdi_put_u32(at, (uint32_t)(uint16_t)contact->image.x | (uint32_t)(uint16_t)contact->image.y << 16);
}

qd_status qd_world_save(const qd_world *world, unsigned char **data, size_t *bytes) {
    if (!world || !data || !bytes) return QD_ERR_ARGUMENT;
    const qdi_moment *moment = &world->present;
    size_t size = saved_size(world->index_count, world->count, moment->contact_count);
    unsigned char *start = qdi_allocate(world->allocator, size, 1), *at = start;
    if (!start) return QD_ERR_MEMORY;
    memcpy(at, magic, sizeof magic);
    at += sizeof magic;
    qdi_put_u32(&at, VERSION);
    qdi_put_u64(&at, size);
    put_def(&at, &world->def);
    put_past(&at, world);
    qdi_put_u64(&at, world->index_count);
    qdi_put_u64(&at, world->count);
    qdi_put_u64(&at, moment->contact_count);
    for (size_t i = 0; i < world->index_count; ++i) qdi_put_u32(&at, world->generation_of_index[i]);
    for (size_t r = 0; r < world->count; ++r) put_body(&at, world, r);
    for (size_t i = 0; i < moment->contact_count; ++i) put_contact(&at, &moment->contacts[i]);
    QD_ASSERT(at + CHECKSUM == start + size);
    qdi_put_u64(&at, qd_hash_bytes(start, (size_t)(at - start)));
    *data = start;
    *bytes = size;
    return QD_OK;
}

void qd_world_save_free(const qd_world *world, unsigned char *data, size_t bytes) {
    if (world) qdi_release(world->allocator, data, bytes, 1);
}

// ---- reading ----

typedef struct counts {
    uint64_t indices, bodies, contacts;
} counts;

static void get_def(const unsigned char **at, qd_world_def *def) {
    def->size = get_vec(at);
    def->origin = get_vec(at);
    def->boundary_x = (qd_boundary)qdi_get_u32(at);
    def->boundary_y = (qd_boundary)qdi_get_u32(at);
    def->gravity = get_vec(at);
    def->contact = (qd_contact_model)qdi_get_u32(at);
    def->retrieve = (qd_retrieve_mode)qdi_get_u32(at);
    def->restitution = qdi_get_f64(at);
    uint32_t iterations = qdi_get_u32(at);
    def->iterations = iterations > 1000 ? 0 : (int)iterations; // 0 is refused by the check of the def
    def->capacity = qdi_get_u32(at);
    def->limits.speed = qdi_get_f64(at);
    def->limits.distance = qdi_get_f64(at);
    def->limits.pairs = qdi_get_f64(at);
    def->seed = qdi_get_u64(at);
}

static qd_status get_past(const unsigned char **at, qd_world *world) {
    qdi_clock *clock = &world->clock;
    clock->step = qdi_get_u64(at);
    clock->base_step = qdi_get_u64(at);
    clock->base_time = qdi_get_f64(at);
    clock->dt = qdi_get_f64(at);
    qd_world_totals *totals = &world->totals;
    totals->contacts = qdi_get_u64(at);
    totals->begins = qdi_get_u64(at);
    totals->ends = qdi_get_u64(at);
    totals->refresh_in_place = qdi_get_u64(at);
    totals->refresh_refiled = qdi_get_u64(at);
    totals->splits = qdi_get_u64(at);
    totals->merges = qdi_get_u64(at);
    totals->wall_impulse = get_vec(at);
    uint64_t changed = qdi_get_u64(at);
    world->changed = changed != 0;
    bool fine = changed <= 1 && clock->base_step <= clock->step && isfinite(clock->base_time) &&
                isfinite(clock->dt) && clock->dt >= 0;
    return fine ? QD_OK : QD_ERR_CORRUPT;
}

static qd_status get_body(const unsigned char **at, qd_world *world, uint32_t row) {
    uint32_t index = qdi_get_u32(at);
    world->label[row] = qdi_get_u64(at);
    double radius = world->radius[row] = qdi_get_f64(at);
    double mass = world->mass[row] = qdi_get_f64(at);
    qd_vec2 position = get_vec(at), velocity = get_vec(at);
    if (index >= world->index_count || world->row_of_index[index] != QDI_NO_ROW ||
        world->generation_of_index[index] == 0)
        return QD_ERR_CORRUPT;
    if (qdi_body_check(world, radius, mass, position, velocity, false, NULL) != QD_OK) return QD_ERR_CORRUPT;
    if (qdi_axis_wrap(&world->axis[0], position.x) != position.x ||
        qdi_axis_wrap(&world->axis[1], position.y) != position.y)
        return QD_ERR_CORRUPT;
    world->row_of_index[index] = row;
    world->index[row] = index;
    world->generation[row] = world->generation_of_index[index];
    world->now.x[row] = position.x;
    world->now.y[row] = position.y;
    world->now.vx[row] = velocity.x;
    world->now.vy[row] = velocity.y;
    return QD_OK;
}

/// True where a stored contact may name this body: a living one, or a removed one where the world was changed
/// since.
static bool id_known(const qd_world *world, qd_id id) {
    return qdi_body_row(world, id) != QDI_NO_ROW || (world->changed && id.index < world->index_count);
}

static qd_status get_contact(const unsigned char **at, const qd_world *world, qd_contact *contact) {
    contact->a.index = qdi_get_u32(at);
    contact->a.generation = qdi_get_u32(at);
    contact->b.index = qdi_get_u32(at);
    contact->b.generation = qdi_get_u32(at);
    contact->point = get_vec(at);
    contact->normal = get_vec(at);
    contact->depth = qdi_get_f64(at);
    uint32_t image = qdi_get_u32(at);
    contact->image = (qd_image){(int16_t)(uint16_t)(image & 0xffff), (int16_t)(uint16_t)(image >> 16)};
    bool b_known = qd_id_is_wall(contact->b) ? contact->b.generation == 0 : id_known(world, contact->b);
    bool fine = contact->a.index < contact->b.index && id_known(world, contact->a) && b_known &&
                isfinite(contact->point.x) && isfinite(contact->point.y) && isfinite(contact->normal.x) &&
                isfinite(contact->normal.y) && isfinite(contact->depth) && contact->depth >= 0;
    return fine ? QD_OK : QD_ERR_CORRUPT;
}

static qd_status get_contacts(const unsigned char **at, qd_world *world, size_t count) {
    qdi_moment *moment = &world->present;
    qd_status status = qdi_reserve(world->allocator, &moment->contacts, &moment->contact_room, 0, count,
                                   sizeof *moment->contacts);
    for (size_t i = 0; i < count && status == QD_OK; ++i) {
        qd_contact *contact = &moment->contacts[i];
        status = get_contact(at, world, contact);
        bool ordered = i == 0 || contact[-1].a.index < contact->a.index ||
                       (contact[-1].a.index == contact->a.index && contact[-1].b.index < contact->b.index);
        if (!ordered) status = QD_ERR_CORRUPT;
    }
    if (status == QD_OK) moment->contact_count = count;
    return status;
}

static qd_status get_state(const unsigned char **at, qd_world *world, const counts *n) {
    qd_status status = qdi_bodies_reserve(world, n->bodies, n->indices);
    if (status != QD_OK) return status;
    world->index_count = n->indices;
    for (size_t i = 0; i < n->indices; ++i) {
        world->generation_of_index[i] = qdi_get_u32(at);
        world->row_of_index[i] = QDI_NO_ROW;
    }
    for (size_t r = 0; r < n->bodies && status == QD_OK; ++r) {
        status = get_body(at, world, (uint32_t)r);
        world->count = r + 1;
    }
    if (status == QD_OK) status = get_contacts(at, world, n->contacts);
    if (status != QD_OK) return status;
    qdi_bodies_refill_free(world);
    if (world->changed) return QD_OK; // the next detection files the bodies
    qdi_touching_mark(world, &world->present, 1);
    return qdi_tree_restore(world);
}

static qd_status envelope_check(const unsigned char *data, size_t bytes, qd_error *error) {
    if (bytes < saved_size(0, 0, 0) || memcmp(data, magic, sizeof magic) != 0)
        return qdi_reason(error, QD_ERR_CORRUPT, "not a saved world, or cut short");
    const unsigned char *at = data + sizeof magic;
    uint32_t version = qdi_get_u32(&at);
    if (version != VERSION)
        return qdi_reason(error, QD_ERR_CORRUPT, "a saved world of version %u; this program reads version %d",
                          version, VERSION);
    if (qdi_get_u64(&at) != bytes) return qdi_reason(error, QD_ERR_CORRUPT, "the saved world is cut short");
    at = data + bytes - CHECKSUM;
    if (qdi_get_u64(&at) != qd_hash_bytes(data, bytes - CHECKSUM))
        return qdi_reason(error, QD_ERR_CORRUPT, "the saved world is damaged: its checksum differs");
    return QD_OK;
}

/// Reads behind a good checksum; still, nothing is believed that would lead outside of what there is.
static qd_status load(const unsigned char *data, size_t bytes, qd_world_def *def, qd_world **result) {
    const unsigned char *at = data + HEADER;
    get_def(&at, def);
    if (qdi_world_def_check(def, NULL) != QD_OK) return QD_ERR_CORRUPT;
    qd_world *world = NULL;
    qd_status status = qdi_world_make(def, &world);
    if (status != QD_OK) return status;
    status = get_past(&at, world);
    counts n;
    n.indices = qdi_get_u64(&at);
    n.bodies = qdi_get_u64(&at);
    n.contacts = qdi_get_u64(&at);
    bool sizes_fit = n.indices <= QD_BODY_INDEX_MAX && n.bodies <= n.indices && n.contacts < UINT32_MAX &&
                     saved_size(n.indices, n.bodies, n.contacts) == bytes;
    if (!sizes_fit) status = QD_ERR_CORRUPT;
    if (status == QD_OK) status = get_state(&at, world, &n);
    if (status == QD_OK)
        *result = world;
    else
        qd_world_destroy(world);
    return status;
}

qd_status qd_world_load(const unsigned char *data, size_t bytes, int threads, const qd_allocator *allocator,
                        qd_world **world, qd_error *error) {
    if (!data || !world) return qdi_reason(error, QD_ERR_ARGUMENT, "no data, or nowhere to put the world");
    if (threads < 1 || threads > QD_TEAM_MAX)
        return qdi_reason(error, QD_ERR_VALUE, "threads must be in 1..%d", QD_TEAM_MAX);
    qd_status status = envelope_check(data, bytes, error);
    if (status != QD_OK) return status;
    qd_world_def def = {.cookie = QDI_COOKIE, .threads = threads, .allocator = allocator};
    status = load(data, bytes, &def, world);
    if (status == QD_ERR_CORRUPT) return qdi_reason(error, status, "the saved world contradicts itself");
    return status == QD_OK ? status : qdi_reason(error, status, "%s", qd_status_text(status));
}
