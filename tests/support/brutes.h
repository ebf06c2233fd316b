#pragma once

#include "tests/support/harness.h"
#include "tests/support/teams.h"

#include <quadrille/brute.h>

QD_OWN_POINTER(qd_brute, qd_brute_destroy)
QD_OWN_POINTER(qd_pairs, qd_pairs_destroy)

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/// Worlds, brute-force indices and lists of pairs, which fail the running test where one is refused.

static inline qd_tree_def def_of(double width, double height, bool x_periodic, bool y_periodic) {
    qd_tree_def def = qd_tree_def_default();
    def.size = (qd_vec2){width, height};
    def.period = (qd_vec2){x_periodic ? width : 0.0, y_periodic ? height : 0.0};
    return def;
}

static inline qd_brute *make_brute(const qd_tree_def *def) {
    qd_brute *brute = NULL;
    ck_assert_int_eq(qd_brute_create(def, &brute), QD_OK);
    return brute;
}

static inline qd_pairs *make_pairs(size_t limit) {
    qd_pairs *pairs = NULL;
    ck_assert_int_eq(qd_pairs_create(limit, NULL, &pairs), QD_OK);
    return pairs;
}

static inline bool pair_is(qd_pair pair, qd_body_index a, qd_body_index b, int x, int y) {
    return pair.a == a && pair.b == b && pair.image.x == x && pair.image.y == y;
}

// What a query reported, by body.
typedef struct hits {
    size_t count, stop_after;
    qd_body_index body[256];
    qd_image image[256];
} hits;

static inline bool note_hit(void *context, qd_body_index body, qd_image image) {
    hits *h = context;
    ck_assert_uint_lt(h->count, COUNT(h->body));
    h->body[h->count] = body;
    h->image[h->count] = image;
    h->count += 1;
    return h->stop_after == 0 || h->count < h->stop_after;
}

static inline hits retrieve(const qd_brute *brute, qd_box box, qd_body_index self) {
    hits h = {0};
    ck_assert_int_eq(qd_brute_retrieve(brute, box, self, note_hit, &h), QD_OK);
    return h;
}
