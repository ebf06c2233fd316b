// The tree's operations against brute force: the first bytes are its definition, then each byte is an
// operation and what follows its box. What one refuses the other refuses; what they find is the same.
#include "tests/fuzz/fuzz.h"

#include "tests/support/tree_rig.h"

#include <quadrille/brute.h>
#include <string.h>

enum { BODIES_MOST = 48, OPERATIONS_MOST = 64, INDICES = 64 };

typedef struct orchard {
    qd_rig rig;
    qd_brute *brute;
    float half_width, half_height;
} orchard;

// A definition from a few bytes.
static qd_tree_def take_def(qd_fuzz_input *input) {
    static const double sides[] = {1, 10, 1000, 3.7, 1e-6, 1e9, 64, 0.1};
    uint8_t form = qd_fuzz_byte(input);
    qd_tree_def def = qd_rig_def(sides[form & 7], sides[form >> 3 & 7], 1U + qd_fuzz_byte(input) % 20U);
    if (form & 64) def.period.x = def.size.x;
    if (form & 128) def.period.y = def.size.y;
    do def.simd = (qd_simd)(1 + qd_fuzz_byte(input) % QD_SIMD_AVX512);
    while (!qd_simd_available(def.simd) && input->left > 0);
    if (!qd_simd_available(def.simd)) def.simd = QD_SIMD_AUTO;
    return def;
}

// A box: near the world mostly, small mostly.
static qd_box take_box(const orchard *all, qd_fuzz_input *input) {
    double scale[] = {0.01, 0.1, 1, 0};
    double size = scale[qd_fuzz_byte(input) % 4];
    double x = qd_fuzz_number(input, -1.1 * (double)all->half_width, 1.1 * (double)all->half_width);
    double y = qd_fuzz_number(input, -1.1 * (double)all->half_height, 1.1 * (double)all->half_height);
    double w = size * qd_fuzz_byte(input) / 255 * (double)all->half_width;
    double h = size * qd_fuzz_byte(input) / 255 * (double)all->half_height;
    return (qd_box){(float)x, (float)y, (float)(x + w), (float)(y + h)};
}

// The row of a body, or the count.
static size_t row_of(const qd_rig *rig, qd_body_index index) {
    size_t row = 0;
    while (row < rig->count && rig->indices[row] != index) ++row;
    return row;
}

// Adds a body to both.
static void add(orchard *all, qd_body_index index, qd_box box) {
    qd_status one = qd_tree_add(all->rig.tree, index, box), other = qd_brute_add(all->brute, index, box);
    if ((one == QD_OK) != (other == QD_OK))
        qd_fuzz_fail("add %u: %s, not %s", index, qd_status_text(one), qd_status_text(other));
    if (one != QD_OK) return;
    size_t row = qd_rig_put(&all->rig, box);
    all->rig.indices[row] = index;
}

// Takes a body out of both.
static void take_away(orchard *all, qd_body_index index) {
    qd_status one = qd_tree_remove(all->rig.tree, index), other = qd_brute_remove(all->brute, index);
    if (one != other)
        qd_fuzz_fail("remove %u: %s, not %s", index, qd_status_text(one), qd_status_text(other));
    if (one != QD_OK) return;
    qd_rig *rig = &all->rig;
    size_t row = row_of(rig, index);
    rig->count -= 1;
    rig->boxes[row] = rig->boxes[rig->count];
    rig->indices[row] = rig->indices[rig->count];
}

// Moves a body, if it is one and the box is good.
static void move(orchard *all, qd_body_index index, qd_box box) {
    size_t row = row_of(&all->rig, index);
    qd_status status = qd_tree_move(all->rig.tree, index, box);
    if (row == all->rig.count) {
        if (status == QD_OK) qd_fuzz_fail("moves nobody");
        return;
    }
    if (status != QD_OK) return; // and stays
    all->rig.boxes[row] = box;
    if (qd_brute_remove(all->brute, index) != QD_OK || qd_brute_add(all->brute, index, box) != QD_OK)
        qd_fuzz_fail("brute force does not move %u", index);
}

// Brings both up to date with new boxes for some bodies.
static void refresh(orchard *all, qd_fuzz_input *input) {
    qd_rig *rig = &all->rig;
    qd_box before[BODIES_MOST];
    memcpy(before, rig->boxes, rig->count * sizeof *before);
    for (uint8_t moved = qd_fuzz_byte(input) % 8; moved > 0 && rig->count > 0; --moved)
        rig->boxes[qd_fuzz_byte(input) % rig->count] = take_box(all, input);
    size_t bad[2] = {0, 0};
    qd_status one = qd_tree_refresh(rig->tree, rig->team, rig->boxes, rig->indices, rig->count, &rig->counts,
                                    &bad[0]);
    qd_status other = qd_brute_refresh(all->brute, rig->team, rig->boxes, rig->indices, rig->count, NULL,
                                       &bad[1]);
    if (one != other || (one != QD_OK && bad[0] != bad[1]))
        qd_fuzz_fail("refresh: %s (row %zu), not %s (row %zu)", qd_status_text(one), bad[0],
                     qd_status_text(other), bad[1]);
    if (one == QD_OK) return;
    memcpy(rig->boxes, before, rig->count * sizeof *before);
    if (qd_tree_refresh(rig->tree, rig->team, rig->boxes, rig->indices, rig->count, NULL, NULL) != QD_OK ||
        qd_brute_refresh(all->brute, rig->team, rig->boxes, rig->indices, rig->count, NULL, NULL) != QD_OK)
        qd_fuzz_fail("refuses what it had");
}

typedef struct found {
    uint8_t seen[INDICES];
    qd_image image[INDICES];
    size_t count;
} found;

// Notes a body that was found.
static bool note_body(void *context, qd_body_index body, qd_image image) {
    found *all = context;
    all->seen[body] += 1;
    all->image[body] = image;
    all->count += 1;
    return true;
}

// Both find the same in a box.
static void look(const orchard *all, qd_box box, qd_body_index self) {
    found ours, theirs;
    memset(&ours, 0, sizeof ours);
    memset(&theirs, 0, sizeof theirs);
    qd_status one = qd_tree_retrieve(all->rig.tree, box, self, note_body, &ours);
    qd_status other = qd_brute_retrieve(all->brute, box, self, note_body, &theirs);
    if (one != other) qd_fuzz_fail("retrieve: %s, not %s", qd_status_text(one), qd_status_text(other));
    if (memcmp(&ours, &theirs, sizeof ours) != 0)
        qd_fuzz_fail("retrieves %zu, not %zu", ours.count, theirs.count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    qd_fuzz_input input = {data, size};
    orchard all;
    memset(&all, 0, sizeof all);
    qd_tree_def def = take_def(&input);
    all.half_width = (float)(0.5 * def.size.x);
    all.half_height = (float)(0.5 * def.size.y);
    all.rig = qd_rig_start(def, 1 + qd_fuzz_byte(&input) % 2);
    (void)qd_rig_put(&all.rig, (qd_box){0, 0, 0, 0}); // arrays that are there
    all.rig.count = 0;
    if (qd_brute_create(&def, &all.brute) != QD_OK) qd_fuzz_fail("brute force");
    refresh(&all, &input);
    for (int i = 0; i < OPERATIONS_MOST && input.left > 0; ++i) {
        uint8_t what = qd_fuzz_byte(&input);
        qd_body_index index = qd_fuzz_byte(&input) % INDICES;
        switch (what % 8) {
        case 0:
        case 1:
        case 2:
            if (all.rig.count < BODIES_MOST) add(&all, index, take_box(&all, &input));
            break;
        case 3: take_away(&all, index); break;
        case 4: move(&all, index, take_box(&all, &input)); break;
        case 5: refresh(&all, &input); break;
        case 6: look(&all, take_box(&all, &input), index); break;
        default: qd_rig_check(&all.rig);
        }
    }
    qd_rig_check(&all.rig);
    qd_brute_destroy(all.brute);
    qd_rig_stop(&all.rig);
    return 0;
}
