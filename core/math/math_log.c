#include <quadrille/math.h>

#include "core/math/math_impl.h"

// Table-driven logarithm with a double2 result (after P. T. P. Tang, "Table-driven implementation of the
// logarithm function in IEEE floating-point arithmetic", ACM TOMS 16, 1990): x = 2^e z with z in [sqrt(1/2),
// sqrt(2)), i the whole number nearest to 128 z, u about 128 / i, and
//     log x = e ln2 - log u + log(1 + r),   r = z u - 1,  |r| < 0.0056.
// u has 24 bits, so that z u - 1 is known exactly, as a double2. Near x = 1 the entry is u = 1 and r = x - 1
// is exact, so nothing cancels.

// u, and -log u in two parts: the first is a multiple of 2^-42, so that adding e ln2's first part to it is
// exact.
typedef struct log_entry {
    double u, hi, lo;
} log_entry;

#define FIRST_ENTRY 91
static const log_entry entries[91] = {
    {0x1.681682p+0, -0x1.5d5bdfa596p-2, 0x1.ac16a087123dcp-47},
    {0x1.642c86p+0, -0x1.522ae1b38ap-2, -0x1.ea5708169fcafp-45},
    {0x1.605816p+0, -0x1.4718dc171cp-2, -0x1.06c10fb4c14bp-44},
    {0x1.5c9882p+0, -0x1.3c25255333p-2, -0x1.7aad4b5d39007p-46},
    {0x1.58ed24p+0, -0x1.314f20fd36p-2, 0x1.966bad2e1de0ep-45},
    {0x1.555556p+0, -0x1.269623134ep-2, 0x1.1d61f10477b7ap-44},
    {0x1.51d07ep+0, -0x1.1bf99425a7p-2, 0x1.1ce915767d3e5p-44},
    {0x1.4e5e0ap+0, -0x1.1178e6c27ep-2, -0x1.1e058ce29909cp-44},
    {0x1.4afd6ap+0, -0x1.071385f4d6p-2, 0x1.e763a4e912b2cp-44},
    {0x1.47ae14p+0, -0x1.f991c3cb3cp-3, 0x1.91f04cd814834p-44},
    {0x1.446f86p+0, -0x1.e530edde72p-3, 0x1.fe4e3b1411582p-44},
    {0x1.414142p+0, -0x1.d10383e656p-3, 0x1.9b37e7528118fp-47},
    {0x1.3e22ccp+0, -0x1.bd0874c3bep-3, 0x1.d520459536c0bp-45},
    {0x1.3b13b2p+0, -0x1.a93ed8c8aep-3, 0x1.8d643502c76bep-45},
    {0x1.381382p+0, -0x1.95a5b2ef7p-3, -0x1.64de859547ac4p-47},
    {0x1.3521dp+0, -0x1.823c18551ap-3, -0x1.deddb9a6873d8p-46},
    {0x1.323e34p+0, -0x1.6f01247756p-3, -0x1.553190d2523bap-44},
    {0x1.2f684cp+0, -0x1.5bf407b544p-3, 0x1.27823eb67ed71p-46},
    {0x1.2c9fb4p+0, -0x1.4913d2733cp-3, 0x1.5806355a0d419p-44},
    {0x1.29e412p+0, -0x1.365fc6c15ap-3, 0x1.ff7c0afc6347p-44},
    {0x1.27350cp+0, -0x1.23d715e49cp-3, -0x1.f71471fd5840ep-47},
    {0x1.24924ap+0, -0x1.1178ee227ep-3, -0x1.15f78ce7507f2p-45},
    {0x1.21fb78p+0, -0x1.fe89129dbcp-4, -0x1.56514d82f752cp-44},
    {0x1.1f7048p+0, -0x1.da72783844p-4, -0x1.a81401fa7c1dep-46},
    {0x1.1cf06ap+0, -0x1.b6ac7c9ad4p-4, -0x1.ad0d7f4dbd9b1p-44},
    {0x1.1a7b96p+0, -0x1.9335e4d594p-4, -0x1.3105c3abd3d2fp-45},
    {0x1.181182p+0, -0x1.700d3deeacp-4, -0x1.1258dafacba84p-49},
    {0x1.15b1e6p+0, -0x1.4d31165208p-4, 0x1.53c2582f4d745p-48},
    {0x1.135c82p+0, -0x1.2aa058047p-4, -0x1.74603a8e7f3d7p-44},
    {0x1.111112p+0, -0x1.08599959e4p-4, 0x1.96ddd6f24e582p-46},
    {0x1.0ecf56p+0, -0x1.ccb7265dd8p-5, -0x1.9267b6dec4c3ep-44},
    {0x1.0c9714p+0, -0x1.894a8349f8p-5, -0x1.9311a8ba3266p-44},
    {0x1.0a681p+0, -0x1.466ad942ep-5, 0x1.c7a7375e7a7d3p-45},
    {0x1.08421p+0, -0x1.0415c89e78p-5, 0x1.dfdc7f46c6fcp-44},
    {0x1.0624dep+0, -0x1.8492858c9p-6, 0x1.b434a3203afb4p-45},
    {0x1.041042p+0, -0x1.0205a3893p-6, -0x1.599b27cdc18c1p-44},
    {0x1.020408p+0, -0x1.01014f588p-7, -0x1.bcda51998afb1p-44},
    {0x1p+0, 0x0p+0, 0x0p+0},
    {0x1.fc07fp-1, 0x1.fe02b6b1p-8, 0x1.9e43f0dda563ap-46},
    {0x1.f81f82p-1, 0x1.fc0a890fcp-7, 0x1.f207cf6d3a147p-50},
    {0x1.f4465ap-1, 0x1.7b91acfd6p-6, -0x1.3b8f3b602b076p-44},
    {0x1.f07c2p-1, 0x1.f82990e78p-6, 0x1.9c0267c68b48fp-45},
    {0x1.ecc07cp-1, 0x1.39e86e1fe8p-5, 0x1.ec69c80a727d5p-44},
    {0x1.e9131ap-1, 0x1.77459be33p-5, -0x1.16e54e58198f4p-44},
    {0x1.e573acp-1, 0x1.b42de09198p-5, -0x1.c555ae5cd81f7p-46},
    {0x1.e1e1e2p-1, 0x1.f0a30a0118p-5, -0x1.d589e8336993cp-45},
    {0x1.de5d6ep-1, 0x1.1653710a38p-4, -0x1.47356768ed653p-46},
    {0x1.dae608p-1, 0x1.341d7461bcp-4, 0x1.1dd129980db66p-44},
    {0x1.d77b66p-1, 0x1.51b06dd06p-4, 0x1.8522b27899ee8p-44},
    {0x1.d41d42p-1, 0x1.6f0d272e58p-4, -0x1.4b3441b665813p-44},
    {0x1.d0cb58p-1, 0x1.8c3465e318p-4, 0x1.b4515acc0f5bbp-44},
    {0x1.cd8568p-1, 0x1.a926d8a4acp-4, 0x1.56fe50bd4c547p-44},
    {0x1.ca4b3p-1, 0x1.c5e54bf5bcp-4, 0x1.d1e575861fe06p-46},
    {0x1.c71c72p-1, 0x1.e27074e2bp-4, -0x1.a302c2af05591p-45},
    {0x1.c3f8fp-1, 0x1.fec9141dcp-4, -0x1.544d5d1ae60b1p-44},
    {0x1.c0e07p-1, 0x1.0d77e8cd08p-3, 0x1.cb4cd2ee31f2cp-44},
    {0x1.bdd2b8p-1, 0x1.1b72b012f6p-3, 0x1.e9ee418189241p-45},
    {0x1.bacf92p-1, 0x1.29552c42p-3, -0x1.5a447f44cd6a7p-44},
    {0x1.b7d6c4p-1, 0x1.371fc161e8p-3, 0x1.ee93f9b2d8052p-44},
    {0x1.b4e81cp-1, 0x1.44d2b38cb8p-3, -0x1.6b841614c5ae7p-46},
    {0x1.b20364p-1, 0x1.526e5e5a1cp-3, -0x1.790b237fc5223p-44},
    {0x1.af286cp-1, 0x1.5ff3060a7ap-3, -0x1.8566f183c169cp-44},
    {0x1.ac5702p-1, 0x1.6d60fce19ep-3, -0x1.bc2035713ea29p-44},
    {0x1.a98ef6p-1, 0x1.7ab890410ep-3, -0x1.bdb8072534a2dp-45},
    {0x1.a6d01ap-1, 0x1.87fa08620cp-3, 0x1.229a240137954p-44},
    {0x1.a41a42p-1, 0x1.9525a80f46p-3, -0x1.290f37d9ffa39p-44},
    {0x1.a16d4p-1, 0x1.a23bbffe2cp-3, -0x1.531cd91ddf46p-44},
    {0x1.9ec8eap-1, 0x1.af3c91880cp-3, -0x1.c331a31ae832p-55},
    {0x1.9c2d14p-1, 0x1.bc286be2d8p-3, 0x1.9d71bf3ad8f32p-44},
    {0x1.99999ap-1, 0x1.c8ff7a79aap-3, -0x1.7694f68a22edfp-45},
    {0x1.970e5p-1, 0x1.d5c21434fcp-3, -0x1.1a191bbcf9d71p-45},
    {0x1.948b1p-1, 0x1.e27075e2bp-3, -0x1.a322c2af02ae7p-44},
    {0x1.920fb4p-1, 0x1.ef0adfddc6p-3, -0x1.affa79c7c82f9p-45},
    {0x1.8f9c18p-1, 0x1.fb918bd5e4p-3, -0x1.bc72aaaf291dcp-47},
    {0x1.8d3018p-1, 0x1.04025b6b4dp-2, 0x1.278b89fc0e2d5p-48},
    {0x1.8acb9p-1, 0x1.0a3250a739p-2, 0x1.dfbee7f9aadb9p-47},
    {0x1.886e6p-1, 0x1.1058bd1ae5p-2, -0x1.4799d81922822p-44},
    {0x1.861862p-1, 0x1.1675c97abap-2, 0x1.8448e731cbb19p-44},
    {0x1.83c978p-1, 0x1.1c898b369ap-2, -0x1.80df0e5c70faap-44},
    {0x1.818182p-1, 0x1.22941e6cf8p-2, -0x1.a5baef5ee0d23p-44},
    {0x1.7f406p-1, 0x1.2895a0bde8p-2, 0x1.a8f7ad24be946p-44},
    {0x1.7d05f4p-1, 0x1.2e8e2bee12p-2, -0x1.67a1e99b7212dp-45},
    {0x1.7ad22p-1, 0x1.347ddb2988p-2, -0x1.5354dd4bc8092p-45},
    {0x1.78a4c8p-1, 0x1.3a64c59694p-2, 0x1.7a79cbcd73b26p-44},
    {0x1.767dcep-1, 0x1.404309206ap-2, 0x1.f9316304a769p-44},
    {0x1.745d18p-1, 0x1.4618ba21c6p-2, -0x1.3582f48772f77p-46},
    {0x1.724288p-1, 0x1.4be5f93778p-2, -0x1.d7c72cd9ad8cfp-44},
    {0x1.702e06p-1, 0x1.51aad7c2ep-2, -0x1.f4810db0aebacp-44},
    {0x1.6e1f76p-1, 0x1.5767736c56p-2, -0x1.62fab951aab22p-44},
    {0x1.6c16c2p-1, 0x1.5d1bda5581p-2, -0x1.8c19dc9cd7ae3p-44},
    {0x1.6a13cep-1, 0x1.62c82c939cp-2, 0x1.e8a8fbd65467bp-44},
};

#define LN2_HI 0x1.62e42fefa38p-1
#define LN2_LO 0x1.ef35793c7673p-45

// sqrt(1/2), rounded down
#define ROOT_HALF 0x1.6a09e667f3bccp-1

qdi_double2 qdi_log_double2(double x) {
    int e;
    double z = qdi_split_exponent(x, &e);
    if (z >= 2.0 * ROOT_HALF) {
        z *= 0.5;
        e += 1;
    }
    const log_entry *entry = &entries[(int)(z * 128.0 + 0.5) - FIRST_ENTRY];
    const double z_hi = qdi_upper_half(z);
    const qdi_double2 r = qdi_two_sum(z_hi * entry->u - 1.0, (z - z_hi) * entry->u);

    // log(1 + r) = r - r^2/2 + r^3 (1/3 - r/4 + ...). The square is split into a part that is exact and a
    // small rest.
    const double a = qdi_upper_half(r.hi);
    const double square = -0.5 * a * a;
    const double square_rest = -0.5 * (r.hi - a) * (r.hi + a) - r.hi * r.lo;
    const double even = 1.0 / 7 - r.hi * (1.0 / 8 - r.hi * (1.0 / 9 - r.hi * (1.0 / 10)));
    const double odd = 1.0 / 3 - r.hi * (1.0 / 4 - r.hi * (1.0 / 5 - r.hi * (1.0 / 6 - r.hi * even)));
    const double cubic = r.hi * r.hi * r.hi * odd;

    const qdi_double2 linear = qdi_two_sum(e * LN2_HI + entry->hi, r.hi);
    const qdi_double2 sum = qdi_two_sum(linear.hi, square);
    const double small = (e * LN2_LO + entry->lo) + (r.lo + (square_rest + cubic));
    return qdi_fast_two_sum(sum.hi, sum.lo + linear.lo + small);
}

double qd_log(double x) {
    if (x != x || x < 0.0) return QDI_NAN;
    if (x == 0.0) return -QDI_INFINITY;
    if (x == QDI_INFINITY) return QDI_INFINITY;
    return qdi_log_double2(x).hi;
}
