// Keys that are known, but say something that a body of its kind does not have: refused, as nothing that a
// scene says of bodies is ignored. What is at its default passes, as resolved scenes write every key; and so
// does what only another `place` reads, for one that is set from outside, as in a sweep, would be refused.

#include "sim/scene/generate.h"
#include "sim/scene/scene_impl.h"

#include <math.h>
#include <string.h>

/// Refuses key `word` of an item; it stands at `path` below the item's node.
static qd_status refuse_key(const qdi_scene_reader *reader, qdi_yaml_ref node, const char *of,
                            const char *const *path, const char *why) {
    const qdi_yaml_ref at = qdi_scene_find(reader, node, path);
    const bool two = path[1] != NULL;
    return qdi_scene_complain(reader, at ? at : node, "%s.%s%s%s: %s", of, path[0], two ? "." : "",
                              two ? path[1] : "", why);
}

/// Whether a density would be of no effect: bodies have a mass. 1 is the default.
static bool is_density_lost(double mass, double density) {
    return !isnan(mass) && !isnan(density) && density != 1;
}

static const char mass_or_density[] = "mass or density, not both";

qd_status qdi_scene_check_listed_keys(const qdi_scene_reader *reader, const qdi_listed *listed,
                                      const char *of, qdi_yaml_ref node) {
    const qdi_listed plain = qdi_listed_default();
    const qd_body_def *body = &listed->def;
    const bool sized = listed->size.x != plain.size.x || listed->size.y != plain.size.y;
    const char *word = NULL, *why = NULL;
    if (sized && listed->shape != QD_SHAPE_RECT) {
        word = "size";
        why = "goes with `shape: rect`";
    } else if (listed->length != plain.length && listed->shape != QD_SHAPE_CAPSULE) {
        word = "length";
        why = "goes with `shape: capsule`";
    } else if (listed->points.count > 0 && listed->shape != QD_SHAPE_POLYGON) {
        word = "points";
        why = "goes with `shape: polygon`";
    } else if (listed->is_static && (body->velocity.x != 0 || body->velocity.y != 0)) {
        word = "velocity";
        why = "a static body has none; `kinematic: true` lets it move";
    } else if (listed->is_static && body->spin != 0) {
        word = "spin";
        why = "a static body has none; `kinematic: true` lets it turn";
    } else if (is_density_lost(body->mass, body->density)) {
        word = "mass";
        why = mass_or_density;
    }
    const char *const path[] = {word, NULL};
    return word ? refuse_key(reader, node, of, path, why) : QD_OK;
}

qd_status qdi_scene_check_item_keys(const qdi_scene_reader *reader, const qdi_body_item *item, const char *of,
                                    qdi_yaml_ref node) {
    const qdi_body_options *file = &item->file.options;
    if (item->kind == QDI_ITEM_FILE && !isnan(file->mass) && !isnan(file->density)) {
        const char *const path[] = {"file", "mass", NULL};
        return refuse_key(reader, node, of, path, mass_or_density);
    }
    if (!qdi_item_is_generator(item)) return QD_OK;
    if (!is_density_lost(item->mass, item->density)) return QD_OK;
    const char *const path[] = {qdi_generator_word(item->kind), "mass", NULL};
    return refuse_key(reader, node, of, path, mass_or_density);
}
