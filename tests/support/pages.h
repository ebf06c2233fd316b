#pragma once

#include "tests/support/harness.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/// Pages of reports, taken apart again.

typedef struct qd_page {
    char *text;
    json_t *data;
    size_t frames; ///< pictures in it
} qd_page;

/// Reads one; ends the test where its data is no JSON. qd_page_forget it.
qd_page qd_page_read(const char *path);
void qd_page_forget(qd_page *page);
QD_OWN_VALUE(qd_page, qd_page_forget)

/// Whether picture `number` of the page is the file, byte for byte.
bool qd_page_holds_file(const qd_page *page, size_t number, const char *path);

/// Whether one of the page's notes says this.
bool qd_page_notes(const qd_page *page, const char *words);
