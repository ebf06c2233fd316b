#ifndef QD_SIM_SCHEMA_KEYS_H
#define QD_SIM_SCHEMA_KEYS_H

#include "sim/base/bounds.h"
#include "sim/scene/schema.h"

/// The schema's table in pieces, in the order in which a resolved scene has them. schema.c joins them.

#define IN_SETTINGS(member)    offsetof(qdi_settings, member)
#define IN_ITEM(member)        offsetof(qdi_body_item, member)
#define IN_LISTED(member)      offsetof(qdi_listed, member)
#define IN_LISTED_BODY(member) offsetof(qdi_listed, def.member)
#define IN_SOURCE(member)      offsetof(qdi_source, member)
#define IN_DRAIN(member)       offsetof(qdi_drain, member)

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

#endif
