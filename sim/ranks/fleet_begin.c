// What ranks have to know of the world before the first step, but for its bodies: of rank 0, which has the
// whole world, each gets what defines it, what all parts have in common, and materials. A rank makes a world
// without bodies of that. All ranks are the same program on the same kind of machine: what is sent is memory
// as it is.

#include "sim/ranks/fleet_impl.h"

#include "core/base/memory.h"
#include "sim/world/world_make.h"

#include <string.h>

/// A message: this, then named materials, then pairs of them, then what makers of bodies are told.
typedef struct beginning {
    qd_world_def def; ///< but for the allocator, which is each rank's
    qdi_fleet_common common;
    double small;
    uint64_t materials, pairs, bodies;
    qdi_saved saved;             ///< what there is to load
    uint64_t apart, loads, said; ///< bytes
} beginning;

typedef struct pair_mail {
    uint64_t a, b;
    qd_material surface;
} pair_mail;

// Beginning of a fleet: writes the message; `message` is NULL: only its size is wanted.
static size_t write_beginning(const qdi_fleet_rank *rank, unsigned char *message) {
    const qd_world *whole = rank->whole;
    const qdi_materials *all = &whole->traits.materials;
    beginning head;
    memset(&head, 0, sizeof head);
    head.def = whole->def;
    head.common = qdi_fleet_common_of(whole);
    head.small = rank->small;
    head.materials = all->count;
    head.bodies = rank->bodies;
    head.apart = rank->apart;
    head.loads = rank->loads;
    head.saved = rank->saved;
    head.said = rank->seed ? rank->seed->bytes : 0;
    size_t at = sizeof head;
    const size_t named = all->count * sizeof *all->list;
    if (message && named > 0) memcpy(message + at, all->list, named);
    at += named;
    for (uint32_t a = 0, b = 0; qdi_materials_next(all, &a, &b); at += sizeof(pair_mail)) {
        pair_mail pair;
        memset(&pair, 0, sizeof pair);
        pair.a = a;
        pair.b = b;
        pair.surface = *qdi_materials_pair_of(all, a, b);
        if (message) memcpy(message + at, &pair, sizeof pair);
        head.pairs += 1;
    }
    if (message) memcpy(message, &head, sizeof head);
    if (message && head.said > 0) memcpy(message + at, rank->seed->said, head.said);
    return at + head.said;
}

// Beginning of a fleet: gives a world the materials that a message names.
static qd_status take_materials(const beginning *head, const unsigned char *at, qd_world *world) {
    qd_status status = QD_OK;
    for (uint64_t k = 0; k < head->materials && status == QD_OK; ++k) {
        qd_named_material one;
        memcpy(&one, at, sizeof one);
        at += sizeof one;
        status = qd_world_add_material(world, one.name, &one.surface, NULL, NULL);
    }
    for (uint64_t k = 0; k < head->pairs && status == QD_OK; ++k) {
        pair_mail one;
        memcpy(&one, at, sizeof one);
        at += sizeof one;
        status = qd_world_pair_materials(world, (uint32_t)one.a, (uint32_t)one.b, &one.surface, NULL);
    }
    return status;
}

// Beginning of a fleet: a world without bodies, of a message.
static qd_status read_beginning(qdi_fleet_rank *rank, const qdi_message *message) {
    beginning head;
    const unsigned char *at = message->data;
    memcpy(&head, at, sizeof head);
    rank->small = head.small;
    rank->bodies = head.bodies;
    rank->apart = head.apart != 0;
    rank->loads = head.loads != 0;
    rank->saved = head.saved;
    const int threads = head.def.threads;
    head.def.allocator = rank->allocator;
    head.def.threads = 1; // it is never stepped
    qd_status status = qdi_world_make(&head.def, &rank->whole);
    if (status == QD_OK) status = take_materials(&head, at + sizeof head, rank->whole);
    if (status != QD_OK) return status;
    rank->whole->def.threads = threads; // of the parts
    qdi_fleet_put_common(rank->whole, &head.common);
    return QD_OK;
}

// Beginning of a fleet: keeps what makers are told; messages do not last.
static qd_status keep_said(qdi_fleet_rank *rank, const unsigned char *said, size_t bytes) {
    const qd_status status = qdi_reserve(rank->allocator, &rank->mail, &rank->mail_room, 0, bytes + 1, 1);
    if (status != QD_OK) return status;
    if (bytes > 0) memcpy(rank->mail, said, bytes);
    rank->said = bytes;
    return QD_OK;
}

// Beginning of a fleet: rank 0 sends, all others receive; what makers are told is at the end of the message.
static qd_status hand_over(qdi_fleet_rank *rank) {
    qdi_message to[QDI_RANKS_MAX] = {{NULL, 0}}, from[QDI_RANKS_MAX];
    const int me = qdi_ranks_me(rank->ranks);
    const size_t bytes = me == 0 ? write_beginning(rank, NULL) : 0;
    unsigned char *message = qdi_allocate(rank->allocator, bytes, 1);
    if (bytes > 0 && !message) return QD_ERR_MEMORY;
    if (message) write_beginning(rank, message);
    for (int q = 0; me == 0 && q < qdi_ranks_count(rank->ranks); ++q) to[q] = (qdi_message){message, bytes};
    qd_status status = qdi_ranks_exchange(rank->ranks, to, from);
    if (status == QD_OK && me > 0) status = read_beginning(rank, &from[0]);
    if (status == QD_OK && rank->apart) {
        beginning head;
        memcpy(&head, from[0].data, sizeof head);
        const unsigned char *end = (const unsigned char *)from[0].data + from[0].bytes;
        status = keep_said(rank, end - head.said, (size_t)head.said);
    }
    qdi_release(rank->allocator, message, bytes, 1);
    return status;
}

// Beginning of a fleet: the realm, which has the world's sides.
static qd_status make_realm(qdi_fleet_rank *rank, qdi_realm_rule rule) {
    const qdi_axis *axis = rank->whole->axis;
    const bool periodic[2] = {axis[0].boundary == QD_BOUNDARY_PERIODIC,
                              axis[1].boundary == QD_BOUNDARY_PERIODIC};
    return qdi_realm_make(rank->allocator, rule, qdi_ranks_count(rank->ranks),
                          (qd_vec2){axis[0].low, axis[1].low}, (qd_vec2){axis[0].length, axis[1].length},
                          periodic, &rank->realm);
}

qd_status qdi_fleet_take_over(qdi_fleet_rank *rank, qdi_realm_rule rule) {
    qd_status status = hand_over(rank);
    if (status == QD_OK) status = make_realm(rank, rule);
    status = qdi_ranks_agree(rank->ranks, status);
    return status == QD_OK && rank->apart ? qdi_fleet_sow(rank) : status;
}
