#include <quadrille/scene.h>

#include "core/base/arithmetic.h"
#include "core/base/memory.h"
#include "sim/files/os.h"
#include "sim/scene/scene_builtin.h"
#include "sim/scene/scene_impl.h"
#include "sim/text/suggest.h"

#include <quadrille/hash.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char out_of_memory[] = "out of memory";

void qdi_body_item_release(const qd_allocator *allocator, qdi_body_item *item) {
    if (item->file.path.chars) qdi_text_release(&item->file.path);
    if (item->file.from.chars) qdi_text_release(&item->file.from);
    if (item->file.bodies.allocator) qdi_body_file_release(&item->file.bodies);
    qdi_item_run_release(allocator, &item->run);
    qdi_release(allocator, item->listed, item->listed_room, sizeof *item->listed);
}

void qd_scene_destroy(qd_scene *scene) {
    if (!scene) return;
    const qd_allocator *allocator = scene->allocator;
    for (size_t i = 0; i < scene->settings.item_count; ++i)
        qdi_body_item_release(allocator, &scene->settings.items[i]);
    qdi_stages_release(allocator, &scene->settings);
    qdi_release(allocator, scene->settings.items, scene->settings.item_room, sizeof *scene->settings.items);
    qdi_release(allocator, scene->settings.sources, scene->settings.source_room,
                sizeof *scene->settings.sources);
    qdi_release(allocator, scene->settings.drains, scene->settings.drain_room,
                sizeof *scene->settings.drains);
    qdi_release(allocator, scene->settings.rules, scene->settings.rule_room, sizeof *scene->settings.rules);
    qdi_release(allocator, scene->settings.named, scene->settings.named_room, sizeof *scene->settings.named);
    qdi_release(allocator, scene->settings.pairs, scene->settings.pair_room, sizeof *scene->settings.pairs);
    qdi_release(allocator, scene->settings.points, scene->settings.point_room, sizeof(qd_vec2));
    qdi_text_release(&scene->text);
    qdi_text_release(&scene->notes);
    qdi_text_release(&scene->stage_names);
    qdi_release(allocator, scene, 1, sizeof *scene);
}

/// Puts numbers where the defaults depend on other keys.
static void complete_settings(qdi_settings *settings) {
    qd_world_def *world = &settings->world;
    world->seed = settings->run.seed;
    if (isnan(world->limits.distance))
        world->limits.distance = 1e6 * (world->size.x > world->size.y ? world->size.x : world->size.y);
    for (size_t i = 0; i < settings->item_count; ++i)
        if (isnan(settings->items[i].region.width))
            settings->items[i].region = (qdi_region){world->origin.x, world->origin.y, world->size.x,
                                                     world->size.y};
}

/// Scene: from text to checked and complete settings.
static qd_status read_settings(qdi_scene_reader *reader, const char *text, size_t bytes) {
    qdi_yaml_fault fault = {0};
    if (bytes > QDI_SCENE_BYTES_MAX) {
        snprintf(fault.text, sizeof fault.text, "is larger than %zu MB", QDI_SCENE_BYTES_MAX >> 20);
        return qdi_scene_malformed(reader, 0, &fault);
    }
    qd_status status = qdi_yaml_read(&reader->yaml, text, bytes, 0, &reader->root, &fault);
    if (status == QD_OK && (!reader->root || (reader->yaml.nodes[reader->root].kind == QDI_YAML_VALUE &&
                                              reader->yaml.nodes[reader->root].bytes == 0))) {
        snprintf(fault.text, sizeof fault.text, "is empty");
        status = QD_ERR_INVALID;
    }
    if (status == QD_ERR_INVALID) return qdi_scene_malformed(reader, 0, &fault);
    if (status == QD_OK) status = qdi_overrides_apply(reader);
    if (status == QD_OK) status = qdi_scene_read_tree(reader);
    const bool scaled = reader->changes && reader->changes->bodies > 0;
    if (status == QD_OK && scaled && reader->stages)
        return qdi_reason(reader->error, QD_ERR_ARGUMENT,
                          "--bodies: the scene has stages: it cannot be scaled");
    if (status == QD_OK && scaled)
        status = qdi_overrides_scale(reader->settings, reader->changes->bodies, reader->error);
    if (status == QD_OK) status = qdi_scene_settle_fields(reader);
    if (status == QD_OK) complete_settings(reader->settings);
    return status == QD_OK ? qdi_scene_read_stages(reader) : status;
}

// Scene: whether its text or a change of it says what stands below pictures.
static bool says_text(const qdi_scene_reader *reader) {
    static const char *const path[] = {"view", "text", NULL};
    return qdi_scene_find(reader, reader->root, path) != 0;
}

qd_status qdi_scene_parse_with(const qd_allocator *allocator, const char *text, size_t bytes,
                               const char *name, const qd_scene_changes *changes, qd_scene **scene,
                               qd_error *error) {
    qd_scene *made = qdi_allocate(allocator, 1, sizeof *made);
    if (!made) return qdi_reason(error, QD_ERR_MEMORY, "%s", out_of_memory);
    *made = (qd_scene){.allocator = allocator,
                       .settings = qdi_settings_default(),
                       .text.allocator = allocator,
                       .notes.allocator = allocator,
                       .stage_names.allocator = allocator};
    qdi_scene_reader reader = {.name = name,
                               .changes = changes,
                               .error = error,
                               .yaml = {.allocator = allocator},
                               .settings = &made->settings,
                               .notes = &made->notes,
                               .allocator = allocator};
    qd_status status = read_settings(&reader, text, bytes);
    made->says_text = status == QD_OK && says_text(&reader);
    qdi_yaml_release(&reader.yaml);
    if (status == QD_OK) {
        qdi_scene_write(&made->settings, &made->text);
        status = made->text.status;
    }
    for (size_t k = 0; status == QD_OK && k < made->settings.stage_count; ++k) {
        qdi_text_add(&made->stage_names, made->settings.stages[k].name);
        qdi_text_add(&made->stage_names, "\n");
        status = made->stage_names.status;
    }
    if (status == QD_ERR_MEMORY) qdi_reason(error, status, "%s", out_of_memory);
    if (status != QD_OK) {
        qd_scene_destroy(made);
        return status;
    }
    made->hash = qd_hash_bytes(made->text.chars, made->text.used);
    *scene = made;
    return QD_OK;
}

qd_status qd_scene_parse(const char *text, size_t bytes, const char *name, const qd_scene_changes *changes,
                         qd_scene **scene, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (error) error->text[0] = 0;
    if (!text || !name || !scene)
        return qdi_reason(error, QD_ERR_ARGUMENT, "a scene's text, name or result is a null pointer");
    return qdi_scene_parse_with(qd_allocator_default(), text, bytes, name, changes, scene, error);
}

/// The whole of an open file, up to one byte more than a scene may have.
static qd_status read_whole(FILE *file, const char *quote, char **text, size_t *room, size_t *used,
                            qd_error *error) {
    const size_t piece = 1 << 16;
    for (;;) {
        if (qdi_reserve(qd_allocator_default(), text, room, *used, *used + piece, 1) != QD_OK)
            return qdi_reason(error, QD_ERR_MEMORY, "%s", out_of_memory);
        size_t got = fread(*text + *used, 1, piece, file);
        *used += got;
        if (ferror(file))
            return qdi_reason(error, QD_ERR_IO, "%s: cannot be read: %s", quote, strerror(errno));
        if (got < piece || *used > QDI_SCENE_BYTES_MAX) return QD_OK;
    }
}

qd_status qd_scene_read(const char *path, const qd_scene_changes *changes, qd_scene **scene,
                        qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (error) error->text[0] = 0;
    if (!path || !scene)
        return qdi_reason(error, QD_ERR_ARGUMENT, "a scene's path or result is a null pointer");
    char quote[QDI_QUOTE_ROOM];
    qdi_quote(quote, path, strlen(path));
    FILE *file = NULL;
    qd_error why;
    qd_status status = qdi_os_open(path, QDI_OS_GIVEN, &file, &why);
    if (status != QD_OK) return qdi_reason(error, status, "%s: cannot be opened: %s", quote, why.text);
    char *text = NULL;
    size_t room = 0, used = 0;
    status = read_whole(file, quote, &text, &room, &used, error);
    fclose(file);
    if (status == QD_OK) status = qd_scene_parse(text, used, path, changes, scene, error);
    qdi_release(qd_allocator_default(), text, room, 1);
    return status;
}

qd_status qd_scene_builtin(const char *name, const qd_scene_changes *changes, qd_scene **scene,
                           qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (error) error->text[0] = 0;
    if (!name || !scene)
        return qdi_reason(error, QD_ERR_ARGUMENT, "a scene's name or result is a null pointer");
    qdi_builtin builtin;
    qdi_suggestion best = {0};
    for (size_t i = 0; qdi_builtin_get(i, &builtin); ++i) {
        if (strcmp(builtin.name, name) == 0)
            return qd_scene_parse(builtin.text, builtin.bytes, name, changes, scene, error);
        qdi_suggest(&best, name, strlen(name), builtin.name, strlen(builtin.name));
    }
    char quote[QDI_QUOTE_ROOM];
    qdi_quote(quote, name, strlen(name));
    if (!best.word) return qdi_reason(error, QD_ERR_NOT_FOUND, "no built-in scene \"%s\"", quote);
    return qdi_reason(error, QD_ERR_NOT_FOUND, "no built-in scene \"%s\"; did you mean \"%s\"?", quote,
                      best.word);
}

const char *qd_scene_name(const qd_scene *scene) {
    return scene->settings.name;
}

qd_scene_run qd_scene_run_settings(const qd_scene *scene) {
    return scene->settings.run;
}

qd_view qd_scene_view(const qd_scene *scene) {
    qd_view view = scene->settings.view;
    view.stages = scene->stage_names.chars;
    return view;
}

qd_video_settings qd_scene_video(const qd_scene *scene) {
    return scene->settings.video;
}

qd_world_def qd_scene_world(const qd_scene *scene) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    return scene->settings.world;
}

uint64_t qd_scene_bodies(const qd_scene *scene) {
    uint64_t total = 0;
    for (size_t i = 0; i < scene->settings.item_count; ++i) total += scene->settings.items[i].count;
    return total;
}

bool qd_scene_until(const qd_scene *scene, size_t number, qd_until_rule *rule) {
    if (number >= scene->settings.rule_count) return false;
    *rule = scene->settings.rules[number];
    return true;
}

size_t qd_scene_stages(const qd_scene *scene) {
    return scene->settings.stage_count;
}

bool qd_scene_stage_at(const qd_scene *scene, size_t number, qd_scene_stage *stage) {
    if (number >= scene->settings.stage_count) return false;
    const qdi_stage *from = &scene->settings.stages[number];
    *stage = (qd_scene_stage){from->name, from->steps > 0 ? from->steps : from->at_most,
                              from->settings.rule_count};
    return true;
}

bool qd_scene_stage_until(const qd_scene *scene, size_t number, size_t rule, qd_until_rule *until) {
    if (number >= scene->settings.stage_count) return false;
    const qdi_settings *from = &scene->settings.stages[number].settings;
    if (rule >= from->rule_count) return false;
    *until = from->rules[rule];
    return true;
}

qd_scene_run qd_scene_stage_run(const qd_scene *scene, size_t number) {
    qd_scene_run run = scene->settings.run;
    if (number >= scene->settings.stage_count) return run;
    const qd_scene_run *own = &scene->settings.stages[number].settings.run;
    run.record_metrics = own->record_metrics;
    run.record_hashes = own->record_hashes;
    run.record_snapshots = own->record_snapshots;
    run.record_events = own->record_events;
    run.record_structure = own->record_structure;
    run.record_fields = own->record_fields;
    run.field_sample = own->field_sample;
    run.record_distributions = own->record_distributions;
    run.distribution_sample = own->distribution_sample;
    run.frames_every = own->frames_every;
    return run;
}

qd_view qd_scene_stage_view(const qd_scene *scene, size_t number) {
    qd_view view = qd_scene_view(scene);
    if (number >= scene->settings.stage_count) return view;
    const char *names = view.stages;
    view = scene->settings.stages[number].settings.view;
    view.stages = names;
    return view;
}

bool qd_scene_grows(const qd_scene *scene) {
    bool grows = scene->settings.source_count > 0;
    for (size_t k = 0; k < scene->settings.stage_count && !grows; ++k)
        grows = scene->settings.stages[k].settings.source_count +
                    scene->settings.stages[k].settings.item_count >
                0;
    return grows;
}

const char *qd_scene_text(const qd_scene *scene) {
    return scene->text.chars;
}

uint64_t qd_scene_hash(const qd_scene *scene) {
    return scene->hash;
}

const char *qd_scene_notes(const qd_scene *scene) {
    return scene->notes.chars ? scene->notes.chars : "";
}

bool qd_scene_file_at(const qd_scene *scene, size_t number, qd_scene_file *file) {
    for (size_t i = 0; i < scene->settings.item_count; ++i) {
        const qdi_body_item *item = &scene->settings.items[i];
        bool run = item->kind == QDI_ITEM_RUN;
        if ((!run && item->kind != QDI_ITEM_FILE) || number-- > 0) continue;
        const qdi_text *part = &item->file.bodies.part;
        *file = run ? (qd_scene_file){item->run.path.chars, (const char *)item->run.data, item->run.bytes}
                    : (qd_scene_file){item->file.path.chars, part->chars, part->used};
        return true;
    }
    return false;
}
