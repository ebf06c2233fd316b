#pragma once

#include "export/image/manifest.h"

#include <quadrille/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// An HTML page that needs no other file: style, programs, charts library, data and pictures are all in
/// it. It is written from the top down under another name and renamed when it is whole.
///
/// Call begin, data once, picture for each picture, moment for each world that it has, end; after an error
/// qdi_page_discard. Errors of all: QD_ERR_IO with the reason, QD_ERR_VALUE (the path is too long).

/// The kinds of pages: each has a body and a program of its own.
typedef enum qdi_page_kind { QDI_PAGE_RUN, QDI_PAGE_SWEEP, QDI_PAGE_SCALE } qdi_page_kind;

typedef struct qdi_page {
    qdi_page_kind kind;
    qdi_file file;
    char part[QDI_PATH_MAX], path[QDI_PATH_MAX];
    unsigned char buffer[1 << 16];
    size_t used;
    uint64_t bytes; ///< written so far
} qdi_page;

/// Starts the page; `title` is text. A page that is there stays until the new one is whole.
QD_MUST_USE qd_status qdi_page_begin(qdi_page *page, qdi_page_kind kind, const char *path, const char *title,
                                     qd_error *error);

/// What the page's program reads, as JSON.
QD_MUST_USE qd_status qdi_page_data(qdi_page *page, const char *json, qd_error *error);

/// A PNG file, as it is on the disk. Errors: QD_ERR_NOT_FOUND where it is not there, with nothing written.
QD_MUST_USE qd_status qdi_page_picture(qdi_page *page, const char *path, qd_error *error);

/// What the page of a run has of the world in frame number `frame`, as JSON.
QD_MUST_USE qd_status qdi_page_moment(qdi_page *page, size_t frame, const char *json, qd_error *error);

/// Closes the page and gives it its name.
QD_MUST_USE qd_status qdi_page_end(qdi_page *page, qd_error *error);

/// Deletes what was written.
void qdi_page_discard(qdi_page *page);

/// Page: true for a file that is such a page, of this version or an earlier one, known by how it begins.
bool qdi_page_is_ours(const char *path);
