#include "sim/rundir/frame_files.h"

#include "sim/rundir/own_files.h"
#include "sim/text/scene_text.h"

#include <stddef.h>
#include <string.h>

/// Added to the name of a file while it is written.
#define PART ".part"

static const char list_name[] = "manifest.csv";

/// Run directory's frames: length of a name without `.part`.
static size_t whole_length(const char *name) {
    size_t length = strlen(name);
    return qdi_ends_with(name, length, PART) ? length - strlen(PART) : length;
}

/// True for frame_<digits>.png, whole or in the making, with what the digits say, UINT64_MAX where that is
/// too much.
static bool is_picture(const char *name, uint64_t *number) {
    size_t length = whole_length(name), head = strlen("frame_"), tail = strlen(".png");
    if (length <= head + tail || memcmp(name, "frame_", head) != 0 || !qdi_ends_with(name, length, ".png"))
        return false;
    *number = 0;
    for (size_t i = head; i < length - tail; ++i) {
        if (name[i] < '0' || name[i] > '9') return false;
        uint64_t digit = (uint64_t)(name[i] - '0');
        *number = *number > (UINT64_MAX - digit) / 10 ? UINT64_MAX : 10 * *number + digit;
    }
    return true;
}

bool qdi_frame_files_is(const char *name) {
    uint64_t number;
    size_t length = whole_length(name);
    return is_picture(name, &number) || (length == strlen(list_name) && memcmp(name, list_name, length) == 0);
}

/// A picture that is whole and early enough; never the list.
static bool frame_stays(const char *name, uint64_t kept) {
    uint64_t number;
    return is_picture(name, &number) && whole_length(name) == strlen(name) && number < kept;
}

static const qdi_own_files frames = {.what = "frames", .is_ours = qdi_frame_files_is, .stays = frame_stays};

qd_status qdi_frame_files_keep(const char *directory, uint64_t kept, qd_error *error) {
    return qdi_own_files_clear(&frames, directory, kept, error);
}

qd_status qdi_frame_files_prepare(const char *directory, bool force, qd_error *error) {
    return qdi_own_files_prepare(&frames, directory, force, error);
}
