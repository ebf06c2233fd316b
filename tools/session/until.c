#include "tools/session/until.h"

#include "sim/text/number.h"
#include "sim/text/reason.h"
#include "sim/world/population.h"
#include "sim/world/world_impl.h"

#include <inttypes.h>
#include <math.h>
#include <quadrille/metrics.h>
#include <stdio.h>
#include <string.h>

// ---- bodies by their ids ----

// Whether an emitter may still make bodies; `source`: one of those that a rule means, 0: any.
static bool is_emitting(const qd_world *world, uint32_t source) {
    const qdi_population *all = world->population;
    for (size_t i = 0; all && i < all->emitter_count; ++i) {
        const qd_emitter_def *def = &all->emitters[i].def;
        if (source > 0 && def->body.source != source) continue;
        if (all->emitters[i].counts.emitted < def->total && qd_world_time(world) < def->stop) return true;
    }
    return false;
}

// The first id that an emitter of this world gives; `known`: it, where stages may have added bodies since.
static uint64_t first_emitted(const qd_world *world, uint64_t known) {
    return known > 0 ? known : world->last_label - qd_world_total(world).emitted + 1;
}

// Whether there is a body of a rule about bodies that go.
static bool has_some(const qd_until_rule *rule, const qd_world *world, uint64_t known) {
    const qd_body_view view = qd_world_view(world);
    for (size_t row = 0; row < view.count && rule->source > 0; ++row)
        if (world->traits.trait[world->trait[row]].source == rule->source) return true;
    if (rule->source > 0) return false;
    const uint64_t first = rule->first == QD_UNTIL_EMITTED ? first_emitted(world, known) : rule->first;
    for (size_t row = 0; row < view.count; ++row)
        if (view.label[row] >= first && view.label[row] <= rule->last) return true;
    return false;
}

// Whether an emitter of a rule has made bodies, which may have come and gone between two looks.
static bool has_made_some(const qd_until_rule *rule, const qd_world *world) {
    const qdi_population *all = world->population;
    bool made = false;
    for (size_t i = 0; all && i < all->emitter_count && !made; ++i)
        made = all->emitters[i].def.body.source == rule->source && all->emitters[i].counts.emitted > 0;
    return made;
}

// Whether all bodies with some ids are gone, of which there were some.
static bool are_gone(const qd_until_rule *rule, qdi_until_memory *memory, const qd_world *world,
                     uint64_t known) {
    const bool some = has_some(rule, world, known);
    if (rule->source > 0) {
        if (some || has_made_some(rule, world)) memory->count = 1;
        return !some && memory->count > 0 && !is_emitting(world, rule->source);
    }
    // Those of emitters may come and go between two looks. Their ids have no gaps.
    const uint64_t emitted = first_emitted(world, known);
    const uint64_t first = rule->first > emitted && rule->first != QD_UNTIL_EMITTED ? rule->first : emitted;
    if (some || (first <= world->last_label && rule->last >= first)) memory->count = 1;
    return !some && memory->count > 0 && !(rule->last > world->last_label && is_emitting(world, 0));
}

// The body with this id; false where there is none.
static bool find_labelled(const qd_body_view *view, uint64_t label, qd_id *id) {
    for (size_t row = 0; row < view->count; ++row) {
        if (view->label[row] != label) continue;
        *id = (qd_id){view->index[row], view->generation[row]};
        return true;
    }
    return false;
}

// Finds the two bodies of a contact rule.
static bool find_pair(qdi_until *until, size_t number, const qd_world *world, uint64_t *missing) {
    const qd_body_view view = qd_world_view(world);
    const uint64_t labels[2] = {until->rules[number].first, until->rules[number].last};
    for (int k = 0; k < 2; ++k) {
        *missing = labels[k];
        if (!find_labelled(&view, labels[k], &until->pair[number][k])) return false;
    }
    if (until->pair[number][0].index > until->pair[number][1].index) {
        const qd_id first = until->pair[number][0];
        until->pair[number][0] = until->pair[number][1];
        until->pair[number][1] = first;
    }
    return true;
}

// Gives rule `number` of a run or stage; false past the last one.
static bool get_rule(const qd_scene *scene, size_t stage, size_t number, qd_until_rule *rule) {
    return stage == QDI_UNTIL_RUN ? qd_scene_until(scene, number, rule)
                                  : qd_scene_stage_until(scene, stage, number, rule);
}

qd_status qdi_until_begin(qdi_until *until, const qd_scene *scene, size_t stage, uint64_t origin,
                          uint64_t emitted, const qd_world *world, qd_error *error) {
    const bool fresh = qd_world_steps(world) == 0;
    char of[40] = "run.until";
    if (stage != QDI_UNTIL_RUN) snprintf(of, sizeof of, "stages.%zu.until", stage);
    const qd_scene_run run = qd_scene_run_settings(scene);
    const bool last = stage == QDI_UNTIL_RUN || stage + 1 == qd_scene_stages(scene);
    *until = (qdi_until){
        .every = run.until_every, .least = last ? run.at_least : 0, .origin = origin, .emitted = emitted};
    for (; until->count < QD_UNTIL_MAX; ++until->count) {
        const size_t number = until->count;
        qd_until_rule *rule = &until->rules[number];
        uint64_t missing = 0;
        if (!get_rule(scene, stage, number, rule)) break;
        if (rule->kind == QD_UNTIL_GONE) {
            until->memory[number].count = has_some(rule, world, until->emitted);
            if (fresh && until->memory[number].count == 0 && !is_emitting(world, 0))
                return qdi_reason(error, QD_ERR_INVALID, "%s.%zu.gone: there is no body with such an id", of,
                                  number);
        }
        if (rule->kind == QD_UNTIL_CONTACT) {
            until->found[number] = find_pair(until, number, world, &missing);
            if (!until->found[number] && fresh)
                return qdi_reason(error, QD_ERR_INVALID,
                                  "%s.%zu.contact: there is no body with the id %" PRIu64, of, number,
                                  missing);
        }
    }
    return QD_OK;
}

void qdi_until_find(qdi_until *until, const qd_world *world) {
    uint64_t missing = 0;
    for (size_t i = 0; i < until->count; ++i)
        if (until->rules[i].kind == QD_UNTIL_CONTACT) until->found[i] = find_pair(until, i, world, &missing);
}

// ---- whether a rule holds ----

// The value of a metric, as a double.
static double metric_value(const qd_metrics *metrics, int number) {
    size_t count = 0;
    const qd_metric_field *field = &qd_metric_fields(&count)[number];
    double real = 0;
    uint64_t whole = 0;
    if (field->kind == QD_METRIC_REAL)
        memcpy(&real, (const char *)metrics + field->offset, sizeof real);
    else
        memcpy(&whole, (const char *)metrics + field->offset, sizeof whole);
    return field->kind == QD_METRIC_REAL ? real : (double)whole;
}

/// A window ends with the first look at or behind a multiple of its length. The means of two windows in a row
/// are compared.
static bool is_steady(const qd_until_rule *rule, qdi_until_memory *memory, double value, uint64_t step,
                      uint64_t every) {
    memory->sum += value;
    memory->count += 1;
    if (step / rule->window == (step - every) / rule->window) return false;
    const double mean = memory->sum / (double)memory->count, before = memory->before;
    const double larger = fabs(mean) > fabs(before) ? fabs(mean) : fabs(before);
    const bool steady = memory->windows > 0 && fabs(mean - before) <= rule->value * larger;
    *memory = (qdi_until_memory){.before = mean, .windows = memory->windows + 1};
    return steady;
}

// Whether no dynamic body is as fast as this.
static bool all_slower(const qd_world *world, double speed) {
    const qd_body_view view = qd_world_view(world);
    for (size_t row = 0; row < view.count; ++row) {
        if (view.kind[row] != QD_BODY_DYNAMIC) continue;
        const double vx = view.vx[row], vy = view.vy[row], rim = view.spin[row] * view.radius[row];
        if (!(sqrt(vx * vx + vy * vy) + fabs(rim) < speed)) return false;
    }
    return true;
}

// Whether the bodies have been at rest for long enough.
static bool is_at_rest(const qd_until_rule *rule, qdi_until_memory *memory, const qd_world *world,
                       uint64_t every) {
    memory->count = all_slower(world, rule->value) ? memory->count + 1 : 0;
    return memory->count > 0 && (memory->count - 1) * every >= rule->window;
}

// Whether two bodies touch now or bounced in the step before. Contacts are in the order of their bodies.
static bool have_met(const qd_world *world, const qd_id pair[2]) {
    size_t count = 0;
    const qd_contact *contacts = qd_world_contacts(world, &count);
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const qd_contact *at = &contacts[middle];
        const bool before = at->a.index != pair[0].index ? at->a.index < pair[0].index
                                                         : at->b.index < pair[1].index;
        if (before)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < count && contacts[low].a.index == pair[0].index && contacts[low].b.index == pair[1].index &&
        contacts[low].a.generation == pair[0].generation && contacts[low].b.generation == pair[1].generation)
        return true;
    const qd_impact *impacts = qd_world_impacts(world, &count);
    for (size_t i = 0; i < count; ++i)
        if (impacts[i].a.index == pair[0].index && impacts[i].b.index == pair[1].index &&
            impacts[i].a.generation == pair[0].generation && impacts[i].b.generation == pair[1].generation)
            return true;
    return false;
}

// Whether a rule that is due holds. It is asked even where another one did, for what it has to remember.
static bool rule_holds(qdi_until *until, size_t number, uint64_t step, const qd_world *world,
                       const qd_metrics *metrics) {
    const qd_until_rule *rule = &until->rules[number];
    qdi_until_memory *memory = &until->memory[number];
    switch (rule->kind) {
    case QD_UNTIL_BELOW: return metric_value(metrics, rule->metric) < rule->value;
    case QD_UNTIL_ABOVE: return metric_value(metrics, rule->metric) > rule->value;
    case QD_UNTIL_STEADY:
        return is_steady(rule, memory, metric_value(metrics, rule->metric), step - until->origin,
                         until->every);
    case QD_UNTIL_REST: return is_at_rest(rule, memory, world, until->every);
    case QD_UNTIL_CONTACT: return until->found[number] && have_met(world, until->pair[number]);
    case QD_UNTIL_GONE: return are_gone(rule, memory, world, until->emitted);
    case QD_UNTIL_NONE: break;
    }
    return false;
}

// Whether a rule is to be looked at after a step: whether two bodies meet after each, all else where that is
// due.
static bool is_due(const qdi_until *until, size_t number, uint64_t step) {
    return until->rules[number].kind == QD_UNTIL_CONTACT || (step - until->origin) % until->every == 0;
}

// Whether a rule is about a metric.
static bool is_of_metric(const qd_until_rule *rule) {
    return rule->kind == QD_UNTIL_BELOW || rule->kind == QD_UNTIL_ABOVE || rule->kind == QD_UNTIL_STEADY;
}

qdi_until_needs qdi_until_needs_of(const qdi_until *until, uint64_t step) {
    qdi_until_needs needs = {false, false};
    for (size_t i = 0; i < until->count; ++i) {
        if (!is_due(until, i, step)) continue;
        if (is_of_metric(&until->rules[i]))
            needs.metrics = true;
        else
            needs.world = true;
    }
    return needs;
}

bool qdi_until_look(qdi_until *until, uint64_t step, const qd_world *world, const qd_metrics *metrics) {
    for (size_t i = 0; i < until->count; ++i) {
        if (!is_due(until, i, step)) continue;
        if (rule_holds(until, i, step, world, metrics) && until->ended == 0 && step >= until->least)
            until->ended = i + 1;
    }
    return until->ended > 0;
}

// ---- in words ----

void qdi_until_words(const qdi_until *until, size_t number, char *text, size_t bytes) {
    const qd_until_rule *rule = &until->rules[number];
    size_t count = 0;
    const char *metric = qd_metric_fields(&count)[rule->metric].name;
    char value[QDI_NUMBER_ROOM];
    qdi_number_write(rule->value, value);
    switch (rule->kind) {
    case QD_UNTIL_BELOW: snprintf(text, bytes, "%s below %s", metric, value); return;
    case QD_UNTIL_ABOVE: snprintf(text, bytes, "%s above %s", metric, value); return;
    case QD_UNTIL_STEADY:
        snprintf(text, bytes, "%s steady within %s over %" PRIu64 " steps", metric, value, rule->window);
        return;
    case QD_UNTIL_REST:
        snprintf(text, bytes, "at rest below speed %s for %" PRIu64 " steps", value, rule->window);
        return;
    case QD_UNTIL_CONTACT:
        snprintf(text, bytes, "bodies %" PRIu64 " and %" PRIu64 " met", rule->first, rule->last);
        return;
    case QD_UNTIL_GONE:
        if (rule->emitter[0])
            snprintf(text, bytes, "all bodies of emitter %s gone", rule->emitter);
        else if (rule->first == QD_UNTIL_EMITTED)
            snprintf(text, bytes, "all bodies of emitters gone");
        else if (rule->last == UINT64_MAX)
            snprintf(text, bytes, "all bodies from id %" PRIu64 " on gone", rule->first);
        else
            snprintf(text, bytes, "all bodies with ids %" PRIu64 " to %" PRIu64 " gone", rule->first,
                     rule->last);
        return;
    case QD_UNTIL_NONE: break;
    }
    text[0] = '\0';
}
