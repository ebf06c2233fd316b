// Four lanes, for arm64: every one has them. Those whose bytes lie highest first go without.
#ifdef __AARCH64EL__
#    include <quadrille/box.h>

#    include <arm_neon.h>
#    include <stdint.h>

typedef float32x4_t vec;
typedef uint32x4_t chosen;
typedef uint32x4_t wholes;
typedef uint8x16_t octets;

// Tree's NEON kernel: loads a vector of consecutive box coordinates.
static inline vec v_load(const float *from) {
    return vld1q_f32(from);
}
// Tree's NEON kernel: stores a vector of box coordinates.
static inline void v_store_all(float *to, vec value) {
    vst1q_f32(to, value);
}
// Tree's NEON kernel: a vector with one coordinate in every lane.
static inline vec v_set(float value) {
    return vdupq_n_f32(value);
}
// Tree's NEON kernel: adds two vectors of box coordinates.
static inline vec v_add(vec a, vec b) {
    return vaddq_f32(a, b);
}
// Tree's NEON kernel: subtracts vectors of box coordinates.
static inline vec v_sub(vec a, vec b) {
    return vsubq_f32(a, b);
}
// Tree's NEON kernel: multiplies two vectors of box coordinates.
static inline vec v_mul(vec a, vec b) {
    return vmulq_f32(a, b);
}
// Tree's NEON kernel: the lower coordinates of two vectors of boxes; those of b where one is no number, as on
// other processors.
static inline vec v_min(vec a, vec b) {
    return vbslq_f32(vcltq_f32(a, b), a, b);
}
// Tree's NEON kernel: the higher coordinates of two vectors of boxes, of b as above.
static inline vec v_max(vec a, vec b) {
    return vbslq_f32(vcgtq_f32(a, b), a, b);
}
// Tree's NEON kernel: a mask of the boxes of a vector whose coordinate is at most the other's.
static inline chosen m_le(vec a, vec b) {
    return vcleq_f32(a, b);
}
// Tree's NEON kernel: the boxes that two masks have.
static inline chosen m_and(chosen a, chosen b) {
    return vandq_u32(a, b);
}

static const uint32_t lane_bits[4] = {1, 2, 4, 8};

// Tree's NEON kernel: a bit for each box of a mask.
static inline unsigned m_bits(chosen boxes) {
    return vaddvq_u32(vandq_u32(boxes, vld1q_u32(lane_bits)));
}
// Tree's NEON kernel: a mask of the boxes of a vector whose coordinate is below the other's.
static inline chosen m_lt(vec a, vec b) {
    return vcltq_f32(a, b);
}
// Tree's NEON kernel: the boxes of a mask that another one does not have.
static inline chosen m_and_not(chosen a, chosen b) {
    return vbicq_u32(a, b);
}
// Tree's NEON kernel: of each lane the coordinate of `a` where it is chosen, else of `b`.
static inline vec v_pick(chosen set, vec a, vec b) {
    return vbslq_f32(set, a, b);
}

// Tree's NEON kernel: loads the boxes of several rows, one column to a vector.
static inline void v_boxes(const qd_box *boxes, const uint32_t rows[4], vec out[4]) {
    vec row[4];
    for (unsigned i = 0; i < 4; ++i) row[i] = vld1q_f32(&boxes[rows[i]].min_x);
    const float64x2_t a = vreinterpretq_f64_f32(vtrn1q_f32(row[0], row[1]));
    const float64x2_t b = vreinterpretq_f64_f32(vtrn2q_f32(row[0], row[1]));
    const float64x2_t c = vreinterpretq_f64_f32(vtrn1q_f32(row[2], row[3]));
    const float64x2_t d = vreinterpretq_f64_f32(vtrn2q_f32(row[2], row[3]));
    out[0] = vreinterpretq_f32_f64(vtrn1q_f64(a, c));
    out[1] = vreinterpretq_f32_f64(vtrn1q_f64(b, d));
    out[2] = vreinterpretq_f32_f64(vtrn2q_f64(a, c));
    out[3] = vreinterpretq_f32_f64(vtrn2q_f64(b, d));
}

// Tree's NEON kernel: the lowest coordinate of a vector of boxes.
static inline float v_lowest(vec a) {
    a = v_min(a, vextq_f32(a, a, 2));
    return vgetq_lane_f32(v_min(a, vextq_f32(a, a, 1)), 0);
}

// Tree's NEON kernel: the highest coordinate of a vector of boxes.
static inline float v_highest(vec a) {
    a = v_max(a, vextq_f32(a, a, 2));
    return vgetq_lane_f32(v_max(a, vextq_f32(a, a, 1)), 0);
}

// Tree's NEON kernel: the nearest whole numbers.
static inline wholes v_round(vec a) {
    return vcvtnq_u32_f32(a);
}
// Tree's NEON kernel: sixteen whole numbers of 0 to 255 as bytes.
static inline octets b_pack(const wholes from[4]) {
    return vuzp1q_u8(
        vreinterpretq_u8_u16(vuzp1q_u16(vreinterpretq_u16_u32(from[0]), vreinterpretq_u16_u32(from[1]))),
        vreinterpretq_u8_u16(vuzp1q_u16(vreinterpretq_u16_u32(from[2]), vreinterpretq_u16_u32(from[3]))));
}
// Tree's NEON kernel: loads sixteen bytes, coarse coordinates.
static inline octets b_load(const uint8_t *from) {
    return vld1q_u8(from);
}
// Tree's NEON kernel: stores sixteen bytes, coarse coordinates.
static inline void b_store(uint8_t *to, octets value) {
    vst1q_u8(to, value);
}
// Tree's NEON kernel: the bits of both.
static inline octets b_or(octets a, octets b) {
    return vorrq_u8(a, b);
}

#    include "core/tree/kernel_four.h"

// Tree's NEON kernel: tests two blocks of a window for pairs, by coarse boxes.
static inline void window_test(qdi_window *window, unsigned row_block, unsigned lane_block,
                               const uint64_t among[4]) {
    static const uint8_t bit[QDI_PAIR_BLOCK] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const qdi_coarse *rows = &window->coarse[row_block], *lanes = &window->coarse[lane_block];
    const unsigned base = lane_block * 4096 + row_block * QDI_PAIR_BLOCK * QDI_PAIR_BLOCK;
    const octets min_x = b_load(lanes->column[0]), min_y = b_load(lanes->column[1]);
    const octets max_x = b_load(lanes->column[2]), max_y = b_load(lanes->column[3]), bits = b_load(bit);
    for (unsigned g = 0; g < window->fours[row_block]; ++g) {
        octets hit[4];
        for (unsigned i = 0, r = 4 * g; i < 4; ++i, ++r) {
            const octets x = b_or(vqsubq_u8(min_x, vdupq_n_u8(rows->column[2][r])),
                                  vqsubq_u8(vdupq_n_u8(rows->column[0][r]), max_x));
            const octets y = b_or(vqsubq_u8(min_y, vdupq_n_u8(rows->column[3][r])),
                                  vqsubq_u8(vdupq_n_u8(rows->column[1][r]), max_y));
            hit[i] = vandq_u8(vceqzq_u8(b_or(x, y)), bits);
        }
        const octets all = vpaddq_u8(vpaddq_u8(hit[0], hit[1]), vpaddq_u8(hit[2], hit[3]));
        const uint64_t hits = vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(all, all)), 0);
        qdi_window_note(window, hits & among[g], base + 64 * g);
    }
}

#    include "core/tree/kernel_pairs.h"

const qdi_kernels qdi_kernels_neon = {kernel_box_list, kernel_list,   kernel_pick,
                                      kernel_hits,     kernel_shift,  kernel_drop,
                                      kernel_insert,   kernel_update, NULL};
#endif
