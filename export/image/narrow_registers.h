#pragma once

/// Leaves the upper halves of vector registers empty. ISA-L (2.30) leaves them in use, and then
/// processors (AMD's Zen 4) take twice as long for what comes after in SSE's instructions, until some
/// function empties them.
static inline void qdi_narrow_registers(void) {
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx"))
        __asm__ volatile("vzeroupper" ::
                             : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
                               "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
#endif
}
