// Sweep files: every point of a sweep that is read says its values, and the first ones are looked at as
// scenes.
#include "tests/fuzz/fuzz.h"

#include "sim/sweep/sweep.h"

#include <string.h>

enum { LOOKED_AT = 6, PLANNED_MOST = 64 };

// Looks at a point.
static void check_point(const qdi_sweep *sweep, uint64_t point) {
    char words[64];
    for (size_t column = 0; qdi_sweep_key(sweep, column); ++column) {
        const char *value = qdi_sweep_value(sweep, point, column);
        if (!value || strchr(value, '\n'))
            qd_fuzz_fail("no value on one line for %s", qdi_sweep_key(sweep, column));
    }
    uint64_t replica = qdi_sweep_replica(sweep, point);
    if (replica < 1 || replica > qdi_sweep_replicas(sweep))
        qd_fuzz_fail("replica %llu", (unsigned long long)replica);
    qdi_sweep_words(sweep, point, words, sizeof words);
    qdi_sweep_changes changes = {.allocator = qd_allocator_default()};
    if (qdi_sweep_changes_make(sweep, point, 7, &changes) != QD_OK) qd_fuzz_fail("changes");
    qdi_sweep_changes_free(&changes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    qdi_sweep *sweep = NULL;
    qd_error error = {""};
    qd_status status = qdi_sweep_parse(qd_allocator_default(), (const char *)data, size, "fuzz.yaml", &sweep,
                                       &error);
    if (status != QD_OK) {
        if (sweep || !error.text[0] || strchr(error.text, '\n'))
            qd_fuzz_fail("refused with '%s'", error.text);
        return 0;
    }
    uint64_t count = qdi_sweep_count(sweep);
    for (uint64_t i = 0; i < LOOKED_AT && i < count; ++i) {
        check_point(sweep, i);
        check_point(sweep, count - 1 - i);
    }
    qdi_sweep_plan plan = {.allocator = qd_allocator_default()};
    uint64_t every = count / 3 + 1;
    status = count > 0 && count <= PLANNED_MOST ? qdi_sweep_plan_make(sweep, 0, every, &plan, &error) : QD_OK;
    if (status != QD_OK && (!error.text[0] || strchr(error.text, '\n')))
        qd_fuzz_fail("planned with '%s'", error.text);
    qdi_sweep_plan_free(&plan);
    qdi_sweep_destroy(sweep);
    return 0;
}
