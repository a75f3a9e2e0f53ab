// Textures: the carpet's grain and the picture on the hall's walls. Both repeat. A pixel uses the level with the texel
// size nearest to its own, and interpolates within it.
#ifndef TEXTURE_H
#define TEXTURE_H

#include "lanes.h"
#include "tile.h"

#define GRAIN_REPEATS 0.61f // per metre, as render.GrainRepeats
#define WEAR_REPEATS 0.021f // as render.WearRepeats

// log2_of is the binary logarithm, rounded down, of positive normal numbers.
INLINE vi log2_of(vf x) { return (bits_of(x) >> 23) - 127; }

// texel_of_grain is the grain, 0 to 1, at (u, v), in a level with 2^order texels per side.
INLINE vf texel_of_grain(const scene *s, vf u, vf v, vi order) {
	vf size = float_of((order + 127) << 23);
	u = fma_(u, size, set(-0.5f)), v = fma_(v, size, set(-0.5f));
	vf fu = floor_(u), fv = floor_(v);
	u = u - fu, v = v - fv;
	vi side = iset(1) << order, mask = side - 1;
	vi four = igather((const int32_t *)s->grain, ((side + (truncated(fv) & mask)) << order) + (truncated(fu) & mask));
	vf top = mix(to_float(four & 255), to_float(four >> 8 & 255), u);
	vf low = mix(to_float(four >> 16 & 255), to_float(four >> 24 & 255), u);
	return mix(top, low, v) * (1 / 255.0f);
}

// grain_at is the grain at (x, y) on the floor for pixels whose squared size there is step2.
INLINE vf grain_at(const scene *s, vf x, vf y, vf step2) {
	const float texels = GRAIN_REPEATS * (1 << GRAIN_ORDER);
	vi level = (log2_of(max_(step2, set(1e-12f)) * (texels * texels)) + 1) >> 1;
	vi order = GRAIN_ORDER - imin_(imax_(level, iset(0)), iset(GRAIN_ORDER));
	return texel_of_grain(s, x * GRAIN_REPEATS, y * GRAIN_REPEATS, order);
}

// wear_at is the amount of wear of the carpet at (x, y), 0 to 1.
INLINE vf wear_at(const scene *s, vf x, vf y) {
	vf t = clamp((texel_of_grain(s, x * WEAR_REPEATS, y * WEAR_REPEATS, iset(GRAIN_ORDER)) - 0.35f) / 0.3f, set(0),
		set(1));
	return t * t * (3 - 2 * t);
}

// tape is the state of the markings' tape: the remaining fractions of its light and of the tape itself, and its
// displacement, metres.
typedef struct {
	vf clean, there, shift;
} tape;

// tape_at is the state of the tape at (x, y) for pixels whose squared size there is step2.
INLINE tape tape_at(const scene *s, vf x, vf y, vf step2) {
	const float per = s->traces_per_metre;
	vf texels2 = max_(step2, set(1e-12f)) * (per * per);
	vi level = imin_(imax_((log2_of(texels2) + 1) >> 1, iset(0)), iset(TRACE_ORDER)), order = TRACE_ORDER - level;
	vf smaller = float_of((127 - level) << 23), last = float_of((order + 127) << 23) - 1;
	vf u = clamp(fma_(fma_(x, set(per), set(1 << (TRACE_ORDER - 1))), smaller, set(-0.5f)), set(0), last);
	vf v = clamp(fma_(fma_(y, set(per), set(1 << (TRACE_ORDER - 1))), smaller, set(-0.5f)), set(0), last);
	vi size = iset(1) << order, col = imin_(truncated(u), imax_(size - 2, iset(0))), row = imin_(truncated(v),
		imax_(size - 2, iset(0)));
	vi step = imin_(size - 1, iset(1)), at = ((size + row) << order) + col, above = at + (step << order);
	u = u - to_float(col), v = v - to_float(row);
	const int32_t *from = (const int32_t *)s->traces;
	vi a = igather(from, at), b = igather(from, at + step), c = igather(from, above), d = igather(from, above + step);
	vf of[3];
	for (int i = 0; i < 3; i++) {
		int shift = 8 * (i + 1);
		vf low = mix(to_float(a >> shift & 255), to_float(b >> shift & 255), u), high = mix(to_float(c >> shift & 255),
			to_float(d >> shift & 255), u);
		of[i] = mix(low, high, v);
	}
	vf sharp = clamp(1 / sqrt_(texels2), set(1), set(6));
	return (tape){of[0] * (1 / 255.0f), clamp(fma_(fma_(of[1], set(1 / 255.0f), set(-0.5f)), sharp, set(0.5f)), set(0),
		set(1)), (of[2] - 128) * (0.008f / 127)};
}

// crowd_at is the picture's light at (u, v), 0 to 1, for pixels whose size is given in texels. It repeats along u only.
INLINE void crowd_at(const picture *p, vf u, vf v, vf size, vf light[3]) {
	vi level = log2_of(clamp(size, set(1e-6f), set(1e6f)) * 1.41421356f);
	level = imin_(imax_(level, iset(0)), iset(p->levels - 1));
	vi width = imax_(iset(p->width) >> level, iset(1)), height = imax_(iset(p->height) >> level, iset(1));
	u = fma_(u - floor_(u), to_float(width), set(-0.5f)), v = fma_(clamp(v, set(-1), set(2)), to_float(height),
		set(-0.5f));
	vf fu = floor_(u), fv = floor_(v);
	u = u - fu, v = v - fv;
	vi right = width - 1, bottom = height - 1, col = truncated(fu) & right, row = truncated(fv);
	vi first = igather(p->first, level), next = (col + 1) & right;
	vi top = first + imin_(imax_(row, iset(0)), bottom) * width, low = first + imin_(imax_(row + 1, iset(0)),
		bottom) * width;
	const int32_t *texels = (const int32_t *)p->texels;
	vi a = igather(texels, top + col), b = igather(texels, top + next), c = igather(texels, low + col),
		d = igather(texels, low + next);
	for (int i = 0; i < 3; i++) {
		vf corner[4] = {
			to_float(a >> 10 * i & 1023), to_float(b >> 10 * i & 1023), to_float(c >> 10 * i & 1023),
				to_float(d >> 10 * i & 1023),
		};
		for (int k = 0; k < 4; k++) corner[k] = corner[k] * corner[k];
		light[i] = mix(mix(corner[0], corner[1], u), mix(corner[2], corner[3], u), v) * (1 / (1023.0f * 1023.0f));
	}
}

// wrapped returns which of n texels is shown at index i.
INLINE vi wrapped(int wrap, vf i, vi n) {
	vf size = to_float(n);
	if (wrap == REPEAT) i = i - size * floor_(i / size);
	if (wrap == MIRRORED_REPEAT) {
		i = i - 2 * size * floor_(i / (2 * size));
		i = min_(i, 2 * size - 1 - i);
	}
	return imin_(imax_(truncated(i), iset(0)), n - 1); // after rounding, or for NaN
}

// add_texels adds a fraction of a texture's light at (u, v), bilinear, with a level for each lane.
INLINE void add_texels(const material *m, vf u, vf v, vi level, vf share, vf light[3]) {
	const picture *p = m->texture;
	vi width = imax_(iset(p->width) >> level, iset(1)), height = imax_(iset(p->height) >> level, iset(1));
	u = fma_(u, to_float(width), set(-0.5f)), v = fma_(v, to_float(height), set(-0.5f));
	vf fu = floor_(u), fv = floor_(v);
	u = u - fu, v = v - fv;
	vi left = wrapped(m->wrap[0], fu, width), right = wrapped(m->wrap[0], fu + 1, width), first = igather(p->first,
		level);
	vi top = first + wrapped(m->wrap[1], fv, height) * width, low = first + wrapped(m->wrap[1], fv + 1, height) * width;
	const int32_t *texels = (const int32_t *)p->texels;
	const vi corner[4] = {igather(texels, top + left), igather(texels, top + right), igather(texels, low + left),
		igather(texels, low + right)};
	const vf weight[4] = {(1 - u) * (1 - v) * share, u * (1 - v) * share, (1 - u) * v * share, u * v * share};
	for (int k = 0; k < 4; k++) {
		for (int i = 0; i < 3; i++) {
			vf root = to_float(corner[k] >> 10 * i & 1023);
			light[i] = fma_(root * root, weight[k] * (1 / (1023.0f * 1023.0f)), light[i]);
		}
	}
}

// texture_at is a texture's mean around (u, v) over the footprints of pixels, as in package rays.
INLINE void texture_at(const material *m, vf u, vf v, vf light[3]) {
	const picture *p = m->texture;
	vf dx[2] = {across(u), across(v)}, dy[2] = {down(u), down(v)};
	const float width = (float)p->width, height = (float)p->height;
	vf ax = dx[0] * width, ay = dx[1] * height, bx = dy[0] * width, by = dy[1] * height;
	vf a2 = fma_(ax, ax, ay * ay), b2 = fma_(bx, bx, by * by);
	vm longer = gt(b2, a2);
	vf most = max_(max_(a2, b2), set(1e-20f)), length = sqrt_(most);
	vf narrow = abs_(fma_(ax, by, -(ay * bx))) / length;
	vf spread = sqrt_(max_(most - narrow * narrow, set(0)));
	vf size = clamp(max_(narrow, spread * (1.0f / TEXTURE_TAPS)), set(1), set(1e6f));
	vf level = min_(log2_(size), set((float)(p->levels - 1)));
	vi first = truncated(level), second = imin_(first + 1, iset(p->levels - 1));
	vf second_share = (level - to_float(first)) * (1.0f / TEXTURE_TAPS),
		first_share = 1.0f / TEXTURE_TAPS - second_share;
	vf by_spread = spread / length * (1.0f / TEXTURE_TAPS);
	vf step_u = select(longer, dy[0], dx[0]) * by_spread, step_v = select(longer, dy[1], dx[1]) * by_spread;
	for (int i = 0; i < 3; i++) light[i] = set(0);
	for (int k = 0; k < TEXTURE_TAPS; k++) {
		float by_step = (float)k - 0.5f * (TEXTURE_TAPS - 1);
		vf tu = fma_(step_u, set(by_step), u), tv = fma_(step_v, set(by_step), v);
		add_texels(m, tu, tv, first, first_share, light);
		add_texels(m, tu, tv, second, second_share, light);
	}
}

#endif
