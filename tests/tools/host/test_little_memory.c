#include "tests/support/harness.h"
#include "tests/support/one_program.h"

// A program that is given few addresses (ulimit -v) ends its run, or says in a line that memory is out. What
// OpenMP's runtime does where it gets no thread is to end the program with words of its own.

enum { LEAST = 32, MOST = 320, ENOUGH = 240, STEP = 16 };

QD_TEST_LOOP(a_run_ends_or_says_that_memory_is_out, 0, 3) {
    static const char *const threads[] = {"1", "2", "8"};
    const rlim_t most = qd_test_effort(10) < 10 ? ENOUGH / 2 : MOST;
    for (rlim_t megabytes = LEAST; megabytes <= most; megabytes += STEP) {
        const qd_program_start how = {.arguments = {"run", "pool", "--bodies", "3000", "--steps", "2", "-o",
                                                    "out", "-q", "--force", "--frames", "0", "--threads",
                                                    threads[_i]},
                                      .address_limit = megabytes << 20};
        qd_program_outcome result = qd_program_run(&program, &how);
        if (result.code == 0) {
            ck_assert_str_eq(result.err, "");
            ck_assert(qd_scratch_exists(at("out/result.json").text));
        } else {
            ck_assert_msg(megabytes < ENOUGH, "%s threads, %d MiB: %s", threads[_i], (int)megabytes,
                          result.err);
            expect_refusal(result, 1, "out of memory");
        }
    }
}

int main(void) {
#ifdef QD_SHADOWED
    return 77; // a sanitizer reserves more addresses than there are
#endif
    return qd_test_main("little_memory", 300, setup, teardown);
}
