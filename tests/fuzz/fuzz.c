#define _GNU_SOURCE // assigning stderr
#include "tests/fuzz/fuzz.h"

#include "tests/support/scratch.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static qd_scratch scratch;
static FILE *words; ///< stderr as it was

// What check's assertions call, put in place by the linker: there is no suite here.
void __wrap__mark_point(const char *file, int line);
_Noreturn void __wrap__ck_assert_failed(const char *file, int line, const char *expression, const char *form,
                                        ...) __attribute__((format(printf, 4, 5)));

void __wrap__mark_point(const char *file, int line) {
    (void)file;
    (void)line;
}

// Says what failed and ends the program.
static _Noreturn void end_with(const char *form, va_list arguments) {
    FILE *to = words ? words : stderr;
    (void)vfprintf(to, form, arguments);
    (void)fputc('\n', to);
    (void)fflush(to);
    abort();
}

void qd_fuzz_fail(const char *form, ...) {
    va_list arguments;
    va_start(arguments, form);
    end_with(form, arguments);
}

void __wrap__ck_assert_failed(const char *file, int line, const char *expression, const char *form, ...) {
    (void)fprintf(words ? words : stderr, "%s:%d: %s: ", file, line, expression);
    va_list arguments;
    va_start(arguments, form);
    end_with(form ? form : "failed", arguments);
}

// Deletes the scratch directory.
static void clear_up(void) {
    qd_scratch_remove(&scratch);
}

// libFuzzer names the types. NOLINTNEXTLINE(readability-non-const-parameter)
int LLVMFuzzerInitialize(int *count, char ***arguments) {
    (void)count;
    (void)arguments;
    words = stderr;
    FILE *nowhere = fopen("/dev/null", "w");
    if (!nowhere) qd_fuzz_fail("no /dev/null");
    stderr = stdout = nowhere;
    scratch = qd_scratch_make();
    if (atexit(clear_up) != 0) qd_fuzz_fail("atexit");
    return 0;
}

const char *qd_fuzz_path(const char *name) {
    static qd_scratch_path path;
    path = qd_scratch_at(&scratch, name);
    (void)remove(path.text);
    return path.text;
}

const char *qd_fuzz_file(const char *name, const void *data, size_t size) {
    const char *path = qd_fuzz_path(name);
    FILE *file = fopen(path, "wb");
    if (!file || (size > 0 && fwrite(data, 1, size, file) != size) || fclose(file) != 0)
        qd_fuzz_fail("cannot write %s", path);
    return path;
}

uint8_t qd_fuzz_byte(qd_fuzz_input *input) {
    if (input->left == 0) return 0;
    input->left -= 1;
    return *input->at++;
}

uint16_t qd_fuzz_short(qd_fuzz_input *input) {
    uint16_t low = qd_fuzz_byte(input);
    return (uint16_t)(low | qd_fuzz_byte(input) << 8);
}

double qd_fuzz_number(qd_fuzz_input *input, double low, double high) {
    uint16_t part = qd_fuzz_short(input);
    if (part != 0xffff) return low + (high - low) * part / 0xfffe;
    double any;
    uint8_t bytes[sizeof any];
    for (size_t i = 0; i < sizeof any; ++i) bytes[i] = qd_fuzz_byte(input);
    memcpy(&any, bytes, sizeof any);
    return any;
}

char *qd_fuzz_line(qd_fuzz_input *input, size_t most) {
    size_t length = 0;
    while (length < most && length < input->left && input->at[length] != '\n') ++length;
    char *text = malloc(length + 1);
    if (!text) qd_fuzz_fail("no memory");
    for (size_t i = 0; i < length; ++i) text[i] = (char)(input->at[i] ? input->at[i] : ' ');
    text[length] = '\0';
    size_t used = length < input->left && input->at[length] == '\n' ? length + 1 : length;
    input->at += used;
    input->left -= used;
    return text;
}
