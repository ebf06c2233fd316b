#include "sim/rundir/export_files.h"

#include "sim/rundir/own_files.h"

#include <string.h>

/// Added to the name of a file while it is written.
#define PART ".part"

static const char *const names[] = {"bodies.lammpstrj", "bodies.xyz",       "bodies.csv",  "contacts.csv",
                                    "nodes.csv",        "events.csv",       "metrics.csv", "fields.csv",
                                    "bodies.pvd",       "shapes.pvd",       "nodes.pvd",   "contacts.pvd",
                                    "fields.pvd",       "distributions.csv"};
static const char *const series[] = {"bodies_", "shapes_", "nodes_", "contacts_", "fields_"};

// Run directory's exports: whether a name is that of a numbered VTK file.
static bool is_vtp_series(const char *name, size_t length, const char *head) {
    size_t at = strlen(head), tail = strlen(".vtp");
    if (length <= at + tail || memcmp(name, head, at) != 0 ||
        memcmp(name + length - tail, strcmp(head, "fields_") == 0 ? ".vti" : ".vtp", tail) != 0)
        return false;
    while (at < length - tail && name[at] >= '0' && name[at] <= '9') ++at;
    return at == length - tail;
}

bool qdi_export_files_is(const char *name) {
    size_t length = strlen(name), part = strlen(PART);
    if (length >= part && strcmp(name + length - part, PART) == 0) length -= part;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0) return true;
    for (size_t i = 0; i < sizeof series / sizeof series[0]; ++i)
        if (is_vtp_series(name, length, series[i])) return true;
    return false;
}

static const qdi_own_files exported = {.what = "exported files", .is_ours = qdi_export_files_is};

qd_status qdi_export_files_clear(const char *directory, qd_error *error) {
    return qdi_own_files_clear(&exported, directory, 0, error);
}

qd_status qdi_export_files_prepare(const char *directory, bool force, qd_error *error) {
    return qdi_own_files_prepare(&exported, directory, force, error);
}
