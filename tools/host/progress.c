#include "tools/host/progress.h"

#include "core/parallel/parallel.h"
#include "tools/host/console.h"
#include "tools/host/os.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/// Nanoseconds between two redraws of a bar, and between two lines of a log.
static const uint64_t bar_every = 100000000U, line_every = 5000000000U;

enum { BAR_MIN = 10, BAR_MAX = 40, TEXT_SIZE = 512 };

void qdi_progress_words(char *text, size_t bytes, uint64_t done, uint64_t total, double seconds) {
    double rate = seconds > 0 ? (double)done / seconds : 0;
    double percent = total > 0 ? 100.0 * (double)done / (double)total : 100;
    // Rounded down: 100 % is said when it is done and not before.
    int length = snprintf(text, bytes, "step %" PRIu64 " of %" PRIu64 " (%d %%)", done, total, (int)percent);
    if (rate <= 0 || length < 0 || (size_t)length >= bytes) return;
    snprintf(text + length, bytes - (size_t)length, ", %s steps/s, %s left", qdi_words_count(rate).text,
             qdi_words_duration((double)(total - done) / rate).text);
}

void qdi_progress_bar(char *text, size_t bytes, uint64_t done, uint64_t total, double seconds, int width,
                      bool colour) {
    char words[TEXT_SIZE];
    qdi_progress_words(words, sizeof words, done, total, seconds);
    int room = width - (int)strlen(words) - 3; // brackets and a space
    if (room < BAR_MIN) {
        snprintf(text, bytes, "%.*s", width > 0 ? width : 0, words);
        return;
    }
    int length = room < BAR_MAX ? room : BAR_MAX;
    int full = total > 0 ? (int)((double)length * ((double)done / (double)total)) : length;
    char bar[BAR_MAX + 1];
    memset(bar, '#', (size_t)full);
    memset(bar + full, ' ', (size_t)(length - full));
    bar[length] = '\0';
    snprintf(text, bytes, "[%s%s%s] %s", colour ? "\033[36m" : "", bar, colour ? "\033[0m" : "", words);
}

qdi_progress qdi_progress_start(qdi_progress_style style, bool colour, uint64_t first, uint64_t total_steps) {
    uint64_t now = qdi_clock_ns();
    return (qdi_progress){style, colour, first, total_steps, now, now, false};
}

void qdi_progress_step(qdi_progress *progress, uint64_t done) {
    if (progress->style == QDI_PROGRESS_NONE) return;
    uint64_t now = qdi_clock_ns();
    bool bar = progress->style == QDI_PROGRESS_BAR;
    if (now - progress->shown_ns < (bar ? bar_every : line_every)) return;
    progress->shown_ns = now;
    // As if the steps before the first one had taken as long as those after it.
    double seconds = (double)(now - progress->start_ns) * 1e-9;
    if (done > progress->first) seconds *= (double)done / (double)(done - progress->first);
    char text[TEXT_SIZE];
    if (bar) {
        // One column stays free: some terminals break the line when the last one is used.
        qdi_progress_bar(text, sizeof text, done, progress->total, seconds, qdi_host_terminal_width() - 1,
                         progress->colour);
        fprintf(stderr, "\r%s\033[K", text);
        progress->drawn = true;
    } else {
        qdi_progress_words(text, sizeof text, done, progress->total, seconds);
        fprintf(stderr, "%s\n", text);
    }
    fflush(stderr);
}

void qdi_progress_end(qdi_progress *progress) {
    if (progress->drawn) fprintf(stderr, "\r\033[K");
    progress->drawn = false;
}
