// Shortest digits by exact whole numbers. A double is m * 2^-s; n digits of it are D = m * 10^k / 2^s,
// rounded, where k moves the point behind digit n. They read back as the same double where D is nearer to m *
// 10^k / 2^s than half the way to the next double, which is 10^k / 2^s / 2 (half as far below a power of
// two). All of this fits 128 bits while 10^k fits 75.

#include "sim/text/number_digits.h"

#include <string.h>

#ifdef __SIZEOF_INT128__

__extension__ typedef unsigned __int128 wide;

enum { LEAST_EXPONENT = -6, MOST_EXPONENT = 14 };

static const uint64_t tens[] = {UINT64_C(1),          UINT64_C(10),          UINT64_C(100),
                                UINT64_C(1000),       UINT64_C(10000),       UINT64_C(100000),
                                UINT64_C(1000000),    UINT64_C(10000000),    UINT64_C(100000000),
                                UINT64_C(1000000000), UINT64_C(10000000000), UINT64_C(100000000000)};

/// Number's digits: 10^k for k from 0 to 22.
static wide ten_to(int k) {
    int half = k / 2;
    return (wide)tens[half] * tens[k - half];
}

/// A double: m * 2^-shift.
typedef struct binary {
    uint64_t m;
    int shift; ///< 1 to 100 in the range of this file
} binary;

/// Rounds a number to `count` digits, and says whether they read back as the same double.
static bool round_to_digits(binary number, int exponent, int count, uint64_t *digits) {
    wide ten = ten_to(count - 1 - exponent), scaled = number.m * ten;
    wide unit = (wide)1 << number.shift, rest = scaled & (unit - 1), half = unit >> 1;
    uint64_t whole = (uint64_t)(scaled >> number.shift);
    bool up = rest > half || (rest == half && (whole & 1) != 0);
    *digits = whole + up;
    wide off = up ? unit - rest : rest;
    bool even = (number.m & 1) == 0;
    bool narrow = !up && number.m == UINT64_C(1) << 52; // below a power of two doubles are twice as dense
    wide room = narrow ? 4 * off : 2 * off;
    return room < ten || (room == ten && even);
}

/// True where the number is 10^exponent or more.
static bool reaches_power_of_ten(binary number, int exponent) {
    if (exponent < 0) return number.m * ten_to(-exponent) >> number.shift != 0;
    return number.m >= ten_to(exponent) << number.shift;
}

bool qdi_number_digits(double value, uint64_t *digits, int *exponent) {
    if (!(value >= 1e-6 && value < 1e15)) return false;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    binary number = {(bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52, 1075 - (int)(bits >> 52)};
    // The power of ten below the power of two that it begins with, or the one after.
    int power = 52 - number.shift;
    *exponent = (power * 1233) >> 12;
    if (*exponent < MOST_EXPONENT && reaches_power_of_ten(number, *exponent + 1)) ++*exponent;
    if (!reaches_power_of_ten(number, *exponent)) --*exponent;
    if (*exponent < LEAST_EXPONENT) return false; // 1e-6 itself is a little below its name
    int count = 15;
    while (!round_to_digits(number, *exponent, count, digits) && count < 17) ++count;
    // Rounded up to one digit more: it is a power of ten.
    if (*digits == (uint64_t)ten_to(count)) {
        *digits /= 10;
        ++*exponent;
    }
    return true;
}

#else

bool qdi_number_digits(double value, uint64_t *digits, int *exponent) {
    (void)value;
    (void)digits;
    (void)exponent;
    return false;
}

#endif
