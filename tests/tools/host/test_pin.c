// Which processor a thread is bound to: the rule on machines that are made up, and this machine's own.
#define _GNU_SOURCE // sched_setaffinity
#include "tests/support/harness.h"
#include "tools/host/json.h"
#include "tools/host/os.h"
#include "tools/host/pin.h"

#include <sched.h>
#include <string.h>

// `nodes` nodes of `cores` cores of `units` processors, numbered as the system of such a machine numbers
// them: first one of each core, then the others.
static qdi_topology make_machine(int nodes, int cores, int units) {
    qdi_topology made = {.count = (size_t)(nodes * cores * units)};
    made.room = made.count;
    made.processors = qd_allocator_default()->allocate(qd_allocator_default()->context,
                                                       made.count * sizeof *made.processors);
    ck_assert_ptr_nonnull(made.processors);
    size_t at = 0;
    for (int core = 0; core < nodes * cores; ++core)
        for (int unit = 0; unit < units; ++unit)
            made.processors[at++] = (qdi_topology_processor){unit * nodes * cores + core, core, core / cores};
    return made;
}

static qdi_pin place(const qdi_topology *machine, qdi_pin_policy policy, int threads) {
    qdi_pin pin;
    ck_assert_int_eq(qdi_pin_place(machine, policy, threads, &pin), QD_OK);
    ck_assert_int_eq(pin.threads, threads);
    return pin;
}

static void expect(const qdi_pin *pin, const int *processors) {
    for (int k = 0; k < pin->threads; ++k)
        ck_assert_msg(pin->processors[k] == processors[k], "thread %d is on %d, not on %d", k,
                      pin->processors[k], processors[k]);
}

QD_TEST(close_takes_neighbours) {
    qdi_topology machine = make_machine(2, 4, 2);
    qdi_pin pin = place(&machine, QDI_PIN_CLOSE, 6);
    expect(&pin, (int[]){0, 1, 2, 3, 4, 5});
    ck_assert_int_eq(pin.cores, 8);
    ck_assert_int_eq(pin.nodes, 2);
    ck_assert_int_eq(pin.node[3], 0);
    ck_assert_int_eq(pin.node[4], 1);
    qdi_topology_free(&machine);
}

QD_TEST(spread_takes_all_nodes_and_their_cores_evenly) {
    qdi_topology machine = make_machine(2, 4, 2);
    qdi_pin pin = place(&machine, QDI_PIN_SPREAD, 1);
    expect(&pin, (int[]){0});
    pin = place(&machine, QDI_PIN_SPREAD, 2);
    expect(&pin, (int[]){0, 4});
    pin = place(&machine, QDI_PIN_SPREAD, 4);
    expect(&pin, (int[]){0, 2, 4, 6});
    pin = place(&machine, QDI_PIN_SPREAD, 5);
    expect(&pin, (int[]){0, 1, 2, 4, 6});
    qdi_topology_free(&machine);
}

// A node of which this process has few cores gets no more threads than it has cores, but some.
QD_TEST(uneven_nodes_are_filled_evenly) {
    qdi_topology_processor processors[] = {{0, 0, 0}, {1, 1, 0}, {2, 2, 0}, {3, 3, 0}, {9, 9, 1}};
    const qdi_topology machine = {processors, 5, 5};
    qdi_pin pin = place(&machine, QDI_PIN_SPREAD, 2);
    expect(&pin, (int[]){0, 9});
    pin = place(&machine, QDI_PIN_SPREAD, 4);
    expect(&pin, (int[]){0, 1, 2, 9});
}

// More threads than cores: every processor of a core in turn, and no core has two more than another.
QD_TEST(more_threads_than_cores_wrap) {
    static const qdi_pin_policy policies[] = {QDI_PIN_CLOSE, QDI_PIN_SPREAD};
    qdi_topology machine = make_machine(2, 3, 2);
    for (size_t p = 0; p < 2; ++p) {
        qdi_pin pin = place(&machine, policies[p], 12);
        expect(&pin, (int[]){0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11});
        for (int threads = 6; threads <= 40; ++threads) {
            pin = place(&machine, policies[p], threads);
            int of_core[6] = {0}, before = 0;
            for (int k = 0; k < threads; ++k) {
                int core = pin.processors[k] % 6;
                of_core[core] += 1;
                ck_assert_int_ge(core, before); // threads that follow each other are neighbours
                before = core;
            }
            for (int i = 0; i < 6; ++i) {
                ck_assert_int_ge(of_core[i], threads / 6);
                ck_assert_int_le(of_core[i], (threads + 5) / 6);
            }
        }
    }
    qdi_topology_free(&machine);
}

QD_TEST(the_most_threads_have_a_place) {
    qdi_topology machine = make_machine(8, 64, 2);
    for (int threads = 1; threads <= QD_TEAM_MAX; threads += 31) {
        qdi_pin pin = place(&machine, QDI_PIN_SPREAD, threads);
        for (int k = 0; k < threads; ++k) {
            ck_assert_int_ge(pin.processors[k], 0);
            ck_assert_int_lt(pin.processors[k], 1024);
        }
    }
    qdi_topology_free(&machine);
}

QD_TEST(hwloc_reads_nodes_cores_and_processors) {
    int all[64];
    for (int i = 0; i < 64; ++i) all[i] = i;
    qdi_topology machine;
    qd_error error = {""};
    qd_status status = qdi_topology_read("numa:2 core:3 pu:2", all, 64, &machine, &error);
    if (!qdi_topology_known()) { // built without hwloc: refused in one line
        ck_assert_int_eq(status, QD_ERR_ARGUMENT);
        ck_assert_ptr_nonnull(strstr(error.text, "hwloc"));
        return;
    }
    ck_assert_msg(status == QD_OK, "%s", error.text);
    ck_assert_uint_eq(machine.count, 12);
    for (int i = 0; i < 12; ++i) {
        ck_assert_int_eq(machine.processors[i].number, i);
        ck_assert_int_eq(machine.processors[i].core, i / 2);
        ck_assert_int_eq(machine.processors[i].node, i / 6);
    }
    qdi_topology_free(&machine);
    ck_assert_int_eq(qdi_topology_read("numa:2 core:3 pu:2", (int[]){11, 4}, 2, &machine, &error), QD_OK);
    ck_assert_uint_eq(machine.count, 2);
    ck_assert_int_eq(machine.processors[0].number, 4);
    ck_assert_int_eq(machine.processors[1].node, 1);
    qdi_topology_free(&machine);
    ck_assert_int_eq(qdi_topology_read("numa:2 core:3 pu:2", (int[]){40}, 1, &machine, &error), QD_ERR_IO);
    ck_assert_ptr_nonnull(strstr(error.text, "no processor"));
    qdi_topology_free(&machine);
    ck_assert_int_eq(qdi_topology_read("nonsense", all, 64, &machine, &error), QD_ERR_IO);
    qdi_topology_free(&machine);
}

// Of this machine only what the process may run on is taken, as `taskset` leaves it.
QD_TEST(affinity_is_respected) {
    int allowed[64];
    qd_error error = {""};
    qdi_pin pin;
    size_t count = qdi_host_processors(allowed, 64);
    ck_assert_uint_gt(count, 0);
    if (!qdi_topology_known()) return;
    cpu_set_t last;
    CPU_ZERO(&last);
    CPU_SET((size_t)allowed[count - 1], &last);
    ck_assert_int_eq(sched_setaffinity(0, sizeof last, &last), 0);
    ck_assert_msg(qdi_pin_here(QDI_PIN_CLOSE, 2, true, &pin, &error) == QD_OK, "%s", error.text);
    ck_assert_int_eq(pin.cores, 1);
    ck_assert_int_eq(pin.processors[0], allowed[count - 1]);
    ck_assert_int_eq(pin.processors[1], allowed[count - 1]);
    cpu_set_t after;
    ck_assert_int_eq(sched_getaffinity(0, sizeof after, &after), 0);
    ck_assert(CPU_EQUAL(&last, &after)); // trying them out changes nothing
}

QD_TEST(off_looks_at_nothing) {
    qd_error error = {""};
    qdi_pin pin;
    ck_assert_int_eq(qdi_pin_here(QDI_PIN_OFF, 4, false, &pin, &error), QD_OK);
    ck_assert_int_eq(pin.threads, 0);
    ck_assert_int_eq(qdi_pin_team(&pin, NULL), QD_OK);
    ck_assert_int_eq(qdi_pin_team(NULL, NULL), QD_OK);
}

QD_TEST(a_processor_that_is_refused_is_named) {
    qd_error error = {""};
    qdi_pin pin = {.policy = QDI_PIN_CLOSE, .threads = 1, .processors = {16001}};
    ck_assert_int_eq(qdi_pin_try(&pin, &error), QD_ERR_IO);
    ck_assert_ptr_nonnull(strstr(error.text, "processor 16001"));
}

QD_TEST(values_are_checked) {
    qd_error error = {""};
    qdi_pin_policy policy = QDI_PIN_CLOSE;
    ck_assert_int_eq(qdi_pin_read(NULL, &policy, &error), QD_OK);
    ck_assert_int_eq(policy, QDI_PIN_OFF);
    ck_assert_int_eq(qdi_pin_read("off", &policy, &error), QD_OK);
    ck_assert_int_eq(policy, QDI_PIN_OFF);
    qd_status status = qdi_pin_read("spread", &policy, &error);
    ck_assert_int_eq(status, qdi_topology_known() ? QD_OK : QD_ERR_ARGUMENT);
    if (status != QD_OK) ck_assert_ptr_nonnull(strstr(error.text, "without hwloc"));
    ck_assert_int_eq(qdi_pin_read("closer", &policy, &error), QD_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "'closer'"));
}

QD_TEST(words_and_json_name_processors) {
    const qdi_pin pin = {.policy = QDI_PIN_SPREAD,
                         .threads = 5,
                         .cores = 8,
                         .nodes = 2,
                         .processors = {0, 1, 2, 5, 7},
                         .node = {0, 0, 0, 1, 1}};
    char text[100], little[12];
    qdi_pin_words(&pin, text, sizeof text);
    ck_assert_str_eq(text, "spread: threads on processors 0-2,5,7, 2 nodes");
    qdi_pin_words(&pin, little, sizeof little);
    ck_assert_str_eq(little, "spread: thr");
    qdi_json json = {.allocator = qd_allocator_default(), .dense = true};
    qdi_json_open(&json, NULL, '{');
    qdi_pin_json(&json, &pin);
    qdi_json_close(&json, '}');
    ck_assert_int_eq(json.status, QD_OK);
    ck_assert_ptr_nonnull(strstr(json.text, "[0,1,2,5,7]"));
    ck_assert_ptr_nonnull(strstr(json.text, "[0,0,0,1,1]"));
    qdi_json_free(&json);
}

QD_TEST_MAIN("pin", 60, NULL, NULL)
