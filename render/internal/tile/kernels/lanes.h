// Vectors of LANES floats or integers. Only this file depends on the instruction set. LANES is 16 with AVX-512 and 8
// elsewhere. The lanes of a group of pixels are GROUP_W wide and GROUP_H high, row by row.
//
// An operation gives the same bits in every lane with all instruction sets, except that fma rounds twice without fused
// multiply-add.
#ifndef LANES_H
#define LANES_H

#include <stdint.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512BW__) && defined(__AVX512VL__)
#define LANES 16
#elif defined(__AVX2__) && defined(__FMA__)
#define LANES 8
#else
#define LANES 8
#define PORTABLE
#endif

#if !defined(PORTABLE) || defined(__SSE2__)
#include <immintrin.h>
#endif

#define GROUP_W 4
#define GROUP_H (LANES / GROUP_W)

typedef float vf __attribute__((vector_size(4 * LANES)));
typedef int32_t vi __attribute__((vector_size(4 * LANES)));
typedef uint32_t vu __attribute__((vector_size(4 * LANES)));

#if LANES == 16
typedef __mmask16 vm; // one bit per lane
#else
typedef vi vm; // all bits of a lane, or none
#endif

INLINE vf set(float x) { return x - (vf){0}; }
INLINE vi iset(int32_t x) { return x - (vi){0}; }

INLINE vf load(const float *p) {
	vf v;
	memcpy(&v, p, sizeof v);
	return v;
}
INLINE vi iload(const int32_t *p) {
	vi v;
	memcpy(&v, p, sizeof v);
	return v;
}
INLINE void store(float *p, vf v) { memcpy(p, &v, sizeof v); }
INLINE void istore(int32_t *p, vi v) { memcpy(p, &v, sizeof v); }

INLINE vi bits_of(vf v) { return (vi)v; }
INLINE vf float_of(vi v) { return (vf)v; }

#if LANES == 16

INLINE vf fma_(vf a, vf b, vf c) { return (vf)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c); }
INLINE vf min_(vf a, vf b) { return (vf)_mm512_min_ps((__m512)a, (__m512)b); }
INLINE vf max_(vf a, vf b) { return (vf)_mm512_max_ps((__m512)a, (__m512)b); }
INLINE vf sqrt_(vf a) { return (vf)_mm512_sqrt_ps((__m512)a); }
INLINE vf floor_(vf a) { return (vf)_mm512_roundscale_ps((__m512)a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC); }
INLINE vi imin_(vi a, vi b) { return (vi)_mm512_min_epi32((__m512i)a, (__m512i)b); }
INLINE vi imax_(vi a, vi b) { return (vi)_mm512_max_epi32((__m512i)a, (__m512i)b); }
INLINE vi truncated(vf a) { return (vi)_mm512_cvttps_epi32((__m512)a); }
INLINE vf to_float(vi a) { return (vf)_mm512_cvtepi32_ps((__m512i)a); }
INLINE vm lt(vf a, vf b) { return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LT_OQ); }
INLINE vm le(vf a, vf b) { return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LE_OQ); }
INLINE vm ge(vf a, vf b) { return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_GE_OQ); }
INLINE vm gt(vf a, vf b) { return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_GT_OQ); }
INLINE vm ilt(vi a, vi b) { return _mm512_cmplt_epi32_mask((__m512i)a, (__m512i)b); }
INLINE vm ieq(vi a, vi b) { return _mm512_cmpeq_epi32_mask((__m512i)a, (__m512i)b); }
INLINE vm and(vm a, vm b) { return a & b; }
INLINE vm or(vm a, vm b) { return a | b; }
INLINE vm not(vm a) { return ~a; }
INLINE unsigned bits(vm m) { return m; }
INLINE vm mask_of(unsigned b) { return (vm)b; }
INLINE vf select(vm m, vf a, vf b) { return (vf)_mm512_mask_blend_ps(m, (__m512)b, (__m512)a); }
INLINE vi iselect(vm m, vi a, vi b) { return (vi)_mm512_mask_blend_epi32(m, (__m512i)b, (__m512i)a); }
INLINE vf gather(const float *p, vi index) { return (vf)_mm512_i32gather_ps((__m512i)index, p, 4); }
INLINE vi igather(const int32_t *p, vi index) { return (vi)_mm512_i32gather_epi32((__m512i)index, p, 4); }
// gather_pairs reads two neighbouring elements per lane, with half the load instructions.
INLINE void gather_pairs(const int32_t *p, vi index, vi *here, vi *next) {
	__m512i low = _mm512_i32gather_epi64(_mm512_castsi512_si256((__m512i)index), p, 4);
	__m512i high = _mm512_i32gather_epi64(_mm512_extracti64x4_epi64((__m512i)index, 1), p, 4);
	const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
	*here = (vi)_mm512_permutex2var_epi32(low, even, high);
	*next = (vi)_mm512_permutex2var_epi32(low, _mm512_or_si512(even, _mm512_set1_epi32(1)), high);
}
// gather_at reads four bytes at byte offsets of any alignment.
INLINE vi gather_at(const void *p, vi offset) { return (vi)_mm512_i32gather_epi32((__m512i)offset, p, 1); }
INLINE vf swap_x(vf v) { return (vf)_mm512_permute_ps((__m512)v, 0xb1); }
INLINE vf swap_y(vf v) { return (vf)_mm512_shuffle_f32x4((__m512)v, (__m512)v, _MM_SHUFFLE(2, 3, 0, 1)); }
// pick returns the element of a, followed by b, at each index from 0 to 2·LANES − 1.
INLINE vf pick(vf a, vf b, vi index) { return (vf)_mm512_permutex2var_ps((__m512)a, (__m512i)index, (__m512)b); }
// squeeze packs the lower three bytes of each four lanes together: the first twelve of 16 bytes.
INLINE vi squeeze(vi v) {
	return (vi)_mm512_shuffle_epi8((__m512i)v, _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13,
		14, 3, 7, 11, 15)));
}
INLINE float smallest(vf v) { return _mm512_reduce_min_ps((__m512)v); }
INLINE float largest(vf v) { return _mm512_reduce_max_ps((__m512)v); }

#elif !defined(PORTABLE)

INLINE vf fma_(vf a, vf b, vf c) { return (vf)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c); }
INLINE vf min_(vf a, vf b) { return (vf)_mm256_min_ps((__m256)a, (__m256)b); }
INLINE vf max_(vf a, vf b) { return (vf)_mm256_max_ps((__m256)a, (__m256)b); }
INLINE vf sqrt_(vf a) { return (vf)_mm256_sqrt_ps((__m256)a); }
INLINE vf floor_(vf a) { return (vf)_mm256_floor_ps((__m256)a); }
INLINE vi imin_(vi a, vi b) { return (vi)_mm256_min_epi32((__m256i)a, (__m256i)b); }
INLINE vi imax_(vi a, vi b) { return (vi)_mm256_max_epi32((__m256i)a, (__m256i)b); }
INLINE vi truncated(vf a) { return (vi)_mm256_cvttps_epi32((__m256)a); }
INLINE vf to_float(vi a) { return (vf)_mm256_cvtepi32_ps((__m256i)a); }
INLINE vm lt(vf a, vf b) { return (vm)(a < b); }
INLINE vm le(vf a, vf b) { return (vm)(a <= b); }
INLINE vm ge(vf a, vf b) { return (vm)(a >= b); }
INLINE vm gt(vf a, vf b) { return (vm)(a > b); }
INLINE vm ilt(vi a, vi b) { return (vm)(a < b); }
INLINE vm ieq(vi a, vi b) { return (vm)(a == b); }
INLINE vm and(vm a, vm b) { return a & b; }
INLINE vm or(vm a, vm b) { return a | b; }
INLINE vm not(vm a) { return ~a; }
INLINE unsigned bits(vm m) { return (unsigned)_mm256_movemask_ps((__m256)m); }
INLINE vf select(vm m, vf a, vf b) { return (vf)_mm256_blendv_ps((__m256)b, (__m256)a, (__m256)m); }
INLINE vi iselect(vm m, vi a, vi b) { return (vi)select(m, (vf)a, (vf)b); }
INLINE vf gather(const float *p, vi index) { return (vf)_mm256_i32gather_ps(p, (__m256i)index, 4); }
INLINE vi igather(const int32_t *p, vi index) { return (vi)_mm256_i32gather_epi32(p, (__m256i)index, 4); }
INLINE void gather_pairs(const int32_t *p, vi index, vi *here, vi *next) {
	__m256 low = (__m256)_mm256_i32gather_epi64((const long long *)p, _mm256_castsi256_si128((__m256i)index), 4);
	__m256 high = (__m256)_mm256_i32gather_epi64((const long long *)p, _mm256_extracti128_si256((__m256i)index, 1), 4);
	*here = (vi)_mm256_permute4x64_epi64((__m256i)_mm256_shuffle_ps(low, high, 0x88), 0xd8);
	*next = (vi)_mm256_permute4x64_epi64((__m256i)_mm256_shuffle_ps(low, high, 0xdd), 0xd8);
}
INLINE vi gather_at(const void *p, vi offset) { return (vi)_mm256_i32gather_epi32(p, (__m256i)offset, 1); }
INLINE vf swap_x(vf v) { return (vf)_mm256_permute_ps((__m256)v, 0xb1); }
INLINE vf swap_y(vf v) { return (vf)_mm256_permute2f128_ps((__m256)v, (__m256)v, 1); }
INLINE vf pick(vf a, vf b, vi index) {
	vf in_a = (vf)_mm256_permutevar8x32_ps((__m256)a, (__m256i)index), in_b = (vf)_mm256_permutevar8x32_ps((__m256)b,
		(__m256i)index);
	return select(index < LANES, in_a, in_b);
}
INLINE vi squeeze(vi v) {
	return (vi)_mm256_shuffle_epi8((__m256i)v, _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12,
		13, 14, 3, 7, 11, 15)));
}

#else

INLINE vf fma_(vf a, vf b, vf c) { return a * b + c; }
// Compilers compare vectors wider than the processor's registers element by element, so compare halves.
typedef float half_vf __attribute__((vector_size(2 * LANES)));
typedef int32_t half_vi __attribute__((vector_size(2 * LANES)));
#define COMPARE(name, vector, half_vector, operator) \
	INLINE vm name(vector a, vector b) { \
		half_vector p[2], q[2]; \
		memcpy(p, &a, sizeof p); \
		memcpy(q, &b, sizeof q); \
		half_vi r[2] = {p[0] operator q[0], p[1] operator q[1]}; \
		vm m; \
		memcpy(&m, r, sizeof m); \
		return m; \
	}
COMPARE(lt, vf, half_vf, <)
COMPARE(le, vf, half_vf, <=)
COMPARE(ge, vf, half_vf, >=)
COMPARE(gt, vf, half_vf, >)
COMPARE(ilt, vi, half_vi, <)
COMPARE(ieq, vi, half_vi, ==)
INLINE vm and(vm a, vm b) { return a & b; }
INLINE vm or(vm a, vm b) { return a | b; }
INLINE vm not(vm a) { return ~a; }
#ifdef __SSE2__
// EACH_HALF applies a four-lane instruction to both halves of vectors.
#define EACH_HALF(type, half, op, ...) \
	union { type whole; half part[2]; } out_; \
	for (int i = 0; i < 2; i++) out_.part[i] = op(__VA_ARGS__); \
	return out_.whole;
#define HALF(half, v) (((union { __typeof__(v) whole; half part[2]; }){v}).part[i])
INLINE unsigned bits(vm m) {
	unsigned b = 0;
	for (int i = 0; i < 2; i++) b |= (unsigned)_mm_movemask_ps(HALF(__m128, m)) << 4 * i;
	return b;
}
INLINE vf min_(vf a, vf b) { EACH_HALF(vf, __m128, _mm_min_ps, HALF(__m128, a), HALF(__m128, b)) }
INLINE vf max_(vf a, vf b) { EACH_HALF(vf, __m128, _mm_max_ps, HALF(__m128, a), HALF(__m128, b)) }
INLINE vf sqrt_(vf a) { EACH_HALF(vf, __m128, _mm_sqrt_ps, HALF(__m128, a)) }
INLINE vf to_float(vi a) { EACH_HALF(vf, __m128, _mm_cvtepi32_ps, HALF(__m128i, a)) }
INLINE vi truncated(vf a) { EACH_HALF(vi, __m128i, _mm_cvttps_epi32, HALF(__m128, a)) }
#endif
INLINE vi iselect(vm m, vi a, vi b) { return (m & a) | (~m & b); }
INLINE vf select(vm m, vf a, vf b) { return (vf)iselect(m, (vi)a, (vi)b); }
INLINE vi imin_(vi a, vi b) { return iselect(ilt(a, b), a, b); }
INLINE vi imax_(vi a, vi b) { return iselect(ilt(a, b), b, a); }
#ifndef __SSE2__
INLINE unsigned bits(vm m) {
	m &= (vi){1, 2, 4, 8, 16, 32, 64, 128};
	half_vi h[2];
	memcpy(h, &m, sizeof h);
	h[0] |= h[1];
	return (unsigned)(h[0][0] | h[0][1] | h[0][2] | h[0][3]);
}
// Like the instructions of x86, both return b if a is NaN.
INLINE vf min_(vf a, vf b) { return select(lt(a, b), a, b); }
INLINE vf max_(vf a, vf b) { return select(gt(a, b), a, b); }
INLINE vf sqrt_(vf a) {
	for (int i = 0; i < LANES; i++) a[i] = __builtin_sqrtf(a[i]);
	return a;
}
INLINE vf to_float(vi a) { return __builtin_convertvector(a, vf); }
// Values out of range become INT32_MIN, like with the instructions of x86.
INLINE vi truncated(vf a) {
	vm fits = and(ge(a, set(-2147483648.0f)), lt(a, set(2147483648.0f)));
	return iselect(fits, __builtin_convertvector(select(fits, a, (vf){0}), vi), iset(INT32_MIN));
}
#endif
INLINE vf floor_(vf a) {
	vf t = to_float(truncated(a));
	t = select(gt(t, a), t - 1.0f, t);
	return select(lt(max_(a, -a), set(8388608.0f)), t, a); // larger numbers are integers
}
INLINE vi igather(const int32_t *p, vi index) {
	vi v;
	for (int i = 0; i < LANES; i++) v[i] = p[index[i]];
	return v;
}
INLINE void gather_pairs(const int32_t *p, vi index, vi *here, vi *next) { *here = igather(p, index),
	*next = igather(p, index + 1); }
INLINE vf gather(const float *p, vi index) {
	vf v;
	for (int i = 0; i < LANES; i++) v[i] = p[index[i]];
	return v;
}
INLINE vi gather_at(const void *p, vi offset) {
	vi v;
	for (int i = 0; i < LANES; i++) {
		int32_t x;
		memcpy(&x, (const char *)p + offset[i], sizeof x);
		v[i] = x;
	}
	return v;
}
INLINE vf swap_x(vf v) { return __builtin_shuffle(v, (vi){1, 0, 3, 2, 5, 4, 7, 6}); }
INLINE vf swap_y(vf v) { return __builtin_shuffle(v, (vi){4, 5, 6, 7, 0, 1, 2, 3}); }
INLINE vf pick(vf a, vf b, vi index) { return __builtin_shuffle(a, b, index); }
INLINE vi squeeze(vi v) {
	uint8_t from[4 * LANES], to[4 * LANES] = {0};
	memcpy(from, &v, sizeof from);
	for (int i = 0; i < LANES; i++) memcpy(to + i / 4 * 16 + i % 4 * 3, from + 4 * i, 3);
	memcpy(&v, to, sizeof to);
	return v;
}

#endif

#if LANES == 8
INLINE float smallest(vf v) {
	float s = v[0];
	for (int i = 1; i < LANES; i++) s = v[i] < s ? v[i] : s;
	return s;
}
INLINE float largest(vf v) {
	float s = v[0];
	for (int i = 1; i < LANES; i++) s = v[i] > s ? v[i] : s;
	return s;
}
// mask_of returns the mask of the lanes whose bits are set.
INLINE vm mask_of(unsigned b) {
	vi lane = {1, 2, 4, 8, 16, 32, 64, 128};
	return (vm)((iset((int32_t)b) & lane) != 0);
}
#endif

INLINE int any(vm m) { return bits(m) != 0; }
INLINE vf abs_(vf a) { return (vf)((vi)a & 0x7fffffff); }
// with_sign is v, times −1 where of is negative.
INLINE vf with_sign(vf v, vf of) { return (vf)((vi)v ^ ((vi)of & INT32_MIN)); }
INLINE vf clamp(vf x, vf lo, vf hi) { return min_(max_(x, lo), hi); }
INLINE vf where(vm m, vf a) { return select(m, a, (vf){0}); }
INLINE vf mix(vf a, vf b, vf t) { return fma_(b - a, t, a); }

// LANE holds the lanes' numbers as floats.
#if LANES == 16
#define LANE ((vf){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
#else
#define LANE ((vf){0, 1, 2, 3, 4, 5, 6, 7})
#endif

// INDEX holds the lanes' numbers.
#if LANES == 16
#define INDEX ((vi){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
#else
#define INDEX ((vi){0, 1, 2, 3, 4, 5, 6, 7})
#endif

// LANE_X and LANE_Y are the position of each lane in its group of pixels.
#if LANES == 16
#define LANE_X ((vf){0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3})
#define LANE_Y ((vf){0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3})
#define SIGN_X ((vf){1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1})
#define SIGN_Y ((vf){1, 1, 1, 1, -1, -1, -1, -1, 1, 1, 1, 1, -1, -1, -1, -1})
#else
#define LANE_X ((vf){0, 1, 2, 3, 0, 1, 2, 3})
#define LANE_Y ((vf){0, 0, 0, 0, 1, 1, 1, 1})
#define SIGN_X ((vf){1, -1, 1, -1, 1, -1, 1, -1})
#define SIGN_Y ((vf){1, 1, 1, 1, -1, -1, -1, -1})
#endif

// across and down are the change of a value to the next pixel, from the two pixels of a pair, like OpenGL's dFdx and
// dFdy.
INLINE vf across(vf v) { return (swap_x(v) - v) * SIGN_X; }
INLINE vf down(vf v) { return (swap_y(v) - v) * SIGN_Y; }

// load_rows reads GROUP_H rows of GROUP_W numbers.
INLINE vf load_rows(const float *p, int stride) {
#if LANES == 16
	__m512 low = _mm512_insertf32x4(_mm512_castps128_ps512(_mm_loadu_ps(p)), _mm_loadu_ps(p + stride), 1);
	return (vf)_mm512_insertf32x4(_mm512_insertf32x4(low, _mm_loadu_ps(p + 2 * stride), 2),
		_mm_loadu_ps(p + 3 * stride), 3);
#elif !defined(PORTABLE)
	return (vf)_mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p)), _mm_loadu_ps(p + stride), 1);
#else
	vf v;
	for (int i = 0; i < GROUP_H; i++) memcpy((float *)&v + i * GROUP_W, p + i * stride, GROUP_W * sizeof(float));
	return v;
#endif
}
INLINE void store_rows(float *p, int stride, vf v) {
	for (int i = 0; i < GROUP_H; i++) memcpy(p + i * stride, (float *)&v + i * GROUP_W, GROUP_W * sizeof(float));
}

// load_quads reads four numbers for each four lanes, from the quads with the indices at[0], at[4], …
INLINE vf load_quads(const float *p, const int32_t *at) {
#if LANES == 16
	__m512 low = _mm512_insertf32x4(_mm512_castps128_ps512(_mm_loadu_ps(p + 4 * at[0])), _mm_loadu_ps(p + 4 * at[4]),
		1);
	return (vf)_mm512_insertf32x4(_mm512_insertf32x4(low, _mm_loadu_ps(p + 4 * at[8]), 2), _mm_loadu_ps(p + 4 * at[12]),
		3);
#elif !defined(PORTABLE)
	return (vf)_mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p + 4 * at[0])), _mm_loadu_ps(p + 4 * at[4]),
		1);
#else
	vf v;
	for (int i = 0; i < LANES; i += 4) memcpy((float *)&v + i, p + 4 * at[i], 4 * sizeof(float));
	return v;
#endif
}

// transpose transposes the 4 × 4 numbers in each four lanes of four vectors.
INLINE void transpose(vf v[4]) {
#if LANES == 16
	__m512 a = _mm512_unpacklo_ps((__m512)v[0], (__m512)v[1]), b = _mm512_unpackhi_ps((__m512)v[0], (__m512)v[1]);
	__m512 c = _mm512_unpacklo_ps((__m512)v[2], (__m512)v[3]), d = _mm512_unpackhi_ps((__m512)v[2], (__m512)v[3]);
	v[0] = (vf)_mm512_shuffle_ps(a, c, 0x44), v[1] = (vf)_mm512_shuffle_ps(a, c, 0xee);
	v[2] = (vf)_mm512_shuffle_ps(b, d, 0x44), v[3] = (vf)_mm512_shuffle_ps(b, d, 0xee);
#elif !defined(PORTABLE)
	__m256 a = _mm256_unpacklo_ps((__m256)v[0], (__m256)v[1]), b = _mm256_unpackhi_ps((__m256)v[0], (__m256)v[1]);
	__m256 c = _mm256_unpacklo_ps((__m256)v[2], (__m256)v[3]), d = _mm256_unpackhi_ps((__m256)v[2], (__m256)v[3]);
	v[0] = (vf)_mm256_shuffle_ps(a, c, 0x44), v[1] = (vf)_mm256_shuffle_ps(a, c, 0xee);
	v[2] = (vf)_mm256_shuffle_ps(b, d, 0x44), v[3] = (vf)_mm256_shuffle_ps(b, d, 0xee);
#else
	vf rows[4];
	memcpy(rows, v, sizeof rows);
	for (int row = 0; row < 4; row++)
		for (int i = 0; i < LANES; i++) v[row][i] = rows[i & 3][(i & ~3) + row];
#endif
}

// log2_ is the binary logarithm of positive normal numbers, within 2e-7. Polynomial: Chebyshev approximation of log2(1
// + m)/m for 1 + m from √½ to √2.
INLINE vf log2_(vf x) {
	vi i = bits_of(x) - 0x3f3504f3; // the bits of √½
	vf m = float_of((i & 0x7fffff) + 0x3f3504f3) - 1.0f;
	vf p = set(-0.146203534f);
	p = fma_(p, m, set(0.234209851f));
	p = fma_(p, m, set(-0.248821806f));
	p = fma_(p, m, set(0.287075611f));
	p = fma_(p, m, set(-0.360241986f));
	p = fma_(p, m, set(0.480924039f));
	p = fma_(p, m, set(-0.721352759f));
	p = fma_(p, m, set(1.44269496f));
	return fma_(p, m, to_float(i >> 23));
}

// exp2_ is 2 to the power x, clamped to −126 to 127, with a relative error of 2e-7. Polynomial: Chebyshev approximation
// from −½ to ½.
INLINE vf exp2_(vf x) {
	x = clamp(x, set(-126.0f), set(127.0f));
	vf whole = floor_(x + 0.5f), f = x - whole;
	vf p = set(0.00134004322f);
	p = fma_(p, f, set(0.0096760371f));
	p = fma_(p, f, set(0.0555032721f));
	p = fma_(p, f, set(0.240221074f));
	p = fma_(p, f, set(0.693147207f));
	p = fma_(p, f, set(1.00000008f));
	return p * float_of((truncated(whole) + 127) << 23);
}

// power is x to the power y, for x ≥ 0 and y > 0.
INLINE vf power(vf x, vf y) { return where(gt(x, set(1e-30f)), exp2_(log2_(max_(x, set(1e-30f))) * y)); }

// On x86, where hardly any processor uses the fallback, it does not inline functions built from these operations.
// Compilers split each of its vectors into several registers, so that a function with everything inlined takes half a
// minute to compile. The fallback takes about twice as long to run this way.
#if defined(PORTABLE) && defined(__x86_64__) && !defined(__clang__)
#undef INLINE
#define INLINE static inline
#endif

#endif
