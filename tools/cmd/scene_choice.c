#include "tools/cmd/scene_choice.h"

#include "core/base/memory.h"
#include "sim/files/os.h"
#include "sim/scene/scene_impl.h"
#include "sim/text/scene_text.h"
#include "tools/host/console.h"
#include "tools/host/exit_codes.h"
#include "tools/host/failure.h"

#include <stdio.h>
#include <string.h>

/// Command's scene: whether a name is meant as a file: it looks like one, or is one.
static bool names_a_file(const char *name) {
    return strchr(name, '/') || qdi_ends_with(name, strlen(name), ".yaml") ||
           qdi_ends_with(name, strlen(name), ".yml") || qdi_ends_with(name, strlen(name), ".json") ||
           qdi_os_is_file(name);
}

char *qdi_scene_take_input(size_t *bytes, size_t *room) {
    enum { PIECE = 1 << 16 };
    const qd_allocator *allocator = qd_allocator_default();
    char *text = NULL;
    *bytes = *room = 0;
    for (size_t got = PIECE; got == PIECE && *bytes <= QDI_SCENE_BYTES_MAX; *bytes += got) {
        if (qdi_reserve(allocator, &text, room, *bytes, *bytes + PIECE, 1) != QD_OK) {
            qdi_complain("out of memory");
            qdi_release(allocator, text, *room, 1);
            return NULL;
        }
        got = fread(text + *bytes, 1, PIECE, stdin);
    }
    if (!ferror(stdin)) return text;
    qdi_complain("the standard input cannot be read");
    qdi_release(allocator, text, *room, 1);
    return NULL;
}

int qdi_scene_choose_text(const char *text, size_t bytes, const qd_scene_changes *changes, qd_scene **scene) {
    qd_error error = {""};
    qd_status status = qd_scene_parse(text, bytes, "stdin", changes, scene, &error);
    if (status == QD_OK) return QDI_EXIT_DONE;
    return qdi_fail(status, &error, status == QD_ERR_ARGUMENT ? QDI_EXIT_USAGE : QDI_EXIT_SCENE);
}

/// The file beside a missing one that differs in its ending only: .yaml for .yml and the other way round, or
/// with .yaml behind it. False where there is none.
static bool find_twin_file(const char *name, char *twin, size_t room) {
    static const char *const endings[][2] = {{".yml", ".yaml"}, {".yaml", ".yml"}, {"", ".yaml"}};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; ++i) {
        if (!qdi_ends_with(name, strlen(name), endings[i][0])) continue;
        int length = snprintf(twin, room, "%.*s%s", (int)(strlen(name) - strlen(endings[i][0])), name,
                              endings[i][1]);
        if (length > 0 && (size_t)length < room && qdi_os_is_file(twin)) return true;
    }
    return false;
}

int qdi_scene_choose(const char *name, const qd_scene_changes *changes, qd_scene **scene) {
    qd_error error = {""};
    bool file = names_a_file(name);
    qd_status status = file ? qd_scene_read(name, changes, scene, &error)
                            : qd_scene_builtin(name, changes, scene, &error);
    if (status == QD_OK) return QDI_EXIT_DONE;
    char twin[256];
    if (!qdi_os_is_file(name) && find_twin_file(name, twin, sizeof twin)) {
        qdi_complain("%s; did you mean \"%s\"?", qdi_failure_reason(status, &error), twin);
        return QDI_EXIT_SCENE;
    }
    if (status == QD_ERR_NOT_FOUND && !file) {
        qdi_complain("%s (`quadrille scenes` lists them; a file's name ends in .yaml)",
                     qdi_failure_reason(status, &error));
        return QDI_EXIT_SCENE;
    }
    return qdi_fail(status, &error, status == QD_ERR_ARGUMENT ? QDI_EXIT_USAGE : QDI_EXIT_SCENE);
}

bool qdi_scene_tells_tree_unasked(const qd_scene *scene) {
    return !scene->says_text && (scene->settings.view.text & QD_VIEW_TEXT_NODES) != 0;
}
