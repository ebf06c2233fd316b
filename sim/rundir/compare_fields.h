#pragma once

#include "sim/world/fields.h"

/// Compares structs by table. compare.c walks over the things of a world. Any thread.

/// Longest name of a field and text of a value, the closing zero included.
#define QDI_FIELD_ROOM 64

/// Told a field that differs; `first` and `second` read back as the values, bit for bit. False: stop.
typedef bool (*qdi_field_visit)(void *context, const char *name, const char *first, const char *second,
                                bool work);

/// Visits the fields of a table that differ, in its order, those that change no result after the others: bit
/// by bit, but any NaN equals any other. False where the visitor stopped.
bool qdi_fields_compare(const qdi_fields *fields, const void *first, const void *second,
                        qdi_field_visit visit, void *context);
