// Natural light on floor, walls and ceiling, as package render/light computes it. The formulas are those of package
// render/internal/raycast.
#ifndef NATURAL_H
#define NATURAL_H

#include "marking.h"
#include "texture.h"

// codes_of unpacks texels of light. The squares of codes are fractions of the largest light.
INLINE void codes_of(vi texel, vf code[3]) {
	code[0] = to_float(texel & CODE_MOST), code[1] = to_float(texel >> 11 & CODE_MOST),
		code[2] = to_float((vi)((vu)texel >> 22)) * (2047 / 1023.0f);
}

// mix_block computes the light that arrives on LANES texels.
INLINE void mix_block(const hall *h, size_t at) {
	vi both;
	for (int i = 0; i < LANES; i++) both[i] = h->shares[at + (size_t)i];
	vf lamps = to_float(both & 255) * (1 / 255.0f), windows = to_float(both >> 8) * (1 / 255.0f);
	vi code[3];
	for (int i = 0; i < 3; i++) {
		vf light = fma_(lamps, load(h->full[0][i] + at), windows * load(h->full[1][i] + at));
		float most = i < 2 ? CODE_MOST : CODE_MOST_BLUE;
		code[i] = truncated(fma_(sqrt_(max_(light, set(0)) * (1 / h->floor_most)), set(most), set(0.5f)));
	}
	istore((int32_t *)h->floor + at, code[0] | code[1] << 11 | code[2] << 22);
}

static void mix_floor(const hall *h, const uint64_t *changed, int32_t row0, int32_t row1) {
	for (int32_t row = row0; row < row1; row++) {
		for (uint64_t left = changed[row]; left; left &= left - 1) {
			size_t at = (size_t)row * (size_t)h->stride + (size_t)__builtin_ctzll(left) * FLOOR_BLOCK;
			for (size_t i = 0; i < FLOOR_BLOCK; i += LANES) mix_block(h, at + i);
		}
	}
}

// four holds the codes of light at four texels around points, and the weights of the right and lower ones.
typedef struct {
	vi texel[4];
	vf right, lower;
} four;

INLINE four four_at(const uint32_t *texels, vi first, vi stride, vf u, vf v, vi last_col, vi last_row) {
	vi col = imin_(truncated(u), last_col - 1), row = imin_(truncated(v), last_row - 1),
		at = first + row * stride + col;
	const int32_t *from = (const int32_t *)texels;
	four f = {.right = u - to_float(col), .lower = v - to_float(row)};
	gather_pairs(from, at, &f.texel[0], &f.texel[1]);
	gather_pairs(from, at + stride, &f.texel[2], &f.texel[3]);
	return f;
}

// on_natural_floor is the irradiance over π of points (x, y) of the floor. Texels are so small that codes may be
// interpolated directly.
INLINE void on_natural_floor(const hall *h, vf x, vf y, vf light[3]) {
	vf u = clamp(fma_(x, set(h->scale[0]), set(h->offset[0])), set(0), set((float)(h->width - 1)));
	vf v = clamp(fma_(y, set(h->scale[1]), set(h->offset[1])), set(0), set((float)(h->height - 1)));
	four f = four_at(h->floor, iset(0), iset(h->stride), u, v, iset(h->width - 1), iset(h->height - 1));
	vf code[4][3];
	for (int k = 0; k < 4; k++) codes_of(f.texel[k], code[k]);
	for (int i = 0; i < 3; i++) {
		vf c = mix(mix(code[0][i], code[1][i], f.right), mix(code[2][i], code[3][i], f.right), f.lower);
		light[i] = c * c * (h->floor_most / (CODE_MOST * CODE_MOST));
	}
}

// up_to is twice the integral, from −half on, of a trapezoid that is level up to ±level and ends at ±half, divided by
// its height.
INLINE vf up_to(vf x, vf half, vf level) {
	x = clamp(x, -half, half);
	vf all = x + half, rise = max_(x + level, set(0)), fall = max_(x - level, set(0));
	return fma_(all, all, fma_(-rise, rise, -fall * fall));
}

// strip_cover is the fraction of footprints around x that strips cover; the footprints' sides extend a and b along x.
// Each lane uses one of three sets of strips.
INLINE vf strip_cover(const strips *top, const strips *side, const strips *other, vm is_top, vm is_side, vf x, vf a,
	vf b) {
#define OF(f) select(is_top, set(top->f), select(is_side, set(side->f), set(other->f)))
	vf first = OF(first), i = clamp(floor_(fma_(x - first, OF(per_pitch), set(0.5f))), set(0), OF(last));
	a = abs_(a), b = abs_(b);
	vf least = fma_(a + b, set(1 / 16.0f), set(1e-5f)), reach = OF(half), off = x - first - i * OF(pitch);
	a = max_(a, least), b = max_(b, least);
	vf half = (a + b) * 0.5f, level = (a - b) * 0.5f;
	return (up_to(off + reach, half, level) - up_to(off - reach, half, level)) / (2 * a * b);
#undef OF
}

// natural_hall is the light from the hall's walls and ceiling at the pixels of a group.
INLINE void natural_hall(const scene *s, const view *v, const sight *t, int at, vf light[3]) {
	const hall *h = &s->hall;
	vf d[3] = {load(t->dx + at), load(t->dy + at), load(t->dz + at)};
	vf to_x = (with_sign(set(s->hall_half[0]), d[0]) - v->eye[0]) / d[0],
		to_y = (with_sign(set(s->hall_half[1]), d[1]) - v->eye[1]) / d[1];
	vf way = min_(to_x, to_y), height = set(s->wall_height);
	vm is_side = lt(to_x, to_y), is_top = ge(fma_(d[2], way, set(v->eye[2])), height);
	way = select(is_top, (height - v->eye[2]) / d[2], way);
	// A face's two sides, a and b, and its normal, n: y, z and x of walls across x; x, z and y of those across y; x, y
	// and z of the ceiling.
#define A(of) select(is_top, of[0], select(is_side, of[1], of[0]))
#define B(of) select(is_top, of[1], of[2])
#define N(of) select(is_top, of[2], select(is_side, of[0], of[1]))
	const vf right[3] = {across(d[0]), across(d[1]), across(d[2])}, below[3] = {down(d[0]), down(d[1]), down(d[2])};
	const vf eye[3] = {set(v->eye[0]), set(v->eye[1]), set(v->eye[2])};
	vf da = A(d), db = B(d), dn = N(d), a = fma_(da, way, A(eye)), b = fma_(db, way, B(eye));
	vf to_right = N(right) / dn, to_below = N(below) / dn;
	vf step_a[2] = {(A(right) - da * to_right) * way, (A(below) - da * to_below) * way};
	vf step_b[2] = {(B(right) - db * to_right) * way, (B(below) - db * to_below) * way};
#undef A
#undef B
#undef N
	vf per_x = set(0.5f / s->hall_half[0]), per_y = set(0.5f / s->hall_half[1]);
	vf share_a = clamp(fma_(a, select(is_top, per_x, select(is_side, per_y, per_x)), set(0.5f)), set(0), set(1));
	vf share_b = clamp(select(is_top, fma_(b, per_y, set(0.5f)), b * (1 / s->wall_height)), set(0), set(1));
	vi wall = iselect(is_side, iset(0), iset(2)) + iselect(lt(dn, set(0)), iset(0), iset(1));
	vi first = iselect(is_top, iset(h->ceiling_first), wall * h->wall_cols),
		stride = iselect(is_top, iset(h->ceiling_cols), iset(h->walls_stride));
	vi last_col = iselect(is_top, iset(h->ceiling_cols), iset(h->wall_cols)) - 1, last_row = iselect(is_top,
		iset(h->ceiling_rows), iset(h->wall_rows)) - 1;
	four f = four_at(h->faces, first, stride, share_a * to_float(last_col), share_b * to_float(last_row), last_col,
		last_row);
	vf square[4][3];
	for (int k = 0; k < 4; k++) {
		codes_of(f.texel[k], square[k]);
		for (int i = 0; i < 3; i++) square[k][i] = square[k][i] * square[k][i];
	}
	vf color[3] = {set(h->wall[0]), set(h->wall[1]), set(h->wall[2])};
	if (s->crowd.levels > 0 && any(not(is_top))) {
		// Each wall starts at another column of the picture.
		vf along = with_sign(select(is_side, a + 37, 11 - a), dn), size = max_(max_(abs_(step_a[0]), abs_(step_a[1])),
			max_(abs_(step_b[0]), abs_(step_b[1])));
		crowd_at(&s->crowd, along * s->crowd_repeats, fma_(b, set(-1 / s->wall_height), set(1)), size * s->crowd_texels,
			color);
	}
	for (int i = 0; i < 3; i++) {
		vf arrives = mix(mix(square[0][i], square[1][i], f.right), mix(square[2][i], square[3][i], f.right), f.lower);
		light[i] = arrives * (h->faces_most / (CODE_MOST * CODE_MOST)) * select(is_top, set(h->ceiling[i]), color[i]);
	}
	// Below the windows nothing else emits.
	vm bright = or(is_top, lt(abs_(b - h->band.first), h->band.half + abs_(step_b[0]) + abs_(step_b[1]) + 1e-3f));
	if (!any(bright)) return;
	vf cover = strip_cover(&h->panels[0], &h->windows[0], &h->windows[1], is_top, is_side, a, step_a[0], step_a[1]) *
		strip_cover(&h->panels[1], &h->band, &h->band, is_top, is_side, b, step_b[0], step_b[1]);
	for (int i = 0; i < 3; i++) light[i] = fma_(select(is_top, set(h->emits[0][i]), set(h->emits[1][i])), cover,
		light[i]);
}

#endif
