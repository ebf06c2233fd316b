#include "tools/verify/findings.h"

#include "core/base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool qdi_findings_has(const qdi_findings *findings, const char *table, uint64_t step) {
    for (size_t i = 0; i < findings->count; ++i)
        if (findings->told[i].step == step && strcmp(findings->told[i].table, table) == 0) return true;
    return false;
}

/// Finding of verify: "frame 3", "step 40".
static const char *unit_of(const qdi_finding *finding) {
    return strcmp(finding->table, "frames") == 0 ? "frame" : "step";
}

// Writes a finding of `quadrille verify` as JSON.
static void put_finding_json(qdi_json *json, const qdi_finding *finding) {
    qdi_json_open(json, NULL, '{');
    qdi_json_text(json, "table", finding->table);
    if (finding->step != QDI_NO_STEP) qdi_json_whole(json, unit_of(finding), finding->step);
    qdi_json_text(json, "what", finding->words);
    if (finding->gap) {
        qdi_json_text(json, "subject", finding->gap->subject);
        if (finding->gap->label > 0) qdi_json_whole(json, "body", finding->gap->label);
        qdi_json_text(json, "field", finding->gap->field);
        qdi_json_text(json, "first", finding->gap->first);
        qdi_json_text(json, "second", finding->gap->second);
        qdi_json_whole(json, "fields", finding->gap->all.fields);
        qdi_json_whole(json, "bodies", finding->gap->all.bodies);
        qdi_json_whole(json, "contacts", finding->gap->all.contacts);
    }
    qdi_json_close(json, '}');
}

void qdi_findings_add(qdi_findings *findings, const qdi_finding *finding) {
    if (qdi_findings_has(findings, finding->table, finding->step)) return;
    qd_status status = qdi_reserve(findings->allocator, &findings->told, &findings->room, findings->count,
                                   findings->count + 1, sizeof *findings->told);
    if (status != QD_OK) {
        findings->status = status;
        return;
    }
    qdi_told *told = &findings->told[findings->count++];
    snprintf(told->table, sizeof told->table, "%s", finding->table);
    told->step = finding->step;
    char line[640];
    if (finding->step == QDI_NO_STEP)
        snprintf(line, sizeof line, "%s: %s", finding->table, finding->words);
    else
        snprintf(line, sizeof line, "%s: %s %" PRIu64 ": %s", finding->table, unit_of(finding), finding->step,
                 finding->words);
    if (findings->count == 1) memcpy(findings->first, line, sizeof findings->first);
    if (findings->json) {
        put_finding_json(findings->json, finding);
        return;
    }
    if (findings->progress) qdi_progress_end(findings->progress);
    printf("%s: %s\n", findings->directory, line);
}

// Frees what `quadrille verify` found.
void qdi_findings_free(qdi_findings *findings) {
    qdi_release(findings->allocator, findings->told, findings->room, sizeof *findings->told);
    findings->told = NULL;
    findings->count = findings->room = 0;
}
