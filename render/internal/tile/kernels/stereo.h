// Depth from the images of a stereo pair by semi-global matching with eight paths (Hirschmüller, "Stereo processing by
// semiglobal matching and mutual information", PAMI 2008) of the centre-symmetric census transform (Spangenberg,
// Langner and Rojas, "Weighted semi-global matching and center-symmetric census transform for robust driver
// assistance", CAIP 2013).
//
// A pass follows four of the paths over the image. The forward pass takes the rows from the top and each row from the
// left, the backward pass reversed. Both passes may run concurrently for half of the rows, whose sums they keep. After
// that, each pass adds its sums to those that the other pass kept, and chooses the disparities of its rows. Everything
// but the last fraction is integer arithmetic, so all instruction sets give the same bits.
#ifndef STEREO_H
#define STEREO_H

#include <math.h>

#include "lanes.h"
#include "work.h"

typedef uint8_t bytes __attribute__((vector_size(32)));
typedef uint8_t few_bytes __attribute__((vector_size(16)));
typedef uint64_t words __attribute__((vector_size(32)));
typedef int16_t shorts __attribute__((vector_size(32)));

INLINE bytes bload(const uint8_t *p) {
	bytes v;
	memcpy(&v, p, sizeof v);
	return v;
}
INLINE void bstore(uint8_t *p, bytes v) { memcpy(p, &v, sizeof v); }
INLINE shorts sload(const int16_t *p) {
	shorts v;
	memcpy(&v, p, sizeof v);
	return v;
}
INLINE void sstore(int16_t *p, shorts v) { memcpy(p, &v, sizeof v); }
INLINE shorts sselect(shorts where, shorts a, shorts b) { return (a & where) | (b & ~where); }

#ifdef PORTABLE
INLINE bytes bmin(bytes a, bytes b) {
	bytes less = (bytes)(a < b);
	return (a & less) | (b & ~less);
}
INLINE shorts smin(shorts a, shorts b) { return sselect(a < b, a, b); }
INLINE int32_t bleast(bytes v) {
	int32_t least = v[0];
	for (int i = 1; i < 32; i++) least = v[i] < least ? v[i] : least;
	return least;
}
INLINE int32_t sleast(shorts v) { // of numbers from 0
	int32_t least = v[0];
	for (int i = 1; i < 16; i++) least = v[i] < least ? v[i] : least;
	return least;
}
#else
INLINE bytes bmin(bytes a, bytes b) { return (bytes)_mm256_min_epu8((__m256i)a, (__m256i)b); }
INLINE shorts smin(shorts a, shorts b) { return (shorts)_mm256_min_epi16((__m256i)a, (__m256i)b); }
INLINE int32_t bleast(bytes v) {
	__m128i m = _mm_min_epu8(_mm256_castsi256_si128((__m256i)v), _mm256_extracti128_si256((__m256i)v, 1));
	m = _mm_min_epu8(m, _mm_srli_epi16(m, 8));
	return _mm_cvtsi128_si32(_mm_minpos_epu16(_mm_and_si128(m, _mm_set1_epi16(255)))) & 255;
}
INLINE int32_t sleast(shorts v) {
	return _mm_cvtsi128_si32(_mm_minpos_epu16(_mm_min_epi16(_mm256_castsi256_si128((__m256i)v),
		_mm256_extracti128_si256((__m256i)v, 1)))) & 0xffff;
}
#endif

INLINE bytes bset(int32_t x) { return (uint8_t)x - (bytes){0}; }
INLINE shorts sset(int32_t x) { return (int16_t)x - (shorts){0}; }

enum {
	WINDOW = 3, // half the size of the census window of 7 × 7 pixels
	// Penalties for a change of disparity by 1, and by more, along a path. The largest cost is CENSUS, the number of
	// bits of a census. 4 · (CENSUS + LARGE_STEP), the largest sum of a pass, must fit in a byte.
	SMALL_STEP = 10, LARGE_STEP = 30,
	NONE = 0x7fff,
	SPECKLE = 50, // pixels: OpenCV recommends 50 to 200 for StereoSGBM
};

static const float LEAST = 1e-6f; // stands for the disparity 0, as 0 is no disparity

// census computes a row of an image's census: three planes of bytes. A fourth plane is not 0 where the pixels of the
// window differ enough. Rows and columns whose window leaves the image are 0.
static void census(const matching *m, int32_t y, uint8_t *const to[4]) {
	int32_t w = m->width;
	int inside = y >= WINDOW && y < m->height - WINDOW;
	for (int32_t x = WINDOW; inside && x < w - WINDOW; x += 16) {
		const int16_t *at = m->luma + y * w + x;
		shorts differences = {0};
		for (int k = 0; k < 4; k++) {
			shorts byte = {0};
			for (int bit = 0; bit < 8 && 8 * k + bit < CENSUS; bit++) {
				int dy = (8 * k + bit) / (2 * WINDOW + 1) - WINDOW, dx = (8 * k + bit) % (2 * WINDOW + 1) - WINDOW;
				shorts a = sload(at + dy * w + dx), b = sload(at - dy * w - dx), more = a > b;
				byte |= more & sset(1 << bit);
				differences += sselect(more, a - b, b - a) >> 5; // at most 1020, and 24 of them fit in 16 bits
			}
			if (k == 3) byte = (differences >= sset(m->texture)) & sset(1);
			few_bytes b = __builtin_convertvector(byte, few_bytes);
			memcpy(to[k] + x, &b, sizeof b);
		}
	}
	for (int k = 0; k < 4; k++) {
		memset(to[k], 0, inside ? WINDOW : (size_t)w);
		if (inside) memset(to[k] + w - WINDOW, 0, WINDOW);
	}
}

// take_census computes the census of both images. That of the right image is reversed, so that a row of disparities is
// a row of bytes.
static void take_census(const matching *m, const uint8_t *left, const uint8_t *right) {
	int32_t w = m->width, n = w * m->height;
	for (int side = 0; side < 2; side++) {
		const uint8_t *pix = side ? right : left;
		for (int32_t i = 0; i < n; i++) // luma of ITU-R BT.601, in 1/128
			m->luma[i] = (int16_t)((77 * pix[3 * i] + 150 * pix[3 * i + 1] + 29 * pix[3 * i + 2]) >> 1);
		for (int32_t y = 0; y < m->height; y++) {
			uint8_t *rows[4];
			for (int k = 0; k < 4; k++) rows[k] = side ? m->row + k * (w + MATCH_SPARE) : m->left +
				((size_t)k * (size_t)m->height + (size_t)y) * (size_t)(w + MATCH_SPARE);
			census(m, y, rows);
			for (int k = 0; side && k < 3; k++) {
				uint8_t *restrict to = m->right + ((size_t)k * (size_t)m->height + (size_t)y) *
					(size_t)(w + m->disparities);
				const uint8_t *restrict from = rows[k];
				for (int32_t x = 0; x < w; x++) to[x] = from[w - 1 - x];
			}
		}
	}
}

// costs computes the cost of each disparity of a pixel: the number of bits in which the census of the pixel differs
// from those of the right image.
INLINE void costs(const matching *m, int32_t x, int32_t y, uint8_t *cost) {
	int32_t w = m->width, n = m->disparities;
	size_t left = (size_t)m->height * (size_t)(w + MATCH_SPARE), right = (size_t)m->height * (size_t)(w + n);
	const uint8_t *own = m->left + (size_t)y * (size_t)(w + MATCH_SPARE) + x;
	const uint8_t *other = m->right + (size_t)y * (size_t)(w + n) + (w - 1 - x);
	bytes a = bset(own[0]), b = bset(own[left]), c = bset(own[2 * left]);
	const words pairs = (words)bset(0x55), fours = (words)bset(0x33), eights = (words)bset(0x0f);
	for (int32_t d = 0; d < n; d += 32, other += 32) {
		words p = (words)(bload(other) ^ a), q = (words)(bload(other + right) ^ b),
			r = (words)(bload(other + 2 * right) ^ c);
		p -= p >> 1 & pairs, q -= q >> 1 & pairs, r -= r >> 1 & pairs;
		p = (p & fours) + (p >> 2 & fours) + (q & fours) + (q >> 2 & fours) + (r & fours) + (r >> 2 & fours);
		bstore(cost + d, (bytes)((p & eights) + (p >> 4 & eights)));
	}
	if (x + 1 < n) memset(cost + x + 1, CENSUS, (size_t)(n - x - 1)); // outside of the right image
}

typedef struct { // a path's costs at the preceding pixel and at a pixel, and the least of them
	const uint8_t *from;
	uint8_t *to;
	const uint8_t *least_from;
	uint8_t *least_to;
} step;

// follow computes the costs of four paths at a pixel, and their sum.
INLINE void follow(int32_t n, const uint8_t *cost, const step s[4], uint8_t *sum) {
	bytes least[4], before[4], jump[4];
	for (int k = 0; k < 4; k++) {
		before[k] = bset(*s[k].least_from), jump[k] = before[k] + bset(LARGE_STEP);
		least[k] = bset(255);
	}
	for (int32_t d = 0; d < n; d += 32) {
		bytes own = bload(cost + d), all = bset(0);
#pragma GCC unroll 4
		for (int k = 0; k < 4; k++) {
			const uint8_t *p = s[k].from + d;
			bytes v = bmin(bmin(bload(p - 1), bload(p + 1)) + bset(SMALL_STEP), bmin(bload(p), jump[k]));
			v = v - before[k] + own;
			bstore(s[k].to + d, v);
			least[k] = bmin(least[k], v);
			all += v;
		}
		bstore(sum + d, all);
	}
	for (int k = 0; k < 4; k++) *s[k].least_to = (uint8_t)bleast(least[k]);
}

// choose finds the disparity of each pixel of a row from the sums of all eight paths: 0 if there is none.
static void choose(const matching *m, int32_t y, const int16_t *sums, int16_t *memory, float *to) {
	int32_t n = m->disparities, w = m->width;
	int16_t *lowest_right = memory, *right = memory + w + n, *best = right + w + n; // right is reversed
	const shorts lanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
	for (int32_t i = 0; i < w + n; i++) lowest_right[i] = NONE;
	for (int32_t x = 0; x < w; x++) {
		const int16_t *s = sums + (size_t)x * (size_t)n;
		int16_t *r = lowest_right + (w - 1 - x), *of = right + (w - 1 - x);
		shorts lowest = sset(NONE), at = lanes;
		for (int32_t d = 0; d < n; d += 16, at += sset(16)) {
			shorts v = sload(s + d), old = sload(r + d), less = v < old;
			lowest = smin(lowest, v);
			sstore(of + d, sselect(less, at, sload(of + d)));
			sstore(r + d, smin(v, old));
		}
		int32_t low = sleast(lowest), limit = (low * m->unique >> 8) + 1;
		shorts first = sset(NONE), rivals = sset(0);
		at = lanes;
		for (int32_t d = 0; d < n; d += 16, at += sset(16)) {
			shorts v = sload(s + d);
			first = smin(first, sselect(v == sset(low), at, sset(NONE)));
			rivals -= v < sset(limit);
		}
		int32_t d = sleast(first), count = 0;
		for (int32_t i = 0; i < 16; i++) count += rivals[i];
		for (int32_t i = d > 0 ? d - 1 : 0; i <= d + 1 && i < n; i++) count -= s[i] < limit;
		best[x] = (int16_t)(count || d > x ? NONE : d);
	}
	const uint8_t *textured = m->left + ((size_t)3 * (size_t)m->height + (size_t)y) * (size_t)(w + MATCH_SPARE);
	for (int32_t x = 0; x < w; x++) {
		to[x] = 0;
		int32_t d = best[x], back = d == NONE ? 0 : right[w - 1 - x + d];
		if (d == NONE || back - d > 1 || d - back > 1 || !textured[x]) continue;
		float at = (float)d;
		if (d > 0 && d + 1 < n) { // the minimum of a V through the least sum and its neighbours
			const int16_t *s = sums + (size_t)x * (size_t)n + d;
			int32_t side = s[-1] > s[1] ? s[-1] : s[1];
			at += (float)(s[-1] - s[1]) / (float)(2 * (side > s[0] ? side - s[0] : 1));
		}
		to[x] = at > 0 ? at : LEAST;
	}
}

// root returns the first pixel of a region. It shortens the way there.
INLINE int32_t root(int32_t *of, int32_t i) {
	while (of[i] != i) i = of[i] = of[of[i]];
	return i;
}

// finish removes regions of fewer than SPECKLE pixels whose disparities differ from those of their neighbours by more
// than 1, and turns the disparities into distances.
static void finish(const matching *m, float *depth) {
	int32_t w = m->width, n = w * m->height, *of = m->regions, *size = of + n;
	for (int32_t i = 0; i < n; i++) {
		of[i] = i, size[i] = 1;
		for (int k = 0; k < 2 && depth[i] > 0; k++) { // the pixels to the left and above
			int32_t j = k ? i - w : i % w ? i - 1 : -1;
			if (j < 0 || !(depth[j] > 0) || !(fabsf(depth[j] - depth[i]) <= 1)) continue;
			int32_t a = root(of, i), b = root(of, j);
			if (a == b) continue;
			of[a > b ? a : b] = a > b ? b : a;
			size[a > b ? b : a] += size[a > b ? a : b];
		}
	}
	for (int32_t i = 0; i < n; i++) {
		if (!(depth[i] > 0)) continue;
		float z = depth[i] > LEAST ? m->scale / depth[i] : 2 * m->far;
		depth[i] = size[root(of, i)] < SPECKLE || z < m->near ? 0 : z > m->far ? INFINITY : z;
	}
}

// match_half carries on a pass over half of the image: if depth is 0, over the rows whose sums it keeps for the other
// pass, and otherwise over the rows whose disparities it chooses.
static void match_half(const matching *m, int32_t backward, float *depth) {
	int32_t n = m->disparities, w = m->width, h = m->height;
	size_t entry = (size_t)(n + 2 * MATCH_PAD);
	const pass *p = &m->passes[backward];
	int32_t middle = backward ? h - h / 2 : h / 2;
	for (int32_t i = 3 * (w + 2); !depth && i < 6 * (w + 2); i++) { // no path comes from before the first row
		memset(p->paths + (size_t)i * entry + MATCH_PAD, 0, (size_t)n);
		p->least[i] = 0;
	}
	for (int32_t row = depth ? middle : 0; row < (depth ? h : middle); row++) {
		int32_t y = backward ? h - 1 - row : row, now = (row & 1) * 3 * (w + 2), then = (~row & 1) * 3 * (w + 2);
		uint8_t *along = p->paths + 6 * (size_t)(w + 2) * entry, *least_along = p->least + 6 * (w + 2);
		memset(along + MATCH_PAD, 0, (size_t)n), least_along[0] = 0;
		for (int32_t i = 0; i < w; i++) {
			int32_t x = backward ? w - 1 - i : i;
			costs(m, x, y, p->cost);
			step s[4];
			for (int32_t k = 0; k < 3; k++) { // from above, left, middle and right; no path enters entries 0 and w + 1
				int32_t to = now + k * (w + 2) + i + 1, from = then + k * (w + 2) + i + k;
				s[k] = (step){p->paths + (size_t)from * entry + MATCH_PAD, p->paths + (size_t)to * entry + MATCH_PAD,
					p->least + from, p->least + to};
			}
			s[3] = (step){along + (size_t)(i & 1) * entry + MATCH_PAD, along + (size_t)(~i & 1) * entry + MATCH_PAD,
				least_along + (i & 1), least_along + (~i & 1)};
			uint8_t *kept = m->sums + ((size_t)y * (size_t)w + (size_t)x) * (size_t)n;
			follow(n, p->cost, s, depth ? p->cost + n : kept);
			for (int32_t d = 0; depth && d < n; d += 16) {
				few_bytes a, b;
				memcpy(&a, p->cost + n + d, sizeof a), memcpy(&b, kept + d, sizeof b);
				sstore(p->row + (size_t)x * (size_t)n + d, __builtin_convertvector(a, shorts) +
					__builtin_convertvector(b, shorts));
			}
		}
		if (depth) choose(m, y, p->row, p->chosen, depth + (size_t)y * (size_t)w);
	}
}

#endif
