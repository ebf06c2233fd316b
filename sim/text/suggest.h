#pragma once

#include <stdbool.h>
#include <stddef.h>

/// "Did you mean": the known word that is nearest to a misspelt one. Any thread.
typedef struct qdi_suggestion {
    const char *word; ///< as it was offered; NULL: nothing is near enough
    size_t distance;
} qdi_suggestion;

/// Edit distance: letters to insert, delete, change or swap with their neighbour to make one word the other.
/// Only the first 64 bytes of each count.
size_t qdi_suggest_distance(const char *a, size_t a_bytes, const char *b, size_t b_bytes);

/// Takes `known` (the first `known_bytes` of it are compared) where it is nearer to `word` than what was
/// offered before, and near enough to have been meant: about a third of its letters differ at most, or one in
/// a short word.
void qdi_suggest(qdi_suggestion *best, const char *word, size_t bytes, const char *known, size_t known_bytes);
