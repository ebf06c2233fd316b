#include "tools/host/topology.h"

#include "core/base/memory.h"

#include <stdio.h>
#ifdef QD_HWLOC
#    include <hwloc.h>
#endif

// Topology: frees the list of processors.
void qdi_topology_free(qdi_topology *topology) {
    qdi_release(qd_allocator_default(), topology->processors, topology->room, sizeof *topology->processors);
    *topology = (qdi_topology){NULL, 0, 0};
}

#ifdef QD_HWLOC

bool qdi_topology_known(void) {
    return true;
}

// Topology: whether a number is in a list.
static bool is_in_list(int number, const int *list, size_t count) {
    for (size_t i = 0; i < count; ++i)
        if (list[i] == number) return true;
    return false;
}

// Topology: copies the processors that hwloc has found.
static qd_status take_processors(hwloc_topology_t machine, const int *allowed, size_t allowed_count,
                                 qdi_topology *topology) {
    int all = hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_PU);
    topology->room = all > 0 ? (size_t)all : 1;
    topology->processors = qdi_allocate(qd_allocator_default(), topology->room, sizeof *topology->processors);
    if (!topology->processors) {
        topology->room = 0;
        return QD_ERR_MEMORY;
    }
    for (int i = 0; i < all; ++i) {
        hwloc_obj_t unit = hwloc_get_obj_by_type(machine, HWLOC_OBJ_PU, (unsigned)i);
        if (!is_in_list((int)unit->os_index, allowed, allowed_count)) continue;
        hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(machine, HWLOC_OBJ_CORE, unit);
        int node = unit->nodeset ? hwloc_bitmap_first(unit->nodeset) : 0;
        topology->processors[topology->count++] = (qdi_topology_processor){
            (int)unit->os_index, (int)(core ? core->logical_index : unit->logical_index),
            node > 0 ? node : 0};
    }
    return QD_OK;
}

qd_status qdi_topology_read(const char *synthetic, const int *allowed, size_t allowed_count,
                            qdi_topology *topology, qd_error *error) {
    *topology = (qdi_topology){NULL, 0, 0};
    hwloc_topology_t machine;
    if (hwloc_topology_init(&machine) != 0) return QD_ERR_MEMORY;
    bool good = (!synthetic || hwloc_topology_set_synthetic(machine, synthetic) == 0) &&
                hwloc_topology_load(machine) == 0;
    qd_status status = good ? take_processors(machine, allowed, allowed_count, topology) : QD_ERR_IO;
    hwloc_topology_destroy(machine);
    if (status == QD_OK && topology->count == 0) status = QD_ERR_IO;
    if (status == QD_ERR_IO)
        snprintf(error->text, sizeof error->text, "hwloc finds no processor that this process may run on");
    return status;
}

#else

bool qdi_topology_known(void) {
    return false;
}

qd_status qdi_topology_read(const char *synthetic, const int *allowed, size_t allowed_count,
                            qdi_topology *topology, qd_error *error) {
    (void)synthetic;
    (void)allowed;
    (void)allowed_count;
    *topology = (qdi_topology){NULL, 0, 0};
    snprintf(error->text, sizeof error->text, "this program was built without hwloc (-DQD_HWLOC=OFF)");
    return QD_ERR_ARGUMENT;
}

#endif
