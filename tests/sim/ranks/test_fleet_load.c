#include "sim/step/load.h"
#include "tests/support/fleets.h"
#include "tests/support/harness.h"

#include "core/base/cookie.h"

// Fleets that are loaded from a saved world, of which no rank gets the whole: beside the plain world that was
// saved, step by step, bit for bit.

/// A saved world in memory.
typedef struct saved_bytes {
    unsigned char *data;
    size_t bytes;
} saved_bytes;

static saved_bytes saved_of(const qd_world *world) {
    saved_bytes made = {NULL, 0};
    ck_assert_int_eq(qd_world_save(world, &made.data, &made.bytes), QD_OK);
    return made;
}

/// Frees both.
static void forget(qd_world *world, saved_bytes saved) {
    qd_world_save_free(world, saved.data, saved.bytes);
    qd_world_destroy(world);
}

static qd_status read_bytes(void *context, uint64_t at, void *to, size_t bytes) {
    const saved_bytes *from = context;
    ck_assert_uint_le(at, from->bytes);
    ck_assert_uint_le(bytes, from->bytes - at);
    memcpy(to, from->data + at, bytes);
    return QD_OK;
}

/// A world without bodies, of the head of a saved one.
static qd_status load_hollow(const saved_bytes *from, const qd_allocator *allocator, qd_world **hollow,
                             qdi_saved *saved) {
    qd_world_def def = {.cookie = QDI_COOKIE, .threads = 1, .allocator = allocator};
    const unsigned char *at = from->data + qdi_load_head_bytes();
    qd_status status = qdi_load_head(from->data, from->bytes, &def, hollow, saved, NULL);
    if (status == QD_OK) status = qdi_load_materials(&at, *hollow, saved);
    if (status == QD_OK) ck_assert_ptr_eq(at, from->data + qdi_saved_head_bytes(saved));
    return status;
}

/// A fleet of a saved world; the caller destroys both.
static qd_status load(const saved_bytes *from, const qd_allocator *allocator, int ranks, qd_world **hollow,
                      qdi_fleet **fleet) {
    saved_bytes here = *from;
    qdi_saved saved;
    const qdi_fleet_source source = {&here, read_bytes, 0};
    *fleet = NULL;
    qd_status status = load_hollow(from, allocator, hollow, &saved);
    if (status != QD_OK) return status;
    ck_assert(qdi_fleet_can_load(*hollow, &saved));
    return qdi_fleet_make_loaded(*hollow, NULL, ranks, ranks % 2 ? QDI_REALM_SCATTER : QDI_REALM_CUT, &source,
                                 &saved, fleet);
}

static void run_loaded(uint64_t seed) {
    qd_world *plain = qd_fleet_world(seed), *hollow = NULL;
    ck_assert_int_eq(qd_world_detect(plain), QD_OK);
    qd_status status = QD_OK;
    for (uint64_t k = 0; k < seed % 40 && status == QD_OK; ++k) status = qd_world_step(plain, 0.01, NULL);
    const saved_bytes from = saved_of(plain);
    const int ranks = 1 + (int)(seed % 8);
    qdi_fleet *fleet = NULL;
    ck_assert_int_eq(load(&from, NULL, ranks, &hollow, &fleet), QD_OK);
    ck_assert_uint_eq(qdi_fleet_bodies(fleet), qd_world_count(plain));
    for (uint64_t k = 0; k < 30 && status == QD_OK; ++k) {
        qd_fleet_same_sums(seed, ranks, plain, fleet);
        status = qd_world_step(plain, 0.01, NULL);
        ck_assert_int_eq(qdi_fleet_step(fleet, 0.01, NULL), status);
    }
    qdi_fleet_destroy(fleet);
    qd_world_destroy(hollow);
    forget(plain, from);
}

QD_TEST(loaded_worlds_go_on_the_same) {
    qd_test_seeds(60, 0, run_loaded);
}

// What is saved in pieces is loaded in pieces, by other ranks, and saved again: the same bytes.
QD_TEST(pieces_are_loaded) {
    qd_world *plain = qd_fleet_world(2), *hollow[2] = {NULL, NULL};
    const qd_world_def def = qd_world_definition(plain);
    const void *all = plain;
    const qdi_fleet_seed how = {qd_fleet_copy, &all, sizeof all, 0};
    qdi_fleet *fleet[2] = {NULL, NULL};
    qd_pieces got[2];
    hollow[0] = qd_test_world(&def);
    ck_assert_int_eq(qdi_fleet_make_apart(hollow[0], NULL, 3, QDI_REALM_CUT, &how, &fleet[0]), QD_OK);
    for (size_t k = 0; k < 20; ++k) ck_assert_int_eq(qdi_fleet_step(fleet[0], 0.01, NULL), QD_OK);
    for (int k = 0; k < 2; ++k) {
        const qdi_saved_sink sink = {&got[k], qd_pieces_begin, qd_pieces_take};
        ck_assert_int_eq(qdi_fleet_save(fleet[k], &sink), QD_OK);
        const saved_bytes from = {got[k].data, got[k].used};
        if (k == 0) ck_assert_int_eq(load(&from, NULL, 5, &hollow[1], &fleet[1]), QD_OK);
    }
    ck_assert_uint_eq(got[0].used, got[1].used);
    ck_assert_mem_eq(got[0].data, got[1].data, got[0].used);
    for (int k = 0; k < 2; ++k) {
        qdi_fleet_destroy(fleet[k]);
        qd_world_destroy(hollow[k]);
        free(got[k].data);
    }
    qd_world_destroy(plain);
}

// Bytes that are wrong behind a good checksum: a fleet that says so, or one that steps.
QD_TEST(damage_is_said) {
    qd_random random = qd_random_at(5, 0, 31);
    qd_world *plain = qd_fleet_world(2);
    ck_assert_int_eq(qd_world_detect(plain), QD_OK);
    const saved_bytes from = saved_of(plain);
    size_t refused = 0;
    const size_t tries = qd_test_effort(60);
    for (size_t k = 0; k < tries; ++k) {
        const size_t at = (size_t)(qd_random_bits(&random) % from.bytes);
        qd_world *hollow = NULL;
        qdi_fleet *fleet = NULL;
        qdi_saved saved;
        from.data[at] ^= 0x80;
        const qd_status head = load_hollow(&from, NULL, &hollow, &saved);
        const bool can = head == QD_OK && qdi_fleet_can_load(hollow, &saved);
        qd_world_destroy(hollow);
        hollow = NULL;
        const qd_status status = can ? load(&from, NULL, 3, &hollow, &fleet) : QD_ERR_CORRUPT;
        ck_assert(status == QD_OK || status == QD_ERR_CORRUPT);
        refused += status != QD_OK;
        qdi_fleet_destroy(fleet);
        qd_world_destroy(hollow);
        from.data[at] ^= 0x80;
    }
    ck_assert_uint_gt(refused, tries / 4);
    forget(plain, from);
}

// What was removed or is to be found yet, and emitters, are for one process.
QD_TEST(worlds_with_gaps_are_not_for_ranks) {
    for (int k = 0; k < 2; ++k) {
        qd_world *plain = qd_fleet_world(2), *hollow = NULL;
        ck_assert_int_eq(qd_world_detect(plain), QD_OK);
        const qd_id first = {0, 1};
        if (k == 1) ck_assert_int_eq(qd_world_remove(plain, first), QD_OK);
        if (k == 1) ck_assert_int_eq(qd_world_step(plain, 0.01, NULL), QD_OK);
        const saved_bytes from = saved_of(plain);
        qdi_saved saved;
        ck_assert_int_eq(load_hollow(&from, NULL, &hollow, &saved), QD_OK);
        ck_assert_int_eq(qdi_fleet_can_load(hollow, &saved), k == 0);
        qd_world_destroy(hollow);
        forget(plain, from);
    }
}

QD_TEST(nothing_is_left_without_memory) {
    qd_test_allocator failing = qd_test_allocator_of(&failing, 0);
    qd_world *plain = qd_fleet_world(2);
    ck_assert_int_eq(qd_world_detect(plain), QD_OK);
    const saved_bytes from = saved_of(plain);
    size_t failures = 0;
    bool made = false;
    for (size_t fail = 1; !made; fail += 1 + fail / 16, failures += !made) {
        qd_own(qd_world) hollow = NULL;
        qdi_fleet *fleet = NULL;
        failing.fail_at = failing.calls + fail;
        const qd_status status = load(&from, &failing.allocator, 3, &hollow, &fleet);
        failing.fail_at = 0;
        made = status == QD_OK;
        ck_assert(made || status == QD_ERR_MEMORY);
        qdi_fleet_destroy(fleet);
    }
    ck_assert_uint_gt(failures, 20);
    ck_assert_uint_eq(failing.live, 0);
    forget(plain, from);
}

QD_TEST_MAIN("fleet_load", 300, NULL, NULL)
