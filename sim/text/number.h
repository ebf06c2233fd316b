#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Numbers as text, the same in every locale. Any thread.

/// Room for the longest number that qdi_number_write makes, its closing zero included.
#define QDI_NUMBER_ROOM 32

/// Writes the shortest decimal text that reads back as the same number (17 digits at most) and returns its
/// length: "0.1", "100", "-2.5e-8", "1e21". Infinity is ".inf" or "-.inf", as YAML has it, and NaN is ".nan".
size_t qdi_number_write(double value, char text[QDI_NUMBER_ROOM]);

/// Reads all of `text` as a number: digits with an optional sign, point and exponent, or YAML's `.inf` with
/// an optional sign. False for anything else: NaN, hexadecimal, spaces, a number beyond the range of a
/// double.
bool qdi_number_read(const char *text, size_t bytes, double *value);

/// Whether all of `text` is this word.
bool qdi_word_is(const char *text, size_t bytes, const char *word);

/// Reads all of `text` as a whole number from 0 to 2^64 - 1. Forms such as 1e6 and 20.0 are fine up to 2^53.
bool qdi_integer_read(const char *text, size_t bytes, uint64_t *value);

/// Reads a hash: 16 hexadecimal digits, small letters, and nothing else.
bool qdi_hash_read(const char *text, size_t bytes, uint64_t *hash);
