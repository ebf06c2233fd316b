#include "tools/host/pin.h"

#include "core/base/memory.h"
#include "core/base/os.h"
#include "core/parallel/parallel.h"
#include "tools/host/console.h"
#include "tools/host/os.h"

#include <stdio.h>
#include <string.h>

enum { MOST_PROCESSORS = 1 << 14 };

static const char *const policy_names[] = {"off", "close", "spread"};
enum { POLICIES = sizeof policy_names / sizeof policy_names[0] };

qd_status qdi_pin_read(const char *text, qdi_pin_policy *policy, qd_error *error) {
    *policy = QDI_PIN_OFF;
    if (!text) return QD_OK;
    for (size_t i = 0; i < POLICIES; ++i) {
        if (strcmp(text, policy_names[i]) != 0) continue;
        *policy = (qdi_pin_policy)i;
        if (i == QDI_PIN_OFF || qdi_topology_known()) return QD_OK;
        snprintf(error->text, sizeof error->text,
                 "--pin: this program was built without hwloc (-DQD_HWLOC=OFF)");
        return QD_ERR_ARGUMENT;
    }
    snprintf(error->text, sizeof error->text, "--pin: '%.60s' is none of close, spread and off", text);
    return QD_ERR_ARGUMENT;
}

const char *qdi_pin_name(qdi_pin_policy policy) {
    return policy_names[policy];
}

// ---- the rule ----

// A core, or a node, as a part of the list of processors, which has all of each one after the other.
typedef struct part {
    size_t begin, end; // processors of a core; cores of a node
    int threads;       // that it gets
} part;

// Pinning: the parts of the list that have one core each, or one node. Returns how many.
static size_t find_cores(const qdi_topology *topology, part *cores) {
    size_t count = 0;
    for (size_t i = 0; i < topology->count; ++i) {
        if (i == 0 || topology->processors[i].core != topology->processors[i - 1].core)
            cores[count++] = (part){.begin = i};
        cores[count - 1].end = i + 1;
    }
    return count;
}

// Pinning: the same of nodes, whose parts count cores.
static size_t find_nodes(const qdi_topology *topology, const part *cores, size_t core_count, part *nodes) {
    size_t count = 0;
    int before = -1;
    for (size_t i = 0; i < core_count; ++i) {
        int node = topology->processors[cores[i].begin].node;
        if (i == 0 || node != before) nodes[count++] = (part){.begin = i};
        nodes[count - 1].end = i + 1;
        before = node;
    }
    return count;
}

// Pinning: which nodes get how many of so many threads, no more than there are cores: one by one to that with
// the fewest, so that none stays empty.
static void spread_over_nodes(part *nodes, size_t count, int threads) {
    for (int k = 0; k < threads; ++k) {
        part *least = NULL;
        for (size_t i = 0; i < count; ++i) {
            bool full = (size_t)nodes[i].threads == nodes[i].end - nodes[i].begin;
            if (!full && (!least || nodes[i].threads < least->threads)) least = &nodes[i];
        }
        if (least) least->threads += 1;
    }
}

// Pinning: gives each core its threads. More threads than cores: each as many as the others, and those left
// over evenly.
static void spread_over_cores(part *cores, size_t count, size_t threads) {
    if (count == 0) return;
    for (size_t i = 0; i < count; ++i) cores[i].threads += (int)(threads / count);
    size_t left = threads % count;
    for (size_t k = 0; k < left; ++k) cores[k * count / left].threads += 1;
}

// Pinning: how many threads each core gets.
static void choose_cores(qdi_pin_policy policy, size_t threads, part *cores, size_t count, part *nodes,
                         size_t node_count) {
    if (threads >= count) {
        spread_over_cores(cores, count, threads);
    } else if (policy == QDI_PIN_SPREAD) {
        spread_over_nodes(nodes, node_count, (int)threads);
        for (size_t i = 0; i < node_count; ++i)
            spread_over_cores(cores + nodes[i].begin, nodes[i].end - nodes[i].begin,
                              (size_t)nodes[i].threads);
    } else {
        for (size_t k = 0; k < threads; ++k) cores[k].threads = 1;
    }
}

qd_status qdi_pin_place(const qdi_topology *topology, qdi_pin_policy policy, int threads, qdi_pin *pin) {
    const qd_allocator *allocator = qd_allocator_default();
    part *parts = qdi_allocate(allocator, 2 * topology->count, sizeof *parts);
    if (!parts) return QD_ERR_MEMORY;
    part *cores = parts, *nodes = parts + topology->count;
    size_t count = find_cores(topology, cores), node_count = find_nodes(topology, cores, count, nodes);
    choose_cores(policy, (size_t)threads, cores, count, nodes, node_count);
    *pin = (qdi_pin){.policy = policy, .threads = threads, .cores = (int)count, .nodes = (int)node_count};
    int thread = 0;
    for (size_t i = 0; i < count; ++i)
        for (int k = 0; k < cores[i].threads; ++k, ++thread) {
            size_t of_core = (size_t)k % (cores[i].end - cores[i].begin);
            const qdi_topology_processor *processor = &topology->processors[cores[i].begin + of_core];
            pin->processors[thread] = processor->number;
            pin->node[thread] = processor->node;
        }
    qdi_release(allocator, parts, 2 * topology->count, sizeof *parts);
    return QD_OK;
}

// ---- this machine ----

qd_status qdi_pin_try(const qdi_pin *pin, qd_error *error) {
    for (int k = 0; k < pin->threads; ++k) {
        qdi_os_affinity before;
        if (!qdi_os_bind(pin->processors[k], &before)) {
            snprintf(error->text, sizeof error->text,
                     "--pin: the system lets no thread be bound to processor %d", pin->processors[k]);
            return QD_ERR_IO;
        }
        qdi_os_unbind(&before);
    }
    return QD_OK;
}

// Pinning: reads the machine, of which this process has so many processors.
static qd_status place_here(qdi_pin_policy policy, int threads, const int *allowed, size_t count,
                            qdi_pin *pin, qd_error *error) {
    qdi_topology topology;
    qd_error reason = {""};
    qd_status status = qdi_topology_read(NULL, allowed, count, &topology, &reason);
    if (status == QD_OK) status = qdi_pin_place(&topology, policy, threads, pin);
    qdi_topology_free(&topology);
    if (reason.text[0]) snprintf(error->text, sizeof error->text, "--pin: %.400s", reason.text);
    return status == QD_OK ? qdi_pin_try(pin, error) : status;
}

qd_status qdi_pin_here(qdi_pin_policy policy, int threads, bool quiet, qdi_pin *pin, qd_error *error) {
    *pin = (qdi_pin){.policy = policy};
    if (policy == QDI_PIN_OFF) return QD_OK;
    const qd_allocator *allocator = qd_allocator_default();
    int *allowed = qdi_allocate(allocator, MOST_PROCESSORS, sizeof *allowed);
    if (!allowed) return QD_ERR_MEMORY;
    size_t count = qdi_host_processors(allowed, MOST_PROCESSORS);
    qd_status status = place_here(policy, threads, allowed, count, pin, error);
    qdi_release(allocator, allowed, MOST_PROCESSORS, sizeof *allowed);
    if (status == QD_OK && threads > pin->cores && !quiet)
        qdi_warn("--pin %s: %d threads on %d core%s, so that some share one", policy_names[policy], threads,
                 pin->cores, pin->cores == 1 ? "" : "s");
    return status;
}

qd_status qdi_pin_team(const qdi_pin *pin, qd_team *team) {
    if (!pin || pin->threads == 0) return QD_OK;
    return qdi_team_bind(team, pin->processors, (size_t)pin->threads);
}

// ---- what is told of it ----

void qdi_pin_words(const qdi_pin *pin, char *text, size_t bytes) {
    int written = snprintf(text, bytes, "%s", policy_names[pin->policy]);
    size_t used = written > 0 ? (size_t)written : 0;
    for (int k = 0, last; k < pin->threads && used < bytes; k = last + 1) {
        for (last = k; last + 1 < pin->threads && pin->processors[last + 1] == pin->processors[last] + 1;)
            ++last;
        const char *between = k == 0 ? ": threads on processors " : ",";
        written = last > k ? snprintf(text + used, bytes - used, "%s%d-%d", between, pin->processors[k],
                                      pin->processors[last])
                           : snprintf(text + used, bytes - used, "%s%d", between, pin->processors[k]);
        used += written > 0 ? (size_t)written : 0;
    }
    if (used < bytes && pin->nodes > 1) (void)snprintf(text + used, bytes - used, ", %d nodes", pin->nodes);
}

void qdi_pin_json(qdi_json *json, const qdi_pin *pin) {
    qdi_json_text(json, "pin", policy_names[pin->policy]);
    if (pin->threads == 0) return;
    qdi_json_open(json, "processors", '[');
    for (int k = 0; k < pin->threads; ++k) qdi_json_whole(json, NULL, (uint64_t)pin->processors[k]);
    qdi_json_close(json, ']');
    qdi_json_open(json, "nodes", '[');
    for (int k = 0; k < pin->threads; ++k) qdi_json_whole(json, NULL, (uint64_t)pin->node[k]);
    qdi_json_close(json, ']');
}
