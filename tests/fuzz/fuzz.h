#pragma once

#include <stddef.h>
#include <stdint.h>

/// What the fuzz targets share. A target is one file fuzz_<name>.c here, with the function that
/// libFuzzer calls; `tools/fuzz` builds it with libFuzzer, and every other build with replay.c, which runs
/// the kept inputs of tests/fuzz/<name>/ and some that it makes of them. A target ends the program where a
/// promise is broken, and uses no clock and no randomness of its own: an input always does the same.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *count, char ***arguments);

/// Says what is broken and ends the program.
_Noreturn void qd_fuzz_fail(const char *form, ...) __attribute__((format(printf, 1, 2)));

// Before the first input there is a scratch directory, which is deleted at the end; and what is written to
// stdout and stderr by way of stdio is lost.

/// Writes a file of the scratch directory anew, and returns its path.
const char *qd_fuzz_file(const char *name, const void *data, size_t size);
/// Only the path; what had that name is deleted.
const char *qd_fuzz_path(const char *name);

/// An input that is read from its beginning; past its end there are zeros.
typedef struct qd_fuzz_input {
    const uint8_t *at;
    size_t left;
} qd_fuzz_input;

uint8_t qd_fuzz_byte(qd_fuzz_input *input);
uint16_t qd_fuzz_short(qd_fuzz_input *input);
/// A number in [low, high], of two bytes; now and then, where a byte says so, any of eight.
double qd_fuzz_number(qd_fuzz_input *input, double low, double high);
/// The next `most` bytes at most, up to a newline, as a text of the heap, without zeros in it.
char *qd_fuzz_line(qd_fuzz_input *input, size_t most);
