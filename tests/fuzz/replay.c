// A fuzz target without libFuzzer: runs every file of the folders and files that it is given, then inputs
// made of them by a few changes, the same ones each time. How many of these is an argument `-changes=N`,
// scaled by QD_TEST_EFFORT; QD_TEST_SEED=N runs number N alone. What ends the program is named first.
#define _GNU_SOURCE // scandir, strsignal
#include "tests/fuzz/fuzz.h"

#include "tests/support/harness.h"

#include <dirent.h>
#include <quadrille/random.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { INPUT_MOST = 1 << 16, INPUTS_MOST = 1 << 16, NAME_ROOM = 512 };

typedef struct kept_input {
    char name[NAME_ROOM];
    uint8_t *data;
    size_t size;
} kept_input;

static kept_input inputs[INPUTS_MOST];
static size_t input_count;
static char now[NAME_ROOM + 64]; ///< what runs
static qd_random random_of_changes;

// What the sanitizers call before they end the program.
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

// Names the input that runs.
static void name_it(void) {
    (void)!write(STDERR_FILENO, now, strlen(now));
}

// Names it, then dies of the signal.
static void on_death(int signal_number) {
    name_it();
    (void)signal(signal_number, SIG_DFL);
    (void)raise(signal_number);
}

// A number below `below`.
static size_t pick(size_t below) {
    return below ? (size_t)(qd_random_bits(&random_of_changes) % below) : 0;
}

// Puts `count` bytes in at `at`.
static size_t insert_bytes(uint8_t *data, size_t size, size_t most, size_t at, size_t count) {
    if (count > most - size) count = most - size;
    memmove(data + at + count, data + at, size - at);
    for (size_t i = 0; i < count; ++i) data[at + i] = (uint8_t)qd_random_bits(&random_of_changes);
    return size + count;
}

// Changes an input in one place.
static size_t change_bytes(uint8_t *data, size_t size, size_t most) {
    static const uint8_t odd[] = {0, 1, 0x7f, 0x80, 0xff, '\n', ' ', '-', '0', '9', '"', '[', '{', ':', ','};
    size_t at = pick(size), count = 1 + pick(16);
    switch (size == 0 ? 3 : pick(6)) {
    case 0: data[at] ^= (uint8_t)(1U << pick(8)); return size;
    case 1: data[at] = odd[pick(sizeof odd)]; return size;
    case 2:
        if (count > size - at) count = size - at;
        memmove(data + at, data + at + count, size - at - count);
        return size - count;
    case 3: return insert_bytes(data, size, most, at, count);
    case 4: { // a part of it, over another
        size_t from = pick(size);
        if (count > size - at) count = size - at;
        if (count > size - from) count = size - from;
        memmove(data + at, data + from, count);
        return size;
    }
    default: { // a part of another input
        const kept_input *other = &inputs[pick(input_count)];
        size_t from = pick(other->size);
        if (count > size - at) count = size - at;
        if (count > other->size - from) count = other->size - from;
        memcpy(data + at, other->data + from, count);
        return size;
    }
    }
}

// Reads a file whole.
static void add_input(const char *path) {
    if (input_count == INPUTS_MOST) qd_fuzz_fail("more than %d inputs", INPUTS_MOST);
    kept_input *input = &inputs[input_count++];
    FILE *file = fopen(path, "rb");
    input->data = malloc(INPUT_MOST);
    if (!file || !input->data) qd_fuzz_fail("cannot read %s", path);
    input->size = fread(input->data, 1, INPUT_MOST, file);
    (void)snprintf(input->name, sizeof input->name, "%s", path);
    (void)fclose(file);
}

// Adds a file, or all files of a folder in the order of their names.
static void add_path(const char *path) {
    struct stat what;
    if (stat(path, &what) != 0) qd_fuzz_fail("there is no %s", path);
    if (!S_ISDIR(what.st_mode)) {
        add_input(path);
        return;
    }
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; ++i) {
        char name[NAME_ROOM];
        (void)snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.') add_input(name);
        free(entries[i]);
    }
    free(entries);
}

// Runs a copy of its exact size, so that a byte read past its end is noticed.
static void run_input(const uint8_t *data, size_t size) {
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy) qd_fuzz_fail("no memory");
    memcpy(copy, data, size);
    (void)LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

// Runs an input that is made of a kept one.
static void run_change(uint64_t number) {
    static uint8_t data[INPUT_MOST];
    random_of_changes = qd_random_at(number, 0, 97);
    const kept_input *from = &inputs[pick(input_count)];
    size_t size = from->size, changes = 1 + pick(6);
    memcpy(data, from->data, size);
    for (size_t i = 0; i < changes; ++i) size = change_bytes(data, size, INPUT_MOST);
    (void)snprintf(now, sizeof now, "change of an input, QD_TEST_SEED=%llu\n", (unsigned long long)number);
    run_input(data, size);
}

int main(int count, char **arguments) {
    size_t changes = 0;
    for (int i = 1; i < count; ++i) {
        if (sscanf(arguments[i], "-changes=%zu", &changes) == 1) continue;
        add_path(arguments[i]);
    }
    if (input_count == 0) qd_fuzz_fail("no inputs");
    if (LLVMFuzzerInitialize(&count, &arguments) != 0) return EXIT_FAILURE;
    if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(name_it);
    (void)signal(SIGABRT, on_death);
    if (!__sanitizer_set_death_callback) (void)signal(SIGSEGV, on_death);
    for (size_t i = 0; i < input_count && !qd_test_replaying(); ++i) {
        (void)snprintf(now, sizeof now, "%.*s\n", NAME_ROOM, inputs[i].name);
        run_input(inputs[i].data, inputs[i].size);
    }
    uint64_t first = qd_test_seed(1), last = first + (qd_test_replaying() ? 1
                                                      : changes           ? qd_test_effort(changes)
                                                                          : 0);
    for (uint64_t number = first; number < last; ++number) run_change(number);
    for (size_t i = 0; i < input_count; ++i) free(inputs[i].data);
    return EXIT_SUCCESS;
}
