#include "tools/scale/against.h"

#include "core/base/memory.h"
#include "sim/text/number.h"

#include <stdio.h>
#include <string.h>

/// Two builds: the level below which an interval says nothing.
static const double least_level = .95;

// ---- one run's file ----

/// A field of a line of CSV: where it is, and how long.
typedef struct csv_field {
    const char *text;
    size_t length;
} csv_field;

/// Two builds: field number `column` of a line. Those that are read come before any that has quotes.
static csv_field field_at(const char *line, size_t column) {
    for (; column > 0 && *line && *line != '\n'; ++line) column -= *line == ',';
    return (csv_field){line, column == 0 ? strcspn(line, ",\n") : 0};
}

/// Two builds: the value under a heading; of length 0 where there is none.
static csv_field field_named(const char *head, const char *line, const char *name) {
    size_t length = strlen(name), columns = 1;
    for (const char *at = head; *at && *at != '\n'; ++at) columns += *at == ',';
    for (size_t column = 0; column < columns; ++column) {
        csv_field heading = field_at(head, column);
        if (heading.length == length && memcmp(heading.text, name, length) == 0)
            return field_at(line, column);
    }
    return (csv_field){line, 0};
}

// Reads a whole number of the line of a run.
static bool read_run_number(const char *head, const char *line, const char *name, uint64_t *value) {
    csv_field field = field_named(head, line, name);
    return field.length > 0 && qdi_integer_read(field.text, field.length, value);
}

// Reads a hash of the line of a run.
static bool read_run_hash(const char *head, const char *line, const char *name, uint64_t *hash) {
    csv_field field = field_named(head, line, name);
    return field.length > 0 && qdi_hash_read(field.text, field.length, hash);
}

const char *qdi_against_read(const char *text, qdi_against_run *run) {
    memset(run, 0, sizeof *run);
    const char *end = strchr(text, '\n');
    if (!end || !end[1]) return "it has no run";
    const char *line = end + 1;
    if (!read_run_number(text, line, "wall_ns", &run->ns[QDI_SCALE_PHASES])) return "it has no wall_ns";
    if (!read_run_number(text, line, "bodies", &run->bodies)) return "it has no bodies";
    if (!read_run_hash(text, line, "hash", &run->hash)) return "it has no hash";
    (void)read_run_hash(text, line, "scene_hash", &run->scene_hash);
    for (size_t phase = 0; phase < QDI_SCALE_PHASES; ++phase) {
        char name[32];
        snprintf(name, sizeof name, "%s_ns", qd_phase_name((qd_phase)phase));
        (void)read_run_number(text, line, name, &run->ns[phase]);
    }
    csv_field commit = field_named(text, line, "commit");
    const size_t quote = commit.length > 1 && commit.text[0] == '"';
    if (commit.length < sizeof run->commit)
        memcpy(run->commit, commit.text + quote, commit.length - 2 * quote);
    return NULL;
}

// ---- comparing ----

// Two builds: what an interval of ratios says.
static qdi_against_change judge_ratio(const qdi_scale_interval *ratio) {
    if (ratio->level < least_level) return QDI_AGAINST_TOO_FEW;
    if (ratio->high < 1) return QDI_AGAINST_FASTER;
    return ratio->low > 1 ? QDI_AGAINST_SLOWER : QDI_AGAINST_UNSEEN;
}

/// Room for a number of each pair of a configuration.
typedef struct pair_numbers {
    double *here, *there, *ratio;
} pair_numbers;

// Compares one phase, or the step, over all pairs of a configuration.
static void compare_part(const qdi_scale_plan *plan, const qdi_against_pair *pairs, size_t config,
                         size_t phase, const pair_numbers *numbers, qdi_against_part *part) {
    size_t count = 0;
    part->change = QDI_AGAINST_NONE;
    for (size_t turn = 0; turn < plan->turn_count; ++turn) {
        if (plan->turns[turn].config != config) continue;
        double here = (double)pairs[turn].here.ns[phase], there = (double)pairs[turn].there.ns[phase];
        if (!(here > 0) || !(there > 0)) return; // a phase that one of them does not have
        numbers->here[count] = here / (double)plan->steps;
        numbers->there[count] = there / (double)plan->steps;
        numbers->ratio[count++] = here / there;
    }
    if (count == 0) return;
    part->here = qdi_statistics_of(numbers->here, count).median;
    part->there = qdi_statistics_of(numbers->there, count).median;
    part->ratio = qdi_scale_interval_of(numbers->ratio, count);
    part->change = judge_ratio(&part->ratio);
}

qd_status qdi_against_compare(const qdi_scale_plan *plan, const qdi_against_pair *pairs, size_t config,
                              qdi_against_result *result) {
    const qd_allocator *allocator = qd_allocator_default();
    size_t room = plan->turn_count;
    memset(result, 0, sizeof *result);
    result->config = &plan->configs[config];
    result->same_scene = result->same_state = true;
    for (size_t turn = 0; turn < room; ++turn) {
        if (plan->turns[turn].config != config) continue;
        result->bodies = pairs[turn].here.bodies;
        result->same_scene = result->same_scene &&
                             pairs[turn].here.scene_hash == pairs[turn].there.scene_hash;
        result->same_state = result->same_state && pairs[turn].here.hash == pairs[turn].there.hash;
    }
    double *room_of_all = qdi_allocate(allocator, 3 * room, sizeof *room_of_all);
    if (!room_of_all) return QD_ERR_MEMORY;
    const pair_numbers numbers = {room_of_all, room_of_all + room, room_of_all + 2 * room};
    for (size_t phase = 0; phase <= QDI_SCALE_PHASES; ++phase)
        compare_part(plan, pairs, config, phase, &numbers, &result->parts[phase]);
    qdi_release(allocator, room_of_all, 3 * room, sizeof *room_of_all);
    return QD_OK;
}

const char *qdi_against_word(qdi_against_change change) {
    switch (change) {
    case QDI_AGAINST_UNSEEN: return "no difference seen";
    case QDI_AGAINST_FASTER: return "faster";
    case QDI_AGAINST_SLOWER: return "slower";
    case QDI_AGAINST_TOO_FEW: return "too few pairs";
    case QDI_AGAINST_NONE: break;
    }
    return "not in both";
}
