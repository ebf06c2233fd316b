#include "tests/support/tree_rig.h"

#include <math.h>
#include <quadrille/brute.h>
#include <quadrille/random.h>
#include <stdlib.h>
#include <string.h>

enum { PAIR_LIMIT = 100000000 };

qd_tree_def qd_rig_def(double width, double height, uint32_t capacity) {
    qd_tree_def def = qd_tree_def_default();
    def.size = (qd_vec2){width, height};
    def.capacity = capacity;
    return def;
}

qd_rig qd_rig_start(qd_tree_def def, int threads) {
    qd_rig rig = {.def = def};
    qd_team_def team = qd_team_def_default();
    team.threads = threads;
    ck_assert_int_eq(qd_team_create(&team, &rig.team), QD_OK);
    ck_assert_int_eq(qd_tree_create(&def, &rig.tree), QD_OK);
    ck_assert_int_eq(qd_pairs_create(PAIR_LIMIT, NULL, &rig.pairs), QD_OK);
    return rig;
}

void qd_rig_stop(qd_rig *rig) {
    qd_team_destroy(rig->team);
    qd_tree_destroy(rig->tree);
    qd_pairs_destroy(rig->pairs);
    free(rig->boxes);
    free(rig->indices);
}

size_t qd_rig_put(qd_rig *rig, qd_box box) {
    if (rig->count == rig->room) {
        rig->room = rig->room == 0 ? 64 : 2 * rig->room;
        rig->boxes = realloc(rig->boxes, rig->room * sizeof *rig->boxes);
        rig->indices = realloc(rig->indices, rig->room * sizeof *rig->indices);
        ck_assert_ptr_nonnull(rig->boxes);
        ck_assert_ptr_nonnull(rig->indices);
    }
    rig->boxes[rig->count] = box;
    rig->indices[rig->count] = (qd_body_index)rig->count;
    return rig->count++;
}

static qd_box square(double x, double y, double half) {
    return (qd_box){(float)(x - half), (float)(y - half), (float)(x + half), (float)(y + half)};
}

size_t qd_rig_square(qd_rig *rig, double x, double y, double half) {
    return qd_rig_put(rig, square(x, y, half));
}

void qd_rig_move(qd_rig *rig, size_t row, double x, double y) {
    qd_box *box = &rig->boxes[row];
    double w = 0.5 * ((double)box->max_x - (double)box->min_x);
    double h = 0.5 * ((double)box->max_y - (double)box->min_y);
    *box = (qd_box){(float)(x - w), (float)(y - h), (float)(x + w), (float)(y + h)};
}

void qd_rig_refresh(qd_rig *rig) {
    qd_status status = qd_tree_refresh(rig->tree, rig->team, rig->boxes, rig->indices, rig->count,
                                       &rig->counts, NULL);
    ck_assert_msg(status == QD_OK, "refresh: %s", qd_status_text(status));
}

size_t qd_rig_pairs(qd_rig *rig) {
    ck_assert_int_eq(qd_tree_pairs(rig->tree, rig->team, rig->pairs), QD_OK);
    size_t count = 0;
    (void)qd_pairs_data(rig->pairs, &count);
    return count;
}

bool qd_rig_has_pair(const qd_rig *rig, qd_body_index a, qd_body_index b) {
    size_t count = 0;
    const qd_pair *pairs = qd_pairs_data(rig->pairs, &count);
    size_t times = 0;
    for (size_t i = 0; i < count; ++i) times += pairs[i].a == a && pairs[i].b == b;
    return times == 1;
}

int qd_rig_compare_pairs(const void *left, const void *right) {
    const qd_pair *a = left;
    const qd_pair *b = right;
    if (a->a != b->a) return a->a < b->a ? -1 : 1;
    if (a->b != b->b) return a->b < b->b ? -1 : 1;
    return 0;
}

void qd_rig_compare(const qd_rig *rig) {
    qd_brute *brute = NULL;
    qd_pairs *expected = NULL;
    ck_assert_int_eq(qd_brute_create(&rig->def, &brute), QD_OK);
    ck_assert_int_eq(qd_pairs_create(PAIR_LIMIT, NULL, &expected), QD_OK);
    ck_assert_int_eq(qd_brute_refresh(brute, rig->team, rig->boxes, rig->indices, rig->count, NULL, NULL),
                     QD_OK);
    ck_assert_int_eq(qd_brute_pairs(brute, rig->team, expected), QD_OK);
    size_t count = 0, right_count = 0;
    const qd_pair *found = qd_pairs_data(rig->pairs, &count);
    const qd_pair *right = qd_pairs_data(expected, &right_count);
    qd_own_memory qd_pair *sorted = qd_test_memory((count + 1) * sizeof *sorted);
    if (count > 0) memcpy(sorted, found, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, qd_rig_compare_pairs);
    for (size_t i = 0; i < count && i < right_count; ++i) {
        if (memcmp(&sorted[i], &right[i], sizeof sorted[i]) == 0) continue;
        ck_abort_msg("pair %zu is (%u, %u), image (%d, %d); should be (%u, %u), image (%d, %d)", i,
                     sorted[i].a, sorted[i].b, sorted[i].image.x, sorted[i].image.y, right[i].a, right[i].b,
                     right[i].image.x, right[i].image.y);
    }
    ck_assert_uint_eq(count, right_count);
    qd_pairs_destroy(expected);
    qd_brute_destroy(brute);
}

typedef struct hits {
    qd_body_index self;
    size_t count, later;
} hits;

static bool note_hit(void *context, qd_body_index body, qd_image image) {
    (void)image;
    hits *seen = context;
    if (body == seen->self) ck_abort_msg("body %u is its own candidate", body);
    seen->count += 1;
    seen->later += seen->self == QD_NO_BODY || body > seen->self;
    return true;
}

size_t qd_rig_retrieve(const qd_rig *rig, qd_box box, qd_body_index self) {
    hits seen = {.self = self};
    ck_assert_int_eq(qd_tree_retrieve(rig->tree, box, self, note_hit, &seen), QD_OK);
    return seen.count;
}

static void check_retrieve(const qd_rig *rig, size_t pair_count) {
    size_t later = 0;
    for (size_t i = 0; i < rig->count; ++i) {
        hits seen = {.self = rig->indices[i]};
        ck_assert_int_eq(qd_tree_retrieve(rig->tree, rig->boxes[i], rig->indices[i], note_hit, &seen), QD_OK);
        later += seen.later;
    }
    ck_assert_uint_eq(later, pair_count);
}

void qd_rig_validate(const qd_rig *rig) {
    qd_error error;
    ck_assert_msg(qd_tree_validate(rig->tree, &error) == QD_OK, "%s", error.text);
}

void qd_rig_check(qd_rig *rig) {
    qd_rig_validate(rig);
    ck_assert_uint_eq(qd_tree_count(rig->tree), rig->count);
    qd_tree *fresh = NULL;
    ck_assert_int_eq(qd_tree_create(&rig->def, &fresh), QD_OK);
    ck_assert_int_eq(qd_tree_refresh(fresh, rig->team, rig->boxes, rig->indices, rig->count, NULL, NULL),
                     QD_OK);
    ck_assert_msg(qd_tree_hash(fresh) == qd_tree_hash(rig->tree), "a fresh build is another tree");
    qd_tree_destroy(fresh);
    ck_assert_int_eq(qd_tree_pairs_each(rig->tree, rig->team, rig->pairs), QD_OK);
    qd_rig_compare(rig);
    size_t count = qd_rig_pairs(rig);
    qd_rig_compare(rig);
    check_retrieve(rig, count);
}

void qd_rig_crowd(qd_rig *rig, int n, bool strays) {
    qd_random random = qd_random_at(7, 0, 1);
    for (int i = 0; i < n; ++i) {
        const double x = qd_random_uniform(&random) - 0.5, y = qd_random_uniform(&random) - 0.5;
        const double scale = i % 2 == 0 || !strays ? 1.0 : 1e15;
        qd_rig_square(rig, x * scale, y * scale, 0.2 * scale / sqrt(n));
    }
}
