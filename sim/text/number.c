#include "sim/text/number.h"

#include "sim/files/os.h"
#include "sim/text/number_digits.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Numbers that fit a double can be written with at most 767 digits; longer text is not
// read as a number.
enum { LONGEST_TEXT = 1023, MOST_DIGITS = 17 };

/// The digits of "%.*g" text and the decimal exponent of the first of them; trailing zeros are left out.
typedef struct decimal {
    bool negative;
    int count, exponent;
    char digits[MOST_DIGITS + 1];
} decimal;

// Reads the digits and the exponent of a number as "%.*g" writes it.
static decimal decimal_from_text(const char *text) {
    decimal result = {.negative = text[0] == '-'};
    bool point = false;
    int whole = 0, leading = 0;
    const char *at = text + (result.negative ? 1 : 0);
    for (; *at && *at != 'e'; ++at) {
        if (*at == '.') {
            point = true;
        } else if (result.count == 0 && *at == '0') {
            leading += point ? 1 : 0;
        } else {
            if (!point) ++whole;
            if (result.count < MOST_DIGITS) result.digits[result.count++] = *at;
        }
    }
    while (result.count > 0 && result.digits[result.count - 1] == '0') --result.count;
    result.exponent = (whole > 0 ? whole - 1 : -leading - 1) + (*at == 'e' ? atoi(at + 1) : 0);
    return result;
}

// A decimal number from a whole number of digits and an exponent.
static decimal decimal_from_digits(bool negative, uint64_t digits, int exponent) {
    decimal result = {.negative = negative, .exponent = exponent};
    while (digits % 10 == 0) digits /= 10;
    for (uint64_t rest = digits; rest > 0; rest /= 10) ++result.count;
    for (int i = result.count; i-- > 0; digits /= 10) result.digits[i] = (char)('0' + digits % 10);
    return result;
}

/// The shortest digits that read back as `value`, which is finite and not zero.
static decimal decimal_shortest(double value) {
    uint64_t whole;
    int exponent;
    if (qdi_number_digits(fabs(value), &whole, &exponent))
        return decimal_from_digits(value < 0, whole, exponent);
    char text[QDI_NUMBER_ROOM];
    // 15 digits survive the way through a normal double, so a shorter text shows as trailing zeros of these.
    int digits = fabs(value) >= DBL_MIN ? DBL_DIG : 1;
    do qdi_os_print_double(text, sizeof text, digits, value);
    while (qdi_os_read_double(text, NULL) != value && ++digits <= MOST_DIGITS);
    return decimal_from_text(text);
}

// Appends characters to a number's text.
static size_t append_text(char *text, size_t used, const char *more, size_t count) {
    memcpy(text + used, more, count);
    return used + count;
}

// Appends zeros to a number's text.
static size_t append_zeros(char *text, size_t used, int count) {
    for (int i = 0; i < count; ++i) text[used++] = '0';
    return used;
}

/// Writes a number without an exponent. The point stands behind digit number `exponent`, counted from 0.
static size_t write_plain_number(const decimal *number, char *text, size_t used) {
    size_t count = (size_t)number->count;
    if (number->exponent < 0) {
        used = append_text(text, used, "0.", 2);
        used = append_zeros(text, used, -number->exponent - 1);
        return append_text(text, used, number->digits, count);
    }
    size_t whole = (size_t)number->exponent + 1;
    if (count <= whole) {
        used = append_text(text, used, number->digits, count);
        return append_zeros(text, used, (int)(whole - count));
    }
    used = append_text(text, used, number->digits, whole);
    used = append_text(text, used, ".", 1);
    return append_text(text, used, number->digits + whole, count - whole);
}

// Writes a number with an exponent.
static size_t write_scientific_number(const decimal *number, char *text, size_t used) {
    used = append_text(text, used, number->digits, 1);
    if (number->count > 1) {
        used = append_text(text, used, ".", 1);
        used = append_text(text, used, number->digits + 1, (size_t)number->count - 1);
    }
    char exponent[8];
    int length = snprintf(exponent, sizeof exponent, "e%d", number->exponent);
    return append_text(text, used, exponent, (size_t)length);
}

size_t qdi_number_write(double value, char text[QDI_NUMBER_ROOM]) {
    const char *word = NULL;
    if (isnan(value))
        word = ".nan";
    else if (isinf(value))
        word = value > 0 ? ".inf" : "-.inf";
    else if (value == 0)
        word = signbit(value) ? "-0" : "0";
    if (word) {
        memcpy(text, word, strlen(word) + 1);
        return strlen(word);
    }
    decimal number = decimal_shortest(value);
    size_t used = number.negative ? append_text(text, 0, "-", 1) : 0;
    bool plain = number.exponent >= -5 && number.exponent <= 20;
    used = plain ? write_plain_number(&number, text, used) : write_scientific_number(&number, text, used);
    text[used] = 0;
    return used;
}

// How many digits a text begins with.
static size_t count_digits(const char *text, size_t bytes) {
    size_t count = 0;
    while (count < bytes && text[count] >= '0' && text[count] <= '9') ++count;
    return count;
}

/// True for [digits][.digits][e[sign]digits] with at least one digit before the exponent.
static bool is_number(const char *text, size_t bytes) {
    size_t at = count_digits(text, bytes), digits = at;
    if (at < bytes && text[at] == '.') {
        size_t more = count_digits(text + at + 1, bytes - at - 1);
        digits += more;
        at += 1 + more;
    }
    if (digits == 0) return false;
    if (at < bytes && (text[at] == 'e' || text[at] == 'E')) {
        ++at;
        if (at < bytes && (text[at] == '+' || text[at] == '-')) ++at;
        size_t exponent = count_digits(text + at, bytes - at);
        if (exponent == 0) return false;
        at += exponent;
    }
    return at == bytes;
}

bool qdi_word_is(const char *text, size_t bytes, const char *word) {
    return bytes == strlen(word) && memcmp(text, word, bytes) == 0;
}

bool qdi_number_read(const char *text, size_t bytes, double *value) {
    if (bytes == 0 || bytes > LONGEST_TEXT) return false;
    size_t sign = text[0] == '+' || text[0] == '-' ? 1 : 0;
    const char *rest = text + sign;
    size_t left = bytes - sign;
    double read;
    if (qdi_word_is(rest, left, ".inf") || qdi_word_is(rest, left, ".Inf") ||
        qdi_word_is(rest, left, ".INF")) {
        read = (double)INFINITY;
    } else {
        if (!is_number(rest, left)) return false;
        char copy[LONGEST_TEXT + 1];
        memcpy(copy, rest, left);
        copy[left] = 0;
        read = qdi_os_read_double(copy, NULL);
        if (isinf(read)) return false;
    }
    *value = text[0] == '-' ? -read : read;
    return true;
}

bool qdi_integer_read(const char *text, size_t bytes, uint64_t *value) {
    size_t sign = bytes > 0 && text[0] == '+' ? 1 : 0;
    if (bytes > sign && count_digits(text + sign, bytes - sign) == bytes - sign) {
        uint64_t result = 0;
        for (size_t i = sign; i < bytes; ++i) {
            uint64_t digit = (uint64_t)(text[i] - '0');
            if (result > (UINT64_MAX - digit) / 10) return false;
            result = result * 10 + digit;
        }
        *value = result;
        return true;
    }
    double number;
    if (!qdi_number_read(text, bytes, &number)) return false;
    if (!(number >= 0 && number <= 0x1p53) || number != floor(number)) return false;
    *value = (uint64_t)number;
    return true;
}

bool qdi_hash_read(const char *text, size_t bytes, uint64_t *hash) {
    static const char digits[] = "0123456789abcdef";
    *hash = 0;
    for (size_t i = 0; i < 16 && bytes == 16; ++i) {
        const char *digit = text[i] ? strchr(digits, text[i]) : NULL;
        if (!digit) return false;
        *hash = *hash << 4 | (uint64_t)(digit - digits);
    }
    return bytes == 16;
}
