#include "tools/cmd/video_beside.h"

#include "export/video/video_impl.h"
#include "sim/files/os.h"
#include "sim/rundir/run_files.h"
#include "tools/host/console.h"
#include "tools/host/exit_codes.h"
#include "tools/host/failure.h"
#include "tools/verify/course.h"

#include <inttypes.h>
#include <quadrille/compare.h>
#include <stdio.h>
#include <string.h>

enum { PATH_ROOM = 4096, MOST_KEYS = 3, KEY_ROOM = 96, VALUE_ROOM = 48 };

int qdi_beside_scene(const char *directory, qd_scene **scene) {
    char path[PATH_ROOM];
    qd_error error = {""};
    *scene = NULL;
    if (!qdi_os_is_directory(directory)) {
        qdi_complain("there is no directory %s", directory);
        return QDI_EXIT_SCENE;
    }
    qd_status status = qdi_run_files_check(directory, &error);
    if (status != QD_OK) return qdi_fail(status, &error, QDI_EXIT_OUTPUT);
    int length = snprintf(path, sizeof path, "%s/scene.yaml", directory);
    if (length <= 0 || length >= PATH_ROOM || !qdi_os_is_file(path)) return QDI_EXIT_DONE;
    status = qd_scene_read(path, NULL, scene, &error);
    return status == QD_OK ? QDI_EXIT_DONE : qdi_fail(status, &error, QDI_EXIT_SCENE);
}

// ---- captions ----

/// The keys that some scene has otherwise than the first.
typedef struct key_table {
    size_t run; ///< that is compared with the first now
    size_t count;
    char keys[MOST_KEYS][KEY_ROOM];
    char values[MOST_KEYS][QDI_MONTAGE_MOST][VALUE_ROOM]; ///< "": as that of the first
} key_table;

/// Command video --beside: whether a key says only what is written down of a run.
static bool is_of_output(const char *key) {
    static const char *const heads[] = {"frames.",     "video.",    "record.",
                                        "checkpoint.", "run.steps", "view.size"};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; ++i)
        if (strncmp(key, heads[i], strlen(heads[i])) == 0) return true;
    return false;
}

/// Command video --beside: notes a key that differs; false where there are too many for a caption.
static bool note_key(void *context, const char *key, const char *first, const char *second) {
    key_table *table = context;
    if (is_of_output(key)) return true;
    size_t row = 0;
    while (row < table->count && strcmp(table->keys[row], key) != 0) ++row;
    if (row == MOST_KEYS || strlen(key) >= KEY_ROOM) {
        table->count = MOST_KEYS + 1;
        return false;
    }
    if (row == table->count) {
        snprintf(table->keys[row], KEY_ROOM, "%s", key);
        table->count += 1;
    }
    snprintf(table->values[row][0], VALUE_ROOM, "%s", first ? first : "none");
    snprintf(table->values[row][table->run], VALUE_ROOM, "%s", second ? second : "none");
    return true;
}

/// What the scenes differ in, as captions; false where that is nothing, or too much, or a run has no scene.
static bool caption_by_keys(qdi_beside *beside) {
    key_table table = {.count = 0};
    for (size_t i = 0; i < beside->count; ++i)
        if (!beside->runs[i].scene) return false;
    for (size_t i = 1; i < beside->count && table.count <= MOST_KEYS; ++i) {
        table.run = i;
        if (qd_scene_compare(beside->runs[0].scene, beside->runs[i].scene, note_key, &table, NULL) != QD_OK)
            return false;
    }
    if (table.count == 0 || table.count > MOST_KEYS) return false;
    for (size_t i = 0; i < beside->count; ++i) {
        char *text = beside->runs[i].caption;
        size_t used = 0, room = sizeof beside->runs[i].caption;
        for (size_t row = 0; row < table.count && used < room; ++row) {
            const char *own = table.values[row][i], *value = *own ? own : table.values[row][0];
            bool named = strcmp(table.keys[row], "name") == 0;
            used += (size_t)snprintf(text + used, room - used, "%s%s%s%s", row > 0 ? ", " : "",
                                     named ? "" : table.keys[row], named ? "" : ": ", value);
        }
    }
    return true;
}

/// Command video --beside: the last part of a path.
static const char *base_name(const char *path, int *length) {
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/') --end;
    size_t from = end;
    while (from > 0 && path[from - 1] != '/') --from;
    *length = (int)(end - from);
    return path + from;
}

/// Command video --beside: the names of the directories, or where two of these are the same their paths.
static void caption_by_names(qdi_beside *beside) {
    bool alike = false;
    for (size_t i = 0; i < beside->count; ++i) {
        int length;
        const char *name = base_name(beside->runs[i].directory, &length);
        snprintf(beside->runs[i].caption, sizeof beside->runs[i].caption, "%.*s", length, name);
        for (size_t k = 0; k < i; ++k)
            alike = alike || strcmp(beside->runs[i].caption, beside->runs[k].caption) == 0;
    }
    for (size_t i = 0; i < beside->count && alike; ++i)
        snprintf(beside->runs[i].caption, sizeof beside->runs[i].caption, "%s", beside->runs[i].directory);
}

/// Command video --beside: chooses what stands below each of the pictures.
static void choose_captions(qdi_beside *beside, const qdi_option_list *titles) {
    beside->plan.captions = titles->count == 0;
    for (size_t i = 0; i < titles->count; ++i) {
        snprintf(beside->runs[i].caption, sizeof beside->runs[i].caption, "%s", titles->items[i]);
        if (titles->items[i][0]) beside->plan.captions = true;
    }
    if (titles->count == 0 && !caption_by_keys(beside)) caption_by_names(beside);
}

/// Scenes and their hashes, as many as there is room for; a run that is there twice is named once.
static void name_scenes(qdi_beside *beside) {
    size_t used = 0;
    for (size_t i = 0; i < beside->count; ++i) {
        const qd_scene *scene = beside->runs[i].scene;
        bool known = !scene;
        for (size_t k = 0; k < i && !known; ++k)
            known = beside->runs[k].scene && qd_scene_hash(beside->runs[k].scene) == qd_scene_hash(scene);
        char name[96];
        if (known) continue;
        int length = snprintf(name, sizeof name, "%s%.64s %016" PRIx64, used > 0 ? ", " : "",
                              qd_scene_name(scene), qd_scene_hash(scene));
        if (used + (size_t)length >= sizeof beside->names) return;
        memcpy(beside->names + used, name, (size_t)length + 1);
        used += (size_t)length;
    }
}

// ---- frames ----

/// Command video --beside: the stages of a run so far; false where they cannot be read.
static bool read_course(const char *directory, qdi_course *course) {
    char path[PATH_ROOM + 16];
    qd_error error = {""};
    snprintf(path, sizeof path, "%s/run.db", directory);
    qd_store *store = NULL;
    qd_status status = qd_store_open(path, QD_STORE_READ, NULL, &store, &error);
    if (status == QD_OK) status = qdi_course_read(store, course, &error);
    const qd_status closed = qd_store_close(store, NULL);
    (void)closed; // nothing was written
    return status == QD_OK;
}

/// A run that is not complete has no manifest.csv, but its scene says when frames are due.
static void time_by_scene(qdi_beside_run *run) {
    qdi_frame_list *list = &run->list;
    if (list->timed || !run->scene) return;
    const qd_scene_run plan = qd_scene_run_settings(run->scene);
    qdi_course course = {.count = 0};
    bool timed = qd_scene_stages(run->scene) == 0 || read_course(run->directory, &course);
    for (size_t i = 0; i < list->count && timed; ++i) {
        uint64_t step = 0;
        timed = qdi_course_frame_step(&course, run->scene, list->entries[i].number, &step);
        list->entries[i].time = (double)step * plan.dt;
    }
    list->timed = timed;
}

/// Command video --beside: where one of the runs does not say when its frames are, frames go by their numbers
/// in all of them.
static void agree_on_times(qdi_beside *beside) {
    bool timed = true;
    for (size_t i = 0; i < beside->count; ++i) timed = timed && beside->runs[i].list.timed;
    for (size_t i = 0; i < beside->count && !timed; ++i) {
        qdi_frame_list *list = &beside->runs[i].list;
        for (size_t k = 0; k < list->count; ++k) list->entries[k].time = (double)list->entries[k].number;
    }
}

/// Command video --beside: of the pictures that the runs give the wanted ones, whose frames have to be there.
static int choose_pictures(qdi_beside *beside, uint64_t first, uint64_t last, bool quiet) {
    const qdi_frame_list *lists[QDI_MONTAGE_MOST];
    for (size_t i = 0; i < beside->count; ++i) lists[i] = &beside->runs[i].list;
    if (qdi_frame_pace_find(lists, beside->count, &beside->pace) != QD_OK) {
        qdi_complain(
            "the times of these runs have so little in common that there would be more than %d pictures",
            QDI_FRAME_PACE_MOST);
        return QDI_EXIT_OUTPUT;
    }
    const qdi_frame_pace *pace = &beside->pace;
    if (first >= pace->count) {
        qdi_complain("--frames: there are %zu pictures, and none of these", pace->count);
        return QDI_EXIT_OUTPUT;
    }
    size_t end = last < pace->count ? (size_t)last : pace->count - 1;
    beside->first = (size_t)first;
    beside->pictures = end - beside->first + 1;
    for (size_t i = 0; i < beside->count; ++i) {
        qd_error error = {""};
        qd_status status = qdi_frame_list_check(lists[i], qdi_frame_pace_place(pace, lists[i], beside->first),
                                                qdi_frame_pace_place(pace, lists[i], end), &error);
        if (status != QD_OK) return qdi_fail(status, &error, QDI_EXIT_OUTPUT);
        if (!quiet && qdi_frame_pace_is_over(pace, lists[i], end))
            fprintf(stderr, "note: %s ends earlier than others: its last frame stays\n",
                    beside->runs[i].directory);
    }
    return QDI_EXIT_DONE;
}

int qdi_beside_open(qdi_beside *beside, const qdi_option_list *directories, const qdi_option_list *titles,
                    uint64_t first, uint64_t last, bool quiet) {
    beside->count = directories->count;
    for (size_t i = 0; i < beside->count; ++i) {
        qdi_beside_run *run = &beside->runs[i];
        qd_error error = {""};
        run->directory = directories->items[i];
        int exit_code = qdi_beside_scene(run->directory, &run->scene);
        if (exit_code != QDI_EXIT_DONE) return exit_code;
        qd_status status = qdi_frame_list_find(run->directory, 0, UINT64_MAX, &run->list, &error);
        if (status != QD_OK) return qdi_fail(status, &error, QDI_EXIT_OUTPUT);
        time_by_scene(run);
    }
    agree_on_times(beside);
    choose_captions(beside, titles);
    name_scenes(beside);
    return choose_pictures(beside, first, last, quiet);
}

// ---- pictures ----

/// Command video --beside: writes the caption of a run; of one that has ended with a word that says so.
static qd_status write_caption(qdi_beside *beside, size_t number) {
    const qdi_beside_run *run = &beside->runs[number];
    char text[sizeof run->caption + 16];
    snprintf(text, sizeof text, "%s%s", run->caption, run->over ? " (ended)" : "");
    return qdi_montage_caption(&beside->montage, number, text);
}

/// Command video --beside: brings what the montage has of a run to picture `picture` of the pace; `begin`: it
/// has nothing yet.
static qd_status show(qdi_beside *beside, size_t number, size_t picture, bool begin, qd_error *error) {
    qdi_beside_run *run = &beside->runs[number];
    size_t place = qdi_frame_pace_place(&beside->pace, &run->list, picture);
    bool over = qdi_frame_pace_is_over(&beside->pace, &run->list, picture);
    qd_status status = QD_OK;
    if (begin || over != run->over) {
        run->over = over;
        status = write_caption(beside, number);
    }
    if (status != QD_OK || (!begin && place == run->shown)) return status;
    const qdi_frame_path path = qdi_frame_list_path(&run->list, place);
    qdi_png_loaded loaded;
    status = qdi_png_load(path.text, qd_allocator_default(), &loaded, error);
    if (status != QD_OK) return status;
    status = qdi_montage_put(&beside->montage, number, &loaded);
    if (status == QD_ERR_CORRUPT)
        snprintf(error->text, sizeof error->text, "%.300s has another size than the frames before",
                 path.text);
    qdi_png_unload(qd_allocator_default(), &loaded);
    run->shown = place;
    return status;
}

int qdi_beside_begin(qdi_beside *beside, bool true_colour) {
    qdi_png_loaded loaded[QDI_MONTAGE_MOST];
    size_t count = 0;
    qd_error error = {""};
    qd_status status = QD_OK;
    qdi_montage_destroy(&beside->montage);
    for (; count < beside->count && status == QD_OK; ++count) {
        const qdi_frame_list *list = &beside->runs[count].list;
        size_t place = qdi_frame_pace_place(&beside->pace, list, beside->first);
        status = qdi_png_load(qdi_frame_list_path(list, place).text, qd_allocator_default(), &loaded[count],
                              &error);
    }
    beside->plan.true_colour = true_colour;
    if (status == QD_OK)
        status = qdi_montage_create(qd_allocator_default(), &beside->plan, loaded, count, &beside->montage,
                                    &error);
    for (size_t i = 0; i < count; ++i) qdi_png_unload(qd_allocator_default(), &loaded[i]);
    for (size_t i = 0; i < beside->count && status == QD_OK; ++i)
        status = show(beside, i, beside->first, true, &error);
    return status == QD_OK ? QDI_EXIT_DONE : qdi_fail(status, &error, QDI_EXIT_OUTPUT);
}

qd_status qdi_beside_add(qdi_beside *beside, qd_video *video, size_t number, qd_error *error) {
    qd_status status = QD_OK;
    for (size_t i = 0; i < beside->count && status == QD_OK; ++i)
        status = show(beside, i, beside->first + number, false, error);
    if (status != QD_OK) return status;
    const qdi_montage *montage = &beside->montage;
    const qdi_video_picture picture = {montage->width,   montage->height,
                                       montage->pixels,  montage->colours > 0 ? montage->rgb : NULL,
                                       montage->colours, NULL};
    return qdi_video_add(video, &picture, error);
}

void qdi_beside_end(qdi_beside *beside) {
    for (size_t i = 0; i < beside->count; ++i) {
        qdi_frame_list_free(&beside->runs[i].list);
        qd_scene_destroy(beside->runs[i].scene);
    }
    qdi_montage_destroy(&beside->montage);
}
