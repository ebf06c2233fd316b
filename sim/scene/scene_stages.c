// Stages of a scene: each is the scene before it with changes. They are read when the scene itself is
// complete, each into a copy of the settings of the one before; what the first one changes is the scene's.

#include "core/base/memory.h"
#include "sim/scene/scene_impl.h"
#include "sim/text/suggest.h"
#include "sim/world/limits.h"
#include "sim/world/world_make.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- what can change ----

const char *qdi_stage_keeps(const qdi_key *key) {
    static const struct {
        const char *path, *why;
    } kept[] = {
        {"name", "it is the run's"},
        {"run", "it is the run's; `steps`, `time` or `until` end a stage"},
        {"stepper", "it holds for the whole run"},
        {"materials", "a world keeps its materials; `change` gives bodies another one"},
        {"limits", "they hold for the whole run"},
        {"bodies", "`add` adds bodies, `remove` and `change` are for those that there are"},
        {"frames.files", "all frames of a run are files, or none"},
        {"video", "a run has one video"},
        {"checkpoint", "it holds for the whole run"},
        {"stages", "a stage has no stages"},
        {"view.size", "all frames of a run have one size, and so has its video"},
        {"world.size", "a world keeps its size; `world.walls` and `world.compress` move its sides"},
        {"world.origin", "a world keeps its place; `world.walls` moves its sides"},
        {"world.boundary", "a world keeps its sides; bodies that stand still can be a gate"},
        {"contact.model", "what contacts remember is their model's"},
        {"record.fields.cells", "all fields of a run have one grid"},
        {"record.fields.length", "all fields of a run have one grid"},
        {"record.distributions.bins", "all distributions of a run have the same bins"},
        {"record.distributions.reach", "all distributions of a run have the same bins"},
        {"record.distributions.speed", "all distributions of a run have the same bins"},
        {"bodies[].file", "files are read before the run begins; put it into `bodies`"},
        {"bodies[].run", "runs are read before the run begins; put it into `bodies`"},
    };
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; ++i)
        if (strcmp(kept[i].path, key->path) == 0) return kept[i].why;
    return NULL;
}

void qdi_stage_prepare(const qdi_scene_reader *reader, const qdi_key *key) {
    qdi_settings *settings = reader->settings;
    const bool own = settings == &reader->stage->settings; // else the first stage's, which are the scene's
    const qd_world_def plain = qd_world_def_default();
    if (strcmp(key->path, "emitters") == 0) {
        reader->stage->emits = true;
        settings->source_count = 0;
        if (own) settings->sources = NULL;
        if (own) settings->source_room = 0;
    } else if (strcmp(key->path, "sinks") == 0) {
        reader->stage->drains = true;
        settings->drain_count = 0;
        if (own) settings->drains = NULL;
        if (own) settings->drain_room = 0;
    } else if (strcmp(key->path, "world.gravity") == 0) {
        settings->world.gravity = plain.gravity;
        settings->world.attraction = plain.attraction;
    }
}

void qdi_stages_release(const qd_allocator *allocator, qdi_settings *settings) {
    for (size_t k = 0; k < settings->stage_count; ++k) {
        qdi_stage *stage = &settings->stages[k];
        qdi_settings *own = &stage->settings;
        for (size_t i = 0; i < own->item_count; ++i) qdi_body_item_release(allocator, &own->items[i]);
        qdi_release(allocator, own->items, own->item_room, sizeof *own->items);
        qdi_release(allocator, own->rules, own->rule_room, sizeof *own->rules);
        qdi_release(allocator, own->points, own->point_room, sizeof *own->points);
        if (stage->emits && k > 0)
            qdi_release(allocator, own->sources, own->source_room, sizeof *own->sources);
        if (stage->drains && k > 0) qdi_release(allocator, own->drains, own->drain_room, sizeof *own->drains);
        qdi_release(allocator, stage->removals, stage->removal_room, sizeof *stage->removals);
        qdi_release(allocator, stage->changes, stage->change_room, sizeof *stage->changes);
    }
    qdi_release(allocator, settings->stages, settings->stage_room, sizeof *settings->stages);
    settings->stages = NULL;
    settings->stage_count = settings->stage_room = 0;
}

// ---- what it must keep to ----

// The node of a key of a stage, or of the stage.
static qdi_yaml_ref node_of(const qdi_scene_reader *reader, qdi_yaml_ref stage, const char *word) {
    const qdi_yaml_ref found = qdi_yaml_find(&reader->yaml, stage, word, strlen(word));
    return found ? found : stage;
}

// How long a stage lasts: one of several keys says it.
static qd_status check_end(const qdi_scene_reader *reader, qdi_yaml_ref node, qdi_stage *stage, size_t k) {
    const bool rules = stage->settings.rule_count > 0, last = k + 1 == reader->settings->stage_count;
    const bool steps = stage->steps > 0, time = !isnan(stage->time), most = stage->at_most > 0;
    if (qdi_yaml_find(&reader->yaml, node, "steps", 5) && !steps)
        return qdi_scene_complain(reader, node_of(reader, node, "steps"),
                                  "stages.%zu.steps: must be 1 or more", k);
    if (steps + time + rules > 1)
        return qdi_scene_complain(
            reader, node, "stages.%zu: one of steps, time and until ends it, not several%s", k,
            rules ? "; with until, `at_most` says after how many steps at the latest" : "");
    if (most && !rules)
        return qdi_scene_complain(reader, node_of(reader, node, "at_most"),
                                  "stages.%zu.at_most: goes with until; `steps` says how long a stage lasts",
                                  k);
    if (rules && !most && !last)
        return qdi_scene_complain(reader, node_of(reader, node, "until"),
                                  "stages.%zu.at_most: is missing: the steps after which it ends even so", k);
    if (!steps && !time && !rules && !last)
        return qdi_scene_complain(reader, node, "stages.%zu: needs an end: steps, time or until", k);
    if (time) {
        const double count = stage->time / reader->settings->run.dt, whole = floor(count + 0.5);
        const double due = fabs(count - whole) <= 1e-9 * whole ? whole : ceil(count);
        if (!(due >= 1 && due <= 0x1p53))
            return qdi_scene_complain(reader, node_of(reader, node, "time"),
                                      "stages.%zu.time: is %.9g steps of run.dt", k, count);
        stage->steps = (uint64_t)due;
        stage->time = (double)NAN;
    }
    return QD_OK;
}

// Whether some item of `bodies` or `add` up to stage `k` has a name; the one that comes nearest otherwise.
static bool has_item(const qdi_settings *scene, size_t k, const char *name, qdi_suggestion *best) {
    for (size_t s = 0; s <= k + 1; ++s) {
        const qdi_settings *of = s == 0 ? scene : &scene->stages[s - 1].settings;
        for (size_t i = 0; i < of->item_count; ++i) {
            const qdi_body_item *item = &of->items[i];
            if (strcmp(item->name, name) == 0) return true;
            qdi_suggest(best, name, strlen(name), item->name, strlen(item->name));
            for (size_t j = 0; j < item->listed_count; ++j) {
                if (strcmp(item->listed[j].name, name) == 0) return true;
                qdi_suggest(best, name, strlen(name), item->listed[j].name, strlen(item->listed[j].name));
            }
        }
    }
    return false;
}

// Whether a pick says which bodies it means.
static qd_status check_pick(const qdi_scene_reader *reader, const qdi_pick *pick, qdi_yaml_ref node, size_t k,
                            const char *word, size_t i) {
    qdi_suggestion best = {NULL, 0};
    if (!pick->item[0] && pick->id == 0 && isnan(pick->ids.x) && isnan(pick->region.width))
        return qdi_scene_complain(reader, node, "stages.%zu.%s.%zu: needs one of item, id, ids and region", k,
                                  word, i);
    if (!pick->item[0] || has_item(reader->settings, k, pick->item, &best)) return QD_OK;
    return qdi_scene_complain(reader, node, "stages.%zu.%s.%zu.item: no item is called \"%s\"%s%s%s", k, word,
                              i, pick->item, best.word ? "; did you mean \"" : "", best.word ? best.word : "",
                              best.word ? "\"?" : "");
}

// Checks all that a stage removes and changes.
static qd_status check_picks(const qdi_scene_reader *reader, qdi_yaml_ref node, const qdi_stage *stage,
                             size_t k) {
    qd_status status = QD_OK;
    qdi_yaml_ref item = reader->yaml.nodes[node_of(reader, node, "remove")].first;
    for (size_t i = 0; i < stage->removal_count && status == QD_OK; ++i, item = reader->yaml.nodes[item].next)
        status = check_pick(reader, &stage->removals[i], item, k, "remove", i);
    item = reader->yaml.nodes[node_of(reader, node, "change")].first;
    for (size_t i = 0; i < stage->change_count && status == QD_OK; ++i, item = reader->yaml.nodes[item].next)
        status = check_pick(reader, &stage->changes[i].pick, item, k, "change", i);
    return status;
}

// The first stage begins with the scene: it has nothing to remove, to change or to add.
static qd_status check_first(const qdi_scene_reader *reader, qdi_yaml_ref node, const qdi_stage *stage) {
    const char *word = stage->removal_count > 0         ? "remove"
                       : stage->change_count > 0        ? "change"
                       : stage->settings.item_count > 0 ? "add"
                                                        : NULL;
    if (!word) return QD_OK;
    return qdi_scene_complain(reader, node_of(reader, node, word),
                              "stages.0.%s: the first stage begins with what `bodies` says", word);
}

// Whether a stage before has the same name.
static qd_status check_name(const qdi_scene_reader *reader, qdi_yaml_ref node, size_t k) {
    const qdi_stage *stages = reader->settings->stages;
    for (size_t i = 0; i < k; ++i)
        if (strcmp(stages[i].name, stages[k].name) == 0)
            return qdi_scene_complain(reader, node_of(reader, node, "name"),
                                      "stages.%zu.name: stage %zu is called \"%s\", too", k, i,
                                      stages[k].name);
    return QD_OK;
}

// Refuses what a stage makes static or kinematic, or adds so, where its world is periodic and compressed: all
// bodies must be dynamic there.
static qd_status check_compressed(const qdi_scene_reader *reader, qdi_yaml_ref node, const qdi_stage *stage,
                                  size_t k) {
    static const char dynamic[] = "in a periodic world that is compressed all bodies must be dynamic";
    const qd_world_def *world = &stage->settings.world;
    if (!qdi_compresses_seam(world->compression.rate, world->boundary_x, world->boundary_y)) return QD_OK;
    qdi_yaml_ref item = reader->yaml.nodes[node_of(reader, node, "change")].first;
    for (size_t i = 0; i < stage->change_count; ++i, item = reader->yaml.nodes[item].next)
        if (stage->changes[i].kind == QDI_KIND_STATIC || stage->changes[i].kind == QDI_KIND_KINEMATIC)
            return qdi_scene_complain(reader, node_of(reader, item, "kind"), "stages.%zu.change.%zu.kind: %s",
                                      k, i, dynamic);
    item = reader->yaml.nodes[node_of(reader, node, "add")].first;
    for (size_t i = 0; i < stage->settings.item_count; ++i, item = reader->yaml.nodes[item].next) {
        const qdi_body_item *added = &stage->settings.items[i];
        if (added->kind == QDI_ITEM_POLYLINE)
            return qdi_scene_complain(reader, item, "stages.%zu.add.%zu.polyline: %s", k, i, dynamic);
        for (size_t j = 0; j < added->listed_count; ++j)
            if (added->listed[j].is_static || added->listed[j].is_kinematic)
                return qdi_scene_complain(reader, item, "stages.%zu.add.%zu.list.%zu: %s", k, i, j, dynamic);
    }
    return QD_OK;
}

// What of a stage's own settings has to go together.
static qd_status check_settings(qdi_scene_reader *reader, qdi_yaml_ref node, qdi_stage *stage, size_t k) {
    qdi_settings *const scene = reader->settings;
    qd_error reason = {""};
    char of[40];
    snprintf(of, sizeof of, "stages.%zu.until", k);
    if (qdi_world_def_check(&stage->settings.world, &reason) != QD_OK)
        return qdi_scene_complain(reader, node, "stages.%zu: %.300s", k, reason.text);
    reader->settings = &stage->settings;
    qd_status status = QD_OK;
    if (stage->settings.rule_count > 0)
        status = qdi_scene_check_rules(reader, node_of(reader, node, "until"), of);
    if (status == QD_OK) status = qdi_scene_check_items(reader, node_of(reader, node, "add"));
    if (status == QD_OK && stage->emits) status = qdi_scene_check_sources(reader, node);
    snprintf(of, sizeof of, "stages.%zu.", k);
    if (status == QD_OK) status = qdi_scene_settle_view(reader, node_of(reader, node, "view"), of);
    reader->settings = scene;
    if (k == 0) scene->view = stage->settings.view; // what the first one changes is the scene's
    return status;
}

// ---- reading ----

// A stage's own settings: those of the one before, without its bodies and rules.
static qdi_settings settings_after(const qdi_settings *before) {
    qdi_settings settings = *before;
    settings.items = NULL;
    settings.rules = NULL;
    settings.points = NULL;
    settings.stages = NULL;
    settings.item_count = settings.item_room = settings.rule_count = settings.rule_room = 0;
    settings.point_count = settings.point_room = settings.stage_count = settings.stage_room = 0;
    return settings;
}

// Reads stage number `k` behind those before it.
static qd_status read_stage(qdi_scene_reader *reader, qdi_yaml_ref node, size_t k) {
    qdi_settings *const scene = reader->settings;
    qdi_stage *stage = &scene->stages[k];
    *stage = qdi_stage_default();
    stage->settings = settings_after(k > 0 ? &scene->stages[k - 1].settings : scene);
    stage->settings.stage = k;
    scene->stage_count = k + 1;
    snprintf(reader->path, sizeof reader->path, "stages.%zu", k);
    reader->stage = stage;
    if (k > 0) reader->settings = &stage->settings;
    qd_status status = qdi_scene_read_stage(reader, node, stage);
    reader->stage = NULL;
    reader->settings = scene;
    if (k > 0 || status != QD_OK) return status;
    const qdi_settings own = stage->settings; // its changes went to the scene
    stage->settings = settings_after(scene);
    stage->settings.items = own.items;
    stage->settings.item_count = own.item_count;
    stage->settings.item_room = own.item_room;
    stage->settings.rules = own.rules;
    stage->settings.rule_count = own.rule_count;
    stage->settings.rule_room = own.rule_room;
    return status;
}

// Puts regions and numbers of added bodies where they depend on other keys.
static void complete_stage(qdi_settings *settings) {
    const qd_world_def *world = &settings->world;
    for (size_t i = 0; i < settings->item_count; ++i)
        if (isnan(settings->items[i].region.width))
            settings->items[i].region = (qdi_region){world->origin.x, world->origin.y, world->size.x,
                                                     world->size.y};
}

// Checks all stages, now that it is known how many there are.
static qd_status check_stages(qdi_scene_reader *reader) {
    qdi_settings *scene = reader->settings;
    qdi_yaml_ref node = reader->yaml.nodes[reader->stages].first;
    qd_status status = check_first(reader, node, &scene->stages[0]);
    for (size_t k = 0; k < scene->stage_count && status == QD_OK; ++k, node = reader->yaml.nodes[node].next) {
        qdi_stage *stage = &scene->stages[k];
        status = check_name(reader, node, k);
        if (status == QD_OK) status = check_end(reader, node, stage, k);
        if (status == QD_OK) status = check_picks(reader, node, stage, k);
        if (status == QD_OK) status = check_settings(reader, node, stage, k);
        if (status == QD_OK && k > 0) status = check_compressed(reader, node, stage, k);
        complete_stage(&stage->settings);
    }
    return status;
}

// A run is as long as its stages, where the scene does not say how long it is.
static qd_status settle_steps(const qdi_scene_reader *reader) {
    static const char *const path[] = {"run", "steps", NULL};
    qdi_settings *scene = reader->settings;
    const qdi_stage *last = &scene->stages[scene->stage_count - 1];
    const bool given = qdi_scene_find(reader, reader->root, path) != 0;
    if (last->steps == 0 && last->at_most == 0 && !given)
        return qdi_scene_complain(reader, reader->stages,
                                  "stages.%zu: the last one needs an end, or the run needs run.steps",
                                  scene->stage_count - 1);
    if (given) return QD_OK;
    double sum = 0;
    for (size_t k = 0; k < scene->stage_count; ++k) {
        const qdi_stage *stage = &scene->stages[k];
        sum += (double)(stage->steps > 0 ? stage->steps : stage->at_most);
    }
    if (sum > 0x1p53)
        return qdi_scene_complain(reader, reader->stages, "stages: they have more than 2^53 steps");
    scene->run.steps = (uint64_t)sum;
    return QD_OK;
}

// ---- the names of emitters ----

/// The most names that the emitters of a scene may have.
enum { SOURCES_MAX = 1000 };

// Gives the names of all emitters numbers, the same to the same name, and rules those of the names they have.
static qd_status number_sources(const qdi_scene_reader *reader) {
    qdi_settings *scene = reader->settings;
    const qdi_source *named[SOURCES_MAX];
    uint32_t count = 0;
    for (size_t k = 0; k == 0 || k < scene->stage_count; ++k) {
        const bool own = k == 0 || scene->stages[k].emits; // else they are those of the stage before
        const qdi_settings *of = k == 0 ? scene : &scene->stages[k].settings;
        for (size_t i = 0; own && i < of->source_count; ++i) {
            qdi_source *source = &of->sources[i];
            uint32_t at = 0;
            if (!source->name[0]) continue;
            while (at < count && strcmp(named[at]->name, source->name) != 0) ++at;
            if (at == SOURCES_MAX)
                return qdi_reason(reader->error, QD_ERR_INVALID, "%s: emitters have more than %d names",
                                  reader->name, SOURCES_MAX);
            if (at == count) named[count++] = source;
            source->number = at + 1;
        }
    }
    for (size_t k = 0; k <= scene->stage_count; ++k) {
        qdi_settings *of = k == 0 ? scene : &scene->stages[k - 1].settings;
        for (size_t i = 0; i < of->rule_count; ++i) {
            qd_until_rule *rule = &of->rules[i];
            uint32_t at = 0;
            if (!rule->emitter[0]) continue;
            while (at < count && strcmp(named[at]->name, rule->emitter) != 0) ++at;
            if (at == count)
                return qdi_scene_complain(reader, reader->root, "gone: no emitter is called \"%s\"",
                                          rule->emitter);
            rule->source = at + 1;
        }
    }
    return QD_OK;
}

qd_status qdi_scene_read_stages(qdi_scene_reader *reader) {
    const qdi_yaml_node *list = &reader->yaml.nodes[reader->stages];
    qdi_settings *scene = reader->settings;
    if (reader->stages == 0) return number_sources(reader);
    if (list->kind != QDI_YAML_LIST)
        return qdi_scene_complain(reader, reader->stages, "stages must be a list");
    if (list->count > QD_STAGES_MAX)
        return qdi_scene_complain(reader, reader->stages, "stages: more than %d", QD_STAGES_MAX);
    if (list->count == 0) return number_sources(reader);
    qd_status status = qdi_reserve(reader->allocator, &scene->stages, &scene->stage_room, 0, list->count,
                                   sizeof *scene->stages);
    qdi_yaml_ref node = list->first;
    for (size_t k = 0; node && status == QD_OK; ++k, node = reader->yaml.nodes[node].next)
        status = read_stage(reader, node, k);
    if (status == QD_OK) status = check_stages(reader);
    if (status == QD_OK) status = settle_steps(reader);
    return status == QD_OK ? number_sources(reader) : status;
}
