#pragma once

#include <stddef.h>
#include <stdint.h>

/// Search: the first place in [low, high) of numbers that do not fall whose number is at least `value`;
/// `high` where there is none.
static inline size_t qdi_lower_bound_64(const uint64_t *sorted, size_t low, size_t high, uint64_t value) {
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (sorted[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/// Search: the same of shorter numbers.
static inline size_t qdi_lower_bound_32(const uint32_t *sorted, size_t low, size_t high, uint32_t value) {
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (sorted[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
