#define _GNU_SOURCE // symlink
// The pictures of docs/tree.md are what the commands beside them make, pixel by pixel: each picture that lies
// in docs/tree has a command below it, `quadrille run ... -o NAME`, and is the last frame of that run.
#include "tests/support/golden.h"
#include "tests/support/harness.h"
#include "tests/support/one_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PICTURES = 32, MOST_WORDS = 16, TEXT = 400 };

typedef struct shown {
    char name[64]; ///< of the picture, without .png
    char command[TEXT];
} shown;

/// What the document shows: `pictures` has room for MOST_PICTURES; their number.
static size_t read_document(shown *pictures) {
    static const char link[] = "](tree/", start[] = "\n`quadrille ";
    qd_own_memory char *text = qd_scratch_read(QD_SOURCE_DIR "/docs/tree.md", NULL);
    ck_assert_ptr_nonnull(text);
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, link)) != NULL; ++count) {
        ck_assert_uint_lt(count, MOST_PICTURES);
        at += strlen(link);
        size_t length = strcspn(at, ".");
        ck_assert_msg(length < sizeof pictures->name && strncmp(at + length, ".png)", 5) == 0, "%.40s", at);
        memcpy(pictures[count].name, at, length);
        pictures[count].name[length] = '\0';
        const char *command = strstr(at, start), *next = strstr(at, link);
        ck_assert_msg(command && (!next || command < next), "%s has no command", pictures[count].name);
        command += strlen(start);
        length = strcspn(command, "`");
        ck_assert_uint_lt(length, TEXT);
        memcpy(pictures[count].command, command, length);
        pictures[count].command[length] = '\0';
    }
    return count;
}

/// Runs the command as it is shown, quietly, in the directory that `docs` is seen from.
static void run_command(char *command) {
    qd_program_start start = {.arguments = {NULL}};
    size_t count = 0;
    for (char *word = strtok(command, " \n"); word; word = strtok(NULL, " \n")) {
        ck_assert_uint_lt(count + 2, MOST_WORDS);
        start.arguments[count++] = word;
    }
    start.arguments[count] = "-q";
    qd_program_succeed(&program, &start);
}

static char *last_frame(const char *name, size_t *size) {
    char path[TEXT], last[TEXT] = "";
    for (int i = 0; i < 1000; ++i) {
        snprintf(path, sizeof path, "%.63s/frames/frame_%06d.png", name, i);
        if (!qd_scratch_exists(at(path).text)) break;
        memcpy(last, path, sizeof last);
    }
    char *bytes = qd_scratch_read(at(last).text, size);
    ck_assert_msg(bytes != NULL, "%s has no frames", name);
    return bytes;
}

QD_TEST(the_pictures_are_what_the_commands_make) {
    static shown pictures[MOST_PICTURES];
    const size_t count = read_document(pictures);
    ck_assert_uint_ge(count, 16);
    ck_assert_int_eq(symlink(QD_SOURCE_DIR "/docs", at("docs").text), 0);
    for (size_t i = 0; i < count; ++i) {
        char out[80];
        snprintf(out, sizeof out, " -o %.63s", pictures[i].name);
        const char *given = strstr(pictures[i].command, out);
        ck_assert_msg(given && given[strlen(out)] == '\0', "%s is not what its command writes",
                      pictures[i].name);
        run_command(pictures[i].command);
        size_t size = 0;
        qd_own_memory char *bytes = last_frame(pictures[i].name, &size);
        ck_assert_msg(size < 150000, "%s has %zu bytes", pictures[i].name, size);
        qd_test_golden_in("docs/tree", pictures[i].name, bytes, size);
    }
}

QD_TEST_MAIN("tree_doc", 120, setup, teardown)
