// Sorts by least significant digits, in three ways that give the same.
//
// One thread goes from digit to digit. It skips bits in which no keys differ.
//
// Many items are cut into ranges. Range r has row r of a table: first how many of its items have each digit,
// then where the next of them goes; so ranges move their items side by side, digit by digit.
//
// Of some thousand items that would leave a few for each range and digit: threads would write next to each
// other all over the lines of the cache, and wait for these more than they work. So these are dealt out to
// blocks of neighbouring keys, as a sample of the keys tells, and a block picks its items from all that
// there are: everyone reads everything, which costs little, and writes in one place alone.
//
//   keys    | 7 1 9 4 8 2 3 6 |       blocks from 0 on and from 5 on
//   spare   | 1 4 2 3 | 7 9 8 6 |     picked, in their order
//   keys    | 1 2 3 4 | 6 7 8 9 |     each block sorted by one thread

#include "core/parallel/sort.h"

#include "core/parallel/parallel.h"

#include <stdbool.h>
#include <string.h>

/// A sort by insertion up to FEW items; digits are long from LONG_FROM on; threads pick from PICK_FROM on,
/// and there are ranges from RANGES_FROM on.
enum { FEW = 64, LONG_FROM = 4096, PICK_FROM = 2048, RANGES_FROM = 65536 };
enum { SHORT_DIGIT = 8, LONG_DIGIT = 11, GRAIN = 16384 };

/// Items of a sort; `values` may be NULL.
typedef struct items {
    uint64_t *keys;
    uint32_t *values;
} items;

/// Sort: items by their arrays.
static items items_of(uint64_t *keys, uint32_t *values) {
    return (items){keys, values};
}

/// Sort: items from place `first` on.
static items items_from(items all, size_t first) {
    return items_of(all.keys + first, all.values ? all.values + first : NULL);
}

/// Sort: copies items.
static void copy_items(items from, items to, size_t count) {
    memcpy(to.keys, from.keys, count * sizeof *to.keys);
    if (from.values && to.values) memcpy(to.values, from.values, count * sizeof *to.values);
}

// ---- by one thread ----

/// Sort: sorts items by insertion.
static void insert_items(items all, size_t count, int bit) {
    for (size_t i = 1; i < count; ++i) {
        const uint64_t key = all.keys[i];
        const uint32_t value = all.values ? all.values[i] : 0;
        size_t j = i;
        for (; j > 0 && all.keys[j - 1] >> bit > key >> bit; --j) {
            all.keys[j] = all.keys[j - 1];
            if (all.values) all.values[j] = all.values[j - 1];
        }
        all.keys[j] = key;
        if (all.values) all.values[j] = value;
    }
}

void qdi_sort_near(uint64_t *keys, uint32_t *values, size_t count) {
    insert_items(items_of(keys, values), count, 0);
}

/// Sort: moves items to their places by the digit at `shift`.
static void move_by_digit(items from, items to, size_t count, int shift, int digit) {
    uint32_t next[1 << LONG_DIGIT];
    const uint64_t mask = (UINT64_C(1) << digit) - 1;
    memset(next, 0, (mask + 1) * sizeof next[0]);
    for (size_t i = 0; i < count; ++i) ++next[from.keys[i] >> shift & mask];
    uint32_t sum = 0;
    for (size_t d = 0; d <= mask; ++d) {
        const uint32_t here = next[d];
        next[d] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; ++i) {
        const uint32_t place = next[from.keys[i] >> shift & mask]++;
        to.keys[place] = from.keys[i];
        if (to.values) to.values[place] = from.values[i];
    }
}

/// Sort: how many bits to sort by next, of those in which keys differ: as few times as will do, and then as
/// few bits as will do.
static int digit_of(uint64_t differ, size_t count) {
    const int most = count < LONG_FROM ? SHORT_DIGIT : LONG_DIGIT, bits = 64 - __builtin_clzll(differ),
              passes = (bits + most - 1) / most;
    return (bits + passes - 1) / passes;
}

/// Sort: sorts items by the bits of their keys from `bit` on; returns which of the two they end in.
static items sort_items(items now, items next, size_t count, int bit) {
    if (count < FEW) {
        insert_items(now, count, bit);
        return now;
    }
    uint64_t differ = 0;
    for (size_t i = 1; i < count; ++i) differ |= now.keys[i] ^ now.keys[0];
    for (int shift = bit; shift < 64 && differ >> shift;) {
        shift += __builtin_ctzll(differ >> shift);
        const int digit = digit_of(differ >> shift, count);
        move_by_digit(now, next, count, shift, digit);
        shift += digit;
        const items moved = next;
        next = now;
        now = moved;
    }
    return now;
}

/// Sort: the same; they end in `to`, which is one of the two.
static void sort_to(items from, items room, items to, size_t count, int bit) {
    const items sorted = sort_items(from, room, count, bit);
    if (sorted.keys != to.keys) copy_items(sorted, to, count);
}

void qdi_sort(uint64_t *keys, uint32_t *values, uint64_t *keys_spare, uint32_t *values_spare, size_t count,
              int bit) {
    const items all = items_of(keys, values);
    sort_to(all, items_of(keys_spare, values_spare), all, count, bit);
}

// ---- by blocks ----

enum { BLOCKS_MOST = 16, BLOCK_LEAST = 1024, SAMPLES = 16 };

/// The items whose keys are `low` to `low + span`.
typedef struct block {
    uint64_t low, span;
} block;

typedef struct pick_job {
    items all, spare;
    size_t count, blocks;
    block block[BLOCKS_MOST];
    size_t first[BLOCKS_MOST + 1]; ///< how many a block has, then where they come to lie
} pick_job;

/// Sort: bounds of the blocks, at most `most`, by keys from all over.
static void bound_blocks(pick_job *job, size_t most) {
    uint64_t sample[BLOCKS_MOST * SAMPLES], spare[BLOCKS_MOST * SAMPLES];
    const size_t samples = most * SAMPLES;
    for (size_t i = 0; i < samples; ++i) sample[i] = job->all.keys[i * job->count / samples];
    qdi_sort(sample, NULL, spare, NULL, samples, 0);
    job->blocks = 1;
    job->block[0].low = 0;
    for (size_t i = SAMPLES; i < samples; i += SAMPLES) {
        block *last = &job->block[job->blocks - 1];
        if (sample[i] == last->low) continue; // one key fills the block, and more
        last->span = sample[i] - last->low - 1;
        job->block[job->blocks++].low = sample[i];
    }
    block *last = &job->block[job->blocks - 1];
    last->span = UINT64_MAX - last->low;
}

/// Sort: counts the items of blocks.
static void count_blocks(void *context, size_t begin, size_t end) {
    pick_job *job = context;
    for (size_t b = begin; b < end; ++b) {
        const uint64_t low = job->block[b].low, span = job->block[b].span, *keys = job->all.keys;
        size_t count = 0;
        for (size_t i = 0; i < job->count; ++i) count += keys[i] - low <= span;
        job->first[b] = count;
    }
}

/// Sort: puts the items of blocks side by side, each in its place until another one proves to be of the
/// block.
static void pick_blocks(void *context, size_t begin, size_t end) {
    const pick_job *job = context;
    for (size_t b = begin; b < end; ++b) {
        const block *of = &job->block[b];
        const items from = job->all, to = items_from(job->spare, job->first[b]);
        const size_t count = job->first[b + 1] - job->first[b];
        for (size_t i = 0, place = 0; place < count; ++i) {
            to.keys[place] = from.keys[i];
            if (to.values) to.values[place] = from.values[i];
            place += from.keys[i] - of->low <= of->span;
        }
    }
}

/// Sort: sorts blocks, each by itself.
static void sort_blocks(void *context, size_t begin, size_t end) {
    const pick_job *job = context;
    for (size_t b = begin; b < end; ++b) {
        const items to = items_from(job->all, job->first[b]);
        sort_to(items_from(job->spare, job->first[b]), to, to, job->first[b + 1] - job->first[b], 0);
    }
}

/// Sort: some thousand items.
static void sort_by_blocks(qd_team *team, items all, items spare, size_t count) {
    const size_t threads = (size_t)qdi_team_used(team);
    pick_job job = {.all = all, .spare = spare, .count = count};
    size_t most = count / BLOCK_LEAST;
    if (most > threads) most = threads;
    if (most > BLOCKS_MOST) most = BLOCKS_MOST;
    bound_blocks(&job, most);
    qdi_team_for(team, job.blocks, 1, count_blocks, &job);
    (void)qdi_exclusive_scan(job.first, job.blocks + 1);
    qdi_team_for(team, job.blocks, 1, pick_blocks, &job);
    qdi_team_for(team, job.blocks, 1, sort_blocks, &job);
}

// ---- by ranges ----

/// A pass moves items by one digit.
typedef struct range_pass {
    items from, to;
    size_t *table; ///< a row per range
    size_t radix;  ///< number of digits
    int shift;
} range_pass;

/// Sort: counts the digits of the keys of a range.
static void count_range(void *context, size_t begin, size_t end) {
    const range_pass *pass = context;
    const size_t radix = pass->radix;
    size_t *row = pass->table + begin / GRAIN * radix;
    memset(row, 0, radix * sizeof *row);
    for (size_t i = begin; i < end; ++i) row[(pass->from.keys[i] >> pass->shift) & (radix - 1)] += 1;
}

/// Sort: moves the items of a range to their places by one digit.
static void move_range(void *context, size_t begin, size_t end) {
    const range_pass *pass = context;
    const size_t radix = pass->radix;
    size_t *row = pass->table + begin / GRAIN * radix;
    for (size_t i = begin; i < end; ++i) {
        const size_t place = row[(pass->from.keys[i] >> pass->shift) & (radix - 1)]++;
        pass->to.keys[place] = pass->from.keys[i];
        if (pass->to.values) pass->to.values[place] = pass->from.values[i];
    }
}

/// Sort: copies a range of items.
static void copy_range(void *context, size_t begin, size_t end) {
    const range_pass *pass = context;
    copy_items(items_from(pass->from, begin), items_from(pass->to, begin), end - begin);
}

/// Sort: turns the counts of digits into places: digit by digit, and within a digit range by range, which
/// keeps equal keys in order. Returns false where all items have one digit, so that there is nothing to move.
static bool counts_to_places(const range_pass *pass, size_t ranges, size_t count) {
    size_t sum = 0;
    for (size_t digit = 0; digit < pass->radix; ++digit) {
        const size_t before = sum;
        for (size_t range = 0; range < ranges; ++range) {
            size_t *cell = &pass->table[range * pass->radix + digit];
            const size_t here = *cell;
            *cell = sum;
            sum += here;
        }
        if (sum - before == count) return false;
    }
    return true;
}

/// Sort: many items.
static qd_status sort_by_ranges(qd_team *team, items all, items spare, size_t count, int bits) {
    // As few passes as will do, and of them digits as short as will do: what one thread does grows with them.
    const int passes = (bits + LONG_DIGIT - 1) / LONG_DIGIT,
              digit = passes > 0 ? (bits + passes - 1) / passes : 1;
    const size_t ranges = qdi_range_count(count, GRAIN);
    range_pass pass = {.from = all, .to = spare, .radix = (size_t)1 << digit};
    const qd_status status = qdi_team_counts(team, ranges * pass.radix, &pass.table);
    if (status != QD_OK) return status;
    for (; pass.shift < bits; pass.shift += digit) {
        qdi_team_for(team, count, GRAIN, count_range, &pass);
        if (!counts_to_places(&pass, ranges, count)) continue;
        qdi_team_for(team, count, GRAIN, move_range, &pass);
        const items moved = pass.to;
        pass.to = pass.from;
        pass.from = moved;
    }
    if (pass.from.keys != all.keys) qdi_team_for(team, count, GRAIN, copy_range, &pass);
    return QD_OK;
}

qd_status qdi_team_sort(qd_team *team, uint64_t *keys, uint32_t *values, uint64_t *keys_spare,
                        uint32_t *values_spare, size_t count, int bits) {
    const items all = items_of(keys, values), spare = items_of(keys_spare, values_spare);
    if (count >= RANGES_FROM) return sort_by_ranges(team, all, spare, count, bits);
    if (count < PICK_FROM || qdi_team_used(team) == 1)
        sort_to(all, spare, all, count, 0);
    else
        sort_by_blocks(team, all, spare, count);
    return QD_OK;
}
