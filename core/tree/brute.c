// Every box against every other. Bodies are kept in order of index, so pairs come out in order (a, b) by
// themselves.
//
// Shared while qd_brute_pairs runs: the index, which nobody writes. Each range of bodies is a part of its
// own, whose pairs go to the buffer of the worker that does it (pairs_impl.h).
#include <quadrille/brute.h>

#include "core/base/arithmetic.h"
#include "core/base/cookie.h"
#include "core/base/memory.h"
#include "core/parallel/parallel.h"
#include "core/parallel/sort.h"
#include "core/tree/image.h"
#include "core/tree/pairs_impl.h"

#include <string.h>

typedef struct brute_entry {
    qd_body_index body;
    qd_box box;
} brute_entry;

struct qd_brute {
    const qd_allocator *allocator;
    qd_vec2 period;
    brute_entry *entries; // in order of body
    size_t count, room;
    bool built;
};

enum { PAIRS_GRAIN = 64, INDEX_BITS = 28 };

// Brute force beside the tree: true where a world's size and period along an axis are usable.
static bool world_size_valid(double size, double period) {
    return size > 0.0 && size - size == 0.0 && (period == 0.0 || period == size);
}

qd_status qd_brute_create(const qd_tree_def *def, qd_brute **brute) {
    if (!brute) return QD_ERR_ARGUMENT;
    *brute = NULL;
    if (!def || def->cookie != QDI_COOKIE) return QD_ERR_ARGUMENT;
    if (!world_size_valid(def->size.x, def->period.x) || !world_size_valid(def->size.y, def->period.y))
        return QD_ERR_VALUE;
    if (def->capacity < 1 || def->capacity > 65535) return QD_ERR_VALUE;
    const qd_allocator *allocator = qdi_allocator_or_default(def->allocator);
    qd_brute *made = qdi_allocate(allocator, 1, sizeof *made);
    if (!made) return QD_ERR_MEMORY;
    *made = (qd_brute){.allocator = allocator, .period = def->period};
    *brute = made;
    return QD_OK;
}

// Frees the entries of the brute-force index.
static void brute_entries_release(qd_brute *brute) {
    qdi_release(brute->allocator, brute->entries, brute->room, sizeof *brute->entries);
    brute->entries = NULL;
    brute->count = 0;
    brute->room = 0;
}

void qd_brute_destroy(qd_brute *brute) {
    if (!brute) return;
    brute_entries_release(brute);
    qdi_release(brute->allocator, brute, 1, sizeof *brute);
}

// The place of the first entry whose body is `body` or larger.
static size_t brute_entry_place(const qd_brute *brute, qd_body_index body) {
    size_t begin = 0, end = brute->count;
    while (begin < end) {
        const size_t middle = begin + (end - begin) / 2;
        if (brute->entries[middle].body < body) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

// True where an entry of the brute-force index is that of a body.
static bool brute_has_body_at(const qd_brute *brute, size_t place, qd_body_index body) {
    return place < brute->count && brute->entries[place].body == body;
}

// The bodies named in a call to refresh: positions[k] is where the body with the k-th smallest index keys[k]
// stands.
typedef struct naming {
    const qd_allocator *allocator;
    uint64_t *keys, *spare_keys;
    uint32_t *positions, *spare_positions;
    size_t n;
} naming;

// Frees the arrays that put the bodies of a refresh in order, without a tree.
static void body_order_release(naming *names) {
    qdi_release(names->allocator, names->keys, names->n, sizeof *names->keys);
    qdi_release(names->allocator, names->spare_keys, names->n, sizeof *names->spare_keys);
    qdi_release(names->allocator, names->positions, names->n, sizeof *names->positions);
    qdi_release(names->allocator, names->spare_positions, names->n, sizeof *names->spare_positions);
}

// Brute force beside the tree: puts the bodies named in a refresh in order of index.
// Errors: QD_ERR_LIMIT, QD_ERR_EXISTS, QD_ERR_MEMORY; what was allocated is the caller's to release in any
// case.
static qd_status body_order_sort(naming *names, qd_team *team, const qd_body_index *indices) {
    const size_t n = names->n;
    for (size_t i = 0; indices && i < n; ++i) {
        if (indices[i] >= QD_BODY_INDEX_MAX) return QD_ERR_LIMIT;
    }
    names->keys = qdi_allocate(names->allocator, n, sizeof *names->keys);
    names->spare_keys = qdi_allocate(names->allocator, n, sizeof *names->spare_keys);
    names->positions = qdi_allocate(names->allocator, n, sizeof *names->positions);
    names->spare_positions = qdi_allocate(names->allocator, n, sizeof *names->spare_positions);
    if (!names->keys || !names->spare_keys || !names->positions || !names->spare_positions)
        return QD_ERR_MEMORY;
    for (size_t i = 0; i < n; ++i) {
        names->keys[i] = indices ? indices[i] : i;
        names->positions[i] = (uint32_t)i;
    }
    if (!indices) return QD_OK;
    const qd_status status = qdi_team_sort(team, names->keys, names->positions, names->spare_keys,
                                           names->spare_positions, n, INDEX_BITS);
    for (size_t k = 1; status == QD_OK && k < n; ++k) {
        if (names->keys[k] == names->keys[k - 1]) return QD_ERR_EXISTS;
    }
    return status;
}

// Fills `fresh` (room for all of them) with the bodies named; a bad box is replaced by the old one, or the
// body left out where there is none. Returns how many there are; `*bad` becomes the lowest position of a bad
// box, or stays.
static size_t brute_entries_merge(const qd_brute *brute, const naming *names, const qd_box *boxes,
                                  brute_entry *fresh, qd_tree_counts *counts, size_t *bad) {
    size_t count = 0, old = 0, kept = 0;
    for (size_t k = 0; k < names->n; ++k) {
        const qd_body_index body = (qd_body_index)names->keys[k];
        const size_t position = names->positions[k];
        while (old < brute->count && brute->entries[old].body < body) ++old;
        const bool known = brute_has_body_at(brute, old, body);
        const bool good = qdi_box_acceptable(boxes[position], brute->period);
        if (!good && position < *bad) *bad = position;
        if (known) ++kept;
        if (good) {
            fresh[count++] = (brute_entry){body, boxes[position]};
        } else if (known) {
            fresh[count++] = brute->entries[old];
        }
    }
    counts->in_place = kept;
    counts->added = count - kept;
    counts->removed = brute->count - kept;
    return count;
}

// Empties the brute-force index.
// After QD_ERR_MEMORY the index is empty.
static qd_status brute_clear(qd_brute *brute) {
    brute_entries_release(brute);
    brute->built = false;
    return QD_ERR_MEMORY;
}

qd_status qd_brute_refresh(qd_brute *brute, qd_team *team, const qd_box *boxes, const qd_body_index *indices,
                           size_t n, qd_tree_counts *counts, size_t *bad) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    qd_tree_counts done = {0};
    size_t first_bad = SIZE_MAX;
    if (counts) *counts = done;
    if (!brute || !team || (!boxes && n > 0)) return QD_ERR_ARGUMENT;
    if (n >= QD_BODY_INDEX_MAX) return QD_ERR_LIMIT;

    brute_entry *fresh = NULL;
    if (n > 0) {
        naming names = {.allocator = brute->allocator, .n = n};
        qd_status status = body_order_sort(&names, team, indices);
        if (status == QD_OK) {
            fresh = qdi_allocate(brute->allocator, n, sizeof *fresh);
            if (!fresh) status = QD_ERR_MEMORY;
        }
        size_t count = 0;
        if (status == QD_OK) count = brute_entries_merge(brute, &names, boxes, fresh, &done, &first_bad);
        body_order_release(&names);
        if (status == QD_ERR_MEMORY) return brute_clear(brute);
        if (status != QD_OK) return status;
        brute_entries_release(brute);
        brute->count = count;
    } else {
        done.removed = brute->count;
        brute_entries_release(brute);
    }
    brute->entries = fresh;
    brute->room = n;
    done.built = !brute->built;
    brute->built = true;
    if (counts) *counts = done;
    if (first_bad == SIZE_MAX) return QD_OK;
    if (bad) *bad = first_bad;
    return QD_ERR_VALUE;
}

qd_status qd_brute_add(qd_brute *brute, qd_body_index body, qd_box box) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!brute) return QD_ERR_ARGUMENT;
    if (body >= QD_BODY_INDEX_MAX || brute->count + 1 >= QD_BODY_INDEX_MAX) return QD_ERR_LIMIT;
    const size_t place = brute_entry_place(brute, body);
    if (brute_has_body_at(brute, place, body)) return QD_ERR_EXISTS;
    if (!qdi_box_acceptable(box, brute->period)) return QD_ERR_VALUE;
    const qd_status status = qdi_reserve(brute->allocator, &brute->entries, &brute->room, brute->count,
                                         brute->count + 1, sizeof *brute->entries);
    if (status != QD_OK) return status;
    brute_entry *entry = &brute->entries[place];
    memmove(entry + 1, entry, (brute->count - place) * sizeof *entry);
    *entry = (brute_entry){body, box};
    brute->count += 1;
    return QD_OK;
}

qd_status qd_brute_remove(qd_brute *brute, qd_body_index body) {
    if (!brute) return QD_ERR_ARGUMENT;
    const size_t place = brute_entry_place(brute, body);
    if (!brute_has_body_at(brute, place, body)) return QD_ERR_STALE;
    brute_entry *entry = &brute->entries[place];
    brute->count -= 1;
    memmove(entry, entry + 1, (brute->count - place) * sizeof *entry);
    return QD_OK;
}

typedef struct pair_search {
    const qd_brute *brute;
    qd_pairs *pairs;
} pair_search;

// Finds the pairs of the bodies [begin, end) with all bodies after them, by brute force.
static void brute_pairs_range(void *context, size_t begin, size_t end, int worker) {
    const pair_search *search = context;
    const qd_brute *brute = search->brute;
    const qd_image here = {0, 0};
    const size_t part = begin / PAIRS_GRAIN;
    qdi_pairs_part_begin(search->pairs, worker, part);
    bool go_on = !qdi_pairs_stopped(search->pairs);
    for (size_t i = begin; go_on && i < end; ++i) {
        const brute_entry a = brute->entries[i];
        qdi_pairs_tested(search->pairs, worker, brute->count - i - 1);
        for (size_t k = i + 1; go_on && k < brute->count; ++k) {
            const brute_entry b = brute->entries[k];
            qd_pair pair = {a.body, b.body, here};
            if (qdi_image_overlap(a.box, b.box, brute->period, here, &pair.image)) {
                go_on = qdi_pairs_push(search->pairs, worker, pair);
            }
        }
    }
    qdi_pairs_part_end(search->pairs, worker, part);
}

qd_status qd_brute_pairs(const qd_brute *brute, qd_team *team, qd_pairs *pairs) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!brute || !team || !pairs) return QD_ERR_ARGUMENT;
    const size_t parts = qdi_range_count(brute->count, PAIRS_GRAIN);
    const qd_status status = qdi_pairs_begin(pairs, (size_t)qd_team_threads(team), parts);
    if (status != QD_OK) return status;
    pair_search search = {brute, pairs};
    qdi_team_for_workers(team, brute->count, PAIRS_GRAIN, brute_pairs_range, &search);
    return qdi_pairs_gather(pairs, team);
}

qd_status qd_brute_retrieve(const qd_brute *brute, qd_box box, qd_body_index self, qd_tree_visit visit,
                            void *context) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!brute || !visit) return QD_ERR_ARGUMENT;
    qd_image base;
    if (!qd_box_valid(box) || !qdi_image_base(box, brute->period, &base)) return QD_ERR_VALUE;
    for (size_t i = 0; i < brute->count; ++i) {
        const brute_entry entry = brute->entries[i];
        qd_image image;
        if (entry.body == self || !qdi_image_overlap(box, entry.box, brute->period, base, &image)) continue;
        if (!visit(context, entry.body, image)) break;
    }
    return QD_OK;
}
