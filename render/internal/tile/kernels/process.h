// Processing in the camera: sharpening and JPEG. Package chip's Process, sharpen and jpeg in vectors, byte for byte;
// see there.
#ifndef PROCESS_H
#define PROCESS_H

#include "lanes.h"
#include "work.h"

INLINE int32_t clamped(int32_t v) { return v < 0 ? 0 : v > 255 ? 255 : v; }
INLINE int at_most(int a, int b) { return a < b ? a : b; }
INLINE int at_least(int a, int b) { return a > b ? a : b; }

enum { BLUR_PAD = 6 }; // padding of a row's sums at either end: two pixels

// sharpen_image needs memory for three rows and the sums of one.
static void sharpen_image(int width, int height, int32_t factor, uint8_t *memory, uint8_t *pix) {
	int stride = 3 * width;
	uint16_t *restrict sums = (uint16_t *)memory, *middle = sums + BLUR_PAD;
	uint8_t *kept = memory + 2 * (size_t)(stride + 2 * BLUR_PAD);
	for (int y = 0; y < height; y++) {
		uint8_t *restrict to = pix + (size_t)y * stride, *own = kept + (size_t)(y % 3) * stride;
		memcpy(own, to, (size_t)stride);
		const uint8_t *above = kept + (size_t)(at_least(y - 1, 0) % 3) * stride,
			*highest = kept + (size_t)(at_least(y - 2, 0) % 3) * stride;
		const uint8_t *low = own, *lowest = own;
		if (y + 1 < height) low = to + stride, lowest = pix + (size_t)at_most(y + 2, height - 1) * stride;
		for (int i = 0; i < stride; i++) middle[i] = (uint16_t)(highest[i] + lowest[i] + 4 * (above[i] + low[i]) + 6 *
			own[i]);
		for (int i = 0; i < BLUR_PAD; i++) sums[i] = middle[i % 3], middle[stride + i] = middle[stride - 3 + i % 3];
		for (int i = 0; i < stride; i++) {
			const uint16_t *s = sums + i;
			int32_t blurred = s[0] + s[12] + 4 * (s[3] + s[9]) + 6 * s[6], v = own[i];
			to[i] = (uint8_t)clamped(v + ((factor * (256 * v - blurred) + (1 << 15)) >> 16));
		}
	}
}

// Eight numbers: a row or a column of a block.
typedef int32_t eight __attribute__((vector_size(32)));
typedef float eight_floats __attribute__((vector_size(32)));

// transpose_block transposes a block. Shuffling both halves into each other three times rotates the six bits of
// positions by three.
INLINE void transpose_block(eight b[8]) {
	for (int turn = 0; turn < 3; turn++) {
		eight t[8];
		for (int i = 0; i < 4; i++) {
			t[2 * i] = __builtin_shuffle(b[i], b[i + 4], (eight){0, 8, 1, 9, 2, 10, 3, 11});
			t[2 * i + 1] = __builtin_shuffle(b[i], b[i + 4], (eight){4, 12, 5, 13, 6, 14, 7, 15});
		}
		memcpy(b, t, sizeof t);
	}
}

enum {
	DCT_BITS = 13, PASS_BITS = 2,
	FIX_0_298631336 = 2446, FIX_0_390180644 = 3196, FIX_0_541196100 = 4433, FIX_0_765366865 = 6270,
		FIX_0_899976223 = 7373, FIX_1_175875602 = 9633,
	FIX_1_501321110 = 12299, FIX_1_847759065 = 15137, FIX_1_961570560 = 16069, FIX_2_053119869 = 16819,
		FIX_2_562915447 = 20995, FIX_3_072711026 = 25172
};

INLINE eight rounded(eight x, int bits) { return (x + (1 << (bits - 1))) >> bits; }

// odd_part is common to the four odd terms of both transforms.
INLINE void odd_part(eight *t0, eight *t1, eight *t2, eight *t3) {
	eight z1 = (*t0 + *t3) * -FIX_0_899976223, z2 = (*t1 + *t2) * -FIX_2_562915447, z3 = *t0 + *t2, z4 = *t1 + *t3;
	eight z5 = (z3 + z4) * FIX_1_175875602;
	z3 = z3 * -FIX_1_961570560 + z5, z4 = z4 * -FIX_0_390180644 + z5;
	*t0 = *t0 * FIX_0_298631336 + z1 + z3, *t1 = *t1 * FIX_2_053119869 + z2 + z4;
	*t2 = *t2 * FIX_3_072711026 + z2 + z3, *t3 = *t3 * FIX_1_501321110 + z1 + z4;
}

INLINE void forward_lines(eight d[8], int rows) {
	eight t0 = d[0] + d[7], t7 = d[0] - d[7], t1 = d[1] + d[6], t6 = d[1] - d[6], t2 = d[2] + d[5], t5 = d[2] - d[5],
		t3 = d[3] + d[4], t4 = d[3] - d[4];
	eight t10 = t0 + t3, t13 = t0 - t3, t11 = t1 + t2, t12 = t1 - t2;
	int bits = rows ? DCT_BITS - PASS_BITS : DCT_BITS + PASS_BITS;
	d[0] = rows ? (t10 + t11) << PASS_BITS : rounded(t10 + t11, PASS_BITS);
	d[4] = rows ? (t10 - t11) << PASS_BITS : rounded(t10 - t11, PASS_BITS);
	eight z1 = (t12 + t13) * FIX_0_541196100;
	d[2] = rounded(z1 + t13 * FIX_0_765366865, bits), d[6] = rounded(z1 - t12 * FIX_1_847759065, bits);
	odd_part(&t4, &t5, &t6, &t7);
	d[7] = rounded(t4, bits), d[5] = rounded(t5, bits), d[3] = rounded(t6, bits), d[1] = rounded(t7, bits);
}

INLINE void inverse_lines(eight d[8], int bits) {
	eight z1 = (d[2] + d[6]) * FIX_0_541196100, t2 = z1 - d[6] * FIX_1_847759065, t3 = z1 + d[2] * FIX_0_765366865;
	eight t0 = (d[0] + d[4]) << DCT_BITS, t1 = (d[0] - d[4]) << DCT_BITS;
	eight t10 = t0 + t3, t13 = t0 - t3, t11 = t1 + t2, t12 = t1 - t2;
	t0 = d[7], t1 = d[5], t2 = d[3], t3 = d[1];
	odd_part(&t0, &t1, &t2, &t3);
	d[0] = rounded(t10 + t3, bits), d[7] = rounded(t10 - t3, bits), d[1] = rounded(t11 + t2, bits),
		d[6] = rounded(t11 - t2, bits);
	d[2] = rounded(t12 + t1, bits), d[5] = rounded(t12 - t1, bits), d[3] = rounded(t13 + t0, bits),
		d[4] = rounded(t13 - t0, bits);
}

// quantise_plane replaces each block of samples by its version after quantisation.
static void quantise_plane(uint8_t *samples, int stride, int rows, const uint8_t *steps) {
	for (int y = 0; y < rows; y += 8) {
		for (int x = 0; x < stride; x += 8) {
			uint8_t *from = samples + (size_t)y * stride + x;
			eight b[8];
			for (int i = 0; i < 8; i++)
				for (int k = 0; k < 8; k++) b[i][k] = from[i * stride + k] - 128;
			transpose_block(b);
			forward_lines(b, 1);
			transpose_block(b);
			forward_lines(b, 0);
			for (int i = 0; i < 8; i++) {
				eight step;
				for (int k = 0; k < 8; k++) step[k] = steps[8 * i + k];
				// The transform is scaled by 8. The quotient of floats is exact if it is an integer, and rounding does
				// not reach the next integer.
				eight sign = b[i] >> 31, size = ((b[i] ^ sign) - sign) + 4 * step;
				eight n = __builtin_convertvector(__builtin_convertvector(size,
					eight_floats) / __builtin_convertvector(8 * step, eight_floats), eight);
				b[i] = ((n ^ sign) - sign) * step;
			}
			inverse_lines(b, DCT_BITS - PASS_BITS);
			transpose_block(b);
			inverse_lines(b, DCT_BITS + PASS_BITS + 3);
			transpose_block(b);
			for (int i = 0; i < 8; i++)
				for (int k = 0; k < 8; k++) from[i * stride + k] = (uint8_t)clamped(b[i][k] + 128);
		}
	}
}

// halve computes the means of 2 × 2 samples.
INLINE void halve(uint8_t *restrict to, const uint8_t *restrict up, const uint8_t *restrict low, int n) {
	for (int i = 0; i < n;
		i++) to[i] = (uint8_t)((up[2 * i] + up[2 * i + 1] + low[2 * i] + low[2 * i + 1] + 1 + (i & 1)) >> 2);
}

// double_row interpolates a row of pixels of chroma; width × height samples belong to the image.
INLINE void double_row(uint8_t *restrict to, const uint8_t *samples, int stride, int width, int height, int row) {
	int near = row / 2, far = at_least(0, at_most(height - 1, near + 2 * (row & 1) - 1));
	const uint8_t *a = samples + (size_t)near * stride, *b = samples + (size_t)far * stride;
	if (width <= 2) {
		for (int x = 0; x < 2 * width; x++) to[x] = a[x / 2];
		return;
	}
	for (int x = 1; x < width - 1; x++) {
		int own = 3 * a[x] + b[x], last = 3 * a[x - 1] + b[x - 1], next = 3 * a[x + 1] + b[x + 1];
		to[2 * x] = (uint8_t)((3 * own + last + 8) >> 4), to[2 * x + 1] = (uint8_t)((3 * own + next + 7) >> 4);
	}
	int first = 3 * a[0] + b[0], second = 3 * a[1] + b[1], n = width - 1, end = 3 * a[n] + b[n],
		before = 3 * a[n - 1] + b[n - 1];
	to[0] = (uint8_t)((4 * first + 8) >> 4), to[1] = (uint8_t)((3 * first + second + 7) >> 4);
	to[2 * n] = (uint8_t)((3 * end + before + 8) >> 4), to[2 * n + 1] = (uint8_t)((4 * end + 7) >> 4);
}

enum { COLOR_BITS = 16, HALF_COLOR = 1 << (COLOR_BITS - 1), MIDDLE_COLOR = (128 << COLOR_BITS) + HALF_COLOR - 1 };

INLINE void separate_row(uint8_t *restrict luma, uint8_t *restrict blue, uint8_t *restrict red,
	const uint8_t *restrict from, int width, int stride) {
	for (int x = 0; x < width; x++) {
		int32_t r = from[3 * x], g = from[3 * x + 1], b = from[3 * x + 2];
		luma[x] = (uint8_t)((19595 * r + 38470 * g + 7471 * b + HALF_COLOR) >> COLOR_BITS);
		blue[x] = (uint8_t)((-11059 * r - 21709 * g + 32768 * b + MIDDLE_COLOR) >> COLOR_BITS);
		red[x] = (uint8_t)((32768 * r - 27439 * g - 5329 * b + MIDDLE_COLOR) >> COLOR_BITS);
	}
	size_t rest = (size_t)(stride - width);
	memset(luma + width, luma[width - 1], rest), memset(blue + width, blue[width - 1], rest),
		memset(red + width, red[width - 1], rest);
}

INLINE void join_row(uint8_t *restrict to, const uint8_t *restrict luma, const uint8_t *restrict blue,
	const uint8_t *restrict red, int width) {
	for (int x = 0; x < width; x++) {
		int32_t l = luma[x], b = blue[x] - 128, r = red[x] - 128;
		to[3 * x] = (uint8_t)clamped(l + ((91881 * r + HALF_COLOR) >> COLOR_BITS));
		to[3 * x + 1] = (uint8_t)clamped(l + ((-22554 * b - 46802 * r + HALF_COLOR) >> COLOR_BITS));
		to[3 * x + 2] = (uint8_t)clamped(l + ((116130 * b + HALF_COLOR) >> COLOR_BITS));
	}
}

static void through_jpeg(int width, int height, const uint8_t *steps, uint8_t *memory, uint8_t *pix) {
	int stride = (width + 15) / 16 * 16, rows = (height + 15) / 16 * 16, half = stride / 2,
		half_height = (height + 1) / 2;
	uint8_t *y = memory, *cb = y + (size_t)stride * rows, *cr = cb + (size_t)half * rows / 2,
		*blue = cr + (size_t)half * rows / 2, *red = blue + 2 * stride;
	for (int row = 0; row < height; row += 2) {
		for (int i = 0; i < 2; i++)
			separate_row(y + (size_t)(row + i) * stride, blue + i * stride, red + i * stride,
				pix + (size_t)at_most(row + i, height - 1) * 3 * width, width, stride);
		halve(cb + (size_t)row / 2 * half, blue, blue + stride, half);
		halve(cr + (size_t)row / 2 * half, red, red + stride, half);
	}
	for (int row = 2 * half_height; row < rows; row++) memcpy(y + (size_t)row * stride, y + (size_t)(row - 1) * stride,
		(size_t)stride);
	for (int row = half_height; row < rows / 2; row++) {
		memcpy(cb + (size_t)row * half, cb + (size_t)(row - 1) * half, (size_t)half);
		memcpy(cr + (size_t)row * half, cr + (size_t)(row - 1) * half, (size_t)half);
	}
	quantise_plane(y, stride, rows, steps);
	quantise_plane(cb, half, rows / 2, steps + 64);
	quantise_plane(cr, half, rows / 2, steps + 64);
	for (int row = 0; row < height; row++) {
		double_row(blue, cb, half, (width + 1) / 2, half_height, row);
		double_row(red, cr, half, (width + 1) / 2, half_height, row);
		join_row(pix + (size_t)row * 3 * width, y + (size_t)row * stride, blue, red, width);
	}
}

// process applies processing in the camera. It sharpens the image by a factor in 1/256, unless that is 0. Then it
// applies JPEG with 64 steps of luma and 64 of chroma, unless these are 0.
static void process(int32_t width, int32_t height, int32_t factor, const uint8_t *steps, uint8_t *memory,
	uint8_t *pix) {
	if (factor) sharpen_image(width, height, factor, memory, pix);
	if (steps) through_jpeg(width, height, steps, memory, pix);
}

#endif
