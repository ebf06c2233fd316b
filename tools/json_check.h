#ifndef QD_TOOLS_JSON_CHECK_H
#define QD_TOOLS_JSON_CHECK_H

#include <stdbool.h>

/// Looks at JSON that somebody else may have touched (RFC 8259), before it becomes part of a page.

/// Whether all of `text` is one value, with objects and arrays at most 64 deep in each other.
bool qdi_json_sound(const char *text);

/// Where the value of a member of the outermost object begins; NULL where there is none. The text is sound; names with
/// escapes are not found.
const char *qdi_json_member(const char *text, const char *name);

#endif
