#ifndef QD_SIM_COMPARE_FIELDS_H
#define QD_SIM_COMPARE_FIELDS_H

#include "sim/world/population.h"

#include <stdbool.h>
#include <stddef.h>

/// The fields of a world by table: what a saved world holds has a line there. compare.c walks over the
/// things, here is what they are made of. Any thread.

typedef enum qdi_field_kind {
    QDI_FIELD_REAL,  ///< double
    QDI_FIELD_FLOAT, ///< float
    QDI_FIELD_U64,
    QDI_FIELD_U32,
    QDI_FIELD_I32,
    QDI_FIELD_I16,
    QDI_FIELD_U8,
    QDI_FIELD_BOOL,
    QDI_FIELD_WORD, ///< an enum with a word for each value
    QDI_FIELD_PART, ///< a struct with a table of its own, or several one after the other
} qdi_field_kind;

typedef struct qdi_fields qdi_fields;

typedef struct qdi_field {
    const char *name; ///< NULL of a part: its fields have no name in front
    qdi_field_kind kind;
    bool work; ///< changes no result
    size_t offset;
    const char *const *words; ///< ends with NULL
    const qdi_fields *part;
    size_t count, stride; ///< of a part: 0 = there is one, without a number in its name
} qdi_field;

struct qdi_fields {
    const qdi_field *field;
    size_t count;
};

/// A contact and what keeps it at rest.
typedef struct qdi_held_contact {
    qd_contact contact;
    qdi_warm_start hold;
    qdi_pull pull; ///< 0 where there are no springs
} qdi_held_contact;

/// A world's own: qd_world.
extern const qdi_fields qdi_fields_world;
/// qd_body_state.
extern const qdi_fields qdi_fields_body;
/// A body's fat box: qd_box.
extern const qdi_fields qdi_fields_fat;
/// qdi_held_contact.
extern const qdi_fields qdi_fields_contact;
/// qdi_emitter and qdi_sink.
extern const qdi_fields qdi_fields_emitter, qdi_fields_sink;

/// Longest name of a field and text of a value, the closing zero included.
#define QDI_FIELD_ROOM 64

/// Told a field that differs; `first` and `second` read back as the values, bit for bit. False: stop.
typedef bool (*qdi_field_visit)(void *context, const char *name, const char *first, const char *second,
                                bool work);

/// Visits the fields of a table that differ, in its order: bit by bit, but any NaN equals any other. False
/// where the visitor stopped.
bool qdi_fields_compare(const qdi_fields *fields, const void *first, const void *second,
                        qdi_field_visit visit, void *context);

#endif
