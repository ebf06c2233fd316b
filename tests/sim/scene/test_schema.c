#include "sim/scene/schema.h"

#include "sim/scene/scene_impl.h"
#include "sim/text/suggest.h"
#include "tests/support/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char begin_mark[] =
    "<!-- keys: made from the schema by test_schema (QD_TEST_UPDATE=1 writes them) -->\n";
static const char end_mark[] = "<!-- end of keys -->\n";

static bool is_plain(qdi_key_type type) {
    return type != QDI_KEY_NONE && type != QDI_KEY_GROUP && type != QDI_KEY_EACH && type != QDI_KEY_ONE_OF &&
           type != QDI_KEY_ITEMS && type != QDI_KEY_NAMED;
}

static qdi_key_type plain_type(const qdi_key *key) {
    return key->type == QDI_KEY_ONE_OF ? key->plain : key->type;
}

static void add_default(const qdi_key *key, qdi_text *text) {
    qdi_text value = {.allocator = qd_allocator_default()};
    if (key->required) {
        qdi_text_add(text, "required");
    } else if (key->otherwise) {
        qdi_text_add(text, key->otherwise);
    } else if (qdi_scene_write_default(key, &value)) {
        qdi_text_add(text, "`");
        qdi_text_add(text, value.chars);
        qdi_text_add(text, "`");
    }
    qdi_text_release(&value);
}

static void add_planned_choices(const qdi_key *key, qdi_text *text) {
    bool planned = false, first = true;
    size_t bytes = 0;
    const char *word = NULL;
    for (int i = 0; (word = qdi_schema_choice_word(key, i, &bytes, &planned)) != NULL; ++i) {
        if (!planned) continue;
        qdi_text_add(text, first ? " Not built yet: `" : ", `");
        qdi_text_add_bytes(text, word, bytes);
        qdi_text_add(text, "`");
        first = false;
    }
    if (!first) qdi_text_add(text, ".");
}

/// The table of docs/scene.md.
static void add_keys(qdi_text *text) {
    const qdi_key *key = NULL;
    qdi_text_add(text, "| key | value | default | meaning |\n|---|---|---|---|\n");
    for (size_t i = 0; (key = qdi_schema_at(i)) != NULL; ++i) {
        char expected[QDI_EXPECTED_ROOM];
        qdi_text_add(text, "| `");
        qdi_text_add(text, key->path);
        qdi_text_add(text, "` | ");
        if (!key->planned && is_plain(plain_type(key)))
            qdi_text_add(text, qdi_schema_expected(key, expected));
        qdi_text_add(text, " | ");
        add_default(key, text);
        qdi_text_add(text, key->planned ? " | Not built yet. " : " | ");
        qdi_text_add(text, key->about);
        if (key->choices) add_planned_choices(key, text);
        qdi_text_add(text, " |\n");
    }
}

static char *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s is missing", path);
    char *text = qd_test_zeros(1, 1 << 20);
    size_t bytes = fread(text, 1, (1 << 20) - 1, file);
    ck_assert_uint_gt(bytes, 0);
    fclose(file);
    return text;
}

QD_TEST(documents_every_key) {
    const char *path = QD_SOURCE_DIR "/docs/scene.md";
    qd_own_memory char *text = read_file(path);
    char *begin = strstr(text, begin_mark), *end = strstr(text, end_mark);
    ck_assert_msg(begin && end && begin < end, "%s has no place for the keys", path);
    begin += strlen(begin_mark);
    qdi_text keys = {.allocator = qd_allocator_default()};
    add_keys(&keys);
    ck_assert_int_eq(keys.status, QD_OK);
    bool equal = (size_t)(end - begin) == keys.used && memcmp(begin, keys.chars, keys.used) == 0;
    if (!equal && getenv("QD_TEST_UPDATE")) {
        FILE *file = fopen(path, "wb");
        ck_assert_ptr_nonnull(file);
        fwrite(text, 1, (size_t)(begin - text), file);
        fwrite(keys.chars, 1, keys.used, file);
        fputs(end, file);
        fclose(file);
        equal = true;
    }
    ck_assert_msg(equal,
                  "the keys in %s are not those of sim/scene/schema.c: run this test with QD_TEST_UPDATE=1",
                  path);
    qdi_text_release(&keys);
}

QD_TEST(has_every_parent_and_no_key_twice) {
    const qdi_key *key = NULL;
    ck_assert_uint_gt(qdi_schema_count(), 40);
    for (size_t i = 0; (key = qdi_schema_at(i)) != NULL; ++i) {
        ck_assert_ptr_eq(qdi_schema_find(key->path, strlen(key->path)), key);
        ck_assert_msg(key->about && strlen(key->about) > 3, "%s is not explained", key->path);
        ck_assert_msg(!strchr(key->about, '|'), "%s would break the table", key->path);
        const char *dot = strrchr(key->path, '.');
        if (!dot) continue;
        const qdi_key *parent = qdi_schema_find(key->path, (size_t)(dot - key->path));
        size_t at = 0;
        while (parent && qdi_schema_at(at) != parent) ++at;
        ck_assert_msg(parent && at < i, "%s has no parent before it", key->path);
    }
    ck_assert_ptr_null(qdi_schema_find("world.siz", 9));
}

QD_TEST(walks_the_keys_below_a_key) {
    const qdi_key *world = qdi_schema_find("world", 5);
    const qdi_key *key = qdi_schema_next(world, NULL);
    ck_assert_str_eq(key->path, "world.size");
    ck_assert_str_eq(qdi_schema_next(world, key)->path, "world.origin");
    size_t top = 0;
    for (key = NULL; (key = qdi_schema_next(NULL, key)) != NULL; ++top)
        ck_assert_ptr_null(strchr(key->path, '.'));
    ck_assert_uint_eq(top, 16);
    const qdi_key *bodies = qdi_schema_find("bodies", 6);
    ck_assert_str_eq(qdi_schema_next(bodies, NULL)->path, "bodies[]");
    ck_assert_ptr_null(qdi_schema_next(bodies, qdi_schema_next(bodies, NULL)));
}

QD_TEST(says_what_it_expects) {
    static const struct {
        const char *path, *expected;
    } cases[] = {
        {"world.size", "two numbers > 0"},
        {"contact.restitution", "a number from 0 to 1"},
        {"world.boundary.x", "reflect, periodic or open"},
        {"contact.model", "none, impulse or spring"},
        {"view.size", "two whole numbers from 16 to 16384"},
        {"view.speed", "a number > 0, or auto"},
        {"world.gravity", "two numbers"},
        {"bodies[].disks.radius", "a number > 0"},
        {"bodies[].disks.radius.uniform", "two numbers > 0, the smaller one first"},
        {"view.title", "true or false"},
        {"view.text",
         "true, false, or a list of step, time, bodies, contacts, nodes, candidates, tests, rate, "
         "cost, legend, scale or stage"},
        {"bodies[].file.path", "some text"},
        {"bodies[].file.frame", "a whole number >= 0, or last"},
        {"bodies[].file.hash", "16 hexadecimal digits"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[QDI_EXPECTED_ROOM];
        const qdi_key *key = qdi_schema_find(cases[i].path, strlen(cases[i].path));
        ck_assert_str_eq(qdi_schema_expected(key, text), cases[i].expected);
    }
}

static size_t distance(const char *a, const char *b) {
    return qdi_suggest_distance(a, strlen(a), b, strlen(b));
}

QD_TEST(measures_distances_between_words) {
    ck_assert_uint_eq(distance("", ""), 0);
    ck_assert_uint_eq(distance("steps", "steps"), 0);
    ck_assert_uint_eq(distance("", "abc"), 3);
    ck_assert_uint_eq(distance("color", "colour"), 1);
    ck_assert_uint_eq(distance("szie", "size"), 1);
    ck_assert_uint_eq(distance("kitten", "sitting"), 3);
    ck_assert_uint_eq(distance("ca", "abc"), 3);
    char a[300], b[300];
    memset(a, 'x', sizeof a);
    memset(b, 'y', sizeof b);
    ck_assert_uint_eq(qdi_suggest_distance(a, sizeof a, b, sizeof b), 64);
    qdi_suggestion best = {0};
    qdi_suggest(&best, "dt", 2, "seed", 4);
    ck_assert_ptr_null(best.word);
    qdi_suggest(&best, "sed", 3, "seed", 4);
    ck_assert_str_eq(best.word, "seed");
}

QD_TEST_MAIN("schema", 60, NULL, NULL)
