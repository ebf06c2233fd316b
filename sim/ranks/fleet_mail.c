#include "sim/ranks/fleet_mail.h"

#include "core/base/memory.h"
#include "sim/world/names.h"

#include <string.h>

/// How a message of bodies begins; then come the bodies, then their looks.
typedef struct letter_head {
    uint64_t bodies, looks;
} letter_head;

// ---- bodies ----

// Fleet's mail: adds the look of a row, unless the last one is the same.
static void add_look(qdi_body_letter *letter, const qd_world *world, uint32_t row) {
    const uint32_t shape = world->shape[row], trait = world->trait[row];
    if (letter->looks > 0 && letter->shape == shape && letter->trait == trait) return;
    letter->looks += 1;
    letter->shape = shape;
    letter->trait = trait;
    if (!letter->body) return;
    qdi_look_mail *look = letter->look++;
    memset(look, 0, sizeof *look); // it is sent
    if (shape > 0) look->shape = *world->shapes.shape[shape];
    look->trait = world->traits.trait[trait];
}

void qdi_letter_add(qdi_body_letter *letter, const qd_world *world, uint32_t row, uint64_t needed, int owner,
                    bool moved) {
    const bool looks = world->shape[row] > 0 || world->trait[row] > 0;
    if (looks) add_look(letter, world, row);
    letter->bodies += 1;
    if (!letter->body) return;
    const qdi_motion *now = &world->now;
    qdi_body_mail *one = letter->body++;
    memset(one, 0, sizeof *one);
    one->name = qdi_name_of(world, world->index[row]);
    one->label = world->label[row];
    one->needed = needed;
    one->generation = world->generation[row];
    one->look = looks ? (uint32_t)letter->looks : 0;
    one->radius = world->radius[row];
    one->mass = world->mass[row];
    one->inertia = world->inertia[row];
    one->position = (qd_vec2){now->x[row], now->y[row]};
    one->turn = (qd_vec2){now->c[row], now->s[row]};
    one->velocity = (qd_vec2){now->vx[row], now->vy[row]};
    one->spin = now->spin[row];
    one->owner = (uint8_t)owner;
    one->moved = moved;
}

// Fleet's mail: bytes of a message that was counted.
static size_t letter_bytes(const qdi_body_letter *letter) {
    if (letter->bodies == 0) return 0;
    return sizeof(letter_head) + letter->bodies * sizeof(qdi_body_mail) +
           letter->looks * sizeof(qdi_look_mail);
}

// Fleet's mail: begins to write a message that was counted.
static void begin_letter(qdi_body_letter *letter, unsigned char *at) {
    const letter_head head = {letter->bodies, letter->looks};
    *letter = (qdi_body_letter){.bodies = 0};
    if (head.bodies == 0) return;
    memcpy(at, &head, sizeof head);
    void *bodies = at + sizeof head, *looks = at + sizeof head + head.bodies * sizeof(qdi_body_mail);
    letter->body = bodies;
    letter->look = looks;
}

qd_status qdi_letters_begin(const qd_allocator *allocator, qdi_post *post, qdi_body_letter *letters,
                            int ranks, qdi_message *to) {
    size_t bytes = 0;
    for (int q = 0; q < ranks; ++q) bytes += letter_bytes(&letters[q]);
    const qd_status status = qdi_reserve(allocator, &post->memory, &post->room, 0, bytes, 1);
    if (status != QD_OK) return status;
    unsigned char *at = post->memory;
    for (int q = 0; q < ranks; ++q) {
        to[q] = (qdi_message){at, letter_bytes(&letters[q])};
        begin_letter(&letters[q], at);
        if (to[q].bytes > 0) at += to[q].bytes;
    }
    return QD_OK;
}

void qdi_post_release(const qd_allocator *allocator, qdi_post *post) {
    qdi_release(allocator, post->memory, post->room, 1);
}

qdi_body_pile qdi_pile_of(const qdi_message *from, int ranks) {
    qdi_body_pile pile = {.count = 0};
    for (int q = 0; q < ranks; ++q) {
        if (from[q].bytes == 0) continue;
        const letter_head *head = from[q].data;
        const void *bodies = head + 1;
        const qdi_body_mail *first = bodies;
        const void *looks = first + head->bodies;
        pile.from[pile.count].next = first;
        pile.from[pile.count].end = first + head->bodies;
        pile.from[pile.count++].looks = looks;
    }
    return pile;
}

size_t qdi_pile_count(const qdi_body_pile *pile) {
    size_t count = 0;
    for (int q = 0; q < pile->count; ++q) count += (size_t)(pile->from[q].end - pile->from[q].next);
    return count;
}

bool qdi_pile_is_indexed(const qdi_body_pile *pile) {
    const size_t count = qdi_pile_count(pile);
    bool indexed = true;
    for (int q = 0; q < pile->count; ++q) indexed = indexed && pile->from[q].end[-1].name < count;
    return indexed;
}

void qdi_look_put(const qdi_look_mail *look, qd_body_state *state) {
    const qdi_trait *trait = &look->trait;
    state->shape = look->shape;
    state->kind = trait->kind;
    state->pivot = trait->pivot;
    state->slide = trait->slide;
    state->material = trait->material;
    state->filter = trait->filter;
    state->sensor = trait->sensor;
    state->bullet = trait->bullet;
    state->source = trait->source;
}

const qdi_body_mail *qdi_pile_take(qdi_body_pile *pile, qd_body_state *state) {
    int least = -1;
    for (int q = 0; q < pile->count; ++q) {
        if (pile->from[q].next == pile->from[q].end) continue;
        if (least < 0 || pile->from[q].next->name < pile->from[least].next->name) least = q;
    }
    if (least < 0) return NULL;
    const qdi_body_mail *one = pile->from[least].next++;
    const qdi_look_mail plain = {.trait = qdi_trait_default()};
    qdi_look_put(one->look > 0 ? &pile->from[least].looks[one->look - 1] : &plain, state);
    if (state->shape.kind == QD_SHAPE_DISK) state->shape = qd_shape_disk(one->radius);
    state->label = one->label;
    state->position = one->position;
    state->turn = one->turn;
    state->velocity = one->velocity;
    state->spin = one->spin;
    state->mass = one->mass;
    state->inertia = one->inertia;
    return one;
}

// ---- contacts ----

qdi_contact_pile qdi_contacts_of(const qdi_message *from, int ranks) {
    qdi_contact_pile pile = {.count = 0};
    for (int q = 0; q < ranks; ++q) {
        if (from[q].bytes == 0) continue;
        const qdi_contact_mail *first = from[q].data;
        pile.from[pile.count].next = first;
        pile.from[pile.count++].end = first + from[q].bytes / sizeof *first;
    }
    return pile;
}

size_t qdi_contacts_left(const qdi_contact_pile *pile) {
    size_t count = 0;
    for (int q = 0; q < pile->count; ++q) count += (size_t)(pile->from[q].end - pile->from[q].next);
    return count;
}

// Fleet's mail: whether a contact comes before another.
static bool is_before(const qdi_contact_mail *p, const qdi_contact_mail *q) {
    if (p->near != q->near) return q->near;
    return p->a != q->a ? p->a < q->a : p->b < q->b;
}

const qdi_contact_mail *qdi_contacts_take(qdi_contact_pile *pile) {
    int first = -1;
    for (int q = 0; q < pile->count; ++q) {
        if (pile->from[q].next == pile->from[q].end) continue;
        if (first < 0 || is_before(pile->from[q].next, pile->from[first].next)) first = q;
    }
    return first < 0 ? NULL : pile->from[first].next++;
}
