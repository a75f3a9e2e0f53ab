// How a device measures distances: package render/chip in vectors, number for number. No multiplication is fused with
// an addition.
#ifndef RANGING_H
#define RANGING_H

#include <math.h>

#include "noise.h"
#include "tile.h"

// A pixel's random numbers have the indices RANDOMS × its index + one of these.
enum { AXIAL_NOISE, COLUMN_NOISE, ROW_NOISE, OUTLINE_NOISE, RANDOMS, SIGNAL_NOISE = INT32_MIN };

enum { LONGEST_REACH = 8 }; // of an outline, pixels

// frame repeats the outermost distances of some rows of an image around them.
INLINE void frame(const distances *d, int width, int height, int y0, int y1) {
	for (int y = y0; y < y1; y++) {
		float *row = d->z + (ptrdiff_t)y * d->stride;
		row[-1] = row[0], row[width] = row[width - 1];
	}
	size_t bytes = ((size_t)width + 2) * sizeof(float);
	float *top = d->z - 1, *bottom = top + (ptrdiff_t)(height - 1) * d->stride;
	if (y0 == 0) memcpy(top - d->stride, top, bytes);
	if (y1 == height) memcpy(bottom + d->stride, bottom, bytes);
}

// shade clears the distances of a row that the projector's light does not reach, because something farther to the right
// occupies their column in the projector. It may change what follows the row.
INLINE void shade(const ranging *r, float *row, int width) {
	const vf none = set(INFINITY);
	vf leftmost = none; // over the columns to the right of the vector
	for (int x = (width - 1) / LANES * LANES; x >= 0; x -= LANES) {
		vf z = load(row + x);
		vf column = select(and(gt(z, set(0)), ilt(INDEX, iset(width - x))), to_float(INDEX + x) - r->shadow / z, none);
		vf after = pick(column, none, INDEX + 1);
		for (int step = 1; step < LANES; step *= 2) after = min_(after, pick(after, none, INDEX + step));
		after = min_(after, leftmost);
		store(row + x, select(and(ge(column, after), gt(z, set(0))), set(0), z));
		leftmost = set(smallest(min_(column, leftmost)));
	}
}

// complete_rows prepares some rows of true distances for measurement.
static void complete_rows(const ranging *r, const distances *d, int32_t width, int32_t height, int32_t y0, int32_t y1) {
	for (int y = y0; y < y1 && r->shadow > 0; y++) shade(r, d->z + (ptrdiff_t)y * d->stride, width);
	frame(d, width, height, y0, y1);
}

// axial is the standard deviation of distances of surfaces that face the device; z must not be too small.
INLINE vf axial(const ranging *r, vf z) { return r->axial[0] + z * (r->axial[1] + z * r->axial[2]); }

INLINE vf not_too_near(vf z) { return max_(z, set(0.05f)); }

#define STEEPEST 7.1852965f // secant of the largest angle of incidence

// incidence is θ²/(π/2 − θ)², given the secant of θ.
INLINE vf incidence(vf secant) {
	vf s = min_(secant, set(STEEPEST));
	vf p = -0.0026094774f * s + 0.05120253f;
	p = p * s - 0.3781919f;
	p = p * s + 3.7889962f;
	p = p * s - 5.4023447f;
	return p * s + 1.9376735f;
}

// slanted is the standard deviation of the distances of surfaces at directions (x, y, 1), whose slant follows from the
// distances left and above. It sets the secant of their angles of incidence.
INLINE vf slanted(const ranging *r, vf z, vf left, vf above, vf x, float y, vm known, vf *secant) {
	vf nx = r->focal[0] * (z - left), ny = r->focal[1] * (z - above), nz = z + x * nx + y * ny;
	vf square = (1 + x * x + y * y) * (nx * nx + ny * ny + nz * nz);
	z = not_too_near(z);
	vf per = 1 / z, facing = axial(r, z);
	vf slant = sqrt_(z) * (r->slant[0] * per + r->slant[1] * z), s = sqrt_(square) * per;
	*secant = select(known, s, set(1));
	return select(known, facing + slant * incidence(s), facing);
}

// lit_enough reports whether enough light returns from surfaces at directions (x, y, 1), for pixels whose random
// numbers start at an index.
INLINE vm lit_enough(const ranging *r, vf z, vf secant, vf reflectance, vf x, vf y, vi index) {
	vf square = z * z * (1 + x * x + y * y);
	vf light = r->light * reflectance / (square * min_(secant, set(STEEPEST)));
	return ge(light + r->signal_noise * normal(random_bits(r->key, index + SIGNAL_NOISE)), set(1));
}

// measured is the measurement of distances, for pixels whose random numbers start at an index.
INLINE vf measured(const ranging *r, vf z, vf sigma, vi index) {
	vm there = and(ge(z, set(r->near)), le(z, set(r->far)));
	z = clamp(z + sigma * normal(random_bits(r->key, index + AXIAL_NOISE)), set(0), set(1e5f));
	if (r->step > 0) {
		vf steps = clamp(1 / (r->step * z), set(1), set(1e9f));
		z = 1 / (r->step * to_float(truncated(steps + 0.5f)));
	}
	return where(there, to_float(truncated(z * 1000 + 0.5f)) * 1e-3f);
}

// jump reports whether an outline is between two distances.
INLINE vm jump(vf a, vf b) { return gt(abs_(a - b), 0.03f + 0.05f * min_(a, b)); }

// BAND is the number of rows that are searched for outlines together.
enum { BAND = 32, MOST_WORDS = LONGEST_SIDE / 64 + 2 };

// marked has a bit for each pixel of some rows.
typedef struct {
	uint64_t row[BAND][MOST_WORDS];
} marked;

INLINE float lateral(const ranging *r, float z) { return r->lateral[0] + r->lateral[1] / (z < r->far ? z : r->far); }

// mark_around marks the pixels within reach of an outline at pixel (u, v), in rows y0 to y1, exclusive.
static void mark_around(const ranging *r, float z, int u, int v, int width, int y0, int y1, marked *m) {
	float far = 2.5f * lateral(r, z > 0.1f ? z : 0.1f);
	int reach = (int)ceilf(far < LONGEST_REACH ? far : LONGEST_REACH);
	int from = u > reach ? u - reach : 0, to = u + reach < width ? u + reach : width - 1;
	uint64_t run = (1ull << (to - from + 1)) - 1;
	for (int y = v - reach > y0 ? v - reach : y0; y <= v + reach && y < y1; y++) {
		uint64_t *word = m->row[y - y0] + from / 64;
		word[0] |= run << from % 64;
		if (from % 64) word[1] |= run >> (64 - from % 64);
	}
}

// find_outlines marks the pixels near jumps of distance in rows y0 to y1, exclusive.
static void find_outlines(const ranging *r, const distances *d, int width, int height, int y0, int y1, marked *m) {
	for (int y = y0; y < y1; y++) memset(m->row[y - y0], 0, sizeof *m->row[0] * ((size_t)width / 64 + 2));
	int end = y1 + LONGEST_REACH < height ? y1 + LONGEST_REACH : height;
	for (int y = y0 > LONGEST_REACH ? y0 - LONGEST_REACH : 0; y < end; y++) {
		const float *row = d->z + (ptrdiff_t)y * d->stride;
		for (int x = 0; x < width; x += LANES) {
			vf z = load(row + x), beside[4] = {load(row + x - 1), load(row + x + 1), load(row + x - d->stride),
				load(row + x + d->stride)};
			vm some = mask_of(0);
			for (int i = 0; i < 4; i++) some = or(some, ge(abs_(z - beside[i]), set(0.03f)));
			if (!any(some)) continue; // in most cases
			some = mask_of(0);
			for (int i = 0; i < 4; i++) some = or(some, jump(z, beside[i]));
			for (unsigned left = bits(and(some, ilt(INDEX, iset(width - x)))); left; left &= left - 1) {
				int u = x + __builtin_ctz(left);
				mark_around(r, row[u], u, y, width, y0, y1, m);
			}
		}
	}
}

// fray repeats the measurement of n ≤ LANES pixels near outlines: each shows the distance of a displaced pixel, perhaps
// mixed with that beyond the outline, or none.
static void fray(const ranging *r, const distances *d, const float *reflectance, int width, int height,
	const int32_t *us, const int32_t *vs, int n, float *to) {
	vi u = iload(us), v = iload(vs), at = v * d->stride + u, index = (v * width + u) * RANDOMS;
	vf z = gather(d->z, at), far = set(r->far);
	vf spread = r->lateral[0] + r->lateral[1] / min_(z, far);
	vf du = floor_(spread * normal(random_bits(r->key, index + COLUMN_NOISE)) + 0.5f);
	vf dv = floor_(spread * normal(random_bits(r->key, index + ROW_NOISE)) + 0.5f);
	vi x = truncated(clamp(to_float(u) + du, set(0), set((float)(width - 1))));
	vi y = truncated(clamp(to_float(v) + dv, set(0), set((float)(height - 1))));
	x = iselect(gt(z, set(0)), x, u), y = iselect(gt(z, set(0)), y, v);
	at = y * d->stride + x;
	z = gather(d->z, at);
	const vf beside[4] = {gather(d->z, at - 1), gather(d->z, at + 1), gather(d->z, at - d->stride),
		gather(d->z, at + d->stride)};
	vm outlined = mask_of(0);
	vf other = z;
	for (int i = 0; i < 4; i++) {
		outlined = or(outlined, jump(z, beside[i]));
		vm farther = and(gt(abs_(beside[i] - z), abs_(other - z)), and(gt(beside[i], set(0)), le(beside[i], far)));
		other = select(farther, beside[i], other);
	}
	outlined = and(outlined, and(gt(z, set(0)), le(z, far)));
	vu random = random_bits(r->key, index + OUTLINE_NOISE);
	vi chance = (vi)(random >> 16);
	vf mixture = z + (other - z) * (to_float((vi)(random & 0xffff)) * (1.0f / 65536));
	vf shown = select(ilt(chance, iset(r->none)), set(0), select(ilt(chance, iset(r->mixed)), mixture, z));
	z = select(outlined, shown, z);
	vf reading = measured(r, z, axial(r, not_too_near(z)), index);
	if (r->light > 0) {
		vf column = (to_float(u) - r->centre[0]) * r->per_focal[0], row = (to_float(v) - r->centre[1]) *
			r->per_focal[1];
		reading = where(lit_enough(r, z, set(1), gather(reflectance, y * width + x), column, row, index), reading);
	}
	float got[LANES];
	store(got, reading);
	for (int i = 0; i < n; i++) to[(size_t)vs[i] * width + us[i]] = got[i];
}

// fray_marked applies fray to all marked pixels in rows y0 to y1, exclusive.
static void fray_marked(const ranging *r, const distances *d, const float *reflectance, int width, int height, int y0,
	int y1, const marked *m, float *to) {
	int32_t us[LANES] = {0}, vs[LANES] = {0};
	int n = 0;
	for (int y = y0; y < y1; y++) {
		for (int word = 0; word <= (width - 1) / 64; word++) {
			for (uint64_t left = m->row[y - y0][word]; left; left &= left - 1) {
				us[n] = word * 64 + __builtin_ctzll(left), vs[n] = y;
				if (++n < LANES) continue;
				fray(r, d, reflectance, width, height, us, vs, n, to);
				n = 0;
			}
		}
	}
	if (n > 0) fray(r, d, reflectance, width, height, us, vs, n, to);
}

// range_rows measures some rows of an image whose true distances are complete. reflectance is that of the pixels'
// surfaces, or 0 if light is always enough.
static void range_rows(const ranging *r, const distances *d, const float *reflectance, int32_t width, int32_t height,
	int32_t row0, int32_t row1, float *to) {
	marked m;
	for (int y0 = row0; y0 < row1; y0 += BAND) {
		int y1 = y0 + BAND < row1 ? y0 + BAND : row1;
		for (int y = y0; y < y1; y++) {
			const float *row = d->z + (ptrdiff_t)y * d->stride;
			float direction = ((float)y - r->centre[1]) * r->per_focal[1];
			for (int x = 0; x < width; x += LANES) {
				vi u = INDEX + x, index = (u + y * width) * RANDOMS;
				vf z = load(row + x), column = (to_float(u) - r->centre[0]) * r->per_focal[0], secant;
				vm known = and(mask_of(y > 0 ? ~0u : 0), ilt(iset(0), u));
				vf sigma = slanted(r, z, load(row + x - 1), load(row + x - d->stride), column, direction, known,
					&secant);
				vf got = measured(r, z, sigma, index);
				size_t at = (size_t)y * width + x;
				int n = width - x < LANES ? width - x : LANES;
				if (r->light > 0) {
					vf reflects = set(0);
					if (n == LANES) reflects = load(reflectance + at);
					else memcpy(&reflects, reflectance + at, (size_t)n * sizeof(float));
					got = where(lit_enough(r, z, secant, reflects, column, set(direction), index), got);
				}
				if (n == LANES) store(to + at, got);
				else memcpy(to + at, &got, (size_t)n * sizeof(float));
			}
		}
		if (r->frays) {
			find_outlines(r, d, width, height, y0, y1, &m);
			fray_marked(r, d, reflectance, width, height, y0, y1, &m, to);
		}
		int margin = r->margin < width ? r->margin : width;
		for (int y = y0; y < y1; y++) memset(to + (size_t)(y + 1) * width - margin, 0, (size_t)margin * sizeof(float));
	}
}

#endif
