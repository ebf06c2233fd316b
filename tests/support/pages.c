#include "tests/support/pages.h"

#include "tests/support/harness.h"
#include "tests/support/scratch.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static const char picture_begin[] = "class=\"frame\">";

qd_page qd_page_read(const char *path) {
    qd_page read = {.text = qd_scratch_read(path, NULL)};
    ck_assert_msg(read.text != NULL, "%s", path);
    static const char begin[] = "<script type=\"application/json\" id=\"data\">";
    char *data = strstr(read.text, begin);
    ck_assert_ptr_nonnull(data);
    data += sizeof begin - 1;
    const char *end = strstr(data, "</script>");
    ck_assert_ptr_nonnull(end);
    json_error_t why;
    read.data = json_loadb(data, (size_t)(end - data), JSON_REJECT_DUPLICATES, &why);
    ck_assert_msg(read.data != NULL, "%s", why.text);
    for (const char *c = read.text; (c = strstr(c, picture_begin)) != NULL; ++c) read.frames += 1;
    return read;
}

void qd_page_forget(qd_page *page) {
    json_decref(page->data);
    free(page->text);
}

static int digit_of(char c) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = c ? strchr(digits, c) : NULL;
    return found ? (int)(found - digits) : -1;
}

bool qd_page_holds_file(const qd_page *page, size_t number, const char *path) {
    const char *c = page->text;
    for (size_t i = 0; i <= number; ++i) c = strstr(c + 1, picture_begin);
    c += sizeof picture_begin - 1;
    size_t bytes = 0, got = 0;
    qd_own_memory char *file = qd_scratch_read(path, &bytes);
    ck_assert_ptr_nonnull(file);
    unsigned held = 0;
    int bits = 0;
    bool same = true;
    for (; digit_of(*c) >= 0; ++c) {
        held = held << 6 | (unsigned)digit_of(*c);
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        same = same && got < bytes && (unsigned char)file[got] == (held >> bits & 255);
        got += 1;
    }
    return same && got == bytes;
}

bool qd_page_notes(const qd_page *page, const char *words) {
    const json_t *notes = json_object_get(page->data, "notes");
    for (size_t i = 0; i < json_array_size(notes); ++i)
        if (strstr(json_string_value(json_array_get(notes, i)), words)) return true;
    return false;
}
