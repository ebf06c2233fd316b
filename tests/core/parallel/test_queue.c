#include "core/parallel/queue.h"
#include "tests/support/harness.h"

#include <stdbool.h>
#include <time.h>

enum { SLOTS = 3, LENGTH = 400 };

// `values` are guarded by the queue: a slot belongs to one thread at a time. The rest is the worker's until
// drained.
struct plant {
    int values[SLOTS];
    int seen[LENGTH];
    int count;
    int fail_at; // count at which the work fails, or -1
    bool slow;
};

static qd_status work(void *context, size_t slot) {
    struct plant *plant = context;
    if (plant->slow) (void)nanosleep(&(struct timespec){0, 2000000}, NULL);
    if (plant->count == plant->fail_at) return QD_ERR_IO;
    plant->seen[plant->count++] = plant->values[slot];
    return QD_OK;
}

static void feed(qdi_queue *queue, struct plant *plant, int count) {
    for (int i = 0; i < count; ++i) {
        size_t slot = SLOTS;
        ck_assert_int_eq(qdi_queue_take(queue, &slot), QD_OK);
        ck_assert_uint_lt(slot, SLOTS);
        plant->values[slot] = i;
        qdi_queue_put(queue, slot);
    }
}

QD_TEST(everything_once_and_in_order) {
    struct plant plant = {.fail_at = -1};
    qdi_queue *queue = NULL;
    ck_assert_int_eq(qdi_queue_create(qd_allocator_default(), SLOTS, work, &plant, &queue), QD_OK);
    feed(queue, &plant, LENGTH);
    ck_assert_int_eq(qdi_queue_drain(queue), QD_OK);
    ck_assert_int_eq(plant.count, LENGTH);
    for (int i = 0; i < LENGTH; ++i) ck_assert_int_eq(plant.seen[i], i);
    qdi_queue_destroy(queue);
}

// A slow worker makes the owner wait; nothing is dropped.
QD_TEST(full_queue_blocks) {
    struct plant plant = {.fail_at = -1, .slow = true};
    qdi_queue *queue = NULL;
    ck_assert_int_eq(qdi_queue_create(qd_allocator_default(), SLOTS, work, &plant, &queue), QD_OK);
    struct timespec before, after;
    (void)timespec_get(&before, TIME_UTC);
    feed(queue, &plant, 20);
    (void)timespec_get(&after, TIME_UTC);
    double waited = (double)(after.tv_sec - before.tv_sec) + 1e-9 * (double)(after.tv_nsec - before.tv_nsec);
    ck_assert_double_gt(waited, 0.002 * (20 - SLOTS - 1)); // at most SLOTS were still open
    qdi_queue_destroy(queue);                              // works on what is in line
    ck_assert_int_eq(plant.count, 20);
}

QD_TEST(failure_sticks) {
    struct plant plant = {.fail_at = 7, .slow = true};
    qdi_queue *queue = NULL;
    ck_assert_int_eq(qdi_queue_create(qd_allocator_default(), SLOTS, work, &plant, &queue), QD_OK);
    qd_status status = QD_OK;
    int given = 0;
    for (; given < 100 && status == QD_OK; ++given) {
        size_t slot;
        status = qdi_queue_take(queue, &slot);
        if (status != QD_OK) break;
        plant.values[slot] = given;
        qdi_queue_put(queue, slot);
    }
    ck_assert_int_eq(status, QD_ERR_IO);
    ck_assert_int_le(given, 7 + SLOTS + 1);
    ck_assert_int_eq(qdi_queue_drain(queue), QD_ERR_IO);
    ck_assert_int_eq(plant.count, 7);
    size_t slot;
    ck_assert_int_eq(qdi_queue_take(queue, &slot), QD_ERR_IO);
    qdi_queue_destroy(queue);
}

QD_TEST(slots_come_back_unused) {
    struct plant plant = {.fail_at = -1};
    qdi_queue *queue = NULL;
    ck_assert_int_eq(qdi_queue_create(qd_allocator_default(), SLOTS, work, &plant, &queue), QD_OK);
    size_t slots[SLOTS];
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < SLOTS; ++i) ck_assert_int_eq(qdi_queue_take(queue, &slots[i]), QD_OK);
        ck_assert(slots[0] != slots[1] && slots[1] != slots[2] && slots[0] != slots[2]);
        for (int i = 0; i < SLOTS; ++i) qdi_queue_return(queue, slots[i]);
    }
    ck_assert_int_eq(qdi_queue_drain(queue), QD_OK);
    ck_assert_int_eq(plant.count, 0);
    qdi_queue_destroy(queue);
    qdi_queue_destroy(NULL);
}

enum { WORKERS_SLOTS = 8, WORKERS_LENGTH = 300 };

// Of several workers. `made` and `values` are guarded by the queue, slot by slot; the rest by its order of
// finishing.
struct workers_plant {
    int values[WORKERS_SLOTS], made[WORKERS_SLOTS];
    int seen[WORKERS_LENGTH];
    int count, fail_make, fail_finish, workers; // -1: none fails
    bool wrong;
};

static qd_status make_part(void *context, size_t slot, int worker) {
    struct workers_plant *plant = context;
    int value = plant->values[slot];
    // The earlier, the slower: without turns they would come out in another order.
    (void)nanosleep(&(struct timespec){0, (3 - value % 4) * 400000}, NULL);
    if (value == plant->fail_make) return QD_ERR_VALUE;
    plant->made[slot] = worker >= 0 && worker < plant->workers ? 2 * value + 1 : -1;
    return QD_OK;
}

static qd_status finish_part(void *context, size_t slot, int worker) {
    struct workers_plant *plant = context;
    int value = plant->values[slot];
    if (value == plant->fail_finish) return QD_ERR_IO;
    plant->wrong = plant->wrong || plant->made[slot] != 2 * value + 1 || worker >= plant->workers;
    plant->seen[plant->count++] = value;
    return QD_OK;
}

static qd_status feed_workers(qdi_queue *queue, struct workers_plant *plant, int count) {
    for (int i = 0; i < count; ++i) {
        size_t slot = WORKERS_SLOTS;
        qd_status status = qdi_queue_take(queue, &slot);
        if (status != QD_OK) return status;
        plant->values[slot] = i;
        qdi_queue_put(queue, slot);
    }
    return QD_OK;
}

QD_TEST(workers_finish_in_order) {
    static const int worker_counts[] = {1, 2, 3, 8, 16}; // also more than there are slots
    for (size_t k = 0; k < sizeof worker_counts / sizeof worker_counts[0]; ++k) {
        struct workers_plant plant = {.fail_make = -1, .fail_finish = -1, .workers = worker_counts[k]};
        qdi_queue *queue = NULL;
        ck_assert_int_eq(qdi_queue_create_workers(qd_allocator_default(), WORKERS_SLOTS, worker_counts[k],
                                                  make_part, finish_part, &plant, &queue),
                         QD_OK);
        ck_assert_int_eq(feed_workers(queue, &plant, WORKERS_LENGTH), QD_OK);
        ck_assert_int_eq(qdi_queue_drain(queue), QD_OK);
        ck_assert_int_eq(plant.count, WORKERS_LENGTH);
        for (int i = 0; i < WORKERS_LENGTH; ++i) ck_assert_int_eq(plant.seen[i], i);
        ck_assert(!plant.wrong);
        qdi_queue_destroy(queue);
    }
}

// Whatever is made ahead: all before the failure is finished, nothing after it; the first in line counts.
QD_TEST(workers_fail_where_the_line_does) {
    for (int workers = 1; workers <= 8; workers += 3) {
        for (int kind = 0; kind < 2; ++kind) {
            struct workers_plant plant = {
                .fail_make = kind ? 42 : 40, .fail_finish = kind ? 40 : 41, .workers = workers};
            qdi_queue *queue = NULL;
            ck_assert_int_eq(qdi_queue_create_workers(qd_allocator_default(), WORKERS_SLOTS, workers,
                                                      make_part, finish_part, &plant, &queue),
                             QD_OK);
            qd_status expected = kind ? QD_ERR_IO : QD_ERR_VALUE;
            ck_assert_int_eq(feed_workers(queue, &plant, WORKERS_LENGTH), expected);
            ck_assert_int_eq(qdi_queue_drain(queue), expected);
            ck_assert_int_eq(plant.count, 40);
            qdi_queue_destroy(queue);
        }
    }
}

QD_TEST(workers_without_memory) {
    struct workers_plant plant = {.fail_make = -1, .fail_finish = -1, .workers = 3};
    for (size_t n = 1;; ++n) {
        qd_test_allocator allocator = qd_test_allocator_of(&allocator, n);
        qdi_queue *queue = NULL;
        qd_status status = qdi_queue_create_workers(&allocator.allocator, WORKERS_SLOTS, 3, make_part,
                                                    finish_part, &plant, &queue);
        qdi_queue_destroy(queue);
        if (qd_test_had_memory(&allocator, status)) {
            ck_assert_uint_gt(n, 6);
            break;
        }
        ck_assert_ptr_null(queue);
    }
}

QD_TEST(no_memory_at_any_allocation) {
    struct plant plant = {.fail_at = -1};
    for (size_t n = 1;; ++n) {
        qd_test_allocator allocator = qd_test_allocator_of(&allocator, n);
        qdi_queue *queue = NULL;
        qd_status status = qdi_queue_create(&allocator.allocator, SLOTS, work, &plant, &queue);
        qdi_queue_destroy(queue);
        if (qd_test_had_memory(&allocator, status)) {
            ck_assert_uint_eq(allocator.calls, n - 1);
            break;
        }
        ck_assert_ptr_null(queue);
    }
}

QD_TEST_MAIN("queue", 120, NULL, NULL)
