#pragma once

#include "sim/scene/schema.h"
#include "sim/world/bounds.h"

/// The schema's table in pieces, in the order in which a resolved scene has them. schema.c joins them.

#define IN_SETTINGS(member)        offsetof(qdi_settings, member)
#define IN_ITEM(member)            offsetof(qdi_body_item, member)
#define IN_LISTED(member)          offsetof(qdi_listed, member)
#define IN_LISTED_BODY(member)     offsetof(qdi_listed, def.member)
#define IN_SOURCE(member)          offsetof(qdi_source, member)
#define IN_DRAIN(member)           offsetof(qdi_drain, member)
#define IN_ITEM_MATERIAL(member)   offsetof(qdi_body_item, material.member)
#define IN_LISTED_MATERIAL(member) offsetof(qdi_listed, def.material.member)
#define IN_WALLS(member)           offsetof(qdi_settings, world.walls.member)
#define IN_NAMED_SURFACE(member)   offsetof(qdi_named, surface.member)
#define IN_PAIR_SURFACE(member)    offsetof(qdi_pair, surface.member)
#define IN_NAMED(member)           offsetof(qdi_named, member)
#define IN_PAIR(member)            offsetof(qdi_pair, member)
#define IN_RULE(member)            offsetof(qd_until_rule, member)
#define IN_STAGE(member)           offsetof(qdi_stage, member)
#define IN_CHANGE(member)          offsetof(qdi_body_change, member)

typedef struct qdi_schema_piece {
    const qdi_key *keys;
    size_t count;
} qdi_schema_piece;

qdi_schema_piece qdi_schema_world(void);
qdi_schema_piece qdi_schema_generators(void);
qdi_schema_piece qdi_schema_polygons(void);
qdi_schema_piece qdi_schema_bodies(void);
qdi_schema_piece qdi_schema_sources(void);
qdi_schema_piece qdi_schema_output(void);
qdi_schema_piece qdi_schema_stages(void);

/// Rows of the table: path, type, where the value is kept, least and most (both 0: of that type there is no
/// such), what it means; then what else is to be said of it, as `.above = true`.
#define KEY(of, kind, place, least, most, ...)                                                               \
    { .path = of, .type = QDI_KEY_##kind, .offset = place, .low = least, .high = most, .about = __VA_ARGS__ }
/// One of any sign, as far as a world reaches.
#define ANY_KEY(of, kind, place, ...) KEY(of, kind, place, -QDI_FURTHEST, QDI_FURTHEST, __VA_ARGS__)
/// One without bounds.
#define FREE_KEY(of, kind, place, ...) KEY(of, kind, place, 0, 0, __VA_ARGS__)
/// One of several words.
#define CHOICE_KEY(of, place, words, ...) FREE_KEY(of, CHOICE, place, __VA_ARGS__, .choices = words)
/// What has keys below it.
#define GROUP_KEY(of, ...)                                                                                   \
    { .path = of, .type = QDI_KEY_GROUP, .about = __VA_ARGS__ }
