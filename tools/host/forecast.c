#include "tools/host/forecast.h"

#include "tools/host/console.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/// A row with its share of the pages and of the index.
enum { ROW_BYTES = 160 };

// A product of the disk forecast that stops at the largest number.
static uint64_t times_saturated(uint64_t count, uint64_t bytes) {
    return bytes > 0 && count > UINT64_MAX / bytes ? UINT64_MAX : count * bytes;
}

// A sum of the disk forecast that stops at the largest number.
static uint64_t plus_saturated(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

uint64_t qdi_forecast_total(const qdi_forecast *forecast) {
    uint64_t pictures = times_saturated(forecast->frames, forecast->frame_bytes);
    uint64_t moments = plus_saturated(times_saturated(forecast->snapshots, forecast->snapshot_bytes),
                                      times_saturated(forecast->checkpoints, forecast->checkpoint_bytes));
    return plus_saturated(plus_saturated(pictures, moments), times_saturated(forecast->rows, ROW_BYTES));
}

bool qdi_forecast_fits(const qdi_forecast *forecast) {
    return qdi_forecast_total(forecast) <= forecast->free;
}

/// Adds to a text that may be full already.
static void add_text(char *text, size_t bytes, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void add_text(char *text, size_t bytes, const char *format, ...) {
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, bytes - used, format, arguments);
    va_end(arguments);
}

// Adds what one kind of files will take to the text of the disk forecast.
static void add_forecast_share(char *text, size_t bytes, const char **before, const char *what,
                               uint64_t count, uint64_t each) {
    if (count == 0) return;
    add_text(text, bytes, "%s%s %s", *before, what,
             qdi_words_bytes((double)times_saturated(count, each)).text);
    *before = ", ";
}

void qdi_forecast_words(const qdi_forecast *forecast, char *text, size_t bytes) {
    snprintf(text, bytes, "about %s", qdi_words_bytes((double)qdi_forecast_total(forecast)).text);
    const char *before = " (";
    add_forecast_share(text, bytes, &before, "frames", forecast->frames, forecast->frame_bytes);
    add_forecast_share(text, bytes, &before, "snapshots", forecast->snapshots, forecast->snapshot_bytes);
    add_forecast_share(text, bytes, &before, "checkpoints", forecast->checkpoints,
                       forecast->checkpoint_bytes);
    add_forecast_share(text, bytes, &before, "rows", forecast->rows, ROW_BYTES);
    if (before[0] == ',') add_text(text, bytes, ")");
    if (forecast->events) add_text(text, bytes, " and the events");
    if (forecast->free != UINT64_MAX)
        add_text(text, bytes, "; %s are free", qdi_words_bytes((double)forecast->free).text);
}
