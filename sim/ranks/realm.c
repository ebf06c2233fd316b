#include "sim/ranks/realm.h"

#include "core/base/memory.h"

#include <quadrille/hash.h>
#include <string.h>

/// Cells for each rank, at least; most bits of a cell's number, and how many more there are for the longer
/// side.
enum { CELLS_PER_RANK = 64, BITS_MAX = 20, MORE_MAX = 10 };

// Realm: how often the longer side can be halved before it is the shorter one.
static unsigned halvings(double longer, double shorter) {
    unsigned count = 0;
    for (; count < MORE_MAX && longer >= 2 * shorter; ++count) longer *= 0.5;
    return count;
}

// Realm: how many columns or rows there are.
static int64_t lines_of(const qdi_realm *realm, int axis) {
    return (int64_t)1 << realm->bits[axis];
}

qd_status qdi_realm_make(const qd_allocator *allocator, qdi_realm_rule rule, int ranks, qd_vec2 low,
                         qd_vec2 size, const bool periodic[2], qdi_realm *realm) {
    *realm = (qdi_realm){.allocator = allocator,
                         .rule = rule,
                         .ranks = ranks,
                         .low = low,
                         .periodic = {periodic[0], periodic[1]}};
    realm->longer = size.y >= size.x;
    realm->bits[realm->longer] = realm->longer ? halvings(size.y, size.x) : halvings(size.x, size.y);
    while (realm->bits[0] + realm->bits[1] + 2 <= BITS_MAX &&
           qdi_realm_cells(realm) < (size_t)ranks * CELLS_PER_RANK) {
        realm->bits[0] += 1;
        realm->bits[1] += 1;
    }
    realm->cell = (qd_vec2){size.x / (double)lines_of(realm, 0), size.y / (double)lines_of(realm, 1)};
    realm->per = (qd_vec2){1 / realm->cell.x, 1 / realm->cell.y};
    realm->owner = qdi_allocate(allocator, qdi_realm_cells(realm), 1);
    if (!realm->owner) return QD_ERR_MEMORY;
    memset(realm->owner, 0, qdi_realm_cells(realm));
    return QD_OK;
}

void qdi_realm_release(qdi_realm *realm) {
    if (realm->owner) qdi_release(realm->allocator, realm->owner, qdi_realm_cells(realm), 1);
    realm->owner = NULL;
}

void qdi_realm_deal(qdi_realm *realm, const uint64_t *bodies) {
    const size_t cells = qdi_realm_cells(realm);
    const uint64_t ranks = (uint64_t)realm->ranks;
    uint64_t all = 0, before = 0;
    for (size_t c = 0; c < cells; ++c) all += bodies[c];
    for (size_t c = 0; c < cells; ++c) {
        if (realm->rule == QDI_REALM_SCATTER)
            realm->owner[c] = (uint8_t)(qd_hash_mix(c, ranks) % ranks);
        else
            realm->owner[c] = (uint8_t)((2 * before + bodies[c]) * ranks / (2 * all + 1));
        before += bodies[c];
    }
}

// Realm: the number of the column or row of a coordinate, which may lie outside of the grid.
static int64_t line_of(double at, double low, double per) {
    const double most = 0x1p40, line = (at - low) * per;
    const double within = line > most ? most : line > -most ? line : -most;
    const int64_t whole = (int64_t)within; // rounded down without a call
    return whole - ((double)whole > within);
}

// Realm: the column or row in the grid that counts for one that may lie outside.
static size_t inside(const qdi_realm *realm, int64_t line, int axis) {
    const int64_t lines = lines_of(realm, axis);
    if (realm->periodic[axis]) return (size_t)(line & (lines - 1)); // also of a negative one
    return (size_t)(line < 0 ? 0 : line < lines ? line : lines - 1);
}

// Realm: the bits of a number, one at every other place.
static size_t spread(size_t bits) {
    uint32_t wide = (uint32_t)bits; // of 16 bits at most
    wide = (wide | wide << 8) & 0x00ff00ffU;
    wide = (wide | wide << 4) & 0x0f0f0f0fU;
    wide = (wide | wide << 2) & 0x33333333U;
    wide = (wide | wide << 1) & 0x55555555U;
    return wide;
}

// Realm: the number along the curve of a cell's column and row.
static size_t along_curve(const qdi_realm *realm, size_t x, size_t y) {
    const size_t longer = realm->longer ? y : x, shorter = realm->longer ? x : y;
    const unsigned both = realm->bits[1 - realm->longer];
    const size_t low = longer & (((size_t)1 << both) - 1);
    return spread(shorter) | spread(low) << 1 | (longer >> both) << 2 * both;
}

size_t qdi_realm_cell(const qdi_realm *realm, qd_vec2 place) {
    return along_curve(realm, inside(realm, line_of(place.x, realm->low.x, realm->per.x), 0),
                       inside(realm, line_of(place.y, realm->low.y, realm->per.y), 1));
}

int qdi_realm_owner(const qdi_realm *realm, qd_vec2 place) {
    return realm->owner[qdi_realm_cell(realm, place)];
}

/// Columns or rows from one on.
typedef struct line_range {
    int64_t first, count;
} line_range;

// Realm: the columns or rows that an interval meets, each once.
static line_range lines_near(const qdi_realm *realm, double at, double reach, int axis) {
    const double low = axis == 0 ? realm->low.x : realm->low.y;
    const double per = axis == 0 ? realm->per.x : realm->per.y;
    const int64_t lines = lines_of(realm, axis);
    int64_t first = line_of(at - reach, low, per), last = line_of(at + reach, low, per);
    if (!realm->periodic[axis]) {
        first = (int64_t)inside(realm, first, axis);
        last = (int64_t)inside(realm, last, axis);
    }
    const int64_t count = last - first + 1;
    return (line_range){first, count < lines ? count : lines};
}

// Realm: how many of the cells beside one, along an axis, have another owner.
static int borders_along(const qdi_realm *realm, const int64_t at[2], int axis) {
    const uint8_t owner = realm->owner[along_curve(realm, (size_t)at[0], (size_t)at[1])];
    int count = 0;
    for (int64_t way = -1; way <= 1; way += 2) {
        size_t beside[2] = {(size_t)at[0], (size_t)at[1]};
        beside[axis] = inside(realm, at[axis] + way, axis);
        count += realm->owner[along_curve(realm, beside[0], beside[1])] != owner;
    }
    return count;
}

double qdi_realm_seen(const qdi_realm *realm, const uint64_t *bodies) {
    double seen = 0;
    for (int64_t x = 0; x < lines_of(realm, 0); ++x)
        for (int64_t y = 0; y < lines_of(realm, 1); ++y) {
            const int64_t at[2] = {x, y};
            const double across = borders_along(realm, at, 0) * realm->per.x +
                                  borders_along(realm, at, 1) * realm->per.y;
            seen += across * (double)bodies[along_curve(realm, (size_t)x, (size_t)y)];
        }
    return seen;
}

uint64_t qdi_realm_near(const qdi_realm *realm, qd_vec2 place, double reach) {
    const line_range columns = lines_near(realm, place.x, reach, 0);
    const line_range rows = lines_near(realm, place.y, reach, 1);
    uint64_t mask = 0;
    for (int64_t i = 0; i < columns.count; ++i)
        for (int64_t k = 0; k < rows.count; ++k) {
            const size_t x = inside(realm, columns.first + i, 0), y = inside(realm, rows.first + k, 1);
            mask |= UINT64_C(1) << realm->owner[along_curve(realm, x, y)];
        }
    return mask;
}

void qdi_realm_find_inner(const qdi_realm *realm, int rank, double reach, uint8_t *inner) {
    const double side = realm->cell.x > realm->cell.y ? realm->cell.x : realm->cell.y;
    for (size_t x = 0; x < (size_t)lines_of(realm, 0); ++x)
        for (size_t y = 0; y < (size_t)lines_of(realm, 1); ++y) {
            const qd_vec2 middle = {realm->low.x + ((double)x + 0.5) * realm->cell.x,
                                    realm->low.y + ((double)y + 0.5) * realm->cell.y};
            // a little more than half a side: cells are found from rounded numbers
            inner[along_curve(realm, x, y)] = qdi_realm_near(realm, middle, reach + 0.51 * side) ==
                                              UINT64_C(1) << rank;
        }
}
