// Every status has a text of its own, of one line.
#include "tests/support/harness.h"

#include <quadrille/status.h>
#include <string.h>

QD_TEST(texts_are_lines_and_differ) {
    for (int a = QD_OK; a <= QD_ERR_STOPPED; ++a) {
        const char *text = qd_status_text((qd_status)a);
        ck_assert_ptr_nonnull(text);
        ck_assert_uint_gt(strlen(text), 0);
        ck_assert_ptr_null(strchr(text, '\n'));
        ck_assert_str_ne(text, "unknown status");
        for (int b = QD_OK; b < a; ++b) ck_assert_str_ne(text, qd_status_text((qd_status)b));
    }
}

QD_TEST(foreign_numbers_have_a_text) {
    ck_assert_str_eq(qd_status_text((qd_status)(QD_ERR_STOPPED + 1)), "unknown status");
    ck_assert_str_eq(qd_status_text((qd_status)200), "unknown status");
}

QD_TEST_MAIN("status", 0, NULL, NULL)
