// Materials of a scene: what their names stand for, and how they come into a world.
#include "core/base/memory.h"
#include "sim/scene/scene_impl.h"
#include "sim/text/suggest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Scene: whether a word that stands among the materials is the name of one.
static bool names_one(const qdi_scene_reader *reader, qdi_yaml_ref node) {
    const qdi_yaml_node *here = &reader->yaml.nodes[node];
    return !(here->key_bytes == 5 && memcmp(reader->yaml.chars + here->key, "pairs", 5) == 0);
}

/// Scene: the first material of the tree, or 0; they have the numbers of their order, from 1.
static qdi_yaml_ref first_material(const qdi_scene_reader *reader) {
    const qdi_yaml_ref all = qdi_yaml_find(&reader->yaml, reader->root, "materials", strlen("materials"));
    return all && reader->yaml.nodes[all].kind == QDI_YAML_MAP ? reader->yaml.nodes[all].first : 0;
}

// Says that a scene has no material of this name, and which one may have been meant.
static qd_status refuse_material(const qdi_scene_reader *reader, qdi_yaml_ref node) {
    const qdi_yaml_node *here = &reader->yaml.nodes[node];
    const char *word = reader->yaml.chars + here->text;
    char quote[QDI_QUOTE_ROOM], hint[120] = "";
    qdi_suggestion best = {NULL, 0};
    size_t bytes = 0;
    if (here->kind != QDI_YAML_VALUE)
        return qdi_scene_complain(reader, node, "%s: must be the name of a material", reader->path);
    for (qdi_yaml_ref k = first_material(reader); k; k = reader->yaml.nodes[k].next) {
        const qdi_yaml_node *known = &reader->yaml.nodes[k];
        const char *before = best.word;
        if (names_one(reader, k))
            qdi_suggest(&best, word, here->bytes, reader->yaml.chars + known->key, known->key_bytes);
        if (best.word != before) bytes = known->key_bytes;
    }
    if (best.word)
        snprintf(hint, sizeof hint, "; did you mean \"%.*s\"?", (int)(bytes < 60 ? bytes : 60), best.word);
    return qdi_scene_complain(reader, node, "%s: there is no material \"%s\"%s", reader->path,
                              qdi_quote(quote, word, here->bytes), hint);
}

qd_status qdi_scene_material(const qdi_scene_reader *reader, qdi_yaml_ref node, uint32_t *number) {
    const qdi_yaml_node *here = &reader->yaml.nodes[node];
    const char *word = reader->yaml.chars + here->text;
    *number = 0;
    if (here->kind == QDI_YAML_VALUE && here->bytes == 4 && memcmp(word, "none", 4) == 0) return QD_OK;
    uint32_t place = 0;
    for (qdi_yaml_ref k = first_material(reader); k && here->kind == QDI_YAML_VALUE;
         k = reader->yaml.nodes[k].next) {
        const qdi_yaml_node *known = &reader->yaml.nodes[k];
        if (!names_one(reader, k)) continue;
        ++place;
        if (known->key_bytes != here->bytes ||
            memcmp(reader->yaml.chars + known->key, word, here->bytes) != 0)
            continue;
        *number = place;
        return QD_OK;
    }
    return refuse_material(reader, node);
}

qd_status qdi_scene_material_pair(const qdi_scene_reader *reader, qdi_yaml_ref node, uint32_t of[2]) {
    const qdi_yaml_node *here = &reader->yaml.nodes[node];
    if (here->kind != QDI_YAML_LIST || here->count != 2)
        return qdi_scene_complain(reader, node, "%s: must be the names of two materials", reader->path);
    qd_status status = qdi_scene_material(reader, here->first, &of[0]);
    if (status == QD_OK) status = qdi_scene_material(reader, here->last, &of[1]);
    if (status == QD_OK && (of[0] == 0 || of[1] == 0))
        return qdi_scene_complain(reader, node, "%s: must be the names of two materials", reader->path);
    for (size_t k = 0; k + 1 < reader->settings->pair_count && status == QD_OK; ++k) {
        const uint32_t *other = reader->settings->pairs[k].of;
        if ((other[0] == of[0] && other[1] == of[1]) || (other[0] == of[1] && other[1] == of[0]))
            return qdi_scene_complain(reader, node, "%s: the pair is given twice", reader->path);
    }
    return status;
}

qd_status qdi_scene_add_material(const qdi_scene_reader *reader, qdi_yaml_ref node, qdi_named **made) {
    qdi_settings *settings = reader->settings;
    const qdi_yaml_node *here = &reader->yaml.nodes[node];
    const char *word = reader->yaml.chars + here->key;
    char quote[QDI_QUOTE_ROOM];
    bool good = here->key_bytes > 0 && here->key_bytes < QD_MATERIAL_NAME &&
                !(here->key_bytes == 4 && memcmp(word, "none", 4) == 0);
    for (size_t i = 0; i < here->key_bytes && good; ++i)
        good = (word[i] >= 'a' && word[i] <= 'z') || (word[i] >= 'A' && word[i] <= 'Z') ||
               (word[i] >= '0' && word[i] <= '9') || word[i] == '_' || word[i] == '-';
    if (!good)
        return qdi_scene_complain(
            reader, node,
            "materials: a name must be 1 to %d letters, digits, \"_\" or \"-\", and not "
            "none, not \"%s\"",
            QD_MATERIAL_NAME - 1, qdi_quote(quote, word, here->key_bytes));
    for (size_t k = 0; k < settings->named_count; ++k)
        if (strlen(settings->named[k].name) == here->key_bytes &&
            memcmp(settings->named[k].name, word, here->key_bytes) == 0)
            return qdi_scene_complain(reader, node, "materials.%s is given twice", settings->named[k].name);
    if (settings->named_count == QD_MATERIALS_MAX)
        return qdi_scene_complain(reader, node, "materials: more than %d", QD_MATERIALS_MAX);
    qd_status status = qdi_reserve(reader->allocator, &settings->named, &settings->named_room,
                                   settings->named_count, settings->named_count + 1, sizeof *settings->named);
    if (status != QD_OK) return status;
    *made = &settings->named[settings->named_count++];
    **made = qdi_named_default();
    memcpy((*made)->name, word, here->key_bytes);
    return QD_OK;
}

// Whether some surface of a scene is of a material.
static bool is_used(const qdi_settings *settings, uint32_t number) {
    bool used = settings->world.walls.of == number;
    for (size_t i = 0; i < settings->item_count && !used; ++i) {
        const qdi_body_item *item = &settings->items[i];
        used = item->material.of == number || item->kind == QDI_ITEM_RUN; // whatever it brings
        for (size_t k = 0; k < item->listed_count && !used; ++k)
            used = item->listed[k].def.material.of == number;
    }
    for (size_t i = 0; i < settings->source_count && !used; ++i)
        used = settings->sources[i].body.def.material.of == number;
    return used;
}

qd_status qdi_scene_note_materials(const qdi_scene_reader *reader) {
    const qdi_settings *settings = reader->settings;
    char shown[QDI_QUOTE_ROOM], line[QDI_QUOTE_ROOM + 80];
    for (size_t k = 0; k < settings->named_count; ++k) {
        if (is_used(settings, (uint32_t)k + 1)) continue;
        (void)snprintf(line, sizeof line, "%s: nothing is of the material %s\n",
                       qdi_quote(shown, reader->name, strlen(reader->name)), settings->named[k].name);
        qdi_text_add(reader->notes, line);
    }
    return reader->notes->status;
}

double qdi_scene_density(const qdi_settings *settings, double given, uint32_t of) {
    if (isnan(given) && of > 0) given = settings->named[of - 1].density;
    return isnan(given) ? 1 : given;
}

qd_status qdi_scene_put_materials(const qdi_settings *settings, qd_world *world, qd_error *error) {
    qd_status status = QD_OK;
    for (size_t k = 0; k < settings->named_count && status == QD_OK; ++k)
        status = qd_world_add_material(world, settings->named[k].name, &settings->named[k].surface, NULL,
                                       error);
    for (size_t k = 0; k < settings->pair_count && status == QD_OK; ++k) {
        const qdi_pair *pair = &settings->pairs[k];
        status = qd_world_pair_materials(world, pair->of[0], pair->of[1], &pair->surface, error);
    }
    return status;
}

qd_material qdi_scene_material_again(const qd_world *from, const qd_material *surface,
                                     const qd_world *world) {
    qd_named_material named;
    qd_material again = *surface;
    if (qd_world_material(from, surface->of, &named) != QD_OK) return again;
    again.of = qd_world_find_material(world, named.name);
    if (again.of > 0) return again;
    if (isnan(again.restitution)) again.restitution = named.surface.restitution;
    if (isnan(again.friction)) again.friction = named.surface.friction;
    if (isnan(again.tangential)) again.tangential = named.surface.tangential;
    return again;
}
