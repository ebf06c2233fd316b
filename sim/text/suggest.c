#include "sim/text/suggest.h"

enum { LONGEST = 64 };

// Suggested word: the smaller of two lengths.
static size_t smaller_of(size_t a, size_t b) {
    return a < b ? a : b;
}

size_t qdi_suggest_distance(const char *a, size_t a_bytes, const char *b, size_t b_bytes) {
    size_t rows = smaller_of(a_bytes, LONGEST), columns = smaller_of(b_bytes, LONGEST);
    // Distances between the beginnings of a and b, by length; only the last three lengths of a are kept.
    size_t table[3][LONGEST + 1];
    for (size_t j = 0; j <= columns; ++j) table[0][j] = j;
    for (size_t i = 1; i <= rows; ++i) {
        size_t *row = table[i % 3];
        const size_t *above = table[(i - 1) % 3], *two_above = table[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= columns; ++j) {
            size_t changed = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = smaller_of(changed, 1 + smaller_of(above[j], row[j - 1]));
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = smaller_of(row[j], two_above[j - 2] + 1);
        }
    }
    return table[rows % 3][columns];
}

void qdi_suggest(qdi_suggestion *best, const char *word, size_t bytes, const char *known,
                 size_t known_bytes) {
    size_t allowed = known_bytes > 4 ? (known_bytes + 1) / 3 : 1;
    size_t distance = qdi_suggest_distance(word, bytes, known, known_bytes);
    if (distance > allowed || (best->word && distance >= best->distance)) return;
    best->word = known;
    best->distance = distance;
}
