#define _GNU_SOURCE // popen, setenv, chdir
#include "sim/text/scene_text.h"
#include "tests/support/harness.h"
#include "tests/support/stores.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// docs/run-store.md says what is so: its tables are those of a store, and its examples run.

static const char document[] = QD_SOURCE_DIR "/docs/run-store.md";
static const char begin_mark[] =
    "<!-- metrics: made from the library by test_store_doc (QD_TEST_UPDATE=1 writes them) -->\n";
static const char end_mark[] = "<!-- end of metrics -->\n";

static char *read_document(void) {
    char *text = qd_scratch_read(document, NULL);
    ck_assert_msg(text != NULL, "%s is missing", document);
    return text;
}

/// A store with some of everything, and the world as it was left, at step 32.
static qd_store_rig make(void) {
    qd_store_rig rig = qd_store_rig_make();
    qd_test_store_record(rig.store, rig.world);
    qd_test_store_checkpoint(rig.store, rig.world);
    qd_test_store_run(rig.store, rig.world, 32);
    qd_test_store_close(&rig.store);
    return rig;
}

// ---- tables ----

static void add_metrics(qdi_text *text) {
    size_t count = 0;
    const qd_metric_field *fields = qd_metric_fields(&count);
    qdi_text_add(text, "| column | type | unit |\n|---|---|---|\n");
    for (size_t i = 0; i < count; ++i) {
        qdi_text_add(text, "| `");
        qdi_text_add(text, fields[i].name);
        qdi_text_add(text, fields[i].kind == QD_METRIC_REAL ? "` | real | " : "` | integer | ");
        qdi_text_add(text, fields[i].unit);
        qdi_text_add(text, " |\n");
    }
    for (int phase = 0; phase < QD_PHASE_COUNT; ++phase) {
        qdi_text_add(text, "| `");
        qdi_text_add(text, qd_phase_name((qd_phase)phase));
        qdi_text_add(text, "_ns` | integer | nanoseconds |\n");
    }
}

QD_TEST(has_every_metric) {
    qd_own_memory char *text = read_document();
    char *begin = strstr(text, begin_mark), *end = strstr(text, end_mark);
    ck_assert_msg(begin && end && begin < end, "%s has no place for the metrics", document);
    begin += strlen(begin_mark);
    qdi_text metrics = {.allocator = qd_allocator_default()};
    add_metrics(&metrics);
    ck_assert_int_eq(metrics.status, QD_OK);
    bool equal = (size_t)(end - begin) == metrics.used && memcmp(begin, metrics.chars, metrics.used) == 0;
    if (!equal && getenv("QD_TEST_UPDATE")) {
        FILE *file = fopen(document, "wb");
        ck_assert_ptr_nonnull(file);
        fwrite(text, 1, (size_t)(begin - text), file);
        fwrite(metrics.chars, 1, metrics.used, file);
        fputs(end, file);
        fclose(file);
        equal = true;
    }
    ck_assert_msg(equal,
                  "the metrics in %s are not those of the library: run this test with QD_TEST_UPDATE=1",
                  document);
    qdi_text_release(&metrics);
}

/// The tables as the document has them: "TABLE COLUMN TYPE" a line.
static char *documented(const char *text) {
    char *result = NULL, table[64] = "", column[64], type[16];
    size_t bytes = 0;
    FILE *out = open_memstream(&result, &bytes);
    for (const char *line = strstr(text, "\n## Tables\n") + 1, *next; line; line = next ? next + 1 : NULL) {
        next = strchr(line, '\n');
        if (strncmp(line, "## A world", 10) == 0) break;
        if (sscanf(line, "### `%63[a-z]`", table) == 1) continue;
        if (sscanf(line, "| `%63[a-z0-9_]` | %15[a-z] |", column, type) == 2)
            fprintf(out, "%s %s %s\n", table, column, type);
    }
    fclose(out);
    return result;
}

QD_TEST(has_every_table_and_column) {
    qd_own(qd_store_rig) rig = make();
    qd_own_memory char *text = read_document(), *said = documented(text);
    qd_own_memory char *is = qd_test_sql(
        rig.path.text, "SELECT t.name || ' ' || c.name || ' ' || lower(c.type)"
                       " FROM sqlite_schema AS t, pragma_table_info(t.name) AS c WHERE t.type = 'table'"
                       " ORDER BY t.rowid, c.cid");
    ck_assert_str_eq(said, is);
}

// ---- examples ----

/// The document's next block of a language, from `*from` on, which moves on; free() it. NULL: no more.
static char *next_block(const char **from, const char *language) {
    char mark[32];
    snprintf(mark, sizeof mark, "\n```%s\n", language);
    const char *begin = strstr(*from, mark);
    if (!begin) return NULL;
    begin += strlen(mark);
    const char *end = strstr(begin, "\n```");
    ck_assert_ptr_nonnull(end);
    *from = end;
    return strndup(begin, (size_t)(end + 1 - begin));
}

/// Runs a command in the present directory; free() what it says.
static char *run(const char *command) {
    char *result = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&result, &bytes);
    FILE *program = popen(command, "r"); // NOLINT(cert-env33-c): the command is ours
    ck_assert_ptr_nonnull(program);
    for (int c; (c = fgetc(program)) != EOF;) fputc(c, out);
    int status = pclose(program);
    fclose(out);
    ck_assert_msg(status == 0, "%s: exit %d: %s", command, status, result);
    return result;
}

static bool is_there(const char *program) {
    char command[64];
    snprintf(command, sizeof command, "%s --version >/dev/null 2>&1", program);
    if (system(command) == 0) return true; // NOLINT(cert-env33-c): the same
    printf("skipped: there is no %s\n", program);
    return false;
}

QD_TEST(has_shell_examples_that_run) {
    if (!is_there("sqlite3")) return;
    qd_own(qd_store_rig) rig = make();
    qd_own_memory char *text = read_document();
    const char *from = text;
    ck_assert_int_eq(chdir(rig.scratch.path), 0);
    int blocks = 0;
    for (char *block; (block = next_block(&from, "sh")) != NULL; ++blocks) {
        qd_scratch_write("example.sh", block);
        qd_own_memory char *said = run("sh -e example.sh 2>&1");
        size_t lines = 0;
        for (const char *at = said; (at = strchr(at, '\n')) != NULL; ++at) ++lines;
        ck_assert_msg(lines > 3 && !strstr(said, "rror"), "%s\ngives\n%s", block, said);
        ck_assert_msg(blocks != 0 || strstr(said, "\n32,0.64"), "no metrics of the last step:\n%s", said);
        free(block);
    }
    ck_assert_int_ge(blocks, 3);
}

/// What the example that reads a snapshot should print, but for how numbers are written.
static void check_bodies(const char *said, const qd_world *world) {
    qd_body_view view = qd_world_view(world);
    for (size_t index = 0; index < view.index_count; ++index) {
        uint32_t row = view.row_of_index[index];
        if (row == UINT32_MAX) continue;
        uint64_t label = 0;
        double x = 0, y = 0;
        int used = 0;
        ck_assert_int_eq(sscanf(said, "%" SCNu64 " %lf %lf\n%n", &label, &x, &y, &used), 3);
        ck_assert(label == view.label[row] && x == view.x[row] && y == view.y[row]);
        said += used;
    }
    ck_assert_str_eq(said, "");
}

QD_TEST(has_python_examples_that_run) {
    if (!is_there("python3")) return;
    qd_own(qd_store_rig) rig = make();
    qd_own_memory char *text = read_document();
    const char *from = text;
    ck_assert_int_eq(chdir(rig.scratch.path), 0);
    int blocks = 0;
    for (char *block; (block = next_block(&from, "python")) != NULL; ++blocks) {
        qd_scratch_write("example.py", block);
        qd_own_memory char *said = run("python3 example.py 2>&1");
        if (blocks == 0) ck_assert_msg(strstr(said, "\n32 0.64 "), "no metrics of the last step:\n%s", said);
        if (blocks == 1) check_bodies(said, rig.world);
        free(block);
    }
    ck_assert_int_eq(blocks, 2);
}

QD_TEST_MAIN("store_doc", 120, NULL, NULL)
