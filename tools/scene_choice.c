#include "tools/scene_choice.h"

#include "sim/os.h"
#include "tools/console.h"
#include "tools/exit_codes.h"
#include "tools/failure.h"

#include <string.h>

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/// Whether a name is meant as a file: it looks like one, or is one.
static bool names_a_file(const char *name) {
    return strchr(name, '/') || ends_with(name, ".yaml") || ends_with(name, ".yml") ||
           ends_with(name, ".json") || qdi_os_is_file(name);
}

int qdi_scene_choose(const char *name, const qd_scene_changes *changes, qd_scene **scene) {
    qd_error error = {""};
    bool file = names_a_file(name);
    qd_status status = file ? qd_scene_read(name, changes, scene, &error)
                            : qd_scene_builtin(name, changes, scene, &error);
    if (status == QD_OK) return QDI_EXIT_DONE;
    if (status == QD_ERR_NOT_FOUND && !file) {
        qdi_complain("%s (`quadrille scenes` lists them; a file's name ends in .yaml)",
                     qdi_failure_reason(status, &error));
        return QDI_EXIT_SCENE;
    }
    return qdi_fail(status, &error, status == QD_ERR_ARGUMENT ? QDI_EXIT_USAGE : QDI_EXIT_SCENE);
}
