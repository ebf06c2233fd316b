#pragma once

#include <stdint.h>

#if !defined(__x86_64__) && !defined(__aarch64__)
#    include <fenv.h>
#endif

/// The processor's mode of floating-point arithmetic belongs to the caller's thread: it may round upward,
/// take denormal numbers for zero, or trap. Results must not depend on it. So each public function that
/// computes, and each thread of our own, works in the standard mode (round to nearest, denormals kept,
/// nothing traps), and puts the caller's back when it returns:
///
///     QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
///
/// Where the mode is the standard one, which is nearly always, this costs a few nanoseconds: two reads.
/// Functions that a caller hands over run in the standard mode, too.
///
/// The compiler does not move accesses of memory across a change of the mode, but it may compute a result
/// that is returned by value after the caller's mode is back. QDI_SETTLE(result) before the return keeps it
/// from that.

/// The mode as it was. Where it was another one, `changed` is true.
typedef struct qdi_arithmetic {
    uint64_t mode;
    int changed;
} qdi_arithmetic;

/// Gives a variable of type qdi_arithmetic back its mode at the end of its scope.
#define QDI_RESTORED __attribute__((cleanup(qdi_arithmetic_restore), unused))

/// Ends the computation of a variable here.
#define QDI_SETTLE(variable) __asm__ volatile("" : "+m"(variable) : : "memory")

#if defined(__x86_64__)

// MXCSR: the six flags are the caller's affair; masks, rounding, flush-to-zero and denormals-are-zero are the
// mode. The old unit has a mode of its own, by which the C library's conversions of numbers round.
#    define QDI_MXCSR_MODE    0xffc0U
#    define QDI_STANDARD_MODE (UINT64_C(0x037f) << 32 | 0x1f80U)

/// The modes of floating-point arithmetic of this thread.
static inline uint64_t qdi_arithmetic_read(void) {
    uint32_t vector;
    uint16_t old;
    __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(vector), "=m"(old) : : "memory");
    return (uint64_t)old << 32 | vector;
}

/// Sets the modes of floating-point arithmetic of this thread.
static inline void qdi_arithmetic_write(uint64_t mode) {
    uint32_t vector = (uint32_t)mode;
    uint16_t old = (uint16_t)(mode >> 32);
    __asm__ volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(vector), "m"(old) : "memory");
}

/// Whether these modes round to nearest and keep subnormal numbers.
static inline int qdi_arithmetic_is_standard(uint64_t mode) {
    return (mode & ~(uint64_t)(0xffffffffU & ~QDI_MXCSR_MODE)) == QDI_STANDARD_MODE;
}

#elif defined(__aarch64__)

#    define QDI_STANDARD_MODE UINT64_C(0)

/// The modes of floating-point arithmetic of this thread.
static inline uint64_t qdi_arithmetic_read(void) {
    uint64_t mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode) : : "memory");
    return mode;
}

/// Sets the modes of floating-point arithmetic of this thread.
static inline void qdi_arithmetic_write(uint64_t mode) {
    __asm__ volatile("msr fpcr, %0" : : "r"(mode) : "memory");
}

/// Whether these modes round to nearest and keep subnormal numbers.
static inline int qdi_arithmetic_is_standard(uint64_t mode) {
    return mode == QDI_STANDARD_MODE;
}

#else // rounding only: ISO C knows no more

#    define QDI_STANDARD_MODE ((uint64_t)FE_TONEAREST)

/// The modes of floating-point arithmetic of this thread.
static inline uint64_t qdi_arithmetic_read(void) {
    return (uint64_t)fegetround();
}

/// Sets the modes of floating-point arithmetic of this thread.
static inline void qdi_arithmetic_write(uint64_t mode) {
    (void)fesetround((int)mode);
}

/// Whether these modes round to nearest and keep subnormal numbers.
static inline int qdi_arithmetic_is_standard(uint64_t mode) {
    return mode == QDI_STANDARD_MODE;
}

#endif

/// Sets the standard mode and returns the one before.
static inline qdi_arithmetic qdi_arithmetic_standard(void) {
    qdi_arithmetic before = {qdi_arithmetic_read(), 0};
    before.changed = !qdi_arithmetic_is_standard(before.mode);
    if (__builtin_expect(before.changed, 0)) qdi_arithmetic_write(QDI_STANDARD_MODE);
    return before;
}

/// Sets the mode that qdi_arithmetic_standard found.
static inline void qdi_arithmetic_restore(const qdi_arithmetic *before) {
    if (__builtin_expect(before->changed, 0)) qdi_arithmetic_write(before->mode);
}
