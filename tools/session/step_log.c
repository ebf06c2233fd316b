#include "tools/session/step_log.h"

#include "core/parallel/parallel.h"

#include <inttypes.h>
#include <stdio.h>

enum { LINES = 20, LINE_SIZE = 256 };

uint64_t qdi_step_log_period(uint64_t steps) {
    return steps / LINES + (steps % LINES > 0 || steps == 0);
}

bool qdi_step_log_due(const qdi_step_log *log, uint64_t step, uint64_t last) {
    return log->every > 0 && (step % log->every == 0 || step == last);
}

void qdi_step_log_names(char *text, size_t bytes) {
    snprintf(text, bytes, "%10s %12s %9s %9s %12s %12s %12s %12s %10s", "step", "time", "bodies", "contacts",
             "kinetic", "potential", "lost", "drift", "steps/s");
}

void qdi_step_log_words(const qd_metrics *metrics, double rate, char *text, size_t bytes) {
    char speed[32] = "-";
    if (rate > 0) snprintf(speed, sizeof speed, "%.4g", rate);
    snprintf(text, bytes, "%10" PRIu64 " %12.6g %9" PRIu64 " %9" PRIu64 " %12.6g %12.6g %12.6g %12.3g %10s",
             metrics->step, metrics->time, metrics->bodies, metrics->contacts, metrics->kinetic,
             metrics->potential, metrics->lost, metrics->drift, speed);
}

void qdi_step_log_print(qdi_step_log *log, const qd_metrics *metrics) {
    char line[LINE_SIZE];
    uint64_t now = qdi_clock_ns();
    double rate = 0;
    if (metrics->step > log->shown_step && now > log->shown_ns)
        rate = (double)(metrics->step - log->shown_step) * 1e9 / (double)(now - log->shown_ns);
    if (!log->begun) {
        qdi_step_log_names(line, sizeof line);
        fprintf(stderr, "%s\n", line);
    }
    qdi_step_log_words(metrics, rate, line, sizeof line);
    fprintf(stderr, "%s\n", line);
    fflush(stderr);
    *log = (qdi_step_log){log->every, true, metrics->step, now};
}
