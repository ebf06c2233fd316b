#include "tools/verify/relative.h"

#include "export/process/os.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { PATH_ROOM = 8192 };

/// Relative difference: takes "", "." and ".." out of a path from the root, in place; it ends with a slash
/// then.
static void normalise_path(char *path) {
    size_t used = 1; // behind the slash of the root
    for (const char *at = path + 1; *at;) {
        size_t length = strcspn(at, "/");
        bool last = at[length] == '\0'; // where that zero is, a slash may come
        if (length == 2 && at[0] == '.' && at[1] == '.') {
            while (used > 1 && path[--used - 1] != '/') continue;
        } else if (length > 0 && !(length == 1 && at[0] == '.')) {
            memmove(path + used, at, length);
            used += length;
            path[used++] = '/';
        }
        if (last) break;
        at += length + 1;
    }
    path[used] = '\0';
}

qd_status qdi_relative_path(const char *file, const char *to, char *way, size_t bytes, qd_error *error) {
    char from[PATH_ROOM + 1], there[PATH_ROOM + 1]; // tidying may add a slash
    qd_status status = qdi_path_from_root(file, from, PATH_ROOM, error);
    if (status == QD_OK) status = qdi_path_from_root(to, there, PATH_ROOM, error);
    if (status != QD_OK) return status;
    strrchr(from, '/')[1] = '\0'; // its folder
    normalise_path(from);
    normalise_path(there);
    size_t same = 0; // behind the last slash that both have
    for (size_t i = 0; from[i] && from[i] == there[i]; ++i)
        if (from[i] == '/') same = i + 1;
    size_t used = 0;
    for (const char *c = from + same; *c; ++c) {
        if (*c != '/') continue;
        if (used < bytes) (void)snprintf(way + used, bytes - used, "../");
        used += 3;
    }
    if (used < bytes) (void)snprintf(way + used, bytes - used, "%s", there + same);
    if (used + strlen(there + same) < bytes) return QD_OK;
    if (error)
        (void)snprintf(error->text, sizeof error->text, "the way from %.200s to %.200s is too long", file,
                       to);
    return QD_ERR_VALUE;
}
