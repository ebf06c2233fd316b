#include "sim/files/os.h"
#include "sim/scene/yaml.h"
#include "sim/text/number.h"
#include "tools/verify/verify.h"

#include <inttypes.h>
#include <quadrille/frame.h>
#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 4096 + 64, LINE_SIZE = 256, RESULT_MOST = 1 << 16 };

// Adds a finding about a file of the run.
static void add_file_finding(qdi_findings *findings, const char *table, uint64_t number, const char *words) {
    const qdi_finding finding = {table, number, words, NULL};
    qdi_findings_add(findings, &finding);
}

// ---- result.json ----

/// Verified files: JSON is YAML, and there is a reader for that.
static bool read_result(const char *text, size_t bytes, qdi_verify_result *result) {
    qdi_yaml yaml = {.allocator = qd_allocator_default()};
    qdi_yaml_ref root = 0;
    qdi_yaml_fault fault;
    bool good = qdi_yaml_read(&yaml, text, bytes, 0, &root, &fault) == QD_OK && root &&
                yaml.nodes[root].kind == QDI_YAML_MAP;
    if (good) {
        qdi_yaml_ref steps = qdi_yaml_find(&yaml, root, "steps", 5);
        qdi_yaml_ref hash = qdi_yaml_find(&yaml, root, "state_hash", 10);
        const qdi_yaml_node *count = &yaml.nodes[steps], *state = &yaml.nodes[hash];
        good = steps && hash && qdi_integer_read(yaml.chars + count->text, count->bytes, &result->steps) &&
               qdi_hash_read(yaml.chars + state->text, state->bytes, &result->state_hash);
    }
    qdi_yaml_release(&yaml);
    return good;
}

qdi_verify_result qdi_verify_read_result(const qdi_recorded *past, qdi_findings *findings) {
    char path[PATH_SIZE], text[RESULT_MOST];
    snprintf(path, sizeof path, "%s/result.json", past->directory);
    FILE *file = NULL;
    qdi_verify_result result = {false, 0, 0};
    if (qdi_os_open(path, QDI_OS_OWN, &file, NULL) != QD_OK) return result;
    size_t bytes = fread(text, 1, sizeof text, file);
    fclose(file);
    result.there = bytes < sizeof text && read_result(text, bytes, &result) &&
                   result.steps <= past->plan.steps;
    if (!result.there)
        add_file_finding(findings, "result.json", QDI_NO_STEP,
                         "it does not say how many steps were made to which state");
    return result;
}

// ---- frames ----

/// manifest.csv, row by row.
typedef struct manifest {
    FILE *file;
    bool over;
    bool staged; ///< its rows name stages; those of older versions do not
    uint64_t rows;
} manifest;

/// Opens the list of frames and takes its header away; false where there is none.
static bool open_manifest(const qdi_recorded *past, manifest *list) {
    char path[PATH_SIZE], line[LINE_SIZE];
    snprintf(path, sizeof path, "%s/frames/manifest.csv", past->directory);
    *list = (manifest){.file = NULL};
    qd_status status = qdi_os_open(path, QDI_OS_OWN, &list->file, NULL);
    list->over = status != QD_OK || !fgets(line, sizeof line, list->file);
    list->staged = !list->over && strcmp(line, "index,step,time,pixels,stage\n") == 0;
    return list->file != NULL;
}

// Verified files: writes the row that manifest.csv should have for a frame; `stage` NULL: without one.
static void write_frame_row(const qd_store_frame *frame, const char *stage, char line[LINE_SIZE]) {
    char time[QDI_NUMBER_ROOM];
    (void)qdi_number_write(frame->time, time);
    snprintf(line, LINE_SIZE, "%" PRIu64 ",%" PRIu64 ",%s,%016" PRIx64 "%s%s\n", frame->number, frame->step,
             time, frame->pixels, stage ? "," : "", stage ? stage : "");
}

/// Verified files: the next row beside that of the table.
static void check_row(const qdi_recorded *past, manifest *list, const qd_store_frame *frame,
                      qdi_findings *findings) {
    const char *stage = past->course.row[qdi_course_stage(&past->course, frame->step)].name;
    char expected[LINE_SIZE], line[LINE_SIZE], words[2 * LINE_SIZE + 64];
    if (list->over || !fgets(line, sizeof line, list->file)) {
        if (!list->over)
            add_file_finding(findings, "frames", frame->number,
                             "manifest.csv ends here, and the table goes on");
        list->over = true;
        return;
    }
    list->rows += 1;
    write_frame_row(frame, list->staged ? stage : NULL, expected);
    if (strcmp(line, expected) == 0) return;
    snprintf(words, sizeof words, "manifest.csv has %.*s, the table %.*s", (int)strcspn(line, "\r\n"), line,
             (int)strcspn(expected, "\n"), expected);
    add_file_finding(findings, "frames", frame->number, words);
}

/// Verified files: the picture of a row: its pixels must be those that were drawn.
static qd_status check_file(const qdi_recorded *past, const qd_store_frame *frame, qdi_findings *findings) {
    char path[PATH_SIZE], name[48], words[640];
    snprintf(name, sizeof name, "frames/frame_%06" PRIu64 ".png", frame->number);
    snprintf(path, sizeof path, "%s/%s", past->directory, name);
    uint64_t pixels;
    qd_error error = {""};
    qd_status status = qd_frame_read_pixels(path, NULL, &pixels, &error);
    if (status == QD_OK && pixels == frame->pixels) return QD_OK;
    const char *why = strstr(error.text, ".png: "); // the path is said anyway
    if (status == QD_OK)
        snprintf(words, sizeof words, "%s has pixels %016" PRIx64 ", the table %016" PRIx64, name, pixels,
                 frame->pixels);
    else if (status == QD_ERR_NOT_FOUND)
        snprintf(words, sizeof words, "%s is not there", name);
    else if (status == QD_ERR_CORRUPT)
        snprintf(words, sizeof words, "%s is damaged: %s", name, why ? why + 6 : error.text);
    else
        return status;
    add_file_finding(findings, "frames", frame->number, words);
    return QD_OK;
}

/// Pictures that no row of the table names.
typedef struct stray_search {
    qdi_findings *findings;
    uint64_t frames;
} stray_search;

// Finds frames that run.db does not know.
static bool visit_frame_file(void *context, const char *name) {
    stray_search *search = context;
    uint64_t number;
    const char *digits = name + strlen("frame_");
    size_t length = strlen(name);
    if (strncmp(name, "frame_", 6) != 0 || length < 11 || strcmp(name + length - 4, ".png") != 0) return true;
    if (!qdi_integer_read(digits, length - 10, &number) || number < search->frames) return true;
    char words[320];
    snprintf(words, sizeof words, "frames/%.255s is in no row of the table", name);
    add_file_finding(search->findings, "frames", number, words);
    return true;
}

/// Verified files: what is there beside what the table has.
static qd_status check_strays(const qdi_recorded *past, manifest *list, uint64_t frames,
                              qdi_findings *findings, qd_error *error) {
    char path[PATH_SIZE], line[LINE_SIZE];
    if (!list->over && fgets(line, sizeof line, list->file))
        add_file_finding(findings, "frames", frames, "manifest.csv goes on, and the table ends before");
    snprintf(path, sizeof path, "%s/frames", past->directory);
    if (!qdi_os_is_directory(path)) return QD_OK;
    stray_search search = {findings, frames};
    return qdi_os_list(path, visit_frame_file, &search, error);
}

qd_status qdi_verify_frames(const qdi_recorded *past, bool complete, qdi_findings *findings,
                            qdi_verified *verified, qd_error *error) {
    manifest list;
    bool files = past->plan.frames_files, there = open_manifest(past, &list);
    qd_error reason = {""};
    qd_status status = QD_OK;
    uint64_t next = 0;
    for (qd_store_frame frame; status == QD_OK; next = frame.number + 1) {
        status = qd_store_next_frame(past->store, next, &frame, &reason);
        if (status == QD_ERR_CORRUPT && reason.text[0] && frame.number >= next) {
            add_file_finding(findings, "frames", frame.number, "the table has no hash of the pixels");
            char skipped[LINE_SIZE];
            if (!list.over && !fgets(skipped, sizeof skipped, list.file)) list.over = true;
            status = QD_OK;
            continue;
        }
        if (status != QD_OK) break;
        if (frame.number != next) add_file_finding(findings, "frames", next, "the table has no such row");
        if (files) status = check_file(past, &frame, findings);
        if (there) check_row(past, &list, &frame, findings);
        verified->frames += 1;
    }
    if (status == QD_ERR_NOT_FOUND) {
        status = QD_OK;
        // A run that is not complete has its list under another name, and frames that are in no row yet.
        if (complete && next > 0 && !there && files)
            add_file_finding(findings, "frames", 0, "there is no manifest.csv");
        if (complete) status = check_strays(past, &list, next, findings, error);
    } else if (status != QD_OK) {
        *error = reason;
    }
    if (list.file) fclose(list.file);
    return status;
}
